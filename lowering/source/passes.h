/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * passes.h - the passes over the region IR (region.h), in the order in which a front end runs them.
 *
 *      inline      calls of functions with bodies become their bodies           inline.c
 *      simplify    values in their normal form, copies and dead values gone     values.c, rules.c, simplify.c
 *      unroll      loops of a constant, small number of iterations              unroll.c
 *      promote     objects whose address does not escape become variables       promote.c
 *      scope       variables of a loop's body have no value where it begins      scope.c
 *      structure   blocks become a tree of sequences, conditions and loops      structure.c
 *      induction   counters and walking pointers of the tree's loops            induction.c
 *
 * A pass changes the function in place and reports by value: it prints no message, and judges no program. A pass that
 * a function refuses leaves the function as it is.
 */
#ifndef WSC_SOURCE_PASSES_H
#define WSC_SOURCE_PASSES_H

#include "source/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- passes.c ---------------------------------------------------------------------------------------------------- */

/* Runs the pass of this name. false: there is none.  */
bool source_run_pass(SourceFunction *function, const char *name);

/* ---- flow.c: blocks, dominators and loops ------------------------------------------------------------------------ */

/* Blocks are numbered in reverse postorder. The entry is 0. Lists are indexed by these numbers.  */
typedef struct {
    int n;
    SourceBlock **order;
    int *number; /* by SourceBlock.id; -1: control never comes there */
    int *npreds;
    int **preds;          /* one for each edge */
    int *idom;            /* immediate dominator; of the entry itself */
    int *preorder;        /* place in the tree of dominators; those below follow at once */
    int *dominated;       /* how many blocks this one dominates, with itself */
    int *loop;            /* header of the innermost loop around the block, which is its own header's; -1: none */
    int *outer;           /* of a header: the header of the loop around its loop; -1: none */
    SourceBlock *entered; /* not NULL: a block of a cycle that is entered at several places */
} SourceFlow;

SourceFlow *source_flow(SourceFunction *function);
bool source_dominates(const SourceFlow *flow, int above, int below);
/* Is the block in the loop of this header?  */
bool source_in_loop(const SourceFlow *flow, int header, int block);
/* Returns the header of the loop behind a mark in this block, or -1.  */
int source_marked_loop(const SourceFunction *function, const SourceFlow *flow, const SourceBlock *block, int mark);
/* Edges of a block's last instruction: 0 for true or default, then false or the cases.  */
int source_nsuccessors(const Instruction *end);
SourceBlock **source_successor(Instruction *end, int i);
/* Removes blocks that control never reaches, jumps to jumps, and joins blocks of one edge. Blocks and their numbers
   are in reverse postorder behind it.  */
void source_clean(SourceFunction *function);

/* The place of the jump that an edge of a block's last instruction has gone through; line 0: there is none.  */
Loc source_way(const Instruction *end, const SourceBlock *to);
void source_add_way(Module *module, Instruction *end, const SourceBlock *to, Loc loc);
void source_add_ways(Module *module, Instruction *end, const Instruction *from);

/* Operands of an instruction, arguments of a call, too.  */
int source_noperands(const Instruction *instruction);
Operand *source_operand(Instruction *instruction, int i);
/* Of these instructions the one that makes a temporary. NULL: none does, or the operand is no temporary.  */
Instruction *source_maker(Instruction *first, Operand x);
/* Puts `added` behind `after`, or at the head of the block.  */
void source_insert(SourceBlock *block, Instruction *after, Instruction *added);
/* Copies the result of `made`, which stands in the block, into a new variable right behind it.  */
SourceVariable *source_keep(SourceFunction *function, SourceBlock *block, Instruction *made);
/* Moves what is behind `last` into a new block of the function. A temporary that crosses becomes a variable.  */
SourceBlock *source_split(SourceFunction *function, SourceBlock *block, Instruction *last);
/* How instructions are copied. `variables`, `objects` and `blocks` are by the old id; NULL: they stay.  */
typedef struct {
    SourceFunction *from, *to;
    SourceVariable **variables;
    SourceObject **objects;
    SourceBlock **blocks;
    int temporaries; /* added to each number */
    const SourceInlined *inlined;
} SourceCopy;
Instruction *source_copy_instruction(const SourceCopy *copy, const Instruction *instruction);

/* ---- inline.c ---------------------------------------------------------------------------------------------------- */

typedef enum {
    NOT_INLINED_RECURSIVE, /* the call is in a body of its own function */
    NOT_INLINED_VARIADIC,
    NOT_INLINED_FAILED,   /* the body could not be transcribed */
    NOT_INLINED_MISMATCH, /* the arguments are not the function's parameters */
} SourceNotInlinedReason;

typedef struct SourceNotInlined {
    SourceNotInlinedReason reason;
    const Instruction *call;
    const SourceFunction *callee;
    struct SourceNotInlined *next;
} SourceNotInlined;

/* Inlines the calls in loops behind a mark, or all calls. Returns those that cannot be. A function without a body in
   the unit stays a call and is not listed.  */
SourceNotInlined *source_inline(SourceFunction *function, bool everywhere);
/* Does the call make a tensor, or a part of one?  */
bool source_makes_tensor(const Instruction *call);
/* Inlines the calls of functions with marks, which then stand in this one, and of functions that make tensors.  */
void source_inline_grids(SourceFunction *function);

/* ---- live.c ------------------------------------------------------------------------------------------------------ */

/* Variables that are read before they are assigned again. One set of `words` words for each block by its number.  */
typedef struct {
    int words;
    uint64_t *in, *out;
} SourceLive;

SourceLive source_live(const SourceFunction *function, const SourceFlow *flow);
static inline bool source_is_live(const uint64_t *set, const SourceVariable *variable)
{
    return set[variable->id / 64] >> (variable->id % 64) & 1;
}
/* Removes values without effects and assignments that nothing reads, then variables and objects without use.  */
void source_sweep(SourceFunction *function);
/* Has the instruction no effect, and can it go if nothing reads its result?  */
bool source_is_pure(const Instruction *instruction);
/* Is it a number of an index list, which the grid leaves alone?  */
bool source_reads_list(const Instruction *instruction);
/* Can it be computed where the program would not?  */
bool source_can_speculate(const Instruction *instruction);

/* ---- simplify.c, select.c ---------------------------------------------------------------------------------------- */

/* Values in their normal form (values.h); conditions of several blocks become one, diamonds without effects select.  */
void source_simplify(SourceFunction *function);
/* One round each. true: the function is another.  */
bool source_merge_conditions(SourceFunction *function);
bool source_select_diamonds(SourceFunction *function);
/* Has the user named what the variable holds?  */
bool source_has_name(const SourceVariable *variable);
/* Computes all values once.  */
void source_renumber_values(SourceFunction *function);
/* Is this a function of the C library that computes a float from floats and nothing else?  */
bool source_has_no_effects(const char *symbol);

/* ---- scope.c ----------------------------------------------------------------------------------------------------- */

/* Variables that are declared in the body of a loop begin with 0. Runs behind promote.  */
void source_begin_scopes(SourceFunction *function);

/* ---- unroll.c, promote.c ----------------------------------------------------------------------------------------- */

/* Unrolls constant loops with varying subscripts of small objects. Runs behind simplify.  */
void source_unroll(SourceFunction *function);

/* The name of the member that the byte lies in, or NULL.  */
const char *source_member_at(const SourceLayout *layout, long offset);

typedef enum {
    NOT_PROMOTED_ESCAPES,   /* the address is passed, stored, compared, or leads outside */
    NOT_PROMOTED_SUBSCRIPT, /* a subscript is no constant */
    NOT_PROMOTED_OVERLAP,   /* accesses overlap in more than 8 bytes, or a move cuts one */
    NOT_PROMOTED_LARGE,
} SourceNotPromotedReason;

typedef struct SourceNotPromoted {
    SourceNotPromotedReason reason;
    const SourceObject *object;
    const Instruction *instruction; /* NULL: no single one */
    struct SourceNotPromoted *next;
} SourceNotPromoted;

/* Makes variables of objects. Returns those that stay. Runs behind simplify.  */
SourceNotPromoted *source_promote(SourceFunction *function);

/* ---- structure.c ------------------------------------------------------------------------------------------------- */

typedef enum {
    TREE_BLOCK, /* instructions */
    TREE_IF,    /* if (condition) yes else no */
    TREE_LOOP,  /* for (;;) { test; if (!condition) break; yes } */
    TREE_END,   /* a return, or unreachable */
} SourceTreeKind;

typedef struct SourceTree {
    SourceTreeKind kind;
    Instruction *first, *last; /* TREE_BLOCK, TREE_END */
    Operand condition;         /* TREE_IF, TREE_LOOP: a b */
    struct SourceTree *test, *yes, *no;
    struct SourceInduction *induction; /* TREE_LOOP: what induction.c found, or NULL */
    const uint64_t *live;              /* TREE_LOOP: of the first `nlive` variables, those read before each iteration
                                          assigns them. The tree's flags alone do not tell */
    int nlive;
    Loc loc;
    Loc exit; /* TREE_LOOP: where it is left elsewhere than at its test; line 0: nowhere */
    struct SourceTree *next;
} SourceTree;

/* Takes the function's instructions over: its blocks are used up. Runs behind simplify. NULL: `irreducible` is a block
   of a cycle that is entered at several places, and the function keeps its blocks.  */
SourceTree *source_structure(SourceFunction *function, const SourceBlock **irreducible);
/* source_maker () of the blocks of a list.  */
Instruction *source_maker_in(const SourceTree *list, Operand x);

/* ---- steps.c ----------------------------------------------------------------------------------------------------- */

/* What a variable of the loop at *slot adds, and the loop leaves alone, becomes a variable in front of the loop.  */
void source_lift_steps(SourceFunction *function, SourceTree **slot);

/* ---- induction.c ------------------------------------------------------------------------------------------------- */

/* A variable to which each iteration adds `step`, an integer or a variable that the loop leaves alone.  */
typedef struct {
    SourceVariable *variable;
    Operand step;
    bool negative;   /* the step is a variable that is subtracted */
    bool wraps;      /* it may: its sums are of a u type */
    bool is_derived; /* the start of an iteration computes it from the counter */
} SourceInductionVariable;

typedef struct SourceInduction {
    /* variable NULL: the loop has no counter. The test compares the counter on `side` with what the loop leaves alone;
       `is_behind`: it compares the counter of the next iteration.  */
    SourceInductionVariable counter;
    const Instruction *test;
    int side;
    bool is_behind;
    Operand offset; /* it compares the counter and this, a number or a variable that the loop leaves alone */
    bool wraps;     /* that sum may, since its type is a u type */
    int nmore;      /* the test is a conjunction of this comparison and so many others of the counter */
    struct SourceInduction *more; /* test, side, is_behind, offset and wraps of each, in the program's order */
    int n;
    SourceInductionVariable *variables; /* the other ones */
} SourceInduction;

/* Finds the induction variables of all loops, and lets the others follow from the counter.  */
void source_find_induction(SourceFunction *function, SourceTree **tree);

/* ---- loop-uses.c ------------------------------------------------------------------------------------------------- */

/* May the loop write memory that holds a number of the type? C's rule of effective types tells.  */
bool source_loop_writes(const SourceTree *loop, SourceType type);
/* Does it give the same in all iterations, if its operands do?  */
bool source_stays_in_loop(const Instruction *instruction, const SourceTree *loop);
/* Is the variable, which the loop assigns so often, a sum: does the loop read it to add to it and for nothing else?  */
bool source_loop_sums(const SourceTree *loop, SourceVariable *variable, int copies);

/* ---- tree.c ------------------------------------------------------------------------------------------------------ */

void source_print_tree(const SourceTree *tree, FILE *file, SourceTextOptions options);
/* The blocks of a tree, for tests.  */
void source_tree_blocks(SourceFunction *function, const SourceTree *tree);

#ifdef __cplusplus
}
#endif
#endif
