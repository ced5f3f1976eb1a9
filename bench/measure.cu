/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.cu - candidates for the same work, timed in alternation. */
#include "measure.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { MULTIPROCESSORS_AT_MOST = 256 };

/* The clock stands where a window's turns take as long as those of the one before, to so much of them. */
static const double window_s = 0.2, windows_at_most_s = 3, stands_within = 0.004;

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* Every multiprocessor's clock and the time of day: two of these tell the clock between them. */
struct stamp {
    unsigned long long clocks, nanoseconds;
};

static __global__ void take_stamp(stamp *stamps)
{
    unsigned here;
    stamp now;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now.clocks));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now.nanoseconds));
    if (here < MULTIPROCESSORS_AT_MOST)
        stamps[here] = now;
}

static double mhz_between(const stamp *before, const stamp *after)
{
    stamp x[MULTIPROCESSORS_AT_MOST], y[MULTIPROCESSORS_AT_MOST];
    cudaMemcpy(x, before, sizeof x, cudaMemcpyDeviceToHost);
    cudaMemcpy(y, after, sizeof y, cudaMemcpyDeviceToHost);
    for (int i = 0; i < MULTIPROCESSORS_AT_MOST; i++)
        if (x[i].nanoseconds && y[i].nanoseconds > x[i].nanoseconds)
            return 1e3 * (double)(y[i].clocks - x[i].clocks) / (double)(y[i].nanoseconds - x[i].nanoseconds);
    return NAN;
}

/* ---- power ------------------------------------------------------------------------------------------------------- */

/* Joules that the device has used since its driver was loaded; negative where that cannot be had. */
static double device_joules(void)
{
    typedef int (*initialize)(void);
    typedef int (*get_handle)(const char *, void **);
    typedef int (*get_energy)(void *, unsigned long long *);
    static void *device;
    static get_energy energy;
    static bool asked;
    unsigned long long millijoules;
    if (!asked) {
        char bus[32];
        void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        initialize start = library ? (initialize)dlsym(library, "nvmlInit_v2") : nullptr;
        get_handle handle = library ? (get_handle)dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2") : nullptr;
        energy = library ? (get_energy)dlsym(library, "nvmlDeviceGetTotalEnergyConsumption") : nullptr;
        if (!start || !handle || !energy || start() || cudaDeviceGetPCIBusId(bus, sizeof bus, 0) ||
            handle(bus, &device))
            energy = nullptr;
        asked = true;
    }
    return energy && !energy(device, &millijoules) ? 1e-3 * (double)millijoules : -1;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

struct sampler {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    stamp *before, *after;
};

static sampler *the_sampler(void)
{
    static sampler s;
    if (!s.stream) {
        cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking);
        cudaEventCreate(&s.begin);
        cudaEventCreate(&s.end);
        cudaMalloc(&s.before, MULTIPROCESSORS_AT_MOST * sizeof(stamp));
        cudaMalloc(&s.after, MULTIPROCESSORS_AT_MOST * sizeof(stamp));
    }
    return &s;
}

struct recorded {
    cudaGraphExec_t graph;
    int runs;
};

static bool record(const candidate *c, int runs, recorded *to)
{
    sampler *s = the_sampler();
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return false;
    for (int i = 0; i < runs; i++)
        c->run(c->context, s->stream);
    if (cudaStreamEndCapture(s->stream, &graph) != cudaSuccess || !graph)
        return false;
    bool good = cudaGraphInstantiate(&to->graph, graph, 0) == cudaSuccess;
    cudaGraphDestroy(graph);
    to->runs = runs;
    return good;
}

/* Milliseconds of one run. */
static double sample(const recorded *r, double *mhz)
{
    sampler *s = the_sampler();
    float ms = 0;
    if (mhz) {
        cudaMemsetAsync(s->before, 0, MULTIPROCESSORS_AT_MOST * sizeof(stamp), s->stream);
        take_stamp<<<MULTIPROCESSORS_AT_MOST, 1, 0, s->stream>>>(s->before);
    }
    cudaEventRecord(s->begin, s->stream);
    cudaGraphLaunch(r->graph, s->stream);
    cudaEventRecord(s->end, s->stream);
    if (mhz)
        take_stamp<<<MULTIPROCESSORS_AT_MOST, 1, 0, s->stream>>>(s->after);
    cudaStreamSynchronize(s->stream);
    cudaEventElapsedTime(&ms, s->begin, s->end);
    if (mhz)
        *mhz = mhz_between(s->before, s->after);
    return ms / r->runs;
}

static bool failed(const char *name, const char *what)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        fprintf(stderr, "%s: %s: %s\n", name, what, cudaGetErrorString(error));
    return error != cudaSuccess;
}

/* As many runs as fill `ms`. */
static bool prepare(const candidate *c, double ms, recorded *to)
{
    recorded once;
    c->run(c->context, the_sampler()->stream);
    cudaStreamSynchronize(the_sampler()->stream);
    if (failed(c->name, "run"))
        return false;
    if (!record(c, 2, &once)) {
        failed(c->name, "capture");
        return false;
    }
    sample(&once, nullptr);
    double one = sample(&once, nullptr);
    cudaGraphExecDestroy(once.graph);
    int runs = one > 0 ? (int)(ms / one) : 1;
    return record(c, runs < 1 ? 1 : runs > 400 ? 400 : runs, to);
}

/* Milliseconds of one turn of each, the mean of a window's. */
static double window_ms(const recorded *graphs, int count)
{
    double sum = 0, begin = seconds();
    int turns = 0;
    do {
        for (int i = 0; i < count; i++)
            sum += sample(&graphs[i], nullptr);
        turns++;
    } while (seconds() - begin < window_s);
    return sum / turns;
}

/* All in turn, until they run at the clock that the power limit allows them: at first it is higher, and falls for some
   windows. */
static void settle(const recorded *graphs, int count, double seconds_at_least)
{
    double begin = seconds(), before = 0, now = window_ms(graphs, count);
    do {
        before = now;
        now = window_ms(graphs, count);
    } while (seconds() - begin < seconds_at_least ||
             (fabs(now - before) > stands_within * before && seconds() - begin < windows_at_most_s));
}

int measure(const measurement *how, candidate *all, int count)
{
    recorded graphs[CANDIDATES_AT_MOST] = {};
    double mhz[CANDIDATES_AT_MOST][ROUNDS_AT_MOST];
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        good = prepare(&all[i], how->sample_ms, &graphs[i]);
        if (!good)
            fprintf(stderr, "%s: cannot be recorded\n", all[i].name);
    }
    device_joules(); /* the first call takes so long that the clock would rise again */
    if (good)
        settle(graphs, count, how->settle_s);
    double joules = device_joules(), start = seconds();
    for (int round = 0; round < how->rounds && good; round++)
        for (int turn = 0; turn < count; turn++) {
            int i = whose_turn(round, turn, count);
            all[i].ms[round] = sample(&graphs[i], &mhz[i][round]);
        }
    double watts = joules < 0 ? -1 : (device_joules() - joules) / (seconds() - start);
    for (int i = 0; i < count; i++) {
        all[i].rounds = how->rounds;
        all[i].watts = watts;
        all[i].mhz = good ? median(mhz[i], how->rounds) : NAN;
        if (graphs[i].graph)
            cudaGraphExecDestroy(graphs[i].graph);
    }
    return good && !failed("measure", "run");
}

double candidate_ms(const candidate *c)
{
    return median(c->ms, c->rounds);
}

interval candidate_ratio(const candidate *c, const candidate *peer)
{
    double ratios[ROUNDS_AT_MOST];
    for (int i = 0; i < c->rounds; i++)
        ratios[i] = peer->ms[i] / c->ms[i];
    return bootstrap(ratios, c->rounds);
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

const char *device_name(void)
{
    static cudaDeviceProp properties;
    if (!properties.name[0])
        cudaGetDeviceProperties(&properties, 0);
    return properties.name;
}

int device_multiprocessors(void)
{
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
}
