/* SPDX-License-Identifier: GPL-3.0-or-later */
/* budget.h - the budget of registers and shared memory.  `choose` estimates with it, and `plan` lays out with it.  */
#ifndef WSC_BUDGET_H
#define WSC_BUDGET_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if setmaxnreg can give a role this number of registers.  */
bool budget_is_register_count(const Machine *machine, int registers);
/* Checks the clause registers(producer, consumer).  If setmaxnreg cannot give such a number, the function reports an
   error and returns false.  */
bool budget_registers_clause(Kernel *kernel);

/* The layout in which the tiles of the body take the fewest registers.  */
Layout budget_layout(const Block *block);
/* The registers of a thread that tiles of the body take at once.  No operation needs a layout yet.  */
int budget_tiles(const Block *block);
/* True if the registers suffice for tiles of which the compiler chooses the size.  With `rows_alone`, each tile is one
   row or one element.  */
bool budget_chosen_fits(const Machine *machine, const Block *block, bool planned, bool rows_alone);

/* The bytes of the mbarriers: of the slots, of ping-pong, of `meetings` roles whose groups synchronize, and of dynamic
   scheduling.  */
int64_t budget_barriers(int slots, bool pingpong, int meetings, bool dynamic);

/* Gives every storage its address, in the order of the shared struct, with mbarriers at the end.  The result is the
   size of the struct.  */
int64_t budget_place(Kernel *kernel, bool pingpong, int meetings);
bool budget_fits(const Kernel *kernel, int64_t bytes);

/* Takes a slot from the largest rings whose depth is open, or given for a GPU with more memory.  A ring with resident
   tiles loses the slots of one tile.  The result is false if no ring can lose one and keep `fewest`.  */
bool budget_lower_depth(Kernel *kernel, int fewest);

#ifdef __cplusplus
}
#endif
#endif
