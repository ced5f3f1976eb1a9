/* SPDX-License-Identifier: MIT */
/*
 * elementwise.c - elementwise operations.
 *
 *     for each row, for each WS_CHUNK columns:
 *         x, y, z   fetched in the compute type, broadcast
 *         result    = loop(x, y, z)
 *         written in the tile's own type, rounded once
 *
 * A loop is one operation of scalar.h over a chunk.  The tables map opcode and compute type to the loop.
 */
#include "tile.h"
#include "wide.h"

#include <string.h>

/* n elements.  Pointers are to the compute type; the result of a comparison is mask elements.  */
typedef void loop(int n, const void *x, const void *y, const void *z, void *restrict result);

#define LOOP(function, type, result_type, expression)                                                       \
    WS_WIDE static void function(int n, const void *x, const void *y, const void *z, void *restrict result) \
    {                                                                                                       \
        const type *a = x, *b = y, *c = z;                                                                  \
        result_type *restrict to = result;                                                                  \
        (void)b;                                                                                            \
        (void)c;                                                                                            \
        for (int i = 0; i < n; i++)                                                                         \
            to[i] = (result_type)(expression);                                                              \
    }

#define ONE(name, compute, type)     LOOP(loop_##compute##_##name, type, type, ws_##compute##_##name(a[i]))
#define TWO(name, compute, type)     LOOP(loop_##compute##_##name, type, type, ws_##compute##_##name(a[i], b[i]))
#define THREE(name, compute, type)   LOOP(loop_##compute##_##name, type, type, ws_##compute##_##name(a[i], b[i], c[i]))
#define COMPARE(name, compute, type) LOOP(loop_##compute##_##name, type, uint8_t, ws_##compute##_##name(a[i], b[i]))

#define FLOATS(KIND, name) \
    KIND(name, f32, float) \
    KIND(name, f64, double)
#define ALL(KIND, name)      \
    FLOATS(KIND, name)       \
    KIND(name, i32, int32_t) \
    KIND(name, i64, int64_t)

ALL(TWO, add)
ALL(TWO, sub)
ALL(TWO, mul)
ALL(TWO, div)
ALL(TWO, max)
ALL(TWO, min)
ALL(THREE, fma)
ALL(ONE, neg)
ALL(ONE, abs)
#define MATHS(NAME, name, ...)        FLOATS(ONE, name)
#define MATHS_OF_TWO(NAME, name, ...) FLOATS(TWO, name)
#include "maths.def"
#define BITS(NAME, name)    \
    TWO(name, i32, int32_t) \
    TWO(name, i64, int64_t)
WS_BITS_(BITS)
#undef BITS
ALL(COMPARE, lt)
ALL(COMPARE, le)
ALL(COMPARE, gt)
ALL(COMPARE, ge)
ALL(COMPARE, eq)
ALL(COMPARE, ne)

#define FLOAT_ROW(NAME, name) [WS_OP_##NAME] = {loop_f32_##name, loop_f64_##name, NULL, NULL}
#define ROW(NAME, name)       [WS_OP_##NAME] = {loop_f32_##name, loop_f64_##name, loop_i32_##name, loop_i64_##name}

/* Rows of ops.def with the rule R_FLOAT or R_FLOATS, and rows of maths.def: their numbers must agree.  */
enum {
#define OP(NAME, text, class, nargs, rule, call, about, doc) +(rule == R_FLOAT || rule == R_FLOATS)
    FLOAT_OPERATIONS = 0
#include "ops.def"
#undef OP
    ,
#define MATHS(NAME, name, ...)        +1
#define MATHS_OF_TWO(NAME, name, ...) +1
    MEANINGS = 0
#include "maths.def"
};
_Static_assert((int)FLOAT_OPERATIONS == (int)MEANINGS, "ops.def and maths.def differ");

static loop *const loops[WS_OP_COUNT][4] = {
    ROW(ADD, add),
    ROW(SUB, sub),
    ROW(MUL, mul),
    ROW(DIV, div),
    ROW(MAX, max),
    ROW(MIN, min),
    ROW(FMA, fma),
    ROW(NEG, neg),
    ROW(ABS, abs),
#define MATHS(NAME, name, ...)        FLOAT_ROW(NAME, name),
#define MATHS_OF_TWO(NAME, name, ...) FLOAT_ROW(NAME, name),
#include "maths.def"
#define BITS(NAME, name) [WS_OP_##NAME] = {NULL, NULL, loop_i32_##name, loop_i64_##name},
    WS_BITS_(BITS)
#undef BITS
        ROW(LT, lt),
    ROW(LE, le),
    ROW(GT, gt),
    ROW(GE, ge),
    ROW(EQ, eq),
    ROW(NE, ne),
};

/* ---- over a tile ------------------------------------------------------------------------------------------------- */

/* Compute type of the operands: that of the first tile.  */
static ws_compute compute_of(int count, const ws_tile *operands)
{
    for (int i = 0; i < count; i++)
        if (operands[i]->kind == WS_RULE_TILE)
            return ws_compute_of(operands[i]->dtype);
    return WS_COMPUTE_F32;
}

static ws_tile elementwise(int opcode, int count, const ws_tile *operands, const struct ws_rule_type *type)
{
    struct ws_tile_ *x = ws_tile_new(type->dtype, type->rows, type->cols);
    ws_compute compute = compute_of(count, operands);
    loop *run = loops[opcode][compute];
    int stays = x->dtype == WS_RULE_MASK || ws_is_computed(x->dtype); /* written directly to the result */
    double buffers[3][WS_CHUNK], result[WS_CHUNK];
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c += WS_CHUNK) {
            const void *rows[3] = {NULL, NULL, NULL};
            int n = x->cols - c < WS_CHUNK ? x->cols - c : WS_CHUNK;
            for (int i = 0; i < count; i++)
                rows[i] = ws_row_fetch(operands[i], compute, r, c, n, buffers[i]);
            run(n, rows[0], rows[1], rows[2], stays ? (void *)ws_element(x, r, c) : result);
            if (!stays)
                ws_row_write(x->dtype, compute, n, result, ws_element(x, r, c));
        }
    return x;
}

static ws_tile one(int opcode, ws_tile x)
{
    struct ws_rule_type type;
    return ws_allowed1(opcode, x, &type) ? elementwise(opcode, 1, &x, &type) : ws_tile_zeros(&type);
}

static ws_tile two(int opcode, ws_tile x, ws_tile y)
{
    struct ws_rule_type type;
    const ws_tile operands[] = {x, y};
    return ws_allowed2(opcode, x, y, &type) ? elementwise(opcode, 2, operands, &type) : ws_tile_zeros(&type);
}

ws_tile ws_fma_(ws_tile x, ws_tile y, ws_tile z)
{
    struct ws_rule_type type;
    const ws_tile operands[] = {x, y, z};
    return ws_allowed3(WS_OP_FMA, x, y, z, &type) ? elementwise(WS_OP_FMA, 3, operands, &type) : ws_tile_zeros(&type);
}

#define DEFINE_ONE(NAME, name)       \
    ws_tile ws_##name(ws_tile x)     \
    {                                \
        return one(WS_OP_##NAME, x); \
    }
#define DEFINE_TWO(NAME, name)                 \
    ws_tile ws_##name##_(ws_tile x, ws_tile y) \
    {                                          \
        return two(WS_OP_##NAME, x, y);        \
    }

DEFINE_TWO(ADD, add)
WS_BITS_(DEFINE_TWO)
DEFINE_TWO(SUB, sub)
DEFINE_TWO(MUL, mul)
DEFINE_TWO(DIV, div)
DEFINE_TWO(MAX, max)
DEFINE_TWO(MIN, min)
DEFINE_TWO(LT, lt)
DEFINE_TWO(LE, le)
DEFINE_TWO(GT, gt)
DEFINE_TWO(GE, ge)
DEFINE_TWO(EQ, eq)
DEFINE_TWO(NE, ne)
DEFINE_ONE(NEG, neg)
DEFINE_ONE(ABS, abs)
#define MATHS(NAME, name, ...)        DEFINE_ONE(NAME, name)
#define MATHS_OF_TWO(NAME, name, ...) DEFINE_TWO(NAME, name)
#include "maths.def"

/* ---- masks ------------------------------------------------------------------------------------------------------- */

static int mask_at(ws_tile x, int row, int col)
{
    return *ws_element(x, x->rows == 1 ? 0 : row, x->cols == 1 ? 0 : col);
}

static ws_tile combine(int opcode, ws_tile x, ws_tile y)
{
    struct ws_rule_type type;
    int allowed = opcode == WS_OP_NOT ? ws_allowed1(opcode, x, &type) : ws_allowed2(opcode, x, y, &type);
    if (!allowed)
        return ws_tile_zeros(&type);
    struct ws_tile_ *mask = ws_tile_new(WS_RULE_MASK, type.rows, type.cols);
    for (int r = 0; r < mask->rows; r++)
        for (int c = 0; c < mask->cols; c++) {
            int a = mask_at(x, r, c);
            *ws_element(mask, r, c) = (unsigned char)(opcode == WS_OP_NOT   ? !a
                                                      : opcode == WS_OP_AND ? a & mask_at(y, r, c)
                                                                            : a | mask_at(y, r, c));
        }
    return mask;
}

ws_tile ws_and(ws_tile x, ws_tile y)
{
    return combine(WS_OP_AND, x, y);
}

ws_tile ws_or(ws_tile x, ws_tile y)
{
    return combine(WS_OP_OR, x, y);
}

ws_tile ws_not(ws_tile x)
{
    return combine(WS_OP_NOT, x, NULL);
}

/* Selects each element in the compute type, so that a stored element keeps its bits.  */
static void choose_row(ws_tile mask, int row, int col, int n, int bytes, const void *x, const void *y, void *result)
{
    for (int i = 0; i < n; i++) {
        const unsigned char *from = mask_at(mask, row, col + i) ? x : y;
        memcpy((unsigned char *)result + (size_t)i * (size_t)bytes, from + (size_t)i * (size_t)bytes, (size_t)bytes);
    }
}

ws_tile ws_select_(ws_tile mask, ws_tile x, ws_tile y)
{
    struct ws_rule_type type;
    if (!ws_allowed3(WS_OP_SELECT, mask, x, y, &type))
        return ws_tile_zeros(&type);
    struct ws_tile_ *result = ws_tile_new(type.dtype, type.rows, type.cols);
    ws_compute compute = ws_compute_of(result->dtype);
    double buffers[2][WS_CHUNK], row[WS_CHUNK];
    for (int r = 0; r < result->rows; r++)
        for (int c = 0; c < result->cols; c += WS_CHUNK) {
            int n = result->cols - c < WS_CHUNK ? result->cols - c : WS_CHUNK;
            const void *from_x = ws_row_fetch(x, compute, r, c, n, buffers[0]);
            const void *from_y = ws_row_fetch(y, compute, r, c, n, buffers[1]);
            choose_row(mask, r, c, n, ws_compute_bytes(compute), from_x, from_y, row);
            ws_row_write(result->dtype, compute, n, row, ws_element(result, r, c));
        }
    return result;
}
