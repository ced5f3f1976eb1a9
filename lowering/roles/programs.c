/* SPDX-License-Identifier: GPL-3.0-or-later */
/* programs.c - properties of the programs of roles, for layout, plan, proof and print alike.  */
#include "ir/alias.h"
#include "ir/queries.h"
#include "roles/programs.h"
#include "target/machine.h"

int role_groups(const Role *role)
{
    int team = machine_wide_groups(role->layout);
    return role->replicas * (team ? team : 1);
}

int kernel_groups(const Kernel *kernel)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        groups += role_groups(role);
    return groups;
}

Op *role_grid(const Role *role)
{
    for (Op *op = role->body->first; op; op = op->next)
        if (op->code == OP_GRID)
            return op;
    return NULL;
}

Op *kernel_grid(const Kernel *kernel)
{
    Op *grid = NULL;
    FOR_ROLES (role, kernel)
        grid = grid || !role->body ? grid : role_grid(role);
    return grid;
}

const Op *aref_source(const Aref *aref, const Storage *storage)
{
    for (int i = 0; i < aref->nstorages; i++)
        if (aref->storages[i] == storage)
            return aref->payload[i]->def;
    return NULL;
}

static bool holds_tile(const Op *op, const void *context)
{
    (void)context;
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || class_ == CLASS_TILE || class_ == CLASS_STORE || op->code == OP_READ ||
           op->code == OP_MMA;
}

bool role_holds_tiles(const Role *role)
{
    return ir_any_of(role->body, holds_tile, NULL);
}

/* True for operations that all threads of a group execute together: register tiles, stores, gets and releases of
   rings.  */
static bool needs_group(const Op *op, const void *context)
{
    (void)context;
    switch (op_info[op->code].class_) {
    case CLASS_LOAD:
    case CLASS_TILE:
    case CLASS_STORE:
        return true;
    case CLASS_SYNC:
        return op->code != OP_PUT && op->code != OP_COPY_IN && op->code != OP_PUT_DONE && op->code != OP_AWAIT_TILES;
    default:
        return false;
    }
}

bool role_issues_only(const Role *role)
{
    return !ir_any_of(role->body, needs_group, NULL);
}

typedef struct {
    Opcode code;
    const Aref *aref;
} Search;

static bool is_sought(const Op *op, const void *context)
{
    const Search *search = context;
    return op->code == search->code && op->aref == search->aref;
}

bool role_has_op(const Role *role, Opcode code, const Aref *aref)
{
    return ir_any_of(role->body, is_sought, &(Search){code, aref});
}

/* True for `if (ordinal % groups == group)`, the guard of a group's own tile.  */
static bool is_turn(const Op *op, const Block *tile, const Role *role)
{
    const Op *equal = op->code == OP_IF ? op->args[0]->def : NULL;
    const Op *rest = equal && equal->code == OP_SCALAR_EQ ? equal->args[0]->def : NULL;
    int64_t groups;
    return rest && rest->code == OP_SCALAR_REM && rest->args[0] == tile->args[tile->nargs - 1] &&
           ir_constant(rest->args[1], &groups) && groups == role->replicas && equal->args[1] == role->body->args[0];
}

Block *role_own_tile(const Role *role)
{
    const Op *grid = role_grid(role);
    Block *tile = grid ? grid->blocks[0] : NULL;
    if (!tile || tile->nargs == grid->nargs / 3)
        return tile;
    FOR_OPS (op, tile)
        if (is_turn(op, tile, role))
            return op->blocks[0];
    return NULL;
}

int role_first_group(const Kernel *kernel, const Role *role)
{
    int group = 0;
    for (const Role *other = kernel->roles; other && other != role; other = other->next)
        group += role_groups(other);
    return group;
}

bool load_is_of_own(const Role *role, const Op *load, const Op *store)
{
    Type type = store->args[store->nargs - 1]->type;
    bool passes = role->layout == LAYOUT_MMA; /* passes through other lanes, on its way to whole lines */
    bool one_holder = type.cols > 1 && (type.rows > 1 || machine_wide_groups(role->layout));
    return load->code == OP_LOAD && !passes && one_holder && load_is_in_place(load, store);
}
