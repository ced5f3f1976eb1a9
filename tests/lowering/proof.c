/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The proof compares with what freeze found: a later pass that changes the body is found out. And what is too large to
   be proved is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lower.h"
#include "ir/parse.h"
#include "proof/protocol.h"
#include "target/machine.h"

static const char text[] = "kernel copy(%M: i32, %X: ptr<f32>, %Y: ptr<f32>) grid(1) {\n"
                           "  body {\n"
                           "    %x: tensor<f32,2> = tensor %X, %M, 64, 64, 1\n"
                           "    %y: tensor<f32,2> = tensor %Y, %M, 64, 64, 1\n"
                           "    for %i: i32 = 0, < %M, 64 {\n"
                           "      %t: tile<f32,64x64> = load %x, %i, 0\n"
                           "      %u: tile<f32,64x64> = full 1\n"
                           "      %v = add %t, %u\n"
                           "      store %y, %i, 0, %v\n"
                           "    }\n"
                           "  }\n"
                           "}\n";

static char heard[400];

static void listen(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)loc;
    if (kind == DIAG_ERROR && !*heard)
        snprintf(heard, sizeof heard, "%s", message);
}

static void visit_full(Op *op, void *context)
{
    (void)context;
    if (op->code == OP_FULL)
        op->tile->value = 2;
}

static bool lower(bool spoil)
{
    *heard = 0;
    Module *module = ir_parse(text, "case.ir", &machine_hopper, listen, NULL);
    assert_non_null(module);
    lower_range(module, 0, find_pass("plan"), NULL, NULL);
    assert_false(module->failed);
    if (spoil)
        ir_walk(module->kernels->body, visit_full, NULL);
    int verify = find_pass("verify");
    passes[verify].run(module->kernels);
    bool failed = module->failed;
    module_free(module);
    return !failed;
}

static void test_body_is_kept(void **state)
{
    (void)state;
    assert_true(lower(false));
}

static void test_changed_body_is_found(void **state)
{
    (void)state;
    assert_false(lower(true));
    assert_non_null(strstr(heard, "the body is not what was frozen"));
}

static void test_nothing_passes_unproved(void **state)
{
    Labels labels[32];
    (void)state;
    for (int most = 0; most < 100; most += 99) {
        *heard = 0;
        Module *module = ir_parse(text, "case.ir", &machine_hopper, listen, NULL);
        assert_non_null(module);
        lower_range(module, 0, find_pass("plan"), NULL, NULL);
        assert_true(validate_programs(module->kernels, labels));
        assert_int_equal(protocol_holds_within(module->kernels, labels, NULL, most), most > 0);
        assert_int_equal(module->failed, most == 0);
        assert_int_equal(strstr(heard, "too many to prove that none waits for ever") != NULL, most == 0);
        module_free(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body_is_kept),
        cmocka_unit_test(test_changed_body_is_found),
        cmocka_unit_test(test_nothing_passes_unproved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
