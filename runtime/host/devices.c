/* SPDX-License-Identifier: MIT */
/*
 * devices.c - loops over devices: the device of an iteration, the owner of memory, and conflicts of access.
 *
 *   #pragma ws devices(n)                    ws_devices_begin_(n);
 *   for (int r = 0; r < n; r++)              for (int r = 0; r < n; r++) {
 *       ...                                      ws_devices_next_(r);       this thread's launches go to device r
 *                                                ...
 *                                            }
 *                                            ws_devices_end_();             later work waits for all of them
 *
 * Two adjacent loops have ws_devices_again_(n) between them, which does both.
 *
 * Iterations run at the same time, so none may store memory that another loads or stores.  Every launch records its
 * tensors.  Tensors of different iterations are compared, and a launch that would race fails.  With that check the loop
 * has the meaning that it has without the pragma.
 */
#include "target.h"
#include "ws/backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- the backend of devices -------------------------------------------------------------------------------------- */

static _Atomic(const struct ws_backend_devices *) devices_registered;

void ws_backend_register_devices(const struct ws_backend_devices *devices)
{
    const struct ws_backend_devices *none = NULL;
    atomic_compare_exchange_strong(&devices_registered, &none, devices);
}

/* NULL if kernels run on the CPU.  */
const struct ws_backend_devices *ws_devices_backend(void)
{
    return strcmp(ws_backend_current()->name, "host") ? atomic_load(&devices_registered) : NULL;
}

int ws_devices(void)
{
    return ws_devices_backend() ? ws_devices_backend()->count() : 1;
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

bool ws_devices_keep(void *p, size_t bytes, int device)
{
    return keep_stretch((struct stretch){p, (char *)p + (bytes ? bytes : 1), device});
}

/* The bytes of that memory from p on; -1 for memory that is not from ws_alloc_on.  */
static long bytes_from(const char *p)
{
    long bytes = -1;
    pthread_mutex_lock(&memory_lock);
    for (size_t i = 0; i < nstretches && bytes < 0; i++)
        if (stretches[i].begin <= p && p < stretches[i].end)
            bytes = stretches[i].end - p;
    pthread_mutex_unlock(&memory_lock);
    return bytes;
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
    void *p = ws_devices_backend() ? ws_devices_backend()->alloc(device, bytes) : ws_backend_current()->alloc(bytes);
    if (p && !keep_stretch((struct stretch){p, (char *)p + (bytes ? bytes : 1), device})) {
        ws_backend_current()->free(p);
        p = NULL;
    }
    if (!p)
        ws_error_set(WS_ERR_MEMORY, "ws_alloc_on: no memory for %zu bytes on device %d", bytes, device);
    return p;
}

/* ---- the loop that this thread is in ----------------------------------------------------------------------------- */

static _Thread_local struct {
    int depth; /* number of enclosing loops over devices */
    bool failed;
    bool again; /* in a block of grids, after another such loop */
    bool met;   /* directly after another such loop */
    int before; /* devices of that loop, whose ends the end of this loop covers */
    long devices;
    long device;         /* of this iteration; -1: before the first one */
    void *stream;        /* the caller's stream */
    struct ws_use *uses; /* each tensor once for an iteration */
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

void ws_devices_fail_(void)
{
    device_loop.failed = device_loop.failed || device_loop.depth > 0;
}

void ws_devices_begin_(long devices)
{
    ws_begin_launch();
    if (device_loop.depth++) {
        fail_loop(ws_error_set(WS_ERR_ARGUMENT, "a loop over devices is inside another one"));
        return;
    }
    device_loop.failed = device_loop.met = false;
    device_loop.before = 0;
    device_loop.devices = devices;
    device_loop.device = -1;
    device_loop.count = 0;
    device_loop.stream = ws_stream();
    device_loop.again = ws_together_loop_begins(devices);
    fail_loop(ws_team_loop_begins(devices));
    if (!device_loop.failed && devices < 0)
        fail_loop(ws_error_set(WS_ERR_ARGUMENT, "devices(%ld): a number of devices is not negative", devices));
}

static enum ws_enter how_to_enter(void)
{
    return device_loop.again || ws_team_now() ? WS_ENTER_AGAIN
           : device_loop.met                  ? WS_ENTER_MET
           : ws_together_open()               ? WS_ENTER_APART
                                              : WS_ENTER_IN;
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
    if (!device_loop.failed && ws_devices_backend() && !ws_devices_elsewhere_())
        fail_loop(ws_devices_backend()->enter((int)device_loop.device, device_loop.stream, how_to_enter()));
}

void ws_devices_end_(void)
{
    if (!device_loop.depth || --device_loop.depth)
        return;
    const int ran = (int)device_loop.device + 1, devices = ran > device_loop.before ? ran : device_loop.before;
    if (ws_devices_backend() && devices)
        ws_set_stream(device_loop.stream);
    device_loop.device = -1;
    if (!ws_together_loop_ends(devices) && ws_devices_backend() && devices)
        ws_devices_backend()->leave(devices, device_loop.stream);
    else if (ws_devices_backend() && devices)
        ws_devices_backend()->leave(0, device_loop.stream);
    ws_team_loop_ends(device_loop.failed);
    device_loop.count = 0;
    free(device_loop.uses);
    device_loop.uses = NULL;
    device_loop.room = 0;
}

/* Without this function each device would wait twice, by way of the caller's stream.  Measured in
   bench/notes/devices.md.  */
void ws_devices_again_(long devices)
{
    const struct ws_backend_devices *backend = ws_devices_backend();
    const int ran = (int)device_loop.device + 1;
    const bool direct = backend && device_loop.depth == 1 && !device_loop.failed && ran > 0 && devices >= 0 &&
                        !ws_team_now() && !ws_together_open();
    if (!direct) {
        ws_devices_end_();
        ws_devices_begin_(devices);
        return;
    }
    ws_set_stream(device_loop.stream);
    ws_begin_launch();
    fail_loop(backend->mark(ran > device_loop.before ? ran : device_loop.before));
    device_loop.before = ran > device_loop.before ? ran : device_loop.before;
    device_loop.met = true;
    device_loop.devices = devices;
    device_loop.device = -1;
    device_loop.count = 0;
}

void ws_devices_meet(int devices)
{
    if (ws_devices_backend())
        ws_devices_backend()->leave(devices, ws_stream());
}

void ws_devices_wait_all(int devices, bool again)
{
    if (ws_devices_backend() && ws_devices_backend()->wait_all)
        fail_loop(ws_devices_backend()->wait_all(devices, again));
}

/* ---- conflicts of access ----------------------------------------------------------------------------------------- */

/* True if the elements lie in different windows.  A view lies in one window modulo the common divisor of all outer
   strides.  */
int ws_uses_apart(const struct ws_use *x, const struct ws_use *y)
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

/* Checks memory of ws_alloc_on.  Only a loop over devices may load from other devices, and a launch stores to its
   own.  */
static ws_status check_owner(const struct ws_use *use)
{
    if (ws_team_now() && bytes_from(use->begin) >= 0 && bytes_from(use->begin) < use->end - use->begin)
        return ws_error_set(WS_ERR_ARGUMENT,
                            "%s: %s: has %ld bytes here, and rank %d has allocated %ld from there on: are shapes the "
                            "same on all ranks?",
                            use->kernel, use->name, (long)(use->end - use->begin), ws_devices_owner(use->begin),
                            bytes_from(use->begin));
    int owner = ws_devices_owner(use->begin), here = device_loop.depth ? (int)device_loop.device : 0;
    if (owner < 0 || owner == here || (device_loop.depth && !use->stored))
        return WS_OK;
    if (use->stored && device_loop.depth)
        return ws_error_set(WS_ERR_DEVICE, "%s: %s: is stored by device %d, and is memory of device %d", use->kernel,
                            use->name, here, owner);
    return ws_error_set(WS_ERR_DEVICE, "%s: %s: is memory of device %d, and the launch is in no loop over devices",
                        use->kernel, use->name, owner);
}

/* ---- the tensors of a launch ------------------------------------------------------------------------------------- */

ws_status ws_devices_use(const struct ws_use *tensor)
{
    struct ws_use use = *tensor;
    use.device = (int)device_loop.device;
    if (device_loop.depth)
        ws_team_note(&use);
    ws_status status = check_owner(&use);
    if (status != WS_OK)
        fail_loop(status);
    if (status == WS_OK && ws_together_open() && !ws_devices_elsewhere_())
        status = ws_together_use(&use);
    if (status != WS_OK || !device_loop.depth)
        return status;
    if (device_loop.failed)
        return ws_error_set(WS_ERR_LAUNCH, "%s: not launched, since its loop over devices has failed", use.kernel);
    for (size_t i = 0; i < device_loop.count && status == WS_OK; i++) {
        const struct ws_use *other = &device_loop.uses[i];
        if (other->device == use.device || !(other->stored || use.stored) || ws_uses_apart(other, &use))
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
