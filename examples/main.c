/* SPDX-License-Identifier: MIT */
/* Calls the kernel of gemm.c, as any C function, and looks at what it made. */
typedef struct {
    unsigned short bits;
} f16; /* as ws_f16 of ws.h: not every compiler has a type of C for 16 bits */
void gemm(int M, int N, int K, const f16 *A, const f16 *B, f16 *C);

/* 0 <= n <= 2048, which f16 holds exactly. */
static f16 f16_of(int n)
{
    int exponent = 0;
    while (n >> exponent > 1)
        exponent++;
    f16 result = {(unsigned short)(n ? (15 + exponent) << 10 | ((n << 10 >> exponent) & 1023) : 0)};
    return result;
}

int main(void)
{
    static f16 a[40 * 64], b[48 * 64], c[40 * 48];
    for (int i = 0; i < 48 * 64; i++) {
        b[i] = f16_of(i % 3);
        a[i % (40 * 64)] = f16_of(1);
    }
    gemm(40, 48, 64, a, b, c);
    for (int i = 0; i < 40 * 48; i++) {
        int sum = 0;
        for (int k = 0; k < 64; k++)
            sum += (i % 48 * 64 + k) % 3;
        if (c[i].bits != f16_of(sum).bits)
            return 1;
    }
    return 0;
}
