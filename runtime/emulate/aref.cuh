/* SPDX-License-Identifier: MIT */
/*
 * aref.cuh - the CTA, rings of slots between a producer and consumer groups, turns between groups, and the copy engine.
 *
 * The protocol is the scheduler's (scheduler.h); here is the running index of each end, and what a copy does.
 */
#ifndef WS_EMULATE_AREF_CUH
#define WS_EMULATE_AREF_CUH

#include "tensor.cuh"

namespace ws {

/* ---- the CTA ----------------------------------------------------------------------------------------------------- */

inline ws_emulate_cta &cta_of(int block)
{
    return ((ws_emulate_cta *)ws_sched_user(ws_sched_current()))[block];
}

inline ws_emulate_cta &this_cta()
{
    return cta_of(ws_sched_block(ws_sched_current()));
}

inline int warp_group()
{
    return ws_sched_group(ws_sched_current());
}

/* A group is one fiber.  */
inline bool first_warp()
{
    return true;
}

inline bool first_thread()
{
    return warp_group() == 0;
}

inline void group_barrier()
{
    ws_sched_barrier(ws_sched_current());
}

inline void fence()
{
    ws_sched_fence(ws_sched_current());
}

inline void start()
{
    ws_sched_start(ws_sched_current());
}

/* A CTA by itself, and CTAs of a cluster: those that differ in x alone, in y alone, in one of them, or all.  */
struct alone {
    static constexpr int x = 1, y = 1, size = 1;
};
enum along { along_none, along_x, along_y, along_x_and_y, along_all };

template <int X, int Y> struct cluster {
    static constexpr int x = X, y = Y, size = X * Y;
    static_assert(size > 1 && size <= WS_EMULATE_CLUSTER, "a cluster has two to eight CTAs");

    static constexpr int count(along a)
    {
        return a == along_x ? X : a == along_y ? Y : a == along_x_and_y ? X + Y - 1 : size;
    }
    /* This CTA's place among those along a direction.  */
    static int place(along a)
    {
        const int rank = ws_sched_block(ws_sched_current());
        return a == along_x ? rank / Y : a == along_y ? rank % Y : rank;
    }
    static uint32_t mask(along a)
    {
        const int rank = ws_sched_block(ws_sched_current());
        uint32_t every = 0;
        for (int other = 0; other < size; other++)
            if (a == along_all || ((a & along_x) && other % Y == rank % Y) || ((a & along_y) && other / Y == rank / Y))
                every |= UINT32_C(1) << other;
        return every;
    }
};

template <typename B> void start()
{
    start();
}

/* No CTA ends while another may still arrive at its barriers.  */
template <typename B> void finish()
{
    ws_sched_finish(ws_sched_current());
}

template <typename S> WS_DEVICE S &shared()
{
    return *reinterpret_cast<S *>(this_cta().shared);
}

template <int N> WS_DEVICE void registers_up()
{
}
template <int N> WS_DEVICE void registers_down()
{
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* As large as its barriers on the GPU.  */
template <int D> struct ring {
    uint64_t number;
    uint64_t unused[2 * D - 1];

    void init(const char *name, int groups)
    {
        number = (uint64_t)ws_sched_ring(ws_sched_current(), name, D, groups);
    }
    template <typename B, along A> void init(const char *name, int groups)
    {
        init(name, groups);
        ws_sched_share(ws_sched_current(), (int)number, B::mask(A));
    }
};

template <int D> struct producer {
    int ring_number;
    uint64_t index; /* of the open put */

    explicit producer(const ring<D> &r) : ring_number((int)r.number), index(0)
    {
    }
    int put()
    {
        return ws_sched_put(ws_sched_current(), ring_number, index);
    }
    void put_done()
    {
        ws_sched_put_done(ws_sched_current(), ring_number, index++);
    }
};

template <int D, typename B = alone, along A = along_none> struct consumer {
    int ring_number;
    uint64_t index; /* of the next get */
    uint64_t held[D];
    int nheld;

    explicit consumer(const ring<D> &r) : ring_number((int)r.number), index(0), nheld(0)
    {
    }
    int get()
    {
        const int slot = ws_sched_get(ws_sched_current(), ring_number, index);
        held[nheld++] = index++;
        return slot;
    }
    /* Releases what was got, except the newest LAG.  */
    template <int LAG> void consumed()
    {
        int count = nheld - LAG;
        if (count <= 0)
            return;
        for (int i = 0; i < count; i++)
            release(held[i]);
        for (int i = count; i < nheld; i++)
            held[i - count] = held[i];
        nheld -= count;
    }
    void release(uint64_t got)
    {
        if constexpr (B::size == 1)
            ws_sched_consumed(ws_sched_current(), ring_number, got);
        else
            ws_sched_consumed_in(ws_sched_current(), ring_number, got, B::mask(A));
    }
    /* Passes over puts that belong to another group.  */
    void skip(int n)
    {
        index += n;
    }
};

/* A condition that has the same answer in all threads of a warp.  */
static inline bool alike(bool condition)
{
    return condition;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

template <int N> struct turns {
    uint64_t number;
    uint64_t unused[3 * N - 1];

    void init(const char *name)
    {
        number = (uint64_t)ws_sched_turns(ws_sched_current(), name, N);
    }
    void begin(int)
    {
    }
    void take(int group)
    {
        ws_sched_take(ws_sched_current(), (int)number, group);
    }
    void pass(int group)
    {
        ws_sched_pass(ws_sched_current(), (int)number, group);
    }
};

/* ---- meetings ---------------------------------------------------------------------------------------------------- */

/* Two rounds of turns: whoever has his second has seen all have their first.  */
template <int N> struct meeting {
    uint64_t number;

    void init(const char *name)
    {
        number = (uint64_t)ws_sched_turns(ws_sched_current(), name, N);
    }
    void all(int group)
    {
        group_barrier();
        for (int round = 0; round < 2; round++) {
            ws_sched_take(ws_sched_current(), (int)number, group);
            ws_sched_pass(ws_sched_current(), (int)number, group);
        }
        group_barrier();
    }
};

/* ---- the copy engine: in ----------------------------------------------------------------------------------------- */

struct map {
    bool usable; /* by the copy engine */
};

inline void prefetch(const map &)
{
}

template <typename T, int R, int C> struct copy_in_step {
    patch<T> from;
    T *to;
    T fill;

    static void run(void *args, void *)
    {
        copy_in_step *step = (copy_in_step *)args;
        fetch(step->from, step->to, R, C, step->fill);
    }
};

template <typename F, int D, typename T, int R, int C, int N, typename... I>
WS_DEVICE void copy_in_or(F fill, producer<D> &p, shared_tile<T, R, C> &to, const tensor<T, N> &t, const map &m, I... i)
{
    static_assert(sizeof...(I) == N, "one coordinate for each dimension");
    long at[N];
    coordinates(at, (long)i...);
    typedef copy_in_step<T, R, C> step;
    ws_sched *s = ws_sched_current();
    step what = {tile_patch<R, C>(t, at), to.elements(), element_of<T>(fill)};
    const bool is_plain = what.from.is_whole(R, C) || (fill == 0 && !t.sliced);
    ws_sched_expect(s, p.ring_number, p.index, to.range().bytes);
    if (m.usable && is_plain)
        ws_sched_copy_in(s, p.ring_number, p.index, to.range(), step::run, &what, sizeof what);
    else
        ws_sched_copy_in_now(s, p.ring_number, p.index, to.range(), step::run, &what);
}

template <int D, typename T, int R, int C, int N, typename... I>
WS_DEVICE void copy_in(producer<D> &p, shared_tile<T, R, C> &to, const tensor<T, N> &t, const map &m, I... i)
{
    copy_in_or(0, p, to, t, m, i...);
}

/* Each CTA along A brings an equal share of the rows, to all of them.  Where the engine cannot, each copies the whole tile.  */
template <typename B, along A, typename F, int D, typename T, int R, int C, int N, typename... I>
WS_DEVICE void copy_share_or(F fill, producer<D> &p, shared_tile<T, R, C> &to, const tensor<T, N> &t, const map &m,
                             I... i)
{
    static_assert(sizeof...(I) == N, "one coordinate for each dimension");
    constexpr int rows = R / B::count(A);
    typedef copy_in_step<T, rows, C> step;
    ws_sched *s = ws_sched_current();
    long at[N];
    coordinates(at, (long)i...);
    if (!m.usable || !(tile_patch<R, C>(t, at).is_whole(R, C) || (fill == 0 && !t.sliced))) {
        copy_in_or(fill, p, to, t, map{false}, i...);
        ws_sched_tell(s, p.ring_number, p.index, B::mask(A));
        return;
    }
    const int first = B::place(A) * rows;
    at[N - 2] += first;
    ws_sched_expect(s, p.ring_number, p.index, to.range().bytes);
    for (int block = 0; block < B::size; block++) {
        if (!(B::mask(A) >> block & 1))
            continue;
        T *there =
            (T *)((char *)cta_of(block).shared + ((char *)(to.elements() + first * C) - (char *)this_cta().shared));
        step what = {tile_patch<rows, C>(t, at), there, element_of<T>(fill)};
        ws_sched_copy_share(s, p.ring_number, p.index, block, {there, rows * C * sizeof(T)}, step::run, &what,
                            sizeof what);
    }
}

template <typename B, along A, int D, typename T, int R, int C, int N, typename... I>
WS_DEVICE void copy_share(producer<D> &p, shared_tile<T, R, C> &to, const tensor<T, N> &t, const map &m, I... i)
{
    copy_share_or<B, A>(0, p, to, t, m, i...);
}

/* ---- the copy engine: out ---------------------------------------------------------------------------------------- */

/* Buffers of 64 lines of 128 bytes, a quarter each warp's on a GPU, which tiles pass through in turn.  */
template <typename T, int R, int BLOCKS> struct alignas(1024) output {
    static constexpr int buffer_rows = 64, buffer_bytes = buffer_rows * 128,
                         buffers = R * BLOCKS < buffer_rows ? 1 : R * BLOCKS / buffer_rows;
    unsigned char bytes[buffers * buffer_bytes];
};

/* A group's end of it.  */
template <typename T, int R, int BLOCKS> class outlet {
    typedef output<T, R, BLOCKS> staging;
    unsigned char *first;
    int next = 0;

  public:
    static constexpr int line = 128 / (int)sizeof(T), rows = staging::buffer_rows;
    explicit WS_DEVICE outlet(output<T, R, BLOCKS> &o) : first(o.bytes)
    {
    }
    /* A buffer that nothing reads.  */
    WS_DEVICE T *take()
    {
        ws_sched_store_wait(ws_sched_current(), staging::buffers - 1);
        return reinterpret_cast<T *>(first + next++ % staging::buffers * staging::buffer_bytes);
    }
};

/* On a GPU a way to whole lines; here it makes no difference.  */
template <int R, int C, layout L, typename E, int SR, int B, typename... Rest>
WS_DEVICE auto load(outlet<E, SR, B> &, const Rest &...rest)
{
    return load<R, C, L>(rest...);
}
template <int R, int C, layout L, typename F, typename E, int SR, int B, typename... Rest>
WS_DEVICE auto load_or(F fill, outlet<E, SR, B> &, const Rest &...rest)
{
    return load_or<R, C, L>(fill, rest...);
}

/* Over what is there, or added to it.  */
template <typename T, int R, bool ADD> struct copy_out_step {
    patch<T> to;
    const T *from;
    static constexpr int line = 128 / (int)sizeof(T);

    static void read(void *args, void *held)
    {
        memcpy(held, ((copy_out_step *)args)->from, R * 128);
    }
    static void write(void *args, void *held)
    {
        if constexpr (ADD)
            add_patch(((copy_out_step *)args)->to, (const T *)held, line);
        else
            deliver(((copy_out_step *)args)->to, (const T *)held, line);
    }
};

template <int N> WS_DEVICE void store_wait()
{
    ws_sched_store_wait(ws_sched_current(), N);
}

/* One block of the tile, whose first element is (row, col) of x, through one buffer of R rows of the staging.  */
template <bool ADD, typename T, int R, int N, int XR, int XC, layout L>
WS_DEVICE void store_block(T *staging, const tensor<T, N> &t, const long *at, const tile<T, XR, XC, L> &x, int row,
                           int col)
{
    typedef copy_out_step<T, R, ADD> step;
    ws_sched *s = ws_sched_current();
    const ws_sched_range range = {staging, R * 128};
    const int rows = min(R, XR - row), cols = min(step::line, XC - col);
    long corner[N];
    memcpy(corner, at, sizeof corner);
    corner[N - 2] += row;
    corner[N - 1] += col;
    ws_sched_write_apart(s, range);
    for (int r = 0; r < rows; r++)
        memcpy(staging + r * step::line, x.at + (row + r) * XC + col, cols * sizeof(T));
    ws_sched_fence(s);
    step what = {patch_of(t, corner, N - 2, N - 1, rows, cols), staging};
    touch(what.to, ADD ? WS_EMULATE_ADD : WS_EMULATE_STORE_BY_COPY);
    ws_sched_copy_out(s, range, R * 128, step::read, step::write, &what, sizeof what);
}

template <bool ADD, typename T, int R, int BLOCKS, int N, typename X>
WS_DEVICE void store_blocks(outlet<T, R, BLOCKS> &o, const tensor<T, N> &t, const long *at, const X &x)
{
    x.check("reads");
    for (int row = 0; row < x.rows; row += o.rows)
        for (int col = 0; col < x.cols; col += o.line)
            store_block<ADD, T, o.rows>(o.take(), t, at, x, row, col);
}

template <typename T, int R, int BLOCKS, int N, typename... Rest>
WS_DEVICE void store(outlet<T, R, BLOCKS> &o, const tensor<T, N> &t, const map &m, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == N + 1, "one coordinate for each dimension, then the tile");
    long at[N];
    const auto &x = coordinates_and_tile(at, rest...);
    if (m.usable && !t.sliced)
        store_blocks<false>(o, t, at, x);
    else
        deliver_tile(patch_for(t, at, x), x);
}

template <typename T, int R, int BLOCKS, int N, typename... Rest>
WS_DEVICE void atomic_add(outlet<T, R, BLOCKS> &o, const tensor<T, N> &t, const map &m, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == N + 1, "one coordinate for each dimension, then the tile");
    long at[N];
    const auto &x = coordinates_and_tile(at, rest...);
    if (m.usable && !t.sliced)
        store_blocks<true>(o, t, at, x);
    else
        add_tile(patch_for(t, at, x), x);
}

/* ---- gather: an operand of which each group has some rows -------------------------------------------------------- */

template <typename T, int R, int C, int PART, layout L>
WS_DEVICE void write_part(shared_tile<T, R, C> &to, const tile<T, PART, C, L> &x, long first_row)
{
    ws_sched *s = ws_sched_current();
    T *part = to.elements() + first_row * C;
    x.check("reads");
    ws_sched_point(s);
    ws_sched_write(s, {part, sizeof x.at});
    memcpy(part, x.at, sizeof x.at);
    ws_sched_fence(s);
}

/* The groups meet before, since they may still read what was gathered last, and behind.  */
template <int G, typename T, int R, int C, int PART, layout L>
WS_DEVICE shared_view<T, R, C> gather(meeting<G> &groups, shared_tile<T, R, C> (&to)[1], const tile<T, PART, C, L> &x,
                                      long first_row)
{
    groups.all((int)(first_row / PART));
    write_part(to[0], x, first_row);
    groups.all((int)(first_row / PART));
    return view(to[0]);
}

/* With two slots it is enough to meet behind: whoever is there has read what was gathered before the last time.  */
template <int G, typename T, int R, int C, int PART, layout L>
WS_DEVICE shared_view<T, R, C> gather(meeting<G> &groups, shared_tile<T, R, C> (&to)[2], int &turn,
                                      const tile<T, PART, C, L> &x, long first_row)
{
    shared_tile<T, R, C> &here = to[turn];
    turn ^= 1;
    write_part(here, x, first_row);
    groups.all((int)(first_row / PART));
    return view(here);
}

} // namespace ws

#endif
