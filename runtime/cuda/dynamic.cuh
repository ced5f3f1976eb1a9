/* SPDX-License-Identifier: MIT */
/*
 * dynamic.cuh - tiles of different lengths, scheduled dynamically.
 *
 *   producer                                 all other groups
 *     scheduling_tiles<3> t(p.grid, s.scheduler)           dynamic_tiles<3> t(p.grid, s.scheduler)
 *     next()  draws the tile after next,       next()  waits for the producer's word
 *             waits until the others have
 *             read its fourth last word,
 *             writes the word
 *
 * Tiles are drawn in the order of the grid, each by the first CTA that needs one.
 */
#ifndef WS_CUDA_DYNAMIC_CUH
#define WS_CUDA_DYNAMIC_CUH

#include "aref.cuh"
#include "grid.cuh"

namespace ws {

/* Words by which a CTA's producer sends the next tile to its other groups.  */
struct tile_scheduler {
    static constexpr int words = 4; /* groups that take tiles in turn are some tiles apart */
    u64 full[words], empty[words];
    int tile[words];

    WS_DEVICE void init(const char *, int groups)
    {
        for (int i = 0; i < words; i++) {
            ptx::mbarrier_init(ptx::shared_address(&full[i]), 1);
            ptx::mbarrier_init(ptx::shared_address(&empty[i]), 4 * groups);
        }
    }
};

/* The producer's walk, by one warp.  Each CTA begins with the tile of its number and draws further tiles, one in
   advance. The last CTA to end resets the counters for the next launch.  */
template <int N> struct scheduling_tiles : tiles<N> {
    tile_scheduler &table;
    int ahead;

    WS_DEVICE scheduling_tiles(const grid<N> &g, tile_scheduler &d) : tiles<N>(g), table(d)
    {
        ahead = draw();
    }

    /* Valid in lane 0.  */
    WS_DEVICE int draw() const
    {
        if (!this->space.tickets)
            return this->index + this->stride;
        return ptx::lane() == 0 ? (int)(atomicAdd(this->space.tickets, 1u) + gridDim.x) : 0;
    }

    WS_DEVICE void next()
    {
        const int slot = this->walked % tile_scheduler::words;
        this->index = (int)ptx::uniform((u32)ahead);
        ptx::mbarrier_wait(ptx::shared_address(&table.empty[slot]),
                           (u32)(this->walked / tile_scheduler::words & 1) ^ 1);
        if (ptx::lane() == 0) {
            table.tile[slot] = this->index;
            ptx::mbarrier_arrive(ptx::shared_address(&table.full[slot]));
        }
        this->walked++;
        trace::did(trace::TILE, (u32)this->index);
        if (this->more())
            ahead = draw();
        else
            give_back();
    }

    WS_DEVICE void give_back() const
    {
        u32 *counters = this->space.tickets;
        if (counters && ptx::lane() == 0 && atomicAdd(&counters[1], 1u) == gridDim.x - 1)
            counters[0] = counters[1] = 0;
    }
};

/* The walk of all other groups.  */
template <int N> struct dynamic_tiles : tiles<N> {
    tile_scheduler &table;

    WS_DEVICE dynamic_tiles(const grid<N> &g, tile_scheduler &d) : tiles<N>(g), table(d)
    {
    }

    WS_DEVICE void next()
    {
        const int slot = this->walked % tile_scheduler::words;
        ptx::mbarrier_wait(ptx::shared_address(&table.full[slot]), (u32)(this->walked / tile_scheduler::words & 1));
        this->index = (int)ptx::uniform((u32) * (volatile int *)&table.tile[slot]);
        __syncwarp();
        if (ptx::lane() == 0)
            ptx::mbarrier_arrive(ptx::shared_address(&table.empty[slot]));
        this->walked++;
        trace::did(trace::TILE, (u32)this->index);
    }
};

} // namespace ws

#endif
