/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variables.h - the state of variables.c, variables-merge.c and variables-names.c.  */
#ifndef WSC_VARIABLES_H
#define WSC_VARIABLES_H

#include "ir/slice.h"

/* The form of a value in the .cu: none, printed at its use, a member of the parameter struct, or a local variable.  */
typedef enum { FORM_NONE, FORM_INLINE, FORM_FIELD, FORM_LOCAL } Form;

enum { MAX_RANGES = 8 };

/* A half-open live range in halves of positions: reads are at 2 p, writes at 2 p + 1.  */
typedef struct {
    int begin, end;
} Range;

typedef struct {
    Value *value;
    Form form;
    int mentions; /* uses in the program */
    int uses;     /* uses that are printed in the role */
    Op *user;     /* one of these */
    Range ranges[MAX_RANGES];
    int nranges;
    int class_;      /* index of the representative */
    int next_member; /* circular list of the class */
    int same;        /* index of the value that this one renames */
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
ValueInfo *variables_info(const Namer *namer, const Value *value); /* NULL for values of other roles */

/* variables-merge.c: live ranges, and classes of values that share a variable.  */
void variables_settle_ranges(Namer *namer);
void variables_merge(Namer *namer);
const Block *variables_home(const Value *value);
bool variables_is_counter(const Value *value); /* induction variable of a FOR, or the argument of a NARROW region */
bool variables_is_slot(const Value *value);    /* slot number of a ring */

/* variables-names.c */
typedef struct NameScope NameScope;
struct NameScope {
    const Variable *variable;
    const Block *scope;
    NameScope *next;
};
bool variables_is_reserved(const char *name); /* keyword of C++ or name of the runtime */
const Block *variables_scope(const Variable *variable, const Value *value);
const char *variables_class_name(const Namer *namer, int class_);
const char *variables_unique_name(const Namer *namer, const NameScope *taken, const char *name, const Block *scope);

#endif
