/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocols.c - random small protocols, explored by lowering/proof/protocol*.c and by naive.c, must get one verdict.
 *
 *      protocols COUNT SEED [STATES]       -COUNT shows the text of that one and both verdicts
 *
 * A protocol has one or two rings of at most three slots, a producer, and one or two groups that read.  Each begins as
 * a program that is right, and gets up to three edits: a line left out, doubled or moved, another number.  If the fast
 * search refuses a protocol, some execution breaks a rule at the same line.  If it accepts one, none does for up to
 * 2 D + 2 iterations of each loop.  Protocols of more than STATES states are left out.
 *
 * finds: protocol-ops.c without the test for products in flight in `release`, without check_bytes, with a wait for all
 * products; protocol-ways.c without `new_frame`
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/parse.h"
#include "naive.h"
#include "proof/protocol.h"
#include "roles/order.h"
#include "target/machine.h"

static uint64_t random_state;

static int draw(int below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((random_state >> 33) % (unsigned)below);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

enum { LINES = 80, WIDTH = 120 };

typedef struct {
    char line[LINES][WIDTH];
    int count;
} Lines;

typedef struct {
    int slots, bytes, arrivals, copies;
} Ring;

typedef struct {
    Ring ring[2];
    int nrings, readers, deepest, trips;
    enum { ONE_LOOP, TWO_LOOPS, BRANCH } shape;
    Lines producer, consumer;
} Protocol;

static void say(Lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(Lines *lines, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(lines->line[lines->count++], WIDTH, format, list);
    va_end(list);
}

static void say_puts(Lines *lines, const Protocol *p, int ring)
{
    say(lines, "%%p%d: i32 = put | aref=r%d", ring, ring);
    for (int i = 0; i < p->ring[ring].copies; i++)
        say(lines, "copy_in %%p%d, %%a, 0, 0 | aref=r%d storage=s%d", ring, ring, ring);
    say(lines, "put_done %%p%d | aref=r%d", ring, ring);
}

/* Reads a slot by a product that is waited for `late` iterations later, or by threads.  */
static void say_gets(Lines *lines, int ring, int late, bool product)
{
    say(lines, "%%g%d: i32 = get | aref=r%d", ring, ring);
    say(lines, "%%v%d: view<f16,64x64> = view %%g%d | aref=r%d storage=s%d", ring, ring, ring, ring);
    if (!product) {
        say(lines, "%%t%d: tile<f16,64x64> = read %%v%d | aref=r%d", ring, ring, ring);
        say(lines, "consumed | aref=r%d", ring);
        return;
    }
    say(lines, "%%t%d: token<f32,64x64> = mma %%v%d, %%v%d, %%zero", ring, ring, ring);
    say(lines, "commit");
    say(lines, "wait pending=%d", late);
    say(lines, "consumed keep=%d | aref=r%d", late, ring);
}

static void say_loop(Lines *lines, const Protocol *p, bool puts, bool turns)
{
    int late[2];
    bool product[2];
    if (p->shape == TWO_LOOPS)
        say(lines, "for %%i: i32 = 0, < %%N, 1 {");
    say(lines, "for %%k: i32 = 0, < %%N, 1 {");
    if (turns)
        say(lines, "pingpong_take");
    for (int ring = 0; ring < p->nrings; ring++) {
        const bool branch = p->shape == BRANCH && ring == p->nrings - 1;
        product[ring] = draw(3) != 0;
        late[ring] = product[ring] && p->nrings == 1 && !branch && p->ring[ring].slots > 1 ? draw(2) : 0;
        if (branch)
            say(lines, "if %%c {");
        if (puts)
            say_puts(lines, p, ring);
        else
            say_gets(lines, ring, late[ring], product[ring]);
        if (branch)
            say(lines, "}");
    }
    if (turns)
        say(lines, "pingpong_pass");
    say(lines, "}");
    if (!puts && late[0]) {
        say(lines, "wait");
        say(lines, "consumed | aref=r0");
    }
    if (p->shape == TWO_LOOPS)
        say(lines, "}");
}

static bool is_fixed(const char *line)
{
    return strchr(line, '{') || strchr(line, '}');
}

static void delete_line(Lines *lines, int at)
{
    memmove(lines->line + at, lines->line + at + 1, (size_t)(--lines->count - at) * sizeof *lines->line);
}

static void insert_line(Lines *lines, int at, const char *line)
{
    memmove(lines->line + at + 1, lines->line + at, (size_t)(lines->count++ - at) * sizeof *lines->line);
    snprintf(lines->line[at], WIDTH, "%s", line);
}

static void other_number(char *line, const char *name)
{
    char *at = strstr(line, name);
    if (!at)
        return;
    at += strlen(name);
    const int number = *at - '0' + (draw(2) ? 1 : -1);
    *at = (char)('0' + (number < 0 ? 1 : number));
}

static void edit_lines(Lines *lines)
{
    char line[WIDTH];
    const int at = draw(lines->count);
    if (is_fixed(lines->line[at]) || lines->count + 1 >= LINES)
        return;
    memcpy(line, lines->line[at], sizeof line);
    switch (draw(5)) {
    case 0:
        delete_line(lines, at);
        break;
    case 1: /* twice, under another name */
        if (line[0] == '%')
            line[1] = 'z';
        insert_line(lines, at + 1, line);
        break;
    case 2:
        delete_line(lines, at);
        insert_line(lines, draw(lines->count + 1), line);
        break;
    case 3: /* by one */
        delete_line(lines, at);
        insert_line(lines, at + (draw(2) ? 1 : -1) < 0 ? 0 : at + 1 > lines->count ? at : at + 1, line);
        break;
    default:
        other_number(lines->line[at], draw(2) ? "pending=" : "keep=");
    }
}

static void edit(Protocol *p)
{
    Ring *ring = &p->ring[draw(p->nrings)];
    switch (draw(8)) {
    case 0:
        ring->arrivals += draw(2) ? 1 : ring->arrivals > 1 ? -1 : 1;
        break;
    case 1:
        ring->bytes = ring->bytes / 8192 * 8192 + (draw(2) ? 8192 : 0);
        break;
    case 2:
        ring->slots = 1 + draw(3);
        break;
    default:
        edit_lines(draw(2) ? &p->producer : &p->consumer);
    }
}

static Protocol draw_protocol(void)
{
    Protocol p = {.nrings = 1 + draw(2),
                  .readers = draw(4) ? 1 : 2,
                  .shape = draw(5) < 3 ? ONE_LOOP
                           : draw(2)   ? TWO_LOOPS
                                       : BRANCH};
    const bool turns = p.readers == 2 && draw(3) == 0;
    for (int i = 0; i < p.nrings; i++) {
        const int copies = draw(4) ? 1 : 2;
        p.ring[i] = (Ring){draw(5) ? 1 + draw(2) : 3, copies * 8192, p.readers, copies};
    }
    say_loop(&p.producer, &p, true, false);
    say_loop(&p.consumer, &p, false, turns);
    for (int edits = draw(4); edits > 0; edits--)
        edit(&p);
    for (int i = 0; i < p.nrings; i++)
        p.deepest = p.ring[i].slots > p.deepest ? p.ring[i].slots : p.deepest;
    p.trips = p.shape == ONE_LOOP ? 2 * p.deepest + 2 : p.deepest + 2;
    return p;
}

static void print_lines(FILE *out, const Lines *lines)
{
    for (int i = 0; i < lines->count; i++)
        fprintf(out, "    %s\n", lines->line[i]);
}

static char *text_of(const Protocol *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    fprintf(out,
            "kernel p(%%N: i32, %%A: ptr<f16>) grid(1) {\n"
            "  role producer may=copy warps=1 replicas=1\n"
            "  role consumer may=compute,store warps=4 replicas=%d\n",
            p->readers);
    for (int i = 0; i < p->nrings; i++)
        fprintf(out, "  storage s%d ring tile<f16,64x64> slots=%d bytes=8192 offset=%d\n", i, p->ring[i].slots,
                i * 65536);
    for (int i = 0; i < p->nrings; i++)
        fprintf(out, "  aref r%d slots=%d producer=producer consumers=consumer arrivals=%d bytes=%d storages=s%d\n", i,
                p->ring[i].slots, p->ring[i].arrivals, p->ring[i].bytes, i);
    fprintf(out, "  body {\n    %%a: tensor<f16,2> = tensor %%A, %%N, %%N, %%N, 1\n    %%c: i1 = scalar_gt %%N, 0\n");
    if (p->shape == TWO_LOOPS)
        fprintf(out, "    for %%i: i32 = 0, < %%N, 1 {\n");
    fprintf(out, "    for %%k: i32 = 0, < %%N, 1 {\n");
    for (int i = 0; i < p->nrings; i++)
        fprintf(out, "      %%x%d: tile<f16,64x64> = load %%a, %%k, 0 | aref=r%d storage=s%d\n", i, i, i);
    if (p->shape == BRANCH)
        fprintf(out, "      if %%c {\n      }\n");
    fprintf(out, "%s    }\n  }\n", p->shape == TWO_LOOPS ? "    }\n" : "");
    fprintf(out, "  program producer %%group: i32 {\n    %%a: tensor<f16,2> = tensor %%A, %%N, %%N, %%N, 1\n"
                 "    %%c: i1 = scalar_gt %%N, 0\n");
    print_lines(out, &p->producer);
    fprintf(out, "  }\n  program consumer %%group: i32 {\n    %%c: i1 = scalar_gt %%N, 0\n"
                 "    %%zero: tile<f32,64x64> = full 0\n");
    print_lines(out, &p->consumer);
    fprintf(out, "  }\n}\n");
    fclose(out);
    return text;
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static char heard[400];
static int heard_line;

static void hear(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    if (kind != DIAG_ERROR || *heard)
        return;
    snprintf(heard, sizeof heard, "%s", message);
    heard_line = loc.line;
}

typedef struct {
    const Op *op;
    const char *name;
    Opcode code;
} Wanted;

static const char *name_of(const Op *op)
{
    return op->code == OP_FOR ? op->blocks[0]->args[0]->name : op->code == OP_IF ? op->args[0]->name : NULL;
}

static void visit_control(Op *op, void *context)
{
    Wanted *wanted = context;
    if (op->code == wanted->code && !strcmp(name_of(op), wanted->name))
        wanted->op = op;
}

typedef struct {
    Kernel *kernel;
    Labels *labels;
} Labelling;

/* The loop or branch of the body that has the same counter or condition.  */
static void visit_label(Op *op, void *context)
{
    Labelling *labelling = context;
    if (!op->nblocks)
        return;
    Wanted wanted = {NULL, name_of(op), op->code};
    ir_walk(labelling->kernel->body, visit_control, &wanted);
    labelling->labels->source[op->position] = wanted.op;
}

static bool fast_holds(Kernel *kernel)
{
    Labels labels[32] = {{NULL, 0}};
    FOR_ROLES (role, kernel) {
        order_number(role);
        Labels *of = &labels[role->id];
        of->count = role->body->last ? order_end(role->body->last) + 1 : 0;
        of->source = arena_alloc(kernel->module, (size_t)(of->count + 1) * sizeof *of->source);
        Labelling labelling = {kernel, of};
        ir_walk(role->body, visit_label, &labelling);
    }
    return protocol_holds(kernel, labels, NULL);
}

typedef struct {
    long made, held, refused, large, differ;
} Score;

static const struct {
    const char *name, *sentence;
} rules[] = {
    {"", NULL},
#define RULE(name, code, sentence) {#name, sentence},
#include "proof/rules.def"
};

/* True if the message has the sentence in it.  A conversion stands for any text.  */
static bool has_sentence(const char *message, const char *sentence)
{
    const char *conversion = strchr(sentence, '%');
    const size_t length = conversion ? (size_t)(conversion - sentence) : strlen(sentence);
    for (const char *at = message;; at++) {
        if (!strncmp(at, sentence, length) && (!conversion || has_sentence(at + length, conversion + 2)))
            return true;
        if (!*at)
            return false;
    }
}

/* True if some execution breaks the rule of the message at this line.  Messages without a sentence of rules.def are
   those of a deadlock, of bytes and of releases.  */
static bool breaks_that_rule(const char *message, uint64_t broken)
{
    for (size_t i = 1; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].sentence && has_sentence(message, rules[i].sentence))
            return broken >> i & 1;
    return broken != 0;
}

static const char *difference(bool holds, int line, const Naive *naive)
{
    if (holds && naive->violated)
        return "accepted, and an execution breaks a rule";
    if (!holds && !naive->violated)
        return "refused, and no execution breaks a rule";
    /* Messages about a ring as a whole name the kernel's line.  */
    return !holds && line > 1 && !breaks_that_rule(heard, naive->lines[line]) ? "refused elsewhere, or by another rule"
                                                                              : NULL;
}

static void compare(const Protocol *p, const char *text, long most, Score *score, const char *name, bool show)
{
    *heard = 0;
    Module *module = ir_parse(text, "protocol", &machine_hopper, hear, NULL);
    if (!module) /* an edit took a name away */
        return;
    const Naive naive = naive_explore(module->kernels, p->trips, most);
    *heard = 0;
    heard_line = 0;
    const bool holds = !naive.too_large && fast_holds(module->kernels);
    const char *differs = naive.too_large ? NULL : difference(holds, heard_line, &naive);
    score->made++;
    score->large += naive.too_large;
    score->held += !naive.too_large && holds;
    score->refused += !naive.too_large && !holds;
    score->differ += differs != NULL;
    if (differs)
        printf("%s: %s\n", name, differs);
    if (differs || show) {
        printf("  fast: line %d: %s\n  naive: %ld states\n", heard_line, holds ? "holds" : heard, naive.states);
        for (int line = 0; line < NAIVE_MOST_LINES; line++)
            for (size_t i = 1; i < sizeof rules / sizeof *rules; i++)
                if (naive.lines[line] >> i & 1)
                    printf("  naive: line %d: %s\n", line, rules[i].name);
    }
    if (show)
        printf("%s", text);
    module_free(module);
}

int main(int argc, char **argv)
{
    const long count = argc > 1 ? atol(argv[1]) : 0, most = argc > 3 ? atol(argv[3]) : 20000;
    Score score = {0};
    if (argc < 3) {
        fputs("usage: protocols COUNT SEED [STATES]\n", stderr);
        return 2;
    }
    for (long n = count < 0 ? -count : 1; n <= labs(count); n++) {
        char name[60];
        snprintf(name, sizeof name, "protocols -%ld %s", n, argv[2]);
        random_state = strtoull(argv[2], NULL, 10) * 1000003u + (uint64_t)n;
        draw(1);
        const Protocol p = draw_protocol();
        char *text = text_of(&p);
        compare(&p, text, most, &score, name, count < 0);
        free(text);
    }
    printf("%ld protocols: %ld hold, %ld are refused, %ld are too large, %ld differ\n", score.made, score.held,
           score.refused, score.large, score.differ);
    const bool mixed = count < 0 || (score.held * 10 > score.made && score.refused * 10 > score.made);
    return score.differ || !mixed;
}
