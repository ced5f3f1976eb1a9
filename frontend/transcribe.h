/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe.h - what the files of the transcriber share: libclang's tree -> the region IR (source/region.h).
 *
 *   transcribe.c               the unit, its functions, and the pragmas in them
 *   transcribe-types.c         types, names, bytes of arrays of variable length
 *   transcribe-globals.c       variables of static storage and their bytes
 *   transcribe-initial.c       initializers
 *   transcribe-places.c        lvalues: variables, memory, bit-fields
 *   transcribe-values.c        expressions
 *   transcribe-complex.c       complex numbers
 *   transcribe-calls.c         calls and builtins
 *   transcribe-statements.c    statements
 *
 * The transcriber has no policy. It folds nothing, judges no clause and recovers no structure. Where libclang's API
 * cannot tell what a function does, source_fail () says so.
 */
#ifndef WSC_FRONTEND_TRANSCRIBE_H
#define WSC_FRONTEND_TRANSCRIBE_H

#include "frontend.h"
#include "source/region.h"

/* A local declaration: a variable, or bytes.  */
typedef struct {
    CXCursor decl;
    SourceVariable *variable; /* of an array of variable length: its address */
    SourceObject *object;
    bool is_allocated;
    int nsides; /* expressions of array sides in the declaration, the innermost first */
    Operand *sides;
} Local;

/* A case of a switch, or a label. libclang's cursor of a label is another where it is jumped to.  */
typedef struct {
    CXCursor cursor;
    const char *label;
    SourceBlock *block;
} JumpTarget;

/* A global of the unit, by its declaration.  */
typedef struct {
    CXCursor decl;
    SourceGlobal *global;
} Known;

typedef struct {
    Unit *u;
    SourceUnit *unit;
    Known *known;
    int nknown;
    unsigned *marks; /* offsets of the pragmas in their order */
    bool *tasks;     /* by pragma */
    int nmarks, next_mark;
    /* of one function */
    CXCursor cursor;
    SourceFunction *function;
    SourceBuilder builder;
    Local *locals;
    int nlocals;
    CXCursor *addressed;
    int naddressed;
    JumpTarget *labels, *cases;
    int nlabels, ncases;
    SourceBlock *leave, *again;
    Operand result; /* the address of the result, where it is an aggregate */
} Transcriber;

/* The value of an expression: a scalar, the address of an aggregate, or the two parts of a complex number.  */
typedef struct {
    Operand x, imaginary;
    bool is_complex;
} Parts;

/* An lvalue: a variable, or memory.  */
typedef struct {
    SourceVariable *variable;
    Operand address;
    CXType type;
    int bit, width; /* of a bit-field: its first bit behind the address; width 0: none */
    bool is_volatile;
    bool is_pointer; /* a parameter that is declared as an array */
} Spot;

#define FAIL(T, e, ...) source_fail((T)->function, loc_of((T)->u, (e)), __VA_ARGS__)

/* transcribe.c */
/* `out`: NULL, or where the unit is printed.  */
SourceUnit *transcribe_unit(Unit *u, FILE *out);
void transcribe_marks(Transcriber *t, unsigned offset);

/* transcribe-types.c */
CXType canonical(CXType type);
bool is_array(CXType type);
bool is_record(CXType type);
bool is_memory(CXType type); /* an aggregate or a complex number: its value is in memory */
CXType element_of(CXType type);
SourceType source_type(Transcriber *t, CXType type, CXCursor e); /* ST_S, ST_C32, ST_C64 for what is in memory */
SourceType type_of(Transcriber *t, CXCursor e);
Declaration declaration_of(Transcriber *t, CXCursor decl, CXType type);
Operand bytes_operand(Transcriber *t, CXType type, CXCursor root); /* u64, of arrays of variable length, too */
Cursors sides_of(Transcriber *t, CXCursor decl);
Local *local_of(Transcriber *t, CXCursor decl);
bool is_static_storage(CXCursor decl);
bool is_function_type(CXType type);
CXCursor first_child(Transcriber *t, CXCursor e);

/* transcribe-globals.c */
const char *global_name(Transcriber *t, CXCursor decl);
const char *literal_global(Transcriber *t, CXCursor literal);
const char *string_bytes(Transcriber *t, CXCursor literal, long *bytes); /* NULL: wide */
void define_global(Transcriber *t, CXCursor decl);

/* transcribe-initial.c */
typedef struct Initial Initial;
struct Initial {
    Transcriber *t;
    void (*put)(Initial *initial, CXType type, int64_t bits, int width, CXCursor e);
    Operand address;      /* of the object */
    SourceGlobal *global; /* or these: constant bytes */
    unsigned char *bytes;
    long room, end; /* of the bytes; values end there, a flexible array's behind the type's end */
    bool failed;
};
void initial_value(Initial *initial, CXType type, int64_t bits, int width, CXCursor e);
void initialize_memory(Transcriber *t, Operand address, CXType type, CXCursor e);

/* transcribe-places.c */
Spot spot_of(Transcriber *t, CXCursor e);
Parts spot_read(Transcriber *t, const Spot *spot, CXCursor e);
void spot_write(Transcriber *t, const Spot *spot, Parts value, CXCursor e);
Operand address_plus(Transcriber *t, Operand address, int64_t bytes);
Operand scaled(Transcriber *t, CXCursor index, CXType element, CXCursor root);
Operand temporary_object(Transcriber *t, CXType type);

/* transcribe-values.c */
Parts value_of_expression(Transcriber *t, CXCursor e);
Operand scalar_of(Transcriber *t, CXCursor e);
void condition(Transcriber *t, CXCursor e, SourceBlock *yes, SourceBlock *no);
Parts converted(Transcriber *t, Parts value, CXType from, CXType to, CXCursor e);
SourceOpcode binary_opcode(enum CXBinaryOperatorKind kind);
void at_cursor(Transcriber *t, CXCursor e);
Parts parts(Operand x);
SourceBlock *new_block(Transcriber *t);
void enter(Transcriber *t, SourceBlock *block); /* falls into it */

/* transcribe-complex.c */
Operand zero_of(SourceType type);
Parts complex_operation(Transcriber *t, SourceOpcode code, SourceType type, Parts x, Parts y);
Operand complex_equal(Transcriber *t, bool equal, SourceType type, Parts x, Parts y); /* a b */
Parts complex_load(Transcriber *t, Operand address, CXType type, bool is_volatile);
void complex_store(Transcriber *t, Operand address, CXType type, Parts value, bool is_volatile);

/* transcribe-calls.c */
Parts call_expression(Transcriber *t, CXCursor e);

/* transcribe-statements.c */
void statement(Transcriber *t, CXCursor s);
Parts statement_list(Transcriber *t, CXCursor compound, bool has_value);
void function_body(Transcriber *t, CXCursor body, bool is_main);
void declare_parameter(Transcriber *t, CXCursor decl);

#endif
