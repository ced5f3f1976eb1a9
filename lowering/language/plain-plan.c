/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-plan.c - tile sizes for the loops of a grid, the cheapest first.
 *
 *   for (k ...) for (j ...) for (i ...)      1 x 1 x 1024, 8 x 1 x 128, 1 x 8 x 128, ..., each with the clocks that a
 *     y[(k*n + j)*n + i] = ...               multiprocessor takes for one element
 *
 * A tiling gives one or two loops of the grid a tile.  An inner loop with a pragma may be one of the two.  The columns
 * of a tile are the loop with the smallest stride; a warp's lanes lie along columns.  The estimate adds up, for one
 * block: bytes of memory and of L2 by sectors of 32 bytes, lines of L1 for each instruction of a warp, instructions,
 * the start of a block and its latency.  They overlap, so the largest one counts most.  Extents that are not constant
 * are assumed to be large.
 *
 * Nests with products of three axes keep the sizes that products want.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cost/gpu.h"
#include "ir/queries.h"
#include "language/plain-plan.h"
#include "language/plain-survey.h"

enum {
    WARP = 32,
    WARPS = 4,
    SECTOR = 32,
    LINE = 128,
    FEWEST_ELEMENTS = 256, /* two of each thread */
    MOST_ELEMENTS = 2048,
    MOST_WAITING = 4096, /* of a tile that is summed or transposed */
    OVERLAP = 5,         /* the exponent of terms that overlap */
    MOST_BLOCKS = 12,    /* of a multiprocessor */
    ENOUGH_BLOCKS = 4,
    MOST_ROWS = 64,
    FEWEST_COLUMNS = 32,
    MOST_COLUMNS = 1024,
    FEW_TRIPS = 16 /* of a loop whose loads lie in one window */
};

/* Guesses, which with the rows [tiling] of machines/hopper.machine put the measured tilings in order.  */
enum {
    OPERATIONS_KEPT = 8, /* operations of an element, for each register that they keep */
    UNIFORM_PART = 5,    /* of the work for a window, what a load takes that all elements share, beside itself */
    UNIFORM_LOAD = 2,    /* instructions of that load */
    TURNED_ELEMENT = 3,  /* instructions to transpose an element */
    TURNED_LIFE = 3,     /* a block that transposes lasts as many times a load and a store */
    SHUFFLE = 2          /* instructions of a step of a sum among lanes */
};

/* ---- the cost of one tiling -------------------------------------------------------------------------------------- */

/* Registers for one element of a tile: what is loaded, and what is made of it.  */
static double registers_of(const Survey *survey)
{
    double loads = 0, wide = 1;
    for (int i = 0; i < survey->narrays; i++) {
        const double each = survey->arrays[i].bytes > 4 ? 2 : 1;
        loads += survey->arrays[i].loads * each;
        wide = fmax(wide, each);
    }
    const double sums = survey->inner < 0 ? 0 : survey->nest->loops[survey->inner].op->nresults - 1;
    return fmin(loads, survey->costs->loaded_registers) + fmax(sums, 0) * wide +
           (1 + fmin(survey->operations / OPERATIONS_KEPT, survey->costs->computed_registers)) * wide;
}

static double widest_of(const Survey *survey)
{
    double bytes = 1;
    for (int i = 0; i < survey->narrays; i++)
        bytes = fmax(bytes, survey->arrays[i].bytes);
    return bytes;
}

/* Lanes of a warp over a tile of rows x columns: `rows_of_warp` rows, and `vector` elements of each lane.  */
typedef struct {
    double rows, columns;
    bool shared; /* the warps of a group share each row */
    double rows_of_warp, lanes, vector, elements;
} Lanes;

static Lanes lanes_of(double rows, double columns, bool vectors)
{
    Lanes lanes = {.rows = rows, .columns = columns, .shared = rows < WARPS, .rows_of_warp = 1};
    if (!lanes.shared)
        while (lanes.rows_of_warp < WARP && lanes.rows_of_warp * columns < 2 * WARP &&
               lanes.rows_of_warp * WARPS < rows)
            lanes.rows_of_warp *= 2;
    lanes.lanes = lanes.shared ? WARP * WARPS : WARP / lanes.rows_of_warp;
    lanes.vector = columns == 1                 ? 1
                   : !vectors                   ? 2
                   : columns >= 8 * lanes.lanes ? 8
                   : columns >= 4 * lanes.lanes ? 4
                                                : 2;
    lanes.elements = ceil(columns / (lanes.lanes * lanes.vector)) * lanes.vector *
                     (lanes.shared ? rows : ceil(rows / (WARPS * lanes.rows_of_warp)));
    return lanes;
}

/* Lines and sectors that a warp touches with one vector of each lane; returns its instructions.  */
static double touched(const Lanes *lanes, const Array *array, double row_stride, double column_stride, bool whole,
                      double *lines, double *sectors)
{
    const double bytes = array->bytes, used = fmin(lanes->lanes * lanes->vector, lanes->columns);
    const double instructions = whole ? fmax(1, lanes->vector * bytes / 16) : lanes->vector;
    const double run = column_stride * used * bytes, rows = lanes->shared ? 1 : lanes->rows_of_warp;
    const double in_warp = lanes->shared ? fmin(used, WARP * lanes->vector) / used : 1;
    const double each = column_stride == 0 ? 1 : fmin(run * in_warp / LINE + 0.5, WARP / rows);
    const double apart = row_stride == 0 ? 1 : fmin(rows, 1 + rows * row_stride * bytes / LINE);
    *lines = instructions * each * apart;
    const double sectors_each = column_stride == 0 ? 1 : fmin(run * in_warp / SECTOR + 0.5, WARP / rows);
    const double sectors_apart = row_stride == 0 ? 1 : fmin(rows, 1 + rows * row_stride * bytes / SECTOR);
    *sectors = instructions * sectors_each * sectors_apart;
    return instructions;
}

static double sectors_of(double rows, double run, double bytes, double stride)
{
    return rows * (stride * bytes >= SECTOR ? run : (run - 1) * stride * bytes / SECTOR + 1);
}

static int columns_of(const Survey *survey, const int *tiles)
{
    int best = -1;
    double least = 0;
    FOR_LOOPS (l, survey->nest) {
        if (tiles[l] <= 1)
            continue;
        double sum = 0;
        for (int i = 0; i < survey->narrays; i++)
            if (!survey->arrays[i].gathered && survey->arrays[i].stride[l] > 0)
                sum += fmin(survey->arrays[i].stride[l], LINE) * (survey->arrays[i].loads + survey->arrays[i].stores);
            else
                sum += 2;
        if (best < 0 || sum <= least)
            best = l, least = sum;
    }
    return best;
}

/* A short loop inside touches neighbours: what it adds to the window of an iteration of the grid's loop whose stride is
   next to its own.  */
typedef struct {
    double dense[MAX_LOOPS]; /* elements of one iteration along the loop, of those between it and the next */
    double span[MAX_LOOPS];  /* iterations that the window reaches beyond */
    bool inside[MAX_LOOPS];  /* loops that were taken in */
} Reach;

static bool has_few_trips(const Survey *survey, const int *tiles, int loop)
{
    return survey->nest->loops[loop].grid < 0 && tiles[loop] == 1 && survey->extent[loop] <= FEW_TRIPS;
}

static Reach reach_of(const Survey *survey, const Array *array, const int *tiles)
{
    const Nest *nest = survey->nest;
    Reach reach = {.inside = {false}};
    FOR_LOOPS (l, nest) {
        reach.dense[l] = 1;
        reach.span[l] = array->high[l] - array->low[l];
    }
    FOR_LOOPS (l, nest) {
        int next = -1;
        if (!has_few_trips(survey, tiles, l) || !(array->around >> l & 1) || array->stride[l] == 0)
            continue;
        FOR_LOOPS (g, nest)
            if (nest->loops[g].grid >= 0 && array->stride[g] >= array->stride[l] &&
                (next < 0 || array->stride[g] < array->stride[next]))
                next = g;
        reach.inside[l] = next >= 0;
        if (next < 0)
            continue;
        const double ratio = array->stride[next] / array->stride[l], dense = fmin(ratio, survey->extent[l]);
        reach.dense[next] *= dense;
        reach.span[next] += (survey->extent[l] - dense) / ratio;
    }
    return reach;
}

/* What a block asks of each part of a multiprocessor.  Instructions are of one warp.  */
typedef struct {
    double bytes, sectors, lines, instructions;
    bool turns; /* a tile through shared memory */
} Work;

/* Elements of vectors lie at multiples of a vector for all accesses.  */
static bool is_aligned(const Survey *survey, const Array *array, const int *tiles, int column)
{
    if (!survey->vectors || array->stride[column] != 1 || array->low[column] < array->high[column])
        return false;
    FOR_LOOPS (l, survey->nest)
        if (survey->nest->loops[l].grid < 0 && tiles[l] == 1 && array->stride[l] > 0 && fmod(array->stride[l], 4) != 0)
            return false;
    return true;
}

static void add_gathered(const Survey *survey, const Array *array, const Lanes *lanes, double accesses, Work *work)
{
    const double elements = accesses * lanes->elements;
    work->instructions += elements * survey->costs->gathered_instructions;
    work->lines += elements * WARPS * WARP / 2;
    work->sectors += elements * WARPS * WARP / 2;
    work->bytes += elements * WARPS * WARP * array->bytes;
}

/* All that the loads of a block touch: the box around them, or each by itself.  */
static double sectors_loaded(const Survey *survey, const Array *array, const int *tiles, const Reach *reach, int row,
                             int column, double accesses)
{
    const double gap = column >= 0 && array->stride[column] > 0 ? array->stride[column] : 1;
    double rows = row >= 0 && array->stride[row] > 0 ? tiles[row] : 1, others = 1;
    double run = column >= 0 && array->stride[column] > 0 ? tiles[column] : 1;
    const double alone = sectors_of(rows, run, array->bytes, gap) * accesses;
    FOR_LOOPS (l, survey->nest) {
        if (l == column)
            run += reach->span[l];
        else if (l == row)
            rows = (rows + reach->span[l]) * reach->dense[l];
        else if (array->stride[l] == 1)
            run += reach->span[l] / gap;
        else
            others *= (reach->span[l] + 1) * reach->dense[l];
    }
    return fmin(sectors_of(rows * others, run, array->bytes, gap), alone);
}

/* Bytes of memory.  Elements of a sector that other blocks take come again, since they run at another time.  */
static double bytes_moved(const Survey *survey, const Array *array, const int *tiles, const Reach *reach)
{
    double bytes = array->bytes;
    FOR_LOOPS (l, survey->nest) {
        if (array->stride[l] > 0)
            bytes *= tiles[l] * reach->dense[l];
        if (array->stride[l] == 1 && tiles[l] * array->bytes < SECTOR && !reach->inside[l])
            bytes *= (double)SECTOR / (tiles[l] * array->bytes);
    }
    return bytes * ((array->loads > 0) + (array->stores > 0));
}

/* The tile is transposed, through shared memory.  */
static bool is_turned(const Array *array, int row, int column)
{
    return row >= 0 && array->stride[row] == 1 && array->stride[column] > 1;
}

static bool any_turned(const Survey *survey, int row, int column)
{
    for (int i = 0; i < survey->narrays; i++)
        if (is_turned(&survey->arrays[i], row, column))
            return true;
    return false;
}

static void add_array(const Survey *survey, const Array *array, const int *tiles, int row, int column, Work *work)
{
    const Nest *nest = survey->nest;
    const Costs *costs = survey->costs;
    const bool turned = is_turned(array, row, column);
    if (turned) {
        const int other = row;
        row = column;
        column = other;
    }
    const Lanes lanes = lanes_of(row < 0 ? 1 : tiles[row], column < 0 ? 1 : tiles[column], survey->vectors);
    const Reach reach = reach_of(survey, array, tiles);
    const uint32_t axes = (row < 0 ? 0 : 1u << row) | (column < 0 ? 0 : 1u << column);
    double times = 1, again = 1; /* iterations of the loops inside, and of those that move the window */
    FOR_LOOPS (l, nest)
        if (nest->loops[l].grid < 0 && array->around >> l & 1) {
            times *= ceil(survey->extent[l] / tiles[l]);
            again *= reach.inside[l] || array->stride[l] == 0 ? 1 : ceil(survey->extent[l] / tiles[l]);
        }
    const double accesses = times * (array->loads + array->stores);
    if (array->gathered && array->moves & axes) {
        add_gathered(survey, array, &lanes, accesses, work);
        return;
    }
    const double row_stride = row < 0 ? 0 : array->stride[row], column_stride = column < 0 ? 0 : array->stride[column];
    const double window = survey->vectors ? costs->vector_window_instructions : costs->window_instructions;
    if (row_stride == 0 && column_stride == 0) {
        work->instructions += accesses * (UNIFORM_LOAD + window / UNIFORM_PART);
        work->lines += accesses;
    } else {
        double lines, sectors;
        const double vectors = lanes.elements / lanes.vector;
        const double each = touched(&lanes, array, row_stride, column_stride,
                                    column >= 0 && is_aligned(survey, array, tiles, column), &lines, &sectors);
        work->instructions += accesses * (vectors * each * costs->access_instructions + window) +
                              (turned ? accesses * lanes.elements * TURNED_ELEMENT : 0);
        work->lines += accesses * vectors * lines * WARPS;
        work->sectors += times * array->stores * vectors * sectors * WARPS;
    }
    if (array->loads)
        work->sectors += again * sectors_loaded(survey, array, tiles, &reach, row, column, accesses);
    /* The rows of a tile that is transposed lie in different pages of memory.  */
    const double paged = work->turns && column_stride == 1 ? 1 + LINE / (tiles[column] * (double)array->bytes) : 1;
    work->bytes += again * bytes_moved(survey, array, tiles, &reach) * paged;
}

/* The part of a tile that is inside, where the extent is not known: of three of them.  */
static double used_part(const Survey *survey, int loop, int tile)
{
    static const double extents[] = {100, 1000, 10000};
    double sum = 0;
    if (survey->known[loop])
        return survey->extent[loop] / (ceil(survey->extent[loop] / tile) * tile);
    for (int i = 0; i < 3; i++)
        sum += extents[i] / (ceil(extents[i] / tile) * tile) / 3;
    return sum;
}

/* The clocks of a multiprocessor for one element, with `tiles` iterations of each loop in a tile.  */
static double clocks_of(const Survey *survey, const int *tiles, int row, int column)
{
    const Nest *nest = survey->nest;
    const Costs *costs = survey->costs;
    const Machine *machine = nest->kernel->machine;
    const int inner = survey->inner >= 0 && tiles[survey->inner] > 1 ? survey->inner : -1;
    double trips = 1, useful = 1, grid = 1, turns = 1;
    Work work = {0};
    FOR_LOOPS (l, nest) {
        const double iterations = ceil(survey->extent[l] / tiles[l]);
        if (nest->loops[l].grid >= 0)
            grid *= iterations;
        else
            turns *= iterations;
        if (nest->loops[l].grid < 0 && !(survey->known[l] && has_few_trips(survey, tiles, l)))
            trips *= iterations;
        useful *= tiles[l] * used_part(survey, l, tiles[l]);
    }
    const double rows = row < 0 ? 1 : tiles[row], columns = column < 0 ? 1 : tiles[column];
    const Lanes lanes = lanes_of(rows, columns, survey->vectors);
    work.turns = any_turned(survey, row, column);
    for (int i = 0; i < survey->narrays; i++)
        add_array(survey, &survey->arrays[i], tiles, row, column, &work);
    work.instructions += turns * survey->operations * lanes.elements + costs->block_instructions;
    if (inner >= 0) { /* each iteration adds up its tile */
        const double slots = lanes.shared ? rows : ceil(rows / (WARPS * lanes.rows_of_warp));
        work.instructions += trips * (inner == column ? slots * SHUFFLE * log2(lanes.lanes)
                                                      : lanes.elements / lanes.vector + costs->summed_instructions);
    }
    const double registers = costs->other_registers / 2 + registers_of(survey) * lanes.elements;
    const double resident = fmin(
        MOST_BLOCKS, fmax(1, floor(machine->registers / (WARP * WARPS * fmin(registers, machine->thread_registers)))));
    const double blocks = fmin(resident, grid / costs->processors);
    const double life = trips > 1 ? fmax(trips * costs->round_clocks, work.instructions * costs->warp_clocks)
                                  : costs->memory_clocks * (work.turns ? TURNED_LIFE : 1);
    const double terms[] = {work.bytes / costs->memory_clock_bytes,
                            work.sectors * SECTOR / costs->l2_clock_bytes,
                            work.lines,
                            work.instructions * WARPS / costs->issue_clock_instructions,
                            costs->block_clocks,
                            life / blocks};
    const double pressure = inner >= 0 ? 1 : fmax(1, sqrt(ENOUGH_BLOCKS / resident)); /* too few warps to overlap */
    double sum = 0;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        sum += pow(terms[i], OVERLAP);
    /* Of plans that are nearly equal the longer rows.  */
    const double shorter = log2(fmin(costs->long_row_bytes / (columns * widest_of(survey)), WARP));
    return pressure * pow(sum, 1.0 / OVERLAP) / (useful * (trips > 1 ? trips : 1)) *
           (1 + costs->short_row * fmax(shorter, 0));
}

/* ---- all tilings ------------------------------------------------------------------------------------------------- */

typedef struct {
    const Survey *survey;
    Tiling *tilings;
    int count, most;
} Ranking;

static bool may_be_tiled(const Survey *survey, int loop)
{
    return survey->nest->loops[loop].grid >= 0 || loop == survey->inner;
}

/* A tile is neither too small for its block's start nor too large for registers.  Tiles that are summed or transposed
   are larger, since a block waits more often.  */
static bool is_of_a_size(const Survey *survey, double elements, int row, int column)
{
    double whole = 1; /* no tile is larger than all iterations */
    FOR_LOOPS (l, survey->nest)
        if (may_be_tiled(survey, l))
            whole *= survey->known[l] ? survey->extent[l] : HUGE_VAL;
    const bool waits = survey->inner >= 0 || any_turned(survey, row, column);
    return elements >= fmin(FEWEST_ELEMENTS, whole) && elements <= (waits ? MOST_WAITING : MOST_ELEMENTS) &&
           elements / (WARP * WARPS) * registers_of(survey) <= survey->costs->planned_registers;
}

static bool is_ranked(const Ranking *ranking, const Tiling *tiling)
{
    for (int i = 0; i < ranking->count; i++)
        if (!memcmp(ranking->tilings[i].tile, tiling->tile, sizeof tiling->tile) &&
            ranking->tilings[i].inner == tiling->inner)
            return true;
    return false;
}

static void consider(Ranking *ranking, int first, int first_tile, int second, int second_tile)
{
    const Nest *nest = ranking->survey->nest;
    int tiles[MAX_LOOPS] = {0}, at = ranking->count;
    Tiling tiling = {.inner = 1};
    FOR_LOOPS (l, nest) {
        tiles[l] = l == first ? first_tile : l == second ? second_tile : 1;
        if (nest->loops[l].grid >= 0)
            tiling.tile[nest->loops[l].grid] = tiles[l];
        else if (tiles[l] > 1)
            tiling.inner = tiles[l];
    }
    const Survey *survey = ranking->survey;
    const Pipeline *pipeline = survey->inner < 0 ? NULL : nest->loops[survey->inner].op->control->pipeline;
    const int column = columns_of(survey, tiles), row = column == first ? second : first;
    if (is_ranked(ranking, &tiling) || (pipeline && pipeline->tile && pipeline->tile != tiling.inner) ||
        !is_of_a_size(survey, (double)first_tile * second_tile, row, column))
        return;
    tiling.clocks = clocks_of(survey, tiles, row, column);
    while (at > 0 && ranking->tilings[at - 1].clocks > tiling.clocks)
        at--;
    if (at == ranking->most)
        return;
    ranking->count += ranking->count < ranking->most;
    memmove(&ranking->tilings[at + 1], &ranking->tilings[at],
            (size_t)(ranking->count - 1 - at) * sizeof *ranking->tilings);
    ranking->tilings[at] = tiling;
}

/* Powers of two, the last of them at least a constant extent in eights.  */
static int next_size(const Survey *survey, int loop, int size)
{
    const double extent = survey->known[loop] ? ceil(survey->extent[loop] / 8) * 8 : HUGE_VAL;
    return size >= extent ? INT_MAX : size * 2.0 > extent ? (int)extent : size * 2;
}

static void consider_all(Ranking *ranking)
{
    const Survey *survey = ranking->survey;
    for (int c = survey->nest->nloops - 1; c >= 0; c--) {
        if (!may_be_tiled(survey, c))
            continue;
        for (int columns = FEWEST_COLUMNS; columns <= MOST_COLUMNS; columns = next_size(survey, c, columns)) {
            if (survey->inner < 0)
                consider(ranking, c, columns, -1, 1);
            for (int r = survey->nest->nloops - 1; r >= 0; r--)
                if (r != c && may_be_tiled(survey, r) &&
                    (survey->inner < 0 || r == survey->inner || c == survey->inner))
                    for (int rows = WARPS; rows <= MOST_ROWS; rows = next_size(survey, r, rows))
                        consider(ranking, c, columns, r, rows);
        }
    }
}

int plan_tilings(Nest *nest, Tiling *tilings, int most)
{
    Survey *survey = arena_alloc(nest->kernel->module, sizeof *survey);
    Ranking ranking = {survey, tilings, 0, most};
    survey_nest(survey, nest);
    if (!survey->is_whole || (survey->inner < 0 && nest->kernel->grid.dims == 1) || survey->inner == nest->nloops ||
        (survey->inner >= 0 && nest->kernel->grid.dims > 1))
        return 0;
    consider_all(&ranking);
    return ranking.count;
}

const char *plan_text(const Kernel *kernel, const Tiling *tiling)
{
    Module *module = kernel->module;
    const char *text = "";
    for (int i = 0; i < kernel->grid.dims; i++)
        text = arena_print(module, "%s%s%d", text, i ? " x " : "", tiling->tile[i]);
    return tiling->inner > 1 ? arena_print(module, "%s, and %d inside", text, tiling->inner) : text;
}
