/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attributes.h - the table of attributes.def.  */
#ifndef WSC_ATTRIBUTES_H
#define WSC_ATTRIBUTES_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The semantic attributes of an operation, as one comparable triple.  */
typedef struct {
    int64_t integer;
    double real;
    const char *text; /* "" for none */
} Meaning;

typedef enum {
    KIND_FLAG,
    KIND_NUMBER,
    KIND_LONG,
    KIND_REAL,
    KIND_TEXT,
    KIND_SHARED,
    KIND_CODE,
    KIND_POINTER,
    KIND_AREF,
    KIND_STORAGE
} AttributeKind;
typedef struct {
    const char *text;
    AttributeKind kind;
    bool found;
    size_t member; /* offset in Op of the pointer to the struct */
    size_t size;   /* bytes of the struct; 0: the field belongs to Op itself */
    size_t field;  /* offset of the field in the struct, or in Op */
} Attribute;
extern const Attribute attribute_info[NATTRIBUTES];
#define FOR_ATTRIBUTES(name, op) \
    for (int name = op_attribute_from(op, 0); name < NATTRIBUTES; name = op_attribute_from(op, name + 1))

size_t attribute_bytes(AttributeKind kind);
int op_attribute_from(const Op *op, int attribute); /* first attribute of the op from this one on, or NATTRIBUTES */
void op_make_attributes(Op *op);                    /* allocates the structs of all attributes of the opcode */
void op_become(Op *op, Opcode code);             /* changes the opcode; keeps the attributes that both opcodes have */
void op_copy_attributes(Op *to, const Op *from); /* copies the attributes that both opcodes have */
void *attribute_of(const Op *op, int attribute); /* address of the field; NULL: the op lacks the attribute */
bool attribute_is_set(const Op *op, int attribute); /* the field is not 0 */
Meaning op_meaning(const Op *op);
bool op_means_the_same(const Op *x, const Op *y); /* compares semantic attributes of ops of one opcode, not operands */
Pipeline *pipeline_of(const Op *op);              /* the pragma of a FOR, or NULL */

#ifdef __cplusplus
}
#endif
#endif
