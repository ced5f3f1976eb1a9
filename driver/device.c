/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * device.c - emitted code (a .cu) to an object: nvcc for cuda, the C++ compiler for emulate.
 *
 *      from the plugin       NAME.cu in the temporary folder, compiled there: the folder's name is not in the object
 *      on the command line   lab.cu in the user's folder, so that errors and dependences name the user's file
 */

#include "wscc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last word of a compiler's command that is not an option: nvcc's -ccbin takes one word.  */
static const char *program_of(const char *command)
{
    Args words = {0};

    args_add_words(&words, command);
    const char *program = command;
    for (int i = 0; i < words.count; i++)
        if (words.item[i][0] != '-')
            program = words.item[i];
    return program;
}

/* nvcc passes its arguments to a shell, between double quotes.  */
static void check_for_nvcc(const char *name)
{
    const char *odd = strpbrk(name, "\"$`\\\n");

    if (odd)
        fail("%s: nvcc passes names through a shell, where %s%.1s means something else: take another name", name,
             *odd == '\n' ? "a line's end" : "", *odd == '\n' ? "" : odd);
}

static void nvcc_args(const Options *options, const Config *config, bool in_there, Args *args)
{
    args_add_words(args, config->nvcc);
    args_add(args, "-ccbin");
    args_add(args, program_of(config->cxx));
    args_add(args, "-keep"); /* intermediate files without a process number in their names, in a folder that is
                                removed */
    args_add(args, "-keep-dir");
    args_add(args, in_there ? "." : temporary_folder());
    args_add(args, "-std=c++17");
    args_add(args, "-gencode");
    args_add(args, format("arch=compute_%s,code=sm_%s", options->gpu, options->gpu));
    /* Code of the GPU has level 3 by default.  The launchers need level 1 alone (bench/notes/compile-time.md).  */
    args_add_words(args, "-Xcompiler -O1,-fno-exceptions,-fno-threadsafe-statics,-fno-rtti");
    if (options->strict)
        args_add(args, "-fmad=false");
    if (options->debug)
        args_add(args, "-lineinfo");
    if (options->traced)
        args_add(args, "-DWS_TRACED");
    for (int i = 0; i < options->device.count; i++) {
        args_add(args, "-Xcompiler");
        args_add(args, options->device.item[i]);
    }
    args_add(args, format("-I%s", config->cuda_include));
}

/* Bits do not depend on the level: -O2, unless the user wants to debug.  */
static const char *emulate_level(const Options *options)
{
    if (options->debug && (!options->level || same(options->level, "-O0")))
        return "-O0";
    return options->debug && same(options->level, "-Og") ? "-Og" : "-O2";
}

/* The folder in which debuggers look for sources: this one, or its replacement by the user's options.  */
static const char *mapped_folder(const Options *options)
{
    static const char *const maps[] = {"-fdebug-prefix-map=", "-ffile-prefix-map="};
    const char *here = getcwd(NULL, 0), *mapped = here ? here : ".";

    for (int i = 0; i < 2 * options->count; i++) {
        const char *text = options->item[i / 2].text, *from = text + strlen(maps[i % 2]), *to;
        if (!starts_with(text, maps[i % 2]) || !(to = strchr(from, '=')))
            continue;
        if (here && strncmp(here, from, (size_t)(to - from)) == 0)
            mapped = format("%s%s", to + 1, here + (to - from));
    }
    return mapped;
}

/* No contraction, so that emulate agrees with sequential for any -O of the user.  No weak symbols, since the same names
   have other meanings in the cuda version and in other files.  */
static void emulate_args(const Options *options, const Config *config, Args *args)
{
    if (config->clang_cxx)
        fail("the emulate target needs GCC, and WSCC_CXX=%s is Clang", config->cxx);
    args_add_words(args, config->cxx);
    args_add_words(args, "-std=c++17 -ffp-contract=off -fno-exceptions -fno-threadsafe-statics -fno-rtti");
    args_add(args, emulate_level(options));
    if (options->debug) {
        args_add(args, "-g");
        args_add(args, format("-fdebug-prefix-map=%s=%s", temporary_folder(), mapped_folder(options)));
    }
    if (options->stepped)
        args_add(args, "-DWS_STEPPED");
    args_add_all(args, &options->device);
    args_add_all(args, &options->sanitize);
    args_add_words(args, "-fno-weak -isystem"); /* system headers are not reported to have own copies */
    args_add(args, config->emulate_include);
    args_add(args, "-x");
    args_add(args, "c++");
}

/* An object for both targets has launchers for each: ws_launch_f of the text becomes ws_cuda_launch_f in one.  */
static void rename_launchers(Target target, const char *cu, Args *args)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
    static const char prefix[] = "ws_launch_";
    const char *text = read_file(cu);

    for (const char *at = text; at && (at = strstr(at, prefix)); at += strlen(prefix)) {
        int length = (int)strspn(at, letters);
        if (at == text || !strchr(letters, at[-1]))
            args_add(args, format("-D%.*s=ws_%s_%.*s", length, at, target_names[target], length - 3, at + 3));
    }
}

/* `in_there`: the compiler runs in the temporary folder.  */
static void common_args(const Options *options, const Config *config, Target target, const char *cu, bool in_there,
                        Args *args)
{
    if (target == TARGET_CUDA)
        nvcc_args(options, config, in_there, args);
    else
        emulate_args(options, config, args);
    args_add(args, format("-I%s", config->common_include));
    args_add(args, format("-I%s", config->include));
    if (options->target == TARGET_BOTH) {
        args_add(args, "-DWS_BOTH_TARGETS");
        rename_launchers(target, cu, args);
    }
}

int device_compile(const Options *options, const Config *config, Target target, const char *cu, const char *object)
{
    Args args = {0};

    common_args(options, config, target, cu, true, &args);
    args_add(&args, "-c");
    args_add(&args, "-o");
    args_add(&args, base_name(object));
    args_add(&args, base_name(cu));
    return run(options, &args, temporary_folder());
}

/* ---- a .cu of the user ------------------------------------------------------------------------------------------- */

bool is_emitted(const char *text)
{
    return text && strstr(text, "#include <wsrt.cuh>");
}

void device_check(const Options *options, const char *path)
{
    if (options->target == TARGET_SEQUENTIAL)
        fail("%s is for a GPU or its emulation: use --ws-target=cuda or --ws-target=emulate", path);
    if (options->step > STEP_OBJECT)
        fail("%s is compiled to an object or a program, to nothing else", path);
    if (has_target(options->target, TARGET_EMULATE) && access(path, R_OK) == 0 && !is_emitted(read_file(path)))
        fail("%s does not include <wsrt.cuh>, as what wscc emits does: nothing else can be emulated", path);
}

/* Adds options that affect text: macros, headers, warnings.  */
static void add_user_options(const Options *options, Target target, Args *args)
{
    for (int i = 0; i < options->count; i++) {
        const Item *item = &options->item[i];
        const char *text = item->text;
        bool path = same(text, "-include") || same(text, "-isystem");
        bool warning = target == TARGET_EMULATE && (starts_with(text, "-W") || same(text, "-w"));
        if (item->kind != ITEM_OPTION || item->linker || starts_with(text, "-Wp,"))
            continue;
        if (!path && !warning && !starts_with(text, "-I") && !starts_with(text, "-D") && !starts_with(text, "-U"))
            continue;
        args_add(args, text);
        if (item->value)
            args_add(args, item->value);
    }
}

static void add_depend(const Options *options, const char *file, const char *goal, Args *args)
{
    args_add(args, "-MD");
    args_add(args, "-MF");
    args_add(args, file);
    args_add(args, "-MT");
    args_add(args, options->depend_name ? options->depend_name : goal);
    if (options->depend_phony)
        args_add(args, "-MP");
}

int device_compile_source(const Options *options, const Config *config, Target target, const char *cu,
                          const char *object, const char *depend, const char *goal)
{
    Args args = {0};

    common_args(options, config, target, cu, false, &args);
    add_user_options(options, target, &args);
    if (depend)
        add_depend(options, depend, goal, &args);
    args_add(&args, "-c");
    args_add(&args, "-o");
    args_add(&args, object);
    args_add(&args, cu);
    for (int i = 0; target == TARGET_CUDA && i < args.count; i++)
        if (!starts_with(args.item[i], "-D"))
            check_for_nvcc(args.item[i]);
    return run(options, &args, NULL);
}
