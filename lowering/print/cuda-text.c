/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-text.c - prints the pieces of text that all printers of the .cu use: lines, comments, names of types, literals.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print/cuda.h"
#include "target/machine.h"

const char *const cuda_element_text[D_COUNT] = {
    [D_F32] = "float",          [D_F64] = "double",       [D_F16] = "ws::f16",      [D_BF16] = "ws::bf16",
    [D_E4M3] = "ws::e4m3",      [D_E5M2] = "ws::e5m2",    [D_I8] = "signed char",   [D_I32] = "int",
    [D_MASK] = "bool",          [D_I1] = "bool",          [D_U8] = "unsigned char", [D_I16] = "short",
    [D_U16] = "unsigned short", [D_U32] = "unsigned int", [D_I64] = "long",         [D_U64] = "unsigned long"};

const char *cuda_layout_name(const Kernel *kernel, Layout layout)
{
    switch (layout) {
    case LAYOUT_MMA:
        return "ws::frag";
    case LAYOUT_ROWS:
        return "ws::lines";
    case LAYOUT_WIDE:
        return "ws::wide";
    default:
        if (machine_wide_groups(layout))
            return arena_print(kernel->module, "ws::wide_%d", machine_wide_groups(layout));
        if (layout == LAYOUT_STRIPS)
            return "ws::strips";
        return arena_print(kernel->module, layout > LAYOUT_STRIPS ? "ws::strips_%d" : "ws::lines_%d",
                           machine_rows_together(layout));
    }
}

const char *cuda_layout_text(const Printer *printer)
{
    return printer->of_layout ? CUDA_LAYOUT : cuda_layout_name(printer->kernel, printer->role->layout);
}

void cuda_begin(Printer *printer)
{
    fprintf(printer->out, "%*s", 4 * printer->indent, "");
}

void cuda_line(Printer *printer, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    cuda_begin(printer);
    vfprintf(printer->out, format, list);
    fputc('\n', printer->out);
    va_end(list);
}

enum { COMMENT_COLUMN = 41 };

/* Prints a line with a comment at COMMENT_COLUMN, or behind two blanks if the line is longer.  */
void cuda_commented(Printer *printer, const char *text, const char *comment)
{
    int width = 4 * printer->indent + (int)strlen(text);
    int pad = width + 2 > COMMENT_COLUMN ? 2 : COMMENT_COLUMN - width;
    cuda_line(printer, "%s%*s// %s", text, pad, "", comment);
}

const char *cuda_file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

void cuda_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 32 || c == '"' || c == '\\' || c >= 127)
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

const char *cuda_scalar_type(Type type)
{
    return cuda_element_text[type.dtype];
}

/* Prints the shortest decimal that reads back as the same number.  */
void cuda_float(FILE *out, double value, bool single, bool plain)
{
    char text[40];
    if (isnan(value)) {
        fputs("NAN", out);
        return;
    }
    if (isinf(value)) {
        fputs(value < 0 ? "-INFINITY" : "INFINITY", out);
        return;
    }
    snprintf(text, sizeof text, "%.0f", fabs(value) < 1e9 ? value : 0.5);
    for (int digits = 1; digits <= 17 && strtod(text, NULL) != value; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
    bool negative_zero = value == 0 && signbit(value);
    if ((!plain || negative_zero) && !strpbrk(text, ".e"))
        fputs(".0", out);
    if (!plain && single)
        fputc('f', out);
}

void cuda_int(FILE *out, Dtype dtype, int64_t value, bool suffix)
{
    bool wide = dtype == D_I64 || dtype == D_U64;
    if (dtype == D_I1) {
        fputs(value ? "true" : "false", out);
    } else if (dtype == D_U64 || dtype == D_U32) {
        uint64_t bits = dtype == D_U32 ? (uint32_t)value : (uint64_t)value;
        bool large = bits > INT32_MAX;
        fprintf(out, "%llu%s%s", (unsigned long long)bits, suffix || large ? "u" : "",
                wide && (suffix || large) ? "l" : "");
    } else if (value == INT64_MIN) {
        fputs("(-9223372036854775807l - 1)", out);
    } else if (value == INT32_MIN && !wide) {
        fputs("(-2147483647 - 1)", out);
    } else {
        bool large = value > INT32_MAX || value < -(int64_t)INT32_MAX;
        fprintf(out, "%lld%s", (long long)value, wide && (suffix || large) ? "l" : "");
    }
}
