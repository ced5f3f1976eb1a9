/* SPDX-License-Identifier: GPL-3.0-or-later */
/* warp.h - a warp group of threads of the host that runs what stands in runtime/cuda/product.cuh; ptx.cuh includes it
   in place of the instructions of a warp.  See warp.cc. */
static float tf32_of(u32 bits)
{
    return __uint_as_float(bits & ~0x1fffu);
}

/* Cut off, as the tensor core does. */
static float cut(double x)
{
    float y = (float)x;
    return std::isfinite(y) && fabs((double)y) > fabs(x) ? nextafterf(y, 0) : y;
}

template <int K> static void add_doubles(double *d)
{
    const int g = (int)lane() / 4, q = (int)lane() % 4;
    own_warp().meet();
    for (int k = 0; k < K; k++)
        for (int c = 0; c < 4; c++)
            d[c] = ::fma(own_warp().a64[g + c / 2 * 8][k], own_warp().b64[k][q * 2 + c % 2], d[c]);
    own_warp().meet();
}

static void mma_f64_k16(double *d, const double (&a)[2][4], const double (&b)[4])
{
    const int g = (int)lane() / 4, q = (int)lane() % 4;
    for (int i = 0; i < 4; i++) {
        own_warp().a64[g][q + 4 * i] = a[0][i];
        own_warp().a64[g + 8][q + 4 * i] = a[1][i];
        own_warp().b64[q + 4 * i][g] = b[i];
    }
    add_doubles<16>(d);
}

static void mma_f64_k4(double *d, double low, double high, double b)
{
    const int g = (int)lane() / 4, q = (int)lane() % 4;
    own_warp().a64[g][q] = low;
    own_warp().a64[g + 8][q] = high;
    own_warp().b64[q][g] = b;
    add_doubles<4>(d);
}

static void mma_tf32(float (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1)
{
    const int g = (int)lane() / 4, q = (int)lane() % 4;
    warp &w = own_warp();
    w.a32[g][q] = tf32_of(a0);
    w.a32[g + 8][q] = tf32_of(a1);
    w.a32[g][q + 4] = tf32_of(a2);
    w.a32[g + 8][q + 4] = tf32_of(a3);
    w.b32[q][g] = tf32_of(b0);
    w.b32[q + 4][g] = tf32_of(b1);
    w.meet();
    for (int c = 0; c < 4; c++) {
        double sum = d[c];
        for (int k = 0; k < 8; k++)
            sum += (double)w.a32[g + c / 2 * 8][k] * w.b32[k][q * 2 + c % 2];
        d[c] = cut(sum);
    }
    w.meet();
}

static double load_shared_f64(u32 address)
{
    double x;
    memcpy(&x, read_at(address, 8), 8);
    return x;
}

static double2 load_shared_f64x2(u32 address)
{
    double2 x;
    memcpy(&x, read_at(address, 16), 16);
    return x;
}

/* Eight lanes name the lines of a matrix; those of one matrix lie in different banks. */
static void ldmatrix(u32 address, u32 *x, int matrices)
{
    warp &w = own_warp();
    w.address[lane()] = address;
    w.meet();
    for (int m = 0; m < matrices; m++) {
        memcpy(&x[m], memory.at(w.address[8 * m + lane() / 4] + 4 * (lane() % 4), 4), 4);
        int banks = 0;
        for (int i = 0; i < 8; i++)
            banks |= 1 << w.address[8 * m + i] % 128 / 16;
        w.conflicts += lane() == 0 && banks != 0xff;
    }
    w.meet();
}
static void ldmatrix_x4(u32 address, u32 &a, u32 &b, u32 &c, u32 &d)
{
    u32 x[4];
    ldmatrix(address, x, 4);
    a = x[0], b = x[1], c = x[2], d = x[3];
}
static void ldmatrix_x2(u32 address, u32 &a, u32 &b)
{
    u32 x[2];
    ldmatrix(address, x, 2);
    a = x[0], b = x[1];
}
