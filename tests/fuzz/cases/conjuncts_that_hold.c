/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of two conditions together one always holds: the conditions of an element and of a store ended the compiler. */
#include "../program.h"

enum { ROWS = 40, COUNT = 61 };

static void kernel(int n, int m, const float *x, float *y)
{
    #pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        int k = 2 * i + 1;
        if (i < n && i < m)
            y[i] = k > -1 && k <= n - 1 ? x[k] : -1;
    }
}

int main(void)
{
    float *x = fuzz_array(WS_F32, COUNT, 1, -1, 1), *y = fuzz_array(WS_F32, COUNT, 2, -1, 1);
    kernel(COUNT, ROWS, x, y);
    fuzz_errors("kernel");
    fuzz_show("kernel", "y", y, WS_F32, COUNT);
    return 0;
}
