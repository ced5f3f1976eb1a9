/* SPDX-License-Identifier: GPL-3.0-or-later */
/* llvm/llvm-project#132342: bit-fields */
#include "report.h"
typedef struct {
    unsigned r : 5, g : 6, b : 5;
    unsigned short pad;
} px;
void f(int n, const px *p, int *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        o[i] = p[i].r * 3 + p[i].g * 7 + p[i].b;
}

int main(void)
{
    px p[64];
    int o[64];
    for (int i = 0; i < 64; i++)
        p[i] = (px){h_rand() & 31, h_rand() & 63, h_rand() & 31, 0};
    f(64, p, o);
    SHOW("o", o, sizeof o);
}
