/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pragma outside of every function. */
#include <ws.h>

#pragma ws grid(2)  /* wrong */
int n;
