/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pressure.c - estimates the registers of live tiles at the worst point of a role.
 *
 *   acc  64x256 f32    128 registers of each thread, alive from its zeros to its store
 *   x    64x64  f16     32, alive for two statements
 *
 * The estimate is a lower bound.  Each variable counts once while any of its values is live.  An expression that is
 * printed at its use does not count.  If a loop takes columns of a tile that nothing needs afterwards, a subtile's
 * registers count as free for computed values.  If registers are short, a tile computed from row and column indices and
 * scalars counts as zero, since nvcc recomputes it at each use.
 */
#include "ir/select-column.h"
#include "machine/plan.h"
#include "roles/order.h"
#include "target/machine.h"

typedef struct {
    Kernel *kernel;
    const Role *role;
    int *begin, *end;    /* by variable, in positions; end 0: not seen */
    const Op **subtiles; /* by variable: the operation that takes columns of it */
    bool *stored;        /* by variable: it takes registers */
    bool places;         /* values computed from indices take registers, too */
    Variable **variables;
    int count;
    const Op **ops; /* by position */
    int npositions;
} Estimate;

static int variable_index(Estimate *estimate, const Variable *variable)
{
    for (int i = 0; i < estimate->count; i++)
        if (estimate->variables[i] == variable)
            return i;
    return -1;
}

enum { LOOK_BACK = 6 };

static bool is_of_places(const Value *value, int depth)
{
    const Op *op = value->def;
    if (!value_is_tile(value))
        return true;
    switch (op && depth ? op->code : OP_COUNT) {
    case OP_SPLAT:
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
        return true;
    case OP_CAST:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_EQ:
    case OP_NE:
    case OP_AND:
    case OP_OR:
    case OP_NOT:
        for (int i = 0; i < op->nargs; i++)
            if (!is_of_places(op->args[i], depth - 1))
                return false;
        return true;
    default:
        return false;
    }
}

bool value_is_of_places(const Value *value)
{
    return is_of_places(value, LOOK_BACK);
}

static void touch(Estimate *estimate, const Value *value, const Op *op, int position);

/* Touches the operands of an operation in a statement.  The mask of a selected column is not computed.  */
static void touch_operands(Estimate *estimate, const Op *op, const Op *statement, int position)
{
    SelectedColumn selected;
    if (op_selects_column(op, &selected)) {
        touch(estimate, selected.tile, statement, position);
        touch(estimate, selected.column, statement, position);
        return;
    }
    for (int i = 0; i < op->nargs; i++)
        touch(estimate, op->args[i], statement, position);
}

static void touch(Estimate *estimate, const Value *value, const Op *op, int position)
{
    if (!value->var && value->def) {
        touch_operands(estimate, value->def, op, position);
        return;
    }
    int i = value->var && value_is_tile(value) ? variable_index(estimate, value->var) : -1;
    if (i < 0)
        return;
    bool made = !value->def || value->def != op;
    estimate->stored[i] |= made && (estimate->places || !is_of_places(value, LOOK_BACK));
    const Block *home = value->def ? value->def->parent : value->block;
    bool argument = !value->def && home->parent == op; /* live where its own block begins */
    const Op *loop = argument ? NULL : order_outer_loop(op, home);
    int end = loop ? order_end(loop) : position;
    if (!estimate->end[i] || position < estimate->begin[i])
        estimate->begin[i] = position;
    if (end > estimate->end[i])
        estimate->end[i] = end;
}

static void visit_touch(Op *op, void *context)
{
    Estimate *estimate = context;
    if (op->position < estimate->npositions)
        estimate->ops[op->position] = op;
    bool inlined = op->nresults == 1 && op_is_pure(op) && !op->results[0]->var;
    if (!inlined)
        touch_operands(estimate, op, op, op->position);
    for (int i = 0; i < op->nresults && !inlined; i++)
        touch(estimate, op->results[i], op, op->position);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            touch(estimate, op->blocks[k]->args[i], op, op->position);
}

static void visit_subtiles(Op *op, void *context)
{
    Estimate *estimate = context;
    int i = op->code == OP_COLUMNS && op->args[0]->var ? variable_index(estimate, op->args[0]->var) : -1;
    if (i >= 0)
        estimate->subtiles[i] = op;
}

static int registers_of(const Estimate *estimate, int i, int position)
{
    Type type = estimate->variables[i]->type;
    if (!estimate->stored[i])
        return 0;
    const Op *columns = estimate->subtiles[i], *loop = columns ? ir_enclosing(columns, OP_FOR) : NULL;
    if (loop && loop->position < position && estimate->end[i] <= order_end(loop))
        type.cols -= columns->results[0]->type.cols;
    return type.cols > 0 ? machine_tile_registers(type, estimate->role->layout) : 0;
}

static int registers_at(const Estimate *estimate, int position)
{
    int registers = 0;
    for (int i = 0; i < estimate->count; i++)
        if (estimate->end[i] && estimate->begin[i] <= position && position < estimate->end[i])
            registers += registers_of(estimate, i, position);
    return registers;
}

enum { MAX_NAMED = 16 }; /* tiles that a message names */

static const char *tiles_at(const Estimate *estimate, int position)
{
    const char *text = "";
    int named = 0, others = 0;
    for (int i = 0; i < estimate->count; i++) {
        if (!estimate->end[i] || estimate->begin[i] > position || position >= estimate->end[i])
            continue;
        Type type = estimate->variables[i]->type;
        if (!estimate->stored[i])
            continue;
        if (named == MAX_NAMED) {
            others++;
            continue;
        }
        named++;
        text = arena_print(estimate->kernel->module, "%s%s%s %dx%d %s %d", text, *text ? ", " : "",
                           estimate->variables[i]->name, type.rows, type.cols, dtype_text(type.dtype),
                           registers_of(estimate, i, position));
    }
    return others ? arena_print(estimate->kernel->module, "%s and %d others", text, others) : text;
}

/* Loads in one expression are in flight together, so their tiles and addresses are live at the same time.  A sum that
   adds one load after the other needs only its own tile and the next load's.  The effect is measured in
   bench/notes/plain-loops.md.  */
typedef struct {
    int loads, registers;
} Loads;

typedef struct {
    const Role *role;
    int most;
} Loaded;

static Loads loads_of(const Loaded *loaded, const Value *value);

static Loads loads_of_operands(const Loaded *loaded, const Op *op)
{
    Loads all = {0, 0};
    int most = 0;
    bool chain = false; /* an operand with one load, and others */
    for (int i = 0; i < op->nargs; i++) {
        const Loads loads = loads_of(loaded, op->args[i]);
        chain |= loads.loads == 1 && op->nresults == 1;
        most = loads.registers > most ? loads.registers : most;
        all.loads += loads.loads;
        all.registers += loads.registers;
    }
    const bool doubles = op->nresults == 1 && dtype_bytes(op->results[0]->type.dtype) > 4; /* two at a time spill */
    if (chain && all.loads > 2 && !doubles) {
        const Type type = op->results[0]->type;
        const int chained = 2 * machine_tile_registers(type, loaded->role->layout),
                  least = most > chained ? most : chained;
        all.registers = all.registers < least ? all.registers : least;
    }
    return all;
}

static Loads loads_of(const Loaded *loaded, const Value *value)
{
    const Op *op = value->def;
    Loads loads = {0, 0};
    if (value->var || !op || op->nresults != 1 || !value_is_tile(value))
        return loads;
    loads = loads_of_operands(loaded, op);
    bool there = load_is_prefetched(op) && op->transfer->prefetch == PREFETCH_ONCE &&
                 machine_wide_groups(loaded->role->layout) > 1;
    if (op_info[op->code].class_ == CLASS_LOAD && !there) {
        loads.loads++;
        loads.registers += machine_tile_registers(value->type, loaded->role->layout);
    }
    if (op->code == OP_LOAD_AT) { /* an address for each element */
        loads.loads += 2;
        loads.registers += machine_tile_registers(value->type, loaded->role->layout) +
                           2 * machine_tile_registers(op->args[1]->type, loaded->role->layout);
    }
    return loads;
}

static void visit_loads(Op *op, void *context)
{
    Loaded *loaded = context;
    const Loads loads = loads_of_operands(loaded, op);
    if (loads.loads > 1 && loads.registers > loaded->most)
        loaded->most = loads.registers;
}

int plan_loads_together(const Role *role)
{
    Loaded loaded = {.role = role};
    ir_walk(role->body, visit_loads, &loaded);
    return loaded.most;
}

int plan_numbers(const Block *block)
{
    int most = 0;
    for (const Op *op = block->first; op; op = op->next) {
        int carried = 0, inner = 0;
        for (int i = 0; i < op->nresults && op->nblocks; i++)
            carried += value_is_tile(op->results[i]) ? 0 : (dtype_bytes(op->results[i]->type.dtype) + 3) / 4;
        for (int i = 0; i < op->nblocks; i++) {
            const int numbers = plan_numbers(op->blocks[i]);
            inner = numbers > inner ? numbers : inner;
        }
        most = carried + inner > most ? carried + inner : most;
    }
    return most;
}

static Pressure pressure(Kernel *kernel, const Role *role, int most, bool places)
{
    Module *module = kernel->module;
    Estimate estimate = {.kernel = kernel, .role = role, .places = places};
    int nvariables = 0;
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        nvariables++;
    size_t room = (size_t)(nvariables + 1);
    estimate.begin = arena_alloc(module, room * sizeof *estimate.begin);
    estimate.end = arena_alloc(module, room * sizeof *estimate.end);
    estimate.subtiles = arena_alloc(module, room * sizeof *estimate.subtiles);
    estimate.stored = arena_alloc(module, room * sizeof *estimate.stored);
    estimate.variables = arena_alloc(module, room * sizeof *estimate.variables);
    for (Variable *variable = kernel->variables; variable; variable = variable->next)
        if (variable->role == role && (variable->type.kind == K_TILE || variable->type.kind == K_TOKEN))
            estimate.variables[estimate.count++] = variable;
    estimate.npositions = role->body->last ? order_end(role->body->last) + 1 : 0;
    estimate.ops = arena_alloc(module, (size_t)(estimate.npositions + 1) * sizeof *estimate.ops);
    ir_walk(role->body, visit_touch, &estimate);
    ir_walk(role->body, visit_subtiles, &estimate);

    Pressure peak = {0, kernel->loc, ""};
    int worst = 0;
    for (int position = 0; position < estimate.npositions; position++) {
        int registers = registers_at(&estimate, position);
        if (registers > peak.registers && estimate.ops[position]) {
            peak.registers = registers;
            peak.loc = estimate.ops[position]->loc;
            worst = position;
        }
    }
    if (peak.registers > most)
        peak.tiles = tiles_at(&estimate, worst);
    return peak;
}

Pressure plan_pressure(Kernel *kernel, const Role *role, int most)
{
    const Pressure all = pressure(kernel, role, most, true);
    return all.registers > most ? pressure(kernel, role, most, false) : all;
}
