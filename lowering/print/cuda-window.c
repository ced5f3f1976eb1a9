/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuda-window.c - loads that lie some rows apart, whose rows stay in registers (machine/windows.c).  */
#include "machine/machine.h"
#include "machine/plan.h"
#include "print/cuda.h"
#include "schedule/choose.h"

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

/* One name for each of a role, since loops stand beside each other.  */
static const char *name_of(const Printer *in, const Op *load)
{
    Place place = {load, 0, false};
    ir_walk(in->role->body, visit_window, &place);
    return arena_print(in->kernel->module, "ws_window_%d", place.number);
}

/* In front of a loop.  */
void cuda_loop_windows(Printer *in, const Op *loop)
{
    FOR_OPS (load, loop->blocks[0])
        if (has_window(load)) {
            Type type = load->results[0]->type;
            cuda_line(in, "ws::row_window<%s, %d, %d, %s, %d> %s;", cuda_element_text[type.dtype], type.rows, type.cols,
                      cuda_layout_text(in), window_rows(load) + 1, name_of(in, load));
        }
}

/* How many iterations of a run are over.  */
static void print_place(Printer *in, const Op *load)
{
    const char *counter = load->parent->args[0]->var->name;
    if (load->transfer->window == constant_trips(load->parent->parent))
        fputs(counter, in->out);
    else
        fprintf(in->out, "%s %% %d", counter, load->transfer->window);
}

bool cuda_window(Printer *in, const Op *load)
{
    if (!has_window(load))
        return false;
    fprintf(in->out, "%s.take(", name_of(in, load));
    print_place(in, load);
    fputs(" == 0, ", in->out);
    print_place(in, load);
    if (load->transfer->apart > 1)
        fprintf(in->out, " * %d", load->transfer->apart);
    fputs(", ", in->out);
    cuda_fill(in, cuda_has_fill(load) ? load->transfer->fill : 0);
    fputs(", ", in->out);
    cuda_value(in, load->args[0], PREC_ANY);
    cuda_coordinates(in, load, 1, load->nargs);
    fputc(')', in->out);
    return true;
}
