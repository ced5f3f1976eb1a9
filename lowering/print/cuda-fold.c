/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-fold.c - folds lines of the .cu to at most 120 columns.
 *
 *      ws::mma(acc, ws::view(s.a[slot]), ...);        ws::mma(acc, ws::view(s.a[slot]),
 *                                                             ...);
 *
 * A longer line is broken behind a comma or a semicolon, or before an operator. The printer chooses the place with the
 * fewest open brackets, and the last of equal places that fits. The rest is aligned with the text behind the innermost
 * open bracket. If that bracket is far to the right, the rest has four more blanks than the line.
 */
#include <ctype.h>
#include <string.h>

#include "cuda.h"

enum { COLUMNS = 120, FAR = 72, DEEPEST = 64 };

/* Open brackets, and the column at which the text inside each begins.  */
typedef struct {
    int column[DEEPEST];
    char kind[DEEPEST];
    int depth;
} Brackets;

static void open_bracket(Brackets *brackets, char kind, int column)
{
    if (brackets->depth < DEEPEST) {
        brackets->kind[brackets->depth] = kind;
        brackets->column[brackets->depth] = column;
    }
    brackets->depth++;
}

/* Updates the brackets by line[i]. Brackets of template arguments have no blank before them; comparison operators
   have one.  */
static void pass(Brackets *brackets, const char *line, int i)
{
    bool tight = i > 0 && line[i - 1] != ' ' && line[i - 1] != '-';
    int top = brackets->depth - 1;
    if (strchr("([{", line[i]) || (line[i] == '<' && tight))
        open_bracket(brackets, line[i], i + 1);
    else if (top >= 0 &&
             (strchr(")]}", line[i]) || (line[i] == '>' && tight && (top >= DEEPEST || brackets->kind[top] == '<'))))
        brackets->depth--;
}

/* True if a line may end before line[i].  */
static bool may_break(const char *line, int i)
{
    static const char *const operators[] = {"? ", ": ", "&& ", "|| ", "+ ", "* "};
    if (line[i - 1] != ' ' || line[i] == ' ')
        return false;
    if (i > 1 && strchr(",;", line[i - 2]))
        return true;
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
        if (!strncmp(line + i, operators[k], strlen(operators[k])))
            return true;
    return false;
}

/* Prints the part of the line that fits and returns its length. *column is the column of the rest.  */
static int print_piece(FILE *out, const char *line, int length, Brackets *brackets, int outermost, int *column)
{
    int end = 0, fewest = 0, start = (int)strspn(line, " ");
    bool quoted = false;
    Brackets at = *brackets;
    for (int i = start; i < length && i <= COLUMNS && strncmp(line + i, "// ", 3); i++) {
        if (!quoted && i > start + 1 && may_break(line, i) && (!end || at.depth <= fewest)) {
            end = i;
            fewest = at.depth;
            *brackets = at;
        }
        quoted ^= line[i] == '"' && line[i - 1] != '\\';
        if (!quoted)
            pass(&at, line, i);
    }
    if (!end)
        end = length;
    int top = brackets->depth - 1;
    *column = top < 0 || top >= DEEPEST || brackets->column[top] > FAR ? outermost + 4 : brackets->column[top];
    int shown = end;
    while (shown > start && line[shown - 1] == ' ')
        shown--;
    fprintf(out, "%.*s", shown, line);
    return end;
}

static void print_folded_line(FILE *out, const char *line, int length)
{
    char rest[2 * COLUMNS + length];
    int outermost = (int)strspn(line, " ");
    Brackets brackets = {.depth = 0};
    memcpy(rest, line, (size_t)length);
    rest[length] = '\0';
    while (length > COLUMNS) {
        int column, printed = print_piece(out, rest, length, &brackets, outermost, &column);
        if (printed == length)
            return;
        fputc('\n', out);
        length -= printed;
        memmove(rest + column, rest + printed, (size_t)length + 1);
        memset(rest, ' ', (size_t)column);
        length += column;
    }
    fprintf(out, "%s", rest);
}

void cuda_print_folded(FILE *out, const char *text)
{
    for (const char *line = text; *line;) {
        int length = (int)strcspn(line, "\n");
        if (length > COLUMNS && *line != '#')
            print_folded_line(out, line, length);
        else
            fprintf(out, "%.*s", length, line);
        line += length;
        if (*line) {
            fputc('\n', out);
            line++;
        }
    }
}
