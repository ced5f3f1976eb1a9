/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops of llm.c and llama2.c: normalizations, products with a bias that may be missing, activations, an
   optimizer. */
#include "plain.h"

#define KERNEL(name) static void name
#define WS           PLAIN_PRAGMA
#include "plain/llm.h"
#undef KERNEL
#undef WS
#define KERNEL(name) static void name##_plain
#define WS(...)
#include "plain/llm.h"

static void normalizations(int B, int T, int C, int V, int Vp)
{
    PLAIN_FLOATS(out, B * T * C);
    PLAIN_FLOATS(mean, B * T);
    PLAIN_FLOATS(rstd, B * T);
    PLAIN_FLOATS(inp, B * T * C);
    PLAIN_FLOATS(weight, C);
    PLAIN_FLOATS(bias, C);
    layernorm_forward(check_place(out), check_place(mean), check_place(rstd), check_place(inp), check_place(weight),
                      check_place(bias), B, T, C);
    check_fetch();
    layernorm_forward_plain(out_, mean_, rstd_, inp, weight, bias, B, T, C);
    PLAIN_SAME(out, B * T * C, 1e-5);
    PLAIN_SAME(mean, B * T, 1e-5);
    PLAIN_SAME(rstd, B * T, 1e-5);

    rmsnorm(check_place(out), check_place(inp), check_place(weight), B * T, C);
    check_fetch();
    rmsnorm_plain(out_, inp, weight, B * T, C);
    PLAIN_SAME(out, B * T * C, 1e-5);

    PLAIN_FLOATS(probs, B * T * Vp);
    PLAIN_FLOATS(logits, B * T * Vp);
    softmax_forward(check_place(probs), check_place(logits), B, T, V, Vp);
    check_fetch();
    softmax_forward_plain(probs_, logits, B, T, V, Vp);
    PLAIN_SAME(probs, B * T * Vp, 1e-5);
    plain_next();
}

static void products(int B, int T, int C, int OC)
{
    PLAIN_FLOATS(out, B * T * OC);
    PLAIN_FLOATS(inp, B * T * C);
    PLAIN_FLOATS(weight, OC * C);
    PLAIN_FLOATS(bias, OC);
    matmul_forward(check_place(out), check_place(inp), check_place(weight), check_place(bias), B, T, C, OC);
    check_fetch();
    matmul_forward_plain(out_, inp, weight, bias, B, T, C, OC);
    PLAIN_SAME(out, B * T * OC, 1e-5);
    matmul_forward(check_place(out), check_place(inp), check_place(weight), NULL, B, T, C, OC);
    check_fetch();
    matmul_forward_plain(out_, inp, weight, NULL, B, T, C, OC);
    PLAIN_SAME(out, B * T * OC, 1e-5);
    matvec(check_place(out), check_place(inp), check_place(weight), C, OC);
    check_fetch();
    matvec_plain(out_, inp, weight, C, OC);
    PLAIN_SAME(out, B * T * OC, 1e-5);
    plain_next();
}

static void elementwise(int N)
{
    PLAIN_FLOATS(out, N);
    PLAIN_FLOATS(inp, N);
    PLAIN_FLOATS(m, N);
    PLAIN_FLOATS(v, N);
    gelu_forward(check_place(out), check_place(inp), N);
    check_fetch();
    gelu_forward_plain(out_, inp, N);
    PLAIN_SAME(out, N, 1e-6);
    residual_forward(check_place(out), check_place(out), check_place(inp), N);
    check_fetch();
    residual_forward_plain(out_, out_, inp, N);
    PLAIN_SAME(out, N, 1e-6);
    for (int i = 0; i < N; i++)
        v[i] = v_[i] = fabsf(v[i]);
    adamw(check_place(out), check_place(inp), check_place(m), check_place(v), N, 1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 3);
    check_fetch();
    adamw_plain(out_, inp, m_, v_, N, 1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 3);
    PLAIN_SAME(out, N, 1e-6);
    PLAIN_SAME(m, N, 1e-6);
    PLAIN_SAME(v, N, 1e-6);
    plain_next();
}

static void attention(int B, int T, int C, int NH)
{
    PLAIN_FLOATS(out, B * T * C);
    PLAIN_FLOATS(preatt, B * NH * T * T);
    PLAIN_FLOATS(att, B * NH * T * T);
    PLAIN_FLOATS(inp, B * T * 3 * C);
    attention_forward(check_place(out), check_place(preatt), check_place(att), check_place(inp), B, T, C, NH);
    check_fetch();
    attention_forward_plain(out_, preatt_, att_, inp, B, T, C, NH);
    PLAIN_SAME(out, B * T * C, 1e-5);
    PLAIN_SAME(preatt, B * NH * T * T, 1e-5);
    PLAIN_SAME(att, B * NH * T * T, 1e-5);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_llm", argc, argv);
    normalizations(2, 37, 100, 90, 96);
    products(2, 37, 100, 72);
    elementwise(3333);
    attention(2, 75, 120, 3);
    return plain_end();
}
