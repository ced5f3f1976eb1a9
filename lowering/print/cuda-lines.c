/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-lines.c - prints #line directives in the .cu for debuggers, under -g (module->lines).
 *
 *      #line 0                              mark                 #line 41 "gemm.cu"
 *          for (int k = 0; ...) {                                    for (int k = 0; ...) {
 *      #line 24 "gemm.c"                    mark        ->       #line 24 "gemm.c"
 *              const auto box = ws::stage(                               const auto box = ws::stage(
 *                  c_out, ...);                                  #line 24 "gemm.c"
 *                                                                            c_out, ...);
 *
 * The printer leaves a mark before each statement: the line of the source, or 0 for text without a statement. This file
 * then gives each line of a statement the line number of the source. All other lines get their own number, which does
 * not count #line directives. So the text without #line directives is the same as without -g.
 *
 * With module->steps each statement begins with WS_AT(24, "gemm.c"), for stepping in the emulation.
 */
#include <string.h>

#include "cuda.h"

/* The operation, or the innermost operation around it, that has a source line.  */
static const Op *placed(const Op *op)
{
    while (op && !(op->loc.file && op->loc.line))
        op = op->parent ? op->parent->parent : NULL;
    return op;
}

void cuda_mark(Printer *printer, const Op *op)
{
    if (!printer->kernel->module->lines)
        return;
    op = placed(op);
    fprintf(printer->out, "#line %d", op ? op->loc.line : 0);
    if (op) {
        fputc(' ', printer->out);
        cuda_quoted(printer->out, op->loc.file);
    }
    fputc('\n', printer->out);
}

/* Prints WS_AT for a line under the mark #line 24 "gemm.c". The end of a block is no statement.  */
static void print_place(FILE *out, const char *mark, const char *line)
{
    const char *number = mark + strlen("#line "), *file = strchr(number, ' ') + 1;

    if (line[strspn(line, " ")] != '}')
        fprintf(out, "WS_AT(%.*s, %.*s)", (int)(file - 1 - number), number, (int)strcspn(file, "\n"), file);
}

void cuda_print_lines(FILE *out, const char *text, const char *name, bool steps)
{
    const char *mark = NULL; /* the current mark; NULL: none */
    bool own = true, begins = false;
    int number = 1;

    for (const char *line = text, *next; *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        if (!strncmp(line, "#line ", 6)) {
            mark = strncmp(line, "#line 0\n", 8) ? line : NULL;
            begins = true;
            continue;
        }
        if (mark)
            fprintf(out, "%.*s\n", (int)strcspn(mark, "\n"), mark);
        else if (!own)
            fprintf(out, "#line %d \"%s\"\n", number, name);
        if (mark && begins && steps)
            print_place(out, mark, line);
        fprintf(out, "%.*s", (int)(next - line), line);
        begins = false;
        own = !mark;
        number++;
    }
}
