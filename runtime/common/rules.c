/* SPDX-License-Identifier: MIT */
/*
 * rules.c - the type and shape rules of the language; see rules.h.
 *
 * Each rule of ops.def has a function, and a table maps rules to functions.  A function first sets the result as well
 * as the operands allow.  Then it checks the operands; the first complaint is the verdict.
 */
#include "rules.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct ws_rule_type type;

/* The arguments of ws_rule_check, for the rule functions.  */
struct question {
    int opcode;
    const char *name; /* text of ops.def */
    const type *operands;
    int count;
    const struct ws_rule_attributes *attributes;
    type *result;
    struct ws_rule_message *message;
};

static const struct {
    const char *text;
    int rule;
} operations[WS_OP_COUNT] = {
#define OP(NAME, text, class, nargs, rule, call, about, doc) {#text, rule},
#include "ops.def"
#undef OP
};

int ws_rule_of(int opcode)
{
    return opcode >= 0 && opcode < WS_OP_COUNT ? operations[opcode].rule : R_NONE;
}

const char *ws_rule_dtype_name(int dtype)
{
    static const char *const names[] = {"f32", "f64", "f16", "bf16", "e4m3", "e5m2",
                                        "i8",  "i32", "u8",  "i16",  "i64",  "mask"};
    return dtype >= 0 && dtype <= WS_RULE_MASK ? names[dtype] : "no element type";
}

int ws_rule_is_float(int dtype)
{
    return dtype >= WS_RULE_F32 && dtype <= WS_RULE_E5M2;
}

/* ---- complaints -------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static int wrong(struct question *q, const char *remedy, const char *format, ...)
{
    int length = snprintf(q->message->text, sizeof q->message->text, "ws_%s: ", q->name);
    va_list list;
    va_start(list, format);
    vsnprintf(q->message->text + length, sizeof q->message->text - (size_t)length, format, list);
    va_end(list);
    q->message->remedy = remedy;
    return 0;
}

static const char *kind_name(const type *t)
{
    switch (t->kind) {
    case WS_RULE_SCALAR:
    case WS_RULE_SPLAT:
        return "a number";
    case WS_RULE_TENSOR:
        return "a tensor";
    case WS_RULE_TILE:
        return t->dtype == WS_RULE_MASK ? "a mask" : "a tile";
    default:
        return "nothing";
    }
}

/* ---- small checks ------------------------------------------------------------------------------------------------ */

static void give_tile(struct question *q, int dtype, int rows, int cols)
{
    *q->result = (type){WS_RULE_TILE, dtype, 0, rows > 0 ? rows : 1, cols > 0 ? cols : 1};
}

/* True for the types of indices and bits.  */
static int is_integer(int dtype)
{
    return dtype == WS_RULE_I32 || dtype == WS_RULE_I64;
}

static int is_tile(const type *t)
{
    return t->kind == WS_RULE_TILE;
}

static int check_dtype(struct question *q, int dtype)
{
    if (dtype >= WS_RULE_F32 && dtype <= WS_RULE_I64)
        return 1;
    return wrong(q, "use WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, WS_I8, WS_I32, WS_U8, WS_I16 or WS_I64",
                 "the element type is not one of the language's");
}

static int check_extents(struct question *q, int rows, int cols)
{
    if (rows > 0 && cols > 0 && rows <= (1 << 30) / cols)
        return 1;
    return wrong(q, "rows and columns of a tile are positive constants", "a tile cannot have the shape (%d,%d)", rows,
                 cols);
}

/* Operand `index` must be a tile whose elements are numbers.  */
static int check_numbers(struct question *q, int index)
{
    const type *t = &q->operands[index];
    if (!is_tile(t))
        return wrong(q, "", "operand %d is %s, not a tile", index + 1, kind_name(t));
    if (t->dtype == WS_RULE_MASK)
        return wrong(q, "use ws_select(mask, x, y) to make numbers of a mask", "operand %d is a mask", index + 1);
    return 1;
}

/* The same, of a type with arithmetic; a splat is allowed.  */
static int check_arithmetic(struct question *q, int index)
{
    const type *t = &q->operands[index];
    if (t->kind == WS_RULE_SPLAT)
        return 1;
    if (!check_numbers(q, index))
        return 0;
    if (t->dtype == WS_RULE_I8)
        return wrong(q, "cast it to WS_I32 or WS_F32 first",
                     "i8 tiles only load, store, cast, compare, select and multiply in ws_dot");
    if (t->dtype == WS_RULE_U8)
        return wrong(q, "cast it to WS_I32 or WS_F32 first", "u8 tiles only load, store, cast, compare and select");
    return 1;
}

/* Extent of a broadcast dimension; 0 if the two do not fit.  */
static int broadcast(int x, int y)
{
    return x == y || y == 1 ? x : x == 1 ? y : 0;
}

/* The type of the first tile among the operands from `first` on; -1 if there is no tile.  */
static int first_dtype(struct question *q, int first)
{
    for (int i = first; i < q->count; i++)
        if (is_tile(&q->operands[i]))
            return q->operands[i].dtype;
    return -1;
}

/* Sets the shape of all operands broadcast against each other, and the result's element type.  */
static int check_broadcast(struct question *q, int dtype)
{
    int rows = 1, cols = 1;
    for (int i = 0; i < q->count; i++) {
        const type *t = &q->operands[i];
        if (!is_tile(t))
            continue;
        int r = broadcast(rows, t->rows), c = broadcast(cols, t->cols);
        if (!r || !c) {
            give_tile(q, dtype, rows, cols);
            return wrong(q, "a dimension fits if it is equal or 1", "the shapes (%d,%d) and (%d,%d) do not broadcast",
                         rows, cols, t->rows, t->cols);
        }
        rows = r;
        cols = c;
    }
    give_tile(q, dtype, rows, cols);
    return 1;
}

/* Sets shape and common type of an elementwise operation over the operands from `first` on.  */
static int check_elementwise(struct question *q, int first, int result_dtype)
{
    int dtype = first_dtype(q, first);
    int shaped = check_broadcast(q, result_dtype >= 0 ? result_dtype : dtype >= 0 ? dtype : WS_RULE_F32);
    for (int i = first; i < q->count; i++)
        if (is_tile(&q->operands[i]) && q->operands[i].dtype != dtype)
            return wrong(q, "use ws_cast on one of them", "the operands are %s and %s: cast one",
                         ws_rule_dtype_name(dtype), ws_rule_dtype_name(q->operands[i].dtype));
    return shaped;
}

/* An elementwise operation needs at least one tile.  */
static int check_some_tile(struct question *q)
{
    for (int i = 0; i < q->count; i++)
        if (is_tile(&q->operands[i]))
            return 1;
    return wrong(q, "compute it with C's own operators", "all operands are numbers");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static int check_tensor(struct question *q, int lowest, int highest)
{
    const type *t = &q->operands[0];
    if (t->kind == WS_RULE_SCALAR)
        return wrong(q, "make one of the pointer first, for instance with ws_tensor_2d", "operand 1 is no tensor");
    if (t->kind != WS_RULE_TENSOR)
        return wrong(q, "", "operand 1 is %s, not a tensor", kind_name(t));
    if (t->rank < lowest || t->rank > highest)
        return wrong(q,
                     highest == 1   ? "it reads or writes a vector: make one with ws_tensor_1d"
                     : t->rank == 1 ? "of a vector ws_load_row, ws_load_col, ws_store_row and ws_store_col take a part"
                                    : "the name's suffix _2d, _3d or _4d tells the rank",
                     "the tensor has rank %d", t->rank);
    return check_dtype(q, t->dtype);
}

static int rule_tensor(struct question *q)
{
    const struct ws_rule_attributes *a = q->attributes;
    *q->result = (type){WS_RULE_TENSOR, a->dtype, a->rank, 0, 0};
    if (a->rank < 1 || a->rank > 4)
        return wrong(q, "fold dimensions, or slice by the base pointer", "a tensor has rank 1 to 4, not %d", a->rank);
    return check_dtype(q, a->dtype);
}

static int check_no_box(struct question *q)
{
    return !q->operands[0].rows || wrong(q, "say it of the tensor itself", "the tensor is a box");
}

static int rule_slice(struct question *q)
{
    const type *t = &q->operands[0];
    *q->result = *t;
    if (!check_tensor(q, 1, 4))
        return 0;
    if (q->attributes->dimension < 0 || q->attributes->dimension >= t->rank)
        return wrong(q, "dimensions count from 0", "a tensor of rank %d has no dimension %d", t->rank,
                     q->attributes->dimension);
    return check_no_box(q);
}

/* For a tensor of rank 3 or 4: position and extents in all dimensions but the last.  */
static int rule_box(struct question *q)
{
    int rank = (q->count - 1) / 2 + 1;
    *q->result = (type){WS_RULE_TENSOR, q->operands[0].dtype, 2, 0, 0};
    return check_tensor(q, rank, rank) && check_no_box(q);
}

/* The tile of a load or a store must have all rows of a box.  */
static int check_box(struct question *q, int rows)
{
    const type *t = &q->operands[0];
    int rule = ws_rule_of(q->opcode);
    if (t->rows && rule != R_LOAD && rule != R_STORE)
        return check_no_box(q);
    return !t->rows || t->rows == rows ||
           wrong(q, "a tile of a box has all its rows", "the box has %d rows, the tile %d", t->rows, rows);
}

static int rule_at(struct question *q)
{
    int wants_float = q->opcode == WS_OP_AT_FLOAT;
    *q->result = (type){WS_RULE_SCALAR, wants_float ? WS_RULE_F64 : WS_RULE_I32, 0, 0, 0};
    if (!check_tensor(q, 1, 1))
        return 0;
    if (ws_rule_is_float(q->operands[0].dtype) != wants_float)
        return wrong(q, wants_float ? "use ws_at for integers" : "use ws_at_float", "the tensor holds %s",
                     ws_rule_dtype_name(q->operands[0].dtype));
    return 1;
}

static int rule_load_at(struct question *q)
{
    const type *index = &q->operands[1];
    give_tile(q, q->operands[0].dtype, is_tile(index) ? index->rows : 1, is_tile(index) ? index->cols : 1);
    if (!check_tensor(q, 1, 1))
        return 0;
    if (index->kind == WS_RULE_SPLAT)
        return wrong(q, "use ws_at or ws_at_float for one element", "operand 2 is a number, not a tile");
    if (!check_numbers(q, 1))
        return 0;
    if (!is_integer(index->dtype))
        return wrong(q, "use ws_cast(index, WS_I32)", "the indices are %s", ws_rule_dtype_name(index->dtype));
    return 1;
}

static int rule_load(struct question *q)
{
    int rule = ws_rule_of(q->opcode);
    int rows = rule == R_LOAD_ROW ? 1 : q->attributes->rows;
    int cols = rule == R_LOAD_COL ? 1 : q->attributes->cols;
    int rank = q->count - 1; /* one coordinate for each dimension */
    int bad_rank = rule == R_LOAD ? rank < 2 : rank > 2;
    give_tile(q, q->operands[0].dtype, rows, cols);
    if (!check_tensor(q, bad_rank ? 5 : rank, rank))
        return 0;
    return check_extents(q, rows, cols) && check_box(q, rows);
}

/* Checks the type of a stored or added tile.  */
static int check_stored(struct question *q, int tile, int tensor)
{
    int adds = q->opcode == WS_OP_ATOMIC_ADD || q->opcode == WS_OP_ATOMIC_ADD_AT;
    if (tile != tensor)
        return wrong(q, "use ws_cast on the tile", "the tile is %s and the tensor %s", ws_rule_dtype_name(tile),
                     ws_rule_dtype_name(tensor));
    int elements = q->opcode == WS_OP_ATOMIC_ADD_AT;
    if (adds && tile != WS_RULE_F32 && tile != WS_RULE_I32 &&
        !(elements && (tile == WS_RULE_F64 || tile == WS_RULE_I64)))
        return wrong(q, elements ? "add into an f32, f64, i32 or i64 tensor" : "add into an f32 or i32 tensor",
                     "memory of type %s has no atomic addition", ws_rule_dtype_name(tile));
    return 1;
}

static int rule_store(struct question *q)
{
    int rule = ws_rule_of(q->opcode);
    int rank = q->count - 2;
    int bad_rank = rule == R_STORE ? rank < 2 : rank > 2;
    const type *tensor = &q->operands[0], *tile = &q->operands[q->count - 1];
    *q->result = (type){WS_RULE_VOID, 0, 0, 0, 0};
    if (!check_tensor(q, bad_rank ? 5 : rank, rank) || !check_numbers(q, q->count - 1))
        return 0;
    if (!check_stored(q, tile->dtype, tensor->dtype))
        return 0;
    if (rule == R_STORE_ROW && tile->rows != 1)
        return wrong(q, "a row is (1,C)", "the tile has the shape (%d,%d)", tile->rows, tile->cols);
    if (rule == R_STORE_COL && tile->cols != 1)
        return wrong(q, "a column is (R,1)", "the tile has the shape (%d,%d)", tile->rows, tile->cols);
    return check_box(q, tile->rows);
}

static int rule_store_at(struct question *q)
{
    const type *tensor = &q->operands[0], *index = &q->operands[1], *tile = &q->operands[2];
    *q->result = (type){WS_RULE_VOID, 0, 0, 0, 0};
    if (!check_tensor(q, 1, 1) || !check_box(q, 0))
        return 0;
    if (index->kind == WS_RULE_SPLAT || tile->kind == WS_RULE_SPLAT)
        return wrong(q, "make a tile with ws_full", "operand %d is a number, not a tile",
                     index->kind == WS_RULE_SPLAT ? 2 : 3);
    if (!check_numbers(q, 1) || !check_numbers(q, 2))
        return 0;
    if (!is_integer(index->dtype))
        return wrong(q, "use ws_cast(index, WS_I32)", "the indices are %s", ws_rule_dtype_name(index->dtype));
    if (index->rows != tile->rows || index->cols != tile->cols)
        return wrong(q, "an index for each element", "the indices are (%d,%d) and the tile (%d,%d)", index->rows,
                     index->cols, tile->rows, tile->cols);
    return check_stored(q, tile->dtype, tensor->dtype);
}

static int rule_print(struct question *q)
{
    *q->result = (type){WS_RULE_VOID, 0, 0, 0, 0};
    const type *shown = &q->operands[q->count - 1]; /* after the numbers of the position */
    return is_tile(shown) || wrong(q, "", "operand %d is %s, not a tile", q->count, kind_name(shown));
}

/* Made by the compiler, from its own tiles.  */
static int rule_each(struct question *q)
{
    *q->result = (type){WS_RULE_VOID, 0, 0, 0, 0};
    return 1;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static int rule_full(struct question *q)
{
    const struct ws_rule_attributes *a = q->attributes;
    give_tile(q, a->dtype, a->rows, a->cols);
    return check_dtype(q, a->dtype) && check_extents(q, a->rows, a->cols);
}

static int rule_splat(struct question *q)
{
    *q->result = (type){WS_RULE_SPLAT, q->operands[0].dtype == WS_RULE_I32 ? WS_RULE_I32 : WS_RULE_F64, 0, 1, 1};
    return q->operands[0].kind == WS_RULE_SCALAR ||
           wrong(q, "", "operand 1 is %s, not a number", kind_name(&q->operands[0]));
}

static int rule_index(struct question *q)
{
    give_tile(q, WS_RULE_I32, q->attributes->rows, q->attributes->cols);
    return check_extents(q, q->attributes->rows, q->attributes->cols);
}

static int is_fp8(int dtype)
{
    return dtype == WS_RULE_E4M3 || dtype == WS_RULE_E5M2;
}

/* Checks shapes (M,K) (K,N) (M,N), not types.  */
static int check_product(struct question *q, int acc_dtype)
{
    const type *a = &q->operands[0], *b = &q->operands[1], *acc = &q->operands[2];
    give_tile(q, acc_dtype, is_tile(acc) ? acc->rows : a->rows, is_tile(acc) ? acc->cols : b->cols);
    for (int i = 0; i < 3; i++)
        if (!check_numbers(q, i))
            return 0;
    if (a->cols != b->rows)
        return wrong(q, "a is (M,K) and b is (K,N): is a ws_trans missing?",
                     "(%d,%d) times (%d,%d): the inner extents differ", a->rows, a->cols, b->rows, b->cols);
    if (acc->rows != a->rows || acc->cols != b->cols)
        return wrong(q, "the accumulator is (M,N)", "the product is (%d,%d) and the accumulator (%d,%d)", a->rows,
                     b->cols, acc->rows, acc->cols);
    return 1;
}

static int check_accumulator(struct question *q, int dtype)
{
    int found = q->operands[2].dtype;
    return found == dtype ||
           wrong(q,
                 dtype == WS_RULE_I32   ? "start from ws_zeros(WS_I32, ...)"
                 : dtype == WS_RULE_F64 ? "start from ws_zeros(WS_F64, ...)"
                                        : "start from ws_zeros(WS_F32, ...)",
                 "the accumulator is %s, not %s", ws_rule_dtype_name(found), ws_rule_dtype_name(dtype));
}

static int rule_dot(struct question *q)
{
    int a = q->operands[0].dtype, b = q->operands[1].dtype;
    int sum = a == WS_RULE_I8 ? WS_RULE_I32 : a == WS_RULE_F64 ? WS_RULE_F64 : WS_RULE_F32;
    if (!check_product(q, sum))
        return 0;
    if ((!ws_rule_is_float(a) && a != WS_RULE_I8) || (!ws_rule_is_float(b) && b != WS_RULE_I8))
        return wrong(q, "the operands are f16, bf16, e4m3, e5m2, i8, f32 or f64", "there are no products of %s and %s",
                     ws_rule_dtype_name(a), ws_rule_dtype_name(b));
    if (a != b && !(is_fp8(a) && is_fp8(b)))
        return wrong(q, "use ws_cast on one of them", "the operands are %s and %s: cast one", ws_rule_dtype_name(a),
                     ws_rule_dtype_name(b));
    return check_accumulator(q, sum);
}

static int rule_dot_f32(struct question *q)
{
    if (!check_product(q, WS_RULE_F32))
        return 0;
    if (q->operands[0].dtype != WS_RULE_F32 || q->operands[1].dtype != WS_RULE_F32)
        return wrong(q, "use ws_cast, or ws_dot", "the operands are %s and %s, not f32",
                     ws_rule_dtype_name(q->operands[0].dtype), ws_rule_dtype_name(q->operands[1].dtype));
    return check_accumulator(q, WS_RULE_F32);
}

static int rule_trans(struct question *q)
{
    const type *t = &q->operands[0];
    give_tile(q, t->dtype, t->cols, t->rows);
    return is_tile(t) || wrong(q, "", "operand 1 is %s, not a tile", kind_name(t));
}

static int rule_cast(struct question *q)
{
    give_tile(q, q->attributes->dtype, q->operands[0].rows, q->operands[0].cols);
    return check_numbers(q, 0) && check_dtype(q, q->attributes->dtype);
}

static int rule_bitcast(struct question *q)
{
    static const int pairs[][2] = {{WS_RULE_F32, WS_RULE_I32}, {WS_RULE_F64, WS_RULE_I64}};
    const int from = q->operands[0].dtype, to = q->attributes->dtype;
    give_tile(q, to, q->operands[0].rows, q->operands[0].cols);
    if (!check_numbers(q, 0) || !check_dtype(q, to))
        return 0;
    for (int i = 0; i < 2; i++)
        if ((from == pairs[i][0] && to == pairs[i][1]) || (from == pairs[i][1] && to == pairs[i][0]))
            return 1;
    return wrong(q, "use ws_cast for a conversion",
                 "the bits of f32 are read as i32, those of f64 as i64, and back; not %s as %s",
                 ws_rule_dtype_name(from), ws_rule_dtype_name(to));
}

static int rule_binary(struct question *q)
{
    int shaped = check_elementwise(q, 0, -1);
    for (int i = 0; i < q->count; i++)
        if (!check_arithmetic(q, i))
            return 0;
    return shaped && check_some_tile(q);
}

static int rule_compare(struct question *q)
{
    int shaped = check_elementwise(q, 0, WS_RULE_MASK);
    for (int i = 0; i < q->count; i++)
        if (q->operands[i].kind != WS_RULE_SPLAT && !check_numbers(q, i))
            return 0;
    return shaped && check_some_tile(q);
}

static int rule_mask(struct question *q)
{
    int shaped = check_broadcast(q, WS_RULE_MASK);
    for (int i = 0; i < q->count; i++)
        if (!is_tile(&q->operands[i]) || q->operands[i].dtype != WS_RULE_MASK)
            return wrong(q, "masks come from ws_lt, ws_le, ws_gt, ws_ge, ws_eq and ws_ne",
                         "operand %d is %s, not a mask", i + 1, kind_name(&q->operands[i]));
    return shaped;
}

static int rule_select(struct question *q)
{
    int shaped = check_elementwise(q, 1, -1);
    if (!is_tile(&q->operands[0]) || q->operands[0].dtype != WS_RULE_MASK)
        return wrong(q, "masks come from ws_lt, ws_le, ws_gt, ws_ge, ws_eq and ws_ne", "operand 1 is %s, not a mask",
                     kind_name(&q->operands[0]));
    for (int i = 1; i < q->count; i++)
        if (q->operands[i].kind != WS_RULE_SPLAT && !check_numbers(q, i))
            return 0;
    return shaped;
}

static int rule_unary(struct question *q)
{
    give_tile(q, q->operands[0].dtype, q->operands[0].rows, q->operands[0].cols);
    return check_numbers(q, 0) && check_arithmetic(q, 0);
}

static int rule_float(struct question *q)
{
    give_tile(q, q->operands[0].dtype, q->operands[0].rows, q->operands[0].cols);
    if (!check_numbers(q, 0))
        return 0;
    if (!ws_rule_is_float(q->operands[0].dtype))
        return wrong(q, "cast it to WS_F32 first", "the operand is %s, not a float tile",
                     ws_rule_dtype_name(q->operands[0].dtype));
    return 1;
}

static int rule_floats(struct question *q)
{
    if (!rule_binary(q))
        return 0;
    for (int i = 0; i < q->count; i++)
        if (is_tile(&q->operands[i]) && !ws_rule_is_float(q->operands[i].dtype))
            return wrong(q, "cast it to WS_F32 first", "operand %d is %s, not a float tile", i + 1,
                         ws_rule_dtype_name(q->operands[i].dtype));
    return 1;
}

/* A byte under a mask, or shifted down, is a byte.  */
static int gives_bytes(const struct question *q)
{
    const type *x = &q->operands[0];
    return q->opcode == WS_OP_BIT_AND ||
           ((q->opcode == WS_OP_SHR || q->opcode == WS_OP_USHR) && is_tile(x) && x->dtype == WS_RULE_U8);
}

static int rule_bytes(struct question *q)
{
    int shaped = check_elementwise(q, 0, -1);
    for (int i = 0; i < q->count; i++)
        if (q->operands[i].kind == WS_RULE_SPLAT && q->operands[i].dtype != WS_RULE_I32)
            return wrong(q, "cast it to WS_I32 first", "operand %d is %s, and bits are those of i32 or u8", i + 1,
                         ws_rule_dtype_name(q->operands[i].dtype));
    return shaped;
}

static int rule_bits(struct question *q)
{
    for (int i = 0; i < q->count; i++)
        if (is_tile(&q->operands[i]) && q->operands[i].dtype == WS_RULE_U8 && gives_bytes(q))
            return rule_bytes(q);
    if (!rule_binary(q))
        return 0;
    for (int i = 0; i < q->count; i++)
        if (q->operands[i].kind == WS_RULE_SPLAT ? q->operands[i].dtype != WS_RULE_I32
                                                 : is_tile(&q->operands[i]) && !is_integer(q->operands[i].dtype))
            return wrong(q, "cast it to WS_I32 first", "operand %d is %s, and bits are those of i32 or i64", i + 1,
                         ws_rule_dtype_name(q->operands[i].dtype));
    return 1;
}

static int rule_reduce(struct question *q)
{
    const type *t = &q->operands[0];
    int rule = ws_rule_of(q->opcode);
    give_tile(q, rule == R_ARGMAX ? WS_RULE_I32 : t->dtype, rule == R_COL ? 1 : t->rows, rule == R_COL ? t->cols : 1);
    return check_numbers(q, 0) && check_arithmetic(q, 0);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static int (*const rules[])(struct question *) = {
    [R_TENSOR] = rule_tensor,   [R_SLICE] = rule_slice,       [R_AT] = rule_at,           [R_LOAD] = rule_load,
    [R_LOAD_AT] = rule_load_at, [R_STORE_AT] = rule_store_at, [R_LOAD_ROW] = rule_load,   [R_LOAD_COL] = rule_load,
    [R_STORE] = rule_store,     [R_STORE_ROW] = rule_store,   [R_STORE_COL] = rule_store, [R_PRINT] = rule_print,
    [R_FULL] = rule_full,       [R_SPLAT] = rule_splat,       [R_INDEX] = rule_index,     [R_DOT] = rule_dot,
    [R_DOT_F32] = rule_dot_f32, [R_TRANS] = rule_trans,       [R_CAST] = rule_cast,       [R_BITCAST] = rule_bitcast,
    [R_BINARY] = rule_binary,   [R_COMPARE] = rule_compare,   [R_MASK] = rule_mask,       [R_SELECT] = rule_select,
    [R_FMA] = rule_binary,      [R_UNARY] = rule_unary,       [R_SAME] = rule_unary,      [R_FLOAT] = rule_float,
    [R_FLOATS] = rule_floats,   [R_ROW] = rule_reduce,        [R_COL] = rule_reduce,      [R_ARGMAX] = rule_reduce,
    [R_BOX] = rule_box,         [R_BITS] = rule_bits,         [R_EACH] = rule_each,
};

int ws_rule_check(int opcode, const struct ws_rule_type *operands, int count,
                  const struct ws_rule_attributes *attributes, struct ws_rule_type *result,
                  struct ws_rule_message *message)
{
    static const struct ws_rule_attributes none;
    struct question q = {opcode, "", operands, count, attributes ? attributes : &none, result, message};
    int rule = ws_rule_of(opcode);
    message->text[0] = 0;
    message->remedy = "";
    *result = (type){WS_RULE_VOID, 0, 0, 0, 0};
    if (rule == R_NONE || rule == R_SCALAR || !rules[rule])
        return 1;
    q.name = operations[opcode].text;
    return rules[rule](&q);
}
