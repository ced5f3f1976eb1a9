/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.cu - the hand-written kernels against float64 on the host.
 *
 * check [SEED]: random normal inputs, outputs poisoned first.  Prints a line for each shape and exits with 0 if all
 * agree, 1 if one does not, 77 where there is no usable GPU.  Tolerance of a product of depth K with result type u_out:
 * |x - ref| <= 2 u_out |ref| + 4 sqrt(K) u_acc sum |a||b|.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <ws.h>

extern "C" void ws_launch_gemm(int M, int N, int K, const void *A, const void *B, const void *C);
extern "C" void ws_launch_gemm_pingpong(int M, int N, int K, const void *A, const void *B, const void *C);
extern "C" void ws_launch_attention(int heads, int L, float scale, const void *Q, const void *K, const void *V,
                                    const void *O);
extern "C" void ws_launch_softmax_rows(int M, int N, const void *X, const void *Y);

typedef void (*gemm_launcher)(int, int, int, const void *, const void *, const void *);

static int failures;
static unsigned long long state = 1;

static double uniform()
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal()
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static __half *random_array(size_t n)
{
    __half *x = (__half *)malloc(n * sizeof *x + 1);
    for (size_t i = 0; i < n; i++)
        x[i] = __float2half((float)normal());
    return x;
}

static __half *poisoned(size_t n)
{
    __half *x = (__half *)malloc(n * sizeof *x + 1);
    memset(x, 0xff, n * sizeof *x); /* NaN */
    return x;
}

/* The array itself, or a copy of it on the device.  */
static void *place(const __half *x, size_t n, bool on_device)
{
    if (!on_device)
        return (void *)x;
    void *p = ws_alloc(n * sizeof *x);
    ws_or_die(ws_copy(p, x, n * sizeof *x));
    return p;
}

static void fetch(__half *x, void *p, size_t n, bool on_device)
{
    if (on_device) {
        ws_or_die(ws_copy(x, p, n * sizeof *x));
        ws_free(p);
    }
}

static void report(const char *text, long wrong, double worst)
{
    ws_status status = ws_last_error();
    bool ok = wrong == 0 && status == WS_OK;
    failures += !ok;
    printf("%s %s: %ld wrong, worst error %.2f of the tolerance%s%s\n", ok ? "ok    " : "not ok", text, wrong, worst,
           status ? ", " : "", status ? ws_error_message() : "");
    fflush(stdout);
}

static void judge(double got, double reference, double tolerance, long *wrong, double *worst)
{
    double error = fabs(got - reference);
    if (!(error <= tolerance))
        ++*wrong;
    if (!(error / (tolerance > 0 ? tolerance : 1e-30) <= *worst))
        *worst = error / (tolerance > 0 ? tolerance : 1e-30);
}

static void check_gemm(const char *name, gemm_launcher launch, int M, int N, int K, bool on_device)
{
    char text[128];
    size_t a_size = (size_t)M * K, b_size = (size_t)N * K, c_size = (size_t)M * N;
    __half *A = random_array(a_size), *B = random_array(b_size), *C = poisoned(c_size);
    void *a = place(A, a_size, on_device), *b = place(B, b_size, on_device), *c = place(C, c_size, on_device);
    launch(M, N, K, a, b, c);
    fetch(C, c, c_size, on_device);
    if (on_device) {
        ws_free(a);
        ws_free(b);
    }
    long wrong = 0;
    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            if ((double)M * N * K > 1e8 && (i * 131 + j * 17) % 4093 != 0)
                continue;
            double sum = 0, magnitude = 0;
            for (int k = 0; k < K; k++) {
                double product =
                    (double)__half2float(A[(size_t)i * K + k]) * (double)__half2float(B[(size_t)j * K + k]);
                sum += product;
                magnitude += fabs(product);
            }
            judge(__half2float(C[(size_t)i * N + j]), sum,
                  2 * 0x1p-11 * fabs(sum) + 4 * sqrt((double)K) * 0x1p-24 * magnitude, &wrong, &worst);
        }
    snprintf(text, sizeof text, "%s %dx%dx%d %s", name, M, N, K, on_device ? "device" : "host");
    report(text, wrong, worst);
    free(A);
    free(B);
    free(C);
}

static void check_attention(int heads, int L, bool on_device)
{
    char text[128];
    size_t n = (size_t)heads * L * 128;
    float scale = 1 / sqrtf(128.0f);
    __half *Q = random_array(n), *K = random_array(n), *V = random_array(n), *O = poisoned(n);
    void *q = place(Q, n, on_device), *k = place(K, n, on_device), *v = place(V, n, on_device),
         *o = place(O, n, on_device);
    ws_launch_attention(heads, L, scale * 1.4426950408889634f, q, k, v, o);
    fetch(O, o, n, on_device);
    if (on_device) {
        ws_free(q);
        ws_free(k);
        ws_free(v);
    }
    long wrong = 0;
    double worst = 0, *p = (double *)malloc(L * sizeof *p);
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i++) {
            if (L > 600 && i % 97 != 0)
                continue;
            const size_t head = (size_t)h * L * 128;
            double largest = -INFINITY, total = 0;
            for (int j = 0; j < L; j++) {
                p[j] = 0;
                for (int d = 0; d < 128; d++)
                    p[j] += (double)__half2float(Q[head + (size_t)i * 128 + d]) *
                            (double)__half2float(K[head + (size_t)j * 128 + d]);
                p[j] *= scale;
                largest = fmax(largest, p[j]);
            }
            for (int j = 0; j < L; j++)
                total += p[j] = exp(p[j] - largest);
            for (int d = 0; d < 128; d++) {
                double sum = 0, magnitude = 0;
                for (int j = 0; j < L; j++) {
                    double product = p[j] / total * (double)__half2float(V[head + (size_t)j * 128 + d]);
                    sum += product;
                    magnitude += fabs(product);
                }
                /* P is rounded to f16 on its way to the second product.  */
                judge(__half2float(O[head + (size_t)i * 128 + d]), sum,
                      2 * 0x1p-11 * fabs(sum) + 2 * 0x1p-11 * magnitude, &wrong, &worst);
            }
        }
    free(p);
    snprintf(text, sizeof text, "attention %d heads, length %d %s", heads, L, on_device ? "device" : "host");
    report(text, wrong, worst);
    free(Q);
    free(K);
    free(V);
    free(O);
}

static void check_softmax(int M, int N, bool on_device)
{
    char text[128];
    size_t n = (size_t)M * N;
    __half *X = random_array(n), *Y = poisoned(n);
    void *x = place(X, n, on_device), *y = place(Y, n, on_device);
    ws_launch_softmax_rows(M, N, x, y);
    fetch(Y, y, n, on_device);
    if (on_device)
        ws_free(x);
    long wrong = 0;
    double worst = 0;
    for (int i = 0; i < M; i++) {
        double largest = -INFINITY, sum = 0;
        for (int j = 0; j < N; j++)
            largest = fmax(largest, (double)__half2float(X[(size_t)i * N + j]));
        for (int j = 0; j < N; j++)
            sum += exp((double)__half2float(X[(size_t)i * N + j]) - largest);
        for (int j = 0; j < N; j++) {
            double reference = exp((double)__half2float(X[(size_t)i * N + j]) - largest) / sum;
            judge(__half2float(Y[(size_t)i * N + j]), reference, 2 * 0x1p-11 * reference + 0x1p-24, &wrong, &worst);
        }
    }
    snprintf(text, sizeof text, "softmax_rows %dx%d %s", M, N, on_device ? "device" : "host");
    report(text, wrong, worst);
    free(X);
    free(Y);
}

static void check_gemms(const char *name, gemm_launcher launch, bool small)
{
    static const int shapes[][3] = {{128, 256, 64},  {128, 192, 128}, {256, 512, 640}, {1, 8, 8},
                                    {300, 520, 200}, {130, 200, 0},   {129, 264, 64},  {64, 72, 72},
                                    {200, 333, 67},  {200, 334, 70},  {77, 131, 129},  {2048, 1536, 512}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes - small; i++)
        check_gemm(name, launch, shapes[i][0], shapes[i][1], shapes[i][2], i % 2 == 0);
    if (!small)
        check_gemm(name, launch, 8192, 8192, 1024, true);
}

int main(int argc, char **argv)
{
    bool small = argc > 2;
    if (argc > 1)
        state = strtoull(argv[1], NULL, 0);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("no GPU\n");
        return 77;
    }
    check_gemms("gemm", ws_launch_gemm, small);
    check_gemms("gemm_pingpong", ws_launch_gemm_pingpong, small);
    static const int lengths[] = {128, 1, 64, 100, 129, 300, 512};
    for (int i = 0; i < 7; i++)
        check_attention(i % 2 + 1, lengths[i], i % 2 == 0);
    if (!small)
        check_attention(16, 2048, true);
    check_softmax(64, 1024, true);
    check_softmax(37, 1000, false);
    check_softmax(5, 333, true);
    check_softmax(1, 1, true);
    if (!small)
        check_softmax(5000, 1024, true);
    printf("%d failed\n", failures);
    return failures != 0;
}
