/* SPDX-License-Identifier: MIT */
/* kernels.h - what each form of kernels.c hands to offload.c.  */
#ifndef BENCH_OFFLOAD_KERNELS_H
#define BENCH_OFFLOAD_KERNELS_H

#include <stddef.h>

#ifndef DATA
#    define DATA double
#endif

enum { EXTENTS = 4, ARRAYS = 9 };

typedef struct {
    const char *name;
    int full[EXTENTS], reduced[EXTENTS];           /* extents: to be timed, and to be checked in long double */
    void (*lengths)(const int *n, size_t *length); /* of ARRAYS arrays in elements, 0: none */
    unsigned results;                              /* a bit for each array that is a result */
    void (*run)(const int *n, DATA *const *a);
} kernel;

extern const kernel kernels[];
extern const int kernel_count;

/* Calls the function while the arrays are on the device.  */
void kernels_inside(DATA *const *array, const size_t *length, void (*call)(void *), void *context);

/* Returns when the device has nothing left to do.  */
void kernels_wait(void);

#endif
