/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wsc-lower.c - the passes without a front end.
 *
 * The program reads textual IR, and prints dumps or the .cu.
 *
 *      wsc-lower --dump=tag gemm.ir            prints the IR behind the pass tag
 *      wsc-lower --emit gemm.ir                prints the .cu
 *      wsc-lower --start-at=plan roles.ir ...  begins with plan, for programs of roles written by hand
 *      wsc-lower --verify roles.plan           runs verify alone
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "ir/parse.h"
#include "proof/verify.h"
#include "target/machine.h"

typedef struct {
    const char *input, *output, *dump, *schedule, *solver, *machine, *folder;
    int first, last;
    bool emit, quiet, verify;
    const Machine *gpu;
    Target target;
} Options;

static void usage(FILE *out)
{
    fputs("usage: wsc-lower [options] [FILE.ir]\n"
          "  --dump=PASS[,PASS]    print the IR after these passes (or 'all'), and stop after the last\n"
          "  --emit                print the .cu\n"
          "  -o FILE               write the .cu there\n"
          "  --start-at=PASS       the input is what the pass before left\n"
          "  --stop-after=PASS     run no further\n"
          "  --target=TARGET       cuda, emulate or sequential\n"
          "  --gpu=NAME            90a (the default), 90 or 120a\n"
          "  --schedule=FILE       in place of what choose decides\n"
          "  --solver=PROGRAM --machine=FILE\n"
          "                        wsc-solve, and what it knows of the GPU: for schedule(optimal)\n"
          "  --schedules=FOLDER    where its answers are kept\n"
          "  --verify              no more than verify, on what --dump=plan printed\n"
          "  --quiet               no remarks\n"
          "  --passes              list the passes\n"
          "passes:\n",
          out);
    for (int i = 0; i < npasses; i++)
        fprintf(out, "  %-10s%-14s%s\n", phase_name(passes[i].phase), passes[i].name, passes[i].summary);
}

static void show(void *context, DiagKind kind, Loc loc, const char *message)
{
    static const char *const kinds[] = {"error", "warning", "note", "optimized", "missed"};
    const Options *options = context;
    if (options->quiet && kind >= DIAG_OPTIMIZED)
        return;
    fprintf(stderr, "%s:%d:%d: %s: %s\n", loc.file ? loc.file : "?", loc.line, loc.column, kinds[kind], message);
}

static char *read_input(const char *name)
{
    FILE *in = name && strcmp(name, "-") ? fopen(name, "r") : stdin;
    char *text = in ? ir_read_text(in) : NULL;
    if (in && in != stdin)
        fclose(in);
    return text;
}

/* Returns the index of the last pass of a list, -1 for "all", or -2 for an unknown name.  */
static int last_listed(const char *list)
{
    int last = -1;
    while (*list) {
        size_t end = strcspn(list, ",");
        char name[32] = "";
        if (end < sizeof name)
            memcpy(name, list, end);
        int pass = find_pass(name);
        if (!strcmp(name, "all"))
            pass = npasses - 1;
        if (pass < 0)
            return -2;
        last = pass > last ? pass : last;
        list += end + (list[end] == ',');
    }
    return last;
}

static const char *value_of(const char *argument, const char *option)
{
    size_t length = strlen(option);
    return strncmp(argument, option, length) ? NULL : argument + length;
}

static bool read_pass(const char *name, int *pass)
{
    *pass = find_pass(name);
    if (*pass < 0)
        fprintf(stderr, "wsc-lower: there is no pass '%s'\n", name);
    return *pass >= 0;
}

static bool read_target(const char *name, Target *target)
{
    static const char *const names[] = {"sequential", "emulate", "cuda"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, names[i])) {
            *target = (Target)i;
            return true;
        }
    fprintf(stderr, "wsc-lower: there is no target '%s'\n", name);
    return false;
}

static bool read_argument(Options *options, const char *argument)
{
    const char *value;
    if ((value = value_of(argument, "--dump="))) {
        options->dump = value;
        if (last_listed(value) != -2)
            return true;
        fprintf(stderr, "wsc-lower: '%s' is not a list of passes\n", value);
        return false;
    }
    if ((value = value_of(argument, "--start-at=")))
        return read_pass(value, &options->first);
    if ((value = value_of(argument, "--stop-after=")))
        return read_pass(value, &options->last);
    if ((value = value_of(argument, "--schedule=")))
        return (options->schedule = value);
    if ((value = value_of(argument, "--solver=")))
        return (options->solver = value);
    if ((value = value_of(argument, "--machine=")))
        return (options->machine = value);
    if ((value = value_of(argument, "--schedules=")))
        return (options->folder = value);
    if ((value = value_of(argument, "--gpu="))) {
        options->gpu = machine_named(value);
        if (!options->gpu)
            fprintf(stderr, "wsc-lower: there is no GPU '%s'\n", value);
        return options->gpu;
    }
    if ((value = value_of(argument, "--target=")))
        return read_target(value, &options->target);
    if (!strcmp(argument, "--emit"))
        return options->emit = true;
    if (!strcmp(argument, "--verify"))
        return options->verify = true;
    if (!strcmp(argument, "--quiet"))
        return options->quiet = true;
    if ((*argument != '-' || !argument[1]) && !options->input) {
        options->input = argument;
        return true;
    }
    fprintf(stderr, "wsc-lower: what is '%s'?\n", argument);
    return false;
}

static bool write_text(const Options *options, const char *text)
{
    FILE *out = options->output ? fopen(options->output, "w") : stdout;
    if (!out || fputs(text, out) == EOF || (out != stdout && fclose(out))) {
        fprintf(stderr, "wsc-lower: %s: %s\n", options->output ? options->output : "stdout", strerror(errno));
        return false;
    }
    return true;
}

static int lower_text(Options *options, const char *text)
{
    const char *name = options->input && strcmp(options->input, "-") ? options->input : "stdin";
    if (options->verify)
        return !verify_text(text, name, options->gpu, show, options);
    Module *module = ir_parse(text, name, options->gpu, show, options);
    if (!module)
        return 1;
    module->target = options->target;
    char *schedule = options->schedule ? read_input(options->schedule) : NULL;
    if (options->schedule && !schedule) {
        fprintf(stderr, "wsc-lower: %s: %s\n", options->schedule, strerror(errno));
        module_free(module);
        return 2;
    }
    module->schedule = schedule;
    module->schedule_name = options->schedule;
    module->solver = options->solver;
    module->solver_machine = options->machine;
    module->schedule_folder = options->folder;
    const char *cu = lower_range(module, options->first, options->last, options->dump, stdout);
    int status = module->failed;
    if (!status && cu && options->emit && !write_text(options, cu))
        status = 1;
    module_free(module);
    free(schedule);
    return status;
}

int main(int argc, char **argv)
{
    Options options = {.last = npasses - 1, .target = TARGET_CUDA, .gpu = &machine_hopper};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            usage(stdout);
            return 0;
        }
        if (!strcmp(argv[i], "--passes")) {
            for (int pass = 0; pass < npasses; pass++)
                printf("%s\n", passes[pass].name);
            return 0;
        }
        if (!strcmp(argv[i], "-o") && i + 1 < argc) {
            options.output = argv[++i];
            options.emit = true;
        } else if (!read_argument(&options, argv[i])) {
            usage(stderr);
            return 2;
        }
    }
    if (options.dump && !options.emit && options.last == npasses - 1)
        options.last = last_listed(options.dump);
    char *text = read_input(options.input);
    if (!text) {
        fprintf(stderr, "wsc-lower: %s: %s\n", options.input ? options.input : "stdin", strerror(errno));
        return 2;
    }
    int status = lower_text(&options, text);
    free(text);
    return status;
}
