/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-survey.c - the arrays of a plain nest, and how the loops move through them.
 *
 *   for (i ...) for (j ...)                  y: strides m, 1; one store
 *     y[i*m + j] = x[i*m + j - 1] + x[i*m + j + m]     x: strides m, 1; two loads, i from 0 to 1 and j from -1 to 0
 *
 * Extents that are not constant are assumed: a loop of the grid is long, unless it may be the batch of a nest of three.
 */
#include <math.h>
#include <string.h>

#include "cost/gpu.h"
#include "ir/queries.h"
#include "language/plain-survey.h"

enum {
    ASSUMED_EXTENT = 4096, /* of a loop of the grid, and of arrays */
    ASSUMED_ROWS = 16384,  /* of a grid of one loop */
    ASSUMED_TRIPS = 4096,  /* of the loop that is pipelined */
    ASSUMED_BATCH = 8,
    ASSUMED_INNER = 16 /* of other loops */
};

/* ---- what the nest reads and writes ------------------------------------------------------------------------------ */

static double size_of_value(const Value *value)
{
    int64_t number;
    return ir_constant(value, &number) ? fabs((double)number) : ASSUMED_EXTENT;
}

static double size_of(const Poly *x)
{
    double sum = 0;
    for (int i = 0; i < x->count; i++) {
        double product = fabs((double)x->terms[i].factor);
        for (int k = 0; k < x->terms[i].count; k++)
            product *= size_of_value(x->terms[i].values[k]);
        sum += product;
    }
    return sum;
}

/* The loops whose counters the value is computed from.  */
static uint32_t loops_of(Survey *survey, const Value *value)
{
    const Nest *nest = survey->nest;
    const int loop = loop_of(nest, value);
    uint32_t loops = 0;
    if (loop >= 0 || ir_outside(value, nest->region))
        return loop >= 0 ? 1u << loop : 0;
    if (!value->def || value->def->nblocks)
        return ~0u;
    if (survey->is_known[value->id])
        return survey->loops[value->id];
    for (int i = value->def->code == OP_ELEMENT; i < value->def->nargs; i++)
        loops |= loops_of(survey, value->def->args[i]);
    survey->is_known[value->id] = true;
    return survey->loops[value->id] = loops;
}

/* Values that iterations of the nest compute, and that are no counters.  */
static bool is_looked_up(const Survey *survey, const Poly *place)
{
    for (int i = 0; i < place->count; i++)
        for (int k = 0; k < place->terms[i].count; k++)
            if (!is_known_before(survey->nest, place->terms[i].values[k]))
                return true;
    return !place->known;
}

/* The distance to the first access in iterations of the loops, the largest strides first.  */
static void add_distance(const Survey *survey, Array *array, const Poly *place)
{
    Poly rest = poly_add(place, &array->first, -1);
    double steps[MAX_LOOPS] = {0};
    for (int i = 0; i < rest.count; i++) {
        const Term *term = &rest.terms[i];
        double left = (double)term->factor;
        if (fabs(left) >= 0x1p62)
            continue;
        for (int done = 0; done < survey->nest->nloops && left != 0; done++) {
            int largest = -1;
            FOR_LOOPS (l, survey->nest)
                if (array->stride[l] > 0 && steps[l] == 0 &&
                    fabs(left) * 2 > fabs((double)array->factor[l].terms[0].factor) && array->factor[l].count == 1 &&
                    array->factor[l].terms[0].count == term->count &&
                    (largest < 0 || array->stride[l] > array->stride[largest]))
                    largest = l;
            if (largest < 0)
                break;
            const Term *factor = &array->factor[largest].terms[0];
            const double quotient = left / (double)factor->factor;
            if (term->count && (!term_same(term, factor) || quotient != rint(quotient)))
                break;
            steps[largest] += rint(quotient);
            left -= rint(quotient) * (double)factor->factor;
        }
    }
    FOR_LOOPS (l, survey->nest) {
        array->low[l] = fmin(array->low[l], steps[l]);
        array->high[l] = fmax(array->high[l], steps[l]);
    }
}

static void survey_access(Survey *survey, const Op *op)
{
    Nest *nest = survey->nest;
    Array found = {.base = op->args[0], .around = loops_around(nest, op), .moves = loops_of(survey, op->args[1])};
    const bool stores = op->code == OP_SET_ELEMENT;
    Poly rest = poly_of_place(op), factor;
    found.bytes = dtype_bytes((stores ? op->args[2] : op->results[0])->type.dtype);
    found.first = rest;
    FOR_LOOPS (l, nest) {
        const Loop *loop = &nest->loops[l];
        int64_t step = 1;
        Poly other;
        if (!rest.known || !poly_split(&rest, loop->iv, &factor, &other)) {
            found.gathered = true;
            break;
        }
        ir_constant(loop->op->args[2], &step);
        found.factor[l] = factor;
        found.stride[l] = size_of(&factor) * fabs((double)step) / found.bytes;
        rest = other;
    }
    found.gathered |= is_looked_up(survey, &rest);
    for (int i = 0; i < survey->narrays; i++) {
        Array *array = &survey->arrays[i];
        if (array->base != found.base || array->around != found.around || array->gathered != found.gathered ||
            memcmp(array->stride, found.stride, sizeof found.stride))
            continue;
        array->loads += !stores;
        array->stores += stores;
        if (!found.gathered)
            add_distance(survey, array, &found.first);
        return;
    }
    if (survey->narrays == MAX_ARRAYS) {
        survey->is_whole = false;
        return;
    }
    found.loads = !stores;
    found.stores = stores;
    survey->arrays[survey->narrays++] = found;
}

static void survey_block(Survey *survey, const Block *block)
{
    FOR_OPS (op, block) {
        if (op->code == OP_ELEMENT || op->code == OP_SET_ELEMENT)
            survey_access(survey, op);
        else if (op->nresults && op_info[op->code].class_ == CLASS_SCALAR &&
                 (dtype_is_float(op->results[0]->type.dtype) || op->results[0]->type.dtype == D_I1))
            survey->operations += cost_instructions(survey->costs, op);
        for (int i = 0; i < op->nblocks; i++)
            survey_block(survey, op->blocks[i]);
    }
}

/* The outermost of three loops or more may be a batch of few.  */
static void expect_batch(Survey *survey)
{
    const Nest *nest = survey->nest;
    bool next = false; /* its iterations are next to each other */
    for (int i = 0; i < survey->narrays; i++)
        next |= survey->arrays[i].stride[0] == 1;
    if (nest->kernel->grid.dims < 3 || next || survey->known[0])
        return;
    survey->extent[0] = ASSUMED_BATCH;
    survey->known[0] = true;
}

static void survey_loops(Survey *survey)
{
    const Nest *nest = survey->nest;
    survey->inner = -1;
    survey->vectors = true;
    FOR_LOOPS (l, nest) {
        const Op *loop = nest->loops[l].op;
        const Pipeline *pipeline = loop->control->pipeline;
        int64_t trips = loop->control->compare == OP_SCALAR_LT ? constant_trips(loop) : -1, start;
        survey->known[l] = trips >= 0;
        survey->extent[l] = trips >= 0                             ? fmax((double)trips, 1)
                            : nest->loops[l].grid < 0 && !pipeline ? ASSUMED_INNER
                            : nest->loops[l].grid < 0              ? ASSUMED_TRIPS
                            : nest->kernel->grid.dims == 1         ? ASSUMED_ROWS
                                                                   : ASSUMED_EXTENT;
        if (nest->loops[l].grid >= 0)
            survey->vectors &= ir_constant(loop->args[0], &start) && start == 0;
        if (nest->loops[l].grid < 0 && pipeline && !pipeline->parts)
            survey->inner = survey->inner < 0 ? l : nest->nloops;
    }
}

void survey_nest(Survey *survey, Nest *nest)
{
    survey->nest = nest;
    survey->costs = nest->kernel->machine->costs;
    survey->is_whole = true;
    const size_t values = (size_t)nest->kernel->module->next_id + 1;
    survey->loops = arena_alloc(nest->kernel->module, values * sizeof *survey->loops);
    survey->is_known = arena_alloc(nest->kernel->module, values * sizeof *survey->is_known);
    survey_loops(survey);
    survey_block(survey, nest->loops[0].op->blocks[0]);
    expect_batch(survey);
}
