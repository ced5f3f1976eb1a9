#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The slides name every lab, and make slides makes HTML and a PDF of them where pandoc is.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
slides=$top_srcdir/course/slides.md
every_lab() {
    for lab in "$top_srcdir"/course/[0-9]*; do
        which=${lab##*/}
        which=${which%%-*}
        grep -q "^| ${which#0} |" "$slides" || { echo "lab $which is not in the slides"; return 1; }
    done
}
ok 'every lab is there' every_lab
short() { awk '
    /^#/ { if (n > 16) { print title ": " n " lines"; bad = 1 } n = 0; title = $0 }
    /./ { n++ }
    END { exit bad }' "$slides"; }
ok 'no slide is too long' short
made() {
    rm -f "$top_builddir/slides.html" && make -C "$top_builddir" slides || return 1
    test "$(grep -c '<section' "$top_builddir/slides.html")" -ge 20 && head -c 4 "$top_builddir/slides.pdf" |
        grep -q '%PDF' && ! grep -nE '(src|href)="(https?:)?//' "$top_builddir/slides.html"
}
if ! command -v pandoc >/dev/null 2>&1; then skip 'make slides' 'no pandoc'
elif ! command -v pdflatex >/dev/null 2>&1 && ! command -v chromium >/dev/null 2>&1; then
    skip 'make slides' 'neither pdflatex nor chromium'
else ok 'make slides' made; fi
done_testing
