/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * python.c - --ws-python=NAME: a Python package with the functions of the sources.
 *
 *   NAME/__init__.py       a line for each function
 *        functions.json    their parameters, from the plugin (plugin/signature.cc)
 *        _wsc.py           checks arguments and launches (runtime/python/wsc.py)
 *        _kernels.so       the compiled sources, beside the runtime library: libwsrt.so.0
 *
 * The package contains no path of this machine, and needs no headers of Python: any Python 3.7 or later loads it.
 */

#include "wscc.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static Args signature_files;

const char *python_signatures(void)
{
    args_add(&signature_files, format("%s/%d.json", temporary_folder(), signature_files.count));
    return signature_files.item[signature_files.count - 1];
}

static bool is_identifier(const char *name)
{
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return *name && !isdigit((unsigned char)*name);
}

/* The sources become a library in the package's folder, which -o names.  */
void python_options(Options *options, const Config *config)
{
    if (!is_identifier(options->python))
        fail("--ws-python=%s: that is no name of a module", options->python);
    if (options->step != STEP_LINK || !options->sources)
        fail("--ws-python compiles sources and links them: without -c, -S or -E");
    if (!*config->plugin || config->clang)
        fail("--ws-python needs the plugin, which knows the functions' parameters");
    options->package = options->output ? options->output : options->python;
    if (mkdir(options->package, 0777) != 0 && errno != EEXIST)
        fail("cannot make %s: %s", options->package, strerror(errno));
    options->output = format("%s/_kernels.so", options->package);
    args_add(&options->device, "-fPIC");
}

void python_link(const Options *options, const Config *config, Args *args)
{
    args_add_words(args, "-shared -Wl,-rpath,$ORIGIN");
    args_add(args, format("-L%s", config->libdir));
    args_add(args, "-lwsrt");
    args_add_words(args, config->runtime_libs);
    if (has_target(options->target, TARGET_CUDA))
        args_add_words(args, config->cuda_libs);
}

static FILE *opened(const char *path)
{
    output_claim(path);
    FILE *file = fopen(path, "wb");
    if (!file)
        fail("cannot write %s: %s", path, strerror(errno));
    return file;
}

static void closed(FILE *file, const char *path)
{
    if (ferror(file) || fclose(file) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
}

static void copy_bytes(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = opened(to);
    char part[65536];

    if (!in)
        fail("cannot read %s: %s", from, strerror(errno));
    for (size_t got; (got = fread(part, 1, sizeof part, in)) > 0;)
        fwrite(part, 1, got, out);
    fclose(in);
    closed(out, to);
}

/* The name at the beginning of a line of the plugin's file, or NULL.  */
static char *function_of(const char *line)
{
    static const char begin[] = "{\"name\": \"";

    return starts_with(line, begin) ? format("%.*s", (int)strcspn(line + strlen(begin), "\""), line + strlen(begin))
                                    : NULL;
}

/* Writes a call for each line, so that editors and readers see the functions.  */
static int write_functions(const Options *options, const char *rows)
{
    const char *path = format("%s/__init__.py", options->package);
    FILE *file = opened(path);
    int count = 0;

    fprintf(file, "# Made by wscc %s; wscc --ws-python=%s makes it again.\n", WSC_VERSION, options->python);
    fprintf(file, "import os\nfrom ._wsc import Error, load\n\n");
    fprintf(file, "_library = load(os.path.dirname(os.path.abspath(__file__)), \"%s\")\n",
            target_names[options->target]);
    for (const char *line = rows; *line; line += strcspn(line, "\n") + 1) {
        char *name = function_of(line);
        if (!name)
            continue;
        count += !strstr(format("%.*s", (int)strcspn(line, "\n"), line), "\"type\": null");
        fprintf(file, "if \"%s\" in _library.functions:\n    %s = _library.%s\n", name, name, name);
    }
    fprintf(file, "\n__all__ = [\"Error\"] + sorted(_library.functions)\n\n\n");
    fprintf(file, "def __getattr__(name):\n    return getattr(_library, name)\n");
    closed(file, path);
    return count;
}

/* Call it after the library was linked.  */
void python_package(const Options *options, const Config *config)
{
    char *rows = format("%s", "");
    const char *path = format("%s/functions.json", options->package);

    for (int i = 0; i < signature_files.count; i++) {
        const char *text = read_file(signature_files.item[i]);
        rows = text ? format("%s%s", rows, text) : rows;
    }
    if (write_functions(options, rows) == 0)
        fail("--ws-python=%s: no function of these files can be called from Python", options->python);
    FILE *file = opened(path);
    fputs(rows, file);
    closed(file, path);
    copy_bytes(config->python, format("%s/_wsc.py", options->package));
    copy_bytes(format("%s/" WSC_SONAME, config->libdir), format("%s/" WSC_SONAME, options->package));
}
