/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-statements.c - statements and declarations.
 *
 *   for (i = 0; i < n; i++) S       i = 0;  jump B1;  B1: branch i < n, B2, B4;  B2: S;  B3: i++, jump B1;  B4:
 */
#include <string.h>

#include "transcribe.h"

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static bool is_addressed(const Transcriber *t, CXCursor decl)
{
    for (int i = 0; i < t->naddressed; i++)
        if (clang_equalCursors(t->addressed[i], clang_getCanonicalCursor(decl)))
            return true;
    return false;
}

/* Each side of an array is kept as it is at the declaration.  */
static void keep_sides(Transcriber *t, CXCursor decl, CXType type, Local *local)
{
    CXType inner = type;
    while (is_array(inner) || canonical(inner).kind == CXType_Pointer)
        inner = element_of(inner);
    CXType pointee = canonical(type).kind == CXType_Pointer ? element_of(type) : type;
    if (!is_array(pointee) || clang_Type_getSizeOf(canonical(pointee)) >= 0)
        pointee = is_array(type) ? element_of(type) : pointee;
    const bool varies = is_array(pointee) && clang_Type_getSizeOf(canonical(pointee)) < 0;
    if (!varies && !(is_array(type) && canonical(type).kind == CXType_VariableArray && decl.kind == CXCursor_VarDecl))
        return;
    Cursors sides = sides_of(t, decl);
    local->sides = arena_alloc(t->u->module, sizeof *local->sides * (size_t)(sides.count + 1));
    for (int i = sides.count - 1; i >= 0; i--) {
        Operand side = scalar_of(t, sides.list[i]);
        side = source_convert(&t->builder, type_of(t, sides.list[i]), ST_U64, side);
        if (side.kind != OPERAND_INTEGER) {
            SourceVariable *kept = source_variable(t->function, ST_U64, (Declaration){.name = NULL});
            source_copy(&t->builder, kept, side);
            side = source_of(kept);
        }
        local->sides[i] = side;
    }
    local->nsides = sides.count;
}

static int alignment_of(CXType type)
{
    const long long alignment = clang_Type_getAlignOf(canonical(type));
    return alignment > 0 ? (int)alignment : 1;
}

static void declare_array_of_variable_length(Transcriber *t, CXCursor decl, CXType type, Local local)
{
    keep_sides(t, decl, type, &local);
    local.is_allocated = true;
    local.variable = source_variable(t->function, ST_P, declaration_of(t, decl, type));
    LIST_ADD(t->u->module, t->locals, t->nlocals) = local;
    Operand bytes = bytes_operand(t, type, decl);
    CXType inner = type;
    while (is_array(inner))
        inner = element_of(inner);
    at_cursor(t, decl);
    source_copy(&t->builder, local.variable, source_allocate(&t->builder, bytes, alignment_of(inner)));
}

static void declare_local(Transcriber *t, CXCursor decl)
{
    CXType type = clang_getCursorType(decl);
    if (decl.kind != CXCursor_VarDecl)
        return;
    if (is_static_storage(decl)) {
        define_global(t, decl);
        return;
    }
    Local local = {.decl = clang_getCanonicalCursor(decl)};
    const long long bytes = clang_Type_getSizeOf(canonical(type));
    if (bytes < 0 && canonical(type).kind == CXType_VariableArray) {
        declare_array_of_variable_length(t, decl, type, local);
        return;
    }
    if (bytes < 0) {
        FAIL(t, decl, "the size of '%s'", text_of(t->u, clang_getCursorSpelling(decl)));
        return;
    }
    keep_sides(t, decl, type, &local);
    const bool in_memory =
        is_array(type) || is_memory(type) || clang_isVolatileQualifiedType(canonical(type)) || is_addressed(t, decl);
    Declaration declaration = declaration_of(t, decl, type);
    if (in_memory) {
        local.object = source_object(t->function, (long)bytes, alignment_of(type), declaration);
        local.object->host = declaration.name;
    } else {
        local.variable = source_variable(t->function, source_type(t, type, decl), declaration);
        local.variable->host = declaration.name;
    }
    LIST_ADD(t->u->module, t->locals, t->nlocals) = local;
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    if (clang_Cursor_isNull(init))
        return;
    if (in_memory && (is_array(type) || is_record(type) || init.kind == CXCursor_InitListExpr)) {
        at_cursor(t, decl);
        initialize_memory(t, source_address(&t->builder, local.object), type, init);
        return;
    }
    while (init.kind == CXCursor_InitListExpr && children(t->u, init).count) /* {x} of a scalar */
        init = first_child(t, init);
    Parts value = init.kind == CXCursor_InitListExpr
                      ? parts(zero_of(local.variable->type))
                      : converted(t, value_of_expression(t, init), clang_getCursorType(init), type, init);
    Spot spot = {
        .variable = local.variable, .type = type, .is_volatile = clang_isVolatileQualifiedType(canonical(type))};
    at_cursor(t, decl);
    if (local.object)
        spot.address = source_address(&t->builder, local.object);
    spot_write(t, &spot, value, decl);
}

void declare_parameter(Transcriber *t, CXCursor decl)
{
    CXType type = clang_getCursorType(decl);
    Local local = {.decl = clang_getCanonicalCursor(decl)};
    const SourceType scalar = source_type(t, type, decl);
    Declaration declaration = declaration_of(t, decl, type);
    local.variable = source_parameter(t->function, scalar, declaration);
    local.variable->host = declaration.name;
    const bool in_memory =
        is_memory(type) || is_addressed(t, decl) || (!is_array(type) && clang_isVolatileQualifiedType(canonical(type)));
    if (in_memory) {
        const long bytes = is_array(type) ? 8 : (long)clang_Type_getSizeOf(canonical(type));
        local.variable->bytes = is_record(type) ? bytes : 0;
        local.object = source_object(t->function, bytes, is_array(type) ? 8 : alignment_of(type), declaration);
        local.object->host = declaration.name;
    }
    LIST_ADD(t->u->module, t->locals, t->nlocals) = local;
}

/* What the entry does for parameters: bytes into their objects, and sides of arrays.  */
static void enter_parameters(Transcriber *t)
{
    const int count = t->nlocals;
    for (int i = 0; i < count; i++) {
        CXCursor decl = t->locals[i].decl;
        Local local = t->locals[i];
        CXType type = clang_getCursorType(decl);
        at_cursor(t, decl);
        if (local.object) {
            Operand address = source_address(&t->builder, local.object);
            if (is_memory(type))
                source_move(&t->builder, address, source_of(local.variable), local.object->bytes);
            else
                source_store(&t->builder, local.variable->type, address, source_of(local.variable), false);
        }
        keep_sides(t, decl, type, &local);
        t->locals[i] = local;
    }
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */

static SourceBlock *label_block(Transcriber *t, CXCursor label)
{
    const char *name = text_of(t->u, clang_getCursorSpelling(label));
    for (int i = 0; i < t->nlabels; i++)
        if (!strcmp(t->labels[i].label, name))
            return t->labels[i].block;
    SourceBlock *block = new_block(t);
    LIST_ADD(t->u->module, t->labels, t->nlabels) = (JumpTarget){label, name, block};
    return block;
}

/* A cursor also has the declaration that libclang came through, so that two of one statement may differ.  */
static SourceBlock *case_block(const Transcriber *t, CXCursor cursor)
{
    for (int i = 0; i < t->ncases; i++)
        if (t->cases[i].cursor.kind == cursor.kind && begin_of(t->cases[i].cursor) == begin_of(cursor))
            return t->cases[i].block;
    return NULL;
}

static void goto_statement(Transcriber *t, CXCursor s)
{
    CXCursor label = first_child(t, s);
    if (label.kind != CXCursor_LabelRef)
        FAIL(t, s, "a jump to a label that libclang does not show");
    else
        source_jump(&t->builder, label_block(t, label));
}

static void return_statement(Transcriber *t, CXCursor s)
{
    CXCursor e = first_child(t, s);
    const Operand none = {.kind = OPERAND_NONE};
    at_cursor(t, s);
    if (clang_Cursor_isNull(e)) {
        source_return(&t->builder, none);
        return;
    }
    CXType type = clang_getCursorType(e), result = clang_getCursorResultType(t->cursor);
    Parts value = value_of_expression(t, e);
    if (canonical(result).kind != CXType_Void)
        value = converted(t, value, type, result, e);
    at_cursor(t, e);
    if (is_memory(result)) {
        Spot spot = {.address = t->result, .type = result};
        spot_write(t, &spot, value, s);
    }
    const bool has_value = canonical(result).kind != CXType_Void && !is_memory(result);
    source_return(&t->builder, has_value ? value.x : none);
}

/* ---- loops and choices ------------------------------------------------------------------------------------------- */

static void loop(Transcriber *t, CXCursor s)
{
    LoopParts loop = loop_parts(t->u, s);
    SourceBlock *leave = t->leave, *again = t->again;
    SourceBlock *test = new_block(t), *body = new_block(t), *next = loop.test_below ? test : new_block(t),
                *out = new_block(t);
    if (!clang_Cursor_isNull(loop.init))
        statement(t, loop.init);
    t->leave = out;
    t->again = next;
    if (!loop.test_below) {
        enter(t, test);
        if (!clang_Cursor_isNull(loop.cond))
            condition(t, loop.cond, body, out);
    }
    enter(t, body);
    statement(t, loop.body);
    enter(t, next);
    if (!clang_Cursor_isNull(loop.step))
        value_of_expression(t, loop.step);
    if (loop.test_below)
        condition(t, loop.cond, body, out);
    else
        source_jump(&t->builder, test);
    enter(t, out);
    t->leave = leave;
    t->again = again;
}

static void if_statement(Transcriber *t, const Cursors *below)
{
    SourceBlock *yes = new_block(t), *no = new_block(t), *join = below->count > 2 ? new_block(t) : no;
    condition(t, below->list[0], yes, no);
    enter(t, yes);
    statement(t, below->list[1]);
    if (below->count > 2) {
        source_jump(&t->builder, join);
        enter(t, no);
        statement(t, below->list[2]);
    }
    enter(t, join);
}

typedef struct {
    Transcriber *t;
    SourceCase *list;
    int count;
    SourceBlock *otherwise;
} Cases;

static enum CXChildVisitResult collect_case(CXCursor c, CXCursor parent, CXClientData data)
{
    Cases *cases = data;
    Transcriber *t = cases->t;
    (void)parent;
    if (c.kind == CXCursor_SwitchStmt)
        return CXChildVisit_Continue;
    if (c.kind != CXCursor_CaseStmt && c.kind != CXCursor_DefaultStmt)
        return CXChildVisit_Recurse;
    SourceBlock *block = new_block(t);
    LIST_ADD(t->u->module, t->cases, t->ncases) = (JumpTarget){c, NULL, block};
    if (c.kind == CXCursor_DefaultStmt) {
        cases->otherwise = block;
        return CXChildVisit_Recurse;
    }
    Cursors below = children(t->u, c);
    SourceCase one = {0, 0, block};
    if (!evaluate_int(below.list[0], &one.low) || !evaluate_int(below.list[below.count == 3], &one.high))
        FAIL(t, c, "the value of a case");
    if (one.low <= one.high) /* else no number is in it */
        LIST_ADD(t->u->module, cases->list, cases->count) = one;
    return CXChildVisit_Recurse;
}

static void switch_statement(Transcriber *t, CXCursor s, const Cursors *below)
{
    SourceBlock *out = new_block(t), *leave = t->leave;
    Cases cases = {t, NULL, 0, out};
    CXCursor body = below->list[below->count - 1];
    const SourceType type = type_of(t, below->list[0]);
    Operand x = scalar_of(t, below->list[0]);
    if (collect_case(body, s, &cases) == CXChildVisit_Recurse)
        clang_visitChildren(body, collect_case, &cases);
    at_cursor(t, s);
    source_switch(&t->builder, type, x, cases.count, cases.list, cases.otherwise);
    t->leave = out;
    statement(t, body);
    enter(t, out);
    t->leave = leave;
}

/* ---- what nobody knows ------------------------------------------------------------------------------------------- */

static bool is_place(CXCursor e)
{
    return e.kind == CXCursor_DeclRefExpr || e.kind == CXCursor_MemberRefExpr ||
           e.kind == CXCursor_ArraySubscriptExpr || e.kind == CXCursor_UnaryOperator;
}

/* libclang shows operands: an output as a place, an input as a value. An input that is a place is taken as both.  */
static void assembler_statement(Transcriber *t, CXCursor s, const Cursors *below)
{
    const Operand none = {.kind = OPERAND_NONE};
    SourceArgument *arguments = arena_alloc(t->u->module, ((size_t)below->count + 1) * sizeof *arguments);
    SourceVariable **outputs = arena_alloc(t->u->module, ((size_t)below->count + 1) * sizeof *outputs);
    int n = 0, noutputs = 0;
    for (int i = 0; i < below->count; i++) {
        CXCursor e = below->list[i];
        if (!clang_isExpression(e.kind))
            continue;
        if (!is_place(e)) {
            arguments[n++] = (SourceArgument){type_of(t, e), scalar_of(t, e), 0};
            continue;
        }
        Spot spot = spot_of(t, e);
        if (spot.variable)
            outputs[noutputs++] = spot.variable;
        else
            arguments[n++] = (SourceArgument){ST_P, spot.address, 0};
    }
    at_cursor(t, s);
    for (int i = 0; i < noutputs; i++)
        source_copy(&t->builder, outputs[i], source_call(&t->builder, outputs[i]->type, "asm", none, n, arguments));
    source_call(&t->builder, ST_V, "asm", none, n, arguments);
}

static enum CXChildVisitResult find_label(CXCursor c, CXCursor parent, CXClientData data)
{
    Cases *cases = data;
    (void)parent;
    if (c.kind != CXCursor_LabelStmt)
        return CXChildVisit_Recurse;
    const SourceCase one = {cases->count, cases->count, cases->otherwise};
    if (cases->otherwise)
        LIST_ADD(cases->t->u->module, cases->list, cases->count) = one;
    cases->otherwise = label_block(cases->t, c);
    return CXChildVisit_Recurse;
}

/* To one of the function's labels.  */
static void computed_goto(Transcriber *t, CXCursor s)
{
    const Operand none = {.kind = OPERAND_NONE};
    Cases cases = {t, NULL, 0, NULL};
    clang_visitChildren(t->cursor, find_label, &cases);
    at_cursor(t, s);
    Operand x = source_call(&t->builder, ST_I32, "goto", none, 0, NULL);
    if (cases.otherwise)
        source_switch(&t->builder, ST_I32, x, cases.count, cases.list, cases.otherwise);
    else
        source_unreachable(&t->builder);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* Of ({ ... }), the value of the last one.  */
Parts statement_list(Transcriber *t, CXCursor compound, bool has_value)
{
    Cursors below = children(t->u, compound);
    Parts value = parts(source_integer(0));
    const int task = t->builder.task;
    for (int i = 0; i < below.count; i++) {
        if (!has_value || i + 1 < below.count || !clang_isExpression(below.list[i].kind)) {
            statement(t, below.list[i]);
            continue;
        }
        transcribe_marks(t, begin_of(below.list[i]));
        value = value_of_expression(t, below.list[i]);
    }
    transcribe_marks(t, end_of(compound));
    t->builder.task = task;
    return value;
}

void statement(Transcriber *t, CXCursor s)
{
    Cursors below = children(t->u, s);
    if (t->function->failed)
        return;
    if (in_text(t->u, s))
        transcribe_marks(t, begin_of(s));
    switch (s.kind) {
    case CXCursor_CompoundStmt:
        statement_list(t, s, false);
        break;
    case CXCursor_DeclStmt:
        for (int i = 0; i < below.count; i++)
            declare_local(t, below.list[i]);
        break;
    case CXCursor_NullStmt:
        break;
    case CXCursor_UnexposedStmt: /* with attributes */
        if (below.count)
            statement(t, below.list[below.count - 1]);
        break;
    case CXCursor_IfStmt:
        if_statement(t, &below);
        break;
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        loop(t, s);
        break;
    case CXCursor_SwitchStmt:
        switch_statement(t, s, &below);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        enter(t, case_block(t, s));
        statement(t, below.list[below.count - 1]);
        break;
    case CXCursor_LabelStmt:
        enter(t, label_block(t, s));
        statement(t, below.list[below.count - 1]);
        break;
    case CXCursor_GCCAsmStmt:
        assembler_statement(t, s, &below);
        break;
    case CXCursor_IndirectGotoStmt:
        computed_goto(t, s);
        break;
    case CXCursor_GotoStmt:
        at_cursor(t, s);
        goto_statement(t, s);
        break;
    case CXCursor_BreakStmt:
        at_cursor(t, s);
        source_jump(&t->builder, t->leave);
        break;
    case CXCursor_ContinueStmt:
        source_jump(&t->builder, t->again);
        break;
    case CXCursor_ReturnStmt:
        return_statement(t, s);
        break;
    default:
        if (clang_isExpression(s.kind))
            value_of_expression(t, s);
        else
            FAIL(t, s, "a statement: %s", text_of(t->u, clang_getCursorKindSpelling(s.kind)));
    }
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

void function_body(Transcriber *t, CXCursor body, bool is_main)
{
    SourceBlock *entry = new_block(t);
    source_place(t->function, entry);
    t->builder.block = entry;
    enter_parameters(t);
    statement(t, body);
    if (!t->builder.block)
        return;
    const bool has_value = t->function->result != ST_V && !source_type_is_aggregate(t->function->result);
    if (is_main && has_value)
        source_return(&t->builder, source_integer(0));
    else if (has_value) /* C leaves open the result of a function that ends without `return` */
        source_unreachable(&t->builder);
    else
        source_return(&t->builder, (Operand){.kind = OPERAND_NONE});
}
