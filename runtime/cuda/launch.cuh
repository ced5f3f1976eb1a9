/* SPDX-License-Identifier: MIT */
/*
 * launch.cuh - the host's side of a kernel: from C pointers and extents to a running grid.
 *
 *   launch call("gemm")          call.tensor(...)  describes an argument, with its checks
 *                                call.place()      device pointers stay; host arrays are staged; overlaps are checked
 *                                call.map(...)     tensor maps for TMA
 *                                call.grid(...)    the tile space
 *                                call.run(...)     launches
 *   ~launch()                    copies stored host arrays back and frees
 *
 * The first failure is kept for ws_last_error, with the kernel's and the argument's name, and the calls after it do
 * nothing.
 */
#ifndef WS_CUDA_LAUNCH_CUH
#define WS_CUDA_LAUNCH_CUH

#include <limits.h>
#include <stdlib.h>

#include "../common/steps.h"
#include "cluster.cuh"
#include "device.cuh"
#include "table.cuh"
#include "tensor.cuh"
#include "together.cuh"

namespace ws {

static inline long choice_multiprocessors()
{
    int device = 0;
    cudaDeviceProp facts;
    static long known[host::MAX_DEVICES];
    if (cudaGetDevice(&device) != cudaSuccess || device >= host::MAX_DEVICES)
        return 132;
    if (!known[device])
        known[device] = cudaGetDeviceProperties(&facts, device) == cudaSuccess ? facts.multiProcessorCount : 132;
    return known[device];
}

/* Its name, in one word.  */
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

/* Blocks of a cluster that every device places.  */
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

/* Does the device place clusters of so many blocks of a kernel, more than all do?  Found out once.  */
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

enum access { loaded = 1, stored = 2, loaded_and_stored = 3 };
enum grid_mode { persistent, one_tile };

namespace host {

/* ---- the driver's maker of tensor maps --------------------------------------------------------------------------- */

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
inline encode_tiled encoder;

inline encode_tiled find_encoder()
{
    if (!encoder) {
        void *function = nullptr;
        cudaDriverEntryPointQueryResult result;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result) !=
                cudaSuccess ||
            result != cudaDriverEntryPointSuccess)
            cudaGetLastError();
        else
            encoder = (encode_tiled)function;
    }
    return encoder;
}

/* What a thread's launches have for the tiles' numbers of sums over grids; it stays.  */
struct room {
    void *memory;
    size_t bytes;
};
inline thread_local room rooms[MAX_DEVICES];

/* ---- element types as the driver names them ---------------------------------------------------------------------- */

template <typename T> struct map_type;
template <> struct map_type<f16> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
};
template <> struct map_type<bf16> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};
template <> struct map_type<e4m3> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_UINT8;
};
template <> struct map_type<e5m2> : map_type<e4m3> {
};
template <> struct map_type<signed char> : map_type<e4m3> {
};
template <> struct map_type<unsigned char> : map_type<e4m3> {
};
template <> struct map_type<short> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_UINT16;
};
template <> struct map_type<float> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
};
template <> struct map_type<tf32> { /* the engine rounds */
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
};
template <> struct map_type<int> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_INT32;
};
template <> struct map_type<long> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_INT64;
};
template <> struct map_type<double> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
};
template <typename T, int LINE> struct map_type<lined<T, LINE>> : map_type<T> {
};
template <typename IN, typename T> struct map_type_in {
    typedef IN type;
};
template <typename T> struct map_type_in<void, T> {
    typedef T type;
};

} // namespace host

/* An extent, bound or stride, from any integer type.  */
struct length {
    long value;
    template <typename I> length(I x) : value((long)x)
    {
    }
};
/* What a grid's variable counts through; `most`: the largest number of its type, where that may be too few.  */
struct range {
    length low, high, step, most = LONG_MAX;
};
/* What a tile touches of a dimension: from low to high, each further by so much for each of the grid's variables.  */
struct rows {
    length low, high;
    long by[4];
};
static const rows whole = {LONG_MIN, 0, {}};
template <typename I> constexpr long most = LONG_MAX;
template <> constexpr long most<int> = INT_MAX;
template <> constexpr long most<unsigned int> = UINT_MAX;

/* ---- one call of one kernel -------------------------------------------------------------------------------------- */

/* Threads of so many groups that share rows.  */
constexpr int team(int groups)
{
    return 128 * groups;
}

struct launch {
    static constexpr int max_tensors = 64;

    explicit launch(const char *kernel_name) : kernel(kernel_name), failed(false), count(0), buffers(0), device(0)
    {
        ws_begin_launch();
        check_device();
    }

    ~launch()
    {
        finish();
        ws_together_leave(launched);
    }

    /* On so many multiprocessors.  */
    void share(int multiprocessors)
    {
        only = multiprocessors;
    }

    template <typename T, int N>
    void tensor(ws::tensor<T, N> &t, const char *name, const void *base, const length (&extents)[N],
                const length (&strides)[N], access how)
    {
        if (failed)
            return;
        argument &a = arguments[count];
        if (count == max_tensors) {
            fail(WS_ERR_UNSUPPORTED, name, "more than %d tensors", max_tensors);
            return;
        }
        a.name = name;
        a.begin = (char *)const_cast<void *>(base);
        a.size = sizeof(T);
        a.rank = N;
        a.how = how;
        a.placed = (void **)&t.base;
        a.empty = a.listed = false;
        a.in = a.out = ws_rows{};
        a.buffer = -1;
        long last = 0;
        for (int d = 0; d < N; d++)
            a.empty = a.empty || extents[d].value == 0;
        for (int d = 0; d < N; d++) {
            long extent = extents[d].value, stride = strides[d].value;
            if (extent < 0 || extent > 0x7fffffffL) {
                fail(WS_ERR_ARGUMENT, name, "extent %ld of dimension %d is not between 0 and 2^31-1", extent, d);
                return;
            }
            if (!a.empty &&
                (stride < 0 || (stride && extent > 1 && (extent - 1) > (0x7fffffffffffL - last) / stride))) {
                fail(WS_ERR_ARGUMENT, name, "stride %ld of dimension %d is negative or too large", stride, d);
                return;
            }
            t.stride[d] = stride;
            t.origin[d] = t.low[d] = 0;
            t.high[d] = (int)extent;
            a.extent[d] = extent;
            a.stride[d] = stride;
            last += a.empty ? 0 : (extent - 1) * stride;
        }
        a.end = a.empty ? a.begin : a.begin + (last + 1) * (long)sizeof(T);
        if (!a.empty && ws_data_find_(kernel, name, &a.begin, a.end, how & stored) != WS_OK) {
            failed = true;
            return;
        }
        a.end = a.empty ? a.begin : a.begin + (last + 1) * (long)sizeof(T);
        t.base = (T *)a.begin;
        if (N > 1 && strides[N - 1].value != 1 && extents[N - 1].value > 1)
            fail(WS_ERR_ARGUMENT, name, "the innermost stride is %ld, not 1", strides[N - 1].value);
        else if (!base && !a.empty)
            fail(WS_ERR_ARGUMENT, name, "the base is null");
        else if ((size_t)a.begin % sizeof(T) != 0)
            fail(WS_ERR_ARGUMENT, name, "the base is not aligned to its element of %d bytes", (int)sizeof(T));
        count++;
    }

    /* Memory for the tiles' numbers of a sum over the grid, which the caller reads before it launches again.  */
    void *numbers(const void *total, long count, size_t bytes)
    {
        if (failed || count <= 0)
            return nullptr;
        host::room &room = host::rooms[device];
        if (!numbers_used && room.bytes < (size_t)count * bytes) {
            cudaFree(room.memory);
            room.bytes = ::max((size_t)count * bytes, (size_t)65536);
            if (cudaMalloc(&room.memory, room.bytes) != cudaSuccess) {
                cudaGetLastError();
                room.memory = nullptr;
                room.bytes = 0;
            }
        }
        const size_t begin = numbers_used;
        if (room.bytes < begin + (size_t)count * bytes)
            return ws_total_room_(total, count);
        numbers_used = begin + ((size_t)count * bytes + 255) / 256 * 256;
        ws_total_lend_(total, (char *)room.memory + begin, count);
        return (char *)room.memory + begin;
    }

    /* extents[0] pointers, of which each is the base of a tensor of the other extents.  */
    template <typename T, int N>
    void table(ws::table<T, N> &t, const char *name, const void *bases, const length (&extents)[N],
               const length (&strides)[N], access how)
    {
        const long n = extents[0].value;
        t.count = 0;
        if (failed)
            return;
        if (n < 0 || n > most_pointers) {
            fail(WS_ERR_UNSUPPORTED, name, "%ld pointers, and a kernel chooses among up to %d", n, most_pointers);
            return;
        }
        if (!bases && n) {
            fail(WS_ERR_ARGUMENT, name, "the array of pointers is null");
            return;
        }
        typedef const length rest[N - 1];
        for (int i = 0; i < n && !failed; i++) {
            tensor(t.shape, name, ((const void *const *)bases)[i], *(rest *)(extents + 1), *(rest *)(strides + 1), how);
            t.bases[i] = t.shape.base;
            if (!failed) {
                arguments[count - 1].placed = (void **)&t.bases[i];
                arguments[count - 1].listed = true;
            }
        }
        t.count = (int)n;
    }

    void place()
    {
        if (failed || !check_overlaps() || !check_devices())
            return;
        enter();
        for (int i = 0; i < count && !failed; i++)
            if (!arguments[i].empty)
                place_argument(i);
        check_capture();
        for (int b = 0; b < buffers && !failed; b++)
            if (staged[b].begin)
                fill_buffer(staged[b]);
        for (int i = 0; i < count && !failed; i++)
            if (arguments[i].buffer >= 0)
                *arguments[i].placed =
                    staged[arguments[i].buffer].copy + (arguments[i].begin - staged[arguments[i].buffer].begin);
    }

    /* For tiles of `rows` rows to copy in, and boxes of 16 rows to copy out.  Elements become IN as they are copied
       in. */
    template <typename IN = void, typename T, int N> void map(ws::map &m, const ws::tensor<T, N> &t, int rows)
    {
        static_assert(N >= 2, "a tensor map has at least two dimensions");
        if (failed)
            return;
        argument *a = find((void **)&t.base);
        typedef typename host::map_type_in<IN, T>::type in;
        m.can_load = encode<in>(m.load, t, box_rows(rows));
        /* The engine writes whole 16 bytes: a row that ends within them would run into what follows.  */
        m.can_store = m.can_load && a && (a->how & stored) && (long)t.high[N - 1] * (long)sizeof(T) % 16 == 0 &&
                      encode<T>(m.store, t, store_rows) && encode<T>(m.store_half, t, store_rows, 64);
        m.can_store_pairs = sizeof(T) == 4 && m.can_store && t.high[N - 1] % 32 == 0 &&
                            encode<T>(m.store_pairs, in_lines(t), store_rows, 128, 2);
        if (!m.can_load)
            say_slower(a);
    }

    /* For tiles of boxes.  */
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
        m.can_load = encode_box<in>(m.load, t, rows, line_bytes<in>);
        m.can_store = box.splits && m.can_load && a && (a->how & stored) &&
                      (long)t.high[N - 1] * (long)sizeof(T) % 16 == 0 && encode_box<T>(m.store, t, of_rows, 128) &&
                      encode_box<T>(m.store_half, t, of_rows, 64);
        m.can_store_pairs = false;
        if (!m.can_load)
            say_slower(a);
    }

    /* Of a tensor that is only read.  The last tile's rows have boxes of their own where they are fewer, and tiles are
       one box. */
    template <typename IN = void, typename T, int N> void map(ws::edge_map &m, const ws::tensor<T, N> &t, int rows)
    {
        if (failed)
            return;
        typedef typename host::map_type_in<IN, T>::type in;
        m.edge_rows = t.high[N - 2] % rows;
        m.can_load = encode<in>(m.load, t, box_rows(rows));
        const bool has_edge = m.can_load && m.edge_rows && rows <= 256 && encode<in>(m.edge, t, m.edge_rows);
        m.edge_first = has_edge ? t.high[N - 2] - m.edge_rows : no_edge;
        if (!m.can_load)
            say_slower(find((void **)&t.base));
    }

    /* The same of tiles at a step, each brought by `sharers` blocks.  */
    template <typename IN = void, typename T, int N>
    void map(ws::clipped_map &m, const ws::tensor<T, N> &t, int rows, long step, int sharers)
    {
        if (failed)
            return;
        typedef typename host::map_type_in<IN, T>::type in;
        const ws_step_boxes boxes = ws_step_boxes_of(t.high[N - 2], rows, step, sharers, no_edge);
        m.rows = boxes.rows;
        m.edge_rows = boxes.edge_rows;
        m.can_load = encode<in>(m.load, t, m.rows);
        const bool has_edge = m.can_load && boxes.first < no_edge && encode<in>(m.edge, t, m.edge_rows);
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

    /* Rows as lines of 32 numbers.  */
    template <typename T, int N> static ws::tensor<T, N + 1> in_lines(const ws::tensor<T, N> &t)
    {
        ws::tensor<T, N + 1> lines = {t.base};
        for (int d = 0; d < N; d++) {
            lines.stride[d] = t.stride[d];
            lines.high[d] = t.high[d];
        }
        lines.stride[N - 1] = lines.high[N] = 32;
        lines.high[N - 1] = t.high[N - 1] / 32;
        lines.stride[N] = 1;
        return lines;
    }

    /* Tiles go to whoever wants one.  */
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

    /* The counts become those of clusters, rounded up.  */
    template <int N, int X, int Y>
    void grid(ws::grid<N, cluster<X, Y>> &g, const range (&ranges)[N], tile_order order, int group)
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

    /* What a tile touches: of each dimension so many coordinates from `low` on, which move on with the grid's
       variables.  */
    template <typename T, int N, int K>
    void touches(const ws::tensor<T, N> &t, access how, const rows (&of)[K], u32 roles = ~0u)
    {
        argument *a = find((void **)&t.base);
        if (failed || !a || a->empty)
            return;
        ws_rows &to = how == stored ? a->out : a->in;
        to = rows_of(*a, of, K, roles);
    }

    /* Of a table: of each of its tensors.  */
    template <typename T, int N, int K>
    void touches(const ws::table<T, N> &t, access how, const rows (&of)[K], u32 roles = ~0u)
    {
        for (int i = 0; i < t.count && !failed; i++) {
            argument *a = find((void **)&t.bases[i]);
            if (a && !a->empty)
                (how == stored ? a->out : a->in) = rows_of(*a, of, K, roles);
        }
    }

    /* So many groups say that a tile is done.  Behind the grid and what tiles touch.  */
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
        /* It may start before the kernel before it has ended; start() waits for that.  */
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
        /* Beside others: blocks on so many multiprocessors; of tiles that go to whoever wants one, some blocks begin
           when others' end. */
        if (mode == persistent && only)
            resident = ::max(only / cluster, 1) * cluster;
        else if (mode == persistent && taken && !dynamic)
            resident = ::max(resident * ::max(all - taken, 1) / all / cluster, 1) * cluster;
        if (mode == persistent && resident < tiles)
            config.gridDim.x = (unsigned)resident;
        void *list[] = {const_cast<P *>(&params)};
        if (ws_choosing() == WS_CHOOSING_BY_TIME) {
            measure((const void *)function, config, list);
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
    /* ---- measuring, for the choice among variants ---- */

    struct saved {
        char *at, *copy;
        size_t bytes;
        bool on_host;
    };

    /* Device memory that the kernel stores: of host arrays their copies.  */
    bool save(saved *all, int &n)
    {
        for (int i = 0; i < count && !failed; i++) {
            const argument &a = arguments[i];
            if (!(a.how & stored) || a.empty)
                continue;
            saved s = {(char *)*a.placed, nullptr, (size_t)(a.end - a.begin), false};
            if (cudaMalloc(&s.copy, s.bytes) != cudaSuccess) {
                cudaGetLastError();
                s.on_host = true;
                s.copy = (char *)malloc(s.bytes);
            }
            if (!s.copy) {
                ws_log_line("ws: %s: no memory for a copy of %s: its variants are not measured", kernel, a.name);
                return false;
            }
            all[n++] = s;
            cudaMemcpyAsync(s.copy, s.at, s.bytes, cudaMemcpyDefault, host::stream());
        }
        return true;
    }

    void restore(const saved *all, int n)
    {
        for (int i = 0; i < n; i++)
            cudaMemcpyAsync(all[i].at, all[i].copy, all[i].bytes, cudaMemcpyDefault, host::stream());
    }

    /* Microseconds of a launch; -1: it failed.  With a graph, of each of its launches.  */
    double time_once(const void *function, const cudaLaunchConfig_t &config, void **list, cudaEvent_t *events,
                     cudaGraphExec_t graph = nullptr, int launches = 1)
    {
        float ms = -1;
        cudaEventRecord(events[0], config.stream);
        cudaError_t error =
            graph ? cudaGraphLaunch(graph, config.stream) : cudaLaunchKernelExC(&config, function, list);
        cudaEventRecord(events[1], config.stream);
        if (error == cudaSuccess)
            error = cudaEventSynchronize(events[1]);
        if (error == cudaSuccess)
            error = cudaEventElapsedTime(&ms, events[0], events[1]);
        return error == cudaSuccess ? 1e3 * ms / launches : -1;
    }

    /* So many launches in a row, which cost the host one.  */
    static cudaGraphExec_t captured(const void *function, cudaLaunchConfig_t config, void **list, int launches)
    {
        cudaStream_t stream = nullptr;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
            return nullptr;
        config.stream = stream;
        bool right = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
        for (int i = 0; i < launches && right; i++)
            right = cudaLaunchKernelExC(&config, function, list) == cudaSuccess;
        if (cudaStreamEndCapture(stream, &graph) != cudaSuccess || !right ||
            cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess)
            ready = nullptr;
        if (graph)
            cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
        cudaGetLastError();
        return ready;
    }

    /* Does the kernel read what it stores, so that each launch needs the memory as it was?  */
    bool reads_stored() const
    {
        bool reads = false;
        for (int i = 0; i < count; i++)
            reads = reads || (arguments[i].how == loaded_and_stored && !arguments[i].empty);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++)
                reads = reads || ((arguments[i].how | arguments[j].how) == loaded_and_stored &&
                                  arguments[i].begin < arguments[j].end && arguments[j].begin < arguments[i].end);
        return reads;
    }

    static double median(double *x, int n)
    {
        for (int i = 1; i < n; i++)
            for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
                const double y = x[j];
                x[j] = x[j - 1];
                x[j - 1] = y;
            }
        return x[n / 2];
    }

    /* The median of some launches, or of graphs of them where one is short, as programs launch what is worth it.  Each
       finds the memory as the caller left it, and so does the caller.  */
    void measure(const void *function, const cudaLaunchConfig_t &config, void **list)
    {
        enum { MOST = 31, LEAST = 7, MOST_LAUNCHES = 60 };
        const double enough = 30e3, one_turn = 400;
        saved all[max_tensors];
        double times[MOST], spent = 0, once = -1;
        cudaEvent_t events[2] = {};
        cudaGraphExec_t graph = nullptr;
        int n = 0, done = 0, launches = 1;
        bool known = save(all, n) && cudaEventCreate(&events[0]) == cudaSuccess &&
                     cudaEventCreate(&events[1]) == cudaSuccess && time_once(function, config, list, events) > 0;
        const bool again = reads_stored();
        if (known && !again && (once = time_once(function, config, list, events)) > 0 && once < one_turn) {
            launches = ::min((int)(one_turn / once) + 1, (int)MOST_LAUNCHES);
            graph = captured(function, config, list, launches);
            launches = graph ? launches : 1;
            known = time_once(function, config, list, events, graph, launches) > 0;
        }
        for (; known && done < MOST && (done < LEAST || spent < enough); done++) {
            if (again)
                restore(all, n);
            times[done] = time_once(function, config, list, events, graph, launches);
            spent += times[done] * launches;
            known = times[done] > 0;
        }
        restore(all, n);
        cudaStreamSynchronize(config.stream);
        if (graph)
            cudaGraphExecDestroy(graph);
        for (int i = 0; i < n; i++)
            all[i].on_host ? free(all[i].copy) : (void)cudaFree(all[i].copy);
        for (cudaEvent_t event : events)
            if (event)
                cudaEventDestroy(event);
        cudaGetLastError();
        ws_choice_tell(known ? median(times, done) : -1);
    }

    struct argument {
        const char *name;
        char *begin, *end;
        long extent[4], stride[4];
        int size, rank;
        access how;
        bool empty;
        bool listed;     /* an element of an array of pointers */
        ws_rows in, out; /* what a tile touches */
        int buffer;      /* index in staged, or -1 */
        void **placed;   /* where the device address goes */
    };
    /* Host ranges that overlap share one device buffer.  */
    struct buffer {
        char *begin, *end, *copy;
        bool stored;
    };

    const char *kernel;
    bool failed;
    int count, buffers, device, tiles = 0;
    size_t numbers_used = 0;
    int only = 0, taken = 0; /* multiprocessors: of this launch alone, and of those that run beside it */
    bool dynamic = false;
    ws_together told = {}; /* of grids that run together: what it says, and what it is told */
    ws::together *place_of_told = nullptr;
    int *early = nullptr;
    bool launched = false;
    argument arguments[max_tensors];
    buffer staged[max_tensors];

    template <typename... X> void fail(ws_status status, const char *name, const char *format, X... x)
    {
        char text[256];
        if constexpr (sizeof...(x) > 0)
            snprintf(text, sizeof text, format, x...);
        else
            snprintf(text, sizeof text, "%s", format);
        ws_error_set(status, "%s: %s: %s", kernel, name, text);
        failed = true;
    }

    void fail_cuda(cudaError_t error, ws_status status, const char *what)
    {
        cudaGetLastError();
        if (host::is_lasting(error))
            host::lost_device(error, status, device, kernel);
        else
            ws_error_set(status, "%s: %s: %s", kernel, what, cudaGetErrorString(error));
        failed = true;
    }

    argument *find(void **placed)
    {
        for (int i = 0; i < count; i++)
            if (arguments[i].placed == placed)
                return &arguments[i];
        return nullptr;
    }

    void check_device()
    {
        cudaError_t error = cudaGetDevice(&device);
        if (error != cudaSuccess || device >= host::MAX_DEVICES) {
            fail_cuda(error, WS_ERR_DEVICE, "no usable CUDA device");
            return;
        }
        /* The driver's functions need the context that the runtime's make on first use in a thread.  */
        if (host::thread_device != device + 1) {
            error = cudaSetDevice(device);
            if (error != cudaSuccess) {
                fail_cuda(error, WS_ERR_DEVICE, "no usable CUDA device");
                return;
            }
            host::thread_device = device + 1;
        }
        host::device_facts &facts = host::devices[device];
        if (!facts.known) {
            int major = 0, minor = 0, multiprocessors = 0;
            error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
            if (error == cudaSuccess)
                error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
            if (error == cudaSuccess)
                error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
            if (error != cudaSuccess) {
                fail_cuda(error, WS_ERR_DEVICE, "no usable CUDA device");
                return;
            }
            facts.multiprocessors = multiprocessors;
            facts.known = major == 9 && minor == 0 ? 1 : -1;
        }
        if (facts.known < 0) {
            ws_error_set(WS_ERR_DEVICE, "%s: device %d is not of compute capability 9.0", kernel, device);
            failed = true;
        }
    }

    /* Elements that a view touches lie, modulo the common divisor of all outer strides, in one window.  */
    static long divisor(long x, long y)
    {
        while (y) {
            long rest = x % y;
            x = y;
            y = rest;
        }
        return x;
    }
    static bool disjoint(const argument &a, const argument &b)
    {
        if (a.end <= b.begin || b.end <= a.begin)
            return true;
        long period = 0;
        for (int d = 0; d + 1 < a.rank; d++)
            if (a.extent[d] > 1)
                period = divisor(a.stride[d] * a.size, period);
        for (int d = 0; d + 1 < b.rank; d++)
            if (b.extent[d] > 1)
                period = divisor(b.stride[d] * b.size, period);
        long width_a = a.extent[a.rank - 1] * a.size, width_b = b.extent[b.rank - 1] * b.size;
        if (period <= 0 || width_a + width_b > period)
            return false;
        long offset = (b.begin - a.begin) % period;
        if (offset < 0)
            offset += period;
        return offset >= width_a && offset + width_b <= period;
    }
    static bool same(const argument &a, const argument &b)
    {
        bool equal = a.begin == b.begin && a.size == b.size && a.rank == b.rank;
        for (int d = 0; equal && d < a.rank; d++)
            equal = a.extent[d] == b.extent[d] && a.stride[d] == b.stride[d];
        return equal;
    }

    bool check_overlaps()
    {
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++) {
                argument &a = arguments[i], &b = arguments[j];
                if (!((a.how | b.how) & stored) || a.empty || b.empty || disjoint(a, b) ||
                    (same(a, b) && !a.listed && !b.listed))
                    continue;
                ws_error_set(WS_ERR_OVERLAP, "%s: %s: overlaps %s, and one of them is stored", kernel, a.name, b.name);
                failed = true;
                return false;
            }
        return true;
    }

    /* Iterations of a loop over devices run at the same time.  */
    bool check_devices()
    {
        for (int i = 0; i < count && !failed; i++) {
            const argument &a = arguments[i];
            ws_use use = {};
            if (a.empty)
                continue;
            use.kernel = kernel;
            use.name = a.name;
            use.begin = a.begin;
            use.end = a.end;
            use.size = a.size;
            use.rank = a.rank;
            use.stored = (a.how & stored) != 0;
            use.in = a.in;
            use.out = a.out;
            for (int d = 0; d < a.rank; d++) {
                use.extent[d] = a.extent[d];
                use.stride[d] = a.stride[d];
            }
            failed = ws_devices_use(&use) != WS_OK;
        }
        failed = failed || ws_devices_elsewhere_();
        return !failed;
    }

    /* ---- grids that run together ---- */

    static ws_rows rows_of(const argument &a, const rows *of, int told, u32 roles)
    {
        ws_rows to = {1, roles, 0, a.size, {}};
        for (int d = 0; d < a.rank; d++) {
            const bool all = d >= told || of[d].low.value == LONG_MIN;
            const long low = all ? 0 : of[d].low.value, high = all ? a.extent[d] : of[d].high.value;
            const long bytes = a.stride[d] * a.size;
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
    template <int N, int X, int Y> static int tiles_of(const ws::grid<N, cluster<X, Y>> &g, int dim)
    {
        return g.tiles[dim];
    }

    /* By variables of the grid, then by positions in it.  Those that move back are not known.  */
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

    /* What a loop over devices loads from a device that this one does not reach is staged, as a host array is.  */
    void place_argument(int index)
    {
        int owner = 0;
        switch (host::memory_of(arguments[index].begin, device, &owner)) {
        case host::memory::of_host:
            assign_buffer(index);
            break;
        case host::memory::elsewhere:
            if (ws_devices_current() >= 0 && !(arguments[index].how & stored)) {
                assign_buffer(index);
                break;
            }
            fail(WS_ERR_DEVICE, arguments[index].name, "is memory of device %d, and the launch is on device %d", owner,
                 device);
            break;
        case host::memory::of_device:
            break;
        }
    }

    /* A call with host arrays ends when they hold the results: nothing that a graph could do later.  */
    void check_capture()
    {
        for (int i = 0; i < count && !failed; i++)
            if (arguments[i].buffer >= 0 && host::is_capturing())
                fail(WS_ERR_ARGUMENT, arguments[i].name, "is a host array, and its stream is being captured");
    }

    /* Joins the argument's range with those that it overlaps.  */
    void assign_buffer(int index)
    {
        argument &a = arguments[index];
        buffer joined = {a.begin, a.end, nullptr, (a.how & stored) != 0};
        for (bool grown = true; grown;) {
            grown = false;
            for (int b = 0; b < buffers; b++) {
                buffer &s = staged[b];
                if (!s.begin || joined.end <= s.begin || s.end <= joined.begin)
                    continue;
                joined.begin = s.begin < joined.begin ? s.begin : joined.begin;
                joined.end = s.end > joined.end ? s.end : joined.end;
                joined.stored = joined.stored || s.stored;
                s.begin = nullptr;
                for (int i = 0; i < count; i++)
                    if (arguments[i].buffer == b)
                        arguments[i].buffer = buffers;
                grown = true;
            }
        }
        a.buffer = buffers;
        staged[buffers++] = joined;
    }

    /* The copy keeps the host array's position modulo 256 bytes, so that alignment does not depend on where an array
       is. */
    void fill_buffer(buffer &s)
    {
        size_t lead = (size_t)s.begin % 256, bytes = (size_t)(s.end - s.begin);
        void *p = nullptr;
        cudaError_t error = cudaMallocAsync(&p, lead + bytes, host::stream());
        if (error != cudaSuccess) {
            fail_cuda(error, WS_ERR_MEMORY, "staging a host array");
            return;
        }
        s.copy = (char *)p + lead;
        error = cudaMemcpyAsync(s.copy, s.begin, bytes, cudaMemcpyDefault, host::stream());
        if (error != cudaSuccess)
            fail_cuda(error, WS_ERR_MEMORY, "copying a host array in");
    }

    void finish()
    {
        bool any = false;
        for (int b = 0; b < buffers; b++) {
            buffer &s = staged[b];
            if (!s.begin || !s.copy)
                continue;
            any = true;
            size_t bytes = (size_t)(s.end - s.begin);
            cudaError_t error = failed || !s.stored
                                    ? cudaSuccess
                                    : cudaMemcpyAsync(s.begin, s.copy, bytes, cudaMemcpyDeviceToHost, host::stream());
            if (error != cudaSuccess)
                fail_cuda(error, WS_ERR_MEMORY, "copying a host array out");
            cudaFreeAsync(s.copy - (size_t)s.begin % 256, host::stream());
        }
        if (!any)
            return;
        cudaError_t error = cudaStreamSynchronize(host::stream());
        if (error != cudaSuccess && !failed)
            fail_cuda(error, WS_ERR_LAUNCH, "running the kernel");
    }

    /* Tiles of the program for tensors that TMA cannot load do not wait, so the grid does.  */
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

    /* Boxes of so many rows and bytes, swizzled within as many; of a tensor of lines, so many LINES of each row.  */
    template <typename E, typename T, int N>
    bool encode(CUtensorMap &to, const ws::tensor<T, N> &t, int rows, int bytes = line_bytes<E>, int lines = 0)
    {
        int extents[N - 1];
        for (int d = 0; d < N - 1; d++)
            extents[d] = 1;
        extents[N - 2] = lines ? lines : rows;
        if (lines)
            extents[N > 2 ? N - 3 : 0] = rows;
        return encode_box<E>(to, t, extents, bytes);
    }

    /* Of these extents in all dimensions but the last.  */
    template <typename E, typename T, int N>
    bool encode_box(CUtensorMap &to, const ws::tensor<T, N> &t, const int *of, int bytes)
    {
        cuuint64_t extents[N], strides[N];
        cuuint32_t box[N], steps[N];
        for (int d = 0; d < N; d++) {
            int from = N - 1 - d;
            extents[d] = (cuuint64_t)t.high[from];
            box[d] = d ? (cuuint32_t)of[from] : (cuuint32_t)bytes / sizeof(T);
            steps[d] = 1;
            if (t.high[from] == 0 || box[d] > 256)
                return false;
            if (d == 0)
                continue;
            cuuint64_t bytes = (cuuint64_t)t.stride[from] * sizeof(T);
            if (t.high[from] == 1)
                bytes = (bytes + 15) / 16 * 16 + (bytes == 0 ? 16 : 0);
            if (bytes == 0 || bytes % 16 != 0 || bytes >= ((cuuint64_t)1 << 40))
                return false;
            strides[d - 1] = bytes;
        }
        if ((size_t)t.base % 16 != 0)
            return false;
        /* Rows that begin within L2's lines take two requests each; what is fetched beyond them only costs.  */
        bool whole_lines = (size_t)t.base % 128 == 0 && (N < 2 || strides[0] % 128 == 0);
        host::encode_tiled encode_map = host::find_encoder();
        return encode_map &&
               encode_map(&to, host::map_type<E>::value, N, (void *)t.base, extents, strides, box, steps,
                          CU_TENSOR_MAP_INTERLEAVE_NONE,
                          bytes > 128    ? CU_TENSOR_MAP_SWIZZLE_NONE
                          : bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                          : bytes == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                         : CU_TENSOR_MAP_SWIZZLE_32B,
                          whole_lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
    }

    /* {low, high, step} of each dimension as counts.  */
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
    }

    /* Bands of about `group` rows, each as high as the others; a rest of up to a quarter of one makes none of its own,
       which would pass by all columns for few rows. */
    static int band_rows(int rows, int group)
    {
        const int bands = ::max((rows - group / 4 + group - 1) / group, 1);
        return (rows + bands - 1) / bands;
    }

    /* Rows of the square that all tiles cover which run together: what they read is least.  On an H100, in tiles of 128
       x 128, bands of 16 tiles take 1.02 times as long as those of 11 at 4096 and 8192 x 8192 x 2048, and 1.22 times at
       8192, where a band's rows do not stay in L2 (bench/notes/clusters.md).  */
    int rows_of_square(long row_step, long col_step) const
    {
        const int processors = only ? only : host::devices[device].multiprocessors;
        return (int)::sqrt((double)processors * (double)row_step * (double)col_step);
    }

    /* `group` is in tiles, of which a count of the row dimension stands for `side`.  */
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

    /* How many blocks the device holds at once; once for each kernel and device.  */
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
