/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ops.cu - every operation of the CUDA runtime against scalar code on the host.
 *
 * A case is a kernel of one group that loads one or two tiles from ragged matrices, does one thing to them and stores
 * the result, and a function that says in double what should have come out.  ops [SEED] prints a line for each case
 * that is wrong and a count; exits with 0, 1, or 77 where there is no GPU.
 */
#include <cmath>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wsrt.cuh>

using ws::frag;
using ws::lines;
using ws::lines_16;
using ws::lines_2;
using ws::lines_32;
using ws::lines_4;
using ws::lines_8;

static int failures, cases;
static unsigned long long state = 1;

static double uniform()
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal()
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- host numbers ------------------------------------------------------------------------------------------------ */

static double decode(int bits, int exponent_bits, int mantissa_bits, bool finite)
{
    int sign = bits >> (exponent_bits + mantissa_bits), e = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
    int m = bits & ((1 << mantissa_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
    double x;
    if (e == (1 << exponent_bits) - 1 && (!finite || m == (1 << mantissa_bits) - 1))
        x = m ? NAN : INFINITY;
    else
        x = e ? ldexp(1 + ldexp(m, -mantissa_bits), e - bias) : ldexp(m, 1 - bias - mantissa_bits);
    return sign ? -x : x;
}

static double to_double(ws::f16 x)
{
    return decode(x.bits, 5, 10, false);
}
static double to_double(ws::bf16 x)
{
    return decode(x.bits, 8, 7, false);
}
static double to_double(ws::e4m3 x)
{
    return decode(x.bits, 4, 3, true);
}
static double to_double(ws::e5m2 x)
{
    return decode(x.bits, 5, 2, false);
}
static double to_double(float x)
{
    return x;
}
static double to_double(double x)
{
    return x;
}
static double to_double(int x)
{
    return x;
}
static double to_double(signed char x)
{
    return x;
}

/* Random bits of a number near 1 in size.  */
static void draw(ws::f16 &x)
{
    x.bits = (unsigned short)((int)(uniform() * 2) << 15 | (12 + (int)(uniform() * 5)) << 10 | (int)(uniform() * 1024));
}
static void draw(ws::bf16 &x)
{
    x.bits = (unsigned short)((int)(uniform() * 2) << 15 | (124 + (int)(uniform() * 5)) << 7 | (int)(uniform() * 128));
}
static void draw(ws::e4m3 &x)
{
    x.bits = (unsigned char)((int)(uniform() * 2) << 7 | (4 + (int)(uniform() * 5)) << 3 | (int)(uniform() * 8));
}
static void draw(ws::e5m2 &x)
{
    x.bits = (unsigned char)((int)(uniform() * 2) << 7 | (12 + (int)(uniform() * 5)) << 2 | (int)(uniform() * 4));
}
static void draw(float &x)
{
    x = (float)normal();
}
static void draw(double &x)
{
    x = normal();
}
static void draw(int &x)
{
    x = (int)(uniform() * 2001) - 1000;
}
static void draw(signed char &x)
{
    x = (signed char)((int)(uniform() * 256) - 128);
}

template <typename T> struct ulp {
    static constexpr double half = 0;
};
template <> struct ulp<ws::f16> {
    static constexpr double half = 0x1p-11;
};
template <> struct ulp<ws::bf16> {
    static constexpr double half = 0x1p-8;
};
template <> struct ulp<ws::e4m3> {
    static constexpr double half = 0x1p-4;
};
template <> struct ulp<ws::e5m2> {
    static constexpr double half = 0x1p-3;
};
template <> struct ulp<float> {
    static constexpr double half = 0x1p-24;
};
template <> struct ulp<double> {
    static constexpr double half = 0x1p-53;
};

/* ---- one case ---------------------------------------------------------------------------------------------------- */

struct matrix {
    int rows, cols;
    double *v;
    double at(int r, int c) const /* 0 outside, as a load reads */
    {
        return r >= 0 && c >= 0 && r < rows && c < cols ? v[r * cols + c] : 0;
    }
};

template <typename T> static void *device_copy(const T *x, size_t n)
{
    void *p = ws_alloc(n * sizeof *x);
    ws_or_die(ws_copy(p, x, n * sizeof *x));
    return p;
}

template <typename X, typename Y, typename Z> struct params {
    ws::tensor<X, 2> x;
    ws::tensor<Y, 2> y;
    ws::tensor<Z, 2> z;
    ws::map x_map, y_map, z_map;
    ws::grid<1> grid;
};

/* CASE: types x, y, z; extents xr xc yr yc zr zc of the matrices; shared; run(p, s) on the device; want(x, y, r, c) and
   slack(x, y, r, c), the absolute error allowed beyond half a unit of the result.  */
template <typename CASE> static __global__ __launch_bounds__(128, 1) void kernel(WS_PARAMS(typename CASE::all) p)
{
    typename CASE::shared &s = ws::shared<typename CASE::shared>();
    if (ws::first_thread())
        s.ring.init("ring", 1);
    ws::start();
    CASE::run(p, s);
    ws::store_wait<0>();
}

template <typename T> static T *draw_matrix(matrix &m, int rows, int cols)
{
    size_t n = (size_t)rows * cols;
    T *x = (T *)malloc(n * sizeof *x);
    m.rows = rows;
    m.cols = cols;
    m.v = (double *)malloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        draw(x[i]);
        m.v[i] = to_double(x[i]);
    }
    return x;
}

template <typename CASE> static void check(const char *name)
{
    typedef typename CASE::X X;
    typedef typename CASE::Y Y;
    typedef typename CASE::Z Z;
    matrix x, y;
    X *hx = draw_matrix<X>(x, CASE::xr, CASE::xc);
    Y *hy = draw_matrix<Y>(y, CASE::yr, CASE::yc);
    const int width = CASE::zc + CASE::pad;
    size_t n = (size_t)CASE::zr * width;
    Z *hz = (Z *)malloc(n * sizeof *hz);
    memset(hz, CASE::poison, n * sizeof *hz);
    void *dx = device_copy(hx, (size_t)CASE::xr * CASE::xc), *dy = device_copy(hy, (size_t)CASE::yr * CASE::yc),
         *dz = device_copy(hz, n);
    {
        ws::launch call(name);
        typename CASE::all p;
        call.tensor(p.x, "x", dx, {CASE::xr, CASE::xc}, {CASE::xc, 1}, ws::loaded);
        call.tensor(p.y, "y", dy, {CASE::yr, CASE::yc}, {CASE::yc, 1}, ws::loaded);
        call.tensor(p.z, "z", dz, {CASE::zr, CASE::zc}, {width, 1}, ws::stored);
        call.place();
        call.map<typename CASE::X_in>(p.x_map, p.x, CASE::x_box);
        call.map<typename CASE::Y_in>(p.y_map, p.y, CASE::y_box);
        call.map(p.z_map, p.z, 64);
        call.grid(p.grid, {{0, 1, 1}}, ws::order_auto, 0);
        call.run(kernel<CASE>, p, 128, sizeof(typename CASE::shared), ws::one_tile);
    }
    ws_copy(hz, dz, n * sizeof *hz);
    ws_status status = ws_last_error();
    long wrong = 0, first = -1;
    double worst = 0;
    for (long i = 0; i < (long)n; i++) {
        int r = (int)(i / width), c = (int)(i % width);
        if (r >= CASE::keep_r || c >= CASE::keep_c) {
            static const Z untouched = [] {
                Z z;
                memset(&z, 0xff, sizeof z);
                return z;
            }();
            if (memcmp(&hz[i], &untouched, sizeof(Z)) != 0) {
                wrong++;
                first = first < 0 ? i : first;
            }
            continue;
        }
        double want = CASE::want(x, y, r, c), got = to_double(hz[i]);
        double error = want == got || (want != want && got != got) ? 0 : fabs(got - want);
        if (!(error <= ulp<Z>::half * fabs(want) * 1.0001 + CASE::slack(x, y, r, c))) {
            wrong++;
            first = first < 0 ? i : first;
        }
        worst = error > worst ? error : worst;
    }
    cases++;
    if (wrong || status) {
        failures++;
        printf("not ok %s: %ld of %ld wrong", name, wrong, (long)n);
        if (first >= 0)
            printf(", first (%ld,%ld): %g instead of %g, worst %g", first / width, first % width, to_double(hz[first]),
                   CASE::want(x, y, (int)(first / width), (int)(first % width)), worst);
        printf("%s%s\n", status ? " " : "", status ? ws_error_message() : "");
    }
    ws_free(dx);
    ws_free(dy);
    ws_free(dz);
    free(hx);
    free(hy);
    free(hz);
    free(x.v);
    free(y.v);
}

template <int BYTES> struct plain_shared {
    ws::ring<1> ring;
    ws::scratch<BYTES> scratch;
};

template <typename X_, typename Y_, typename Z_, int XR, int XC, int YR, int YC, int ZR, int ZC> struct base {
    typedef X_ X;
    typedef Y_ Y;
    typedef Z_ Z;
    typedef void X_in; /* another type in shared memory */
    typedef void Y_in;
    static constexpr int xr = XR, xc = XC, yr = YR, yc = YC, zr = ZR, zc = ZC, x_box = 64, y_box = 64, poison = 0xff;
    static constexpr int pad = 0;                  /* columns of memory behind each row of z */
    static constexpr int keep_r = ZR, keep_c = ZC; /* what lies beyond is not touched */
    typedef params<X, Y, Z> all;
    typedef plain_shared<32768> shared;
    static double slack(const matrix &, const matrix &, int, int)
    {
        return 0;
    }
};

/* ---- elementwise: x, y of shape R x C or broadcast, matrices a little smaller than the tiles --------------------- */

#define ELEMENTWISE(name, T, U, device, host, tolerance)                           \
    template <int R, int C, int YR, int YC, ws::layout L>                          \
    struct name : base<T, T, U, R + 1, C + 8, YR, YC, R + 1, C + 8> {              \
        static constexpr int keep_r = R, keep_c = C;                               \
        static WS_DEVICE void run(const params<T, T, U> &p, plain_shared<32768> &) \
        {                                                                          \
            auto a = ws::load<R, C, L>(p.x, 0, 0);                                 \
            auto b = ws::load<YR, YC, L>(p.y, 0, 0);                               \
            (void)a;                                                               \
            (void)b;                                                               \
            ws::store(p.z, 0, 0, device);                                          \
        }                                                                          \
        static double want(const matrix &x, const matrix &y, int r, int c)         \
        {                                                                          \
            double a = x.at(r, c), b = y.at(YR == 1 ? 0 : r, YC == 1 ? 0 : c);     \
            (void)a;                                                               \
            (void)b;                                                               \
            return host;                                                           \
        }                                                                          \
        static double slack(const matrix &x, const matrix &y, int r, int c)        \
        {                                                                          \
            double w = fabs(want(x, y, r, c));                                     \
            (void)w;                                                               \
            return tolerance;                                                      \
        }                                                                          \
    };
#define SHAPES(name)                                                     \
    do {                                                                 \
        check<name<64, 64, 64, 64, frag>>(#name " frag 64x64");          \
        check<name<40, 24, 40, 1, frag>>(#name " frag 40x24 column");    \
        check<name<128, 96, 1, 96, frag>>(#name " frag 128x96 row");     \
        check<name<16, 256, 16, 256, lines>>(#name " lines 16x256");     \
        check<name<5, 48, 5, 1, lines>>(#name " lines 5x48 column");     \
        check<name<9, 136, 1, 136, lines>>(#name " lines 9x136 row");    \
        check<name<6, 1000, 1, 1, lines>>(#name " lines 6x1000 number"); \
        check<name<1, 64, 1, 64, frag>>(#name " frag row");              \
        check<name<1, 333, 1, 1, lines>>(#name " lines row");            \
        check<name<20, 32, 20, 1, lines_2>>(#name " lines_2 20x32");     \
        check<name<33, 13, 1, 13, lines_4>>(#name " lines_4 33x13");     \
        check<name<520, 8, 520, 8, lines_8>>(#name " lines_8 520x8");    \
        check<name<7, 6, 7, 1, lines_16>>(#name " lines_16 7x6");        \
        check<name<130, 2, 130, 1, lines_32>>(#name " lines_32 130x2");  \
        check<name<64, 1, 64, 1, frag>>(#name " frag column");           \
    } while (0)
#define TWO(name)                                                      \
    do {                                                               \
        check<name<40, 24, 1, 24, frag>>(#name " frag 40x24 row");     \
        check<name<6, 144, 6, 1, lines>>(#name " lines 6x144 column"); \
    } while (0)

ELEMENTWISE(add, float, float, ws::add(a, b), (float)(a + b), 0)
ELEMENTWISE(sub_half, ws::f16, ws::f16, ws::sub(a, b), a - b, 0x1p-24)
ELEMENTWISE(mul_number, float, float, ws::mul(2.5, ws::mul(a, 3L)), a * 7.5, 0x1p-23 * w)
ELEMENTWISE(division, float, float, ws::div(a, b), a / b, 0)
ELEMENTWISE(division_tiny, float, float, ws::div(ws::mul(a, 1e-32f), b), (float)(a * 1e-32f) / b, 0)
ELEMENTWISE(division_huge, float, float, ws::div(ws::mul(a, 1e32f), ws::mul(b, 1e-9f)),
            (float)(a * 1e32f) / (float)(b * 1e-9f), 0)
ELEMENTWISE(largest, float, float, ws::max(a, ws::min(b, 0.5)), fmax(a, fmin(b, 0.5)), 0)
ELEMENTWISE(fused, float, float, ws::fma(a, b, 1.0), fma(a, b, 1.0), 0)
ELEMENTWISE(chosen, float, float,
            ws::select(ws::mask_and(ws::lt(a, b), ws::mask_not(ws::ge(a, 0.25))), ws::neg(a), ws::abs(b)),
            a < b && !(a >= 0.25) ? -a : fabs(b), 0)
ELEMENTWISE(either, float, float, ws::select(ws::mask_or(ws::eq(a, b), ws::gt(a, 0)), 1, 2.0),
            (float)(a == b || a > 0 ? 1 : 2), 0)
ELEMENTWISE(indices, float, float, ws::select(ws::le(ws::row_index<R, C, L>(3), ws::col_index<R, C, L>()), a, 0),
            r + 3 <= c ? a : 0, 0)
ELEMENTWISE(rounded, float, float, ws::add(ws::rint(ws::mul(a, 4)), ws::floor(a)), rint(a * 4) + floor(a), 0)
/* Every function of maths.def, where it is defined, against the C library's; of |a| where that is from 0 on.  */
namespace libm {
using namespace std;
static double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
} // namespace libm
static double inside(double x, double least, double most)
{
    return fmax(fmin((float)x, (float)most), (float)least);
}
#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most)                                                    \
    ELEMENTWISE(function_##name, float, float, ws::name(ws::max(ws::min((least) < 0 ? a : ws::abs(a), most), least)), \
                libm::name(inside((least) < 0 ? a : fabs(a), least, most)), 7 * 0x1p-23 * w)                          \
    ELEMENTWISE(                                                                                                      \
        steep_##name, float, float,                                                                                   \
        ws::name(ws::max(ws::min(ws::mul((least) < 0 ? a : ws::abs(a), (most) > 1e4 ? 5000 : 20), most), least)),     \
        libm::name(inside(((least) < 0 ? a : fabs(a)) * ((most) > 1e4 ? 5000 : 20), least, most)), 7 * 0x1p-23 * w)
#include "../../runtime/common/maths.def"
/* Those of two, of numbers above 0.  */
#define ABOVE(x) ((double)(float)(fabs(x) + 0.25))
#define MATHS_OF_TWO(NAME, name, f32, f64, gpu_f32, gpu_f64)                                                   \
    ELEMENTWISE(function_##name, float, float, ws::name(ws::add(ws::abs(a), 0.25), ws::add(ws::abs(b), 0.25)), \
                libm::name(ABOVE(a), ABOVE(b)), 5 * 0x1p-23 * w)
#include "../../runtime/common/maths.def"
ELEMENTWISE(wide, double, double, ws::exp(ws::fma(a, b, 0.5)), exp(fma(a, b, 0.5)), 4 * 0x1p-52 * w)
ELEMENTWISE(integers, int, int, ws::sub(ws::mul(a, 3), ws::max(ws::div(a, 7), b)),
            (int)a * 3 - ((int)a / 7 > (int)b ? (int)a / 7 : (int)b), 0)
ELEMENTWISE(bytes, signed char, int, ws::cast<int>(ws::select(ws::lt(a, b), b, a)), a < b ? b : a, 0)
ELEMENTWISE(to_f16, float, ws::f16, ws::cast<ws::f16>(ws::mul(a, 100)), (float)(a * 100), 0)
ELEMENTWISE(to_bf16, float, ws::bf16, ws::cast<ws::bf16>(a), a, 0)
ELEMENTWISE(to_e4m3, float, ws::e4m3, ws::cast<ws::e4m3>(ws::mul(a, 300)), fmax(-448, fmin(448, a * 300)), 0x1p-10)
ELEMENTWISE(to_e5m2, float, ws::e5m2, ws::cast<ws::e5m2>(a), a, 0x1p-17)
ELEMENTWISE(to_int, float, int, ws::cast<int>(ws::mul(a, 1e9)),
            fmax(-2147483648.0, fmin(2147483647.0, trunc((double)(float)(a * 1e9)))), 0)
ELEMENTWISE(to_byte, float, signed char, ws::cast<signed char>(ws::mul(a, 100)),
            fmax(-128, fmin(127, trunc((double)(float)(a * 100)))), 0)
ELEMENTWISE(to_double_and_back, float, float, ws::cast<float>(ws::mul(ws::cast<double>(a), 3.0)), a * 3, 0)
ELEMENTWISE(int_to_f16, int, ws::f16, ws::cast<ws::f16>(ws::mul(a, 7)), a * 7, 0)
ELEMENTWISE(double_to_f16, double, ws::f16, ws::cast<ws::f16>(a), a, 0x1p-25)
ELEMENTWISE(wrapped_byte, int, signed char, ws::cast<signed char>(ws::mul(a, 3)), (signed char)((int)a * 3), 0)
ELEMENTWISE(from_bf16, ws::bf16, float, ws::cast<float>(a), a, 0)
ELEMENTWISE(from_e4m3, ws::e4m3, float, ws::cast<float>(ws::add(a, b)), a + b, 0x1p-4 * w + 0x1p-10)
ELEMENTWISE(from_e5m2, ws::e5m2, float, ws::cast<float>(a), a, 0)
ELEMENTWISE(nan_yields, float, float, ws::max(ws::sqrt(ws::mul(ws::abs(a), -1)), b), b, 0)

static void check_elementwise()
{
    SHAPES(add);
    SHAPES(sub_half);
    TWO(mul_number);
    TWO(division);
    TWO(division_tiny);
    TWO(division_huge);
    TWO(largest);
    TWO(fused);
    SHAPES(chosen);
    TWO(either);
    SHAPES(indices);
    TWO(rounded);
#define MATHS(NAME, name, ...) \
    TWO(function_##name);      \
    TWO(steep_##name);
#define MATHS_OF_TWO(NAME, name, ...) TWO(function_##name);
#include "../../runtime/common/maths.def"
    TWO(wide);
    TWO(integers);
    TWO(bytes);
    TWO(to_f16);
    TWO(to_bf16);
    TWO(to_e4m3);
    TWO(to_e5m2);
    TWO(to_int);
    TWO(to_byte);
    TWO(to_double_and_back);
    TWO(int_to_f16);
    TWO(double_to_f16);
    TWO(wrapped_byte);
    TWO(from_bf16);
    TWO(from_e4m3);
    TWO(from_e5m2);
    TWO(nan_yields);
}

/* ---- reductions, running sums, transposition --------------------------------------------------------------------- */

/* Rows of negative numbers alone, and rows in which a NaN stands for what is above 1.  */
template <int R, int C, ws::layout L>
static WS_DEVICE ws::tile<float, R, C, L> odd_rows(const ws::tile<float, R, C, L> &x)
{
    auto none = ws::mask_and(ws::gt(x, 1), ws::gt(ws::col_index<1, C, L>(), 0));
    auto negative = ws::lt(ws::row_index<R, 1, L>(), R / 2);
    return ws::select(negative, ws::neg(ws::abs(x)), ws::select(none, __int_as_float(0x7fc00000), x));
}

#define COMBINE(name, T, U, ZR, ZC, device, host, tolerance)                              \
    template <int R, int C, ws::layout L>                                                 \
    struct name : base<T, T, U, (R > 2 ? R - 1 : R), (C > 2 ? C - 2 : C), 1, 1, ZR, ZC> { \
        static WS_DEVICE void run(const params<T, T, U> &p, plain_shared<32768> &s)       \
        {                                                                                 \
            auto a = ws::load<R, C, L>(p.x, 0, 0);                                        \
            (void)s;                                                                      \
            ws::store(p.z, 0, 0, device);                                                 \
        }                                                                                 \
        static double want(const matrix &x, const matrix &, int r, int c)                 \
        {                                                                                 \
            double w = 0;                                                                 \
            (void)r;                                                                      \
            (void)c;                                                                      \
            host;                                                                         \
            return w;                                                                     \
        }                                                                                 \
        static double slack(const matrix &x, const matrix &, int r, int c)                \
        {                                                                                 \
            double w = 0;                                                                 \
            (void)r;                                                                      \
            (void)c;                                                                      \
            for (int i = 0; i < R; i++)                                                   \
                for (int j = 0; j < C; j++)                                               \
                    if (i == r || j == c)                                                 \
                        w += fabs(x.at(i, j));                                            \
            return tolerance;                                                             \
        }                                                                                 \
    };
#define OVER_COLS for (int j = 0; j < C; j++)
#define OVER_ROWS for (int i = 0; i < R; i++)
COMBINE(row_sums, float, float, R, 1, ws::row_sum(a), OVER_COLS w += x.at(r, j), 1e-6 * w)
COMBINE(row_largest, float, float, R, 1, ws::row_max(a), w = -INFINITY; OVER_COLS w = fmax(w, x.at(r, j)), 0)
COMBINE(row_largest_odd, float, float, R, 1, ws::row_max(odd_rows(a)), w = -INFINITY;
        OVER_COLS w = fmax(w, r<R / 2 ? -fabs(x.at(r, j)) : x.at(r, j)> 1 && j ? -INFINITY : x.at(r, j)), 0)
COMBINE(row_smallest, int, int, R, 1, ws::row_min(a), w = INFINITY; OVER_COLS w = fmin(w, x.at(r, j)), 0)
COMBINE(row_first, ws::f16, int, R, 1, ws::row_argmax(a), int best = 0;
        OVER_COLS if (x.at(r, j) > x.at(r, best)) best = j; w = best, 0)
COMBINE(row_sums_half, ws::f16, ws::f16, R, 1, ws::row_sum(a), OVER_COLS w += x.at(r, j), 1e-6 * w)
    COMBINE(col_sums, float, float, 1, C, ws::col_sum(a, s.scratch), OVER_ROWS w += x.at(i, c), 1e-6 * w)
        COMBINE(col_largest, ws::bf16, ws::bf16, 1, C, ws::col_max(a, s.scratch), w = -INFINITY;
                OVER_ROWS w = fmax(w, x.at(i, c)), 0)
            COMBINE(col_smallest, int, int, 1, C, ws::col_min(a, s.scratch), w = INFINITY;
                    OVER_ROWS w = fmin(w, x.at(i, c)), 0)
                COMBINE(col_sums_wide, double, double, 1, C, ws::col_sum(a, s.scratch), OVER_ROWS w += x.at(i, c),
                        1e-14 * w) COMBINE(row_running, float, float, R, C, ws::row_cumsum(a, s.scratch),
                                           for (int j = 0; j <= c; j++) w += x.at(r, j),
                                           1e-6 * w) COMBINE(col_running, int, int, R, C, ws::col_cumsum(a, s.scratch),
                                                             for (int i = 0; i <= r; i++) w += x.at(i, c), 0)
                    COMBINE(row_running_half, ws::f16, ws::f16, R, C, ws::row_cumsum(a, s.scratch),
                            for (int j = 0; j <= c; j++) w += x.at(r, j), 1e-6 * w)
                        COMBINE(transposed, float, float, C, R, ws::trans(a, s.scratch), w = x.at(c, r), 0)
                            COMBINE(transposed_half, ws::f16, ws::f16, C, R, ws::trans(a, s.scratch), w = x.at(c, r), 0)
                                COMBINE(transposed_mask, signed char, int, C, R,
                                        ws::select(ws::trans(ws::gt(a, 5), s.scratch), ws::col_index<C, R, L>(), -1),
                                        w = x.at(c, r) > 5 ? c : -1, 0)
#define COMBINED(name)                                          \
    do {                                                        \
        check<name<40, 24, frag>>(#name " frag 40x24");         \
        check<name<128, 56, frag>>(#name " frag 128x56");       \
        check<name<16, 256, lines>>(#name " lines 16x256");     \
        check<name<7, 50, lines>>(#name " lines 7x50");         \
        check<name<64, 1, frag>>(#name " frag column");         \
        check<name<1, 130, lines>>(#name " lines row");         \
        check<name<20, 32, lines_2>>(#name " lines_2");         \
        check<name<33, 13, lines_4>>(#name " lines_4");         \
        check<name<100, 8, lines_8>>(#name " lines_8");         \
        check<name<7, 6, lines_16>>(#name " lines_16");         \
        check<name<130, 2, lines_32>>(#name " lines_32");       \
        check<name<77, 1, lines_32>>(#name " lines_32 column"); \
    } while (0)

                                    static void check_combined()
{
    COMBINED(row_sums);
    COMBINED(row_sums_half);
    COMBINED(row_largest);
    COMBINED(row_largest_odd);
    COMBINED(row_smallest);
    COMBINED(row_first);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define MEMORY(name, T, XR, XC, YR, YC, ZR, ZC, device, host)                       \
    struct name : base<T, T, T, XR, XC, YR, YC, ZR, ZC> {                           \
        static WS_DEVICE void run(const params<T, T, T> &p, plain_shared<32768> &s) \
        {                                                                           \
            (void)s;                                                                \
            device;                                                                 \
        }                                                                           \
        static double want(const matrix &x, const matrix &y, int r, int c)          \
        {                                                                           \
            (void)x;                                                                \
            (void)y;                                                                \
            return host;                                                            \
        }                                                                           \
    };

#define INSIDE(r, c) ((r) >= 0 && (r) < x.rows && (c) >= 0 && (c) < x.cols)
MEMORY(load_fill, float, 50, 60, 1, 1, 64, 64, (ws::store(p.z, 0, 0, ws::load_or<64, 64, frag>(-2.5, p.x, -3, 7))),
       INSIDE(r - 3, c + 7) ? x.at(r - 3, c + 7) : -2.5)
MEMORY(load_fill_lines, ws::f16, 50, 61, 1, 1, 20, 256,
       (ws::store(p.z, 0, 0, ws::load_or<20, 256, lines>(-2.5, p.x, 40, -100L))),
       INSIDE(r + 40, c - 100) ? x.at(r + 40, c - 100) : -2.5)
MEMORY(load_far, float, 50, 60, 1, 1, 16, 64,
       (ws::store(p.z, 0, 0, ws::load<16, 64, frag>(p.x, 1L << 40, -(1L << 50)))), 0)
MEMORY(load_rows, float, 5, 60, 1, 1, 40, 64,
       (ws::store(p.z, 0, 0,
                  ws::add(ws::add(ws::load_row<64, frag>(p.x, 2, 3), ws::load_col<40, frag>(p.x, 3, 30)),
                          ws::full<float, 40, 64, frag>(0)))),
       (float)(x.at(2, c + 3) + x.at(3, r + 30)))
    MEMORY(load_rows_fill, float, 5, 60, 1, 1, 10, 300,
           (ws::store(p.z, 0, 0,
                      ws::add(ws::add(ws::load_row_or<300, lines>(1.5, p.x, 2, 3),
                                      ws::load_col_or<10, lines>(2, p.x, 3, 55)),
                              ws::full<float, 10, 300, lines>(0)))),
           (float)((c + 3 < 60 ? x.at(2, c + 3) : 1.5) + (r + 55 < 60 ? x.at(3, r + 55) : 2)))
        MEMORY(sliced, float, 50, 60, 1, 1, 64, 64,
               (ws::store(p.z, 0, 0, ws::load<64, 64, frag>(ws::slice<1>(ws::slice<0>(p.x, 10, 30), 5, 900), -4, 8))),
               r - 4 >= 0 && r - 4 < 20 && c + 13 >= 5 ? x.at(r + 6, c + 13) : 0)
            MEMORY(sliced_twice, float, 50, 60, 1, 1, 64, 64,
                   (ws::store(p.z, 0, 0, ws::load<64, 64, frag>(ws::slice<0>(ws::slice<0>(p.x, 10, 30), 5, 12), 1, 0))),
                   r + 1 < 7 ? x.at(r + 16, c) : 0) MEMORY(store_clipped, float, 64, 64, 1, 1, 40, 30,
                                                           (ws::store(p.z, -5, -6, ws::load<64, 64, frag>(p.x, 0, 0))),
                                                           x.at(r + 5, c + 6))
                MEMORY(store_vectors, float, 64, 64, 1, 1, 64, 3,
                       (ws::store(p.z, 0, 2, ws::full<float, 64, 1, frag>(7)), ws::group_barrier(),
                        ws::store(p.z, 0, 0, ws::load<64, 2, lines>(p.x, 0, 0)), ws::group_barrier(),
                        ws::store_row(p.z, 5, 0, ws::load_row<3, lines>(p.x, 9, 9))),
                       r == 5   ? x.at(9, 9 + c)
                       : c == 2 ? 7
                                : x.at(r, c)) MEMORY(store_column, ws::f16, 64, 64, 1, 1, 3, 64,
                                                     (ws::store(p.z, 0, 0, ws::load<3, 64, lines>(p.x, 0, 0)),
                                                      ws::group_barrier(),
                                                      ws::store_col(p.z, 1, 4, ws::load_col<60, frag>(p.x, 8, 1))),
                                                     r == 1 && c >= 4 ? x.at(8, c - 3) : x.at(r, c))
                    MEMORY(scalars, float, 5, 60, 1, 1, 8, 8,
                           (ws::store(p.z, 0, 0,
                                      ws::mul(ws::full<float, 8, 8, lines>(1),
                                              ws::at_float(ws::tensor<float, 1>{p.x.base, {1}, {0}, {0}, {60}}, 7)))),
                           x.at(0, 7))
                        MEMORY(added, float, 64, 64, 1, 1, 32, 48,
                               (ws::store(p.z, 0, 0, ws::full<float, 32, 48, frag>(1)), ws::group_barrier(),
                                ws::atomic_add(p.z, 2, 3, ws::load<64, 64, frag>(p.x, 0, 0)),
                                ws::atomic_add(p.z, 0, 0, ws::full<float, 1, 48, lines>(4))),
                               (float)((float)(1 + (r >= 2 && c >= 3 ? x.at(r - 2, c - 3) : 0)) + (r == 0 ? 4 : 0)))

                            static void check_memory()
{
    check<load_fill>("load_or frag");
    check<load_fill_lines>("load_or lines");
    check<load_far>("load far outside");
    check<load_rows>("load_row load_col");
    check<load_rows_fill>("load_row_or load_col_or");
    check<sliced>("slice");
    check<sliced_twice>("slice of a slice");
    check<store_clipped>("store clipped");
    check<store_vectors>("store columns and rows");
    check<store_column>("store_col");
    check<scalars>("at_float");
    check<added>("atomic_add");
}

/* ---- shared memory: copy_in, read, stage, store through staging -------------------------------------------------- */

template <typename T, int R, int C> struct ring_shared {
    ws::shared_tile<T, R, C> t[1];
    ws::shared_tile<T, C, R> u;
    ws::output<T, 64, 2> out;
    ws::ring<1> ring;
};

/* Three rounds through a ring of one slot, each at another place of x, one below the other in z.  */
#define THROUGH(name, XR, XC, ZR, ZC, device, host)                                                             \
    template <typename T, int R, int C, ws::layout L> struct name : base<T, T, T, XR, XC, 1, 1, 3 * (ZR), ZC> { \
        typedef ring_shared<T, R, C> shared;                                                                    \
        static constexpr int x_box = R;                                                                         \
        static WS_DEVICE void run(const params<T, T, T> &p, shared &s)                                          \
        {                                                                                                       \
            ws::producer<1> put(s.ring);                                                                        \
            ws::consumer<1> get(s.ring);                                                                        \
            ws::warp_output engine(s.out);                                                                      \
            for (int round = 0; round < 3; round++) {                                                           \
                const int slot = put.put();                                                                     \
                const int row = round - 1, col = round == 2 ? 6 : round * 16;                                   \
                auto out = ws::slice<0>(p.z, round * (ZR), (round + 1) * (ZR));                                 \
                device;                                                                                         \
                get.consumed<0>();                                                                              \
            }                                                                                                   \
        }                                                                                                       \
        static double want(const matrix &x, const matrix &, int r, int c)                                       \
        {                                                                                                       \
            int round = r / (ZR), row = round - 1, col = round == 2 ? 6 : round * 16;                           \
            r %= (ZR);                                                                                          \
            return host;                                                                                        \
        }                                                                                                       \
    };
#define COPIED (ws::copy_in(put, s.t[slot], p.x, p.x_map, row, col), put.put_done(), get.get())
THROUGH(copied, R - 1, C, R, C, (COPIED, ws::store(out, 0, 0, ws::read<L>(ws::view(s.t[0])))), x.at(r + row, c + col))
THROUGH(copied_slowly, R - 1, C + 1, R, C, (COPIED, ws::store(out, 0, 0, ws::read<L>(ws::view(s.t[0])))),
        x.at(r + row, c + col))
THROUGH(copied_or, R + 3, C + 16, R, C,
        (ws::copy_in_or(-3, put, s.t[slot], p.x, p.x_map, row, col), put.put_done(), get.get(),
         ws::store(out, 0, 0, ws::read<L>(ws::view(s.t[0])))),
        r + row >= 0 && c + col < C + 16 ? x.at(r + row, c + col) : -3)
THROUGH(copied_slice, R + 3, C, R, C,
        (ws::copy_in(put, s.t[slot], ws::slice<0>(p.x, 1, R - 2), p.x_map, row, col), put.put_done(), get.get(),
         ws::store(out, 0, 0, ws::read<L>(ws::view(s.t[0])))),
        r + row >= 0 && r + row < R - 3 ? x.at(r + row + 1, c + col) : 0)
THROUGH(read_window, R, C, R - 8, C / 2,
        (COPIED, ws::store(out, 0, 0, ws::read<L>(ws::window<R - 8, C / 2>(s.t[0], 8, C / 2)))),
        x.at(r + 8 + row, c + C / 2 + col))
THROUGH(read_transposed, R - 1, C, C, R, (COPIED, ws::store(out, 0, 0, ws::read<L>(ws::trans(ws::view(s.t[0]))))),
        x.at(c + row, r + col))
THROUGH(staged_view, R - 1, C, C, R,
        (COPIED, ws::stage(s.u, ws::trans(ws::view(s.t[0]))), ws::group_barrier(),
         ws::store(out, 0, 0, ws::read<L>(ws::view(s.u)))),
        x.at(c + row, r + col))
THROUGH(staged_tile, R - 1, C, C, R,
        (COPIED, ws::stage(s.u, ws::read<L>(ws::trans(ws::view(s.t[0])))), ws::group_barrier(),
         ws::store(out, 0, 0, ws::read<L>(ws::view(s.u)))),
        x.at(c + row, r + col))
THROUGH(stored, R - 1, C, R, C, (COPIED, ws::store(engine, out, p.z_map, 0, 0, ws::read<frag>(ws::view(s.t[0])))),
        x.at(r + row, c + col))
THROUGH(stored_slowly, R - 1, C, R, C - 1,
        (COPIED, ws::store(engine, out, p.z_map, 0, 0, ws::read<frag>(ws::view(s.t[0])))), x.at(r + row, c + col))
THROUGH(stored_short, R - 1, C, R, C - 3,
        (COPIED, ws::store(engine, out, p.z_map, 0, 0, ws::read<frag>(ws::view(s.t[0])))), x.at(r + row, c + col))
template <typename T, int R, int C, ws::layout L> struct stored_padded : stored_short<T, R, C, L> {
    static constexpr int pad = 3; /* an aligned row that ends within 16 bytes */
};
THROUGH(stored_ragged, R - 1, C, R - 3, C - 16 / (int)sizeof(T),
        (COPIED, ws::store(engine, out, p.z_map, 0, 0, ws::read<frag>(ws::view(s.t[0])))), x.at(r + row, c + col))

THROUGH(loaded, R - 1, C, R, C,
        (COPIED, ws::store(engine, out, p.z_map, 0, 0, ws::load<R, C, L>(engine, p.x, row, col))),
        x.at(r + row, c + col))
THROUGH(loaded_or, R + 3, C + 16, R, C,
        (COPIED, ws::store(engine, out, p.z_map, 0, 0, ws::load_or<R, C, L>(-3, engine, p.x, row, col))),
        r + row >= 0 && c + col < C + 16 ? x.at(r + row, c + col) : -3)

/* Boxes of whole lines and of half a line.  */
#define BOXES_ALL(name)                                                \
    do {                                                               \
        check<name<ws::f16, 128, 64, frag>>(#name " f16 frag 128x64"); \
        check<name<ws::f16, 64, 32, frag>>(#name " f16 frag 64x32");   \
        check<name<ws::e4m3, 64, 64, frag>>(#name " e4m3 frag 64x64"); \
        check<name<float, 64, 96, frag>>(#name " f32 frag 64x96");     \
    } while (0)

#define THROUGH_ALL(name)                                                \
    do {                                                                 \
        check<name<ws::f16, 64, 64, frag>>(#name " f16 frag 64x64");     \
        check<name<ws::f16, 16, 256, lines>>(#name " f16 lines 16x256"); \
        check<name<float, 24, 128, lines>>(#name " f32 lines 24x128");   \
        check<name<ws::e4m3, 64, 128, frag>>(#name " e4m3 frag 64x128"); \
        check<name<int, 40, 48, frag>>(#name " i32 frag 40x48");         \
    } while (0)

static void check_through()
{
    THROUGH_ALL(copied);
    THROUGH_ALL(copied_slowly);
    THROUGH_ALL(copied_or);
    THROUGH_ALL(copied_slice);
    THROUGH_ALL(read_window);
    THROUGH_ALL(read_transposed);
    THROUGH_ALL(staged_view);
    THROUGH_ALL(staged_tile);
    THROUGH_ALL(stored);
    THROUGH_ALL(stored_slowly);
    THROUGH_ALL(stored_padded);
    THROUGH_ALL(stored_ragged);
    BOXES_ALL(stored);
    BOXES_ALL(stored_ragged);
    BOXES_ALL(loaded);
    BOXES_ALL(loaded_or);
    check<copied<float, 320, 32, lines>>("copied in two boxes");
    check<copied<double, 16, 32, lines>>("copied f64");
}

/* ---- matrix products --------------------------------------------------------------------------------------------- */

enum how { matrix_unit, from_registers, exact };

/* The tensor cores want f32 rounded.  */
template <typename T, how HOW> struct operand {
    typedef T type;
};
template <> struct operand<float, matrix_unit> {
    typedef ws::tf32 type;
};

template <typename TA, typename TB, int M, int N, int K, bool A_T, bool B_T, how HOW> struct product_shared {
    ws::shared_tile<typename operand<TA, HOW>::type, A_T ? K : M, A_T ? M : K> a;
    ws::shared_tile<typename operand<TB, HOW>::type, B_T ? N : K, B_T ? K : N> b;
    ws::ring<1> ring;
};

template <bool YES, typename V> static WS_DEVICE auto transposed_if(V v)
{
    if constexpr (YES)
        return ws::trans(v);
    else
        return v;
}

/* Two steps along K, so that the second meets what the first left in the accumulator; the second is ragged.  */
template <typename TA, typename TB, typename TC, int M, int N, int K, bool A_T, bool B_T, how HOW>
struct product : base<TA, TB, TC, (A_T ? 2 * K - 16 / (int)sizeof(TA) : M - 1),
                      (A_T ? M : 2 * K - 16 / (int)sizeof(TA)), (B_T ? N - 1 : 2 * K), (B_T ? 2 * K : N), M, N> {
    typedef product_shared<TA, TB, M, N, K, A_T, B_T, HOW> shared;
    typedef typename operand<TA, HOW>::type X_in;
    typedef typename operand<TB, HOW>::type Y_in;
    static constexpr int x_box = A_T ? K : M, y_box = B_T ? N : K;
    static WS_DEVICE void run(const params<TA, TB, TC> &p, shared &s)
    {
        ws::producer<1> put(s.ring);
        ws::consumer<1> get(s.ring);
        auto acc = ws::full<TC, M, N, frag>(1);
        for (int k = 0; k < 2 * K; k += K) {
            put.put();
            ws::copy_in(put, s.a, p.x, p.x_map, A_T ? k : 0, A_T ? 0 : k);
            ws::copy_in(put, s.b, p.y, p.y_map, B_T ? 0 : k, B_T ? k : 0);
            put.put_done();
            get.get();
            auto a = transposed_if<A_T>(ws::view(s.a));
            auto b = transposed_if<B_T>(ws::view(s.b));
            if constexpr (HOW == exact) {
                if constexpr (sizeof(TC) == 8)
                    ws::dot(acc, a, b);
                else
                    ws::dot_f32(acc, a, b);
            } else {
                if constexpr (HOW == from_registers)
                    ws::mma(acc, ws::read<frag>(a), b);
                else
                    ws::mma(acc, a, b);
                ws::commit();
                ws::wait<0>(acc);
            }
            get.consumed<0>();
        }
        ws::store(p.z, 0, 0, acc);
    }
    static double element(const matrix &x, const matrix &y, int r, int c, int k)
    {
        double a = A_T ? x.at(k, r) : x.at(r, k), b = B_T ? y.at(c, k) : y.at(k, c);
        if (sizeof(TA) == 4 && HOW == matrix_unit) {
            a = rint(ldexp(a, 10 - ilogb(a ? a : 1))) * ldexp(1, ilogb(a ? a : 1) - 10);
            b = rint(ldexp(b, 10 - ilogb(b ? b : 1))) * ldexp(1, ilogb(b ? b : 1) - 10);
        }
        return a * b;
    }
    static double want(const matrix &x, const matrix &y, int r, int c)
    {
        double sum = 1;
        for (int k = 0; k < 2 * K; k++)
            sum += element(x, y, r, c, k);
        return sum;
    }
    static double slack(const matrix &x, const matrix &y, int r, int c)
    {
        double sum = 1;
        for (int k = 0; k < 2 * K; k++)
            sum += fabs(element(x, y, r, c, k));
        /* The unit's sums of 8-bit products have about 13 bits.  */
        const double unit = sizeof(TC) == 8 ? 0x1p-51 : 0x1p-23;
        return sizeof(TC) == 4 && ulp<TC>::half == 0 ? 0 : sum * (sizeof(TA) == 1 ? 0x1p-11 : sqrt(2.0 * K) * unit);
    }
};

template <typename T> static void check_products(const char *name)
{
    char text[64];
#define PRODUCT(M, N, K, A_T, B_T, HOW)                                                           \
    snprintf(text, sizeof text, "product %s " #M "x" #N "x" #K " " #A_T " " #B_T " " #HOW, name); \
    check<product<T, T, float, M, N, K, A_T, B_T, HOW>>(text);
    PRODUCT(64, 128, 64, false, true, matrix_unit)
    PRODUCT(128, 192, 64, false, true, matrix_unit)
    PRODUCT(128, 96, 128, false, false, matrix_unit)
    PRODUCT(64, 8, 16, false, true, matrix_unit)
    PRODUCT(64, 176, 48, true, true, matrix_unit)
    PRODUCT(128, 128, 64, true, false, matrix_unit)
    PRODUCT(64, 256, 32, false, false, matrix_unit)
    PRODUCT(64, 64, 64, false, false, from_registers)
    PRODUCT(128, 80, 128, false, true, from_registers)
}

static void check_matrices()
{
    check_products<ws::f16>("f16");
    check_products<ws::bf16>("bf16");
    check<product<float, float, float, 64, 64, 32, false, true, matrix_unit>>("product tf32 64x64x32");
    check<product<float, float, float, 128, 128, 64, false, true, matrix_unit>>("product tf32 128x128x64");
    check<product<signed char, signed char, int, 64, 128, 128, false, true, matrix_unit>>("product i8 64x128x128");
    check<product<signed char, signed char, int, 128, 40, 64, false, true, matrix_unit>>("product i8 128x40x64");
    check<product<ws::e4m3, ws::e4m3, float, 64, 128, 128, false, true, matrix_unit>>("product e4m3 e4m3");
    check<product<ws::e4m3, ws::e5m2, float, 64, 96, 32, false, true, matrix_unit>>("product e4m3 e5m2");
    check<product<ws::e5m2, ws::e4m3, float, 128, 64, 256, false, true, matrix_unit>>("product e5m2 e4m3");
    check<product<ws::e5m2, ws::e5m2, float, 64, 256, 64, false, true, matrix_unit>>("product e5m2 e5m2");
#define EXACT(T, M, N, K, A_T, B_T) \
    check<product<T, T, T, M, N, K, A_T, B_T, exact>>("product exact " #T " " #M "x" #N "x" #K " " #A_T " " #B_T);
#define EXACT_ALL(T, M, N, K)       \
    EXACT(T, M, N, K, false, false) \
    EXACT(T, M, N, K, false, true)  \
    EXACT(T, M, N, K, true, false)  \
    EXACT(T, M, N, K, true, true)
    EXACT_ALL(float, 64, 40, 24)
    EXACT_ALL(float, 128, 64, 32)
    EXACT_ALL(float, 32, 24, 8)
    EXACT_ALL(double, 64, 40, 16)
    EXACT_ALL(double, 128, 64, 32)
    EXACT_ALL(double, 64, 16, 12)
}

int main(int argc, char **argv)
{
    if (argc > 1)
        state = strtoull(argv[1], NULL, 0);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("no GPU\n");
        return 77;
    }
    check_elementwise();
    check_combined();
    check_memory();
    check_through();
    check_matrices();
    printf("%d of %d cases failed\n", failures, cases);
    return failures != 0;
}
