/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain.h - what the generator of plain loops shares.
 *
 *   plain.c             main: the program around the function
 *   plain-expression.c  elements and expressions of floating numbers, loops
 *   plain-nests.c       elementwise code, rows, products, sums that leave the grid, stores to loaded subscripts
 *   plain-integers.c    integers of 32 and 64 bits with all that C does to them
 *   plain-shapes.c      ragged rows, histograms, structs, filters, truth values
 *   plain-masked.c      products under conditions
 *   plain-nans.c        the largest and smallest of rows that hold NaN
 *   plain-whole.c       the frame of kinds that declare their own arrays
 *   plain-mixed.c       all pairs of types and operators, smallest and largest, counters as numbers
 *   plain-steps.c       loops by steps, up and down, threads that take every so many elements
 *   plain-prints.c      lines that are printed
 *   plain-tails.c       blocks of iterations, the last of them short
 *   plain-guards.c      conditions that say how far an array goes
 *   plain-wraps.c       subscripts that are chosen
 *   plain-halos.c       grids that begin below 0
 *   plain-ways.c        one array that is read in several ways
 *   plain-bytes.c       variables read and written as other types
 *   plain-locals.c      arrays of an iteration that inner loops change
 *   plain-strides.c     strides that are known when the grid runs
 *   plain-overlaps.c    parts of one array that lie apart
 *   plain-early.c       what is read in front of the grid, and counts beside the loop's own
 */
#ifndef FUZZ_PLAIN_H
#define FUZZ_PLAIN_H

#include <stdio.h>

int below(int n);
const char *pick(const char *const *list, int n);
#define PICK(...) pick((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

extern int lookups;  /* this program has elements that are no window of an array */
extern int richer;   /* ... and functions, bytes, truth values, structs */
extern int anywhere; /* counters may be of any integer type */

void element(const char *row, const char *col); /* counters that are inside the arrays by one on each side */
void expression(const char *row, const char *col, int depth);
void condition(const char *row, const char *col); /* of elements and counters */
void loop(const char *counter, const char *end);
const char *tile(void);

void elementwise(void);
void rows(void);
void products(void);
void totals(void);
void scattered(void);
void integers(void);
void integer(const char *row, const char *col, int depth); /* of U */
void shapes(void);
void masked(int seed);
void nans(int seed);

/*
 * A kind with parameters of its own: scalars and arrays, then whole_body, then the body of the function by printf, then
 * whole_end.  Each array ends or begins at a page that is not there, and all of them are compared to the bit with those
 * of the plain function; TOLERANCE, above 0, compares floats within that much of the largest element.
 */
void whole_begin(int seed);
void whole_scalar(const char *type, const char *name, const char *value, ...) __attribute__((format(printf, 3, 4)));
/* SIZE: elements, over the scalars.  VALUE: of element i, over r, 64 random bits; it may use the scalars and i. */
void whole_array(const char *type, const char *name, double tolerance, const char *size, const char *value);
/* Text in front of the function, around its call and in front of the verdict. */
void whole_around(const char *header, const char *before, const char *after, const char *verdict);
void whole_body(void);
void whole_end(void);

void steps(int seed);
void tails(int seed);
void guards(int seed);
void bytes(int seed);
void wraps(int seed);
void halos(int seed);
void ways(int seed);
void mixed(int seed);
void minmax(int seed);
void counters(int seed);
void strides(int seed);
void early(int seed);
void overlaps(int seed);
void prints(int seed);
void locals(int seed);

#endif
