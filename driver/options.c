/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.c - the command line, parsed.
 *
 * wscc must know the C sources, the outputs, and their names.  All other arguments go to the host compiler unchanged
 * and in order.  The only table of the host compiler's options here lists options whose value is the next argument.
 * Without the table, the value would look like an input.
 */

#include "wscc.h"
#include "target/architecture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const char *const target_names[] = {"cuda", "emulate", "sequential", "cuda,emulate"};

/* Blanks separate the options.  */
static const char with_value[] = " -o -x -I -D -U -L -l -A -B -G -R -T -u -z -e -h -include -imacros -isystem -iquote "
                                 "-idirafter -iprefix -iwithprefix "
                                 "-iwithprefixbefore -isysroot -imultilib --sysroot -MF -MT -MQ -Xlinker -Xassembler "
                                 "-Xpreprocessor -aux-info --param "
                                 "-dumpbase -dumpbase-ext -dumpdir -wrapper -specs -Tbss -Tdata -Ttext ";

static bool takes_value(const char *option)
{
    return !strchr(option, ' ') && strstr(with_value, format(" %s ", option));
}

/* Options for the linker alone; a compile without a link would warn of some.  */
static bool for_linker(const char *option)
{
    return starts_with(option, "-l") || starts_with(option, "-Wl,") || same(option, "-Xlinker") ||
           same(option, "-shared") || same(option, "-static") || same(option, "-rdynamic") || same(option, "-r");
}

static Item *add_item(Options *options, ItemKind kind, const char *text)
{
    if (options->count == options->room) {
        options->room = options->room ? options->room * 2 : 32;
        options->item = need(realloc(options->item, (size_t)options->room * sizeof options->item[0]));
    }
    Item *item = &options->item[options->count++];
    *item = (Item){.kind = kind, .text = text};
    return item;
}

/* ---- response files ---------------------------------------------------------------------------------------------- */

/* Reads one word at *at like GCC: blanks separate, quotes group, and a backslash quotes the next character.  */
static char *response_word(const char **at)
{
    const char *from = *at + strspn(*at, " \t\r\n\f\v");
    char *word = need(malloc(strlen(from) + 1)), *to = word;
    char quote = 0;

    if (!*from)
        return NULL;
    for (; *from && (quote || !strchr(" \t\r\n\f\v", *from)); from++) {
        if (*from == '\\' && from[1])
            *to++ = *++from;
        else if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    }
    *to = '\0';
    *at = from;
    return word;
}

static void expand(Options *options, Args *args, const char *argument, int depth)
{
    char *text = argument[0] == '@' && depth < 20 ? read_file(argument + 1) : NULL;

    if (!text) {
        args_add(args, argument);
        return;
    }
    options->response_file = true;
    const char *at = text;
    for (char *word; (word = response_word(&at));)
        expand(options, args, word, depth + 1);
}

/* ---- options of wscc --------------------------------------------------------------------------------------------- */

static Target target_named(const char *name)
{
    for (int i = 0; i < 4; i++)
        if (same(name, target_names[i]))
            return (Target)i;
    if (same(name, "emulate,cuda"))
        return TARGET_BOTH;
    fail("there is no target '%s'; they are cuda, emulate, both as cuda,emulate, and sequential", name);
}

/* The architecture of a GPU: "120a", "sm_120a" and "SM_120A" name one.  */
static const char *gpu_named(const char *name)
{
#define NAME(architecture, machine) architecture,
    static const char *const gpus[] = {WSC_GPUS(NAME)};
#undef NAME
    const char *plain = strncasecmp(name, "sm_", 3) ? name : name + 3, *all = NULL;

    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        if (!strcasecmp(plain, gpus[i]))
            return gpus[i];
        all = all ? format("%s%s%s", all, i + 1 == sizeof gpus / sizeof gpus[0] ? " and " : ", ", gpus[i]) : gpus[i];
    }
    fail("there is no GPU '%s'; they are %s", name, all);
}

bool has_target(Target target, Target one)
{
    return target == one || (target == TARGET_BOTH && one != TARGET_SEQUENTIAL);
}

static bool own_value(const char *argument, const char *name, const char **value)
{
    if (!starts_with(argument, name) || argument[strlen(name)] != '=')
        return false;
    *value = argument + strlen(name) + 1;
    if (!**value)
        fail("%s= needs a value", name);
    return true;
}

static void own_option(Options *options, const char *argument)
{
    const char *value;

    if (own_value(argument, "--ws-target", &value)) {
        options->target = target_named(value);
        options->target_given = true;
    } else if (own_value(argument, "--ws-gpu", &value))
        options->gpu = gpu_named(value);
    else if (own_value(argument, "--ws-dump", &value))
        options->dump = options->dump ? format("%s,%s", options->dump, value) : value;
    else if (own_value(argument, "--ws-schedule", &value))
        options->schedule = value;
    else if (own_value(argument, "--ws-tuned", &value))
        options->tuned = value;
    else if (same(argument, "--ws-tune") || own_value(argument, "--ws-tune", &value))
        fail("--ws-tune stands first, and behind it a program and its arguments");
    else if (own_value(argument, "--ws-print", &value))
        options->print = value;
    else if (own_value(argument, "--ws-python", &value))
        options->python = value;
    else if (own_value(argument, "--ws-page", &value))
        options->page = value;
    else if (own_value(argument, "--ws-timeline", &value))
        options->timeline = value;
    else if (own_value(argument, "--ws-trace", &value))
        args_add(&options->traces, value);
    else if (same(argument, "--ws-trace"))
        options->traced = true;
    else if (own_value(argument, "--ws-bundle", &value))
        options->bundle = value;
    else if (own_value(argument, "--ws-frontend", &value)) {
        if (!same(value, "gcc") && !same(value, "clang"))
            fail("there is no front end '%s'; they are gcc and clang", value);
        options->clang = same(value, "clang");
        options->gcc = !options->clang;
    } else if (same(argument, "--ws-keep"))
        options->keep = true;
    else if (same(argument, "--ws-step"))
        options->stepped = true;
    else if (same(argument, "--ws-rewrite"))
        options->dump = options->dump ? format("%s,rewrite", options->dump) : "rewrite";
    else if (same(argument, "--ws-show"))
        options->show = true;
    else if (same(argument, "--ws-strict"))
        options->strict = true;
    else if (same(argument, "--ws-ids"))
        options->ids = true;
    else if (same(argument, "--ws-help"))
        options->help = true;
    else if (same(argument, "--ws-version"))
        options->version = true;
    else
        fail("there is no option '%s'; wscc --ws-help lists those that begin with --ws-", argument);
}

/* wscc --ws-tune[=FILE] PROGRAM ...: does not return.  */
void options_tune(int argc, char **argv)
{
    const char *table = NULL;

    if (argc < 2 || (!same(argv[1], "--ws-tune") && !own_value(argv[1], "--ws-tune", &table)))
        return;
    if (argc < 3)
        fail("--ws-tune wants a program to run");
    const char *program = strchr(argv[2], '/') ? argv[2] : format("./%s", argv[2]);
    setenv("WS_TUNE", "1", 1);
    if (table)
        setenv("WS_TUNED", table, 1);
    execv(program, argv + 2);
    fail("cannot run %s: %s", program, strerror(errno));
}

/* ---- options of the host compiler -------------------------------------------------------------------------------- */

/* An earlier step takes precedence over a later one, as in GCC.  */
static void stop_after(Options *options, Step step)
{
    if (step > options->step)
        options->step = step;
}

static void depend_option(Options *options, const char *text, const char *value)
{
    if (same(text, "-MD") || same(text, "-MMD"))
        options->depend = true;
    else if (same(text, "-MP"))
        options->depend_phony = true;
    else if (same(text, "-MF"))
        options->depend_file = value;
    else if (starts_with(text, "-MF"))
        options->depend_file = text + 3;
    else if (starts_with(text, "-MT") || starts_with(text, "-MQ"))
        options->depend_name = value ? value : text + 3;
    else if (starts_with(text, "-Wp,-MD,") || starts_with(text, "-Wp,-MMD,")) {
        options->depend = true;
        options->depend_file = strchr(text + 5, ',') + 1;
    }
}

static void step_option(Options *options, const char *text)
{
    if (same(text, "-c"))
        stop_after(options, STEP_OBJECT);
    else if (same(text, "-S"))
        stop_after(options, STEP_ASSEMBLY);
    else if (same(text, "-fsyntax-only"))
        stop_after(options, STEP_CHECK);
    else if (same(text, "-E") || same(text, "-M") || same(text, "-MM"))
        stop_after(options, STEP_TEXT);
    else if (same(text, "-###") || same(text, "--version") || same(text, "-dumpversion") ||
             same(text, "-dumpmachine") || same(text, "-dumpspecs") || starts_with(text, "-print-") ||
             starts_with(text, "--print-") || starts_with(text, "--help"))
        stop_after(options, STEP_ANSWER);
    options->introduce |= same(text, "--version") || same(text, "--help");
}

/* Collects options that the compiler of the emitted code needs, too.  */
static void device_option(Options *options, const char *text)
{
    static const char *const pic[] = {"-fPIC",    "-fpic",    "-fPIE",    "-fpie", "-fno-PIC",
                                      "-fno-pic", "-fno-PIE", "-fno-pie", "-pg"};

    for (size_t i = 0; i < sizeof pic / sizeof pic[0]; i++)
        if (same(text, pic[i]))
            args_add(&options->device, text);
    if (starts_with(text, "-fsanitize=") || starts_with(text, "-fno-sanitize"))
        args_add(&options->sanitize, text);
    if (starts_with(text, "-O"))
        options->level = text;
    else if (starts_with(text, "-flto"))
        options->lto = true;
    else if (same(text, "-fno-lto"))
        options->lto = false;
    else if (starts_with(text, "-g") && !starts_with(text, "-gcc"))
        options->debug = !same(text, "-g0");
    else if (starts_with(text, "-save-temps") || same(text, "--save-temps"))
        options->save_temps = true;
    else if (same(text, "-v") || same(text, "--verbose"))
        options->verbose = true;
    else if (same(text, "-static"))
        options->is_static = true;
    else if (same(text, "-nostdlib") || same(text, "-nodefaultlibs") || same(text, "-r"))
        options->no_libs = true;
}

static bool is_c(const char *name, const char *language)
{
    if (language)
        return same(language, "c") || same(language, "cpp-output");
    const char *dot = strrchr(base_name(name), '.');
    return dot && (same(dot, ".c") || same(dot, ".i"));
}

static bool is_cu(const char *name, const char *language)
{
    const char *dot = strrchr(base_name(name), '.');

    return language ? same(language, "cu") : dot && same(dot, ".cu");
}

/* True for a header: GCC precompiles it, and wscc has no part in it.  */
static bool is_header(const char *name, const char *language)
{
    const char *dot = strrchr(base_name(name), '.');

    return language ? strstr(language, "-header") != NULL : dot && same(dot, ".h");
}

static void add_input(Options *options, const char *name, const char *language)
{
    Item *item = add_item(options, ITEM_INPUT, name);

    item->language = language;
    item->emitted = is_cu(name, language);
    item->source = item->emitted || is_c(name, language);
    options->inputs++;
    options->sources += item->source;
    if (is_header(name, language))
        stop_after(options, STEP_ANSWER);
    options->standard_input |= same(name, "-");
}

/* Parses one argument; returns the number of arguments that belong to it.  *language is the -x in force.  */
static int sort_argument(Options *options, const Args *args, int i, const char **language)
{
    const char *text = args->item[i], *value = NULL;

    if (starts_with(text, "--ws-")) {
        own_option(options, text);
        return 1;
    }
    if (text[0] != '-' || !text[1]) {
        add_input(options, text, *language);
        return 1;
    }
    if (takes_value(text) && i + 1 < args->count)
        value = args->item[i + 1];
    if (starts_with(text, "-o")) {
        options->output = value ? value : text + 2;
    } else if (starts_with(text, "-x")) {
        const char *name = value ? value : text + 2;
        *language = same(name, "none") ? NULL : name;
    } else {
        step_option(options, text);
        depend_option(options, text, value);
        device_option(options, text);
        Item *item = add_item(options, ITEM_OPTION, text);
        item->value = value;
        item->linker = for_linker(text);
    }
    return value ? 2 : 1;
}

/* Rejects impossible combinations before any file is made.  */
static void check(const Options *options, const Config *config)
{
    for (int i = 0; i < options->count && options->step == STEP_TEXT; i++)
        if (options->item[i].emitted)
            fail("%s is compiled to an object or a program, to nothing else", options->item[i].text);
    if (options->clang && !*config->frontend)
        fail("the clang front end is not here: install wsc-clang, or build wsc where libclang is; or use "
             "--ws-frontend=gcc");
    if (by_clang(options, config) && (options->python || options->stepped))
        fail("%s needs the plugin of GCC: use --ws-frontend=gcc", options->python ? "--ws-python" : "--ws-step");
    if (options->target != TARGET_SEQUENTIAL && !*config->plugin && !by_clang(options, config))
        fail("this wscc was built without the plugin and has the sequential target only, not '%s'",
             target_names[options->target]);
    if (has_target(options->target, TARGET_CUDA) && !*config->nvcc && options->sources && options->step <= STEP_OBJECT)
        fail("the cuda target needs nvcc; set WSCC_NVCC, or use --ws-target=emulate");
}

/* `wscc --ws-instead gcc -c gemm.c`: removes the other compiler's name, also if a compiler cache precedes wscc.  */
void options_instead(const Config *config, int *argc, char **argv)
{
    int at = 1, kept = 1;

    while (at < *argc && !same(argv[at], "--ws-instead") && !starts_with(argv[at], "--ws-instead="))
        at++;
    if (at == *argc)
        return;
    if (at + 1 == *argc)
        fail("behind --ws-instead comes the command line of a compiler");
    const char *launcher = argv[at][strlen("--ws-instead")] ? argv[at] + strlen("--ws-instead=") : "";
    for (int i = 1; i < *argc; i++)
        if (i != at && i != at + 1)
            argv[kept++] = argv[i];
    argv[kept] = NULL;
    *argc = kept;
    if (!*launcher)
        return;
    Args args = {0};
    args_add_words(&args, launcher);
    args_add(&args, config->self);
    for (int i = 1; i < kept; i++)
        args_add(&args, argv[i]);
    /* ccache by itself looks at the driver only, and not at plugin or nvcc.  */
    setenv("CCACHE_COMPILERCHECK", format("string:%s", fingerprint(config)), 0);
    replace(&args);
}

void options_parse(Options *options, const Config *config, int argc, char **argv)
{
    Args args = {0};
    const char *language = NULL;

    *options = (Options){.target = target_named(config->target), .gpu = WSC_ARCHITECTURE};
    for (int i = 1; i < argc; i++)
        expand(options, &args, argv[i], 0);
    for (int i = 0; i < args.count;)
        i += sort_argument(options, &args, i, &language);
    if (options->inputs == 0)
        stop_after(options, STEP_ANSWER);
    if (options->stepped && !options->target_given)
        options->target = TARGET_EMULATE;
    if (options->stepped && options->target != TARGET_EMULATE)
        fail("--ws-step is for the emulation: --ws-target=emulate, which it takes by itself");
    if (options->traced && options->target == TARGET_SEQUENTIAL)
        fail("--ws-trace is for kernels: the sequential target has none");
    check(options, config);
    if (options->python)
        python_options(options, config);
    if (options->page)
        page_check(options, config);
    if (options->timeline)
        timeline_check(options, config);
}

void options_help(void)
{
    fputs("wscc takes the options of the host compiler, and its own:\n"
          "  --ws-target=TARGET    cuda, emulate or sequential: what a #pragma ws grid region becomes;\n"
          "                        cuda,emulate: both, of which the program takes one when it starts\n"
          "  --ws-gpu=NAME         the GPU of the kernels: 90a (without the option), 90 or 120a\n"
          "  --ws-keep             keep the emitted .cu, named after the output\n"
          "  --ws-show             print what was decided for each region\n"
          "  --ws-rewrite          print what plain loops have become, as C over tiles\n"
          "  --ws-dump=PASS[,..]   print the program after a pass of the lowering\n"
          "  --ws-schedule=FILE    schedules in place of the compiler's choice, as --ws-dump=schedule writes them\n"
          "  --ws-tuned=FILE       build in what tuning has measured; without it OUTPUT.tuned, where there is one\n"
          "  --ws-tune[=FILE]      first: run the program that follows, measure the variants of its kernels with\n"
          "                        ws_choice on this GPU, and keep the times in PROGRAM.tuned\n"
          "  --ws-strict           cuda: no contraction of products and sums\n"
          "  --ws-ids              errors end with a name that stays when their sentence changes: [ws:grid-depth]\n"
          "  --ws-frontend=NAME    gcc (the plugin) or clang; without it, as the host compiler is\n"
          "  --ws-print=WHAT       target, cflags, libs, cuda-libs, fingerprint (of plugin, headers and compilers),\n"
          "                        fortran (the source of its module), gdb (the script that shows tiles of\n"
          "                        emulated kernels: gdb -x), or tools (the parts of wsc-run and wsc-mutate)\n"
          "  --ws-instead[=CACHE]  what follows is another compiler's command line, its name first: wscc takes\n"
          "                        its place, where a build system lets something run first (CACHE: ccache)\n"
          "  --ws-page=FILE.html   show the kernels on a page for a browser: source and roles side by side, rings\n"
          "                        and groups over time, memory, what was chosen, what was proved\n"
          "  --ws-trace=FILE       with that: this run (WS_TRACE) in place of one of the program that is linked;\n"
          "                        twice: two of them, to be seen one above the other\n"
          "  --ws-trace            cuda: kernels write WS_TRACE from inside, in their multiprocessors' clocks\n"
          "  --ws-step             emulate: the program stops before each step of a kernel, and asks which is next\n"
          "  --ws-timeline=FILE    run the emulated program with the durations of a Hopper GPU, and draw what each\n"
          "                        role does and waits for\n"
          "  --ws-python=NAME      make a package of Python with the functions of the sources, in NAME/ or -o\n"
          "  --ws-bundle=DIR       copy the header and the sequential library, one file each, to DIR\n"
          "  --ws-help             this text\n"
          "  --ws-version          the version and the default target\n"
          "Environment: WSCC_CC, WSCC_CXX and WSCC_NVCC choose the compilers.\n",
          stdout);
}
