/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-call.c - calls -> operations of ws.h, functions of <math.h>.
 *
 *      t5 = call.f32 sqrtf(f32 t4)       %3 = scalar_math %2 "sqrtf"
 */
#include <string.h>

#include "build.h"

bool build_is_tile_call(const Instruction *call)
{
    return call->code == SO_CALL && call->symbol && !strncmp(call->symbol, "ws_", 3) &&
           strncmp(call->symbol, "ws_print_value_", 15);
}

/* A function of <math.h> that the runtime has on every target.  */
static Built math_call(Builder *b, const Instruction *call)
{
    Value **args = arena_alloc(b->module, ((size_t)call->narguments + 1) * sizeof *args);
    for (int i = 0; i < call->narguments; i++) {
        args[i] = build_scalar(b, call->loc, call->arguments[i].operand, call->arguments[i].type);
        if (!args[i])
            return (Built){.kind = BUILT_NONE};
    }
    Value *value = build_op(b, OP_SCALAR_MATH, call->loc, type_scalar(build_dtype(call->type)), call->narguments, args);
    value->def->scalar->function = call->symbol;
    return (Built){.kind = BUILT_SCALAR, .value = value};
}

static void refuse(Builder *b, const Instruction *call)
{
    if (!call->symbol)
        reject(b->kernel, call->loc, REASON_CALL_POINTER);
    else
        build_refuse(b, call->loc, arena_print(b->module, "a call of '%s'", call->symbol));
}

Built build_call(Builder *b, const Instruction *call)
{
    if (call->symbol && source_type_is_float(call->type) && op_of_function(call->symbol) != OP_COUNT)
        return math_call(b, call);
    refuse(b, call);
    return (Built){.kind = BUILT_NONE};
}
