/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arguments.c - makes the arguments of a launch from a kernel's final program.
 *
 * A parameter that bounds a loop gets the value for the wanted trip count.  A bound of the grid gets the value for two
 * tiles.  A step of the grid is the extent of a tile in the first variant.  In the second it is less, so that tiles are
 * cut.  Arrays are as large as the tensors in them, and full of small numbers.  Other integers select branches: they
 * are 2 in the first variant and 0 in the second.  In the third variant arrays begin at their second element, where TMA
 * cannot load them.
 */
#include <stdlib.h>
#include <string.h>

#include "mutation.h"

enum { UNIT = 16 }; /* TMA can begin at a multiple of so many elements, for any type */

/* The use of a parameter.  With several uses the last in this list decides its value.  */
typedef enum {
    PART_NONE,
    PART_DIVISOR,
    PART_EXTENT,
    PART_LOOP_TERM,
    PART_GRID_TERM,
    PART_GRID,
    PART_LOOP,
    PART_STEP
} Part;

typedef struct {
    Kernel *kernel;
    interpret_argument *values;
    Part *parts;  /* by parameter */
    bool *counts; /* by parameter: an extent, or a number of a loop or of the grid */
    int trips, variant;
} Setup;

static void *zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory)
        abort();
    return memory;
}

/* Returns the index of the parameter that the value is, -1: none.  */
static int parameter_of(const Setup *setup, const Value *value)
{
    while (value->def && value->def->code == OP_SCALAR_CONVERT)
        value = value->def->args[0];
    return value->def || value->block || value->index >= setup->kernel->nparams ? -1 : value->index;
}

static void take_part(Setup *setup, int parameter, Part part, int64_t number)
{
    if (parameter < 0 || part < setup->parts[parameter])
        return;
    setup->parts[parameter] = part;
    setup->values[parameter].number = number;
}

/* Sets the parameters from which a value is computed.  */
static void take_terms(Setup *setup, const Value *value, Part part, int64_t number)
{
    Type type = value->type;
    if (type.kind == K_SCALAR && type.dtype != D_I1 && !dtype_is_float(type.dtype))
        take_part(setup, parameter_of(setup, value), part, number);
    for (int i = 0; value->def && i < value->def->nargs; i++)
        take_terms(setup, value->def->args[i], part, number);
}

/* ---- the grid's steps -------------------------------------------------------------------------------------------- */

typedef struct {
    const Value *index;
    int most;
} Width;

/* Finds the largest tile that is loaded at the index.  */
static void visit_width(Op *op, void *context)
{
    Width *width = context;
    if (op->code != OP_LOAD)
        return;
    const int sizes[] = {op->results[0]->type.rows, op->results[0]->type.cols};
    for (int i = 0; i < 2 && i + 2 < op->nargs; i++)
        if (op->args[op->nargs - 2 + i] == width->index && sizes[i] > width->most)
            width->most = sizes[i];
}

/* Sets the grid's step.  The terms of a computed step keep their values.  */
static void visit_step(Op *op, void *context)
{
    Setup *setup = context;
    for (int i = 0; op->code == OP_GRID && i < op->nargs; i += 3) {
        Width width = {op->blocks[0]->args[i / 3], UNIT};
        ir_walk(op->blocks[0], visit_width, &width);
        int less = width.most * 3 / 4 / UNIT * UNIT, parameter = parameter_of(setup, op->args[i + 2]);
        take_terms(setup, op->args[i + 2], PART_STEP, 2);
        take_part(setup, parameter, PART_STEP, setup->variant && less ? less : width.most);
    }
}

/* Returns the step, 0: unknown.  */
static int64_t step_of(const Setup *setup, const Value *value)
{
    int64_t step;
    int parameter = parameter_of(setup, value);
    return ir_constant(value, &step) ? step : parameter >= 0 ? (int64_t)setup->values[parameter].number : 0;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

/* Returns the number of tiles of the grid that share the iterations of a loop whose start depends on the tile.  */
static int64_t sharers(const Op *loop)
{
    const Op *grid = ir_enclosing(loop, OP_GRID);
    int64_t number, product = 1;
    if (!grid || ir_constant(loop->args[0], &number))
        return 1;
    for (int i = 0; i < grid->nargs; i += 3)
        if (ir_constant(grid->args[i + 1], &number) && number > 0)
            product *= number;
    return product;
}

/* Returns the extent of `tiles` tiles, of which the last is half.  Its rows begin where TMA can begin, since a launch
   that TMA cannot serve uses neither copies out nor their waits and fences.  The displaced variant is that launch.  */
static int64_t extent_of(int64_t step, int tiles)
{
    const int64_t half = step / 2 >= UNIT ? (step + step / 2 + UNIT - 1) / UNIT * UNIT - step : step / 2;
    return step > 1 ? (tiles - 1) * step + half : tiles;
}

/* Two tiles along each dimension, and two for each of the groups that take tiles in turn.  */
static int tiles_along(const Setup *setup, int dimension)
{
    const bool in_turn = setup->kernel->schedule.block.split == SPLIT_TILES && dimension == 0;
    int groups = 1;
    FOR_ROLES (role, setup->kernel)
        groups = role->replicas > groups ? role->replicas : groups;
    return in_turn ? 2 * groups : 2;
}

static void visit_bound(Op *op, void *context)
{
    Setup *setup = context;
    int64_t step;
    if (op->code == OP_FOR && ir_constant(op->args[2], &step) && step > 0) {
        int parameter = parameter_of(setup, op->args[1]);
        int64_t ragged = setup->trips > 1 ? step / 2 : 0;
        take_part(setup, parameter, PART_LOOP, setup->trips * step - ragged);
        take_terms(setup, op->args[1], PART_LOOP_TERM, sharers(op) * setup->trips * step - ragged);
    }
    for (int i = 0; op->code == OP_GRID && i < op->nargs; i += 3) {
        step = step_of(setup, op->args[i + 2]);
        take_terms(setup, op->args[i + 1], PART_GRID_TERM, 2);
        take_part(setup, parameter_of(setup, op->args[i + 1]), PART_GRID, extent_of(step, tiles_along(setup, i)));
        if (i == 0 && setup->kernel->grid.from) /* the second of two tiles comes first */
            take_part(setup, parameter_of(setup, setup->kernel->grid.from), PART_DIVISOR, step > 1 ? step : 1);
    }
    for (int i = 0; op->code == OP_TENSOR && i < op->nargs; i++)
        take_terms(setup, op->args[i], PART_EXTENT, 2);
    if (op->code == OP_SCALAR_DIV || op->code == OP_SCALAR_REM)
        take_terms(setup, op->args[1], PART_DIVISOR, 2);
}

/* Sets a parameter that is only a stride, so that no two elements of a stored tensor overlap.  */
static void visit_stride(Op *op, void *context)
{
    Setup *setup = context;
    if (op->code != OP_TENSOR)
        return;
    long stride = 1024;
    for (int rank = op->results[0]->type.rank, i = rank - 2; i >= 0; i--, stride *= 512) {
        int parameter = parameter_of(setup, op->args[1 + rank + i]);
        if (parameter >= 0 && !setup->counts[parameter])
            setup->values[parameter].number = stride;
    }
}

/* Notes the parameters that are extents or bounds.  */
static void visit_count(Op *op, void *context)
{
    Setup *setup = context;
    int rank = op->code == OP_TENSOR ? op->results[0]->type.rank : 0;
    for (int i = 0; i < op->nargs; i++) {
        bool counts = op->code == OP_FOR ? i < 3 : op->code == OP_GRID || (i > 0 && i <= rank);
        int parameter = counts ? parameter_of(setup, op->args[i]) : -1;
        if (parameter >= 0)
            setup->counts[parameter] = true;
    }
}

static double small(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 40) * 0x1p-23 - 1;
}

static void fill(void *buffer, Dtype dtype, size_t count, unsigned long long seed)
{
    unsigned long long state = seed * 2654435761ull + 99;
    ws_compute type = ws_compute_of((int)dtype);
    for (size_t i = 0; i < count; i++) {
        double number = small(&state), integer = 0;
        int32_t whole = (int32_t)(8 * (number + 1));
        float single = (float)number;
        memcpy(&integer, &whole, sizeof whole);
        const void *from = type == WS_COMPUTE_F64   ? (const void *)&number
                           : type == WS_COMPUTE_I32 ? (const void *)&integer
                                                    : (const void *)&single;
        ws_row_write((int)dtype, type, 1, from, (char *)buffer + i * (size_t)element_bytes(dtype));
    }
}

/* Returns the number of elements from the tensor's base to its end.  */
static size_t elements(const Launch *launch, const Op *tensor)
{
    int rank = tensor->results[0]->type.rank;
    long last = 0;
    for (int i = 0; i < rank; i++) {
        long extent = (long)host_value(launch, tensor->args[1 + i]).number;
        long stride = (long)host_value(launch, tensor->args[1 + rank + i]).number;
        last += extent > 0 ? (extent - 1) * stride : 0;
    }
    return (size_t)(last + 1);
}

static void make_arrays(Arguments *arguments, Kernel *kernel, const Plan *plan)
{
    Launch launch = {.plan = plan, .kernel = kernel, .arguments = arguments->values};
    for (int i = 0; i < kernel->nparams; i++) {
        if (kernel->params[i]->type.kind != K_PTR)
            continue;
        size_t count = 64;
        Dtype dtype = kernel->params[i]->type.dtype;
        for (int k = 0; k < plan->ntensors; k++) {
            const Op *tensor = plan->tensors[k];
            if (tensor->args[0] != kernel->params[i])
                continue;
            size_t here = elements(&launch, tensor);
            count = here > count ? here : count;
            dtype = tensor->results[0]->type.dtype;
        }
        count += arguments->displaced;
        arguments->buffers[i] = aligned_alloc(256, (count * 8 + 255) / 256 * 256);
        if (!arguments->buffers[i])
            abort();
        fill(arguments->buffers[i], dtype, count, (unsigned long long)i + 1);
        arguments->values[i].base = (char *)arguments->buffers[i] + (arguments->displaced ? element_bytes(dtype) : 0);
    }
}

Arguments arguments_make(Kernel *kernel, const Plan *plan, int trips, int variant)
{
    size_t count = (size_t)kernel->nparams;
    Arguments arguments = {zeroed(count, sizeof(interpret_argument)), kernel->nparams, zeroed(count, sizeof(void *)),
                           variant == DISPLACED};
    variant %= DISPLACED;
    Setup setup = {kernel, arguments.values, zeroed(count, sizeof(Part)), zeroed(count, sizeof(bool)), trips, variant};
    for (int i = 0; i < kernel->nparams; i++) {
        Type type = kernel->params[i]->type;
        if (dtype_is_float(type.dtype))
            arguments.values[i].real = 0.5;
        else
            arguments.values[i].number = type.dtype == D_I1 ? 1 : 2;
    }
    ir_walk(kernel->body, visit_step, &setup);
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_bound, &setup);
    for (int i = 0; i < kernel->nparams; i++)
        if (variant && !setup.parts[i] && !dtype_is_float(kernel->params[i]->type.dtype))
            arguments.values[i].number = 0;
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_count, &setup);
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_stride, &setup);
    make_arrays(&arguments, kernel, plan);
    free(setup.parts);
    free(setup.counts);
    return arguments;
}

/* True for equal numbers; the arrays follow from these.  */
bool arguments_equal(const Arguments *x, const Arguments *y)
{
    for (int i = 0; i < x->count; i++)
        if (!x->buffers[i] && x->values[i].number != y->values[i].number)
            return false;
    return x->count == y->count && x->displaced == y->displaced;
}

void arguments_drop(Arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++)
        free(arguments->buffers[i]);
    free(arguments->buffers);
    free(arguments->values);
}
