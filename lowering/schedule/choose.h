/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose.h - the functions that write the schedule table, and the state that they share.  */
#ifndef WSC_CHOOSE_H
#define WSC_CHOOSE_H

#include "cost/gpu.h"
#include "ir/queries.h"

/* The state of the pass `choose` for one kernel.  */
typedef struct {
    Kernel *kernel;
    Uses uses;
    int order;
    Op **loads, **stores, **loops, **dots;
    int nloads, nstores, nloops, ndots;
    Op **open; /* loops whose P is left open */
    int nopen;
    Op **prepared; /* operations whose results a role puts into rings: choose-prepare.c, choose-task.c */
    int nprepared;
    int preparers;           /* groups of the compiler's role `preparer` */
    int preparing_registers; /* registers of a thread of it; 0: plan decides */
    Op **rings;              /* sources of rings: loads, and then prepared operations */
    int nrings;
    int64_t parts_bytes;   /* shared memory for the exchange between blocks of a cluster */
    int64_t scratch_bytes; /* most shared memory for an exchange between the threads of a group */
    bool specialized;
    bool said;    /* the user gave a ring's depth */
    bool keeps;   /* a tile that consecutive tiles of the grid share stays in its slots */
    bool storing; /* a task stores */
    bool apart;   /* several tasks multiply */
    int streams;  /* registers of a thread for the loads of an iteration; 0: not streamed (choose-streams.c) */
} Chooser;

/* choose.c: appends to a list that grows by doubling.  */
void choose_push(Kernel *kernel, Op ***list, int *count, Op *op);
/* The backward slice of an operation.  Operations that put their results into rings end it.  */
Slice choose_slice(Kernel *kernel, Op *op);
/* Gives each operation its roles, and the storing role that many groups.  */
void choose_assign_roles(const Chooser *chooser, int groups);

/* choose-rings.c: a store that may write the load's memory before the load reads it; NULL: none.  */
Op *choose_aliasing_store(const Chooser *chooser, Op *load);
/* True if a row has fewer bytes than a TMA copy.  */
bool choose_is_narrow(Type type);
/* Gives the load a ring if it may move to the producer.  */
void choose_ring(Chooser *chooser, Op *load);
/* Chooses the bytes of a line for loads and for prepared operations.  */
void choose_lines(Chooser *chooser);
void choose_prepared_lines(Chooser *chooser);
/* Decides when a slot that products read is released.  */
void choose_release(Chooser *chooser, Op *source, const Value *value);
void choose_join(Chooser *chooser);      /* loads that share a larger load's ring */
void choose_join_made(Chooser *chooser); /* prepared tiles that share another one's ring */

/* choose-groups.c: true if a block of that many groups can execute the kernel's products; their columns limit it.  */
bool choose_products_fit(const Chooser *chooser, int groups);
int choose_most_groups(const Chooser *chooser);   /* most groups that later functions may choose */
int choose_wanted_groups(const Chooser *chooser); /* groups if the user gives no number */
/* The registers of the largest accumulator, if that many groups divide its rows.  */
int choose_product_registers(const Chooser *chooser, int groups);
/* Decides whether groups take whole tiles in turn.  */
void choose_pingpong(Chooser *chooser);
/* The number of groups that multiply and store; sets the split.  */
int choose_groups(Chooser *chooser);
/* True if the groups gather an operand of the loop.  */
bool choose_gathers(const Chooser *chooser, const Op *loop);
/* Decides whether groups that divide rows take turns with their products.  */
void choose_turns(Chooser *chooser, int groups);

/* choose-prepare.c: clocks of the products of one iteration, for all groups together.  */
int64_t choose_product_clocks(const Chooser *chooser, const Op *loop);
/* choose-transposed.c: kernels that only transpose.  */
bool choose_only_turns(const Chooser *chooser); /* the kernel transposes small tiles and computes nothing */
/* Chooses order(column) for such kernels.  */
void choose_order(const Chooser *chooser);

/* choose-streams.c: removes `pipeline` from the loops of a kernel whose loads are streamed to registers.  */
void choose_streams(Chooser *chooser);
/* The number of groups of such a kernel.  */
int choose_streaming_groups(const Chooser *chooser);

/* choose-prepare.c: chooses the operands of products that a role of its own prepares, and makes the role.  */
void choose_prepared(Chooser *chooser, int groups);
/* Sets the open depths of a kernel with prepared operands.  The result is the depth of rings from the producer to
   products.  */
int choose_uneven_depth(Chooser *chooser, int64_t room, int most);

/* choose-task.c: makes roles of the user's tasks, and rings for the tiles that they compute.  */
void choose_tasks(Chooser *chooser);
/* Divides the rows of each role that prepares over its groups.  The result is false if a task's rows cannot be
   divided.  */
bool choose_task_rows(Kernel *kernel);
void choose_check_rings(const Chooser *chooser); /* refuses ring(x, D) for a tile that no ring carries */
/* The smallest D of ring(x, D) among rings that products of the loop read.  */
int choose_said_slots(const Chooser *chooser, const Op *loop);
/* Refuses such a D that is smaller than P.  */
void choose_check_slots(const Chooser *chooser, const Op *loop);
/* Remarks about tasks.  */
void choose_say_tasks(const Chooser *chooser);

/* choose-split.c: true if `groups` groups of the role may divide the rows of its tiles.  Then value->split has the
   role's bit for each divided value.  Otherwise *why is an operation that prevents it.  */
bool split_rows(Kernel *kernel, const Role *role, int groups, Op **why);

/* The reason why products on this GPU overlap with nothing of their group, or NULL.  */
const char *choose_blocking(const Kernel *kernel);
/* choose-coarse.c: stages and orders for a loop of the form T, C, U.  For other loops the result is false, and nothing
   changes.  */
bool choose_coarse(Kernel *kernel, Op *loop, const Uses *uses);
/* True if the loop has a product U.  */
bool choose_has_second(Kernel *kernel, Op *loop, const Uses *uses);
/* The registers of a thread that tiles take across products, if a group has 64 rows.  The function counts accumulators
   and results of products; results that the next stage reads count twice.  It adds left operands in registers of
   products in a later stage.  */
int choose_held_registers(const Kernel *kernel, const Block *block, const Uses *uses);
/* A left operand in registers whose next value is needed before the product that reads it is waited for.  NULL stands
   for none.  ptxas would otherwise wait for each product where it starts (C7513).  */
const Value *choose_needed_early(const Block *block, const Uses *uses);

/* choose-stages.c: stages and orders for a chain of products with at least `least` stages after the first.  With
   `least` 1, loops with one product are included.  For other loops the result is false, and nothing changes.  */
bool choose_stages(Kernel *kernel, Op *loop, const Uses *uses, int least);

/* choose-flight.c: chooses P of a loop whose P is open.  Everything else of the loop is chosen before.  */
void choose_in_flight(Chooser *chooser, Op *loop);
/* The predicted clocks of an iteration with the current table; 0: no prediction.  */
double choose_predicted(Kernel *kernel, const Op *loop);

/* choose-more.c: four groups if two would divide the rows and four are predicted to be faster; else `groups`.  */
int choose_more_groups(Chooser *chooser, int groups);

/* choose-cluster.c: marks shared loads, and refuses clusters that share nothing.  Only a producer shares loads.  */
void choose_cluster(Kernel *kernel, bool specialized);

/* choose-dynamic.c: true if tiles of the grid differ in duration and may be scheduled dynamically.  */
bool choose_dynamic(Kernel *kernel);

/* choose-room.c: the bytes of a slot of the ring for `source`.  */
int64_t room_of_slot(const Op *source);
/* The shared memory of a block without rings of open depth.  */
int64_t room_fixed(const Chooser *chooser);
/* True if shared memory holds the operands that `groups` groups stage, next to the fewest slots.  Each group stages
   operands of its rows, or of whole tiles.  */
bool room_for_staged(const Chooser *chooser, int groups, bool rows);

/* choose-resident.c: marks the load whose tile stays resident in shared memory, and sets the depths of the loop's
   loads.  If there is none, or `room` bytes do not suffice, the result is false and nothing changes.  */
bool choose_resident(Kernel *kernel, Op *loop, Op *const *loads, int nloads, int64_t room);

#endif
