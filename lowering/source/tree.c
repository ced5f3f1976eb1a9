/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.c - the text of a tree and of its loops' counters, and a tree as blocks again.
 */
#include "source/passes.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_operand(FILE *file, Operand x)
{
    if (x.kind == OPERAND_VARIABLE)
        fputs(x.variable->text, file);
    else if (x.kind == OPERAND_TEMPORARY)
        fprintf(file, "t%d", x.temporary);
    else
        fprintf(file, "%lld", (long long)x.integer);
}

static void print_variable(FILE *file, const SourceInductionVariable *variable)
{
    fprintf(file, "%s %c ", variable->variable->text, variable->negative ? '-' : '+');
    print_operand(file, variable->step);
    fputs(variable->wraps ? " wraps" : "", file);
}

static void print_induction(const SourceInduction *induction, FILE *file)
{
    if (induction->counter.variable) {
        fputs(" counter ", file);
        print_variable(file, &induction->counter);
        fprintf(file, ", %s%s ", source_op_text(induction->test->code), induction->side ? " of" : "");
        print_operand(file, induction->test->args[1 - induction->side]);
        fputs(induction->is_behind ? " behind the step" : induction->offset.kind ? " behind an offset" : "", file);
    }
    for (int i = 0; i < induction->n; i++) {
        fputs(i || induction->counter.variable ? "; " : " ", file);
        print_variable(file, &induction->variables[i]);
        fputs(induction->variables[i].is_derived ? " from the counter" : "", file);
    }
}

static void print_condition(FILE *file, Operand x)
{
    if (x.kind == OPERAND_TEMPORARY)
        fprintf(file, "t%d", x.temporary);
    else if (x.kind == OPERAND_VARIABLE)
        fputs(x.variable->text, file);
    else
        fprintf(file, "%d", (int)x.integer);
}

static void print_list(const SourceTree *tree, FILE *file, int depth, SourceTextOptions options);

static void print_block(const SourceTree *tree, FILE *file, int depth, SourceTextOptions options)
{
    for (const Instruction *i = tree->first; i; i = i->next) {
        fprintf(file, "%*s", 2 * depth - 2, "");
        source_print_instruction(i, file, options);
    }
}

static void print_list(const SourceTree *tree, FILE *file, int depth, SourceTextOptions options)
{
    for (; tree; tree = tree->next)
        switch (tree->kind) {
        case TREE_BLOCK:
        case TREE_END:
            print_block(tree, file, depth, options);
            break;
        case TREE_IF:
            fprintf(file, "%*sif ", 2 * depth, "");
            print_condition(file, tree->condition);
            fputs(" {\n", file);
            print_list(tree->yes, file, depth + 1, options);
            if (tree->no) {
                fprintf(file, "%*s} else {\n", 2 * depth, "");
                print_list(tree->no, file, depth + 1, options);
            }
            fprintf(file, "%*s}\n", 2 * depth, "");
            break;
        case TREE_LOOP:
            fprintf(file, "%*sloop {", 2 * depth, "");
            if (tree->induction)
                print_induction(tree->induction, file);
            putc('\n', file);
            print_list(tree->test, file, depth + 1, options);
            fprintf(file, "%*s} while ", 2 * depth, "");
            print_condition(file, tree->condition);
            fputs(" {\n", file);
            print_list(tree->yes, file, depth + 1, options);
            fprintf(file, "%*s}\n", 2 * depth, "");
            break;
        }
}

void source_print_tree(const SourceTree *tree, FILE *file, SourceTextOptions options)
{
    print_list(tree, file, 1, options);
}

/* ---- back to blocks ---------------------------------------------------------------------------------------------- */

static SourceBlock *lower_list(SourceFunction *function, const SourceTree *tree, SourceBlock *block);

static void append(SourceFunction *function, SourceBlock *block, Instruction like)
{
    Instruction *made = arena_alloc(function->unit->module, sizeof *made);
    *made = like;
    source_insert(block, block->last, made);
}

static void jump(SourceFunction *function, SourceBlock *from, SourceBlock *to)
{
    if (from)
        append(function, from, (Instruction){.code = SO_JUMP, .targets = {to}});
}

static SourceBlock *placed(SourceFunction *function)
{
    SourceBlock *block = source_block_new(function);
    source_place(function, block);
    return block;
}

static void branch(SourceFunction *function, SourceBlock *block, const SourceTree *tree, SourceBlock *yes,
                   SourceBlock *no)
{
    append(function, block,
           (Instruction){
               .code = SO_BRANCH, .type = ST_B, .args = {tree->condition}, .targets = {yes, no}, .loc = tree->loc});
}

/* Returns the block in which control goes on; NULL: it does not.  */
static SourceBlock *lower_list(SourceFunction *function, const SourceTree *tree, SourceBlock *block)
{
    for (; tree && block; tree = tree->next) {
        if (tree->kind == TREE_BLOCK || tree->kind == TREE_END) {
            for (Instruction *i = tree->first, *next; i; i = next) {
                next = i->next;
                source_insert(block, block->last, i);
            }
            if (tree->kind == TREE_END)
                return NULL;
            continue;
        }
        SourceBlock *yes = placed(function), *no = placed(function);
        if (tree->kind == TREE_IF) {
            SourceBlock *join = placed(function);
            branch(function, block, tree, yes, no);
            jump(function, lower_list(function, tree->yes, yes), join);
            jump(function, lower_list(function, tree->no, no), join);
            block = join;
        } else {
            SourceBlock *head = placed(function);
            jump(function, block, head);
            block = lower_list(function, tree->test, head);
            branch(function, block, tree, yes, no);
            jump(function, lower_list(function, tree->yes, yes), head);
            block = no;
        }
    }
    return block;
}

void source_tree_blocks(SourceFunction *function, const SourceTree *tree)
{
    function->blocks = function->last_block = NULL;
    function->nblocks = 0;
    SourceBlock *end = lower_list(function, tree, placed(function));
    if (end)
        append(function, end, (Instruction){.code = SO_UNREACHABLE});
    /* A join that nothing reaches is empty.  */
    for (SourceBlock *block = function->blocks; block; block = block->next)
        if (!block->first || !source_ends_block(block->last))
            append(function, block, (Instruction){.code = SO_UNREACHABLE});
    source_clean(function);
}
