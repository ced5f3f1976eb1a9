/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps read back to themselves after each pass; texts that are none are refused with a line, and none breaks the
   reader. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lower.h"
#include "ir/check.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "target/machine.h"

static char last_message[400];
static int last_line;

static void remember(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    if (kind != DIAG_ERROR)
        return;
    last_line = loc.line;
    snprintf(last_message, sizeof last_message, "%s", message);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const char *folder(void)
{
    static char path[1000];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/lowering", top ? top : ".");
    return path;
}

static char *read_file(const char *name)
{
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, in) > 0);
    fclose(in);
    return text;
}

static void each_file(void (*use)(const char *name, const char *text))
{
    DIR *files = opendir(folder());
    int count = 0;
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files));) {
        const char *dot = strrchr(file->d_name, '.');
        if (!dot || strcmp(dot, ".ir"))
            continue;
        char *text = read_file(file->d_name);
        use(file->d_name, text);
        free(text);
        count++;
    }
    closedir(files);
    assert_true(count >= 10);
}

static char *printed(const Module *module)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (const Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        ir_print(out, kernel, NULL);
    fclose(out);
    return text;
}

/* ---- round trips ------------------------------------------------------------------------------------------------- */

static void reads_back(const char *name, const char *pass, const Module *module)
{
    char *once = printed(module);
    *last_message = 0;
    Module *again = ir_parse(once, name, &machine_hopper, remember, NULL);
    if (!again)
        fail_msg("%s after %s: line %d: %s\n%s", name, pass, last_line, last_message, once);
    char *twice = printed(again);
    for (Kernel *kernel = again->kernels; kernel; kernel = kernel->next)
        if (!ir_check(kernel))
            fail_msg("%s after %s: %s", name, pass, last_message);
    if (strcmp(once, twice))
        fail_msg("%s after %s:\n%s---- and again\n%s", name, pass, once, twice);
    module_free(again);
    free(once);
    free(twice);
}

static void one_round_trip(const char *name, const char *text)
{
    Module *module = ir_parse(text, name, &machine_hopper, remember, NULL);
    if (!module)
        fail_msg("%s:%d: %s", name, last_line, last_message);
    bool has_programs = module->kernels->roles;
    for (int pass = has_programs ? find_pass("plan") : 0; pass < npasses && !module->failed; pass++) {
        lower_range(module, pass, pass, NULL, NULL);
        if (!module->failed)
            reads_back(name, passes[pass].name, module);
    }
    module_free(module);
}

static void a_dump_reads_back_after_each_pass(void **state)
{
    (void)state;
    each_file(one_round_trip);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void an_error_names_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *said;
    } cases[] = {
        {"colonel k() {}", 1, "expected 'kernel', found 'colonel'"},
        {"kernel k(%n: i33) {}", 1, "'i33' is not a type"},
        {"kernel k() grid(1) fast {}", 1, "'fast' is not a clause"},
        {"kernel k() {\n  body {\n", 3, "the end of the text"},
        {"kernel k() {\n  body {\n    %x = scalar_add %y, 1\n  }\n}", 3, "%y is not defined here"},
        {"kernel k(%y: i32) {\n  body {\n    %x = sum %y, 1\n  }\n}", 3, "'sum' is not an operation"},
        {"kernel k(%y: i32) {\n  body {\n    %y = scalar_add %y, 1\n  }\n}", 3, "%y is defined again"},
        {"kernel k(%y: i32, %y: i32) {}", 1, "%y is defined again"},
        {"kernel k(%y: i32) {\n  body {\n    if %y {\n      %x = scalar_add %y, 1\n    }\n    %z = scalar_add %x, 1\n  "
         "}\n}",
         6, "%x is not defined here"},
        {"kernel k() {\n  body {\n    %t: tile<f32,64> = full 0\n  }\n}", 3, "expected a shape such as 128x64"},
        {"kernel k() {\n  body {\n    %t: tile<f32,64x99999999> = full 0\n  }\n}", 3, "not a shape of a tile"},
        {"kernel k() {\n  body {\n    put | aref=ring\n  }\n}", 3, "there is no aref 'ring'"},
        {"kernel k() {\n  program consumer {\n  }\n}", 2, "there is no role 'consumer'"},
        {"kernel k() {\n  body {\n    print \"open\n  }\n}", 3, "a string without an end"},
        {"kernel k(%n: i32) {\n  body {\n    for %i: i32 = 0, ~ %n, 1 {\n    }\n  }\n}", 3, "expected a comparison"},
        {"kernel k() {\n  body {\n    %x = scalar_add 99999999999999999999, 1\n  }\n}", 3, "expected an integer"},
        {"kernel k() {\n  storage t pool tile<f16,8x8>\n}", 2, "'pool' is not a use of storage"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        *last_message = 0;
        Module *module = ir_parse(cases[i].text, "bad.ir", &machine_hopper, remember, NULL);
        if (module)
            fail_msg("case %zu was read", i);
        if (!strstr(last_message, cases[i].said) || last_line != cases[i].line)
            fail_msg("case %zu: line %d: %s", i, last_line, last_message);
    }
}

/* ---- damaged texts ----------------------------------------------------------------------------------------------- */

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)seed * below) >> 32);
}

/* Read, check and the passes before freeze: each may refuse, none may fall.  */
static void try_text(const char *text)
{
    Module *module = ir_parse(text, "damaged.ir", &machine_hopper, remember, NULL);
    if (module)
        lower_range(module, 0, find_pass("freeze"), NULL, NULL);
    module_free(module);
}

static void cut_short(const char *name, const char *text)
{
    (void)name;
    size_t length = strlen(text);
    char *part = calloc(1, length + 1);
    for (size_t end = 0; end < length; end += 7) {
        memcpy(part, text, end);
        try_text(part);
    }
    free(part);
}

static void exchange_words(char *text, size_t length)
{
    static const char *const words[] = {"%acc", "%i",  "0",     "-1",   "tile", "{",     "}",   "yield", "for",
                                        "<",    "f16", "1x1",   ";",    "=",    "load",  "dot", "store", "if",
                                        "i64",  "nan", "while", "cond", "|",    "splat", ",",   "grid",  "trans"};
    const char *word = words[draw(sizeof words / sizeof *words)];
    size_t at = draw((uint32_t)(length - strlen(word)));
    memcpy(text + at, word, strlen(word));
}

static void damaged(const char *name, const char *text)
{
    (void)name;
    size_t length = strlen(text);
    for (int round = 0; round < 300; round++) {
        char *copy = strdup(text);
        for (uint32_t i = 1 + draw(4); i; i--)
            if (draw(2))
                copy[draw((uint32_t)length)] = (char)(1 + draw(255));
            else
                exchange_words(copy, length);
        try_text(copy);
        free(copy);
    }
}

static void no_text_breaks_the_reader(void **state)
{
    (void)state;
    each_file(cut_short);
    each_file(damaged);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dump_reads_back_after_each_pass),
        cmocka_unit_test(an_error_names_its_line),
        cmocka_unit_test(no_text_breaks_the_reader),
    };
    return cmocka_run_group_tests_name("lowering/reader", tests, NULL, NULL);
}
