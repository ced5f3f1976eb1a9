/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host.c - errors, the log, the stream and memory around the kernels; a backend in the host's place.
 */
#include "reference.h"
#include "ws/backend.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void errors_are_read_once(void **state)
{
    (void)state;
    assert_int_equal(ws_last_error(), WS_OK);
    assert_int_equal(ws_error_set(WS_ERR_LAUNCH, "kernel %s: %d", "gemm", 3), WS_ERR_LAUNCH);
    assert_int_equal(ws_error_set(WS_ERR_MEMORY, "a later one"), WS_ERR_MEMORY);
    assert_int_equal(ws_error_pending(), WS_ERR_LAUNCH);
    assert_string_equal(ws_error_message(), "kernel gemm: 3");
    assert_int_equal(ws_last_error(), WS_ERR_LAUNCH);
    assert_string_equal(ws_error_message(), "kernel gemm: 3");
    assert_int_equal(ws_last_error(), WS_OK);
    ws_error_set(WS_OK, "nothing");
    assert_int_equal(ws_last_error(), WS_OK);
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    ws_error_set(WS_ERR_TYPE, "%s", long_text);
    assert_true(strlen(ws_error_message()) < sizeof long_text);
    assert_int_equal(ws_last_error(), WS_ERR_TYPE);
}

static void *error_elsewhere(void *argument)
{
    ws_error_set(WS_ERR_DEVICE, "another thread's");
    assert_int_equal(ws_last_error(), WS_ERR_DEVICE);
    ws_set_stream(argument);
    return ws_stream();
}

static void threads_keep_their_errors(void **state)
{
    pthread_t thread;
    void *result;
    int mark;
    (void)state;
    ws_set_stream(&thread);
    assert_int_equal(pthread_create(&thread, NULL, error_elsewhere, &mark), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, &mark);
    assert_ptr_equal(ws_stream(), &thread);
    assert_int_equal(ws_last_error(), WS_OK);
    ws_set_stream(NULL);
}

static char logged[512];

static void keep_line(const char *text, void *user)
{
    snprintf(logged, sizeof logged, "%s%s", (const char *)user, text);
}

static void the_log_is_the_users(void **state)
{
    (void)state;
    ws_log_line("nobody listens");
    ws_set_log(keep_line, "> ");
    ws_log_line("leading dimension %d", 7);
    assert_string_equal(logged, "> leading dimension 7");
    ws_set_log(NULL, NULL);
    ws_log_line("nobody listens");
    assert_string_equal(logged, "> leading dimension 7");
}

static void memory_of_the_host(void **state)
{
    (void)state;
    char from[100] = "text", *p = ws_alloc(100);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 128, 0);
    assert_int_equal(ws_copy(p, from, 100), WS_OK);
    assert_string_equal(p, "text");
    assert_int_equal(ws_sync(), WS_OK);
    ws_free(p);
    ws_free(NULL);
    p = ws_alloc(0);
    assert_non_null(p);
    ws_free(p);
    if (!SANITIZED) {
        assert_null(ws_alloc((size_t)-1 / 2));
        assert_int_equal(ws_last_error(), WS_ERR_MEMORY);
    }
    assert_int_equal(ws_copy(NULL, from, 1), WS_ERR_ARGUMENT);
    assert_string_equal(ws_error_message(), "ws_copy: the destination pointer is null");
    assert_int_equal(ws_last_error(), WS_ERR_ARGUMENT);
    assert_int_equal(ws_copy(NULL, from, 0), WS_OK);
}

static void or_die_prints(void **state)
{
    int status = 0, ends[2];
    char text[200] = "";
    (void)state;
    ws_or_die(WS_OK);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        ws_or_die(ws_error_set(WS_ERR_DEVICE, "no device of sm_90"));
        _exit(77);
    }
    close(ends[1]);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_string_equal(text, "ws: no device of sm_90\n");
}

static int copies, syncs;
static char device[64];

static void *device_alloc(size_t bytes)
{
    return bytes <= sizeof device ? device : NULL;
}

static void device_free(void *p)
{
    assert_ptr_equal(p, device);
}

static ws_status device_copy(void *to, const void *from, size_t bytes)
{
    copies++;
    memcpy(to, from, bytes);
    return WS_OK;
}

static ws_status device_sync(void)
{
    syncs++;
    return WS_OK;
}

static int is_device_pointer(const void *p)
{
    return p == device;
}

/* Last: a backend stays.  */
static void a_device_takes_over(void **state)
{
    static const struct ws_backend first = {"cuda",      device_alloc, device_free,
                                            device_copy, device_sync,  is_device_pointer};
    static const struct ws_backend second = {"cuda",      device_alloc, device_free,
                                             device_copy, device_sync,  is_device_pointer};
    (void)state;
    assert_string_equal(ws_backend_current()->name, "host");
    assert_int_equal(ws_backend_current()->is_device_pointer(device), 0);
    ws_backend_register(&first);
    ws_backend_register(&second);
    assert_ptr_equal(ws_backend_current(), &first);
    void *p = ws_alloc(10);
    assert_ptr_equal(p, device);
    assert_int_equal(ws_copy(p, "x", 2), WS_OK);
    assert_int_equal(ws_sync(), WS_OK);
    assert_int_equal(copies + 10 * syncs, 11);
    ws_free(p);
    assert_null(ws_alloc(1000));
    assert_int_equal(ws_last_error(), WS_ERR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_read_once), cmocka_unit_test(threads_keep_their_errors),
        cmocka_unit_test(the_log_is_the_users), cmocka_unit_test(memory_of_the_host),
        cmocka_unit_test(or_die_prints),        cmocka_unit_test(a_device_takes_over),
    };
    return cmocka_run_group_tests_name("runtime/host", tests, NULL, NULL);
}
