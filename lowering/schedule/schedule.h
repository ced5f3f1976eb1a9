/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule.h - schedules as text: what choose decides, to be read, edited and read back.  */
#ifndef WSC_SCHEDULE_H
#define WSC_SCHEDULE_H

#include "ir/queries.h"

/* schedule.c: the numbers that operations have in schedules and graphs, by Op.id, from 1 on.  */
int *schedule_numbers(Kernel *kernel);
/* "acc.16": the name of what it makes, else its own, and its number.  */
const char *schedule_name(const Op *op, const int *numbers);
/* Of the body, of the clauses and of the machine, before choose decides anything.  */
uint64_t schedule_digest(const Kernel *kernel);
/* Of what schedule_text says, without comments and the kernel's name.  */
uint64_t schedule_digest_of_text(const char *text);
/* The roles of an operation of which nothing else is said, given where its ring is filled.  */
uint32_t schedule_default_roles(Kernel *kernel, const Op *op);
/* One writes memory that the other touches.  */
bool schedule_keeps_order(const Op *first, const Op *second);
/* The operation at that place in the order, or NULL.  */
Op *schedule_op_at(Kernel *kernel, int order);
const char *schedule_text(Kernel *kernel);

enum { SCHEDULE_MOST_STAGE = 15 }; /* of an operation, from 0 on */

/* graph.c: the dependences of a kernel's pipelined loops, for wsc-solve; "" without one.  */
const char *schedule_graph(Kernel *kernel);

/* schedule-read.c: what a variant's schedule comes to is its digest; a second variant of the same is refused.  */
void schedule_tell_apart(Kernel *kernel);

/* solver.c: texts of the kernel, from the file of that name and those beside it; from the solver, which makes them.  */
void schedule_kept(Kernel *kernel, const char *path);
void schedule_solve(Kernel *kernel, const char *path);

#endif
