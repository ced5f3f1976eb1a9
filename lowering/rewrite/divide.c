/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * divide.c - subtile(n): what is made of a loop's tiles is made for n parts of their rows.
 *
 *   before                                     after
 *   for (k ...) subtile(2)                     for (k ...)
 *     %x: 128x64 = load %a, %i, %k               %x: 64x64 = load %a, %i, %k;  %x2: 64x64 = load %a, %i + 64, %k
 *     %y: 64x64 = load %b, %k, %j                %y: 64x64 = load %b, %k, %j
 *     %acc.3: 128x64 = dot %x, %y, %acc.2        %acc.3: 64x64 = dot %x, %y, %acc.2;  %acc2.3: 64x64 = dot %x2, %y, ...
 *   store %c, %i, %j, %acc                     store %c, %i, %j, %acc; store %c, %i + 64, %j, %acc2
 *
 * The chains of the parts know nothing of each other, so that a schedule may have one compute while the other's
 * products run.  Products read their left operands and sums in parts, and their right operands whole; elementwise
 * operations, sums along rows and what loops and branches carry pass that on in both directions.  What is loaded comes
 * as it is wanted, in parts or whole.  A part is made where the tile was made, the first one first, so that stores and
 * loads keep their order.
 *
 * A task that neither multiplies nor stores is a task for each part: its role makes the first one, and NAME_2 the next.
 *
 * Rows of a tile do not depend on each other, and so the program is the same to the last bit.  Tested, not proved
 * (proof/freeze.c): tests/programs/subtile.c.
 */
#include "ir/queries.h"
#include "ir/slice.h"
#include "lower.h"
#include "machine/machine.h"

#include <string.h>

enum { IN_PARTS = 1, WHOLE = 2 };

typedef struct {
    Kernel *kernel;
    const Op *loop; /* that asks for it */
    int parts;
    char *mode; /* by value id */
    bool changed;
    const Op *why;
    Uses uses;
    Block *body; /* as it was */
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

static bool is_turned_load(const Op *op)
{
    return op->code == OP_TRANS && is_load(op->args[0]->def);
}

/* It may come both ways.  */
static bool is_loaded(const Value *value)
{
    return value->def && (is_load(value->def) || is_turned_load(value->def));
}

static void require(Dividing *in, const Value *value, int mode, const Op *op)
{
    if (!has_rows(value) || (in->mode[value->id] & mode) == mode)
        return;
    in->mode[value->id] |= (char)mode;
    in->changed = true;
    if (in->mode[value->id] == (IN_PARTS | WHOLE) && !is_loaded(value) && !in->why)
        in->why = op;
}

static void link_values(Dividing *in, const Value *x, const Value *y, const Op *op)
{
    if (!has_rows(x) || !has_rows(y))
        return;
    if (!is_loaded(y))
        require(in, x, in->mode[y->id], op);
    if (!is_loaded(x))
        require(in, y, in->mode[x->id], op);
}

static void require_whole(Dividing *in, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        require(in, op->args[i], WHOLE, op);
    for (int i = 0; i < op->nresults; i++)
        require(in, op->results[i], WHOLE, op);
}

static void link_loop(Dividing *in, const Op *op)
{
    for (int i = 0; i < carried_count(op); i++) {
        link_values(in, op->args[3 + i], op->results[i], op);
        for (int k = 0; k < op->nblocks; k++) {
            link_values(in, op->blocks[k]->args[1 + i], op->results[i], op);
            link_values(in, block_end(op->blocks[k])->args[i], op->results[i], op);
        }
    }
}

static void visit_constraint(Op *op, void *context)
{
    Dividing *in = context;
    OpClass class_ = op_info[op->code].class_;
    if (op_is_product(op)) {
        for (int i = 0; i < op->nargs; i++)
            if (i == 0 || i == 2)
                link_values(in, op->args[i], op->results[0], op);
            else
                require(in, op->args[i], WHOLE, op);
    } else if (op->code == OP_FOR) {
        link_loop(in, op);
    } else if (op->code == OP_IF) {
        for (int k = 0; k < op->nblocks; k++)
            for (int i = 0; i < op->nresults; i++)
                link_values(in, op->results[i], block_end(op->blocks[k])->args[i], op);
    } else if (op->nblocks) {
        in->why = op->code != OP_GRID && !in->why ? op : in->why;
    } else if (class_ == CLASS_LOAD || op->code == OP_YIELD || is_turned_load(op)) {
        return;
    } else if (class_ == CLASS_STORE ? row_coordinate(op) < 0 : op_mixes_rows(op)) {
        require_whole(in, op);
    } else {
        for (int i = 0; i < op->nargs && op->nresults == 1; i++)
            link_values(in, op->args[i], op->results[0], op);
    }
}

/* Whole rows of the matrix units, and of the swizzle.  */
static void visit_rows(Op *op, void *context)
{
    Dividing *in = context;
    int unit = in->parts * (op_is_product(op) ? MACHINE_MMA_ROWS : MACHINE_SWIZZLE_ROWS);
    for (int i = 0; i < op->nresults && !in->why; i++)
        if (in->mode[op->results[i]->id] & IN_PARTS && op->results[i]->type.rows % unit)
            in->why = op;
}

/* ---- making them ------------------------------------------------------------------------------------------------- */

static bool in_parts(const Dividing *in, const Value *value)
{
    return has_rows(value) && in->mode[value->id] & IN_PARTS;
}

/* Does the operation, which has parts, look at a part of this operand?  */
static bool looks_at_part(const Dividing *in, const Op *op, int arg)
{
    if (op_is_product(op) && arg != 0 && arg != 2)
        return false;
    return in_parts(in, op->args[arg]);
}

/* A row, or a number, that the task of each part makes for itself.  */
static bool is_made_again(const Dividing *in, const Value *value, int part)
{
    return part > 0 && !in_parts(in, value) && value_map_get(&in->part[part], (Value *)value) != value;
}

static Value *now(const Dividing *in, Value *value, int part)
{
    return value_map_get(part < 0 ? &in->whole : &in->part[part], value);
}

static void map(Dividing *in, Value *from, Value *to, int part)
{
    value_map_set(in->kernel, part < 0 ? &in->whole : &in->part[part], from, to);
    to->loc = from->loc;
}

static Type part_type(const Dividing *in, Type type)
{
    type.rows /= in->parts;
    return type;
}

typedef struct {
    int task;
    bool prepares;
} Members;

static void visit_member(Op *op, void *context)
{
    Members *in = context;
    bool others = op_is_product(op) || (op_info[op->code].class_ == CLASS_STORE && !op_prints(op));
    in->prepares &= schedule_of(op)->task != in->task || !others;
}

/* Who makes this part of what the task makes.  */
static int task_of_part(Dividing *in, int task, int part)
{
    Kernel *kernel = in->kernel;
    const Task *first = kernel_task(kernel, task);
    Members members = {task, first && !first->loads};
    if (part < 1 || !first)
        return task;
    ir_walk(in->body, visit_member, &members);
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

static Op *shell(Dividing *in, Block *to, const Op *op, int part)
{
    Op *copy = op_new(in->kernel, op->code, op->loc, 0, NULL);
    op_copy_attributes(copy, op);
    *schedule_op(copy) = *schedule_of(op);
    schedule_op(copy)->task = task_of_part(in, schedule_of(op)->task, part);
    op_append(to, copy);
    return copy;
}

static Value *moved(Dividing *in, const Op *where, Value *from, int64_t by)
{
    Op *marker = (Op *)where;
    return by ? ir_binary_before(in->kernel, marker, OP_ADDI, from,
                                 ir_const_before(in->kernel, marker, from->type.dtype, by))
              : from;
}

static void divide_load(Dividing *in, Block *to, Op *op, int part, bool columns)
{
    Type type = op->results[0]->type;
    int *extent = columns ? &type.cols : &type.rows, coordinate = columns ? op->nargs - 1 : row_coordinate(op);
    Op *copy = shell(in, to, op, part);
    *extent /= in->parts;
    for (int i = 0; i < op->nargs; i++) {
        Value *value = now(in, op->args[i], -1);
        op_add_arg(in->kernel, copy, i == coordinate ? moved(in, copy, value, (int64_t)part * *extent) : value);
    }
    map(in, op->results[0], op_result(in->kernel, copy, type, op->results[0]->name), part);
}

/* A number for each row of the whole.  */
static void number_rows(Dividing *in, Block *to, Op *op, int part)
{
    Op *copy = shell(in, to, op, part);
    Type type = part_type(in, op->results[0]->type);
    Value *index = op_result(in->kernel, copy, type, op->results[0]->name);
    if (part) {
        Op *full = op_new(in->kernel, OP_FULL, op->loc, 0, NULL);
        Value *args[] = {index, op_result(in->kernel, full, type_tile(type.dtype, 1, 1), NULL)};
        Op *sum = op_new(in->kernel, OP_ADD, op->loc, 2, args);
        full->tile->value = part * type.rows;
        schedule_op(full)->task = schedule_op(sum)->task = schedule_of(copy)->task;
        op_append(to, full);
        op_append(to, sum);
        index = op_result(in->kernel, sum, type, op->results[0]->name);
    }
    map(in, op->results[0], index, part);
}

static void divide_op(Dividing *in, Block *to, Op *op, int part)
{
    OpClass class_ = op_info[op->code].class_;
    if (is_load(op)) {
        divide_load(in, to, op, part, false);
        return;
    }
    if (is_turned_load(op)) { /* of that the columns are divided */
        divide_load(in, to, op->args[0]->def, part, true);
        Value *turned = now(in, op->args[0], part);
        Op *copy = shell(in, to, op, part);
        op_add_arg(in->kernel, copy, turned);
        map(in, op->results[0], op_result(in->kernel, copy, type_transposed(turned->type), op->results[0]->name), part);
        return;
    }
    if (op->code == OP_ROW_INDEX) {
        number_rows(in, to, op, part);
        return;
    }
    Op *copy = shell(in, to, op, part);
    int row = class_ == CLASS_STORE ? row_coordinate(op) : -1;
    int rows = class_ == CLASS_STORE ? op->args[op->nargs - 1]->type.rows / in->parts : 0;
    for (int i = 0; i < op->nargs; i++) {
        bool own = looks_at_part(in, op, i) || is_made_again(in, op->args[i], part);
        Value *value = now(in, op->args[i], own ? part : -1);
        op_add_arg(in->kernel, copy, i == row ? moved(in, copy, value, (int64_t)part * rows) : value);
    }
    for (int i = 0; i < op->nresults; i++)
        map(in, op->results[i], op_result(in->kernel, copy, part_type(in, op->results[i]->type), op->results[i]->name),
            part);
}

static bool op_has_parts(const Dividing *in, const Op *op)
{
    if (op_info[op->code].class_ == CLASS_STORE)
        return in_parts(in, op->args[op->nargs - 1]);
    return op->nresults && in_parts(in, op->results[0]);
}

static void add_all(Dividing *in, Op *copy, Value *value, const Value *carried_value)
{
    if (!in_parts(in, carried_value))
        op_add_arg(in->kernel, copy, now(in, value, -1));
    for (int part = 0; part < in->parts && in_parts(in, carried_value); part++)
        op_add_arg(in->kernel, copy, now(in, value, part));
}

static void make_block(Dividing *in, const Block *from, Block *to);

static void make_control(Dividing *in, Block *to, Op *op)
{
    Op *copy = shell(in, to, op, -1);
    for (int i = 0; i < op->nargs; i++)
        if (op->code == OP_FOR && i >= 3 && i < 3 + carried_count(op))
            add_all(in, copy, op->args[i], op->results[i - 3]);
        else
            op_add_arg(in->kernel, copy, now(in, op->args[i], -1));
    if (op->code == OP_FOR && op->control->pipeline)
        copy->control->pipeline->subtiles = 0;
    for (int k = 0; k < op->nblocks; k++) {
        Block *block = block_new(in->kernel, copy);
        for (int i = 0; i < op->blocks[k]->nargs; i++) {
            Value *old = op->blocks[k]->args[i];
            bool parts = in_parts(in, old);
            for (int part = parts ? 0 : -1; part < (parts ? in->parts : 0); part++)
                map(in, old,
                    block_arg(in->kernel, block, parts ? part_type(in, old->type) : old->type, old->name, old->loc),
                    part);
        }
        make_block(in, op->blocks[k], block);
    }
    for (int i = 0; i < op->nresults; i++) {
        Value *old = op->results[i];
        bool parts = in_parts(in, old);
        for (int part = parts ? 0 : -1; part < (parts ? in->parts : 0); part++)
            map(in, old, op_result(in->kernel, copy, parts ? part_type(in, old->type) : old->type, old->name), part);
    }
}

static void make_yield(Dividing *in, Block *to, Op *op)
{
    const Op *outer = op->parent->parent;
    Op *copy = shell(in, to, op, -1);
    for (int i = 0; i < op->nargs; i++)
        if (outer && i < outer->nresults)
            add_all(in, copy, op->args[i], outer->results[i]);
        else
            op_add_arg(in->kernel, copy, now(in, op->args[i], -1));
}

static void make_whole(Dividing *in, Block *to, const Op *op, int part)
{
    Op *copy = shell(in, to, op, part);
    for (int i = 0; i < op->nargs; i++)
        op_add_arg(in->kernel, copy, now(in, op->args[i], is_made_again(in, op->args[i], part) ? part : -1));
    for (int i = 0; i < op->nresults; i++)
        map(in, op->results[i], op_result(in->kernel, copy, op->results[i]->type, op->results[i]->name), part);
}

/* What is not as large as a tile goes through no ring to the tasks of other parts.  */
static void make_again(Dividing *in, Block *to, const Op *op)
{
    int task = schedule_of(op)->task;
    bool small = task && op_info[op->code].class_ == CLASS_TILE && op->nresults == 1 && op->results[0]->type.rows == 1;
    for (int part = 1; part < in->parts && small; part++)
        if (task_of_part(in, task, part) != task)
            make_whole(in, to, op, part);
}

static bool is_wanted_whole(const Dividing *in, const Op *op);

/* Is what uses it, which may have a loaded tile both ways, made whole?  */
static bool wants_whole(const Dividing *in, const Use *use)
{
    const Op *op = use->op;
    if (is_turned_load(op))
        return is_wanted_whole(in, op);
    if (op->code == OP_FOR)
        return use->arg < 3 || use->arg >= 3 + carried_count(op) || !in_parts(in, op->results[use->arg - 3]);
    if (op->code == OP_YIELD)
        return use->arg >= op->parent->parent->nresults || !in_parts(in, op->parent->parent->results[use->arg]);
    return !op_has_parts(in, op) || !looks_at_part(in, op, use->arg);
}

static bool is_wanted_whole(const Dividing *in, const Op *op)
{
    const Value *value = op->nresults ? op->results[0] : NULL;
    if (!value || in->mode[value->id] & WHOLE || (!is_load(op) && !in_parts(in, value)))
        return true;
    bool wanted = is_load(op) && !uses_of(&in->uses, value);
    for (const Use *use = is_loaded(value) ? uses_of(&in->uses, value) : NULL; use; use = use->next)
        wanted |= wants_whole(in, use);
    return wanted;
}

static void make_block(Dividing *in, const Block *from, Block *to)
{
    for (Op *op = from->first; op; op = op->next) {
        if (op->nblocks) {
            make_control(in, to, op);
            continue;
        }
        if (op->code == OP_YIELD) {
            make_yield(in, to, op);
            continue;
        }
        bool parts = op_has_parts(in, op);
        for (int part = 0; part < in->parts && parts; part++)
            divide_op(in, to, op, part);
        if (op_info[op->code].class_ == CLASS_STORE ? !parts : is_wanted_whole(in, op)) {
            make_whole(in, to, op, -1);
            make_again(in, to, op);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void visit_asking(Op *op, void *context)
{
    Dividing *in = context;
    const Pipeline *pipeline = pipeline_of(op);
    int parts = pipeline ? pipeline->subtiles : 0;
    if (parts > 1 && in->loop && parts != in->parts && !in->why)
        in->why = op;
    if (parts > 1 && !in->loop) {
        in->loop = op;
        in->parts = parts;
    }
}

typedef struct {
    Dividing *in;
    bool products;
} Seeds;

static void visit_seed(Op *op, void *context)
{
    Seeds *seeds = context;
    seeds->products |= op_is_product(op);
    if (op_is_product(op))
        require(seeds->in, op->results[0], IN_PARTS, op);
}

/* The products of a loop that asks for it; of one that has none what it carries.  */
static void visit_loop(Op *op, void *context)
{
    Dividing *in = context;
    Seeds seeds = {in, false};
    if (!pipeline_of(op) || pipeline_of(op)->subtiles < 2)
        return;
    ir_walk(op->blocks[0], visit_seed, &seeds);
    for (int i = 0; i < carried_count(op) && !seeds.products; i++)
        require(in, op->results[i], IN_PARTS, op);
}

static void divide_body(Dividing *in)
{
    Kernel *kernel = in->kernel;
    in->body = kernel->body;
    in->whole = value_map_new(kernel);
    for (int part = 0; part < in->parts; part++)
        in->part[part] = value_map_new(kernel);
    kernel->body = block_new(kernel, NULL);
    make_block(in, in->body, kernel->body);
}

/* require: one GRID.   ensure: the same program; no loop asks for parts of its rows any more.  */
void pass_divide(Kernel *kernel)
{
    Dividing in = {.kernel = kernel};
    ir_walk(kernel->body, visit_asking, &in);
    if (!in.loop)
        return;
    in.mode = arena_alloc(kernel->module, (size_t)kernel->module->next_id);
    in.uses = uses_new(kernel, kernel->body);
    ir_walk(kernel->body, visit_loop, &in);
    for (in.changed = true; in.changed && !in.why;) {
        in.changed = false;
        ir_walk(kernel->body, visit_constraint, &in);
    }
    if (!in.why)
        ir_walk(kernel->body, visit_rows, &in);
    if (in.why)
        reject(kernel, in.loop->control->pipeline->loc, REASON_SUBTILE, in.parts, in.why->loc.line);
    else
        divide_body(&in);
}
