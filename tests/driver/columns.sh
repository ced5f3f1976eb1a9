#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of what the compiler prints, and of its own sources, have 120 columns at most.

. "$(dirname "$0")/../tap.sh"
cd "$top_srcdir" || exit 99

narrow() { # FILE...
    awk 'length ($0) > 120 { print FILENAME ":" FNR ": " length ($0) " columns"; wide = 1 } END { exit wide }' "$@"
}

LC_ALL=C.UTF-8
export LC_ALL
ok 'emitted code' narrow tests/*/*.cu
done_testing
