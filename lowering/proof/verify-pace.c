/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-pace.c - may a put be carried out while the loop behind it runs?
 *
 *   %slot = put | aref=r                 what the other checks look at
 *   copy_in %slot, %d, %i, %j | paced=1  ... at once, in front of the loop
 *   put_done %slot
 *   for ... {                            what is carried out: the put in one of these iterations or behind them, the
 *     ... puts of other rings            copy in pieces from there on, its end behind the loop
 *   }
 *
 * The copy reads the same coordinates there, and its slot is the ring's, which nobody else fills.  So the groups see
 * the same tile, later.  Nobody waits for ever: the loop's own puts wait for groups alone that have got all puts before
 * them, and a group gets the slot behind all that the loop puts, and fills no ring, so that none of those groups waits
 * for it by way of another.  What frees the slot are groups that have got it for the tile before, of which everything
 * is put by then.
 */
#include "machine/plan.h"
#include "proof/verify.h"

typedef struct {
    Kernel *kernel;
    const Op *wrong;
} Search;

static void visit(Op *op, void *context)
{
    Search *search = context;
    if (op->code == OP_COPY_IN && op->transfer->paced && !may_be_paced(search->kernel, op))
        search->wrong = op;
}

bool verify_pace(Kernel *kernel)
{
    Search search = {kernel, NULL};
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit, &search);
    if (search.wrong)
        BUG(kernel, "'%s' comes while a loop runs, which it may not", search.wrong->storage->name);
    return !search.wrong;
}
