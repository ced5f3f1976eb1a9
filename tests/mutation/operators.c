/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operators.c - single-edit mutations of the synchronization of a final program.
 *
 *      put put_done get consumed commit wait turns    removed, doubled, moved: by one operation, to the ends of the
 *                                                     block, out of the loop
 *      counts                                         released, pending, arrivals, bytes, slots, groups, trips
 *
 * Mutations of rings, storages and values are in operators-names.c, those between blocks of a cluster in
 * operators-cluster.c, and those of numbers and places in operators-values.c.
 */
#include <stdlib.h>
#include <string.h>

#include "mutation.h"
#include "ir/slice.h"
#include "roles/programs.h"

/* ---- sites ------------------------------------------------------------------------------------------------------- */

static void add_site(Sites *sites, Site site)
{
    if (sites->count == sites->room) {
        sites->room = sites->room ? 2 * sites->room : 64;
        sites->at = realloc(sites->at, (size_t)sites->room * sizeof *sites->at);
        if (!sites->at)
            abort();
    }
    sites->at[sites->count++] = site;
}

static void add_block(Sites *sites, Role *role, Block *block)
{
    for (Op *op = block->first; op; op = op->next) {
        if ((op_info[op->code].class_ != CLASS_TENSOR || op->code == OP_BOX) && op->code != OP_CONST &&
            op->code != OP_COMPUTED)
            add_site(sites, (Site){.kind = SITE_OP, .role = role, .op = op});
        for (int i = 0; i < op->nblocks; i++)
            add_block(sites, role, op->blocks[i]);
    }
}

Sites sites_of(Kernel *kernel)
{
    Sites sites = {NULL, 0, 0};
    FOR_AREFS (aref, kernel)
        add_site(&sites, (Site){.kind = SITE_RING, .aref = aref});
    FOR_STORAGES (storage, kernel)
        add_site(&sites, (Site){.kind = SITE_STORAGE, .storage = storage});
    FOR_ROLES (role, kernel) {
        add_site(&sites, (Site){.kind = SITE_ROLE, .role = role});
        add_block(&sites, role, role->body);
    }
    return sites;
}

/* ---- leaving out ------------------------------------------------------------------------------------------------- */

/* Removes the operation.  Its results become the tiles that it passes on, or slot 0.  */
static bool drop(Kernel *kernel, Site site, Opcode code)
{
    Op *op = site.op;
    if (op->code != code)
        return false;
    for (int i = 0; i < op->nresults; i++) {
        Value *instead = NULL;
        if (code == OP_WAIT && i < op->nargs)
            instead = op->args[i];
        if (code == OP_PUT || code == OP_GET) {
            Op *zero = op_new(kernel, OP_CONST, op->loc, 0, NULL);
            instead = op_result(kernel, zero, type_scalar(D_I32), NULL);
            op_before(op, zero);
        }
        if (!instead)
            return false;
        instead->type = op->results[i]->type;
        ir_replace_uses(site.role->body, op->results[i], instead);
    }
    op_remove(op);
    return true;
}

#define DROP(name, code)                               \
    static bool drop_##name(Kernel *kernel, Site site) \
    {                                                  \
        return drop(kernel, site, code);               \
    }
DROP(put, OP_PUT)
DROP(put_done, OP_PUT_DONE)
DROP(copy_in, OP_COPY_IN)
DROP(put_tile, OP_PUT_TILE)
DROP(get, OP_GET)
DROP(consumed, OP_CONSUMED)
DROP(commit, OP_COMMIT)
DROP(commit_nothing, OP_COMMIT_NOTHING)
DROP(wait, OP_WAIT)
DROP(skip, OP_SKIP)
DROP(take, OP_PINGPONG_TAKE)
DROP(pass, OP_PINGPONG_PASS)
DROP(store_wait, OP_STORE_WAIT)
DROP(store, OP_STORE)
DROP(fence, OP_FENCE)
DROP(barrier, OP_BARRIER)
DROP(role_barrier, OP_ROLE_BARRIER)
DROP(await_tiles, OP_AWAIT_TILES)
DROP(tile_done, OP_TILE_DONE)
DROP(tell_tiles, OP_TELL_TILES)

static bool drop_product(Kernel *kernel, Site site)
{
    Op *op = site.op;
    (void)kernel;
    if (op->code != OP_MMA)
        return false;
    op->args[2]->type = op->results[0]->type;
    ir_replace_uses(site.role->body, op->results[0], op->args[2]);
    op_remove(op);
    return true;
}

/* ---- doubling ---------------------------------------------------------------------------------------------------- */

static bool twice(Kernel *kernel, Site site, Opcode code)
{
    if (site.op->code != code)
        return false;
    ValueMap map = value_map_new(kernel);
    Op *copy = op_clone(kernel, site.op, &map);
    for (int i = 0; i < copy->nresults; i++)
        copy->results[i]->var = NULL;
    op_after(site.op, copy);
    return true;
}

#define TWICE(name, code)                               \
    static bool twice_##name(Kernel *kernel, Site site) \
    {                                                   \
        return twice(kernel, site, code);               \
    }
TWICE(put, OP_PUT)
TWICE(put_done, OP_PUT_DONE)
TWICE(copy_in, OP_COPY_IN)
TWICE(put_tile, OP_PUT_TILE)
TWICE(get, OP_GET)
TWICE(consumed, OP_CONSUMED)
TWICE(commit, OP_COMMIT)
TWICE(take, OP_PINGPONG_TAKE)
TWICE(pass, OP_PINGPONG_PASS)
TWICE(store, OP_STORE)
TWICE(role_barrier, OP_ROLE_BARRIER)
TWICE(tile_done, OP_TILE_DONE)
TWICE(tell_tiles, OP_TELL_TILES)

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static bool is_sync(const Op *op)
{
    return op_info[op->code].class_ == CLASS_SYNC && op->code != OP_VIEW && op->code != OP_TRANS_VIEW;
}

/* True for steps over which an operation can be moved: synchronization, stores, and whole loops and branches.  */
static bool is_step(const Op *op)
{
    return is_sync(op) || op_info[op->code].class_ == CLASS_STORE || op->nblocks;
}

static bool moves(const Op *op)
{
    return is_sync(op) && op->code != OP_COPY_IN && op->code != OP_MMA && op->code != OP_STAGE &&
           op->code != OP_GATHER && op->code != OP_READ;
}

static bool earlier(Kernel *kernel, Site site)
{
    Op *op = site.op, *before = op->prev;
    (void)kernel;
    while (before && !is_step(before))
        before = before->prev;
    if (!moves(op) || !before)
        return false;
    op_remove(op);
    op_before(before, op);
    return true;
}

static bool later(Kernel *kernel, Site site)
{
    Op *op = site.op, *after = op->next;
    (void)kernel;
    while (after && !is_step(after))
        after = after->next;
    if (!moves(op) || !after)
        return false;
    op_remove(op);
    op_after(after, op);
    return true;
}

static bool to_front(Kernel *kernel, Site site)
{
    Op *op = site.op, *front = op->parent->first;
    (void)kernel;
    if (!moves(op) || front == op)
        return false;
    op_remove(op);
    op_before(front, op);
    return true;
}

/* Moves the operation to the end of its block, in front of a yield.  */
static bool to_end(Kernel *kernel, Site site)
{
    Op *op = site.op, *last = op->parent->last;
    (void)kernel;
    if (!moves(op) || last == op || op->next == last)
        return false;
    op_remove(op);
    if (last->code == OP_YIELD || last->code == OP_COND)
        op_before(last, op);
    else
        op_after(last, op);
    return true;
}

static bool before_loop(Kernel *kernel, Site site)
{
    Op *op = site.op, *around = op->parent->parent;
    (void)kernel;
    if (!moves(op) || !around || around->code == OP_GRID)
        return false;
    op_remove(op);
    op_before(around, op);
    return true;
}

static bool behind_loop(Kernel *kernel, Site site)
{
    Op *op = site.op, *around = op->parent->parent;
    (void)kernel;
    if (!moves(op) || !around || around->code == OP_GRID)
        return false;
    op_remove(op);
    op_after(around, op);
    return true;
}

/* Moves a release right behind its get, where nothing has been read yet.  */
static bool release_at_get(Kernel *kernel, Site site)
{
    Op *op = site.op, *get = op;
    (void)kernel;
    if (op->code != OP_CONSUMED)
        return false;
    while (get && (get->code != OP_GET || get->aref != op->aref))
        get = get->prev;
    if (!get)
        return false;
    op_remove(op);
    op_after(get, op);
    return true;
}

/* Exchanges two adjacent steps of the protocol.  */
static bool exchange(Kernel *kernel, Site site)
{
    Op *op = site.op, *next = op->next;
    (void)kernel;
    while (next && !is_sync(next))
        next = next->next;
    if (!is_sync(op) || !next)
        return false;
    Op *mark = op->prev;
    Block *block = op->parent;
    op_remove(op);
    op_after(next, op);
    op_remove(next);
    if (mark)
        op_after(mark, next);
    else
        op_before(block->first, next);
    return true;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static bool count_by(Site site, Opcode code, int by)
{
    SyncInfo *sync = site.op->code == code ? site.op->sync : NULL;
    int *count = !sync ? NULL : code == OP_CONSUMED ? &sync->keep : code == OP_SKIP ? &sync->count : &sync->pending;
    if (!count || *count + by < 0)
        return false;
    *count += by;
    return true;
}

static bool keep_more(Kernel *kernel, Site site)
{
    (void)kernel;
    return count_by(site, OP_CONSUMED, 1);
}

static bool keep_less(Kernel *kernel, Site site)
{
    (void)kernel;
    return count_by(site, OP_CONSUMED, -1);
}

static bool wait_less(Kernel *kernel, Site site)
{
    (void)kernel;
    return count_by(site, OP_WAIT, 1);
}

static bool wait_more(Kernel *kernel, Site site)
{
    (void)kernel;
    return count_by(site, OP_WAIT, -1);
}

static bool store_wait_less(Kernel *kernel, Site site)
{
    (void)kernel;
    return count_by(site, OP_STORE_WAIT, 1);
}

/* Stages another box of a tile that is stored box by box, or only the first box of another tile.  */
static bool other_box(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_STAGE || site.op->storage->use != USE_OUTPUT)
        return false;
    int *box = &site.op->sync->box;
    *box = *box == 1 ? 2 : *box ? *box - 1 : 1;
    return true;
}

static bool skip_more(Kernel *kernel, Site site)
{
    (void)kernel;
    return count_by(site, OP_SKIP, 1);
}

static bool skip_less(Kernel *kernel, Site site)
{
    (void)kernel;
    return site.op->code == OP_SKIP && site.op->sync->count > 0 && count_by(site, OP_SKIP, -1);
}

/* A phase that is off by one: the reader starts a round late.  */
static bool other_phase(Kernel *kernel, Site site)
{
    if (site.op->code != OP_GET)
        return false;
    Op *skip = op_new(kernel, OP_SKIP, site.op->loc, 0, NULL);
    skip->aref = site.op->aref;
    skip->sync->count = site.op->aref->slots;
    op_before(site.op, skip);
    return true;
}

/* The reader is one slot ahead from the start.  */
static bool off_by_one_slot(Kernel *kernel, Site site)
{
    if (site.op->code != OP_GRID)
        return false;
    FOR_AREFS (aref, kernel) {
        if (!role_has_op(site.role, OP_GET, aref))
            continue;
        Op *skip = op_new(kernel, OP_SKIP, site.op->loc, 0, NULL);
        skip->aref = aref;
        skip->sync->count = 1;
        op_before(site.op, skip);
        return true;
    }
    return false;
}

static bool fewer_arrivals(Kernel *kernel, Site site)
{
    (void)kernel;
    return --site.aref->arrivals > 0;
}

static bool more_arrivals(Kernel *kernel, Site site)
{
    (void)kernel;
    return ++site.aref->arrivals > 0;
}

static bool fewer_fillers(Kernel *kernel, Site site)
{
    (void)kernel;
    return --site.aref->fillers > 0;
}

static bool more_fillers(Kernel *kernel, Site site)
{
    (void)kernel;
    return ++site.aref->fillers > 0;
}

static bool fewer_bytes(Kernel *kernel, Site site)
{
    (void)kernel;
    site.aref->bytes -= 128;
    return site.aref->bytes > 0;
}

static bool more_bytes(Kernel *kernel, Site site)
{
    (void)kernel;
    site.aref->bytes += 128;
    return true;
}

static bool fewer_slots(Kernel *kernel, Site site)
{
    (void)kernel;
    return --site.aref->slots > 0;
}

static bool more_slots(Kernel *kernel, Site site)
{
    (void)kernel;
    return ++site.aref->slots > 0;
}

static bool fewer_groups(Kernel *kernel, Site site)
{
    if (--site.role->replicas == 0)
        return false;
    kernel->threads -= 128;
    return true;
}

/* Keeps only the program for launches whose tensors TMA can load.  */
static bool only_tma(Kernel *kernel, Site site)
{
    (void)kernel;
    if (!(site.role->versions & VERSION_TMA))
        return false;
    site.role->versions = VERSION_TMA;
    return true;
}

static bool one_trip_less(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_FOR)
        return false;
    Op *sum = op_new(kernel, OP_SCALAR_ADD, op->loc, 2, (Value *[]){op->args[0], op->args[2]});
    Value *start = op_result(kernel, sum, op->args[0]->type, NULL);
    op_before(op, sum);
    op->args[0] = start;
    return true;
}

static bool one_trip_more(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_FOR)
        return false;
    Op *difference = op_new(kernel, OP_SCALAR_SUB, op->loc, 2, (Value *[]){op->args[0], op->args[2]});
    Value *start = op_result(kernel, difference, op->args[0]->type, NULL);
    op_before(op, difference);
    op->args[0] = start;
    return true;
}

static bool other_arm(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_IF)
        return false;
    Op *not = op_new(kernel, OP_SCALAR_NOT, op->loc, 1, &op->args[0]);
    Value *value = op_result(kernel, not, op->args[0]->type, NULL);
    op_before(op, not );
    op->args[0] = value;
    return true;
}

static bool no_branch(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_IF)
        return false;
    Op *yes = op_new(kernel, OP_CONST, op->loc, 0, NULL);
    op_before(op, yes);
    op->args[0] = op_result(kernel, yes, op->args[0]->type, NULL);
    yes->scalar->integer = 1;
    return true;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const Operator operators[] = {
    {"drop-put", "a put is not waited for", SITE_OP, drop_put},
    {"drop-put-done", "the producer does not arrive", SITE_OP, drop_put_done},
    {"drop-copy", "a copy is left out", SITE_OP, drop_copy_in},
    {"drop-put-tile", "a tile is not written to its slot", SITE_OP, drop_put_tile},
    {"drop-get", "a get is not waited for", SITE_OP, drop_get},
    {"drop-release", "a slot is not released", SITE_OP, drop_consumed},
    {"drop-commit", "a group of products is not closed", SITE_OP, drop_commit},
    {"drop-empty-commit", "a way through an iteration closes no group", SITE_OP, drop_commit_nothing},
    {"drop-wait", "products are not waited for", SITE_OP, drop_wait},
    {"drop-skip", "other groups' puts are not passed over", SITE_OP, drop_skip},
    {"drop-take", "a turn is not waited for", SITE_OP, drop_take},
    {"drop-pass", "a turn is not passed on", SITE_OP, drop_pass},
    {"drop-store-wait", "copies out are not waited for", SITE_OP, drop_store_wait},
    {"drop-store", "a store is left out", SITE_OP, drop_store},
    {"drop-fence", "what threads wrote is not fenced for the engines", SITE_OP, drop_fence},
    {"drop-barrier", "the threads of a group do not meet", SITE_OP, drop_barrier},
    {"drop-role-barrier", "the groups of a role do not meet", SITE_OP, drop_role_barrier},
    {"drop-await-tiles", "a tile does not wait for those of earlier grids", SITE_OP, drop_await_tiles},
    {"drop-tile-done", "a tile does not say that it is done", SITE_OP, drop_tile_done},
    {"drop-tell-tiles", "nobody is told of a tile that is done", SITE_OP, drop_tell_tiles},
    {"drop-product", "a product is left out", SITE_OP, drop_product},
    {"twice-put", "a put is waited for twice", SITE_OP, twice_put},
    {"twice-put-done", "the producer arrives twice", SITE_OP, twice_put_done},
    {"twice-copy", "a copy is made twice", SITE_OP, twice_copy_in},
    {"twice-put-tile", "a tile is written to its slot twice", SITE_OP, twice_put_tile},
    {"twice-get", "a slot is got twice", SITE_OP, twice_get},
    {"twice-release", "a slot is released twice", SITE_OP, twice_consumed},
    {"twice-commit", "an empty group of products", SITE_OP, twice_commit},
    {"twice-take", "a turn is taken twice", SITE_OP, twice_take},
    {"twice-pass", "a turn is passed twice", SITE_OP, twice_pass},
    {"twice-store", "a tile, or a box of it, is stored twice", SITE_OP, twice_store},
    {"twice-role-barrier", "the groups of a role meet twice", SITE_OP, twice_role_barrier},
    {"twice-tile-done", "a tile says twice that it is done", SITE_OP, twice_tile_done},
    {"twice-tell-tiles", "later grids are told twice in a row", SITE_OP, twice_tell_tiles},
    {"earlier", "a step comes before the one in front of it", SITE_OP, earlier},
    {"later", "a step comes behind the next", SITE_OP, later},
    {"to-front", "a step comes first in its block", SITE_OP, to_front},
    {"to-end", "a step comes last in its block", SITE_OP, to_end},
    {"before-loop", "a step comes before the loop or branch around it", SITE_OP, before_loop},
    {"behind-loop", "a step comes behind the loop or branch around it", SITE_OP, behind_loop},
    {"exchange", "two neighbouring steps change places", SITE_OP, exchange},
    {"release-at-get", "a slot is released as soon as it is got", SITE_OP, release_at_get},
    {"keep-more", "a release leaves one slot more behind", SITE_OP, keep_more},
    {"keep-less", "a release comes one iteration early", SITE_OP, keep_less},
    {"wait-less", "a wait leaves one group more in flight", SITE_OP, wait_less},
    {"wait-more", "a wait leaves one group less in flight", SITE_OP, wait_more},
    {"store-wait-less", "one copy out more may still read", SITE_OP, store_wait_less},
    {"other-box", "another box of a tile is staged", SITE_OP, other_box},
    {"unnamed", "a wait does not name its last accumulator", SITE_OP, unnamed},
    {"skip-more", "one put too many is passed over", SITE_OP, skip_more},
    {"skip-less", "one put too few is passed over", SITE_OP, skip_less},
    {"other-phase", "a get waits for the next round", SITE_OP, other_phase},
    {"ahead", "the readers are one slot ahead", SITE_OP, off_by_one_slot},
    {"fewer-arrivals", "the empty barrier expects one group less", SITE_RING, fewer_arrivals},
    {"more-arrivals", "the empty barrier expects one group more", SITE_RING, more_arrivals},
    {"fewer-fillers", "the full barrier expects one group less that puts", SITE_RING, fewer_fillers},
    {"more-fillers", "the full barrier expects one group more that puts", SITE_RING, more_fillers},
    {"fewer-bytes", "the full barrier expects a line less", SITE_RING, fewer_bytes},
    {"more-bytes", "the full barrier expects a line more", SITE_RING, more_bytes},
    {"fewer-slots", "a ring has a barrier less", SITE_RING, fewer_slots},
    {"more-slots", "a ring has a barrier more", SITE_RING, more_slots},
    {"release-here", "releases do not reach the other blocks of a cluster", SITE_RING, release_here},
    {"release-across", "releases go to other blocks of a cluster", SITE_RING, release_across},
    {"copy-here", "a block brings a shared tile for itself alone", SITE_OP, copy_here},
    {"copy-across", "a block brings its share to other blocks", SITE_OP, copy_across},
    {"copy-to-all", "a block brings a tile of its own to others", SITE_OP, copy_to_all},
    {"share-less", "a block brings half of its share", SITE_OP, share_less},
    {"share-more", "a block brings more than its share", SITE_OP, share_more},
    {"rows-left-out", "rows that are looked at need not come", SITE_OP, rows_left_out},
    {"fewer-columns", "a product makes fewer columns than are seen", SITE_OP, fewer_columns},
    {"later-edge", "a loop's second body begins an iteration late", SITE_OP, later_edge},
    {"earlier-edge", "a loop's second body begins an iteration early", SITE_OP, earlier_edge},
    {"no-edge", "a loop never comes to its second body", SITE_OP, no_edge},
    {"other-body", "a loop runs its second body first", SITE_OP, other_body},
    {"rows-beyond-step", "rows beyond the grid's step need not come", SITE_OP, rows_beyond_step},
    {"fewer-groups", "a role has one group less", SITE_ROLE, fewer_groups},
    {"only-engine", "a role has no program for tensors that the TMA cannot load", SITE_ROLE, only_tma},
    {"trip-less", "a loop begins one step late", SITE_OP, one_trip_less},
    {"trip-more", "a loop begins one step early", SITE_OP, one_trip_more},
    {"other-arm", "a condition is the opposite", SITE_OP, other_arm},
    {"no-branch", "a condition is always true", SITE_OP, no_branch},
    {"reads-stored", "a branch goes by what the kernel writes", SITE_OP, reads_stored},
    {"other-ring", "a step is about another ring", SITE_OP, other_ring},
    {"other-storage", "a view, copy or store is of another storage", SITE_OP, other_storage},
    {"fixed-slot", "always slot 0", SITE_OP, fixed_slot},
    {"next-slot", "the slot behind", SITE_OP, next_slot},
    {"moved-box", "a box is one element further along", SITE_OP, moved_box},
    {"transposed-box", "a box has its extents in another order", SITE_OP, turned_box},
    {"first-rows", "every group reads the rows of the first", SITE_OP, first_rows},
    {"first-columns", "every group reads the columns of the first, or a slot's first column", SITE_OP, first_columns},
    {"first-part", "every group puts its rows where those of the first belong", SITE_OP, first_part},
    {"other-operand", "two products read each other's operand", SITE_OP, other_order_of_stages},
    {"other-tile", "a copy brings the next tile", SITE_OP, other_tile},
    {"swap-operands", "a difference, quotient or comparison the other way round", SITE_OP, swap_operands},
    {"swap-carried", "two values are handed on the wrong way round", SITE_OP, swap_carried},
    {"stale-carried", "an iteration hands on what it got", SITE_OP, stale_carried},
    {"other-start", "a constant tile of another constant", SITE_OP, other_start},
    {"shared-variable", "a value is put into another's variable", SITE_OP, shared_variable},
    {"aliased", "the next storage lies on this one", SITE_STORAGE, overlaps_next},
    {"overlapping", "the next storage begins half a slot early", SITE_STORAGE, overlaps_half},
    {"over-ring", "a staging or an operand lies in slots that others fill", SITE_STORAGE, over_ring},
    {"release-unread", "a slot is released while a copy out may read its memory", SITE_OP, release_unread},
    {"meet-alone", "each group of a role meets itself alone", SITE_OP, meet_alone},
    {"narrow-slots", "slots overlap each other", SITE_STORAGE, narrow_slots},
    {"fewer-storage-slots", "a storage has a slot less", SITE_STORAGE, one_storage_slot_less},
    {"said-resident", "all slots of a ring lie in one, as if tiles wanted the same", SITE_STORAGE, said_resident},
    {"not-resident", "slots that share memory are taken for apart", SITE_STORAGE, not_resident},
    {"resident-less", "slots that are kept lie in one less", SITE_STORAGE, resident_less},
    {"resident-more", "slots that are kept lie in one more", SITE_STORAGE, resident_more},
    {"next-element", "a load, copy or store is one element further along", SITE_OP, next_element},
    {"last-trip-less", "a loop leaves its last iteration out", SITE_OP, last_trip_less},
    {"at-the-bound", "a mask or condition is wrong at the bound alone", SITE_OP, at_the_bound},
    {"next-column", "a mask goes by the next row or column", SITE_OP, next_column},
    {"twice-scale", "a factor is twice as large", SITE_OP, twice_scale},
    {"other-rounding", "a number is rounded to another type first", SITE_OP, other_rounding},
    {"narrow-number", "a coordinate is computed in fewer bits", SITE_OP, narrow_number},
    {"next-owner", "the next group does what is one group's", SITE_OP, next_owner},
    {"other-order-of-waits", "two waits change places", SITE_OP, other_order_of_waits},
    {"exchange-rings", "a role takes two rings for each other", SITE_ROLE, exchange_rings},
    {"writes-resident", "a store goes to what slots keep", SITE_OP, writes_resident},
};
const int noperators = sizeof operators / sizeof *operators;
