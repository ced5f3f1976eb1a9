/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-live.c - the variables of a tree that are read before they are assigned again.
 *
 *      loop { t1 = lt.i32 i.1, n.2 } while t1 {       in front: i.1, n.2, s.3
 *        t2 = add.f32 s.3, x.4                                   and x.4
 *        s.3 = copy.f32 t2
 *      }
 *      return s.3
 */
#include <string.h>

#include "build.h"

uint64_t *build_set(const Builder *b)
{
    return arena_alloc(b->module, (size_t)b->words * sizeof(uint64_t));
}

uint64_t *build_set_copy(const Builder *b, const uint64_t *set)
{
    return memcpy(build_set(b), set, (size_t)b->words * sizeof *set);
}

static bool unite(const Builder *b, uint64_t *set, const uint64_t *other)
{
    bool changed = false;
    for (int w = 0; w < b->words; w++) {
        changed |= (other[w] & ~set[w]) != 0;
        set[w] |= other[w];
    }
    return changed;
}

static void read_operand(uint64_t *live, Operand x)
{
    if (x.kind == OPERAND_VARIABLE)
        build_add(live, x.variable->id);
}

/* Instructions from the last to the first.  */
static void before_instructions(const Instruction *first, uint64_t *live)
{
    if (!first)
        return;
    before_instructions(first->next, live);
    if (first->variable)
        live[first->variable->id / 64] &= ~((uint64_t)1 << (first->variable->id % 64));
    for (int k = 0; k < source_noperands(first); k++)
        read_operand(live, *source_operand((Instruction *)first, k));
}

/* Leaves out what no way through the loop reads before it assigns it.  */
static void keep_live(const SourceTree *loop, uint64_t *live)
{
    for (int v = 0; v < loop->nlive; v++)
        if (!build_has(loop->live, v))
            live[v / 64] &= ~((uint64_t)1 << (v % 64));
}

void build_live_before(const Builder *b, const SourceTree *list, uint64_t *live)
{
    if (!list)
        return;
    build_live_before(b, list->next, live);
    if (list->kind == TREE_BLOCK || list->kind == TREE_END) {
        before_instructions(list->first, live);
    } else if (list->kind == TREE_IF) {
        uint64_t *other = build_set_copy(b, live);
        build_live_before(b, list->yes, live);
        build_live_before(b, list->no, other);
        unite(b, live, other);
        read_operand(live, list->condition);
    } else {
        /* The test is in front of the body and of what is behind the loop.  */
        read_operand(live, list->condition);
        for (bool changed = true; changed;) {
            uint64_t *start = build_set_copy(b, live);
            build_live_before(b, list->test, start);
            build_live_before(b, list->yes, start);
            keep_live(list, start);
            changed = unite(b, live, start);
        }
        build_live_before(b, list->test, live);
        keep_live(list, live);
    }
}

void build_assigned(const Builder *b, const SourceTree *list, uint64_t *set)
{
    for (; list; list = list->next) {
        for (const Instruction *i = list->first; i; i = i->next)
            if (i->variable)
                build_add(set, i->variable->id);
        build_assigned(b, list->test, set);
        build_assigned(b, list->yes, set);
        build_assigned(b, list->no, set);
    }
}
