#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What documents show of other files is what stands there: the block behind a line `<!-- from FILE -->` is that file.
#
#   tests/driver/generated.sh --update     writes it there

top=$(cd "$(dirname "$0")/../.." && pwd)

# The document with each such block as it has to be. The first line of a block, its fence, stays.
shown() {
    awk -v top="$top" '
        /^<!-- from .* -->$/ { file = top "/" $3; print; next }
        file != "" && /^```/ {
            print
            while ((got = (getline line < file)) > 0)
                print line
            if (got < 0) { print "no file " file > "/dev/stderr"; exit 1 }
            file = ""
            inside = 1
            next
        }
        inside && /^```/ { inside = 0 }
        !inside { print }' "$1"
}

documents() { (cd "$top" && grep -l '^<!-- from .* -->$' *.md */*.md */*/*.md 2>/dev/null); }

if test "${1-}" = --update; then
    for document in $(documents); do
        shown "$top/$document" >"$top/$document.new" && mv "$top/$document.new" "$top/$document" || exit 1
    done
    exit 0
fi

. "$(dirname "$0")/../tap.sh"

blocks_are_current() {
    status=0
    test -n "$(documents)" || { echo 'no document shows a file'; return 1; }
    for document in $(documents); do
        shown "$top/$document" | diff -u "$top/$document" - || status=1
    done
    return $status
}

ok 'documents show files as they are' blocks_are_current
done_testing
