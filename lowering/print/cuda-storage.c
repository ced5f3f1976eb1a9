/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-storage.c - printer: shared memory, as members of the struct and as slots of them.
 *
 *   storage ta ring tile<f16,128x64> slots=4      ws::shared_tile<ws::f16, 128, 64> ta[4];         s.ta[slot]
 *   storages g, u beside=g                        struct { ws::shared_tile<...> g; ... u; }        s.g_and_u[slot].u
 *                                                   g_and_u[5];
 *   storage o_out over=tq                          union { ws::shared_tile<...> tq[1];             s.tq[slot], s.o_out
 *                                                    ws::output<...> o_out; };
 *   storage c_out output tile<f16,64x128>         ws::output<ws::f16, 64, 2> c_out[2];             s.c_out[group]
 */
#include "print/cuda.h"
#include "machine/machine.h"

/* Two storages whose slots alternate are one array.  */
static const char *pair_name(const Printer *in, const Storage *first)
{
    const char *second = storage_beside(in->kernel, first)->name;
    const char *name = arena_print(in->kernel->module, "%s_and_%s", first->name, second);
    while (kernel_names(in->kernel, name))
        name = arena_print(in->kernel->module, "%s_", name);
    return name;
}

/* The member of the struct that holds the storage, and the one beside it if there is one.  */
const char *cuda_member(const Printer *in, const Storage *storage)
{
    return storage_beside(in->kernel, storage) ? pair_name(in, storage) : storage->name;
}

/* ---- members of the struct --------------------------------------------------------------------------------------- */

static void print_output(Printer *in, const Storage *storage)
{
    Module *module = in->kernel->module;
    Type tile = storage->tile;
    int blocks = machine_lines(tile);
    const char *count = storage->slots > 1 ? arena_print(module, "[%d]", storage->slots) : "";
    cuda_commented(in,
                   arena_print(module, "ws::output<%s, %d, %d> %s%s;", cuda_element_text[tile.dtype], tile.rows, blocks,
                               storage->name, count),
                   arena_print(module, "%d rows, %d block%s of 128 bytes%s", tile.rows, blocks, blocks > 1 ? "s" : "",
                               storage->slots > 1 ? "; one for each group" : ""));
}

const char *cuda_lined(const Printer *in, Dtype dtype, int line)
{
    return arena_print(in->kernel->module, "ws::lined<%s, %d>", cuda_element_text[dtype], line);
}

static const char *tile_text(const Printer *in, const Storage *storage)
{
    Type tile = storage->tile;
    const char *element = cuda_element_text[tile.dtype];
    const char *type = storage->rounded       ? "ws::tf32"
                       : storage->interleaved ? arena_print(in->kernel->module, "ws::interleaved<%s>", element)
                       : storage->line        ? cuda_lined(in, storage->tile.dtype, storage->line)
                                              : element;
    return arena_print(in->kernel->module, "ws::shared_tile<%s, %d, %d>", type, tile.rows, tile.cols);
}

static void print_pair(Printer *in, const Storage *storage, const Storage *behind)
{
    cuda_line(in, "struct {");
    in->indent++;
    cuda_line(in, "%s %s;", tile_text(in, storage), storage->name);
    cuda_line(in, "%s %s;", tile_text(in, behind), behind->name);
    in->indent--;
    cuda_commented(in, arena_print(in->kernel->module, "} %s[%d];", pair_name(in, storage), storage->slots),
                   "side by side: one operand of a wide product");
}

static void print_member(Printer *in, const Storage *storage)
{
    const Storage *behind = storage_beside(in->kernel, storage);
    const int team = machine_wide_groups(in->kernel->layout);
    const char *count = storage->slots > 1 || storage->use == USE_RING || storage->use == USE_GATHERED
                            ? arena_print(in->kernel->module, "[%d]", storage_places(storage))
                            : "";
    if (behind)
        print_pair(in, storage, behind);
    else if (storage->use == USE_OUTPUT)
        print_output(in, storage);
    else if (storage->use == USE_PARTS)
        cuda_line(in, "ws::parts<%s, %d, %d, %d> %s%s;", cuda_element_text[storage->tile.dtype],
                  in->kernel->grid.cluster[1], storage->tile.rows, storage->tile.cols, storage->name, count);
    else if (storage->use == USE_SHARES && !in->kernel->grid.parts)
        cuda_line(in, "ws::lone_shares<%s, %d, %d> %s%s;", cuda_element_text[storage->tile.dtype], storage->tile.cols,
                  team, storage->name, count);
    else if (storage->use == USE_SHARES)
        cuda_line(in, "ws::%sshares<%s, %d, %d%s> %s%s;", team > 1 ? "team_" : "",
                  cuda_element_text[storage->tile.dtype], storage->tile.rows, storage->tile.cols,
                  team > 1 ? arena_print(in->kernel->module, ", %d", team) : "", storage->name, count);
    else if (storage->use == USE_KEPT)
        cuda_line(in, "ws::kept_tile<%s, %d, %d, ws::wide%s> %s%s;", cuda_element_text[storage->tile.dtype],
                  storage->tile.rows, storage->tile.cols, team > 1 ? arena_print(in->kernel->module, "_%d", team) : "",
                  storage->name, count);
    else if (storage->use == USE_SCRATCH)
        cuda_line(in, "ws::scratch<%lld> %s%s;", (long long)storage->slot_bytes, storage->name, count);
    else
        cuda_line(in, "%s %s%s;", tile_text(in, storage), storage->name, count);
}

/* A member of the shared struct; the one beside it comes along, and what is used in turn with it.  */
void cuda_storage(Printer *in, const Storage *storage)
{
    const Storage *over = NULL;
    FOR_STORAGES (other, in->kernel)
        over = other->over == storage ? other : over;
    if (over) {
        cuda_line(in, "union {");
        in->indent++;
    }
    print_member(in, storage);
    if (!over)
        return;
    print_member(in, over);
    in->indent--;
    cuda_commented(in, "};", "used in turn");
}

/* ---- where they are used ----------------------------------------------------------------------------------------- */

/* One for each group, if there are several.  */
void cuda_group_storage(Printer *in, const Storage *storage)
{
    fprintf(in->out, storage->slots > 1 ? "s.%s[group]" : "s.%s", storage->name);
}

void cuda_slot(Printer *in, const Storage *storage, const Value *slot)
{
    const Storage *first = storage->beside ? storage->beside : storage;
    bool pair = storage_beside(in->kernel, first);
    fprintf(in->out, "s.%s[", cuda_member(in, first));
    if (storage->resident) {
        cuda_value(in, slot, PREC_MUL);
        fprintf(in->out, " %% %d", storage->resident);
    } else {
        cuda_value(in, slot, PREC_ANY);
    }
    fputc(']', in->out);
    if (pair)
        fprintf(in->out, ".%s", storage->name);
}
