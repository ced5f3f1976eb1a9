/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ir.h - the intermediate representation of all phases, and the functions that build and walk it.
 *
 * A Module is one C translation unit. A Kernel is one grid region of it, from the front end to the text of the .cu.
 * The IR is structured SSA: a Block is a list of Ops, and control flow is an Op with nested Blocks. A section below is
 * implemented in the file that its title names.
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
 * To add to the schedule, add a field to ScheduleRow, and extend print_row () in print-ops.c and parse_row () in
 * parse-ops.c.
 *
 * A pass marks operations in a table of its own, indexed by Op.id. An Op has no field for marks.
 *
 * All objects live in the arena of the Module. No object is freed alone, and no pass keeps static state. The function
 * reject () reports an error of the user's program, and die () a bug of the compiler. Neither ends the process.
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

/* Returns the tile operation of a function of <math.h>, of double or float, or OP_COUNT where there is none. The scalar
   operation of each function is OP_SCALAR_MATH.  */
Opcode op_of_function(const char *name);
Opcode op_swapped(Opcode code); /* the operation with its operands exchanged, as b > a of a < b; OP_COUNT: none */
/* The number of a reduction in runtime/host/total.c.  */
int op_total_number(Opcode op, bool is_unsigned);
/* True if a counter of `bits` bits, below 64, cannot wrap around in its own type before its loop ends.  `lo` is its
   start, `hi` its bound; NULL: not a constant.  */
bool counter_never_wraps(Opcode compare, int64_t step, int bits, bool is_signed, const int64_t *lo, const int64_t *hi);

/* Tags of statements (Tawa, III-C.1).  */
typedef enum { TAG_NONE, TAG_ITERATION, TAG_LOAD, TAG_TILE } Tag;

/* reduction(op: name): SCALAR_ADD, SCALAR_MUL, SCALAR_MAX or SCALAR_MIN; on a grid also SCALAR_AND and SCALAR_OR.  */
typedef struct Reduction {
    Opcode op;
    const char *name;
    struct Reduction *next;
} Reduction;

/* The clause pipeline(D[,P]) and others of a FOR.  A number is -1 where the user leaves the choice to the compiler.  */
typedef enum { SCHEDULE_AUTO, SCHEDULE_FINE, SCHEDULE_COARSE, SCHEDULE_OPTIMAL } Schedule;
typedef struct {
    int depth;      /* D */
    int in_flight;  /* P: as written; behind choose, the effective value */
    bool automatic; /* pipeline(auto) */
    bool pingpong;
    bool optimal; /* schedule(optimal) */
    int variants; /* schedule(optimal, n): number of solved schedules that become variants; 0: none */
    int subtiles; /* subtile(n): number of parts that the rows of each tile are divided into; 0 or 1: not divided */
    bool ordered; /* a schedule file gives the order in which an iteration issues its operations */
    bool parts;   /* the clause is parts: each block of a cluster executes one iteration of a reduction */
    bool blocks;  /* the clause is blocks: each block of a cluster executes one iteration of the loop */
    Schedule schedule;
    Loc loc;               /* location of the pragma */
    int tile;              /* plain loops: iterations in one tile; 0: left to the compiler */
    Reduction *reductions; /* plain loops: sums that may be computed in another order */
    bool plain;            /* plain loops: the pragma chooses a tile and does not assert that loads can move */
    int put_count;         /* choose: number of arefs filled in the loop */
} Pipeline;

enum { RELEASE_END = 0x7fffffff, MOST_SUBTILES = 8 };

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
    Opcode compare;
    bool uniform, halves, unroll;
} ControlInfo;
typedef struct {
    int pending, keep, count, box, operand;
    bool paired;
} SyncInfo;

/* The semantic attributes of an operation, as one comparable triple.  */
typedef struct {
    int64_t integer;
    double real;
    const char *text; /* "" for none */
} Meaning;

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
    const char *spelling; /* op_spell (): of an element with several subscripts, as u[1][i - 1][j]; or NULL */
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

/* The schedule of an operation: a row by Op.id, written by the user's clauses, tag and choose. An operation that a
   later pass derives has a copy of that row, or a row of its own. An unwritten row is zero.  */
typedef struct {
    int task;       /* number of the user's task, from 1 on (kernel_task ()); 0: none */
    int ring;       /* ring(x, D): slots of the ring that carries the result; 0: left to the compiler */
    int share;      /* share(X, Y): 2 * number of the pair in Kernel.shares, plus 1 for Y; 0: none */
    Tag tag;        /* set for operations of the body alone; read by choose */
    uint32_t roles; /* roles that execute the operation: a bit for each of kernel->roles */
    int stage;      /* iterations of delay behind the newest iteration of the loop */
    int order;      /* position within the iteration, by stage-major order */
    int depth;      /* slots of the ring that carries the result between roles; 0: no ring */
    int release;    /* ring: order of the op behind which the slot is free; RELEASE_END: the iteration's last product */
    uint32_t maker; /* ring: the role that fills its slots, as a bit */
    int line;       /* ring: bytes of a line in shared memory; 0: 128 */
    uint32_t transposer; /* ring: the role that puts the transpose into a second ring, as a bit; 0: none */
} ScheduleRow;
typedef struct {
    ScheduleRow **chunks;
    int nchunks;
} ScheduleTable;
const ScheduleRow *schedule_of(const Op *op); /* for reading; never NULL */
ScheduleRow *schedule_op(Op *op);             /* for writing */

struct Block {
    Op *parent; /* the op whose block it is; NULL for the body of a kernel or role */
    int nargs;
    Value **args;
    Op *first, *last;
};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef enum { ORDER_AUTO, ORDER_ROW, ORDER_COLUMN, ORDER_GROUPED } TileOrder;
typedef enum { SPLIT_AUTO, SPLIT_ROWS, SPLIT_TILES } Split;
/* precision(...): the type that operands of float products in plain loops may be rounded to.  */
typedef enum { PRECISION_F32, PRECISION_TF32, PRECISION_F16, PRECISION_BF16 } Precision;

/* extent(x: n): the array at the parameter `base` has `bytes` bytes.  */
typedef struct Extent {
    Value *base, *bytes;
    struct Extent *next;
} Extent;

/* A reduction over all iterations of the grid. Each tile stores a partial result at `base`, in memory that the launcher
   gets. The caller combines the partial results in order (runtime/host/total.c).  */
typedef struct Total {
    Opcode op;
    const char *name;
    Value *base;
    struct Total *next;
    bool is_unsigned; /* the elements are unsigned integers (plain-total.c) */
} Total;

/* grid(n) and its clauses; 0, NULL or AUTO where the user left them out.  */
typedef struct {
    int dims;
    bool persistent, persistent_given;
    bool dynamic;   /* choose: a persistent CTA takes its next tile from a counter, not at a fixed stride */
    int cluster[2]; /* choose: blocks of a cluster along the last dimension but one, and along the last; 0: none */
    bool parts;     /* the last dimension comes from a loop with the clause parts or blocks: the blocks of a cluster */
    TileOrder order;
    int order_group;
    Value *from;   /* a parameter: the first tile is that of this value of the first variable, and tiles wrap around */
    int share;     /* multiprocessors that the grid may use; 0: all */
    bool together; /* the grid may run concurrently with others */
    bool awaits;   /* grid-sync: tiles wait for tiles of earlier grids, so that the grid may begin before these end */
    int consumers;
    Split split;
    int producer_registers, consumer_registers;
    bool plain;     /* the loops are over elements; language/plain.c converts them to tiles */
    bool rewritten; /* plain.c has converted them */
    bool by_one;    /* plain: unsigned 32-bit variables step by 1 in the source, and do not wrap around */
    int tile[4];    /* plain: iterations of each loop in one tile; 0: left to the compiler */
    Precision precision;
    Extent *extents;        /* plain: extents of arrays that do not follow from the loops */
    Reduction *reductions;  /* plain: the reductions of the grid */
    Reduction *independent; /* plain: arrays of which iterations store different elements */
    Total *totals;          /* plain: reductions whose results are used behind the grid */
    Loc loc;
} Grid;

/* A buffer in shared memory. A tile is stored as ceil (cols * size / 128) blocks of lines of 128 bytes, with the
   128-byte swizzle. A block has one line a row, and its number of lines is a multiple of 8. Short rows that no product
   reads may have lines of 64 or 32 bytes.  */
typedef enum {
    USE_RING,     /* slots of an aref */
    USE_OPERAND,  /* staging of a register tile for a product */
    USE_OUTPUT,   /* staging of a tile for a store */
    USE_SCRATCH,  /* bytes that threads of a group exchange */
    USE_GATHERED, /* tile of a gather */
    USE_PARTS,    /* shares that the blocks of a cluster get of each other's parts (SUM_PARTS) */
    USE_SHARES,   /* tiles that the blocks of a cluster exchange whole or reduced */
    USE_ROW_CACHE /* each thread keeps its elements of a tile here instead of in registers */
} StorageUse;
struct Storage {
    const char *name;
    StorageUse use;
    Type tile;          /* type of one slot */
    int slots;          /* ring: its depth; otherwise the number of copies, one for each consumer group */
    int64_t slot_bytes; /* plan */
    int64_t stride;     /* plan: bytes from one slot to the next */
    int line;           /* partition: bytes of a line if not 128: 64, 32, or a whole row; 0: 128 */
    int64_t offset;     /* plan: bytes from the start of the shared struct */
    Storage *beside;    /* layout: slots interleave with those of `beside`: slot i lies right behind its slot i */
    Storage *over;      /* plan: the storage shares the memory of `over`; the two are never live together */
    int resident;    /* partition: physical slots; slot i uses i mod resident, its copy waits for all sharers; 0: all */
    bool transposed; /* partition: the slots hold transposed tiles */
    bool tf32;       /* layout: f32 elements that products alone read, which the copy rounds to tf32 */
    bool interleaved; /* layout: bytes; each 16 columns are permuted to the order of register operands */
    Storage *next;
};

/* An asynchronous reference: a ring of slots between one role and others (Tawa, III-B).  */
struct Aref {
    int id;
    const char *name;
    int slots; /* D */
    Role *producer;
    uint32_t consumers; /* a bit for each of kernel->roles */
    int arrivals;       /* arrivals on the empty mbarrier: consumer groups of all blocks that release a slot */
    int fillers;        /* arrivals on the full mbarrier: groups that each write their rows of a slot, or 1 */
    int along;          /* ALONG_...: blocks whose copies fill the slots; each release goes to all of them */
    int64_t bytes;      /* bytes of one put */
    int nstorages;
    Storage **storages;
    Value **payload; /* nstorages values of the body that a slot carries: loads, or results of the producer */
    Block *home;     /* block of the body; each execution of it puts one slot */
    Aref *also;      /* next ring that carries the same value to other roles; NULL: none */
    int release_lag; /* partition: newest slots that a release keeps, as products in flight read them (P-1); 0: none */
    Aref *next;
};

/* Versions of a role's program: one for all launches, and one for launches whose tensors TMA can load.  */
enum { VERSION_ANY = 1, VERSION_TMA = 2 };

/* The distribution of a register tile over the 128 threads of a group.

       layout              rows side by side in a warp   threads of a row   rows of a thread
       LAYOUT_ROWS         1                             32                 every 4th
       LAYOUT_ROWS_n       n                             32 / n             every 4n-th
       LAYOUT_STRIPS       1                             32                 consecutive
       LAYOUT_STRIPS_n     n                             32 / n             consecutive
       LAYOUT_WIDE         -                             128                all
       LAYOUT_WIDE_n       -                             128 n: n groups    all
       LAYOUT_MMA          the accumulator fragment of wgmma (PTX ISA)

       LAYOUT_ROWS_2, 8 rows:    warp 0: rows 0 1    warp 1: rows 2 3    warp 2: rows 4 5    warp 3: rows 6 7  */
typedef enum {
    LAYOUT_ROWS,
    LAYOUT_MMA,
    LAYOUT_ROWS_2,
    LAYOUT_ROWS_4,
    LAYOUT_ROWS_8,
    LAYOUT_ROWS_16,
    LAYOUT_ROWS_32,
    LAYOUT_WIDE,
    LAYOUT_WIDE_2,
    LAYOUT_WIDE_4,
    LAYOUT_WIDE_8,
    LAYOUT_STRIPS,
    LAYOUT_STRIPS_2,
    LAYOUT_STRIPS_4,
    LAYOUT_STRIPS_8,
    LAYOUT_COUNT
} Layout;

/* Capabilities of a role: to start copies into rings, to compute with register tiles, to store.  */
enum { ROLE_COPIES = 1, ROLE_COMPUTES = 2, ROLE_STORES = 4, ROLE_DOES_ALL = 7 };

/* A part of a block that runs one program: `replicas` warp groups, in each of which the first `warps` warps run it.  */
struct Role {
    int id;
    const char *name; /* "producer", "consumer" or the name of a task */
    unsigned may;     /* capabilities: ROLE_... */
    int warps;        /* versions: 1 or 4 */
    int replicas;
    unsigned versions; /* VERSION_... as bits; with two versions the launch chooses by its tensors */
    int registers;     /* operand of setmaxnreg, 0: none; before plan the number that the user asks for */
    Layout layout;     /* layout: of the role's register tiles */
    Block *body;       /* distribute: the role's program; uses parameters, and no other value of kernel->body */
    Role *next;
};

/* A C variable of the .cu, made by plan. A variable without a role belongs to the launcher: a parameter, a tensor, or a
   scalar that the host computes.  */
struct Variable {
    const char *name;
    Type type;
    Role *role;    /* NULL: the launcher's */
    bool mutable_; /* assigned more than once, or written in place */
    bool field;    /* launcher: a member of the parameter struct */
    Value *value;  /* launcher: the value that the variable holds */
    Op *declared;  /* role: the op that first writes the variable */
    bool bare;     /* role: the declaration stands before that op and has no initializer */
    Variable *next;
};

/* A version of the kernel `of`. The launcher of `of` runs the version where a parameter lies between `least` and
   `most`, or where an estimate says that the version is faster.  */
typedef struct {
    const char *of; /* name of the original kernel; NULL: the kernel is no version */
    int param;      /* index of the parameter; -1: chosen by estimate */
    int64_t least, most;
    int behind; /* index of the pass that made the version; lowering goes on with the next pass */
} KernelVersion;

/* A variant: one of several kernels for the same region, with `values` for its ws_choice constants.  The variants share
   one launcher.  The first variant has the name `of`.  */
enum { MOST_CHOSEN = 16, MOST_VARIANTS = 256 };
typedef struct {
    const char *of; /* NULL: the region has no choices */
    int count;
    int64_t values[MOST_CHOSEN];
} KernelChoice;

/* A variant that differs from another kernel in its schedule alone.  */
enum { MOST_SOLVED = 5 };
typedef struct {
    const char *of;   /* name of the original kernel, which schedule files use; NULL: the kernel is the original */
    const char *text; /* text of the schedule file; NULL: the schedule that choose decides */
    bool varies;      /* the kernel is one of several schedules; also set in the original */
    uint64_t digest;  /* varies: digest of the schedule */
    const char *texts[MOST_SOLVED + 2]; /* original: texts of schedule files, its own first, ended by NULL */
} Scheduled;

/* The reason for which a variant was refused.  */
typedef struct {
    Loc loc;
    const char *sentence, *remedy; /* sentence is NULL where the variant was not refused */
} Refusal;

/* task(NAME) on a block: its statements run in a role of that name.  A number is 0 where the user left it out.  */
typedef struct Task {
    const char *name;
    int groups, registers;
    bool loads; /* queues: the task only loads, so that the producer does its work */
    Loc loc;    /* location of the pragma */
    struct Task *next;
} Task;

/* share(X, Y): two tiles use the same shared memory.  */
typedef struct SharedMemory {
    const char *names[2];
    Loc loc;
    struct SharedMemory *next;
} SharedMemory;

struct Kernel {
    Module *module;
    const Machine *machine; /* same as module->machine */
    const char *name;       /* the C function's name, with suffix _n for region n >= 2 of the function */
    const char *c_function;
    const char *launcher; /* symbol that the region's call names; unique by the front end */
    Loc loc;
    Grid grid;
    Task *tasks;
    SharedMemory *shares;
    int nparams;
    Value **params; /* live-ins of the region, in the order of the launcher: scalars and base pointers */
    Block *body;    /* the region; behind nest: scalar code and tensors, then one GRID op */
    Role *roles;
    Storage *storages;
    Aref *arefs;
    Variable *variables;
    int nops; /* number of operations made so far; the next Op.id */
    ScheduleTable schedule;
    Layout layout; /* default layout of the roles */
    /* Set by plan. */
    int threads;
    int64_t shared_bytes;
    int shared_padding; /* bytes behind the shared struct that a product may read past the rows of a short operand */
    int min_blocks;
    uint64_t digest;            /* choose: digest of body, clauses and machine, as in a schedule file */
    const char *schedule_notes; /* choose: notes of the solver, as lines that begin with #; or NULL */
    const char *scheduled_by;   /* schedule: name of the schedule file; NULL: choose decided */
    uint64_t source;            /* freeze: digest of the body, which no later pass changes; 0: not frozen */
    const char *memory;         /* memory: map of shared memory over the time of a tile, as text */
    const char *obligations;    /* verify: the proved properties, one a line */
    struct {
        int terms, states, steps;
    } proof; /* verify: size of the proof: terms of values, states and steps of the protocol */
    KernelVersion version;
    KernelChoice choice;
    Scheduled scheduled;
    Refusal refusal; /* variants */
    bool settled;    /* first variant: the refusals of the others have been reported */
    bool as_chosen;  /* schedule(optimal) is ignored, since the solved schedule was refused */
    bool failed;     /* a refusal was reported, or a version or variant is left out */
    Kernel *next;
};

typedef enum { TARGET_SEQUENTIAL, TARGET_EMULATE, TARGET_CUDA } Target;
typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE, DIAG_OPTIMIZED, DIAG_MISSED } DiagKind;
typedef void (*DiagFn)(void *context, DiagKind kind, Loc loc, const char *message);

struct Module {
    struct Chunk *arena;
    const char *source; /* the C file's name */
    Target target;
    const Machine *machine;               /* the target GPU: target/machine.h */
    bool strict;                          /* --ws-strict */
    const char *solver, *solver_machine;  /* path of wsc-solve and of its machine description; NULL: none */
    const char *schedule_folder;          /* folder that keeps answers of wsc-solve; NULL: none */
    const char *schedule, *schedule_name; /* --ws-schedule: text and name of the file; NULL: none */
    const char *lines;                    /* name of the .cu for its #line directives; NULL: no directives */
    const char *tuned;                    /* --ws-tuned: text of the table of measured variants; NULL: none */
    bool steps;                           /* with `lines`: statements report their source line when they run (WS_AT) */
    DiagFn diag;
    void *diag_context;
    Kernel *kernels;
    int next_id;
    const char *pass; /* lower.c: name of the running pass, for die () */
    int pass_index;   /* lower.c: its row in the table of passes */
    bool as_text;     /* read from textual IR: versions and variants report their own errors */
    bool failed;
};

/* ---- ir.c: building and walking ---------------------------------------------------------------------------------- */

Module *module_new(const char *source, const Machine *machine, DiagFn diag, void *context);
void module_free(Module *module);
void *arena_alloc(Module *module, size_t bytes); /* zeroed */
char *arena_print(Module *module, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprint(Module *module, const char *format, va_list list);

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

Kernel *kernel_new(Module *module, const char *name, Loc loc);
Value *kernel_param(Kernel *kernel, Type type, const char *name, Loc loc);
Block *block_new(Kernel *kernel, Op *parent);
Value *block_arg(Kernel *kernel, Block *block, Type type, const char *name, Loc loc);
/* Returns a new op in no block, with a copy of `args`.  op_result () adds each result.  */
Op *op_new(Kernel *kernel, Opcode code, Loc loc, int nargs, Value *const *args);
void op_become(Op *op, Opcode code); /* changes the opcode; keeps the attributes that both opcodes have */
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
/* True if constant folding of scalar operations yields an integer, which is stored to *result.  */
bool ir_constant(const Value *value, int64_t *result);
int64_t ir_wrap(Dtype dtype, int64_t value); /* value modulo the width of dtype, as the type represents it */
/* True if `op` on the integers `args` can be folded; *result is the integer.  */
bool ir_fold(const Op *op, const int64_t *args, int64_t *result);
bool ir_constant_float(const Value *value, double *result);
bool ir_has_side_effect(const Op *op); /* the op or an op in its blocks */
bool op_is_part(const Op *op);         /* a slice or a box of a tensor, which is its first operand */
bool ir_inside(const Op *op, const Block *block);
bool ir_outside(const Value *value,
                const Op *op); /* neither defined in the blocks of `op` nor one of their arguments */
/* True if the test holds for the op or an op in its blocks; for any op below the block.  */
bool ir_any(const Op *op, bool (*test)(const Op *op, const void *context), const void *context);
bool ir_any_of(const Block *block, bool (*test)(const Op *op, const void *context), const void *context);
Op *ir_enclosing(const Op *op, Opcode code); /* nearest ancestor */
void ir_count_uses(Kernel *kernel, Block *body);
void ir_replace_uses(Block *body, Value *from, Value *to);
/* Visits all ops below a block in pre-order.  */
void ir_walk(Block *block, void (*visit)(Op *op, void *context), void *context);
/* A map for cloning: id of a value -> the value in the copy.  */
typedef struct {
    Value **to;
    int size;
} ValueMap;
ValueMap value_map_new(Kernel *kernel);
Value *value_map_get(const ValueMap *map, Value *value); /* `value` itself if unmapped */
void value_map_set(Kernel *kernel, ValueMap *map, Value *from, Value *to);
Op *op_clone(Kernel *kernel, const Op *op, ValueMap *map); /* without blocks; maps the results and sets the origin */
void ir_copy_block(Kernel *kernel, const Block *from, Block *to, ValueMap *map); /* copies ops with their blocks */
/* versions.c.  The two functions make a version of the kernel, in the module's list.  Its lowering begins behind the
   running pass.  The first version is for launches whose parameter lies in the range.  The second is for launches where
   an estimate prefers it, and `ending` is the suffix of its name.  */
Kernel *kernel_version(Kernel *kernel, const Value *param, int64_t least, int64_t most);
Kernel *kernel_estimated_version(Kernel *kernel, const char *ending);
/* Returns a copy that is in no list.  require: choose has not run.  */
Kernel *kernel_copy(Kernel *kernel);
void kernel_replace(Kernel *kernel, Kernel *by); /* replaces `kernel` in the module's list */
bool is_version_of(const Kernel *version, const Kernel *kernel);
/* Returns a variant of `first` with other ws_choice constants and an empty body.  */
Kernel *kernel_variant(Kernel *first, int count, const int64_t *values);
/* Makes `copy` a variant of `first` with the schedule file `text`. Its label ends in `number`. require: `copy` has not
   been scheduled.  */
Kernel *kernel_scheduled(Kernel *first, Kernel *copy, int number, const char *text);
void variant_number(Kernel *variant, int number);    /* appends a number to the label */
const char *variant_label(const Kernel *variant);    /* for example 64x128 */
const char *variant_launcher(const Kernel *variant); /* symbol for this variant alone */
/* Returns the variant behind `after`, or the first if `after` is NULL; refused variants are passed over.  */
Kernel *next_variant(const Kernel *first, const Kernel *after);
bool is_variant_of(const Kernel *kernel, const Kernel *first);
void settle_variants(Module *module);
#define FOR_OPS(op, block)            for (Op *op = (block)->first, *op##_n; op && (op##_n = op->next, 1); op = op##_n)
#define FOR_ROLES(role, kernel)       for (Role *role = (kernel)->roles; role; role = role->next)
#define FOR_AREFS(aref, kernel)       for (Aref *aref = (kernel)->arefs; aref; aref = aref->next)
#define FOR_STORAGES(storage, kernel) for (Storage *storage = (kernel)->storages; storage; storage = storage->next)
Role *role_new(Kernel *kernel, const char *name, unsigned may, int replicas); /* a role of four warps */
Task *kernel_task(const Kernel *kernel, int number);                          /* number from 1 on; NULL for 0 */
Task *task_new(Kernel *kernel, const char *name);
int share_new(Kernel *kernel, const char *one, const char *other, Loc loc); /* returns its number, from 1 on */
/* Returns a role with all capabilities `may` and the fewest others, or NULL.  */
Role *role_that(const Kernel *kernel, unsigned may);
bool kernel_is_specialized(const Kernel *kernel);          /* the role that computes does not start copies */
bool kernel_names(const Kernel *kernel, const char *name); /* the name is taken by a storage or an aref */
Storage *storage_new(Kernel *kernel, const char *name, StorageUse use, Type tile, int slots);
Aref *aref_new(Kernel *kernel, const char *name, int slots);
int storage_places(const Storage *storage);               /* number of physical slots */
int aref_places(const Aref *aref);                        /* smallest number of physical slots of its storages */
int aref_place(const Aref *aref, const Value *value);     /* index of the value in the payload, or -1 */
int role_sharers(const Kernel *kernel, const Role *role); /* groups of the role that divide rows among them */
Aref *aref_to(const Value *value, const Role *role);      /* ring through which the role gets the value, or NULL */
Aref *aref_from(const Value *value, const Role *role);    /* ring into which the role puts the value, or NULL */
#define ROLE_BIT(role) (1u << (role)->id)

/* ---- attributes.c: the table of attributes.def ------------------------------------------------------------------- */

typedef enum {
    KIND_FLAG,
    KIND_NUMBER,
    KIND_LONG,
    KIND_REAL,
    KIND_TEXT,
    KIND_SHARED,
    KIND_CODE,
    KIND_POINTER,
    KIND_AREF,
    KIND_STORAGE
} AttributeKind;
typedef struct {
    const char *text;
    AttributeKind kind;
    bool found;
    size_t member; /* offset in Op of the pointer to the struct */
    size_t size;   /* bytes of the struct; 0: the field belongs to Op itself */
    size_t field;  /* offset of the field in the struct, or in Op */
} Attribute;
extern const Attribute attribute_info[NATTRIBUTES];
#define FOR_ATTRIBUTES(name, op) \
    for (int name = op_attribute_from(op, 0); name < NATTRIBUTES; name = op_attribute_from(op, name + 1))

size_t attribute_bytes(AttributeKind kind);
int op_attribute_from(const Op *op, int attribute); /* first attribute of the op from this one on, or NATTRIBUTES */
void op_make_attributes(Op *op);                    /* allocates the structs of all attributes of the opcode */
void op_copy_attributes(Op *to, const Op *from);    /* copies the attributes that both opcodes have */
void *attribute_of(const Op *op, int attribute);    /* address of the field; NULL: the op lacks the attribute */
bool attribute_is_set(const Op *op, int attribute); /* the field is not 0 */
Meaning op_meaning(const Op *op);
bool op_means_the_same(const Op *x, const Op *y); /* compares semantic attributes of ops of one opcode, not operands */
Pipeline *pipeline_of(const Op *op);              /* the pipeline of a FOR, or NULL */

/* ---- diag.c: the two kinds of failure ---------------------------------------------------------------------------- */

/* reasons.def has the messages: REASON (NAME, "sentence with printf formats", "note with the remedy, or empty").  */
typedef enum {
#define REASON(NAME, sentence, remedy) REASON_##NAME,
#include "ir/reasons.def"
#undef REASON
    REASON_COUNT
} Reason;
/* Reports an error of the user's program with its note, and marks kernel and module as failed.  The caller goes on.  */
void reject(Kernel *kernel, Loc loc, Reason reason, ...);
void reject_text(Kernel *kernel, Loc loc, const char *sentence, const char *remedy); /* the text comes from rules.c */
const char *reason_sentence(Reason reason);
const char *reason_remedy(Reason reason);
/* Keeps the source's spelling of an element for messages, if it has two subscripts or more.  */
void op_spell(Op *op, const char *source, size_t length);
void warn(Kernel *kernel, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void remark(Kernel *kernel, DiagKind kind, Loc loc, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Reports a bug of the compiler as an error that names the pass, and marks the module as failed. The caller goes
   on.  */
void die(Kernel *kernel, Loc loc, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#define BUG(kernel, ...)         die(kernel, (kernel)->loc, __FILE__, __LINE__, __VA_ARGS__)
#define BUG_AT(kernel, loc, ...) die(kernel, loc, __FILE__, __LINE__, __VA_ARGS__) /* at one statement */

/* ---- print.c, parse.c, check.c ----------------------------------------------------------------------------------- */

/* Writes the dump behind a pass, with roles if there are any.  */
void ir_print(FILE *out, const Kernel *kernel, const char *pass);
char *ir_read_text(FILE *in); /* all text up to the end of the file; the caller frees it; NULL: it cannot be read */
/* Returns NULL after an error.  */
Module *ir_parse(const char *text, const char *name, const Machine *machine, DiagFn diag, void *context);
bool ir_check(Kernel *kernel); /* checks SSA, types and block structure; calls BUG () and returns false if broken */
bool ir_check_body(Kernel *kernel);
bool ir_check_programs(Kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
