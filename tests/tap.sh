# SPDX-License-Identifier: GPL-3.0-or-later
# tap.sh - sourced by the shell tests: one line of TAP for each case, a folder for each test.
#
#   ok NAME COMMAND...       passes when the command does; its output is shown when it does not
#   not_ok NAME COMMAND...   passes when the command fails
#   ok_plain NAME COMMAND...  the same, left out under sanitizers
#   skip NAME REASON
#   done_testing             last; prints the plan

number=0
failures=0
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$(pwd)}
wscc=$top_builddir/wscc
LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL TESTS TEST_LOGS MAKEOVERRIDES GNUMAKEFLAGS
export LC_ALL
work=$(mktemp -d "${TMPDIR:-/tmp}/wsc-test-XXXXXX") || exit 99
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

report() {
    number=$((number + 1))
    printf '%s %d - %s\n' "$1" "$number" "$2"
    case $1 in not*) failures=$((failures + 1)) ;; esac
}

show_output() { sed 's/^/# /' "$work/.output"; }

ok() {
    name=$1
    shift
    if "$@" >"$work/.output" 2>&1; then report ok "$name"; else report 'not ok' "$name"; show_output; fi
}

not_ok() {
    name=$1
    shift
    if "$@" >"$work/.output" 2>&1; then report 'not ok' "$name"; show_output; else report ok "$name"; fi
}

# A build under sanitizers: its compiler brings their runtime along, which not all that a compiler does stands.
sanitized() { grep -q '^cc = .*-fsanitize' "$top_builddir/wscc.conf"; }

ok_plain() { # as ok, for a compiler without sanitizers
    if sanitized; then skip "$1" 'not under sanitizers'; else ok "$@"; fi
}

skip() {
    number=$((number + 1))
    printf 'ok %d - %s # SKIP %s\n' "$number" "$1" "$2"
}

done_testing() {
    printf '1..%d\n' "$number"
    exit 0
}

# The compilers that the tree is configured with, which need not be called cc and c++.
host_cc=$(sed -n 's/^cc = //p' "$top_builddir/wscc.conf")
host_cxx=$(sed -n 's/^cxx = //p' "$top_builddir/wscc.conf")

has_plugin() { grep -q '^plugin = .' "$top_builddir/wscc.conf"; }
