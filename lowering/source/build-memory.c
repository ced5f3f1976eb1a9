/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-memory.c - addresses, loads and stores of elements.
 *
 *      t2 = conv.i32.i64 i.5            %1 = scalar_convert %i
 *      t3 = mul.i64 t2, 4               %2 = scalar_mul %1, 4
 *      t4 = add.p x.3, t3
 *      t5 = load.f32 t4                 %3 = element %x, %2
 *      store.f32 t4, t6                 set_element %x, %2, %4 "x"
 *
 * An address is a base, which is a parameter of the kernel, and a sum of bytes. A pointer that goes to one of several
 * bases has no IR.
 */
#include <ctype.h>
#include <string.h>

#include "build.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

Built build_pointer(Builder *b, Loc loc, Operand x)
{
    Built none = {.kind = BUILT_NONE};
    if (x.kind != OPERAND_TEMPORARY && x.kind != OPERAND_VARIABLE) {
        build_refuse(b, loc, "a constant address");
        return none;
    }
    const Built built = x.kind == OPERAND_TEMPORARY ? b->temporaries[x.temporary] : b->variables[x.variable->id];
    if (built.kind == BUILT_SCALAR) {
        build_refuse(b, loc, "a number that is used as a pointer");
        return none;
    }
    return built;
}

/* A sum of bytes, without one that is 0.  */
static Value *added(Builder *b, Loc loc, Value *x, Value *y)
{
    int64_t number;
    if (!x || !y)
        return x ? x : y;
    if (ir_constant(y, &number) && !number)
        return x;
    return build_binary(b, OP_SCALAR_ADD, loc, x, y);
}

static Built sum(Builder *b, const Instruction *i)
{
    Built base = build_pointer(b, i->loc, i->args[0]);
    if (base.kind == BUILT_NONE && base.name) {
        reject(b->kernel, i->loc, REASON_STRING_ELEMENT_UNKNOWN);
        return base;
    }
    if (base.kind == BUILT_CHOSEN)
        reject(b->kernel, i->loc, REASON_TENSOR_BASE_CHANGES);
    if (base.kind != BUILT_ADDRESS) {
        build_refuse(b, i->loc, "an address without an array");
        return (Built){.kind = BUILT_NONE};
    }
    Value *bytes = build_scalar(b, i->loc, i->args[1], ST_I64);
    int64_t number;
    if (bytes && !(ir_constant(bytes, &number) && !number))
        base.offset = added(b, i->loc, base.offset, bytes);
    return base;
}

void build_refuse_meeting(Builder *b, Loc loc, const Built *yes, const Built *no, const char *name)
{
    const bool tensors = yes->kind == BUILT_HANDLE && no->kind == BUILT_HANDLE && yes->value->type.kind == K_TENSOR;
    if (!tensors)
        build_refuse(b, loc, "a pointer to one of several arrays");
    else if (!b->kernel->failed)
        reject(b->kernel, loc, REASON_TENSOR_FROM_BRANCH,
               name ? arena_print(b->module, "the tensor '%s'", name) : "a tensor");
}

/* c ? x : y of tiles.  */
static Built chosen_tile(Builder *b, const Instruction *i, const Built *yes, const Built *no)
{
    Value *condition = build_scalar(b, i->loc, i->args[0], ST_B);
    if (!condition)
        return (Built){.kind = BUILT_NONE};
    Op *op = op_new(b->kernel, OP_IF, i->loc, 1, &condition);
    Block *arms[] = {block_new(b->kernel, op), block_new(b->kernel, op)};
    op_append(b->block, op);
    build_yield(b, arms[0], OP_YIELD, i->loc, 1, &yes->value);
    build_yield(b, arms[1], OP_YIELD, i->loc, 1, &no->value);
    return (Built){.kind = BUILT_HANDLE, .value = op_result(b->kernel, op, build_type_handed(yes->value), NULL)};
}

static Built choice(Builder *b, const Instruction *i)
{
    Built yes = build_pointer(b, i->loc, i->args[1]);
    const Built no = build_pointer(b, i->loc, i->args[2]);
    if (yes.kind == BUILT_HANDLE && no.kind == BUILT_HANDLE && yes.value->type.kind != K_TENSOR)
        return chosen_tile(b, i, &yes, &no);
    if (yes.kind != no.kind || !built_has_bytes(&yes) || yes.value != no.value) {
        Built made = {.kind = BUILT_NONE};
        const Instruction *copy = i->next;
        while (copy && !(copy->code == SO_COPY && copy->args[0].kind == OPERAND_TEMPORARY &&
                         copy->args[0].temporary == i->temporary))
            copy = copy->next;
        const char *name = copy ? copy->variable->declaration.name : i->holders ? i->holders->declaration->name : NULL;
        if (build_chosen_pointer(b, i, &yes, &no, name, &made) || b->kernel->failed)
            return made;
        build_refuse_meeting(b, i->loc, &yes, &no, name);
        return (Built){.kind = BUILT_NONE};
    }
    Value *zero = build_integer(b, D_I64, 0);
    Value *args[] = {build_scalar(b, i->loc, i->args[0], ST_B), yes.offset ? yes.offset : zero,
                     no.offset ? no.offset : zero};
    if (args[0])
        yes.offset = build_op(b, OP_SCALAR_SELECT, i->loc, type_scalar(D_I64), 3, args);
    return yes;
}

/* Bytes between two places of one array.  */
static Built difference(Builder *b, const Instruction *i)
{
    const Built x = build_pointer(b, i->loc, i->args[0]), y = build_pointer(b, i->loc, i->args[1]);
    if (x.kind != BUILT_ADDRESS || y.kind != BUILT_ADDRESS || x.value != y.value) {
        build_refuse(b, i->loc, "the distance between two arrays");
        return (Built){.kind = BUILT_NONE};
    }
    Value *zero = build_integer(b, D_I64, 0);
    return (Built){.kind = BUILT_SCALAR,
                   .value =
                       build_binary(b, OP_SCALAR_SUB, i->loc, x.offset ? x.offset : zero, y.offset ? y.offset : zero)};
}

/* p != NULL, where p is known before the grid: the launcher gets it.  */
static Built compared(Builder *b, const Instruction *i)
{
    const bool zero = i->args[1].kind == OPERAND_INTEGER && !i->args[1].integer;
    const Built address =
        zero && i->args[0].kind != OPERAND_INTEGER ? build_pointer(b, i->loc, i->args[0]) : (Built){.kind = BUILT_NONE};
    int of = -1, k = 0;
    for (int n = 0; n < 2; n++)
        if (i->args[n].kind != OPERAND_INTEGER && build_pointer(b, i->loc, i->args[n]).kind == BUILT_HANDLE) {
            reject(b->kernel, i->loc, REASON_TILE_AS_NUMBER);
            return (Built){.kind = BUILT_NONE};
        }
    for (int n = 0; n < b->nlive_ins && address.kind == BUILT_ADDRESS && !address.offset; n++)
        if (b->live_ins[n].value == address.value)
            of = n;
    if ((i->code != SO_NE && i->code != SO_EQ) || of < 0) {
        reject(b->kernel, i->loc, REASON_POINTERS_COMPARED);
        return (Built){.kind = BUILT_NONE};
    }
    SourceLiveIn like = b->live_ins[of];
    while (k < b->nlive_ins && !(b->live_ins[k].is_set && b->live_ins[k].address == address.value))
        k++;
    like.is_set = true;
    like.address = address.value;
    Value *args[] = {k < b->nlive_ins ? b->live_ins[k].value : build_live_in(b, like, type_scalar(D_I32), NULL, i->loc),
                     build_integer(b, D_I32, 0)};
    return (Built){.kind = BUILT_SCALAR,
                   .value =
                       build_op(b, i->code == SO_NE ? OP_SCALAR_NE : OP_SCALAR_EQ, i->loc, type_scalar(D_I1), 2, args)};
}

/* The object is an argument, or the result, of a function of complex numbers.  */
static bool refuse_complex_call(Builder *b, const Instruction *object)
{
    for (const Instruction *i = object->next; i; i = i->next) {
        bool takes = false, complex = i->type == ST_C32 || i->type == ST_C64;
        for (int k = 0; k < i->narguments; k++) {
            const SourceArgument *argument = &i->arguments[k];
            complex |= argument->type == ST_C32 || argument->type == ST_C64;
            takes |= argument->operand.kind == OPERAND_TEMPORARY && argument->operand.temporary == object->temporary;
        }
        if (!takes || !complex || !i->symbol)
            continue;
        reject(b->kernel, i->loc, REASON_CALL_COMPLEX, i->symbol);
        return true;
    }
    return false;
}

Built build_address_operation(Builder *b, const Instruction *i)
{
    switch (i->code) {
    case SO_ADD:
        return sum(b, i);
    case SO_SUB:
        return difference(b, i);
    case SO_SELECT:
        return choice(b, i);
    case SO_GLOBAL:
        return build_global(b, i->symbol);
    case SO_ADDR:
        if (i->object->declaration.element == ST_P && i->object->declaration.ndimensions == 1)
            return build_array(b, i->object);
        if (refuse_complex_call(b, i))
            break;
        build_refuse(b, i->loc,
                     i->object->declaration.name
                         ? arena_print(b->module, "the object '%s' of an iteration", i->object->declaration.name)
                         : "an unnamed object of an iteration");
        break;
    case SO_FUNCTION: /* for a call */
        return (Built){.kind = BUILT_NONE, .name = i->symbol};
    case SO_STRING:
        return (Built){.kind = BUILT_NONE, .name = i->string};
    default:
        if (source_op_form(i->code) == FORM_COMPARE)
            return compared(b, i);
        if (i->code == SO_CONV && i->args[0].kind != OPERAND_INTEGER) {
            const bool handle = build_pointer(b, i->loc, i->args[0]).kind == BUILT_HANDLE;
            reject(b->kernel, i->loc, handle ? REASON_TILE_AS_NUMBER : REASON_ADDRESS_AS_NUMBER);
            break;
        }
        build_refuse(b, i->loc, arena_print(b->module, "an operation '%s' on addresses", source_op_text(i->code)));
    }
    return (Built){.kind = BUILT_NONE};
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* The address of an element, or BUILT_NONE after a refusal.  */
static Built element_at(Builder *b, const Instruction *i)
{
    Built address = build_pointer(b, i->loc, i->args[0]);
    if (address.kind == BUILT_ADDRESS && !i->is_volatile)
        return address;
    if (i->is_volatile)
        reject(b->kernel, build_place(i), i->code == SO_LOAD ? REASON_VOLATILE_READ : REASON_VOLATILE_WRITTEN);
    else
        build_refuse(b, i->loc, "an address without an array");
    return (Built){.kind = BUILT_NONE};
}

/* A number of bytes as a constant and what varies.  */
static const Value *varying(const Value *offset, int64_t *bytes)
{
    *bytes = 0;
    return offset && !ir_constant(offset, bytes) ? offset : NULL;
}

static int live_in_of(const Builder *b, const Value *value)
{
    int k = 0;
    while (k < b->nlive_ins && b->live_ins[k].value != value)
        k++;
    return k;
}

/* The name of the variable that gets it, or of the member; NULL: it has none.  */
static const char *name_before(const Instruction *load)
{
    if (load->holders)
        return load->holders->declaration->name;
    const char *name = load->spelling ? build_name_read(load) : NULL;
    for (const char *at = name; at && *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            name = NULL;
    return name && *name ? name : NULL;
}

/* In front of the loops: the front end reads it, and the launcher gets it.  */
static Built read_before(Builder *b, const Instruction *load, const Built *address)
{
    const int k = live_in_of(b, address->value);
    if (k == b->nlive_ins || b->live_ins[k].nreads == MOST_READS || b->live_ins[k].behind ||
        b->live_ins[k].varying_behind) {
        build_refuse(b, load->loc, "a number that is read before the grid");
        return (Built){.kind = BUILT_NONE};
    }
    SourceLiveIn like = b->live_ins[k];
    like.varying[like.nreads] = varying(address->offset, &like.reads[like.nreads]);
    like.nreads++;
    like.read = load->type;
    return (Built){.kind = load->type == ST_P ? BUILT_ADDRESS : BUILT_SCALAR,
                   .value = build_read_before(b, like, name_before(load), load->loc)};
}

bool build_is_known(const Value *value)
{
    int64_t divisor;
    const Op *def = value->def;
    if (!def)
        return !value->block;
    if (def->code == OP_CONST)
        return true;
    if (op_info[def->code].class_ != CLASS_SCALAR || def->nresults != 1 || def->code == OP_ELEMENT ||
        def->code == OP_SCALAR_MATH ||
        ((def->code == OP_SCALAR_DIV || def->code == OP_SCALAR_REM) &&
         (!ir_constant(def->args[1], &divisor) || !divisor || divisor == -1)))
        return false;
    for (int i = 0; i < def->nargs; i++)
        if (!build_is_known(def->args[i]))
            return false;
    return true;
}

Built build_base(Builder *b, Loc loc, Operand x)
{
    const Built base = build_pointer(b, loc, x);
    const int k = base.kind == BUILT_ADDRESS && !base.array ? live_in_of(b, base.value) : b->nlive_ins;
    if ((base.kind == BUILT_CHOSEN && b->devices >= 0) || (k < b->nlive_ins && !base.offset))
        return base;
    if (k == b->nlive_ins || !build_is_known(base.offset)) {
        reject(b->kernel, loc, REASON_TENSOR_BASE_CHANGES);
        return (Built){.kind = BUILT_NONE};
    }
    SourceLiveIn like = b->live_ins[k];
    int64_t bytes;
    const Value *more = varying(base.offset, &bytes);
    if (more && like.varying_behind) {
        build_refuse(b, loc, "a tensor whose base is computed");
        return (Built){.kind = BUILT_NONE};
    }
    like.behind += bytes;
    like.varying_behind = more ? more : like.varying_behind;
    return (Built){.kind = BUILT_ADDRESS, .name = base.name, .value = build_read_before(b, like, base.name, loc)};
}

/* Of loops over tiles, whose stores have no pointers.  */
static Built read_pointer(Builder *b, const Instruction *load, const Built *address)
{
    if (!address->offset || build_is_known(address->offset))
        return read_before(b, load, address);
    return (Built){.kind = BUILT_CHOSEN, .value = address->value, .offset = address->offset, .name = address->name};
}

const char *build_name_read(const Instruction *load)
{
    const char *name = load->spelling ? load->spelling : "it";
    for (const char *at = name; *at; at++)
        if (*at == '>' || *at == '.')
            name = at + 1;
    return name;
}

/* A variable outside of the function, or an object of the host's: a grid over tiles writes nothing but tensors.  */
static bool is_left_alone(const SourceLiveIn *live)
{
    return (live->global || (live->object && !live->object->declaration.holds)) && !live->nreads && !live->behind &&
           !live->varying_behind && !live->is_set && !live->into;
}

Built build_load(Builder *b, const Instruction *load)
{
    Built none = {.kind = BUILT_NONE};
    Built address = element_at(b, load);
    if (address.kind == BUILT_NONE)
        return none;
    if (!b->depth && (!address.offset || build_is_known(address.offset)))
        return read_before(b, load, &address);
    if (address.array)
        return build_array_read(b, load, &address);
    if (load->type == ST_P && !b->kernel->grid.plain)
        return read_pointer(b, load, &address);
    if (!b->depth) {
        build_refuse(b, load->loc, "a number that is read before the grid");
        return none;
    }
    if (load->type == ST_P) {
        Built row;
        if (!address.offset || build_is_known(address.offset))
            reject(b->kernel, load->loc, REASON_READ_MAY_CHANGE, build_name_read(load));
        else if (build_row(b, load, &address, &row))
            return row;
        else
            reject(b->kernel, load->loc, REASON_POINTER_ARRAY_UNKNOWN);
        return none;
    }
    if (!b->kernel->grid.plain) {
        const int k = live_in_of(b, address.value);
        const SourceLiveIn *live = k < b->nlive_ins ? &b->live_ins[k] : NULL;
        if (live && is_left_alone(live) && (!address.offset || build_is_known(address.offset)))
            return read_before(b, load, &address);
        Value *value =
            live ? build_table_read(b, load, &address, live, live->global ? build_global_named(b, live->global) : NULL)
                 : NULL;
        if (value)
            return (Built){.kind = BUILT_SCALAR, .value = value};
        build_refuse_load(b, load, &address);
        return none;
    }
    address = build_total_element(b, load, address);
    const Dtype dtype = build_dtype(load->type);
    Value *args[] = {address.value, address.offset ? address.offset : build_integer(b, D_I64, 0)};
    Value *value = build_op(b, OP_ELEMENT, load->loc, type_scalar(dtype == D_I1 ? D_U8 : dtype), 2, args);
    build_spell(b, value->def, load, &address);
    return (Built){.kind = BUILT_SCALAR, .value = build_convert(b, load->loc, value, dtype)};
}

void build_store(Builder *b, const Instruction *store)
{
    Built address = element_at(b, store);
    if (address.array) {
        build_array_write(b, store, &address);
        return;
    }
    if (address.kind == BUILT_ADDRESS && !b->kernel->grid.plain) {
        build_refuse_store(b, store, &address);
        return;
    }
    if (store->type == ST_P) {
        reject(b->kernel, store->loc, REASON_ARRAY_TYPE);
        return;
    }
    if (address.kind != BUILT_NONE)
        address = build_total_element(b, store, address);
    Value *value = address.kind == BUILT_NONE ? NULL : build_scalar(b, store->loc, store->args[1], store->type);
    if (!value)
        return;
    if (store->type == ST_B) /* a byte of memory */
        value = build_convert(b, store->loc, value, D_U8);
    Value *args[] = {address.value, address.offset ? address.offset : build_integer(b, D_I64, 0), value};
    Op *op = op_new(b->kernel, OP_SET_ELEMENT, store->loc, 3, args);
    const char *name = store->symbol ? store->symbol : address.name;
    op->store->label = name ? name : "";
    build_spell(b, op, store, &address);
    op_append(b->block, op);
}
