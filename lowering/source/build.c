/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.c - a marked loop of the region IR -> the body and the parameters of a kernel.
 *
 *      func v axpy (i32 n.1, f32 a.2, p x.3, p y.4)     kernel axpy(%n: i32, %a: f32, %x: ptr, %y: ptr) grid(1) {
 *        i.5 = copy.i32 0                                 for %i: i32 = 0, < %n, 1 {
 *        loop { counter i.5 + 1, lt n.1          =>         ...
 *          ...                                            }
 *        }                                              }
 *        return
 *
 * A construct that the builder does not know is refused by its name: nothing is left out, and nothing falls back.
 */
#include <string.h>

#include "build.h"

/* ---- operations -------------------------------------------------------------------------------------------------- */

void build_refuse(Builder *b, Loc loc, const char *construct)
{
    if (!b->kernel->failed)
        reject(b->kernel, loc.line ? loc : b->kernel->loc, REASON_NOT_IN_A_GRID, construct);
}

Value *build_op(Builder *b, Opcode code, Loc loc, Type type, int nargs, Value *const *args)
{
    Op *op = op_new(b->kernel, code, loc, nargs, args);
    Value *result = op_result(b->kernel, op, type, NULL);
    op_append(b->block, op);
    return result;
}

Dtype build_dtype(SourceType type)
{
    switch (type) {
    case ST_B:
        return D_I1;
    case ST_I8:
        return D_I8;
    case ST_U8:
        return D_U8;
    case ST_I16:
        return D_I16;
    case ST_U16:
        return D_U16;
    case ST_U32:
        return D_U32;
    case ST_I64:
        return D_I64;
    case ST_U64:
        return D_U64;
    case ST_F32:
        return D_F32;
    case ST_F64:
        return D_F64;
    default:
        return D_I32;
    }
}

Type build_type_handed(const Value *value)
{
    return value->type.kind == K_SCALAR ? value->type : (Type){K_NONE, D_F32, 0, 0, 0};
}

/* A constant stands in front of everything, once.  */
static Value *literal(Builder *b, Dtype dtype, int64_t integer, double real)
{
    for (int i = 0; i < b->nliterals; i++) {
        const Value *known = b->literals[i];
        const ScalarInfo *scalar = known->def->scalar;
        if (known->type.dtype == dtype && scalar->integer == integer && !memcmp(&scalar->real, &real, sizeof real))
            return b->literals[i];
    }
    Op *op = op_new(b->kernel, OP_CONST, b->kernel->loc, 0, NULL);
    op->scalar->integer = integer;
    op->scalar->real = real;
    Value *value = op_result(b->kernel, op, type_scalar(dtype), NULL);
    Op *before = b->kernel->body->first;
    while (before && before->code == OP_CONST)
        before = before->next;
    if (before)
        op_before(before, op);
    else
        op_append(b->kernel->body, op);
    LIST_ADD(b->module, b->literals, b->nliterals) = value;
    return value;
}

Value *build_integer(Builder *b, Dtype dtype, int64_t value)
{
    return literal(b, dtype, dtype == D_I1 ? value & 1 : ir_wrap(dtype, value), 0);
}

Value *build_real(Builder *b, Dtype dtype, double value)
{
    return literal(b, dtype, 0, value);
}

Value *build_zero(Builder *b, Dtype dtype)
{
    return literal(b, dtype, 0, 0);
}

/* ---- live-ins ---------------------------------------------------------------------------------------------------- */

Value *build_live_in(Builder *b, SourceLiveIn like, Type type, const char *name, Loc loc)
{
    like.value = kernel_param(b->kernel, type, name, loc);
    LIST_ADD(b->module, b->live_ins, b->nlive_ins) = like;
    return like.value;
}

Value *build_read_before(Builder *b, SourceLiveIn like, const char *name, Loc loc)
{
    const bool pointer = !like.nreads || like.read == ST_P;
    like.value = NULL;
    for (int k = 0; k < b->nlive_ins; k++) {
        SourceLiveIn known = b->live_ins[k];
        known.value = NULL;
        if (!memcmp(&known, &like, sizeof like))
            return b->live_ins[k].value;
    }
    const Type type = like.is_number ? type_scalar(D_I64)
                      : pointer      ? type_pointer(D_F32)
                                     : type_scalar(build_dtype(like.read));
    return build_live_in(b, like, type, name, loc);
}

/* Parameters of the outlined function.  */
static void bind_parameters(Builder *b)
{
    for (int i = 0; i < b->function->nparameters; i++) {
        const SourceVariable *variable = b->function->parameters[i];
        const SourceOrigin *origin = &b->outline->origins[i];
        const char *name = variable->declaration.name;
        const SourceLiveIn like = {
            .variable = origin->variable, .argument = origin->argument, .object = origin->object};
        Built *slot = &b->variables[variable->id];
        if (origin->variable && !origin->variable->host && origin->variable->home) {
            const SourceLiveIn part = {.object = origin->variable->home,
                                       .nreads = 1,
                                       .reads = {origin->variable->home_at},
                                       .read = variable->type};
            *slot = (Built){.kind = variable->type == ST_P ? BUILT_ADDRESS : BUILT_SCALAR, .name = name};
            slot->value = build_read_before(b, part, name, variable->declaration.loc);
        } else if (variable->type == ST_P) {
            *slot = (Built){.kind = BUILT_ADDRESS, .name = name};
            slot->value = build_live_in(b, like, type_pointer(D_F32), name, variable->declaration.loc);
            slot->value->declared = origin->object ? origin->object->bytes : 0;
        } else {
            *slot = (Built){.kind = BUILT_SCALAR};
            slot->value =
                build_live_in(b, like, type_scalar(build_dtype(variable->type)), name, variable->declaration.loc);
        }
    }
}

const SourceGlobal *build_global_named(const Builder *b, const char *name)
{
    const SourceGlobal *global = b->function->unit->globals;
    while (global && strcmp(global->name, name))
        global = global->next;
    return global;
}

Built build_global(Builder *b, const char *name)
{
    Built made = {.kind = BUILT_ADDRESS};
    const SourceGlobal *global = build_global_named(b, name);
    made.name = global && global->declaration.name ? global->declaration.name : name;
    for (int i = 0; i < b->nlive_ins && !made.value; i++)
        if (b->live_ins[i].global && !b->live_ins[i].nreads && !b->live_ins[i].behind &&
            !b->live_ins[i].varying_behind && !b->live_ins[i].is_set && !b->live_ins[i].into &&
            !b->live_ins[i].is_number && !b->live_ins[i].is_retyped && !strcmp(b->live_ins[i].global, name))
            made.value = b->live_ins[i].value;
    if (!made.value)
        made.value = build_live_in(b, (SourceLiveIn){.global = name}, type_pointer(D_F32), made.name,
                                   global ? global->declaration.loc : b->kernel->loc);
    made.value->declared = global ? global->bytes : 0;
    return made;
}

static int rank_of(const Builder *b, const SourceLiveIn *live)
{
    const SourceFunction *host = b->outline->host;
    for (int i = 0; live->variable && !live->argument && !live->nreads && !live->behind && !live->varying_behind &&
                    !live->row_bytes && !live->is_number && i < host->nparameters;
         i++)
        if (host->parameters[i] == live->variable)
            return i;
    return host->nparameters;
}

/* In the order of the host's parameters, then as they were found; those that nothing uses go.  */
static void order_live_ins(Builder *b)
{
    Kernel *kernel = b->kernel;
    SourceLiveIn *sorted = arena_alloc(b->module, ((size_t)b->nlive_ins + 1) * sizeof *sorted);
    int n = 0;
    ir_count_uses(kernel, kernel->body);
    for (const Total *total = kernel->grid.totals; total; total = total->next)
        total->base->uses++;
    for (int rank = 0; rank <= b->outline->host->nparameters; rank++)
        for (int i = 0; i < b->nlive_ins; i++)
            if (b->live_ins[i].value->uses && rank_of(b, &b->live_ins[i]) == rank)
                sorted[n++] = b->live_ins[i];
    for (int i = 0; i < n; i++) {
        kernel->params[i] = sorted[i].value;
        sorted[i].value->index = i;
    }
    kernel->nparams = b->nlive_ins = n;
    b->live_ins = sorted;
}

const SourceLiveIn *source_live_in(const SourceKernel *kernel, const Value *value)
{
    for (int i = 0; i < kernel->nall; i++)
        if (kernel->all[i].value == value)
            return &kernel->all[i];
    return NULL;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* Loops over elements: the function reads or writes arrays, and calls no function of ws.h.  */
static bool is_plain(const SourceFunction *function, const Kernel *kernel)
{
    bool arrays = kernel->grid.reductions != NULL, tiles = false;
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            tiles |= build_is_tile_call(i);
            arrays |= i->code == SO_LOAD || i->code == SO_STORE || i->code == SO_MOVE || i->code == SO_ZERO;
        }
    return arrays && !tiles;
}

/* Clauses about loops over elements.  */
static void check_clauses_of(Builder *b, const SourceClauses *clauses)
{
    const bool wrong =
        clauses->kind == DIRECTIVE_GRID
            ? clauses->grid.tile[0] || clauses->grid.precision != PRECISION_F32 || clauses->grid.reductions
            : clauses->pipeline.tile || clauses->pipeline.reductions;
    if (wrong && !b->kernel->failed)
        reject_text(b->kernel, clauses->loc, REASON_CLAUSES_OF_PLAIN,
                    arena_print(b->module, reason_sentence(REASON_CLAUSES_OF_PLAIN),
                                "calls functions of tiles, or writes no array"),
                    "the step of a loop over tiles is the tile; leave the clause out");
}

/* Of the grid and of loops in it.  */
static void check_clauses(Builder *b)
{
    check_clauses_of(b, b->clauses_of(b->context, b->mark));
    for (const SourceBlock *block = b->function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_MARK && b->clauses_of(b->context, i->mark))
                check_clauses_of(b, b->clauses_of(b->context, i->mark));
}

/* A number that differs with a choice, where it is read first.  */
static void refuse_chosen(Builder *b, const SourceVariable *parameter)
{
    const char *name = parameter->declaration.name;
    Loc loc = parameter->declaration.loc;
    bool found = false;
    for (const SourceBlock *block = b->function->blocks; block && !found; block = block->next)
        for (Instruction *i = block->first; i && !found; i = i->next)
            for (int k = 0; k < source_noperands(i) && !found; k++) {
                const Operand *x = source_operand(i, k);
                found = x->kind == OPERAND_VARIABLE && x->variable == parameter;
                loc = found && i->loc.line ? i->loc : loc;
            }
    reject(b->kernel, loc, REASON_CHOICE_BEFORE_GRID, name ? name : "a number");
}

/* What the outlined function has that no kernel has.  */
static void check(Builder *b)
{
    const SourceOutline *outline = b->outline;
    if (outline->endless)
        reject(b->kernel,
               outline->mark >= 0   ? b->clauses_of(b->context, outline->mark)->loc
               : outline->exit.line ? outline->exit
                                    : b->kernel->loc,
               REASON_LOOP_ENDLESS);
    else if (outline->exit.line)
        reject(b->kernel, outline->exit, REASON_LEAVES_LOOP, "grid");
    else if (outline->end && outline->end->symbol)
        build_reject_with(b, build_place(outline->end), REASON_CALL_NO_BODY, "check before the grid",
                          outline->end->symbol);
    else if (!b->kernel->grid.plain)
        check_clauses(b);
    if (!b->kernel->failed)
        build_check(b);
    for (int i = 0; i < outline->norigins && !b->kernel->failed; i++)
        if (outline->origins[i].is_chosen)
            refuse_chosen(b, b->function->parameters[i]);
    if (!b->kernel->failed && outline->devices >= 0)
        source_check_devices(b->kernel, (SourceFunction *)outline->host, outline->devices, outline->header);
}

/* Does a grid of another function stand here, whose arguments all calls in front of it may make?  */
static bool has_handed_grid(const SourceFunction *function)
{
    for (int v = 0; v < function->nvariables; v++)
        if (function->variables[v]->inlined_from)
            return true;
    return false;
}

void source_prepare(SourceFunction *function)
{
    source_find_lost(function->unit);
    source_inline_grids(function);
    source_inline(function, has_handed_grid(function));
    source_take_bytes(function);
    source_expand_complex(function);
    source_name_results(function);
    source_settle(function);
}

void source_settle(SourceFunction *function)
{
    source_simplify(function);
    source_take_bytes(function); /* of a number of bytes that has become a constant */
    source_unroll(function);
    source_promote(function);
    source_begin_scopes(function);
    source_name_results(function);
    source_simplify(function);
}

SourceKernel source_build_kernel(Kernel *kernel, SourceFunction *host, int mark, const Loc *site,
                                 SourceClausesOf *clauses_of, void *context)
{
    Builder builder = {.kernel = kernel, .module = kernel->module, .clauses_of = clauses_of, .context = context};
    Builder *b = &builder;
    const SourceBlock *irreducible = NULL;
    if (host->failed)
        build_refuse(b, host->failed_loc, host->failed);
    b->mark = mark;
    b->outline = kernel->failed ? NULL : source_outline(host, mark, site);
    if (!b->outline) {
        build_refuse(b, kernel->loc, "a grid that is no loop");
        return (SourceKernel){0};
    }
    b->function = b->outline->function;
    kernel->grid.plain = is_plain(b->function, kernel);
    if (!kernel->grid.plain)
        source_make_tables(b->function);
    check(b);
    if (kernel->grid.plain)
        source_hoist_loads(b->function);
    SourceTree *tree = kernel->failed ? NULL : source_structure(b->function, &irreducible);
    if (irreducible)
        build_refuse(b, irreducible->first->loc, "a cycle that is entered at several places");
    if (!tree)
        return (SourceKernel){0};
    source_find_induction(b->function, &tree);
    b->words = b->function->nvariables / 64 + 1;
    b->variables = arena_alloc(b->module, ((size_t)b->function->nvariables + 1) * sizeof *b->variables);
    b->temporaries = arena_alloc(b->module, ((size_t)b->function->ntemporaries + 1) * sizeof *b->temporaries);
    for (const SourcePragma *pragma = host->unit->pragmas; pragma; pragma = pragma->next)
        b->nmarks++;
    b->marks = arena_alloc(b->module, (size_t)b->nmarks + 1);
    b->block = kernel->body;
    b->pipelined = -1;
    b->devices = b->outline->devices;
    bind_parameters(b);
    uint64_t *live = build_set(b);
    if (!kernel->failed)
        build_totals_begin(b, live);
    build_tasks_begin(b, tree);
    build_list(b, tree, live);
    build_tasks_end(b);
    build_totals_end(b);
    if (kernel->failed)
        return (SourceKernel){0};
    build_members(b);
    source_prune(kernel);
    SourceKernel built = {.all = b->live_ins, .nall = b->nlive_ins, .shown = b->shown, .nshown = b->nshown};
    order_live_ins(b);
    built.live_ins = b->live_ins;
    built.nlive_ins = b->nlive_ins;
    return built;
}
