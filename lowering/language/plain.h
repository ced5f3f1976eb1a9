/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain.h - loops over elements become loops over tiles: what its files share.
 *
 *   plain.c         the pass: which loops are tiled, and how wide
 *   plain-poly.c    subscripts as sums of products
 *   plain-facts.c   what follows of bounds and conditions
 *   plain-long.c    subscripts that are loaded as 64 bits
 *   plain-scale.c   subscripts that are chosen in bytes
 *   plain-range.c   between which numbers integers are; comparisons with counters of 64 bits
 *   plain-promote.c C's promotions, undone where they change nothing
 *   plain-order.c   loops that count upwards, and sum inside; memory that a loop sums in
 *   plain-survey.c, plain-plan.c    strides of arrays, and tile sizes by their cost
 *   plain-sums.c    sums whose order is open, in a form that says more
 *   plain-scan.c    axes, conditions, reductions
 *   plain-lines.c   elements at equal distances
 *   plain-memory.c  accesses: a tensor, its extents, a coordinate for each of its dimensions
 *   plain-conditions.c, plain-bounds.c, plain-strides.c, plain-reach.c     what that takes: plain-memory.h
 *   plain-tensor.c  the tensors
 *   plain-depends.c iterations that touch one element
 *   plain-form.c    a scalar of the loops as a tile
 *   plain-store.c   stores, as far as their conditions let them
 *   plain-operation.c    an operation on scalars as one on tiles; C's integers
 *   plain-total.c   sums over the whole grid
 *   plain-scatter.c stores to elements that iterations may have in common
 *   plain-triangle.c    products of which one side is a triangle
 *   plain-wide.c    which numbers of 64 bits are tiles of I64
 *   plain-emit.c    the loops, again
 *
 * An axis is a loop of which many iterations are made at once.  A scalar that changes along no axis stays a scalar, or
 * is a tile of one element.  Along one axis it is a column or a row, along two a tile, whose rows are one axis and
 * whose columns the other. Along three there is only the sum over one of them of a product, which is a matrix product.
 */
#ifndef WSC_PLAIN_H
#define WSC_PLAIN_H

#include "ir/slice.h"

/* ---- plain-long.c ------------------------------------------------------------------------------------------------ */

void plain_narrow(Kernel *kernel);
bool low_half_suffices(const Uses *uses, const Value *value); /* for all who use it */
bool low_half_suffices_use(const Uses *uses, const Use *use);

/* ---- plain-promote.c --------------------------------------------------------------------------------------------- */

void plain_promote(Kernel *kernel);

/* ---- plain-scale.c ----------------------------------------------------------------------------------------------- */

void plain_scale(Kernel *kernel);

/* ---- plain-poly.c ------------------------------------------------------------------------------------------------ */

enum { POLY_TERMS = 20, POLY_FACTORS = 8 };

/* factor value value ..., by the values' numbers.  */
typedef struct {
    int64_t factor;
    int count;
    Value *values[POLY_FACTORS];
} Term;
typedef struct {
    bool known; /* false: too long */
    int count;
    Term terms[POLY_TERMS]; /* of different values */
} Poly;

Poly poly_constant(int64_t number);
Poly poly_value(Value *value);
Poly poly_of(Value *value); /* through sums, products and conversions that do not wrap around */
/* The same, also through sums of unsigned numbers of 32 bits, which are these modulo 2^32, and ints made of them or of
   numbers of 64 bits.  */
enum { MAX_WRAPPED = 4 };
typedef struct {
    int count;
    Value *values[MAX_WRAPPED]; /* each is its sum where that is from 0 to 2^32 - 1, or 2^31 - 1 of an int */
    bool inside;
} Wrapped;
Poly poly_of_subscript(Value *value, Wrapped *wrapped);
Poly poly_of_wrapped(Value *value);   /* the sum of one of them */
Poly poly_modulo(Value *value);       /* the sum of a number of 32 bits */
Poly poly_of_place(const Op *access); /* where an element lies, for whether two are one */
Poly poly_add(const Poly *x, const Poly *y, int64_t factor);
Poly poly_multiply(const Poly *x, const Poly *y);
bool term_same(const Term *x, const Term *y); /* but for their factors */
bool poly_same(const Poly *x, const Poly *y);
bool poly_is_constant(const Poly *x, int64_t *number);
/* The difference of two sums, where it is a constant.  */
bool poly_distance(const Poly *x, const Poly *y, int64_t *number);
/* x = *factor value + rest; false where the value stands in a product with itself.  */
bool poly_split(const Poly *x, const Value *value, Poly *factor, Poly *rest);
bool poly_has(const Poly *x, const Value *value);
Poly poly_replace(const Poly *x, const Value *value, const Poly *by);
/* What of the sum is a multiple of the product, divided by it.  The constant's quotient is the nearest.  */
Poly poly_divide(const Poly *x, const Term *by, Poly *rest);
/* Each factor by a number; false where one is no multiple.  */
bool poly_divide_by(Poly *x, int64_t number);
/* Its operations in front of `where`; values by the map.  I64, or the value itself where it is one.  */
typedef Value *PolyUse(void *context, Value *value);
Value *poly_emit(Kernel *kernel, Op *where, const Poly *x, PolyUse *use, void *context);
const char *poly_text(Module *module, const Poly *x);

/* ---- the nest ---------------------------------------------------------------------------------------------------- */

enum { MAX_LOOPS = 24, MAX_RANK = 4, MAX_EXTENTS = 10, MAX_SCATTERED = 64, MAX_ASSUMED = 8, MAX_FLOORS = 16 };

typedef struct {
    Op *op;
    Value *iv;
    int grid;        /* its place among the loops of the grid, or -1 */
    int tile;        /* > 1: an axis */
    bool masked;     /* its bounds change along an axis: effects have conditions of their own */
    bool turned;     /* it counted down */
    bool away;       /* it goes away from its bound, as far as its type: all or nothing by what it starts with */
    bool fixed;      /* a product wants its tile as it is */
    bool ordered;    /* its iterations stay one after the other */
    const char *why; /* they do */
    int rest, whole; /* of a triangle: the loop that has the rest of its iterations, and of whose it has the rest */
    Poly lo, hi;     /* lo <= iv < hi */
    /* The loop is entered where this holds of its start and its end, as C compares them.  */
    Value *start, *end;
    Opcode enters;
    bool only_enters; /* the guard of its bound says no more */
    /* Of a loop that went on by steps, what its counter was, from first to last; NULL: it is the counter.  */
    Value *index, *edge; /* index < edge, or as `within` says, as long as it goes on */
    Opcode within;
    Poly along, step, left, first, last; /* the index, the step's size, and what is left of the index by that */
} Loop;

/* Several arrays seen through one base with one set of strides.  */
typedef struct Group {
    Value *base;
    Dtype dtype;
    int rank;
    Poly stride[MAX_RANK];
    Poly kept[MAX_RANK]; /* strides of axes */
    int nkept;
    Poly extent[MAX_RANK][MAX_EXTENTS]; /* the largest of these */
    int nextents[MAX_RANK];
    Poly least[MAX_EXTENTS]; /* subscripts, and factors of counters: to be seen when launched that none is below 0 */
    int nleast;
    Value *guard; /* without it there is nothing; NULL: always there */
    bool unguarded, stored;
    bool line;                           /* elements at equal distances: of the second dimension there is one */
    bool moved, stays;                   /* the tensor begins elsewhere than the array; it does not */
    Poly first;                          /* of either, the element that the tensor begins with */
    bool apart;                          /* of accesses with just these dimensions */
    bool flat;                           /* a vector, since a box would reach beyond what is touched */
    int reach;                           /* of accesses that reach as far as each other; 0: of all */
    int places;                          /* dimensions that tell elements apart; of what is flat more than one */
    Poly place[MAX_RANK];                /* their strides */
    Value *tensors[MAX_RANK * MAX_RANK]; /* by the last two dimensions */
    Value *vector;
    struct Group *next;
} Group;

typedef struct Line Line;

typedef struct Access {
    Op *op;
    bool stores;
    Group *group;
    Poly coordinate[MAX_RANK]; /* by the group's dimensions */
    Poly place[MAX_RANK];      /* by the dimensions that tell elements apart */
    Poly top[MAX_RANK];        /* behind the last one, where the operation stands */
    Poly extent[MAX_RANK];     /* of a tensor for this access alone */
    int axis[MAX_RANK];        /* that the dimension moves along, or -1 */
    const char *gathered;      /* why its elements are looked up one by one; NULL: they are not */
    struct Access *next;
} Access;

typedef struct Form {
    int row, col; /* axes, or -1 */
    Value *value;
    struct Form *next;
} Form;

/* A sum over the whole grid, and which result of its outermost loop it is.  */
typedef struct {
    const Total *total;
    Op *loop;
    int index;
    bool takes_nan; /* a largest or smallest in a form that takes NaN (Part) */
} Leaving;

/* A store whose elements several iterations may have in common: it adds, or the user says that they do not.  */
typedef struct {
    Op *store;
    bool adds;
} Scattered;

/* A number in front of the grid: of / by, rounded down.  */
typedef struct {
    Value *value;
    Poly of;
    int64_t by;
} Floor;

typedef struct {
    Kernel *kernel;
    Loop loops[MAX_LOOPS];
    int nloops;
    Leaving *totals; /* room for all of the grid */
    int ntotals, most_totals;
    Scattered scattered[MAX_SCATTERED];
    int nscattered;
    Op *region; /* the outermost loop */
    /* by value id, of the scalar program */
    int size;
    uint32_t *axes;
    bool *tiled;
    bool *wide; /* by value id, below nwide */
    int nwide;
    Form **forms;
    Op **places;   /* in front of which a value's forms are made */
    Value **plain; /* the scalar that stands for it */
    Access *accesses;
    Group *groups;
    struct Line *lines;
    bool may_gather, again;
    bool planned, too_large; /* the sizes of tiles are those of a plan; they do not fit in registers */
    struct {
        const Value *condition;
        bool holds;
    } assumed[MAX_ASSUMED]; /* of the arms of choices, where a bound is looked for */
    int nassumed;
    int depth, searches; /* for bounds within bounds */
    bool together;       /* bounds of a loop's iterations: choices and small sums as parts of the whole sum */
    bool unchecked;      /* bounds for factors of any sign, which the launcher does not look at */
    Floor floors[MAX_FLOORS];
    int nfloors;
    bool by_index;         /* while unsigned sums are looked at: loops that go by steps by what their counters were */
    const char **gathered; /* by value id: why an element of a tile is looked up by itself */
    bool *apart;           /* by value id: an element whose tensor has the dimensions of its own subscript alone */
    bool *flat;            /* by value id: an element, or the base of an array that is stored, seen as a vector */
    int *reach;            /* by value id: an element whose tensor is of those that reach as far; 0: of all */
    int nreaches;
    Op *prologue; /* the new program's: in front of this */
    int nplaces;
    Op **allplaces;
} Nest;

#define FOR_LOOPS(i, in) for (int i = 0; i < (in)->nloops; i++)

bool is_axis(const Nest *in, int loop);
bool ends_together(const Nest *in, int loop); /* or its end is a condition of its effects */
uint32_t axes_of(const Nest *in, const Value *value);
bool is_tiled(const Nest *in, const Value *value);
int loop_of(const Nest *in, const Value *iv); /* -1: it is no counter */
int loop_of_op(const Nest *in, const Op *op);
int only_axis(uint32_t axes);
uint32_t loops_around(const Nest *in, const Op *op);
bool is_known_before(const Nest *in, const Value *value); /* or computed inside, of what is */
bool is_column(const Nest *in, int axis);                 /* elements along it lie in columns: (1,C) */

/* ---- plain-facts.c ----------------------------------------------------------------------------------------------- */

/* Facts about up to two instances of the loops' body, 1 and 2, which have the counters of `common` loops in common.  */
typedef struct Facts Facts;
int64_t common_divisor(int64_t x, int64_t y); /* the greatest, not below 0 */
Facts *facts_new(Nest *in, uint32_t common);
void facts_add(Facts *facts, const Poly *x, int instance); /* x >= 0 */
void facts_equal(Facts *facts, const Poly *x, int first, const Poly *y, int second);
void facts_less(Facts *facts, const Poly *x, int first, const Poly *y, int second);
void facts_condition(Facts *facts, const Value *condition, bool holds, int instance);
void facts_at(Facts *facts, const Op *op, int instance, bool exactly); /* the operation is carried out */
bool facts_contradict(Facts *facts);

/* ---- plain-order.c ----------------------------------------------------------------------------------------------- */

void scan_straighten(Nest *in); /* loops count upwards by 1 */
void scan_exchange(Nest *in);
void scan_reuse(Nest *in);
void scan_promote(Nest *in);
void scan_promote_grid(Nest *in);
void scan_bounds(Nest *in);
/* The bound of a straight loop that has iterations at all: of c ? bound : start the former.  */
Value *loop_bound(const Op *loop);
Value *loop_guard(const Op *loop); /* c, or NULL */
/* The same, as the loop's bound from then on, and c; NULL: there is none.  */
Value *loop_take_guard(Op *loop);
bool scan_is_named(const Pipeline *pipeline, const char *name); /* in a clause reduction */

/* ---- plain-sums.c ------------------------------------------------------------------------------------------------ */

void scan_widen(Nest *in);
void scan_join(Nest *in);
void scan_split(Nest *in);
void scan_open(Nest *in);

/* ---- plain-scan.c ------------------------------------------------------------------------------------------------ */

bool scan_loops(Nest *in);
void scan_axes(Nest *in);
void scan_flatten(Nest *in);

/* What an iteration adds to a carried value.  */
typedef struct {
    Value *value, *condition; /* NULL: always */
    bool negative, inverted;
    bool compares; /* of the largest or smallest: by C's comparison and a choice, not by fmax or fmin; then, */
    bool takes_nan, takes_equal; /* is the value taken where it is NaN, or one of the two is; where they are equal? */
} Part;
enum { MAX_PARTS = 16 };
typedef struct {
    Opcode op;
    int count;
    Part parts[MAX_PARTS];
    bool converts; /* its integers become others of these bits on the way */
} Sum;
bool scan_sum(Nest *in, const Op *loop, int index, Sum *sum);
/* The same, with sums of loops inside and under branches: no parts that tiles are made of.  */
bool scan_total(Nest *in, const Op *loop, int index, Sum *sum);

/* factors of a product; sides[i] 0: left, 1: right */
enum { MAX_FACTORS = 8 };
typedef struct {
    int count;
    Value *factors[MAX_FACTORS];
    bool right[MAX_FACTORS];
    int row, col;
} Product;
/* Is the part a matrix product, summed along `axis`?  */
bool scan_product(Nest *in, const Part *part, int axis, Product *product);
/* ... but for a condition that leaves out single numbers of an operand, which 0 does not: 0 times infinity is NaN.  */
bool scan_divides(const Nest *in, const Part *part, int axis);

/* ---- plain-triangle.c ------------------------------------------------------------------------------------------ */

void scan_triangles(Nest *in);

/* ---- plain-total.c ----------------------------------------------------------------------------------------------- */

void total_take(Nest *in);
void total_take_elements(Nest *in);
bool total_scan(Nest *in);
bool total_is(const Nest *in, const Op *op); /* the store of a total */
void total_emit(Nest *in, Op *where, const Op *op);

/* ---- plain-scatter.c --------------------------------------------------------------------------------------------- */

void scatter_take(Nest *in);
bool scatter_take_strided(Nest *in);                       /* true: accesses are scanned again */
bool scatter_take_masked(Nest *in);                        /* likewise */
const Scattered *scatter_of(const Nest *in, const Op *op); /* NULL: it is none */
bool scatter_refuse(Nest *in, const Op *access);
/* Where the store's elements go, as a tile; -1 for those that are not stored.  */
Value *scatter_index(Nest *in, Op *where, const Op *store, const Poly *place, int row, int col);
void scatter_emit(Nest *in, Op *where, const Scattered *scattered);

/* ---- plain-memory.c ---------------------------------------------------------------------------------------------- */

bool memory_scan(Nest *in);
bool memory_depends(Nest *in);
Access *memory_access(const Nest *in, const Op *op);
bool memory_is_strided(const Access *access);
bool memory_is_stored(const Nest *in, const Value *base); /* by some operation of the loops */
Value *memory_tensor(Nest *in, Group *group, int row, int col);
Value *memory_vector(Nest *in, Group *group);
bool memory_is_padded(const Nest *in, const Access *access, int axis);

/* ---- plain-form.c ------------------------------------------------------------------------------------------------ */

Value *form(Nest *in, Value *value, int row, int col);
/* Broadcast to all rows and columns.  */
Value *form_whole_as(Nest *in, Op *where, Value *value, Dtype dtype, int row, int col);
Value *form_plain(Nest *in, Value *value);
Value *form_poly(Nest *in, Op *where, const Poly *x);
Value *form_mask(Nest *in, Op *where, Value *condition, bool inverted, int row, int col);
bool form_is_padded(Nest *in, const Value *value, int axis);
Value *form_in_range(Nest *in, Op *where, int axis, int row, int col);
void form_home(Nest *in, uint32_t axes, int *row, int *col);
void form_set(Nest *in, const Value *value, int row, int col, Value *tile);
Op *form_place(Nest *in, Block *block, const Value *value, Loc loc);
Value *form_op(Nest *in, Op *where, Opcode code, Loc loc, Type type, int nargs, Value *const *args);
Value *form_full(Nest *in, Op *where, Dtype dtype, int rows, int cols, double value);
int form_extent(const Nest *in, int axis);
Dtype tile_dtype(Dtype dtype);
Value *form_index(Nest *in, Op *where, const Poly *x, int row, int col);
Value *form_scalar_load(Nest *in, Op *where, const Op *op);
/* An operation on one to three tiles or numbers, of the larger extents.  */
Value *form_make(Nest *in, Op *where, Opcode code, Loc loc, Dtype dtype, Value *x, Value *y, Value *z);
Value *form_boxed(Nest *in, Op *where, Value *scalar, Dtype dtype); /* a number as a tile of one element */
Value *form_as_tile(Nest *in, Op *where, Value *value, Dtype dtype);

/* The window of the access: its last dimension is the tensor's innermost one.  */
typedef struct {
    Opcode load, store;
    int row, col; /* dimensions, row -1: a vector's */
    bool turned;  /* rows along the column axis */
} Window;

bool form_window(Nest *in, const Access *access, int row, int col, Window *window);
int form_dimension(const Access *access, int axis); /* that moves along it, or -1 */
Value *form_coordinate(Nest *in, Op *where, const Access *access, int dim);
/* Operands of a load or store with these two dimensions last.  */
int form_operands(Nest *in, Op *where, const Access *access, int row, int col, Value **args);
Value *form_load(Nest *in, Op *where, const Access *access, int row, int col);

/* ---- plain-store.c ----------------------------------------------------------------------------------------------- */

void form_store(Nest *in, Op *where, const Op *op);
void form_print(Nest *in, Op *where, const Op *op);
/* What a store stores, as the array has it.  */
Value *form_stored(Nest *in, Op *where, const Op *store, Dtype dtype, int row, int col);
bool store_is_range(Nest *in, const Access *access); /* its condition says which part of the tensor is written */

/* ---- plain-operation.c ------------------------------------------------------------------------------------------- */

/* How the I32 in a tile stands for a number of 64 bits: as a signed number, as an unsigned one, or as its low bits.  */
typedef enum { AS_SIGNED, AS_UNSIGNED, AS_LOW_BITS } Standing;
Standing form_standing(const Nest *in, const Value *value);
bool form_is_small(Dtype dtype);    /* tiles of it only load, store, cast and select: computed in I32 */
bool form_is_unsigned(Dtype dtype); /* an I32 or I64 has its bits, in another order */
/* With the top bit flipped, I32 and I64 have the order of numbers without a sign; twice: as before.  */
Value *form_flipped(Nest *in, Op *where, Value *x, Dtype dtype);
Value *form_element(Nest *in, Op *where, Value *x, Dtype dtype); /* a loaded tile, as it stands for the type */
Value *form_widened(Nest *in, Op *where, Value *x);              /* a tile or number of it in I32 */
Value *form_kept(Nest *in, Op *where, Value *x, Dtype dtype);    /* what the type keeps of an I32 */
/* What stands for a value, as an integer of I32 or I64; of another type it stays.  */
Value *form_integer(Nest *in, Op *where, const Value *value, Value *x, Dtype dtype);
Value *form_operation(Nest *in, Op *where, const Op *op, int row, int col);
Value *form_prologue(Nest *in, Value *value);

/* ---- plain-wide.c ------------------------------------------------------------------------------------------------ */

void wide_scan(Nest *in);
bool form_is_wide(const Nest *in, const Value *value);
bool form_exceeds(const Nest *in, const Op *op, int arg); /* a number of more than 32 bits that is no tile */
Dtype form_dtype(const Nest *in, const Value *value);     /* of its tiles */

/* ---- plain-range.c ----------------------------------------------------------------------------------------------- */

bool form_is_short(const Nest *in, const Value *value);                   /* always what an int holds */
bool form_is_short_apart(const Nest *in, const Value *x, const Value *y); /* their difference is, always */
bool form_is_below(const Nest *in, const Value *value, int64_t limit);    /* always, and above -limit */
bool form_has_no_top_bit(const Nest *in, const Value *value);             /* always from 0 to 2^63 - 1 */
/* A comparison of 64 bits with counters of the tile, which is made of their distances.  */
bool form_is_relative(const Nest *in, const Op *op);
Value *form_relative(Nest *in, Op *where, const Op *op, Opcode code, int row);

/* ---- plain-emit.c ------------------------------------------------------------------------------------------------ */

void emit_nest(Nest *in);

#endif
