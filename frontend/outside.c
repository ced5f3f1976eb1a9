/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outside.c - what stands before a region: constants, tensors, live-ins.
 *
 *   const int bm = 128;                      128
 *   ws_tensor a = ws_tensor_2d (A, ...);     the expression, looked at when the region uses it
 *   int n = f (M);                           n is a live-in
 *
 * A definition is known if it is the last assignment on the one way that leads to the region.
 */
#include <string.h>

#include "frontend.h"

Definition *definition_of(Walk *w, CXCursor decl)
{
    for (int i = 0; i < w->ndefinitions; i++)
        if (same_decl(w->definitions[i].decl, decl))
            return &w->definitions[i];
    return NULL;
}

static void define(Walk *w, CXCursor decl, CXCursor value, bool known)
{
    Definition *definition = definition_of(w, decl);
    if (!definition) {
        definition = &LIST_ADD(w->u->module, w->definitions, w->ndefinitions);
        definition->decl = clang_getCanonicalCursor(decl);
    }
    definition->value = value;
    definition->known = known && !clang_Cursor_isNull(value);
    definition->declared_only = known && clang_Cursor_isNull(value);
}

/* What a statement in front of the region changes in a way that is not followed.  */
static bool forget_one(const Unit *u, CXCursor c, void *context)
{
    Walk *w = context;
    CXCursor target = assigned_by(u, c);
    if (clang_Cursor_isNull(target) && c.kind == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_AddrOf)
        target = children(u, c).list[0];
    if (clang_Cursor_isNull(target))
        return true;
    target = whole_of(u, target);
    while (target.kind == CXCursor_MemberRefExpr || target.kind == CXCursor_ArraySubscriptExpr) {
        Cursors below = children(u, target);
        if (!below.count)
            return true;
        target = peel(u, below.list[0]);
    }
    CXCursor decl = decl_of(u, target);
    if (!clang_Cursor_isNull(decl))
        define(w, decl, clang_getNullCursor(), false);
    return true;
}

static void forget(Walk *w, CXCursor below)
{
    if (clang_Cursor_isNull(below))
        return;
    forget_one(w->u, below, w);
    each_below(w->u, below, forget_one, w);
}

static bool contains(CXCursor outer, CXCursor inner)
{
    return begin_of(outer) <= begin_of(inner) && end_of(inner) <= end_of(outer);
}

static void scan_statement(Walk *w, CXCursor statement)
{
    CXCursor target = is_assignment(statement) ? decl_of(w->u, assigned_by(w->u, statement)) : clang_getNullCursor();
    if (statement.kind == CXCursor_DeclStmt) {
        Cursors declared = children(w->u, statement);
        for (int i = 0; i < declared.count; i++) {
            CXCursor init = clang_Cursor_getVarDeclInitializer(declared.list[i]);
            forget(w, init);
            if (declared.list[i].kind == CXCursor_VarDecl)
                define(w, declared.list[i], init, true);
        }
        return;
    }
    forget(w, statement);
    if (!clang_Cursor_isNull(target))
        define(w, target, children(w->u, statement).list[1], true);
}

/* Down to the region; what a loop around it changes is not known there.  */
static void scan(Walk *w, CXCursor statement)
{
    Cursors below = children(w->u, statement);
    if (clang_equalCursors(statement, w->region))
        return;
    if (statement.kind == CXCursor_ForStmt || statement.kind == CXCursor_WhileStmt || statement.kind == CXCursor_DoStmt)
        forget(w, statement);
    for (int i = 0; i < below.count; i++) {
        if (contains(below.list[i], w->region)) {
            scan(w, below.list[i]);
            return;
        }
        if (statement.kind == CXCursor_CompoundStmt || statement.kind == CXCursor_ForStmt)
            scan_statement(w, below.list[i]);
        else
            forget(w, below.list[i]);
    }
}

static void scan_function(Walk *w, CXCursor function, CXCursor target)
{
    CXCursor region = w->region;
    Cursors below = children(w->u, function);
    w->region = target;
    if (below.count)
        scan(w, below.list[below.count - 1]);
    w->region = region;
}

void outside_scan(Walk *w)
{
    if (!clang_Cursor_isNull(w->caller))
        scan_function(w, w->caller, w->site);
    scan_function(w, w->function, w->region);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What the call hands to a parameter of the region's function, in the caller.  */
static Result handed(Walk *w, int argument)
{
    bool outside = w->outside, in_caller = w->in_caller;
    CXCursor e = clang_Cursor_getArgument(w->site, (unsigned)argument);
    w->outside = w->in_caller = true;
    Result result = eval(w, e);
    w->outside = outside;
    w->in_caller = in_caller;
    return result;
}

/* Which parameter of the region's function, where that becomes a part of another one; or -1.  */
int copied_parameter(const Walk *w, CXCursor decl)
{
    int count = clang_Cursor_isNull(w->caller) || w->in_caller ? 0 : clang_Cursor_getNumArguments(w->function);
    for (int i = 0; i < count; i++)
        if (same_decl(clang_Cursor_getArgument(w->function, (unsigned)i), decl))
            return i;
    return -1;
}

static Value *tensor_before(Walk *w, CXCursor decl, const char *name)
{
    Definition *definition = definition_of(w, decl);
    Frame top = {0, w->function, NULL, NULL, -1, clang_getNullCursor()}, *frame = w->frame;
    if (!definition || !definition->known) {
        refuse(w, decl,
               definition ? "choose the base pointer or an extent instead, and make one tensor from it"
                          : "construct it in the same function, or in one inlined into it",
               definition ? "the tensor '%s' is chosen by a branch or changes in a loop"
                          : "the element type of the tensor '%s' is not visible here",
               name);
        return anything(w, clang_getCursorType(decl));
    }
    bool outside = w->outside;
    Loc where = w->where;
    w->outside = true;
    w->frame = &top;
    Value *value = value_of(w, definition->value);
    w->frame = frame;
    w->outside = outside;
    w->where = where;
    name_value(w, value, name);
    return value;
}

/* The global variable that a local one is a copy of.  */
static const char *alias_of(const Walk *w, const Definition *definition, CXType type)
{
    CXCursor decl = definition && definition->known ? decl_of(w->u, definition->value) : clang_getNullCursor();
    Cursors below = definition && definition->known ? children(w->u, definition->value) : (Cursors){0, NULL};
    if (clang_Cursor_isNull(decl) && below.count == 1)
        decl = decl_of(w->u, below.list[0]);
    if (clang_Cursor_isNull(decl) || clang_getCursorLinkage(decl) == CXLinkage_NoLinkage ||
        clang_getCanonicalType(clang_getCursorType(decl)).kind != clang_getCanonicalType(type).kind)
        return NULL;
    return text_of(w->u, clang_getCursorSpelling(decl));
}

/* A static array of the region, or of a function that is walked in place, is declared again where the launcher is
   called: its name there.  */
static const char *declared_again(Walk *w, CXCursor decl)
{
    const Unit *u = w->u;
    unsigned begin = begin_of(decl), end = end_of(decl), at;
    const char *name = name_of(u, decl);
    clang_getExpansionLocation(clang_getCursorLocation(decl), NULL, NULL, NULL, &at);
    bool simple = in_text(u, decl) && begin < at && at < end && !strncmp(u->text + at, name, strlen(name));
    for (unsigned i = begin; i < at && simple; i++) /* the first of its statement, of a type with a name */
        simple = !strchr(",={;#", u->text[i]);
    for (unsigned i = at; i < end && simple; i++)
        simple = u->text[i] != '#';
    if (!simple) {
        refuse(w, decl, "declare it in front of the function, alone in its declaration",
               "the array '%s' of the grid is no text that can stand before it", name);
        return name;
    }
    const char *again = arena_print(u->module, "ws_table_%d_", w->ntables++);
    w->tables = arena_print(u->module, "%s%.*s%s%.*s; ", w->tables ? w->tables : "", (int)(at - begin), u->text + begin,
                            again, (int)(end - at - strlen(name)), u->text + at + strlen(name));
    return again;
}

/* Static, and not seen where the launcher is called.  */
static bool is_static_inside(const Walk *w, CXCursor decl)
{
    bool before = begin_of(decl) >= begin_of(w->function) && begin_of(decl) < begin_of(w->region);
    return clang_Cursor_getStorageClass(decl) == CX_SC_Static && clang_getCursorLinkage(decl) == CXLinkage_NoLinkage &&
           !before && clang_getCanonicalType(clang_getCursorType(decl)).kind == CXType_ConstantArray &&
           is_constant_object(decl);
}

static Result read_before(Walk *w, CXCursor decl)
{
    const char *name = name_of(w->u, decl);
    CXType type = clang_getCursorType(decl);
    Dtype dtype;
    if (name && is_static_inside(w, decl))
        return (Result){.kind = R_POINTER, .text = declared_again(w, decl), .name = name, .type = type, .decl = decl};
    int copied = copied_parameter(w, decl);
    if (copied >= 0)
        return handed(w, copied);
    name = name ? name : "";
    if (is_tile_type(type)) {
        refuse(w, decl, "load tiles inside the grid", "the tile '%s' comes from outside the grid", name);
        return result_of(anything(w, type));
    }
    if (is_tensor_type(type))
        return result_of(tensor_before(w, decl, name));
    if (clang_getCanonicalType(type).kind == CXType_Record)
        return (Result){
            .kind = R_POINTER, .text = arena_print(w->u->module, "(&%s)", name), .name = name, .type = type};
    if (is_pointer(type))
        return (Result){.kind = R_POINTER,
                        .text = name,
                        .name = name,
                        .type = type,
                        .decl = is_aggregate(type) ? decl : clang_getNullCursor()};
    const Definition *definition = definition_of(w, decl);
    if (is_complex(type) && definition && definition->declared_only)
        return pair_of(literal(w, D_F64, 0, 0), literal(w, D_F64, 0, 0));
    if (is_complex(type))
        return complex_before(w, name, name, type);
    if (!scalar_type(type, &dtype)) {
        refuse(w, decl, "use integers up to 64 bits, float or double", "this type is not supported in a grid");
        return result_of(anything(w, type));
    }
    if (definition && definition->declared_only)
        return result_of(literal(w, dtype, 0, 0));
    const char *ctype = text_of(w->u, clang_getTypeSpelling(clang_getCanonicalType(type)));
    const char *alias = alias_of(w, definition, type);
    for (int i = 0; alias && i < w->nlivein; i++)
        if (!strcmp(w->livein[i].text, alias) && w->livein[i].of_caller == w->in_caller)
            return result_of(w->livein[i].value);
    bool branched = definition && definition->known && is_branched(w->u, definition->value);
    Value *value = live_in(w, name, ctype, type_scalar(dtype), branched ? NULL : name, parameter_rank(w, name));
    for (int i = 0; i < w->nlivein; i++)
        if (w->livein[i].value == value) {
            w->livein[i].uid = begin_of(decl) + 1;
            w->livein[i].alias = alias;
        }
    return result_of(value);
}

/* require: a variable of the region's function, or of the file, that the region leaves alone.  */
Result outside_read(Walk *w, CXCursor decl)
{
    for (int i = 0; i < w->nreads; i++)
        if (same_decl(w->reads[i].decl, decl))
            return w->reads[i].result;
    Result result = read_before(w, decl);
    LIST_ADD(w->u->module, w->reads, w->nreads) = (Read){clang_getCanonicalCursor(decl), result};
    return result;
}

/* ---- as C text --------------------------------------------------------------------------------------------------- */

static const char *operation_text(Walk *w, const Value *value)
{
    const Op *op = value->def;
    const char *sign = op->code == OP_SCALAR_ADD   ? "+"
                       : op->code == OP_SCALAR_SUB ? "-"
                       : op->code == OP_SCALAR_MUL ? "*"
                       : op->code == OP_SCALAR_DIV ? "/"
                       : op->code == OP_SCALAR_REM ? "%"
                       : op->code == OP_SCALAR_EQ  ? "=="
                       : op->code == OP_SCALAR_NE  ? "!="
                       : op->code == OP_SCALAR_LT  ? "<"
                       : op->code == OP_SCALAR_LE  ? "<="
                       : op->code == OP_SCALAR_GT  ? ">"
                       : op->code == OP_SCALAR_GE  ? ">="
                                                   : NULL;
    const char *x = value_text(w, op->args[0]);
    if (op->code == OP_SCALAR_CONVERT && x)
        return arena_print(w->u->module, "(%s)%s", dtype_is_signed(value->type.dtype) ? "long" : "unsigned long", x);
    const char *y = sign ? value_text(w, op->args[1]) : NULL;
    return x && y ? arena_print(w->u->module, "(%s %s %s)", x, sign, y) : NULL;
}

/* The C text of what is known before the region; NULL: it is not.  */
const char *value_text(Walk *w, const Value *value)
{
    int64_t known;
    if (ir_constant(value, &known))
        return arena_print(w->u->module, "%ldL", (long)known);
    for (int i = 0; i < w->nlivein; i++)
        if (w->livein[i].value == value)
            return w->livein[i].text;
    return value->def && value->def->nargs ? operation_text(w, value) : NULL;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* Numbers all the way down.  */
static bool is_of_numbers(CXType type)
{
    Dtype dtype;
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_ConstantArray)
        return clang_getArraySize(type) <= 64 && is_of_numbers(clang_getArrayElementType(type));
    return type.kind == CXType_Record ? bytes_of(type) <= 512 : scalar_type(type, &dtype);
}

/* The variable that an object of numbers becomes, with what it was initialized with; -1 for others.  */
static int settle(Walk *w, CXCursor decl, CXCursor init)
{
    CXType type = clang_getCursorType(decl);
    init = clang_Cursor_isNull(init) ? init : peel(w->u, init);
    if (!is_aggregate(type) || !is_of_numbers(type) ||
        (init.kind != CXCursor_InitListExpr && init.kind != CXCursor_CompoundLiteralExpr))
        return -1;
    bool failed = w->failed;
    int variable = variable_new(w, decl, type, false);
    w->outside = w->failed = true; /* in silence: then it is only not known */
    initialize(w, variable, type, 0, init);
    w->outside = false;
    w->failed = failed;
    for (int i = 0; i < w->nslots; i++) {
        if (w->slots[i].variable != variable)
            continue;
        Result result = slot_read(w, i);
        if (result.kind != R_VALUE)
            w->variables[variable].decl = clang_getNullCursor();
        LIST_ADD(w->u->module, w->settled, w->nsettled) = (Settled){i, result};
    }
    return variable;
}

static void read_object(Walk *w, const Definition *definition)
{
    if (definition->known && variable_find(w, definition->decl) < 0)
        settle(w, definition->decl, definition->value);
}

/* Those that the region changes are variables of it from the first.  */
void outside_objects(Walk *w)
{
    int count = w->ndefinitions;
    for (int i = 0; i < count; i++)
        if (count_assignments(w->u, w->region, w->definitions[i].decl))
            read_object(w, &w->definitions[i]);
}

bool is_constant_object(CXCursor decl)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(decl));
    bool constant = clang_isConstQualifiedType(type); /* of an array it stands outside or with the elements */
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
        type = clang_getCanonicalType(clang_getArrayElementType(type));
        constant |= clang_isConstQualifiedType(type) != 0;
    }
    bool lasts =
        clang_getCursorLinkage(decl) != CXLinkage_NoLinkage || clang_Cursor_getStorageClass(decl) == CX_SC_Static;
    return lasts && constant && !clang_isVolatileQualifiedType(type);
}

/* The variable of an object that the program never changes, in no frame's sight; or -1.  */
int outside_constant(Walk *w, CXCursor decl)
{
    Frame nobody = {-1, w->function, NULL, NULL, -1, clang_getNullCursor()}, *frame = w->frame;
    if (!is_constant_object(decl))
        return -1;
    w->frame = &nobody;
    int variable = variable_find(w, decl);
    if (variable < 0)
        variable = settle(w, decl, clang_Cursor_getVarDeclInitializer(clang_getCursorDefinition(decl)));
    w->frame = frame;
    return variable;
}

/* The others when they are asked for, as the plugin does; in sight of every path.  */
void outside_object(Walk *w, CXCursor decl)
{
    const Definition *definition = variable_find(w, decl) < 0 && w->frame->id == 0 ? definition_of(w, decl) : NULL;
    if (definition && !count_assignments(w->u, w->region, decl))
        read_object(w, definition);
}
