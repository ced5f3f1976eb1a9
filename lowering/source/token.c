/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * token.c - the kind and the value of a token from its text.
 *
 *   16, 0x10, 020, 0b10000, 16UL, '\20'        TOKEN_INTEGER of value 16
 *   16.0, "16"                                 TOKEN_OTHER
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/token.h"

static bool integer_value(const char *text, int64_t *value)
{
    char *end;
    bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B') && text[2];
    errno = 0;
    *value = binary ? strtoll(text + 2, &end, 2) : strtoll(text, &end, 0);
    return !errno && !end[strspn(end, "uUlL")];
}

/* 'c', or one of the escapes that C has for single characters and octal numbers.  */
static bool character_value(const char *text, int64_t *value)
{
    static const char letters[] = "abfnrtv\\'\"?", meant[] = "\a\b\f\n\r\t\v\\'\"?";
    const char *letter = text[1] == '\\' && text[2] ? strchr(letters, text[2]) : NULL;
    char *end = NULL;
    if (text[1] != '\\' && text[1] != '\'' && text[1])
        *value = (signed char)text[1];
    else if (letter)
        *value = meant[letter - letters];
    else if (text[1] == '\\' && text[2] >= '0' && text[2] <= '7')
        *value = (signed char)strtol(text + 2, &end, 8);
    else
        return false;
    return !strcmp(end ? end : text + (letter ? 3 : 2), "'");
}

Token token_of_text(const char *text, Loc loc)
{
    Token token = {text, TOKEN_OTHER, 0, loc};
    if (isalpha((unsigned char)*text) || *text == '_')
        token.kind = TOKEN_NAME;
    else if (isdigit((unsigned char)*text) ? integer_value(text, &token.value)
                                           : *text == '\'' && character_value(text, &token.value))
        token.kind = TOKEN_INTEGER;
    else if (*text == '"' || *text == '\'' || isdigit((unsigned char)*text))
        token.text = "";
    return token;
}
