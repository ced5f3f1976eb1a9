/* SPDX-License-Identifier: MIT */
/*
 * overlap.c - checks of overlap between tensors of a launch, or within one.  common/views.h compares them.
 */
#include "checks.h"

ws_view ws_emulate_view(const ws_emulate_tensor *t)
{
    return ws_view_of(t->base, t->size, t->rank, t->extent, t->stride);
}

bool ws_emulate_same_view(const ws_emulate_tensor *x, const ws_emulate_tensor *y)
{
    bool same = x->base == y->base && x->size == y->size && x->rank == y->rank;
    for (int i = 0; same && i < x->rank; i++)
        same = x->extent[i] == y->extent[i] && x->stride[i] == y->stride[i];
    return same;
}

static void check_itself(ws_emulate_launch *launch, const ws_emulate_tensor *t)
{
    const ws_view view = ws_emulate_view(t);
    long stride, inside;
    if (ws_view_overlaps_itself(&view, &stride, &inside))
        ws_emulate_fail(launch, WS_ERR_OVERLAP,
                        "%s: tensor %s is stored and overlaps itself: rows of %ld elements begin at a stride of %ld",
                        launch->kernel, t->name, inside, stride);
}

/* True for an in-place argument, or for one array in several orders of dimensions that the compiler knows to be one. */
static bool may_be_one(const ws_emulate_tensor *x, const ws_emulate_tensor *y)
{
    const ws_view views[] = {ws_emulate_view(x), ws_emulate_view(y)};
    return (!y->of_table && ws_emulate_same_view(x, y)) ||
           (x->array == y->array && ws_view_reordered(&views[0], &views[1]));
}

void ws_emulate_check_overlap(ws_emulate_launch *launch)
{
    for (int i = 0; i < launch->ntensors; i++) {
        const ws_emulate_tensor *x = &launch->tensors[i];
        if (!(x->use & WS_EMULATE_STORED))
            continue;
        check_itself(launch, x);
        for (int j = 0; j < launch->ntensors; j++) {
            const ws_emulate_tensor *y = &launch->tensors[j];
            const ws_view views[] = {ws_emulate_view(x), ws_emulate_view(y)};
            if (i == j || (j < i && y->use & WS_EMULATE_STORED))
                continue;
            if (!may_be_one(x, y) && ws_views_overlap(&views[0], &views[1]))
                ws_emulate_fail(launch, WS_ERR_OVERLAP, "%s: tensor %s is stored and overlaps tensor %s",
                                launch->kernel, x->name, y->name);
        }
    }
}
