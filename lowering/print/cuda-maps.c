/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-maps.c - collects the tensor maps that the copies of a kernel need, and finds the map of a copy.
 *
 *      copy_in %slot, %a, %i, %k | skip_oob=1      ws::edge_map a_map;   // tiles of 128 rows, the last as it is
 *      copy_in %slot, %b, %k, %j | fill=-1        ws::filled_map b_map; // tiles of 64 rows
 *      store %c, %i, %j, %half                    ws::map c_map;
 */
#include <string.h>

#include "ir/alias.h"
#include "ir/queries.h"
#include "print/cuda.h"
#include "target/operands.h"

static const char *tensor_field(const Value *tensor)
{
    const Op *root = tensor_root(tensor);
    const Variable *variable = root ? root->results[0]->var : NULL;
    return variable ? variable->name : "";
}

/* The name of a map. A tensor has one map for each height of its tiles.  */
static const char *map_name(const Printer *printer, const Value *tensor, int rows, int first_rows)
{
    const char *field = tensor_field(tensor);
    Module *module = printer->kernel->module;
    return rows == first_rows ? arena_print(module, "%s_map", field) : arena_print(module, "%s_map_%d", field, rows);
}

typedef struct {
    Printer *printer;
    Map *maps;
} MapList;

static Op *map_tensor(const Op *op)
{
    if (op->code == OP_COPY_IN)
        return tensor_root(op->args[1]);
    return (op->code == OP_STORE || op->code == OP_ATOMIC_ADD) && op->storage ? tensor_root(op->args[0]) : NULL;
}

/* The transfer attributes of a copy in. A store has none.  */
static TransferInfo transfer_of(const Op *op)
{
    return op->transfer ? *op->transfer : (TransferInfo){0};
}

/* The rows that the operation moves. Of a shared tile each block moves its share.  */
static int map_rows(const Op *op)
{
    TransferInfo transfer = transfer_of(op);
    return transfer.along ? transfer.share : op->storage->tile.rows;
}

/* The extents of the box tensor that the operation accesses; 0: unused.  */
static void map_box(const Op *op, int *extents)
{
    const Value *tensor = op->args[op->code == OP_COPY_IN];
    extents[0] = extents[1] = extents[2] = 0;
    if (tensor->def && tensor->def->code == OP_BOX)
        box_extents(tensor->def, extents);
}

/* True for a copy with a fill in out-of-bounds rows. TMA only fills with zeros.  */
static bool map_filled(const Op *op)
{
    TransferInfo transfer = transfer_of(op);
    int box[3];
    map_box(op, box);
    return op->code == OP_COPY_IN && cuda_has_fill(op) && !transfer.along && !transfer.skip_oob &&
           !transfer.skip_step && !box[0] && !op->storage->tf32;
}

static bool map_serves(const Map *map, const Variable *tensor, const Op *op)
{
    int box[3];
    map_box(op, box);
    return map->tensor == tensor && !memcmp(map->box, box, sizeof box) && map->rows == map_rows(op) &&
           map->tf32 == op->storage->tf32 && map->line == op->storage->line &&
           map->skip_oob == transfer_of(op).skip_oob && map->filled == map_filled(op) &&
           map->skip_step == transfer_of(op).skip_step;
}

static const char *map_kind(const Op *op)
{
    TransferInfo transfer = transfer_of(op);
    return transfer.skip_step ? "clipped" : transfer.skip_oob ? "present" : map_filled(op) ? "filled" : "whole";
}

static bool is_field(const MapList *list, const char *name)
{
    for (const Variable *variable = list->printer->kernel->variables; variable; variable = variable->next)
        if (!variable->role && !strcmp(variable->name, name))
            return true;
    for (const Map *map = list->maps; map; map = map->next)
        if (!strcmp(map->name, name))
            return true;
    return false;
}

static void visit_map(Op *op, void *context)
{
    MapList *list = context;
    Op *root = map_tensor(op);
    if (!root)
        return;
    Variable *tensor = root->results[0]->var;
    int rows = map_rows(op), first_rows = rows;
    bool other = false;
    Map **end = &list->maps;
    for (; *end; end = &(*end)->next) {
        if ((*end)->tensor != tensor)
            continue;
        first_rows = first_rows == rows ? (*end)->rows : first_rows;
        other =
            other || ((*end)->rows == rows && (*end)->tf32 == op->storage->tf32 && (*end)->line == op->storage->line);
        if (map_serves(*end, tensor, op))
            return;
    }
    const char *name = map_name(list->printer, root->results[0], rows, first_rows);
    if (op->storage->tf32)
        name = arena_print(list->printer->kernel->module, "%s_tf32", name);
    if (op->storage->line)
        name = arena_print(list->printer->kernel->module, "%s_lines_%d", name, op->storage->line);
    if (other)
        name = arena_print(list->printer->kernel->module, "%s_%s", name, map_kind(op));
    while (is_field(list, name))
        name = arena_print(list->printer->kernel->module, "%s_", name);
    *end = arena_alloc(list->printer->kernel->module, sizeof **end);
    int box[3];
    map_box(op, box);
    **end = (Map){.tensor = tensor,
                  .box = {box[0], box[1], box[2]},
                  .rows = rows,
                  .load = op->code == OP_COPY_IN,
                  .tf32 = op->storage->tf32,
                  .line = op->storage->line,
                  .skip_oob = transfer_of(op).skip_oob,
                  .filled = map_filled(op),
                  .skip_step = transfer_of(op).skip_step,
                  .sharers = op->storage->tile.rows / rows,
                  .name = name};
}

Map *cuda_collect_maps(Printer *printer)
{
    MapList list = {printer, NULL};
    FOR_ROLES (role, printer->kernel)
        ir_walk(role->body, visit_map, &list);
    return list.maps;
}

const Map *cuda_map_of(const Printer *printer, const Op *op)
{
    const Variable *tensor = map_tensor(op)->results[0]->var;
    for (const Map *map = printer->maps; map; map = map->next)
        if (map_serves(map, tensor, op))
            return map;
    return NULL;
}

const char *cuda_map_for(Printer *printer, const Op *op)
{
    const Map *map = cuda_map_of(printer, op);
    return map ? map->name : "";
}
