/* SPDX-License-Identifier: MIT */
/*
 * rules.h - the type and shape rules of the language.
 *
 * ops.def names the rule of each operation.  The pass `types` checks a rule at compile time, and the sequential library
 * at run time.  Both get the same result type or the same message.  This file depends on neither IR nor tiles: both
 * sides fill a small struct for each type.
 */
#ifndef WS_RULES_H
#define WS_RULES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opcodes in the order of ops.def, with the numbers of ir.h.  */
typedef enum {
#define OP(NAME, text, class, nargs, rule, call, about, doc) WS_OP_##NAME,
#include "ops.def"
#undef OP
    WS_OP_COUNT
} ws_opcode;

typedef enum {
    R_NONE, /* no rule here: control flow and lowered operations */
    R_SCALAR,
    R_TENSOR,
    R_SLICE,
    R_BOX,
    R_AT,
    R_LOAD_AT,
    R_LOAD,
    R_LOAD_ROW,
    R_LOAD_COL,
    R_STORE,
    R_STORE_ROW,
    R_STORE_COL,
    R_STORE_AT,
    R_PRINT,
    R_EACH,
    R_FULL,
    R_SPLAT,
    R_INDEX,
    R_DOT,
    R_DOT_F32,
    R_TRANS,
    R_CAST,
    R_BITCAST,
    R_BINARY,
    R_COMPARE,
    R_MASK,
    R_SELECT,
    R_FMA,
    R_UNARY, /* elementwise */
    R_SAME,  /* not elementwise, and of the operand's type */
    R_FLOAT,
    R_FLOATS,
    R_BITS, /* elementwise, of I32 or I64 */
    R_ROW,
    R_COL,
    R_ARGMAX
} ws_rule;

/* Element types, in the order of ws_dtype and of the IR's Dtype.  */
typedef enum {
    WS_RULE_F32,
    WS_RULE_F64,
    WS_RULE_F16,
    WS_RULE_BF16,
    WS_RULE_E4M3,
    WS_RULE_E5M2,
    WS_RULE_I8,
    WS_RULE_I32,
    WS_RULE_U8,
    WS_RULE_I16,
    WS_RULE_I64,
    WS_RULE_MASK /* element of a mask tile */
} ws_rule_dtype;

typedef enum {
    WS_RULE_VOID,
    WS_RULE_SCALAR, /* a C scalar: coordinate, bound, or operand of a splat; dtype F64 or I32: floating or integer */
    WS_RULE_SPLAT,  /* a boxed scalar, which takes the element type of the other operand's tile; dtype F64 or I32 */
    WS_RULE_TENSOR, /* dtype, rank */
    WS_RULE_TILE    /* dtype, rows, cols */
} ws_rule_kind;

struct ws_rule_type {
    int kind, dtype, rank, rows, cols; /* of a tensor that is a box: its rows */
};

/* Attributes of an operation.  dtype: of TENSOR, FULL and CAST.  rows, cols: of loads, FULL and index tiles.  rank: of
   TENSOR.  dimension: of SLICE.  */
struct ws_rule_attributes {
    int dtype, rows, cols, rank, dimension;
};

struct ws_rule_message {
    char text[200];     /* one sentence, with the C name of the operation */
    const char *remedy; /* a remedy, or "" */
};

/* Returns nonzero if the operation is well typed; *result is then the type of its value, of kind VOID for stores.
   Otherwise *message is the error and *result the nearest plausible type, so that one mistake gives one report.  */
int ws_rule_check(int opcode, const struct ws_rule_type *operands, int count,
                  const struct ws_rule_attributes *attributes, struct ws_rule_type *result,
                  struct ws_rule_message *message);

/* Searches `count` I32 or I64 (by their size) for an index in [low, high) that stands twice.  Returns 1 and the index
   in *which, 0 if there is none, or -1 without memory for the search.  */
int ws_index_twice(const void *index, int bytes, int count, long low, long high, long *which);

int ws_rule_of(int opcode);                /* R_... */
const char *ws_rule_dtype_name(int dtype); /* "f16", "mask" */
int ws_rule_is_float(int dtype);           /* f32, f64, f16, bf16, e4m3, e5m2 */

#ifdef __cplusplus
}
#endif
#endif
