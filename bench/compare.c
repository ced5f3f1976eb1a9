/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.c - what the compiler makes of the kernels, beside cuBLASLt.
 *
 *   compare SUITE... [rounds=15] [sample=6] [json=FILE] [tiles]
 *
 * Suites: suites.c lists the work of each.  A row of the table is one piece of work: both sides' TFLOP/s (TB/s where
 * nothing but memory counts), and the median of the rounds' ratios with the interval that holds 95% of its resamplings.
 * cuBLASLt is the fastest of 32 heuristics, each timed; "first" is its own first choice.  Results are checked against
 * float64 before anything is timed.  With `tiles`, all choices that product_choose compares are timed, not only the
 * best: the times that lib/product/fit reads.  The JSON has one line for each candidate.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../samples/check.h"
#include "arrays.h"
#include "compare.h"
#include "cublaslt.h"
#include "kernels.h"
#include "measure.h"
#include "suites.h"
#include "../lib/product/describe.h"

enum { NUMBER_LENGTH = 32 };

measurement how_to_measure = {.rounds = 15, .sample_ms = 6};
static FILE *json;
static int all_tiles, wrong;
static int done, planned;

/* ---- one piece of work ------------------------------------------------------------------------------------------- */

typedef struct {
    const work *work;
    product_call call;
    product_choice choice;
    const int *first; /* groups: on the device */
    const step *step;
} ours;

static void run_ours(void *context, cudaStream_t stream)
{
    const ours *o = context;
    const work *w = o->work;
    ws_set_stream(stream);
    if (o->step)
        o->step->run(w->M, w->N, w->K, o->call.A, o->call.B, o->call.C);
    else if (w->groups)
        grouped_bf16(w->groups, w->M, w->M / 128 /* first_row */, w->N, w->K, o->call.A, o->call.B, o->call.C, o->first,
                     device_multiprocessors());
    else
        w->kernel(&o->call, o->choice);
    ws_set_stream(NULL);
}

typedef struct {
    cublaslt_plan *plans[64];
    int count;
} peers;

static void run_peers(void *context, cudaStream_t stream)
{
    const peers *p = context;
    for (int i = 0; i < p->count; i++)
        cublaslt_run(p->plans[i], stream);
}

static long padded(const work *w, long cols, ws_dtype type)
{
    long line = 16 / element_bytes(type);
    return w->padded ? (cols + line - 1) / line * line : cols;
}

static product_call make_call(const work *w)
{
    void *(*const random)(ws_dtype, size_t, unsigned) = w->exact ? array_random_whole : array_random;
    product_call c = {.batch = w->batch, .M = w->M, .N = w->N, .K = w->K};
    size_t batch = (size_t)w->batch, rows_b = (size_t)(w->groups ? w->groups : 1);
    c.lda = padded(w, w->trans_a ? w->M : w->K, w->a_type);
    c.ldb = padded(w, w->trans_b ? w->N : w->K, w->b_type);
    c.ldc = padded(w, w->N, w->c_type);
    c.A = random(w->a_type, batch * (size_t)(w->trans_a ? w->K : w->M) * (size_t)c.lda, 1);
    c.B = random(w->b_type, batch * rows_b * (size_t)(w->trans_b ? w->K : w->N) * (size_t)c.ldb, 2);
    c.C = array_new(batch * (size_t)w->M * (size_t)c.ldc * (size_t)element_bytes(w->c_type));
    switch (w->finish) {
    case FINISH_SILU_RESIDUAL:
        c.extra = array_random(WS_F16, (size_t)w->M * (size_t)w->N, 3);
        break;
    case FINISH_SCALES:
        c.extra = array_random(WS_F32, (size_t)w->M, 3);
        c.extra2 = array_random(WS_F32, (size_t)w->N, 4);
        break;
    case FINISH_QUANTIZE:
        c.extra = array_random(WS_F32, 1, 3);
        break;
    case FINISH_BIAS_GELU:
        c.extra = array_random(WS_F32, (size_t)w->N, 3);
        c.extra2 = array_random(WS_F16, (size_t)w->N, 3); /* as cuBLASLt wants it */
        break;
    default:
        break;
    }
    return c;
}

static void free_call(product_call *c)
{
    array_free((void *)c->A);
    array_free((void *)c->B);
    array_free(c->C);
    array_free((void *)c->extra);
    array_free((void *)c->extra2);
    array_free(c->partial);
}

static int first_row(const work *w, int group)
{
    return (int)((long)w->M / 512 * group / w->groups * 512);
}

/* The worst over the matrices of a batch or the groups. */
static double error_of(const work *w, const product_call *c, int with_finish)
{
    double worst = 0;
    int count = w->groups ? w->groups : w->batch;
    for (int n = 0; n < count; n++) {
        int row = w->groups ? first_row(w, n) : 0, rows = w->groups ? first_row(w, n + 1) - row : w->M;
        size_t a_rows = (size_t)(w->trans_a ? w->K : w->M), b_rows = (size_t)(w->trans_b ? w->K : w->N);
        size_t a_at = w->groups ? (size_t)row * (size_t)c->lda : (size_t)n * a_rows * (size_t)c->lda;
        size_t c_at = w->groups ? (size_t)row * (size_t)c->ldc : (size_t)n * (size_t)w->M * (size_t)c->ldc;
        array_product p = {w->a_type,
                           w->b_type,
                           w->c_type,
                           rows,
                           w->N,
                           w->K,
                           w->trans_a,
                           w->trans_b,
                           c->lda,
                           c->ldb,
                           c->ldc,
                           (const char *)c->A + a_at * (size_t)element_bytes(w->a_type),
                           (const char *)c->B + (size_t)n * b_rows * (size_t)c->ldb * (size_t)element_bytes(w->b_type),
                           (const char *)c->C + c_at * (size_t)element_bytes(w->c_type),
                           NULL,
                           NULL,
                           NULL,
                           NULL,
                           NULL,
                           THEN_NOTHING,
                           check_roundoff(w->c_type)};
        if (with_finish && w->finish == FINISH_SCALES)
            p.row_scale = c->extra, p.col_scale = c->extra2;
        else if (with_finish && w->finish == FINISH_QUANTIZE)
            p.scale = c->extra;
        else if (with_finish && w->finish == FINISH_BIAS_GELU)
            p.bias = c->extra, p.then = THEN_GELU;
        else if (with_finish && w->finish == FINISH_SILU_RESIDUAL)
            p.residual = c->extra, p.then = THEN_SILU;
        double error = rows > 0 ? array_error(&p) : 0;
        worst = error > worst ? error : worst;
    }
    return worst;
}

/* One matrix product, or one for each group.  With no heuristic for the finish, the product alone: `plain` says so. */
static int make_peers(const work *w, const product_call *c, int candidates, peers *to, int *plain)
{
    to->count = w->groups ? w->groups : 1;
    for (int n = 0; n < to->count; n++) {
        int row = w->groups ? first_row(w, n) : 0, rows = w->groups ? first_row(w, n + 1) - row : w->M;
        const char *A = c->A, *B = c->B;
        char *C = c->C;
        cublaslt_problem q = {.a_type = w->a_type,
                              .b_type = w->b_type,
                              .c_type = w->c_type,
                              .batch = w->batch,
                              .M = rows,
                              .N = w->N,
                              .K = w->K,
                              .trans_a = w->trans_a,
                              .trans_b = w->trans_b,
                              .lda = c->lda,
                              .ldb = c->ldb,
                              .ldc = c->ldc,
                              .exact = w->exact};
        q.A = A + (size_t)row * (size_t)c->lda * (size_t)element_bytes(w->a_type);
        q.B = B + (size_t)n * (size_t)w->N * (size_t)c->ldb * (size_t)element_bytes(w->b_type);
        q.C = C + (size_t)row * (size_t)c->ldc * (size_t)element_bytes(w->c_type);
        if (!*plain && w->finish == FINISH_BIAS_GELU)
            q.bias = c->extra2;
        if (!*plain && w->finish == FINISH_SILU_RESIDUAL)
            q.residual = c->extra;
        if (!*plain && w->finish == FINISH_SCALES)
            q.row_scale = c->extra, q.col_scale = c->extra2;
        if (!*plain && w->finish == FINISH_QUANTIZE)
            q.out_scale = c->extra;
        to->plans[n] = cublaslt_prepare(&q, candidates);
        if (!to->plans[n] && n == 0 && !*plain && w->finish) {
            *plain = 1;
            return make_peers(w, c, candidates, to, plain);
        }
        if (!to->plans[n]) {
            to->count = n;
            return 0;
        }
    }
    return 1;
}

static void free_peers(peers *p)
{
    for (int i = 0; i < p->count; i++)
        cublaslt_free(p->plans[i]);
}

/* ---- rows of the table ------------------------------------------------------------------------------------------- */

/* TFLOP/s, or TB/s. */
double tera(const work *w, const candidate *c)
{
    double products = w->gated ? 3 : w->batch;
    double size = w->bytes ? w->bytes : 2 * products * w->M * (double)w->N * w->K;
    return 1e-9 * size / candidate_ms(c);
}

/* JSON has no word for what is not a number. */
static const char *number(char text[NUMBER_LENGTH], double x)
{
    snprintf(text, NUMBER_LENGTH, isfinite(x) ? "%.4g" : "null", x);
    return text;
}

/* What lib/product/fit reads beside the words: the row of the table of forms, and its numbers. */
static void write_choice(product_choice choice)
{
    fprintf(json, "\"kernel\": \"%s\", \"parts\": %d, \"step\": %d, \"across\": %d, ", product_forms[choice.form].name,
            choice.parts, choice.step, choice.across);
}

void write_json(const work *w, const candidate *c, const product_choice *choice, interval ratio, double error)
{
    char text[4][NUMBER_LENGTH], form[PRODUCT_DESCRIPTION] = "";
    if (!json)
        return;
    if (choice)
        product_describe(form, *choice, w->N);
    fprintf(json,
            "{\"suite\": \"%s\", \"row\": \"%s\", \"type\": \"%s\", \"batch\": %d, \"M\": %d, \"N\": %d, \"K\": %d, "
            "\"candidate\": \"%s\", \"form\": \"%s\", ",
            w->suite, w->label, w->type, w->batch, w->M, w->N, w->K, c->name, form);
    if (choice)
        write_choice(*choice);
    fprintf(json,
            "\"us\": %.3f, \"%s\": %.*f, \"ratio\": %s, \"low\": %s, \"high\": %s, \"error\": %s, \"mhz\": %.0f, "
            "\"watts\": %.0f}\n",
            1e3 * candidate_ms(c), w->bytes ? "tbs" : "tflops", w->bytes ? 2 : 1, tera(w, c),
            number(text[0], ratio.middle), number(text[1], ratio.low), number(text[2], ratio.high),
            number(text[3], error), c->mhz, c->watts);
    fflush(json);
}

void progress(const work *w)
{
    fprintf(stderr, "\r%d of %d: %s %s %s                    \r", ++done, planned, w->suite, w->type, w->label);
}

static double checked(const work *w, const product_call *c, candidate *one, int with_finish)
{
    array_poison(c->C, (size_t)w->batch * (size_t)w->M * (size_t)c->ldc * (size_t)element_bytes(w->c_type));
    one->run(one->context, NULL);
    cudaDeviceSynchronize();
    return error_of(w, c, with_finish);
}

static int same_choice(product_choice x, product_choice y)
{
    return x.form == y.form && x.parts == y.parts && x.step == y.step && x.across == y.across;
}

/* The one that product_choose names, and with `tiles` all that it compares; how many. */
static int choices_of(const work *w, product_choice list[], int most)
{
    const product_problem problem = {
        w->batch, w->M, w->N, w->K, element_bytes(w->a_type), element_bytes(w->c_type), device_multiprocessors()};
    product_choice compared[PRODUCT_CHOICES];
    int count = 0;
    list[count++] = w->chooses ? product_choose(problem) : (product_choice){0, 1, 0, 0};
    for (int i = 0, n = all_tiles && w->chooses ? product_choices(problem, compared) : 0; i < n && count < most; i++) {
        int known = 0;
        for (int j = 0; j < count; j++)
            known |= same_choice(list[j], compared[i]);
        if (!known)
            list[count++] = compared[i];
    }
    return count;
}

static void compare_work(const work *w)
{
    product_call call = make_call(w);
    product_choice choices[CANDIDATES_AT_MOST];
    ours mine[CANDIDATES_AT_MOST];
    peers best, first;
    candidate all[CANDIDATES_AT_MOST];
    double errors[CANDIDATES_AT_MOST] = {0};
    int count = 0, plain = 0, *on_device = NULL, most_parts = 1;
    const int own = choices_of(w, choices, CANDIDATES_AT_MOST - 2);

    progress(w);
    if (w->groups) {
        int rows[65];
        for (int g = 0; g <= w->groups; g++)
            rows[g] = first_row(w, g);
        on_device = array_new(sizeof rows);
        cudaMemcpy(on_device, rows, sizeof rows, cudaMemcpyHostToDevice);
    }
    for (int i = 0; i < own; i++)
        most_parts = choices[i].parts > most_parts ? choices[i].parts : most_parts;
    if (most_parts > 1)
        call.partial = array_new((size_t)most_parts * (size_t)w->batch * (size_t)w->M * (size_t)w->N * 4);
    if (!make_peers(w, &call, 32, &best, &plain) || !make_peers(w, &call, 1, &first, &plain)) {
        printf("%-9s %-5s %-28s cuBLASLt has nothing for it\n", w->suite, w->type, w->label);
        best.count = first.count = 0;
    } else {
        all[count] =
            (candidate){.name = plain ? "cuBLASLt, product alone" : "cuBLASLt", .run = run_peers, .context = &best};
        count++;
        all[count] = (candidate){.name = "cuBLASLt first", .run = run_peers, .context = &first};
        count++;
    }
    const int base = count;
    for (int i = 0; i < own; i++, count++) {
        mine[i] = (ours){w, call, choices[i], on_device, NULL};
        all[count] = (candidate){.name = i ? "WSC other" : "WSC", .run = run_ours, .context = &mine[i]};
    }
    for (int i = 0; i < count; i++) {
        errors[i] = checked(w, &call, &all[i], i >= base);
        if (i >= base && !(errors[i] <= 1)) {
            char form[PRODUCT_DESCRIPTION];
            product_describe(form, choices[i - base], w->N);
            printf("%-9s %-5s %-28s WRONG: %s %s has %g times the error allowed\n", w->suite, w->type, w->label,
                   all[i].name, form, errors[i]);
            wrong = 1;
        }
    }
    if (measure(&how_to_measure, all, count)) {
        printf("%-9s %-5s %-28s", w->suite, w->type, w->label);
        for (int i = 0; i < count; i++) {
            const product_choice *choice = i >= base && w->chooses ? &choices[i - base] : NULL;
            char form[PRODUCT_DESCRIPTION] = "";
            interval ratio = base ? candidate_ratio(&all[i], &all[0]) : (interval){NAN, NAN, NAN};
            write_json(w, &all[i], choice, ratio, errors[i]);
            if (choice)
                product_describe(form, *choice, w->N);
            if (i == 0 && base)
                printf(" %7.1f  first %5.2f", tera(w, &all[0]), candidate_ms(&all[0]) / candidate_ms(&all[1]));
            else if (i >= base)
                printf("  | %-9s %7.1f  %5.3f [%5.3f %5.3f] err %.2f %4.0f/%4.0f MHz", form, tera(w, &all[i]),
                       ratio.middle, ratio.low, ratio.high, errors[i], all[i].mhz, all[0].mhz);
        }
        printf("%s\n", plain ? "  (cuBLASLt: the product alone)" : "");
        fflush(stdout);
    }
    free_peers(&best);
    free_peers(&first);
    free_call(&call);
    array_free(on_device);
}

/* The same product in many forms: what each step brings, and what depth and products in flight do. */
static void compare_steps(const work *w, int grid)
{
    product_call call = make_call(w);
    peers best;
    int plain = 0, count = 0, base;
    ours mine[CANDIDATES_AT_MOST];
    candidate all[CANDIDATES_AT_MOST];

    progress(w);
    if (make_peers(w, &call, 32, &best, &plain))
        all[count++] = (candidate){.name = "cuBLASLt", .run = run_peers, .context = &best};
    base = count;
    for (const step *s = steps; s->name; s++)
        if ((s->depth > 0) == grid && count < CANDIDATES_AT_MOST) {
            mine[count] = (ours){w, call, {0, 1, 0, 0}, NULL, s};
            all[count] = (candidate){.name = s->name, .run = run_ours, .context = &mine[count]};
            count++;
        }
    for (int i = 0; i < count; i++) {
        double error = checked(w, &call, &all[i], 1);
        if (!(error <= 1)) {
            printf("%-9s %-28s WRONG: %s has %g times the error allowed\n", w->suite, w->label, all[i].name, error);
            wrong = 1;
        }
    }
    if (measure(&how_to_measure, all, count))
        for (int i = 0; i < count; i++) {
            interval ratio = base ? candidate_ratio(&all[i], &all[0]) : (interval){NAN, NAN, NAN};
            write_json(w, &all[i], NULL, ratio, 0);
            printf("%-9s %-5s %-24s %-34s %7.1f  %5.3f [%5.3f %5.3f]  %4.0f MHz\n", w->suite, w->type, w->label,
                   all[i].name, tera(w, &all[i]), ratio.middle, ratio.low, ratio.high, all[i].mhz);
        }
    fflush(stdout);
    if (base)
        free_peers(&best);
    free_call(&call);
}

/* Memory alone: beside a copy of the same bytes. */
static void run_copy(void *context, cudaStream_t stream)
{
    const product_call *c = context;
    array_copy(c->C, c->A, (size_t)c->M * (size_t)c->N * 2, stream);
}

static void run_softmax(void *context, cudaStream_t stream)
{
    const product_call *c = context;
    ws_set_stream(stream);
    softmax(c->M, c->N, c->A, c->C);
    ws_set_stream(NULL);
}

static void compare_softmax(const work *w)
{
    product_call call = make_call(w);
    candidate all[] = {{.name = "copy", .run = run_copy, .context = &call},
                       {.name = "WSC", .run = run_softmax, .context = &call}};
    progress(w);
    array_poison(call.C, (size_t)w->M * (size_t)w->N * 2);
    run_softmax(&call, NULL);
    double error = array_softmax_error(w->M, w->N, call.A, call.C, check_roundoff(WS_F16));
    if (!(error <= 1)) {
        printf("%-9s %-5s %-28s WRONG: %g times the error allowed\n", w->suite, w->type, w->label, error);
        wrong = 1;
    }
    if (measure(&how_to_measure, all, 2))
        for (int i = 0; i < 2; i++) {
            interval ratio = candidate_ratio(&all[i], &all[0]);
            write_json(w, &all[i], NULL, ratio, i ? error : 0);
            printf("%-9s %-5s %-28s %-5s %5.2f TB/s  %5.3f [%5.3f %5.3f]  err %.2f\n", w->suite, w->type, w->label,
                   all[i].name, tera(w, &all[i]), ratio.middle, ratio.low, ratio.high, i ? error : 0);
        }
    free_call(&call);
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static void run_suite(const char *name)
{
    int count = 0;
    const work *list = suite_find(name, &count);
    if (!list) {
        fprintf(stderr, "no suite '%s'; there are%s\n", name, suite_names());
        exit(2);
    }
    for (int i = 0; i < count; i++)
        if (list[i].steps)
            compare_steps(&list[i], list[i].steps == STEPS_GRID);
        else if (!strcmp(list[i].suite, "softmax"))
            compare_softmax(&list[i]);
        else if (list[i].gated)
            wrong |= !compare_mlp(&list[i]);
        else
            compare_work(&list[i]);
}

static void say_versions(void)
{
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    printf("%s, %d multiprocessors, driver for CUDA %d.%d, runtime %d.%d, cuBLASLt %zu; %d rounds of %.0f ms\n",
           device_name(), device_multiprocessors(), driver / 1000, driver % 1000 / 10, runtime / 1000,
           runtime % 1000 / 10, cublaslt_version(), how_to_measure.rounds, how_to_measure.sample_ms);
    if (json) {
        fprintf(json, "{\"device\": \"%s\", \"driver\": %d, \"runtime\": %d, \"cublaslt\": %zu, \"rounds\": %d}\n",
                device_name(), driver, runtime, cublaslt_version(), how_to_measure.rounds);
        fflush(json);
    }
}

int main(int argc, char **argv)
{
    int suites = 0;
    for (int i = 1; i < argc; i++) {
        int count = 0;
        if (!strncmp(argv[i], "rounds=", 7)) {
            how_to_measure.rounds = atoi(argv[i] + 7);
        } else if (!strncmp(argv[i], "sample=", 7)) {
            how_to_measure.sample_ms = atof(argv[i] + 7);
        } else if (!strncmp(argv[i], "json=", 5)) {
            json = fopen(argv[i] + 5, "w");
        } else if (!strcmp(argv[i], "tiles")) {
            all_tiles = 1;
        } else if (suite_find(argv[i], &count)) {
            suites++;
            planned += count;
        } else {
            fprintf(stderr, "no suite or option '%s'; the suites are%s\n", argv[i], suite_names());
            return 2;
        }
    }
    if (how_to_measure.rounds < 1 || how_to_measure.rounds > ROUNDS_AT_MOST || how_to_measure.rounds % 2 == 0 ||
        !(how_to_measure.sample_ms > 0)) {
        fprintf(stderr, "an odd number of rounds, 1 to %d, of more than 0 ms\n", ROUNDS_AT_MOST);
        return 2;
    }
    say_versions();
    for (int i = 1; i < argc && suites; i++)
        if (!strchr(argv[i], '=') && strcmp(argv[i], "tiles"))
            run_suite(argv[i]);
    ws_status status = ws_last_error();
    if (status)
        printf("error: %s\n", ws_error_message());
    if (json)
        fclose(json);
    return status || wrong;
}
