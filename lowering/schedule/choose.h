/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose.h - the writers of the schedule table and what they share.  */
#ifndef WSC_CHOOSE_H
#define WSC_CHOOSE_H

#include "ir/queries.h"

/* What the fine-grained writer (choose.c) has found in a kernel.  */
typedef struct {
    Kernel *kernel;
    Uses uses;
    int order;
    Op **loads, **stores, **loops, **dots;
    int nloads, nstores, nloops, ndots;
    Op **open; /* loops whose P the user left open */
    int nopen;
    Op **prepared; /* whose results a role of its own puts into rings: choose-prepare.c */
    int nprepared;
    int preparers;           /* groups of the role that does, where the compiler has made it */
    int preparing_registers; /* of each of them; 0: plan decides */
    Op **rings;              /* these, and loads */
    int nrings;
    int64_t parts_bytes;   /* where blocks of a cluster exchange parts of a sum */
    int64_t scratch_bytes; /* where threads of a group exchange elements of a tile */
    bool specialized;
    bool said;    /* by the user, the depth of some ring */
    bool keeps;   /* what neighbouring tiles share stays in its slots */
    bool storing; /* a task stores */
    bool apart;   /* several tasks multiply */
    int streams;  /* registers of a thread for an iteration's loads, where no loop has rings (choose-streams.c) */
} Chooser;

/* choose.c: a list that grows; what an op is computed from, back to what comes through rings; the table's roles, with
   so many groups.  */
void choose_push(Kernel *kernel, Op ***list, int *count, Op *op);
Slice choose_slice(Kernel *kernel, Op *op);
void choose_assign_roles(const Chooser *in, int groups);

/* choose-rings.c: a store to the same memory that may come before the load, or NULL; rows that TMA does not move.  */
Op *choose_aliasing_store(const Chooser *in, Op *load);
bool choose_is_narrow(Type type);
void choose_ring(Chooser *in, Op *load);
void choose_lines(Chooser *in);
void choose_prepared_lines(Chooser *in);
void choose_release(Chooser *in, Op *source, const Value *value); /* of slots that products look at */
void choose_join(Chooser *in);      /* what is small beside another load and freed with it: one ring */
void choose_join_made(Chooser *in); /* the same of what roles compute */

/* choose-groups.c: are the kernel's products narrow enough for a block of so many groups?  */
bool choose_products_fit(const Chooser *in, int groups);
int choose_most_groups(const Chooser *in);   /* that the kernel may come to have */
int choose_wanted_groups(const Chooser *in); /* where the user says nothing */
/* Registers of the largest accumulator that each of so many groups holds, where they divide its rows.  */
int choose_product_registers(const Chooser *in, int groups);
void choose_pingpong(Chooser *in);
int choose_groups(Chooser *in);
bool choose_gathers(const Chooser *in, const Op *loop); /* is there an operand of the loop that groups put together? */
void choose_turns(Chooser *in, int groups);

/* choose-prepare.c: of an iteration's products, of all groups together.  */
int64_t choose_product_clocks(const Chooser *in, const Op *loop);
/* choose-turned.c */
bool choose_only_turns(const Chooser *in); /* few bytes, and nothing is computed */
void choose_order(const Chooser *in);

/* choose-streams.c: loops that are to have no rings are pipelined no more; in how many groups.  */
void choose_streams(Chooser *in);
int choose_streaming_groups(const Chooser *in);

/* choose-prepare.c: which operands of products, in so many groups, a role of its own prepares; makes that role.  */
void choose_prepared(Chooser *in, int groups);
/* Open depths of a kernel that has some; returns that of what products get straight from the copies.  */
int choose_uneven_depth(Chooser *in, int64_t room, int most);

/* choose-task.c: roles that the user names, and what they put into rings, before the schedule of a loop is chosen.  */
void choose_tasks(Chooser *in);
/* Each group of a role that prepares has its rows; false: those of a task cannot.  */
bool choose_task_rows(Kernel *kernel);
void choose_check_rings(const Chooser *in); /* ring(x, D) is of tiles that rings carry */
/* The fewest that the user said of a ring that products read.  */
int choose_said_slots(const Chooser *in, const Op *loop);
void choose_check_slots(const Chooser *in, const Op *loop);
void choose_say_tasks(const Chooser *in);

/* choose-split.c: may `groups` groups of the role divide the rows?  Sets its bit of value->split.  On failure *why is
   the op in the way.  */
bool split_rows(Kernel *kernel, const Role *role, int groups, Op **why);

/* choose-coarse.c: stages and orders for a loop of the form T, C, U.  False, and nothing changed, for any other.  */
bool choose_coarse(Kernel *kernel, Op *loop, const Uses *uses);
/* Has it a U?  */
bool choose_has_second(Kernel *kernel, Op *loop, const Uses *uses);
/* Of the table as it stands: registers that a group of 64 rows cannot share out in time.  These are accumulators that
   the loop carries, products' results, and what products in flight still read while the next of it is computed.  */
int choose_held_registers(const Kernel *kernel, const Block *block, const Uses *uses);
/* ... and a left operand in registers that something needs before the product of the iteration before is waited for,
   which still reads those registers: ptxas would wait for each product where it starts (C7513).  NULL: none.  */
const Value *choose_needed_early(const Block *block, const Uses *uses);

/* choose-stages.c: the same for a chain of products of at least so many stages behind the first; 1: and for a loop of
   one product and what is computed from it.  False, and nothing changed, for any other.  */
bool choose_stages(Kernel *kernel, Op *loop, const Uses *uses, int least);

/* choose-flight.c: products in flight of a loop whose P is open, once everything else is chosen; and the clocks of an
   iteration as the table stands, 0: nobody knows.  Those that differ by less than a tenth are alike, since half of them
   are off by more.  */
void choose_in_flight(Chooser *in, Op *loop);
double choose_predicted(Kernel *kernel, const Op *loop);
#define PREDICTED_APART 1.1

/* choose-more.c: how many groups divide the rows, where two would.  */
int choose_more_groups(Chooser *in, int groups);

/* choose-dynamic.c: do some tiles take longer than others, and may they be scheduled dynamically?  */
bool choose_dynamic(Kernel *kernel);

/* choose-room.c: bytes of a slot, and of all in shared memory but the slots that are still to be counted.  */
int64_t room_of_slot(const Op *source);
int64_t room_fixed(const Chooser *in);
/* Is there room for operands that so many groups stage, each for whole tiles or its rows, beside the fewest slots?  */
bool room_for_staged(const Chooser *in, int groups, bool rows);
int64_t constant_trips(const Op *loop); /* -1: its bounds are not constant */

/* choose-resident.c: depths for the loads of a loop some of which neighbouring tiles share; those are marked as
   resident.  False, and nothing changed, where there are none or `room` bytes do not hold them.  */
bool choose_resident(Kernel *kernel, Op *loop, Op *const *loads, int nloads, int64_t room);

#endif
