/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expand.c - the table carried out: products become asynchronous, and waits and releases take their places (III-D.1).
 *
 *   before (consumer, P = 2)                   after
 *   for (k ...)                                for (k ...)
 *     slot = get                                 slot = get
 *     acc = dot va, vb, acc                      acc = mma va, vb, acc          started, not awaited
 *     consumed, one late                         commit
 *                                                acc = wait 1 (acc)             the previous iteration's is done
 *                                                consumed, one late             so its slot is free
 *   store c, i, j, acc                         acc = wait 0 (acc)
 *                                              consumed
 *                                              store c, i, j, acc
 *
 * A product whose accumulator only the loop itself carries stays in flight over the iteration's end: one commit and one
 * wait with P-1 groups pending stand at the end of each iteration, an iteration without a product commits an empty group.
 * Every other product is waited for before the first operation that looks at its result, or at the end of its block.  A
 * release stands where nothing looks at the slot any more.
 */
#include "queries.h"
#include "stages.h"

enum { MAX_PENDING = 64 };

typedef struct {
    Kernel *kernel;
    Role *role;
    Value *pending[MAX_PENDING]; /* tokens of this block that nothing has waited for */
    int group[MAX_PENDING];      /* and in which group each is */
    int npending;
    int groups; /* committed in this block */
} Expander;

static Op *sync_op(const Expander *in, const Op *origin, Opcode code, int64_t ival)
{
    Op *op = op_new(in->kernel, code, origin->loc, 0, NULL);
    op->ival = ival;
    op->origin = origin->origin;
    op->roles = ROLE_BIT(in->role);
    op->tag = TAG_TILE;
    return op;
}

/* A wait's result takes the place of its token everywhere but in the wait itself.  */
static Value *add_waited(const Expander *in, Op *wait, Value *token, Kind kind)
{
    Value *result = op_result(in->kernel, wait, type_kind(kind, token->type), token->name);
    result->split = token->split;
    ir_replace_uses(in->role->body, token, result);
    op_add_arg(in->kernel, wait, token);
    return result;
}

/* ---- products that the block itself waits for -------------------------------------------------------------------- */

static bool uses_value(const Op *op, const Value *value)
{
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i] == value)
            return true;
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            if (uses_value(inner, value))
                return true;
    return false;
}

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

/* Wait until group `group` and all before it are done; later ones stay in flight.  */
static void wait_for(Expander *in, Op *before, int group)
{
    Op *wait = sync_op(in, before, OP_WAIT, in->groups - 1 - group);
    op_before(before, wait);
    int kept = 0;
    for (int i = 0; i < in->npending; i++)
        if (in->group[i] <= group)
            add_waited(in, wait, in->pending[i], K_TILE);
        else {
            in->pending[kept] = in->pending[i];
            in->group[kept++] = in->group[i];
        }
    in->npending = kept;
}

/* The newest group whose result `op` looks at, -1 if none.  The next product of the same chain does not look: it only
   adds.  */
static int group_needed(const Expander *in, const Op *op)
{
    int group = -1;
    for (int i = 0; i < in->npending; i++) {
        if (in->group[i] <= group || !uses_value(op, in->pending[i]))
            continue;
        bool chain = op->code == OP_MMA && op->args[2] == in->pending[i] && op->args[0] != in->pending[i];
        if (!chain || count_uses(in->role->body, in->pending[i]) != 1)
            group = in->group[i];
    }
    return group;
}

/* A product is a group of its own; in a chain only the newest counts.  */
static void add_pending(Expander *in, Op *mma)
{
    op_after(mma, sync_op(in, mma, OP_COMMIT, 0));
    int i = 0;
    while (i < in->npending && in->pending[i] != mma->args[2])
        i++;
    if (i == MAX_PENDING) {
        BUG(in->kernel, "more than %d products in one block", MAX_PENDING);
        return;
    }
    in->pending[i] = mma->results[0];
    in->group[i] = in->groups++;
    in->npending += i == in->npending;
}

/* ---- products that stay in flight over the iteration's end ------------------------------------------------------- */

/* Before the releases that end an iteration.  */
static Op *before_releases(Block *block)
{
    Op *where = block->last;
    while (where->prev && where->prev->code == OP_CONSUMED)
        where = where->prev;
    return where;
}

static void end_iteration(Expander *in, Op *loop, Value *const *tokens, const int *index, int ntokens)
{
    Block *block = loop->blocks[0];
    int lag = loop->pipeline ? loop->pipeline->in_flight - 1 : 0;
    Op *where = before_releases(block);
    op_before(where, sync_op(in, where, OP_COMMIT, 0));
    Op *wait = sync_op(in, where, OP_WAIT, lag);
    op_before(where, wait);
    for (int i = 0; i < ntokens; i++)
        add_waited(in, wait, tokens[i], lag ? K_TOKEN : K_TILE);
    if (!lag)
        return;
    Op *after = sync_op(in, loop, OP_WAIT, 0);
    op_after(loop->next && loop->next->code == OP_TURN_PASS ? loop->next : loop, after);
    for (int i = 0; i < ntokens; i++) {
        block->args[1 + index[i]]->type.kind = K_TOKEN;
        Value *result = loop->results[index[i]];
        result->type.kind = K_TOKEN;
        add_waited(in, after, result, K_TILE);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void expand_block(Expander *in, Block *block);

static void expand_nested(Expander *in, Op *op)
{
    for (int k = 0; k < op->nblocks; k++) {
        Expander inner = {.kernel = in->kernel, .role = in->role};
        expand_block(&inner, op->blocks[k]);
    }
}

/* The carried chains of a block: their newest tokens, and which carried value each is.  */
static int find_chains(Block *block, const Uses *uses, Value **tokens, int *index)
{
    int count = 0;
    FOR_OPS (op, block) {
        int which;
        if (!op_is_dot(op) || !dot_carried_by(op, uses, &which))
            continue;
        int i = 0;
        while (i < count && index[i] != which)
            i++;
        if (i == MAX_PENDING)
            return count;
        index[i] = which;
        tokens[i] = op->results[0];
        count += i == count;
    }
    return count;
}

static void expand_block(Expander *in, Block *block)
{
    FOR_OPS (op, block)
        expand_nested(in, op);
    Uses uses = uses_new(in->kernel, in->role->body);
    Value *tokens[MAX_PENDING];
    int index[MAX_PENDING];
    int ntokens = find_chains(block, &uses, tokens, index);
    FOR_OPS (op, block)
        if (op_is_dot(op))
            op->stage = dot_carried_by(op, &uses, NULL) != NULL;
    FOR_OPS (op, block) {
        bool dot = op_is_dot(op);
        bool chain = dot && op->stage;
        if (dot) {
            op->code = OP_MMA;
            op->stage = 0;
            op->results[0]->type.kind = K_TOKEN;
        }
        bool end = op->code == OP_YIELD || op->code == OP_COND;
        int group = end && in->npending ? in->groups - 1 : group_needed(in, op);
        if (group >= 0)
            wait_for(in, op, group);
        if (dot && !chain)
            add_pending(in, op);
    }
    if (ntokens)
        end_iteration(in, block->parent, tokens, index, ntokens);
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

/* 1: op reads a slot of the aref and is done; 2: it starts a product that does.  */
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
    return look;
}

/* The wait of this block that completes a product.  */
static Op *wait_of(const Op *mma)
{
    for (Op *op = mma->next; op; op = op->next) {
        if (op->code == OP_MMA && op->args[2] == mma->results[0])
            return wait_of(op);
        for (int i = 0; op->code == OP_WAIT && i < op->nargs; i++)
            if (op->args[i] == mma->results[0])
                return op->results[i]->type.kind == K_TILE ? op : NULL;
    }
    return NULL;
}

/* Behind what a release has to stand: the last op that is done with slots got before it.  NULL if a product that reads one is
   still in flight at the block's end, or if the slots were got in a loop that ended.  Nested blocks have waited for their own products.  */
static Op *last_look(Op *release)
{
    const Aref *aref = release->aref;
    Op *last = NULL;
    bool got = false;
    int place = 0;
    FOR_OPS (op, release->parent)
        op->order = place++;
    for (Op *op = release->parent->first; op != release; op = op->next) {
        int look = looks_at(op, aref);
        got |= op->code == OP_GET && op->aref == aref;
        Op *done = look == 2 ? wait_of(op) : look == 1 || (op->code == OP_GET && op->aref == aref) ? op : NULL;
        if (look == 2 && !done)
            return NULL;
        if (done && (!last || done->order > last->order))
            last = done;
    }
    return got ? last : NULL;
}

static void settle_release(Op *op, void *context)
{
    (void)context;
    Op *last = op->code == OP_CONSUMED && op->ival == 0 ? last_look(op) : NULL;
    if (!last || last->next == op)
        return;
    op_remove(op);
    op_after(last, op);
}

/* require: distribute.   ensure: products asynchronous (MMA, COMMIT, WAIT), releases where slots become free.  */
void pass_expand(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        expand_stages(kernel, role->body);
        Expander in = {.kernel = kernel, .role = role};
        expand_block(&in, role->body);
        ir_walk(role->body, settle_release, NULL);
    }
}
