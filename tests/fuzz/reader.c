/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reader.c - any text goes into the reader of textual IR (for libFuzzer: make fuzz-reader).
 *
 * Whatever the text, nothing breaks; and what is read and sound is printed so that it reads back to the same text.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/check.h"
#include "ir/kernel.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "target/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)kind;
    (void)loc;
    (void)message;
}

/* All kernels, NULL if one is not sound.  */
static char *printed(Module *module)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool sound = out != NULL;
    for (Kernel *kernel = module->kernels; kernel && sound; kernel = kernel->next) {
        sound = ir_check(kernel);
        if (sound)
            ir_print(out, kernel, NULL);
    }
    if (out)
        fclose(out);
    if (sound)
        return text;
    free(text);
    return NULL;
}

/* Names may be numbered anew once: the second text is what the third has to be.  */
static void must_settle(const char *text)
{
    char *last = NULL;
    for (int round = 0; round < 2; round++) {
        Module *module = ir_parse(text, "printed", &machine_hopper, ignore, NULL);
        char *again = module ? printed(module) : NULL;
        if (!again || (last && strcmp(last, again)))
            abort();
        module_free(module);
        free(last);
        text = last = again;
    }
    free(last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    Module *module = ir_parse(text, "input", &machine_hopper, ignore, NULL);
    if (module) {
        char *once = printed(module);
        if (once)
            must_settle(once);
        free(once);
        module_free(module);
    }
    free(text);
    return 0;
}
