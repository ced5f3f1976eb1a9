/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain.c - loops over elements become loops over tiles.
 *
 *   before                                              after
 *   for %i = 0, < %M, 1                                 %t = tensor %x, %M, %K, %K, 1; ...
 *     for %j = 0, < %N, 1                               for %i = 0, < %M, 128
 *       %s = for %k = 0, < %K, 1; %s.1 = 0                for %j = 0, < %N, 128
 *         %1 = element %x, (%i * %K + %k) * 4               %s = for %k = 0, < %K, 32; %s.1 = full 0
 *         %2 = element %w, (%j * %K + %k) * 4                 %1 = load %t, %i, %k
 *         yield (%s.1 + %1 * %2)                              yield (dot_f32 %1, (trans (load %u, %j, %k)), %s.1)
 *       set_element %y, (%i * %N + %j) * 4, %s              store %v, %i, %j, %s
 *
 * A grid's loops are independent, by the user's word and as far as subscripts tell.  A loop inside is tiled where it
 * has a pragma, its iterations touch no element in common, and what it carries is a sum in an order that the user has
 * left open.  All else stays as it is, with tiles in place of the scalars.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/plain_*.c run on the sequential target, which runs the C loops,
 * and on emulate.
 */
#include <string.h>

#include "cost/gpu.h"
#include "ir/queries.h"
#include "language/plain-plan.h"
#include "passes.h"

/* ---- which loops ------------------------------------------------------------------------------------------------- */

static bool has_inner_axis(const Nest *in)
{
    FOR_LOOPS (i, in)
        if (in->loops[i].grid < 0 && is_axis(in, i))
            return true;
    return false;
}

/* Which loops of the grid are tiled, where the user leaves that open: in this order the first that works.  */
typedef enum { TILE_LAST_TWO, TILE_LAST, TILE_BEFORE_LAST, TILE_NONE, TILE_CHOICES, TILE_PLANNED } TileChoice;

/* Columns and iterations of a loop inside that products have, whose operands are looked up: the first that registers
   hold.  */
typedef struct {
    int columns, inner;
    const Tiling *planned; /* of TILE_PLANNED */
    bool *too_large;       /* set where the planned tiles do not fit in registers */
} Sides;
static const Sides usual_sides = {.columns = 64, .inner = 32},
                   gathered_sides[] = {{.columns = 64, .inner = 32}, {.columns = 32, .inner = 32},
                                       {.columns = 64, .inner = 16}, {.columns = 32, .inner = 16},
                                       {.columns = 32, .inner = 8},  {.columns = 16, .inner = 32},
                                       {.columns = 16, .inner = 16}, {.columns = 8, .inner = 16}};

static bool is_open(const Grid *grid)
{
    for (int i = 0; i < grid->dims; i++)
        if (grid->tile[i])
            return false;
    return true;
}

/* The grid may count in shared memory, for each tile.  */
static bool counts(const Nest *in)
{
    int64_t part;
    for (int i = 0; i < in->nscattered; i++)
        if (in->scattered[i].adds && ir_constant(in->scattered[i].store->args[2], &part))
            return true;
    return false;
}

static int first_size(const Nest *in, int behind, bool inner, TileChoice choice, Sides sides)
{
    const Grid *grid = &in->kernel->grid;
    bool one = grid->dims == 1 || choice != TILE_LAST_TWO;
    if (choice == TILE_NONE || (choice == TILE_LAST && behind) || (choice == TILE_BEFORE_LAST && behind != 1))
        return 1;
    if (one)
        return inner ? 64 : grid->totals && grid->dims == 1 ? 8192 : counts(in) ? 4096 : 1024;
    int rows = in->nscattered ? 16 : 32; /* each element has an address */
    return behind > 1 ? 1 : inner ? behind ? 64 : sides.columns : behind ? rows : 128;
}

static void first_sizes(Nest *in, TileChoice choice, Sides sides)
{
    const Grid *grid = &in->kernel->grid;
    FOR_LOOPS (i, in) {
        Loop *loop = &in->loops[i];
        const Pipeline *pipeline = loop->op->control->pipeline;
        if (loop->grid < 0 && pipeline && !pipeline->parts)
            loop->tile = pipeline->tile ? pipeline->tile : choice == TILE_PLANNED ? sides.planned->inner : sides.inner;
    }
    bool inner = has_inner_axis(in);
    FOR_LOOPS (i, in) {
        Loop *loop = &in->loops[i];
        if (loop->grid < 0)
            continue;
        int behind = grid->dims - 1 - loop->grid;
        if (grid->tile[loop->grid])
            loop->tile = grid->tile[loop->grid];
        else if (choice == TILE_PLANNED)
            loop->tile = sides.planned->tile[loop->grid];
        else
            loop->tile = first_size(in, behind, inner, choice, sides);
    }
}

static bool check_grid(Nest *in)
{
    int axes = 0;
    FOR_LOOPS (i, in)
        axes += in->loops[i].grid >= 0 && is_axis(in, i);
    if (axes > 2)
        reject(in->kernel, in->kernel->grid.loc, REASON_PLAIN_SIDES);
    return axes <= 2;
}

static const Reduction *reduction_of(const Op *loop, int index, Opcode op)
{
    const Pipeline *pipeline = loop->control->pipeline;
    const char *name = loop->blocks[0]->args[1 + index]->name;
    for (const Reduction *reduction = pipeline ? pipeline->reductions : NULL; reduction; reduction = reduction->next)
        if (name && reduction->op == op && !strcmp(reduction->name, name))
            return reduction;
    return NULL;
}

static bool order_is_open(const Op *loop, int index, const Sum *sum)
{
    Dtype dtype = loop->results[index]->type.dtype;
    bool exact = sum->op != OP_SCALAR_MUL && !dtype_is_float(dtype);
    if (!exact && (sum->op == OP_SCALAR_MAX ||
                   sum->op == OP_SCALAR_MIN)) { /* what stays of NaN and of zeros depends on the order */
        exact = true;
        for (int i = 0; i < sum->count; i++)
            exact &= !sum->parts[i].compares || sum->count == 1;
    }
    return exact || reduction_of(loop, index, sum->op);
}

/* Tiles of the type and the sizes have a product.  */
static bool has_product(const Nest *in, const Part *part, int axis, const Product *product)
{
    Dtype dtype = part->value->type.dtype;
    if (dtype == D_F64)
        return !(in->loops[product->row].tile % 64) && !(in->loops[product->col].tile % 8) &&
               !(in->loops[axis].tile % 4);
    return dtype == D_F32;
}

static bool is_print(const Op *op, const void *context)
{
    (void)context;
    return op_prints(op);
}

/* Why iterations of an inner axis have to stay in order, or NULL.  */
static const char *ordered_by(Nest *in, int axis)
{
    const Op *loop = in->loops[axis].op;
    Module *module = in->kernel->module;
    if (ir_any_of(loop->blocks[0], is_print, NULL))
        return "it prints";
    for (int i = 0; i < loop->nresults; i++) {
        Sum sum;
        const Value *argument = loop->blocks[0]->args[1 + i];
        const char *name = argument->name ? argument->name : "a value";
        if (loop->blocks[0]->last->args[i] == argument)
            continue;
        if (!scan_sum(in, loop, i, &sum))
            return arena_print(module, "'%s' is carried from one iteration to the next, and is no sum", name);
        if (!order_is_open(loop, i, &sum))
            return arena_print(module, "'%s' is summed in this order: 'reduction(%s: %s)' leaves the order open", name,
                               sum.op == OP_SCALAR_MUL   ? "*"
                               : sum.op == OP_SCALAR_MAX ? "max"
                               : sum.op == OP_SCALAR_MIN ? "min"
                                                         : "+",
                               name);
        if (sum.op == OP_SCALAR_MUL)
            return arena_print(module, "'%s' is a product, which tiles do not make", name);
        for (int k = 0; k < sum.count; k++) {
            const Part *part = &sum.parts[k];
            uint32_t axes =
                axes_of(in, part->value) | (part->condition ? axes_of(in, part->condition) : 0) | 1u << axis;
            Product product;
            if (__builtin_popcount(axes) <= 2)
                continue;
            for (int l = 0; l < in->nloops; l++)
                in->loops[l].fixed |= (axes >> l & 1) != 0;
            if (__builtin_popcount(axes) == 3 && sum.op == OP_SCALAR_ADD && scan_divides(in, part, axis))
                return arena_print(
                    module, "the condition for '%s' leaves out single products: 0 times what may be infinite is NaN",
                    name);
            if (__builtin_popcount(axes) > 3 || sum.op != OP_SCALAR_ADD || !scan_product(in, part, axis, &product))
                return arena_print(module, "'%s' sums what is no product of two tiles", name);
            if (!has_product(in, part, axis, &product))
                return arena_print(
                    module, "products for '%s' are of float or double, and of double with rows by 64 and columns by 8",
                    name);
        }
    }
    return NULL;
}

static bool order_loops(Nest *in)
{
    bool changed = false;
    FOR_LOOPS (i, in) {
        Loop *loop = &in->loops[i];
        if (loop->grid >= 0 || !is_axis(in, i))
            continue;
        const char *why = loop->ordered ? loop->why : ordered_by(in, i);
        if (!why)
            continue;
        if (loop->turned)
            reject(in->kernel, loop->op->loc, REASON_PLAIN_TURNED, why);
        loop->why = why;
        loop->tile = 1;
        loop->ordered = changed = true;
    }
    return changed;
}

/* The plan tiles a loop whose iterations stay in order.  */
static bool loses_plan(const Nest *in, Sides sides)
{
    bool ordered = false;
    FOR_LOOPS (i, in)
        ordered |= in->loops[i].ordered;
    return in->planned && ordered && sides.planned->inner > 1;
}

/* A clause reduction(op: name) is about something that the loop sums.  */
static bool check_reductions(Nest *in)
{
    FOR_LOOPS (i, in) {
        const Op *loop = in->loops[i].op;
        const Pipeline *pipeline = loop->control->pipeline;
        for (const Reduction *reduction = pipeline ? pipeline->reductions : NULL; reduction;
             reduction = reduction->next) {
            bool found = false;
            for (int k = 0; k < loop->nresults && !found; k++) {
                Sum sum;
                found = scan_sum(in, loop, k, &sum) && reduction_of(loop, k, sum.op) == reduction;
            }
            if (found)
                continue;
            reject(in->kernel, pipeline->loc, REASON_PLAIN_REDUCTION,
                   reduction->op == OP_SCALAR_MAX   ? "max"
                   : reduction->op == OP_SCALAR_MIN ? "min"
                                                    : op_info[reduction->op].call,
                   reduction->name);
            return false;
        }
    }
    return true;
}

static void tell(Nest *in)
{
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        const Op *op = loop->op;
        const char *name = loop->iv->name ? loop->iv->name : "the counter";
        if (loop->ordered)
            remark(in->kernel, DIAG_MISSED, op->control->pipeline->loc, "the iterations of '%s' run in order: %s", name,
                   loop->why);
        else if (is_axis(in, i))
            remark(in->kernel, DIAG_OPTIMIZED, op->control->pipeline ? op->control->pipeline->loc : op->loc,
                   "tiled: %d iterations of '%s' at a time", loop->tile, name);
    }
}

/* What is slow.  */
static void tell_gathered(Nest *in)
{
    for (const Access *access = in->accesses; access; access = access->next)
        if (access->stores && scatter_of(in, access->op))
            remark(in->kernel, DIAG_OPTIMIZED, access->op->loc, "elements of '%s' are %s one by one",
                   access->group->base->name ? access->group->base->name : "the array",
                   scatter_of(in, access->op)->adds ? "added to, by atomics," : "stored");
        else if (access->gathered)
            remark(in->kernel, DIAG_MISSED, access->op->loc, "elements of '%s' are gathered one by one: %s",
                   access->group->base->name ? access->group->base->name : "the array", access->gathered);
}

/* require: a simple body.   ensure: tiles, or a refusal.  */
static void make_tiles(Kernel *kernel, TileChoice choice, bool may_gather, Sides sides)
{
    Nest nest = {.kernel = kernel, .may_gather = may_gather, .planned = choice == TILE_PLANNED}, *in = &nest;
    if (!scan_loops(in))
        return;
    const bool prints = kernel_prints(kernel); /* in the order of the source */
    scatter_take(in);
    if (!prints)
        scan_exchange(in);
    first_sizes(in, choice, sides);
    if (choice == TILE_NONE && !has_inner_axis(in)) /* no tile at all is no way out */
        kernel->failed = true;
    if (kernel->failed || !check_grid(in))
        return;
    scan_reuse(in);
    scan_straighten(in);
    scan_bounds(in);
    scan_promote(in);
    scan_bounds(in);
    if (kernel->failed)
        return;
    scan_axes(in);
    ir_count_uses(in->kernel, in->kernel->body);
    scan_triangles(in);
    scan_flatten(in);
    scan_promote(in); /* what was summed under a condition */
    total_take_elements(in);
    scan_widen(in);
    scan_axes(in);
    if (!prints) {
        scan_join(in);
        scan_split(in);
        scan_axes(in);
        scan_open(in);
        scan_axes(in);
    }
    ir_count_uses(kernel, kernel->body);
    if (!total_scan(in))
        return;
    do {
        scan_axes(in);
        ir_count_uses(kernel, kernel->body);
        if (!check_reductions(in))
            return;
        order_loops(in);
        if (kernel->failed)
            return;
        scan_axes(in);
        if (!memory_scan(in) || !memory_depends(in))
            return;
    } while (order_loops(in));
    if (loses_plan(in, sides)) {
        kernel->failed = true;
        return;
    }
    bool strided = scatter_take_strided(in), masked = scatter_take_masked(in);
    if ((strided || masked) && (!memory_scan(in) || !memory_depends(in)))
        return;
    wide_scan(in);
    emit_nest(in);
    if (sides.too_large)
        *sides.too_large = in->too_large;
    if (kernel->failed)
        return;
    tell(in);
    tell_gathered(in);
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

typedef struct Message {
    DiagKind kind;
    Loc loc;
    const char *text;
    struct Message *next;
} Message;
typedef struct {
    Module *module;
    Message *first, **end;
} Messages;

static void keep_message(void *context, DiagKind kind, Loc loc, const char *text)
{
    Messages *messages = context;
    Message *message = arena_alloc(messages->module, sizeof *message);
    *message = (Message){kind, loc, arena_print(messages->module, "%s", text), NULL};
    *messages->end = message;
    messages->end = &message->next;
}

static const char *refusal(const Messages *messages)
{
    for (const Message *message = messages->first; message; message = message->next)
        if (message->kind == DIAG_ERROR)
            return message->text;
    return "they are refused";
}

static void clear_origin(Op *op, void *context)
{
    (void)context;
    op->origin = NULL;
}

static Block *copy_of(Kernel *kernel, const Block *body)
{
    ValueMap map = value_map_new(kernel);
    Block *copy = block_new(kernel, NULL);
    ir_copy_block(kernel, body, copy, &map);
    ir_walk(copy, clear_origin, NULL);
    return copy;
}

/* What the attempt says is kept; it is on a copy of the body.  */
static bool attempt(Kernel *kernel, const Block *body, TileChoice choice, bool may_gather, Sides sides,
                    Messages *messages)
{
    Module *module = kernel->module;
    DiagFn diag = module->diag;
    void *context = module->diag_context;
    *messages = (Messages){.module = module, .end = &messages->first};
    kernel->body = copy_of(kernel, body);
    module->diag = keep_message;
    module->diag_context = messages;
    make_tiles(kernel, choice, may_gather, sides);
    module->diag = diag;
    module->diag_context = context;
    return !kernel->failed;
}

/* Registers of a thread that the tile takes; rows lie in four warps of 16.  */
static int registers_of(const Value *value)
{
    const Type type = value->type;
    if (type.kind != K_TILE || type.rows == 1 || type.cols == 1)
        return 0;
    int bytes = type.dtype == D_MASK ? 1 : dtype_bytes(type.dtype);
    return (type.rows + 63) / 64 * 64 * type.cols / 128 * bytes / 4;
}

typedef struct {
    Kernel *kernel;
    bool products;
    int registers; /* of the loop that needs most */
} Products;

/* An operand of a product: what is looked up, and what is made of that; each once.  Where a mask is laid over it, that
   is done when it is looked up.  */
static int registers_of_operand(const Op *loop, const Value *value, bool *seen, int *largest)
{
    const Op *op = value->def;
    if (op && op->code == OP_SELECT)
        return registers_of_operand(loop, op->args[1], seen, largest);
    if (!op || op->parent != loop->blocks[0] || seen[value->id])
        return 0;
    seen[value->id] = true;
    int own = registers_of(value);
    *largest = own > *largest ? own : *largest;
    bool made = op_info[op->code].class_ == CLASS_TILE && op->nargs == 1;
    return own + (made ? registers_of_operand(loop, op->args[0], seen, largest) : 0);
}

static void visit_products(Op *loop, void *context)
{
    Products *found = context;
    bool multiplies = false;
    int registers = 0, largest = 0;
    if (loop->code != OP_FOR)
        return;
    bool *seen = arena_alloc(found->kernel->module, (size_t)found->kernel->module->next_id + 1);
    for (int i = 0; i < loop->nresults; i++)
        registers += registers_of(loop->results[i]);
    FOR_OPS (op, loop->blocks[0]) {
        bool product = op->code == OP_DOT || op->code == OP_DOT_F32;
        multiplies |= product;
        for (int i = 0; i < 2 && product; i++)
            registers += registers_of_operand(loop, op->args[i], seen, &largest);
    }
    registers += largest; /* of one that is being made */
    found->products |= multiplies;
    if (multiplies && registers > found->registers)
        found->registers = registers;
}

/* Products of tiles whose elements are looked up, where no tile is a window, as of complex numbers.  */
static bool attempt_products(Kernel *kernel, const Block *body, Messages *messages)
{
    for (size_t i = 0; i < sizeof gathered_sides / sizeof gathered_sides[0]; i++) {
        Products found = {kernel, false, 0};
        kernel->failed = false;
        if (!attempt(kernel, body, TILE_LAST_TWO, true, gathered_sides[i], messages))
            return false;
        ir_walk(kernel->body, visit_products, &found);
        if (!found.products)
            return false;
        if (found.registers <= kernel->machine->costs->tiled_product_registers)
            return true;
    }
    return false;
}

enum { MAX_TILINGS = 6, TOLD_TILINGS = 3 };
typedef struct {
    Tiling tilings[MAX_TILINGS];
    int count;
} Plan;

static void tell_plan(Kernel *kernel, const Plan *plan, int taken)
{
    const char *others = "";
    for (int i = 0, told = 0; i < plan->count && told < TOLD_TILINGS; i++)
        if (i != taken) {
            told++;
            others = arena_print(kernel->module, "%s; %s: %.2f%s", others, plan_text(kernel, &plan->tilings[i]),
                                 plan->tilings[i].clocks, i < taken ? ", too many registers" : "");
        }
    remark(kernel, DIAG_OPTIMIZED, kernel->grid.loc,
           "tiles of %s, by estimate: %.2f clocks of a multiprocessor for an element%s",
           plan_text(kernel, &plan->tilings[taken]), plan->tilings[taken].clocks, others);
}

/* Clauses about groups, rings and parts of a tile go with tiles of fixed sizes.  */
static bool may_be_planned(const Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    return !grid->totals && !grid->consumers && grid->split == SPLIT_AUTO && !grid->consumer_registers &&
           !kernel->tasks;
}

static bool wants_own_tiles(const Pipeline *pipeline)
{
    return pipeline && (!pipeline->automatic || pipeline->pingpong || pipeline->subtiles > 1 ||
                        pipeline->schedule != SCHEDULE_AUTO);
}

/* Sizes by their cost, of a grid that maps elements in two or more loops, or sums in one loop inside.  */
static Plan plan_of(Kernel *kernel, const Block *body)
{
    Plan plan = {.count = 0};
    Nest nest = {.kernel = kernel};
    Module *module = kernel->module;
    DiagFn diag = module->diag;
    bool failed = module->failed;
    if (!is_open(&kernel->grid) || !may_be_planned(kernel))
        return plan;
    kernel->body = copy_of(kernel, body);
    module->diag = NULL;
    if (scan_loops(&nest)) {
        scatter_take(&nest);
        bool fixed = nest.nscattered > 0;
        for (int i = 0; i < nest.nloops; i++)
            fixed |= wants_own_tiles(nest.loops[i].op->control->pipeline);
        plan.count = fixed ? 0 : plan_tilings(&nest, plan.tilings, MAX_TILINGS);
    }
    module->diag = diag;
    module->failed = failed;
    kernel->failed = false;
    return plan;
}

static bool attempt_planned(Kernel *kernel, const Block *body, const Plan *plan, bool may_gather, Messages *messages)
{
    const bool failed = kernel->module->failed;
    bool good = false, too_large = true;
    kernel->failed = false;
    for (int i = 0; i < plan->count && too_large; i++) {
        const Sides sides = {.planned = &plan->tilings[i], .too_large = &too_large};
        too_large = false;
        good = attempt(kernel, body, TILE_PLANNED, may_gather, sides, messages);
        kernel->failed = false;
        kernel->module->failed = failed;
        if (good)
            tell_plan(kernel, plan, i);
    }
    return good;
}

/* The others without a sign have become loops with one.  */
static void visit_loop(Op *op, void *context)
{
    Kernel *kernel = context;
    kernel->grid.by_one |= op->code == OP_FOR && op->args[0]->type.dtype == D_U32;
}

void pass_plain(Kernel *kernel)
{
    Module *module = kernel->module;
    Block *body = kernel->body;
    Messages said, other;
    if (!kernel->grid.plain)
        return;
    pass_simplify(kernel);
    if (kernel->failed)
        return;
    plain_promote(kernel);
    plain_narrow(kernel);
    plain_scale(kernel);
    bool failed = module->failed, open = is_open(&kernel->grid);
    const Plan plan = plan_of(kernel, body);
    bool good = attempt_planned(kernel, body, &plan, false, &said) ||
                attempt(kernel, body, TILE_LAST_TWO, false, usual_sides, &said);
    for (int gathers = 0; gathers < 2 && !good; gathers++)
        for (TileChoice choice = gathers ? TILE_LAST_TWO : TILE_LAST; !good && choice < TILE_CHOICES; choice++) {
            if (choice != TILE_LAST_TWO && (!open || (kernel->grid.dims == 1 && choice != TILE_NONE)))
                continue;
            module->failed = failed;
            if (gathers && choice == TILE_LAST_TWO && attempt_planned(kernel, body, &plan, true, &other)) {
                good = true;
                said = other;
                break;
            }
            bool products =
                choice == TILE_NONE && !gathers && kernel->grid.dims > 1 && attempt_products(kernel, body, &other);
            kernel->failed = false;
            module->failed = failed;
            good = products || attempt(kernel, body, choice, gathers, usual_sides, &other);
            if (good && choice != TILE_LAST_TWO && !products)
                remark(kernel, DIAG_MISSED, kernel->grid.loc, "tiled fewer loops of the grid, since %s",
                       refusal(&said));
            if (good || (gathers && choice == TILE_LAST_TWO))
                said = other;
        }
    kernel->failed = !good;
    module->failed = failed || !good;
    for (const Message *message = said.first; message && module->diag; message = message->next)
        module->diag(module->diag_context, message->kind, message->loc, message->text);
    if (!good)
        return;
    kernel->grid.plain = false;
    kernel->grid.rewritten = true;
    ir_walk(kernel->body, visit_loop, kernel);
    memset(kernel->grid.tile, 0, sizeof kernel->grid.tile);
    kernel->grid.precision = PRECISION_F32;
}
