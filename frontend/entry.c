/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * entry.c - the region walker in the clang front end: the kernel of a grid from the region IR, and the C text of its
 * live-ins.
 *
 *   kernel axpy(%n, %x)        ws_launch_axpy (n, x);
 *
 * The call stands in place of the loop. A variable's name means there what it means where the loop begins.
 */
#include <string.h>

#include "source/kernels.h"
#include "transcribe.h"

static const SourceClauses *clauses_of(void *context, int mark)
{
    Unit *u = context;
    for (int i = 0; i < u->npragmas; i++) {
        Pragma *pragma = &u->pragmas[i];
        if (mark >= u->nmarks || pragma->offset != u->marks[mark])
            continue;
        SourceClauses *clauses = arena_alloc(u->module, sizeof *clauses);
        *clauses = (SourceClauses){pragma->kind, pragma->grid, pragma->pipeline, pragma->loc};
        pragma->used = true;
        return clauses;
    }
    return NULL;
}

static SourceFunction *function_of(const Unit *u, CXCursor function)
{
    const char *name = text_of(u, clang_getCursorSpelling(function));
    SourceFunction *found = u->regions->functions;
    while (found && strcmp(found->name, name))
        found = found->next;
    return found;
}

static const char *c_type_of(const Value *value)
{
    static const char *const texts[D_COUNT] = {
        [D_F32] = "float",        [D_F64] = "double",        [D_I8] = "signed char",   [D_I16] = "short",
        [D_I32] = "int",          [D_I64] = "long",          [D_U8] = "unsigned char", [D_U16] = "unsigned short",
        [D_U32] = "unsigned int", [D_U64] = "unsigned long", [D_I1] = "_Bool"};
    return value->type.kind == K_PTR ? "const void *" : texts[value->type.dtype];
}

/* NULL: the user's text has no name for it.  */
static const char *text_of_live_in(const Walk *w, const SourceLiveIn *live)
{
    const SourceGlobal *global = live->global ? w->u->regions->globals : NULL;
    while (global && strcmp(global->name, live->global))
        global = global->next;
    if (live->variable)
        return live->variable->host ? live->variable->declaration.name : NULL;
    const char *name = live->object ? (live->object->host ? live->object->declaration.name : NULL)
                       : global     ? global->declaration.name
                                    : NULL;
    return name ? arena_print(w->u->module, "(&%s)", name) : NULL;
}

static void take_live_ins(Walk *w, const SourceKernel *built)
{
    for (int i = 0; i < built->nlive_ins; i++) {
        const SourceLiveIn *live = &built->live_ins[i];
        const char *text = text_of_live_in(w, live);
        if (!text && !w->kernel->failed)
            reject(w->kernel, w->kernel->loc, REASON_WALKER_UNKNOWN,
                   arena_print(w->u->module, "the value of '%s' from outside the grid",
                               live->value->name ? live->value->name : "a variable"));
        LIST_ADD(w->u->module, w->livein, w->nlivein) =
            (LiveIn){.text = text ? text : "0", .type = c_type_of(live->value), .value = live->value};
    }
}

/* require: a walk without operations.   ensure: its kernel and its live-ins, or an error.  */
void entry_walk(Walk *w, const Pragma *pragma)
{
    Unit *u = w->u;
    SourceFunction *function = function_of(u, w->function);
    int mark = 0;
    while (mark < u->nmarks && u->marks[mark] != pragma->offset)
        mark++;
    if (!function || mark == u->nmarks) {
        reject(w->kernel, w->kernel->loc, REASON_WALKER_UNKNOWN, "a grid of a function without region IR");
        return;
    }
    bool known = false;
    for (int i = 0; i < u->nprepared; i++)
        known |= u->prepared[i] == function;
    if (!known) {
        LIST_ADD(u->module, u->prepared, u->nprepared) = function;
        if (!function->failed)
            source_prepare(function);
    }
    const SourceKernel built = source_build_kernel(w->kernel, function, mark, clauses_of, u);
    take_live_ins(w, &built);
}
