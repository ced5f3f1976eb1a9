/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stmt.c - statements -> nested IF.
 *
 *   if (causal && k > i) continue;       %c = scalar_and %causal, %5
 *   acc = ws_dot (...);                  %acc: if %c { yield %acc } else { ... dot ...; yield %acc }
 *
 * What follows an `if` of which one arm alone goes on belongs into that arm.  Where both go on, perhaps not always, it
 * stands behind the IF, in an IF of its own if some path left: an I1 result says which way was taken.
 */
#include <string.h>

#include "frontend.h"

/* ---- how many ways lead on from a statement ---------------------------------------------------------------------- */

static int ways_on(const Unit *u, CXCursor s)
{
    Cursors below = children(u, s);
    int last = 1;
    switch (s.kind) {
    case CXCursor_ReturnStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_GotoStmt:
        return 0;
    case CXCursor_CompoundStmt:
        for (int i = 0; i < below.count; i++)
            if (!(last = ways_on(u, below.list[i])))
                return 0;
        return last;
    case CXCursor_IfStmt:
        return ways_on(u, below.list[1]) + (below.count > 2 ? ways_on(u, below.list[2]) : 1);
    default:
        return 1;
    }
}

static bool leaves_one(const Unit *u, CXCursor c, void *context)
{
    (void)u;
    (void)context;
    return c.kind != CXCursor_ReturnStmt && c.kind != CXCursor_BreakStmt && c.kind != CXCursor_ContinueStmt;
}

/* Is there a return, break or continue in it?  */
static bool may_leave(const Unit *u, CXCursor s)
{
    return !leaves_one(u, s, NULL) || !each_below(u, s, leaves_one, NULL);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

void declare(Walk *w, CXCursor decl)
{
    CXType type = clang_getCursorType(decl);
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    if (decl.kind != CXCursor_VarDecl)
        return;
    if (clang_Cursor_getStorageClass(decl) == CX_SC_Static || clang_isVolatileQualifiedType(type)) {
        if (!clang_isConstQualifiedType(type) && !is_constant_object(decl))
            refuse(w, decl, "use plain variables", "an object in memory changes in the grid");
        return;
    }
    if (clang_getCanonicalType(type).kind == CXType_VariableArray) {
        refuse(w, decl, "let the caller hand it in, and read it with ws_at or ws_at_float",
               "an array of variable length in a grid");
        return;
    }
    int variable = variable_new(w, decl, type, false);
    if (!is_aggregate(type))
        slot_of(w, variable, 0, true);
    if (is_complex(type))
        slot_of(w, variable, bytes_of(part_type(type)), true);
    if (!clang_Cursor_isNull(init))
        initialize(w, variable, type, 0, init);
}

/* ---- if ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    const CXCursor *list;
    int count, first;
} Rest;

static Exits walk_arm(Walk *w, CXCursor arm, const Rest *rest)
{
    if (!rest)
        return clang_Cursor_isNull(arm) ? jump_to(w, &FALL) : walk(w, arm);
    int slots = w->nslots, count = 0;
    CXCursor *list = NULL;
    if (!clang_Cursor_isNull(arm))
        LIST_ADD(w->u->module, list, count) = arm;
    for (int i = rest->first; i < rest->count; i++)
        LIST_ADD(w->u->module, list, count) = rest->list[i];
    Exits exits = walk_list(w, list, count, 0);
    scope_end(w, slots);
    return exits;
}

/* a && b, of which b is computed where a holds alone.  */
static bool is_nested(const Unit *u, CXCursor condition, Cursors *sides)
{
    condition = peel(u, condition);
    bool both = condition.kind == CXCursor_BinaryOperator &&
                clang_getCursorBinaryOperatorKind(condition) == CXBinaryOperator_LAnd;
    *sides = children(u, condition);
    return both && !is_pure(u, sides->list[1]);
}

/* With a rest: what follows the statement, taken in.  */
static Exits walk_branch(Walk *w, CXCursor tested, CXCursor then, CXCursor otherwise, const Rest *rest)
{
    Cursors sides;
    bool nested = !rest && clang_Cursor_isNull(otherwise) && is_nested(w->u, tested, &sides);
    w->where = loc_of(w->u, tested);
    Value *condition = condition_of(w, nested ? sides.list[0] : tested);
    int64_t known;
    if (ir_constant(condition, &known)) {
        if (known && nested)
            return walk_branch(w, sides.list[1], then, otherwise, rest);
        return walk_arm(w, known ? then : otherwise, rest);
    }
    int on = ways_on(w->u, then);
    Op *op = if_new(w, condition);
    Block *block = w->block;
    State before = state_kept(w, &w->state, w->nslots);
    w->block = op->blocks[0];
    Exits yes = nested ? walk_branch(w, sides.list[1], then, otherwise, NULL) : walk_arm(w, then, on ? rest : NULL);
    w->block = op->blocks[1];
    w->state = state_kept(w, &before, before.count);
    Exits no = walk_arm(w, otherwise, on ? NULL : rest);
    w->block = block;
    w->state = before;
    return merge(w, op, condition, &yes, &no);
}

static Exits walk_if(Walk *w, CXCursor s, const Rest *rest)
{
    Cursors below = children(w->u, s);
    CXCursor otherwise = below.count > 2 ? below.list[2] : clang_getNullCursor();
    return walk_branch(w, below.list[0], below.list[1], otherwise, rest);
}

/* ---- switch ------------------------------------------------------------------------------------------------------ */

typedef struct {
    CXCursor *labels, *list; /* two labels for each case: from, to */
    int nlabels, count;
    bool is_default;
    bool is_joined;   /* the group above goes on in it */
    Goal into;        /* ... which leads here */
    const Goal *next; /* behind its end */
} Group;

/* case 1: case 2: statement  */
static CXCursor read_labels(Walk *w, CXCursor s, Group *group)
{
    while (s.kind == CXCursor_CaseStmt || s.kind == CXCursor_DefaultStmt) {
        Cursors below = children(w->u, s);
        if (s.kind == CXCursor_DefaultStmt) {
            group->is_default = true;
        } else {
            LIST_ADD(w->u->module, group->labels, group->nlabels) = below.list[0];
            LIST_ADD(w->u->module, group->labels, group->nlabels) = below.list[below.count == 3];
        }
        s = below.list[below.count - 1];
    }
    return s;
}

static Group *read_groups(Walk *w, CXCursor body, int *ngroups)
{
    Cursors below = children(w->u, body);
    Group *groups = NULL;
    *ngroups = 0;
    for (int i = 0; i < below.count; i++) {
        CXCursor s = below.list[i];
        if (s.kind == CXCursor_CaseStmt || s.kind == CXCursor_DefaultStmt) {
            Group group = {.count = 0};
            s = read_labels(w, s, &group);
            LIST_ADD(w->u->module, groups, *ngroups) = group;
        }
        if (*ngroups)
            LIST_ADD(w->u->module, groups[*ngroups - 1].list, groups[*ngroups - 1].count) = s;
    }
    return groups;
}

/* A group that another one goes on in is walked once, behind both ways that lead to it.  */
static Exits enter_group(Walk *w, Group *group)
{
    if (group->is_joined)
        return jump_to(w, &group->into);
    w->end = group->next;
    return walk_list(w, group->list, group->count, 0);
}

static Exits switch_from(Walk *w, Value *index, Group *groups, int ngroups, int first, Group *otherwise)
{
    while (first < ngroups && &groups[first] == otherwise)
        first++;
    Group *group = first < ngroups ? &groups[first] : otherwise;
    if (!group)
        return jump_to(w, w->out);
    if (first == ngroups)
        return enter_group(w, group);
    Value *any = literal_int(w, D_I1, 0);
    for (int i = 0; i < group->nlabels; i += 2) {
        int64_t low = 0, high = 0;
        evaluate_int(group->labels[i], &low);
        evaluate_int(group->labels[i + 1], &high);
        Value *hit =
            compare(w, low < high ? OP_SCALAR_GE : OP_SCALAR_EQ, index, literal_int(w, index->type.dtype, low));
        if (low < high)
            hit = joined(w, true, hit, compare(w, OP_SCALAR_LE, index, literal_int(w, index->type.dtype, high)));
        if (low <= high) /* else it is an empty range */
            any = joined(w, false, any, hit);
    }
    int64_t known;
    if (ir_constant(any, &known))
        return known ? enter_group(w, group) : switch_from(w, index, groups, ngroups, first + 1, otherwise);
    Op *op = if_new(w, any);
    Block *block = w->block;
    State before = state_kept(w, &w->state, w->nslots);
    w->block = op->blocks[0];
    Exits yes = enter_group(w, group);
    w->block = op->blocks[1];
    w->state = state_kept(w, &before, before.count);
    Exits no = switch_from(w, index, groups, ngroups, first + 1, otherwise);
    w->block = block;
    w->state = before;
    return merge(w, op, any, &yes, &no);
}

static Exits follow(Walk *w, Exits *exits, const Jump *jump, const CXCursor *list, int count, int first);

static Exits walk_switch(Walk *w, CXCursor s)
{
    Cursors below = children(w->u, s);
    int ngroups;
    Group *groups = read_groups(w, below.list[below.count - 1], &ngroups), *otherwise = NULL;
    const Goal *out = w->out, *end = w->end;
    Goal behind = {w->nslots};
    Value *index = value_of(w, below.list[0]);
    for (int i = 0; i < ngroups; i++) {
        Group *group = &groups[i];
        if (group->is_default)
            otherwise = group;
        group->into.slots = w->nslots;
        group->is_joined = i && groups[i - 1].next != &behind;
        group->next = i + 1 < ngroups && ways_on(w->u, group->list[group->count - 1]) ? &groups[i + 1].into : &behind;
        LIST_ADD(w->u->module, group->list, group->count) = clang_getNullCursor();
    }
    w->out = &behind;
    Exits exits = switch_from(w, index, groups, ngroups, 0, otherwise);
    for (int i = 0; i < ngroups; i++) {
        Jump *jump = groups[i].is_joined ? exits_find(&exits, &groups[i].into) : NULL;
        w->end = groups[i].next;
        if (jump && exits.count > 1) {
            exits = follow(w, &exits, jump, groups[i].list, groups[i].count, 0);
        } else if (jump) {
            w->state = jump->state;
            exits = walk_list(w, groups[i].list, groups[i].count, 0);
        }
    }
    w->out = out;
    w->end = end;
    Jump *on = exits_find(&exits, &behind);
    if (on)
        on->target = &FALL;
    return exits;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static Exits walk_return(Walk *w, CXCursor s)
{
    Cursors below = children(w->u, s);
    if (!w->frame->leave) {
        refuse(w, s, "iterations are independent: use 'continue', or an upper bound",
               "the grid is left by 'break', 'return' or 'goto'");
        return exits_none(w, 0);
    }
    if (below.count && w->frame->result >= 0) {
        Result result = eval(w, below.list[0]);
        const Object *variable = &w->variables[w->frame->result];
        Place place = {.local = true, .variable = w->frame->result, .type = variable->type};
        place_write(w, &place, result, s);
    }
    return jump_to(w, w->frame->leave);
}

static Exits walk_jump(Walk *w, CXCursor s, const Goal *target)
{
    if (target)
        return jump_to(w, target);
    refuse(w, s, "iterations are independent: use 'continue', or an upper bound",
           "the grid is left by 'break', 'return' or 'goto'");
    return exits_none(w, 0);
}

static Exits walk_compound(Walk *w, CXCursor s)
{
    Cursors below = children(w->u, s);
    int slots = w->nslots, task = w->task;
    Pragma *pragma = pragma_of_block(w->u, s);
    if (pragma) {
        w->task = task_number(w, pragma);
        task_refuse_jumps(w, s, pragma, false, false);
    }
    Exits exits = walk_list(w, below.list, below.count, 0);
    w->task = task;
    Jump *on = exits_find(&exits, &FALL);
    for (int i = slots; on && i < on->state.count; i++)
        on->state.slot[i] = (Result){.kind = R_NONE};
    return exits;
}

/* ws_add_ is what the macro ws_add calls.  */
static void refuse_lost(Walk *w, CXCursor s)
{
    const char *name = callee_name(w->u, s, NULL);
    size_t length = strlen(name);
    if (!strncmp(name, "ws_", 3))
        refuse(w, s, "a tile is never changed in place: assign the result", "the result of '%.*s' is lost",
               (int)(length - (name[length - 1] == '_')), name);
}

/* One statement, not an `if` in a list.  */
Exits walk(Walk *w, CXCursor s)
{
    Cursors below = children(w->u, s);
    switch (s.kind) {
    case CXCursor_CompoundStmt:
        return walk_compound(w, s);
    case CXCursor_DeclStmt:
        for (int i = 0; i < below.count; i++)
            declare(w, below.list[i]);
        break;
    case CXCursor_IfStmt:
        return walk_if(w, s, NULL);
    case CXCursor_SwitchStmt:
        return walk_switch(w, s);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        return walk_loop(w, s);
    case CXCursor_ReturnStmt:
        return walk_return(w, s);
    case CXCursor_ContinueStmt:
        return walk_jump(w, s, w->again);
    case CXCursor_BreakStmt:
        return walk_jump(w, s, w->out);
    case CXCursor_NullStmt:
        break;
    case CXCursor_UnexposedStmt: /* with attributes */
        return below.count ? walk(w, below.list[below.count - 1]) : jump_to(w, &FALL);
    case CXCursor_GCCAsmStmt:
        refuse(w, s, "write it in C", "an assembler statement in a grid");
        break;
    default:
        if (clang_isExpression(s.kind) && s.kind == CXCursor_CallExpr && is_tile_type(clang_getCursorType(s)))
            refuse_lost(w, s);
        if (clang_isExpression(s.kind))
            eval(w, s);
        else
            refuse(w, s, "use if, for, while and continue; leave a loop by its condition",
                   "this control flow cannot be structured");
    }
    return jump_to(w, &FALL);
}

/* Behind statements after which only some paths go on: the others pass by.  */
static Exits follow(Walk *w, Exits *exits, const Jump *jump, const CXCursor *list, int count, int first)
{
    Exits others = exits_none(w, exits->count);
    for (int i = 0; i < exits->count; i++)
        if (&exits->list[i] != jump)
            others.list[others.count++] = exits->list[i];
    Block *block = w->block;
    State before = state_kept(w, &jump->state, jump->state.count);
    Op *op = if_new(w, jump->taken);
    w->block = op->blocks[0];
    w->state = state_kept(w, &before, before.count);
    Exits here = walk_list(w, list, count, first);
    w->block = block;
    w->state = before;
    return merge(w, op, jump->taken, &here, &others);
}

/* A block within the list that may leave: its statements are the list's.  */
static Exits walk_spliced(Walk *w, CXCursor block, const CXCursor *list, int count, int first)
{
    Cursors all = children(w->u, block);
    for (int i = first; i < count; i++)
        LIST_ADD(w->u->module, all.list, all.count) = list[i];
    return walk_list(w, all.list, all.count, 0);
}

Exits walk_list(Walk *w, const CXCursor *list, int count, int first)
{
    for (int i = first; i < count; i++) {
        CXCursor s = list[i];
        if (clang_Cursor_isNull(s))
            return jump_to(w, w->end);
        bool leaves = may_leave(w->u, s);
        if (leaves && s.kind == CXCursor_CompoundStmt && !pragma_of_block(w->u, s))
            return walk_spliced(w, s, list, count, i + 1);
        if (leaves && s.kind == CXCursor_IfStmt && ways_on(w->u, s) == 1)
            return walk_if(w, s, &(Rest){list, count, i + 1});
        Exits exits = walk(w, s);
        Jump *on = exits_find(&exits, &FALL);
        if (!on)
            return exits;
        if (exits.count > 1)
            return follow(w, &exits, on, list, count, i + 1);
        w->state = on->state;
    }
    return jump_to(w, &FALL);
}
