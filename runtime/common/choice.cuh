/* SPDX-License-Identifier: MIT */
/*
 * choice.cuh - the host's side of kernels in variants: estimates, and the variant that a launch takes.
 *
 * The includer defines choice_device() and choice_may_measure(), which describe the launch's device, and
 * choice_multiprocessors().
 */
#ifndef WS_COMMON_CHOICE_CUH
#define WS_COMMON_CHOICE_CUH

#include <string.h>
#include <ws/backend.h>

#include "estimate.h"
#include "steps.h"

namespace ws {

/* A loop of a tile's work.  times: its iterations.  depth: slots that copies fill while products read others; 0: not
   pipelined.  The other members are an iteration's clocks of the tensor cores, the lanes, the path out, and L2.  */
struct tile_work {
    double times;
    int depth;
    double products, computes, leaves, arrives;
};
/* blocks: of a multiprocessor.  down, across: of a cluster, along the last but one dimension and the last.  in_turn:
   groups take tiles in turn.  share: multiprocessors of the grid; 0: all.  */
struct tile_place {
    int blocks, down, across;
    bool in_turn;
    int share;

    bool in_cluster() const
    {
        return down * across > 1;
    }
};
struct estimated_range {
    long low, high, step;
};

static inline double times(long low, long high, long step)
{
    const long n = ws_steps(low, high, step, LONG_MAX);
    return n > 0 ? (double)n : 0;
}

/* The numbers of the GPU that the program is compiled for.  */
static inline const ws_estimates &estimates()
{
    return ws_estimates_hopper;
}

/* Clocks of L2 for a request of 128 bytes, for rows `stride` bytes apart.  */
static inline double asks(long stride)
{
    return ws_line_clocks(&estimates(), stride);
}

/* The middle of the range of a grid's variable.  */
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

/* `asking`: the share of requests to L2 that are not answered sooner because multiprocessors are idle.  */
static inline tile_clocks clocks_of(const tile_work &w, const tile_place &place, double asking)
{
    const ws_estimates &e = estimates();
    const double products = w.products * (place.in_cluster() ? e.cluster_wait : 1); /* blocks wait for each other */
    const double all = products + w.computes + w.leaves, arrives = w.arrives * asking;
    const double busy = larger(ws_overlapped_clocks(&e, products, arrives), larger(w.computes, w.leaves));
    if (!w.depth)
        return {all + arrives + (arrives > 0 ? e.round_trip : 0), busy};
    /* A slot is filled, multiplied and filled again.  */
    return {larger(larger(e.steady * all, busy) + e.iteration, (e.round_trip + arrives + products) / w.depth), busy};
}

/* Tiles that are computed at once.  A cluster lies within a GPC, whose number of multiprocessors is no multiple of
   four.  */
static inline double places_of(const tile_place &place)
{
    const long all = choice_multiprocessors(), processors = place.share && place.share < all ? place.share : all;
    const long size = place.down * place.across, unplaced = size > 2 ? processors / (long)estimates().unplaced : 0;
    const long clusters = (processors - unplaced) / size;
    return (double)(clusters > 1 ? clusters * size : size);
}

/* All tiles, including those of clusters beyond the grid's end.  */
static inline double tiles_of(const estimated_range *ranges, int dims, const tile_place &place)
{
    double tiles = 1;
    for (int i = 0; i < dims; i++) {
        const long n = (long)times(ranges[i].low, ranges[i].high, ranges[i].step);
        const long side = i == (dims > 1 ? dims - 2 : 0) ? place.down : i == dims - 1 ? place.across : 1;
        tiles *= (double)((n + side - 1) / side * side);
    }
    return tiles;
}

/* Tiles that the busiest multiprocessor computes.  If grids run together, the next grid's tiles fill the last round. */
static inline double rounds_of(double tiles, double places)
{
    const double rounds = tiles / places;
    return ws_together_open() ? larger(rounds, 1) : __builtin_ceil(rounds);
}

static inline double estimate(const estimated_range *ranges, int dims, const tile_place &place, const tile_work *work,
                              int count)
{
    const ws_estimates &e = estimates();
    const double tiles = tiles_of(ranges, dims, place), places = places_of(place), rounds = rounds_of(tiles, places);
    const double asking = tiles < places ? __builtin_pow(tiles / places, e.idle_power) : 1;
    double clocks = e.block_start, busy = 0, after = 0;
    for (int i = 0; i < count; i++) {
        const tile_clocks one = clocks_of(work[i], place, asking);
        (work[i].depth ? clocks : after) += work[i].times * one.alone;
        busy += work[i].times * one.busy;
    }
    /* Hidden by the products of the other group, except for the last tile.  */
    const double alone = place.in_turn ? rounds * larger(clocks - e.block_start, after) + e.block_start + after
                                       : rounds_of(tiles, places * place.blocks) * (clocks + after);
    return e.launch + (place.in_cluster() ? e.cluster_launch : 0) + larger(alone, rounds * busy);
}

/* True if another program of a kernel should take its launch.  The gain has to exceed the estimates' error between
   programs that differ only in sharing loads.  */
template <int N, int K, int L>
bool is_faster(const estimated_range (&ranges)[N], const tile_place &place, const tile_work (&work)[K],
               const tile_place &other_place, const tile_work (&other)[L])
{
    return estimates().least_gain * estimate(ranges, N, place, work, K) < estimate(ranges, N, other_place, other, L);
}

/* True if the launcher is only asked for an estimate.  */
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
