/* SPDX-License-Identifier: MIT */
/*
 * step.c - one block of the emulation, step by step, by commands of a user.
 *
 * A step is a draw of the scheduler: a group goes on to its next call, or an engine makes one step.  Between two steps
 * commands are read from a terminal or a file.  The state is shown: groups, slots, queues, possible next steps.
 *
 *   block begins --fork--> child: steps, and records each choice in shared memory
 *        ^                   |
 *        +------ back -------+  the child ends; another repeats the choices, except for the last ones
 *
 * So the kernel's effects on memory are undone, too.  A child that continues to the end of the program is the program:
 * its parent ends as the child does.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "state.h"
#include "step.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ws/backend.h>

enum { MOST_STEPS = 1 << 24, MOST_STOPS = 16, WORDS = 4, LINE_BYTES = 256 };

typedef enum { STOP_LINE, STOP_SLOT, STOP_ITERATION } stop_kind;
typedef struct {
    stop_kind kind;
    char ring[48]; /* "": any */
    long number;
} stop;

/* The state that survives a child: choices and settings.  */
typedef struct {
    bool again; /* the child has ended to be started again */
    bool seeded;
    uint64_t seed;
    size_t count, replay; /* number of choices; the first `replay` of them are repeated without a question */
    stop stops[MOST_STOPS];
    int nstops;
    uint64_t held_groups;
    unsigned held_engines; /* a mask of kinds of choices */
    uint16_t choice[MOST_STEPS];
} record;

static struct {
    bool tried, off;
    int commands; /* a file descriptor, read byte by byte, since children share its position */
    bool terminal;
    long block; /* no block before it is stepped */
    record *record;
    size_t made, left; /* steps of this block; steps until the next question */
    bool hit;
    char why[128], did[160], last[LINE_BYTES];
} session;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

/* ---- is it wanted ------------------------------------------------------------------------------------------------ */

static bool asked_by_object;

void ws_emulate_step(void)
{
    asked_by_object = true;
}

bool ws_step_wanted(void)
{
    const char *from = ws_environment_("WS_STEP");
    if (!from && asked_by_object)
        from = "-";
    if (session.tried || !from || !*from)
        return session.tried && !session.off;
    session.tried = true;
    session.commands = strcmp(from, "-") ? open(from, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    session.terminal = isatty(STDOUT_FILENO) && isatty(session.commands);
    session.off = session.commands < 0;
    if (session.off)
        fprintf(stderr, "WS_STEP: cannot read %s\n", from);
    return !session.off;
}

/* ---- the display ------------------------------------------------------------------------------------------------- */

/* The name of a group, as in reports.  */
static void group_name(const ws_sched *s, int who, char *text, size_t room)
{
    const fiber *f = s->fiber[who];
    char block[24] = "";
    if (s->config.groups)
        snprintf(block, sizeof block, " of block %d", f->block);
    snprintf(text, room, "%s %d%s", f->role[0] ? f->role : "group", f->group, block);
}

static const operation *operation_at(const ws_sched *s, uint64_t serial)
{
    for (int i = 0; i < s->noperations; i++)
        if (s->operation[i]->serial == serial)
            return s->operation[i];
    return NULL;
}

/* "put 3 of ta_tb (slot 3, phase 0)"  */
static int slot_text(const ws_sched *s, const char *what, int number, uint64_t index, char *text, size_t room)
{
    const ring *r = &s->ring[number];
    return snprintf(text, room, "%s %" PRIu64 " of %s (slot %d, phase %d)", what, index, r->name,
                    (int)(index % r->slots), (int)(index / r->slots & 1));
}

/* A group's next call, or its wait.  */
static void next_call(const ws_sched *s, const fiber *f, char *text, size_t room)
{
    switch (f->wait) {
    case WAIT_NOTHING:
        snprintf(text, room, "%s", f->doing ? f->doing : "go on");
        break;
    case WAIT_START:
        snprintf(text, room, "start");
        break;
    case WAIT_FINISH:
        snprintf(text, room, "finish");
        break;
    case WAIT_PUT:
    case WAIT_GET:
        slot_text(s, f->wait == WAIT_PUT ? "put" : "get", f->object, f->index, text, room);
        break;
    case WAIT_PRODUCTS:
        snprintf(text, room, "products, %d groups may stay", f->object);
        break;
    case WAIT_COPIES:
        snprintf(text, room, "copies out, %d may stay", f->object);
        break;
    case WAIT_WRITTEN:
        snprintf(text, room, "copies out, all written");
        break;
    case WAIT_TURN:
        snprintf(text, room, "turn %d of %s", (int)f->index, s->turns[f->object].name);
        break;
    }
}

static void choice_text(const ws_sched *s, const ws_sched_choice *c, char *text, size_t room)
{
    char who[96], what[128];
    const operation *o = operation_at(s, c->operation);
    group_name(s, c->fiber, who, sizeof who);
    if (c->kind == WS_SCHED_FIBER) {
        next_call(s, s->fiber[c->fiber], what, sizeof what);
        snprintf(text, room, "%s: %s", who, what);
    } else if (c->kind == WS_SCHED_COPY_IN) {
        slot_text(s, "put", o->ring, o->index, what, sizeof what);
        snprintf(text, room, "copy in lands: %zu bytes for %s", o->a.bytes, what);
    } else if (c->kind == WS_SCHED_PRODUCT) {
        snprintf(text, room, "product of %s is computed (group of products %" PRIu64 ")", who, o->index);
    } else {
        snprintf(text, room, "copy out %" PRIu64 " of %s %s", o->index, who,
                 c->kind == WS_SCHED_OUT_READ ? "reads shared memory" : "is written");
    }
}

/* The text of a source line, without leading blanks.  */
static void source_line(const char *path, int number, char *text, size_t room)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[512] = "";
    for (int i = 0; file && i < number; i++)
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    snprintf(text, room, "%s", line + strspn(line, " \t"));
}

enum { COLUMN = 34 };
static void show_cell(const char *text)
{
    say("  %-*.*s", COLUMN, COLUMN, text);
}

/* Roles as columns, ROW of them side by side.  */
static void show_groups(const ws_sched *s, const bool *able)
{
    enum { ROW = 3 };
    char text[200], call[120];
    for (int first = 0; first < s->nfibers; first += ROW) {
        int end = first + ROW < s->nfibers ? first + ROW : s->nfibers;
        for (int i = first; i < end; i++) {
            group_name(s, i, text, sizeof text);
            show_cell(text);
        }
        say("\n");
        for (int i = first; i < end; i++) {
            const fiber *f = s->fiber[i];
            next_call(s, f, call, sizeof call);
            snprintf(text, sizeof text, "%s%s", f->done ? "has ended" : able[i] ? "" : "waits: ", f->done ? "" : call);
            show_cell(text);
        }
        say("\n");
        for (int i = first; i < end; i++) {
            const fiber *f = s->fiber[i];
            int used = f->tile >= 0 ? snprintf(text, sizeof text, "tile %ld  ", f->tile) : 0;
            text[used] = '\0';
            if (f->line) {
                source_line(f->file, f->line, call, sizeof call);
                snprintf(text + used, sizeof text - (size_t)used, "%d: %s", f->line, call);
            }
            show_cell(text);
        }
        say("\n");
    }
}

static void show_slot(const ring *r, int j)
{
    const slot *t = &r->slot[j];
    uint64_t filled = t->filled * (uint64_t)r->slots + (uint64_t)j, full = filled - (uint64_t)r->slots;
    say("  [%d: ", j);
    if (t->filling)
        say("put %" PRIu64 ", %zu of %zu bytes", filled, t->landed, t->expected);
    else if (t->filled > t->released)
        say("full %" PRIu64 ", %d of %d releases", full, t->arrived, r->arrivals);
    else
        say("empty");
    say(", phases %d/%d]", (int)(t->filled & 1), (int)(t->released & 1));
}

static void show_rings(const ws_sched *s)
{
    for (int i = 1; i <= s->nrings; i++) {
        say("ring %s:", s->ring[i].name);
        for (int j = 0; j < s->ring[i].slots; j++) {
            if (j && j % 3 == 0)
                say("\n     ");
            show_slot(&s->ring[i], j);
        }
        say("\n");
    }
}

static void show_queue(const ws_sched *s, const char *name, ws_sched_choice_kind kind)
{
    int count = 0;
    say("%s:", name);
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        char who[96], what[128];
        if (o->kind != kind || o->progress == DONE)
            continue;
        group_name(s, o->fiber, who, sizeof who);
        if (kind == WS_SCHED_COPY_IN)
            slot_text(s, "put", o->ring, o->index, what, sizeof what);
        else
            snprintf(what, sizeof what, "%s %" PRIu64 " of %s%s", kind == WS_SCHED_PRODUCT ? "group" : "copy", o->index,
                     who, o->progress == READ ? ", read" : "");
        say("%s %s", count++ ? ";" : "", what);
    }
    say("%s\n", count ? "" : " none");
}

static void show(const ws_sched *s, int count, const ws_sched_choice *choices, int proposal)
{
    bool able[WS_SCHED_FIBERS] = {false};
    char text[256];
    if (session.terminal)
        say("\033[H\033[2J");
    for (int i = 0; i < count; i++)
        if (choices[i].kind == WS_SCHED_FIBER)
            able[choices[i].fiber] = true;
    say("%s: block %d, seed %" PRIu64 ", step %zu", s->kernel, s->config.cta, s->config.seed, session.made);
    say("%s%s\n", session.did[0] ? ": " : "", session.did);
    if (session.why[0])
        say("stopped: %s\n", session.why);
    show_groups(s, able);
    show_rings(s);
    show_queue(s, "copies in", WS_SCHED_COPY_IN);
    show_queue(s, "products", WS_SCHED_PRODUCT);
    show_queue(s, "copies out", WS_SCHED_OUT_READ);
    for (int i = 0; i < count; i++) {
        choice_text(s, &choices[i], text, sizeof text);
        say("%s%d  %s\n", i == proposal ? "-> " : "   ", i + 1, text);
    }
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static const char help[] =
    "step [N], or nothing    N steps, as the seed would (->)\n"
    "K                       of what can be next, number K\n"
    "back [N]                N steps back\n"
    "line N                  until a group comes to that line of the source (wscc --ws-step)\n"
    "break slot J [RING]     stop where slot J of a ring becomes full or empty\n"
    "break iteration I [RING]  stop at put I and at each get of it\n"
    "break line N            stop where a group comes to that line\n"
    "breaks, delete          list the stops; none any more\n"
    "continue                until a stop, a report, or the block's end\n"
    "hold G, hold copies|products|stores   not that group or engine, while anything else can be next\n"
    "free                    nothing is held\n"
    "seed N, restart         from the block's beginning, under that seed or the same\n"
    "save FILE, play FILE    the choices so far; from the beginning with those\n"
    "block N                 run until block N of a launch begins\n"
    "show, help, quit        end: run to the program's end\n";

static void again(size_t replay)
{
    session.record->replay = replay;
    session.record->again = true;
    fflush(NULL);
    _exit(0);
}

/* Reads one line, without its end; false at the end of the input.  */
static bool read_line(char *line, size_t room)
{
    size_t used = 0;
    char c;
    ssize_t gotten;
    say("(step) ");
    fflush(stdout);
    while ((gotten = read(session.commands, &c, 1)) == 1 || (gotten < 0 && errno == EINTR)) {
        if (gotten == 1 && c == '\n')
            break;
        if (gotten == 1 && used + 1 < room)
            line[used++] = c;
    }
    line[used] = '\0';
    if (!session.terminal)
        say("%s\n", line);
    return gotten == 1 || used > 0;
}

static int split(char *line, char **words)
{
    int count = 0;
    char *rest;
    for (char *word = strtok_r(line, " \t\r", &rest); word && count < WORDS; word = strtok_r(NULL, " \t\r", &rest))
        words[count++] = word;
    return count;
}

/* Parses a number of at least `least`; prints a message if there is none.  */
static bool number_of(const char *word, long least, long *number)
{
    char *end;
    errno = 0;
    *number = word ? strtol(word, &end, 10) : 0;
    if (word && !errno && end != word && !*end && *number >= least)
        return true;
    say("a number from %ld on is missing; help lists the commands\n", least);
    return false;
}

static bool is_ring(const ws_sched *s, const char *name)
{
    for (int i = 1; i <= s->nrings; i++)
        if (!name || !strcmp(s->ring[i].name, name))
            return true;
    say("there is no ring %s\n", name ? name : "");
    return false;
}

static void add_stop(const ws_sched *s, int count, char **word)
{
    record *r = session.record;
    stop new = {.kind = STOP_LINE};
    if (count < 3 || (strcmp(word[1], "slot") && strcmp(word[1], "iteration") && strcmp(word[1], "line"))) {
        say("break slot J [RING], break iteration I [RING] or break line N\n");
        return;
    }
    if (!number_of(word[2], 0, &new.number) || r->nstops == MOST_STOPS)
        return;
    if (strcmp(word[1], "line"))
        new.kind = strcmp(word[1], "slot") ? STOP_ITERATION : STOP_SLOT;
    if (count == 4 && new.kind != STOP_LINE) {
        if (!is_ring(s, word[3]))
            return;
        snprintf(new.ring, sizeof new.ring, "%s", word[3]);
    }
    r->stops[r->nstops++] = new;
}

static void list_stops(void)
{
    static const char *const kinds[] = {"line", "slot", "iteration"};
    for (int i = 0; i < session.record->nstops; i++) {
        const stop *t = &session.record->stops[i];
        say("break %s %ld %s\n", kinds[t->kind], t->number, t->ring);
    }
    if (!session.record->nstops)
        say("no stops\n");
}

static void hold(const ws_sched *s, const char *what)
{
    record *r = session.record;
    long group;
    if (what && !strcmp(what, "copies"))
        r->held_engines |= 1u << WS_SCHED_COPY_IN;
    else if (what && !strcmp(what, "products"))
        r->held_engines |= 1u << WS_SCHED_PRODUCT;
    else if (what && !strcmp(what, "stores"))
        r->held_engines |= 1u << WS_SCHED_OUT_READ | 1u << WS_SCHED_OUT_WRITE;
    else if (number_of(what, 0, &group) && group < s->nfibers)
        r->held_groups |= UINT64_C(1) << group;
    else
        say("hold a group's number, copies, products or stores\n");
}

static void save_choices(const char *path)
{
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) {
        say("cannot write %s\n", path ? path : "nothing");
        return;
    }
    for (size_t i = 0; i < session.made; i++)
        fprintf(file, "%d\n", session.record->choice[i] + 1);
    fclose(file);
}

static void play_choices(const char *path)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    size_t count = 0;
    int number;
    if (!file) {
        say("cannot read %s\n", path ? path : "nothing");
        return;
    }
    while (count < MOST_STEPS && fscanf(file, "%d", &number) == 1)
        session.record->choice[count++] = (uint16_t)(number > 0 ? number - 1 : 0);
    fclose(file);
    again(count);
}

static bool is_held(const ws_sched_choice *c)
{
    return c->kind == WS_SCHED_FIBER ? session.record->held_groups >> c->fiber & 1
                                     : session.record->held_engines >> c->kind & 1;
}

/* The seed's choice, or the first choice that is not held.  */
static int allowed(int count, const ws_sched_choice *choices, int proposal)
{
    if (!is_held(&choices[proposal]))
        return proposal;
    for (int i = 0; i < count; i++)
        if (!is_held(&choices[i]))
            return i;
    return proposal;
}

/* Commands that restart the block, or only print.  */
static void carry_out(const ws_sched *s, int count, char **word)
{
    record *r = session.record;
    long number = 1;
    if (!strcmp(word[0], "back") || !strcmp(word[0], "b")) {
        if (count == 1 || number_of(word[1], 1, &number))
            again(session.made > (size_t)number ? session.made - (size_t)number : 0);
    } else if (!strcmp(word[0], "restart")) {
        again(0);
    } else if (!strcmp(word[0], "seed")) {
        if (number_of(word[1], 0, &number)) {
            r->seed = (uint64_t)number;
            r->seeded = true;
            again(0);
        }
    } else if (!strcmp(word[0], "break")) {
        add_stop(s, count, word);
    } else if (!strcmp(word[0], "breaks")) {
        list_stops();
    } else if (!strcmp(word[0], "delete")) {
        r->nstops = 0;
    } else if (!strcmp(word[0], "hold")) {
        hold(s, word[1]);
    } else if (!strcmp(word[0], "free")) {
        r->held_groups = r->held_engines = 0;
    } else if (!strcmp(word[0], "save")) {
        save_choices(word[1]);
    } else if (!strcmp(word[0], "play")) {
        play_choices(word[1]);
    } else if (!strcmp(word[0], "help")) {
        say("%s", help);
    } else {
        say("there is no command '%s'; help lists them\n", word[0]);
    }
}

/* Commands after which the run goes on.  */
static bool goes_on(int count, char **word)
{
    long number = 1;
    if (!strcmp(word[0], "step") || !strcmp(word[0], "s")) {
        if (count > 1 && !number_of(word[1], 1, &number))
            return false;
        session.left = (size_t)number - 1;
    } else if (!strcmp(word[0], "continue") || !strcmp(word[0], "c")) {
        session.left = SIZE_MAX;
    } else if (!strcmp(word[0], "line")) {
        if (!number_of(word[1], 1, &number))
            return false;
        session.record->stops[MOST_STOPS - 1] = (stop){.kind = STOP_LINE, .number = number}; /* once */
        session.left = SIZE_MAX;
    } else if (!strcmp(word[0], "block")) {
        if (!number_of(word[1], 0, &number))
            return false;
        session.block = number;
        session.left = SIZE_MAX;
        session.record->nstops = 0;
    } else if (!strcmp(word[0], "end")) {
        session.off = true;
    } else if (!strcmp(word[0], "quit") || !strcmp(word[0], "q")) {
        fflush(NULL);
        _exit(0);
    } else {
        return false;
    }
    return true;
}

/* Reads commands until one goes on; returns the number of a choice, or -1 for the proposal.  */
static int ask(const ws_sched *s, int count, const ws_sched_choice *choices, int proposal)
{
    for (;;) {
        char line[LINE_BYTES], *word[WORDS] = {NULL}, *end;
        if (!read_line(line, sizeof line)) {
            session.off = true;
            return -1;
        }
        if (!line[0])
            snprintf(line, sizeof line, "%s", session.last[0] ? session.last : "step");
        snprintf(session.last, sizeof session.last, "%s", line);
        int words = split(line, word);
        long number = words ? strtol(word[0], &end, 10) : 0;
        if (!words)
            continue;
        if (isdigit((unsigned char)word[0][0]) && !*end) {
            if (number >= 1 && number <= count)
                return (int)number - 1;
            say("there are %d possibilities\n", count);
        } else if (!strcmp(word[0], "show")) {
            show(s, count, choices, proposal);
        } else if (goes_on(words, word)) {
            return -1;
        } else {
            carry_out(s, words, word);
        }
    }
}

/* ---- calls of the scheduler -------------------------------------------------------------------------------------- */

static void stop_for(const ws_sched *s, int who, const char *what)
{
    char name[96];
    group_name(s, who, name, sizeof name);
    if (!session.hit)
        snprintf(session.why, sizeof session.why, "%.70s (%.50s)", what, name);
    session.hit = true;
}

static bool is_at(const stop *t, const ring *r)
{
    return !t->ring[0] || !strcmp(t->ring, r->name);
}

void ws_cta_step_event(ws_sched *s, const ws_sched_event *event)
{
    char text[160];
    bool put = event->kind == WS_SCHED_EVENT_PUT, get = event->kind == WS_SCHED_EVENT_GET;
    for (int i = 0; (put || get) && i < session.record->nstops; i++) {
        const stop *t = &session.record->stops[i];
        if (t->kind != STOP_ITERATION || !is_at(t, &s->ring[event->object]) || event->index != (uint64_t)t->number)
            continue;
        slot_text(s, put ? "put" : "get", event->object, event->index, text, sizeof text);
        stop_for(s, event->fiber, text);
    }
}

void ws_cta_step_slot(ws_sched *s, int number, int place, bool full)
{
    char text[160];
    for (int i = 0; i < session.record->nstops; i++) {
        const stop *t = &session.record->stops[i];
        if (t->kind != STOP_SLOT || !is_at(t, &s->ring[number]) || t->number != place)
            continue;
        snprintf(text, sizeof text, "slot %d of %s is %s", place, s->ring[number].name, full ? "full" : "empty");
        stop_for(s, s->current, text);
    }
}

void ws_sched_line(const char *file, int line)
{
    ws_sched *s = ws_sched_current();
    char text[160];
    if (!s)
        return;
    self(s)->file = file;
    self(s)->line = line;
    if (!s->stepped)
        return;
    stop *once = &session.record->stops[MOST_STOPS - 1];
    snprintf(text, sizeof text, "%s:%d", file, line);
    if (once->kind == STOP_LINE && once->number == line) {
        stop_for(s, s->current, text);
        once->number = 0;
    }
    for (int i = 0; i < session.record->nstops; i++)
        if (session.record->stops[i].kind == STOP_LINE && session.record->stops[i].number == line)
            stop_for(s, s->current, text);
}

int ws_cta_step_choose(ws_sched *s, int count, const ws_sched_choice *choices, int proposal)
{
    record *r = session.record;
    int pick = session.made < r->replay ? r->choice[session.made] : allowed(count, choices, proposal);
    if (session.made < r->replay) {
        session.hit = false;
        pick = pick < count ? pick : proposal;
    } else if (!session.off && (session.left == 0 || session.hit)) {
        session.left = 0;
        if (!session.hit)
            session.why[0] = '\0';
        show(s, count, choices, pick);
        session.hit = false;
        session.why[0] = '\0';
        int asked = ask(s, count, choices, pick);
        pick = asked >= 0 ? asked : allowed(count, choices, proposal);
    } else if (session.left != SIZE_MAX && session.left > 0) {
        session.left--;
    }
    choice_text(s, &choices[pick], session.did, sizeof session.did);
    if (session.made < MOST_STEPS)
        r->choice[session.made++] = (uint16_t)pick;
    r->count = session.made;
    return pick;
}

/* ---- a block ----------------------------------------------------------------------------------------------------- */

/* Ends this process with the child's status.  */
static void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

bool ws_step_begin(int cta)
{
    if (!ws_step_wanted() || cta < session.block)
        return false;
    record *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r == MAP_FAILED) {
        fprintf(stderr, "WS_STEP: out of memory\n");
        session.off = true;
        return false;
    }
    if (session.record) {
        memcpy(r->stops, session.record->stops, sizeof r->stops);
        r->nstops = session.record->nstops;
        munmap(session.record, sizeof *r);
    }
    session.record = r;
    session.made = session.left = 0;
    session.block = 0;
    session.hit = false;
    session.did[0] = session.why[0] = '\0';
    for (;;) {
        int status = 0;
        fflush(NULL);
        r->again = false;
        pid_t child = fork();
        if (child <= 0) {
            session.off |= child < 0;
            return true;
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        if (!r->again)
            end_as(status);
    }
}

uint64_t ws_step_seed(uint64_t seed)
{
    return session.record && session.record->seeded ? session.record->seed : seed;
}

void ws_step_end(ws_sched *s)
{
    if (session.off || session.block)
        return;
    if (session.terminal)
        say("\033[H\033[2J");
    say("%s: block %d, seed %" PRIu64 ", step %zu: ", s->kernel, s->config.cta, s->config.seed, session.made);
    say("%s%s\n", s->failed ? "a report, behind: " : "", s->failed ? session.did : "the block has ended");
    if (s->failed) {
        show_rings(s);
        say("%s\n", s->report);
    }
    while (ask(s, 0, NULL, 0) >= 0)
        ;
    session.left = 0;
    fflush(stdout);
}
