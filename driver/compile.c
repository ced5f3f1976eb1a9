/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compile.c - one C source to one object.
 *
 *   gemm.c --host compiler, plugin--> gemm.o, calls ws_launch_gemm
 *                        |
 *                        +--> gemm.cu --nvcc, or g++ for emulate, or both--> device objects
 *
 *   gemm.o + device objects --cc -r--> merged.o --rename--> the user's gemm.o
 *
 * The plugin writes the .cu only for a file with a grid region and without errors; otherwise the first line is the
 * whole compile.  All files are in the temporary folder until the last step.  So the object either has its kernels or
 * does not exist, even after a signal.  GCC is told the names of .gcno and .dwo files.  Clang derives them from its
 * output, and gets the user's output if it has to write some.
 */

#include "wscc.h"
#include "target/architecture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file names of one compile.  */
typedef struct {
    const char *stem;   /* of the object, or of the source */
    const char *safe;   /* `stem` in plain characters, for temporaries */
    const char *object; /* output of the host compiler; NULL: it chooses */
    const char *place;  /* final place of the object; NULL: it is there already */
    const char *depend; /* its -MD output, or NULL */
    const char *depend_place;
    const char *cu;   /* output of the plugin, in the temporary folder; NULL: none */
    const char *kept; /* the user's copy of it, or NULL */
    const char *host; /* the source rewritten by the clang front end; NULL: the host compiler reads the source itself */
    bool preprocessed; /* the source has no directives any more */
} Names;

static bool links(const Options *options)
{
    return options->step == STEP_LINK;
}

/* GCC's names for files beside a program: "prog", or "prog-part" for one source of several.  */
static const char *beside_program(const Options *options, const char *linked, const char *stem, const char *suffix)
{
    if (options->sources == 1)
        return with_suffix(linked, suffix);
    return with_suffix(format("%s-%s.o", with_suffix(linked, ""), stem), suffix);
}

static const char *kept_name(const Options *options, const Names *names, const char *linked)
{
    if (!options->keep && !options->save_temps)
        return NULL;
    if (linked)
        return beside_program(options, linked, names->stem, ".cu");
    const char *object = names->place ? names->place : names->object;
    if (object && is_plain(object))
        return with_suffix(object, ".cu");
    return format("%s.cu", names->stem);
}

/* A name that neither nvcc's shell nor a list of options misinterprets.  */
static char *safe_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+";
    char *safe = format("%s%s", *name == '-' ? "_" : "", name);

    for (char *at = safe; *at; at++)
        if (!strchr(letters, *at))
            *at = '_';
    return safe;
}

/* True for -MD and -MMD, which the compiler's driver sees, unlike -Wp,-MD.  */
static bool asks_for_depends(const Options *options)
{
    for (int i = 0; i < options->count; i++)
        if (same(options->item[i].text, "-MD") || same(options->item[i].text, "-MMD"))
            return true;
    return false;
}

static Names names_for(const Options *options, const Item *source, const char *object, const char *linked)
{
    Names names = {.object = object};
    const char *base = same(source->text, "-") ? "stdin" : base_name(source->text);

    names.stem = with_suffix(object && !linked ? base_name(object) : base, "");
    names.safe = safe_name(names.stem);
    if (options->depend && options->step <= STEP_ASSEMBLY) {
        if (options->depend_file)
            names.depend = options->depend_file;
        else if (linked)
            names.depend = beside_program(options, linked, names.stem, ".d");
        else
            names.depend = object ? with_suffix(object, ".d") : format("%s.d", names.stem);
    }
    if (options->target != TARGET_SEQUENTIAL && options->step <= STEP_ASSEMBLY) {
        names.cu = format("%s/%s.cu", temporary_folder(), names.safe);
        names.kept = kept_name(options, &names, linked);
    }
    return names;
}

/* True if Clang writes files beside the object that have its name.  */
static bool names_after_output(const Options *options)
{
    static const char *const some[] = {"--coverage",    "-coverage",      "-ftest-coverage",
                                       "-gsplit-dwarf", "-ftime-trace",   "-fsave-optimization-record",
                                       "-fstack-usage", "-fprofile-arcs", "-save-temps",
                                       "--save-temps"};

    for (int i = 0; i < options->count; i++)
        for (size_t j = 0; j < sizeof some / sizeof some[0]; j++)
            if (options->item[i].kind == ITEM_OPTION && starts_with(options->item[i].text, some[j]))
                return true;
    return false;
}

/* True if two names are one file.  */
static bool is_one_file(const char *path, const char *other)
{
    struct stat one, two;

    return stat(path, &one) == 0 && stat(other, &two) == 0 && S_ISREG(one.st_mode) && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

/* Objects that get kernels, and their lists of headers, are made in the temporary folder.  */
static void make_elsewhere(const Options *options, const Config *config, const Item *source, Names *names)
{
    if (is_one_file(names->object, source->text))
        fail("%s would be written over itself", source->text);
    if ((config->clang || by_clang(options, config)) && !source->emitted && names_after_output(options)) {
        output_claim(names->object);
        return;
    }
    output_replaces(names->object);
    names->place = names->object;
    names->object = format("%s/%s.host.o", temporary_folder(), names->safe);
    if (names->depend && is_plain(names->depend) && (source->emitted || asks_for_depends(options))) {
        output_replaces(names->depend);
        names->depend_place = names->depend;
        names->depend = format("%s/%s.d", temporary_folder(), names->safe);
    }
}

/* The last step.  The object is renamed last: a reader of the object finds all other files.  */
static void publish(const Names *names)
{
    if (names->depend_place)
        output_publish(names->depend, names->depend_place);
    if (names->place)
        output_publish(names->object, names->place);
}

/* ---- the host compiler ------------------------------------------------------------------------------------------- */

/* Checks the version before GCC loads the plugin: GCC's own message for another version names symbols.  The sequential
   target needs no plugin.  */
static bool fits_plugin(const Options *options, const Config *config)
{
    const char *version = *config->cc_version ? compiler_version(config->cc) : "";

    if (!*version || same(version, config->cc_version))
        return true;
    if (options->target != TARGET_SEQUENTIAL || options->dump)
        fail("wsc was built for GCC %s, and %s is now GCC %s: configure, build and install wsc again; "
             "--ws-target=sequential works without",
             config->cc_version, config->cc, version);
    return false;
}

/* The folder of the output: of the object, or of the program that contains it.  */
static const char *folder_of(const Options *options, const Names *names)
{
    const char *object = names->place ? names->place : names->object;
    const char *made = options->output ? options->output : object && !links(options) ? object : "";
    const char *base = base_name(made);
    return base == made ? "." : format("%.*s", (int)(base - made), made);
}

/* The table of an earlier tuning beside the output, or the file of --ws-tuned; or NULL.  */
static const char *tuned_table(const Options *options, const Names *names)
{
    const char *object = names->place ? names->place : names->object;
    const char *made = options->output ? options->output : links(options) ? "a.out" : object;
    const char *beside = made ? format("%s.tuned", made) : NULL;
    if (options->tuned)
        return options->tuned;
    return beside && access(beside, R_OK) == 0 ? beside : NULL;
}

/* The machine file of the solver describes the default GPU.  */
static bool has_solver(const Options *options, const Config *config)
{
    return same(options->gpu, WSC_ARCHITECTURE) && *config->solver && access(config->solver, X_OK) == 0;
}

bool by_clang(const Options *options, const Config *config)
{
    bool alone = config->clang || !*config->plugin; /* the only front end */
    return options->clang || (alone && !options->gcc && *config->frontend);
}

/* GCC rejects a second '=' in an argument of a plugin, and then drops all arguments: it is written %3D, and % as
   %25.  */
static void tell_plugin(Args *args, const char *key, const char *value)
{
    char *text = value ? format("-fplugin-arg-wsc-%s=", key) : NULL;

    if (!text)
        return;
    for (; *value; value++)
        text =
            *value == '=' || *value == '%' ? format("%s%%%02X", text, (unsigned)*value) : format("%s%c", text, *value);
    args_add(args, text);
}

static void add_plugin(const Options *options, const Config *config, const Names *names, Args *args)
{
    if (!*config->plugin || by_clang(options, config))
        return;
    if (config->clang) {
        if (options->target != TARGET_SEQUENTIAL)
            fail("the %s target needs GCC, and WSCC_CC=%s is Clang: kernels are compiled by a plugin of GCC's; "
                 "--ws-target=sequential takes any compiler",
                 target_names[options->target], config->cc);
        return;
    }
    if (!fits_plugin(options, config))
        return;
    args_add(args, format("-fplugin=%s", config->plugin));
    args_add(args, "-DWS_CHOICES_");
    tell_plugin(args, "target", target_names[options->target]);
    if (!same(options->gpu, WSC_ARCHITECTURE))
        tell_plugin(args, "gpu", options->gpu);
    tell_plugin(args, "output", names->cu);
    tell_plugin(args, "dump", options->dump);
    if (has_solver(options, config)) {
        tell_plugin(args, "solver", config->solver);
        tell_plugin(args, "machine", config->machine);
    }
    tell_plugin(args, "schedules", folder_of(options, names));
    tell_plugin(args, "schedule", options->schedule);
    tell_plugin(args, "tuned", tuned_table(options, names));
    if (options->strict)
        args_add(args, "-fplugin-arg-wsc-strict");
    if (options->ids)
        args_add(args, "-fplugin-arg-wsc-ids");
    if (options->debug || options->page)
        args_add(args, "-fplugin-arg-wsc-lines");
    if (options->stepped)
        args_add(args, "-fplugin-arg-wsc-steps");
    if (options->traced)
        args_add(args, "-fplugin-arg-wsc-traced");
    if (options->show)
        args_add(args, "-fplugin-arg-wsc-show");
    if (options->python)
        tell_plugin(args, "signatures", python_signatures());
}

void add_plugin_for_cxx(const Config *config, Args *args)
{
    if (!*config->plugin || config->clang || !same(compiler_version(config->cc), config->cc_version))
        return;
    args_add(args, format("-fplugin=%s", config->plugin));
    args_add(args, "-fplugin-arg-wsc-target=sequential");
}

/* If the preprocessor runs on its own, it writes the dependences.  */
static bool is_about_depends(const Item *item)
{
    return starts_with(item->text, "-M") || starts_with(item->text, "-Wp,-M");
}

static void add_options_of(const Options *options, bool preprocessed, Args *args)
{
    for (int i = 0; i < options->count; i++) {
        const Item *item = &options->item[i];
        if (item->kind != ITEM_OPTION || (item->linker && links(options)) || (preprocessed && is_about_depends(item)))
            continue;
        args_add(args, item->text);
        if (item->value)
            args_add(args, item->value);
    }
}

/* GCC's -flto=1 is none of Clang's options, except in front of this one.  */
static void add_no_bitcode(const Options *options, Args *args)
{
    if (options->lto)
        args_add(args, "-fno-lto");
}

static void add_options(const Options *options, Args *args)
{
    add_options_of(options, false, args);
}

/* If a link follows, the object is a temporary.  These options give files beside it the names that GCC would use.  */
static void add_dump_names(const Options *options, const Item *source, const char *linked, Args *args)
{
    const char *dot = strrchr(base_name(source->text), '.');

    args_add(args, "-dumpdir");
    args_add(args, format("%s-", options->output ? with_suffix(linked, "") : "a"));
    args_add(args, "-dumpbase");
    args_add(args, base_name(source->text));
    if (dot) {
        args_add(args, "-dumpbase-ext");
        args_add(args, dot);
    }
}

static void add_linked_names(const Options *options, const Config *config, const Item *source, const Names *names,
                             const char *linked, Args *args)
{
    args_add(args, "-c");
    if (!config->clang && !names->preprocessed)
        add_dump_names(options, source, linked, args);
    if (names->depend && !options->depend_name && !names->preprocessed) {
        args_add(args, "-MQ");
        args_add(args, options->output ? linked : format("%s.o", names->stem));
    }
}

/* For an object in the temporary folder: names of files beside it, and the target of its rule, as GCC would choose
   them.  */
static void add_place_names(const Options *options, const Config *config, const Names *names, Args *args)
{
    const char *base = base_name(names->place);
    bool folder = false, file = false;

    if (names->depend && !options->depend_name && !names->preprocessed && asks_for_depends(options)) {
        args_add(args, "-MQ");
        args_add(args, names->place);
    }
    if (config->clang || names->preprocessed)
        return;
    for (int i = 0; i < options->count; i++) {
        folder |= same(options->item[i].text, "-dumpdir");
        file |= same(options->item[i].text, "-dumpbase");
    }
    if (!folder) {
        args_add(args, "-dumpdir");
        args_add(args, format("%.*s", (int)(base - names->place), names->place));
    }
    if (!file) {
        args_add(args, "-dumpbase");
        args_add(args, format("%s.c", with_suffix(base, "")));
        args_add(args, "-dumpbase-ext");
        args_add(args, ".c");
    }
}

/* The last -MF takes precedence.  */
static void add_depend_file(const Options *options, const Names *names, Args *args)
{
    if (names->depend && (names->depend_place || !options->depend_file)) {
        args_add(args, "-MF");
        args_add(args, names->depend);
    }
}

/* Regions may be in macros or in included files.  Clang cannot read another compiler's preprocessed system headers.  */
static int preprocess(const Options *options, const Config *config, const Item *source, const Names *names,
                      const char *linked, const char *text)
{
    Args args = {0};

    args_add_words(&args, config->clang ? config->cc : config->clang_program);
    args_add(&args, "-E");
    args_add(&args, "-DWS_CHOICES_");
    add_options(options, &args);
    add_no_bitcode(options, &args);
    args_add(&args, format("-I%s", config->include));
    add_depend_file(options, names, &args);
    if (names->depend && !options->depend_name) {
        args_add(&args, "-MQ");
        args_add(&args, options->output && linked ? linked
                        : linked                  ? format("%s.o", names->stem)
                        : names->place            ? names->place
                                                  : names->object);
    }
    args_add(&args, "-o");
    args_add(&args, text);
    args_add(&args, "-x");
    args_add(&args, source->language ? source->language : "c");
    args_add(&args, source->text);
    return run(options, &args, NULL);
}

static int run_frontend(const Options *options, const Config *config, const Item *source, Names *names,
                        const char *text, const char *host)
{
    Args args = {0};

    args_add(&args, config->frontend);
    args_add(&args, format("--target=%s", target_names[options->target]));
    if (!same(options->gpu, WSC_ARCHITECTURE))
        args_add(&args, format("--gpu=%s", options->gpu));
    if (text)
        args_add(&args, format("--source=%s", source->text));
    if (names->cu)
        args_add(&args, format("--output=%s", names->cu));
    args_add(&args, format("--host=%s", host));
    if (options->dump)
        args_add(&args, format("--dump=%s", options->dump));
    if (has_solver(options, config)) {
        args_add(&args, format("--solver=%s", config->solver));
        args_add(&args, format("--machine=%s", config->machine));
    }
    args_add(&args, format("--schedules=%s", folder_of(options, names)));
    if (options->schedule)
        args_add(&args, format("--schedule=%s", options->schedule));
    if (options->strict)
        args_add(&args, "--strict");
    if (options->ids)
        args_add(&args, "--ids");
    if (options->debug || options->page)
        args_add(&args, "--lines");
    if (options->show)
        args_add(&args, "--show");
    if (options->traced)
        args_add(&args, "--traced");
    args_add(&args, "--");
    args_add(&args, text ? text : source->text);
    add_options_of(options, true, &args); /* otherwise libclang writes a list of headers, too */
    add_no_bitcode(options, &args);
    args_add(&args, format("-I%s", config->include));
    unlink(host);
    int status = run(options, &args, NULL);
    if (status == 0 && access(host, R_OK) == 0)
        names->host = host;
    return status;
}

/* True if a C++ source has a kernel; the front end has reported it.  */
bool refused_cxx(const Options *options, const Config *config, const Item *source)
{
    Args args = {0};

    args_add(&args, config->frontend);
    args_add(&args, "--cxx");
    args_add(&args, "--");
    args_add(&args, source->text);
    add_options(options, &args);
    args_add(&args, format("-I%s", config->include));
    return run(options, &args, NULL) != 0;
}

/* Extracts the regions to the .cu, and rewrites the source to call their launchers.  */
static int compile_regions(const Options *options, const Config *config, const Item *source, const char *linked,
                           Names *names)
{
    enum { WANTS_PREPROCESSED = 3 };
    const char *text = format("%s/%s.i", temporary_folder(), names->safe);
    int status =
        run_frontend(options, config, source, names, NULL, format("%s/%s.host.c", temporary_folder(), names->safe));

    if (status != WANTS_PREPROCESSED)
        return status;
    status = preprocess(options, config, source, names, linked, text);
    if (status != 0)
        return status;
    names->preprocessed = true;
    names->host = text;
    return run_frontend(options, config, source, names, text, format("%s/%s.host.i", temporary_folder(), names->safe));
}

static const char *folder_around(const char *path)
{
    int length = (int)(base_name(path) - path);

    return length ? format("%.*s", length, path) : ".";
}

/* The make rule names the file that the host compiler has read; this replaces it by the user's source.  */
static void name_source(const Names *names, const Item *source)
{
    char *text = read_file(names->depend), *at = text ? strstr(text, names->host) : NULL;
    FILE *file = at ? fopen(names->depend, "w") : NULL;

    if (!file)
        return;
    fprintf(file, "%.*s%s%s", (int)(at - text), text, source->text, at + strlen(names->host));
    if (fclose(file) != 0)
        fail("cannot write %s: %s", names->depend, strerror(errno));
}

static void add_source(const Item *source, const Names *names, Args *args)
{
    const char *language = names->preprocessed ? "cpp-output" : source->language;

    if (names->host && !names->preprocessed) {
        args_add(args, "-iquote");
        args_add(args, folder_around(source->text));
    }
    if (language) {
        args_add(args, "-x");
        args_add(args, language);
    }
    args_add(args, names->host ? names->host : source->text);
}

static int compile_host(const Options *options, const Config *config, const Item *source, const Names *names,
                        const char *linked)
{
    Args args = {0};

    args_add_words(&args, names->preprocessed && !config->clang ? config->clang_program : config->cc);
    add_plugin(options, config, names, &args);
    if (names->preprocessed)
        args_add_words(&args, "-Qunused-arguments -w"); /* the front end has warned */
    add_options_of(options, names->preprocessed, &args);
    if (config->clang ? names->cu && access(names->cu, R_OK) == 0 : names->preprocessed)
        add_no_bitcode(options, &args); /* which neither GCC's linker nor clang -r takes */
    args_add(&args, format("-I%s", config->include));
    if (options->python)
        args_add(&args, "-fPIC");
    if (linked)
        add_linked_names(options, config, source, names, linked, &args);
    if (names->place)
        add_place_names(options, config, names, &args);
    if (!names->preprocessed)
        add_depend_file(options, names, &args);
    if (names->object) {
        args_add(&args, "-o");
        args_add(&args, names->object);
    }
    add_source(source, names, &args);
    return run(options, &args, NULL);
}

/* ---- the emitted code -------------------------------------------------------------------------------------------- */

/* Only files that an earlier run has emitted may be replaced: a gemm.cu beside gemm.o could be the user's own.  */
static bool may_replace(const char *path)
{
    return access(path, F_OK) != 0 || is_emitted(read_file(path));
}

/* Writes the text without the lines for debuggers.  */
static bool write_readable(FILE *file, const char *text)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\n");
        length += text[length] == '\n';
        if (!starts_with(text, "#line ") && fwrite(text, 1, length, file) != length)
            return false;
    }
    return true;
}

static void keep_copy(const Names *names)
{
    if (!may_replace(names->kept))
        fail("%s is there and was not emitted by wsc; it is left as it is", names->kept);
    char *text = read_file(names->cu);
    FILE *file = text ? fopen(names->kept, "w") : NULL;
    if (!file || !write_readable(file, text) || fclose(file) != 0)
        fail("cannot write %s: %s", names->kept, strerror(errno));
}

/* `cc -r`, because ld -r of an LTO object and a native object drops symbols silently.  */
static int merge(const Options *options, const Config *config, const Args *parts, Names *names)
{
    Args args = {0};
    const char *merged = format("%s/%s.merged.o", temporary_folder(), names->safe);

    args_add_words(&args, config->cc);
    args_add_words(&args, "-r -nostdlib");
    if (options->lto && !config->clang)
        args_add(&args, "-flinker-output=nolto-rel");
    args_add(&args, "-o");
    args_add(&args, merged);
    args_add_all(&args, parts);
    int status = run(options, &args, NULL);
    if (status != 0)
        return status;
    if (names->place)
        names->object = merged;
    else
        output_publish(merged, names->object);
    return 0;
}

static const Target device_targets[] = {TARGET_CUDA, TARGET_EMULATE};

static const char *device_object(const Names *names, Target target)
{
    return format("%s/%s.%s.o", temporary_folder(), names->safe, target_names[target]);
}

static int add_region(const Options *options, const Config *config, Names *names)
{
    Args parts = {0};
    int status = 0;

    if (names->kept)
        keep_copy(names);
    if (options->page)
        page_emitted(names->cu);
    if (options->step == STEP_ASSEMBLY) {
        complain("note", "assembly of the host part only; the kernels of %s are in its .cu (--ws-keep)", names->stem);
        return 0;
    }
    /* The file's time is copied into line tables.  */
    utimensat(AT_FDCWD, names->cu, (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0);
    args_add(&parts, names->object);
    for (int i = 0; i < 2 && status == 0; i++)
        if (has_target(options->target, device_targets[i])) {
            const char *part = device_object(names, device_targets[i]);
            args_add(&parts, part);
            status = device_compile(options, config, device_targets[i], names->cu, part);
        }
    if (status == NOT_STARTED || status == NOT_ENDED)
        return status;
    if (status != 0) {
        complain("error", "the emitted code does not compile; please report this%s%s", names->kept ? " with " : "",
                 names->kept ? names->kept : "");
        return status;
    }
    return merge(options, config, &parts, names);
}

/* Compiles a .cu of the user.  */
static int compile_emitted(const Options *options, const Config *config, const Item *source, Names *names,
                           const char *linked)
{
    const char *object = names->place ? names->place : names->object;
    const char *goal = linked && options->output ? linked : linked ? format("%s.o", names->stem) : object;
    Args parts = {0};
    int status = 0;

    device_check(options, source->text);
    for (int i = 0; i < 2 && status == 0; i++)
        if (has_target(options->target, device_targets[i])) {
            const char *part = options->target == TARGET_BOTH ? device_object(names, device_targets[i]) : names->object;
            args_add(&parts, part);
            status = device_compile_source(options, config, device_targets[i], source->text, part, names->depend, goal);
        }
    if (status == 0 && names->depend)
        depend_extend(options, config, names->depend, true);
    if (status == 0 && options->target == TARGET_BOTH)
        status = merge(options, config, &parts, names);
    return status;
}

static int compile_c(const Options *options, const Config *config, const Item *source, Names *names, const char *linked)
{
    int status = compile_host(options, config, source, names, linked);

    if (status != 0)
        return status;
    if (names->host && names->depend && !names->preprocessed)
        name_source(names, source);
    bool region = names->cu && access(names->cu, R_OK) == 0;
    if (region)
        status = add_region(options, config, names);
    if (status == 0 && names->depend)
        depend_extend(options, config, names->depend, region);
    return status;
}

int compile_source(const Options *options, const Config *config, const Item *source, const char *object,
                   const char *linked)
{
    Names names = names_for(options, source, object, linked);
    int status = 0;

    if (names.cu)
        unlink(names.cu); /* two sources of one name in one command */
    if (names.object && names.cu && !linked && options->step == STEP_OBJECT)
        make_elsewhere(options, config, source, &names);
    else if (names.object)
        output_claim(names.object);
    if (names.depend && !names.depend_place)
        output_claim(names.depend);
    if (!source->emitted && by_clang(options, config))
        status = compile_regions(options, config, source, linked, &names);
    if (status == 0)
        status = source->emitted ? compile_emitted(options, config, source, &names, linked)
                                 : compile_c(options, config, source, &names, linked);
    if (status == 0)
        publish(&names);
    if (status == 0 && !linked)
        outputs_keep();
    return status;
}
