/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate.c - do the programs of the roles together compute what the source says?
 *
 *   source                                   producer                        consumer
 *   for (k = 0; k < K; k += 64)              for (k ...)                     for (k ...)
 *     ta = ws_load (a, i, k, ..)               slot = put                      slot = get
 *     tb = ws_load (b, j, k, ..)               copy_in ta[slot], a, i, k       acc = mma ta[slot], tb[slot], acc
 *     acc = ws_dot (ta, ws_trans (tb), acc)    copy_in tb[slot], b, j, k
 *
 * Translation validation (Pnueli, Siegel, Singerman 1998; Necula 2000; for a compiler's own output, on each compile).
 * Each program is run once on terms (terms.c) beside the source, as freeze found it, each loop from an unknown
 * iteration (validate-control.c).  Shown for every role and group, all trip counts and all paths:
 *
 *   - the n-th put of a ring copies what the n-th execution of its loads reads; the n-th get stands for the same
 *     execution; so all roles see one sequence of slots
 *   - rows beyond a tensor's that a copy may leave out, and columns that a product may, reach nothing that is stored
 *     (present.c)
 *   - what the blocks of a cluster bring together is, share by share, the tile that each of them loads (cluster.c)
 *   - loops and branches go by the conditions of the source, in its order
 *   - every store of the source is made, once by the groups together, of the value and at the place that the source
 *     says, in the order that memory needs; nothing else is stored
 *   - each C variable holds the value that the printed text reads from it (validate-variables.c)
 *
 * That a value is there when it is looked at is for the other half (protocol.c) to show.
 *
 * A tile of a cluster that is none of the grid's is like any other here: that its stores are left out, and so what is
 * loaded for it alone, is how the printed text and the interpreter take them.
 *
 * Assumed: signed scalars do not overflow; iterations of the grid are independent, and tensors apart, as the language
 * says and the launcher checks; an operation of ops.def does what it says; an engine's product is the dot that it
 * stands for.
 */
#include "machine/plan.h"
#include "ir/queries.h"
#include "proof/validator.h"

/* ---- loads that another role makes ------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const Op *load;
    const Op *store; /* that may come before it */
} Conflict;

static void visit_store(Op *op, void *context)
{
    Conflict *conflict = context;
    const Op *load = conflict->load, *root = tensor_root(load->args[0]);
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op))
        return;
    const Op *other = tensor_root(op->args[0]);
    if (root && other && root->args[0] != other->args[0])
        return;
    const Op *loop = outermost_loop(load);
    bool before = op->position < load->position;
    if ((before || (loop && loop == outermost_loop(op))) && !(load_is_in_place(load, op) && !before))
        conflict->store = op;
}

static void visit_order(Op *op, void *context)
{
    int *count = context;
    op->position = (*count)++;
}

/* A ring may be filled any time ahead: nothing that the region stores before a load may be what it reads.  */
static bool loads_may_move(Kernel *kernel)
{
    int count = 0;
    ir_walk(kernel->body, visit_order, &count);
    FOR_AREFS (aref, kernel)
        for (int i = 0; i < aref->nstorages; i++) {
            const Op *source = aref->payload[i]->def;
            Conflict conflict = {kernel, source, NULL};
            if (source->code == OP_LOAD)
                ir_walk(kernel->body, visit_store, &conflict);
            if (conflict.store) {
                BUG_AT(kernel, source->loc,
                       "the load goes through ring '%s', but the store of line %d may write what it reads", aref->name,
                       conflict.store->loc.line);
                return false;
            }
        }
    return true;
}

/* ---- roles ------------------------------------------------------------------------------------------------------- */

typedef struct {
    Validator *in;
    bool *seen;
} Bases;

static void visit_base(Op *op, void *context)
{
    Bases *bases = context;
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op))
        return;
    const Op *root = tensor_root(op->args[0]);
    const Value *base = root ? root->args[0] : NULL;
    int nparams = bases->in->kernel->nparams;
    bases->seen[base && !base->def && !base->block ? base->index : nparams] = true;
}

static void find_bases(Validator *in)
{
    Kernel *kernel = in->kernel;
    bool *seen = arena_alloc(kernel->module, (size_t)kernel->nparams + 1);
    Bases bases = {in, seen};
    ir_walk(kernel->body, visit_base, &bases);
    in->stored_bases = arena_alloc(kernel->module, (size_t)(kernel->nparams + 1) * sizeof(int));
    for (int i = 0; i <= kernel->nparams; i++)
        if (seen[i])
            in->stored_bases[in->nstored++] = i < kernel->nparams ? i : -1;
}

static bool run_once(Validator *in, int leader, int mine)
{
    Module *module = in->kernel->module;
    const Term *none[1] = {0};
    in->leader = leader;
    in->mine = mine;
    const Term *memory[in->nstored + 1];
    for (int k = 0; k < in->nstored; k++)
        memory[k] = in->memory[k] = term_symbol(&in->terms);
    int nstorages = 0;
    FOR_STORAGES (storage, in->kernel)
        nstorages++;
    in->staged = arena_alloc(module, (size_t)(nstorages + 1) * sizeof *in->staged);
    in->open[0] = instance_new(in, in->kernel->body, NULL, none, memory);
    in->nopen = 1;
    if (in->role->body->nargs)
        in->known[in->role->body->args[0]->id] = (Known){in->group, SPREAD_WHOLE, NULL};
    if (in->role->body->nargs)
        variable_write(in, in->role->body->args[0]);
    return run_block(in, in->role->body) && is_complete(in, in->open[0]);
}

/* Every answer to what the groups ask themselves.  */
static bool run_role(Validator *in)
{
    if (!run_once(in, -1, -1))
        return false;
    bool leads = in->leader >= 0, turns = in->mine >= 0;
    for (int run = 1; run < 4; run++) {
        bool other_leader = run & 1, other_turn = run & 2;
        if ((other_leader && !leads) || (other_turn && !turns))
            continue;
        if (!run_once(in, !leads ? -1 : !other_leader, !turns ? -1 : !other_turn))
            return false;
    }
    return true;
}

static Validator *validator_new(Kernel *kernel, Labels *labels)
{
    Module *module = kernel->module;
    size_t nvalues = (size_t)module->next_id + 1;
    Validator *in = arena_alloc(module, sizeof *in);
    in->kernel = kernel;
    in->labels = labels;
    in->variance = variance_new(kernel);
    terms_init(&in->terms, module);
    in->params = arena_alloc(module, (size_t)(kernel->nparams + 1) * sizeof *in->params);
    for (int i = 0; i <= kernel->nparams; i++)
        in->params[i] = term_symbol(&in->terms);
    in->group = term_symbol(&in->terms);
    in->ordinal = term_symbol(&in->terms);
    in->slots = arena_alloc(module, nvalues * sizeof *in->slots);
    in->known = arena_alloc(module, nvalues * sizeof *in->known);
    find_bases(in);
    held_init(in);
    loop_classes_init(in);
    in->memory = arena_alloc(module, (size_t)(in->nstored + 1) * sizeof *in->memory);
    return in;
}

static bool report(Validator *in)
{
    const Op *where = in->where;
    Loc loc = where && where->loc.line ? where->loc : in->kernel->loc;
    BUG_AT(in->kernel, loc, "'%s', at '%s': %s", in->role->name, where ? op_info[where->code].text : "its end",
           in->why ? in->why : "differs from the source");
    return false;
}

typedef struct {
    Kernel *kernel;
    Uses uses;
    bool apart;
} Present;

static void visit_present(Op *op, void *context)
{
    Present *in = context;
    if (in->apart && op->code == OP_DOT && op->nargs > 3 && !columns_reach_nothing(in->kernel, &in->uses, op)) {
        BUG_AT(in->kernel, op->loc, "columns that a product may leave out are looked at");
        in->apart = false;
    }
    if (!in->apart || op->code != OP_LOAD ||
        ((!op->transfer->present || rows_stay_apart(in->kernel, &in->uses, op)) &&
         (!op->transfer->clipped || rows_clipped(in->kernel, &in->uses, op) == op->transfer->clipped)))
        return;
    BUG_AT(in->kernel, op->loc, "rows that '%s' does not have are looked at",
           op->args[0]->name ? op->args[0]->name : "?");
    in->apart = false;
}

/* Where rows need not come, nothing sees them.  */
static bool check_present(Kernel *kernel)
{
    Present in = {kernel, uses_new(kernel, kernel->body), true};
    ir_walk(kernel->body, visit_present, &in);
    return in.apart;
}

typedef struct {
    Validator *in;
    const Op *twice, *lost;
} Storing;

static void visit_role_store(Op *op, void *context)
{
    Storing *storing = context;
    if (op_info[op->code].class_ != CLASS_STORE)
        return;
    const Role **role = &storing->in->storing[stored_place(storing->in, op)];
    storing->twice = *role && *role != storing->in->role ? op : storing->twice;
    *role = storing->in->role;
}

static void visit_source_store(Op *op, void *context)
{
    Storing *storing = context;
    if (op_info[op->code].class_ == CLASS_STORE && !storing->in->storing[stored_place(storing->in, op)])
        storing->lost = op;
}

/* All stores to one memory are one role's, which knows what stands there.  */
static bool find_storing(Validator *in)
{
    Kernel *kernel = in->kernel;
    Storing storing = {in, NULL, NULL};
    in->storing = arena_alloc(kernel->module, (size_t)(in->nstored + 1) * sizeof *in->storing);
    FOR_ROLES (role, kernel) {
        in->role = role;
        ir_walk(role->body, visit_role_store, &storing);
    }
    ir_walk(kernel->body, visit_source_store, &storing);
    const Op *wrong = storing.twice ? storing.twice : storing.lost;
    if (wrong)
        BUG_AT(kernel, wrong->loc, "%s roles make the stores to one memory", storing.twice ? "two" : "no");
    return !wrong;
}

/* Where groups of a role divide rows, nothing orders what one stores and another loads or stores: of the pairs that may
   meet both are divided, at the same rows, or one group makes both.  */
typedef struct {
    Validator *in;
    const Op *store, *wrong;
} Meeting;

static void visit_meeting(Op *op, void *context)
{
    Meeting *meeting = context;
    const Validator *in = meeting->in;
    const Op *store = meeting->store;
    bool load = op_info[op->code].class_ == CLASS_LOAD && !op->aref;
    bool other = op_info[op->code].class_ == CLASS_STORE && !op_prints(op) && op != store;
    if (!(load || other) || tensor_memory(op->args[0]) != tensor_memory(store->args[0]) ||
        (other && stores_apart(store, op)))
        return;
    const int row = row_coordinate(op), store_row = row_coordinate(store);
    const Value *tile = store->args[store->nargs - 1], *value = load ? op->results[0] : op->args[op->nargs - 1];
    const bool divided = load ? (value->split & ROLE_BIT(in->role)) != 0 : is_divided(in, op);
    const bool across = is_divided_across(in, store) || (other && is_divided_across(in, op));
    const bool whole = other && !divided && !is_divided(in, store) && !across;
    const bool together = divided && is_divided(in, store) && row >= 0 && store_row >= 0 &&
                          op->args[row] == store->args[store_row] && tile->type.rows == value->type.rows;
    meeting->wrong = whole || together ? meeting->wrong : op;
}

static void visit_meeting_store(Op *op, void *context)
{
    Meeting *meeting = context;
    Validator *in = meeting->in;
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op) || in->storing[stored_place(in, op)] != in->role)
        return;
    meeting->store = op;
    ir_walk(in->kernel->body, visit_meeting, meeting);
}

static bool groups_stay_apart(Validator *in)
{
    Meeting meeting = {in, NULL, NULL};
    if (in->groups > 1)
        ir_walk(in->kernel->body, visit_meeting_store, &meeting);
    if (meeting.wrong)
        BUG_AT(in->kernel, meeting.wrong->loc, "groups of '%s' may meet in memory that one of them stores to",
               in->role->name);
    return !meeting.wrong;
}

bool validate_programs(Kernel *kernel, Labels *labels)
{
    Validator *in = validator_new(kernel, labels);
    if (!freeze_holds(kernel)) {
        BUG(kernel, "the body is not what was frozen");
        return false;
    }
    if (!loads_may_move(kernel) || !check_present(kernel) || !find_storing(in))
        return false;
    FOR_ROLES (role, kernel) {
        in->role = role;
        in->groups = role_sharers(kernel, role);
        if (!groups_stay_apart(in))
            return false;
        order_number(role);
        in->labels = &labels[role->id];
        in->labels->count = role->body->last ? order_end(role->body->last) + 1 : 0;
        in->labels->source = arena_alloc(kernel->module, (size_t)(in->labels->count + 1) * sizeof *in->labels->source);
        if (!run_role(in))
            return report(in);
    }
    kernel->proof.terms = in->terms.count;
    return true;
}
