/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config.c - wscc.conf: lines of `key = value`, written by make.
 *
 * In a build tree wscc.conf lies beside wscc and names the build and source trees.  Installed it lies in the package's
 * library folder, with the paths of the configured prefix.  If wscc was found below another prefix (a moved
 * installation, or DESTDIR), the paths are relative to that one.  No environment variable changes them.
 */

#include "wscc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *key;
    size_t place;
    bool path;
} keys[] = {
    {"target", offsetof(Config, target), false},
    {"cc", offsetof(Config, cc), false},
    {"cc-version", offsetof(Config, cc_version), false},
    {"cxx", offsetof(Config, cxx), false},
    {"nvcc", offsetof(Config, nvcc), false},
    {"plugin", offsetof(Config, plugin), true},
    {"clang-frontend", offsetof(Config, frontend), true},
    {"clang", offsetof(Config, clang_program), false},
    {"include", offsetof(Config, include), true},
    {"common-include", offsetof(Config, common_include), true},
    {"cuda-include", offsetof(Config, cuda_include), true},
    {"emulate-include", offsetof(Config, emulate_include), true},
    {"libdir", offsetof(Config, libdir), true},
    {"cuda-libs", offsetof(Config, cuda_libs), false},
    {"runtime-libs", offsetof(Config, runtime_libs), false},
    {"bundle", offsetof(Config, bundle), true},
    {"gdb", offsetof(Config, gdb), true},
    {"python", offsetof(Config, python), true},
    {"page", offsetof(Config, page), true},
    {"fortran", offsetof(Config, fortran), true},
    {"solver", offsetof(Config, solver), true},
    {"machine", offsetof(Config, machine), true},
    {"stubs", offsetof(Config, stubs), true},
    {"mutation", offsetof(Config, mutation), true},
    {"interpreter", offsetof(Config, interpreter), true},
    {"interpreter-include", offsetof(Config, interpreter_include), true},
};
enum { NKEYS = sizeof keys / sizeof keys[0] };

static const char **field(Config *config, int key)
{
    return (const char **)(void *)((char *)config + keys[key].place);
}

/* The prefix of this wscc: its folder without the part that --bindir adds to --prefix.  */
static char *actual_prefix(const char *folder)
{
    const char *below = starts_with(WSC_BINDIR, WSC_PREFIX "/") ? WSC_BINDIR + strlen(WSC_PREFIX) : "";
    size_t length = strlen(folder), tail = strlen(below);

    if (tail == 0 || length < tail || !same(folder + length - tail, below))
        return format("%s", WSC_PREFIX);
    return format("%.*s", (int)(length - tail), folder);
}

static char *moved(const char *path, const char *prefix)
{
    if (!starts_with(path, WSC_PREFIX "/"))
        return format("%s", path);
    return format("%s%s", prefix, path + strlen(WSC_PREFIX));
}

static char *trimmed(char *text)
{
    char *end = text + strlen(text);

    text += strspn(text, " \t");
    while (end > text && strchr(" \t\r", end[-1]))
        *--end = '\0';
    return text;
}

static void read_line(Config *config, char *line, const char *prefix)
{
    char *equals = strchr(line, '=');

    if (*line == '#' || !equals)
        return;
    *equals = '\0';
    const char *key = trimmed(line), *value = trimmed(equals + 1);
    for (int i = 0; i < NKEYS; i++)
        if (same(key, keys[i].key))
            *field(config, i) = keys[i].path && prefix ? moved(value, prefix) : value;
}

static const char *self_path(void)
{
    char *path = realpath("/proc/self/exe", NULL);

    return path ? path : format("%s/wscc", WSC_BINDIR);
}

/* True if the compiler is Clang, which would reject GCC's own options, for instance plugins, with misleading
   messages.  */
static bool is_clang(const char *compiler)
{
    Args args = {0};

    args_add_words(&args, compiler);
    args_add_words(&args, "-dM -E -x c /dev/null");
    return strstr(format("\n%s", output_of(&args, NULL, TAKE_OUTPUT)), "\n#define __clang__ ") != NULL;
}

/* "gcc (Debian 12.2.0-14+deb12u1) 12.2.0" from its second word on: GCC loads no plugin of another build.  */
char *compiler_version(const char *compiler)
{
    Args args = {0};

    args_add_words(&args, compiler);
    args_add(&args, "--version");
    char *line = output_of(&args, NULL, TAKE_OUTPUT);
    line[strcspn(line, "\n")] = '\0';
    const char *blank = strchr(line, ' ');
    return format("%s", blank ? blank + 1 : "");
}

/* The library folder of an nvcc that configure has not seen, as for packages of WSC.  */
static const char *cuda_libs_of(const char *nvcc)
{
    static const char *const folders[] = {"lib64", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"};
    static const char libs[] = "-lcudart_static -ldl -lrt -lpthread";
    char *path = strchr(nvcc, '/') ? realpath(nvcc, NULL) : NULL;

    for (int i = 0; path && i < 2 && strchr(path, '/'); i++)
        *strrchr(path, '/') = '\0';
    for (size_t i = 0; path && i < sizeof folders / sizeof folders[0]; i++)
        if (access(format("%s/%s/libcudart_static.a", path, folders[i]), R_OK) == 0)
            return format("-L%s/%s %s", path, folders[i], libs);
    return libs;
}

void config_load(Config *config)
{
    config->clang = config->clang_cxx = false;
    config->self = self_path();
    for (int i = 0; i < NKEYS; i++)
        *field(config, i) = "";

    char *folder = format("%.*s", (int)(base_name(config->self) - config->self - 1), config->self);
    char *prefix = NULL, *path = format("%s/wscc.conf", folder);
    char *text = read_file(path);
    if (!text) {
        prefix = actual_prefix(folder);
        path = moved(WSC_CONF, prefix);
        text = read_file(path);
    }
    if (!text)
        fail("cannot read %s; is wsc installed as a whole?", path);

    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(config, line, prefix);
    if (access(config->frontend, X_OK) != 0)
        config->frontend = ""; /* the front end comes in a package of its own */
    if (!*config->plugin && !*config->frontend)
        config->target = "sequential"; /* no other target is left */

    const char *chosen;
    if ((chosen = getenv("WSCC_CC")) && *chosen)
        config->clang = is_clang(config->cc = chosen);
    if ((chosen = getenv("WSCC_CXX")) && *chosen)
        config->clang_cxx = is_clang(config->cxx = chosen);
    if ((chosen = getenv("WSCC_NVCC")) && *chosen) {
        config->nvcc = chosen;
        if (!*config->cuda_libs)
            config->cuda_libs = cuda_libs_of(chosen);
    }
}
