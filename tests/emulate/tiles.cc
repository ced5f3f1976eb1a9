/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tiles.cc - the list of operations.h by the emulation's register tiles, bit for bit as the sequential library has it.
 *
 * Inputs are random numbers of each type's own range with its special values among them.
 */
#include <wsrt.cuh>

#include "operations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

template <ws_dtype> struct stored_as;
#define STORED(name, c_type)                  \
    template <> struct stored_as<WS_##name> { \
        typedef c_type type;                  \
    };
STORED(F32, float)
STORED(F64, double)
STORED(F16, ws_f16)
STORED(BF16, ws_bf16)
STORED(E4M3, ws_e4m3)
STORED(E5M2, ws_e5m2)
STORED(I8, signed char)
STORED(I32, int)
#define T(name) typename stored_as<WS_##name>::type

template <typename E> using matrix = ws::tile<E, ROWS, COLS, ws::lines>;

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static uint64_t random_state = 1;

static uint64_t random_bits()
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return random_state >> 20;
}

/* Any bits now and then, so that NaN, infinities and subnormals of every type come up.  */
template <typename E> static E random_element()
{
    const uint64_t kind = random_bits() % 16;
    E x;
    if (kind == 0) {
        const uint64_t bits = random_bits() << 20 ^ random_bits();
        memcpy((void *)&x, &bits, sizeof x);
        return x;
    }
    const double value = ((double)(random_bits() % 2000001) - 1000000) / (kind < 8 ? 100000.0 : 2000.0);
    return ws::element_of<E>(kind == 1 ? 0.0 : kind == 2 ? -0.0 : value);
}

template <typename E> struct filled {
    E x[ROWS * COLS], y[COLS * COLS], z[ROWS * COLS];
    filled()
    {
        for (int i = 0; i < COLS * COLS; i++)
            y[i] = random_element<E>();
        for (int i = 0; i < ROWS * COLS; i++) {
            x[i] = random_element<E>();
            z[i] = random_element<E>();
        }
    }
    inputs in(double number) const
    {
        return {x, y, z, number};
    }
};

template <typename E> static matrix<E> whole(const E *from)
{
    matrix<E> x;
    memcpy((void *)x.at, from, sizeof x.at);
    return x;
}

/* NaN is NaN: which one it is depends on the order of operands in the machine.  */
template <typename E> static bool same(E x, E y)
{
    return !memcmp(&x, &y, sizeof x) ||
           (ws::number<E>::widen(x) != ws::number<E>::widen(x) && ws::number<E>::widen(y) != ws::number<E>::widen(y));
}

template <typename E, int R, int C, ws::layout L>
static void compare(const char *name, const ws::tile<E, R, C, L> &got, const void *expected)
{
    for (int i = 0; i < R * C; i++)
        if (!same(got.at[i], ((const E *)expected)[i]))
            fail_msg("%s of %s: element %d is %.9g, not %.9g", name, ws::number<E>::name, i,
                     (double)ws::number<E>::widen(got.at[i]), (double)ws::number<E>::widen(((const E *)expected)[i]));
    assert_int_equal(ws_last_error(), WS_OK);
}

/* ---- the operations ---------------------------------------------------------------------------------------------- */

static char expected[MOST_BYTES];
static ws::scratch<16> exchange;

static ws::tile<int, ROWS, COLS, ws::lines> as_numbers(const ws::tile<bool, ROWS, COLS, ws::lines> &mask)
{
    return ws::select(mask, ws::full<int, ROWS, COLS, ws::lines>(1), ws::full<int, ROWS, COLS, ws::lines>(0));
}

#define CASE(name, type, expression)                                    \
    {                                                                   \
        typedef T(type) E;                                              \
        const filled<E> f;                                              \
        const inputs in = f.in(2.7);                                    \
        const auto x = whole(f.x), y = whole((E *)f.y), z = whole(f.z); \
        (void)x, (void)y, (void)z;                                      \
        sequential_##name##_##type(&in, expected);                      \
        compare(#name, expression, expected);                           \
    }
#define ONE(name, type)       CASE(name, type, ws::name(x))
#define TWO(name, type)       CASE(name, type, ws::name(x, y))
#define THREE(name, type)     CASE(name, type, ws::name(x, y, z))
#define COMPARE(name, type)   CASE(name, type, as_numbers(ws::name(x, y)))
#define COLUMN(name, type)    CASE(name, type, ws::name(x, exchange))
#define NUMBER(name, type)    CASE(name, type, with_number(x, in.number))
#define FULL(name, type)      CASE(name, type, (ws::full<E, ROWS, COLS, ws::lines>(in.number)))
#define BROADCAST(name, type) CASE(name, type, with_broadcast(x, y, z))

template <typename E> static matrix<E> with_number(const matrix<E> &x, double number)
{
    const matrix<E> y = ws::sub(number, ws::add(x, number));
    return ws::select(ws::gt(y, 3), number, ws::max(y, x));
}

template <typename E> static matrix<E> with_broadcast(const matrix<E> &x, const matrix<E> &y, const matrix<E> &z)
{
    ws::tile<E, 1, COLS, ws::lines> row;
    ws::tile<E, ROWS, 1, ws::lines> col;
    for (int c = 0; c < COLS; c++)
        row.at[c] = y.at[c];
    for (int r = 0; r < ROWS; r++)
        col.at[r] = z.at[r * COLS];
    return ws::mul(ws::add(x, row), ws::sub(col, row));
}

static void elementwise(void **)
{
#define MATHS(NAME, name, ...)        MATHS_TYPES(ONE, name)
#define MATHS_OF_TWO(NAME, name, ...) MATHS_TYPES(TWO, name)
#include "../../runtime/common/maths.def"
    SIGNS(ONE)
    BINARIES(TWO)
    COMPARISONS(COMPARE)
    ARITHMETIC_TYPES(THREE, fma)
    ARITHMETIC_TYPES(NUMBER, number)
    ARITHMETIC_TYPES(BROADCAST, broadcast)
    MATHS_TYPES(FULL, full)
    FULL(full, I32)
}

static void reductions(void **)
{
    ROW_REDUCTIONS(ONE)
    COLUMN_REDUCTIONS(COLUMN)
}

template <ws_dtype FROM, ws_dtype TO> static void check_cast()
{
    typedef typename stored_as<FROM>::type E;
    const filled<E> f;
    const inputs in = f.in(0);
    sequential_cast(FROM, TO, &in, expected);
    compare("cast", ws::cast<typename stored_as<TO>::type>(whole(f.x)), expected);
}

template <ws_dtype FROM> static void check_casts()
{
#define CAST(type) check_cast<FROM, WS_##type>();
    ALL_TYPES(CAST)
#undef CAST
}

static void casts(void **)
{
#define CASTS(type) check_casts<WS_##type>();
    ALL_TYPES(CASTS)
#undef CASTS
}

template <ws_dtype TYPE> static void check_select()
{
    typedef typename stored_as<TYPE>::type E;
    const filled<E> f;
    const inputs in = f.in(0);
    const matrix<E> x = whole(f.x), y = whole((const E *)f.y), z = whole(f.z);
    sequential_select(TYPE, &in, expected);
    compare("select", ws::select(ws::mask_and(ws::lt(x, y), ws::mask_not(ws::eq(y, z))), x, z), expected);
}

static void selects(void **)
{
#define SELECT(type) check_select<WS_##type>();
    ALL_TYPES(SELECT)
#undef SELECT
}

/* ---- what needs a CTA: products and memory ----------------------------------------------------------------------- */

template <typename E> struct memory_params {
    ws::tensor<E, 2> x, y;
    double number;
    long row, col;
    ws::map map;
    ws::grid<1> grid;
    void *out;
};

template <typename E, typename A> struct product_shared {
    ws::shared_tile<E, ROWS, INNER> a;
    ws::shared_tile<E, COLS, INNER> b;
};

template <typename E, typename A> static void product_kernel(const memory_params<E> &p)
{
    auto &s = ws::shared<product_shared<E, A>>();
    auto acc = ws::full<A, ROWS, COLS, ws::frag>(1);
    ws::start();
    const auto a = ws::load<ROWS, INNER, ws::lines>(p.x, 0, 0);
    const auto b = ws::stage(s.b, ws::load<COLS, INNER, ws::lines>(p.y, 0, 0));
    const auto copy = ws::stage(s.a, a);
    ws::fence();
    ws::group_barrier();
    ws::mma(acc, copy, ws::trans(b));
    ws::mma(acc, a, ws::trans(b));
    ws::commit();
    ws::wait<0>(acc);
    memcpy(p.out, acc.at, sizeof acc.at);
}

static void exact_kernel(const memory_params<float> &p)
{
    auto &s = ws::shared<product_shared<float, float>>();
    auto acc = ws::full<float, ROWS, COLS, ws::frag>(1);
    ws::start();
    const auto a = ws::stage(s.a, ws::load<ROWS, INNER, ws::lines>(p.x, 0, 0));
    const auto b = ws::stage(s.b, ws::load<COLS, INNER, ws::lines>(p.y, 0, 0));
    ws::group_barrier();
    ws::dot_f32(acc, a, ws::trans(b));
    ws::dot_f32(acc, a, ws::trans(b));
    memcpy(p.out, acc.at, sizeof acc.at);
}

/* By TMA and directly; both give the same.  */
template <typename E> struct load_shared {
    ws::shared_tile<E, ROWS, COLS> x;
    ws::ring<1> ring;
};

template <typename E> static void load_kernel(const memory_params<E> &p)
{
    auto &s = ws::shared<load_shared<E>>();
    s.ring.init("ring", 1);
    ws::start();
    ws::producer<1> in(s.ring);
    ws::consumer<1> out(s.ring);
    const auto part = ws::slice<1>(p.x, 3, COLS + 5);
    in.put();
    ws::copy_in_or(p.number, in, s.x, part, p.map, p.row, p.col);
    in.put_done();
    out.get();
    const auto x = ws::read<ws::lines>(ws::view(s.x));
    out.template consumed<0>();
    const auto y = ws::load_or<ROWS, COLS, ws::lines>(p.number, part, p.row, p.col);
    if (!memcmp((const void *)x.at, (const void *)y.at, sizeof x.at))
        memcpy(p.out, (const void *)x.at, sizeof x.at);
}

template <typename E>
static void run(void (*kernel)(const memory_params<E> &), const filled<E> &f, int y_rows, int x_cols, int y_cols,
                double number, long row, long col, void *out, int shared_bytes)
{
    ws::launch call("test");
    memory_params<E> p;
    p.number = number;
    p.row = row;
    p.col = col;
    p.out = out;
    call.tensor(p.x, "x", f.x, {ROWS, x_cols}, {x_cols, 1}, ws::loaded);
    call.tensor(p.y, "y", f.y, {y_rows, y_cols}, {y_cols, 1}, ws::loaded);
    call.place();
    call.map(p.map, p.x, ROWS);
    call.grid(p.grid, {{0, 1, 1}}, ws::order_auto, 0);
    call.run(kernel, p, 128, shared_bytes, ws::one_tile);
}

template <ws_dtype TYPE, typename A>
static void check_product(sequential *reference, void (*kernel)(const memory_params<typename stored_as<TYPE>::type> &))
{
    typedef typename stored_as<TYPE>::type E;
    const filled<E> f;
    const inputs in = f.in(0);
    ws::tile<A, ROWS, COLS, ws::lines> got;
    reference(&in, expected);
    run<E>(kernel, f, COLS, INNER, INNER, 0, 0, 0, got.at, sizeof(product_shared<E, A>));
    compare("product", got, expected);
}

static void products(void **)
{
    check_product<WS_F32, float>(sequential_dot_F32, product_kernel<float, float>);
    check_product<WS_F16, float>(sequential_dot_F16, product_kernel<ws::f16, float>);
    check_product<WS_BF16, float>(sequential_dot_BF16, product_kernel<ws::bf16, float>);
    check_product<WS_E4M3, float>(sequential_dot_E4M3, product_kernel<ws::e4m3, float>);
    check_product<WS_E5M2, float>(sequential_dot_E5M2, product_kernel<ws::e5m2, float>);
    check_product<WS_I8, int>(sequential_dot_I8, product_kernel<signed char, int>);
    check_product<WS_F32, float>(sequential_dot_f32_F32, exact_kernel);
}

template <ws_dtype TYPE> static void check_loads()
{
    typedef typename stored_as<TYPE>::type E;
    static const long corners[][2] = {{0, 0}, {5, 7}, {-3, -2}, {100, 0}, {0, -50}, {-(1L << 62), 1L << 62}};
    for (const auto &corner : corners)
        for (int i = 0; i < 2; i++) {
            const double number = i * 2.5;
            const filled<E> f;
            const inputs in = f.in(number);
            matrix<E> got = ws::full<E, ROWS, COLS, ws::lines>(99);
            sequential_load_or(TYPE, &in, corner[0], corner[1], expected);
            run<E>(load_kernel<E>, f, ROWS, COLS, COLS, number, corner[0], corner[1], got.at, sizeof(load_shared<E>));
            compare("load_or", got, expected);
        }
}

static void loads(void **)
{
#define LOADS(type) check_loads<WS_##type>();
    ALL_TYPES(LOADS)
#undef LOADS
}

int main()
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise),
        cmocka_unit_test(reductions),
        cmocka_unit_test(casts),
        cmocka_unit_test(selects),
        cmocka_unit_test(products),
        cmocka_unit_test(loads),
    };
    /* clang-format on */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
