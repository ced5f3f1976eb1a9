/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rewrite.c - prints a grid of plain loops as C over tiles, for wscc --ws-rewrite.
 *
 *      %x: tensor<f32,2> = tensor %A, %M, %K, %K, 1      ws_tensor x = ws_tensor_2d_ld(A, WS_F32, M, K, K);
 *      for %i: i32 = 0, < %M, 128 {                      #pragma ws grid(1)
 *        %t: tile<f32,128x64> = load %x, %i, 0           for (int i = 0; i < M; i += 128) {
 *        store %y, %i, 0, (neg %t)                           ws_tile t = ws_load(x, i, 0, 128, 64);
 *      }                                                     ws_store(y, i, 0, ws_neg(t)); }
 *
 * The function has the parameters of the kernel's launcher. A value with one use is printed at its use, as long as the
 * line stays short. A parameter for a sum over the grid is a pointer to the sum. Tiles store their sums in an array,
 * which is added up behind the grid, in the order of runtime/host/total.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/affine.h"
#include "ir/alias.h"
#include "ir/queries.h"
#include "ir/text.h"
#include "language/rewrite.h"
#include "passes.h"
#include "rules.h"

enum { LONGEST_INLINE = 60 };

/* Names in the text for a sum over the grid.  */
typedef struct {
    const Total *total;
    const char *count, *numbers; /* names of the number of tiles, and of the array of their sums */
} Collected;

typedef struct {
    FILE *out;
    Kernel *kernel;
    Module *module;
    const char **texts; /* by value id: a name, or an expression */
    const char **names; /* names in use */
    int nnames, room, indent;
    Collected *collected; /* capacity for all totals of the grid */
    int ncollected;
} Rewriter;

/* ---- names and types --------------------------------------------------------------------------------------------- */

static const char *c_type(Dtype dtype)
{
    static const char *const types[D_COUNT] = {
        [D_F32] = "float",        [D_F64] = "double",       [D_I8] = "signed char",   [D_I32] = "int",
        [D_I1] = "_Bool",         [D_U8] = "unsigned char", [D_I16] = "short",        [D_U16] = "unsigned short",
        [D_U32] = "unsigned int", [D_I64] = "long",         [D_U64] = "unsigned long"};
    return types[dtype] ? types[dtype] : "float";
}

static const char *ws_type(const Rewriter *r, Dtype dtype)
{
    char *text = arena_alloc(r->module, 16);
    snprintf(text, 16, "WS_%s", ws_rule_dtype_name((int)dtype));
    for (char *at = text + 3; *at; at++)
        *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    return text;
}

static bool is_taken(const Rewriter *r, const char *name)
{
    for (int i = 0; i < r->nnames; i++)
        if (!strcmp(r->names[i], name))
            return true;
    return false;
}

/* A new name: the stem, with a number if the name is in use.  */
static const char *new_name_of(Rewriter *r, const char *stem)
{
    char *plain = arena_alloc(r->module, strlen(stem) + 1);
    strcpy(plain, stem);
    for (char *at = plain; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') && !(*at >= '0' && *at <= '9') && *at != '_')
            *at = '_';
    const char *name = plain;
    for (int i = 2; is_taken(r, name); i++)
        name = arena_print(r->module, "%s_%d", plain, i);
    if (r->nnames == r->room) {
        const char **longer = arena_alloc(r->module, (size_t)(2 * r->room) * sizeof *longer);
        memcpy(longer, r->names, (size_t)r->nnames * sizeof *longer);
        r->names = longer;
        r->room *= 2;
    }
    r->names[r->nnames++] = name;
    return name;
}

static const char *new_name(Rewriter *r, const Value *value)
{
    return new_name_of(r, value->name && *value->name ? value->name : value->type.kind == K_TILE ? "t" : "n");
}

static const char *text_of(const Rewriter *r, const Value *value)
{
    return r->texts[value->id] ? r->texts[value->id] : "0";
}

static void line(Rewriter *r, const char *text)
{
    fprintf(r->out, "%*s%s\n", 4 * r->indent, "", text);
}

static const char *declared_type(const Value *value)
{
    return value->type.kind == K_TILE     ? "ws_tile"
           : value->type.kind == K_TENSOR ? "ws_tensor"
                                          : c_type(value->type.dtype);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static const char *real_text(const Rewriter *r, double value, bool single)
{
    if (isinf(value))
        return value < 0 ? "-INFINITY" : "INFINITY";
    if (isnan(value))
        return "NAN";
    const char *text = arena_print(r->module, single ? "%.9g" : "%.17g", value);
    bool whole = !strpbrk(text, ".en");
    return arena_print(r->module, "%s%s%s", text, whole ? ".0" : "", single ? "f" : "");
}

static const char *constant_text(const Rewriter *r, const Op *op)
{
    Dtype dtype = op->results[0]->type.dtype;
    if (dtype_is_float(dtype))
        return real_text(r, op->scalar->real, dtype == D_F32);
    if (op->scalar->integer == INT64_MIN)
        return "(-9223372036854775807L - 1)"; /* C has no such literal */
    return arena_print(r->module, "%lld%s", (long long)op->scalar->integer,
                       dtype == D_I64   ? "L"
                       : dtype == D_U64 ? "UL"
                                        : "");
}

/* Operands `first` to `end` - 1, separated by commas.  */
static const char *list_text(const Rewriter *r, const Op *op, int first, int end)
{
    const char *text = "";
    for (int i = first; i < end; i++)
        text = arena_print(r->module, "%s%s%s", text, i > first ? ", " : "", text_of(r, op->args[i]));
    return text;
}

static const char *operation_text(const Rewriter *r, const Op *op);

/* The expression of a scalar, converted to its type if C would compute it as int.  */
static const char *scalar_text(const Rewriter *r, const Op *op)
{
    const char *text = operation_text(r, op);
    Dtype dtype = op->results[0]->type.dtype;
    bool shorter = !dtype_is_float(dtype) && dtype != D_I1 && dtype_bytes(dtype) < 4;
    bool computed = op->code != OP_CONST && op->code != OP_SCALAR_CONVERT && op->code != OP_SCALAR_SELECT;
    return shorter && computed ? arena_print(r->module, "(%s)%s", c_type(dtype), text) : text;
}

static const char *operation_text(const Rewriter *r, const Op *op)
{
    const char *x = op->nargs ? text_of(r, op->args[0]) : "", *y = op->nargs > 1 ? text_of(r, op->args[1]) : "";
    Module *module = r->module;
    switch (op->code) {
    case OP_CONST:
        return constant_text(r, op);
    case OP_SCALAR_NEG:
        return arena_print(module, "(-%s)", x);
    case OP_SCALAR_NOT:
        return arena_print(module, op->results[0]->type.dtype == D_I1 ? "(!%s)" : "(~%s)", x);
    case OP_SCALAR_MIN:
        return arena_print(module, "(%s < %s ? %s : %s)", x, y, x, y);
    case OP_SCALAR_MAX:
        return arena_print(module, "(%s > %s ? %s : %s)", x, y, x, y);
    case OP_SCALAR_SELECT:
        return arena_print(module, "(%s ? %s : %s)", x, y, text_of(r, op->args[2]));
    case OP_SCALAR_CONVERT:
        return arena_print(module, "(%s)%s", c_type(op->results[0]->type.dtype), x);
    case OP_SCALAR_BITCAST:
        return arena_print(module, "(((union {%s x; %s y;}){%s}).y)", c_type(op->args[0]->type.dtype),
                           c_type(op->results[0]->type.dtype), x);
    case OP_SCALAR_MATH:
        return arena_print(module, "%s(%s)", op->scalar->function, list_text(r, op, 0, op->nargs));
    default:
        return arena_print(module, "(%s %s %s)", x, op_info[op->code].call, y);
    }
}

/* True if extent <= most, or if the extent is at most 0.  */
static bool is_at_most(const Value *extent, const Value *most)
{
    const Op *op = extent->def;
    int64_t number;
    if (ir_constant(extent, &number) && number <= 0)
        return true;
    if (op && op->code == OP_SCALAR_MAX)
        return is_at_most(op->args[0], most) && is_at_most(op->args[1], most);
    Affine left = affine_add(affine_of(most), affine_of(extent), -1);
    return affine_is_constant(&left, &number) && number >= 0;
}

/* True for x[2 * i + j] and x[i * n + 2 * j]. Rows may overlap there, which ws_tensor_2d_ld reports as a mistake.  */
static bool rows_may_overlap(const Op *tensor)
{
    return !is_at_most(tensor->args[2], tensor->args[3]);
}

static const char *tensor_text(const Rewriter *r, const Op *op)
{
    Type type = op->results[0]->type;
    const char *base = text_of(r, op->args[0]), *dtype = ws_type(r, type.dtype);
    if (op->code == OP_TENSOR && op->nargs == 2 + 2 * type.rank)
        base = arena_print(r->module, "(%s + %s)", base, text_of(r, op->args[1 + 2 * type.rank]));
    if (op->code == OP_TENSOR && dtype_bytes(op->args[0]->type.dtype) != dtype_bytes(type.dtype))
        base = arena_print(r->module, "(const void *)%s", base); /* the low halves of a long, as in plain-long.c */
    if (op->code == OP_SLICE)
        return arena_print(r->module, "ws_slice(%s, %d, %s)", base, op->tensor->dimension, list_text(r, op, 1, 3));
    if (type.rank == 1)
        return arena_print(r->module, "ws_tensor_1d(%s, %s, %s)", base, dtype, text_of(r, op->args[1]));
    if (type.rank == 2 && !rows_may_overlap(op))
        return arena_print(r->module, "ws_tensor_2d_ld(%s, %s, %s, %s)", base, dtype, list_text(r, op, 1, 3),
                           text_of(r, op->args[3]));
    return arena_print(r->module, "ws_tensor_strided(%s, %s, %d, ((const long[]){%s}), ((const long[]){%s}))", base,
                       dtype, type.rank, list_text(r, op, 1, 1 + type.rank),
                       list_text(r, op, 1 + type.rank, 1 + 2 * type.rank));
}

/* The suffix of a call: ws_load, ws_load_3d; ws_load_row, ws_load_row_2d.  */
static const char *suffix_of(const Op *op)
{
    static const char *const windows[] = {"", "", "", "_3d", "_4d"}, *const vectors[] = {"", "", "_2d", "_2d", "_2d"};
    int rank = op->args[0]->type.rank;
    return op->code == OP_LOAD || op->code == OP_STORE ? windows[rank] : vectors[rank];
}

static const char *load_text(const Rewriter *r, const Op *op)
{
    Type type = op->results[0]->type;
    const char *shape = op->code == OP_LOAD_ROW   ? arena_print(r->module, "%d", type.cols)
                        : op->code == OP_LOAD_COL ? arena_print(r->module, "%d", type.rows)
                                                  : arena_print(r->module, "%d, %d", type.rows, type.cols);
    return arena_print(r->module, "ws_%s%s(%s, %s)", op_info[op->code].text, suffix_of(op),
                       list_text(r, op, 0, op->nargs), shape);
}

static const char *tile_text(const Rewriter *r, const Op *op)
{
    Type type = op->results[0]->type;
    switch (op->code) {
    case OP_FULL:
        return arena_print(r->module, "ws_full(%s, %d, %d, %s)", ws_type(r, type.dtype), type.rows, type.cols,
                           real_text(r, op->tile->value, false));
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
        return arena_print(r->module, "ws_%s(%d, %d)", op_info[op->code].text, type.rows, type.cols);
    case OP_SPLAT: /* calls accept numbers as operands */
        return text_of(r, op->args[0]);
    case OP_CAST:
    case OP_BITCAST:
        return arena_print(r->module, "ws_%s(%s, %s)", op_info[op->code].text, text_of(r, op->args[0]),
                           ws_type(r, type.dtype));
    case OP_HISTOGRAM: /* the pattern of pass_histogram */
        return arena_print(
            r->module, "ws_col_sum(ws_select(ws_eq(ws_trans(%s), ws_col_index(1, %d)), ws_full(WS_I32, %d, %d, 1), 0))",
            text_of(r, op->args[0]), type.cols, op->args[0]->type.cols, type.cols);
    default:
        return arena_print(r->module, "ws_%s(%s)", op_info[op->code].text, list_text(r, op, 0, op->nargs));
    }
}

static const char *expression(const Rewriter *r, const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
        return scalar_text(r, op);
    case CLASS_TENSOR:
        return tensor_text(r, op);
    case CLASS_LOAD:
        return load_text(r, op);
    default:
        return tile_text(r, op);
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void statement(Rewriter *r, const Op *op);

static void statements(Rewriter *r, const Block *block)
{
    FOR_OPS (op, block)
        if (op->code != OP_YIELD)
            statement(r, op);
}

static bool stands_inline(const Op *op, const char *text)
{
    OpClass class = op_info[op->code].class_;
    if (op->code == OP_CONST || op->code == OP_SPLAT)
        return true;
    return op->results[0]->uses == 1 && strlen(text) < LONGEST_INLINE && (class == CLASS_SCALAR || class == CLASS_TILE);
}

static void declare(Rewriter *r, const Op *op)
{
    const Value *value = op->results[0];
    const char *text = expression(r, op);
    if (value->uses == 0)
        return;
    if (!stands_inline(op, text)) {
        const char *name = new_name(r, value);
        line(r, arena_print(r->module, "%s %s = %s;", declared_type(value), name, text));
        text = name;
    }
    r->texts[value->id] = text;
}

static bool stores(const Block *block, const Op *tensor)
{
    FOR_OPS (op, block) {
        if (op_info[op->code].class_ == CLASS_STORE && tensor_root(op->args[0])->args[0] == tensor->args[0])
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (stores(op->blocks[i], tensor))
                return true;
    }
    return false;
}

/* True if the block loads a window that a ring can carry, from memory that the grid does not store to.  */
static bool has_window(const Rewriter *r, const Block *block)
{
    FOR_OPS (op, block) {
        if (op->code == OP_LOAD && !stores(r->kernel->body, tensor_root(op->args[0])))
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (has_window(r, op->blocks[i]))
                return true;
    }
    return false;
}

/* The pragma of a loop over tiles, or NULL. On a plain loop the pragma may only concern the tile, and then no load
   can move.  */
static const Pipeline *pipeline_to_print(const Rewriter *r, const Op *loop)
{
    const Pipeline *pipeline = loop->control->pipeline;
    return pipeline && pipeline->plain && !has_window(r, loop->blocks[0]) ? NULL : pipeline;
}

static void print_pragma(Rewriter *r, const Op *loop)
{
    const Pipeline *pipeline = pipeline_to_print(r, loop);
    const Grid *grid = &r->kernel->grid;
    if (loop->parent == r->kernel->body)
        line(r, arena_print(r->module, "#pragma ws grid(%d)%s", grid->dims,
                            grid->consumers ? arena_print(r->module, " consumers(%d)", grid->consumers) : ""));
    else if (pipeline && (pipeline->automatic || pipeline->depth < 0))
        line(r, "#pragma ws pipeline(auto)");
    else if (pipeline)
        line(r,
             arena_print(r->module, pipeline->in_flight < 0 ? "#pragma ws pipeline(%d)" : "#pragma ws pipeline(%d, %d)",
                         pipeline->depth, pipeline->in_flight));
}

static const char **names_for(Rewriter *r, int count)
{
    return arena_alloc(r->module, sizeof(char *) * (size_t)(count + 1));
}

/* Assigns several names at once, since one value may depend on another name.  */
static void assign(Rewriter *r, const Op *yield, const char *const *names)
{
    const int count = yield->nargs;
    const char **next = names_for(r, count);
    for (int i = 0; i < count; i++) {
        next[i] = text_of(r, yield->args[i]);
        if (count == 1 || !strcmp(next[i], names[i]))
            continue;
        const char *name = new_name(r, yield->args[i]);
        line(r, arena_print(r->module, "%s %s = %s;", declared_type(yield->args[i]), name, next[i]));
        next[i] = name;
    }
    for (int i = 0; i < count; i++)
        if (strcmp(next[i], names[i]))
            line(r, arena_print(r->module, "%s = %s;", names[i], next[i]));
}

/* The counter of a loop over tiles may leave its type behind the last one: it begins at any number. */
static bool counts_in_64_bits(const Op *loop)
{
    int64_t number;
    const Dtype dtype = loop->blocks[0]->args[0]->type.dtype;
    return dtype_bytes(dtype) == 4 && !ir_constant(loop->args[0], &number) && ir_constant(loop->args[2], &number) &&
           number > 1 && loop->control->compare == OP_SCALAR_LT;
}

static void print_for(Rewriter *r, const Op *op)
{
    static const char *const signs[] = {"<", "<=", ">", ">="};
    const Block *body = op->blocks[0];
    const char **names = names_for(r, op->nresults);
    for (int i = 0; i < op->nresults; i++) {
        names[i] = r->texts[body->args[1 + i]->id] = r->texts[op->results[i]->id] = new_name(r, body->args[1 + i]);
        line(r, arena_print(r->module, "%s %s = %s;", declared_type(op->results[i]), names[i],
                            text_of(r, op->args[3 + i])));
    }
    const bool is_long = counts_in_64_bits(op);
    const char *own = r->texts[body->args[0]->id] = new_name(r, body->args[0]);
    const char *type = c_type(body->args[0]->type.dtype), *counter = is_long ? new_name(r, body->args[0]) : own;
    Opcode compare = op->control->compare;
    print_pragma(r, op);
    line(r, arena_print(r->module, "for (%s %s = %s; %s %s %s; %s += %s) {", is_long ? "long" : type, counter,
                        text_of(r, op->args[0]), counter,
                        compare == OP_SCALAR_NE
                            ? "!="
                            : signs[compare >= OP_SCALAR_LT && compare <= OP_SCALAR_GE ? compare - OP_SCALAR_LT : 0],
                        text_of(r, op->args[1]), counter, text_of(r, op->args[2])));
    r->indent++;
    if (is_long)
        line(r, arena_print(r->module, "%s %s = (%s)%s;", type, own, type, counter));
    statements(r, body);
    assign(r, body->last, names);
    r->indent--;
    line(r, "}");
}

static void print_if(Rewriter *r, const Op *op)
{
    const char **names = names_for(r, op->nresults);
    for (int i = 0; i < op->nresults; i++) {
        names[i] = r->texts[op->results[i]->id] = new_name(r, op->results[i]);
        line(r, arena_print(r->module, "%s %s;", declared_type(op->results[i]), names[i]));
    }
    line(r, arena_print(r->module, "if (%s) {", text_of(r, op->args[0])));
    for (int arm = 0; arm < 2; arm++) {
        r->indent++;
        statements(r, op->blocks[arm]);
        assign(r, op->blocks[arm]->last, names);
        r->indent--;
        line(r, arm ? "}" : "} else {");
    }
}

/* ---- sums over the grid ------------------------------------------------------------------------------------------ */

static const Total *total_of(const Rewriter *r, const Value *base)
{
    for (const Total *total = r->kernel->grid.totals; total; total = total->next)
        if (total->base == base)
            return total;
    return NULL;
}

/* Prints the array of the tiles' sums, and its tensor.  */
static void print_room(Rewriter *r, const Op *tensor, const Total *total)
{
    const char *type = c_type(total->base->type.dtype), *stem = text_of(r, total->base);
    Collected *collected = &r->collected[r->ncollected++];
    collected->total = total;
    collected->count = new_name_of(r, arena_print(r->module, "%s_count", stem));
    collected->numbers = new_name_of(r, arena_print(r->module, "%s_tiles", stem));
    line(r, arena_print(r->module, "long %s = %s;", collected->count, text_of(r, tensor->args[1])));
    line(r, arena_print(r->module, "%s *%s = calloc((size_t)%s + 1, sizeof *%s);", type, collected->numbers,
                        collected->count, collected->numbers));
    const char *name = r->texts[tensor->results[0]->id] = new_name(r, tensor->results[0]);
    line(r, arena_print(r->module, "ws_tensor %s = ws_tensor_1d(%s, %s, %s);", name, collected->numbers,
                        ws_type(r, total->base->type.dtype), collected->count));
}

/* The expression that combines x and y.  */
static const char *joined(const Rewriter *r, const Total *total, const char *x, const char *y)
{
    const char *sign = total->op == OP_SCALAR_ADD   ? "+"
                       : total->op == OP_SCALAR_AND ? "&&"
                       : total->op == OP_SCALAR_OR  ? "||"
                                                    : NULL;
    if (sign)
        return arena_print(r->module, "%s %s %s", x, sign, y);
    const char *type = !total->is_unsigned ? "" : total->base->type.dtype == D_I64 ? "(unsigned long)" : "(unsigned)";
    return arena_print(r->module, "%s%s %s %s%s ? %s : %s", type, y, total->op == OP_SCALAR_MAX ? ">" : "<", type, x, y,
                       x);
}

/* Prints a sum of floats. Strand k of 8 adds tiles k, k + 8, ...  */
static void print_strands(Rewriter *r, const Collected *collected, const char *place)
{
    const char *stem = text_of(r, collected->total->base), *count = collected->count;
    const char *sum = new_name_of(r, arena_print(r->module, "%s_sum", stem));
    const char *sums = new_name_of(r, arena_print(r->module, "%s_sums", stem));
    const char *number = arena_print(r->module, "%s[k]", collected->numbers);
    const char *strand = arena_print(r->module, "%s[k %% 8]", sums), *own = arena_print(r->module, "%s[k]", sums);
    line(r, arena_print(r->module, "double %s = %s, %s[8];", sum, place, sums));
    line(r, arena_print(r->module, "for (long k = 0; k < %s; k++)", count));
    line(r, arena_print(r->module, "    %s = k < 8 ? %s : (%s);", strand, number,
                        joined(r, collected->total, strand, number)));
    line(r, arena_print(r->module, "for (long k = 0; k < 8 && k < %s; k++)", count));
    line(r, arena_print(r->module, "    %s = %s;", sum, joined(r, collected->total, sum, own)));
    line(r, arena_print(r->module, "%s = (%s)%s;", place, c_type(collected->total->base->type.dtype), sum));
}

static void print_sums(Rewriter *r)
{
    for (int i = 0; i < r->ncollected; i++) {
        const Collected *collected = &r->collected[i];
        const char *place = arena_print(r->module, "*%s", text_of(r, collected->total->base));
        const char *number = arena_print(r->module, "%s[k]", collected->numbers);
        Dtype dtype = collected->total->base->type.dtype;
        const char *type = dtype == D_I64 ? "unsigned long" : "unsigned"; /* unsigned integers wrap */
        if (dtype_is_float(dtype)) {
            print_strands(r, collected, place);
        } else {
            line(r, arena_print(r->module, "for (long k = 0; k < %s; k++)", collected->count));
            line(r, arena_print(
                        r->module, "    %s = %s;", place,
                        collected->total->op == OP_SCALAR_ADD
                            ? arena_print(r->module, "(%s)((%s)%s + (%s)%s)", c_type(dtype), type, place, type, number)
                            : joined(r, collected->total, place, number)));
        }
        line(r, arena_print(r->module, "free(%s);", collected->numbers));
    }
}

static void statement(Rewriter *r, const Op *op)
{
    const Total *total = op->code == OP_TENSOR ? total_of(r, op->args[0]) : NULL;
    if (total)
        print_room(r, op, total);
    else if (op->code == OP_FOR)
        print_for(r, op);
    else if (op->code == OP_IF)
        print_if(r, op);
    else if (op_info[op->code].class_ == CLASS_STORE)
        line(r, arena_print(r->module, "ws_%s%s(%s);", op_info[op->code].text, suffix_of(op),
                            list_text(r, op, 0, op->nargs)));
    else if (op->nresults == 1)
        declare(r, op);
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static void print_head(Rewriter *r)
{
    const Kernel *kernel = r->kernel;
    fprintf(r->out, "/* The grid of %s, line %d, over tiles. */\nvoid %s_tiles(", kernel->c_function, kernel->loc.line,
            kernel->name);
    for (int i = 0; i < kernel->nparams; i++) {
        const Value *param = kernel->params[i];
        const char *name = r->texts[param->id] = new_name(r, param);
        bool constant = param->type.kind == K_PTR && !total_of(r, param);
        fprintf(r->out, "%s%s%s%s", i ? ", " : "", constant ? "const " : "", c_type(param->type.dtype),
                param->type.kind == K_PTR ? " *" : " ");
        fputs(name, r->out);
    }
    fputs(kernel->nparams ? ")\n{\n" : "void)\n{\n", r->out);
}

const char *rewrite_text(Kernel *kernel)
{
    Rewriter rewriter = {.kernel = kernel, .module = kernel->module, .indent = 1}, *r = &rewriter;
    char *text = NULL;
    size_t size = 0;
    if (!kernel->grid.rewritten || !(r->out = open_memstream(&text, &size)))
        return "";
    if (kernel_prints_lines(kernel)) {
        fclose(r->out);
        free(text);
        return arena_print(r->module,
                           "/* The grid of %s, line %d, prints numbers; over tiles there is ws_print. */\n\n",
                           kernel->c_function, kernel->loc.line);
    }
    r->room = kernel->module->next_id + 1;
    r->texts = arena_alloc(r->module, (size_t)r->room * sizeof *r->texts);
    int totals = 0;
    for (const Total *total = kernel->grid.totals; total; total = total->next)
        totals++;
    r->collected = arena_alloc(r->module, (size_t)(totals + 1) * sizeof *r->collected);
    r->names = arena_alloc(r->module, (size_t)r->room * sizeof *r->names);
    ir_count_uses(kernel, kernel->body);
    print_head(r);
    statements(r, kernel->body);
    print_sums(r);
    fputs("}\n\n", r->out);
    fclose(r->out);
    const char *copy = text ? arena_print(kernel->module, "%s", text) : "";
    free(text);
    return copy;
}

void pass_rewrite(Kernel *kernel)
{
    (void)kernel;
}
