/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two regions in one function with host code around and between them, one of them in a host loop; the launchers are in
   launchers.c, written by hand. */
#include <ws.h>
#include <stdio.h>

struct job {
    int rows, cols;
    float scale;
};

static int host_sum;

static int rounded(int x, int to)
{
    return (x + to - 1) / to * to;
}

int both(const struct job *job, const float *from, float *to, int times)
{
    int sum = 0, rows = job->rows, cols = job->cols;
    const float scale = job->scale;
    ws_tensor x = ws_tensor_2d(from, WS_F32, job->rows, job->cols);
    ws_tensor y = ws_tensor_2d(to, WS_F32, job->rows, job->cols);
    for (int t = 0; t < times; t++) {
        sum += t;
        #pragma ws grid(1)
        for (int i = 0; i < rounded(rows, 64); i += 64)
            ws_store(y, i, t, ws_mul(ws_load(x, i, t, 64, 32), scale));
        if (sum > 2)
            host_sum += sum;
    }
    if (times == 0)
        return -1;

    #pragma ws grid(2)
    for (int i = 0; i < rows; i += 64)
        for (long j = 0; j < cols; j += 32)
            ws_store(y, i, j, ws_add(ws_load(y, i, j, 64, 32), sum));
    return sum + host_sum;
}

int main(void)
{
    struct job job = {100, 200, 0.5f};
    float a, b;
    int all = both(&job, &a, &b, 4), none = both(&job, &a, &b, 0);
    printf("%d %d\n", all, none);
    return 0;
}
