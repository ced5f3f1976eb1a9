/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sat.c - the SAT solver: CaDiCaL through its C interface.  */
#include "solve.h"

#include <ccadical.h>
#include <stdlib.h>
#include <time.h>

struct Sat {
    CCaDiCaL *solver;
    const Limit *limit;
};

double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int expired(void *context)
{
    const Limit *limit = context;

    return (limit->cancelled && *limit->cancelled) || now() > limit->until;
}

Sat *sat_new(const Limit *limit)
{
    Sat *sat = need(malloc(sizeof *sat));

    *sat = (Sat){ccadical_init(), limit};
    ccadical_set_terminate(sat->solver, (void *)limit, expired);
    return sat;
}

void sat_free(Sat *sat)
{
    ccadical_release(sat->solver);
    free(sat);
}

void sat_add(Sat *sat, int literal)
{
    ccadical_add(sat->solver, literal);
}

void sat_assume(Sat *sat, int literal)
{
    ccadical_assume(sat->solver, literal);
}

bool sat_expired(const Sat *sat)
{
    return expired((void *)sat->limit);
}

/* The solver checks the time limit only at intervals, so a call may exceed it.  */
Answer sat_solve(Sat *sat)
{
    if (sat_expired(sat))
        return SAT_UNKNOWN;
    return (Answer)ccadical_solve(sat->solver);
}

void sat_hurry(Sat *sat)
{
    ccadical_limit(sat->solver, "conflicts", 5000);
}

bool sat_value(Sat *sat, int variable)
{
    return ccadical_val(sat->solver, variable) > 0;
}

bool sat_failed(Sat *sat, int literal)
{
    return ccadical_failed(sat->solver, literal);
}

const char *sat_name(void)
{
    return ccadical_signature();
}
