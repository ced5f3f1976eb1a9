/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model-order.c - clauses by which two models have the same program.
 *
 * A program is the stage of each operation, and the order in which a time step issues the operations of a group.
 * Operations that the joint model issues in one slot have the order of the graph.
 *
 *      within [v, s]    v is issued in a slot up to s
 *      first [u, v]     u comes first in the graph, and is issued before v or in the same slot
 */
#include "model.h"

#include <stdlib.h>

/* Returns within [op, s] for each slot s but the last.  */
static int *slots_within(Model *to, const Model *model, int op)
{
    int interval = model->interval, *within = variables(to, interval);

    for (int begin = 0; begin <= model->length; begin += interval)
        for (int s = 0; s < interval - 1; s++) {
            int before = issued(model, op, begin - 1), by = issued(model, op, begin + s);
            CLAUSE(to, -by, before, within[s]);
            CLAUSE(to, -issued(model, op, begin + interval - 1), by, -within[s]);
        }
    return within;
}

/* The slot of u is not later than that of v; it is earlier if `strictly`. The clauses do not hold if `unless` or
   `apart` is true.  */
static void add_no_later(Model *model, int interval, const int *u, const int *v, bool strictly, int unless, int apart)
{
    for (int s = 0; s < interval; s++) {
        int v_by = s < interval - 1 ? v[s] : ALWAYS, last = s - strictly;
        int u_by = last < 0 ? NEVER : last < interval - 1 ? u[last] : ALWAYS;
        CLAUSE(model, unless, apart, -v_by, u_by);
    }
}

static void add_stages(Model *model, int op)
{
    const Model *joint = model->joint;

    for (int t = 1; t * model->interval <= model->length; t++) {
        int one = issued(joint, op, t * joint->interval - 1), other = issued(model, op, t * model->interval - 1);
        CLAUSE(model, -one, other);
        CLAUSE(model, one, -other);
    }
}

void add_same_order(Model *model)
{
    int n = model->problem->nops, joint_interval = model->joint->interval;
    int **joint = need(calloc((size_t)n + 1, sizeof joint[0])), **own = need(calloc((size_t)n + 1, sizeof own[0]));

    for (int v = 0; v < n; v++) {
        if (!in_group(model, v))
            continue;
        add_stages(model, v);
        joint[v] = slots_within(model, model->joint, v);
        own[v] = slots_within(model, model, v);
        for (int u = 0; u < v && !sat_expired(model->sat); u++) {
            if (!in_group(model, u))
                continue;
            int first = new_variable(model), apart = model->groups > 1 ? -in_one_group(model, u, v) : NEVER;
            add_no_later(model, joint_interval, joint[u], joint[v], false, -first, apart);
            add_no_later(model, model->interval, own[u], own[v], false, -first, apart);
            add_no_later(model, joint_interval, joint[v], joint[u], true, first, apart);
            add_no_later(model, model->interval, own[v], own[u], false, first, apart);
        }
    }
    for (int v = 0; v < n; v++) {
        free(joint[v]);
        free(own[v]);
    }
    free(joint);
    free(own);
}
