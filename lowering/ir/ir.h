/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ir.h - the one representation that every room of the house shares.
 *
 * A Module is one C translation unit; a Kernel is one grid region of it, from the plugin's first value to the text of
 * the .cu.  The IR is structured SSA: a Block is a list of Ops; control flow is an Op with nested Blocks.  Sections
 * below go by the file that implements them.
 *
 *   for (k = 0; k < K; k += 64)                 %k_for: for %c0, %K, %c64, %acc0 pipeline(4,2)
 *     acc = ws_dot (ws_load (a, i, k, 128, 64),     (%k, %acc1):
 *             ws_trans (ws_load (b, j, k, 256, 64)),    %ta = load %a, %i, %k
 *             acc);                                     %tb = load %b, %j, %k
 *                                                       %t = trans %tb
 *                                                       %acc2 = dot %ta, %t, %acc1
 *                                                       yield %acc2
 *
 * To add an operation: a row in runtime/common/ops.def, and its meaning where values of its class are computed
 * (HACKING.md). To add an attribute: a field in the struct of its class below, a row in attributes.def, HAS_NAME in the
 * rows of ops.def that have it.  op->sync->keep is then a field like others; dumps, their reader, copies, comparisons
 * and the checker know it. To add to the schedule: a field in ScheduleRow, print_row () in print.c and parse_row () in
 * parse-ops.c. A pass marks operations in a table of its own, by Op.id; there is no room for that in the operation.
 *
 * Everything hangs off the Module and lives in its arena; nothing is freed one by one and no pass keeps static state.
 * Failures are of two kinds: reject () for the user's program, die () for our own bugs.  Neither ends the process.
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
    D_MASK, /* element of a mask tile */
    D_I1,
    D_U16,
    D_U32,
    D_U64, /* further scalars */
    D_COUNT
} Dtype;

typedef enum {
    K_NONE,
    K_SCALAR, /* dtype */
    K_PTR,    /* base address of a tensor; dtype when known, only TENSOR uses it */
    K_TENSOR, /* dtype, rank */
    K_TILE,   /* dtype, rows, cols: an immutable register value */
    K_VIEW,   /* dtype, rows, cols: a window of a storage */
    K_TOKEN   /* dtype, rows, cols: a tile that an asynchronous product is still writing */
} Kind;

typedef struct {
    Kind kind;
    Dtype dtype;
    int rank;
    int rows, cols;
} Type;

/* Where in the user's source.  `host` is the front end's own location, passed back to its diagnostics.  */
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

/* attributes.def: what an operation may say of itself.  HAS_NAME is the attribute's bit.  */
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
#define NEEDS_AREF    ((uint64_t)1 << 46 | HAS_AREF) /* and it is never NULL */
#define NEEDS_STORAGE ((uint64_t)1 << 47 | HAS_STORAGE)
/* Traits of operations, which are no attributes: the same for each operation of a code.  */
#define MIXES_ROWS    ((uint64_t)1 << 40) /* an element comes of other rows, or goes to one */
#define KEEPS_ZERO    ((uint64_t)1 << 41) /* elementwise: of zeros it makes zeros */
#define IS_SLOW       ((uint64_t)1 << 42) /* elementwise: of many instructions, or of the unit for special functions */
#define IS_POLYNOMIAL ((uint64_t)1 << 43) /* elementwise: its coefficients want registers */
#define MEETS_BLOCKS  ((uint64_t)1 << 44) /* the groups of one number in all blocks of a cluster exchange tiles */

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
    int nargs; /* -1: varies */
    int rule;  /* R_..., rules.h */
    const char *call;
    uint64_t about; /* attributes and traits: HAS_..., NEEDS_..., MIXES_ROWS ... */
    const char *doc;
} OpInfo;
extern const OpInfo op_info[OP_COUNT];

/* What a function of <math.h>, of double or float, is on tiles; OP_COUNT: nothing.  As a scalar it is an
   OP_SCALAR_MATH.  */
Opcode op_of_function(const char *name);

/* The paper's three tags (III-C.1).  */
typedef enum { TAG_NONE, TAG_ITERATION, TAG_LOAD, TAG_TILE } Tag;

/* reduction(op: name): ADDI, MULI, MAXI, MINI; of a grid ANDI and ORI, too.  */
typedef struct Reduction {
    Opcode op;
    const char *name;
    struct Reduction *next;
} Reduction;

/* pipeline(D[,P]) ... on a FOR.  -1 where the user left it to the compiler.  */
typedef enum { SCHEDULE_AUTO, SCHEDULE_FINE, SCHEDULE_COARSE, SCHEDULE_OPTIMAL } Schedule;
typedef struct {
    int depth;      /* D */
    int in_flight;  /* P as written, then as carried out (effective) */
    bool automatic; /* pipeline(auto) */
    bool pingpong;
    bool optimal; /* schedule(optimal) */
    int variants; /* schedule(optimal, n): so many of what is solved are variants; 0: none */
    int subtiles; /* subtile(n): parts of its tiles' rows; 0 or 1: none */
    bool ordered; /* a schedule file says in which order an iteration issues its operations */
    bool parts;   /* no pipeline: parts, whose iterations the blocks of a cluster carry out */
    bool blocks;  /* no pipeline: the same, of any loop whose iterations are the blocks of a cluster */
    Schedule schedule;
    Loc loc;               /* of the pragma */
    int tile;              /* plain loops: iterations that become one; 0: left to the compiler */
    Reduction *reductions; /* ... and sums that may be made in another order */
    bool plain;            /* plain: the pragma is about the tile, too, and no promise that loads can move */
    int put_count;         /* choose: number of arefs filled in the loop */
} Pipeline;

enum { RELEASE_END = 0x7fffffff, MOST_SUBTILES = 8 };

/* Blocks of a cluster that share a tile: those of one column of the cluster (along x), of one row (along y), of both,
   or all blocks.  */
enum { ALONG_NONE, ALONG_X = 1, ALONG_Y = 2, ALONG_X_AND_Y = 3, ALONG_ALL = 4 };

/* A value of the language: one definition, any number of uses.  */
struct Value {
    int id;
    Type type;
    Op *def;          /* NULL for a block argument or a kernel parameter */
    Block *block;     /* for a block argument, its block */
    int index;        /* which result or argument */
    const char *name; /* the user's name, or NULL */
    Loc loc;
    int64_t declared; /* plain loops: bytes of the array that it is, where its declaration says; 0: not known */
    Value *part_of;   /* ...: the array of structs of which it is a member, of each element; or NULL */
    int64_t part_at;  /* ... and where the member lies, in bytes */
    bool counts;      /* ...: a loop's counter, which fits in the narrower types that it is converted to */
    int uses;         /* ir_count_uses () makes it current */
    /* choose */
    uint32_t split; /* roles among whose groups its rows are divided, a bit each */
    /* plan */
    Variable *var; /* the C variable that holds it in the .cu; NULL: printed as an expression at its one use */
};

/* What classes of operations have to say, field by field in attributes.def.  Fields stand by size, so that attributes.c
   can see that each has its row there.  */
typedef struct {
    int64_t integer;
    double real;
    const char *function;
} ScalarInfo;
typedef struct {
    int dimension;
    bool table;
} TensorInfo;
typedef struct { /* LOADs and COPY_IN */
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

/* All that the attributes of one operation make of its meaning, whatever they are called.  */
typedef struct {
    int64_t integer;
    double real;
    const char *text; /* "" for none */
} Meaning;

struct Op {
    Kernel *kernel;
    int id; /* among the kernel's operations: its row of the schedule, its place in a table of marks */
    Opcode code;
    Loc loc;
    int nargs, nresults, nblocks;
    Value **args;
    Value **results;
    Block *blocks[2];
    Block *parent;
    Op *prev, *next;
    /* what its class has to say; NULL where ops.def names no attribute of that struct for it */
    ScalarInfo *scalar;
    TensorInfo *tensor;
    TransferInfo *transfer;
    TileInfo *tile;
    StoreInfo *store;
    ControlInfo *control;
    SyncInfo *sync;
    /* partition and after */
    Aref *aref;
    Storage *storage;
    Op *origin;   /* the op of the kernel's body that this role's copy came from */
    int position; /* plan: place in the role's program order */
};

/* The schedule: what the user says, and tag and choose decide, for an operation of the kernel's body, a row each by
   Op.id.  What a later pass makes of an operation has a copy of its row, or a row of its own.  A row that nobody wrote
   is zero.  */
typedef struct {
    int task;       /* the user's, from 1 on: kernel_task () */
    int ring;       /* slots that the user wants of the ring that carries its result; 0: left to the compiler */
    int share;      /* the memory that the user wants to be used in turn: twice its number in Kernel.shares, and 1 more
                       for the second tile */
    Tag tag;        /* what it is for, of the body's operations alone: choose goes by it */
    uint32_t roles; /* bit per kernel->roles[] that executes it */
    int stage;      /* iterations of delay behind the loop's newest iteration */
    int order;      /* position within the iteration, by stage-major order */
    int depth;   /* slots of the ring that will carry its result from role to role, 0: it stays where it is computed */
    int release; /* of that: order of the op that is done with the slot, RELEASE_END: the iteration's last product */
    uint32_t maker;      /* of that: the role that fills the ring, a bit */
    int line;            /* of that: bytes of its lines in shared memory, if not 128; 0: 128 */
    uint32_t transposer; /* and the one that carries it on, rows and columns exchanged, in a second ring; 0: none */
} ScheduleRow;
typedef struct {
    ScheduleRow **chunks;
    int nchunks;
} ScheduleTable;
const ScheduleRow *schedule_of(const Op *op);
ScheduleRow *schedule_op(Op *op); /* to write */

struct Block {
    Op *parent; /* the op that holds it, NULL for a body */
    int nargs;
    Value **args;
    Op *first, *last;
};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef enum { ORDER_AUTO, ORDER_ROW, ORDER_COLUMN, ORDER_GROUPED } TileOrder;
typedef enum { SPLIT_AUTO, SPLIT_ROWS, SPLIT_TILES } Split;
/* precision(...): what products of floats in plain loops may be rounded to.  */
typedef enum { PRECISION_F32, PRECISION_TF32, PRECISION_F16, PRECISION_BF16 } Precision;

/* extent(x: n): so many bytes from where the parameter points to.  */
typedef struct Extent {
    Value *base, *bytes;
    struct Extent *next;
} Extent;

/* What leaves the grid: a sum over all its iterations.  The launcher gets memory at `base` for a number of each tile,
   and the caller combines these in their order (runtime/host/total.c).  */
typedef struct Total {
    Opcode op;
    const char *name;
    Value *base;
    struct Total *next;
    bool is_unsigned; /* of integers that have no sign: plain-total.c */
} Total;

/* grid(n) and its clauses; 0 or AUTO where the user left them out.  */
typedef struct {
    int dims;
    bool persistent, persistent_given;
    bool dynamic;   /* choose: a CTA gets its next tile when it wants one, not every so many */
    int cluster[2]; /* blocks along the last dimension but one, and along the last; 0: none (choose) */
    bool parts; /* parts, blocks: the last dimension is that of a loop whose iterations are the blocks of a cluster */
    TileOrder order;
    int order_group;
    Value *from;   /* a parameter: tiles begin where the first loop's variable is that, and go round; or NULL */
    int share;     /* multiprocessors that it may have; 0: all */
    bool together; /* others may run beside it */
    bool awaits;   /* beside: its tiles wait for those of earlier grids, so it may begin before these have ended */
    int consumers;
    Split split;
    int producer_registers, consumer_registers;
    bool plain;     /* loops over elements: language/plain.c makes tiles of them */
    bool rewritten; /* it has */
    bool by_one;    /* ... and variables of 32 bits without a sign go by 1 in the source, and wrap around nowhere */
    int tile[4];    /* ... so many iterations of each loop; 0: left to the compiler */
    Precision precision;
    Extent *extents;        /* ... of arrays of which the loops do not tell */
    Reduction *reductions;  /* ... and what they sum; */
    Reduction *independent; /* ... arrays of which iterations store different elements */
    Total *totals;          /* of these what is used behind the grid */
    Loc loc;
} Grid;

/* Shared memory that the kernel owns, apart from the values that pass through it.  Tiles are stored in blocks of
   128-byte rows with the 128-byte swizzle: ceil (cols * size / 128) blocks of `rows` rows (rows rounded up to 8).
   Short rows that no product reads may have lines of 64 or 32 bytes.  */
typedef enum {
    USE_RING,
    USE_OPERAND,
    USE_OUTPUT,
    USE_SCRATCH,
    USE_GATHERED,
    USE_PARTS,
    USE_SHARES,
    USE_ROW_CACHE /* each thread's own share of a tile, in place of registers */
} StorageUse;
struct Storage {
    const char *name;
    StorageUse use;
    Type tile;          /* of one slot */
    int slots;          /* ring depth, or copies (one per consumer group) */
    int64_t slot_bytes; /* plan */
    int64_t stride;     /* plan: from one slot to the next */
    int line;           /* partition: bytes of a line, where they are fewer than 128, or a row's; 0: 128 */
    int64_t offset;     /* plan: from the shared struct's start */
    Storage *beside;    /* layout: each slot lies right behind that one's, and the next one's behind it */
    Storage *over;      /* plan: it lies in the memory of that one, and the two are used in turn */
    int resident;       /* partition: slots that are there, shared by every so many; 0: all.  A copy waits for all that
    share */
    bool transposed;    /* partition: rows and columns of what the slots hold are exchanged */
    bool tf32;          /* layout: f32 that products alone read; the copy rounds it to tf32 */
    bool interleaved; /* layout: bytes whose every 16 columns are in the order in which register operands hold theirs */
    Storage *next;
};

/* An asynchronous reference: a ring of slots between one role and others (paper, III-B).  */
struct Aref {
    int id;
    const char *name;
    int slots; /* D */
    Role *producer;
    uint32_t consumers; /* bit per kernel->roles[] */
    int arrivals;       /* on the empty barrier: consumer groups that release a slot, those of other blocks included */
    int fillers;        /* on the full barrier: groups that each write their rows of a slot, or the one that fills it */
    int along;          /* the blocks whose copies fill its slots: each release goes to all of them */
    int64_t bytes;      /* per put */
    int nstorages;
    Storage **storages;
    Value *
        *payload; /* nstorages values of the body that it carries: what a load brings, or what its producer computes */
    Block *home;  /* the block of the body whose executions put once each */
    Aref *also;   /* the next ring that carries the same, to other roles; NULL: none */
    int release_lag; /* choose: groups in flight that a release leaves behind (P-1), 0: released after the reads */
    Aref *next;
};

/* Versions of a role's program: one for every launch, and one for launches of which the TMA can load all tensors.  */
enum { VERSION_ANY = 1, VERSION_TMA = 2 };

/* How register tiles are spread over the 128 threads of a group (layout): in rows, so many side by side in a warp, or
   as the tensor cores hold accumulators, or in rows each of which all threads share; in strips a thread's rows follow
   each other.  */
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

/* What a role may do: start copies into rings, hold tiles and compute with them, store.  */
enum { ROLE_COPIES = 1, ROLE_COMPUTES = 2, ROLE_STORES = 4, ROLE_DOES_ALL = 7 };

/* A part of the CTA that runs one program: `replicas` groups, of which `warps` warps run it, the first or all four.  */
struct Role {
    int id;
    const char *name; /* "producer", "consumer" or the user's */
    unsigned may;     /* ROLE_... */
    int warps;        /* versions */
    int replicas;
    unsigned versions; /* VERSION_..., a bit each; of two the launch's tensors choose */
    int registers;     /* setmaxnreg, 0: none; before plan what the user asks for */
    Layout layout;     /* layout: of its register tiles */
    Block *body;       /* distribute: its own copy of the control flow; sees parameters, nothing of kernel->body */
    Role *next;
};

/* A C variable of the emitted text (plan).  Those with no role belong to the launcher: parameters, tensors, and scalars
   that the host computes.  */
struct Variable {
    const char *name;
    Type type;
    Role *role;    /* NULL: the launcher's */
    bool mutable_; /* assigned more than once, or written in place */
    bool field;    /* launcher: a member of the parameter struct */
    Value *value;  /* launcher: what it holds */
    Op *declared;  /* role: the op that first writes it */
    bool bare;     /* role: declared without a value before that op */
    Variable *next;
};

/* A kernel that another kernel's launcher runs in its place where a parameter is from `least` to `most`, or where it
   estimates that this one takes less time.  */
typedef struct {
    const char *of; /* the other kernel's name; NULL: the kernel is none */
    int param;      /* -1: by estimate */
    int64_t least, most;
    int behind; /* the pass of the table that made it */
} KernelVersion;

/* ws_choice: a kernel is one of several for the same region, with these numbers.  The variants have one launcher, which
   takes one of them; the first one made has the name `of`.  */
enum { MOST_CHOSEN = 16, MOST_VARIANTS = 256 };
typedef struct {
    const char *of; /* NULL: the region has no choices */
    int count;
    int64_t values[MOST_CHOSEN];
} KernelChoice;

/* A variant of another kernel, which it is a copy of, in its schedule alone.  */
enum { MOST_SOLVED = 5 };
typedef struct {
    const char *of;   /* the name that schedule files have for it, the other kernel's; NULL: the kernel's own */
    const char *text; /* its schedule file; NULL: as chosen */
    bool varies;      /* it is one of several schedules, the other kernel, too */
    uint64_t digest;  /* then: of what the schedule is */
    const char *texts[MOST_SOLVED + 2]; /* of the other kernel: schedule files, its own the first, up to a NULL */
} Scheduled;

/* Why a variant was refused.  */
typedef struct {
    Loc loc;
    const char *sentence, *remedy; /* sentence NULL: it was not */
} Refusal;

/* task(NAME) ... on a block: who computes its statements.  0 where the user left it to the compiler.  */
typedef struct Task {
    const char *name;
    int groups, registers;
    bool loads; /* queues: it does nothing else, which the producer does for it */
    Loc loc;    /* of the pragma */
    struct Task *next;
} Task;

/* share(X, Y): one memory for two tiles.  */
typedef struct SharedMemory {
    const char *names[2];
    Loc loc;
    struct SharedMemory *next;
} SharedMemory;

struct Kernel {
    Module *module;
    const Machine *machine; /* the module's */
    const char *name;       /* the C function's; the n-th region of a function gets a suffix _n, n >= 2 */
    const char *c_function;
    const char *launcher; /* the symbol that replaces the region; the front end makes it unique */
    Loc loc;
    Grid grid;
    Task *tasks;
    SharedMemory *shares;
    int nparams;
    Value **params; /* live-ins in launcher order: scalars and base pointers */
    Block *body;    /* the region: prologue, then after nest one GRID op */
    Role *roles;
    Storage *storages;
    Aref *arefs;
    Variable *variables;
    int nops; /* that were made so far */
    ScheduleTable schedule;
    Layout layout; /* of most roles */
    /* plan */
    int threads;
    int64_t shared_bytes;
    int shared_padding; /* bytes behind the shared struct that a short operand's last rows may be read from */
    int min_blocks;
    uint64_t digest;            /* choose: of body, clauses and machine, as a schedule file has it */
    const char *schedule_notes; /* ... what the solver says beside it: lines that begin with #; or NULL */
    const char *scheduled_by;   /* schedule: the file, NULL: what choose decided stands */
    uint64_t source;            /* freeze: a digest of the body, which no later pass changes; 0: not frozen */
    const char *memory;         /* memory: the map of shared memory over the time of a tile, as text */
    const char *obligations;    /* verify: what was shown, a line each */
    struct {
        int terms, states, steps;
    } proof; /* verify: how much it looked at */
    KernelVersion version;
    KernelChoice choice;
    Scheduled scheduled;
    Refusal refusal; /* of a variant */
    bool settled;    /* of the first variant: what the others were left out for was said */
    bool as_chosen;  /* schedule (optimal) is not followed: what was solved could not be carried out */
    bool failed;     /* a reject was reported; of a version: the other takes all launches; of a variant: others do */
    Kernel *next;
};

typedef enum { TARGET_SEQUENTIAL, TARGET_EMULATE, TARGET_CUDA } Target;
typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE, DIAG_OPTIMIZED, DIAG_MISSED } DiagKind;
typedef void (*DiagFn)(void *context, DiagKind kind, Loc loc, const char *message);

struct Module {
    struct Chunk *arena;
    const char *source; /* the C file's name */
    Target target;
    const Machine *machine;               /* that kernels are for: machine/machine.h */
    bool strict;                          /* --ws-strict */
    const char *solver, *solver_machine;  /* wsc-solve and its description of the machine; NULL: there is none */
    const char *schedule_folder;          /* where its answers are kept; NULL: nowhere */
    const char *schedule, *schedule_name; /* --ws-schedule: the text of that file, and its name; NULL: none */
    const char *lines;                    /* the .cu's name, for #line in it; NULL: without */
    const char *tuned;                    /* --ws-tuned: the text of a table of measured variants; NULL: none */
    bool steps;                           /* with that: statements say where they stand when they run (WS_AT) */
    DiagFn diag;
    void *diag_context;
    Kernel *kernels;
    int next_id;
    const char *pass; /* lower.c: the running pass, for die () */
    bool as_text;     /* these are programs that somebody wrote: each stands for itself, versions and variants, too */
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
/* A new op that is in no block yet; args are copied.  Result types are given by op_result.  */
Op *op_new(Kernel *kernel, Opcode code, Loc loc, int nargs, Value *const *args);
void op_become(Op *op, Opcode code); /* keeps its attributes that the other has, too */
Value *op_result(Kernel *kernel, Op *op, Type type, const char *name);
void op_add_arg(Kernel *kernel, Op *op, Value *value);
void op_append(Block *block, Op *op);
void op_before(Op *where, Op *op);
void op_after(Op *where, Op *op);
/* A new op in front of `where`, at its place in the source: lowered, for the same roles and of the same origin; or
   plain.  */
Op *op_lowered_before(Kernel *kernel, Op *where, Opcode code, int nargs, Value *const *args);
Value *ir_scalar_before(Kernel *kernel, Op *where, Opcode code, Dtype dtype, int nargs, Value *const *args);
Value *ir_const_before(Kernel *kernel, Op *where, Dtype dtype, int64_t value);
Value *ir_convert_before(Kernel *kernel, Op *where, Value *x, Dtype dtype);          /* x, if it has it */
Value *ir_binary_before(Kernel *kernel, Op *where, Opcode code, Value *x, Value *y); /* of x's type */
void op_remove(Op *op);
Value *ir_const_int(Kernel *kernel, Block *block, Dtype dtype, int64_t value); /* appends a CONST */
Value *ir_const_float(Kernel *kernel, Block *block, Dtype dtype, double value);
bool ir_constant(const Value *value, int64_t *result); /* folds SCALAR integer ops over CONSTs */
int64_t ir_wrap(Dtype dtype, int64_t value);           /* as the type holds it */
/* What an operation on one or two integers gives, were its operands these.  */
bool ir_fold(const Op *op, const int64_t *args, int64_t *result);
bool ir_constant_float(const Value *value, double *result);
bool ir_has_side_effect(const Op *op); /* itself or inside its blocks */
bool op_is_part(const Op *op);         /* of a tensor, its first operand: a slice, or a box */
bool ir_inside(const Op *op, const Block *block);
bool ir_outside(const Value *value, const Op *op); /* neither computed in its blocks nor handed to them by it */
/* Does the test hold for the op, or for one inside it; for one of the block's?  */
bool ir_any(const Op *op, bool (*test)(const Op *op, const void *context), const void *context);
bool ir_any_of(const Block *block, bool (*test)(const Op *op, const void *context), const void *context);
Op *ir_enclosing(const Op *op, Opcode code); /* nearest ancestor */
void ir_count_uses(Kernel *kernel, Block *body);
void ir_replace_uses(Block *body, Value *from, Value *to);
/* Visit every op below a block in program order, an op before its blocks (pre) .  */
void ir_walk(Block *block, void (*visit)(Op *op, void *context), void *context);
/* Copy of a value map for cloning: old value id -> new value.  */
typedef struct {
    Value **to;
    int size;
} ValueMap;
ValueMap value_map_new(Kernel *kernel);
Value *value_map_get(const ValueMap *map, Value *value); /* value itself where unmapped */
void value_map_set(Kernel *kernel, ValueMap *map, Value *from, Value *to);
Op *op_clone(Kernel *kernel, const Op *op, ValueMap *map); /* without its blocks; results mapped, origin set */
void ir_copy_block(Kernel *kernel, const Block *from, Block *to, ValueMap *map); /* its operations, with their blocks */
/* versions.c: a copy of a kernel in front of the pass that runs, for launches where the parameter is in the range, or
   where it is estimated to be faster; that one's name ends so.  */
Kernel *kernel_version(Kernel *kernel, const Value *param, int64_t least, int64_t most);
Kernel *kernel_estimated_version(Kernel *kernel, const char *ending);
/* The kernel once more, in no list; in front of choose.  */
Kernel *kernel_copy(Kernel *kernel);
void kernel_replace(Kernel *kernel, Kernel *by); /* in the module's list */
bool is_version_of(const Kernel *version, const Kernel *kernel);
/* The region of `first` with other numbers: without a body.  */
Kernel *kernel_variant(Kernel *first, int count, const int64_t *values);
/* The first one's copy, which has not been scheduled, as another variant: its label ends in the number.  */
Kernel *kernel_scheduled(Kernel *first, Kernel *copy, int number, const char *text);
void variant_number(Kernel *variant, int number);    /* the last of its label */
const char *variant_label(const Kernel *variant);    /* 64x128 */
const char *variant_launcher(const Kernel *variant); /* its own; `launcher` is that of all */
/* Those that are not refused, in order: `after` NULL, or the one before.  */
Kernel *next_variant(const Kernel *first, const Kernel *after);
bool is_variant_of(const Kernel *kernel, const Kernel *first);
void settle_variants(Module *module);
#define FOR_OPS(op, block)            for (Op *op = (block)->first, *op##_n; op && (op##_n = op->next, 1); op = op##_n)
#define FOR_ROLES(role, kernel)       for (Role *role = (kernel)->roles; role; role = role->next)
#define FOR_AREFS(aref, kernel)       for (Aref *aref = (kernel)->arefs; aref; aref = aref->next)
#define FOR_STORAGES(storage, kernel) for (Storage *storage = (kernel)->storages; storage; storage = storage->next)
Role *role_new(Kernel *kernel, const char *name, unsigned may, int replicas); /* of four warps */
Task *kernel_task(const Kernel *kernel, int number);                          /* from 1 on; NULL for 0 */
Task *task_new(Kernel *kernel, const char *name);
int share_new(Kernel *kernel, const char *one, const char *other, Loc loc); /* its number, from 1 on */
Role *role_that(const Kernel *kernel,
                unsigned may); /* one that may do all of this, and as little else as any; NULL: none */
bool kernel_is_specialized(const Kernel *kernel);          /* who computes does not start the copies into rings */
bool kernel_names(const Kernel *kernel, const char *name); /* a storage or an aref */
Storage *storage_new(Kernel *kernel, const char *name, StorageUse use, Type tile, int slots);
Aref *aref_new(Kernel *kernel, const char *name, int slots);
int storage_places(const Storage *storage);               /* slots that are there */
int aref_places(const Aref *aref);                        /* the fewest of its storages */
int aref_place(const Aref *aref, const Value *value);     /* of a value among its payload, -1: it does not carry it */
int role_sharers(const Kernel *kernel, const Role *role); /* groups of the role among which rows are divided */
Aref *aref_to(const Value *value, const Role *role); /* through which a value of the body comes to the role, or NULL */
Aref *aref_from(const Value *value, const Role *role); /* into which the role puts it, or NULL */
#define ROLE_BIT(role) (1u << (role)->id)

/* ---- attributes.c: what attributes.def says ---------------------------------------------------------------------- */

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
    size_t member; /* of Op: the pointer to the struct */
    size_t size;   /* of the struct; 0: the field is Op's own */
    size_t field;
} Attribute;
extern const Attribute attribute_info[NATTRIBUTES];
#define FOR_ATTRIBUTES(name, op) \
    for (int name = op_attribute_from(op, 0); name < NATTRIBUTES; name = op_attribute_from(op, name + 1))

size_t attribute_bytes(AttributeKind kind);
int op_attribute_from(const Op *op, int attribute); /* the first that its code has, this one or later; NATTRIBUTES */
void op_make_attributes(Op *op);                    /* room for all that its code has */
void op_copy_attributes(Op *to, const Op *from);    /* those that both have */
void *attribute_of(const Op *op, int attribute);    /* its field, NULL: the op does not have it */
bool attribute_is_set(const Op *op, int attribute); /* it is not 0 */
Meaning op_meaning(const Op *op);
bool op_means_the_same(const Op *x, const Op *y); /* of one code: attributes, not operands */
Pipeline *pipeline_of(const Op *op);              /* a FOR's; NULL of anything else */

/* ---- diag.c: the two kinds of failure ---------------------------------------------------------------------------- */

/* One table of sentences, reasons.def: REASON (NAME, "sentence with printf formats", "note: the remedy, or empty").  */
typedef enum {
#define REASON(NAME, sentence, remedy) REASON_##NAME,
#include "ir/reasons.def"
#undef REASON
    REASON_COUNT
} Reason;
/* Report an error at loc, with its note; marks kernel and module as failed.  The pass returns when convenient.  */
void reject(Kernel *kernel, Loc loc, Reason reason, ...);
void reject_text(Kernel *kernel, Loc loc, const char *sentence, const char *remedy); /* a verdict of rules.c */
const char *reason_sentence(Reason reason);
const char *reason_remedy(Reason reason);
void warn(Kernel *kernel, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void remark(Kernel *kernel, DiagKind kind, Loc loc, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A bug of ours: reported as an error that names the pass; marks the module as failed; returns.  */
void die(Kernel *kernel, Loc loc, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#define BUG(kernel, ...)         die(kernel, (kernel)->loc, __FILE__, __LINE__, __VA_ARGS__)
#define BUG_AT(kernel, loc, ...) die(kernel, loc, __FILE__, __LINE__, __VA_ARGS__) /* where one statement is to blame */

/* ---- print.c, parse.c, check.c ----------------------------------------------------------------------------------- */

void ir_print(FILE *out, const Kernel *kernel,
              const char *pass); /* the dump after a pass; with roles, when there are any */
char *ir_read_text(FILE *in);    /* all of it, to be freed; NULL when it cannot be read */
Module *ir_parse(const char *text, const char *name, DiagFn diag, void *context); /* NULL after an error */
bool ir_check(Kernel *kernel); /* SSA, types, block structure; BUG () and false when broken */
bool ir_check_body(Kernel *kernel);
bool ir_check_programs(Kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
