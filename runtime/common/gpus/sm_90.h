/* SPDX-License-Identifier: MIT */
/*
 * sm_90.h - what sm_90 has, for the emitted code.
 *
 * Generated from machines/hopper-plain.machine by machines/table.awk: `make update-costs` writes it anew.
 */
#define WS_GPU_NAME           "sm_90"
#define WS_GPU_CAPABILITY     90
#define WS_GPU_WGMMA          0
#define WS_GPU_SETMAXNREG     0
#define WS_GPU_CLUSTER_BLOCKS 8
#define WS_GPU_SHARED_BYTES   232448
