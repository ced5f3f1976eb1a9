/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - what the files of the model share.  */
#ifndef WSC_MODEL_H
#define WSC_MODEL_H

#include "solve.h"

/* model.c */
int selector(Model *model, const char *name, const char *of, const char *to); /* under it a named constraint holds */
int *variables(Model *model, int n);
bool in_group(const Model *model, int op);
int in_flight(Model *model, int op, int s); /* the operation is under way in that slot */
int in_one_group(Model *model, int a, int b);
bool floats(const Problem *problem, int op); /* a load that nothing precedes and that takes no time */
void add_time(Model *model);
void add_dependences(Model *model);
void add_unit(Model *model, int unit);
void add_waits(Model *model);

/* model-order.c: operations of a group stand in the same stages and in the same order as in the joint model.  */
void add_same_order(Model *model);

/* model-exposed.c: a literal for each product that is waited for, and what that wait takes.  */
Term *exposed_terms(Model *model, int *n);

/* model-parts.c */
void add_order_of_parts(Model *model);

/* model-values.c */
void add_values(Model *model);
Term *carried_terms(Model *model, int *n); /* registers that live where a time step ends */

void add_delay(Model *model, const Edge *edge, int delay, int name, int unless);
void add_rings(Model *model); /* slots */
#endif
