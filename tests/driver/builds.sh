#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# README's section on users' builds: its files and commands as they stand there, on its example; and those that look at
# a sample.

. "$(dirname "$0")/../tap.sh"

readme=$top_srcdir/README.md
target=sequential
if has_plugin; then target=emulate; fi
mkdir "$work/bin" && cd "$work" || exit 99
printf '#! /bin/sh\nexec "%s" --ws-target=%s "$@"\n' "$wscc" $target >bin/wscc && chmod +x bin/wscc
PATH=$work/bin:$PATH
unset CC CFLAGS

section() { sed -n '/^## In your build/,/^## Installing/p' "$readme"; }
# README's block in a language, and the command in the lines after it.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$readme" | sed '/^```/d'; }
command_behind() { section | sed -n "/^\`\`\`$1\$/,\$p" | sed -n '/^    [^ ]/{s/^ *//p;q;}'; }

block c >gemm.c
cp "$top_srcdir/examples/main.c" . || exit 99

# built LANGUAGE FILE PROGRAM: README's file and command, or its block alone, make a program that runs
built() (
    mkdir "$1" && cd "$1" && cp ../main.c ../gemm.c . || return 1
    block "$1" >"$2"
    if test "$1" = sh; then command="sh -e $2"; else command=$(command_behind "$1"); fi
    echo "$command"
    test -s "$2" && test -n "$command" && sh -c "$command" && "./$3"
)
# by NAME LANGUAGE FILE PROGRAM TOOL...
by() {
    what="README: $1"
    language=$2 file=$3 program=$4
    shift 4
    for tool; do
        command -v "$tool" >/dev/null 2>&1 || { skip "$what" "no $tool"; return; }
    done
    ok_plain "$what" built "$language" "$file" "$program"
}

# commands_of FIRST: README's lines of commands, indented, from the one that begins so on
commands_of() { awk -v first="    $1" 'index($0, first) == 1 { on = 1 } on && !/^    / { exit } on' "$readme"; }
from_cxx() (
    mkdir cxx && cd cxx && cp ../gemm.c . && cat >main.cc <<'END' || return 1
#include <ws.h>
extern "C" void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C);
int main()
{
    static ws_f16 a[16 * 16], b[16 * 16], c[16 * 16];
    for (int i = 0; i < 16 * 16; i++)
        a[i] = b[i] = ws_f16_from(2);
    gemm(16, 16, 16, a, b, c);
    ws_or_die(ws_sync());
    return ws_f16_to(c[17]) != 64;
}
END
    sed -n '/^From C++/,$p' "$readme" | sed -n '/^    /p;/^As a/q' >commands && cat commands &&
        test "$(wc -l <commands)" = 3 && sh -e commands && ./prog
)
# What looks at a sample, in the tree's folder; the tools' first form, of a table.
looks() (
    rm -rf samples && cp -r "$top_srcdir/samples" . && commands_of "wscc $1" >commands && cat commands &&
        test -s commands && sh -e commands <"${2-/dev/null}"
)
shows_page() { looks --ws-target=emulate && grep -q '"trace":\[{' gemm.html; }
steps() { echo q >quit && looks --ws-step quit; }
runs_tool() ( # NAME
    command=$(sed -n "s/^| \`\($1 [^\`]*\)\`.*/\1/p" "$readme") && echo "$command" && test -n "$command" &&
        cd "$top_srcdir" && sh -c "WSCC='$wscc' $top_srcdir/tools/$command"
)

by 'by hand' sh commands prog gcc
ok_plain 'README: from C++' from_cxx
by make make Makefile prog make
# doors.sh builds the example, for which WSC has to be installed.
example() { block cmake >block && sed '/^#/d' "$top_srcdir/examples/CMakeLists.txt" | cmp - block &&
    test -n "$(command_behind cmake)"; }
ok 'README: CMake, as in examples/' example
by Meson meson meson.build build/prog meson ninja
if has_plugin; then
    ok_plain 'README: a page with a run' shows_page
    ok_plain 'README: steps' steps
    ok_plain 'README: wsc-run' runs_tool wsc-run
    ok_plain 'README: wsc-verify' runs_tool wsc-verify
fi
done_testing
