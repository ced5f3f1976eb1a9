/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.c - memory of another device is refused with the argument's name and both numbers, unless the device reaches
 * it; each device runs kernels of its own, one after the other from one thread.  Ends with 77 where there are no two.
 */
#include "../../samples/check.h"

#include <cuda_runtime_api.h>

enum { SIZE = 256 };

static void product(const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, SIZE, SIZE), b = ws_tensor_2d(B, WS_F16, SIZE, SIZE);
    ws_tensor c = ws_tensor_2d(C, WS_F32, SIZE, SIZE);

#pragma ws grid(2)
    for (int i = SIZE - 64; i >= 0; i -= 64)
        for (int j = 0; j < SIZE; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(3)
            for (int k = 0; k <= i; k += 32)
                sum = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), sum);
            ws_store(c, i, j, sum);
        }
}

static void fine(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        printf("%s: %s\n", what, cudaGetErrorString(error));
    check_true(error == cudaSuccess, what);
}

typedef struct {
    void *a, *b, *c;
} Arrays;

static Arrays arrays_on(int device, const ws_f16 *A, const ws_f16 *B)
{
    Arrays x = {NULL, NULL, NULL};
    fine(cudaSetDevice(device), "choosing a device");
    fine(cudaMalloc(&x.a, SIZE * SIZE * sizeof *A), "memory");
    fine(cudaMalloc(&x.b, SIZE * SIZE * sizeof *B), "memory");
    fine(cudaMalloc(&x.c, SIZE * SIZE * sizeof(float)), "memory");
    fine(cudaMemcpy(x.a, A, SIZE * SIZE * sizeof *A, cudaMemcpyHostToDevice), "copying in");
    fine(cudaMemcpy(x.b, B, SIZE * SIZE * sizeof *B, cudaMemcpyHostToDevice), "copying in");
    return x;
}

/* What `on` holds now is the product, and is cleared. */
static void holds(const Arrays *on, int device, const float *want)
{
    static float got[SIZE * SIZE];
    fine(cudaSetDevice(device), "choosing a device");
    fine(cudaDeviceSynchronize(), "running");
    fine(cudaMemcpy(got, on->c, sizeof got, cudaMemcpyDeviceToHost), "copying out");
    check_true(!memcmp(got, want, sizeof got), "another product than on the host's arrays");
    fine(cudaMemset(on->c, 0, sizeof got), "clearing");
}

static void refused(const char *argument)
{
    ws_status status = ws_last_error();
    const char *message = status ? ws_error_message() : "no error";
    int said = status == WS_ERR_DEVICE && strstr(message, argument) && strstr(message, "memory of device 1") &&
                strstr(message, "on device 0");
    if (!said)
        printf("%s\n", message);
    check_true(said, "memory of another device is not refused by name and number");
}

int main(int argc, char **argv)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2)
        return 77;
    check_begin("devices", argc, argv);
    ws_f16 *A = check_random(WS_F16, SIZE * SIZE), *B = check_random(WS_F16, SIZE * SIZE);
    static float want[SIZE * SIZE];
    product(A, B, want);
    check_true(ws_last_error() == WS_OK, "a call with host arrays fails");

    Arrays first = arrays_on(0, A, B), second = arrays_on(1, A, B);
    for (int round = 0; round < 2; round++) {
        fine(cudaSetDevice(0), "choosing a device");
        product(first.a, first.b, first.c);
        check_true(ws_last_error() == WS_OK, "a call on device 0 fails");
        fine(cudaSetDevice(1), "choosing a device");
        product(second.a, second.b, second.c);
        check_true(ws_last_error() == WS_OK, "a call on device 1 fails");
        holds(&second, 1, want);
        holds(&first, 0, want);
    }

    fine(cudaSetDevice(0), "choosing a device");
    product(first.a, second.b, first.c);
    refused("b");
    product(first.a, first.b, second.c);
    refused("c");
    product(first.a, first.b, first.c);
    check_true(ws_last_error() == WS_OK, "a call after one that was refused fails");
    holds(&first, 0, want);

    int reaches = 0;
    fine(cudaDeviceCanAccessPeer(&reaches, 0, 1), "asking for a peer");
    if (reaches) {
        fine(cudaSetDevice(0), "choosing a device");
        fine(cudaDeviceEnablePeerAccess(1, 0), "reaching a peer");
        product(second.a, second.b, first.c);
        check_true(ws_last_error() == WS_OK, "memory of a device that this one reaches is refused");
        holds(&first, 0, want);
    }
    for (int device = 0; device < 2; device++) {
        Arrays *x = device ? &second : &first;
        cudaFree(x->a);
        cudaFree(x->b);
        cudaFree(x->c);
    }
    return check_end();
}
