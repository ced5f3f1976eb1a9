/* SPDX-License-Identifier: MIT */
/*
 * check.h - what stands around a kernel in the samples and in the tests: arrays of random numbers with a fixed seed, on
 * the host or on the device, and a verdict over each result against a reference in double.
 *
 *     check_begin("gemm", argc, argv);
 *     int M = check_size(1, 200);                        first argument, or 200
 *     ws_f16 *A = check_random(WS_F16, M);               the same numbers in every run
 *     float *C = check_output(WS_F32, M);
 *     gemm(M, check_place(A), check_place(C));           host pointers; device pointers if the last argument is
 *                                                        "device"
 *     check_fetch();
 *     check_close(C, i, reference, tolerance);           for each element
 *     return check_end();                                one line, exit status
 *
 * The line ends with a checksum over every bit of every array, so that two targets can be compared to the bit.  Each
 * array lies between two guards, and whoever writes there is found out.
 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ws.h>

#define CHECK_GUARD  256
#define CHECK_INLINE static inline __attribute__((unused))

typedef struct {
    ws_dtype type;
    size_t count, bytes;
    char *host, *device; /* each begins and ends with a guard */
} check_array;

static struct {
    const char *name;
    int argc, on_device;
    char **argv;
    check_array arrays[128];
    int narrays;
    unsigned long long random;
    long values, wrong;
    double error;
} check;

CHECK_INLINE void check_begin(const char *name, int argc, char **argv)
{
    check.name = name;
    check.on_device = argc > 1 && !strcmp(argv[argc - 1], "device");
    check.argc = argc - check.on_device;
    check.argv = argv;
    check.random = 20240229;
}

CHECK_INLINE int check_size(int argument, int otherwise)
{
    return argument < check.argc ? atoi(check.argv[argument]) : otherwise;
}

/* A 32-bit step of a linear congruential generator: the high half of the state. */
CHECK_INLINE unsigned check_bits(void)
{
    check.random = check.random * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(check.random >> 32);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

CHECK_INLINE size_t check_element_bytes(ws_dtype type)
{
    switch (type) {
    case WS_F64:
        return 8;
    case WS_F32:
    case WS_I32:
        return 4;
    case WS_F16:
    case WS_BF16:
    case WS_I16:
        return 2;
    default:
        return 1;
    }
}

/* Half the distance from 1 to the next number of the type. */
CHECK_INLINE double check_roundoff(ws_dtype type)
{
    switch (type) {
    case WS_F64:
        return 0x1p-53;
    case WS_F32:
        return 0x1p-24;
    case WS_F16:
        return 0x1p-11;
    case WS_BF16:
        return 0x1p-8;
    case WS_E4M3:
        return 0x1p-4;
    case WS_E5M2:
        return 0x1p-3;
    default:
        return 0;
    }
}

/* The smallest distance of two numbers of the type. */
CHECK_INLINE double check_smallest(ws_dtype type)
{
    switch (type) {
    case WS_F32:
    case WS_BF16:
        return 0x1p-126;
    case WS_F16:
        return 0x1p-24;
    case WS_E4M3:
        return 0x1p-9;
    case WS_E5M2:
        return 0x1p-16;
    default:
        return 0;
    }
}

CHECK_INLINE void check_put(void *at, ws_dtype type, size_t i, double x)
{
    switch (type) {
    case WS_F32:
        ((float *)at)[i] = (float)x;
        break;
    case WS_F64:
        ((double *)at)[i] = x;
        break;
    case WS_F16:
        ((ws_f16 *)at)[i] = ws_f16_from((float)x);
        break;
    case WS_BF16:
        ((ws_bf16 *)at)[i] = ws_bf16_from((float)x);
        break;
    case WS_E4M3:
        ((ws_e4m3 *)at)[i] = ws_e4m3_from((float)x);
        break;
    case WS_E5M2:
        ((ws_e5m2 *)at)[i] = ws_e5m2_from((float)x);
        break;
    case WS_I8:
        ((signed char *)at)[i] = (signed char)x;
        break;
    case WS_I32:
        ((int *)at)[i] = (int)x;
        break;
    case WS_U8:
        ((unsigned char *)at)[i] = (unsigned char)x;
        break;
    case WS_I16:
        ((short *)at)[i] = (short)x;
        break;
    }
}

CHECK_INLINE double check_get(const void *at, ws_dtype type, size_t i)
{
    switch (type) {
    case WS_F32:
        return ((const float *)at)[i];
    case WS_F64:
        return ((const double *)at)[i];
    case WS_F16:
        return ws_f16_to(((const ws_f16 *)at)[i]);
    case WS_BF16:
        return ws_bf16_to(((const ws_bf16 *)at)[i]);
    case WS_E4M3:
        return ws_e4m3_to(((const ws_e4m3 *)at)[i]);
    case WS_E5M2:
        return ws_e5m2_to(((const ws_e5m2 *)at)[i]);
    case WS_I8:
        return ((const signed char *)at)[i];
    case WS_I32:
        return ((const int *)at)[i];
    case WS_U8:
        return ((const unsigned char *)at)[i];
    case WS_I16:
        return ((const short *)at)[i];
    }
    return 0;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

CHECK_INLINE void *check_new(ws_dtype type, size_t count)
{
    size_t bytes = count * check_element_bytes(type), whole = (bytes + 255) / 256 * 256 + 2 * CHECK_GUARD;
    char *host = aligned_alloc(256, whole);
    if (!host || check.narrays == sizeof check.arrays / sizeof *check.arrays) {
        fprintf(stderr, "%s: out of memory\n", check.name);
        exit(2);
    }
    memset(host, 0xa5, whole);
    check.arrays[check.narrays++] = (check_array){type, count, bytes, host, NULL};
    return host + CHECK_GUARD;
}

/* Numbers in [low, high); integers between the two for the integer types. */
CHECK_INLINE void *check_range(ws_dtype type, size_t count, double low, double high)
{
    char *base = check_new(type, count);
    for (size_t i = 0; i < count; i++)
        check_put(base, type, i, low + (high - low) * (check_bits() >> 8) * 0x1p-24);
    return base;
}

/* Floats in [-1, 1), integers in [-100, 100). */
CHECK_INLINE void *check_random(ws_dtype type, size_t count)
{
    double limit = type == WS_I8 || type == WS_I32 ? 100 : 1;
    return check_range(type, count, -limit, limit);
}

/* An array that a kernel fills: what it leaves out stays -77. */
CHECK_INLINE void *check_output(ws_dtype type, size_t count)
{
    return check_range(type, count, -77, -77);
}

CHECK_INLINE check_array *check_find(const void *base)
{
    static int last;
    for (int i = 0; i <= check.narrays; i++, last = (last + 1) % check.narrays)
        if (last < check.narrays && check.arrays[last].host + CHECK_GUARD == (const char *)base)
            return &check.arrays[last];
    fprintf(stderr, "%s: not an array of this program\n", check.name);
    exit(2);
}

/* Element i of an array, as a double. */
CHECK_INLINE double check_at(const void *base, size_t i)
{
    check_array *array = check_find(base);
    return check_get(base, array->type, i);
}

/* Where a kernel of device `on` is to find the array: where it is, or in its copy there. */
CHECK_INLINE void *check_place_on(int on, void *base)
{
    check_array *array = check_find(base);
    size_t bytes = array->bytes + 2 * CHECK_GUARD;
    if (!check.on_device)
        return base;
    if (!array->device) {
        array->device = on < 0 ? ws_alloc(bytes) : ws_alloc_on(on, bytes);
        if (!array->device)
            ws_or_die(ws_last_error());
        ws_or_die(ws_copy(array->device, array->host, bytes));
    }
    return array->device + CHECK_GUARD;
}

CHECK_INLINE void *check_place(void *base)
{
    return check_place_on(-1, base);
}

/* Wait for the kernels and bring back what they wrote. */
CHECK_INLINE void check_fetch(void)
{
    ws_or_die(ws_sync());
    for (int i = 0; i < check.narrays; i++) {
        check_array *array = &check.arrays[i];
        if (array->device)
            ws_or_die(ws_copy(array->host, array->device, array->bytes + 2 * CHECK_GUARD));
    }
    ws_or_die(ws_last_error());
}

/* ---- verdict ----------------------------------------------------------------------------------------------------- */

/* What K products summed in f32 may lose, where `magnitude` is the sum of their absolute values. */
CHECK_INLINE double check_dot_error(long K, double magnitude)
{
    return 4 * sqrt((double)K) * 0x1p-24 * magnitude;
}

/* Element i must be `reference` to within 2 roundings of its type and `tolerance` more. */
CHECK_INLINE void check_close(const void *base, size_t i, double reference, double tolerance)
{
    check_array *array = check_find(base);
    double x = check_get(base, array->type, i), error = fabs(x - reference);
    double limit = 2 * check_roundoff(array->type) * fabs(reference) + check_smallest(array->type) + tolerance;
    check.values++;
    if (error > check.error)
        check.error = error;
    if (error <= limit || x == reference || (isnan(x) && isnan(reference)))
        return;
    if (check.wrong++ < 5)
        printf("%s: array %d, element %zu is %.9g instead of %.9g (+- %.3g)\n", check.name, (int)(array - check.arrays),
               i, x, reference, limit);
}

/* Element i must be this very number. */
CHECK_INLINE void check_equal(const void *base, size_t i, double reference)
{
    double x = check_at(base, i);
    check.values++;
    if (x != reference && !(isnan(x) && isnan(reference)) && check.wrong++ < 5)
        printf("%s: element %zu is %.9g instead of %.9g\n", check.name, i, x, reference);
}

CHECK_INLINE void check_true(int holds, const char *what)
{
    check.values++;
    if (!holds && check.wrong++ < 5)
        printf("%s: %s\n", check.name, what);
}

/* Everything of an array that is not its own. */
CHECK_INLINE void check_guards(const check_array *array)
{
    const unsigned char *bytes = (const unsigned char *)array->host;
    for (size_t i = 0; i < CHECK_GUARD; i++)
        if (bytes[i] != 0xa5 || bytes[CHECK_GUARD + array->bytes + i] != 0xa5) {
            printf("%s: array %d was written outside\n", check.name, (int)(array - check.arrays));
            check.wrong++;
            return;
        }
}

/* Give the arrays back; further ones may follow. */
CHECK_INLINE unsigned long long check_release(unsigned long long sum)
{
    for (int i = 0; i < check.narrays; i++) {
        check_array *array = &check.arrays[i];
        check_guards(array);
        for (size_t k = 0; k < array->bytes; k++)
            sum = (sum ^ (unsigned char)array->host[CHECK_GUARD + k]) * 1099511628211ull;
        ws_free(array->device);
        free(array->host);
    }
    check.narrays = 0;
    return sum;
}

static unsigned long long check_sum = 14695981039346656037ull;

/* Between two cases of one program. */
CHECK_INLINE void check_next(void)
{
    check_sum = check_release(check_sum);
}

CHECK_INLINE int check_end(void)
{
    check_next();
    printf("%s: %s max error %.3g in %ld values, checksum %016llx\n", check.name, check.wrong ? "FAILED" : "ok",
           check.error, check.values, check_sum);
    return check.wrong != 0;
}

#endif
