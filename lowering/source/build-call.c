/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-call.c - calls -> operations of ws.h, functions of <math.h>.
 *
 *      t5 = call.f32 sqrtf(f32 t4)                       %3 = scalar_math %2 "sqrtf"
 *      t6 = call.p ws_load(p a.7, i64 t1, i64 t2,        %ta: tile<f16,128x64> = load %a, %i, %k
 *                          i32 128, i32 64)
 *
 * The operation's name is the function's: without ws_, a last "_", a rank suffix and, of a load, "_or". Its class says
 * how the arguments are laid out. ws.h has the table.
 */
#include <string.h>

#include "build.h"

static const Type INFERRED = {K_NONE, D_F32, 0, 0, 0}; /* types find it */

bool build_is_tile_call(const Instruction *call)
{
    return call->code == SO_CALL && call->symbol && !strncmp(call->symbol, "ws_", 3) &&
           strncmp(call->symbol, "ws_print_value_", 15);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool drop_suffix(char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    if (length <= tail || strcmp(name + length - tail, suffix))
        return false;
    name[length - tail] = 0;
    return true;
}

/* load_or_3d -> OP_LOAD with a fill; OP_COUNT: there is none.  */
static Opcode operation_named(const char *name, bool *has_fill)
{
    char stem[64];
    snprintf(stem, sizeof stem, "%s", name);
    for (int rank = 2; rank <= 4; rank++) {
        const char suffix[] = {'_', (char)('0' + rank), 'd', 0};
        drop_suffix(stem, suffix);
    }
    *has_fill = !strncmp(stem, "load", 4) && drop_suffix(stem, "_or");
    for (int code = 0; code < OP_COUNT; code++) {
        const OpClass class_ = op_info[code].class_;
        if (class_ != CLASS_SCALAR && class_ != CLASS_CONTROL && class_ != CLASS_SYNC && class_ != CLASS_TENSOR &&
            !strcmp(stem, op_info[code].text))
            return (Opcode)code;
    }
    return OP_COUNT;
}

/* The operation that a call of ws.h stands for. OP_COUNT: there is none.  */
static Opcode operation_of(const Instruction *call)
{
    char stem[64];
    bool has_fill;
    snprintf(stem, sizeof stem, "%s", call->symbol + 3);
    drop_suffix(stem, "_");
    return operation_named(stem, &has_fill);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

bool build_constant(Builder *b, const Instruction *call, int k, const char *meaning, int64_t *number)
{
    const SourceArgument *argument = &call->arguments[k];
    const Value *value = NULL;
    if (argument->operand.kind == OPERAND_INTEGER) {
        *number = (int64_t)argument->operand.integer;
        return true;
    }
    if (argument->type != ST_P && !source_type_is_aggregate(argument->type))
        value = build_scalar(b, call->loc, argument->operand, argument->type);
    if (value && ir_constant(value, number))
        return true;
    reject(b->kernel, call->loc, REASON_NOT_CONSTANT, meaning);
    return false;
}

static bool extent(Builder *b, const Instruction *call, int k, int *result)
{
    int64_t number;
    if (!build_constant(b, call, k, "the shape of a tile", &number))
        return false;
    if (number < 1 || number > 65536) {
        reject(b->kernel, call->loc, REASON_TILE_SIDES, arena_print(b->module, "%lld", (long long)number));
        return false;
    }
    *result = (int)number;
    return true;
}

bool build_element_type(Builder *b, const Instruction *call, int k, Dtype *dtype)
{
    enum { FIRST = 0x5753 /* WS_F32 */, OF_UNSIGNED = FIRST + D_I8 + 0x100 /* WS_I8_OF_UNSIGNED_ */ };
    int64_t number;
    if (!build_constant(b, call, k, "an element type", &number))
        return false;
    if (number == OF_UNSIGNED) {
        Loc *warned = &b->function->unit->warned;
        if (warned->line != call->loc.line || warned->column != call->loc.column) {
            warn(b->kernel, call->loc,
                 "WS_I8 is signed, and these are unsigned char: 200 reads as -56 [-Wws-unsigned-bytes]");
            remark(b->kernel, DIAG_NOTE, call->loc, "say WS_U8, make them signed char, or cast the pointer");
        }
        *warned = call->loc;
        number = FIRST + D_I8;
    }
    if (number < FIRST || number > FIRST + D_I64) {
        reject(b->kernel, call->loc, REASON_ELEMENT_TYPE, "");
        return false;
    }
    *dtype = (Dtype)(number - FIRST);
    return true;
}

/* Without the conversion that the parameter's type alone asks for.  */
Value *build_argument(Builder *b, const Instruction *call, int k)
{
    const SourceArgument *argument = &call->arguments[k];
    if (argument->type == ST_P && argument->operand.kind == OPERAND_INTEGER) {
        const Opcode code = operation_of(call);
        const OpClass class_ = code == OP_COUNT ? CLASS_SCALAR : op_info[code].class_;
        const bool tensor = !k && (class_ == CLASS_LOAD || class_ == CLASS_STORE || class_ == CLASS_READ);
        reject(b->kernel, build_place(call), REASON_NOT_A_HANDLE, tensor ? "tensor" : "tile");
        return NULL;
    }
    if (argument->type == ST_P) {
        const Built built = build_pointer(b, call->loc, argument->operand);
        if (built.kind != BUILT_HANDLE)
            build_refuse_handle(b, call->loc, &built);
        return b->kernel->failed ? NULL : built.value;
    }
    if (argument->operand.kind == OPERAND_INTEGER) {
        const int64_t number = (int64_t)argument->operand.integer;
        return build_integer(b, number == (int32_t)number ? D_I32 : D_I64, number);
    }
    Value *value = build_scalar(b, call->loc, argument->operand, argument->type);
    return value && !dtype_is_float(value->type.dtype) ? build_without_widening(value) : value;
}

/* ---- operations of ws.h ------------------------------------------------------------------------------------------ */

/* Arguments from `first` up to `last`. The number of a tensor's pointer in an array of them follows the tensor. NULL:
   one was refused, or the operation has no result.  */
static Value *make(Builder *b, const Instruction *call, Opcode code, Type type, int first, int last)
{
    Value *args[12];
    int n = 0;
    for (int k = first; k < last && n < 10; k++) {
        args[n] = build_argument(b, call, k);
        if (!args[n++])
            return NULL;
        Value *index =
            args[n - 1]->type.kind == K_TENSOR ? build_pointer(b, call->loc, call->arguments[k].operand).offset : NULL;
        if (index)
            args[n++] = index;
    }
    if (op_info[code].class_ != CLASS_STORE)
        return build_op(b, code, call->loc, type, n, args);
    op_append(b->block, op_new(b->kernel, code, call->loc, n, args));
    return NULL;
}

static Value *load(Builder *b, const Instruction *call, Opcode code, bool has_fill)
{
    const int n = call->narguments - has_fill;
    int rows = 1, cols = 1, coordinates = n - (code == OP_LOAD ? 2 : 1);
    if (code == OP_LOAD ? !extent(b, call, n - 2, &rows) || !extent(b, call, n - 1, &cols)
                        : !extent(b, call, n - 1, code == OP_LOAD_ROW ? &cols : &rows))
        return NULL;
    const Operand fill = has_fill ? call->arguments[n].operand : (Operand){.kind = OPERAND_FLOAT};
    if (fill.kind != OPERAND_FLOAT) {
        reject(b->kernel, call->loc, REASON_NOT_CONSTANT, "the fill of a load");
        return NULL;
    }
    Value *tile = make(b, call, code, type_tile(D_F32, rows, cols), 0, coordinates);
    if (!tile)
        return NULL;
    tile->type.dtype = tile->def->args[0]->type.dtype;
    tile->def->transfer->fill = fill.number;
    return tile;
}

static Value *full(Builder *b, const Instruction *call, bool zeros)
{
    Dtype dtype;
    int rows, cols;
    if (!build_element_type(b, call, 0, &dtype) || !extent(b, call, 1, &rows) || !extent(b, call, 2, &cols))
        return NULL;
    const bool constant = zeros || call->arguments[3].operand.kind == OPERAND_FLOAT;
    Value *scalar = constant ? NULL : build_argument(b, call, 3);
    if (!constant && !scalar)
        return NULL;
    Value *tile = build_op(b, OP_FULL, call->loc, type_tile(dtype, rows, cols), 0, NULL);
    if (constant) {
        tile->def->tile->value = zeros ? 0 : call->arguments[3].operand.number;
        return tile;
    }
    tile->def->tile->value = dtype == D_I32 ? 0 : -0.0; /* -0 + v is v, whatever its sign */
    Value *both[] = {tile, build_op(b, OP_SPLAT, call->loc, INFERRED, 1, &scalar)};
    return build_op(b, OP_ADD, call->loc, INFERRED, 2, both);
}

/* The parameter is a double. A float stays one.  */
static Value *splat(Builder *b, const Instruction *call)
{
    const Operand x = call->arguments[0].operand;
    Value *number = x.kind == OPERAND_FLOAT && (double)(float)x.number == x.number ? build_real(b, D_F32, x.number)
                                                                                   : build_argument(b, call, 0);
    if (!number)
        return NULL;
    const Op *def = number->def;
    if (def && def->code == OP_SCALAR_CONVERT && number->type.dtype == D_F64 && def->args[0]->type.dtype == D_F32)
        number = def->args[0];
    return build_op(b, OP_SPLAT, call->loc, INFERRED, 1, &number);
}

static Value *operation(Builder *b, const Instruction *call, Opcode code, bool has_fill)
{
    Dtype dtype;
    int rows, cols;
    switch (op_info[code].class_) {
    case CLASS_READ:
        return make(b, call, code, type_scalar(code == OP_AT ? D_I64 : D_F64), 0, 2);
    case CLASS_LOAD:
        return load(b, call, code, has_fill);
    default:
        break;
    }
    switch (code) {
    case OP_FULL:
        return full(b, call, false);
    case OP_CAST:
    case OP_BITCAST:
        return build_element_type(b, call, 1, &dtype) ? make(b, call, code, type_tile(dtype, 0, 0), 0, 1) : NULL;
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
        return extent(b, call, 0, &rows) && extent(b, call, 1, &cols)
                   ? build_op(b, code, call->loc, type_tile(D_I32, rows, cols), 0, NULL)
                   : NULL;
    case OP_PRINT:
        build_print_tile(b, call);
        return NULL;
    case OP_TILE_AT:
        build_refuse(b, call->loc, arena_print(b->module, "a call of '%s'", call->symbol));
        return NULL;
    default:
        return make(b, call, code, INFERRED, 0, call->narguments);
    }
}

/* false: there is no operation of this name.  */
static bool tile_call(Builder *b, const Instruction *call, Built *made)
{
    char stem[64];
    bool has_fill;
    Value *value, *index = NULL;
    snprintf(stem, sizeof stem, "%s", call->symbol + 3);
    drop_suffix(stem, "_");
    const Opcode code = operation_named(stem, &has_fill);
    if (!strcmp(stem, "zeros"))
        value = full(b, call, true);
    else if (!strcmp(stem, "scalar_i") || !strcmp(stem, "scalar_f"))
        value = splat(b, call);
    else if (build_is_tensor_call(stem))
        value = build_tensor(b, call, stem, &index);
    else if (code != OP_COUNT)
        value = operation(b, call, code, has_fill);
    else
        return false;
    if (value)
        *made = (Built){
            .kind = value->type.kind == K_SCALAR ? BUILT_SCALAR : BUILT_HANDLE, .value = value, .offset = index};
    return true;
}

/* ---- other functions --------------------------------------------------------------------------------------------- */

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

/* A function of ws.h that _Generic has chosen is called by its address.  */
static const char *callee_of(const Builder *b, const Instruction *call)
{
    const Operand callee = call->args[0];
    return !call->symbol && callee.kind == OPERAND_TEMPORARY ? b->temporaries[callee.temporary].name : NULL;
}

/* Operations behind `last` belong to the task around the call, and the result has the names of its variables.  */
static void note_call(Builder *b, const Instruction *call, Op *last, const Built *made)
{
    for (Op *op = last ? last->next : b->block->first; op; op = op->next)
        build_note_task(b, op, call);
    for (const SourceHolder *holder = call->holders; holder; holder = holder->next) {
        build_note_holder(b, holder->declaration, made);
        if (made->value && made->value->def && !made->value->name)
            made->value->name = holder->declaration->name;
    }
}

Built build_call(Builder *b, const Instruction *call)
{
    Built made = {.kind = BUILT_NONE};
    Instruction named = *call;
    const Instruction *original = call; /* of a function that is known by its address it is a call through a pointer */
    if (callee_of(b, call)) {
        named.symbol = callee_of(b, call);
        call = &named;
    }
    if (call->symbol && source_type_is_float(call->type) && op_of_function(call->symbol) != OP_COUNT)
        return math_call(b, call);
    if (call->symbol && build_print_value(b, call))
        return made;
    Op *last = b->block->last;
    if (build_is_tile_call(call) && tile_call(b, call, &made)) {
        note_call(b, call, last, &made);
        build_is_lost(b, call, &made);
        return made;
    }
    build_refuse_call(b, build_is_tile_call(call) ? call : original);
    return made;
}
