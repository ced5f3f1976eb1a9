/* SPDX-License-Identifier: MIT */
/*
 * kernels.c - ten kernels after PolyBench/C 4.2, written anew, in four forms of one text:
 *
 *   -DFORM_WS        #pragma ws, for wscc
 *   -DFORM_OMP       #pragma omp target teams distribute parallel for, as OpenMP's textbooks have it
 *   -DFORM_SIMD      the same for all lanes of a warp, which GCC uses for a single simd loop alone
 *   -DDATA='long double'    no pragma
 *
 * Sums are in a variable, and loops stand in the order that suits a GPU, for all forms alike.  Extents to be timed are
 * those of PolyBench's EXTRALARGE_DATASET; its 1000 and 500 steps are 20 here.
 */
#include "kernels.h"

#ifdef FORM_WS
#    include <ws.h>
#endif

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef FORM_WS
#    define WS(...) PRAGMA(ws __VA_ARGS__)
#else
#    define WS(...)
#endif
/* OMP_NEST(n): n loops of a nest, the last of which goes along memory, and OMP_LANES in front of that one. OMP_ROWS: a
   loop whose iterations each sum a row, by a loop behind OMP_SUM. */
#if defined FORM_OMP
#    define OMP_NEST(n) PRAGMA(omp target teams distribute parallel for collapse(n))
#    define OMP_COLUMNS PRAGMA(omp target teams distribute parallel for)
#    define OMP_LANES
#    define OMP_ROWS PRAGMA(omp target teams distribute parallel for)
#    define OMP_SUM(...)
#elif defined FORM_SIMD
#    define OMP_NEST(n) PRAGMA(omp target teams distribute parallel for collapse(n - 1))
#    define OMP_COLUMNS PRAGMA(omp target teams distribute parallel for simd)
#    define OMP_LANES PRAGMA(omp simd)
#    define OMP_ROWS    PRAGMA(omp target teams distribute parallel for)
#    define OMP_SUM(...) PRAGMA(omp simd reduction(+ : __VA_ARGS__))
#else
#    define OMP_NEST(n)
#    define OMP_COLUMNS
#    define OMP_LANES
#    define OMP_ROWS
#    define OMP_SUM(...)
#endif

enum { STEPS = 20 };

/* C := alpha A B + beta C */
static void gemm(int ni, int nj, int nk, DATA alpha, DATA beta, DATA C[restrict ni][nj], const DATA A[restrict ni][nk],
                 const DATA B[restrict nk][nj])
{
    OMP_NEST(2)
    WS(grid(2) tile(128, 64))
    for (int i = 0; i < ni; i++)
        OMP_LANES
        for (int j = 0; j < nj; j++) {
            DATA s = 0;
            WS(pipeline(auto) tile(16) reduction(+ : s))
            for (int k = 0; k < nk; k++)
                s += A[i][k] * B[k][j];
            C[i][j] = alpha * s + beta * C[i][j];
        }
}

/* D := (alpha A B) C + beta D */
static void two_mm(int ni, int nj, int nk, int nl, DATA alpha, DATA beta, DATA tmp[restrict ni][nj],
                   const DATA A[restrict ni][nk], const DATA B[restrict nk][nj], const DATA C[restrict nj][nl],
                   DATA D[restrict ni][nl])
{
    OMP_NEST(2)
    WS(grid(2) tile(128, 64))
    for (int i = 0; i < ni; i++)
        OMP_LANES
        for (int j = 0; j < nj; j++) {
            DATA s = 0;
            WS(pipeline(auto) tile(16) reduction(+ : s))
            for (int k = 0; k < nk; k++)
                s += A[i][k] * B[k][j];
            tmp[i][j] = alpha * s;
        }
    OMP_NEST(2)
    WS(grid(2) tile(128, 64))
    for (int i = 0; i < ni; i++)
        OMP_LANES
        for (int j = 0; j < nl; j++) {
            DATA s = 0;
            WS(pipeline(auto) tile(16) reduction(+ : s))
            for (int k = 0; k < nj; k++)
                s += tmp[i][k] * C[k][j];
            D[i][j] = s + beta * D[i][j];
        }
}

/* the lower triangle of C := alpha A A' + beta C */
static void syrk(int n, int m, DATA alpha, DATA beta, DATA C[restrict n][n], const DATA A[restrict n][m])
{
    OMP_NEST(2)
    WS(grid(2) tile(128, 64))
    for (int i = 0; i < n; i++)
        OMP_LANES
        for (int j = 0; j < n; j++) {
            if (j > i)
                continue;
            DATA s = 0;
            WS(pipeline(auto) tile(16) reduction(+ : s))
            for (int k = 0; k < m; k++)
                s += A[i][k] * A[j][k];
            C[i][j] = alpha * s + beta * C[i][j];
        }
}

/* y := A' (A x) */
static void atax(int m, int n, const DATA A[restrict m][n], const DATA x[restrict n], DATA y[restrict n],
                 DATA tmp[restrict m])
{
    OMP_ROWS
    WS(grid(1) tile(4))
    for (int i = 0; i < m; i++) {
        DATA s = 0;
        OMP_SUM(s)
        WS(pipeline(auto) tile(512) reduction(+ : s))
        for (int j = 0; j < n; j++)
            s += A[i][j] * x[j];
        tmp[i] = s;
    }
    OMP_COLUMNS
    WS(grid(1) tile(16))
    for (int j = 0; j < n; j++) {
        DATA s = 0;
        WS(pipeline(auto) tile(128) reduction(+ : s))
        for (int i = 0; i < m; i++)
            s += A[i][j] * tmp[i];
        y[j] = s;
    }
}

/* x1 := x1 + A y1, x2 := x2 + A' y2 */
static void mvt(int n, DATA x1[restrict n], DATA x2[restrict n], const DATA y1[restrict n], const DATA y2[restrict n],
                const DATA A[restrict n][n])
{
    OMP_ROWS
    WS(grid(1) tile(4))
    for (int i = 0; i < n; i++) {
        DATA s = x1[i];
        OMP_SUM(s)
        WS(pipeline(auto) tile(512) reduction(+ : s))
        for (int j = 0; j < n; j++)
            s += A[i][j] * y1[j];
        x1[i] = s;
    }
    OMP_COLUMNS
    WS(grid(1) tile(16))
    for (int j = 0; j < n; j++) {
        DATA s = x2[j];
        WS(pipeline(auto) tile(128) reduction(+ : s))
        for (int i = 0; i < n; i++)
            s += A[i][j] * y2[i];
        x2[j] = s;
    }
}

/* y := alpha A x + beta B x */
static void gesummv(int n, DATA alpha, DATA beta, const DATA A[restrict n][n], const DATA B[restrict n][n],
                    const DATA x[restrict n], DATA y[restrict n])
{
    OMP_ROWS
    WS(grid(1) tile(4))
    for (int i = 0; i < n; i++) {
        DATA s = 0, t = 0;
        OMP_SUM(s, t)
        WS(pipeline(auto) tile(256) reduction(+ : s, t))
        for (int j = 0; j < n; j++) {
            s += A[i][j] * x[j];
            t += B[i][j] * x[j];
        }
        y[i] = alpha * s + beta * t;
    }
}

/* A := A + u1 v1' + u2 v2', x := x + beta A' y + z, w := w + alpha A x */
static void gemver(int n, DATA alpha, DATA beta, DATA A[restrict n][n], const DATA u1[restrict n],
                   const DATA v1[restrict n], const DATA u2[restrict n], const DATA v2[restrict n], DATA x[restrict n],
                   const DATA y[restrict n], const DATA z[restrict n], DATA w[restrict n])
{
    OMP_NEST(2)
    WS(grid(2))
    for (int i = 0; i < n; i++)
        OMP_LANES
        for (int j = 0; j < n; j++)
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
        OMP_COLUMNS
        WS(grid(1) tile(16))
        for (int j = 0; j < n; j++) {
            DATA s = 0;
            WS(pipeline(auto) tile(128) reduction(+ : s))
            for (int i = 0; i < n; i++)
                s += A[i][j] * y[i];
            x[j] = x[j] + beta * s + z[j];
    }
    OMP_ROWS
    WS(grid(1) tile(4))
    for (int i = 0; i < n; i++) {
        DATA s = 0;
        OMP_SUM(s)
        WS(pipeline(auto) tile(512) reduction(+ : s))
        for (int j = 0; j < n; j++)
            s += A[i][j] * x[j];
        w[i] = w[i] + alpha * s;
    }
}

static void jacobi_2d(int n, DATA A[restrict n][n], DATA B[restrict n][n])
{
    for (int t = 0; t < STEPS; t++) {
        OMP_NEST(2)
        WS(grid(2))
        for (int i = 1; i < n - 1; i++)
            OMP_LANES
            for (int j = 1; j < n - 1; j++)
                B[i][j] = (DATA)0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
        OMP_NEST(2)
        WS(grid(2))
        for (int i = 1; i < n - 1; i++)
            OMP_LANES
            for (int j = 1; j < n - 1; j++)
                A[i][j] = (DATA)0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
    }
}

static void heat_3d(int n, DATA A[restrict n][n][n], DATA B[restrict n][n][n])
{
    for (int t = 0; t < STEPS; t++) {
        OMP_NEST(3)
        WS(grid(3))
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                OMP_LANES
                for (int k = 1; k < n - 1; k++)
                    B[i][j][k] = (DATA)0.125 * (A[i + 1][j][k] - 2 * A[i][j][k] + A[i - 1][j][k]) +
                                 (DATA)0.125 * (A[i][j + 1][k] - 2 * A[i][j][k] + A[i][j - 1][k]) +
                                 (DATA)0.125 * (A[i][j][k + 1] - 2 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
        OMP_NEST(3)
        WS(grid(3))
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                OMP_LANES
                for (int k = 1; k < n - 1; k++)
                    A[i][j][k] = (DATA)0.125 * (B[i + 1][j][k] - 2 * B[i][j][k] + B[i - 1][j][k]) +
                                 (DATA)0.125 * (B[i][j + 1][k] - 2 * B[i][j][k] + B[i][j - 1][k]) +
                                 (DATA)0.125 * (B[i][j][k + 1] - 2 * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
    }
}

/* the lower triangle of the covariances of columns */
static void covariance(int m, int n, DATA data[restrict n][m], DATA cov[restrict m][m], DATA mean[restrict m])
{
    OMP_COLUMNS
    WS(grid(1) tile(16))
    for (int j = 0; j < m; j++) {
        DATA s = 0;
        WS(pipeline(auto) tile(128) reduction(+ : s))
        for (int i = 0; i < n; i++)
            s += data[i][j];
        mean[j] = s / n;
    }
    OMP_NEST(2)
    WS(grid(2))
    for (int i = 0; i < n; i++)
        OMP_LANES
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    OMP_NEST(2)
    WS(grid(2) tile(128, 64))
    for (int i = 0; i < m; i++)
        OMP_LANES
        for (int j = 0; j < m; j++) {
            if (j > i)
                continue;
            DATA s = 0;
            WS(pipeline(auto) tile(16) reduction(+ : s))
            for (int k = 0; k < n; k++)
                s += data[k][i] * data[k][j];
            cov[i][j] = s / (n - 1);
        }
}

/* ---- for offload.c ----------------------------------------------------------------------------------------------- */

/* KERNEL(name, arrays, call): lengths of its arrays as a list, and its call, of extents n and arrays a */
#define KERNEL(name, call, ...)                              \
    static void name##_lengths(const int *n, size_t *length) \
    {                                                        \
        (void)n;                                             \
        const size_t all[ARRAYS] = {__VA_ARGS__};            \
        for (int i = 0; i < ARRAYS; i++)                     \
            length[i] = all[i];                              \
    }                                                        \
    static void name##_run(const int *n, DATA *const *a)     \
    {                                                        \
        call;                                                \
    }

#define N(i)            ((size_t)n[i])
#define ALPHA           (DATA)1.5
#define BETA            (DATA)0.5
#define MATRIX(i, cols) (DATA(*)[n[cols]]) a[i]
#define FIXED(i, cols)  (const DATA(*)[n[cols]]) a[i]
#define CUBE(i)         (DATA(*)[n[0]][n[0]]) a[i]

KERNEL(gemm, gemm(n[0], n[1], n[2], ALPHA, BETA, MATRIX(0, 1), FIXED(1, 2), FIXED(2, 1)), N(0) * N(1), N(0) * N(2),
       N(2) * N(1))
KERNEL(two_mm,
       two_mm(n[0], n[1], n[2], n[3], ALPHA, BETA, MATRIX(0, 1), FIXED(1, 2), FIXED(2, 1), FIXED(3, 3), MATRIX(4, 3)),
       N(0) * N(1), N(0) * N(2), N(2) * N(1), N(1) * N(3), N(0) * N(3))
KERNEL(syrk, syrk(n[0], n[1], ALPHA, BETA, MATRIX(0, 0), FIXED(1, 1)), N(0) * N(0), N(0) * N(1))
KERNEL(atax, atax(n[0], n[1], FIXED(0, 1), a[1], a[2], a[3]), N(0) * N(1), N(1), N(1), N(0))
KERNEL(mvt, mvt(n[0], a[0], a[1], a[2], a[3], FIXED(4, 0)), N(0), N(0), N(0), N(0), N(0) * N(0))
KERNEL(gesummv, gesummv(n[0], ALPHA, BETA, FIXED(0, 0), FIXED(1, 0), a[2], a[3]), N(0) * N(0), N(0) * N(0), N(0), N(0))
KERNEL(gemver, gemver(n[0], ALPHA, BETA, MATRIX(0, 0), a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]), N(0) * N(0),
       N(0), N(0), N(0), N(0), N(0), N(0), N(0), N(0))
KERNEL(jacobi_2d, jacobi_2d(n[0], MATRIX(0, 0), MATRIX(1, 0)), N(0) * N(0), N(0) * N(0))
KERNEL(heat_3d, heat_3d(n[0], CUBE(0), CUBE(1)), N(0) * N(0) * N(0), N(0) * N(0) * N(0))
KERNEL(covariance, covariance(n[0], n[1], MATRIX(0, 0), MATRIX(1, 0), a[2]), N(0) * N(1), N(0) * N(0), N(0))

#define ROW(name, results, ...)                                 \
    {                                                           \
#        name, __VA_ARGS__, name##_lengths, results, name##_run \
    }

const kernel kernels[] = {
    ROW(gemm, 1, {2000, 2300, 2600}, {200, 230, 260}),
    ROW(two_mm, 1 | 16, {1600, 1800, 2200, 2400}, {160, 180, 220, 240}),
    ROW(syrk, 1, {2600, 2000}, {260, 200}),
    ROW(atax, 4 | 8, {1800, 2200}, {390, 410}),
    ROW(mvt, 1 | 2, {4000}, {400}),
    ROW(gesummv, 8, {2800}, {250}),
    ROW(gemver, 1 | 32 | 256, {4000}, {400}),
    ROW(jacobi_2d, 1 | 2, {2800}, {250}),
    ROW(heat_3d, 1 | 2, {200}, {40}),
    ROW(covariance, 2 | 4, {2600, 3000}, {240, 260}),
};
const int kernel_count = sizeof kernels / sizeof *kernels;

/* The array number i is on the device inside of the call that has i + 1.  */
static void inside(int i, DATA *const *array, const size_t *length, void (*call)(void *), void *context)
{
    if (i == ARRAYS || !length[i]) {
        call(context);
        return;
    }
    DATA *x = array[i];
    size_t n = length[i];
#if defined FORM_WS
#    pragma ws data copy(x [0:n])
#elif defined FORM_OMP || defined FORM_SIMD
#    pragma omp target data map(tofrom : x [0:n])
#endif
    {
        (void)x;
        (void)n;
        inside(i + 1, array, length, call, context);
    }
}

void kernels_inside(DATA *const *array, const size_t *length, void (*call)(void *), void *context)
{
    inside(0, array, length, call, context);
}

void kernels_wait(void)
{
#ifdef FORM_WS
    ws_or_die(ws_sync());
#endif
}
