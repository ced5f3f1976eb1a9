/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-together.c - prints the synchronization of a grid under `together`: the rows that a tile accesses, and whether
 * its tiles or the whole grid wait.
 *
 *       call.touches(p.x, ws::loaded, {{0, 128, {1, 0}}});         rows i to i + 128 of x, of each tensor of a table x
 *       call.touches(p.y, ws::loaded, {{0, 128, {1, 0}}}, 2);      if several roles wait: the second role loads y
 *       call.together(p.together, p.grid, 2, ws::tiles_wait);      two groups announce a tile
 */
#include "machine/footprint.h"
#include "print/cuda.h"
#include "roles/programs.h"

/* Prints a sum of values that the launcher has.  */
static void print_bound(Printer *printer, const Affine *sum, int64_t number)
{
    for (int i = 0; i < sum->count; i++) {
        if (i)
            fputs(" + ", printer->out);
        if (sum->terms[i].factor != 1)
            fprintf(printer->out, "%lld * ", (long long)sum->terms[i].factor);
        fputs("(long)", printer->out);
        cuda_value(printer, sum->terms[i].value, PREC_UNARY);
    }
    if (!sum->count)
        fprintf(printer->out, "%lld", (long long)number);
    else if (number)
        fprintf(printer->out, " %c %lld", number < 0 ? '-' : '+', (long long)(number < 0 ? -number : number));
}

static void print_range(Printer *printer, const FootprintRange *range, int dims)
{
    if (range->all) {
        fputs("ws::whole", printer->out);
        return;
    }
    fputc('{', printer->out);
    print_bound(printer, &range->low, range->low.low);
    fputs(", ", printer->out);
    print_bound(printer, &range->low, range->high);
    for (int i = 0; i < dims; i++)
        fprintf(printer->out, "%s%lld", i ? ", " : ", {", (long long)range->by[i]);
    fputs("}}", printer->out);
}

/* Prints the rows of a tensor that a tile accesses.  */
static void print_touches(Printer *printer, const Variable *field, bool stored)
{
    Footprint footprint;
    if (!footprint_of(printer->kernel, field, stored, &footprint))
        return;
    const int first = field->value->def->tensor->table ? 1 : 0; /* coordinate 0 of a table selects the tensor */
    if (first == footprint.dims)
        return;
    cuda_begin(printer);
    fprintf(printer->out, "call.touches(p.%s, ws::%s, {", field->name, stored ? "stored" : "loaded");
    for (int i = first; i < footprint.dims; i++) {
        fputs(i > first ? ", " : "", printer->out);
        print_range(printer, &footprint.range[i], cuda_grid_dims(kernel_grid(printer->kernel)));
    }
    fputc('}', printer->out);
    if (!stored && footprint_by_role(printer->kernel))
        fprintf(printer->out, ", %u", footprint.roles);
    fputs(");\n", printer->out);
}

void cuda_together(Printer *printer)
{
    const Kernel *kernel = printer->kernel;
    for (const Variable *field = kernel->variables; field; field = field->next)
        for (int stored = 0; stored < 2 && field->field && field->type.kind == K_TENSOR; stored++)
            print_touches(printer, field, stored);
    cuda_line(printer, "call.together(p.together, p.grid, %d, %s);", footprint_tellers(kernel),
              kernel->grid.awaits ? "ws::tiles_wait" : "ws::grid_waits");
}
