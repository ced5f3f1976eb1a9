/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz.h - the generator of random valid programs, in sections by file.
 *
 * Every decision is a number that pick() takes from a tape: at first the tape is made by a random generator and written
 * down, later it can be read back, shortened or lowered.  Whatever stands on the tape, the program is valid, and 0 is
 * always the simplest choice: so reduce makes small programs by making small tapes.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>

/* ---- tape.c: decisions ------------------------------------------------------------------------------------------- */

void tape_random(unsigned long long seed);
bool tape_read(const char *path);
bool tape_write(const char *path);
int pick(int n);          /* 0 .. n-1 */
bool chance(int percent); /* false is the simple answer */
int between(int low, int high);
int weigh(const int *weights, int n);
/* What lies between begin and end belongs together: the reducer tries to drop it as a whole.  */
void span_begin(void);
void span_end(void);

/* ---- text.c: strings that live as long as the process ------------------------------------------------------------ */

typedef struct {
    char *text;
    size_t length, room;
} Buffer;

__attribute__((format(printf, 1, 2))) char *text(const char *format, ...);
__attribute__((format(printf, 2, 3))) void add(Buffer *buffer, const char *format, ...);

/* ---- what a kernel under construction knows ---------------------------------------------------------------------- */

typedef enum { F32, F64, F16, BF16, E4M3, E5M2, I8, I32, U8, I16, I64, DTYPES } Dtype;

typedef struct {
    Dtype dtype;
    int rows, cols;
} Shape;

/* A tile variable.  */
typedef struct {
    Shape shape;
    char *name;
    double bound; /* of its elements' magnitude, roughly */
    bool flows;   /* must reach a store */
} Tile;

typedef enum { S_PARAMETER, S_GRID, S_LOOP, S_OTHER } ScalarKind;

typedef struct {
    char *name;
    ScalarKind kind;
    long most; /* its largest value, roughly; the least is 0 */
    long step; /* it moves in steps of this, 0: anyhow */
    bool is_float;
} Scalar;

typedef enum { USE_LOAD, USE_STORE, USE_ATOMIC, USE_SCALARS, USE_VIEW } TensorUse;

typedef struct {
    char *name, *array; /* array: the name after which the pointer is called */
    Dtype dtype;
    int rank;
    long count; /* elements behind the pointer */
    long extent[4], stride[4];
    char *extent_text[4]; /* NULL: the number, or a parameter of its own */
    long offset;          /* elements between the array and the tensor's base */
    TensorUse use;
    int stored; /* region that stores it, 0: none */
    bool in_place;
    double low, high;
} Tensor;

typedef struct {
    char *name;
    long step, count; /* values 0, step, ... */
    char *by;         /* the parameter that is its step, which may be shorter than its tiles; NULL: a number */
    char *bound;      /* what it stays below, NULL: not known */
    long end;         /* its value */
} GridVariable;

enum { MAX_TILES = 64, MAX_SCALARS = 64, MAX_TENSORS = 48, MAX_HELPERS = 8 };

/* How a helper hands its tile back.  */
typedef enum { AS_VALUE, BY_POINTER, IN_STRUCT } Way;

typedef struct {
    char *name;
    Shape result, first, second; /* second.rows 0: one tile */
    bool whole_tiles;            /* as in Gen */
    int rows_divisor;
    Way way;
} Helper;

typedef struct {
    int serial; /* in the names of the file */
    Buffer helpers, parameters, arguments, again, arrays, shows, declarations, body;
    int indent, names;
    bool products, large, wild, wide_scalars;
    int constant_style; /* how tile extents are written */
    int m, n, k;        /* the extents of its tiles */
    int inner[6], ninner;

    Tile tiles[MAX_TILES];
    int ntiles, pinned; /* of them, those that an enclosing loop carries or reads */
    Scalar scalars[MAX_SCALARS];
    int nscalars;
    Tensor tensors[MAX_TENSORS];
    int ntensors;
    Helper helper_list[MAX_HELPERS];
    int nhelpers;

    int region, nloops, level;
    bool in_helper, slots_wanted;
    bool by_columns; /* what is made now must not need whole rows */
    int slots;       /* of the pipelined loop around, 0: none */
    int flight;      /* of its iterations, at most; 0: it does not say */
    int ntasks;      /* of the region */
    long shared;     /* bytes of shared memory that it will take, roughly */
    long work;       /* executions of the statement that is being made */
    long spent;
    GridVariable grid[4];
    int ngrid;
    bool folded; /* one loop stands for all of the grid's variables */

    /* What the clauses depend on.  */
    bool specialized, whole_tiles, pingpong, parts;
    bool stores_apart;                 /* in a task */
    bool subtiled;                     /* a loop has parts of its rows */
    char *groups;                      /* a macro, of the task that multiplies last; or NULL */
    bool same_along_x, same_along_y;   /* a cluster's blocks could share what a ring holds */
    int rows_divisor, product_divisor; /* of the tiles' rows; of the products' blocks of 64 rows, 0: no product */
} Gen;

/* ---- scalar.c: names, numbers, conditions ------------------------------------------------------------------------ */

char *fresh(Gen *g, const char *prefix);
char *extent(Gen *g, int value);                             /* as the program writes it */
void argument(Gen *g, const char *value, const char *again); /* again: when the kernel is called once more */
char *parameter(Gen *g, long value);
char *step_parameter(Gen *g, long value, int size); /* 0 < value <= size */
char *float_parameter(Gen *g, double value);
void scalar_new(Gen *g, char *name, ScalarKind kind, long most, long step);
char *scalar_text(Gen *g, long *most); /* an integer expression */
char *float_text(Gen *g);              /* a number for an elementwise operation */
char *condition(Gen *g);
char *memory_scalar(Gen *g, long most); /* one whole number of the iteration's own, NULL when there is no room */
char *leading(Gen *g, long *most);      /* a coordinate of a leading dimension: small, often the same next time */
char *linear_index(const Gen *g, long *count);

/* ---- memory.c: tensors, what is loaded and stored ---------------------------------------------------------------- */

extern const char *const dtype_name[DTYPES]; /* "F32" */
extern const char *const dtype_c[DTYPES];    /* "float" */
extern const int dtype_bytes[DTYPES];
bool dtype_float(Dtype dtype);

char *coordinate(Gen *g, int size, long *most);

char *load_text(Gen *g, Shape shape, bool plain);
char *load_rows_text(Gen *g, Shape shape, const GridVariable *rows); /* that begin there */
bool can_load(Gen *g, Shape shape);
long shared_bytes(Shape shape);
long tile_registers(const Gen *g, Shape shape);
long live_registers(const Gen *g);
bool affordable(const Gen *g, Shape shape);
void store_text(Gen *g, Shape shape, const char *value);
char *place_in_place(Gen *g, Shape shape, char **tensor,
                     int *rank); /* coordinates of a tensor that is loaded and stored there */
void atomic_text(Gen *g, Shape shape, const char *value);
void slice_declare(Gen *g);

/* ---- expression.c ------------------------------------------------------------------------------------------------ */

char *expression(Gen *g, Shape shape, int depth, double *bound);
char *convert(Gen *g, const char *value, Shape from, Shape to); /* whatever it takes: cast, reduce */
char *tame(Gen *g, char *value, Dtype dtype, double *bound, double limit);
Shape random_shape(Gen *g);
Dtype random_dtype(void);
int common_divisor(int x, int y);
void note_rows(Gen *g, Shape shape); /* what consumers(n, rows) has to divide */
void spend(Gen *g, Shape shape, int each);
char *dtype_text(Dtype dtype);
void helper_make(Gen *g);

/* ---- product.c --------------------------------------------------------------------------------------------------- */

bool dot_fits(Gen *g, Shape shape, int depth);
char *dot_make(Gen *g, Shape shape, int depth, double *bound);
bool dot_f32_fits(Gen *g, Shape shape, int depth);
char *dot_f32_make(Gen *g, Shape shape, int depth, double *bound);
char *task_operand(Gen *g, Shape shape, char *value); /* made in a task's block, where there may be one */
char *prepared_operand(Gen *g, Shape shape);
char *product_update(Gen *g, Shape acc, const char *name, int depth);
char *product_of_loads(Gen *g, Shape acc, Dtype type, int inner, const char *name); /* NULL: no room for it */
char *anchor_update(Gen *g, Shape acc, const char *name, bool product);
char *step_update(Gen *g, Shape acc, const char *name, const GridVariable *v); /* NULL: no room for it */
bool pair_update(Gen *g, Shape acc, const char *first, const char *second);    /* false: no room for it */

/* ---- statement.c ------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) void line(Gen *g, const char *format, ...);
void pragma_line(Gen *g, const char *words);
int tile_new(Gen *g, Shape shape, const char *value, double bound, bool flows);
void block(Gen *g, int least, int most);
void leave(Gen *g, int ntiles, int nscalars);

/* ---- loop.c ------------------------------------------------------------------------------------------------------ */

typedef struct {
    char *variable, *header, *first; /* first: a statement that opens the body, or NULL */
    long most;
    int step, trips;
} Range;

/* What is around a pipelined loop's body while that is written.  */
typedef struct {
    Buffer text;
    long work;
} Outside;

Range some_range(Gen *g);
char *pipeline_clause(Gen *g);
Outside body_begin(Gen *g, const Range *range);
Buffer body_end(Gen *g, const Outside *out);
void loop_line(Gen *g, const char *clause, const Range *range, Buffer body);
void loop_statement(Gen *g);
void while_statement(Gen *g);
void chain_statement(Gen *g);
void step_statement(Gen *g, const GridVariable *v);
bool residual_statement(Gen *g); /* false: nothing is stored */

/* ---- parts.c ----------------------------------------------------------------------------------------------------- */

bool parts_statement(Gen *g); /* a whole region's; false: its tiles do not divide */
bool blocks_statement(Gen *g);

/* ---- queue.c ----------------------------------------------------------------------------------------------------- */

void queue_statement(Gen *g);

/* ---- tasks.c ----------------------------------------------------------------------------------------------------- */

void tasks_statement(Gen *g); /* a loop in which several multiply */

/* ---- grid.c ------------------------------------------------------------------------------------------------------ */

void body(Gen *g);

#endif
