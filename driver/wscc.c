/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wscc.c - the compiler driver, used like the host compiler.
 *
 *   wscc -O2 -c gemm.c -o gemm.o      one object, with host and device part
 *   wscc -O2 main.o gemm.o -o prog    a link with the required libraries
 *
 * Each C source is compiled on its own (compile.c).  Other languages and the link are one call of the host compiler,
 * with the objects in the positions of the sources.
 */

#include "wscc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_item(Args *args, const Item *item)
{
    if (item->language) {
        args_add(args, "-x");
        args_add(args, item->language);
    }
    args_add(args, item->text);
    if (item->value)
        args_add(args, item->value);
    if (item->language) {
        args_add(args, "-x");
        args_add(args, "none");
    }
}

static void add_output(Args *args, const Options *options)
{
    if (options->output) {
        args_add(args, "-o");
        args_add(args, options->output);
    }
}

/* Runs the host compiler without the plugin: -E, -M, --version and similar options.  */
static int host_only(const Options *options, const Config *config)
{
    Args args = {0};

    args_add_words(&args, config->cc);
    for (int i = 0; i < options->count; i++)
        add_item(&args, &options->item[i]);
    add_output(&args, options);
    if (options->inputs)
        args_add(&args, format("-I%s", config->include));
    if (!options->introduce)
        replace(&args);
    int status = run(options, &args, NULL);
    print_version(config);
    puts("The options of WSC begin with --ws-; wscc --ws-help lists them.");
    return status;
}

static const char *default_object(const Options *options, const Item *source)
{
    const char *base = same(source->text, "-") ? "-.c" : base_name(source->text);

    if (options->output)
        return options->output;
    if (options->step == STEP_OBJECT)
        return with_suffix(base, ".o");
    return options->step == STEP_ASSEMBLY ? with_suffix(base, ".s") : NULL;
}

static bool is_cxx(const Item *item)
{
    static const char suffixes[] = " .cc .cp .cxx .cpp .c++ .C .ii ";
    const char *dot = strrchr(base_name(item->text), '.');

    return item->language ? starts_with(item->language, "c++") : dot && strstr(suffixes, format(" %s ", dot));
}

/* True if the host compiler's own sources are all C++: then the plugin reports that kernels are C.  */
static bool is_cxx_alone(const Options *options)
{
    bool cxx = false;

    for (int i = 0; i < options->count; i++) {
        const Item *item = &options->item[i];
        const char *dot = item->kind == ITEM_INPUT ? strrchr(base_name(item->text), '.') : NULL;
        if (item->kind != ITEM_INPUT || item->source)
            continue;
        if (is_cxx(item))
            cxx = true;
        else if (item->language || !dot || !strstr(" .o .a .so .s .S .lo ", format(" %s ", dot)))
            return false;
    }
    return cxx;
}

/* The same for Clang, which ignores unknown pragmas: the front end reports it.  */
static void check_cxx(const Options *options, const Config *config)
{
    for (int i = 0; i < options->count && by_clang(options, config) && is_cxx_alone(options); i++) {
        const Item *item = &options->item[i];
        if (item->kind == ITEM_INPUT && !item->source && is_cxx(item) && refused_cxx(options, config, item)) {
            cleanup();
            exit(1);
        }
    }
}

static void add_host(const Options *options, const Config *config, Args *args)
{
    args_add_words(args, config->cc);
    if (is_cxx_alone(options))
        add_plugin_for_cxx(config, args);
    args_add(args, format("-I%s", config->include)); /* for inputs other than C: a C++ caller of kernels */
}

/* Compiles inputs that are not C sources (C++, assembly) by the host compiler alone.  */
static int compile_others(const Options *options, const Config *config)
{
    Args args = {0};

    if (options->inputs == options->sources)
        return 0;
    check_cxx(options, config);
    add_host(options, config, &args);
    for (int i = 0; i < options->count; i++)
        if (!options->item[i].source)
            add_item(&args, &options->item[i]);
    add_output(&args, options);
    return run(options, &args, NULL);
}

static int compile_all(const Options *options, const Config *config)
{
    int status = 0;

    if (options->output && options->sources > 1)
        fail("-o names one output, and there are %d sources to compile", options->sources);
    for (int i = 0; i < options->count; i++) {
        const Item *item = &options->item[i];
        int one = item->source ? compile_source(options, config, item, default_object(options, item), NULL) : 0;
        if (one != 0)
            cleanup();
        status = status ? status : one;
    }
    int other = options->output && options->sources ? 0 : compile_others(options, config);
    return status ? status : other;
}

static int link_all(const Options *options, const Config *config)
{
    Args args = {0};
    const char *program = options->output ? options->output : "a.out";
    int status = 0, number = 0;

    add_host(options, config, &args);
    for (int i = 0; i < options->count; i++) {
        const Item *item = &options->item[i];
        if (!item->source) {
            add_item(&args, item);
            continue;
        }
        const char *object = format("%s/%d.o", temporary_folder(), number++);
        int one = compile_source(options, config, item, object, program);
        status = status ? status : one;
        args_add(&args, object);
    }
    if (status != 0)
        return status;
    add_output(&args, options);
    if (options->python)
        python_link(options, config, &args);
    else if (!options->no_libs)
        link_libs(config, options->target, options->is_static, &args);
    status = run(options, &args, NULL);
    if (status == 0 && options->python)
        python_package(options, config);
    if (status == 0)
        outputs_keep();
    return status;
}

/* A text of folder, output and target, which is equal for equal compiles.  */
static const char *purpose_of(const Options *options)
{
    char *here = getcwd(NULL, 0);
    const char *text =
        format("%s:%s:%s", here ? here : "", options->output ? options->output : "", target_names[options->target]);

    for (int i = 0; i < options->count; i++)
        if (options->item[i].source)
            text = format("%s:%s", text, options->item[i].text);
    return text;
}

int main(int argc, char **argv)
{
    Config config = {0};
    Options options;
    int status;

    signals_catch();
    options_tune(argc, argv);
    config_load(&config);
    options_instead(&config, &argc, argv);
    options_parse(&options, &config, argc, argv);
    if (options.help) {
        options_help();
        return 0;
    }
    if (options.version) {
        print_version(&config);
        return 0;
    }
    if (options.print)
        return print_answer(&options, &config);
    if (options.bundle)
        return bundle_copy(&config, options.bundle);
    if (options.step >= STEP_TEXT)
        return host_only(&options, &config);
    temporary_purpose(purpose_of(&options));
    status = options.step == STEP_LINK ? link_all(&options, &config) : compile_all(&options, &config);
    if (status == 0 && options.timeline)
        status = timeline_write(&options, &config);
    if (status == 0 && options.page) {
        page_write(&options, &config);
        outputs_keep();
    }
    cleanup();
    return status == NOT_ENDED ? 1 : status;
}
