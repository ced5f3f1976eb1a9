/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost.c - the cost model of all passes: products, elementwise operations, transfers, exchanges, and lines of L2.
 *
 *      acc = dot (ta, trans (tb), acc)      ta 128 x 64, tb 256 x 64, f16: 2 x 4 instructions of 128 clocks
 *      x = exp (y)                          y 64 x 128: 64 clocks of all lanes for each instruction
 *
 * The numbers are the machine's (Costs).  A number that no row of machines/NAME.machine states is a property of all
 * GPUs with these instructions, as the shape of a product.
 */
#include "cost/cost.h"
#include "estimate.h"

/* An instruction multiplies 64 rows of 32 bytes.  Three products of tf32 make one of f32.  */
enum { INSTRUCTION_ROWS = 64, INSTRUCTION_BYTES = 32, PRODUCTS_OF_PARTS = 3 };

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* An instruction also reads its rows of the left operand, and all columns of the right one.  */
double cost_product(const Costs *costs, const Op *product)
{
    const Type left = product->args[0]->type, right = product->args[1]->type;
    const int bytes = dtype_bytes(left.dtype);
    const double blocks = (double)((left.rows + INSTRUCTION_ROWS - 1) / INSTRUCTION_ROWS), columns = right.cols;
    const double instructions = (double)left.cols * bytes / INSTRUCTION_BYTES;
    const double multiplies = INSTRUCTION_ROWS * INSTRUCTION_BYTES * columns / costs->product_clock_bytes;
    const double reads = INSTRUCTION_BYTES * (INSTRUCTION_ROWS + columns) / costs->shared_clock_bytes;
    const int times = product->code == OP_DOT_F32 ? PRODUCTS_OF_PARTS : bytes == 8 ? costs->f64_product_times : 1;
    return blocks * instructions * (multiplies > reads ? multiplies : reads) * times;
}

int64_t cost_product_at_peak(const Costs *costs, const Op *product)
{
    const Type left = product->args[0]->type, right = product->args[1]->type;
    const int64_t times = product->code == OP_DOT_F32 ? PRODUCTS_OF_PARTS : 1;
    return times * left.rows * left.cols * right.cols * dtype_bytes(left.dtype) / costs->product_clock_bytes;
}

/* ---- elementwise operations -------------------------------------------------------------------------------------- */

int cost_instructions(const Costs *costs, const Op *op)
{
    return op_info[op->code].about & IS_SLOW ? costs->slow_instructions : 1;
}

double cost_elementwise(const Costs *costs, double elements, int instructions)
{
    return elements / costs->lanes * instructions;
}

int64_t cost_of_group(const Costs *costs, const Op *op, int64_t elements, int groups)
{
    return cost_instructions(costs, op) * elements / groups / costs->lanes;
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

int64_t cost_transfer(const Costs *costs, int64_t bytes)
{
    return bytes / costs->thread_clock_bytes / costs->lanes;
}

double cost_store(const Costs *costs, double bytes)
{
    return bytes / costs->store_clock_bytes;
}

double cost_exchange(const Costs *costs, double bytes)
{
    return bytes / costs->exchange_clock_bytes;
}

double cost_line(const Costs *costs, int64_t stride)
{
    return ws_line_clocks(costs->estimates, stride);
}

double cost_worst_line(const Costs *costs)
{
    return costs->estimates->line_inside;
}

/* ---- what happens at once ---------------------------------------------------------------------------------------- */

double cost_overlapped(const Costs *costs, double x, double y)
{
    return ws_overlapped_clocks(costs->estimates, x, y);
}

double cost_in_cluster(const Costs *costs, double clocks)
{
    return clocks * costs->estimates->cluster_wait;
}

bool cost_pays(const Costs *costs, double clocks, double otherwise)
{
    return clocks * costs->estimates->least_gain < otherwise;
}
