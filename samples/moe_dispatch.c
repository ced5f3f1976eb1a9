/* SPDX-License-Identifier: MIT */
/*
 * moe_dispatch - tokens go to the experts that they have chosen, wherever these are: device r has some tokens and some
 * experts, and gets the tokens of all devices that chose its experts, expert by expert.
 *
 * Each device pulls.  The router has left indices with it: of every slot of its experts the device where the token is
 * and the row that it has there.  A slot that no token has taken becomes 0.  Tensors come out of an array of pointers,
 * by a number that is read in the grid; rows are gathered one by one.
 */
#include "check.h"

/* Device r has T x K tokens at X[r]; from[r] and row[r] are `slots` numbers each, and E[r] becomes slots x K. */
void moe_dispatch(int n, int T, int slots, int K, const ws_bf16 *const X[], const int *const from[],
                  const int *const row[], ws_bf16 *const E[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor device = ws_tensor_1d(from[r], WS_I32, slots), where = ws_tensor_1d(row[r], WS_I32, slots);
        ws_tensor e = ws_tensor_2d(E[r], WS_BF16, slots, K);

        #pragma ws grid(2)
        for (int i = 0; i < slots; i += 32)
            for (int k = 0; k < K; k += 1024) {
                int end = i + 32 < slots ? i + 32 : slots;
                #pragma ws pipeline(8)
                for (int s = i; s < end; s++) {
                    int source = ws_at(device, s), at = ws_at(where, s);
                    ws_store(e, s, k, ws_load(ws_tensor_2d(X[source], WS_BF16, T, K), at, k, 1, 1024));
                }
            }
    }
}

/* The router: each token takes two of all experts, while these have slots, and what takes none stays empty: row T. */
static void route(int n, int T, int experts, int each, int *from[], int *row[])
{
    int *taken = calloc((size_t)n * experts, sizeof *taken);
    for (int r = 0; r < n; r++)
        for (int s = 0; s < experts * each; s++)
            from[r][s] = r, row[r][s] = T;
    for (int r = 0; r < n; r++)
        for (int t = 0; t < T; t++)
            for (int choice = 0; choice < 2; choice++) {
                unsigned mixed = (unsigned)(r * T + t) * 2654435761u + (unsigned)choice * 40503u;
                int expert = (int)((mixed >> 16) % (unsigned)(n * experts)), owner = expert / experts;
                int slot = expert % experts * each + taken[expert];
                if (taken[expert] == each)
                    continue;
                from[owner][slot] = r, row[owner][slot] = t;
                taken[expert]++;
            }
    free(taken);
}

int main(int argc, char **argv)
{
    enum { MOST = 8, EXPERTS = 4 };
    check_begin("moe_dispatch", argc, argv);
    int n = check_size(1, 2), T = check_size(2, 56), each = check_size(3, 35), K = check_size(4, 1240);
    int slots = EXPERTS * each, *from[MOST], *row[MOST], *from_there[MOST], *row_there[MOST];
    ws_bf16 *X[MOST], *E[MOST], *x[MOST], *e[MOST];
    n = n < 1 ? 1 : n < MOST ? n : MOST;
    for (int r = 0; r < n; r++) {
        X[r] = check_random(WS_BF16, (size_t)T * K);
        E[r] = check_output(WS_BF16, (size_t)slots * K);
        from[r] = check_output(WS_I32, (size_t)slots);
        row[r] = check_output(WS_I32, (size_t)slots);
    }
    route(n, T, EXPERTS, each, from, row);
    for (int r = 0; r < n; r++) {
        x[r] = check_place_on(r, X[r]);
        e[r] = check_place_on(r, E[r]);
        from_there[r] = check_place_on(r, from[r]);
        row_there[r] = check_place_on(r, row[r]);
    }

    moe_dispatch(n, T, slots, K, (const ws_bf16 *const *)x, (const int *const *)from_there,
                 (const int *const *)row_there, e);
    check_fetch();
    for (int r = 0; r < n; r++)
        for (int s = 0; s < slots; s++)
            for (int k = 0; k < K; k++)
                check_equal(E[r], (long)s * K + k,
                            row[r][s] < T ? check_at(X[from[r][s]], (long)row[r][s] * K + k) : 0);
    return check_end();
}
