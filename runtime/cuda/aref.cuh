/* SPDX-License-Identifier: MIT */
/*
 * aref.cuh - rings of slots between a producer and consumer groups, and turns between groups.
 *
 *   producer                              consumer group
 *     slot = put()     waits on empty       slot = get()    waits on full
 *     copy_in ...      arms full's bytes    reads slot
 *     put_done()       arrives on full      consumed()      arrives on empty
 *
 * Slot and phase follow from the number of puts or gets, so a loop of 0 or 1 iterations is no special case.  full
 * expects one arrival (and bytes), or one from each group that puts rows.  empty expects one arrival from each warp of
 * each group that releases.  A warp vouches for its own reads only, so no barrier of the group is needed.
 */
#ifndef WS_CUDA_AREF_CUH
#define WS_CUDA_AREF_CUH

#include <stddef.h>

#include "../common/costs.h"
#include "ptx.cuh"
#include "trace.cuh"

namespace ws {

/* ---- the CTA ----------------------------------------------------------------------------------------------------- */

static WS_DEVICE int warp_group()
{
    return (int)ptx::uniform(threadIdx.x / 128);
}

/* In the group.  */
static WS_DEVICE bool first_warp()
{
    return ptx::uniform(threadIdx.x / 32 % 4) == 0;
}

/* In the CTA.  */
static WS_DEVICE bool first_thread()
{
    return threadIdx.x == 0;
}

/* A condition that is equal in all threads of a warp, in a form that ptxas recognizes as uniform.  */
static WS_DEVICE bool warp_uniform(bool condition)
{
    return __any_sync(0xffffffffu, condition);
}

/* True in the thread that issues TMA copies for its group.  */
static WS_DEVICE bool group_leader()
{
    return threadIdx.x % 128 == 0;
}

/* Barrier 0 is __syncthreads.  */
static WS_DEVICE void group_barrier()
{
    ptx::barrier_sync(1 + threadIdx.x / 128, 128);
}

/* Call it after the barriers are initialised, before any role begins.  */
static WS_DEVICE void start()
{
    trace::begin();
    ptx::fence_mbarrier_init();
    __syncthreads();
    trace::did(trace::START);
}

template <typename S> static WS_DEVICE S &shared()
{
    static_assert(sizeof(S) <= WS_GPU_SHARED_BYTES, "a block has no more shared memory: the compiler counted wrong");
    extern __shared__ __align__(1024) unsigned char ws_shared_bytes[];
    return *reinterpret_cast<S *>(ws_shared_bytes);
}

template <int N> static WS_DEVICE void registers_up()
{
    static_assert(WS_GPU_SETMAXNREG && N > 0, "roles of this GPU exchange no registers");
    ptx::setmaxnreg_inc<N>();
}

template <int N> static WS_DEVICE void registers_down()
{
    static_assert(WS_GPU_SETMAXNREG && N > 0, "roles of this GPU exchange no registers");
    ptx::setmaxnreg_dec<N>();
}

/* CTAs of a cluster (cluster.cuh): CTAs that differ in x only, in y only, in one of the two, or all.  */
enum along { along_none, along_x, along_y, along_x_and_y, along_all };

/* ---- rings ------------------------------------------------------------------------------------------------------- */

template <int D> struct ring {
    u64 full[D];
    u64 empty[D];

    /* Each of `fillers` groups puts its rows of a slot.  */
    WS_DEVICE void init(const char *name, int groups, int fillers = 1)
    {
        for (int i = 0; i < D; i++) {
            ptx::mbarrier_init(ptx::shared_address(&full[i]), fillers);
            ptx::mbarrier_init(ptx::shared_address(&empty[i]), 4 * groups);
        }
        trace::name(name, ptx::shared_address(full), D, groups);
    }

    /* CTAs of a cluster share the ring; `groups` counts the groups of all CTAs.  */
    template <typename B, along A> WS_DEVICE void init(const char *name, int groups)
    {
        init(name, groups);
    }
};

/* A position in a ring: the slot, and the parity of its phase.  */
template <int D> struct position {
    int slot;
    u32 parity;

    WS_DEVICE void next()
    {
        slot++;
        if (slot == D) {
            slot = 0;
            parity ^= 1;
        }
    }

    WS_DEVICE void skip(int n)
    {
        int to = slot + n;
        parity ^= (u32)(to / D) & 1;
        slot = to % D;
    }
};

/* TMA: true if TMA copies everything that this producer loads.  */
template <int D, bool TMA = false> struct producer {
    u32 full, empty; /* addresses of the slots' barriers */
    position<D> here;
    bool first;

    explicit WS_DEVICE producer(ring<D> &r)
        : full(ptx::shared_address(r.full)), empty(ptx::shared_address(r.empty)), here{0, 1}, first(first_warp())
    {
    }

    /* True in the warp that issues TMA copies for its group.  Without TMA no register is spent on it.  */
    WS_DEVICE bool issues() const
    {
        return TMA ? first : first_warp();
    }

    /* Waits with the opposite parity, since every slot is empty in the first round.  */
    WS_DEVICE int put()
    {
        const u32 since = trace::now();
        ptx::mbarrier_wait(empty + 8 * here.slot, here.parity);
        trace::waited(trace::PUT, full, since);
        return here.slot;
    }

    WS_DEVICE u32 barrier() const
    {
        return full + 8 * here.slot;
    }

    WS_DEVICE void put_done()
    {
        __syncwarp();
        if (issues() && ptx::elect())
            ptx::mbarrier_arrive(barrier());
        here.next();
        trace::did(trace::PUT_DONE, full);
    }
};

/* A producer of a ring with a storage of M resident slots: slot i of the ring uses slot i mod M of that storage.  A
   copy from N coordinates is left out if the slot holds that tile already.  Lane m remembers the coordinates of slot m.
   The path without TMA has no registers for that, and always copies.  */
template <int D, int M, int N, bool TMA = false> struct resident_producer : producer<D, TMA> {
    int held[N];
    bool holding, young; /* young: filled by the last put of that slot */

    explicit WS_DEVICE resident_producer(ring<D> &r) : producer<D, TMA>(r), holding(false), young(false)
    {
        static_assert(D % M == 0 && M <= 32, "a lane for each slot, and each has its turn");
    }

    /* Call it after put.  Returns true if the copy has to be made; then no group reads the slot.  On false the tile has
       arrived, also for groups that skipped the put that loaded it.  */
    template <typename... I> WS_DEVICE bool wants(I... at)
    {
        if (TMA && holds(at...))
            return false;
#pragma unroll
        for (int other = M; other < D; other += M) {
            const int slot = this->here.slot + other, past = slot >= D;
            ptx::mbarrier_wait(this->empty + 8 * (slot - past * D), this->here.parity ^ (u32)past);
        }
        return true;
    }

    template <typename... I> WS_DEVICE bool holds(I... at)
    {
        const long now[N] = {(long)at...};
        const bool mine = (int)ptx::lane() == this->here.slot % M;
        bool same = holding;
#pragma unroll
        for (int i = 0; i < N; i++) {
            const int x =
                now[i] == (int)now[i] ? (int)now[i] : -0x7fffffff; /* larger ones lie outside every tensor, too */
            same = same && held[i] == x;
            held[i] = mine ? x : held[i];
        }
        holding = holding || mine;
        const bool left_out = __any_sync(0xffffffffu, mine && same), recent = __any_sync(0xffffffffu, mine && young);
        young = mine ? !left_out : young;
        if (left_out && recent) {
            const int before = this->here.slot - M, past = before < 0;
            ptx::mbarrier_wait(this->full + 8 * (before + past * D), this->here.parity ^ (u32)!past);
        }
        return left_out;
    }
};

/* B: the type of the cluster, if CTAs of one share the ring.  */
template <int D, typename B = void, along A = along_none> struct consumer {
    u32 full, empty;
    position<D> here;
    int free; /* the oldest held slot */
    int held;

    explicit WS_DEVICE consumer(ring<D> &r)
        : full(ptx::shared_address(r.full)), empty(ptx::shared_address(r.empty)), here{0, 0}, free(0), held(0)
    {
    }

    WS_DEVICE int get()
    {
        int slot = here.slot;
        const u32 since = trace::now();
        ptx::mbarrier_wait(full + 8 * slot, here.parity);
        trace::waited(trace::GET, full, since);
        here.next();
        held++;
        return slot;
    }

    /* Releases all slots that were got, except the newest LAG.  */
    template <int LAG> WS_DEVICE void consumed()
    {
#pragma unroll 1
        while (held > LAG) {
            ptx::end_reads();
            __syncwarp();
            if (ptx::lane() == 0)
                ptx::mbarrier_arrive(empty + 8 * free);
            free = free + 1 == D ? 0 : free + 1;
            held--;
            trace::did(trace::CONSUMED, full);
        }
    }

    /* Skips puts for another group.  The group holds no slot at that point.  */
    WS_DEVICE void skip(int n)
    {
        here.skip(n);
        free = here.slot;
        trace::did(trace::SKIP, full, (u32)n);
    }
};

/* ---- ping-pong --------------------------------------------------------------------------------------------------- */

/* N groups take turns; group 0 is first.  Each group has a named barrier: its threads wait there, and threads of the
   previous group arrive.  A group has its next turn only after all others, so no barrier is a round ahead.  */
template <int N> struct alignas(8) pingpong {
    static constexpr u32 first = 8; /* behind the barriers of up to seven groups */

    WS_DEVICE void init(const char *name)
    {
        trace::name(name, ptx::shared_address(this), 1, N);
    }

    /* At a role's start: the last group passes the first turn to group 0.  */
    WS_DEVICE void begin(int group)
    {
        if (group == N - 1)
            pass(group);
    }

    WS_DEVICE void take(int group)
    {
        const u32 since = trace::now();
        ptx::barrier_sync(first + group, 256);
        trace::waited(trace::TAKE, ptx::shared_address(this), since);
    }

    WS_DEVICE void pass(int group)
    {
        ptx::barrier_arrive(first + (group + 1 == N ? 0 : group + 1), 256);
        trace::did(trace::PASS, ptx::shared_address(this), (u32)group);
    }
};

/* ---- role barriers ----------------------------------------------------------------------------------------------- */

/* A barrier of all N groups of a role.  FIRST numbers the role's barriers from 0.  */
template <int N, int FIRST = 0> struct alignas(8) role_barrier {
    static constexpr u32 number = 15 - FIRST;

    WS_DEVICE void init(const char *)
    {
    }

    WS_DEVICE void all()
    {
        ptx::barrier_sync(number, 128 * N);
    }
};

} // namespace ws

#endif
