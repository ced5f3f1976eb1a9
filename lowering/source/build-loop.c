/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-loop.c - loops -> FOR and WHILE.
 *
 *      loop { counter i.5 + 1, lt n.1         for %i = 0, < %n, 1; %s.3 = %s {
 *        t1 = lt.i32 i.5, n.1                   ...
 *      } while t1 {                   =>        yield %s.4
 *        ...                                  }
 *      }
 *
 * A loop whose test compares its counter with what the loop leaves alone is a FOR. Of the test it computes what varies
 * again at the start of the body, and the rest in front of the loop. Any other loop is a WHILE, whose first block is
 * the test.
 *
 * A loop carries the variables that it assigns and that an iteration, or something behind the loop, reads before it
 * assigns them. Of an address it carries the bytes behind the base.
 */
#include <string.h>

#include "build.h"

typedef struct {
    const SourceVariable **variables;
    Value **inits;
    int count;
} Carried;

/* ---- what a loop carries ----------------------------------------------------------------------------------------- */

static Value *init_of(Builder *b, const SourceVariable *variable, Op *loop)
{
    const Built *now = &b->variables[variable->id];
    if (built_has_bytes(now))
        return now->offset ? now->offset : build_integer(b, D_I64, 0);
    if (now->kind != BUILT_NONE)
        return now->value;
    if (variable->type != ST_P)
        return build_zero(b, build_dtype(variable->type));
    return build_no_tile(b, loop);
}

/* `flowing`: variables that go from one iteration to the next, or out of the loop.  */
static Carried carried_by(Builder *b, const SourceTree *loop, const SourceVariable *counter, const uint64_t *assigned,
                          const uint64_t *flowing, Op *op)
{
    const size_t room = (size_t)b->function->nvariables + 1;
    Carried carried = {.variables = arena_alloc(b->module, room * sizeof *carried.variables),
                       .inits = arena_alloc(b->module, room * sizeof *carried.inits)};
    for (int v = 0; v < b->function->nvariables; v++) {
        const SourceVariable *variable = b->function->variables[v];
        if (!build_has(assigned, v) || !build_has(flowing, v) || variable == counter)
            continue;
        Value *init = init_of(b, variable, op);
        if (init->type.kind == K_TENSOR) {
            const Built tensor = {.kind = BUILT_HANDLE, .value = init};
            build_refuse_meeting(b, loop->loc, &tensor, &tensor, variable->declaration.name);
            continue;
        }
        carried.inits[carried.count] = init;
        carried.variables[carried.count++] = variable;
        op_add_arg(b->kernel, op, init);
    }
    return carried;
}

/* The slot of a carried variable holds the value. `start`: what it held in front of the loop.  */
static void bind(Builder *b, const SourceVariable *variable, const Built *start, Value *value)
{
    Built *slot = &b->variables[variable->id];
    *slot = *start;
    if (built_has_bytes(start)) {
        slot->offset = value;
        return;
    }
    if (start->kind == BUILT_NONE)
        slot->kind = variable->type == ST_P ? BUILT_HANDLE : BUILT_SCALAR;
    slot->value = value;
}

static void bind_arguments(Builder *b, Block *block, const Carried *carried, const Built *before)
{
    for (int k = 0; k < carried->count; k++) {
        const SourceVariable *variable = carried->variables[k];
        bind(b, variable, &before[variable->id],
             block_arg(b->kernel, block, build_type_handed(carried->inits[k]), variable->declaration.name,
                       variable->declaration.loc));
    }
}

static void bind_results(Builder *b, Op *op, const Carried *carried, const Built *before)
{
    for (int k = 0; k < carried->count; k++) {
        const SourceVariable *variable = carried->variables[k];
        bind(b, variable, &before[variable->id],
             op_result(b->kernel, op, build_type_handed(carried->inits[k]), variable->declaration.name));
    }
}

/* What the carried variables hold here.  */
static Value **values_of(Builder *b, const Carried *carried, const Built *before, Loc loc)
{
    Value **values = arena_alloc(b->module, ((size_t)carried->count + (size_t)b->narrays + 2) * sizeof *values);
    for (int k = 0; k < carried->count; k++) {
        const Built *now = &b->variables[carried->variables[k]->id], *start = &before[carried->variables[k]->id];
        if (start->kind != BUILT_NONE &&
            (now->kind != start->kind || (built_has_bytes(now) && now->value != start->value)))
            build_refuse(b, loc, "a pointer that goes to another array in each iteration");
        values[k] = built_has_bytes(now)      ? (now->offset ? now->offset : build_integer(b, D_I64, 0))
                    : now->kind == BUILT_NONE ? carried->inits[k]
                                              : now->value;
    }
    return values;
}

/* ---- pragmas above a loop --------------------------------------------------------------------------------------- */

static Pipeline *pipeline_above(Builder *b, int mark)
{
    if (mark < 0)
        return NULL;
    const SourceClauses *clauses = b->clauses_of(b->context, mark);
    Pipeline *pipeline = arena_alloc(b->module, sizeof *pipeline);
    *pipeline = clauses->pipeline;
    pipeline->loc = clauses->loc;
    return pipeline;
}

/* The marks of grids and of this loop are not left alone.  */
static void take_marks(Builder *b, const SourceTree *loop)
{
    for (const SourceTree *list = loop->yes; list && list->kind == TREE_BLOCK; list = list->next)
        for (const Instruction *i = list->first; i && i->code == SO_MARK; i = i->next)
            b->marks[i->mark] |= i->mark == b->mark && !b->depth;
    const int mark = build_pragma_above(b, loop);
    if (mark >= 0)
        b->marks[mark] = true;
}

/* ---- FOR --------------------------------------------------------------------------------------------------------- */

typedef struct {
    Value *lo, *hi, *step;
    Opcode compare;
    Dtype dtype; /* of the count */
} Range;

/* What the loop leaves alone. A copy in the test of what it leaves alone gives its variable one value.  */
typedef struct {
    bool *temporaries;
    uint64_t *assigned; /* the variables that it does not */
} Alone;

static bool operands_alone(const Alone *alone, const Instruction *i)
{
    for (int k = 0; k < source_noperands(i); k++) {
        const Operand *x = source_operand((Instruction *)i, k);
        if (x->kind == OPERAND_VARIABLE    ? build_has(alone->assigned, x->variable->id)
            : x->kind == OPERAND_TEMPORARY ? !alone->temporaries[x->temporary]
                                           : false)
            return false;
    }
    return true;
}

static int count_copies(const SourceTree *list, const SourceVariable *variable)
{
    int n = 0;
    for (; list; list = list->next) {
        for (const Instruction *i = list->first; i; i = i->next)
            n += i->code == SO_COPY && i->variable == variable;
        n += count_copies(list->test, variable) + count_copies(list->yes, variable) + count_copies(list->no, variable);
    }
    return n;
}

static Alone left_alone(const Builder *b, const SourceTree *loop)
{
    Alone alone = {.temporaries = arena_alloc(b->module, (size_t)b->function->ntemporaries + 1),
                   .assigned = build_set(b)};
    build_assigned(b, loop->test, alone.assigned);
    build_assigned(b, loop->yes, alone.assigned);
    for (bool changed = true; changed;) {
        changed = false;
        for (const SourceTree *tree = loop->test; tree; tree = tree->next)
            for (const Instruction *i = tree->first; i; i = i->next) {
                const bool same = operands_alone(&alone, i);
                if (i->temporary)
                    alone.temporaries[i->temporary] = same && source_stays_in_loop(i, loop);
                if (i->code != SO_COPY || !same || !build_has(alone.assigned, i->variable->id) ||
                    count_copies(loop->test, i->variable) + count_copies(loop->yes, i->variable) != 1)
                    continue;
                alone.assigned[i->variable->id / 64] &= ~((uint64_t)1 << (i->variable->id % 64));
                changed = true;
            }
    }
    return alone;
}

/* Is the instruction of the test computed in front of the loop?  */
static bool is_in_front(const Alone *alone, const Instruction *i)
{
    return i->temporary ? alone->temporaries[i->temporary]
                        : i->code == SO_COPY && !build_has(alone->assigned, i->variable->id);
}

static bool is_derived(const SourceInduction *induction, const SourceVariable *variable)
{
    for (int k = 0; k < induction->n; k++)
        if (induction->variables[k].variable == variable && induction->variables[k].is_derived)
            return true;
    return false;
}

/* In a FOR no test follows the last iteration: what the test assigns anew is not read behind the loop, but for what
   the counter gives.  */
static bool test_can_move(const SourceTree *loop, const Alone *alone, const uint64_t *live)
{
    for (const SourceTree *tree = loop->test; tree; tree = tree->next) {
        if (tree->kind != TREE_BLOCK)
            return false;
        for (const Instruction *i = tree->first; i; i = i->next)
            if (i->code == SO_COPY && build_has(alone->assigned, i->variable->id) && build_has(live, i->variable->id) &&
                !is_derived(loop->induction, i->variable))
                return false;
    }
    return true;
}

Opcode build_comparison(const SourceInduction *induction)
{
    static const Opcode codes[SOURCE_OPS] = {[SO_LT] = OP_SCALAR_LT,
                                             [SO_LE] = OP_SCALAR_LE,
                                             [SO_GT] = OP_SCALAR_GT,
                                             [SO_GE] = OP_SCALAR_GE,
                                             [SO_NE] = OP_SCALAR_NE};
    const Opcode code = codes[induction->test->code];
    return induction->side ? op_swapped(code) : code;
}

/* k == 0, which GCC makes of an unsigned k < 1: there is one iteration or none.  */
static bool counts_once(const SourceInduction *induction)
{
    const Operand step = induction->counter.step, end = induction->test->args[1 - induction->side];
    return step.kind == OPERAND_INTEGER && step.integer && induction->offset.kind == OPERAND_NONE &&
           source_type_bytes(induction->counter.variable->type) >= 4 && end.kind == OPERAND_INTEGER &&
           (int64_t)end.integer > INT32_MIN && (int64_t)end.integer < INT32_MAX;
}

/* Is there a FOR: a counter, comparisons of it, and a test that can be computed in the body?  */
static bool is_counted(const Builder *b, const SourceTree *loop, const uint64_t *live)
{
    const SourceInduction *induction = loop->induction;
    if (!induction || !induction->counter.variable || !induction->test || induction->counter.variable->type == ST_P ||
        loop->condition.kind != OPERAND_TEMPORARY ||
        (!induction->nmore && loop->condition.temporary != induction->test->temporary) ||
        (induction->test->code == SO_EQ && !counts_once(induction)))
        return false;
    const Alone alone = left_alone(b, loop);
    if (induction->nmore) {
        bool known = true;
        for (int k = -1; k < induction->nmore; k++) {
            const SourceInduction *bound = k < 0 ? induction : &induction->more[k];
            const Operand hi = bound->test->args[1 - bound->side];
            known &= hi.kind != OPERAND_TEMPORARY || alone.temporaries[hi.temporary];
        }
        return known && build_bounds_agree(loop) && test_can_move(loop, &alone, live);
    }
    const SourceType type = induction->counter.variable->type, compared = induction->test->type;
    const bool up = induction->side ? induction->test->code == SO_GT || induction->test->code == SO_GE
                                    : induction->test->code == SO_LT || induction->test->code == SO_LE;
    const bool unequal = induction->test->code == SO_NE && source_type_bytes(compared) == source_type_bytes(type);
    /* k + 1 < n is k < n - 1 where neither wraps; sizes are below half of what 64 bits hold.  */
    if (induction->offset.kind != OPERAND_NONE && !unequal &&
        !(source_type_is_signed(compared) && source_type_is_signed(type) && !induction->wraps) &&
        !(up && source_type_bytes(compared) == 8 && source_type_bytes(type) == 8 &&
          induction->offset.kind == OPERAND_INTEGER && induction->offset.integer <= INT32_MAX))
        return false;
    const Operand hi = induction->test->args[1 - induction->side];
    return test_can_move(loop, &alone, live) && (hi.kind != OPERAND_TEMPORARY || alone.temporaries[hi.temporary]);
}

/* A step that is a number, as one of the counter's type: a large one of an unsigned type is below 0.  */
static int64_t step_below(Dtype own, int64_t number)
{
    const unsigned bits = 8 * (unsigned)dtype_bytes(own);
    return bits >= 64 ? number : (int64_t)((uint64_t)number << (64 - bits)) >> (64 - bits);
}

/* C compares without a sign, and the counter has one: below 0 it is behind all others. The loop compares with a sign,
   to a bound that is its start where C makes no iteration.  */
static void range_with_a_sign(Builder *b, Loc loc, Range *range, Dtype compared, Dtype own)
{
    const bool up = range->compare == OP_SCALAR_LT || range->compare == OP_SCALAR_LE,
               closed = range->compare == OP_SCALAR_LE || range->compare == OP_SCALAR_GE;
    int64_t number;
    if (up && dtype_bytes(own) < 4 && !ir_constant(range->hi, &number)) /* behind its largest number it is below 0 */
        range->hi = build_binary(b, OP_SCALAR_MIN, loc, build_convert(b, loc, range->hi, compared),
                                 build_integer(b, compared, (1 << (8 * dtype_bytes(own) - 1)) - closed));
    Value *sides[] = {build_convert(b, loc, range->lo, compared), build_convert(b, loc, range->hi, compared)};
    range->dtype = dtype_bytes(compared) == 8 ? D_I64 : D_I32;
    range->lo = build_convert(b, loc, range->lo, range->dtype);
    range->hi = build_convert(b, loc, range->hi, range->dtype);
    if (range->compare == OP_SCALAR_NE || (ir_constant(up ? range->lo : range->hi, &number) && number >= 0))
        return;
    Value *runs = build_op(b, range->compare, loc, type_scalar(D_I1), 2, sides), *end = range->hi;
    if (closed)
        end = build_binary(b, OP_SCALAR_ADD, loc, end, build_integer(b, range->dtype, up ? 1 : -1));
    range->compare = up ? OP_SCALAR_LT : OP_SCALAR_GT;
    Value *choice[] = {runs, end, range->lo};
    range->hi = build_op(b, OP_SCALAR_SELECT, loc, type_scalar(range->dtype), 3, choice);
}

/* k < n; k--: compared without a sign, a count that has begun goes on to 0. And k > n; k++ goes on to -1, or to the
   largest unsigned number of 32 bits.  */
static void range_to_the_end(Builder *b, Loc loc, Range *range, Dtype compared, Dtype own)
{
    const bool down = range->compare == OP_SCALAR_LT || range->compare == OP_SCALAR_LE;
    Value *sides[] = {build_convert(b, loc, range->lo, compared), build_convert(b, loc, range->hi, compared)};
    Value *runs = build_op(b, range->compare, loc, type_scalar(D_I1), 2, sides);
    range->lo = build_convert(b, loc, range->lo, D_I64);
    const int64_t end = down ? -1 : own == D_U32 ? (int64_t)1 << 32 : 0;
    Value *choice[] = {runs, build_integer(b, D_I64, end), range->lo};
    range->hi = build_op(b, OP_SCALAR_SELECT, loc, type_scalar(D_I64), 3, choice);
    range->compare = down ? OP_SCALAR_GT : OP_SCALAR_LT;
    range->dtype = D_I64;
}

/* k <= n + 63 is k < n + 64: a count without an end behind the largest number is no defined one.  */
static void open_sum(Builder *b, Loc loc, Range *range)
{
    int64_t number;
    const Op *sum = range->hi->def;
    if (range->compare != OP_SCALAR_LE || !sum || sum->code != OP_SCALAR_ADD || !dtype_is_signed(range->dtype) ||
        sum->args[0]->type.dtype != range->dtype || !ir_constant(sum->args[1], &number) || number <= 0 ||
        number == INT32_MAX)
        return;
    range->hi = build_binary(b, OP_SCALAR_ADD, loc, sum->args[0], build_integer(b, range->dtype, number + 1));
    range->compare = OP_SCALAR_LT;
}

/* k <= 63 is k < 64.  */
static void prefer_open(Builder *b, Range *range)
{
    int64_t number;
    const Dtype dtype = range->dtype;
    if ((range->compare != OP_SCALAR_LE && range->compare != OP_SCALAR_GT) || !ir_constant(range->hi, &number))
        return;
    if (number < 0 ? !dtype_is_signed(dtype) || dtype == D_I64
                   : number >= (int64_t)(((uint64_t)1 << (8 * dtype_bytes(dtype) - 1)) - 1))
        return;
    range->hi = build_integer(b, dtype, number + 1);
    range->compare = range->compare == OP_SCALAR_LE ? OP_SCALAR_LT : OP_SCALAR_GE;
}

/* A step that is a variable.  */
static Value *stepped(Builder *b, Loc loc, const SourceInductionVariable *counter, Dtype dtype)
{
    Value *step = build_convert(b, loc, build_scalar(b, loc, counter->step, counter->variable->type), dtype);
    return step && counter->negative ? build_op(b, OP_SCALAR_NEG, loc, step->type, 1, &step) : step;
}

/* A step of 64 bits that C cuts to the counter's type, or NULL. The launch of a grid refuses one that does not fit.  */
static Value *step_before_cut(Builder *b, Value *step)
{
    Value *from = step;
    if (!step || b->depth >= b->kernel->grid.dims || dtype_bytes(step->type.dtype) > 4)
        return NULL;
    while (from->def && from->def->code == OP_SCALAR_CONVERT && !dtype_is_float(from->def->args[0]->type.dtype) &&
           dtype_bytes(from->type.dtype) < 8)
        from = from->def->args[0];
    return from->type.dtype == D_I64 ? from : NULL;
}

/* k + offset < n: the bound of k itself, in 64 bits.  */
static bool range_behind(Builder *b, const SourceTree *loop, Range *range, Dtype own)
{
    const SourceInduction *induction = loop->induction;
    const SourceInductionVariable *counter = &induction->counter;
    Value *offset = build_scalar(b, loop->loc, induction->offset, counter->variable->type);
    range->dtype = D_I64;
    range->lo = build_convert(b, loop->loc, range->lo, D_I64);
    range->hi = build_convert(b, loop->loc, range->hi, D_I64);
    offset = build_convert(b, loop->loc, offset, D_I64);
    if (!offset)
        return false;
    range->hi = build_binary(b, OP_SCALAR_SUB, loop->loc, range->hi, offset);
    range->step = counter->step.kind == OPERAND_INTEGER
                      ? build_integer(b, D_I64, step_below(own, (int64_t)counter->step.integer))
                      : stepped(b, loop->loc, counter, D_I64);
    return range->step != NULL;
}

/* Several bounds, in 64 bits.  */
static bool range_joined(Builder *b, const SourceTree *loop, Range *range)
{
    const SourceInductionVariable *counter = &loop->induction->counter;
    range->dtype = D_I64;
    range->hi = build_joined_bound(b, loop, &range->compare);
    range->lo = build_scalar(b, loop->loc, source_of(counter->variable), counter->variable->type);
    if (!range->hi || !range->lo)
        return false;
    range->lo = build_convert(b, loop->loc, range->lo, D_I64);
    range->step =
        counter->step.kind == OPERAND_INTEGER
            ? build_integer(b, D_I64, step_below(build_dtype(counter->variable->type), (int64_t)counter->step.integer))
            : stepped(b, loop->loc, counter, D_I64);
    return range->step != NULL;
}

/* k == end: up to the number behind it, or to the start.  */
static void range_once(Builder *b, Loc loc, const SourceInduction *induction, Range *range, Dtype own)
{
    const int64_t step = step_below(own, (int64_t)induction->counter.step.integer), next = step > 0 ? 1 : -1;
    Value *sides[] = {range->lo, build_convert(b, loc, range->hi, range->lo->type.dtype)};
    Value *runs = build_op(b, OP_SCALAR_EQ, loc, type_scalar(D_I1), 2, sides);
    range->dtype = own == D_I32 ? own : D_I64;
    range->lo = build_convert(b, loc, range->lo, range->dtype);
    Value *end = build_binary(b, OP_SCALAR_ADD, loc, build_convert(b, loc, range->hi, range->dtype),
                              build_integer(b, range->dtype, next));
    Value *choice[] = {runs, end, range->lo};
    range->hi = build_op(b, OP_SCALAR_SELECT, loc, type_scalar(range->dtype), 3, choice);
    range->compare = step > 0 ? OP_SCALAR_LT : OP_SCALAR_GT;
    range->step = build_integer(b, range->dtype, step);
}

/* lo, hi and step in the type that the comparison is made in.  */
static bool range_of(Builder *b, const SourceTree *loop, Range *range)
{
    const SourceInduction *induction = loop->induction;
    const SourceInductionVariable *counter = &induction->counter;
    const Loc loc = loop->loc;
    const Dtype own = build_dtype(counter->variable->type), compared = build_dtype(induction->test->type);
    int64_t number;
    if (induction->nmore)
        return range_joined(b, loop, range);
    range->compare = build_comparison(induction);
    range->lo = build_scalar(b, loc, source_of(counter->variable), counter->variable->type);
    range->hi = build_scalar(b, loc, induction->test->args[1 - induction->side], induction->test->type);
    if (!range->lo || !range->hi)
        return false;
    range->hi = build_without_widening(range->hi);
    if (induction->test->code == SO_EQ) {
        range_once(b, loc, induction, range, own);
        return true;
    }
    if (induction->offset.kind != OPERAND_NONE && range->compare != OP_SCALAR_NE)
        return range_behind(b, loop, range, own);
    if (induction->offset.kind != OPERAND_NONE) { /* modulo the type's width */
        range->hi = build_convert(b, loc, range->hi, own);
        range->hi = build_binary(b, OP_SCALAR_SUB, loc, range->hi,
                                 build_scalar(b, loc, induction->offset, counter->variable->type));
    }
    Dtype dtype = range->lo->type.dtype;
    if (!ir_constant(range->hi, &number) && dtype_bytes(range->hi->type.dtype) > dtype_bytes(dtype))
        dtype = range->hi->type.dtype;
    const bool other_sign = !dtype_is_signed(own) && dtype_bytes(own) == dtype_bytes(compared);
    if (!dtype_is_signed(compared) || other_sign)
        dtype = compared;
    range->dtype = dtype_bytes(dtype) < 4 ? D_I32 : dtype;
    const bool up = range->compare == OP_SCALAR_LT || range->compare == OP_SCALAR_LE;
    bool away = up ? counter->negative : !counter->negative && !dtype_is_signed(own);
    if (counter->step.kind == OPERAND_INTEGER) {
        number = step_below(own, (int64_t)counter->step.integer);
        away = up ? number < 0 : number > 0;
    }
    if (!dtype_is_signed(compared) && range->compare != OP_SCALAR_NE && away)
        range_to_the_end(b, loc, range, compared, own);
    else if (!dtype_is_signed(compared) && dtype_is_signed(own))
        range_with_a_sign(b, loc, range, compared, own);
    range->lo = build_convert(b, loc, range->lo, range->dtype);
    range->hi = build_convert(b, loc, range->hi, range->dtype);
    if (counter->step.kind == OPERAND_INTEGER)
        range->step = build_integer(b, range->dtype, ir_wrap(range->dtype, number));
    else
        range->step = stepped(b, loc, counter, range->dtype);
    Value *wide = counter->negative ? NULL : step_before_cut(b, range->step);
    if (wide) {
        range->step = wide;
        range->lo = build_convert(b, loc, range->lo, D_I64);
        range->hi = build_convert(b, loc, range->hi, D_I64);
    }
    prefer_open(b, range);
    if (dtype_is_signed(own) && dtype_is_signed(compared) && !counter->wraps)
        open_sum(b, loc, range);
    return true;
}

/* A counter that is narrower than an int never wraps around, or there is no FOR.  */
static bool counts_as_int(const Builder *b, const SourceTree *loop)
{
    const SourceInduction *induction = loop->induction;
    const SourceType type = induction->counter.variable->type;
    if (source_type_bytes(type) >= 4)
        return true;
    if (induction->counter.step.kind != OPERAND_INTEGER || induction->nmore)
        return false;
    const Dtype own = build_dtype(type);
    const Built *lo = &b->variables[induction->counter.variable->id];
    const Operand hi = induction->test->args[1 - induction->side];
    int64_t first = 0, last = (int64_t)hi.integer;
    const bool starts = lo->kind == BUILT_SCALAR && ir_constant(lo->value, &first);
    return counter_never_wraps(build_comparison(induction), step_below(own, (int64_t)induction->counter.step.integer),
                               8 * source_type_bytes(type), source_type_is_signed(type), starts ? &first : NULL,
                               hi.kind == OPERAND_INTEGER ? &last : NULL);
}

static void build_test(Builder *b, const SourceTree *loop, const Alone *alone, bool in_front)
{
    for (const SourceTree *tree = loop->test; tree; tree = tree->next)
        for (const Instruction *i = tree->first; i; i = i->next)
            if (build_is_of_test(loop, i)) /* in the body each of the conditions holds */
                b->temporaries[i->temporary] = (Built){.kind = BUILT_SCALAR, .value = build_integer(b, D_I1, 1)};
            else if (is_in_front(alone, i) == in_front)
                build_instruction(b, i);
}

static bool leads_to_bound(Builder *b, const SourceTree *loop, const Range *range)
{
    int64_t step;
    const bool up = range->compare == OP_SCALAR_LT || range->compare == OP_SCALAR_LE,
               known = ir_constant(range->step, &step);
    if (known && range->dtype == D_U32 && step > INT32_MAX) /* k-- of an unsigned k */
        step = -1;
    if (!known || !step || range->compare == OP_SCALAR_NE || (step > 0) == up)
        return true;
    reject(b->kernel, loop->loc, REASON_LOOP_COMPARE_STEP, step > 0 ? "up" : "down", op_info[range->compare].call);
    return false;
}

/* A tile that goes from one iteration of the grid's outermost loop to the next was made in front of the grid.  */
static bool carries_tile(Builder *b, const SourceTree *loop, const uint64_t *assigned, const uint64_t *live)
{
    uint64_t *start = build_set_copy(b, live);
    SourceTree alone = *loop;
    alone.next = NULL;
    build_live_before(b, &alone, start);
    for (int v = 0; v < b->function->nvariables; v++) {
        const SourceVariable *variable = b->function->variables[v];
        const char *type = variable->declaration.c_type;
        if (!build_has(assigned, v) || !build_has(start, v) || variable->type != ST_P || !type ||
            strcmp(type, "ws_tile") || b->variables[v].kind == BUILT_NONE)
            continue;
        reject(b->kernel, b->kernel->loc, REASON_GRID_CARRIED_TILE,
               variable->declaration.name ? variable->declaration.name : "a tile");
        return true;
    }
    return false;
}

static void build_for(Builder *b, const SourceTree *loop, const uint64_t *live)
{
    const SourceVariable *counter = loop->induction->counter.variable;
    const Alone alone = left_alone(b, loop);
    Range range = {0};
    build_test(b, loop, &alone, true);
    if (b->kernel->failed || !range_of(b, loop, &range))
        return;
    if (!leads_to_bound(b, loop, &range) || (!b->depth && carries_tile(b, loop, alone.assigned, live)))
        return;
    Value *bounds[] = {range.lo, range.hi, range.step};
    Op *op = op_new(b->kernel, OP_FOR, loop->loc, 3, bounds);
    op->control->compare = range.compare;
    op->control->pipeline = pipeline_above(b, build_pragma_above(b, loop));
    op_append(b->block, op);
    if (!b->anchor)
        b->anchor = op;
    uint64_t *flowing = build_set_copy(b, live);
    SourceTree alone_loop = *loop;
    alone_loop.next = NULL;
    build_live_before(b, &alone_loop, flowing);
    for (int w = 0; w < b->words; w++)
        flowing[w] |= live[w];
    const bool counter_leaves = build_has(live, counter->id);
    Carried carried = carried_by(b, loop, counter_leaves ? NULL : counter, alone.assigned, flowing, op);
    Block *block = b->block;
    Built *before = b->variables;
    b->variables = build_state(b, before);
    b->block = block_new(b->kernel, op);
    b->depth++;
    Value *count = block_arg(b->kernel, b->block, type_scalar(range.dtype), counter->declaration.name, loop->loc);
    bind_arguments(b, b->block, &carried, before);
    Value *own = build_convert(b, loop->loc, count, build_dtype(counter->type));
    if (own != count) {
        own->counts = true; /* it fits */
        own->name = counter->declaration.name;
    }
    b->variables[counter->id] = (Built){.kind = BUILT_SCALAR, .value = own};
    build_test(b, loop, &alone, false);
    const int ncounters = b->ncounters;
    const SourceVariable *counted = b->counted;
    build_counters(b, loop);
    b->counted = counter;
    build_list(b, loop->yes, flowing);
    b->counted = counted;
    b->ncounters = ncounters;
    if (!b->kernel->failed) {
        Value **values = values_of(b, &carried, before, loop->loc);
        const int more = build_arrays_yield(b, op, values + carried.count);
        build_yield(b, b->block, OP_YIELD, loop->loc, carried.count + more, values);
    }
    b->depth--;
    b->block = block;
    b->variables = before;
    bind_results(b, op, &carried, build_state(b, before));
    build_arrays_leave(b, op);
}

/* ---- WHILE ------------------------------------------------------------------------------------------------------- */

static void build_while(Builder *b, const SourceTree *loop, const uint64_t *live)
{
    Op *op = op_new(b->kernel, OP_WHILE, loop->loc, 0, NULL);
    op_append(b->block, op);
    if (!b->anchor)
        b->anchor = op;
    /* What the test or the body reads, or something behind.  */
    uint64_t *start = build_set_copy(b, live), *inside = build_set_copy(b, live);
    SourceTree alone = *loop;
    alone.next = NULL;
    build_live_before(b, &alone, start);
    for (int w = 0; w < b->words; w++)
        inside[w] |= start[w];
    /* And what goes from the test to the body.  */
    uint64_t *flowing = build_set_copy(b, inside), *assigned = build_set(b);
    build_live_before(b, loop->yes, flowing);
    build_assigned(b, loop->test, assigned);
    for (int w = 0; w < b->words; w++)
        flowing[w] = (flowing[w] & assigned[w]) | inside[w];
    build_assigned(b, loop->yes, assigned);
    Carried carried = carried_by(b, loop, NULL, assigned, flowing, op);
    Block *block = b->block, *test = block_new(b->kernel, op), *body = block_new(b->kernel, op);
    Built *before = b->variables;
    uint64_t *behind = build_set_copy(b, flowing);
    if (loop->condition.kind == OPERAND_VARIABLE)
        build_add(behind, loop->condition.variable->id);
    b->depth++;
    b->block = test;
    b->variables = build_state(b, before);
    bind_arguments(b, test, &carried, before);
    build_list(b, loop->test, behind);
    Value **handed = values_of(b, &carried, before, loop->loc);
    Value *condition = b->kernel->failed ? NULL : build_scalar(b, loop->loc, loop->condition, ST_B);
    if (condition) {
        memmove(handed + 1, handed, (size_t)carried.count * sizeof *handed);
        handed[0] = condition;
        build_yield(b, test, OP_COND, loop->loc, carried.count + 1, handed);
    }
    b->block = body;
    b->variables = build_state(b, before);
    bind_arguments(b, body, &carried, before);
    const int ncounters = b->ncounters;
    build_counters(b, loop);
    build_list(b, loop->yes, start);
    b->ncounters = ncounters;
    if (!b->kernel->failed)
        build_yield(b, body, OP_YIELD, loop->loc, carried.count, values_of(b, &carried, before, loop->loc));
    b->depth--;
    b->block = block;
    b->variables = before;
    bind_results(b, op, &carried, build_state(b, before));
}

void build_loop(Builder *b, const SourceTree *loop, const uint64_t *live)
{
    const int mark = build_pragma_above(b, loop), around = b->pipelined;
    take_marks(b, loop);
    build_refuse_two(b, loop);
    if (b->pipelined < 0 && build_is_pipelined(b, mark))
        b->pipelined = mark;
    if (is_counted(b, loop, live) && counts_as_int(b, loop))
        build_for(b, loop, live);
    else if ((b->depth >= b->kernel->grid.dims && mark < 0) ||
             !build_refuse_uncounted(b, loop, b->depth < b->kernel->grid.dims))
        build_while(b, loop, live);
    b->pipelined = around;
}
