/* SPDX-License-Identifier: GPL-3.0-or-later */
/* architecture.h - the GPU architectures of the emitted code, as nvcc names them.  The driver, configure and tests read
   this file.  */
#ifndef WSC_ARCHITECTURE_H
#define WSC_ARCHITECTURE_H

#define WSC_ARCHITECTURE "90a" /* without --ws-gpu */

/* Every GPU that --ws-gpu takes: GPU (its architecture, its Machine).  */
#define WSC_GPUS(GPU)               \
    GPU("90a", machine_hopper)      \
    GPU("90", machine_hopper_plain) \
    GPU("120a", machine_blackwell_consumer)

#endif
