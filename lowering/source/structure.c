/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * structure.c - blocks become a tree of sequences, conditions, and loops with one exit.
 *
 *      B1: t1 = lt.i32 i.4, n.1                      go.9 = copy.b 1
 *          branch t1, B2, B5                         loop {
 *      B2: t2 = load.f32 x.2                           t1 = lt.i32 i.4, n.1
 *          t3 = lt.f32 t2, 0x0p+0                      t4 = and.b t1, go.9
 *          branch t3, B5, B3             =>          } while t4 {
 *      B3: i.4 = ...                                   t2 = load.f32 x.2
 *          jump B1                                     t3 = lt.f32 t2, 0x0p+0
 *      B5: return i.4                                  if t3 {
 *                                                        go.9 = copy.b 0
 *                                                      } else {
 *                                                        i.4 = ...
 *                                                      }
 *                                                    }
 *                                                    return i.4
 *
 * A block stands behind its immediate dominator: in an arm, if the branch there is its only way in, and otherwise
 * behind the condition. A block behind a loop stands behind the loop, in whichever iteration its dominator is. Where
 * control at such a place may be on its way to another block, a flag (go) says that it comes to this one, and the
 * block is a condition on that flag. A loop that ends elsewhere than at its test has a flag, too. A break, a continue,
 * an early return and a goto forward are thus assignments to flags. A switch is a chain of conditions, and all returns
 * are one. A cycle that is entered at two places has no tree; its place is reported.
 *
 * The structured SSA of ir/ir.h follows from the tree in one walk, with a map of variables to values:
 *   BLOCK   each instruction, in order; copy.T v sets the map.
 *   IF      an if; its results are the variables that an arm assigns and that are live behind it. Each arm is walked
 *           with a copy of the map and yields its values of them.
 *   LOOP    a while; its slots are the variables that the test or the body assigns and that are live at the test. The
 *           test is walked on the slots' arguments and ends by cond; the body yields the slots. A loop for which
 *           induction.c finds a counter is a for.
 *   END     the end of the function: a return, or unreachable.
 * A temporary is read in its own block, or by the condition right behind it.
 */
#include <string.h>

#include "source/passes.h"

typedef struct {
    SourceFunction *function;
    Module *module;
    SourceFlow *flow;
    SourceLive live;
    int nvariables; /* flags come behind them */
    int words;
    int *inside;                    /* the number of the block in whose arms it stands; -1: it does not */
    int *behind;                    /* the number of the block behind whose condition it stands; -1: it does not */
    int *after;                     /* the header of the loop behind which it stands; -1: it does not */
    bool *guarded;                  /* by its flag */
    int *form;                      /* of the loop of a header */
    SourceVariable **flags, **goes; /* by block; by header */
} Structurer;

enum { LOOP_WHILE = 1, LOOP_TESTED, LOOP_FLAGGED };

typedef struct {
    SourceTree *first, **last;
} List;

/* ---- returns and switches ---------------------------------------------------------------------------------------- */

static Instruction *make(const SourceFunction *function, const Instruction *like, Instruction made)
{
    Instruction *instruction = arena_alloc(function->unit->module, sizeof *instruction);
    made.loc = like->loc;
    made.inlined = like->inlined;
    *instruction = made;
    return instruction;
}

static Operand named(SourceFunction *function, Instruction *instruction)
{
    Operand x = {.kind = OPERAND_TEMPORARY};
    x.temporary = instruction->temporary = ++function->ntemporaries;
    return x;
}

static void drop_last(SourceBlock *block)
{
    Instruction *before = NULL;
    for (Instruction *i = block->first; i != block->last; i = i->next)
        before = i;
    *(before ? &before->next : &block->first) = NULL;
    block->last = before;
}

static void join_returns(SourceFunction *function)
{
    int returns = 0;
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        returns += block->last->code == SO_RETURN;
    if (returns < 2)
        return;
    const SourceType type = function->result;
    const bool has_value = type != ST_V && !source_type_is_aggregate(type);
    SourceVariable *result = has_value ? source_variable(function, type, (Declaration){.name = "result"}) : NULL;
    SourceBlock *join = source_block_new(function);
    Instruction *one = NULL;
    for (SourceBlock *block = function->blocks; block; block = block->next) {
        Instruction *end = block->last;
        if (end->code != SO_RETURN)
            continue;
        one = end;
        drop_last(block);
        if (result)
            source_insert(
                block, block->last,
                make(function, end,
                     (Instruction){.code = SO_COPY, .type = type, .variable = result, .args = {end->args[0]}}));
        source_insert(block, block->last, make(function, end, (Instruction){.code = SO_JUMP, .targets = {join}}));
    }
    Instruction made = {.code = SO_RETURN, .type = one->type};
    if (result)
        made.args[0] = source_of(result);
    source_insert(join, NULL, make(function, one, made));
    source_place(function, join);
}

/* x is in the case.  */
static Operand in_case(SourceFunction *function, SourceBlock *block, const Instruction *end, const SourceCase *one,
                       Operand x)
{
    const SourceOpcode codes[2] = {one->low == one->high ? SO_EQ : SO_GE, SO_LE};
    Operand made[2];
    for (int k = 0; k < (one->low == one->high ? 1 : 2); k++) {
        Instruction *i = make(
            function, end,
            (Instruction){.code = codes[k], .type = end->type, .args = {x, source_integer(k ? one->high : one->low)}});
        source_insert(block, block->last, i);
        made[k] = named(function, i);
    }
    if (one->low == one->high)
        return made[0];
    Instruction *both = make(function, end, (Instruction){.code = SO_AND, .type = ST_B, .args = {made[0], made[1]}});
    source_insert(block, block->last, both);
    return named(function, both);
}

static bool lower_switches(SourceFunction *function)
{
    bool changed = false;
    for (SourceBlock *block = function->blocks; block; block = block->next) {
        Instruction *end = block->last;
        if (end->code != SO_SWITCH)
            continue;
        changed = true;
        drop_last(block);
        Operand x = end->args[0];
        if (x.kind == OPERAND_TEMPORARY) {
            SourceVariable *variable = source_variable(function, end->type, (Declaration){0});
            source_insert(block, block->last,
                          make(function, end,
                               (Instruction){.code = SO_COPY, .type = end->type, .variable = variable, .args = {x}}));
            x = source_of(variable);
        }
        SourceBlock *at = block;
        for (int k = 0; k < end->ncases; k++) {
            SourceBlock *next = k + 1 < end->ncases ? source_block_new(function) : end->targets[0];
            const Operand c = in_case(function, at, end, &end->cases[k], x);
            source_insert(
                at, at->last,
                make(function, end,
                     (Instruction){
                         .code = SO_BRANCH, .type = ST_B, .args = {c}, .targets = {end->cases[k].block, next}}));
            if (next != end->targets[0])
                source_place(function, next);
            at = next;
        }
        if (!end->ncases)
            source_insert(block, block->last,
                          make(function, end, (Instruction){.code = SO_JUMP, .targets = {end->targets[0]}}));
    }
    return changed;
}

/* ---- where blocks stand ------------------------------------------------------------------------------------------ */

static int number_of(const Structurer *s, const SourceBlock *block)
{
    return s->flow->number[block->id];
}

static int successor(const Structurer *s, int b, int i)
{
    return number_of(s, *source_successor(s->flow->order[b]->last, i));
}

static void place_blocks(Structurer *s)
{
    const SourceFlow *flow = s->flow;
    for (int b = 0; b < flow->n; b++) {
        s->inside[b] = s->behind[b] = s->after[b] = -1;
        if (!b)
            continue;
        const int d = flow->idom[b];
        /* The outermost loop that holds the dominator and not the block.  */
        for (int h = flow->loop[d]; h >= 0; h = flow->outer[h])
            if (!source_in_loop(flow, h, b))
                s->after[b] = h;
        int ways = 0;
        for (int i = 0; i < flow->npreds[b]; i++)
            ways += flow->preds[b][i] < b;
        if (s->after[b] >= 0)
            continue;
        *(ways == 1 ? &s->inside[b] : &s->behind[b]) = d;
    }
}

/* Sets of blocks to which control is on its way.  */
static uint64_t *set_new(const Structurer *s)
{
    return arena_alloc(s->module, (size_t)s->words * sizeof(uint64_t));
}

static void set_add(uint64_t *set, int b)
{
    set[b / 64] |= (uint64_t)1 << (b % 64);
}

static bool set_has(const uint64_t *set, int b)
{
    return set[b / 64] >> (b % 64) & 1;
}

static bool set_is_only(const Structurer *s, const uint64_t *set, int b)
{
    for (int w = 0; w < s->words; w++)
        if (set[w] != (w == b / 64 ? (uint64_t)1 << (b % 64) : 0))
            return false;
    return true;
}

static void targets_of(Structurer *s, int b, uint64_t *set);

static void targets_of_edge(Structurer *s, int from, int to, uint64_t *set)
{
    if (s->inside[to] == from)
        targets_of(s, to, set);
    else
        set_add(set, to);
}

/* The blocks of a list, in order: each one takes what is on its way to it.  */
static void targets_of_list(Structurer *s, const int *place, int owner, uint64_t *set)
{
    for (int b = 0; b < s->flow->n; b++) {
        if (place[b] != owner || !set_has(set, b))
            continue;
        s->guarded[b] = !set_is_only(s, set, b);
        set[b / 64] &= ~((uint64_t)1 << (b % 64));
        targets_of(s, b, set);
    }
}

/* The edge of the header that leaves the loop, if the other one does not; -1: none.  */
static int leaving_edge(const Structurer *s, int h)
{
    const Instruction *end = s->flow->order[h]->last;
    if (end->code != SO_BRANCH)
        return -1;
    const bool yes = source_in_loop(s->flow, h, successor(s, h, 0)),
               no = source_in_loop(s->flow, h, successor(s, h, 1));
    return yes == no ? -1 : yes ? 1 : 0;
}

/* May the test be computed before each iteration, and once more behind a break?  */
static int kind_of_test(const Structurer *s, int h)
{
    bool again = true;
    const SourceBlock *block = s->flow->order[h];
    for (const Instruction *i = block->first; i != block->last; i = i->next) {
        if (i->code != SO_COPY && !source_is_pure(i) && !source_reads_list(i))
            return LOOP_FLAGGED;
        again &= i->code != SO_COPY && source_can_speculate(i);
    }
    return again ? LOOP_TESTED : LOOP_WHILE;
}

static void targets_of_body(Structurer *s, int b, int skipped, uint64_t *set)
{
    const int n = source_nsuccessors(s->flow->order[b]->last);
    for (int i = 0; i < n; i++)
        if (i != skipped)
            targets_of_edge(s, b, successor(s, b, i), set);
    targets_of_list(s, s->behind, b, set);
}

static void targets_of(Structurer *s, int b, uint64_t *set)
{
    if (s->flow->loop[b] != b) {
        uint64_t *own = set_new(s);
        targets_of_body(s, b, -1, own);
        for (int w = 0; w < s->words; w++)
            set[w] |= own[w];
        return;
    }
    const int leaving = leaving_edge(s, b);
    int form = leaving < 0 ? LOOP_FLAGGED : kind_of_test(s, b);
    uint64_t *own = set_new(s);
    targets_of_body(s, b, form == LOOP_FLAGGED ? -1 : leaving, own);
    if (form != LOOP_FLAGGED && set_is_only(s, own, b))
        form = LOOP_WHILE;
    else if (form == LOOP_WHILE) {
        form = LOOP_FLAGGED;
        own = set_new(s);
        targets_of_body(s, b, -1, own);
    }
    s->form[b] = form;
    own[b / 64] &= ~((uint64_t)1 << (b % 64));
    if (form != LOOP_FLAGGED)
        set_add(own, successor(s, b, leaving));
    targets_of_list(s, s->after, b, own);
    for (int w = 0; w < s->words; w++)
        set[w] |= own[w];
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static SourceTree *add(Structurer *s, List *list, SourceTreeKind kind)
{
    SourceTree *tree = arena_alloc(s->module, sizeof *tree);
    tree->kind = kind;
    *list->last = tree;
    list->last = &tree->next;
    return tree;
}

static void start(List *list)
{
    list->first = NULL;
    list->last = &list->first;
}

static void append(Structurer *s, List *list, Instruction *instruction)
{
    SourceTree *tree = list->first;
    while (tree && tree->next)
        tree = tree->next;
    if (!tree || tree->kind != TREE_BLOCK)
        tree = add(s, list, TREE_BLOCK);
    instruction->next = NULL;
    *(tree->last ? &tree->last->next : &tree->first) = instruction;
    tree->last = instruction;
}

static void assign(Structurer *s, List *list, SourceVariable *flag, int value, const Instruction *like)
{
    append(s, list,
           make(s->function, like,
                (Instruction){.code = SO_COPY, .type = ST_B, .variable = flag, .args = {source_integer(value)}}));
}

static SourceVariable *flag_of(Structurer *s, SourceVariable **flags, int b)
{
    if (!flags[b])
        flags[b] = source_variable(s->function, ST_B, (Declaration){.name = "go"});
    return flags[b];
}

/* Control goes from one block to another that stands elsewhere.  */
static void leave(Structurer *s, List *list, int from, int to, int except, const Instruction *like)
{
    if (s->guarded[to])
        assign(s, list, flag_of(s, s->flags, to), 1, like);
    for (int h = s->flow->loop[from]; h >= 0; h = s->flow->outer[h])
        if (!source_in_loop(s->flow, h, to) && h != except && s->form[h] != LOOP_WHILE)
            assign(s, list, flag_of(s, s->goes, h), 0, like);
}

static void sequence(Structurer *s, List *list, int b);

static void edge(Structurer *s, List *list, int from, int to, const Instruction *like)
{
    if (s->inside[to] == from)
        sequence(s, list, to);
    else
        leave(s, list, from, to, -1, like);
}

/* No flag is set at the start of the list.  */
static void clear_flags(Structurer *s, List *list, const int *place, int owner, const Instruction *like)
{
    for (int b = 0; b < s->flow->n; b++)
        if (place[b] == owner && s->guarded[b])
            assign(s, list, flag_of(s, s->flags, b), 0, like);
}

static void blocks_of_list(Structurer *s, List *list, const int *place, int owner, const Instruction *like)
{
    for (int b = 0; b < s->flow->n; b++) {
        if (place[b] != owner)
            continue;
        if (!s->guarded[b]) {
            sequence(s, list, b);
            continue;
        }
        SourceTree *tree = add(s, list, TREE_IF);
        List arm;
        tree->condition = source_of(flag_of(s, s->flags, b));
        tree->loc = like->loc;
        start(&arm);
        sequence(s, &arm, b);
        tree->yes = arm.first;
    }
}

static void instructions(Structurer *s, List *list, int b)
{
    SourceBlock *block = s->flow->order[b];
    for (Instruction *i = block->first, *next; i != block->last; i = next) {
        next = i->next;
        append(s, list, i);
    }
}

/* The block, its condition, and the blocks behind it.  */
static void body(Structurer *s, List *list, int b)
{
    Instruction *end = s->flow->order[b]->last;
    const int n = source_nsuccessors(end);
    instructions(s, list, b);
    clear_flags(s, list, s->behind, b, end);
    if (!n) {
        SourceTree *tree = add(s, list, TREE_END);
        tree->first = tree->last = end;
        tree->loc = end->loc;
        end->next = NULL;
    } else if (n == 1) {
        edge(s, list, b, successor(s, b, 0), end);
    } else {
        List yes, no;
        start(&yes);
        start(&no);
        edge(s, &yes, b, successor(s, b, 0), end);
        edge(s, &no, b, successor(s, b, 1), end);
        if (yes.first || no.first) {
            SourceTree *tree = add(s, list, TREE_IF);
            tree->condition = end->args[0];
            tree->yes = yes.first;
            tree->no = no.first;
            tree->loc = end->loc;
        }
    }
    blocks_of_list(s, list, s->behind, b, end);
}

Instruction *source_maker_in(const SourceTree *list, Operand x)
{
    Instruction *made = NULL;
    for (; list && !made; list = list->next)
        made = source_maker(list->first, x);
    return made;
}

/* Does the end of the list read the same operands as the instruction in it?  */
static bool can_repeat(const List *list, const Instruction *made)
{
    bool behind = false;
    for (const SourceTree *tree = list->first; tree; tree = tree->next)
        for (const Instruction *i = tree->first; i; i = i->next) {
            for (int k = 0; behind && i->code == SO_COPY && k < source_noperands(made); k++) {
                const Operand *x = source_operand((Instruction *)made, k);
                if (x->kind == OPERAND_VARIABLE && x->variable == i->variable)
                    return false;
            }
            behind |= i == made;
        }
    return true;
}

/* The condition under which the loop goes on: the opposite of x, where that leaves it.  */
static Operand going_on(Structurer *s, List *test, Operand x, bool negated, const Instruction *end)
{
    static const SourceOpcode opposite[SOURCE_OPS] = {
        [SO_EQ] = SO_NE, [SO_NE] = SO_EQ, [SO_LT] = SO_GE, [SO_GE] = SO_LT, [SO_LE] = SO_GT, [SO_GT] = SO_LE};
    if (!negated)
        return x;
    Instruction not = {.code = SO_NOT, .type = ST_B, .args = {x}};
    const Instruction *i = source_maker_in(test->first, x);
    if (i && opposite[i->code] && !source_type_is_float(i->type) && can_repeat(test, i)) {
        not = *i;
        not .code = opposite[i->code];
    } else if (i && i->code == SO_OR && i->type == ST_B) {
        not = *i;
        not .code = SO_AND;
        for (int k = 0; k < 2; k++)
            not .args[k] = going_on(s, test, i->args[k], true, end);
    }
    Instruction *made = make(s->function, end, not );
    append(s, test, made);
    return named(s->function, made);
}

/* Where the loop is left elsewhere than at its test, whose parts are on one line.  */
static Loc exit_of(const Structurer *s, int h, int leaving)
{
    const int line = leaving < 0 ? 0 : s->flow->order[h]->last->loc.line;
    for (int b = h; b < s->flow->n; b++) {
        Instruction *end = s->flow->order[b]->last;
        for (int i = 0; source_in_loop(s->flow, h, b) && i < source_nsuccessors(end); i++) {
            const Loc way = source_way(end, *source_successor(end, i));
            if (source_in_loop(s->flow, h, successor(s, b, i)) || (b == h && i == leaving))
                continue;
            if (way.line || end->loc.line != line)
                return way.line ? way : end->loc;
        }
    }
    return source_way(s->flow->order[h]->last, NULL);
}

static void loop(Structurer *s, List *list, int h)
{
    Instruction *end = s->flow->order[h]->last;
    const int form = s->form[h], leaving = leaving_edge(s, h);
    clear_flags(s, list, s->after, h, end);
    if (form != LOOP_WHILE)
        assign(s, list, flag_of(s, s->goes, h), 1, end);
    SourceTree *tree = add(s, list, TREE_LOOP);
    List test, inner;
    start(&test);
    start(&inner);
    tree->loc = end->loc;
    tree->exit = exit_of(s, h, leaving);
    tree->live = s->live.in + (size_t)h * (size_t)s->live.words;
    tree->nlive = s->nvariables;
    if (form == LOOP_FLAGGED) {
        tree->condition = source_of(flag_of(s, s->goes, h));
        body(s, &inner, h);
    } else {
        instructions(s, &test, h);
        tree->condition = going_on(s, &test, end->args[0], leaving == 0, end);
        if (form == LOOP_TESTED) {
            Instruction *made =
                make(s->function, end,
                     (Instruction){
                         .code = SO_AND, .type = ST_B, .args = {tree->condition, source_of(flag_of(s, s->goes, h))}});
            append(s, &test, made);
            tree->condition = named(s->function, made);
        }
        clear_flags(s, &inner, s->behind, h, end);
        edge(s, &inner, h, successor(s, h, !leaving), end);
        blocks_of_list(s, &inner, s->behind, h, end);
    }
    tree->test = test.first;
    tree->yes = inner.first;
    if (form == LOOP_WHILE)
        leave(s, list, h, successor(s, h, leaving), h, end);
    if (form == LOOP_TESTED) {
        /* The test was false, where the flag is still set.  */
        List arm;
        start(&arm);
        leave(s, &arm, h, successor(s, h, leaving), h, end);
        if (arm.first) {
            SourceTree *ended = add(s, list, TREE_IF);
            ended->condition = source_of(flag_of(s, s->goes, h));
            ended->yes = arm.first;
            ended->loc = end->loc;
        }
    }
    blocks_of_list(s, list, s->after, h, end);
}

static void sequence(Structurer *s, List *list, int b)
{
    if (s->flow->loop[b] == b)
        loop(s, list, b);
    else
        body(s, list, b);
}

SourceTree *source_structure(SourceFunction *function, const SourceBlock **irreducible)
{
    if (function->failed || !function->blocks)
        return NULL;
    join_returns(function);
    if (lower_switches(function)) {
        source_clean(function);
        source_simplify(function);
    }
    source_clean(function);
    Structurer structurer = {.function = function, .module = function->unit->module}, *s = &structurer;
    s->flow = source_flow(function);
    if (s->flow->entered) {
        if (irreducible)
            *irreducible = s->flow->entered;
        return NULL;
    }
    const size_t n = (size_t)s->flow->n;
    s->live = source_live(function, s->flow);
    s->nvariables = function->nvariables;
    s->words = s->flow->n / 64 + 1;
    s->inside = arena_alloc(s->module, n * sizeof *s->inside);
    s->behind = arena_alloc(s->module, n * sizeof *s->behind);
    s->after = arena_alloc(s->module, n * sizeof *s->after);
    s->form = arena_alloc(s->module, n * sizeof *s->form);
    s->guarded = arena_alloc(s->module, n * sizeof *s->guarded);
    s->flags = arena_alloc(s->module, n * sizeof(SourceVariable *));
    s->goes = arena_alloc(s->module, n * sizeof(SourceVariable *));
    place_blocks(s);
    targets_of(s, 0, set_new(s));
    List list;
    start(&list);
    sequence(s, &list, 0);
    return list.first;
}
