/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A jump to a label that a table holds. */
void f(int n, float *y, const float *x, const int *u)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        static void *const places[] = {&&one, &&two};
        float v = x[i];
        goto *places[u[i] & 1]; /* wrong */
    one:
        v += 1;
    two:
        y[i] = v;
    }
}
