/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of data_regions.c: host code around grids whose arrays stay on the device. */

/* a time loop of two grids */
KERNEL(heat)(int steps, int n, int m, float *a, float *b)
{
    WS(data copy(a[0:n * m]) create(b[0:n * m]))
    for (int t = 0; t < steps; t++) {
        WS(grid(2))
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i * m + j] = 0.25f * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
        WS(grid(2))
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = b[i * m + j];
    }
}

static float weights[64];

/* until little changes: what the host looks at it asks for; the block is left on the way */
KERNEL(relax)(int n, int m, float x[n][m], float *last, float *norms)
{
    for (int j = 0; j < 64; j++)
        weights[j] = 0.01f * (float)(j % 7);
    WS(data copy(x[0:n][0:m]) copyin(weights) copyout(last[0:m]))
    {
        int t = 0;
        while (t < 6) {
            float norm = 0;
            WS(grid(2) tile(8, 32) reduction(+ : norm))
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    x[i][j] *= 1 - weights[j];
                    norm += x[i][j] * x[i][j];
                }
            norms[t++] = norm;
            if (t == 3) {
                WS(update host(x[0:n]))
                x[0][0] = 2 * x[0][0];
                WS(update device(x[0:1]))
            }
        }
        WS(grid(1))
        for (int j = 0; j < m; j++)
            last[j] = x[n - 1][j];
        if (t > 5)
            return;
        norms[0] = 0;
    }
}

/* a region within one, and a part of an array */
KERNEL(twice)(int n, float *x, const float *y)
{
    WS(data copy(x[0:n]))
    {
        float *part = x + 8;
        WS(data copy(part[0:n - 8]) copyin(y[0:n]))
        {
            WS(grid(1))
            for (int i = 8; i < n; i++)
                x[i] += y[i];
        }
        WS(data present(part[0:n - 8]))
        WS(grid(1))
        for (int i = 0; i < n - 8; i++)
            part[i] *= 2;
    }
}
