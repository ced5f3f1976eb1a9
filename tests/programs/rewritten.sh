#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# wscc --ws-rewrite prints plain loops as C over tiles. That C compiles for emulate, and with any C compiler; what it
# computes one statement after the other is what the loops computed: it takes the place of the launchers.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/programs
cd "$work" || exit 99

if ! has_plugin; then
    skip 'plain loops as C over tiles' 'no plugin'
    done_testing
    exit
fi
plugin=$(sed -n 's/^plugin = //p' "$top_builddir/wscc.conf")
includes="-I$top_srcdir/runtime/include -I$here"

# The functions of a program, by name of their launchers.
launchers() {
    nm host.o | sed -n 's/^ *U \(ws_launch_\)\([a-z0-9_]*\)$/\1\2/p' | while read -r launcher; do
        name=$(echo "${launcher#ws_launch_}" | sed 's/_[0-9a-f]\{8\}$//')
        echo "#define ${name}_tiles $launcher"
    done
}

# as_tiles PROGRAM OPTION
as_tiles() {
    $host_cc $2 -w $includes -fplugin="$plugin" -fplugin-arg-wsc-target=emulate -fplugin-arg-wsc-dump=rewrite \
        -c "$here/$1.c" -o host.o >printed.c || return 1
    { printf '#include <math.h>\n#include <ws.h>\n' && launchers && cat printed.c; } >tiles.c
    $host_cc -O1 -w $includes -c tiles.c -o tiles.o &&
        $host_cc host.o tiles.o -o program "$top_builddir/.libs/libwsrt.a" -lm -lpthread && ./program
}

compiles() {
    { printf '#include <math.h>\n#include <ws.h>\n' && cat printed.c; } >kept.c
    "$wscc" --ws-target=emulate -w -c kept.c -o kept.o
}

for program in plain_functions plain_llm plain_polybench plain_order plain_precision plain_nothing plain_scatter \
    plain_types; do
    ok "$program over tiles: right" as_tiles $program -O1
    ok "$program over tiles: compiles" compiles
done
ok 'plain_order at -O0: right' as_tiles plain_order -O0
done_testing
