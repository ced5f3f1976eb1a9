/* SPDX-License-Identifier: MIT */
/*
 * twice.c - finds an element that a tile of indices names twice.
 *
 * ws_store_at stores each element at most once.
 */
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static int by_size(const void *x, const void *y)
{
    long a = *(const long *)x, b = *(const long *)y;
    return (a > b) - (a < b);
}

int ws_index_twice(const void *index, int bytes, int count, long low, long high, long *which)
{
    long *sorted = malloc((size_t)count * sizeof *sorted + 1);
    int inside = 0, found = sorted ? 0 : -1;
    for (int i = 0; i < count && sorted; i++) {
        const long at = bytes == 8 ? ((const int64_t *)index)[i] : ((const int32_t *)index)[i];
        if (at >= low && at < high)
            sorted[inside++] = at;
    }
    if (inside > 1)
        qsort(sorted, (size_t)inside, sizeof *sorted, by_size);
    for (int i = 1; i < inside && !found; i++)
        if (sorted[i] == sorted[i - 1]) {
            *which = sorted[i];
            found = 1;
        }
    free(sorted);
    return found;
}
