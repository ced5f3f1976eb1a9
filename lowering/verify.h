/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.h - the record of what each group does to the rings, and the two halves of the check.  */
#ifndef WSC_VERIFY_H
#define WSC_VERIFY_H

#include "ir.h"

/* One step of a group that others may wait for or see.  */
typedef enum { EVENT_PUT, EVENT_PUT_DONE, EVENT_GET, EVENT_RELEASE, EVENT_TAKE, EVENT_PASS } EventKind;
typedef struct {
    EventKind kind;
    const Aref *aref;
    long index; /* running index of the slot */
    const Op *op;
} Event;

/* A group of a role, and what it did in one scenario.  */
typedef struct {
    Role *role;
    int group;
    Event *events;
    int count, room;
} Trace;

/* What scalar parameters are worth: trip counts are about `trips`.  */
typedef struct {
    int trips;
    int64_t *params; /* by index */
} Scenario;

typedef enum { RUN_DONE, RUN_TOO_LONG, RUN_FAILED } RunResult;

/* verify-run.c: run one group's program; reports what is wrong within it.  */
RunResult verify_run(Kernel *kernel, const Scenario *scenario, Trace *trace);
/* verify-rings.c: let the groups run against each other; reports a wait that never ends, or wrong counts.  */
bool verify_rings(Kernel *kernel, const Scenario *scenario, Trace *traces, int ntraces);

/* Which group of which role, for messages: "consumer 1".  */
const char *verify_who(const Kernel *kernel, const Trace *trace);

/* verify.c: does verify accept every kernel of `text`, which is what --dump=plan printed?  What is wrong with it goes to
   `diag`; text that cannot be read is not accepted.  */
bool verify_text(const char *text, const char *name, DiagFn diag, void *context);

#endif
