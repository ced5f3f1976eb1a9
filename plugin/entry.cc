/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * entry.cc - the values of variables where a grid begins, and its kernel.
 *
 *   behind `cfg`       <bb 4>: i = 0;                   <bb 4>: i = 0;
 *                      <bb 5>: if (i < n) ...    =>     ws_entry_ (0, n, x, i);
 *                                                       <bb 5>: if (i < n) ...
 *   behind `einline`   ws_entry_ (0, n_3(D), x_4(D), 0);      the live-ins of kernel 0 are among its arguments
 *
 * The region IR is made in front of SSA form, and the launcher's call is made in it. The call of ws_entry_ carries the
 * variables from one to the other: GCC renames its arguments, copies them where it inlines the function, and gives each
 * its value there. The arguments are all variables that have a value on each way to the loop, and the addresses of the
 * objects that the loop names.
 */
#include "source/kernels.h"
#include "transcribe.h"

static tree entry_decl; /* void ws_entry_ (int, ...) */

/* A grid's mark, the function with it, and what the arguments of its ws_entry_ are.  */
struct Entry {
    int mark;
    SourceFunction *function;
    vec<const void *> arguments; /* GCC's declarations of variables and objects */
    bool prepared;
    Loc site; /* of a call that hands tensors to a function with a grid: its mark is below 0 */
};
static vec<Entry> entries = vNULL;

static Entry *entry_of(int mark)
{
    for (unsigned i = 0; i < entries.length(); i++)
        if (entries[i].mark == mark)
            return &entries[i];
    return NULL;
}

static tree entry_function(void)
{
    if (!entry_decl) {
        tree type = build_varargs_function_type_list(void_type_node, integer_type_node, NULL_TREE);
        entry_decl = build_fn_decl("ws_entry_", type);
        TREE_NOTHROW(entry_decl) = 1;
    }
    return entry_decl;
}

static bool is_entry(const gimple *stmt)
{
    return entry_decl && is_gimple_call(stmt) && gimple_call_fndecl(stmt) == entry_decl;
}

/* ---- behind cfg -------------------------------------------------------------------------------------------------- */

/* Variables that have a value at the start of a block, on all ways to it: a set for each block.  */
static uint64_t *assigned_before(const SourceFunction *function, const SourceFlow *flow, size_t words)
{
    const size_t n = (size_t)flow->n * words;
    uint64_t *in = (uint64_t *)arena_alloc(plugin.module, n * sizeof *in);
    memset(in, 0xff, n * sizeof *in);
    memset(in, 0, words * sizeof *in);
    for (int i = 0; i < function->nparameters; i++)
        in[function->parameters[i]->id / 64] |= (uint64_t)1 << (function->parameters[i]->id % 64);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < flow->n; b++) {
            auto_vec<uint64_t> out;
            for (size_t w = 0; w < words; w++)
                out.safe_push(in[(size_t)b * words + w]);
            for (const Instruction *i = flow->order[b]->first; i; i = i->next)
                if (i->variable)
                    out[(unsigned)i->variable->id / 64] |= (uint64_t)1 << (i->variable->id % 64);
            for (int i = 0; i < source_nsuccessors(flow->order[b]->last); i++) {
                const int to = flow->number[(*source_successor(flow->order[b]->last, i))->id];
                for (size_t w = 0; w < words; w++) {
                    uint64_t *known = &in[(size_t)to * words + w];
                    changed |= (*known & out[(unsigned)w]) != *known;
                    *known &= out[(unsigned)w];
                }
            }
        }
    }
    return in;
}

enum { MOST_PARTS = 512 /* bytes */ };

/* Does the block make a tensor at the address, or behind it?  */
static bool makes_tensor_at(const SourceBlock *block, int address)
{
    for (const Instruction *i = block->first; i; i = i->next) {
        const bool moves = i->code == SO_ADD && i->type == ST_P;
        const Operand *x = moves ? &i->args[0] : source_makes_tensor(i) ? &i->arguments[0].operand : NULL;
        if (x && x->kind == OPERAND_TEMPORARY && x->temporary == address &&
            (!moves || makes_tensor_at(block, i->temporary)))
            return true;
    }
    return false;
}

/* Objects that the loop names, or a tensor in front of it. `header` is -1: there is no loop.  */
static void add_objects(const SourceFlow *flow, int header, auto_vec<tree> *args, Entry *entry)
{
    for (int b = 0; b < flow->n; b++)
        for (const Instruction *i = flow->order[b]->first; i; i = i->next) {
            const bool small = i->object && i->object->bytes <= MOST_PARTS; /* its parts become variables */
            if (!i->object || !i->object->host || entry->arguments.contains(i->object->host) ||
                !(small || (header >= 0 && source_in_loop(flow, header, b)) ||
                  makes_tensor_at(flow->order[b], i->temporary)))
                continue;
            tree decl = (tree)CONST_CAST(void *, i->object->host);
            if (is_only_moved(TREE_TYPE(decl)) && !TREE_ADDRESSABLE(decl)) /* GCC has it in registers */
                continue;
            TREE_ADDRESSABLE(decl) = 1;
            args->safe_push(build_fold_addr_expr(decl));
            entry->arguments.safe_push(i->object->host);
        }
}

/* The edge from in front of the loop to its header, or NULL: there are several.  */
static edge edge_into(const Transcriber *t, const SourceFlow *flow, int header, basic_block *blocks)
{
    edge found = NULL, e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, blocks[flow->order[header]->id]->preds)
    {
        int from = -1;
        for (int b = 0; b < flow->n && from < 0; b++)
            if (blocks[flow->order[b]->id] == e->src)
                from = b;
        if (from >= 0 && source_in_loop(flow, header, from))
            continue;
        if (found)
            return NULL;
        found = e;
    }
    (void)t;
    return found;
}

/* The declaration in `arguments`. The imaginary part of a complex number is a byte behind the real one.  */
static const void *key_of(const SourceVariable *variable)
{
    return (const char *)variable->host + (variable->host && variable->home_at);
}

/* The variable of GCC, in front of a statement or behind it: of a complex number the part.  */
static tree host_value(const SourceVariable *variable, gimple_stmt_iterator *at, bool behind)
{
    tree decl = (tree)CONST_CAST(void *, variable->host), type = TREE_TYPE(decl);
    if (TREE_CODE(type) != COMPLEX_TYPE)
        return decl;
    tree part = create_tmp_reg(TREE_TYPE(type));
    tree value = build1(variable->home_at ? IMAGPART_EXPR : REALPART_EXPR, TREE_TYPE(type), decl);
    gassign *made = gimple_build_assign(part, value);
    if (behind)
        gsi_insert_after(at, made, GSI_NEW_STMT);
    else
        gsi_insert_before(at, made, GSI_SAME_STMT);
    return part;
}

static void insert_entry(Transcriber *t, SourceFlow *flow, int header, int mark, basic_block *blocks)
{
    const size_t words = (size_t)t->function->nvariables / 64 + 1;
    const uint64_t *known = assigned_before(t->function, flow, words) + (size_t)header * words;
    Entry entry = {mark, t->function, vNULL, false, Loc()};
    auto_vec<tree> args;
    args.safe_push(build_int_cst(integer_type_node, mark));
    edge into = edge_into(t, flow, header, blocks);
    basic_block bb = into ? split_edge(into) : NULL;
    for (int v = 0; bb && v < t->function->nvariables; v++) {
        const SourceVariable *variable = t->function->variables[v];
        if (!variable->host || !(known[v / 64] >> (v % 64) & 1))
            continue;
        gimple_stmt_iterator end = gsi_last_bb(bb);
        args.safe_push(host_value(variable, &end, true));
        entry.arguments.safe_push(key_of(variable));
    }
    add_objects(flow, header, &args, &entry);
    entries.safe_push(entry);
    if (!bb)
        return;
    gimple_stmt_iterator at = gsi_last_bb(bb);
    gsi_insert_after(&at, gimple_build_call_vec(entry_function(), args), GSI_NEW_STMT);
}

/* A tensor, or a structure with one.  */
static bool has_tensors(tree type)
{
    if (is_tensor_type(type))
        return true;
    for (tree field = TREE_CODE(type) == RECORD_TYPE ? TYPE_FIELDS(type) : NULL_TREE; field; field = DECL_CHAIN(field))
        if (TREE_CODE(field) == FIELD_DECL && has_tensors(TREE_TYPE(field)))
            return true;
    return false;
}

/* Does the call hand tensors to a function with a grid?  */
static bool hands_tensors(const gimple *stmt)
{
    tree fndecl = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
    bool tensors = false, grid = false;
    for (unsigned i = 0; fndecl && i < gimple_call_num_args(stmt); i++)
        tensors |= has_tensors(TREE_TYPE(gimple_call_arg(stmt, i)));
    for (unsigned i = 0; tensors && i < pragma_count(); i++)
        grid |= pragma_at(i)->is_grid && pragma_at(i)->function == DECL_UID(fndecl);
    return grid;
}

/* The variables in front of such a call.  */
static void insert_sites(Transcriber *t, SourceFlow *flow, basic_block *blocks)
{
    const size_t words = (size_t)t->function->nvariables / 64 + 1;
    const uint64_t *in = assigned_before(t->function, flow, words);
    for (int b = 0; b < flow->n; b++) {
        basic_block bb = blocks[flow->order[b]->id];
        for (gimple_stmt_iterator s = bb ? gsi_start_bb(bb) : gsi_none(); !gsi_end_p(s); gsi_next(&s)) {
            if (!hands_tensors(gsi_stmt(s)))
                continue;
            const Loc site = loc_of(gimple_location(gsi_stmt(s)));
            const char *callee = function_name(gimple_call_fndecl(gsi_stmt(s)));
            Entry entry = {-1 - (int)entries.length(), t->function, vNULL, false, site};
            auto_vec<uint64_t> known;
            for (size_t w = 0; w < words; w++)
                known.safe_push(in[(size_t)b * words + w]);
            for (const Instruction *i = flow->order[b]->first; i; i = i->next) {
                if (i->code == SO_CALL && i->symbol && !strcmp(i->symbol, callee) && i->loc.line == site.line &&
                    i->loc.column == site.column) /* a macro has several calls at one place */
                    break;
                if (i->variable)
                    known[(unsigned)i->variable->id / 64] |= (uint64_t)1 << (i->variable->id % 64);
            }
            auto_vec<tree> args;
            args.safe_push(build_int_cst(integer_type_node, entry.mark));
            for (int v = 0; v < t->function->nvariables; v++)
                if (t->function->variables[v]->host && (known[(unsigned)v / 64] >> (v % 64) & 1)) {
                    args.safe_push(host_value(t->function->variables[v], &s, false));
                    entry.arguments.safe_push(key_of(t->function->variables[v]));
                }
            add_objects(flow, -1, &args, &entry);
            entries.safe_push(entry);
            gsi_insert_before(&s, gimple_build_call_vec(entry_function(), args), GSI_SAME_STMT);
        }
    }
}

/* require: the function is transcribed; `blocks` has GCC's block of each block's number.  */
void entry_insert(Transcriber *t, basic_block *blocks)
{
    if (t->function->failed) {
        basic_block bb;
        FOR_EACH_BB_FN(bb, t->fn)
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
            if (Pragma *pragma = pragma_of_stmt(gsi_stmt(i)))
                if (pragma->is_grid)
                    entries.safe_push(
                        Entry{(int)tree_to_uhwi(gimple_call_arg(gsi_stmt(i), 0)), t->function, vNULL, false, Loc()});
        return;
    }
    SourceFlow *flow = source_flow(t->function);
    for (int b = 0; b < flow->n; b++)
        for (const Instruction *i = flow->order[b]->first; i; i = i->next) {
            if (i->code != SO_MARK || !pragma_at((unsigned)i->mark)->is_grid)
                continue;
            const int header = source_marked_loop(t->function, flow, flow->order[b], i->mark);
            if (header >= 0)
                insert_entry(t, flow, header, i->mark, blocks);
        }
    insert_sites(t, flow, blocks);
}

/* ---- behind einline ---------------------------------------------------------------------------------------------- */

static bool is_mark(int mark, int wanted)
{
    return mark == wanted;
}

/* A call that hands tensors to the function with this mark.  */
static bool is_site(int mark, int)
{
    return mark < 0;
}

/* The nearest one above the loop.  */
static gimple *entry_above(class loop *loop, bool (*matches)(int mark, int wanted), int wanted)
{
    for (basic_block bb = loop_preheader_edge(loop)->src; bb; bb = get_immediate_dominator(CDI_DOMINATORS, bb))
        for (gimple_stmt_iterator i = gsi_last_bb(bb); !gsi_end_p(i); gsi_prev(&i))
            if (is_entry(gsi_stmt(i)) && matches((int)tree_to_shwi(gimple_call_arg(gsi_stmt(i), 0)), wanted))
                return gsi_stmt(i);
    return NULL;
}

static const SourceClauses *clauses_of(void *, int mark)
{
    Pragma *pragma = pragma_at((unsigned)mark);
    SourceClauses *clauses = (SourceClauses *)arena_alloc(plugin.module, sizeof *clauses);
    pragma->used = true;
    clauses->choices = choice_set_clauses(pragma);
    clauses->kind = pragma->kind;
    clauses->grid = pragma->grid;
    clauses->pipeline = pragma->pipeline;
    clauses->task = pragma->task;
    clauses->rings = pragma->rings;
    clauses->shares = pragma->shares;
    clauses->loc = loc_of(pragma->loc);
    return clauses;
}

/* Bytes of an element behind its array, or behind the pointer that is not a constant number of bytes from another.  */
static bool bytes_of_place(tree place, HOST_WIDE_INT *bytes)
{
    poly_int64 offset;
    tree base = get_addr_base_and_unit_offset(place, &offset);
    if (!base || !offset.is_constant(bytes))
        return false;
    if (TREE_CODE(base) != MEM_REF)
        return DECL_P(base);
    *bytes += (HOST_WIDE_INT)TREE_INT_CST_LOW(TREE_OPERAND(base, 1));
    tree pointer = TREE_OPERAND(base, 0);
    for (int depth = 0; depth < 16 && TREE_CODE(pointer) == SSA_NAME; depth++) {
        gimple *def = SSA_NAME_DEF_STMT(pointer);
        const enum tree_code code = is_gimple_assign(def) ? gimple_assign_rhs_code(def) : ERROR_MARK;
        if (code == POINTER_PLUS_EXPR && TREE_CODE(gimple_assign_rhs2(def)) == INTEGER_CST)
            *bytes += (HOST_WIDE_INT)TREE_INT_CST_LOW(gimple_assign_rhs2(def));
        else if (code != SSA_NAME && !CONVERT_EXPR_CODE_P(code))
            break;
        pointer = gimple_assign_rhs1(def);
    }
    return true;
}

/* The handle of a sum in an element: the only one that the clause names, or the one at its place.  */
static tree handle_into(const Walk *w, const SourceLiveIn *live)
{
    tree found = NULL_TREE;
    int count = 0;
    for (int pass = 0; pass<2; pass++, count = count> 1 ? 0 : count)
        for (unsigned i = 0; i < w->totals.length() && (!pass || !count); i++) {
            HOST_WIDE_INT bytes;
            if (!w->totals[i].place || w->totals[i].clause != live->into ||
                (pass && (!live->is_near || !bytes_of_place(w->totals[i].place, &bytes) || bytes != live->behind)))
                continue;
            found = w->totals[i].handle;
            count++;
        }
    return count == 1 ? found : NULL_TREE;
}

/* The handle of a sum that GCC has as the PHI of this name.  */
static tree handle_of(const Walk *w, const SourceVariable *variable)
{
    for (unsigned i = 0; i < w->totals.length(); i++)
        if (w->totals[i].phi && !strcmp(w->totals[i].clause->name, variable->declaration.name) &&
            (!w->totals[i].part || w->totals[i].part == (variable->home_at ? 2 : 1)))
            return w->totals[i].handle;
    return NULL_TREE;
}

static tree type_of_read(SourceType type)
{
    switch (type) {
    case ST_B:
        return boolean_type_node;
    case ST_F32:
        return float_type_node;
    case ST_F64:
        return double_type_node;
    case ST_P:
        return ptr_type_node;
    default:
        return build_nonstandard_integer_type((unsigned)(8 * source_type_bytes(type)), !source_type_is_signed(type));
    }
}

/* The argument of a call of ws_entry_.  */
static tree argument_of(const Entry *entry, const gimple *call, const void *wanted)
{
    for (unsigned i = 0; wanted && entry && call && i < entry->arguments.length(); i++)
        if (entry->arguments[i] == wanted)
            return gimple_call_arg(call, i + 1);
    return NULL_TREE;
}

/* The calls above a grid: its function's own, and that of the function which hands it tensors, or NULL.  */
struct Calls {
    const Entry *own, *site;
    const gimple *own_call, *site_call;
};

/* The argument of the call that makes a tensor.  */
static tree argument_of_tensor(tree tensor, const SourceLiveIn *live)
{
    tensor = tensor ? ssa_resolve(tensor) : NULL_TREE;
    gimple *made = tensor && TREE_CODE(tensor) == SSA_NAME ? SSA_NAME_DEF_STMT(tensor) : NULL;
    if (!made || !is_gimple_call(made) || (int)gimple_call_num_args(made) < live->argument)
        return NULL_TREE;
    tree argument = gimple_call_arg(made, live->argument - 1);
    return live->value->type.dtype == D_I32 && live->value->type.kind == K_SCALAR
               ? fold_convert(integer_type_node, argument)
               : argument;
}

/* What live-ins are read from.  */
struct Sources {
    const Walk *w;
    const Calls *calls;
    const SourceKernel *built;
    const MarkedLoop *mark;
};

static tree expression_of(const Sources *from, const SourceLiveIn *live);

static tree type_of_number(Dtype dtype)
{
    return dtype == D_I1    ? boolean_type_node
           : dtype == D_F32 ? float_type_node
           : dtype == D_F64
               ? double_type_node
               : build_nonstandard_integer_type(8u * (unsigned)dtype_bytes(dtype), !dtype_is_signed(dtype));
}

static enum tree_code code_of(Opcode code)
{
    switch (code) {
    case OP_SCALAR_ADD:
        return PLUS_EXPR;
    case OP_SCALAR_SUB:
        return MINUS_EXPR;
    case OP_SCALAR_MUL:
        return MULT_EXPR;
    case OP_SCALAR_DIV:
        return TRUNC_DIV_EXPR;
    case OP_SCALAR_REM:
        return TRUNC_MOD_EXPR;
    case OP_SCALAR_AND:
        return BIT_AND_EXPR;
    case OP_SCALAR_OR:
        return BIT_IOR_EXPR;
    case OP_SCALAR_XOR:
        return BIT_XOR_EXPR;
    case OP_SCALAR_SHL:
        return LSHIFT_EXPR;
    case OP_SCALAR_SHR:
        return RSHIFT_EXPR;
    case OP_SCALAR_EQ:
        return EQ_EXPR;
    case OP_SCALAR_NE:
        return NE_EXPR;
    case OP_SCALAR_LT:
        return LT_EXPR;
    case OP_SCALAR_LE:
        return LE_EXPR;
    case OP_SCALAR_GT:
        return GT_EXPR;
    case OP_SCALAR_GE:
        return GE_EXPR;
    case OP_SCALAR_MIN:
        return MIN_EXPR;
    case OP_SCALAR_MAX:
        return MAX_EXPR;
    default:
        return ERROR_MARK;
    }
}

/* A number that is computed of live-ins, or NULL.  */
static tree number_of(const Sources *from, const Value *value)
{
    const Op *def = value->def;
    tree type = type_of_number(value->type.dtype), args[3] = {};
    int64_t number;
    if (!def) {
        const SourceLiveIn *live = source_live_in(from->built, value);
        tree expression = live ? expression_of(from, live) : NULL_TREE;
        return expression ? fold_convert(type, expression) : NULL_TREE;
    }
    if (ir_constant(value, &number) && INTEGRAL_TYPE_P(type))
        return build_int_cst(type, number);
    for (int i = 0; i < def->nargs && i < 3; i++)
        if (!(args[i] = number_of(from, def->args[i])))
            return NULL_TREE;
    if (def->code == OP_SCALAR_CONVERT)
        return fold_convert(type, args[0]);
    if (def->code == OP_SCALAR_SELECT)
        return fold_build3(COND_EXPR, type, args[0], args[1], args[2]);
    const enum tree_code code = code_of(def->code);
    if (code == ERROR_MARK || def->nargs != 2)
        return NULL_TREE;
    if (TREE_CODE_CLASS(code) == tcc_comparison)
        return fold_build2(code, boolean_type_node, args[0], args[1]);
    const bool wraps = (code == PLUS_EXPR || code == MINUS_EXPR || code == MULT_EXPR) && INTEGRAL_TYPE_P(type);
    tree inner = wraps ? unsigned_type_for(type) : type;
    return fold_convert(type, fold_build2(code, inner, fold_convert(inner, args[0]), fold_convert(inner, args[1])));
}

struct TableDecl {
    const SourceGlobal *global;
    tree decl;
};
static vec<TableDecl> tables = vNULL;

/* A constant object with the bytes of a global that tables.c has made.  */
static tree table_decl(const SourceGlobal *global)
{
    for (unsigned i = 0; i < tables.length(); i++)
        if (tables[i].global == global)
            return tables[i].decl;
    tree type = build_array_type_nelts(char_type_node, global->bytes);
    tree decl = build_decl(UNKNOWN_LOCATION, VAR_DECL, create_tmp_var_name("table"), type);
    tree bytes = build_string((unsigned)global->bytes, (const char *)global->initial);
    TREE_TYPE(bytes) = type;
    DECL_INITIAL(decl) = bytes;
    TREE_STATIC(decl) = TREE_READONLY(decl) = TREE_CONSTANT(bytes) = DECL_ARTIFICIAL(decl) = 1;
    SET_DECL_ALIGN(decl, (unsigned)global->alignment * BITS_PER_UNIT);
    tables.safe_push(TableDecl{global, decl});
    return decl;
}

static tree decl_of_global(const SourceUnit *unit, const char *name)
{
    const SourceGlobal *global = unit->globals;
    while (global && strcmp(global->name, name))
        global = global->next;
    tree decl = global && global->is_table ? table_decl(global) : global_decl(name);
    if (decl && !varpool_node::get(decl) && plugin.target != TARGET_SEQUENTIAL)
        varpool_node::finalize_decl(decl);
    return decl;
}

static tree root_of(const Walk *w, const Calls *calls, const SourceLiveIn *live)
{
    if (live->devices)
        return devices_how_many(w);
    if (live->argument) {
        SourceLiveIn tensor = *live;
        tensor.argument = 0;
        return argument_of_tensor(root_of(w, calls, &tensor), live);
    }
    if (live->total || live->into)
        return live->total ? handle_of(w, live->total) : handle_into(w, live);
    if (live->global) {
        tree decl = decl_of_global(calls->own->function->unit, live->global);
        return decl ? build_fold_addr_expr(decl) : NULL_TREE;
    }
    if (live->variable && live->variable->inlined_from)
        return argument_of(calls->own, calls->own_call, key_of(live->variable->inlined_from));
    const void *wanted = live->variable ? key_of(live->variable) : live->object->host;
    return calls->site ? argument_of(calls->site, calls->site_call, wanted)
                       : argument_of(calls->own, calls->own_call, wanted);
}

static tree moved_by(const Sources *from, tree pointer, const Value *bytes)
{
    tree number = pointer && bytes ? number_of(from, bytes) : NULL_TREE;
    if (!pointer || !bytes)
        return pointer;
    return number ? fold_build_pointer_plus(fold_convert(ptr_type_node, pointer), fold_convert(sizetype, number))
                  : NULL_TREE;
}

/* The pointer and some bytes; zeros where it is NULL, as it may be where the grid has no iterations.  */
static tree readable(tree pointer, tree bytes)
{
    tree base = pointer;
    STRIP_NOPS(base);
    if (TREE_CODE(base) == ADDR_EXPR)
        return fold_build_pointer_plus(pointer, fold_convert(sizetype, bytes));
    tree type = build_function_type_list(const_ptr_type_node, const_ptr_type_node, long_integer_type_node, NULL_TREE);
    tree decl = build_fn_decl("ws_readable_", type);
    DECL_PURE_P(decl) = 1;
    return build_call_expr(decl, 2, fold_convert(const_ptr_type_node, pointer),
                           fold_convert(long_integer_type_node, bytes));
}

/* What lies behind a pointer.  */
static tree read_behind(const Sources *from, tree pointer, const SourceLiveIn *live)
{
    for (int i = 0; i < live->nreads && pointer; i++) {
        tree type = type_of_read(i + 1 < live->nreads ? ST_P : live->read);
        tree bytes = build_int_cst(long_integer_type_node, live->reads[i]);
        tree varying = live->varying[i] ? number_of(from, live->varying[i]) : NULL_TREE;
        if (live->varying[i] && !varying)
            return NULL_TREE;
        if (varying)
            bytes =
                fold_build2(PLUS_EXPR, long_integer_type_node, fold_convert(long_integer_type_node, varying), bytes);
        pointer = fold_build2(MEM_REF, type, readable(pointer, bytes), build_int_cst(ptr_type_node, 0));
    }
    if (pointer && live->behind)
        pointer = fold_build_pointer_plus_hwi(pointer, live->behind);
    pointer = moved_by(from, pointer, live->varying_behind);
    return pointer && live->is_set ? fold_convert(integer_type_node, fold_build2(NE_EXPR, boolean_type_node, pointer,
                                                                                 build_zero_cst(TREE_TYPE(pointer))))
                                   : pointer;
}

/* How many bytes there are behind the pointer, by a clause; NULL: no clause says it.  */
static tree bytes_of_extent(const Sources *from, tree pointer)
{
    unsigned count = gimple_call_num_args(from->mark->marker) - (from->mark->pragma->from ? 1 : 0);
    for (unsigned i = 1; pointer && i + 1 < count; i += 2)
        if (operand_equal_p(ssa_resolve(gimple_call_arg(from->mark->marker, i)), ssa_resolve(pointer), 0))
            return ssa_resolve(gimple_call_arg(from->mark->marker, i + 1));
    return NULL_TREE;
}

/* Where rows begin, or their distance: a call of what reads memory and does nothing else.  */
static tree row_of(const Sources *from, tree array, const SourceLiveIn *live)
{
    tree bytes = bytes_of_extent(from, array), number = long_integer_type_node, type;
    if (!bytes)
        return NULL_TREE;
    const char *name = live->variable->declaration.name ? live->variable->declaration.name : "the array";
    tree args[] = {fold_convert(const_ptr_type_node, array), bytes, build_int_cst(number, live->row_bytes),
                   build_string_literal((int)strlen(name) + 1, name)};
    type = live->is_number
               ? build_function_type_list(number, const_ptr_type_node, number, number, const_ptr_type_node, NULL_TREE)
               : build_function_type_list(const_ptr_type_node, const_ptr_type_node, number, NULL_TREE);
    tree decl = build_fn_decl(live->is_number ? "ws_rows_distance_" : "ws_rows_base_", type);
    DECL_PURE_P(decl) = 1;
    return build_call_expr_loc_array(UNKNOWN_LOCATION, decl, live->is_number ? 4 : 2, args);
}

static tree expression_of(const Sources *from, const SourceLiveIn *live)
{
    tree root = root_of(from->w, from->calls, live);
    tree read = live->into ? root : read_behind(from, root, live);
    return live->row_bytes           ? row_of(from, read, live)
           : live->is_number && read ? fold_convert(long_integer_type_node, read)
                                     : read;
}

static void add_live_in(Walk *w, tree expression, Value *value)
{
    w->livein.safe_push(LiveIn{expression, value});
}

/* extent(x: n) and order(from(x)): pointers and bytes in turn behind the marker's number, then the start.  */
static void add_clauses(Walk *w, const MarkedLoop &mark, const SourceKernel *built)
{
    unsigned count = gimple_call_num_args(mark.marker);
    if (mark.pragma->from && count > 1) {
        tree from = ssa_resolve(gimple_call_arg(mark.marker, --count));
        add_live_in(w, from, source_add_from(built));
    }
    for (unsigned i = 1; i + 1 < count && w->kernel->grid.plain; i += 2) {
        tree pointer = ssa_resolve(gimple_call_arg(mark.marker, i));
        tree bytes = ssa_resolve(gimple_call_arg(mark.marker, i + 1));
        int base = -1;
        for (unsigned k = 0; k < w->livein.length(); k++)
            if (operand_equal_p(ssa_resolve(w->livein[k].expression), pointer, 0))
                base = (int)k;
        if (base < 0) /* the grid does not use the array */
            continue;
        if (TREE_CODE(bytes) == SSA_NAME && defined_in_region(w, bytes)) {
            reject(w->kernel, w->kernel->loc, REASON_NOT_IN_A_GRID, "a clause with an expression of the program");
            return;
        }
        add_live_in(w, bytes, source_add_extent(built, base));
    }
}

/* require: a walk without operations.   ensure: its kernel and its live-ins, or an error.  */
void entry_walk(Walk *w, const MarkedLoop &mark)
{
    const int number = (int)tree_to_shwi(gimple_call_arg(mark.marker, 0));
    Entry *entry = entry_of(number);
    transcribe_finish();
    Calls calls = {entry, NULL, entry_above(mark.loop, is_mark, number), NULL};
    if (entry && strcmp(function_name(w->fn->decl), entry->function->name))
        calls.site_call = entry_above(mark.loop, is_site, 0);
    if (calls.site_call)
        calls.site = entry = entry_of((int)tree_to_shwi(gimple_call_arg(calls.site_call, 0)));
    const Loc *site = calls.site ? &calls.site->site : NULL;
    if (!entry) {
        reject(w->kernel, w->kernel->loc, REASON_NOT_IN_A_GRID, "loops that are not read");
        return;
    }
    const bool prepared = entry->prepared;
    for (unsigned i = 0; i < entries.length(); i++)
        entries[i].prepared |= entries[i].function == entry->function;
    if (!prepared && !entry->function->failed)
        source_prepare(entry->function);
    const SourceKernel built = source_build_variants(w->kernel, entry->function, number, site, clauses_of, NULL,
                                                     choice_table(), plugin.target != TARGET_SEQUENTIAL);
    const Sources from = {w, &calls, &built, &mark};
    unsigned totals = 0;
    for (int i = 0; i < built.nlive_ins; i++)
        totals += built.live_ins[i].total || built.live_ins[i].into;
    if (!w->kernel->failed)
        total_collect(w);
    if (!w->kernel->failed && totals != w->totals.length())
        reject(w->kernel, w->kernel->loc, REASON_NOT_IN_A_GRID, "a sum in an element of an array");
    for (int i = 0; i < built.nlive_ins && !w->kernel->failed; i++) {
        tree expression = expression_of(&from, &built.live_ins[i]);
        if (!expression && built.live_ins[i].row_bytes)
            reject(w->kernel, built.live_ins[i].value->loc, REASON_POINTER_ARRAY_UNKNOWN);
        else if (!expression)
            reject(w->kernel, w->kernel->loc, REASON_NOT_IN_A_GRID,
                   arena_print(plugin.module, "the value of '%s' from outside the grid",
                               built.live_ins[i].value->name ? built.live_ins[i].value->name : "a variable"));
        w->livein.safe_push(LiveIn{expression, built.live_ins[i].value});
    }
    if (!w->kernel->failed)
        add_clauses(w, mark, &built);
    if (plugin.target == TARGET_SEQUENTIAL && !w->kernel->failed)
        place_find(w, built.shown, built.nshown);
}

void entry_remove(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i);) {
        if (!is_entry(gsi_stmt(i))) {
            gsi_next(&i);
            continue;
        }
        unlink_stmt_vdef(gsi_stmt(i));
        release_defs(gsi_stmt(i));
        gsi_remove(&i, true);
    }
}

void entry_register(void)
{
    static const ggc_root_tab roots[] = {
        {&entry_decl, 1, sizeof entry_decl, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node}, LAST_GGC_ROOT_TAB};
    register_callback("wsc", PLUGIN_REGISTER_GGC_ROOTS, NULL, CONST_CAST(ggc_root_tab *, roots));
}
