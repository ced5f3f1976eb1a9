/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * total.c - a sum over a whole grid, which leaves it.
 *
 *   #pragma ws grid(1) reduction(+: s)      { void *ws_total_0_ = ws_total_begin_ (0, 4);
 *   for (int i = 0; i < n; i++)               ws_launch_f (n, a, ws_total_0_);
 *       s += a[i];                            s = ws_total_f32_ (ws_total_0_, s); }
 *
 * In the kernel the sum begins with nothing, and goes to the pointer behind the loops.  An element that all of them sum
 * in, as q[i] of a loop over j, is such a variable, too: ws_total_into_ (ws_total_0_, &q[i], 0).
 */
#include "frontend.h"
#include "ir/functions.h"

static int number_of(Opcode op, Dtype dtype)
{
    return op_total_number(op, dtype == D_U32 || dtype == D_U64);
}

static Dtype summed(Dtype dtype)
{
    return dtype_is_float(dtype) ? dtype : dtype_bytes(dtype) == 8 ? D_I64 : D_I32;
}

const char *totals_first(const Walk *w)
{
    const char *text = "";
    for (int i = 0; i < w->ntotals; i++) {
        const TotalOut *out = &w->totals[i];
        text = arena_print(w->u->module, "%svoid *%s = ws_total_begin_(%d, %d); ", text, out->handle,
                           number_of(out->clause->op, out->dtype), dtype_bytes(summed(out->dtype)));
    }
    return text;
}

/* As ws_total_into_ counts types.  */
static int number_of_type(Dtype dtype)
{
    switch (dtype) {
    case D_F32:
        return 0;
    case D_F64:
        return 1;
    case D_I8:
        return 4;
    case D_U8:
    case D_I1:
        return 5;
    case D_I16:
        return 6;
    case D_U16:
        return 7;
    default:
        return dtype_bytes(dtype) == 8 ? 3 : 2;
    }
}

const char *totals_last(const Walk *w)
{
    const char *text = "";
    for (int i = 0; i < w->ntotals; i++) {
        const TotalOut *out = &w->totals[i];
        Dtype dtype = summed(out->dtype);
        const char *suffix = dtype == D_F32 ? "f32" : dtype == D_F64 ? "f64" : dtype == D_I64 ? "i64" : "i32";
        if (!out->is_element)
            text = arena_print(w->u->module, "%s %s = ws_total_%s_(%s, %s);", text, out->place, suffix, out->handle,
                               out->place);
        else
            text = arena_print(w->u->module, "%s ws_total_into_(%s, (void *)&%s, %d);", text, out->handle, out->place,
                               number_of_type(out->dtype));
    }
    return text;
}
