/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variables.h - what the files about C variables share: variables.c, variables-merge.c, variables-names.c.  */
#ifndef WSC_VARIABLES_H
#define WSC_VARIABLES_H

#include "machine/plan.h"
#include "ir/slice.h"

typedef enum { FORM_NONE, FORM_INLINE, FORM_FIELD, FORM_LOCAL } Form;

enum { MAX_RANGES = 8 };

/* Half open, in halves of positions: read at 2 p, written at 2 p + 1.  */
typedef struct {
    int begin, end;
} Range;

typedef struct {
    Value *value;
    Form form;
    int mentions; /* uses in the program */
    int uses;     /* those that are printed in the role */
    Op *user;     /* of one of these */
    Range ranges[MAX_RANGES];
    int nranges;
    int class_;      /* representative's index */
    int next_member; /* circular list */
    int same;        /* index of a value that this one is a new name for */
} ValueInfo;

typedef struct {
    Kernel *kernel;
    Role *role;
    ValueInfo *infos; /* in program order */
    int count, capacity;
    int *index; /* by value id, -1 for values of other roles */
    Op *grid;
} Namer;

/* variables.c */
ValueInfo *variables_info(const Namer *in, const Value *value); /* NULL for values of other roles */

/* variables-merge.c: where values live, and which of them share a variable */
void variables_settle_ranges(Namer *in);
void variables_merge(Namer *in);
const Block *variables_home(const Value *value);
bool variables_is_counter(const Value *value); /* of a FOR */
bool variables_is_slot(const Value *value);    /* of a ring */

/* variables-names.c */
typedef struct NameScope NameScope;
struct NameScope {
    const Variable *variable;
    const Block *scope;
    NameScope *next;
};
bool variables_is_reserved(const char *name); /* a word of C++ or of the runtime */
const Block *variables_scope(const Variable *variable, const Value *value);
const char *variables_class_name(const Namer *in, int class_);
const char *variables_unique_name(const Namer *in, const NameScope *taken, const char *name, const Block *scope);

#endif
