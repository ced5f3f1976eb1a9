/* SPDX-License-Identifier: MIT */
/*
 * choice.cuh - the host's side of kernels in variants: what they are estimated at, and which of them a launch takes.
 *
 * In front of it choice_device () and choice_may_measure () say where the launch goes, and how many multiprocessors
 * there are.
 */
#ifndef WS_COMMON_CHOICE_CUH
#define WS_COMMON_CHOICE_CUH

#include <string.h>
#include <ws/backend.h>

#include "steps.h"

namespace ws {

/* A loop of a tile's work: how often it runs; its slots, 0: it is not pipelined; and what an iteration takes of the
   tensor cores, the lanes, the way out and L2, in clocks.  */
struct tile_work {
    double times;
    int depth;
    double products, computes, leaves, arrives;
};
/* Blocks of a multiprocessor and of a cluster; do groups take tiles in turn?  */
struct tile_place {
    int blocks, cluster;
    bool in_turn;
};
struct estimated_range {
    long low, high, step;
};

static inline double times(long low, long high, long step)
{
    const long n = ws_steps(low, high, step, LONG_MAX);
    return n > 0 ? (double)n : 0;
}

/* Clocks for which L2 has a request for 128 bytes, where rows begin so many bytes apart.  From lib/product/numbers.def,
   which were fitted on an H200.  */
static inline double asks(long stride)
{
    return stride % 128 == 0 ? 1.77 : stride % 64 == 0 ? 1.97 : stride % 32 == 0 ? 2.49 : 4.46;
}

/* Of the numbers of a grid's variable.  */
static inline long middle(long low, long high)
{
    return low + (high - low) / 2;
}

static inline double larger(double x, double y)
{
    return x > y ? x : y;
}

struct tile_clocks {
    double alone, busy; /* until it is done; of the busiest unit */
};

static inline tile_clocks clocks_of(const tile_work &w, const tile_place &place)
{
    enum { ROUND_TRIP = 800, ITERATION = 40 };
    const double products = w.products * (place.cluster > 1 ? 1.1 : 1);
    const double all = products + w.computes + w.leaves;
    const double busy = larger(larger(products, w.arrives), larger(w.computes, w.leaves));
    if (!w.depth)
        return {all + w.arrives + (w.arrives > 0 ? ROUND_TRIP : 0), busy};
    return {larger(larger(0.75 * all, busy) + ITERATION, (double)ROUND_TRIP / w.depth), busy};
}

static inline double estimate(const estimated_range *ranges, int dims, const tile_place &place, const tile_work *work,
                              int count)
{
    enum { LAUNCH = 2500, IN_CLUSTER = 1500, BEGINS = 1100 };
    /* Clusters lie within groups of multiprocessors, whose size is no multiple of four.  */
    const long all = choice_multiprocessors(), whole = (all - (place.cluster > 2 ? all / 11 : 0)) / place.cluster;
    const long processors = (whole > 1 ? whole : 1) * place.cluster;
    double tiles = 1, clocks = BEGINS, busy = 0, after = 0;
    for (int i = 0; i < dims; i++)
        tiles *= times(ranges[i].low, ranges[i].high, ranges[i].step);
    for (int i = 0; i < count; i++) {
        const tile_clocks one = clocks_of(work[i], place);
        (work[i].depth ? clocks : after) += work[i].times * one.alone;
        busy += work[i].times * one.busy;
    }
    const long rounds = (long)((tiles + (double)processors - 1) / (double)processors);
    /* Under the products of the other group, but for the last tile.  */
    const double alone = place.in_turn ? (double)rounds * larger(clocks - BEGINS, after) + BEGINS + after
                                       : (double)((rounds + place.blocks - 1) / place.blocks) * (clocks + after);
    return LAUNCH + (place.cluster > 1 ? IN_CLUSTER : 0) + larger(alone, (double)rounds * busy);
}

/* Is the launcher only asked?  */
template <int N, int K>
bool is_estimated(const estimated_range (&ranges)[N], const tile_place &place, const tile_work (&work)[K])
{
    if (ws_choosing() != WS_CHOOSING_ESTIMATES)
        return false;
    ws_choice_tell(estimate(ranges, N, place, work, K));
    return true;
}

struct choice {
    ws_choice state;

    template <int N> choice(ws_choices &of, const long (&shape)[N])
    {
        begin(of, shape, N);
    }
    choice(const choice &) = delete;
    choice &operator=(const choice &) = delete;

    bool next()
    {
        return ws_choice_next(&state) != 0;
    }
    int variant() const
    {
        return state.variant;
    }

  private:
    void begin(ws_choices &of, const long *shape, int rank)
    {
        state.of = &of;
        state.device = choice_device();
        state.may_measure = choice_may_measure();
        state.rank = rank;
        for (int i = 0; i < WS_CHOICE_SHAPE; i++)
            state.shape[i] = i < rank ? shape[i] : 0;
        state.variant = state.state = state.had = state.finalists = state.finals = 0;
        state.began = 0;
    }
};

} // namespace ws

#endif
