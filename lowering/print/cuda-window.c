/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuda-window.c - loads that lie some rows apart, whose rows stay in registers (machine/windows.c).  */
#include "machine/machine.h"
#include "machine/plan.h"
#include "print/cuda.h"
#include "schedule/choose.h"

static bool has_window(const Printer *in, const Op *op, RowWindow *window)
{
    return in->role->layout >= LAYOUT_STRIPS && op_info[op->code].class_ == CLASS_LOAD &&
           load_window(in->kernel, op, window);
}

typedef struct {
    const Printer *in;
    const Op *load;
    int number;
    bool found;
} Place;

static void visit_window(Op *op, void *context)
{
    Place *place = context;
    RowWindow window;
    place->number += !place->found && has_window(place->in, op, &window);
    place->found |= op == place->load;
}

/* One name for each of a role, since loops stand beside each other.  */
static const char *name_of(const Printer *in, const Op *load)
{
    Place place = {in, load, 0, false};
    ir_walk(in->role->body, visit_window, &place);
    return arena_print(in->kernel->module, "ws_window_%d", place.number);
}

/* In front of a loop.  */
void cuda_loop_windows(Printer *in, const Op *loop)
{
    RowWindow window;
    FOR_OPS (load, loop->blocks[0])
        if (has_window(in, load, &window)) {
            Type type = load->results[0]->type;
            cuda_line(in, "ws::row_window<%s, %d, %d, %s, %d> %s;", cuda_element_text[type.dtype], type.rows, type.cols,
                      cuda_layout_text(in), window.span, name_of(in, load));
        }
}

/* How many iterations of a run are over.  */
static void print_place(Printer *in, const Op *load, const RowWindow *window)
{
    const char *counter = load->parent->args[0]->var->name;
    if (window->period == constant_trips(load->parent->parent))
        fputs(counter, in->out);
    else
        fprintf(in->out, "%s %% %d", counter, window->period);
}

bool cuda_window(Printer *in, const Op *load)
{
    RowWindow window;
    if (!has_window(in, load, &window))
        return false;
    fprintf(in->out, "%s.take(", name_of(in, load));
    print_place(in, load, &window);
    fputs(" == 0, ", in->out);
    print_place(in, load, &window);
    if (window.apart > 1)
        fprintf(in->out, " * %d", window.apart);
    fputs(", ", in->out);
    cuda_fill(in, cuda_has_fill(load) ? load->transfer->fill : 0);
    fputs(", ", in->out);
    cuda_value(in, load->args[0], PREC_ANY);
    cuda_coordinates(in, load, 1, load->nargs);
    fputc(')', in->out);
    return true;
}
