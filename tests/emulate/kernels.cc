/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernels.cc - hand-written kernels in the emitted form, those of the GPU's tests among them, against plain loops,
 * bit for bit, under many seeds; and the same with mistakes planted, each of which must be reported.
 */
/* Before cmocka.h, whose macros have names of the runtime.  */
#include "../gpu/handwritten/attention.cu"
#include "../gpu/handwritten/gemm.cu"
#include "../gpu/handwritten/gemm_pingpong.cu"
#include "../gpu/handwritten/softmax_rows.cu"
#include "pingpong.cu"
#include "small.cuh"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

static uint32_t random_state = 1;

/* Eighths between -2 and 2: products are exact, sums are not.  */
static float random_number()
{
    random_state = random_state * 1664525u + 1013904223u;
    return ((int)(random_state >> 8) % 4096 - 2048) / 1024.0f;
}

template <typename T> static T *random_matrix(long elements)
{
    T *x = (T *)aligned_alloc(64, (elements * sizeof(T) + 127) / 64 * 64);
    for (long i = 0; i < elements; i++)
        x[i] = ws::element_of<T>(random_number());
    return x;
}

template <typename T> static T *same_matrix(long elements, T value)
{
    T *x = (T *)aligned_alloc(64, (elements * sizeof(T) + 127) / 64 * 64);
    for (long i = 0; i < elements; i++)
        x[i] = value;
    return x;
}

typedef void launcher(int M, int N, int K, const void *A, const void *B, const void *C);

/* A B^T in ascending k.  */
template <typename T> static void reference(int M, int N, int K, const ws::f16 *A, const ws::f16 *B, T *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += ws::number<ws::f16>::widen(A[(long)i * K + k]) * ws::number<ws::f16>::widen(B[(long)j * K + k]);
            C[(long)i * N + j] = ws::element_of<T>(sum);
        }
}

template <typename T> static void check_product(launcher *launch, int M, int N, int K, int seeds)
{
    const long elements = (long)M * N;
    ws::f16 *A = random_matrix<ws::f16>((long)M * K), *B = random_matrix<ws::f16>((long)N * K);
    T *C = same_matrix<T>(elements, ws::element_of<T>(7)), *expected = same_matrix<T>(elements, ws::element_of<T>(7));
    reference(M, N, K, A, B, expected);
    for (int seed = 0; seed < seeds; seed++) {
        memset((void *)C, 0x55, elements * sizeof(T));
        ws_emulate_seed(seed);
        launch(M, N, K, A, B, C);
        if (ws_last_error() != WS_OK)
            fail_msg("%dx%dx%d, seed %d: %s", M, N, K, seed, ws_error_message());
        if (memcmp(C, expected, elements * sizeof(T)))
            fail_msg("%dx%dx%d, seed %d: differs", M, N, K, seed);
    }
    free(A);
    free(B);
    free(C);
    free(expected);
}

/* ---- the kernels of the GPU's tests; gemm is the example of runtime/README.md ------------------------------------ */

static void gemm_whole_tiles(void **)
{
    check_product<ws::f16>(ws_launch_gemm, 256, 256, 320, 50);
}

static void gemm_ragged(void **)
{
    check_product<ws::f16>(ws_launch_gemm, 130, 264, 72, 20);
    check_product<ws::f16>(ws_launch_gemm, 1, 8, 8, 20);
}

static void gemm_few_trips(void **)
{
    check_product<ws::f16>(ws_launch_gemm, 128, 256, 0, 10);
    check_product<ws::f16>(ws_launch_gemm, 128, 256, 64, 10);
    check_product<ws::f16>(ws_launch_gemm, 300, 256, 1, 10);
}

static void gemm_nothing(void **)
{
    check_product<ws::f16>(ws_launch_gemm, 0, 256, 64, 1);
    check_product<ws::f16>(ws_launch_gemm, 128, 0, 64, 1);
}

static void keep_line(const char *text, void *user)
{
    char *log = (char *)user;
    strncat(log, text, 900 - strlen(log));
}

static void gemm_slower_path(void **)
{
    char log[1000] = "";
    ws_set_log(keep_line, log);
    check_product<ws::f16>(ws_launch_gemm, 7, 9, 13, 20);
    ws_set_log(NULL, NULL);
    assert_non_null(
        strstr(log, "gemm: tensor a: leading dimension 13 is not a multiple of 16 bytes; copied by the slower path"));
    assert_non_null(
        strstr(log, "gemm: tensor c: leading dimension 9 is not a multiple of 16 bytes; copied by the slower path"));
}

static void gemm_pingpong(void **)
{
    check_product<ws::f16>(ws_launch_gemm_pingpong, 256, 400, 136, 30);
}

/* Close to what it should be, and under every seed the same bits.  */
static void check_close(const ws::f16 *got, const ws::f16 *expected, ws::f16 *first, int elements, int seed)
{
    for (int i = 0; i < elements && seed == 0; i++) {
        const float x = ws_f16_to(got[i]), y = ws_f16_to(expected[i]);
        if (!(fabsf(x - y) <= 1e-3f + 2e-3f * fabsf(y)))
            fail_msg("element %d is %g, not %g", i, x, y);
    }
    if (seed == 0)
        memcpy(first, got, elements * sizeof *got);
    if (memcmp(got, first, elements * sizeof *got))
        fail_msg("seed %d differs from seed 0", seed);
}

/* One row of softmax (scale q k^T) v.  */
static void attention_row(int L, float scale, const ws::f16 *q, const ws::f16 *k, const ws::f16 *v, ws::f16 *o)
{
    float *x = (float *)malloc(L * sizeof *x), acc[128] = {0}, sum = 0;
    for (int j = 0; j < L; j++) {
        x[j] = 0;
        for (int d = 0; d < 128; d++)
            x[j] += scale * ws_f16_to(q[d]) * ws_f16_to(k[j * 128 + d]);
    }
    const float largest = ws_f32_reduce_max(L, x, 1);
    for (int j = 0; j < L; j++) {
        x[j] = ws_f32_exp2(x[j] - largest);
        sum += x[j];
        for (int d = 0; d < 128; d++)
            acc[d] += x[j] * ws_f16_to(v[j * 128 + d]);
    }
    for (int d = 0; d < 128; d++)
        o[d] = ws_f16_from(acc[d] / sum);
    free(x);
}

static void check_attention(int heads, int L, int seeds)
{
    const int elements = heads * L * 128;
    ws::f16 *Q = random_matrix<ws::f16>(elements), *K = random_matrix<ws::f16>(elements);
    ws::f16 *V = random_matrix<ws::f16>(elements), *O = random_matrix<ws::f16>(elements);
    ws::f16 *expected = random_matrix<ws::f16>(elements), *first = random_matrix<ws::f16>(elements);
    for (int head = 0; head < heads; head++)
        for (int i = 0; i < L; i++)
            attention_row(L, 0.125f, Q + (head * L + i) * 128, K + head * L * 128, V + head * L * 128,
                          expected + (head * L + i) * 128);
    for (int seed = 0; seed < seeds; seed++) {
        ws_emulate_seed(seed);
        ws_launch_attention(heads, L, 0.125f, Q, K, V, O);
        if (ws_last_error() != WS_OK)
            fail_msg("%d heads of %d, seed %d: %s", heads, L, seed, ws_error_message());
        check_close(O, expected, first, elements, seed);
    }
    free(Q);
    free(K);
    free(V);
    free(O);
    free(first);
    free(expected);
}

static void attention(void **)
{
    check_attention(2, 300, 15);
    check_attention(1, 100, 5);
}

static void softmax_row(int N, const ws::f16 *from, ws::f16 *to)
{
    float *x = (float *)malloc(N * sizeof *x);
    for (int j = 0; j < N; j++)
        x[j] = ws_f16_to(from[j]);
    const float largest = ws_f32_reduce_max(N, x, 1);
    for (int j = 0; j < N; j++)
        x[j] = ws_f32_exp(x[j] - largest);
    const float sum = ws_f32_reduce_sum(N, x, 1);
    for (int j = 0; j < N; j++)
        to[j] = ws_f16_from(x[j] / sum);
    free(x);
}

static void softmax_rows(void **)
{
    const int M = 75, N = 1000;
    ws::f16 *X = random_matrix<ws::f16>(M * N), *Y = random_matrix<ws::f16>(M * N);
    ws::f16 *expected = random_matrix<ws::f16>(M * N), *first = random_matrix<ws::f16>(M * N);
    for (int i = 0; i < M; i++)
        softmax_row(N, X + i * N, expected + i * N);
    for (int seed = 0; seed < 20; seed++) {
        ws_emulate_seed(seed);
        ws_launch_softmax_rows(M, N, X, Y);
        if (ws_last_error() != WS_OK)
            fail_msg("seed %d: %s", seed, ws_error_message());
        check_close(Y, expected, first, M * N, seed);
    }
    free(X);
    free(Y);
    free(first);
    free(expected);
}

/* ---- smaller tiles, more orders ---------------------------------------------------------------------------------- */

static void small_under_many_seeds(void **)
{
    check_product<float>(small<2, 1, no_mistake>::launch, 256, 96, 80, 100);
    check_product<float>(small<3, 3, no_mistake>::launch, 256, 96, 80, 100);
    check_product<float>(small<1, 1, no_mistake>::launch, 200, 40, 48, 50);
    check_product<float>(small<4, 2, no_mistake>::launch, 640, 36, 16, 50);
}

static void pingpong_by_tiles(void **)
{
    check_product<float>(ws_launch_pingpong, 320, 96, 80, 100);
    check_product<float>(ws_launch_pingpong, 64, 32, 16, 20);
    check_product<float>(ws_launch_pingpong, 192, 64, 0, 20);
}

/* ---- planted mistakes -------------------------------------------------------------------------------------------- */

template <int DEPTH, int IN_FLIGHT, mistake M> static void check_mistake(const char *first, const char *second, int K)
{
    const int rows = 256, cols = 64;
    ws::f16 *A = random_matrix<ws::f16>(rows * K), *B = random_matrix<ws::f16>(cols * K);
    float *C = same_matrix<float>(rows * cols, 0);
    for (int seed = 0; seed < 25; seed++) {
        ws_emulate_seed(seed);
        small<DEPTH, IN_FLIGHT, M>::launch(rows, cols, K, A, B, C);
        assert_int_equal(ws_last_error(), WS_ERR_PROTOCOL);
        if (!strstr(ws_error_message(), first) || !strstr(ws_error_message(), second))
            fail_msg("mistake %d, seed %d: %s", M, seed, ws_error_message());
    }
    free(A);
    free(B);
    free(C);
}

static void finds_ring_mistakes(void **)
{
    check_mistake<2, 1, missing_consumed>(
        "can never be satisfied", "put 2 of ring ta_tb (slot 0, phase 1): put 0 was released by 0 of 2 groups", 80);
    check_mistake<8, 2, missing_last_consumed>("without releasing get 4 of ring ta_tb", "consumed is missing", 80);
    check_mistake<8, 1, missing_consumed>("without releasing get 0 of ring ta_tb", "consumed is missing", 16);
    check_mistake<2, 3, no_mistake>("can never be satisfied",
                                    "put 2 of ring ta_tb (slot 0, phase 1): put 0 was released by 0 of 2 groups", 80);
    check_mistake<2, 1, one_arrival>("counts 1 arrivals", "ring ta_tb", 80);
    check_mistake<2, 1, three_arrivals>("can never be satisfied", "released by 2 of 3 groups", 80);
    check_mistake<2, 1, missing_put_done>("ring ta_tb", "", 80);
    check_mistake<2, 1, missing_put>("put 1 of ring ta_tb (slot 1, phase 0)", "that put is not open", 80);
    check_mistake<2, 1, one_trip_less>("can never be satisfied", "ring ta_tb", 80);
    check_mistake<2, 1, missing_start>("can never be satisfied", "waits in start()", 80);
}

static void finds_unit_mistakes(void **)
{
    check_mistake<2, 1, missing_wait>("releases get 1 of ring ta_tb", "a wait is missing", 80);
    check_mistake<4, 2, missing_last_wait>("a product in flight reads it", "a wait is missing", 80);
    check_mistake<2, 1, read_after_release>("reads put 1 of ring ta_tb", "", 80);
    check_mistake<4, 2, dropped_accumulator>("drops an accumulator while 1 of its products are in flight",
                                             "after get 4", 80);
    check_mistake<4, 2, wait_without_name>("reads an accumulator that the wait for its products did not name", "", 80);
    check_mistake<2, 1, missing_store_wait>("store_wait<0> is missing", "", 80);
    check_mistake<2, 1, one_scratch>("a race: what", "nothing orders one before the other", 80);
}

static void finds_tensors_of_the_other_version(void **)
{
    check_product<float>(small<2, 1, only_tma>::launch, 256, 96, 80, 10);
    check_mistake<2, 1, only_tma>("TMA is to load a tensor that does not lie as it has to", "", 20);
}

static void finds_dependent_iterations(void **)
{
    check_mistake<2, 1, stores_overlap>("not independent: tiles", "both store c[", 80);
    check_mistake<2, 1, load_of_another_tile>("not independent: tiles", "one stores and one loads c[", 80);
    check_mistake<2, 1, load_of_a_pending_store>("which a copy out of this tile may not have written yet", "loads c[",
                                                 80);
}

/* ---- launches that cannot be ------------------------------------------------------------------------------------- */

struct bad_params {
    ws::tensor<float, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<1> grid;
};

static int bad_runs;

static void bad_kernel(const bad_params &)
{
    bad_runs++;
    ws::start();
}

static ws_status launch_two(const void *X, long rows, long cols, long ld, const void *Y, long y_ld, ws::use how)
{
    bad_runs = 0;
    {
        ws::launch call("bad");
        bad_params p;
        call.tensor(p.x, "x", X, {rows, cols}, {ld, 1}, ws::stored);
        call.tensor(p.y, "y", Y, {rows, cols}, {y_ld, 1}, how);
        call.place();
        call.grid(p.grid, {{0, 1, 1}}, ws::order_auto, 0);
        call.run(bad_kernel, p, 128, 0, ws::one_tile);
    }
    const ws_status status = ws_last_error();
    assert_int_equal(bad_runs, status == WS_OK);
    return status;
}

static void refuses_bad_tensors(void **)
{
    float *x = same_matrix<float>(4096, 0), *y = same_matrix<float>(4096, 0);
    assert_int_equal(launch_two(x, 16, 16, 16, y, 16, ws::loaded), WS_OK);
    assert_int_equal(launch_two(NULL, 16, 16, 16, y, 16, ws::loaded), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_error_message(), "bad: tensor x: the base is a null pointer"));
    assert_int_equal(launch_two(NULL, 0, 16, 16, y, 16, ws::loaded), WS_OK);
    assert_int_equal(launch_two((char *)x + 2, 16, 16, 16, y, 16, ws::loaded), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_error_message(), "bad: tensor x: the base is not aligned"));
    assert_int_equal(launch_two(x, 16, -1, 16, y, 16, ws::loaded), WS_ERR_ARGUMENT);
    assert_int_equal(launch_two(x, 1L << 31, 1, 1, y, 16, ws::loaded), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_error_message(), "extent 2147483648"));
    free(x);
    free(y);
}

static void refuses_overlap(void **)
{
    float *x = same_matrix<float>(4096, 0);
    assert_int_equal(launch_two(x, 16, 16, 16, x + 8, 16, ws::loaded), WS_ERR_OVERLAP);
    assert_non_null(strstr(ws_error_message(), "bad: tensor x is stored and overlaps tensor y"));
    assert_int_equal(launch_two(x, 16, 16, 16, x, 16, ws::loaded), WS_OK);      /* in place */
    assert_int_equal(launch_two(x, 16, 16, 32, x + 16, 32, ws::loaded), WS_OK); /* halves of rows */
    assert_int_equal(launch_two(x, 16, 16, 32, x + 15, 32, ws::loaded), WS_ERR_OVERLAP);
    assert_int_equal(launch_two(x + 16, 16, 16, 32, x, 32, ws::stored), WS_OK);
    assert_int_equal(launch_two(x + 17, 16, 16, 32, x + 32, 32, ws::loaded), WS_ERR_OVERLAP); /* ends in the next row */
    assert_int_equal(launch_two(x, 16, 16, 8, x + 1024, 16, ws::loaded), WS_ERR_OVERLAP);     /* with itself */
    assert_int_equal(launch_two(x + 16 * 16, 16, 16, 16, x, 16, ws::loaded), WS_OK);
    free(x);
}

static void keeps_the_first_error(void **)
{
    float *x = same_matrix<float>(4096, 0);
    launch_two(NULL, 16, 16, 16, x, 16, ws::loaded);
    ws::launch call("large");
    ws::grid<1> grid;
    bad_params p;
    call.grid(grid, {{0, 1, 1}}, ws::order_auto, 0);
    call.run(bad_kernel, p, 128, 1 << 20, ws::one_tile);
    assert_int_equal(ws_last_error(), WS_ERR_LAUNCH);
    assert_non_null(strstr(ws_error_message(), "large: 1048576 bytes of shared memory"));
    free(x);
}

struct heads_params {
    ws::tensor<float, 3> z; /* memory is [row][head][32] */
    ws::tensor<float, 3> t; /* memory is [head][row][32] */
    ws::grid<2> grid;
};

/* With a neighbour beyond either end, which reads as 0.  */
static void heads_kernel(const heads_params &p)
{
    ws::start();
    for (ws::tiles<2> i(p.grid); i.more(); i.next()) {
        auto sum = ws::load<8, 32, ws::lines>(p.t, i.at(0) - 1, i.at(1), 0);
        sum = ws::add(sum, ws::load<8, 32, ws::lines>(p.t, i.at(0), i.at(1), 0));
        ws::store(p.z, i.at(0), i.at(1), 0, ws::add(sum, ws::load<8, 32, ws::lines>(p.t, i.at(0) + 1, i.at(1), 0)));
    }
}

static void interleaves_heads(void **)
{
    const int heads = 3, rows = 11;
    float *z = same_matrix<float>(heads * rows * 32, NAN), *t = random_matrix<float>((heads + 2) * rows * 32);
    float *const inside = t + rows * 32;
    {
        ws::launch call("heads");
        heads_params p;
        call.tensor(p.z, "z", z, {heads, rows, 32}, {32, 32 * heads, 1}, ws::stored);
        call.tensor(p.t, "t", inside, {heads, rows, 32}, {32 * rows, 32, 1}, ws::loaded);
        call.place();
        call.grid(p.grid, {{0, heads, 1}, {0, rows, 8}}, ws::order_auto, 0);
        call.run(heads_kernel, p, 128, 0, ws::persistent);
    }
    if (ws_last_error() != WS_OK)
        fail_msg("%s", ws_error_message());
    for (int i = 0; i < heads * rows * 32; i++) {
        const int head = i / 32 % heads, at = (head * rows + i / 32 / heads) * 32 + i % 32;
        const float before = head > 0 ? inside[at - rows * 32] : 0,
                    after = head + 1 < heads ? inside[at + rows * 32] : 0;
        assert_true(z[i] == before + inside[at] + after);
    }
    free(z);
    free(t);
}

/* ---- the walk over the tiles ------------------------------------------------------------------------------------- */

struct walk_params {
    ws::tensor<int, 1> seen;
    ws::grid_from<3> grid;
};
static long begin_of_walk;

static void walk_kernel(const walk_params &p)
{
    ws::start();
    for (ws::tiles_from<ws::tiles<3>> t(p.grid, ws::warp_group(), 2); t.more(); t.next()) {
        if (t.index == 0)
            begin_of_walk = t.at(0);
        ws::atomic_add(p.seen, (t.at(0) + 2) / 2 * 35 + t.at(1) / 2 * 7 + t.at(2), ws::full<int, 1, 1, ws::lines>(1));
    }
}

static void walks_every_tile_once(void **)
{
    const ws::tile_order orders[] = {ws::order_auto, ws::order_row, ws::order_column, ws::order_grouped};
    const struct {
        long from, begin;
    } places[] = {{-2, -2}, {0, 0}, {1, 0}, {2, 2}, {3, 2}, {4, -2}, {-3, 2}, {LONG_MIN, -2}, {LONG_MAX, -2}};
    for (int i = 0; i < 36; i++) {
        const ws::tile_order order = orders[i % 4];
        const long from = places[i / 4].from, begin = places[i / 4].begin;
        int seen[105] = {0};
        {
            ws::launch call("walk");
            walk_params p;
            call.tensor(p.seen, "seen", seen, {105}, {1}, ws::loaded_and_stored);
            call.place();
            call.grid(p.grid, {{-2, 4, 2}, {0, 10, 2}, {0, 7, 1}}, order, 2);
            call.from(p.grid, from);
            call.run(walk_kernel, p, 256, 0, ws::persistent);
        }
        if (ws_last_error() != WS_OK)
            fail_msg("%s", ws_error_message());
        for (int tile = 0; tile < 105; tile++)
            assert_int_equal(seen[tile], 1);
        if (from > LONG_MIN && from < LONG_MAX) /* beyond what can be counted it is any tile */
            assert_int_equal(begin_of_walk, begin);
    }
}

int main()
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_whole_tiles),
        cmocka_unit_test(gemm_ragged),
        cmocka_unit_test(gemm_few_trips),
        cmocka_unit_test(gemm_nothing),
        cmocka_unit_test(gemm_slower_path),
        cmocka_unit_test(gemm_pingpong),
        cmocka_unit_test(attention),
        cmocka_unit_test(softmax_rows),
        cmocka_unit_test(small_under_many_seeds),
        cmocka_unit_test(pingpong_by_tiles),
        cmocka_unit_test(finds_ring_mistakes),
        cmocka_unit_test(finds_unit_mistakes),
        cmocka_unit_test(finds_tensors_of_the_other_version),
        cmocka_unit_test(finds_dependent_iterations),
        cmocka_unit_test(refuses_bad_tensors),
        cmocka_unit_test(refuses_overlap),
        cmocka_unit_test(keeps_the_first_error),
        cmocka_unit_test(interleaves_heads),
        cmocka_unit_test(walks_every_tile_once),
    };
    /* clang-format on */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
