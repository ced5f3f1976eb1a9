/* SPDX-License-Identifier: GPL-3.0-or-later */
/* architecture.h - the GPU architecture of the emitted code, as nvcc names it.  The driver, configure and tests read
   this file.  */
#ifndef WSC_ARCHITECTURE_H
#define WSC_ARCHITECTURE_H

#define WSC_ARCHITECTURE "90a"

#endif
