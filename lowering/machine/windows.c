/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * windows.c - loads of a short loop that are a few rows apart, for instance the taps of a filter.
 *
 *      for tap = 0, < 9, 1, %sum                      ws::row_window<ws::f16, 32, 64, ws::strips_2, 3> ws_window_1;
 *        x = load t, b, h + tap / 3, v + tap % 3, c   for (int tap = 0; tap < 9; tap += 1) {
 *        ...                                              x = ws_window_1.take(tap % 3 == 0, tap % 3, 0, t, b, ...);
 *
 * In the example, three taps read one line of the image, each a row below the one before.  In the layout LAYOUT_STRIPS,
 * a thread holds consecutive rows, so it already has all but one row of the next tap.  It loads ten rows for three taps
 * of eight rows.  The loop is unrolled, so that its counter is constant and rows are registers.
 *
 * A coordinate must be the sum of a loop-invariant value and a number that depends on the counter.  No store of the
 * kernel may write the tensor.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "target/machine.h"
#include "target/operands.h"

/* ---- what the counter gives -------------------------------------------------------------------------------------- */

/* True if the value is a number for the iteration `trip`.  */
static bool is_known(const Op *loop, const Value *value, int64_t trip, int64_t *number)
{
    int64_t args[3];
    if (value == loop->blocks[0]->args[0]) {
        *number = trip;
        return true;
    }
    if (!value->def || op_info[value->def->code].class_ != CLASS_SCALAR || value->def->nargs > 3)
        return false;
    if (value->def->code == OP_CONST)
        return ir_constant(value, number);
    for (int i = 0; i < value->def->nargs; i++)
        if (!is_known(loop, value->def->args[i], trip, &args[i]))
            return false;
    return ir_fold(value->def, args, number);
}

/* True if the value is the sum of a loop-invariant value and *number.  */
static bool moves_by(const Op *loop, const Value *value, int64_t trip, int64_t *number)
{
    int64_t second;
    const Op *def = value->def;
    if (is_known(loop, value, trip, number))
        return true;
    *number = 0;
    if (ir_outside(value, loop))
        return true;
    if (!def || value->type.kind != K_SCALAR || !dtype_is_signed(value->type.dtype))
        return false;
    if (def->code == OP_SCALAR_CONVERT)
        return dtype_is_signed(def->args[0]->type.dtype) && moves_by(loop, def->args[0], trip, number);
    if ((def->code != OP_SCALAR_ADD && def->code != OP_SCALAR_SUB) || !moves_by(loop, def->args[0], trip, number) ||
        !moves_by(loop, def->args[1], trip, &second))
        return false;
    *number += def->code == OP_SCALAR_ADD ? second : -second;
    return true;
}

/* True if the loads of two iterations differ only in their row; *rows is the distance.  */
static bool rows_below(const Op *loop, const Op *load, int64_t from, int64_t trip, int64_t *rows)
{
    int row = load->nargs - 2;
    for (int i = 1; i < load->nargs; i++) {
        int64_t before, now;
        if (!moves_by(loop, load->args[i], from, &before) || !moves_by(loop, load->args[i], trip, &now) ||
            (i != row && before != now))
            return false;
        if (i == row)
            *rows = now - before;
    }
    return true;
}

/* True if the loop consists of runs of `period` iterations whose loads are `apart` rows apart.  */
static bool runs_of(const Op *loop, const Op *load, int period, int *apart)
{
    int64_t trips = constant_trips(loop), rows;
    if (trips % period || !rows_below(loop, load, 0, 1, &rows) || rows < 1 || rows > MAX_TRIPS_OF_LOADS)
        return false;
    *apart = (int)rows;
    for (int64_t trip = 0; trip < trips; trip++)
        if (!rows_below(loop, load, trip - trip % period, trip, &rows) || rows != trip % period * *apart)
            return false;
    return true;
}

bool load_window(const Kernel *kernel, const Op *load, RowWindow *window)
{
    const Op *loop = load->parent->parent;
    int64_t low, step;
    if (load->code != OP_LOAD || load->storage || load->transfer->prefetch || !loop || !loop_is_of_loads(loop) ||
        !ir_constant(loop->args[0], &low) || low != 0 || !ir_constant(loop->args[2], &step) || step != 1 ||
        loop->control->compare != OP_SCALAR_LT || !ir_outside(load->args[0], loop) || box_rows(load->args[0]) ||
        load_is_stored(kernel, load))
        return false;
    for (int period = (int)constant_trips(loop); period > 1; period--)
        if (runs_of(loop, load, period, &window->apart)) {
            window->period = period;
            window->span = (period - 1) * window->apart + 1;
            return true;
        }
    return false;
}

/* ---- whose rows follow each other -------------------------------------------------------------------------------- */

typedef struct {
    const Kernel *kernel;
    Layout layout;
    bool whole, any; /* all loads fit the layout; some load gains by it */
    int cost;        /* estimated instructions of a thread */
} Strips;

static int slots_of(const Strips *strips, Type type)
{
    return type.rows == 1 ? 1 : type.rows / (4 * machine_rows_together(strips->layout));
}

static int columns_of(const Strips *strips, Type type)
{
    return type.cols / (32 / machine_rows_together(strips->layout));
}

static bool fills(const Strips *strips, Type type)
{
    int together = machine_rows_together(strips->layout);
    int vector = machine_vector_columns(type.cols, strips->layout);
    return (type.rows == 1 || type.rows % (4 * together) == 0) && type.cols % (32 / together * vector) == 0;
}

/* The instructions of a thread for the loads of a tile, beside the work on its columns.  The layouts are compared in
   bench/notes/choices.md.  */
static int cost_of(const Strips *strips, Type type, int rows)
{
    int columns = columns_of(strips, type), vectors = columns / machine_vector_columns(type.cols, strips->layout);
    return rows * (columns + kernel_costs(strips->kernel)->load_instructions * vectors);
}

static void visit_strip(Op *op, void *context)
{
    Strips *strips = context;
    OpClass class_ = op_info[op->code].class_;
    Type type = op->nresults ? op->results[0]->type : (Type){0};
    const Op *loop = op->parent->parent;
    RowWindow window;
    bool known = class_ == CLASS_SCALAR || class_ == CLASS_TENSOR || class_ == CLASS_READ || class_ == CLASS_LOAD ||
                 class_ == CLASS_STORE || class_ == CLASS_TILE || class_ == CLASS_CONTROL;
    if (!known || (class_ == CLASS_TILE && op->code != OP_FULL && op->code != OP_SPLAT && !op_is_elementwise(op)))
        strips->whole = false;
    if (class_ != CLASS_LOAD || type.cols == 1)
        return;
    strips->whole &= fills(strips, type);
    if (!strips->whole || !loop || !loop_is_of_loads(loop))
        return;
    int trips = (int)constant_trips(loop), slots = slots_of(strips, type);
    bool gains = load_window(strips->kernel, op, &window) && slots + window.span - 1 < window.period * slots;
    strips->any |= gains;
    strips->cost += gains ? trips / window.period * cost_of(strips, type, slots + window.span - 1)
                          : trips * cost_of(strips, type, slots);
}

/* The layout in strips with the least cost for the role; LAYOUT_COUNT: none gains.  */
Layout layout_in_strips(const Kernel *kernel, const Role *role)
{
    Layout best = LAYOUT_COUNT;
    int least = 0;
    if (kernel->arefs)
        return best;
    for (Layout layout = LAYOUT_STRIPS; layout <= LAYOUT_STRIPS_8; layout++) {
        Strips strips = {kernel, layout, true, false, 0};
        ir_walk(role->body, visit_strip, &strips);
        if (strips.whole && strips.any && (best == LAYOUT_COUNT || strips.cost < least))
            best = layout, least = strips.cost;
    }
    return best;
}

/* ---- what it comes to -------------------------------------------------------------------------------------------- */

static void visit_window(Op *op, void *context)
{
    RowWindow window;
    if (op->code != OP_LOAD || !load_window(context, op, &window))
        return;
    op->transfer->window = window.period;
    op->transfer->apart = window.apart;
}

void plan_windows(const Kernel *kernel, const Role *role)
{
    if (role->layout >= LAYOUT_STRIPS)
        ir_walk(role->body, visit_window, (void *)(uintptr_t)kernel);
}

int window_rows(const Op *load)
{
    return (load->transfer->window - 1) * load->transfer->apart;
}
