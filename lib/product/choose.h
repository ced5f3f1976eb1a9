/* SPDX-License-Identifier: MIT */
/*
 * choose.h - the kernel for a product: the one with the least time in a cost model.
 *
 * The model depends on the extents, the element size and the number of multiprocessors.
 *
 *      product_choose     the best of product_choices, or PRODUCT_TALL
 *      product_choices    all candidates: forms, with suitable steps, shares and parts of K
 *      product_clocks     the model: the multiprocessor with most tiles, and memory; numbers.def has its numbers
 */
#ifndef PRODUCT_CHOOSE_H
#define PRODUCT_CHOOSE_H

#include <math.h>
#include "forms.h"

typedef struct {
    long batch, M, N, K;
    int bytes, out_bytes; /* of an element of A and B, of C */
    int sms;              /* multiprocessors */
} product_problem;

typedef struct {
#define NUMBER(name, value, meaning) double name;
#include "numbers.def"
#undef NUMBER
} product_numbers;

static const product_numbers product_h200 = {
#define NUMBER(name, value, meaning) value,
#include "numbers.def"
#undef NUMBER
};

/* Numbers that are not fitted. */
#define NUMBER(name, value, meaning)
typedef struct {
#define FIXED(name, value, meaning) double name;
#include "numbers.def"
#undef FIXED
} product_fixed_numbers;

static const product_fixed_numbers product_fixed = {
#define FIXED(name, value, meaning) value,
#include "numbers.def"
#undef FIXED
};
#undef NUMBER

static inline long product_ceil(long x, long y)
{
    return (x + y - 1) / y;
}

/* ---- the tiles of a choice --------------------------------------------------------------------------------------- */

/* Tiles in a row of tiles. */
static inline int product_across(product_choice choice, long N)
{
    const product_form f = product_forms[choice.form];
    const int least = (int)product_ceil(N, choice.step ? choice.step : f.cols);
    return f.kind == PRODUCT_EVEN && choice.across > least ? choice.across : least;
}

/* Columns of a tile; for even shares, of the widest tile. */
static inline int product_cols(product_choice choice, long N)
{
    const product_form f = product_forms[choice.form];
    if (f.kind == PRODUCT_EVEN)
        return (int)product_ceil(N, 8L * product_across(choice, N)) * 8;
    return choice.step ? choice.step : f.cols;
}

/* Tiles that are computed at once, in clusters of `together` tiles.  A cluster lies within a GPC, whose number of
   multiprocessors is no multiple of four. */
static inline long product_places(int together, int sms)
{
    const long clusters = (sms - (together > 2 ? sms / (int)product_fixed.unplaced : 0)) / together;
    return (clusters > 1 ? clusters : 1) * together;
}

/* Alignment of the rows of K: to lines of 128 bytes, to half lines, to sectors of 32 bytes, or none. */
typedef enum { PRODUCT_LINES, PRODUCT_HALVES, PRODUCT_SECTORS, PRODUCT_INSIDE } product_alignment;

typedef struct {
    product_form form;
    int cols;                      /* of a tile */
    int sharing;                   /* blocks that share loads */
    int together;                  /* blocks of a cluster, which share loads or add parts */
    int large;                     /* a tile of 128 x 128 elements or more */
    int wide;                      /* a tile of more columns than one warp group holds */
    int stored_bytes;              /* of an element: parts are stored in f32 */
    long iterations;               /* of a tile */
    long rows, across;             /* tiles in a column, and in a row */
    long rows_whole, across_whole; /* the same, rounded up to whole clusters */
    long planes, tiles;            /* matrices times parts of K; tiles in whole clusters */
    long places, rounds;           /* tiles at once; number of rounds */
    product_alignment alignment;
} product_cut;

static inline product_cut product_cut_into(product_problem p, product_choice choice)
{
    product_form f = product_forms[choice.form];
    if (f.kind == PRODUCT_SKINNY)
        f.lines = 2; /* it has four, and was fitted as if it had two */
    const long row_bytes = p.K * p.bytes;
    product_cut c = {.form = f, .cols = product_cols(choice, p.N), .sharing = f.down * f.across};
    c.together = c.sharing * f.summed;
    c.large = f.rows * f.cols >= 128 * 128;
    c.wide = f.cols > product_fixed.wide_columns;
    c.stored_bytes = f.kind == PRODUCT_PART ? 4 : p.out_bytes;
    c.iterations = product_ceil(product_ceil(row_bytes, 128L * f.lines), choice.parts * f.summed);
    c.rows = product_ceil(p.M, f.rows);
    c.across = product_across(choice, p.N);
    c.rows_whole = product_ceil(c.rows, f.down) * f.down;
    c.across_whole = product_ceil(c.across, f.across) * f.across;
    c.planes = p.batch * choice.parts * f.summed;
    c.tiles = c.planes * c.rows_whole * c.across_whole;
    c.places = product_places(c.together, p.sms);
    c.rounds = product_ceil(c.tiles, c.places);
    c.alignment = row_bytes % 128 == 0  ? PRODUCT_LINES
                  : row_bytes % 64 == 0 ? PRODUCT_HALVES
                  : row_bytes % 32 == 0 ? PRODUCT_SECTORS
                                        : PRODUCT_INSIDE;
    return c;
}

/* Columns of a tile that are multiplied: a multiple of 8 or 16, and more than half of the form's columns.  For even
   shares, the mean of the multiprocessor with most columns: over many rounds it has about as many wide tiles as the
   others. */
static inline double product_multiplied(product_choice choice, long N, long rounds)
{
    const product_form f = product_forms[choice.form];
    const int by = f.cols > product_fixed.wide_columns ? 16 : 8, least = f.cols / 2 + by,
              cols = product_cols(choice, N);
    if (f.kind == PRODUCT_EVEN)
        return (double)product_ceil(product_ceil(rounds * N, product_across(choice, N)), 8) * 8 / (double)rounds;
    return cols == f.cols ? cols : cols < least ? least : (double)product_ceil(cols, by) * by;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* Clocks of two concurrent activities: a little more than the longer one. */
static inline double product_both(double x, double y)
{
    const double longer = x > y ? x : y, shorter = x > y ? y : x, part = longer > 0 ? shorter / longer : 0;
    return longer * (1 + part * part * part * part / product_fixed.overlap);
}

/* Clocks of an iteration of a tile's loop: products, lines that arrive, and requests for them. */
static inline double product_iteration(const product_numbers *n, product_problem p, product_choice choice,
                                       product_cut c)
{
    const product_form f = c.form;
    const double arrives[] = {n->arrives_lines, n->arrives_halves, n->arrives_sectors, n->arrives_inside};
    const double asks[] = {n->asks_lines, n->asks_halves, n->asks_sectors, n->asks_inside};
    const int large_lines = c.large && c.alignment == PRODUCT_LINES;
    const double arrive = large_lines ? n->arrives_large : arrives[c.alignment];
    const double ask = large_lines ? n->asks_large : asks[c.alignment];
    /* Rows out of bounds do not arrive.  Most blocks load the rows of a whole tile; the average is smaller. */
    const double a_most = (double)(p.M < f.rows ? p.M : f.rows), b_most = (double)(p.N < c.cols ? p.N : c.cols);
    const double a_rows = (double)p.M / (double)c.rows, b_rows = (double)p.N / (double)c.across;
    /* A multiprocessor requests one row at a time; requests of others matter less. */
    const double idle = (double)(c.planes * c.rows * c.across) / p.sms;
    const double busy = c.tiles < c.places ? pow(idle, n->idle_neighbours) : 1;
    const double waits = c.sharing == 2 ? (large_lines ? n->waits_2 : 1) : c.sharing > 2 ? n->waits_more : 1;
    const double shares = c.sharing == 2   ? n->shares_2
                          : c.sharing == 4 ? n->shares_4
                          : c.sharing == 8 ? n->shares_8
                                           : 1;
    /* Long work needs so much power that the clock frequency of the multiprocessors falls; L2 has a clock of its
       own. */
    const double work = (double)(p.batch * p.M) * (double)p.N * (double)(p.K * p.bytes);
    const double slower = work > product_fixed.long_work ? n->power_limit : 1;
    const double products = waits * f.rows * product_multiplied(choice, p.N, c.rounds) / 32.0 * (c.wide ? n->wide : 1);
    const double line = product_both(products, (a_most + b_most) * arrive);
    return f.lines * product_both(line, (a_rows / f.across + b_rows / f.down) * ask * shares * busy * slower);
}

/* Columns that are no multiple of 64 are not stored by TMA.  A group stores its columns beyond three times 64 from
   registers. */
static inline int product_cuts_lines(product_cut c)
{
    const int at_step = c.form.kind == PRODUCT_STEP || c.form.kind == PRODUCT_SUMMED;
    return c.form.kind == PRODUCT_EVEN || (at_step && c.cols % 64);
}

static inline int product_leaves_rest(product_cut c)
{
    return c.form.kind >= PRODUCT_EVEN && c.form.cols == 208 && c.cols > 192;
}

static inline double product_epilogue(const product_numbers *n, product_cut c)
{
    const product_form f = c.form;
    /* The blocks that add parts send each other all but their own share. */
    const double sent = f.rows * f.cols * 4.0 * (f.summed - 1) / f.summed / n->sent_bytes;
    const double spare = f.cols - c.cols;
    const double sliced = f.kind < PRODUCT_EVEN ? 0
                                                : n->sliced_row + product_cuts_lines(c) * n->sliced_cut_row +
                                                      product_leaves_rest(c) * n->sliced_rest_row;
    return (f.kind == PRODUCT_ROWS ? n->in_rows : 1) * f.rows *
               ((c.cols + n->spare_column * spare) * c.stored_bytes * n->stored_byte + sliced) +
           sent;
}

/* Clocks of all tiles of the multiprocessor with most tiles. */
static inline double product_rounds(const product_numbers *n, product_problem p, product_choice choice, product_cut c)
{
    const product_form f = c.form;
    const double rounds = (double)c.rounds, iterations = (double)c.iterations;
    const double iteration = product_iteration(n, p, choice, c), after = product_epilogue(n, c);
    const double least = n->iteration + n->iteration_line * f.lines + (c.together > 1 ? n->iteration_cluster : 0);
    if (f.kind == PRODUCT_LIGHT) { /* two at a time, which share the multiprocessor */
        const double pairs = (double)product_ceil(c.rounds, 2) * (least * iterations + after);
        const double clocks = iteration * (double)(c.iterations * c.rounds) + after;
        return pairs > clocks ? pairs : clocks;
    }
    const double cut = f.kind == PRODUCT_EVEN ? n->even_row : product_cuts_lines(c) * n->cut_row;
    const double loop = (iteration > least ? iteration : least) * iterations + cut * f.rows;
    /* Neither work of another group nor the next tile's copies overlap these epilogues. */
    if ((f.kind == PRODUCT_SUMMED || c.wide) && c.rounds > 1)
        return rounds * (loop + after * (c.wide ? n->wide_after : 1));
    const double both = product_leaves_rest(c) ? product_both(loop, after) : loop > after ? loop : (loop + after) / 2;
    return rounds * both + after;
}

/* Clocks of the memory's transfers.  Simultaneous requests of several blocks are one transfer, at some cost. */
static inline double product_memory(const product_numbers *n, product_problem p, product_choice choice, product_cut c)
{
    const double a = c.across_whole > c.form.across ? n->asked_again : 1;
    const double b = c.rows_whole > c.form.down ? n->asked_again : 1;
    const double moved = (double)p.batch * (((double)p.M * a + (double)p.N * b) * (double)p.K * p.bytes +
                                            (double)p.M * (double)p.N * c.stored_bytes * choice.parts);
    return moved / (c.alignment == PRODUCT_LINES ? n->memory_lines : n->memory_other);
}

/* Clocks until the first block runs.  All blocks of a cluster need places at the same time.  Over many rounds they wait
   for each other, too. */
static inline double product_start(const product_numbers *n, product_cut c)
{
    const product_kind kind = c.form.kind;
    const int quick = kind != PRODUCT_LIGHT && kind != PRODUCT_SUMMED && c.rounds <= 2;
    double clocks = kind == PRODUCT_SKINNY ? 0 : kind == PRODUCT_LIGHT ? n->launch_light : n->launch;
    if (c.together > 2)
        clocks += quick ? n->cluster_more_quick : n->cluster_more;
    else if (c.together > 1)
        clocks += quick ? n->cluster_2_quick : n->cluster_2;
    return clocks + (kind == PRODUCT_ROWS ? n->launch_rows : 0);
}

/* Clocks of the kernel that adds parts: a launch, a round trip to memory, and bytes, most of them from L2. */
static inline double product_sum_clocks(const product_numbers *n, product_problem p, int parts)
{
    return n->sum_launch + (double)(p.batch * p.M * p.N) * (parts * 4 + p.out_bytes) / n->sum_bytes;
}

/* Estimated clocks of a product. */
static inline double product_clocks(const product_numbers *n, product_problem p, product_choice choice)
{
    const product_cut c = product_cut_into(p, choice);
    const double clocks =
        product_both(product_rounds(n, p, choice, c), product_memory(n, p, choice, c)) + product_start(n, c);
    return choice.parts > 1 ? n->parts * clocks + product_sum_clocks(n, p, choice.parts) : clocks;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* The step for which tiles of a form make `rounds` rounds; 0 if they have too few columns. */
static inline int product_step(product_form f, product_problem p, long rounds)
{
    const long rows = product_ceil(product_ceil(p.M, f.rows), f.down) * f.down;
    long across = rounds * product_places(f.down * f.across * f.summed, p.sms) / (rows * p.batch * f.summed);
    across = across > f.across ? across / f.across * f.across : across;
    if (across < 1 || across * f.cols < p.N)
        return 0;
    return (int)product_ceil(product_ceil(p.N, across), 8) * 8;
}

/* True if there is the same form for one round of tiles. */
static inline int product_in_rows(product_form f)
{
    for (int form = 0; form < PRODUCT_FORMS_COUNT; form++) {
        const product_form g = product_forms[form];
        if (g.kind == PRODUCT_ROWS && g.rows == f.rows && g.cols == f.cols && g.down == f.down && g.across == f.across)
            return 1;
    }
    return 0;
}

/* More than the choices of one problem.  A form has itself, seven numbers of parts, three rounds of two steps, and six
   shares. */
enum { PRODUCT_CHOICES = PRODUCT_FORMS_COUNT * 20 };

/* True if the form can serve the problem at all. */
static inline int product_suits(product_form f, product_problem p, long rounds)
{
    if (product_ceil(p.M, f.rows) < f.down || product_ceil(p.N, f.cols) < f.across)
        return 0; /* blocks without a tile still wait for others */
    switch (f.kind) {
    case PRODUCT_TALL:
        return 0; /* product_is_tall */
    case PRODUCT_SKINNY:
        return p.M <= f.rows;
    case PRODUCT_SHORT:
        return p.K * p.bytes <= PRODUCT_SHORT_LINES * 128;
    case PRODUCT_SUMMED:
    case PRODUCT_ROWS:
        return rounds <= 1; /* no work overlaps the addition of parts, or the epilogue */
    default:
        return 1;
    }
}

/* Appends the choices of one form to a list of `count`; returns the new count. */
static inline int product_choices_of(int form, product_problem p, product_choice *list, int count)
{
    const product_form f = product_forms[form];
    const long across = product_ceil(p.N, f.cols), tiles = p.batch * f.summed * product_ceil(p.M, f.rows) * across;
    const long places = product_places(f.down * f.across * f.summed, p.sms), least = product_ceil(tiles, places);
    const int once = f.kind == PRODUCT_SUMMED || f.kind == PRODUCT_ROWS;
    const int turns = f.kind == PRODUCT_STEP && product_in_rows(f); /* one round has PRODUCT_ROWS */
    if (!product_suits(f, p, least))
        return count;
    if (f.kind == PRODUCT_PART) {
        for (int parts = 2; parts <= PRODUCT_PARTS && parts * 512 <= p.K * p.bytes && parts * tiles <= places; parts++)
            list[count++] = (product_choice){form, parts, 0, 0};
        return count;
    }
    if (f.kind != PRODUCT_EVEN && (!turns || least > 1))
        list[count++] = (product_choice){form, 1, 0, 0};
    if (f.kind == PRODUCT_STEP && f.cols == 208 && f.down == 1) /* without columns that are stored from registers */
        list[count++] = (product_choice){form, 1, 192, 0};
    for (long rounds = least; f.kind >= PRODUCT_STEP && rounds < least + (once ? 1 : 3); rounds++) {
        int step = product_step(f, p, rounds);
        if (!step || (turns && rounds == 1))
            continue;
        step = f.kind == PRODUCT_ROWS && 2 * step < f.cols ? f.cols / 2 : step;
        list[count++] = (product_choice){form, 1, step, 0};
        if ((step + 63) / 64 * 64 < f.cols)
            list[count++] = (product_choice){form, 1, (step + 63) / 64 * 64, 0};
    }
    /* For many rounds, one more tile in a row may save a round. */
    for (int n = (int)across; least >= 8 && n < across + 6; n++) {
        if (f.kind == PRODUCT_EVEN)
            list[count++] = (product_choice){form, 1, 0, n};
        else if (f.kind == PRODUCT_STEP)
            list[count++] = (product_choice){form, 1, (int)product_ceil(p.N, 8L * n) * 8, 0};
    }
    return count;
}

static inline int product_choices(product_problem p, product_choice list[PRODUCT_CHOICES])
{
    int count = 0;
    for (int form = 0; form < PRODUCT_FORMS_COUNT; form++)
        count = product_choices_of(form, p, list, count);
    return count;
}

/* B fills at least three quarters of its tile, and each multiprocessor has several tiles for it. */
static inline int product_is_tall(product_form f, product_problem p)
{
    return f.kind == PRODUCT_TALL && p.N <= PRODUCT_TALL_COLS && p.N > PRODUCT_TALL_COLS * 3 / 4 &&
           p.K <= PRODUCT_TALL_K && p.K > PRODUCT_TALL_K * 3 / 4 && p.batch < 8 && p.M >= 8L * f.rows * p.sms;
}

static inline product_choice product_choose_by(const product_numbers *numbers, product_problem p)
{
    product_choice list[PRODUCT_CHOICES], best = {0, 1, 0, 0};
    double least = 1e300;
    for (int form = 0; form < PRODUCT_FORMS_COUNT; form++)
        if (product_is_tall(product_forms[form], p))
            return (product_choice){form, 1, 0, 0};
    const int count = product_choices(p, list);
    for (int i = 0; i < count; i++) {
        const double clocks = product_clocks(numbers, p, list[i]);
        if (clocks < least) {
            least = clocks;
            best = list[i];
        }
    }
    return best;
}

static inline product_choice product_choose(product_problem p)
{
    return product_choose_by(&product_h200, p);
}

/* ---- groups of rows ---------------------------------------------------------------------------------------------- */

/* For product_grouped: the number of tiles in a row of tiles. */
typedef struct {
    int across;
    int more; /* the first `more` pairs of rows have one more */
} product_division;

/* Divides rows of tiles of at most `cols` columns into tiles that fill the fewest rounds of `sms` multiprocessors.  The
   time is that of the multiprocessor with most columns.  Much narrower tiles cost more for each column. */
static inline product_division product_grouped_divided(int tiles, int N, int cols, int sms)
{
    const int rows = tiles > 1 ? tiles : 1, fewest = N > cols ? (int)product_ceil(N, cols) : 1, most = fewest + 3;
    const long places = product_ceil((long)rows * fewest, sms) * sms;
    const product_division divided = {(int)(places / rows), (int)(places % rows / 2)};
    return divided.across < most ? divided : (product_division){most, 0};
}

#endif
