/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.h - numbers, arrays between pages that are not there, and what a program of this folder prints. */
#ifndef REPORT_H
#define REPORT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define REPORT_INLINE static inline __attribute__((unused))

REPORT_INLINE unsigned long h_fold(const void *bytes, size_t n)
{
    const unsigned char *c = bytes;
    unsigned long h = 1469598103934665603UL;
    for (size_t i = 0; i < n; i++)
        h = (h ^ c[i]) * 1099511628211UL;
    return h;
}

/* All elements where REPORT_ELEMENTS says so, for tests/fuzz/mutate-cases; else a digest of their bytes. */
#ifdef REPORT_ELEMENTS
#    define SHOW(name, array, bytes)                                                                       \
        do {                                                                                               \
            for (size_t h_i = 0; h_i < (size_t)(bytes) / sizeof *(array); h_i++)                           \
                printf("%s %.17g\n", name, (double)*((__typeof__(&*(array)))(const void *)(array) + h_i)); \
        } while (0)
#else
#    define SHOW(name, array, bytes) printf("%s %016lx\n", name, h_fold(array, bytes))
#endif

static unsigned h_state = 12345;
REPORT_INLINE unsigned h_rand(void)
{
    h_state = h_state * 1664525u + 1013904223u;
    return h_state >> 8;
}
REPORT_INLINE int h_int(int lo, int hi)
{
    return lo + (int)(h_rand() % (unsigned)(hi - lo + 1));
}

/* So many bytes; what lies behind them, or where AT_END is 0 in front of them, is no memory of this program. */
REPORT_INLINE void *guarded(size_t bytes, int at_end)
{
    size_t page = 4096, length = (bytes + page - 1) / page * page;
    char *all = mmap(NULL, length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || (length && mprotect(all + page, length, PROT_READ | PROT_WRITE)))
        abort();
    return all + page + (at_end ? length - bytes : 0);
}
REPORT_INLINE void *guarded_end(size_t bytes)
{
    return guarded(bytes, 1);
}

#endif
