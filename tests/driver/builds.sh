#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# README's section on users' builds: its files and commands as they stand there, on its example.

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

by 'by hand' sh commands prog gcc
by make make Makefile prog make
# doors.sh builds the example, for which WSC has to be installed.
example() { block cmake >block && sed '/^#/d' "$top_srcdir/examples/CMakeLists.txt" | cmp - block &&
    test -n "$(command_behind cmake)"; }
ok 'README: CMake, as in examples/' example
by Meson meson meson.build build/prog meson ninja
done_testing
