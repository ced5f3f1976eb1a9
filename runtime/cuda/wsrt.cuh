/* SPDX-License-Identifier: MIT */
/*
 * wsrt.cuh - the runtime of the emitted code, for CUDA.
 *
 * This header includes all others, in reading order:
 *
 *      ptx.cuh        one inline function for each PTX instruction
 *      ptx_copy.cuh   the same for copies
 *      ptx_number.cuh the same for arithmetic
 *      element.cuh    element types and their arithmetic types
 *      trace.cuh      events of groups with their times, under --ws-trace
 *      aref.cuh       the CTA, rings of slots, turns
 *      tensor.cuh     global memory, tensor maps, swizzled tiles in shared memory, views
 *      tile.cuh       register tiles
 *      one.cuh        operations on one element
 *      elementwise.cuh
 *                     operations on each element of a tile
 *      mma.cuh        matrix products
 *      wgmma.cuh      the same for sm_90a: asynchronous products of a warp group
 *      mma/warp_products.cuh
 *                     the same for other GPUs: products of a warp
 *      product.cuh    synchronous matrix products
 *      tf32_split.cuh f32 products whose right operand a role has split into a tf32 head and a residual
 *      copy.cuh       tiles from global memory into slots of rings
 *      memory.cuh     tiles between registers and the other memories
 *      transpose.cuh  transposition of tiles of bytes, from slot to slot
 *      output.cuh     stores of tiles by TMA, through staging
 *      reduce.cuh     reductions, running sums
 *      trans.cuh      transposition in registers
 *      print.cuh      elements as text
 *      grid.cuh       the tile space and a CTA's walk over it
 *      held.cuh       slots in registers, for loads of a loop
 *      window.cuh     rows in registers, for loads of a loop that lie some rows apart
 *      row_cache.cuh  tiles kept in shared memory
 *      dynamic.cuh    tiles of different lengths, scheduled dynamically
 *      cluster.cuh    CTAs of a cluster that share loads
 *      parts.cuh      partial sums of a product over the CTAs of a cluster
 *      box.cuh        tiles whose rows span several dimensions of a tensor
 *      blocks.cuh     sums, maxima and minima over the CTAs of a cluster
 *      teams.cuh      the same for rows that several groups share
 *      table.cuh      tensors from an array of pointers
 *      together.cuh   tiles that wait for tiles of concurrent grids
 *      device.cuh     the host's view of a device: its memory and properties
 *      arguments.cuh  the tensors of a call: checks, staging of host arrays
 *      encode.cuh     tensor maps, made by the driver
 *      measure.cuh    the time of a launch, for a choice among variants
 *      launch.cuh     the host's side of a kernel: tensor maps, grid, launch
 */
#ifndef WSRT_CUH
#define WSRT_CUH

#define WS_KERNEL(threads, blocks) __global__ __launch_bounds__(threads, blocks)
#define WS_PARAMS(type)            const __grid_constant__ type

/* The emitted text names the GPU by its header in front of this one; without it, the GPU is sm_90a.  */
#ifndef WS_GPU_NAME
#    include "../common/gpus/sm_90a.h"
#endif

#include "ptx.cuh"
#include "ptx_copy.cuh"
#include "ptx_number.cuh"
#include "element.cuh"
#include "aref.cuh"
#include "tensor.cuh"
#include "tile.cuh"
#include "elementwise.cuh"
#include "mma.cuh"
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
