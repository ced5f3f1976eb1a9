/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-memory.h - what the files about arrays share.  */
#ifndef WSC_PLAIN_MEMORY_H
#define WSC_PLAIN_MEMORY_H

#include "language/plain.h"

/* ---- plain-conditions.c ------------------------------------------------------------------------------------------ */

enum { MAX_GUARDS = 24 };
typedef struct {
    int count;
    Poly guards[MAX_GUARDS]; /* each is at least 0, */
    Value *need[MAX_GUARDS]; /* or this, which the launcher computes, is not; NULL: always */
} Guards;

/* What is at least 0 where the condition holds, or does not, and `at` is carried out, by numbers that the launcher
   computes, too; NULL: anywhere, by those of the loops alone.  */
void conditions_take(Nest *in, Guards *guards, const Value *condition, bool holds, const Op *at);

/* The same; true: the condition holds where all of them are at least 0.  */
bool conditions_take_all(Nest *in, Guards *guards, const Value *condition);

bool poly_is_natural(const Nest *in, const Poly *x); /* from 0 on, whatever the launcher is handed */

/* ---- plain-bounds.c ---------------------------------------------------------------------------------------------- */

Value *scalar_before(Nest *in, Opcode code, Dtype dtype, Value *x, Value *y); /* in front of the grid */
Value *number_before(Nest *in, int64_t number);
Value *choice_before(Nest *in, Value *number, int64_t limit, bool at_most, Value *x, Value *y);
Value *poly_before(Nest *in, const Poly *x);
bool poly_is_fixed(const Nest *in, const Poly *x); /* it is known before the grid */
/* x at its largest, or smallest, over the counters of all loops, or of the axes alone, where `at` is carried out.  */
bool bound_of(Nest *in, Poly *x, const Op *at, bool upper, bool axes_only);
/* A number that is below 0 where the launcher finds that the condition holds nowhere, or nowhere does not; NULL: it
   does not look.  */
Value *bound_room_for(Nest *in, const Value *condition, bool holds);
bool bound_of_loops(Nest *in, Poly *x, bool upper); /* anywhere, for factors of any sign */
/* The same as several sums, each of which is a bound; 0: none is known.  */
enum { MAX_BOUNDS = 6 };
int bounds_of(Nest *in, const Poly *x, const Op *at, bool upper, Poly *bounds);
Poly bound_below(const Nest *in, const Poly *x); /* x, with what quotients in it were divided from: not below x */
bool bound_without_edge(Nest *in, const Op *at, const Poly *x, const Poly *y, Poly *least);

/* ---- plain-strides.c --------------------------------------------------------------------------------------------- */

bool stride_add(Group *group, const Poly *stride); /* false: there are too many */
bool strides_are_same(const Group *x, const Group *y);
bool stride_is_positive(const Poly *stride);
/* Factors of counters; composed: those that are sums.  */
bool strides_take(Nest *in, Group *group, const Poly *offset, bool composed);
/* x by the stride.  Only QUOTIENT_DOWN leaves no number below 0; QUOTIENT_TO_ZERO leaves one of x's own sign.  */
typedef enum { QUOTIENT_NEAREST, QUOTIENT_DOWN, QUOTIENT_TO_ZERO } Quotient;
Poly stride_divide(const Poly *x, const Poly *stride, Quotient rounding, Poly *rest);
/* What the loops leave alone of it, if an inner coordinate had terms of that which are no part of a row.  */
Poly strides_beyond_rows(const Nest *in, const Group *group, const Poly *offset);
void strides_drop_sums(Group *group);
void strides_drop_multiples(Group *group);

/* ---- plain-reach.c ----------------------------------------------------------------------------------------------- */

/* Below 0 never, as far as loops and conditions tell.  */
bool reach_is_natural(Nest *in, const Op *op, const Poly *x);
bool reach_is_never_below(Nest *in, const Access *access, const Poly *x);
bool reach_is_nowhere_positive(Nest *in, const Access *access, const Poly *x);
bool reach_add_least(Group *group, const Poly *x);
/* The sum of an unsigned number stays from 0 to 2^32 - 1, that of an int below 2^31; with a group the launcher sees to
   it.  */
bool reach_is_below_2_32(Nest *in, const Op *op, Group *group, Value *value);
/* How far a coordinate goes; its smallest value is a number of at least 0, or one that the launcher looks at.  */
bool reach_from_0(Nest *in, Access *access, const Poly *coordinate, Poly *most);
Guards reach_guards(Nest *in, const Op *op);
/* How far a sum goes where the operation is carried out.  */
bool reach_of(Nest *in, Access *access, bool upper, Poly *x);
bool reach_both_of(Nest *in, Access *access, Poly *most, Poly *least);
bool reach_is_conditional(const Nest *in, const Op *op);
void reach_nothing_between(Nest *in, const Access *access, const Poly *coordinate, Poly *last);
bool reach_box_fits(Nest *in, const Access *access, const Poly *offset);
bool reach_declared(const Group *group, Poly *elements);
bool reach_given(Nest *in, const Group *group, Poly *elements);
/* An element that the grid only reads is one value, however often the program says so.  */
void reach_join(Nest *in, Poly *x);

/* ---- plain-lines.c ----------------------------------------------------------------------------------------------- */

void line_visit(Nest *in, Op *op);
void lines_settle(Nest *in);
Group *line_group(const Nest *in, const Op *op); /* NULL: the element is on no line */
Poly line_coordinate(const Nest *in, const Op *op);

/* ---- plain-memory.c ---------------------------------------------------------------------------------------------- */

bool memory_is_number(const Nest *in, const Op *op); /* its tensor is a vector */
Dtype memory_dtype(const Op *op);
bool memory_offset(Nest *in, const Op *op, Group *group, Poly *offset); /* in elements; false: it is refused */
const char *memory_text(const Nest *in, const Access *access);

#endif
