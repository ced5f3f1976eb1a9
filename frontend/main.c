/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - wsc-clang: the clang front end, as wscc runs it.
 *
 *   wsc-clang [--output=FILE.cu] [--host=FILE.c] [--target=...] ... -- FILE.c [clang's options]
 *   wsc-clang --source=FILE.c ... -- FILE.i [clang's options]
 *   wsc-clang --cxx -- FILE.cc [clang's options]      only says that kernels are C
 *
 * It writes the .cu and the text in which each region is a call of its launcher; the rest is the host compiler's.  The
 * first form ends with the status 3 where a pragma stands in a macro or an included file: then the second reads what
 * the preprocessor has left.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend.h"
#include "lower.h"
#include "ir/print.h"
#include "target/machine.h"
#include "transcribe.h"

enum { WANTS_PREPROCESSED = 3 };

typedef struct {
    const char *original, *output, *host, *dump, *schedule, *solver, *machine, *schedules;
    const Machine *gpu;
    Target target;
    bool both, strict, ids, traced, lines, show, cxx;
    const char *source;
    const char **args;
    int nargs;
} Request;

static void stop(const char *sentence, const char *what)
{
    fprintf(stderr, "wsc-clang: error: ");
    fprintf(stderr, sentence, what);
    putc('\n', stderr);
    exit(1);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t count = 0, room = 0;
    if (!in)
        return NULL;
    do {
        if (count + 4096 > room)
            text = realloc(text, room = 2 * room + 8192);
        count += fread(text + count, 1, room - count - 1, in);
    } while (text && !feof(in) && !ferror(in));
    fclose(in);
    text[count] = 0;
    *size = count;
    return text;
}

/* Whole or not at all.  */
static bool write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    bool good = out && fputs(text, out) >= 0;
    if (out && fclose(out))
        good = false;
    if (!good)
        unlink(path);
    return good;
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static bool value_after(const char *argument, const char *name, const char **value)
{
    size_t length = strlen(name);
    if (strncmp(argument, name, length) || argument[length] != '=')
        return false;
    *value = argument + length + 1;
    return true;
}

static void set_target(Request *request, const char *value)
{
    request->both = !strcmp(value, "cuda,emulate");
    if (!strcmp(value, "cuda") || request->both)
        request->target = TARGET_CUDA;
    else if (!strcmp(value, "emulate"))
        request->target = TARGET_EMULATE;
    else if (!strcmp(value, "sequential"))
        request->target = TARGET_SEQUENTIAL;
    else
        stop("there is no target '%s'", value);
}

static void check_dump(const char *list)
{
    char name[64];
    const char *unknown = dump_unknown(list);
    if (!unknown)
        return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(unknown, ","), unknown);
    stop("there is no pass '%s' to dump", name);
}

static void read_option(Request *request, const char *argument)
{
    const char *target = NULL, *gpu = NULL;
    if (value_after(argument, "--target", &target)) {
        set_target(request, target);
    } else if (value_after(argument, "--gpu", &gpu)) {
        request->gpu = machine_named(gpu);
        if (!request->gpu)
            stop("there is no GPU '%s'", gpu);
    } else if (!strcmp(argument, "--strict"))
        request->strict = true;
    else if (!strcmp(argument, "--ids"))
        request->ids = true;
    else if (!strcmp(argument, "--cxx"))
        request->cxx = true;
    else if (!strcmp(argument, "--lines"))
        request->lines = true;
    else if (!strcmp(argument, "--traced"))
        request->traced = true;
    else if (!strcmp(argument, "--show"))
        request->show = true;
    else if (!value_after(argument, "--source", &request->original) &&
             !value_after(argument, "--output", &request->output) && !value_after(argument, "--host", &request->host) &&
             !value_after(argument, "--dump", &request->dump) &&
             !value_after(argument, "--schedule", &request->schedule) &&
             !value_after(argument, "--solver", &request->solver) &&
             !value_after(argument, "--machine", &request->machine) &&
             !value_after(argument, "--schedules", &request->schedules))
        stop("there is no option '%s'", argument);
}

/* For the fingerprint that compiler caches ask wscc for.  */
static void show_version(void)
{
    CXString version = clang_getClangVersion();
    printf("wsc-clang %s, %s\n", WSC_VERSION, clang_getCString(version));
    clang_disposeString(version);
    exit(0);
}

static void read_options(Request *request, int argc, char **argv)
{
    int i = 1;
    *request = (Request){.target = TARGET_CUDA, .gpu = &machine_hopper};
    if (argc == 2 && !strcmp(argv[1], "--version"))
        show_version();
    while (i < argc && strcmp(argv[i], "--"))
        read_option(request, argv[i++]);
    if (i + 1 >= argc)
        stop("usage: wsc-clang [options] -- FILE [clang's options]%s", "");
    check_dump(request->dump);
    request->source = argv[i + 1];
    request->args = (const char **)argv + i + 2;
    request->nargs = argc - i - 2;
    request->original = request->original ? request->original : request->source;
}

/* ---- the unit ---------------------------------------------------------------------------------------------------- */

/* What the preprocessor has seen to, with or without a word behind it.  */
static int is_done(const char *option)
{
    static const char *const apart[] = {"-include",   "-imacros", "-isystem", "-iquote",
                                        "-idirafter", "-MF",      "-MT",      "-MQ"};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        if (!strncmp(option, apart[i], strlen(apart[i])))
            return strcmp(option, apart[i]) ? 1 : 2;
    if (!strncmp(option, "-D", 2) || !strncmp(option, "-U", 2) || !strncmp(option, "-I", 2))
        return option[2] ? 1 : 2;
    return !strncmp(option, "-M", 2) || !strncmp(option, "-Wp,", 4) || !strcmp(option, "-c") || !strcmp(option, "-S");
}

static void parse(Unit *u, const Request *request)
{
    const char **all = arena_alloc(u->module, sizeof *all * (size_t)(request->nargs + 8));
    const char **args = arena_alloc(u->module, sizeof *args * (size_t)(request->nargs + 8));
    int count = 0;
    all[u->nargs++] = "-xc";
    args[count++] = "-xcpp-output";
    for (int i = 0; i < request->nargs; i++)
        all[u->nargs++] = request->args[i];
    for (int i = 0; i < request->nargs;) {
        int done = is_done(request->args[i]);
        if (!done)
            args[count++] = request->args[i];
        i += done ? done : 1;
    }
    all[u->nargs++] = args[count++] = "-Wno-unknown-pragmas"; /* behind -Wall, which warns of them */
    u->args = all;
    u->index = clang_createIndex(0, 0);
    if (u->path == u->source) {
        args = all;
        count = u->nargs;
    }
    /* of conditions libclang keeps nothing without the record */
    bool conditions = strstr(u->text, "#if") || strstr(u->text, "# if");
    unsigned kept = conditions ? CXTranslationUnit_DetailedPreprocessingRecord : CXTranslationUnit_None;
    if (clang_parseTranslationUnit2(u->index, request->source, args, count, NULL, 0, kept, &u->tu) != CXError_Success)
        stop("libclang does not read '%s'", request->source);
    u->file = clang_getFile(u->tu, request->source);
}

static Module *new_module(Unit *u, const Request *request)
{
    size_t size;
    Module *module =
        module_new(request->original, request->traced ? machine_traced(request->gpu) : request->gpu, say, u);
    module->target = request->target;
    module->strict = request->strict;
    module->ids = request->ids;
    module->solver = request->machine ? request->solver : NULL;
    module->solver_machine = request->machine;
    module->schedule_folder = request->schedules;
    if (request->schedule) {
        module->schedule = read_file(request->schedule, &size);
        module->schedule_name = request->schedule;
        if (!module->schedule)
            stop("cannot read '%s'", request->schedule);
    }
    const char *slash = request->output ? strrchr(request->output, '/') : NULL;
    if (request->lines)
        module->lines = slash ? slash + 1 : request->output ? request->output : "";
    return module;
}

static void finish(Unit *u, const Request *request)
{
    const char *text = NULL;
    for (const Kernel *kernel = u->module->kernels; kernel && dump_lists(request->dump, "walk"); kernel = kernel->next)
        if (!kernel->failed)
            ir_print(stdout, kernel, "walk");
    if (!u->errors && u->module->kernels)
        text = lower_module(u->module, request->dump, stdout);
    fflush(stdout);
    if (u->errors)
        return;
    if (request->output && text && !write_file(request->output, text))
        complain(u, (Loc){0}, NULL, "cannot write '%s'", request->output);
    bool edited = text || (u->nedits && !u->module->failed); /* without a kernel the prints alone */
    if (request->host && edited && !write_file(request->host, host_text(u)))
        complain(u, (Loc){0}, NULL, "cannot write '%s'", request->host);
}

static int walk_unit(Unit *u, const Request *request)
{
    if (request->cxx) {
        pragmas_read(u);
        return u->errors != 0;
    }
    const bool is_source = u->path == u->source;
    if (!show_parse(u, is_source))
        return 1;
    const bool shown = dump_lists(request->dump, "region");
    if (is_source) /* macros hide tokens */
        return WANTS_PREPROCESSED;
    u->regions = transcribe_unit(u, shown ? stdout : NULL);
    pragmas_read(u);
    if (!u->errors)
        pragmas_check_places(u);
    if (!u->errors)
        around_bind(u);
    if (!u->errors)
        regions_walk(u);
    pragmas_check(u);
    finish(u, request);
    return u->errors != 0;
}

int main(int argc, char **argv)
{
    Request request;
    Unit unit = {.path = NULL};
    read_options(&request, argc, argv);
    unit.module = new_module(&unit, &request);
    unit.path = request.source;
    unit.source = request.original;
    unit.show = request.show;
    unit.both = request.both;
    unit.cxx = request.cxx;
    unit.text = read_file(request.source, &unit.size);
    if (!unit.text)
        stop("cannot read '%s'", request.source);
    parse(&unit, &request);
    int status = walk_unit(&unit, &request);
    clang_disposeTranslationUnit(unit.tu);
    if (unit.before)
        clang_disposeTranslationUnit(unit.before);
    clang_disposeIndex(unit.index);
    module_free(unit.module);
    return status;
}
