/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpret.h - runs the region IR.
 */
#ifndef WSC_TESTS_SOURCE_INTERPRET_H
#define WSC_TESTS_SOURCE_INTERPRET_H

#include "source/region.h"

typedef struct Interpreter Interpreter;

/* The functions of the unit run as IR. Each other function, and each variable of static storage, is the process's own,
   by its name.  */
Interpreter *interpreter_new(SourceUnit *unit);
void interpreter_free(Interpreter *interpreter);
/* Calls a function of the unit. An argument and the result are bits: integers extended to 64, floats as they are.
   false: undefined behaviour, or a call that cannot be made; interpreter_error () says which, and where.  */
bool interpreter_call(Interpreter *interpreter, const char *function, int narguments, const uint64_t *arguments,
                      uint64_t *result);
const char *interpreter_error(const Interpreter *interpreter);
/* Overflow, a shift by too much and a conversion out of range give any value: passes compute values that nothing uses
   (simplify.c).  */
void interpreter_be_lenient(Interpreter *interpreter);
/* How many functions ran as IR at least once.  */
int interpreter_functions(const Interpreter *interpreter);

#endif
