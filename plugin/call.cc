/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call.cc - the calls of ws.h -> operations.
 *
 *   ta_20 = ws_load (a_12, _1, _2, 128, 64);     %ta: tile 128x64 = load %a, %i, %k
 *   acc_21 = ws_dot (ta_20, _3, acc_9);          %acc = dot %ta, %4, %acc
 *
 * The operation's name is the function's: without ws_, a last "_", a rank suffix and, of a load, "_or".  ops.def says
 * what class of operation it is, and the class says how the arguments are laid out (ws.h has the table).
 */
#include "plugin.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

const char *ws_name(tree fndecl, char *buffer, size_t size)
{
    const char *name = DECL_NAME(fndecl) ? IDENTIFIER_POINTER(DECL_NAME(fndecl)) : "";
    size_t length = strlen(name);
    if (strncmp(name, "ws_", 3) || length <= 3 || length - 2 > size || gimple_has_body_p(fndecl) ||
        DECL_SAVED_TREE(fndecl))
        return NULL;
    memcpy(buffer, name + 3, length - 2);
    if (buffer[length - 4] == '_')
        buffer[length - 4] = 0;
    return buffer;
}

static bool drop_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    if (length <= tail || strcmp(name + length - tail, suffix))
        return false;
    name[length - tail] = 0;
    return true;
}

/* "load_or_3d" -> LOAD, rank 3, with a fill.  */
struct Operation {
    const char *name; /* as the user writes it, without ws_ */
    Opcode code;
    bool has_fill;
    int rank; /* of the suffix, 0: none */
};

static bool operation_named(const char *text, Operation *operation)
{
    char stem[64];
    snprintf(stem, sizeof stem, "%s", text);
    for (int rank = 2; rank <= 4; rank++) {
        char suffix[] = {'_', (char)('0' + rank), 'd', 0};
        if (drop_suffix(stem, suffix))
            operation->rank = rank;
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

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static bool constant_argument(Walk *w, gcall *call, int index, const char *what, int64_t *result)
{
    if (constant_int(gimple_call_arg(call, index), result))
        return true;
    w->failed = true;
    complain(stmt_location(call), "use a number, an enumerator, a macro or a const variable", "%s must be a constant",
             what);
    return false;
}

static bool extent(Walk *w, gcall *call, int index, int *result)
{
    int64_t value;
    if (!constant_argument(w, call, index, "the shape of a tile", &value))
        return false;
    if (value < 1 || value > 65536) {
        w->failed = true;
        complain(stmt_location(call), NULL, "a tile has at least 1 and at most 65536 rows and columns, not %ld",
                 (long)value);
        return false;
    }
    *result = (int)value;
    return true;
}

/* Misuse that the header found; its own sentence would be lost with the region.  */
static bool refuse_marked(gcall *call, tree fndecl)
{
    tree attribute = lookup_attribute("error", DECL_ATTRIBUTES(fndecl));
    if (!attribute)
        return false;
    tree text = TREE_VALUE(TREE_VALUE(attribute));
    complain(stmt_location(call), NULL, "%s", TREE_STRING_POINTER(text));
    return true;
}

/* An element type that the header refused.  */
static bool is_refused(Walk *w, tree argument)
{
    tree name = ssa_resolve(argument);
    if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name))
        return false;
    gimple *def = SSA_NAME_DEF_STMT(name);
    tree fndecl = is_gimple_call(def) ? gimple_call_fndecl(def) : NULL_TREE;
    if (!fndecl || !lookup_attribute("error", DECL_ATTRIBUTES(fndecl)))
        return false;
    if (!defined_in_region(w, name))
        refuse_marked(as_a<gcall *>(def), fndecl);
    w->failed = true;
    return true;
}

/* Once for a tensor that several kernels use.  */
static void warn_of_unsigned(Walk *w, gcall *call)
{
    static location_t last_place;
    location_t where = stmt_location(call);
    if (where == last_place)
        return;
    last_place = where;
    warn(w->kernel, loc_of(where),
         "WS_I8 is signed, and these are unsigned char: 200 reads as -56 [-Wws-unsigned-bytes]");
    remark(w->kernel, DIAG_NOTE, loc_of(where), "say WS_U8, make them signed char, or cast the pointer");
}

bool element_type(Walk *w, gcall *call, int index, Dtype *dtype)
{
    enum { FIRST = 0x5753 /* WS_F32 */, OF_UNSIGNED = FIRST + D_I8 + 0x100 /* WS_I8_OF_UNSIGNED_ */ };
    int64_t value;
    if (is_refused(w, gimple_call_arg(call, index)))
        return false;
    if (!constant_argument(w, call, index, "an element type", &value))
        return false;
    if (value == OF_UNSIGNED) {
        warn_of_unsigned(w, call);
        value = FIRST + D_I8;
    }
    if (value < FIRST || value > FIRST + D_I64) {
        w->failed = true;
        complain(stmt_location(call),
                 "WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, WS_I8, WS_I32, WS_U8, WS_I16 or WS_I64",
                 "this is not an element type");
        return false;
    }
    *dtype = (Dtype)(value - FIRST);
    return true;
}

static bool constant_number(Walk *w, gcall *call, int index, const char *what, double *result)
{
    tree constant = constant_of(gimple_call_arg(call, index));
    if (!constant || TREE_CODE(constant) != REAL_CST) {
        w->failed = true;
        complain(stmt_location(call), "use a number, or a mask and ws_select", "%s must be a constant", what);
        return false;
    }
    *result = value_of(w, constant)->def->scalar->real;
    return true;
}

/* ---- making operations ------------------------------------------------------------------------------------------- */

static const char *result_name(gcall *call)
{
    tree lhs = gimple_call_lhs(call);
    return lhs && TREE_CODE(lhs) == SSA_NAME ? name_of(lhs) : NULL;
}

static void set_result(Walk *w, gcall *call, Value *value)
{
    tree lhs = gimple_call_lhs(call);
    if (lhs && TREE_CODE(lhs) == SSA_NAME && value)
        value_set(w, lhs, value);
    else if (lhs && value && array_of(lhs))
        array_write(w, lhs, value);
}

/* Arguments from first to last, then what the operation makes of them.  A table's pointer is chosen by one more.  */
static Value *make(Walk *w, gcall *call, Opcode code, Type type, int first, int last)
{
    Value *args[9];
    int count = 0;
    for (int i = first; i < last; i++) {
        tree arg = gimple_call_arg(call, i);
        Value *value = INTEGRAL_TYPE_P(TREE_TYPE(arg)) ? value_of_argument(w, arg) : value_of(w, arg);
        args[count++] = value;
        if (value->type.kind == K_TENSOR && value->def && value->def->code == OP_TENSOR && value->def->tensor->table)
            args[count++] = devices_index(w, arg);
    }
    return value_new_op(w, code, stmt_location(call), type, result_name(call), count, args);
}

static void load_call(Walk *w, gcall *call, const Operation &operation)
{
    int nargs = (int)gimple_call_num_args(call) - operation.has_fill, rows = 1, cols = 1, coordinates;
    double fill = 0;
    if (operation.code == OP_LOAD) {
        coordinates = nargs - 2;
        if (!extent(w, call, coordinates, &rows) || !extent(w, call, coordinates + 1, &cols))
            return;
    } else {
        coordinates = nargs - 1;
        if (!extent(w, call, coordinates, operation.code == OP_LOAD_ROW ? &cols : &rows))
            return;
    }
    if (operation.has_fill && !constant_number(w, call, nargs, "the fill of a load", &fill))
        return;
    Value *tile = make(w, call, operation.code, type_tile(D_F32, rows, cols), 0, coordinates);
    tile->type.dtype = tile->def->args[0]->type.dtype;
    tile->def->transfer->fill = fill;
    set_result(w, call, tile);
}

static void store_call(Walk *w, gcall *call, const Operation &operation)
{
    if (operation.code != OP_PRINT && operation.code != OP_RING_PUT)
        devices_check_store(w, call);
    make(w, call, operation.code, NO_RESULT, 0, (int)gimple_call_num_args(call));
}

/* ws_full with a value that is known at run time: -0 + v is v, whatever its sign.  */
static Value *full_of(Walk *w, gcall *call, Dtype dtype, Value *constant)
{
    Value *args[] = {constant, make(w, call, OP_SPLAT, TYPE_TO_INFER, 3, 4)};
    constant->def->tile->value = dtype == D_I32 ? 0 : -0.0;
    return value_new_op(w, OP_ADD, stmt_location(call), TYPE_TO_INFER, result_name(call), 2, args);
}

static void full_call(Walk *w, gcall *call, bool zeros)
{
    Dtype dtype;
    int rows, cols;
    if (!element_type(w, call, 0, &dtype) || !extent(w, call, 1, &rows) || !extent(w, call, 2, &cols))
        return;
    Value *tile =
        value_new_op(w, OP_FULL, stmt_location(call), type_tile(dtype, rows, cols), result_name(call), 0, NULL);
    tree constant = zeros ? NULL_TREE : constant_of(gimple_call_arg(call, 3));
    if (constant)
        tile->def->tile->value = value_of(w, constant)->def->scalar->real;
    else if (!zeros)
        tile = full_of(w, call, dtype, tile);
    set_result(w, call, tile);
}

static void index_call(Walk *w, gcall *call, Opcode code)
{
    int rows, cols;
    if (extent(w, call, 0, &rows) && extent(w, call, 1, &cols))
        set_result(w, call, make(w, call, code, type_tile(D_I32, rows, cols), 0, 0));
}

static void cast_call(Walk *w, gcall *call, Opcode code)
{
    Dtype dtype;
    if (element_type(w, call, 1, &dtype))
        set_result(w, call, make(w, call, code, type_tile(dtype, 0, 0), 0, 1));
}

static void splat_call(Walk *w, gcall *call)
{
    Value *scalar = value_of_argument(w, gimple_call_arg(call, 0));
    set_result(w, call, value_new_op(w, OP_SPLAT, stmt_location(call), TYPE_TO_INFER, result_name(call), 1, &scalar));
}

static void read_call(Walk *w, gcall *call, Opcode code)
{
    set_result(w, call, make(w, call, code, type_scalar(code == OP_AT ? D_I64 : D_F64), 0, 2));
}

static void tile_call(Walk *w, gcall *call, Opcode code)
{
    set_result(w, call, make(w, call, code, TYPE_TO_INFER, 0, (int)gimple_call_num_args(call)));
}

/* ---- which operation --------------------------------------------------------------------------------------------- */

static void operation_call(Walk *w, gcall *call, const Operation &operation)
{
    switch (op_info[operation.code].class_) {
    case CLASS_READ:
        read_call(w, call, operation.code);
        return;
    case CLASS_LOAD:
        load_call(w, call, operation);
        return;
    case CLASS_STORE:
        if (operation.code == OP_PRINT)
            show_call(w, call);
        else
            store_call(w, call, operation);
        return;
    default:
        break;
    }
    if (operation.code == OP_FULL)
        full_call(w, call, false);
    else if (operation.code == OP_CAST || operation.code == OP_BITCAST)
        cast_call(w, call, operation.code);
    else if (operation.code == OP_ROW_INDEX || operation.code == OP_COL_INDEX)
        index_call(w, call, operation.code);
    else
        tile_call(w, call, operation.code);
}

/* False: not a function of tiles.  */
static bool ws_call(Walk *w, gcall *call, const char *name)
{
    Operation operation = {};
    if (show_value_call(w, call, name))
        return true;
    if (!strcmp(name, "zeros"))
        full_call(w, call, true);
    else if (!strcmp(name, "scalar_i") || !strcmp(name, "scalar_f"))
        splat_call(w, call);
    else if (is_tensor_constructor(name))
        tensor_statement(w, call, name);
    else if (operation_named(name, &operation))
        operation_call(w, call, operation);
    else
        return false;
    return true;
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static bool takes_complex(tree fndecl)
{
    tree types = TYPE_ARG_TYPES(TREE_TYPE(fndecl));
    return types && TREE_CODE(TREE_VALUE(types)) == COMPLEX_TYPE;
}

static void refuse_call(Walk *w, gcall *call, tree fndecl)
{
    location_t where = stmt_location(call);
    if (!fndecl) {
        complain(where, "call the function by its name", "a call through a pointer in a grid");
    } else if (fndecl_built_in_p(fndecl, BUILT_IN_STACK_SAVE) || fndecl_built_in_p(fndecl, BUILT_IN_STACK_RESTORE)) {
        return; /* around an array of variable length */
    } else if (fndecl_built_in_p(fndecl, BUILT_IN_ALLOCA_WITH_ALIGN)) {
        complain(where, "let the caller hand it in, and read it with ws_at or ws_at_float",
                 "an array of variable length in a grid");
    } else if (gimple_has_body_p(fndecl)) {
        location_t cycle = bind_recursion(fndecl);
        complain(cycle != UNKNOWN_LOCATION ? cycle : where, "write it as a loop",
                 "the function %qD calls itself, and a grid takes in every function that it calls", fndecl);
    } else if (!strncmp(IDENTIFIER_POINTER(DECL_NAME(fndecl)), "ws_", 3)) {
        complain(where, "ws.h lists the operations; make one of your own of these, as a function in this file",
                 "there is no operation %qD", fndecl);
    } else if (fndecl_built_in_p(fndecl, BUILT_IN_PRINTF) || fndecl_built_in_p(fndecl, BUILT_IN_PUTS) ||
               fndecl_built_in_p(fndecl, BUILT_IN_PUTCHAR)) {
        complain(where, "print a number with ws_print_value(\"x\", x), a tile with ws_print(\"x\", x)",
                 "a grid cannot call %qD", fndecl);
    } else if (takes_complex(fndecl)) {
        w->failed = true;
        complain(where, "compute it of creal and cimag; cabs, carg, cexp and conj are there",
                 "a grid cannot call %qD, a function of complex numbers", fndecl);
    } else {
        complain(where, "define it in this file, or compute its result before the grid",
                 "the function %qD has no body here, and a grid takes in every function that it calls", fndecl);
    }
}

static bool lost_result(gcall *call, tree fndecl, const char *name)
{
    tree type = TREE_TYPE(TREE_TYPE(fndecl));
    if (gimple_call_lhs(call) || (!is_tile_type(type) && !is_tensor_type(type)))
        return false;
    const char *user = arena_print(plugin.module, "ws_%s", name);
    complain(stmt_location(call), "a tile is never changed in place: assign the result", "the result of %qs is lost",
             user);
    return true;
}

static bool stored_handle(Walk *w, gcall *call)
{
    tree lhs = gimple_call_lhs(call);
    if (!lhs || TREE_CODE(lhs) == SSA_NAME || array_of(lhs))
        return false;
    memory_check_store(w, call);
    return true;
}

/* A call of the region.  */
void call_statement(Walk *w, gcall *call)
{
    char buffer[64];
    tree fndecl = gimple_call_fndecl(call);
    w->where = stmt_location(call);
    if (pragma_of_stmt(call) || gimple_call_builtin_p(call, BUILT_IN_UNREACHABLE) || value_call(w, call))
        return;
    const char *name = fndecl ? ws_name(fndecl, buffer, sizeof buffer) : NULL;
    if (name && data_is_call(name)) {
        complain(stmt_location(call), "put it around the grid, or behind it", "arrays are copied in a grid");
        w->failed = true;
        return;
    }
    if (name && devices_is_call(name)) {
        devices_refuse(stmt_location(call));
        w->failed = true;
        return;
    }
    bool failed = w->failed;
    w->failed = true;
    if (fndecl && (refuse_marked(call, fndecl) || (name && lost_result(call, fndecl, name)))) {
        tree lhs = gimple_call_lhs(call);
        if (lhs && TREE_CODE(lhs) == SSA_NAME)
            value_set(w, lhs, value_anything(w, TREE_TYPE(lhs)));
        return;
    }
    w->failed = failed;
    if (name && stored_handle(w, call))
        return;
    if (!name || !ws_call(w, call, name)) {
        w->failed = true;
        refuse_call(w, call, fndecl);
    }
    tree lhs = gimple_call_lhs(call);
    if (w->failed && lhs && TREE_CODE(lhs) == SSA_NAME && !w->values.get(lhs) && !is_tensor_type(TREE_TYPE(lhs)))
        value_set(w, lhs, value_anything(w, TREE_TYPE(lhs)));
}
