/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expression.c - a tile of a wanted type and shape, from whatever makes one.
 *
 * From the result to the operands: each form (variable, load, elementwise operation, reduction, product, ...) knows
 * which shapes it fits, and asks for the operands that it needs.  The magnitude of elements is followed roughly, so
 * that most results are numbers that say something; a wild program lets infinities and NaNs come.
 */
#include "fuzz.h"

#include <math.h>
#include <string.h>

typedef struct {
    int weight;
    bool (*fits)(Gen *g, Shape shape, int depth);
    char *(*make)(Gen *g, Shape shape, int depth, double *bound);
} Form;

static Shape with(Shape shape, Dtype dtype)
{
    shape.dtype = dtype;
    return shape;
}

static bool same(Shape x, Shape y)
{
    return x.dtype == y.dtype && x.rows == y.rows && x.cols == y.cols;
}

char *dtype_text(Dtype dtype)
{
    return text("WS_%s", dtype_name[dtype]);
}

Dtype random_dtype(void)
{
    static const int weights[] = {50, 5, 12, 8, 4, 4, 4, 10, 3, 4, 5};
    return (Dtype)weigh(weights, DTYPES);
}

static Shape some_random_shape(Gen *g)
{
    static const int weights[] = {50, 14, 12, 8, 4, 4};
    Shape shape = {random_dtype(), g->m, g->n};
    switch (weigh(weights, 6)) {
    case 1:
        shape.cols = 1;
        break;
    case 2:
        shape.rows = 1;
        break;
    case 3:
        shape.cols = g->k;
        break;
    case 4:
        shape.rows = shape.cols = 1;
        break;
    case 5:
        shape.rows = g->k;
        break;
    default:
        break;
    }
    return shape;
}

Shape random_shape(Gen *g)
{
    span_begin();
    Shape result = some_random_shape(g);
    span_end();
    return result;
}

int common_divisor(int x, int y)
{
    while (y) {
        int rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

/* What consumers(n, rows) has to divide.  */
void note_rows(Gen *g, Shape shape)
{
    if (shape.rows > 1)
        g->rows_divisor = common_divisor(shape.rows, g->rows_divisor);
}

void spend(Gen *g, Shape shape, int each)
{
    g->spent += g->work * shape.rows * shape.cols * each;
}

/* ---- magnitudes -------------------------------------------------------------------------------------------------- */

static double limit_of(Dtype dtype)
{
    static const double limits[DTYPES] = {1e20, 1e60, 3e3, 1e10, 200, 1e4, 1e9, 1e9, 1e9, 1e9, 1e15};
    return limits[dtype];
}

static char *some_tame(Gen *g, char *value, Dtype dtype, double *bound, double limit)
{
    if (g->wild || *bound <= limit || dtype == I8 || dtype == U8)
        return value;
    double was = *bound;
    int low = limit < 100 ? (int)limit : 100;
    *bound = low;
    if (!dtype_float(dtype))
        return chance(50) ? text("ws_min(ws_max(%s, -%d), %d)", value, low, low) : value;
    switch (pick(3)) {
    case 0:
        return text("ws_min(ws_max(%s, -%d), %d)", value, low, low);
    case 1:
        *bound = 1;
        return text("ws_tanh(%s)", value);
    default:
        return text("ws_mul(%s, 0x1p%df)", value, (int)floor(log2(low / was)));
    }
}

char *tame(Gen *g, char *value, Dtype dtype, double *bound, double limit)
{
    span_begin();
    char *result = some_tame(g, value, dtype, bound, limit);
    span_end();
    return result;
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

static bool variable_fits(Gen *g, Shape shape, int depth)
{
    (void)depth;
    for (int i = 0; i < g->ntiles; i++)
        if (same(g->tiles[i].shape, shape))
            return true;
    return false;
}

static char *variable_make(Gen *g, Shape shape, int depth, double *bound)
{
    int found[MAX_TILES], n = 0;
    (void)depth;
    for (int i = g->ntiles - 1; i >= 0; i--)
        if (same(g->tiles[i].shape, shape))
            found[n++] = i;
    const Tile *tile = &g->tiles[found[pick(n)]];
    *bound = tile->bound;
    return tile->name;
}

static bool always_fits(Gen *g, Shape shape, int depth)
{
    (void)g;
    (void)shape;
    (void)depth;
    return true;
}

static char *constant_make(Gen *g, Shape shape, int depth, double *bound)
{
    static const char *const values[] = {"0", "1", "-0.5", "2.25", "7", "-3"};
    (void)depth;
    *bound = 7;
    note_rows(g, shape);
    if (chance(40))
        return text("ws_zeros(%s, %s, %s)", dtype_text(shape.dtype), extent(g, shape.rows), extent(g, shape.cols));
    return text("ws_full(%s, %s, %s, %s)", dtype_text(shape.dtype), extent(g, shape.rows), extent(g, shape.cols),
                values[pick(6)]);
}

static bool load_fits(Gen *g, Shape shape, int depth)
{
    (void)depth;
    return can_load(g, shape);
}

static char *load_make(Gen *g, Shape shape, int depth, double *bound)
{
    (void)depth;
    *bound = dtype_float(shape.dtype) ? 2 : 20;
    note_rows(g, shape);
    char *load = load_text(g, shape, false);
    if (strstr(load, "-1e30"))
        *bound = 1e30;
    return *bound > limit_of(shape.dtype) ? tame(g, load, shape.dtype, bound, 60) : load;
}

static bool index_fits(Gen *g, Shape shape, int depth)
{
    (void)g;
    (void)depth;
    return shape.dtype == I32;
}

static char *index_make(Gen *g, Shape shape, int depth, double *bound)
{
    (void)depth;
    *bound = shape.rows > shape.cols ? shape.rows : shape.cols;
    note_rows(g, shape);
    return text("ws_%s_index(%s, %s)", chance(50) ? "row" : "col", extent(g, shape.rows), extent(g, shape.cols));
}

/* ---- elementwise ------------------------------------------------------------------------------------------------- */

static bool computes(Gen *g, Shape shape, int depth)
{
    (void)g;
    return depth > 0 && shape.dtype != I8 && shape.dtype != U8;
}

static bool computes_float(Gen *g, Shape shape, int depth)
{
    return computes(g, shape, depth) && dtype_float(shape.dtype);
}

static char *plain_unary(Gen *g, const char *x, Dtype dtype, double *bound)
{
    (void)bound;
    (void)g;
    static const char *const names[] = {"neg", "abs", "rint", "floor", "ceil", "trunc", "round"};
    return text("ws_%s(%s)", names[pick(dtype_float(dtype) ? 7 : 2)], x);
}

#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) \
    static double value_##name(double x)                           \
    {                                                              \
        return f64;                                                \
    }
#include "../../runtime/common/maths.def"

/* Functions between -1 and 1, and what they are given: sines follow an argument's error wherever it lies.  */
static char *bounded_unary(const Gen *g, const char *x)
{
    static const struct {
        const char *name;
        double (*value)(double);
    } all[] = {
#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) {#name, value_##name},
#include "../../runtime/common/maths.def"
    };
    const char *names[sizeof all / sizeof *all];
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double largest = 0;
        for (int k = -64; k <= 64; k++)
            largest = fmax(largest, fabs(all[i].value(k)));
        if (largest <= 1)
            names[count++] = all[i].name;
    }
    return text("ws_%s(%s)", names[pick(count)], g->wild ? x : text("ws_min(ws_max(%s, -64), 64)", x));
}

static char *unary_make(Gen *g, Shape shape, int depth, double *bound)
{
    static const int weights[] = {30, 10, 10, 8, 8, 8, 8, 6, 6, 6, 3, 3, 3, 3, 3, 3, 3, 3};
    char *x = expression(g, shape, depth - 1, bound);
    int form = dtype_float(shape.dtype) ? weigh(weights, 18) : 0;
    double inner = *bound;
    *bound = inner + 1;
    if (form == 0)
        return plain_unary(g, x, shape.dtype, bound);
    *bound = 1;
    if (form <= 3)
        return bounded_unary(g, x);
    *bound = inner < 8 ? exp(inner) : exp(5);
    if (form <= 5)
        return text("ws_%s(%s)", form == 4 ? "exp" : "exp2", inner < 8 || g->wild ? x : text("ws_min(%s, 5)", x));
    *bound = sqrt(inner) + 8;
    if (form == 6)
        return text("ws_sqrt(%s)", g->wild ? x : text("ws_abs(%s)", x));
    if (form == 7)
        return text("ws_rsqrt(%s)", g->wild ? x : text("ws_add(ws_abs(%s), 0.25)", x));
    if (form == 10)
        return text("ws_cbrt(%s)", x);
    if (form == 11)
        return text("ws_log1p(%s)", g->wild ? x : text("ws_abs(%s)", x));
    if (form == 12) {
        *bound = 2;
        return text("ws_tan(%s)", g->wild ? x : text("ws_min(ws_max(%s, -1), 1)", x));
    }
    if (form == 13) {
        *bound = inner < 8 ? exp(inner) : exp(5);
        return text("ws_expm1(%s)", inner < 8 || g->wild ? x : text("ws_min(%s, 5)", x));
    }
    if (form == 14) {
        static const char *const names[] = {"asin", "acos", "atan"};
        *bound = 4;
        return text("ws_%s(%s)", names[pick(3)], g->wild ? x : text("ws_min(ws_max(%s, -1), 1)", x));
    }
    if (form == 15)
        return text("ws_%s(%s)", chance(50) ? "asinh" : "atan", x);
    if (form == 16) {
        static const char *const names[] = {"acosh", "tgamma", "lgamma"};
        *bound = 32;
        return text("ws_%s(%s)", names[pick(3)], g->wild ? x : text("ws_min(ws_max(%s, 1), 4)", x));
    }
    if (form == 17) {
        *bound = 4;
        return g->wild ? text("ws_%s(%s)", chance(50) ? "erfc" : "atanh", x)
                       : text("ws_%s(ws_min(ws_max(%s, -0.75), 0.75))", chance(50) ? "erfc" : "atanh", x);
    }
    return text("ws_log%s(%s)",
                form == 8    ? ""
                : chance(50) ? "2"
                             : "10",
                g->wild ? x : text("ws_add(ws_abs(%s), 0.5)", x));
}

/* A shape that broadcasts to the wanted one.  */
static Shape partner(Shape shape)
{
    static const int weights[] = {60, 15, 15, 10};
    int form = weigh(weights, 4);
    if (form == 1 || form == 3)
        shape.cols = 1;
    if (form == 2 || form == 3)
        shape.rows = 1;
    return shape;
}

/* Of numbers that a f16 can hold what comes of.  */
static char *function_of_two(const Gen *g, const char *x, const char *y, double *bound, double other)
{
    switch (pick(7)) {
    case 4:
        return text("ws_copysign(%s, %s)", x, y);
    case 5:
        *bound += other;
        return text("ws_fdim(%s, %s)", x, y);
    case 6:
        return text(g->wild ? "ws_remainder(%s, %s)" : "ws_remainder(%s, ws_add(ws_abs(%s), 1))", x, y);
    case 0:
        *bound = 4096;
        return g->wild ? text("ws_pow(%s, %s)", x, y)
                       : text("ws_pow(ws_min(ws_add(ws_abs(%s), 0.25), 8), ws_min(ws_max(%s, -4), 4))", x, y);
    case 1:
        return text(g->wild ? "ws_fmod(%s, %s)" : "ws_fmod(%s, ws_add(ws_abs(%s), 1))", x, y);
    case 2:
        *bound += other;
        return text("ws_min(ws_hypot(%s, %s), 1e4)", x, y);
    default:
        *bound = 4;
        return text("ws_atan2(%s, %s)", x, y);
    }
}

/* What comes of bits is any number. */
static char *bits_of_two(Gen *g, char *x, char *y, Dtype dtype, double *bound)
{
    static const char *const names[] = {"bit_and", "bit_or", "bit_xor", "shl", "shr", "ushr"};
    int form = pick(6);
    if (chance(50))
        y = text("%d", pick(form < 3 ? 1000 : 8 * dtype_bytes[dtype]));
    *bound = dtype == I64 ? 0x1p63 : 2147483648.0;
    return tame(g, text("ws_%s(%s, %s)", names[form], x, y), dtype, bound, limit_of(dtype));
}

static char *binary_make(Gen *g, Shape shape, int depth, double *bound)
{
    static const char *const names[] = {"add", "sub", "mul", "max", "min", "div"};
    double other;
    char *x = expression(g, shape, depth - 1, bound), *y = expression(g, partner(shape), depth - 1, &other);
    int form = pick(6);
    if (dtype_float(shape.dtype) && chance(15))
        return function_of_two(g, x, y, bound, other);
    if ((shape.dtype == I32 || shape.dtype == I64) && chance(20))
        return bits_of_two(g, x, y, shape.dtype, bound);
    if (form == 5) {
        if (!g->wild && dtype_float(shape.dtype))
            y = text("ws_add(ws_abs(%s), 1)", y);
        else if (!dtype_float(shape.dtype)) /* what integer division by 0 gives is not said */
            y = text("ws_max(%s, 1)", y);
    }
    *bound = form < 2 ? *bound + other : form == 2 ? *bound * other : form == 5 ? *bound : fmax(*bound, other);
    bool swapped = form != 5 && chance(30);
    char *result = text("ws_%s(%s, %s)", names[form], swapped ? y : x, swapped ? x : y);
    return tame(g, result, shape.dtype, bound, limit_of(shape.dtype));
}

static char *with_number_make(Gen *g, Shape shape, int depth, double *bound)
{
    static const char *const names[] = {"add", "sub", "mul", "max", "min"};
    char *x = expression(g, shape, depth - 1, bound), *y = float_text(g);
    *bound = *bound * 4 + 4;
    bool swapped = chance(30);
    char *result = text("ws_%s(%s, %s)", names[pick(5)], swapped ? y : x, swapped ? x : y);
    return tame(g, result, shape.dtype, bound, limit_of(shape.dtype));
}

static char *fma_make(Gen *g, Shape shape, int depth, double *bound)
{
    double y, z;
    char *first = expression(g, shape, depth - 1, bound);
    char *second = chance(30) ? float_text(g) : expression(g, partner(shape), depth - 1, &y);
    char *third = chance(30) ? float_text(g) : expression(g, partner(shape), depth - 1, &z);
    *bound = *bound * 20 + 20;
    return tame(g, text("ws_fma(%s, %s, %s)", first, second, third), shape.dtype, bound, limit_of(shape.dtype));
}

static char *mask(Gen *g, Shape shape, int depth);

static char *some_mask(Gen *g, Shape shape, int depth)
{
    static const char *const compares[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    static const int weights[] = {45, 35, 10, 10};
    double bound;
    switch (weigh(weights, depth > 0 ? 4 : 2)) {
    case 1: { /* a place in the tile, as causal and ragged masks have it */
        long most;
        Shape one = with(shape, I32);
        bool rows = shape.cols == 1 || (shape.rows > 1 && chance(50));
        if (shape.rows > 1 && shape.cols > 1 && chance(40))
            return text("ws_%s(ws_add(ws_row_index(%s, 1), %s), ws_add(ws_col_index(1, %s), %s))", compares[pick(6)],
                        extent(g, shape.rows), scalar_text(g, &most), extent(g, shape.cols), scalar_text(g, &most));
        note_rows(g, one);
        return text("ws_%s(ws_%s_index(%s, %s), %s)", compares[pick(4)], rows ? "row" : "col", extent(g, shape.rows),
                    extent(g, shape.cols), scalar_text(g, &most));
    }
    case 2: {
        char *x = mask(g, shape, depth - 1), *y = mask(g, shape, depth - 1);
        return text("ws_%s(%s, %s)", chance(50) ? "and" : "or", x, y);
    }
    case 3:
        return text("ws_not(%s)", mask(g, shape, depth - 1));
    default: {
        Shape operand = with(shape, chance(60) ? F32 : random_dtype());
        char *x = expression(g, operand, depth - 1, &bound);
        char *y = chance(50) ? float_text(g) : expression(g, partner(operand), depth - 1, &bound);
        return text("ws_%s(%s, %s)", compares[pick(6)], x, y);
    }
    }
}

static char *mask(Gen *g, Shape shape, int depth)
{
    span_begin();
    char *result = some_mask(g, shape, depth);
    span_end();
    return result;
}

static bool select_fits(Gen *g, Shape shape, int depth)
{
    (void)g;
    (void)shape;
    return depth > 0;
}

static char *select_make(Gen *g, Shape shape, int depth, double *bound)
{
    double other = 10;
    char *m = mask(g, chance(20) ? partner(shape) : shape, depth - 1);
    char *x = expression(g, shape, depth - 1, bound);
    char *y = chance(40) ? text("%s", dtype_float(shape.dtype) ? float_text(g) : "3")
                         : expression(g, partner(shape), depth - 1, &other);
    *bound = fmax(*bound, other);
    return chance(30) ? text("ws_select(%s, %s, %s)", m, y, x) : text("ws_select(%s, %s, %s)", m, x, y);
}

/* One tile or another, as a branch decides.  */
static char *choice_make(Gen *g, Shape shape, int depth, double *bound)
{
    double other;
    char *c = condition(g), *x = expression(g, shape, depth - 1, bound), *y = expression(g, shape, depth - 1, &other);
    *bound = fmax(*bound, other);
    return text("(%s ? %s : %s)", c, x, y);
}

/* ---- other shapes and types -------------------------------------------------------------------------------------- */

static bool cast_fits(Gen *g, Shape shape, int depth)
{
    return depth > 0 && affordable(g, with(shape, F32));
}

static char *cast_make(Gen *g, Shape shape, int depth, double *bound)
{
    Dtype from = shape.dtype == F32 ? random_dtype() : chance(60) ? F32 : random_dtype();
    if (dtype_bytes[from] == 8 && !affordable(g, with(shape, from)))
        from = F32;
    char *x = expression(g, with(shape, from), depth - 1, bound);
    x = tame(g, x, from, bound, limit_of(shape.dtype));
    return text("ws_cast(%s, %s)", x, dtype_text(shape.dtype));
}

static bool trans_fits(Gen *g, Shape shape, int depth)
{
    Shape turned = {shape.dtype, shape.cols, shape.rows};
    return depth > 0 && !g->by_columns && affordable(g, turned);
}

static char *trans_make(Gen *g, Shape shape, int depth, double *bound)
{
    Shape turned = {shape.dtype, shape.cols, shape.rows};
    char *x = expression(g, turned, depth - 1, bound);
    g->whole_tiles = true;
    g->shared += (long)shape.rows * shape.cols * dtype_bytes[shape.dtype] / 4;
    note_rows(g, turned);
    return text("ws_trans(%s)", x);
}

/* The tile that a reduction to the shape starts from.  */
static Shape unreduced(Gen *g, Shape shape, bool rows)
{
    Shape from = shape;
    if (rows)
        from.cols = chance(70) ? g->n : g->k;
    else
        from.rows = chance(70) ? g->m : g->k;
    return from;
}

static bool reduce_fits(Gen *g, Shape shape, int depth)
{
    Shape wide = {shape.dtype, shape.rows == 1 ? g->m : shape.rows, shape.cols == 1 ? g->n : shape.cols};
    return computes(g, shape, depth) && (shape.rows == 1 || (shape.cols == 1 && !g->by_columns)) && affordable(g, wide);
}

static char *reduce_make(Gen *g, Shape shape, int depth, double *bound)
{
    static const char *const names[] = {"sum", "max", "min"};
    bool rows = shape.cols == 1 && !g->by_columns && (shape.rows > 1 || chance(70));
    int form = pick(3);
    Shape from = unreduced(g, shape, rows);
    char *x = expression(g, from, depth - 1, bound);
    if (form == 0)
        *bound *= rows ? from.cols : from.rows;
    if (!rows)
        g->whole_tiles = true;
    spend(g, from, 1);
    char *result = text("ws_%s_%s(%s)", rows ? "row" : "col", names[form], x);
    return tame(g, result, shape.dtype, bound, limit_of(shape.dtype));
}

static bool argmax_fits(Gen *g, Shape shape, int depth)
{
    Shape wide = {F32, shape.rows, g->n};
    return depth > 0 && !g->by_columns && shape.dtype == I32 && shape.cols == 1 && affordable(g, wide);
}

static char *argmax_make(Gen *g, Shape shape, int depth, double *bound)
{
    Dtype dtype = random_dtype();
    Shape from = unreduced(g, with(shape, dtype == I8 || dtype == U8 || dtype == F64 ? F32 : dtype), true);
    char *x = expression(g, from, depth - 1, bound);
    *bound = from.cols;
    return text("ws_row_argmax(%s)", x);
}

static bool cumsum_fits(Gen *g, Shape shape, int depth)
{
    return !g->by_columns && computes_float(g, shape, depth);
}

static char *cumsum_make(Gen *g, Shape shape, int depth, double *bound)
{
    bool rows = chance(50);
    char *x = tame(g, expression(g, shape, depth - 1, bound), shape.dtype, bound, limit_of(shape.dtype) / 200);
    *bound *= rows ? shape.cols : shape.rows;
    g->whole_tiles |= !rows;
    g->shared += (long)shape.rows * shape.cols * 4;
    spend(g, shape, 4);
    return text("ws_%s_cumsum(%s)", rows ? "row" : "col", x);
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static bool fits_helper(Gen *g, const Helper *helper, Shape shape)
{
    return same(helper->result, shape) && affordable(g, helper->first) &&
           (!helper->second.rows || affordable(g, helper->second));
}

static bool helper_fits(Gen *g, Shape shape, int depth)
{
    if (g->by_columns) /* what it does is not known here */
        return false;
    for (int i = 0; i < g->nhelpers && depth > 0 && !g->in_helper; i++)
        if (fits_helper(g, &g->helper_list[i], shape))
            return true;
    return false;
}

static char *helper_make_call(Gen *g, Shape shape, int depth, double *bound)
{
    const Helper *found[MAX_HELPERS];
    int n = 0;
    long most;
    for (int i = 0; i < g->nhelpers; i++)
        if (fits_helper(g, &g->helper_list[i], shape))
            found[n++] = &g->helper_list[i];
    if (!n) /* what was affordable when the form was chosen is not now */
        return constant_make(g, shape, depth, bound);
    const Helper *helper = found[pick(n)];
    g->whole_tiles |= helper->whole_tiles;
    g->rows_divisor = common_divisor(helper->rows_divisor, g->rows_divisor);
    char *x = expression(g, helper->first, depth - 1, bound), *y = text("%s", "");
    if (helper->second.rows)
        y = text(", %s", expression(g, helper->second, depth - 1, bound));
    *bound = 1e4;
    char *arguments = text("%s%s, %s", x, y, scalar_text(g, &most));
    switch (helper->way) {
    case BY_POINTER:
        return text("({ ws_tile handed; %s(&handed, %s); handed; })", helper->name, arguments);
    case IN_STRUCT:
        return text("%s(%s).value", helper->name, arguments);
    default:
        return text("%s(%s)", helper->name, arguments);
    }
}

/* The head of a function and its last statement, by the way in which it hands its result back.  */
static char *helper_head(const Helper *helper)
{
    const char *more = helper->second.rows ? ", ws_tile y" : "";
    switch (helper->way) {
    case BY_POINTER:
        return text("void %s(ws_tile *result, ws_tile x%s, long n)", helper->name, more);
    case IN_STRUCT:
        return text("struct %s_result {\n    ws_tile first, value;\n} %s(ws_tile x%s, long n)", helper->name,
                    helper->name, more);
    default:
        return text("ws_tile %s(ws_tile x%s, long n)", helper->name, more);
    }
}

static char *helper_end(const Helper *helper)
{
    switch (helper->way) {
    case BY_POINTER:
        return text("*result = r;");
    case IN_STRUCT:
        return text("return (struct %s_result){x, r};", helper->name);
    default:
        return text("return r;");
    }
}

/* A function of one or two tiles and a number, with a branch or a loop now and then.  */
void helper_make(Gen *g)
{
    if (g->nhelpers == MAX_HELPERS)
        return;
    Helper helper = {.name = text("helper%d_%d", g->nhelpers, g->serial), .result = random_shape(g)};
    helper.way = (g->nhelpers + g->serial) % (IN_STRUCT + 1);
    helper.first = chance(60) ? helper.result : random_shape(g);
    if (chance(50))
        helper.second = partner(helper.first);
    Gen outer = *g;
    g->in_helper = true;
    g->whole_tiles = false;
    g->rows_divisor = 0;
    g->ntiles = g->nscalars = 0;
    g->tiles[g->ntiles++] = (Tile){helper.first, "x", 10, false};
    if (helper.second.rows)
        g->tiles[g->ntiles++] = (Tile){helper.second, "y", 10, false};
    scalar_new(g, "n", S_OTHER, 16, 0);
    double bound;
    char *value = expression(g, helper.result, 2, &bound), *more = text("%s", "");
    g->tiles[g->ntiles++] = (Tile){helper.result, "r", 10, false};
    if (chance(30))
        more = text("    if (%s)\n        r = %s;\n", condition(g), expression(g, helper.result, 1, &bound));
    else if (chance(20) && helper.result.dtype != I8 && helper.result.dtype != U8)
        more = text("    for (int step = 0; step < %d; step++)\n        r = ws_max(r, ws_sub(%s, step));\n",
                    between(1, 3), expression(g, helper.result, 1, &bound));
    bool inline_keyword = chance(70);
    add(&g->helpers, "static %s%s\n{\n    ws_tile r = %s;\n%s    %s\n}\n\n", inline_keyword ? "inline " : "",
        helper_head(&helper), value, more, helper_end(&helper));
    outer.helpers = g->helpers;
    outer.names = g->names;
    helper.whole_tiles = g->whole_tiles;
    helper.rows_divisor = g->rows_divisor;
    outer.helper_list[outer.nhelpers++] = helper;
    *g = outer;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

static const Form forms[] = {
    {30, variable_fits, variable_make}, {8, always_fits, constant_make}, {16, load_fits, load_make},
    {8, index_fits, index_make},        {10, computes, unary_make},      {16, computes, binary_make},
    {10, computes, with_number_make},   {4, computes, fma_make},         {8, select_fits, select_make},
    {4, select_fits, choice_make},      {10, cast_fits, cast_make},      {3, trans_fits, trans_make},
    {16, reduce_fits, reduce_make},     {4, argmax_fits, argmax_make},   {2, cumsum_fits, cumsum_make},
    {14, dot_fits, dot_make},           {2, dot_f32_fits, dot_f32_make}, {10, helper_fits, helper_make_call},
};

char *expression(Gen *g, Shape shape, int depth, double *bound)
{
    enum { N = sizeof forms / sizeof forms[0] };
    int weights[N];
    for (int i = 0; i < N; i++)
        weights[i] = forms[i].fits(g, shape, depth) ? forms[i].weight : 0;
    *bound = 10;
    spend(g, shape, 1);
    span_begin();
    char *result = forms[weigh(weights, N)].make(g, shape, depth, bound);
    span_end();
    return result;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

/* Rows or columns that the wanted shape has not are added up.  */
static char *some_convert(Gen *g, const char *value, Shape from, Shape to)
{
    char *result = text("%s", value);
    Dtype dtype = from.dtype;
    bool rows = from.cols != 1 && from.cols != to.cols, cols = from.rows != 1 && from.rows != to.rows;
    if ((dtype == I8 || dtype == U8) && (rows || cols)) {
        result = text("ws_cast(%s, WS_I32)", result);
        dtype = I32;
    }
    if (cols)
        g->whole_tiles = true;
    note_rows(g, from);
    if (rows)
        result = text("ws_row_%s(%s)", chance(50) ? "sum" : "max", result);
    if (cols)
        result = text("ws_col_%s(%s)", chance(50) ? "sum" : "max", result);
    return dtype == to.dtype ? result : text("ws_cast(%s, %s)", result, dtype_text(to.dtype));
}

char *convert(Gen *g, const char *value, Shape from, Shape to)
{
    span_begin();
    char *result = some_convert(g, value, from, to);
    span_end();
    return result;
}
