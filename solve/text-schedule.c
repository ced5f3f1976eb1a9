/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text-schedule.c - the reader of schedule files.  */
#include "text.h"

#include <stdlib.h>
#include <string.h>
Schedule schedule_new(const Problem *problem)
{
    size_t n = (size_t)problem->nops + 1;
    Schedule schedule = {.at = need(calloc(n, sizeof(int))),
                         .group = need(calloc(n, sizeof(int))),
                         .alone = need(calloc(n, sizeof(int)))};

    for (int v = 0; v < problem->nops; v++)
        schedule.group[v] = NOT_GIVEN;
    return schedule;
}

void schedule_free(Schedule *schedule)
{
    free(schedule->at);
    free(schedule->group);
    free(schedule->alone);
}

static int signed_number(const Reader *ctx, const char *text)
{
    return *text == '-' ? -whole(ctx, text + 1, 0) : whole(ctx, text, 0);
}

static void read_placed(Reader *ctx, const Problem *problem, Schedule *schedule, char *given)
{
    char *word, *value;
    int op = need_op(ctx, problem, need_word(ctx, "an operation"));

    if (given[op]++)
        COMPLAIN(ctx, "operation '%s' is there twice", problem->ops[op].name);
    while ((word = next_word(ctx)))
        if ((value = value_in(word, "at")))
            schedule->at[op] = signed_number(ctx, value);
        else if ((value = value_in(word, "group")))
            schedule->group[op] = whole(ctx, value, 0);
        else if ((value = value_in(word, "alone")))
            schedule->alone[op] = signed_number(ctx, value);
        else
            COMPLAIN(ctx, "an operation of a schedule has no '%s'", word);
}

static void read_number(Reader *ctx, Schedule *schedule, const char *word)
{
    if (!strcmp(word, "interval"))
        schedule->interval = whole(ctx, need_word(ctx, "a number"), 1);
    else if (!strcmp(word, "length"))
        schedule->length = whole(ctx, need_word(ctx, "a number"), 0);
    else if (!strcmp(word, "crossings"))
        schedule->crossings = whole(ctx, need_word(ctx, "a number"), 0);
    else if (!strcmp(word, "group-interval"))
        schedule->group_interval = whole(ctx, need_word(ctx, "a number"), 1);
    else
        COMPLAIN(ctx, "there is no statement '%s' in a schedule", word);
}

void read_schedule(const Problem *problem, Schedule *schedule, const char *path, const char *text, char digest[17])
{
    Reader ctx = {path, 0, copied(text), NULL, false};
    char *at = ctx.copy, *word, *given = need(calloc((size_t)problem->nops + 1, 1));

    digest[0] = '\0';
    while (next_line(&ctx, &at)) {
        if (!(word = next_word(&ctx)))
            continue;
        if (!strcmp(word, "schedule") || !strcmp(word, "ring") || !strcmp(word, "stages") || !strcmp(word, "carried") ||
            !strcmp(word, "exposed")) {
            while (next_word(&ctx))
                continue; /* a comment for people, or derived from other lines */
        } else if (!strcmp(word, "digest"))
            snprintf(digest, 17, "%s", need_word(&ctx, "a digest"));
        else if (!strcmp(word, "op"))
            read_placed(&ctx, problem, schedule, given);
        else
            read_number(&ctx, schedule, word);
    }
    for (int v = 0; v < problem->nops; v++)
        if (!given[v])
            fail("%s: operation '%s' is missing", path, problem->ops[v].name);
    if (!schedule->interval)
        fail("%s: the interval is missing", path);
    free(given);
    free(ctx.copy);
}

static bool is_loop(const Problem *problem, const char *name)
{
    const char *colon = strchr(problem->name, ':');
    return !strcmp(colon ? colon + 1 : problem->name, name);
}

static void read_step(Reader *ctx, const Problem *problem, Order *order)
{
    const char *name = need_word(ctx, "an operation");
    int op = 0;

    while (op < problem->nops && strcmp(problem->ops[op].name, name))
        op++;
    for (char *word, *value; (word = next_word(ctx));)
        if ((value = value_in(word, "stage")) && op < problem->nops)
            order->stage[op] = whole(ctx, value, 0);
    for (int i = 0; i < order->n; i++)
        if (order->op[i] == op)
            return;
    if (op < problem->nops && !problem->ops[op].streaming)
        order->op[order->n++] = op;
}

bool read_order(const Problem *problem, Order *order, const char *path, const char *text)
{
    Reader ctx = {path, 0, copied(text), NULL, false};
    char *at = ctx.copy, *word, *value;
    bool here = false;
    int wanted = 0;

    while (next_line(&ctx, &at)) {
        if (!(word = next_word(&ctx)))
            continue;
        if (!strcmp(word, "loop")) {
            here = is_loop(problem, need_word(&ctx, "a loop"));
            while ((word = next_word(&ctx)))
                if (here && (value = value_in(word, "in-flight")))
                    order->in_flight = whole(&ctx, value, 1);
                else if (here && (value = value_in(word, "pingpong")))
                    order->turns = problem->turns && !strcmp(value, "yes");
        } else if (here && !strcmp(word, "op")) {
            read_step(&ctx, problem, order);
        }
    }
    for (int v = 0; v < problem->nops; v++)
        wanted += !problem->ops[v].streaming;
    free(ctx.copy);
    return order->n == wanted;
}
