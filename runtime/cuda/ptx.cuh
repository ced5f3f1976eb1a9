/* SPDX-License-Identifier: MIT */
/*
 * ptx.cuh - one inline function for each PTX instruction: barriers, clusters, memory, products.
 *
 * Copies by TMA and cp.async are in ptx_copy.cuh, arithmetic and conversions in ptx_number.cuh.  These functions make
 * no decisions.  Shared memory is addressed by its 32-bit address (ptx::shared_address).  Functions whose instruction
 * must not move are `volatile` with a memory clobber; pure conversions are neither.
 */
#ifndef WS_CUDA_PTX_CUH
#define WS_CUDA_PTX_CUH

#include <cuda.h>
#include <cuda_runtime.h>

#define WS_DEVICE   __device__ __forceinline__
#define WS_HOST     __host__
#define WS_UNROLL   _Pragma("unroll")
#define WS_CONSTANT __host__ __device__ constexpr

namespace ws {

typedef unsigned int u32;
typedef unsigned long long u64;

namespace ptx {

static WS_DEVICE u32 shared_address(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}

static WS_DEVICE u32 multiprocessor()
{
    u32 x;
    asm("mov.u32 %0, %%smid;" : "=r"(x));
    return x;
}
static WS_DEVICE u32 lane()
{
    return threadIdx.x % 32;
}

/* The same number in all threads of a warp, in a form that ptxas recognizes as uniform.  */
static WS_DEVICE u32 uniform(u32 x)
{
    return __shfl_sync(0xffffffffu, x, 0);
}

/* ---- mbarriers --------------------------------------------------------------------------------------------------- */

static WS_DEVICE void mbarrier_init(u32 barrier, u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* Makes initialised barriers visible to TMA.  */
static WS_DEVICE void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static WS_DEVICE void mbarrier_arrive(u32 barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

static WS_DEVICE void mbarrier_expect_tx(u32 barrier, u32 bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/* True if the phase of this parity has completed.  May suspend the thread for some time before it returns false.  */
static WS_DEVICE bool mbarrier_try_wait(u32 barrier, u32 parity)
{
    u32 done;
    asm volatile("{\n.reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return done;
}

static WS_DEVICE void mbarrier_wait(u32 barrier, u32 parity)
{
    while (!mbarrier_try_wait(barrier, parity))
        ;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

static WS_DEVICE u32 cluster_rank()
{
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Barrier of all threads of the cluster.  Only fenced writes are visible after the wait.  The default form publishes
   all writes of a thread and costs a fence of the whole GPU.  */
static WS_DEVICE void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

static WS_DEVICE void cluster_wait()
{
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

/* The same address in the shared memory of another CTA.  */
static WS_DEVICE u32 address_in(u32 address, u32 rank)
{
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

static WS_DEVICE void mbarrier_complete_tx_there(u32 barrier, u32 bytes)
{
    asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

static WS_DEVICE void mbarrier_arrive_there(u32 barrier)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Stores words to another CTA's shared memory.  Its barrier counts their bytes, and its waiters see the words.  */
static WS_DEVICE void store_there(u32 there, u32 barrier, uint4 x)
{
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%2, %3, %4, %5}, [%1];" ::"r"(there),
        "r"(barrier), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
        : "memory");
}

static WS_DEVICE void store_there(u32 there, u32 barrier, u32 x)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %2, [%1];" ::"r"(there),
                 "r"(barrier), "r"(x)
                 : "memory");
}

static WS_DEVICE void store_there(u32 there, u32 barrier, uint2 x)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%2, %3}, [%1];" ::"r"(there),
                 "r"(barrier), "r"(x.x), "r"(x.y)
                 : "memory");
}

/* ---- named barriers and registers -------------------------------------------------------------------------------- */

static WS_DEVICE void barrier_sync(u32 number, u32 threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

static WS_DEVICE void barrier_arrive(u32 number, u32 threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

template <int N> static WS_DEVICE void setmaxnreg_inc()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

template <int N> static WS_DEVICE void setmaxnreg_dec()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

/* ---- the previous and the next kernel of the stream -------------------------------------------------------------- */

/* Waits until all writes of the previous kernels are visible.  */
static WS_DEVICE void grid_dependency_wait()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* After all CTAs have called it, CTAs of the next kernel may take free places and wait there.  */
static WS_DEVICE void grid_dependents_launch()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* ---- one thread of a warp, and fences between generic and async proxies ------------------------------------------ */

/* Hides the value of x from ptxas.  */
static WS_DEVICE void hide(u32 &x)
{
    asm volatile("" : "+r"(x));
}

/* True in one thread of a converged warp, always the same one.  ptxas issues instructions under this predicate once.
   Under another condition for one thread ptxas makes a loop over possible threads for each copy.  */
static WS_DEVICE bool elect()
{
    u32 elected;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
    return elected != 0;
}

/* Orders earlier generic accesses to shared memory before later accesses by TMA and the tensor core.  */
static WS_DEVICE void fence_proxy_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Ends this thread's reads of shared memory before a release after which TMA may write there.  wgmma has read its
   operands when its wait returns.  ldmatrix has not: ptxas moves the products that want its registers behind the
   release, and the release does not wait for it.  */
static WS_DEVICE void end_reads()
{
#if !WS_GPU_WGMMA
    fence_proxy_async();
#endif
}

/* fence_proxy_async for global memory, in both directions.  */
static WS_DEVICE void fence_proxy_async_global()
{
    asm volatile("fence.proxy.async.global;" ::: "memory");
}

/* ---- counters in global memory ----------------------------------------------------------------------------------- */

static WS_DEVICE u32 load_acquire(const u32 *p)
{
    u32 x;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

static WS_DEVICE void add_release(u32 *p, u32 x)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}

static WS_DEVICE void add_release_system(u32 *p, u32 x)
{
    asm volatile("red.release.sys.global.add.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}

static WS_DEVICE void sleep(u32 nanoseconds)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

static WS_DEVICE void store_system(void *p, u32 x, u32 y)
{
    asm volatile("st.relaxed.sys.global.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(x), "r"(y) : "memory");
}

static WS_DEVICE void trap()
{
    asm volatile("trap;");
}

/* Loads from memory that no thread writes during the kernel.  The data stay in L1, and the load may move among other
   accesses.  It must not move above the wait for the previous kernel; tests/gpu/machine_code.sh checks that.  */
template <int BYTES> struct fixed_word;
#define WS_FIXED_WORD(bytes, type, constraint, suffix)                             \
    template <> struct fixed_word<bytes> {                                         \
        typedef type word;                                                         \
        static WS_DEVICE word load(const void *p)                                  \
        {                                                                          \
            word x;                                                                \
            asm("ld.global.nc." suffix " %0, [%1];" : "=" constraint(x) : "l"(p)); \
            return x;                                                              \
        }                                                                          \
    };
WS_FIXED_WORD(2, unsigned short, "h", "u16")
WS_FIXED_WORD(4, u32, "r", "u32")
WS_FIXED_WORD(8, u64, "l", "u64")
#undef WS_FIXED_WORD
template <> struct fixed_word<1> {
    typedef unsigned char word;
    static WS_DEVICE word load(const void *p)
    {
        u32 x;
        asm("ld.global.nc.u8 %0, [%1];" : "=r"(x) : "l"(p));
        return (word)x;
    }
};
template <typename T> static WS_DEVICE T load_fixed(const T *p)
{
    union {
        typename fixed_word<(int)sizeof(T)>::word word;
        T value;
    } x;
    x.word = fixed_word<(int)sizeof(T)>::load(p);
    return x.value;
}

/* Adds to four numbers of global memory at a multiple of 16 bytes; each addition is atomic.  */
static WS_DEVICE void add_four(float *at, float a, float b, float c, float d)
{
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(a), "f"(b), "f"(c), "f"(d)
                 : "memory");
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static WS_DEVICE void stmatrix_x4(u32 address, u32 a, u32 b, u32 c, u32 d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b),
                 "r"(c), "r"(d)
                 : "memory");
}

static WS_DEVICE void stmatrix_x4_trans(u32 address, u32 a, u32 b, u32 c, u32 d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a),
                 "r"(b), "r"(c), "r"(d)
                 : "memory");
}

static WS_DEVICE void stmatrix_x2(u32 address, u32 a, u32 b)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
}

static WS_DEVICE void ldmatrix_x4(u32 address, u32 &a, u32 &b, u32 &c, u32 &d)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
}

static WS_DEVICE void ldmatrix_x2(u32 address, u32 &a, u32 &b)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(address)
                 : "memory");
}

static WS_DEVICE void ldmatrix_x4_trans(u32 address, u32 &a, u32 &b, u32 &c, u32 &d)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
}

static WS_DEVICE double load_shared_f64(u32 address)
{
    double x;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(address) : "memory");
    return x;
}

static WS_DEVICE double2 load_shared_f64x2(u32 address)
{
    double2 x;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x.x), "=d"(x.y) : "r"(address) : "memory");
    return x;
}

static WS_DEVICE uint4 load_shared_16(u32 address)
{
    uint4 x;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(address)
                 : "memory");
    return x;
}

static WS_DEVICE uint2 load_shared_8(u32 address)
{
    uint2 x;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "r"(address) : "memory");
    return x;
}

static WS_DEVICE void store_shared_4(u32 address, u32 x)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(x) : "memory");
}

static WS_DEVICE u32 load_shared_4(u32 address)
{
    u32 x;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
    return x;
}

static WS_DEVICE void store_shared_16(u32 address, uint4 x)
{
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
                 : "memory");
}

/* ---- products of a warp ------------------------------------------------------------------------------------------ */

/* 16 x 8 sums; a: two 8 of M, with four 4 of K each.  */
static WS_DEVICE void mma_f64_k16(double *d, const double (&a)[2][4], const double (&b)[4])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0][0]), "d"(a[1][0]), "d"(a[0][1]), "d"(a[1][1]), "d"(a[0][2]), "d"(a[1][2]), "d"(a[0][3]),
          "d"(a[1][3]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

static WS_DEVICE void mma_f64_k4(double *d, double low, double high, double b)
{
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(low), "d"(high), "d"(b));
}

static WS_DEVICE void mma_tf32(float (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/* ---- the tensor core (products are in wgmma.cuh) ----------------------------------------------------------------- */

static WS_DEVICE void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static WS_DEVICE void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int N> static WS_DEVICE void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/* Counts an event if x is one certain NaN, which no operation makes.  A nanosleep would not do: ptxas moves nothing
   across it, and adds a fence before later products if the sleep is in a branch (C7519).  */
static WS_DEVICE void depend(int)
{
}
static WS_DEVICE void depend(float x)
{
    asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, %0, 0xffe12345;\n@p pmevent 0;\n}" ::"r"(__float_as_uint(x))
                 : "memory");
}

/* The same for a parameter of the launch: reads it, so that its cache line is loaded.  */
static WS_DEVICE void touch(u32 x)
{
    asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, %0, 0xffe12345;\n@p pmevent 0;\n}" ::"r"(x) : "memory");
}

/* Multiplies both by y, by instructions that are predicated off for y = 1; volatile, so they keep their place.  */
static WS_DEVICE void multiply_unless_one(float &low, float &high, float y)
{
    asm volatile("{\n.reg .pred p;\nsetp.neu.f32 p, %2, 0f3f800000;\n@p mul.f32 %0, %0, %2;\n@p mul.f32 %1, %1, %2;\n}"
                 : "+f"(low), "+f"(high)
                 : "f"(y));
}

/* ---- global memory under a condition ----------------------------------------------------------------------------- */

/* Predicated accesses without branches, so that consecutive ones are all in flight.  A false condition leaves x as it
   is.  */
#define WS_EACH_1(constraint) constraint(x)
#define WS_EACH_2(constraint) constraint(x.x), constraint(x.y)
#define WS_EACH_4(constraint) constraint(x.x), constraint(x.y), constraint(x.z), constraint(x.w)
#define WS_MOVE_IF(T, count, constraint, type, registers, address, when)                                              \
    static WS_DEVICE void load_if(bool condition, T &x, const void *from)                                             \
    {                                                                                                                 \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " when ", 0;\n@p ld.global." type " " registers ", [" address  \
                     "];\n}"                                                                                          \
                     : WS_EACH_##count("+" constraint)                                                                \
                     : "l"(from), "r"((int)condition)                                                                 \
                     : "memory");                                                                                     \
    }                                                                                                                 \
    static WS_DEVICE void store_if(bool condition, void *to, T x)                                                     \
    {                                                                                                                 \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " when ", 0;\n@p st.global." type " [" address "], " registers \
                     ";\n}" ::WS_EACH_##count(constraint),                                                            \
                     "l"(to), "r"((int)condition)                                                                     \
                     : "memory");                                                                                     \
    }
WS_MOVE_IF(unsigned short, 1, "h", "b16", "%0", "%1", "%2")
WS_MOVE_IF(u32, 1, "r", "b32", "%0", "%1", "%2")
WS_MOVE_IF(uint2, 2, "r", "v2.b32", "{%0, %1}", "%2", "%3")
WS_MOVE_IF(float2, 2, "f", "v2.b32", "{%0, %1}", "%2", "%3")
WS_MOVE_IF(double2, 2, "d", "v2.b64", "{%0, %1}", "%2", "%3")
WS_MOVE_IF(uint4, 4, "r", "v4.b32", "{%0, %1, %2, %3}", "%4", "%5")
WS_MOVE_IF(float4, 4, "f", "v4.b32", "{%0, %1, %2, %3}", "%4", "%5")
#undef WS_MOVE_IF
#undef WS_EACH_1
#undef WS_EACH_2
#undef WS_EACH_4

} // namespace ptx
} // namespace ws

#endif
