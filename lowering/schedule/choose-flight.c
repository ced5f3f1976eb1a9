/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-flight.c - chooses P, the number of products in flight, by the predicted timeline if the user leaves it open.
 *
 *   pipeline (auto), four slots of 128 x 64 and 192 x 64, groups that take tiles in turn
 *
 *      P = 1: 1156 clocks an iteration         each product is waited for before the next begins
 *      P = 2:  771                             one runs while the other is waited for
 *      P = 3:  877                             two slots are held; the next copy is late
 *
 * The prediction is that of schedule(optimal), solve/predict.c.  It runs the loop's graph and schedule with the
 * latencies of the machine's description.  The rule of choose.c holds if predictions are about equal.  It also holds
 * without a prediction, and if a role other than the producer fills a ring.  For such a ring the prediction has only a
 * constant.
 */
#include "predict-loop.h"
#include "schedule/choose.h"
#include "schedule/schedule.h"
#include "target/machine.h"

enum { MOST_FLIGHT = 4 };

/* The most iterations whose products can be in flight: the fewest slots among rings released at the end of an
   iteration.  1: not known.  */
static int most_in_flight(const Chooser *chooser, const Op *loop)
{
    int most = MOST_FLIGHT;
    bool any = false;
    for (int i = 0; i < chooser->nrings; i++) {
        const ScheduleRow *row = schedule_of(chooser->rings[i]);
        if (!row->depth || row->release != RELEASE_END || loop_around(chooser->rings[i]->parent) != loop)
            continue;
        if (chooser->rings[i]->code != OP_LOAD || row->transposer)
            return 1;
        any = true;
        most = row->depth < most ? row->depth : most;
    }
    return any ? most : 1;
}

/* Predicts the clocks of an iteration with 1, 2, ... products in flight, with the current table.  */
static bool predict_loop(Kernel *kernel, const Op *loop, int most, double *clocks)
{
    const char *name = schedule_name(loop, schedule_numbers(kernel));
    const LoopText text = {.machine = kernel->machine->description,
                           .graph = schedule_graph(kernel),
                           .schedule = schedule_text(kernel),
                           .name = arena_print(kernel->module, "%s:%s", kernel->name, name),
                           .in_turn = kernel->schedule.block.split == SPLIT_TILES};
    return kernel->machine->description && predict_in_flight(&text, most, clocks);
}

double choose_predicted(Kernel *kernel, const Op *loop)
{
    double clocks[MOST_FLIGHT];
    const int in_flight = schedule_of_loop(loop)->in_flight;
    return in_flight <= MOST_FLIGHT && predict_loop(kernel, loop, in_flight, clocks) ? clocks[in_flight - 1] : 0;
}

void choose_in_flight(Chooser *chooser, Op *loop)
{
    Kernel *kernel = chooser->kernel;
    LoopSchedule *schedule = schedule_of_loop(loop);
    const int most = most_in_flight(chooser, loop), ruled = schedule->in_flight;
    double clocks[MOST_FLIGHT];
    if (most < 2 || !predict_loop(kernel, loop, most, clocks))
        return;
    int best = 0;
    for (int i = 1; i < most; i++)
        best = clocks[i] < clocks[best] ? i : best;
    const double apart = kernel_costs(kernel)->predicted_gain * clocks[best];
    if (ruled <= most && clocks[ruled - 1] <= apart)
        return;
    for (schedule->in_flight = 1; clocks[schedule->in_flight - 1] > apart;)
        schedule->in_flight++;
    if (ruled <= most)
        remark(kernel, DIAG_OPTIMIZED, pipeline_of(loop)->loc,
               "P = %d: the model predicts %.0f cycles for an iteration, and %.0f with P = %d", schedule->in_flight,
               clocks[schedule->in_flight - 1], clocks[ruled - 1], ruled);
}
