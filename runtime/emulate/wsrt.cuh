/* SPDX-License-Identifier: MIT */
/*
 * wsrt.cuh - the runtime of emitted code, on the CPU.
 *
 * runtime/README.md describes the names.  Compile it as C++17 with -ffp-contract=off -fno-exceptions -fno-rtti
 * -fno-threadsafe-statics.  Link with libwsrt, which holds the scheduler (scheduler.c) and the launch (emulate.c).
 *
 *      element.cuh   element types and operations on one element
 *      tile.cuh      register tiles
 *      tensor.cuh    global and shared memory
 *      aref.cuh      the CTA, rings, turns, TMA
 *      matrix.cuh    the tensor core
 *      grid.cuh      the walk over the tiles
 *      parts.cuh     partial sums over the CTAs of a cluster
 *      blocks.cuh    the same, with all results in each CTA
 *      table.cuh     tensors from an array of pointers
 *      launch.cuh    the host's side
 */
#ifndef WS_EMULATE_WSRT_CUH
#define WS_EMULATE_WSRT_CUH

/* The emitted text names the GPU by its header in front of this one; without it, the GPU is sm_90a.  */
#ifndef WS_GPU_NAME
#    include "../common/gpus/sm_90a.h"
#endif

#include "launch.cuh"
#include "matrix.cuh"
#include "blocks.cuh"
#include "parts.cuh"

/* wscc --ws-step: statements report their line, and the program is stepped.  */
#ifdef WS_STEPPED
#    define WS_AT(line, file) ws_sched_line(file, line);
__attribute__((constructor)) static void ws_ask_to_step()
{
    ws_emulate_step();
}
#endif

#endif
