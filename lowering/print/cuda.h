/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuda.h - the printer of the .cu: cuda.c (the file), cuda-statement.c, cuda-expression.c, and the files that they
   call.  */
#ifndef WSC_CUDA_H
#define WSC_CUDA_H

#include "ir/text.h"

/* A tensor map of the parameter struct. A tensor has one map for each height of its boxes.  */
typedef struct Map Map;
struct Map {
    Variable *tensor;
    int rows;
    bool load, tf32;
    int line;      /* bytes of a line, if fewer than 128; 0: 128 */
    bool skip_oob; /* for copies in that skip out-of-bounds rows */
    bool filled;   /* for copies in by one block whose out-of-bounds rows read as a fill other than zero */
    int skip_step; /* of tiles that end with a step of the grid: 1 + the dimension; 0: none */
    int sharers;   /* blocks that share the load of a tile */
    int box[3];    /* extents of a box tensor's tiles; 0: none */
    const char *name;
    Map *next;
};

typedef struct {
    FILE *out;
    Kernel *kernel;
    Role *role; /* NULL in the launcher */
    int indent;
    const Op *sent; /* the last operation whose rows are sent and not yet received; NULL: none */
    const Map *maps;
    bool vectors;   /* prints the kernel for rows that are whole vectors */
    bool of_layout; /* the role is a template of its tiles' layout */
} Printer;

#define CUDA_LAYOUT "ws_rows" /* name of the layout parameter of such a template */

/* Precedences of C, from low to high. A right operand requires the next higher one.  */
enum {
    PREC_ANY = 0,
    PREC_TERNARY = 2,
    PREC_OR = 4,
    PREC_AND = 6,
    PREC_BITOR = 8,
    PREC_XOR = 10,
    PREC_BITAND = 12,
    PREC_EQUAL = 14,
    PREC_COMPARE = 16,
    PREC_SHIFT = 18,
    PREC_ADD = 20,
    PREC_MUL = 22,
    PREC_UNARY = 24
};

typedef struct {
    const char *text;
    int precedence;
} Infix;

/* cuda-text.c */
extern const char *const cuda_element_text[D_COUNT];
void cuda_begin(Printer *printer); /* starts a line: its indentation */
void cuda_line(Printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cuda_commented(Printer *printer, const char *text, const char *comment);
const char *cuda_file_name(const char *path);  /* the path without folders */
void cuda_quoted(FILE *out, const char *text); /* a string literal */
const char *cuda_layout_text(const Printer *printer);
const char *cuda_layout_name(const Kernel *kernel, Layout layout);
const char *cuda_scalar_type(Type type);
void cuda_float(FILE *out, double value, bool single, bool plain);
void cuda_int(FILE *out, Dtype dtype, int64_t value, bool suffix);

/* cuda-scalar.c */
bool cuda_is_literal(const Value *value);
Infix cuda_infix_of(const Op *op); /* empty text: not an infix operation */
void cuda_infix(Printer *printer, const Op *op, Infix infix, int outer);
void cuda_operand(Printer *printer, const Value *value, int outer, bool suffix); /* suffix: with the type's suffix */
void cuda_scalar(Printer *printer, const Op *op, int outer);
const Value *cuda_without_widening(const Value *value);
void cuda_coordinate(Printer *printer, const Value *value);
void cuda_coordinates(Printer *printer, const Op *op, int first, int end); /* a comma before each */

/* cuda-expression.c */
void cuda_value(Printer *printer, const Value *value, int outer);
void cuda_expression(Printer *printer, const Op *op, int outer); /* the value that the operation computes */
void cuda_fill(Printer *printer, double fill);
bool cuda_has_fill(const Op *op);
bool cuda_is_written(const Kernel *kernel, const Op *op);
void cuda_load(Printer *printer, const Op *op);
void cuda_number(Printer *printer, const Op *op);

/* cuda.c: the barrier of a role, and whether the kernel has a struct of shared memory.  */
const char *cuda_role_barrier(const Kernel *kernel, const Role *role); /* of all groups of the role */
bool cuda_uses_shared(const Kernel *kernel);

/* cuda-launch.c */
void cuda_launcher(Printer *printer, const Map *maps);
void cuda_launcher_parameters(Printer *printer, bool is_own);

/* cuda-lines.c */
void cuda_mark(Printer *printer, const Op *op); /* starts the text of this statement; NULL: text of no statement */
void cuda_print_lines(FILE *out, const char *text, const char *name, bool steps);

/* cuda-fold.c: prints the text with lines of at most 120 columns.  */
void cuda_print_folded(FILE *out, const char *text);

/* cuda-maps.c */
Map *cuda_collect_maps(Printer *printer);
const Map *cuda_map_of(const Printer *printer, const Op *op);
const char *cuda_map_for(Printer *printer, const Op *op);
/* cuda-storage.c */
const char *cuda_lined(const Printer *printer, Dtype dtype, int line); /* element type of a tile with such lines */
const char *cuda_member(const Printer *printer, const Storage *storage);
void cuda_storage(Printer *printer, const Storage *storage);
void cuda_slot(Printer *printer, const Storage *storage, const Value *slot);
void cuda_group_storage(Printer *printer, const Storage *storage);

/* cuda-together.c */
void cuda_together(Printer *printer);

/* cuda-vectors.c: cuda_in_vectors returns the launcher's condition for rows that are whole vectors, or NULL.
   cuda_know_vectors prints the parameters `q` of their kernel.  */
const char *cuda_in_vectors(const Printer *printer);
void cuda_know_vectors(Printer *printer);
/* True if the role is a template of its tiles' layout. The text of the argument selects a narrow layout if rows are
   no vectors. It is "" if the role is no template.  */
bool cuda_is_of_layout(const Printer *printer);
const char *cuda_layout_argument(const Printer *printer);

/* cuda-loop.c */
void cuda_for(Printer *printer, const Op *op);

/* cuda-statement.c */
void cuda_target(Printer *printer, const Variable *variable,
                 const Op *op); /* "const int x = ", "auto x = " or "x = " */
void cuda_assignment(Printer *printer, const Variable *variable, const Op *op, const Value *value);
void cuda_definition(Printer *printer, const Op *op);
void cuda_initial_values(Printer *printer, const Op *loop); /* assigns the loop's carried values */
void cuda_place(Printer *printer, const Op *op);            /* the source location, as the end of a line */
void cuda_block(Printer *printer, const Block *block);

/* cuda-grid.c */
void cuda_grid(Printer *printer, const Op *op);
int cuda_grid_dims(const Op *op);
const char *cuda_cluster(const Printer *printer); /* name of the cluster's type */
const char *cuda_blocks(const Printer *printer);  /* ", " and this name, or "" */
bool cuda_is_for_one_block(const Op *op, const void *kernel);
const char *cuda_prefetch(const Printer *printer, const Op *load); /* name of the function that prefetches the load */
void cuda_loop_prefetch(Printer *printer, const Op *loop);         /* declares all prefetches of a loop */

/* cuda-sync.c */
void cuda_sync(Printer *printer, const Op *op);
void cuda_accumulate(Printer *printer, const Op *op); /* a product */
const char *cuda_end_name(const Printer *printer, const Aref *aref, bool producing);
void cuda_pace(Printer *printer, const Op *loop); /* declares the pace of tiles that the loop copies in parts */
void cuda_bring(Printer *printer, const Op *loop, const char *call);

/* cuda-meeting.c */
void cuda_meeting(Printer *printer, const Op *op);
bool cuda_begins_late(const Printer *printer, const Op *load); /* behind the tile's sends */
void cuda_sum_parts(Printer *printer, const Op *op);
void cuda_over_blocks(Printer *printer, const Op *op);

/* cuda-window.c: loads whose rows stay in registers (machine/windows.c). cuda_window is false for other loads.  */
void cuda_loop_windows(Printer *printer, const Op *loop);
bool cuda_window(Printer *printer, const Op *load);

/* cuda-choice.c */
void cuda_print_estimate(Printer *printer);                           /* cost estimate of a variant */
void cuda_print_estimated_version(Printer *printer, Kernel *version); /* condition: the version is faster */
void cuda_print_choice(Printer *printer);                             /* body of the launcher that chooses */

/* cuda.c.  Returns the text of the module without the kernels that failed; NULL: without kernels.  */
const char *cuda_print(Module *module);

#endif
