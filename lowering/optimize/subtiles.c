/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * subtiles.c - splits an epilogue into subtiles of columns.
 *
 *      before                                     after
 *      r = ws_load (d, i, j, 128, 192)            for (subtile = 0; subtile < 192; subtile += 64)
 *      y = ws_add (acc, ws_cast (r, F32))           part = columns acc, subtile
 *      ws_store (c, i, j, ws_cast (y, F16))         r = ws_load (d, i, j + subtile, 128, 64)
 *                                                   y = ws_add (part, ws_cast (r, F32))
 *                                                   ws_store (c, i, j + subtile, ws_cast (y, F16))
 *
 * Beside the accumulator only a subtile of the other tiles is live. Stores of one subtile overlap the computation of
 * the next. A tile that the epilogue loads can come through a small ring. A subtile has the width that TMA moves at
 * once: a line of 128 bytes, or half a line.
 *
 * If a tile is transposed before the store, the pass cuts before the transpose. Subtiles of its columns are rows of the
 * stored tile.
 *
 * The pass cuts elementwise operations and loads of whole tiles if only cut operations use them. It takes subtiles of
 * all other operands. No other access to the stored memory may stand between the old and the new place of an operation.
 * A load from the stored memory must have the store's coordinates, so that no subtile reads elements that another one
 * has written.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/subtiles.c, epilogues.c and thin_store.c run epilogues on emulate
 * and on the sequential target, which takes whole tiles.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "optimize/epilogue-prefetch.h"
#include "passes.h"
#include "rules.h"
#include "target/machine.h"

enum { FEWEST_COLUMNS = 32, USUAL_COLUMNS = 64, MAX_MEMBERS = 128 };

/* Operations of one block that are cut together, the last first.  */
typedef struct {
    Kernel *kernel;
    Block *block;
    Op *members[MAX_MEMBERS];
    int count;
    int rows, cols, width;
    Op *transposed; /* the transpose of the stored tile; NULL: none */
} Cut;

static bool is_member(const Cut *cut, const Op *op)
{
    for (int i = 0; i < cut->count; i++)
        if (cut->members[i] == op)
            return true;
    return false;
}

static Value *stored_tile(const Op *store)
{
    return store->args[store->nargs - 1];
}

/* The transpose of a computed tile that only the store uses, or NULL.  */
static Op *transpose_for(const Op *store)
{
    Op *op = stored_tile(store)->def;
    bool computed = op && op->code == OP_TRANS && op->parent == store->parent && op->results[0]->uses == 1;
    const Op *source = computed ? op->args[0]->def : NULL;
    return source && source->code != OP_LOAD && op->args[0]->type.rows > 1 ? op : NULL;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static bool is_cut_in_place(const Op *op)
{
    return op_is_elementwise(op) || op_info[op->code].rule == R_FULL || op_info[op->code].rule == R_INDEX;
}

static bool is_wide(const Cut *cut, const Value *value)
{
    return value->type.kind == K_TILE && value->type.cols == cut->cols;
}

static bool can_be_cut(const Cut *cut, const Op *op)
{
    if (op == cut->transposed)
        return true;
    bool load = (op->code == OP_LOAD && !load_comes_whole(cut->kernel, op)) || op->code == OP_LOAD_ROW;
    return op->nresults == 1 && is_wide(cut, op->results[0]) && (load || is_cut_in_place(op));
}

typedef struct {
    const Cut *cut;
    const Value *value;
    bool elsewhere;
} Need;

static void visit_need(Op *op, void *context)
{
    Need *need = context;
    for (int i = 0; i < op->nargs; i++)
        need->elsewhere |= op->args[i] == need->value && !is_member(need->cut, op);
}

static bool only_for_members(const Cut *cut, const Value *value)
{
    Need need = {cut, value, false};
    ir_walk(cut->block, visit_need, &need);
    return !need.elsewhere;
}

static void add_member(Cut *cut, Op *op)
{
    if (cut->count < MAX_MEMBERS)
        cut->members[cut->count++] = op;
}

/* The operations that the store depends on and that can be cut, found backwards from the store.  */
static Cut reach_of(const Cut *cut, Op *store)
{
    Cut reach = *cut;
    reach.count = 0;
    add_member(&reach, store);
    for (Op *op = store->prev; op; op = op->prev) {
        bool used = false;
        for (int i = 0; i < reach.count; i++)
            used |= can_be_cut(cut, op) && uses_value(reach.members[i], op->results[0]);
        if (used)
            add_member(&reach, op);
    }
    return reach;
}

static bool shares(const Cut *reach, const Cut *other)
{
    for (int i = 1; i < other->count; i++)
        if (is_member(reach, other->members[i]))
            return true;
    return false;
}

static bool is_like_store(const Cut *cut, const Op *op)
{
    return !cut->transposed && op->code == OP_STORE && stored_tile(op)->type.cols == cut->cols &&
           stored_tile(op)->type.rows == cut->rows;
}

/* Collects the last store, earlier stores that share operations with it, and operations that only these use.  */
static void collect(Cut *cut, Op *last)
{
    const Cut reach = reach_of(cut, last);
    add_member(cut, last);
    for (Op *op = last->prev; op; op = op->prev) {
        bool needed = op->nresults == 1 && op->results[0]->uses && only_for_members(cut, op->results[0]);
        if (needed && can_be_cut(cut, op)) {
            add_member(cut, op);
        } else if (is_like_store(cut, op)) {
            const Cut other = reach_of(cut, op);
            if (shares(&reach, &other))
                add_member(cut, op);
        }
    }
}

/* ---- legality and profitability ---------------------------------------------------------------------------------- */

enum { LOOK_BACK = 8 };

/* True if the value depends on a product, within `depth` steps and through carried values.  */
static bool is_of_product(const Value *value, int depth)
{
    const Op *op = value->def;
    if (!op || !depth || !value_is_tile(value))
        return false;
    if (op->code == OP_FOR)
        return is_of_product(carried(op, value->index).next, depth - 1);
    for (int k = 0; k < op->nblocks; k++) {
        const Op *yield = op->blocks[k]->last;
        if (yield && value->index < yield->nargs && is_of_product(yield->args[value->index], depth - 1))
            return true;
    }
    if (op_is_product(op))
        return true;
    for (int i = 0; i < op->nargs && !op->nblocks; i++)
        if (is_of_product(op->args[i], depth - 1))
            return true;
    return false;
}

/* True for a result of a product or a loop. In a task, a loop must contain products: a task without products has
   rows in its lanes, and its accumulators are stored whole.  */
static bool is_accumulator(const Value *value, bool of_task)
{
    const Op *op = value->def;
    if (value->type.dtype == D_MASK || !op)
        return false;
    return op_is_product(op) || (op->nblocks && (!of_task || is_of_product(value, LOOK_BACK)));
}

/* True if an operation of the cut, or a store of a task, reads an accumulator as large as the stored tile.  */
static bool is_epilogue(const Cut *cut)
{
    bool sums = false, of_task = false;
    for (int i = 0; i < cut->count; i++)
        of_task |= schedule_of(cut->members[i])->task != 0;
    for (int i = 0; i < cut->count; i++)
        for (int k = 0; k < cut->members[i]->nargs; k++) {
            const Value *value = cut->members[i]->args[k];
            if (!cut->members[i]->nresults && !schedule_of(cut->members[i])->task)
                continue;
            sums |= is_accumulator(value, of_task) && is_wide(cut, value) && value->type.rows == cut->rows;
        }
    return sums && cut->count < MAX_MEMBERS;
}

static const Value *memory_of(const Op *op)
{
    const Op *root = tensor_root(op->args[0]);
    return root ? root->args[0] : NULL;
}

static bool touches_memory(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || (class_ == CLASS_STORE && !op_prints(op));
}

/* True if one of the two is a store, and they may access the same elements.  */
static bool may_overlap(const Op *x, const Op *y)
{
    const Value *memory = memory_of(x), *other = memory_of(y);
    bool writes = op_info[x->code].class_ == CLASS_STORE || op_info[y->code].class_ == CLASS_STORE;
    return writes && (!memory || !other || memory == other);
}

static bool same_place(const Op *x, const Op *y)
{
    int count = x->nargs - (x->code == OP_STORE), others = y->nargs - (y->code == OP_STORE);
    bool same =
        count == others && (x->code == OP_LOAD || x->code == OP_STORE) && (y->code == OP_LOAD || y->code == OP_STORE);
    for (int i = 0; same && i < count; i++)
        same = x->args[i] == y->args[i];
    return same;
}

typedef struct {
    const Op *member;
    bool found;
} Overlap;

static void visit_overlap(Op *op, void *context)
{
    Overlap *overlap = context;
    overlap->found |= touches_memory(op) && may_overlap(op, overlap->member);
}

static bool overlaps_on_the_way(const Cut *cut, Op *member)
{
    Overlap overlap = {member, false};
    for (Op *op = member->next; op && op != cut->members[0]; op = op->next) {
        if (is_member(cut, op))
            continue;
        visit_overlap(op, &overlap);
        for (int k = 0; k < op->nblocks; k++)
            ir_walk(op->blocks[k], visit_overlap, &overlap);
    }
    return overlap.found;
}

static bool may_move(const Cut *cut)
{
    for (int i = 0; i < cut->count; i++) {
        Op *member = cut->members[i];
        if (!touches_memory(member))
            continue;
        for (int k = 0; k < i; k++)
            if (touches_memory(cut->members[k]) && may_overlap(member, cut->members[k]) &&
                !same_place(member, cut->members[k]))
                return false;
        if (overlaps_on_the_way(cut, member))
            return false;
    }
    return true;
}

/* True if the epilogue only casts, so that one subtile fits beside the accumulator.  */
static bool is_roomy(const Cut *cut)
{
    for (int i = 0; i < cut->count; i++)
        if (cut->members[i]->code != OP_CAST && cut->members[i]->code != OP_STORE && cut->members[i] != cut->transposed)
            return false;
    return cut->rows * (cut->cols + USUAL_COLUMNS) <= kernel_costs(cut->kernel)->group_elements;
}

/* The width of a line of the widest store. The width is halved while it does not divide the columns, down to
   USUAL_COLUMNS if registers suffice. It is FEWEST_COLUMNS if loads or polynomials compete with a large accumulator.
   Columns that no width divides are cut into lines, then half a line.  */
static int subtile_width(const Cut *cut)
{
    int line = FEWEST_COLUMNS;
    bool loads = false, polynomials = false;
    for (int i = 0; i < cut->count; i++) {
        const Op *op = cut->members[i];
        int columns = op->code == OP_STORE ? MACHINE_LINE_BYTES / dtype_bytes(stored_tile(op)->type.dtype) : 0;
        line = columns > line ? columns : line;
        loads |= op->code == OP_LOAD;
        for (int k = 0; k < op->nargs; k++)
            loads |= op->args[k]->def && load_comes_whole(cut->kernel, op->args[k]->def);
        polynomials |= (op_info[op->code].about & IS_POLYNOMIAL) != 0;
    }
    bool roomy = is_roomy(cut);
    const int half = kernel_costs(cut->kernel)->half_group_elements;
    int width = (loads || polynomials) && cut->rows * cut->cols > half ? FEWEST_COLUMNS : line;
    while (width > (roomy && cut->cols >= width ? USUAL_COLUMNS : FEWEST_COLUMNS) && cut->cols % width)
        width /= 2;
    if (cut->cols % width == 0 || (roomy && cut->cols > width))
        return width;
    return loads || cut->cols < line / 2 ? cut->cols : cut->cols < line ? line / 2 : line;
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const Cut *cut;
    Block *body;
    Value *subtile;
    ValueMap map;   /* value -> its subtile */
    ValueMap moved; /* first column of a tile -> first column of the subtile */
} Cutter;

static Op *append(const Cutter *cutter, Opcode code, Loc loc, int nargs, Value *const *args)
{
    Op *op = op_new(cutter->cut->kernel, code, loc, nargs, args);
    op_append(cutter->body, op);
    return op;
}

static Value *moved_column(Cutter *cutter, const Op *op, Value *column)
{
    Kernel *kernel = cutter->cut->kernel;
    Value *subtile = cutter->subtile, *moved = value_map_get(&cutter->moved, column);
    if (moved != column)
        return moved;
    int64_t first;
    if (column->type.dtype != subtile->type.dtype)
        subtile = op_result(kernel, append(cutter, OP_SCALAR_CONVERT, op->loc, 1, &subtile), column->type, NULL);
    Value *args[] = {column, subtile};
    moved = ir_constant(column, &first) && !first
                ? subtile
                : op_result(kernel, append(cutter, OP_SCALAR_ADD, op->loc, 2, args), column->type, "column");
    value_map_set(kernel, &cutter->moved, column, moved);
    return moved;
}

static void narrow(const Cutter *cutter, Value *value)
{
    value->type.cols = cutter->cut->width;
}

/* The subtile of a tile that is not cut.  */
static Value *columns_of(Cutter *cutter, Value *value, Loc loc)
{
    Value *args[] = {value, cutter->subtile};
    Value *part = op_result(cutter->cut->kernel, append(cutter, OP_COLUMNS, loc, 2, args), value->type, value->name);
    narrow(cutter, part);
    value_map_set(cutter->cut->kernel, &cutter->map, value, part);
    return part;
}

static void cut_member(Cutter *cutter, const Op *op)
{
    Kernel *kernel = cutter->cut->kernel;
    bool stores = cutter->cut->transposed && op->code == OP_STORE; /* the transposed tile is cut already */
    for (int i = 0; i < op->nargs && !stores; i++)
        if (is_wide(cutter->cut, op->args[i]) && value_map_get(&cutter->map, op->args[i]) == op->args[i])
            columns_of(cutter, op->args[i], op->loc);
    Op *copy = op_clone(kernel, op, &cutter->map);
    copy->origin = NULL;
    for (int i = 0; i < copy->nresults && op != cutter->cut->transposed; i++)
        narrow(cutter, copy->results[i]);
    if (op == cutter->cut->transposed)
        copy->results[0]->type.rows = cutter->cut->width;
    bool store = op->code == OP_STORE;
    if (store || touches_memory(op)) {
        int column = store && cutter->cut->transposed ? row_coordinate(op) : op->nargs - 1 - store;
        copy->args[column] = moved_column(cutter, op, op->args[column]);
    }
    op_append(cutter->body, copy);
    if (op->code != OP_COL_INDEX)
        return;
    Value *splat =
        op_result(kernel, append(cutter, OP_SPLAT, op->loc, 1, &cutter->subtile), type_tile(D_I32, 1, 1), NULL);
    Value *args[] = {copy->results[0], splat};
    Value *index =
        op_result(kernel, append(cutter, OP_ADD, op->loc, 2, args), copy->results[0]->type, copy->results[0]->name);
    value_map_set(kernel, &cutter->map, op->results[0], index);
}

/* Cuts columns `first` to `end` in a loop behind `where`; returns the loop.  */
static Op *cut_columns(const Cut *cut, Op *where, int first, int end)
{
    Kernel *kernel = cut->kernel;
    Op *last = cut->members[0];
    Block *bounds = block_new(kernel, NULL);
    Value *args[] = {ir_const_int(kernel, bounds, D_I32, first), ir_const_int(kernel, bounds, D_I32, end),
                     ir_const_int(kernel, bounds, D_I32, cut->width)};
    FOR_OPS (op, bounds) {
        op_remove(op);
        op_before(last, op);
    }
    Op *loop = op_new(kernel, OP_FOR, last->loc, 3, args);
    loop->control->compare = OP_SCALAR_LT;
    op_after(where, loop);
    Cutter cutter = {cut, block_new(kernel, loop), NULL, value_map_new(kernel), value_map_new(kernel)};
    cutter.subtile = block_arg(kernel, cutter.body, type_scalar(D_I32), "subtile", last->loc);
    for (int i = cut->count - 1; i >= 0; i--)
        cut_member(&cutter, cut->members[i]);
    append(&cutter, OP_YIELD, last->loc, 0, NULL);
    return loop;
}

/* Cuts the columns behind the last whole subtile into half a subtile, if that fits, and a rest.  */
static void carry_out(Cut *cut)
{
    Op *where = cut->members[0];
    for (int first = 0, end; first < cut->cols; first = end) {
        int left = cut->cols - first, half = cut->width / 2;
        if (left < cut->width)
            cut->width = half >= FEWEST_COLUMNS && left >= half ? half : left;
        end = cut->cols - left % cut->width;
        where = cut_columns(cut, where, first, end);
    }
    for (int i = 0; i < cut->count; i++)
        op_remove(cut->members[i]);
}

static void cut_block(Kernel *kernel, Block *block)
{
    for (Op *op = block->last, *before; op; op = before) {
        before = op->prev;
        if (op->code != OP_STORE || stored_tile(op)->type.kind != K_TILE)
            continue;
        Op *transposed = transpose_for(op);
        Type type = transposed ? transposed->args[0]->type : stored_tile(op)->type;
        Cut cut = {.kernel = kernel, .block = block, .rows = type.rows, .cols = type.cols, .transposed = transposed};
        collect(&cut, op);
        cut.width = subtile_width(&cut);
        if (cut.width == cut.cols || !is_epilogue(&cut) || !may_move(&cut))
            continue;
        while (before && is_member(&cut, before))
            before = before->prev;
        carry_out(&cut);
        ir_count_uses(kernel, kernel->body);
    }
}

static bool is_dot(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_DOT;
}

/* Cuts outside pipelined loops. Inside them the schedule decides.  */
static void visit_block(Op *op, void *context)
{
    Kernel *kernel = context;
    for (const Op *around = op; around; around = ir_enclosing(around, OP_FOR))
        if (pipeline_of(around))
            return;
    for (int k = 0; k < op->nblocks; k++)
        cut_block(kernel, op->blocks[k]);
}

void pass_subtiles(Kernel *kernel)
{
    bool products = false;
    for (Op *op = kernel->body->first; op; op = op->next)
        products |= ir_any(op, is_dot, NULL);
    ir_count_uses(kernel, kernel->body);
    if (products)
        ir_walk(kernel->body, visit_block, kernel);
}
