/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-scan.c - what the loops are, in a form of which tiles can be made.
 *
 *   if (j <= i) y[i * n + j] = 0;             y[i * n + j] = 0, where j <= i                          flatten
 *   if (x > m) m = x;                         m = max (m, x)                                          sum
 */
#include <string.h>

#include "ir/slice.h"
#include "language/plain.h"

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static bool add_loop(Nest *in, Op *op, int grid)
{
    if (in->nloops == MAX_LOOPS) {
        reject(in->kernel, op->loc, REASON_PLAIN_LOOPS, MAX_LOOPS);
        return false;
    }
    in->loops[in->nloops++] = (Loop){.op = op, .iv = op->blocks[0]->args[0], .grid = grid, .tile = 1};
    return true;
}

static bool add_inner_loops(Nest *in, Block *block)
{
    FOR_OPS (op, block) {
        if (op->code == OP_WHILE) {
            reject(in->kernel, op->loc, REASON_PLAIN_WHILE);
            return false;
        }
        if (op->code == OP_FOR && !add_loop(in, op, -1))
            return false;
        for (int i = 0; i < op->nblocks; i++)
            if (!add_inner_loops(in, op->blocks[i]))
                return false;
    }
    return true;
}

static Op *effect_in(const Block *block, const Op *but)
{
    FOR_OPS (op, block)
        if (op != but && op->code != OP_YIELD && ir_has_side_effect(op))
            return op;
    return NULL;
}

/* A loop of the grid may have no effect but what it sums.  */
static Op *summing_loop(const Nest *in, const Block *block)
{
    if (!in->ntotals || block == in->kernel->body)
        return in->ntotals ? in->totals[0].loop : NULL;
    for (int i = 0; i < block->last->nargs; i++) {
        Op *def = block->last->args[i]->def;
        if (def && def->code == OP_FOR && def->parent == block)
            return def;
    }
    return NULL;
}

static const char *written(const Op *op)
{
    return op->code == OP_FOR ? "another loop" : op->code == OP_IF ? "a branch" : "a store";
}

static bool has_loop(const Block *block)
{
    FOR_OPS (op, block) {
        if (op->code == OP_FOR || op->code == OP_WHILE)
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (has_loop(op->blocks[i]))
                return true;
    }
    return false;
}

static bool find_grid(Nest *in)
{
    Kernel *kernel = in->kernel;
    Block *block = kernel->body;
    total_take(in);
    for (int n = 0; n < kernel->grid.dims; n++) {
        Op *op = summing_loop(in, block);
        op = op ? op : effect_in(block, NULL);
        if (op && op->code == OP_WHILE) {
            reject(kernel, op->loc, REASON_GRID_WHILE);
            return false;
        }
        if (!op && (n == 0 || !in->ntotals)) { /* simplify has removed loops without an effect */
            reject(kernel, kernel->grid.loc, REASON_PLAIN_NOTHING);
            return false;
        }
        if (!op || (op->code != OP_FOR && (n == 0 || !has_loop(block)))) {
            reject(kernel, kernel->grid.loc, REASON_GRID_DEPTH, kernel->grid.dims, kernel->grid.dims, n);
            return false;
        }
        Op *other = effect_in(block, op);
        if (op->code != OP_FOR || other) {
            reject(kernel, op->code != OP_FOR ? op->loc : other->loc, REASON_GRID_BETWEEN,
                   written(op->code != OP_FOR ? op : other));
            return false;
        }
        if (op->nresults && !in->ntotals) {
            const char *name = op->results[0]->name ? op->results[0]->name : "a value";
            reject(kernel, op->loc, REASON_GRID_CARRIED_SCALAR, name);
            return false;
        }
        if (!add_loop(in, op, n))
            return false;
        in->region = n ? in->region : op;
        block = op->blocks[0];
    }
    return add_inner_loops(in, block);
}

bool scan_loops(Nest *in)
{
    return find_grid(in);
}

static bool touches(const Op *op)
{
    return op->code == OP_ELEMENT || op->code == OP_SET_ELEMENT;
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

typedef struct {
    Nest *in;
    bool changed;
} Axes;

static void widen(Axes *a, const Value *value, uint32_t axes, bool tiled)
{
    Nest *in = a->in;
    tiled |= axes != 0;
    if ((in->axes[value->id] | axes) == in->axes[value->id] && (in->tiled[value->id] || !tiled))
        return;
    in->axes[value->id] |= axes;
    in->tiled[value->id] |= tiled;
    a->changed = true;
}

static bool region_stores(const Block *block, const Value *base)
{
    FOR_OPS (op, block) {
        if (op->code == OP_SET_ELEMENT && op->args[0] == base)
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (region_stores(op->blocks[i], base))
                return true;
    }
    return false;
}

/* A number that the region only reads is read as a number.  */
static bool is_number(const Nest *in, const Op *op)
{
    Dtype dtype = op->results[0]->type.dtype;
    return op->nargs == 2 &&
           (dtype == D_F32 || dtype == D_F64 || dtype == D_I32 || dtype == D_I64 || dtype == D_U64 ||
            form_is_small(dtype)) &&
           !region_stores(in->kernel->body, op->args[0]);
}

static void axes_of_for(Axes *a, const Op *op)
{
    Nest *in = a->in;
    const Block *body = op->blocks[0];
    int loop = loop_of_op(in, op);
    uint32_t own = is_axis(in, loop) ? 1u << loop : 0, bounds = axes_of(in, op->args[0]) | axes_of(in, op->args[1]);
    widen(a, body->args[0], own, false);
    for (int i = 0; i < op->nresults; i++) {
        const Value *init = op->args[3 + i], *next = body->last->args[i], *argument = body->args[1 + i];
        uint32_t axes = (axes_of(in, init) | (axes_of(in, next) & ~own) | bounds);
        bool tiled = is_tiled(in, init) || is_tiled(in, next) || (own && next != argument);
        widen(a, argument, axes, tiled);
        widen(a, op->results[i], in->axes[argument->id], in->tiled[argument->id]);
    }
}

static void axes_of_op(Axes *a, const Op *op)
{
    Nest *in = a->in;
    uint32_t axes = 0;
    bool tiled = false;
    if (op->code == OP_FOR) {
        axes_of_for(a, op);
        return;
    }
    for (int i = 0; i < (op->code == OP_ELEMENT ? 2 : op->nargs); i++) { /* its condition only says how far it goes */
        axes |= axes_of(in, op->args[i]);
        tiled |= is_tiled(in, op->args[i]);
    }
    for (int i = 0; i < op->nresults && op->code == OP_IF; i++)
        for (int k = 0; k < 2; k++) {
            const Value *arm = op->blocks[k]->last->args[i];
            widen(a, op->results[i], axes | axes_of(in, arm), tiled || is_tiled(in, arm));
        }
    if (op->code == OP_ELEMENT)
        tiled |= axes || !is_number(in, op);
    for (int i = 0; i < op->nresults && op->code != OP_IF; i++)
        widen(a, op->results[i], axes, tiled);
}

static void axes_of_block(Axes *a, const Block *block)
{
    FOR_OPS (op, block) {
        axes_of_op(a, op);
        for (int i = 0; i < op->nblocks; i++)
            axes_of_block(a, op->blocks[i]);
    }
}

void scan_axes(Nest *in)
{
    Axes a = {in, true};
    in->size = in->kernel->module->next_id + 1;
    in->axes = arena_alloc(in->kernel->module, (size_t)in->size * sizeof *in->axes);
    in->tiled = arena_alloc(in->kernel->module, (size_t)in->size * sizeof *in->tiled);
    while (a.changed) {
        a.changed = false;
        axes_of_block(&a, in->kernel->body);
    }
}

bool is_axis(const Nest *in, int loop)
{
    return loop >= 0 && in->loops[loop].tile > 1;
}

uint32_t axes_of(const Nest *in, const Value *value)
{
    return value->id < in->size ? in->axes[value->id] : 0;
}

bool is_tiled(const Nest *in, const Value *value)
{
    return value->id < in->size && in->tiled[value->id];
}

bool ends_together(const Nest *in, int loop)
{
    return !axes_of(in, in->loops[loop].op->args[1]);
}

int loop_of(const Nest *in, const Value *iv)
{
    FOR_LOOPS (i, in)
        if (in->loops[i].iv == iv)
            return i;
    return -1;
}

int loop_of_op(const Nest *in, const Op *op)
{
    FOR_LOOPS (i, in)
        if (in->loops[i].op == op)
            return i;
    return -1;
}

uint32_t loops_around(const Nest *in, const Op *op)
{
    uint32_t loops = 0;
    FOR_LOOPS (i, in)
        if (ir_inside(op, in->loops[i].op->blocks[0]))
            loops |= 1u << i;
    return loops;
}

int only_axis(uint32_t axes)
{
    return axes ? __builtin_ctz(axes) : -1;
}

/* ---- flatten ----------------------------------------------------------------------------------------------------- */

static Value *joined(Nest *in, Op *where, Value *x, Value *y)
{
    return x && y ? ir_binary_before(in->kernel, where, OP_SCALAR_AND, x, y) : x ? x : y;
}

static void guard(Nest *in, Op *op, Value *condition)
{
    const int own = op->code == OP_PRINT_EACH ? op->nargs - 1 : op->code == OP_ELEMENT ? 2 : 3;
    if (!touches(op) && op->code != OP_PRINT_EACH)
        return;
    if (op->nargs > own)
        op->args[own] = joined(in, op, op->args[own], condition);
    else
        op_add_arg(in->kernel, op, condition);
}

/* Effects below take place under a condition, too.  */
static void guard_effects(Nest *in, Block *block, Value *condition)
{
    FOR_OPS (op, block) {
        guard(in, op, condition);
        for (int i = 0; i < op->nblocks; i++)
            guard_effects(in, op->blocks[i], condition);
    }
}

static void flatten_if(Nest *in, Op *branch)
{
    Kernel *kernel = in->kernel;
    Value *yes = branch->args[0], *no = NULL;
    for (int arm = 0; arm < 2; arm++) {
        Block *block = branch->blocks[arm];
        if (block->first != block->last && arm) {
            Op *inverse = op_new(kernel, OP_SCALAR_NOT, branch->loc, 1, &yes);
            op_before(branch, inverse);
            no = op_result(kernel, inverse, type_scalar(D_I1), NULL);
        }
        guard_effects(in, block, arm ? no : yes);
        for (Op *op = block->first, *next; op != block->last; op = next) {
            next = op->next;
            op_remove(op);
            op_before(branch, op);
        }
    }
    for (int i = 0; i < branch->nresults; i++) {
        Value *args[] = {yes, branch->blocks[0]->last->args[i], branch->blocks[1]->last->args[i]};
        Op *choice = op_new(kernel, OP_SCALAR_SELECT, branch->loc, 3, args);
        op_before(branch, choice);
        Value *result = op_result(kernel, choice, branch->results[i]->type, branch->results[i]->name);
        ir_replace_uses(kernel->body, branch->results[i], result);
    }
    op_remove(branch);
}

/* Whether an iteration of the loop takes part.  One that goes by steps asks as the source does.  */
static Value *part_condition(Nest *in, Op *loop)
{
    Kernel *kernel = in->kernel;
    const Block *body = loop->blocks[0];
    const Loop *about = &in->loops[loop_of_op(in, loop)];
    Value *condition = loop_take_guard(loop);
    Op *top = body->first;
    if (about->away && condition && axes_of(in, condition)) /* iterations without end that no element takes part in */
        reject(kernel, loop->loc, REASON_PLAIN_BOUND_MEMORY);
    if (about->index) {
        Op *test = op_new(kernel, about->within, loop->loc, 2, (Value *[]){about->index, about->edge});
        op_after(about->index->def, test);
        return joined(in, test->next, condition, op_result(kernel, test, type_scalar(D_I1), NULL));
    }
    for (int i = 0; i < 2; i++) {
        if (!axes_of(in, loop->args[i]))
            continue;
        Op *test =
            op_new(kernel, i ? OP_SCALAR_LT : OP_SCALAR_GE, loop->loc, 2, (Value *[]){body->args[0], loop->args[i]});
        op_before(top, test);
        condition = joined(in, top, condition, op_result(kernel, test, type_scalar(D_I1), NULL));
    }
    return condition;
}

/* A loop whose bounds change along an axis runs from the first to the last of them; each iteration asks whether it
   takes part.  */
static void mask_loop(Nest *in, Op *loop)
{
    Kernel *kernel = in->kernel;
    Block *body = loop->blocks[0];
    Value *condition = part_condition(in, loop);
    FOR_OPS (op, body) {
        guard(in, op, condition);
        for (int i = 0; i < op->nblocks; i++)
            guard_effects(in, op->blocks[i], condition);
    }
    for (int i = 0; i < loop->nresults; i++) {
        Value *args[] = {condition, body->last->args[i], body->args[1 + i]};
        Op *choice = op_new(kernel, OP_SCALAR_SELECT, loop->loc, 3, args);
        op_before(body->last, choice);
        body->last->args[i] = op_result(kernel, choice, args[1]->type, body->args[1 + i]->name);
    }
    in->loops[loop_of_op(in, loop)].masked = true;
}

static bool flatten_block(Nest *in, Block *block)
{
    bool changed = false;
    for (Op *op = block->first, *next; op; op = next) {
        int loop = loop_of_op(in, op);
        next = op->next;
        for (int i = 0; i < op->nblocks; i++)
            changed |= flatten_block(in, op->blocks[i]);
        if (op->code == OP_IF && is_tiled(in, op->args[0])) {
            flatten_if(in, op);
            changed = true;
        } else if (loop >= 0 && !in->loops[loop].masked && !in->loops[loop].rest &&
                   (axes_of(in, op->args[0]) || axes_of(in, op->args[1]))) {
            mask_loop(in, op);
            changed = true;
        }
    }
    return changed;
}

/* What a question is, where a condition holds or does not: of c ? not d : true that does not, c and d hold.  */
static bool is_implied(const Value *question, const Value *condition, bool holds, bool *answer)
{
    const Op *op = condition->def, *asks = question->def;
    int64_t constant;
    *answer = holds;
    if (question == condition)
        return true;
    if (asks && asks->code == OP_SCALAR_NOT && is_implied(asks->args[0], condition, holds, answer)) {
        *answer = !*answer;
        return true;
    }
    if (!op || op->results[0]->type.dtype != D_I1)
        return false;
    if (op->code == OP_SCALAR_NOT)
        return is_implied(question, op->args[0], !holds, answer);
    if (op->code == (holds ? OP_SCALAR_AND : OP_SCALAR_OR))
        return is_implied(question, op->args[0], holds, answer) || is_implied(question, op->args[1], holds, answer);
    for (int arm = 1; arm <= 2 && op->code == OP_SCALAR_SELECT; arm++) /* it does not end in this arm */
        if (ir_constant(op->args[arm], &constant) && (constant != 0) != holds)
            return is_implied(question, op->args[0], arm == 2, answer) ||
                   is_implied(question, op->args[3 - arm], holds, answer);
    return false;
}

/* Of choices in an arm those that its condition decides are made: arms that two branches share come as such.  */
static bool take_arms(Block *block)
{
    bool changed = false, answer;
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nblocks; i++)
            changed |= take_arms(op->blocks[i]);
        for (int arm = 1; arm <= 2 && op->code == OP_SCALAR_SELECT; arm++)
            while (op->args[arm]->def && op->args[arm]->def->code == OP_SCALAR_SELECT &&
                   is_implied(op->args[arm]->def->args[0], op->args[0], arm == 1, &answer)) {
                op->args[arm] = op->args[arm]->def->args[answer ? 1 : 2];
                changed = true;
            }
    }
    return changed;
}

static void drop_choices(Block *block)
{
    for (Op *op = block->last, *next; op; op = next) {
        next = op->prev;
        for (int i = 0; i < op->nblocks; i++)
            drop_choices(op->blocks[i]);
        if (op->code != OP_SCALAR_SELECT || op->results[0]->uses)
            continue;
        for (int i = 0; i < op->nargs; i++)
            op->args[i]->uses--;
        op_remove(op);
    }
}

/* Again, since a choice that was made may be another branch's condition.  */
void scan_flatten(Nest *in)
{
    while (flatten_block(in, in->kernel->body))
        scan_axes(in);
    if (!take_arms(in->kernel->body))
        return;
    ir_count_uses(in->kernel, in->kernel->body);
    drop_choices(in->kernel->body);
    scan_axes(in);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

enum { MAX_CHAIN = 32 };
typedef struct {
    Nest *in;
    const Op *loop;
    Sum *sum;
    const Value *argument;
    bool whole; /* sums of loops inside and under branches, too */
    bool *done; /* of these, by value id */
    bool *seen; /* by value id, of one question */
    const Value *chain[MAX_CHAIN];
    int uses[MAX_CHAIN], nchain;
    bool cuts; /* a conversion to other bits is on the way */
} Chain;

static bool depends_on(Chain *c, const Value *value, const Value *on);

static bool block_depends(Chain *c, const Block *block, const Value *on)
{
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nargs; i++)
            if (depends_on(c, op->args[i], on))
                return true;
        for (int i = 0; i < op->nblocks; i++)
            if (block_depends(c, op->blocks[i], on))
                return true;
    }
    return false;
}

static bool depends_on(Chain *c, const Value *value, const Value *on)
{
    if (value == on)
        return true;
    if (!value->def || value->id >= c->in->size || c->seen[value->id] || !ir_inside(value->def, c->loop->blocks[0]))
        return false;
    c->seen[value->id] = true;
    for (int i = 0; i < value->def->nargs; i++)
        if (depends_on(c, value->def->args[i], on))
            return true;
    for (int i = 0; i < value->def->nblocks; i++)
        if (block_depends(c, value->def->blocks[i], on))
            return true;
    return false;
}

static bool depends(Chain *c, const Value *value, const Value *on)
{
    memset(c->seen, 0, (size_t)c->in->size * sizeof *c->seen);
    return depends_on(c, value, on);
}

static bool uses(Chain *c, const Value *value, int count)
{
    for (int i = 0; i < c->nchain; i++)
        if (c->chain[i] == value) {
            c->uses[i] += count;
            return true;
        }
    if (c->nchain == MAX_CHAIN)
        return false;
    c->chain[c->nchain] = value;
    c->uses[c->nchain++] = count;
    return true;
}

static bool add_part(Chain *c, Opcode op, Part part)
{
    Sum *sum = c->sum;
    bool ordered = op == OP_SCALAR_MAX || op == OP_SCALAR_MIN; /* with a sign, or without one */
    if (sum->count == MAX_PARTS || (sum->count && sum->op != op) ||
        (sum->count && ordered && sum->parts[0].value->type.dtype != part.value->type.dtype))
        return false;
    sum->op = op;
    sum->parts[sum->count++] = part;
    return true;
}

/* One element, which may be read, or converted, twice.  */
static bool same_element(const Nest *in, const Value *x, const Value *y)
{
    if (x == y)
        return true;
    if (!x->def || !y->def || x->def->code != y->def->code || !type_equal(x->type, y->type))
        return false;
    if (x->def->code == OP_SCALAR_CONVERT)
        return same_element(in, x->def->args[0], y->def->args[0]);
    if (x->def->code != OP_ELEMENT || x->def->args[0] != y->def->args[0] ||
        region_stores(in->kernel->body, x->def->args[0]))
        return false;
    Poly place = poly_of_place(x->def), other = poly_of_place(y->def);
    return poly_same(&place, &other);
}

static bool depends_but_guard(Chain *c, const Value *value, const Value *on)
{
    bool element = value->def && value->def->code == OP_ELEMENT;
    return depends(c, element ? value->def->args[1] : value, on);
}

/* Uses that only say under which condition an element is read.  */
static int guarding_uses(const Block *block, const Value *condition)
{
    int count = 0;
    FOR_OPS (op, block) {
        count += op->code == OP_ELEMENT && op->nargs > 2 && op->args[2] == condition;
        for (int i = 0; i < op->nblocks; i++)
            count += guarding_uses(op->blocks[i], condition);
    }
    return count;
}

/* c ? x : y is the larger or the smaller of two, of which one is what the chain goes on with.  A comparison with NaN is
   false: x > s ? x : s leaves out an x that is NaN, and s > x ? s : x takes it, and behind it the next x.  */
static bool extreme(Chain *c, const Op *choice, const Value *stop, Opcode *op, Part *part, Value **rest)
{
    const Op *test = choice->args[0]->def;
    if (!test || test->code < OP_SCALAR_LT || test->code > OP_SCALAR_GE ||
        test->results[0]->uses != 1 + guarding_uses(c->loop->blocks[0], test->results[0]))
        return false;
    for (int arm = 1; arm <= 2; arm++) {
        Value *x = choice->args[arm], *y = choice->args[3 - arm]; /* x is handed on if the test (arm 1) holds */
        if (depends_but_guard(c, x, stop) || !depends(c, y, stop))
            continue;
        for (int side = 0; side < 2; side++)
            if (same_element(c->in, test->args[side], x) && test->args[1 - side] == y) {
                bool greater = (test->code == OP_SCALAR_GT || test->code == OP_SCALAR_GE) == (side == 0);
                bool closed = test->code == OP_SCALAR_GE || test->code == OP_SCALAR_LE;
                *op = greater == (arm == 1) ? OP_SCALAR_MAX : OP_SCALAR_MIN;
                *part =
                    (Part){.value = x, .compares = true, .takes_nan = arm == 2, .takes_equal = closed == (arm == 1)};
                *rest = y;
                return true;
            }
    }
    return false;
}

static bool is_extreme_call(const Op *op, Opcode *code)
{
    const char *name = op->code == OP_SCALAR_MATH ? op->scalar->function : "";
    *code = op->code == OP_SCALAR_MAX || !strncmp(name, "fmax", 4) ? OP_SCALAR_MAX : OP_SCALAR_MIN;
    return op->code == OP_SCALAR_MAX || op->code == OP_SCALAR_MIN || !strncmp(name, "fmax", 4) ||
           !strncmp(name, "fmin", 4);
}

static bool collect(Chain *c, Value *value, const Value *stop, Value *condition, bool inverted);
static bool scan(Nest *in, const Op *loop, int index, bool whole, Sum *sum);

/* A loop inside goes on summing.  */
static bool collect_loop(Chain *c, const Value *value, const Value *stop)
{
    const Op *loop = value->def;
    Value *rest = loop->args[3 + value->index];
    Sum sum;
    if (!scan(c->in, loop, value->index, true, &sum))
        return false;
    for (int i = 0; i < sum.count; i++)
        if (!add_part(c, sum.op,
                      (Part){.value = sum.parts[i].value,
                             .compares = sum.parts[i].compares,
                             .takes_nan = sum.parts[i].takes_nan,
                             .takes_equal = sum.parts[i].takes_equal}))
            return false;
    return uses(c, rest, 1) && collect(c, rest, stop, NULL, false);
}

static bool asks_for(Chain *c, const Value *condition)
{
    return depends(c, condition, c->argument);
}

static bool collect_branch(Chain *c, const Value *value, const Value *stop)
{
    if (asks_for(c, value->def->args[0]))
        return false;
    for (int arm = 0; arm < 2; arm++) {
        Value *result = value->def->blocks[arm]->last->args[value->index];
        if (!uses(c, result, 1) || !collect(c, result, stop, NULL, false))
            return false;
    }
    return true;
}

/* int s; s += u[k]; is s = (int)((unsigned)s + u[k]): a sum of bits.  */
static bool is_between_integers(const Op *op)
{
    Dtype from = op->code == OP_SCALAR_CONVERT ? op->args[0]->type.dtype : D_I1, to = op->results[0]->type.dtype;
    return from != D_I1 && to != D_I1 && !dtype_is_float(from) && !dtype_is_float(to);
}

static bool collect(Chain *c, Value *value, const Value *stop, Value *condition, bool inverted)
{
    if (value == stop)
        return true;
    Op *op = value->def;
    Opcode code;
    Value *rest;
    Part part;
    if (!op || !ir_inside(op, c->loop->blocks[0]))
        return false;
    if (c->whole && c->done[value->id])
        return true;
    c->done[value->id] = c->whole;
    if (op->code == OP_FOR && c->whole)
        return collect_loop(c, value, stop);
    if (op->code == OP_IF && c->whole)
        return collect_branch(c, value, stop);
    if (op->code == OP_SCALAR_SELECT) {
        if (extreme(c, op, stop, &code, &part, &rest)) {
            part.condition = condition;
            part.inverted = inverted;
            return uses(c, rest, 2) && add_part(c, code, part) && collect(c, rest, stop, condition, inverted);
        }
        for (int arm = 1; arm <= 2 && !condition && !c->whole; arm++) {
            rest = op->args[3 - arm];
            if (!depends(c, rest, stop) || !depends(c, op->args[arm], rest))
                continue;
            return uses(c, rest, 1) && uses(c, op->args[arm], 1) &&
                   collect(c, op->args[arm], rest, op->args[0], arm == 2) && collect(c, rest, stop, NULL, false);
        }
        return c->whole && !asks_for(c, op->args[0]) && uses(c, op->args[1], 1) && uses(c, op->args[2], 1) &&
               collect(c, op->args[1], stop, NULL, false) && collect(c, op->args[2], stop, NULL, false);
    }
    if (is_between_integers(op)) {
        c->cuts |= dtype_bytes(op->args[0]->type.dtype) != dtype_bytes(value->type.dtype);
        c->sum->converts = true;
        return uses(c, op->args[0], 1) && collect(c, op->args[0], stop, condition, inverted);
    }
    bool max_or_min = is_extreme_call(op, &code);
    if (!max_or_min && op->code != OP_SCALAR_ADD && op->code != OP_SCALAR_SUB && op->code != OP_SCALAR_MUL)
        return false;
    if (!max_or_min)
        code = op->code == OP_SCALAR_SUB ? OP_SCALAR_ADD : op->code;
    bool first = depends(c, op->args[0], stop);
    if (first == depends(c, op->args[1], stop) || (!first && op->code == OP_SCALAR_SUB))
        return false;
    rest = op->args[first ? 0 : 1];
    part = (Part){.value = op->args[first ? 1 : 0],
                  .condition = condition,
                  .negative = op->code == OP_SCALAR_SUB,
                  .inverted = inverted};
    return uses(c, rest, 1) && add_part(c, code, part) && collect(c, rest, stop, condition, inverted);
}

static bool scan(Nest *in, const Op *loop, int index, bool whole, Sum *sum)
{
    Chain c = {.in = in, .loop = loop, .sum = sum, .whole = whole};
    Value *argument = loop->blocks[0]->args[1 + index], *next = loop->blocks[0]->last->args[index];
    *sum = (Sum){.op = OP_SCALAR_ADD};
    c.seen = arena_alloc(in->kernel->module, (size_t)in->size * sizeof *c.seen);
    c.done = arena_alloc(in->kernel->module, (size_t)in->size * sizeof *c.done);
    c.argument = argument;
    if (!collect(&c, next, argument, NULL, false))
        return false;
    if ((next != argument && next->uses != 1) || (c.cuts && sum->op != OP_SCALAR_ADD))
        return false;
    for (int i = 0; i < c.nchain; i++)
        if (c.chain[i]->uses != c.uses[i])
            return false;
    for (int i = 0; i < sum->count; i++)
        if (depends_but_guard(&c, sum->parts[i].value, argument) ||
            (sum->parts[i].condition && depends(&c, sum->parts[i].condition, argument)))
            return false;
    return true;
}

bool scan_sum(Nest *in, const Op *loop, int index, Sum *sum)
{
    return scan(in, loop, index, false, sum);
}

bool scan_total(Nest *in, const Op *loop, int index, Sum *sum)
{
    return scan(in, loop, index, true, sum);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static bool add_factors(Product *product, Value *value)
{
    if (value->def && value->def->code == OP_SCALAR_MUL)
        return add_factors(product, value->def->args[0]) && add_factors(product, value->def->args[1]);
    if (product->count == MAX_FACTORS)
        return false;
    product->factors[product->count++] = value;
    return true;
}

bool scan_product(Nest *in, const Part *part, int axis, Product *product)
{
    uint32_t axes = axes_of(in, part->value) & ~(1u << axis);
    *product = (Product){.row = -1, .col = -1};
    if (__builtin_popcount(axes) != 2 || !(axes_of(in, part->value) & 1u << axis) || !add_factors(product, part->value))
        return false;
    form_home(in, axes, &product->row, &product->col);
    uint32_t left = 1u << product->row | 1u << axis, right = 1u << product->col | 1u << axis;
    for (int i = 0; i < product->count; i++) {
        uint32_t own = axes_of(in, product->factors[i]);
        product->right[i] = (own & ~left) != 0;
        if (own & ~left && own & ~right)
            return false;
    }
    return !scan_divides(in, part, axis);
}

/* A condition along the axis alone leaves out rows and columns of both operands, one along the others sums.  */
bool scan_divides(const Nest *in, const Part *part, int axis)
{
    uint32_t own = part->condition ? axes_of(in, part->condition) : 0, along = 1u << axis;
    return own & along && own & ~along;
}
