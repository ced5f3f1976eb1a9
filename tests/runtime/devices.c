/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.c - which launches of a block wait for which, and for which of their tiles; where launches of a loop over
 * devices go: a backend that writes it down.
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
static ws_status enter(int device, void *stream, enum ws_enter how)
{
    static const char *const texts[] = {"device %d in\n", "device %d\n", "device %d again\n", "device %d met\n"};
    (void)stream;
    say(texts[how], device, 0);
    return WS_OK;
}
static ws_status mark(int devices)
{
    say("mark %d\n", devices, 0);
    return WS_OK;
}
static ws_status leave(int devices, void *stream)
{
    (void)stream;
    say("leave %d\n", devices, 0);
    return WS_OK;
}
static unsigned words[1 << 16];
static int used;
static unsigned *open_together(int count, void *stream)
{
    (void)stream;
    say("open %d\n", count, 0);
    used += count;
    return words + used - count;
}
static const struct ws_backend backend = {"fake", no_memory, no_free, no_copy, no_sync, is_device_pointer};
static int are_apart = 1;
static int apart(int devices)
{
    return are_apart && devices <= 3;
}
static ws_status wait_all(int devices, int again)
{
    say(again ? "wait for %d as before\n" : "wait for %d\n", devices, 0);
    return WS_OK;
}
static const struct ws_backend_devices devices = {count,    alloc, enter, leave, open_together, apart,
                                                  wait_all, NULL,  NULL,  NULL,  mark};

enum { ROW = 256 };
static char memory[64 * ROW];

/* What a tile of `rows` rows at row step i + across j touches of the rows from `first` on.  */
static struct ws_use rows_of(int first, int count, int stored, int rows, int step, int across)
{
    struct ws_use use = {.kernel = "k", .name = "t", .size = 4, .rank = 2, .stored = stored};
    use.extent[0] = count;
    use.extent[1] = use.stride[0] = ROW / 4;
    use.stride[1] = 1;
    use.begin = memory + first * ROW;
    use.end = use.begin + count * ROW;
    *(stored ? &use.out : &use.in) =
        (struct ws_rows){.known = 1, .width = (long)rows * ROW, .step = {(long)step * ROW, (long)across * ROW}};
    return use;
}

static struct ws_together launch(struct ws_use loads, struct ws_use stores, int tiles, int share)
{
    struct ws_together t = {.share = share, .dims = 2, .count = {tiles, 3}, .tellers = 2, .tiles_wait = 1};
    assert_int_equal(ws_devices_use(&loads), WS_OK);
    assert_int_equal(ws_devices_use(&stores), WS_OK);
    assert_int_equal(ws_together_enter(&t), WS_OK);
    ws_together_leave(1);
    return t;
}

static void begin(void)
{
    said[0] = 0;
    used = 0;
    ws_set_stream(NULL);
    ws_together_begin_();
}

static void tiles_wait_for_what_they_load(void **state)
{
    (void)state;
    begin();
    struct ws_together a = launch(rows_of(60, 4, 0, 4, 0, 0), rows_of(0, 16, 1, 4, 4, 0), 4, 5);
    struct ws_together b = launch(rows_of(0, 16, 0, 2, 2, 0), rows_of(16, 16, 1, 2, 2, 0), 8, 0);
    struct ws_together c = launch(rows_of(60, 4, 0, 4, 0, 0), rows_of(40, 4, 1, 1, 1, 0), 4, 0);
    ws_together_end_();
    assert_false(a.early);
    assert_int_equal(a.counters, 4);
    assert_true(b.early && b.nwaits == 1 && b.tickets >= 0 && b.taken == 5);
    assert_int_equal(b.waits[0].expected, 2 * 3);
    assert_true(c.early && c.nwaits == 0);
    assert_string_equal(said, "open 8192\n");
}

static void others_wait_for_the_end(void **state)
{
    (void)state;
    begin();
    launch(rows_of(60, 4, 0, 4, 0, 0), rows_of(0, 16, 1, 4, 4, 0), 4, 0);
    struct ws_together stores_loaded = launch(rows_of(0, 16, 0, 4, 4, 0), rows_of(60, 4, 1, 1, 1, 0), 4, 0);
    struct ws_together stores_stored = launch(rows_of(40, 4, 0, 1, 1, 0), rows_of(60, 4, 1, 1, 1, 0), 4, 0);
    struct ws_together unknown = {.dims = 1, .count = {4}, .tellers = 1, .tiles_wait = 1};
    struct ws_use use = rows_of(0, 16, 1, 4, 4, 0);
    use.out.known = 0;
    ws_devices_use(&use);
    ws_together_enter(&unknown);
    ws_together_leave(1);
    struct ws_together behind = launch(rows_of(0, 16, 0, 4, 4, 0), rows_of(50, 4, 1, 1, 1, 0), 4, 0);
    ws_together_end_();
    assert_false(stores_loaded.early || stores_stored.early || behind.early);
    assert_true(unknown.early && unknown.first < 0);
}

static void what_was_not_launched_is_not_waited_for(void **state)
{
    (void)state;
    struct ws_together a = {.dims = 1, .count = {4}, .tellers = 1, .tiles_wait = 1};
    struct ws_use use = rows_of(0, 16, 1, 4, 4, 0);
    begin();
    ws_devices_use(&use);
    ws_together_enter(&a);
    ws_together_leave(0);
    struct ws_together b = launch(rows_of(0, 16, 0, 4, 4, 0), rows_of(50, 4, 1, 1, 1, 0), 4, 0);
    ws_together_end_();
    assert_true(a.first >= 0);
    assert_false(b.early);
}

static void a_block_may_be_long(void **state)
{
    (void)state;
    int early = 0;
    begin();
    for (int i = 0; i < 40; i++)
        early += launch(rows_of(i, 1, 0, 1, 0, 0), rows_of(i + 1, 1, 1, 1, 0, 0), 1, 0).early;
    ws_together_end_();
    assert_int_equal(early, 38); /* not the first, and not the 33rd */
}

/* Does tile p of the later launch wait for tile q of the earlier one?  */
static int waits_for(const struct ws_wait *w, const int p[2], const int q[2])
{
    long low = w->low + (long)p[0] * w->by[0] + (long)p[1] * w->by[1], high = low + w->width;
    int outer = w->weight[0] != 0;
    long at = (long)q[0] * w->step[!outer] + (outer ? (long)q[1] * w->step[1] : 0);
    return at < high && at + w->span[1] > low;
}

static int meet(const struct ws_use *x, const struct ws_rows *rx, const int p[2], const struct ws_use *y,
                const struct ws_rows *ry, const int q[2])
{
    const char *a = x->begin + rx->low + p[0] * rx->step[0] + p[1] * rx->step[1];
    const char *b = y->begin + ry->low + q[0] * ry->step[0] + q[1] * ry->step[1];
    return a < b + ry->width && b < a + rx->width;
}

/* Tiles of all heights, steps and distances: who meets is waited for, and in whole units nobody else.  */
static void waits_are_what_meets(void **state)
{
    (void)state;
    unsigned random = 1;
    for (int n = 0; n < 4000; n++) {
        int r[10];
        for (int i = 0; i < 10; i++) {
            random = random * 1664525 + 1013904223;
            r[i] = (int)(random >> 16);
        }
        struct ws_use stores = rows_of(r[0] % 8, 16, 1, 1 + r[1] % 4, 1 + r[2] % 4, r[3] % 2 * (r[3] / 2 % 16));
        struct ws_use loads = rows_of(r[4] % 8, 16, 0, 1 + r[5] % 4, r[6] % 4, r[7] % 3);
        struct ws_use other = rows_of(60, 4, 0, 4, 0, 0), last = rows_of(50, 4, 1, 1, 1, 0);
        loads.in.low = r[8] % 3 * ROW;
        begin();
        launch(other, stores, 4, 0);
        struct ws_together b = launch(loads, last, 5, 0);
        ws_together_end_();
        if (!b.early)
            continue;
        for (int i = 0; i < 5 * 3 * 4 * 3; i++) {
            int p[2] = {i % 5, i / 5 % 3}, q[2] = {i / 15 % 4, i / 60};
            int wanted = meet(&loads, &loads.in, p, &stores, &stores.out, q);
            assert_int_equal(b.nwaits && waits_for(&b.waits[0], p, q), wanted);
        }
    }
}

/* Device r stores rows 16 r to 16 r + 16, and then loads those of the next one and stores 48 + 4 r on.  */
static void two_loops(struct ws_together first[3], struct ws_together second[3], int n, int stored)
{
    begin();
    ws_devices_begin_(n);
    for (int r = 0; r < n; r++) {
        ws_devices_next_(r);
        first[r] = launch(rows_of(60, 4, 0, 4, 0, 0), rows_of(16 * r, 16, 1, 4, 4, 0), 4, 0);
    }
    ws_devices_end_();
    ws_devices_begin_(n);
    for (int r = 0; r < n; r++) {
        ws_devices_next_(r);
        second[r] = launch(rows_of((r + 1) % n * 16, 16, 0, 2, 2, 0), rows_of(stored + 4 * r, 4, 1, 1, 1, 0), 8, 0);
    }
    ws_devices_end_();
    ws_together_end_();
}

static void tiles_wait_for_other_devices(void **state)
{
    (void)state;
    struct ws_together first[3], second[3];
    two_loops(first, second, 3, 48);
    for (int r = 0; r < 3; r++) {
        const struct ws_wait *w = &second[r].waits[0];
        assert_true(first[r].system && second[r].early && second[r].nwaits == 1);
        assert_int_equal(w->device, (r + 1) % 3);
        assert_ptr_equal(w->words, first[(r + 1) % 3].words);
        assert_int_equal(w->first, first[(r + 1) % 3].first);
        assert_ptr_not_equal(first[r].words, first[(r + 1) % 3].words);
    }
    assert_string_equal(said, "device 0\nopen 8192\ndevice 1\nopen 8192\ndevice 2\nopen 8192\nleave 0\n"
                              "device 0 again\ndevice 1 again\ndevice 2 again\nleave 0\nleave 3\n");
}

static void devices_wait_for_all_where_tiles_cannot(void **state)
{
    (void)state;
    struct ws_together first[3], second[3];
    two_loops(first, second, 2, 56); /* device 1 stores what device 0 has loaded */
    assert_true(second[0].early && second[0].nwaits == 1);
    assert_false(second[1].early || second[1].nwaits);
    assert_non_null(strstr(said, "device 0 again\ndevice 1 again\nwait for 2\nleave 0\n"));
}

/* Each stores what others have loaded in the loop before, and none waits for the others of its own loop.  */
static void devices_wait_for_earlier_loops(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 2; i++) {
        ws_devices_begin_(3);
        for (int r = 0; r < 3; r++) {
            ws_devices_next_(r);
            struct ws_together t =
                launch(rows_of(48 * !i, 16, 0, 4, 4, 0), rows_of(48 * i + 4 * r, 4, 1, 1, 1, 0), 4, 0);
            assert_int_equal(t.behind, i ? 2 : 1);
            assert_false(t.early || t.nwaits);
        }
        ws_devices_end_();
    }
    ws_together_end_();
    assert_non_null(strstr(said, "device 0 again\nwait for 3\ndevice 1 again\nwait for 3 as before\n"
                                 "device 2 again\nwait for 3 as before\nleave 0\nleave 3\n"));
}

static void devices_that_are_one_meet_between_loops(void **state)
{
    (void)state;
    struct ws_together first[3], second[3];
    are_apart = 0;
    two_loops(first, second, 2, 48);
    are_apart = 1;
    assert_false(first[0].system || second[0].early || second[0].nwaits || second[1].nwaits);
    assert_non_null(strstr(said, "device 1\nopen 8192\nleave 2\nleave 0\ndevice 0\ndevice 1\nleave 2\n"));
}

static void loop(int devices)
{
    for (int r = 0; r < devices; r++)
        ws_devices_next_(r);
}

/* Of loops right behind each other the caller's stream waits for the last one, and for as many devices as the longest
   has. */
static void loops_meet(void **state)
{
    (void)state;
    said[0] = 0;
    ws_devices_begin_(3);
    loop(3);
    ws_devices_again_(3);
    loop(1);
    ws_devices_again_(2);
    loop(2);
    ws_devices_end_();
    assert_string_equal(said, "device 0 in\ndevice 1 in\ndevice 2 in\nmark 3\ndevice 0 met\nmark 3\n"
                              "device 0 met\ndevice 1 met\nleave 3\n");
    said[0] = 0;
    ws_devices_begin_(3);
    ws_devices_again_(2); /* behind none */
    loop(2);
    ws_devices_end_();
    assert_string_equal(said, "device 0 in\ndevice 1 in\nleave 2\n");
    said[0] = 0;
    begin();
    ws_devices_begin_(2);
    loop(2);
    ws_devices_again_(2);
    loop(2);
    ws_devices_end_();
    ws_together_end_();
    assert_null(strstr(said, "met"));
    assert_non_null(strstr(said, "again"));
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
    assert_string_equal(said, "device 0 in\ndevice 1 in\nleave 2\n");
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
        cmocka_unit_test(tiles_wait_for_what_they_load),
        cmocka_unit_test(others_wait_for_the_end),
        cmocka_unit_test(what_was_not_launched_is_not_waited_for),
        cmocka_unit_test(waits_are_what_meets),
        cmocka_unit_test(a_block_may_be_long),
        cmocka_unit_test(tiles_wait_for_other_devices),
        cmocka_unit_test(devices_wait_for_all_where_tiles_cannot),
        cmocka_unit_test(devices_that_are_one_meet_between_loops),
        cmocka_unit_test(devices_wait_for_earlier_loops),
        cmocka_unit_test(loops_meet),
        cmocka_unit_test(devices_are_entered_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
