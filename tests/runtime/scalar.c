/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scalar.c - conversions between element types: every stored bit pattern, every tie, both neighbours of every tie.
 */
#include "reference.h"
#include "scalar.h"

struct stored {
    ws_dtype type;
    int exponent_bits, mantissa_bits, has_infinity;
};

static const struct stored small_types[] = {
    {WS_F16, 5, 10, 1}, {WS_BF16, 8, 7, 1}, {WS_E4M3, 4, 3, 0}, {WS_E5M2, 5, 2, 1}};

static float decode(ws_dtype t, uint32_t bits)
{
    return t == WS_F16    ? ws_f16_to((ws_f16){(unsigned short)bits})
           : t == WS_BF16 ? ws_bf16_to((ws_bf16){(unsigned short)bits})
           : t == WS_E4M3 ? ws_e4m3_to((ws_e4m3){(unsigned char)bits})
                          : ws_e5m2_to((ws_e5m2){(unsigned char)bits});
}

static uint32_t encode(ws_dtype t, double x)
{
    return t == WS_F16    ? ws_f16_from_f64(x)
           : t == WS_BF16 ? ws_bf16_from_f64(x)
           : t == WS_E4M3 ? ws_e4m3_from_f64(x)
                          : ws_e5m2_from_f64(x);
}

/* What the library does with rows of f32.  */
static uint32_t encode_f32(ws_dtype t, float x)
{
    return t == WS_F16    ? ws_f16_from_f32(x)
           : t == WS_BF16 ? ws_bf16_from_f32(x)
           : t == WS_E4M3 ? ws_e4m3_from_f32(x)
                          : ws_e5m2_from_f32(x);
}

static uint32_t encode_float(ws_dtype t, float x)
{
    return t == WS_F16    ? ws_f16_from(x).bits
           : t == WS_BF16 ? ws_bf16_from(x).bits
           : t == WS_E4M3 ? ws_e4m3_from(x).bits
                          : ws_e5m2_from(x).bits;
}

static void every_pattern_decodes(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(small_types); i++) {
        const struct stored *s = &small_types[i];
        for (uint32_t bits = 0; bits < 1u << (1 + s->exponent_bits + s->mantissa_bits); bits++)
            expect_number(decode(s->type, bits), decoded(bits, s->exponent_bits, s->mantissa_bits, s->has_infinity),
                          "decode", (int)bits);
    }
}

static void numbers_survive(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(small_types); i++) {
        const struct stored *s = &small_types[i];
        for (uint32_t bits = 0; bits < 1u << (1 + s->exponent_bits + s->mantissa_bits); bits++) {
            float x = decode(s->type, bits);
            if (isfinite(x))
                assert_int_equal(encode(s->type, (double)x), bits);
        }
    }
}

static void expect_rounded(const struct stored *s, double x)
{
    uint32_t bits = encode(s->type, x);
    expect_number(decoded(bits, s->exponent_bits, s->mantissa_bits, s->has_infinity), rounded(s->type, x), "encode",
                  (int)bits);
    if ((double)(float)x != x)
        return;
    assert_int_equal(encode_float(s->type, (float)x), bits);
    assert_int_equal(encode_f32(s->type, (float)x), bits);
}

/* Halfway between neighbours, a hair to either side of it, and the numbers themselves, with both signs.  */
static void ties_go_to_even(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(small_types); i++) {
        const struct stored *s = &small_types[i];
        for (uint32_t bits = 0; bits + 1 < 1u << (s->exponent_bits + s->mantissa_bits); bits++) {
            double low = decoded(bits, s->exponent_bits, s->mantissa_bits, s->has_infinity);
            double high = decoded(bits + 1, s->exponent_bits, s->mantissa_bits, s->has_infinity);
            if (!isfinite(low) || !isfinite(high))
                continue;
            double middle = (low + high) / 2;
            for (int sign = -1; sign <= 1; sign += 2) {
                expect_rounded(s, sign * middle);
                expect_rounded(s, sign * nextafter(middle, 0));
                expect_rounded(s, sign * nextafter(middle, INFINITY));
            }
        }
    }
}

static void extremes(void **state)
{
    static const double numbers[] = {0x1p-1074,  0x1p-1022, 0x1p-150, 0x1p-149,   0x1p-134,   0x1p-133,
                                     0x1.8p-134, 1e300,     65519.99, 65520,      65504,      65505,
                                     447.9,      448,       464,      464.1,      480,        512,
                                     57344,      61439,     61440,    0x1.fep127, 0x1.ffp127, 0x1.fefffffffffffp127,
                                     INFINITY};
    (void)state;
    for (int i = 0; i < COUNT(small_types); i++) {
        for (int k = 0; k < COUNT(numbers); k++) {
            expect_rounded(&small_types[i], numbers[k]);
            expect_rounded(&small_types[i], -numbers[k]);
        }
        expect_rounded(&small_types[i], 0.0);
        expect_rounded(&small_types[i], -0.0);
        assert_true(isnan(decode(small_types[i].type, encode(small_types[i].type, (double)NAN))));
        assert_true(isnan(decode(small_types[i].type, encode(small_types[i].type, -(double)NAN))));
        assert_int_equal(encode_f32(small_types[i].type, NAN), encode(small_types[i].type, (double)NAN));
        assert_int_equal(encode_f32(small_types[i].type, -NAN), encode(small_types[i].type, (double)NAN));
    }
}

static void random_doubles_round_once(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = ldexp(random_number(), (int)(random_number() * 40));
        for (int k = 0; k < COUNT(small_types); k++)
            expect_rounded(&small_types[k], x);
    }
}

/* Every 4099th pattern of bits; the step is a prime.  */
static void floats_as_doubles(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 4099) {
        float x = ws_f32_of_bits((uint32_t)bits);
        for (int k = 0; k < COUNT(small_types); k++)
            assert_int_equal(encode_f32(small_types[k].type, x), encode(small_types[k].type, (double)x));
    }
}

/* 11 bits of significand: what a tf32 operand has.  */
static void tf32_keeps_eleven_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        float x = (float)ldexp(random_number(), (int)(random_number() * 100));
        int exponent = ilogb(x) - 10;
        expect_number(ws_f32_to_tf32(x), ldexp(nearbyint(ldexp(x, -exponent)), exponent), "tf32", i);
    }
    expect_number(ws_f32_to_tf32(0x1.002p0f), 0x1p0, "tf32 tie to even", 0);
    expect_number(ws_f32_to_tf32(0x1.006p0f), 0x1.008p0, "tf32 tie to even", 1);
    expect_number(ws_f32_to_tf32(0x1.fffffep127f), INFINITY, "tf32 overflow", 2);
    expect_number(ws_f32_to_tf32(-INFINITY), -INFINITY, "tf32 infinity", 3);
    assert_true(isnan(ws_f32_to_tf32(NAN)));
    expect_number(ws_f32_to_tf32(-0.0f), -0.0, "tf32 zero", 4);
}

static void floats_truncate_to_integers(void **state)
{
    static const double numbers[] = {0,        0.9,          -0.9,       1.5,          -1.5,          127,
                                     127.9,    128,          -128,       -128.9,       -129,          1e10,
                                     -1e10,    2147483646.5, 2147483647, 2147483648.0, -2147483648.0, -2147483649.0,
                                     INFINITY, -INFINITY,    NAN};
    (void)state;
    for (int i = 0; i < COUNT(numbers); i++) {
        assert_int_equal(ws_i32_from_f64(numbers[i]), (int)rounded(WS_I32, numbers[i]));
        assert_int_equal(ws_i8_from_f64(numbers[i]), (int)rounded(WS_I8, numbers[i]));
    }
}

static void integers_are_total(void **state)
{
    (void)state;
    assert_int_equal(ws_i32_add(INT32_MAX, 1), INT32_MIN);
    assert_int_equal(ws_i32_sub(INT32_MIN, 1), INT32_MAX);
    assert_int_equal(ws_i32_mul(65536, 65537), 65536);
    assert_int_equal(ws_i32_div(7, 0), 0);
    assert_int_equal(ws_i32_div(-7, 2), -3);
    assert_int_equal(ws_i32_div(INT32_MIN, -1), INT32_MIN);
    assert_int_equal(ws_i32_neg(INT32_MIN), INT32_MIN);
    assert_int_equal(ws_i32_abs(INT32_MIN), INT32_MIN);
    assert_int_equal(ws_i32_abs(-5), 5);
    assert_int_equal(ws_i32_fma(INT32_MAX, 2, 3), 1);
    assert_int_equal(ws_i32_from_long(0x123456789L), 0x23456789);
    assert_int_equal(ws_i8_from_i32(300), 44);
}

static void max_and_min_pass_over_nan(void **state)
{
    (void)state;
    expect_number(ws_f32_max(NAN, 1), 1, "max", 0);
    expect_number(ws_f32_max(1, NAN), 1, "max", 1);
    expect_number(ws_f32_max(NAN, NAN), NAN, "max", 2);
    expect_number(ws_f32_max(-0.0f, 0.0f), 0.0, "max", 3);
    expect_number(ws_f32_max(0.0f, -0.0f), 0.0, "max", 4);
    expect_number(ws_f32_min(NAN, 1), 1, "min", 0);
    expect_number(ws_f32_min(1, NAN), 1, "min", 1);
    expect_number(ws_f32_min(-0.0f, 0.0f), -0.0, "min", 2);
    expect_number(ws_f32_min(0.0f, -0.0f), -0.0, "min", 3);
    expect_number(ws_f64_max(-INFINITY, NAN), -INFINITY, "max", 5);
    expect_number(ws_f64_min(2, -3), -3, "min", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_decodes),     cmocka_unit_test(numbers_survive),
        cmocka_unit_test(ties_go_to_even),           cmocka_unit_test(extremes),
        cmocka_unit_test(random_doubles_round_once), cmocka_unit_test(floats_as_doubles),
        cmocka_unit_test(tf32_keeps_eleven_bits),    cmocka_unit_test(floats_truncate_to_integers),
        cmocka_unit_test(integers_are_total),        cmocka_unit_test(max_and_min_pass_over_nan),
    };
    return cmocka_run_group_tests_name("runtime/scalar", tests, NULL, NULL);
}
