/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -pthread */
/* Several threads call kernels at the same time. */
#include <pthread.h>
#include "test.h"

enum { THREADS = 4, M = 70, N = 72, K = 40 };

static void gemm(const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

struct job {
    ws_f16 *A, *B;
    float *C;
    ws_status status;
};

static void *work(void *argument)
{
    struct job *job = argument;
    for (int n = 0; n < 3; n++)
        gemm(job->A, job->B, job->C);
    job->status = ws_sync();
    if (job->status == WS_OK)
        job->status = ws_last_error();
    return NULL;
}

int main(int argc, char **argv)
{
    check_begin("threads", argc, argv);
    pthread_t threads[THREADS];
    struct job jobs[THREADS], placed[THREADS];
    for (int t = 0; t < THREADS; t++) {
        jobs[t] =
            (struct job){check_random(WS_F16, M * K), check_random(WS_F16, K * N), check_output(WS_F32, M * N), WS_OK};
        placed[t] = (struct job){check_place(jobs[t].A), check_place(jobs[t].B), check_place(jobs[t].C), WS_OK};
    }
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, &placed[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    check_fetch();
    for (int t = 0; t < THREADS; t++) {
        check_true(placed[t].status == WS_OK, "a thread's calls failed");
        test_product(rows_of(jobs[t].C, N), rows_of(jobs[t].A, K), rows_of(jobs[t].B, N), M, N, K);
    }
    return check_end();
}
