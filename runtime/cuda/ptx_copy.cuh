/* SPDX-License-Identifier: MIT */
/*
 * ptx_copy.cuh - asynchronous copies: tiles by TMA, words by cp.async.
 */
#ifndef WS_CUDA_PTX_COPY_CUH
#define WS_CUDA_PTX_COPY_CUH

#include "ptx.cuh"

/* The memory that a copy by TMA names as its destination.  Without clusters `shared::cluster` is a call of the system,
   beside which ptxas ignores setmaxnreg (C7506).  */
#if WS_GPU_CLUSTER_BLOCKS > 1
#    define WS_TO_SHARED "shared::cluster"
#else
#    define WS_TO_SHARED "shared::cta"
#endif

namespace ws {
namespace ptx {

static WS_DEVICE void prefetch_tensormap(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

static WS_DEVICE void tensor_to_shared(u32 to, const CUtensorMap *map, u32 barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d." WS_TO_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
                 "[%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

static WS_DEVICE void tensor_to_shared(u32 to, const CUtensorMap *map, u32 barrier, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d." WS_TO_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
                 "%5}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

static WS_DEVICE void tensor_to_shared(u32 to, const CUtensorMap *map, u32 barrier, int x, int y, int z, int w)
{
    asm volatile("cp.async.bulk.tensor.4d." WS_TO_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
                 "%5, %6}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}

/* To the same address in every CTA of the mask; completes on the same barrier of each.  */
static WS_DEVICE void tensor_to_all(u32 to, const CUtensorMap *map, u32 barrier, unsigned short mask, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%4, %5}], [%2], %3;" ::"r"(to),
                 "l"(map), "r"(barrier), "h"(mask), "r"(x), "r"(y)
                 : "memory");
}

static WS_DEVICE void tensor_to_all(u32 to, const CUtensorMap *map, u32 barrier, unsigned short mask, int x, int y,
                                    int z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%4, %5, %6}], [%2], %3;" ::"r"(to),
                 "l"(map), "r"(barrier), "h"(mask), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

static WS_DEVICE void tensor_to_all(u32 to, const CUtensorMap *map, u32 barrier, unsigned short mask, int x, int y,
                                    int z, int w)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%4, %5, %6, %7}], [%2], %3;" ::"r"(to),
                 "l"(map), "r"(barrier), "h"(mask), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}

static WS_DEVICE void shared_to_tensor(const CUtensorMap *map, u32 from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y)
                 : "memory");
}

static WS_DEVICE void shared_to_tensor(const CUtensorMap *map, u32 from, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

static WS_DEVICE void shared_to_tensor(const CUtensorMap *map, u32 from, int x, int y, int z, int w)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}

static WS_DEVICE void shared_to_tensor(const CUtensorMap *map, u32 from, int x, int y, int z, int w, int v)
{
    asm volatile(
        "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
        "r"(from), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
        : "memory");
}

/* The same, but adds to memory; the addition of each element is atomic.  */
static WS_DEVICE void add_to_tensor(const CUtensorMap *map, u32 from, int x, int y)
{
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
        "r"(from), "r"(x), "r"(y)
        : "memory");
}

static WS_DEVICE void add_to_tensor(const CUtensorMap *map, u32 from, int x, int y, int z)
{
    asm volatile(
        "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
        "r"(from), "r"(x), "r"(y), "r"(z)
        : "memory");
}

static WS_DEVICE void add_to_tensor(const CUtensorMap *map, u32 from, int x, int y, int z, int w)
{
    asm volatile(
        "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(
            map),
        "r"(from), "r"(x), "r"(y), "r"(z), "r"(w)
        : "memory");
}

static WS_DEVICE void add_to_tensor(const CUtensorMap *map, u32 from, int x, int y, int z, int w, int v)
{
    asm volatile(
        "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(
            map),
        "r"(from), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
        : "memory");
}

static WS_DEVICE void bulk_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Returns when at most N of this thread's groups are in flight; writes of the others are complete.  */
template <int N> static WS_DEVICE void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}

/* Returns when at most N of this thread's groups still read shared memory.  */
template <int N> static WS_DEVICE void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

/* Copies BYTES (4, 8 or 16) from global to shared memory without a register.  Reads the first `bytes` bytes; the rest
   becomes 0.  */
template <int BYTES> static WS_DEVICE void async_copy(u32 to, const void *from, u32 bytes)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(BYTES), "r"(bytes)
                 : "memory");
}

/* The same for 16 bytes, bypassing L1.  Without the condition stores `other`.  Predicates replace a branch.  */
static WS_DEVICE void async_copy_if(bool condition, u32 to, const void *from, uint4 other)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %2, 0;\n@p cp.async.cg.shared.global [%0], [%1], 16;\n"
                 "@!p st.shared.v4.b32 [%0], {%3, %4, %5, %6};\n}" ::"r"(to),
                 "l"(from), "r"((int)condition), "r"(other.x), "r"(other.y), "r"(other.z), "r"(other.w)
                 : "memory");
}

/* Waits for all async_copies of this thread.  */
static WS_DEVICE void async_copy_wait()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* Closes a group of copies; waits for all but the last COUNT groups.  */
static WS_DEVICE void async_copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int COUNT> static WS_DEVICE void async_copy_wait_but()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
}

} // namespace ptx
} // namespace ws

#endif
