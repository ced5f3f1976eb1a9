/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-uncounted.c - why a loop of the grid, or a pipelined loop, has no count.
 *
 *      #pragma ws pipeline(3)
 *      for (int k = 0; k < K; k += 64) {
 *          ...
 *          K -= 64;            error: the bound 'K' of a pipelined loop changes in it
 *      }
 *
 * The test compares its variable, which the loop changes, with the bound. The first reason of these counts: a way out
 * elsewhere than at the test, a variable that is no integer, a bound that changes or is in memory, a second change of
 * the variable, a narrow type.
 */
#include "build.h"

typedef struct {
    Builder *b;
    const SourceTree *loop;
    const char *kind; /* "grid", "pipelined" */
    const Instruction *test;
    const SourceVariable *counter, *bound; /* sides of the test that the loop assigns; or NULL */
    const Instruction *read;               /* a side of the test that is read from memory; or NULL */
} Uncounted;

/* Behind conversions.  */
static Operand bare(const SourceTree *list, Operand x)
{
    for (const Instruction *i; (i = source_maker_in(list, x)) && source_op_form(i->code) == FORM_CONVERT;)
        x = i->args[0];
    return x;
}

/* The first comparison, which may stand in a conjunction.  */
static const Instruction *comparison_of(const SourceTree *list, Operand x, int depth)
{
    const Instruction *i = depth ? source_maker_in(list, x) : NULL;
    if (!i || source_op_form(i->code) == FORM_COMPARE)
        return i;
    for (int k = 0; (i->code == SO_AND || i->code == SO_NOT) && k < source_noperands(i); k++) {
        const Instruction *found = comparison_of(list, i->args[k], depth - 1);
        if (found)
            return found;
    }
    return NULL;
}

static void find_sides(Uncounted *u)
{
    uint64_t *assigned = build_set(u->b);
    build_assigned(u->b, u->loop->test, assigned);
    build_assigned(u->b, u->loop->yes, assigned);
    for (int k = 0; u->test && k < 2; k++) {
        const Operand x = bare(u->loop->test, u->test->args[k]);
        const Instruction *made = source_maker_in(u->loop->test, x);
        if (made && made->code == SO_LOAD)
            u->read = made;
        if (x.kind != OPERAND_VARIABLE || !build_has(assigned, x.variable->id))
            continue;
        *(u->counter ? &u->bound : &u->counter) = x.variable;
    }
}

/* The first assignment to the variable, and how many there are.  */
static const Instruction *first_change(const SourceTree *list, const SourceVariable *variable, int *count)
{
    const Instruction *first = NULL;
    for (; list; list = list->next) {
        for (const Instruction *i = list->first; i; i = i->next)
            if (i->code == SO_COPY && i->variable == variable) {
                first = first ? first : i;
                ++*count;
            }
        const SourceTree *below[] = {list->test, list->yes, list->no};
        for (int k = 0; k < 3; k++) {
            const Instruction *inner = first_change(below[k], variable, count);
            first = first ? first : inner;
        }
    }
    return first;
}

static bool refuse_exit(const Uncounted *u, bool of_grid)
{
    Kernel *kernel = u->b->kernel;
    if (!u->loop->exit.line)
        return false;
    if (of_grid)
        reject(kernel, u->loop->exit, REASON_LEAVES_LOOP, "grid");
    else if (kernel->grid.plain)
        reject(kernel, u->loop->exit, REASON_LOOP_LEFT, u->kind);
    else
        reject_text(kernel, u->loop->exit, REASON_LOOP_LEFT,
                    arena_print(kernel->module, reason_sentence(REASON_LOOP_LEFT), u->kind),
                    "let it run to its bound; where it ends may be found by a loop before it that is not pipelined");
    return true;
}

static bool refuse_changes(const Uncounted *u)
{
    Kernel *kernel = u->b->kernel;
    const char *name = u->counter ? u->counter->declaration.name : NULL;
    int bounds = 0, counters = 0;
    const Instruction *bound = u->bound ? first_change(u->loop->yes, u->bound, &bounds) : NULL;
    const Instruction *counter = u->counter ? first_change(u->loop->yes, u->counter, &counters) : NULL;
    if (name && source_type_is_float(u->counter->type))
        reject(kernel, u->test->loc, REASON_LOOP_COUNTER_TYPE, name, u->kind);
    else if (bound && u->bound->declaration.name)
        reject(kernel, bound->loc, REASON_LOOP_BOUND_CHANGES, u->bound->declaration.name, u->kind);
    else if (name && counters > 1)
        reject(kernel, counter->loc, REASON_LOOP_COUNTER_CHANGES, name, u->kind);
    else
        return false;
    return true;
}

static bool refuse_read(const Uncounted *u)
{
    Kernel *kernel = u->b->kernel;
    if (!u->read)
        return false;
    if (kernel->grid.plain)
        reject(kernel, u->read->loc, REASON_READ_MAY_CHANGE, build_name_read(u->read));
    else
        reject(kernel, u->read->loc, REASON_POINTER_READ);
    return true;
}

bool build_refuse_uncounted(Builder *b, const SourceTree *loop, bool of_grid)
{
    Uncounted uncounted = {.b = b, .loop = loop, .kind = of_grid ? "grid" : "pipelined"}, *u = &uncounted;
    u->test = comparison_of(loop->test, loop->condition, 8);
    find_sides(u);
    if (refuse_exit(u, of_grid) || refuse_changes(u) || refuse_read(u))
        return true;
    if (u->counter && u->counter->type != ST_P && source_type_bytes(u->counter->type) < 4)
        reject(b->kernel, loop->loc, REASON_LOOP_COUNTER_NARROW, u->kind);
    else if (!of_grid)
        reject(b->kernel, loop->loc, REASON_LOOP_PIPELINED_BOUND);
    return b->kernel->failed;
}
