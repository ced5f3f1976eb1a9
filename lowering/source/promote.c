/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * promote.c - scalar replacement: objects whose address does not escape become variables.
 *
 *      obj r.7 8 4                                     var f32 r.8
 *      ...                                             var f32 r.9
 *      t1 = addr r.7                                   r.8 = copy.f32 0x1p+0
 *      store.f32 t1, 0x1p+0               =>           t3 = load.f32 x.2
 *      t2 = add.p t1, 4                                r.9 = copy.f32 t3
 *      t3 = load.f32 x.2
 *      store.f32 t2, t3
 *
 * The bytes of an object fall into cells: bytes that one load or store takes are in one cell, and so are bytes that a
 * move brings there from a cell of another object. A cell of 1, 2, 4 or 8 bytes is a variable. Its type is that of the
 * accesses; other types of the same size read its bits. Where an access takes a part of a cell, as with a union, the
 * cell is an unsigned integer, and the part is shifted and masked. The first byte is the lowest.
 *
 * The pass runs behind simplify: an address is then `addr`, or `addr` and a constant. Subscripts that vary are gone
 * where unroll.c has unrolled their loops.
 */
#include <string.h>

#include "source/passes.h"

typedef struct {
    int low, high; /* bytes of the object */
    SourceVariable *variable;
} Cell;

typedef struct {
    int *joined; /* union-find over the bytes */
    bool *taken; /* by a load or a store */
    Cell **cell; /* by byte */
    bool gone;   /* cannot be promoted */
} Bytes;

typedef struct {
    SourceFunction *function;
    Module *module;
    Bytes *layouts;        /* by object */
    SourceObject **object; /* by temporary: the object of this address, and the offset in it */
    long *offset;
    SourceNotPromoted *refused, **last;
    SourceBlock *block; /* where instructions are written */
    const Instruction *like;
} Promoter;

static void refuse(Promoter *p, SourceObject *object, SourceNotPromotedReason reason, const Instruction *i)
{
    Bytes *layout = &p->layouts[object->id];
    if (layout->gone)
        return;
    layout->gone = true;
    object->keeper = i;
    SourceNotPromoted *entry = arena_alloc(p->module, sizeof *entry);
    *entry = (SourceNotPromoted){.reason = reason, .object = object, .instruction = i};
    *p->last = entry;
    p->last = &entry->next;
}

static SourceObject *object_of(const Promoter *p, Operand x, long *offset)
{
    if (x.kind != OPERAND_TEMPORARY || !p->object[x.temporary])
        return NULL;
    *offset = p->offset[x.temporary];
    return p->object[x.temporary];
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static int root(const Bytes *layout, int byte)
{
    while (layout->joined[byte] != byte)
        byte = layout->joined[byte];
    return byte;
}

/* The first byte of a cell is its root.  */
static bool join(Bytes *layout, int a, int b)
{
    a = root(layout, a);
    b = root(layout, b);
    if (a == b)
        return false;
    if (a < b)
        layout->joined[b] = a;
    else
        layout->joined[a] = b;
    return true;
}

static bool is_inside(const SourceObject *object, long offset, long bytes)
{
    return offset >= 0 && bytes > 0 && offset + bytes <= object->bytes;
}

static void take(Promoter *p, const Instruction *i, Operand address, int bytes)
{
    long offset;
    SourceObject *object = object_of(p, address, &offset);
    if (!object || p->layouts[object->id].gone)
        return;
    Bytes *layout = &p->layouts[object->id];
    if (i->is_volatile || !is_inside(object, offset, bytes)) {
        refuse(p, object, NOT_PROMOTED_ESCAPES, i);
        return;
    }
    for (int k = 0; k < bytes; k++) {
        join(layout, (int)offset, (int)offset + k);
        layout->taken[offset + k] = true;
    }
}

/* Addresses, and the objects that have another use.  */
static void find_addresses(Promoter *p, const SourceBlock *block)
{
    for (Instruction *i = block->first; i; i = i->next) {
        if (i->code == SO_ADDR) {
            p->object[i->temporary] = i->object;
            continue;
        }
        for (int k = 0; k < source_noperands(i); k++) {
            long offset;
            SourceObject *object = object_of(p, *source_operand(i, k), &offset);
            if (!object)
                continue;
            const bool is_address =
                i->code == SO_LOAD || i->code == SO_ZERO || i->code == SO_MOVE || (i->code == SO_STORE && k == 0);
            if (i->code == SO_ADD && k == 0) {
                if (i->args[1].kind != OPERAND_INTEGER) {
                    refuse(p, object, NOT_PROMOTED_SUBSCRIPT, i);
                    continue;
                }
                p->object[i->temporary] = object;
                p->offset[i->temporary] = offset + (long)i->args[1].integer;
            } else if (!is_address) {
                refuse(p, object, NOT_PROMOTED_ESCAPES, i);
            }
        }
    }
}

/* Bytes that a move brings from one object to another are joined in both or in none.  */
static bool join_moved(Promoter *p, const Instruction *i)
{
    long to = 0, from = 0;
    SourceObject *a = object_of(p, i->args[0], &to), *b = object_of(p, i->args[1], &from);
    if ((a && !is_inside(a, to, i->bytes)) || (b && !is_inside(b, from, i->bytes)) || (a && i->is_volatile)) {
        if (a)
            refuse(p, a, NOT_PROMOTED_ESCAPES, i);
        if (b)
            refuse(p, b, NOT_PROMOTED_ESCAPES, i);
        return false;
    }
    if (!a || !b || p->layouts[a->id].gone || p->layouts[b->id].gone)
        return false;
    Bytes *x = &p->layouts[a->id], *y = &p->layouts[b->id];
    bool changed = false;
    for (int k = 0; k < i->bytes; k++) {
        if (x->taken[to + k] != y->taken[from + k]) {
            x->taken[to + k] = y->taken[from + k] = true;
            changed = true;
        }
        const int in_x = root(x, (int)to + k) - (int)to, in_y = root(y, (int)from + k) - (int)from;
        if (in_x >= 0)
            changed |= join(y, (int)from + in_x, (int)from + k);
        if (in_y >= 0)
            changed |= join(x, (int)to + in_y, (int)to + k);
    }
    return changed;
}

/* Bytes that are moved alone go by four.  */
static void join_rest(Bytes *layout, long bytes)
{
    for (int k = 0; k + 4 <= bytes; k += 4)
        if (!layout->taken[k] && !layout->taken[k + 1] && !layout->taken[k + 2] && !layout->taken[k + 3])
            for (int m = 1; m < 4; m++)
                join(layout, k, k + m);
}

static void for_moves(Promoter *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (const SourceBlock *block = p->function->blocks; block; block = block->next)
            for (const Instruction *i = block->first; i; i = i->next)
                if (i->code == SO_MOVE)
                    changed |= join_moved(p, i);
    }
}

static void make_cells(Promoter *p, SourceObject *object)
{
    Bytes *layout = &p->layouts[object->id];
    layout->cell = arena_alloc(p->module, (size_t)object->bytes * sizeof *layout->cell);
    for (int k = 0; k < object->bytes; k++) {
        const int first = root(layout, k);
        if (first == k) {
            layout->cell[k] = arena_alloc(p->module, sizeof **layout->cell);
            layout->cell[k]->low = k;
        } else
            layout->cell[k] = layout->cell[first];
        if (layout->cell[k]->high && layout->cell[k]->high != k) {
            refuse(p, object, NOT_PROMOTED_OVERLAP, NULL);
            return;
        }
        layout->cell[k]->high = k + 1;
    }
    for (int k = 0; k < object->bytes; k++) {
        const int bytes = layout->cell[k]->high - layout->cell[k]->low;
        if (bytes > 8 || (bytes & (bytes - 1)))
            refuse(p, object, NOT_PROMOTED_OVERLAP, NULL);
    }
}

/* Do these bytes of an object cut no cell?  */
static bool is_whole(const Promoter *p, const SourceObject *object, long offset, long bytes)
{
    const Bytes *layout = &p->layouts[object->id];
    return layout->cell[offset]->low == offset && layout->cell[offset + bytes - 1]->high == offset + bytes;
}

static const SourceType unsigned_types[] = {[1] = ST_U8, [2] = ST_U16, [4] = ST_U32, [8] = ST_U64};

static SourceObject *promoted(const Promoter *p, Operand x, long *offset)
{
    SourceObject *object = object_of(p, x, offset);
    return object && !p->layouts[object->id].gone ? object : NULL;
}

/* In the user's function the object goes on to hold what the variable holds.  */
static void keep_home(const SourceObject *object, const Cell *cell)
{
    cell->variable->home = object->host ? object : NULL;
    cell->variable->home_at = cell->low;
}

/* Does the parameter hold what the user's object holds? Its bytes go there, and nothing else does.  */
static void keep_homes_of_parameters(Promoter *p)
{
    int *writes = arena_alloc(p->module, ((size_t)p->function->nobjects + 1) * sizeof *writes);
    for (int pass = 0; pass < 2; pass++)
        for (const SourceBlock *block = p->function->blocks; block; block = block->next)
            for (const Instruction *i = block->first; i; i = i->next) {
                long offset;
                const bool stores = i->code == SO_STORE || i->code == SO_ZERO || i->code == SO_MOVE;
                const SourceObject *object = stores ? promoted(p, i->args[0], &offset) : NULL;
                if (!object)
                    continue;
                writes[object->id] += !pass;
                if (pass && i->code == SO_MOVE && object->host && writes[object->id] == 1 && !offset &&
                    i->args[1].kind == OPERAND_VARIABLE && i->args[1].variable->is_parameter &&
                    i->args[1].variable->type == ST_S)
                    i->args[1].variable->home = object;
            }
}

/* The member that the byte lies in, else NULL.  */
const char *source_member_at(const SourceLayout *layout, long offset)
{
    for (int k = 0; layout && layout->bytes && k < layout->nmembers; k++) {
        const SourceMember *member = &layout->members[k];
        const long within = offset % layout->bytes - member->offset;
        if (within >= 0 && within < member->bytes * member->count)
            return member->structure ? source_member_at(member->structure, within) : member->name;
    }
    return NULL;
}

/* A member goes by its own name.  */
static Declaration declaration_of(const SourceObject *object, const Cell *cell)
{
    const char *member = source_member_at(object->declaration.layout, cell->low);
    return (Declaration){.name = member && *member ? member : object->declaration.name, .loc = object->declaration.loc};
}

/* The type of each cell: of the first access to all of it, unless there is one to a part.  */
static void type_cells(Promoter *p, const Instruction *i, bool parts)
{
    long offset;
    SourceObject *object = i->code == SO_LOAD || i->code == SO_STORE ? object_of(p, i->args[0], &offset) : NULL;
    if (!object || p->layouts[object->id].gone)
        return;
    Cell *cell = p->layouts[object->id].cell[offset];
    const int bytes = cell->high - cell->low;
    if (cell->variable || parts != (source_type_bytes(i->type) < bytes))
        return;
    const Declaration declaration = declaration_of(object, cell);
    cell->variable = source_variable(p->function, parts ? unsigned_types[bytes] : i->type, declaration);
    keep_home(object, cell);
}

/* A cell that nothing but moves accesses has the type of the one that it is moved to, or from.  */
static bool type_moved(Promoter *p, const Instruction *i)
{
    long to = 0, from = 0;
    SourceObject *a = i->code == SO_MOVE ? promoted(p, i->args[0], &to) : NULL;
    SourceObject *b = i->code == SO_MOVE ? promoted(p, i->args[1], &from) : NULL;
    bool changed = false;
    for (long k = 0; a && b && k < i->bytes;) {
        Cell *x = p->layouts[a->id].cell[to + k], *y = p->layouts[b->id].cell[from + k];
        const bool typed = x->variable != NULL;
        SourceObject *object = typed ? b : a;
        Cell *other = typed ? y : x;
        k += x->high - x->low;
        if (typed == (y->variable != NULL))
            continue;
        const Declaration declaration = declaration_of(object, other);
        other->variable = source_variable(p->function, (typed ? x : y)->variable->type, declaration);
        keep_home(object, other);
        changed = true;
    }
    return changed;
}

static SourceVariable *variable_of(Promoter *p, SourceObject *object, Cell *cell)
{
    const Declaration declaration = declaration_of(object, cell);
    if (!cell->variable) {
        cell->variable = source_variable(p->function, unsigned_types[cell->high - cell->low], declaration);
        keep_home(object, cell);
    }
    return cell->variable;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static Instruction *append(Promoter *p, Instruction made)
{
    Instruction *instruction = arena_alloc(p->module, sizeof *instruction);
    made.loc = p->like->loc;
    made.inlined = p->like->inlined;
    *instruction = made;
    instruction->next = NULL;
    source_insert(p->block, p->block->last, instruction);
    return instruction;
}

static Operand value(Promoter *p, Instruction made)
{
    Operand x = {.kind = OPERAND_TEMPORARY};
    x.temporary = append(p, made)->temporary = ++p->function->ntemporaries;
    return x;
}

static void assign(Promoter *p, SourceVariable *variable, Operand x)
{
    append(p, (Instruction){.code = SO_COPY, .type = variable->type, .variable = variable, .args = {x}});
}

/* The bits of x as another type of the same size.  */
static Operand as(Promoter *p, Operand x, SourceType from, SourceType to)
{
    if (from == to)
        return x;
    if (x.kind == OPERAND_INTEGER && !source_type_is_float(to) && x.integer == 0)
        return x;
    /* 0 and 1 are the bits of a b.  */
    if (to == ST_B) {
        x = value(p, (Instruction){.code = SO_AND, .type = from, .args = {x, source_integer(1)}});
        return value(p, (Instruction){.code = SO_CONV, .from = from, .type = to, .args = {x}});
    }
    const bool floats = source_type_is_float(from) || source_type_is_float(to);
    if (from == ST_P && floats)
        return as(p, as(p, x, ST_P, ST_U64), ST_U64, to);
    if (to == ST_P && floats)
        return as(p, as(p, x, from, ST_U64), ST_U64, to);
    return value(p, (Instruction){.code = floats ? SO_BITS : SO_CONV, .from = from, .type = to, .args = {x}});
}

/* The part of a cell from byte `at` on.  */
static Operand read_part(Promoter *p, const Cell *cell, int at, SourceType type)
{
    const SourceType all = cell->variable->type, part = unsigned_types[source_type_bytes(type)];
    Operand x = source_of(cell->variable);
    if (at > cell->low)
        x = value(p, (Instruction){.code = SO_SHR, .type = all, .args = {x, source_integer(8L * (at - cell->low))}});
    x = value(p, (Instruction){.code = SO_CONV, .from = all, .type = part, .args = {x}});
    return as(p, x, part, type);
}

static void write_part(Promoter *p, const Cell *cell, int at, SourceType type, Operand x)
{
    const SourceType all = cell->variable->type, part = unsigned_types[source_type_bytes(type)];
    const int shift = 8 * (at - cell->low), bits = 8 * source_type_bytes(type);
    const uint64_t whole = ~(uint64_t)0 >> (64 - 8 * (cell->high - cell->low));
    const uint64_t mask = (((uint64_t)1 << bits) - 1) << shift;
    x = type == ST_B ? value(p, (Instruction){.code = SO_CONV, .from = type, .type = part, .args = {x}})
                     : as(p, x, type, part);
    x = value(p, (Instruction){.code = SO_CONV, .from = part, .type = all, .args = {x}});
    if (shift)
        x = value(p, (Instruction){.code = SO_SHL, .type = all, .args = {x, source_integer(shift)}});
    Operand rest =
        value(p, (Instruction){.code = SO_AND,
                               .type = all,
                               .args = {source_of(cell->variable), source_integer((int64_t)(whole & ~mask))}});
    assign(p, cell->variable, value(p, (Instruction){.code = SO_OR, .type = all, .args = {rest, x}}));
}

/* Behind a load its temporary is this variable.  */
static void replace(Instruction *from, int temporary, Operand by)
{
    for (Instruction *i = from; i; i = i->next)
        for (int k = 0; k < source_noperands(i); k++) {
            Operand *x = source_operand(i, k);
            if (x->kind == OPERAND_TEMPORARY && x->temporary == temporary)
                *x = by;
        }
}

static void write_load(Promoter *p, Instruction *i, SourceObject *object, long offset)
{
    Cell *cell = p->layouts[object->id].cell[offset];
    const SourceVariable *variable = variable_of(p, object, cell);
    const bool part = source_type_bytes(i->type) < cell->high - cell->low;
    const Operand x =
        part ? read_part(p, cell, (int)offset, i->type) : as(p, source_of(cell->variable), variable->type, i->type);
    SourceVariable *held = source_variable(p->function, i->type, (Declaration){0});
    assign(p, held, x);
    replace(i->next, i->temporary, source_of(held));
}

static void write_store(Promoter *p, const Instruction *i, SourceObject *object, long offset)
{
    Cell *cell = p->layouts[object->id].cell[offset];
    SourceVariable *variable = variable_of(p, object, cell);
    if (source_type_bytes(i->type) < cell->high - cell->low)
        write_part(p, cell, (int)offset, i->type, i->args[1]);
    else if (i->type == ST_B && variable->type != ST_B)
        assign(p, variable,
               value(p, (Instruction){.code = SO_CONV, .from = ST_B, .type = variable->type, .args = {i->args[1]}}));
    else
        assign(p, variable, as(p, i->args[1], i->type, variable->type));
}

static void write_zero(Promoter *p, const Instruction *i, SourceObject *object, long offset)
{
    for (long k = offset; k < offset + i->bytes;) {
        Cell *cell = p->layouts[object->id].cell[k];
        SourceVariable *variable = variable_of(p, object, cell);
        assign(p, variable, source_type_is_float(variable->type) ? source_number(0) : source_integer(0));
        k = cell->high;
    }
}

static Operand moved_address(Promoter *p, Operand base, long offset)
{
    if (!offset)
        return base;
    return value(p, (Instruction){.code = SO_ADD, .type = ST_P, .args = {base, source_integer(offset)}});
}

/* Reads everything before it writes anything.  */
static void write_move(Promoter *p, const Instruction *i, SourceObject *to, long at, SourceObject *from, long start)
{
    Operand *values = arena_alloc(p->module, (size_t)i->bytes * sizeof *values);
    const Bytes *cells = &p->layouts[(from ? from : to)->id];
    const long first = from ? start : at;
    for (long k = 0; k < i->bytes;) {
        Cell *cell = cells->cell[first + k];
        SourceVariable *variable = variable_of(p, from ? from : to, cell);
        Operand x = source_of(variable);
        if (!from)
            x = value(
                p, (Instruction){.code = SO_LOAD, .type = variable->type, .args = {moved_address(p, i->args[1], k)}});
        SourceVariable *held = source_variable(p->function, variable->type, (Declaration){0});
        assign(p, held, x);
        values[k] = source_of(held);
        k += cell->high - cell->low;
    }
    for (long k = 0; k < i->bytes;) {
        Cell *cell = cells->cell[first + k];
        const SourceType type = cell->variable->type;
        if (to) {
            SourceVariable *variable = variable_of(p, to, p->layouts[to->id].cell[at + k]);
            if (type == ST_B && variable->type != ST_B)
                assign(p, variable,
                       value(p, (Instruction){
                                    .code = SO_CONV, .from = ST_B, .type = variable->type, .args = {values[k]}}));
            else
                assign(p, variable, as(p, values[k], type, variable->type));
        } else
            append(p,
                   (Instruction){.code = SO_STORE, .type = type, .args = {moved_address(p, i->args[0], k), values[k]}});
        k += cell->high - cell->low;
    }
}

static void write_block(Promoter *p, SourceBlock *block)
{
    Instruction *next = block->first;
    block->first = block->last = NULL;
    p->block = block;
    for (Instruction *i = next; i; i = next) {
        long offset = 0, start = 0;
        next = i->next;
        p->like = i;
        const bool accesses = i->code == SO_LOAD || i->code == SO_STORE || i->code == SO_ZERO || i->code == SO_MOVE;
        SourceObject *object = accesses ? promoted(p, i->args[0], &offset) : NULL;
        SourceObject *from = i->code == SO_MOVE ? promoted(p, i->args[1], &start) : NULL;
        if (object && i->code == SO_LOAD)
            write_load(p, i, object, offset);
        else if (object && i->code == SO_STORE)
            write_store(p, i, object, offset);
        else if (object && i->code == SO_ZERO)
            write_zero(p, i, object, offset);
        else if (object || from)
            write_move(p, i, object, offset, from, start);
        else
            source_insert(block, block->last, i);
    }
}

SourceNotPromoted *source_promote(SourceFunction *function)
{
    enum { LARGEST = 512 /* bytes of an object */ };
    Module *module = function->unit->module;
    if (function->failed || !function->blocks || !function->nobjects)
        return NULL;
    Promoter promoter = {.function = function, .module = module}, *p = &promoter;
    p->last = &p->refused;
    p->layouts = arena_alloc(module, (size_t)function->nobjects * sizeof *p->layouts);
    p->object = arena_alloc(module, ((size_t)function->ntemporaries + 1) * sizeof(SourceObject *));
    p->offset = arena_alloc(module, ((size_t)function->ntemporaries + 1) * sizeof *p->offset);
    for (int o = 0; o < function->nobjects; o++) {
        SourceObject *object = function->objects[o];
        Bytes *layout = &p->layouts[o];
        if (object->bytes > LARGEST || object->bytes <= 0 || object->declaration.is_volatile) {
            refuse(p, object, object->bytes > LARGEST ? NOT_PROMOTED_LARGE : NOT_PROMOTED_ESCAPES, NULL);
            continue;
        }
        layout->joined = arena_alloc(module, (size_t)object->bytes * sizeof *layout->joined);
        layout->taken = arena_alloc(module, (size_t)object->bytes);
        for (int k = 0; k < object->bytes; k++)
            layout->joined[k] = k;
    }
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        find_addresses(p, block);
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_LOAD || i->code == SO_STORE)
                take(p, i, i->args[0], source_type_bytes(i->type));
    for_moves(p);
    for (int o = 0; o < function->nobjects; o++)
        if (!p->layouts[o].gone)
            join_rest(&p->layouts[o], function->objects[o]->bytes);
    for_moves(p);
    for (int o = 0; o < function->nobjects; o++)
        if (!p->layouts[o].gone)
            make_cells(p, function->objects[o]);
    /* A move or a zero that cuts a cell.  */
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            for (int k = 0; (i->code == SO_ZERO && k < 1) || (i->code == SO_MOVE && k < 2); k++) {
                long offset;
                SourceObject *object = promoted(p, i->args[k], &offset);
                if (object && (!is_inside(object, offset, i->bytes) || !is_whole(p, object, offset, i->bytes)))
                    refuse(p, object, NOT_PROMOTED_OVERLAP, i);
            }
    for (int parts = 1; parts >= 0; parts--)
        for (const SourceBlock *block = function->blocks; block; block = block->next)
            for (const Instruction *i = block->first; i; i = i->next)
                type_cells(p, i, parts);
    for (bool changed = true; changed;) {
        changed = false;
        for (const SourceBlock *block = function->blocks; block; block = block->next)
            for (const Instruction *i = block->first; i; i = i->next)
                changed |= type_moved(p, i);
    }
    keep_homes_of_parameters(p);
    for (SourceBlock *block = function->blocks; block; block = block->next)
        write_block(p, block);
    source_sweep(function);
    return p->refused;
}
