#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A region gives way to a call of its launcher, whatever else the compiler is asked to do; nothing of the sequential
# library stays behind. The launchers are written by hand, so that only the plugin is under test.

. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 99
conf() { sed -n "s/^$1 = //p" "$top_builddir/wscc.conf"; }
cc=$(conf cc)
plugin=$(conf plugin)
include=$(conf include)

cat >expected <<'END'
both 1 rows 100 scale 0.5 t 0 cols 200
both 1 rows 100 scale 0.5 t 1 cols 200
both 1 rows 100 scale 0.5 t 2 cols 200
both 1 rows 100 scale 0.5 t 3 cols 200
both_2 1 rows 100 cols 200 sum 6
15 -1
END

links() {
    $cc "$@" -fplugin="$plugin" -I"$include" -c "$here/regions.c" -o regions.o &&
        $cc "$@" -c "$here/launchers.c" -o launchers.o &&
        $cc "$@" regions.o launchers.o -o program && ./program >got && diff -u expected got
}

# The link step of -flto loads the plugin as well.
links_through_lto1() {
    $cc -O2 -flto -fplugin="$plugin" -I"$include" "$here/regions.c" "$here/launchers.c" -o program && ./program >got &&
        diff -u expected got
}

# Where the call stands, for a debugger.
has_line() {
    $cc -O0 -g -fplugin="$plugin" -I"$include" -S "$here/regions.c" -o regions.s &&
        line=$(grep -n '#pragma ws grid(1)' "$here/regions.c" | cut -d: -f1) &&
        grep -q "^[[:space:]]*\.loc 1 $line " regions.s
}

# k + 16 <= K is a call there, which must not hide what bounds the loop; where the code goes to no file, none appears.
counts_when_checked() {
    ln -s /dev/null nothing && $cc -O2 -w -fsanitize=undefined -fplugin="$plugin" -fplugin-arg-wsc-output=nothing \
        -I"$include" \
        -S "$top_srcdir/tests/programs/loop_bounds.c" -o bounds.s && test -h nothing
}

if has_plugin; then
    for options in -O0 -O1 -O2 -O3 -Os -Og '-O0 -g' '-O2 -g3' '-O2 -flto' '-O2 -fPIC' '-O0 --coverage' \
        '-O2 -fprofile-generate' \
        '-O1 -fsanitize=address' '-O0 -fsanitize=undefined' '-O2 -fsanitize=address,undefined' \
            '-O2 -fnon-call-exceptions -fexceptions' \
        '-O2 -finstrument-functions' '-O2 -fopenmp' '-O2 -std=c99' '-O2 -fno-inline' '-O2 -fno-early-inlining'; do
        # shellcheck disable=SC2086
        ok "regions give way at $options" links $options
    done
    ok 'the plugin in the link step' links_through_lto1
    ok 'sums that are checked for overflow bound loops' counts_when_checked
    ok 'the call has the line of the pragma' has_line
else
    skip 'regions give way' 'no plugin'
fi
done_testing
