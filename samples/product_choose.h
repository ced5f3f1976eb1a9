/* SPDX-License-Identifier: MIT */
/*
 * product_choose.h - which of product.h's kernels serves a product: a model of the clocks that each would take, from extents,
 * element size and the number of multiprocessors.  Its numbers were fitted to times on an H200 (bench/README.md).
 */
#ifndef PRODUCT_CHOOSE_H
#define PRODUCT_CHOOSE_H

#include <math.h>

/* product_short serves so many iterations of 128 bytes of k, product_tall B of so many columns and rows, and product_part divides
   K into at most so many parts. */
enum { PRODUCT_SHORT = 6, PRODUCT_SHORT_COLS = 192, PRODUCT_TALL_COLS = 256, PRODUCT_TALL_K = 256, PRODUCT_PARTS = 8 };

/* Six tile shapes: 128x256, 128x208 (with 192 of its columns for few iterations, and where four blocks load shares of B, which are
   multiples of eight rows), 128x128, 64x128, 64x64, 64x32.  A form is one of them, alone or in a cluster of blocks that share what
   they load; DIVIDED: K may be divided, too; STEPPED: tiles may follow each other at a step that is shorter than they; ROWS: the
   same for one round of tiles; EVEN: so many tiles share the columns.  Sharing loads counts where rows of K do not fill lines of
   128 bytes, since their copies are bound by L2, and where A or B is small; a step or even shares where they make the last round
   of tiles full. */
#define PRODUCT_FORMS(form, ...)                    \
    form(STEPPED, 128, 208, 1, 1, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 208, 1, 2, 1, __VA_ARGS__)   \
    form(EVEN, 128, 208, 1, 1, 1, __VA_ARGS__)      \
    form(STEPPED, 128, 256, 1, 1, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 256, 1, 2, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 256, 1, 1, 4, __VA_ARGS__)   \
    form(DIVIDED, 128, 128, 1, 1, 1, __VA_ARGS__)   \
    form(DIVIDED, 128, 128, 1, 2, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 1, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 1, 2, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 1, 4, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 2, 2, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 4, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 2, 4, __VA_ARGS__)   \
    form(ROWS, 128, 208, 1, 2, 1, __VA_ARGS__)      \
    form(STEPPED, 128, 192, 1, 4, 1, __VA_ARGS__)   \
    form(ROWS, 128, 192, 1, 4, 1, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 1, 1, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 1, 2, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 1, 4, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 2, 1, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 2, 2, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 2, 4, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 4, 1, __VA_ARGS__)      \
    form(DIVIDED, 64, 128, 2, 1, 1, __VA_ARGS__)    \
    form(WHOLE, 64, 128, 1, 2, 1, __VA_ARGS__)      \
    form(WHOLE, 64, 128, 1, 4, 1, __VA_ARGS__)      \
    form(STEPPED, 64, 128, 1, 4, 1, __VA_ARGS__)    \
    form(WHOLE, 64, 64, 2, 1, 1, __VA_ARGS__)

/* Of product_light: rows, columns, lines, slots, and the cluster. */
#define PRODUCT_LIGHTS(form, ...)          \
    form(64, 128, 1, 4, 1, 1, __VA_ARGS__) \
    form(64, 64, 1, 6, 1, 1, __VA_ARGS__)  \
    form(64, 64, 1, 6, 4, 1, __VA_ARGS__)  \
    form(64, 32, 2, 4, 1, 1, __VA_ARGS__)

/* Of product_summed, at a step: rows, columns, lines, and parts that blocks of a cluster add. */
#define PRODUCT_SUMS(form, ...)       \
    form(64, 64, 2, 4, __VA_ARGS__)   \
    form(64, 64, 2, 8, __VA_ARGS__)   \
    form(64, 128, 1, 4, __VA_ARGS__)  \
    form(64, 128, 1, 8, __VA_ARGS__)  \
    form(128, 128, 1, 4, __VA_ARGS__)

typedef struct {
    int kind;
    int rows, cols;   /* of a tile */
    int lines;        /* of 128 bytes of k in an iteration */
    int down, across; /* blocks in a cluster: tiles of a column, of a row, */
    int summed;       /* or parts of one tile */
    int light;        /* a multiprocessor holds two blocks */
} product_form;

enum { PRODUCT_WHOLE, PRODUCT_DIVIDED, PRODUCT_EVEN, PRODUCT_STEPPED, PRODUCT_ROWS }; /* from STEPPED on: at a step */
#define PRODUCT_ROW_(kind, rows, cols, lines, down, across, ...) {PRODUCT_##kind, rows, cols, lines, down, across, 1, 0},
#define PRODUCT_LIGHT_ROW_(rows, cols, lines, slots, down, across, ...) {PRODUCT_WHOLE, rows, cols, lines, down, across, 1, 1},
#define PRODUCT_SUM_ROW_(rows, cols, lines, parts, ...)          {PRODUCT_STEPPED, rows, cols, lines, 1, 1, parts, 0},
static const product_form product_forms[] = {
    PRODUCT_FORMS(PRODUCT_ROW_, ) PRODUCT_LIGHTS(PRODUCT_LIGHT_ROW_, )
        PRODUCT_SUMS(PRODUCT_SUM_ROW_, ){PRODUCT_WHOLE, 16, 64, 2, 1, 1, 1, 0},
    {PRODUCT_WHOLE, 64, PRODUCT_TALL_COLS, 1, 1, 1, 1, 0}};
/* The last two: product_skinny and product_tall. */
enum { PRODUCT_TALL = sizeof product_forms / sizeof *product_forms - 1, PRODUCT_SKINNY = PRODUCT_TALL - 1 };

typedef struct {
    int form, parts, step; /* of the columns: 0 is all of a tile's */
    int across;            /* tiles that share the columns, where the form is EVEN; 0 is as few as can be */
} product_choice;

static inline long product_ceil(long x, long y)
{
    return (x + y - 1) / y;
}

/* Of two things that go on at once, how long both take: a little more than the longer one. */
static inline double product_both(double x, double y)
{
    double longer = x > y ? x : y, shorter = x > y ? y : x, part = longer > 0 ? shorter / longer : 0;
    return longer * (1 + part * part * part * part / 5);
}

/* Clocks of the kernel that adds the parts: a launch and an answer of memory, and bytes, most of them from L2. */
static inline double product_sum_clocks(long batch, long M, long N, int parts, int out_bytes)
{
    return 5500 + (double)(batch * M * N) * (parts * 4 + out_bytes) / 2800;
}

/* By how rows of K begin: with lines of 128 bytes, for large tiles and for others; in their middle; with sectors of 32 bytes;
   within these. */
enum { PRODUCT_LARGE, PRODUCT_LINES, PRODUCT_HALVES, PRODUCT_SECTORS, PRODUCT_INSIDE };
static inline int product_begins(long row_bytes, int large)
{
    return row_bytes % 128 == 0  ? (large ? PRODUCT_LARGE : PRODUCT_LINES)
           : row_bytes % 64 == 0 ? PRODUCT_HALVES
           : row_bytes % 32 == 0 ? PRODUCT_SECTORS
                                 : PRODUCT_INSIDE;
}

/* Tiles that are computed at once, in clusters of so many: a cluster lies within a group of multiprocessors, which are not all
   multiples of four. */
static inline long product_places(int together, int sms)
{
    const long clusters = (sms - (together > 2 ? sms / 11 : 0)) / together;
    return (clusters > 1 ? clusters : 1) * together;
}

/* The first form has a kernel for few iterations, whose tiles are not sliced. */
static inline int product_is_short(product_choice choice, long row_bytes)
{
    return choice.form == 0 && choice.step == PRODUCT_SHORT_COLS && row_bytes <= PRODUCT_SHORT * 128;
}

/* How many tiles stand side by side, and how many columns a tile has, the widest of those that share them evenly. */
static inline int product_across(product_choice choice, long N)
{
    const product_form f = product_forms[choice.form];
    const int least = (int)product_ceil(N, choice.step ? choice.step : f.cols);
    return f.kind == PRODUCT_EVEN && choice.across > least ? choice.across : least;
}

static inline int product_cols(product_choice choice, long N)
{
    const product_form f = product_forms[choice.form];
    return f.kind == PRODUCT_EVEN ? (int)product_ceil(N, 8L * product_across(choice, N)) * 8 : choice.step ? choice.step : f.cols;
}

/* Of a tile's columns those that are multiplied, by eights or sixteens and more than half of what it could have.  Of even shares the
   multiprocessor counts that has most: one with so many rounds has about as many wide tiles as the others. */
static inline double product_multiplied(product_choice choice, long N, long rounds)
{
    const product_form f = product_forms[choice.form];
    const int by = f.cols > 208 ? 16 : 8, least = f.cols / 2 + by, cols = product_cols(choice, N);
    if (f.kind == PRODUCT_EVEN)
        return (double)product_ceil(product_ceil(rounds * N, product_across(choice, N)), 8) * 8 / (double)rounds;
    return cols == f.cols ? cols : cols < least ? least : (double)product_ceil(cols, by) * by;
}

/* Clocks that a product takes in one form, roughly: what the multiprocessor with most tiles needs, and the memory. */
static inline double product_clocks(product_choice choice, long batch, long M, long N, long K, int bytes, int out_bytes, int sms)
{
    /* For a row of 128 bytes of k to arrive in a multiprocessor, and to be asked for: rows that begin in the middle of a line are
       two requests, and of a sector, two of these. */
    static const double arrives[] = {1.02, 1.38, 1.90, 1.61, 2.03}, asks[] = {1.53, 1.77, 1.97, 2.49, 4.46};
    const product_form f = product_forms[choice.form];
    const int step = product_cols(choice, N), wide = f.cols > 208, brief = product_is_short(choice, K * bytes);
    const int sharing = f.down * f.across, together = sharing * f.summed, stored = choice.parts > 1 ? 4 : out_bytes;
    const long blocks = product_ceil(product_ceil(K * bytes, 128 * f.lines), choice.parts * f.summed);
    const long rows = product_ceil(M, f.rows), cols = product_across(choice, N);
    const long down = product_ceil(rows, f.down) * f.down, across = product_ceil(cols, f.across) * f.across;
    const long planes = batch * choice.parts * f.summed, tiles = planes * down * across;
    const long places = product_places(together, sms), rounds = product_ceil(tiles, places);
    /* Only rows that there are arrive: those of a whole tile in most blocks, on average fewer. */
    const double a_most = (double)(M < f.rows ? M : f.rows), b_most = (double)(N < step ? N : step);
    const double a_rows = (double)M / (double)rows, b_rows = (double)N / (double)cols;
    /* A multiprocessor asks for a row at a time; that others ask, too, matters less. */
    const double busy = tiles < places ? pow((double)(planes * rows * cols) / sms, 0.285) : 1;
    const int large = f.rows * f.cols >= 128 * 128, begins = product_begins(K * bytes, large);
    /* The tensor cores, and where blocks that share wait for each other; what arrives in a multiprocessor; what is asked for. */
    const double width = product_multiplied(choice, N, rounds);
    const double waits = sharing == 2 ? (large && K * bytes % 128 == 0 ? 1.104 : 1) : sharing > 2 ? 1.107 : 1;
    const double shares = sharing == 2 ? 0.94 : sharing == 4 ? 0.76 : sharing == 8 ? 0.55 : 1;
    /* Long work draws so much power that the multiprocessors' clock falls, by a quarter; L2 has its own. */
    const double slower = (double)(batch * M) * (double)N * (double)(K * bytes) > 8e10 ? 0.776 : 1;
    double block = product_both(waits * f.rows * width / 32.0 * (wide ? 1.118 : 1), (a_most + b_most) * arrives[begins]);
    block = f.lines * product_both(block, (a_rows / f.across + b_rows / f.down) * asks[begins] * shares * busy * slower);
    /* What ends within 128 bytes of columns does not leave by the engine, and a part of that nothing runs under; still less where
       widths differ.  What is left of 208 columns behind three strips of 64 leaves from registers, which takes long. */
    const int even = f.kind == PRODUCT_EVEN, cut = even || (f.kind == PRODUCT_STEPPED && step % 64);
    const int rest = f.kind >= PRODUCT_EVEN && f.cols == 208 && step > 192;
    const double least = 158 + 108 * f.lines + (together > 1 ? 55 : 0);
    const double lone = (block > least ? block : least) * (double)blocks + (even ? 5 : cut * 1.5) * f.rows;
    /* Blocks that add parts send each other all but their share of them. */
    const double sent = f.rows * f.cols * 4.0 * (f.summed - 1) / f.summed / 19.3;
    const double spare = brief ? 0 : f.cols - step, sliced = f.kind >= PRODUCT_EVEN && !brief ? 5.7 + cut * 3.8 + rest * 25 : 0;
    const double after = (f.kind == PRODUCT_ROWS ? 0.5 : 1) * f.rows * ((step + 4.0 * spare) * stored * 0.0074 + sliced) + sent;
    double clocks;
    if (f.light) { /* two at a time, which share the multiprocessor */
        const double pairs = (double)product_ceil(rounds, 2) * (least * (double)blocks + after);
        clocks = block * (double)(blocks * rounds) + after;
        clocks = pairs > clocks ? pairs : clocks;
    } else if ((f.summed > 1 || wide) && rounds > 1) { /* nothing runs under the epilogue, or the next tile's copies */
        clocks = (double)rounds * (lone + after * (wide ? 0.83 : 1));
    } else {
        clocks = (double)rounds * (rest ? product_both(lone, after) : lone > after ? lone : (lone + after) / 2) + after;
    }
    /* What several blocks ask for at once comes from memory once, but not for nothing. */
    const double a_asked = across > f.across ? 1.15 : 1, b_asked = down > f.down ? 1.15 : 1;
    const double moved = (double)batch * (((double)M * a_asked + (double)N * b_asked) * (double)K * bytes +
                                          (double)M * (double)N * stored * choice.parts);
    clocks = product_both(clocks, moved / (K * bytes % 128 == 0 ? 3980 : 4650));
    clocks += choice.form == PRODUCT_SKINNY ? 0 : f.light ? 2205 : 2571;
    /* Until all blocks of a cluster have their places; through many rounds they wait for each other, too. */
    const int quick = !f.light && f.summed == 1 && rounds <= 2;
    clocks += together > 2 ? (quick ? 300 : 943) : together > 1 ? (quick ? 1000 : 2013) : 0;
    clocks += f.kind == PRODUCT_ROWS ? 800 : 0;
    return choice.parts > 1 ? 1.1 * clocks + product_sum_clocks(batch, M, N, choice.parts, out_bytes) : clocks;
}

/* B fills its tile by three quarters at least, and each multiprocessor has some tiles to keep it for. */
static inline int product_is_tall(long batch, long M, long N, long K, int sms)
{
    return N <= PRODUCT_TALL_COLS && N > PRODUCT_TALL_COLS * 3 / 4 && K <= PRODUCT_TALL_K && K > PRODUCT_TALL_K * 3 / 4 &&
           batch < 8 && M >= 8L * product_forms[PRODUCT_TALL].rows * sms;
}

/* The step with which tiles of a form make so many rounds; 0 if they have not enough columns. */
static inline int product_step(product_form f, long batch, long M, long N, long rounds, int sms)
{
    const int together = f.down * f.across * f.summed;
    long across = rounds * product_places(together, sms) / (product_ceil(product_ceil(M, f.rows), f.down) * f.down * batch * f.summed);
    across = across > f.across ? across / f.across * f.across : across;
    if (across < 1 || across * f.cols < N)
        return 0;
    return (int)product_ceil(product_ceil(N, across), 8) * 8;
}

/* Is there the same form for one round of tiles? */
static inline int product_in_rows(product_form f)
{
    for (int form = 0; form < PRODUCT_SKINNY; form++) {
        const product_form g = product_forms[form];
        if (g.kind == PRODUCT_ROWS && g.rows == f.rows && g.cols == f.cols && g.down == f.down && g.across == f.across)
            return f.summed == 1;
    }
    return 0;
}

typedef struct {
    product_choice choice;
    double clocks;
} product_best;

static inline void product_try(product_best *best, product_choice choice, long batch, long M, long N, long K, int bytes,
                               int out_bytes, int sms)
{
    const double clocks = product_clocks(choice, batch, M, N, K, bytes, out_bytes, sms);
    if (clocks < best->clocks)
        *best = (product_best){choice, clocks};
}

/* The best form, with the number of parts of K or a step, on `sms` multiprocessors; for few rows PRODUCT_SKINNY, for most
   PRODUCT_TALL. */
static inline product_choice product_choose(long batch, long M, long N, long K, int bytes, int out_bytes, int sms)
{
    product_best best = {{0, 1, 0, 0}, 1e300};
    if (product_is_tall(batch, M, N, K, sms))
        return (product_choice){PRODUCT_TALL, 1, 0, 0};
    for (int form = 0; form <= PRODUCT_SKINNY; form++) {
        const product_form f = product_forms[form];
        const long down = product_ceil(M, f.rows), across = product_ceil(N, f.cols), tiles = batch * f.summed * down * across;
        const long places = product_places(f.down * f.across * f.summed, sms), least = product_ceil(tiles, places);
        /* Nothing runs under the adding of parts, or under ROWS' epilogues; and blocks that have no tile still wait for others. */
        const int once = f.summed > 1 || f.kind == PRODUCT_ROWS, turns = f.kind == PRODUCT_STEPPED && product_in_rows(f);
        if ((form == PRODUCT_SKINNY && M > 16) || down < f.down || across < f.across || (once && least > 1))
            continue;
        if (f.kind != PRODUCT_EVEN && (!turns || least > 1))
            product_try(&best, (product_choice){form, 1, 0, 0}, batch, M, N, K, bytes, out_bytes, sms);
        if (form == 0)
            product_try(&best, (product_choice){form, 1, PRODUCT_SHORT_COLS, 0}, batch, M, N, K, bytes, out_bytes, sms);
        const int divided = f.kind == PRODUCT_DIVIDED ? PRODUCT_PARTS : 0;
        for (int parts = 2; parts <= divided && parts * 512 <= K * bytes && parts * tiles <= places; parts++)
            product_try(&best, (product_choice){form, parts, 0, 0}, batch, M, N, K, bytes, out_bytes, sms);
        for (long rounds = least; f.kind >= PRODUCT_STEPPED && rounds < least + (once ? 1 : 3); rounds++) {
            int step = product_step(f, batch, M, N, rounds, sms);
            if (!step || (turns && rounds == 1))
                continue;
            step = f.kind == PRODUCT_ROWS && 2 * step < f.cols ? f.cols / 2 : step;
            product_try(&best, (product_choice){form, 1, step, 0}, batch, M, N, K, bytes, out_bytes, sms);
            if ((step + 63) / 64 * 64 < f.cols)
                product_try(&best, (product_choice){form, 1, (step + 63) / 64 * 64, 0}, batch, M, N, K, bytes,
                            out_bytes, sms);
        }
        /* Where there are many rounds a tile more in a row may make some less. */
        for (int n = (int)across; least >= 8 && n < across + 6 && f.summed == 1; n++) {
            if (f.kind == PRODUCT_EVEN)
                product_try(&best, (product_choice){form, 1, 0, n}, batch, M, N, K, bytes, out_bytes, sms);
            else if (f.kind == PRODUCT_STEPPED)
                product_try(&best, (product_choice){form, 1, (int)product_ceil(N, 8L * n) * 8, 0}, batch, M, N, K,
                            bytes, out_bytes, sms);
        }
    }
    return best.choice;
}

/* Of product_grouped: how many tiles a row of tiles has. */
typedef struct {
    int across;
    int more; /* so many pairs of rows, the first ones, have one more */
} product_division;

/* So many rows of tiles of at most `cols` columns are divided into as many tiles as make the fewest rounds of `sms` multiprocessors
   full: what counts is how many columns the one has that computes most.  Much narrower tiles take longer for each. */
static inline product_division product_grouped_divided(int tiles, int N, int cols, int sms)
{
    const int rows = tiles > 1 ? tiles : 1, fewest = N > cols ? (int)product_ceil(N, cols) : 1, most = fewest + 3;
    const long places = product_ceil((long)rows * fewest, sms) * sms;
    const product_division divided = {(int)(places / rows), (int)(places % rows / 2)};
    return divided.across < most ? divided : (product_division){most, 0};
}

#endif
