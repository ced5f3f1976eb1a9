/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-pace.c - a put that is executed in pieces while the loop behind it runs.
 *
 *      %slot = put | aref=r                 the program that the other checks see
 *      copy_in %slot, %d, %i, %j | paced=1  ... at once, in front of the loop
 *      put_done %slot
 *      for ... {                            the execution: the put in one of these iterations or behind them, the
 *        ... puts of other rings            copy in pieces from there on, its end behind the loop
 *      }
 *
 * The copy reads the same coordinates there, and no other role fills its slot.  So the groups see the same tile, later.
 *
 * No group waits forever.  The loop's own puts wait only for groups that have got all puts before them.  A group gets
 * this slot behind all puts of the loop, and it fills no ring.  So none of those groups waits for it through another
 * ring.  The slot is released by groups that got it for the tile before, of which everything is put by then.
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
