/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-vectors.c - prints the vectorized version of a kernel, for launches whose rows are whole vectors, and the scalar
 * version.
 *
 *       softmax_kernel_in_vectors:
 *           softmax_params q = p;
 *           ws::know_vectors(q.x, q.y);                   rows begin and end with eight elements, and with 16 bytes
 *           ws::know_step(q.grid, 1, 0, 256);             a tile's first column is a multiple of 256
 *           softmax_all<ws::lines_4>(q, 0);
 *       softmax_kernel:
 *           softmax_all<ws::narrow(ws::lines_2)>(p, 0);
 *       launch:
 *           call.run(ws::in_vectors(p.x, p.y) ? softmax_kernel_in_vectors : softmax_kernel, p, ...);
 *
 * A load has two paths, one by vectors and one by elements. Where the paths join, ptxas copies the loaded vector to
 * other registers, right behind the load. So each load waits for memory, and prefetches wait at once. With a known path
 * these copies disappear.
 *
 * Rows that are no vectors are loaded by elements. There a lane has two adjacent elements, not eight, so that a warp's
 * load covers few sectors (measured in bench/notes/first.md, "Rows that are no vectors").
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "print/cuda.h"
#include "roles/programs.h"
#include "target/machine.h"

typedef struct {
    const Kernel *kernel;
    const Variable *field;
    bool moved; /* the kernel accesses the tensor in tiles with several columns */
} Moved;

static void visit_moved(Op *op, void *context)
{
    Moved *moved = context;
    OpClass class_ = op_info[op->code].class_;
    bool loads = class_ == CLASS_LOAD;
    if ((!loads && class_ != CLASS_STORE) || op_prints(op) || op_scatters(op) || !op->nargs)
        return;
    const Value *tile = loads ? op->results[0] : op->args[op->nargs - 1];
    const Op *root = op->args[0]->type.kind == K_TENSOR ? tensor_root(op->args[0]) : NULL;
    moved->moved |= root && root->results[0]->var == moved->field && tile->type.kind == K_TILE && tile->type.cols > 1 &&
                    !root->tensor->table;
}

static bool is_moved(const Kernel *kernel, const Variable *field)
{
    Moved moved = {kernel, field, false};
    if (field->field && field->type.kind == K_TENSOR)
        ir_walk(kernel->roles->body, visit_moved, &moved);
    return moved.moved;
}

static bool are_whole(int64_t number)
{
    return number % 8 == 0;
}

static void print_steps(Printer *printer)
{
    const Op *grid = kernel_grid(printer->kernel);
    int64_t low, step;
    for (int i = 0; grid && i < grid->nargs / 3; i++)
        if (ir_constant(grid->args[3 * i], &low) && ir_constant(grid->args[3 * i + 2], &step) && are_whole(low) &&
            are_whole(step))
            cuda_line(printer, "ws::know_step(q.grid, %d, %lld, %lld);", i, (long long)low, (long long)step);
}

static const char *moved_fields(const Kernel *kernel, const char *of)
{
    const char *text = NULL;
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (is_moved(kernel, field))
            text = text ? arena_print(kernel->module, "%s, %s.%s", text, of, field->name)
                        : arena_print(kernel->module, "%s.%s", of, field->name);
    return text;
}

const char *cuda_in_vectors(const Printer *printer)
{
    Kernel *kernel = printer->kernel;
    const Role *role = kernel->roles;
    bool direct = role && !role->next && !kernel->arefs && role->layout != LAYOUT_MMA && !printer->maps &&
                  !kernel->grid.together && role->warps != 1;
    const char *fields = direct ? moved_fields(kernel, "p") : NULL;
    return fields ? arena_print(kernel->module, "ws::in_vectors(%s)", fields) : NULL;
}

void cuda_know_vectors(Printer *printer)
{
    cuda_line(printer, "%s_params q = p;", printer->kernel->name);
    cuda_line(printer, "ws::know_vectors(%s);", moved_fields(printer->kernel, "q"));
    print_steps(printer);
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* True if the code depends on the layout beyond the owner of an element, as transposes by vectors do.  */
static bool needs_vectors(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_TRANS || (op->storage && op->storage->use == USE_ROW_CACHE);
}

static bool has_vectors(const Op *op, const void *context)
{
    const Role *role = context;
    for (int i = 0; i < op->nresults; i++)
        if (value_is_tile(op->results[i]) && op->results[i]->type.cols > 1 &&
            machine_vector_columns(op->results[i]->type.cols, role->layout) > 2)
            return true;
    return false;
}

bool cuda_is_of_layout(const Printer *printer)
{
    const Role *role = printer->kernel->roles;
    return cuda_in_vectors(printer) && role->layout < LAYOUT_STRIPS && !ir_any_of(role->body, needs_vectors, NULL) &&
           ir_any_of(role->body, has_vectors, role);
}

static void visit_least_bytes(Op *op, void *context)
{
    int *least = context;
    OpClass class_ = op_info[op->code].class_;
    const Value *tile = class_ == CLASS_LOAD                 ? op->results[0]
                        : class_ == CLASS_STORE && op->nargs ? op->args[op->nargs - 1]
                                                             : NULL;
    if (tile && value_is_tile(tile) && tile->type.cols > 1 && dtype_bytes(tile->type.dtype) < *least)
        *least = dtype_bytes(tile->type.dtype);
}

const char *cuda_layout_argument(const Printer *printer)
{
    const Kernel *kernel = printer->kernel;
    if (!cuda_is_of_layout(printer))
        return "";
    Layout layout = kernel->roles->layout;
    int least = 8;
    ir_walk(kernel->roles->body, visit_least_bytes, &least);
    if (printer->vectors)
        return arena_print(kernel->module, "<%s>", cuda_layout_name(kernel, layout));
    while (machine_row_lanes(layout) * 2 * least < MACHINE_ROW_BYTES && machine_row_lanes(layout) < 32)
        layout = layout == LAYOUT_ROWS_2 ? LAYOUT_ROWS : layout - 1;
    return arena_print(kernel->module, "<ws::narrow(%s)>", cuda_layout_name(kernel, layout));
}
