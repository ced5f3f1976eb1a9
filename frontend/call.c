/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call.c - calls: the functions of ws.h -> operations, others are walked in place.
 *
 *   ws_load (a, i, k, 128, 64)     %ta: tile 128x64 = load %a, %i, %k
 *   step (ta, tb, acc)             the body of step, its parameters variables of their own
 *
 * Arguments are computed from the last to the first, as GCC does.
 */
#include <float.h>
#include <string.h>

#include "frontend.h"

/* Of the functions that _Generic has to choose of: that of its type, if it is one.  */
static CXCursor generic_function(const Unit *u, CXCursor e)
{
    const Cursors below = children(u, e);
    const CXType type = clang_getCanonicalType(clang_getCursorType(e));
    CXCursor found = clang_getNullCursor();
    for (int i = 1; i < below.count; i++) {
        CXCursor function = clang_getCursorReferenced(below.list[i]);
        if (!clang_isExpression(below.list[i].kind) || function.kind != CXCursor_FunctionDecl ||
            !clang_equalTypes(type, clang_getCanonicalType(clang_getCursorType(below.list[i]))))
            continue;
        if (!clang_Cursor_isNull(found) && !clang_equalCursors(found, function))
            return clang_getNullCursor();
        found = function;
    }
    return found;
}

/* __builtin_choose_expr of names, as ws_tensor_strided is.  */
static CXCursor chosen_function(const Unit *u, CXCursor e)
{
    int64_t chosen;
    Cursors below = children(u, e);
    for (int depth = 0; depth < 32 && below.count; depth++) {
        bool wraps = e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr || e.kind == CXCursor_CallExpr;
        if (e.kind == CXCursor_UnexposedExpr && below.count == 3 && evaluate_int(below.list[0], &chosen))
            e = below.list[chosen ? 1 : 2];
        else if (wraps && (below.count == 1 || e.kind == CXCursor_CallExpr))
            e = below.list[0];
        else
            break;
        below = children(u, e);
    }
    if (e.kind == CXCursor_GenericSelectionExpr)
        return generic_function(u, e);
    return e.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(e) : clang_getNullCursor();
}

/* The function, for a call by its name.  */
const char *callee_name(const Unit *u, CXCursor e, CXCursor *function)
{
    CXCursor callee = clang_getCursorReferenced(e);
    if (callee.kind != CXCursor_FunctionDecl)
        callee = chosen_function(u, e);
    if (function)
        *function = callee;
    return callee.kind == CXCursor_FunctionDecl ? text_of(u, clang_getCursorSpelling(callee)) : "";
}

static Cursors arguments(const Unit *u, CXCursor e)
{
    Cursors args = {0, NULL};
    for (int i = 0; i < clang_Cursor_getNumArguments(e); i++)
        LIST_ADD(u->module, args.list, args.count) = clang_Cursor_getArgument(e, (unsigned)i);
    return args;
}

static Result nothing_of(Walk *w, CXCursor e)
{
    if (clang_getCanonicalType(clang_getCursorType(e)).kind == CXType_Void)
        return (Result){.kind = R_NONE};
    return result_of(anything(w, clang_getCursorType(e)));
}

/* ---- ws.h -------------------------------------------------------------------------------------------------------- */

static bool drop_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    if (length <= tail || strcmp(name + length - tail, suffix))
        return false;
    name[length - tail] = 0;
    return true;
}

/* "load_or_3d" -> LOAD with a fill.  */
typedef struct {
    Opcode code;
    bool has_fill;
} Operation;

static bool operation_named(const char *text, Operation *operation)
{
    char stem[64];
    snprintf(stem, sizeof stem, "%s", text);
    for (int rank = 2; rank <= 4; rank++) {
        char suffix[] = {'_', (char)('0' + rank), 'd', 0};
        drop_suffix(stem, suffix);
    }
    operation->has_fill = !strncmp(stem, "load", 4) && drop_suffix(stem, "_or");
    for (int code = 0; code < OP_COUNT; code++) {
        OpClass class_ = op_info[code].class_;
        if (class_ != CLASS_SCALAR && class_ != CLASS_CONTROL && class_ != CLASS_SYNC &&
            !strcmp(stem, op_info[code].text)) {
            operation->code = (Opcode)code;
            return true;
        }
    }
    return false;
}

static bool constant_argument(Walk *w, CXCursor call, CXCursor e, const char *what, int64_t *result)
{
    if (constant_int(w, e, result))
        return true;
    refuse(w, call, "use a number, an enumerator, a macro or a const variable", "%s must be a constant", what);
    return false;
}

static bool extent(Walk *w, CXCursor call, CXCursor e, int *result)
{
    int64_t value;
    if (!constant_argument(w, call, e, "the shape of a tile", &value))
        return false;
    if (value < 1 || value > 65536) {
        refuse(w, call, NULL, "a tile has at least 1 and at most 65536 rows and columns, not %ld", (long)value);
        return false;
    }
    *result = (int)value;
    return true;
}

bool element_type(Walk *w, CXCursor e, Dtype *dtype)
{
    enum { FIRST = 0x5753 /* WS_F32 */, OF_UNSIGNED = FIRST + D_I8 + 0x100 /* WS_I8_OF_UNSIGNED_ */ };
    int64_t value;
    if (!constant_argument(w, e, e, "an element type", &value))
        return false;
    if (value == OF_UNSIGNED) {
        say(w->u, DIAG_WARNING, loc_of(w->u, e),
            "WS_I8 is signed, and these are unsigned char: 200 reads as -56 [-Wws-unsigned-bytes]");
        say(w->u, DIAG_NOTE, loc_of(w->u, e), "say WS_U8, make them signed char, or cast the pointer");
        value = FIRST + D_I8;
    }
    if (value < FIRST || value > FIRST + D_I64) {
        refuse(w, e, "WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, WS_I8, WS_I32, WS_U8, WS_I16 or WS_I64",
               "this is not an element type");
        return false;
    }
    *dtype = (Dtype)(value - FIRST);
    return true;
}

static Value *argument(Walk *w, CXCursor e)
{
    return is_integer(clang_getCursorType(e)) ? argument_of(w, e) : value_of(w, e);
}

/* Arguments from first to last, then what the operation makes of them.  Tensors come last: they stand elsewhere.  */
static Value *make(Walk *w, CXCursor call, Opcode code, Type type, const Cursors *args, int first, int last)
{
    Value *values[9];
    for (int pass = 0; pass < 2; pass++)
        for (int k = first; k < last; k++) {
            int i = pass ? k : last - 1 - (k - first);
            if (is_tensor_type(clang_getCursorType(args->list[i])) == (pass == 1))
                values[i - first] = argument(w, args->list[i]);
        }
    w->where = loc_of(w->u, call);
    Value *all[10];
    int count = 0;
    for (int k = 0; k < last - first; k++) {
        bool table = values[k]->def && values[k]->def->code == OP_TENSOR && values[k]->def->tensor->table;
        all[count++] = values[k];
        if (table)
            all[count++] = devices_index(w, values[k]);
    }
    if (op_info[code].class_ == CLASS_STORE && code != OP_RING_PUT && count)
        devices_check_store(w, call, values[0]);
    return op_of(w, code, type, count, all);
}

static Value *load_call(Walk *w, CXCursor call, const Cursors *args, const Operation *operation)
{
    int nargs = args->count - operation->has_fill, rows = 1, cols = 1, coordinates;
    double fill = 0;
    bool is_real = true;
    int64_t integer;
    if (operation->code == OP_LOAD) {
        coordinates = nargs - 2;
        if (!extent(w, call, args->list[coordinates], &rows) || !extent(w, call, args->list[coordinates + 1], &cols))
            return NULL;
    } else {
        coordinates = nargs - 1;
        if (!extent(w, call, args->list[coordinates], operation->code == OP_LOAD_ROW ? &cols : &rows))
            return NULL;
    }
    if (operation->has_fill && (!constant_of(w, args->list[nargs], &is_real, &integer, &fill) || !is_real)) {
        refuse(w, call, "use a number, or a mask and ws_select", "%s must be a constant", "the fill of a load");
        return NULL;
    }
    Value *tile = make(w, call, operation->code, type_tile(D_F32, rows, cols), args, 0, coordinates);
    tile->type.dtype = tile->def->args[0]->type.dtype;
    tile->def->transfer->fill = fill;
    return tile;
}

static Value *full_call(Walk *w, CXCursor call, const Cursors *args, bool zeros)
{
    Dtype dtype;
    int rows, cols;
    bool is_real;
    int64_t integer;
    double real = 0;
    if (!element_type(w, args->list[0], &dtype) || !extent(w, call, args->list[1], &rows) ||
        !extent(w, call, args->list[2], &cols))
        return NULL;
    bool constant = zeros || constant_of(w, args->list[3], &is_real, &integer, &real);
    Value *scalar = constant ? NULL : value_of(w, args->list[3]);
    w->where = loc_of(w->u, call);
    Value *tile = op_of(w, OP_FULL, type_tile(dtype, rows, cols), 0, NULL);
    tile->def->tile->value = real;
    if (constant)
        return tile;
    tile->def->tile->value = dtype == D_I32 ? 0 : -0.0; /* -0 + v is v, whatever its sign */
    Value *both[] = {tile, op_of(w, OP_SPLAT, TYPE_TO_INFER, 1, &scalar)};
    return op_of(w, OP_ADD, TYPE_TO_INFER, 2, both);
}

static Value *operation_call(Walk *w, CXCursor call, const Cursors *args, const Operation *operation)
{
    Dtype dtype;
    int rows, cols;
    Opcode code = operation->code;
    switch (op_info[code].class_) {
    case CLASS_READ:
        return make(w, call, code, type_scalar(code == OP_AT ? D_I64 : D_F64), args, 0, 2);
    case CLASS_LOAD:
        return load_call(w, call, args, operation);
    case CLASS_STORE:
        if (code == OP_PRINT)
            show_call(w, call, args);
        else
            make(w, call, code, NO_RESULT, args, 0, args->count);
        return NULL;
    default:
        break;
    }
    if (code == OP_FULL)
        return full_call(w, call, args, false);
    if (code == OP_CAST || code == OP_BITCAST)
        return element_type(w, args->list[1], &dtype) ? make(w, call, code, type_tile(dtype, 0, 0), args, 0, 1) : NULL;
    if (code == OP_ROW_INDEX || code == OP_COL_INDEX)
        return extent(w, call, args->list[0], &rows) && extent(w, call, args->list[1], &cols)
                   ? make(w, call, code, type_tile(D_I32, rows, cols), args, 0, 0)
                   : NULL;
    return make(w, call, code, TYPE_TO_INFER, args, 0, args->count);
}

static bool ws_call(Walk *w, CXCursor call, const char *name, Result *result)
{
    Cursors args = arguments(w->u, call);
    Operation operation = {OP_COUNT, false};
    Value *value;
    char stem[64];
    snprintf(stem, sizeof stem, "%s", name + 3);
    if (stem[0] && stem[strlen(stem) - 1] == '_')
        stem[strlen(stem) - 1] = 0;
    if (show_value_call(w, call, stem, &args))
        value = NULL;
    else if (!strcmp(stem, "zeros"))
        value = full_call(w, call, &args, true);
    else if (is_tensor_constructor(stem))
        value = tensor_call(w, call, stem, &args);
    else if (operation_named(stem, &operation))
        value = operation_call(w, call, &args, &operation);
    else
        return false;
    *result = value ? result_of(value) : nothing_of(w, call);
    bool is_void = clang_getCanonicalType(clang_getCursorType(call)).kind == CXType_Void;
    if (!value && !is_void && !w->failed)
        refuse(w, call, NULL, "this call is not supported in a grid");
    return true;
}

/* ---- <math.h> ---------------------------------------------------------------------------------------------------- */

static bool is_math(const char *name)
{
    return op_of_function(name) != OP_COUNT;
}

static Result math_call(Walk *w, CXCursor call, const char *name)
{
    Cursors args = arguments(w->u, call);
    Value *values[4];
    Dtype dtype = D_F64;
    if (args.count > 4)
        return nothing_of(w, call);
    for (int i = args.count - 1; i >= 0; i--)
        values[i] = value_of(w, args.list[i]);
    scalar_type(clang_getCursorType(call), &dtype);
    w->where = loc_of(w->u, call);
    Value *value;
    if (!strcmp(name, "fabs") || !strcmp(name, "fabsf"))
        name = dtype == D_F32 ? "fabsf" : "fabs";
    value = op_of(w, OP_SCALAR_MATH, type_scalar(dtype), args.count, values);
    value->def->scalar->function = arena_print(w->u->module, "%s", name);
    return result_of(value);
}

static Result absolute(Walk *w, CXCursor e)
{
    Value *x = value_of(w, clang_Cursor_getArgument(e, 0));
    Value *args[] = {x, unary(w, OP_SCALAR_NEG, x)};
    return result_of(op_of(w, OP_SCALAR_MAX, x->type, 2, args));
}

/* isnan (x): x != x.  isinf (x): above all numbers, or below.  */
static bool class_call(Walk *w, CXCursor e, const char *name, Result *result)
{
    static const char *const names[] = {"isnan", "isinf", "isinf_sign", "isfinite"};
    int which = 0;
    name += strncmp(name, "__builtin_", 10) ? 0 : 10;
    while (which < 4 && strcmp(name, names[which]))
        which++;
    if (which == 4)
        return false;
    Value *x = value_of(w, clang_Cursor_getArgument(e, 0));
    if (!dtype_is_float(x->type.dtype))
        return false;
    if (which == 0) {
        *result = result_of(convert(w, compare(w, OP_SCALAR_NE, x, x), D_I32));
        return true;
    }
    Value *most = literal(w, x->type.dtype, 0, x->type.dtype == D_F32 ? FLT_MAX : DBL_MAX);
    if (which == 2) {
        Value *least = literal(w, x->type.dtype, 0, x->type.dtype == D_F32 ? -FLT_MAX : -DBL_MAX);
        *result = result_of(binary(w, OP_SCALAR_SUB, D_I32, convert(w, compare(w, OP_SCALAR_GT, x, most), D_I32),
                                   convert(w, compare(w, OP_SCALAR_LT, x, least), D_I32)));
        return true;
    }
    Value *size = op_of(w, OP_SCALAR_MATH, x->type, 1, &x);
    size->def->scalar->function = x->type.dtype == D_F32 ? "fabsf" : "fabs";
    *result = result_of(convert(w, compare(w, which == 1 ? OP_SCALAR_GT : OP_SCALAR_LE, size, most), D_I32));
    return true;
}

/* ---- functions of the file --------------------------------------------------------------------------------------- */

static bool calls_itself(const Walk *w, CXCursor function)
{
    for (const Frame *frame = w->frame; frame; frame = frame->caller)
        if (same_decl(frame->function, function))
            return true;
    return false;
}

/* Its parameters, in the frame of the function that is entered; what they hold was computed in the caller's.  */
static void bind_parameters(Walk *w, CXCursor definition, const Result *values, int count)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(definition) && i < count; i++) {
        CXCursor parameter = clang_Cursor_getArgument(definition, (unsigned)i);
        CXType type = clang_getCursorType(parameter);
        int variable = variable_new(w, parameter, type, true);
        Place place = {.local = true, .variable = variable, .type = type};
        place_write(w, &place, values[i], parameter);
        w->variables[variable].parameter = false; /* what it is given from here on has its name */
        if (values[i].kind == R_VALUE && values[i].value->type.kind == K_SCALAR) /* fold.c leaves it alone */
            LIST_ADD(w->u->module, w->of_variables, w->nof_variables) = values[i].value;
    }
}

/* A tensor that is handed on is looked at where the function uses it, as GCC does.  */
static Result handed(Walk *w, CXCursor e)
{
    CXCursor decl = is_tensor_type(clang_getCursorType(e)) ? decl_of(w->u, e) : clang_getNullCursor();
    if (clang_Cursor_isNull(decl) || !is_variable(decl))
        return eval(w, e);
    int variable = variable_find(w, decl);
    Result now = variable < 0 ? (Result){.kind = w->frame->id ? R_NONE : R_LATER, .decl = decl}
                              : slot_read(w, slot_of(w, variable, 0, false));
    return now.kind == R_LATER ? now : eval(w, e);
}

static Result walk_function(Walk *w, CXCursor call, CXCursor definition)
{
    Cursors args = arguments(w->u, call), below = children(w->u, definition);
    Result *values = arena_alloc(w->u->module, sizeof *values * (size_t)(args.count + 1));
    for (int i = args.count - 1; i >= 0; i--)
        values[i] = handed(w, args.list[i]);
    int slots = w->nslots;
    Frame frame = {++w->frames, definition, w->frame, NULL, -1, call}, *caller = w->frame;
    const Goal *again = w->again, *out = w->out, *end = w->end;
    w->frame = &frame;
    CXType type = clang_getCursorResultType(definition);
    bool is_void = clang_getCanonicalType(type).kind == CXType_Void;
    int variable = is_void ? -1 : variable_new(w, clang_getNullCursor(), type, true);
    frame.result = variable;
    if (!is_void && !is_aggregate(type))
        slot_of(w, variable, 0, true);
    if (is_complex(type))
        slot_of(w, variable, bytes_of(part_type(type)), true);
    Goal leave = {is_void ? slots : w->nslots};
    if (is_aggregate(type)) { /* all that the result may have comes into sight of the jump */
        leave.slots = 1 << 30;
    }
    frame.leave = &leave;
    bind_parameters(w, definition, values, args.count);
    w->again = w->out = NULL;
    w->end = &leave;
    CXCursor body[] = {below.list[below.count - 1], clang_getNullCursor()};
    Exits exits = walk_list(w, body, 2, 0);
    w->again = again;
    w->out = out;
    w->end = end;
    Jump *back = exits_find(&exits, &leave);
    w->frame = caller;
    if (!back || exits.count != 1) {
        refuse(w, call, "use if, for, while and continue; leave a loop by its condition",
               "this control flow cannot be structured");
        return nothing_of(w, call);
    }
    w->state = back->state;
    if (is_void)
        return (Result){.kind = R_NONE};
    if (is_aggregate(type))
        return (Result){.kind = R_PLACE, .variable = variable, .byte = 0, .type = type};
    Place place = {.local = true, .variable = variable, .type = type};
    Result result = is_complex(type) ? place_read(w, &place, call) : slot_read(w, slot_of(w, variable, 0, true));
    scope_end(w, slots);
    return result;
}

static bool takes_complex(Walk *w, CXCursor e)
{
    return clang_Cursor_getNumArguments(e) > 0 &&
           refuse_complex(w, e, clang_getCursorType(clang_Cursor_getArgument(e, 0)));
}

static void refuse_call(Walk *w, CXCursor e, const char *name)
{
    if (!*name)
        refuse(w, e, "call the function by its name", "a call through a pointer in a grid");
    else if (!strncmp(name, "ws_", 3))
        refuse(w, e, "ws.h lists the operations; make one of your own of these, as a function in this file",
               "there is no operation '%s'", name);
    else if (!strcmp(name, "printf") || !strcmp(name, "puts") || !strcmp(name, "putchar"))
        refuse(w, e, "print a number with ws_print_value(\"x\", x), a tile with ws_print(\"x\", x)",
               "a grid cannot call '%s'", name);
    else if (!refuse_complex(w, e, clang_getCursorType(e)) && !takes_complex(w, e))
        refuse(w, e, "define it in this file, or compute its result before the grid",
               "the function '%s' has no body here, and a grid takes in every function that it calls", name);
}

Result call(Walk *w, CXCursor e)
{
    CXCursor function;
    const char *name = callee_name(w->u, e, &function);
    Result result;
    w->where = loc_of(w->u, e);
    CXCursor definition = *name ? clang_getCursorDefinition(function) : clang_getNullCursor();
    if (clang_Cursor_isNull(definition)) {
        if (!strncmp(name, "__builtin_", 10) && is_math(name + 10))
            name += 10;
        if (!strcmp(name, "__builtin_expect"))
            return result_of(value_of(w, clang_Cursor_getArgument(e, 0)));
        Cursors handed_on = arguments(w->u, e);
        if ((!strcmp(name, "memcpy") || !strcmp(name, "__builtin_memcpy")) && bits_copy(w, e, &handed_on))
            return (Result){.kind = R_NONE};
        if (!strcmp(name, "abs") || !strcmp(name, "labs"))
            return absolute(w, e);
        if (class_call(w, e, name, &result))
            return result;
        if (!strncmp(name, "ws_", 3) && ws_call(w, e, name, &result))
            return result;
        if (complex_call(w, e, name, &result))
            return result;
        if (is_math(name))
            return math_call(w, e, name);
        refuse_call(w, e, name);
        return nothing_of(w, e);
    }
    if (calls_itself(w, definition)) {
        refuse(w, e, "write it as a loop",
               "the function '%s' calls itself, and a grid takes in every function that it calls", name);
        return nothing_of(w, e);
    }
    return walk_function(w, e, definition);
}
