/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * limits.c - the iteration at which a condition of a loop's body can first fail.
 *
 *      before                                        after
 *      for (j = 0; j < last; j += 80)                edge = min (L - 79, i - 78)
 *        if (! (L - j > 79 && i - j >= 79))          for (j = 0; j < last; j += 80)
 *          ...                                         if (j >= edge)
 *                                                        ...
 *
 * A condition is a conjunction of comparisons of values that are linear in the counter. It is true in the first
 * iterations and false in all later ones. The pass computes the bound between them before the loop. peel.c gives the
 * loop two bodies, of which the first does not evaluate the condition.
 *
 * A comparison with an end of I32 checks whether a sum stays within I32. This comparison may be false in the first
 * iterations instead. So it is evaluated before the loop for the first and the last counter. A linear sum that is in
 * range at both ends is in range between them.
 */
#include "ir/affine.h"
#include "optimize/limits.h"
#include "ir/slice.h"

enum { MAX_DEPTH = 12 };

typedef struct {
    Kernel *kernel;
    Op *loop;
    const Value *counter;
    Value *first, *last; /* first counter, and the end of its range (excluded), I64 */
    Value *condition;    /* condition of the selects on the way; NULL: none */
    bool arm;            /* the arm of these selects that is followed */
} Limits;

/* factor * counter + rest; rest NULL: 0 */
typedef struct {
    int64_t factor;
    Value *rest; /* I64, computed before the loop */
} Linear;

/* ---- scalars before the loop ------------------------------------------------------------------------------------- */

static Value *literal(const Limits *limits, int64_t number)
{
    return ir_const_before(limits->kernel, limits->loop, D_I64, number);
}

static Value *binary(const Limits *limits, Opcode code, Value *x, Value *y)
{
    return ir_binary_before(limits->kernel, limits->loop, code, x, y);
}

static Value *emit(const Limits *limits, Opcode code, Dtype dtype, int nargs, Value *const *args)
{
    return ir_scalar_before(limits->kernel, limits->loop, code, dtype, nargs, args);
}

static Value *compare(const Limits *limits, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return emit(limits, code, D_I1, 2, args);
}

static Value *choice(const Limits *limits, Value *condition, Value *x, Value *y)
{
    Value *args[] = {condition, x, y};
    return emit(limits, OP_SCALAR_SELECT, x->type.dtype, 3, args);
}

static Value *convert(const Limits *limits, Value *value, Dtype dtype)
{
    return ir_convert_before(limits->kernel, limits->loop, value, dtype);
}

static Value *plus(const Limits *limits, Value *x, Value *y, bool minus)
{
    if (!y)
        return x;
    if (!x && !minus)
        return y;
    return binary(limits, minus ? OP_SCALAR_SUB : OP_SCALAR_ADD, x ? x : literal(limits, 0), y);
}

/* ---- loop-invariant scalars -------------------------------------------------------------------------------------- */

static bool is_signed_integer(const Value *value)
{
    return value->type.kind == K_SCALAR && (value->type.dtype == D_I32 || value->type.dtype == D_I64);
}

/* True if the scalar is the same in all iterations.  */
static bool is_fixed(const Limits *limits, const Value *value, int depth)
{
    const Op *op = value->def;
    if (ir_outside(value, limits->loop))
        return true;
    if (!op || op_info[op->code].class_ != CLASS_SCALAR || depth > MAX_DEPTH)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!is_fixed(limits, op->args[i], depth + 1))
            return false;
    return true;
}

static Value *copy_fixed(const Limits *limits, Value *value, ValueMap *map)
{
    if (ir_outside(value, limits->loop) || value_map_get(map, value) != value)
        return value_map_get(map, value);
    Op *op = value->def;
    for (int i = 0; i < op->nargs; i++)
        copy_fixed(limits, op->args[i], map);
    op_before(limits->loop, op_clone(limits->kernel, op, map));
    return value_map_get(map, value);
}

/* The value, or a clone of its operations, before the loop.  */
static Value *fixed(const Limits *limits, Value *value)
{
    ValueMap map = value_map_new(limits->kernel);
    return copy_fixed(limits, value, &map);
}

/* ---- values that are linear in the counter ----------------------------------------------------------------------- */

/* Replaces selects with a loop-invariant condition by one of their arms. All of them must have the same condition.  */
static bool take_arms(Limits *limits, Affine *sum)
{
    for (int i = 0; i < sum->count; i++) {
        const AffineTerm term = sum->terms[i];
        const Op *op = term.value->def;
        if (!op || op->code != OP_SCALAR_SELECT || !is_signed_integer(term.value) || is_fixed(limits, term.value, 0) ||
            !is_fixed(limits, op->args[0], 0) || (limits->condition && limits->condition != op->args[0]))
            continue;
        limits->condition = op->args[0];
        *sum = affine_add(*sum, affine_value(term.value), -term.factor);
        *sum = affine_add(*sum, affine_within(op->args[limits->arm ? 1 : 2], limits->loop), term.factor);
        i = -1;
    }
    return sum->known;
}

static Value *use_fixed(void *context, const Value *value)
{
    return fixed(context, (Value *)value);
}

static bool find_linear(Limits *limits, const Value *value, Linear *linear)
{
    Affine sum = affine_within(value, limits->loop);
    if (!is_signed_integer(value) || !sum.known || !take_arms(limits, &sum))
        return false;
    linear->factor = affine_factor(&sum, limits->counter);
    sum = affine_add(sum, affine_value(limits->counter), -linear->factor);
    for (int i = 0; i < sum.count; i++)
        if (!is_fixed(limits, sum.terms[i].value, 0))
            return false;
    linear->rest = affine_emit(limits->kernel, limits->loop, &sum, sum.low, use_fixed, limits);
    return sum.known;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

/* The first counter at which x <= y (or x < y) is false. NULL: unknown, or the comparison is of another form.  */
static Value *end_of(Limits *limits, Value *x, Value *y, bool equal)
{
    Linear a, b;
    if (!find_linear(limits, x, &a) || !find_linear(limits, y, &b))
        return NULL;
    Value *room = plus(limits, b.rest, a.rest, true); /* factor * counter <= room */
    room = room ? room : literal(limits, 0);
    if (a.factor == b.factor)
        return choice(limits, compare(limits, equal ? OP_SCALAR_GE : OP_SCALAR_GT, room, literal(limits, 0)),
                      limits->last, limits->first);
    if (a.factor - b.factor != 1)
        return NULL;
    return equal ? binary(limits, OP_SCALAR_ADD, room, literal(limits, 1)) : room;
}

/* A scalar that is true if the comparison with `number` is true for every counter. NULL: unknown.  */
static Value *always_holds(Limits *limits, const Op *question, int64_t number)
{
    Linear linear;
    if (!find_linear(limits, question->args[0], &linear) || linear.factor < -1 || linear.factor > 1)
        return NULL;
    Value *rest = linear.rest ? linear.rest : literal(limits, 0), *ends[] = {limits->first, limits->last}, *holds[2];
    for (int i = 0; i < 2; i++) {
        Value *there = linear.factor ? plus(limits, rest, ends[i], linear.factor < 0) : rest;
        holds[i] = compare(limits, question->code, there, literal(limits, number));
    }
    return binary(limits, OP_SCALAR_AND, holds[0], holds[1]);
}

static bool is_end_of_i32(const Value *value, int64_t *number)
{
    return ir_constant(value, number) && (*number == INT32_MAX || *number == INT32_MIN);
}

static Value *answer_of_arm(Limits *limits, const Op *question)
{
    bool less = question->code == OP_SCALAR_LT || question->code == OP_SCALAR_LE;
    bool equal = question->code == OP_SCALAR_LE || question->code == OP_SCALAR_GE;
    int64_t number;
    if (is_end_of_i32(question->args[1], &number))
        return always_holds(limits, question, number);
    return end_of(limits, question->args[!less], question->args[less], equal);
}

static Value *answer_of(Limits *limits, const Op *question)
{
    limits->condition = NULL;
    limits->arm = true;
    Value *answer = answer_of_arm(limits, question), *condition = limits->condition;
    if (!answer || !condition)
        return answer;
    limits->arm = false;
    Value *other = answer_of_arm(limits, question);
    return other ? choice(limits, fixed(limits, condition), answer, other) : NULL;
}

typedef struct {
    Value *end, *always; /* end: NULL: none. always: NULL: no condition before the loop */
} Answer;

static Value *both(const Limits *limits, Opcode code, Value *x, Value *y)
{
    return !x ? y : !y ? x : binary(limits, code, x, y);
}

static bool find_answer(Limits *limits, const Value *question, Answer *answer)
{
    const Op *op = question->def;
    Opcode code = op ? op->code : OP_CONST;
    Answer x, y;
    *answer = (Answer){NULL, NULL};
    if (code == OP_SCALAR_AND) {
        if (!find_answer(limits, op->args[0], &x) || !find_answer(limits, op->args[1], &y))
            return false;
        *answer = (Answer){both(limits, OP_SCALAR_MIN, x.end, y.end), both(limits, OP_SCALAR_AND, x.always, y.always)};
        return true;
    }
    bool compares = code == OP_SCALAR_LT || code == OP_SCALAR_LE || code == OP_SCALAR_GT || code == OP_SCALAR_GE;
    Value *found = compares && is_signed_integer(op->args[0]) ? answer_of(limits, op) : NULL;
    if (found)
        *(found->type.dtype == D_I1 ? &answer->always : &answer->end) = found;
    return found != NULL;
}

/* require: `question` is a condition in the loop's body.   ensure: the condition is true while the counter is below
   the returned value, which is available before the loop. NULL: no bound is known.  */
Value *find_limit(Kernel *kernel, Op *loop, Value *question)
{
    Limits limits = {.kernel = kernel, .loop = loop, .counter = loop->blocks[0]->args[0]};
    Dtype dtype = limits.counter->type.dtype;
    int64_t step;
    Answer answer;
    bool up = (loop->control->compare == OP_SCALAR_LT || loop->control->compare == OP_SCALAR_LE) &&
              ir_constant(loop->args[2], &step) && step > 0;
    if (!up || !is_signed_integer(limits.counter))
        return NULL;
    limits.first = convert(&limits, loop->args[0], D_I64);
    limits.last = convert(&limits, loop->args[1], D_I64);
    if (loop->control->compare == OP_SCALAR_LE)
        limits.last = binary(&limits, OP_SCALAR_ADD, limits.last, literal(&limits, 1));
    if (!find_answer(&limits, question, &answer) || !answer.end)
        return NULL;
    Value *end = answer.always ? choice(&limits, answer.always, answer.end, limits.first) : answer.end;
    end = convert(
        &limits, binary(&limits, OP_SCALAR_MAX, binary(&limits, OP_SCALAR_MIN, end, limits.last), limits.first), dtype);
    end->name = "edge";
    return end;
}
