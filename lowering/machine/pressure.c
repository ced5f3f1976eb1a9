/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pressure.c - how many registers live tiles take at the worst point of a role.
 *
 *   acc  64x256 f32    128 registers of each thread, alive from its zeros to its store
 *   x    64x64  f16     32, alive for two statements
 *
 * An estimate from below: each variable counts once while any value that it holds is needed, an expression that is
 * printed at its use not at all.  A tile that a loop takes columns of, and nothing needs behind it, leaves the
 * registers of a subtile to what is computed of that.  Where there are not enough, what is made of an element's row and
 * column and of scalars alone takes none: a few instructions make it again at each use, which the CUDA compiler knows.
 */
#include "machine/machine.h"
#include "machine/plan.h"

typedef struct {
    Kernel *kernel;
    const Role *role;
    int *begin, *end;    /* by variable, in positions; end 0: not seen */
    const Op **subtiles; /* by variable: what takes columns of it */
    bool *stored;        /* by variable: it takes registers; a value of it is more than where an element lies, or .. */
    bool places;         /* .. those are stored, too */
    Variable **variables;
    int count;
    const Op **ops; /* by position */
    int npositions;
} Estimate;

static int variable_index(Estimate *in, const Variable *variable)
{
    for (int i = 0; i < in->count; i++)
        if (in->variables[i] == variable)
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

static void touch(Estimate *in, const Value *value, const Op *op, int position);

/* What the operation reads, in a statement.  What says which column is picked is not made.  */
static void touch_operands(Estimate *in, const Op *op, const Op *statement, int position)
{
    Picked picked;
    if (op_picks_column(op, &picked)) {
        touch(in, picked.tile, statement, position);
        touch(in, picked.column, statement, position);
        return;
    }
    for (int i = 0; i < op->nargs; i++)
        touch(in, op->args[i], statement, position);
}

static void touch(Estimate *in, const Value *value, const Op *op, int position)
{
    if (!value->var && value->def) {
        touch_operands(in, value->def, op, position);
        return;
    }
    int i = value->var && value_is_tile(value) ? variable_index(in, value->var) : -1;
    if (i < 0)
        return;
    bool made = !value->def || value->def != op;
    in->stored[i] |= made && (in->places || !is_of_places(value, LOOK_BACK));
    const Block *home = value->def ? value->def->parent : value->block;
    bool argument = !value->def && home->parent == op; /* seen where its own block opens */
    const Op *loop = argument ? NULL : order_outer_loop(op, home);
    int end = loop ? order_end(loop) : position;
    if (!in->end[i] || position < in->begin[i])
        in->begin[i] = position;
    if (end > in->end[i])
        in->end[i] = end;
}

static void visit_touch(Op *op, void *context)
{
    Estimate *in = context;
    if (op->position < in->npositions)
        in->ops[op->position] = op;
    bool inlined = op->nresults == 1 && op_is_pure(op) && !op->results[0]->var;
    if (!inlined)
        touch_operands(in, op, op, op->position);
    for (int i = 0; i < op->nresults && !inlined; i++)
        touch(in, op->results[i], op, op->position);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            touch(in, op->blocks[k]->args[i], op, op->position);
}

static void visit_subtiles(Op *op, void *context)
{
    Estimate *in = context;
    int i = op->code == OP_COLUMNS && op->args[0]->var ? variable_index(in, op->args[0]->var) : -1;
    if (i >= 0)
        in->subtiles[i] = op;
}

static int registers_of(const Estimate *in, int i, int position)
{
    Type type = in->variables[i]->type;
    if (!in->stored[i])
        return 0;
    const Op *columns = in->subtiles[i], *loop = columns ? ir_enclosing(columns, OP_FOR) : NULL;
    if (loop && loop->position < position && in->end[i] <= order_end(loop))
        type.cols -= columns->results[0]->type.cols;
    return type.cols > 0 ? machine_tile_registers(type, in->role->layout) : 0;
}

static int registers_at(const Estimate *in, int position)
{
    int registers = 0;
    for (int i = 0; i < in->count; i++)
        if (in->end[i] && in->begin[i] <= position && position < in->end[i])
            registers += registers_of(in, i, position);
    return registers;
}

static const char *tiles_at(const Estimate *in, int position)
{
    const char *text = "";
    for (int i = 0; i < in->count; i++) {
        if (!in->end[i] || in->begin[i] > position || position >= in->end[i])
            continue;
        Type type = in->variables[i]->type;
        if (!in->stored[i])
            continue;
        text = arena_print(in->kernel->module, "%s%s%s %dx%d %s %d", text, *text ? ", " : "", in->variables[i]->name,
                           type.rows, type.cols, dtype_text(type.dtype), registers_of(in, i, position));
    }
    return text;
}

/* Loads inside one expression are under way together: their tiles and their addresses are there at the same time.  A
   sum that takes one load after the other needs its own tile and the next one's alone: a stencil of five loads took
   0.84 of the time with five blocks in a multiprocessor that it took with three (bench/notes/plain-loops.md).  */
typedef struct {
    int loads, registers;
} Loads;

typedef struct {
    const Role *role;
    int most;
} Loaded;

static Loads loads_of(const Loaded *in, const Value *value);

static Loads loads_of_operands(const Loaded *in, const Op *op)
{
    Loads all = {0, 0};
    int most = 0;
    bool chain = false; /* one load, and what others have made */
    for (int i = 0; i < op->nargs; i++) {
        const Loads loads = loads_of(in, op->args[i]);
        chain |= loads.loads == 1 && op->nresults == 1;
        most = loads.registers > most ? loads.registers : most;
        all.loads += loads.loads;
        all.registers += loads.registers;
    }
    const bool doubles = op->nresults == 1 && dtype_bytes(op->results[0]->type.dtype) > 4; /* two at a time spill */
    if (chain && all.loads > 2 && !doubles) {
        const Type type = op->results[0]->type;
        const int chained = 2 * machine_tile_registers(type, in->role->layout), least = most > chained ? most : chained;
        all.registers = all.registers < least ? all.registers : least;
    }
    return all;
}

static Loads loads_of(const Loaded *in, const Value *value)
{
    const Op *op = value->def;
    Loads loads = {0, 0};
    if (value->var || !op || op->nresults != 1 || !value_is_tile(value))
        return loads;
    loads = loads_of_operands(in, op);
    bool there = load_is_ahead(op) && op->transfer->ahead == AHEAD_ONCE && machine_wide_groups(in->role->layout) > 1;
    if (op_info[op->code].class_ == CLASS_LOAD && !there) {
        loads.loads++;
        loads.registers += machine_tile_registers(value->type, in->role->layout);
    }
    if (op->code == OP_LOAD_AT) { /* an address for each element */
        loads.loads += 2;
        loads.registers += machine_tile_registers(value->type, in->role->layout) +
                           2 * machine_tile_registers(op->args[1]->type, in->role->layout);
    }
    return loads;
}

static void visit_loads(Op *op, void *context)
{
    Loaded *in = context;
    const Loads loads = loads_of_operands(in, op);
    if (loads.loads > 1 && loads.registers > in->most)
        in->most = loads.registers;
}

int plan_loads_together(const Role *role)
{
    Loaded in = {.role = role};
    ir_walk(role->body, visit_loads, &in);
    return in.most;
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
    Estimate in = {.kernel = kernel, .role = role, .places = places};
    int nvariables = 0;
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        nvariables++;
    size_t room = (size_t)(nvariables + 1);
    in.begin = arena_alloc(module, room * sizeof *in.begin);
    in.end = arena_alloc(module, room * sizeof *in.end);
    in.subtiles = arena_alloc(module, room * sizeof *in.subtiles);
    in.stored = arena_alloc(module, room * sizeof *in.stored);
    in.variables = arena_alloc(module, room * sizeof *in.variables);
    for (Variable *variable = kernel->variables; variable; variable = variable->next)
        if (variable->role == role && (variable->type.kind == K_TILE || variable->type.kind == K_TOKEN))
            in.variables[in.count++] = variable;
    in.npositions = role->body->last ? order_end(role->body->last) + 1 : 0;
    in.ops = arena_alloc(module, (size_t)(in.npositions + 1) * sizeof *in.ops);
    ir_walk(role->body, visit_touch, &in);
    ir_walk(role->body, visit_subtiles, &in);

    Pressure peak = {0, kernel->loc, ""};
    int worst = 0;
    for (int position = 0; position < in.npositions; position++) {
        int registers = registers_at(&in, position);
        if (registers > peak.registers && in.ops[position]) {
            peak.registers = registers;
            peak.loc = in.ops[position]->loc;
            worst = position;
        }
    }
    if (peak.registers > most)
        peak.tiles = tiles_at(&in, worst);
    return peak;
}

Pressure plan_pressure(Kernel *kernel, const Role *role, int most)
{
    const Pressure all = pressure(kernel, role, most, true);
    return all.registers > most ? pressure(kernel, role, most, false) : all;
}
