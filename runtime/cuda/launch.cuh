/* SPDX-License-Identifier: MIT */
/*
 * launch.cuh - the host's side of a kernel: from C pointers and extents to a running grid.
 *
 *   launch call("gemm")          call.tensor(...)  describes an argument, with its checks
 *                                call.place()      keeps device pointers, stages host arrays, checks overlaps
 *                                call.map(...)     makes tensor maps for TMA
 *                                call.grid(...)    sets the tile space
 *                                call.run(...)     launches
 *   ~launch()                    copies stored host arrays back and frees staging memory
 *
 * ws_last_error reports the first failure, with the names of the kernel and the argument.  Calls after a failure do
 * nothing.
 */
#ifndef WS_CUDA_LAUNCH_CUH
#define WS_CUDA_LAUNCH_CUH

#include <limits.h>

#include "../common/costs.h"
#include "../common/steps.h"
#include "arguments.cuh"
#include "cluster.cuh"
#include "encode.cuh"
#include "measure.cuh"
#include "together.cuh"

namespace ws {

static inline long choice_multiprocessors()
{
    int device = 0;
    cudaDeviceProp facts;
    static long known[host::MAX_DEVICES];
    if (cudaGetDevice(&device) != cudaSuccess || device >= host::MAX_DEVICES)
        return WS_HOPPER_PROCESSORS;
    if (!known[device])
        known[device] =
            cudaGetDeviceProperties(&facts, device) == cudaSuccess ? facts.multiProcessorCount : WS_HOPPER_PROCESSORS;
    return known[device];
}

/* The device's name, with underscores for spaces.  */
static inline const char *choice_device()
{
    int device = 0;
    cudaDeviceProp facts;
    static char names[host::MAX_DEVICES][100];
    if (cudaGetDevice(&device) != cudaSuccess || device >= host::MAX_DEVICES) {
        cudaGetLastError();
        return "none";
    }
    char *name = names[device];
    if (!*name && cudaGetDeviceProperties(&facts, device) == cudaSuccess)
        for (int i = 0; i + 1 < (int)sizeof names[0] && facts.name[i]; i++)
            name[i] = facts.name[i] == ' ' ? '_' : facts.name[i];
    return *name ? name : "none";
}

static inline int choice_may_measure()
{
    return ws_devices_current() < 0 && !ws_together_open() && !host::is_capturing();
}

} // namespace ws

#include "../common/choice.cuh"

namespace ws {

namespace host {

/* Blocks of the largest cluster that every device can place.  */
enum { SURE_CLUSTER = 8 };

inline cudaLaunchAttribute cluster_attribute(int cluster)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    return attribute;
}

} // namespace host

/* True if the device can place clusters of `cluster` blocks of a kernel.  Called for sizes above SURE_CLUSTER; the
   result is cached.  */
template <typename P> bool places(void (*kernel)(P), int threads, size_t shared_bytes, int cluster)
{
    const void *function = (const void *)kernel;
    int device = 0, fit = 0;
    if (cudaGetDevice(&device) != cudaSuccess)
        return false;
    int known = host::known_blocks(function, device);
    if (known >= 0)
        return known > 0;
    cudaLaunchAttribute attribute = host::cluster_attribute(cluster);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)cluster);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    bool asked =
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes) == cudaSuccess &&
        cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
        cudaOccupancyMaxActiveClusters(&fit, function, &config) == cudaSuccess;
    if (!asked)
        cudaGetLastError();
    host::know_blocks(function, device, asked ? fit * cluster : 0);
    return asked && fit > 0;
}

enum grid_mode { persistent, one_tile };

/* The range of a grid's variable.  `most`: the largest number of the variable's type, if the range may exceed it.  */
struct range {
    length low, high, step, most = LONG_MAX;
};
/* Coordinates that a tile touches in one dimension: [low, high), moved by by[i] for each unit of the grid's variable
   i.  */
struct rows {
    length low, high;
    long by[4];
};
static const rows whole = {LONG_MIN, 0, {}};
template <typename I> constexpr long most = LONG_MAX;
template <> constexpr long most<int> = INT_MAX;
template <> constexpr long most<unsigned int> = UINT_MAX;

/* ---- one call of one kernel -------------------------------------------------------------------------------------- */

/* Threads of a team: groups that share rows.  */
constexpr int team(int groups)
{
    return 128 * groups;
}

struct launch : call_arguments {
    explicit launch(const char *kernel_name) : call_arguments(kernel_name)
    {
        ws_begin_launch();
        check_device();
    }

    ~launch()
    {
        finish();
        ws_together_leave(launched);
    }

    void prints(ws::prints &p)
    {
        static unsigned launches;
        p.number = (int)(__atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED) % MOST_PRINTING);
    }

    /* Limits the launch to `multiprocessors` multiprocessors.  */
    void share(int multiprocessors)
    {
        only = multiprocessors;
    }

    void place()
    {
        if (failed || !check_overlaps() || !check_devices())
            return;
        enter();
        place_all();
    }

    /* Makes maps for tiles of `rows` rows to load, and for boxes of 16 rows to store.  Loads convert elements to IN. */
    template <typename IN = void, typename T, int N> void map(ws::map &m, const ws::tensor<T, N> &t, int rows)
    {
        static_assert(N >= 2, "a tensor map has at least two dimensions");
        if (failed)
            return;
        argument *a = find((void **)&t.base);
        typedef typename host::map_type_in<IN, T>::type in;
        m.can_load = host::encode<in>(m.load, t, box_rows(rows));
        /* TMA writes units of 16 bytes.  A row that ends inside a unit would overwrite the bytes behind it.  */
        m.can_store = m.can_load && a && (a->how & stored) && (long)t.high[N - 1] * (long)sizeof(T) % 16 == 0 &&
                      host::encode<T>(m.store, t, store_rows) && host::encode<T>(m.store_half, t, store_rows, 64);
        m.can_store_pairs = sizeof(T) == 4 && m.can_store && t.high[N - 1] % 32 == 0 &&
                            host::encode<T>(m.store_pairs, host::in_lines(t), store_rows, 128, 2);
        if (!m.can_load)
            say_slower(a);
    }

    /* Makes maps for tiles whose rows are a box of several dimensions.  */
    template <typename IN = void, typename T, int N, int... E>
    void map(ws::map &m, const ws::tensor<T, N> &t, ws::extents<E...> box)
    {
        if (failed)
            return;
        argument *a = find((void **)&t.base);
        typedef typename host::map_type_in<IN, T>::type in;
        const int rows[] = {E...};
        int of_rows[N - 1];
        for (int d = 0; d < N - 1; d++)
            of_rows[d] = box.of_rows(d);
        m.can_load = host::encode_box<in>(m.load, t, rows, line_bytes<in>);
        m.can_store =
            box.splits && m.can_load && a && (a->how & stored) && (long)t.high[N - 1] * (long)sizeof(T) % 16 == 0 &&
            host::encode_box<T>(m.store, t, of_rows, 128) && host::encode_box<T>(m.store_half, t, of_rows, 64);
        m.can_store_pairs = false;
        if (!m.can_load)
            say_slower(a);
    }

    /* Makes maps for a tensor that is only read.  The last tile has boxes of its own if it has fewer rows and a tile is
       one box.  */
    template <typename IN = void, typename T, int N> void map(ws::edge_map &m, const ws::tensor<T, N> &t, int rows)
    {
        if (failed)
            return;
        typedef typename host::map_type_in<IN, T>::type in;
        m.edge_rows = t.high[N - 2] % rows;
        m.can_load = host::encode<in>(m.load, t, box_rows(rows));
        const bool has_edge = m.can_load && m.edge_rows && rows <= 256 && host::encode<in>(m.edge, t, m.edge_rows);
        m.edge_first = has_edge ? t.high[N - 2] - m.edge_rows : no_edge;
        if (!m.can_load)
            say_slower(find((void **)&t.base));
    }

    /* The same for tiles at a step, each loaded by `sharers` blocks.  */
    template <typename IN = void, typename T, int N>
    void map(ws::step_map &m, const ws::tensor<T, N> &t, int rows, long step, int sharers)
    {
        if (failed)
            return;
        typedef typename host::map_type_in<IN, T>::type in;
        const ws_step_boxes boxes = ws_step_boxes_of(t.high[N - 2], rows, step, sharers, no_edge);
        m.rows = boxes.rows;
        m.edge_rows = boxes.edge_rows;
        m.can_load = host::encode<in>(m.load, t, m.rows);
        const bool has_edge = m.can_load && boxes.first < no_edge && host::encode<in>(m.edge, t, m.edge_rows);
        m.edge_first = has_edge ? (int)boxes.first : no_edge;
        if (!m.can_load)
            say_slower(find((void **)&t.base));
    }

    template <typename IN = void, typename M, typename T, int N, typename... X>
    void map(ws::maps<M> &m, const ws::table<T, N> &t, X... x)
    {
        m.count = t.count;
        m.can_load = !failed;
        for (int i = 0; i < t.count && !failed; i++) {
            ws::tensor<T, N - 1> one = t.shape;
            one.base = t.bases[i];
            map<IN>(m.of[i], one, x...);
            m.can_load = m.can_load && m.of[i].can_load;
        }
    }

    /* Blocks take the next tile when they are free.  */
    template <int N> void schedule(ws::grid<N> &g)
    {
        if (failed)
            return;
        g.tickets = told.tickets >= 0 && told.early ? told.words + told.tickets : host::tickets();
        dynamic = g.tickets != nullptr;
    }

    template <int N> void grid(ws::grid<N> &g, const range (&ranges)[N], tile_order order, int group)
    {
        g.tickets = nullptr;
        g.early = 0;
        set_ranges(g, ranges);
        if (!failed)
            set_order(g, order, group, 1);
        tiles = failed ? 0 : g.total;
    }

    /* The walk begins at the position of x in dimension 0.  */
    template <int N> void from(ws::grid_from<N> &g, long x)
    {
        g.first = failed ? 0 : (int)ws_steps_from(g.low[0], g.step[0], g.count[0], x);
    }

    /* The counts of tiles become counts of clusters, rounded up.  */
    template <int N, int X, int Y, cluster_work W>
    void grid(ws::grid<N, cluster<X, Y, W>> &g, const range (&ranges)[N], tile_order order, int group)
    {
        g.early = 0;
        set_ranges(g, ranges);
        long total = 1;
        for (int d = 0; d < N && !failed; d++) {
            g.tiles[d] = g.count[d];
            g.count[d] = (g.count[d] + g.side(d) - 1) / g.side(d);
            total *= g.count[d];
        }
        if (!failed) {
            g.total = (int)total;
            set_order(g, order, group, g.side(N > 1 ? N - 2 : 0));
        }
        tiles = failed ? 0 : g.total * X * Y;
    }

    /* Records the coordinates that a tile loads or stores, a range for each dimension.  */
    template <typename T, int N, int K>
    void touches(const ws::tensor<T, N> &t, access how, const rows (&of)[K], u32 roles = ~0u)
    {
        argument *a = find((void **)&t.base);
        if (failed || !a || a->empty)
            return;
        ws_rows &to = how == stored ? a->out : a->in;
        to = rows_of(*a, of, K, roles);
    }

    /* For each tensor of a table.  */
    template <typename T, int N, int K>
    void touches(const ws::table<T, N> &t, access how, const rows (&of)[K], u32 roles = ~0u)
    {
        for (int i = 0; i < t.count && !failed; i++) {
            argument *a = find((void **)&t.bases[i]);
            if (a && !a->empty)
                (how == stored ? a->out : a->in) = rows_of(*a, of, K, roles);
        }
    }

    /* `tellers` groups report each tile as done.  Call it after grid() and touches().  */
    template <typename G> void together(ws::together &t, G &g, int tellers, grid_waiting waiting)
    {
        if (failed)
            return;
        t = ws::together{};
        told.dims = dims_of(g);
        for (int d = 0; d < told.dims; d++)
            told.count[d] = tiles_of(g, d);
        for (int i = 0; i < count; i++) {
            in_positions(arguments[i].in, g);
            in_positions(arguments[i].out, g);
        }
        told.share = only;
        told.tellers = tellers;
        told.tiles_wait = waiting == tiles_wait;
        place_of_told = &t;
        early = &g.early;
    }

    template <typename P>
    void run(void (*function)(P), const P &params, int threads, size_t shared_bytes, grid_mode mode, int cluster = 1)
    {
        if (failed || tiles == 0)
            return;
        /* The kernel may start before the end of the previous one; its walk (grid.cuh) waits for that end.  */
        cudaLaunchAttribute attributes[2] = {};
        attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[0].val.programmaticStreamSerializationAllowed = 1;
        attributes[1] = host::cluster_attribute(cluster);
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3((unsigned)tiles);
        config.blockDim = dim3((unsigned)threads);
        config.dynamicSmemBytes = shared_bytes;
        config.stream = host::stream();
        config.attrs = attributes;
        config.numAttrs = cluster > 1 ? 2 : 1;
        int resident = host::known_blocks((const void *)function, device);
        if (resident < 0)
            resident = prepare((const void *)function, config, cluster);
        if (failed)
            return;
        const int all = host::devices[device].multiprocessors;
        /* Beside concurrent grids, a launch with a share has blocks for its multiprocessors only.  Other launches leave
           room for these shares, except under dynamic scheduling, where late blocks begin when blocks of other grids
           end.  */
        if (mode == persistent && only)
            resident = ::max(only / cluster, 1) * cluster;
        else if (mode == persistent && taken && !dynamic)
            resident = ::max(resident * ::max(all - taken, 1) / all / cluster, 1) * cluster;
        if (mode == persistent && resident < tiles)
            config.gridDim.x = (unsigned)resident;
        void *list[] = {const_cast<P *>(&params)};
        if (ws_choosing() == WS_CHOOSING_BY_TIME) {
            measuring::measure(*this, (const void *)function, config, list);
            return;
        }
#ifdef WS_TRACED
        trace::attach(kernel, (int)config.gridDim.x, threads, config.stream);
#endif
        cudaError_t error = cudaLaunchKernelExC(&config, (const void *)function, list);
        if (error != cudaSuccess)
            fail_cuda(error, WS_ERR_LAUNCH, "launch");
        else
            host::remember_kernel(device, kernel);
        launched = !failed;
    }

  private:
    int tiles = 0;
    int only = 0, taken = 0; /* multiprocessors: the share of this launch, and the shares of concurrent launches */
    bool dynamic = false;
    ws_together told = {}; /* this launch in a block of grids that run together */
    ws::together *place_of_told = nullptr;
    int *early = nullptr;
    bool launched = false;

    /* ---- grids that run together ---- */

    static ws_rows rows_of(const argument &a, const rows *of, int told, u32 roles)
    {
        ws_rows to = {1, roles, 0, a.size, {}};
        for (int d = 0; d < a.rank; d++) {
            const bool all = d >= told || of[d].low.value == LONG_MIN;
            const long low = all ? 0 : of[d].low.value, high = all ? a.extent[d] : of[d].high.value;
            const long bytes = a.stride[d] * a.size;
            to.known = to.known && (bytes >= 0 || a.extent[d] <= 1);
            to.low += low * bytes;
            to.width += (high - low - 1) * bytes;
            for (int i = 0; i < 4 && !all; i++)
                to.step[i] += of[d].by[i] * bytes;
        }
        return to;
    }

    template <int N> static int dims_of(const ws::grid<N> &)
    {
        return N;
    }
    template <int N> static int tiles_of(const ws::grid<N> &g, int dim)
    {
        return g.count[dim];
    }
    template <int N, int X, int Y, cluster_work W> static int tiles_of(const ws::grid<N, cluster<X, Y, W>> &g, int dim)
    {
        return g.tiles[dim];
    }

    /* Converts steps by the grid's variables to steps by its positions.  Steps below 0 make the rows unknown.  */
    template <int N> static void in_positions(ws_rows &r, const ws::grid<N> &g)
    {
        for (int d = 0; d < N; d++) {
            r.low += r.step[d] * g.low[d];
            r.step[d] *= g.step[d];
            r.known = r.known && r.step[d] >= 0;
        }
    }

    void enter()
    {
        told.share = only;
        told.kernel = kernel;
        failed = ws_together_enter(&told) != WS_OK;
        taken = told.taken;
        if (failed || !place_of_told)
            return;
        ws::together &t = *place_of_told;
        t.early = *early = told.early;
        t.counters = told.first < 0 || told.silent ? nullptr : told.words + told.first;
        t.nwaits = told.nwaits;
        t.id = (u32)told.id;
        t.system = told.system;
        t.patience = host::patience();
        t.report = host::stuck_report();
        for (int d = 0; d < 4; d++)
            t.weight[d] = told.weight[d];
        for (int i = 0; i < told.nwaits; i++)
            t.waits[i] = waiting_for(told.waits[i]);
    }

    static earlier_tiles waiting_for(const ws_wait &w)
    {
        earlier_tiles e = {w.words + w.first, w.expected, {}, {}, {}, w.low, w.width, {}, w.roles, {}};
        for (int d = 0; d < 4; d++)
            e.by[d] = w.by[d];
        for (int i = 0; i < 2; i++) {
            e.count[i] = w.count[i];
            e.step[i] = w.step[i];
            e.span[i] = w.span[i];
            if (w.step[i])
                e.by_step[i].set(w.step[i]);
        }
        return e;
    }

    /* The program for tensors that TMA cannot load does not wait by tiles, so the grid waits.  */
    void begin_later()
    {
        if (!place_of_told)
            return;
        place_of_told->early = *early = 0;
        if (place_of_told->nwaits)
            ws_together_later_();
        place_of_told->nwaits = 0;
    }

    void say_slower(const argument *a)
    {
        begin_later();
        if (a && !a->empty)
            ws_log_line("ws: %s: %s: base or strides are not multiples of 16 bytes; copied by the slower path", kernel,
                        a->name);
    }

    /* Sets the counts of all dimensions from {low, high, step}.  */
    template <int N> void set_ranges(ws::grid<N> &g, const range (&ranges)[N])
    {
        long total = 1;
        for (int d = 0; d < N && !failed; d++) {
            const long low = ranges[d].low.value, step = ranges[d].step.value;
            const long n = ws_steps(low, ranges[d].high.value, step, ranges[d].most.value);
            if (n < 0) {
                ws_error_set(WS_ERR_ARGUMENT, "%s: grid dimension %d at a step of %ld %s", kernel, d, step,
                             ws_steps_refused(n));
                failed = true;
                return;
            }
            g.low[d] = low;
            g.step[d] = step;
            if (n > 0x3fffffffL || (total > 0 && n > 0x3fffffffL / total)) {
                ws_error_set(WS_ERR_ARGUMENT, "%s: the grid has more than 2^30 tiles", kernel);
                failed = true;
                return;
            }
            g.count[d] = (int)n;
            total *= n;
        }
        g.total = (int)total;
        if (absent && g.total && !failed)
            fail(WS_ERR_ARGUMENT, absent, "the base is null");
    }

    /* Rows of a band, for bands of about `group` rows and equal height.  A remainder of at most a quarter of a band
       makes no band of its own, which would visit all columns for few rows.  */
    static int band_rows(int rows, int group)
    {
        const int bands = ::max((rows - group / 4 + group - 1) / group, 1);
        return (rows + bands - 1) / bands;
    }

    /* Rows of the square that all concurrent tiles cover; a square reads the least memory.  Bands of other heights are
       measured in bench/notes/clusters.md.  */
    int rows_of_square(long row_step, long col_step) const
    {
        const int processors = only ? only : host::devices[device].multiprocessors;
        return (int)::sqrt((double)processors * (double)row_step * (double)col_step);
    }

    /* `group` counts tiles; one position of the row dimension stands for `side` tiles.  */
    template <int N> void set_order(ws::grid<N> &g, tile_order order, int group, int side)
    {
        g.group = 1;
        if (N > 1) {
            long rows_step = g.step[N > 1 ? N - 2 : 0] * side, cols_step = g.step[N - 1];
            const int rows = g.count[N > 1 ? N - 2 : 0];
            if (order == order_column)
                g.group = rows;
            else if (order == order_grouped)
                g.group = band_rows(rows, ::max(group / side, 1));
            else if (order == order_auto && rows_step > side && cols_step > 1)
                g.group = band_rows(rows, ::max((int)(rows_of_square(rows_step / side, cols_step) / rows_step), 1));
            if (g.group < 1)
                g.group = 1;
        }
        if (g.total)
            g.set_divisors();
    }

    /* Returns the number of blocks that the device holds at once.  Called once for each kernel and device.  */
    int prepare(const void *function, const cudaLaunchConfig_t &config, int cluster)
    {
        int fit = 0, threads = (int)config.blockDim.x;
        cudaError_t error =
            cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)config.dynamicSmemBytes);
        if (error == cudaSuccess && cluster > host::SURE_CLUSTER)
            error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (error == cudaSuccess && cluster > 1)
            error = cudaOccupancyMaxActiveClusters(&fit, function, &config);
        else if (error == cudaSuccess)
            error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, function, threads, config.dynamicSmemBytes);
        int blocks = fit * (cluster > 1 ? cluster : host::devices[device].multiprocessors);
        if (error != cudaSuccess) {
            fail_cuda(error, WS_ERR_LAUNCH, "preparing the launch");
        } else if (fit < 1 && cluster > 1) {
            ws_error_set(WS_ERR_LAUNCH,
                         "%s: no %d blocks of a cluster, each of %ld bytes of shared memory and %d threads, "
                         "fit the device together",
                         kernel, cluster, (long)config.dynamicSmemBytes, threads);
            failed = true;
        } else if (fit < 1) {
            ws_error_set(WS_ERR_LAUNCH, "%s: %ld bytes of shared memory and %d threads do not fit a multiprocessor",
                         kernel, (long)config.dynamicSmemBytes, threads);
            failed = true;
        } else {
            host::know_blocks(function, device, blocks);
        }
        return blocks;
    }
};

} // namespace ws

#endif
