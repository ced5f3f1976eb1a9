/* SPDX-License-Identifier: GPL-3.0-or-later */
/* printer.h - the state of the printer of textual IR, shared by print.c (kernels) and print-ops.c (operations).  */
#ifndef WSC_IR_PRINTER_H
#define WSC_IR_PRINTER_H

#include "ir/kernel.h"

typedef struct {
    const char *base;
    int count;
} NameCount;

typedef struct {
    FILE *out;
    const Kernel *kernel;
    const char **names; /* by value id */
    int nnames;
    NameCount *counts;
    int ncounts;
    int numbered; /* number of nameless values so far */
    int indent;
    const Role *role; /* the role whose program is printed, or NULL */
} Printer;

/* print-ops.c */
/* Gives all values their names, in the order of the text.  */
void ir_print_names(Printer *p);
void ir_print_type(Printer *p, Type type);
const char *ir_print_variable_name(const Printer *p, const Variable *variable);
void ir_print_value(Printer *p, const Value *value);
void ir_print_definition(Printer *p, const Value *value);
void ir_print_roles(Printer *p, uint32_t roles);
void ir_print_block(Printer *p, const Block *block);

#endif
