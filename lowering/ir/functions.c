/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * functions.c - operations of C, as the front ends look them up.
 *
 *   y[i] = expf (x[i])                scalar: OP_SCALAR_MATH "expf"; elements of a plain loop: OP_EXP
 *   for (i = n; 0 < i; i--)           op_swapped: i > 0; counter_never_wraps: i ends before its type does
 */
#include <string.h>

#include "ir/functions.h"
#include "ir/kernel.h"

Opcode op_of_function(const char *name)
{
    static const struct {
        const char *name;
        Opcode code;
    } all[] = {
        {"fabs", OP_ABS}, {"fmax", OP_MAX}, {"fmin", OP_MIN}, {"fma", OP_FMA}, {"nearbyint", OP_RINT},
#define MATHS(NAME, name, ...)        {#name, OP_##NAME},
#define MATHS_OF_TWO(NAME, name, ...) {#name, OP_##NAME},
#include "maths.def"
    };
    size_t length = strlen(name);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        size_t stem = strlen(all[i].name);
        if (!strncmp(name, all[i].name, stem) && (!name[stem] || (name[stem] == 'f' && length == stem + 1)))
            /* The C library has no rsqrt and no sigmoid. */
            return all[i].code == OP_RSQRT || all[i].code == OP_SIGMOID ? OP_COUNT : all[i].code;
    }
    return OP_COUNT;
}

Opcode op_swapped(Opcode code)
{
    switch (code) {
    case OP_SCALAR_ADD:
    case OP_SCALAR_MUL:
    case OP_SCALAR_AND:
    case OP_SCALAR_OR:
    case OP_SCALAR_XOR:
    case OP_SCALAR_MIN:
    case OP_SCALAR_MAX:
    case OP_SCALAR_EQ:
    case OP_SCALAR_NE:
        return code;
    case OP_SCALAR_LT:
        return OP_SCALAR_GT;
    case OP_SCALAR_GT:
        return OP_SCALAR_LT;
    case OP_SCALAR_LE:
        return OP_SCALAR_GE;
    case OP_SCALAR_GE:
        return OP_SCALAR_LE;
    default:
        return OP_COUNT;
    }
}

int op_total_number(Opcode op, bool is_unsigned)
{
    return op == OP_SCALAR_ADD   ? 0
           : op == OP_SCALAR_MUL ? 1
           : op == OP_SCALAR_MAX ? (is_unsigned ? 6 : 2)
           : op == OP_SCALAR_MIN ? (is_unsigned ? 7 : 3)
           : op == OP_SCALAR_AND ? 4
                                 : 5;
}

/* With step 1 the counter wraps only if its type cannot hold the bound, and then the loop would not end.  With a larger
   step the bound has to be known.  With `!=` the counter has to reach the bound.  */
bool counter_never_wraps(Opcode compare, int64_t step, int bits, bool is_signed, const int64_t *lo, const int64_t *hi)
{
    const int64_t least = is_signed ? -((int64_t)1 << (bits - 1)) : 0, most = least + ((int64_t)1 << bits) - 1;
    const bool up = step > 0, by_one = step == 1 || step == -1;
    if (compare == OP_SCALAR_NE)
        return by_one && ((hi && *hi == (up ? most : least)) || (lo && *lo == (up ? least : most)) ||
                          (hi && lo && (up ? *lo <= *hi : *lo >= *hi)));
    if ((compare == OP_SCALAR_LT || compare == OP_SCALAR_LE) != up)
        return false;
    return by_one || (hi && (up ? *hi - (compare == OP_SCALAR_LT) + step <= most
                                : *hi + (compare == OP_SCALAR_GT) + step >= least));
}
