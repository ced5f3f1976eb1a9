/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reclaim.c - tiles that a local holds stay what they are, the others are taken back; in every thread.
 */
#include "reference.h"
#include "../../runtime/sequential/tile.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOUND ((size_t)8 << 20) /* the library promises twice what is held, plus 1 MiB, and as much that is spare */

/* 128 tiles of 64 steps allocate 1 GiB.  */
static void memory_stays_bounded(void **state)
{
    static float array[128 * 256];
    size_t most = 0;
    (void)state;
    ws_tensor a = ws_tensor_2d(array, WS_F32, 128, 16), b = ws_tensor_2d(array, WS_F32, 256, 16);
    for (int tile = 0; tile < 128; tile++) {
        ws_tile acc = ws_zeros(WS_F32, 128, 256);
        for (int k = 0; k < 64; k++) {
            acc = ws_add(acc, ws_row_sum(ws_load(a, 0, k, 128, 16)));
            most = ws_handle_bytes() > most ? ws_handle_bytes() : most;
        }
        ws_store(b, 0, 0, ws_load(a, 0, 0, 128, 16));
        expect_no_error();
    }
    if (most > BOUND)
        fail_msg("%zu bytes of tiles at once", most);
    ws_handle_collect();
    if (ws_handle_bytes() > (size_t)4 << 20)
        fail_msg("%zu bytes are still held", ws_handle_bytes());
}

/* Each level keeps a tile in its frame while deeper ones allocate.  */
static __attribute__((noinline)) double keep(int depth)
{
    ws_tile mine = ws_full(WS_F32, 8, 8, depth);
    double below = depth ? keep(depth - 1) : 0, got[64];
    if (depth % 10 == 0)
        ws_handle_collect();
    elements_of(mine, WS_F32, 8, 8, got);
    for (int i = 0; i < 64; i++)
        if (got[i] != depth)
            return -1;
    return below < 0 ? -1 : below + depth;
}

static void frames_keep_their_tiles(void **state)
{
    (void)state;
    expect_number(keep(200), 200 * 201 / 2.0, "sum over the frames", 0);
    expect_no_error();
}

/* More tiles than there are registers, over many rounds.  */
static void many_locals(void **state)
{
    double got[4];
    (void)state;
    ws_tile a = ws_full(WS_F32, 2, 2, 1), b = ws_full(WS_F32, 2, 2, 2), c = ws_full(WS_F32, 2, 2, 3),
            d = ws_full(WS_F32, 2, 2, 4);
    ws_tile e = ws_full(WS_F32, 2, 2, 5), f = ws_full(WS_F32, 2, 2, 6), g = ws_full(WS_F32, 2, 2, 7),
            h = ws_full(WS_F32, 2, 2, 8);
    ws_tile i = ws_full(WS_F32, 2, 2, 9), k = ws_full(WS_F32, 2, 2, 10);
    for (int round = 0; round < 1000; round++) {
        ws_tile large = ws_full(WS_F64, 256, 256, round);
        if (round % 100 == 0)
            ws_handle_collect();
        (void)large;
    }
    ws_tile sum = ws_add(ws_add(ws_add(a, b), ws_add(c, d)), ws_add(ws_add(ws_add(e, f), ws_add(g, h)), ws_add(i, k)));
    elements_of(sum, WS_F32, 2, 2, got);
    for (int n = 0; n < 4; n++)
        expect_number(got[n], 55, "sum of locals", n);
    expect_no_error();
}

struct work {
    double result;
    size_t most;
};

static void *work(void *argument)
{
    struct work *w = argument;
    double got[64 * 64];
    ws_tile sum = ws_zeros(WS_F64, 64, 64);
    for (int i = 0; i < 3000; i++) {
        sum = ws_add(sum, ws_full(WS_F64, 64, 64, i));
        w->most = ws_handle_bytes() > w->most ? ws_handle_bytes() : w->most;
    }
    elements_of(sum, WS_F64, 64, 64, got);
    w->result = got[64 * 64 - 1];
    return ws_last_error() == WS_OK ? w : NULL;
}

static void threads_have_their_own(void **state)
{
    struct work jobs[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
        expect_number(jobs[i].result, 2999 * 3000 / 2.0, "sum in a thread", i);
        assert_true(jobs[i].most <= BOUND);
    }
}

/* As OpenMP does: threads that end and come anew.  */
static void threads_end(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct work job = {0, 0};
        pthread_t thread;
        void *result;
        assert_int_equal(pthread_create(&thread, NULL, work, &job), 0);
        pthread_join(thread, &result);
        assert_non_null(result);
    }
}

/* In a process that may have 256 MiB: what does not fit is an error, and what follows it stands up.  */
static int without_memory(void)
{
    struct rlimit limit = {(rlim_t)256 << 20, (rlim_t)256 << 20};
    double got[4];
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 0;
    ws_tile huge = ws_full(WS_F64, 1 << 13, 1 << 13, 1);
    if (ws_last_error() != WS_ERR_MEMORY || !strstr(ws_error_message(), "no memory for a tile"))
        return 1;
    ws_tile index = ws_col_index(1 << 13, 1 << 13);
    ws_tile others = ws_add(ws_row_sum(huge), ws_trans(ws_cast(huge, WS_F32)) ? ws_col_cumsum(huge) : huge);
    ws_store(ws_tensor_2d(got, WS_F64, 2, 2), 0, 0, ws_select(ws_lt(index, 1), huge, others));
    return ws_last_error() == WS_ERR_MEMORY ? 0 : 2;
}

static void no_memory_is_an_error(void **state)
{
    int status = 0;
    (void)state;
    if (SANITIZED) /* skip() would print "not ok" */
        return;
    pid_t child = fork();
    if (child == 0)
        _exit(without_memory());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_bounded), cmocka_unit_test(frames_keep_their_tiles),
        cmocka_unit_test(many_locals),          cmocka_unit_test(threads_have_their_own),
        cmocka_unit_test(threads_end),          cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("runtime/reclaim", tests, NULL, NULL);
}
