/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stubs.c - final IR in, the C of its launchers out.
 *
 *   interpret-stubs < gemm.ir > gemm-stubs.c
 *
 *   kernel gemm(%M: i32, %A: ptr<f16>)     void ws_launch_gemm(int p0, const void *p1)
 *                                          {
 *                                              interpret_argument a[] = {{.number = p0}, {.base = p1}};
 *                                              interpret_launch(&unit, text, "gemm", a, 2);
 *                                          }
 */
#include <stdlib.h>

#include "ir/kernel.h"
#include "ir/parse.h"
#include "ir/versions.h"
#include "target/machine.h"

static const char *const c_types[D_COUNT] = {
    [D_F32] = "float",        [D_F64] = "double",       [D_I8] = "signed char",   [D_I32] = "int",
    [D_I1] = "_Bool",         [D_U8] = "unsigned char", [D_I16] = "short",        [D_U16] = "unsigned short",
    [D_U32] = "unsigned int", [D_I64] = "long",         [D_U64] = "unsigned long"};

static void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    if (kind == DIAG_ERROR)
        fprintf(stderr, "interpret-stubs: line %d: %s\n", loc.line, message);
}

static void print_text(const char *text)
{
    printf("static const char text[] =\n    \"");
    for (; *text; text++) {
        if (*text == '\n')
            printf("\\n\"\n    \"");
        else if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar(*text);
    }
    printf("\";\n\n");
}

static bool is_estimated_version(const Kernel *version, const Kernel *kernel)
{
    return is_version_of(version, kernel) && version->version.param < 0;
}

/* Prints the calls of the kernel's versions: a version for a range of a parameter takes these launches.  Versions that
   the launcher estimates take turns.  */
static void print_versions(const Kernel *kernel)
{
    int count = 0, turn = 0;
    for (const Kernel *version = kernel->module->kernels; version; version = version->next)
        count += is_estimated_version(version, kernel);
    if (count)
        printf("    static int launches;\n    const int turn = launches++ %% %d;\n", count + 1);
    for (const Kernel *version = kernel->module->kernels; version; version = version->next)
        if (is_estimated_version(version, kernel))
            printf("    if (turn == %d) {\n        interpret_launch(&unit, text, \"%s\", a, %d);\n        return;\n    "
                   "}\n",
                   turn++, version->name, kernel->nparams);
        else if (is_version_of(version, kernel))
            printf("    if (p%d >= %lld && p%d <= %lld) {\n        interpret_launch(&unit, text, \"%s\", a, %d);\n"
                   "        return;\n    }\n",
                   version->version.param, (long long)version->version.least, version->version.param,
                   (long long)version->version.most, version->name, kernel->nparams);
}

/* Prints the choice of a variant: the one that WS_CHOICE names, as in the emulation's launcher, else the first.  */
static void print_variants(const Kernel *first)
{
    int count = 0, number = 0;
    for (const Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant))
        count++;
    printf("    const char *number = ws_environment_(\"WS_CHOICE\");\n"
           "    switch (number ? strtoul(number, NULL, 10) %% %d : 0) {\n",
           count);
    for (const Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant)) {
        printf("    case %d:\n", number++);
        print_versions(variant);
        printf("    interpret_launch(&unit, text, \"%s\", a, %d);\n    break;\n", variant->name, variant->nparams);
    }
    puts("    }\n}\n");
}

static void print_launcher(const Kernel *kernel)
{
    printf("void %s(", kernel->launcher);
    for (int i = 0; i < kernel->nparams; i++) {
        Type type = kernel->params[i]->type;
        printf("%s%s p%d", i ? ", " : "", type.kind == K_PTR ? "const void *" : c_types[type.dtype], i);
    }
    printf("%s)\n{\n    interpret_argument a[] = {", kernel->nparams ? "" : "void");
    for (int i = 0; i < kernel->nparams; i++) {
        Type type = kernel->params[i]->type;
        const char *member = type.kind == K_PTR ? "base" : dtype_is_float(type.dtype) ? "real" : "number";
        printf("{.%s = p%d}, ", member, i);
    }
    puts("{.number = 0}};");
    if (kernel->choice.of) {
        print_variants(kernel);
        return;
    }
    print_versions(kernel);
    printf("    interpret_launch(&unit, text, \"%s\", a, %d);\n}\n\n", kernel->name, kernel->nparams);
}

int main(void)
{
    char *text = ir_read_text(stdin);
    Module *module = text ? ir_parse(text, "stdin", &machine_hopper, say, NULL) : NULL;
    if (!module)
        return 1;
    printf("#include <interpret.h>\n#include <stdlib.h>\n\nconst char *ws_environment_(const char *);\nstatic "
           "interpret_unit *unit;\n");
    print_text(text);
    for (const Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        if (!kernel->version.of && (!kernel->choice.of || next_variant(kernel, NULL) == kernel))
            print_launcher(kernel);
    module_free(module);
    free(text);
    return 0;
}
