/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * divide.c - subtile(n): splits the tiles of a loop into n parts of their rows.
 *
 *      before                                  after
 *      for (k ...) subtile(2)                  for (k ...)
 *        %x: 128x64 = load %a, %i, %k            %x: 64x64 = load %a, %i, %k;  %x2: 64x64 = load %a, %i + 64, %k
 *        %y: 64x64 = load %b, %k, %j             %y: 64x64 = load %b, %k, %j
 *        %acc.3: 128x64 = dot %x, %y, %acc.2     %acc.3: 64x64 = dot %x, %y, %acc.2;  %acc2.3: 64x64 = dot %x2, %y, ...
 *      store %c, %i, %j, %acc                  store %c, %i, %j, %acc; store %c, %i + 64, %j, %acc2
 *
 * The chains of the parts are independent, so a schedule may run the arithmetic of one part under the products of
 * another.
 *
 * Products read their left operands and accumulators in parts, and their right operands whole. Elementwise operations,
 * reductions along rows, loops and branches propagate the division in both directions. A load may have both forms.
 * Parts replace the tile at its place, the first part first, so loads and stores keep their order.
 *
 * A task that neither multiplies nor stores becomes one task for each part. Its role computes the first part, and
 * NAME_2 the second.
 *
 * Rows of a tile are independent, so the results are bitwise the same. Tested, not proved (proof/freeze.c):
 * tests/programs/subtile.c.
 */
#include "ir/queries.h"
#include "ir/slice.h"
#include "passes.h"
#include "target/machine.h"

#include <string.h>

enum { IN_PARTS = 1, WHOLE = 2 };

typedef struct {
    Kernel *kernel;
    const Op *loop; /* the first loop with the clause subtile */
    int parts;
    char *mode; /* by value id: IN_PARTS, WHOLE or both */
    bool changed;
    const Op *why;
    Uses uses;
    Block *body; /* the body before the pass */
    ValueMap whole, part[MOST_SUBTILES];
} Dividing;

/* ---- which tiles have parts -------------------------------------------------------------------------------------- */

static bool has_rows(const Value *value)
{
    return value->type.kind == K_TILE && value->type.rows > 1;
}

static bool is_load(const Op *op)
{
    return op && op_info[op->code].class_ == CLASS_LOAD;
}

static bool is_transposed_load(const Op *op)
{
    return op->code == OP_TRANS && is_load(op->args[0]->def);
}

/* True for a value that may have both forms.  */
static bool is_loaded(const Value *value)
{
    return value->def && (is_load(value->def) || is_transposed_load(value->def));
}

static void require(Dividing *dividing, const Value *value, int mode, const Op *op)
{
    if (!has_rows(value) || (dividing->mode[value->id] & mode) == mode)
        return;
    dividing->mode[value->id] |= (char)mode;
    dividing->changed = true;
    if (dividing->mode[value->id] == (IN_PARTS | WHOLE) && !is_loaded(value) && !dividing->why)
        dividing->why = op;
}

static void link_values(Dividing *dividing, const Value *x, const Value *y, const Op *op)
{
    if (!has_rows(x) || !has_rows(y))
        return;
    if (!is_loaded(y))
        require(dividing, x, dividing->mode[y->id], op);
    if (!is_loaded(x))
        require(dividing, y, dividing->mode[x->id], op);
}

static void require_whole(Dividing *dividing, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        require(dividing, op->args[i], WHOLE, op);
    for (int i = 0; i < op->nresults; i++)
        require(dividing, op->results[i], WHOLE, op);
}

static void link_loop(Dividing *dividing, const Op *op)
{
    for (int i = 0; i < carried_count(op); i++) {
        link_values(dividing, op->args[3 + i], op->results[i], op);
        for (int k = 0; k < op->nblocks; k++) {
            link_values(dividing, op->blocks[k]->args[1 + i], op->results[i], op);
            link_values(dividing, block_end(op->blocks[k])->args[i], op->results[i], op);
        }
    }
}

static void visit_constraint(Op *op, void *context)
{
    Dividing *dividing = context;
    OpClass class_ = op_info[op->code].class_;
    if (op_is_product(op)) {
        for (int i = 0; i < op->nargs; i++)
            if (i == 0 || i == 2)
                link_values(dividing, op->args[i], op->results[0], op);
            else
                require(dividing, op->args[i], WHOLE, op);
    } else if (op->code == OP_FOR) {
        link_loop(dividing, op);
    } else if (op->code == OP_IF) {
        for (int k = 0; k < op->nblocks; k++)
            for (int i = 0; i < op->nresults; i++)
                link_values(dividing, op->results[i], block_end(op->blocks[k])->args[i], op);
    } else if (op->nblocks) {
        dividing->why = op->code != OP_GRID && !dividing->why ? op : dividing->why;
    } else if (class_ == CLASS_LOAD || op->code == OP_YIELD || is_transposed_load(op)) {
        return;
    } else if (class_ == CLASS_STORE ? row_coordinate(op) < 0 : op_mixes_rows(op)) {
        require_whole(dividing, op);
    } else {
        for (int i = 0; i < op->nargs && op->nresults == 1; i++)
            link_values(dividing, op->args[i], op->results[0], op);
    }
}

/* Checks that a part has whole row blocks of wgmma, or whole row groups of the swizzle.  */
static void visit_rows(Op *op, void *context)
{
    Dividing *dividing = context;
    int unit = dividing->parts * (op_is_product(op) ? MACHINE_MMA_ROWS : MACHINE_SWIZZLE_ROWS);
    for (int i = 0; i < op->nresults && !dividing->why; i++)
        if (dividing->mode[op->results[i]->id] & IN_PARTS && op->results[i]->type.rows % unit)
            dividing->why = op;
}

/* ---- division ---------------------------------------------------------------------------------------------------- */

static bool in_parts(const Dividing *dividing, const Value *value)
{
    return has_rows(value) && dividing->mode[value->id] & IN_PARTS;
}

/* True if the divided operation reads one part of this operand.  */
static bool looks_at_part(const Dividing *dividing, const Op *op, int arg)
{
    if (op_is_product(op) && arg != 0 && arg != 2)
        return false;
    return in_parts(dividing, op->args[arg]);
}

/* True for a row or a number that the task of each part computes itself.  */
static bool is_made_again(const Dividing *dividing, const Value *value, int part)
{
    return part > 0 && !in_parts(dividing, value) && value_map_get(&dividing->part[part], (Value *)value) != value;
}

static Value *now(const Dividing *dividing, Value *value, int part)
{
    return value_map_get(part < 0 ? &dividing->whole : &dividing->part[part], value);
}

static void map(Dividing *dividing, Value *from, Value *to, int part)
{
    value_map_set(dividing->kernel, part < 0 ? &dividing->whole : &dividing->part[part], from, to);
    to->loc = from->loc;
}

static Type part_type(const Dividing *dividing, Type type)
{
    type.rows /= dividing->parts;
    return type;
}

typedef struct {
    int task;
    bool prepares;
} Members;

static void visit_member(Op *op, void *context)
{
    Members *members = context;
    bool others = op_is_product(op) || (op_info[op->code].class_ == CLASS_STORE && !op_prints(op));
    members->prepares &= schedule_of(op)->task != members->task || !others;
}

/* The task that computes this part of the task's tiles.  */
static int task_of_part(Dividing *dividing, int task, int part)
{
    Kernel *kernel = dividing->kernel;
    const Task *first = kernel_task(kernel, task);
    Members members = {task, first && !first->loads};
    if (part < 1 || !first)
        return task;
    ir_walk(dividing->body, visit_member, &members);
    if (!members.prepares)
        return task;
    const char *name = arena_print(kernel->module, "%s_%d", first->name, part + 1);
    int number = 1;
    for (const Task *other = kernel->tasks; other && strcmp(other->name, name); other = other->next)
        number++;
    if (!kernel_task(kernel, number)) {
        Task *twin = task_new(kernel, name);
        twin->groups = first->groups;
        twin->registers = first->registers;
        twin->loc = first->loc;
    }
    return number;
}

static Op *shell(Dividing *dividing, Block *to, const Op *op, int part)
{
    Op *copy = op_new(dividing->kernel, op->code, op->loc, 0, NULL);
    op_copy_attributes(copy, op);
    *schedule_op(copy) = *schedule_of(op);
    schedule_op(copy)->task = task_of_part(dividing, schedule_of(op)->task, part);
    op_append(to, copy);
    return copy;
}

static Value *moved(Dividing *dividing, const Op *where, Value *from, int64_t by)
{
    Op *marker = (Op *)where;
    return by ? ir_binary_before(dividing->kernel, marker, OP_SCALAR_ADD, from,
                                 ir_const_before(dividing->kernel, marker, from->type.dtype, by))
              : from;
}

static void divide_load(Dividing *dividing, Block *to, Op *op, int part, bool columns)
{
    Type type = op->results[0]->type;
    int *extent = columns ? &type.cols : &type.rows, coordinate = columns ? op->nargs - 1 : row_coordinate(op);
    Op *copy = shell(dividing, to, op, part);
    *extent /= dividing->parts;
    for (int i = 0; i < op->nargs; i++) {
        Value *value = now(dividing, op->args[i], -1);
        op_add_arg(dividing->kernel, copy,
                   i == coordinate ? moved(dividing, copy, value, (int64_t)part * *extent) : value);
    }
    map(dividing, op->results[0], op_result(dividing->kernel, copy, type, op->results[0]->name), part);
}

/* The row index of a part, counted from the first row of the whole tile.  */
static void number_rows(Dividing *dividing, Block *to, Op *op, int part)
{
    Op *copy = shell(dividing, to, op, part);
    Type type = part_type(dividing, op->results[0]->type);
    Value *index = op_result(dividing->kernel, copy, type, op->results[0]->name);
    if (part) {
        Op *full = op_new(dividing->kernel, OP_FULL, op->loc, 0, NULL);
        Value *args[] = {index, op_result(dividing->kernel, full, type_tile(type.dtype, 1, 1), NULL)};
        Op *sum = op_new(dividing->kernel, OP_ADD, op->loc, 2, args);
        full->tile->value = part * type.rows;
        schedule_op(full)->task = schedule_op(sum)->task = schedule_of(copy)->task;
        op_append(to, full);
        op_append(to, sum);
        index = op_result(dividing->kernel, sum, type, op->results[0]->name);
    }
    map(dividing, op->results[0], index, part);
}

static void divide_op(Dividing *dividing, Block *to, Op *op, int part)
{
    OpClass class_ = op_info[op->code].class_;
    if (is_load(op)) {
        divide_load(dividing, to, op, part, false);
        return;
    }
    if (is_transposed_load(op)) { /* its columns are divided */
        divide_load(dividing, to, op->args[0]->def, part, true);
        Value *transposed = now(dividing, op->args[0], part);
        Op *copy = shell(dividing, to, op, part);
        op_add_arg(dividing->kernel, copy, transposed);
        map(dividing, op->results[0],
            op_result(dividing->kernel, copy, type_transposed(transposed->type), op->results[0]->name), part);
        return;
    }
    if (op->code == OP_ROW_INDEX) {
        number_rows(dividing, to, op, part);
        return;
    }
    Op *copy = shell(dividing, to, op, part);
    int row = class_ == CLASS_STORE ? row_coordinate(op) : -1;
    int rows = class_ == CLASS_STORE ? op->args[op->nargs - 1]->type.rows / dividing->parts : 0;
    for (int i = 0; i < op->nargs; i++) {
        bool own = looks_at_part(dividing, op, i) || is_made_again(dividing, op->args[i], part);
        Value *value = now(dividing, op->args[i], own ? part : -1);
        op_add_arg(dividing->kernel, copy, i == row ? moved(dividing, copy, value, (int64_t)part * rows) : value);
    }
    for (int i = 0; i < op->nresults; i++)
        map(dividing, op->results[i],
            op_result(dividing->kernel, copy, part_type(dividing, op->results[i]->type), op->results[i]->name), part);
}

static bool op_has_parts(const Dividing *dividing, const Op *op)
{
    if (op_info[op->code].class_ == CLASS_STORE)
        return in_parts(dividing, op->args[op->nargs - 1]);
    return op->nresults && in_parts(dividing, op->results[0]);
}

static void add_all(Dividing *dividing, Op *copy, Value *value, const Value *carried_value)
{
    if (!in_parts(dividing, carried_value))
        op_add_arg(dividing->kernel, copy, now(dividing, value, -1));
    for (int part = 0; part < dividing->parts && in_parts(dividing, carried_value); part++)
        op_add_arg(dividing->kernel, copy, now(dividing, value, part));
}

static void make_block(Dividing *dividing, const Block *from, Block *to);

static void make_control(Dividing *dividing, Block *to, Op *op)
{
    Op *copy = shell(dividing, to, op, -1);
    for (int i = 0; i < op->nargs; i++)
        if (op->code == OP_FOR && i >= 3 && i < 3 + carried_count(op))
            add_all(dividing, copy, op->args[i], op->results[i - 3]);
        else
            op_add_arg(dividing->kernel, copy, now(dividing, op->args[i], -1));
    if (op->code == OP_FOR && op->control->pipeline)
        copy->control->pipeline->subtiles = 0;
    for (int k = 0; k < op->nblocks; k++) {
        Block *block = block_new(dividing->kernel, copy);
        for (int i = 0; i < op->blocks[k]->nargs; i++) {
            Value *old = op->blocks[k]->args[i];
            bool parts = in_parts(dividing, old);
            for (int part = parts ? 0 : -1; part < (parts ? dividing->parts : 0); part++)
                map(dividing, old,
                    block_arg(dividing->kernel, block, parts ? part_type(dividing, old->type) : old->type, old->name,
                              old->loc),
                    part);
        }
        make_block(dividing, op->blocks[k], block);
    }
    for (int i = 0; i < op->nresults; i++) {
        Value *old = op->results[i];
        bool parts = in_parts(dividing, old);
        for (int part = parts ? 0 : -1; part < (parts ? dividing->parts : 0); part++)
            map(dividing, old,
                op_result(dividing->kernel, copy, parts ? part_type(dividing, old->type) : old->type, old->name), part);
    }
}

static void make_yield(Dividing *dividing, Block *to, Op *op)
{
    const Op *outer = op->parent->parent;
    Op *copy = shell(dividing, to, op, -1);
    for (int i = 0; i < op->nargs; i++)
        if (outer && i < outer->nresults)
            add_all(dividing, copy, op->args[i], outer->results[i]);
        else
            op_add_arg(dividing->kernel, copy, now(dividing, op->args[i], -1));
}

static void make_whole(Dividing *dividing, Block *to, const Op *op, int part)
{
    Op *copy = shell(dividing, to, op, part);
    for (int i = 0; i < op->nargs; i++)
        op_add_arg(dividing->kernel, copy,
                   now(dividing, op->args[i], is_made_again(dividing, op->args[i], part) ? part : -1));
    for (int i = 0; i < op->nresults; i++)
        map(dividing, op->results[i], op_result(dividing->kernel, copy, op->results[i]->type, op->results[i]->name),
            part);
}

/* Repeats the operation in the tasks of the other parts. Its result is a row or a number, which no ring carries.  */
static void make_again(Dividing *dividing, Block *to, const Op *op)
{
    int task = schedule_of(op)->task;
    bool small = task && op_info[op->code].class_ == CLASS_TILE && op->nresults == 1 && op->results[0]->type.rows == 1;
    for (int part = 1; part < dividing->parts && small; part++)
        if (task_of_part(dividing, task, part) != task)
            make_whole(dividing, to, op, part);
}

static bool is_wanted_whole(const Dividing *dividing, const Op *op);

/* True if the user of a load reads the whole tile.  */
static bool wants_whole(const Dividing *dividing, const Use *use)
{
    const Op *op = use->op;
    if (is_transposed_load(op))
        return is_wanted_whole(dividing, op);
    if (op->code == OP_FOR)
        return use->arg < 3 || use->arg >= 3 + carried_count(op) || !in_parts(dividing, op->results[use->arg - 3]);
    if (op->code == OP_YIELD)
        return use->arg >= op->parent->parent->nresults || !in_parts(dividing, op->parent->parent->results[use->arg]);
    return !op_has_parts(dividing, op) || !looks_at_part(dividing, op, use->arg);
}

static bool is_wanted_whole(const Dividing *dividing, const Op *op)
{
    const Value *value = op->nresults ? op->results[0] : NULL;
    if (!value || dividing->mode[value->id] & WHOLE || (!is_load(op) && !in_parts(dividing, value)))
        return true;
    bool wanted = is_load(op) && !uses_of(&dividing->uses, value);
    for (const Use *use = is_loaded(value) ? uses_of(&dividing->uses, value) : NULL; use; use = use->next)
        wanted |= wants_whole(dividing, use);
    return wanted;
}

static void make_block(Dividing *dividing, const Block *from, Block *to)
{
    for (Op *op = from->first; op; op = op->next) {
        if (op->nblocks) {
            make_control(dividing, to, op);
            continue;
        }
        if (op->code == OP_YIELD) {
            make_yield(dividing, to, op);
            continue;
        }
        bool parts = op_has_parts(dividing, op);
        for (int part = 0; part < dividing->parts && parts; part++)
            divide_op(dividing, to, op, part);
        if (op_info[op->code].class_ == CLASS_STORE ? !parts : is_wanted_whole(dividing, op)) {
            make_whole(dividing, to, op, -1);
            make_again(dividing, to, op);
        }
    }
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void visit_asking(Op *op, void *context)
{
    Dividing *dividing = context;
    const Pipeline *pipeline = pipeline_of(op);
    int parts = pipeline ? pipeline->subtiles : 0;
    if (parts > 1 && dividing->loop && parts != dividing->parts && !dividing->why)
        dividing->why = op;
    if (parts > 1 && !dividing->loop) {
        dividing->loop = op;
        dividing->parts = parts;
    }
}

typedef struct {
    Dividing *dividing;
    bool products;
} Seeds;

static void visit_seed(Op *op, void *context)
{
    Seeds *seeds = context;
    seeds->products |= op_is_product(op);
    if (op_is_product(op))
        require(seeds->dividing, op->results[0], IN_PARTS, op);
}

/* Marks the products of a loop with the clause, or the carried values of such a loop without products.  */
static void visit_loop(Op *op, void *context)
{
    Dividing *dividing = context;
    Seeds seeds = {dividing, false};
    if (!pipeline_of(op) || pipeline_of(op)->subtiles < 2)
        return;
    ir_walk(op->blocks[0], visit_seed, &seeds);
    for (int i = 0; i < carried_count(op) && !seeds.products; i++)
        require(dividing, op->results[i], IN_PARTS, op);
}

static void divide_body(Dividing *dividing)
{
    Kernel *kernel = dividing->kernel;
    dividing->body = kernel->body;
    dividing->whole = value_map_new(kernel);
    for (int part = 0; part < dividing->parts; part++)
        dividing->part[part] = value_map_new(kernel);
    kernel->body = block_new(kernel, NULL);
    make_block(dividing, dividing->body, kernel->body);
}

void pass_divide(Kernel *kernel)
{
    Dividing dividing = {.kernel = kernel};
    ir_walk(kernel->body, visit_asking, &dividing);
    if (!dividing.loop)
        return;
    dividing.mode = arena_alloc(kernel->module, (size_t)kernel->module->next_id);
    dividing.uses = uses_new(kernel, kernel->body);
    ir_walk(kernel->body, visit_loop, &dividing);
    for (dividing.changed = true; dividing.changed && !dividing.why;) {
        dividing.changed = false;
        ir_walk(kernel->body, visit_constraint, &dividing);
    }
    if (!dividing.why)
        ir_walk(kernel->body, visit_rows, &dividing);
    if (dividing.why)
        reject(kernel, dividing.loop->control->pipeline->loc, REASON_SUBTILE, dividing.parts, dividing.why->loc.line);
    else
        divide_body(&dividing);
}
