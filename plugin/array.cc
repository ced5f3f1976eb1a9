/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * array.cc - arrays of tiles, of which each iteration of a loop over blocks writes its element.
 *
 *   #pragma ws blocks
 *   for (int s = 0; s < 8; s++)            %x = for %s = 0, < 8, 1; %x.1 = %none blocks {
 *       x[s] = f (s);                        yield %f
 *                                          }
 *   #pragma ws blocks                      for %s.2 = 0, < 8, 1 blocks {
 *   for (int s = 0; s < 8; s++)              %own = tile_at %x, %s.2
 *       g (s, x[s]);
 *
 * Such an array stays in memory: promote.cc leaves it alone.  In the IR it is a value of each loop that writes it,
 * begins as a tile whose shape nobody knows yet, and is looked at by TILE_AT alone.
 */
#include "plugin.h"

/* The array that a reference is an element of, or NULL.  */
tree array_of(tree reference)
{
    if (TREE_CODE(reference) != ARRAY_REF || !is_tile_type(TREE_TYPE(reference)))
        return NULL_TREE;
    tree decl = TREE_OPERAND(reference, 0);
    return VAR_P(decl) && auto_var_in_fn_p(decl, current_function_decl) ? decl : NULL_TREE;
}

static const char *array_name(tree decl)
{
    return DECL_NAME(decl) ? IDENTIFIER_POINTER(DECL_NAME(decl)) : "the array";
}

static TileArray *find(Walk *w, tree decl)
{
    for (unsigned i = 0; i < w->arrays.length(); i++)
        if (w->arrays[i].decl == decl)
            return &w->arrays[i];
    w->arrays.safe_push(TileArray{decl, NULL, NULL, NULL});
    return &w->arrays.last();
}

/* The innermost loop over blocks that the walk is in.  */
static class loop *blocks_around(const Walk *w)
{
    for (class loop *loop = w->loop; loop && loop_depth(loop); loop = loop_outer(loop))
        for (unsigned i = 0; i < w->marks->length(); i++)
            if ((*w->marks)[i].loop == loop && (*w->marks)[i].pragma->pipeline.blocks)
                return loop;
    return NULL;
}

static const Value *unconverted(const Value *value)
{
    while (value->def && value->def->code == OP_SCALAR_CONVERT)
        value = value->def->args[0];
    return value;
}

/* The variable of the loop over blocks in whose body, not in a branch or a loop of it, the walk stands; or NULL.  */
static const Value *own_variable(const Walk *w)
{
    const Op *loop = w->block->parent;
    bool blocks = loop && loop->code == OP_FOR && pipeline_of(loop) && pipeline_of(loop)->blocks;
    return blocks ? w->block->args[0] : NULL;
}

static bool is_own(Walk *w, tree reference)
{
    const Value *variable = NULL, *index = unconverted(value_of(w, TREE_OPERAND(reference, 1)));
    for (const Block *block = w->block; block && !variable; block = block->parent ? block->parent->parent : NULL)
        if (block->parent && block->parent->code == OP_FOR && pipeline_of(block->parent) &&
            pipeline_of(block->parent)->blocks)
            variable = block->args[0];
    return variable == index;
}

/* Is the value made in a block that the walk is in, not in a branch beside?  */
static bool is_seen(const Walk *w, const Value *value)
{
    for (const Block *block = w->block; block; block = block->parent ? block->parent->parent : NULL)
        if (block == value->def->parent)
            return true;
    return false;
}

/* require: a reference that array_of () knows.   ensure: the loop leaves the tile there, or an error.  */
void array_write(Walk *w, tree reference, Value *value)
{
    tree decl = array_of(reference);
    if (w->failed)
        return;
    if (!own_variable(w) || !is_own(w, reference)) {
        w->failed = true;
        complain(w->where, "write 'x[s] = ...' in the body of a loop over blocks whose variable is s",
                 "each iteration of a loop over blocks writes its own element of %qs, and nothing else does",
                 array_name(decl));
        return;
    }
    TileArray *array = find(w, decl);
    array->writer = w->loop;
    array->element = value;
}

Value *array_read(Walk *w, tree reference)
{
    tree decl = array_of(reference);
    TileArray *array = find(w, decl);
    class loop *around = blocks_around(w);
    bool own = is_own(w, reference);
    if (array->writer && array->writer == around && own)
        return array->element;
    if (w->failed)
        return value_anything(w, TREE_TYPE(reference));
    if (!array->writer && array->value && is_seen(w, array->value)) {
        Value *args[] = {array->value, value_of(w, TREE_OPERAND(reference, 1))};
        return value_new_op(w, OP_TILE_AT, w->where, TYPE_TO_INFER, NULL, 2, args);
    }
    if (array->writer)
        reject(w->kernel, loc_of(w->where), REASON_BLOCKS_SAME, array_name(decl));
    else
        reject(w->kernel, loc_of(w->where), REASON_BLOCKS_UNWRITTEN, array_name(decl));
    return value_anything(w, TREE_TYPE(reference));
}

/* A loop's body has been walked: what it has written leaves it.  */
void array_yield(Walk *w, class loop *loop, Op *op, auto_vec<Value *> *next)
{
    for (unsigned i = 0; i < w->arrays.length(); i++) {
        TileArray &array = w->arrays[i];
        if (array.writer != loop)
            continue;
        Op *none = op_new(w->kernel, OP_FULL, op->loc, 0, NULL);
        op_before(op, none);
        op_add_arg(w->kernel, op, op_result(w->kernel, none, type_tile(D_F32, -1, -1), NULL)); /* types.c settles it */
        block_arg(w->kernel, op->blocks[0], TYPE_TO_INFER, array_name(array.decl), op->loc);
        next->safe_push(array.element);
    }
}

/* And its results are bound.  */
void array_leave(Walk *w, class loop *loop, Op *op)
{
    for (unsigned i = 0; i < w->arrays.length(); i++) {
        TileArray &array = w->arrays[i];
        if (array.writer != loop)
            continue;
        array.value = op_result(w->kernel, op, TYPE_TO_INFER, array_name(array.decl));
        array.writer = NULL;
        array.element = NULL;
    }
}

/* A loop over blocks stands in no other inside the grid.  */
void array_check_loop(Walk *w, const Pipeline *pipeline)
{
    bool inside = loop_depth(w->loop) - loop_depth(w->outer) + 1 > (unsigned)w->kernel->grid.dims;
    if (!pipeline || !pipeline->blocks || !inside || w->failed)
        return;
    reject(w->kernel, pipeline->loc, REASON_BLOCKS_INSIDE);
    w->failed = true;
}
