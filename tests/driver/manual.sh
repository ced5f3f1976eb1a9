#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual to look things up in: no name of ws.h is missing, every example gives what it says, pages and HTML are
# sound.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
manual=$top_srcdir/manual
ops=$top_srcdir/runtime/common/ops.def header=$top_srcdir/runtime/include/ws.h
awk=$(sed -n 's/^AWK = //p' "$top_builddir/Makefile")
# made KIND [HEADER [EXAMPLES [OPS]]]
made() { ${awk:-awk} -v as="$1" -v to="$work/man3" -f "$manual/operations.awk" "${4:-$ops}" "${2:-$header}" "${2:-$header}" \
    "$manual/rules" "${3:-$manual/examples}"; }

names() { made list >names && test "$(wc -l <names)" -gt 105; }
ok 'names have been found' names
# What the compiler sees of the header: functions and macros, without those for its own use (a _ behind the name).
all_there() {
    printf '#include <ws.h>\n' >all.c && $host_cc -I"$top_srcdir/runtime/include" -E -dD -P all.c >all.i || return 1
    { grep -o '^# *define ws_[a-z0-9_]*(' all.i | sed 's/.* //; s/($//'
        grep -v '^#' all.i | tr '\n' ' ' | grep -oE '[;}] *(extern )?(const )?[a-z_0-9]+ \**ws_[a-z0-9_]+ ?\(' | sed 's/.*[ *]\(ws_[a-z0-9_]*\) *($/\1/'
    } | grep -v '_$' | sort -u >seen
    cut -d' ' -f1 names | sort -u | diff seen -
}
ok 'and they are those that the compiler sees' all_there
# Each row of ops.def that a function of ws.h stands for is reached.
rows_there() {
    sed -n 's/^OP ([A-Z0-9_]*, *\([a-z0-9_]*\), *\(TENSOR\|READ\|LOAD\|STORE\|TILE\),.*/\1/p' "$ops" | while read -r row; do
        grep -qE "(define|tile|tensor|void|long|double) \\**ws_${row}_?(_2d|_1d)?\(" "$header" || continue
        cut -d' ' -f2 names | grep -qx "$row" || { echo "$row has no page"; exit 1; }
    done
}
ok 'every operation of ops.def that is in ws.h has one' rows_there
new_name() { sed 's/^ws_tile ws_trans(/ws_tile ws_turn(ws_tile t) WS_USE_;\n&/' "$header" >new.h && ! cmp -s new.h "$header" &&
    ! made list new.h >/dev/null 2>said && cat said && grep -q 'no example of ws_turn' said; }
ok 'a name that is added is missed' new_name
gone_name() { grep -v '^ws_tile ws_trans(' "$header" >gone.h && ! made list gone.h 2>said >/dev/null &&
    grep -q 'ws_trans is not in ws.h' said; }
ok 'and one that goes' gone_name
no_row() { grep -v '^OP (TRANS,' "$ops" >less.def && ! made html '' '' less.def >/dev/null 2>said && grep -q 'ws_trans has no' said; }
ok 'and a row' no_row

made c >examples.c || exit 99
made gives >expected
# Several lines that an example prints are one in the manual.
joined() { awk '/^ws_[a-z0-9_]+ > / { if (n++) print line; line = $0; next } NF { line = line " / " $0 } END { print line }' |
    sed 's|/ *|/ |g; s|   *| |g; s| *$||'; }
sequential() { "$wscc" --ws-target=sequential -O1 -w examples.c -lm -o plain && ./plain | joined >said &&
    diff expected said; }
ok 'every example gives what it says' sequential
as_kernels() { WSCC=$wscc "$top_srcdir/tools/wsc-run" -O1 -w examples.c >kernels 2>err || { cat err; return 1; }
    joined <kernels | sed 's/ws_print > .*: m:/ws_print > m:/' >said && diff expected said; }
if has_plugin; then ok 'and as a kernel' as_kernels; else skip 'and as a kernel' 'no plugin'; fi
wrong_example() { sed 's/^> 0 1.5 4 8.5 1.25 4.5 7 14$/> 1/' "$manual/examples" >wrong && made gives '' wrong >other && ! diff expected other; }
ok 'a wrong one is another' wrong_example

sound() {
    mkdir -p man3 && made man && made index >wsc-operations.7 && ${awk:-awk} -v as=man -f "$manual/markdown.awk" \
        "$top_srcdir/docs/reference.md" >wsc.7 && test "$(ls man3 | wc -l)" = "$(wc -l <names)" || return 1
    for page in wsc.7 wsc-operations.7 man3/*.3; do
        test -z "$(groff -man -ww -Tascii "$page" 2>&1 >text)" && test -s text || { echo "$page"; return 1; }
    done
    groff -man -Tascii man3/ws_exp.3 | sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' >text && grep -q 'y = ws_exp(x)' text &&
        grep -q 'cast it to WS_F32 first' text
}
if command -v groff >/dev/null 2>&1; then ok 'the pages are sound' sound; else skip 'the pages are sound' 'no groff'; fi
html() {
    file=$top_builddir/manual/manual.html
    grep -o 'href="#[^"]*"' "$file" | sed 's/href="#//; s/"//' | sort -u >asked
    grep -o 'id="[^"]*"' "$file" | sed 's/id="//; s/"//' | sort >ids
    sort -u ids | diff ids - && comm -23 asked ids | grep . && return 1
    test "$(wc -l <asked)" -gt 120 && ! grep -nE '(src|href)="(http|//)' "$file" && ! grep '\*\*\|`' "$file"
}
ok 'the HTML points at what is there, and at nothing else' html
well_formed() { python3 - "$top_builddir/manual/manual.html" <<'END'
import html.parser, sys
class P(html.parser.HTMLParser):
    stack = []
    def handle_starttag(self, tag, a):
        if tag not in ("meta", "link"): self.stack.append(tag)
    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, (tag, self.stack, self.getpos())
        self.stack.pop()
p = P(); p.feed(open(sys.argv[1]).read()); assert not p.stack, p.stack
END
}
if python3 -c '' 2>/dev/null; then ok 'and is well formed' well_formed; else skip 'and is well formed' 'no python3'; fi
installed() {
    make -C "$top_builddir" install DESTDIR="$work/root" >/dev/null 2>&1 || return 1
    for file in ws_add.3 ws_load_or_3d.3 wsc.7 wsc-operations.7 manual.html guide.html compiler.html; do
        test -s "$(find "$work/root" -name $file)" || { echo "$file"; return 1; }
    done
}
ok 'make install brings them' installed
done_testing
