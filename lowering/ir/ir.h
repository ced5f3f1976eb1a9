/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ir.h - the core of the intermediate representation: types, values, operations and blocks.
 *
 * A Module is one C translation unit, and a Kernel is one grid region of it (kernel.h).  The IR is structured SSA: a
 * Block is a list of Ops, and control flow is an Op with nested Blocks.
 *
 *      for (k = 0; k < K; k += 64)                       %acc.2 = for %k = 0, < %K, 64; %acc.3 = %acc pipeline(4,2) {
 *        acc = ws_dot (ws_load (a, i, k, 128, 64),         %1 = load %a, %i, %k
 *                ws_trans (ws_load (b, j, k, 256, 64)),    %2 = load %b, %j, %k
 *                acc);                                     %3 = trans %2
 *                                                          %acc.4 = dot %1, %3, %acc.3
 *                                                          yield %acc.4
 *                                                        }
 *
 * To add an operation, add a row to runtime/common/ops.def and the meaning of one element (HACKING.md).
 *
 * To add an attribute, add a field to the struct of its class below and a row to attributes.def. Add HAS_NAME to the
 * rows of ops.def that have the attribute. Dumps, their reader, copies, comparisons and the checker follow the table.
 *
 * A pass marks operations in a table of its own, indexed by Op.id. An Op has no field for marks. Tables that several
 * phases read have headers of their own: schedule-table.h, roles.h.
 *
 * All objects live in the arena of the Module (arena.h). No object is freed alone, and no pass keeps static state.
 */
#ifndef WSC_IR_H
#define WSC_IR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Machine Machine;
typedef struct Module Module;
typedef struct Kernel Kernel;
typedef struct Pipeline Pipeline;
typedef struct LoopSchedule LoopSchedule;
typedef struct Block Block;
typedef struct Op Op;
typedef struct Value Value;
typedef struct Storage Storage;
typedef struct Aref Aref;
typedef struct Role Role;
typedef struct Variable Variable;

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Element and scalar types.  The first eleven are ws_dtype in its order.  */
typedef enum {
    D_F32,
    D_F64,
    D_F16,
    D_BF16,
    D_E4M3,
    D_E5M2,
    D_I8,
    D_I32,
    D_U8,
    D_I16,
    D_I64,
    D_MASK, /* element of a mask tile; the types from here on are no ws_dtype */
    D_I1,
    D_U16,
    D_U32,
    D_U64,
    D_COUNT
} Dtype;

typedef enum {
    K_NONE,
    K_SCALAR, /* dtype */
    K_PTR,    /* base address of a tensor; dtype where known; used by TENSOR alone */
    K_TENSOR, /* dtype, rank */
    K_TILE,   /* dtype, rows, cols: an immutable register value */
    K_VIEW,   /* dtype, rows, cols: a window of shared memory */
    K_TOKEN   /* dtype, rows, cols: a tile that an asynchronous product has not finished */
} Kind;

typedef struct {
    Kind kind;
    Dtype dtype;
    int rank;
    int rows, cols;
} Type;

/* A location in the user's source.  `host` is the front end's own location, which its diagnostics get back.  */
typedef struct {
    const char *file;
    int line, column;
    unsigned long long host;
} Loc;

/* ---- operations -------------------------------------------------------------------------------------------------- */

typedef enum {
#define OP(NAME, text, class, nargs, rule, call, about, doc) OP_##NAME,
#include "ops.def"
#undef OP
    OP_COUNT
} Opcode;

/* The attributes of attributes.def.  HAS_NAME is the bit of attribute NAME in OpInfo.about.  */
typedef enum {
#define ATTRIBUTE(NAME, text, Struct, member, field, kind, place, doc) ATTRIBUTE_##NAME,
#define OP_ATTRIBUTE(NAME, text, field, kind, place, doc)              ATTRIBUTE_##NAME,
#include "ir/attributes.def"
#undef OP_ATTRIBUTE
#undef ATTRIBUTE
    NATTRIBUTES
} AttributeName;
enum {
#define ATTRIBUTE(NAME, text, Struct, member, field, kind, place, doc) HAS_##NAME = (uint64_t)1 << ATTRIBUTE_##NAME,
#define OP_ATTRIBUTE(NAME, text, field, kind, place, doc)              HAS_##NAME = (uint64_t)1 << ATTRIBUTE_##NAME,
#include "ir/attributes.def"
#undef OP_ATTRIBUTE
#undef ATTRIBUTE
    HAS_LOAD =
        HAS_FILL | HAS_SKIP_OOB | HAS_SKIP_STEP | HAS_RESIDENT | HAS_ALONG | HAS_PREFETCH | HAS_AREF | HAS_STORAGE,
    HAS_COPY = HAS_FILL | HAS_SKIP_OOB | HAS_SKIP_STEP | HAS_ALONG | HAS_SHARE | HAS_PACED
};
#define NEEDS_AREF    ((uint64_t)1 << 46 | HAS_AREF) /* the attribute is never NULL */
#define NEEDS_STORAGE ((uint64_t)1 << 47 | HAS_STORAGE)
/* Traits: properties that all operations of an opcode share.  */
#define MIXES_ROWS    ((uint64_t)1 << 40) /* an element of the result depends on other rows, or moves to another row */
#define KEEPS_ZERO    ((uint64_t)1 << 41) /* elementwise: maps zeros to zero */
#define IS_SLOW       ((uint64_t)1 << 42) /* elementwise: takes many instructions, or the special function unit */
#define IS_POLYNOMIAL ((uint64_t)1 << 43) /* elementwise: needs registers for coefficients */
#define MEETS_BLOCKS  ((uint64_t)1 << 44) /* groups of the same number in all blocks of a cluster exchange tiles */

typedef enum {
    CLASS_SCALAR,
    CLASS_TENSOR,
    CLASS_READ,
    CLASS_LOAD,
    CLASS_TILE,
    CLASS_STORE,
    CLASS_CONTROL,
    CLASS_SYNC
} OpClass;

typedef struct {
    const char *name; /* "EXP2" */
    const char *text; /* "exp2" */
    OpClass class_;
    int nargs; /* number of operands; -1: varies */
    int rule;  /* type rule: R_... of rules.h */
    const char *call;
    uint64_t about; /* attributes and traits: HAS_..., NEEDS_..., MIXES_ROWS ... */
    const char *doc;
} OpInfo;
extern const OpInfo op_info[OP_COUNT];

/* Blocks of a cluster that share a tile: one column of the cluster (x), one row (y), both, or all blocks.  */
enum { ALONG_NONE, ALONG_X = 1, ALONG_Y = 2, ALONG_X_AND_Y = 3, ALONG_ALL = 4 };

/* An SSA value: one definition, any number of uses.  */
struct Value {
    int id;
    Type type;
    Op *def;          /* NULL for a block argument or a kernel parameter */
    Block *block;     /* of a block argument */
    int index;        /* position among results, arguments or parameters */
    const char *name; /* the user's name, or NULL */
    Loc loc;
    int64_t declared; /* plain loops: bytes of an array by its declaration; 0: unknown */
    Value *part_of;   /* plain loops: for a member of an array of structs, that array; or NULL */
    int64_t part_at;  /* plain loops: offset of that member in the struct, in bytes */
    bool counts;      /* plain loops: a loop counter, which fits in each narrower type of its conversions */
    int uses;         /* number of uses; valid behind ir_count_uses () */
    /* Set by choose. */
    uint32_t split; /* roles whose groups divide the rows of the value: a bit for each */
    /* Set by plan. */
    Variable *var; /* C variable of the .cu; NULL: the value is printed as an expression at its one use */
};

/* Attributes of each class of operations; attributes.def describes each field. Fields stand in the order of their
   sizes, so that attributes.c can check that each field has a row.  */
typedef struct {
    int64_t integer;
    double real;
    const char *function;
} ScalarInfo;
typedef struct {
    int dimension;
    bool table, row_stride;
} TensorInfo;
/* TransferInfo.prefetch: before the tile, once for all tiles, or before the iteration.  */
enum { PREFETCH_TILE = 1, PREFETCH_ONCE = 2, PREFETCH_ITERATION = 3 };
typedef struct { /* loads and COPY_IN */
    double fill;
    int skip_step, resident, along, prefetch, share, window, apart;
    bool skip_oob, paced;
} TransferInfo;
typedef struct {
    double value, start;
    int piece;
    bool here, transposed, fused, fast;
} TileInfo;
typedef struct {
    const char *label;
    bool divided;
} StoreInfo;
typedef struct {
    Pipeline *pipeline;
    LoopSchedule *schedule;
    Opcode compare;
    bool uniform, halves, unroll;
} ControlInfo;
typedef struct {
    int pending, keep, count, box, operand;
    bool paired;
} SyncInfo;

struct Op {
    Kernel *kernel;
    int id; /* number within the kernel: index of its row of the schedule, and of tables of marks */
    Opcode code;
    Loc loc;
    int nargs, nresults, nblocks;
    Value **args;
    Value **results;
    Block *blocks[2];
    Block *parent;
    Op *prev, *next;
    const char *written;  /* op_spell (): the source's text of an element, as b[j + i]; or NULL */
    const char *spelling; /* the same of one with several subscripts, as u[1][i - 1][j]; or NULL */
    /* Attributes; a pointer is NULL where ops.def names no attribute of that struct for the opcode. */
    ScalarInfo *scalar;
    TensorInfo *tensor;
    TransferInfo *transfer;
    TileInfo *tile;
    StoreInfo *store;
    ControlInfo *control;
    SyncInfo *sync;
    /* Set by partition and later passes. */
    Aref *aref;
    Storage *storage;
    Op *origin;   /* in a role's program: the op of the kernel's body that this op is a copy of */
    int position; /* plan: position in the program order of the role */
};

struct Block {
    Op *parent; /* the op whose block it is; NULL for the body of a kernel or role */
    int nargs;
    Value **args;
    Op *first, *last;
};

#define FOR_OPS(op, block) for (Op *op = (block)->first, *op##_n; op && (op##_n = op->next, 1); op = op##_n)

/* ---- building ---------------------------------------------------------------------------------------------------- */

Type type_scalar(Dtype dtype);
Type type_pointer(Dtype dtype);
Type type_tensor(Dtype dtype, int rank);
Type type_tile(Dtype dtype, int rows, int cols);
Type type_kind(Kind kind, Type like); /* the same dtype and shape as a tile, view or token */
Type type_transposed(Type type);      /* rows and columns exchanged */
bool type_equal(Type x, Type y);
int dtype_bytes(Dtype dtype);
const char *dtype_text(Dtype dtype); /* "f16", "i64", "mask" */
bool dtype_is_float(Dtype dtype);
bool dtype_is_signed(Dtype dtype);

Block *block_new(Kernel *kernel, Op *parent);
Value *block_arg(Kernel *kernel, Block *block, Type type, const char *name, Loc loc);
/* Returns a new op in no block, with a copy of `args`.  op_result () adds each result.  */
Op *op_new(Kernel *kernel, Opcode code, Loc loc, int nargs, Value *const *args);
Value *op_result(Kernel *kernel, Op *op, Type type, const char *name);
void op_add_arg(Kernel *kernel, Op *op, Value *value);
void op_append(Block *block, Op *op);
void op_before(Op *where, Op *op);
void op_after(Op *where, Op *op);
/* The functions below insert a new op before `where`, with the location of `where`. A lowered op also has the roles and
   the origin of `where`.  */
Op *op_lowered_before(Kernel *kernel, Op *where, Opcode code, int nargs, Value *const *args);
Value *ir_scalar_before(Kernel *kernel, Op *where, Opcode code, Dtype dtype, int nargs, Value *const *args);
Value *ir_const_before(Kernel *kernel, Op *where, Dtype dtype, int64_t value);
Value *ir_convert_before(Kernel *kernel, Op *where, Value *x, Dtype dtype);          /* x itself, if it has the dtype */
Value *ir_binary_before(Kernel *kernel, Op *where, Opcode code, Value *x, Value *y); /* the result has x's type */
void op_remove(Op *op);
Value *ir_const_int(Kernel *kernel, Block *block, Dtype dtype, int64_t value); /* appends a CONST */
Value *ir_const_float(Kernel *kernel, Block *block, Dtype dtype, double value);

#ifdef __cplusplus
}
#endif
#endif
