/* SPDX-License-Identifier: MIT */
/*
 * check.c - the rules of the language at run time.
 *
 * wscc checks the same rules when it compiles, so only programs of a plain compiler get an error from here.
 */
#include "tile.h"

#include <string.h>

struct ws_rule_type ws_type_of(ws_tile x)
{
    if (!x)
        return (struct ws_rule_type){WS_RULE_VOID, 0, 0, 0, 0};
    if (x->magic == WS_TENSOR_MAGIC)
        return ws_type_of_tensor((ws_tensor)x);
    return (struct ws_rule_type){x->kind, x->dtype, 0, x->rows, x->cols};
}

struct ws_rule_type ws_type_of_tensor(ws_tensor t)
{
    if (!t)
        return (struct ws_rule_type){WS_RULE_VOID, 0, 0, 0, 0};
    if (t->magic == WS_TILE_MAGIC)
        return ws_type_of((ws_tile)t);
    int rows = t->box[0] * t->box[1] * (t->box[2] ? t->box[2] : 1);
    return (struct ws_rule_type){WS_RULE_TENSOR, t->dtype, t->rank, rows, 0};
}

int ws_dtype_index(ws_dtype t)
{
    if (t == WS_I8_OF_UNSIGNED_)
        return WS_RULE_I8;
    return t >= WS_F32 && t <= WS_I64 ? (int)t - (int)WS_F32 : -1;
}

int ws_allowed(int opcode, const struct ws_rule_type *operands, int count, const struct ws_rule_attributes *attributes,
               struct ws_rule_type *result)
{
    struct ws_rule_message message;
    if (ws_rule_check(opcode, operands, count, attributes, result, &message))
        return 1;
    ws_error_set(WS_ERR_TYPE, "%s%s%s", message.text, *message.remedy ? "; " : "", message.remedy);
    return 0;
}

int ws_allowed1(int opcode, ws_tile x, struct ws_rule_type *result)
{
    struct ws_rule_type operand = ws_type_of(x);
    return ws_allowed(opcode, &operand, 1, NULL, result);
}

int ws_allowed2(int opcode, ws_tile x, ws_tile y, struct ws_rule_type *result)
{
    struct ws_rule_type operands[] = {ws_type_of(x), ws_type_of(y)};
    return ws_allowed(opcode, operands, 2, NULL, result);
}

int ws_allowed3(int opcode, ws_tile x, ws_tile y, ws_tile z, struct ws_rule_type *result)
{
    struct ws_rule_type operands[] = {ws_type_of(x), ws_type_of(y), ws_type_of(z)};
    return ws_allowed(opcode, operands, 3, NULL, result);
}

/* Replaces every tile after memory has run out: a (1,1) of each thread.  */
static _Thread_local _Alignas(16) unsigned char nothing[sizeof(struct ws_tile_) + sizeof(double)];

struct ws_tile_ *ws_tile_new(int dtype, int rows, int cols)
{
    size_t elements = (size_t)rows * (size_t)cols;
    struct ws_tile_ *x = ws_handle_alloc(sizeof *x + elements * (size_t)ws_dtype_bytes(dtype));
    if (!x) {
        x = (struct ws_tile_ *)nothing;
        rows = cols = 1;
        memset(nothing, 0, sizeof nothing);
    }
    x->magic = WS_TILE_MAGIC;
    x->kind = WS_RULE_TILE;
    x->dtype = dtype;
    x->rows = rows;
    x->cols = cols;
    x->integer = 0;
    x->number = 0;
    return x;
}

ws_tile ws_tile_zeros(const struct ws_rule_type *type)
{
    int dtype = type->dtype >= 0 && type->dtype <= WS_RULE_MASK ? type->dtype : WS_RULE_F32;
    int rows = type->rows > 0 ? type->rows : 1, cols = type->cols > 0 ? type->cols : 1;
    if (rows > (1 << 30) / cols) /* a shape that the rules refused */
        rows = cols = 1;
    struct ws_tile_ *x = ws_tile_new(dtype, rows, cols);
    memset(x->data, 0, (size_t)x->rows * (size_t)x->cols * (size_t)ws_dtype_bytes(dtype));
    return x;
}
