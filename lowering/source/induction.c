/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * induction.c - the counters and walking pointers of a tree's loops.
 *
 *      i.4 = copy.i32 0                       i.4 = copy.i32 0
 *      loop {                                 p.9 = copy.p p.2
 *        t1 = lt.i32 i.4, n.1                 loop { counter i.4 + 1, lt n.1; p.2 + 4
 *      } while t1 {                             t1 = lt.i32 i.4, n.1
 *        t2 = load.f32 p.2              =>    } while t1 {
 *        t3 = add.p p.2, 4                      t7 = conv.i32.i64 i.4
 *        p.2 = copy.p t3                        t8 = mul.i64 t7, 4
 *        t4 = add.i32 i.4, 1                    t9 = add.p p.9, t8
 *        i.4 = copy.i32 t4                      p.2 = copy.p t9
 *      }                                        t2 = load.f32 p.2
 *                                               ...
 *
 * To an induction variable the loop adds one value that it leaves alone, once on each way to the next iteration. Ways
 * are followed with the flags of structure.c; a way that leaves the loop may end before. The loop's test compares the
 * counter with a value that the loop leaves alone. A pointer may be the counter.
 *
 * The other induction variables follow from a counter that does not wrap. The start of each iteration assigns them
 * again: the value in front of the loop, plus the step times the count. The variable's own step stays where it is, for
 * reads behind it and behind the loop.
 */
#include <string.h>

#include "source/passes.h"

enum { STATES = 64, FLAGS = 32 };

/* A way through the loop: the flags that are known, and how often the variable was assigned.  */
typedef struct {
    uint32_t known, value; /* of flags */
    int steps;             /* 2: more than one */
} State;

typedef struct {
    State list[STATES];
    int n;
    bool failed; /* too many */
} States;

typedef struct {
    SourceFunction *function;
    Module *module;
    const SourceTree *loop;
    const SourceVariable *candidate;
    int *flags; /* by variable: its bit and 1; 0: it is no flag */
    int nflags;
    uint32_t followed; /* flags on which it depends how often the candidate is assigned */
    int *assigned;     /* by variable: how often the loop assigns it */
} Finder;

/* ---- the instructions of a loop ---------------------------------------------------------------------------------- */

static void count_list(Finder *f, const SourceTree *tree)
{
    for (; tree; tree = tree->next) {
        for (const Instruction *i = tree->first; i; i = i->next)
            if (i->code == SO_COPY) {
                f->assigned[i->variable->id]++;
                if (i->variable->type == ST_B && !f->flags[i->variable->id] && f->nflags < FLAGS)
                    f->flags[i->variable->id] = ++f->nflags;
            }
        count_list(f, tree->test);
        count_list(f, tree->yes);
        count_list(f, tree->no);
    }
}

/* Behind conversions between types of one size.  */
static Operand bare(const SourceTree *block, Operand x, bool *converted)
{
    for (const Instruction *i; (i = source_maker(block->first, x)) && i->code == SO_CONV &&
                               source_type_bytes(i->type) == source_type_bytes(i->from) &&
                               !source_type_is_float(i->type) && !source_type_is_float(i->from);) {
        *converted = true;
        x = i->args[0];
    }
    return x;
}

static bool is_left_alone(const Finder *f, Operand x)
{
    return x.kind == OPERAND_INTEGER || (x.kind == OPERAND_VARIABLE && !f->assigned[x.variable->id]);
}

static bool is_variable(Operand x, const SourceVariable *variable)
{
    return x.kind == OPERAND_VARIABLE && x.variable == variable;
}

static bool equal(Operand a, Operand b)
{
    return a.kind == b.kind && (a.kind == OPERAND_INTEGER ? a.integer == b.integer : a.variable == b.variable);
}

static bool assigns(const SourceTree *tree, const SourceVariable *variable)
{
    for (; tree; tree = tree->next) {
        for (const Instruction *i = tree->first; i; i = i->next)
            if (i->code == SO_COPY && i->variable == variable)
                return true;
        if (assigns(tree->test, variable) || assigns(tree->yes, variable) || assigns(tree->no, variable))
            return true;
    }
    return false;
}

/* The one assignment to a variable on each way through the list, with its block. NULL: there is none, or the
   candidate is assigned in front of it, and `changes`.  */
static const Instruction *assignment_in(const Finder *f, const SourceTree *list, const SourceVariable *variable,
                                        const SourceTree **block, bool *changes)
{
    const Instruction *found = NULL;
    for (const SourceTree *tree = list; tree && !*changes; tree = tree->next) {
        for (const Instruction *i = tree->first; i && !*changes; i = i->next) {
            *block = tree;
            if (i->code == SO_COPY && i->variable == variable)
                return i;
            *changes = i->code == SO_COPY && i->variable == f->candidate;
        }
        *changes |=
            assigns(tree->test, f->candidate) || assigns(tree->yes, f->candidate) || assigns(tree->no, f->candidate);
        if (tree->kind == TREE_LOOP && !*changes) /* its test comes at least once */
            found = assignment_in(f, tree->test, variable, block, changes);
        if (found)
            return found;
    }
    return NULL;
}

/* Each iteration computes the next value, w = v + 1, and v = w follows.  */
static const Instruction *step_before(const Finder *f, Operand x, const SourceTree **block, bool *wraps)
{
    bool changes = false;
    const Instruction *found = NULL;
    if (x.kind != OPERAND_VARIABLE || f->assigned[x.variable->id] != 1 || f->assigned[f->candidate->id] != 1)
        return NULL;
    found = assignment_in(f, f->loop->test, x.variable, block, &changes);
    if (!found)
        found = assignment_in(f, f->loop->yes, x.variable, block, &changes);
    return found ? source_maker((*block)->first, bare(*block, found->args[0], wraps)) : NULL;
}

/* A variable that a conversion makes as wide as the sum that it is added in.  */
static Operand narrow_step(const SourceTree *block, Operand x)
{
    const Instruction *i = source_maker(block->first, x);
    return i && i->code == SO_CONV && i->args[0].kind == OPERAND_VARIABLE && i->from == i->args[0].variable->type &&
                   i->from != ST_B && i->from != ST_P && !source_type_is_float(i->from) &&
                   source_type_bytes(i->type) > source_type_bytes(i->from)
               ? i->args[0]
               : x;
}

/* v = v + step, as one of all assignments to v.  */
static bool is_step(const Finder *f, const SourceTree *block, const Instruction *copy, SourceInductionVariable *found)
{
    bool wraps = false, ignored = false;
    const Instruction *i = source_maker(block->first, bare(block, copy->args[0], &wraps));
    if (!i)
        i = step_before(f, copy->args[0], &block, &wraps);
    if (!i || (i->code != SO_ADD && i->code != SO_SUB) || source_type_is_float(i->type))
        return false;
    Operand x = bare(block, i->args[0], &wraps), y = bare(block, i->args[1], &ignored);
    if (i->code == SO_ADD && is_variable(y, f->candidate) && i->type != ST_P) {
        const Operand z = x;
        x = y;
        y = z;
    }
    y = narrow_step(block, y);
    if (!is_variable(x, f->candidate) || !is_left_alone(f, y))
        return false;
    const bool negative = i->code == SO_SUB && y.kind != OPERAND_INTEGER;
    if (i->code == SO_SUB && !negative)
        y.integer = -y.integer;
    const int bits = 8 * source_type_bytes(copy->type);
    if (y.kind == OPERAND_INTEGER && bits < 64)
        y.integer = (uint64_t)((int64_t)(y.integer << (64 - bits)) >> (64 - bits));
    if (found->variable && (!equal(found->step, y) || found->negative != negative))
        return false;
    found->negative = negative;
    found->variable = copy->variable;
    found->step = y;
    found->wraps |= wraps || (copy->type != ST_P && !source_type_is_signed(i->type));
    return true;
}

static bool all_steps(const Finder *f, const SourceTree *tree, SourceInductionVariable *found)
{
    for (; tree; tree = tree->next) {
        for (const Instruction *i = tree->first; i; i = i->next)
            if (i->code == SO_COPY && i->variable == f->candidate && !is_step(f, tree, i, found))
                return false;
        if (!all_steps(f, tree->test, found) || !all_steps(f, tree->yes, found) || !all_steps(f, tree->no, found))
            return false;
    }
    return true;
}

/* ---- ways through a loop ----------------------------------------------------------------------------------------- */

static uint32_t bit_of(const Finder *f, const SourceVariable *variable)
{
    const int flag = f->flags[variable->id];
    return flag ? (uint32_t)1 << (flag - 1) : 0;
}

static uint32_t bit_of_condition(const Finder *f, Operand condition)
{
    return condition.kind == OPERAND_VARIABLE ? bit_of(f, condition.variable) : 0;
}

/* Assigns the candidate or a flag that is followed, or ends the way.  */
static bool matters(const Finder *f, const SourceTree *tree)
{
    for (; tree; tree = tree->next) {
        if (tree->kind == TREE_END || matters(f, tree->test) || matters(f, tree->yes) || matters(f, tree->no))
            return true;
        for (const Instruction *i = tree->first; i; i = i->next)
            if (i->code == SO_COPY && (i->variable == f->candidate || (bit_of(f, i->variable) & f->followed)))
                return true;
    }
    return false;
}

/* The flags of conditions around what matters are followed, too.  */
static bool follow_more(Finder *f, const SourceTree *tree)
{
    bool changed = false;
    for (; tree; tree = tree->next) {
        const uint32_t bit = tree->kind == TREE_IF ? bit_of_condition(f, tree->condition) & ~f->followed : 0;
        if (bit && (matters(f, tree->yes) || matters(f, tree->no))) {
            f->followed |= bit;
            changed = true;
        }
        changed |= follow_more(f, tree->test) | follow_more(f, tree->yes) | follow_more(f, tree->no);
    }
    return changed;
}

static bool add_state(States *states, State state)
{
    state.value &= state.known;
    for (int i = 0; i < states->n; i++)
        if (states->list[i].known == state.known && states->list[i].value == state.value &&
            states->list[i].steps == state.steps)
            return false;
    if (states->n == STATES) {
        states->failed = true;
        return false;
    }
    states->list[states->n++] = state;
    return true;
}

static void follow(const Finder *f, const SourceTree *tree, States *states);

static void follow_copy(const Finder *f, const Instruction *copy, State *state)
{
    if (copy->variable == f->candidate)
        state->steps += state->steps < 2;
    const uint32_t bit = bit_of(f, copy->variable) & f->followed;
    if (!bit)
        return;
    state->known &= ~bit;
    if (copy->args[0].kind == OPERAND_INTEGER) {
        state->known |= bit;
        state->value = copy->args[0].integer ? state->value | bit : state->value & ~bit;
    }
}

static void follow_if(const Finder *f, const SourceTree *tree, States *states)
{
    const uint32_t bit = bit_of_condition(f, tree->condition) & f->followed;
    States all = {.failed = states->failed};
    for (int way = 0; way < 2; way++) {
        States some = {0};
        for (int i = 0; i < states->n; i++) {
            State state = states->list[i];
            if ((state.known & bit) && ((state.value & bit) == 0) != (way == 1))
                continue;
            if (bit) {
                state.known |= bit;
                state.value = way ? state.value & ~bit : state.value | bit;
            }
            add_state(&some, state);
        }
        if (some.n)
            follow(f, way ? tree->no : tree->yes, &some);
        for (int i = 0; i < some.n; i++)
            add_state(&all, some.list[i]);
        all.failed |= some.failed;
    }
    *states = all;
}

/* Any number of iterations.  */
static void follow_loop(const Finder *f, const SourceTree *tree, States *states)
{
    follow(f, tree->test, states);
    for (bool changed = true; changed && !states->failed;) {
        States next = *states;
        follow(f, tree->yes, &next);
        follow(f, tree->test, &next);
        changed = false;
        for (int i = 0; i < next.n; i++)
            changed |= add_state(states, next.list[i]);
        states->failed |= next.failed;
    }
}

static void follow(const Finder *f, const SourceTree *tree, States *states)
{
    for (; tree && !states->failed; tree = tree->next)
        switch (tree->kind) {
        case TREE_BLOCK: {
            States behind = {0};
            for (int k = 0; k < states->n; k++) {
                State state = states->list[k];
                for (const Instruction *i = tree->first; i; i = i->next)
                    if (i->code == SO_COPY)
                        follow_copy(f, i, &state);
                add_state(&behind, state);
            }
            *states = behind;
            break;
        }
        case TREE_IF:
            follow_if(f, tree, states);
            break;
        case TREE_LOOP:
            follow_loop(f, tree, states);
            break;
        case TREE_END:
            states->n = 0;
            return;
        }
}

/* The flag in the loop's condition, alone or in a conjunction.  */
static uint32_t flag_of_test(const Finder *f, const SourceTree *block, Operand x, int depth)
{
    if (x.kind == OPERAND_VARIABLE)
        return bit_of(f, x.variable);
    const Instruction *i = block && depth ? source_maker(block->first, x) : NULL;
    if (!i || i->code != SO_AND || i->type != ST_B)
        return 0;
    return flag_of_test(f, block, i->args[0], depth - 1) | flag_of_test(f, block, i->args[1], depth - 1);
}

static const SourceTree *last_of(const SourceTree *tree)
{
    while (tree && tree->next)
        tree = tree->next;
    return tree;
}

/* One step on each way that comes to the next iteration.  */
static bool steps_once(Finder *f)
{
    States states = {.n = 1};
    const SourceTree *test = last_of(f->loop->test);
    const uint32_t stays = flag_of_test(f, test, f->loop->condition, 8);
    f->followed = stays;
    while (follow_more(f, f->loop->test) | follow_more(f, f->loop->yes))
        ;
    follow(f, f->loop->test, &states);
    follow(f, f->loop->yes, &states);
    for (int i = 0; i < states.n; i++)
        if (states.list[i].steps != 1 && !(states.list[i].known & ~states.list[i].value & stays))
            return false;
    return !states.failed;
}

/* ---- the counter ------------------------------------------------------------------------------------------------- */

/* Behind conversions that keep every value.  */
static Operand widened(const SourceTree *block, Operand x)
{
    for (const Instruction *i; (i = source_maker(block->first, x)) && i->code == SO_CONV &&
                               !source_type_is_float(i->type) && !source_type_is_float(i->from) && i->from != ST_B &&
                               i->type != ST_B && source_type_bytes(i->type) >= source_type_bytes(i->from);)
        x = i->args[0];
    return x;
}

static bool depends_on_loop(const Finder *f, const SourceTree *block, Operand x, int depth)
{
    if (x.kind != OPERAND_TEMPORARY)
        return !is_left_alone(f, x);
    const Instruction *i = source_maker(block->first, x);
    if (!i || !depth || !source_stays_in_loop(i, f->loop))
        return true;
    for (int k = 0; k < source_noperands(i); k++)
        if (depends_on_loop(f, block, *source_operand((Instruction *)i, k), depth - 1))
            return true;
    return false;
}

static bool is_test_of(const Finder *f, const SourceTree *block, const Instruction *test, SourceInduction *found)
{
    for (int k = 0; k < 2; k++) {
        Operand x = widened(block, test->args[k]);
        const Instruction *stepped = source_maker(block->first, x);
        bool behind = false, ignored = false;
        Operand offset = {.kind = OPERAND_NONE};
        if (stepped && stepped->code == SO_ADD && stepped->type != ST_P)
            for (int side = 0; side < 2 && offset.kind == OPERAND_NONE; side++)
                if (is_left_alone(f, stepped->args[1 - side]) &&
                    is_variable(bare(block, stepped->args[side], &ignored), found->counter.variable)) {
                    offset = stepped->args[1 - side];
                    behind = !found->counter.negative && offset.kind == found->counter.step.kind &&
                             equal(offset, found->counter.step);
                    x = source_of(found->counter.variable);
                }
        if (!is_variable(x, found->counter.variable) || depends_on_loop(f, block, test->args[1 - k], 8))
            continue;
        found->test = test;
        found->side = k;
        found->is_behind = behind;
        found->offset = offset;
        found->wraps = offset.kind != OPERAND_NONE && !source_type_is_signed(stepped->type);
        return true;
    }
    return false;
}

static bool find_test(const Finder *f, const SourceTree *block, Operand x, int depth, SourceInduction *found)
{
    const Instruction *i = block && depth ? source_maker(block->first, x) : NULL;
    if (!i)
        return false;
    if (i->code == SO_AND && i->type == ST_B)
        return find_test(f, block, i->args[0], depth - 1, found) || find_test(f, block, i->args[1], depth - 1, found);
    return source_op_form(i->code) == FORM_COMPARE && !source_type_is_float(i->type) && is_test_of(f, block, i, found);
}

/* All comparisons of a test that is a conjunction of comparisons of the counter. false: it is more than that.  */
static bool find_bounds(const Finder *f, const SourceTree *block, Operand x, int depth, SourceInduction *found)
{
    const Instruction *i = block && depth ? source_maker(block->first, x) : NULL;
    if (!i)
        return false;
    if (i->code == SO_AND && i->type == ST_B)
        return find_bounds(f, block, i->args[0], depth - 1, found) &&
               find_bounds(f, block, i->args[1], depth - 1, found);
    SourceInduction one = {.counter = found->counter};
    if (source_op_form(i->code) != FORM_COMPARE || source_type_is_float(i->type) || !is_test_of(f, block, i, &one))
        return false;
    if (i != found->test)
        LIST_ADD(f->module, found->more, found->nmore) = one;
    return true;
}

/* ---- the other ones ---------------------------------------------------------------------------------------------- */

static SourceTree *block_in_front(Finder *f, SourceTree **slot)
{
    SourceTree *block = arena_alloc(f->module, sizeof *block);
    block->kind = TREE_BLOCK;
    block->next = *slot;
    *slot = block;
    return block;
}

static Operand append(Finder *f, SourceTree *block, Instruction made)
{
    Instruction *instruction = arena_alloc(f->module, sizeof *instruction);
    made.loc = f->loop->loc;
    *instruction = made;
    *(block->last ? &block->last->next : &block->first) = instruction;
    block->last = instruction;
    Operand x = {.kind = OPERAND_TEMPORARY};
    if (made.code != SO_COPY)
        x.temporary = instruction->temporary = ++f->function->ntemporaries;
    return x;
}

/* The constant that the counter holds in front of the loop: from the instructions in front of it in its list.  */
static bool first_value(const SourceTree *list, const SourceTree *loop, const SourceVariable *counter, int64_t *first)
{
    bool found = false;
    for (; list != loop; list = list->next) {
        if (list->kind != TREE_BLOCK)
            found = false;
        for (const Instruction *i = list->kind == TREE_BLOCK ? list->first : NULL; i; i = i->next)
            if (i->code == SO_COPY && i->variable == counter) {
                found = i->args[0].kind == OPERAND_INTEGER;
                *first = (int64_t)i->args[0].integer;
            }
    }
    return found;
}

typedef struct {
    SourceTree *front, *start; /* where instructions go: in front of the loop, and at the start of each iteration */
    Operand first;
} Place;

/* variable = base + (counter - first) / step of the counter * own step, where the steps divide.  */
static bool derive(Finder *f, const Place *place, const SourceInduction *found, const SourceInductionVariable *other)
{
    const SourceInductionVariable *counter = &found->counter;
    const SourceType type = other->variable->type, own = counter->variable->type;
    if (counter->step.kind != OPERAND_INTEGER || other->step.kind != OPERAND_INTEGER || counter->wraps || own == ST_P)
        return false;
    const int64_t c = (int64_t)counter->step.integer, s = (int64_t)other->step.integer;
    if (!c || s % c || (type != ST_P && type != ST_I64 && type != ST_U64 && type != ST_I32 && type != ST_U32))
        return false;
    SourceVariable *base = source_variable(f->function, type, other->variable->declaration);
    append(f, place->front,
           (Instruction){.code = SO_COPY, .type = type, .variable = base, .args = {source_of(other->variable)}});
    Operand x = source_of(counter->variable), y = place->first;
    const bool from_zero = y.kind == OPERAND_INTEGER && !y.integer;
    if (type == own && source_type_bytes(type) == 4 && from_zero &&
        (s == c || s == -c)) { /* j, as the program has it */
        x = append(f, place->start,
                   (Instruction){.code = s == c ? SO_ADD : SO_SUB, .type = type, .args = {source_of(base), x}});
        append(f, place->start, (Instruction){.code = SO_COPY, .type = type, .variable = other->variable, .args = {x}});
        return true;
    }
    if (own != ST_I64) {
        x = append(f, place->start, (Instruction){.code = SO_CONV, .from = own, .type = ST_I64, .args = {x}});
        if (y.kind == OPERAND_VARIABLE)
            y = append(f, place->start, (Instruction){.code = SO_CONV, .from = own, .type = ST_I64, .args = {y}});
    }
    if (y.kind != OPERAND_INTEGER || y.integer)
        x = append(f, place->start, (Instruction){.code = SO_SUB, .type = ST_I64, .args = {x, y}});
    if (s / c != 1)
        x = append(f, place->start, (Instruction){.code = SO_MUL, .type = ST_I64, .args = {x, source_integer(s / c)}});
    if (type != ST_P && type != ST_I64)
        x = append(f, place->start, (Instruction){.code = SO_CONV, .from = ST_I64, .type = type, .args = {x}});
    x = append(f, place->start, (Instruction){.code = SO_ADD, .type = type, .args = {source_of(base), x}});
    append(f, place->start, (Instruction){.code = SO_COPY, .type = type, .variable = other->variable, .args = {x}});
    return true;
}

static void prepend(SourceTree **list, SourceTree *start)
{
    if (!start->first)
        return;
    SourceTree *own = *list;
    if (own && own->kind == TREE_BLOCK && own->first) {
        start->last->next = own->first;
        own->first = start->first;
    } else {
        start->next = own;
        *list = start;
    }
}

/* The other variables follow from the counter. They are computed in front of the test; in a loop with a flag, whose
   test is computed behind a break, too, in front of the body.  */
static void derive_all(Finder *f, const SourceTree *list, SourceTree **slot, SourceInduction *found)
{
    SourceTree *loop = *slot;
    SourceVariable *counter = found->counter.variable;
    const bool flagged = flag_of_test(f, last_of(loop->test), loop->condition, 8) != 0;
    if (!counter || !found->n || (flagged && assigns(loop->test, counter)))
        return;
    Place place = {.start = arena_alloc(f->module, sizeof *place.start)};
    int64_t first = 0;
    const bool constant = first_value(list, loop, counter, &first);
    place.first = source_integer(first);
    place.front = block_in_front(f, slot);
    if (!constant) {
        SourceVariable *saved = source_variable(f->function, counter->type, counter->declaration);
        append(f, place.front,
               (Instruction){.code = SO_COPY, .type = counter->type, .variable = saved, .args = {source_of(counter)}});
        place.first = source_of(saved);
    }
    for (int k = 0; k < found->n; k++)
        if (!source_loop_sums(loop, found->variables[k].variable, f->assigned[found->variables[k].variable->id]) &&
            (!flagged || !assigns(loop->test, found->variables[k].variable)))
            found->variables[k].is_derived = derive(f, &place, found, &found->variables[k]);
    prepend(flagged ? &loop->yes : &loop->test, place.start);
}

static void find_in_loop(SourceFunction *function, SourceTree *list, SourceTree **slot)
{
    SourceTree *loop = *slot;
    Module *module = function->unit->module;
    const size_t n = (size_t)function->nvariables + 1;
    const int nvariables = function->nvariables;
    Finder finder = {.function = function, .module = module, .loop = loop}, *f = &finder;
    f->flags = arena_alloc(module, n * sizeof *f->flags);
    f->assigned = arena_alloc(module, n * sizeof *f->assigned);
    count_list(f, loop->test);
    count_list(f, loop->yes);
    SourceInduction *found = arena_alloc(module, sizeof *found);
    found->variables = arena_alloc(module, n * sizeof *found->variables);
    const SourceTree *test = last_of(loop->test);
    for (int v = 0; v < nvariables; v++) {
        SourceInductionVariable one = {0};
        f->candidate = function->variables[v];
        if (!f->assigned[v] || !all_steps(f, loop->test, &one) || !all_steps(f, loop->yes, &one) || !one.variable ||
            !steps_once(f))
            continue;
        SourceInduction trial = {.counter = one};
        if (!found->counter.variable && find_test(f, test, loop->condition, 8, &trial)) {
            found->counter = one;
            found->test = trial.test;
            found->side = trial.side;
            found->is_behind = trial.is_behind;
            found->offset = trial.offset;
            found->wraps = trial.wraps;
        } else
            found->variables[found->n++] = one;
    }
    f->candidate = found->counter.variable;
    if (found->counter.variable && !find_bounds(f, test, loop->condition, 8, found))
        found->nmore = 0;
    /* A counter that stays below a bound and takes steps of 1 does not wrap.  */
    const Instruction *compare = found->test;
    if (compare && compare->code == SO_LT && !found->side && found->offset.kind == OPERAND_NONE &&
        found->counter.step.kind == OPERAND_INTEGER && found->counter.step.integer == 1 &&
        compare->type == found->counter.variable->type)
        found->counter.wraps = false;
    derive_all(f, list, slot, found);
    if (found->counter.variable || found->n)
        loop->induction = found;
}

void source_find_induction(SourceFunction *function, SourceTree **list)
{
    for (SourceTree **slot = list; *slot; slot = &(*slot)->next) {
        SourceTree *tree = *slot;
        source_find_induction(function, &tree->test);
        source_find_induction(function, &tree->yes);
        source_find_induction(function, &tree->no);
        if (tree->kind != TREE_LOOP)
            continue;
        source_lift_steps(function, slot);
        while (*slot != tree)
            slot = &(*slot)->next;
        find_in_loop(function, *list, slot);
        while (*slot != tree)
            slot = &(*slot)->next;
    }
}
