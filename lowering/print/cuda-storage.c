/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-storage.c - prints shared memory, as members of the struct and as slots of them.
 *
 *      storage ta ring tile<f16,128x64> slots=4    ws::shared_tile<ws::f16, 128, 64> ta[4];         s.ta[slot]
 *      storages g, u beside=g                      struct { ws::shared_tile<...> g; ... u; }        s.g_and_u[slot].u
 *                                                    g_and_u[5];
 *      storage o_out over=tq                        union { ws::shared_tile<...> tq[1];             s.tq[slot], s.o_out
 *                                                     ws::output<...> o_out; };
 *      storage c_out output tile<f16,64x128>       ws::output<ws::f16, 64, 2> c_out[2];             s.c_out[group]
 */
#include "print/cuda.h"
#include "target/machine.h"
#include "target/storage.h"

/* The name of the array of two storages whose slots alternate.  */
static const char *pair_name(const Printer *printer, const Storage *first)
{
    const char *second = storage_beside(printer->kernel, first)->name;
    const char *name = arena_print(printer->kernel->module, "%s_and_%s", first->name, second);
    while (kernel_names(printer->kernel, name))
        name = arena_print(printer->kernel->module, "%s_", name);
    return name;
}

/* The member of the struct that holds the storage, and the storage beside it.  */
const char *cuda_member(const Printer *printer, const Storage *storage)
{
    return storage_beside(printer->kernel, storage) ? pair_name(printer, storage) : storage->name;
}

/* ---- members of the struct --------------------------------------------------------------------------------------- */

static void print_output(Printer *printer, const Storage *storage)
{
    Module *module = printer->kernel->module;
    Type tile = storage->tile;
    int blocks = machine_lines(tile);
    const char *count = storage->slots > 1 ? arena_print(module, "[%d]", storage->slots) : "";
    cuda_commented(printer,
                   arena_print(module, "ws::output<%s, %d, %d> %s%s;", cuda_element_text[tile.dtype], tile.rows, blocks,
                               storage->name, count),
                   arena_print(module, "%d rows, %d block%s of 128 bytes%s", tile.rows, blocks, blocks > 1 ? "s" : "",
                               storage->slots > 1 ? "; one for each group" : ""));
}

const char *cuda_lined(const Printer *printer, Dtype dtype, int line)
{
    return arena_print(printer->kernel->module, "ws::lined<%s, %d>", cuda_element_text[dtype], line);
}

static const char *tile_text(const Printer *printer, const Storage *storage)
{
    Type tile = storage->tile;
    const char *element = cuda_element_text[tile.dtype];
    const char *type = storage->tf32          ? "ws::tf32"
                       : storage->interleaved ? arena_print(printer->kernel->module, "ws::interleaved<%s>", element)
                       : storage->line        ? cuda_lined(printer, storage->tile.dtype, storage->line)
                                              : element;
    return arena_print(printer->kernel->module, "ws::shared_tile<%s, %d, %d>", type, tile.rows, tile.cols);
}

static void print_pair(Printer *printer, const Storage *storage, const Storage *behind)
{
    cuda_line(printer, "struct {");
    printer->indent++;
    cuda_line(printer, "%s %s;", tile_text(printer, storage), storage->name);
    cuda_line(printer, "%s %s;", tile_text(printer, behind), behind->name);
    printer->indent--;
    cuda_commented(printer,
                   arena_print(printer->kernel->module, "} %s[%d];", pair_name(printer, storage), storage->slots),
                   "side by side: one operand of a wide product");
}

static void print_member(Printer *printer, const Storage *storage)
{
    const Storage *behind = storage_beside(printer->kernel, storage);
    const int team = machine_wide_groups(printer->kernel->layout);
    const char *count = storage->slots > 1 || storage->use == USE_RING || storage->use == USE_GATHERED
                            ? arena_print(printer->kernel->module, "[%d]", storage_places(storage))
                            : "";
    if (behind)
        print_pair(printer, storage, behind);
    else if (storage->use == USE_OUTPUT)
        print_output(printer, storage);
    else if (storage->use == USE_PARTS)
        cuda_line(printer, "ws::parts<%s, %d, %d, %d> %s%s;", cuda_element_text[storage->tile.dtype],
                  printer->kernel->grid.cluster[1], storage->tile.rows, storage->tile.cols, storage->name, count);
    else if (storage->use == USE_SHARES && !printer->kernel->grid.parts)
        cuda_line(printer, "ws::lone_shares<%s, %d, %d> %s%s;", cuda_element_text[storage->tile.dtype],
                  storage->tile.cols, team, storage->name, count);
    else if (storage->use == USE_SHARES)
        cuda_line(printer, "ws::%sshares<%s, %d, %d%s> %s%s;", team > 1 ? "team_" : "",
                  cuda_element_text[storage->tile.dtype], storage->tile.rows, storage->tile.cols,
                  team > 1 ? arena_print(printer->kernel->module, ", %d", team) : "", storage->name, count);
    else if (storage->use == USE_ROW_CACHE)
        cuda_line(printer, "ws::cached_tile<%s, %d, %d, ws::wide%s> %s%s;", cuda_element_text[storage->tile.dtype],
                  storage->tile.rows, storage->tile.cols,
                  team > 1 ? arena_print(printer->kernel->module, "_%d", team) : "", storage->name, count);
    else if (storage->use == USE_SCRATCH)
        cuda_line(printer, "ws::scratch<%lld> %s%s;", (long long)storage->slot_bytes, storage->name, count);
    else
        cuda_line(printer, "%s %s%s;", tile_text(printer, storage), storage->name, count);
}

/* Prints the member of the shared struct, with the storage beside it and the storage that shares its memory.  */
void cuda_storage(Printer *printer, const Storage *storage)
{
    const Storage *over = NULL;
    FOR_STORAGES (other, printer->kernel)
        over = other->over == storage ? other : over;
    if (over) {
        cuda_line(printer, "union {");
        printer->indent++;
    }
    print_member(printer, storage);
    if (!over)
        return;
    print_member(printer, over);
    printer->indent--;
    cuda_commented(printer, "};", "used in turn");
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* Prints the storage of the group, if each group has one.  */
void cuda_group_storage(Printer *printer, const Storage *storage)
{
    fprintf(printer->out, storage->slots > 1 ? "s.%s[group]" : "s.%s", storage->name);
}

void cuda_slot(Printer *printer, const Storage *storage, const Value *slot)
{
    const Storage *first = storage->beside ? storage->beside : storage;
    bool pair = storage_beside(printer->kernel, first);
    fprintf(printer->out, "s.%s[", cuda_member(printer, first));
    if (storage->resident) {
        cuda_value(printer, slot, PREC_MUL);
        fprintf(printer->out, " %% %d", storage->resident);
    } else {
        cuda_value(printer, slot, PREC_ANY);
    }
    fputc(']', printer->out);
    if (pair)
        fprintf(printer->out, ".%s", storage->name);
}
