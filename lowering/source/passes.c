/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * passes.c - the passes by their names, for dumps and tests.
 *
 *      inline,simplify          source_inline (function, false), then source_simplify (function)
 */
#include <string.h>

#include "source/kernels.h"

static void run_inline(SourceFunction *function)
{
    source_inline(function, false);
}

static void run_inline_all(SourceFunction *function)
{
    source_inline(function, true);
}

static void run_promote(SourceFunction *function)
{
    source_promote(function);
}

static void run_tables(SourceFunction *function)
{
    source_make_tables(function);
}

/* The tree as blocks again.  */
static void run_structure(SourceFunction *function)
{
    const SourceTree *tree = source_structure(function, NULL);
    if (tree)
        source_tree_blocks(function, tree);
}

static void run_induction(SourceFunction *function)
{
    SourceTree *tree = source_structure(function, NULL);
    if (!tree)
        return;
    source_find_induction(function, &tree);
    source_tree_blocks(function, tree);
}

static const struct {
    const char *name;
    void (*run)(SourceFunction *);
} passes[] = {
    /* clang-format off */
    {"clean", source_clean},
    {"sweep", source_sweep},
    {"inline", run_inline},
    {"inline-all", run_inline_all},
    {"simplify", source_simplify},
    {"unroll", source_unroll},
    {"promote", run_promote},
    {"scope", source_begin_scopes},
    {"tables", run_tables},
    {"structure", run_structure},
    {"induction", run_induction},
    /* clang-format on */
};

bool source_run_pass(SourceFunction *function, const char *name)
{
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!strcmp(passes[i].name, name)) {
            if (!function->failed && function->blocks)
                passes[i].run(function);
            return true;
        }
    return false;
}
