/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region.h - the region IR: the functions of a C translation unit as both front ends transcribe them.
 *
 * The region IR is small and imperative. A function is a list of blocks that end with jumps. Variables are assigned
 * again and again, there is no SSA. Memory is addressed by bytes. An instruction has the type and the semantics of C.
 * A front end transcribes statement by statement: it folds nothing, judges no clause, and recovers no structure.
 *
 *      float sum(int n, const float *x)        func f32 sum (i32 n.1, p x.2)             @1:7
 *      {                                         var f32 s.3
 *          float s = 0;                          var i32 i.4
 *          for (int i = 0; i < n; i++)           name n.1 "n" "int"
 *              s += x[i];                        name x.2 "x" "const float *" f32:4
 *          return s;                           B0:
 *      }                                         s.3 = copy.f32 0x0p+0                   @3:11
 *                                                i.4 = copy.i32 0                        @4:14
 *                                                jump B1
 *                                              B1:
 *                                                t1 = lt.i32 i.4, n.1                    @4:23
 *                                                branch t1, B2, B3                       @4:23
 *                                              B2:
 *                                                t2 = conv.i32.i64 i.4                   @5:15
 *                                                t3 = mul.u64 t2, 4                      @5:15
 *                                                t4 = add.p x.2, t3                      @5:15
 *                                                t5 = load.f32 t4                        @5:15
 *                                                t6 = add.f32 s.3, t5                    @5:11
 *                                                s.3 = copy.f32 t6                       @5:11
 *                                                t7 = add.i32 i.4, 1                     @4:27
 *                                                i.4 = copy.i32 t7                       @4:27
 *                                                jump B1
 *                                              B3:
 *                                                return s.3                              @6:5
 *                                              end
 *
 * Types and operations stand in region.def. Integers of one size and addresses stand for each other as operands: an
 * instruction reads the bits by its own type. A temporary (t1) is assigned once, in front of its uses and in their
 * block. A user's variable (s.3) is assigned by `copy` alone, at the place of the user's assignment. A variable whose
 * address is taken, an array, a structure and a union are objects: bytes with an address.
 *
 * An aggregate (s) and a complex number (c32, c64) are arguments by their address: `call.f32 norm(s:12 t4, c32 t5)`. A
 * function that returns one writes it through its first parameter: `func s:12 make (p v.1, ...)`, which its callers
 * pass first, too: `call.s:12 make(p t7, ...)`. Such a call has no result.
 *
 * All records live in the arena of a Module (ir/ir.h).
 */
#ifndef WSC_SOURCE_REGION_H
#define WSC_SOURCE_REGION_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
#define SOURCE_TYPE(NAME, text, bytes, is_signed, is_float) ST_##NAME,
#include "source/region.def"
#undef SOURCE_TYPE
    SOURCE_TYPES
} SourceType;

typedef enum {
#define SOURCE_OP(NAME, text, form, doc) SO_##NAME,
#include "source/region.def"
#undef SOURCE_OP
    SOURCE_OPS
} SourceOpcode;

/* The text of an operation, and the fields of Instruction that it has.  */
typedef enum {
    FORM_UNARY,       /* t = op.T x */
    FORM_BINARY,      /* t = op.T x, y */
    FORM_COMPARE,     /* t = op.T x, y: T is the type of the operands, t is a b */
    FORM_CONVERT,     /* t = op.FROM.T x */
    FORM_SELECT,      /* t = op.T c, x, y: c is a b. No front end makes one */
    FORM_COPY,        /* v = op.T x: the target is a variable */
    FORM_LOAD,        /* t = op.T address */
    FORM_STORE,       /* op.T address, x */
    FORM_MOVE,        /* op to, from, bytes */
    FORM_ZERO,        /* op address, bytes */
    FORM_OBJECT,      /* t = op OBJECT */
    FORM_SYMBOL,      /* t = op NAME */
    FORM_STRING,      /* t = op "..." */
    FORM_ALLOCATE,    /* t = op bytes, alignment */
    FORM_CALL,        /* [t = ]op.T NAME(T x, ...)[ task NUMBER], or *x for a pointer to a function */
    FORM_MARK,        /* op NUMBER: pragma NUMBER of the unit stands in front of what follows */
    FORM_JUMP,        /* op B1 */
    FORM_BRANCH,      /* op x, B1, B2 */
    FORM_SWITCH,      /* op.T x, 1:B1 3..5:B2 default:B3 */
    FORM_RETURN,      /* op [x] */
    FORM_UNREACHABLE, /* op */
} SourceForm;

typedef struct SourceUnit SourceUnit;
typedef struct SourceFunction SourceFunction;
typedef struct SourceBlock SourceBlock;
typedef struct SourceVariable SourceVariable;
typedef struct SourceObject SourceObject;
typedef struct Instruction Instruction;

typedef enum { OPERAND_NONE, OPERAND_TEMPORARY, OPERAND_VARIABLE, OPERAND_INTEGER, OPERAND_FLOAT } OperandKind;

/* An operand. Its type is given by the instruction that reads it. An integer is the value modulo 2^64. */
typedef struct {
    OperandKind kind;
    union {
        int temporary;
        SourceVariable *variable;
        uint64_t integer;
        double number; /* an f32 is exact */
    };
} Operand;

/* Sizes of a declared array, outermost first, for messages and for extents. `side` is 0 where the declaration leaves it
   open ([] and the first side of a parameter), and a variable or temporary for an array of variable length.  */
typedef struct {
    Operand side;
} SourceDimension;

/* The members of a structure. An array is a member of `count` elements. Bit-fields and unions are left out.  */
typedef struct SourceLayout SourceLayout;
typedef struct {
    long offset, bytes, count;     /* bytes of an element */
    SourceType type;               /* ST_V: a structure, or none of these types */
    const SourceLayout *structure; /* or NULL */
    const char *name;              /* or NULL */
} SourceMember;
struct SourceLayout {
    long bytes;
    int nmembers;
    SourceMember *members;
};

/* Values of <ws.h> that a declaration has: a tile or a tensor itself, or some of them among members and elements.  */
typedef enum { HOLDS_NONE, HOLDS_TILE, HOLDS_TENSOR, HOLDS_TILES, HOLDS_TENSORS } SourceHolds;

/* The declaration behind a variable or an object: as the user wrote it.  */
typedef struct {
    const char *name;           /* NULL: made by the compiler */
    const char *c_type;         /* "const float *", "struct point"; of an array its element */
    SourceType element;         /* of an array or a pointer; ST_V: an aggregate, or none */
    int element_bytes;          /* of an array or a pointer; 0: incomplete */
    const SourceLayout *layout; /* of a structure, or of an array's or a pointer's element that is one; or NULL */
    int ndimensions;
    SourceDimension *dimensions;
    bool is_const, is_restrict, is_volatile;
    SourceHolds holds;
    Loc loc;
} Declaration;

/* A scalar or pointer of the function whose address is not taken.  */
struct SourceVariable {
    const char *text; /* "s.3": unique in the function */
    SourceType type;
    long bytes; /* of a parameter that is an aggregate */
    bool is_parameter;
    bool is_argument; /* it was a parameter of a function that was inlined */
    Declaration declaration;
    const Declaration *holder;                 /* without a name: the user's variable that gets the value, or NULL */
    const void *host;                          /* what the front end has it from; NULL: a pass has made it */
    const struct SourceVariable *inlined_from; /* of a function with a grid, which was inlined; or NULL */
    const struct SourceObject *home;           /* the user's object whose bytes from `home_at` on it holds; or NULL */
    long home_at;
    bool is_chosen; /* it differs with a choice: variants.c */
    int id;         /* index in the function */
};

/* Bytes of one call of the function. An aggregate parameter and one whose address is taken are objects, too: the
   entry block stores the variable that holds the argument, or moves the bytes from the address in it.  */
struct SourceObject {
    const char *text;
    long bytes;
    int alignment;
    Declaration declaration;
    const void *host; /* the same */
    int id;
    const Instruction *keeper; /* the first one that keeps promote.c from making variables of it, or NULL */
};

/* A chain of calls that inlining has removed: innermost first.  */
typedef struct SourceInlined {
    const char *function;
    Loc loc;
    struct SourceInlined *outer;
} SourceInlined;

typedef struct {
    int64_t low, high; /* inclusive; both equal for `case n:` */
    SourceBlock *block;
} SourceCase;

typedef struct {
    SourceType type;
    Operand operand;
    long bytes; /* of an aggregate; of the address of a result that is one: those of the result */
} SourceArgument;

/* A jump that source_clean () has removed: an edge to this block went through it. A break, a goto or a return has its
   place. Without a block it was behind a condition that is now a part of the branch's own.  */
typedef struct SourceWay {
    const SourceBlock *to;
    Loc loc;
    struct SourceWay *next;
} SourceWay;

/* The declaration of a variable that gets a result.  */
typedef struct SourceHolder {
    const Declaration *declaration;
    struct SourceHolder *next;
} SourceHolder;

struct Instruction {
    SourceOpcode code;
    SourceType type, from;    /* `from`: FORM_CONVERT */
    int temporary;            /* the result; 0: none */
    SourceVariable *variable; /* FORM_COPY: the target */
    Operand args[3];
    SourceObject *object;      /* FORM_OBJECT */
    const char *symbol;        /* FORM_SYMBOL; FORM_CALL: the name, NULL: args[0] is called; FORM_STORE: results.c */
    const char *string;        /* FORM_STRING */
    long bytes;                /* FORM_MOVE, FORM_ZERO, FORM_STRING (with the last 0), FORM_ALLOCATE: alignment */
    int narguments;            /* FORM_CALL */
    SourceArgument *arguments; /* FORM_CALL */
    bool is_variadic;          /* FORM_CALL: the function takes any arguments behind the first `nnamed` */
    int nnamed;                /* FORM_CALL */
    int mark;                  /* FORM_MARK */
    int choice;                /* FORM_CALL: of ws_choice, its number from 1 on: variants.c has found it */
    int task;                  /* FORM_CALL: pragma of the task whose block it is in, from 1 on; 0: none */
    SourceHolder *holders;     /* FORM_CALL: source_name_results () has found them. Others: at most one, simplify's */
    SourceBlock *targets[2];   /* FORM_JUMP, FORM_BRANCH (true, false), FORM_SWITCH (default) */
    int ncases;                /* FORM_SWITCH */
    SourceCase *cases;         /* FORM_SWITCH */
    SourceWay *ways;           /* FORM_BRANCH, FORM_SWITCH, FORM_JUMP: the latest first */
    bool is_volatile;          /* FORM_LOAD, FORM_STORE, FORM_MOVE; FORM_CONVERT: a tile as a number, which stays */
    const char *spelling;      /* FORM_LOAD, FORM_STORE: the place, as the source writes it; or NULL */
    bool is_lost;              /* FORM_CALL: the function dropped the result from the start, as results.c has seen */
    Loc loc;
    const SourceInlined *inlined;
    Instruction *next;
};

struct SourceBlock {
    int id;
    Instruction *first, *last; /* the last one ends the block */
    SourceBlock *next;
};

struct SourceFunction {
    SourceUnit *unit;
    const char *name;
    SourceType result; /* ST_V: none */
    long result_bytes; /* of an ST_S, ST_C32 or ST_C64, which is written through the first parameter */
    bool is_inline, is_static, is_variadic, is_noreturn;
    int nparameters;
    SourceVariable **parameters; /* in order */
    int nvariables, nobjects, ntemporaries, nblocks;
    SourceVariable **variables; /* parameters, too */
    SourceObject **objects;
    SourceBlock *blocks, *last_block; /* the first is the entry */
    const char *failed;               /* not NULL: the function cannot be transcribed, and why */
    Loc failed_loc, loc;
    SourceFunction *next;
};

/* An address in the bytes of a global: of a function, of another global, or of a string.  */
typedef struct SourceRelocation {
    long offset;
    SourceOpcode code;  /* SO_FUNCTION, SO_GLOBAL, SO_STRING */
    const char *symbol; /* of the string its bytes */
    long bytes;         /* SO_STRING: with the last 0 */
    int64_t addend;
    struct SourceRelocation *next;
} SourceRelocation;

/* A variable of static storage: its bytes where the unit defines it.  */
typedef struct SourceGlobal {
    const char *name; /* of one in a function: FUNCTION.NAME */
    long bytes;       /* 0: incomplete */
    int alignment;
    Declaration declaration;
    const unsigned char *initial; /* NULL: zero, or not defined here */
    SourceRelocation *relocations;
    bool is_static, is_thread_local;
    bool is_table;   /* tables.c has made it: no declaration of the program is it */
    bool is_defined; /* by this unit */
    bool is_known;   /* nobody writes it: it holds `initial` and `relocations` at any time */
    struct SourceGlobal *next;
} SourceGlobal;

/* A pragma, in the order of the unit. `mark N` has the number of one.  */
typedef struct SourcePragma {
    const char *text; /* the directive's name */
    bool is_inside;   /* its marks are at the start of the loop's body, and not in front of the loop */
    Loc loc;
    struct SourcePragma *next;
} SourcePragma;

struct SourceUnit {
    Module *module;
    SourceFunction *functions, *last_function;
    SourceGlobal *globals, *last_global;
    SourcePragma *pragmas, *last_pragma;
    bool is_searched; /* source_find_lost () has seen the functions */
    Loc warned;       /* of the last call with bytes of another sign: several kernels use its tensor */
};

/* ---- region.c: building ------------------------------------------------------------------------------------------ */

SourceUnit *source_unit_new(Module *module);
SourceFunction *source_function_new(SourceUnit *unit, const char *name, SourceType result, Loc loc);
/* Adds a variable. Its text is the declaration's name, or `v`, with a number.  */
SourceVariable *source_variable(SourceFunction *function, SourceType type, Declaration declaration);
SourceVariable *source_parameter(SourceFunction *function, SourceType type, Declaration declaration);
SourceObject *source_object(SourceFunction *function, long bytes, int alignment, Declaration declaration);
SourceGlobal *source_global(SourceUnit *unit, const char *name, long bytes, Declaration declaration);
/* Adds an address. `symbol` is copied: a name, or of SO_STRING `bytes` bytes.  */
void source_relocation(SourceUnit *unit, SourceGlobal *global, long offset, SourceOpcode code, const char *symbol,
                       long bytes, int64_t addend);
void source_pragma(SourceUnit *unit, const char *text, bool is_inside, Loc loc);
/* Returns a block that is in no function; source_place () puts it behind the others.  */
SourceBlock *source_block_new(SourceFunction *function);
void source_place(SourceFunction *function, SourceBlock *block);

/* Where instructions go. A front end keeps one for each function.  */
typedef struct {
    SourceFunction *function;
    SourceBlock *block; /* NULL: what comes is unreachable and is dropped */
    Loc loc;            /* of each instruction that is emitted */
    int task;           /* the pragma of the task around, from 1 on; 0: none */
} SourceBuilder;

Operand source_integer(int64_t value);
Operand source_number(double value);
Operand source_of(SourceVariable *variable);

/* Each returns its result as an operand, or OPERAND_NONE. A constant is taken modulo the type that it is read as.  */
Operand source_unary(SourceBuilder *builder, SourceOpcode code, SourceType type, Operand x);
Operand source_binary(SourceBuilder *builder, SourceOpcode code, SourceType type, Operand x, Operand y);
Operand source_convert(SourceBuilder *builder, SourceType from, SourceType to, Operand x); /* x, if they are equal */
Operand source_bits(SourceBuilder *builder, SourceType from, SourceType to, Operand x);    /* x, if they are equal */
void source_copy(SourceBuilder *builder, SourceVariable *variable, Operand x);
Operand source_load(SourceBuilder *builder, SourceType type, Operand address, bool is_volatile);
void source_store(SourceBuilder *builder, SourceType type, Operand address, Operand x, bool is_volatile);
/* The source's text of the place that the last instruction loads or stores, for messages.  */
void source_spell(SourceBuilder *builder, const char *text, size_t length);
void source_move(SourceBuilder *builder, Operand to, Operand from, long bytes);
void source_zero(SourceBuilder *builder, Operand address, long bytes);
Operand source_address(SourceBuilder *builder, SourceObject *object);
Operand source_symbol(SourceBuilder *builder, SourceOpcode code, const char *name); /* SO_GLOBAL or SO_FUNCTION */
Operand source_string(SourceBuilder *builder, const char *string, long bytes);
Operand source_allocate(SourceBuilder *builder, Operand bytes, int alignment);
/* Calls `name`, or, if it is NULL, the function at address `callee`. `arguments` is copied.  */
Operand source_call(SourceBuilder *builder, SourceType type, const char *name, Operand callee, int narguments,
                    const SourceArgument *arguments);
/* The same of a function that takes any arguments behind the first `nnamed`.  */
Operand source_call_variadic(SourceBuilder *builder, SourceType type, const char *name, Operand callee, int narguments,
                             const SourceArgument *arguments, int nnamed);
void source_mark(SourceBuilder *builder, int pragma);
void source_jump(SourceBuilder *builder, SourceBlock *block);
void source_branch(SourceBuilder *builder, Operand x, SourceBlock *yes, SourceBlock *no);
void source_switch(SourceBuilder *builder, SourceType type, Operand x, int ncases, const SourceCase *cases,
                   SourceBlock *otherwise);
void source_return(SourceBuilder *builder, Operand x); /* OPERAND_NONE: no value */
void source_unreachable(SourceBuilder *builder);
/* Says that the function cannot be transcribed. The first reason counts.  */
void source_fail(SourceFunction *function, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "asm", "goto" or "typeof", if there is such a call: an assembler statement, a goto to a computed label, or numbers of
   a type that the region IR does not have. It reads and writes its arguments, and gives what nobody knows. The text of
   such a function is that of one that has failed.  */
const char *source_opaque(const SourceFunction *function);
const char *source_type_text(SourceType type);
const char *source_holds_text(SourceHolds holds);
int source_type_bytes(SourceType type);
bool source_type_is_float(SourceType type);
bool source_type_is_signed(SourceType type);
bool source_type_is_aggregate(SourceType type); /* passed by its address */
/* The number of the type with the low bits of x: an integer is extended to 64 bits by its sign, or by zeros.  */
uint64_t source_wrap(SourceType type, uint64_t x);
const char *source_op_text(SourceOpcode code);
SourceForm source_op_form(SourceOpcode code);
bool source_ends_block(const Instruction *instruction);
SourceType source_result_type(const Instruction *instruction); /* ST_V: it has none */
int source_nargs(SourceForm form); /* operands in Instruction.args; a call and a return have 1 or none */
/* The type that args[i] is read as: ST_P for an address.  */
SourceType source_arg_type(const Instruction *instruction, int i);

/* ---- region-check.c -------------------------------------------------------------------------------------------- */

/* Returns the first mistake of a function, or NULL.  */
const char *source_check_function(const SourceFunction *function);

/* ---- region-print.c -------------------------------------------------------------------------------------------- */

typedef struct {
    bool places; /* @line:column */
    bool names;  /* the declarations of variables and objects */
} SourceTextOptions;

void source_print(const SourceUnit *unit, FILE *file, SourceTextOptions options);
void source_print_instruction(const Instruction *instruction, FILE *file, SourceTextOptions options);
void source_print_function(const SourceFunction *function, FILE *file, SourceTextOptions options);

/* ---- region-parse.c -------------------------------------------------------------------------------------------- */

/* Returns NULL after an error, which the module's diag has reported at the line and column of `name`.  */
SourceUnit *source_parse(Module *module, const char *text, const char *name);

#ifdef __cplusplus
}
#endif
#endif
