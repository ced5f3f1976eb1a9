/* SPDX-License-Identifier: MIT */
/*
 * wsrt.cuh - the runtime of the emitted code, for CUDA (sm_90a).
 *
 * One include for everything below.  In reading order:
 *
 *   ptx.cuh        one PTX instruction, one named inline function
 *   ptx_copy.cuh   copies of that kind
 *   ptx_number.cuh arithmetic of that kind
 *   element.cuh    element types and their arithmetic types
 *   trace.cuh      what groups did when, under --ws-trace
 *   aref.cuh       the CTA, rings of slots, turns
 *   tensor.cuh     global memory, tensor maps, swizzled tiles in shared memory, views
 *   tile.cuh       register tiles
 *   one.cuh        what happens to one element
 *   elementwise.cuh
 *                  the same of tiles
 *   wgmma.cuh      matrix products
 *   product.cuh    those that are done when they return
 *   tf32_split.cuh      the same of floats, where a role has divided the right operand
 *   copy.cuh       tiles of global memory, into a ring's slots
 *   memory.cuh     tiles between registers and the other memories
 *   transpose.cuh  tiles of bytes, rows and columns exchanged, from slot to slot
 *   output.cuh     tiles out by TMA, through staging
 *   reduce.cuh     reductions, running sums
 *   trans.cuh      transposition
 *   print.cuh      elements as text
 *   grid.cuh       the tile space and a CTA's walk over it
 *   held.cuh       places in registers, for loads of a loop
 *   window.cuh     rows in registers, for loads of a loop that lie some rows apart
 *   row_cache.cuh       tiles in shared memory in place of registers
 *   dynamic.cuh    tiles of different lengths, scheduled dynamically
 *   cluster.cuh    blocks side by side that share what they load
 *   parts.cuh      parts of a sum, by the blocks of a cluster
 *   box.cuh        tiles whose rows span several dimensions of a tensor
 *   blocks.cuh     sums, largest and smallest over the blocks of a cluster
 *   teams.cuh      the same for rows that several groups share
 *   table.cuh      tensors out of an array of pointers
 *   together.cuh   tiles that wait for those of grids beside theirs
 *   device.cuh     the host's side of a device: its memory, what is asked of it once
 *   arguments.cuh  the tensors of a call: checks, staging of host arrays
 *   encode.cuh     tensor maps as the driver makes them
 *   measure.cuh    the time of a launch, for a choice among variants
 *   launch.cuh     the host's side of a kernel: tensor maps, grid, launch
 */
#ifndef WSRT_CUH
#define WSRT_CUH

#define WS_KERNEL(threads, blocks) __global__ __launch_bounds__(threads, blocks)
#define WS_PARAMS(type)            const __grid_constant__ type

#include "ptx.cuh"
#include "ptx_copy.cuh"
#include "ptx_number.cuh"
#include "element.cuh"
#include "aref.cuh"
#include "tensor.cuh"
#include "tile.cuh"
#include "elementwise.cuh"
#include "wgmma.cuh"
#include "product.cuh"
#include "tf32_split.cuh"
#include "copy.cuh"
#include "transpose.cuh"
#include "output.cuh"
#include "reduce.cuh"
#include "trans.cuh"
#include "print.cuh"
#include "grid.cuh"
#include "held.cuh"
#include "window.cuh"
#include "row_cache.cuh"
#include "dynamic.cuh"
#include "cluster.cuh"
#include "blocks.cuh"
#include "box.cuh"
#include "parts.cuh"
#include "table.cuh"
#include "together.cuh"
#include "launch.cuh"

#endif
