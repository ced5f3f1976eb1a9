/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reason.c - names of reasons.
 *
 *   reason          the name of each line of the standard input, a sentence; '-' where it has none
 *   reason list     each name, its enumerator and the longest part of its sentence between conversions
 */
#include <stdio.h>
#include <string.h>

#include "ir/diag.h"
#include "ir/kernel.h"

static const char *const enumerators[] = {
#define REASON(NAME, sentence, remedy) "REASON_" #NAME,
#include "ir/reasons.def"
#undef REASON
};

static void longest_part(const char *sentence, char *part, size_t size)
{
    size_t most = 0;
    *part = 0;
    for (const char *at = sentence; *at; at += strcspn(at, "%")) {
        if (*at == '%')
            at += 1 + strspn(at + 1, "0123456789.l-") + 1;
        size_t length = strcspn(at, "%");
        if (length > most && length < size) {
            memcpy(part, at, length);
            part[length] = 0;
            most = length;
        }
    }
}

int main(int argc, char **argv)
{
    Module *module = module_new("reasons", NULL, NULL, NULL);
    char line[4096];
    (void)argv;
    for (int i = 0; argc > 1 && i < REASON_COUNT; i++) {
        longest_part(reason_sentence((Reason)i), line, sizeof line);
        printf("%s\t%s\t%s\n", reason_id(module, (Reason)i), enumerators[i], line);
    }
    while (argc == 1 && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        const Reason reason = reason_of_text(line);
        puts(reason == REASON_COUNT ? "-" : reason_id(module, reason));
    }
    module_free(module);
    return 0;
}
