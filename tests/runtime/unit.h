/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unit.h - the tensor core's product of tf32 whose left operand is in registers, on the host.
 *
 * It drops the last 13 bits of what it reads, cuts its sums off, not rounded, and takes what is subnormal for 0: no GPU
 * is worse.
 */
inline float normal(float x)
{
    return fabsf(x) < 0x1p-126f ? 0 : x;
}

template <int N> struct product {
    template <int O, typename KIND, typename MAJOR>
    static void registers(float *d, u32 a0, u32 a1, u32 a2, u32 a3, u64 descriptor)
    {
        warp &w = own_warp();
        const u32 lane = threadIdx.x % 32, g = lane / 4, q = lane % 4, all[4] = {a0, a1, a2, a3};
        for (u32 i = 0; i < 4; i++)
            w.a32[g + i % 2 * 8][q + i / 2 * 4] = normal(ptx::tf32_of(all[i]));
        w.meet();
        for (u32 i = 0; i < N / 2; i++) {
            const u32 row = g + i / 2 % 2 * 8, col = i / 4 * 8 + 2 * q + i % 2;
            double sum = d[O + i];
            for (u32 k = 0; k < 8; k++) {
                u32 at = (u32)(descriptor & 0x3fff) * 16 + col / 8 * 1024 + col % 8 * 128 + k * 4, bits;
                memcpy(&bits, memory.at(at ^ (at >> 7 & 7) << 4, 4), 4);
                sum += (double)w.a32[row][k] * (double)normal(ptx::tf32_of(bits));
            }
            d[O + i] = normal(ptx::cut(sum));
        }
        w.meet();
    }
};
