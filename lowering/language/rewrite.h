/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rewrite.h - prints a grid of plain loops as C over tiles.  */
#ifndef WSC_REWRITE_H
#define WSC_REWRITE_H

#include "ir/kernel.h"

/* The text of a C function, in the module's arena. Returns "" for a grid that the user wrote over tiles.  */
const char *rewrite_text(Kernel *kernel);

#endif
