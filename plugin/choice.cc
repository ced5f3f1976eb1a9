/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choice.cc - ws_choice: constants that the user leaves open.
 *
 *   const int BM = ws_choice (64, 128);        BM_3 = 64;     and once more with   BM_3 = 128;
 *   for (i = 0; i < M; i += BM) ...            kernel gemm    and                  kernel gemm__128
 *
 * A choice belongs to the variable that it initializes: wherever its value goes, in helpers that are inlined twice and
 * in clauses of pragmas too, it is one constant.  Elsewhere, as in macros, those of the same list are the same.
 *
 * The clauses of a pragma are read once for each combination of the choices that they name.  In the program itself a
 * choice is its first value.
 */
#include "plugin.h"

static SourceChoices table;

SourceChoices *choice_table(void)
{
    table.module = plugin.module;
    return &table;
}

/* ---- which is which ---------------------------------------------------------------------------------------------- */

static bool is_call_of(tree fndecl, bool *is_shape)
{
    const char *name = fndecl && DECL_NAME(fndecl) ? IDENTIFIER_POINTER(DECL_NAME(fndecl)) : "";
    *is_shape = !strcmp(name, "ws_choice_shape_");
    return *is_shape || !strcmp(name, "ws_choice_");
}

static int choice_new(location_t where, location_t variable, bool is_shape, int count, const int64_t *values)
{
    if (count > MOST_CHOICE_VALUES) {
        complain(where, "make fewer kernels", "a choice has at most %d values", MOST_CHOICE_VALUES);
        count = MOST_CHOICE_VALUES;
    }
    const Loc declared = variable == UNKNOWN_LOCATION ? Loc() : loc_of(get_pure_location(variable));
    return source_choice(choice_table(), loc_of(get_pure_location(where)), declared, is_shape, count, values);
}

static const char *const constants_only = "a choice is made among integer constants";

/* ---- in trees: initializers that clauses name -------------------------------------------------------------------- */

static tree value_now(int choice, tree type)
{
    return build_int_cst(type, source_choice_value(&table, choice));
}

static tree fold_call(tree call, location_t variable)
{
    bool is_shape;
    int64_t values[MOST_CHOICE_VALUES];
    int count = call_expr_nargs(call);
    if (!is_call_of(get_callee_fndecl(call), &is_shape))
        return NULL_TREE;
    for (int i = 0; i < count && i < MOST_CHOICE_VALUES; i++) {
        tree argument = fold(CALL_EXPR_ARG(call, i));
        if (TREE_CODE(argument) != INTEGER_CST)
            return NULL_TREE;
        values[i] = tree_to_shwi(argument);
    }
    return value_now(choice_new(EXPR_LOCATION(call), variable, is_shape, count, values), TREE_TYPE(call));
}

static tree fold_variable(tree variable)
{
    tree first = DECL_INITIAL(variable);
    if (!TREE_READONLY(variable) || TREE_THIS_VOLATILE(variable) || !first)
        return NULL_TREE;
    return TREE_CODE(first) == CALL_EXPR ? fold_call(first, DECL_SOURCE_LOCATION(variable)) : choice_fold(first);
}

/* The constant that an expression is with the choices as they are, or NULL.  */
tree choice_fold(tree expression)
{
    if (!expression || expression == error_mark_node)
        return NULL_TREE;
    STRIP_NOPS(expression);
    tree type = TREE_TYPE(expression);
    switch (TREE_CODE(expression)) {
    case INTEGER_CST:
        return expression;
    case CALL_EXPR:
        return fold_call(expression, UNKNOWN_LOCATION);
    case VAR_DECL:
        return fold_variable(expression);
    CASE_CONVERT : {
        tree inner = choice_fold(TREE_OPERAND(expression, 0));
        return inner ? fold_convert(type, inner) : NULL_TREE;
    }
    default:
        break;
    }
    if (!BINARY_CLASS_P(expression) && !COMPARISON_CLASS_P(expression))
        return NULL_TREE;
    tree x = choice_fold(TREE_OPERAND(expression, 0)), y = choice_fold(TREE_OPERAND(expression, 1));
    tree folded =
        x && y ? fold_binary(TREE_CODE(expression), type, fold_convert(TREE_TYPE(TREE_OPERAND(expression, 0)), x),
                             fold_convert(TREE_TYPE(TREE_OPERAND(expression, 1)), y))
               : NULL_TREE;
    return folded && TREE_CODE(folded) == INTEGER_CST ? folded : NULL_TREE;
}

/* A choice that a clause itself writes down.  */
int64_t choice_in_clause(location_t where, bool is_shape, int count, const int64_t *values)
{
    return tree_to_shwi(
        value_now(choice_new(where, UNKNOWN_LOCATION, is_shape, count, values), long_long_integer_type_node));
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */

/* What a pragma says for each combination of the choices that it names.  */
struct PragmaChoices {
    SourceClauseChoices of;
    vec<Pragma> read;
};

void choice_begin_pragma(void)
{
    source_choices_begin(choice_table());
}

/* `again` reads the tokens once more.  */
void choice_end_pragma(Pragma *pragma, const Token *tokens, void (*again)(const Token *, Pragma *))
{
    SourceClauseChoices of;
    if (!table.ntouched)
        return;
    if (!source_choices_end(&table, &of)) {
        complain(pragma->loc, "leave fewer numbers open", "a pragma names at most %d choices, of %d combinations",
                 MOST_CLAUSE_CHOICES, MOST_VARIANTS);
        return;
    }
    PragmaChoices *all = XCNEW(PragmaChoices);
    all->of = of;
    for (long n = 0; n < source_choice_combinations(&table, of.count, of.of); n++) {
        Pragma read = *pragma;
        source_choice_take(&table, of.count, of.of, n);
        if (n)
            again(tokens, &read);
        all->read.safe_push(read);
    }
    source_choice_take(&table, of.count, of.of, 0);
    pragma->choices = all;
}

static void set_clauses(Pragma *pragma)
{
    const PragmaChoices *all = pragma->choices;
    if (!all)
        return;
    const Pragma &read = all->read[(unsigned)source_choice_taken(&table, all->of.count, all->of.of)];
    pragma->grid = read.grid;
    pragma->pipeline = read.pipeline;
    pragma->task = read.task;
    pragma->rings = read.rings;
    pragma->shares = read.shares;
}

/* The choices of a pragma, whose clauses become those of the combination that is set.  */
SourceClauseChoices choice_set_clauses(Pragma *pragma)
{
    set_clauses(pragma);
    return pragma->choices ? pragma->choices->of : SourceClauseChoices{};
}

/* ---- a function's calls ------------------------------------------------------------------------------------------ */

static bool read_values(gcall *call, int64_t *values)
{
    for (unsigned i = 0; i < gimple_call_num_args(call); i++)
        if (i < MOST_CHOICE_VALUES && !constant_int(gimple_call_arg(call, i), &values[i])) {
            complain(stmt_location(call), "write numbers, enumerators, macros or const variables", "%s",
                     constants_only);
            return false;
        }
    return true;
}

/* The call becomes an assignment.  */
static gimple *assign(gimple_stmt_iterator *where, gcall *call, int64_t value)
{
    tree lhs = gimple_call_lhs(call);
    if (!lhs) {
        unlink_stmt_vdef(call);
        gsi_remove(where, true);
        return NULL;
    }
    gimple *stmt = gimple_build_assign(lhs, build_int_cst(TREE_TYPE(lhs), value));
    gimple_set_location(stmt, gimple_location(call));
    gimple_set_block(stmt, gimple_block(call));
    gsi_replace(where, stmt, false);
    return stmt;
}

static gcall *choice_call(gimple *stmt, bool *is_shape)
{
    gcall *call = dyn_cast<gcall *>(stmt);
    return call && is_call_of(gimple_call_fndecl(call), is_shape) ? call : NULL;
}

/* require: SSA.   ensure: each call of ws_choice is an assignment of its first value.  */
static bool prepare(function *fn)
{
    basic_block bb;
    bool any = false;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i);) {
        bool is_shape;
        int64_t values[MOST_CHOICE_VALUES];
        gcall *call = choice_call(gsi_stmt(i), &is_shape);
        if (!call) {
            gsi_next(&i);
            continue;
        }
        any = true;
        bool known = !plugin.module->failed && read_values(call, values);
        gimple *stmt = assign(&i, call, known ? values[0] : 0);
        if (stmt)
            gsi_next(&i);
    }
    return any;
}

/* require: the unit's regions are done.   ensure: no function has a call of ws_choice.  */
void choice_clean(void)
{
    cgraph_node *node;
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
    {
        function *fn = DECL_STRUCT_FUNCTION(node->decl);
        if (!fn || !fn->cfg)
            continue;
        push_cfun(fn);
        if (prepare(fn))
            cgraph_edge::rebuild_edges();
        pop_cfun();
    }
}
