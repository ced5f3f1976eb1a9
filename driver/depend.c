/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * depend.c - the -MD output.
 *
 * The host compiler lists the headers that it reads.  An object also depends on the plugin.  An object with kernels
 * depends on the headers of the emitted code, too, so that an upgrade of wsc rebuilds it.  An additional rule for the
 * same target lists these files, in a form that every make and automake's depcomp read.
 */

#include "wscc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_header(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (same(dot, ".h") || same(dot, ".hpp") || same(dot, ".cuh") || same(dot, ".def"));
}

void each_header(const char *where, void (*each)(const char *path, void *context), void *context)
{
    struct dirent **entries;
    int count = scandir(where, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++)
        if (is_header(entries[i]->d_name))
            each(format("%s/%s", where, entries[i]->d_name), context);
}

static void add_path(const char *path, void *context)
{
    args_add(context, path);
}

/* The targets of the first rule, as the compiler has written (and quoted) them.  */
static char *rule_targets(const char *text)
{
    for (const char *at = text; (at = strchr(at, ':')); at++)
        if (at[1] == ' ' || at[1] == '\n' || at[1] == '\\' || !at[1])
            return format("%.*s", (int)(at - text), text);
    return NULL;
}

static void write_escaped(FILE *file, const char *path)
{
    for (; *path; path++) {
        if (*path == ' ' || *path == '#')
            fputc('\\', file);
        if (*path == '$')
            fputc('$', file);
        fputc(*path, file);
    }
}

static void write_rule(FILE *file, const char *targets, const Args *paths, bool phony)
{
    fprintf(file, "%s:", targets);
    for (int i = 0; i < paths->count; i++) {
        fputs(" \\\n  ", file);
        write_escaped(file, paths->item[i]);
    }
    fputc('\n', file);
    for (int i = 0; phony && i < paths->count; i++) {
        write_escaped(file, paths->item[i]);
        fputs(":\n", file);
    }
}

void depend_extend(const Options *options, const Config *config, const char *file, bool region)
{
    Args paths = {0};
    char *text = read_file(file), *targets = text ? rule_targets(text) : NULL;

    if (!targets || !*config->plugin)
        return;
    args_add(&paths, config->plugin);
    if (options->schedule)
        args_add(&paths, options->schedule);
    if (options->tuned)
        args_add(&paths, options->tuned);
    if (region) {
        each_header(config->common_include, add_path, &paths);
        each_header(format("%s/gpus", config->common_include), add_path, &paths);
        if (has_target(options->target, TARGET_CUDA)) {
            each_header(config->cuda_include, add_path, &paths);
            each_header(format("%s/mma", config->cuda_include), add_path, &paths);
        }
        if (has_target(options->target, TARGET_EMULATE))
            each_header(config->emulate_include, add_path, &paths);
    }
    FILE *out = fopen(file, "a");
    if (!out)
        fail("cannot add to %s: %s", file, strerror(errno));
    write_rule(out, targets, &paths, options->depend_phony);
    if (fclose(out) != 0)
        fail("cannot add to %s: %s", file, strerror(errno));
}
