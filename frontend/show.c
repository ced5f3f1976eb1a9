/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show.c - ws_print and ws_print_value say where they stand.
 *
 *   for (i ...) grid                        print %i, %k, %acc "gemm i=%ld k=%ld: acc"
 *     for (k ...)
 *       ws_print ("acc", acc);
 */
#include <stdlib.h>
#include <string.h>

#include "frontend.h"

enum { MOST_COUNTERS = 14 };

static bool see_register(const Unit *u, CXCursor c, void *context)
{
    (void)u;
    (void)context;
    return c.kind != CXCursor_ArraySubscriptExpr && c.kind != CXCursor_MemberRefExpr && c.kind != CXCursor_CallExpr &&
           (c.kind != CXCursor_UnaryOperator || clang_getCursorUnaryOperatorKind(c) != CXUnaryOperator_Deref);
}

static bool is_steady(const Walk *w, CXCursor loop, CXCursor e)
{
    return leaves_alone(w, loop, e) && see_register(w->u, e, NULL) && each_below(w->u, e, see_register, NULL);
}

/* ++k, k += 64, k = k - 1, by what is the same in all iterations of the loop.  */
static bool steps(const Walk *w, CXCursor loop, CXCursor e, CXCursor decl)
{
    e = peel(w->u, e);
    CXCursor target = assigned_by(w->u, e);
    if (e.kind == CXCursor_BinaryOperator && clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Comma) {
        Cursors sides = children(w->u, e);
        return steps(w, loop, sides.list[0], decl) || steps(w, loop, sides.list[1], decl);
    }
    if (clang_Cursor_isNull(target) || !same_decl(decl_of(w->u, target), decl))
        return false;
    if (e.kind == CXCursor_UnaryOperator)
        return true;
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
    if (e.kind == CXCursor_CompoundAssignOperator)
        return (kind == CXBinaryOperator_AddAssign || kind == CXBinaryOperator_SubAssign) &&
               is_steady(w, loop, children(w->u, e).list[1]);
    CXCursor sum = peel(w->u, children(w->u, e).list[1]);
    kind = sum.kind == CXCursor_BinaryOperator ? clang_getCursorBinaryOperatorKind(sum) : CXBinaryOperator_Invalid;
    return (kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Sub) &&
           same_decl(decl_of(w->u, children(w->u, sum).list[0]), decl) &&
           is_steady(w, loop, children(w->u, sum).list[1]);
}

/* An integer of the program that each iteration adds the same to, once and whatever happens.  */
static bool is_counter(const Walk *w, const Round *round, int slot)
{
    const Object *variable = &w->variables[w->slots[slot].variable];
    if (variable->frame != round->frame || clang_Cursor_isNull(variable->decl) || !variable->name ||
        !is_integer(variable->type) || count_assignments(w->u, round->loop, variable->decl) < 1)
        return false;
    LoopParts parts = loop_parts(w->u, round->loop);
    if (begin_of(parts.body) <= begin_of(variable->decl) && begin_of(variable->decl) < end_of(parts.body))
        return false;
    if (!clang_Cursor_isNull(parts.step) && steps(w, round->loop, parts.step, variable->decl))
        return true;
    Cursors list = parts.body.kind == CXCursor_CompoundStmt ? children(w->u, parts.body) : (Cursors){1, &parts.body};
    for (int i = 0; i < list.count; i++)
        if (clang_isExpression(list.list[i].kind) && steps(w, round->loop, list.list[i], variable->decl))
            return true;
    return false;
}

bool show_counts(Walk *w, const Round *round, int slot)
{
    return slot_read(w, slot).kind == R_VALUE && is_counter(w, round, slot);
}

typedef struct {
    const char *format;
    Value *args[MOST_COUNTERS + 2];
    int count;
} Shown;

/* From the grid's outermost loop to the innermost around the walk.  */
static void find_counters(Walk *w, const Round *round, Shown *shown)
{
    if (!round)
        return;
    find_counters(w, round->outer, shown);
    for (int i = 0; i < w->nslots && shown->count < MOST_COUNTERS; i++) {
        if (!show_counts(w, round, i))
            continue;
        shown->args[shown->count++] = slot_read(w, i).value;
        shown->format = arena_print(w->u->module, "%s %s=%%ld", shown->format, slot_name(w, i));
    }
}

/* What "a\n" says.  */
const char *unquoted(Walk *w, const char *text)
{
    static const char letters[] = "n\nt\tr\ra\ab\bf\fv\v";
    char *copy = arena_alloc(w->u->module, strlen(text) + 1), *to = copy;
    for (text += strcspn(text, "\"") + (strchr(text, '"') != NULL); *text && *text != '"'; text++) {
        const char *letter = *text == '\\' ? strchr(letters, text[1]) : NULL;
        if (*text != '\\') {
            *to++ = *text;
        } else if (text[1] >= '0' && text[1] <= '7') {
            char *end, digits[4] = {text[1], 0};
            for (int i = 1; i < 3 && text[1 + i] >= '0' && text[1 + i] <= '7'; i++)
                digits[i] = text[1 + i];
            *to++ = (char)strtol(digits, &end, 8);
            text += end - digits;
        } else {
            *to++ = letter && (letter - letters) % 2 == 0 ? letter[1] : text[1];
            text++;
        }
    }
    return copy;
}

/* The user's text in a format.  */
static const char *quoted(Walk *w, const char *text)
{
    char *copy = arena_alloc(w->u->module, 2 * strlen(text) + 1), *at = copy;
    for (; *text; text++) {
        *at++ = *text;
        if (*text == '%')
            *at++ = '%';
    }
    return copy;
}

void show_call(Walk *w, CXCursor call, const Cursors *args)
{
    Shown shown = {.format = w->kernel->name};
    Value *tile = value_of(w, args->list[1]);
    Result text = eval(w, args->list[0]);
    const char *name = text.kind == R_POINTER && text.string ? text.string : "";
    find_counters(w, w->round, &shown);
    shown.format = arena_print(w->u->module, "%s: %s", shown.format, shown.count ? quoted(w, name) : name);
    shown.args[shown.count] = tile;
    Op *op = op_new(w->kernel, OP_PRINT, loc_of(w->u, call), shown.count + 1, shown.args);
    op->store->label = shown.format;
    op_append(w->block, op);
    if (w->u->module->target == TARGET_SEQUENTIAL)
        place_print(w, call);
}

/* ws_print_value_i_ and the like, of which the name's last letter says what the number is.  */
bool show_value_call(Walk *w, CXCursor call, const char *name, const Cursors *args)
{
    static const char stem[] = "print_value_";
    const char *format = !strcmp(name, "print_value_i")   ? "%ld"
                         : !strcmp(name, "print_value_u") ? "%lu"
                         : !strcmp(name, "print_value_f") ? "%.9g"
                                                          : "%.17g";
    if (strncmp(name, stem, sizeof stem - 1))
        return false;
    Shown shown = {.format = w->kernel->name};
    Value *number = value_of(w, args->list[1]);
    Result text = eval(w, args->list[0]);
    find_counters(w, w->round, &shown);
    shown.format = arena_print(w->u->module, "%s: %s: %s", shown.format,
                               quoted(w, text.kind == R_POINTER && text.string ? text.string : ""), format);
    shown.args[shown.count] = number;
    shown.args[shown.count + 1] = ir_const_int(w->kernel, w->block, D_I1, 1);
    Op *op = op_new(w->kernel, OP_PRINT_EACH, loc_of(w->u, call), shown.count + 2, shown.args);
    op->store->label = shown.format;
    op_append(w->block, op);
    if (w->u->module->target == TARGET_SEQUENTIAL)
        place_print(w, call);
    return true;
}
