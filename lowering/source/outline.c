/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outline.c - a marked loop becomes a function of its own.
 *
 *      func v f (i32 n.1, p y.2)                      func v f (i32 n.1, p y.2)
 *      B0:                                            B0:
 *        t1 = add.i32 n.1, 1                            t1 = add.i32 n.1, 1
 *        i.3 = copy.i32 t1                              i.3 = copy.i32 t1
 *        call.v g(p y.2)                                jump B1
 *        jump B1                            =>        B1:
 *      B1:                                              t2 = lt.i32 i.3, 9
 *        t2 = lt.i32 i.3, 9                             branch t2, B2, B3
 *        branch t2, B2, B3                            B2:
 *      B2:                                              mark 0
 *        mark 0                                         ...
 *        ...                                            jump B1
 *        jump B1                                      B3:
 *      B3: ...                                          return
 *
 * The parameters are what the loop reads of the function around it. A constant is no parameter, nor is the start of a
 * variable that the loop assigns: the entry block computes it again, as far as values follow from variables that hold
 * the same where the loop begins. A tensor is made again, too. A variable without a place in the user's text, as passes
 * make them, is computed again in all cases, unless it is a part of an object there.
 *
 * A mark of a loop in the loop stands at the start of that loop's body.
 */
#include <string.h>

#include "source/kernels.h"

/* A parameter that has the value of a temporary of the host's.  */
typedef struct {
    int block, temporary;
    SourceVariable *parameter;
} Argued;

typedef struct {
    SourceFunction *host, *made;
    Module *module;
    SourceFlow *flow;
    SourceLive live;
    int header;
    SourceOutline *outline;
    SourceVariable **variables; /* by id of the host: in the outlined function, or NULL */
    SourceVariable **addresses; /* by id of an object: its address, or NULL */
    SourceObject **objects;     /* by id: an object of the loop's own, or NULL */
    bool *assigned;             /* by id: the loop assigns the variable */
    SourceBlock *entry;
    bool reads;        /* a load that gives the same is made again */
    Argued *arguments; /* of tensors, that are parameters */
    int narguments;
} Outliner;

/* ---- the value of a variable where the loop begins --------------------------------------------------------------- */

/* An assignment, and the block with it.  */
typedef struct {
    Instruction *copy;
    int block;
} Assignment;

static Instruction *last_copy(const Outliner *o, int b, const SourceVariable *variable)
{
    Instruction *found = NULL;
    for (Instruction *i = o->flow->order[b]->first; i; i = i->next)
        if (i->code == SO_COPY && i->variable == variable)
            found = i;
    return found;
}

/* Blocks on the ways from block `from` to the loop, without it. Another loop around adds the loop's own blocks.  */
static bool *blocks_between(const Outliner *o, int from)
{
    bool *between = arena_alloc(o->module, (size_t)o->flow->n * sizeof *between);
    int *work = arena_alloc(o->module, (size_t)(o->flow->n + 1) * sizeof *work), n = 0;
    for (int i = 0; i < o->flow->npreds[o->header]; i++) {
        const int p = o->flow->preds[o->header][i];
        if (p != from && !source_in_loop(o->flow, o->header, p) && !between[p]) {
            between[p] = true;
            work[n++] = p;
        }
    }
    while (n) {
        const int b = work[--n];
        for (int i = 0; i < o->flow->npreds[b]; i++) {
            const int p = o->flow->preds[b][i];
            if (p != from && !between[p]) {
                between[p] = true;
                work[n++] = p;
            }
        }
    }
    return between;
}

static bool assigns(const Outliner *o, const bool *between, const SourceVariable *variable)
{
    for (int b = 0; b < o->flow->n; b++)
        if (between[b] && last_copy(o, b, variable))
            return true;
    return false;
}

/* The one assignment whose value the variable has where the loop begins, on all ways to it.  */
static bool assignment_of(const Outliner *o, const SourceVariable *variable, Assignment *found)
{
    for (int b = o->header; b;) {
        b = o->flow->idom[b];
        found->copy = last_copy(o, b, variable);
        found->block = b;
        if (found->copy)
            return !assigns(o, blocks_between(o, b), variable);
    }
    return false;
}

/* Does the variable hold the same behind the instruction and where the loop begins?  */
static bool keeps_value(const Outliner *o, const SourceVariable *variable, int block, const Instruction *from)
{
    for (const Instruction *i = from; i; i = i->next)
        if (i->code == SO_COPY && i->variable == variable)
            return false;
    return !assigns(o, blocks_between(o, block), variable);
}

/* ---- values that are computed again ------------------------------------------------------------------------------ */

bool source_makes_tensor(const Instruction *call)
{
    return call->code == SO_CALL && call->symbol && call->type == ST_P &&
           (!strncmp(call->symbol, "ws_tensor_", 10) || !strncmp(call->symbol, "ws_slice", 8) ||
            !strncmp(call->symbol, "ws_box_", 7));
}

/* A mistake that the macros of <ws.h> have found.  */
static bool is_marked(const Instruction *call)
{
    return call->code == SO_CALL && call->symbol && !strncmp(call->symbol, "ws_bad_", 7);
}

/* Does it read a parameter that is an aggregate, which the user's object goes on to hold?  */
static bool reads_parameter(const SourceBlock *block, const Instruction *load)
{
    Operand x = load->args[0];
    for (const Instruction *made; x.kind == OPERAND_TEMPORARY; x = made->args[0]) {
        made = source_maker(block->first, x);
        if (!made || made->code != SO_ADD || made->args[1].kind != OPERAND_INTEGER)
            return false;
    }
    return x.kind == OPERAND_VARIABLE && x.variable->type == ST_S && x.variable->home && !load->is_volatile;
}

static bool can_repeat(const SourceBlock *block, const Instruction *instruction)
{
    return source_makes_tensor(instruction) || is_marked(instruction) ||
           (source_op_form(instruction->code) == FORM_LOAD ? reads_parameter(block, instruction)
                                                           : source_is_pure(instruction));
}

static bool writes(const Instruction *first)
{
    for (const Instruction *i = first; i; i = i->next) {
        const SourceForm form = source_op_form(i->code);
        if (form == FORM_STORE || form == FORM_MOVE || form == FORM_ZERO || i->is_volatile ||
            (form == FORM_CALL && !source_is_pure(i) && !source_makes_tensor(i)))
            return true;
    }
    return false;
}

/* Does the load give the same where the loop begins?  */
static bool reads_the_same(const Outliner *o, int block, const Instruction *load)
{
    if (load->code != SO_LOAD || load->is_volatile || writes(load->next))
        return false;
    const bool *between = blocks_between(o, block);
    for (int b = 0; b < o->flow->n; b++)
        if (between[b] && writes(o->flow->order[b]->first))
            return false;
    return true;
}

static SourceVariable *variable_at_entry(Outliner *o, SourceVariable *variable);

static SourceVariable *own_variable(Outliner *o, SourceVariable *variable, bool parameter)
{
    SourceVariable **own = &o->variables[variable->id];
    if (*own)
        return *own;
    if (parameter) {
        *own = source_parameter(o->made, variable->type, variable->declaration);
        LIST_ADD(o->module, o->outline->origins, o->outline->norigins) =
            (SourceOrigin){.variable = variable, .is_chosen = variable->is_chosen};
    } else
        *own = source_variable(o->made, variable->type, variable->declaration);
    return *own;
}

/* The user's variable that holds the temporary of the block where the loop begins, and that something behind reads.  */
static SourceVariable *holder_of(const Outliner *o, int block, Operand x)
{
    const uint64_t *live = o->live.in + (size_t)o->header * (size_t)o->live.words;
    const Instruction *i = x.kind == OPERAND_TEMPORARY ? o->flow->order[block]->first : NULL;
    for (; i; i = i->next)
        if (i->code == SO_COPY && i->args[0].kind == OPERAND_TEMPORARY && i->args[0].temporary == x.temporary &&
            i->variable->host && !i->variable->is_chosen && !o->assigned[i->variable->id] &&
            source_is_live(live, i->variable) && keeps_value(o, i->variable, block, i->next))
            return i->variable;
    return NULL;
}

/* Can the operand of an instruction in front of the loop be computed again where the loop begins?  */
static bool is_repeatable(Outliner *o, int block, const Instruction *at, Operand x, int depth)
{
    const SourceBlock *home = o->flow->order[block];
    if (x.kind == OPERAND_VARIABLE) {
        Assignment from;
        if (x.variable->type == ST_S)
            return x.variable->home != NULL;
        if (!keeps_value(o, x.variable, block, at))
            return false;
        if ((x.variable->host || x.variable->home) && !o->assigned[x.variable->id])
            return true;
        if (depth > 24 || !assignment_of(o, x.variable, &from))
            return false;
        return is_repeatable(o, from.block, from.copy->next, from.copy->args[0], depth + 1);
    }
    if (x.kind != OPERAND_TEMPORARY || holder_of(o, block, x))
        return true;
    Instruction *made = source_maker(home->first, x);
    if (!made || depth > 24 || !(can_repeat(home, made) || (o->reads && reads_the_same(o, block, made))))
        return false;
    for (int i = 0; i < source_noperands(made); i++)
        if (!is_repeatable(o, block, made, *source_operand(made, i), depth + 1))
            return false;
    return true;
}

static void emit(Outliner *o, Instruction *instruction)
{
    source_insert(o->entry, o->entry->last, instruction);
}

static SourceVariable *address_at_entry(Outliner *o, SourceObject *object)
{
    SourceVariable **own = &o->addresses[object->id];
    if (*own)
        return *own;
    *own = source_parameter(o->made, ST_P, object->declaration);
    LIST_ADD(o->module, o->outline->origins, o->outline->norigins) = (SourceOrigin){.object = object};
    return *own;
}

static Operand repeat(Outliner *o, int block, Operand x)
{
    if (x.kind == OPERAND_VARIABLE && x.variable->type == ST_S)
        return source_of(address_at_entry(o, (SourceObject *)x.variable->home));
    if (x.kind == OPERAND_VARIABLE)
        return source_of(variable_at_entry(o, x.variable));
    if (x.kind != OPERAND_TEMPORARY)
        return x;
    const Instruction *made = source_maker(o->flow->order[block]->first, x);
    SourceVariable *holder = source_makes_tensor(made) ? NULL : holder_of(o, block, x);
    if (holder)
        return source_of(variable_at_entry(o, holder));
    if (made->code == SO_ADDR)
        return source_of(address_at_entry(o, made->object));
    const SourceCopy copy = {.from = o->host, .to = o->made};
    Instruction *again = source_copy_instruction(&copy, made);
    for (int i = 0; i < source_noperands(again); i++) {
        Operand *operand = source_operand(again, i);
        *operand = repeat(o, block, *operand);
    }
    again->temporary = ++o->made->ntemporaries;
    emit(o, again);
    return (Operand){.kind = OPERAND_TEMPORARY, .temporary = again->temporary};
}

/* Does the operand differ with a choice?  */
static bool is_chosen(const SourceBlock *block, Operand x, int depth)
{
    Instruction *made = source_maker(block->first, x);
    if (x.kind == OPERAND_VARIABLE)
        return x.variable->is_chosen;
    for (int k = 0; made && depth < 24 && k < source_noperands(made); k++)
        if (is_chosen(block, *source_operand(made, k), depth + 1))
            return true;
    return false;
}

/* An argument of the call that makes the user's tensor is a parameter if it cannot be computed again. An extension
   of one stays an instruction.  */
static Operand argument_at_entry(Outliner *o, SourceVariable *tensor, int block, const Instruction *call, int k)
{
    const SourceArgument *argument = &call->arguments[k];
    const Instruction *made = source_maker(o->flow->order[block]->first, argument->operand);
    const bool extends = made && made->code == SO_CONV && made->from == ST_I32 && argument->type == ST_I64;
    const Operand x = extends ? made->args[0] : argument->operand;
    const SourceType type = extends ? ST_I32 : argument->type;
    SourceVariable *own = NULL;
    for (int i = 0; i < o->narguments && x.kind == OPERAND_TEMPORARY; i++)
        if (o->arguments[i].block == block && o->arguments[i].temporary == x.temporary &&
            o->arguments[i].parameter->type == type)
            own = o->arguments[i].parameter;
    if (!own) {
        Declaration declaration = {.loc = call->loc};
        const Instruction *first = source_maker(o->flow->order[block]->first, x);
        if (first && first->holders)
            declaration.name = first->holders->declaration->name;
        own = source_parameter(o->made, type, declaration);
        LIST_ADD(o->module, o->outline->origins, o->outline->norigins) =
            (SourceOrigin){.variable = tensor, .argument = k + 1, .is_chosen = is_chosen(o->flow->order[block], x, 0)};
        LIST_ADD(o->module, o->arguments, o->narguments) =
            (Argued){block, x.kind == OPERAND_TEMPORARY ? x.temporary : 0, own};
    }
    if (!extends)
        return source_of(own);
    const SourceCopy copy = {.from = o->host, .to = o->made};
    Instruction *again = source_copy_instruction(&copy, made);
    again->args[0] = source_of(own);
    again->temporary = ++o->made->ntemporaries;
    emit(o, again);
    return (Operand){.kind = OPERAND_TEMPORARY, .temporary = again->temporary};
}

static Operand repeat_tensor(Outliner *o, SourceVariable *tensor, int block, Instruction *call)
{
    const SourceCopy copy = {.from = o->host, .to = o->made};
    Instruction *again = source_copy_instruction(&copy, call);
    for (int k = 0; k < call->narguments; k++) {
        const Operand x = call->arguments[k].operand;
        const bool whole = !k && !strncmp(call->symbol, "ws_", 3) && strncmp(call->symbol, "ws_tensor_", 10);
        again->arguments[k].operand = whole || is_repeatable(o, block, call, x, 0)
                                          ? repeat(o, block, x)
                                          : argument_at_entry(o, tensor, block, call, k);
    }
    again->temporary = ++o->made->ntemporaries;
    emit(o, again);
    return (Operand){.kind = OPERAND_TEMPORARY, .temporary = again->temporary};
}

/* The variable of the outlined function that holds the value where the loop begins.  */
static SourceVariable *variable_at_entry(Outliner *o, SourceVariable *variable)
{
    if (o->variables[variable->id])
        return o->variables[variable->id];
    Assignment from = {0};
    const bool known = assignment_of(o, variable, &from);
    const Operand x = known ? from.copy->args[0] : (Operand){.kind = OPERAND_NONE};
    const bool constant = x.kind == OPERAND_INTEGER || x.kind == OPERAND_FLOAT;
    Instruction *made = source_maker(o->flow->order[from.block]->first, x);
    const bool tensor = made && source_makes_tensor(made);
    const bool handed = variable->inlined_from && x.kind == OPERAND_VARIABLE; /* an argument */
    const bool known_outside = variable->host || variable->home;
    const bool wanted =
        constant || handed || !known_outside || variable->is_chosen || o->assigned[variable->id] || tensor;
    const bool reads = o->reads;
    o->reads |= !known_outside; /* no argument of the launcher has its value otherwise */
    const bool repeatable =
        (tensor && variable->host) || is_repeatable(o, from.block, from.copy ? from.copy->next : NULL, x, 0);
    if (!known || !wanted || !repeatable) {
        o->reads = reads;
        return own_variable(o, variable, true);
    }
    SourceVariable *own = own_variable(o, variable, false);
    const SourceCopy copy = {.from = o->host, .to = o->made};
    Instruction *again = source_copy_instruction(&copy, from.copy);
    again->variable = own;
    again->args[0] = tensor && variable->host ? repeat_tensor(o, variable, from.block, made) : repeat(o, from.block, x);
    emit(o, again);
    o->reads = reads;
    return own;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static bool is_in(const Outliner *o, int b)
{
    return source_in_loop(o->flow, o->header, b);
}

static void find_assigned(Outliner *o)
{
    for (int b = 0; b < o->flow->n; b++)
        for (const Instruction *i = is_in(o, b) ? o->flow->order[b]->first : NULL; i; i = i->next)
            if (i->code == SO_COPY)
                o->assigned[i->variable->id] = true;
}

/* An object that nothing outside of the loop names is the loop's own.  */
static void find_objects(Outliner *o)
{
    bool *outside = arena_alloc(o->module, ((size_t)o->host->nobjects + 1) * sizeof *outside);
    bool *inside = arena_alloc(o->module, ((size_t)o->host->nobjects + 1) * sizeof *inside);
    for (int b = 0; b < o->flow->n; b++)
        for (const Instruction *i = o->flow->order[b]->first; i; i = i->next)
            if (i->code == SO_ADDR)
                (is_in(o, b) ? inside : outside)[i->object->id] = true;
    for (int k = 0; k < o->host->nobjects; k++) {
        const SourceObject *object = o->host->objects[k];
        if (inside[k] && !outside[k]) {
            o->objects[k] = source_object(o->made, object->bytes, object->alignment, object->declaration);
            o->objects[k]->keeper = object->keeper;
        }
    }
}

/* Where the loop begins on: marks of inner loops stand at the start of their bodies. A mark moves to a later block,
   and only once.  */
static void move_marks(Outliner *o)
{
    for (int b = o->flow->n - 1; b >= 0; b--) {
        Instruction **slot = &o->flow->order[b]->first;
        while (is_in(o, b) && *slot) {
            Instruction *mark = *slot;
            const int header =
                mark->code == SO_MARK ? source_marked_loop(o->host, o->flow, o->flow->order[b], mark->mark) : -1;
            const Instruction *end = header >= 0 ? o->flow->order[header]->last : NULL;
            int inner = -1;
            for (int i = 0; end && i < source_nsuccessors(end); i++) {
                const int to = o->flow->number[(*source_successor((Instruction *)end, i))->id];
                if (source_in_loop(o->flow, header, to) && to != header)
                    inner = inner < 0 ? to : o->flow->n;
            }
            if (inner < 0 || inner >= o->flow->n || inner == b || o->flow->npreds[inner] != 1) {
                slot = &mark->next;
                continue;
            }
            *slot = mark->next;
            mark->next = NULL;
            source_insert(o->flow->order[inner], NULL, mark);
        }
    }
}

static void own_operands(Outliner *o, const SourceBlock *from, SourceBlock *to)
{
    for (const Instruction *i = from->first; i; i = i->next) {
        const SourceCopy copy = {.from = o->host, .to = o->made};
        Instruction *made = source_copy_instruction(&copy, i);
        if (made->variable)
            made->variable = own_variable(o, made->variable, false);
        for (int k = 0; k < source_noperands(made); k++) {
            Operand *x = source_operand(made, k);
            if (x->kind == OPERAND_VARIABLE)
                x->variable = own_variable(o, x->variable, false);
        }
        if (made->code == SO_ADDR && o->objects[made->object->id])
            made->object = o->objects[made->object->id];
        source_insert(to, to->last, made);
    }
}

/* Temporaries that are addresses of objects of the function around are operands that name the parameter.  */
static void pass_addresses(Outliner *o, SourceBlock *block)
{
    for (Instruction **slot = &block->first; *slot;) {
        const Instruction *i = *slot;
        if (i->code != SO_ADDR || (i->object->id < o->made->nobjects && o->made->objects[i->object->id] == i->object)) {
            slot = &(*slot)->next;
            continue;
        }
        const SourceVariable *own = o->addresses[i->object->id];
        for (Instruction *user = i->next; user; user = user->next)
            for (int k = 0; k < source_noperands(user); k++) {
                Operand *x = source_operand(user, k);
                if (x->kind == OPERAND_TEMPORARY && x->temporary == i->temporary)
                    *x = source_of((SourceVariable *)own);
            }
        *slot = i->next;
    }
}

static Instruction *made_end(const Outliner *o, SourceOpcode code, SourceBlock *to, const Instruction *like)
{
    Instruction *end = arena_alloc(o->module, sizeof *end);
    *end = (Instruction){.code = code, .targets = {to}, .loc = like->loc};
    return end;
}

/* The place of a break, a goto or a return, or that of the condition in front of it.  */
static Loc place_of_exit(const SourceFlow *flow, const Instruction *end, const SourceBlock *to)
{
    const Loc way = source_way(end, to);
    if (way.line)
        return way;
    const bool returns = to->first->code == SO_RETURN && flow->npreds[flow->number[to->id]] == 1;
    return returns && to->first->loc.line ? to->first->loc : end->loc;
}

/* Blocks from which control comes to the end of the function, or to a call that does not return.  */
static bool *returning(const Outliner *o)
{
    bool *returns = arena_alloc(o->module, (size_t)o->flow->n * sizeof *returns);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = o->flow->n - 1; b >= 0; b--) {
            Instruction *end = o->flow->order[b]->last;
            bool known = !source_nsuccessors(end);
            for (int i = 0; i < source_nsuccessors(end); i++)
                known |= returns[o->flow->number[(*source_successor(end, i))->id]];
            changed |= known && !returns[b];
            returns[b] |= known;
        }
    }
    return returns;
}

/* A way out to this block is none, if it leads to a loop without an end.  */
static void find_endless(Outliner *o, const SourceBlock *from)
{
    const SourceFlow *flow = o->flow;
    const bool *returns = returning(o);
    bool *comes = arena_alloc(o->module, (size_t)flow->n * sizeof *comes);
    const int first = flow->number[from->id];
    if (returns[first] || !returns[o->header])
        return;
    o->outline->endless = comes[first] = true;
    for (int b = first; b < flow->n; b++) {
        Instruction *end = comes[b] ? flow->order[b]->last : NULL;
        for (int i = 0; end && i < source_nsuccessors(end); i++)
            comes[flow->number[(*source_successor(end, i))->id]] = true;
        for (const Instruction *i = end ? flow->order[b]->first : NULL; i; i = i->next)
            if (i->code == SO_MARK && o->outline->mark < 0)
                o->outline->mark = i->mark;
        if (end && flow->loop[b] == b)
            o->outline->exit = end->loc.line ? end->loc : o->outline->exit;
    }
}

/* The last call of a block behind which control does not go on.  */
static const Instruction *ending_call(const SourceBlock *block)
{
    const Instruction *call = NULL;
    for (const Instruction *i = block->first; i && block->last->code == SO_UNREACHABLE; i = i->next)
        if (i->code == SO_CALL)
            call = i;
    return call;
}

static bool is_left(const Outliner *o)
{
    for (int b = 0; b < o->flow->n; b++) {
        Instruction *end = is_in(o, b) ? o->flow->order[b]->last : NULL;
        for (int i = 0; end && i < source_nsuccessors(end); i++)
            if (!is_in(o, o->flow->number[(*source_successor(end, i))->id]))
                return true;
        if (end && !source_nsuccessors(end))
            return true;
    }
    return false;
}

static void copy_loop(Outliner *o, const Instruction *test)
{
    const SourceFlow *flow = o->flow;
    SourceBlock **blocks = arena_alloc(o->module, ((size_t)o->host->nblocks + 1) * sizeof *blocks);
    SourceBlock *end = source_block_new(o->made);
    for (int b = 0; b < flow->n; b++)
        if (is_in(o, b)) {
            SourceBlock *made = blocks[flow->order[b]->id] = source_block_new(o->made);
            source_place(o->made, made);
            own_operands(o, flow->order[b], made);
            pass_addresses(o, made);
        }
    source_place(o->made, end);
    source_insert(end, NULL, made_end(o, SO_RETURN, NULL, test));
    for (int b = 0; b < flow->n; b++) {
        SourceBlock *made = blocks[flow->order[b]->id];
        for (int i = 0; made && i < source_nsuccessors(made->last); i++) {
            SourceBlock **to = source_successor(made->last, i);
            const bool leaves = !blocks[(*to)->id];
            const Instruction *call = leaves ? ending_call(*to) : NULL;
            if (call && !o->outline->end)
                o->outline->end = call;
            if (leaves && !call && b != o->header && !o->outline->exit.line) {
                o->outline->exit = place_of_exit(flow, made->last, *to);
                find_endless(o, *to);
            }
            *to = leaves ? end : blocks[(*to)->id];
        }
        for (SourceWay *way = made ? made->last->ways : NULL; way; way = way->next)
            way->to = !way->to ? NULL : blocks[way->to->id] ? blocks[way->to->id] : end;
    }
    source_insert(o->entry, o->entry->last,
                  made_end(o, SO_JUMP, blocks[flow->order[o->header]->id], flow->order[o->header]->last));
}

/* Has a call at this place brought the instruction? The last link of its chain is the call in this function.  */
static bool is_from(const Instruction *instruction, const Loc *site)
{
    const SourceInlined *link = instruction->inlined;
    while (link && link->outer)
        link = link->outer;
    return site ? link && link->loc.line == site->line && link->loc.column == site->column : !link;
}

static int loop_of_mark(const Outliner *o, int mark, const Loc *site)
{
    for (int b = 0; b < o->flow->n; b++)
        for (const Instruction *i = o->flow->order[b]->first; i; i = i->next)
            if (i->code == SO_MARK && i->mark == mark && is_from(i, site))
                return source_marked_loop(o->host, o->flow, o->flow->order[b], mark);
    return -1;
}

/* The mark of the loop over devices around the loop, or -1.  */
static int devices_around(const Outliner *o)
{
    for (int b = 0; b < o->flow->n; b++)
        for (const Instruction *i = o->flow->order[b]->first; i; i = i->next) {
            const SourcePragma *pragma = i->code == SO_MARK ? o->host->unit->pragmas : NULL;
            for (int k = 0; pragma && k < i->mark; k++)
                pragma = pragma->next;
            const int header = pragma && !strcmp(pragma->text, "devices")
                                   ? source_marked_loop(o->host, o->flow, o->flow->order[b], i->mark)
                                   : -1;
            if (header >= 0 && source_in_loop(o->flow, header, o->header))
                return i->mark;
        }
    return -1;
}

static bool is_alone(const Outliner *o, const SourceBlock *block, Operand x, int depth);

/* Does the loop only keep in it what it leaves alone? A block behind the loop computes that again.  */
static bool keeps_alone(const Outliner *o, const SourceVariable *variable, int depth)
{
    const Instruction *copy = NULL;
    int block = 0, count = 0;
    if (!o->assigned[variable->id])
        return true;
    for (int b = 0; b < o->flow->n; b++)
        for (const Instruction *i = o->flow->order[b]->first; i; i = i->next)
            if (i->code == SO_COPY && i->variable == variable) {
                count++;
                copy = i;
                block = b;
            }
    return !variable->host && !variable->declaration.name && count == 1 && depth < 24 &&
           is_alone(o, o->flow->order[block], copy->args[0], depth + 1);
}

static bool is_alone(const Outliner *o, const SourceBlock *block, Operand x, int depth)
{
    if (x.kind == OPERAND_VARIABLE)
        return keeps_alone(o, x.variable, depth);
    const Instruction *made = source_maker(block->first, x);
    if (x.kind == OPERAND_TEMPORARY && (!made || !can_repeat(block, made) || depth > 24))
        return false;
    for (int k = 0; made && k < source_noperands(made); k++)
        if (!is_alone(o, block, *source_operand((Instruction *)made, k), depth + 1))
            return false;
    return true;
}

/* The first place behind the loop where the variable is read; line 0: it has none.  */
static Loc read_behind(const Outliner *o, const SourceVariable *variable)
{
    bool *comes = arena_alloc(o->module, (size_t)o->flow->n * sizeof *comes);
    for (int b = 0; b < o->flow->n; b++) {
        SourceBlock *block = o->flow->order[b];
        bool goes = is_in(o, b) || comes[b];
        for (Instruction *i = goes && !is_in(o, b) ? block->first : NULL; i && goes; i = i->next) {
            for (int k = 0; k < source_noperands(i); k++)
                if (source_operand(i, k)->kind == OPERAND_VARIABLE && source_operand(i, k)->variable == variable)
                    return i->loc;
            goes = i->code != SO_COPY || i->variable != variable;
        }
        for (int k = 0; goes && k < source_nsuccessors(block->last); k++)
            comes[o->flow->number[(*source_successor(block->last, k))->id]] = true;
    }
    return (Loc){0};
}

/* Does the test of the loop, or of one in it, compare the variable?  */
static bool is_compared(const Outliner *o, const SourceVariable *variable)
{
    for (int b = 0; b < o->flow->n; b++) {
        const SourceBlock *block = o->flow->order[b];
        for (Instruction *i = is_in(o, b) && o->flow->loop[b] == b ? block->first : NULL; i; i = i->next)
            for (int k = 0; source_op_form(i->code) == FORM_COMPARE && k < 2; k++) {
                const Instruction *made = source_maker(block->first, i->args[k]);
                const Operand x = made && made->code == SO_CONV ? made->args[0] : i->args[k];
                if (x.kind == OPERAND_VARIABLE && x.variable == variable)
                    return true;
            }
    }
    return false;
}

/* What the loop assigns, and a block behind it reads.  */
static void find_leaving(Outliner *o)
{
    bool *seen = arena_alloc(o->module, ((size_t)o->host->nvariables + 1) * sizeof *seen);
    for (int b = 0; b < o->flow->n; b++)
        for (int i = 0; is_in(o, b) && i < source_nsuccessors(o->flow->order[b]->last); i++) {
            const int to = o->flow->number[(*source_successor(o->flow->order[b]->last, i))->id];
            for (int v = 0; !is_in(o, to) && v < o->host->nvariables; v++)
                if (o->assigned[v] && !seen[v] &&
                    source_is_live(o->live.in + (size_t)to * (size_t)o->live.words, o->host->variables[v])) {
                    seen[v] = true;
                    if (keeps_alone(o, o->host->variables[v], 0))
                        continue;
                    LIST_ADD(o->module, o->outline->leaving, o->outline->nleaving) = (SourceLeaving){
                        .variable = o->host->variables[v],
                        .read = read_behind(o, o->host->variables[v]),
                        .is_counter = is_compared(o, o->host->variables[v]),
                    };
                }
        }
}

SourceOutline *source_outline(SourceFunction *host, int mark, const Loc *site)
{
    Module *module = host->unit->module;
    Outliner outliner = {.host = host, .module = module}, *o = &outliner;
    o->flow = source_flow(host);
    o->header = loop_of_mark(o, mark, site);
    if (o->header < 0)
        return NULL;
    const Instruction *test = o->flow->order[o->header]->last;
    o->live = source_live(host, o->flow);
    o->outline = arena_alloc(module, sizeof *o->outline);
    o->outline->host = host;
    o->outline->devices = devices_around(o);
    o->outline->header = o->header;
    o->outline->mark = -1;
    o->variables = arena_alloc(module, ((size_t)host->nvariables + 1) * sizeof *o->variables);
    o->addresses = arena_alloc(module, ((size_t)host->nobjects + 1) * sizeof *o->addresses);
    o->objects = arena_alloc(module, ((size_t)host->nobjects + 1) * sizeof *o->objects);
    o->assigned = arena_alloc(module, ((size_t)host->nvariables + 1) * sizeof *o->assigned);
    o->made = o->outline->function = arena_alloc(module, sizeof *o->made); /* the unit does not list it */
    o->made->unit = host->unit;
    o->made->name = host->name;
    o->made->loc = test->loc;
    o->made->ntemporaries = host->ntemporaries;
    o->entry = source_block_new(o->made);
    source_place(o->made, o->entry);
    if (!is_left(o)) {
        o->outline->endless = true;
        o->outline->exit = test->loc;
    }
    find_assigned(o);
    find_objects(o);
    find_leaving(o);
    move_marks(o);
    const uint64_t *live = o->live.in + (size_t)o->header * (size_t)o->live.words;
    /* In the order in which the loop reads them.  */
    for (int b = 0; b < o->flow->n; b++)
        for (Instruction *i = is_in(o, b) ? o->flow->order[b]->first : NULL; i; i = i->next)
            for (int k = 0; k < source_noperands(i); k++) {
                const Operand *x = source_operand(i, k);
                if (x->kind == OPERAND_VARIABLE && source_is_live(live, x->variable))
                    variable_at_entry(o, x->variable);
            }
    for (int v = 0; v < host->nvariables; v++)
        if (source_is_live(live, host->variables[v]))
            variable_at_entry(o, host->variables[v]);
    for (int b = 0; b < o->flow->n; b++)
        for (const Instruction *i = is_in(o, b) ? o->flow->order[b]->first : NULL; i; i = i->next)
            if (i->code == SO_ADDR && !o->objects[i->object->id])
                address_at_entry(o, i->object);
    copy_loop(o, test);
    for (int i = 0; i < o->outline->nleaving; i++)
        o->outline->leaving[i].own = own_variable(o, o->outline->leaving[i].variable, false);
    return o->outline;
}
