/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * versions.c - the warps that run a role's program, and a second program for tensors that TMA can load.
 *
 *   before                          after
 *   role producer warps=4           role producer warps=1 versions=any,tma          if (ws::first_warp())
 *   program producer {              if (ws::by_tma(p.a_map, p.b_map))
 *     for %k ...                        gemm_producer<true>(p, s, 0);
 *       copy_in %slot, %a, %i, %k   else
 *                                       gemm_producer<false>(p, s, 0);
 *
 * TMA can load a tensor if its address and strides are aligned, which is known at the launch.  For other tensors, the
 * role's threads copy.  A loop that contains both ways does not fit into the instruction cache.  The role's program
 * therefore exists twice: the version `any` serves every launch, and the version `tma` omits copies by threads.
 *
 * One warp suffices to issue copies.  The other warps of the role's group would only wait at the same barriers.
 */
#include "passes.h"
#include "roles/programs.h"

static bool starts_copy(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_COPY_IN;
}

void pass_versions(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (role_issues_only(role)) {
            bool copies = ir_any_of(role->body, starts_copy, NULL);
            role->versions |= copies ? VERSION_TMA : 0;
            role->warps = copies || kernel_is_specialized(kernel) ? 1 : role->warps;
        }
}
