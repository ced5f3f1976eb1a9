/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sums.c - clauses for upper bounds of weighted sums: the one-sided generalized totalizer.
 *
 *      terms a: 2, b: 3, c: 3, limit 5     node (b, c): 0, 3, above      root: 0, 2, 3, 5, above; not above
 *
 * The totalizer is a tree over the terms. Each node has a literal for each sum that its terms can have. The literal is
 * true if the true terms add up to that sum. All sums above the limit share one literal, which a clause forbids at the
 * root.
 *
 * Source: Joshi, Martins, Manquinho, "Generalized Totalizer Encoding for Pseudo-Boolean Constraints" (2015).
 */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Term *sums; /* in ascending order; the first has weight 0 and the literal ALWAYS */
    int n;
} Node;

static int by_weight(const void *a, const void *b)
{
    const Term *left = a, *right = b;

    return left->weight != right->weight ? (left->weight > right->weight) - (left->weight < right->weight)
                                         : (left->literal > right->literal) - (left->literal < right->literal);
}

static int gcd(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static Node join(Model *model, const Node *a, const Node *b, int limit, bool root, int selector)
{
    Node node = {need(malloc((size_t)(a->n * b->n + 1) * sizeof(Term))), 0};
    int *of_sum = need(calloc((size_t)limit + 1, sizeof of_sum[0]));

    node.sums[node.n++] = (Term){ALWAYS, 0};
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            int sum = a->sums[i].weight + b->sums[j].weight;
            if (sum > limit)
                CLAUSE(model, selector ? -selector : NEVER, -a->sums[i].literal, -b->sums[j].literal);
            else if (sum && !root) {
                if (!of_sum[sum]) {
                    of_sum[sum] = new_variable(model);
                    node.sums[node.n++] = (Term){of_sum[sum], sum};
                }
                CLAUSE(model, -a->sums[i].literal, -b->sums[j].literal, of_sum[sum]);
            }
        }
    free(of_sum);
    return node;
}

void at_most(Model *model, Term *terms, int n, int limit, int selector)
{
    int divisor = 0, left = 0, all = 0;

    for (int i = 0; i < n; i++)
        divisor = gcd(divisor, terms[i].weight);
    if (!divisor)
        return;
    limit /= divisor;
    for (int i = 0; i < n; i++) {
        int weight = terms[i].weight / divisor;
        if (weight > limit)
            CLAUSE(model, selector ? -selector : NEVER, -terms[i].literal);
        else if (weight) {
            terms[left++] = (Term){terms[i].literal, weight};
            all += weight;
        }
    }
    if (all <= limit)
        return;
    qsort(terms, (size_t)left, sizeof terms[0], by_weight);
    Node *nodes = need(calloc((size_t)left, sizeof nodes[0]));
    for (int i = 0; i < left; i++) {
        nodes[i].sums = need(malloc(2 * sizeof nodes[i].sums[0]));
        nodes[i].sums[0] = (Term){ALWAYS, 0};
        nodes[i].sums[1] = terms[i];
        nodes[i].n = 2;
    }
    while (left > 1) {
        int next = 0;
        for (int i = 0; i < left; i += 2) {
            Node node = nodes[i];
            if (i + 1 < left) {
                node = join(model, &nodes[i], &nodes[i + 1], limit, left == 2, selector);
                free(nodes[i].sums);
                free(nodes[i + 1].sums);
            }
            nodes[next++] = node;
        }
        left = next;
    }
    free(nodes[0].sums);
    free(nodes);
}

int count_true(Model *model, const int *literals, int n, int **at_least)
{
    int *count = need(calloc((size_t)n + 1, sizeof count[0])), have = 0;

    for (int k = 0; k < n; k++) {
        int *next = need(calloc((size_t)n + 1, sizeof next[0]));
        for (int i = 0; i <= have; i++)
            next[i] = new_variable(model);
        for (int i = 0; i < have; i++) {
            CLAUSE(model, -count[i], next[i]);
            CLAUSE(model, -count[i], -literals[k], next[i + 1]);
        }
        CLAUSE(model, -literals[k], next[0]);
        have++;
        free(count);
        count = next;
    }
    *at_least = count;
    return have;
}
