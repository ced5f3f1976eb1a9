/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.c - reads a unit of the region IR, runs passes over each function, and prints it.
 *
 *   pass PASS[,PASS...] < UNIT           -p in front: with places
 */
#include <stdlib.h>
#include <string.h>

#include "source/passes.h"

static void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)kind;
    fprintf(stderr, "%s:%d:%d: %s\n", loc.file ? loc.file : "", loc.line, loc.column, message);
}

int main(int argc, char **argv)
{
    SourceTextOptions options = {0};
    if (argc > 1 && !strcmp(argv[1], "-p")) {
        options.places = true;
        argv++;
        argc--;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: pass [-p] PASS[,PASS...] < UNIT\n");
        return 2;
    }
    char *text = ir_read_text(stdin);
    Module *module = module_new("unit", NULL, say, NULL);
    SourceUnit *unit = text ? source_parse(module, text, "unit") : NULL;
    if (!unit)
        return 1;
    for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ","))
        for (SourceFunction *function = unit->functions; function; function = function->next)
            if (!source_run_pass(function, name)) {
                fprintf(stderr, "there is no pass '%s'\n", name);
                return 2;
            }
    source_print(unit, stdout, options);
    module_free(module);
    free(text);
    return 0;
}
