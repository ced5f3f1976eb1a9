/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that a launcher must refuse, with a status and a message that names the argument; a good call works
   afterwards. */
#include "test.h"

static void add(long M, long N, const float *X, const float *Y, float *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), z = ws_tensor_2d(Z, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 32)
            ws_store(z, i, j, ws_add(ws_load(x, i, j, 32, 32), ws_load(y, i, j, 32, 32)));
}

static void refuse(const char *what, ws_status expected)
{
    ws_status status = ws_last_error();
    const char *message = status ? ws_error_message() : "";
    check_true(status == expected, what);
    check_true(status == WS_OK || strlen(message) > 10, "an error without a message");
    check_true(ws_last_error() == WS_OK, "the error is not cleared by reading it");
}

int main(int argc, char **argv)
{
    check_begin("launch_errors", argc, argv);
    long M = 40, N = 40;
    float *X = check_random(WS_F32, 2 * M * N), *Z = check_output(WS_F32, M * N);
    float *x = check_place(X), *z = check_place(Z);

    add(M, N, NULL, x, z);
    refuse("a null pointer is not refused", WS_ERR_ARGUMENT);
    add(M, N, x, (const float *)((const char *)x + 2), z);
    refuse("a misaligned base is not refused", WS_ERR_ARGUMENT);
    add(-1, N, x, x, z);
    refuse("a negative extent is not refused", WS_ERR_ARGUMENT);
    add(0, N, x, x, z);
    refuse("an empty matrix is an error", WS_OK);
    add(M, N, x, x + M * N, z);
    refuse("a good call fails", WS_OK);
    check_fetch();
    for (long p = 0; p < M * N; p++)
        check_equal(Z, p, X[p] + X[M * N + p]);
    return check_end();
}
