/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members that are not a whole number of elements apart. */
struct body {
    double mass;
    float x;
};

void heavier(int n, struct body *p, double *out)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        out[i] = p[i].x;
    struct { char name[3]; float weight[1]; } __attribute__((packed)) *q = (void *)p;
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        out[i] = q[i].weight[0];
}
