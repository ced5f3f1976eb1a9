/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explore.h - all orders of a CTA's steps, up to orders that cannot differ.
 *
 *      Exploration *all = exploration_new();
 *      do {
 *          exploration_begin(all);
 *          ... one run, whose scheduler calls exploration_choose and exploration_observe ...
 *      } while (exploration_next(all));
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include "../../runtime/emulate/scheduler.h"

typedef struct Exploration Exploration;

Exploration *exploration_new(void);
void exploration_delete(Exploration *all);
void exploration_begin(Exploration *all);
int exploration_choose(Exploration *all, int count, const ws_sched_choice *choices);
void exploration_observe(Exploration *all, const ws_sched_event *event);
bool exploration_next(Exploration *all); /* false: no order is left */
long exploration_runs(const Exploration *all);
/* The choices of the last run, as text for order_choose.  */
const char *exploration_order(const Exploration *all);

/* Returns the next choice of an order; `text` is the rest of it.  Behind its end the choice is 0.  */
int order_choose(const char **text, int count);

#endif
