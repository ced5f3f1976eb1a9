/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - functions that the files of the model share.  */
#ifndef WSC_MODEL_H
#define WSC_MODEL_H

#include "solve.h"

/* model.c */
int selector(Model *model, const char *name, const char *of, const char *to); /* literal of a named constraint */
int *variables(Model *model, int n);
bool in_group(const Model *model, int op);
int in_flight(Model *model, int op, int s);   /* literal: the operation is in flight in slot s of the interval */
int in_one_group(Model *model, int a, int b); /* literal: a and b are in the same group */
bool floats(const Problem *problem, int op);  /* a load without predecessors that takes no cycles */
void add_time(Model *model);
void add_dependences(Model *model);
void add_unit(Model *model, int unit);
void add_waits(Model *model);

/* model-order.c: operations of a group have the stages and the order of the joint model.  */
void add_same_order(Model *model);

/* model-exposed.c: for each product that an operation waits for, a literal with the cycles of the wait as its
   weight.  */
Term *exposed_terms(Model *model, int *n);

/* model-parts.c */
void add_order_of_parts(Model *model);

/* model-values.c */
void add_values(Model *model);
Term *carried_terms(Model *model, int *n); /* registers that are live across the end of a time step */

void add_delay(Model *model, const Edge *edge, int delay, int name, int unless);
void add_rings(Model *model); /* limits of the slots of rings */
#endif
