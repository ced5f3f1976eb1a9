/* SPDX-License-Identifier: MIT */
/*
 * host.c - the environment of kernels: the log, the stream, and memory; error.c has errors.
 *
 * Each thread has a stream; the log and the backend belong to the process.
 */
#include "target.h"
#include "ws/backend.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static struct {
    atomic_flag busy;
    void (*line)(const char *text, void *user);
    void *user;
} log_sink = {.busy = ATOMIC_FLAG_INIT};

static void lock_log(void)
{
    while (atomic_flag_test_and_set_explicit(&log_sink.busy, memory_order_acquire))
        ;
}

static void unlock_log(void)
{
    atomic_flag_clear_explicit(&log_sink.busy, memory_order_release);
}

void ws_set_log(void (*line)(const char *text, void *user), void *user)
{
    lock_log();
    log_sink.line = line;
    log_sink.user = user;
    unlock_log();
}

int ws_log_line(const char *format, ...)
{
    char text[512];
    va_list list;
    lock_log();
    void (*line)(const char *, void *) = log_sink.line;
    void *user = log_sink.user;
    unlock_log();
    if (!line)
        return 0;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    line(text, user);
    return 1;
}

/* ---- the backend ------------------------------------------------------------------------------------------------- */

static void *host_alloc(size_t bytes)
{
    void *p = NULL;
    return posix_memalign(&p, 256, bytes ? bytes : 1) == 0 ? p : NULL;
}

static ws_status host_copy(void *to, const void *from, size_t bytes)
{
    memmove(to, from, bytes);
    return WS_OK;
}

static ws_status host_sync(void)
{
    return WS_OK;
}

static int host_is_device_pointer(const void *p)
{
    (void)p;
    return 0;
}

static const struct ws_backend host = {"host", host_alloc, free, host_copy, host_sync, host_is_device_pointer};
static _Atomic(const struct ws_backend *) current = &host;

void ws_backend_register(const struct ws_backend *backend)
{
    if (strcmp(atomic_load(&current)->name, backend->name) != 0 && strcmp(backend->name, "host") != 0)
        atomic_store(&current, backend);
}

const struct ws_backend *ws_backend_current(void)
{
    ws_choose_target();
    return atomic_load(&current);
}

/* ---- memory and the stream --------------------------------------------------------------------------------------- */

void *ws_alloc(size_t bytes)
{
    void *p = ws_backend_current()->alloc(bytes);
    if (!p)
        ws_error_set(WS_ERR_MEMORY, "ws_alloc: no memory for %zu bytes", bytes);
    return p;
}

void ws_free(void *p)
{
    if (!p)
        return;
    ws_devices_forget(p);
    ws_backend_current()->free(p);
}

ws_status ws_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 0)
        return WS_OK;
    if (!to || !from)
        return ws_error_set(WS_ERR_ARGUMENT, "ws_copy: the %s pointer is null", to ? "source" : "destination");
    return ws_backend_current()->copy(to, from, bytes);
}

ws_status ws_sync(void)
{
    ws_begin_launch();
    return ws_backend_current()->sync();
}

static _Thread_local void *stream;

void ws_set_stream(void *cuda_stream)
{
    stream = cuda_stream;
}

void *ws_stream(void)
{
    return stream;
}
