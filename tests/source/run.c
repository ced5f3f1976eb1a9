/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.c - runs the `main` of a program as region IR; tests/source/compare links it with the compiled program.
 *
 *   PROGRAM UNIT [arguments]          the status is that of main; 120: the IR cannot run on
 *   WSC_WRAPS=1                       signed integers wrap
 *
 * The compiled program has `compared_main` instead of `main`, which runs where main has no IR. WSC_FUNCTIONS names a
 * file that gets the number of functions that ran as IR.
 */
#include <stdlib.h>
#include <string.h>

#include "interpret.h"
#include "ir/parse.h"

int compared_main(int argc, char **argv, char **environment);

static void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)kind;
    fprintf(stderr, "%s:%d:%d: %s\n", loc.file ? loc.file : "", loc.line, loc.column, message);
}

static bool has_main(const SourceUnit *unit)
{
    for (const SourceFunction *function = unit->functions; function; function = function->next)
        if (!strcmp(function->name, "main") && !function->failed)
            return true;
    return false;
}

int main(int argc, char **argv, char **environment)
{
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    char *text = in ? ir_read_text(in) : NULL;
    if (!text) {
        fprintf(stderr, "usage: %s UNIT [arguments]\n", argv[0]);
        return 120;
    }
    fclose(in);
    Module *module = module_new(argv[1], NULL, say, NULL);
    SourceUnit *unit = source_parse(module, text, argv[1]);
    if (!unit)
        return 120;
    Interpreter *interpreter = interpreter_new(unit);
    if (getenv("WSC_WRAPS"))
        interpreter_be_lenient(interpreter);
    const uint64_t arguments[] = {(uint64_t)argc - 1, (uint64_t)(uintptr_t)(argv + 1),
                                  (uint64_t)(uintptr_t)environment};
    uint64_t status = 0;
    if (!has_main(unit)) {
        status = (uint64_t)compared_main(argc - 1, argv + 1, environment);
    } else if (!interpreter_call(interpreter, "main", 3, arguments, &status)) {
        fflush(stdout);
        fprintf(stderr, "region: %s\n", interpreter_error(interpreter));
        return 120;
    }
    const char *path = getenv("WSC_FUNCTIONS");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (out) {
        fprintf(out, "%d\n", interpreter_functions(interpreter));
        fclose(out);
    }
    return (int)status & 255;
}
