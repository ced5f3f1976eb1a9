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
#include <string.h>

#include "frontend.h"

static const Reduction *clause_naming(const Walk *w, const char *name)
{
    for (const Reduction *reduction = w->kernel->grid.reductions; reduction && name; reduction = reduction->next)
        if (!strcmp(name, reduction->name))
            return reduction;
    return NULL;
}

bool total_is_named(const Walk *w, const char *name)
{
    return w->kernel->grid.plain && !w->outside && clause_naming(w, name);
}

static int number_of(Opcode op, CXType type)
{
    Dtype dtype = D_I32;
    scalar_type(type, &dtype);
    return op_total_number(op, dtype == D_U32 || dtype == D_U64);
}

static bool check_type(Walk *w, const Reduction *reduction, CXType type)
{
    Dtype dtype = D_F16; /* which no number of C has */
    scalar_type(type, &dtype);
    bool real = dtype == D_F32 || dtype == D_F64, integer = !dtype_is_float(dtype);
    bool logical = reduction->op == OP_SCALAR_AND || reduction->op == OP_SCALAR_OR;
    if (reduction->op != OP_SCALAR_MUL && ((real && !logical) || integer))
        return true;
    if (reduction->op == OP_SCALAR_MUL)
        complain(w->u, w->kernel->loc, "write the factors to an array, and multiply them behind the grid",
                 "'%s' is a product, which tiles do not make", reduction->name);
    else
        complain(w->u, w->kernel->loc, "use int, long, float or double; for '&&' and '||' int or long",
                 "tiles do not sum in the type of '%s'", reduction->name);
    w->failed = true;
    return false;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static bool is_assigned(const Walk *w, const Object *variable)
{
    return variable->frame == 0 && !clang_Cursor_isNull(variable->decl) && variable->name &&
           (begin_of(variable->decl) < begin_of(w->region) || begin_of(variable->decl) >= end_of(w->region)) &&
           count_assignments(w->u, w->region, variable->decl);
}

/* Variables of the function that have a clause begin with nothing.  */
void totals_begin(Walk *w)
{
    int count = w->nvariables;
    for (int i = 0; i < count && !w->failed; i++) {
        const Object *variable = &w->variables[i];
        const Reduction *reduction = clause_naming(w, variable->name);
        CXType type = is_complex(variable->type) ? part_type(variable->type) : variable->type;
        Dtype dtype;
        if (!reduction || !is_assigned(w, variable) || !scalar_type(type, &dtype) || !check_type(w, reduction, type))
            continue;
        for (int part = 0; part < (is_complex(variable->type) ? 2 : 1); part++) {
            const char *place =
                !is_complex(variable->type)
                    ? variable->name
                    : arena_print(w->u->module, "%s %s", part ? "__imag__" : "__real__", variable->name);
            int64_t byte = part * bytes_of(type);
            slot_write(w, slot_of(w, i, byte, true), result_of(literal(w, dtype, 0, 0)));
            LIST_ADD(w->u->module, w->totals, w->ntotals) = (TotalOut){reduction, i, byte, place, type, NULL};
        }
    }
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* A store to what is the same in each iteration, and known before the grid.  */
void total_element(Walk *w, Result base, CXType type, Value *offset, const char *label)
{
    const Reduction *reduction = clause_naming(w, label);
    const char *bytes = reduction ? value_text(w, offset) : NULL;
    const char *ctype = text_of(w->u, clang_getTypeSpelling(clang_getCanonicalType(type)));
    if (!bytes || w->failed)
        return;
    const char *place = arena_print(w->u->module, "(*(%s *)((char *)(%s) + %s))", ctype, base.text, bytes);
    for (int i = 0; i < w->ntotals; i++)
        if (w->totals[i].variable < 0 && !strcmp(w->totals[i].place, place))
            return;
    if (!check_type(w, reduction, type))
        return;
    TotalOut out = {reduction, -1, 0, place, type, NULL};
    int at = w->ntotals;
    LIST_ADD(w->u->module, w->totals, w->ntotals) = out;
    for (; at > 0 && w->totals[at - 1].variable >= 0; at--) /* they come first */
        w->totals[at] = w->totals[at - 1];
    w->totals[at] = out;
}

/* ---- behind the loops -------------------------------------------------------------------------------------------- */

static bool is_total(const Walk *w, int variable)
{
    for (int i = 0; i < w->ntotals; i++)
        if (w->totals[i].variable == variable)
            return true;
    return false;
}

/* What an iteration has left in a variable of the function is nobody's.  */
static void check_leaving(Walk *w)
{
    for (int i = 0; i < w->nvariables && !w->failed; i++) {
        const Object *variable = &w->variables[i];
        if (is_assigned(w, variable) && !is_total(w, i) && is_used_later(w, w->region, variable->decl))
            refuse(w, first_use_later(w, w->region, variable->decl),
                   w->kernel->grid.plain
                       ? arena_print(w->u->module,
                                     "results leave this grid in arrays, and as sums: 'reduction(+: %s)', a clause of "
                                     "the grid",
                                     variable->name)
                       : "results leave this grid through 'ws_store' alone; compute scalars again after it",
                   "the value of '%s' leaves the grid", variable->name);
    }
}

void totals_leave(Walk *w)
{
    Total **end = &w->kernel->grid.totals;
    check_leaving(w);
    for (int i = 0; i < w->ntotals && !w->failed; i++) {
        TotalOut *out = &w->totals[i];
        out->handle = arena_print(w->u->module, "ws_total_%d_", i);
        Value *base =
            live_in(w, out->handle, "const void *", type_pointer(D_F32), out->clause->name, parameter_rank(w, ""));
        if (out->variable >= 0) {
            Value *args[] = {base, literal_int(w, D_I64, 0),
                             slot_read(w, slot_of(w, out->variable, out->byte, true)).value};
            Op *op = op_new(w->kernel, OP_SET_ELEMENT, w->kernel->loc, 3, args);
            op->store->label = out->clause->name;
            op_append(w->kernel->body, op);
        }
        Total *total = arena_alloc(w->u->module, sizeof *total);
        *total = (Total){out->clause->op, out->clause->name, base, NULL, false};
        *end = total;
        end = &total->next;
    }
}

/* ---- in place of the region -------------------------------------------------------------------------------------- */

static Dtype summed(CXType type)
{
    Dtype dtype = D_I32;
    scalar_type(type, &dtype);
    return dtype_is_float(dtype) ? dtype : dtype_bytes(dtype) == 8 ? D_I64 : D_I32;
}

const char *totals_first(const Walk *w)
{
    const char *text = "";
    for (int i = 0; i < w->ntotals; i++)
        text =
            arena_print(w->u->module, "%svoid *%s = ws_total_begin_(%d, %d); ", text, w->totals[i].handle,
                        number_of(w->totals[i].clause->op, w->totals[i].type), dtype_bytes(summed(w->totals[i].type)));
    return text;
}

/* As ws_total_into_ counts types.  */
static int number_of_type(CXType type)
{
    Dtype dtype = D_I32;
    scalar_type(type, &dtype);
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
        Dtype dtype = summed(out->type);
        const char *suffix = dtype == D_F32 ? "f32" : dtype == D_F64 ? "f64" : dtype == D_I64 ? "i64" : "i32";
        if (out->variable >= 0)
            text = arena_print(w->u->module, "%s %s = ws_total_%s_(%s, %s);", text, out->place, suffix, out->handle,
                               out->place);
        else
            text = arena_print(w->u->module, "%s ws_total_into_(%s, (void *)&%s, %d);", text, out->handle, out->place,
                               number_of_type(out->type));
    }
    return text;
}
