/* SPDX-License-Identifier: MIT */
/*
 * devices.c - loops over devices: which device an iteration is on, whose memory is whose, and who touches what.
 *
 *   #pragma ws devices(n)                    ws_devices_begin_(n);
 *   for (int r = 0; r < n; r++)              for (int r = 0; r < n; r++) {
 *       ...                                      ws_devices_next_(r);       this thread's launches go to device r
 *                                                ...
 *                                            }
 *                                            ws_devices_end_();             what follows waits for all of them
 *
 * Iterations run at the same time, so none may store what another one loads or stores.  Every launch says which
 * tensors it takes; those of different iterations are compared, and a launch that would race fails.  With that check
 * the loop means what it means without the pragma.
 */
#include "ws/backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- what knows the devices -------------------------------------------------------------------------------------- */

static _Atomic(const struct ws_backend_devices *) devices_registered;

void ws_backend_register_devices(const struct ws_backend_devices *devices)
{
    const struct ws_backend_devices *none = NULL;
    atomic_compare_exchange_strong(&devices_registered, &none, devices);
}

/* NULL where kernels run on the CPU.  */
static const struct ws_backend_devices *devices_backend(void)
{
    return strcmp(ws_backend_current()->name, "host") ? atomic_load(&devices_registered) : NULL;
}

int ws_devices(void)
{
    return devices_backend() ? devices_backend()->count() : 1;
}

/* ---- memory of a device ------------------------------------------------------------------------------------------ */

struct stretch {
    const char *begin, *end;
    int device;
};
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stretch *stretches;
static size_t nstretches, stretches_room;

static bool keep_stretch(struct stretch stretch)
{
    bool kept = true;
    pthread_mutex_lock(&memory_lock);
    if (nstretches == stretches_room) {
        size_t room = stretches_room ? 2 * stretches_room : 64;
        struct stretch *more = realloc(stretches, room * sizeof *more);
        kept = more != NULL;
        stretches = more ? more : stretches;
        stretches_room = more ? room : stretches_room;
    }
    if (kept)
        stretches[nstretches++] = stretch;
    pthread_mutex_unlock(&memory_lock);
    return kept;
}

void ws_devices_forget(const void *p)
{
    pthread_mutex_lock(&memory_lock);
    for (size_t i = 0; i < nstretches; i++)
        if (stretches[i].begin == p)
            stretches[i--] = stretches[--nstretches];
    pthread_mutex_unlock(&memory_lock);
}

int ws_devices_owner(const void *p)
{
    int device = -1;
    pthread_mutex_lock(&memory_lock);
    for (size_t i = 0; i < nstretches && device < 0; i++)
        if (stretches[i].begin <= (const char *)p && (const char *)p < stretches[i].end)
            device = stretches[i].device;
    pthread_mutex_unlock(&memory_lock);
    return device;
}

void *ws_alloc_on(int device, size_t bytes)
{
    if (device < 0) {
        ws_error_set(WS_ERR_ARGUMENT, "ws_alloc_on: there is no device %d", device);
        return NULL;
    }
    void *p = devices_backend() ? devices_backend()->alloc(device, bytes) : ws_backend_current()->alloc(bytes);
    if (p && !keep_stretch((struct stretch){p, (char *)p + (bytes ? bytes : 1), device})) {
        ws_backend_current()->free(p);
        p = NULL;
    }
    if (!p)
        ws_error_set(WS_ERR_MEMORY, "ws_alloc_on: no memory for %zu bytes on device %d", bytes, device);
    return p;
}

static bool in_block_of_grids(void);

/* ---- the loop that this thread is in ----------------------------------------------------------------------------- */

static _Thread_local struct {
    int depth; /* loops over devices around this place */
    bool failed;
    long devices;
    long device;         /* of this iteration; -1: before the first one */
    void *stream;        /* the caller's */
    struct ws_use *uses; /* each once for an iteration */
    size_t count, room;
} device_loop = {.device = -1};

int ws_devices_current(void)
{
    return device_loop.depth ? (int)device_loop.device : -1;
}

static void fail_loop(ws_status status)
{
    device_loop.failed = device_loop.failed || status != WS_OK;
}

void ws_devices_begin_(long devices)
{
    ws_begin_launch();
    if (device_loop.depth++) {
        fail_loop(ws_error_set(WS_ERR_ARGUMENT, "a loop over devices is inside another one"));
        return;
    }
    device_loop.failed = false;
    device_loop.devices = devices;
    device_loop.device = -1;
    device_loop.count = 0;
    device_loop.stream = ws_stream();
    if (in_block_of_grids())
        fail_loop(ws_error_set(WS_ERR_ARGUMENT, "a loop over devices is in a block of grids that run together"));
    else if (devices < 0)
        fail_loop(ws_error_set(WS_ERR_ARGUMENT, "devices(%ld): a number of devices is not negative", devices));
}

void ws_devices_next_(long iteration)
{
    if (device_loop.depth != 1)
        return;
    if (!device_loop.failed && iteration != device_loop.device + 1)
        fail_loop(ws_error_set(WS_ERR_ARGUMENT,
                               "a loop over devices counts 0, 1, 2 and so on; iteration %ld is its %ld.", iteration,
                               device_loop.device + 2));
    else if (!device_loop.failed && iteration >= device_loop.devices)
        fail_loop(ws_error_set(WS_ERR_ARGUMENT, "devices(%ld): the loop has an iteration %ld", device_loop.devices,
                               iteration));
    device_loop.device++;
    if (!device_loop.failed && devices_backend())
        fail_loop(devices_backend()->enter((int)device_loop.device, device_loop.stream));
}

void ws_devices_end_(void)
{
    if (!device_loop.depth || --device_loop.depth)
        return;
    if (device_loop.device >= 0 && devices_backend()) {
        devices_backend()->leave((int)device_loop.device + 1, device_loop.stream);
        ws_set_stream(device_loop.stream);
    }
    device_loop.device = -1;
    device_loop.count = 0;
    free(device_loop.uses);
    device_loop.uses = NULL;
    device_loop.room = 0;
}

/* ---- who touches what -------------------------------------------------------------------------------------------- */

static long common_divisor(long x, long y)
{
    while (y) {
        long rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static long period_of_use(const struct ws_use *use, long period)
{
    for (int i = 0; i + 1 < use->rank; i++)
        if (use->extent[i] > 1)
            period = common_divisor(use->stride[i] * use->size, period);
    return period;
}

/* Elements of a view lie, modulo the common divisor of all outer strides, in one window.  */
static bool uses_apart(const struct ws_use *x, const struct ws_use *y)
{
    if (x->end <= y->begin || y->end <= x->begin)
        return true;
    long period = period_of_use(y, period_of_use(x, 0));
    long width = x->extent[x->rank - 1] * x->size, other = y->extent[y->rank - 1] * y->size;
    if (period <= 0 || width + other > period)
        return false;
    long offset = (y->begin - x->begin) % period;
    offset += offset < 0 ? period : 0;
    return offset >= width && offset + other <= period;
}

static bool same_use(const struct ws_use *x, const struct ws_use *y)
{
    bool same = x->device == y->device && x->begin == y->begin && x->end == y->end && x->size == y->size &&
                x->rank == y->rank && (x->stored || !y->stored);
    for (int i = 0; same && i < x->rank; i++)
        same = x->extent[i] == y->extent[i] && x->stride[i] == y->stride[i];
    return same;
}

static ws_status remember_use(const struct ws_use *use)
{
    for (size_t i = 0; i < device_loop.count; i++)
        if (same_use(&device_loop.uses[i], use))
            return WS_OK;
    if (device_loop.count == device_loop.room) {
        size_t room = device_loop.room ? 2 * device_loop.room : 64;
        struct ws_use *more = realloc(device_loop.uses, room * sizeof *more);
        if (!more)
            return ws_error_set(WS_ERR_MEMORY, "%s: %s: no memory to remember it", use->kernel, use->name);
        device_loop.uses = more;
        device_loop.room = room;
    }
    device_loop.uses[device_loop.count++] = *use;
    return WS_OK;
}

/* Of memory that ws_alloc_on made: a launch loads from other devices in a loop over devices alone, and stores to its
   own. */
static ws_status check_owner(const struct ws_use *use)
{
    int owner = ws_devices_owner(use->begin), here = device_loop.depth ? (int)device_loop.device : 0;
    if (owner < 0 || owner == here || (device_loop.depth && !use->stored))
        return WS_OK;
    if (use->stored && device_loop.depth)
        return ws_error_set(WS_ERR_DEVICE, "%s: %s: is stored by device %d, and is memory of device %d", use->kernel,
                            use->name, here, owner);
    return ws_error_set(WS_ERR_DEVICE, "%s: %s: is memory of device %d, and the launch is in no loop over devices",
                        use->kernel, use->name, owner);
}

/* ---- grids that run together ------------------------------------------------------------------------------------- */

/* Launches of a block run beside each other, but for those that touch what an earlier one stores, or store what it
   touches: they wait for it.  That is the block's order, as far as anybody can see.  */
enum { LANES = 4, LAUNCHES = 32 };

struct together_use {
    struct ws_use use;
    int launch;
};
static _Thread_local struct {
    int depth;
    bool pending;              /* a launch has said what it uses, and has not been entered */
    bool entered;              /* its lane is the thread's stream */
    bool any;                  /* since the lanes were joined */
    int launches;              /* so many, the pending one not counted */
    unsigned behind[LAUNCHES]; /* launches that each one comes behind, as a mask */
    int share[LAUNCHES], lane_of[LAUNCHES];
    int lane;        /* of the entered one */
    int last[LANES]; /* launch of each lane, or -1 */
    void *stream;    /* of the block's launches before and after it */
    struct together_use *uses;
    size_t count, room;
} together;

static bool in_block_of_grids(void)
{
    return together.depth > 0;
}

static void forget_launches(void)
{
    together.launches = 0;
    together.count = 0;
    together.pending = together.any = false;
    for (int i = 0; i < LANES; i++)
        together.last[i] = -1;
}

static void join_launches(void)
{
    if (together.any && devices_backend())
        devices_backend()->join_lanes(together.last, LANES, together.stream);
    forget_launches();
}

void ws_together_begin_(void)
{
    if (together.depth++)
        return;
    together.stream = ws_stream();
    forget_launches();
}

void ws_together_end_(void)
{
    if (!together.depth || --together.depth)
        return;
    join_launches();
    free(together.uses);
    together.uses = NULL;
    together.room = 0;
}

static ws_status note_use(const struct ws_use *use)
{
    together.pending = true;
    if (together.count == together.room) {
        size_t room = together.room ? 2 * together.room : 64;
        struct together_use *more = realloc(together.uses, room * sizeof *more);
        if (!more)
            return ws_error_set(WS_ERR_MEMORY, "%s: %s: no memory to remember it", use->kernel, use->name);
        together.uses = more;
        together.room = room;
    }
    together.uses[together.count++] = (struct together_use){*use, together.launches};
    return WS_OK;
}

/* The launches that the pending one has to wait for.  */
static unsigned conflicts(void)
{
    unsigned mask = 0;
    for (size_t i = 0; i < together.count; i++)
        for (size_t j = 0; j < together.count && together.uses[i].launch == together.launches; j++) {
            const struct together_use *mine = &together.uses[i], *other = &together.uses[j];
            if (other->launch < together.launches && (mine->use.stored || other->use.stored) &&
                !uses_apart(&mine->use, &other->use))
                mask |= 1u << other->launch;
        }
    return mask;
}

static unsigned with_their_own(unsigned mask)
{
    unsigned all = mask;
    for (int i = 0; i < LAUNCHES; i++)
        if (mask >> i & 1)
            all |= together.behind[i];
    return all;
}

/* Behind one that is waited for anyway, or, of those with a share, behind another such one, else where nothing is, else
   behind the oldest.  */
static int choose_lane(unsigned waits, int share)
{
    int best = -1, oldest = 0;
    for (int i = 0; i < LANES; i++) {
        const int last = together.last[i];
        const bool joins = last >= 0 && (share ? together.share[last] > 0 : (waits >> last & 1) != 0);
        if (joins && (best < 0 || last > together.last[best]))
            best = i;
        if (together.last[i] < together.last[oldest])
            oldest = i;
    }
    return best < 0 ? oldest : best;
}

/* What launches of a lane hold, one after the other, while one runs that is behind those of the mask.  */
static int share_of_lane(int lane, unsigned behind, int launches)
{
    int share = 0;
    for (int i = 0; i < launches; i++)
        if (together.lane_of[i] == lane && !(behind >> i & 1) && together.share[i] > share)
            share = together.share[i];
    return share;
}

ws_status ws_together_enter(int share, int *taken)
{
    *taken = 0;
    if (!together.depth || !together.pending || !devices_backend())
        return WS_OK;
    if (together.launches == LAUNCHES) { /* the block goes on as another one */
        size_t kept = 0;
        for (size_t i = 0; i < together.count; i++)
            if (together.uses[i].launch == LAUNCHES)
                together.uses[kept++] = (struct together_use){together.uses[i].use, 0};
        join_launches();
        together.count = kept;
    }
    const int launch = together.launches;
    unsigned waits = conflicts();
    const int lane = choose_lane(waits, share), before = together.last[lane];
    const unsigned ahead = before >= 0 ? with_their_own(1u << before) : 0;
    ws_status status = devices_backend()->enter_lane(lane, !together.any, waits & ~ahead, together.stream);
    if (status != WS_OK)
        return status;
    together.behind[launch] = with_their_own(waits) | ahead;
    together.share[launch] = share;
    for (int i = 0; i < LANES; i++)
        *taken += share_of_lane(i, together.behind[launch], launch);
    together.last[lane] = launch;
    together.lane_of[launch] = lane;
    together.lane = lane;
    together.launches++;
    together.any = together.entered = true;
    together.pending = false;
    return WS_OK;
}

void ws_together_leave(void)
{
    together.pending = false;
    if (!together.entered)
        return;
    together.entered = false;
    devices_backend()->leave_lane(together.lane, together.launches - 1);
    ws_set_stream(together.stream);
}

/* ---- what a launch says ------------------------------------------------------------------------------------------ */

ws_status ws_devices_use(const struct ws_use *tensor)
{
    struct ws_use use = *tensor;
    use.device = (int)device_loop.device;
    ws_status status = check_owner(&use);
    if (status == WS_OK && together.depth && devices_backend())
        status = note_use(&use);
    if (status != WS_OK || !device_loop.depth)
        return status;
    if (device_loop.failed)
        return ws_error_set(WS_ERR_LAUNCH, "%s: not launched, since its loop over devices has failed", use.kernel);
    for (size_t i = 0; i < device_loop.count && status == WS_OK; i++) {
        const struct ws_use *other = &device_loop.uses[i];
        if (other->device == use.device || !(other->stored || use.stored) || uses_apart(other, &use))
            continue;
        status = ws_error_set(WS_ERR_OVERLAP,
                              "%s: %s: is %s by iteration %d of a loop over devices, and overlaps %s, "
                              "which iteration %d %s (%s)",
                              use.kernel, use.name, use.stored ? "stored" : "loaded", use.device, other->name,
                              other->device, other->stored ? "stores" : "loads", other->kernel);
    }
    if (status == WS_OK)
        status = remember_use(&use);
    fail_loop(status);
    return status;
}
