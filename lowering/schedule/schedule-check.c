/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule-check.c - reports mistakes of a schedule file at their lines.
 *
 *   op s.14 stage=1                              s.14 is computed behind p.15, which needs it
 *   op p.15
 *
 * The proof would find each of these mistakes.  This check names the line.  It reports values that are used before they
 * are computed, and accesses to memory in another order.  It also reports slots that are released before they are read,
 * and rings that cannot exist.
 */
#include "schedule/reader.h"
#include "schedule/schedule.h"

static Loc line_of(const Reader *ctx, const Op *op)
{
    Loc loc = ctx->at;
    int line = ctx->lines[ctx->numbers[op->id]];
    loc.line = line ? line : loc.line;
    return line ? loc : op->loc;
}

static const char *name_of(const Reader *ctx, const Op *op)
{
    return schedule_name(op, ctx->numbers);
}

/* True if `second`, `distance` iterations later, follows `first`.  */
static bool comes_behind(const Op *first, const Op *second, int distance)
{
    int steps = distance + schedule_of(second)->stage - schedule_of(first)->stage;
    return steps > 0 || (steps == 0 && schedule_of(second)->order > schedule_of(first)->order);
}

static void check_need(Reader *ctx, const Op *loop, const Op *op, const Value *value)
{
    Block *body = loop->blocks[0];
    bool carries = value->block == body && value->index > 0;
    const Value *made = carries ? carried(loop, value->index - 1).next : value;
    Op *def = made->def ? op_at_block(made->def, body) : NULL;
    if (!def || def == op || ctx->kernel->failed)
        return;
    if (!comes_behind(def, op, carries))
        reject(ctx->kernel, line_of(ctx, op), REASON_SCHEDULE_NEEDS, name_of(ctx, op), name_of(ctx, def),
               carries ? " in the iteration before" : "");
}

/* An operation that comes through a ring needs no operand at its get.  */
static void check_needs(Reader *ctx, const Op *loop, const Op *op, const Op *within)
{
    for (int i = 0; i < within->nargs && !schedule_of(within)->depth; i++)
        check_need(ctx, loop, op, within->args[i]);
    for (int k = 0; k < within->nblocks; k++)
        FOR_OPS (inner, within->blocks[k])
            check_needs(ctx, loop, op, inner);
}

/* Refuses another order of operations on the same memory, if one of them writes.  The next iteration counts, too.  */
static void check_memory(Reader *ctx, const Op *loop)
{
    FOR_OPS (first, loop->blocks[0])
        for (const Op *second = first->next; second && !ctx->kernel->failed; second = second->next) {
            if (!schedule_keeps_order(first, second) ||
                (comes_behind(first, second, 0) && comes_behind(second, first, 1)))
                continue;
            reject(ctx->kernel, line_of(ctx, second), REASON_SCHEDULE_MEMORY, name_of(ctx, second),
                   name_of(ctx, first));
        }
}

static int release_class(int release)
{
    return release == RELEASE_END ? 2 : release ? 1 : 0;
}

/* Refuses a release before the wait for products that read the slot.  */
static void check_release(Reader *ctx, const Op *source, const Value *value)
{
    for (const Use *use = uses_of(&ctx->uses, value); use && !ctx->kernel->failed; use = use->next) {
        if (use->op->code == OP_TRANS && ring_source(use->op->results[0]))
            check_release(ctx, source, use->op->results[0]);
        else if (release_class(schedule_of(source)->release) < release_class(ctx->before[ctx->numbers[source->id]]) &&
                 use_is_operand(use, &ctx->uses))
            reject(ctx->kernel, line_of(ctx, source), REASON_SCHEDULE_RELEASE, name_of(ctx, source),
                   name_of(ctx, op_at_block(use->op, source->parent)));
    }
}

static bool has_product(const Op *op, const void *context)
{
    const Slice *slice = context;
    return slice_has_op(slice, op) && (op_is_product(op) || op_info[op->code].class_ == CLASS_STORE);
}

/* True for a tile that the groups that multiply put into a ring for a storing task.  */
static bool is_handed(const Reader *ctx, const Op *op)
{
    const ScheduleRow *row = schedule_of(op);
    const uint32_t multiplies = ROLE_BIT(role_that(ctx->kernel, ROLE_STORES));
    FOR_ROLES (role, ctx->kernel)
        if (row->maker == multiplies && role->may & ROLE_STORES && row->roles & ROLE_BIT(role) & ~multiplies)
            return op->nresults == 1 && op->results[0]->type.kind == K_TILE && op_info[op->code].class_ == CLASS_TILE;
    return false;
}

/* A tile that a role puts into a ring must be computed from loads alone.  */
static void check_computed(Reader *ctx, Op *op)
{
    if (is_handed(ctx, op))
        return;
    const Op *loop = pipelined_loop(op);
    Slice slice = choose_slice(ctx->kernel, op);
    bool tile = op->nresults == 1 && op->results[0]->type.kind == K_TILE && !op->nblocks &&
                op_info[op->code].class_ == CLASS_TILE && !op_is_product(op) && loop && op->parent == loop->blocks[0];
    if (!tile || ir_any_of(ctx->kernel->body, has_product, &slice))
        reject(ctx->kernel, line_of(ctx, op), REASON_SCHEDULE_COMPUTED, name_of(ctx, op));
}

static void check_ring(Reader *ctx, Op *op)
{
    const ScheduleRow *row = schedule_of(op);
    if (!row->depth || ctx->kernel->failed)
        return;
    if (op->code != OP_LOAD)
        check_computed(ctx, op);
    else if (!(row->maker & ROLE_BIT(role_that(ctx->kernel, ROLE_COPIES))))
        reject(ctx->kernel, line_of(ctx, op), REASON_SCHEDULE_COPIES, name_of(ctx, op));
    else
        check_release(ctx, op, op->results[0]);
    const Op *loop = pipelined_loop(op);
    if (loop && !ctx->kernel->failed && row->depth < schedule_of_loop(loop)->in_flight && row->release == RELEASE_END)
        reject(ctx->kernel, line_of(ctx, op), REASON_SCHEDULE_FLIGHT, schedule_of_loop(loop)->in_flight,
               name_of(ctx, op), row->depth);
}

static void visit_check(Op *op, void *context)
{
    Reader *ctx = context;
    Op *loop = pipelined_loop(op);
    if (loop && schedule_of(op)->depth > schedule_of_loop(loop)->depth)
        schedule_of_loop(loop)->depth = schedule_of(op)->depth;
    check_ring(ctx, op);
    if (!loop_is_pipelined(op))
        return;
    FOR_OPS (inner, op->blocks[0])
        if (inner != block_end(op->blocks[0]))
            check_needs(ctx, op, inner, inner);
    check_memory(ctx, op);
}

void reader_check(Reader *ctx)
{
    ir_walk(ctx->kernel->body, visit_check, ctx);
}
