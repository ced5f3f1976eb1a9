/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-vectors.c - kernels for launches whose rows are whole vectors.
 *
 *   softmax_kernel_in_vectors:
 *       softmax_params q = p;
 *       ws::know_vectors(q.x, q.y);                   rows begin and end with eight elements, and with 16 bytes
 *       ws::know_step(q.grid, 1, 0, 256);             what a tile's columns are multiples of
 *       softmax_all(q, 0);
 *   softmax_kernel:
 *       softmax_all(p, 0);
 *   launch:
 *       call.run(ws::in_vectors(p.x, p.y) ? softmax_kernel_in_vectors : softmax_kernel, p, ...);
 *
 * A load has two ways, by vectors and by elements.  Where they meet ptxas moves what a vector has brought into other
 * registers, right behind the load, and so waits for memory there: loads of one tile follow each other, and what is
 * loaded ahead is waited for at once.  Where the way is known, none of that is left.
 */
#include "ir/queries.h"
#include "machine/machine.h"
#include "print/cuda.h"

typedef struct {
    const Kernel *kernel;
    const Variable *field;
    bool moved; /* in rows that registers hold */
} Moved;

static void visit_moved(Op *op, void *context)
{
    Moved *moved = context;
    OpClass class_ = op_info[op->code].class_;
    bool loads = class_ == CLASS_LOAD;
    if ((!loads && class_ != CLASS_STORE) || op->code == OP_PRINT || op_scatters(op) || !op->nargs)
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

static void print_steps(Printer *in)
{
    const Op *grid = kernel_grid(in->kernel);
    int64_t low, step;
    for (int i = 0; grid && i < grid->nargs / 3; i++)
        if (ir_constant(grid->args[3 * i], &low) && ir_constant(grid->args[3 * i + 2], &step) && are_whole(low) &&
            are_whole(step))
            cuda_line(in, "ws::know_step(q.grid, %d, %lld, %lld);", i, (long long)low, (long long)step);
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

const char *cuda_in_vectors(const Printer *in)
{
    Kernel *kernel = in->kernel;
    const Role *role = kernel->roles;
    bool direct = role && !role->next && !kernel->arefs && role->layout != LAYOUT_MMA && !in->maps &&
                  !kernel->grid.together && role->warps != 1;
    const char *fields = direct ? moved_fields(kernel, "p") : NULL;
    return fields ? arena_print(kernel->module, "ws::in_vectors(%s)", fields) : NULL;
}

void cuda_know_vectors(Printer *in)
{
    cuda_line(in, "%s_params q = p;", in->kernel->name);
    cuda_line(in, "ws::know_vectors(%s);", moved_fields(in->kernel, "q"));
    print_steps(in);
}
