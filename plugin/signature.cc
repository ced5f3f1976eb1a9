/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * signature.cc - what a caller in another language has to know of the functions of this unit, as text
 * (-fplugin-arg-wsc-signatures).
 *
 *   void gemm (int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)          one line of JSON:
 *
 *   {"name": "gemm", "returns": "void", "parameters": [{"name": "M", "type": "i32"}, ...,
 *     {"name": "A", "type": "f16", "const": true, "views": [{"type": "f16", "shape": ["M", "K"], "strides": ["K",
 *     "1"]}]}, ...]}
 *
 * Types come from the declaration.  A view says what memory behind a pointer is taken for: by the declaration, float
 * A[M][K], or by a tensor of a region, ws_tensor_2d (A, WS_F16, M, K).  Numbers are sums and products of parameters and
 * constants, null where they are anything else.
 */
#include "plugin.h"
#include "rules.h"

struct Parameter {
    const char *name, *type; /* the type that a pointer is to; NULL: no caller elsewhere has it */
    bool pointer, is_const;
    bool declared;     /* the views are the declaration's */
    const char *views; /* elements of a JSON array */
};
struct Signature {
    unsigned uid;
    const char *name, *returns;
    int nparameters;
    Parameter *parameters;
};
static vec<Signature> signatures = vNULL;

static Module *texts(void)
{
    return plugin.module;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* By that name, or by another that was made for it.  */
static bool is_named(tree type, const char *name)
{
    for (int i = 0; i < 16 && type && TYPE_NAME(type); i++) {
        tree decl = TYPE_NAME(type);
        if (TREE_CODE(decl) != TYPE_DECL || !DECL_NAME(decl))
            return false;
        if (!strcmp(IDENTIFIER_POINTER(DECL_NAME(decl)), name))
            return true;
        type = DECL_ORIGINAL_TYPE(decl);
    }
    return false;
}

static const char *element_of(tree type)
{
    static const char *const stored[] = {"ws_f16", "ws_bf16", "ws_e4m3", "ws_e5m2"};
    if (VOID_TYPE_P(type))
        return "void";
    if (TREE_CODE(type) == BOOLEAN_TYPE)
        return "bool";
    if (INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) <= 64)
        return arena_print(texts(), "%c%d", TYPE_UNSIGNED(type) ? 'u' : 'i', (int)tree_to_shwi(TYPE_SIZE(type)));
    if (TREE_CODE(type) == REAL_TYPE) {
        if (TYPE_MODE(type) == TYPE_MODE(float_type_node))
            return "f32";
        if (TYPE_MODE(type) == TYPE_MODE(double_type_node))
            return "f64";
        return TYPE_PRECISION(type) != 16 ? NULL : REAL_MODE_FORMAT(TYPE_MODE(type))->p == 8 ? "bf16" : "f16";
    }
    for (unsigned i = 0; TREE_CODE(type) == RECORD_TYPE && i < ARRAY_SIZE(stored); i++)
        if (is_named(type, stored[i]))
            return stored[i] + 3;
    return NULL;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* In parentheses where it is more than a word; NULL: not a sum or product of parameters.  */
static const char *number_of(tree expression, int depth)
{
    while (CONVERT_EXPR_P(expression) || TREE_CODE(expression) == SAVE_EXPR || TREE_CODE(expression) == NON_LVALUE_EXPR)
        expression = TREE_OPERAND(expression, 0);
    if (TREE_CODE(expression) == PARM_DECL && DECL_NAME(expression))
        return IDENTIFIER_POINTER(DECL_NAME(expression));
    if (TREE_CODE(expression) == INTEGER_CST)
        return arena_print(texts(), "%ld", (long)TREE_INT_CST_LOW(expression));
    const char *sign = TREE_CODE(expression) == PLUS_EXPR    ? "+"
                       : TREE_CODE(expression) == MINUS_EXPR ? "-"
                       : TREE_CODE(expression) == MULT_EXPR  ? "*"
                                                             : NULL;
    if (!sign || depth > 8)
        return NULL;
    const char *left = number_of(TREE_OPERAND(expression, 0), depth + 1);
    const char *right = number_of(TREE_OPERAND(expression, 1), depth + 1);
    return left && right ? arena_print(texts(), "(%s %s %s)", left, sign, right) : NULL;
}

/* The number of elements of an array type, from the largest index.  */
static const char *extent_of(tree type)
{
    tree last = TYPE_DOMAIN(type) ? TYPE_MAX_VALUE(TYPE_DOMAIN(type)) : NULL_TREE;
    if (!last)
        return NULL;
    while (CONVERT_EXPR_P(last) || TREE_CODE(last) == SAVE_EXPR)
        last = TREE_OPERAND(last, 0);
    if (TREE_CODE(last) == INTEGER_CST)
        return arena_print(texts(), "%ld", (long)TREE_INT_CST_LOW(last) + 1);
    if (TREE_CODE(last) == PLUS_EXPR && integer_minus_onep(TREE_OPERAND(last, 1)))
        return number_of(TREE_OPERAND(last, 0), 0);
    if (TREE_CODE(last) == MINUS_EXPR && integer_onep(TREE_OPERAND(last, 1)))
        return number_of(TREE_OPERAND(last, 0), 0);
    const char *text = number_of(last, 0);
    return text ? arena_print(texts(), "(%s + 1)", text) : NULL;
}

static const char *quoted(const char *number)
{
    return number ? arena_print(texts(), "\"%s\"", number) : "null";
}

static const char *view_text(const char *type, int rank, const char *const *extents, const char *const *strides)
{
    const char *shape = "", *steps = "";
    for (int i = 0; i < rank; i++) {
        shape = arena_print(texts(), "%s%s%s", shape, i ? ", " : "", quoted(extents[i]));
        steps = arena_print(texts(), "%s%s%s", steps, i ? ", " : "", strides ? quoted(strides[i]) : "null");
    }
    return arena_print(texts(), "{\"type\": \"%s\", \"shape\": [%s], \"strides\": [%s]}", type, shape, steps);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* The first bound of an array that is a parameter is no part of its type; GCC keeps it to compare declarations.  */
static const char *first_bound(rdwr_map *bounds, tree fndecl, int position)
{
    attr_access *access = bounds->get((unsigned)position);
    if (!access || !access->internal_p || access->static_p)
        return NULL;
    if (access->minsize && access->minsize != HOST_WIDE_INT_M1U)
        return arena_print(texts(), "%ld", (long)access->minsize);
    if (access->sizarg == UINT_MAX)
        return NULL;
    tree parameter = DECL_ARGUMENTS(fndecl);
    for (unsigned i = 0; parameter && i < access->sizarg; i++)
        parameter = DECL_CHAIN(parameter);
    return parameter ? number_of(parameter, 0) : NULL;
}

/* float (*a)[K], float a[M][K]: the innermost bound is the last.  */
static void declared_view(Parameter *parameter, tree type, const char *bound)
{
    const char *extents[4] = {bound}, *strides[4];
    int rank = 1;
    for (; TREE_CODE(type) == ARRAY_TYPE; type = TREE_TYPE(type)) {
        if (rank == 4 || !(extents[rank] = extent_of(type)))
            return;
        rank++;
    }
    if (rank == 1 && !bound)
        return;
    strides[rank - 1] = "1";
    for (int i = rank - 2; i >= 0; i--)
        strides[i] = strcmp(strides[i + 1], "1") ? arena_print(texts(), "(%s * %s)", extents[i + 1], strides[i + 1])
                                                 : extents[i + 1];
    parameter->views = view_text(parameter->type, rank, extents, strides);
    parameter->declared = true;
}

static void read_parameter(Parameter *parameter, tree decl, const char *bound)
{
    tree type = TREE_TYPE(decl);
    parameter->name = DECL_NAME(decl) ? IDENTIFIER_POINTER(DECL_NAME(decl)) : "";
    parameter->views = "";
    parameter->pointer = POINTER_TYPE_P(type);
    if (parameter->pointer) {
        tree to = type = TREE_TYPE(type);
        while (TREE_CODE(type) == ARRAY_TYPE)
            type = TREE_TYPE(type);
        parameter->is_const = TYPE_READONLY(type);
        parameter->type = element_of(type);
        if (parameter->type)
            declared_view(parameter, to, bound);
        return;
    }
    const char *element = element_of(type);
    bool scalar = element && (INTEGRAL_TYPE_P(type) || !strcmp(element, "f32") || !strcmp(element, "f64"));
    parameter->type = scalar ? element : NULL;
}

/* A function that is defined here and can be called from elsewhere; before its body is rewritten.  */
void signature_function(tree fndecl)
{
    if (!plugin.signatures || !TREE_PUBLIC(fndecl) || DECL_DECLARED_INLINE_P(fndecl) ||
        MAIN_NAME_P(DECL_NAME(fndecl)) || in_system_header_at(DECL_SOURCE_LOCATION(fndecl)))
        return;
    tree result = TREE_TYPE(TREE_TYPE(fndecl));
    Signature signature = {DECL_UID(fndecl), IDENTIFIER_POINTER(DECL_NAME(fndecl)), element_of(result), 0, NULL};
    if (is_named(result, "ws_status"))
        signature.returns = "status";
    for (tree decl = DECL_ARGUMENTS(fndecl); decl; decl = DECL_CHAIN(decl))
        signature.nparameters++;
    signature.parameters = (Parameter *)arena_alloc(texts(), (signature.nparameters + 1) * sizeof(Parameter));
    rdwr_map bounds;
    init_attr_rdwr_indices(&bounds, TYPE_ATTRIBUTES(TREE_TYPE(fndecl)));
    int position = 0;
    for (tree decl = DECL_ARGUMENTS(fndecl); decl; decl = DECL_CHAIN(decl), position++)
        read_parameter(&signature.parameters[position], decl, first_bound(&bounds, fndecl, position));
    signatures.safe_push(signature);
}

/* ---- tensors of regions ------------------------------------------------------------------------------------------ */

/* Which parameter of the function a value of the prologue is, or -1.  */
static int parameter_of(const Walk *w, const Value *value)
{
    for (unsigned i = 0; i < w->livein.length(); i++) {
        tree expression = w->livein[i].expression;
        if (w->livein[i].value != value || TREE_CODE(expression) != SSA_NAME || !SSA_NAME_IS_DEFAULT_DEF(expression))
            continue;
        int position = 0;
        for (tree decl = DECL_ARGUMENTS(w->fn->decl); decl; decl = DECL_CHAIN(decl), position++)
            if (SSA_NAME_VAR(expression) == decl)
                return position;
    }
    return -1;
}

static const char *number_of_value(const Walk *w, const Signature &signature, const Value *value, int depth)
{
    int64_t constant;
    if (ir_constant(value, &constant))
        return arena_print(texts(), "%ld", (long)constant);
    if (!value->def) {
        int position = parameter_of(w, value);
        return position < 0 ? NULL : signature.parameters[position].name;
    }
    if (depth > 8)
        return NULL;
    if (value->def->code == OP_SCALAR_CONVERT)
        return number_of_value(w, signature, value->def->args[0], depth + 1);
    const char *sign = value->def->code == OP_SCALAR_ADD   ? "+"
                       : value->def->code == OP_SCALAR_SUB ? "-"
                       : value->def->code == OP_SCALAR_MUL ? "*"
                                                           : NULL;
    if (!sign || value->def->nargs != 2)
        return NULL;
    const char *left = number_of_value(w, signature, value->def->args[0], depth + 1);
    const char *right = number_of_value(w, signature, value->def->args[1], depth + 1);
    return left && right ? arena_print(texts(), "(%s %s %s)", left, sign, right) : NULL;
}

static void tensor_view(const Walk *w, const Signature &signature, const Op *op)
{
    int position = parameter_of(w, op->args[0]);
    if (position < 0 || signature.parameters[position].declared)
        return;
    Parameter *parameter = &signature.parameters[position];
    const Type type = op->results[0]->type;
    const char *extents[4], *strides[4];
    int rank = (op->nargs - 1) / 2;
    for (int i = 0; i < rank; i++) {
        extents[i] = number_of_value(w, signature, op->args[1 + i], 0);
        strides[i] = number_of_value(w, signature, op->args[1 + rank + i], 0);
    }
    const char *view = view_text(ws_rule_dtype_name(type.dtype), rank, extents, strides);
    if (!strstr(parameter->views, view))
        parameter->views = *parameter->views ? arena_print(texts(), "%s, %s", parameter->views, view) : view;
}

void signature_region(const Walk *w)
{
    for (unsigned i = 0; i < signatures.length(); i++)
        if (signatures[i].uid == DECL_UID(w->fn->decl))
            for (const Op *op = w->kernel->body->first; op; op = op->next)
                if (op->code == OP_TENSOR)
                    tensor_view(w, signatures[i], op);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void write_signature(FILE *out, const Signature &signature)
{
    fprintf(out, "{\"name\": \"%s\", \"returns\": %s, \"parameters\": [", signature.name, quoted(signature.returns));
    for (int i = 0; i < signature.nparameters; i++) {
        const Parameter &parameter = signature.parameters[i];
        fprintf(out, "%s{\"name\": \"%s\", \"type\": %s, \"pointer\": %s, \"const\": %s, \"views\": [%s]}",
                i ? ", " : "", parameter.name, quoted(parameter.type), truth(parameter.pointer),
                truth(parameter.is_const), parameter.views);
    }
    fprintf(out, "]}\n");
}

void signature_write(void)
{
    FILE *out = plugin.signatures && !seen_error() ? fopen(plugin.signatures, "w") : NULL;
    for (unsigned i = 0; out && i < signatures.length(); i++)
        write_signature(out, signatures[i]);
    if (plugin.signatures && !seen_error() && (!out || fclose(out)))
        error_at(UNKNOWN_LOCATION, "cannot write %qs: %m", plugin.signatures);
}
