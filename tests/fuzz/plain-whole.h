/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-whole.h - what programs of plain-whole.c run on: arrays between pages that are not there, each with a copy for
 * the plain function, and their comparison.
 */
#ifndef FUZZ_PLAIN_WHOLE_H
#define FUZZ_PLAIN_WHOLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "../programs/plain.h"

/* So many bytes; what lies behind them, or where AT_END is 0 in front of them, is no memory of this program. */
CHECK_INLINE void *whole_pages(size_t bytes, int at_end)
{
    size_t page = 4096, length = (bytes + page - 1) / page * page;
    char *all = mmap(NULL, length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || (length && mprotect(all + page, length, PROT_READ | PROT_WRITE)))
        abort();
    return all + page + (at_end ? length - bytes : 0);
}

CHECK_INLINE unsigned long whole_random(unsigned long *state)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return *state ^ *state >> 29;
}

static unsigned whole_bits = 1;

/* Floats agree where both are no number; SAME: to the bit. */
#define WHOLE_EQUAL(a, b)                                        \
    _Generic((a), float                                          \
             : (a) == (b) || ((a) != (a) && (b) != (b)), double  \
             : (a) == (b) || ((a) != (a) && (b) != (b)), default \
             : !memcmp(&(a), &(b), sizeof(a)))

/* `P NAME` with SIZE elements that are VALUE, over i and r, and `P NAME_` with the same. */
#define WHOLE_ARRAY(pointer, name, size, at_end, ...)                             \
    size_t name##_count = (size_t)(size);                                         \
    __typeof__(*(__typeof__(pointer))0) *name##_made[2];                          \
    for (int whole_k = 0; whole_k < 2; whole_k++) {                               \
        __typeof__((__typeof__(*(__typeof__(pointer))0))0) *whole_new =           \
            whole_pages(name##_count * sizeof *whole_new, at_end);                \
        unsigned long whole_state = sizeof(#name) * 77 + (unsigned char)#name[0]; \
        for (size_t whole_i = 0; whole_i < name##_count; whole_i++) {             \
            __attribute__((unused)) long i = (long)whole_i;                       \
            __attribute__((unused)) unsigned long r = whole_random(&whole_state); \
            whole_new[whole_i] = (__typeof__(*whole_new))(__VA_ARGS__);           \
        }                                                                         \
        name##_made[whole_k] = whole_new;                                         \
    }                                                                             \
    pointer name = name##_made[0];                                                \
    pointer name##_ = name##_made[1]

#define WHOLE_SAME(name, size, tolerance)                                                                         \
    do {                                                                                                          \
        double whole_most = 0;                                                                                    \
        size_t whole_bad = 0, whole_at = 0;                                                                       \
        for (size_t whole_i = 0; (tolerance) > 0 && whole_i < name##_count; whole_i++) {                          \
            double whole_x = (double)name##_[whole_i];                                                            \
            whole_most = whole_x - whole_x == 0 && fabs(whole_x) > whole_most ? fabs(whole_x) : whole_most;       \
        }                                                                                                         \
        for (size_t whole_i = 0; whole_i < name##_count; whole_i++) {                                             \
            double whole_apart = fabs((double)name[whole_i] - (double)name##_[whole_i]);                          \
            if (WHOLE_EQUAL(name[whole_i], name##_[whole_i]) ||                                                   \
                ((tolerance) > 0 && whole_apart <= (tolerance)*whole_most))                                       \
                continue;                                                                                         \
            whole_at = whole_bad++ ? whole_at : whole_i;                                                          \
        }                                                                                                         \
        const unsigned char *whole_bytes = (const unsigned char *)name;                                           \
        for (size_t whole_i = 0; whole_i < name##_count * sizeof *name; whole_i++) {                              \
            size_t whole_e = whole_i / sizeof *name; /* the bits of NaN are open */                               \
            whole_bits = whole_bits * 31 + (name[whole_e] == name[whole_e] ? whole_bytes[whole_i] : 9);           \
        }                                                                                                         \
        check.values += (long)name##_count;                                                                       \
        check.wrong += (long)whole_bad;                                                                           \
        if (whole_bad)                                                                                            \
            printf("%s: %zu of %zu elements differ, the first is %zu: %.9g in place of %.9g\n", #name, whole_bad, \
                   name##_count, whole_at, (double)name[whole_at], (double)name##_[whole_at]);                    \
    } while (0)

CHECK_INLINE int whole_verdict(void)
{
    printf("bits %08x\n", whole_bits);
    return plain_end();
}

#endif
