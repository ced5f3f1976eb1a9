/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * versions.c - who runs a role's program, and the program of a role that issues copies once more for tensors that the
 * TMA can load.
 *
 *   before                          after
 *   role producer warps=4           role producer warps=1 versions=any,tma          if (ws::first_warp())
 *   program producer {              if (ws::by_tma(p.a_map, p.b_map))
 *     for %k ...                        gemm_producer<true>(p, s, 0);
 *       copy_in %slot, %a, %i, %k   else
 *                                       gemm_producer<false>(p, s, 0);
 *
 * Whether the TMA can load a tensor follows from its address and its strides, and is known at the launch. Where it
 * cannot, the role's threads copy. A loop that has both ways does not fit into the instruction cache. So the program
 * that is there for every launch is not asked to be fast, and the other leaves that way out.
 *
 * One warp is enough to issue. The others of the role's group would only wait at the same barriers.
 */
#include "machine/plan.h"
#include "lower.h"

static bool starts_copy(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_COPY_IN;
}

/* require: programs of roles.   ensure: role->warps, role->versions.  */
void pass_versions(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (role_issues_only(role)) {
            bool copies = ir_any_of(role->body, starts_copy, NULL);
            role->versions |= copies ? VERSION_TMA : 0;
            role->warps = copies || kernel_is_specialized(kernel) ? 1 : role->warps;
        }
}
