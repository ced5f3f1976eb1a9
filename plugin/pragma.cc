/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.cc - #pragma ws: clauses and their constants.
 *
 *   #pragma ws pipeline(STAGES, 2) schedule(fine)        ws_pragma_ (7);      record 7: depth 4, in flight 2, fine
 *   for (...)                                            for (...)
 *
 * Tokens arrive macro-expanded.  There is no expression parser to call, so constants have a small one here.  A pragma
 * that parses leaves a marker call in the function, which bind.cc moves into the loop below; one that does not leaves
 * an error.
 *
 * Below a directive of OpenMP the parser takes a loop and nothing else, not even a pragma that has a handler.  So such
 * a pragma is handled where the lexer meets it, and the parser sees none.
 */
#include "plugin.h"

static tree marker_decl; /* void ws_pragma_ (int) */
static vec<Pragma> pragmas = vNULL;

Pragma *pragma_at(unsigned index)
{
    return index < pragmas.length() ? &pragmas[index] : NULL;
}

unsigned pragma_count(void)
{
    return pragmas.length();
}

static Pragma *pragma_of_argument(tree fndecl, tree argument)
{
    if (!marker_decl || fndecl != marker_decl || !argument || TREE_CODE(argument) != INTEGER_CST)
        return NULL;
    return pragma_at((unsigned)tree_to_uhwi(argument));
}

const char *pragma_text(const Pragma *pragma)
{
    return pragma->is_grid           ? "grid"
           : pragma->is_devices      ? "devices"
           : pragma->is_together     ? "together"
           : pragma->is_data         ? "data"
           : pragma->is_task         ? "task"
           : pragma->pipeline.parts  ? "parts"
           : pragma->pipeline.blocks ? "blocks"
                                     : "pipeline";
}

Pragma *pragma_of_tree(tree expression)
{
    if (!expression || TREE_CODE(expression) != CALL_EXPR || call_expr_nargs(expression) < 1)
        return NULL;
    return pragma_of_argument(get_callee_fndecl(expression), CALL_EXPR_ARG(expression, 0));
}

Pragma *pragma_of_stmt(const gimple *stmt)
{
    if (!is_gimple_call(stmt) || gimple_call_num_args(stmt) < 1)
        return NULL;
    return pragma_of_argument(gimple_call_fndecl(stmt), gimple_call_arg(stmt, 0));
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

struct Tokens {
    enum cpp_ttype type;
    tree value;
    location_t where;
    bool failed;
};

static bool parser_is_lexing; /* so tokens come from the lexer itself */

/* The pragma's tokens, and where it is read again; -1: it is read for the first time.  */
static vec<Tokens> recorded = vNULL;
static int replayed = -1;

static void lex(Tokens *t)
{
    t->value = NULL_TREE;
    unsigned char flags;
    t->type = parser_is_lexing ? c_lex_with_flags(&t->value, &t->where, &flags, 0) : pragma_lex(&t->value, &t->where);
    t->type = t->type == CPP_PRAGMA_EOL ? CPP_EOF : t->type;
}

static void next(Tokens *t)
{
    bool failed = t->failed;
    if (replayed < 0) {
        lex(t);
        recorded.safe_push(*t);
    } else {
        *t = recorded[(unsigned)replayed];
        replayed += (unsigned)replayed + 1 < recorded.length();
    }
    t->failed = failed;
}

static void wrong(Tokens *t, const char *remedy, const char *sentence)
{
    if (!t->failed)
        complain(t->where, remedy, "%s", sentence);
    t->failed = true;
}

static bool accept(Tokens *t, enum cpp_ttype type)
{
    if (t->failed || t->type != type)
        return false;
    next(t);
    return true;
}

static void expect(Tokens *t, enum cpp_ttype type, const char *what)
{
    if (!accept(t, type))
        wrong(t, NULL, what);
}

static const char *word(const Tokens *t)
{
    return t->type == CPP_NAME && t->value ? IDENTIFIER_POINTER(t->value) : "";
}

/* An unknown word in a place where one of a few is meant.  */
static void unknown(Tokens *t, const char *place, const char *const *choices, const char *remedy)
{
    if (t->failed)
        return;
    t->failed = true;
    if (t->type != CPP_NAME) {
        complain(t->where, remedy, "expected %s", place);
        return;
    }
    auto_vec<const char *> candidates;
    for (; *choices; choices++)
        candidates.safe_push(*choices);
    const char *close = find_closest_string(word(t), &candidates);
    auto_diagnostic_group group;
    gcc_rich_location rich(t->where);
    if (close) {
        rich.add_fixit_replace(close);
        error_at(&rich, "%qs is not %s; did you mean %qs?", word(t), place, close);
    } else {
        error_at(&rich, "%qs is not %s", word(t), place);
    }
    inform(t->where, "%s", remedy);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static int64_t sum(Tokens *t);

/* An enumerator, or a variable that is const and has a constant for its value.  */
static int64_t named_constant(Tokens *t)
{
    tree decl = lookup_name(t->value);
    tree value = NULL_TREE;
    if (decl && TREE_CODE(decl) == CONST_DECL)
        value = DECL_INITIAL(decl);
    else if (decl && VAR_P(decl) && TREE_READONLY(decl) && !TREE_THIS_VOLATILE(decl))
        value = DECL_INITIAL(decl);
    if (value && value != error_mark_node) {
        tree chosen = choice_fold(decl);
        STRIP_NOPS(value);
        value = chosen ? chosen : fold(value);
    }
    if (!value || TREE_CODE(value) != INTEGER_CST) {
        if (!t->failed) {
            auto_diagnostic_group group;
            error_at(t->where, "%qs is not a constant here", word(t));
            inform(t->where, "use a number, a macro, an enumerator or a %<const%> variable with a constant value");
        }
        t->failed = true;
        return 1;
    }
    TREE_USED(decl) = 1;
    if (VAR_P(decl))
        DECL_READ_P(decl) = 1;
    next(t);
    return tree_to_shwi(value);
}

/* ws_choice in the clause itself.  */
static int64_t choice(Tokens *t, bool is_shape)
{
    location_t where = t->where;
    auto_vec<int64_t> values;
    next(t);
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'ws_choice'");
    do
        values.safe_push(sum(t));
    while (accept(t, CPP_COMMA));
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the values");
    return t->failed ? 1 : choice_in_clause(where, is_shape, (int)values.length(), values.address());
}

static int64_t primary(Tokens *t)
{
    int64_t result = 1;
    if (accept(t, CPP_MINUS))
        return -primary(t);
    if (accept(t, CPP_PLUS))
        return primary(t);
    if (accept(t, CPP_OPEN_PAREN)) {
        result = sum(t);
        expect(t, CPP_CLOSE_PAREN, "expected ')'");
        return result;
    }
    if (!strcmp(word(t), "ws_choice_") || !strcmp(word(t), "ws_choice_shape_"))
        return choice(t, !strcmp(word(t), "ws_choice_shape_"));
    if (t->type == CPP_NAME)
        return named_constant(t);
    if ((t->type == CPP_NUMBER || t->type == CPP_CHAR) && t->value && TREE_CODE(t->value) == INTEGER_CST &&
        tree_fits_shwi_p(t->value)) {
        result = tree_to_shwi(t->value);
        next(t);
        return result;
    }
    wrong(t, NULL, "expected an integer constant");
    return result;
}

static int64_t product(Tokens *t)
{
    int64_t result = primary(t);
    while (!t->failed && (t->type == CPP_MULT || t->type == CPP_DIV || t->type == CPP_MOD)) {
        enum cpp_ttype sign = t->type;
        next(t);
        location_t where = t->where;
        int64_t right = primary(t);
        if (sign == CPP_MULT) {
            result *= right;
        } else if (!right) {
            t->where = where;
            wrong(t, NULL, "division by zero in a clause");
        } else {
            result = sign == CPP_DIV ? result / right : result % right;
        }
    }
    return result;
}

static int64_t sum(Tokens *t)
{
    int64_t result = product(t);
    while (!t->failed && (t->type == CPP_PLUS || t->type == CPP_MINUS)) {
        bool minus = t->type == CPP_MINUS;
        next(t);
        int64_t right = product(t);
        result = minus ? result - right : result + right;
    }
    return result;
}

/* A constant in a range, with an error at its first token otherwise.  */
static int number(Tokens *t, const char *what, int lowest, int highest)
{
    location_t where = t->where;
    int64_t result = sum(t);
    if (!t->failed && (result < lowest || result > highest)) {
        t->failed = true;
        complain(where, NULL, "%s is from %d to %d, not %ld", what, lowest, highest, (long)result);
    }
    return (int)result;
}

/* ---- clauses of grid --------------------------------------------------------------------------------------------- */

static void clause_cluster(Tokens *t, Grid *grid)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'cluster'");
    grid->cluster[0] = number(t, "a side of a cluster", 1, 16);
    grid->cluster[1] = accept(t, CPP_COMMA) ? number(t, "a side of a cluster", 1, 16) : 1;
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the cluster's size");
}

static void clause_order(Tokens *t, Grid *grid)
{
    static const char *const choices[] = {"row", "column", "grouped", NULL};
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'order'");
    const char *name = word(t);
    if (!strcmp(name, "row")) {
        grid->order = ORDER_ROW;
    } else if (!strcmp(name, "column")) {
        grid->order = ORDER_COLUMN;
    } else if (!strcmp(name, "grouped")) {
        grid->order = ORDER_GROUPED;
    } else {
        unknown(t, "an order of tiles", choices, "write order(row), order(column) or order(grouped(g))");
        return;
    }
    next(t);
    if (grid->order == ORDER_GROUPED) {
        expect(t, CPP_OPEN_PAREN, "expected '(' after 'grouped'");
        grid->order_group = number(t, "the size of a group", 1, 65536);
        expect(t, CPP_CLOSE_PAREN, "expected ')' after the size of a group");
    }
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the order");
}

static void clause_consumers(Tokens *t, Grid *grid)
{
    static const char *const choices[] = {"rows", "tiles", NULL};
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'consumers'");
    grid->consumers = number(t, "the number of consumer groups", 1, 7);
    if (accept(t, CPP_COMMA)) {
        if (!strcmp(word(t), "rows")) {
            grid->split = SPLIT_ROWS;
        } else if (!strcmp(word(t), "tiles")) {
            grid->split = SPLIT_TILES;
        } else {
            unknown(t, "a way to split work", choices, "write consumers(n, rows) or consumers(n, tiles)");
            return;
        }
        next(t);
    }
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the number of consumer groups");
}

static void clause_registers(Tokens *t, Grid *grid)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'registers'");
    grid->producer_registers = number(t, "a number of registers", 1, 255);
    expect(t, CPP_COMMA, "expected ',': registers(producer, consumer)");
    grid->consumer_registers = number(t, "a number of registers", 1, 255);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the numbers of registers");
}

/* tile(128, 64): iterations of each loop that become one.  */
static void clause_tile(Tokens *t, Grid *grid)
{
    int count = 0;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'tile'");
    do {
        location_t where = t->where;
        int size = number(t, "a side of a tile", 1, 65536);
        if (count == grid->dims && !t->failed) {
            t->failed = true;
            complain(where, "one for each loop of the grid", "more sides of a tile than loops");
        }
        grid->tile[count < 4 ? count : 3] = size;
        count++;
    } while (!t->failed && accept(t, CPP_COMMA));
    if (!t->failed && count < grid->dims)
        wrong(t, "one for each loop of the grid; 1 for those that are not tiled", "fewer sides of a tile than loops");
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the tile's size");
}

static void clause_precision(Tokens *t, Grid *grid)
{
    static const char *const choices[] = {"f32", "tf32", "f16", "bf16", NULL};
    bool known = false;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'precision'");
    for (int i = 0; choices[i]; i++)
        if (!strcmp(word(t), choices[i])) {
            grid->precision = (Precision)i;
            known = true;
        }
    if (!known) {
        unknown(t, "a precision", choices, "write precision(f32), precision(tf32), precision(f16) or precision(bf16)");
        return;
    }
    next(t);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the precision");
}

/* ---- extents ----------------------------------------------------------------------------------------------------- */

/* What a marker hands on besides its pragma's number: pointers, and how many bytes there are behind each.  */
static vec<tree> marker_arguments = vNULL;

static tree size_sum(Tokens *t);

static tree wide(tree x)
{
    return fold_convert(long_integer_type_node, x);
}

static tree declared(Tokens *t)
{
    tree decl = lookup_name(t->value);
    if (!decl) {
        complain(t->where, NULL, "%qs is not declared", word(t));
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
    if (accept(t, CPP_OPEN_PAREN)) {
        tree inner = size_sum(t);
        expect(t, CPP_CLOSE_PAREN, "expected ')'");
        return inner;
    }
    if (t->type != CPP_NAME)
        return build_int_cst(long_integer_type_node, primary(t));
    tree decl = declared(t);
    if (!decl)
        return integer_zero_node;
    tree value = TREE_CODE(decl) == CONST_DECL ? DECL_INITIAL(decl) : decl;
    if (!INTEGRAL_TYPE_P(TREE_TYPE(value)) || TREE_CODE(decl) == FUNCTION_DECL || TREE_CODE(decl) == TYPE_DECL) {
        wrong(t, "compute it in a variable before the pragma", "an extent is made of integers");
        return integer_zero_node;
    }
    next(t);
    return wide(value);
}

static tree size_product(Tokens *t)
{
    tree result = size_primary(t);
    while (!t->failed && (t->type == CPP_MULT || t->type == CPP_DIV)) {
        enum tree_code code = t->type == CPP_MULT ? MULT_EXPR : TRUNC_DIV_EXPR;
        next(t);
        result = build2(code, long_integer_type_node, result, size_primary(t));
    }
    return result;
}

static tree size_sum(Tokens *t)
{
    tree result = size_product(t);
    while (!t->failed && (t->type == CPP_PLUS || t->type == CPP_MINUS)) {
        enum tree_code code = t->type == CPP_PLUS ? PLUS_EXPR : MINUS_EXPR;
        next(t);
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
static void clause_extent(Tokens *t, Pragma *)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'extent': an array, ':', and how many elements it has");
    do {
        if (t->type != CPP_NAME)
            wrong(t, "write extent(x: n)", "expected the name of a pointer or an array");
        tree decl = t->failed ? NULL_TREE : declared(t);
        if (!decl)
            return;
        tree type = TREE_TYPE(decl);
        if ((TREE_CODE(type) != POINTER_TYPE && TREE_CODE(type) != ARRAY_TYPE) || !COMPLETE_TYPE_P(TREE_TYPE(type))) {
            wrong(t, "write extent(x: n)", "an extent is that of a pointer or an array");
            return;
        }
        location_t where = t->where;
        next(t);
        expect(t, CPP_COLON, "expected ':' after the array's name");
        tree count = size_sum(t);
        if (t->failed)
            return;
        if (TREE_CODE(type) == ARRAY_TYPE)
            TREE_ADDRESSABLE(decl) = 1;
        marker_arguments.safe_push(TREE_CODE(type) == ARRAY_TYPE ? build_fold_addr_expr(decl) : decl);
        tree bytes =
            build2(MULT_EXPR, long_integer_type_node, count, wide(unshare_expr(TYPE_SIZE_UNIT(TREE_TYPE(type)))));
        marker_arguments.safe_push(computed_here(where, bytes));
    } while (accept(t, CPP_COMMA));
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the array's extent");
}

/* ---- arrays that stay on the device ------------------------------------------------------------------------------ */

/* lo:n of x[lo:n], in elements of the type.  */
static void read_section(Tokens *t, tree element, tree *first, tree *bytes)
{
    tree low = t->type == CPP_COLON ? build_int_cst(long_integer_type_node, 0) : size_sum(t);
    expect(t, CPP_COLON, "expected ':' of a section: x[first:count]");
    tree count = t->failed ? integer_zero_node : size_sum(t);
    expect(t, CPP_CLOSE_SQUARE, "expected ']' behind the section");
    tree size = wide(unshare_expr(TYPE_SIZE_UNIT(element)));
    *first = build2(MULT_EXPR, long_integer_type_node, low, unshare_expr(size));
    *bytes = build2(MULT_EXPR, long_integer_type_node, wide(count), unshare_expr(size));
}

/* x[0:n][0:m]: what stands behind the first section is all of the rows.  */
static void skip_sections(Tokens *t)
{
    while (accept(t, CPP_OPEN_SQUARE)) {
        tree first, bytes;
        read_section(t, char_type_node, &first, &bytes);
        int64_t low = 1;
        if (!t->failed && (!tree_fits_shwi_p(fold(first)) || (low = tree_to_shwi(fold(first))) != 0))
            wrong(t, "copy whole rows: x[0:n][0:m]", "only the first subscript has a section");
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
        wrong(t, "write copy(x[0:n])", "expected the name of a pointer or an array");
    location_t where = t->where;
    tree decl = t->failed ? NULL_TREE : declared(t);
    if (!decl)
        return false;
    tree type = TREE_TYPE(decl);
    bool pointer = TREE_CODE(type) == POINTER_TYPE;
    if ((!pointer && TREE_CODE(type) != ARRAY_TYPE) || !COMPLETE_TYPE_P(TREE_TYPE(type))) {
        wrong(t, "write copy(x[0:n])", "what is copied is an array");
        return false;
    }
    array->name = arena_print(plugin.module, "%s", word(t));
    next(t);
    array->first = build_int_cst(long_integer_type_node, 0);
    if (accept(t, CPP_OPEN_SQUARE)) {
        read_section(t, TREE_TYPE(type), &array->first, &array->bytes);
        skip_sections(t);
    } else if (pointer || !COMPLETE_TYPE_P(type)) {
        t->where = where;
        wrong(t, "write copy(x[0:n])", "how long the array is the pointer does not tell");
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
    expect(t, CPP_OPEN_PAREN, "expected '(' and arrays: x[0:n]");
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
    } while (accept(t, CPP_COMMA));
    expect(t, CPP_CLOSE_PAREN, "expected ')' behind the arrays");
}

static int choice_of(const Tokens *t, const char *const *choices)
{
    int i = 0;
    while (choices[i] && strcmp(choices[i], word(t)))
        i++;
    return choices[i] ? i : -1;
}

/* data copy(x[0:n]) copyin(y): OpenACC's words and what they mean there.  */
static void read_data(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"copy", "copyin", "copyout", "create", "present", NULL};
    pragma->is_data = true;
    if (t->type == CPP_EOF)
        wrong(t, "write data copy(x[0:n])", "'data' names no array");
    while (!t->failed && t->type != CPP_EOF) {
        int kind = choice_of(t, choices);
        if (kind < 0) {
            unknown(t, "a clause of 'data'", choices, "the clauses are copy, copyin, copyout, create and present");
            return;
        }
        next(t);
        read_arrays(t, pragma, kind);
    }
}

/* update host(x[0:n]) device(y[0:n]): copies at once.  */
static void read_update(Tokens *t)
{
    static const char *const choices[] = {"device", "host", NULL};
    if (t->type == CPP_EOF)
        wrong(t, "write update host(x[0:n])", "'update' names no array");
    while (!t->failed && t->type != CPP_EOF) {
        int kind = choice_of(t, choices);
        if (kind < 0) {
            unknown(t, "a clause of 'update'", choices, "the clauses are host and device");
            return;
        }
        next(t);
        read_arrays(t, NULL, kind);
    }
}

static void clause_share(Tokens *t, Grid *grid)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'share': so many multiprocessors");
    grid->share = number(t, "a number of multiprocessors", 1, 1024);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the number of multiprocessors");
}

static void clause_persistent(Tokens *, Grid *grid)
{
    grid->persistent = grid->persistent_given = true;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static bool reduction_operation(const Tokens *t, bool of_grid, Opcode *op)
{
    if (t->type == CPP_PLUS || t->type == CPP_MINUS)
        *op = OP_ADDI;
    else if (t->type == CPP_MULT)
        *op = OP_MULI;
    else if (!strcmp(word(t), "max"))
        *op = OP_MAXI;
    else if (!strcmp(word(t), "min"))
        *op = OP_MINI;
    else if (of_grid && (t->type == CPP_AND_AND || t->type == CPP_OR_OR))
        *op = t->type == CPP_AND_AND ? OP_ANDI : OP_ORI;
    else
        return false;
    return true;
}

static void read_names(Tokens *t, Opcode op, Reduction **list)
{
    if (t->failed)
        return;
    do {
        if (t->type != CPP_NAME)
            wrong(t, NULL, "expected the name of a variable or an array");
        if (t->failed)
            return;
        tree decl = lookup_name(t->value);
        if (!decl) {
            complain(t->where, NULL, "%qs is not declared", word(t));
            t->failed = true;
            return;
        }
        TREE_USED(decl) = 1;
        if (VAR_P(decl))
            DECL_READ_P(decl) = 1;
        Reduction *reduction = (Reduction *)arena_alloc(plugin.module, sizeof *reduction);
        *reduction = Reduction{op, arena_print(plugin.module, "%s", word(t)), *list};
        *list = reduction;
        next(t);
    } while (accept(t, CPP_COMMA));
}

/* reduction(+: x, y), as OpenMP's.  */
static void read_reduction(Tokens *t, bool of_grid, Reduction **list)
{
    Opcode op;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'reduction'");
    if (!t->failed && !reduction_operation(t, of_grid, &op))
        wrong(t,
              of_grid ? "write reduction(+: sum), with '+', '-', 'max', 'min', '&&' or '||'"
                      : "write reduction(+: sum), with '+', '-', '*', 'max' or 'min'",
              "this is not a reduction");
    if (t->failed)
        return;
    next(t);
    expect(t, CPP_COLON, "expected ':' after the reduction's operation");
    read_names(t, op, list);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the reduction's variables");
}

/* independent(x, y): iterations store different elements.  */
static void clause_independent(Tokens *t, Grid *grid)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'independent'");
    read_names(t, OP_SET_ELEMENT, &grid->independent);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the arrays' names");
}

static void clause_reduction(Tokens *t, Pipeline *pipeline)
{
    read_reduction(t, false, &pipeline->reductions);
}

static void clause_reduction_of_grid(Tokens *t, Grid *grid)
{
    read_reduction(t, true, &grid->reductions);
}

/* ---- clauses of pipeline ----------------------------------------------------------------------------------------- */

static void clause_schedule(Tokens *t, Pipeline *pipeline)
{
    static const char *const choices[] = {"fine", "coarse", "optimal", NULL};
    static const Schedule schedules[] = {SCHEDULE_FINE, SCHEDULE_COARSE, SCHEDULE_OPTIMAL};
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'schedule'");
    for (int i = 0; choices[i]; i++)
        if (!strcmp(word(t), choices[i]))
            pipeline->schedule = schedules[i];
    if (pipeline->schedule == SCHEDULE_AUTO) {
        unknown(t, "a schedule", choices, "write schedule(fine), schedule(coarse) or schedule(optimal)");
        return;
    }
    next(t);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the schedule");
}

static void clause_tile_of_loop(Tokens *t, Pipeline *pipeline)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'tile'");
    pipeline->tile = number(t, "a side of a tile", 1, 65536);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the tile's size");
}

static void clause_pingpong(Tokens *, Pipeline *pipeline)
{
    pipeline->pingpong = true;
}

/* ---- clauses of task --------------------------------------------------------------------------------------------- */

static void clause_groups(Tokens *t, Pragma *pragma)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'groups'");
    pragma->task.groups = number(t, "the number of a task's groups", 1, 7);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the number of groups");
}

static void clause_registers_of_task(Tokens *t, Pragma *pragma)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'registers'");
    pragma->task.registers = number(t, "a number of registers", 1, 255);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the number of registers");
}

/* ring(x, D): of a task any tile in sight, of a pipeline one that its loop is going to declare.  */
static void clause_ring(Tokens *t, Pragma *pragma)
{
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'ring': the tile, and its slots");
    if (t->type != CPP_NAME)
        wrong(t, "write ring(x, 3)", "expected the name of a tile");
    if (t->failed)
        return;
    tree decl = pragma->is_task ? lookup_name(t->value) : NULL_TREE;
    if (pragma->is_task && !decl) {
        complain(t->where, "declare it above the block", "%qs is not declared", word(t));
        t->failed = true;
        return;
    }
    TaskRing *ring = (TaskRing *)arena_alloc(plugin.module, sizeof *ring);
    ring->name = arena_print(plugin.module, "%s", word(t));
    ring->declared = decl ? DECL_SOURCE_LOCATION(decl) : UNKNOWN_LOCATION;
    ring->loc = t->where;
    ring->next = pragma->rings;
    pragma->rings = ring;
    next(t);
    expect(t, CPP_COMMA, "expected ',': ring(tile, slots)");
    ring->slots = number(t, "the number of slots of a ring", 1, 16);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the number of slots");
}

static const char *tile_name(Tokens *t)
{
    if (t->type != CPP_NAME)
        wrong(t, "write share(x, y)", "expected the name of a tile");
    const char *name = arena_print(plugin.module, "%s", word(t));
    if (!t->failed)
        next(t);
    return name;
}

/* share(x, y): any two tiles of the grid.  */
static void clause_share_tiles(Tokens *t, Pragma *pragma)
{
    TileShare *share = (TileShare *)arena_alloc(plugin.module, sizeof *share);
    share->loc = t->where;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'share': two tiles");
    share->names[0] = tile_name(t);
    expect(t, CPP_COMMA, "expected ',': share(tile, tile)");
    share->names[1] = tile_name(t);
    if (!t->failed && !strcmp(share->names[0], share->names[1]))
        wrong(t, "name two tiles", "a tile does not share memory with itself");
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the second tile");
    share->next = pragma->shares;
    pragma->shares = share;
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

/* One clause: its name and what reads the rest of it.  */
struct Clause {
    const char *name;
    void (*grid)(Tokens *, Grid *);
    void (*pipeline)(Tokens *, Pipeline *);
    void (*other)(Tokens *, Pragma *);
};
static const Clause grid_clauses[] = {{"persistent", clause_persistent, NULL, NULL},
                                      {"cluster", clause_cluster, NULL, NULL},
                                      {"order", clause_order, NULL, NULL},
                                      {"consumers", clause_consumers, NULL, NULL},
                                      {"registers", clause_registers, NULL, NULL},
                                      {"tile", clause_tile, NULL, NULL},
                                      {"precision", clause_precision, NULL, NULL},
                                      {"extent", NULL, NULL, clause_extent},
                                      {"share", clause_share, NULL, NULL},
                                      {"reduction", clause_reduction_of_grid, NULL, NULL},
                                      {"independent", clause_independent, NULL, NULL},
                                      {NULL, NULL, NULL, NULL}};
static const Clause pipeline_clauses[] = {{"schedule", NULL, clause_schedule, NULL},
                                          {"pingpong", NULL, clause_pingpong, NULL},
                                          {"tile", NULL, clause_tile_of_loop, NULL},
                                          {"reduction", NULL, clause_reduction, NULL},
                                          {"ring", NULL, NULL, clause_ring},
                                          {"share", NULL, NULL, clause_share_tiles},
                                          {NULL, NULL, NULL, NULL}};
static const Clause task_clauses[] = {{"groups", NULL, NULL, clause_groups},
                                      {"registers", NULL, NULL, clause_registers_of_task},
                                      {"ring", NULL, NULL, clause_ring},
                                      {"share", NULL, NULL, clause_share_tiles},
                                      {NULL, NULL, NULL, NULL}};

static void unknown_clause(Tokens *t, const Clause *clauses, const Pragma *pragma)
{
    const char *choices[16];
    int count = 0;
    for (; clauses->name; clauses++)
        choices[count++] = clauses->name;
    choices[count] = NULL;
    if (pragma->is_grid)
        unknown(t, "a clause of 'grid'", choices,
                "the clauses are persistent, cluster, order, consumers, registers and share; of plain loops tile, "
                "precision, extent, reduction and independent");
    else if (pragma->is_task)
        unknown(t, "a clause of 'task'", choices, "the clauses are groups, registers, ring and share");
    else
        unknown(t, "a clause of 'pipeline'", choices,
                "the clauses are schedule, pingpong, ring and share; of plain loops tile and reduction");
}

static void read_clauses(Tokens *t, const Clause *clauses, Pragma *pragma)
{
    unsigned seen = 0;
    while (!t->failed && t->type != CPP_EOF) {
        const Clause *clause = clauses;
        while (clause->name && strcmp(clause->name, word(t)))
            clause++;
        if (!clause->name) {
            unknown_clause(t, clauses, pragma);
            return;
        }
        unsigned bit = 1u << (clause - clauses);
        if (seen & bit && strcmp(clause->name, "reduction") && strcmp(clause->name, "ring") &&
            strcmp(clause->name, "extent") && strcmp(clause->name, "independent") &&
            (pragma->is_grid || strcmp(clause->name, "share"))) {
            wrong(t, "remove one of them", "this clause is given twice");
            return;
        }
        seen |= bit;
        next(t);
        if (clause->grid)
            clause->grid(t, &pragma->grid);
        else if (clause->other)
            clause->other(t, pragma);
        else
            clause->pipeline(t, &pragma->pipeline);
    }
}

static void read_grid(Tokens *t, Pragma *pragma)
{
    pragma->is_grid = true;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'grid': the number of nested loops");
    pragma->grid.dims = number(t, "the number of loops of a grid", 1, 4);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the number of loops");
    read_clauses(t, grid_clauses, pragma);
}

static void read_pipeline(Tokens *t, Pragma *pragma)
{
    Pipeline *pipeline = &pragma->pipeline;
    pipeline->depth = pipeline->in_flight = -1;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'pipeline': the depth, or 'auto'");
    if (!strcmp(word(t), "auto")) {
        pipeline->automatic = true;
        next(t);
    } else {
        pipeline->depth = number(t, "the depth of a pipeline", 1, 16);
        if (accept(t, CPP_COMMA))
            pipeline->in_flight = number(t, "the number of iterations in flight", 1, 64);
    }
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the depth");
    read_clauses(t, pipeline_clauses, pragma);
}

static void read_parts(Tokens *t, Pragma *pragma)
{
    pragma->pipeline.parts = true;
    if (t->type != CPP_EOF)
        wrong(t, "write '#pragma ws parts'", "'parts' has no clauses");
}

static void read_blocks(Tokens *t, Pragma *pragma)
{
    pragma->pipeline.blocks = true;
    if (t->type != CPP_EOF)
        wrong(t, "write '#pragma ws blocks'", "'blocks' has no clauses");
}

/* devices(n): a variable of an integer type, or a constant.  */
static void read_devices(Tokens *t, Pragma *pragma)
{
    pragma->is_devices = true;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'devices': how many");
    tree decl = t->type == CPP_NAME ? lookup_name(t->value) : NULL_TREE;
    bool variable = decl && (VAR_P(decl) || TREE_CODE(decl) == PARM_DECL) && INTEGRAL_TYPE_P(TREE_TYPE(decl)) &&
                    !(VAR_P(decl) && TREE_READONLY(decl) && DECL_INITIAL(decl) && TREE_CONSTANT(DECL_INITIAL(decl)));
    if (variable && !t->failed) {
        mark_exp_read(decl);
        TREE_USED(decl) = 1;
        pragma->devices = decl;
        next(t);
    } else {
        pragma->devices = build_int_cst(long_integer_type_node, number(t, "the number of devices", 1, 64));
    }
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the number of devices: write a variable's name, or a constant");
    if (!t->failed && t->type != CPP_EOF)
        wrong(t, "write '#pragma ws devices(n)'", "'devices' has no clauses");
}

static void read_task(Tokens *t, Pragma *pragma)
{
    pragma->is_task = true;
    expect(t, CPP_OPEN_PAREN, "expected '(' after 'task': its name");
    if (t->type != CPP_NAME)
        wrong(t, "write task(name)", "expected the name of a task");
    if (t->failed)
        return;
    pragma->task.name = arena_print(plugin.module, "%s", name_for_device(word(t)));
    next(t);
    expect(t, CPP_CLOSE_PAREN, "expected ')' after the task's name");
    read_clauses(t, task_clauses, pragma);
}

static void read_directive(Tokens *t, Pragma *pragma, bool *update)
{
    static const char *const choices[] = {"grid",    "pipeline", "parts", "blocks", "task",
                                          "devices", "together", "data",  "update", NULL};
    const char *name = word(t);
    if (!strcmp(name, "grid")) {
        next(t);
        read_grid(t, pragma);
    } else if (!strcmp(name, "pipeline")) {
        next(t);
        read_pipeline(t, pragma);
    } else if (!strcmp(name, "parts")) {
        next(t);
        read_parts(t, pragma);
    } else if (!strcmp(name, "blocks")) {
        next(t);
        read_blocks(t, pragma);
    } else if (!strcmp(name, "together")) {
        next(t);
        pragma->is_together = true;
        if (t->type != CPP_EOF)
            wrong(t, "write '#pragma ws together'", "'together' has no clauses");
    } else if (!strcmp(name, "data")) {
        next(t);
        read_data(t, pragma);
    } else if (!strcmp(name, "update")) {
        next(t);
        read_update(t);
        *update = true;
    } else if (!strcmp(name, "devices")) {
        next(t);
        read_devices(t, pragma);
    } else if (!strcmp(name, "task")) {
        next(t);
        read_task(t, pragma);
    } else {
        unknown(
            t, "a '#pragma ws'", choices,
            "write '#pragma ws grid(n)', '#pragma ws pipeline(D, P)', '#pragma ws parts', '#pragma ws blocks', "
            "'#pragma ws task(name)', '#pragma ws devices(n)', '#pragma ws together', '#pragma ws data copy(x[0:n])' "
            "or '#pragma ws update host(x[0:n])'");
    }
}

/* ---- the handler ------------------------------------------------------------------------------------------------- */

static tree marker(void)
{
    if (!marker_decl) {
        tree type = build_varargs_function_type_list(void_type_node, integer_type_node, NULL_TREE);
        marker_decl = build_fn_decl("ws_pragma_", type);
        TREE_NOTHROW(marker_decl) = 1;
    }
    return marker_decl;
}

/* Nothing stands in front of what the parser reads next, in its block.  */
static bool begins_block(void)
{
    if (parser_is_lexing)
        return false;
    tree list = current_stmt_tree()->x_cur_stmt_list->last();
    for (tree_stmt_iterator i = tsi_start(list); !tsi_end_p(i); tsi_next(&i))
        if (TREE_CODE(tsi_stmt(i)) != DEBUG_BEGIN_STMT)
            return false;
    return true;
}

/* A block without declarations would be one with the block around it by the time that statements are looked at.  */
static void keep_block(location_t where)
{
    tree var = build_decl(where, VAR_DECL, NULL_TREE, integer_type_node);
    DECL_ARTIFICIAL(var) = DECL_IGNORED_P(var) = TREE_USED(var) = DECL_READ_P(var) = 1;
    DECL_CONTEXT(var) = current_function_decl;
    pushdecl(var);
}

/* Where the directives begin, OpenMP's and others that the parser itself reads, between which and here is nothing.  */
static location_t directives;
static void (*line_change)(cpp_reader *, const cpp_token *, int);

/* With other values of the choices in it.  */
static void read_again(Pragma *pragma)
{
    Tokens tokens = {};
    bool update = false;
    Pragma again = {};
    again.loc = pragma->loc;
    again.below = pragma->below;
    replayed = 0;
    next(&tokens);
    read_directive(&tokens, &again, &update);
    replayed = -1;
    *pragma = again;
}

static void handle_pragma(cpp_reader *)
{
    recorded.truncate(0);
    choice_begin_pragma();
    Pragma pragma = {};
    pragma.loc = input_location;
    pragma.below = directives;
    Tokens tokens = {};
    bool update = false;
    next(&tokens);
    if (!strncmp(lang_hooks.name, "GNU C++", 7)) {
        wrong(&tokens, "put the kernel into a C file; C++ calls it", "kernels are C");
    } else if (!current_function_decl) {
        wrong(&tokens, "put it above a 'for' loop", "'#pragma ws' stands outside every function");
    } else {
        read_directive(&tokens, &pragma, &update);
    }
    while (tokens.type != CPP_EOF)
        next(&tokens);
    if (!tokens.failed && (pragma.is_task || pragma.is_together) && !begins_block()) {
        complain(pragma.loc,
                 pragma.is_task ? "put it first inside the block: { #pragma ws task(name) ... }"
                                : "put it first inside the block: { #pragma ws together ... }",
                 "%<#pragma ws %s%> does not begin a block", pragma_text(&pragma));
        return;
    }
    if (!tokens.failed && pragma.is_data && parser_is_lexing) {
        complain(pragma.loc, "put it above the directive",
                 "%<#pragma ws data%> stands between a directive and its loop");
        tokens.failed = true;
    }
    if (tokens.failed || update) {
        marker_arguments.truncate(0);
        return;
    }
    choice_end_pragma(&pragma, read_again);
    if (pragma.is_task || pragma.is_together)
        keep_block(pragma.loc);
    if (pragma.is_data)
        keep_next_level(); /* so that a block without declarations is one */
    pragma.function = DECL_UID(current_function_decl);
    pragmas.safe_push(pragma);
    tree index = build_int_cst(integer_type_node, (int)pragmas.length() - 1);
    if (pragma.is_devices)
        marker_arguments.safe_push(fold_convert(long_integer_type_node, pragma.devices));
    marker_arguments.safe_insert(0, index);
    add_stmt(
        build_call_expr_loc_array(pragma.loc, marker(), (int)marker_arguments.length(), marker_arguments.address()));
    marker_arguments.truncate(0);
}

/* The project's name is a likely slip; an unknown pragma would silently leave the loops to the host.  */
static void handle_slip(cpp_reader *)
{
    Tokens tokens = {};
    tokens.where = input_location;
    wrong(&tokens, "write '#pragma ws'", "'#pragma wsc' is not a pragma");
    while (tokens.type != CPP_EOF)
        next(&tokens);
}

/* The first token of a line.  What is handled here leaves its end to the parser as white space.  */
static void see_line(cpp_reader *reader, const cpp_token *token, int in_arguments)
{
    line_change(reader, token, in_arguments);
    if (token->type == CPP_PRAGMA_EOL)
        return;
    if (token->type == CPP_PRAGMA && token->val.pragma < PRAGMA_FIRST_EXTERNAL) {
        directives = directives ? directives : token->src_loc;
    } else if (token->type == CPP_PRAGMA && directives) {
        location_t outer = input_location;
        input_location = token->src_loc;
        parser_is_lexing = true;
        c_invoke_pragma_handler(token->val.pragma);
        parser_is_lexing = false;
        input_location = outer;
        cpp_token *seen = const_cast<cpp_token *>(token);
        seen->type = CPP_PADDING;
        seen->val.source = NULL;
    } else {
        directives = 0;
    }
}

static void register_pragmas(void *, void *)
{
    cpp_callbacks *callbacks = cpp_get_callbacks(parse_in);
    if (!flag_preprocess_only && callbacks->line_change && !strncmp(lang_hooks.name, "GNU C", 5) &&
        strncmp(lang_hooks.name, "GNU C++", 7)) {
        line_change = callbacks->line_change;
        callbacks->line_change = see_line;
    }
    c_register_pragma_with_expansion(NULL, "ws", handle_pragma);
    c_register_pragma_with_expansion(NULL, "wsc", handle_slip);
}

void pragma_register(void)
{
    static const ggc_root_tab roots[] = {
        {&marker_decl, 1, sizeof marker_decl, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node}, LAST_GGC_ROOT_TAB};
    register_callback("wsc", PLUGIN_PRAGMAS, register_pragmas, NULL);
    register_callback("wsc", PLUGIN_REGISTER_GGC_ROOTS, NULL, (void *)roots);
}
