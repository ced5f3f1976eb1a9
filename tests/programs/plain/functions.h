/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_functions.c: loops as programs have them that know nothing of tiles.  The algorithms are those of
   llm.c's backward pass, of llama2.c's 8-bit products, of Rodinia's kmeans, of PolyBench's cholesky and of ggml's
   depthwise convolution; n-body, Black-Scholes and a convolution are anybody's. */

KERNEL(matmul_backward)
(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp, const float *weight, int B, int T,
 int C, int OC)
{
    WS(grid(2))
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            const float *up = dout + b * T * OC + t * OC;
            float *down = dinp + b * T * C + t * C;
            WS(pipeline(auto) reduction(+ : down))
            for (int o = 0; o < OC; o++) {
                const float *row = weight + o * C;
                float d = up[o];
                WS(pipeline(auto))
                for (int i = 0; i < C; i++)
                    down[i] += row[i] * d;
            }
        }
    WS(grid(1))
    for (int o = 0; o < OC; o++)
        for (int b = 0; b < B; b++)
            for (int t = 0; t < T; t++) {
                const float *up = dout + b * T * OC + t * OC, *x = inp + b * T * C + t * C;
                float *row = dweight + o * C;
                float d = up[o];
                if (dbias != NULL)
                    dbias[o] += d;
                WS(pipeline(auto))
                for (int i = 0; i < C; i++)
                    row[i] += x[i] * d;
            }
}

KERNEL(layernorm_backward)
(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp, const float *weight, const float *mean,
 const float *rstd, int N, int C)
{
    WS(grid(1))
    for (int n = 0; n < N; n++) {
        const float *up = dout + n * C, *x = inp + n * C;
        float *down = dinp + n * C;
        float m = mean[n], r = rstd[n], sum = 0, sum_norm = 0;
        WS(pipeline(auto) reduction(+ : sum, sum_norm))
        for (int i = 0; i < C; i++) {
            float norm = (x[i] - m) * r, d = weight[i] * up[i];
            sum += d;
            sum_norm += d * norm;
        }
        sum = sum / C;
        sum_norm = sum_norm / C;
        WS(pipeline(auto))
        for (int i = 0; i < C; i++) {
            float norm = (x[i] - m) * r, d = weight[i] * up[i];
            d -= sum;
            d -= norm * sum_norm;
            down[i] += d * r;
        }
    }
    WS(grid(1))
    for (int i = 0; i < C; i++)
        for (int n = 0; n < N; n++) {
            dbias[i] += dout[n * C + i];
            dweight[i] += (inp[n * C + i] - mean[n]) * rstd[n] * dout[n * C + i];
        }
}

/* the wanted element of each row is loaded */
KERNEL(softmax_backward)
(float *dlogits, const float *dlosses, const float *probs, const int *targets, int N, int V, int Vp)
{
    WS(grid(1))
    for (int n = 0; n < N; n++) {
        float *down = dlogits + n * Vp;
        const float *p = probs + n * Vp;
        float up = dlosses[n];
        int wanted = targets[n];
        WS(pipeline(auto))
        for (int i = 0; i < V; i++) {
            float indicator = i == wanted ? 1.0f : 0.0f;
            down[i] += (p[i] - indicator) * up;
        }
    }
}

/* the columns one after the other: what is right of the diagonal belongs to others */
KERNEL(cholesky_column)(int n, int k, float A[n][n])
{
    WS(grid(1))
    for (int i = k + 1; i < n; i++)
        A[i][k] /= A[k][k];
    WS(grid(1))
    for (int i = k + 1; i < n; i++)
        WS(pipeline(auto))
    for (int j = k + 1; j <= i; j++)
        A[i][j] -= A[i][k] * A[j][k];
}

KERNEL(cholesky_unsigned)(unsigned n, unsigned k, float A[n][n])
{
    WS(grid(1))
    for (unsigned i = k + 1; i < n; i++)
        A[i][k] /= A[k][k];
    WS(grid(1))
    for (unsigned i = k + 1; i < n; i++)
        for (unsigned j = k + 1; j <= i; j++)
            A[i][j] -= A[i][k] * A[j][k];
}

/* Above the other diagonal: the last row and the last column are in no box. */
KERNEL(corner)(int n, int ld, const float *x, float *A)
{
    WS(grid(2))
    for (int i = -2; i < n - 2; i++)
        for (int j = -2; j < n - 2; j++)
            if (i + j < 0)
                A[(i + 2) * ld + j + 2] = x[(i + 2) * ld + j + 2] * 2;
}

typedef struct {
    signed char *q;
    float *s;
} Quantized;
KERNEL(quantized_matmul)(float *out, Quantized *x, Quantized *w, int n, int d, int group)
{
    int i;
    WS(grid(1))
    for (i = 0; i < d; i++) {
        float val = 0;
        int sum = 0, in = i * n, j;
        for (j = 0; j <= n - group; j += group) {
            for (int k = 0; k < group; k++)
                sum += (int)x->q[j + k] * (int)w->q[in + j + k];
            val += (float)sum * w->s[(in + j) / group] * x->s[j / group];
            sum = 0;
        }
        out[i] = val;
    }
}

KERNEL(nearest_centre)
(const float *feature, int nfeatures, int npoints, const float *clusters, int nclusters, int *membership)
{
    WS(grid(1))
    for (int i = 0; i < npoints; i++) {
        int index = -1;
        float least = 1e30f;
        for (int c = 0; c < nclusters; c++) {
            float dist = 0;
            WS(pipeline(auto) reduction(+ : dist))
            for (int j = 0; j < nfeatures; j++)
                dist += (feature[i * nfeatures + j] - clusters[c * nfeatures + j]) *
                        (feature[i * nfeatures + j] - clusters[c * nfeatures + j]);
            if (dist < least) {
                least = dist;
                index = c;
            }
        }
        membership[i] = index;
    }
}

typedef struct {
    float x, y, z, vx, vy, vz;
} Body;
KERNEL(forces)(Body *p, float dt, int n)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0;
        WS(pipeline(auto) reduction(+ : fx, fy, fz))
        for (int j = 0; j < n; j++) {
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            float cube = inverse * inverse * inverse;
            fx += dx * cube;
            fy += dy * cube;
            fz += dz * cube;
        }
        p[i].vx += dt * fx;
        p[i].vy += dt * fy;
        p[i].vz += dt * fz;
    }
}

KERNEL(options)(float *call, float *put, const float *S, const float *X, const float *T, float R, float V, int n)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float root = sqrtf(T[i]), d1 = (logf(S[i] / X[i]) + (R + 0.5f * V * V) * T[i]) / (V * root), d2 = d1 - V * root;
        float c1 = normal(d1), c2 = normal(d2), e = expf(-R * T[i]);
        call[i] = S[i] * c1 - X[i] * e * c2;
        put[i] = X[i] * e * (1.0f - c2) - S[i] * (1.0f - c1);
    }
}

/* the sum over channels goes inside, and is a product of tiles */
KERNEL(convolution)(int N, int C, int H, int W, int K, int R, int S, float *out, const float *in, const float *w)
{
    int P = H - R + 1, Q = W - S + 1;
    WS(grid(4))
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            for (int p = 0; p < P; p++)
                for (int q = 0; q < Q; q++) {
                    float s = 0;
                    WS(pipeline(auto) reduction(+ : s))
                    for (int c = 0; c < C; c++)
                        for (int r = 0; r < R; r++)
                            for (int t = 0; t < S; t++)
                                s += in[((n * C + c) * H + p + r) * W + q + t] * w[((k * C + c) * R + r) * S + t];
                    out[((n * K + k) * P + p) * Q + q] = s;
                }
}

/* strides, dilations and paddings that the caller has; what lies in the padding is passed over */
KERNEL(depthwise)
(float *dst, const float *src, const float *knl, int B, int C, int H, int W, int OH, int OW, int KH, int KW, int sx,
 int sy, int px, int py, int dx, int dy)
{
    WS(grid(3))
    for (int b = 0; b < B * C; b++)
        for (int oy = 0; oy < OH; oy++)
            for (int ox = 0; ox < OW; ox++) {
                float sum = 0;
                for (int ky = 0; ky < KH; ky++) {
                    int y = oy * sy + ky * dy - py;
                    if (y < 0 || y >= H)
                        continue;
                    for (int kx = 0; kx < KW; kx++) {
                        int x = ox * sx + kx * dx - px;
                        if (x < 0 || x >= W)
                            continue;
                        sum += knl[(b % C * KH + ky) * KW + kx] * src[(b * H + y) * W + x];
                    }
                }
                dst[(b * OH + oy) * OW + ox] = sum;
            }
}

/* backwards, along a diagonal, by a table, with a stride that the caller has */
KERNEL(looked_up)(int n, int step, float *y, float *z, const float *x, const int *at, const float *table)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        y[i] = x[n - 1 - i] + x[i * step];
        if (at[i] >= 0 && at[i] < 17)
            y[i] += table[at[i]];
    }
    WS(grid(2) tile(8, 32))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            z[i * n + j] = x[i + j] * x[(i + j) / 2] - x[j % 5];
}

/* bounds that are loaded */
KERNEL(sparse_product)
(int n, int m, int count, const int *row, const int *col, const double *value, const double *x, double *y)
{
    WS(grid(1) extent(col : count, value : count, x : m))
    for (int i = 0; i < n; i++) {
        double s = 0;
        WS(pipeline(auto) reduction(+ : s))
        for (int k = row[i]; k < row[i + 1]; k++)
            s += value[k] * x[col[k]];
        y[i] = s;
    }
}

KERNEL(embed)(float *out, const int *token, const float *word, const float *place, int B, int T, int C, int V)
{
    WS(grid(2) extent(word : V * C))
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            float *to = out + b * T * C + t * C;
            int x = token[b * T + t];
            const float *w = word + x * C, *p = place + t * C;
            WS(pipeline(auto))
            for (int i = 0; i < C; i++)
                to[i] = w[i] + p[i];
        }
}

KERNEL(cross_entropy)(float *losses, const float *probs, const int *targets, int B, int T, int V)
{
    WS(grid(2) extent(probs : B * T * V))
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            const float *p = probs + b * T * V + t * V;
            int x = targets[b * T + t];
            losses[b * T + t] = -logf(p[x]);
        }
}

/* one element that is chosen by what is loaded, if it is there */
KERNEL(shifted)(int n, int m, float *y, const float *x, const int *at, const float *table)
{
    WS(grid(1) tile(32))
    for (int i = 0; i < n; i++) {
        float s = at[1] >= 0 && at[1] < m ? table[at[1]] : 2.0f;
        y[i] = x[i] + s;
    }
}

/* loops that run zero times */
KERNEL(interior)(int n, int m, float *y, float *z, const float *x)
{
    WS(grid(1))
    for (int i = 1; i < n - 1; i++)
        y[i] = x[i - 1] + x[i + 1];
    WS(grid(1))
    for (int i = 0; i < m; i++) {
        float s = 3;
        WS(pipeline(auto) reduction(+: s))
        for (int k = 0; k < n - 1; k++)
            s += x[i * n + k];
        z[i] = s;
    }
}
