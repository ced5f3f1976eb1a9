/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blocks.c - arrays of tiles, of which each iteration of a loop over blocks writes its element; see plugin/array.cc.
 *
 *   #pragma ws blocks
 *   for (int s = 0; s < 8; s++)            %x = for %s = 0, < 8, 1; %x.1 = %none blocks {
 *       x[s] = f (s);                        yield %f
 *                                          }
 *   #pragma ws blocks                      for %s.2 = 0, < 8, 1 blocks {
 *   for (int s = 0; s < 8; s++)              %own = tile_at %x, %s.2
 *       g (s, x[s]);
 *
 * Such an array has no slots: it is a value of each loop that writes it, begins as a tile whose shape nobody knows yet,
 * and is looked at by TILE_AT alone.
 */
#include "lower.h"

#include "frontend.h"

static const char *array_name(const Walk *w, const Place *place)
{
    const char *name = w->variables[place->variable].name;
    return name ? name : "the array";
}

static TileArray *find(const Walk *w, int variable)
{
    for (int i = 0; i < w->narrays; i++)
        if (w->arrays[i].variable == variable)
            return &w->arrays[i];
    return NULL;
}

static TileArray *find_or_make(Walk *w, int variable)
{
    if (!find(w, variable))
        LIST_ADD(w->u->module, w->arrays, w->narrays) = (TileArray){.variable = variable};
    return find(w, variable);
}

static bool over_blocks(const Op *op)
{
    return op && op->code == OP_FOR && op->control->pipeline && op->control->pipeline->blocks;
}

/* The innermost loop over blocks that the walk is in, or NULL.  */
static Op *blocks_around(const Walk *w)
{
    for (const Block *block = w->block; block && block->parent; block = block->parent->parent)
        if (over_blocks(block->parent))
            return block->parent;
    return NULL;
}

static bool is_own(const Op *loop, const Value *index)
{
    while (index->def && index->def->code == OP_SCALAR_CONVERT)
        index = index->def->args[0];
    return loop && loop->blocks[0]->args[0] == index;
}

/* Is the value made in a block that the walk is in, not in a branch beside?  */
static bool is_seen(const Walk *w, const Value *value)
{
    for (const Block *block = w->block; block; block = block->parent ? block->parent->parent : NULL)
        if (block == value->def->parent)
            return true;
    return false;
}

/* Is the element one of those that loops over blocks write?  A constant chooses none, before one of them has.  */
bool array_element(const Walk *w, const Result *base, CXType type, bool constant)
{
    CXType whole = clang_getCanonicalType(w->variables[base->variable].type);
    bool plain = !base->byte && is_tile_type(type) && whole.kind == CXType_ConstantArray &&
                 is_tile_type(clang_getArrayElementType(whole));
    return plain && (!constant || find(w, base->variable));
}

/* ensure: the loop leaves the tile there, or an error.  */
void array_write(Walk *w, const Place *place, Value *value, CXCursor e)
{
    Op *loop = w->block->parent;
    if (w->failed)
        return;
    if (!over_blocks(loop) || !is_own(loop, place->element)) {
        refuse(w, e, "write 'x[s] = ...' in the body of a loop over blocks whose variable is s",
               "each iteration of a loop over blocks writes its own element of '%s', and nothing else does",
               array_name(w, place));
        return;
    }
    TileArray *array = find_or_make(w, place->variable);
    array->writer = loop;
    array->written = value;
}

Value *array_read(Walk *w, const Place *place, CXCursor e)
{
    TileArray *array = find_or_make(w, place->variable);
    Op *around = blocks_around(w);
    if (array->writer && array->writer == around && is_own(around, place->element))
        return array->written;
    if (w->failed)
        return anything(w, place->type);
    if (!array->writer && array->value && is_seen(w, array->value)) {
        Value *args[] = {array->value, place->element};
        w->where = loc_of(w->u, e);
        return op_of(w, OP_TILE_AT, TYPE_TO_INFER, 2, args);
    }
    w->failed = true;
    reject(w->kernel, loc_of(w->u, e), array->writer ? REASON_BLOCKS_SAME : REASON_BLOCKS_UNWRITTEN,
           array_name(w, place));
    return anything(w, place->type);
}

/* A loop's body has been walked: what it has written leaves it.  */
int array_yield(Walk *w, Op *loop, Value **next, int count)
{
    for (int i = 0; i < w->narrays; i++) {
        TileArray *array = &w->arrays[i];
        if (array->writer != loop)
            continue;
        Op *none = op_new(w->kernel, OP_FULL, loop->loc, 0, NULL);
        op_before(loop, none);
        op_add_arg(w->kernel, loop,
                   op_result(w->kernel, none, type_tile(D_F32, -1, -1), NULL)); /* types.c settles it */
        block_arg(w->kernel, loop->blocks[0], TYPE_TO_INFER, w->variables[array->variable].name, loop->loc);
        next[count++] = array->written;
    }
    return count;
}

/* And its results are bound.  */
void array_leave(Walk *w, Op *loop)
{
    for (int i = 0; i < w->narrays; i++) {
        TileArray *array = &w->arrays[i];
        if (array->writer != loop)
            continue;
        array->value = op_result(w->kernel, loop, TYPE_TO_INFER, w->variables[array->variable].name);
        array->writer = NULL;
        array->written = NULL;
    }
}

/* A loop over blocks stands in no other inside the grid.  */
void array_check_loop(Walk *w, const Pipeline *pipeline)
{
    if (!pipeline || !pipeline->blocks || w->depth <= w->kernel->grid.dims + 1 || w->failed)
        return;
    reject(w->kernel, pipeline->loc, REASON_BLOCKS_INSIDE);
    w->failed = true;
}
