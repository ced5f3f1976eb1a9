/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.h - what the back half of the compiler shares: positions, liveness, and facts about lowered roles.  */
#ifndef WSC_PLAN_H
#define WSC_PLAN_H

#include "ir/ir.h"
#include "ir/queries.h"

#ifdef __cplusplus
extern "C" {
#endif

/* order.c: op->position counts in program order; a control operation ends at the position after its last block.  */
void order_number(Role *role);
int order_end(const Op *op);
/* The op of `block` that is `op` or holds it, NULL when neither.  */
Op *order_in_block(Op *op, const Block *block);
/* The outermost loop (FOR, WHILE, GRID) around `op` that does not hold `block`, or NULL.  */
Op *order_outer_loop(const Op *op, const Block *block);

/* facts.c: what later passes ask of a lowered op, each said once.  */
bool op_is_pure(const Op *op);         /* only makes values; may be left out or computed elsewhere in its block */
bool op_reads_memory(const Op *op);    /* pure, but not across a store or a release */
bool op_is_loop(const Op *op);         /* or a region that carries values, as loops do */
bool op_writes_in_place(const Op *op); /* MMA, DOT, DOT_F32: args[2] and results[0] are one register tile */
Op *tensor_root(const Value *tensor);  /* the TENSOR op below its slices and boxes */
const Value *tensor_memory(const Value *tensor);            /* the pointer that the TENSOR op begins at */
bool stores_what_is_loaded(const Op *op, const void *load); /* a store to the memory of the load's tensor */
Op *role_grid(const Role *role);                            /* its GRID op, or NULL */
Block *role_own_tile(const Role *role);                     /* what a group does for a tile that is its own, or NULL */
Op *kernel_grid(const Kernel *kernel);     /* that of a role that has one: all walk over the same grid */
bool role_holds_tiles(const Role *role);   /* in registers, from one operation to another */
bool role_issues_only(const Role *role);   /* one warp is enough: it starts copies and touches no tile */
int kernel_meetings(const Kernel *kernel); /* roles whose groups meet */
const Op *aref_source(const Aref *aref, const Storage *storage); /* what of the body stands there; NULL: nothing */
int storage_place(const Kernel *kernel, const Storage *storage); /* how many come before it */
Storage *storage_beside(const Kernel *kernel, const Storage *storage); /* which lies beside it, or NULL */
int64_t storage_align(const Storage *storage);
bool storage_is_exchange(const Storage *storage);                  /* blocks of a cluster write to it in each other */
int64_t storage_bytes(const Storage *storage);                     /* of one slot, by its use and tile */
bool role_has_op(const Role *role, Opcode code, const Aref *aref); /* an op of this ring */
bool value_on_host(const Value *value);                            /* depends on the launcher's parameters alone */
bool stores_apart(const Op *x, const Op *y); /* two stores surely write different elements in one iteration */
bool store_moves_on(const Op *store);        /* and in each iteration of the loops around it, inside the grid, others */
/* In-place operation: the store writes the window that the load reads, and in each iteration of the loops around it
   another one. A store behind the load then leaves alone what the load reads in any iteration.  */
bool load_is_in_place(const Op *load, const Op *store);
/* And each thread of the role stores what it loads itself: of a tile in rows and columns an element has one holder, and
   of a single row where all threads share it.  */
bool load_is_of_own(const Role *role, const Op *load, const Op *store);
int role_first_group(const Kernel *kernel, const Role *role);

/* registers.c: threads and the registers of each role; where several multiply behind plan_variables.  */
void plan_threads(Kernel *kernel);
void plan_role_registers(Kernel *kernel);

/* staging.c: stores, loads and gatherings through shared memory, step by step.  */
void plan_staging(Kernel *kernel);

/* reuse.c: storages that use one memory in turn: what the user wants; one pair more, false: there is none; what has to
   stand between, once stores are opened; and what is said of it.  */
void plan_shares(Kernel *kernel);
bool plan_reuse(Kernel *kernel);
void plan_turns(Kernel *kernel);
void plan_say_reuse(const Kernel *kernel);
bool storage_is_reused(const Kernel *kernel, const Storage *storage);
bool role_meets(const Kernel *kernel, const Role *role); /* its groups do, in between */

/* ahead.c: loads that a block makes before it comes to the tile, or a loop before it comes to the iteration, that wants
   them; how many registers they take meanwhile, with addresses; 0: there are none.  The peak of those that an iteration
   takes may rise: its own loads are there, too.  */
enum { PLAN_MADE_OF_LOADS = 24 }; /* registers of what is computed of several of them */
enum { AHEAD_NEXT = 1, AHEAD_ONCE = 2, AHEAD_ITERATION = 3 };
/* Blocks that a multiprocessor is to have, by registers and shared memory.  */
int plan_blocks_with(const Kernel *kernel, int peak, int ahead, int64_t shared_bytes);
int plan_ahead(Kernel *kernel, int *peak);
enum { AHEAD_MOST_KEPT = 128 << 10 }; /* bytes of what tiles have in common, of a block */
/* May this load be so early: where it stands, what its coordinates come from, and who writes what it reads?  */
/* Is it such a load, or number?  */
bool load_is_ahead(const Op *op);
bool load_is_stored(const Kernel *kernel, const Op *load); /* does the kernel store what is loaded? */
bool load_is_kept(const Op *op);                           /* in shared memory: once, or of the next tile */

bool load_may_be_ahead(const Kernel *kernel, const Op *load, int how);

/* whole.c: a tile of the epilogue that comes through a slot of its own, from before the product on.  */
bool load_comes_whole(const Kernel *kernel, const Op *load);
void plan_pace(Kernel *kernel);
bool may_be_paced(const Kernel *kernel, const Op *copy);
const Op *paced_loop(const Op *copy);

/* variables.c: C variables for every role and for the launcher.  */
void plan_variables(Kernel *kernel);

/* layout-operands.c: of products, in a form that the hardware takes; which TMA rounds.  */
void layout_operands(Kernel *kernel, Role *role);
void layout_round_on_arrival(Kernel *kernel);

/* layout-stores.c: transpositions in the staging of a store; which stores go through such memory.  */
void layout_turned(Kernel *kernel, Role *role);
void layout_stores(Kernel *kernel, Role *role);

/* pairs.c: products that are one instruction.  */
void layout_pairs(Kernel *kernel);
/* The product behind this one, if the two may be one instruction. */
Op *op_paired_with(const Machine *machine, const Op *product);
bool op_is_second(const Op *product); /* the one before, which pairs, starts it */

/* picked.c: is it a sum along rows of what a tile has in one column of those from `first` on, and 0 elsewhere?  That
   column of each row; NULL: they count from 0.  */
typedef struct {
    const Value *tile, *column, *first;
} Picked;
bool op_picks_column(const Op *op, Picked *picked);

/* pressure.c: the most registers of a thread that live tiles take at one point of a role; needs positions.  */
typedef struct {
    int registers;
    Loc loc;
    const char *tiles; /* "acc 128x256 f32 256, ..." */
} Pressure;
Pressure plan_pressure(Kernel *kernel, const Role *role, int most);
bool value_is_of_places(const Value *value); /* made of where an element lies and of scalars, by a few instructions */
int plan_loads_together(const Role *role); /* registers of loads that one statement has under way, not counted there */
int plan_numbers(const Block *block); /* registers of the scalars that nested loops and conditions hand on, at most */

bool kernel_has_pingpong(const Kernel *kernel); /* plan.c */
int role_groups(const Role *role);              /* registers.c: of all replicas; a team is several */
int kernel_groups(const Kernel *kernel);        /* of all roles */

#ifdef __cplusplus
}
#endif
/* Windows of a tensor that a loop loads, in runs of `period` iterations, each `apart` rows below the one before
   (windows.c); `span` is 1 + the rows from the first to the last of a run.  */
typedef struct {
    int period, apart, span;
} RowWindow;
bool load_window(const Kernel *kernel, const Op *load, RowWindow *window);
void plan_windows(const Kernel *kernel, const Role *role);
int window_rows(const Op *load); /* of one whose rows stay, that the first iteration of a run loads beyond its tile */
bool loop_is_of_loads(const Op *loop); /* a short one, which is unrolled */
Layout layout_in_strips(const Kernel *kernel, const Role *role);
bool layout_in_fragments(const Role *role, Layout other); /* fragments.c: than in the other layout? */

#endif
