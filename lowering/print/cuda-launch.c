/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-launch.c - the launcher: the tensors of a call, its tensor maps, its grid, and the kernel for them.
 */
#include "print/cuda.h"
#include "machine/machine.h"
#include "ir/queries.h"

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

/* Extents and strides are long.  */
static void print_extent(Printer *in, const Value *value)
{
    value = cuda_without_widening(value);
    bool cast = value->type.dtype == D_U64 && !cuda_is_literal(value);
    if (cast)
        fputs("(long)", in->out);
    cuda_operand(in, value, cast ? PREC_UNARY : PREC_TERNARY, false);
}

static void print_list(Printer *in, const Op *op, int first, int count)
{
    for (int i = 0; i < count; i++) {
        if (i)
            fputs(", ", in->out);
        print_extent(in, op->args[first + i]);
    }
}

static void print_extents(Printer *in, const Op *op, int first, int count)
{
    fputc('{', in->out);
    print_list(in, op, first, count);
    fputc('}', in->out);
}

/* Of a sum over the grid the caller's handle, which has memory for the tiles' numbers.  */
static bool is_total(const Kernel *kernel, const Value *base)
{
    for (const Total *total = kernel->grid.totals; total; total = total->next)
        if (total->base == base)
            return true;
    return false;
}

static void print_tensor(Printer *in, const Variable *field)
{
    const Op *op = field->value->def;
    int rank = field->type.rank;
    cuda_begin(in);
    fprintf(in->out, "call.%s(p.%s, \"%s\", ", op->tensor->table ? "table" : "tensor", field->name, field->name);
    if (is_total(in->kernel, op->args[0]))
        fputs("call.numbers(", in->out);
    bool from = op->nargs == 2 + 2 * rank;
    if (from)
        fprintf(in->out, "ws::element<%s>(", cuda_element_text[field->type.dtype]);
    cuda_value(in, op->args[0], PREC_TERNARY);
    if (from) {
        fputs(", ", in->out);
        print_list(in, op, 1 + 2 * rank, 1);
        fputc(')', in->out);
    }
    if (is_total(in->kernel, op->args[0])) {
        fputs(", ", in->out);
        print_list(in, op, 1, 1);
        fprintf(in->out, ", sizeof(%s))", cuda_element_text[field->type.dtype]);
    }
    fputs(", ", in->out);
    print_extents(in, op, 1, rank);
    fputs(", ", in->out);
    print_extents(in, op, 1 + rank, rank);
    fprintf(in->out, ", %s);\n", access_text(in->kernel, field));
}

/* One array with its dimensions in several orders is no overlap: the kernel knows that it is one.  */
static void print_again(Printer *in, const Variable *field)
{
    const Op *op = field->value->def;
    for (const Variable *first = in->kernel->variables; first != field && field->type.rank > 2; first = first->next)
        if (first->field && first->type.kind == K_TENSOR && first->type.rank == field->type.rank &&
            first->value->def->args[0] == op->args[0] && !op->tensor->table) {
            cuda_line(in, "call.again(p.%s);", first->name);
            return;
        }
}

void cuda_launcher_parameters(Printer *in, bool is_own)
{
    Kernel *kernel = in->kernel;
    fprintf(in->out, "%s void %s(", is_own ? "static" : "extern \"C\"",
            is_own ? variant_launcher(kernel) : kernel->launcher);
    for (int i = 0; i < kernel->nparams; i++) {
        const Value *param = kernel->params[i];
        fprintf(in->out, "%s%s%s", i ? ", " : "",
                param->type.kind == K_PTR ? "const void *" : cuda_scalar_type(param->type),
                param->type.kind == K_PTR ? "" : " ");
        fputs(param->var->name, in->out);
    }
    fputs(kernel->nparams ? ")\n{\n" : "void)\n{\n", in->out);
}

/* A team runs as one.  */
static const char *threads_text(const Kernel *kernel)
{
    int team = machine_wide_groups(kernel->layout);
    return team > 1 ? arena_print(kernel->module, "ws::team(%d)", team)
                    : arena_print(kernel->module, "%d", kernel->threads);
}

/* What the launcher of another form takes, that takes it.  */
static void print_forms(Printer *in)
{
    const Kernel *kernel = in->kernel;
    for (Kernel *form = kernel->module->kernels; form; form = form->next) {
        if (!is_form_of(form, kernel))
            continue;
        cuda_begin(in);
        fputs("if (", in->out);
        if (form->form.param < 0) {
            cuda_print_estimated_form(in, form);
        } else {
            const char *name = kernel->params[form->form.param]->var->name;
            fprintf(in->out, "%s >= %lld && %s <= %lld", name, (long long)form->form.least, name,
                    (long long)form->form.most);
        }
        int blocks = form->grid.cluster[0] * form->grid.cluster[1];
        if (blocks > kernel->machine->cluster_blocks)
            fprintf(in->out, " && ws::places(%s_kernel, %s, sizeof(%s_shared), %d)", form->name, threads_text(form),
                    form->name, blocks);
        fputs(") {\n", in->out);
        in->indent++;
        cuda_begin(in);
        fprintf(in->out, "%s(", form->launcher);
        for (int i = 0; i < kernel->nparams; i++)
            fprintf(in->out, "%s%s", i ? ", " : "", kernel->params[i]->var->name);
        fputs(");\n", in->out);
        cuda_line(in, "return;");
        in->indent--;
        cuda_line(in, "}");
    }
}

/* The field's own expression; later ones may read it as p.name.  */
static void print_scalar_field(Printer *in, const Variable *field)
{
    cuda_begin(in);
    fprintf(in->out, "p.%s = ", field->name);
    if (field->value->def)
        cuda_expression(in, field->value->def, PREC_TERNARY);
    else
        fputs(field->name, in->out);
    fputs(";\n", in->out);
}

static const char *order_text(TileOrder order)
{
    static const char *const texts[] = {"order_auto", "order_row", "order_column", "order_grouped"};
    return texts[order];
}

static void print_grid_launch(Printer *in)
{
    const Grid *clauses = &in->kernel->grid;
    const Op *grid = kernel_grid(in->kernel);
    cuda_begin(in);
    fputs("call.grid(p.grid, {", in->out);
    for (int i = 0; i < cuda_grid_dims(grid); i++) {
        fputs(i ? ", {" : "{", in->out);
        print_list(in, grid, 3 * i, 3);
        if (wraps_by_tiles(in->kernel, grid, i))
            fprintf(in->out, ", ws::most<%s>", cuda_scalar_type(grid->blocks[0]->args[i]->type));
        fputs("}", in->out);
    }
    fprintf(in->out, "}, ws::%s, %d);\n", order_text(clauses->order), clauses->order_group);
    if (clauses->from) {
        cuda_begin(in);
        fputs("call.from(p.grid, ", in->out);
        cuda_value(in, clauses->from, PREC_TERNARY);
        fputs(");\n", in->out);
    }
}

static void print_box_extents(Printer *in, const int *extents)
{
    for (int i = 0; i < 3 && extents[i]; i++)
        fprintf(in->out, "%s%d", i ? ", " : "ws::extents<", extents[i]);
    fputs(">()", in->out);
}

static void print_map(Printer *in, const Map *map)
{
    cuda_begin(in);
    const char *element =
        map->line      ? arena_print(in->kernel->module, "<%s>", cuda_lined(in, map->tensor->type.dtype, map->line))
        : map->rounded ? "<ws::tf32>"
                       : "";
    fprintf(in->out, "call.map%s(p.%s, p.%s, ", element, map->name, map->tensor->name);
    if (map->box[0])
        print_box_extents(in, map->box);
    else
        fprintf(in->out, "%d", map->rows);
    if (map->clipped) {
        fputs(", ", in->out);
        print_extent(in, kernel_grid(in->kernel)->args[3 * map->clipped - 1]);
        fprintf(in->out, ", %d", map->sharers);
    }
    fputs(");\n", in->out);
}

static void print_run(Printer *in)
{
    const Kernel *kernel = in->kernel;
    cuda_begin(in);
    if (cuda_in_vectors(in))
        fprintf(in->out, "call.run(%s ? %s_kernel_in_vectors : %s_kernel, p, %s, ", cuda_in_vectors(in), kernel->name,
                kernel->name, threads_text(kernel));
    else
        fprintf(in->out, "call.run(%s_kernel, p, %s, ", kernel->name, threads_text(kernel));
    if (cuda_uses_shared(kernel))
        fprintf(in->out, "sizeof(%s_shared)", kernel->name);
    else
        fputs("0", in->out);
    if (kernel->shared_padding)
        fprintf(in->out, " + %d", kernel->shared_padding);
    fprintf(in->out, ", ws::%s", kernel->grid.persistent ? "persistent" : "one_tile");
    if (cluster_size(kernel) > 1)
        fprintf(in->out, "%s::size", cuda_blocks(in));
    fputs(");\n", in->out);
}

void cuda_launcher(Printer *in, const Map *maps)
{
    Kernel *kernel = in->kernel;
    cuda_launcher_parameters(in, kernel->form.of || kernel->choice.of);
    in->indent++;
    cuda_print_estimate(in);
    print_forms(in);
    cuda_line(in, "ws::launch call(\"%s\");", kernel->c_function);
    cuda_line(in, "%s_params p;", kernel->name);
    if (kernel->grid.share)
        cuda_line(in, "call.share(%d);", kernel->grid.share);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR && field->value->def)
            print_scalar_field(in, field);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_TENSOR) {
            print_tensor(in, field);
            print_again(in, field);
        }
    if (kernel->grid.together) {
        print_grid_launch(in);
        cuda_together(in);
    }
    cuda_line(in, "call.place();");
    for (const Map *map = maps; map; map = map->next)
        print_map(in, map);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR && !field->value->def)
            print_scalar_field(in, field);
    if (!kernel->grid.together)
        print_grid_launch(in);
    if (kernel->grid.dynamic)
        cuda_line(in, "call.schedule(p.grid);");
    if (kernel_prints_lines(kernel))
        cuda_line(in, "call.prints(p.prints);");
    print_run(in);
    in->indent--;
    cuda_line(in, "}");
}
