/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c - the reader of machines and graphs.
 *
 *      machine NAME                                          loop NAME
 *      unit NAME [capacity=N] [each-group|interleaved]           memory NAME capacity=N
 *      kind NAME [use=UNIT:RATE]... [latency=N] [asynchronous] [variable] [streaming] [alone]
 *      groups N      replicas N      registers N      crossings N      normalize N      spill rate=BYTES
 *      wait strict|in-order|free      reader-registers      spare N      prefer AIM...
 *      op NAME [kind=KIND work=N[xN]...]... [unit=UNIT] [cycles=N] [use=UNIT:OFFSET:CYCLES]... [registers=N] [spill=N]
 *         [memory=SPACE:N]... [latency=N] [asynchronous] [variable] [streaming] [alone] [shared]
 *      edge NAME -> NAME [delay=N] [distance=N] [hold=N|all] [blocking]
 *      limit|cost|estimate|fitted|fixed NAME VALUE               for the compiler; the solver skips them
 *
 * A statement is a line, and # begins a comment. Machine and graph are read one after the other, so that a graph may
 * add statements that its machine lacks.
 */
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void (*failed)(void);

void fail_by(void (*then)(void))
{
    failed = then;
}

static _Noreturn void give_up(const char *where, const char *message)
{
    if (failed)
        failed();
    fprintf(stderr, "%serror: %s\n", where, message);
    exit(1);
}

void *need(void *memory)
{
    if (!memory)
        give_up("wsc-solve: ", "out of memory");
    return memory;
}

char *format(const char *pattern, ...)
{
    va_list list;
    char *text = NULL;

    va_start(list, pattern);
    if (vasprintf(&text, pattern, list) < 0)
        text = NULL;
    va_end(list);
    return need(text);
}

void add(Text *text, const char *pattern, ...)
{
    va_list list;

    va_start(list, pattern);
    int more = vsnprintf(NULL, 0, pattern, list);
    va_end(list);
    if (text->length + (size_t)more + 1 > text->room) {
        text->room = 2 * (text->length + (size_t)more + 256);
        text->text = need(realloc(text->text, text->room));
    }
    va_start(list, pattern);
    vsnprintf(text->text + text->length, text->room - text->length, pattern, list);
    va_end(list);
    text->length += (size_t)more;
}

void fail(const char *pattern, ...)
{
    va_list list;
    char *text = NULL;

    va_start(list, pattern);
    if (vasprintf(&text, pattern, list) < 0)
        text = NULL;
    va_end(list);
    give_up("wsc-solve: ", text ? text : "out of memory");
}

char *read_file(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
    Text text = {0};
    char part[4096];
    size_t got;

    if (!file)
        fail("%s: %s", path, strerror(errno));
    while ((got = fread(part, 1, sizeof part - 1, file)) > 0) {
        part[got] = '\0';
        if (strlen(part) != got)
            fail("%s: this is no text", path);
        add(&text, "%s", part);
    }
    if (ferror(file))
        fail("%s: %s", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    add(&text, "%s", "");
    return text.text;
}

/* ---- words of a line --------------------------------------------------------------------------------------------- */

void complain_at(const Reader *ctx, char *text)
{
    give_up(format("%s:%d: ", ctx->path, ctx->line), text);
}

char *next_word(Reader *ctx)
{
    return strtok_r(NULL, " \t\r", &ctx->rest);
}

char *need_word(Reader *ctx, const char *what)
{
    char *word = next_word(ctx);

    if (!word)
        COMPLAIN(ctx, "%s is missing", what);
    return word;
}

static double number(const Reader *ctx, const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= least && value <= most))
        COMPLAIN(ctx, "'%s' is no number from %g to %g", text, least, most);
    return value;
}

int whole(const Reader *ctx, const char *text, int least)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < least || value > 1000000)
        COMPLAIN(ctx, "'%s' is no whole number from %d to 1000000", text, least);
    return (int)value;
}

char *copied(const char *text)
{
    return format("%s", text);
}

char *value_in(char *word, const char *name)
{
    size_t length = strlen(name);

    return !strncmp(word, name, length) && word[length] == '=' ? word + length + 1 : NULL;
}

/* Cuts the text at the next colon and returns the rest.  */
static char *behind_colon(const Reader *ctx, char *text)
{
    char *colon = strchr(text, ':');

    if (!colon)
        COMPLAIN(ctx, "'%s' lacks a colon", text);
    *colon = '\0';
    return colon + 1;
}

static int find_unit(const Unit *units, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(units[i].name, name))
            return i;
    return NOT_GIVEN;
}

static int need_unit(const Reader *ctx, const Unit *units, int n, const char *name, const char *what)
{
    int found = find_unit(units, n, name);

    if (found == NOT_GIVEN)
        COMPLAIN(ctx, "there is no %s '%s'", what, name);
    return found;
}

static int find_op(const Problem *problem, const char *name)
{
    for (int i = 0; i < problem->nops; i++)
        if (!strcmp(problem->ops[i].name, name))
            return i;
    return NOT_GIVEN;
}

int need_op(const Reader *ctx, const Problem *problem, const char *name)
{
    int found = find_op(problem, name);

    if (found == NOT_GIVEN)
        COMPLAIN(ctx, "there is no operation '%s'", name);
    return found;
}

#define ROOM(list, n) (list) = need(realloc((list), ((size_t)(n) + 1) * sizeof(list)[0]))

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void read_unit(Reader *ctx, Unit **units, int *n, const char *what)
{
    char *name = need_word(ctx, "a name"), *word, *value;

    if (find_unit(*units, *n, name) != NOT_GIVEN)
        COMPLAIN(ctx, "%s '%s' is there twice", what, name);
    ROOM(*units, *n);
    Unit *unit = &(*units)[(*n)++];
    *unit = (Unit){copied(name), 1, false, false};
    while ((word = next_word(ctx)))
        if ((value = value_in(word, "capacity")))
            unit->capacity = whole(ctx, value, 1);
        else if (!strcmp(word, "each-group") && !strcmp(what, "unit"))
            unit->each = true;
        else if (!strcmp(word, "interleaved") && !strcmp(what, "unit"))
            unit->interleaved = true;
        else
            COMPLAIN(ctx, "a %s has a capacity, and no '%s'", what, word);
}

static bool read_flag(const char *word, bool *variable, bool *streaming, bool *asynchronous, bool *alone)
{
    bool *flag = !strcmp(word, "variable")       ? variable
                 : !strcmp(word, "streaming")    ? streaming
                 : !strcmp(word, "asynchronous") ? asynchronous
                 : !strcmp(word, "alone")        ? alone
                                                 : NULL;
    if (flag)
        *flag = true;
    return flag;
}

static void read_kind(Reader *ctx, const Problem *problem, Kind **kinds, int *n)
{
    char *word, *value;

    ROOM(*kinds, *n);
    Kind *kind = &(*kinds)[*n];
    *kind = (Kind){.name = copied(need_word(ctx, "a name"))};
    for (int i = 0; i < *n; i++)
        if (!strcmp((*kinds)[i].name, kind->name))
            COMPLAIN(ctx, "kind '%s' is there twice", kind->name);
    ++*n;
    while ((word = next_word(ctx))) {
        if (read_flag(word, &kind->variable, &kind->streaming, &kind->asynchronous, &kind->alone))
            continue;
        if ((value = value_in(word, "latency")))
            kind->latency = whole(ctx, value, 0);
        else if ((value = value_in(word, "use"))) {
            char *rate = behind_colon(ctx, value);
            if (kind->nuses == MAX_USES)
                COMPLAIN(ctx, "a kind uses at most %d units", MAX_USES);
            kind->uses[kind->nuses].unit = need_unit(ctx, problem->units, problem->nunits, value, "unit");
            kind->uses[kind->nuses++].rate = number(ctx, rate, 1e-6, 1e9);
        } else
            COMPLAIN(ctx, "a kind has no '%s'", word);
    }
}

static double read_work(const Reader *ctx, char *text)
{
    double work = 1;

    for (char *rest = NULL, *factor = strtok_r(text, "x", &rest); factor; factor = strtok_r(NULL, "x", &rest))
        work *= number(ctx, factor, 0, 1e9);
    return work;
}

static void read_use(const Reader *ctx, const Problem *problem, Op *op, char *value)
{
    char *offset = behind_colon(ctx, value), *cycles = behind_colon(ctx, offset);

    if (op->nuses == MAX_USES)
        COMPLAIN(ctx, "an operation uses at most %d units", MAX_USES);
    op->uses[op->nuses++] = (Use){need_unit(ctx, problem->units, problem->nunits, value, "unit"), whole(ctx, offset, 0),
                                  whole(ctx, cycles, 1)};
}

static void read_op(Reader *ctx, Problem *problem)
{
    char *word, *value, *unit = NULL;

    ROOM(problem->ops, problem->nops);
    Op *op = &problem->ops[problem->nops];
    *op = (Op){.name = copied(need_word(ctx, "a name")), .spill = NOT_GIVEN, .line = ctx->line};
    if (find_op(problem, op->name) != NOT_GIVEN)
        COMPLAIN(ctx, "operation '%s' is there twice", op->name);
    while ((word = next_word(ctx))) {
        if (!strcmp(word, "shared")) {
            op->shared = true;
            continue;
        }
        if (read_flag(word, &op->variable, &op->streaming, &op->asynchronous, &op->alone))
            continue;
        if ((value = value_in(word, "kind"))) {
            bool known = false;
            for (int i = 0; i < problem->nkinds; i++)
                known |= !strcmp(problem->kinds[i].name, value);
            if (!known)
                COMPLAIN(ctx, "the machine has no kind '%s'", value);
            if (op->nkinds == MAX_KINDS)
                COMPLAIN(ctx, "an operation is of at most %d kinds", MAX_KINDS);
            op->kinds[op->nkinds++].name = copied(value);
        } else if ((value = value_in(word, "work"))) {
            if (!op->nkinds)
                COMPLAIN(ctx, "work is of a kind, which comes first");
            op->kinds[op->nkinds - 1].work = read_work(ctx, value);
        } else if ((value = value_in(word, "unit")))
            unit = value;
        else if ((value = value_in(word, "cycles")))
            op->cycles = whole(ctx, value, 0);
        else if ((value = value_in(word, "registers")))
            op->registers = whole(ctx, value, 0);
        else if ((value = value_in(word, "spill")))
            op->spill = whole(ctx, value, 0);
        else if ((value = value_in(word, "latency")))
            op->latency = whole(ctx, value, 0);
        else if ((value = value_in(word, "slots")))
            op->slots = whole(ctx, value, 1);
        else if ((value = value_in(word, "use")))
            read_use(ctx, problem, op, value);
        else if ((value = value_in(word, "memory"))) {
            char *amount = behind_colon(ctx, value);
            if (op->nheld == MAX_HELD)
                COMPLAIN(ctx, "an operation holds at most %d memories", MAX_HELD);
            int space = need_unit(ctx, problem->spaces, problem->nspaces, value, "memory");
            op->held[op->nheld++] = (Held){space, whole(ctx, amount, 0)};
        } else
            COMPLAIN(ctx, "an operation has no '%s'", word);
    }
    if (unit) {
        int found = need_unit(ctx, problem->units, problem->nunits, unit, "unit");
        if (op->nuses == MAX_USES)
            COMPLAIN(ctx, "an operation uses at most %d units", MAX_USES);
        if (op->cycles)
            op->uses[op->nuses++] = (Use){found, 0, op->cycles};
    }
    if (op->streaming && op->cycles)
        COMPLAIN(ctx, "a streaming operation has a latency, and no cycles");
    problem->nops++;
}

static void read_edge(Reader *ctx, Problem *problem)
{
    char *word, *value;

    ROOM(problem->edges, problem->nedges);
    Edge *edge = &problem->edges[problem->nedges];
    *edge = (Edge){.delay = NOT_GIVEN, .hold = NOT_GIVEN, .line = ctx->line};
    edge->from = need_op(ctx, problem, need_word(ctx, "an operation"));
    if (strcmp(need_word(ctx, "->"), "->"))
        COMPLAIN(ctx, "an edge is: edge NAME -> NAME");
    edge->to = need_op(ctx, problem, need_word(ctx, "an operation"));
    while ((word = next_word(ctx))) {
        if (!strcmp(word, "blocking"))
            edge->blocking = true;
        else if ((value = value_in(word, "delay")))
            edge->delay = whole(ctx, value, 0);
        else if ((value = value_in(word, "distance")))
            edge->distance = whole(ctx, value, 0);
        else if ((value = value_in(word, "hold")))
            edge->hold = strcmp(value, "all") ? whole(ctx, value, 0) : HOLD_ALL;
        else
            COMPLAIN(ctx, "an edge has no '%s'", word);
    }
    if (problem->ops[edge->to].streaming)
        COMPLAIN(ctx, "'%s' is streaming, and depends on nothing in the loop", problem->ops[edge->to].name);
    problem->nedges++;
}

static void read_loop(Reader *ctx, Problem *problem)
{
    const char *name = need_word(ctx, "a name");

    ctx->other = problem->wanted && strcmp(problem->wanted, name);
    if (ctx->other)
        return;
    if (problem->name)
        COMPLAIN(ctx, "there is more than one loop; --loop=%s takes this one", name);
    problem->name = copied(name);
}

static void read_spill(Reader *ctx, Problem *problem)
{
    char *value = value_in(need_word(ctx, "a rate"), "rate");

    if (!value)
        COMPLAIN(ctx, "spill is: spill rate=BYTES");
    problem->spill_rate = number(ctx, value, 0, 1e9);
}

static void read_wait(Reader *ctx, Problem *problem)
{
    static const char *const names[] = {"strict", "in-order", "free"};
    const char *name = need_word(ctx, "strict, in-order or free");
    int i = 0;

    while (i < 3 && strcmp(names[i], name))
        i++;
    if (i == 3)
        COMPLAIN(ctx, "wait is strict, in-order or free, and not '%s'", name);
    problem->wait = (Wait)i;
}

const char *const aim_names[AIMS] = {[AIM_SPARE] = "spare",     [AIM_CROSSINGS] = "crossings",
                                     [AIM_EXPOSED] = "exposed", [AIM_GROUP_INTERVAL] = "group-interval",
                                     [AIM_CARRIED] = "carried", [AIM_LENGTH] = "length",
                                     [AIM_LATE] = "late"};

static void read_aims(Reader *ctx, Problem *problem)
{
    bool settled = problem->prefer != NULL; /* the option overrides the file */

    problem->naims = settled ? problem->naims : 0;
    for (char *word; (word = next_word(ctx));) {
        int aim = 0;
        if (settled)
            continue;
        while (aim < AIMS && strcmp(aim_names[aim], word))
            aim++;
        if (aim == AIMS)
            COMPLAIN(ctx, "'%s' is nothing to prefer: spare, crossings, exposed, group-interval, carried, length, late",
                     word);
        for (int i = 0; i < problem->naims; i++)
            if (problem->aims[i] == (Aim)aim)
                COMPLAIN(ctx, "'%s' is there twice", word);
        problem->aims[problem->naims++] = (Aim)aim;
    }
}

/* True for a row that the compiler, its launchers or lib/product read (machines/table.awk).  */
static bool is_for_compiler(const char *word)
{
    return !strcmp(word, "limit") || !strcmp(word, "cost") || !strcmp(word, "estimate") || !strcmp(word, "fitted") ||
           !strcmp(word, "fixed");
}

static void skip_row(Reader *ctx)
{
    need_word(ctx, "a name");
    need_word(ctx, "a number");
}

static void read_statement(Reader *ctx, Problem *problem, const char *word)
{
    if (!strcmp(word, "machine"))
        problem->machine = copied(need_word(ctx, "a name"));
    else if (!strcmp(word, "loop"))
        read_loop(ctx, problem);
    else if (!strcmp(word, "unit"))
        read_unit(ctx, &problem->units, &problem->nunits, "unit");
    else if (!strcmp(word, "memory"))
        read_unit(ctx, &problem->spaces, &problem->nspaces, "memory");
    else if (!strcmp(word, "kind"))
        read_kind(ctx, problem, &problem->kinds, &problem->nkinds);
    else if (!strcmp(word, "timeline"))
        read_kind(ctx, problem, &problem->timeline, &problem->ntimeline);
    else if (!strcmp(word, "op"))
        read_op(ctx, problem);
    else if (!strcmp(word, "edge"))
        read_edge(ctx, problem);
    else if (!strcmp(word, "groups"))
        problem->groups = whole(ctx, need_word(ctx, "a number"), 1);
    else if (!strcmp(word, "replicas"))
        problem->replicas = whole(ctx, need_word(ctx, "a number"), 1);
    else if (!strcmp(word, "turns"))
        problem->turns = true;
    else if (!strcmp(word, "registers"))
        problem->registers = whole(ctx, need_word(ctx, "a number"), 0);
    else if (!strcmp(word, "crossings"))
        problem->crossings = whole(ctx, need_word(ctx, "a number"), 0);
    else if (!strcmp(word, "normalize"))
        problem->normalize = whole(ctx, need_word(ctx, "a number"), 0);
    else if (!strcmp(word, "spare"))
        problem->spare = whole(ctx, need_word(ctx, "a number"), 0);
    else if (!strcmp(word, "reader-registers"))
        problem->reader_registers = true;
    else if (!strcmp(word, "spill"))
        read_spill(ctx, problem);
    else if (!strcmp(word, "wait"))
        read_wait(ctx, problem);
    else if (!strcmp(word, "prefer"))
        read_aims(ctx, problem);
    else if (!strcmp(word, "processors"))
        whole(ctx, need_word(ctx, "a number"), 1); /* only the emulation with durations uses the number */
    else if (is_for_compiler(word))
        skip_row(ctx);
    else if (!strcmp(word, "in-flight"))
        problem->in_flight = whole(ctx, need_word(ctx, "a number"), 1);
    else
        COMPLAIN(ctx, "there is no statement '%s'", word);
    if ((word = next_word(ctx)))
        COMPLAIN(ctx, "'%s' is too much", word);
}

void problem_init(Problem *problem)
{
    *problem = (Problem){.groups = 1,
                         .replicas = 1,
                         .in_flight = 1,
                         .crossings = NOT_GIVEN,
                         .clocks = 1,
                         .aims = {AIM_CROSSINGS, AIM_LENGTH, AIM_LATE},
                         .naims = 3};
}

bool next_line(Reader *ctx, char **at)
{
    if (!**at)
        return false;
    char *line = *at, *end = line + strcspn(line, "\n");
    *at = *end ? end + 1 : end;
    *end = '\0';
    line[strcspn(line, "#")] = '\0';
    ctx->line++;
    ctx->rest = line;
    return true;
}

void settle_aims(Problem *problem, char *words)
{
    Reader ctx = {"--prefer", 1, words, words, false};

    for (char *comma; (comma = strchr(words, ','));)
        *comma = ' ';
    read_aims(&ctx, problem);
    problem->prefer = words;
}

void read_problem(Problem *problem, const char *path, const char *text)
{
    Reader ctx = {path, 0, copied(text), NULL, false};
    char *at = ctx.copy, *word;

    while (next_line(&ctx, &at))
        if ((word = next_word(&ctx)) && (!ctx.other || !strcmp(word, "loop")))
            read_statement(&ctx, problem, word);
    free(ctx.copy);
}

/* True if a path of edges with distance 0 leads from `op` back to it.  */
static bool returns(const Problem *problem, int op, char *seen)
{
    if (seen[op])
        return seen[op] == 1;
    seen[op] = 1;
    for (int e = 0; e < problem->nedges; e++)
        if (problem->edges[e].from == op && !problem->edges[e].distance && returns(problem, problem->edges[e].to, seen))
            return true;
    seen[op] = 2;
    return false;
}

void finish_problem(Problem *problem)
{
    char *seen = need(calloc((size_t)problem->nops + 1, 1));

    if (problem->wanted && !problem->name)
        fail("there is no loop '%s'", problem->wanted);
    if (!problem->nops)
        fail("there is no operation to schedule");
    if (problem->registers && problem->spare >= problem->registers)
        fail("%d registers to spare of %d leave none", problem->spare, problem->registers);
    if (!problem->name)
        problem->name = copied("loop");
    if (!problem->machine)
        problem->machine = copied("unnamed");
    for (int v = 0; v < problem->nops; v++)
        if (returns(problem, v, seen))
            fail("%s: '%s' needs itself in one iteration; an edge of the way lacks a distance", problem->name,
                 problem->ops[v].name);
    free(seen);
    cost_problem(problem);
    for (int v = 0; v < problem->nops; v++)
        for (int i = 0; i < problem->ops[v].nuses; i++)
            if (problem->units[problem->ops[v].uses[i].unit].each &&
                (problem->ops[v].variable || problem->ops[v].streaming))
                fail("%s: '%s' is in no group, and each group has a unit %s of its own", problem->name,
                     problem->ops[v].name, problem->units[problem->ops[v].uses[i].unit].name);
    for (int e = 0; e < problem->nedges; e++)
        for (int f = 0; f < e; f++) {
            const Edge *a = &problem->edges[e], *b = &problem->edges[f];
            if (a->from == b->from && a->to == b->to && a->delay == b->delay && a->distance == b->distance &&
                a->hold == b->hold)
                fail("%s: the edge %s -> %s is there twice", problem->name, problem->ops[a->from].name,
                     problem->ops[a->to].name);
        }
}

bool spills(const Problem *problem, int from, int to)
{
    const Op *a = &problem->ops[from], *b = &problem->ops[to];

    return from != to && a->spill > 0 && !a->variable && !a->streaming && !b->variable && !b->streaming;
}

void problem_free(Problem *problem)
{
    for (int i = 0; i < problem->nunits; i++)
        free((char *)problem->units[i].name);
    for (int i = 0; i < problem->nspaces; i++)
        free((char *)problem->spaces[i].name);
    for (int i = 0; i < problem->nkinds; i++)
        free((char *)problem->kinds[i].name);
    for (int i = 0; i < problem->ntimeline; i++)
        free((char *)problem->timeline[i].name);
    free(problem->timeline);
    for (int i = 0; i < problem->nops; i++) {
        free((char *)problem->ops[i].name);
        for (int k = 0; k < problem->ops[i].nkinds; k++)
            free((char *)problem->ops[i].kinds[k].name);
    }
    free((char *)problem->machine);
    free((char *)problem->name);
    free(problem->units);
    free(problem->spaces);
    free(problem->kinds);
    free(problem->ops);
    free(problem->edges);
}
