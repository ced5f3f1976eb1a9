/* SPDX-License-Identifier: MIT */
/*
 * check.h - a result against what it should be, and against what typical mistakes make of it.
 *
 * Hypothesis 0 is the right one; the others have names and explanations.  A result that is one of them to the last
 * element is that mistake.  Elements begin as UNTOUCHED.
 */
#ifndef COURSE_CHECK_H
#define COURSE_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <ws.h>

#define UNTOUCHED NAN

typedef struct {
    const char *name, *text;
} course_mistake;

static inline int course_same(double x, double y, double tolerance)
{
    return isnan(x) || isnan(y) ? isnan(x) && isnan(y) : fabs(x - y) <= tolerance * (1 + fabs(y));
}

/* Ends the program unless all n elements are right.  */
static inline void course_compare(long n, double (*actual)(long), double (*expected)(int, long), double tolerance,
                                  int count, const course_mistake *mistakes)
{
    static char refuted[64]; /* by an earlier case, whose result was right */
    int right = 1;
    for (long i = 0; i < n && right; i++)
        right = course_same(actual(i), expected(0, i), tolerance);
    for (int h = 1; h <= count; h++) {
        long i = 0;
        while (i < n && !refuted[h] && course_same(actual(i), expected(h, i), tolerance))
            i++;
        refuted[h] |= right && i < n;
        if (right)
            continue;
        if (i == n) {
            printf("mistake %s: %s\n", mistakes[h - 1].name, mistakes[h - 1].text);
            exit(1);
        }
    }
    if (right)
        return;
    long untouched = 0, wrong = 0, first = -1, where = -1;
    for (long i = 0; i < n; i++) {
        if (course_same(actual(i), expected(0, i), tolerance))
            continue;
        if (first < 0)
            first = i;
        wrong++;
        untouched += isnan(actual(i));
        if (where < 0 && isnan(actual(i)))
            where = i;
    }
    if (untouched == n)
        printf("mistake nothing-stored: No element of the result is written.\n");
    else if (untouched == wrong)
        printf("mistake elements-missing: %ld of %ld elements are never written, element %ld the first of them.\n",
               untouched, n, where);
    else
        printf("mistake wrong-values: %ld of %ld elements are wrong: element %ld is %g and should be %g.\n", wrong, n,
               first, actual(first), expected(0, first));
    exit(1);
}

/* The same numbers on every machine, of -1 to 1.  */
static inline double course_random(unsigned long i)
{
    unsigned long x = (i + 1) * 0x9E3779B97F4A7C15ul;
    x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9ul;
    return (double)(long)(x >> 40) / (1 << 23) - 1;
}

#endif
