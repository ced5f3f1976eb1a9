/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * entry.c - the kernel of a grid from the region IR, and the C text of its live-ins.
 *
 *   kernel axpy(%n, %x)        ws_launch_axpy (n, x);
 *
 * The call stands in place of the loop. A variable's name means there what it means where the loop begins.
 */
#include <string.h>

#include "source/kernels.h"
#include "transcribe.h"

static const SourceClauses *clauses_of(void *context, int mark)
{
    Unit *u = context;
    for (int i = 0; i < u->npragmas; i++) {
        Pragma *pragma = &u->pragmas[i];
        if (mark >= u->nmarks || pragma->offset != u->marks[mark])
            continue;
        const SourceClauseChoices choices = choices_set(u, pragma);
        SourceClauses *clauses = arena_alloc(u->module, sizeof *clauses);
        *clauses = (SourceClauses){pragma->kind,  pragma->grid,   pragma->pipeline, pragma->task,
                                   pragma->rings, pragma->shares, choices,          pragma->loc};
        pragma->used = true;
        return clauses;
    }
    return NULL;
}

static SourceFunction *function_of(const Unit *u, CXCursor function)
{
    const char *name = text_of(u, clang_getCursorSpelling(function));
    SourceFunction *found = u->regions->functions;
    while (found && strcmp(found->name, name))
        found = found->next;
    return found;
}

static const char *c_type_of(const Value *value)
{
    static const char *const texts[D_COUNT] = {
        [D_F32] = "float",        [D_F64] = "double",        [D_I8] = "signed char",   [D_I16] = "short",
        [D_I32] = "int",          [D_I64] = "long",          [D_U8] = "unsigned char", [D_U16] = "unsigned short",
        [D_U32] = "unsigned int", [D_U64] = "unsigned long", [D_I1] = "_Bool"};
    return value->type.kind == K_PTR ? "const void *" : texts[value->type.dtype];
}

static const char *c_type_of_read(SourceType type)
{
    static const char *const texts[SOURCE_TYPES] = {
        [ST_B] = "_Bool",   [ST_I8] = "signed char",     [ST_U8] = "unsigned char", [ST_I16] = "short",
        [ST_I32] = "int",   [ST_U16] = "unsigned short", [ST_U32] = "unsigned int", [ST_I64] = "long",
        [ST_F32] = "float", [ST_U64] = "unsigned long",  [ST_F64] = "double",       [ST_P] = "void *"};
    return texts[type];
}

static Dtype dtype_of_read(SourceType type)
{
    static const Dtype dtypes[SOURCE_TYPES] = {
        [ST_B] = D_I1,    [ST_I8] = D_I8,   [ST_U8] = D_U8,   [ST_I16] = D_I16, [ST_I32] = D_I32, [ST_U16] = D_U16,
        [ST_U32] = D_U32, [ST_I64] = D_I64, [ST_F32] = D_F32, [ST_U64] = D_U64, [ST_F64] = D_F64, [ST_P] = D_I64};
    return dtypes[type];
}

/* ---- arguments of tensors ---------------------------------------------------------------------------------------- */

/* The text of an argument means the same at the grid, if nothing between changes its variables.  */
typedef struct {
    CXCursor *variables;
    int count;
    unsigned from, to;
    bool changes;
} Between;

static bool note_variable(const Unit *u, CXCursor c, void *context)
{
    Between *between = context;
    if (c.kind == CXCursor_DeclRefExpr)
        LIST_ADD(u->module, between->variables, between->count) = clang_getCursorReferenced(c);
    return true;
}

static bool note_change(const Unit *u, CXCursor c, void *context)
{
    Between *between = context;
    CXCursor target = assigned_by(u, c);
    if (clang_Cursor_isNull(target) && c.kind == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_AddrOf)
        target = children(u, c).list[0];
    if (clang_Cursor_isNull(target) || begin_of(c) < between->from || begin_of(c) >= between->to)
        return true;
    Between named = {0};
    note_variable(u, target, &named);
    each_below(u, target, note_variable, &named);
    for (int i = 0; i < named.count; i++)
        for (int k = 0; k < between->count; k++)
            between->changes |= same_decl(named.variables[i], between->variables[k]);
    return true;
}

/* A loop around the grid that the tensor stands in front of goes on to its end.  */
static bool note_loop(const Unit *u, CXCursor c, void *context)
{
    Between *between = context;
    (void)u;
    if (is_loop(c) && begin_of(c) >= between->from && begin_of(c) < between->to && end_of(c) > between->to)
        between->to = end_of(c);
    return true;
}

/* The C text of an argument of the call that makes a tensor; NULL: it has none that means the same at the grid.  */
static const char *text_of_argument(const Walk *w, const SourceLiveIn *live)
{
    const Unit *u = w->u;
    const bool of_caller = !clang_Cursor_isNull(w->caller) && !live->variable->inlined_from;
    const CXCursor function = of_caller ? w->caller : w->function;
    const unsigned at = begin_of(of_caller ? w->site : w->region);
    const CXCursor decl = variable_in_sight(u, function, at, live->variable->declaration.name);
    const CXCursor init = clang_Cursor_isNull(decl) ? decl : clang_Cursor_getVarDeclInitializer(decl);
    CXCursor callee, call = clang_Cursor_isNull(init) ? init : peel(u, init);
    if (clang_Cursor_isNull(call) || call.kind != CXCursor_CallExpr ||
        strncmp(callee_name(u, call, &callee), "ws_tensor_", 10) || clang_Cursor_getNumArguments(call) < live->argument)
        return NULL;
    const CXCursor argument = clang_Cursor_getArgument(call, (unsigned)live->argument - 1);
    const unsigned begin = begin_of(argument), end = end_of(argument);
    if (!in_text(u, argument) || begin >= end || end > u->size)
        return NULL;
    Between between = {.from = end_of(call), .to = at};
    LIST_ADD(u->module, between.variables, between.count) = decl;
    note_variable(u, argument, &between);
    each_below(u, argument, note_variable, &between);
    each_below(u, function, note_loop, &between);
    each_below(u, function, note_change, &between);
    return between.changes ? NULL : arena_print(u->module, "(%.*s)", (int)(end - begin), u->text + begin);
}

/* ---- live-ins ---------------------------------------------------------------------------------------------------- */

static const char *words_of(Module *module, const SourceGlobal *global)
{
    const char *text = "";
    for (long at = 0; at < global->bytes; at += 8) {
        unsigned long long word = 0;
        for (long k = at; global->initial && k < global->bytes && k < at + 8; k++)
            word |= (unsigned long long)global->initial[k] << 8 * (k - at);
        text = arena_print(module, "%s0x%llx, ", text, word);
    }
    return arena_print(module, "%s0", text);
}

/* The numbers of a variable without a name in sight.  */
static const char *text_of_bytes(Module *module, const SourceGlobal *global)
{
    return arena_print(module, "(const unsigned long long[]){%s}", words_of(module, global));
}

typedef struct {
    const SourceGlobal *global;
    bool found;
} Declared;

static bool is_declared(const Unit *u, CXCursor c, void *context)
{
    Declared *declared = context;
    const Loc *loc = &declared->global->declaration.loc, at = loc_of(u, c);
    declared->found |= c.kind == CXCursor_VarDecl && at.line == loc->line && at.column == loc->column &&
                       !strcmp(at.file, loc->file) &&
                       !strcmp(text_of(u, clang_getCursorSpelling(c)), declared->global->declaration.name);
    return true;
}

static bool is_in_region(const Walk *w, const SourceGlobal *global)
{
    Declared declared = {global, false};
    each_below(w->u, w->region, is_declared, &declared);
    return declared.found;
}

/* The loops alone have the variable: it goes with their call.  */
static const char *text_of_static(Walk *w, const SourceGlobal *global)
{
    int number = 0;
    for (const SourceGlobal *before = w->u->regions->globals; before != global; before = before->next)
        number++;
    const char *name = arena_print(w->u->module, "ws_static_%d_", number);
    if (!global->is_defined || global->relocations || global->is_thread_local)
        return NULL;
    if (!w->statics || !strstr(w->statics, name))
        w->statics = arena_print(w->u->module, "%sstatic unsigned long long %s[] __attribute__((aligned(%d))) = {%s}; ",
                                 w->statics ? w->statics : "", name, global->alignment < 8 ? 8 : global->alignment,
                                 words_of(w->u->module, global));
    return name;
}

/* NULL: the user's text has no name for it.  */
static const char *text_of_root(Walk *w, const SourceLiveIn *live)
{
    for (int i = 0; live->devices && i < w->u->npragmas; i++)
        if (w->u->pragmas[i].offset == w->u->marks[live->devices - 1])
            return w->u->pragmas[i].devices;
    const SourceGlobal *global = live->global ? w->u->regions->globals : NULL;
    while (global && strcmp(global->name, live->global))
        global = global->next;
    const bool numbers = global && global->is_known && global->is_defined && !global->relocations;
    if (global && global->is_table)
        return text_of_bytes(w->u->module, global);
    const char *dot = global ? strchr(global->name, '.') : NULL; /* of one in a function: FUNCTION.NAME */
    const char *own = name_of(w->u, w->function);
    if (dot && (strncmp(global->name, own, (size_t)(dot - global->name)) || own[dot - global->name]))
        return numbers ? text_of_bytes(w->u->module, global) : NULL; /* an inlined function has it */
    if (dot && is_in_region(w, global))
        return text_of_static(w, global);
    if (live->argument)
        return text_of_argument(w, live);
    if (live->variable)
        return live->variable->host ? live->variable->declaration.name : NULL;
    const char *name = live->object ? (live->object->host ? live->object->declaration.name : NULL)
                       : global     ? global->declaration.name
                                    : NULL;
    return name ? arena_print(w->u->module, "(&%s)", name) : NULL;
}

static const char *text_of_live_in(Walk *w, const SourceKernel *built, const SourceLiveIn *live);

/* An integer that is computed of live-ins, or NULL.  */
static const char *text_of_number(Walk *w, const SourceKernel *built, const Value *value)
{
    Module *module = w->u->module;
    const Op *def = value->def;
    const char *type = c_type_of(value), *args[3] = {0};
    int64_t number;
    if (!def) {
        const SourceLiveIn *live = source_live_in(built, value);
        const char *text = live ? text_of_live_in(w, built, live) : NULL;
        return text ? arena_print(module, "(%s)(%s)", type, text) : NULL;
    }
    if (dtype_is_float(value->type.dtype))
        return NULL;
    if (ir_constant(value, &number))
        return arena_print(module, "(%s)%lldL", type, (long long)number);
    for (int i = 0; i < def->nargs && i < 3; i++)
        if (!(args[i] = text_of_number(w, built, def->args[i])))
            return NULL;
    switch (def->code) {
    case OP_SCALAR_CONVERT:
        return arena_print(module, "(%s)(%s)", type, args[0]);
    case OP_SCALAR_SELECT:
        return arena_print(module, "((%s) ? (%s) : (%s))", args[0], args[1], args[2]);
    case OP_SCALAR_MIN:
    case OP_SCALAR_MAX:
        return arena_print(module, "((%s) %s (%s) ? (%s) : (%s))", args[0], def->code == OP_SCALAR_MIN ? "<" : ">",
                           args[1], args[0], args[1]);
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
    case OP_SCALAR_MUL:
        return arena_print(module, "(%s)((unsigned long)(%s) %s (unsigned long)(%s))", type, args[0],
                           op_info[def->code].call, args[1]);
    default:
        return def->nargs == 2
                   ? arena_print(module, "(%s)((%s) %s (%s))", type, args[0], op_info[def->code].call, args[1])
                   : NULL;
    }
}

static const char *moved_by(Walk *w, const SourceKernel *built, const char *text, const Value *bytes)
{
    const char *number = text && bytes ? text_of_number(w, built, bytes) : NULL;
    if (!text || !bytes)
        return text;
    return number ? arena_print(w->u->module, "((char const *)(%s) + %s)", text, number) : NULL;
}

/* How many bytes there are behind a variable, by its clause; NULL: it has none.  */
static const char *bytes_of_extent(const Walk *w, const SourceLiveIn *live)
{
    const char *name = live->variable && live->variable->host ? live->variable->declaration.name : NULL;
    for (const DataArray *array = name ? w->pragma->extents : NULL; array; array = array->next)
        if (!strcmp(name_of(w->u, array->decl), name))
            return array->bytes;
    return NULL;
}

static const char *text_of_row(const Walk *w, const SourceLiveIn *live, const char *text)
{
    const char *bytes = bytes_of_extent(w, live);
    if (!text || !bytes)
        return NULL;
    return live->is_number ? arena_print(w->u->module, "ws_rows_distance_((const void *)(%s), %s, %dL, \"%s\")", text,
                                         bytes, live->row_bytes, live->variable->declaration.name)
                           : arena_print(w->u->module, "ws_rows_base_((const void *)(%s), %s)", text, bytes);
}

static const char *text_of_live_in(Walk *w, const SourceKernel *built, const SourceLiveIn *live)
{
    const char *text = text_of_root(w, live);
    for (int i = 0; text && i < live->nreads; i++) {
        const char *from = moved_by(w, built, text, live->varying[i]);
        text = from ? arena_print(w->u->module, "((%s) ? *(%s const *)((char const *)(%s) + %lld) : 0)", text,
                                  i + 1 < live->nreads ? "void *" : c_type_of_read(live->read), from,
                                  (long long)live->reads[i])
                    : NULL;
    }
    if (text && live->behind)
        text = arena_print(w->u->module, "((char const *)(%s) + %lld)", text, (long long)live->behind);
    text = moved_by(w, built, text, live->varying_behind);
    if (text && live->is_set)
        text = arena_print(w->u->module, "((void const *)(%s) != 0)", text);
    return live->row_bytes ? text_of_row(w, live, text) : text;
}

/* The handle of a sum, whose variable the grid's function has.  */
static const char *handle_of(Walk *w, const SourceLiveIn *live)
{
    const char *name = live->total->declaration.name;
    const CXCursor decl = variable_in_sight(w->u, w->function, begin_of(w->region), name);
    const Reduction *clause = w->kernel->grid.reductions;
    while (clause && strcmp(clause->name, name))
        clause = clause->next;
    if (!clause || clang_Cursor_isNull(decl))
        return NULL;
    const char *handle = arena_print(w->u->module, "ws_total_%d_", w->ntotals);
    CXType type = clang_getCursorType(decl);
    if (is_complex(type)) {
        name = arena_print(w->u->module, "%s %s", live->total->home_at ? "__imag__" : "__real__", name);
        type = part_type(type);
    }
    Dtype dtype = D_I32;
    scalar_type(type, &dtype);
    LIST_ADD(w->u->module, w->totals, w->ntotals) = (TotalOut){clause, false, name, dtype, handle};
    return handle;
}

/* The handle of a sum that goes to an element of a variable in sight.  */
static const char *handle_into(Walk *w, const SourceKernel *built, SourceLiveIn live)
{
    const Reduction *clause = live.into;
    live.into = NULL;
    if (!live.is_near)
        live.varying_behind = live.place;
    const char *text = text_of_live_in(w, built, &live);
    if (!text)
        return NULL;
    const char *handle = arena_print(w->u->module, "ws_total_%d_", w->ntotals);
    const char *place = arena_print(w->u->module, "(*(%s *)(void *)(%s))", c_type_of_read(live.read), text);
    LIST_ADD(w->u->module, w->totals, w->ntotals) = (TotalOut){clause, true, place, dtype_of_read(live.read), handle};
    return handle;
}

static void take_live_ins(Walk *w, const SourceKernel *built)
{
    for (int i = 0; i < built->nlive_ins; i++) {
        const SourceLiveIn *live = &built->live_ins[i];
        const char *text = live->total  ? handle_of(w, live)
                           : live->into ? handle_into(w, built, *live)
                                        : text_of_live_in(w, built, live);
        if (!text && !w->kernel->failed && live->row_bytes)
            reject(w->kernel, live->value->loc, REASON_POINTER_ARRAY_UNKNOWN);
        if (!text && !w->kernel->failed)
            reject(w->kernel, w->kernel->loc, REASON_NOT_IN_A_GRID,
                   arena_print(w->u->module, "the value of '%s' from outside the grid",
                               live->value->name ? live->value->name : "a variable"));
        LIST_ADD(w->u->module, w->livein, w->nlivein) =
            (LiveIn){.text = text ? text : "0",
                     .type = c_type_of(live->value),
                     .of_caller = !clang_Cursor_isNull(w->caller) && !live->global &&
                                  !(live->variable && live->variable->inlined_from),
                     .value = live->value};
    }
}

static void add_live_in(Walk *w, const char *text, Value *value)
{
    LIST_ADD(w->u->module, w->livein, w->nlivein) = (LiveIn){.text = text, .type = "long", .value = value};
}

/* order(from(x)) and extent(x: n).  */
static void add_clauses(Walk *w, const Pragma *pragma, const SourceKernel *built)
{
    if (pragma->from)
        add_live_in(w, pragma->from, source_add_from(built));
    for (const DataArray *array = pragma->extents; array && w->kernel->grid.plain; array = array->next) {
        const bool is_array = is_aggregate(clang_getCursorType(array->decl));
        const char *name = name_of(w->u, array->decl);
        const char *text = is_array ? arena_print(w->u->module, "(&%s)", name) : name;
        int base = -1;
        for (int i = 0; i < w->nlivein; i++)
            if (!strcmp(w->livein[i].text, text))
                base = i;
        if (base < 0) /* the grid does not use the array */
            continue;
        add_live_in(w, array->bytes, source_add_extent(built, base));
    }
}

/* require: a walk without operations.   ensure: its kernel and its live-ins, or an error.  */
void entry_walk(Walk *w, const Pragma *pragma)
{
    Unit *u = w->u;
    const bool handed = !clang_Cursor_isNull(w->caller); /* the function becomes a part of this one */
    const Loc site = handed ? loc_of(u, w->site) : (Loc){0};
    SourceFunction *function = function_of(u, handed ? w->caller : w->function);
    int mark = 0;
    while (mark < u->nmarks && u->marks[mark] != pragma->offset)
        mark++;
    if (!function || mark == u->nmarks) {
        reject(w->kernel, w->kernel->loc, REASON_NOT_IN_A_GRID, "loops that are not read");
        return;
    }
    bool known = false;
    for (int i = 0; i < u->nprepared; i++)
        known |= u->prepared[i] == function;
    if (!known) {
        LIST_ADD(u->module, u->prepared, u->nprepared) = function;
        if (!function->failed)
            source_prepare(function);
    }
    const SourceKernel built = source_build_variants(w->kernel, function, mark, handed ? &site : NULL, clauses_of, u,
                                                     &u->choices, u->module->target != TARGET_SEQUENTIAL);
    take_live_ins(w, &built);
    if (!w->kernel->failed)
        add_clauses(w, pragma, &built);
    for (int i = 0; i < built.nshown && !w->kernel->failed && u->module->target == TARGET_SEQUENTIAL; i++)
        place_shown(w, &built.shown[i]);
}
