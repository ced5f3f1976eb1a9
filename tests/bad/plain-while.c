/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop in a grid of elements that is left early. */
void first(int n, int m, const float *a, float *out)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float found = 0;
        for (int k = 0; k < m; k++) {
            if (a[i * m + k] > 0) {
                found = a[i * m + k];
                break;
            }
        }
        out[i] = found;
    }
}
