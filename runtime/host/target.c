/* SPDX-License-Identifier: MIT */
/*
 * target.c - the target of programs that hold each kernel for cuda and for emulation.
 *
 * The first launch, or the first allocation of memory, decides for the process.  WS_TARGET=cuda or WS_TARGET=emulate
 * takes precedence; otherwise it is cuda if a device can run the kernels.  Emulation is slower by orders of magnitude,
 * so a message reports it unless WS_TARGET asks for it.
 */
#include "target.h"
#include "ws/backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(const struct ws_backend *) offered;
static const char *(*find_obstacle)(void);
static pthread_once_t chosen = PTHREAD_ONCE_INIT;
static bool runs_on_device;

/* Constructors of several objects offer the same device; they run one after the other.  */
void ws_backend_offer(const struct ws_backend *backend, const char *(*why_not)(void))
{
    if (atomic_load(&offered))
        return;
    find_obstacle = why_not;
    atomic_store(&offered, backend);
}

static void choose(void)
{
    const char *wanted = ws_environment_("WS_TARGET"), *obstacle = NULL;
    bool cuda = wanted && !strcmp(wanted, "cuda"), emulate = wanted && !strcmp(wanted, "emulate");

    if (!cuda && !emulate)
        obstacle = find_obstacle();
    if (obstacle && !ws_log_line("ws: kernels are emulated on the CPU: %s", obstacle))
        fprintf(stderr, "ws: kernels are emulated on the CPU: %s (WS_TARGET=emulate to ask for it)\n", obstacle);
    runs_on_device = !emulate && !obstacle;
    if (runs_on_device)
        ws_backend_register(atomic_load(&offered));
}

bool ws_choose_target(void)
{
    if (!atomic_load(&offered))
        return false;
    pthread_once(&chosen, choose);
    return runs_on_device;
}

ws_launcher ws_choose_launcher(ws_launcher cuda, ws_launcher emulate)
{
    return ws_choose_target() ? cuda : emulate;
}
