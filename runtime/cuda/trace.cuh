/* SPDX-License-Identifier: MIT */
/*
 * trace.cuh - events of groups with their times, written inside the kernel: objects compiled with wscc --ws-trace.
 *
 *      kernel                                    end of the program
 *        a group's first warp writes a record      records of a group, in order --> events in the emulation's format
 *        of 8 bytes after each call                (runtime/emulate/trace.c): WS_TRACE=FILE
 *
 * Time is the multiprocessor's clock since the block's start.  A group does not see the landing of bytes or the end of
 * a product.  A slot counts as full when the first group has got it, and a product ends where its wait does. Without
 * WS_TRACE no record is written.  Without --ws-trace the functions are empty.
 */
#ifndef WS_CUDA_TRACE_CUH
#define WS_CUDA_TRACE_CUH

#include "ptx.cuh"

namespace ws {
namespace trace {

enum kind { START = 1, PUT, PUT_DONE, GET, CONSUMED, SKIP, COMMIT, WAIT, STORE, STORE_WAIT, TAKE, PASS, TILE };

#ifndef WS_TRACED

[[maybe_unused]] static WS_DEVICE u32 now()
{
    return 0;
}
[[maybe_unused]] static WS_DEVICE void did(kind, u32 = 0, u32 = 0)
{
}
[[maybe_unused]] static WS_DEVICE void waited(kind, u32, u32)
{
}
[[maybe_unused]] static WS_DEVICE void name(const char *, u32, int, int)
{
}
[[maybe_unused]] static WS_DEVICE void begin()
{
}

#else

enum { GROUPS = 8, WARPS = 4 * GROUPS, BLOCKS = 2, RECORDS = 8192, NAMES = 64, NAME_BYTES = 48, UNIT = 3 };

/* what: 4 bits of kind.  The other 28 bits are a tile's number, or 12 bits of a ring or turns and 16 bits of data.  The
   12 bits are an address in shared memory; the data are the wait's length in 8 clocks, or a number.  */
struct record {
    u32 clock, what;
};
/* The name of a ring or of turns.  */
struct called {
    char text[NAME_BYTES];
    u32 object, slots, arrivals;
};
struct buffer {
    record nothing[2]; /* record 0 is unused */
    record records[BLOCKS][WARPS][RECORDS];
    called name[NAMES];
    u32 names;
};

static __device__ record nowhere[2];
static __constant__ record *kept = nowhere; /* the buffer, if the launch is traced */
static __constant__ u32 wanted;
static __shared__ uint2
    cursors[WARPS]; /* address of each group's next record, in its first warp, and of its last one; else 0 */

static WS_CONSTANT u32 short_of(u32 object)
{
    return object >> 3 & 0xfff;
}

static WS_DEVICE u32 clock()
{
    u32 clock;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
    return clock;
}

/* Few instructions, the same in each warp and without a branch, since they stand among products.  All lanes write the
   same. Records that do not fit are dropped.  A launch without a trace stores nothing: stores of all multiprocessors to
   one place would wait for each other.  */
static WS_DEVICE void keep(u32 time, u32 what)
{
    const u32 cursor = ptx::shared_address(&cursors[threadIdx.x / 32]);
    u32 at, last;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(at), "=r"(last) : "r"(cursor));
    asm volatile("{\n.reg .pred p;\n"
                 "setp.lt.u32 p, %3, %4;\n"
                 "@p st.global.v2.u32 [%0], {%1, %2};\n"
                 "@p st.shared.u32 [%5], %6;\n}" ::"l"((const char *)kept + at),
                 "r"(time), "r"(what), "r"(at), "r"(last), "r"(cursor), "r"(at + (u32)sizeof(record)));
}

/* Each record delays its group (bench/notes/predicted.md).  WS_TRACE_TILES keeps only the records of a block's begin,
   of its tiles and of its end.  */
#    ifdef WS_TRACE_TILES
static WS_CONSTANT bool is_kept(kind k, u32 object)
{
    return k == START || k == TILE || (k == STORE_WAIT && object == 0);
}
static WS_DEVICE u32 now()
{
    return 0;
}
#    else
static WS_CONSTANT bool is_kept(kind, u32)
{
    return true;
}
static WS_DEVICE u32 now()
{
    return clock();
}
#    endif

static WS_DEVICE void did(kind k, u32 object = 0, u32 number = 0)
{
    if (!is_kept(k, object))
        return;
    keep(clock(), k == TILE ? (u32)k | object << 4 : (u32)k | short_of(object) << 4 | number << 16);
}
static WS_DEVICE void waited(kind k, u32 object, u32 since)
{
    if (!is_kept(k, object))
        return;
    const u32 time = clock();
    const u32 which = k == WAIT || k == STORE_WAIT ? object : short_of(object);
    keep(time, ((time - since) << (16 - UNIT) & 0xffff0000u) | (u32)k | which << 4);
}

/* Called by the first thread, once for each block; the names of block 0 are valid for all.  */
static WS_DEVICE void name(const char *text, u32 object, int slots, int arrivals)
{
    if (!wanted || blockIdx.x)
        return;
    buffer *b = (buffer *)kept;
    const u32 n = atomicAdd(&b->names, 1u);
    if (n >= NAMES)
        return;
    called &c = b->name[n];
    for (int i = 0; i + 1 < NAME_BYTES && (c.text[i] = text[i]); i++)
        ;
    c.object = short_of(object);
    c.slots = (u32)slots;
    c.arrivals = (u32)arrivals;
}

/* Called by all threads, before a barrier of the block.  */
static WS_DEVICE void begin()
{
    const u32 warp = threadIdx.x / 32,
              first = (u32)offsetof(buffer, records) + (blockIdx.x * WARPS + warp) * (u32)(RECORDS * sizeof(record));
    const bool mine = wanted && blockIdx.x < BLOCKS && warp % 4 == 0;
    if (threadIdx.x % 32 == 0)
        cursors[warp] = mine ? make_uint2(first, first + (RECORDS - 1) * (u32)sizeof(record)) : make_uint2(0, 0);
}

#endif

} // namespace trace
} // namespace ws

#ifdef WS_TRACED
#    include "trace_write.cuh"
#endif

#endif
