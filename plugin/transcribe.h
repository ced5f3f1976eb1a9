/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe.h - what the files of the transcriber share.
 *
 *   transcribe.cc          the pass: functions, blocks, statements
 *   transcribe-call.cc     calls, builtins, internal functions
 *   transcribe-value.cc    operands and operations of scalars
 *   transcribe-complex.cc  operations of complex numbers
 *   transcribe-address.cc  places: addresses, loads, stores, bit-fields
 *   transcribe-types.cc    types, declarations, variables of static storage
 *   entry.cc               the values of variables where a grid begins
 */
#ifndef WSC_TRANSCRIBE_H
#define WSC_TRANSCRIBE_H

#include "plugin.h"
#include "source/region.h"

/* A value: a complex number has two parts.  */
struct Pair {
    Operand real, imaginary;
};

/* A declaration is one or two variables, or an object.  */
struct Home {
    SourceVariable *variables[2];
    SourceObject *object;
};

/* A name in SSA form. One that other blocks read is a variable, others are their operands.  */
struct SsaHome {
    basic_block block; /* that defines it */
    bool leaves;       /* another block reads it */
    Pair operands;
    SourceVariable *variables[2];
    SourceObject *object; /* of a type that is only moved */
};

/* The block that a task's marker begins.  */
struct MarkedBlock {
    tree block;
    int task; /* the pragma's number, from 1 on */
};

struct Transcriber {
    SourceUnit *unit;
    struct function *fn;
    SourceFunction *function = NULL;
    SourceBuilder builder = {};
    SourceVariable *result = NULL; /* the first parameter, where the result goes by its address */
    hash_map<tree, Home> homes;
    auto_vec<SsaHome> names;
    auto_vec<MarkedBlock> tasks;
    auto_vec<unsigned> bound; /* versions of the names that stand for a variable until it is assigned */
};

#define FAIL(transcriber, ...) source_fail((transcriber)->function, (transcriber)->builder.loc, __VA_ARGS__)

/* ---- transcribe-types.cc ----------------------------------------------------------------------------------------- */

/* The type of a scalar. An integer of another width than C's has the type that holds it.  */
SourceType scalar_type(Transcriber *t, const_tree type);
/* The type of a parameter or a result: aggregates and complex numbers, too.  */
SourceType passed_type(Transcriber *t, const_tree type, long *bytes);
/* Of an integer that its type is wider than: its bits. Otherwise 0.  */
int odd_precision(const_tree type);
bool is_complex(const_tree type);
bool is_aggregate(const_tree type);
/* Scalars that the region IR does not have: __int128, long double, vectors. It moves their bytes.  */
bool is_only_moved(const_tree type);
/* The same without vectors: no operation has one. As arguments they are bytes.  */
bool is_number_of_other_type(const_tree type);
const char *type_name(const_tree type);
SourceType integer_type_of_bits(int bits, bool is_signed);
SourceType as_unsigned(SourceType type);
/* Bytes of a type. Of one whose size is not known here it fails.  */
long bytes_of(Transcriber *t, const_tree type);
Declaration declaration_of(SourceUnit *unit, tree decl);
const char *function_name(const_tree fndecl);
/* The name of a variable of static storage, which the unit then has.  */
const char *global_name(SourceUnit *unit, tree decl);
/* The declaration of a name; NULL_TREE: it has none.  */
tree global_decl(const char *name);
/* Gives the variables of static storage their bytes.  */
void finish_globals(SourceUnit *unit);

/* ---- transcribe-address.cc --------------------------------------------------------------------------------------- */

/* Variables, parameters and results in registers, which have no address.  */
bool is_register(const_tree decl);
Home *home_of(Transcriber *t, tree decl);
SourceVariable *made_variable(Transcriber *t, SourceType type);
SourceObject *made_object(Transcriber *t, long bytes, int alignment);
Operand address_of(Transcriber *t, tree place);
Operand add_bytes(Transcriber *t, Operand address, int64_t bytes);
Operand load_place(Transcriber *t, tree place);
Pair load_pair(Transcriber *t, tree place);
void store_place(Transcriber *t, tree place, Operand x);
void store_pair(Transcriber *t, tree place, Pair x);
void copy_variable(Transcriber *t, SourceVariable *variable, Operand x);

/* ---- transcribe-value.cc ----------------------------------------------------------------------------------------- */

Operand value_of(Transcriber *t, tree x);
/* The same, in a type of C.  */
Operand value_as(Transcriber *t, tree x, SourceType type);
Operand convert_value(Transcriber *t, Operand x, const_tree from, const_tree to);
/* The bits of an integer of `bits`, extended by its sign or by zeros.  */
Operand extend_bits(Transcriber *t, Operand x, SourceType type, int bits);
Operand binary_value(Transcriber *t, enum tree_code code, const_tree type, Operand x, Operand y);
Operand operation_value(Transcriber *t, enum tree_code code, tree type, tree x, tree y);
void bind_name(Transcriber *t, tree name, Pair x);
Pair name_value(Transcriber *t, tree name);

/* ---- transcribe-complex.cc --------------------------------------------------------------------------------------- */

Pair pair_of(Transcriber *t, tree x);
Pair operation_pair(Transcriber *t, enum tree_code code, tree type, tree x, tree y);
Operand compare_pairs(Transcriber *t, enum tree_code code, tree x, tree y);

/* ---- transcribe-call.cc ------------------------------------------------------------------------------------------ */

void transcribe_call(Transcriber *t, gcall *call);

/* ---- transcribe.cc ----------------------------------------------------------------------------------------------- */

/* The pass behind `cfg`.  */
void transcribe_register(void);
/* The unit is complete: checks it, and prints it if a dump asks for it. Once.  */
void transcribe_finish(void);

/* ---- entry.cc ---------------------------------------------------------------------------------------------------- */

/* require: the function is transcribed; `blocks` has GCC's block of each block's number.  */
void entry_insert(Transcriber *t, basic_block *blocks);

#endif
