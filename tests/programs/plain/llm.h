/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of llm.c (train_gpt2.c) and llama2.c (run.c), written anew as they are there, but for the pragmas.
   KERNEL(f) is f and below WS() a pragma, or f_plain, and nothing. */
/* after llm.c (train_gpt2.c) */
KERNEL(layernorm_forward)
(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int B, int T, int C)
{
    float eps = 1e-5f;
    WS(grid(2) tile(1, 32))
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *x = inp + b * T * C + t * C;
            float m = 0.0f;
            WS(pipeline(auto) tile(64) reduction(+: m))
            for (int i = 0; i < C; i++) {
                m += x[i];
            }
            m = m/C;
            float v = 0.0f;
            WS(pipeline(auto) tile(64) reduction(+: v))
            for (int i = 0; i < C; i++) {
                float xshift = x[i] - m;
                v += xshift * xshift;
            }
            v = v/C;
            float s = 1.0f / sqrtf(v + eps);
            float* out_bt = out + b * T * C + t * C;
            WS(pipeline(auto) tile(64))
            for (int i = 0; i < C; i++) {
                float n = (s * (x[i] - m));
                float o = n * weight[i] + bias[i];
                out_bt[i] = o;
            }
            mean[b * T + t] = m;
            rstd[b * T + t] = s;
        }
    }
}

KERNEL(matmul_forward)
(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC)
{
    WS(grid(3) tile(1, 64, 64))
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            for (int o = 0; o < OC; o++) {
                int bt = b * T + t;
                float val = (bias != NULL) ? bias[o] : 0.0f;
                WS(pipeline(auto) tile(32) reduction(+: val))
                for (int i = 0; i < C; i++) {
                    val += inp[bt * C + i] * weight[o*C + i];
                }
                out[bt * OC + o] = val;
            }
        }
    }
}

KERNEL(gelu_forward)(float *out, const float *inp, int N)
{
    WS(grid(1))
    for (int i = 0; i < N; i++) {
        float x = inp[i];
        float cube = 0.044715f * x * x * x;
        out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + cube)));
    }
}

KERNEL(residual_forward)(float *out, const float *inp1, const float *inp2, int N)
{
    WS(grid(1))
    for (int i = 0; i < N; i++) {
        out[i] = inp1[i] + inp2[i];
    }
}

KERNEL(softmax_forward)(float *probs, const float *logits, int B, int T, int V, int Vp)
{
    WS(grid(2) tile(1, 16))
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *logits_bt = logits + b * T * Vp + t * Vp;
            float *probs_bt = probs + b * T * Vp + t * Vp;
            float maxval = -10000.0f;
            WS(pipeline(auto) tile(64) reduction(max: maxval))
            for (int i = 0; i < V; i++) {
                if (logits_bt[i] > maxval) {
                    maxval = logits_bt[i];
                }
            }
            float sum = 0.0f;
            WS(pipeline(auto) tile(64) reduction(+: sum))
            for (int i = 0; i < V; i++) {
                probs_bt[i] = expf(logits_bt[i] - maxval);
                sum += probs_bt[i];
            }
            WS(pipeline(auto) tile(64))
            for (int i = 0; i < V; i++) {
                probs_bt[i] /= sum;
            }
            WS(pipeline(auto) tile(64))
            for (int i = V; i < Vp; i++) {
                probs_bt[i] = 0.0f;
            }
        }
    }
}

KERNEL(adamw)(float *params, const float *grads, float *m_memory, float *v_memory, long num_parameters,
              float learning_rate, float beta1, float beta2, float eps, float weight_decay, int t)
{
    WS(grid(1))
    for (long i = 0; i < num_parameters; i++) {
        float param = params[i];
        float grad = grads[i];
        float m = beta1 * m_memory[i] + (1.0f - beta1) * grad;
        float v = beta2 * v_memory[i] + (1.0f - beta2) * grad * grad;
        float m_hat = m / (1.0f - powf(beta1, t));
        float v_hat = v / (1.0f - powf(beta2, t));
        m_memory[i] = m;
        v_memory[i] = v;
        params[i] -= learning_rate * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * param);
    }
}
/* after llama2.c (run.c) */
KERNEL(rmsnorm)(float *o, const float *x, const float *weight, int rows, int size)
{
    WS(grid(1) tile(16))
    for (int r = 0; r < rows; r++) {
        float ss = 0.0f;
        WS(pipeline(auto) tile(64) reduction(+: ss))
        for (int j = 0; j < size; j++) {
            ss += x[r * size + j] * x[r * size + j];
        }
        ss /= size;
        ss += 1e-5f;
        ss = 1.0f / sqrtf(ss);
        WS(pipeline(auto) tile(64))
        for (int j = 0; j < size; j++) {
            o[r * size + j] = weight[j] * (ss * x[r * size + j]);
        }
    }
}

KERNEL(matvec)(float *xout, const float *x, const float *w, int n, int d)
{
    WS(grid(1) tile(64))
    for (int i = 0; i < d; i++) {
        float val = 0.0f;
        WS(pipeline(auto) tile(64) reduction(+: val))
        for (int j = 0; j < n; j++) {
            val += w[i * n + j] * x[j];
        }
        xout[i] = val;
    }
}

KERNEL(attention_forward)(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH)
{
    int C3 = C*3;
    int hs = C / NH; // head size
    float scale = 1.0 / sqrtf(hs);

    WS(grid(3) tile(1, 32, 1))
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            for (int h = 0; h < NH; h++) {
                const float* query_t = inp + b * T * C3 + t * C3 + h * hs;
                float* preatt_bth = preatt + b*NH*T*T + h*T*T + t*T;
                float* att_bth = att + b*NH*T*T + h*T*T + t*T;

                // pass 1: calculate query dot key and maxval
                float maxval = -10000.0f;
                WS(pipeline(auto) tile(32) reduction(max: maxval))
                for (int t2 = 0; t2 <= t; t2++) {
                    const float* key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C; // +C because it's key
                    float val = 0.0f;
                    WS(pipeline(auto) tile(32) reduction(+: val))
                    for (int i = 0; i < hs; i++) {
                        val += query_t[i] * key_t2[i];
                    }
                    val *= scale;
                    if (val > maxval) {
                        maxval = val;
                    }
                    preatt_bth[t2] = val;
                }

                // pass 2: calculate the exp and keep track of sum
                float expsum = 0.0f;
                WS(pipeline(auto) tile(32) reduction(+: expsum))
                for (int t2 = 0; t2 <= t; t2++) {
                    float expv = expf(preatt_bth[t2] - maxval);
                    expsum += expv;
                    att_bth[t2] = expv;
                }
                float expsum_inv = expsum == 0.0f ? 0.0f : 1.0f / expsum;

                // pass 3: normalize to get the softmax
                WS(pipeline(auto) tile(32))
                for (int t2 = 0; t2 < T; t2++) {
                    if (t2 <= t) {
                        att_bth[t2] *= expsum_inv;
                    } else {
                        // causal attention mask
                        att_bth[t2] = 0.0f;
                    }
                }

                // pass 4: accumulate weighted values into the output of attention
                float* out_bth = out + b * T * C + t * C + h * hs;
                WS(pipeline(auto) tile(32))
                for (int i = 0; i < hs; i++) { out_bth[i] = 0.0f; }
                WS(pipeline(auto) tile(32) reduction(+: out_bth))
                for (int t2 = 0; t2 <= t; t2++) {
                    const float* value_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C*2; // +C*2 because it's value
                    float att_btht2 = att_bth[t2];
                    WS(pipeline(auto) tile(32))
                    for (int i = 0; i < hs; i++) {
                        out_bth[i] += att_btht2 * value_t2[i];
                    }
                }
            }
        }
    }
}
