/* SPDX-License-Identifier: MIT */
/*
 * aref.cuh - the CTA, rings of slots between a producer and consumer groups, turns between groups, and TMA.
 *
 * The scheduler implements the protocol (scheduler.h).  This header adds the running index of each end, and the effect
 * of a copy.
 */
#ifndef WS_EMULATE_AREF_CUH
#define WS_EMULATE_AREF_CUH

#include <stddef.h>

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

/* A barrier of a team, which is one group in the emulation.  */
template <layout L> void meet_group()
{
    group_barrier();
}

inline void fence()
{
    ws_sched_fence(ws_sched_current());
}

inline void start()
{
    ws_sched_start(ws_sched_current());
}

/* A CTA without a cluster, and CTAs of a cluster: CTAs that differ in x only, in y only, in one of the two, or all.  */
struct alone {
    static constexpr int x = 1, y = 1, size = 1;
};
enum along { along_none, along_x, along_y, along_x_and_y, along_all };

enum cluster_work { share_loads, meeting };

template <int X, int Y, cluster_work = share_loads> struct cluster {
    static constexpr int x = X, y = Y, size = X * Y;
    static_assert(size > 1 && size <= WS_EMULATE_CLUSTER, "a cluster has two to sixteen CTAs");
    static_assert(size == 1 || WS_GPU_CLUSTER_BLOCKS > 1, "this GPU has no clusters");

    static constexpr int count(along a)
    {
        return a == along_x ? X : a == along_y ? Y : a == along_x_and_y ? X + Y - 1 : size;
    }
    /* This CTA's position among the CTAs along a direction.  */
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
    static_assert(sizeof(S) <= WS_GPU_SHARED_BYTES, "a block has no more shared memory: the compiler counted wrong");
    return *reinterpret_cast<S *>(this_cta().shared);
}

template <int N> WS_DEVICE void registers_up()
{
    static_assert(WS_GPU_SETMAXNREG && N > 0, "roles of this GPU exchange no registers");
}
template <int N> WS_DEVICE void registers_down()
{
    static_assert(WS_GPU_SETMAXNREG && N > 0, "roles of this GPU exchange no registers");
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* As large as the barriers on the GPU.  */
template <int D> struct ring {
    uint64_t number;
    uint64_t unused[2 * D - 1];

    void init(const char *name, int groups, int fillers = 1)
    {
        number = (uint64_t)ws_sched_ring(ws_sched_current(), name, D, groups);
        ws_sched_fillers(ws_sched_current(), (int)number, fillers);
    }
    template <typename B, along A> void init(const char *name, int groups)
    {
        init(name, groups);
        ws_sched_share(ws_sched_current(), (int)number, B::mask(A));
    }
};

template <int D, bool TMA = false> struct producer {
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

/* The producer of a ring that CTAs of a cluster share.  In the emulation all CTAs end together.  */
template <int D, bool TMA = false> struct sharer : producer<D, TMA> {
    using producer<D, TMA>::producer;
};

/* The producer of a ring with a storage of M resident slots.  The emulation makes every copy, after the last reader of
   that slot.  */
template <int D, int M, int N, bool TMA = false> struct resident_producer : producer<D, TMA> {
    using producer<D, TMA>::producer;

    template <typename... I> bool wants(I...)
    {
        static_assert(D % M == 0 && sizeof...(I) == N, "each slot has its turn, each coordinate a value");
        for (int other = M; other < D; other += M)
            if (this->index + other >= D)
                ws_sched_await_empty(ws_sched_current(), this->ring_number, this->index + other);
        return true;
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
    /* Releases all slots that were got, except the newest LAG.  */
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
    /* Skips puts for another group.  */
    void skip(int n)
    {
        index += n;
    }
};

/* A condition that is equal in all threads of a warp.  */
static inline bool warp_uniform(bool condition)
{
    return condition;
}

/* ---- ping-pong --------------------------------------------------------------------------------------------------- */

template <int N> struct pingpong {
    uint64_t number;

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

/* ---- role barriers ----------------------------------------------------------------------------------------------- */

/* Two rounds of turns: a group whose second turn comes knows that all others had their first.  */
template <int N, int FIRST = 0> struct role_barrier {
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

/* Each group of the role prints its rows of a tile.  */
template <int N, int FIRST, typename T, int R, int C, layout L, typename... I>
WS_DEVICE void print_rows(role_barrier<N, FIRST> &groups, int group, const char *format, const tile<T, R, C, L> &x,
                          I... at)
{
    char *text;
    size_t bytes;
    x.check("reads");
    FILE *out = open_memstream(&text, &bytes);
    if (group == 0)
        print_head<T>(out, format, R * N, C, at...);
    print_elements(out, x);
    fclose(out);
    ws_sched_show(ws_sched_current(), (int)groups.number, group, text, bytes);
    groups.all(group); /* the rows are printed; the next group prints */
}

/* ---- TMA: in ----------------------------------------------------------------------------------------------------- */

struct map {
    bool usable; /* by TMA */
};

/* A tensor whose out-of-bounds rows cannot influence a store.  */
struct edge_map : map {
    ws_emulate_edge edge;
};

struct filled_map : map {};

inline void prefetch(const map &)
{
}

/* Tiles at the grid's step, whose rows beyond the step cannot influence a store.  */
struct step_map : edge_map {};

inline int rows_brought(const map &, long, int rows)
{
    return rows;
}
inline int rows_brought(const edge_map &m, long row, int)
{
    return ws_emulate_rows_brought(&m.edge, row);
}

inline int rows_there(const map &, long, int rows)
{
    return rows;
}
inline int rows_there(const edge_map &m, long row, int)
{
    return ws_emulate_rows_there(&m.edge, row);
}

/* Rows between the parts of two adjacent sharers.  */
inline int rows_apart(const map &, int rows)
{
    return rows;
}
inline int rows_apart(const step_map &m, int)
{
    return m.edge.rows;
}

template <typename... M> bool by_tma(const M &...maps)
{
    return (... && maps.usable);
}

template <typename P, typename T, int R, int C> struct copy_in_step {
    P from;
    T *to;
    T fill;
    int rows, there;

    /* Sets rows that need not come to bytes of ones, which are NaN.  */
    static void run(void *args, void *)
    {
        copy_in_step *step = (copy_in_step *)args;
        fetch(step->from, step->to, step->rows, C, step->fill);
        memset((void *)(step->to + step->there * C), 0xff, (step->rows - step->there) * C * sizeof(T));
    }
};

/* A program version without the slower copies requires tensors that TMA can load.  */
template <bool TMA, typename M> void check_version(const M &m)
{
    if (TMA && !m.usable)
        ws_sched_fail(ws_sched_current(), "TMA is to load a tensor that does not lie as it has to");
}

template <typename F, int D, bool TMA, typename T, typename M, int R, int C, template <typename, int> class V, int N,
          typename... I>
WS_DEVICE void copy_tile_or(F fill, producer<D, TMA> &p, tile_in_memory<T, R, C> &to, const V<T, N> &t, const M &m,
                            I... i)
{
    constexpr int rank = V<T, N>::rank;
    static_assert(sizeof...(I) == rank, "one coordinate for each dimension");
    long at[rank];
    coordinates(at, (long)i...);
    typedef copy_in_step<decltype(tile_patch<R, C>(t, at)), T, R, C> step;
    ws_sched *s = ws_sched_current();
    const long row = rank > 1 ? at[rank > 1 ? rank - 2 : 0] : 0;
    step what = {tile_patch<R, C>(t, at), to.elements(), element_of<T>(fill), R, rows_there(m, row, R)};
    const bool is_plain = what.from.is_whole(R, C) || (fill == 0 && !t.sliced);
    ws_sched_range range = to.range();
    if (m.usable && is_plain)
        range.bytes = rows_brought(m, row, R) * C * sizeof(T);
    ws_sched_expect(s, p.ring_number, p.index, range.bytes);
    if (m.usable && is_plain)
        ws_sched_copy_in(s, p.ring_number, p.index, range, step::run, &what, sizeof what);
    else
        ws_sched_copy_in_now(s, p.ring_number, p.index, range, step::run, &what);
}

/* Tensors only: a table (table.cuh) has no rank.  */
template <typename F, int D, bool TMA, typename T, typename M, int R, int C, template <typename, int> class V, int N,
          int = V<T, N>::rank, typename... I>
WS_DEVICE void copy_in_or(F fill, producer<D, TMA> &p, tile_in_memory<T, R, C> &to, const V<T, N> &t, const M &m,
                          I... i)
{
    check_version<TMA>(m);
    copy_tile_or(fill, p, to, t, m, i...);
}

template <int D, bool TMA, typename T, typename M, int R, int C, template <typename, int> class V, int N,
          int = V<T, N>::rank, typename... I>
WS_DEVICE void copy_in(producer<D, TMA> &p, tile_in_memory<T, R, C> &to, const V<T, N> &t, const M &m, I... i)
{
    copy_in_or(0, p, to, t, m, i...);
}

static inline int trips(long low, long high, int step)
{
    return low < high ? (int)((high - low + step - 1) / step) : 0;
}

/* A tile for use after a loop: its put is in one of the loop's iterations, or after the loop.  */
template <int PIECES> struct pace {
    int wait;
    bool put;

    explicit pace(int trips) : wait(trips / (PIECES + 1) > 1 ? trips / (PIECES + 1) : 1), put(false)
    {
    }
};
template <int PIECES, int D, bool TMA, typename S, typename T, typename M, typename... I>
WS_DEVICE void bring(pace<PIECES> &p, producer<D, TMA> &ring, S (&slots)[D], const T &t, const M &m, I... i)
{
    if (p.put || --p.wait > 0)
        return;
    copy_in(ring, slots[ring.put()], t, m, i...);
    p.put = true;
}
template <int PIECES, int D, bool TMA, typename S, typename T, typename M, typename... I>
WS_DEVICE void bring_rest(pace<PIECES> &p, producer<D, TMA> &ring, S (&slots)[D], const T &t, const M &m, I... i)
{
    if (!p.put)
        copy_in(ring, slots[ring.put()], t, m, i...);
    ring.put_done();
}

/* Each CTA along A copies an equal share of the rows to all of them.  Without TMA, each CTA copies the whole tile.  */
template <typename B, along A, typename F, int D, bool TMA, typename T, typename M, int R, int C, int N, typename... I>
WS_DEVICE void copy_share_or(F fill, producer<D, TMA> &p, tile_in_memory<T, R, C> &to, const tensor<T, N> &t,
                             const M &m, I... i)
{
    static_assert(sizeof...(I) == N, "one coordinate for each dimension");
    constexpr int rows = R / B::count(A);
    typedef copy_in_step<patch<T>, T, rows, C> step;
    ws_sched *s = ws_sched_current();
    long at[N];
    coordinates(at, (long)i...);
    check_version<TMA>(m);
    if (!m.usable || !(tile_patch<R, C>(t, at).is_whole(R, C) || (fill == 0 && !t.sliced))) {
        copy_tile_or(fill, p, to, t, map{false}, i...);
        ws_sched_tell(s, p.ring_number, p.index, B::mask(A));
        return;
    }
    const int apart = rows_apart(m, rows), first = B::place(A) * apart;
    int brought = 0;
    for (int n = 0; n < B::count(A); n++)
        brought += rows_brought(m, at[N - 2] + n * apart, rows);
    at[N - 2] += first;
    const int mine = rows_brought(m, at[N - 2], rows);
    ws_sched_expect(s, p.ring_number, p.index, brought * C * sizeof(T));
    for (int block = 0; block < B::size; block++) {
        if (!(B::mask(A) >> block & 1))
            continue;
        T *there =
            (T *)((char *)cta_of(block).shared + ((char *)(to.elements() + first * C) - (char *)this_cta().shared));
        step what = {tile_patch<rows, C>(t, at), there, element_of<T>(fill), apart, rows_there(m, at[N - 2], rows)};
        ws_sched_copy_share(s, p.ring_number, p.index, block, {there, mine * C * sizeof(T)}, step::run, &what,
                            sizeof what);
    }
}

template <typename B, along A, int D, bool TMA, typename T, typename M, int R, int C, int N, typename... I>
WS_DEVICE void copy_share(producer<D, TMA> &p, tile_in_memory<T, R, C> &to, const tensor<T, N> &t, const M &m, I... i)
{
    copy_share_or<B, A>(0, p, to, t, m, i...);
}

/* ---- TMA: out ---------------------------------------------------------------------------------------------------- */

/* Buffers of 64 lines of 128 bytes, which boxes of tiles use in turn.  On a GPU each warp has a quarter of a buffer. */
template <typename T, int R, int BLOCKS> struct alignas(1024) output {
    static constexpr int bytes_each = 64 * 128, buffers = R * BLOCKS < 64 ? 1 : R * BLOCKS / 64;
    unsigned char bytes[buffers * bytes_each];
};

/* One group's access to an output.  */
template <typename T, int R, int BLOCKS> class warp_output {
    unsigned char *first;
    int next = 0;

  public:
    typedef output<T, R, BLOCKS> memory;
    static constexpr int line = 128 / (int)sizeof(T), buffers = memory::buffers, bytes_each = memory::bytes_each;
    explicit WS_DEVICE warp_output(memory &o) : first(o.bytes)
    {
    }
    /* The next buffer; for several buffers the first one, since they are contiguous.  */
    WS_DEVICE T *here(int count) const
    {
        return reinterpret_cast<T *>(first + (count == 1 ? next * memory::bytes_each : 0));
    }
    WS_DEVICE void advance(int count)
    {
        next = (count == 1 ? next + 1 : count) % buffers;
    }
};

/* On a GPU a load passes through the buffer in whole lines.  The emulation only marks the buffer as written.  */
template <typename O> WS_DEVICE void pass_through(const O &o)
{
    ws_sched_write_apart(ws_sched_current(), {o.here(1), o.bytes_each});
}
template <int R, int C, layout L, typename E, int SR, int B, typename... Rest>
WS_DEVICE auto load(warp_output<E, SR, B> &o, const Rest &...rest)
{
    pass_through(o);
    return load<R, C, L>(rest...);
}
template <int R, int C, layout L, typename F, typename E, int SR, int B, typename... Rest>
WS_DEVICE auto load_or(F fill, warp_output<E, SR, B> &o, const Rest &...rest)
{
    pass_through(o);
    return load_or<R, C, L>(fill, rest...);
}

/* Stores to memory, or adds to it.  */
template <typename P, typename T, int R, bool ADD> struct copy_out_step {
    P to;
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

/* A box of the tile, or (-1) all boxes.  */
template <typename T, int R, int C, int BOX> struct staged {
    static constexpr int line = 128 / (int)sizeof(T), across = (C + line - 1) / line;
    static constexpr int begin = BOX < 0 ? 0 : BOX, count = BOX < 0 ? (R + 63) / 64 * across : 1;
    T *from;
};

template <typename T, int R, int C, int BOX>
WS_DEVICE const staged<T, R, C, BOX> &coordinates_and_tile(long *, const staged<T, R, C, BOX> &x)
{
    return x;
}

/* Position and size of a box within its tile.  */
template <typename S, int R, int C> struct box_at {
    int row, col, rows, cols;
    explicit WS_DEVICE box_at(int i)
        : row((S::begin + i) / S::across * 64), col((S::begin + i) % S::across * S::line), rows(min(64, R - row)),
          cols(min(S::line, C - col))
    {
    }
};

template <int BOX, typename T, int SR, int BLOCKS, int R, int C, layout L>
WS_DEVICE staged<T, R, C, BOX> stage(warp_output<T, SR, BLOCKS> &o, const tile<T, R, C, L> &x)
{
    typedef staged<T, R, C, BOX> S;
    static_assert(S::count <= o.buffers, "that many buffers");
    const S y = {o.here(S::count)};
    x.check("reads");
    for (int i = 0; i < S::count; i++) {
        T *buffer = y.from + i * o.bytes_each / (int)sizeof(T);
        const box_at<S, R, C> box(i);
        ws_sched_write_apart(ws_sched_current(), {buffer, o.bytes_each});
        for (int r = 0; r < box.rows; r++)
            memcpy(buffer + r * S::line, x.at + (box.row + r) * C + box.col, box.cols * sizeof(T));
        ws_sched_work("stage", (double)o.bytes_each);
    }
    return y;
}
template <typename T, int SR, int BLOCKS, int R, int C, layout L>
WS_DEVICE staged<T, R, C, -1> stage(warp_output<T, SR, BLOCKS> &o, const tile<T, R, C, L> &x)
{
    return stage<-1>(o, x);
}

/* Stores by TMA.  If TMA cannot store the tile, the group stores it, and store_wait counts an empty copy.  */
template <bool ADD, typename V, typename T, int SR, int BLOCKS, int R, int C, int BOX>
WS_DEVICE void leave(warp_output<T, SR, BLOCKS> &o, const V &t, const map &m, const long *at,
                     const staged<T, R, C, BOX> &x)
{
    typedef staged<T, R, C, BOX> S;
    constexpr int bytes = output<T, SR, BLOCKS>::bytes_each, rank = V::rank;
    typedef copy_out_step<decltype(patch_of(t, at, 0, 1, R, C)), T, bytes / 128, ADD> step;
    ws_sched *s = ws_sched_current();
    for (int i = 0; i < S::count; i++) {
        const box_at<S, R, C> box(i);
        T *buffer = x.from + i * bytes / (int)sizeof(T);
        long corner[rank];
        memcpy(corner, at, sizeof corner);
        corner[rank - 2] += box.row;
        corner[rank - 1] += box.col;
        step what = {patch_of(t, corner, rank - 2, rank - 1, box.rows, box.cols), buffer};
        const bool engine = m.usable && !t.sliced;
        if (!engine)
            ws_sched_point(s);
        touch(what.to, ADD ? WS_EMULATE_ADD : engine ? WS_EMULATE_STORE_BY_COPY : WS_EMULATE_STORE);
        if (engine) {
            ws_sched_copy_out(s, {buffer, bytes}, bytes, step::read, step::write, &what, sizeof what);
        } else {
            ws_sched_copy_nothing(s);
            step::write(&what, buffer);
        }
    }
    o.advance(S::count);
}

/* A tile that was not staged: all steps, box by box.  */
template <bool ADD, int BOX = 0, typename V, typename T, int SR, int BLOCKS, int R, int C, layout L>
WS_DEVICE void leave(warp_output<T, SR, BLOCKS> &o, const V &t, const map &m, const long *at, const tile<T, R, C, L> &x)
{
    store_wait<output<T, SR, BLOCKS>::buffers - 1>();
    const auto box = stage<BOX>(o, x);
    fence();
    leave<ADD>(o, t, m, at, box);
    if constexpr (BOX + 1 < (R + 63) / 64 * decltype(box)::across)
        leave<ADD, BOX + 1>(o, t, m, at, x);
}

template <typename T, int R, int BLOCKS, template <typename, int> class V, int N, typename... Rest>
WS_DEVICE void store(warp_output<T, R, BLOCKS> &o, const V<T, N> &t, const map &m, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == V<T, N>::rank + 1, "one coordinate for each dimension, then the tile");
    long at[V<T, N>::rank];
    const auto &x = coordinates_and_tile(at, rest...);
    leave<false>(o, t, m, at, x);
}

template <typename T, int R, int BLOCKS, template <typename, int> class V, int N, typename... Rest>
WS_DEVICE void atomic_add(warp_output<T, R, BLOCKS> &o, const V<T, N> &t, const map &m, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == V<T, N>::rank + 1, "one coordinate for each dimension, then the tile");
    long at[V<T, N>::rank];
    const auto &x = coordinates_and_tile(at, rest...);
    leave<true>(o, t, m, at, x);
}

/* ---- gather: an operand of which each group has some rows -------------------------------------------------------- */

template <typename T, int R, int C, int PART, layout L>
WS_DEVICE shared_view<T, R, C> write_part(tile_in_memory<T, R, C> &to, const tile<T, PART, C, L> &x, long first_row)
{
    ws_sched *s = ws_sched_current();
    T *part = to.elements() + first_row * C;
    x.check("reads");
    ws_sched_point(s);
    ws_sched_write(s, {part, sizeof x.at});
    memcpy(part, x.at, sizeof x.at);
    return view(to);
}

template <typename T, int R, int C, int PART, layout L>
WS_DEVICE void put_rows(tile_in_memory<T, R, C> &to, const tile<T, PART, C, L> &x, long first_row)
{
    write_part(to, x, first_row);
}

template <int G, int FIRST> WS_DEVICE void sync(role_barrier<G, FIRST> &groups, int group)
{
    groups.all(group);
}

/* The caller emits barriers and the fence.  */
template <typename T, int R, int C, int PART, layout L>
WS_DEVICE shared_view<T, R, C> gather(shared_tile<T, R, C> (&to)[1], const tile<T, PART, C, L> &x, long first_row)
{
    return write_part(to[0], x, first_row);
}

/* Two slots that take turns.  */
template <typename T, int R, int C, int PART, layout L>
WS_DEVICE shared_view<T, R, C> gather(shared_tile<T, R, C> (&to)[2], int &turn, const tile<T, PART, C, L> &x,
                                      long first_row)
{
    tile_in_memory<T, R, C> &here = to[turn];
    turn ^= 1;
    return write_part(here, x, first_row);
}

} // namespace ws

#endif
