/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scope.c - a variable that is declared in a loop's body has no value where an iteration begins.
 *
 *      for (...) {                                B2: v.3 = copy.u32 0
 *          int v;                                     t4 = and.u32 v.3, 0xffffff00
 *          ((char *)&v)[0] = ...          =>          ...
 *
 * Otherwise a variable that is assigned part by part, or on some ways, would go from one iteration to the next. Its
 * declaration is in the body if it stands behind the test of the loop, and if the loop alone has the variable.
 */
#include <string.h>

#include "source/passes.h"

typedef struct {
    SourceFunction *function;
    const SourceFlow *flow;
} Scopes;

static bool is_behind(Loc x, Loc y)
{
    return x.file && y.file && !strcmp(x.file, y.file) && y.line > 0 &&
           (x.line > y.line || (x.line == y.line && x.column > y.column));
}

/* Of the loop: where its body begins, behind the test; NULL: it has no such place.  */
static SourceBlock *body_of(const Scopes *s, int header)
{
    Instruction *test = s->flow->order[header]->last;
    int body = -1;
    if (test->code != SO_BRANCH || test->inlined)
        return NULL;
    for (int i = 0; i < source_nsuccessors(test); i++) {
        const int to = s->flow->number[(*source_successor(test, i))->id];
        if (to != header && source_in_loop(s->flow, header, to))
            body = body < 0 ? to : s->flow->n;
    }
    return body >= 0 && body < s->flow->n && s->flow->npreds[body] == 1 ? s->flow->order[body] : NULL;
}

/* Adds the variables that the blocks in the loop, or outside of it, read or assign.  */
static void find_used(const Scopes *s, int header, bool inside, bool *used)
{
    for (int b = 0; b < s->flow->n; b++)
        for (Instruction *i = source_in_loop(s->flow, header, b) == inside ? s->flow->order[b]->first : NULL; i;
             i = i->next) {
            if (i->variable)
                used[i->variable->id] = true;
            for (int k = 0; k < source_noperands(i); k++)
                if (source_operand(i, k)->kind == OPERAND_VARIABLE)
                    used[source_operand(i, k)->variable->id] = true;
        }
}

static void begin(const Scopes *s, SourceBlock *body, SourceVariable *variable)
{
    Instruction *before = NULL, *copy = arena_alloc(s->function->unit->module, sizeof *copy);
    for (Instruction *i = body->first; i->code == SO_MARK; i = i->next)
        before = i;
    *copy = (Instruction){.code = SO_COPY,
                          .type = variable->type,
                          .variable = variable,
                          .args = {source_type_is_float(variable->type) ? source_number(0) : source_integer(0)},
                          .loc = variable->declaration.loc};
    source_insert(body, before, copy);
}

void source_begin_scopes(SourceFunction *function)
{
    Scopes scopes = {.function = function, .flow = source_flow(function)}, *s = &scopes;
    const SourceLive live = source_live(function, s->flow);
    for (int header = 0; header < s->flow->n; header++) {
        SourceBlock *body = s->flow->loop[header] == header ? body_of(s, header) : NULL;
        if (!body)
            continue;
        const uint64_t *in = live.in + (size_t)header * (size_t)live.words;
        bool *outside = arena_alloc(function->unit->module, (size_t)function->nvariables + 1);
        find_used(s, header, false, outside);
        for (int v = 0; v < function->nvariables; v++) {
            SourceVariable *variable = function->variables[v];
            if (source_is_live(in, variable) && !outside[v] && !variable->is_parameter && variable->type != ST_P &&
                variable->type != ST_S && is_behind(variable->declaration.loc, s->flow->order[header]->last->loc))
                begin(s, body, variable);
        }
    }
}
