/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-choice.c - prints the launcher of a region with variants, which chooses one of their launchers, and the estimate
 * of each variant.
 *
 *      static void ws_launch_gemm__64x128(int M, int N, int K, const void *A, ...)
 *      {
 *          if (ws::is_estimated({{0, M, 64}, {0, N, 128}}, {1, 1, 1, false, 0}, {{1, 0, 0, 64, 171, 0}, {...}}))
 *              return;
 *          ...
 *      extern "C" void ws_launch_gemm(int M, int N, int K, const void *A, ...)
 *      {
 *          static const ws_variant variants[] = {{"64x128", 0x3f2a...}, ...};
 *          ...
 *
 * The arguments of an estimate are the grid's ranges, the placement of blocks, and the loops of the frozen body. Each
 * loop has its trip count and the cost of an iteration (cost/work.c). common/choice.cuh computes a time from these.
 * The times serve to compare variants of one region and versions of one kernel. bench/notes/tuned.md has their
 * accuracy.
 */
#include <string.h>

#include "cost/work.h"
#include "ir/queries.h"
#include "ir/versions.h"
#include "print/cuda.h"
#include "target/machine.h"

enum { UNKNOWN_TRIPS = 16 }; /* iterations of a loop whose bounds are known only inside the grid */

/* ---- values known at launch -------------------------------------------------------------------------------------- */

/* Text of an infix operator with blanks around it.  */
static const char *operator_of(Opcode code)
{
    return code == OP_SCALAR_ADD ? " + " : code == OP_SCALAR_SUB ? " - " : code == OP_SCALAR_MUL ? " * " : " / ";
}

static const char *function_of(Opcode code)
{
    return code == OP_SCALAR_MIN ? "ws::min<long>" : code == OP_SCALAR_MAX ? "ws::max<long>" : NULL;
}

static void print_known(Printer *printer, const Value *value);

/* Prints the value of a grid variable for a typical tile: in the middle of the grid. Parts are equal except the
   last, so for them the first one is typical.  */
static void print_typical(Printer *printer, const Op *grid, int dim)
{
    if (printer->kernel->grid.parts && dim == grid->nargs / 3 - 1) {
        print_known(printer, grid->args[3 * dim]);
        return;
    }
    fputs("ws::middle(", printer->out);
    print_known(printer, grid->args[3 * dim]);
    fputs(", ", printer->out);
    print_known(printer, grid->args[3 * dim + 1]);
    fputs(")", printer->out);
}

static void print_known(Printer *printer, const Value *value)
{
    int64_t number;
    if (ir_constant(value, &number))
        fprintf(printer->out, "%lld", (long long)number);
    else if (!value->def && work_grid(value))
        print_typical(printer, work_grid(value), value->index);
    else if (!value->def)
        fprintf(printer->out, "(long)%s", value->var->name);
    else if (value->def->code == OP_SCALAR_CONVERT)
        print_known(printer, value->def->args[0]);
    else {
        const char *function = function_of(value->def->code);
        fprintf(printer->out, "%s(", function ? function : "");
        print_known(printer, value->def->args[0]);
        fputs(function ? ", " : operator_of(value->def->code), printer->out);
        print_known(printer, value->def->args[1]);
        putc(')', printer->out);
    }
}

static void print_trips(Printer *printer, const Op *loop)
{
    int64_t step;
    if (!work_knows(loop->args[0]) || !work_knows(loop->args[1]) || !ir_constant(loop->args[2], &step) || step < 1) {
        fprintf(printer->out, "%d", UNKNOWN_TRIPS);
        return;
    }
    fputs("ws::times(", printer->out);
    print_known(printer, loop->args[0]);
    fputs(", ", printer->out);
    print_known(printer, loop->args[1]);
    fprintf(printer->out, ", %lld)", (long long)step);
}

static void print_asked(Printer *printer, const Asked *asked)
{
    const Value *stride = asked_stride(asked);
    fprintf(printer->out, "%.0f * ws::asks(", asked->lines);
    if (stride && work_knows(stride)) {
        print_known(printer, stride);
        fprintf(printer->out, " * %d)", dtype_bytes(asked->tensor->results[0]->type.dtype));
    } else {
        fputs("0)", printer->out);
    }
}

static void print_part(Printer *printer, const Part *part)
{
    putc('{', printer->out);
    if (!part->naround)
        putc('1', printer->out);
    for (int i = 0; i < part->naround; i++) {
        fputs(i ? " * " : "", printer->out);
        print_trips(printer, part->around[i]);
    }
    fprintf(printer->out, ", %d, %.0f, %.0f, %.0f, ", part->depth, part->products, part->computes, part->leaves);
    for (int i = 0; i < part->nasked; i++) {
        fputs(i ? " + " : "", printer->out);
        print_asked(printer, &part->asked[i]);
    }
    fputs(part->nasked ? "}" : "0}", printer->out);
}

/* The number of blocks that a multiprocessor runs. Groups with products and without a register clause use at most
   half of the registers.  */
static int blocks_together(const Kernel *kernel)
{
    const Machine *machine = kernel->machine;
    int fit = (int)(machine->sm_shared_bytes / (kernel->shared_bytes + machine->block_shared_bytes));
    if (kernel->layout != LAYOUT_MMA || kernel->min_blocks > 1)
        return kernel->min_blocks > 0 ? kernel->min_blocks : 1;
    FOR_ROLES (role, kernel)
        if (role->registers)
            return 1;
    return fit < 1 ? 1 : fit < 2 ? fit : 2;
}

/* Prints {placement of blocks}, {work of the loops}.  */
static void print_work(Printer *printer, Kernel *kernel)
{
    const Work *work = work_of(kernel);
    const Grid *clauses = &kernel->grid;
    fprintf(printer->out, "{%d, %d, %d, %s, %d}, {", blocks_together(kernel),
            clauses->cluster[0] > 1 ? clauses->cluster[0] : 1, clauses->cluster[1] > 1 ? clauses->cluster[1] : 1,
            kernel->schedule.block.split == SPLIT_TILES ? "true" : "false", clauses->share);
    for (int i = 0; i < work->count; i++) {
        fputs(i ? ", " : "", printer->out);
        print_part(printer, &work->parts[i]);
    }
    putc('}', printer->out);
}

static void print_ranges(Printer *printer, const Op *grid)
{
    putc('{', printer->out);
    for (int i = 0; i < cuda_grid_dims(grid); i++) {
        bool known =
            work_knows(grid->args[3 * i]) && work_knows(grid->args[3 * i + 1]) && work_knows(grid->args[3 * i + 2]);
        fputs(i ? ", {" : "{", printer->out);
        for (int k = 0; k < 3; k++) {
            fputs(k ? ", " : "", printer->out);
            if (known)
                print_known(printer, grid->args[3 * i + k]);
            else
                fputs(k ? "1" : "0", printer->out);
        }
        putc('}', printer->out);
    }
    putc('}', printer->out);
}

static const Op *frozen_grid(const Kernel *kernel)
{
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            return op;
    return NULL;
}

/* Prints a return for calls that only ask for the estimate. It stands before the launch of a variant.  */
void cuda_print_estimate(Printer *printer)
{
    if (!printer->kernel->choice.of)
        return;
    cuda_begin(printer);
    fputs("if (ws::is_estimated(", printer->out);
    print_ranges(printer, frozen_grid(printer->kernel));
    fputs(", ", printer->out);
    print_work(printer, printer->kernel);
    fputs("))\n", printer->out);
    printer->indent++;
    cuda_line(printer, "return;");
    printer->indent--;
}

static void print_is_faster(Printer *printer, Kernel *version, Kernel *other)
{
    fputs("ws::is_faster(", printer->out);
    print_ranges(printer, frozen_grid(printer->kernel));
    fputs(", ", printer->out);
    print_work(printer, version);
    fputs(", ", printer->out);
    print_work(printer, other);
    putc(')', printer->out);
}

/* Prints a condition of the kernel's launcher: the version is faster than the kernel, and no later version is faster
   than the version.  */
void cuda_print_estimated_version(Printer *printer, Kernel *version)
{
    print_is_faster(printer, version, printer->kernel);
    for (Kernel *other = version->next; other; other = other->next)
        if (is_version_of(other, printer->kernel) && other->version.param < 0) {
            fputs(" && !", printer->out);
            print_is_faster(printer, other, version);
        }
}

/* ---- launcher of a region with variants -------------------------------------------------------------------------- */

static void mark(const Value *value, bool *is_shape)
{
    if (!value->def && !value->block && value->type.kind == K_SCALAR && !dtype_is_float(value->type.dtype))
        is_shape[value->index] = true;
    for (int i = 0; value->def && value->def->parent && i < value->def->nargs; i++)
        if (value->def->args[i]->type.kind == K_SCALAR)
            mark(value->def->args[i], is_shape);
}

static void visit_shape(Op *op, void *context)
{
    int first = op->code == OP_TENSOR ? 1 : 0, last = op->code == OP_TENSOR ? op->nargs : 0;
    if (op->code == OP_FOR)
        last = 3;
    if (op->code == OP_GRID)
        last = 3 * cuda_grid_dims(op);
    for (int i = first; i < last; i++)
        if (op->args[i]->type.kind == K_SCALAR)
            mark(op->args[i], context);
}

/* Marks the integer parameters on which extents, strides and bounds depend.  */
static bool *shape_of(const Kernel *first)
{
    bool *is_shape = arena_alloc(first->module, (size_t)first->nparams + 1);
    for (Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant))
        ir_walk(variant->body, visit_shape, is_shape);
    return is_shape;
}

static void print_arguments(Printer *printer, const Kernel *kernel)
{
    for (int i = 0; i < kernel->nparams; i++)
        fprintf(printer->out, "%s%s", i ? ", " : "", kernel->params[i]->var->name);
}

static uint64_t digest_of(const Kernel *variant)
{
    return variant->digest ^ variant->scheduled.digest;
}

static bool is_digest_of(const Kernel *first, const char *line)
{
    unsigned long long digest = 0;
    const char *word = strchr(line, ' ');
    if (!word || sscanf(word, "%llx", &digest) != 1)
        return false;
    for (const Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant))
        if (digest_of(variant) == digest)
            return true;
    return false;
}

/* The lines of the tuned table for these variants, or NULL.  */
static const char *lines_about(Kernel *first)
{
    const char *found = NULL;
    size_t length = strlen(first->choice.of);
    bool stale = false;
    for (const char *line = first->module->tuned; line && *line;) {
        const char *end = strchr(line, '\n');
        int bytes = (int)(end ? end - line : (long)strlen(line));
        if (!strncmp(line, first->choice.of, length) && line[length] == ' ') {
            const char *text = arena_print(first->module, "%.*s", bytes, line);
            if (is_digest_of(first, text))
                found = arena_print(first->module, "%s%s\n", found ? found : "", text);
            else
                stale = true;
        }
        line = end ? end + 1 : NULL;
    }
    if (stale)
        warn(first, first->loc, "what the table of tuned kernels says of '%s' is of another build, and not used",
             first->choice.of);
    return found;
}

static void print_lines(Printer *printer, const char *lines)
{
    printer->indent++;
    for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
        putc('\n', printer->out);
        cuda_begin(printer);
        cuda_quoted(printer->out, arena_print(printer->kernel->module, "%.*s\n", (int)strcspn(line, "\n"), line));
    }
    printer->indent--;
}

static void print_variants(Printer *printer)
{
    Kernel *first = printer->kernel;
    const char *tuned = lines_about(first);
    int count = 0;
    cuda_line(printer, "static const ws_variant variants[] = {");
    printer->indent++;
    for (const Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant), count++)
        cuda_line(printer, "{\"%s\", 0x%llxull},", variant_label(variant), (unsigned long long)digest_of(variant));
    printer->indent--;
    cuda_line(printer, "};");
    cuda_begin(printer);
    fprintf(printer->out, "static ws_choices choices = {\"%s\", ", first->choice.of);
    if (tuned)
        print_lines(printer, tuned);
    else
        fputs("nullptr", printer->out);
    fprintf(printer->out, ", %d, variants, 0, nullptr};\n", count);
}

/* require: the launchers of the variants are printed; `printer->kernel` is the first variant.  */
void cuda_print_choice(Printer *printer)
{
    const Kernel *first = printer->kernel;
    const bool *is_shape = shape_of(first);
    int shown = 0, number = 0;
    print_variants(printer);
    cuda_begin(printer);
    fputs("ws::choice choice(choices, {", printer->out);
    for (int i = 0; i < first->nparams && shown < 24; i++)
        if (is_shape[i])
            fprintf(printer->out, "%s(long)%s", shown++ ? ", " : "", first->params[i]->var->name);
    fputs(shown ? "});\n" : "0});\n", printer->out);
    cuda_line(printer, "while (choice.next())");
    printer->indent++;
    cuda_line(printer, "switch (choice.variant()) {");
    for (Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant)) {
        cuda_line(printer, "case %d:", number++);
        printer->indent++;
        cuda_begin(printer);
        fprintf(printer->out, "%s(", variant_launcher(variant));
        print_arguments(printer, first);
        fputs(");\n", printer->out);
        cuda_line(printer, "break;");
        printer->indent--;
    }
    cuda_line(printer, "}");
    printer->indent--;
}
