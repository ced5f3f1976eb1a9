#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Names of reasons: each error of tests/bad has one, each name is used by the compiler and by a test, and both front
# ends show them.

. "$(dirname "$0")/../tap.sh"
cd "$top_srcdir" || exit 99
reason="$top_builddir/tests/source/reason"
tab=$(printf '\t')

# Errors of the host compilers' own.
hosts='undeclared|unknown type name'
# Rules of operations, which runtime/common/rules.c words: all are operation-rule.
rules='^ws_[a-z0-9_]*: '

errors() { sed -n 's/^.*: error: //p' tests/bad/*.err; }

all_named() {
    errors | sort -u >"$work/errors"
    test "$(wc -l <"$work/errors")" -gt 200 || { echo 'errors were not found'; return 1; }
    test -x "$reason" || { echo "$reason is not built"; return 1; }
    "$reason" <"$work/errors" | paste - "$work/errors" | sed -n "s/^-$tab//p" | grep -vE "$hosts|$rules" >"$work/nameless"
    cat "$work/nameless"
    test ! -s "$work/nameless"
}

# Sources as one line each, with joined string literals and GCC's quotes as plain ones.
joined() {
    for file in "$@"; do
        tr '\n' ' ' <"$file" | sed "s/\" *\"//g; s/%q[sED]/'%s'/g; s/%[<>]/'/g"
        echo
    done
}

all_used() {
    joined plugin/*.cc frontend/*.c lowering/proof/*.c lowering/proof/rules.def runtime/include/ws.h >"$work/sources"
    cat lowering/*/*.c lowering/*.c plugin/*.cc >"$work/enumerators"
    "$reason" list >"$work/list"
    status=0
    test "$(wc -l <"$work/list")" -gt 200 || { echo 'reasons were not found'; return 1; }
    test -z "$(cut -f 1 "$work/list" | sort | uniq -d)" || { cut -f 1 "$work/list" | sort | uniq -d; status=1; }
    while IFS=$tab read -r id enumerator part; do
        grep -qw "$enumerator" "$work/enumerators" || grep -qF "$part" "$work/sources" ||
            { echo "nothing says $id"; status=1; }
    done <"$work/list"
    return $status
}

# An error of a golden has the name, or a test has the longest part of the sentence. The list of others only shrinks.
all_tested() {
    errors | "$reason" | sort -u >"$work/named"
    joined tests/*/*.c tests/*/*.sh tests/*/*.err tests/*/*.out >"$work/texts"
    status=0
    while IFS=$tab read -r id enumerator part; do
        if grep -qx "$id" "$work/named" || grep -qF -- "$part" "$work/texts"; then
            ! grep -qx "$id" tests/source/untested || { echo "$id has a test: take it off the list"; status=1; }
        else
            grep -qx "$id" tests/source/untested || { echo "no test has $id: $part"; status=1; }
        fi
    done <"$work/list"
    return $status
}

shown() { # FRONT-END
    cat >"$work/shown.c" <<'END'
void f(int n, float *x)
{
#pragma ws grid(7)
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
void g(int n, float *x, int (*h)(int))
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        x[i] = h(i);
}
END
    "$wscc" --ws-frontend="$1" --ws-target=emulate --ws-ids -c "$work/shown.c" -o "$work/shown.o" >"$work/log" 2>&1
    grep -q 'error: .* \[ws:pragma-range\]$' "$work/log" || { cat "$work/log"; return 1; }
    sed -i 's/grid(7)/grid(1)/' "$work/shown.c"
    "$wscc" --ws-frontend="$1" --ws-target=emulate --ws-ids -c "$work/shown.c" -o "$work/shown.o" >"$work/log" 2>&1
    grep -q 'error: .* \[ws:call-pointer\]$' "$work/log" || { cat "$work/log"; return 1; }
    "$wscc" --ws-frontend="$1" --ws-target=emulate --ws-ids -c tests/bad/task-unneeded.c -o "$work/shown.o" \
        >"$work/log" 2>&1
    grep -q 'error: .* \[ws:task-' "$work/log" || { cat "$work/log"; return 1; }
}

ok 'each error of tests/bad has a name' all_named
ok 'each name is used' all_used
ok 'each name is tested' all_tested
if has_plugin; then ok 'the plugin shows names' shown gcc; else skip 'the plugin' 'it is not built'; fi
if grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    ok 'the clang front end shows names' shown clang
else
    skip 'the clang front end' 'it is not built'
fi
done_testing
