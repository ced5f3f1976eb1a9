/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reasons.c - the names of reasons, which --ws-ids shows behind errors.
 *
 *   REASON (GRID_DEPTH, "grid(%d) needs %d nested loops, ...", ...)        ... [ws:grid-depth]
 *
 * Tests and fuzzers match names, so that a sentence may change. A front end's message has the row whose sentence it is
 * an instance of; of several, the one with most letters.
 */
#include <ctype.h>
#include <string.h>

#include "ir/arena.h"
#include "ir/diag.h"
#include "ir/kernel.h"

enum { FEWEST_LETTERS = 5 };

static const char *const names[REASON_COUNT] = {
#define REASON(NAME, sentence, remedy) #NAME,
#include "ir/reasons.def"
#undef REASON
};

const char *reason_id(Module *module, Reason reason)
{
    char *id = arena_print(module, "%s", names[reason]);
    for (char *at = id; *at; at++)
        *at = *at == '_' ? '-' : (char)tolower((unsigned char)*at);
    return id;
}

/* Behind a conversion of printf, or of GCC's diagnostics.  */
static const char *behind_conversion(const char *format)
{
    format += 1 + strspn(format + 1, "+-0123456789.*");
    format += strspn(format, "qlwjz+");
    return format + (*format != 0);
}

/* GCC's quotes; they are no conversions.  */
static bool is_quote(const char *text)
{
    return text[0] == '%' && (text[1] == '<' || text[1] == '>');
}

/* %qs is '%s'.  */
static bool is_quoted(const char *text)
{
    return text[0] == '%' && text[1] == 'q';
}

/* Is a message, or its format, an instance of the sentence?  */
static bool fits(const char *sentence, const char *text)
{
    for (; *sentence && *sentence != '%'; sentence++)
        if (*text && *sentence == '\'' && is_quote(text))
            text += 2;
        else if (*sentence == '\'' && sentence[1] == '%' && is_quoted(text))
            return fits(behind_conversion(sentence + 1) + 1, behind_conversion(text));
        else if (*sentence != *text++)
            return false;
    if (!*sentence)
        return !*text;
    sentence = behind_conversion(sentence);
    for (;; text++) {
        if (fits(sentence, text))
            return true;
        if (!*text)
            return false;
    }
}

static int letters_of(const char *sentence)
{
    int count = 0;
    while (*sentence) {
        count += isalpha((unsigned char)*sentence) != 0;
        sentence = *sentence == '%' ? behind_conversion(sentence) : sentence + 1;
    }
    return count;
}

Reason reason_of_text(const char *text)
{
    Reason best = REASON_COUNT;
    int most = FEWEST_LETTERS - 1;
    if (strstr(text, " [ws:"))
        return best;
    for (int i = 0; i < REASON_COUNT; i++) {
        const int letters = letters_of(reason_sentence((Reason)i));
        if (letters > most && fits(reason_sentence((Reason)i), text)) {
            best = (Reason)i;
            most = letters;
        }
    }
    return best;
}

const char *reason_tag(Module *module, Reason reason, const char *sentence)
{
    return module->ids && reason != REASON_COUNT
               ? arena_print(module, "%s [ws:%s]", sentence, reason_id(module, reason))
               : sentence;
}

const char *reason_tag_text(Module *module, const char *message, const char *text)
{
    return module->ids ? reason_tag(module, reason_of_text(text), message) : message;
}
