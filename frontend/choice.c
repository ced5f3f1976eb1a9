/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choice.c - choices in the clauses of pragmas, which are read once for each combination.
 *
 *   const int D = ws_choice(4, 3);
 *   #pragma ws pipeline(D, 2)            pipeline(4, 2), and pipeline(3, 2)
 */
#include "frontend.h"

struct PragmaChoices {
    SourceClauseChoices of;
    Pragma *read; /* by combination */
};

/* `again` reads the tokens once more.  */
void choices_read(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma, ReadClauses *again)
{
    struct PragmaChoices *all = arena_alloc(u->module, sizeof *all);
    int n = 0;
    if (!u->choices.ntouched)
        return;
    if (!source_choices_end(&u->choices, &all->of)) {
        complain(u, pragma->loc, "leave fewer numbers open", "a pragma names at most %d choices, of %d combinations",
                 MOST_CLAUSE_CHOICES, MOST_VARIANTS);
        return;
    }
    const long count = source_choice_combinations(&u->choices, all->of.count, all->of.of);
    while (n < count) {
        Pragma read = *pragma;
        read.arrays = read.extents = NULL;
        source_choice_take(&u->choices, all->of.count, all->of.of, n);
        if (n && !again(u, function, tokens, &read))
            break;
        LIST_ADD(u->module, all->read, n) = read;
    }
    source_choice_take(&u->choices, all->of.count, all->of.of, 0);
    pragma->choices = all;
}

/* The choices of a pragma, whose clauses become those of the combination that is set.  */
SourceClauseChoices choices_set(const Unit *u, Pragma *pragma)
{
    const struct PragmaChoices *all = pragma->choices;
    if (!all || u->errors)
        return (SourceClauseChoices){0};
    const Pragma *read = &all->read[source_choice_taken(&u->choices, all->of.count, all->of.of)];
    pragma->grid = read->grid;
    pragma->pipeline = read->pipeline;
    pragma->task = read->task;
    pragma->rings = read->rings;
    pragma->shares = read->shares;
    return all->of;
}
