/* SPDX-License-Identifier: MIT */
/*
 * together.cuh - tiles of grids that run together: waiting for earlier ones, and telling later ones.
 *
 *   await_tiles(together, t)       a warp or a group: until earlier grids have stored what it loads of this tile
 *   telling.tile_done(together, t) a group: it stores no more of the tile
 *   telling.tell(together)         ... whose stores can be seen: a count for those that wait
 *   leave(together)                at the kernel's end: behind the end of the grids before it
 *
 * What a tile's threads and their copies out wrote is released by an addition to its counter, of each group, and
 * acquired by who waits.  Both sides fence between what threads and what TMA see of global memory.  A group tells of a
 * tile before it stores the next one: until then the copies out have written, so that the wait for them takes no time.
 * A wait that takes too long (WS_WATCHDOG, 30 seconds) ends with a report and a trap.
 */
#ifndef WS_CUDA_TOGETHER_CUH
#define WS_CUDA_TOGETHER_CUH

#include <ws/backend.h>

#include "aref.cuh"
#include "grid.cuh"

namespace ws {

/* Tiles of one tensor of an earlier grid; see ws_wait.  */
struct earlier_tiles {
    const u32 *counters;
    u32 expected;
    int count[2], step[2], span[2], low, width, by[4];
    u32 roles; /* bits of those that wait */
    divisor by_step[2];
};

struct together {
    int early, nwaits;
    int system;    /* other devices look at the counters */
    u32 *counters; /* of this grid's tiles, NULL: nobody is told */
    int weight[4];
    u32 id, patience; /* of this launch; looks until a wait ends with a report */
    ws_stuck *report;
    earlier_tiles waits[WS_WAITS];
};

enum grid_waiting { grid_waits, tiles_wait };

/* Into memory of the host, which reads it when the trap shows (device.cuh).  */
static WS_DEVICE void report_stuck(const together &g, const u32 *counter)
{
    if (g.report)
        ptx::store_system(g.report, g.id, (u32)(u64)counter);
    __threadfence_system();
    ptx::trap();
}

/* One lane for one counter, and a warp for as many; a look takes about a microsecond.  */
static WS_DEVICE void await_counters(const together &g, const earlier_tiles &w, int counter)
{
    u32 looks = 0;
#pragma unroll 1
    for (;;) {
        if (__all_sync(0xffffffff, ptx::load_acquire(w.counters + counter) >= w.expected))
            return;
        if (!(looks & 3)) /* where it stands decides whether ptxas spills */
            ptx::sleep(100);
        if (looks++ == g.patience)
            report_stuck(g, w.counters + counter);
    }
}

/* Positions at which windows of `span`, `step` apart, meet [low, high): from the first to the end.  */
static WS_DEVICE int first_meeting(const earlier_tiles &w, int dim, int low)
{
    return low < w.span[dim] ? 0 : w.step[dim] ? w.by_step[dim].quotient(low - w.span[dim]) + 1 : w.count[dim];
}
static WS_DEVICE int end_meeting(const earlier_tiles &w, int dim, int high)
{
    const int end = high <= 0 ? 0 : w.step[dim] ? w.by_step[dim].quotient(high - 1) + 1 : w.count[dim];
    return ::min(end, w.count[dim]);
}

/* From the first counter to the last; between them there may be some that could be left out.  The lanes of a warp share
   them. */
static WS_DEVICE void await_earlier(const together &g, const earlier_tiles &w, int low)
{
    const int first = first_meeting(w, 0, low), last = end_meeting(w, 0, low + w.width) - 1;
    const int end = last * w.count[1] + end_meeting(w, 1, low + w.width - last * w.step[0]);
#pragma unroll 1
    for (int i = first * w.count[1] + first_meeting(w, 1, low - first * w.step[0]); i < end; i += 32)
        await_counters(g, w, ::min(i + (int)ptx::lane(), end - 1));
}

template <u32 ROLES, typename W> static WS_DEVICE void await_all(const together &g, const W &t)
{
#pragma unroll 1
    for (int i = 0; i < g.nwaits; i++) {
        if (ROLES != ~0u && !(g.waits[i].roles & ROLES))
            continue;
        int low = g.waits[i].low;
#pragma unroll
        for (int d = 0; d < W::dims; d++)
            low += t.placed(d) * g.waits[i].by[d];
        await_earlier(g, g.waits[i], low);
    }
    if (g.nwaits) {
        __syncwarp();
        ptx::fence_proxy_async_global();
    }
}

/* Not in the program for tensors that TMA cannot load: there the launcher has the grid wait.  */
template <bool TMA, u32 ROLES = ~0u, typename W> static WS_DEVICE void await_tiles(const together &g, const W &t)
{
    if constexpr (TMA)
        await_all<ROLES>(g, t);
}

class telling {
    int counter; /* of the tile that is done, -1: of none */

  public:
    WS_DEVICE telling() : counter(-1)
    {
    }
    template <typename W> WS_DEVICE void tile_done(const together &g, const W &t)
    {
        if (!g.counters || !t.placed_inside())
            return;
        counter = 0;
#pragma unroll
        for (int d = 0; d < W::dims; d++)
            counter += t.placed(d) * g.weight[d];
    }
    WS_DEVICE void tell(const together &g)
    {
        if (counter < 0)
            return;
        ptx::bulk_wait<0>();
        ptx::fence_proxy_async_global();
        group_barrier();
        if (group_leader() && g.system)
            ptx::add_release_system(g.counters + counter, 1);
        else if (group_leader())
            ptx::add_release(g.counters + counter, 1);
        counter = -1;
    }
};

static WS_DEVICE void leave(const together &g)
{
    if (g.early)
        ptx::grid_dependency_wait();
}

} // namespace ws

#endif
