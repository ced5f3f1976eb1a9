/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * variables.c - from SSA values back to C variables, and the names in the .cu.
 *
 *   %acc0 = full 0                              auto acc = ws::full<...>(0);
 *   %acc3 = for 0, %K, 64, %acc0 (%k, %acc1)    for (int k = 0; k < p.K; k += 64) {
 *     %t = mma %ta, %tb, %acc1                      ws::mma(acc, ...);
 *     %acc2 = wait 1, %t                            ws::wait<1>(acc);
 *     yield %acc2                               }
 *
 * Four steps for each role:
 *   form    a value is printed at its one use (inline), is a field of the parameter struct (what the launcher can compute),
 *           or needs a variable.  An unnamed expression is moved to its use only inside its block and not across memory it
 *           reads; scalars whose leaves do not change may sink into nested blocks.
 *   live    ranges of positions; the arms of an `if` exclude each other, a loop that a value enters is covered as a whole; an
 *           inlined expression's operands live until it is printed.
 *   merge   a loop's argument, its initial value, what is yielded and its result, a product's accumulator before and after,
 *           a token and its tile become one variable unless their ranges overlap.  First those that the hardware updates in
 *           place: a copy of an accumulator in flight is never printed.
 *   name    the user's names; a name is used again only where the scopes are apart.
 */
#include <string.h>

#include "plan.h"
#include "slice.h"

typedef enum { FORM_NONE, FORM_INLINE, FORM_FIELD, FORM_LOCAL } Form;

enum { MAX_RANGES = 8 };

/* Half open, in halves of positions: read at 2 p, written at 2 p + 1.  */
typedef struct {
    int begin, end;
} Range;

typedef struct {
    Value *value;
    Form form;
    int mentions; /* uses in the program */
    int uses;     /* those that are printed in the role */
    Op *user;     /* of one of these */
    Range ranges[MAX_RANGES];
    int nranges;
    int class_;      /* representative's index */
    int next_member; /* circular list */
    int same;        /* index of a value that this one is a new name for */
} Fact;

typedef struct {
    Kernel *kernel;
    Role *role;
    Fact *facts; /* in program order */
    int count, capacity;
    int *index; /* by value id, -1 for values of other roles */
    Op *grid;
} Namer;

/* ---- collecting -------------------------------------------------------------------------------------------------- */

static Fact *fact_of(const Namer *in, const Value *value)
{
    int i = in->index[value->id];
    return i < 0 ? NULL : &in->facts[i];
}

static void add_fact(Namer *in, Value *value)
{
    if (in->count == in->capacity) {
        int capacity = in->capacity ? 2 * in->capacity : 64;
        Fact *facts = arena_alloc(in->kernel->module, (size_t)capacity * sizeof *facts);
        if (in->count)
            memcpy(facts, in->facts, (size_t)in->count * sizeof *facts);
        in->facts = facts;
        in->capacity = capacity;
    }
    in->index[value->id] = in->count;
    in->facts[in->count] = (Fact){.value = value, .class_ = in->count, .next_member = in->count, .same = in->count};
    in->count++;
}

static void visit_values(Op *op, void *context)
{
    Namer *in = context;
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            add_fact(in, op->blocks[k]->args[i]);
    for (int i = 0; i < op->nresults; i++)
        add_fact(in, op->results[i]);
}

/* The launcher makes tensors and the grid; a role only names them.  */
static bool is_launchers(const Op *op)
{
    return op->code == OP_TENSOR || op->code == OP_GRID;
}

static void visit_mentions(Op *op, void *context)
{
    Namer *in = context;
    for (int i = 0; i < op->nargs; i++) {
        Fact *fact = fact_of(in, op->args[i]);
        if (fact)
            fact->mentions++;
    }
}

/* ---- form -------------------------------------------------------------------------------------------------------- */

/* Scalar expressions that cost nothing to compute again, as a loop's header does.  */
static bool is_cheap(const Value *value, int depth)
{
    const Op *op = value->def;
    if (!op)
        return true;
    if (op_info[op->code].class_ != CLASS_SCALAR || op->code == OP_MATHI || depth == 0)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!is_cheap(op->args[i], depth - 1))
            return false;
    return true;
}

/* Nothing but pure ops stands between the definition and its use in the same block, so a tile expression may be printed at
   the use: it crosses no store, no barrier and no product.  */
static bool reaches_quietly(const Op *def, Op *user)
{
    if (!user || user->parent != def->parent)
        return false;
    for (const Op *op = def->next; op && op != user; op = op->next)
        if (!op_is_pure(op))
            return false;
    return true;
}

static bool is_loop_bound(const Op *user, const Value *value)
{
    return user->code == OP_FOR && (user->args[1] == value || user->args[2] == value);
}

/* Something with a C name of its own, or a literal.  */
static bool is_leaf(const Namer *in, const Value *value)
{
    const Fact *fact = fact_of(in, value);
    return !fact || !value->def || value->def->code == OP_CONST || value->name || fact->mentions > 1;
}

static Form scalar_form(const Namer *in, const Fact *fact)
{
    const Value *value = fact->value;
    const Op *op = value->def;
    bool prologue = op->parent == in->role->body;
    if (op->code == OP_CONST)
        return FORM_INLINE;
    if (op->code == OP_CONVI && !value->name && is_leaf(in, op->args[0]))
        return FORM_INLINE;
    bool once = fact->uses == 1 && !value->name && op_info[op->code].class_ == CLASS_SCALAR;
    if (once && is_cheap(value, 4))
        return FORM_INLINE;
    if (prologue && value_on_host(value))
        return FORM_FIELD;
    if (once && !is_loop_bound(fact->user, value) && fact->user->parent == op->parent)
        return FORM_INLINE;
    return FORM_LOCAL;
}

static Form result_form(const Namer *in, const Fact *fact)
{
    const Value *value = fact->value;
    const Op *op = value->def;
    if (op_is_pure(op) && !fact->uses)
        return FORM_NONE;
    if (op->code == OP_VIEW || op->code == OP_TRANS_VIEW || op->code == OP_SPLAT)
        return FORM_INLINE;
    if (op->code == OP_TENSOR)
        return FORM_FIELD;
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
        return scalar_form(in, fact);
    case CLASS_READ:
    case CLASS_TILE:
    case CLASS_LOAD:
        if (!op_is_pure(op) || value->name || op->storage || fact->uses != 1 || fact->user->code == OP_YIELD)
            return FORM_LOCAL;
        return reaches_quietly(op, fact->user) && !is_loop_bound(fact->user, value) ? FORM_INLINE : FORM_LOCAL;
    default:
        return FORM_LOCAL;
    }
}

/* ---- live -------------------------------------------------------------------------------------------------------- */

static const Block *home_block(const Value *value)
{
    return value->def ? value->def->parent : value->block;
}

static int begin_of(const Value *value)
{
    if (value->def)
        return 2 * order_end(value->def) + 1;
    const Op *holder = value->block->parent;
    if (!holder)
        return 0;
    bool body_of_while = holder->code == OP_WHILE && value->block == holder->blocks[1];
    return 2 * (body_of_while ? holder->blocks[0]->last->position : holder->position) + 1;
}

static void add_range(Fact *fact, int begin, int end)
{
    for (int i = 0; i < fact->nranges; i++) {
        Range *range = &fact->ranges[i];
        bool touches = begin <= range->end && range->begin <= end;
        if (!touches && (i < MAX_RANGES - 1 || fact->nranges < MAX_RANGES))
            continue;
        range->begin = begin < range->begin ? begin : range->begin;
        range->end = end > range->end ? end : range->end;
        return;
    }
    fact->ranges[fact->nranges++] = (Range){begin, end};
}

/* The value is read when `op` is printed, at position `at`: from its definition on the way down to there.  */
static void extend(Namer *in, Value *value, Op *op, int at)
{
    Fact *fact = fact_of(in, value);
    if (!fact)
        return;
    if (fact->form == FORM_INLINE && value->def) {
        for (int i = 0; i < value->def->nargs; i++)
            extend(in, value->def->args[i], op, at);
        return;
    }
    const Block *block = home_block(value);
    int begin = begin_of(value);
    for (;;) {
        Op *here = order_in_block(op, block);
        if (!here) { /* from one block of a while to the other */
            add_range(fact, begin, 2 * order_end(block->parent));
            return;
        }
        if (here == op || op_is_loop(here)) {
            add_range(fact, begin, 2 * (here == op ? at : order_end(here)));
            return;
        }
        add_range(fact, begin, 2 * here->position);
        for (int k = 0; k < here->nblocks; k++)
            if (ir_inside(op, here->blocks[k]))
                block = here->blocks[k];
        begin = 2 * block->first->position - 1;
    }
}

static void visit_live(Op *op, void *context)
{
    Namer *in = context;
    bool inlined = op->nresults == 1 && op_is_pure(op) && fact_of(in, op->results[0])->form != FORM_LOCAL;
    if (inlined)
        return;
    for (int i = 0; i < op->nargs; i++)
        extend(in, op->args[i], op, op->code == OP_FOR && (i == 1 || i == 2) ? order_end(op) : op->position);
}

/* ---- merge ------------------------------------------------------------------------------------------------------- */

static bool one_type(Type x, Type y)
{
    x.kind = x.kind == K_TOKEN ? K_TILE : x.kind;
    y.kind = y.kind == K_TOKEN ? K_TILE : y.kind;
    return type_equal(x, y);
}

static bool overlap(const Fact *x, const Fact *y)
{
    for (int i = 0; i < x->nranges && x->same != y->same; i++)
        for (int k = 0; k < y->nranges; k++)
            if (x->ranges[i].begin < y->ranges[k].end && y->ranges[k].begin < x->ranges[i].end)
                return true;
    return false;
}

static bool classes_overlap(const Namer *in, int x, int y)
{
    int i = x;
    do {
        int k = y;
        do {
            if (overlap(&in->facts[i], &in->facts[k]))
                return true;
            k = in->facts[k].next_member;
        } while (k != y);
        i = in->facts[i].next_member;
    } while (i != x);
    return false;
}

static void join(Namer *in, int x, int y)
{
    int class_ = in->facts[x].class_ < in->facts[y].class_ ? in->facts[x].class_ : in->facts[y].class_;
    for (int side = 0; side < 2; side++) {
        int i = side ? y : x;
        do {
            in->facts[i].class_ = class_;
            i = in->facts[i].next_member;
        } while (i != (side ? y : x));
    }
    int next = in->facts[x].next_member;
    in->facts[x].next_member = in->facts[y].next_member;
    in->facts[y].next_member = next;
}

static bool merge(Namer *in, const Value *x, const Value *y)
{
    Fact *fx = x ? fact_of(in, x) : NULL, *fy = y ? fact_of(in, y) : NULL;
    if (!fx || !fy || fx->form != FORM_LOCAL || fy->form != FORM_LOCAL || !one_type(x->type, y->type))
        return false;
    if (fx->class_ == fy->class_)
        return true;
    if (classes_overlap(in, in->index[x->id], in->index[y->id]))
        return false;
    join(in, in->index[x->id], in->index[y->id]);
    return true;
}

static void visit_merge_loop_names(Op *op, void *context)
{
    Namer *in = context;
    for (int i = 0; i < carried_count(op); i++) {
        Carried names = carried(op, i);
        Value *argument = names.body_argument ? names.body_argument : names.argument;
        if (!merge(in, argument, names.result) && fact_of(in, names.result)->form == FORM_LOCAL)
            BUG(in->kernel, "a loop's result cannot share its argument's variable");
    }
}

static void visit_merge_in_place(Op *op, void *context)
{
    Namer *in = context;
    if (op_writes_in_place(op))
        merge(in, op->args[2], op->results[0]);
    if (op->code == OP_WAIT)
        for (int i = 0; i < op->nresults && i < op->nargs; i++)
            merge(in, op->args[i], op->results[i]);
}

/* Tiles first (a copy of a tile costs), then scalars.  */
static void merge_carried(Namer *in, Op *op, bool tiles)
{
    for (int i = 0; i < carried_count(op); i++) {
        Carried names = carried(op, i);
        if (value_is_tile(names.argument) != tiles)
            continue;
        merge(in, names.argument, names.body_argument);
        merge(in, names.argument, names.exit);
        merge(in, names.argument, names.next);
        merge(in, names.argument, names.init);
    }
    for (int i = 0; op->code == OP_IF && i < op->nresults; i++)
        for (int k = 0; k < op->nblocks; k++)
            if (value_is_tile(op->results[i]) == tiles)
                merge(in, op->results[i], op->blocks[k]->last->args[i]);
}

static void visit_merge_tiles(Op *op, void *context)
{
    merge_carried(context, op, true);
}

static void visit_merge_scalars(Op *op, void *context)
{
    merge_carried(context, op, false);
}

static bool is_slot(const Value *value)
{
    return value->def && (value->def->code == OP_GET || value->def->code == OP_PUT);
}

/* `x = ws_exp2 (x)` stays one variable where the user wrote one.  */
static void merge_versions(Namer *in)
{
    for (int i = 0; i < in->count; i++) {
        const Value *value = in->facts[i].value;
        for (int k = i - 1; k >= 0 && value->name && value->def && !is_slot(value); k--) {
            const Value *other = in->facts[k].value;
            if (!other->name || !other->def || other->def->parent != value->def->parent ||
                strcmp(value->name, other->name))
                continue;
            if (value_is_tile(value) || value->type.kind == K_SCALAR)
                merge(in, value, other);
            break;
        }
    }
}

static void merge_all(Namer *in)
{
    for (int i = 0; i < in->count; i++) {
        Op *op = in->facts[i].value->def;
        const Fact *source = op && op->code == OP_WAIT ? fact_of(in, op->args[in->facts[i].value->index]) : NULL;
        if (source)
            in->facts[i].same = source->same;
    }
    ir_walk(in->role->body, visit_merge_loop_names, in);
    ir_walk(in->role->body, visit_merge_in_place, in);
    ir_walk(in->role->body, visit_merge_tiles, in);
    ir_walk(in->role->body, visit_merge_scalars, in);
    merge_versions(in);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* Where a variable is first written for this member: the op, and whether it may be declared there with its value.  */
typedef struct {
    Op *op;
    bool with_value;
} Write;

static Write first_write(const Value *value)
{
    if (value->def) {
        Op *op = value->def;
        return (Write){op, op->code != OP_IF && op->code != OP_WHILE};
    }
    Op *holder = value->block->parent;
    return (Write){holder, holder && !(holder->code == OP_WHILE && value->block == holder->blocks[1])};
}

static bool block_holds(const Block *outer, const Block *inner)
{
    for (; inner; inner = inner->parent ? inner->parent->parent : NULL)
        if (inner == outer)
            return true;
    return false;
}

static bool is_counter(const Value *value)
{
    return !value->def && value->block->parent && value->index == 0 && value->block->parent->code == OP_FOR;
}

/* The common block of all writes, and the op in it that comes first.  */
static void place(const Namer *in, int class_, Variable *variable)
{
    Block *block = NULL;
    Write first = {NULL, false};
    int writes = 0, i = class_;
    do {
        Write write = first_write(in->facts[i].value);
        if (write.op) {
            Block *home = write.op->parent;
            for (block = block ? block : home; !block_holds(block, home); block = block->parent->parent)
                ;
            if (!first.op || write.op->position < first.op->position)
                first = write;
            writes++;
        }
        i = in->facts[i].next_member;
    } while (i != class_);
    if (!first.op)
        return;
    variable->declared = order_in_block(first.op, block);
    variable->bare = variable->declared != first.op || !first.with_value;
    variable->mutable_ |= writes > 1 || variable->bare;
}

/* A loop's argument, an accumulator and what a wait pins are written in place.  */
static bool member_is_mutable(const Namer *in, const Value *value)
{
    const Op *op = value->def;
    if (!op)
        return value->block->parent && value->block->parent->code != OP_GRID;
    if (op->code == OP_WAIT || op->code == OP_IF || op->code == OP_WHILE || op->code == OP_FOR ||
        op_writes_in_place(op))
        return true;
    const Op *user = in->facts[in->index[value->id]].user;
    return user && value_is_tile(value) && user->code == OP_WAIT;
}

static void visit_pinned(Op *op, void *context)
{
    Namer *in = context;
    for (int i = 0; op->code == OP_WAIT && i < op->nargs; i++)
        if (op->args[i]->var && op->args[i]->var->role)
            op->args[i]->var->mutable_ = true;
    (void)in;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* C names that C++ takes for itself, and the runtime's namespace.  */
static const char *const reserved_words[] = {"alignas",
                                             "alignof",
                                             "and",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "catch",
                                             "char16_t",
                                             "char32_t",
                                             "class",
                                             "compl",
                                             "concept",
                                             "const_cast",
                                             "constexpr",
                                             "decltype",
                                             "delete",
                                             "dynamic_cast",
                                             "explicit",
                                             "export",
                                             "false",
                                             "friend",
                                             "linux",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "reinterpret_cast",
                                             "requires",
                                             "static_assert",
                                             "static_cast",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typeid",
                                             "typename",
                                             "typeof",
                                             "unix",
                                             "using",
                                             "virtual",
                                             "wchar_t",
                                             "ws",
                                             "xor",
                                             "xor_eq"};

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved_words / sizeof *reserved_words; i++)
        if (!strcmp(name, reserved_words[i]))
            return true;
    return false;
}

/* What a role's function names already: its parameters, the walk over tiles, rings, what copies save.  */
static bool is_taken_in_role(const Kernel *kernel, const char *name)
{
    FOR_AREFS (aref, kernel)
        if (!strcmp(name, aref->name))
            return true;
    return !strcmp(name, "p") || !strcmp(name, "s") || !strcmp(name, "t") || !strcmp(name, "go_on") ||
           !strncmp(name, "saved_", 6);
}

static const Block *scope_of(const Variable *variable, const Value *value)
{
    if (is_counter(value) || !variable->declared)
        return home_block(value);
    return variable->declared->parent;
}

typedef struct NameScope NameScope;
struct NameScope {
    const Variable *variable;
    const Block *scope;
    NameScope *next;
};

/* Both blocks of a while are one block in C.  */
static const Block *written_block(const Block *block)
{
    const Op *op = block->parent;
    return op && op->code == OP_WHILE ? op->blocks[0] : block;
}

static bool scope_holds(const Block *outer, const Block *inner)
{
    while (written_block(inner) != written_block(outer) && inner->parent)
        inner = inner->parent->parent;
    return written_block(inner) == written_block(outer);
}

static bool name_free(const Namer *in, const NameScope *taken, const char *name, const Block *scope)
{
    if (is_reserved(name) || is_taken_in_role(in->kernel, name))
        return false;
    for (; taken; taken = taken->next)
        if (!strcmp(taken->variable->name, name) &&
            (scope_holds(taken->scope, scope) || scope_holds(scope, taken->scope)))
            return false;
    return true;
}

/* "slot", or with several rings "tk_slot" of the ring "tk_ring".  */
static const char *slot_name(const Kernel *kernel, const Aref *aref)
{
    bool only = kernel->arefs && !kernel->arefs->next;
    if (only || !aref)
        return "slot";
    size_t length = strlen(aref->name);
    bool ring = length > 5 && !strcmp(aref->name + length - 5, "_ring");
    return arena_print(kernel->module, "%.*s_slot", (int)(ring ? length - 5 : length), aref->name);
}

static const char *default_name(const Kernel *kernel, const Value *value)
{
    const Op *op = value->def;
    if (op && op->code == OP_STAGE && op->storage)
        return arena_print(kernel->module, "%s_view", op->storage->name);
    if (op && op_writes_in_place(op))
        return "acc";
    if (value->type.kind == K_TENSOR)
        return "part";
    if (value->type.kind == K_SCALAR)
        return value->type.dtype == D_I1 ? "condition" : "n";
    return "x";
}

static int name_count(const Namer *in, int class_, const char *name)
{
    int count = 0, i = class_;
    do {
        count += in->facts[i].value->name && !strcmp(in->facts[i].value->name, name);
        i = in->facts[i].next_member;
    } while (i != class_);
    return count;
}

/* What most of the members are called, the earlier name when two are as frequent.  */
static const char *class_name(const Namer *in, int class_)
{
    const char *best = NULL;
    int most = 0, i = class_;
    do {
        const Value *value = in->facts[i].value;
        if (is_slot(value))
            return slot_name(in->kernel, value->def->aref);
        int count = value->name ? name_count(in, class_, value->name) : 0;
        if (count > most) {
            most = count;
            best = value->name;
        }
        i = in->facts[i].next_member;
    } while (i != class_);
    if (best)
        return best;
    for (i = in->facts[class_].next_member; i != class_; i = in->facts[i].next_member)
        if (in->facts[i].value->def && op_writes_in_place(in->facts[i].value->def))
            return "acc";
    return default_name(in->kernel, in->facts[class_].value);
}

static const char *unique_name(const Namer *in, const NameScope *taken, const char *name, const Block *scope)
{
    const char *unique = name;
    for (int i = 2; !name_free(in, taken, unique, scope); i++)
        unique = arena_print(in->kernel->module, "%s_%d", name, i);
    return unique;
}

static Variable *variable_new(Kernel *kernel, Role *role, Type type)
{
    Variable *variable = arena_alloc(kernel->module, sizeof *variable);
    variable->type = type;
    variable->role = role;
    Variable **end = &kernel->variables;
    while (*end)
        end = &(*end)->next;
    *end = variable;
    return variable;
}

/* ---- the launcher's variables ------------------------------------------------------------------------------------ */

/* Parameters are names of the launcher's function, which has two of its own; scalars among them and everything computed
   are members of the parameter struct, as is the grid.  */
static bool is_parameter(const Value *value)
{
    return !value->def;
}

static bool is_member(const Value *value)
{
    return value->def || value->type.kind == K_SCALAR;
}

static bool launcher_name_free(const Kernel *kernel, const char *name, const Value *value)
{
    bool own = is_parameter(value) && (!strcmp(name, "p") || !strcmp(name, "call"));
    if (own || (is_member(value) && !strcmp(name, "grid")) || is_reserved(name))
        return false;
    for (const Variable *other = kernel->variables; other; other = other->next) {
        bool meet =
            !other->role && other->name &&
            ((is_parameter(value) && is_parameter(other->value)) || (is_member(value) && is_member(other->value)));
        if (meet && !strcmp(other->name, name))
            return false;
    }
    return true;
}

static Variable *launcher_variable(Kernel *kernel, Value *value, const char *fallback)
{
    const char *name = value->name ? value->name : fallback, *unique = name;
    for (int i = 2; !launcher_name_free(kernel, unique, value); i++)
        unique = arena_print(kernel->module, "%s_%d", name, i);
    Variable *variable = variable_new(kernel, NULL, value->type);
    variable->name = unique;
    variable->value = value;
    return variable;
}

/* Every role has its own copy of the prologue: two values are one when their expressions and names are.  */
static bool same_on_host(const Value *x, const Value *y)
{
    if (x == y)
        return true;
    const Op *a = x->def, *b = y->def;
    if (!a || !b || a->code != b->code || a->nargs != b->nargs || a->ival != b->ival || a->fval != b->fval ||
        !type_equal(x->type, y->type))
        return false;
    if ((a->sval || b->sval) && (!a->sval || !b->sval || strcmp(a->sval, b->sval)))
        return false;
    for (int i = 0; i < a->nargs; i++)
        if (!same_on_host(a->args[i], b->args[i]))
            return false;
    return true;
}

static bool same_name(const char *x, const char *y)
{
    return x == y || (x && y && !strcmp(x, y));
}

static Variable *field_of(Kernel *kernel, Value *value)
{
    for (Variable *variable = kernel->variables; variable; variable = variable->next)
        if (!variable->role && variable->field && same_name(variable->value->name, value->name) &&
            same_on_host(variable->value, value))
            return variable;
    Variable *variable = launcher_variable(kernel, value, value->type.kind == K_TENSOR ? "tensor" : "n");
    variable->field = true;
    return variable;
}

static void param_variables(Kernel *kernel)
{
    for (int i = 0; i < kernel->nparams; i++)
        kernel->params[i]->var = launcher_variable(kernel, kernel->params[i], "value");
}

/* A scalar parameter that a role reads is a field too.  */
static void mark_field(Namer *in, const Value *value, int depth)
{
    const Fact *fact = fact_of(in, value);
    if (!fact) {
        if (value->var && value->type.kind == K_SCALAR)
            value->var->field = true;
    } else if (fact->form == FORM_INLINE && value->def) {
        for (int i = 0; i < value->def->nargs; i++)
            mark_field(in, value->def->args[i], depth + 1);
    }
}

static void visit_fields(Op *op, void *context)
{
    Namer *in = context;
    bool printed = !(op->nresults == 1 && op_is_pure(op) && fact_of(in, op->results[0])->form != FORM_LOCAL);
    for (int i = 0; printed && !is_launchers(op) && i < op->nargs; i++)
        mark_field(in, op->args[i], 0);
}

/* The tile's ordinal, behind a grid's induction variables, is asked for where it is used.  */
static bool is_ordinal(const Value *value)
{
    const Op *holder = value->block->parent;
    return holder && holder->code == OP_GRID && value->index >= holder->nargs / 3;
}

/* ---- one role ---------------------------------------------------------------------------------------------------- */

/* Backwards, since what an op uses depends on whether it is printed in the role at all.  */
static void settle_block(Namer *in, const Block *block)
{
    for (Op *op = block->last; op; op = op->prev) {
        bool printed = !is_launchers(op);
        for (int i = 0; i < op->nresults; i++) {
            Fact *fact = fact_of(in, op->results[i]);
            fact->form = result_form(in, fact);
            printed &= !op_is_pure(op) || fact->form == FORM_INLINE || fact->form == FORM_LOCAL;
        }
        for (int k = op->nblocks - 1; k >= 0; k--)
            settle_block(in, op->blocks[k]);
        for (int i = 0; printed && i < op->nargs; i++) {
            Fact *fact = fact_of(in, op->args[i]);
            if (fact) {
                fact->uses++;
                fact->user = op;
            }
        }
    }
}

static void settle_forms(Namer *in)
{
    for (int i = 0; i < in->count; i++)
        if (!in->facts[i].value->def)
            in->facts[i].form = is_ordinal(in->facts[i].value) ? FORM_NONE : FORM_LOCAL;
    settle_block(in, in->role->body);
}

/* What counts a loop's iterations or names the grid's tile: no other value may move in, even when nobody looks again.  */
static bool is_loops_own(const Value *value)
{
    return is_counter(value) || (!value->def && value->block->parent && value->block->parent->code == OP_GRID);
}

static void settle_ranges(Namer *in)
{
    for (int i = 0; i < in->count; i++) {
        Fact *fact = &in->facts[i];
        int begin = begin_of(fact->value);
        fact->nranges = 0;
        add_range(fact, begin, is_loops_own(fact->value) ? 2 * order_end(fact->value->block->parent) : begin + 1);
    }
    ir_walk(in->role->body, visit_live, in);
}

static void make_variables(Namer *in)
{
    NameScope *taken = NULL;
    for (int i = 0; i < in->count; i++) {
        Fact *fact = &in->facts[i];
        fact->value->var = NULL;
        if (fact->form == FORM_FIELD)
            fact->value->var = field_of(in->kernel, fact->value);
        if (fact->form != FORM_LOCAL)
            continue;
        if (fact->class_ != i) {
            fact->value->var = in->facts[fact->class_].value->var;
        } else {
            Variable *variable = variable_new(in->kernel, in->role, fact->value->type);
            place(in, i, variable);
            const Block *scope = scope_of(variable, fact->value);
            variable->name = unique_name(in, taken, class_name(in, i), scope);
            NameScope *entry = arena_alloc(in->kernel->module, sizeof *entry);
            *entry = (NameScope){variable, scope, taken};
            taken = entry;
            fact->value->var = variable;
        }
        fact->value->var->mutable_ |= member_is_mutable(in, fact->value);
    }
}

static void role_variables(Kernel *kernel, Role *role)
{
    int nvalues = kernel->module->next_id;
    Namer in = {.kernel = kernel, .role = role, .grid = role_grid(role)};
    in.index = arena_alloc(kernel->module, (size_t)nvalues * sizeof *in.index);
    memset(in.index, 0xff, (size_t)nvalues * sizeof *in.index);
    for (int i = 0; i < role->body->nargs; i++)
        add_fact(&in, role->body->args[i]);
    order_number(role);
    ir_walk(role->body, visit_values, &in);
    ir_walk(role->body, visit_mentions, &in);
    settle_forms(&in);
    settle_ranges(&in);
    merge_all(&in);
    make_variables(&in);
    ir_walk(role->body, visit_pinned, &in);
    ir_walk(role->body, visit_fields, &in);
}

static bool storage_named(const Kernel *kernel, const char *name)
{
    FOR_STORAGES (storage, kernel)
        if (!strcmp(storage->name, name))
            return true;
    return false;
}

/* A member of the shared struct bears the name of the user's tile.  */
static void name_storages(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel) {
        const char *name = storage->name;
        if (!is_reserved(name))
            continue;
        do
            name = arena_print(kernel->module, "%s_", name);
        while (storage_named(kernel, name));
        storage->name = name;
    }
}

void plan_variables(Kernel *kernel)
{
    kernel->variables = NULL;
    name_storages(kernel);
    param_variables(kernel);
    FOR_ROLES (role, kernel)
        role_variables(kernel, role);
}
