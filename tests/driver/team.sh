#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Processes that share a loop over devices: emulated, started by hand, and by mpirun where it is. Each rank reports what
# is wrong: shapes that differ, a rank that does not come, one that has ended.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99

cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ws.h>
/* A[r] becomes what all have, Y[r] the sum of it and of the next one's Z. */
static void gather(int n, int rows, const float *const X[], float *const A[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        #pragma ws together
        for (int o = 0; o < n; o++) {
            int from = (r + o) % n;
            ws_tensor x = ws_tensor_2d(X[from], WS_F32, rows, 64);
            ws_tensor a = ws_tensor_2d(A[r] + from * rows * 64, WS_F32, rows, 64);
            #pragma ws grid(1)
            for (int i = 0; i < rows; i += 16)
                ws_store(a, i, 0, ws_load(x, i, 0, 16, 64));
        }
    }
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor a = ws_tensor_2d(A[(r + 1) % n], WS_F32, n * rows, 64), y = ws_tensor_2d(Y[r], WS_F32, n * rows, 64);
        #pragma ws grid(1)
        for (int i = 0; i < n * rows; i += 16)
            ws_store(y, i, 0, ws_mul(ws_load(a, i, 0, 16, 64), 2));
    }
}
int main(int argc, char **argv)
{
    float *X[8], *A[8], *Y[8];
    const char *what = argc > 1 ? argv[1] : "";
    ws_team *team = ws_team_open(NULL);
    if (!team)
        ws_or_die(ws_last_error());
    int n = ws_team_size(team), rank = ws_team_rank(team), room = 40, rows = 40, wrong = 0;
    if (!strcmp(what, "more") && rank == 1)
        rows = 56;
    if (!strcmp(what, "less") && rank == 1)
        rows = 24;
    if (!strcmp(what, "dies") && rank == 1)
        exit(3);
    ws_or_die(ws_team_alloc(team, room * 64 * sizeof(float), (void **)X));
    ws_or_die(ws_team_alloc(team, room * n * 64 * sizeof(float), (void **)A));
    ws_or_die(ws_team_alloc(team, room * n * 64 * sizeof(float), (void **)Y));
    float *host = malloc(room * n * 64 * sizeof(float));
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < room * 64; i++)
            host[i] = (float)(r * 10000 + i);
        if (ws_team_has(team, r))
            ws_or_die(ws_copy(X[r], host, room * 64 * sizeof(float)));
    }
    for (int round = 0; round < 3; round++) {
        gather(n, rows, (const float *const *)X, A, Y);
        if (!strcmp(what, "ends") && rank == 1 && round == 1)
            _Exit(3);
    }
    ws_status status = ws_last_error();
    printf("rank %d: %d %s\n", rank, status, status ? ws_error_message() : "");
    for (int r = 0; r < n && !status; r++) {
        if (!ws_team_has(team, r))
            continue;
        ws_or_die(ws_copy(host, Y[r], n * rows * 64 * sizeof(float)));
        for (int i = 0; i < n * rows * 64; i++)
            wrong += host[i] != 2.0f * (float)(i / (rows * 64) * 10000 + i % (rows * 64));
    }
    free(host);
    ws_team_close(team);
    return wrong != 0;
}
END

# by_hand SIZE WHAT: one process for each rank; what they say is in said.
by_hand() {
    pids=
    for rank in $(seq 0 $(($1 - 1))); do
        WS_WATCHDOG=3 WS_TEAM=$$-$number:$rank:$1 timeout 60 ./program-emulate $2 >said-$rank 2>&1 &
        pids="$pids $!"
    done
    status=0
    for pid in $pids; do wait $pid || status=1; done
    cat said-* >said
    rm -f said-*
    return $status
}
agrees() { by_hand "$@" && test "$(grep -c ': 0 $' said)" = "$1" || { cat said; return 1; }; }
# each SIZE WHAT RANK TEXT RANK TEXT
each() {
    by_hand $1 $2
    grep -F "rank $3" said | grep -qF "$4" && grep -F "rank $5" said | grep -qF "$6" || { cat said; return 1; }
}
alone() { ./program-$1 >said 2>&1 || { cat said; return 1; }; }
missing() { WS_WATCHDOG=1 WS_TEAM=$$-alone:1:2 ./program-emulate 2>&1 | grep -F 'rank 0 has not come in 1 s'; }
by_mpirun() {
    mpirun --allow-run-as-root --oversubscribe -n 3 ./program-emulate >said 2>&1 && test "$(grep -c ': 0 $' said)" = 3 ||
        { cat said; return 1; }
}

if ! has_plugin; then
    skip 'teams' 'no plugin'
    done_testing
    exit
fi
for target in emulate sequential; do
    ok "built for $target" "$wscc" --ws-target=$target -O1 -w program.c -o program-$target -lm
    ok "one process, $target" alone $target
done
for size in 2 3 4; do ok "$size processes" agrees $size; done
ok 'rank 1 has more rows' each 2 more 1 'are shapes the same on all ranks?' 0 'as rank 0 has it, and 56 x 64 as rank 1'
ok 'rank 1 has fewer rows' each 2 less 1 'as rank 1 has it, and 40 x 64 as rank 0' \
    0 'as rank 0 has it, and 24 x 64 as rank 1'
ok 'rank 1 does not come' each 3 dies 0 'of rank 1 has ended' 2 'of rank 1 has ended'
ok 'rank 1 ends' each 3 ends 0 'the process of rank 1 has ended' 2 'the process of rank 1 has ended'
ok 'rank 0 does not come' missing
if command -v mpirun >/dev/null 2>&1; then ok '3 processes by mpirun' by_mpirun
else skip '3 processes by mpirun' 'no mpirun'; fi
done_testing
