/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * orders.c - a launch under every order, and under the order of a report.
 *
 * Iterations of the grid are independent, and CTAs share nothing else.  So each CTA, or cluster of them, is explored
 * alone, from the memory that the launch found.  The clocks are off: a dependence on the order has to show in a run's
 * report or result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "state.h"

static int choose_explored(void *user, int count, const ws_sched_choice *choices)
{
    return exploration_choose(((Cta *)user)->context, count, choices);
}

static void observe_explored(void *user, const ws_sched_event *event)
{
    exploration_observe(((Cta *)user)->context, event);
}

static int choose_replayed(void *user, int count, const ws_sched_choice *choices)
{
    (void)choices;
    return order_choose(((Cta *)user)->context, count);
}

static const char *say(const char *report, int cta, const char *order)
{
    static _Thread_local char text[8192];
    snprintf(text, sizeof text, "%.4000s; WS_ORDER='%d:%s' runs this order again", report, cta, order);
    return text;
}

static const char *explore_cta(Launch *launch, int cta, const Image *before, long most, long *runs)
{
    const Order order = {1, choose_explored, observe_explored, true};
    Exploration *all = exploration_new();
    Image wanted = {NULL, 0};
    const char *report = NULL;
    bool more = true;
    while (more && !report) {
        image_put(launch, before);
        launch_forget(launch);
        exploration_begin(all);
        report = launch_cta(launch, cta, &order, all);
        Image after = image_take(launch);
        if (!report && wanted.bytes && !image_equal(&wanted, &after))
            report = "another result than in the first order";
        if (wanted.bytes)
            image_drop(&after);
        else
            wanted = after;
        more = exploration_next(all);
        if (!report && more && exploration_runs(all) >= most)
            report = "more orders than may be tried";
    }
    *runs += exploration_runs(all);
    report = report ? say(report, cta, exploration_order(all)) : NULL;
    exploration_delete(all);
    image_drop(&wanted);
    return report;
}

const char *launch_explore(Launch *launch, long most, long *runs)
{
    const Order rest = {.seed = 1};
    Image before = image_take(launch);
    const char *report = NULL;
    *runs = 0;
    for (int cta = 0; cta < launch->ctas && !report; cta += launch->cluster)
        report = explore_cta(launch, cta, &before, most, runs);
    image_put(launch, &before);
    image_drop(&before);
    launch_forget(launch);
    return report ? report : launch_run(launch, &rest, NULL);
}

const char *launch_replay(Launch *launch, const char *text)
{
    const Order order = {1, choose_replayed, NULL, true}, rest = {.seed = 1};
    char *path;
    long wanted = strtol(text, &path, 10);
    const char *left = *path == ':' ? path + 1 : path, *report = NULL;
    for (int cta = 0; cta < launch->ctas && !report; cta += launch->cluster)
        report = launch_cta(launch, cta, cta == wanted ? &order : &rest, cta == wanted ? (void *)&left : NULL);
    return report;
}
