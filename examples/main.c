/* SPDX-License-Identifier: MIT */
/* Calls the kernel of gemm.c, as any C function, and looks at what it made. */
void gemm(int M, int N, int K, const _Float16 *A, const _Float16 *B, _Float16 *C);
int main(void)
{
    static _Float16 a[40 * 64], b[48 * 64], c[40 * 48];
    for (int i = 0; i < 48 * 64; i++) {
        b[i] = i % 3;
        a[i % (40 * 64)] = 1;
    }
    gemm(40, 48, 64, a, b, c);
    for (int i = 0; i < 40 * 48; i++) {
        int sum = 0;
        for (int k = 0; k < 64; k++)
            sum += (i % 48 * 64 + k) % 3;
        if (c[i] != sum)
            return 1;
    }
    return 0;
}
