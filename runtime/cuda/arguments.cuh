/* SPDX-License-Identifier: MIT */
/*
 * arguments.cuh - the tensors of one call of a kernel: checks, addresses, and copies of host arrays.
 *
 * ws_last_error reports the first failure, with the names of the kernel and the argument.
 */
#ifndef WS_CUDA_ARGUMENTS_CUH
#define WS_CUDA_ARGUMENTS_CUH

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../common/views.h"
#include "device.cuh"
#include "table.cuh"
#include "tensor.cuh"

namespace ws {

enum access { loaded = 1, stored = 2, loaded_and_stored = 3 };
enum row_stride { any_stride, leading_dimension }; /* of which each row has its columns to itself */

namespace host {

/* Memory for the tiles' results of reductions over grids, for launches of one thread; never freed.  */
struct room {
    void *memory;
    size_t bytes;
};
inline thread_local room rooms[MAX_DEVICES];

} // namespace host

/* An extent, bound or stride, from any integer type.  */
struct length {
    long value;
    template <typename I> length(I x) : value((long)x)
    {
    }
};

/* Address of element n of an array, for a tensor that begins there.  */
template <typename T> const void *element(const void *base, length n)
{
    return base ? (const T *)base + n.value : base;
}

struct call_arguments {
    static constexpr int max_tensors = 64;

    struct argument {
        const char *name;
        char *begin, *end;
        long extent[4], stride[4];
        long lead; /* bytes from begin to the base, if a dimension descends in memory */
        int size, rank;
        int array; /* number of the array, shared by tensors that the compiler knows to be one array */
        access how;
        bool empty;
        bool listed;     /* its base is an element of an array of pointers */
        ws_rows in, out; /* bytes that a tile touches */
        int buffer;      /* index in staged, or -1 */
        void **placed;   /* receives the device address */
    };
    /* Host ranges that overlap share one device buffer.  */
    struct buffer {
        char *begin, *end, *copy;
        bool stored;
        int unit;             /* bytes of the smallest elements */
        char *before, *after; /* former contents of the host array, and contents of the device array */
    };

    const char *kernel;
    bool failed = false;
    const char *absent = nullptr; /* name of a tensor whose base is NULL, which no tile may touch */
    int count = 0, buffers = 0, device = 0;
    size_t numbers_used = 0;
    argument arguments[max_tensors];
    buffer staged[max_tensors];

    explicit call_arguments(const char *kernel_name) : kernel(kernel_name)
    {
    }

    template <typename T, int N>
    void tensor(ws::tensor<T, N> &t, const char *name, const void *base, const length (&extents)[N],
                const length (&strides)[N], access how, row_stride rows = any_stride)
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
        a.array = count;
        a.how = how;
        a.placed = (void **)&t.base;
        a.empty = a.listed = false;
        a.in = a.out = ws_rows{};
        a.buffer = -1;
        for (int d = 0; d < N; d++)
            a.empty = a.empty || extents[d].value == 0;
        for (int d = 0; d < N; d++) {
            long extent = extents[d].value, stride = strides[d].value;
            if (extent < 0 || extent > WS_MOST_EXTENT) {
                fail(WS_ERR_ARGUMENT, name, extent < 0 ? WS_SPAN_NEGATIVE : WS_SPAN_LARGE, extent, d);
                return;
            }
            t.stride[d] = stride;
            t.origin[d] = t.low[d] = 0;
            t.high[d] = (int)extent;
            a.extent[d] = extent;
            a.stride[d] = stride;
        }
        if (rows == leading_dimension && ws_span_rows_overlap(N, a.extent, a.stride)) {
            fail(WS_ERR_ARGUMENT, name, WS_SPAN_ROWS, a.stride[N > 1 ? N - 2 : 0], a.extent[N - 1]);
            return;
        }
        const ws_span span = ws_span_of(base, a.size, N, a.extent, a.stride);
        if (span.beyond >= 0) {
            ws_error_set(WS_ERR_ARGUMENT, "%s: tensor %s: " WS_SPAN_BEYOND, kernel, name, span.beyond,
                         a.extent[span.beyond], a.stride[span.beyond]);
            failed = true;
            return;
        }
        const long bytes = (span.last - span.first + 1) * (long)sizeof(T);
        a.lead = -span.first * (long)sizeof(T);
        if (!base && !a.empty) { /* allowed if there is no iteration */
            absent = absent ? absent : name;
            a.empty = true;
        }
        a.begin -= a.empty ? 0 : a.lead;
        a.end = a.empty ? a.begin : a.begin + bytes;
        if (!a.empty && ws_data_find_(kernel, name, &a.begin, a.end, how & stored) != WS_OK) {
            failed = true;
            return;
        }
        a.end = a.empty ? a.begin : a.begin + bytes;
        t.base = (T *)(a.empty ? a.begin : a.begin + a.lead);
        if (N > 1 && strides[N - 1].value != 1 && extents[N - 1].value > 1)
            fail(WS_ERR_ARGUMENT, name, WS_SPAN_INNER, strides[N - 1].value);
        else if ((size_t)a.begin % sizeof(T) != 0)
            fail(WS_ERR_ARGUMENT, name, WS_SPAN_UNALIGNED, (int)sizeof(T));
        count++;
    }

    /* The tensor before this call is of the array of `first`; its dimensions may have another order.  */
    template <typename T, int N> void again(const ws::tensor<T, N> &first)
    {
        const argument *a = failed ? nullptr : find((void **)&first.base);
        if (a)
            arguments[count - 1].array = a->array;
    }

    /* extents[0] pointers, each the base of a tensor of the other extents.  */
    template <typename T, int N>
    void table(ws::table<T, N> &t, const char *name, const void *bases, const length (&extents)[N],
               const length (&strides)[N], access how, row_stride rows = any_stride)
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
            tensor(t.shape, name, ((const void *const *)bases)[i], *(rest *)(extents + 1), *(rest *)(strides + 1), how,
                   rows);
            t.bases[i] = t.shape.base;
            if (!failed) {
                arguments[count - 1].placed = (void **)&t.bases[i];
                arguments[count - 1].listed = true;
            }
        }
        t.count = (int)n;
    }

    /* Memory for the tiles' results of a reduction over the grid.  The caller reads it before the next launch.  */
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
        /* Functions of the driver need a context, which the runtime creates at its first use in a thread.  */
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
            facts.known = host::runs_here(major, minor) ? 1 : -1;
        }
        if (facts.known < 0) {
            ws_error_set(WS_ERR_DEVICE, "%s: device %d is not of compute capability %d.%d", kernel, device,
                         WS_GPU_CAPABILITY / 10, WS_GPU_CAPABILITY % 10);
            failed = true;
        }
    }

    static ws_view view_of(const argument &a)
    {
        ws_view v = ws_view_of(a.begin, a.size, a.rank, a.extent, a.stride);
        v.base = a.begin;
        if (a.empty)
            v.extent[0] = 0;
        return v;
    }

    /* True for an in-place argument, or for one array in several orders of dimensions that the compiler knows to be
       one.  */
    static bool may_be_one(const argument &a, const argument &b)
    {
        const ws_view x = view_of(a), y = view_of(b);
        return (ws_view_same(&x, &y) && !a.listed && !b.listed) || (a.array == b.array && ws_view_reordered(&x, &y));
    }

    bool check_overlaps()
    {
        long stride, inside;
        for (int i = 0; i < count; i++) {
            const argument &a = arguments[i];
            const ws_view x = view_of(a);
            if (a.how & stored && ws_view_overlaps_itself(&x, &stride, &inside)) {
                ws_error_set(WS_ERR_OVERLAP,
                             "%s: %s: is stored and overlaps itself: rows of %ld elements begin at a stride of %ld",
                             kernel, a.name, inside, stride);
                failed = true;
                return false;
            }
            for (int j = 0; j < i; j++) {
                const argument &b = arguments[j];
                const ws_view y = view_of(b);
                if (!((a.how | b.how) & stored) || may_be_one(a, b) || !ws_views_overlap(&x, &y))
                    continue;
                ws_error_set(WS_ERR_OVERLAP, "%s: %s: overlaps %s, and one of them is stored", kernel, a.name, b.name);
                failed = true;
                return false;
            }
        }
        return true;
    }

    /* Records the argument, since iterations of a loop over devices run at the same time.  */
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
                use.stride[d] = a.stride[d] < 0 ? -a.stride[d] : a.stride[d];
            }
            failed = ws_devices_use(&use) != WS_OK;
        }
        failed = failed || ws_devices_elsewhere_();
        return !failed;
    }

    /* Sets the device address of each argument: its own address, or that of a staged copy of a host array.  */
    void place_all()
    {
        for (int i = 0; i < count && !failed; i++)
            if (!arguments[i].empty)
                place_argument(i);
        check_capture();
        for (int b = 0; b < buffers && !failed; b++)
            if (staged[b].begin)
                fill_buffer(staged[b]);
        for (int i = 0; i < count && !failed; i++)
            if (arguments[i].buffer >= 0)
                *arguments[i].placed = staged[arguments[i].buffer].copy +
                                       (arguments[i].begin - staged[arguments[i].buffer].begin) + arguments[i].lead;
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
            s.after = !failed && s.before ? (char *)malloc(bytes) : nullptr;
            cudaError_t error = failed || !s.stored ? cudaSuccess
                                                    : cudaMemcpyAsync(s.after ? s.after : s.begin, s.copy, bytes,
                                                                      cudaMemcpyDeviceToHost, host::stream());
            if (error != cudaSuccess)
                fail_cuda(error, WS_ERR_MEMORY, "copying a host array out");
            cudaFreeAsync(s.copy - (size_t)s.begin % 256, host::stream());
        }
        if (!any)
            return;
        cudaError_t error = cudaStreamSynchronize(host::stream());
        if (error != cudaSuccess && !failed)
            fail_cuda(error, WS_ERR_LAUNCH, "running the kernel");
        for (int b = 0; b < buffers; b++) {
            if (!failed && staged[b].after)
                merge(staged[b]);
            free(staged[b].before);
            free(staged[b].after);
        }
    }

  private:
    /* Writes only elements that the kernel has changed, since other threads may write other elements meanwhile.  */
    template <typename T> static void merge_units(buffer &s)
    {
        for (size_t at = 0, bytes = (size_t)(s.end - s.begin); at + sizeof(T) <= bytes; at += sizeof(T)) {
            T before, after;
            memcpy(&before, s.before + at, sizeof before);
            memcpy(&after, s.after + at, sizeof after);
            if (before != after)
                memcpy(s.begin + at, &after, sizeof after);
        }
    }
    static void merge(buffer &s)
    {
        if (s.unit == 8)
            merge_units<unsigned long long>(s);
        else if (s.unit == 4)
            merge_units<unsigned>(s);
        else if (s.unit == 2)
            merge_units<unsigned short>(s);
        else
            merge_units<unsigned char>(s);
    }

    /* Memory of a device that this one cannot access is staged like a host array, if a loop over devices loads it.  */
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

    /* A call with host arrays waits for its results, which a captured stream cannot do.  */
    void check_capture()
    {
        for (int i = 0; i < count && !failed; i++)
            if (arguments[i].buffer >= 0 && host::is_capturing())
                fail(WS_ERR_ARGUMENT, arguments[i].name, "is a host array, and its stream is being captured");
    }

    /* Joins the argument's range with the ranges that overlap it.  */
    void assign_buffer(int index)
    {
        argument &a = arguments[index];
        buffer joined = {a.begin, a.end, nullptr, (a.how & stored) != 0, a.size, nullptr, nullptr};
        for (bool grown = true; grown;) {
            grown = false;
            for (int b = 0; b < buffers; b++) {
                buffer &s = staged[b];
                if (!s.begin || joined.end <= s.begin || s.end <= joined.begin)
                    continue;
                joined.begin = s.begin < joined.begin ? s.begin : joined.begin;
                joined.end = s.end > joined.end ? s.end : joined.end;
                joined.stored = joined.stored || s.stored;
                joined.unit = s.unit < joined.unit ? s.unit : joined.unit;
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

    /* The copy keeps the host array's address modulo 256, so that alignment does not depend on the array's memory.  */
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
        if (s.stored && (s.before = (char *)malloc(bytes)) != nullptr)
            memcpy(s.before, s.begin, bytes);
        error = cudaMemcpyAsync(s.copy, s.begin, bytes, cudaMemcpyDefault, host::stream());
        if (error != cudaSuccess)
            fail_cuda(error, WS_ERR_MEMORY, "copying a host array in");
    }
};

} // namespace ws

#endif
