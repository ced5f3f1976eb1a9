/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * program.h - what stands around the kernel of a generated program: arrays of numbers that follow from a seed, and one
 * line for each array with a hash over its bits, guards included.  The bits of a NaN are not the language's to decide:
 * every NaN counts as one.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ws.h>

/* With FUZZ_LINKED the functions are another object's: this file, compiled once with FUZZ_OBJECT. Otherwise they are
   here, fast whatever the kernels are compiled with. */
#if defined FUZZ_LINKED || defined FUZZ_OBJECT
#    define FUZZ_FUNCTION
#elif defined __clang__
#    define FUZZ_FUNCTION static __attribute__((unused, noinline))
#else
#    define FUZZ_FUNCTION static __attribute__((unused, noinline, optimize("O2")))
#endif
/* What only calls kernels takes no part in what is tried: it is compiled in the cheapest way. */
#if defined __clang__
#    define FUZZ_HOST static
#else
#    define FUZZ_HOST static __attribute__((noinline, optimize("O0")))
#endif

FUZZ_FUNCTION void *fuzz_array(ws_dtype type, long count, unsigned seed, double low, double high);
FUZZ_FUNCTION void fuzz_show(const char *kernel, const char *name, const void *array, ws_dtype type, long count);
FUZZ_FUNCTION void fuzz_errors(const char *kernel);

#ifndef FUZZ_LINKED

#    define FUZZ_INLINE static inline __attribute__((unused, always_inline))
#    define FUZZ_GUARD  64 /* elements before and behind an array that nobody may write */

FUZZ_INLINE size_t fuzz_bytes(ws_dtype type)
{
    switch (type) {
    case WS_F64:
    case WS_I64:
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

FUZZ_INLINE void fuzz_put(void *at, ws_dtype type, size_t i, double x)
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
        ((unsigned char *)at)[i] = (unsigned char)(int)x;
        break;
    case WS_I16:
        ((short *)at)[i] = (short)x;
        break;
    case WS_I64:
        ((long *)at)[i] = (long)x;
        break;
    }
}

FUZZ_INLINE double fuzz_get(const void *at, ws_dtype type, size_t i)
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
    case WS_I64:
        return (double)((const long *)at)[i];
    }
    return 0;
}

FUZZ_INLINE unsigned fuzz_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(*state >> 40);
}

/* With FUZZ_SHAKE=n in the environment numbers are off by up to one part in 4096, by others for each n: what a result
   then differs by is what rounding can do to it, too. Numbers of 8 bits hardly ever move by so little; short.c is for
   them. */
FUZZ_INLINE double fuzz_shaken(double x, unsigned long long shake, unsigned seed, size_t i)
{
    unsigned long long state = (seed + 1) * 1000003ull * shake + i * 2246822519ull;
    fuzz_random(&state);
    return x * (1 + (fuzz_random(&state) * 0x1p-23 - 1) * 0x1p-12);
}

/* Numbers in [low, high]; whole ones for the integer types. */
FUZZ_FUNCTION void *fuzz_array(ws_dtype type, long count, unsigned seed, double low, double high)
{
    static struct kept {
        void *array;
        struct kept *before;
    } * kept; /* until the end: no leak */
    size_t whole = (size_t)count + 2 * FUZZ_GUARD, each = fuzz_bytes(type);
    char *base = aligned_alloc(256, (whole * each + 255) / 256 * 256);
    struct kept *one = (struct kept *)malloc(sizeof *one);
    unsigned long long state = seed * 2654435761ull + 12345;
    const char *text = getenv("FUZZ_SHAKE");
    unsigned long long shake = text ? strtoull(text, NULL, 0) : 0;
    int is_whole = type == WS_I8 || type == WS_I32 || type == WS_I64;
    if (!base || !one)
        exit(2);
    one->array = base;
    one->before = kept;
    kept = one;
    for (size_t i = 0; i < whole; i++) {
        double x = low + (high - low) * (fuzz_random(&state) * 0x1p-24);
        fuzz_put(base, type, i, is_whole ? floor(x + 0.5) : text ? fuzz_shaken(x, shake, seed, i) : x);
    }
    return base + FUZZ_GUARD * each;
}

/* For compare: a line, then every element as a double. */
FUZZ_FUNCTION void fuzz_dump(const char *kernel, const char *name, const void *base, ws_dtype type, size_t whole)
{
    const char *path = getenv("FUZZ_DUMP");
    FILE *out = path ? fopen(path, "ab") : NULL;
    if (!out)
        return;
    fprintf(out, "%s %s %zu\n", kernel, name, whole);
    for (size_t i = 0; i < whole; i++) {
        double x = fuzz_get(base, type, i);
        fwrite(&x, sizeof x, 1, out);
    }
    fclose(out);
}

/* An element's bits; those of a NaN are one. */
FUZZ_INLINE unsigned long long fuzz_bits(const void *at, ws_dtype type, size_t i)
{
    unsigned long long bits = 0;
    size_t each = fuzz_bytes(type);
    double x = type == WS_I8 || type == WS_I32 ? 0 : fuzz_get(at, type, i);
    if (x != x)
        return ~0ull;
    memcpy(&bits, (const char *)at + i * each, each);
    return bits;
}

/* One line about an array and what stands around it; with FUZZ_PRINT in the environment also every element. */
FUZZ_FUNCTION void fuzz_show(const char *kernel, const char *name, const void *array, ws_dtype type, long count)
{
    size_t whole = (size_t)count + 2 * FUZZ_GUARD;
    const void *base = (const char *)array - FUZZ_GUARD * fuzz_bytes(type);
    unsigned long long hash = 14695981039346656037ull;
    int each = getenv("FUZZ_PRINT") != NULL;
    fuzz_dump(kernel, name, base, type, whole);
    for (size_t i = 0; i < whole; i++) {
        hash = (hash ^ fuzz_bits(base, type, i)) * 1099511628211ull;
        hash ^= hash >> 29;
        if (each)
            printf("%s %s[%ld] %a\n", kernel, name, (long)i - FUZZ_GUARD,
                   fuzz_bits(base, type, i) == ~0ull ? NAN : fuzz_get(base, type, i));
    }
    printf("%s %s %016llx\n", kernel, name, hash);
}

/* Errors are part of what must not differ: a valid program has none. */
FUZZ_FUNCTION void fuzz_errors(const char *kernel)
{
    ws_status status = ws_last_error();
    if (status)
        printf("%s error %d: %s\n", kernel, (int)status, ws_error_message());
}

#endif
#endif
