/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-array.c - arrays of tiles, of which each iteration of a loop over blocks writes its element.
 *
 *      #pragma ws blocks
 *      for (int s = 0; s < 8; s++)            %x = for %s = 0, < 8, 1; %x.1 = %none blocks {
 *          x[s] = f(s);                         yield %f
 *                                             }
 *      #pragma ws blocks                      for %s.2 = 0, < 8, 1 blocks {
 *      for (int s = 0; s < 8; s++)              %own = tile_at %x, %s.2
 *          g(s, x[s]);
 *
 * The array is an object of the iteration. It is a value of each loop that writes it, which begins as a tile of a shape
 * that types find.
 */
#include "build.h"

static const char *name_of(const BuiltArray *array)
{
    return array->object->declaration.name ? array->object->declaration.name : "the array";
}

Built build_array(Builder *b, const SourceObject *object)
{
    Built built = {.kind = BUILT_ADDRESS, .name = object->declaration.name};
    for (BuiltArray *array = b->arrays; array; array = array->next)
        if (array->object == object)
            built.array = array;
    if (!built.array) {
        built.array = arena_alloc(b->module, sizeof *built.array);
        *built.array = (BuiltArray){.object = object, .next = b->arrays};
        b->arrays = built.array;
        b->narrays++;
    }
    return built;
}

static bool is_over_blocks(const Op *loop)
{
    return loop && loop->code == OP_FOR && loop->control->pipeline && loop->control->pipeline->blocks;
}

/* The innermost loop over blocks around.  */
static Op *blocks_around(const Builder *b)
{
    for (const Block *block = b->block; block; block = block->parent ? block->parent->parent : NULL)
        if (is_over_blocks(block->parent))
            return block->parent;
    return NULL;
}

/* The subscript of the address.  */
static Value *index_of(Builder *b, Loc loc, const Built *address)
{
    int64_t factor;
    Value *offset = address->offset;
    if (!offset)
        return build_integer(b, D_I32, 0);
    const Op *def = offset->def;
    if (!def || def->code != OP_SCALAR_MUL || !ir_constant(def->args[1], &factor) || factor != 8)
        return build_binary(b, OP_SCALAR_DIV, loc, offset, build_integer(b, D_I64, 8));
    Value *index = def->args[0];
    while (index->def && index->def->code == OP_SCALAR_CONVERT)
        index = index->def->args[0];
    return index;
}

void build_array_write(Builder *b, const Instruction *store, const Built *address)
{
    const Op *loop = blocks_around(b);
    const Built tile = build_pointer(b, store->loc, store->args[1]);
    if (!loop || b->block != loop->blocks[0] || index_of(b, store->loc, address) != loop->blocks[0]->args[0])
        reject(b->kernel, store->loc, REASON_BLOCKS_WRITE_OWN, name_of(address->array));
    else if (tile.kind != BUILT_HANDLE)
        build_refuse(b, store->loc, "a pointer in an array of tiles");
    if (b->kernel->failed)
        return;
    address->array->writer = loop;
    address->array->element = tile.value;
}

/* Is the value made in a block around, not in a branch beside?  */
static bool is_seen(const Builder *b, const Value *value)
{
    for (const Block *block = b->block; block; block = block->parent ? block->parent->parent : NULL)
        if (block == value->def->parent)
            return true;
    return false;
}

Built build_array_read(Builder *b, const Instruction *load, const Built *address)
{
    BuiltArray *array = address->array;
    const Op *loop = blocks_around(b);
    Value *index = index_of(b, load->loc, address);
    if (array->writer && array->writer == loop && index == loop->blocks[0]->args[0])
        return (Built){.kind = BUILT_HANDLE, .value = array->element};
    if (!array->writer && array->value && is_seen(b, array->value)) {
        Value *args[] = {array->value, index};
        return (Built){.kind = BUILT_HANDLE,
                       .value = build_op(b, OP_TILE_AT, load->loc, (Type){K_NONE, D_F32, 0, 0, 0}, 2, args)};
    }
    reject(b->kernel, load->loc, array->writer ? REASON_BLOCKS_SAME : REASON_BLOCKS_UNWRITTEN, name_of(array));
    return (Built){.kind = BUILT_NONE};
}

int build_arrays_yield(Builder *b, Op *loop, Value **values)
{
    int n = 0;
    for (BuiltArray *array = b->arrays; array; array = array->next) {
        if (array->writer != loop)
            continue;
        op_add_arg(b->kernel, loop, build_no_tile(b, loop));
        block_arg(b->kernel, loop->blocks[0], (Type){K_NONE, D_F32, 0, 0, 0}, name_of(array), loop->loc);
        values[n++] = array->element;
    }
    return n;
}

void build_arrays_leave(Builder *b, Op *loop)
{
    for (BuiltArray *array = b->arrays; array; array = array->next) {
        if (array->writer != loop)
            continue;
        array->value = op_result(b->kernel, loop, (Type){K_NONE, D_F32, 0, 0, 0}, name_of(array));
        array->writer = NULL;
        array->element = NULL;
    }
}
