/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * types.c - infers a type and a shape for every value, by the rules of rules.c.
 *
 *   before                                     after
 *   %x = full 0                                %x: tile<f32,64x64> = full 0
 *   %y = add %x, 2                             %1: tile<f32,1x1> = splat 2
 *                                              %y: tile<f32,64x64> = add %x, %1
 *
 * Inference goes in program order, so that operands come first. A loop's carried value has the type of its initial
 * value, and the end of the loop has to agree. A scalar operand of an elementwise operation becomes a SPLAT, whose type
 * is the one that the operation computes in.
 */
#include <string.h>

#include "ir/queries.h"
#include "passes.h"
#include "rules.h"
#include "target/machine.h"
#include "target/operands.h"

enum { MAX_OPERANDS = 18 };

static const char *type_words(Kernel *kernel, Type type)
{
    if (type.kind == K_TILE || type.kind == K_TOKEN)
        return arena_print(kernel->module, "a (%d,%d) tile of %s", type.rows, type.cols, dtype_text(type.dtype));
    if (type.kind == K_TENSOR)
        return arena_print(kernel->module, "a tensor of rank %d of %s", type.rank, dtype_text(type.dtype));
    return type.kind == K_NONE ? "nothing" : type.kind == K_PTR ? "a pointer" : dtype_text(type.dtype);
}

static const char *shown(const Value *value)
{
    return value->name ? value->name : value->def ? op_info[value->def->code].text : "a value";
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

static Type scalar_type(const Op *op)
{
    if (op->code >= OP_SCALAR_EQ && op->code <= OP_SCALAR_GE)
        return type_scalar(D_I1);
    int like = op->code == OP_SCALAR_SELECT ? 1 : 0;
    return op->nargs > like ? op->args[like]->type : (Type){K_NONE};
}

static void check_scalar_operands(Kernel *kernel, const Op *op)
{
    bool paired = (op->code >= OP_SCALAR_ADD && op->code <= OP_SCALAR_XOR) ||
                  (op->code >= OP_SCALAR_EQ && op->code <= OP_SCALAR_MAX);
    int first = op->code == OP_SCALAR_SELECT ? 1 : 0;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind != K_SCALAR && op->args[i]->type.kind != K_PTR) {
            reject(kernel, op->loc, REASON_TILE_CONDITION);
            return;
        }
    if ((paired || first) && !type_equal(op->args[first]->type, op->args[first + 1]->type))
        reject(kernel, op->loc, REASON_SCALAR_TYPES, op_info[op->code].text, type_words(kernel, op->args[first]->type),
               type_words(kernel, op->args[first + 1]->type));
}

static void infer_scalar(Kernel *kernel, Op *op)
{
    check_scalar_operands(kernel, op);
    Value *result = op->results[0];
    if (result->type.kind == K_NONE)
        result->type = scalar_type(op);
    if (result->type.kind == K_NONE || (result->type.kind != K_SCALAR && result->type.kind != K_PTR))
        reject(kernel, op->loc, REASON_SHAPE_UNKNOWN, shown(result));
}

/* ---- splats ------------------------------------------------------------------------------------------------------ */

/* Returns the type in which an elementwise operation computes on tiles of this type.  */
static Dtype compute_dtype(Dtype dtype)
{
    return dtype == D_F64 || dtype == D_I64 ? dtype : dtype_is_float(dtype) ? D_F32 : D_I32;
}

static bool is_splat(const Value *value)
{
    return value->def && value->def->code == OP_SPLAT;
}

/* Returns the compute type of the first operand that is a tile and no splat.  F32 if all operands are scalars.  */
static Dtype partner_dtype(const Op *op)
{
    for (int i = op->code == OP_SELECT ? 1 : 0; i < op->nargs; i++)
        if (op->args[i]->type.kind == K_TILE && !is_splat(op->args[i]))
            return compute_dtype(op->args[i]->type.dtype);
    return D_F32;
}

static Value *splat_before(Kernel *kernel, Op *where, Value *scalar, Loc loc)
{
    Op *splat = op_new(kernel, OP_SPLAT, loc, 1, &scalar);
    op_before(where, splat);
    return op_result(kernel, splat, (Type){K_NONE}, NULL);
}

static void box_scalars(Kernel *kernel, Op *op)
{
    if (op_info[op->code].class_ != CLASS_TILE || op->code == OP_SPLAT)
        return;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind == K_SCALAR)
            op->args[i] = splat_before(kernel, op, op->args[i], op->loc);
}

/* Gives each splat the compute type of its user.  A splat with users of two types is duplicated.  */
static void settle_splats(Kernel *kernel, Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        Value *value = op->args[i];
        if (!is_splat(value))
            continue;
        Type type = type_tile(partner_dtype(op), 1, 1);
        if (value->type.kind == K_NONE)
            value->type = type;
        else if (!type_equal(value->type, type))
            op->args[i] = splat_before(kernel, op, value->def->args[0], value->loc);
        op->args[i]->type = type;
    }
}

/* ---- rules.c ----------------------------------------------------------------------------------------------------- */

static struct ws_rule_type to_rule(const Value *value)
{
    Type type = value->type;
    bool is_float = dtype_is_float(type.dtype);
    if (is_splat(value))
        return (struct ws_rule_type){
            WS_RULE_SPLAT, dtype_is_float(value->def->args[0]->type.dtype) ? WS_RULE_F64 : WS_RULE_I32, 0, 1, 1};
    switch (type.kind) {
    case K_SCALAR:
    case K_PTR:
        return (struct ws_rule_type){WS_RULE_SCALAR, is_float ? WS_RULE_F64 : WS_RULE_I32, 0, 0, 0};
    case K_TENSOR:
        return (struct ws_rule_type){WS_RULE_TENSOR, (int)type.dtype, type.rank, box_rows(value), 0};
    case K_TILE:
        return (struct ws_rule_type){WS_RULE_TILE, (int)type.dtype, 0, type.rows, type.cols};
    default:
        return (struct ws_rule_type){WS_RULE_VOID, 0, 0, 0, 0};
    }
}

static Type from_rule(const Op *op, struct ws_rule_type type)
{
    Dtype dtype = (Dtype)type.dtype;
    switch (type.kind) {
    case WS_RULE_SCALAR:
        return type_scalar(op->code == OP_AT_FLOAT ? D_F64 : D_I64);
    case WS_RULE_TENSOR:
        return type_tensor(dtype, type.rank);
    case WS_RULE_TILE:
        return type_tile(dtype, type.rows, type.cols);
    default:
        return (Type){K_NONE};
    }
}

static struct ws_rule_attributes attributes_of(const Op *op)
{
    Type type = op->nresults ? op->results[0]->type : (Type){K_NONE};
    return (struct ws_rule_attributes){(int)type.dtype, type.rows, type.cols, type.rank,
                                       op->code == OP_SLICE ? op->tensor->dimension : 0};
}

static bool has_enough_operands(Kernel *kernel, const Op *op)
{
    int least = op_info[op->code].class_ == CLASS_STORE ? 2 : 1;
    if (op_prints(op))
        least = 1;
    if (op_info[op->code].nargs >= 0 || (op->nargs >= least && op->nargs <= MAX_OPERANDS))
        return true;
    BUG(kernel, "line %d: '%s' with %d operands", op->loc.line, op_info[op->code].text, op->nargs);
    return false;
}

/* Checks coordinates and indices: the operands between the tensor and a stored tile.  */
static void check_coordinates(Kernel *kernel, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    if (class_ != CLASS_LOAD && class_ != CLASS_STORE && class_ != CLASS_READ && op->code != OP_SLICE &&
        op->code != OP_BOX)
        return;
    if (op_scatters(op) || op->code == OP_PRINT_EACH)
        return;
    int end = op->nargs - (class_ == CLASS_STORE);
    for (int i = 1; i < end; i++) {
        Type type = op->args[i]->type;
        if (type.kind == K_TILE)
            reject(kernel, op->loc, REASON_TILE_CONDITION);
        else if (type.kind != K_SCALAR || dtype_is_float(type.dtype))
            reject(kernel, op->loc, REASON_COORDINATE_FLOAT, type_words(kernel, type));
    }
}

static void check_dot(Kernel *kernel, const Op *op)
{
    Type a = op->args[0]->type, acc = op->args[2]->type;
    int bytes = a.cols * dtype_bytes(a.dtype);
    if (op->code == OP_DOT && (acc.rows % 64 || acc.cols % 8 || bytes % 32))
        reject(kernel, op->loc, REASON_DOT_SHAPE, acc.rows, acc.cols, a.cols, dtype_text(a.dtype));
}

static void check_tensor(Kernel *kernel, const Op *op)
{
    if (op->results[0]->type.kind != K_TENSOR) {
        reject(kernel, op->loc, REASON_TENSOR_TYPE_UNKNOWN);
        return;
    }
    int operands = 1 + 2 * op->results[0]->type.rank;
    if (op->nargs != operands && op->nargs != operands + 1)
        BUG(kernel, "line %d: 'tensor' of rank %d with %d operands", op->loc.line, op->results[0]->type.rank,
            op->nargs);
}

/* Checks a BOX, which needs a plain tensor and constant extents.  A load or store of a box has to begin at row 0.  */
static void check_box(Kernel *kernel, Op *op)
{
    int64_t row;
    int extents[3];
    bool failed = kernel->failed;
    kernel->failed = false;
    if (op->code == OP_BOX && !box_extents(op, extents))
        reject(kernel, op->loc, REASON_BOX_EXTENTS, MACHINE_BOX_EXTENT);
    if (op->code == OP_BOX && (op->args[0]->def->code != OP_TENSOR || op->args[0]->def->tensor->table))
        reject(kernel, op->loc, REASON_BOX_OF);
    if (op->code != OP_BOX && box_rows(op->args[0]) && (!ir_constant(op->args[1], &row) || row))
        reject(kernel, op->loc, REASON_BOX_ROW);
    if (op->code == OP_BOX && kernel->failed)
        op->results[0]->type = (Type){K_NONE};
    kernel->failed |= failed;
}

static void check_verdict(Kernel *kernel, Op *op)
{
    if (op->code == OP_HISTOGRAM) /* made by plain, with its type */
        return;
    struct ws_rule_type operands[MAX_OPERANDS], result;
    struct ws_rule_attributes attributes = attributes_of(op);
    struct ws_rule_message message;
    int count = op->code == OP_DOT ? 3 : op->nargs; /* rules.c has no operand for the width of a DOT (skip-oob) */
    for (int i = 0; i < count; i++)
        operands[i] = to_rule(op->args[i]);
    bool good = ws_rule_check((int)op->code, operands, count, &attributes, &result, &message);
    if (!good)
        reject_text(kernel, op->loc, REASON_OPERATION_RULE, arena_print(kernel->module, "%s", message.text),
                    message.remedy);
    if (op->nresults && op->code != OP_SPLAT)
        op->results[0]->type = good ? from_rule(op, result) : (Type){K_NONE};
    if (good)
        check_coordinates(kernel, op);
    if (good && op->code == OP_DOT)
        check_dot(kernel, op);
    if (good && count && operands[0].kind == WS_RULE_TENSOR)
        check_box(kernel, op);
}

/* True for a value without a type because of an earlier error, which is not reported again.  */
static bool is_unknown(const Kernel *kernel, const Value *value)
{
    return kernel->failed && value->type.kind == K_NONE;
}

static bool has_unknown_operand(const Kernel *kernel, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (is_unknown(kernel, op->args[i]) && !(op->args[i]->def && op->args[i]->def->code == OP_SPLAT))
            return true;
    return false;
}

static bool has_results(Kernel *kernel, const Op *op)
{
    int expected = op_info[op->code].class_ != CLASS_STORE;
    if (op->nresults == expected)
        return true;
    BUG(kernel, "line %d: '%s' with %d results", op->loc.line, op_info[op->code].text, op->nresults);
    return false;
}

/* True for zeros that a front end makes without a type.  The IF or loop that carries them gives them the type.  */
static bool is_untyped(const Op *op)
{
    return op && op->code == OP_FULL && op->results[0]->type.kind == K_TILE && op->results[0]->type.rows < 0;
}

static void infer_plain(Kernel *kernel, Op *op)
{
    if (is_untyped(op))
        return;
    if (has_unknown_operand(kernel, op)) {
        for (int i = 0; i < op->nresults; i++)
            op->results[i]->type = (Type){K_NONE};
        return;
    }
    if (!has_enough_operands(kernel, op) || !has_results(kernel, op))
        return;
    if (op_info[op->code].class_ == CLASS_SCALAR) {
        infer_scalar(kernel, op);
        return;
    }
    bool named = op->code == OP_FULL || op->code == OP_CAST || op->code == OP_BITCAST || op->code == OP_ROW_INDEX ||
                 op->code == OP_COL_INDEX || op_info[op->code].class_ == CLASS_LOAD;
    if (named && op->results[0]->type.kind == K_NONE) {
        reject(kernel, op->loc, REASON_SHAPE_UNKNOWN, shown(op->results[0]));
        return;
    }
    if (op->code == OP_TENSOR)
        check_tensor(kernel, op);
    if (op->code == OP_TENSOR && kernel->failed)
        return;
    box_scalars(kernel, op);
    settle_splats(kernel, op);
    check_verdict(kernel, op);
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static void infer_block(Kernel *kernel, Block *block);

static void set_type(Value *value, Type type)
{
    if (value->type.kind == K_NONE || value->type.kind == K_TILE)
        value->type = type;
}

/* Checks that a carried value has the same type before and after an iteration.  */
static void agree(Kernel *kernel, const Op *op, const Value *before, const Value *after)
{
    if (!is_unknown(kernel, before) && !is_unknown(kernel, after) && !type_equal(before->type, after->type))
        reject(kernel, op->loc, REASON_CARRIED_TYPE, shown(before), type_words(kernel, before->type),
               type_words(kernel, after->type));
}

/* Gives `to` the type of `from`, as both are the same value.  */
static void hand_over(Kernel *kernel, const Op *op, const Value *from, Value *to)
{
    set_type(to, from->type);
    agree(kernel, op, from, to);
}

static void check_bound(Kernel *kernel, const Op *op, const Value *value)
{
    if (!is_unknown(kernel, value) && (value->type.kind != K_SCALAR || dtype_is_float(value->type.dtype)))
        reject(kernel, op->loc, REASON_TILE_CONDITION);
}

static void infer_ranges(Kernel *kernel, Op *op, int count)
{
    for (int i = 0; i < count; i++) {
        Value *variable = op->blocks[0]->args[i];
        set_type(variable, op->args[3 * i]->type);
        for (int k = 0; k < 3; k++) {
            check_bound(kernel, op, op->args[3 * i + k]);
            if (!kernel->failed && !type_equal(op->args[3 * i + k]->type, variable->type) && !may_wrap(op, i))
                reject(kernel, op->loc, REASON_SCALAR_TYPES, op_info[op->code].text, type_words(kernel, variable->type),
                       type_words(kernel, op->args[3 * i + k]->type));
        }
    }
}

/* Gives an array that a loop over blocks writes the type of its elements at the end of an iteration.  */
static void settle_arrays(const Op *loop)
{
    for (int i = 0; i < loop->nresults; i++) {
        Value *before = loop->args[3 + i], *after = block_end(loop->blocks[0])->args[i];
        if (!is_untyped(before->def) || after->type.kind != K_TILE || after->type.rows < 0)
            continue;
        before->type = after->type;
        loop->blocks[0]->args[1 + i]->type = after->type;
    }
}

static void infer_for(Kernel *kernel, Op *op)
{
    Block *block = op->blocks[0];
    infer_ranges(kernel, op, 1);
    for (int i = 0; i < op->nresults; i++)
        hand_over(kernel, op, op->args[3 + i], block->args[1 + i]);
    infer_block(kernel, block);
    if (op->control->pipeline && op->control->pipeline->blocks)
        settle_arrays(op);
    for (int i = 0; i < op->nresults; i++) {
        if (is_unknown(kernel, block->last->args[i]))
            continue;
        agree(kernel, op, block->args[1 + i], block->last->args[i]);
        hand_over(kernel, op, block->args[1 + i], op->results[i]);
    }
}

static void infer_while(Kernel *kernel, Op *op)
{
    Block *test = op->blocks[0], *body = op->blocks[1];
    for (int i = 0; i < op->nargs; i++)
        hand_over(kernel, op, op->args[i], test->args[i]);
    infer_block(kernel, test);
    check_bound(kernel, op, test->last->args[0]);
    for (int i = 0; i < op->nresults; i++) {
        hand_over(kernel, op, test->last->args[1 + i], body->args[i]);
        hand_over(kernel, op, test->last->args[1 + i], op->results[i]);
    }
    infer_block(kernel, body);
    for (int i = 0; i < op->nargs; i++)
        agree(kernel, op, test->args[i], body->last->args[i]);
}

/* Gives untyped zeros of one arm of an IF the type of the other arm's value.  */
static void settle_zeros(Value *zeros, const Value *other)
{
    if (is_untyped(zeros->def) && other->type.kind == K_TILE)
        zeros->type = other->type;
}

static void infer_if(Kernel *kernel, Op *op)
{
    check_bound(kernel, op, op->args[0]);
    for (int i = 0; i < 2; i++)
        infer_block(kernel, op->blocks[i]);
    for (int i = 0; i < op->nresults; i++) {
        Value *yes = op->blocks[0]->last->args[i], *no = op->blocks[1]->last->args[i];
        settle_zeros(yes, no);
        settle_zeros(no, yes);
        if (yes->type.kind == K_TENSOR && yes != no)
            reject(kernel, op->loc, REASON_TENSOR_CHOSEN);
        else if (!is_unknown(kernel, yes) && !is_unknown(kernel, no) && !type_equal(yes->type, no->type))
            reject(kernel, op->loc, REASON_BRANCH_TYPE, shown(op->results[i]), type_words(kernel, yes->type),
                   type_words(kernel, no->type));
        hand_over(kernel, op, yes, op->results[i]);
    }
}

static void infer_element(Kernel *kernel, Op *op)
{
    Type type = op->args[0]->type;
    check_bound(kernel, op, op->args[1]);
    if (type.kind == K_TILE && type.rows < 0)
        reject(kernel, op->loc, REASON_BLOCKS_SAME, shown(op->args[0]));
    else
        set_type(op->results[0], type);
}

static void infer_op(Kernel *kernel, Op *op)
{
    switch (op->code) {
    case OP_FOR:
        infer_for(kernel, op);
        break;
    case OP_GRID:
        infer_ranges(kernel, op, op->blocks[0]->nargs);
        infer_block(kernel, op->blocks[0]);
        break;
    case OP_WHILE:
        infer_while(kernel, op);
        break;
    case OP_IF:
        infer_if(kernel, op);
        break;
    case OP_YIELD:
    case OP_COND:
        break;
    case OP_TILE_AT:
        infer_element(kernel, op);
        break;
    default:
        if (op_info[op->code].class_ == CLASS_SYNC)
            BUG(kernel, "line %d: '%s' before the passes that make it", op->loc.line, op_info[op->code].text);
        else
            infer_plain(kernel, op);
    }
}

static void infer_block(Kernel *kernel, Block *block)
{
    FOR_OPS (op, block)
        infer_op(kernel, op);
}

/* A splat without a user gets a type, too.  */
static void visit_splat(Op *op, void *context)
{
    (void)context;
    if (op->code == OP_SPLAT && op->results[0]->type.kind == K_NONE)
        op->results[0]->type = type_tile(compute_dtype(op->args[0]->type.dtype), 1, 1);
}

void pass_types(Kernel *kernel)
{
    infer_block(kernel, kernel->body);
    ir_walk(kernel->body, visit_splat, NULL);
}
