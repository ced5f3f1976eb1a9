/* SPDX-License-Identifier: MIT */
/*
 * sm_90a.h - what sm_90a has, for the emitted code.
 *
 * Generated from machines/hopper.machine by machines/table.awk: `make update-costs` writes it anew.
 */
#define WS_GPU_NAME           "sm_90a"
#define WS_GPU_CAPABILITY     90
#define WS_GPU_WGMMA          1
#define WS_GPU_SETMAXNREG     1
#define WS_GPU_CLUSTER_BLOCKS 8
#define WS_GPU_SHARED_BYTES   232448
