/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plans.c - final programs as --ws-dump=plan prints them, edited at random, go into verify as wsc-lower --verify does.
 *
 *   plans COUNT SEED FILE.plan...       COUNT edited texts; -NUMBER shows that one again
 *
 * Whatever the text, verify comes back with an answer, in time and without a crash, and a program that it refuses has a
 * sentence that says why, which does not blame the compiler.  Edits are those of a hand: other numbers, exchanged
 * names, lines that are gone, doubled or moved, roles without a program.
 *
 * finds, in the plans of tests/lowering/obligations.sh: seed 1 without are_there of verify-memory.c (roles without a
 * program, none of a group), seed 3 without least_args and has_result of ir/check.c (operations without operands)
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/kernel.h"
#include "ir/parse.h"
#include "proof/verify.h"
#include "target/machine.h"

enum { SECONDS = 20, MOST_BYTES = 1 << 30, REFUSED = 1, SILENT, BLAMES };

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % below;
}

/* ---- a text in lines --------------------------------------------------------------------------------------------- */

typedef struct {
    char **line;
    int count;
} Text;

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static Text split(const char *from)
{
    Text text = {need(calloc(strlen(from) + 2, sizeof(char *))), 0};
    for (size_t length; *from; from += length + (from[length] == '\n')) {
        length = strcspn(from, "\n");
        text.line[text.count++] = need(strndup(from, length));
    }
    return text;
}

static char *join(const Text *text)
{
    size_t size = 1;
    for (int i = 0; i < text->count; i++)
        size += strlen(text->line[i]) + 1;
    char *all = need(malloc(size)), *to = all;
    for (int i = 0; i < text->count; i++)
        to += sprintf(to, "%s\n", text->line[i]);
    *to = 0;
    return all;
}

static void drop(Text *text)
{
    for (int i = 0; i < text->count; i++)
        free(text->line[i]);
    free(text->line);
}

static void delete_line(Text *text, int at)
{
    free(text->line[at]);
    memmove(text->line + at, text->line + at + 1, (size_t)(--text->count - at) * sizeof *text->line);
}

static void insert_line(Text *text, int at, const char *line)
{
    char **more = need(realloc(text->line, (size_t)(text->count + 2) * sizeof *more));
    text->line = more;
    memmove(more + at + 1, more + at, (size_t)(text->count++ - at) * sizeof *more);
    more[at] = need(strdup(line));
}

static int indent(const char *line)
{
    return (int)strspn(line, " ");
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

typedef struct {
    int line, begin, end;
} Word;

static bool is_inside(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '%';
}

/* A word of a random line: numbers, or names.  */
static bool draw_word(const Text *text, bool number, Word *word)
{
    for (int tries = 0; tries < 50; tries++) {
        int count = 0, line = (int)draw((unsigned)text->count);
        const char *at = text->line[line];
        for (int i = 0; at[i]; i++) {
            if (!is_inside(at[i]) || (i && is_inside(at[i - 1])) || (isdigit((unsigned char)at[i]) != 0) != number)
                continue;
            if (draw((unsigned)++count) != 0)
                continue;
            *word = (Word){line, i, i};
            while (is_inside(at[word->end]))
                word->end++;
        }
        if (count)
            return true;
    }
    return false;
}

static char *word_text(const Text *text, Word word)
{
    return need(strndup(text->line[word.line] + word.begin, (size_t)(word.end - word.begin)));
}

static void replace_word(Text *text, Word word, const char *by)
{
    const char *old = text->line[word.line];
    char *now = need(malloc(strlen(old) + strlen(by) + 1));
    sprintf(now, "%.*s%s%s", word.begin, old, by, old + word.end);
    free(text->line[word.line]);
    text->line[word.line] = now;
}

/* ---- edits ------------------------------------------------------------------------------------------------------- */

static void other_number(Text *text)
{
    static const long some[] = {0, 1, 2, 3, 7, 8, 16, 64, 127, 128, 1000, 65536, 2147483647, 4294967296};
    char by[40];
    Word word;
    if (!draw_word(text, true, &word))
        return;
    char *old = word_text(text, word);
    const long was = strtol(old, NULL, 10);
    free(old);
    const long now[] = {was + 1, was - 1, 2 * was, was / 2, -was, some[draw(sizeof some / sizeof *some)]};
    snprintf(by, sizeof by, "%ld", now[draw(sizeof now / sizeof *now)]);
    replace_word(text, word, by);
}

static void other_name(Text *text)
{
    Word word, from;
    if (!draw_word(text, false, &word) || !draw_word(text, false, &from))
        return;
    for (int tries = 0; tries < 20 && text->line[word.line][word.begin] != text->line[from.line][from.begin]; tries++)
        if (!draw_word(text, false, &from))
            return;
    char *name = word_text(text, from);
    replace_word(text, word, name);
    free(name);
}

static void delete_some(Text *text)
{
    delete_line(text, (int)draw((unsigned)text->count));
}

static void double_some(Text *text)
{
    int at = (int)draw((unsigned)text->count);
    char *line = need(strdup(text->line[at]));
    insert_line(text, at, line);
    free(line);
}

static void move_some(Text *text)
{
    int at = (int)draw((unsigned)text->count);
    char *line = need(strdup(text->line[at]));
    delete_line(text, at);
    int to = at - 3 + (int)draw(7);
    insert_line(text, to < 0 ? 0 : to > text->count ? text->count : to, line);
    free(line);
}

/* A line, and all that is further to the right below it.  */
static void delete_block(Text *text)
{
    int at = (int)draw((unsigned)text->count), depth = indent(text->line[at]);
    delete_line(text, at);
    while (at < text->count && text->count > 1 && indent(text->line[at]) > depth)
        delete_line(text, at);
}

static void delete_word(Text *text)
{
    Word word;
    if (!draw_word(text, draw(2), &word))
        return;
    const char *line = text->line[word.line];
    if (word.begin && line[word.begin - 1] == '=') /* name=value */
        while (word.begin && line[word.begin - 1] != ' ')
            word.begin--;
    replace_word(text, word, "");
}

static char *edited(const char *plan)
{
    static void (*const edits[])(Text * text) = {other_number, other_number, other_name,   other_name, delete_some,
                                                 double_some,  move_some,    delete_block, delete_word};
    Text text = split(plan);
    for (unsigned n = 1 + draw(2); n && text.count > 1; n--)
        edits[draw(sizeof edits / sizeof *edits)](&text);
    char *all = join(&text);
    drop(&text);
    return all;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static bool said, blames, shows;

static void hear(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    said |= kind == DIAG_ERROR;
    blames |= strstr(message, "bug of the compiler") != NULL;
    if (shows)
        fprintf(stderr, "%d:%d: %s\n", loc.line, loc.column, message);
}

static int answer(const char *text)
{
    said = blames = false;
    if (verify_text(text, "edited.plan", &machine_hopper, hear, NULL))
        return 0;
    return blames ? BLAMES : said ? REFUSED : SILENT;
}

/* What is wrong with the answer, or NULL.  */
static const char *judged(const char *text, long *refused)
{
    static char signal_name[64];
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit core = {0, 0}, memory = {MOST_BYTES, MOST_BYTES};
        setrlimit(RLIMIT_CORE, &core);
#ifndef __SANITIZE_ADDRESS__
        setrlimit(RLIMIT_AS, &memory);
#else
        (void)memory;
#endif
        alarm(SECONDS);
        _exit(answer(text));
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    if (WIFSIGNALED(status)) {
        snprintf(signal_name, sizeof signal_name, "ended by %s", strsignal(WTERMSIG(status)));
        return signal_name;
    }
    *refused += WEXITSTATUS(status) != 0;
    return WEXITSTATUS(status) <= REFUSED  ? NULL
           : WEXITSTATUS(status) == SILENT ? "refused without a word"
           : WEXITSTATUS(status) == BLAMES ? "the compiler is blamed"
                                           : "an odd status";
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 0, refused = 0;
    int wrong = 0;
    if (argc < 4) {
        fputs("usage: plans COUNT SEED FILE.plan...\n", stderr);
        return 2;
    }
    char **plans = need(calloc((size_t)argc, sizeof *plans));
    for (int i = 3; i < argc; i++) {
        FILE *in = fopen(argv[i], "r");
        plans[i - 3] = in ? ir_read_text(in) : NULL;
        if (!plans[i - 3] || !*plans[i - 3]) {
            fprintf(stderr, "plans: %s: cannot be read\n", argv[i]);
            return 2;
        }
        fclose(in);
    }
    for (long n = count < 0 ? -count : 1; n <= labs(count); n++) {
        state = strtoull(argv[2], NULL, 10) * 1000003u + (uint64_t)n;
        draw(1);
        const unsigned which = draw((unsigned)argc - 3);
        char *text = edited(plans[which]);
        if (count < 0) {
            puts(text);
            shows = true;
        }
        const char *what = judged(text, &refused);
        if (what) {
            printf("plans: %s, edited, -%ld %s: %s\n", argv[which + 3], n, argv[2], what);
            wrong++;
        }
        free(text);
    }
    printf("%ld edited plans, %ld refused, %d wrong\n", labs(count), refused, wrong);
    for (int i = 3; i < argc; i++)
        free(plans[i - 3]);
    free(plans);
    return wrong != 0;
}
