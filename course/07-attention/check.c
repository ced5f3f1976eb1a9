/* SPDX-License-Identifier: MIT */
#include "check.h"

void attention(int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O);

enum { D = 64, T = 64 };
static int L;
static float scale;
static ws_f16 *Q, *K, *V;
static float *O, *row_of;
static long row_known[20]; /* of a hypothesis: the row that is in its part of row_of, and one more */

enum {
    RIGHT,
    NO_SOFTMAX,
    SUM_NOT_RESCALED,
    OUTPUT_NOT_RESCALED,
    EDGE_NOT_MASKED,
    SCALE_MISSING,
    WRONG_BASE,
    NOT_DIVIDED,
    SHRINK_INVERTED,
    LAST_SUM,
    VALUES_STAY,
    KEYS_STAY,
    SCALED_TWICE,
    NOT_SUBTRACTED,
    NOT_CARRIED,
    MULTIPLIED,
    COUNT
};

static float at(const ws_f16 *x, long r, long c)
{
    return r < L ? ws_f16_to(x[r * D + c]) : 0;
}

/* A row of the output under a hypothesis, as the loop would compute it.  */
static void compute(int h, long i, float *out)
{
    float power = (h == WRONG_BASE ? scale : h == SCALE_MISSING ? 1.44269504f : scale * 1.44269504f), top = -1e30f;
    float sum = 0;
    for (int c = 0; c < D; c++)
        out[c] = 0;
    if (h == SCALED_TWICE)
        power *= scale;
    for (long j = 0; j < L; j += T) {
        float s[T], largest = -1e30f, own = 0;
        for (int t = 0; t < T; t++) {
            s[t] = 0;
            for (int c = 0; c < D; c++)
                s[t] += at(Q, i, c) * at(K, h == KEYS_STAY ? t : j + t, c);
            if (j + t >= L && h != EDGE_NOT_MASKED && h != NO_SOFTMAX)
                s[t] = -1e30f;
            s[t] *= h == NO_SOFTMAX ? 1 : power;
            largest = s[t] > largest ? s[t] : largest;
        }
        float now = h == NOT_CARRIED ? largest : h == NOT_SUBTRACTED ? 0 : largest > top ? largest : top;
        float shrink = h == SHRINK_INVERTED ? exp2f(now - top) : exp2f(top - now);
        if (h == NOT_SUBTRACTED || h == NO_SOFTMAX)
            shrink = 1;
        for (int c = 0; c < D && h != OUTPUT_NOT_RESCALED; c++)
            out[c] *= shrink;
        for (int t = 0; t < T; t++) {
            float p = h == NO_SOFTMAX ? s[t] : exp2f(s[t] - now);
            own += p;
            for (int c = 0; c < D; c++)
                out[c] += ws_f16_to(ws_f16_from(p)) * at(V, h == VALUES_STAY ? t : j + t, c);
        }
        sum = h == LAST_SUM ? own : (h == SUM_NOT_RESCALED ? sum : sum * shrink) + own;
        top = now;
    }
    for (int c = 0; c < D; c++)
        out[c] = h == NOT_DIVIDED || h == NO_SOFTMAX ? out[c] : h == MULTIPLIED ? out[c] * sum : out[c] / sum;
}

static double actual(long p)
{
    return O[p];
}
static double expected(int h, long p)
{
    if (row_known[h] != p / D + 1) {
        compute(h, p / D, row_of + (long)h * D);
        row_known[h] = p / D + 1;
    }
    return row_of[(long)h * D + p % D];
}

static const course_mistake mistakes[] = {
    {"no-softmax", "The scores go into the second product as they are."},
    {"sum-not-rescaled", "The running sum still has terms relative to an older maximum: when the maximum grows, what was summed before shrinks by 2^(top - now)."},
    {"output-not-rescaled", "acc still has terms relative to an older maximum: it shrinks with the sum."},
    {"edge-not-masked", "Keys behind the last one take part: their scores are 0, not minus infinity, and exp (0) is 1. Choose by ws_col_index."},
    {"scale-missing", "The scores are not multiplied by scale."},
    {"wrong-base", "exp2 is 2^x: for e^x the scores are multiplied by log2 e, which is in power."},
    {"not-divided", "The result is not divided by the sum of the exponentials."},
    {"shrink-inverted", "The factor is 2^(now - top) and grows: old minus new maximum is negative."},
    {"sum-of-last-block", "The sum has the last block's exponentials only."},
    {"values-stay", "Every block takes the first values: the tile of V is loaded at row j."},
    {"keys-stay", "Every block takes the first keys: the tile of K is loaded at row j."},
    {"scaled-twice", "The scores are multiplied by scale twice: power has it in itself."},
    {"maximum-not-subtracted", "The exponentials overflow for large scores: subtract the row's maximum first. The quotient is the same."},
    {"maximum-not-carried", "The maximum is that of the last block alone: when it falls, what was summed before grows without bound. Take the larger one of old and new."},
    {"multiplied-by-the-sum", "The result is multiplied by the sum in place of divided."}};

int main(void)
{
    /* Length, and how much larger the first keys are, and the others: with the last, later maxima are far below.  */
    static const int cases[][3] = {{128, 1, 1}, {150, 1, 1}, {128, 400, 400}, {192, 400, 1}};
    row_of = malloc(sizeof *row_of * COUNT * D);
    for (int n = 0; n < 4; n++) {
        L = cases[n][0];
        scale = 0.25f;
        Q = malloc((size_t)L * D * sizeof *Q);
        K = malloc((size_t)L * D * sizeof *K);
        V = malloc((size_t)L * D * sizeof *V);
        O = malloc((size_t)L * D * sizeof *O);
        for (long p = 0; p < (long)L * D; p++) {
            float more = p / D < 64 ? (float)cases[n][1] : (float)cases[n][2];
            Q[p] = ws_f16_from((float)course_random((unsigned long)p));
            K[p] = ws_f16_from(more * (float)course_random((unsigned long)p + 1000003));
            V[p] = ws_f16_from((float)course_random((unsigned long)p + 2000003));
            O[p] = UNTOUCHED;
        }
        for (int h = 0; h < COUNT; h++)
            row_known[h] = 0;
        attention(L, scale, Q, K, V, O);
        ws_or_die(ws_last_error());
        course_compare((long)L * D, actual, expected, 4e-3, sizeof mistakes / sizeof mistakes[0], mistakes);
        free(Q);
        free(K);
        free(V);
        free(O);
    }
    return 0;
}
