/* SPDX-License-Identifier: GPL-3.0-or-later */
/* programs.h - properties of the programs of roles.  */
#ifndef WSC_PROGRAMS_H
#define WSC_PROGRAMS_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

int role_groups(const Role *role);       /* groups of all replicas; a team is several groups */
int kernel_groups(const Kernel *kernel); /* groups of all roles */
Op *role_grid(const Role *role);         /* the GRID operation of the role, or NULL */
Block *role_own_tile(const Role *role);  /* the block that a group runs for its own tile, or NULL */
Op *kernel_grid(const Kernel *kernel);   /* the GRID operation of a role; all roles have the same grid */
bool role_holds_tiles(const Role *role); /* holds tiles in registers between operations */
bool role_issues_only(const Role *role); /* one warp suffices: the role starts copies and touches no tile */
/* The operation of the body whose result the storage holds, or NULL.  */
const Op *aref_source(const Aref *aref, const Storage *storage);
bool role_has_op(const Role *role, Opcode code, const Aref *aref); /* has an operation of this opcode on this aref */
/* The number of groups in the roles before this one.  */
int role_first_group(const Kernel *kernel, const Role *role);
/* True for an in-place update (load_is_in_place) in which each thread stores the elements that it loads itself.  Each
   element then has one holder: in a tile of rows and columns, and in a single row that all threads share.  */
bool load_is_of_own(const Role *role, const Op *load, const Op *store);

#ifdef __cplusplus
}
#endif
#endif
