/* SPDX-License-Identifier: MIT */
/*
 * ws/backend.h - how emitted code and the runtime library meet.  Not for users' programs.
 *
 * The library knows no device.  Code that does (the emitted CUDA object) registers a table of functions when it is
 * loaded, and ws_alloc, ws_copy and ws_sync go through that table from then on.
 */
#ifndef WS_BACKEND_H
#define WS_BACKEND_H

#include <stdarg.h>
#include <stddef.h>
#include <ws.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ws_backend {
    const char *name;                                            /* "host", "cuda" */
    void *(*alloc)(size_t bytes);                                /* NULL: none left */
    void (*free)(void *p);                                       /* p is from alloc */
    ws_status (*copy)(void *to, const void *from, size_t bytes); /* either side host or device; complete on return */
    ws_status (*sync)(void);                                     /* the calling thread's stream (ws_stream) */
    int (*is_device_pointer)(const void *p);                     /* nonzero: the host cannot read it */
};

/* The table stays the caller's and must outlive the process.  Registering a table of the same name again is nothing; a
   device wins over the host.  Callable from a constructor.  */
void ws_backend_register(const struct ws_backend *backend);
const struct ws_backend *ws_backend_current(void);

/* The same for an object that holds kernels for cuda and for emulation: of whether the table is registered the library
   decides when it is first needed (target.c).  `why_not` says why there is no device to run on, or returns NULL.  */
void ws_backend_offer(const struct ws_backend *backend, const char *(*why_not)(void));
/* The one of two launchers that this process takes.  */
typedef void (*ws_launcher)(void);
ws_launcher ws_choose_launcher(ws_launcher cuda, ws_launcher emulate);

/* Keep this thread's first error until ws_last_error reads it; returns status.  */
ws_status ws_error_set(ws_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
ws_status ws_error_vset(ws_status status, const char *format, va_list list);
ws_status ws_error_pending(void); /* the same without clearing */
/* Every launch says so: an error of this thread that nobody has read by then is shown.  */
void ws_begin_launch(void);

/* One line to the user's log; 0 if there is none.  */
int ws_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *ws_stream(void); /* what this thread gave to ws_set_stream, or NULL */

#ifdef __cplusplus
}
#endif
#endif
