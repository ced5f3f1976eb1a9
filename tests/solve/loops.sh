#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Loops as the compiler prints them (--ws-dump=graph), solved on the Hopper that is described: as fast as their bound
# allows.

. "$(dirname "$0")/../tap.sh"
solve=$top_builddir/wsc-solve
test -x "$solve" || { echo '1..0 # SKIP no libcadical'; exit 0; }
machine=$top_srcdir/machines/hopper.machine
cd "$work" || exit 99

bounded() { # GRAPH
    "$solve" --registers=240 --first --output=out "$machine" "$1" &&
        "$solve" --registers=240 --check=out "$machine" "$1" || return 1
    cat out
    grep -q "^# interval $(sed -n 's/^interval //p' out) is needed" out
}
for graph in gemm gated uneven attention; do ok "$graph" bounded "$top_srcdir/tests/lowering/$graph.graph"; done

# Two groups, and each has the products of one half of the rows and all that lies between them.
ping_pong() {
    group() { sed -n "s/^op $1 .* group=//p" out; }
    for j in a b; do
        for op in c.4 p.11 rescaled.14 ph.15 acc.16; do test "$(group $op$j)" = "$(group s.3$j)" || return 1; done
    done
    test "$(group s.3a)" != "$(group s.3b)"
}
ok 'attention: a half of the rows for each group' ping_pong

compiled() {
    "$top_builddir/wscc" --ws-target=emulate --ws-dump=graph -O2 -S "$top_srcdir/samples/gemm.c" -o gemm.s >graph &&
        cat graph && bounded graph
}
if has_plugin; then ok_plain 'samples/gemm.c' compiled; else skip 'samples/gemm.c' 'no plugin'; fi

two() {
    cat "$top_srcdir/tests/lowering/gemm.graph" "$top_srcdir/tests/lowering/gated.graph" >both
    ! "$solve" "$machine" both 2>err && cat err &&
        grep -q 'there is more than one loop; --loop=gated.* takes this one' err &&
        "$solve" --loop="$(sed -n 's/^loop \(gated.*\)/\1/p' both)" --registers=240 "$machine" both >out &&
            grep -q '^schedule gated' out &&
        ! "$solve" --loop=none "$machine" both 2>err && grep -q "there is no loop 'none'" err
}
ok 'one of two loops' two
done_testing
