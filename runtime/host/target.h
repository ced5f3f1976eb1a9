/* SPDX-License-Identifier: MIT */
/* target.h - between the files of this folder. */
#ifndef WS_HOST_TARGET_H
#define WS_HOST_TARGET_H

#include <stdbool.h>

/* Where a device was offered: do kernels run on it?  Decided once.  */
bool ws_choose_target(void);

#endif
