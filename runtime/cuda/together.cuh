/* SPDX-License-Identifier: MIT */
/*
 * together.cuh - tiles of grids that run together: waits for earlier tiles, reports to later ones.
 *
 *      await_tiles(together, t)       a warp or a group waits until earlier grids have stored its loads of this tile
 *      telling.tile_done(together, t) a group stores no more of the tile
 *      telling.tell(together)         adds to the tile's counter when the group's stores are visible
 *      leave(together)                at the kernel's end: waits for the end of the grids before it
 *
 * Each group releases the stores of a tile, by threads or TMA, by an addition to the tile's counter.  A waiting group
 * acquires the counter.  Both sides fence between the accesses of threads and of TMA to global memory.  A group reports
 * a tile before it stores the next one.  By then the copies out have written, so their wait is short.  A wait longer
 * than WS_WATCHDOG (30 seconds) ends with a report and a trap.
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
    u32 roles; /* mask of the roles that wait */
    divisor by_step[2];
};

struct together {
    int early, nwaits;
    int system;    /* other devices read the counters */
    u32 *counters; /* of this grid's tiles; NULL: tiles are not reported */
    int weight[4];
    u32 id, patience; /* of this launch; polls until a wait ends with a report */
    ws_stuck *report;
    earlier_tiles waits[WS_WAITS];
};

enum grid_waiting { grid_waits, tiles_wait };

/* Writes to host memory, which the host reads after the trap (device.cuh).  */
static WS_DEVICE void report_stuck(const together &g, const u32 *counter)
{
    if (g.report)
        ptx::store_system(g.report, g.id, (u32)(u64)counter);
    __threadfence_system();
    ptx::trap();
}

/* One lane polls one counter, and a warp up to 32.  A poll takes about a microsecond.  */
static WS_DEVICE void await_counters(const together &g, const earlier_tiles &w, int counter)
{
    u32 looks = 0;
#pragma unroll 1
    for (;;) {
        if (__all_sync(0xffffffff, ptx::load_acquire(w.counters + counter) >= w.expected))
            return;
        if (!(looks & 3)) /* its position decides whether ptxas spills */
            ptx::sleep(100);
        if (looks++ == g.patience)
            report_stuck(g, w.counters + counter);
    }
}

/* Positions at which windows of `span`, `step` apart, overlap [low, high): the first, and one past the last.  */
static WS_DEVICE int first_meeting(const earlier_tiles &w, int dim, int low)
{
    return low < w.span[dim] ? 0 : w.step[dim] ? w.by_step[dim].quotient(low - w.span[dim]) + 1 : w.count[dim];
}
static WS_DEVICE int end_meeting(const earlier_tiles &w, int dim, int high)
{
    const int end = high <= 0 ? 0 : w.step[dim] ? w.by_step[dim].quotient(high - 1) + 1 : w.count[dim];
    return ::min(end, w.count[dim]);
}

/* Waits for the counters from the first to the last, including counters between them that do not matter.  The lanes of
   a warp divide them.  */
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

/* The program for tensors that TMA cannot load does not wait here: the launcher makes the grid wait.  */
template <bool TMA, u32 ROLES = ~0u, typename W> static WS_DEVICE void await_tiles(const together &g, const W &t)
{
    if constexpr (TMA)
        await_all<ROLES>(g, t);
}

class telling {
    int counter; /* of the done tile; -1: none */

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
