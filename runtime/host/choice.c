/* SPDX-License-Identifier: MIT */
/*
 * choice.c - the variant of a kernel with ws_choice for each launch, and the table of measured times.
 *
 *      WS_CHOICE=64x128            that variant, if the kernel has it; a number n: the n-th, modulo their count
 *      WS_TUNE=1                   measures variants that are not in the table, and appends a line for each
 *      WS_TUNED=FILE               the table; else PROGRAM.tuned beside the program
 *
 *      gemm 3f2a99d1c0ffee00 NVIDIA_H100_80GB_HBM3 4096,4096,512 128x256 98.2 taken
 *
 * A line has the kernel, a digest of its compilation, the GPU, the launch's numbers, the variant, and microseconds.
 * For the emulation, the last number is steps of its scheduler.  Later lines override earlier ones.
 *
 * If all variants of a launch have lines, the launch takes the variant marked `taken`.  Tuning marks the least
 * estimate, or a variant that was faster beyond the variation of times.  Without a mark the fastest is taken.  If a
 * variant has no line, the least estimate is taken.  Lines of another build are ignored with a message.  All variants
 * compute the same, so a table decides on speed alone.
 */
#include "ws/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SHAPE = WS_CHOICE_SHAPE, MOST_VARIANTS = WS_CHOICE_VARIANTS, NAME_BYTES = 128, KEY_BYTES = 320 };

typedef struct line {
    char kernel[NAME_BYTES], device[NAME_BYTES], shape[KEY_BYTES], variant[NAME_BYTES];
    unsigned long long digest;
    double time;
    bool taken;
    struct line *next; /* newest first */
} line;

/* The variant for launches of one shape.  */
typedef struct ws_known {
    long shape[MOST_SHAPE];
    const char *device;
    int variant;
    struct ws_known *next;
} known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool read, tells_stale, unusable;
    line *lines;
    char path[4096];
} table;

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
    char text[5000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!ws_log_line("%s", text))
        fprintf(stderr, "%s\n", text);
}

/* ---- the mode of this thread's launches -------------------------------------------------------------------------- */

static _Thread_local enum ws_choosing mode;
static _Thread_local double told;

enum ws_choosing ws_choosing(void)
{
    return mode;
}

void ws_choice_tell(double number)
{
    told = number;
}

static bool wants_tuning(void)
{
    const char *text = ws_environment_("WS_TUNE");
    return text && !strcmp(text, "1");
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void find_path(const char *given)
{
    ssize_t length = 0;
    if (given && *given) {
        snprintf(table.path, sizeof table.path, "%s", given);
        return;
    }
    length = readlink("/proc/self/exe", table.path, sizeof table.path - 16);
    table.path[length > 0 ? length : 0] = 0;
    strcat(table.path, length > 0 ? ".tuned" : "ws.tuned");
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == 0;
}

static bool add_line(const char *text)
{
    line *l = calloc(1, sizeof *l);
    int end = 0;
    const bool read = l && sscanf(text, "%127s %16llx %127s %319s %127s %lf %n", l->kernel, &l->digest, l->device,
                                  l->shape, l->variant, &l->time, &end) == 6;
    if (read && !strncmp(text + end, "taken", 5)) {
        l->taken = true;
        end += 5;
    }
    if (read && is_blank(text + end) && (l->time > 0 || l->time == -1)) {
        l->next = table.lines;
        table.lines = l;
        return true;
    }
    free(l);
    return false;
}

static void read_text(const char *name, char *text)
{
    int number = 0, wrong = 0, first = 0;
    for (char *at = text, *end; at && *at; at = end) {
        end = strchr(at, '\n');
        if (end)
            *end++ = 0;
        number++;
        if (*at == '#' || is_blank(at) || add_line(at))
            continue;
        first = wrong++ ? first : number;
    }
    if (wrong)
        tell("ws: %s:%d: not a line of a table of tuned kernels%s; what can be read counts, and WS_TUNE=1 measures the "
             "rest again",
             name, first, wrong > 1 ? ", nor are others" : "");
}

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, 0, file) < 0 && text)
        *text = 0;
    fclose(file);
    return text;
}

static void read_table(void)
{
    if (table.read)
        return;
    const char *given = ws_environment_("WS_TUNED");
    table.read = true;
    find_path(given);
    char *text = file_text(table.path);
    if (text)
        read_text(table.path, text);
    else if (given && *given && !(errno == ENOENT && wants_tuning()))
        tell("ws: WS_TUNED=%s: %s; launches go by estimates", table.path, strerror(errno));
    free(text);
}

/* Adds lines of the table in the object, for variants without lines in the file.  */
static void read_built(struct ws_choices *choices)
{
    line *own = table.lines;
    if (!choices->tuned || choices->has_read)
        return;
    choices->has_read = 1;
    table.lines = NULL;
    char *text = strdup(choices->tuned);
    if (text)
        read_text("the table in the object", text);
    free(text);
    line **end = &own;
    while (*end)
        end = &(*end)->next;
    *end = table.lines;
    table.lines = own;
}

static void append(const line *l)
{
    if (table.unusable)
        return;
    int file = open(table.path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    char text[1024], last = '\n';
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    if (size > 0 && pread(file, &last, 1, size - 1) != 1)
        last = '\n';
    int length = snprintf(text, sizeof text, "%s%s %016llx %s %s %s %.6g%s\n", last == '\n' ? "" : "\n", l->kernel,
                          l->digest, l->device, l->shape, l->variant, l->time, l->taken ? " taken" : "");
    const char *from =
        size ? text : "# kernel, build, GPU, launch, variant, microseconds, taken or not: of WS_TUNE=1\n";
    bool written = file >= 0 && (size || write(file, from, strlen(from)) == (ssize_t)strlen(from)) &&
                   write(file, text, (size_t)length) == length;
    if (!written) {
        table.unusable = true;
        tell("ws: %s cannot be written (%s): what is measured counts for this run alone", table.path, strerror(errno));
    }
    if (file >= 0)
        close(file);
}

/* ---- a launch's lines -------------------------------------------------------------------------------------------- */

static void name_shape(const struct ws_choice *c, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "%s", c->rank ? "" : "-");
    for (int i = 0; i < c->rank && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%ld", i ? "," : "", c->shape[i]);
}

static bool is_of(const line *l, const struct ws_choice *c, const char *shape, int variant)
{
    return !strcmp(l->kernel, c->of->kernel) && !strcmp(l->device, c->device) && !strcmp(l->shape, shape) &&
           !strcmp(l->variant, c->of->variants[variant].numbers);
}

static void tell_stale(const struct ws_choice *c)
{
    if (table.tells_stale)
        return;
    table.tells_stale = true;
    tell("ws: %s: what it says of '%s' is of another build, and not used; WS_TUNE=1 measures again", table.path,
         c->of->kernel);
}

/* The line of a variant; NULL: it was not measured.  */
static const line *line_of(const struct ws_choice *c, const char *shape, int variant)
{
    bool stale = false;
    for (const line *l = table.lines; l; l = l->next) {
        if (!is_of(l, c, shape, variant))
            continue;
        if (l->digest == c->of->variants[variant].digest)
            return l;
        stale = true;
    }
    if (stale && !wants_tuning())
        tell_stale(c);
    return NULL;
}

static int fastest(const double *times, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (times[i] > 0 && (best < 0 || times[i] < times[best]))
            best = i;
    return best;
}

static known *known_of(const struct ws_choice *c)
{
    known *k = c->of->known;
    while (k && (strcmp(k->device, c->device) || memcmp(k->shape, c->shape, (size_t)c->rank * sizeof *k->shape)))
        k = k->next;
    return k;
}

static void know(struct ws_choice *c)
{
    known *k = known_of(c) ? NULL : calloc(1, sizeof *k);
    if (!k)
        return;
    memcpy(k->shape, c->shape, (size_t)c->rank * sizeof *k->shape);
    k->device = strdup(c->device);
    k->variant = c->variant;
    k->next = c->of->known;
    if (k->device)
        c->of->known = k;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

enum { BEGIN, ESTIMATES, MEASURES, FINALS, RUNS };

static int forced(const struct ws_choice *c)
{
    const char *text = ws_environment_("WS_CHOICE");
    if (!text || !*text)
        return -1;
    for (int i = 0; i < c->of->count; i++)
        if (!strcmp(c->of->variants[i].numbers, text))
            return i;
    return text[strspn(text, "0123456789")] ? -1 : (int)(strtoul(text, NULL, 10) % (unsigned long)c->of->count);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run_variant(struct ws_choice *c, int variant)
{
    char shape[KEY_BYTES];
    name_shape(c, shape, sizeof shape);
    ws_log_line("ws: %s %s takes %s, the %s of %d", c->of->kernel, shape, c->of->variants[variant].numbers,
                forced(c) >= 0          ? "one that WS_CHOICE names"
                : c->state == ESTIMATES ? "least estimate"
                                        : "fastest",
                c->of->count);
    c->variant = variant;
    c->state = RUNS;
    mode = WS_CHOOSING_NOTHING;
    if (c->may_measure || !wants_tuning())
        know(c);
    return 1;
}

static int try_variant(struct ws_choice *c, int variant, enum ws_choosing how)
{
    c->variant = variant;
    c->state = how == WS_CHOOSING_ESTIMATES ? ESTIMATES : MEASURES;
    mode = how;
    told = -1;
    return 1;
}

static void tell_progress(const struct ws_choice *c, const char *shape, bool first)
{
    int done = 0, best = fastest(c->times, c->of->count);
    char fast[NAME_BYTES + 64] = "";
    double now = seconds(), left = 0;
    for (int i = 0; i < c->of->count; i++)
        done += c->times[i] != 0;
    if (best >= 0)
        snprintf(fast, sizeof fast, ", best %s with %.4g", c->of->variants[best].numbers, c->times[best]);
    if (!first && done > c->had)
        left = (now - c->began) / (done - c->had) * (c->of->count - done);
    fprintf(stderr, "ws: tune %s %s: %d of %d variants%s", c->of->kernel, shape, done, c->of->count, fast);
    if (done < c->of->count && !first)
        fprintf(stderr, ", %.1f s left", left);
    fputs(isatty(2) && done < c->of->count ? "  \r" : "\n", stderr);
}

static void keep_line(struct ws_choice *c, const char *shape, int variant, double time, bool taken)
{
    line l = {.digest = c->of->variants[variant].digest, .time = time, .taken = taken};
    snprintf(l.kernel, sizeof l.kernel, "%s", c->of->kernel);
    snprintf(l.device, sizeof l.device, "%s", c->device);
    snprintf(l.shape, sizeof l.shape, "%s", shape);
    snprintf(l.variant, sizeof l.variant, "%s", c->of->variants[variant].numbers);
    c->times[variant] = time;
    line *kept = malloc(sizeof *kept);
    if (kept) {
        *kept = l;
        kept->next = table.lines;
        table.lines = kept;
    }
    append(&l);
}

/* The first times come from variants one after the other, while the clock frequency varies.  Therefore the least
   estimate and the variants within a fifth of the fastest are measured again in turns.  */
static void find_finalists(struct ws_choice *c)
{
    bool taken[WS_CHOICE_VARIANTS] = {false};
    const int best = fastest(c->times, c->of->count);
    if (c->least >= 0 && c->times[c->least] > 0) {
        taken[c->least] = true;
        c->final[c->finalists++] = c->least;
    }
    while (best >= 0 && c->finalists < WS_CHOICE_FINALISTS) {
        int next = -1;
        for (int i = 0; i < c->of->count; i++)
            if (!taken[i] && c->times[i] > 0 && c->times[i] <= 1.2 * c->times[best] &&
                (next < 0 || c->times[i] < c->times[next]))
                next = i;
        if (next < 0)
            break;
        taken[next] = true;
        c->final[c->finalists++] = next;
    }
}

static void sort(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            double y = x[j];
            x[j] = x[j - 1];
            x[j - 1] = y;
        }
}

static double median(const double *x)
{
    double sorted[WS_CHOICE_ROUNDS];
    memcpy(sorted, x, sizeof sorted);
    sort(sorted, WS_CHOICE_ROUNDS);
    return sorted[WS_CHOICE_ROUNDS / 2];
}

/* The median speedup of a finalist over the first, which has the least estimate, in the same turns.  Returns 0 if the
   speedup may be chance, or is smaller than the variation between states of the GPU.  */
static double gain(const struct ws_choice *c, int finalist)
{
    double ratios[WS_CHOICE_ROUNDS];
    for (int round = 0; round < WS_CHOICE_ROUNDS; round++)
        ratios[round] = c->again[finalist][round] > 0 ? c->again[0][round] / c->again[finalist][round] : 0;
    sort(ratios, WS_CHOICE_ROUNDS);
    return ratios[1] > 1.005 ? ratios[WS_CHOICE_ROUNDS / 2] : 0;
}

static int taken_of_finals(const struct ws_choice *c)
{
    int best = 0;
    if (c->final[0] != c->least) /* it cannot be launched */
        return fastest(c->times, c->of->count);
    for (int i = 1; i < c->finalists; i++)
        if (gain(c, i) > (best ? gain(c, best) : 1))
            best = i;
    return c->final[best];
}

/* Adds lines for finalists whose time has changed, in the digits of a line.  */
static int note_finals(struct ws_choice *c, const char *shape)
{
    for (int i = 0; i < c->finalists; i++) {
        const double time = median(c->again[i]), before = c->times[c->final[i]];
        if (time > 0 && (time < before * (1 - 1e-5) || time > before * (1 + 1e-5)))
            keep_line(c, shape, c->final[i], time, false);
    }
    const int taken = taken_of_finals(c);
    keep_line(c, shape, taken, c->times[taken], true);
    return taken;
}

static int go_on_with_finals(struct ws_choice *c, const char *shape)
{
    if (c->finals == c->finalists * WS_CHOICE_ROUNDS) {
        return run_variant(c, note_finals(c, shape));
    }
    int more = try_variant(c, c->final[c->finals % c->finalists], WS_CHOOSING_BY_TIME);
    c->state = FINALS;
    return more;
}

/* Measures the next variant without a line, then the finalists, and then runs the fastest.  */
static int go_on_measuring(struct ws_choice *c, const char *shape)
{
    for (int i = 0; i < c->of->count; i++)
        if (c->times[i] == 0)
            return try_variant(c, i, WS_CHOOSING_BY_TIME);
    find_finalists(c);
    if (c->finalists > 1)
        return go_on_with_finals(c, shape);
    int best = fastest(c->times, c->of->count);
    if (best < 0)
        tell("ws: tune %s %s: no variant can be launched", c->of->kernel, shape);
    return run_variant(c, best < 0 ? 0 : best);
}

static void note_time(struct ws_choice *c, const char *shape)
{
    keep_line(c, shape, c->variant, told > 0 ? told : -1, false);
    tell_progress(c, shape, false);
}

static int begin(struct ws_choice *c, const char *shape)
{
    int missing = 0, taken = -1;
    if (forced(c) >= 0)
        return run_variant(c, forced(c));
    read_table();
    read_built(c->of);
    for (int i = 0; i < c->of->count; i++) {
        const line *l = line_of(c, shape, i);
        c->times[i] = l ? l->time : 0;
        taken = l && l->taken ? i : taken;
        missing += !l;
    }
    c->had = c->of->count - missing;
    c->least = -1;
    if (!missing && fastest(c->times, c->of->count) >= 0)
        return run_variant(c, taken >= 0 ? taken : fastest(c->times, c->of->count));
    return try_variant(c, 0, WS_CHOOSING_ESTIMATES);
}

/* Asks all variants for their estimates; tuning begins with that, too.  */
static int go_on_asking(struct ws_choice *c, const char *shape)
{
    if (told > 0 && (c->least < 0 || told < c->estimate)) {
        c->least = c->variant;
        c->estimate = told;
    }
    if (c->variant + 1 < c->of->count)
        return try_variant(c, c->variant + 1, WS_CHOOSING_ESTIMATES);
    if (!wants_tuning() || !c->may_measure)
        return run_variant(c, c->least < 0 ? 0 : c->least);
    c->began = seconds();
    if (c->had)
        tell_progress(c, shape, true);
    return go_on_measuring(c, shape);
}

/* True for a launch of a known shape.  */
static bool is_known(struct ws_choice *c)
{
    pthread_mutex_lock(&lock);
    const known *k = known_of(c);
    pthread_mutex_unlock(&lock);
    if (!k)
        return false;
    c->variant = k->variant;
    c->state = RUNS;
    return true;
}

int ws_choice_next(struct ws_choice *c)
{
    char shape[KEY_BYTES];
    int more = 0;
    if (c->state == RUNS)
        return 0;
    if (c->state == BEGIN && is_known(c))
        return 1;
    name_shape(c, shape, sizeof shape);
    pthread_mutex_lock(&lock);
    if (c->state == BEGIN) {
        more = begin(c, shape);
    } else if (c->state == MEASURES) {
        note_time(c, shape);
        more = go_on_measuring(c, shape);
    } else if (c->state == FINALS) {
        c->again[c->finals % c->finalists][c->finals / c->finalists] = told;
        c->finals++;
        more = go_on_with_finals(c, shape);
    } else {
        more = go_on_asking(c, shape);
    }
    pthread_mutex_unlock(&lock);
    return more;
}

/* ---- calls outside of grids return their first value ------------------------------------------------------------- */

int ws_choice_(int first, ...)
{
    return first;
}

long ws_choice_shape_(long first, ...)
{
    return first;
}
