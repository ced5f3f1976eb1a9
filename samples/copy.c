/* SPDX-License-Identifier: MIT */
/*
 * copy - the smallest kernel that has two roles.
 *
 * Each iteration of the grid loop owns 64 rows.  In the pipelined loop the loads become a producer's work, which runs
 * up to four chunks ahead; the stores stay with the consumer.
 */
#include "check.h"

void copy(int M, int N, const float *from, float *to)
{
    ws_tensor x = ws_tensor_2d(from, WS_F32, M, N);
    ws_tensor y = ws_tensor_2d(to, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        #pragma ws pipeline(4)
        for (int j = 0; j < N; j += 64)
            ws_store(y, i, j, ws_load(x, i, j, 64, 64));
    }
}

int main(int argc, char **argv)
{
    check_begin("copy", argc, argv);
    int M = check_size(1, 200), N = check_size(2, 300);
    float *from = check_random(WS_F32, (size_t)M * N);
    float *to = check_output(WS_F32, (size_t)M * N);

    copy(M, N, check_place(from), check_place(to));
    check_fetch();
    for (long i = 0; i < (long)M * N; i++)
        check_equal(to, i, from[i]);
    return check_end();
}
