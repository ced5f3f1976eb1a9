/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simplify.c - one form for what can be written, or optimized, in many.
 *
 *   before                                     after
 *   t = conv i64 K; u = conv i32 t             K
 *   n = (K + 63) / 64 in two places            n, once
 *   x = if c { yield a } else { yield b }      x = seli c, a, b
 *   acc carried, but never looked at           not carried
 *
 * Rounds of: rewrite operands, fold, identities, common scalars (a table scoped by blocks), branches that need not be;
 * then dead code, by a slice from the stores.  Until a round changes nothing.  Only what is exact is done: no float is
 * reassociated, and a division is not moved to where it might trap.
 *
 * Behind expand the same is done to the programs of roles, whose first iterations have constants where the loop has its
 * counter: i - 0 is i.  There the proof has to see that nothing changed, so only those rules apply that terms.c knows:
 * integers alone, and no branch or loop is removed.
 *
 * Tested, not proved (proof/freeze.c): tests/driver/levels.sh has one text from every -O level, and every program of
 * tests runs on the sequential target, which runs the C statements, and on emulate.
 */
#include <string.h>

#include "lower.h"
#include "ir/slice.h"

enum { MAX_ROUNDS = 30, BUCKETS = 256, MAX_CONVERTED = 16 };

typedef struct Entry {
    Op *op;
    unsigned bucket;
    struct Entry *next, *newer; /* in the bucket; on the stack of scopes */
} Entry;

typedef struct {
    Kernel *kernel;
    ValueMap map; /* value -> what stands for it now */
    Entry *buckets[BUCKETS];
    Entry *newest;
    int *order; /* by value id: place of the definition in the text; 0 for what this round makes */
    int norder, ndefined;
    bool program; /* of a role, which the proof compares with the body: only by the algebra that terms.c knows */
    bool changed;
} Simplifier;

/* ---- replacing --------------------------------------------------------------------------------------------------- */

static Value *resolve(const Simplifier *in, Value *value)
{
    for (Value *next = value_map_get(&in->map, value); next != value; next = value_map_get(&in->map, value))
        value = next;
    return value;
}

static void replace(Simplifier *in, Value *from, Value *to)
{
    to = resolve(in, to);
    if (from == to)
        return;
    if (from->name && !to->name && to->def && to->def->code != OP_CONST)
        to->name = from->name;
    value_map_set(in->kernel, &in->map, from, to);
    in->changed = true;
}

static void rewrite(Op *op, void *context)
{
    const Simplifier *in = context;
    for (int i = 0; i < op->nargs; i++)
        op->args[i] = resolve(in, op->args[i]);
}

static void become(Simplifier *in, Op *op, Opcode code, Value *x, Value *y)
{
    op_become(op, code);
    op->nargs = 0;
    op->args = NULL;
    if (x)
        op_add_arg(in->kernel, op, x);
    if (y)
        op_add_arg(in->kernel, op, y);
    in->changed = true;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

static bool is_constant(const Value *value)
{
    return value->def && value->def->code == OP_CONST;
}

static bool is_int(const Value *value, int64_t wanted)
{
    int64_t got;
    return is_constant(value) && ir_constant(value, &got) && got == wanted;
}

static bool is_float(const Value *value)
{
    return dtype_is_float(value->type.dtype);
}

static bool is_one(const Value *value)
{
    double number;
    return is_int(value, 1) || (is_constant(value) && ir_constant_float(value, &number) && number == 1);
}

static bool is_ones(const Value *value)
{
    int64_t got;
    if (!is_constant(value) || !ir_constant(value, &got))
        return false;
    return value->type.dtype == D_I1 ? got == 1 : got == -1;
}

static Opcode opcode_of(const Value *value)
{
    return value->def ? value->def->code : OP_COUNT;
}

static bool is_compare(Opcode code)
{
    return code >= OP_EQI && code <= OP_GEI;
}

static bool is_bool(const Value *value)
{
    return value->type.kind == K_SCALAR && value->type.dtype == D_I1;
}

/* ---- folding and identities --------------------------------------------------------------------------------------- */

/* Of integers, by operands that are literals themselves.  */
static bool fold_program(Simplifier *in, Op *op)
{
    int64_t numbers[2], integer;
    if (op->nargs < 1 || op->nargs > 2)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!is_constant(op->args[i]) || !ir_constant(op->args[i], &numbers[i]))
            return false;
    if (!ir_fold(op, numbers, &integer))
        return false;
    become(in, op, OP_CONST, NULL, NULL);
    op->scalar->integer = integer;
    return true;
}

static bool fold(Simplifier *in, Op *op)
{
    double number = 0;
    int64_t integer = 0;
    if (op->code == OP_CONST || !op->nargs)
        return false;
    if (in->program)
        return fold_program(in, op);
    if (!ir_constant(op->results[0], &integer) && !ir_constant_float(op->results[0], &number))
        return false;
    become(in, op, OP_CONST, NULL, NULL);
    op->scalar->integer = integer;
    op->scalar->real = number;
    return true;
}

/* A value-preserving step from x to y: every x is a y.  */
static bool widens(Dtype x, Dtype y)
{
    if (dtype_is_float(x) || dtype_is_float(y))
        return x == y;
    if (dtype_bytes(y) > dtype_bytes(x))
        return !dtype_is_signed(x) || dtype_is_signed(y);
    return x == y || (x == D_I1 && y != D_I1);
}

static Value *convert_identity(Op *op)
{
    Value *x = op->args[0];
    Dtype to = op->results[0]->type.dtype;
    if (type_equal(x->type, op->results[0]->type))
        return x;
    while (opcode_of(x) == OP_CONVI && x->type.kind == K_SCALAR && x->def->args[0]->type.kind == K_SCALAR) {
        Value *inner = x->def->args[0];
        bool truncates = !is_float(inner) && !is_float(x) && !dtype_is_float(to) && to != D_I1 &&
                         x->type.dtype != D_I1 && dtype_bytes(to) <= dtype_bytes(x->type.dtype);
        if (!widens(inner->type.dtype, x->type.dtype) && !truncates)
            break;
        x = op->args[0] = inner;
    }
    return type_equal(x->type, op->results[0]->type) ? x : NULL;
}

/* The value that an integer operation with these operands is, or NULL.  */
static Value *integer_identity(const Op *op)
{
    Value *x = op->args[0], *y = op->nargs > 1 ? op->args[1] : NULL;
    switch (op->code) {
    case OP_ADDI:
    case OP_SUBI:
    case OP_ORI:
    case OP_XORI:
    case OP_SHLI:
    case OP_SHRI:
        return is_int(y, 0) || (op->code == OP_ORI && x == y) ? x : NULL;
    case OP_MULI:
        return is_int(y, 0) ? y : is_one(y) ? x : NULL;
    case OP_DIVI:
        return is_one(y) ? x : NULL;
    case OP_ANDI:
        return is_int(y, 0) ? y : is_ones(y) || x == y ? x : NULL;
    case OP_MINI:
    case OP_MAXI:
        return x == y ? x : NULL;
    case OP_NEGI:
    case OP_NOTI:
        return opcode_of(x) == op->code ? x->def->args[0] : NULL;
    default:
        return NULL;
    }
}

static Value *select_identity(const Op *op)
{
    Value *condition = op->args[0], *x = op->args[1], *y = op->args[2];
    if (is_constant(condition))
        return is_int(condition, 0) ? y : x;
    if (x == y)
        return x;
    return is_bool(x) && is_int(x, 1) && is_int(y, 0) ? condition : NULL;
}

/* What an operation of a role's program is.  */
static Value *program_identity(const Op *op)
{
    if (op_info[op->code].class_ != CLASS_SCALAR || !op->nargs || is_float(op->args[0]))
        return NULL;
    if (op->code == OP_CONVI)
        return type_equal(op->args[0]->type, op->results[0]->type) ? op->args[0] : NULL;
    return op->code == OP_SELI ? select_identity(op) : integer_identity(op);
}

static Value *identity(const Simplifier *in, Op *op)
{
    if (in->program)
        return program_identity(op);
    switch (op->code) {
    case OP_CONVI:
        return convert_identity(op);
    case OP_SELI:
        return select_identity(op);
    case OP_TRANS:
        return opcode_of(op->args[0]) == OP_TRANS ? op->args[0]->def->args[0] : NULL;
    case OP_CAST:
        return type_equal(op->args[0]->type, op->results[0]->type) ? op->args[0] : NULL;
    default:
        if (op_info[op->code].class_ != CLASS_SCALAR || !op->nargs)
            return NULL;
        if (is_float(op->args[0]))
            return (op->code == OP_MULI || op->code == OP_DIVI) && is_one(op->args[1]) ? op->args[0] : NULL;
        return integer_identity(op);
    }
}

/* ---- one spelling ------------------------------------------------------------------------------------------------- */

static bool commutes(Opcode code)
{
    return code == OP_ADDI || code == OP_MULI || code == OP_ANDI || code == OP_ORI || code == OP_XORI ||
           code == OP_MINI || code == OP_MAXI || code == OP_EQI || code == OP_NEI;
}

static Opcode mirrored(Opcode code)
{
    return code == OP_LTI ? OP_GTI : code == OP_GTI ? OP_LTI : code == OP_LEI ? OP_GEI : code == OP_GEI ? OP_LEI : code;
}

static Opcode inverted(Opcode code)
{
    switch (code) {
    case OP_EQI:
        return OP_NEI;
    case OP_NEI:
        return OP_EQI;
    case OP_LTI:
        return OP_GEI;
    case OP_GEI:
        return OP_LTI;
    case OP_GTI:
        return OP_LEI;
    default:
        return OP_GTI;
    }
}

/* A literal stands on the right.  */
static void literal_right(Simplifier *in, Op *op)
{
    if (op->nargs != 2 || !is_constant(op->args[0]) || is_constant(op->args[1]))
        return;
    if (!commutes(op->code) && mirrored(op->code) == op->code)
        return;
    become(in, op, mirrored(op->code), op->args[1], op->args[0]);
}

static int order_of(const Simplifier *in, const Value *value)
{
    return value->id < in->norder ? in->order[value->id] : 0;
}

static void number(Simplifier *in, const Value *value)
{
    if (value->id < in->norder)
        in->order[value->id] = ++in->ndefined;
}

/* Of two conditions the first comes first.  */
static void conditions_in_order(Simplifier *in, Op *op)
{
    if (op->nargs != 2 || !is_bool(op->args[0]) || (op->code != OP_ANDI && op->code != OP_ORI && op->code != OP_XORI))
        return;
    int x = order_of(in, op->args[0]), y = order_of(in, op->args[1]);
    if (x && y && x > y)
        become(in, op, op->code, op->args[1], op->args[0]);
}

/* (x | y) == 0 is x == 0 and y == 0; so for the other comparisons with 0 that look at all bits or at the sign.  */
static void split_compare(Simplifier *in, Op *op)
{
    const Op *both = op->nargs == 2 ? op->args[0]->def : NULL;
    if (!both || both->code != OP_ORI || is_bool(both->results[0]) || !is_int(op->args[1], 0))
        return;
    bool all = op->code == OP_EQI || op->code == OP_GEI;
    if (!all && op->code != OP_NEI && op->code != OP_LTI)
        return;
    int first = order_of(in, both->args[0]) > order_of(in, both->args[1]);
    Value *parts[2];
    for (int i = 0; i < 2; i++) {
        Value *args[] = {both->args[i ^ first], op->args[1]};
        Op *part = op_new(in->kernel, op->code, op->loc, 2, args);
        op_before(op, part);
        parts[i] = op_result(in->kernel, part, type_scalar(D_I1), NULL);
    }
    become(in, op, all ? OP_ANDI : OP_ORI, parts[0], parts[1]);
}

/* not (x < y) is x >= y; for floats only == and != have an opposite.  */
static void invert_compare(Simplifier *in, Op *op)
{
    const Op *compare = op->args[0]->def;
    if (op->code != OP_NOTI || !is_bool(op->args[0]) || !compare || !is_compare(compare->code))
        return;
    if (is_float(compare->args[0]) && compare->code != OP_EQI && compare->code != OP_NEI)
        return;
    become(in, op, inverted(compare->code), compare->args[0], compare->args[1]);
}

/* C's truth values: (int) b != 0 is b, (int) b == 0 is not b; so for b itself.  */
static Value *bool_compare(Simplifier *in, Op *op)
{
    if ((op->code != OP_EQI && op->code != OP_NEI) || !is_constant(op->args[1]))
        return NULL;
    Value *truth = opcode_of(op->args[0]) == OP_CONVI ? op->args[0]->def->args[0] : op->args[0];
    bool zero = is_int(op->args[1], 0);
    if (!is_bool(truth) || (!zero && !is_int(op->args[1], 1)))
        return NULL;
    if ((op->code == OP_NEI) == zero)
        return truth;
    become(in, op, OP_NOTI, truth, NULL);
    return NULL;
}

/* (x + a) + b is x + (a + b), for integers, which wrap; so for differences.  */
static void combine_sums(Simplifier *in, Op *op)
{
    const Op *inner = op->args[0]->def;
    int64_t a, b;
    if ((op->code != OP_ADDI && op->code != OP_SUBI) || is_float(op->args[0]) || op->args[0]->type.kind != K_SCALAR ||
        !inner)
        return;
    if ((inner->code != OP_ADDI && inner->code != OP_SUBI) || inner->args[0]->type.kind != K_SCALAR)
        return;
    if (!ir_constant(op->args[1], &b) || !ir_constant(inner->args[1], &a))
        return;
    a = inner->code == OP_SUBI ? -a : a;
    int64_t sum = op->code == OP_SUBI ? a - b : a + b;
    if (a > INT32_MAX || a < -INT32_MAX || b > INT32_MAX || b < -INT32_MAX)
        return;
    Value *constant = ir_const_before(in->kernel, op, op->args[0]->type.dtype, sum < 0 ? -sum : sum);
    become(in, op, sum < 0 ? OP_SUBI : OP_ADDI, inner->args[0], constant);
}

/* x + -a is x - a: which of the two the host compiler hands over depends on its level.  */
static void positive_literal(Simplifier *in, Op *op)
{
    int64_t a;
    if ((op->code != OP_ADDI && op->code != OP_SUBI) || is_float(op->args[0]) || op->args[0]->type.kind != K_SCALAR ||
        !ir_constant(op->args[1], &a) || a >= 0 || a < -INT32_MAX)
        return;
    Value *constant = ir_const_before(in->kernel, op, op->args[1]->type.dtype, -a);
    become(in, op, op->code == OP_SUBI ? OP_ADDI : OP_SUBI, op->args[0], constant);
}

/* c ? x : false is c and x; c ? true : y is c or y.  */
static void select_of_bools(Simplifier *in, Op *op)
{
    if (op->code != OP_SELI || !is_bool(op->args[1]))
        return;
    Value *condition = op->args[0], *x = op->args[1], *y = op->args[2];
    if (is_int(y, 0))
        become(in, op, OP_ANDI, condition, x);
    else if (is_int(x, 1))
        become(in, op, OP_ORI, condition, y);
    else if (is_int(x, 0) && is_int(y, 1))
        become(in, op, OP_NOTI, condition, NULL);
}

/* Sums of signed integers are what terms.c knows by heart.  */
static void simplify_integers(Simplifier *in, Op *op)
{
    if (op->nargs != 2 || is_float(op->args[0]))
        return;
    literal_right(in, op);
    Dtype dtype = op->args[0]->type.dtype;
    if (dtype != D_I32 && dtype != D_I64)
        return;
    combine_sums(in, op);
    positive_literal(in, op);
}

static Value *simplify_scalar(Simplifier *in, Op *op)
{
    if (op->code == OP_CONST || !op->nargs || fold(in, op))
        return NULL;
    if (in->program) {
        simplify_integers(in, op);
        return NULL;
    }
    literal_right(in, op);
    invert_compare(in, op);
    select_of_bools(in, op);
    split_compare(in, op);
    conditions_in_order(in, op);
    if (op->nargs == 2) {
        combine_sums(in, op);
        positive_literal(in, op);
    }
    return op->nargs == 2 ? bool_compare(in, op) : NULL;
}

/* ---- common subexpressions ---------------------------------------------------------------------------------------- */

/* Scalars and views of memory, and what only relabels a tile.  Other tile operations stay as they are written: two
   accumulators that begin alike are still two.  */
static bool is_common(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    return op->nresults == 1 && op->code != OP_ELEMENT &&
           (class_ == CLASS_SCALAR || class_ == CLASS_TENSOR || class_ == CLASS_READ || op->code == OP_TRANS);
}

static unsigned hash(const Op *op)
{
    uint64_t sum =
        (uint64_t)op->code * 31 + (uint64_t)op->results[0]->type.dtype + (uint64_t)op_meaning(op).integer * 977;
    for (int i = 0; i < op->nargs; i++)
        sum = sum * 131 + (uint64_t)op->args[i]->id;
    return (unsigned)((sum ^ sum >> 17) % BUCKETS);
}

static bool same(const Op *x, const Op *y)
{
    if (x->code != y->code || x->nargs != y->nargs || !op_means_the_same(x, y))
        return false;
    if (!type_equal(x->results[0]->type, y->results[0]->type) || schedule_of(x)->task != schedule_of(y)->task)
        return false;
    for (int i = 0; i < x->nargs; i++)
        if (x->args[i] != y->args[i])
            return false;
    return true;
}

static Value *common(Simplifier *in, Op *op)
{
    if (!is_common(op) || (in->program && op_info[op->code].class_ != CLASS_SCALAR))
        return NULL;
    unsigned bucket = hash(op);
    for (Entry *entry = in->buckets[bucket]; entry; entry = entry->next)
        if (same(entry->op, op))
            return entry->op->results[0];
    Entry *entry = arena_alloc(in->kernel->module, sizeof *entry);
    *entry = (Entry){op, bucket, in->buckets[bucket], in->newest};
    in->buckets[bucket] = in->newest = entry;
    return NULL;
}

static void leave_scope(Simplifier *in, Entry *newest)
{
    for (; in->newest != newest; in->newest = in->newest->newer)
        in->buckets[in->newest->bucket] = in->newest->next;
}

/* ---- branches and loops ------------------------------------------------------------------------------------------- */

/* The block's operations but its end move before `where`.  */
static void splice(Block *block, Op *where)
{
    for (Op *op = block->first, *next; op && op->next; op = next) {
        next = op->next;
        op_remove(op);
        op_before(where, op);
    }
}

static bool cheap(const Op *op)
{
    int64_t divisor;
    if (op_info[op->code].class_ != CLASS_SCALAR)
        return false;
    if ((op->code == OP_DIVI || op->code == OP_REMI) && !is_float(op->args[0]))
        return ir_constant(op->args[1], &divisor) && divisor != 0;
    return true;
}

static bool all_cheap(const Block *block)
{
    int count = 0;
    for (const Op *op = block->first; op && op->next; op = op->next)
        if (!cheap(op) || ++count > MAX_CONVERTED)
            return false;
    return true;
}

static bool can_select(const Op *op)
{
    if (!op->nresults || op->args[0]->type.dtype != D_I1 || !all_cheap(op->blocks[0]) || !all_cheap(op->blocks[1]))
        return false;
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->type.kind != K_SCALAR && op->results[i]->type.kind != K_PTR)
            return false;
    return true;
}

static void simplify_if(Simplifier *in, Op *op)
{
    Op *yes = op->blocks[0]->last, *no = op->blocks[1]->last;
    int64_t condition;
    if (ir_constant(op->args[0], &condition)) {
        for (int i = 0; i < op->nresults; i++)
            replace(in, op->results[i], condition ? yes->args[i] : no->args[i]);
        splice(op->blocks[condition ? 0 : 1], op);
        op_remove(op);
        in->changed = true;
        return;
    }
    for (int i = 0; i < op->nresults; i++)
        if (resolve(in, yes->args[i]) == resolve(in, no->args[i]))
            replace(in, op->results[i], yes->args[i]);
    if (!can_select(op))
        return;
    for (int i = 0; i < 2; i++)
        splice(op->blocks[i], op);
    for (int i = 0; i < op->nresults; i++) {
        Value *args[] = {op->args[0], resolve(in, yes->args[i]), resolve(in, no->args[i])};
        Op *select = op_new(in->kernel, OP_SELI, op->loc, 3, args);
        op_before(op, select);
        replace(in, op->results[i], op_result(in->kernel, select, op->results[i]->type, op->results[i]->name));
    }
    op_remove(op);
}

/* A carried value that no iteration changes is the value that it began with.  */
static void simplify_carried(Simplifier *in, const Op *loop)
{
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        Value *init = resolve(in, names.init), *next = resolve(in, names.next);
        if (names.exit && resolve(in, names.exit) != names.argument)
            continue;
        if (next != init && next != names.argument && next != names.body_argument)
            continue;
        replace(in, names.argument, init);
        replace(in, names.result, init);
        if (names.body_argument)
            replace(in, names.body_argument, init);
    }
}

/* A loop that begins behind its end never runs.  */
static void simplify_trips(Simplifier *in, Op *loop)
{
    int64_t low, high;
    if (loop->code != OP_FOR || loop->control->compare == OP_NEI || loop->control->compare == OP_EQI ||
        loop->args[0]->type.dtype == D_U64)
        return;
    if (!ir_constant(loop->args[0], &low) || !ir_constant(loop->args[1], &high))
        return;
    bool runs = loop->control->compare == OP_LTI   ? low < high
                : loop->control->compare == OP_LEI ? low <= high
                : loop->control->compare == OP_GTI ? low > high
                                                   : low >= high;
    if (runs || ir_enclosing(loop, OP_GRID) == NULL)
        return;
    for (int i = 0; i < loop->nresults; i++)
        replace(in, loop->results[i], loop->args[3 + i]);
    op_remove(loop);
    in->changed = true;
}

/* ---- a round ------------------------------------------------------------------------------------------------------ */

static void simplify_block(Simplifier *in, Block *block);

static void simplify_op(Simplifier *in, Op *op)
{
    Value *value = NULL;
    rewrite(op, in);
    for (int i = 0; i < op->nresults; i++)
        number(in, op->results[i]);
    if (op_info[op->code].class_ == CLASS_SCALAR)
        value = simplify_scalar(in, op);
    if (!value && op->nresults == 1 && !op->nblocks)
        value = identity(in, op);
    if (!value)
        value = common(in, op);
    if (value)
        replace(in, op->results[0], value);
    for (int i = 0; i < op->nblocks; i++)
        simplify_block(in, op->blocks[i]);
    if (in->program)
        return;
    if (op->code == OP_IF)
        simplify_if(in, op);
    simplify_carried(in, op);
    simplify_trips(in, op);
}

static void simplify_block(Simplifier *in, Block *block)
{
    Entry *newest = in->newest;
    for (int i = 0; i < block->nargs; i++)
        number(in, block->args[i]);
    FOR_OPS (op, block)
        simplify_op(in, op);
    leave_scope(in, newest);
}

/* ---- dead code ---------------------------------------------------------------------------------------------------- */

static void drop(Value **values, int *count, int index)
{
    for (int i = index; i + 1 < *count; i++) {
        values[i] = values[i + 1];
        if (values[i]->index == i + 1)
            values[i]->index = i;
    }
    (*count)--;
}

/* Operands are others' values: they keep their index.  */
static void drop_arg(Op *op, int index)
{
    for (int i = index; i + 1 < op->nargs; i++)
        op->args[i] = op->args[i + 1];
    op->nargs--;
}

static void drop_carried(Op *op, int i)
{
    drop_arg(op, op->code == OP_FOR ? 3 + i : i);
    drop_arg(op->blocks[op->nblocks - 1]->last, i);
    drop(op->results, &op->nresults, i);
    drop(op->blocks[0]->args, &op->blocks[0]->nargs, op->code == OP_FOR ? 1 + i : i);
    if (op->code == OP_WHILE) {
        drop_arg(op->blocks[0]->last, 1 + i);
        drop(op->blocks[1]->args, &op->blocks[1]->nargs, i);
    }
}

static void drop_result(Op *op, int i)
{
    for (int k = 0; k < 2; k++)
        drop_arg(op->blocks[k]->last, i);
    drop(op->results, &op->nresults, i);
}

static void grow_from_store(Op *op, void *context)
{
    if (op_info[op->code].class_ == CLASS_STORE)
        slice_op(context, op);
}

static void sweep_block(Simplifier *in, Slice *live, Block *block)
{
    FOR_OPS (op, block) {
        bool ends = op->code == OP_YIELD || op->code == OP_COND;
        if (!ends && !slice_has_op(live, op) && op->code != OP_GRID) {
            op_remove(op);
            in->changed = true;
            continue;
        }
        for (int i = op->nresults - 1; op->nblocks && i >= 0; i--)
            if (!slice_has(live, op->results[i])) {
                (op->code == OP_IF ? drop_result : drop_carried)(op, i);
                in->changed = true;
            }
        for (int i = 0; i < op->nblocks; i++)
            sweep_block(in, live, op->blocks[i]);
    }
}

static void keep_grid(Op *op, void *context)
{
    if (op->code == OP_GRID)
        slice_op(context, op);
}

static void remove_dead(Simplifier *in)
{
    Slice live = slice_new(in->kernel);
    ir_walk(in->kernel->body, grow_from_store, &live);
    ir_walk(in->kernel->body, keep_grid, &live);
    sweep_block(in, &live, in->kernel->body);
}

/* Scalars that nothing takes, the last first.  A program has more roots than stores: they stay as they are.  */
static void remove_unused(Simplifier *in, Block *block)
{
    for (Op *op = block->last, *before; op; op = before) {
        before = op->prev;
        for (int i = 0; i < op->nblocks; i++)
            remove_unused(in, op->blocks[i]);
        if (op_info[op->code].class_ != CLASS_SCALAR || op->results[0]->uses)
            continue;
        for (int i = 0; i < op->nargs; i++)
            op->args[i]->uses--;
        op_remove(op);
        in->changed = true;
    }
}

static void simplify(Kernel *kernel, Block *body, bool program)
{
    bool changed = true;
    for (int round = 0; changed && round < MAX_ROUNDS; round++) {
        Simplifier simplifier = {.kernel = kernel, .program = program};
        simplifier.map = value_map_new(kernel);
        simplifier.norder = kernel->module->next_id;
        simplifier.order = arena_alloc(kernel->module, ((size_t)simplifier.norder + 1) * sizeof *simplifier.order);
        simplify_block(&simplifier, body);
        ir_walk(body, rewrite, &simplifier);
        if (program) {
            ir_count_uses(kernel, body);
            remove_unused(&simplifier, body);
        } else {
            remove_dead(&simplifier);
        }
        changed = simplifier.changed;
    }
}

/* require: types.   ensure: the same program, and nothing left to simplify.  */
void pass_simplify(Kernel *kernel)
{
    simplify(kernel, kernel->body, false);
}

/* require: expand.   ensure: the same programs of roles, without arithmetic that their places made idle.  */
void pass_simplify_programs(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        simplify(kernel, role->body, true);
}
