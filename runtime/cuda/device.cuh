/* SPDX-License-Identifier: MIT */
/*
 * device.cuh - the host's view of a device: its memory behind ws_alloc and ws_copy, its properties, and counters.
 *
 * The counters serve kernels with dynamic scheduling and grids that run together.  An object with this file registers
 * the device with the runtime library when it is loaded.
 */
#ifndef WS_CUDA_DEVICE_CUH
#define WS_CUDA_DEVICE_CUH

#include <stdio.h>
#include <string.h>
#include <ws/backend.h>

#include "ptx.cuh"

namespace ws {
namespace host {

/* ---- the device behind ws_alloc, ws_copy and ws_sync ------------------------------------------------------------- */

inline cudaStream_t stream()
{
    return (cudaStream_t)ws_stream();
}

/* Written by a tile that has waited too long for another grid and has ended its kernel with a trap (together.cuh).  */
inline ws_stuck *stuck_report()
{
    static ws_stuck *report;
    static bool tried;
    if (!tried && cudaHostAlloc(&report, sizeof *report, cudaHostAllocPortable | cudaHostAllocMapped) == cudaSuccess)
        *report = ws_stuck{};
    else if (!tried)
        cudaGetLastError();
    tried = true;
    return report;
}

/* Polls of a wait, of about a microsecond each.  */
inline u32 patience()
{
    return (u32)ws_watchdog_() * 1000000u;
}

enum { MAX_DEVICES = 64, MAX_RECENT = 4 };

/* Kernels that this thread has launched on a device since its last wait for it: the first ones and the last one.  */
struct recent_kernels {
    const char *names[MAX_RECENT];
    int count;
};
inline thread_local recent_kernels recent[MAX_DEVICES];

inline void remember_kernel(int device, const char *kernel)
{
    recent_kernels &r = recent[device];
    int i = 0;
    while (i < r.count && strcmp(r.names[i], kernel))
        i++;
    if (i == r.count && r.count < MAX_RECENT)
        r.count++;
    r.names[i < MAX_RECENT ? i : MAX_RECENT - 1] = kernel;
}

/* Reports an error after which the device fails.  CUDA does not name the kernel, so the message lists recent ones.  */
inline ws_status lost_device(cudaError_t error, ws_status status, int device, const char *what)
{
    char kernels[256] = "", waited[384];
    const recent_kernels &r = recent[device];
    const ws_stuck *stuck = stuck_report();
    for (int i = 0; i < r.count; i++) {
        const size_t used = strlen(kernels);
        snprintf(kernels + used, sizeof kernels - used, "%s%s", i ? ", " : "", r.names[i]);
    }
    if (stuck && stuck->id)
        return ws_error_set(status, "%s: %s: has a device or a kernel been lost? (WS_WATCHDOG=SECONDS waits longer)",
                            what, ws_together_stuck_(waited, sizeof waited, *stuck, ws_watchdog_()));
    return ws_error_set(status, "%s: device %d is lost, in %s%s: %s", what, device, r.count > 1 ? "one of " : "",
                        r.count ? kernels : "a kernel before it", cudaGetErrorString(error));
}

/* True for errors that make a device's context useless.  */
inline bool is_lasting(cudaError_t error)
{
    switch (error) {
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
        return true;
    default:
        return false;
    }
}

/* Returns WS_OK or reports the error of `what` on the current device.  */
inline ws_status check(cudaError_t error, ws_status status, const char *what)
{
    int device = 0;
    if (error == cudaSuccess)
        return WS_OK;
    cudaGetLastError();
    if (is_lasting(error) && cudaGetDevice(&device) == cudaSuccess && device < MAX_DEVICES)
        return lost_device(error, status, device, what);
    return ws_error_set(status, "%s: %s", what, cudaGetErrorString(error));
}

enum class memory { of_host, of_device, elsewhere };

enum reach : signed char { reach_unknown, reach_none, reach_all };
inline reach peers[MAX_DEVICES][MAX_DEVICES]; /* peers that a device can load from, as loops over devices found */

/* Memory of a device that the current one cannot access is elsewhere.  */
inline memory memory_of(const void *p, int device, int *owner)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
        cudaGetLastError();
        return memory::of_host;
    }
    *owner = attributes.device;
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device &&
        (!attributes.devicePointer ||
         (device < MAX_DEVICES && attributes.device < MAX_DEVICES && peers[device][attributes.device] == reach_none)))
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

inline ws_status sync_devices();

inline ws_status backend_sync()
{
    ws_status status = sync_devices();
    if (status == WS_OK)
        status = check(cudaStreamSynchronize(stream()), WS_ERR_LAUNCH, "ws_sync");
    for (int i = 0; i < MAX_DEVICES && status == WS_OK; i++)
        recent[i].count = 0;
    return status;
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

/* ---- several devices --------------------------------------------------------------------------------------------- */

inline int device_count()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        count = 0;
    }
    return count < MAX_DEVICES ? count : MAX_DEVICES;
}

inline void *alloc_on_device(int device, size_t bytes)
{
    int count = device_count(), home = 0;
    void *p = nullptr;
    if (count < 1 || cudaGetDevice(&home) != cudaSuccess || cudaSetDevice(device % count) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    p = backend_alloc(bytes);
    cudaSetDevice(home);
    return p;
}

/* Streams and events of a thread's loops over devices; made once.  */
struct device_stream {
    cudaStream_t stream;
    cudaEvent_t done;
};
struct device_loop {
    device_stream streams[MAX_DEVICES];
    cudaEvent_t begin[MAX_DEVICES]; /* one for each device that a caller's stream belonged to */
    int home;
    bool lent; /* the home device's launches go to the caller's stream */
    cudaStream_t callers;
    int marked;  /* devices whose ends are in `done` */
    int running; /* streams of loops without a wait so far */

    cudaStream_t stream_of(int device) const
    {
        return lent && device == home ? callers : streams[device].stream;
    }
};
inline thread_local device_loop loop_of_thread;

/* A lost device may never complete the caller's stream, so each device is polled.  */
inline ws_status sync_devices()
{
    device_loop &loop = loop_of_thread;
    const int count = loop.running > 1 ? device_count() : 0;
    for (bool busy = count > 1; busy;) {
        busy = false;
        for (int i = 0; i < loop.running; i++) {
            const cudaStream_t own = loop.lent && i == loop.home ? stream() : loop.streams[i].stream;
            const cudaError_t error = loop.streams[i].stream ? cudaStreamQuery(own) : cudaSuccess;
            busy = busy || error == cudaErrorNotReady;
            if (error == cudaSuccess || error == cudaErrorNotReady)
                continue;
            cudaGetLastError();
            return lost_device(error, WS_ERR_DEVICE, i % count, "ws_sync");
        }
    }
    loop.running = 0;
    return WS_OK;
}

/* Lets tensor maps and loads access the memory of peers, if the machine supports it.  */
inline cudaError_t reach_peers(int device, int count)
{
    for (int peer = 0; peer < count; peer++) {
        int can = 0;
        if (peer == device || peers[device][peer] != reach_unknown)
            continue;
        cudaError_t error = cudaDeviceCanAccessPeer(&can, device, peer);
        if (error == cudaSuccess && can) {
            error = cudaDeviceEnablePeerAccess(peer, 0);
            if (error == cudaErrorPeerAccessAlreadyEnabled) {
                cudaGetLastError();
                error = cudaSuccess;
            }
        }
        if (error != cudaSuccess)
            return error;
        peers[device][peer] = can ? reach_all : reach_none;
    }
    return cudaSuccess;
}

inline cudaError_t make_stream(device_stream &s)
{
    cudaError_t error = cudaSuccess;
    if (!s.stream)
        error = cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking);
    if (error == cudaSuccess && !s.done)
        error = cudaEventCreateWithFlags(&s.done, cudaEventDisableTiming);
    return error;
}

/* Records the state of the caller's stream at the loop's begin.  */
inline cudaError_t mark_begin(device_loop &loop, cudaStream_t callers)
{
    cudaError_t error = cudaGetDevice(&loop.home);
    if (error == cudaSuccess && loop.home >= MAX_DEVICES)
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && !loop.begin[loop.home])
        error = cudaEventCreateWithFlags(&loop.begin[loop.home], cudaEventDisableTiming);
    return error == cudaSuccess ? cudaEventRecord(loop.begin[loop.home], callers) : error;
}

/* Waits for the marked ends of the other devices.  */
inline cudaError_t meet_marked(const device_loop &loop, int device)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < loop.marked && error == cudaSuccess; i++)
        if (i != device)
            error = cudaStreamWaitEvent(loop.stream_of(device), loop.streams[i].done, 0);
    return error;
}

inline ws_status enter_device(int device, void *callers, ws_enter how)
{
    device_loop &loop = loop_of_thread;
    const int count = device_count();
    const bool begins = how == WS_ENTER_IN || how == WS_ENTER_APART;
    cudaError_t error = count < 1 || device >= MAX_DEVICES ? cudaErrorInvalidDevice : cudaSuccess;
    if (error == cudaSuccess && device == 0 && begins)
        error = mark_begin(loop, (cudaStream_t)callers);
    if (error == cudaSuccess && device == 0 && how != WS_ENTER_MET) {
        loop.lent = how == WS_ENTER_IN;
        loop.callers = (cudaStream_t)callers;
    }
    if (error == cudaSuccess)
        error = cudaSetDevice(device % count);
    if (error == cudaSuccess)
        error = reach_peers(device % count, count);
    if (error == cudaSuccess)
        error = make_stream(loop.streams[device]);
    if (error == cudaSuccess && (begins || (how == WS_ENTER_MET && device >= loop.marked)) &&
        loop.stream_of(device) != (cudaStream_t)callers)
        error = cudaStreamWaitEvent(loop.stream_of(device), loop.begin[loop.home], 0);
    if (error == cudaSuccess && how == WS_ENTER_MET)
        error = meet_marked(loop, device);
    if (error == cudaSuccess)
        ws_set_stream(loop.stream_of(device));
    if (error == cudaSuccess)
        return WS_OK;
    cudaGetLastError();
    return ws_error_set(WS_ERR_DEVICE, "a loop over devices: device %d: %s", device, cudaGetErrorString(error));
}

inline ws_status mark_ends(int devices)
{
    device_loop &loop = loop_of_thread;
    cudaError_t error = cudaSetDevice(loop.home);
    loop.marked = 0;
    for (int i = 0; i < devices && i < MAX_DEVICES && error == cudaSuccess; i++, loop.marked++)
        error = loop.streams[i].stream ? cudaEventRecord(loop.streams[i].done, loop.stream_of(i)) : cudaSuccess;
    return check(error, WS_ERR_DEVICE, "the end of a loop over devices");
}

inline ws_status leave_devices(int devices, void *callers)
{
    device_loop &loop = loop_of_thread;
    cudaError_t error = cudaSetDevice(loop.home);
    loop.running = devices > loop.running ? devices : loop.running;
    for (int i = 0; i < devices && i < MAX_DEVICES; i++) {
        if (!loop.streams[i].stream || (loop.lent && i == loop.home))
            continue;
        cudaError_t each = cudaEventRecord(loop.streams[i].done, loop.streams[i].stream);
        if (is_lasting(each)) {
            cudaGetLastError();
            return lost_device(each, WS_ERR_DEVICE, i % device_count(), "the end of a loop over devices");
        }
        if (each == cudaSuccess)
            each = cudaStreamWaitEvent((cudaStream_t)callers, loop.streams[i].done, 0);
        error = error == cudaSuccess ? each : error;
    }
    return check(error, WS_ERR_DEVICE, "the end of a loop over devices");
}

inline unsigned *open_together(int words, void *stream);

inline int devices_apart(int devices)
{
    const int count = device_count();
    int home = 0;
    bool apart = devices <= count && cudaGetDevice(&home) == cudaSuccess;
    for (int i = 0; i < devices && apart; i++) {
        apart = cudaSetDevice(i) == cudaSuccess && reach_peers(i, count) == cudaSuccess;
        for (int peer = 0; peer < devices && apart; peer++)
            apart = peer == i || peers[i][peer] == reach_all;
    }
    cudaSetDevice(home);
    cudaGetLastError();
    return apart;
}

inline ws_status wait_for_all(int devices, int again)
{
    device_loop &loop = loop_of_thread;
    const cudaStream_t here = stream();
    int home = 0;
    cudaError_t error = cudaGetDevice(&home);
    for (int i = 0; i < devices && i < MAX_DEVICES && error == cudaSuccess; i++) {
        if (!loop.streams[i].stream)
            continue;
        error = cudaSetDevice(i % device_count());
        if (error == cudaSuccess && !again)
            error = cudaEventRecord(loop.streams[i].done, loop.streams[i].stream);
        if (error == cudaSuccess && loop.streams[i].stream != here)
            error = cudaStreamWaitEvent(here, loop.streams[i].done, 0);
    }
    if (error == cudaSuccess)
        error = cudaSetDevice(home);
    return check(error, WS_ERR_DEVICE, "a block of grids that run together");
}

/* The device of a process of a team.  */
inline ws_status choose_device(int device)
{
    const int count = device_count();
    const cudaError_t error = count ? cudaSetDevice(device % count) : cudaErrorNoDevice;
    return error == cudaSuccess ? WS_OK : check(error, WS_ERR_DEVICE, "ws_team_open");
}

inline int share_memory(void *p, void *handle)
{
    static_assert(sizeof(cudaIpcMemHandle_t) == 64, "");
    const cudaError_t error = cudaIpcGetMemHandle((cudaIpcMemHandle_t *)handle, p);
    return check(error, WS_ERR_MEMORY, "ws_team_alloc: cudaIpcGetMemHandle") == WS_OK;
}

inline void *open_memory(const void *handle)
{
    cudaIpcMemHandle_t h;
    void *p = nullptr;
    memcpy(&h, handle, sizeof h);
    const cudaError_t error = cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess);
    return check(error, WS_ERR_DEVICE, "ws_team_alloc: cudaIpcOpenMemHandle") == WS_OK ? p : nullptr;
}

inline const ws_backend_devices cuda_devices = {device_count,  alloc_on_device, enter_device, leave_devices,
                                                open_together, devices_apart,   wait_for_all, choose_device,
                                                share_memory,  open_memory,     mark_ends};

inline bool runs_here(int major, int minor)
{
    return major * 10 + minor == WS_GPU_CAPABILITY;
}

/* The reason that no kernel can run here; NULL if one can.  */
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
    return runs_here(major, minor) ? nullptr : "the GPU is not the one of these kernels, " WS_GPU_NAME;
}

__attribute__((constructor)) static void register_backend()
{
    ws_backend_register_devices(&cuda_devices);
#ifdef WS_BOTH_TARGETS
    ws_backend_offer(&cuda_backend, why_no_device);
#else
    ws_backend_register(&cuda_backend);
#endif
}

/* ---- properties of a device, read once --------------------------------------------------------------------------- */

enum { MAX_KERNELS = 1024 };

struct device_facts {
    int known; /* 1: usable; -1: not a Hopper GPU */
    int multiprocessors;
};
inline device_facts devices[MAX_DEVICES];
inline thread_local int thread_device; /* 1 + the device whose context this thread has entered */

/* Kernels with an increased limit of shared memory, and the number of their blocks that the device holds.  */
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

/* Two launches that may overlap must not draw from one counter.  Launches of one stream follow each other, so a stream
   has one counter.  A captured launch may overlap any later launch, so it keeps a counter of its own.  Without a free
   counter a launch has no dynamic scheduling and is slower.  Counters are 0 before and after a launch.  */
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

/* Counters of the current device.  A capture must not call a function that makes the driver look something up, so
   unknown counters stay unknown.  */
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

/* ---- counters of blocks of grids that run together --------------------------------------------------------------- */

/* Blocks of one stream follow each other and alternate between two arrays.  Tiles of other devices read one array from
   the block's begin to its end; meanwhile the other is zeroed for the next block.  A captured block may overlap any
   later one, so its grids run one after the other.  */
struct together_words {
    unsigned long long stream;
    u32 *words; /* of both arrays */
    int turn;
};
enum { TOGETHER_STREAMS = 64 };
inline together_words words_of_streams[MAX_DEVICES][TOGETHER_STREAMS];

/* Allocates zeroed words.  */
inline u32 *make_words(int words)
{
    u32 *made = nullptr;
    const size_t bytes = 2 * (size_t)words * sizeof(u32);
    cudaError_t error = cudaMalloc(&made, bytes);
    if (error == cudaSuccess)
        error = cudaMemset(made, 0, bytes);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(cudaStreamLegacy);
    if (error == cudaSuccess)
        return made;
    cudaGetLastError();
    cudaFree(made);
    return nullptr;
}

inline together_words *words_of(int device, unsigned long long id, int words)
{
    together_words *of = words_of_streams[device];
    int i = 0;
    while (i < TOGETHER_STREAMS && of[i].words && of[i].stream != id)
        i++;
    if (i == TOGETHER_STREAMS)
        return nullptr;
    if (!of[i].words)
        of[i].words = make_words(words);
    of[i].stream = id;
    return of[i].words ? &of[i] : nullptr;
}

inline unsigned *open_together(int words, void *callers)
{
    int device = 0;
    unsigned long long id = 0;
    if (is_capturing() || cudaGetDevice(&device) != cudaSuccess || device >= MAX_DEVICES ||
        cudaStreamGetId((cudaStream_t)callers, &id) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    lock_kernels();
    together_words *of = words_of(device, id, words);
    u32 *now = of ? of->words + (size_t)words * of->turn : nullptr;
    u32 *next = of ? of->words + (size_t)words * (of->turn ^= 1) : nullptr;
    unlock_kernels();
    if (next && cudaMemsetAsync(next, 0, (size_t)words * sizeof(u32), (cudaStream_t)callers) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return now;
}

} // namespace host

} // namespace ws

#endif
