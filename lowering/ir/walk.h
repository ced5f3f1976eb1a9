/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk.h - visits, searches and copies of operations.  */
#ifndef WSC_WALK_H
#define WSC_WALK_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

bool ir_has_side_effect(const Op *op); /* the op or an op in its blocks */
bool op_is_part(const Op *op);         /* a slice or a box of a tensor, which is its first operand */
bool ir_inside(const Op *op, const Block *block);
bool ir_outside(const Value *value,
                const Op *op); /* neither defined in the blocks of `op` nor one of their arguments */
/* True if the test holds for the op or an op in its blocks; for any op below the block.  */
bool ir_any(const Op *op, bool (*test)(const Op *op, const void *context), const void *context);
bool ir_any_of(const Block *block, bool (*test)(const Op *op, const void *context), const void *context);
Op *ir_enclosing(const Op *op, Opcode code); /* nearest ancestor */
void ir_count_uses(Kernel *kernel, Block *body);
void ir_replace_uses(Block *body, Value *from, Value *to);
/* Visits all ops below a block in pre-order.  */
void ir_walk(Block *block, void (*visit)(Op *op, void *context), void *context);
/* A map for cloning: id of a value -> the value in the copy.  */
typedef struct {
    Value **to;
    int size;
} ValueMap;
ValueMap value_map_new(Kernel *kernel);
Value *value_map_get(const ValueMap *map, Value *value); /* `value` itself if unmapped */
void value_map_set(Kernel *kernel, ValueMap *map, Value *from, Value *to);
Op *op_clone(Kernel *kernel, const Op *op, ValueMap *map); /* without blocks; maps the results and sets the origin */
void ir_copy_block(Kernel *kernel, const Block *from, Block *to, ValueMap *map); /* copies ops with their blocks */

#ifdef __cplusplus
}
#endif
#endif
