/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.c - objects of constants, of which variables choose elements, become known variables of static storage.
 *
 *      t1 = addr w.7                               data w.1 8 4 static defined known = 0000803e0000003f
 *      store.f32 t1, 0x1p-2
 *      t2 = add.p t1, 4                            t3 = global w.1
 *      store.f32 t2, 0x1p-1               =>       t5 = add.p t3, t4
 *      t3 = addr w.7                               t6 = load.f32 t5
 *      t5 = add.p t3, t4
 *      t6 = load.f32 t5
 *
 * All stores to the object are of constants, at known bytes, in one block. Each load is behind them: in a block that
 * this one dominates, or in the block itself. The address goes nowhere else than to loads.
 */
#include <string.h>

#include "source/kernels.h"

enum { TABLE_BYTES = 4096, VARIES = -1 };

/* An address in an object, as far as it is known.  */
typedef struct {
    const SourceObject *object;
    long offset; /* or VARIES */
} Place;

typedef struct {
    unsigned char *bytes;
    int block;    /* of the stores; -1: there is none */
    bool is_kept; /* it is no table */
    bool varies;  /* a variable chooses an element */
    SourceGlobal *global;
} Table;

typedef struct {
    SourceFunction *function;
    Module *module;
    const SourceFlow *flow;
    Table *tables;     /* by object */
    Place *places;     /* by temporary */
    Place *variables;  /* by variable */
    bool *is_assigned; /* by variable: of something else, too */
} Finder;

static Place place_of(const Finder *f, Operand x)
{
    if (x.kind == OPERAND_TEMPORARY)
        return f->places[x.temporary];
    return x.kind == OPERAND_VARIABLE ? f->variables[x.variable->id] : (Place){0};
}

static void keep(const Finder *f, const SourceObject *object)
{
    if (object)
        f->tables[object->id].is_kept = true;
}

/* The address that an instruction computes.  */
static Place computed(const Finder *f, const Instruction *i)
{
    if (i->code == SO_ADDR)
        return (Place){i->object, 0};
    Place place = i->code == SO_ADD || i->code == SO_COPY ? place_of(f, i->args[0]) : (Place){0};
    if (i->code == SO_SELECT && i->type == ST_P) {
        place = place_of(f, i->args[1]);
        place.offset = VARIES;
        if (place.object != place_of(f, i->args[2]).object)
            place.object = NULL;
    }
    if (place.object && i->code == SO_ADD && place.offset != VARIES)
        place.offset = i->args[1].kind == OPERAND_INTEGER ? place.offset + (long)i->args[1].integer : VARIES;
    return place;
}

/* A variable that is assigned once has the place of what it is assigned. false: nothing has changed.  */
static bool find_places(const Finder *f)
{
    bool changed = false;
    for (int b = 0; b < f->flow->n; b++)
        for (const Instruction *i = f->flow->order[b]->first; i; i = i->next) {
            const Place place = computed(f, i);
            Place *to = i->code == SO_COPY ? &f->variables[i->variable->id]
                        : i->temporary     ? &f->places[i->temporary]
                                           : NULL;
            if (!to || !place.object || to->object || (i->code == SO_COPY && f->is_assigned[i->variable->id]))
                continue;
            *to = place;
            changed = true;
        }
    return changed;
}

static void find_assigned(const Finder *f)
{
    bool *once = arena_alloc(f->module, (size_t)f->function->nvariables + 1);
    for (int v = 0; v < f->function->nvariables; v++)
        f->is_assigned[v] = f->function->variables[v]->is_parameter;
    for (int b = 0; b < f->flow->n; b++)
        for (const Instruction *i = f->flow->order[b]->first; i; i = i->next)
            if (i->code == SO_COPY) {
                f->is_assigned[i->variable->id] |= once[i->variable->id];
                once[i->variable->id] = true;
            }
}

/* ---- what is stored ---------------------------------------------------------------------------------------------- */

static bool is_inside(const SourceObject *object, long offset, long bytes)
{
    return offset >= 0 && bytes > 0 && offset + bytes <= object->bytes;
}

static const Instruction *maker_of(const Finder *f, int block, Operand x)
{
    return source_maker(f->flow->order[block]->first, x);
}

/* Copies the bytes behind an address in a string or in a global that nobody writes. false: it is none.  */
static bool copy_known(const Finder *f, int block, Operand address, unsigned char *to, long bytes)
{
    const Instruction *i = maker_of(f, block, address);
    long offset = 0;
    if (i && i->code == SO_ADD && i->args[1].kind == OPERAND_INTEGER) {
        offset = (long)i->args[1].integer;
        i = maker_of(f, block, i->args[0]);
    }
    const SourceGlobal *global = i && i->code == SO_GLOBAL ? f->function->unit->globals : NULL;
    while (global && strcmp(global->name, i->symbol))
        global = global->next;
    if (global && (!global->is_known || !global->is_defined || global->relocations))
        return false;
    const long limit = global ? global->bytes : i && i->code == SO_STRING ? i->bytes : 0;
    const void *from = global ? (const void *)global->initial : i ? i->string : NULL;
    if (offset < 0 || offset + bytes > limit)
        return false;
    if (from)
        memcpy(to, (const unsigned char *)from + offset, (size_t)bytes);
    else
        memset(to, 0, (size_t)bytes);
    return true;
}

static bool put_number(unsigned char *to, SourceType type, Operand x)
{
    const double number = x.kind == OPERAND_FLOAT ? x.number : (double)(int64_t)x.integer;
    const float single = (float)number;
    if (type == ST_P || (x.kind != OPERAND_FLOAT && x.kind != OPERAND_INTEGER))
        return false;
    if (type == ST_F64)
        memcpy(to, &number, 8);
    else if (type == ST_F32)
        memcpy(to, &single, 4);
    else
        for (int k = 0; k < source_type_bytes(type); k++)
            to[k] = (unsigned char)(x.integer >> 8 * k);
    return true;
}

/* The bytes that a store, a move or a zero puts there. false: they are not known.  */
static bool put(const Finder *f, int block, const Instruction *i, Place place)
{
    const long bytes = i->code == SO_STORE ? source_type_bytes(i->type) : i->bytes;
    Table *table = &f->tables[place.object->id];
    if (i->is_volatile || place.offset == VARIES || !is_inside(place.object, place.offset, bytes))
        return false;
    if (i->code == SO_STORE) {
        const Instruction *from = maker_of(f, block, i->args[1]);
        return from && from->code == SO_LOAD && !from->is_volatile && source_type_bytes(from->type) == bytes
                   ? copy_known(f, block, from->args[0], table->bytes + place.offset, bytes)
                   : put_number(table->bytes + place.offset, i->type, i->args[1]);
    }
    if (i->code == SO_ZERO) {
        memset(table->bytes + place.offset, 0, (size_t)bytes);
        return true;
    }
    return copy_known(f, block, i->args[1], table->bytes + place.offset, bytes);
}

static bool stores(const Instruction *i)
{
    return i->code == SO_STORE || i->code == SO_ZERO || i->code == SO_MOVE;
}

static bool is_candidate(const SourceObject *object)
{
    return object->bytes > 0 && object->bytes <= TABLE_BYTES && !object->declaration.is_volatile &&
           !object->declaration.holds;
}

static void see_stores(const Finder *f, int block)
{
    for (const Instruction *i = f->flow->order[block]->first; i; i = i->next) {
        const Place place = stores(i) ? place_of(f, i->args[0]) : (Place){0};
        if (!place.object)
            continue;
        Table *table = &f->tables[place.object->id];
        if (table->is_kept || (table->block >= 0 && table->block != block) || !put(f, block, i, place))
            table->is_kept = true;
        table->block = block;
    }
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */

static bool is_stored_behind(const Finder *f, const Instruction *load, const SourceObject *object)
{
    for (const Instruction *i = load->next; i; i = i->next)
        if (stores(i) && place_of(f, i->args[0]).object == object)
            return true;
    return false;
}

static void see_load(const Finder *f, int block, const Instruction *load, Place place)
{
    Table *table = &f->tables[place.object->id];
    table->varies |= place.offset == VARIES;
    if (load->is_volatile || load->type == ST_P || table->block < 0 ||
        !source_dominates(f->flow, table->block, block) ||
        (table->block == block && is_stored_behind(f, load, place.object)) ||
        (place.offset != VARIES && !is_inside(place.object, place.offset, source_type_bytes(load->type))))
        table->is_kept = true;
}

/* Uses of addresses.  */
static void see_uses(const Finder *f, int block)
{
    for (Instruction *i = f->flow->order[block]->first; i; i = i->next)
        for (int k = 0; k < source_noperands(i); k++) {
            const Place place = place_of(f, *source_operand(i, k));
            const Place made = place.object ? computed(f, i) : place;
            if (!place.object)
                continue;
            if (i->code == SO_LOAD)
                see_load(f, block, i, place);
            else if (!(stores(i) && k == 0) && made.object != place.object)
                keep(f, place.object);
            else if (i->code == SO_COPY && !f->variables[i->variable->id].object)
                keep(f, place.object);
        }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* One global for the same bytes: copies of a function share it.  */
static SourceGlobal *global_for(const Finder *f, const SourceObject *object, const unsigned char *bytes)
{
    const char *name = object->declaration.name ? object->declaration.name : "table";
    SourceUnit *unit = f->function->unit;
    int count = 1;
    for (SourceGlobal *global = unit->globals; global; global = global->next) {
        if (!global->is_table)
            continue;
        count++;
        if (global->bytes == object->bytes && !strcmp(global->declaration.name, name) &&
            !memcmp(global->initial, bytes, (size_t)object->bytes))
            return global;
    }
    Declaration declaration = object->declaration;
    declaration.name = name;
    SourceGlobal *made =
        source_global(unit, arena_print(f->module, "%s.table.%d", name, count), object->bytes, declaration);
    made->alignment = object->alignment;
    made->initial = bytes;
    made->is_static = made->is_defined = made->is_known = made->is_table = true;
    return made;
}

/* Addresses become those of the global, and the stores go.  */
static void write(const Finder *f, SourceBlock *block)
{
    for (Instruction **slot = &block->first; *slot;) {
        Instruction *i = *slot;
        const Place place = stores(i) ? place_of(f, i->args[0]) : (Place){0};
        if (place.object && f->tables[place.object->id].global) {
            *slot = i->next;
            continue;
        }
        if (i->code == SO_ADDR && f->tables[i->object->id].global) {
            i->code = SO_GLOBAL;
            i->symbol = f->tables[i->object->id].global->name;
            i->object = NULL;
        }
        slot = &i->next;
    }
}

bool source_make_tables(SourceFunction *function)
{
    Finder finder = {.function = function, .module = function->unit->module};
    const Finder *f = &finder;
    bool any = false;
    if (function->failed || !function->blocks || !function->nobjects)
        return false;
    finder.flow = source_flow(function);
    finder.tables = arena_alloc(f->module, (size_t)function->nobjects * sizeof *f->tables);
    finder.places = arena_alloc(f->module, ((size_t)function->ntemporaries + 1) * sizeof *f->places);
    finder.variables = arena_alloc(f->module, ((size_t)function->nvariables + 1) * sizeof *f->variables);
    finder.is_assigned = arena_alloc(f->module, (size_t)function->nvariables + 1);
    for (int k = 0; k < function->nobjects; k++) {
        f->tables[k] = (Table){.block = -1, .is_kept = !is_candidate(function->objects[k])};
        if (!f->tables[k].is_kept)
            f->tables[k].bytes = arena_alloc(f->module, (size_t)function->objects[k]->bytes);
    }
    find_assigned(f);
    while (find_places(f))
        ;
    for (int b = 0; b < f->flow->n; b++)
        see_stores(f, b);
    for (int b = 0; b < f->flow->n; b++)
        see_uses(f, b);
    for (int k = 0; k < function->nobjects; k++) {
        Table *table = &f->tables[k];
        if (table->is_kept || !table->varies)
            continue;
        table->global = global_for(f, function->objects[k], table->bytes);
        any = true;
    }
    for (int b = 0; b < f->flow->n && any; b++)
        write(f, f->flow->order[b]);
    return any;
}
