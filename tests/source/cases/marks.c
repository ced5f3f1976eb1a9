/* Pragmas: marks behind the start of their loops, or first in their blocks. */
void scale(int n, float a[n], float *restrict b)
{
#pragma ws grid(1) extent(b: n)
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i];
#pragma ws grid(2) extent(b: n * n)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * n + j] += 1;
}
