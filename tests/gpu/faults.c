/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * faults.c - a grid that never says that its tiles are done, a device that is lost: one error that names kernel, device
 * and tiles, in the watchdog's time, and no hang.
 *
 *   faults [none|silent|lost]   a fault ends the process's use of the GPU, so each runs in a process of its own;
 *                               without such an argument this program starts them, on as many devices as there are
 */
#include "../../samples/check.h"

#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ws/backend.h>

enum { SIZE = 256 };

/* Iteration r copies X[r] to A[r]; then Y[r] becomes what the next one has there, twice. */
static void pass(int n, int lost, void (*lose)(void), const float *const X[], float *const A[], float *const Y[])
{
#pragma ws together
#pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor x = ws_tensor_2d(X[r], WS_F32, SIZE, SIZE), a = ws_tensor_2d(A[r], WS_F32, SIZE, SIZE);
        if (r == lost)
            lose();
#pragma ws grid(2)
        for (int i = 0; i < SIZE; i += 64)
            for (int j = 0; j < SIZE; j += 32)
                ws_store(a, i, j, ws_load(x, i, j, 64, 32));
    }
#pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor a = ws_tensor_2d(A[(r + 1) % n], WS_F32, SIZE, SIZE), y = ws_tensor_2d(Y[r], WS_F32, SIZE, SIZE);
#pragma ws grid(2)
        for (int i = 0; i < SIZE; i += 64)
            for (int j = 0; j < SIZE; j += 32)
                ws_store(y, i, j, ws_mul(ws_load(a, i, j, 64, 32), 2));
    }
}

/* A kernel of one instruction, trap, in the stream that launches go to. */
static void lose(void)
{
    static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry lose() { trap; }\n";
    cudaLibrary_t library;
    cudaKernel_t kernel;
    if (cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess ||
        cudaLibraryGetKernel(&kernel, library, "lose") != cudaSuccess ||
        cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, (cudaStream_t)ws_stream()) !=
            cudaSuccess)
        printf("the kernel that fails cannot be launched\n");
}

static int run(const char *what, int n)
{
    static float host[SIZE * SIZE];
    float *X[2], *A[2], *Y[2];
    int last = n - 1, wrong = 0;
    for (int r = 0; r < n; r++) {
        float **all[] = {&X[r], &A[r], &Y[r]};
        for (int t = 0; t < 3; t++)
            *all[t] = ws_alloc_on(r, sizeof host);
        for (int i = 0; i < SIZE * SIZE; i++)
            host[i] = (float)(i % 1000 + r);
        ws_or_die(ws_copy(X[r], host, sizeof host));
    }
    pass(n, strcmp(what, "lost") ? -1 : last, lose, (const float *const *)X, A, Y);
    ws_sync();
    ws_status status = ws_last_error();
    printf("%s: %d %s\n", what, status, status ? ws_error_message() : "");
    fflush(stdout);
    if (strcmp(what, "none")) {
        char device[32];
        snprintf(device, sizeof device, "device %d", last);
        const char *text = strcmp(what, "lost") ? "a tile has waited 1 s" : "is lost";
        _exit(!(status && strstr(ws_error_message(), text) && strstr(ws_error_message(), device) &&
                strstr(ws_error_message(), "pass")));
    }
    for (int r = 0; r < n && !status; r++) {
        ws_or_die(ws_copy(host, Y[r], sizeof host));
        for (int i = 0; i < SIZE * SIZE; i++)
            wrong += host[i] != 2 * (float)(i % 1000 + (r + 1) % n);
    }
    return status || wrong;
}

/* This program again, which has 30 seconds. */
static void start(const char *program, const char *what, const char *fault)
{
    int status = 0;
    pid_t child = fork();
    if (!child) {
        setenv("WS_FAULT", fault, 1);
        setenv("WS_WATCHDOG", "1", 1);
        alarm(30);
        execl(program, program, what, (char *)NULL);
        _exit(99);
    }
    check_true(child > 0 && waitpid(child, &status, 0) == child && status == 0, what);
}

int main(int argc, char **argv)
{
    int count = 0;
    char fault[32];
    static const char *const all[] = {"none", "silent", "lost"};
    for (int i = 0; i < 3 && argc > 1; i++)
        if (!strcmp(argv[1], all[i]))
            return run(argv[1], ws_devices() < 2 ? 1 : 2);
    check_begin("faults", 1, argv);
    FILE *list = popen("nvidia-smi -L", "r"); /* no context of this process's own */
    for (int c; list && (c = fgetc(list)) != EOF;)
        count += c == '\n';
    if (list)
        pclose(list);
    snprintf(fault, sizeof fault, "silent:pass#1@%d", count < 2 ? 0 : 1);
    start(argv[0], "none", "");
    start(argv[0], "silent", fault);
    start(argv[0], "lost", "");
    return check_end();
}
