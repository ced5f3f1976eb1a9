/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma-extent.cc - expressions in a pragma: how many elements of an array there are, and which stay on the device;
 * where tiles begin.
 *
 *   #pragma ws grid(1) extent(x: n * m)
 *   #pragma ws grid(2) order(from(r * rows))
 *   #pragma ws data copy(x[0:n]) copyin(y)
 *
 * They are expressions of the program, so each becomes an argument of the pragma's marker.
 */
#include "pragma.h"

/* ---- extents ----------------------------------------------------------------------------------------------------- */

/* What a marker hands on besides its pragma's number: pointers, and how many bytes there are behind each.  */
vec<tree> marker_arguments = vNULL;

static tree size_sum(Tokens *t);

/* What is said where it is made of anything else.  */
static const char *made_of_integers = "an extent is made of integers";

static tree wide(tree x)
{
    return fold_convert(long_integer_type_node, x);
}

static tree declared(Tokens *t)
{
    tree decl = lookup_name(t->value);
    if (!decl) {
        if (!t->failed)
            complain(t->where, NULL, "%qs is not declared", word_of(t));
        t->failed = true;
        return NULL_TREE;
    }
    TREE_USED(decl) = 1;
    if (VAR_P(decl))
        DECL_READ_P(decl) = 1;
    return decl;
}

static tree size_primary(Tokens *t)
{
    if (accept_token(t, CPP_OPEN_PAREN)) {
        tree inner = size_sum(t);
        expect_token(t, CPP_CLOSE_PAREN, "expected ')'");
        return inner;
    }
    if (t->type != CPP_NAME)
        return build_int_cst(long_integer_type_node, constant_primary(t));
    tree decl = declared(t);
    if (!decl)
        return integer_zero_node;
    tree value = TREE_CODE(decl) == CONST_DECL ? DECL_INITIAL(decl) : decl;
    if (!INTEGRAL_TYPE_P(TREE_TYPE(value)) || TREE_CODE(decl) == FUNCTION_DECL || TREE_CODE(decl) == TYPE_DECL) {
        wrong_token(t, "compute it in a variable before the pragma", made_of_integers);
        return integer_zero_node;
    }
    next_token(t);
    return wide(value);
}

static tree size_product(Tokens *t)
{
    tree result = size_primary(t);
    while (!t->failed && (t->type == CPP_MULT || t->type == CPP_DIV || t->type == CPP_MOD)) {
        enum tree_code code = t->type == CPP_MULT ? MULT_EXPR : t->type == CPP_DIV ? TRUNC_DIV_EXPR : TRUNC_MOD_EXPR;
        next_token(t);
        result = build2(code, long_integer_type_node, result, size_primary(t));
    }
    return result;
}

static tree size_sum(Tokens *t)
{
    tree result = size_product(t);
    while (!t->failed && (t->type == CPP_PLUS || t->type == CPP_MINUS)) {
        enum tree_code code = t->type == CPP_PLUS ? PLUS_EXPR : MINUS_EXPR;
        next_token(t);
        result = build2(code, long_integer_type_node, result, size_product(t));
    }
    return result;
}

/* In front of the loop, to which the marker goes.  */
static tree computed_here(location_t where, tree value)
{
    tree var = build_decl(where, VAR_DECL, NULL_TREE, long_integer_type_node);
    DECL_ARTIFICIAL(var) = DECL_IGNORED_P(var) = TREE_USED(var) = DECL_READ_P(var) = 1;
    DECL_CONTEXT(var) = current_function_decl;
    pushdecl(var);
    add_stmt(build1_loc(where, DECL_EXPR, void_type_node, var));
    add_stmt(build2_loc(where, INIT_EXPR, long_integer_type_node, var, value));
    return var;
}

/* extent(x: n): x[0] to x[n - 1] are there.  */
void clause_extent(Tokens *t, Pragma *)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'extent': an array, ':', and how many elements it has");
    do {
        if (t->type != CPP_NAME)
            wrong_token(t, "write extent(x: n)", "expected the name of a pointer or an array");
        tree decl = t->failed ? NULL_TREE : declared(t);
        if (!decl)
            return;
        tree type = TREE_TYPE(decl);
        if ((TREE_CODE(type) != POINTER_TYPE && TREE_CODE(type) != ARRAY_TYPE) || !COMPLETE_TYPE_P(TREE_TYPE(type))) {
            wrong_token(t, "write extent(x: n)", "an extent is that of a pointer or an array");
            return;
        }
        location_t where = t->where;
        next_token(t);
        expect_token(t, CPP_COLON, "expected ':' after the array's name");
        tree count = size_sum(t);
        if (t->failed)
            return;
        if (TREE_CODE(type) == ARRAY_TYPE)
            TREE_ADDRESSABLE(decl) = 1;
        marker_arguments.safe_push(TREE_CODE(type) == ARRAY_TYPE ? build_fold_addr_expr(decl) : decl);
        tree bytes =
            build2(MULT_EXPR, long_integer_type_node, count, wide(unshare_expr(TYPE_SIZE_UNIT(TREE_TYPE(type)))));
        marker_arguments.safe_push(computed_here(where, bytes));
    } while (accept_token(t, CPP_COMMA));
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the array's extent");
}

/* order(from(x)): the value of the first loop's variable at which tiles begin.  */
void clause_from(Tokens *t, Pragma *pragma)
{
    location_t where = t->where;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'from': where tiles begin");
    made_of_integers = "where tiles begin is made of integers";
    tree value = size_sum(t);
    made_of_integers = "an extent is made of integers";
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after where tiles begin");
    if (!t->failed)
        pragma->from = computed_here(where, value);
}

/* ---- arrays that stay on the device ------------------------------------------------------------------------------ */

/* lo:n of x[lo:n], in elements of the type.  */
static void read_section(Tokens *t, tree element, tree *first, tree *bytes)
{
    tree low = t->type == CPP_COLON ? build_int_cst(long_integer_type_node, 0) : size_sum(t);
    expect_token(t, CPP_COLON, "expected ':' of a section: x[first:count]");
    tree count = t->failed ? integer_zero_node : size_sum(t);
    expect_token(t, CPP_CLOSE_SQUARE, "expected ']' behind the section");
    tree size = wide(unshare_expr(TYPE_SIZE_UNIT(element)));
    *first = build2(MULT_EXPR, long_integer_type_node, low, unshare_expr(size));
    *bytes = build2(MULT_EXPR, long_integer_type_node, wide(count), unshare_expr(size));
}

/* x[0:n][0:m]: what stands behind the first section is all of the rows.  */
static void skip_sections(Tokens *t)
{
    while (accept_token(t, CPP_OPEN_SQUARE)) {
        tree first, bytes;
        read_section(t, char_type_node, &first, &bytes);
        int64_t low = 1;
        if (!t->failed && (!tree_fits_shwi_p(fold(first)) || (low = tree_to_shwi(fold(first))) != 0))
            wrong_token(t, "copy whole rows: x[0:n][0:m]", "only the first subscript has a section");
    }
}

struct Array {
    tree base, first, bytes;
    const char *name;
};

/* x[0:n], or an array whose size is known; false after an error.  */
static bool read_array(Tokens *t, Array *array)
{
    if (t->type != CPP_NAME)
        wrong_token(t, "write copy(x[0:n])", "expected the name of a pointer or an array");
    location_t where = t->where;
    tree decl = t->failed ? NULL_TREE : declared(t);
    if (!decl)
        return false;
    tree type = TREE_TYPE(decl);
    bool pointer = TREE_CODE(type) == POINTER_TYPE;
    if ((!pointer && TREE_CODE(type) != ARRAY_TYPE) || !COMPLETE_TYPE_P(TREE_TYPE(type))) {
        wrong_token(t, "write copy(x[0:n])", "what is copied is an array");
        return false;
    }
    array->name = arena_print(plugin.module, "%s", word_of(t));
    next_token(t);
    array->first = build_int_cst(long_integer_type_node, 0);
    if (accept_token(t, CPP_OPEN_SQUARE)) {
        read_section(t, TREE_TYPE(type), &array->first, &array->bytes);
        skip_sections(t);
    } else if (pointer || !COMPLETE_TYPE_P(type)) {
        t->where = where;
        wrong_token(t, "write copy(x[0:n])", "how long the array is the pointer does not tell");
    } else {
        array->bytes = wide(unshare_expr(TYPE_SIZE_UNIT(type)));
    }
    if (t->failed)
        return false;
    if (!pointer)
        TREE_ADDRESSABLE(decl) = 1;
    array->base = pointer ? decl : build_fold_addr_expr(decl);
    array->first = computed_here(where, array->first);
    array->bytes = computed_here(where, array->bytes);
    return true;
}

static tree text_of(const char *name)
{
    return build_string_literal(strlen(name) + 1, name);
}

static void read_arrays(Tokens *t, const Pragma *pragma, int kind)
{
    Array array;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' and arrays: x[0:n]");
    do {
        if (t->failed || !read_array(t, &array))
            return;
        if (!pragma) {
            tree call = data_update(t->where, kind, array.base, array.first, array.bytes, text_of(array.name));
            if (plugin.target != TARGET_SEQUENTIAL)
                add_stmt(call);
            continue;
        }
        marker_arguments.safe_push(build_int_cst(integer_type_node, kind));
        marker_arguments.safe_push(array.base);
        marker_arguments.safe_push(array.first);
        marker_arguments.safe_push(array.bytes);
        marker_arguments.safe_push(text_of(array.name));
    } while (accept_token(t, CPP_COMMA));
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' behind the arrays");
}

static int choice_of(const Tokens *t, const char *const *choices)
{
    int i = 0;
    while (choices[i] && strcmp(choices[i], word_of(t)))
        i++;
    return choices[i] ? i : -1;
}

/* data copy(x[0:n]) copyin(y): OpenACC's words and what they mean there.  */
void read_data(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"copy", "copyin", "copyout", "create", "present", NULL};
    pragma->is_data = true;
    if (t->type == CPP_EOF)
        wrong_token(t, "write data copy(x[0:n])", "'data' names no array");
    while (!t->failed && t->type != CPP_EOF) {
        int kind = choice_of(t, choices);
        if (kind < 0) {
            unknown_word(t, "a clause of 'data'", choices, "the clauses are copy, copyin, copyout, create and present");
            return;
        }
        next_token(t);
        read_arrays(t, pragma, kind);
    }
}

/* update host(x[0:n]) device(y[0:n]): copies at once.  */
void read_update(Tokens *t)
{
    static const char *const choices[] = {"device", "host", NULL};
    if (t->type == CPP_EOF)
        wrong_token(t, "write update host(x[0:n])", "'update' names no array");
    while (!t->failed && t->type != CPP_EOF) {
        int kind = choice_of(t, choices);
        if (kind < 0) {
            unknown_word(t, "a clause of 'update'", choices, "the clauses are host and device");
            return;
        }
        next_token(t);
        read_arrays(t, NULL, kind);
    }
}
