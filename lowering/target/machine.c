/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine.c - the GPUs by name, and sizes of tiles in shared memory and registers.  */
#include <string.h>

#include "target/architecture.h"
#include "target/machine.h"

const Machine *machine_named(const char *architecture)
{
#define NAMED(name, machine)         \
    if (!strcmp(architecture, name)) \
        return &(machine);
    WSC_GPUS(NAMED)
#undef NAMED
    return NULL;
}

/* The cursors of a trace take a few lines; the next storage begins at a multiple of 1024.  */
enum { TRACE_BYTES = 1024 };

const Machine *machine_traced(const Machine *machine)
{
    static Machine traced;
    traced = *machine;
    traced.shared_bytes -= TRACE_BYTES;
    return &traced;
}

static int round_up(int value, int multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

bool machine_takes_across_k(const Machine *machine, Dtype operands)
{
    for (int i = 0; i < machine->nproducts; i++)
        if (machine->products[i].operands == operands && machine->products[i].forms & OPERAND_ACROSS_K)
            return true;
    return false;
}

int machine_line_elements(Dtype dtype)
{
    return MACHINE_LINE_BYTES / dtype_bytes(dtype);
}

int machine_lines(Type tile)
{
    return round_up(tile.cols * dtype_bytes(tile.dtype), MACHINE_LINE_BYTES) / MACHINE_LINE_BYTES;
}

int machine_short_line(Type tile)
{
    int bytes = tile.cols * dtype_bytes(tile.dtype);
    if (tile.rows > MACHINE_BOX_ROWS && tile.rows % 8 != 0)
        return 0;
    if (tile.rows == 1 && bytes > MACHINE_LINE_BYTES && bytes % MACHINE_COPY_BYTES == 0 &&
        tile.cols <= MACHINE_BOX_EXTENT)
        return bytes;
    return bytes <= MACHINE_SHORTEST_LINE       ? MACHINE_SHORTEST_LINE
           : bytes <= 2 * MACHINE_SHORTEST_LINE ? 2 * MACHINE_SHORTEST_LINE
                                                : 0;
}

int machine_written_line(Type tile)
{
    return tile.cols == 1 && tile.rows > 1 ? dtype_bytes(tile.dtype) : machine_short_line(tile);
}

int machine_slot_align(int line)
{
    return line && line < MACHINE_SHORTEST_LINE ? MACHINE_COLUMN_ALIGN : MACHINE_SHARED_ALIGN;
}

int64_t machine_slot_bytes(Type tile, int line)
{
    int64_t each = line ? line : (int64_t)machine_lines(tile) * MACHINE_LINE_BYTES, align = machine_slot_align(line);
    int64_t bytes = line > MACHINE_LINE_BYTES ? each : each * round_up(tile.rows, 8);
    return (bytes + align - 1) / align * align;
}

int64_t machine_tile_bytes(Type tile)
{
    return machine_slot_bytes(tile, 0);
}

int machine_output_buffers(Type tile)
{
    int buffers = tile.rows * machine_lines(tile) / MACHINE_MMA_ROWS;
    return buffers ? buffers : 1;
}

int64_t machine_output_bytes(Type tile)
{
    return (int64_t)machine_output_buffers(tile) * MACHINE_MMA_ROWS * MACHINE_LINE_BYTES;
}

int machine_boxes(Type tile)
{
    return round_up(tile.rows, MACHINE_MMA_ROWS) / MACHINE_MMA_ROWS * machine_lines(tile);
}

int64_t machine_copy_bytes(Type tile, int line)
{
    return (line ? line : (int64_t)machine_lines(tile) * MACHINE_LINE_BYTES) * tile.rows;
}

enum { SMALL_BESIDE = 8 };

bool machine_is_small_beside(Type tile, int line, Type other)
{
    return machine_copy_bytes(tile, line) * SMALL_BESIDE <= machine_copy_bytes(other, 0);
}

enum { WARPS = MACHINE_GROUP_THREADS / 32 };

int64_t machine_scratch_bytes(const Op *op, Layout layout)
{
    Type type = op->nargs ? op->args[0]->type : (Type){0};
    int64_t bytes = dtype_bytes(type.dtype), wide = bytes > 4 ? bytes : 4, warps = WARPS * machine_wide_groups(layout);
    switch (op->code) {
    case OP_TRANS:
        return (int64_t)type.rows * type.cols * bytes;
    case OP_ROW_CUMSUM:
    case OP_COL_CUMSUM:
        return (int64_t)type.rows * type.cols * wide;
    case OP_COL_SUM:
    case OP_COL_MAX:
    case OP_COL_MIN:
        return 4 * type.cols * wide;
    case OP_HISTOGRAM:
        return op->results[0]->type.cols * wide;
    case OP_ROW_SUM:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
    case OP_ROW_TOTAL:
        return warps * type.rows * wide;
    case OP_ROW_FIRST:
        return warps * type.rows * 4;
    case OP_ROW_ARGMAX:
        return warps * type.rows * (wide + 8);
    default:
        return 0;
    }
}

/* The type of a group's receive buffer for partial sums of blocks: from each block, a share of the columns.  */
Type machine_parts(const Op *op, int blocks)
{
    Type parts = type_kind(K_TILE, op->args[0]->type);
    parts.cols = op->results[0]->type.cols * blocks;
    return parts;
}

int64_t machine_parts_bytes(Type part)
{
    return (int64_t)round_up(part.rows, MACHINE_MMA_ROWS) * part.cols * dtype_bytes(part.dtype) + 16;
}

/* The words of a team's exchange, for each block.  A row has two slots with a word of each block, a word of each warp,
   and an mbarrier.  In a block that has whole rows, there are two slots with the words of the warps.  */
static int words_of_team(int rows, int each, int blocks, int groups)
{
    if (blocks == 1)
        return 2 * each * WARPS * groups;
    int all = each * rows * (2 * (int)round_up(blocks, 4) + WARPS * groups) + 2;
    return (all + blocks * rows - 1) / (blocks * rows);
}

/* A row that blocks reduce first needs one value of each warp.  If the order of additions counts, each piece is
   sent.  */
Type machine_shares(const Op *op, int cluster, Layout layout)
{
    const int blocks = cluster > 1 ? cluster : 1;
    Type part = op->args[0]->type;
    int pieces = op->tile->piece ? part.cols / op->tile->piece : 0, groups = machine_wide_groups(layout);
    int each = op->nargs == 3 ? 2 : 1; /* a sum of powers also sends the maximum that it is relative to */
    int words = groups > 1 || blocks == 1 ? words_of_team(part.rows, each, blocks, groups) : each * WARPS;
    int columns = pieces ? (pieces > words ? pieces : words) : part.cols == 1 ? 1 : round_up(part.cols, 2);
    return type_tile(part.dtype, blocks, part.rows * columns);
}

int64_t machine_shares_bytes(Type shares)
{
    return (int64_t)shares.rows * round_up(shares.cols, 4) * dtype_bytes(shares.dtype) + 16;
}

enum { CACHED_AT_ONCE = 16 };

int64_t machine_cached_bytes(Type tile, Layout layout)
{
    int threads = MACHINE_GROUP_THREADS * machine_wide_groups(layout);
    int64_t bytes = (int64_t)tile.rows * tile.cols * dtype_bytes(tile.dtype);
    bool even = threads && tile.dtype != D_MASK && bytes % (CACHED_AT_ONCE * threads) == 0 &&
                machine_tile_registers(tile, layout) * 4 * threads == bytes;
    return even ? bytes : 0;
}

int machine_launch_registers(const Machine *machine, int threads)
{
    return machine->registers / threads / 8 * 8;
}

int machine_thread_registers(const Machine *machine, int threads)
{
    const int given = machine_launch_registers(machine, threads);
    return machine->setmaxnreg || given > machine->thread_registers ? machine->thread_registers : given;
}

/* ptxas refuses an instruction whose operands need more registers than the launch gives each thread (C7602).  A later
   setmaxnreg changes nothing.  A column of the accumulator takes half a register, and an instruction takes these beside
   it.  */
int machine_product_columns(const Machine *machine, int threads, bool in_registers)
{
    const Costs *costs = machine->costs;
    const int beside = costs->instruction_registers + (in_registers ? costs->left_operand_registers : 0);
    if (!machine->wgmma) /* an instruction of a warp has 8 columns */
        return machine->product_columns;
    int left = machine_launch_registers(machine, threads) - beside;
    int columns = left * 2 / 8 * 8;
    return columns < machine->product_columns ? columns : machine->product_columns;
}

int machine_exchanges(int lanes)
{
    int steps = 0;
    while (1 << (steps + 1) <= lanes)
        steps++;
    return steps;
}

int machine_row_lanes(Layout layout)
{
    int groups = machine_wide_groups(layout);
    return groups ? groups * MACHINE_GROUP_THREADS : 32 / machine_rows_together(layout);
}

int machine_wide_groups(Layout layout)
{
    return layout >= LAYOUT_WIDE && layout <= LAYOUT_WIDE_8 ? 1 << (layout - LAYOUT_WIDE) : 0;
}

int machine_rows_together(Layout layout)
{
    if (layout >= LAYOUT_STRIPS)
        return 1 << (layout - LAYOUT_STRIPS);
    return layout == LAYOUT_ROWS ? 1 : 1 << (layout - LAYOUT_ROWS_2 + 1);
}

/* The rule of tile.cuh.  */
int machine_vector_columns(int cols, Layout layout)
{
    int lanes = machine_row_lanes(layout);
    return cols >= 8 * lanes ? 8 : cols >= 4 * lanes ? 4 : 2;
}

bool machine_turns_vectors(Type tile, Layout layout)
{
    return layout == LAYOUT_ROWS_8 && tile.dtype != D_MASK && dtype_bytes(tile.dtype) == 2 && tile.rows % 32 == 0 &&
           tile.cols % 32 == 0;
}

bool machine_turns_in_staging(Type tile)
{
    return tile.dtype != D_MASK && dtype_bytes(tile.dtype) == 2 && tile.rows % 16 == 0 &&
           tile.cols % MACHINE_MMA_ROWS == 0;
}

/* A fragment layout pads rows to 64 and columns to 8.  In a layout of rows, each warp holds some rows side by side.  A
   mask element takes a byte; narrow elements share a register.  */
int machine_tile_registers(Type tile, Layout layout)
{
    int elements;
    if (layout == LAYOUT_MMA) {
        int row_slots = tile.rows == 1 ? 1 : round_up(tile.rows, MACHINE_MMA_ROWS) / MACHINE_MMA_ROWS * 2;
        int column_slots = tile.cols == 1 ? 1 : round_up(tile.cols, 8) / 8 * 2;
        elements = row_slots * column_slots;
    } else {
        int lanes = machine_row_lanes(layout), across = lanes * machine_vector_columns(tile.cols, layout);
        /* Rows of the group side by side.  */
        int together = lanes < MACHINE_GROUP_THREADS ? MACHINE_GROUP_THREADS / lanes : 1;
        int row_slots = tile.rows == 1 ? 1 : round_up(tile.rows, together) / together;
        elements = row_slots * (tile.cols == 1 ? 1 : round_up(tile.cols, across) / lanes);
    }
    int bytes = tile.dtype == D_MASK ? 1 : dtype_bytes(tile.dtype);
    return (elements * bytes + 3) / 4;
}

bool machine_brings_vectors(Type tile, Layout layout)
{
    int columns = machine_vector_columns(tile.cols, layout), bytes = dtype_bytes(tile.dtype);
    return bytes >= 2 && columns * bytes % CACHED_AT_ONCE == 0 &&
           tile.cols % (columns * machine_row_lanes(layout)) == 0;
}
