/* SPDX-License-Identifier: GPL-3.0-or-later */
/* print.c - answers to build systems, and --ws-bundle.  */

#include "wscc.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same_file(const char *path, const struct stat *other)
{
    struct stat file;

    return stat(path, &file) == 0 && file.st_dev == other->st_dev && file.st_ino == other->st_ino;
}

/* Asks the loader's cache, not its list of folders: the loader does not find a library that was added after the last
   ldconfig.  */
static bool loader_finds(const char *libdir)
{
    struct stat library;
    Args args = {0}, environment = {0};
    const char *path = getenv("PATH");
    char *rest = NULL;

    if (stat(format("%s/libwsrt.so", libdir), &library) != 0)
        return false;
    args_add_words(&args, "ldconfig -p");
    args_add(&environment, format("PATH=%s:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin"));
    /* "<tab>NAME (ABI) => PATH", in the loader's order.  */
    char *lines = output_of(&args, &environment, TAKE_OUTPUT);
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *found = strstr(line, " => ");
        if (found && starts_with(line, "\tlibwsrt.so."))
            return same_file(found + 4, &library);
    }
    return false;
}

void link_libs(const Config *config, Target target, bool is_static, Args *libs)
{
    args_add(libs, format("-L%s", config->libdir));
    if (!is_static && !loader_finds(config->libdir))
        args_add(libs, format("-Wl,-rpath,%s", config->libdir));
    args_add(libs, "-lwsrt");
    args_add_words(libs, config->runtime_libs); /* emulated code calls the mathematical functions, too */
    if (has_target(target, TARGET_CUDA))
        args_add_words(libs, config->cuda_libs);
}

/* ---- fingerprint: FNV-1a over everything besides the source that determines the object --------------------------- */

static void hash_bytes(uint64_t *hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < length; i++)
        *hash = (*hash ^ byte[i]) * UINT64_C(1099511628211);
}

static void hash_file(const char *path, void *context)
{
    FILE *file = fopen(path, "rb");
    char part[65536];

    hash_bytes(context, base_name(path), strlen(base_name(path)) + 1);
    if (!file)
        return;
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
        hash_bytes(context, part, got);
    fclose(file);
}

static void hash_version(const Args *compiler, uint64_t *hash)
{
    Args args = {0};

    if (!compiler->count)
        return;
    args_add_all(&args, compiler);
    args_add(&args, "--version");
    const char *text = output_of(&args, NULL, TAKE_OUTPUT);
    hash_bytes(hash, text, strlen(text));
}

char *fingerprint(const Config *config)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    const char *const programs[] = {config->plugin, config->frontend, config->solver, config->machine};

    hash_bytes(&hash, config->target, strlen(config->target));
    hash_file(config->self, &hash);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (*programs[i])
            hash_file(programs[i], &hash);
    each_header(config->include, hash_file, &hash);
    each_header(format("%s/ws", config->include), hash_file, &hash);
    each_header(config->common_include, hash_file, &hash);
    each_header(format("%s/gpus", config->common_include), hash_file, &hash);
    each_header(config->cuda_include, hash_file, &hash);
    each_header(format("%s/mma", config->cuda_include), hash_file, &hash);
    each_header(config->emulate_include, hash_file, &hash);
    const char *const compilers[] = {config->cc, config->cxx, config->nvcc};
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        Args words = {0};
        args_add_words(&words, compilers[i]);
        hash_version(&words, &hash);
    }
    Args frontend = {0};
    if (*config->frontend)
        args_add(&frontend, config->frontend);
    hash_version(&frontend, &hash); /* the libclang that it has found */
    return format("wsc-%s-%016llx", WSC_VERSION, (unsigned long long)hash);
}

static int print_fingerprint(const Options *options, const Config *config)
{
    Config asked = *config;

    asked.target = target_names[options->target];
    puts(fingerprint(&asked));
    return 0;
}

void print_version(const Config *config)
{
    printf("wscc (WSC) %s, default target %s\n", WSC_VERSION, config->target);
}

/* A shell or make reads the answers and splits words: all special characters get a backslash.  */
static void print_word(const char *word)
{
    for (; *word; word++) {
        if (!isalnum((unsigned char)*word) && !strchr("-_./,=+:@%~", *word) && !(*word & 0x80))
            putchar('\\');
        putchar(*word);
    }
}

static int print_args(const Args *args)
{
    for (int i = 0; i < args->count; i++) {
        if (i)
            putchar(' ');
        print_word(args->item[i]);
    }
    putchar('\n');
    return 0;
}

/* Adds the files that wsc-run and wsc-mutate ask for.  */
static void add_tools(const Config *config, Args *args)
{
    args_add(args, config->stubs);
    args_add(args, config->mutation);
    args_add(args, config->interpreter);
    args_add(args, config->interpreter_include);
}

int print_answer(const Options *options, const Config *config)
{
    Args args = {0};

    if (same(options->print, "fingerprint"))
        return print_fingerprint(options, config);
    if (same(options->print, "target"))
        args_add(&args, target_names[options->target]);
    else if (same(options->print, "cflags"))
        args_add(&args, format("-I%s", config->include));
    else if (same(options->print, "libs"))
        link_libs(config, options->target, options->is_static, &args);
    else if (same(options->print, "cuda-libs"))
        link_libs(config, TARGET_CUDA, options->is_static, &args);
    else if (same(options->print, "fortran"))
        args_add(&args, config->fortran);
    else if (same(options->print, "gdb"))
        args_add(&args, config->gdb);
    else if (same(options->print, "tools"))
        add_tools(config, &args);
    else
        fail("--ws-print knows target, cflags, libs, cuda-libs, fortran, gdb, tools and fingerprint, not '%s'",
             options->print);
    return print_args(&args);
}

/* ---- bundle ------------------------------------------------------------------------------------------------------ */

static void copy(const char *from, const char *to)
{
    char *text = read_file(from);
    FILE *file;

    if (!text)
        fail("cannot read %s: %s", from, strerror(errno));
    output_claim(to);
    file = fopen(to, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail("cannot write %s: %s", to, strerror(errno));
}

int bundle_copy(const Config *config, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        fail("cannot make %s: %s", folder, strerror(errno));
    copy(format("%s/ws.h", config->bundle), format("%s/ws.h", folder));
    copy(format("%s/ws.c", config->bundle), format("%s/ws.c", folder));
    outputs_keep();
    return 0;
}
