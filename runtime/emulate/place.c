/* SPDX-License-Identifier: MIT */
/*
 * place.c - positions of a grid's tiles, and the part of a tile inside its tensor.
 *
 * Both drivers of the scheduler use it: the templates of the emitted text, and the interpreter of the final IR.
 */
#include "emulate.h"
#include "steps.h"

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

void ws_emulate_grid_add(ws_emulate_launch *launch, ws_emulate_grid *grid, long low, long high, long step, long most)
{
    int i = grid->dims++;
    long count = ws_steps(low, high, step, most);
    if (count < 0)
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: grid dimension %d at a step of %ld %s", launch->kernel, i, step,
                        ws_steps_refused(count));
    grid->low[i] = low;
    grid->step[i] = step;
    grid->count[i] = count < 0 ? 0 : count;
    if (i == 0)
        grid->total = 1;
    if (__builtin_mul_overflow(grid->total, grid->count[i], &grid->total))
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: the grid has more iterations than fit a long", launch->kernel);
}

void ws_emulate_grid_from(ws_emulate_grid *grid, long x)
{
    grid->from = ws_steps_from(grid->low[0], grid->step[0], grid->count[0], x);
}

/* The side of a cluster along a dimension.  */
static int side_of(const ws_emulate_grid *grid, int dim)
{
    int side = dim == (grid->dims > 1 ? grid->dims - 2 : 0) ? grid->side[0] : dim == grid->dims - 1 ? grid->side[1] : 1;
    return side ? side : 1;
}

void ws_emulate_grid_cluster(ws_emulate_grid *grid, int x, int y)
{
    grid->side[0] = x;
    grid->side[1] = y;
    grid->total = 1;
    for (int d = 0; d < grid->dims; d++) {
        grid->tiles[d] = grid->count[d];
        grid->count[d] = (grid->count[d] + side_of(grid, d) - 1) / side_of(grid, d);
        grid->total *= grid->count[d];
    }
}

static void locate(const ws_emulate_grid *grid, long tile, long *position)
{
    int n = grid->dims;
    if (n == 1) {
        position[0] = (tile + grid->from) % grid->count[0];
        return;
    }
    long rows = grid->count[n - 2], cols = grid->count[n - 1], outer = tile / (rows * cols);
    for (int d = n - 3; d >= 0; d--) {
        position[d] = outer % grid->count[d];
        outer /= grid->count[d];
    }
    long rest = tile % (rows * cols), area = grid->band * cols, first = rest / area * grid->band;
    long height = grid->band < rows - first ? grid->band : rows - first;
    position[n - 1] = rest % area / height;
    position[n - 2] = first + rest % area % height;
    position[0] = (position[0] + grid->from) % grid->count[0];
}

bool ws_emulate_locate(const ws_emulate_grid *grid, long tile, int block, long *position)
{
    bool inside = true;
    locate(grid, tile, position);
    if (!grid->side[0])
        return true;
    for (int d = 0; d < grid->dims; d++) {
        int side = side_of(grid, d),
            place = d == grid->dims - 1 && grid->dims > 1 ? block % grid->side[1] : block / grid->side[1];
        position[d] = position[d] * side + (side > 1 ? place : 0);
        inside = inside && position[d] < grid->tiles[d];
    }
    return inside;
}

long ws_emulate_nearest(const ws_emulate_grid *grid, int dim, long position)
{
    return grid->side[0] && position >= grid->tiles[dim] ? grid->tiles[dim] - 1 : position;
}

long ws_emulate_tile(const ws_emulate_grid *grid, long tile, int block)
{
    long position[4];
    bool inside = ws_emulate_locate(grid, tile, block, position);
    return !grid->side[0] ? tile : inside ? tile * grid->side[0] * grid->side[1] + block : WS_EMULATE_OUTSIDE;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

long ws_emulate_near(long x)
{
    const long far = 1L << 60;
    return x < -far ? -far : x > far ? far : x;
}

void ws_emulate_slice(long *origin, long *low, long *high, long begin, long end)
{
    long from = ws_emulate_near(*origin + ws_emulate_near(begin)), to = ws_emulate_near(*origin + ws_emulate_near(end));
    *origin = from;
    *low = *low > from ? *low : from;
    *high = *high < to ? *high : to;
}

static void clip(const ws_emulate_window *t, int dim, long at, int count, int *first, int *last)
{
    long corner = ws_emulate_near(at) + t->origin[dim], from = t->low[dim] - corner, to = t->high[dim] - corner;
    *first = from <= 0 ? 0 : from < count ? (int)from : count;
    *last = to >= count ? count : to > *first ? (int)to : *first;
}

ws_emulate_patch ws_emulate_patch_of(const ws_emulate_window *t, const long *at, int row_dim, int col_dim, int rows,
                                     int cols)
{
    ws_emulate_patch p = {0, 0, 0, rows, 0, cols};
    bool outside = false;
    for (int dim = 0; dim < t->rank; dim++) {
        int first = 0, last = 1;
        if (dim == row_dim)
            clip(t, dim, at[dim], rows, &p.row_first, &p.row_last);
        else if (dim == col_dim)
            clip(t, dim, at[dim], cols, &p.col_first, &p.col_last);
        else
            clip(t, dim, at[dim], 1, &first, &last);
        outside |= first == last;
    }
    if (outside || p.row_first == p.row_last || p.col_first == p.col_last)
        return (ws_emulate_patch){0, 0, 0, 0, 0, 0};
    for (int dim = 0; dim < t->rank; dim++)
        p.offset += (t->origin[dim] + at[dim]) * t->stride[dim];
    p.row_stride = row_dim >= 0 ? t->stride[row_dim] : 0;
    return p;
}

ws_emulate_patch ws_emulate_box_patch(const ws_emulate_window *t, const ws_emulate_box *box, long row, long col,
                                      int rows, int cols, int first, int *count)
{
    long at[4], all = 1, r = ws_emulate_near(row) + first;
    int last = box->dims - 1;
    for (int i = 0; i <= last; i++)
        all *= box->extent[i];
    *count = 1;
    if (r < 0 || r >= all)
        return (ws_emulate_patch){0, 0, 0, 0, 0, 0};
    *count = box->extent[last] - (int)(r % box->extent[last]);
    *count = *count < rows - first ? *count : rows - first;
    for (int i = last; i >= 0; r /= box->extent[i], i--)
        at[i] = ws_emulate_near(box->at[i]) + r % box->extent[i];
    at[box->dims] = col;
    return ws_emulate_patch_of(t, at, last, box->dims, *count, cols);
}
