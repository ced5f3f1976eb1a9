/* SPDX-License-Identifier: MIT */
/*
 * trace.c - the events of a CTA, for Perfetto and chrome://tracing.
 *
 * Each event is stored as a few numbers while the CTA runs, and converted to text afterwards.  The time is the number
 * of the event, which gives an order and no duration.  With a machine description the time is in its clocks.
 *
 *      track                    contents
 *      a group                  its waits (from, to), and its actions (at)
 *      a group's tensor core    products, from the start or the previous product's end, to the end
 *      copies in, copies out    from the start to the last byte
 *      a slot of a ring         put 5: from the put until it is full; full 5: until all groups have released it
 *
 * Every event has the numbers of its name as arguments: group, ring, slot, phase, index.
 */
#include "state.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_FULL = WS_SCHED_EVENT_EXIT + 1, SLOT_EMPTY, WORK, TRACKS = 1000, OPEN_MOST = 4096 };

typedef struct {
    uint64_t time, since; /* since: the begin of its wait */
    uint64_t index;
    const void *at;
    uint32_t bytes;
    int kind, fiber, object;
    long tile;
} record;

struct trace {
    record *records;
    size_t count, room;
    uint64_t ticks;
    bool full; /* no memory for more */
};

bool ws_sched_trace(ws_sched *s)
{
    s->trace = calloc(1, sizeof *s->trace);
    return s->trace != NULL;
}

void ws_cta_trace_delete(struct trace *trace)
{
    if (trace)
        free(trace->records);
    free(trace);
}

uint64_t ws_cta_trace_time(const ws_sched *s)
{
    return s->clock ? (uint64_t)ws_cta_clock_now(s) : s->trace->ticks;
}

static void keep(ws_sched *s, record what)
{
    struct trace *t = s->trace;
    if (t->count == t->room && !t->full) {
        size_t room = t->room ? 2 * t->room : 4096;
        record *more = realloc(t->records, room * sizeof *more);
        t->full = !more;
        t->records = more ? more : t->records;
        t->room = more ? room : t->room;
    }
    what.time = s->clock ? (uint64_t)ws_cta_clock_now(s) : t->ticks + 1;
    t->ticks = what.time;
    what.tile = ws_sched_tile(s);
    if (t->count < t->room)
        t->records[t->count++] = what;
}

void ws_cta_trace(ws_sched *s, const ws_sched_event *event)
{
    if (event->kind == WS_SCHED_EVENT_GLOBAL)
        return;
    if (event->kind == WS_SCHED_EVENT_PRODUCT && s->trace->count) { /* its second operand */
        record *last = &s->trace->records[s->trace->count - 1];
        if (last->kind == WS_SCHED_EVENT_PRODUCT && last->index == event->index) {
            last->bytes += (uint32_t)event->range.bytes;
            return;
        }
    }
    keep(s, (record){.since = s->fiber[event->fiber]->since,
                     .kind = (int)event->kind,
                     .fiber = event->fiber,
                     .object = event->object,
                     .index = event->index,
                     .at = event->range.at,
                     .bytes = (uint32_t)event->range.bytes});
}

void ws_cta_trace_slot(ws_sched *s, const slot *t, bool full)
{
    for (int i = 1; i <= s->nrings; i++) {
        const ring *r = &s->ring[i];
        if (t < r->slot || t >= r->slot + r->slots)
            continue;
        uint64_t round = (full ? t->filled : t->released) - 1;
        keep(s, (record){.kind = full ? SLOT_FULL : SLOT_EMPTY,
                         .fiber = s->current,
                         .object = i,
                         .index = round * r->slots + (t - r->slot)});
        return;
    }
}

void ws_cta_trace_work(ws_sched *s, int number, uint64_t begin)
{
    keep(s, (record){.since = begin, .kind = WORK, .fiber = s->current, .object = number});
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

typedef struct {
    ws_sched *s;
    char *text;
    size_t used, room;
    int process;
    record *open[OPEN_MOST]; /* begun and not ended */
    int nopen;
    uint64_t last_product[WS_SCHED_FIBERS];
} writer;

static __attribute__((format(printf, 2, 3))) void say(writer *w, const char *format, ...)
{
    va_list list;
    if (w->used + 1024 > w->room) {
        size_t room = 2 * w->room + 65536;
        char *more = realloc(w->text, room);
        if (!more)
            return;
        w->text = more;
        w->room = room;
    }
    va_start(list, format);
    int length = vsnprintf(w->text + w->used, w->room - w->used, format, list);
    va_end(list);
    if (length > 0 && (size_t)length < w->room - w->used)
        w->used += (size_t)length;
}

/* Text inside the quotes of a string.  */
static void say_quoted(writer *w, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            say(w, "\\n");
        else if (*text == '"' || *text == '\\')
            say(w, "\\%c", *text);
        else if ((unsigned char)*text >= ' ')
            say(w, "%c", *text);
    }
}

static void say_track(writer *w, int track, int order, const char *format, ...) __attribute__((format(printf, 4, 5)));
static void say_track(writer *w, int track, int order, const char *format, ...)
{
    char name[128];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    say(w, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}},\n", w->process,
        track, name);
    say(w, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}},\n",
        w->process, track, order);
}

static int core_track(int who)
{
    return TRACKS + who;
}
static int slot_track(int number, int place)
{
    return 4 * TRACKS + 100 * number + place;
}
enum { COPIES_IN = 2 * TRACKS, COPIES_OUT = 3 * TRACKS };

static void say_tracks(writer *w)
{
    const ws_sched *s = w->s;
    say(w, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"%s CTA %d\",\"kernel\":\"%s\",",
        w->process, s->kernel, s->config.cta, s->kernel);
    say(w, "\"unit\":\"%s\",\"cta\":%d,\"seed\":%" PRIu64 ",\"groups\":[", s->clock ? "clock" : "event", s->config.cta,
        s->config.seed);
    for (int i = 0; i < s->nfibers; i++)
        say(w, "%s{\"group\":%d,\"block\":%d,\"role\":\"%s\",\"track\":%d,\"core\":%d}", i ? "," : "",
            s->fiber[i]->group, s->fiber[i]->block, s->fiber[i]->role, i, core_track(i));
    say(w, "],\"rings\":[");
    for (int i = 1; i <= s->nrings; i++)
        say(w, "%s{\"ring\":%d,\"name\":\"%s\",\"block\":%d,\"slots\":%d,\"arrivals\":%d,\"track\":%d}",
            i > 1 ? "," : "", i, s->ring[i].name, s->ring[i].block, s->ring[i].slots, s->ring[i].arrivals,
            slot_track(i, 0));
    say(w, "]}},\n");
    for (int i = 0; i < s->nfibers; i++) {
        const fiber *f = s->fiber[i];
        char block[32] = "";
        if (s->config.groups)
            snprintf(block, sizeof block, " of block %d", f->block);
        say_track(w, i, 2 * i, "%s: group %d%s", f->role[0] ? f->role : "role", f->group, block);
        if (f->committed)
            say_track(w, core_track(i), 2 * i + 1, "tensor core of group %d%s", f->group, block);
    }
    say_track(w, COPIES_IN, COPIES_IN, "copies in");
    say_track(w, COPIES_OUT, COPIES_OUT, "copies out");
    for (int i = 1; i <= s->nrings; i++)
        for (int j = 0; j < s->ring[i].slots; j++)
            say_track(w, slot_track(i, j), slot_track(i, j), "ring %s slot %d", s->ring[i].name, j);
}

static void say_slot(writer *w, const record *r)
{
    const ring *its = &w->s->ring[r->object];
    say(w, ",\"ring\":\"%s\",\"index\":%" PRIu64 ",\"slot\":%d,\"phase\":%d", its->name, r->index,
        (int)(r->index % its->slots), (int)(r->index / its->slots & 1));
}

static void say_group(writer *w, const record *r)
{
    const fiber *f = w->s->fiber[r->fiber];
    say(w, "\"args\":{\"group\":%d,\"block\":%d", f->group, f->block);
    if (r->tile >= 0)
        say(w, ",\"tile\":%ld", r->tile);
}

/* An event with a duration.  */
static void say_slice(writer *w, int track, uint64_t from, uint64_t to, const char *kind, const char *name)
{
    say(w, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"cat\":\"%s\",\"name\":\"%s\",",
        w->process, track, from, to > from ? to - from : 0, kind, name);
}

static void begin(writer *w, record *r)
{
    if (w->nopen < OPEN_MOST)
        w->open[w->nopen++] = r;
}

/* The open record of this kind that ends here; NULL: none.  */
static record *ended(writer *w, int kind, const record *end, bool by_address)
{
    for (int i = 0; i < w->nopen; i++) {
        record *r = w->open[i];
        if (r->kind != kind || r->object != end->object || r->index != end->index ||
            (by_address ? r->at != end->at : kind != SLOT_FULL && kind != WS_SCHED_EVENT_PUT && r->fiber != end->fiber))
            continue;
        memmove(&w->open[i], &w->open[i + 1], (size_t)(--w->nopen - i) * sizeof w->open[0]);
        return r;
    }
    return NULL;
}

static void say_copy(writer *w, const record *from, uint64_t to, int track, const char *name)
{
    static const char phases[] = "be";
    for (int i = 0; i < 2; i++) {
        say(w, "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ",\"cat\":\"copy\",\"id\":\"%d.%" PRIu64 "\",",
            phases[i], w->process, track, i ? to : from->time, w->process, from->time);
        say(w, "\"name\":\"%s\",", name);
        say_group(w, from);
        if (from->object > 0)
            say_slot(w, from);
        say(w, ",\"bytes\":%" PRIu32 "}},\n", from->bytes);
    }
}

static void say_slot_state(writer *w, const record *from, uint64_t to, const char *state)
{
    const ring *its = &w->s->ring[from->object];
    char name[96];
    snprintf(name, sizeof name, "%s %" PRIu64, state, from->index);
    say_slice(w, slot_track(from->object, (int)(from->index % its->slots)), from->time, to, "slot", name);
    say_group(w, from);
    say_slot(w, from);
    say(w, "}},\n");
}

static void say_product(writer *w, const record *from, uint64_t to)
{
    uint64_t *last = &w->last_product[from->fiber];
    say_slice(w, core_track(from->fiber), from->time > *last ? from->time : *last, to, "product", "product");
    *last = to;
    say_group(w, from);
    say(w, ",\"products\":%d}},\n", from->object);
}

/* An action of a group, or its wait for one.  */
static void say_own(writer *w, const record *r)
{
    static const struct {
        int kind;
        const char *name;
        char of; /* waits, ring, turns, nothing */
    } names[] = {{WS_SCHED_EVENT_START, "start", 'w'},
                 {WS_SCHED_EVENT_PUT, "put", 'W'},
                 {WS_SCHED_EVENT_PUT_DONE, "put_done", 'r'},
                 {WS_SCHED_EVENT_GET, "get", 'W'},
                 {WS_SCHED_EVENT_CONSUMED, "consumed", 'r'},
                 {WS_SCHED_EVENT_COPY_ISSUED, "copy_in", 'r'},
                 {WS_SCHED_EVENT_PRODUCT, "mma", 'n'},
                 {WS_SCHED_EVENT_COMMIT, "commit", 'n'},
                 {WS_SCHED_EVENT_WAIT, "wait", 'w'},
                 {WS_SCHED_EVENT_OUT_ISSUED, "store", 'n'},
                 {WS_SCHED_EVENT_STORE_WAIT, "store_wait", 'w'},
                 {WS_SCHED_EVENT_READ, "read", 'n'},
                 {WS_SCHED_EVENT_WRITE, "write", 'n'},
                 {WS_SCHED_EVENT_WRITE_APART, "write", 'n'},
                 {WS_SCHED_EVENT_READ_APART, "read", 'n'},
                 {WS_SCHED_EVENT_FENCE, "fence", 'n'},
                 {WS_SCHED_EVENT_BARRIER, "group_barrier", 'n'},
                 {WS_SCHED_EVENT_TAKE, "take", 't'},
                 {WS_SCHED_EVENT_PASS, "pass", 'T'},
                 {WS_SCHED_EVENT_EXIT, "exit", 'n'}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].kind != r->kind)
            continue;
        const char of = names[i].of;
        bool waited = of == 'w' || of == 'W' || of == 't';
        say_slice(w, r->fiber,
                  waited        ? r->since
                  : w->s->clock ? r->time
                                : r->time - 1,
                  r->time, waited ? "wait" : "own", names[i].name);
        say_group(w, r);
        if (of == 'W' || of == 'r')
            say_slot(w, r);
        if (of == 't' || of == 'T')
            say(w, ",\"turns\":\"%s\",\"turn\":%" PRIu64, w->s->turns[r->object].name, r->index);
        if (r->bytes)
            say(w, ",\"bytes\":%" PRIu32, r->bytes);
        say(w, "}},\n");
        return;
    }
}

static void say_record(writer *w, record *r)
{
    record *from;
    say_own(w, r);
    if (r->kind == WORK) {
        say_slice(w, r->fiber, r->since, r->time, "work", ws_cta_clock_kind(w->s, r->object));
        say_group(w, r);
        say(w, "}},\n");
    }
    switch (r->kind) {
    case WS_SCHED_EVENT_PUT:
    case WS_SCHED_EVENT_COPY_ISSUED:
    case WS_SCHED_EVENT_PRODUCT:
    case WS_SCHED_EVENT_OUT_ISSUED:
        begin(w, r);
        break;
    case WS_SCHED_EVENT_COPY_LANDED:
        if ((from = ended(w, WS_SCHED_EVENT_COPY_ISSUED, r, true)))
            say_copy(w, from, r->time, COPIES_IN, "copy in");
        break;
    case WS_SCHED_EVENT_PRODUCT_DONE:
        if ((from = ended(w, WS_SCHED_EVENT_PRODUCT, r, false)))
            say_product(w, from, r->time);
        break;
    case WS_SCHED_EVENT_OUT_WRITTEN:
        if ((from = ended(w, WS_SCHED_EVENT_OUT_ISSUED, r, false)))
            say_copy(w, from, r->time, COPIES_OUT, "copy out");
        break;
    case SLOT_FULL:
        if ((from = ended(w, WS_SCHED_EVENT_PUT, r, false)))
            say_slot_state(w, from, r->time, "put");
        begin(w, r);
        break;
    case SLOT_EMPTY:
        if ((from = ended(w, SLOT_FULL, r, false)))
            say_slot_state(w, from, r->time, "full");
        break;
    }
}

/* Ends the open records of an abandoned CTA.  */
static void say_open(writer *w, uint64_t end)
{
    for (int i = 0; i < w->nopen; i++) {
        const record *r = w->open[i];
        if (r->kind == WS_SCHED_EVENT_COPY_ISSUED)
            say_copy(w, r, end, COPIES_IN, "copy in");
        else if (r->kind == WS_SCHED_EVENT_OUT_ISSUED)
            say_copy(w, r, end, COPIES_OUT, "copy out");
        else if (r->kind == WS_SCHED_EVENT_PRODUCT)
            say_product(w, r, end);
        else
            say_slot_state(w, r, end, r->kind == SLOT_FULL ? "full" : "put");
    }
}

char *ws_sched_trace_text(ws_sched *s, int process)
{
    writer w = {.s = s, .process = process};
    uint64_t end = s->trace->ticks + 1;
    say_tracks(&w);
    for (size_t i = 0; i < s->trace->count; i++)
        say_record(&w, &s->trace->records[i]);
    say_open(&w, end);
    if (s->failed) {
        say(&w,
            "{\"ph\":\"i\",\"s\":\"p\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64
            ",\"cat\":\"report\",\"name\":\"report\",",
            process, s->current, end);
        say(&w, "\"args\":{\"text\":\"");
        say_quoted(&w, s->report);
        say(&w, "\"}},\n");
    }
    return w.text;
}

/* ---- as a picture ------------------------------------------------------------------------------------------------ */

enum { COLUMNS = 96 };

static void paint(char *row, uint64_t from, uint64_t to, uint64_t end, char with)
{
    for (uint64_t i = from * COLUMNS / end; i < COLUMNS && (i * end < to * COLUMNS || i == from * COLUMNS / end); i++)
        row[i] = with;
}

/* The letter of a group's wait, or ' ' for an event without duration.  */
static char waits_for(const record *r)
{
    return r->kind == WS_SCHED_EVENT_PUT          ? '<'
           : r->kind == WS_SCHED_EVENT_GET        ? '>'
           : r->kind == WS_SCHED_EVENT_WAIT       ? '.'
           : r->kind == WS_SCHED_EVENT_STORE_WAIT ? '_'
           : r->kind == WS_SCHED_EVENT_TAKE       ? ':'
                                                  : ' ';
}

static void picture_of(writer *w, int who, uint64_t end)
{
    const fiber *f = w->s->fiber[who];
    char own[COLUMNS + 1], core[COLUMNS + 1];
    uint64_t worked = 0, waited = 0, last = 0;
    memset(own, ' ', COLUMNS);
    memset(core, ' ', COLUMNS);
    own[COLUMNS] = core[COLUMNS] = '\0';
    for (size_t i = 0; i < w->s->trace->count; i++) {
        const record *r = &w->s->trace->records[i];
        record *from;
        if (r->fiber != who)
            continue;
        if (r->kind == WS_SCHED_EVENT_PRODUCT) {
            begin(w, &w->s->trace->records[i]);
        } else if (r->kind == WS_SCHED_EVENT_PRODUCT_DONE && (from = ended(w, WS_SCHED_EVENT_PRODUCT, r, false))) {
            paint(core, from->time > last ? from->time : last, r->time, end, 'M');
            last = r->time;
        } else if (r->kind == WORK) {
            paint(own, r->since, r->time, end, ws_cta_clock_kind(w->s, r->object)[0]);
            worked += r->time - r->since;
        } else if (waits_for(r) != ' ' && r->time > r->since) {
            paint(own, r->since, r->time, end, waits_for(r));
            waited += r->time - r->since;
        }
    }
    say(w, "%-10.10s %d |%s| works %2d%%, waits %2d%%\n", f->role[0] ? f->role : "group", f->group, own,
        (int)(100 * worked / end), (int)(100 * waited / end));
    if (f->committed)
        say(w, "%12s |%s|\n", "products", core);
}

char *ws_sched_timeline_text(ws_sched *s)
{
    writer w = {.s = s};
    uint64_t end = s->trace->ticks ? s->trace->ticks : 1;
    say(&w, "%s CTA %d: %llu %s, a column is %.1f\n", s->kernel, s->config.cta, (unsigned long long)end,
        s->clock ? "clocks" : "events", (double)end / COLUMNS);
    for (int i = 0; i < s->nfibers; i++)
        picture_of(&w, i, end);
    if (s->clock)
        ws_cta_clock_units(s, end, w.text + w.used, w.room - w.used);
    w.used += strlen(w.text + w.used);
    say(&w, "waits: < for an empty slot, > for a full one, . for products, _ for copies out, : for a turn\n");
    say(&w, "works: a ALU, s special functions or shared memory, c casts, r reductions, m products; M tensor core\n");
    return w.text;
}
