/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page.c - --ws-page=FILE.html: one page that shows a kernel, for a browser without a network.
 *
 * The page is a template (driver/page.html) with a block of JSON in it: the source, the emitted code with the source's
 * lines, what passes print, the remarks, and the trace of a run on emulate.  All that is seen is made of these by the
 * page's script.
 */

#include "wscc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACE_MOST = 1500000 /* bytes of events: pages are below 3 MB */, RUN_SECONDS = 60 };

static char *emitted;

/* Called while the emitted code is there.  */
void page_emitted(const char *cu)
{
    char *text = read_file(cu);

    emitted = text && emitted ? format("%s%s", emitted, text) : text ? text : emitted;
}

void page_check(const Options *options, const Config *config)
{
    if (!*config->plugin || config->clang)
        fail("--ws-page needs the plugin, which knows the roles");
    if (!options->sources || options->step >= STEP_CHECK)
        fail("--ws-page shows sources that are compiled");
    if (options->target == TARGET_SEQUENTIAL)
        fail("--ws-page shows kernels: the sequential target has none");
}

static char *quoted(const char *word)
{
    char *text = format("'");

    for (; *word; word++)
        text = *word == '\'' ? format("%s'\\''", text) : format("%s%c", text, *word);
    return format("%s'", text);
}

static char *output_of(const char *command)
{
    FILE *pipe = popen(command, "r");
    char *text = format("%s", ""), part[65536];
    size_t length = 0;

    if (!pipe)
        fail("cannot run %s: %s", command, strerror(errno));
    for (size_t got; (got = fread(part, 1, sizeof part, pipe)) > 0; length += got) {
        text = need(realloc(text, length + got + 1));
        memcpy(text + length, part, got);
        text[length + got] = '\0';
    }
    pclose(pipe);
    return text;
}

/* wscc once more over the sources, for what it says.  */
static char *asked_again(const Options *options, const Config *config, const char *own, const char *streams)
{
    char *command = format("%s --ws-target=emulate %s -S -o /dev/null", quoted(config->self), own),
         *all = format("%s", "");

    for (int i = 0; i < options->count; i++) {
        const Item *item = &options->item[i];
        if (item->kind == ITEM_OPTION && !item->linker)
            command = format("%s %s%s%s", command, quoted(item->text), item->value ? " " : "",
                             item->value ? quoted(item->value) : "");
    }
    if (options->schedule)
        command = format("%s --ws-schedule=%s", command, quoted(options->schedule));
    for (int i = 0; i < options->count; i++)
        if (options->item[i].source && !options->item[i].emitted)
            all = format("%s%s", all, output_of(format("%s %s %s", command, quoted(options->item[i].text), streams)));
    return all;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* A string of JSON that no HTML parser takes for markup.  */
static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", file);
        else if (c < ' ' || c == '<' || c == '>' || c == '&')
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void write_member(FILE *file, const char *name, const char *text)
{
    fprintf(file, ",\n\"%s\":", name);
    write_string(file, text ? text : "");
}

/* Lines of the trace, each an event, as many as a page may hold: {"ph"...}, to {"ph"...}]}.  */
static bool write_events(FILE *file, const char *trace, long most)
{
    const char *line = trace ? strstr(trace, "\n{\"ph\"") : NULL;
    bool first = true;

    fputc('[', file);
    for (line = line ? line + 1 : NULL; line && line - trace < most; line = strchr(line, '\n') + 1) {
        size_t length = strcspn(line, "\n");
        if (length < 3 || line[length - 1] != ',')
            break;
        if (!first)
            fputs(",\n", file);
        for (size_t i = 0; i + 1 < length; i++)
            if (line[i] == '<' || line[i] == '>' || line[i] == '&')
                fprintf(file, "\\u%04x", line[i]);
            else
                fputc(line[i], file);
        first = false;
    }
    fputc(']', file);
    return trace && line && line - trace >= most;
}

/* The first of them is what the page begins with.  */
static void write_traces(FILE *file, const Args *traces)
{
    long most = TRACE_MOST / (traces->count > 1 ? traces->count : 1);

    fputs(",\n\"trace\":", file);
    bool cut = write_events(file, traces->count ? traces->item[0] : NULL, most);
    fputs(",\n\"more\":[", file);
    for (int i = 1; i < traces->count; i++) {
        if (i > 1)
            fputc(',', file);
        cut |= write_events(file, traces->item[i], most);
    }
    fprintf(file, "],\n\"cut\":%s", cut ? "true" : "false");
}

/* What the program does on emulate, without arguments and input: by its seed, and with the durations of a machine.  */
static void run_traced(const Options *options, const Config *config, Args *traces)
{
    const char *program = options->output ? options->output : "a.out";
    const char *path = format("%s/trace.json", temporary_folder());

    if (options->step != STEP_LINK || !has_target(options->target, TARGET_EMULATE))
        return;
    for (int predicted = 0; predicted < 2; predicted++) {
        const char *machine = predicted ? format("WS_MACHINE=%s ", quoted(config->machine)) : "";
        if (predicted && access(config->machine, R_OK) != 0)
            return;
        free(output_of(format("WS_TARGET=emulate WS_STEP= %sWS_TRACE=%s timeout %d %s%s </dev/null 2>&1", machine,
                              quoted(path), RUN_SECONDS, strchr(program, '/') ? "" : "./", quoted(program))));
        char *trace = read_file(path);
        if (trace)
            args_add(traces, trace);
        unlink(path);
    }
}

/* What --ws-trace names.  */
static void read_traces(const Options *options, Args *traces)
{
    for (int i = 0; i < options->traces.count; i++) {
        char *trace = read_file(options->traces.item[i]);
        if (!trace)
            fail("cannot read %s: %s", options->traces.item[i], strerror(errno));
        args_add(traces, trace);
    }
}

/* ---- --ws-timeline ----------------------------------------------------------------------------------------------- */

void timeline_check(const Options *options, const Config *config)
{
    if (options->step != STEP_LINK || !options->sources || !has_target(options->target, TARGET_EMULATE))
        fail("--ws-timeline runs what is linked for emulate: --ws-target=emulate, without -c, -S or -E");
    if (access(config->machine, R_OK) != 0)
        fail("cannot read %s: %s", config->machine, strerror(errno));
}

int timeline_write(const Options *options, const Config *config)
{
    const char *program = options->output ? options->output : "a.out";

    free(output_of(format("WS_TARGET=emulate WS_MACHINE=%s WS_TIMELINE=%s timeout %d %s%s </dev/null 2>&1",
                          quoted(config->machine), quoted(options->timeline), RUN_SECONDS,
                          strchr(program, '/') ? "" : "./", quoted(program))));
    if (access(options->timeline, R_OK) == 0)
        return 0;
    complain("error", "%s launched no kernel, and there is no timeline", program);
    return 1;
}

void page_write(const Options *options, const Config *config)
{
    static const char mark[] = "@DATA@";
    char *template = read_file(config->page), *sources = format("%s", "");
    Args traces = {0};
    char *dumps = asked_again(options, config, "--ws-dump=plan,schedule,verify", "2>/dev/null");
    char *remarks = asked_again(options, config, "--ws-show", "2>&1 >/dev/null");
    const char *place = template ? strstr(template, mark) : NULL, *name = "";

    if (options->traces.count)
        read_traces(options, &traces);
    else
        run_traced(options, config, &traces);
    if (!place)
        fail("cannot read %s: %s", config->page, strerror(errno));
    for (int i = 0; i < options->count; i++)
        if (options->item[i].source && !options->item[i].emitted) {
            char *text = read_file(options->item[i].text);
            sources = format("%s%s", sources, text ? text : "");
            name = base_name(options->item[i].text);
        }
    output_claim(options->page);
    FILE *file = fopen(options->page, "w");
    if (!file)
        fail("cannot write %s: %s", options->page, strerror(errno));
    fwrite(template, 1, (size_t)(place - template), file);
    fprintf(file, "{\"version\":\"%s\"", WSC_VERSION);
    write_member(file, "name", name);
    write_member(file, "source", sources);
    write_member(file, "emitted", emitted);
    write_member(file, "dumps", dumps);
    write_member(file, "remarks", remarks);
    write_traces(file, &traces);
    fputs("}", file);
    fputs(place + strlen(mark), file);
    if (ferror(file) || fclose(file) != 0)
        fail("cannot write %s: %s", options->page, strerror(errno));
}
