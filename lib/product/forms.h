/* SPDX-License-Identifier: MIT */
/*
 * forms.h - the kernels that PRODUCT makes of one pair of types: a table with a row for each.
 *
 * A row names a loop nest of loops.h (product_NEST), its kind, and the rows and columns of a tile.  `lines` are lines
 * of 128 bytes of K in an iteration.  `down` and `across` are blocks of a cluster that share loads of B and of A.
 * `summed` are parts of K that blocks add.  PRODUCT makes a kernel of each row, and choose.h estimates its time.
 */
#ifndef PRODUCT_FORMS_H
#define PRODUCT_FORMS_H

/* Shared loads pay if rows of K do not fill lines of 128 bytes, since L2 bounds such copies, and if A or B is small.  A
   step or even shares pay if they fill the last round of tiles. */
/* clang-format off */
/*        nest          kind    rows cols lines down across summed */
#define PRODUCT_FORMS(form, ...)                                 \
    form(step_1x1,    STEP,   128, 208, 1, 1, 1, 1, __VA_ARGS__) \
    form(short,       SHORT,  128, 192, 1, 1, 1, 1, __VA_ARGS__) \
    form(step_2x1,    STEP,   128, 208, 1, 2, 1, 1, __VA_ARGS__) \
    form(even_1x1,    EVEN,   128, 208, 1, 1, 1, 1, __VA_ARGS__) \
    form(step_1x1,    STEP,   128, 256, 1, 1, 1, 1, __VA_ARGS__) \
    form(step_2x1,    STEP,   128, 256, 1, 2, 1, 1, __VA_ARGS__) \
    form(step_1x4,    STEP,   128, 256, 1, 1, 4, 1, __VA_ARGS__) \
    form(whole_1x1,   WHOLE,  128, 128, 1, 1, 1, 1, __VA_ARGS__) \
    form(part_1x1,    PART,   128, 128, 1, 1, 1, 1, __VA_ARGS__) \
    form(whole_2x1,   WHOLE,  128, 128, 1, 2, 1, 1, __VA_ARGS__) \
    form(part_2x1,    PART,   128, 128, 1, 2, 1, 1, __VA_ARGS__) \
    form(step_1x1,    STEP,   128, 128, 1, 1, 1, 1, __VA_ARGS__) \
    form(step_1x2,    STEP,   128, 128, 1, 1, 2, 1, __VA_ARGS__) \
    form(step_1x4,    STEP,   128, 128, 1, 1, 4, 1, __VA_ARGS__) \
    form(step_2x2,    STEP,   128, 128, 1, 2, 2, 1, __VA_ARGS__) \
    form(step_4x1,    STEP,   128, 128, 1, 4, 1, 1, __VA_ARGS__) \
    form(step_2x4,    STEP,   128, 128, 1, 2, 4, 1, __VA_ARGS__) \
    form(rows_2x1,    ROWS,   128, 208, 1, 2, 1, 1, __VA_ARGS__) \
    form(step_4x1,    STEP,   128, 192, 1, 4, 1, 1, __VA_ARGS__) \
    form(rows_4x1,    ROWS,   128, 192, 1, 4, 1, 1, __VA_ARGS__) \
    form(rows_1x1,    ROWS,   128, 128, 1, 1, 1, 1, __VA_ARGS__) \
    form(rows_1x2,    ROWS,   128, 128, 1, 1, 2, 1, __VA_ARGS__) \
    form(rows_1x4,    ROWS,   128, 128, 1, 1, 4, 1, __VA_ARGS__) \
    form(rows_2x1,    ROWS,   128, 128, 1, 2, 1, 1, __VA_ARGS__) \
    form(rows_2x2,    ROWS,   128, 128, 1, 2, 2, 1, __VA_ARGS__) \
    form(rows_2x4,    ROWS,   128, 128, 1, 2, 4, 1, __VA_ARGS__) \
    form(rows_4x1,    ROWS,   128, 128, 1, 4, 1, 1, __VA_ARGS__) \
    form(whole_1x1,   WHOLE,   64, 128, 2, 1, 1, 1, __VA_ARGS__) \
    form(part_1x1,    PART,    64, 128, 2, 1, 1, 1, __VA_ARGS__) \
    form(whole_2x1,   WHOLE,   64, 128, 1, 2, 1, 1, __VA_ARGS__) \
    form(whole_4x1,   WHOLE,   64, 128, 1, 4, 1, 1, __VA_ARGS__) \
    form(step_4x1,    STEP,    64, 128, 1, 4, 1, 1, __VA_ARGS__) \
    form(whole_1x1,   WHOLE,   64,  64, 2, 1, 1, 1, __VA_ARGS__) \
    form(light_4_1x1, LIGHT,   64, 128, 1, 1, 1, 1, __VA_ARGS__) \
    form(light_6_1x1, LIGHT,   64,  64, 1, 1, 1, 1, __VA_ARGS__) \
    form(light_6_4x1, LIGHT,   64,  64, 1, 4, 1, 1, __VA_ARGS__) \
    form(light_4_1x1, LIGHT,   64,  32, 2, 1, 1, 1, __VA_ARGS__) \
    form(summed_4,    SUMMED,  64,  64, 2, 1, 1, 4, __VA_ARGS__) \
    form(summed_8,    SUMMED,  64,  64, 2, 1, 1, 8, __VA_ARGS__) \
    form(summed_4,    SUMMED,  64, 128, 1, 1, 1, 4, __VA_ARGS__) \
    form(summed_8,    SUMMED,  64, 128, 1, 1, 1, 8, __VA_ARGS__) \
    form(summed_4,    SUMMED, 128, 128, 1, 1, 1, 4, __VA_ARGS__) \
    form(skinny,      SKINNY,  16,  64, 4, 1, 1, 1, __VA_ARGS__) \
    form(tall,        TALL,    64, 256, 1, 1, 1, 1, __VA_ARGS__)
/* clang-format on */

/* Kinds from PRODUCT_EVEN on end each tile by a slice.  Kinds from PRODUCT_STEP on have tiles at a step. */
typedef enum {
    PRODUCT_WHOLE,  /* whole tiles; warp groups take them in turn if one group can hold a tile */
    PRODUCT_PART,   /* whole tiles of one part of K; a second kernel adds the parts */
    PRODUCT_LIGHT,  /* one warp group and few slots: a multiprocessor holds two blocks */
    PRODUCT_SHORT,  /* for at most PRODUCT_SHORT_LINES lines of K */
    PRODUCT_SKINNY, /* for at most 16 rows of A */
    PRODUCT_TALL,   /* for many rows; B stays in shared memory */
    PRODUCT_EVEN,   /* tiles that share the columns evenly */
    PRODUCT_STEP,   /* tiles at a step not longer than they are */
    PRODUCT_SUMMED, /* as PRODUCT_STEP; the blocks of a cluster add parts of K */
    PRODUCT_ROWS    /* as PRODUCT_STEP; warp groups divide a tile's rows: for one round of tiles */
} product_kind;

typedef struct {
    product_kind kind;
    int rows, cols;   /* of a tile */
    int lines;        /* of 128 bytes of K in an iteration */
    int down, across; /* blocks of a cluster: tiles of a column, of a row */
    int summed;       /* or parts of one tile */
    const char *name; /* rows x columns _ nest */
} product_form;

#define PRODUCT_ROW_(nest, kind, rows, cols, lines, down, across, summed, ...) \
    {PRODUCT_##kind, rows, cols, lines, down, across, summed, #rows "x" #cols "_" #nest},
static const product_form product_forms[] = {PRODUCT_FORMS(PRODUCT_ROW_, )};
enum { PRODUCT_FORMS_COUNT = sizeof product_forms / sizeof *product_forms };

/* Limits: lines of K of PRODUCT_SHORT, columns of B and elements of K of PRODUCT_TALL, parts of K of PRODUCT_PART. */
enum { PRODUCT_SHORT_LINES = 6, PRODUCT_TALL_COLS = 256, PRODUCT_TALL_K = 256, PRODUCT_PARTS = 8 };

typedef struct {
    int form;   /* a row of product_forms */
    int parts;  /* of K, for a PRODUCT_PART; else 1 */
    int step;   /* columns between tiles; 0: the tile's columns */
    int across; /* tiles that share the columns, for a PRODUCT_EVEN; 0: the fewest */
} product_choice;

#endif
