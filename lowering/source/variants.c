/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * variants.c - a grid with choices (choice.h) -> a kernel for each combination of them.
 *
 *      t1 = call.i32 ws_choice_(i32 64, i32 128)        rows.1 = copy.i32 64         kernel f
 *      rows.1 = copy.i32 t1                        =>
 *      t2 = add.i32 m.2, rows.1                         rows.1 = copy.i32 128        kernel f__128
 *      tiles.3 = div.i32 t2, rows.1                     (in a copy of the function for each)
 *
 * The choices of a grid are those that its loop, what it reads of the function around, or its clauses depend on. What
 * depends on a choice is no argument of the launcher, which gets one number for all kernels: each kernel computes it
 * again, or the grid is refused. The kernels have the same parameters.
 */
#include <string.h>

#include "ir/versions.h"
#include "source/kernels.h"

enum { MOST_OF_FUNCTION = 64 };

typedef struct {
    Module *module;
    SourceChoices *choices;
    SourceFunction *host;
    int ids[MOST_OF_FUNCTION], nids; /* the function's choices */
    SourceClausesOf *clauses_of;
    void *context;
} Variants;

/* ---- copies of a function ---------------------------------------------------------------------------------------- */

static Declaration own_sides(const SourceCopy *copy, Module *module, Declaration declaration)
{
    const size_t bytes = (size_t)declaration.ndimensions * sizeof(SourceDimension);
    SourceDimension *dimensions = arena_alloc(module, bytes + sizeof *dimensions);
    if (bytes)
        memcpy(dimensions, declaration.dimensions, bytes);
    for (int i = 0; i < declaration.ndimensions; i++)
        if (dimensions[i].side.kind == OPERAND_VARIABLE)
            dimensions[i].side.variable = copy->variables[dimensions[i].side.variable->id];
    declaration.dimensions = dimensions;
    return declaration;
}

/* An outline moves marks, and is made once of a function.  */
static SourceFunction *copy_of(const SourceFunction *function)
{
    Module *module = function->unit->module;
    SourceFunction *made = arena_alloc(module, sizeof *made);
    *made = *function;
    made->blocks = made->last_block = NULL;
    made->next = NULL;
    made->nblocks = 0;
    SourceCopy copy = {.from = (SourceFunction *)function, .to = made};
    copy.variables = arena_alloc(module, ((size_t)function->nvariables + 1) * sizeof *copy.variables);
    copy.objects = arena_alloc(module, ((size_t)function->nobjects + 1) * sizeof *copy.objects);
    copy.blocks = arena_alloc(module, ((size_t)function->nblocks + 1) * sizeof *copy.blocks);
    made->variables = made->parameters = NULL;
    made->objects = NULL;
    made->nvariables = made->nparameters = made->nobjects = 0;
    for (int i = 0; i < function->nvariables; i++) {
        SourceVariable *own = copy.variables[i] = arena_alloc(module, sizeof *own);
        *own = *function->variables[i];
        LIST_ADD(module, made->variables, made->nvariables) = own;
    }
    for (int i = 0; i < function->nparameters; i++)
        LIST_ADD(module, made->parameters, made->nparameters) = copy.variables[function->parameters[i]->id];
    for (int i = 0; i < function->nvariables; i++)
        copy.variables[i]->declaration = own_sides(&copy, module, copy.variables[i]->declaration);
    for (int i = 0; i < function->nobjects; i++) {
        SourceObject *own = copy.objects[i] = arena_alloc(module, sizeof *own);
        *own = *function->objects[i];
        own->declaration = own_sides(&copy, module, own->declaration);
        LIST_ADD(module, made->objects, made->nobjects) = own;
    }
    for (int i = 0; i < function->nvariables; i++) { /* an object without other uses is in no list */
        const SourceObject *home = copy.variables[i]->home;
        if (home && home->id < function->nobjects && function->objects[home->id] == home)
            copy.variables[i]->home = copy.objects[home->id];
    }
    for (const SourceBlock *block = function->blocks; block; block = block->next) {
        copy.blocks[block->id] = source_block_new(made);
        source_place(made, copy.blocks[block->id]);
    }
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            SourceBlock *to = copy.blocks[block->id];
            source_insert(to, to->last, source_copy_instruction(&copy, i));
        }
    return made;
}

/* ---- which choices there are ------------------------------------------------------------------------------------- */

static bool is_choice(const Instruction *i, bool *is_shape)
{
    *is_shape = i->code == SO_CALL && i->symbol && !strcmp(i->symbol, "ws_choice_shape_");
    return *is_shape || (i->code == SO_CALL && i->symbol && !strcmp(i->symbol, "ws_choice_"));
}

static Loc variable_of(const Instruction *call)
{
    return call->holders ? call->holders->declaration->loc : (Loc){0};
}

/* Gives calls the numbers of their choices. false: one is refused.  */
static bool number_calls(Variants *v, Kernel *kernel)
{
    for (SourceBlock *block = v->host->blocks; block; block = block->next)
        for (Instruction *i = block->first; i; i = i->next) {
            bool is_shape;
            int64_t values[MOST_CHOICE_VALUES];
            if (!is_choice(i, &is_shape))
                continue;
            for (int k = 0; k < i->narguments; k++) {
                if (i->arguments[k].operand.kind != OPERAND_INTEGER || k == MOST_CHOICE_VALUES) {
                    if (k == MOST_CHOICE_VALUES)
                        reject(kernel, i->loc, REASON_CHOICE_VALUES, arena_print(v->module, "%d", MOST_CHOICE_VALUES));
                    else
                        reject(kernel, i->loc, REASON_CHOICE_CONSTANTS);
                    return false;
                }
                values[k] = (int64_t)i->arguments[k].operand.integer;
            }
            const int id = source_choice(v->choices, i->loc, variable_of(i), is_shape, i->narguments, values);
            int at = 0;
            while (at < v->nids && v->ids[at] != id)
                at++;
            if (at < MOST_OF_FUNCTION)
                v->ids[at] = id;
            v->nids += at == v->nids && at < MOST_OF_FUNCTION;
            i->choice = id + 1;
        }
    return true;
}

/* ---- what depends on them ---------------------------------------------------------------------------------------- */

typedef struct {
    const Variants *v;
    SourceFlow *flow;
    uint64_t *variables, *temporaries; /* sets of the function's choices */
    int *assigned;                     /* by variable: how often */
} Sets;

static uint64_t bit_of(const Variants *v, const Instruction *call)
{
    for (int i = 0; i < v->nids; i++)
        if (call->choice == v->ids[i] + 1)
            return (uint64_t)1 << i;
    return 0;
}

static uint64_t set_of(const Sets *s, Operand x)
{
    return x.kind == OPERAND_VARIABLE    ? s->variables[x.variable->id]
           : x.kind == OPERAND_TEMPORARY ? s->temporaries[x.temporary]
                                         : 0;
}

/* Of the conditions that decide whether control comes to the block.  */
static uint64_t set_around(const Sets *s, int block)
{
    uint64_t set = 0;
    for (int x = block; x;) {
        x = s->flow->idom[x];
        Instruction *end = s->flow->order[x]->last;
        for (int k = 0; source_nsuccessors(end) > 1 && k < source_nsuccessors(end); k++) {
            const int to = s->flow->number[(*source_successor(end, k))->id], loop = s->flow->loop[x];
            if (s->flow->npreds[to] == 1 && source_dominates(s->flow, to, block) &&
                (loop < 0 || source_in_loop(s->flow, loop, to)))
                set |= set_of(s, end->args[0]);
        }
    }
    return set;
}

static bool spread(const Sets *s)
{
    bool changed = false;
    for (int b = 0; b < s->flow->n; b++)
        for (Instruction *i = s->flow->order[b]->first; i; i = i->next) {
            uint64_t set = i->choice ? bit_of(s->v, i) : 0;
            for (int k = 0; k < source_noperands(i); k++)
                set |= set_of(s, *source_operand(i, k));
            if (i->code == SO_COPY && s->assigned[i->variable->id] + i->variable->is_parameter > 1)
                set |= set_around(s, b);
            uint64_t *known = i->code == SO_COPY ? &s->variables[i->variable->id]
                              : i->temporary     ? &s->temporaries[i->temporary]
                                                 : NULL;
            changed |= known && (set & ~*known);
            if (known)
                *known |= set;
        }
    return changed;
}

static Sets dependences(const Variants *v)
{
    const SourceFunction *host = v->host;
    Sets sets = {.v = v, .flow = source_flow(v->host)};
    sets.variables = arena_alloc(v->module, ((size_t)host->nvariables + 1) * sizeof *sets.variables);
    sets.temporaries = arena_alloc(v->module, ((size_t)host->ntemporaries + 1) * sizeof *sets.temporaries);
    sets.assigned = arena_alloc(v->module, ((size_t)host->nvariables + 1) * sizeof *sets.assigned);
    for (int b = 0; b < sets.flow->n; b++)
        for (const Instruction *i = sets.flow->order[b]->first; i; i = i->next)
            if (i->code == SO_COPY)
                sets.assigned[i->variable->id]++;
    while (spread(&sets))
        ;
    return sets;
}

/* ---- the choices of a grid --------------------------------------------------------------------------------------- */

typedef struct {
    int *of, count;
} Chosen;

static void add(const Variants *v, Chosen *chosen, int choice)
{
    int at = 0;
    for (int i = 0; i < chosen->count; i++)
        if (chosen->of[i] == choice)
            return;
    LIST_ADD(v->module, chosen->of, chosen->count) = choice;
    while (at < chosen->count - 1 && source_choice_before(v->choices, chosen->of[at], choice))
        at++;
    memmove(chosen->of + at + 1, chosen->of + at, (size_t)(chosen->count - 1 - at) * sizeof *chosen->of);
    chosen->of[at] = choice;
}

static void add_set(const Variants *v, Chosen *chosen, uint64_t set)
{
    for (int i = 0; i < v->nids; i++)
        if (set >> i & 1)
            add(v, chosen, v->ids[i]);
}

static void add_clauses(const Variants *v, Chosen *chosen, int mark)
{
    const SourceClauses *clauses = v->clauses_of(v->context, mark);
    for (int i = 0; clauses && i < clauses->choices.count; i++)
        add(v, chosen, clauses->choices.of[i]);
}

/* In the order of the source.  */
static Chosen choices_of(const Variants *v, int mark, const Loc *site)
{
    Chosen chosen = {0};
    const Sets sets = dependences(v);
    const SourceOutline *outline = source_outline(copy_of(v->host), mark, site);
    if (!outline)
        return chosen;
    add_clauses(v, &chosen, mark);
    for (int i = 0; i < outline->norigins; i++)
        if (outline->origins[i].variable)
            add_set(v, &chosen, sets.variables[outline->origins[i].variable->id]);
    for (const SourceBlock *block = outline->function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            if (i->code == SO_MARK)
                add_clauses(v, &chosen, i->mark);
            else if (i->choice)
                add_set(v, &chosen, bit_of(v, i));
        }
    return chosen;
}

/* The numbers that the choices have, a shape's one by one.  */
static int numbers_of(const Variants *v, const Chosen *chosen, int64_t *numbers)
{
    int count = 0;
    for (int i = 0; i < chosen->count; i++) {
        const SourceChoice *choice = &v->choices->list[chosen->of[i]];
        const int64_t value = choice->values[choice->now];
        for (int part = 0; part < (choice->is_shape ? 3 : 1); part++) {
            const int64_t number = choice->is_shape ? value >> 20 * part & 0xfffff : value;
            if (count < MOST_CHOSEN && (!choice->is_shape || number))
                numbers[count++] = number;
        }
    }
    return count;
}

/* ---- a function with the numbers in it --------------------------------------------------------------------------- */

/* Calls become the numbers that the choices have.  */
static SourceFunction *with_numbers(const Variants *v)
{
    SourceFunction *made = copy_of(v->host);
    for (SourceBlock *block = made->blocks; block; block = block->next)
        for (Instruction **slot = &block->first; *slot;) {
            const Instruction *call = *slot;
            if (!call->choice) {
                slot = &(*slot)->next;
                continue;
            }
            const SourceChoice *choice = &v->choices->list[call->choice - 1];
            for (Instruction *i = call->next; i; i = i->next)
                for (int k = 0; k < source_noperands(i); k++) {
                    Operand *x = source_operand(i, k);
                    if (x->kind == OPERAND_TEMPORARY && x->temporary == call->temporary)
                        *x = source_integer(choice->values[choice->now]);
                }
            *slot = call->next;
        }
    source_settle(made);
    return made;
}

/* ---- one list of parameters -------------------------------------------------------------------------------------- */

static bool same_text(const char *x, const char *y)
{
    return x == y || (x && y && !strcmp(x, y));
}

static bool same_live_in(const SourceKernel *xs, const SourceLiveIn *x, const SourceKernel *ys, const SourceLiveIn *y);

static bool same_number(const SourceKernel *xs, const Value *x, const SourceKernel *ys, const Value *y)
{
    int64_t number, other;
    if (!x || !y)
        return x == y;
    if (!x->def || !y->def) {
        const SourceLiveIn *one = source_live_in(xs, x), *two = source_live_in(ys, y);
        return !x->def && !y->def && one && two && same_live_in(xs, one, ys, two);
    }
    if (ir_constant(x, &number) && ir_constant(y, &other))
        return number == other && x->type.dtype == y->type.dtype;
    if (x->def->code != y->def->code || x->type.dtype != y->type.dtype || x->def->nargs != y->def->nargs)
        return false;
    for (int i = 0; i < x->def->nargs; i++)
        if (!same_number(xs, x->def->args[i], ys, y->def->args[i]))
            return false;
    return x->def->nargs > 0;
}

/* Of two copies of one function.  */
static bool same_live_in(const SourceKernel *xs, const SourceLiveIn *x, const SourceKernel *ys, const SourceLiveIn *y)
{
    const SourceVariable *const variables[2][2] = {{x->variable, y->variable}, {x->total, y->total}};
    for (int i = 0; i < 2; i++)
        if (!same_text(variables[i][0] ? variables[i][0]->text : NULL, variables[i][1] ? variables[i][1]->text : NULL))
            return false;
    if (!same_text(x->object ? x->object->text : NULL, y->object ? y->object->text : NULL) ||
        !same_text(x->global, y->global) || x->nreads != y->nreads || x->read != y->read || x->behind != y->behind ||
        x->devices != y->devices || x->is_set != y->is_set || x->argument != y->argument || x->is_near != y->is_near ||
        x->is_retyped != y->is_retyped || (x->is_retyped && x->value->type.dtype != y->value->type.dtype) ||
        !x->into != !y->into || (x->into && (!same_text(x->into->name, y->into->name) || x->into->op != y->into->op)) ||
        x->value->type.kind != y->value->type.kind || !same_number(xs, x->varying_behind, ys, y->varying_behind))
        return false;
    for (int i = 0; i < x->nreads; i++)
        if (x->reads[i] != y->reads[i] || !same_number(xs, x->varying[i], ys, y->varying[i]))
            return false;
    return true;
}

static const SourceLiveIn *live_in_like(const SourceKernel *xs, const SourceLiveIn *x, const SourceKernel *in)
{
    for (int i = 0; i < in->nlive_ins; i++)
        if (same_live_in(xs, x, in, &in->live_ins[i]))
            return &in->live_ins[i];
    return NULL;
}

/* The parameters of each kernel are those of all, in the order of the first.  */
static void unite(Module *module, Kernel **kernels, SourceKernel *built, int count)
{
    SourceKernel *first = &built[0];
    SourceLiveIn *live_ins = NULL, *all = NULL;
    int nlive_ins = 0, nall = 0;
    for (int i = 0; i < first->nlive_ins; i++)
        LIST_ADD(module, live_ins, nlive_ins) = first->live_ins[i];
    for (int n = 0; n < count; n++) /* bytes are computed of the others' parameters, too */
        for (int i = 0; i < built[n].nall; i++)
            LIST_ADD(module, all, nall) = built[n].all[i];
    first->all = all;
    first->nall = nall;
    first->live_ins = live_ins;
    for (int n = 1; n < count; n++)
        for (int i = 0; i < built[n].nlive_ins; i++) {
            SourceLiveIn like = built[n].live_ins[i];
            if (live_in_like(&built[n], &like, first))
                continue;
            like.value = kernel_param(kernels[0], like.value->type, like.value->name, kernels[0]->loc);
            LIST_ADD(module, live_ins, nlive_ins) = like;
            first->live_ins = live_ins;
            first->nlive_ins = nlive_ins;
        }
    for (int n = 1; n < count; n++) {
        Value **values = arena_alloc(module, ((size_t)first->nlive_ins + 1) * sizeof *values);
        for (int i = 0; i < first->nlive_ins; i++) {
            const SourceLiveIn *like = live_in_like(first, &first->live_ins[i], &built[n]);
            const Value *value = first->live_ins[i].value;
            values[i] = like ? like->value : kernel_param(kernels[n], value->type, value->name, kernels[n]->loc);
        }
        for (int i = 0; i < first->nlive_ins; i++) {
            values[i]->index = i;
            kernels[n]->params[i] = values[i];
        }
        kernels[n]->nparams = first->nlive_ins;
    }
}

/* What depends on a choice is no argument of the launcher.  */
static void mark_chosen(const Variants *v)
{
    const Sets sets = dependences(v);
    for (int i = 0; i < v->host->nvariables; i++)
        v->host->variables[i]->is_chosen |= sets.variables[i] != 0;
}

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

static Kernel *variant_of(Kernel *first, const SourceClauses *clauses, int count, const int64_t *numbers)
{
    Kernel *kernel = kernel_variant(first, count, numbers);
    kernel->c_function = first->c_function;
    kernel->launcher = first->launcher;
    kernel->grid = clauses->grid;
    kernel->grid.loc = kernel->loc;
    kernel->choice.of = NULL; /* a refusal is an error, and no reason to leave the variant out */
    return kernel;
}

SourceKernel source_build_variants(Kernel *first, SourceFunction *host, int mark, const Loc *site,
                                   SourceClausesOf *clauses_of, void *context, SourceChoices *choices, bool all)
{
    Variants variants = {
        .module = first->module, .choices = choices, .host = host, .clauses_of = clauses_of, .context = context};
    Variants *v = &variants;
    SourceKernel none = {0}, *built = NULL;
    Kernel **kernels = NULL;
    int64_t numbers[MOST_CHOSEN];
    int nkernels = 0, nbuilt = 0;
    if (!host->failed && !number_calls(v, first))
        return none;
    const Chosen chosen = !host->failed && choices->count ? choices_of(v, mark, site) : (Chosen){0};
    const long count = source_choice_combinations(choices, chosen.count, chosen.of);
    if (count > MOST_VARIANTS || v->nids == MOST_OF_FUNCTION) {
        reject(first, first->loc, REASON_CHOICE_COMBINATIONS, arena_print(v->module, "%d", MOST_VARIANTS));
        return none;
    }
    if (v->nids && all)
        mark_chosen(v);
    for (long n = 0; n < (all ? count : 1); n++) {
        source_choice_take(choices, chosen.count, chosen.of, n);
        const int nnumbers = numbers_of(v, &chosen, numbers);
        Kernel *kernel = n ? variant_of(first, clauses_of(context, mark), nnumbers, numbers) : first;
        LIST_ADD(v->module, kernels, nkernels) = kernel;
        LIST_ADD(v->module, built, nbuilt) =
            source_build_kernel(kernel, v->nids || count > 1 ? with_numbers(v) : host, mark, site, clauses_of, context);
        if (kernel->failed) {
            first->failed = true;
            break;
        }
        if (count > 1 && all) {
            kernel->choice = (KernelChoice){.of = first->name, .count = nnumbers};
            memcpy(kernel->choice.values, numbers, (size_t)nnumbers * sizeof *numbers);
        }
    }
    source_choice_take(choices, chosen.count, chosen.of, 0);
    if (first->failed)
        return none;
    unite(v->module, kernels, built, nkernels);
    built[0].kernels = kernels;
    built[0].nkernels = nkernels;
    return built[0];
}

Value *source_add_from(const SourceKernel *built)
{
    for (int n = 0; n < built->nkernels; n++)
        built->kernels[n]->grid.from =
            kernel_param(built->kernels[n], type_scalar(D_I64), "from", built->kernels[n]->loc);
    return built->kernels[0]->grid.from;
}

Value *source_add_extent(const SourceKernel *built, int pointer)
{
    for (int n = 0; n < built->nkernels; n++) {
        Kernel *kernel = built->kernels[n];
        Extent *extent = arena_alloc(kernel->module, sizeof *extent);
        extent->base = kernel->params[pointer];
        extent->bytes = kernel_param(kernel, type_scalar(D_I64), NULL, kernel->loc);
        extent->next = kernel->grid.extents;
        kernel->grid.extents = extent;
    }
    return built->kernels[0]->grid.extents->bytes;
}
