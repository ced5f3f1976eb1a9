/* SPDX-License-Identifier: GPL-3.0-or-later */
/* budget.h - what a block has and what a kernel takes of it, in registers and in shared memory: said once, for choose,
   which looks ahead, and for plan, which lays out.  */
#ifndef WSC_BUDGET_H
#define WSC_BUDGET_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BUDGET_HELD_REGISTERS = 208,  /* of these, what accumulators and operands in flight may take */
    BUDGET_EASY_REGISTERS = 200,  /* past these every register counts */
    BUDGET_CHOSEN_REGISTERS = 96, /* that tiles take whose size the compiler chooses */
    BUDGET_CHOSEN_PRODUCT = 160   /* the same, where they are accumulators, too */
};

/* May a role have so many?  */
bool budget_is_register_count(const Machine *machine, int registers);
/* The clause registers(producer, consumer): false, and reported, where a role cannot have so many.  */
bool budget_registers_clause(Kernel *kernel);

/* The layout in which they take the fewest.  */
Layout budget_layout(const Block *block);
/* Registers that tiles of a body take at once, of each thread, before anything has a layout; with products or
   without. */
int budget_tiles(const Block *block);
bool budget_chosen_fits(const Block *block, bool rows_alone); /* each tile is one row, or one element */

/* Bytes of the mbarriers of so many slots, and of those for ping-pong, gathering and dynamic scheduling.  */
int64_t budget_barriers(int slots, bool pingpong, int meetings, bool dynamic);

/* Addresses of all storages, in the order of the struct, barriers behind them; returns its size.  */
int64_t budget_place(Kernel *kernel);
bool budget_fits(const Kernel *kernel, int64_t bytes);

/* One slot less, or one iteration's of resident tiles, in the largest rings whose depth the user left open; false: they
   have no more to give.  */
bool budget_lower_depth(Kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
