/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gleisonsdm/DawnCC-Compiler#17: rotate a global array by an amount that may be negative, each of the usual macros */
#include "report.h"
#define SIZE 128
int tmp[SIZE], res[SIZE];
#define MOD_C(v, s) (((v) < 0) ? ((s) + (v)) : (((v) >= (s)) ? (v) - (s) : (v)))
#define MOD_A(v, s) (((v) + (s)) % (s))
#define MOD_B(v, s) ((((v) % (s)) + (s)) % (s))
void shift_a(int d)
{
#pragma ws grid(1)
    for (int k = 0; k < SIZE; k++)
        res[k] = tmp[MOD_A(k + d, SIZE)];
}
void shift_b(int d)
{
#pragma ws grid(1)
    for (int k = 0; k < SIZE; k++)
        res[k] = tmp[MOD_B(k + d, SIZE)];
}
void shift_c(int d)
{
#pragma ws grid(1)
    for (int k = 0; k < SIZE; k++)
        res[k] = tmp[MOD_C(k + d, SIZE)];
}
void shift_m(int d)
{
#pragma ws grid(1)
    for (int k = 0; k < SIZE; k++)
        res[k] = tmp[(k + d) & (SIZE - 1)];
}
void shift_u(unsigned d)
{
#pragma ws grid(1)
    for (unsigned k = 0; k < SIZE; k++)
        res[k] = tmp[(k + d) % SIZE];
}
int main(void)
{
    for (int i = 0; i < SIZE; i++)
        tmp[i] = h_int(-1000, 1000);
    int ds[] = {0, 1, 5, 127, 128, -1, -5, -127, -128};
    for (int i = 0; i < 9; i++) {
        int d = ds[i];
        shift_a(d);
        SHOW("a", res, sizeof res);
        shift_b(d * 3);
        SHOW("b", res, sizeof res);
        if (d > -128 && d < 128) {
            shift_c(d);
            SHOW("c", res, sizeof res);
        }
        shift_m(d * 5);
        SHOW("m", res, sizeof res);
        shift_u(d);
        SHOW("u", res, sizeof res);
    }
}
