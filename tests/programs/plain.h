/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain.h - programs of loops over elements: each function is there twice, under the pragmas and without them.  Sums
   may be made in another order, so that no checksum is printed. */
#ifndef PLAIN_H
#define PLAIN_H

#include "../../samples/check.h"

#define PLAIN_STRING(...) #__VA_ARGS__
#define PLAIN_PRAGMA(...) _Pragma(PLAIN_STRING(ws __VA_ARGS__))

static void *plain_copies[64];
static int plain_ncopies;

/* A copy for the plain function. */
CHECK_INLINE void *plain_copy(const void *array, size_t bytes)
{
    void *copy = plain_ncopies < 64 ? malloc(bytes + 1) : NULL;
    if (!copy)
        abort();
    plain_copies[plain_ncopies++] = copy;
    return memcpy(copy, array, bytes);
}

/* Between two cases of one program. */
CHECK_INLINE void plain_next(void)
{
    check_next();
    while (plain_ncopies)
        free(plain_copies[--plain_ncopies]);
}

/* Elements differ by at most so much of the largest of them. */
CHECK_INLINE void plain_compare(const char *what, ws_dtype type, const void *got, const void *want, size_t count,
                                double tolerance)
{
    double largest = 0, worst = 0;
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        double x = type == WS_F64   ? ((const double *)got)[i]
                   : type == WS_I32 ? ((const int *)got)[i]
                                    : ((const float *)got)[i];
        double y = type == WS_F64   ? ((const double *)want)[i]
                   : type == WS_I32 ? ((const int *)want)[i]
                                    : ((const float *)want)[i];
        largest = fabs(y) > largest ? fabs(y) : largest;
        if (!(fabs(x - y) <= worst)) {
            worst = fabs(x - y);
            place = i;
        }
    }
    check.values += (long)count;
    if (worst <= tolerance * largest)
        return;
    check.wrong++;
    printf("%s: element %zu differs by %g\n", what, place, worst);
}

CHECK_INLINE int plain_end(void)
{
    plain_next();
    printf("%s: %s, %ld values\n", check.name, check.wrong ? "FAILED" : "ok", check.values);
    return check.wrong != 0;
}

/* An array of random numbers, and its copy `NAME_`. */
#define PLAIN_ARRAY(dtype, ctype, name, count)         \
    ctype *name = check_random(dtype, (size_t)(count)); \
    ctype *name##_ = plain_copy(name, (size_t)(count) * sizeof *name)
#define PLAIN_FLOATS(name, count)  PLAIN_ARRAY(WS_F32, float, name, count)
#define PLAIN_DOUBLES(name, count) PLAIN_ARRAY(WS_F64, double, name, count)
#define PLAIN_SAME(name, count, tolerance)  \
    plain_compare(#name,                    \
                  _Generic(*name, float     \
                           : WS_F32, double \
                           : WS_F64, int    \
                           : WS_I32),       \
                  name, name##_, (size_t)(count), tolerance)

#endif
