/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * predict-loop.c - the prediction for the compiler, which passes graph and schedule as text.
 *
 * Text that cannot be read is no error: the clocks of the loop are then unknown.
 */
#include "predict-loop.h"
#include "solve.h"

#include <setjmp.h>

static jmp_buf given_up;

static void give_up(void)
{
    longjmp(given_up, 1);
}

static bool predict_all(const LoopText *loop, int most, double *clocks)
{
    Problem problem;
    problem_init(&problem);
    problem.wanted = loop->name;
    read_problem(&problem, "machine", loop->machine);
    read_problem(&problem, "graph", loop->graph);
    problem.replicas = loop->in_turn ? 1 : problem.replicas;
    finish_problem(&problem);

    Order order = order_new(&problem);
    bool known = read_order(&problem, &order, "schedule", loop->schedule);
    for (int p = 1; p <= most && known; p++) {
        order.in_flight = p;
        clocks[p - 1] = predict(&problem, &order, true);
        known = clocks[p - 1] > 0;
    }
    order_free(&order);
    problem_free(&problem);
    return known;
}

bool predict_in_flight(const LoopText *loop, int most, double *clocks)
{
    volatile bool known = false;

    fail_by(give_up);
    if (!setjmp(given_up))
        known = predict_all(loop, most, clocks);
    fail_by(NULL);
    return known;
}
