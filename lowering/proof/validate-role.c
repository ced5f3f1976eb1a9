/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-role.c - the terms of a role's operations, and the operations of the source that they execute.
 *
 *      slot = get                     the slot that holds the loads of iteration b
 *      va = view ta[slot], 64 g ..    load (a, i, k), this group's rows
 *      acc2 = mma va, vb, acc         dot (load .., trans (load ..), acc), this group's rows
 *      store c, i + 64 g, j, x        the source's store c, i, j, if x is the value that it stores
 *
 * Groups that divide the rows of a tile run one program with an unknown `group`.  A coordinate may have the addend
 * group * rows, for a tile of that many rows.  It means this group's part of the source's tile at the coordinate
 * without the addend.
 */
#include <string.h>

#include "ir/queries.h"
#include "proof/validator.h"
#include "roles/programs.h"
#include "target/machine.h"
#include "target/operands.h"
#include "target/storage.h"

bool differs(Validator *validator, const Op *op, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!validator->why) {
        validator->where = op;
        validator->why = arena_vprint(validator->kernel->module, format, list);
    }
    va_end(list);
    return false;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static void know(Validator *validator, const Value *value, const Term *term, Spread spread)
{
    validator->known[value->id] = (Known){term, spread, NULL};
}

/* Returns a term that equals no other, so that any use that matters fails.  */
static Known unknown(Validator *validator)
{
    return (Known){term_symbol(&validator->terms), SPREAD_WHOLE, NULL};
}

Known known_of(Validator *validator, const Value *value)
{
    if (!value->def && !value->block)
        return (Known){validator->params[value->index], SPREAD_WHOLE, NULL};
    return validator->known[value->id].term ? validator->known[value->id] : unknown(validator);
}

static bool has_rows(const Value *value)
{
    return value->type.kind == K_TILE || value->type.kind == K_TOKEN || value->type.kind == K_VIEW;
}

/* Returns the part of the source's value that a role's value of this type holds.  */
static Spread spread_by_type(const Validator *validator, const Value *value, const Value *source)
{
    bool part = has_rows(value) && validator->groups > 1 && value->type.rows != source->type.rows;
    return part ? SPREAD_ROWS : SPREAD_WHOLE;
}

Known named(Validator *validator, Instance *instance, const Value *source, const Value *value)
{
    return (Known){source_term(validator, instance, source), spread_by_type(validator, value, source), NULL};
}

static bool rows_agree(const Validator *validator, Known known, int rows, int whole)
{
    bool all = rows == whole, part = rows * validator->groups == whole;
    return known.spread == SPREAD_WHOLE  ? all
           : known.spread == SPREAD_ROWS ? part
                                         : known.spread == SPREAD_ANY && (all || part);
}

bool agrees(const Validator *validator, Known known, const Value *value, const Term *term, const Value *source)
{
    return known.term == term &&
           (!has_rows(value) || rows_agree(validator, known, value->type.rows, source->type.rows));
}

/* ---- parts of tiles ---------------------------------------------------------------------------------------------- */

static const Term *group_rows(Validator *validator, int rows)
{
    return term_sum(&validator->terms, term_number(&validator->terms, 0), validator->group, rows);
}

/* Removes the group's first row from the coordinate, if that has one for tiles of so many rows.  */
static Spread subtile_group(Validator *validator, const Term **coordinate, int rows)
{
    if (validator->groups == 1 || term_factor(*coordinate, validator->group) != rows)
        return SPREAD_WHOLE;
    *coordinate = term_without(&validator->terms, *coordinate, validator->group);
    return SPREAD_ROWS;
}

enum { SPREAD_MIXED = -1 };

static int join(int x, Spread y)
{
    return x == SPREAD_ANY ? (int)y : y == SPREAD_ANY || x == (int)y ? x : SPREAD_MIXED;
}

/* Joins the parts of all operands.  A single row, column or number fits every part.  */
static int join_operands(const Validator *validator, const Op *op, const Known *args)
{
    int spread = SPREAD_ANY;
    for (int i = 0; i < op->nargs; i++) {
        bool broadcast = args[i].spread == SPREAD_WHOLE && op->args[i]->type.rows == 1;
        if (has_rows(op->args[i]) && !(broadcast && (op->nargs > 1 || validator->groups == 1)))
            spread = join(spread, args[i].spread);
        if (op->nargs > 1 && args[i].spread == SPREAD_COLS)
            return SPREAD_MIXED;
    }
    return spread == SPREAD_ANY && op->nargs == 1 ? (int)args[0].spread : spread;
}

static int spread_of(Validator *validator, const Op *op, const Known *args)
{
    int64_t first;
    if (validator->groups == 1 && op->code == OP_ROW_INDEX && op->nargs)
        return term_is_number(args[0].term, &first) && !first ? SPREAD_WHOLE : SPREAD_MIXED;
    if (validator->groups == 1)
        return SPREAD_WHOLE;
    switch (op->code) {
    case OP_FULL:
    case OP_COL_INDEX:
        return SPREAD_ANY;
    case OP_SPLAT:
        return SPREAD_WHOLE;
    case OP_ROW_INDEX:
        return !op->nargs                                                         ? SPREAD_WHOLE
               : args[0].term == group_rows(validator, op->results[0]->type.rows) ? SPREAD_ROWS
                                                                                  : SPREAD_MIXED;
    case OP_TRANS:
        if (args[0].spread == SPREAD_ANY && is_split_across(op->results[0], ROLE_BIT(validator->role)))
            return SPREAD_COLS; /* equal in all rows: all parts are alike */
        /* fallthrough */
    case OP_TRANS_VIEW:
        return args[0].spread == SPREAD_ROWS   ? SPREAD_COLS
               : args[0].spread == SPREAD_COLS ? SPREAD_ROWS
                                               : args[0].spread;
    case OP_COL_SUM:
    case OP_COL_MAX:
    case OP_COL_MIN:
    case OP_COL_CUMSUM:
    case OP_HISTOGRAM:
        return args[0].spread == SPREAD_WHOLE || args[0].spread == SPREAD_ANY ? SPREAD_WHOLE : SPREAD_MIXED;
    case OP_ROW_SUM:
    case OP_ROW_PART:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
    case OP_ROW_ARGMAX:
    case OP_ROW_CUMSUM:
        return args[0].spread == SPREAD_COLS ? SPREAD_MIXED : (int)args[0].spread;
    case OP_ROW_FIRST:
        return args[0].spread == SPREAD_COLS ? SPREAD_MIXED : join(args[0].spread, args[1].spread);
    case OP_MMA:
    case OP_DOT_F32:
    case OP_DOT:
        for (int i = 1; i < op->nargs; i += i == 1 ? 2 : 1) /* the right operand, then its residual and head */
            if (args[i].spread != SPREAD_WHOLE && args[i].spread != SPREAD_ANY)
                return SPREAD_MIXED;
        return join(args[2].spread, args[0].spread);
    default:
        return join_operands(validator, op, args);
    }
}

/* ---- plain operations -------------------------------------------------------------------------------------------- */

static bool run_pure(Validator *validator, const Op *op)
{
    Known args[op->nargs + 1];
    const Term *terms[op->nargs + 1];
    for (int i = 0; i < op->nargs; i++) {
        args[i] = known_of(validator, op->args[i]);
        terms[i] = args[i].term;
    }
    int spread = has_rows(op->results[0]) ? spread_of(validator, op, args) : SPREAD_WHOLE;
    if (spread == SPREAD_MIXED) {
        validator->known[op->results[0]->id] = unknown(validator);
        return true;
    }
    Op whole = *op;
    Value transposed = *op->results[0], *results[] = {&transposed};
    if (op->code == OP_ROW_INDEX)
        whole.nargs = 0;
    if (op->code == OP_TRANS && spread == SPREAD_COLS) {
        transposed.type.cols *= validator->groups;
        whole.results = results;
    }
    const Term *term = term_of(&validator->terms, &whole, terms);
    const Type type = op->results[0]->type;
    if (type.kind == K_SCALAR && !dtype_is_float(type.dtype) && 8 * dtype_bytes(type.dtype) < term_width(term))
        return differs(validator, op, "computes a number in fewer bits than the source, where it may overflow");
    know(validator, op->results[0], term, (Spread)spread);
    return true;
}

static bool run_load(Validator *validator, const Op *op)
{
    const Term *args[op->nargs + 1];
    for (int i = 0; i < op->nargs; i++)
        args[i] = known_of(validator, op->args[i]).term;
    int rows = op->results[0]->type.rows, row = row_coordinate(op), count = op->nargs;
    Spread spread = row < 0 ? SPREAD_WHOLE : subtile_group(validator, &args[row], rows);
    int base = stored_base(validator, args[0]);
    if (base >= 0 && validator->storing[base] != validator->role)
        return differs(validator, op, "loads what another role stores, and nothing orders the two");
    if (base >= 0)
        args[count++] = validator->memory[base];
    const Term *term =
        term_load(&validator->terms, op, spread == SPREAD_ROWS ? rows * validator->groups : rows, count, args);
    know(validator, op->results[0], term, spread);
    return true;
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* True if each group stores its part of the tile, false if one group stores it for all.  Each group takes its rows of a
   tile that comes straight from a ring, if the groups divide them.  */
bool is_divided(const Validator *validator, const Op *store)
{
    const Value *tile = store->args[store->nargs - 1];
    return validator->groups > 1 && !op_scatters(store) &&
           (tile->split & ROLE_BIT(validator->role) || ring_source_divides(tile, validator->groups));
}

bool is_divided_across(const Validator *validator, const Op *store)
{
    return validator->groups > 1 && store->code == OP_STORE &&
           is_split_across(store->args[store->nargs - 1], ROLE_BIT(validator->role));
}

typedef struct {
    const Term **args;
    /* SPREAD_ROWS: the row coordinate has the group's first row; SPREAD_COLS: the column has its first column.  */
    Spread place;
    Known tile;
} Stored;

/* True if each group has all rows of its columns of the source's tile.  */
static bool agrees_across(const Validator *validator, const Stored *what, Type part, const Term *term, Type whole)
{
    return what->tile.term == term && what->tile.spread == SPREAD_COLS && what->place == SPREAD_COLS &&
           part.rows == whole.rows && part.cols * validator->groups == whole.cols;
}

/* True if all operands that are printed side by side have the same rows.  */
static bool agrees_side_by_side(Validator *validator, const Op *op, const Op *source, const Instance *instance)
{
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind == K_TILE &&
            !(agrees(validator, known_of(validator, op->args[i]), op->args[i],
                     source_term(validator, instance, source->args[i]), source->args[i]) &&
              op->args[i]->type.rows == op->args[op->nargs - 1]->type.rows))
            return false;
    return true;
}

static bool agrees_by_rows(const Validator *validator, const Op *op, const Stored *what, const Term *term,
                           const Op *source)
{
    const Value *tile = source->args[source->nargs - 1];
    bool divided = is_divided(validator, source);
    return agrees(validator, what->tile, op->args[op->nargs - 1], term, tile) &&
           divided == (op->args[op->nargs - 1]->type.rows != tile->type.rows) &&
           (row_coordinate(op) < 0 || divided == (what->place == SPREAD_ROWS));
}

static bool is_the_store(Validator *validator, const Op *op, const Stored *what, const Op *source,
                         const Instance *instance)
{
    const Value *tile = source->args[source->nargs - 1];
    bool named_equal = source->code == op->code && op_means_the_same(op, source);
    if (!named_equal || source->nargs != op->nargs || instance->done[source->position] & DONE_OP)
        return false;
    const Term *term = source_term(validator, instance, tile);
    if (is_divided_across(validator, source)
            ? !agrees_across(validator, what, op->args[op->nargs - 1]->type, term, tile->type)
            : !agrees_by_rows(validator, op, what, term, source))
        return false;
    if (op->code == OP_PRINT_EACH && !agrees_side_by_side(validator, op, source, instance))
        return false;
    int base = op_prints(op) ? -1 : stored_base(validator, what->args[0]);
    const Term *memory = base < 0 ? NULL : validator->memory[base];
    return store_term(validator, op, memory, what->args) == instance->stored[source->position];
}

/* A store through staging may go box by box, in their order.  The last box ends the store.  */
typedef struct {
    unsigned number, count; /* box `number` of `count`, from 1 on; 0 of 0: the whole tile */
} Box;

static Box box_of(const Op *store)
{
    const Op *stage = store->args[store->nargs - 1]->def;
    if (!stage || stage->code != OP_STAGE || !stage->sync->box)
        return (Box){0, 0};
    return (Box){(unsigned)stage->sync->box, (unsigned)machine_boxes(stage->args[0]->type)};
}

static bool is_next_box(Box box, unsigned done)
{
    return done / DONE_BOX + 1 == box.number || (!box.number && done < DONE_BOX);
}

static bool is_part(Known tile)
{
    return tile.spread == SPREAD_ROWS || tile.spread == SPREAD_COLS;
}

/* True if the operation never waits for other groups.  */
static bool ends_alone(const Op *op)
{
    switch (op->code) {
    case OP_VIEW:
    case OP_TRANS_VIEW:
    case OP_READ:
    case OP_MMA:
    case OP_COMMIT:
    case OP_COMMIT_NOTHING:
    case OP_WAIT: /* waits for its own products */
    case OP_COMPUTED:
    case OP_CONSUMED:
    case OP_PUT_DONE:
    case OP_SKIP:
    case OP_FENCE:
        return true;
    default:
        return op_info[op->code].class_ != CLASS_SYNC && op_info[op->code].class_ != CLASS_STORE &&
               op_info[op->code].class_ != CLASS_CONTROL;
    }
}

/* True if no operation between the last role barrier and this one makes a group wait for another.  */
static bool groups_met(const Op *op)
{
    const Op *before = op->prev;
    while (before && before->code != OP_ROLE_BARRIER && ends_alone(before))
        before = before->prev;
    return before && before->code == OP_ROLE_BARRIER;
}

static bool run_store(Validator *validator, const Op *op)
{
    const Term *args[op->nargs];
    for (int i = 0; i < op->nargs; i++)
        args[i] = known_of(validator, op->args[i]).term;
    const Value *tile = op->args[op->nargs - 1];
    int row = row_coordinate(op);
    Stored what = {args, SPREAD_WHOLE, known_of(validator, tile)};
    if (op_scatters(op) && (is_part(what.tile) || is_part(known_of(validator, op->args[1]))))
        return differs(validator, op, "stores a part of a tile by indices of which it may have another");
    if (op->code == OP_STORE && what.tile.spread == SPREAD_COLS)
        what.place =
            subtile_group(validator, &args[row + 1], tile->type.cols) == SPREAD_ROWS ? SPREAD_COLS : SPREAD_WHOLE;
    else if (row >= 0)
        what.place = subtile_group(validator, &args[row], tile->type.rows);
    Box box = box_of(op);
    for (int k = 0; k < validator->nopen; k++)
        FOR_OPS (source, validator->open[k]->block) {
            if (op_info[source->code].class_ != CLASS_STORE)
                continue;
            unsigned *done = &validator->open[k]->done[source->position];
            if (!is_the_store(validator, op, &what, source, validator->open[k])) {
                bool skips =
                    op_prints(op) && op_prints(source) && !(validator->open[k]->done[source->position] & DONE_OP);
                if (skips)
                    return differs(validator, op, "prints before, or otherwise than, the source prints in line %d",
                                   source->loc.line);
                continue;
            }
            if (validator->groups > 1 && !is_divided(validator, source) && !is_divided_across(validator, source) &&
                validator->leader != 1)
                return differs(validator, op, "every group stores what one should store for all");
            if (op->code == OP_PRINT && op->store->divided != is_divided(validator, source))
                return differs(validator, op, "shows the rows of one group as all rows, or all as those of one");
            if (op->code == OP_PRINT && op->store->divided && !groups_met(op))
                return differs(validator, op, "shows rows in turn where the groups have not met");
            if (!is_next_box(box, *done))
                return differs(validator, op, "stores box %u of a tile of which %u boxes are stored", box.number,
                               *done / DONE_BOX);
            *done += DONE_BOX;
            if (box.number < box.count)
                return true;
            *done |= DONE_OP;
            int base = op_prints(op) ? -1 : stored_base(validator, args[0]);
            if (base >= 0)
                validator->memory[base] = validator->open[k]->stored[source->position];
            return true;
        }
    return differs(validator, op,
                   "stores what the source does not store here: another value, another place or another order");
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Returns the oldest open iteration of the ring's block without this step, NULL: none.  */
static Instance *next_of_ring(Validator *validator, const Aref *aref, unsigned bit)
{
    for (int k = 0; k < validator->nopen; k++)
        if (validator->open[k]->block == aref->home &&
            !(validator->open[k]->done[aref->payload[0]->def->position] & bit))
            return validator->open[k];
    return NULL;
}

static bool run_slot(Validator *validator, const Op *op, unsigned bit)
{
    Instance *instance = next_of_ring(validator, op->aref, bit);
    if (!instance)
        return differs(validator, op, "a %s of '%s' that no iteration of the source has", op_info[op->code].text,
                       op->aref->name);
    if (bit == DONE_PUT && validator->role->replicas > 1 && op->aref->fillers == 1 && validator->leader != 1)
        return differs(validator, op, "every group puts into '%s'", op->aref->name);
    instance->done[op->aref->payload[0]->def->position] |= bit;
    if (op->nresults)
        validator->known[op->results[0]->id] = (Known){
            term_special(&validator->terms, TERM_SLOT, op->aref->id, 1, &instance->name), SPREAD_WHOLE, instance};
    return true;
}

/* True if the value is a slot of this ring.  */
static bool is_slot(const Known *slot, const Aref *aref)
{
    return slot->instance && slot->term->code == TERM_SLOT && slot->term->ival == aref->id;
}

/* True if the blocks that each copy a share load the same tile, equally often, and the shares make up the tile.  */
static bool check_share(Validator *validator, const Op *op, const Op *load)
{
    int rows = load->results[0]->type.rows, sharers = cluster_sharers(validator->kernel, op->transfer->along);
    int differing = variance_of_load(&validator->variance, load) | variance_around(&validator->variance, load);
    if (!op->transfer->along)
        return !op->transfer->share || differs(validator, op, "brings a part of '%s' alone", op->storage->name);
    if (op->transfer->share <= 0 || op->transfer->share % MACHINE_SWIZZLE_ROWS || op->transfer->share * sharers != rows)
        return differs(validator, op, "brings %d of %d rows of '%s', and %d blocks do so", op->transfer->share, rows,
                       op->storage->name, sharers);
    return !(differing & variance_along(op->transfer->along)) ||
           differs(validator, op, "shares '%s' with blocks that load another tile", op->storage->name);
}

static bool run_copy_in(Validator *validator, const Op *op)
{
    Known slot = known_of(validator, op->args[0]);
    const Op *load = aref_source(op->aref, op->storage);
    if (!load || load->code != OP_LOAD || op->storage->transposed || !is_slot(&slot, op->aref))
        return differs(validator, op, "copies into '%s' with a slot of another ring", op->storage->name);
    unsigned *done = &slot.instance->done[load->position];
    bool same =
        load->nargs == op->nargs - 1 && !memcmp(&load->transfer->fill, &op->transfer->fill, sizeof op->transfer->fill);
    for (int i = 0; same && i < load->nargs; i++)
        same = known_of(validator, op->args[1 + i]).term == source_term(validator, slot.instance, load->args[i]);
    if (!same)
        return differs(validator, op, "copies something else into '%s' than the source loads", op->storage->name);
    if ((op->transfer->skip_oob && !load->transfer->skip_oob) ||
        (op->transfer->skip_step && op->transfer->skip_step != load->transfer->skip_step))
        return differs(validator, op, "leaves out rows of '%s' that are looked at", op->storage->name);
    if (*done & DONE_COPY)
        return differs(validator, op, "copies twice into one slot of '%s'", op->storage->name);
    *done |= DONE_COPY;
    return check_share(validator, op, load);
}

/* True if one group writes all of the slot's tile, or each of all groups writes its rows.  */
static bool is_part_of_slot(Validator *validator, const Op *op, Known tile, const Value *value)
{
    const Value *from = op->args[1];
    if (op->aref->fillers == 1)
        return validator->role->replicas == 1 && op->nargs == 2 && from->type.rows == value->type.rows &&
               tile.spread != SPREAD_COLS;
    return op->aref->fillers == validator->groups && op->nargs == 3 &&
           from->type.rows * validator->groups == value->type.rows &&
           (tile.spread == SPREAD_ROWS || tile.spread == SPREAD_ANY) && !op->storage->transposed &&
           known_of(validator, op->args[2]).term == group_rows(validator, from->type.rows);
}

/* Checks that the written tile is that of the slot's iteration.  */
static bool run_put_tile(Validator *validator, const Op *op)
{
    Known slot = known_of(validator, op->args[0]), tile = known_of(validator, op->args[1]);
    const Op *source = aref_source(op->aref, op->storage);
    if (!source || !is_slot(&slot, op->aref))
        return differs(validator, op, "writes a tile to '%s' with a slot of another ring", op->storage->name);
    const Value *value = source->results[0];
    if (!is_part_of_slot(validator, op, tile, value) ||
        !agrees(validator, tile, op->args[1], source_term(validator, slot.instance, value), value))
        return differs(validator, op, "writes something else to '%s' than the source has there", op->storage->name);
    unsigned *done = &slot.instance->done[source->position];
    if (*done & DONE_COPY)
        return differs(validator, op, "writes two tiles to one slot of '%s'", op->storage->name);
    *done |= DONE_COPY;
    return true;
}

static bool run_put_done(Validator *validator, const Op *op)
{
    Known slot = known_of(validator, op->args[0]);
    if (!is_slot(&slot, op->aref))
        return differs(validator, op, "ends a put of '%s' with a slot of another ring", op->aref->name);
    for (int i = 0; i < op->aref->nstorages; i++)
        if (!(slot.instance->done[op->aref->payload[i]->def->position] & DONE_COPY))
            return differs(validator, op, "ends a put of '%s' without a copy into '%s'", op->aref->name,
                           op->aref->storages[i]->name);
    return true;
}

/* Returns the part of a slot that the view has: all, or this group's rows or columns.  */
static int window_of(Validator *validator, const Op *op, Type whole)
{
    Type type = op->results[0]->type;
    if (op->nargs == 1)
        return type.rows == whole.rows && type.cols == whole.cols ? SPREAD_WHOLE : SPREAD_MIXED;
    const Term *row = known_of(validator, op->args[1]).term, *column = known_of(validator, op->args[2]).term;
    const Term *zero = term_number(&validator->terms, 0);
    if (type.rows * validator->groups == whole.rows && type.cols == whole.cols && column == zero &&
        row == group_rows(validator, type.rows))
        return SPREAD_ROWS;
    if (type.cols * validator->groups == whole.cols && type.rows == whole.rows && row == zero &&
        column == group_rows(validator, type.cols))
        return SPREAD_COLS;
    return row == zero && column == zero && type.rows == whole.rows && type.cols == whole.cols ? SPREAD_WHOLE
                                                                                               : SPREAD_MIXED;
}

/* Returns the rows of a view with one column: all rows of the slot, or this group's.  */
static int column_of(Validator *validator, const Op *op, Type whole)
{
    Type type = op->results[0]->type;
    if (op->nargs == 1 || type.cols != 1)
        return SPREAD_MIXED;
    const Term *row = known_of(validator, op->args[1]).term;
    if (type.rows == whole.rows && row == term_number(&validator->terms, 0))
        return SPREAD_WHOLE;
    return type.rows * validator->groups == whole.rows && row == group_rows(validator, type.rows) ? SPREAD_ROWS
                                                                                                  : SPREAD_MIXED;
}

static Known *staged(Validator *validator, const Storage *storage)
{
    return &validator->staged[storage_place(validator->kernel, storage)];
}

static const Term *transpose_of(Validator *validator, const Op *view, const Term *tile)
{
    Op trans = *view;
    trans.code = OP_TRANS;
    trans.nargs = 1;
    return term_of(&validator->terms, &trans, &tile);
}

static const Term *column_term(Validator *validator, const Op *view, const Term *tile)
{
    Op columns = *view;
    const Term *args[] = {tile, known_of(validator, view->args[2]).term};
    columns.code = OP_COLUMNS;
    columns.nargs = 2;
    return term_of(&validator->terms, &columns, args);
}

static bool run_view(Validator *validator, const Op *op)
{
    Known *result = &validator->known[op->results[0]->id];
    if (op->storage->use != USE_RING) {
        *result = *staged(validator, op->storage);
        return result->term ||
               differs(validator, op, "looks at '%s', into which nothing was written", op->storage->name);
    }
    Known slot = known_of(validator, op->args[0]);
    const Op *source = op->aref ? aref_source(op->aref, op->storage) : NULL;
    if (!source || !is_slot(&slot, op->aref))
        return differs(validator, op, "looks at '%s' with a slot of another ring", op->storage->name);
    bool transposed = op->storage->transposed;
    Type type = source->results[0]->type;
    type = transposed ? type_transposed(type) : type;
    int spread = window_of(validator, op, type);
    bool column = spread == SPREAD_MIXED;
    if (column)
        spread = column_of(validator, op, type);
    if (spread == SPREAD_MIXED)
        return differs(validator, op, "looks at a window of '%s' that is not this group's", op->storage->name);
    const Term *tile = source_term(validator, slot.instance, source->results[0]);
    if (transposed)
        tile = transpose_of(validator, op, tile);
    if (column)
        tile = column_term(validator, op, tile);
    *result = (Known){tile, (Spread)spread, NULL};
    return true;
}

/* Checks that the rows of all groups make up the source's tile.  */
static bool run_gather(Validator *validator, const Op *op)
{
    Known part = known_of(validator, op->args[0]);
    int rows = op->args[0]->type.rows;
    bool parts = part.spread == SPREAD_ROWS || part.spread == SPREAD_ANY || validator->groups == 1;
    bool all = rows * validator->groups == op->results[0]->type.rows && parts;
    if (!all || known_of(validator, op->args[1]).term != group_rows(validator, rows))
        return differs(validator, op, "gathers in '%s' what is not this group's rows of a tile", op->storage->name);
    validator->known[op->results[0]->id] = *staged(validator, op->storage) = (Known){part.term, SPREAD_WHOLE, NULL};
    return true;
}

/* ---- products that do not make all columns ----------------------------------------------------------------------- */

/* Returns the value as a number of 64 bits.  */
static const Term *widened(Validator *validator, const Instance *instance, const Value *value)
{
    const Term *term = source_term(validator, instance, value);
    Value from = {.type = value->type}, to = {.type = type_scalar(D_I64)}, *args[] = {&from}, *results[] = {&to};
    Op op = {.code = OP_SCALAR_CONVERT, .nargs = 1, .nresults = 1, .args = args, .results = results};
    return term_of(&validator->terms, &op, &term);
}

/* Returns the number of the load's rows that can influence a store (skip-oob.c): the grid's step, or the rows inside
   the tensor.  */
static const Term *rows_that_count(Validator *validator, const Op *load, const Instance *instance)
{
    const Op *tensor = load->args[0]->def;
    int row = load->nargs - 2;
    if (load->transfer->skip_step)
        return widened(validator, instance, ir_enclosing(load, OP_GRID)->args[3 * load->transfer->skip_step - 1]);
    if (!load->transfer->skip_oob || tensor->code != OP_TENSOR)
        return term_symbol(&validator->terms);
    return term_sum(&validator->terms, widened(validator, instance, tensor->args[row]),
                    widened(validator, instance, load->args[row]), -1);
}

/* True if rows of a load become the columns of the product, and it makes all columns that can influence a store.  */
static bool makes_what_counts(Validator *validator, const Op *product)
{
    const Op *right = product->args[1]->def, *view = right && right->code == OP_TRANS_VIEW ? right->args[0]->def : NULL;
    const Aref *aref = view && view->code == OP_VIEW && view->nargs == 1 ? view->aref : NULL;
    const Op *load = aref && !view->storage->transposed ? aref_source(aref, view->storage) : NULL;
    const Term *columns = known_of(validator, product->args[3]).term;
    int64_t most;
    if (!load || load->code != OP_LOAD)
        return false;
    if (columns->code == OP_SCALAR_MIN && term_is_number(columns->args[1], &most) &&
        most >= product->results[0]->type.cols)
        columns = columns->args[0];
    return columns == rows_that_count(validator, load, known_of(validator, view->args[0]).instance);
}

static bool run_product(Validator *validator, const Op *op)
{
    Op whole = *op;
    if (op->nargs > 3 && makes_what_counts(validator, op))
        whole.nargs = 3;
    return run_pure(validator, &whole);
}

/* ---- any operation ----------------------------------------------------------------------------------------------- */

static bool run_sync(Validator *validator, const Op *op)
{
    switch (op->code) {
    case OP_PUT:
        return run_slot(validator, op, DONE_PUT);
    case OP_GET:
        return run_slot(validator, op, DONE_GET);
    case OP_COPY_IN:
        return run_copy_in(validator, op);
    case OP_PUT_TILE:
        return run_put_tile(validator, op);
    case OP_PUT_DONE:
        return run_put_done(validator, op);
    case OP_SKIP:
        return run_skip(validator, op);
    case OP_VIEW:
        return run_view(validator, op);
    case OP_TRANS_VIEW:
        return run_pure(validator, op);
    case OP_MMA:
        return run_product(validator, op);
    case OP_READ:
        validator->known[op->results[0]->id] = known_of(validator, op->args[0]);
        return true;
    case OP_STAGE:
        validator->known[op->results[0]->id] = *staged(validator, op->storage) = known_of(validator, op->args[0]);
        return true;
    case OP_GATHER:
        return run_gather(validator, op);
    case OP_WAIT:
        for (int i = 0; i < op->nresults; i++)
            validator->known[op->results[i]->id] = known_of(validator, op->args[i]);
        return true;
    default: /* COMMIT, CONSUMED, turns, barriers: no values */
        return op->nresults == 0 || differs(validator, op, "a result of '%s'", op_info[op->code].text);
    }
}

static bool carry_out(Validator *validator, const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
    case CLASS_TENSOR:
    case CLASS_READ:
    case CLASS_TILE:
        return run_pure(validator, op);
    case CLASS_LOAD:
        return run_load(validator, op);
    case CLASS_STORE:
        return run_store(validator, op);
    case CLASS_SYNC:
        return run_sync(validator, op);
    default:
        return run_control(validator, op);
    }
}

bool run_op(Validator *validator, const Op *op)
{
    if (op->nblocks)
        return run_control(validator, op);
    bool printed = op_is_printed(op);
    if ((printed && !held_read(validator, op, op)) || !carry_out(validator, op))
        return false;
    for (int i = 0; printed && i < op->nresults; i++)
        variable_write(validator, op->results[i]);
    return true;
}

bool run_block(Validator *validator, const Block *block)
{
    FOR_OPS (op, block)
        if (op->code != OP_YIELD && op->code != OP_COND && !run_op(validator, op))
            return false;
    return true;
}
