/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-launch.c - prints the launcher: the call's tensors, tensor maps and grid, and the launch of the kernel.
 */
#include "ir/alias.h"
#include "ir/cluster.h"
#include "ir/queries.h"
#include "ir/versions.h"
#include "print/cuda.h"
#include "roles/programs.h"
#include "target/machine.h"

enum { LOADED = 1, STORED = 2 };

typedef struct {
    const Variable *tensor;
    int how;
} Access;

static void visit_access(Op *op, void *context)
{
    Access *access = context;
    for (int i = 0; i < op->nargs; i++) {
        if (op_is_part(op) || op->args[i]->type.kind != K_TENSOR)
            continue;
        const Op *root = tensor_root(op->args[i]);
        if (!root || root->results[0]->var != access->tensor)
            continue;
        access->how |= op_info[op->code].class_ == CLASS_STORE ? STORED : LOADED;
        access->how |= op_adds(op) ? LOADED : 0;
    }
}

static const char *access_text(const Kernel *kernel, const Variable *tensor)
{
    Access access = {tensor, 0};
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_access, &access);
    return access.how == (LOADED | STORED) ? "ws::loaded_and_stored"
           : access.how == STORED          ? "ws::stored"
                                           : "ws::loaded";
}

/* Prints an extent or a stride, which are long.  */
static void print_extent(Printer *printer, const Value *value)
{
    value = cuda_without_widening(value);
    bool cast = value->type.dtype == D_U64 && !cuda_is_literal(value);
    if (cast)
        fputs("(long)", printer->out);
    cuda_operand(printer, value, cast ? PREC_UNARY : PREC_TERNARY, false);
}

static void print_list(Printer *printer, const Op *op, int first, int count)
{
    for (int i = 0; i < count; i++) {
        if (i)
            fputs(", ", printer->out);
        print_extent(printer, op->args[first + i]);
    }
}

static void print_extents(Printer *printer, const Op *op, int first, int count)
{
    fputc('{', printer->out);
    print_list(printer, op, first, count);
    fputc('}', printer->out);
}

/* True if the base is the caller's handle of a sum over the grid. The handle has memory for the tiles' sums.  */
static bool is_total(const Kernel *kernel, const Value *base)
{
    for (const Total *total = kernel->grid.totals; total; total = total->next)
        if (total->base == base)
            return true;
    return false;
}

static void print_tensor(Printer *printer, const Variable *field)
{
    const Op *op = field->value->def;
    int rank = field->type.rank;
    cuda_begin(printer);
    fprintf(printer->out, "call.%s(p.%s, \"%s\", ", op->tensor->table ? "table" : "tensor", field->name, field->name);
    if (is_total(printer->kernel, op->args[0]))
        fputs("call.numbers(", printer->out);
    bool from = op->nargs == 2 + 2 * rank;
    if (from)
        fprintf(printer->out, "ws::element<%s>(", cuda_element_text[field->type.dtype]);
    cuda_value(printer, op->args[0], PREC_TERNARY);
    if (from) {
        fputs(", ", printer->out);
        print_list(printer, op, 1 + 2 * rank, 1);
        fputc(')', printer->out);
    }
    if (is_total(printer->kernel, op->args[0])) {
        fputs(", ", printer->out);
        print_list(printer, op, 1, 1);
        fprintf(printer->out, ", sizeof(%s))", cuda_element_text[field->type.dtype]);
    }
    fputs(", ", printer->out);
    print_extents(printer, op, 1, rank);
    fputs(", ", printer->out);
    print_extents(printer, op, 1 + rank, rank);
    fprintf(printer->out, ", %s%s);\n", access_text(printer->kernel, field),
            op->tensor->row_stride ? ", ws::leading_dimension" : "");
}

/* Declares that two tensors are one array with its dimensions in different order, so that the launch reports no
   overlap.  */
static void print_again(Printer *printer, const Variable *field)
{
    const Op *op = field->value->def;
    for (const Variable *first = printer->kernel->variables; first != field && field->type.rank > 2;
         first = first->next)
        if (first->field && first->type.kind == K_TENSOR && first->type.rank == field->type.rank &&
            first->value->def->args[0] == op->args[0] && !op->tensor->table) {
            cuda_line(printer, "call.again(p.%s);", first->name);
            return;
        }
}

void cuda_launcher_parameters(Printer *printer, bool is_own)
{
    Kernel *kernel = printer->kernel;
    fprintf(printer->out, "%s void %s(", is_own ? "static" : "extern \"C\"",
            is_own ? variant_launcher(kernel) : kernel->launcher);
    for (int i = 0; i < kernel->nparams; i++) {
        const Value *param = kernel->params[i];
        fprintf(printer->out, "%s%s%s", i ? ", " : "",
                param->type.kind == K_PTR ? "const void *" : cuda_scalar_type(param->type),
                param->type.kind == K_PTR ? "" : " ");
        fputs(param->var->name, printer->out);
    }
    fputs(kernel->nparams ? ")\n{\n" : "void)\n{\n", printer->out);
}

/* The number of threads. The groups of a team run as one.  */
static const char *threads_text(const Kernel *kernel)
{
    int team = machine_wide_groups(kernel->layout);
    return team > 1 ? arena_print(kernel->module, "ws::team(%d)", team)
                    : arena_print(kernel->module, "%d", kernel->threads);
}

/* Prints a branch to the launcher of each version that takes the launch.  */
static void print_versions(Printer *printer)
{
    const Kernel *kernel = printer->kernel;
    for (Kernel *version = kernel->module->kernels; version; version = version->next) {
        if (!is_version_of(version, kernel))
            continue;
        cuda_begin(printer);
        fputs("if (", printer->out);
        if (version->version.param < 0) {
            cuda_print_estimated_version(printer, version);
        } else {
            const char *name = kernel->params[version->version.param]->var->name;
            fprintf(printer->out, "%s >= %lld && %s <= %lld", name, (long long)version->version.least, name,
                    (long long)version->version.most);
        }
        int blocks = version->grid.cluster[0] * version->grid.cluster[1];
        if (blocks > kernel->machine->cluster_blocks)
            fprintf(printer->out, " && ws::places(%s_kernel, %s, sizeof(%s_shared), %d)", version->name,
                    threads_text(version), version->name, blocks);
        fputs(") {\n", printer->out);
        printer->indent++;
        cuda_begin(printer);
        fprintf(printer->out, "%s(", version->launcher);
        for (int i = 0; i < kernel->nparams; i++)
            fprintf(printer->out, "%s%s", i ? ", " : "", kernel->params[i]->var->name);
        fputs(");\n", printer->out);
        cuda_line(printer, "return;");
        printer->indent--;
        cuda_line(printer, "}");
    }
}

/* Prints the value of a field. Later fields may read it as p.name.  */
static void print_scalar_field(Printer *printer, const Variable *field)
{
    cuda_begin(printer);
    fprintf(printer->out, "p.%s = ", field->name);
    if (field->value->def)
        cuda_expression(printer, field->value->def, PREC_TERNARY);
    else
        fputs(field->name, printer->out);
    fputs(";\n", printer->out);
}

static const char *order_text(TileOrder order)
{
    static const char *const texts[] = {"order_auto", "order_row", "order_column", "order_grouped"};
    return texts[order];
}

static void print_grid_launch(Printer *printer)
{
    const Grid *clauses = &printer->kernel->grid;
    const Op *grid = kernel_grid(printer->kernel);
    cuda_begin(printer);
    fputs("call.grid(p.grid, {", printer->out);
    for (int i = 0; i < cuda_grid_dims(grid); i++) {
        fputs(i ? ", {" : "{", printer->out);
        print_list(printer, grid, 3 * i, 3);
        if (wraps_by_tiles(printer->kernel, grid, i))
            fprintf(printer->out, ", ws::most<%s>", cuda_scalar_type(grid->blocks[0]->args[i]->type));
        fputs("}", printer->out);
    }
    fprintf(printer->out, "}, ws::%s, %d);\n", order_text(printer->kernel->schedule.block.order), clauses->order_group);
    if (clauses->from) {
        cuda_begin(printer);
        fputs("call.from(p.grid, ", printer->out);
        cuda_value(printer, clauses->from, PREC_TERNARY);
        fputs(");\n", printer->out);
    }
}

static void print_box_extents(Printer *printer, const int *extents)
{
    for (int i = 0; i < 3 && extents[i]; i++)
        fprintf(printer->out, "%s%d", i ? ", " : "ws::extents<", extents[i]);
    fputs(">()", printer->out);
}

static void print_map(Printer *printer, const Map *map)
{
    cuda_begin(printer);
    const char *element = map->line   ? arena_print(printer->kernel->module, "<%s>",
                                                    cuda_lined(printer, map->tensor->type.dtype, map->line))
                          : map->tf32 ? "<ws::tf32>"
                                      : "";
    fprintf(printer->out, "call.map%s(p.%s, p.%s, ", element, map->name, map->tensor->name);
    if (map->box[0])
        print_box_extents(printer, map->box);
    else
        fprintf(printer->out, "%d", map->rows);
    if (map->skip_step) {
        fputs(", ", printer->out);
        print_extent(printer, kernel_grid(printer->kernel)->args[3 * map->skip_step - 1]);
        fprintf(printer->out, ", %d", map->sharers);
    }
    fputs(");\n", printer->out);
}

static void print_run(Printer *printer)
{
    const Kernel *kernel = printer->kernel;
    cuda_begin(printer);
    if (cuda_in_vectors(printer))
        fprintf(printer->out, "call.run(%s ? %s_kernel_in_vectors : %s_kernel, p, %s, ", cuda_in_vectors(printer),
                kernel->name, kernel->name, threads_text(kernel));
    else
        fprintf(printer->out, "call.run(%s_kernel, p, %s, ", kernel->name, threads_text(kernel));
    if (cuda_uses_shared(kernel))
        fprintf(printer->out, "sizeof(%s_shared)", kernel->name);
    else
        fputs("0", printer->out);
    if (kernel->shared_padding)
        fprintf(printer->out, " + %d", kernel->shared_padding);
    fprintf(printer->out, ", ws::%s", kernel->schedule.block.persistent ? "persistent" : "one_tile");
    if (cluster_size(kernel) > 1)
        fprintf(printer->out, "%s::size", cuda_blocks(printer));
    fputs(");\n", printer->out);
}

void cuda_launcher(Printer *printer, const Map *maps)
{
    Kernel *kernel = printer->kernel;
    cuda_launcher_parameters(printer, kernel->version.of || kernel->choice.of);
    printer->indent++;
    cuda_print_estimate(printer);
    print_versions(printer);
    cuda_line(printer, "ws::launch call(\"%s\");", kernel->c_function);
    cuda_line(printer, "%s_params p;", kernel->name);
    if (kernel->grid.share)
        cuda_line(printer, "call.share(%d);", kernel->grid.share);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR && field->value->def)
            print_scalar_field(printer, field);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_TENSOR) {
            print_tensor(printer, field);
            print_again(printer, field);
        }
    if (kernel->grid.together) {
        print_grid_launch(printer);
        cuda_together(printer);
    }
    cuda_line(printer, "call.place();");
    for (const Map *map = maps; map; map = map->next)
        print_map(printer, map);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR && !field->value->def)
            print_scalar_field(printer, field);
    if (!kernel->grid.together)
        print_grid_launch(printer);
    if (kernel->schedule.block.dynamic)
        cuda_line(printer, "call.schedule(p.grid);");
    if (kernel_prints_lines(kernel))
        cuda_line(printer, "call.prints(p.prints);");
    print_run(printer);
    printer->indent--;
    cuda_line(printer, "}");
}
