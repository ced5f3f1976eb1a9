/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distribute.h - types and functions that the files of distribute.c share.  */
#ifndef WSC_DISTRIBUTE_H
#define WSC_DISTRIBUTE_H

#include "ir/queries.h"

/* First row of the group in tiles of `rows` rows.  */
typedef struct {
    int rows;
    Value *first;
} Offset;

typedef struct {
    Kernel *kernel;
    Role *role;
    Slice slice;
    Uses uses;
    ValueMap map;
    Value **split_form, **whole_form; /* register tiles of values that rings carry, by value id */
    Value **slots, **puts;            /* the newest slot that get and put returned, by aref id */
    Value *group;
    Offset *offsets;
    int noffsets;
    Op *last_offset; /* the last operation at the top of the program that computes an offset */
    bool skipping;   /* cloning the control flow of another group's tile */
    bool fills;      /* the role fills rings for other roles: its operations have stage 0 */
} Distributor;

/* distribute.c: the number of groups among which rows are divided; true if each group holds its own rows of the
   value.  */
int distribute_groups(const Distributor *distributor);
bool distribute_is_split(const Distributor *distributor, const Value *value);
Op *distribute_emit(Distributor *distributor, Block *to, const Op *origin, Opcode code, int nargs, Value *const *args);
Value *distribute_binary(Distributor *distributor, Block *to, const Op *origin, Opcode code, Value *x, Value *y,
                         Dtype dtype);
Value *distribute_offset(Distributor *distributor, int rows); /* first row of a group that has `rows` rows */
Value *distribute_coordinate(Distributor *distributor, Block *to, const Op *origin, Value *value);
/* The block for operations that group 0 executes for all groups, and its end.  */
Block *distribute_first_only(Distributor *distributor, Block *to, const Op *origin);
void distribute_end_first(Distributor *distributor, Block *block, Block *to, const Op *origin);
void distribute_block(Distributor *distributor, Block *from, Block *to);
void distribute_plain(Distributor *distributor, Block *to, Op *op);
void distribute_result(Distributor *distributor, Op *copy, Value *result);
bool distribute_cut_at_ring(const Op *op, void *context);

/* distribute-rings.c: the operation whose result a ring carries to this role, and the operations that replace its
   uses.  */
Op *distribute_arrives(const Distributor *distributor, const Value *value);
bool distribute_use_is_split(const Distributor *distributor, const Use *use);
bool distribute_trans_is_operand(const Distributor *distributor, const Value *result);
Value *distribute_window(Distributor *distributor, Block *to, const Op *origin, const Value *value, bool split);
bool distribute_reads_column(const Distributor *distributor, const Op *op);
void distribute_column(Distributor *distributor, Block *to, const Op *op);
void distribute_carried(Distributor *distributor, Block *to, Op *source);
void distribute_release_at_end(Distributor *distributor, Block *from, Block *to);
void distribute_release_after(Distributor *distributor, Op *loop, Block *to);
Value *distribute_gather(Distributor *distributor, Block *to, const Op *product, const Value *value);

/* distribute-turns.c */
void distribute_turns(Distributor *distributor, Block *from, Block *to, Op *grid);

/* distribute-skips.c: replaces each loop that only skips puts by one skip with a count.  */
void collapse_skips(Kernel *kernel, Block *block);

#endif
