/* SPDX-License-Identifier: MIT */
/*
 * trace.cuh - what groups did when, written from inside the kernel: objects compiled with wscc --ws-trace.
 *
 *   kernel                                    program's end
 *     a group's first thread keeps a record     records of a group, in order --> events as the emulation writes them
 *     of 16 bytes behind each call              (runtime/emulate/trace.c): WS_TRACE=FILE
 *
 * Time is the multiprocessor's clock, from the block's start on.  A group does not see when bytes land or a tensor core
 * ends: a slot is full when the first group has got it, a product ends where its wait does.  Nothing is kept without
 * WS_TRACE; without --ws-trace all of this is nothing.
 */
#ifndef WS_CUDA_TRACE_CUH
#define WS_CUDA_TRACE_CUH

#include "ptx.cuh"

namespace ws {
namespace trace {

enum kind { START = 1, PUT, PUT_DONE, GET, CONSUMED, SKIP, COMMIT, WAIT, STORE, STORE_WAIT, TAKE, PASS, TILE };

#ifndef WS_TRACED

static WS_DEVICE u32 now()
{
    return 0;
}
static WS_DEVICE void did(kind, u32 = 0, u32 = 0)
{
}
static WS_DEVICE void waited(kind, u32, u32)
{
}
static WS_DEVICE void name(const char *, u32, int, int)
{
}
static WS_DEVICE void begin()
{
}

#else

enum { GROUPS = 8, BLOCKS = 4, RECORDS = 32768, NAMES = 64, NAME_BYTES = 48 };

/* object: the shared memory of a ring or of turns, else a number.  */
struct record {
    u32 clock, waited, what, object;
};
/* How a ring, or turns, is called.  */
struct called {
    char text[NAME_BYTES];
    u32 object, slots, arrivals;
};
struct buffer {
    u32 names, unused[3];
    called name[NAMES];
    record records[BLOCKS][GROUPS][RECORDS];
};

static __constant__ buffer *kept; /* NULL: nobody wants it */
static __shared__ u32 cursors[GROUPS];

static WS_DEVICE u32 now()
{
    u32 clock;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
    return clock;
}

/* Without a branch, since it may stand among products.  */
static WS_DEVICE void keep(u32 what, u32 object, u32 since)
{
    const u32 group = threadIdx.x / 128, time = now(), cursor = ptx::shared_address(&cursors[group]);
    u32 at;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(cursor) : "memory");
    const bool mine = kept && threadIdx.x % 128 == 0 && blockIdx.x < BLOCKS && at < RECORDS;
    const record *to =
        (const record *)((const char *)kept + offsetof(buffer, records)) + (blockIdx.x * GROUPS + group) * RECORDS + at;
    ptx::store_if(mine, (void *)to, make_uint4(time, time - since, what, object));
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %0, 0;\n@p st.shared.u32 [%1], %2;\n}" ::"r"((int)mine), "r"(cursor),
                 "r"(at + 1)
                 : "memory");
}

static WS_DEVICE void did(kind k, u32 object = 0, u32 number = 0)
{
    keep((u32)k | number << 8, object, 0);
}
static WS_DEVICE void waited(kind k, u32 object, u32 since)
{
    keep((u32)k, object, since);
}

/* By the first thread, once for each block: the first block's are those of all.  */
static WS_DEVICE void name(const char *text, u32 object, int slots, int arrivals)
{
    if (!kept || blockIdx.x)
        return;
    const u32 n = atomicAdd(&kept->names, 1u);
    if (n >= NAMES)
        return;
    called &c = kept->name[n];
    for (int i = 0; i + 1 < NAME_BYTES && (c.text[i] = text[i]); i++)
        ;
    c.object = object;
    c.slots = (u32)slots;
    c.arrivals = (u32)arrivals;
}

/* All threads, before a barrier of the block.  */
static WS_DEVICE void begin()
{
    if (threadIdx.x < GROUPS)
        cursors[threadIdx.x] = 0;
}

#endif

} // namespace trace
} // namespace ws

#ifdef WS_TRACED
#    include "trace_write.cuh"
#endif

#endif
