/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe.cc - the functions of the unit, from GIMPLE to the region IR (source/region.h).
 *
 *   <bb 3>:                                B1:
 *   _1 = (long unsigned int) i;              t1 = conv.i32.u64 i.4       @5:15
 *   _2 = _1 * 4;                             t2 = mul.u64 t1, 4          @5:15
 *   _3 = x + _2;                             t3 = add.p x.2, t2          @5:15
 *   _4 = *_3;                                t4 = load.f32 t3            @5:15
 *   s = s + _4;                              t5 = add.f32 s.3, t4        @5:11
 *                                            s.3 = copy.f32 t5           @5:11
 *
 * The pass stands behind `cfg`, and behind `ompexp` where OpenMP has made functions of its own: in front of all
 * inlining and optimization. Each function passes there once, at every -O. Statement by statement the code becomes that
 * of the region IR. No clause is judged here, nothing is folded, no structure is recovered. A function with a construct
 * that the region IR does not have is refused as a whole, with the construct's name and place.
 *
 */
#include "transcribe.h"
#include "lower.h"

static SourceUnit *unit;

/* ---- names that several blocks read ------------------------------------------------------------------------------ */

struct NameWalk {
    Transcriber *t;
    basic_block block;
};

static tree see_name(tree *where, int *, void *data)
{
    const NameWalk *walk = (const NameWalk *)((walk_stmt_info *)data)->info;
    if (TREE_CODE(*where) == SSA_NAME) {
        SsaHome *home = &walk->t->names[SSA_NAME_VERSION(*where)];
        if (gimple_bb(SSA_NAME_DEF_STMT(*where)) != walk->block)
            home->leaves = true;
    }
    return NULL_TREE;
}

static void see_names(Transcriber *t)
{
    basic_block block;
    t->names.safe_grow_cleared(MAX(num_ssa_names, 1u));
    FOR_EACH_BB_FN(block, t->fn)
    for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
        NameWalk walk = {t, block};
        walk_stmt_info info = {};
        info.info = &walk;
        walk_gimple_op(gsi_stmt(i), see_name, &info);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static void see_tasks(Transcriber *t)
{
    basic_block block;
    FOR_EACH_BB_FN(block, t->fn)
    for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
        const Pragma *pragma = pragma_of_stmt(gsi_stmt(i));
        if (pragma && pragma->is_task)
            t->tasks.safe_push(
                MarkedBlock{gimple_block(gsi_stmt(i)), (int)tree_to_shwi(gimple_call_arg(gsi_stmt(i), 0)) + 1});
    }
}

/* The task whose block is the innermost one around the statement.  */
static int task_around(const Transcriber *t, const gimple *statement)
{
    for (tree block = t->tasks.length() ? gimple_block(statement) : NULL_TREE; block && TREE_CODE(block) == BLOCK;
         block = BLOCK_SUPERCONTEXT(block))
        for (unsigned i = 0; i < t->tasks.length(); i++)
            if (t->tasks[i].block == block)
                return t->tasks[i].task;
    return 0;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* An array of characters is a string with zeros behind it.  */
static void assign_string(Transcriber *t, Operand to, tree string, long bytes)
{
    char *padded = XCNEWVEC(char, (size_t)bytes + 1);
    memcpy(padded, TREE_STRING_POINTER(string), (size_t)MIN((long)TREE_STRING_LENGTH(string), bytes));
    /* The text of a string leaves out its last byte, which is 0.  */
    source_move(&t->builder, to, source_string(&t->builder, padded, bytes + 1), bytes);
    free(padded);
}

/* A constant of a type that is only moved.  */
static void assign_bytes(Transcriber *t, Operand to, tree constant, long bytes)
{
    unsigned char buffer[64] = {};
    if (bytes % 8 || bytes > 64 || !native_encode_expr(constant, buffer, sizeof buffer, 0)) {
        FAIL(t, "a constant '%s'", get_tree_code_name(TREE_CODE(constant)));
        return;
    }
    for (long at = 0; at < bytes; at += 8) {
        int64_t part;
        memcpy(&part, buffer + at, sizeof part);
        source_store(&t->builder, ST_U64, add_bytes(t, to, at), source_integer(part), false);
    }
}

static void assign_aggregate(Transcriber *t, gassign *assign)
{
    tree lhs = gimple_assign_lhs(assign), rhs = gimple_assign_rhs1(assign);
    if (!gimple_assign_single_p(assign)) {
        FAIL(t, "an operation on aggregates");
        return;
    }
    const long bytes = bytes_of(t, TREE_TYPE(lhs));
    if (t->function->failed || !bytes)
        return;
    const Operand to = address_of(t, lhs);
    if (TREE_CODE(rhs) == CONSTRUCTOR && !CONSTRUCTOR_NELTS(rhs))
        source_zero(&t->builder, to, bytes);
    else if (TREE_CODE(rhs) == CONSTRUCTOR)
        FAIL(t, "a constant of an aggregate");
    else if (is_only_moved(TREE_TYPE(lhs)) && CONSTANT_CLASS_P(rhs))
        assign_bytes(t, to, rhs, bytes);
    else if (TREE_CODE(rhs) == STRING_CST)
        assign_string(t, to, rhs, bytes);
    else
        source_move(&t->builder, to, address_of(t, rhs), bytes);
    SourceBlock *block = t->builder.block;
    if (block && block->last && (TREE_THIS_VOLATILE(lhs) || TREE_THIS_VOLATILE(rhs)))
        block->last->is_volatile = true;
}

/* Sides of arrays in bits, which nothing but other such numbers reads.  */
static bool is_side_in_bits(const_tree type)
{
    return (type == bitsizetype || type == TYPE_MAIN_VARIANT(bitsizetype)) && TYPE_PRECISION(type) > 64;
}

static void transcribe_assign(Transcriber *t, gassign *assign)
{
    tree lhs = gimple_assign_lhs(assign), x = gimple_assign_rhs1(assign), type = TREE_TYPE(lhs);
    const enum tree_code code = gimple_assign_rhs_code(assign);
    const bool single = gimple_assign_single_p(assign);
    if (gimple_clobber_p(assign) || is_side_in_bits(type))
        return;
    if (gimple_num_ops(assign) > 3) {
        FAIL(t, "an operation '%s'", get_tree_code_name(code));
        return;
    }
    tree y = gimple_num_ops(assign) > 2 ? gimple_assign_rhs2(assign) : NULL_TREE;
    const bool moved = is_only_moved(type) && single && TREE_CODE(x) != CONSTRUCTOR;
    if (!is_gimple_reg_type(type) || moved)
        assign_aggregate(t, assign);
    else if (VECTOR_TYPE_P(type))
        FAIL(t, "a vector");
    else if (is_complex(type)) {
        const Pair pair = single ? pair_of(t, x) : operation_pair(t, code, type, x, y);
        if (!t->function->failed)
            store_pair(t, lhs, pair);
    } else {
        /* A bit field of one bit gets a bool as it is.  */
        const bool is_bit = single && TREE_CODE(TREE_TYPE(x)) == BOOLEAN_TYPE && TREE_CODE(type) == INTEGER_TYPE;
        const Operand value = is_bit   ? value_as(t, x, scalar_type(t, type))
                              : single ? value_of(t, x)
                                       : operation_value(t, code, type, x, y);
        if (!t->function->failed)
            store_place(t, lhs, value);
    }
}

/* ---- ends of blocks ---------------------------------------------------------------------------------------------- */

static SourceBlock *block_of(basic_block block)
{
    return (SourceBlock *)block->aux;
}

static void transcribe_cond(Transcriber *t, gcond *cond)
{
    edge yes, no;
    const Operand x =
        operation_value(t, gimple_cond_code(cond), boolean_type_node, gimple_cond_lhs(cond), gimple_cond_rhs(cond));
    extract_true_false_edges_from_block(gimple_bb(cond), &yes, &no);
    source_branch(&t->builder, x, block_of(yes->dest), block_of(no->dest));
}

static void transcribe_switch(Transcriber *t, gswitch *one)
{
    tree index = gimple_switch_index(one);
    const SourceType type = scalar_type(t, TREE_TYPE(index));
    auto_vec<SourceCase> cases;
    SourceBlock *otherwise = NULL;
    for (unsigned i = 0; i < gimple_switch_num_labels(one); i++) {
        tree label = gimple_switch_label(one, i);
        SourceBlock *block = block_of(label_to_block(t->fn, CASE_LABEL(label)));
        if (!CASE_LOW(label)) {
            otherwise = block;
            continue;
        }
        const int64_t low = (int64_t)TREE_INT_CST_LOW(CASE_LOW(label));
        const int64_t high = CASE_HIGH(label) ? (int64_t)TREE_INT_CST_LOW(CASE_HIGH(label)) : low;
        cases.safe_push(SourceCase{low, high, block});
    }
    const Operand x = value_of(t, index);
    if (!t->function->failed)
        source_switch(&t->builder, type, x, (int)cases.length(), cases.address(), otherwise);
}

static void transcribe_return(Transcriber *t, greturn *end)
{
    SourceBuilder *builder = &t->builder;
    tree x = gimple_return_retval(end);
    const SourceType result = t->function->result;
    Operand value = Operand();
    if (x && is_aggregate(TREE_TYPE(x))) {
        if (t->function->result_bytes)
            source_move(builder, source_of(t->result), address_of(t, x), t->function->result_bytes);
    } else if (x && is_complex(TREE_TYPE(x))) {
        const Pair pair = pair_of(t, x);
        const SourceType part = scalar_type(t, TREE_TYPE(TREE_TYPE(x)));
        const Operand to = source_of(t->result);
        source_store(builder, part, to, pair.real, false);
        source_store(builder, part, add_bytes(t, to, source_type_bytes(part)), pair.imaginary, false);
    } else if (x)
        value = value_of(t, x);
    else if (source_type_is_float(result))
        value = source_number(0); /* no caller reads it */
    else if (result != ST_V && !source_type_is_aggregate(result))
        value = source_integer(0);
    source_return(builder, value);
}

/* What an assembler statement reads and writes are arguments: values, or addresses.  */
static void transcribe_asm(Transcriber *t, gasm *statement)
{
    auto_vec<SourceArgument> arguments;
    auto_vec<tree> places;
    for (unsigned i = 0; i < gimple_asm_ninputs(statement) + gimple_asm_noutputs(statement); i++) {
        const unsigned n = gimple_asm_noutputs(statement);
        tree x = TREE_VALUE(i < n ? gimple_asm_output_op(statement, i) : gimple_asm_input_op(statement, i - n));
        const bool scalar = is_gimple_reg_type(TREE_TYPE(x)) && !is_complex(TREE_TYPE(x)) &&
                            !is_only_moved(TREE_TYPE(x)) && (!DECL_P(x) || is_register(x));
        if (i < n && scalar)
            places.safe_push(x);
        else if (scalar)
            arguments.safe_push(SourceArgument{scalar_type(t, TREE_TYPE(x)), value_of(t, x), 0});
        else
            arguments.safe_push(SourceArgument{ST_P, address_of(t, x), 0});
    }
    for (unsigned i = 0; i <= places.length() && !t->function->failed; i++) {
        const SourceType type = i < places.length() ? scalar_type(t, TREE_TYPE(places[i])) : ST_V;
        const Operand none = {};
        const Operand x = source_call(&t->builder, type, "asm", none, (int)arguments.length(), arguments.address());
        if (i < places.length())
            store_place(t, places[i], x);
    }
}

/* To one of the blocks behind it, and nobody knows which.  */
static void transcribe_goto(Transcriber *t, ggoto *statement)
{
    auto_vec<SourceCase> cases;
    SourceBlock *otherwise = NULL;
    edge next;
    edge_iterator i;
    FOR_EACH_EDGE(next, i, gimple_bb(statement)->succs)
    {
        if (otherwise)
            cases.safe_push(SourceCase{(int64_t)cases.length(), (int64_t)cases.length(), otherwise});
        otherwise = block_of(next->dest);
    }
    if (!otherwise) {
        source_unreachable(&t->builder);
        return;
    }
    for (gimple_stmt_iterator at = gsi_for_stmt(statement); !gsi_end_p(at) && !t->builder.loc.line; gsi_prev(&at))
        if (gimple_has_location(gsi_stmt(at))) /* the goto itself has no place */
            t->builder.loc = loc_of(gimple_location(gsi_stmt(at)));
    const Operand none = {};
    const Operand x = source_call(&t->builder, ST_I32, "goto", none, 0, NULL);
    source_switch(&t->builder, ST_I32, x, (int)cases.length(), cases.address(), otherwise);
}

/* A type of a statement that computes, of which the region IR has no numbers; or NULL_TREE.  */
static const_tree other_type(gimple *statement)
{
    const enum gimple_code code = gimple_code(statement);
    if (code != GIMPLE_ASSIGN && code != GIMPLE_COND && code != GIMPLE_CALL && code != GIMPLE_RETURN)
        return NULL_TREE;
    const bool moves = code == GIMPLE_ASSIGN && gimple_assign_single_p(statement);
    for (unsigned i = 0; i < gimple_num_ops(statement) && !moves; i++) {
        tree x = gimple_op(statement, i);
        if (x && TREE_TYPE(x) && !TYPE_P(x) && is_number_of_other_type(TREE_TYPE(x)) && !is_side_in_bits(TREE_TYPE(x)))
            return TREE_TYPE(x);
    }
    return NULL_TREE;
}

/* It is a call of `typeof` with the type's name, whose result nobody knows.  */
static void transcribe_other_type(Transcriber *t, gimple *statement, const_tree type)
{
    const char *name = type_name(type);
    SourceArgument argument = {};
    argument.type = ST_P;
    argument.operand = source_string(&t->builder, name, (long)strlen(name) + 1);
    Operand x = source_call(&t->builder, ST_I32, "typeof", Operand(), 1, &argument);
    tree lhs = gimple_get_lhs(statement);
    if (gcond *cond = dyn_cast<gcond *>(statement)) {
        edge yes, no;
        extract_true_false_edges_from_block(gimple_bb(cond), &yes, &no);
        x = source_binary(&t->builder, SO_NE, ST_I32, x, source_integer(0));
        source_branch(&t->builder, x, block_of(yes->dest), block_of(no->dest));
    } else if (gimple_code(statement) == GIMPLE_RETURN) {
        source_return(&t->builder, Operand());
    } else if (lhs && is_gimple_reg_type(TREE_TYPE(lhs)) && !is_only_moved(TREE_TYPE(lhs)) &&
               !is_complex(TREE_TYPE(lhs))) {
        const SourceType own = scalar_type(t, TREE_TYPE(lhs));
        store_place(t, lhs, own == ST_P ? source_integer(0) : source_convert(&t->builder, ST_I32, own, x));
    }
}

static void transcribe_statement(Transcriber *t, gimple *statement)
{
    t->builder.loc = Loc();
    t->builder.task = task_around(t, statement);
    if (gimple_has_location(statement))
        t->builder.loc = loc_of(gimple_location(statement));
    if (const_tree type = other_type(statement)) {
        transcribe_other_type(t, statement, type);
        return;
    }
    switch (gimple_code(statement)) {
    case GIMPLE_ASSIGN:
        transcribe_assign(t, as_a<gassign *>(statement));
        break;
    case GIMPLE_CALL:
        transcribe_call(t, as_a<gcall *>(statement));
        break;
    case GIMPLE_COND:
        transcribe_cond(t, as_a<gcond *>(statement));
        break;
    case GIMPLE_SWITCH:
        transcribe_switch(t, as_a<gswitch *>(statement));
        break;
    case GIMPLE_RETURN:
        transcribe_return(t, as_a<greturn *>(statement));
        break;
    case GIMPLE_LABEL:
    case GIMPLE_DEBUG:
    case GIMPLE_PREDICT:
    case GIMPLE_NOP:
        break;
    case GIMPLE_ASM:
        if (gimple_asm_nlabels(as_a<gasm *>(statement)))
            FAIL(t, "an assembler statement with labels");
        else
            transcribe_asm(t, as_a<gasm *>(statement));
        break;
    case GIMPLE_GOTO:
        transcribe_goto(t, as_a<ggoto *>(statement));
        break;
    default:
        FAIL(t, "a statement '%s'", gimple_code_name[gimple_code(statement)]);
    }
}

static void enter_block(Transcriber *t, SourceBlock *block)
{
    source_place(t->function, block);
    t->builder.block = block;
    t->bound.truncate(0);
}

static bool is_goto(basic_block block)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(block);
    return !gsi_end_p(last) && gimple_code(gsi_stmt(last)) == GIMPLE_GOTO;
}

static void transcribe_block(Transcriber *t, basic_block block)
{
    edge next;
    edge_iterator i;
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at) && !t->function->failed; gsi_next(&at))
        transcribe_statement(t, gsi_stmt(at));
    FOR_EACH_EDGE(next, i, block->succs)
    {
        t->builder.loc = next->goto_locus == UNKNOWN_LOCATION ? Loc() : loc_of(next->goto_locus);
        if (is_goto(block))
            continue;
        if (next->flags & (EDGE_ABNORMAL | EDGE_EH))
            FAIL(t, next->flags & EDGE_EH ? "an exception" : "a jump that is no goto");
        else if (single_succ_p(block) && next->dest != EXIT_BLOCK_PTR_FOR_FN(t->fn))
            source_jump(&t->builder, block_of(next->dest));
    }
    t->builder.loc = Loc();
    source_unreachable(&t->builder);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* The type of the argument that callers pass: a function without a prototype gets them promoted.  */
static const_tree argument_type(const_tree fndecl, const_tree parameter)
{
    const_tree type = TREE_TYPE(parameter);
    return prototype_p(TREE_TYPE(fndecl)) || !is_gimple_reg_type(CONST_CAST_TREE(type)) || is_complex(type)
               ? type
               : DECL_ARG_TYPE(parameter);
}

static SourceVariable *add_parameter(Transcriber *t, tree parameter)
{
    long bytes;
    const SourceType passed = passed_type(t, argument_type(t->fn->decl, parameter), &bytes);
    SourceVariable *variable = source_parameter(t->function, passed, declaration_of(t->unit, parameter));
    variable->bytes = bytes;
    return variable;
}

/* Gives a parameter its home: itself, or what it is copied to.  */
static void take_parameter(Transcriber *t, tree parameter, SourceVariable *variable)
{
    SourceBuilder *builder = &t->builder;
    tree type = TREE_TYPE(parameter);
    if (t->function->failed)
        return;
    if (is_complex(type)) {
        const SourceType part = scalar_type(t, TREE_TYPE(type));
        const Operand real = source_load(builder, part, source_of(variable), false);
        const Operand from = add_bytes(t, source_of(variable), source_type_bytes(part));
        store_pair(t, parameter, Pair{real, source_load(builder, part, from, false)});
    } else if (is_aggregate(type) || is_number_of_other_type(type)) {
        if (variable->bytes)
            source_move(builder, address_of(t, parameter), source_of(variable), variable->bytes);
    } else if (is_register(parameter) && variable->type == scalar_type(t, type)) {
        Home home = {};
        home.variables[0] = variable;
        variable->host = parameter;
        t->homes.put(parameter, home);
    } else {
        const_tree passed_as = argument_type(t->fn->decl, parameter);
        store_place(t, parameter, convert_value(t, source_of(variable), passed_as, type));
    }
}

static void transcribe_parameters(Transcriber *t)
{
    tree first = DECL_ARGUMENTS(t->fn->decl);
    auto_vec<SourceVariable *> variables;
    for (tree parameter = first; parameter; parameter = DECL_CHAIN(parameter))
        variables.safe_push(add_parameter(t, parameter));
    unsigned i = 0;
    for (tree parameter = first; parameter; parameter = DECL_CHAIN(parameter))
        take_parameter(t, parameter, variables[i++]);
}

/* The first block takes the parameters. No jump leads to it.  */
static void transcribe_body(Transcriber *t)
{
    basic_block block, entry = single_succ(ENTRY_BLOCK_PTR_FOR_FN(t->fn));
    FOR_EACH_BB_FN(block, t->fn)
    block->aux = source_block_new(t->function);
    enter_block(t, single_pred_p(entry) ? block_of(entry) : source_block_new(t->function));
    transcribe_parameters(t);
    if (!single_pred_p(entry)) {
        source_jump(&t->builder, block_of(entry));
        enter_block(t, block_of(entry));
    }
    transcribe_block(t, entry);
    FOR_EACH_BB_FN(block, t->fn)
    {
        if (block == entry || t->function->failed)
            continue;
        enter_block(t, block_of(block));
        transcribe_block(t, block);
    }
    auto_vec<basic_block> blocks;
    FOR_EACH_BB_FN(block, t->fn)
    {
        const SourceBlock *made = block_of(block);
        blocks.safe_grow_cleared(MAX(blocks.length(), (unsigned)t->function->nblocks));
        if (made->first)
            blocks[(unsigned)made->id] = block;
    }
    FOR_EACH_BB_FN(block, t->fn)
    block->aux = NULL;
    entry_insert(t, blocks.address());
}

static void transcribe_function(struct function *fn)
{
    tree decl = fn->decl, type = TREE_TYPE(TREE_TYPE(decl));
    Transcriber t;
    if (!unit)
        unit = source_unit_new(plugin.module);
    t.unit = unit;
    t.fn = fn;
    t.function = source_function_new(unit, function_name(decl), ST_V, loc_of(DECL_SOURCE_LOCATION(decl)));
    t.builder.function = t.function;
    t.builder.loc = t.function->loc;
    t.function->result = passed_type(&t, type, &t.function->result_bytes);
    t.function->is_inline = DECL_DECLARED_INLINE_P(decl);
    t.function->is_static = !TREE_PUBLIC(decl);
    t.function->is_noreturn = TREE_THIS_VOLATILE(decl);
    t.function->is_variadic = stdarg_p(TREE_TYPE(decl));
    if (BYTES_BIG_ENDIAN)
        FAIL(&t, "a machine whose first byte is the highest");
    if (decl_function_context(decl) || DECL_STATIC_CHAIN(decl))
        FAIL(&t, "a nested function");
    if (source_type_is_aggregate(t.function->result))
        t.result = source_parameter(t.function, ST_P, Declaration());
    see_names(&t);
    see_tasks(&t);
    if (!t.function->failed)
        transcribe_body(&t);
}

/* ---- the unit ---------------------------------------------------------------------------------------------------- */

static bool is_before(const SourceFunction *a, const SourceFunction *b)
{
    return stands_before((location_t)a->loc.host, (location_t)b->loc.host);
}

/* In the order of the source. GCC comes to them in another.  */
static void sort_functions(SourceUnit *all)
{
    SourceFunction *sorted = NULL;
    for (SourceFunction *next = all->functions; next;) {
        SourceFunction *function = next, **at = &sorted;
        next = next->next;
        while (*at && !is_before(function, *at))
            at = &(*at)->next;
        function->next = *at;
        *at = function;
    }
    all->functions = sorted;
}

/* bind.cc has put its marker into the loop.  */
static bool is_of_loop(const Pragma *pragma)
{
    return pragma->kind == DIRECTIVE_GRID || pragma->kind == DIRECTIVE_PIPELINE || pragma->kind == DIRECTIVE_PARTS ||
           pragma->kind == DIRECTIVE_BLOCKS || pragma->kind == DIRECTIVE_DEVICES;
}

void transcribe_finish(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    if (!unit)
        unit = source_unit_new(plugin.module);
    for (unsigned i = 0; i < pragma_count(); i++)
        source_pragma(unit, pragma_text(pragma_at(i)), is_of_loop(pragma_at(i)), loc_of(pragma_at(i)->loc));
    sort_functions(unit);
    finish_globals(unit);
    for (const SourceFunction *function = unit->functions; function; function = function->next) {
        const char *mistake = source_check_function(function);
        if (mistake)
            error_at((location_t)function->loc.host, "the region IR of %qs is wrong: %s", function->name, mistake);
    }
    if (dump_lists(plugin.dump, "region"))
        source_print(unit, stdout, SourceTextOptions{true, true});
}

static const pass_data transcribe_data = {GIMPLE_PASS, "wsc-transcribe", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class transcribe_pass : public gimple_opt_pass {
  public:
    transcribe_pass() : gimple_opt_pass(transcribe_data, g)
    {
    }
    bool gate(function *) final override
    {
        return !seen_error();
    }
    unsigned execute(function *fn) final override
    {
        transcribe_function(fn);
        return 0;
    }
};

void transcribe_register(void)
{
    struct register_pass_info one = {new transcribe_pass(), flag_openmp || flag_openacc ? "ompexp" : "cfg", 1,
                                     PASS_POS_INSERT_AFTER};
    register_callback("wsc", PLUGIN_PASS_MANAGER_SETUP, NULL, &one);
}
