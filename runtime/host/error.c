/* SPDX-License-Identifier: MIT */
/*
 * error.c - errors: kept for the thread, and printed if the program does not read them.
 *
 * A thread keeps its first error until ws_last_error reads it.  An unread error is printed to standard error at this
 * thread's next launch or ws_sync, at the thread's end, or at the program's end.  A program that leaves an error unread
 * and would end with status 0 ends with 3, since its results are wrong.
 *
 * Findings of the emulation (WS_ERR_PROTOCOL) are printed at once, like a sanitizer's, and make that status 1.  A
 * program that has called ws_last_error or ws_error_message before reads its errors itself.  Nothing is printed before
 * its end.
 */
#define _GNU_SOURCE /* on_exit, RTLD_NODELETE */
#include "ws/backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 2048 /* the emulation reports a line for each group */, MOST_LINES = 8 };
enum { STATUS_FINDING = 1, STATUS_UNREAD = 3 };

/* A thread's first error since it last read one.  */
struct thread_error {
    ws_status status;
    bool read;    /* the text was read, the status was not */
    bool shown;   /* on standard error */
    bool finding; /* the emulation has found something since */
    bool listed;
    unsigned long count;
    pid_t process; /* a forked child has its parent's memory, but not its errors */
    struct thread_error *next;
    char message[MESSAGE_BYTES];
};

static _Thread_local struct thread_error mine;
static pthread_mutex_t errors_lock = PTHREAD_MUTEX_INITIALIZER; /* for the variables below, and for each thread's
                                                                   error */
static struct thread_error *listed_errors;                      /* of all threads that have had an error */
static int status_left;                                         /* exit status that an ended thread asks for, ... */
static pid_t process_left;                                      /* ... in this process */
static int lines_shown;
static unsigned long lines_left_out;
static atomic_bool program_reads;

/* ---- WS_ERRORS --------------------------------------------------------------------------------------------------- */

static enum { SHOW_UNREAD, SHOW_NONE, SHOW_ALL, SHOW_AND_ABORT } show_mode;
static pthread_key_t error_key;
static pthread_once_t error_once = PTHREAD_ONCE_INIT;

static void end_thread(void *own);

static void read_mode(void)
{
    const char *text = ws_environment_("WS_ERRORS");
    pthread_key_create(&error_key, end_thread);
    if (!text || !*text)
        return;
    if (!strcmp(text, "quiet"))
        show_mode = SHOW_NONE;
    else if (!strcmp(text, "print"))
        show_mode = SHOW_ALL;
    else
        show_mode = SHOW_AND_ABORT;
}

/* ---- on standard error ------------------------------------------------------------------------------------------- */

static void show_line(const char *message)
{
    if (show_mode == SHOW_UNREAD && lines_shown == MOST_LINES) {
        lines_left_out++;
        return;
    }
    lines_shown++;
    fprintf(stderr, "ws: %s\n", message);
}

static void show_unread(struct thread_error *error)
{
    if (show_mode != SHOW_UNREAD || error->status == WS_OK || error->read || error->shown || error->process != getpid())
        return;
    error->shown = true;
    show_line(error->message);
}

/* The exit status that a thread's error asks for; 0: none.  */
static int wanted_status(const struct thread_error *error)
{
    if (error->process != getpid())
        return 0;
    if (error->finding)
        return STATUS_FINDING;
    return error->status != WS_OK && !error->read ? STATUS_UNREAD : 0;
}

/* A finding takes precedence.  */
static int stronger(int status, int other)
{
    return status == STATUS_FINDING || !other ? status : other;
}

/* At a thread's end, its error is printed and removed from the list.  */
static void end_thread(void *own)
{
    struct thread_error *error = own;
    pthread_mutex_lock(&errors_lock);
    show_unread(error);
    if (process_left != getpid())
        status_left = 0;
    process_left = getpid();
    status_left = stronger(status_left, wanted_status(error));
    for (struct thread_error **at = &listed_errors; *at; at = &(*at)->next)
        if (*at == error) {
            *at = error->next;
            break;
        }
    error->listed = false;
    pthread_mutex_unlock(&errors_lock);
}

/* ---- the end of the program -------------------------------------------------------------------------------------- */

static enum { STILL_RUNNING, ENDED_WITH_0, ENDED_WITH_FAILURE } ending;

#ifdef __GLIBC__
/* A static program has neither function, and nothing can be unloaded.  */
#    pragma weak dlopen
#    pragma weak dladdr

static void note_status(int status, void *unused)
{
    (void)unused;
    ending = status == 0 ? ENDED_WITH_0 : ENDED_WITH_FAILURE;
}

/* Called at the first error: the handler of on_exit must stay loaded.  */
static void watch_ending(void)
{
    Dl_info self;
    if (dladdr && dlopen && dladdr(&listed_errors, &self) && self.dli_fname)
        dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    on_exit(note_status, NULL);
}
#else
static void watch_ending(void)
{
}
#endif

/* Runs after the program's own atexit handlers, or when a shared library with this file is unloaded.  */
__attribute__((destructor(101))) static void end_program(void)
{
    pthread_mutex_lock(&errors_lock);
    int status = process_left == getpid() ? status_left : 0;
    for (struct thread_error *error = listed_errors; error; error = error->next) {
        show_unread(error);
        status = stronger(status, wanted_status(error));
    }
    if (lines_left_out)
        fprintf(stderr, "ws: and %lu more errors that nobody read\n", lines_left_out);
    lines_left_out = 0;
    pthread_mutex_unlock(&errors_lock);
    if (status && ending == ENDED_WITH_0 && show_mode != SHOW_NONE) {
        fflush(NULL);
        _exit(status);
    }
}

/* ---- errors of threads ------------------------------------------------------------------------------------------- */

static void keep_first(ws_status status, const char *text)
{
    mine.status = status;
    mine.read = mine.shown = mine.finding = false;
    mine.process = getpid();
    memcpy(mine.message, text, sizeof mine.message);
    if (mine.listed)
        return;
    mine.listed = true;
    mine.next = listed_errors;
    listed_errors = &mine;
    pthread_setspecific(error_key, &mine);
}

/* True for findings of the emulation, and for further errors after one that was printed.  */
static bool is_shown_at_once(ws_status status)
{
    if (show_mode != SHOW_UNREAD)
        return show_mode != SHOW_NONE;
    return !program_reads && (status == WS_ERR_PROTOCOL || mine.shown);
}

ws_status ws_error_vset(ws_status status, const char *format, va_list list)
{
    static atomic_bool watched;
    char text[MESSAGE_BYTES];
    pthread_once(&error_once, read_mode);
    bool first = mine.status == WS_OK || mine.read;
    mine.count += status != WS_OK;
    if (status == WS_OK || (!first && status != WS_ERR_PROTOCOL && !is_shown_at_once(status)))
        return status;
    vsnprintf(text, sizeof text, format, list);
    pthread_mutex_lock(&errors_lock);
    if (first)
        keep_first(status, text);
    mine.finding |= status == WS_ERR_PROTOCOL;
    if (is_shown_at_once(status)) {
        mine.shown = true;
        show_line(text);
    }
    pthread_mutex_unlock(&errors_lock);
    if (show_mode == SHOW_AND_ABORT)
        abort();
    if (!atomic_exchange(&watched, true))
        watch_ending();
    return status;
}

ws_status ws_error_set(ws_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    ws_error_vset(status, format, list);
    va_end(list);
    return status;
}

void ws_begin_launch(void)
{
    pthread_once(&error_once, read_mode);
    if (mine.status == WS_OK || program_reads)
        return;
    pthread_mutex_lock(&errors_lock);
    show_unread(&mine);
    pthread_mutex_unlock(&errors_lock);
}

/* ---- reading errors ---------------------------------------------------------------------------------------------- */

ws_status ws_error_pending(void)
{
    return mine.status;
}

unsigned long ws_error_count(void)
{
    return mine.count;
}

/* Keeps the message, which other functions may read.  */
static void have_read(ws_status left)
{
    program_reads = true;
    if (mine.status == WS_OK)
        return;
    pthread_mutex_lock(&errors_lock);
    mine.status = left;
    mine.read = true;
    mine.finding = false;
    pthread_mutex_unlock(&errors_lock);
}

ws_status ws_last_error(void)
{
    ws_status status = mine.status;
    have_read(WS_OK);
    return status;
}

const char *ws_error_message(void)
{
    have_read(mine.status);
    return mine.message;
}

void ws_or_die(ws_status s)
{
    if (s == WS_OK)
        return;
    const char *message = ws_error_message();
    if (!mine.shown)
        fprintf(stderr, "ws: %s\n", message[0] ? message : "error without a message");
    exit(1);
}
