/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.h - functions that layout, plan, proof and print share: positions, facts about lowered roles, and the parts of
   the passes.  */
#ifndef WSC_PLAN_H
#define WSC_PLAN_H

#include "ir/kernel.h"
#include "ir/queries.h"

#ifdef __cplusplus
extern "C" {
#endif

int kernel_meetings(const Kernel *kernel); /* number of roles whose groups synchronize */

/* registers.c: the threads of the kernel, and the registers of each role.  If several roles multiply,
   plan_role_registers sets the registers.  It needs the variables.  */
void plan_threads(Kernel *kernel);
void plan_role_registers(Kernel *kernel);

/* staging.c: expands stores, loads and gathers through shared memory into steps.  */
void plan_staging(Kernel *kernel);

/* reuse.c: storages that use one memory in turn.  plan_shares makes the pairs that the clause share names, plan_reuse
   one pair more; false: there is none.  plan_turns inserts the synchronization between their uses, after plan_staging.
   plan_say_reuse prints the remarks.  */
void plan_shares(Kernel *kernel);
bool plan_reuse(Kernel *kernel);
void plan_turns(Kernel *kernel);
void plan_say_reuse(const Kernel *kernel);
bool storage_is_reused(const Kernel *kernel, const Storage *storage);
/* The groups of the role synchronize between uses of one memory.  */
bool role_meets(const Kernel *kernel, const Role *role);

/* prefetch.c: loads that a block issues before the tile that uses them, or a loop before the iteration.  plan_prefetch
   returns the registers of a thread that they take with their addresses; 0: there are none.  It may raise *peak: an
   iteration holds its own loads, too.  */
/* The blocks that an SM should run at once, limited by registers and by shared memory.  */
int plan_blocks_with(const Kernel *kernel, int peak, int prefetch, int64_t shared_bytes);
int plan_prefetch(Kernel *kernel, int *peak);
/* True if a load or a scalar read has the mark `prefetch`.  */
bool load_is_prefetched(const Op *op);
/* True if the kernel stores to the memory of the load's tensor.  */
bool load_is_stored(const Kernel *kernel, const Op *load);
bool load_is_cached(const Op *op); /* prefetched into shared memory: once for all tiles, or for the next tile */

/* True if the load may be issued early in the way `how`.  The predicate checks the place of the load, its coordinates,
   and stores to its tensor.  */
bool load_may_be_prefetched(const Kernel *kernel, const Op *load, int how);

/* pace.c: marks copies that are issued piece by piece while a loop runs.  */
void plan_pace(Kernel *kernel);
/* True if the copy may be issued so.  */
bool may_be_paced(const Kernel *kernel, const Op *copy);
/* The loop during which the copy is issued, or NULL.  */
const Op *paced_loop(const Op *copy);

/* variables.c: C variables for every role and for the launcher.  */
void plan_variables(Kernel *kernel);

/* layout-operands.c: brings operands of products into a form that the hardware takes.  */
void layout_operands(Kernel *kernel, Role *role);
/* Chooses the f32 storages whose elements TMA rounds to tf32.  */
void layout_round_on_arrival(Kernel *kernel);

/* layout-stores.c: marks transpositions that the staging of a store makes, and chooses the stores that go through
   staging memory.  */
void layout_transposed(Kernel *kernel, Role *role);
void layout_stores(Kernel *kernel, Role *role);

/* pairs.c: pairs of products that become one instruction.  */
void layout_pairs(Kernel *kernel);
/* The product after this one, if both may be one instruction, or NULL.  */
Op *op_paired_with(const Machine *machine, const Op *product);
bool op_is_second(const Op *product); /* the product before it starts both */

/* pressure.c: the most registers of a thread that live tiles take at one point of a role.  The estimate needs
   positions.  */
typedef struct {
    int registers;
    Loc loc;
    const char *tiles; /* "acc 128x256 f32 256, ..." */
} Pressure;
Pressure plan_pressure(Kernel *kernel, const Role *role, int most);
/* Computed from row and column indices and scalars, by a few instructions.  */
bool value_is_of_places(const Value *value);
/* Registers of loads that one statement has in flight; not part of plan_pressure.  */
int plan_loads_together(const Role *role);
int plan_numbers(const Block *block); /* most registers of scalars that nested loops and conditions carry */

/* plan.c: gives every storage its address.  The result is the size of the shared struct.  */
int64_t plan_place(Kernel *kernel);
bool kernel_has_pingpong(const Kernel *kernel);

#ifdef __cplusplus
}
#endif
/* windows.c: windows of a tensor that a loop loads in runs of `period` iterations, each `apart` rows below the one
   before.  `span` is the number of rows from the first to the last window's first row, both counted.  */
typedef struct {
    int period, apart, span;
} RowWindow;
bool load_window(const Kernel *kernel, const Op *load, RowWindow *window);
/* Marks the loads of a role that have such a window.  */
void plan_windows(const Kernel *kernel, const Role *role);
int window_rows(const Op *load); /* rows beyond its tile that the first iteration of a run loads */
/* The best layout in strips for the role; LAYOUT_COUNT: none gains.  */
Layout layout_in_strips(const Kernel *kernel, const Role *role);
/* Fragments.c: true if the fragment layout is better than `other`.  */
bool layout_in_fragments(const Role *role, Layout other);

#endif
