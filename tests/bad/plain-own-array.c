/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An array of the iteration's own, in which counters choose. */
void medians(int n, const float *x, float *y)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float t[5];
        for (int k = 0; k < 5; k++)
            t[k] = x[i * 5 + k]; /* wrong */
        for (int a = 0; a < 4; a++)
            if (t[a] > t[a + 1]) {
                float z = t[a];
                t[a] = t[a + 1];
                t[a + 1] = z;
            }
        y[i] = t[4];
    }
}
