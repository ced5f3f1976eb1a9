/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-choice.c - the launcher of a region with choices, which takes one of its variants' launchers, and what each of
 * those is estimated at.
 *
 *   static void ws_launch_gemm__64x128(int M, int N, int K, const void *A, ...)
 *   {
 *       if (ws::is_estimated({{0, M, 64}, {0, N, 128}}, {1, 1, false}, {{1, 0, 0, 64, 171, 0}, {...}}))
 *           return;
 *       ...
 *   extern "C" void ws_launch_gemm(int M, int N, int K, const void *A, ...)
 *   {
 *       static const ws_variant variants[] = {{"64x128", 0x3f2a...}, ...};
 *       ...
 *
 * Of the frozen body, for each loop: how often it runs, and how long an iteration keeps the tensor cores, the lanes,
 * the way out and L2, in clocks of a multiprocessor.  common/choice.cuh makes a number of it, which serves to compare
 * tiles of one region; bench/notes/tuned.md says how far off it is.
 */
#include <string.h>

#include "ir/queries.h"
#include "machine/machine.h"
#include "print/cuda.h"

enum {
    LINE = 128,        /* bytes that L2 answers with at once */
    LEAVES = 48,       /* bytes of stores a clock */
    SENT = 19,         /* ... that blocks of a cluster send each other: sent_bytes of lib/product/numbers.def */
    LANES = 128,       /* elements a clock, of one instruction */
    SLOW = 8,          /* instructions of a function by polynomial or special unit */
    REDUCES = 2,       /* ... of a reduction, for each element */
    MOST_AROUND = 4,   /* loops in loops that count */
    MOST_LOADS = 8,    /* of a part, that are told apart */
    UNKNOWN_TRIPS = 16 /* iterations of a loop whose bounds only the grid knows */
};

/* Lines that a block asks L2 for, and how far apart in memory the rows begin.  */
typedef struct {
    double lines;
    const Op *tensor; /* NULL: rows begin with lines */
} Asked;

typedef struct {
    const Op *around[MOST_AROUND];
    int naround, nasked;
    int depth;                         /* 0: not pipelined */
    double products, computes, leaves; /* clocks */
    Asked asked[MOST_LOADS];
} Part;

typedef struct {
    Part parts[16];
    int count;
    Variance variance;
} Work;

/* ---- what a body holds ------------------------------------------------------------------------------------------- */

static double product_clocks(const Op *dot)
{
    Type left = dot->args[0]->type, right = dot->args[1]->type;
    double rows = (double)((left.rows + 63) / 64), columns = right.cols;
    double instructions = (double)left.cols * dtype_bytes(left.dtype) / 32;
    /* An instruction reads 64 rows of the left operand, too.  */
    double clocks = columns / 2 > 16 + columns / 4 ? columns / 2 : 16 + columns / 4;
    int times = dot->code == OP_DOT_F32 ? 3 : dtype_bytes(left.dtype) == 8 ? 8 : 1;
    return rows * instructions * clocks * times;
}

static double elements(const Op *op)
{
    Type type = op->nresults ? op->results[0]->type : op->args[op->nargs - 1]->type;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind == K_TILE && op->args[i]->type.rows * op->args[i]->type.cols > type.rows * type.cols)
            type = op->args[i]->type;
    return type.kind == K_TILE ? (double)type.rows * type.cols : 0;
}

/* Blocks that bring the tile together.  */
static int sharers_of(const Kernel *kernel, const Work *work, const Part *part, const Op *load)
{
    int varies = part->depth && cluster_size(kernel) > 1 ? variance_of_load(&work->variance, load) : 3;
    return (varies & VARIES_X || kernel->grid.cluster[0] < 2 ? 1 : kernel->grid.cluster[0]) *
           (varies & VARIES_Y || kernel->grid.cluster[1] < 2 ? 1 : kernel->grid.cluster[1]);
}

static void weigh_load(const Kernel *kernel, const Work *work, Part *part, const Op *load)
{
    Type type = load->results[0]->type;
    const Op *tensor = load->args[0]->type.kind == K_TENSOR ? tensor_root(load->args[0]) : NULL;
    double lines = (double)type.rows * ((type.cols * dtype_bytes(type.dtype) + LINE - 1) / LINE);
    if (part->nasked < MOST_LOADS)
        part->asked[part->nasked++] = (Asked){lines / sharers_of(kernel, work, part, load), tensor};
}

/* Clocks until a block has the others' parts of its columns.  */
static double exchange_clocks(const Kernel *kernel, const Op *op)
{
    Type share = op->results[0]->type;
    return (double)share.rows * share.cols * dtype_bytes(share.dtype) * (cluster_size(kernel) - 1) / SENT;
}

static void weigh_op(const Kernel *kernel, const Work *work, Part *part, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_LOAD)
        weigh_load(kernel, work, part, op);
    else if (class_ == CLASS_STORE && op->nargs && op->args[op->nargs - 1]->type.kind == K_TILE)
        part->leaves += elements(op) * dtype_bytes(op->args[op->nargs - 1]->type.dtype) / LEAVES;
    else if (op->code == OP_SUM_PARTS)
        part->leaves += exchange_clocks(kernel, op);
    else if (op_is_product(op))
        part->products += product_clocks(op);
    else if (op_is_elementwise(op))
        part->computes += elements(op) / LANES * (op_info[op->code].about & IS_SLOW ? SLOW : 1);
    else if (class_ == CLASS_TILE && op->nargs && op->code != OP_TRANS && op->code != OP_COLUMNS)
        part->computes += elements(op) / LANES * REDUCES;
}

static void weigh(const Kernel *kernel, Work *work, int index, const Block *block)
{
    FOR_OPS (op, block) {
        const bool inner = op->code == OP_FOR && work->count < (int)(sizeof work->parts / sizeof *work->parts) &&
                           work->parts[index].naround < MOST_AROUND;
        int to = index;
        if (inner) {
            Part part = {.naround = work->parts[index].naround};
            const Pipeline *pipeline = pipeline_of(op);
            memcpy(part.around, work->parts[index].around, sizeof part.around);
            part.around[part.naround++] = op;
            part.depth = !pipeline ? 0 : pipeline->depth > 0 ? pipeline->depth : 4;
            to = work->count;
            work->parts[work->count++] = part;
        }
        for (int i = 0; i < op->nblocks; i++)
            weigh(kernel, work, to, op->blocks[i]);
        if (!op->nblocks)
            weigh_op(kernel, work, &work->parts[index], op);
    }
}

/* ---- numbers that the caller knows ------------------------------------------------------------------------------- */

/* Between two numbers, or in front of them.  */
static const char *operator_of(Opcode code)
{
    return code == OP_ADDI ? " + " : code == OP_SUBI ? " - " : code == OP_MULI ? " * " : code == OP_DIVI ? " / " : NULL;
}

static const char *function_of(Opcode code)
{
    return code == OP_MINI ? "ws::min<long>" : code == OP_MAXI ? "ws::max<long>" : NULL;
}

/* A variable of the grid: the grid, or NULL.  */
static const Op *grid_of(const Value *value)
{
    const Op *op = value->block ? value->block->parent : NULL;
    return op && op->code == OP_GRID ? op : NULL;
}

static bool is_known(const Value *value, int depth)
{
    if (!value->def && grid_of(value)) {
        const Op *grid = grid_of(value);
        return is_known(grid->args[3 * value->index], depth + 1) &&
               is_known(grid->args[3 * value->index + 1], depth + 1);
    }
    if (!value->def)
        return !value->block && value->type.kind == K_SCALAR && !dtype_is_float(value->type.dtype);
    if (value->def->code == OP_CONST)
        return true;
    if (depth > 12 ||
        (!operator_of(value->def->code) && !function_of(value->def->code) && value->def->code != OP_CONVI))
        return false;
    for (int i = 0; i < value->def->nargs; i++)
        if (!is_known(value->def->args[i], depth + 1))
            return false;
    int64_t divisor;
    return value->def->code != OP_DIVI || (ir_constant(value->def->args[1], &divisor) && divisor > 0);
}

static void print_known(Printer *in, const Value *value);

/* A tile in the middle of the grid; of parts, which are equal but for the last, the first.  */
static void print_typical(Printer *in, const Op *grid, int dim)
{
    if (in->kernel->grid.parts && dim == grid->nargs / 3 - 1) {
        print_known(in, grid->args[3 * dim]);
        return;
    }
    fputs("ws::middle(", in->out);
    print_known(in, grid->args[3 * dim]);
    fputs(", ", in->out);
    print_known(in, grid->args[3 * dim + 1]);
    fputs(")", in->out);
}

static void print_known(Printer *in, const Value *value)
{
    int64_t number;
    if (ir_constant(value, &number))
        fprintf(in->out, "%lld", (long long)number);
    else if (!value->def && grid_of(value))
        print_typical(in, grid_of(value), value->index);
    else if (!value->def)
        fprintf(in->out, "(long)%s", value->var->name);
    else if (value->def->code == OP_CONVI)
        print_known(in, value->def->args[0]);
    else {
        const char *function = function_of(value->def->code);
        fprintf(in->out, "%s(", function ? function : "");
        print_known(in, value->def->args[0]);
        fputs(function ? ", " : operator_of(value->def->code), in->out);
        print_known(in, value->def->args[1]);
        putc(')', in->out);
    }
}

static void print_trips(Printer *in, const Op *loop)
{
    int64_t step;
    if (!is_known(loop->args[0], 0) || !is_known(loop->args[1], 0) || !ir_constant(loop->args[2], &step) || step < 1) {
        fprintf(in->out, "%d", UNKNOWN_TRIPS);
        return;
    }
    fputs("ws::times(", in->out);
    print_known(in, loop->args[0]);
    fputs(", ", in->out);
    print_known(in, loop->args[1]);
    fprintf(in->out, ", %lld)", (long long)step);
}

static void print_asked(Printer *in, const Asked *asked)
{
    const Op *tensor = asked->tensor;
    const int rank = tensor ? tensor->results[0]->type.rank : 0;
    const Value *stride = rank > 1 ? tensor->args[1 + rank + rank - 2] : NULL;
    fprintf(in->out, "%.0f * ws::asks(", asked->lines);
    if (stride && is_known(stride, 0)) {
        print_known(in, stride);
        fprintf(in->out, " * %d)", dtype_bytes(tensor->results[0]->type.dtype));
    } else {
        fputs("0)", in->out);
    }
}

static void print_part(Printer *in, const Part *part)
{
    putc('{', in->out);
    if (!part->naround)
        putc('1', in->out);
    for (int i = 0; i < part->naround; i++) {
        fputs(i ? " * " : "", in->out);
        print_trips(in, part->around[i]);
    }
    fprintf(in->out, ", %d, %.0f, %.0f, %.0f, ", part->depth, part->products, part->computes, part->leaves);
    for (int i = 0; i < part->nasked; i++) {
        fputs(i ? " + " : "", in->out);
        print_asked(in, &part->asked[i]);
    }
    fputs(part->nasked ? "}" : "0}", in->out);
}

/* Of a multiprocessor.  Groups that multiply, and are not told their registers, take no more than half of those.  */
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

/* In front of a variant's launch: where the launcher is only asked, this is the answer.  */
void cuda_print_estimate(Printer *in)
{
    const Kernel *kernel = in->kernel;
    const Op *grid = NULL;
    Work *work = arena_alloc(kernel->module, sizeof *work);
    if (!kernel->choice.of)
        return;
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            grid = op;
    work->count = 1;
    work->variance = variance_new(in->kernel);
    weigh(kernel, work, 0, grid->blocks[0]);
    cuda_begin(in);
    fputs("if (ws::is_estimated({", in->out);
    for (int i = 0; i < cuda_grid_dims(grid); i++) {
        bool known =
            is_known(grid->args[3 * i], 0) && is_known(grid->args[3 * i + 1], 0) && is_known(grid->args[3 * i + 2], 0);
        fputs(i ? ", {" : "{", in->out);
        for (int k = 0; k < 3; k++) {
            fputs(k ? ", " : "", in->out);
            if (known)
                print_known(in, grid->args[3 * i + k]);
            else
                fputs(k ? "1" : "0", in->out);
        }
        putc('}', in->out);
    }
    fprintf(in->out, "}, {%d, %d, %s}, {", blocks_together(kernel), cluster_size(kernel),
            kernel->grid.split == SPLIT_TILES ? "true" : "false");
    for (int i = 0; i < work->count; i++) {
        fputs(i ? ", " : "", in->out);
        print_part(in, &work->parts[i]);
    }
    fputs("}))\n", in->out);
    in->indent++;
    cuda_line(in, "return;");
    in->indent--;
}

/* ---- the launcher that chooses ----------------------------------------------------------------------------------- */

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

/* The integers that extents, strides and bounds come of.  */
static bool *shape_of(const Kernel *first)
{
    bool *is_shape = arena_alloc(first->module, (size_t)first->nparams + 1);
    for (Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant))
        ir_walk(variant->body, visit_shape, is_shape);
    return is_shape;
}

static void print_arguments(Printer *in, const Kernel *kernel)
{
    for (int i = 0; i < kernel->nparams; i++)
        fprintf(in->out, "%s%s", i ? ", " : "", kernel->params[i]->var->name);
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

/* The table's lines about these variants, or NULL.  */
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

static void print_lines(Printer *in, const char *lines)
{
    in->indent++;
    for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
        putc('\n', in->out);
        cuda_begin(in);
        cuda_quoted(in->out, arena_print(in->kernel->module, "%.*s\n", (int)strcspn(line, "\n"), line));
    }
    in->indent--;
}

static void print_variants(Printer *in)
{
    Kernel *first = in->kernel;
    const char *tuned = lines_about(first);
    int count = 0;
    cuda_line(in, "static const ws_variant variants[] = {");
    in->indent++;
    for (const Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant), count++)
        cuda_line(in, "{\"%s\", 0x%llxull},", variant_label(variant), (unsigned long long)digest_of(variant));
    in->indent--;
    cuda_line(in, "};");
    cuda_begin(in);
    fprintf(in->out, "static ws_choices choices = {\"%s\", ", first->choice.of);
    if (tuned)
        print_lines(in, tuned);
    else
        fputs("nullptr", in->out);
    fprintf(in->out, ", %d, variants, 0, nullptr};\n", count);
}

/* require: the launchers of the variants stand above.  In `in` the first of them.  */
void cuda_print_choice(Printer *in)
{
    const Kernel *first = in->kernel;
    const bool *is_shape = shape_of(first);
    int shown = 0, number = 0;
    print_variants(in);
    cuda_begin(in);
    fputs("ws::choice choice(choices, {", in->out);
    for (int i = 0; i < first->nparams && shown < 24; i++)
        if (is_shape[i])
            fprintf(in->out, "%s(long)%s", shown++ ? ", " : "", first->params[i]->var->name);
    fputs(shown ? "});\n" : "0});\n", in->out);
    cuda_line(in, "while (choice.next())");
    in->indent++;
    cuda_line(in, "switch (choice.variant()) {");
    for (Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant)) {
        cuda_line(in, "case %d:", number++);
        in->indent++;
        cuda_begin(in);
        fprintf(in->out, "%s(", variant_launcher(variant));
        print_arguments(in, first);
        fputs(");\n", in->out);
        cuda_line(in, "break;");
        in->indent--;
    }
    cuda_line(in, "}");
    in->indent--;
}
