/* SPDX-License-Identifier: MIT */
/*
 * sm_120a.h - what sm_120a has, for the emitted code.
 *
 * Generated from machines/blackwell-consumer.machine by machines/table.awk: `make update-costs` writes it anew.
 */
#define WS_GPU_NAME           "sm_120a"
#define WS_GPU_CAPABILITY     120
#define WS_GPU_WGMMA          0
#define WS_GPU_SETMAXNREG     1
#define WS_GPU_CLUSTER_BLOCKS 1
#define WS_GPU_SHARED_BYTES   101376
