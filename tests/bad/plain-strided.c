/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of two types of every struct along both sides. */
struct pixel {
    float value;
    int label;
};

void channel(int n, const float *a, struct pixel *b)
{
    #pragma ws grid(2) tile(32, 64)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            b[i * n + j].value = a[i * n + j];
            b[i * n + j].label = 1;
        }
}
