/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - tensors, and where in them a program loads and stores.
 *
 * Loads may look anywhere: what lies outside reads as 0 or as the fill.  Stores may not meet those of another iteration
 * of the grid: every grid variable is in the coordinates, either as the row or column of a tile that is no larger than
 * the variable's step, or of one that is cut off at the step by a slice, or counted off in a leading dimension.
 */
#include "fuzz.h"

#include <string.h>

enum { SHARED_LIMIT = 190000, LONGEST_EXTENT = 400 };

const char *const dtype_name[DTYPES] = {"F32", "F64", "F16", "BF16", "E4M3", "E5M2", "I8", "I32", "U8", "I16", "I64"};
const char *const dtype_c[DTYPES] = {"float",       "double", "ws_f16",        "ws_bf16", "ws_e4m3", "ws_e5m2",
                                     "signed char", "int",    "unsigned char", "short",   "long"};
const int dtype_bytes[DTYPES] = {4, 8, 2, 2, 1, 1, 1, 4, 1, 2, 8};

bool dtype_float(Dtype dtype)
{
    return dtype < I8;
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

long shared_bytes(Shape shape)
{
    long blocks = (shape.cols * dtype_bytes[shape.dtype] + 127) / 128;
    long bytes = blocks * ((shape.rows + 7) / 8 * 8) * 128;
    return (bytes + 1023) / 1024 * 1024;
}

long tile_registers(const Gen *g, Shape shape)
{
    long elements;
    if (g->products)
        elements =
            (shape.rows == 1 ? 1 : (shape.rows + 63) / 64 * 2) * (shape.cols == 1 ? 1 : (shape.cols + 7) / 8 * 2);
    else
        elements = (shape.rows + 3) / 4 * (shape.cols == 1 ? 1 : (shape.cols + 31) / 32);
    return (elements * dtype_bytes[shape.dtype] + 3) / 4;
}

long live_registers(const Gen *g)
{
    long sum = 0;
    for (int i = 0; i < g->ntiles; i++)
        sum += tile_registers(g, g->tiles[i].shape);
    return sum;
}

bool affordable(const Gen *g, Shape shape)
{
    return live_registers(g) + tile_registers(g, shape) <= (g->large ? 600 : 150) && g->ntiles < MAX_TILES - 4 &&
           g->spent + g->work * shape.rows * shape.cols < 4000000;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* Another tensor that is only read, of the same type, whose array is long enough.  */
static const Tensor *lender(const Gen *g, const Tensor *t, long count)
{
    for (int i = 0; i < g->ntensors; i++) {
        const Tensor *other = &g->tensors[i];
        if (other != t && other->use == USE_LOAD && other->dtype == t->dtype && other->count >= count &&
            !strcmp(other->array, other->name))
            return other;
    }
    return NULL;
}

static void array_of(Gen *g, Tensor *t)
{
    long count = t->offset + 1;
    for (int i = 0; i < t->rank; i++)
        count += t->extent[i] > 0 ? (t->extent[i] - 1) * t->stride[i] : 0;
    bool stored = t->use == USE_STORE, borrows = t->use == USE_LOAD && chance(10);
    const Tensor *other = borrows ? lender(g, t, count - t->offset) : NULL;
    t->array = t->name;
    t->count = count - t->offset;
    if (other) {
        t->array = other->array;
        return;
    }
    add(&g->parameters, "%s%s%s *p_%s", g->parameters.length ? ", " : "", stored ? "" : "const ", dtype_c[t->dtype],
        t->name);
    char *array = t->offset ? text("p_%s + %ld", t->name, t->offset) : text("p_%s", t->name);
    argument(g, array, array);
    add(&g->arrays, "    %s *p_%s = fuzz_array(WS_%s, %ld, %d, %g, %g);\n", dtype_c[t->dtype], t->name,
        dtype_name[t->dtype], count, g->names, t->low, t->high);
    if (stored)
        add(&g->shows, "    fuzz_show(\"%d\", \"%s\", p_%s, WS_%s, %ld);\n", g->serial, t->name, t->name,
            dtype_name[t->dtype], count);
}

/* Extents as numbers or as parameters.  */
static char *extent_list(Gen *g, const Tensor *t)
{
    char *list = text("%s", "");
    for (int i = 0; i < t->rank; i++) {
        bool variable = !t->extent_text[i] && chance(25);
        char *each = variable            ? parameter(g, t->extent[i])
                     : t->extent_text[i] ? t->extent_text[i]
                                         : text("%ld", t->extent[i]);
        list = i ? text("%s, %s", list, each) : each;
    }
    return list;
}

static bool is_dense(const Tensor *t)
{
    long stride = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        if (t->stride[i] != stride)
            return false;
        stride *= t->extent[i];
    }
    return true;
}

static void declare(Gen *g, const Tensor *t)
{
    char *extents = extent_list(g, t), *strides = text("%s", "");
    for (int i = 0; i < t->rank; i++)
        strides = text("%s%s%ld", strides, i ? ", " : "", t->stride[i]);
    if (is_dense(t))
        add(&g->declarations, "    ws_tensor %s = ws_tensor_%dd(p_%s, WS_%s, %s);\n", t->name, t->rank, t->array,
            dtype_name[t->dtype], extents);
    else if (t->rank == 2 && chance(70))
        add(&g->declarations, "    ws_tensor %s = ws_tensor_2d_ld(p_%s, WS_%s, %s, %ld);\n", t->name, t->array,
            dtype_name[t->dtype], extents, t->stride[0]);
    else
        add(&g->declarations,
            "    ws_tensor %s = ws_tensor_strided(p_%s, WS_%s, %d, ((long[]){%s}), ((long[]){%s}));\n", t->name,
            t->array, dtype_name[t->dtype], t->rank, extents, strides);
}

/* Strides from the inside out, with gaps now and then; a gap that is no multiple of 16 bytes takes the slow paths.  */
static void lay_out(Tensor *t)
{
    long stride = 1;
    int gap = weigh((const int[]){60, 15, 15, 10}, 4);
    for (int i = t->rank - 1; i >= 0; i--) {
        t->stride[i] = stride;
        stride *= t->extent[i] > 0 ? t->extent[i] : 1;
        if (i == t->rank - 1 && t->rank > 1) {
            long line = 16 / dtype_bytes[t->dtype];
            if (gap == 1)
                stride += 1 + pick(7);
            else if (gap >= 2)
                stride = (stride + line - 1) / line * line + (gap == 3 ? line : 0);
        }
    }
    t->offset = chance(8) ? 1 + pick(8) : 0;
}

static Tensor *tensor_new(Gen *g, Dtype dtype, int rank, const long *extents, char *const *texts, TensorUse use)
{
    if (g->ntensors == MAX_TENSORS)
        return NULL;
    Tensor *t = &g->tensors[g->ntensors++];
    *t = (Tensor){.name = fresh(g, "t"), .dtype = dtype, .rank = rank, .use = use, .low = -1, .high = 1};
    if (use == USE_ATOMIC) {
        t->low = t->high = 3;
        t->use = USE_STORE;
    } else if (!dtype_float(dtype)) {
        t->low = -20;
        t->high = 20;
    }
    for (int i = 0; i < 4; i++)
        t->extent[i] = i < rank ? extents[i] : 1;
    for (int i = 0; texts && i < rank; i++)
        t->extent_text[i] = texts[i];
    lay_out(t);
    array_of(g, t);
    declare(g, t);
    return t;
}

/* An extent for coordinates up to `most` of tiles of `size`: exact, ragged, more, a little, nothing.  */
static long some_extent(long most, int size)
{
    static const int weights[] = {50, 32, 8, 8, 2};
    long whole = most + size, result = whole;
    switch (weigh(weights, 5)) {
    case 1:
        result = whole - 1 - pick(size > 1 ? size - 1 : 1);
        break;
    case 2:
        result = whole + 1 + pick(20);
        break;
    case 3:
        result = 1 + pick(size);
        break;
    case 4:
        result = 0;
        break;
    default:
        break;
    }
    return result < 0 ? 0 : result > LONGEST_EXTENT ? LONGEST_EXTENT : result;
}

/* That of the loop which counts the tiles; false if it isn't to be.  */
static bool loop_extent(const GridVariable *v, long *extent, char **words)
{
    if (!v || !v->bound || v->end > LONGEST_EXTENT || !chance(90))
        return false;
    *extent = v->end;
    *words = v->bound;
    return true;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static char *some_coordinate(Gen *g, int size, long *most)
{
    int fitting[MAX_SCALARS], n = 0;
    for (int i = g->nscalars - 1; i >= 0; i--)
        if (!g->scalars[i].is_float && g->scalars[i].step == size && g->scalars[i].kind != S_PARAMETER)
            fitting[n++] = i;
    static const int weights[] = {70, 12, 8, 5, 5};
    int form = weigh(weights, 5);
    if (n && form < 3) {
        const Scalar *s = &g->scalars[fitting[pick(n)]];
        *most = s->most;
        if (form == 2)
            return text("%s - %d", s->name, 1 + pick(16));
        if (form == 1) {
            *most += 8;
            return text("%s + 8", s->name);
        }
        return text("%s", s->name);
    }
    if (form == 3) {
        *most = 8 * pick(4);
        return text("%ld", *most);
    }
    return scalar_text(g, most);
}

char *coordinate(Gen *g, int size, long *most)
{
    span_begin();
    char *result = some_coordinate(g, size, most);
    span_end();
    return result;
}

bool can_load(Gen *g, Shape shape)
{
    long bytes = shared_bytes(shape) * (g->slots ? g->slots : 1);
    return !g->in_helper && g->shared + bytes <= SHARED_LIMIT && g->ntensors < MAX_TENSORS - 8 &&
           g->spent + g->work * shape.rows * shape.cols < 4000000;
}

/* A tensor that this region does not store, with coordinates for it.  */
static Tensor *some_source(Gen *g, Dtype dtype, int rank, const long *most, const int *sizes, const GridVariable *rows)
{
    int found[MAX_TENSORS], n = 0;
    for (int i = 0; i < g->ntensors; i++) {
        const Tensor *t = &g->tensors[i];
        bool loadable =
            t->use == USE_LOAD || t->use == USE_VIEW || (t->use == USE_STORE && t->stored != g->region && !t->in_place);
        if (loadable && t->dtype == dtype && t->rank == rank)
            found[n++] = i;
    }
    if (n && chance(rows ? 10 : 35))
        return &g->tensors[found[pick(n)]];
    long extents[4];
    char *texts[4] = {NULL};
    for (int i = 0; i < rank; i++)
        if (i != rank - 2 || !loop_extent(rows, &extents[i], &texts[i]))
            extents[i] = some_extent(most[i], sizes[i]);
    return tensor_new(g, dtype, rank, extents, texts, USE_LOAD);
}

static Tensor *source(Gen *g, Dtype dtype, int rank, const long *most, const int *sizes, const GridVariable *rows)
{
    span_begin();
    Tensor *result = some_source(g, dtype, rank, most, sizes, rows);
    span_end();
    return result;
}

static char *fill_text(Dtype dtype)
{
    static const char *const fills[] = {"1", "-1e30", "0", "-3.5", "7"};
    return text("%s", fills[dtype_float(dtype) ? pick(5) : 4 * pick(2)]);
}

static char *joined(char **places, int n)
{
    char *list = text("%s", "");
    for (int i = 0; i < n; i++)
        list = text("%s, %s", list, places[i]);
    return list;
}

static char *load_vector(Gen *g, Shape shape, bool row)
{
    int rank = chance(25) ? 2 : 1, size = row ? shape.cols : shape.rows, sizes[] = {1, size};
    char *places[2];
    long most[2];
    if (rank == 2)
        places[0] = leading(g, &most[0]);
    places[rank - 1] = coordinate(g, size, &most[rank - 1]);
    const Tensor *t = source(g, shape.dtype, rank, most, sizes + (2 - rank), NULL);
    if (!t)
        return text("ws_zeros(WS_%s, %d, %d)", dtype_name[shape.dtype], shape.rows, shape.cols);
    return text("ws_load_%s%s(%s%s, %s)", row ? "row" : "col", rank == 2 ? "_2d" : "", t->name, joined(places, rank),
                extent(g, size));
}

/* Elements of a vector by their numbers.  */
static char *load_at(Gen *g, Shape shape)
{
    long most = 0;
    int size = shape.rows * shape.cols, each = 1 + pick(3);
    const char *place = coordinate(g, size, &most);
    const Tensor *t = source(g, shape.dtype, 1, &most, &size, NULL);
    if (!t)
        return text("ws_zeros(WS_%s, %d, %d)", dtype_name[shape.dtype], shape.rows, shape.cols);
    return text("ws_load_at(%s, ws_%s(ws_add(ws_mul(ws_row_index(%d, %d), %d), %s), ws_col_index(%d, %d)))", t->name,
                chance(50) ? "add" : "sub", shape.rows, shape.cols, each, place, shape.rows, shape.cols);
}

static bool mentions(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name))
        if (!strchr("0123456789", at[length]) || !at[length])
            return true;
    return false;
}

/* What a cluster's blocks along one of the grid's variables could share: coordinates that do not follow from it.  */
static void note_same(Gen *g, const Tensor *t, const char *places)
{
    bool along[] = {true, true}; /* x, y */
    for (int i = 0; i < g->ngrid; i++)
        if (mentions(places, g->grid[i].name)) {
            along[0] &= !(g->folded || i == g->ngrid - 2 || g->ngrid == 1);
            along[1] &= !(g->folded || i == g->ngrid - 1);
        }
    for (int i = 0; i < g->nscalars; i++)
        if (g->scalars[i].kind == S_OTHER && mentions(places, g->scalars[i].name))
            return;
    if (t->use == USE_VIEW || strstr(places, "ws_at"))
        return;
    g->same_along_x |= along[0];
    g->same_along_y |= along[1] && g->ngrid > 1 && !g->folded;
}

/* A divisor of a number, seldom 1.  */
static int divisor(int number)
{
    int found[32], n = 0;
    for (int i = 1; i <= number && n < 32; i++)
        if (number % i == 0)
            found[n++] = i;
    return found[pick(n)];
}

/* The extents of a box of so many rows in a tensor's dimensions but the last, none above what a box may have.  */
static bool box_sizes(int rows, int rank, int *sizes)
{
    for (int i = rank - 2; i > 0; i--) {
        sizes[i] = divisor(rows);
        rows /= sizes[i];
    }
    sizes[0] = rows;
    for (int i = 0; i < rank - 1; i++)
        if (sizes[i] > 256)
            return false;
    return true;
}

static char *box_text(const char *tensor, char **places, const int *sizes, int rank)
{
    char *list = text("%s", "");
    for (int i = 0; i < rank - 1; i++)
        list = text("%s, %d", list, sizes[i]);
    return text("ws_box_%dd(%s%s%s)", rank, tensor, joined(places, rank - 1), list);
}

/* rows: NULL, or the grid variable at which the tile's rows begin.  */
static char *some_load_text(Gen *g, Shape shape, bool plain, const GridVariable *rows)
{
    if (!plain && shape.rows == 1 && chance(85))
        return load_vector(g, shape, true);
    if (!plain && shape.cols == 1 && chance(85))
        return load_vector(g, shape, false);
    static const int ranks[] = {70, 20, 10};
    if (!plain && chance(6))
        return load_at(g, shape);
    int rank = 2 + weigh(ranks, 3), sizes[4] = {1, 1, 1, 1};
    char *places[4];
    long most[4];
    sizes[rank - 2] = shape.rows;
    sizes[rank - 1] = shape.cols;
    for (int i = 0; i < rank - 2; i++)
        places[i] = leading(g, &most[i]);
    most[rank - 2] = rows ? (rows->count - 1) * rows->step : 0;
    places[rank - 2] = rows ? rows->name : coordinate(g, shape.rows, &most[rank - 2]);
    places[rank - 1] = coordinate(g, shape.cols, &most[rank - 1]);
    bool box = rank > 2 && !rows && chance(40) && box_sizes(shape.rows, rank, sizes);
    const Tensor *t = source(g, shape.dtype, rank, most, sizes, rows);
    box = box && t && t->use != USE_VIEW;
    if (!t)
        return text("ws_zeros(WS_%s, %d, %d)", dtype_name[shape.dtype], shape.rows, shape.cols);
    if (g->slots)
        note_same(g, t, joined(places, rank));
    g->shared += shared_bytes(shape) * (g->slots ? g->slots : 1);
    g->spent += g->work * shape.rows * shape.cols;
    bool filled = chance(rows ? 4 : 20);
    if (!filled && rank == 2 && chance(8)) {
        char *name = text("fetch%d_%d", ++g->names, g->serial);
        add(&g->helpers,
            "static inline ws_tile %s(ws_tensor t, long row, long col)\n{\n    return ws_load(t, row, col, %d, "
            "%d);\n}\n\n",
            name, shape.rows, shape.cols);
        return text("%s(%s%s)", name, t->name, joined(places, rank));
    }
    if (box)
        return text("ws_load%s(%s, 0, %s, %d, %d%s)", filled ? "_or" : "", box_text(t->name, places, sizes, rank),
                    places[rank - 1], shape.rows, shape.cols, filled ? text(", %s", fill_text(shape.dtype)) : "");
    char *suffix = rank > 2 ? text("_%dd", rank) : text("%s", ""),
         *fill = filled ? text(", %s", fill_text(shape.dtype)) : "";
    return text("ws_load%s%s(%s%s, %s, %s%s)", filled ? "_or" : "", suffix, t->name, joined(places, rank),
                extent(g, shape.rows), extent(g, shape.cols), fill);
}

char *load_text(Gen *g, Shape shape, bool plain)
{
    span_begin();
    char *result = some_load_text(g, shape, plain, NULL);
    span_end();
    return result;
}

char *load_rows_text(Gen *g, Shape shape, const GridVariable *rows)
{
    span_begin();
    char *result = some_load_text(g, shape, true, rows);
    span_end();
    return result;
}

void slice_declare(Gen *g)
{
    int found[MAX_TENSORS], n = 0;
    for (int i = 0; i < g->ntensors; i++)
        if (g->tensors[i].use == USE_LOAD)
            found[n++] = i;
    if (!n || g->ntensors == MAX_TENSORS)
        return;
    Tensor part = g->tensors[found[pick(n)]];
    int dim = pick(part.rank);
    long most, cut = part.extent[dim];
    char *begin = scalar_text(g, &most), *length = chance(50) ? text("%ld", cut / 2 + 1) : scalar_text(g, &most);
    char *name = fresh(g, "t");
    line(g, "ws_tensor %s = ws_slice(%s, %d, %s, %s + %s);", name, part.name, dim, begin, begin, length);
    part.name = name;
    part.use = USE_VIEW;
    g->tensors[g->ntensors++] = part;
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

typedef struct {
    char *places[4];
    long most[4];
    int sizes[4], rank;
    const GridVariable *cut[4]; /* NULL, or that at whose next value the tensor must end */
} Where;

/* The size of the tiles that a scalar counts.  */
static long window(const Gen *g, const char *name)
{
    for (int i = 0; i < g->nscalars; i++)
        if (!strcmp(g->scalars[i].name, name))
            return g->scalars[i].step;
    return 0;
}

/* A grid variable, not yet used, that moves by at least the tile's size or whose tiles can be cut off; by that size if
   there is one.  */
static int grid_variable(const Gen *g, unsigned used, int size)
{
    int found[4], n = 0;
    for (int exact = 1; exact >= 0 && !n; exact--)
        for (int i = 0; i < g->ngrid; i++) {
            const GridVariable *v = &g->grid[i];
            bool fits = exact ? window(g, v->name) == size : v->by || v->step > size;
            if (!(used >> i & 1) && fits)
                found[n++] = i;
        }
    return n ? found[pick(n)] : -1;
}

/* A coordinate that need not keep iterations apart.  */
static void free_place(Gen *g, Where *where, int at, int size)
{
    int loops[MAX_SCALARS], n = 0;
    for (int i = 0; i < g->nscalars; i++)
        if (g->scalars[i].kind == S_LOOP && g->scalars[i].step == size)
            loops[n++] = i;
    where->sizes[at] = size;
    if (n && chance(70)) {
        const Scalar *s = &g->scalars[loops[pick(n)]];
        where->places[at] = text("%s", s->name);
        where->most[at] = s->most;
    } else {
        where->most[at] = chance(20) ? pick(9) : 0;
        where->places[at] = text("%ld", where->most[at]);
    }
}

static void place_one(Gen *g, Where *where, int at, int size, unsigned *used)
{
    int i = grid_variable(g, *used, size);
    if (i < 0 || chance(g->grid[i].by ? 4 : 15)) {
        free_place(g, where, at, size);
        return;
    }
    *used |= 1u << i;
    where->places[at] = text("%s", g->grid[i].name);
    where->most[at] = (g->grid[i].count - 1) * g->grid[i].step;
    where->sizes[at] = size;
    where->cut[at] = g->grid[i].by && (g->grid[i].step < size || chance(70)) ? &g->grid[i] : NULL;
}

/* The grid variables that are left, counted off in one leading coordinate; false when there are none.  */
static bool place_rest(const Gen *g, Where *where, unsigned used)
{
    Gen rest = *g;
    rest.ngrid = 0;
    for (int i = 0; i < g->ngrid; i++)
        if (!(used >> i & 1))
            rest.grid[rest.ngrid++] = g->grid[i];
    long count;
    where->places[0] = linear_index(&rest, &count);
    where->most[0] = count - 1;
    where->sizes[0] = 1;
    return rest.ngrid > 0;
}

/* Coordinates for `windows` (1 or 2) dimensions of a tile.  */
static Where some_find_place(Gen *g, const int *sizes, int windows)
{
    Where where = {.rank = windows + 1};
    unsigned used = 0;
    for (int i = 0; i < windows; i++)
        place_one(g, &where, i + 1, sizes[i], &used);
    if (!place_rest(g, &where, used) && !chance(15)) {
        where.rank = windows;
        for (int i = 0; i < windows; i++) {
            where.places[i] = where.places[i + 1];
            where.most[i] = where.most[i + 1];
            where.sizes[i] = where.sizes[i + 1];
            where.cut[i] = where.cut[i + 1];
        }
    } else if (windows == 2 && chance(20)) { /* a dimension more */
        for (int i = 3; i > 0; i--) {
            where.places[i] = where.places[i - 1];
            where.most[i] = where.most[i - 1];
            where.sizes[i] = where.sizes[i - 1];
            where.cut[i] = where.cut[i - 1];
        }
        where.places[0] = text("%d", 1);
        where.most[0] = 1;
        where.sizes[0] = 1;
        where.rank = 4;
    }
    return where;
}

static Where find_place(Gen *g, const int *sizes, int windows)
{
    span_begin();
    Where result = some_find_place(g, sizes, windows);
    span_end();
    return result;
}

static Tensor *some_destination(Gen *g, Dtype dtype, Where *where, TensorUse use)
{
    long extents[4];
    char *texts[4] = {NULL};
    for (int i = 0; i < where->rank; i++)
        if (!loop_extent(where->cut[i], &extents[i], &texts[i]))
            extents[i] = some_extent(where->most[i], where->sizes[i]);
    Tensor *t = tensor_new(g, dtype, where->rank, extents, texts, use);
    if (t)
        t->stored = g->region;
    return t;
}

static Tensor *destination(Gen *g, Dtype dtype, Where *where, TensorUse use)
{
    span_begin();
    Tensor *result = some_destination(g, dtype, where, use);
    span_end();
    return result;
}

/* The tensor as far as the iteration's own part of it goes.  */
static char *own_part(Gen *g, const Tensor *t, const Where *where)
{
    char *own = t->name;
    for (int i = 0; i < where->rank; i++) {
        const GridVariable *v = where->cut[i];
        if (!v)
            continue;
        char *end = chance(20) ? text("%s + %s", v->by, v->name) : text("%s + %s", v->name, v->by), *name;
        if (chance(15)) {
            name = fresh(g, "s");
            line(g, "const long %s = %s;", name, end);
            end = name;
        }
        own = text("ws_slice(%s, %d, 0, %s)", own, i, end);
        if (chance(40)) {
            name = fresh(g, "t");
            line(g, "ws_tensor %s = %s;", name, own);
            own = name;
        }
    }
    return own;
}

/* A box of lines that the row's place holds, so many in the dimension before it as there are.  */
static bool store_box_text(Gen *g, Shape shape, Where *where, const char *value)
{
    int lines = shape.rows / divisor(shape.rows), rank = where->rank, sizes[4] = {1, 1, 1, 1};
    for (int i = 0; i < rank; i++)
        if (where->cut[i])
            return false;
    sizes[rank - 3] = lines;
    sizes[rank - 2] = shape.rows / lines;
    if (sizes[rank - 3] > 256 || sizes[rank - 2] > 256)
        return false;
    where->places[rank - 3] = text("(%s) * %d", where->places[rank - 3], lines);
    where->most[rank - 3] *= lines;
    where->sizes[rank - 3] = lines;
    const Tensor *t = destination(g, shape.dtype, where, USE_STORE);
    if (t)
        line(g, "ws_store(%s, 0, %s, %s);", box_text(t->name, where->places, sizes, rank), where->places[rank - 1],
             value);
    return true;
}

static void some_store_text(Gen *g, Shape shape, const char *value)
{
    bool row = shape.rows == 1 && chance(80), col = !row && shape.cols == 1 && chance(80);
    int sizes[] = {row ? shape.cols : shape.rows, shape.cols};
    Where where = find_place(g, sizes, row || col ? 1 : 2);
    if (where.rank > 2 && !row && !col && chance(30) && store_box_text(g, shape, &where, value))
        return;
    const Tensor *t = destination(g, shape.dtype, &where, USE_STORE);
    if (!t)
        return;
    char *suffix = row || col       ? text("_%s%s", row ? "row" : "col", where.rank == 2 ? "_2d" : "")
                   : where.rank > 2 ? text("_%dd", where.rank)
                                    : text("%s", "");
    g->shared += 128 * shape.rows;
    char *own = own_part(g, t, &where), *places = joined(where.places, where.rank);
    if ((row || col) && where.rank == 1 && chance(30)) { /* the last one first */
        g->whole_tiles = true;
        line(g, "ws_store_at(%s, ws_sub((%s) + %d, ws_%s_index(%d, %d)), %s);", own, where.places[0],
             shape.rows * shape.cols - 1, row ? "col" : "row", shape.rows, shape.cols, value);
        return;
    }
    line(g, "ws_store%s(%s%s, %s);", suffix, own, places, value);
    if (shape.dtype == I8 || shape.dtype == U8 || !chance(8))
        return;
    if (chance(50)) /* once more, in the same place */
        line(g, "if (%s)", condition(g));
    line(g, "ws_store%s(%s%s, ws_neg(%s));", suffix, own, places, value);
}

void store_text(Gen *g, Shape shape, const char *value)
{
    span_begin();
    some_store_text(g, shape, value);
    span_end();
}

char *place_in_place(Gen *g, Shape shape, char **tensor, int *rank)
{
    int sizes[] = {shape.rows, shape.cols};
    Where where = find_place(g, sizes, 2);
    Tensor *t = destination(g, shape.dtype, &where, USE_STORE);
    if (!t)
        return NULL;
    t->in_place = true;
    *tensor = own_part(g, t, &where);
    *rank = where.rank;
    return joined(where.places, where.rank);
}

/* To elements of a vector that the program chooses, many of them equal.  */
static void atomic_at_text(Gen *g, Shape shape, const char *value)
{
    double bound;
    Shape index = {.dtype = chance(25) ? I64 : I32, .rows = shape.rows, .cols = shape.cols};
    Where where = {.places = {"0"}, .sizes = {31}, .rank = 1};
    const char *chosen = expression(g, index, 1, &bound);
    Tensor *t = destination(g, shape.dtype, &where, USE_ATOMIC);
    if (!t)
        return;
    t->in_place = g->whole_tiles = true;
    line(g, "ws_atomic_add_at(%s, ws_sub(ws_bit_and(%s, 31), 1), %s);", t->name, chosen, value);
}

/* Whole numbers of few bits, so that no order of the additions shows.  */
void atomic_text(Gen *g, Shape shape, const char *value)
{
    char *whole = !dtype_float(shape.dtype) ? text("%s", value) : text("ws_rint(ws_max(ws_min(%s, 50), -50))", value);
    if (chance(30) || shape.dtype == I64) { /* of which tiles of windows have none */
        atomic_at_text(g, shape, whole);
        return;
    }
    int rank = 2 + pick(3), sizes[4] = {1, 1, 1, 1};
    Where where = {.rank = rank};
    sizes[rank - 2] = shape.rows;
    sizes[rank - 1] = shape.cols;
    for (int i = 0; i < rank; i++) {
        where.places[i] = i < rank - 2 ? leading(g, &where.most[i]) : coordinate(g, sizes[i], &where.most[i]);
        where.sizes[i] = sizes[i];
    }
    Tensor *t = destination(g, shape.dtype, &where, USE_ATOMIC);
    if (!t)
        return;
    t->in_place = true;
    line(g, "ws_atomic_add%s(%s%s, %s);", rank > 2 ? text("_%dd", rank) : "", t->name, joined(where.places, rank),
         whole);
}
