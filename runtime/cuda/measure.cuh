/* SPDX-License-Identifier: MIT */
/*
 * measure.cuh - the time of a launch, for the choice among variants of a kernel (common/choice.cuh).
 */
#ifndef WS_CUDA_MEASURE_CUH
#define WS_CUDA_MEASURE_CUH

#include <stdlib.h>

#include "arguments.cuh"

namespace ws {
namespace measuring {

struct saved {
    char *at, *copy;
    size_t bytes;
    bool on_host;
};

/* Saves the device memory that the kernel stores; for host arrays, their copies.  */
inline bool save(const call_arguments &of, saved *all, int &n)
{
    for (int i = 0; i < of.count && !of.failed; i++) {
        const call_arguments::argument &a = of.arguments[i];
        if (!(a.how & stored) || a.empty)
            continue;
        saved s = {(char *)*a.placed, nullptr, (size_t)(a.end - a.begin), false};
        if (cudaMalloc(&s.copy, s.bytes) != cudaSuccess) {
            cudaGetLastError();
            s.on_host = true;
            s.copy = (char *)malloc(s.bytes);
        }
        if (!s.copy) {
            ws_log_line("ws: %s: no memory for a copy of %s: its variants are not measured", of.kernel, a.name);
            return false;
        }
        all[n++] = s;
        cudaMemcpyAsync(s.copy, s.at, s.bytes, cudaMemcpyDefault, host::stream());
    }
    return true;
}

inline void restore(const saved *all, int n)
{
    for (int i = 0; i < n; i++)
        cudaMemcpyAsync(all[i].at, all[i].copy, all[i].bytes, cudaMemcpyDefault, host::stream());
}

/* Microseconds of a launch; -1 if it failed.  With a graph: of each of its launches.  */
inline double time_once(const void *function, const cudaLaunchConfig_t &config, void **list, cudaEvent_t *events,
                        cudaGraphExec_t graph = nullptr, int launches = 1)
{
    float ms = -1;
    cudaEventRecord(events[0], config.stream);
    cudaError_t error = graph ? cudaGraphLaunch(graph, config.stream) : cudaLaunchKernelExC(&config, function, list);
    cudaEventRecord(events[1], config.stream);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(events[1]);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&ms, events[0], events[1]);
    return error == cudaSuccess ? 1e3 * ms / launches : -1;
}

/* A graph of `launches` launches, which the host starts at once.  */
inline cudaGraphExec_t captured(const void *function, cudaLaunchConfig_t config, void **list, int launches)
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

/* True if the kernel reads memory that it stores, so that each launch needs the former contents.  */
inline bool reads_stored(const call_arguments &of)
{
    bool reads = false;
    for (int i = 0; i < of.count; i++)
        reads = reads || (of.arguments[i].how == loaded_and_stored && !of.arguments[i].empty);
    for (int i = 0; i < of.count; i++)
        for (int j = 0; j < i; j++)
            reads =
                reads || ((of.arguments[i].how | of.arguments[j].how) == loaded_and_stored &&
                          of.arguments[i].begin < of.arguments[j].end && of.arguments[j].begin < of.arguments[i].end);
    return reads;
}

inline double median(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            const double y = x[j];
            x[j] = x[j - 1];
            x[j - 1] = y;
        }
    return x[n / 2];
}

/* The median of several launches, or of graphs of short launches, as programs launch them.  Each launch finds the
   memory that the caller left, and so does the caller afterwards.  */
inline void measure(const call_arguments &of, const void *function, const cudaLaunchConfig_t &config, void **list)
{
    enum { MOST = 31, LEAST = 7, MOST_LAUNCHES = 60 };
    const double enough = 30e3, one_turn = 400;
    saved all[call_arguments::max_tensors];
    double times[MOST], spent = 0, once = -1;
    cudaEvent_t events[2] = {};
    cudaGraphExec_t graph = nullptr;
    int n = 0, done = 0, launches = 1;
    bool known = save(of, all, n) && cudaEventCreate(&events[0]) == cudaSuccess &&
                 cudaEventCreate(&events[1]) == cudaSuccess && time_once(function, config, list, events) > 0;
    const bool again = reads_stored(of);
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

} // namespace measuring
} // namespace ws

#endif
