/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutation.c - applies every operator at every site of final programs, and reports which checker rejects the mutant.
 *
 *      mutation [--keep FOLDER] [--operator NAME] [--list] FILE.ir...
 *      mutation --text COUNT SEED [--keep FOLDER] FILE.ir...      COUNT random edits of each kernel's text (text.c)
 *
 * FILE.ir is the output of --ws-dump=verify.  Each mutant is given to verify and, independently, to the interpreter.
 * The interpreter runs it for 0, 1, 2, D, D + 1 and 2 D + 2 iterations.  If the interpreter accepts a mutant it runs
 * for all counts up to 2 D + 2.  If verify accepts it, too, it then runs in all orders (tests/interpret/explore.c).  A
 * mutant without any difference is equivalent.
 *
 * A mutant is missed if verify accepts it and it is not equivalent.  FOLDER gets the text of missed mutants.  The
 * program prints a line for each, and the score.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mutation.h"
#include "ir/check.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "proof/verify.h"
#include "ws/backend.h"
#include "target/machine.h"

typedef struct {
    int made, verify, interpreter, equivalent, missed, cautious;
} Score;

/* The result of the original kernel for one trip count.  */
typedef struct {
    int trips, variant;
    Arguments arguments;
    Image before, after;
    long steps;
    bool again; /* arguments equal those of fewer trips, or of another variant */
} Expected;

enum { MOST_COUNTS = 48, SEEDS = 2 };

typedef struct {
    const char *file, *name, *keep, *only;
    long edits; /* of the text, instead of operators */
    unsigned long long seed;
    const char *text;
    int deepest;
    Expected expected[MOST_COUNTS][VARIANTS]; /* by trip count and variant */
    Score by_operator[128], all;
    unsigned long long *seen; /* hash values of mutants */
    int nseen;
    double verify_ms;
    long orders; /* orders in which mutants ran before they counted as equivalent */
} Subject;

static char complaint[512];

static void remember(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)loc;
    if (kind == DIAG_ERROR && !*complaint)
        snprintf(complaint, sizeof complaint, "%s", message);
}

static char *printed(const Kernel *kernel)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    ir_print(out, kernel, NULL);
    fclose(out);
    return text;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Sets up the launch as if an earlier grid stored all that this one loads, and a later one counted its tiles.  */
static void pretend_beside(Launch *launch)
{
    static unsigned words[1];
    struct ws_together *together = &launch->state.together;
    if (!launch->kernel->grid.together)
        return;
    words[0] = 0;
    together->words = words;
    together->first = 0;
    together->counters = 1;
    together->nwaits = launch->kernel->grid.awaits;
    together->waits[0] =
        (struct ws_wait){.roles = ~0u, .end = (const char *)UINTPTR_MAX, .unit = 1, .width = INT_MAX / 2};
}

/* Runs the text under all seeds.  Returns NULL if each gives the expected result, else the difference.  */
static const char *run_once(const char *text, Expected *expected, bool first)
{
    static char said[400];
    const char *noticed = NULL;
    Module *module = ir_parse(text, "mutant", &machine_hopper, remember, NULL);
    if (!module)
        return "cannot be read";
    module->kernels->grid.totals = NULL; /* the numbers of tiles are an ordinary array here */
    Plan *plan = plan_new(module->kernels);
    if (first)
        expected->arguments = arguments_make(module->kernels, plan, expected->trips, expected->variant);
    Launch launch;
    if (!launch_begin(&launch, plan, expected->arguments.values, expected->arguments.count)) {
        snprintf(said, sizeof said, "the launch fails: %s", ws_error_message());
        ws_last_error();
        noticed = said;
    }
    pretend_beside(&launch);
    launch.most_steps = first ? launch.most_steps : 4 * expected->steps + 1000;
    if (first && !noticed)
        expected->before = image_take(&launch);
    for (uint64_t seed = 1; seed <= SEEDS && !noticed; seed++) {
        Order order = {.seed = seed};
        image_put(&launch, &expected->before);
        launch_forget(&launch);
        const char *report = launch_run(&launch, &order, NULL);
        if (!report)
            ws_emulate_check_told(&launch.state);
        if (!report && launch.state.failed)
            report = "tiles are said to be done more or less often than counted";
        Image after = image_take(&launch);
        if (report)
            noticed = memcpy(said, report, strnlen(report, sizeof said - 1) + 1);
        else if (first && seed == 1)
            expected->after = image_take(&launch);
        else if (!image_equal(&after, &expected->after))
            noticed = "another result";
        said[sizeof said - 1] = 0;
        if (first && launch.steps > expected->steps)
            expected->steps = launch.steps;
        image_drop(&after);
        ws_last_error();
    }
    launch.state.ran = false; /* no launch of a block */
    launch_end(&launch);
    plan_delete(plan);
    module_free(module);
    return noticed;
}

enum { MOST_ORDERS = 20000 };

/* The same in every order, for each CTA by itself.  */
static const char *run_all_orders(const char *text, Expected *expected, long *orders)
{
    static char said[400];
    const char *noticed = NULL;
    long runs = 0;
    Launch launch;
    Module *module = ir_parse(text, "mutant", &machine_hopper, remember, NULL);
    module->kernels->grid.totals = NULL;
    Plan *plan = plan_new(module->kernels);
    if (launch_begin(&launch, plan, expected->arguments.values, expected->arguments.count)) {
        pretend_beside(&launch);
        launch.most_steps = 4 * expected->steps + 1000;
        image_put(&launch, &expected->before);
        noticed = launch_explore(&launch, MOST_ORDERS, &runs);
        Image after = image_take(&launch);
        if (!noticed && !image_equal(&after, &expected->after))
            noticed = "another result";
        if (noticed)
            snprintf(said, sizeof said, "%.399s", noticed);
        image_drop(&after);
    }
    *orders += runs;
    ws_last_error();
    launch.state.ran = false; /* no launch of a block */
    launch_end(&launch);
    plan_delete(plan);
    module_free(module);
    return noticed ? said : NULL;
}

static bool is_usual(int trips, int deepest)
{
    return trips <= 2 || trips == deepest || trips == deepest + 1 || trips == 2 * deepest + 2;
}

/* Returns the interpreter's report for any trip count, NULL: none.  */
static const char *judge(Subject *subject, const char *text)
{
    const char *noticed = NULL;
    int last = 2 * subject->deepest + 2;
    for (int usual = 1; usual >= 0; usual--)
        for (int trips = 0; trips <= last && !noticed; trips++)
            for (int variant = 0; variant < VARIANTS && !noticed; variant++)
                if (is_usual(trips, subject->deepest) == usual && !subject->expected[trips][variant].again)
                    noticed = run_once(text, &subject->expected[trips][variant], false);
    return noticed;
}

static const char *judge_all_orders(Subject *subject, const char *text)
{
    const char *noticed = NULL;
    for (int i = 0; i < VARIANTS * (2 * subject->deepest + 3) && !noticed; i++)
        if (!subject->expected[i / VARIANTS][i % VARIANTS].again)
            noticed = run_all_orders(text, &subject->expected[i / VARIANTS][i % VARIANTS], &subject->orders);
    return noticed;
}

static bool verify_accepts(Subject *subject, const char *text)
{
    struct timespec from, to;
    *complaint = 0;
    clock_gettime(CLOCK_MONOTONIC, &from);
    bool accepted = verify_text(text, "mutant", &machine_hopper, remember, NULL);
    clock_gettime(CLOCK_MONOTONIC, &to);
    subject->verify_ms += 1e3 * (double)(to.tv_sec - from.tv_sec) + 1e-6 * (double)(to.tv_nsec - from.tv_nsec);
    return accepted;
}

/* ---- mutants ----------------------------------------------------------------------------------------------------- */

static bool seen_before(Subject *subject, const char *text)
{
    unsigned long long hash = 14695981039346656037ull;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
    for (int i = 0; i < subject->nseen; i++)
        if (subject->seen[i] == hash)
            return true;
    if (!(subject->nseen & (subject->nseen - 1)))
        subject->seen = realloc(subject->seen, (size_t)(2 * subject->nseen + 1) * sizeof *subject->seen);
    if (!subject->seen)
        abort();
    subject->seen[subject->nseen++] = hash;
    return false;
}

static void keep_text(const Subject *subject, const char *mutant, const char *text, const char *noticed)
{
    char path[1000];
    if (!subject->keep)
        return;
    mkdir(subject->keep, 0777);
    snprintf(path, sizeof path, "%s/%s-%s.txt", subject->keep, subject->name, mutant);
    FILE *out = fopen(path, "w");
    if (!out)
        return;
    fprintf(out, "# %s\n# verify accepts it; interpreted: %s\n%s", mutant, noticed, text);
    fclose(out);
}

static void score(Subject *subject, int operator, const char * mutant, const char *text)
{
    Score *s = &subject->by_operator[operator];
    bool accepted = verify_accepts(subject, text);
    char rejected[200];
    snprintf(rejected, sizeof rejected, "%.190s", complaint);
    const char *noticed = judge(subject, text);
    if (accepted && !noticed)
        noticed = judge_all_orders(subject, text);
    s->made++;
    s->verify += !accepted;
    s->interpreter += noticed != NULL;
    s->equivalent += accepted && !noticed;
    s->cautious += !accepted && !noticed;
    s->missed += accepted && noticed;
    if (accepted && noticed) {
        printf("missed: %s %s: %s\n", subject->name, mutant, noticed);
        keep_text(subject, mutant, text, noticed);
    } else if (getenv("MUTATION_VERBOSE")) {
        printf("%s: %s %s: verify: %s; interpreted: %s\n",
               accepted  ? "equivalent"
               : noticed ? "caught"
                         : "cautious",
               subject->name, mutant, accepted ? "accepts" : rejected, noticed ? noticed : "nothing");
    }
    fflush(stdout);
}

static void try_site(Subject *subject, int operator, int index)
{
    Module *module = ir_parse(subject->text, subject->file, &machine_hopper, remember, NULL);
    Kernel *kernel = module->kernels;
    Sites sites = sites_of(kernel);
    Site site = sites.at[index];
    char mutant[100];
    if (site.kind != operators[operator].kind || !operators[operator].apply(kernel, site)) {
        free(sites.at);
        module_free(module);
        return;
    }
    snprintf(mutant, sizeof mutant, "%s-%d", operators[operator].name, index);
    if (ir_check(kernel)) {
        char *text = printed(kernel);
        if (!seen_before(subject, text))
            score(subject, operator, mutant, text);
        free(text);
    }
    free(sites.at);
    module_free(module);
}

static int site_count(const char *text)
{
    Module *module = ir_parse(text, "subject", &machine_hopper, remember, NULL);
    Sites sites = sites_of(module->kernels);
    int count = sites.count;
    free(sites.at);
    module_free(module);
    return count;
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

/* True if a run with equal arguments precedes, so that another run can find nothing more.  Displaced arrays run for two
   iterations alone, since the place of arrays decides how copies are made for any count.  */
static bool came_before(const Subject *subject, int index)
{
    const Expected *all = &subject->expected[0][0];
    if (all[index].arguments.displaced && all[index].trips != 2)
        return true;
    for (int i = 0; i < index; i++)
        if (!all[i].again && arguments_equal(&all[i].arguments, &all[index].arguments))
            return true;
    return false;
}

static bool expect(Subject *subject)
{
    for (int i = 0; i < VARIANTS * (2 * subject->deepest + 3); i++) {
        int trips = i / VARIANTS, variant = i % VARIANTS;
        Expected *expected = &subject->expected[trips][variant];
        expected->trips = trips;
        expected->variant = variant;
        const char *noticed = run_once(subject->text, expected, true);
        if (noticed) {
            printf("not ok: %s unspoiled, %d iterations: %s\n", subject->name, trips, noticed);
            return false;
        }
        expected->again = came_before(subject, i);
    }
    if (!verify_accepts(subject, subject->text)) {
        printf("not ok: verify rejects %s unspoiled: %s\n", subject->name, complaint);
        return false;
    }
    return true;
}

static void forget(Subject *subject)
{
    for (int i = 0; i < MOST_COUNTS * VARIANTS; i++) {
        Expected *expected = &subject->expected[i / VARIANTS][i % VARIANTS];
        if (expected->arguments.values)
            arguments_drop(&expected->arguments);
        image_drop(&expected->before);
        image_drop(&expected->after);
    }
    free(subject->seen);
}

static void add_score(Score *to, const Score *from)
{
    to->made += from->made;
    to->verify += from->verify;
    to->interpreter += from->interpreter;
    to->equivalent += from->equivalent;
    to->missed += from->missed;
    to->cautious += from->cautious;
}

/* A text that verify accepts is run by a process of its own, since a program that is no sense may do anything.  */
static void try_text(Subject *subject, long number)
{
    Score *s = &subject->all;
    char mutant[60], *text = text_edited(subject->text, subject->seed + (unsigned long long)number);
    int status = 0;
    snprintf(mutant, sizeof mutant, "text-%llu", subject->seed + (unsigned long long)number);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        const char *noticed = NULL;
        alarm(60);
        if (!strcmp(text, subject->text) || !verify_accepts(subject, text))
            _exit(0);
        noticed = judge(subject, text);
        if (noticed) {
            printf("missed: %s %s: %s\n", subject->name, mutant, noticed);
            keep_text(subject, mutant, text, noticed);
        } else if (getenv("MUTATION_VERBOSE")) {
            printf("equivalent: %s %s\n", subject->name, mutant);
            keep_text(subject, mutant, text, "nothing");
        }
        fflush(stdout);
        _exit(noticed ? 2 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    s->made++;
    s->verify += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    s->equivalent += WIFEXITED(status) && WEXITSTATUS(status) == 1;
    s->missed += !WIFEXITED(status) || WEXITSTATUS(status) == 2;
    if (!WIFEXITED(status)) {
        printf("missed: %s %s: %s\n", subject->name, mutant, strsignal(WTERMSIG(status)));
        keep_text(subject, mutant, text, "ended by a signal");
    }
    free(text);
}

static bool mutate_kernel(Subject *subject, Kernel *kernel, Score *totals)
{
    char *text = printed(kernel);
    subject->text = text;
    subject->name = kernel->name;
    subject->deepest = 1;
    FOR_AREFS (aref, kernel)
        subject->deepest = aref->slots > subject->deepest ? aref->slots : subject->deepest;
    bool good = 2 * subject->deepest + 2 < MOST_COUNTS && expect(subject);
    int sites = good && !subject->edits ? site_count(text) : 0;
    for (long i = 0; good && i < subject->edits; i++)
        try_text(subject, i);
    for (int i = 0; i < noperators; i++)
        for (int k = 0; k < sites && (!subject->only || !strcmp(subject->only, operators[i].name)); k++)
            try_site(subject, i, k);
    for (int i = 0; i < noperators; i++) {
        add_score(&totals[i], &subject->by_operator[i]);
        add_score(&subject->all, &subject->by_operator[i]);
    }
    const Score *all = &subject->all;
    printf("%-20s %5d mutants, %5d caught by verify, %5d by the interpreter, %4d equivalent, %3d rejected for "
           "caution, %3d missed by verify; %.2f ms each; equivalent in %ld orders\n",
           subject->name, all->made, all->verify, all->interpreter, all->equivalent, all->cautious, all->missed,
           subject->verify_ms / (all->made + 1), subject->orders);
    fflush(stdout);
    forget(subject);
    free(text);
    return good;
}

static bool mutate_file(const char *file, const Subject *how, Score *totals)
{
    FILE *in = fopen(file, "r");
    char *text = in ? ir_read_text(in) : NULL;
    if (in)
        fclose(in);
    Module *module = text ? ir_parse(text, file, &machine_hopper, remember, NULL) : NULL;
    bool good = module != NULL;
    if (!module)
        printf("not ok: %s: %s\n", file, *complaint ? complaint : "cannot be read");
    for (Kernel *kernel = module ? module->kernels : NULL; kernel; kernel = kernel->next) {
        Subject *subject = calloc(1, sizeof *subject);
        if (!subject)
            abort();
        *subject = *how;
        subject->file = file;
        good &= mutate_kernel(subject, kernel, totals) && (!how->edits || !subject->all.missed);
        free(subject);
    }
    if (module)
        module_free(module);
    free(text);
    return good;
}

static void print_totals(const Score *totals)
{
    Score all = {0};
    printf("\n%-20s %7s %7s %11s %10s %8s %6s\n", "operator", "mutants", "verify", "interpreter", "equivalent",
           "cautious", "missed");
    for (int i = 0; i < noperators; i++) {
        const Score *s = &totals[i];
        printf("%-20s %7d %7d %11d %10d %8d %6d\n", operators[i].name, s->made, s->verify, s->interpreter,
               s->equivalent, s->cautious, s->missed);
        add_score(&all, s);
    }
    printf("%-20s %7d %7d %11d %10d %8d %6d\n", "all", all.made, all.verify, all.interpreter, all.equivalent,
           all.cautious, all.missed);
}

int main(int argc, char **argv)
{
    static Subject how;
    Score totals[128] = {{0}};
    bool good = true;
    ws_emulate_ctas(1);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list")) {
            for (int k = 0; k < noperators; k++)
                printf("%-20s %s\n", operators[k].name, operators[k].summary);
            return 0;
        }
        if (!strcmp(argv[i], "--keep") && i + 1 < argc)
            how.keep = argv[++i];
        else if (!strcmp(argv[i], "--operator") && i + 1 < argc)
            how.only = argv[++i];
        else if (!strcmp(argv[i], "--text") && i + 2 < argc) {
            how.edits = atol(argv[++i]);
            how.seed = strtoull(argv[++i], NULL, 10) * 1000000;
        } else
            good &= mutate_file(argv[i], &how, totals);
    }
    if (!how.edits)
        print_totals(totals);
    for (int i = 0; i < noperators; i++)
        good &= !totals[i].missed;
    return !good;
}
