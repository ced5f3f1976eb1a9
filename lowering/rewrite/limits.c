/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * limits.c - up to which iteration a question has the same answer.
 *
 *   before                                        after
 *   for (j = 0; j < last; j += 80)                edge = min (L - 79, i - 78)
 *     if (! (L - j > 79 && i - j >= 79))          for (j = 0; j < last; j += 80)
 *       ...                                         if (j >= edge)
 *                                                     ...
 *
 * Comparisons of what grows with the counter, joined by `and`, hold in the first iterations and in none after them;
 * where that ends is known before the loop.  Such a loop gets two bodies (peel.c), of which the first does not ask.
 *
 * A comparison with an end of I32 asks whether a sum stays within it.  It may hold from some iteration on instead, and
 * is asked for the first and for the last value at once: what is linear holds between them.
 */
#include "ir/affine.h"
#include "rewrite/limits.h"
#include "ir/slice.h"

enum { MAX_DEPTH = 12 };

typedef struct {
    Kernel *kernel;
    Op *loop;
    const Value *counter;
    Value *first, *last; /* of the counter, the last excluded, I64 */
    Value *condition;    /* of the choices on the way, NULL: there was none */
    bool arm;            /* and which way they go */
} Limits;

/* factor counter + rest; rest NULL: 0 */
typedef struct {
    int64_t factor;
    Value *rest; /* I64, there before the loop */
} Linear;

/* ---- scalars before the loop ------------------------------------------------------------------------------------- */

static Value *literal(const Limits *in, int64_t number)
{
    return ir_const_before(in->kernel, in->loop, D_I64, number);
}

static Value *binary(const Limits *in, Opcode code, Value *x, Value *y)
{
    return ir_binary_before(in->kernel, in->loop, code, x, y);
}

static Value *emit(const Limits *in, Opcode code, Dtype dtype, int nargs, Value *const *args)
{
    return ir_scalar_before(in->kernel, in->loop, code, dtype, nargs, args);
}

static Value *compare(const Limits *in, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return emit(in, code, D_I1, 2, args);
}

static Value *choice(const Limits *in, Value *condition, Value *x, Value *y)
{
    Value *args[] = {condition, x, y};
    return emit(in, OP_SELI, x->type.dtype, 3, args);
}

static Value *convert(const Limits *in, Value *value, Dtype dtype)
{
    return ir_convert_before(in->kernel, in->loop, value, dtype);
}

static Value *plus(const Limits *in, Value *x, Value *y, bool minus)
{
    if (!y)
        return x;
    if (!x && !minus)
        return y;
    return binary(in, minus ? OP_SUBI : OP_ADDI, x ? x : literal(in, 0), y);
}

/* ---- what the loop does not change ------------------------------------------------------------------------------- */

static bool is_signed_integer(const Value *value)
{
    return value->type.kind == K_SCALAR && (value->type.dtype == D_I32 || value->type.dtype == D_I64);
}

/* Is the scalar the same in all iterations?  */
static bool is_fixed(const Limits *in, const Value *value, int depth)
{
    const Op *op = value->def;
    if (ir_outside(value, in->loop))
        return true;
    if (!op || op_info[op->code].class_ != CLASS_SCALAR || depth > MAX_DEPTH)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!is_fixed(in, op->args[i], depth + 1))
            return false;
    return true;
}

static Value *copy_fixed(const Limits *in, Value *value, ValueMap *map)
{
    if (ir_outside(value, in->loop) || value_map_get(map, value) != value)
        return value_map_get(map, value);
    Op *op = value->def;
    for (int i = 0; i < op->nargs; i++)
        copy_fixed(in, op->args[i], map);
    op_before(in->loop, op_clone(in->kernel, op, map));
    return value_map_get(map, value);
}

/* It, or a copy of it, before the loop.  */
static Value *fixed(const Limits *in, Value *value)
{
    ValueMap map = value_map_new(in->kernel);
    return copy_fixed(in, value, &map);
}

/* ---- what grows with the counter --------------------------------------------------------------------------------- */

/* A choice by what the loop does not change is taken on one of its ways; all choices have to go by one condition.  */
static bool take_arms(Limits *in, Affine *sum)
{
    for (int i = 0; i < sum->count; i++) {
        const AffineTerm term = sum->terms[i];
        const Op *op = term.value->def;
        if (!op || op->code != OP_SELI || !is_signed_integer(term.value) || is_fixed(in, term.value, 0) ||
            !is_fixed(in, op->args[0], 0) || (in->condition && in->condition != op->args[0]))
            continue;
        in->condition = op->args[0];
        *sum = affine_add(*sum, affine_value(term.value), -term.factor);
        *sum = affine_add(*sum, affine_within(op->args[in->arm ? 1 : 2], in->loop), term.factor);
        i = -1;
    }
    return sum->known;
}

static Value *use_fixed(void *context, const Value *value)
{
    return fixed(context, (Value *)value);
}

static bool find_linear(Limits *in, const Value *value, Linear *linear)
{
    Affine sum = affine_within(value, in->loop);
    if (!is_signed_integer(value) || !sum.known || !take_arms(in, &sum))
        return false;
    linear->factor = affine_factor(&sum, in->counter);
    sum = affine_add(sum, affine_value(in->counter), -linear->factor);
    for (int i = 0; i < sum.count; i++)
        if (!is_fixed(in, sum.terms[i].value, 0))
            return false;
    linear->rest = affine_emit(in->kernel, in->loop, &sum, sum.low, use_fixed, in);
    return sum.known;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

/* The first value from which on x <= y, or x < y, does not hold any more, NULL: it is not known, or not like that.  */
static Value *end_of(Limits *in, Value *x, Value *y, bool equal)
{
    Linear a, b;
    if (!find_linear(in, x, &a) || !find_linear(in, y, &b))
        return NULL;
    Value *room = plus(in, b.rest, a.rest, true); /* factor counter <= room */
    room = room ? room : literal(in, 0);
    if (a.factor == b.factor)
        return choice(in, compare(in, equal ? OP_GEI : OP_GTI, room, literal(in, 0)), in->last, in->first);
    if (a.factor - b.factor != 1)
        return NULL;
    return equal ? binary(in, OP_ADDI, room, literal(in, 1)) : room;
}

/* Does the comparison with a number hold for all values of the counter?  */
static Value *always_holds(Limits *in, const Op *question, int64_t number)
{
    Linear linear;
    if (!find_linear(in, question->args[0], &linear) || linear.factor < -1 || linear.factor > 1)
        return NULL;
    Value *rest = linear.rest ? linear.rest : literal(in, 0), *ends[] = {in->first, in->last}, *holds[2];
    for (int i = 0; i < 2; i++) {
        Value *there = linear.factor ? plus(in, rest, ends[i], linear.factor < 0) : rest;
        holds[i] = compare(in, question->code, there, literal(in, number));
    }
    return binary(in, OP_ANDI, holds[0], holds[1]);
}

static bool is_end_of_i32(const Value *value, int64_t *number)
{
    return ir_constant(value, number) && (*number == INT32_MAX || *number == INT32_MIN);
}

static Value *answer_of_arm(Limits *in, const Op *question)
{
    bool less = question->code == OP_LTI || question->code == OP_LEI;
    bool equal = question->code == OP_LEI || question->code == OP_GEI;
    int64_t number;
    if (is_end_of_i32(question->args[1], &number))
        return always_holds(in, question, number);
    return end_of(in, question->args[!less], question->args[less], equal);
}

static Value *answer_of(Limits *in, const Op *question)
{
    in->condition = NULL;
    in->arm = true;
    Value *answer = answer_of_arm(in, question), *condition = in->condition;
    if (!answer || !condition)
        return answer;
    in->arm = false;
    Value *other = answer_of_arm(in, question);
    return other ? choice(in, fixed(in, condition), answer, other) : NULL;
}

typedef struct {
    Value *end, *always; /* NULL: none; nothing to ask before the loop */
} Answer;

static Value *both(const Limits *in, Opcode code, Value *x, Value *y)
{
    return !x ? y : !y ? x : binary(in, code, x, y);
}

static bool find_answer(Limits *in, const Value *question, Answer *answer)
{
    const Op *op = question->def;
    Opcode code = op ? op->code : OP_CONST;
    Answer x, y;
    *answer = (Answer){NULL, NULL};
    if (code == OP_ANDI) {
        if (!find_answer(in, op->args[0], &x) || !find_answer(in, op->args[1], &y))
            return false;
        *answer = (Answer){both(in, OP_MINI, x.end, y.end), both(in, OP_ANDI, x.always, y.always)};
        return true;
    }
    bool compares = code == OP_LTI || code == OP_LEI || code == OP_GTI || code == OP_GEI;
    Value *found = compares && is_signed_integer(op->args[0]) ? answer_of(in, op) : NULL;
    if (found)
        *(found->type.dtype == D_I1 ? &answer->always : &answer->end) = found;
    return found != NULL;
}

/* require: `question` is asked in the loop's body.   ensure: as long as the counter is less than what is returned,
                                                      which is
   there before the loop, the answer is yes; NULL where that is not known.  */
Value *find_limit(Kernel *kernel, Op *loop, Value *question)
{
    Limits in = {.kernel = kernel, .loop = loop, .counter = loop->blocks[0]->args[0]};
    Dtype dtype = in.counter->type.dtype;
    int64_t step;
    Answer answer;
    bool up = (loop->control->compare == OP_LTI || loop->control->compare == OP_LEI) &&
              ir_constant(loop->args[2], &step) && step > 0;
    if (!up || !is_signed_integer(in.counter))
        return NULL;
    in.first = convert(&in, loop->args[0], D_I64);
    in.last = convert(&in, loop->args[1], D_I64);
    if (loop->control->compare == OP_LEI)
        in.last = binary(&in, OP_ADDI, in.last, literal(&in, 1));
    if (!find_answer(&in, question, &answer) || !answer.end)
        return NULL;
    Value *end = answer.always ? choice(&in, answer.always, answer.end, in.first) : answer.end;
    end = convert(&in, binary(&in, OP_MAXI, binary(&in, OP_MINI, end, in.last), in.first), dtype);
    end->name = "edge";
    return end;
}
