/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels after PolyBench/C 4.2, written anew, with its arrays: T A[n][m], here of variable length.  A time loop is the
   host's. */

KERNEL(gemm)(int ni, int nj, int nk, DATA alpha, DATA beta, DATA C[ni][nj], const DATA A[ni][nk], const DATA B[nk][nj])
{
    WS(grid(2) tile(64, 64))
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            C[i][j] *= beta;
            WS(pipeline(auto) tile(32) reduction(+: C))
            for (int k = 0; k < nk; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
}

/* tmp := alpha A B, D := tmp C + beta D */
KERNEL(two_mm)(int ni, int nj, int nk, int nl, DATA alpha, DATA beta, DATA tmp[ni][nj], const DATA A[ni][nk],
               const DATA B[nk][nj], const DATA C[nj][nl], DATA D[ni][nl])
{
    WS(grid(2) tile(64, 64))
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            tmp[i][j] = 0;
            WS(pipeline(auto) tile(32) reduction(+: tmp))
            for (int k = 0; k < nk; ++k)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
    WS(grid(2) tile(64, 64))
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D[i][j] *= beta;
            WS(pipeline(auto) tile(32) reduction(+: D))
            for (int k = 0; k < nj; ++k)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}

/* y := A' A x; the second nest has its loops exchanged, so that each of its iterations sums an element of its own */
KERNEL(atax)(int m, int n, const DATA A[m][n], const DATA x[n], DATA y[n], DATA tmp[m])
{
    WS(grid(1) tile(64))
    for (int i = 0; i < m; i++) {
        tmp[i] = 0;
        WS(pipeline(auto) tile(32) reduction(+: tmp))
        for (int j = 0; j < n; j++)
            tmp[i] = tmp[i] + A[i][j] * x[j];
    }
    WS(grid(1) tile(64))
    for (int j = 0; j < n; j++) {
        y[j] = 0;
        WS(pipeline(auto) tile(32) reduction(+: y))
        for (int i = 0; i < m; i++)
            y[j] = y[j] + A[i][j] * tmp[i];
    }
}

KERNEL(mvt)(int n, DATA x1[n], DATA x2[n], const DATA y_1[n], const DATA y_2[n], const DATA A[n][n])
{
    WS(grid(1) tile(64))
    for (int i = 0; i < n; i++)
        WS(pipeline(auto) tile(32) reduction(+: x1))
        for (int j = 0; j < n; j++)
            x1[i] = x1[i] + A[i][j] * y_1[j];
    WS(grid(1) tile(64))
    for (int i = 0; i < n; i++)
        WS(pipeline(auto) tile(32) reduction(+: x2))
        for (int j = 0; j < n; j++)
            x2[i] = x2[i] + A[j][i] * y_2[j];
}

KERNEL(gesummv)
(int n, DATA alpha, DATA beta, const DATA A[n][n], const DATA B[n][n], DATA tmp[n], const DATA x[n], DATA y[n])
{
    WS(grid(1) tile(64))
    for (int i = 0; i < n; i++) {
        tmp[i] = 0;
        y[i] = 0;
        WS(pipeline(auto) tile(32) reduction(+: tmp, y))
        for (int j = 0; j < n; j++) {
            tmp[i] = A[i][j] * x[j] + tmp[i];
            y[i] = B[i][j] * x[j] + y[i];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

/* the lower triangle of C := alpha A A' + beta C */
KERNEL(syrk)(int n, int m, DATA alpha, DATA beta, DATA C[n][n], const DATA A[n][m])
{
    WS(grid(2) tile(64, 64))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (j > i)
                continue;
            C[i][j] *= beta;
            WS(pipeline(auto) tile(32) reduction(+: C))
            for (int k = 0; k < m; k++)
                C[i][j] += alpha * A[i][k] * A[j][k];
        }
}

KERNEL(gemver_outer)(int n, DATA A[n][n], const DATA u1[n], const DATA v1[n], const DATA u2[n], const DATA v2[n])
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
}

/* one step */
KERNEL(jacobi_1d)(int n, const DATA A[n], DATA B[n])
{
    WS(grid(1))
    for (int i = 1; i < n - 1; i++)
        B[i] = (DATA)0.33333 * (A[i - 1] + A[i] + A[i + 1]);
}

KERNEL(jacobi_2d)(int n, const DATA A[n][n], DATA B[n][n])
{
    WS(grid(2) tile(32, 64))
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            B[i][j] = (DATA)0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
}

KERNEL(heat_3d)(int n, const DATA A[n][n][n], DATA B[n][n][n])
{
    WS(grid(3))
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                B[i][j][k] = (DATA)0.125 * (A[i + 1][j][k] - (DATA)2.0 * A[i][j][k] + A[i - 1][j][k]) +
                             (DATA)0.125 * (A[i][j + 1][k] - (DATA)2.0 * A[i][j][k] + A[i][j - 1][k]) +
                             (DATA)0.125 * (A[i][j][k + 1] - (DATA)2.0 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
}

KERNEL(covariance)(int m, int n, DATA float_n, DATA data[n][m], DATA cov[m][m], DATA mean[m])
{
    WS(grid(1) tile(64))
    for (int j = 0; j < m; j++) {
        mean[j] = 0;
        WS(pipeline(auto) tile(32) reduction(+: mean))
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    WS(grid(2) tile(64, 64))
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            cov[i][j] = 0;
            WS(pipeline(auto) tile(32) reduction(+: cov))
            for (int k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= float_n - 1;
        }
}

/* a lower triangle times a vector */
KERNEL(triangle)(int n, const DATA L[n][n], const DATA x[n], DATA y[n])
{
    WS(grid(1) tile(32))
    for (int i = 0; i < n; i++) {
        DATA s = 0;
        WS(pipeline(auto) tile(32) reduction(+: s))
        for (int j = 0; j <= i; j++)
            s += L[i][j] * x[j];
        y[i] = s;
    }
}
