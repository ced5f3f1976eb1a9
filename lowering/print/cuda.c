/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda.c - prints the .cu, in the form of runtime/README.md.
 *
 *      for %c0, %K, 64 (%k):                     for (int k = 0; k < p.K; k += 64) {
 *        %slot = get ta_tb                           const int slot = ta_tb.get();
 *        %t = mma %va, %vb, %acc                     ws::mma(acc, ws::view(s.ta[slot]), ...);
 *        commit                                      ws::commit();
 *        %acc2 = wait 1, %t                          ws::wait<1>(acc);
 *        consumed ta_tb, 1                           ta_tb.consumed<1>();
 *        yield %acc2                             }
 *
 * The printer makes no decisions. Variables, their declarations, staging and all sizes were chosen before. This file
 * prints the structs and the kernel, with a function for each construct. cuda-launch.c prints the launcher.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/cluster.h"
#include "ir/queries.h"
#include "ir/versions.h"
#include "machine/plan.h"
#include "print/cuda.h"
#include "roles/programs.h"
#include "target/architecture.h"
#include "target/machine.h"
#include "target/storage.h"

/* ---- structs ----------------------------------------------------------------------------------------------------- */

static bool sums_parts(const Kernel *kernel)
{
    FOR_STORAGES (storage, kernel)
        if (storage->use == USE_PARTS)
            return true;
    return false;
}

/* Prints the type of the cluster, if there is one.  */
static void print_cluster(Printer *printer)
{
    const Kernel *kernel = printer->kernel;
    const int *sides = kernel->grid.cluster;
    bool meet = kernel->grid.parts && !sums_parts(kernel);
    if (cluster_size(kernel) > 1)
        cuda_line(printer, "typedef ws::cluster<%d, %d%s> %s;  // blocks side by side, %s\n", sides[0], sides[1],
                  meet ? ", ws::meeting" : "", cuda_cluster(printer),
                  meet                 ? "iterations of a loop"
                  : kernel->grid.parts ? "which sum the parts of a tile"
                                       : "which share what they load");
}

static void print_params(Printer *printer, const Map *maps)
{
    Kernel *kernel = printer->kernel;
    Module *module = kernel->module;
    const Op *grid = kernel_grid(kernel);
    cuda_line(printer, "struct %s_params {", kernel->name);
    printer->indent++;
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_TENSOR)
            cuda_line(printer, "ws::%s<%s, %d> %s;", field->value->def->tensor->table ? "table" : "tensor",
                      cuda_element_text[field->type.dtype], field->type.rank, field->name);
    for (const Map *map = maps; map; map = map->next) {
        const char *kind = map->skip_step  ? "step_map"
                           : map->skip_oob ? "edge_map"
                           : map->filled   ? "filled_map"
                                           : "map";
        const char *note = map->skip_step ? ", as many as the grid's step" : map->skip_oob ? ", the last as it is" : "";
        const char *text = arena_print(
            module, map->tensor->value->def->tensor->table ? "ws::maps<ws::%s> %s;" : "ws::%s %s;", kind, map->name);
        if (map->load)
            cuda_commented(printer, text, arena_print(module, "tiles of %d rows%s", map->rows, note));
        else
            cuda_line(printer, "%s", text);
    }
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR)
            cuda_line(printer, "%s %s;", cuda_scalar_type(field->type), field->name);
    cuda_line(printer, "ws::grid%s<%d%s> grid;", kernel->grid.from ? "_from" : "", cuda_grid_dims(grid),
              cuda_blocks(printer));
    if (kernel->grid.together)
        cuda_line(printer, "ws::together together;");
    if (kernel_prints_lines(kernel))
        cuda_line(printer, "ws::prints prints;");
    printer->indent--;
    cuda_line(printer, "};\n");
}

static const char *number_word(int n)
{
    static const char *const words[] = {"no", "one", "two", "three", "four", "five", "six", "seven", "eight"};
    return n >= 0 && n <= 8 ? words[n] : "several";
}

bool cuda_uses_shared(const Kernel *kernel)
{
    return kernel->storages || kernel->arefs || kernel_meetings(kernel);
}

/* The number of roles before `role` whose groups synchronize.  */
static int meetings_before(const Kernel *kernel, const Role *role)
{
    int count = 0;
    FOR_ROLES (other, kernel) {
        if (other == role)
            break;
        count += role_has_op(other, OP_ROLE_BARRIER, NULL);
    }
    return count;
}

const char *cuda_role_barrier(const Kernel *kernel, const Role *role)
{
    const char *name = "role_barrier";
    return meetings_before(kernel, role) ? arena_print(kernel->module, "%s_%d", name, meetings_before(kernel, role) + 1)
                                         : name;
}

static void print_shared(Printer *printer)
{
    Kernel *kernel = printer->kernel;
    if (!cuda_uses_shared(kernel))
        return;
    cuda_line(printer, "struct %s_shared {", kernel->name);
    printer->indent++;
    FOR_STORAGES (storage, kernel)
        if (!storage->beside && !storage->over)
            cuda_storage(printer, storage);
    FOR_AREFS (aref, kernel)
        cuda_line(printer, "ws::ring<%d> %s;", aref->slots, aref->name);
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_PINGPONG_TAKE, NULL))
            cuda_line(printer, "ws::pingpong<%d> pingpong;", role->replicas);
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_ROLE_BARRIER, NULL)) {
            int number = meetings_before(kernel, role);
            const char *others = number ? arena_print(kernel->module, ", %d", number) : "";
            cuda_line(printer, "ws::role_barrier<%d%s> %s;", role->replicas, others, cuda_role_barrier(kernel, role));
        }
    if (kernel->schedule.block.dynamic)
        cuda_line(printer, "ws::tile_scheduler scheduler;");
    printer->indent--;
    cuda_line(printer, "};");
    FOR_STORAGES (storage, kernel)
        if (!storage->beside)
            cuda_line(printer, "static_assert(offsetof(%s_shared, %s) == %lld);", kernel->name,
                      cuda_member(printer, storage), (long long)storage->offset);
    cuda_line(printer, "static_assert(sizeof(%s_shared) == %lld);\n", kernel->name,
              (long long)(kernel->shared_bytes - kernel->shared_padding));
}

/* ---- roles and the kernel ---------------------------------------------------------------------------------------- */

/* The blocks that share the ring's tiles, as template arguments, or "".  */
static const char *ring_blocks(const Printer *printer, const Aref *aref)
{
    bool shared = aref->along != ALONG_NONE;
    return shared ? arena_print(printer->kernel->module, "%s, ws::along_%s", cuda_blocks(printer),
                                text_alongs[aref->along])
                  : "";
}

static bool uses_storage(const Op *op, const void *storage)
{
    return op->storage == storage;
}

/* True if the role has an object for the memory of an output. The object knows whose turn it is.  */
static bool has_warp_output(const Role *role, const Storage *storage)
{
    return storage->use == USE_OUTPUT && ir_any_of(role->body, uses_storage, storage);
}

static const char *producer_type(const Printer *printer, const Aref *aref)
{
    Module *module = printer->kernel->module;
    for (int i = 0; i < aref->nstorages; i++)
        if (aref->storages[i]->resident)
            return arena_print(module, "resident_producer<%d, %d, %d", aref->slots, aref->storages[i]->resident,
                               aref->payload[i]->def->nargs - 1);
    return arena_print(module, "%s<%d", aref->along == ALONG_NONE ? "producer" : "sharer", aref->slots);
}

/* Prints a role's end of an exchange. In a team, each exchange has a different sending warp.  */
static void print_exchange(Printer *printer, const Storage *storage)
{
    int team = machine_wide_groups(printer->role->layout), number = storage_place(printer->kernel, storage);
    if (!printer->kernel->grid.parts) {
        cuda_line(printer, "ws::lone_exchange<%d> %s(s.%s);", team, storage->name, storage->name);
        return;
    }
    const char *kind = storage->use == USE_PARTS ? "part_sum" : team > 1 ? "team_exchange" : "exchange";
    cuda_line(printer, "ws::%s<%s%s> %s(s.%s%s);", kind, cuda_cluster(printer),
              team > 1 ? arena_print(printer->kernel->module, ", %d, %d", team, number % (4 * team)) : "",
              storage->name, storage->name, storage->slots > 1 ? "[group]" : "");
}

static void print_role(Printer *printer, Role *role)
{
    Kernel *kernel = printer->kernel;
    bool versions = role->versions & VERSION_TMA;
    printer->role = role;
    if (versions)
        fputs("template <bool TMA>\n", printer->out);
    printer->of_layout = cuda_is_of_layout(printer);
    if (printer->of_layout)
        fputs("template <ws::layout " CUDA_LAYOUT ">\n", printer->out);
    fprintf(printer->out, "static WS_DEVICE void %s_%s(const %s_params &p", kernel->name, role->name, kernel->name);
    if (cuda_uses_shared(kernel))
        fprintf(printer->out, ", %s_shared &s", kernel->name);
    fputs(", int group)\n{\n", printer->out);
    printer->indent++;
    FOR_AREFS (aref, kernel)
        if (role_has_op(role, OP_PUT, aref))
            cuda_line(printer, "ws::%s%s> %s(s.%s);", producer_type(printer, aref), versions ? ", TMA" : "",
                      cuda_end_name(printer, aref, true), aref->name);
    FOR_AREFS (aref, kernel)
        if (role_has_op(role, OP_GET, aref))
            cuda_line(printer, "ws::consumer<%d%s> %s(s.%s);", aref->slots, ring_blocks(printer, aref), aref->name,
                      aref->name);
    FOR_STORAGES (storage, kernel)
        if (has_warp_output(role, storage))
            cuda_line(printer, "ws::warp_output %s(s.%s%s);", storage->name, storage->name,
                      storage->slots > 1 ? "[group]" : "");
    FOR_STORAGES (storage, kernel)
        if (storage_is_exchange(storage) && ir_any_of(role->body, uses_storage, storage))
            print_exchange(printer, storage);
    if (role_has_op(role, OP_PINGPONG_TAKE, NULL))
        cuda_line(printer, "s.pingpong.begin(group);");
    FOR_STORAGES (storage, kernel)
        if (storage->use == USE_GATHERED && storage->slots > 1 && role_has_op(role, OP_GATHER, NULL))
            cuda_line(printer, "int %s_turn = 0;", storage->name);
    if (role_has_op(role, OP_TILE_DONE, NULL))
        cuda_line(printer, "ws::telling telling;");
    printer->indent--;
    cuda_block(printer, role->body);
    cuda_mark(printer, NULL);
    cuda_line(printer, "}\n");
    printer->role = NULL;
    printer->of_layout = false;
}

static void print_group_argument(Printer *printer, const Role *role)
{
    int first = role_first_group(printer->kernel, role);
    if (role->replicas == 1)
        fputs("0", printer->out);
    else if (first)
        fprintf(printer->out, "ws::warp_group() - %d", first);
    else
        fputs("ws::warp_group()", printer->out);
}

static void print_role_call(Printer *printer, const Role *role, const char *version)
{
    cuda_begin(printer);
    fprintf(printer->out, "%s_%s%s(%s, %s", printer->kernel->name, role->name, version, printer->vectors ? "q" : "p",
            cuda_uses_shared(printer->kernel) ? "s, " : "");
    print_group_argument(printer, role);
    fputs(");\n", printer->out);
}

static void print_versions(Printer *printer, const Role *role)
{
    const char *maps = NULL;
    for (const Map *map = printer->maps; map; map = map->next)
        if (map->load)
            maps = maps ? arena_print(printer->kernel->module, "%s, p.%s", maps, map->name)
                        : arena_print(printer->kernel->module, "p.%s", map->name);
    cuda_line(printer, "if (ws::first_warp()) {");
    printer->indent++;
    cuda_line(printer, "if (ws::by_tma(%s))", maps);
    printer->indent++;
    print_role_call(printer, role, "<true>");
    printer->indent--;
    cuda_line(printer, "else");
    printer->indent++;
    print_role_call(printer, role, "<false>");
    printer->indent -= 2;
    cuda_line(printer, "}");
}

static void print_role_start(Printer *printer, const Role *role)
{
    int average = printer->kernel->threads ? 65536 / printer->kernel->threads : 0;
    if (role->registers)
        cuda_line(printer, "ws::registers_%s<%d>();", role->registers < average ? "down" : "up", role->registers);
    if (role->versions & VERSION_TMA) {
        print_versions(printer, role);
        return;
    }
    if (role->warps == 1) {
        cuda_line(printer, "if (ws::first_warp())");
        fputs("    ", printer->out);
    }
    print_role_call(printer, role, cuda_layout_argument(printer));
}

static void print_dispatch(Printer *printer)
{
    Kernel *kernel = printer->kernel;
    if (!kernel_is_specialized(kernel)) {
        FOR_ROLES (role, kernel)
            print_role_start(printer, role);
        return;
    }
    FOR_ROLES (role, kernel) {
        int first = role_first_group(kernel, role), end = first + role->replicas;
        const char *also = first ? "} else " : "";
        if (!role->next)
            cuda_line(printer, "} else {");
        else if (role->replicas == 1 && !first)
            cuda_line(printer, "if (ws::warp_group() == 0) {");
        else
            cuda_line(printer, "%sif (ws::warp_group() < %d) {", also, end);
        printer->indent++;
        print_role_start(printer, role);
        printer->indent--;
    }
    cuda_line(printer, "}");
}

static const char *init_blocks(const Printer *printer, const Aref *aref)
{
    return aref->along ? arena_print(printer->kernel->module, "<%s>", ring_blocks(printer, aref) + 2) : "";
}

/* The number of groups that receive the next tile.  */
static int readers_of_tiles(const Kernel *kernel)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        groups += role->may & ROLE_COPIES ? 0 : role->replicas;
    return groups;
}

static void print_part_inits(Printer *printer)
{
    FOR_STORAGES (storage, printer->kernel)
        for (int i = 0; storage_is_exchange(storage) && i < storage->slots; i++)
            cuda_line(printer, "s.%s%s.init(\"%s\");", storage->name,
                      storage->slots > 1 ? arena_print(printer->kernel->module, "[%d]", i) : "", storage->name);
}

static void print_ring_init(Printer *printer, const Aref *aref)
{
    Module *module = printer->kernel->module;
    bool several = aref->fillers > 1;
    const char *fillers = several ? arena_print(module, ", %d", aref->fillers) : "";
    const char *fill = several ? arena_print(module, "%s groups fill, ", number_word(aref->fillers)) : "";
    cuda_commented(printer,
                   arena_print(module, "s.%s.init%s(\"%s\", %d%s);", aref->name, init_blocks(printer, aref), aref->name,
                               aref->arrivals, fillers),
                   arena_print(module, "%s%s group%s each slot", fill, number_word(aref->arrivals),
                               aref->arrivals == 1 ? " releases" : "s release"));
}

static void print_inits(Printer *printer)
{
    Kernel *kernel = printer->kernel;
    bool pingpong = kernel_has_pingpong(kernel), parts = kernel->grid.parts;
    const int meetings = kernel_meetings(kernel);
    bool several = parts || (kernel->arefs && (kernel->arefs->next || pingpong || printer->maps)) || meetings > 1;
    if (!kernel->arefs && !parts && !meetings)
        return;
    cuda_line(printer, several ? "if (ws::first_thread()) {" : "if (ws::first_thread())");
    printer->indent++;
    FOR_AREFS (aref, kernel)
        print_ring_init(printer, aref);
    if (pingpong)
        cuda_line(printer, "s.pingpong.init(\"pingpong\");");
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_ROLE_BARRIER, NULL))
            cuda_line(printer, "s.%s.init(\"%s\");", cuda_role_barrier(kernel, role), cuda_role_barrier(kernel, role));
    print_part_inits(printer);
    if (kernel->schedule.block.dynamic)
        cuda_line(printer, "s.scheduler.init(\"scheduler\", %d);", readers_of_tiles(kernel));
    for (const Map *map = printer->maps; map; map = map->next)
        cuda_line(printer, "ws::prefetch(p.%s);", map->name);
    printer->indent--;
    if (several)
        cuda_line(printer, "}");
}

static bool loads_bytes(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_LOAD && dtype_bytes(op->results[0]->type.dtype) == 1;
}

/* The number of blocks of a multiprocessor that the registers allow. The scalar version takes more registers, above
   all for single bytes.  */
static int blocks_of(const Printer *printer)
{
    const Kernel *kernel = printer->kernel;
    bool any = cuda_in_vectors(printer) && !printer->vectors, bytes = false;
    FOR_ROLES (role, kernel)
        bytes |= ir_any_of(role->body, loads_bytes, NULL);
    int blocks = any && machine_wide_groups(kernel->layout) > 1 ? 1
                 : any && cuda_is_of_layout(printer)            ? kernel->min_blocks * (bytes ? 2 : 3) / 4
                                                                : kernel->min_blocks;
    return blocks > 1 ? blocks : 1;
}

static void print_kernel_function(Printer *printer)
{
    Kernel *kernel = printer->kernel;
    cuda_line(printer, "static WS_KERNEL(%d, %d) void %s_kernel%s(WS_PARAMS(%s_params) p)", kernel->threads,
              blocks_of(printer), kernel->name, printer->vectors ? "_in_vectors" : "", kernel->name);
    cuda_line(printer, "{");
    printer->indent++;
    if (cuda_uses_shared(kernel))
        cuda_line(printer, "%s_shared &s = ws::shared<%s_shared>();", kernel->name, kernel->name);
    print_inits(printer);
    const char *blocks = cluster_size(kernel) > 1 ? arena_print(kernel->module, "<%s>", cuda_cluster(printer)) : "";
    cuda_line(printer, "ws::start%s();", blocks);
    if (printer->vectors)
        cuda_know_vectors(printer);
    print_dispatch(printer);
    if (*blocks)
        cuda_line(printer, "ws::finish%s();", blocks);
    if (kernel->grid.together)
        cuda_line(printer, "ws::leave(p.together);");
    if (kernel_prints_lines(kernel))
        cuda_line(printer, "ws::end_prints(p.prints, \"%s\");", kernel->c_function);
    printer->indent--;
    cuda_line(printer, "}\n");
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* False for a program that enters behind plan. Textual IR does not contain the values of the launcher's variables.  */
static bool is_planned(Kernel *kernel)
{
    if (!kernel->threads)
        return false;
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        if (!variable->role && !variable->value)
            return false;
    return true;
}

/* The versions stand before the kernel's launcher, which calls their launchers.  */
static void print_kernel_of(FILE *out, Kernel *kernel);

static void print_kernel(Printer *printer)
{
    Kernel *kernel = printer->kernel;
    for (Kernel *version = kernel->module->kernels; version; version = version->next)
        if (is_version_of(version, kernel))
            print_kernel_of(printer->out, version);
    if (!is_planned(kernel)) {
        BUG(kernel, "plan has not named the variables of '%s'", kernel->name);
        return;
    }
    const Map *maps = printer->maps = cuda_collect_maps(printer);
    cuda_line(printer, "\n// %s:%d: %s", cuda_file_name(kernel->loc.file), kernel->loc.line, kernel->c_function);
    print_cluster(printer);
    print_params(printer, maps);
    print_shared(printer);
    FOR_ROLES (role, kernel)
        print_role(printer, role);
    for (int i = cuda_in_vectors(printer) ? 1 : 0; i >= 0; i--) {
        printer->vectors = i > 0;
        print_kernel_function(printer);
    }
    cuda_launcher(printer, maps);
}

static void print_kernel_of(FILE *out, Kernel *kernel)
{
    Printer printer = {.out = out, .kernel = kernel};
    print_kernel(&printer);
}

/* Prints all remaining variants of a region, and the launcher that chooses one.  */
static void print_region(FILE *out, Kernel *first)
{
    Printer printer = {.out = out, .kernel = first};
    for (Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant))
        print_kernel_of(out, variant);
    cuda_line(&printer, "\n// %s:%d: %s, one of its variants", cuda_file_name(first->loc.file), first->loc.line,
              first->c_function);
    cuda_launcher_parameters(&printer, false);
    printer.indent++;
    cuda_print_choice(&printer);
    printer.indent--;
    cuda_line(&printer, "}");
}

/* Folds the text, adds #line directives under -g, and frees `text`. NULL: out of memory.  */
static char *text_in_lines(const Module *module, char *text)
{
    char *folded = NULL, *lined = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&folded, &size);
    if (out) {
        cuda_print_folded(out, text);
        fclose(out);
    }
    free(text);
    out = folded && module->lines ? open_memstream(&lined, &size) : NULL;
    if (!out)
        return folded;
    cuda_print_lines(out, folded, module->lines, module->steps);
    fclose(out);
    free(folded);
    return lined;
}

/* require: plan, and verify found nothing.   ensure: the text, in the module's arena; NULL without kernels.  */
const char *cuda_print(Module *module)
{
    char *text = NULL;
    size_t size = 0;
    int printed = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (strcmp(module->machine->architecture, WSC_ARCHITECTURE))
        fprintf(out, "#include <gpus/sm_%s.h>\n", module->machine->architecture);
    fputs("#include <wsrt.cuh>\n", out);
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next) {
        if (kernel->failed || !kernel_grid(kernel) || kernel->version.of)
            continue;
        if (!kernel->choice.of)
            print_kernel_of(out, kernel);
        else if (next_variant(kernel, NULL) == kernel)
            print_region(out, kernel);
        else
            continue;
        printed++;
    }
    fclose(out);
    if (printed)
        text = text_in_lines(module, text);
    const char *copy = printed && text ? arena_print(module, "%s", text) : NULL;
    free(text);
    return copy;
}
