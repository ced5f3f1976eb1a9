/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost.h - the cost model: clocks, rates and registers of one GPU.
 *
 * machines/NAME.machine states each number with its meaning and its source.  The build makes a table of them
 * (machines/table.awk), and a machine's description points to its table (Machine.costs).  Passes that compare ways to
 * run a program ask the functions below.  The folder is below all phases: it includes the IR alone.
 *
 * Clocks are of a multiprocessor.  Registers are of a thread.
 */
#ifndef WSC_COST_H
#define WSC_COST_H

#include "costs.h"
#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A member has the name of its row.  */
typedef struct Costs {
    /* Rates: bytes, elements or instructions a clock, or instructions of an element.  */
    int product_clock_bytes, shared_clock_bytes, store_clock_bytes, exchange_clock_bytes, thread_clock_bytes;
    int f64_product_times, lanes, slow_instructions, fast_instructions, reduction_instructions;
    /* Clocks of an iteration, and assumptions about loops whose depth or maker is not known.  */
    int loop_clocks, open_slots, far_clocks, turn_clocks;
    int preparer_waits, preparer_hands_over, group_stages, preparer_reserve;
    double predicted_gain, solved_part;
    /* Registers of tiles, at most.  */
    int held_registers, easy_registers, chosen_registers, chosen_product_registers, tiled_product_registers;
    int epilogue_registers, four_group_registers;
    /* Registers of roles that prepare operands or copy.  */
    int preparing_registers, prepared_registers, beside_prepared_registers, few_beside_prepared_registers;
    int fewest_preparing_registers, most_preparing_registers, passing_registers;
    int issuing_registers, much_issuing_registers, few_issuing_registers;
    /* Registers of groups that multiply, beside their accumulators.  */
    int beside_product_registers, few_beside_product_registers, instruction_registers, left_operand_registers;
    int split_sum_registers, split_step_registers, split_part_registers;
    /* Registers of addresses and temporaries where threads load.  */
    int made_of_loads_registers, other_registers, few_numbers, scratch_registers, coefficient_registers;
    int many_polynomials, row_address_registers, few_rows_address_registers, long_row_address_registers;
    int warps_address_registers, rows_address_registers, few_rows, long_row_columns;
    /* Registers of prefetched and cached rows, at most, and elements that a group holds.  */
    int iteration_registers, next_registers, next_of_many_registers, next_of_warps_registers;
    int once_registers, once_of_many_registers, cached_row_registers, cluster_row_registers;
    int half_group_elements, group_elements;
    /* Bytes, blocks, threads and columns at which another way is better.  */
    int small_slot_bytes, cached_bytes, few_cached_bytes, many_blocks, enough_blocks, enough_threads;
    int least_team_threads, team_columns, cluster_team_columns, alone_team_columns;
    int few_iterations, halved_columns, load_instructions, transposed_bytes;
    int merged_bytes, merged_loop_bytes, merged_transposed_bytes, merged_transposed_side, merged_elements;
    int merged_operations, counted_elements;
    /* Tiles of plain loops: bytes, instructions and clocks.  */
    int memory_clock_bytes, l2_clock_bytes, block_clocks, memory_clocks, round_clocks, warp_clocks;
    int block_instructions, window_instructions, vector_window_instructions, gathered_instructions, summed_instructions;
    int planned_registers, loaded_registers, computed_registers, processors, long_row_bytes;
    double issue_clock_instructions, access_instructions, short_row;
    /* Numbers of launches, which passes share with launchers (runtime/common/estimate.h).  */
    const ws_estimates *estimates;
} Costs;

/* The clocks of tensor cores for a product, with the time to read operands that are narrow.  */
double cost_product(const Costs *costs, const Op *product);
/* The same at the peak rate.  */
int64_t cost_product_at_peak(const Costs *costs, const Op *product);

/* The instructions of an element of the operation.  */
int cost_instructions(const Costs *costs, const Op *op);
/* The clocks of all lanes for the elements, with that many instructions each.  */
double cost_elementwise(const Costs *costs, double elements, int instructions);
/* The clocks of a group for its part of the elements, if `groups` groups divide them.  */
int64_t cost_of_group(const Costs *costs, const Op *op, int64_t elements, int groups);

/* The clocks in which the threads of a group move the bytes.  */
int64_t cost_transfer(const Costs *costs, int64_t bytes);
/* The clocks in which stores move the bytes.  */
double cost_store(const Costs *costs, double bytes);
/* The clocks in which a block of a cluster sends the bytes to others.  */
double cost_exchange(const Costs *costs, double bytes);
/* The clocks of L2 for a line of 128 bytes, for rows that begin `stride` bytes apart.  */
double cost_line(const Costs *costs, int64_t stride);
/* The same in the worst case of a launch.  */
double cost_worst_line(const Costs *costs);

/* The clocks of two concurrent activities: a little more than the longer one.  */
double cost_overlapped(const Costs *costs, double x, double y);
/* The clocks of products in a cluster, whose blocks wait for each other.  */
double cost_in_cluster(const Costs *costs, double clocks);
/* True if the gain exceeds the error of estimates.  */
bool cost_pays(const Costs *costs, double clocks, double otherwise);

#ifdef __cplusplus
}
#endif
#endif
