/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuda-window.c - prints loads of overlapping rows, whose rows stay in registers (machine/windows.c).  */
#include "machine/plan.h"
#include "print/cuda.h"

static bool has_window(const Op *op)
{
    return op->code == OP_LOAD && op->transfer->window;
}

typedef struct {
    const Op *load;
    int number;
    bool found;
} Place;

static void visit_window(Op *op, void *context)
{
    Place *place = context;
    place->number += !place->found && has_window(op);
    place->found |= op == place->load;
}

/* The name of a window, unique in the role, since loops may stand in one scope.  */
static const char *name_of(const Printer *printer, const Op *load)
{
    Place place = {load, 0, false};
    ir_walk(printer->role->body, visit_window, &place);
    return arena_print(printer->kernel->module, "ws_window_%d", place.number);
}

/* Declares the windows of a loop, in front of the loop.  */
void cuda_loop_windows(Printer *printer, const Op *loop)
{
    FOR_OPS (load, loop->blocks[0])
        if (has_window(load)) {
            Type type = load->results[0]->type;
            cuda_line(printer, "ws::row_window<%s, %d, %d, %s, %d> %s;", cuda_element_text[type.dtype], type.rows,
                      type.cols, cuda_layout_text(printer), window_rows(load) + 1, name_of(printer, load));
        }
}

/* Prints the number of finished iterations of the current run.  */
static void print_place(Printer *printer, const Op *load)
{
    const char *counter = load->parent->args[0]->var->name;
    if (load->transfer->window == constant_trips(load->parent->parent))
        fputs(counter, printer->out);
    else
        fprintf(printer->out, "%s %% %d", counter, load->transfer->window);
}

bool cuda_window(Printer *printer, const Op *load)
{
    if (!has_window(load))
        return false;
    fprintf(printer->out, "%s.take(", name_of(printer, load));
    print_place(printer, load);
    fputs(" == 0, ", printer->out);
    print_place(printer, load);
    if (load->transfer->apart > 1)
        fprintf(printer->out, " * %d", load->transfer->apart);
    fputs(", ", printer->out);
    cuda_fill(printer, cuda_has_fill(load) ? load->transfer->fill : 0);
    fputs(", ", printer->out);
    cuda_value(printer, load->args[0], PREC_ANY);
    cuda_coordinates(printer, load, 1, load->nargs);
    fputc(')', printer->out);
    return true;
}
