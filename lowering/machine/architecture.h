/* SPDX-License-Identifier: GPL-3.0-or-later */
/* architecture.h - the GPU that the emitted code is for, as nvcc names it; the driver, configure and the tests read it
   here.  */
#ifndef WSC_ARCHITECTURE_H
#define WSC_ARCHITECTURE_H

#define WSC_ARCHITECTURE "90a"

#endif
