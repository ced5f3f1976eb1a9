/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clause.c - libclang's side of the grammar of pragmas: the meaning of names, errors, and expressions as C text.
 *
 *   pipeline(4, 2) schedule(fine)        depth 4, in flight 2, fine
 *   copy(x[0:n])                         base x, first 0L * (long)sizeof(x[0]), bytes (long)n * (long)sizeof(x[0])
 */
#include <string.h>

#include "frontend.h"
#include "source/kernels.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* What a pragma sees.  */
typedef struct {
    Unit *u;
    CXCursor function;
    unsigned offset;
} View;

typedef struct {
    const char *name;
    unsigned before;
    CXCursor found;
} Named;

static bool find_named(const Unit *u, CXCursor c, void *context)
{
    Named *named = context;
    bool fits = c.kind == CXCursor_EnumConstantDecl || c.kind == CXCursor_VarDecl;
    if (fits && !strcmp(text_of(u, clang_getCursorSpelling(c)), named->name) && begin_of(c) < named->before)
        named->found = c;
    return true;
}

/* The value of an enumerator, or of a variable that is const and has a constant for its value.  */
static bool named_constant(const View *view, const char *name, int64_t *value)
{
    const Unit *u = view->u;
    Named named = {name, view->offset, clang_getNullCursor()};
    each_below(u, view->function, find_named, &named);
    if (clang_Cursor_isNull(named.found)) {
        Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
        for (int i = 0; i < all.count; i++) {
            find_named(u, all.list[i], &named);
            if (all.list[i].kind == CXCursor_EnumDecl)
                each_below(u, all.list[i], find_named, &named);
        }
    }
    if (named.found.kind == CXCursor_EnumConstantDecl) {
        *value = clang_getEnumConstantDeclValue(named.found);
        return true;
    }
    return named.found.kind == CXCursor_VarDecl && clang_isConstQualifiedType(clang_getCursorType(named.found)) &&
           evaluate_int(clang_Cursor_getVarDeclInitializer(named.found), value);
}

static bool has_size(CXType type)
{
    type = clang_getCanonicalType(type);
    return type.kind != CXType_Void && type.kind != CXType_FunctionProto && type.kind != CXType_FunctionNoProto &&
           clang_Type_getSizeOf(type) != CXTypeLayoutError_Incomplete;
}

static NameKind kind_of(CXType type)
{
    type = clang_getCanonicalType(type);
    if (is_integer(type))
        return type.kind == CXType_Long ? NAME_LONG : NAME_INTEGER;
    const bool pointer = type.kind == CXType_Pointer;
    if (!is_pointer(type) || !has_size(pointer ? clang_getPointeeType(type) : clang_getArrayElementType(type)))
        return NAME_OTHER;
    return pointer || type.kind == CXType_IncompleteArray ? NAME_POINTER : NAME_ARRAY;
}

static NameKind resolve(void *context, const Token *name, bool constant, int64_t *value, Loc *declared)
{
    const View *view = context;
    if (named_constant(view, name->text, value))
        return NAME_CONSTANT;
    CXCursor decl = variable_in_sight(view->u, view->function, view->offset, name->text);
    if (clang_Cursor_isNull(decl))
        return NAME_UNKNOWN;
    *declared = loc_of(view->u, decl);
    declared->host = begin_of(decl) + 1;
    if (constant && view->u->regions && clang_isConstQualifiedType(clang_getCursorType(decl)) &&
        source_chosen_number(&view->u->choices, view->u->regions, loc_of(view->u, decl), value))
        return NAME_CONSTANT;
    return kind_of(clang_getCursorType(decl));
}

/* In a C++ caller, which has no kernels, a choice is its first value.  */
static int64_t value_of_choice(void *context, Loc loc, bool shape, int count, const int64_t *values)
{
    const View *view = context;
    SourceChoices *choices = &view->u->choices;
    if (!view->u->regions)
        return values[0];
    if (count > MOST_CHOICE_VALUES) {
        complain(view->u, loc, "make fewer kernels", "a choice has at most %d values", MOST_CHOICE_VALUES);
        count = MOST_CHOICE_VALUES;
    }
    return source_choice_value(choices, source_choice(choices, loc, (Loc){0}, shape, count, values));
}

static void report(void *context, Loc loc, Reason reason, const char *sentence, const char *remedy, const char *meant)
{
    const View *view = context;
    (void)reason, (void)meant;
    complain(view->u, loc, *remedy ? remedy : NULL, "%s", sentence);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* So many elements, in bytes.  */
static const char *bytes_text(Module *module, const char *array, const Expression *count)
{
    return count ? arena_print(module, "(%s) * (long)sizeof(%s[0])", expression_text(module, count), array) : "0L";
}

static void add_array(const View *view, int kind, const Argument *argument, DataArray **end)
{
    Module *module = view->u->module;
    DataArray *array = arena_alloc(module, sizeof *array);
    while (*end)
        end = &(*end)->next;
    *end = array;
    array->kind = kind;
    array->name = argument->name;
    array->decl = variable_in_sight(view->u, view->function, view->offset, argument->name);
    array->first = bytes_text(module, array->name, argument->first);
    array->bytes = argument->count ? bytes_text(module, array->name, argument->count)
                                   : arena_print(module, "(long)sizeof %s", array->name);
}

static void read_expressions(const View *view, const Clause *clause, Pragma *pragma)
{
    for (const Argument *i = clause->arguments; i; i = i->next) {
        if (clause->kind == CLAUSE_GRID_EXTENT)
            add_array(view, 0, i, &pragma->extents);
        else if (pragma->kind == DIRECTIVE_DATA)
            add_array(view, clause->kind - CLAUSE_DATA_COPY, i, &pragma->arrays);
        else if (pragma->kind == DIRECTIVE_UPDATE)
            add_array(view, clause->kind == CLAUSE_UPDATE_HOST, i, &pragma->arrays);
        else if (clause->kind == CLAUSE_GRID_ORDER && i->arguments && i->arguments->count)
            pragma->from = expression_text(view->u->module, i->arguments->count);
    }
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */

static void set_clauses(Module *module, const Directive *directive, Pragma *pragma)
{
    const Argument *first = directive->arguments;
    pragma->kind = directive->kind;
    if (directive->kind == DIRECTIVE_GRID)
        directive_grid(module, directive, &pragma->grid);
    else
        directive_pipeline(module, directive, &pragma->pipeline);
    if (directive->kind == DIRECTIVE_TASK)
        directive_task(directive, &pragma->task);
    if (directive->kind == DIRECTIVE_DEVICES)
        pragma->devices = first->name ? first->name : arena_print(module, "%d", (int)first->number);
    pragma->rings = directive_rings(module, directive);
    pragma->shares = directive_shares(module, directive);
}

static bool read_once(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma)
{
    View view = {u, function, pragma->offset};
    const PragmaHost host = {u->module, &view, resolve, value_of_choice, report};
    Directive directive;
    if (!pragma_read(&host, tokens, &directive))
        return false;
    set_clauses(u->module, &directive, pragma);
    for (const Clause *clause = directive.clauses; clause; clause = clause->next)
        read_expressions(&view, clause, pragma);
    return true;
}

/* require: the tokens behind `ws` of a pragma in a function, and its offset.   ensure: its clauses, or an error.  */
bool clauses_read(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma)
{
    u->choices.module = u->module;
    source_choices_begin(&u->choices);
    if (!read_once(u, function, tokens, pragma))
        return false;
    choices_read(u, function, tokens, pragma, read_once);
    return true;
}
