/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-narrow.c - loops whose products take no more columns than can be seen.
 *
 *   copy_in %slot, %b, %j, %k | clipped=2         of b's 256 rows only the grid's step reach something (present.c)
 *   pingpong_take                                      ws::narrowed(acc, p.b_map.columns, [&](auto width) {
 *   %t = for %k ...                                    s.pingpong.take(group);
 *     %acc = mma %va, %vb, %acc.1                      for (...)
 *   pingpong_pass                                              ws::mma(acc, ws::view(s.a[slot]), ..., width);
 *   %acc = wait %t                                     s.pingpong.pass(group);
 *                                                      ws::wait<0>(acc);
 *                                                  });
 *
 * Or the product says itself how many columns are seen (mma %va, %vb, %acc, %width): ws::narrowed(acc, width, ...).
 *
 * Of a wide tile that is its tensor's last (copy_in ... | present=1) half the columns may be all that there are:
 *
 *   ws::halved(acc, ws::columns_there(p.b_map, j), [&](auto width) { ... });
 *
 * The tensor core's instruction has its columns in its name, so the loop is there once for each eight of them, or twice.
 * The wait for its products belongs to it: the assembler serializes products that are under way where several ways meet.
 * What the sums begin with is in registers before the ways part, and the turn is taken behind that: else it would be put
 * there on each way, 340 instructions and 400 clocks in which nobody multiplies.  What is right of the columns in the
 * accumulator stays as it was; nothing looks at it, as at what rows that were not brought would have made.
 */
#include "print/cuda.h"
#include "ir/queries.h"

typedef struct {
    const Printer *printer;
    const Op *loop;
    const Op *copy; /* of the right operands */
    const Op *product;
    bool fits;
} Narrow;

static void visit_copy(Op *op, void *context)
{
    const Op **copy = context;
    if (op->code == OP_COPY_IN && op->storage == (*copy)->storage)
        *copy = op;
}

/* What brings an operand of which not all need be multiplied, or NULL.  */
static const Op *narrow_copy(const Printer *in, const Op *view)
{
    const Op *copy = view;
    FOR_ROLES (role, in->kernel)
        ir_walk(role->body, visit_copy, &copy);
    const Grid *grid = &in->kernel->grid;
    bool halved = copy != view && grid->dynamic && grid->split == SPLIT_TILES && is_halved_at_edge(copy);
    return halved || (copy != view && copy->transfer->clipped) ? copy : NULL;
}

static const Op *behind_trans(const Value *value)
{
    const Op *op = value->def;
    return op && op->code == OP_TRANS_VIEW ? op->args[0]->def : op;
}

/* acc += a b with both operands in shared memory, b being all of a clipped tile, turned over.  */
static void visit_product(Op *op, void *context)
{
    Narrow *in = context;
    if (op->code != OP_MMA)
        return;
    const Op *left = behind_trans(op->args[0]), *right = op->args[1]->def, *view = behind_trans(op->args[1]);
    bool plain = !op->sync->paired && left && left->code == OP_VIEW && view && view != right && view->code == OP_VIEW &&
                 view->nargs == 1 && view->storage->tile.rows == op->results[0]->type.cols;
    bool told = op->nargs > 3 && ir_outside(op->args[3], in->loop);
    const Op *copy = plain && !told ? narrow_copy(in->printer, view) : NULL;
    in->fits = in->fits && plain && (told || copy) && !in->product;
    in->copy = copy;
    in->product = op;
}

/* The wait for the loop's products, which may follow the pass of a turn.  */
static const Op *wait_behind(const Op *loop)
{
    const Op *op = loop->next;
    if (op && op->code == OP_PINGPONG_PASS)
        op = op->next;
    return op && op->code == OP_WAIT && !op->sync->pending && op->nargs == 1 && loop->nresults == 1 &&
                   op->args[0] == loop->results[0] && op->results[0]->var == loop->results[0]->var
               ? op
               : NULL;
}

/* Opens the loop's function, which is called for the width that is wanted.  */
static void print_begin(Printer *in, const Narrow *search, const Value *acc)
{
    const Op *copy = search->copy;
    const Block *tiles = role_grid(in->role)->blocks[0];
    cuda_begin(in);
    fputs(!copy || copy->transfer->clipped ? "ws::narrowed(" : "ws::halved(", in->out);
    cuda_value(in, acc, PREC_ANY);
    fputs(", ", in->out);
    if (!copy) {
        cuda_value(in, search->product->args[3], PREC_ANY);
    } else if (copy->transfer->clipped) {
        fprintf(in->out, "p.%s.columns", cuda_map_for(in, copy));
    } else {
        fprintf(in->out, "ws::columns_there(p.%s, ", cuda_map_for(in, copy));
        cuda_value(in, tiles->args[grid_variable(copy->args[copy->nargs - 2])], PREC_ANY);
        fputc(')', in->out);
    }
    fputs(", [&](auto width) {\n", in->out);
}

const Op *cuda_narrow(Printer *in, const Op *first)
{
    const Op *loop = first->code == OP_PINGPONG_TAKE ? first->next : first;
    const Op *wait = loop && loop->code == OP_FOR && !in->width ? wait_behind(loop) : NULL;
    Narrow search = {.printer = in, .loop = loop, .fits = true};
    if (!wait)
        return NULL;
    ir_walk(loop->blocks[0], visit_product, &search);
    if (!search.fits || !search.product)
        return NULL;
    print_begin(in, &search, wait->results[0]);
    in->width = "width";
    return wait;
}

void cuda_narrow_end(Printer *in)
{
    in->width = NULL;
    cuda_line(in, "});");
}
