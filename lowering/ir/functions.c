/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * functions.c - the tile operations of the functions of <math.h>.
 *
 *   y[i] = expf (x[i])          scalar: OP_SCALAR_MATH "expf"; elements of a plain loop: OP_EXP
 */
#include <string.h>

#include "ir/ir.h"

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
