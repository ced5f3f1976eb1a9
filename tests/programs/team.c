/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team of one process, which has all devices: what tests/driver/team.sh starts as several ones. */
#include "test.h"

enum { ROWS = 40, COLS = 64, MOST = 64 };

/* Y[r] = X[(r + 1) % n] - X[r] */
static void differ(int n, const float *const X[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor own = ws_tensor_2d(X[r], WS_F32, ROWS, COLS), next = ws_tensor_2d(X[(r + 1) % n], WS_F32, ROWS, COLS);
        ws_tensor y = ws_tensor_2d(Y[r], WS_F32, ROWS, COLS);
        #pragma ws grid(2)
        for (int i = 0; i < ROWS; i += 16)
            for (int j = 0; j < COLS; j += 32)
                ws_store(y, i, j, ws_sub(ws_load(next, i, j, 16, 32), ws_load(own, i, j, 16, 32)));
    }
}

int main(int argc, char **argv)
{
    check_begin("team", argc, argv);
    float *X[MOST], *Y[MOST];
    ws_team *team = ws_team_open(NULL);
    int n = ws_team_size(team);
    static float host[ROWS * COLS];
    check_true(team && n >= 1 && n <= MOST && ws_team_rank(team) == 0, "there is no team of one process");
    ws_or_die(ws_team_alloc(team, sizeof host, (void **)X));
    ws_or_die(ws_team_alloc(team, sizeof host, (void **)Y));
    for (int r = 0; r < n; r++) {
        check_true(ws_team_has(team, r), "a member is not this process's");
        for (int i = 0; i < ROWS * COLS; i++)
            host[i] = (float)(r * r + i);
        ws_or_die(ws_copy(X[r], host, sizeof host));
    }
    differ(n, (const float *const *)X, Y);
    ws_or_die(ws_team_wait(team));
    for (int r = 0; r < n; r++) {
        int next = (r + 1) % n, wrong = 0;
        ws_or_die(ws_copy(host, Y[r], sizeof host));
        for (int i = 0; i < ROWS * COLS; i++)
            wrong += host[i] != (float)(next * next - r * r);
        check_true(!wrong, "a difference is wrong");
        ws_free(X[r]);
        ws_free(Y[r]);
    }
    ws_team_close(team);
    return check_end();
}
