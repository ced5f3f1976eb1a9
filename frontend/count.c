/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * count.c - is a loop counted?
 *
 *   for (k = lo; k < hi; k += step)           lo, hi, step, <
 *   while (k < hi && k + 64 <= n) ...         the nearer of hi and n - 64
 *
 * The bound and the step are left alone by the loop, the count is stepped once in each iteration and not used after it.
 */
#include <string.h>

#include "frontend.h"

typedef struct {
    const Walk *w;
    CXCursor loop, init; /* what is declared there, and left alone by the rest, is outside */
    CXCursor expression;
} Alone;

/* A function that computes of its parameters alone.  */
static bool computes(const Unit *u, CXCursor c, void *context)
{
    int *depth = context;
    CXCursor target = assigned_by(u, c), function;
    CXCursor decl = c.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(c) : clang_getNullCursor();
    if (c.kind == CXCursor_CallExpr) {
        const char *name = callee_name(u, c, &function);
        CXCursor definition = *name ? clang_getCursorDefinition(function) : clang_getNullCursor();
        int inner = *depth + 1;
        return !clang_Cursor_isNull(definition) && inner < 8 && each_below(u, definition, computes, &inner);
    }
    if (c.kind == CXCursor_ArraySubscriptExpr || c.kind == CXCursor_StmtExpr || c.kind == CXCursor_MemberRefExpr)
        return false;
    if (is_variable(decl) && clang_getCursorLinkage(decl) != CXLinkage_NoLinkage)
        return false;
    return clang_Cursor_isNull(target) || !clang_Cursor_isNull(decl_of(u, target));
}

static bool alone_one(const Unit *u, CXCursor c, void *context)
{
    const Alone *alone = context;
    if (c.kind == CXCursor_CallExpr) {
        int depth = 0;
        const char *name = callee_name(u, c, NULL);
        return !strcmp(name, "ws_at") || !strcmp(name, "ws_at_float") || computes(u, c, &depth);
    }
    if (!clang_Cursor_isNull(assigned_by(u, c)) || c.kind == CXCursor_StmtExpr)
        return false;
    CXCursor decl = c.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(c) : clang_getNullCursor();
    if (!is_variable(decl))
        return true;
    bool inside = begin_of(alone->loop) <= begin_of(decl) && end_of(decl) <= end_of(alone->loop);
    bool first = !clang_Cursor_isNull(alone->init) && end_of(decl) <= end_of(alone->init);
    return (!inside || first) && !may_change_what_is_read(u, alone->loop, decl, alone->expression);
}

bool leaves_alone(const Walk *w, CXCursor loop, CXCursor e)
{
    bool is_for = loop.kind == CXCursor_ForStmt;
    Alone alone = {w, loop, is_for ? loop_parts(w->u, loop).init : clang_getNullCursor(), e};
    return alone_one(w->u, e, &alone) && each_below(w->u, e, alone_one, &alone);
}

CXCursor bare(const Unit *u, CXCursor e)
{
    for (;;) {
        Cursors below = children(u, e);
        bool wraps =
            e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr || e.kind == CXCursor_CStyleCastExpr;
        if (!wraps || !below.count || (e.kind == CXCursor_UnexposedExpr && below.count > 1))
            return e;
        CXCursor inner = below.list[below.count - 1];
        if (!is_integer(clang_getCursorType(e)) || !is_integer(clang_getCursorType(inner)) ||
            bytes_of(clang_getCursorType(inner)) > bytes_of(clang_getCursorType(e)))
            return e;
        e = inner;
    }
}

static CXCursor variable_in(const Unit *u, CXCursor e)
{
    e = bare(u, e);
    CXCursor decl = e.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(e) : clang_getNullCursor();
    return is_variable(decl) && is_integer(clang_getCursorType(decl)) ? clang_getCanonicalCursor(decl)
                                                                      : clang_getNullCursor();
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

static bool compare_of(CXCursor e, Opcode *code)
{
    switch (clang_getCursorBinaryOperatorKind(e)) {
    case CXBinaryOperator_LT:
        *code = OP_SCALAR_LT;
        return true;
    case CXBinaryOperator_LE:
        *code = OP_SCALAR_LE;
        return true;
    case CXBinaryOperator_GT:
        *code = OP_SCALAR_GT;
        return true;
    case CXBinaryOperator_GE:
        *code = OP_SCALAR_GE;
        return true;
    case CXBinaryOperator_NE:
        *code = OP_SCALAR_NE;
        return true;
    default:
        return false;
    }
}

static bool opposite(Opcode *code)
{
    Opcode other = *code == OP_SCALAR_LT   ? OP_SCALAR_GE
                   : *code == OP_SCALAR_GE ? OP_SCALAR_LT
                   : *code == OP_SCALAR_GT ? OP_SCALAR_LE
                   : *code == OP_SCALAR_LE ? OP_SCALAR_GT
                                           : OP_COUNT;
    *code = other;
    return other != OP_COUNT;
}

static bool is_count(const Walk *w, CXCursor loop, CXCursor decl, const Count *count)
{
    if (clang_Cursor_isNull(decl) || count_assignments(w->u, loop, decl) < 1)
        return false;
    return clang_Cursor_isNull(count->iv) || same_decl(count->iv, decl);
}

/* A number that is added to a size_t: k + 1 < n, in which k is below n.  */
static bool adds_to_size(Walk *w, CXCursor sum)
{
    Cursors sides = children(w->u, sum);
    Dtype dtype;
    int64_t number;
    return scalar_type(clang_getCursorType(sum), &dtype) && dtype == D_U64 &&
           clang_getCursorBinaryOperatorKind(sum) == CXBinaryOperator_Add && constant_int(w, sides.list[1], &number) &&
           number >= 0 && number <= INT32_MAX;
}

/* k--, --k, k++ or ++k of a test: before it, if at all, k is what is compared.  */
static bool steps_in_test(CXCursor e, bool *before)
{
    if (e.kind != CXCursor_UnaryOperator)
        return false;
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    *before = kind == CXUnaryOperator_PreInc || kind == CXUnaryOperator_PreDec;
    return *before || kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
}

/* x is k, or k + offset in a type that does not wrap, or k + a number in one of 64 bits; or k--.  */
static bool counts(Walk *w, CXCursor loop, CXCursor x, Count *count, Bound *bound)
{
    CXCursor iv = variable_in(w->u, x), e = bare(w->u, x);
    Dtype dtype;
    bool before;
    if (clang_Cursor_isNull(count->tested) && steps_in_test(e, &before) &&
        is_count(w, loop, variable_in(w->u, children(w->u, e).list[0]), count)) {
        count->iv = variable_in(w->u, children(w->u, e).list[0]);
        count->tested = e;
        return true;
    }
    if (!is_count(w, loop, iv, count) && e.kind == CXCursor_BinaryOperator &&
        scalar_type(clang_getCursorType(e), &dtype) && (dtype_is_signed(dtype) || adds_to_size(w, e))) {
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
        Cursors sides = children(w->u, e);
        if (kind != CXBinaryOperator_Add && kind != CXBinaryOperator_Sub)
            return false;
        int first = kind == CXBinaryOperator_Add && !is_count(w, loop, variable_in(w->u, sides.list[0]), count);
        iv = variable_in(w->u, sides.list[first]);
        bound->offset = sides.list[!first];
        bound->subtract = kind == CXBinaryOperator_Sub;
        if (!leaves_alone(w, loop, bound->offset))
            return false;
    }
    if (!is_count(w, loop, iv, count))
        return false;
    count->iv = iv;
    return true;
}

/* Of --k >= n, that is k > n, and ++k <= n; other tests of k behind its step are no bounds.  */
static bool bounds_before(CXCursor tested, Opcode *compare)
{
    bool before;
    if (clang_Cursor_isNull(tested) || (steps_in_test(tested, &before) && !before))
        return true;
    bool down = clang_getCursorUnaryOperatorKind(tested) == CXUnaryOperator_PreDec;
    if (*compare != (down ? OP_SCALAR_GE : OP_SCALAR_LE))
        return false;
    *compare = down ? OP_SCALAR_GT : OP_SCALAR_LT;
    return true;
}

/* k or k-- for itself: other than 0.  */
static bool bound_of_truth(Walk *w, CXCursor loop, CXCursor e, Count *count)
{
    Bound *bound = &count->bounds[count->nbounds];
    bound->offset = bound->hi = clang_getNullCursor();
    bound->compare = OP_SCALAR_NE;
    if (count->nbounds || !is_integer(clang_getCursorType(e)) || !counts(w, loop, e, count, bound) ||
        !clang_Cursor_isNull(bound->offset) || !bounds_before(count->tested, &bound->compare))
        return false;
    count->hi_type = clang_getCursorType(count->iv);
    count->nbounds++;
    return true;
}

static bool bound_of(Walk *w, CXCursor loop, CXCursor e, bool negated, Count *count)
{
    Cursors sides = children(w->u, e);
    Bound *bound = &count->bounds[count->nbounds];
    if (count->nbounds == 4 || !compare_of(e, &bound->compare) || (negated && !opposite(&bound->compare)) ||
        !is_integer(clang_getCursorType(sides.list[0])))
        return false;
    for (int turn = 0; turn < 2; turn++) {
        bound->offset = clang_getNullCursor();
        bound->hi = sides.list[!turn];
        if (leaves_alone(w, loop, bound->hi) && counts(w, loop, sides.list[turn], count, bound)) {
            bound->compare = turn ? op_swapped(bound->compare) : bound->compare;
            count->hi_type = clang_getCursorType(bound->hi);
            count->nbounds++;
            return bounds_before(count->tested, &bound->compare);
        }
    }
    return false;
}

/* Up to the first statement that is no `if (c) break;`; those are bounds, too.  */
CXCursor leading_break(const Unit *u, const LoopParts *parts, int number)
{
    Cursors list = parts->body.kind == CXCursor_CompoundStmt ? children(u, parts->body) : (Cursors){0, NULL};
    CXCursor s = number < list.count ? list.list[number] : clang_getNullCursor();
    Cursors below = clang_Cursor_isNull(s) || s.kind != CXCursor_IfStmt ? (Cursors){0, NULL} : children(u, s);
    CXCursor then = below.count == 2 ? below.list[1] : clang_getNullCursor();
    Cursors inner = then.kind == CXCursor_CompoundStmt ? children(u, then) : (Cursors){0, NULL};
    if (inner.count == 1)
        then = inner.list[0];
    return then.kind == CXCursor_BreakStmt ? below.list[0] : clang_getNullCursor();
}

static bool bounds_of(Walk *w, CXCursor loop, CXCursor e, bool negated, Count *count)
{
    e = peel(w->u, e);
    if (e.kind == CXCursor_UnaryOperator && clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_LNot)
        return bounds_of(w, loop, children(w->u, e).list[0], !negated, count);
    if (e.kind != CXCursor_BinaryOperator)
        return !negated && bound_of_truth(w, loop, e, count);
    if (clang_getCursorBinaryOperatorKind(e) != (negated ? CXBinaryOperator_LOr : CXBinaryOperator_LAnd))
        return bound_of(w, loop, e, negated, count);
    Cursors sides = children(w->u, e);
    return bounds_of(w, loop, sides.list[0], negated, count) && bounds_of(w, loop, sides.list[1], negated, count);
}

static bool is_upper(Opcode compare)
{
    return compare == OP_SCALAR_LT || compare == OP_SCALAR_LE;
}

static bool is_unsigned(CXType type)
{
    Dtype dtype;
    return scalar_type(type, &dtype) && !dtype_is_signed(dtype);
}

/* Several bounds, or one of k + offset, become one by arithmetic in 64 bits, which must not wrap.  */
static bool bounds_agree(Walk *w, const Count *count)
{
    if (count->nbounds == 1 && clang_Cursor_isNull(count->bounds[0].offset))
        return true;
    int64_t number;
    if (count->nbounds == 1 && is_unsigned(clang_getCursorType(count->iv)) &&
        bytes_of(clang_getCursorType(count->iv)) == 8 && is_unsigned(clang_getCursorType(count->bounds[0].hi)))
        return is_upper(count->bounds[0].compare) && constant_int(w, count->bounds[0].offset, &number);
    for (int i = 0; i < count->nbounds; i++) {
        const Bound *bound = &count->bounds[i];
        int64_t known;
        bool has = !clang_Cursor_isNull(bound->offset);
        bool wide = bytes_of(clang_getCursorType(bare(w->u, bound->hi))) > 4 && !constant_int(w, bound->hi, &known);
        if (is_unsigned(clang_getCursorType(bound->hi)) || is_unsigned(clang_getCursorType(count->iv)) ||
            bound->compare == OP_SCALAR_NE || is_upper(bound->compare) != is_upper(count->bounds[0].compare) ||
            (has && (wide || bytes_of(clang_getCursorType(bare(w->u, bound->offset))) > 4)))
            return false;
    }
    return true;
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

/* k += s, k = k + s, k++  */
static bool step_in(const Walk *w, CXCursor loop, CXCursor e, Count *count)
{
    CXCursor target = assigned_by(w->u, e);
    Cursors below = children(w->u, e);
    CXType type = clang_getCursorType(count->iv), wide = type;
    if (clang_Cursor_isNull(target) || !same_decl(decl_of(w->u, target), count->iv))
        return false;
    if (e.kind == CXCursor_UnaryOperator) {
        enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
        count->one = kind == CXUnaryOperator_PreInc || kind == CXUnaryOperator_PostInc ? 1 : -1;
        return true;
    }
    if (e.kind == CXCursor_CompoundAssignOperator) {
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
        count->step = below.list[1];
        count->negative = kind == CXBinaryOperator_SubAssign;
        wide = clang_getCursorType(count->step);
        if (kind != CXBinaryOperator_AddAssign && kind != CXBinaryOperator_SubAssign)
            return false;
    } else {
        CXCursor sum = peel(w->u, below.list[1]);
        Cursors cut = children(w->u, sum);
        if ((sum.kind == CXCursor_UnexposedExpr && cut.count == 1) ||
            (sum.kind == CXCursor_CStyleCastExpr && cut.count))
            sum = peel(w->u, cut.list[cut.count - 1]);
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(sum);
        if (sum.kind != CXCursor_BinaryOperator || (kind != CXBinaryOperator_Add && kind != CXBinaryOperator_Sub))
            return false;
        Cursors sides = children(w->u, sum);
        int first = kind == CXBinaryOperator_Add && !same_decl(variable_in(w->u, sides.list[0]), count->iv);
        if (!same_decl(variable_in(w->u, sides.list[first]), count->iv))
            return false;
        count->step = sides.list[!first];
        count->negative = kind == CXBinaryOperator_Sub;
        wide = clang_getCursorType(sum);
    }
    Dtype x, y;
    count->cut =
        scalar_type(type, &x) && scalar_type(wide, &y) && x != y && dtype_is_signed(x); /* else GCC adds in x */
    return leaves_alone(w, loop, count->step);
}

/* True if some way through the statement does not reach its end: to the next iteration, or to a label. */
static bool may_jump(const Unit *u, CXCursor c, bool in_loop)
{
    if (c.kind == CXCursor_ContinueStmt)
        return !in_loop;
    if (c.kind == CXCursor_GotoStmt || c.kind == CXCursor_IndirectGotoStmt)
        return true;
    in_loop |= c.kind == CXCursor_ForStmt || c.kind == CXCursor_WhileStmt || c.kind == CXCursor_DoStmt;
    Cursors below = children(u, c);
    for (int i = 0; i < below.count && !clang_isExpression(c.kind); i++)
        if (may_jump(u, below.list[i], in_loop))
            return true;
    return false;
}

static bool step_of(const Walk *w, CXCursor loop, const LoopParts *parts, Count *count)
{
    if ((clang_Cursor_isNull(parts->cond) ? 0 : count_assignments(w->u, parts->cond, count->iv)) +
            count_assignments(w->u, parts->body, count->iv) +
            (clang_Cursor_isNull(parts->step) ? 0 : count_assignments(w->u, parts->step, count->iv)) !=
        1)
        return false;
    if (!clang_Cursor_isNull(count->tested))
        return count->nbounds == 1 && !parts->leading && step_in(w, loop, count->tested, count);
    if (!clang_Cursor_isNull(parts->step) && count_assignments(w->u, parts->step, count->iv)) {
        CXCursor e = peel(w->u, parts->step);
        while (e.kind == CXCursor_BinaryOperator && clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Comma) {
            Cursors sides = children(w->u, e);
            e = peel(w->u, sides.list[count_assignments(w->u, sides.list[0], count->iv) ? 0 : 1]);
        }
        return step_in(w, loop, e, count);
    }
    if (parts->body.kind != CXCursor_CompoundStmt)
        return step_in(w, loop, parts->body, count);
    Cursors list = children(w->u, parts->body);
    for (int i = 0; i < list.count; i++) {
        if (may_jump(w->u, list.list[i], false))
            return false;
        if (clang_isExpression(list.list[i].kind) && count_assignments(w->u, list.list[i], count->iv))
            return step_in(w, loop, peel(w->u, list.list[i]), count);
    }
    return false;
}

/* ---- use after the loop ------------------------------------------------------------------------------------------ */

typedef struct {
    CXCursor decl, loop;
    bool found;
    CXCursor use;
} Later;

static bool later_one(const Unit *u, CXCursor c, void *context)
{
    Later *later = context;
    if (begin_of(c) < end_of(later->loop) && end_of(c) <= end_of(later->loop))
        return true;
    if (c.kind == CXCursor_DeclRefExpr && begin_of(c) >= end_of(later->loop) &&
        same_decl(clang_getCursorReferenced(c), later->decl)) {
        later->found = true;
        later->use = c;
    }
    (void)u;
    return !later->found;
}

static bool assigns_first(const Unit *u, CXCursor loop, CXCursor decl)
{
    LoopParts parts = loop_parts(u, loop);
    return loop.kind == CXCursor_ForStmt && !clang_Cursor_isNull(parts.init) &&
           count_assignments(u, parts.init, decl) > 0;
}

static bool reads_later(const Unit *u, CXCursor c, Later *later)
{
    Cursors below = children(u, c);
    for (int i = 0; i < below.count && !later->found; i++) {
        if (end_of(below.list[i]) <= end_of(later->loop) || assigns_first(u, below.list[i], later->decl))
            continue;
        if (is_assignment(below.list[i]) && same_decl(decl_of(u, assigned_by(u, below.list[i])), later->decl) &&
            begin_of(below.list[i]) >= end_of(later->loop)) {
            reads_later(u, children(u, below.list[i]).list[1], later);
            return later->found;
        }
        later_one(u, below.list[i], later);
        reads_later(u, below.list[i], later);
    }
    return later->found;
}

/* Declared around the loop, and read behind it before it is assigned to again.  */
bool is_used_later(const Walk *w, CXCursor loop, CXCursor decl)
{
    return !clang_Cursor_isNull(first_use_later(w, loop, decl));
}

CXCursor first_use_later(const Walk *w, CXCursor loop, CXCursor decl)
{
    Later later = {decl, loop, false, clang_getNullCursor()};
    if (begin_of(decl) < begin_of(loop) || end_of(decl) > end_of(loop))
        reads_later(w->u, w->frame->function, &later);
    return later.use;
}

/* What is written as a number in bounds that become one.  */
static void fold_bounds(Walk *w, Count *count)
{
    if (count->nbounds == 1 && clang_Cursor_isNull(count->bounds[0].offset))
        return;
    for (int i = 0; i < count->nbounds; i++) {
        Bound *bound = &count->bounds[i];
        bool has = !clang_Cursor_isNull(bound->offset);
        CXCursor e = has ? bound->offset : bound->hi;
        if (!is_written(w->u, e) || !constant_int(w, e, &bound->number))
            continue;
        bound->folded = true;
        bound->number = bound->subtract ? -bound->number : bound->number;
        bound->subtract = false;
        smaller_bound(&bound->compare, &bound->number, has);
    }
}

int64_t step_below(Dtype own, int64_t number)
{
    int bits = 8 * dtype_bytes(own);
    return bits >= 64 ? number : (int64_t)((uint64_t)number << (64 - bits)) >> (64 - bits);
}

/* The number that a count begins with, where its declaration or the loop's head says.  */
static bool first_number(Walk *w, const LoopParts *parts, const Count *count, int64_t *number)
{
    CXCursor e = clang_isDeclaration(count->iv.kind) ? clang_Cursor_getVarDeclInitializer(count->iv) : count->iv;
    if (clang_Cursor_isNull(parts->init) || clang_Cursor_isNull(e) || begin_of(count->iv) < begin_of(parts->init) ||
        end_of(count->iv) > end_of(parts->init))
        return false;
    return constant_int(w, e, number);
}

static bool narrow_bound_holds(Walk *w, const LoopParts *parts, const Count *count, const Bound *bound, Dtype own,
                               int64_t step)
{
    int64_t hi = 0, lo = 0; /* without a bound it is compared with 0 */
    bool known =
        clang_Cursor_isNull(bound->offset) && (clang_Cursor_isNull(bound->hi) || constant_int(w, bound->hi, &hi));
    bool starts = first_number(w, parts, count, &lo);
    return counter_never_wraps(bound->compare, step, 8 * dtype_bytes(own), dtype_is_signed(own), starts ? &lo : NULL,
                               known ? &hi : NULL);
}

/* The count never wraps around in its own type; those of 32 bits and more are looked after elsewhere.  */
static bool counts_as_int(Walk *w, const LoopParts *parts, const Count *count)
{
    Dtype own = D_I32;
    int64_t step = count->one;
    scalar_type(clang_getCursorType(count->iv), &own);
    if (dtype_bytes(own) >= 4)
        return true;
    if (!step && !constant_int(w, count->step, &step))
        return false;
    step = step_below(own, count->negative ? -step : step);
    for (int i = 0; i < count->nbounds; i++)
        if (!narrow_bound_holds(w, parts, count, &count->bounds[i], own, step))
            return false;
    return step != 0;
}

bool count_of(Walk *w, CXCursor loop, const LoopParts *parts, Count *count)
{
    *count = (Count){.iv = clang_getNullCursor(), .step = clang_getNullCursor(), .tested = clang_getNullCursor()};
    bool tested = !clang_Cursor_isNull(parts->cond);
    if ((!tested && !parts->leading) || parts->test_below || (tested && !bounds_of(w, loop, parts->cond, false, count)))
        return false;
    for (int i = 0; i < parts->leading; i++)
        if (!bounds_of(w, loop, leading_break(w->u, parts, i), true, count))
            return false;
    if (!bounds_agree(w, count) || !step_of(w, loop, parts, count) || !counts_as_int(w, parts, count) ||
        is_used_later(w, loop, count->iv) || variable_find(w, count->iv) < 0)
        return false;
    fold_bounds(w, count);
    return true;
}
