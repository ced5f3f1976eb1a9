/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simplify.c - a function with its values in their normal form.
 *
 *      t1 = add.i32 i.3, 1                          t1 = load.f32 x.2
 *      j.4 = copy.i32 t1                            t2 = conv.i32.i64 i.3
 *      t2 = sub.i32 j.4, 1                          t3 = mul.i64 t2, 4
 *      t3 = conv.i32.i64 t2              =>         t4 = add.p x.2, t3
 *      t4 = mul.u64 t3, 4                           store.f32 t4, t1
 *      t5 = add.p x.2, t4
 *      t6 = load.f32 x.2
 *      store.f32 t5, t6
 *
 * Each temporary and each variable at the ends of blocks gets a value (values.h): SSA, with a leaf where paths with
 * different values meet. Memory has states in the same way, so that a load finds the store or the load before it. Then
 * the instructions are written again: those with effects in their order, and before each the values that it reads. A
 * variable is assigned at the end of a block, where a block behind reads it. A value that several blocks read is kept
 * in a variable, unless it is an address or a constant.
 *
 * A value with a name of the user's keeps it, and is computed where the program first names it. A sum is computed from
 * such a sum, if that takes fewer operations.
 *
 * Behind this pass an operation of an i type may compute a value that overflows, and that nothing uses. The results of
 * such operations are not undefined behaviour, they are any value.
 */
#include <string.h>

#include "source/passes.h"
#include "source/values.h"

/* A state of memory: as an instruction has left it.  */
typedef struct Load Load;
typedef struct Memory {
    struct Memory *before; /* NULL: nothing is known of it */
    SourceValue *address;  /* of `bytes` bytes that were written */
    SourceValue *stored;   /* and the value, or NULL */
    SourceType type;
    long bytes;
    Load *loads;
} Memory;

struct Load {
    SourceType type;
    SourceValue *address, *value;
    Load *next;
};

/* Where a value is held, by its id. Behind the block in which that is so, a variable can take it.  */
typedef struct {
    Operand operand;
    SourceType type;
    Instruction *made; /* NULL: a variable holds it from the block's start */
    SourceBlock *in;
    int block;
    SourceVariable *saved;
    Operand other; /* the same bits as `other_type`, in `other_block` */
    SourceType other_type;
    int other_block;
    SourceVariable *holder; /* from the start of `holder_block` on */
    int holder_block;
} Held;

typedef struct {
    SourceFunction *function;
    Module *module;
    SourceFlow *flow;
    SourceLive live;
    SourceValues *values;
    int nvariables, *depth;
    SourceValue **start, **end; /* by block and variable */
    Memory **memory_start, **memory_end;
    SourceValue **temporaries;
    bool *assigned, *writes; /* in the loop of a header: a variable; memory */
    bool *settled;           /* the variable has its first value in all iterations */
    bool *is_grid;           /* by header: a grid's, whose launcher gets the user's variables as they are */
    bool *escaped;           /* by object */
    /* Writing. */
    Held *held;
    int b;
    SourceBlock *block;
    const Instruction **places; /* of the last copy to each variable in the block */
    SourceValue **sums;         /* that have names and are held somewhere */
    int nsums;
    const Instruction *reader; /* that is written */
} Simplifier;

#define AT(list, block, variable) ((list)[(size_t)(block) * (size_t)s->nvariables + (size_t)(variable)])

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static const SourceValue *base_of(const SourceValue *address)
{
    if (address->kind == VALUE_OBJECT || address->kind == VALUE_SYMBOL)
        return address;
    for (int i = 0; address->kind == VALUE_SUM && i < address->n; i++)
        if (address->factors[i] == 1 &&
            (address->args[i]->kind == VALUE_OBJECT || address->args[i]->kind == VALUE_SYMBOL))
            return address->args[i];
    return NULL;
}

static bool is_own(const Simplifier *s, const SourceValue *base)
{
    return base && base->kind == VALUE_OBJECT && !s->escaped[((const SourceObject *)base->what)->id];
}

static bool are_apart(Simplifier *s, SourceValue *a, long abytes, SourceValue *b, long bbytes)
{
    const SourceValue *base = base_of(a), *other = base_of(b);
    if (base && other && base != other)
        return base->code != SO_STRING || other->code != SO_STRING;
    if (base != other && (is_own(s, base) || is_own(s, other)))
        return true;
    const SourceValue *difference = value_difference(s->values, b, a);
    if (difference->kind != VALUE_INTEGER)
        return false;
    const int64_t d = value_signed(difference);
    return d >= abytes || -d >= bbytes;
}

/* An object escapes if its address is more than the address of a load, a store, or a move.  */
static void find_escapes(Simplifier *s)
{
    s->escaped = arena_alloc(s->module, (size_t)s->function->nobjects + 1);
    SourceObject **of = arena_alloc(s->module, ((size_t)s->function->ntemporaries + 1) * sizeof(SourceObject *));
    for (int b = 0; b < s->flow->n; b++)
        for (Instruction *i = s->flow->order[b]->first; i; i = i->next) {
            if (i->code == SO_ADDR)
                of[i->temporary] = i->object;
            for (int k = 0; k < source_noperands(i); k++) {
                const Operand *x = source_operand(i, k);
                SourceObject *object = x->kind == OPERAND_TEMPORARY ? of[x->temporary] : NULL;
                if (!object)
                    continue;
                if (i->code == SO_ADD && k == 0)
                    of[i->temporary] = object;
                else if (!(i->code == SO_LOAD || i->code == SO_ZERO || i->code == SO_MOVE ||
                           (i->code == SO_STORE && k == 0)))
                    s->escaped[object->id] = true;
            }
        }
}

static Memory *memory_new(Simplifier *s, Memory *before, SourceValue *address, long bytes)
{
    Memory *memory = arena_alloc(s->module, sizeof *memory);
    memory->before = before;
    memory->address = address;
    memory->bytes = bytes;
    return memory;
}

/* The bytes of a global that nobody writes.  */
static SourceValue *load_constant(Simplifier *s, SourceType type, const SourceValue *address)
{
    const SourceValue *base = base_of(address);
    if (!base || base->code != SO_GLOBAL || type == ST_P || (address->kind == VALUE_SUM && address->n > 1))
        return NULL;
    const long offset = address->kind == VALUE_SUM ? (long)address->number : 0;
    const int bytes = source_type_bytes(type);
    const SourceGlobal *global = s->function->unit->globals;
    while (global && strcmp(global->name, base->what) != 0)
        global = global->next;
    if (!global || !global->is_known || !global->is_defined || offset < 0 || offset + bytes > global->bytes)
        return NULL;
    for (const SourceRelocation *r = global->relocations; r; r = r->next)
        if (r->offset < offset + bytes && offset < r->offset + 8)
            return NULL;
    uint64_t x = 0;
    for (int i = 0; global->initial && i < bytes; i++)
        x |= (uint64_t)global->initial[offset + i] << 8 * i;
    if (!source_type_is_float(type))
        return value_integer(s->values, x, source_type_width(type));
    float f;
    double d;
    memcpy(&f, &x, sizeof f);
    memcpy(&d, &x, sizeof d);
    return value_float(s->values, type == ST_F32 ? (double)f : d, type);
}

static bool same_bits(SourceType a, SourceType b)
{
    return a == b ||
           (!source_type_is_float(a) && !source_type_is_float(b) && source_type_width(a) == source_type_width(b));
}

/* The value of the bytes at `address`, or NULL.  */
static SourceValue *find_load(Simplifier *s, SourceType type, SourceValue *address, Memory *memory)
{
    for (; memory; memory = memory->before) {
        for (const Load *load = memory->loads; load; load = load->next)
            if (load->address == address && same_bits(load->type, type) &&
                source_dominates(s->flow, load->value->home, s->b))
                return load->value;
        if (!memory->address)
            return NULL;
        if (memory->stored && memory->address == address && same_bits(memory->type, type) && type != ST_B)
            return memory->stored;
        if (!are_apart(s, memory->address, memory->bytes, address, source_type_bytes(type)))
            return NULL;
    }
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static SourceValue *value_of(Simplifier *s, Operand x, SourceType type)
{
    switch (x.kind) {
    case OPERAND_TEMPORARY:
        return s->temporaries[x.temporary];
    case OPERAND_VARIABLE:
        return AT(s->end, s->b, x.variable->id);
    case OPERAND_FLOAT:
        return value_float(s->values, x.number, type);
    default:
        if (source_type_is_float(type))
            return value_float(s->values, (double)(int64_t)x.integer, type);
        return value_integer(s->values, x.integer, source_type_width(type) ? source_type_width(type) : 64);
    }
}

static SourceValue *call_value(Simplifier *s, const Instruction *i)
{
    if (!i->symbol || !source_is_pure(i) || i->narguments > 3)
        return NULL;
    SourceValue *args[3];
    for (int k = 0; k < i->narguments; k++)
        args[k] = value_of(s, i->arguments[k].operand, i->arguments[k].type);
    return value_call(s->values, i->type, i->symbol, i->narguments, args);
}

/* A parameter that is an aggregate holds its address.  */
static SourceType held_type(const SourceVariable *variable)
{
    return source_type_is_aggregate(variable->type) ? ST_P : variable->type;
}

static const Declaration *name_of(const SourceVariable *variable)
{
    return source_has_name(variable) ? &variable->declaration : variable->holder;
}

/* A counter's next value is none of its own.  */
static void name_value(SourceValue *v, const SourceVariable *variable)
{
    bool counts = false;
    for (int i = 0; v->kind == VALUE_SUM && i < v->n; i++)
        counts |= v->args[i]->what == variable;
    if (!v->holder && !counts && (variable->declaration.name || v->kind == VALUE_SELECT))
        v->holder = name_of(variable);
    if (v->variable && !v->variable->declaration.name && !v->variable->holder)
        v->variable->holder = v->holder;
}

static SourceValue *leaf(Simplifier *s, const Instruction *i)
{
    return value_leaf(s->values, source_result_type(i), i, s->b);
}

static void load(Simplifier *s, const Instruction *i)
{
    Memory **memory = &s->memory_end[s->b];
    SourceValue *address = value_of(s, i->args[0], ST_P);
    if (i->is_volatile) {
        *memory = memory_new(s, *memory, NULL, 0);
        s->temporaries[i->temporary] = leaf(s, i);
        return;
    }
    SourceValue *value = load_constant(s, i->type, address);
    if (!value)
        value = find_load(s, i->type, address, *memory);
    if (!value) {
        value = leaf(s, i);
        Load *entry = arena_alloc(s->module, sizeof *entry);
        *entry = (Load){.type = i->type, .address = address, .value = value, .next = (*memory)->loads};
        (*memory)->loads = entry;
    }
    if (i->holders && !value->holder)
        value->holder = i->holders->declaration;
    s->temporaries[i->temporary] = value;
}

/* No kernel has it, and the message is about this place.  */
static bool is_handle_as_number(const Instruction *i)
{
    const Operand x = i->args[0];
    return i->is_volatile ||
           (i->from == ST_P && i->type != ST_P && x.kind == OPERAND_VARIABLE &&
            (x.variable->declaration.holds == HOLDS_TILE || x.variable->declaration.holds == HOLDS_TENSOR));
}

static void evaluate(Simplifier *s, const Instruction *i)
{
    SourceValues *values = s->values;
    SourceValue *made = NULL;
    values->loc = i->loc;
    values->inlined = i->inlined;
    Memory **memory = &s->memory_end[s->b];
    const Operand x = i->args[0], y = i->args[1];
    switch (source_op_form(i->code)) {
    case FORM_UNARY:
        made = value_unary(values, i->code, i->type, value_of(s, x, i->type));
        break;
    case FORM_BINARY:
        made = value_binary(values, i->code, i->type, value_of(s, x, i->type),
                            value_of(s, y, i->code == SO_ADD && i->type == ST_P ? ST_I64 : i->type));
        break;
    case FORM_COMPARE:
        made = value_compare(values, i->code, i->type, value_of(s, x, i->type), value_of(s, y, i->type));
        break;
    case FORM_CONVERT:
        made = is_handle_as_number(i) ? leaf(s, i)
                                      : value_convert(values, i->code, i->from, i->type, value_of(s, x, i->from));
        break;
    case FORM_SELECT:
        made = value_select(values, value_of(s, x, ST_B), value_of(s, y, i->type), value_of(s, i->args[2], i->type));
        break;
    case FORM_COPY:
        made = AT(s->end, s->b, i->variable->id) = value_of(s, x, i->type);
        name_value(made, i->variable);
        return;
    case FORM_LOAD:
        load(s, i);
        return;
    case FORM_OBJECT:
        made = value_object(values, i->object);
        break;
    case FORM_SYMBOL:
        made = value_symbol(values, i->code, i->symbol);
        break;
    case FORM_STRING:
        made = value_string(values, i->string, i->bytes);
        break;
    case FORM_ALLOCATE:
        made = leaf(s, i);
        break;
    case FORM_STORE:
        *memory = memory_new(s, *memory, value_of(s, x, ST_P), source_type_bytes(i->type));
        (*memory)->type = i->type;
        if (i->is_volatile)
            (*memory)->address = NULL;
        else
            (*memory)->stored = value_of(s, y, i->type);
        return;
    case FORM_MOVE:
    case FORM_ZERO:
        *memory = memory_new(s, *memory, value_of(s, x, ST_P), i->bytes);
        return;
    case FORM_CALL:
        made = call_value(s, i);
        if (made)
            break;
        if (!source_makes_tensor(i))
            *memory = memory_new(s, NULL, NULL, 0);
        if (i->temporary)
            made = leaf(s, i);
        break;
    default:
        return;
    }
    if (i->holders && made && !made->holder)
        made->holder = i->holders->declaration;
    if (i->temporary)
        s->temporaries[i->temporary] = made;
}

static bool writes_memory(const Instruction *i)
{
    const SourceForm form = source_op_form(i->code);
    return form == FORM_STORE || form == FORM_MOVE || form == FORM_ZERO || i->is_volatile ||
           (form == FORM_CALL && !source_is_pure(i) && !source_makes_tensor(i));
}

static void find_assigned(Simplifier *s)
{
    s->assigned = arena_alloc(s->module, (size_t)s->flow->n * (size_t)s->nvariables + 1);
    s->writes = arena_alloc(s->module, (size_t)s->flow->n);
    for (int b = 0; b < s->flow->n; b++)
        for (const Instruction *i = s->flow->order[b]->first; i; i = i->next)
            for (int h = s->flow->loop[b]; h >= 0; h = s->flow->outer[h]) {
                if (i->variable)
                    AT(s->assigned, h, i->variable->id) = true;
                s->writes[h] |= writes_memory(i);
            }
}

static void find_grids(Simplifier *s)
{
    s->is_grid = arena_alloc(s->module, (size_t)s->flow->n);
    for (int b = 0; b < s->flow->n; b++)
        for (const Instruction *i = s->flow->order[b]->first; i; i = i->next) {
            const SourcePragma *pragma = i->code == SO_MARK ? s->function->unit->pragmas : NULL;
            for (int n = 0; pragma && n < i->mark; n++)
                pragma = pragma->next;
            if (!pragma || strcmp(pragma->text, "grid"))
                continue;
            const int header = source_marked_loop(s->function, s->flow, s->flow->order[b], i->mark);
            if (header >= 0)
                s->is_grid[header] = true;
        }
}

/* A number, or the place of an object: it is known in a grid.  */
static bool is_known(const SourceValue *value)
{
    return value->kind == VALUE_INTEGER || value->kind == VALUE_FLOAT || value->kind == VALUE_LEAF ||
           value->kind == VALUE_OBJECT || value->kind == VALUE_SYMBOL ||
           (value->kind == VALUE_SUM && value->n == 1 && value->factors[0] == 1 && is_known(value->args[0]));
}

/* The value that all edges from before bring, or NULL.  */
static SourceValue *brought(const Simplifier *s, int b, int variable)
{
    SourceValue *value = NULL;
    for (int i = 0; i < s->flow->npreds[b]; i++) {
        const int p = s->flow->preds[b][i];
        if (p >= b)
            continue;
        SourceValue *one = AT(s->end, p, variable);
        if (!one || (value && one != value))
            return NULL;
        value = one;
    }
    return value;
}

static void begin(Simplifier *s, int b)
{
    const SourceFlow *flow = s->flow;
    bool again = b == 0;
    for (int i = 0; i < flow->npreds[b]; i++)
        again |= flow->preds[b][i] >= b && flow->loop[b] != b;
    const bool header = flow->loop[b] == b;
    for (int v = 0; v < s->nvariables; v++) {
        SourceVariable *variable = s->function->variables[v];
        SourceValue *value = NULL;
        if (!source_is_live(s->live.in + (size_t)b * (size_t)s->live.words, variable))
            continue;
        if (!again && !flow->entered && !(header && AT(s->assigned, b, v) && !AT(s->settled, b, v)))
            value = brought(s, b, v);
        if (value && s->is_grid[b] && variable->declaration.name && !is_known(value))
            value = NULL;
        if (!value) {
            value = value_leaf(s->values, held_type(variable), variable, b);
            value->variable = variable;
        }
        AT(s->start, b, v) = AT(s->end, b, v) = value;
    }
    Memory *memory = NULL;
    for (int i = 0; i < flow->npreds[b] && !again && !flow->entered && !(header && s->writes[b]); i++) {
        const int p = flow->preds[b][i];
        if (p >= b)
            continue;
        if (memory && memory != s->memory_end[p]) {
            memory = NULL;
            break;
        }
        memory = s->memory_end[p];
    }
    s->memory_start[b] = s->memory_end[b] = memory ? memory : memory_new(s, NULL, NULL, 0);
}

/* Variables that a loop assigns, and that keep the value which they had before it.  */
static bool settle(Simplifier *s)
{
    bool changed = false;
    for (int h = 0; h < s->flow->n; h++) {
        if (s->flow->loop[h] != h)
            continue;
        for (int v = 0; v < s->nvariables; v++) {
            const SourceValue *own = AT(s->start, h, v);
            const SourceValue *first = h && own && own->kind == VALUE_LEAF ? brought(s, h, v) : NULL;
            if (!first || own->what != s->function->variables[v] || AT(s->settled, h, v))
                continue;
            bool same = true;
            for (int i = 0; i < s->flow->npreds[h]; i++) {
                const int p = s->flow->preds[h][i];
                same &= p < h || AT(s->end, p, v) == own || AT(s->end, p, v) == first;
            }
            changed |= same;
            AT(s->settled, h, v) |= same;
        }
    }
    return changed;
}

static void analyse(Simplifier *s)
{
    const size_t blocks = (size_t)s->flow->n, cells = blocks * (size_t)s->nvariables + 1;
    s->depth = arena_alloc(s->module, blocks * sizeof *s->depth);
    for (int b = 1; b < s->flow->n; b++)
        s->depth[b] = s->depth[s->flow->idom[b]] + 1;
    s->settled = arena_alloc(s->module, cells);
    find_assigned(s);
    find_escapes(s);
    find_grids(s);
    do {
        s->values = values_new(s->module);
        s->values->depth = s->depth;
        s->start = arena_alloc(s->module, cells * sizeof(SourceValue *));
        s->end = arena_alloc(s->module, cells * sizeof(SourceValue *));
        s->memory_start = arena_alloc(s->module, blocks * sizeof(Memory *));
        s->memory_end = arena_alloc(s->module, blocks * sizeof(Memory *));
        s->temporaries = arena_alloc(s->module, ((size_t)s->function->ntemporaries + 1) * sizeof(SourceValue *));
        for (s->b = 0; s->b < s->flow->n; s->b++) {
            begin(s, s->b);
            for (const Instruction *i = s->flow->order[s->b]->first; i; i = i->next)
                evaluate(s, i);
        }
    } while (settle(s));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static Operand need(Simplifier *s, SourceValue *v, SourceType type);

static Instruction *append(Simplifier *s, Instruction like)
{
    Instruction *made = arena_alloc(s->module, sizeof *made);
    *made = like;
    made->next = NULL;
    source_insert(s->block, s->block->last, made);
    return made;
}

/* Appends an instruction that computes a value.  */
static Operand emit(Simplifier *s, const SourceValue *v, Instruction like)
{
    like.loc = v->loc;
    like.inlined = v->inlined;
    Instruction *made = append(s, like);
    Operand x = {.kind = OPERAND_TEMPORARY};
    x.temporary = made->temporary = ++s->function->ntemporaries;
    return x;
}

static SourceType sized(int width, bool is_signed)
{
    switch (width) {
    case 1:
        return ST_B;
    case 8:
        return is_signed ? ST_I8 : ST_U8;
    case 16:
        return is_signed ? ST_I16 : ST_U16;
    case 32:
        return is_signed ? ST_I32 : ST_U32;
    default:
        return is_signed ? ST_I64 : ST_U64;
    }
}

/* An integer type of the width: the wanted one, if there is one.  */
static SourceType flexible(const SourceValue *v, SourceType wanted)
{
    return wanted == ST_V || wanted == ST_P || source_type_is_float(wanted) ? sized(v->width, true) : wanted;
}

static Operand constant(const SourceValue *v, SourceType type)
{
    return source_integer(source_type_is_signed(type) || type == ST_P ? value_signed(v) : (int64_t)v->number);
}

/* The type in which a value is held or will be.  */
static SourceType natural(Simplifier *s, const SourceValue *v)
{
    if (v->kind == VALUE_LEAF || v->kind == VALUE_CALL || v->kind == VALUE_FLOATS || v->kind == VALUE_CONVERT ||
        v->kind == VALUE_FLOAT)
        return v->type;
    if (value_is_address(v))
        return ST_P;
    if (v->kind == VALUE_SUM || v->kind == VALUE_PRODUCT)
        return sized(v->width, v->exact);
    if (v->kind == VALUE_SELECT) {
        if (!v->width)
            return v->type;
        const SourceValue *x = v->args[1], *y = v->args[2];
        const bool fits_both = x->kind == VALUE_ZEXT && y->kind != VALUE_INTEGER; /* a longer type holds it as signed */
        return natural(s, x->kind == VALUE_INTEGER || fits_both ? y : x);
    }
    if (v->kind == VALUE_INTEGERS && v->code != SO_AND && v->code != SO_OR && v->code != SO_XOR)
        return sized(v->width, v->is_signed);
    return sized(v->width, v->kind != VALUE_ZEXT);
}

static Operand number_of(int64_t number, const SourceValue *v, SourceType type)
{
    return source_integer(
        source_type_is_signed(type) ? number : (int64_t)((uint64_t)number & (~(uint64_t)0 >> (64 - v->width))));
}

/* Terms of a sum that are to be added.  */
typedef struct {
    SourceValue **args;
    int64_t *factors;
    int64_t number;
    int n;
} Terms;

static int64_t signed_of(uint64_t number, const SourceValue *v)
{
    return (int64_t)(number << (64 - v->width)) >> (64 - v->width);
}

static Terms terms_of(Simplifier *s, const SourceValue *v, const SourceValue *left_out)
{
    Terms terms = {.args = arena_alloc(s->module, ((size_t)v->n + 1) * sizeof *terms.args),
                   .factors = arena_alloc(s->module, ((size_t)v->n + 1) * sizeof *terms.factors),
                   .number = signed_of(v->number, v)};
    for (int i = 0; i < v->n; i++)
        if (v->args[i] != left_out) {
            terms.args[terms.n] = v->args[i];
            terms.factors[terms.n++] = signed_of(v->factors[i], v);
        }
    return terms;
}

/* What remains if all terms of `part` are taken away. false: a term of it is not there.  */
static bool take_terms(Terms *terms, const SourceValue *part)
{
    for (int i = 0; i < part->n; i++) {
        int k = 0;
        while (k < terms->n &&
               (terms->args[k] != part->args[i] || terms->factors[k] != signed_of(part->factors[i], part)))
            k++;
        if (k == terms->n)
            return false;
        for (terms->n--; k < terms->n; k++) {
            terms->args[k] = terms->args[k + 1];
            terms->factors[k] = terms->factors[k + 1];
        }
    }
    terms->number = signed_of((uint64_t)terms->number - part->number, part);
    return true;
}

/* Operations that add the terms.  */
static int cost_of(const Terms *terms)
{
    int n = terms->n + (terms->number != 0);
    for (int i = 0; i < terms->n; i++)
        n += terms->factors[i] != 1 && terms->factors[i] != -1;
    return n;
}

/* 128 * a - 128 * b is 128 * (a - b). Returns the common factor, by which the terms are divided, or 1.  */
static int64_t take_factor(Terms *terms)
{
    uint64_t common = (uint64_t)(terms->number < 0 ? -terms->number : terms->number);
    for (int i = 0; i < terms->n; i++)
        for (uint64_t f = (uint64_t)(terms->factors[i] < 0 ? -terms->factors[i] : terms->factors[i]); f;) {
            const uint64_t rest = common % f;
            common = f;
            f = rest;
        }
    if (common < 2 || common > INT32_MAX)
        return 1;
    Terms divided = {.args = terms->args, .factors = terms->factors, .n = terms->n};
    const int cost = cost_of(terms);
    divided.number = terms->number / (int64_t)common;
    for (int i = 0; i < terms->n; i++)
        terms->factors[i] /= (int64_t)common;
    if (cost_of(&divided) + 1 < cost) {
        *terms = divided;
        return (int64_t)common;
    }
    for (int i = 0; i < terms->n; i++)
        terms->factors[i] *= (int64_t)common;
    return 1;
}

/* Is it a sum of this type that has a name and is at hand?  */
static bool is_at_hand(const Simplifier *s, const SourceValue *sum, const SourceValue *v)
{
    const int block = s->held[sum->id].block;
    return sum != v && sum->width == v->width && sum->exact == v->exact && block >= 0 &&
           source_dominates(s->flow, block, s->b);
}

/* The most costly part of the sum that has a name, or NULL. The terms become those that remain.  */
static SourceValue *named_part(Simplifier *s, const SourceValue *v, Terms *terms)
{
    SourceValue *best = NULL;
    const Terms all = *terms;
    for (int i = 0; i < s->nsums; i++) {
        Terms rest = {.args = arena_alloc(s->module, ((size_t)all.n + 1) * sizeof *rest.args),
                      .factors = arena_alloc(s->module, ((size_t)all.n + 1) * sizeof *rest.factors),
                      .number = all.number,
                      .n = all.n};
        memcpy(rest.args, all.args, (size_t)all.n * sizeof *rest.args);
        memcpy(rest.factors, all.factors, (size_t)all.n * sizeof *rest.factors);
        if (!is_at_hand(s, s->sums[i], v) || !take_terms(&rest, s->sums[i]) ||
            cost_of(&rest) + 1 >= (best ? cost_of(terms) + 1 : cost_of(&all)))
            continue;
        best = s->sums[i];
        *terms = rest;
    }
    return best;
}

/* A term, but for what remains of its factor: c * a * b is b * (c * a), if the program has a name for c * a.  */
static Operand emit_term(Simplifier *s, const SourceValue *v, SourceType type, SourceValue *term, int64_t *factor)
{
    SourceValue *named = NULL;
    int at = 0;
    for (int i = 0; i < s->nsums && term->kind == VALUE_PRODUCT && !named; i++)
        for (int k = 0; k < term->n && !named; k++) {
            const SourceValue *sum = s->sums[i];
            const int64_t f = sum->n == 1 && !sum->number ? signed_of(sum->factors[0], sum) : 0;
            if (f && f != -1 && *factor % f == 0 && sum->args[0] == term->args[k] && is_at_hand(s, sum, v)) {
                named = s->sums[i];
                *factor /= f;
                at = k;
            }
        }
    if (!named)
        return need(s, term, type);
    Operand x = need(s, named, type);
    for (int k = 0; k < term->n; k++)
        if (k != at) {
            const Operand y = need(s, term->args[k], type);
            x = emit(s, v, (Instruction){.code = SO_MUL, .type = type, .args = {x, y}});
        }
    return x;
}

static Operand emit_added(Simplifier *s, SourceValue *v, SourceType type, const SourceValue *left_out, Terms terms)
{
    Operand sum = {.kind = OPERAND_NONE};
    for (SourceValue *part; !left_out && (part = named_part(s, v, &terms));) {
        const Operand x = need(s, part, type);
        sum = sum.kind == OPERAND_NONE ? x : emit(s, v, (Instruction){.code = SO_ADD, .type = type, .args = {sum, x}});
    }
    int first = -1;
    for (int i = 0; sum.kind == OPERAND_NONE && i < terms.n && first < 0; i++)
        if (terms.factors[i] > 0)
            first = i;
    for (int k = -1; k < terms.n; k++) {
        const int i = k < 0 ? first : k;
        if (i < 0 || (k >= 0 && i == first))
            continue;
        int64_t f = terms.factors[i];
        Operand x = emit_term(s, v, type, terms.args[i], &f);
        const bool minus = f < 0 && sum.kind != OPERAND_NONE && f != -f;
        const int64_t factor = minus ? -f : f;
        if (factor == -1)
            x = emit(s, v, (Instruction){.code = SO_NEG, .type = type, .args = {x}});
        else if (factor != 1)
            x = emit(s, v, (Instruction){.code = SO_MUL, .type = type, .args = {x, number_of(factor, v, type)}});
        sum = sum.kind == OPERAND_NONE
                  ? x
                  : emit(s, v, (Instruction){.code = minus ? SO_SUB : SO_ADD, .type = type, .args = {sum, x}});
    }
    const int64_t c = terms.number;
    if (!c && sum.kind != OPERAND_NONE)
        return sum;
    if (sum.kind == OPERAND_NONE)
        return source_integer(c);
    if (source_type_is_signed(type))
        return emit(s, v, (Instruction){.code = SO_ADD, .type = type, .args = {sum, source_integer(c)}});
    const Operand y = number_of(c < 0 ? -c : c, v, type);
    return emit(s, v, (Instruction){.code = c < 0 ? SO_SUB : SO_ADD, .type = type, .args = {sum, y}});
}

static Operand emit_terms(Simplifier *s, SourceValue *v, SourceType type, const SourceValue *left_out)
{
    Terms terms = terms_of(s, v, left_out);
    const int64_t factor = left_out || type == ST_P ? 1 : take_factor(&terms);
    const Operand sum = emit_added(s, v, type, left_out, terms);
    return factor == 1
               ? sum
               : emit(s, v, (Instruction){.code = SO_MUL, .type = type, .args = {sum, number_of(factor, v, type)}});
}

static Operand emit_sum(Simplifier *s, SourceValue *v, SourceType *type)
{
    *type = natural(s, v);
    if (*type != ST_P)
        return emit_terms(s, v, *type, NULL);
    SourceValue *base = NULL;
    for (int i = 0; i < v->n; i++)
        if (value_is_address(v->args[i]))
            base = v->args[i];
    const Operand x = need(s, base, ST_P);
    return emit(s, v, (Instruction){.code = SO_ADD, .type = ST_P, .args = {x, emit_terms(s, v, ST_I64, base)}});
}

static Operand emit_compare(Simplifier *s, const SourceValue *v, const SourceValue *c, bool negated)
{
    SourceType type;
    SourceOpcode code;
    if (c->kind == VALUE_FLOAT_COMPARE) {
        type = c->from;
        code = !negated           ? c->code
               : c->code == SO_EQ ? SO_NE
               : c->code == SO_LT ? SO_UNGE
               : c->code == SO_LE ? SO_UNGT
                                  : SO_ORD;
    } else if (c->kind == VALUE_EQ) {
        type = natural(s, c->args[0]);
        if (source_type_is_float(type))
            type = sized(c->args[0]->width, true);
        code = negated ? SO_NE : SO_EQ;
    } else {
        const bool address = value_is_address(c->args[0]) || value_is_address(c->args[1]);
        type = address && !c->is_signed ? ST_P : sized(c->args[0]->width, c->is_signed);
        code = negated ? SO_GE : SO_LT;
    }
    const Operand x = need(s, c->args[0], type), y = need(s, c->args[1], type);
    return emit(s, v, (Instruction){.code = code, .type = type, .args = {x, y}});
}

static bool is_comparison(const SourceValue *v)
{
    return v->kind == VALUE_EQ || v->kind == VALUE_LT || v->kind == VALUE_FLOAT_COMPARE;
}

static Operand emit_parts(Simplifier *s, const SourceValue *v, SourceValue *all, bool negated)
{
    Operand sum = {.kind = OPERAND_NONE};
    for (int i = 0; i < all->n; i++) {
        SourceValue *part = negated ? value_unary(s->values, SO_NOT, ST_B, all->args[i]) : all->args[i];
        const Operand x = need(s, part, ST_B);
        sum = i ? emit(s, v, (Instruction){.code = negated ? SO_OR : SO_AND, .type = ST_B, .args = {sum, x}}) : x;
    }
    return sum;
}

static Operand emit_integers(Simplifier *s, SourceValue *v, SourceType wanted, SourceType *type)
{
    const bool any = v->code == SO_AND || v->code == SO_OR || v->code == SO_XOR;
    *type = v->width == 1 ? ST_B : any ? flexible(v, wanted) : sized(v->width, v->is_signed);
    const Operand x = need(s, v->args[0], *type);
    if (v->n == 1)
        return emit(s, v, (Instruction){.code = v->code, .type = *type, .args = {x}});
    const Operand y = need(s, v->args[1], *type);
    return emit(s, v, (Instruction){.code = v->code, .type = *type, .args = {x, y}});
}

static Operand emit_call(Simplifier *s, const SourceValue *v)
{
    SourceArgument *arguments = arena_alloc(s->module, (size_t)v->n * sizeof *arguments);
    for (int i = 0; i < v->n; i++) {
        arguments[i].type = v->args[i]->type;
        arguments[i].operand = need(s, v->args[i], arguments[i].type);
    }
    return emit(
        s, v,
        (Instruction){.code = SO_CALL, .type = v->type, .symbol = v->what, .narguments = v->n, .arguments = arguments});
}

/* Computes the value in this block. `type` is what it has then.  */
static Operand compute(Simplifier *s, SourceValue *v, SourceType wanted, SourceType *type)
{
    Operand x, y;
    *type = natural(s, v);
    switch (v->kind) {
    case VALUE_OBJECT:
        return emit(s, v, (Instruction){.code = SO_ADDR, .type = ST_P, .object = (SourceObject *)v->what});
    case VALUE_SYMBOL:
        if (v->code == SO_STRING)
            return emit(s, v,
                        (Instruction){.code = SO_STRING, .type = ST_P, .string = v->what, .bytes = (long)v->number});
        return emit(s, v, (Instruction){.code = v->code, .type = ST_P, .symbol = v->what});
    case VALUE_SUM:
        return emit_sum(s, v, type);
    case VALUE_PRODUCT:
        x = need(s, v->args[0], *type);
        for (int i = 1; i < v->n; i++) {
            y = need(s, v->args[i], *type);
            x = emit(s, v, (Instruction){.code = SO_MUL, .type = *type, .args = {x, y}});
        }
        return x;
    case VALUE_SEXT:
    case VALUE_ZEXT:
    case VALUE_TRUNC: {
        *type = flexible(v, wanted);
        SourceType from =
            v->kind == VALUE_TRUNC ? natural(s, v->args[0]) : sized(v->args[0]->width, v->kind == VALUE_SEXT);
        if (from == ST_P)
            from = ST_U64;
        x = need(s, v->args[0], from);
        return emit(s, v, (Instruction){.code = SO_CONV, .from = from, .type = *type, .args = {x}});
    }
    case VALUE_INTEGERS:
        return emit_integers(s, v, wanted, type);
    case VALUE_EQ:
    case VALUE_LT:
    case VALUE_FLOAT_COMPARE:
        *type = ST_B;
        return emit_compare(s, v, v, false);
    case VALUE_NOT:
        *type = ST_B;
        if (is_comparison(v->args[0]))
            return emit_compare(s, v, v->args[0], true);
        if (v->args[0]->kind == VALUE_ALL)
            return emit_parts(s, v, v->args[0], true);
        x = need(s, v->args[0], ST_B);
        return emit(s, v, (Instruction){.code = SO_NOT, .type = ST_B, .args = {x}});
    case VALUE_ALL:
        *type = ST_B;
        return emit_parts(s, v, v, false);
    case VALUE_SELECT: {
        const Operand c = need(s, v->args[0], ST_B);
        x = need(s, v->args[1], *type);
        y = need(s, v->args[2], *type);
        return emit(s, v, (Instruction){.code = SO_SELECT, .type = *type, .args = {c, x, y}});
    }
    case VALUE_FLOATS:
        x = need(s, v->args[0], v->type);
        y.kind = OPERAND_NONE;
        if (v->n > 1)
            y = need(s, v->args[1], v->type);
        return emit(s, v, (Instruction){.code = v->code, .type = v->type, .args = {x, y}});
    case VALUE_CONVERT:
        x = need(s, v->args[0], v->from);
        return emit(s, v, (Instruction){.code = v->code, .from = v->from, .type = v->type, .args = {x}});
    default:
        return emit_call(s, v);
    }
}

/* A value that is as cheap to compute again as to keep.  */
static bool is_cheap(const SourceValue *v)
{
    if (v->kind == VALUE_OBJECT || v->kind == VALUE_SYMBOL)
        return true;
    return v->kind == VALUE_SUM && v->n == 1 && v->factors[0] == 1 && is_cheap(v->args[0]);
}

/* A conversion of what a variable of the user's holds in this block.  */
static bool converts_held(const Simplifier *s, const SourceValue *v)
{
    if (v->kind != VALUE_SEXT && v->kind != VALUE_ZEXT && v->kind != VALUE_TRUNC)
        return false;
    const Held *held = &s->held[v->args[0]->id];
    return held->holder && held->holder_block == s->b;
}

/* Keeps a value of another block in a variable.  */
static SourceVariable *save(Simplifier *s, SourceValue *v, Held *held)
{
    if (held->saved)
        return held->saved;
    SourceVariable *variable = source_variable(s->function, held->type, (Declaration){0});
    Instruction *copy = arena_alloc(s->module, sizeof *copy);
    *copy = (Instruction){.code = SO_COPY,
                          .type = variable->type,
                          .variable = variable,
                          .args = {held->operand},
                          .loc = v->loc,
                          .inlined = v->inlined};
    Instruction *after = held->made;
    if (!after)
        for (Instruction *i = held->in->first; i && i->code == SO_MARK; i = i->next)
            after = i;
    source_insert(held->in, after, copy);
    return held->saved = variable;
}

static void hold(Simplifier *s, const SourceValue *v, Operand operand, SourceType type)
{
    Held *held = &s->held[v->id];
    held->operand = operand;
    held->type = type;
    held->made = operand.kind == OPERAND_TEMPORARY ? s->block->last : NULL;
    held->in = s->block;
    held->block = s->b;
    held->saved = NULL;
}

static void keep_name(Simplifier *s, SourceValue *v, Instruction *made)
{
    SourceHolder *holder = arena_alloc(s->module, sizeof *holder);
    holder->declaration = v->holder;
    made->holders = holder;
    if (v->kind == VALUE_SUM && !value_is_address(v))
        LIST_ADD(s->module, s->sums, s->nsums) = v;
}

static Operand need(Simplifier *s, SourceValue *v, SourceType type)
{
    if (v->kind == VALUE_FLOAT)
        return source_number(v->real);
    if (v->kind == VALUE_INTEGER)
        return constant(v, type);
    Held *held = &s->held[v->id];
    Operand x;
    SourceType is;
    if (held->block == s->b) {
        x = held->operand;
        is = held->type;
    } else if (held->holder && held->holder_block == s->b && !is_cheap(v)) {
        x = source_of(held->holder);
        is = held_type(held->holder);
    } else if (held->block >= 0 && source_dominates(s->flow, held->block, s->b) && !is_cheap(v) &&
               !converts_held(s, v)) {
        is = held->type;
        x = source_of(save(s, v, held));
    } else {
        x = compute(s, v, type, &is);
        if (x.kind == OPERAND_TEMPORARY)
            hold(s, v, x, is);
        if (v->holder && x.kind == OPERAND_TEMPORARY)
            keep_name(s, v, s->block->last);
    }
    if (type == ST_V || is == type)
        return x;
    if (held->other_block == s->b && held->other_type == type)
        return held->other;
    x = emit(s, v, (Instruction){.code = SO_CONV, .from = is, .type = type, .args = {x}});
    if (is == ST_P && v->kind != VALUE_SUM && s->reader) /* the user's conversion has no place here */
        s->block->last->loc = s->reader->loc;
    held->other = x;
    held->other_type = type;
    held->other_block = s->b;
    return x;
}

static bool is_live_out(const Simplifier *s, const SourceVariable *variable)
{
    return source_is_live(s->live.out + (size_t)s->b * (size_t)s->live.words, variable);
}

static bool reads(const Instruction *end, const SourceVariable *variable)
{
    for (int k = 0; k < source_noperands(end); k++) {
        const Operand *x = source_operand((Instruction *)end, k);
        if (x->kind == OPERAND_VARIABLE && x->variable == variable)
            return true;
    }
    return false;
}

typedef struct {
    SourceVariable *variable;
    Operand operand;
    bool done;
} Copy;

static void write_copy(Simplifier *s, SourceVariable *variable, Operand x)
{
    const Instruction *place = variable->id < s->nvariables ? s->places[variable->id] : NULL;
    append(s, (Instruction){.code = SO_COPY,
                            .type = variable->type,
                            .variable = variable,
                            .args = {x},
                            .loc = place ? place->loc : (Loc){0},
                            .inlined = place ? place->inlined : NULL});
}

/* The variables of blocks behind, all at once, and the end of the block.  */
static void write_end(Simplifier *s, const Instruction *end)
{
    s->reader = end;
    Copy *copies = arena_alloc(s->module, ((size_t)s->nvariables + 1) * sizeof *copies);
    int n = 0;
    for (int v = 0; v < s->nvariables; v++) {
        SourceVariable *variable = s->function->variables[v];
        SourceValue *value = AT(s->end, s->b, v);
        if (value && value != AT(s->start, s->b, v) && is_live_out(s, variable))
            copies[n++] = (Copy){.variable = variable, .operand = need(s, value, variable->type)};
    }
    Instruction *last = arena_alloc(s->module, sizeof *last);
    *last = *end;
    last->next = NULL;
    for (int k = 0; k < source_noperands(last); k++) {
        Operand *x = source_operand(last, k);
        const SourceType type = last->code == SO_BRANCH ? ST_B : last->type;
        *x = need(s, value_of(s, *x, type), type);
    }
    for (int left = n; left;) {
        int pick = -1;
        for (int i = 0; i < n && pick < 0; i++) {
            bool read = copies[i].done || reads(last, copies[i].variable);
            for (int k = 0; k < n && !read; k++)
                read = k != i && !copies[k].done && copies[k].operand.kind == OPERAND_VARIABLE &&
                       copies[k].operand.variable == copies[i].variable;
            if (!read)
                pick = i;
        }
        if (pick >= 0) {
            copies[pick].done = true;
            left--;
            write_copy(s, copies[pick].variable, copies[pick].operand);
            continue;
        }
        /* All are read: the first one's old value goes elsewhere.  */
        for (pick = 0; copies[pick].done; pick++)
            ;
        SourceVariable *old = copies[pick].variable;
        SourceVariable *saved = source_variable(s->function, old->type, old->declaration);
        write_copy(s, saved, source_of(old));
        for (int k = 0; k < n; k++)
            if (copies[k].operand.kind == OPERAND_VARIABLE && copies[k].operand.variable == old)
                copies[k].operand = source_of(saved);
        for (int k = 0; k < source_noperands(last); k++) {
            Operand *x = source_operand(last, k);
            if (x->kind == OPERAND_VARIABLE && x->variable == old)
                *x = source_of(saved);
        }
    }
    source_insert(s->block, s->block->last, last);
}

/* An argument. A sum that is extended to the parameter's type is computed as narrow as the program does.  */
static Operand need_argument(Simplifier *s, SourceValue *v, SourceType type)
{
    if (!v->narrow || type != ST_I64)
        return need(s, v, type);
    const SourceType from = sized(v->narrow->width, true);
    const Operand x = need(s, v->narrow, from);
    return emit(s, v, (Instruction){.code = SO_CONV, .from = from, .type = type, .args = {x}});
}

/* The member of a structure behind a pointer: its name, or NULL.  */
static const Declaration *member_read(Simplifier *s, const SourceValue *address)
{
    const bool moved = address->kind == VALUE_SUM && address->n == 1 && address->factors[0] == 1;
    const SourceVariable *pointer = (moved ? address->args[0] : address)->variable;
    const char *name =
        pointer ? source_member_at(pointer->declaration.layout, moved ? (long)address->number : 0) : NULL;
    if (!name || !*name)
        return NULL;
    Declaration *made = arena_alloc(s->module, sizeof *made);
    *made = (Declaration){.name = name, .loc = pointer->declaration.loc};
    return made;
}

static bool is_computed(const SourceValue *v)
{
    return v->kind != VALUE_LEAF && v->kind != VALUE_OBJECT && v->kind != VALUE_SYMBOL && !value_is_address(v);
}

/* An instruction with effects, or one that defines a leaf. A value is computed where it gets its name.  */
static void write_instruction(Simplifier *s, const Instruction *i)
{
    const SourceForm form = source_op_form(i->code);
    SourceValue *v = i->temporary ? s->temporaries[i->temporary] : NULL;
    s->reader = i;
    if (i->code == SO_COPY) {
        v = AT(s->end, s->b, i->variable->id) = value_of(s, i->args[0], i->type);
        s->places[i->variable->id] = i;
        if (v->holder && v->holder == name_of(i->variable) && is_computed(v))
            need(s, v, i->type);
        return;
    }
    const bool defines = v && v->kind == VALUE_LEAF && v->what == i;
    if (!defines && (i->temporary || form == FORM_LOAD)) {
        if (i->holders && is_computed(v))
            need(s, v, source_result_type(i));
        return;
    }
    SourceCopy copy = {.from = s->function, .to = s->function};
    Instruction *made = source_copy_instruction(&copy, i);
    for (int k = 0; k < source_noperands(made); k++) {
        SourceType type = made->type;
        const int own = source_noperands(made) - made->narguments;
        if (k >= own)
            type = source_type_is_aggregate(made->arguments[k - own].type) ? ST_P : made->arguments[k - own].type;
        else if (form == FORM_LOAD || form == FORM_MOVE || form == FORM_ZERO || form == FORM_CALL ||
                 (form == FORM_STORE && k == 0))
            type = ST_P;
        else if (form == FORM_ALLOCATE)
            type = ST_U64;
        else if (form == FORM_CONVERT)
            type = made->from;
        Operand *x = source_operand(made, k);
        SourceValue *value = value_of(s, *x, type);
        *x = k >= own ? need_argument(s, value, type) : need(s, value, type);
    }
    made->is_volatile |= form == FORM_CONVERT;
    if (made->temporary)
        made->temporary = ++s->function->ntemporaries;
    source_insert(s->block, s->block->last, made);
    if (defines)
        hold(s, v, (Operand){.kind = OPERAND_TEMPORARY, .temporary = made->temporary}, source_result_type(made));
    if (defines && form == FORM_LOAD) {
        if (!v->holder)
            v->holder = member_read(s, value_of(s, i->args[0], ST_P));
        if (v->holder)
            keep_name(s, v, made);
    }
}

static void write_block(Simplifier *s, int b)
{
    SourceBlock *block = s->flow->order[b];
    const Instruction *first = block->first;
    s->b = b;
    s->block = block;
    block->first = block->last = NULL;
    memset(s->places, 0, ((size_t)s->nvariables + 1) * sizeof *s->places);
    for (int v = 0; v < s->nvariables; v++) {
        SourceValue *value = AT(s->start, b, v);
        AT(s->end, b, v) = value;
        if (!value || value->kind == VALUE_INTEGER || value->kind == VALUE_FLOAT)
            continue;
        Held *held = &s->held[value->id];
        SourceVariable *variable = s->function->variables[v];
        if (value->kind == VALUE_LEAF && value->what == variable && value->home == b) {
            hold(s, value, source_of(variable), held_type(variable));
            held->in = block;
        }
        if (held->holder_block != b) {
            held->holder = variable;
            held->holder_block = b;
        }
    }
    for (const Instruction *i = first; i; i = i->next)
        if (source_ends_block(i))
            write_end(s, i);
        else
            write_instruction(s, i);
}

void source_renumber_values(SourceFunction *function)
{
    Simplifier simplifier = {.function = function, .module = function->unit->module}, *s = &simplifier;
    s->flow = source_flow(function);
    s->nvariables = function->nvariables;
    s->live = source_live(function, s->flow);
    analyse(s);
    /* The values of temporaries stay; those of variables are found again in the order of the instructions. Writing
       makes few values more, for the parts of conditions.  */
    const size_t room = 4 * (size_t)s->values->nvalues + 4096;
    s->held = arena_alloc(s->module, room * sizeof *s->held);
    for (size_t i = 0; i < room; i++)
        s->held[i].block = s->held[i].other_block = s->held[i].holder_block = -1;
    s->places = arena_alloc(s->module, ((size_t)s->nvariables + 1) * sizeof *s->places);
    s->temporaries = memcpy(arena_alloc(s->module, ((size_t)function->ntemporaries + 1) * sizeof(SourceValue *)),
                            s->temporaries, ((size_t)function->ntemporaries + 1) * sizeof(SourceValue *));
    for (int b = 0; b < s->flow->n; b++)
        write_block(s, b);
}

void source_simplify(SourceFunction *function)
{
    enum { ROUNDS = 64 };
    if (function->failed || !function->blocks)
        return;
    source_clean(function);
    source_sweep(function);
    for (int round = 0; round < ROUNDS; round++) {
        const int blocks = function->nblocks;
        source_renumber_values(function);
        source_sweep(function);
        source_clean(function);
        bool changed = function->nblocks != blocks;
        while (source_merge_conditions(function) || source_select_diamonds(function))
            changed = true;
        if (!changed)
            break;
        source_sweep(function);
    }
}
