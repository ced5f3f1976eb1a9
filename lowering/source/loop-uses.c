/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop-uses.c - what the loops of a tree read and write.
 */
#include "source/passes.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Integers of one size may be one another's memory, and a character anything's.  */
static bool may_be_same(SourceType stored, SourceType type)
{
    const int bytes = source_type_bytes(stored);
    return bytes == 1 || source_type_bytes(type) == 1 ||
           (bytes == source_type_bytes(type) && source_type_is_float(stored) == source_type_is_float(type) &&
            (stored == ST_P) == (type == ST_P));
}

static bool list_writes(const SourceTree *list, SourceType type)
{
    for (; list; list = list->next) {
        for (const Instruction *i = list->first; i; i = i->next)
            if (i->code == SO_MOVE || i->code == SO_ZERO || (i->code == SO_CALL && !source_is_pure(i)) ||
                (i->code == SO_STORE && may_be_same(i->type, type)))
                return true;
        if (list_writes(list->test, type) || list_writes(list->yes, type) || list_writes(list->no, type))
            return true;
    }
    return false;
}

bool source_loop_writes(const SourceTree *loop, SourceType type)
{
    return list_writes(loop->test, type) || list_writes(loop->yes, type);
}

bool source_stays_in_loop(const Instruction *i, const SourceTree *loop)
{
    return source_reads_list(i) || (source_is_pure(i) && (i->code != SO_LOAD || !source_loop_writes(loop, i->type)));
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static bool reads(Operand x, Operand wanted)
{
    return x.kind == wanted.kind &&
           (x.kind == OPERAND_VARIABLE ? x.variable == wanted.variable : x.temporary == wanted.temporary);
}

static int count_reads(const SourceTree *tree, Operand wanted)
{
    int n = 0;
    for (; tree; tree = tree->next) {
        for (const Instruction *i = tree->first; i; i = i->next)
            for (int k = 0; k < source_noperands(i); k++)
                n += reads(*source_operand((Instruction *)i, k), wanted);
        n += count_reads(tree->test, wanted) + count_reads(tree->yes, wanted) + count_reads(tree->no, wanted);
    }
    return n;
}

/* Are all copies to the variable of temporaries that nothing else reads?  */
static bool copies_alone(const SourceTree *tree, const SourceVariable *variable)
{
    for (; tree; tree = tree->next) {
        for (const Instruction *i = tree->first; i; i = i->next) {
            if (i->code != SO_COPY || i->variable != variable)
                continue;
            SourceTree block = *tree;
            block.next = NULL;
            if (i->args[0].kind != OPERAND_TEMPORARY || count_reads(&block, i->args[0]) != 1)
                return false;
        }
        if (!copies_alone(tree->test, variable) || !copies_alone(tree->yes, variable) ||
            !copies_alone(tree->no, variable))
            return false;
    }
    return true;
}

bool source_loop_sums(const SourceTree *loop, SourceVariable *variable, int copies)
{
    return variable->type != ST_P && copies_alone(loop->test, variable) && copies_alone(loop->yes, variable) &&
           count_reads(loop->test, source_of(variable)) + count_reads(loop->yes, source_of(variable)) == copies;
}
