/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the passes before freeze refuse: each reason by a text that has nothing else wrong, at the line that causes
   it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lower.h"
#include "ir/parse.h"
#include "target/machine.h"

typedef struct {
    char error[400], note[400], warning[400];
    int line, errors;
} Heard;

static void listen(void *context, DiagKind kind, Loc loc, const char *message)
{
    Heard *heard = context;
    if (kind == DIAG_ERROR) {
        if (!heard->errors++) {
            heard->line = loc.line;
            snprintf(heard->error, sizeof heard->error, "%s", message);
        }
    } else if (kind == DIAG_NOTE) {
        snprintf(heard->note, sizeof heard->note, "%s", message);
    } else if (kind == DIAG_WARNING) {
        snprintf(heard->warning, sizeof heard->warning, "%s", message);
        heard->line = loc.line;
    }
}

/* Lines 1 to 5 are the same everywhere; a case begins in line 6.  */
#define HEAD(DIMS)                                                                        \
    "kernel k(%M: i32, %N: i32, %f: f32, %X: ptr<f32>, %Y: ptr<i32>) grid(" #DIMS ") {\n" \
    "  body {\n"                                                                          \
    "    %x: tensor<f32,2> = tensor %X, %M, %N, %N, 1\n"                                  \
    "    %y: tensor<i32,1> = tensor %Y, %M, 1\n"                                          \
    "    %h: tensor<f16,2> = tensor %X, %M, %N, %N, 1\n"
#define TAIL       "  }\n}\n"
#define GRID(BODY) HEAD(1) "    for %i: i32 = 0, < %M, 64 {\n" BODY "    }\n" TAIL
#define TILE       "%t: tile<f32,64x64> = load %x, %i, 0\n"
#define STORE      "store %x, %i, 0, %t\n"

static Heard lower(const char *text)
{
    Heard heard = {.errors = 0};
    Module *module = ir_parse(text, "case.ir", &machine_hopper, listen, &heard);
    if (!module)
        fail_msg("line %d: %s\n%s", heard.line, heard.error, text);
    lower_range(module, 0, find_pass("freeze"), NULL, NULL);
    assert_int_equal(module->failed, heard.errors > 0);
    module_free(module);
    return heard;
}

static const struct {
    const char *text;
    int line;
    const char *said, *remedy;
} cases[] = {
    /* the grid */
    {HEAD(5) "for %i: i32 = 0, < %M, 64 {\n" TILE STORE "}\n" TAIL, 1, "a grid has 1 to 4 dimensions, not 5",
     "fold dimensions"},
    {HEAD(2) "for %i: i32 = 0, < %M, 64 {\n" TILE STORE "}\n" TAIL, 1,
     "grid(2) needs 2 nested loops, but only 1 follow", "nest the loops directly"},
    {HEAD(2) "for %i: i32 = 0, < %M, 64 {\nfor %j: i32 = 0, < %i, 64 {\n" TILE STORE "}\n}\n" TAIL, 7,
     "depend on the other grid variable 'i'", "'continue'"},
    {HEAD(2) "for %i: i32 = 0, < %M, 64 {\n%n = at %y, 0\n%e: i32 = scalar_convert %n\nfor %j: i32 = 0, < %e, 64 "
             "{\n" TILE STORE "}\n}\n" TAIL,
     9, "depend on memory", "'continue'"},
    {HEAD(1) "%n = at %y, 0\n%e: i32 = scalar_convert %n\nfor %i: i32 = 0, < %e, 64 {\n" TILE STORE "}\n" TAIL, 8,
     "depend on memory", "'continue'"},
    {HEAD(1) "%e = for %q: i32 = 0, < %N, 1; %v = %M {\n%w = scalar_mul %v, %v\nyield %w\n}\nfor %i: i32 = 0, < %e, 64 "
             "{\n" TILE STORE "}\n" TAIL,
     10, "computed by control flow inside the region", "before the region"},
    {HEAD(1) "for %i: i32 = 0, < %M, -64 {\n" TILE STORE "}\n" TAIL, 6,
     "the step of this grid loop does not lead towards its bound", "i += 128"},
    {HEAD(1) "for %i: i32 = 0, > %M, 64 {\n" TILE STORE "}\n" TAIL, 6, "does not lead towards its bound", "i += 128"},
    {HEAD(1) "for %i: i32 = 0, != %M, 64 {\n" TILE STORE "}\n" TAIL, 6, "is compared with '<', '<=', '>' or '>='",
     "i += 128"},
    {HEAD(1) "%z: tile<f32,64x64> = full 0\n%r = for %i: i32 = 0, < %M, 64; %c = %z {\n" TILE
             "%d = add %c, %t\nstore %x, %i, 0, %d\nyield %d\n}\n" TAIL,
     7, "a tile is carried from one iteration of the grid to the next: 'r'", "independent"},
    {HEAD(1) "%r = for %i: i32 = 0, < %M, 64; %c = 0 {\n%t: tile<f32,64x64> = load %x, %c, 0\nstore %x, %c, 0, %t\n"
             "%d = scalar_add %c, 64\nyield %d\n}\n" TAIL,
     6, "'r' is carried from one iteration", "from the loop variables"},
    {HEAD(2) "for %i: i32 = 0, < %M, 64 {\n" TILE "for %j: i32 = 0, < %N, 64 {\nstore %x, %i, %j, %t\n}\n}\n" TAIL, 7,
     "only scalar code may stand between the loops of a grid, and this is ws_load", "innermost"},
    {HEAD(1) "%i = scalar_add %M, 0\n" TILE "for %j: i32 = 0, < %N, 64 {\nstore %x, %j, 0, %t\n}\n" TAIL, 7,
     "ws_load stands outside the loops of the grid", "innermost"},
    {HEAD(1) "%r = while %i = 0 {\n%c = scalar_lt %i, %M\ncond %c, %i\n} do %i.2 {\n%t: tile<f32,64x64> = load %x, "
             "%i.2, 0\n"
             "store %x, %i.2, 0, %t\n%n = scalar_add %i.2, 64\nyield %n\n}\n" TAIL,
     6, "is not known before the loop runs", "without break and return"},
    {HEAD(1) "for %i: i32 = 0, < %M, 64 pipeline(2) {\n" TILE STORE "}\n" TAIL, 6,
     "a loop of the grid cannot be pipelined", "inside the grid"},
    {GRID("%e: tensor<f32,2> = tensor %X, %i, %N, %N, 1\n" TILE "store %e, 0, 0, %t\n"), 7,
     "this tensor's base or extents change inside the region", "ws_slice"},
    {GRID("for %a: i32 = 0, < %N, 64 pipeline(2) {\nfor %b: i32 = 0, < %N, 64 pipeline(2) {\n"
          "%t: tile<f32,64x64> = load %x, %a, %b\n" STORE "}\n}\n"),
     7, "contains another pipelined loop", "inner loop"},
    {GRID("for %a: i32 = 0, < %N, -64 {\n%t: tile<f32,64x64> = load %x, %i, %a\n" STORE "}\n"), 7,
     "steps away from its bound", "reverse"},
    {GRID("%e: tensor<f32,2> = tensor %X, %M, %N, %N, 2\n" TILE "store %e, %i, 0, %t\n"), 7, "and here it is 2",
     "stride 1"},
    {GRID(TILE), 1, "this region has no effect", "ws_store"},

    /* values */
    {GRID("%z: tile<f32,64x1> = full 0\n%t = for %k: i32 = 0, < %N, 64; %c = %z {\n%u: tile<f32,64x64> = load %x, %i, "
          "%k\n"
          "%d = add %c, %u\nyield %d\n}\n" STORE),
     8, "'c' is a (64,1) tile of f32 before the loop and a (64,64) tile of f32 after an iteration", "keep one type"},
    {GRID("%q = scalar_lt %i, 3\n%t = if %q {\n%u: tile<f32,64x64> = full 0\nyield %u\n} else {\n%u: tile<f32,64x32> = "
          "full "
          "0\n"
          "yield %u\n}\n" STORE),
     8, "'t' is a (64,64) tile of f32 in one branch and a (64,32) tile of f32 in the other", "one type"},
    {GRID("%q = scalar_lt %i, 3\n%s = if %q {\nyield %x\n} else {\n%b = slice %x, 0, 3 dim=0\nyield %b\n}\n" TILE
          "store %s, %i, 0, %t\n"),
     8, "a tensor is chosen by a branch", "base pointer"},
    {GRID(TILE "%m = row_max %t\n%s = slice %x, 0, 3 dim=0\n%r = for %k: i32 = 0, < %N, 1; %v = %s {\n"
               "%w = slice %v, 0, 1 dim=0\nyield %w\n}\nstore_col %r, 0, %i, %m\n"),
     10, "a tensor is chosen by a branch or changes in a loop", "base pointer"},
    {GRID(TILE "if %t {\n" STORE "}\n"), 8, "a tile is used as a condition", "ws_select"},
    {GRID(TILE "%u: tile<f32,64x64> = load %x, %t, 0\n" STORE), 8,
     "a tile is used as a condition, a bound or a coordinate", "ws_select"},
    {GRID("%t: tile<f32,64x64> = load %x, %f, 0\n" STORE), 7, "a coordinate is an integer, not f32",
     "convert it to long"},
    {GRID("%q = scalar_add %i, 1:i64\n" TILE "store %x, %q, 0, %t\n"), 7,
     "'scalar_add' gets operands of type i32 and i64", NULL},
    {GRID(TILE "%u = cast %t\n" STORE), 8, "the shape or element type of 'u' is not known here", "constants"},
    {GRID("%e = tensor %X, %M, %N, %N, 1\n" TILE "store %e, %i, 0, %t\n"), 7,
     "the element type of this tensor is not visible", "same function"},
    {GRID("%a: tile<f16,64x24> = load %h, %i, 0\n%b: tile<f16,24x64> = load %h, 0, %i\n%z: tile<f32,64x64> = full 0\n"
          "%t = dot %a, %b, %z\n" STORE),
     10, "ws_dot does not have the shape M = 64, N = 64, K = 24 for f16", "pad the tile"},

    /* rules.c has its own tests: that its verdicts arrive is seen by one of each kind */
    {GRID(TILE "%u: tile<f16,64x64> = load %h, %i, 0\n%v = add %t, %u\n" STORE), 9,
     "ws_add: the operands are f32 and f16", "ws_cast"},
    {GRID(TILE "store %h, %i, 0, %t\n"), 8, "ws_store: the tile is f32 and the tensor f16", "ws_cast"},
    {GRID("%t: tile<f32,64x64> = load %x, %i, 0, 0\n" STORE), 7, "ws_load: the tensor has rank 2", "suffix"},
    {GRID(TILE "%v = and %t, %t\n" STORE), 8, "ws_and: operand 1 is a tile, not a mask", "ws_lt"},
};

static void each_reason_is_said_at_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Heard heard = lower(cases[i].text);
        if (!strstr(heard.error, cases[i].said) || heard.line != cases[i].line)
            fail_msg("case %zu: expected line %d: %s\ngot line %d: %s\n%s", i, cases[i].line, cases[i].said, heard.line,
                     heard.error, cases[i].text);
        if (cases[i].remedy && !strstr(heard.note, cases[i].remedy))
            fail_msg("case %zu: expected a note with '%s', got '%s'", i, cases[i].remedy, heard.note);
    }
}

/* ---- -Wws-padded-reduction --------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    bool warns;
} reductions[] = {
    {GRID(TILE "%m = row_max %t\nstore_col %x, 0, %i, %m\n"), true},
    {GRID("%t: tile<f32,64x64> = load %x, %i, 0 fill=-inf\n%m = row_max %t\nstore_col %x, 0, %i, %m\n"), false},
    {GRID(TILE "%m = row_sum %t\nstore_col %x, 0, %i, %m\n"), false},
    {GRID(TILE "%e = exp %t\n%m = row_sum %e\nstore_col %x, 0, %i, %m\n"), true},
    {GRID(TILE "%e = mul %t, %t\n%m = row_sum %e\nstore_col %x, 0, %i, %m\n"), false},
    {GRID(TILE "%c: tile<i32,1x64> = col_index\n%q = lt %c, %N\n%e = exp %t\n%s = select %q, %e, 0\n%m = row_sum %s\n"
               "store_col %x, 0, %i, %m\n"),
     false},
    {GRID(TILE "%e = abs %t\n%m = row_max %e\nstore_col %x, 0, %i, %m\n"), false},
    {GRID(TILE "%e = abs %t\n%m = row_min %e\nstore_col %x, 0, %i, %m\n"), true},
    {GRID(TILE "%m = col_max %t\nstore_row %x, 0, 0, %m\n"), true},
    {HEAD(1) "%w: tensor<f32,2> = tensor %X, %M, 128, 128, 1\nfor %i: i32 = 0, < %M, 64 {\n"
             "%z: tile<f32,64x1> = full 0\n%r = for %k: i32 = 0, < 128, 64; %c = %z {\n%t: tile<f32,64x64> = load %w, "
             "%i, %k\n"
             "%m = row_max %t\n%d = max %c, %m\nyield %d\n}\nstore_col %x, 0, %i, %r\n}\n" TAIL,
     false},
    {HEAD(1) "%w: tensor<f32,2> = tensor %X, %M, 100, 100, 1\nfor %i: i32 = 0, < %M, 64 {\n"
             "%z: tile<f32,64x1> = full 0\n%r = for %k: i32 = 0, < 100, 64; %c = %z {\n%t: tile<f32,64x64> = load %w, "
             "%i, %k\n"
             "%m = row_max %t\n%d = max %c, %m\nyield %d\n}\nstore_col %x, 0, %i, %r\n}\n" TAIL,
     true},
};

static void a_reduction_over_padding_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        Heard heard = lower(reductions[i].text);
        if (heard.errors)
            fail_msg("case %zu: line %d: %s\n%s", i, heard.line, heard.error, reductions[i].text);
        if ((*heard.warning != 0) != reductions[i].warns)
            fail_msg("case %zu: warning '%s'\n%s", i, heard.warning, reductions[i].text);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason_is_said_at_its_line),
        cmocka_unit_test(a_reduction_over_padding_is_reported),
    };
    return cmocka_run_group_tests_name("lowering/refusals", tests, NULL, NULL);
}
