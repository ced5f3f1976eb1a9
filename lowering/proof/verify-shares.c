/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-shares.c - a thread's share of a row's sum stays in that thread until the shares are added.
 *
 *      %part = row_part %p               each thread of a row has the sum of its own columns
 *      %l.2  = fma %l, %shrink, %part    all of them scale alike, and add their own part
 *      %sum  = row_total %l.2            each has the sum of all
 *
 * The emulator and the validator give each row one owner, whose share is the whole sum, so they cannot see a mistake
 * here.  The check marks all values that may be shares, until no mark is added.  Sums of shares are shares, and so is
 * the product of a share with another value.  Loops and branches pass shares on.  No other operation may read a share.
 * Anything that is added to a share is a share, too, or 0.
 */
#include "ir/slice.h"
#include "proof/verify.h"

typedef struct {
    bool *share; /* by value id */
    bool more;
    const Op *failed;
} Shares;

static bool is_share(const Shares *shares, const Value *value)
{
    return shares->share[value->id];
}

static void mark(Shares *shares, const Value *value, bool share)
{
    shares->more |= share && !shares->share[value->id];
    shares->share[value->id] |= share;
}

/* True for 0, scaled or not, since the first iteration of a loop may be peeled.  */
static bool is_zero(const Value *value)
{
    const Op *op = value->def;
    if (op && op->code == OP_MUL)
        return is_zero(op->args[0]) || is_zero(op->args[1]);
    return op && op->code == OP_FULL && op->tile->value == 0;
}

static bool adds_up(const Op *op)
{
    return op->code == OP_ADD || op->code == OP_MUL || op->code == OP_FMA;
}

/* The values that a branch's arms or a loop's iterations pass on share one mark.  */
static void hand_on(Shares *shares, const Op *op)
{
    for (int i = 0; op->code == OP_FOR && i < carried_count(op); i++) {
        Carried names = carried(op, i);
        bool share = is_share(shares, names.init) || is_share(shares, names.next) || is_share(shares, names.result) ||
                     (names.beyond && is_share(shares, names.beyond));
        mark(shares, names.argument, share);
        mark(shares, names.result, share);
    }
    for (int k = 0; op->code == OP_IF && k < op->nblocks; k++)
        for (int i = 0; i < op->nresults; i++)
            mark(shares, op->results[i], is_share(shares, block_end(op->blocks[k])->args[i]));
}

static void visit_marks(Op *op, void *context)
{
    Shares *shares = context;
    bool share = op->code == OP_ROW_PART;
    for (int i = 0; i < op->nargs && adds_up(op); i++)
        share |= is_share(shares, op->args[i]);
    if (op->nresults == 1 && !op->nblocks)
        mark(shares, op->results[0], share);
    hand_on(shares, op);
}

static bool is_share_or_zero(const Shares *shares, const Value *value)
{
    return is_share(shares, value) || is_zero(value);
}

/* True if the operation is correct for its operands that are shares.  */
static bool is_right(const Shares *shares, const Op *op)
{
    Value *const *x = op->args;
    switch (op->code) {
    case OP_ROW_PART:
        return !is_share(shares, x[0]);
    case OP_ADD:
        return is_share_or_zero(shares, x[0]) && is_share_or_zero(shares, x[1]);
    case OP_MUL:
        return !is_share(shares, x[0]) || !is_share(shares, x[1]);
    case OP_FMA:
        return is_share_or_zero(shares, x[2]) && (is_share_or_zero(shares, x[0]) != is_share_or_zero(shares, x[1]));
    default:
        return true;
    }
}

static bool is_handed_on_right(const Shares *shares, const Op *op)
{
    for (int i = 0; op->code == OP_FOR && i < carried_count(op); i++) {
        Carried names = carried(op, i);
        bool right = is_share_or_zero(shares, names.init) && is_share_or_zero(shares, names.next) &&
                     (!names.beyond || is_share_or_zero(shares, names.beyond));
        if (is_share(shares, names.result) && !right)
            return false;
    }
    for (int k = 0; op->code == OP_IF && k < op->nblocks; k++)
        for (int i = 0; i < op->nresults; i++)
            if (is_share(shares, op->results[i]) && !is_share_or_zero(shares, block_end(op->blocks[k])->args[i]))
                return false;
    return true;
}

static void visit_looks(Op *op, void *context)
{
    Shares *shares = context;
    const Op *outer = op->parent->parent;
    const Op *carrier = op->code == OP_YIELD ? outer : op;
    bool carries = carrier && (carrier->code == OP_FOR || (carrier->code == OP_IF && carrier != op));
    bool may = adds_up(op) || op->code == OP_ROW_PART || op->code == OP_ROW_TOTAL || op->code == OP_COMPUTED || carries;
    bool result = op->nresults == 1 && !op->nblocks && is_share(shares, op->results[0]);
    bool looks = false;
    for (int i = 0; i < op->nargs; i++)
        looks |= is_share(shares, op->args[i]);
    if (!shares->failed && ((looks && !may) || (result && !is_right(shares, op)) || !is_handed_on_right(shares, op)))
        shares->failed = op;
}

bool verify_shares(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        Shares shares = {arena_alloc(kernel->module, (size_t)kernel->module->next_id * sizeof(bool)), true, NULL};
        while (shares.more) {
            shares.more = false;
            ir_walk(role->body, visit_marks, &shares);
        }
        ir_walk(role->body, visit_looks, &shares);
        if (!shares.failed)
            continue;
        BUG_AT(kernel, shares.failed->loc.line ? shares.failed->loc : kernel->loc,
               "'%s': '%s' takes a thread's share of a row's sum for the sum", role->name,
               op_info[shares.failed->code].text);
        return false;
    }
    return true;
}
