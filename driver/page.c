/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page.c - --ws-page=FILE.html: one page that shows a kernel, for a browser without a network.
 *
 * The page is a template (driver/page.html) with a block of JSON.  The JSON has the source, the emitted code with
 * source lines, dumps of passes, remarks, and the trace of a run on emulate.  The page's script renders all of these.
 */

#include "wscc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACE_MOST = 1500000 /* bytes of events: pages are below 3 MB */, RUN_SECONDS = 60 };

static char *emitted;

/* Called while the emitted code exists.  */
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

/* Runs wscc again over the sources and returns its output.  */
static char *asked_again(const Options *options, const Config *config, const char *own, Taken taken)
{
    Args args = {0};
    char *all = format("%s", "");

    args_add(&args, config->self);
    args_add(&args, "--ws-target=emulate");
    args_add(&args, own);
    args_add_words(&args, "-S -o /dev/null");
    for (int i = 0; i < options->count; i++) {
        const Item *item = &options->item[i];
        if (item->kind != ITEM_OPTION || item->linker)
            continue;
        args_add(&args, item->text);
        if (item->value)
            args_add(&args, item->value);
    }
    args_add(&args, format("--ws-gpu=%s", options->gpu));
    if (options->strict)
        args_add(&args, "--ws-strict");
    if (options->schedule)
        args_add(&args, format("--ws-schedule=%s", options->schedule));
    for (int i = 0; i < options->count; i++) {
        Args one = {0};
        if (!options->item[i].source || options->item[i].emitted)
            continue;
        args_add_all(&one, &args);
        args_add(&one, options->item[i].text);
        all = format("%s%s", all, output_of(&one, NULL, taken));
    }
    return all;
}

/* Runs the linked program without arguments and input, for at most RUN_SECONDS.  */
static void run_program(const Options *options, const Args *environment)
{
    const char *program = options->output ? options->output : "a.out";
    Args args = {0};

    args_add(&args, "timeout");
    args_add(&args, format("%d", RUN_SECONDS));
    args_add(&args, strchr(program, '/') ? program : format("./%s", program));
    free(output_of(&args, environment, TAKE_OUTPUT));
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* A JSON string that no HTML parser takes for markup.  */
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

/* ---- JSON of other programs -------------------------------------------------------------------------------------- */

enum { NESTED_MOST = 64 };

static const char *behind_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* Returns the position after the string, or NULL.  */
static const char *behind_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
            at += 4;
        else if (!*at || !strchr("\"\\/bfnrt", *at))
            return NULL;
    }
    return at + 1;
}

static const char *behind_digits(const char *at)
{
    size_t digits = strspn(at, "0123456789");
    return digits ? at + digits : NULL;
}

static const char *behind_number(const char *at)
{
    at += *at == '-';
    const bool zero = *at == '0';
    const char *begin = at;
    at = behind_digits(at);
    if (!at || (zero && at > begin + 1))
        return NULL;
    if (*at == '.')
        at = behind_digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) {
        at++;
        at = behind_digits(at + (*at == '+' || *at == '-'));
    }
    return at;
}

static const char *behind_value(const char *at, int depth);

/* An object or an array.  */
static const char *behind_list(const char *at, int depth)
{
    const bool object = *at == '{';
    const char end = object ? '}' : ']';

    at = behind_blanks(at + 1);
    if (*at == end)
        return at + 1;
    for (;; at++) {
        at = behind_blanks(at);
        if (object) {
            at = *at == '"' ? behind_string(at) : NULL;
            at = at ? behind_blanks(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = behind_value(behind_blanks(at), depth + 1);
        at = at ? behind_blanks(at) : NULL;
        if (!at || *at == end)
            return at ? at + 1 : NULL;
        if (*at != ',')
            return NULL;
    }
}

static const char *behind_value(const char *at, int depth)
{
    static const char *const words[] = {"true", "false", "null"};

    if (depth > NESTED_MOST)
        return NULL;
    if (*at == '{' || *at == '[')
        return behind_list(at, depth);
    if (*at == '"')
        return behind_string(at);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (starts_with(at, words[i]))
            return at + strlen(words[i]);
    return behind_number(at);
}

/* One line: an object, followed by a comma if another event follows.  Returns the comma, or NULL.  */
static const char *end_of_event(const char *line)
{
    const char *end = *line == '{' ? behind_value(line, 0) : NULL;
    end = end ? behind_blanks(end) : NULL;
    return end && *end == ',' && behind_blanks(end + 1)[0] == '\n' ? end : NULL;
}

static const char *first_event(const char *trace)
{
    const char *line = trace ? strstr(trace, "\n{\"ph\"") : NULL;
    return line ? line + 1 : NULL;
}

/* Writes lines of the trace, each an event, as many as a page may hold: from {"ph"...} to {"ph"...}]}.  */
static bool write_events(FILE *file, const char *trace, long most)
{
    const char *line = first_event(trace), *end;
    bool first = true;

    fputc('[', file);
    for (; line && line - trace < most && (end = end_of_event(line)); line = strchr(end, '\n') + 1) {
        if (!first)
            fputs(",\n", file);
        for (const char *at = line; at < end; at++)
            if (*at == '<' || *at == '>' || *at == '&')
                fprintf(file, "\\u%04x", *at);
            else
                fputc(*at, file);
        first = false;
    }
    fputc(']', file);
    return trace && line && line - trace >= most;
}

/* The page shows the first trace at first.  */
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

/* Runs the program on emulate, by its seed, and with the durations of a machine.  */
static void run_traced(const Options *options, const Config *config, Args *traces)
{
    const char *path = format("%s/trace.json", temporary_folder());

    if (options->step != STEP_LINK || !has_target(options->target, TARGET_EMULATE))
        return;
    for (int predicted = 0; predicted < 2; predicted++) {
        Args environment = {0};
        if (predicted && access(config->machine, R_OK) != 0)
            return;
        args_add(&environment, "WS_TARGET=emulate");
        args_add(&environment, "WS_STEP=");
        args_add(&environment, format("WS_TRACE=%s", path));
        if (predicted)
            args_add(&environment, format("WS_MACHINE=%s", config->machine));
        run_program(options, &environment);
        char *trace = read_file(path);
        if (trace)
            args_add(traces, trace);
        unlink(path);
    }
}

/* Checks that the page's script can read all events.  */
static void check_trace(const char *path, const char *trace)
{
    const char *end, *line = first_event(trace);
    int number = 1;

    if (!starts_with(trace, "{\"displayTimeUnit\":"))
        fail("%s is no trace that WS_TRACE has written", path);
    for (const char *at = trace; line && at < line; at++)
        number += *at == '\n';
    for (; line && *line; number++) {
        end = end_of_event(line);
        const char *last = end ? NULL : behind_value(line, 0);
        if (last && starts_with(behind_blanks(last), "]}"))
            return;
        if (!end)
            fail("%s:%d: this is no event of a trace", path, number);
        line = strchr(end, '\n') + 1;
    }
}

/* Reads the traces that --ws-trace names.  */
static void read_traces(const Options *options, Args *traces)
{
    for (int i = 0; i < options->traces.count; i++) {
        char *trace = read_file(options->traces.item[i]);
        if (!trace)
            fail("cannot read %s: %s", options->traces.item[i], strerror(errno));
        check_trace(options->traces.item[i], trace);
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

    Args environment = {0};

    args_add(&environment, "WS_TARGET=emulate");
    args_add(&environment, format("WS_MACHINE=%s", config->machine));
    args_add(&environment, format("WS_TIMELINE=%s", options->timeline));
    run_program(options, &environment);
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
    char *dumps = asked_again(options, config, "--ws-dump=plan,schedule,verify", TAKE_OUTPUT);
    char *remarks = asked_again(options, config, "--ws-show", TAKE_ERRORS);
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
