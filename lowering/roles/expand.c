/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expand.c - makes products asynchronous, and places waits and releases, by the schedule table (Tawa, III-D.1).
 *
 *      before (consumer, P = 2)                   after
 *      for (k ...)                                for (k ...)
 *        slot = get                                 slot = get
 *        acc = dot va, vb, acc                      acc = mma va, vb, acc          started, not awaited
 *        consumed, one late                         commit
 *                                                   acc = wait 1 (acc)             the previous iteration's is done
 *                                                   consumed, one late             so its slot is free
 *      store c, i, j, acc                         acc = wait 0 (acc)
 *                                                 consumed
 *                                                 store c, i, j, acc
 *
 * A product whose accumulator only the loop carries stays in flight over the iteration's end. Its group is committed
 * behind the last such product of the iteration. At the end of the iteration a wait leaves P-1 groups pending. An
 * iteration commits one group on every path through its branches:
 *
 *      if (k > i)                                   if (k > i)
 *        acc1 = dot va, vb, acc                       acc1 = mma va, vb, acc; commit
 *      else                                         else
 *        acc1 = acc                                   acc1 = acc; commit nothing
 *
 * For every other product the wait stands before the first operation that reads its result, or at the end of its block.
 * If an operand of the product comes from the iteration before, the wait stands before the last exponential of this
 * iteration. A release stands behind the last read of the slot.
 */
#include "ir/queries.h"
#include "passes.h"
#include "roles/stages.h"
#include "target/operands.h"

/* The token of a product without a wait, and its committed group.  */
typedef struct {
    Value *token;
    int group;
} Pending;

/* A product that a loop carries over the end of its iterations.  */
typedef struct Flight Flight;
struct Flight {
    Op *dot, *loop;
    int index; /* index of the carried value */
    Flight *next;
};

typedef struct {
    Kernel *kernel;
    Role *role;
    Uses uses;
    Flight *flights;
    Pending *pending; /* products of this block without a wait */
    int npending;
    Op *first;  /* the oldest product of this block since the last wait; NULL: none */
    int groups; /* number of groups committed in this block */
} Expander;

static Op *sync_op(const Expander *expander, const Op *origin, Opcode code)
{
    Op *op = op_new(expander->kernel, code, origin->loc, 0, NULL);
    op->origin = origin->origin;
    schedule_op(op)->roles = ROLE_BIT(expander->role);
    return op;
}

static Op *wait_op(const Expander *expander, const Op *origin, int pending)
{
    Op *wait = sync_op(expander, origin, OP_WAIT);
    wait->sync->pending = pending;
    return wait;
}

/* Replaces the token by the wait's result everywhere except in the wait itself.  */
static Value *add_waited(const Expander *expander, Op *wait, Value *token, Kind kind)
{
    Value *result = op_result(expander->kernel, wait, type_kind(kind, token->type), token->name);
    result->split = token->split;
    ir_replace_uses(expander->role->body, token, result);
    op_add_arg(expander->kernel, wait, token);
    return result;
}

/* ---- products that the block itself waits for -------------------------------------------------------------------- */

static int count_uses(const Block *block, const Value *value)
{
    int count = 0;
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nargs; i++)
            count += op->args[i] == value;
        for (int k = 0; k < op->nblocks; k++)
            count += count_uses(op->blocks[k], value);
    }
    return count;
}

/* Inserts a wait for committed group `group` and all earlier groups. Later groups stay in flight.  */
static void wait_for(Expander *expander, Op *before, int group)
{
    Op *wait = wait_op(expander, before, expander->groups - 1 - group);
    op_before(before, wait);
    int kept = 0;
    for (int i = 0; i < expander->npending; i++)
        if (expander->pending[i].group <= group)
            add_waited(expander, wait, expander->pending[i].token, K_TILE);
        else {
            expander->pending[kept++] = expander->pending[i];
        }
    expander->npending = kept;
    expander->first = NULL;
}

/* The newest committed group whose result `op` reads; -1: none. The next product of a chain does not count, since it
   only adds.  */
static int group_needed(const Expander *expander, const Op *op)
{
    int group = -1;
    for (int i = 0; i < expander->npending; i++) {
        if (expander->pending[i].group <= group || !uses_value(op, expander->pending[i].token))
            continue;
        bool chain = op->code == OP_MMA && op->args[2] == expander->pending[i].token &&
                     op->args[0] != expander->pending[i].token;
        if (!chain || count_uses(expander->role->body, expander->pending[i].token) != 1)
            group = expander->pending[i].group;
    }
    return group;
}

/* The newest group without a wait; -1: none.  */
static int newest_group(const Expander *expander)
{
    int group = -1;
    for (int i = 0; i < expander->npending; i++)
        group = expander->pending[i].group > group ? expander->pending[i].group : group;
    return group;
}

static bool is_exponential(const Op *op)
{
    bool tile = op->nresults && op->results[0]->type.rows > 1 && op->results[0]->type.cols > 1;
    return tile && op_info[op->code].about & IS_SLOW;
}

/* True for the last exponential of an iteration.  */
static bool is_last_exponential(const Op *op)
{
    const Op *next = is_exponential(op) ? op->next : NULL;
    while (next && !is_exponential(next))
        next = next->next;
    return is_exponential(op) && !next;
}

/* The newest committed group of a product with a carried operand, if `op` is the last exponential of an iteration;
   -1: none. The wait before this exponential lets the exponential overlap the products of another warp group. Beside
   the warp group's own product the exponential takes longer than the product. Then the scaling of the accumulator and
   the rounding of the operand, behind the wait, would overlap nothing. The row maximum, before the exponential, still
   overlaps the product.  */
static int group_before_exponentials(const Expander *expander, const Op *op)
{
    int group = -1;
    for (int i = 0; i < expander->npending && expander->kernel->schedule.block.groups > 1 && is_last_exponential(op);
         i++) {
        const Op *mma = expander->pending[i].token->def;
        bool carried = mma && (mma->args[0]->block == op->parent || mma->args[1]->block == op->parent);
        group = carried && expander->pending[i].group > group ? expander->pending[i].group : group;
    }
    return group;
}

static bool stands_behind(const Op *op, const Op *first)
{
    while (first && first != op)
        first = first->next;
    return first == op;
}

/* Moves the constant that initializes an accumulator before the first product in flight. Otherwise the assembler
   waits for that product before it writes registers of the next one. Directly behind a wait no move is needed. A
   constant with other users further up stays in place.  */
static void clear_early(const Expander *expander, const Op *mma)
{
    Op *clear = mma->args[2]->def;
    if (expander->first == mma || !clear || clear->code != OP_FULL || clear->parent != mma->parent)
        return;
    if (!stands_behind(clear, expander->first) && count_uses(expander->role->body, clear->results[0]) > 1)
        return;
    op_remove(clear);
    op_before(expander->first, clear);
    clear->tile->here = true;
}

/* Commits the product as a group of its own. In a chain of products, only the newest is pending.  */
static void add_pending(Expander *expander, Op *mma)
{
    if (!expander->first)
        expander->first = mma;
    clear_early(expander, mma);
    op_after(mma, sync_op(expander, mma, OP_COMMIT));
    int i = 0;
    while (i < expander->npending && expander->pending[i].token != mma->args[2])
        i++;
    if (i == expander->npending)
        LIST_ADD(expander->kernel->module, expander->pending, expander->npending) = (Pending){NULL, 0};
    expander->pending[i] = (Pending){mma->results[0], expander->groups++};
}

/* ---- products that stay in flight over the iteration's end ------------------------------------------------------- */

static void visit_flight(Op *op, void *context)
{
    Expander *expander = context;
    int index;
    Op *loop = dot_carried_by(expander->kernel->machine, op, &expander->uses, &index);
    if (!loop)
        return;
    Flight *flight = arena_alloc(expander->kernel->module, sizeof *flight);
    *flight = (Flight){op, loop, index, expander->flights};
    expander->flights = flight;
}

static bool in_flight(const Expander *expander, const Op *dot)
{
    for (const Flight *flight = expander->flights; flight; flight = flight->next)
        if (flight->dot == dot)
            return true;
    return false;
}

static bool carries(const Expander *expander, const Op *loop, int index)
{
    for (const Flight *flight = expander->flights; flight; flight = flight->next)
        if (flight->loop == loop && flight->index == index)
            return true;
    return false;
}

/* The last operation of the block that is, or contains, a product in flight of `loop`; NULL: none.  */
static Op *last_in_flight(const Expander *expander, const Op *loop, const Block *block)
{
    Op *last = NULL;
    FOR_OPS (op, block)
        for (const Flight *flight = expander->flights; flight; flight = flight->next)
            if (flight->loop == loop && op_at_block(flight->dot, block) == op)
                last = op;
    return last;
}

/* Commits one group on each path through the block, an empty group on a path without a product.  */
static void close_group(const Expander *expander, const Op *loop, Block *block)
{
    Op *last = last_in_flight(expander, loop, block);
    if (!last) {
        op_before(block->last, sync_op(expander, block->last, OP_COMMIT_NOTHING));
    } else if (last->code == OP_IF) {
        for (int k = 0; k < last->nblocks; k++)
            close_group(expander, loop, last->blocks[k]);
    } else {
        op_after(last, sync_op(expander, last, OP_COMMIT));
    }
}

static void visit_group(Op *op, void *context)
{
    if (op->code == OP_FOR && last_in_flight(context, op, op->blocks[0]))
        close_group(context, op, op->blocks[0]);
}

/* Turns results of branches that yield an accumulator in flight into tokens.  */
static void mark_tokens(Value *value, const Block *body)
{
    Op *op = value->def;
    if (!op || !ir_inside(op, body) || (op->code == OP_IF && value->type.kind == K_TOKEN))
        return;
    value->type.kind = K_TOKEN;
    if (op->code == OP_MMA)
        mark_tokens(op->args[2], body);
    for (int k = 0; k < op->nblocks; k++)
        mark_tokens(op->blocks[k]->last->args[value->index], body);
}

/* The position before the releases at the end of an iteration, some of which have waits of their own.  */
static Op *before_releases(Block *block)
{
    Op *where = block->last;
    for (Op *op = where->prev; op && (op->code == OP_CONSUMED || op->code == OP_WAIT); op = op->prev)
        if (op->code == OP_CONSUMED)
            where = op;
    return where;
}

/* Inserts a wait with P-1 groups pending at the end of the iteration, and a wait for all groups behind the loop.  */
static void end_iterations(Expander *expander, Op *loop)
{
    Block *block = loop->blocks[0];
    int lag = loop_is_pipelined(loop) ? schedule_of_loop(loop)->in_flight - 1 : 0;
    Op *where = before_releases(block), *wait = NULL, *after = NULL;
    for (int i = 0; i < carried_count(loop); i++) {
        if (!carries(expander, loop, i))
            continue;
        if (!wait)
            op_before(where, wait = wait_op(expander, where, lag));
        Value *token = block->last->args[i];
        mark_tokens(token, block);
        add_waited(expander, wait, token, lag ? K_TOKEN : K_TILE);
        if (!lag)
            continue;
        if (!after) {
            after = wait_op(expander, loop, 0);
            op_after(loop->next && loop->next->code == OP_PINGPONG_PASS ? loop->next : loop, after);
        }
        block->args[1 + i]->type.kind = K_TOKEN;
        loop->results[i]->type.kind = K_TOKEN;
        add_waited(expander, after, loop->results[i], K_TILE);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool closes_group(const Op *op)
{
    if (op->code == OP_COMMIT || op->code == OP_COMMIT_NOTHING)
        return true;
    for (int k = 0; k < op->nblocks && op->code == OP_IF; k++)
        FOR_OPS (inner, op->blocks[k])
            if (closes_group(inner))
                return true;
    return false;
}

static void expand_block(const Expander *outer, Block *block)
{
    Expander expander = {.kernel = outer->kernel, .role = outer->role, .uses = outer->uses, .flights = outer->flights};
    FOR_OPS (op, block) {
        bool end = op->code == OP_YIELD || op->code == OP_COND, dot = op_is_dot(op);
        bool closes = closes_group(op); /* commits a group of the enclosing loop */
        for (int k = 0; k < op->nblocks; k++)
            expand_block(&expander, op->blocks[k]);
        if (dot) {
            op_become(op, OP_MMA);
            op->results[0]->type.kind = K_TOKEN;
        }
        int group = end ? newest_group(&expander) : group_needed(&expander, op),
            early = group_before_exponentials(&expander, op);
        if (early > group)
            group = early;
        if (group >= 0)
            wait_for(&expander, op, group);
        if (dot && !in_flight(&expander, op))
            add_pending(&expander, op);
        if (op->code == OP_FOR)
            end_iterations(&expander, op);
        expander.groups += closes;
    }
}

/* ---- releases ---------------------------------------------------------------------------------------------------- */

static bool reads_slot(const Value *value, const Aref *aref)
{
    const Op *def = value->def;
    while (def && (def->code == OP_TRANS_VIEW || def->code == OP_VIEW)) {
        if (def->code == OP_VIEW)
            return def->aref == aref;
        def = def->args[0]->def;
    }
    return false;
}

/* 0: op reads no slot of the aref. 1: op has finished reading. 2: op starts a product that reads and is still in
   flight.  */
static int looks_at(const Op *op, const Aref *aref)
{
    int look = 0;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind == K_VIEW && op->code != OP_TRANS_VIEW && reads_slot(op->args[i], aref))
            look = op->code == OP_MMA ? 2 : 1;
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            if (looks_at(inner, aref))
                look = 1;
    for (int i = 0; i < op->nresults && look && op->nblocks; i++)
        if (op->results[i]->type.kind == K_TOKEN)
            look = 2;
    return look;
}

/* The first wait of the block behind `op` that completes all its products. NULL: a product is in flight at the
   block's end.  */
static Op *wait_of(const Op *op)
{
    Op *last = NULL;
    for (int i = 0; i < op->nresults; i++) {
        const Value *token = op->results[i];
        Op *wait = op->next;
        for (; wait && token->type.kind == K_TOKEN; wait = wait->next) {
            if (!uses_value(wait, token))
                continue;
            if (wait->code != OP_WAIT) {
                wait = wait_of(wait); /* adds to it, or yields it from an arm */
                break;
            }
            for (int k = 0; k < wait->nargs; k++)
                if (wait->args[k] == token)
                    token = wait->results[k];
            if (token->type.kind == K_TILE)
                break;
        }
        if (token->type.kind == K_TOKEN && !wait)
            return NULL;
        if (!last || (wait && stands_behind(wait, last)))
            last = wait;
    }
    return last;
}

/* The last operation before the release that reads or completes a read of the slots. NULL: a product that reads a
   slot is in flight at the block's end, or the get stands in a loop that has ended. Nested blocks have waited for their
   own products.  */
static Op *last_look(Op *release)
{
    const Aref *aref = release->aref;
    Op *last = NULL;
    bool got = false;
    for (Op *op = release->parent->first; op != release; op = op->next) {
        int look = looks_at(op, aref);
        got |= (op->code == OP_GET && op->aref == aref) || (look && op->code == OP_MMA);
        Op *done = look == 2 ? wait_of(op) : look == 1 || (op->code == OP_GET && op->aref == aref) ? op : NULL;
        if (look == 2 && !done)
            return NULL;
        if (done && (!last || stands_behind(done, last)))
            last = done;
    }
    return got ? last : NULL;
}

static void settle_release(Op *op, void *context)
{
    (void)context;
    bool settles = op->code == OP_CONSUMED && (op->sync->keep == 0 || !op->aref->release_lag);
    Op *last = settles ? last_look(op) : NULL;
    if (!last || last->next == op)
        return;
    op_remove(op);
    op_after(last, op);
}

/* Moves the end of a turn up to the wait for its products, if only their readers stand between.  */
static void settle_turn(Op *op, void *context)
{
    (void)context;
    if (op->code != OP_PINGPONG_PASS)
        return;
    Op *wait = op->prev;
    while (wait && !wait->nblocks && (op_info[wait->code].class_ == CLASS_TILE || wait->code == OP_CONSUMED))
        wait = wait->prev;
    if (!wait || wait->code != OP_WAIT)
        return;
    op_remove(op);
    op_after(wait, op);
}

/* ---- fences ------------------------------------------------------------------------------------------------------ */

/* True if threads, not the tensor cores, read a slot of the aref.  */
static bool reads_by_threads(const Op *op, const void *aref)
{
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind == K_VIEW && op->code != OP_TRANS_VIEW && op->code != OP_MMA &&
            reads_slot(op->args[i], aref))
            return true;
    return false;
}

static bool is_copied_into(const Op *op, const void *aref)
{
    return op->code == OP_COPY_IN && op->aref == aref;
}

static bool role_any(const Kernel *kernel, const Role *only, bool (*test)(const Op *, const void *), const Aref *aref)
{
    FOR_ROLES (role, kernel)
        if ((!only || role == only) && ir_any_of(role->body, test, aref))
            return true;
    return false;
}

static bool is_fenced(const Op *release)
{
    const Op *before = release->prev;
    while (before && before->code == OP_CONSUMED)
        before = before->prev;
    return before && before->code == OP_FENCE;
}

/* The fence of the block's next put, or NULL. One fence serves both, since the put writes most of the values read.
   The slot is released later. A separate fence would keep all values that were read in registers at once.  */
static Op *fence_of_put(const Op *release)
{
    bool puts = false;
    for (Op *op = release->next; op && !op->nblocks && op->code != OP_WAIT; op = op->next) {
        puts |= op->code == OP_PUT;
        if (op->code == OP_GET && op->aref == release->aref)
            return NULL;
        if (op->code == OP_FENCE)
            return puts ? op : NULL;
    }
    return NULL;
}

/* Reads of a warp may still be in flight when the warp arrives at a barrier. TMA may write the slot behind this
   barrier, and is not ordered with these reads (PTX, "Async proxy"). So each thread executes a fence behind its
   reads.  */
static void fence_release(Op *op, void *context)
{
    const Expander *expander = context;
    if (op->code != OP_CONSUMED || is_fenced(op) || !role_any(expander->kernel, NULL, is_copied_into, op->aref) ||
        !role_any(expander->kernel, expander->role, reads_by_threads, op->aref))
        return;
    Op *fence = op->next && op->next->code == OP_FENCE ? op->next : fence_of_put(op);
    if (fence) {
        op_remove(op);
        op_after(fence, op);
    } else {
        op_before(op, sync_op(expander, op, OP_FENCE));
    }
}

void pass_expand(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        expand_stages(kernel, role->body, role->may & ROLE_STORES);
        Expander expander = {.kernel = kernel, .role = role, .uses = uses_new(kernel, role->body)};
        ir_walk(role->body, visit_flight, &expander);
        ir_walk(role->body, visit_group, &expander);
        expand_block(&expander, role->body);
        ir_walk(role->body, settle_release, NULL);
        ir_walk(role->body, settle_turn, NULL);
        ir_walk(role->body, fence_release, &expander);
    }
}
