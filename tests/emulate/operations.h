/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operations.h - one list of operations for two computations of it: operations.c by the sequential library, tiles.cc
 * by the emulation's register tiles.
 *
 * Every case takes the matrices x, y, z (ROWS x COLS of one element type), the vectors row (1,COLS) and col (ROWS,1),
 * and writes its result densely.
 */
#ifndef TESTS_EMULATE_OPERATIONS_H
#define TESTS_EMULATE_OPERATIONS_H

#include <ws.h>

enum { ROWS = 24, COLS = 40, INNER = 32, MOST_BYTES = ROWS * COLS * 8 };

struct inputs {
    const void *x, *y, *z; /* ROWS x COLS; for products x is ROWS x INNER and y COLS x INNER */
    double number;
};

/* Every element type; then the types that compute.  */
#define ALL_TYPES(X)              X(F32) X(F64) X(F16) X(BF16) X(E4M3) X(E5M2) X(I8) X(I32)
#define MATHS_TYPES(X, name)      X(name, F32) X(name, F64) X(name, F16) X(name, BF16) X(name, E4M3) X(name, E5M2)
#define ARITHMETIC_TYPES(X, name) MATHS_TYPES(X, name) X(name, I32)

#define SIGNS(X) ARITHMETIC_TYPES(X, neg) ARITHMETIC_TYPES(X, abs)
#define BINARIES(X)                                                                                     \
    ARITHMETIC_TYPES(X, add)                                                                            \
    ARITHMETIC_TYPES(X, sub) ARITHMETIC_TYPES(X, mul) ARITHMETIC_TYPES(X, div) ARITHMETIC_TYPES(X, max) \
        ARITHMETIC_TYPES(X, min)
#define COMPARISONS(X)                                                                              \
    ARITHMETIC_TYPES(X, lt)                                                                         \
    ARITHMETIC_TYPES(X, le) ARITHMETIC_TYPES(X, gt) ARITHMETIC_TYPES(X, ge) ARITHMETIC_TYPES(X, eq) \
        ARITHMETIC_TYPES(X, ne) X(lt, I8) X(eq, I8)
#define ROW_REDUCTIONS(X)        \
    ARITHMETIC_TYPES(X, row_sum) \
    ARITHMETIC_TYPES(X, row_max) ARITHMETIC_TYPES(X, row_min) ARITHMETIC_TYPES(X, row_argmax)
#define COLUMN_REDUCTIONS(X)                                                                  \
    ARITHMETIC_TYPES(X, col_sum)                                                              \
    ARITHMETIC_TYPES(X, col_max) ARITHMETIC_TYPES(X, col_min) ARITHMETIC_TYPES(X, row_cumsum) \
        ARITHMETIC_TYPES(X, col_cumsum)

#ifdef __cplusplus
extern "C" {
#endif

/* By the sequential library; `out` gets MOST_BYTES at most.  `from` and `to` of a cast.  */
typedef void sequential(const struct inputs *in, void *out);
#define DECLARE(name, type) sequential sequential_##name##_##type;
#define MATHS(NAME, name, ...)        MATHS_TYPES(DECLARE, name)
#define MATHS_OF_TWO(NAME, name, ...) MATHS_TYPES(DECLARE, name)
#include "../../runtime/common/maths.def"
SIGNS(DECLARE)
BINARIES(DECLARE)
COMPARISONS(DECLARE)
ROW_REDUCTIONS(DECLARE)
COLUMN_REDUCTIONS(DECLARE)
ARITHMETIC_TYPES(DECLARE, fma)
ARITHMETIC_TYPES(DECLARE, number)    /* x + number, then number - that, then compared and selected */
ARITHMETIC_TYPES(DECLARE, broadcast) /* (x + the first row of y) * the first column of z */
MATHS_TYPES(DECLARE, full)
DECLARE(full, I32)
DECLARE(dot, F32)
DECLARE(dot, F16)
DECLARE(dot, BF16)
DECLARE(dot, E4M3)
DECLARE(dot, E5M2)
DECLARE(dot, I8)
DECLARE(dot_f32, F32)
#undef DECLARE
void sequential_cast(ws_dtype from, ws_dtype to, const struct inputs *in, void *out);
void sequential_select(ws_dtype type, const struct inputs *in, void *out); /* x where x < y, else z */
void sequential_load_or(ws_dtype type, const struct inputs *in, long row, long col,
                        void *out); /* of x, number outside */

#ifdef __cplusplus
}
#endif
#endif
