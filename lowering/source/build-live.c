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

static void unite(const Builder *b, uint64_t *set, const uint64_t *other)
{
    for (int w = 0; w < b->words; w++)
        set[w] |= other[w];
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
    for (int w = 0; w < loop->nlive / 64; w++)
        live[w] &= loop->live[w];
    for (int v = loop->nlive / 64 * 64; v < loop->nlive; v++)
        if (!build_has(loop->live, v))
            live[v / 64] &= ~((uint64_t)1 << (v % 64));
}

static void before_tree(const Builder *b, const SourceTree *tree, uint64_t *live)
{
    if (tree->kind == TREE_BLOCK || tree->kind == TREE_END) {
        before_instructions(tree->first, live);
        return;
    }
    uint64_t other[b->words];
    if (tree->kind == TREE_IF) {
        memcpy(other, live, sizeof other);
        build_live_before(b, tree->yes, live);
        build_live_before(b, tree->no, other);
        unite(b, live, other);
        read_operand(live, tree->condition);
    } else {
        /* The test is in front of the body and of what is behind the loop. One more iteration adds nothing, since a
           list adds and removes the same variables whatever is live behind it.  */
        read_operand(live, tree->condition);
        memcpy(other, live, sizeof other);
        build_live_before(b, tree->test, other);
        keep_live(tree, other);
        build_live_before(b, tree->yes, other);
        unite(b, live, other);
        build_live_before(b, tree->test, live);
        keep_live(tree, live);
    }
}

uint64_t **build_live_behind(const Builder *b, const SourceTree *list, const uint64_t *live)
{
    int n = 0;
    for (const SourceTree *tree = list; tree; tree = tree->next)
        n++;
    const SourceTree **trees = arena_alloc(b->module, (size_t)n * sizeof *trees);
    uint64_t **behind = arena_alloc(b->module, (size_t)n * sizeof *behind), now[b->words];
    memcpy(now, live, sizeof now);
    for (int k = 0; k < n; k++, list = list->next)
        trees[k] = list;
    for (int k = n - 1; k >= 0; k--) {
        if (trees[k]->kind == TREE_IF || trees[k]->kind == TREE_LOOP)
            behind[k] = build_set_copy(b, now);
        before_tree(b, trees[k], now);
    }
    return behind;
}

void build_live_before(const Builder *b, const SourceTree *list, uint64_t *live)
{
    if (!list)
        return;
    build_live_before(b, list->next, live);
    before_tree(b, list, live);
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
