#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels with ws_choice: all variants compute the same; what tuning measures, keeps, and does without.
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/tap.sh"

source=$top_srcdir/tests/programs/choices.c
plain=$work/plain program=$work/program table=$work/program.tuned

"$wscc" --ws-target=sequential -O1 "$source" -o "$plain" -lm && "$plain" >"$work/expected" || exit 99
build() { "$wscc" --ws-target=emulate -O1 "$source" -o "$program" -lm "$@"; }
ok 'compiles' build

same() { "$@" >"$work/out" 2>"$work/err" && cmp "$work/out" "$work/expected"; }
silent() { same "$@" && test ! -s "$work/err"; }
says() { # TEXT COMMAND...
    text=$1
    shift
    same "$@" && grep -q "$text" "$work/err" && test "$(wc -l <"$work/err")" -eq 1
}

ok 'by the estimates' silent "$program"
for variant in 0 1 2 3 4 5; do
    ok "variant $variant" silent env WS_CHOICE=$variant "$program"
done
ok 'one by its numbers' silent env WS_CHOICE=16 "$program"

# the same kernels at every level
for level in -O0 -O2 -O3 -Os; do
    "$wscc" --ws-target=emulate $level --ws-dump=types -S "$source" -o "$work/level.s" 2>/dev/null |
        sed 's/%[0-9]*//g' | grep -c '^kernel' >"$work/level$level"
done
ok 'as many kernels at -O0' cmp "$work/level-O0" "$work/level-O2"
ok 'as many kernels at -O3' cmp "$work/level-O3" "$work/level-O2"
ok 'as many kernels at -Os' cmp "$work/level-Os" "$work/level-O2"

# without a front end of ours it is a constant
cat >"$work/constant.c" <<'END'
#include <ws.h>
enum { ROWS = ws_choice(64, 128), COLS = ws_shape_n(ws_choice_shape(ws_shape(1, 32, 3), ws_shape(4, 5, 6))) };
int main(void)
{
    return ROWS + COLS != 96;
}
END
ok 'a constant of any C compiler' $host_cc -std=c11 -Wall -Werror -I "$top_srcdir/runtime/include" "$work/constant.c" \
    -o "$work/constant"
ok 'the first one' "$work/constant"

# what is left out, and why
remarks() { "$wscc" --ws-target=emulate -O1 --ws-show -c "$source" -o "$work/shown.o" 2>&1; }
shows() { remarks | grep -q "missed: no variant 2x64x1024x64 of 'gemm': "; }
ok 'a refused variant is a remark' shows

# tuning
tuned() { same env WS_TUNE=1 "$@"; }
ok 'tuning leaves the results' tuned "$program"
ok 'it says how far it is' grep -q '^ws: tune gemm .*: [1-9] of 4 variants, best .* s left$' "$work/err"
cp "$table" "$work/kept"
ok 'the table has a line for each variant' test "$(grep -c '^gemm [0-9a-f]* emulation 100,72 .*[0-9]$' "$table")" -eq 4
ok 'the next run reads it' silent "$program"
ok 'and measures nothing again' silent env WS_TUNE=1 "$program"
again() { rm "$table" && tuned "$program" && cmp "$table" "$work/kept"; }
ok 'the measure is the same each time' again
fastest() { # the variant that a run takes is the one with the least time
    best=$(grep "^halve .* taken$" "$table" | cut -d ' ' -f 5)
    WS_TRACE=$work/trace.json "$program" >/dev/null && grep -q "halve" "$work/trace.json" && test -n "$best"
}
ok 'a trace of what was taken' fastest

# interrupted: what was measured is not measured again
head -n 3 "$work/kept" >"$table"
printf 'gemm 12ab' >>"$table"
ok 'resumed' sh -c "WS_TUNE=1 '$program' >'$work/out' 2>'$work/err' && cmp '$work/out' '$work/expected'"
ok 'a torn line is said once' test "$(grep -c 'not a line of a table of tuned kernels' "$work/err")" -eq 1
sort "$work/kept" >"$work/a"
grep -v '^gemm 12ab$' "$table" | sort >"$work/b"
ok 'to the same table' cmp "$work/a" "$work/b"

# stale, corrupt, missing, unwritable
sed 's/^\([a-z_0-9]* \)[0-9a-f]*/\10123456789abcdef/' "$work/kept" >"$table"
ok 'of another build' says 'of another build, and not used' "$program"
head -c 3000 /dev/urandom | tr '\0' x >"$table"
ok 'of no build' says 'not a line of a table of tuned kernels' "$program"
sed 's/ [0-9.]*\( taken\)*$/ -5/' "$work/kept" >"$table"
ok 'times below 0' says 'not a line of a table' "$program"
rm "$table"
ok 'a table that is named and not there' says 'No such file' env WS_TUNED="$work/nowhere" "$program"
mkdir "$work/folder"
unwritable() { tuned env WS_TUNED="$work/folder" "$program" && grep -q 'cannot be written' "$work/err"; }
ok 'a table that cannot be written' unwritable
elsewhere() {
    tuned env WS_TUNED="$work/elsewhere" "$program" && cmp "$work/elsewhere" "$work/kept" && test ! -e "$table"
}
ok 'a table elsewhere' elsewhere

# The best ones are measured again in turns: a first time that was too long does not decide, nor what may be chance.
cat >"$work/again.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <ws/backend.h>
/* KERNEL LATER SLOW: the first variant, which is not the least estimate, takes so long later, and 12 in so many turns */
int main(int argc, char **argv)
{
    static const struct ws_variant variants[] = {{"1", 1}, {"2", 2}, {"3", 3}};
    struct ws_choices all = {argv[1], NULL, 3, variants, 0, NULL};
    static const double first[] = {11, 10, 30}, estimates[] = {7, 6, 8};
    double later[] = {atof(argv[argc - 2]), 10, 5};
    struct ws_choice c = {.of = &all, .device = "none", .may_measure = 1};
    int times[3] = {0}, slow = atoi(argv[argc - 1]), launched = 0;
    while (ws_choice_next(&c))
        if (ws_choosing() == WS_CHOOSING_ESTIMATES)
            ws_choice_tell(estimates[c.variant]);
        else if (ws_choosing() == WS_CHOOSING_BY_TIME && times[c.variant]++ == 0)
            ws_choice_tell(first[c.variant]);
        else if (ws_choosing() == WS_CHOOSING_BY_TIME)
            ws_choice_tell(c.variant == 0 && slow-- > 0 ? 12 : later[c.variant]);
        else
            launched++;
    printf("%s %d %d %d %d\n", variants[c.variant].numbers, times[0] > 1, times[1] > 1, times[2], launched);
    return 0;
}
END
tunes() { # KERNEL LATER SLOW WHAT-IT-PRINTS LAST-LINE
    test "$(WS_TUNE=1 "$work/again" "$1" "$2" "$3" 2>/dev/null)" = "$4" &&
        test "$(grep "^$1 " "$work/again.tuned" | tail -n 1 | cut -d ' ' -f 5-)" = "$5"
}
ok 'a program of launches' "$wscc" --ws-target=sequential "$work/again.c" -o "$work/again"
ok 'the best ones are measured again' tunes again 8 0 '1 1 1 1 1' '1 8 taken'
ok 'and their last times count' tunes again 8 0 '1 0 0 0 1' '1 8 taken'
ok 'a difference below what times vary by does not count' tunes close 9.96 0 '2 1 1 1 1' '2 10 taken'
ok 'nor in the next run' tunes close 9.96 0 '2 0 0 0 1' '2 10 taken'
ok 'one slow turn of seven is chance' tunes once 8 1 '1 1 1 1 1' '1 8 taken'
ok 'two are none' tunes twice 8 2 '2 1 1 1 1' '2 10 taken'

# wscc
through() {
    "$wscc" --ws-tune "$program" >"$work/out" 2>/dev/null && cmp "$work/out" "$work/expected" &&
        cmp "$table" "$work/kept"
}
ok 'wscc --ws-tune' through
not_ok 'wscc --ws-tune without a program' "$wscc" --ws-tune
built_in() {
    build --ws-tuned="$work/kept" && rm -f "$table" && silent env WS_TUNE=1 "$program" && test ! -e "$table"
}
ok 'the next build reads it' built_in
beside() { cp "$work/kept" "$table" && build && rm "$table" && silent env WS_TUNE=1 "$program" && test ! -e "$table"; }
ok 'also where it lies beside the output' beside
warned() {
    sed 's/^\([a-z_0-9]* \)[0-9a-f]*/\10123456789abcdef/' "$work/kept" >"$work/stale" &&
        build --ws-tuned="$work/stale" 2>"$work/err" && grep -q 'of another build, and not used' "$work/err"
}
ok 'a build with a stale table' warned
not_ok 'a build with a table that is not there' build --ws-tuned="$work/nowhere"
done_testing
