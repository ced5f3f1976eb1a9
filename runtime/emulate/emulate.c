/* SPDX-License-Identifier: MIT */
/*
 * emulate.c - the host's side of an emulated launch.
 *
 * The checks are those of a real launcher: null and misaligned bases, extents, overlap of stored tensors.  CTAs run on
 * as many threads as there are processors.  Each CTA has a scheduler, whose order depends on the seed and the CTA's
 * number only, so a failing CTA can be replayed alone.  Of several failing CTAs the one with the lowest number is
 * reported, independently of the threads.
 */
#include "checks.h"
#include "costs.h"
#include "step.h"
#include "steps.h"
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <ws/backend.h>

enum { WARP_GROUP = 128, SHARED_ALIGNMENT = 1024, SHARED_MOST = WS_HOPPER_SHARED_BYTES };

/* ---- seed and size ----------------------------------------------------------------------------------------------- */

static _Atomic unsigned long chosen_seed;
static atomic_bool seed_chosen;
static atomic_int persistent_ctas = 4;

void ws_emulate_seed(unsigned long seed)
{
    chosen_seed = seed;
    seed_chosen = true;
}

static unsigned long seed_now(void)
{
    const char *text = ws_environment_("WS_SEED");
    if (seed_chosen)
        return chosen_seed;
    return text && *text ? strtoul(text, NULL, 0) : 1;
}

int ws_emulate_ctas(int ctas)
{
    return ctas > 0 ? atomic_exchange(&persistent_ctas, ctas) : atomic_load(&persistent_ctas);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

void ws_emulate_fail(ws_emulate_launch *launch, ws_status status, const char *format, ...)
{
    va_list list;
    if (launch->failed)
        return;
    launch->failed = true;
    va_start(list, format);
    ws_error_vset(status, format, list);
    va_end(list);
}

void ws_emulate_begin(ws_emulate_launch *launch, const char *kernel)
{
    ws_begin_launch();
    memset(launch, 0, sizeof *launch);
    launch->kernel = kernel;
}

bool ws_emulate_next_line(ws_emulate_launch *launch)
{
    return __atomic_fetch_add(&launch->lines, 1, __ATOMIC_RELAXED) < WS_MOST_LINES;
}

void ws_emulate_end(ws_emulate_launch *launch)
{
    if (launch->lines > WS_MOST_LINES)
        printf("%s: %u more lines\n", launch->kernel, launch->lines - WS_MOST_LINES);
    if (launch->ran)
        ws_emulate_check_told(launch);
    ws_emulate_remember(launch);
    ws_together_leave(launch->ran);
    for (int i = 0; i < launch->nshadows; i++)
        munmap(launch->shadows[i].written, launch->shadows[i].bytes);
    free(launch->shadows);
    free(launch->tensors);
}

void ws_emulate_use_tensor(ws_emulate_launch *launch, const ws_emulate_tensor *tensor)
{
    if (launch->failed)
        return;
    if (launch->ntensors == launch->room) {
        int room = launch->room ? 2 * launch->room : 16;
        ws_emulate_tensor *more = realloc(launch->tensors, room * sizeof *more);
        if (!more) {
            ws_emulate_fail(launch, WS_ERR_MEMORY, "%s: out of memory", launch->kernel);
            return;
        }
        launch->tensors = more;
        launch->room = room;
    }
    launch->tensors[launch->ntensors++] = *tensor;
    if (!tensor->array)
        launch->tensors[launch->ntensors - 1].array = launch->ntensors;
}

void ws_emulate_again(ws_emulate_launch *launch, const void *parameter)
{
    for (int i = 0; i + 1 < launch->ntensors && !launch->failed; i++)
        if (launch->tensors[i].parameter == parameter)
            launch->tensors[launch->ntensors - 1].array = launch->tensors[i].array;
}

void ws_emulate_of_table(ws_emulate_launch *launch)
{
    if (!launch->failed && launch->ntensors)
        launch->tensors[launch->ntensors - 1].of_table = true;
}

char *ws_emulate_tensor_begin(const ws_emulate_tensor *t)
{
    const ws_view view = ws_emulate_view(t);
    return t->base - (t->base - view.base);
}

char *ws_emulate_tensor_end(const ws_emulate_tensor *t)
{
    const ws_view view = ws_emulate_view(t);
    return t->base + (ws_view_end(&view) - t->base);
}

/* Checks the range from the tensor's first element to its last.  */
static void check_reach(ws_emulate_launch *launch, const ws_emulate_tensor *t)
{
    const int bad = ws_span_bad_extent(t->rank, t->extent);
    if (bad >= 0)
        ws_emulate_fail(launch, WS_ERR_ARGUMENT,
                        t->extent[bad] < 0 ? "%s: tensor %s: " WS_SPAN_NEGATIVE : "%s: tensor %s: " WS_SPAN_LARGE,
                        launch->kernel, t->name, t->extent[bad], bad);
    else if (t->use & WS_EMULATE_ROW_STRIDE && ws_span_rows_overlap(t->rank, t->extent, t->stride))
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: tensor %s: " WS_SPAN_ROWS, launch->kernel, t->name,
                        t->stride[t->rank - 2], t->extent[t->rank - 1]);
    const int beyond = ws_span_of(t->base, t->size, t->rank, t->extent, t->stride).beyond;
    if (beyond >= 0)
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: tensor %s: " WS_SPAN_BEYOND, launch->kernel, t->name, beyond,
                        t->extent[beyond], t->stride[beyond]);
}

char *ws_emulate_resident(ws_emulate_launch *launch, ws_emulate_tensor *tensor)
{
    check_reach(launch, tensor);
    const ws_view view = ws_emulate_view(tensor);
    char *begin = ws_emulate_tensor_begin(tensor), *end = ws_emulate_tensor_end(tensor);
    const long lead = tensor->base - begin;
    if (!tensor->base || launch->failed || ws_view_is_empty(&view))
        return tensor->base;
    if (ws_data_find_(launch->kernel, tensor->name, &begin, end, tensor->use & WS_EMULATE_STORED) != WS_OK)
        launch->failed = true;
    return tensor->base = begin + lead;
}

static void check_tensor(ws_emulate_launch *launch, const ws_emulate_tensor *t)
{
    if (t->stride[t->rank - 1] != 1)
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: tensor %s: " WS_SPAN_INNER, launch->kernel, t->name,
                        t->stride[t->rank - 1]);
    if (launch->failed || ws_emulate_is_empty(t))
        return;
    if (!t->base)
        launch->absent = launch->absent ? launch->absent : t->name;
    else if ((uintptr_t)t->base % t->size)
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: tensor %s: " WS_SPAN_UNALIGNED, launch->kernel, t->name, t->size);
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

/* Memories of devices are disjoint, and iterations of a loop over devices run at the same time.  */
static void check_devices(ws_emulate_launch *launch)
{
    for (int i = 0; i < launch->ntensors && !launch->failed; i++) {
        const ws_emulate_tensor *t = &launch->tensors[i];
        const ws_view view = ws_emulate_view(t);
        if (ws_emulate_is_empty(t) || !t->base)
            continue;
        struct ws_use use = {.kernel = launch->kernel,
                             .name = t->name,
                             .begin = ws_emulate_tensor_begin(t),
                             .end = ws_emulate_tensor_end(t),
                             .size = t->size,
                             .rank = t->rank,
                             .stored = (t->use & WS_EMULATE_STORED) != 0};
        memcpy(use.extent, t->extent, sizeof use.extent);
        memcpy(use.stride, view.stride, sizeof use.stride);
        use.in = t->in;
        use.out = t->out;
        launch->failed = ws_devices_use(&use) != WS_OK;
    }
    launch->failed = launch->failed || ws_devices_elsewhere_();
}

void ws_emulate_place(ws_emulate_launch *launch)
{
    for (int i = 0; i < launch->ntensors && !launch->failed; i++)
        check_tensor(launch, &launch->tensors[i]);
    if (!launch->failed)
        ws_emulate_check_overlap(launch);
    if (!launch->failed)
        check_devices(launch);
    launch->together.kernel = launch->kernel;
    if (!launch->failed)
        launch->failed = ws_together_enter(&launch->together) != WS_OK;
    if (!launch->failed && launch->together.block)
        ws_emulate_order(launch);
    if (!launch->failed)
        ws_emulate_add_shadows(launch);
}

bool ws_emulate_map(ws_emulate_launch *launch, const ws_emulate_tensor *tensor)
{
    if (launch->failed || ws_emulate_is_empty(tensor))
        return false;
    const char *name = tensor->name;
    for (int i = 0; i < launch->ntensors && !name; i++)
        if (ws_emulate_same_view(&launch->tensors[i], tensor))
            name = launch->tensors[i].name;
    if (!name)
        name = "?";
    if ((uintptr_t)tensor->base % 16) {
        ws_log_line("%s: tensor %s: base is not a multiple of 16 bytes; copied by the slower path", launch->kernel,
                    name);
        return false;
    }
    for (int i = 0; i + 1 < tensor->rank; i++)
        if (tensor->stride[i] < 0) {
            ws_log_line("%s: tensor %s: stride %ld of dimension %d goes downwards; copied by the slower path",
                        launch->kernel, name, tensor->stride[i], i);
            return false;
        } else if (tensor->stride[i] * tensor->size % 16) {
            ws_log_line("%s: tensor %s: leading dimension %ld is not a multiple of 16 bytes; copied by the slower path",
                        launch->kernel, name, tensor->stride[i]);
            return false;
        }
    return true;
}

ws_emulate_edge ws_emulate_edge_of(long extent, int rows)
{
    int left = (int)(extent % rows);
    return (ws_emulate_edge){extent, left ? extent - left : LONG_MAX, rows, left};
}

ws_emulate_edge ws_emulate_step_of(long extent, int rows, long step, int sharers)
{
    ws_step_boxes boxes = ws_step_boxes_of(extent, rows, step, sharers, LONG_MAX);
    return (ws_emulate_edge){extent, boxes.first, boxes.rows, boxes.edge_rows};
}

int ws_emulate_rows_brought(const ws_emulate_edge *edge, long row)
{
    return row >= edge->first ? edge->left : edge->rows;
}

int ws_emulate_rows_there(const ws_emulate_edge *edge, long row)
{
    long there = edge->extent - row;
    return there < 0 ? 0 : there < edge->rows ? (int)there : edge->rows;
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */

/* WS_TRACE=FILE: the launches of this process in order.  The file is complete after each launch.  */
static struct {
    pthread_mutex_t lock;
    FILE *file;
    bool tried;
    long end;      /* file position of the next launch */
    int processes; /* CTAs so far */
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char trace_tail[] = "{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{}}]}\n";

/* WS_MACHINE=FILE: steps take the time that the description says.  NULL: no description.  */
static const ws_machine *machine_now(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const ws_machine *machine;
    static bool tried;
    const char *path = ws_environment_("WS_MACHINE");
    int line;
    if (!path || !*path)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!tried) {
        machine = ws_machine_read(path, &line);
        if (!machine && line)
            fprintf(stderr, "WS_MACHINE: %s:%d: this is not understood; the order is that of the seed\n", path, line);
        else if (!machine)
            fprintf(stderr, "WS_MACHINE: cannot read %s; the order is that of the seed\n", path);
    }
    tried = true;
    pthread_mutex_unlock(&lock);
    return machine;
}

static bool is_traced(void)
{
    const char *path = ws_environment_("WS_TRACE");
    if (!path || !*path)
        return false;
    pthread_mutex_lock(&trace.lock);
    if (!trace.tried) {
        trace.tried = true;
        trace.file = fopen(path, "w");
        if (trace.file)
            trace.end = fprintf(trace.file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        else
            fprintf(stderr, "WS_TRACE: cannot write %s\n", path);
    }
    pthread_mutex_unlock(&trace.lock);
    return trace.file != NULL;
}

/* WS_TIMELINE=FILE: a picture of each launch's first CTA.  */
static void write_timeline(const char *text)
{
    static FILE *file;
    static bool tried;
    pthread_mutex_lock(&trace.lock);
    if (!tried && !(file = fopen(ws_environment_("WS_TIMELINE"), "w")))
        fprintf(stderr, "WS_TIMELINE: cannot write %s\n", ws_environment_("WS_TIMELINE"));
    tried = true;
    if (file && text) {
        fprintf(file, "%s\n", text);
        fflush(file);
    }
    pthread_mutex_unlock(&trace.lock);
}

static void write_trace(char **texts, int count)
{
    pthread_mutex_lock(&trace.lock);
    fseek(trace.file, trace.end, SEEK_SET);
    for (int i = 0; i < count; i++)
        if (texts[i])
            fputs(texts[i], trace.file);
    trace.end = ftell(trace.file);
    fputs(trace_tail, trace.file);
    if (fflush(trace.file))
        fprintf(stderr, "WS_TRACE: the file could not be written\n");
    pthread_mutex_unlock(&trace.lock);
}

/* The state that the threads of one launch share.  */
typedef struct {
    ws_emulate_launch *launch;
    void (*body)(void *arg);
    void *arg;
    int groups, ctas, cluster;
    size_t shared_bytes;
    unsigned long seed;
    atomic_int next;
    char **traces; /* of each CTA; NULL: no traces */
    int first_process;
    const ws_machine *machine;
    char *timeline; /* of the first CTA, if there is a timeline */
    bool drawn;
    pthread_mutex_t lock;
    int failed_cta;     /* lowest number; -1: none */
    atomic_ulong turns; /* of all schedulers */
    char report[2048];
} crew;

static void keep_report(crew *c, int cta, const char *text)
{
    pthread_mutex_lock(&c->lock);
    if (c->failed_cta < 0 || cta < c->failed_cta) {
        c->failed_cta = cta;
        snprintf(c->report, sizeof c->report, "%s", text);
        c->next = c->ctas; /* CTAs that have begun go on, so that the lowest failing one is known */
    }
    pthread_mutex_unlock(&c->lock);
}

static bool add_groups(crew *c, ws_sched *s)
{
    for (int i = 0; i < c->groups * c->cluster; i++)
        if (ws_sched_fiber(s, NULL, i % c->groups, c->body, c->arg) < 0)
            return false;
    return true;
}

/* Distance in bytes between the shared memories of two CTAs.  */
static size_t shared_room(const crew *c)
{
    return (c->shared_bytes + SHARED_ALIGNMENT) / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
}

/* Runs one CTA, or the cluster whose first CTA it is.  */
static void run_cta(crew *c, int number, ws_stacks *stacks, char *shared)
{
    ws_emulate_cta ctas[WS_EMULATE_CLUSTER];
    for (int i = 0; i < c->cluster; i++)
        ctas[i] = (ws_emulate_cta){c->launch, number + i, c->ctas, shared + (size_t)i * shared_room(c)};
    bool stepped = ws_step_begin(number);
    ws_sched_config config = {.kernel = c->launch->kernel,
                              .cta = number,
                              .seed = stepped ? ws_step_seed(c->seed) : c->seed,
                              .stacks = stacks,
                              .user = ctas,
                              .groups = c->cluster > 1 ? c->groups : 0};
    ws_sched *s = ws_sched_new(&config);
    bool drawn = c->drawn && number == 0, traced = s && (c->traces || drawn) && ws_sched_trace(s);
    if (s && c->machine)
        ws_sched_clock(s, c->machine);
    if (s && stepped)
        ws_sched_ask(s);
    /* All ones are NaN in every floating-point type, so a read before the first write shows.  */
    memset(shared, 0xff, (size_t)c->cluster * shared_room(c));
    if (!s || !add_groups(c, s))
        keep_report(c, number, "out of memory");
    else if (!ws_sched_run(s))
        keep_report(c, number, ws_sched_report(s));
    if (s && stepped)
        ws_step_end(s);
    if (s)
        c->turns += ws_sched_drawn(s);
    if (traced && c->traces)
        c->traces[number] = ws_sched_trace_text(s, c->first_process + number);
    if (traced && drawn)
        c->timeline = ws_sched_timeline_text(s);
    ws_sched_delete(s);
}

static void *work(void *arg)
{
    crew *c = arg;
    ws_stacks *stacks = ws_stacks_new();
    char *shared = aligned_alloc(SHARED_ALIGNMENT, (size_t)c->cluster * shared_room(c));
    if (stacks && shared) {
        for (int cta = c->cluster * c->next++; cta < c->ctas; cta = c->cluster * c->next++)
            run_cta(c, cta, stacks, shared);
    } else {
        keep_report(c, 0, "out of memory");
    }
    free(shared);
    ws_stacks_delete(stacks);
    return NULL;
}

static void run_crew(crew *c)
{
    enum { MOST_THREADS = 64 };
    pthread_t threads[MOST_THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int count = 0, wanted = ws_step_wanted() ? 1 : processors < c->ctas ? (int)processors : c->ctas;
    while (count + 1 < wanted && count < MOST_THREADS && !pthread_create(&threads[count], NULL, work, c))
        count++;
    work(c);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

int ws_emulate_size(ws_emulate_launch *launch, size_t shared_bytes, long tiles, bool persistent, int cluster)
{
    const ws_machine *machine = machine_now();
    int most =
        (machine && ws_machine_processors(machine) ? ws_machine_processors(machine) : ws_emulate_ctas(0)) / cluster;
    most = most > 0 ? most : 1;
    if (launch->absent && tiles > 0)
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: tensor %s: " WS_SPAN_NULL, launch->kernel, launch->absent);
    if (launch->failed || tiles <= 0)
        return 0;
    if (shared_bytes > SHARED_MOST) {
        ws_emulate_fail(launch, WS_ERR_LAUNCH, "%s: %zu bytes of shared memory are more than the %d of a block",
                        launch->kernel, shared_bytes, SHARED_MOST);
        return 0;
    }
    if (tiles > INT32_MAX / cluster) {
        ws_emulate_fail(launch, WS_ERR_ARGUMENT, "%s: the grid has %ld iterations, more than %d", launch->kernel, tiles,
                        INT32_MAX / cluster);
        return 0;
    }
    return cluster * (!persistent || tiles < most ? (int)tiles : most);
}

/* ---- measuring, for the choice among variants -------------------------------------------------------------------- */

/* Copies the tensors that the launch may store; NULL: no memory.  */
static char **save_stored(const ws_emulate_launch *launch)
{
    char **saved = calloc((size_t)launch->ntensors + 1, sizeof *saved);
    for (int i = 0; i < launch->ntensors && saved; i++) {
        const ws_emulate_tensor *t = &launch->tensors[i];
        if (!(t->use & WS_EMULATE_STORED) || ws_emulate_is_empty(t))
            continue;
        size_t bytes = (size_t)(ws_emulate_tensor_end(t) - ws_emulate_tensor_begin(t));
        saved[i] = malloc(bytes);
        if (saved[i])
            memcpy(saved[i], ws_emulate_tensor_begin(t), bytes);
    }
    return saved;
}

static void restore_stored(const ws_emulate_launch *launch, char **saved)
{
    for (int i = 0; i < launch->ntensors; i++) {
        const ws_emulate_tensor *t = &launch->tensors[i];
        if (saved[i])
            memcpy(ws_emulate_tensor_begin(t), saved[i],
                   (size_t)(ws_emulate_tensor_end(t) - ws_emulate_tensor_begin(t)));
        free(saved[i]);
    }
    free(saved);
}

void ws_emulate_run(ws_emulate_launch *launch, void (*body)(void *arg), void *arg, int threads, size_t shared_bytes,
                    long tiles, bool persistent, int cluster)
{
    int ctas = ws_emulate_size(launch, shared_bytes, tiles, persistent, cluster);
    if (ctas && ws_fault_(WS_FAULT_LOST, launch->kernel, launch->together.number)) {
        ws_emulate_fail(launch, WS_ERR_DEVICE, "device %d: lost while it ran %s (WS_FAULT)",
                        ws_devices_current() < 0 ? 0 : ws_devices_current(), launch->kernel);
        ws_devices_fail_();
        return;
    }
    if (!ctas)
        return;
    launch->ran = true;
    crew c = {.launch = launch,
              .body = body,
              .arg = arg,
              .groups = (threads + WARP_GROUP - 1) / WARP_GROUP,
              .ctas = ctas,
              .cluster = cluster,
              .shared_bytes = shared_bytes,
              .seed = seed_now(),
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .failed_cta = -1};
    c.machine = machine_now();
    if (is_traced())
        c.traces = calloc((size_t)ctas, sizeof *c.traces);
    if (c.traces) {
        pthread_mutex_lock(&trace.lock);
        c.first_process = trace.processes + 1;
        trace.processes += ctas;
        pthread_mutex_unlock(&trace.lock);
    }
    c.drawn = ws_environment_("WS_TIMELINE") && *ws_environment_("WS_TIMELINE");
    char **saved = ws_choosing() == WS_CHOOSING_BY_TIME ? save_stored(launch) : NULL;
    run_crew(&c);
    if (saved) {
        restore_stored(launch, saved);
        ws_choice_tell((double)c.turns);
    }
    if (c.drawn)
        write_timeline(c.timeline);
    free(c.timeline);
    if (c.traces)
        write_trace(c.traces, ctas);
    for (int i = 0; c.traces && i < ctas; i++)
        free(c.traces[i]);
    free(c.traces);
    pthread_mutex_destroy(&c.lock);
    if (c.failed_cta >= 0)
        ws_emulate_fail(launch, WS_ERR_PROTOCOL, "%s", c.report);
}
