/* SPDX-License-Identifier: MIT */
/*
 * environment.c - variables of the environment: the table of environment.def, and warnings about unknown ones.
 *
 *   WS_SEED=7x ./program       ws: WS_SEED=7x is not known: it is a whole number
 *   WS_SEDD=7 ./program        ws: WS_SEDD is not known: did you mean WS_SEED?
 *
 * An invalid value counts as none.  Each warning is a line on standard error, once in a process.  The first launch,
 * error or tensor prints all warnings.  A variable that the program sets later is checked at its use.  Names outside
 * the table cause no warning, unless they differ from one of the table by one letter.
 */
#include "target.h"
#include "ws/backend.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum setting_kind { WORD, NUMBER, SECONDS, SCHEDULES, ORDER, CHOICE, TEAM, FAULTS, FILE_NAME };

static struct setting {
    const char *name;
    enum setting_kind kind;
    const char *may_be;
    atomic_bool said;
} settings[] = {
#define SETTING(name, kind, may_be, targets, meaning) {#name, kind, may_be, false},
#include "environment.def"
#undef SETTING
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* True if `text` is one of "a, b or c".  */
static bool is_word_of(const char *list, const char *text)
{
    while (*list) {
        const size_t length = strcspn(list, ", ");
        if (length == strlen(text) && !strncmp(list, text, length) && strcmp(text, "or"))
            return true;
        list += length + strspn(list + length, ", ");
    }
    return false;
}

static bool is_number(const char *text, unsigned long low, unsigned long high)
{
    char *end;
    errno = 0;
    const unsigned long number = strtoul(text, &end, 0);
    return isdigit((unsigned char)*text) && !*end && !errno && number >= low && number <= high;
}

/* Skips digits at *text; true if there are one to nine.  */
static bool takes_digits(const char **text)
{
    const size_t length = strspn(*text, "0123456789");
    *text += length;
    return length > 0 && length < 10;
}

static bool takes(const char **text, char c)
{
    const bool there = **text == c;
    *text += there;
    return there;
}

static bool is_order(const char *text)
{
    if (!takes_digits(&text) || (*text && !takes(&text, ':')))
        return false;
    while (*text)
        if (takes(&text, '(') ? !takes_digits(&text) || !takes(&text, ')') : !isdigit((unsigned char)*text++))
            return false;
    return true;
}

static bool is_choice(const char *text)
{
    do {
        takes(&text, '-');
        if (!takes_digits(&text))
            return false;
    } while (takes(&text, 'x'));
    return !*text;
}

static bool is_team(const char *text)
{
    const size_t name = strcspn(text, ":");
    text += name;
    return name > 0 && name < 64 && takes(&text, ':') && takes_digits(&text) && takes(&text, ':') &&
           takes_digits(&text) && !*text;
}

static bool is_faults(const char *text)
{
    do {
        text += !strncmp(text, "silent:", 7) ? 7 : !strncmp(text, "lost:", 5) ? 5 : strlen(text);
        const size_t kernel = strcspn(text, "#@,");
        text += kernel;
        if (!kernel || (takes(&text, '#') && !takes_digits(&text)) || (takes(&text, '@') && !takes_digits(&text)))
            return false;
    } while (takes(&text, ','));
    return !*text;
}

static bool is_value(const struct setting *s, const char *text)
{
    if (!*text)
        return true;
    switch (s->kind) {
    case WORD:
        return is_word_of(s->may_be, text);
    case NUMBER:
        return is_number(text, 0, ULONG_MAX);
    case SECONDS:
        return is_number(text, 1, 3999);
    case SCHEDULES:
        return !strcmp(text, "all") || is_number(text, 1, LONG_MAX);
    case ORDER:
        return is_order(text);
    case CHOICE:
        return is_choice(text);
    case TEAM:
        return is_team(text);
    case FAULTS:
        return is_faults(text);
    case FILE_NAME:
        break;
    }
    return true;
}

/* The value, or NULL with a warning.  */
static const char *known_value(struct setting *s, const char *text)
{
    if (is_value(s, text))
        return text;
    if (!atomic_exchange(&s->said, true))
        fprintf(stderr, "ws: %s=%.200s is not known: it is %s\n", s->name, text, s->may_be);
    return NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* True for one letter added, removed or replaced, or two adjacent letters exchanged.  */
static bool is_one_letter_off(const char *name, size_t length, const char *known)
{
    const size_t wanted = strlen(known);
    size_t same = 0;
    while (same < length && name[same] == known[same])
        same++;
    const char *rest = name + same, *known_rest = known + same;
    const size_t left = length - same, known_left = wanted - same;
    if (length == wanted + 1)
        return !memcmp(rest + 1, known_rest, known_left);
    if (length + 1 == wanted)
        return !memcmp(rest, known_rest + 1, left);
    if (length != wanted || !left)
        return false;
    return !memcmp(rest + 1, known_rest + 1, left - 1) ||
           (left >= 2 && rest[0] == known_rest[1] && rest[1] == known_rest[0] &&
            !memcmp(rest + 2, known_rest + 2, left - 2));
}

static struct setting *setting_of(const char *name, size_t length)
{
    for (int i = 0; i < SETTINGS; i++)
        if (strlen(settings[i].name) == length && !strncmp(settings[i].name, name, length))
            return &settings[i];
    return NULL;
}

static void look_at(const char *variable)
{
    const size_t length = strcspn(variable, "=");
    struct setting *s = setting_of(variable, length);
    if (!variable[length])
        return;
    if (s)
        known_value(s, variable + length + 1);
    for (int i = 0; !s && i < SETTINGS; i++)
        if (is_one_letter_off(variable, length, settings[i].name)) {
            fprintf(stderr, "ws: %.*s is not known: did you mean %s?\n", (int)length, variable, settings[i].name);
            return;
        }
}

static void look_at_all(void)
{
    for (char **variable = environ; variable && *variable; variable++)
        look_at(*variable);
}

/* ---- for the runtime --------------------------------------------------------------------------------------------- */

void ws_environment_look_(void)
{
    static pthread_once_t looked = PTHREAD_ONCE_INIT;
    pthread_once(&looked, look_at_all);
}

const char *ws_environment_(const char *name)
{
    const char *text = getenv(name);
    struct setting *s = setting_of(name, strlen(name));
    ws_environment_look_();
    return text && s ? known_value(s, text) : text;
}
