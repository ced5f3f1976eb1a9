/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe.c - the unit's functions and variables as region IR, and its pragmas.
 *
 * All functions of the user's files are transcribed, and those of system headers that they call and that have a body.
 * `mark N` stands in front of the statement that pragma N stands before. A task is that of the rest of its block.
 */
#include <string.h>

#include "source/passes.h"
#include "transcribe.h"

/* ---- pragmas ----------------------------------------------------------------------------------------------------- */

/* ws WORD  */
static void add_pragma(Unit *u, unsigned offset, const Tokens *line, void *context)
{
    Transcriber *t = context;
    if (strcmp(line->list[0].text, "ws"))
        return;
    int count = t->nmarks;
    LIST_ADD(u->module, t->tasks, count) = !strcmp(line->list[1].text, "task");
    LIST_ADD(u->module, t->marks, t->nmarks) = offset;
    source_pragma(t->unit, line->list[1].text, false, line->list[0].loc);
}

void transcribe_marks(Transcriber *t, unsigned offset)
{
    for (; t->next_mark < t->nmarks && t->marks[t->next_mark] < offset; t->next_mark++) {
        source_mark(&t->builder, t->next_mark);
        if (t->tasks[t->next_mark])
            t->builder.task = t->next_mark + 1;
    }
}

/* ---- what needs memory ------------------------------------------------------------------------------------------- */

/* The variable of which `&e` takes the address, or a part of it.  */
static CXCursor addressed_variable(Transcriber *t, CXCursor e)
{
    for (;;) {
        Cursors below = children(t->u, e);
        const enum CXUnaryOperatorKind kind =
            e.kind == CXCursor_UnaryOperator ? clang_getCursorUnaryOperatorKind(e) : CXUnaryOperator_Invalid;
        if (e.kind == CXCursor_DeclRefExpr)
            return clang_getCursorReferenced(e);
        const bool passes = e.kind == CXCursor_ParenExpr || (e.kind == CXCursor_UnexposedExpr && below.count == 1) ||
                            e.kind == CXCursor_MemberRefExpr || e.kind == CXCursor_ArraySubscriptExpr ||
                            kind == CXUnaryOperator_Extension || kind == CXUnaryOperator_Real ||
                            kind == CXUnaryOperator_Imag;
        if (!passes || !below.count || canonical(clang_getCursorType(below.list[0])).kind == CXType_Pointer)
            return clang_getNullCursor();
        e = below.list[0];
    }
}

static bool find_addressed(const Unit *u, CXCursor c, void *context)
{
    Transcriber *t = context;
    (void)u;
    if (c.kind != CXCursor_UnaryOperator || clang_getCursorUnaryOperatorKind(c) != CXUnaryOperator_AddrOf)
        return true;
    CXCursor decl = addressed_variable(t, first_child(t, c));
    if (is_variable(decl))
        LIST_ADD(t->u->module, t->addressed, t->naddressed) = clang_getCanonicalCursor(decl);
    return true;
}

/* ---- temporaries that live in several blocks --------------------------------------------------------------------- */

typedef struct {
    SourceBlock **blocks; /* by temporary: where it is made */
    Instruction **makers;
    SourceVariable **variables;
} Temporaries;

static void read_across(SourceFunction *function, const SourceBlock *block, Temporaries *all, Operand *x)
{
    if (x->kind != OPERAND_TEMPORARY || !all->blocks[x->temporary] || all->blocks[x->temporary] == block)
        return;
    SourceVariable **variable = &all->variables[x->temporary];
    if (!*variable)
        *variable = source_keep(function, all->blocks[x->temporary], all->makers[x->temporary]);
    *x = source_of(*variable);
}

/* An operand of a choice, x + (c ? y : z), is made in front of the choice and read behind it: it is a variable.  */
static void split_temporaries(SourceFunction *function)
{
    const size_t count = (size_t)function->ntemporaries + 1;
    Module *module = function->unit->module;
    Temporaries all = {arena_alloc(module, count * sizeof *all.blocks), arena_alloc(module, count * sizeof *all.makers),
                       arena_alloc(module, count * sizeof *all.variables)};
    for (SourceBlock *block = function->blocks; block; block = block->next)
        for (Instruction *one = block->first; one; one = one->next)
            if (one->temporary) {
                all.blocks[one->temporary] = block;
                all.makers[one->temporary] = one;
            }
    for (SourceBlock *block = function->blocks; block; block = block->next)
        for (Instruction *one = block->first; one; one = one->next) {
            for (int i = 0; i < source_noperands(one); i++)
                read_across(function, block, &all, source_operand(one, i));
        }
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void add_parameters(Transcriber *t, CXCursor f)
{
    CXType type = clang_getCursorResultType(f);
    if (is_memory(type)) {
        t->result = source_of(source_parameter(t->function, ST_P, (Declaration){.name = NULL}));
        t->function->result_bytes = (long)clang_Type_getSizeOf(canonical(type));
    }
    const int count = clang_Cursor_getNumArguments(f);
    for (int i = 0; i < count; i++)
        declare_parameter(t, clang_Cursor_getArgument(f, (unsigned)i));
}

static void transcribe_function(Transcriber *t, CXCursor f)
{
    Cursors below = children(t->u, f);
    const char *name = text_of(t->u, clang_getCursorSpelling(f));
    for (const SourceFunction *other = t->unit->functions; other; other = other->next)
        if (!strcmp(other->name, name))
            return;
    t->cursor = f;
    t->locals = NULL;
    t->addressed = NULL;
    t->labels = t->cases = NULL;
    t->nlocals = t->naddressed = t->nlabels = t->ncases = 0;
    t->leave = t->again = NULL;
    t->function = source_function_new(t->unit, name, ST_V, loc_of(t->u, f));
    t->builder = (SourceBuilder){.function = t->function, .loc = t->function->loc};
    t->function->result = source_type(t, clang_getCursorResultType(f), f);
    t->function->is_static = clang_getCursorLinkage(f) != CXLinkage_External;
    t->function->is_inline = clang_Cursor_isFunctionInlined(f);
    t->function->is_variadic = canonical(clang_getCursorType(f)).kind == CXType_FunctionProto &&
                               clang_isFunctionTypeVariadic(canonical(clang_getCursorType(f)));
    if (in_text(t->u, f)) /* pragmas between functions mark nothing */
        while (t->next_mark < t->nmarks && t->marks[t->next_mark] < begin_of(f))
            t->next_mark++;
    each_below(t->u, f, find_addressed, t);
    add_parameters(t, f);
    function_body(t, below.list[below.count - 1], !strcmp(name, "main"));
    split_temporaries(t->function);
    t->function = NULL;
}

typedef struct {
    Transcriber *t;
    CXCursor *wanted;
    int count;
} Called;

static bool note_called(const Unit *u, CXCursor c, void *context)
{
    Called *called = context;
    CXCursor decl = c.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(c) : clang_getNullCursor();
    if (decl.kind != CXCursor_FunctionDecl)
        return true;
    decl = clang_getCursorDefinition(decl);
    if (!clang_Cursor_isNull(decl) && !is_the_users(decl)) {
        for (int i = 0; i < called->count; i++)
            if (clang_equalCursors(called->wanted[i], decl))
                return true;
        LIST_ADD(u->module, called->wanted, called->count) = decl;
    }
    return true;
}

static void transcribe_declaration(Transcriber *t, CXCursor c, Called *called)
{
    if (c.kind == CXCursor_VarDecl && is_the_users(c))
        define_global(t, c);
    if (c.kind != CXCursor_FunctionDecl || !clang_isCursorDefinition(c) || !is_the_users(c))
        return;
    transcribe_function(t, c);
    each_below(t->u, c, note_called, called);
}

SourceUnit *transcribe_unit(Unit *u, FILE *out)
{
    Transcriber t = {.u = u, .unit = source_unit_new(u->module)};
    Called called = {&t, NULL, 0};
    Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
    each_pragma(u, add_pragma, &t);
    for (int i = 0; i < all.count; i++)
        transcribe_declaration(&t, all.list[i], &called);
    for (int i = 0; i < called.count; i++) { /* grows */
        transcribe_function(&t, called.wanted[i]);
        each_below(u, called.wanted[i], note_called, &called);
    }
    for (const SourceFunction *function = t.unit->functions; function; function = function->next) {
        const char *mistake = source_check_function(function);
        if (mistake)
            complain(u, function->loc, NULL, "the region IR of '%s' is wrong: %s", function->name, mistake);
    }
    if (out)
        source_print(t.unit, out, (SourceTextOptions){.places = true, .names = true});
    u->marks = t.marks;
    u->nmarks = t.nmarks;
    return t.unit;
}
