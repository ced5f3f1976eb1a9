/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-together.c - what the launcher says of a grid that runs beside others: which rows a tile touches, and whether
 * tiles wait, or the grid.
 *
 *   call.touches(p.x, ws::loaded, {{0, 128, {1, 0}}});              rows i to i + 128 of x, of each tensor of a table x
 *   call.touches(p.y, ws::loaded, {{0, 128, {1, 0}}}, 2);          where several roles wait: the second one loads it
 *   call.together(p.together, p.grid, 2, ws::tiles_wait);           two groups say that a tile is done
 */
#include "print/cuda.h"
#include "machine/footprint.h"

/* A sum of what the launcher has.  */
static void print_bound(Printer *in, const Affine *sum, int64_t number)
{
    for (int i = 0; i < sum->count; i++) {
        if (i)
            fputs(" + ", in->out);
        if (sum->terms[i].factor != 1)
            fprintf(in->out, "%lld * ", (long long)sum->terms[i].factor);
        fputs("(long)", in->out);
        cuda_value(in, sum->terms[i].value, PREC_UNARY);
    }
    if (!sum->count)
        fprintf(in->out, "%lld", (long long)number);
    else if (number)
        fprintf(in->out, " %c %lld", number < 0 ? '-' : '+', (long long)(number < 0 ? -number : number));
}

static void print_range(Printer *in, const FootprintRange *range, int dims)
{
    if (range->all) {
        fputs("ws::whole", in->out);
        return;
    }
    fputc('{', in->out);
    print_bound(in, &range->low, range->low.low);
    fputs(", ", in->out);
    print_bound(in, &range->low, range->high);
    for (int i = 0; i < dims; i++)
        fprintf(in->out, "%s%lld", i ? ", " : ", {", (long long)range->by[i]);
    fputs("}}", in->out);
}

/* What a tile touches of a tensor.  */
static void print_touches(Printer *in, const Variable *field, bool stored)
{
    Footprint footprint;
    if (!footprint_of(in->kernel, field, stored, &footprint))
        return;
    const int first = field->value->def->tensor->table ? 1 : 0; /* the coordinate in front says which tensor */
    if (first == footprint.dims)
        return;
    cuda_begin(in);
    fprintf(in->out, "call.touches(p.%s, ws::%s, {", field->name, stored ? "stored" : "loaded");
    for (int i = first; i < footprint.dims; i++) {
        fputs(i > first ? ", " : "", in->out);
        print_range(in, &footprint.range[i], cuda_grid_dims(kernel_grid(in->kernel)));
    }
    fputc('}', in->out);
    if (!stored && footprint_by_role(in->kernel))
        fprintf(in->out, ", %u", footprint.roles);
    fputs(");\n", in->out);
}

void cuda_together(Printer *in)
{
    const Kernel *kernel = in->kernel;
    for (const Variable *field = kernel->variables; field; field = field->next)
        for (int stored = 0; stored < 2 && field->field && field->type.kind == K_TENSOR; stored++)
            print_touches(in, field, stored);
    cuda_line(in, "call.together(p.together, p.grid, %d, %s);", footprint_tellers(kernel),
              kernel->grid.awaits ? "ws::tiles_wait" : "ws::grid_waits");
}
