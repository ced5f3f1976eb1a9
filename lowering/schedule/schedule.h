/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule.h - schedules as text, which a user or wsc-solve can write and the compiler reads.  */
#ifndef WSC_SCHEDULE_H
#define WSC_SCHEDULE_H

#include "ir/queries.h"

/* schedule.c: the numbers of operations in schedules and graphs, by Op.id, from 1 on.  */
int *schedule_numbers(Kernel *kernel);
/* The text "acc.16": the name of the result, or else of the operation, and the number.  */
const char *schedule_name(const Op *op, const int *numbers);
/* A digest of the body, the clauses and the machine.  `choose` calls it before it decides anything.  */
uint64_t schedule_digest(const Kernel *kernel);
/* A digest of a schedule's text without comments and without the name of the kernel.  */
uint64_t schedule_digest_of_text(const char *text);
/* The roles that an operation has unless a schedule names others.  The ring of the operation must be filled in.  */
uint32_t schedule_default_roles(Kernel *kernel, const Op *op);
/* True if one operation writes memory that the other accesses.  */
bool schedule_keeps_order(const Op *first, const Op *second);
/* The operation with that order in the table, or NULL.  */
Op *schedule_op_at(Kernel *kernel, int order);
/* The schedule of the kernel as text.  */
const char *schedule_text(Kernel *kernel);

enum { SCHEDULE_MOST_STAGE = 15 }; /* the largest stage; the first is 0 */

/* graph.c: the dependence graphs of the pipelined loops, as text for wsc-solve; "" if there is none.  */
const char *schedule_graph(Kernel *kernel);

/* schedule-read.c: refuses a variant whose schedule another variant has.  Digests of the texts are compared.  */
void schedule_tell_apart(Kernel *kernel);

/* solver.c: reads the solved schedules of the kernel from `path` and the numbered files next to it.  */
void schedule_kept(Kernel *kernel, const char *path);
/* Runs wsc-solve, and writes its answers to these files.  */
void schedule_solve(Kernel *kernel, const char *path);

#endif
