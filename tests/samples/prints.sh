#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ws_print behind an assignment of a tile prints the same on sequential and on emulate, whatever the kernel is, and the
# kernel computes the same; of variants the first.  Three places of all samples; with WSC_PRINTS=N so many, with
# WSC_PRINTS=all each.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/samples
samples=$top_srcdir/samples
cd "$work" || exit 99

if ! has_plugin; then
    skip 'prints' 'no plugin'
    done_testing
    exit
fi

# Of what a program prints, each tile on a line of its own, in one order: blocks run in any.
tiles() { awk '/^ / { printf "%s", $0; next } { printf "%s%s", end, $0; end = "\n" } END { print "" }' | sort; }

# prints_alike FILE PLACE
prints_alike() {
    awk -v PLACE="$2" -f "$here/place-print.awk" "$samples/$1" >printing.c || return 1
    for target in sequential emulate; do
        "$wscc" --ws-target=$target -O1 -w -I"$samples" printing.c -o $target -lm &&
            WS_CHOICE=0 ./$target >said 2>errors || { cat errors; return 1; }
        tiles <said >$target.tiles
    done
    grep -q '([0-9]*,[0-9]*)  ' sequential.tiles && cmp sequential.tiles emulate.tiles
}

for file in "$samples"/*.c; do
    awk -v PLACE=0 -f "$here/place-print.awk" "$file" | awk -v file="${file##*/}" '{ print file, NR, $0 }'
done >places
count=$(wc -l <places)
test "${WSC_PRINTS:-3}" = all && wanted=$count || wanted=${WSC_PRINTS:-3}
awk -v count="$count" -v wanted="$wanted" 'int(NR * wanted / count) > int((NR - 1) * wanted / count)' places >chosen
while read -r file place line name; do
    ok "$file: line $line ${name#: }" prints_alike "$file" "$place"
done <chosen
done_testing
