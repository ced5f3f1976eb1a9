/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choice.c - the table of a unit's choices, and their combinations.
 *
 *      ws_choice(64, 128), ws_choice(3, 4)        combination 0: 64, 3   1: 64, 4   2: 128, 3   3: 128, 4
 *
 * A front end without trees of the initial values, as of `const int D = ws_choice(4, 3)`, asks the region IR for them.
 */
#include <string.h>

#include "source/kernels.h"

static bool same_place(const Loc *x, const Loc *y)
{
    return x->line == y->line && x->column == y->column &&
           (x->file == y->file || (x->file && y->file && !strcmp(x->file, y->file)));
}

int source_choice(SourceChoices *choices, Loc place, Loc variable, bool is_shape, int count, const int64_t *values)
{
    for (int i = 0; i < choices->count; i++) {
        const SourceChoice *known = &choices->list[i];
        const bool same_variable = variable.line ? same_place(&known->variable, &variable) : !known->variable.line;
        if (same_variable && known->count == count && known->is_shape == is_shape &&
            !memcmp(known->values, values, (size_t)count * sizeof *values))
            return i;
    }
    SourceChoice choice = {.place = place, .variable = variable, .is_shape = is_shape, .count = count};
    memcpy(choice.values, values, (size_t)count * sizeof *values);
    LIST_ADD(choices->module, choices->list, choices->count) = choice;
    return choices->count - 1;
}

int64_t source_choice_value(SourceChoices *choices, int choice)
{
    bool known = false;
    for (int i = 0; i < choices->ntouched; i++)
        known |= choices->touched[i] == choice;
    if (!known)
        LIST_ADD(choices->module, choices->touched, choices->ntouched) = choice;
    return choices->list[choice].values[choices->list[choice].now];
}

void source_choices_begin(SourceChoices *choices)
{
    choices->touched = NULL;
    choices->ntouched = 0;
}

bool source_choices_end(SourceChoices *choices, SourceClauseChoices *clause)
{
    if (choices->ntouched > MOST_CLAUSE_CHOICES ||
        source_choice_combinations(choices, choices->ntouched, choices->touched) > MOST_VARIANTS)
        return false;
    clause->count = choices->ntouched;
    for (int i = 0; i < choices->ntouched; i++)
        clause->of[i] = choices->touched[i];
    return true;
}

bool source_choice_before(const SourceChoices *choices, int first, int second)
{
    const Loc *x = &choices->list[first].place, *y = &choices->list[second].place;
    if (!same_place(x, y) && x->file && y->file && !strcmp(x->file, y->file))
        return x->line != y->line ? x->line < y->line : x->column < y->column;
    return first < second;
}

long source_choice_combinations(const SourceChoices *choices, int count, const int *of)
{
    long all = 1;
    for (int i = 0; i < count && all <= MOST_VARIANTS; i++)
        all *= choices->list[of[i]].count;
    return all;
}

void source_choice_take(SourceChoices *choices, int count, const int *of, long n)
{
    for (int i = count; i-- > 0; n /= choices->list[of[i]].count)
        choices->list[of[i]].now = (int)(n % choices->list[of[i]].count);
}

long source_choice_taken(const SourceChoices *choices, int count, const int *of)
{
    long n = 0;
    for (int i = 0; i < count; i++)
        n = n * choices->list[of[i]].count + choices->list[of[i]].now;
    return n;
}

/* ---- numbers in the region IR that follow from choices ----------------------------------------------------------- */

typedef struct {
    SourceChoices *choices;
    const SourceFunction *function;
} Evaluation;

static bool evaluate(const Evaluation *e, const SourceBlock *block, Operand x, const Loc *variable, int depth,
                     int64_t *value);

/* The one assignment of a variable.  */
static bool evaluate_variable(const Evaluation *e, const SourceVariable *variable, int depth, int64_t *value)
{
    const SourceBlock *home = NULL;
    const Instruction *copy = NULL;
    int count = variable->is_parameter;
    for (const SourceBlock *block = e->function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_COPY && i->variable == variable) {
                home = block;
                copy = i;
                count++;
            }
    return count == 1 && copy &&
           evaluate(e, home, copy->args[0], variable->declaration.name ? &variable->declaration.loc : NULL, depth + 1,
                    value);
}

static bool evaluate_choice(const Evaluation *e, const Instruction *call, const Loc *variable, int64_t *value)
{
    const bool is_shape = call->symbol && !strcmp(call->symbol, "ws_choice_shape_");
    int64_t values[MOST_CHOICE_VALUES];
    if (!call->symbol || (!is_shape && strcmp(call->symbol, "ws_choice_")) || call->narguments > MOST_CHOICE_VALUES)
        return false;
    for (int i = 0; i < call->narguments; i++) {
        if (call->arguments[i].operand.kind != OPERAND_INTEGER)
            return false;
        values[i] = (int64_t)call->arguments[i].operand.integer;
    }
    *value = source_choice_value(e->choices, source_choice(e->choices, call->loc, variable ? *variable : (Loc){0},
                                                           is_shape, call->narguments, values));
    return true;
}

static bool combine(SourceOpcode code, SourceType type, int64_t x, int64_t y, int64_t *value)
{
    uint64_t result;
    switch (code) {
    case SO_ADD:
        result = (uint64_t)x + (uint64_t)y;
        break;
    case SO_SUB:
        result = (uint64_t)x - (uint64_t)y;
        break;
    case SO_MUL:
        result = (uint64_t)x * (uint64_t)y;
        break;
    case SO_AND:
        result = (uint64_t)x & (uint64_t)y;
        break;
    case SO_OR:
        result = (uint64_t)x | (uint64_t)y;
        break;
    case SO_SHL:
        result = (uint64_t)x << (y & 63);
        break;
    case SO_SHR:
        result = source_type_is_signed(type) ? (uint64_t)(x >> (y & 63)) : (uint64_t)x >> (y & 63);
        break;
    case SO_DIV:
    case SO_REM:
        if (!y || y == -1)
            return false;
        result = source_type_is_signed(type) ? (uint64_t)(code == SO_DIV ? x / y : x % y)
                 : code == SO_DIV            ? (uint64_t)x / (uint64_t)y
                                             : (uint64_t)x % (uint64_t)y;
        break;
    default:
        return false;
    }
    *value = (int64_t)source_wrap(type, result);
    return true;
}

/* `variable`: the place of the one that the operand initializes, or NULL.  */
static bool evaluate(const Evaluation *e, const SourceBlock *block, Operand x, const Loc *variable, int depth,
                     int64_t *value)
{
    int64_t args[2] = {0};
    if (depth > 32)
        return false;
    if (x.kind == OPERAND_INTEGER) {
        *value = (int64_t)x.integer;
        return true;
    }
    if (x.kind == OPERAND_VARIABLE)
        return evaluate_variable(e, x.variable, depth, value);
    const Instruction *made = source_maker(block->first, x);
    if (!made)
        return false;
    if (made->code == SO_CALL)
        return evaluate_choice(e, made, variable, value);
    const SourceForm form = source_op_form(made->code);
    if ((form != FORM_BINARY && form != FORM_CONVERT) || source_type_is_float(made->type) || made->type == ST_P)
        return false;
    for (int i = 0; i < source_nargs(form); i++)
        if (!evaluate(e, block, made->args[i], NULL, depth + 1, &args[i]))
            return false;
    if (form == FORM_BINARY)
        return combine(made->code, made->type, args[0], args[1], value);
    *value = (int64_t)source_wrap(made->type, (uint64_t)args[0]);
    return !source_type_is_float(made->from);
}

bool source_chosen_number(SourceChoices *choices, const SourceUnit *unit, Loc declared, int64_t *value)
{
    Evaluation e = {.choices = choices};
    for (e.function = unit->functions; e.function; e.function = e.function->next)
        for (int i = 0; i < e.function->nvariables; i++)
            if (same_place(&e.function->variables[i]->declaration.loc, &declared) && !e.function->failed)
                return evaluate_variable(&e, e.function->variables[i], 0, value);
    return false;
}
