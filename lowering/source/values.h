/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values.h - values without effects, in their normal form.
 *
 *      t1 = conv.i32.i64 i.3       SEXT 64 (i.3)
 *      t2 = add.i64 t1, 1          SUM 64: i + 1
 *      t3 = mul.u64 t2, 4          SUM 64: 4 * i + 4
 *      t4 = add.p x.2, t3          SUM 64: x + 4 * i + 4
 *
 * Equal values are one SourceValue. The functions that make values apply the rules of rules.def. An integer has a
 * width; signs belong to operations. A sum or a product is `exact` if its mathematical value is a signed number
 * of its width. The program has computed it where overflow is undefined.
 */
#ifndef WSC_SOURCE_VALUES_H
#define WSC_SOURCE_VALUES_H

#include "source/region.h"

typedef enum {
#define SOURCE_RULE(NAME, before, after) RULE_##NAME,
#include "source/rules.def"
#undef SOURCE_RULE
    RULES
} SourceRule;

typedef enum {
    VALUE_INTEGER, /* number */
    VALUE_FLOAT,   /* real */
    VALUE_LEAF,    /* defined by an instruction, or a variable at the start of a block */
    VALUE_OBJECT,
    VALUE_SYMBOL, /* code: SO_GLOBAL, SO_FUNCTION, SO_STRING */
    VALUE_SUM,    /* number + factors[0] * args[0] + ... */
    VALUE_PRODUCT,
    VALUE_SEXT, /* to `width` from the width of args[0] */
    VALUE_ZEXT,
    VALUE_TRUNC,
    VALUE_INTEGERS, /* code and is_signed: other operations of integers */
    VALUE_EQ,       /* of integers of any width */
    VALUE_LT,       /* is_signed */
    VALUE_NOT,      /* of a b */
    VALUE_ALL,      /* conjunction of b */
    VALUE_SELECT,
    VALUE_FLOATS,        /* code: operations of floats */
    VALUE_FLOAT_COMPARE, /* code: SO_EQ, SO_LT, SO_LE, SO_UNO; `from` is the type of the operands */
    VALUE_CONVERT,       /* code: SO_CONV or SO_BITS, `from`, `type`; a float is on one side at least */
    VALUE_CALL,          /* a function without effects */
} ValueKind;

typedef struct SourceValue SourceValue;
struct SourceValue {
    ValueKind kind;
    SourceOpcode code;
    SourceType type, from; /* `type`: ST_V of integers that have a width alone */
    int width;             /* 0: a float; 1: a b */
    bool is_signed, exact;
    uint64_t number;
    double real;
    const void *what; /* symbol, object, or the identity of a leaf */
    int n;
    SourceValue **args;
    uint64_t *factors; /* of a sum */
    int id, rank, size;
    int home; /* the block from which all leaves are there */
    /* Of a sum or a product: the narrower one that the program extends to this one. NULL if an operation of this width
       makes it, too.  */
    SourceValue *narrow;
    bool made_wide;
    uint64_t hash;
    SourceVariable *variable;  /* a leaf: what it is at the start of a block, or NULL */
    const Declaration *holder; /* the first variable with a name of the user's that holds it, or NULL */
    Loc loc;
    const SourceInlined *inlined;
    SourceValue *next;
};

typedef struct {
    Module *module;
    SourceValue **table;
    int nvalues, nbuckets, nleaves;
    long applied[RULES];
    const int *depth; /* of blocks in the tree of dominators; NULL: all leaves are everywhere */
    Loc loc;          /* of values that are made */
    const SourceInlined *inlined;
} SourceValues;

SourceValues *values_new(Module *module);
int source_type_width(SourceType type); /* 1 of b, 0 of floats */

SourceValue *value_integer(SourceValues *values, uint64_t number, int width);
SourceValue *value_float(SourceValues *values, double real, SourceType type);
SourceValue *value_leaf(SourceValues *values, SourceType type, const void *what, int home); /* each time another */
SourceValue *value_object(SourceValues *values, SourceObject *object);
SourceValue *value_symbol(SourceValues *values, SourceOpcode code, const char *symbol);
SourceValue *value_string(SourceValues *values, const char *string, long bytes);
/* The value of an operation of region.def. `type` is the instruction's.  */
SourceValue *value_unary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x);
SourceValue *value_binary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x, SourceValue *y);
SourceValue *value_compare(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x, SourceValue *y);
SourceValue *value_convert(SourceValues *values, SourceOpcode code, SourceType from, SourceType to, SourceValue *x);
SourceValue *value_select(SourceValues *values, SourceValue *c, SourceValue *x, SourceValue *y);
/* A call of a function that has no effects, or NULL.  */
SourceValue *value_call(SourceValues *values, SourceType type, const char *symbol, int n, SourceValue **args);
/* x - y, as an integer of 64 bits.  */
SourceValue *value_difference(SourceValues *values, SourceValue *x, SourceValue *y);
bool value_is_address(const SourceValue *value);
int64_t value_signed(const SourceValue *value); /* of VALUE_INTEGER */

#endif
