/* SPDX-License-Identifier: MIT */
/* checks.h - checks of a launch's tensors: overlap.c before it, touched.c while it runs.  */
#ifndef WS_EMULATE_CHECKS_H
#define WS_EMULATE_CHECKS_H

#include "emulate.h"
#include "views.h"

#define WS_EMULATE_OWN __attribute__((visibility("hidden")))

static inline bool ws_emulate_is_empty(const ws_emulate_tensor *t)
{
    for (int i = 0; i < t->rank; i++)
        if (t->extent[i] == 0)
            return true;
    return false;
}

WS_EMULATE_OWN ws_view ws_emulate_view(const ws_emulate_tensor *t);
WS_EMULATE_OWN bool ws_emulate_same_view(const ws_emulate_tensor *x, const ws_emulate_tensor *y);
WS_EMULATE_OWN void ws_emulate_check_overlap(ws_emulate_launch *launch);
WS_EMULATE_OWN void ws_emulate_add_shadows(ws_emulate_launch *launch); /* for tensors that it stores */

#endif
