/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.c - which launches of a block wait for which, and where they go: a backend that writes it down.
 */
#include "reference.h"
#include "ws/backend.h"

static char said[2048];

static void say(const char *format, int a, unsigned b)
{
    snprintf(said + strlen(said), sizeof said - strlen(said), format, a, b);
}

static void *no_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}
static void no_free(void *p)
{
    (void)p;
}
static ws_status no_copy(void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return WS_OK;
}
static ws_status no_sync(void)
{
    return WS_OK;
}
static int is_device_pointer(const void *p)
{
    return p != NULL;
}
static int count(void)
{
    return 2;
}
static void *alloc(int device, size_t bytes)
{
    (void)device;
    return malloc(bytes);
}
static ws_status enter(int device, void *stream)
{
    (void)stream;
    say("device %d\n", device, 0);
    return WS_OK;
}
static ws_status leave(int devices, void *stream)
{
    (void)stream;
    say("leave %d\n", devices, 0);
    return WS_OK;
}
static ws_status enter_lane(int lane, int first, unsigned behind, void *stream)
{
    (void)stream;
    say(first ? "first lane %d behind %x\n" : "lane %d behind %x\n", lane, behind);
    ws_set_stream(said + lane);
    return WS_OK;
}
static ws_status leave_lane(int lane, int launch)
{
    (void)lane;
    say("launch %d\n", launch, 0);
    return WS_OK;
}
static ws_status join_lanes(const int *last, int lanes, void *stream)
{
    (void)stream;
    for (int i = 0; i < lanes; i++)
        if (last[i] >= 0)
            say("join %d at %x\n", last[i], (unsigned)i);
    return WS_OK;
}
static const struct ws_backend backend = {"fake", no_memory, no_free, no_copy, no_sync, is_device_pointer};
static const struct ws_backend_devices devices = {count, alloc, enter, leave, enter_lane, leave_lane, join_lanes};

static char memory[64][256];

/* A launch that loads and stores rows of that memory; -1: none.  */
static int launch(int loads, int stores, int share)
{
    int taken = -1;
    for (int stored = 0; stored < 2; stored++) {
        int row = stored ? stores : loads;
        struct ws_use use = {.kernel = "k", .name = "t", .size = 4, .rank = 1, .extent = {64}, .stride = {1}};
        use.begin = memory[row < 0 ? 0 : row];
        use.end = use.begin + 256;
        use.stored = stored;
        if (row >= 0)
            assert_int_equal(ws_devices_use(&use), WS_OK);
    }
    assert_int_equal(ws_together_enter(share, &taken), WS_OK);
    ws_together_leave();
    return taken;
}

static void begin(void)
{
    said[0] = 0;
    ws_set_stream(NULL);
    ws_together_begin_();
}

static void independent_launches_go_beside_each_other(void **state)
{
    (void)state;
    begin();
    launch(0, 1, 0);
    launch(0, 2, 0);
    launch(0, 3, 0);
    ws_together_end_();
    assert_string_equal(said, "first lane 0 behind 0\nlaunch 0\nlane 1 behind 0\nlaunch 1\nlane 2 behind 0\nlaunch 2\n"
                              "join 0 at 0\njoin 1 at 1\njoin 2 at 2\n");
    assert_null(ws_stream());
}

static void readers_wait_for_writers(void **state)
{
    (void)state;
    begin();
    launch(-1, 1, 0); /* 0 */
    launch(-1, 2, 0); /* 1 */
    launch(1, 3, 0);  /* 2: behind 0, in its lane */
    launch(2, 4, 0);  /* 3: behind 1, in its lane */
    launch(3, 4, 0);  /* 4: behind 2 and 3 */
    launch(4, 1, 0);  /* 5: stores what 2 loads, which 4 is behind already */
    ws_together_end_();
    assert_string_equal(said, "first lane 0 behind 0\nlaunch 0\nlane 1 behind 0\nlaunch 1\n"
                              "lane 0 behind 0\nlaunch 2\nlane 1 behind 0\nlaunch 3\n"
                              "lane 1 behind 4\nlaunch 4\nlane 1 behind 0\nlaunch 5\n"
                              "join 2 at 0\njoin 5 at 1\n");
}

static void shares_are_kept_free(void **state)
{
    (void)state;
    begin();
    assert_int_equal(launch(0, 1, 16), 0);
    assert_int_equal(launch(0, 2, 16), 0); /* in the same lane: one after the other */
    assert_int_equal(launch(5, 6, 0), 16);
    assert_int_equal(launch(1, 7, 0), 16); /* beside the second one */
    assert_int_equal(launch(2, 8, 0), 0);  /* behind both */
    ws_together_end_();
    assert_non_null(strstr(said, "first lane 0 behind 0\nlaunch 0\nlane 0 behind 0\nlaunch 1\nlane 1 behind 0\n"));
}

static void a_block_may_be_long(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 40; i++)
        launch(i, i + 1, 0);
    ws_together_end_();
    assert_non_null(strstr(said, "launch 31\njoin 31 at 0\nfirst lane 0 behind 0\nlaunch 0\n"));
    begin();
    launch(1, 2, 0);
    ws_together_end_();
    assert_string_equal(said, "first lane 0 behind 0\nlaunch 0\njoin 0 at 0\n");
}

static void a_loop_over_devices_stands_in_none(void **state)
{
    (void)state;
    begin();
    ws_devices_begin_(2);
    ws_devices_next_(0);
    ws_devices_end_();
    ws_together_end_();
    assert_int_equal(ws_last_error(), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_error_message(), "in a block of grids"));
}

static void devices_are_entered_in_order(void **state)
{
    (void)state;
    said[0] = 0;
    assert_int_equal(ws_devices(), 2);
    ws_devices_begin_(2);
    assert_int_equal(ws_devices_current(), -1);
    ws_devices_next_(0);
    ws_devices_next_(1);
    assert_int_equal(ws_devices_current(), 1);
    ws_devices_end_();
    assert_int_equal(ws_devices_current(), -1);
    assert_string_equal(said, "device 0\ndevice 1\nleave 2\n");
    char *p = ws_alloc_on(1, 100);
    assert_int_equal(ws_devices_owner(p + 99), 1);
    assert_int_equal(ws_devices_owner(p + 100), -1);
    ws_free(p);
    assert_int_equal(ws_devices_owner(p), -1);
    free(p);
    assert_null(ws_alloc_on(-1, 100));
    assert_int_equal(ws_last_error(), WS_ERR_ARGUMENT);
}

int main(void)
{
    ws_backend_register(&backend);
    ws_backend_register_devices(&devices);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_launches_go_beside_each_other),
        cmocka_unit_test(readers_wait_for_writers),
        cmocka_unit_test(shares_are_kept_free),
        cmocka_unit_test(a_block_may_be_long),
        cmocka_unit_test(a_loop_over_devices_stands_in_none),
        cmocka_unit_test(devices_are_entered_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
