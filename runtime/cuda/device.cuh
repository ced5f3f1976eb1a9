/* SPDX-License-Identifier: MIT */
/*
 * device.cuh - the host's side of a device: its memory behind ws_alloc and ws_copy, what is asked of it once, and the
 * counters of kernels with dynamic scheduling.
 *
 * A file that includes this registers the device with the runtime library when it is loaded.
 */
#ifndef WS_CUDA_DEVICE_CUH
#define WS_CUDA_DEVICE_CUH

#include <ws/backend.h>

#include "ptx.cuh"

namespace ws {
namespace host {

/* ---- the device behind ws_alloc, ws_copy and ws_sync ------------------------------------------------------------- */

inline cudaStream_t stream()
{
    return (cudaStream_t)ws_stream();
}

/* In the context of what `what` says.  */
inline ws_status check(cudaError_t error, ws_status status, const char *what)
{
    if (error == cudaSuccess)
        return WS_OK;
    cudaGetLastError();
    return ws_error_set(status, "%s: %s", what, cudaGetErrorString(error));
}

enum class memory { of_host, of_device, elsewhere };

/* Memory of another device, which the current one does not reach, is elsewhere.  */
inline memory memory_of(const void *p, int device, int *owner)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
        cudaGetLastError();
        return memory::of_host;
    }
    *owner = attributes.device;
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device && !attributes.devicePointer)
        return memory::elsewhere;
    bool on_device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    return on_device ? memory::of_device : memory::of_host;
}

inline bool is_device_memory(const void *p)
{
    int owner = 0;
    return memory_of(p, 0, &owner) != memory::of_host;
}

inline void *backend_alloc(size_t bytes)
{
    void *p = nullptr;
    if (cudaMalloc(&p, bytes ? bytes : 1) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return p;
}

inline void backend_free(void *p)
{
    cudaFree(p);
}

inline ws_status backend_sync()
{
    return check(cudaStreamSynchronize(stream()), WS_ERR_LAUNCH, "ws_sync");
}

inline ws_status backend_copy(void *to, const void *from, size_t bytes)
{
    ws_status status = check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream()), WS_ERR_MEMORY, "ws_copy");
    return status == WS_OK ? backend_sync() : status;
}

inline int backend_is_device_pointer(const void *p)
{
    return is_device_memory(p);
}

inline const ws_backend cuda_backend = {"cuda",       backend_alloc, backend_free,
                                        backend_copy, backend_sync,  backend_is_device_pointer};

/* Why no kernel can run here; NULL if one can.  */
inline const char *why_no_device()
{
    int device = 0, major = 0, minor = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (error != cudaSuccess) {
        cudaGetLastError();
        return cudaGetErrorString(error);
    }
    return major == 9 && minor == 0 ? nullptr : "the GPU is not of compute capability 9.0";
}

__attribute__((constructor)) static void register_backend()
{
#ifdef WS_BOTH_TARGETS
    ws_backend_offer(&cuda_backend, why_no_device);
#else
    ws_backend_register(&cuda_backend);
#endif
}

/* ---- what is asked of a device once ------------------------------------------------------------------------------ */

enum { MAX_DEVICES = 64, MAX_KERNELS = 1024 };

struct device_facts {
    int known; /* 1: usable, -1: not a Hopper GPU */
    int multiprocessors;
};
inline device_facts devices[MAX_DEVICES];
inline thread_local int thread_device; /* 1 + the device whose context this thread has entered */

/* Kernels whose shared memory was raised, and how many blocks of them the device holds.  */
struct kernel_facts {
    const void *function;
    int device, blocks;
};
inline kernel_facts kernels[MAX_KERNELS];
inline int kernel_count;
inline int kernels_busy;

inline void lock_kernels()
{
    while (__atomic_exchange_n(&kernels_busy, 1, __ATOMIC_ACQUIRE))
        ;
}
inline void unlock_kernels()
{
    __atomic_store_n(&kernels_busy, 0, __ATOMIC_RELEASE);
}

inline int known_blocks(const void *function, int device)
{
    int blocks = -1;
    lock_kernels();
    for (int i = 0; i < kernel_count && blocks < 0; i++)
        if (kernels[i].function == function && kernels[i].device == device)
            blocks = kernels[i].blocks;
    unlock_kernels();
    return blocks;
}
inline void know_blocks(const void *function, int device, int blocks)
{
    lock_kernels();
    if (kernel_count < MAX_KERNELS)
        kernels[kernel_count++] = kernel_facts{function, device, blocks};
    unlock_kernels();
}

/* ---- counters of launches with dynamic scheduling ---------------------------------------------------------------- */

/* Two launches that may run at the same time must not draw from one counter.  Launches of one stream follow each other,
   so a stream has one counter; a launch that is captured may run beside anything later, so it has its own for good.
   When there are no more, tiles are not scheduled dynamically: slower, not wrong.  Counters are 0 before a launch and
   after it.  */
enum { TICKET_STREAMS = 64, TICKET_COUNTERS = 2048 };
static __device__ __attribute__((unused)) u32 ticket_counters[TICKET_COUNTERS][2];
inline unsigned long long ticket_streams[TICKET_STREAMS];
inline int ticket_stream_count, ticket_captures;

inline bool is_capturing()
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream(), &capture) != cudaSuccess)
        cudaGetLastError();
    return capture != cudaStreamCaptureStatusNone;
}

inline int counter_of_stream(unsigned long long id)
{
    int i = 0;
    while (i < ticket_stream_count && ticket_streams[i] != id)
        i++;
    if (i == TICKET_STREAMS)
        return -1;
    if (i == ticket_stream_count)
        ticket_streams[ticket_stream_count++] = id;
    return i;
}

inline int counter_of_capture()
{
    return ticket_captures < TICKET_COUNTERS - TICKET_STREAMS ? TICKET_STREAMS + ticket_captures++ : -1;
}

/* Of this device.  A capture may ask for nothing that the driver has to look up: what is not known by then stays
   unknown.  */
inline u32 *counters_of_device(bool captured)
{
    static void *known[MAX_DEVICES];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= MAX_DEVICES ||
        (!known[device] && (captured || cudaGetSymbolAddress(&known[device], ticket_counters) != cudaSuccess))) {
        cudaGetLastError();
        return nullptr;
    }
    return (u32 *)known[device];
}

inline u32 *tickets()
{
    const bool captured = is_capturing();
    unsigned long long id = 0;
    u32 *counters = counters_of_device(captured);
    if (!counters || (!captured && cudaStreamGetId(stream(), &id) != cudaSuccess)) {
        cudaGetLastError();
        return nullptr;
    }
    lock_kernels();
    int i = captured ? counter_of_capture() : counter_of_stream(id);
    unlock_kernels();
    return i < 0 ? nullptr : counters + 2 * i;
}

} // namespace host

} // namespace ws

#endif
