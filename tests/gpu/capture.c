/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capture.c - launches that a CUDA graph records, each of another kind; the graph is run twice, and stores each time
 * what the calls store by themselves.
 *
 *   dealt     tiles with loops of their own lengths, dealt from a counter in device memory
 *   divided   two groups that divide rows and gather an operand; sums of columns that are added to memory
 *   turns     two groups that take whole tiles in turn
 *   clustered blocks that share what they load
 *   slow      rows that TMA does not take
 *   fresh     first called while it is recorded
 *
 * A call with a host array is refused meanwhile, and takes nothing from the graph.
 */
#include "../../samples/check.h"

#include <cuda_runtime_api.h>

enum { SIZE = 512, ODD = SIZE - 1, KERNELS = 6 };

static void dealt(const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, SIZE, SIZE), b = ws_tensor_2d(B, WS_F16, SIZE, SIZE);
    ws_tensor c = ws_tensor_2d(C, WS_F16, SIZE, SIZE);

#pragma ws grid(2)
    for (int i = SIZE - 64; i >= 0; i -= 64)
        for (int j = 0; j < SIZE; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(4)
            for (int k = 0; k < i + 64; k += 32)
                sum = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), sum);
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

static void divided(const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, SIZE, SIZE), b = ws_tensor_2d(B, WS_F16, SIZE, SIZE);
    ws_tensor c = ws_tensor_2d(C, WS_F32, SIZE, SIZE);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < SIZE; i += 128) {
        ws_tile sum = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(3)
        for (int k = 0; k < SIZE; k += 128) {
            ws_tile half = ws_tanh(ws_load(b, k, i, 128, 64));
            sum = ws_dot(ws_load(a, i, k, 128, 128), half, sum);
        }
        ws_atomic_add(c, i, 0, sum);
    }
}

static void turns(const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, SIZE, SIZE), b = ws_tensor_2d(B, WS_F16, SIZE, SIZE);
    ws_tensor c = ws_tensor_2d(C, WS_F16, SIZE, SIZE);

#pragma ws grid(2) persistent consumers(2, tiles)
    for (int i = 0; i < SIZE; i += 64)
        for (int j = 0; j < SIZE; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(4) pingpong
            for (int k = 0; k < SIZE; k += 64)
                sum = ws_dot(ws_load(a, i, k, 64, 64), ws_load(b, k, j, 64, 64), sum);
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

static void clustered(const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, SIZE, SIZE), b = ws_tensor_2d(B, WS_F16, SIZE, SIZE);
    ws_tensor c = ws_tensor_2d(C, WS_F16, SIZE, SIZE);

#pragma ws grid(2) cluster(2)
    for (int i = 0; i < SIZE; i += 64)
        for (int j = 0; j < SIZE; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(4)
            for (int k = 0; k < SIZE; k += 64)
                sum = ws_dot(ws_load(a, i, k, 64, 64), ws_load(b, k, j, 64, 64), sum);
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

static void slow(const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d_ld(A, WS_F16, SIZE, ODD, ODD), b = ws_tensor_2d(B, WS_F16, SIZE, SIZE);
    ws_tensor c = ws_tensor_2d(C, WS_F16, SIZE, SIZE);

#pragma ws grid(2)
    for (int i = 0; i < SIZE; i += 64)
        for (int j = 0; j < SIZE; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2)
            for (int k = 0; k < ODD; k += 64)
                sum = ws_dot(ws_load(a, i, k, 64, 64), ws_load(b, k, j, 64, 64), sum);
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

/* The same as `dealt`, transposed; of it nothing is known before. */
static void fresh(const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, SIZE, SIZE), b = ws_tensor_2d(B, WS_F16, SIZE, SIZE);
    ws_tensor c = ws_tensor_2d(C, WS_F16, SIZE, SIZE);

#pragma ws grid(2)
    for (int i = SIZE - 64; i >= 0; i -= 64)
        for (int j = 0; j < SIZE; j += 32) {
            ws_tile sum = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(4)
            for (int k = 0; k < i + 64; k += 64)
                sum = ws_dot(ws_load(a, i, k, 64, 64), ws_load(b, k, j, 64, 32), sum);
            ws_store(c, j, i, ws_trans(ws_cast(sum, WS_F16)));
        }
}

static void fine(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        printf("%s: %s\n", what, cudaGetErrorString(error));
    check_true(error == cudaSuccess, what);
}

typedef struct {
    void *a, *b, *c[KERNELS];
} Arrays;

static size_t bytes_of(int kernel)
{
    return (size_t)SIZE * SIZE * (kernel == 1 ? sizeof(float) : sizeof(ws_f16));
}

static void call_all(const Arrays *x, int last)
{
    dealt(x->a, x->b, x->c[0]);
    divided(x->a, x->b, x->c[1]);
    turns(x->a, x->b, x->c[2]);
    clustered(x->a, x->b, x->c[3]);
    slow(x->a, x->b, x->c[4]);
    if (last)
        fresh(x->a, x->b, x->c[5]);
    ws_status status = ws_last_error();
    if (status)
        printf("%s\n", ws_error_message());
    check_true(status == WS_OK, "a launch fails");
}

static void clear(const Arrays *x)
{
    for (int i = 0; i < KERNELS; i++)
        fine(cudaMemset(x->c[i], 0, bytes_of(i)), "clearing");
}

static void fetch(const Arrays *x, void **to)
{
    fine(cudaDeviceSynchronize(), "running");
    for (int i = 0; i < KERNELS; i++)
        fine(cudaMemcpy(to[i], x->c[i], bytes_of(i), cudaMemcpyDeviceToHost), "copying out");
}

static void refuse_host(const ws_f16 *host, const Arrays *x)
{
    turns(host, x->b, x->c[2]);
    ws_status status = ws_last_error();
    check_true(status == WS_ERR_ARGUMENT, "a host array is not refused while a stream is captured");
    check_true(status != WS_OK && strstr(ws_error_message(), "captured") && strstr(ws_error_message(), "turns"),
               "the refusal does not say why");
}

int main(int argc, char **argv)
{
    check_begin("capture", argc, argv);
    ws_f16 *A = check_random(WS_F16, SIZE * SIZE), *B = check_random(WS_F16, SIZE * SIZE);
    Arrays x;
    void *want[KERNELS], *got[KERNELS];
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t runnable = NULL;
    fine(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    fine(cudaMalloc(&x.a, SIZE * SIZE * sizeof *A), "memory");
    fine(cudaMalloc(&x.b, SIZE * SIZE * sizeof *B), "memory");
    fine(cudaMemcpy(x.a, A, SIZE * SIZE * sizeof *A, cudaMemcpyHostToDevice), "copying in");
    fine(cudaMemcpy(x.b, B, SIZE * SIZE * sizeof *B, cudaMemcpyHostToDevice), "copying in");
    for (int i = 0; i < KERNELS; i++) {
        fine(cudaMalloc(&x.c[i], bytes_of(i)), "memory");
        want[i] = malloc(bytes_of(i));
        got[i] = malloc(bytes_of(i));
    }

    ws_set_stream(stream);
    clear(&x);
    call_all(&x, 0);
    fetch(&x, want);

    fine(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing");
    call_all(&x, 1);
    refuse_host(A, &x);
    fine(cudaStreamEndCapture(stream, &graph), "the capture");
    fine(cudaGraphInstantiate(&runnable, graph, 0), "the graph");
    ws_set_stream(NULL);
    clear(&x);
    fresh(x.a, x.b, x.c[5]);
    fine(cudaDeviceSynchronize(), "running");
    fine(cudaMemcpy(want[5], x.c[5], bytes_of(5), cudaMemcpyDeviceToHost), "copying out");
    for (int run = 0; run < 2; run++) {
        clear(&x);
        fine(cudaGraphLaunch(runnable, stream), "running the graph");
        fetch(&x, got);
        for (int i = 0; i < KERNELS; i++)
            check_true(!memcmp(want[i], got[i], bytes_of(i)), "a graph stores something else than the calls");
    }
    for (int i = 0; i < SIZE; i += 37)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < (i / 64 + 1) * 64; k++) {
                double product = check_at(A, (size_t)i * SIZE + k) * check_at(B, (size_t)k * SIZE + j);
                sum += product;
                size += fabs(product);
            }
            double error = check_dot_error(SIZE, size) + fabs(sum) * check_roundoff(WS_F16);
            for (int which = 0; which < 6; which += 5) {
                size_t at = which ? (size_t)j * SIZE + i : (size_t)i * SIZE + j;
                check_true(fabs(ws_f16_to(((ws_f16 *)got[which])[at]) - sum) <= error + 1e-3, "a product is wrong");
            }
        }
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    for (int i = 0; i < KERNELS; i++) {
        cudaFree(x.c[i]);
        free(want[i]);
        free(got[i]);
    }
    cudaFree(x.a);
    cudaFree(x.b);
    return check_end();
}
