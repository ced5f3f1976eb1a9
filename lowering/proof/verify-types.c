/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-types.c - each tile of a role has the type and shape that its operation gives it.
 *
 *      %a: tile<f32,64x1> = row_sum %x          %x has 64 rows
 *      %b: tile<f32,64x64> = add %x, %a         a column beside each column of %x
 *
 * The rules are those of the language (runtime/common/rules.c), which say nothing of roles or passes.  Rows of a tile
 * that groups divide are those of the group.  A boxed scalar takes the type of the other operand.
 */
#include "ir/queries.h"
#include "proof/verify.h"
#include "rules.h"

enum { MAX_OPERANDS = 4 };

typedef struct {
    Kernel *kernel;
    const Op *failed;
} Types;

static bool is_boxed(const Value *value)
{
    return value->def && value->def->code == OP_SPLAT;
}

/* Returns the type in the words of rules.c.  VOID: neither a tile nor a number.  */
static struct ws_rule_type rule_type(const Value *value)
{
    const Type type = is_boxed(value) ? value->def->args[0]->type : value->type;
    const int number = dtype_is_float(type.dtype) ? WS_RULE_F64 : WS_RULE_I32;
    if (is_boxed(value))
        return (struct ws_rule_type){WS_RULE_SPLAT, number, 0, 1, 1};
    if (type.kind == K_SCALAR)
        return (struct ws_rule_type){WS_RULE_SCALAR, number, 0, 0, 0};
    if (type.kind == K_TILE)
        return (struct ws_rule_type){WS_RULE_TILE, (int)type.dtype, 0, type.rows, type.cols};
    return (struct ws_rule_type){WS_RULE_VOID, 0, 0, 0, 0};
}

static bool is_typed(const Op *op)
{
    struct ws_rule_type operands[MAX_OPERANDS], result;
    struct ws_rule_message message;
    const Type type = op->results[0]->type;
    const struct ws_rule_attributes attributes = {(int)type.dtype, type.rows, type.cols, 0, 0};
    for (int i = 0; i < op->nargs; i++) {
        operands[i] = rule_type(op->args[i]);
        if (operands[i].kind == WS_RULE_VOID)
            return true; /* views and products in flight have checks of their own */
    }
    return ws_rule_check((int)op->code, operands, op->nargs, &attributes, &result, &message) &&
           result.kind == WS_RULE_TILE && result.dtype == (int)type.dtype && result.rows == type.rows &&
           result.cols == type.cols;
}

/* True if the result is what the .cu makes of it: a view of shared memory, a product in flight, a number or a tile.  */
static bool has_kind(const Op *op)
{
    const Kind kind = op->nresults == 1 ? op->results[0]->type.kind : K_NONE;
    switch (op->code) {
    case OP_VIEW:
    case OP_TRANS_VIEW:
    case OP_STAGE:
    case OP_GATHER:
        return kind == K_VIEW;
    case OP_MMA:
        return kind == K_TOKEN;
    case OP_PUT:
    case OP_GET:
        return kind == K_NONE || kind == K_SCALAR;
    case OP_READ:
        return kind == K_TILE;
    default:
        return op->nresults != 1 || (op_info[op->code].class_ == CLASS_TILE     ? kind == K_TILE
                                     : op_info[op->code].class_ == CLASS_LOAD   ? kind == K_TILE
                                     : op_info[op->code].class_ == CLASS_SCALAR ? kind == K_SCALAR
                                                                                : true);
    }
}

static void visit_type(Op *op, void *context)
{
    Types *types = context;
    /* Operations that the language does not have are of tiles. */
    const bool lowered = op_info[op->code].class_ == CLASS_TILE && ws_rule_of((int)op->code) == R_NONE && op->nargs;
    if (!types->failed && (!has_kind(op) || (lowered && !value_is_tile(op->args[0]))))
        types->failed = op;
    if (types->failed || op_info[op->code].class_ != CLASS_TILE || op->code == OP_SPLAT || op->code == OP_HISTOGRAM ||
        op->nresults != 1 || op->nargs > MAX_OPERANDS || op->nargs < 1 || ws_rule_of((int)op->code) == R_NONE)
        return;
    if (!is_typed(op))
        types->failed = op;
}

bool verify_types(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        Types types = {kernel, NULL};
        ir_walk(role->body, visit_type, &types);
        if (!types.failed)
            continue;
        BUG_AT(kernel, types.failed->loc.line ? types.failed->loc : kernel->loc,
               "'%s': '%s' has a result of another type than its operands give it", role->name,
               op_info[types.failed->code].text);
        return false;
    }
    return true;
}
