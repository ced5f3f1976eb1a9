/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * say.c - diagnostics in clang's style: place, kind, sentence, the line and a caret.
 */
#include <string.h>

#include "frontend.h"

/* -Wno-ws-NAME for a warning that ends in "[-Wws-NAME]".  */
static bool is_switched_off(const Unit *u, const char *message)
{
    const char *option = strstr(message, "[-Wws-");
    for (int i = 0; option && i < u->nargs; i++) {
        size_t length = strcspn(option + 3, "]");
        const char *given = u->args[i];
        if (!strcmp(given, "-w") ||
            (!strncmp(given, "-Wno-", 5) && !strncmp(given + 5, option + 3, length) && !given[5 + length]))
            return true;
    }
    return false;
}

static void show_line(const Loc *loc)
{
    char line[1024];
    FILE *in = loc->file && *loc->file && loc->line > 0 ? fopen(loc->file, "r") : NULL;
    int number = 0;
    while (in && number < loc->line && fgets(line, sizeof line, in))
        number++;
    if (in)
        fclose(in);
    if (!in || number != loc->line)
        return;
    line[strcspn(line, "\n")] = 0;
    fprintf(stderr, "%5d | %s\n      | ", loc->line, line);
    for (int i = 0; i + 1 < loc->column && line[i]; i++)
        putc(line[i] == '\t' ? '\t' : ' ', stderr);
    fputs("^\n", stderr);
}

static void print(const Loc *loc, const char *kind, const char *message)
{
    if (loc->file && *loc->file && loc->line > 0)
        fprintf(stderr, "%s:%d:%d: ", loc->file, loc->line, loc->column > 0 ? loc->column : 1);
    else
        fputs("wsc-clang: ", stderr);
    fprintf(stderr, "%s: %s\n", kind, message);
    show_line(loc);
}

/* What the lowering has to say.  The note of a warning that is not shown is not shown either.  */
void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    Unit *u = context;
    if (kind == DIAG_NOTE && u->silent)
        return;
    if (kind == DIAG_NOTE) {
        print(&loc, "note", message);
        return;
    }
    u->silent = kind == DIAG_WARNING && is_switched_off(u, message);
    if (kind == DIAG_ERROR) {
        u->errors++;
        print(&loc, "error", message);
    } else if (kind == DIAG_WARNING && !u->silent) {
        print(&loc, "warning", message);
    } else if (kind == DIAG_OPTIMIZED || kind == DIAG_MISSED) {
        u->silent = !u->show;
        if (u->show)
            print(&loc, "remark",
                  arena_print(u->module, "%s: %s", kind == DIAG_OPTIMIZED ? "optimized" : "missed", message));
    }
}

/* An error with the note that says what to do; remedy may be NULL.  */
void complain(Unit *u, Loc loc, const char *remedy, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *message = arena_vprint(u->module, format, list);
    va_end(list);
    say(u, DIAG_ERROR, loc, reason_tag_text(u->module, message, strcmp(format, "%s") ? format : message));
    if (remedy)
        say(u, DIAG_NOTE, loc, remedy);
}

bool show_parse(Unit *u, bool warnings)
{
    bool good = true;
    for (unsigned i = 0; i < clang_getNumDiagnostics(u->tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(u->tu, i);
        bool error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
        if (error || (warnings && clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Warning))
            say(u, error ? DIAG_ERROR : DIAG_WARNING, loc_at(u, clang_getDiagnosticLocation(diagnostic)),
                text_of(u, clang_getDiagnosticSpelling(diagnostic)));
        good &= !error;
        clang_disposeDiagnostic(diagnostic);
    }
    return good;
}
