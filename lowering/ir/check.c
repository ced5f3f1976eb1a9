/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.c - the invariants of the IR, checked after passes that change it. A violation is a bug of the pass.
 *
 * Structure: links between ops, blocks and values; the number of operands by ops.def; blocks and their terminators.
 * Order: a value is used below its definition and inside its block. Parameters are visible everywhere, in the body and
 * in each program. Types: carried values keep their types. Behind nest, every value has a type, and scalars fit their
 * operations.
 */
#include "ir/check.h"
#include "ir/queries.h"

typedef struct {
    Kernel *kernel;
    bool *visible; /* by value id */
    bool typed;    /* nest has run */
    bool broken;
} Checker;

/* Reports the first violation only, as others follow from it.  */
#define REQUIRE(condition, op, ...)                                       \
    do                                                                    \
        if (!(condition)) {                                               \
            complain(c, op, arena_print(c->kernel->module, __VA_ARGS__)); \
            return;                                                       \
        }                                                                 \
    while (0)

static void complain(Checker *c, const Op *op, const char *what)
{
    if (!c->broken)
        BUG(c->kernel, "line %d: '%s': %s", op ? op->loc.line : c->kernel->loc.line,
            op ? op_info[op->code].text : "kernel", what);
    c->broken = true;
}

static const char *shown(const Value *value)
{
    return value->name ? value->name : "a value without a name";
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* True if y may be the same value as x under another name. A tile may be in flight on one side. Before nest, types may
   be missing or wrong, and types.c reports them to the user.  */
static bool fits(const Checker *c, const Value *x, const Value *y)
{
    Type type = y->type;
    if (!c->typed)
        return true;
    if (value_is_tile(x) && value_is_tile(y))
        type.kind = x->type.kind;
    return type_equal(x->type, type);
}

static bool is_integer(const Checker *c, const Value *value)
{
    return !c->typed || value->type.kind == K_NONE ||
           (value->type.kind == K_SCALAR && !dtype_is_float(value->type.dtype));
}

static void check_scalar(Checker *c, const Op *op)
{
    const Value *result = op->nresults ? op->results[0] : NULL;
    REQUIRE(op->nresults == 1, op, "%d results", op->nresults);
    REQUIRE(result->type.kind == K_SCALAR, op, "the result is not a scalar");
    for (int i = 0; i < op->nargs; i++)
        REQUIRE(op->args[i]->type.kind == K_SCALAR || op->args[i]->type.kind == K_PTR, op, "'%s' is not a scalar",
                shown(op->args[i]));
    if (op->code >= OP_SCALAR_ADD && op->code <= OP_SCALAR_XOR)
        REQUIRE(fits(c, op->args[0], op->args[1]) && fits(c, op->args[0], result), op, "the types differ");
    if (op->code >= OP_SCALAR_EQ && op->code <= OP_SCALAR_GE)
        REQUIRE(fits(c, op->args[0], op->args[1]) && result->type.dtype == D_I1, op, "not a comparison of one type");
    if (op->code == OP_SCALAR_SELECT)
        REQUIRE(fits(c, op->args[1], op->args[2]) && fits(c, op->args[1], result), op, "the types differ");
}

/* True for types of the same elements, in memory, in registers or in flight.  */
static bool same_elements(Type x, Type y)
{
    return x.dtype == y.dtype && x.rows == y.rows && x.cols == y.cols;
}

/* Without coordinates a view is all of its slot.  Otherwise it is a window.  */
static void check_view(Checker *c, const Op *op)
{
    const Type view = op->results[0]->type, tile = op->storage->tile;
    const bool whole = op->nargs <= 1;
    REQUIRE(view.kind == K_VIEW && view.dtype == tile.dtype, op, "another type than its storage");
    REQUIRE(whole ? same_elements(view, tile) : view.rows <= tile.rows && view.cols <= tile.cols, op,
            "another shape than its storage");
}

static void check_mma(Checker *c, const Op *op)
{
    const Type a = op->args[0]->type, b = op->args[1]->type, sum = op->args[2]->type;
    REQUIRE(a.cols == b.rows && a.rows == sum.rows && b.cols == sum.cols, op, "operands that do not fit");
    REQUIRE(a.dtype == b.dtype || (dtype_bytes(a.dtype) == 1 && dtype_bytes(b.dtype) == 1), op,
            "operands of two types");
    REQUIRE(same_elements(op->results[0]->type, sum), op, "another type than its sum");
}

/* Operations that roles alone have.  */
static void check_role_types(Checker *c, const Op *op)
{
    const Type result = op->nresults ? op->results[0]->type : (Type){0};
    const Type first = op->nargs ? op->args[0]->type : (Type){0};
    switch (op->code) {
    case OP_VIEW:
        check_view(c, op);
        break;
    case OP_TRANS_VIEW:
        REQUIRE(first.kind == K_VIEW && same_elements(result, type_transposed(first)), op, "not the transpose");
        break;
    case OP_READ:
        REQUIRE(first.kind == K_VIEW && same_elements(result, first), op, "another type than its view");
        break;
    case OP_COLUMNS:
        REQUIRE(result.dtype == first.dtype && result.rows == first.rows && result.cols <= first.cols, op,
                "no columns of its operand");
        break;
    case OP_MMA:
        check_mma(c, op);
        break;
    case OP_WAIT:
        for (int i = 0; i < op->nresults; i++)
            REQUIRE(same_elements(op->results[i]->type, op->args[i]->type), op, "another type than its operand");
        break;
    default:
        break;
    }
}

static void check_types(Checker *c, const Op *op)
{
    check_role_types(c, op);
    if (c->broken)
        return;
    for (int i = 0; i < op->nresults; i++)
        REQUIRE(op->results[i]->type.kind != K_NONE, op, "'%s' has no type", shown(op->results[i]));
    if (op_info[op->code].class_ == CLASS_SCALAR)
        check_scalar(c, op);
    if (op_info[op->code].class_ == CLASS_TILE || op_info[op->code].class_ == CLASS_LOAD)
        REQUIRE(op->nresults == 1 && value_is_tile(op->results[0]) && op->results[0]->type.rows > 0 &&
                    op->results[0]->type.cols > 0,
                op, "the result is not a tile");
}

/* ---- structure --------------------------------------------------------------------------------------------------- */

static int block_count(Opcode code)
{
    return code == OP_FOR || code == OP_GRID || code == OP_NARROW ? 1 : code == OP_WHILE || code == OP_IF ? 2 : 0;
}

static bool may_have_edge(const Op *op)
{
    return op->code == OP_FOR && op->nblocks == 2;
}

static Opcode block_ending(const Op *op, int index)
{
    return op->code == OP_WHILE && !index ? OP_COND : OP_YIELD;
}

/* The minimum number of operands of an operation whose number varies.  */
static int least_args(const Op *op)
{
    switch (op->code) {
    case OP_TENSOR:
    case OP_BOX:
    case OP_ELEMENT:
    case OP_PRINT:
        return 1;
    case OP_VIEW:
        return op->storage && op->storage->use == USE_RING;
    case OP_LOAD:
    case OP_LOAD_ROW:
    case OP_LOAD_COL:
    case OP_COPY_IN:
        return 2;
    case OP_SET_ELEMENT:
    case OP_STORE:
    case OP_STORE_ROW:
    case OP_STORE_COL:
    case OP_ATOMIC_ADD:
        return 3;
    case OP_WAIT:
        return op->nresults;
    default:
        return 0;
    }
}

/* True for operations whose first result other code reads without a check.  */
static bool has_result(Opcode code)
{
    switch (code) {
    case OP_PUT:
    case OP_GET:
    case OP_VIEW:
    case OP_TRANS_VIEW:
    case OP_READ:
    case OP_STAGE:
    case OP_GATHER:
    case OP_MMA:
        return true;
    default:
        return op_info[code].class_ == CLASS_TENSOR || op_info[code].class_ == CLASS_READ ||
               op_info[code].class_ == CLASS_LOAD || op_info[code].class_ == CLASS_TILE ||
               op_info[code].class_ == CLASS_SCALAR;
    }
}

static void check_links(Checker *c, const Op *op, const Block *block)
{
    REQUIRE(op->code >= 0 && op->code < OP_COUNT, op, "not an operation");
    REQUIRE(op->parent == block, op, "it stands in another block");
    REQUIRE(op->prev ? op->prev->next == op : block->first == op, op, "the list is broken before it");
    REQUIRE(op->next ? op->next->prev == op : block->last == op, op, "the list is broken after it");
    for (int i = 0; i < op->nresults; i++)
        REQUIRE(op->results[i] && op->results[i]->def == op && op->results[i]->index == i, op,
                "result %d is not its own", i);
    int nargs = op_info[op->code].nargs;
    bool offset = op->code == OP_ROW_INDEX && op->nargs == 1; /* the group's first row, where groups divide rows */
    bool width = (op->code == OP_DOT || op->code == OP_MMA) && op->nargs == 4; /* number of live columns */
    bool rest = op->code == OP_DOT_F32 && (op->nargs == 4 || op->nargs == 5);
    bool part = op->code == OP_PUT_TILE && op->nargs == 3; /* the first row of a group's part */
    REQUIRE(nargs < 0 || op->nargs == nargs || offset || width || rest || part, op, "%d operands", op->nargs);
    REQUIRE(op->nargs >= least_args(op), op, "%d operands", op->nargs);
    REQUIRE(op->nresults >= has_result(op->code), op, "no result");
    REQUIRE(op->nblocks == block_count(op->code) || may_have_edge(op), op, "%d blocks", op->nblocks);
    for (int i = 0; i < op->nblocks; i++) {
        REQUIRE(op->blocks[i] && op->blocks[i]->parent == op, op, "block %d is not its own", i);
        REQUIRE(op->blocks[i]->last && op->blocks[i]->last->code == block_ending(op, i), op, "block %d has no end", i);
    }
}

/* Checks that `count` values of `from` fit the `to_count` values of `to`, one by one.  */
static void check_handed(Checker *c, const Op *op, Value **from, int count, Value **to, int to_count, const char *where)
{
    REQUIRE(count == to_count, op, "%s: %d values for %d", where, count, to_count);
    for (int i = 0; i < count; i++)
        REQUIRE(from[i] && to[i] && fits(c, from[i], to[i]), op, "%s: the type of '%s' changes", where, shown(to[i]));
}

/* Checks that bounds, step and variable of a loop have one type.  */
static void check_range(Checker *c, const Op *op, int dim)
{
    const Value *variable = op->blocks[0]->args[dim], *low = op->args[3 * dim];
    for (int i = 0; i < 3; i++)
        REQUIRE(is_integer(c, op->args[3 * dim + i]) && fits(c, op->args[3 * dim + i], low), op,
                "a bound of another type");
    REQUIRE(fits(c, variable, low) || may_wrap(op, dim), op, "a variable of another type than its bounds");
}

/* Checks a loop with two bodies. The loop has to count up, so that after the first iteration of the second body only
   that body runs.  */
static void check_edge(Checker *c, const Op *op)
{
    const Block *block = op->blocks[0], *beyond = op->blocks[1];
    int64_t step;
    REQUIRE(op->control->compare == OP_SCALAR_LT && dtype_is_signed(op->args[0]->type.dtype), op,
            "an edge, and no counting up");
    REQUIRE(ir_constant(op->args[2], &step) && step > 0, op, "an edge, and a step that may lead back");
    REQUIRE(is_integer(c, loop_edge(op)) && fits(c, loop_edge(op), op->args[0]), op, "an edge of another type");
    REQUIRE(!beyond->nargs, op, "a second body with arguments of its own");
    check_handed(c, op, beyond->last->args, beyond->last->nargs, block->args + 1, block->nargs - 1, "yield");
}

static void check_for(Checker *c, const Op *op)
{
    const Block *block = op->blocks[0];
    REQUIRE(op->nargs >= 3 + (op->nblocks > 1) && block->nargs >= 1, op, "%d operands", op->nargs);
    REQUIRE(op->control->compare >= OP_SCALAR_EQ && op->control->compare <= OP_SCALAR_GE, op, "no comparison");
    check_range(c, op, 0);
    if (loop_edge(op))
        check_edge(c, op);
    check_handed(c, op, op->args + 3, op->nargs - 3 - (op->nblocks > 1), block->args + 1, block->nargs - 1, "entry");
    check_handed(c, op, block->last->args, block->last->nargs, block->args + 1, block->nargs - 1, "yield");
    check_handed(c, op, block->last->args, block->last->nargs, op->results, op->nresults, "results");
}

static void check_narrow(Checker *c, const Op *op)
{
    const Block *block = op->blocks[0];
    REQUIRE(op->nargs >= 1 && block->nargs >= 1, op, "%d operands", op->nargs);
    REQUIRE(is_integer(c, op->args[0]) && is_integer(c, block->args[0]), op, "columns that are no number");
    check_handed(c, op, op->args + 1, op->nargs - 1, block->args + 1, block->nargs - 1, "entry");
    check_handed(c, op, block->last->args, block->last->nargs, block->args + 1, block->nargs - 1, "yield");
    check_handed(c, op, block->last->args, block->last->nargs, op->results, op->nresults, "results");
}

static void check_grid(Checker *c, const Op *op)
{
    int extra = op->blocks[0]->nargs - op->nargs / 3; /* ordinal of the tile, where groups take tiles in turn */
    REQUIRE(op->nargs % 3 == 0 && (extra == 0 || extra == 1), op, "%d operands for %d variables", op->nargs,
            op->blocks[0]->nargs);
    REQUIRE(!op->nresults && !op->blocks[0]->last->nargs, op, "values leave it");
    for (int dim = 0; dim < op->nargs / 3; dim++)
        check_range(c, op, dim);
}

static void check_while(Checker *c, const Op *op)
{
    const Block *test = op->blocks[0], *body = op->blocks[1];
    const Op *cond = test->last;
    REQUIRE(cond->nargs == op->nargs + 1 && is_integer(c, cond->args[0]), op,
            "no condition, or not all carried values");
    check_handed(c, op, op->args, op->nargs, test->args, test->nargs, "entry");
    check_handed(c, op, body->last->args, body->last->nargs, test->args, test->nargs, "yield");
    check_handed(c, op, cond->args + 1, cond->nargs - 1, body->args, body->nargs, "condition");
    check_handed(c, op, cond->args + 1, cond->nargs - 1, op->results, op->nresults, "results");
}

static void check_if(Checker *c, const Op *op)
{
    REQUIRE(is_integer(c, op->args[0]), op, "the condition is not a scalar");
    for (int i = 0; i < 2; i++)
        check_handed(c, op, op->blocks[i]->last->args, op->blocks[i]->last->nargs, op->results, op->nresults,
                     "results");
}

/* Checks by the row of ops.def that the op has an aref and a storage where it needs one, and only where it may.  */
static void check_attributes(Checker *c, const Op *op)
{
    const uint64_t about = op_info[op->code].about;
    REQUIRE(!op->aref || about & HAS_AREF, op, "an aref that it does not have");
    REQUIRE(op->aref || (about & NEEDS_AREF) != NEEDS_AREF, op, "no aref");
    REQUIRE(!op->storage || about & HAS_STORAGE, op, "a storage that it does not have");
    REQUIRE(op->storage || (about & NEEDS_STORAGE) != NEEDS_STORAGE, op, "no storage");
    for (int i = 0; i < NATTRIBUTES; i++)
        if (about >> i & 1)
            REQUIRE(attribute_of(op, i), op, "no room for its attributes");
    REQUIRE(!(about & HAS_ALONG) || (op->transfer->along >= ALONG_NONE && op->transfer->along <= ALONG_ALL), op,
            "not blocks of a cluster");
}

static void check_control(Checker *c, const Op *op, const Block *block)
{
    switch (op->code) {
    case OP_FOR:
        check_for(c, op);
        break;
    case OP_GRID:
        check_grid(c, op);
        break;
    case OP_NARROW:
        check_narrow(c, op);
        break;
    case OP_WHILE:
        check_while(c, op);
        break;
    case OP_IF:
        check_if(c, op);
        break;
    case OP_YIELD:
    case OP_COND:
        REQUIRE(block->parent && !op->next, op, "it does not end a block of an operation");
        break;
    default:
        break;
    }
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void check_block(Checker *c, const Block *block);

static void show(Checker *c, const Value *value, bool visible)
{
    if (value->id >= 0 && value->id < c->kernel->module->next_id)
        c->visible[value->id] = visible;
}

/* Makes the arguments of a block visible.  The second body of a FOR uses the arguments of the first.  */
static void show_arguments(Checker *c, const Block *block, bool visible)
{
    for (int i = 0; i < block->nargs; i++)
        show(c, block->args[i], visible);
}

static void check_op(Checker *c, Op *op, const Block *block)
{
    check_links(c, op, block);
    if (!c->broken)
        check_attributes(c, op);
    for (int i = 0; i < op->nargs && !c->broken; i++)
        REQUIRE(op->args[i] && c->visible[op->args[i]->id], op, "operand %d%s%s is not defined above", i + 1,
                op->args[i] ? ", " : "", op->args[i] ? shown(op->args[i]) : "");
    for (int i = 0; i < op->nblocks && !c->broken; i++) {
        show_arguments(c, may_have_edge(op) ? op->blocks[0] : op->blocks[i], true);
        check_block(c, op->blocks[i]);
        show_arguments(c, may_have_edge(op) ? op->blocks[0] : op->blocks[i], false);
    }
    if (!c->broken)
        check_control(c, op, block);
    if (!c->broken && c->typed)
        check_types(c, op);
    for (int i = 0; i < op->nresults && !c->broken; i++)
        show(c, op->results[i], true);
}

static void check_block(Checker *c, const Block *block)
{
    for (int i = 0; i < block->nargs; i++)
        REQUIRE(block->args[i]->block == block && block->args[i]->index == i, block->parent,
                "block argument %d is not its own", i);
    for (Op *op = block->first; op && !c->broken; op = op->next)
        check_op(c, op, block);
    if (c->broken)
        return;
    for (Op *op = block->first; op; op = op->next)
        for (int i = 0; i < op->nresults; i++)
            show(c, op->results[i], false);
}

static bool has_grid(const Block *block)
{
    for (const Op *op = block->first; op; op = op->next)
        if (op->code == OP_GRID)
            return true;
    return false;
}

static Checker checker_new(Kernel *kernel)
{
    Checker checker = {.kernel = kernel, .typed = has_grid(kernel->body)};
    checker.visible = arena_alloc(kernel->module, (size_t)kernel->module->next_id + 1);
    for (int i = 0; i < kernel->nparams; i++)
        show(&checker, kernel->params[i], true);
    return checker;
}

bool ir_check_body(Kernel *kernel)
{
    Checker checker = checker_new(kernel);
    check_block(&checker, kernel->body);
    return !checker.broken;
}

bool ir_check_programs(Kernel *kernel)
{
    Checker checker = checker_new(kernel);
    FOR_ROLES (role, kernel)
        if (role->body && !checker.broken) {
            show_arguments(&checker, role->body, true);
            check_block(&checker, role->body);
            show_arguments(&checker, role->body, false);
        }
    return !checker.broken;
}

bool ir_check(Kernel *kernel)
{
    return ir_check_body(kernel) && ir_check_programs(kernel);
}
