/* SPDX-License-Identifier: MIT */
/*
 * rows.c - an array of pointers to rows, as one array with a distance between its rows.
 *
 *   float **a;  a[i][j]      ws_rows_base_ (a, bytes)[i * ws_rows_distance_ (a, bytes, 4, "a") + j]
 *
 * Emitted code calls these before a launch.  Rows at unequal distances, for instance from separate mallocs, are an
 * error that names the array.  The distance is then negative, and the launch fails.
 *
 * ws_readable_ (p, bytes) is p + bytes, or zeros where p is NULL: a grid without iterations reads nothing of p, and the
 * launcher's argument is of no matter.
 */
#include "target.h"
#include "ws/backend.h"

#include <stddef.h>

const void *ws_rows_base_(const void *rows, long bytes);
long ws_rows_distance_(const void *rows, long bytes, long element, const char *name);
const void *ws_readable_(const void *pointer, long bytes);

enum { ALONE = 1 << 20 }; /* of one row: any distance that tensors can have */

const void *ws_readable_(const void *pointer, long bytes)
{
    static const long long zeros[2];
    return pointer ? (const char *)pointer + bytes : (const char *)zeros;
}

const void *ws_rows_base_(const void *rows, long bytes)
{
    return bytes >= (long)sizeof(void *) ? *(const void *const *)rows : NULL;
}

long ws_rows_distance_(const void *rows, long bytes, long element, const char *name)
{
    const char *const *row = rows;
    long count = bytes / (long)sizeof(void *);
    if (count < 2)
        return ALONE;
    long distance = row[1] - row[0];
    for (long i = 1; i < count; i++)
        if (row[i] - row[i - 1] != distance) {
            ws_error_set(WS_ERR_ARGUMENT,
                         "the rows of '%s' are not at equal distances: from %s[0] to %s[1] it is %ld bytes, from "
                         "%s[%ld] to %s[%ld] %ld; allocate them as one array",
                         name, name, name, distance, name, i - 1, name, i, (long)(row[i] - row[i - 1]));
            return -1;
        }
    if (distance > 0 && distance % element == 0)
        return distance / element;
    ws_error_set(WS_ERR_ARGUMENT,
                 "the rows of '%s' are %ld bytes apart, which is %s; allocate them as one array, from the first row on",
                 name, distance, distance > 0 ? "no number of elements" : "not in rising order");
    return -1;
}
