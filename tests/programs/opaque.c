/* Around a grid: assembler statements, and a goto to a computed label. What they give goes into the grid. */
#include <stdio.h>

static int told(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

static void f(int n, float *y)
{
    int k = 3, pair[2] = {4, 5};
    __asm__ volatile("" : "+r"(k) : "m"(pair));
    void *to = n > 5 ? &&two : &&one;
    goto *to;
one:
    k += 100;
two:
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = k + pair[1];
    __asm__ volatile("" : "+m"(pair), "+r"(n));
    y[0] += n + told(pair[0]);
}

int main(void)
{
    static float y[64];
    f(64, y);
    printf("%g %g\n", y[0], y[5]);
    f(4, y);
    printf("%g %g\n", y[0], y[2]);
}
