/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c - edits of the text of a final program, as a careless hand makes them.
 *
 *      64                 65, 63, 128, 32, or another number of the text
 *      %acc.2             another value of the program, or the next operand
 *      f32  add  lt       another type, another operation of the same kind
 *      keep=1             left out, or with another number, name or storage
 *      a line             left out, doubled, moved, or behind the next one
 *
 * The body stays as it is, since the roles are compared with it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mutation.h"

enum { MOST_LINES = 4000, MOST_WORDS = 64 };

typedef struct {
    char *line[MOST_LINES];
    int count;
    int first, body, behind; /* lines before the body from `first` on, and from `behind` on, may change */
} Text;

static uint64_t drawn;

static int draw(int below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below > 0 ? (int)((drawn >> 33) % (unsigned)below) : 0;
}

static void split(Text *text, const char *from)
{
    text->count = text->first = text->body = text->behind = 0;
    for (size_t length; *from && text->count < MOST_LINES; from += length + (from[length] == '\n')) {
        length = strcspn(from, "\n");
        char *line = text->line[text->count++] = strndup(from, length);
        if (!line)
            abort();
        if (!strncmp(line, "  launch ", 9))
            text->first = text->count - 1;
        if (!strcmp(line, "  body {"))
            text->body = text->count - 1;
        if (!text->behind && text->body && !strcmp(line, "  }"))
            text->behind = text->count;
    }
}

static char *join(const Text *text)
{
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        abort();
    for (int i = 0; i < text->count; i++)
        fprintf(out, "%s\n", text->line[i]);
    fclose(out);
    return all;
}

/* Most edits are of programs.  */
static int draw_line(const Text *text)
{
    if (draw(4) == 0 && text->body > text->first)
        return text->first + draw(text->body - text->first);
    return text->behind + draw(text->count - text->behind);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

typedef struct {
    int begin, end;
} Word;

static bool is_inside(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '%' || c == '$';
}

typedef enum { NUMBER, NAME, WORD } WordKind;

/* Lists the words of a kind: digits, which may stand in a shape or a type, names of values, or other words.  */
static int words_of(const char *line, WordKind kind, Word *words)
{
    int count = 0;
    for (int i = 0, end; line[i] && count < MOST_WORDS; i = end) {
        end = i + 1;
        if (!is_inside(line[i]))
            continue;
        while (is_inside(line[end]))
            end++;
        if (kind == NAME ? line[i] == '%' : kind == WORD ? isalpha((unsigned char)line[i]) != 0 : false)
            words[count++] = (Word){i, end};
        for (int k = i; kind == NUMBER && line[i] != '%' && k < end && count < MOST_WORDS; k++) {
            int last = k;
            while (last < end && isdigit((unsigned char)line[last]))
                last++;
            if (last > k)
                words[count++] = (Word){k, last};
            k = last > k ? last : k;
        }
    }
    return count;
}

static void replace(char **line, Word word, const char *by)
{
    char *now = malloc(strlen(*line) + strlen(by) + 1);
    if (!now)
        abort();
    sprintf(now, "%.*s%s%s", word.begin, *line, by, *line + word.end);
    free(*line);
    *line = now;
}

static char *copy_of(const char *line, Word word)
{
    char *text = strndup(line + word.begin, (size_t)(word.end - word.begin));
    if (!text)
        abort();
    return text;
}

static void other_number(Text *text)
{
    Word words[MOST_WORDS], others[MOST_WORDS];
    char **line = &text->line[draw_line(text)], by[32];
    const int count = words_of(*line, NUMBER, words);
    if (!count)
        return;
    const Word word = words[draw(count)];
    const long number = strtol(*line + word.begin, NULL, 10);
    const char *from = text->line[draw_line(text)];
    const int nothers = words_of(from, NUMBER, others);
    const Word other = nothers ? others[draw(nothers)] : word;
    const long numbers[] = {number + 1, number - 1, 2 * number,
                            number / 2, 0,          strtol((nothers ? from : *line) + other.begin, NULL, 10)};
    snprintf(by, sizeof by, "%ld", numbers[draw(6)]);
    replace(line, word, by);
}

static void other_name(Text *text)
{
    Word words[MOST_WORDS], others[MOST_WORDS];
    const int at = draw_line(text), near = at + draw(17) - 8;
    char **line = &text->line[at];
    const int count = words_of(*line, NAME, words);
    if (!count || near < 0 || near >= text->count)
        return;
    const int nothers = words_of(text->line[near], NAME, others);
    if (!nothers)
        return;
    char *by = copy_of(text->line[near], others[draw(nothers)]);
    replace(line, words[draw(count)], by);
    free(by);
}

static void exchange_names(Text *text)
{
    Word words[MOST_WORDS];
    char **line = &text->line[draw_line(text)];
    const int count = words_of(*line, NAME, words);
    if (count < 3)
        return;
    const int first = 1 + draw(count - 2);
    char *one = copy_of(*line, words[first]), *other = copy_of(*line, words[first + 1]);
    replace(line, words[first + 1], one);
    replace(line, words[first], other);
    free(one);
    free(other);
}

/* Words of one row take each other's place.  */
static const char *const kinds[][12] = {{"f32", "f16", "bf16", "i32", "i64", "i8", "f64", "u8", "mask"},
                                        {"add", "sub", "mul", "max", "min", "div"},
                                        {"exp", "exp2", "log", "sqrt", "rsqrt", "neg", "abs"},
                                        {"lt", "le", "gt", "ge", "eq", "ne"},
                                        {"scalar_add", "scalar_sub", "scalar_mul", "scalar_max", "scalar_min"},
                                        {"scalar_lt", "scalar_le", "scalar_gt", "scalar_ge", "scalar_eq"},
                                        {"row_sum", "row_max", "row_min", "row_part", "row_total"},
                                        {"col_sum", "col_max", "col_min"},
                                        {"row_index", "col_index"},
                                        {"put", "get"},
                                        {"tile", "view", "token"},
                                        {"barrier", "role_barrier", "fence"},
                                        {"pingpong_take", "pingpong_pass"}};

static void other_word(Text *text)
{
    Word words[MOST_WORDS];
    char **line = &text->line[draw_line(text)];
    const int count = words_of(*line, WORD, words);
    if (!count)
        return;
    const Word word = words[draw(count)];
    char *old = copy_of(*line, word);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int known = 0;
        bool here = false;
        for (; known < 12 && kinds[i][known]; known++)
            here |= !strcmp(kinds[i][known], old);
        if (!here)
            continue;
        replace(line, word, kinds[i][draw(known)]);
        break;
    }
    free(old);
}

/* Takes a word NAME=VALUE away, or gives it the value of another line.  */
static void other_attribute(Text *text)
{
    char **line = &text->line[draw_line(text)];
    char *equals = *line;
    for (int skip = draw(6); equals && skip >= 0; skip--) {
        char *next = strchr(equals + 1, '=');
        while (next && (next[-1] == ' ' || next[1] == ' '))
            next = strchr(next + 1, '=');
        if (!next)
            break;
        equals = next;
    }
    if (equals == *line)
        return;
    Word word = {(int)(equals - *line), (int)(equals - *line)};
    while (word.begin && (*line)[word.begin - 1] != ' ')
        word.begin--;
    while ((*line)[word.end] && (*line)[word.end] != ' ')
        word.end++;
    char *old = copy_of(*line, word);
    const size_t length = strcspn(old, "=") + 1;
    const char *by = "";
    char *other = NULL;
    for (int i = 0, start = draw(text->count); draw(3) && i < text->count && !other; i++) {
        const char *from = text->line[(start + i) % text->count], *found = strstr(from, " ");
        for (; found && strncmp(found + 1, old, length) != 0; found = strchr(found + 1, ' '))
            ;
        if (found && strncmp(found + 1, old, strlen(old)) != 0)
            other = copy_of(found + 1, (Word){0, (int)strcspn(found + 1, " ")});
    }
    replace(line, word, other ? other : by);
    free(old);
    free(other);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* A launch's memory is compared in the order of its tensors.  */
static bool is_fixed(const char *line)
{
    return strchr(line, '{') || strchr(line, '}') || strstr(line, " = tensor ");
}

static void move_line(Text *text)
{
    const int from = draw_line(text);
    int to = draw(2) ? from + (draw(2) ? 1 : -1) : draw_line(text);
    if (is_fixed(text->line[from]) || from < text->behind || to < text->behind || to >= text->count)
        return;
    char *line = text->line[from];
    for (; from < to && to > from;) {
        memmove(text->line + from, text->line + from + 1, (size_t)(to - from) * sizeof *text->line);
        break;
    }
    if (to < from)
        memmove(text->line + to + 1, text->line + to, (size_t)(from - to) * sizeof *text->line);
    text->line[to] = line;
}

static void delete_line(Text *text)
{
    const int at = draw_line(text);
    if (is_fixed(text->line[at]) || at < text->behind)
        return;
    free(text->line[at]);
    memmove(text->line + at, text->line + at + 1, (size_t)(--text->count - at) * sizeof *text->line);
}

static void double_line(Text *text)
{
    const int at = draw_line(text);
    const char *line = text->line[at];
    if (is_fixed(line) || at < text->behind || text->count == MOST_LINES || line[strspn(line, " ")] == '%')
        return;
    memmove(text->line + at + 1, text->line + at, (size_t)(text->count++ - at) * sizeof *text->line);
    text->line[at] = strdup(line);
}

char *text_edited(const char *plan, uint64_t seed)
{
    static void (*const edits[])(Text *) = {other_number,    other_number,   other_number, other_name,
                                            other_name,      exchange_names, other_word,   other_word,
                                            other_attribute, move_line,      delete_line,  double_line};
    static Text text;
    drawn = seed * 1000003u + 7;
    draw(1);
    split(&text, plan);
    if (text.behind && text.behind < text.count)
        edits[draw(sizeof edits / sizeof *edits)](&text);
    char *all = join(&text);
    for (int i = 0; i < text.count; i++)
        free(text.line[i]);
    return all;
}
