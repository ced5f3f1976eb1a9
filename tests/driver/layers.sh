#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Includes among the folders of lowering/ go one way, and a header belongs to one source: ARCHITECTURE.md, "Layers".

. "$(dirname "$0")/../tap.sh"
cd "$top_srcdir" || exit 99

# A folder includes headers of itself and of folders before it. The files of lowering/ itself are the last.
order='ir cost target source language optimize schedule roles machine proof print .'

# includes: FOLDER FILE HEADER, for each include of a header of lowering/
includes() {
    find "$1" -name '*.[ch]' | sort | while read -r file; do
        sed -n "s|^#include \"\([a-z/-]*\.h\)\".*|${file#"$1"/} \1|p" "$file"
    done | awk '{ folder = $1; if (!sub("/[^/]*$", "", folder)) folder = "."; print folder, $0 }'
}

one_way() { # ROOT
    includes "$1" >"$work/includes"
    test "$(wc -l <"$work/includes")" -gt 100 || { echo 'too few includes were found'; return 1; }
    awk -v order="$order" -v root="$1" '
        BEGIN { n = split(order, folders, " "); for (i = 1; i <= n; i++) place[folders[i]] = i }
        !($1 in place) { print $2 ": no place in the order for " $1; failed = 1; next }
        {
            to = $3
            if (to == "passes.h") next # contracts of passes, which every phase implements
            if (!sub("/[^/]*$", "", to)) to = to == "lower.h" ? "." : ""
            if (to != "" && !(to in place)) { print $2 ": no place in the order for " to; failed = 1 }
            else if (to != "" && place[to] > place[$1]) { print $2 " includes " $3; failed = 1 }
        }
        END { exit failed }' "$work/includes"
}

# A header has a source of its name. Others are in the list of ARCHITECTURE.md, which names their sources.
one_source() {
    status=0
    for header in $(find lowering -name '*.h' | sort); do
        test -f "${header%.h}.c" || grep -q "^| .*\`${header#lowering/}\`" ARCHITECTURE.md ||
            { echo "$header has no source of its name"; status=1; }
    done
    return $status
}

# The walk sees an include that goes back.
goes_back() {
    mkdir -p "$work/copy"
    cp -r lowering/ir lowering/target lowering/schedule lowering/machine "$work/copy"
    one_way "$work/copy" || return 1
    sed -i 's|^#include "ir/.*|#include "machine/plan.h"|' "$work/copy/schedule/schedule.c" "$work/copy/ir/affine.h"
    ! one_way "$work/copy" && one_way "$work/copy" | grep -q 'ir/affine.h includes machine/plan.h'
}

ok 'includes go one way' one_way lowering
ok 'an include that goes back is found' goes_back
ok 'a header belongs to one source' one_source
done_testing
