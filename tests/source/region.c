/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of the region IR reads back to itself, text that is none is refused at its line and column, and the
   interpreter has C's semantics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interpret.h"

static char last_message[400];
static int last_line, last_column;

static void remember(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)kind;
    last_line = loc.line;
    last_column = loc.column;
    snprintf(last_message, sizeof last_message, "%s", message);
}

static char *printed(const SourceUnit *unit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    source_print(unit, out, (SourceTextOptions){.places = true, .names = true});
    fclose(out);
    return text;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char everything[] = "pragma 0 \"grid\" @8:9\n"
                                 "data table 8 8 static thread defined known = 0102030405060708\n"
                                 "  at 0 string \"hello\" 1\n"
                                 "  at 8 function sum\n"
                                 "data counter 4 4\n"
                                 "fail other: a type that C has: no, not this\n"
                                 "func f32 sum (i32 n.1, p x.2, ...) static inline @1:7\n"
                                 "  var f32 s.3\n"
                                 "  var i32 i.4\n"
                                 "  obj a.5 48 16\n"
                                 "  name n.1 \"n\" \"int\"\n"
                                 "  name x.2 \"x\" \"const float *\" f32:4[?][n.1][3] const restrict\n"
                                 "  name s.3 \"s\" \"float\"\n"
                                 "  name i.4 \"\" \"\"\n"
                                 "  name a.5 \"a\" \"float\" f32:4[12] volatile\n"
                                 "B0:\n"
                                 "  mark 2 @2:1\n"
                                 "  s.3 = copy.f32 -0x1.8p-3 @3:11 in outer @7:3 in main @9:1\n"
                                 "  i.4 = copy.i32 -5\n"
                                 "  t1 = conv.i32.u64 i.4\n"
                                 "  t2 = mul.u64 t1, 18446744073709551615\n"
                                 "  t3 = add.p x.2, t2\n"
                                 "  t4 = load.volatile.f32 t3\n"
                                 "  t5 = addr a.5\n"
                                 "  store.f32 t5, t4\n"
                                 "  move t5, t3, 12\n"
                                 "  zero t5, 48\n"
                                 "  t6 = string \"a\\x22\\x0a\"\n"
                                 "  t7 = global table\n"
                                 "  t8 = function sum\n"
                                 "  t9 = allocate t1, 16\n"
                                 "  call.v printf(p t6, ..., f64 inf)\n"
                                 "  call.s:12 make(p t6, ..., s:12 t5, c32 t5)\n"
                                 "  call.v none(...) task 2 @5:3\n"
                                 "  call.v any(p t6, ...)\n"
                                 "  t10 = call.f32 *t8(i32 3, p t5)\n"
                                 "  t11 = uneq.f32 t10, nan\n"
                                 "  t12 = bits.f32.i32 t10\n"
                                 "  t13 = neg.f32 t10\n"
                                 "  t14 = select.f32 t11, t10, t13\n"
                                 "  branch t11, B1, B2\n"
                                 "B1:\n"
                                 "  switch.i32 i.4, -1:B1 3..5:B2 default:B3\n"
                                 "B2:\n"
                                 "  jump B3\n"
                                 "B3:\n"
                                 "  return s.3 @6:5\n"
                                 "end\n"
                                 "func s:24 aggregate (p r.1, s:24 x.2) noreturn\n"
                                 "  name r.1 \"\" \"\"\n"
                                 "  name x.2 \"x\" \"struct s\" v:24\n"
                                 "B0:\n"
                                 "  return\n"
                                 "B1:\n"
                                 "  unreachable\n"
                                 "end\n";

static void reads_back(void **state)
{
    (void)state;
    Module *module = module_new("x.c", NULL, remember, NULL);
    SourceUnit *unit = source_parse(module, everything, "text");
    assert_non_null(unit);
    char *text = printed(unit);
    assert_string_equal(text, everything);
    free(text);
    module_free(module);
}

static void refuses(const char *text, int line, int column, const char *message)
{
    Module *module = module_new("x.c", NULL, remember, NULL);
    assert_null(source_parse(module, text, "text"));
    assert_string_equal(last_message, message);
    assert_int_equal(last_line, line);
    assert_int_equal(last_column, column);
    module_free(module);
}

static void refuses_what_is_none(void **state)
{
    (void)state;
    refuses("function\n", 1, 1, "a line begins with pragma, data, fail or func");
    refuses("func f31 x ()\n", 1, 9, "'f31' is not a type");
    refuses("func v x ()\nB0:\n  return\n", 4, 1, "'end' is missing");
    refuses("func v x ()\nB0:\nend\n", 3, 4, "the block above does not end with a jump");
    refuses("func v x ()\nB0:\n  jump B7\nend\n", 3, 1, "there is no block B7");
    refuses("func v x ()\nB0:\n  t1 = plus.i32 1, 2\n", 3, 8, "there is no operation 'plus'");
    refuses("func v x ()\nB0:\n  t1 = add.i32 1, y.1\n", 3, 19, "there is no variable 'y.1'");
    refuses("func v x ()\nB0:\n  add.i32 1, 2\n", 3, 3, "the result of 'add' is missing");
    refuses("func v x ()\nB0:\n  return 1 2\n", 3, 12, "the line goes on behind its end");
    refuses("func v x ()\n  return\n", 2, 9, "the instruction stands in no block");
    refuses("func v x (i32 a.1, p a.1)\n", 1, 25, "'a.1' is declared twice");
    refuses("func v x ()\nB0:\n  t1 = string \"a\n", 3, 16, "the string does not end");
    refuses("data x -2 1\n", 1, 10, "the number of bytes is below 0");
    refuses("data x 2 1 = 01\n", 1, 16, "'x' has 2 bytes");
}

/* Each prefix, and each text with one byte changed, is accepted or refused.  */
static void survives_every_change(void **state)
{
    (void)state;
    char text[sizeof everything];
    for (size_t i = 0; i + 1 < sizeof everything; i++) {
        Module *module = module_new("x.c", NULL, remember, NULL);
        memcpy(text, everything, sizeof everything);
        text[i] = 0;
        source_parse(module, text, "text");
        text[i] = (char)(' ' + (i * 7) % 95);
        source_parse(module, text, "text");
        module_free(module);
    }
}

/* ---- execution --------------------------------------------------------------------------------------------------- */

/* Runs `func T f (T x.1, T y.2)` whose body is `t1 = OPERATION x.1, y.2`.  */
static const char *run(const char *type, const char *operation, const char *operands, uint64_t x, uint64_t y,
                       uint64_t *result)
{
    static char error[400];
    char text[400];
    const char *dot = strrchr(operation, '.');
    snprintf(text, sizeof text, "func %s f (%s x.1, %s y.2)\nB0:\n  t1 = %s %s @5:9\n  return t1\nend\n", type,
             source_op_form(SO_CONV) == FORM_CONVERT && !strncmp(operation, "conv", 4) ? "u64" : dot + 1, dot + 1,
             operation, operands);
    Module *module = module_new("x.c", NULL, remember, NULL);
    SourceUnit *unit = source_parse(module, text, "text");
    assert_non_null(unit);
    Interpreter *interpreter = interpreter_new(unit);
    const uint64_t arguments[] = {x, y};
    const bool good = interpreter_call(interpreter, "f", 2, arguments, result);
    snprintf(error, sizeof error, "%s", interpreter_error(interpreter));
    interpreter_free(interpreter);
    module_free(module);
    return good ? NULL : error;
}

static uint64_t value(const char *type, const char *operation, uint64_t x, uint64_t y)
{
    uint64_t result = 0;
    assert_null(run(type, operation, "x.1, y.2", x, y, &result));
    return result;
}

static void undefined(const char *operation, uint64_t x, uint64_t y, const char *message)
{
    const char *error = run("i32", operation, "x.1, y.2", x, y, NULL);
    assert_non_null(error);
    assert_string_equal(error, message);
}

static void computes(void **state)
{
    (void)state;
    assert_int_equal(value("u8", "add.u8", 200, 100), 44);
    assert_int_equal(value("i32", "div.i32", (uint64_t)-7, 2), -3);
    assert_int_equal(value("i32", "rem.i32", (uint64_t)-7, 2), -1);
    assert_int_equal(value("i32", "shr.i32", (uint64_t)-8, 1), -4);
    assert_int_equal(value("u32", "shr.u32", 0xfffffff8, 1), 0x7ffffffc);
    assert_int_equal(value("u32", "rotl.u32", 0x80000001, 1), 3);
    assert_int_equal(value("u8", "rotr.u8", 1, 1), 128);
    assert_int_equal(value("b", "lt.u32", 0xffffffff, 1), 0);
    assert_int_equal(value("b", "lt.i32", (uint64_t)-1, 1), 1);
    assert_int_equal(value("i64", "sub.p", 8, 24), -16);
    assert_int_equal(value("b", "unlt.f32", 0x7fc00000, 0), 1);
    assert_int_equal(value("b", "lt.f32", 0x7fc00000, 0), 0);
    assert_int_equal(value("f32", "add.f32", 0x3f800000, 0x33800000), 0x3f800000); /* 1 + 2^-24 */
    assert_int_equal(value("f32", "div.f32", 0x3f800000, 0x40400000), 0x3eaaaaab);
}

static void reports_what_is_undefined(void **state)
{
    (void)state;
    undefined("add.i32", 2147483647, 1, "f @5:9: signed overflow in add.i32");
    undefined("mul.i32", 65536, 65536, "f @5:9: signed overflow in mul.i32");
    undefined("div.i32", (uint64_t)INT32_MIN, (uint64_t)-1, "f @5:9: signed overflow in div.i32");
    undefined("div.i32", 1, 0, "f @5:9: a division by 0");
    undefined("rem.i32", 1, 0, "f @5:9: a division by 0");
    undefined("shl.i32", 1, 32, "f @5:9: a shift by 32 of 32 bits");
    undefined("shl.i32", 1, (uint64_t)-1, "f @5:9: a shift by -1 of 32 bits");
    assert_int_equal(value("u32", "mul.u32", 65536, 65536), 0);
}

static const char calls[] = "func i32 power (i32 x.1, i32 n.2)\n"
                            "  var i32 v.3\n"
                            "B0:\n"
                            "  v.3 = copy.i32 1\n"
                            "  jump B1\n"
                            "B1:\n"
                            "  switch.i32 n.2, 0:B3 -9..-1:B3 default:B2\n"
                            "B2:\n"
                            "  t1 = mul.i32 v.3, x.1\n"
                            "  v.3 = copy.i32 t1\n"
                            "  t2 = sub.i32 n.2, 1\n"
                            "  n.2 = copy.i32 t2\n"
                            "  jump B1\n"
                            "B3:\n"
                            "  return v.3\n"
                            "end\n"
                            "func f64 f (i32 x.1)\n"
                            "  obj o.2 16 8\n"
                            "B0:\n"
                            "  t1 = call.i32 power(i32 x.1, i32 3)\n"
                            "  t2 = addr o.2\n"
                            "  zero t2, 16\n"
                            "  t3 = add.p t2, 8\n"
                            "  t4 = conv.i32.f64 t1\n"
                            "  store.f64 t3, t4\n"
                            "  move t2, t3, 8\n"
                            "  t5 = load.f64 t2\n"
                            "  t6 = call.f64 sqrt(f64 t5)\n"
                            "  t7 = string \"%d\"\n"
                            "  t8 = call.i32 snprintf(p t2, u64 16, p t7, i32 t1)\n"
                            "  t9 = conv.i32.f64 t8\n"
                            "  t10 = add.f64 t6, t9\n"
                            "  return t10\n"
                            "end\n";

static void calls_and_remembers(void **state)
{
    (void)state;
    Module *module = module_new("x.c", NULL, remember, NULL);
    SourceUnit *unit = source_parse(module, calls, "text");
    assert_non_null(unit);
    Interpreter *interpreter = interpreter_new(unit);
    const uint64_t four = 4;
    uint64_t bits = 0;
    double result = 0;
    assert_true(interpreter_call(interpreter, "f", 1, &four, &bits));
    memcpy(&result, &bits, sizeof result);
    assert_true(result == 10); /* sqrt (64), and two digits */
    assert_int_equal(interpreter_functions(interpreter), 2);
    interpreter_free(interpreter);
    module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(survives_every_change),
        cmocka_unit_test(computes),
        cmocka_unit_test(reports_what_is_undefined),
        cmocka_unit_test(calls_and_remembers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
