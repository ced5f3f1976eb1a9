/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-lines.c - #line in the .cu, for debuggers: module->lines, asked for under -g.
 *
 *   #line 0                              mark                 #line 41 "gemm.cu"
 *       for (int k = 0; ...) {                                    for (int k = 0; ...) {
 *   #line 24 "gemm.c"                    mark        ->       #line 24 "gemm.c"
 *           const auto box = ws::stage(                               const auto box = ws::stage(
 *               c_out, ...);                                  #line 24 "gemm.c"
 *                                                                         c_out, ...);
 *
 * The printer leaves a mark before each statement: the source's line, or 0 for text that stands for none.  In the end
 * each line of a statement has the source's number, and all others have their own, counted without lines that begin
 * with #line: without these the text is what it is without -g.
 *
 * With module->steps each statement begins with WS_AT(24, "gemm.c"), for the emulation that is stepped.
 */
#include <string.h>

#include "cuda.h"

/* Of the statement, or of the one that it stands in.  */
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

/* `mark` is #line 24 "gemm.c"; what ends a block is no statement.  */
static void print_place(FILE *out, const char *mark, const char *line)
{
    const char *number = mark + strlen("#line "), *file = strchr(number, ' ') + 1;

    if (line[strspn(line, " ")] != '}')
        fprintf(out, "WS_AT(%.*s, %.*s)", (int)(file - 1 - number), number, (int)strcspn(file, "\n"), file);
}

void cuda_print_lines(FILE *out, const char *text, const char *name, bool steps)
{
    const char *mark = NULL; /* in force */
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
