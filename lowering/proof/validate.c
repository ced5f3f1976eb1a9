/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate.c - translation validation: the programs of the roles together compute what the source says.
 *
 *      source                                   producer                        consumer
 *      for (k = 0; k < K; k += 64)              for (k ...)                     for (k ...)
 *        ta = ws_load (a, i, k, ..)               slot = put                      slot = get
 *        tb = ws_load (b, j, k, ..)               copy_in ta[slot], a, i, k       acc = mma ta[slot], tb[slot], acc
 *        acc = ws_dot (ta, ws_trans (tb), acc)    copy_in tb[slot], b, j, k
 *
 * Method.  Translation validation (Pnueli, Siegel, Singerman 1998; Necula 2000), on each compile.  Each role's program
 * is run once on terms (terms.c) beside the source, which is the body that freeze saw.  Each loop is run from an
 * unknown iteration (validate-control.c).  The result holds for every role and group, all trip counts and all paths:
 *
 *   - The n-th put of a ring copies the tiles that the n-th execution of its loads reads.  The n-th get returns the
 *     slot of the same execution.  So all roles see one sequence of slots.
 *   - Out-of-bounds rows that a copy may skip, and columns that a product may skip, cannot influence a store
 *     (skip-oob.c).
 *   - The shares that the blocks of a cluster copy are together the tile that each of them loads (cluster.c).
 *   - Loops and branches take the conditions of the source, in its order.
 *   - Every store of the source is made, once by all groups together, with its value, at its place, in the order that
 *     memory needs.  There is no other store.
 *   - Each C variable holds the value that the printed text reads from it (validate-variables.c).
 *
 * protocol.c shows that a value has arrived when it is read.
 *
 * A tile of a cluster outside the grid is treated like any other tile.  The printed text and the interpreter leave out
 * its stores, and so the loads for it alone.
 *
 * Assumptions.  Signed scalars do not overflow.  Iterations of the grid are independent, and tensors do not overlap, as
 * the language says and the launcher checks.  An operation of ops.def does what its row says.  A product of the tensor
 * cores is the dot that it stands for.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "optimize/skip-oob.h"
#include "proof/validator.h"
#include "roles/order.h"

/* ---- loads that another role makes ------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const Op *load;
    const Op *store; /* a store that may come before the load */
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

/* True if no store of the region may come before a load through a ring and write what it reads.  A ring may be filled
   any time ahead.  */
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
    Validator *validator;
    bool *seen;
} Bases;

static void visit_base(Op *op, void *context)
{
    Bases *bases = context;
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op))
        return;
    const Op *root = tensor_root(op->args[0]);
    const Value *base = root ? root->args[0] : NULL;
    int nparams = bases->validator->kernel->nparams;
    bases->seen[base && !base->def && !base->block ? base->index : nparams] = true;
}

static void find_bases(Validator *validator)
{
    Kernel *kernel = validator->kernel;
    bool *seen = arena_alloc(kernel->module, (size_t)kernel->nparams + 1);
    Bases bases = {validator, seen};
    ir_walk(kernel->body, visit_base, &bases);
    validator->stored_bases = arena_alloc(kernel->module, (size_t)(kernel->nparams + 1) * sizeof(int));
    for (int i = 0; i <= kernel->nparams; i++)
        if (seen[i])
            validator->stored_bases[validator->nstored++] = i < kernel->nparams ? i : -1;
}

static bool run_once(Validator *validator, int leader, int mine)
{
    Module *module = validator->kernel->module;
    const Term *none[1] = {0};
    validator->leader = leader;
    validator->mine = mine;
    const Term *memory[validator->nstored + 1];
    for (int k = 0; k < validator->nstored; k++)
        memory[k] = validator->memory[k] = term_symbol(&validator->terms);
    int nstorages = 0;
    FOR_STORAGES (storage, validator->kernel)
        nstorages++;
    validator->staged = arena_alloc(module, (size_t)(nstorages + 1) * sizeof *validator->staged);
    validator->open[0] = instance_new(validator, validator->kernel->body, NULL, none, memory);
    validator->nopen = 1;
    if (validator->role->body->nargs)
        validator->known[validator->role->body->args[0]->id] = (Known){validator->group, SPREAD_WHOLE, NULL};
    if (validator->role->body->nargs)
        variable_write(validator, validator->role->body->args[0]);
    return run_block(validator, validator->role->body) && is_complete(validator, validator->open[0]);
}

/* Runs the role once for each combination of results of the tests on its groups' numbers (own_question).  */
static bool run_role(Validator *validator)
{
    if (!run_once(validator, -1, -1))
        return false;
    bool leads = validator->leader >= 0, turns = validator->mine >= 0;
    for (int run = 1; run < 4; run++) {
        bool other_leader = run & 1, other_turn = run & 2;
        if ((other_leader && !leads) || (other_turn && !turns))
            continue;
        if (!run_once(validator, !leads ? -1 : !other_leader, !turns ? -1 : !other_turn))
            return false;
    }
    return true;
}

static Validator *validator_new(Kernel *kernel, Labels *labels)
{
    Module *module = kernel->module;
    size_t nvalues = (size_t)module->next_id + 1;
    Validator *validator = arena_alloc(module, sizeof *validator);
    validator->kernel = kernel;
    validator->labels = labels;
    validator->variance = variance_new(kernel);
    terms_init(&validator->terms, module);
    validator->params = arena_alloc(module, (size_t)(kernel->nparams + 1) * sizeof *validator->params);
    for (int i = 0; i <= kernel->nparams; i++)
        validator->params[i] = term_symbol(&validator->terms);
    validator->group = term_symbol(&validator->terms);
    validator->ordinal = term_symbol(&validator->terms);
    validator->slots = arena_alloc(module, nvalues * sizeof *validator->slots);
    validator->known = arena_alloc(module, nvalues * sizeof *validator->known);
    find_bases(validator);
    held_init(validator);
    loop_classes_init(validator);
    validator->memory = arena_alloc(module, (size_t)(validator->nstored + 1) * sizeof *validator->memory);
    return validator;
}

static bool report(Validator *validator)
{
    const Op *where = validator->where;
    Loc loc = where && where->loc.line ? where->loc : validator->kernel->loc;
    BUG_AT(validator->kernel, loc, "'%s', at '%s': %s", validator->role->name,
           where ? op_info[where->code].text : "its end", validator->why ? validator->why : "differs from the source");
    return false;
}

typedef struct {
    Kernel *kernel;
    Uses uses;
    bool apart;
} SkipOob;

static void visit_skip_oob(Op *op, void *context)
{
    SkipOob *skip_oob = context;
    if (skip_oob->apart && op->code == OP_DOT && op->nargs > 3 &&
        !columns_reach_nothing(skip_oob->kernel, &skip_oob->uses, op)) {
        BUG_AT(skip_oob->kernel, op->loc, "columns that a product may leave out are looked at");
        skip_oob->apart = false;
    }
    if (!skip_oob->apart || op->code != OP_LOAD ||
        ((!op->transfer->skip_oob || rows_stay_apart(skip_oob->kernel, &skip_oob->uses, op)) &&
         (!op->transfer->skip_step || rows_in_step(skip_oob->kernel, &skip_oob->uses, op) == op->transfer->skip_step)))
        return;
    BUG_AT(skip_oob->kernel, op->loc, "rows that '%s' does not have are looked at",
           op->args[0]->name ? op->args[0]->name : "?");
    skip_oob->apart = false;
}

/* True if the rows and columns that copies and products may skip cannot influence a store.  */
static bool check_skip_oob(Kernel *kernel)
{
    SkipOob skip_oob = {kernel, uses_new(kernel, kernel->body), true};
    ir_walk(kernel->body, visit_skip_oob, &skip_oob);
    return skip_oob.apart;
}

typedef struct {
    Validator *validator;
    const Op *twice, *lost;
} Storing;

static void visit_role_store(Op *op, void *context)
{
    Storing *storing = context;
    if (op_info[op->code].class_ != CLASS_STORE)
        return;
    const Role **role = &storing->validator->storing[stored_place(storing->validator, op)];
    storing->twice = *role && *role != storing->validator->role ? op : storing->twice;
    *role = storing->validator->role;
}

static void visit_source_store(Op *op, void *context)
{
    Storing *storing = context;
    if (op_info[op->code].class_ == CLASS_STORE && !storing->validator->storing[stored_place(storing->validator, op)])
        storing->lost = op;
}

/* Finds the role that stores to each memory.  One role makes all stores to a memory, so that it knows the contents.  */
static bool find_storing(Validator *validator)
{
    Kernel *kernel = validator->kernel;
    Storing storing = {validator, NULL, NULL};
    validator->storing = arena_alloc(kernel->module, (size_t)(validator->nstored + 1) * sizeof *validator->storing);
    FOR_ROLES (role, kernel) {
        validator->role = role;
        ir_walk(role->body, visit_role_store, &storing);
    }
    ir_walk(kernel->body, visit_source_store, &storing);
    const Op *wrong = storing.twice ? storing.twice : storing.lost;
    if (wrong)
        BUG_AT(kernel, wrong->loc, "%s roles make the stores to one memory", storing.twice ? "two" : "no");
    return !wrong;
}

/* A search for accesses of two groups that meet.  If groups divide rows, nothing orders a store of one and an access of
   another to the same memory.  So both accesses are divided alike and at the same rows, or one group makes both.  */
typedef struct {
    Validator *validator;
    const Op *store, *wrong;
} Meeting;

static void visit_meeting(Op *op, void *context)
{
    Meeting *meeting = context;
    const Validator *validator = meeting->validator;
    const Op *store = meeting->store;
    bool load = op_info[op->code].class_ == CLASS_LOAD && !op->aref;
    bool other = op_info[op->code].class_ == CLASS_STORE && !op_prints(op) && op != store;
    if (!(load || other) || tensor_memory(op->args[0]) != tensor_memory(store->args[0]) ||
        (other && stores_apart(store, op)))
        return;
    const int row = row_coordinate(op), store_row = row_coordinate(store);
    const Value *tile = store->args[store->nargs - 1], *value = load ? op->results[0] : op->args[op->nargs - 1];
    const bool divided = load ? (value->split & ROLE_BIT(validator->role)) != 0 : is_divided(validator, op);
    const bool across = is_divided_across(validator, store) || (other && is_divided_across(validator, op));
    const bool whole = other && !divided && !is_divided(validator, store) && !across;
    const bool together = divided && is_divided(validator, store) && row >= 0 && store_row >= 0 &&
                          op->args[row] == store->args[store_row] && tile->type.rows == value->type.rows;
    meeting->wrong = whole || together ? meeting->wrong : op;
}

static void visit_meeting_store(Op *op, void *context)
{
    Meeting *meeting = context;
    Validator *validator = meeting->validator;
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op) ||
        validator->storing[stored_place(validator, op)] != validator->role)
        return;
    meeting->store = op;
    ir_walk(validator->kernel->body, visit_meeting, meeting);
}

static bool groups_stay_apart(Validator *validator)
{
    Meeting meeting = {validator, NULL, NULL};
    if (validator->groups > 1)
        ir_walk(validator->kernel->body, visit_meeting_store, &meeting);
    if (meeting.wrong)
        BUG_AT(validator->kernel, meeting.wrong->loc, "groups of '%s' may meet in memory that one of them stores to",
               validator->role->name);
    return !meeting.wrong;
}

bool validate_programs(Kernel *kernel, Labels *labels)
{
    Validator *validator = validator_new(kernel, labels);
    if (!freeze_holds(kernel)) {
        BUG(kernel, "the body is not what was frozen");
        return false;
    }
    if (!loads_may_move(kernel) || !check_skip_oob(kernel) || !find_storing(validator))
        return false;
    FOR_ROLES (role, kernel) {
        validator->role = role;
        validator->groups = role_sharers(kernel, role);
        if (!groups_stay_apart(validator))
            return false;
        order_number(role);
        validator->labels = &labels[role->id];
        validator->labels->count = role->body->last ? order_end(role->body->last) + 1 : 0;
        validator->labels->source =
            arena_alloc(kernel->module, (size_t)(validator->labels->count + 1) * sizeof *validator->labels->source);
        if (!run_role(validator))
            return report(validator);
    }
    kernel->proof.terms = validator->terms.count;
    return true;
}
