/* SPDX-License-Identifier: MIT */
/*
 * total.c - a reduction over a whole grid: #pragma ws grid(n) reduction(op: x).
 *
 *      h = ws_total_begin_ (op, bytes);           around the launch, which replaces the loops
 *      the launch, with h as its last argument    its launcher asks for memory: ws_total_room_ (h, tiles)
 *      x = ws_total_f32_ (h, x);                  waits, and combines x with the tiles' numbers
 *
 * Strand k of 8 combines tiles k, k + 8, ... in this order; then x is combined with the strands from 0 on.  Numbers of
 * float are added in double.  If the launch fails x keeps its value.
 */
#include "target.h"
#include "ws/backend.h"

#include <stdint.h>
#include <stdlib.h>

enum { SUM, PRODUCT, LARGEST, SMALLEST, ALL, ANY, LARGEST_UNSIGNED, SMALLEST_UNSIGNED };
enum { STRANDS = 8 };

struct total {
    int operation;
    size_t bytes; /* of a number */
    long count;
    unsigned long errors; /* before the launch */
    void *numbers;        /* where the kernel runs */
    bool lent;            /* memory of the caller */
};

void *ws_total_begin_(int operation, int bytes)
{
    struct total *total = calloc(1, sizeof *total);
    if (total) {
        total->operation = operation;
        total->bytes = (size_t)bytes;
        total->errors = ws_error_count();
    } else {
        ws_error_set(WS_ERR_MEMORY, "reduction: out of memory");
    }
    return total;
}

void *ws_total_room_(const void *handle, long count)
{
    struct total *total = (struct total *)(uintptr_t)handle;
    if (!total || count <= 0)
        return NULL;
    total->numbers = ws_backend_current()->alloc((size_t)count * total->bytes);
    total->count = total->numbers ? count : 0;
    return total->numbers;
}

void ws_total_lend_(const void *handle, void *numbers, long count)
{
    struct total *total = (struct total *)(uintptr_t)handle;
    if (!total || !numbers)
        return;
    total->numbers = numbers;
    total->count = count;
    total->lent = true;
}

/* The numbers in host memory; NULL: there are none.  */
static void *fetch(const struct total *total)
{
    const struct ws_backend *backend = ws_backend_current();
    size_t bytes = (size_t)total->count * total->bytes;
    void *here = total->count ? malloc(bytes) : NULL;
    if (total->count && !here)
        ws_error_set(WS_ERR_MEMORY, "reduction: out of memory");
    if (here && ws_error_count() == total->errors && backend->copy(here, total->numbers, bytes) == WS_OK)
        return here;
    free(here);
    return NULL;
}

static void drop(struct total *total, void *here)
{
    if (total->numbers && !total->lent)
        ws_backend_current()->free(total->numbers);
    free(here);
    free(total);
}

static double combined(int operation, double x, double y)
{
    switch (operation) {
    case SUM:
        return x + y;
    case PRODUCT:
        return x * y;
    case LARGEST: /* a tile's number is NaN if the loop takes NaN, as if it came last */
        return y > x || y != y ? y : x;
    default:
        return y < x || y != y ? y : x;
    }
}

float ws_total_f32_(void *handle, float x)
{
    struct total *total = handle;
    double sum = x, strands[STRANDS];
    float *numbers = total ? fetch(total) : NULL;
    for (long i = 0; numbers && i < total->count; i++)
        strands[i % STRANDS] = i < STRANDS ? numbers[i] : combined(total->operation, strands[i % STRANDS], numbers[i]);
    for (long i = 0; numbers && i < STRANDS && i < total->count; i++)
        sum = combined(total->operation, sum, strands[i]);
    if (total)
        drop(total, numbers);
    return (float)sum;
}

double ws_total_f64_(void *handle, double x)
{
    struct total *total = handle;
    double strands[STRANDS];
    double *numbers = total ? fetch(total) : NULL;
    for (long i = 0; numbers && i < total->count; i++)
        strands[i % STRANDS] = i < STRANDS ? numbers[i] : combined(total->operation, strands[i % STRANDS], numbers[i]);
    for (long i = 0; numbers && i < STRANDS && i < total->count; i++)
        x = combined(total->operation, x, strands[i]);
    if (total)
        drop(total, numbers);
    return x;
}

static long combined_integers(int operation, long x, long y)
{
    switch (operation) {
    case SUM:
        return (long)((unsigned long)x + (unsigned long)y);
    case PRODUCT:
        return (long)((unsigned long)x * (unsigned long)y);
    case LARGEST:
        return y > x ? y : x;
    case SMALLEST:
        return y < x ? y : x;
    case LARGEST_UNSIGNED: /* conversion of an int to a long keeps the order of unsigned ints */
        return (unsigned long)y > (unsigned long)x ? y : x;
    case SMALLEST_UNSIGNED:
        return (unsigned long)y < (unsigned long)x ? y : x;
    case ALL:
        return x && y;
    default:
        return x || y;
    }
}

int ws_total_i32_(void *handle, int x)
{
    struct total *total = handle;
    int *numbers = total ? fetch(total) : NULL;
    for (long i = 0; numbers && i < total->count; i++)
        x = (int)(unsigned)combined_integers(total->operation, x, numbers[i]);
    if (total)
        drop(total, numbers);
    return x;
}

long ws_total_i64_(void *handle, long x)
{
    struct total *total = handle;
    long *numbers = total ? fetch(total) : NULL;
    for (long i = 0; numbers && i < total->count; i++)
        x = combined_integers(total->operation, x, numbers[i]);
    if (total)
        drop(total, numbers);
    return x;
}

/* type: f32, f64, i32, i64, i8, u8, i16, u16 */
void ws_total_into_(void *handle, void *where, int type)
{
    union {
        float f32;
        double f64;
        int i32;
        long i64;
        signed char i8;
        unsigned char u8;
        short i16;
        unsigned short u16;
    } x;
    char *there = where;
    const struct ws_backend *backend = ws_backend_current();
    static const unsigned char sizes[] = {4, 8, 4, 8, 1, 1, 2, 2};
    size_t bytes = sizes[type];
    struct total *total = handle;
    if (ws_data_find_("reduction", "what is summed", &there, there + bytes, 1) != WS_OK ||
        backend->copy(&x, there, bytes) != WS_OK) {
        if (total)
            drop(total, NULL);
        return;
    }
    if (type == 0)
        x.f32 = ws_total_f32_(handle, x.f32);
    else if (type == 1)
        x.f64 = ws_total_f64_(handle, x.f64);
    else if (type == 2)
        x.i32 = ws_total_i32_(handle, x.i32);
    else if (type == 3)
        x.i64 = ws_total_i64_(handle, x.i64);
    else if (type == 4)
        x.i8 = (signed char)ws_total_i32_(handle, x.i8);
    else if (type == 5)
        x.u8 = (unsigned char)ws_total_i32_(handle, x.u8);
    else if (type == 6)
        x.i16 = (short)ws_total_i32_(handle, x.i16);
    else
        x.u16 = (unsigned short)ws_total_i32_(handle, x.u16);
    backend->copy(there, &x, bytes);
}
