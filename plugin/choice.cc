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
 * The calls of a function with a grid become assignments of a constant.  A grid is walked once for each combination of
 * the choices that reach it, and each walk sees a program with these numbers in it, as if the user had written them.
 * Behind the walks, and in all other functions, a choice is its first value.
 */
#include "plugin.h"

static SourceChoices table;

/* A call of the function in hand, as an assignment.  */
struct ChoiceStmt {
    gimple *stmt;
    int choice;
};
static vec<ChoiceStmt> stmts = vNULL;

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

static location_t variable_of(gcall *call)
{
    tree lhs = gimple_call_lhs(call);
    tree variable = lhs && TREE_CODE(lhs) == SSA_NAME ? SSA_NAME_VAR(lhs) : lhs;
    return variable && DECL_P(variable) && name_of(variable) ? DECL_SOURCE_LOCATION(variable) : UNKNOWN_LOCATION;
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

/* require: SSA.   ensure: each call of ws_choice is an assignment of its first value, known to what follows.  */
bool choice_prepare(function *fn)
{
    basic_block bb;
    bool any = false;
    stmts.truncate(0);
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
        location_t where = gimple_location(call), variable = variable_of(call);
        int count = (int)gimple_call_num_args(call);
        bool known = !plugin.module->failed && read_values(call, values);
        gimple *stmt = assign(&i, call, known ? values[0] : 0);
        if (stmt && known)
            stmts.safe_push(ChoiceStmt{stmt, choice_new(where, variable, is_shape, count, values)});
        if (stmt)
            gsi_next(&i);
    }
    return any;
}

static void set_values(const auto_vec<int> &of, long n)
{
    source_choice_take(&table, (int)of.length(), of.address(), n);
    for (unsigned i = 0; i < stmts.length(); i++) {
        const SourceChoice &choice = table.list[stmts[i].choice];
        gimple_assign_set_rhs1(stmts[i].stmt,
                               build_int_cst(TREE_TYPE(gimple_assign_lhs(stmts[i].stmt)), choice.values[choice.now]));
    }
    for (unsigned i = 0; i < pragma_count(); i++)
        set_clauses(pragma_at(i));
}

/* ---- which choices reach what ------------------------------------------------------------------------------------ */

static const ChoiceStmt *choice_stmt(const gimple *stmt)
{
    for (unsigned i = 0; i < stmts.length(); i++)
        if (stmts[i].stmt == stmt)
            return &stmts[i];
    return NULL;
}

static void add(auto_vec<int> *of, int choice)
{
    unsigned at = 0;
    if (of->contains(choice))
        return;
    while (at < of->length() && source_choice_before(&table, (*of)[at], choice))
        at++;
    of->safe_insert(at, choice);
}

static void reach(gimple *stmt, hash_set<gimple *> *seen, auto_vec<int> *of);

static void reach_name(tree name, hash_set<gimple *> *seen, auto_vec<int> *of)
{
    if (name && TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name) && !virtual_operand_p(name))
        reach(SSA_NAME_DEF_STMT(name), seen, of);
}

static void reach(gimple *stmt, hash_set<gimple *> *seen, auto_vec<int> *of)
{
    if (seen->add(stmt))
        return;
    if (const ChoiceStmt *known = choice_stmt(stmt))
        add(of, known->choice);
    if (gphi *phi = dyn_cast<gphi *>(stmt)) {
        basic_block around = get_immediate_dominator(CDI_DOMINATORS, gimple_bb(phi));
        gimple *last = around && around->index != ENTRY_BLOCK ? gsi_stmt(gsi_last_bb(around)) : NULL;
        for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
            reach_name(gimple_phi_arg_def(phi, i), seen, of);
        if (last && gimple_code(last) == GIMPLE_COND)
            reach(last, seen, of);
        return;
    }
    tree stored = is_gimple_assign(stmt) && gimple_assign_load_p(stmt) ? memory_value(stmt) : NULL_TREE;
    reach_name(stored, seen, of);
    ssa_op_iter i;
    tree name;
    FOR_EACH_SSA_TREE_OPERAND(name, stmt, i, SSA_OP_USE)
    reach_name(name, seen, of);
}

/* Those of the function that a grid's statements and pragmas know, by their places.  */
static void collect(class loop *outer, auto_vec<int> *of)
{
    hash_set<gimple *> seen;
    if (!stmts.length() && !table.count)
        return;
    basic_block *body = get_loop_body(outer);
    for (unsigned n = 0; n < outer->num_nodes; n++) {
        for (gphi_iterator i = gsi_start_phis(body[n]); !gsi_end_p(i); gsi_next(&i))
            reach(i.phi(), &seen, of);
        for (gimple_stmt_iterator i = gsi_start_nondebug_bb(body[n]); !gsi_end_p(i); gsi_next_nondebug(&i)) {
            reach(gsi_stmt(i), &seen, of);
            const Pragma *pragma = pragma_of_stmt(gsi_stmt(i));
            for (int k = 0; pragma && pragma->choices && k < pragma->choices->of.count; k++)
                add(of, pragma->choices->of.of[k]);
        }
    }
    free(body);
}

/* What is computed of a choice cannot be a number that the launcher gets: that is the first value's.  The sequential
   target has no variants.  */
bool choice_reaches(tree name)
{
    hash_set<gimple *> seen;
    auto_vec<int> of;
    if (stmts.length() && plugin.target != TARGET_SEQUENTIAL)
        reach_name(name, &seen, &of);
    return of.length() != 0;
}

/* ---- variants ---------------------------------------------------------------------------------------------------- */

/* The numbers that the choices have now, a shape's one by one.  */
static int numbers_of(const auto_vec<int> &of, int64_t *numbers)
{
    int count = 0;
    for (unsigned i = 0; i < of.length(); i++) {
        const SourceChoice &choice = table.list[of[i]];
        int64_t value = choice.values[choice.now];
        for (int part = 0; part < (choice.is_shape ? 3 : 1); part++) {
            int64_t number = choice.is_shape ? value >> 20 * part & 0xfffff : value;
            if (count < MOST_CHOSEN && (!choice.is_shape || number))
                numbers[count++] = number;
        }
    }
    return count;
}

/* The n-th combination for the walk that comes.   ensure: false: there is none, and it is the first again.  */
bool choice_take(class loop *outer, long n, location_t where)
{
    auto_vec<int> of;
    collect(outer, &of);
    long count = source_choice_combinations(&table, (int)of.length(), of.address());
    if (count > MOST_VARIANTS && !n)
        complain(where, "leave fewer numbers open, or list combinations with ws_choice_shape",
                 "the choices of this grid have more than %d combinations", MOST_VARIANTS);
    if (n >= count || count > MOST_VARIANTS)
        n = 0;
    set_values(of, n);
    return n != 0;
}

/* The kernel of another combination than the first one's; with NULL for it this is the first.  */
Kernel *choice_kernel(class loop *outer, Kernel *first)
{
    int64_t numbers[MOST_CHOSEN];
    auto_vec<int> of;
    collect(outer, &of);
    int count = numbers_of(of, numbers);
    return kernel_variant(first, count, numbers);
}

void choice_name_first(class loop *outer, Kernel *first)
{
    auto_vec<int> of;
    collect(outer, &of);
    first->choice.of = first->name;
    first->choice.count = numbers_of(of, first->choice.values);
}

static int same_live_in(const Walk *first, const Walk *other, const LiveIn &sought)
{
    for (unsigned i = 0; i < other->livein.length(); i++) {
        if (operand_equal_p(other->livein[i].expression, sought.expression, 0))
            return (int)i;
        for (unsigned t = 0; t < first->totals.length() && t < other->totals.length(); t++)
            if (first->totals[t].handle == sought.expression && other->totals[t].handle == other->livein[i].expression)
                return (int)i;
    }
    return -1;
}

static Value *parameter_like(Kernel *kernel, const Value *value)
{
    return kernel_param(kernel, value->type, value->name, kernel->loc);
}

/* In the order of `all`, which it may have nothing of.  */
static void reorder(const Walk *first, Walk *w)
{
    auto_vec<Value *> values;
    for (unsigned i = 0; i < first->livein.length(); i++) {
        int at = same_live_in(first, w, first->livein[i]);
        values.safe_push(at >= 0 ? w->livein[at].value : parameter_like(w->kernel, first->livein[i].value));
    }
    for (unsigned i = 0; i < values.length(); i++) {
        w->kernel->params[i] = values[i];
        values[i]->index = (int)i;
    }
    w->kernel->nparams = (int)values.length();
}

/* require: walks of one grid.   ensure: their kernels have the same parameters.  */
void choice_unite(Walk *first, const auto_vec<Walk *> &others)
{
    for (unsigned n = 0; n < others.length(); n++)
        for (unsigned i = 0; i < others[n]->livein.length(); i++) {
            const LiveIn &found = others[n]->livein[i];
            bool known = false;
            for (unsigned k = 0; k < first->livein.length(); k++)
                known = known || same_live_in(first, others[n], first->livein[k]) == (int)i;
            if (!known)
                first->livein.safe_push(LiveIn{found.expression, parameter_like(first->kernel, found.value)});
        }
    for (unsigned n = 0; n < others.length(); n++)
        reorder(first, others[n]);
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
        if (choice_prepare(fn))
            cgraph_edge::rebuild_edges();
        pop_cfun();
    }
    stmts.truncate(0);
}
