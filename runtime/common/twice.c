/* SPDX-License-Identifier: MIT */
/* twice.c - which element a tile of indices names twice: ws_store_at stores each at most once.  */
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static int by_size(const void *x, const void *y)
{
    int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

int ws_index_twice(const int32_t *index, int count, long low, long high, int32_t *which)
{
    int32_t *sorted = malloc((size_t)count * sizeof *sorted + 1);
    int inside = 0, found = sorted ? 0 : -1;
    for (int i = 0; i < count && sorted; i++)
        if (index[i] >= low && index[i] < high)
            sorted[inside++] = index[i];
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
