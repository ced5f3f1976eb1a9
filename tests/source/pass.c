/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.c - reads a unit of the region IR, runs passes over each function, and prints it.
 *
 *   pass [-p | -n] PASS[,PASS...] < UNIT
 *
 * -p adds places, and -n places and names. The last pass may be `tree`, which prints the tree, or `loops`, which adds
 * its counters.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/parse.h"
#include "source/passes.h"

static void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)kind;
    fprintf(stderr, "%s:%d:%d: %s\n", loc.file ? loc.file : "", loc.line, loc.column, message);
}

static void print_trees(SourceUnit *unit, bool loops, SourceTextOptions options)
{
    for (SourceFunction *function = unit->functions; function; function = function->next) {
        const SourceBlock *irreducible = NULL;
        SourceTree *tree = source_structure(function, &irreducible);
        if (tree && loops)
            source_find_induction(function, &tree);
        printf("func %s\n", function->name);
        if (tree)
            source_print_tree(tree, stdout, options);
        else if (irreducible)
            printf("  B%d is in a cycle that is entered at several places @%d:%d\n", irreducible->id,
                   irreducible->first->loc.line, irreducible->first->loc.column);
    }
}

int main(int argc, char **argv)
{
    SourceTextOptions options = {0};
    if (argc > 1 && (!strcmp(argv[1], "-p") || !strcmp(argv[1], "-n"))) {
        options.places = true;
        options.names = argv[1][1] == 'n';
        argv++;
        argc--;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: pass [-p | -n] PASS[,PASS...] < UNIT\n");
        return 2;
    }
    char *text = ir_read_text(stdin);
    Module *module = module_new("unit", NULL, say, NULL);
    SourceUnit *unit = text ? source_parse(module, text, "unit") : NULL;
    if (!unit)
        return 1;
    bool is_tree = false, loops = false;
    for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
        loops = !strcmp(name, "loops");
        is_tree = loops || !strcmp(name, "tree");
        if (is_tree)
            break;
        for (SourceFunction *function = unit->functions; function; function = function->next)
            if (!source_run_pass(function, name)) {
                fprintf(stderr, "there is no pass '%s'\n", name);
                return 2;
            }
    }
    if (is_tree)
        print_trees(unit, loops, options);
    else
        source_print(unit, stdout, options);
    module_free(module);
    free(text);
    return 0;
}
