/* SPDX-License-Identifier: MIT */
/*
 * launch.cuh - the host's side of the emitted text.
 */
#ifndef WS_EMULATE_LAUNCH_CUH
#define WS_EMULATE_LAUNCH_CUH

#include <limits.h>
#include <ws/backend.h>

#include "../common/costs.h"
#include "grid.cuh"
#include "table.cuh"

namespace ws {
/* As on the GPU that kernels are tuned for.  */
static inline long choice_multiprocessors()
{
    return WS_HOPPER_PROCESSORS;
}
static inline const char *choice_device()
{
    return "emulation";
}
static inline int choice_may_measure()
{
    return ws_devices_current() < 0 && !ws_together_open();
}
} // namespace ws

#include "../common/choice.cuh"

#define WS_KERNEL(threads, blocks)
#define WS_PARAMS(type) const type &

namespace ws {

enum use {
    loaded = WS_EMULATE_LOADED,
    stored = WS_EMULATE_STORED,
    loaded_and_stored = WS_EMULATE_LOADED | WS_EMULATE_STORED
};
enum row_stride { any_stride = 0, leading_dimension = WS_EMULATE_ROW_STRIDE };
enum run_mode { one_tile, persistent };

/* Any integer of the caller, also inside braces.  */
struct integer {
    long value;
    template <typename I> integer(I x) : value((long)x)
    {
    }
};

/* Address of element n of an array, for a tensor that begins there.  */
template <typename T> const void *element(const void *base, integer n)
{
    return base ? (const T *)base + n.value : base;
}

/* The range of a grid's variable.  `most`: the largest number of the variable's type, if the range may exceed it.  */
struct range {
    integer low, high, step, most = LONG_MAX;
};
template <typename I> constexpr long most = LONG_MAX;
template <> constexpr long most<int> = INT_MAX;
template <> constexpr long most<unsigned int> = UINT_MAX;

/* Coordinates that a tile touches in one dimension: [low, high), moved by by[i] for each unit of the grid's variable
   i.  */
struct rows {
    integer low, high;
    long by[4];
};
static const rows whole = {LONG_MIN, 0, {}};

enum grid_waiting { grid_waits, tiles_wait };
struct together {};
template <bool TMA, unsigned ROLES = ~0u, typename W> static void await_tiles(const together &, const W &)
{
    ws_emulate_await_tiles(ws_sched_current(), ROLES);
}
struct telling {
    template <typename W> void tile_done(const together &, const W &)
    {
        ws_emulate_tile_done(ws_sched_current());
    }
    void tell(const together &)
    {
        ws_emulate_tell_tiles(ws_sched_current());
    }
};
static inline void leave(const together &)
{
}

template <typename P> struct kernel_call {
    void (*kernel)(const P &);
    const P *params;

    static void run(void *arg)
    {
        ((kernel_call *)arg)->kernel(*((kernel_call *)arg)->params);
    }
};

/* The emulation can place clusters of any size.  */
template <typename P> bool places(void (*)(const P &), int, size_t, int)
{
    return true;
}

/* Threads of a team, which is one group in the emulation.  */
constexpr int team(int)
{
    return 128;
}

struct launch {
    ws_emulate_launch state;
    long tiles;

    explicit launch(const char *kernel) : tiles(0)
    {
        ws_emulate_begin(&state, kernel);
    }
    ~launch()
    {
        ws_emulate_end(&state);
    }
    launch(const launch &) = delete;
    launch &operator=(const launch &) = delete;

    void prints(ws::prints &p)
    {
        p.launch = &state;
    }

    /* The number of CTAs does not depend on the share.  */
    void share(int)
    {
    }

    template <typename T, int N>
    void tensor(ws::tensor<T, N> &ref, const char *name, const void *base, const integer (&extents)[N],
                const integer (&strides)[N], use how, row_stride rows = any_stride)
    {
        ws_emulate_tensor t = {name, (char *)base, (int)sizeof(T), N, {}, {}, how | rows, false, {}, {}, &ref};
        ref = ws::tensor<T, N>();
        ref.base = (T *)base;
        for (int i = 0; i < N; i++) {
            t.extent[i] = ref.high[i] = extents[i].value;
            t.stride[i] = ref.stride[i] = strides[i].value;
        }
        ref.base = (T *)ws_emulate_resident(&state, &t);
        ws_emulate_use_tensor(&state, &t);
    }

    /* The tensor before this call is of the array of `first`; its dimensions may have another order.  */
    template <typename T, int N> void again(const ws::tensor<T, N> &first)
    {
        ws_emulate_again(&state, &first);
    }

    /* Memory for the tiles' results of a reduction over the grid.  */
    void *numbers(const void *total, long count, size_t)
    {
        return ws_total_room_(total, count);
    }

    /* extents[0] pointers, each the base of a tensor of the other extents.  */
    template <typename T, int N>
    void table(ws::table<T, N> &ref, const char *name, const void *bases, const integer (&extents)[N],
               const integer (&strides)[N], use how, row_stride rows = any_stride)
    {
        ref = ws::table<T, N>();
        ref.count = extents[0].value;
        if (ref.count < 0 || ref.count > most_pointers) {
            ws_emulate_fail(&state, WS_ERR_UNSUPPORTED, "%s: %s: %ld pointers, and a kernel chooses among up to %d",
                            state.kernel, name, ref.count, most_pointers);
            return;
        }
        if (!bases && ref.count) {
            ws_emulate_fail(&state, WS_ERR_ARGUMENT, "%s: %s: the array of pointers is null", state.kernel, name);
            return;
        }
        typedef const integer rest[N - 1];
        for (long i = 0; i < ref.count; i++) {
            tensor(ref.shape, name, ((const void *const *)bases)[i], *(rest *)(extents + 1), *(rest *)(strides + 1),
                   how, rows);
            ref.bases[i] = ref.shape.base;
            ws_emulate_of_table(&state);
        }
    }

    void place()
    {
        ws_emulate_place(&state);
    }

    template <typename IN = void, typename T, int N> void map(ws::map &ref, const ws::tensor<T, N> &of, int)
    {
        ws_emulate_tensor t = {nullptr, (char *)of.base, (int)sizeof(T), N, {}, {}, 0, false, {}, {}, nullptr};
        for (int i = 0; i < N; i++) {
            t.extent[i] = of.high[i];
            t.stride[i] = of.stride[i];
        }
        ref.usable = ws_emulate_map(&state, &t);
    }

    template <typename IN = void, typename T, int N, int... E>
    void map(ws::map &ref, const ws::tensor<T, N> &of, ws::extents<E...>)
    {
        map<IN>(ref, of, (E * ...));
    }

    template <typename IN = void, typename T, int N> void map(ws::edge_map &ref, const ws::tensor<T, N> &of, int rows)
    {
        map<IN>(static_cast<ws::map &>(ref), of, rows);
        ref.edge = ws_emulate_edge_of(of.high[N - 2], rows);
    }

    template <typename IN = void, typename T, int N>
    void map(ws::step_map &ref, const ws::tensor<T, N> &of, int rows, long step, int sharers)
    {
        map<IN>(static_cast<ws::map &>(ref), of, rows);
        ref.edge = ws_emulate_step_of(of.high[N - 2], rows, step, sharers);
    }

    template <typename IN = void, typename M, typename T, int N, typename... X>
    void map(ws::maps<M> &ref, const ws::table<T, N> &of, X... x)
    {
        ref.count = of.count;
        ref.usable = true;
        for (long i = 0; i < of.count; i++) {
            ws::tensor<T, N - 1> t = of.shape;
            t.base = of.bases[i];
            map<IN>(ref.of[i], t, x...);
            ref.usable = ref.usable && ref.of[i].usable;
        }
    }

    /* Tiles go to CTAs in a fixed order: no dynamic scheduling is needed.  */
    template <int N> void schedule(ws::grid<N> &)
    {
    }

    template <int N, typename B> void grid(ws::grid<N, B> &ref, const range (&dims)[N], tile_order order, int group)
    {
        static_cast<ws_emulate_grid &>(ref) = {};
        for (int i = 0; i < N; i++)
            ws_emulate_grid_add(&state, &ref, dims[i].low.value, dims[i].high.value, dims[i].step.value,
                                dims[i].most.value);
        if constexpr (B::size > 1)
            ws_emulate_grid_cluster(&ref, B::x, B::y);
        const long rows = N > 1 ? ref.count[N > 1 ? N - 2 : 0] : 1;
        ref.band = order == order_column ? rows : order == order_grouped && group >= B::x ? group / B::x : 1;
        tiles = ref.total;
    }

    template <int N> void from(ws::grid_from<N> &ref, long x)
    {
        ws_emulate_grid_from(&ref, x);
    }

    template <typename T, int N, int K>
    void touches(const ws::tensor<T, N> &t, use how, const rows (&of)[K], unsigned roles = ~0u)
    {
        ws_emulate_rows told[K];
        for (int i = 0; i < K; i++) {
            told[i] = {of[i].low.value == LONG_MIN, of[i].low.value, of[i].high.value, {}};
            for (int d = 0; d < 4; d++)
                told[i].by[d] = of[i].by[d];
        }
        ws_emulate_touches(&state, &t, how, told, K, roles);
    }

    /* For each tensor of a table.  */
    template <typename T, int N, int K>
    void touches(const ws::table<T, N> &t, use how, const rows (&of)[K], unsigned roles = ~0u)
    {
        touches(t.shape, how, of, roles);
    }

    template <int N, typename B>
    void together(ws::together &, const ws::grid<N, B> &grid, int tellers, grid_waiting waiting)
    {
        ws_emulate_together(&state, &grid, tellers, waiting == tiles_wait);
    }

    template <typename P>
    void run(void (*kernel)(const P &), const P &p, int threads, size_t shared_bytes, run_mode mode, int cluster = 1)
    {
        kernel_call<P> call = {kernel, &p};
        if (shared_bytes > WS_GPU_SHARED_BYTES)
            ws_emulate_fail(&state, WS_ERR_LAUNCH,
                            "%s: %zu bytes of shared memory are more than the %d of a block of %s", state.kernel,
                            shared_bytes, WS_GPU_SHARED_BYTES, WS_GPU_NAME);
        ws_emulate_run(&state, call.run, &call, threads, shared_bytes, tiles, mode == persistent, cluster);
    }
};

} // namespace ws

#endif
