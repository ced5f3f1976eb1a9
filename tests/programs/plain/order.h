/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_order.c. */

/* each pair of columns once */
KERNEL(symmetric)(int n, int m, float C[n][n], const float B[n][m])
{
    WS(grid(1))
    for (int i = 0; i < n - 1; i++) {
        C[i][i] = 1;
        WS(pipeline(auto))
        for (int j = i + 1; j < n; j++) {
            C[i][j] = 0;
            WS(pipeline(auto) reduction(+: C))
            for (int k = 0; k < m; k++)
                C[i][j] += B[i][k] * B[j][k];
            C[j][i] = C[i][j];
        }
    }
}

KERNEL(row_of_lu)(int n, int i, float A[n][n])
{
    WS(grid(1) tile(16))
    for (int j = i; j < n; j++)
        WS(pipeline(auto) reduction(-: A))
        for (int k = 0; k < i; k++)
            A[i][j] -= A[i][k] * A[k][j];
}

KERNEL(row_of_product)(int n, int m, int i, const float A[n][n], float B[n][m])
{
    WS(grid(1) tile(16))
    for (int j = 0; j < m; j++) {
        WS(pipeline(auto) reduction(+: B))
        for (int k = i + 1; k < n; k++)
            B[i][j] += A[k][i] * B[k][j];
        B[i][j] = 0.5f * B[i][j];
    }
}

/* there and back, along each row */
KERNEL(recurrence)(int n, int m, float a, const float x[n][m], float y[n][m], float z[n][m])
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float y1 = 0, y2 = 0, x1 = 0;
        for (int j = 0; j < m; j++) {
            y[i][j] = x[i][j] + a * x1 + a * y1 - a * y2;
            x1 = x[i][j];
            y2 = y1;
            y1 = y[i][j];
        }
        z[i][m - 1] = 1;
        for (int j = m - 2; j >= 0; j--)
            z[i][j] = a * z[i][j + 1] + y[i][j];
    }
}

KERNEL(window)(int n, int low, int ld, float *sum, const float *x)
{
    WS(grid(1) tile(16))
    for (int i = 0; i < n; i++) {
        float s = 0;
        WS(pipeline(auto) tile(16) reduction(+: s))
        for (int k = low; k < n; k++)
            s += x[i * ld + k];
        sum[i] = s;
    }
}

/* what is in front of the array is behind a condition */
KERNEL(conditions)(int n, int m, const float x[n][m], float *z)
{
    WS(grid(2) tile(8, 32))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int before = j - 2;
            float s = x[i][j];
            if (i >= 1 && before >= 0)
                s += x[i - 1][before];
            z[i * m + j] = s;
        }
}

/* pairs of neighbours, turned by an angle of their own */
KERNEL(rotate_pairs)(int n, int size, int at, float *q)
{
    WS(grid(1))
    for (int i = 0; i < n - 1; i += 2) {
        int place = i % size;
        float angle = at / powf(100.0f, place / (float)size);
        float c = cosf(angle), s = sinf(angle), x = q[i], y = q[i + 1];
        q[i] = x * c - y * s;
        q[i + 1] = x * s + y * c;
    }
}

/* what llm.c's gelu_backward computes */
KERNEL(gelu_slope)(int n, const float *x, float *slope)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float u = x[i], inner = 0.79788456f * (u + 0.044715f * u * u * u);
        float flat = coshf(inner), t = tanhf(inner);
        slope[i] += 0.5f * (1 + t) + 0.5f * u / (flat * flat) * 0.79788456f * (1 + 0.134145f * u * u);
    }
}

/* sums in branches: of what is known before the grid, of elements, and within a sum over two loops */
KERNEL(branches)(int n, int m, int mode, const float *mask, const float x[n][m], float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float s = y[i], r = 0;
        WS(pipeline(auto) reduction(+ : s))
        for (int j = 0; j < m; j++) {
            if (mask)
                s += x[i][j] * mask[j];
            else
                s -= x[i][j];
            if (x[i][j] > 0.5f)
                s += 2;
            else if (x[i][j] < -0.5f)
                s -= x[i][j] * x[i][j];
        }
        WS(pipeline(auto) reduction(+ : r))
        for (int j = 0; j < m; j++) {
            if (mode == 1)
                r += fabsf(x[i][j]);
            else if (mode == 2)
                r += x[i][j] * x[i][j];
            if (x[i][j] > 0)
                r += x[i][j];
            for (int k = 0; k < mode; k++)
                r += (x[i][j] > 0 ? 1 : 0.5f) * (float)k;
        }
        y[i] = s + r;
    }
}

/* one of two arrays, and rows that lie anywhere, the same for the whole grid */
KERNEL(pointers)(int n, int m, int which, float *const *rows, const float *a, const float *b, float *y)
{
    for (int r = 0; r < 3; r++) {
        WS(grid(1))
        for (int i = 0; i < n; i++) {
            const float *from = which > r ? a : b;
            y[i] += from[i] - rows[r + 1][m + i];
        }
        WS(grid(1))
        for (int i = 0; i < n; i++) {
            float *row = rows[r] + m;
            row[i] += 2 * y[i];
        }
    }
}

/* floats that doubles are added to: in each loop, in a loop inside, under a condition */
KERNEL(sums_of_doubles)(int n, int m, const float B[n][m], float *x)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float s = 1, t = 0, u = 0;
        WS(pipeline(auto) reduction(+ : s))
        for (int j = 0; j < m; j++)
            s += exp(B[i][j] / 2 - B[0][j]);
        WS(pipeline(auto) reduction(+ : t))
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < m; k++)
                t -= 0.5 * B[i][k];
        WS(pipeline(auto) reduction(+ : u))
        for (int j = 0; j < m; j++)
            if (B[i][j] > 0.1)
                u += B[i][j] * 1.5;
        x[i] = s + t + u;
    }
}

/* strides of six factors */
KERNEL(enlarge)(int b, int c, int h, int w, int by, const float *x, float *y)
{
    WS(grid(4))
    for (int l = 0; l < b; l++)
        for (int k = 0; k < c; k++)
            for (int j = 0; j < h * by; j++)
                for (int i = 0; i < w * by; i++)
                    y[l * w * h * c * by * by + k * w * h * by * by + j * w * by + i] =
                        0.5f * x[l * w * h * c + k * w * h + j / by * w + i / by];
}

/* truth values beside each other */
KERNEL(truths)(int n, float *x, const float *z)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        _Bool a = x[i] > 0, b = z[i] > 0;
        int count = (a != b) + 2 * (a == b) + 4 * (a < b) + 8 * (a <= b) + 16 * (a > b) + 32 * (a >= b) + 64 * (a ^ b);
        x[i] += (float)count;
    }
}
