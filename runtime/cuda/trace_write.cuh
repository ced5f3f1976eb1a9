/* SPDX-License-Identifier: MIT */
/*
 * trace_write.cuh - the host's side of trace.cuh: buffers of launches, and the file at the program's end.
 *
 * The first launches have a buffer each.  Later launches share one more buffer, and the file has the last of them.
 * Records of a group are in order of time, so older records of a longer launch begin where time decreases.  If a group
 * has too many records, the first ones are kept.
 */
#ifndef WS_CUDA_TRACE_WRITE_CUH
#define WS_CUDA_TRACE_WRITE_CUH

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ws/backend.h>

namespace ws {
namespace trace {

enum { LAUNCHES = 4, RINGS_TRACK = 4000, COPIES_TRACK = 2000, CORES_TRACK = 1000, INDEX_MOST = 65536 };

struct traced {
    buffer *device;
    char kernel[64];
    int blocks, groups;
};
struct session {
    const char *path;
    bool tried, broken;
    traced launch[LAUNCHES];
    int count;
};
inline session run;

/* ---- one block ------------------------------------------------------------------------------------------------ */

/* Times of put i of a ring.  */
struct lap {
    unsigned long long put, done, full, free;
    bool begun, got, released;
};

struct writer {
    FILE *file;
    int process, groups;
    const buffer *b;
    u32 rings[NAMES], nrings; /* indices of names, each once */
    lap *laps[NAMES];
    u32 laps_used[NAMES];
};

static int ring_of(const writer &w, u32 object)
{
    for (u32 i = 0; i < w.nrings; i++)
        if (w.b->name[w.rings[i]].object == object)
            return (int)i;
    return -1;
}

static void head(const writer &w, const char *phase, int track, unsigned long long time)
{
    fprintf(w.file, "{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%llu", phase, w.process, track, time);
}

static void track(const writer &w, int number, int order, const char *text)
{
    fprintf(w.file, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}},\n",
            w.process, number, text);
    fprintf(w.file,
            "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}},\n",
            w.process, number, order);
}

static void slice(const writer &w, int number, unsigned long long from, unsigned long long to, const char *kind,
                  const char *text, int group)
{
    head(w, "X", number, from);
    fprintf(w.file, ",\"dur\":%llu,\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"group\":%d,\"block\":0", to - from, kind,
            text, group);
}

static void slot(const writer &w, int ring, u32 index)
{
    const called &c = w.b->name[w.rings[ring]];
    fprintf(w.file, ",\"ring\":\"%s\",\"index\":%u,\"slot\":%u,\"phase\":%u", c.text, index, index % c.slots,
            index / c.slots & 1);
}

static const record *records_of(const writer &w, int block, int group)
{
    return w.b->records[block][4 * group];
}
static int kind_of(const record &r)
{
    return (int)(r.what & 15);
}
static u32 object_of(const record &r)
{
    return r.what >> 4 & 0xfff;
}
static u32 number_of(const record &r)
{
    return r.what >> 16;
}

/* Extends 32-bit clocks to 64 bits.  Stops where time decreases, at records of an earlier launch.  */
struct reader {
    const record *at;
    int left;
    u32 before;
    unsigned long long time;
    bool next(record &r)
    {
        if (!left || !at->what || (int)(at->clock - before) < 0)
            return false;
        time += at->clock - before;
        before = at->clock;
        r = *at++;
        left--;
        return true;
    }
};

static reader reader_of(const writer &w, int block, int group, u32 origin)
{
    const record *first = records_of(w, block, group);
    reader r = {first, RECORDS - 1, first->clock, first->clock - origin};
    return r;
}

static const char *role_of(const writer &w, int block, int group)
{
    bool puts = false, gets = false;
    record r;
    for (reader read = reader_of(w, block, group, 0); read.next(r);) {
        puts |= kind_of(r) == PUT;
        gets |= kind_of(r) == GET;
    }
    return puts && !gets ? "producer" : gets && !puts ? "consumer" : "role";
}

static void tracks(const writer &w, const traced &t, int block)
{
    char text[128];
    fprintf(w.file,
            "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"%s CTA %d\",\"kernel\":\"%s\",",
            w.process, t.kernel, block, t.kernel);
    fprintf(w.file, "\"unit\":\"clock\",\"device\":\"cuda\",\"cta\":%d,\"seed\":0,\"groups\":[", block);
    for (int g = 0; g < w.groups; g++)
        fprintf(w.file, "%s{\"group\":%d,\"block\":0,\"role\":\"%s\",\"track\":%d,\"core\":%d}", g ? "," : "", g,
                role_of(w, block, g), g, CORES_TRACK + g);
    fprintf(w.file, "],\"rings\":[");
    for (u32 i = 0; i < w.nrings; i++) {
        const called &c = w.b->name[w.rings[i]];
        fprintf(w.file, "%s{\"ring\":%u,\"name\":\"%s\",\"block\":0,\"slots\":%u,\"arrivals\":%u,\"track\":%u}",
                i ? "," : "", i + 1, c.text, c.slots, c.arrivals, RINGS_TRACK + 100 * i);
    }
    fprintf(w.file, "]}},\n");
    for (int g = 0; g < w.groups; g++) {
        snprintf(text, sizeof text, "%s: group %d", role_of(w, block, g), g);
        track(w, g, 2 * g, text);
        snprintf(text, sizeof text, "tensor core of group %d", g);
        track(w, CORES_TRACK + g, 2 * g + 1, text);
    }
    track(w, COPIES_TRACK, COPIES_TRACK, "copies in");
    for (u32 i = 0; i < w.nrings; i++)
        for (u32 j = 0; j < w.b->name[w.rings[i]].slots; j++) {
            snprintf(text, sizeof text, "ring %s slot %u", w.b->name[w.rings[i]].text, j);
            track(w, RINGS_TRACK + 100 * (int)i + (int)j, RINGS_TRACK + 100 * (int)i + (int)j, text);
        }
}

/* ---- one group ------------------------------------------------------------------------------------------------ */

struct passed {
    u32 puts[NAMES], gets[NAMES], releases[NAMES];
    unsigned long long committed[16];
    u32 commits, ended;
    unsigned long long core;
    long tile;
};

static lap *lap_of(const writer &w, int ring, u32 index)
{
    return ring >= 0 && index < INDEX_MOST && w.laps[ring] ? &w.laps[ring][index] : nullptr;
}

/* The put of the ring that this record belongs to; stores the record's time there.  */
static u32 note(writer &w, passed &p, const record &r, int ring, unsigned long long time)
{
    const int k = kind_of(r);
    if (ring < 0)
        return 0;
    const u32 index = k == PUT        ? p.puts[ring]++
                      : k == PUT_DONE ? p.puts[ring] - 1
                      : k == GET      ? p.gets[ring]++
                                      : p.releases[ring]++;
    lap *at = lap_of(w, ring, index);
    if (!at)
        return index;
    if (w.laps_used[ring] <= index)
        w.laps_used[ring] = index + 1;
    if (k == PUT) {
        at->put = time;
        at->begun = true;
    } else if (k == PUT_DONE) {
        at->done = time;
    } else if (k == GET) {
        at->full = at->got && at->full < time ? at->full : time;
        at->got = true;
    } else {
        at->free = at->released && at->free > time ? at->free : time;
        at->released = true;
    }
    return index;
}

/* Writes the ends of products, so that at most `stay` groups are in flight.  */
static void retire(const writer &w, passed &p, int group, u32 stay, unsigned long long time)
{
    for (; p.ended + stay < p.commits; p.ended++) {
        const unsigned long long began = p.committed[p.ended % 16];
        slice(w, CORES_TRACK + group, began > p.core ? began : p.core, time, "product", "product", group);
        fprintf(w.file, ",\"products\":%u}},\n", p.ended + 1);
        p.core = time;
    }
}

static void own(writer &w, passed &p, const record &r, int group, unsigned long long time)
{
    static const struct {
        const char *name;
        char of; /* R: waits for a ring, r: acts on it; t, T: turns; w: waits; n: neither */
    } names[] = {
        {"", 0},       {"start", 'n'}, {"put", 'R'},  {"put_done", 'r'}, {"get", 'R'},        {"consumed", 'r'},
        {"", 0},       {"mma", 'n'},   {"wait", 'w'}, {"store", 'n'},    {"store_wait", 'w'}, {"take", 't'},
        {"pass", 'T'}, {"tile", 'n'}};
    const int k = kind_of(r), ring = ring_of(w, object_of(r));
    const char of = names[k].of;
    if (k == TILE)
        p.tile = (long)(r.what >> 4);
    if (k == SKIP && ring >= 0) {
        p.gets[ring] += number_of(r);
        p.releases[ring] += number_of(r);
    }
    if (!of)
        return;
    const unsigned long long since = (unsigned long long)number_of(r) << UNIT;
    const bool waits = of == 'R' || of == 't' || of == 'w';
    slice(w, group, waits && since < time ? time - since : time, time, waits ? "wait" : "own", names[k].name, group);
    if (p.tile >= 0)
        fprintf(w.file, ",\"tile\":%ld", p.tile);
    if ((of == 'R' || of == 'r') && ring >= 0)
        slot(w, ring, note(w, p, r, ring, time));
    if ((of == 't' || of == 'T') && ring >= 0)
        fprintf(w.file, ",\"turns\":\"%s\",\"turn\":%u", w.b->name[w.rings[ring]].text, number_of(r));
    fprintf(w.file, "}},\n");
    if (k == COMMIT)
        p.committed[p.commits++ % 16] = time;
    if (k == WAIT)
        retire(w, p, group, object_of(r), time);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void slots(const writer &w, unsigned long long end)
{
    char text[32];
    for (u32 i = 0; i < w.nrings; i++)
        for (u32 index = 0; index < w.laps_used[i]; index++) {
            const lap &r = w.laps[i][index];
            const int number = RINGS_TRACK + 100 * (int)i + (int)(index % w.b->name[w.rings[i]].slots);
            const unsigned long long full = r.got ? (r.full > r.done ? r.full : r.done) : end;
            if (!r.begun)
                continue;
            snprintf(text, sizeof text, "put %u", index);
            slice(w, number, r.put, full, "slot", text, 0);
            slot(w, (int)i, index);
            fprintf(w.file, "}},\n");
            for (int half = 0; half < 2; half++) {
                head(w, half ? "e" : "b", COPIES_TRACK, half ? full : r.put);
                fprintf(w.file,
                        ",\"cat\":\"copy\",\"id\":\"%d.%u.%u\",\"name\":\"copy in\",\"args\":{\"group\":0,\"block\":0",
                        w.process, i, index);
                slot(w, (int)i, index);
                fprintf(w.file, "}},\n");
            }
            if (!r.got)
                continue;
            snprintf(text, sizeof text, "full %u", index);
            slice(w, number, full, r.released && r.free > full ? r.free : full, "slot", text, 0);
            slot(w, (int)i, index);
            fprintf(w.file, "}},\n");
        }
}

static void write_block(writer &w, const traced &t, int block)
{
    u32 origin = records_of(w, block, 0)->clock; /* of the first group to start */
    for (int g = 1; g < w.groups; g++)
        if ((int)(records_of(w, block, g)->clock - origin) < 0 && records_of(w, block, g)->what)
            origin = records_of(w, block, g)->clock;
    unsigned long long end = 0;
    record r;
    tracks(w, t, block);
    for (u32 i = 0; i < w.nrings; i++) {
        w.laps[i] = (lap *)calloc(INDEX_MOST, sizeof(lap));
        w.laps_used[i] = 0;
    }
    for (int g = 0; g < w.groups; g++) {
        passed p = {};
        p.tile = -1;
        reader read = reader_of(w, block, g, origin);
        while (read.next(r))
            own(w, p, r, g, read.time);
        retire(w, p, g, 0, read.time);
        end = read.time > end ? read.time : end;
    }
    slots(w, end);
    for (u32 i = 0; i < w.nrings; i++)
        free(w.laps[i]);
}

/* Writes the blocks of a launch from its buffer `b`.  */
static void write_launch(FILE *file, const traced &t, const buffer *b, int *processes)
{
    writer w = {};
    w.file = file;
    w.groups = t.groups;
    w.b = b;
    for (u32 i = 0; i < b->names && i < NAMES; i++)
        if (ring_of(w, b->name[i].object) < 0)
            w.rings[w.nrings++] = i;
    for (int block = 0; block < t.blocks && block < BLOCKS; block++) {
        w.process = ++*processes;
        write_block(w, t, block);
    }
}

static void write_file(FILE *file, const traced *launches, int count, bool (*fetch)(const traced &, buffer *))
{
    buffer *host = (buffer *)malloc(sizeof *host);
    int processes = 0;
    fprintf(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for (int i = 0; host && i < count; i++)
        if (fetch(launches[i], host))
            write_launch(file, launches[i], host, &processes);
        else
            fprintf(stderr, "WS_TRACE: the records of %s could not be read\n", launches[i].kernel);
    fprintf(file, "{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{}}]}\n");
    free(host);
}

static bool fetch_from_device(const traced &t, buffer *host)
{
    return cudaMemcpy(host, t.device, sizeof *host, cudaMemcpyDeviceToHost) == cudaSuccess;
}

inline void write_all()
{
    FILE *file = fopen(run.path, "w");
    if (!file) {
        fprintf(stderr, "WS_TRACE: cannot write %s\n", run.path);
        return;
    }
    cudaDeviceSynchronize();
    write_file(file, run.launch, run.count, fetch_from_device);
    if (fclose(file))
        fprintf(stderr, "WS_TRACE: the file could not be written\n");
}

/* Traces the next launch of this kernel, if WS_TRACE is set.  */
inline void attach(const char *kernel, int blocks, int threads, cudaStream_t stream)
{
    static buffer *set; /* the buffer of this object's kernels */
    if (!run.tried) {
        run.tried = true;
        run.path = ws_environment_("WS_TRACE");
        if (run.path && *run.path)
            atexit(write_all);
    }
    if (!run.path || !*run.path || run.broken)
        return;
    const bool fresh = run.count < LAUNCHES;
    traced &t = run.launch[fresh ? run.count : LAUNCHES - 1];
    if (fresh && (cudaMalloc((void **)&t.device, sizeof(buffer)) != cudaSuccess ||
                  cudaMemset(t.device, 0, sizeof(buffer)) != cudaSuccess)) {
        fprintf(stderr, "WS_TRACE: no memory on the device for more launches\n");
        cudaGetLastError();
        run.broken = true;
        return;
    }
    run.count += fresh;
    snprintf(t.kernel, sizeof t.kernel, "%s", kernel);
    t.blocks = blocks;
    t.groups = (threads + 127) / 128;
    static const u32 yes = 1;
    if (set != t.device) {
        cudaMemcpyToSymbolAsync(kept, &t.device, sizeof t.device, 0, cudaMemcpyHostToDevice, stream);
        cudaMemcpyToSymbolAsync(wanted, &yes, sizeof yes, 0, cudaMemcpyHostToDevice, stream);
    }
    set = t.device;
}

} // namespace trace
} // namespace ws

#endif
