#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ./bootstrap among programs that only play apt-get, configure and make: what it asks for, and what it says.

. "$(dirname "$0")/../tap.sh"

mkdir -p "$work/bin" "$work/tree/tests/b" && : >"$work/tree/tests/b/two.sh" && cd "$work" || exit 99
cp "$top_srcdir/bootstrap" "$top_srcdir/packages.debian" tree || exit 99
unset BUILD
PATH=$work/bin:$PATH

# tool NAME: a program of that name, from standard input
tool() { { echo '#! /bin/sh'; cat; } >"$1" && chmod +x "$1"; }

echo 'echo 0' | tool bin/id
echo 'echo "ran autoreconf"; touch configure Makefile.in' | tool bin/autoreconf
tool bin/dpkg-query <<'END'
for package; do :; done
grep -qx -- "$package" installed && echo 'install ok installed'
END
tool bin/apt-get <<'END'
echo "debconf: noise" >&2
test ! -f broken-apt || { echo "E: no network" >&2; exit 100; }
test "$1" = install || exit 0
for package; do echo "$package" >>installed; done
END
tool bin/make <<'END'
result() { echo "$2: $1 $3" && echo ":test-result: $2" >>"$1.trs"; }
case " $* " in
*' count-tests '*) echo 3 ;;
*' check '* | *' check-all '*)
    test ! -f broken-build || { echo 'cc1: error: no plugin'; exit 2; }
    mkdir -p tests/a tests/b
    result tests/a/one PASS '1 - first'
    result tests/a/one SKIP '2 - second # SKIP no nvcc'
    echo ':copy-in-global-log: no' >>tests/a/one.trs
    case " $* " in *' check-all '*) result tests/b/long FAIL '1 - takes long' ;; esac
    tenths=0
    while test $tenths -lt 600 && ! grep -q 'of 3: tests/a/one' "${0%/*}/../text"; do
        sleep 0.1
        tenths=$((tenths + 1))
    done
    result tests/b/two SKIP '1 - third # SKIP no nvcc'
    result tests/b/two FAIL '2 - an error in the name'
    result tests/b/two SKIP '3 - fourth error # SKIP no GPU'
    result tests/b/three SKIP '- not here'
    for file in two three; do echo ':copy-in-global-log: no' >>tests/b/$file.trs; done
    printf '# %s\n' 'TOTAL: 6' 'PASS:  1' 'SKIP:  4' 'XFAIL: 0' 'FAIL:  1' 'XPASS: 0' 'ERROR: 0'
    exit 2 ;;
esac
END

checkout() { rm -rf tree/build tree/configure tree/Makefile.in && : >tree/installed; }
release() {
    checkout && : >tree/Makefile.in && echo 'mkdir -p tests; : >config.status' | tool tree/configure
}
asked() { grep -qx "$1" tree/installed; }

release_asks_less() { release && tree/bootstrap && ! asked autoconf && ! asked automake && ! asked libtool &&
    asked make; }
checkout_asks() { checkout && tree/bootstrap >text 2>&1 && asked automake && grep -q 'ran autoreconf' text; }
changed_asks() { release && sleep 1 && : >tree/configure.ac && tree/bootstrap && asked automake && rm tree/configure.ac;
    }
quiet() { release && tree/bootstrap >text 2>&1 && grep -q 'installing' text && ! grep -q debconf text; }
noise_of_failure() {
    release && : >tree/broken-apt
    ! tree/bootstrap >text 2>&1 && rm tree/broken-apt && grep -q 'E: no network' text &&
        grep -q '^bootstrap: apt-get' text
}
blank() {
    release && rm -rf 'a tree' && cp -r tree 'a tree' && ! 'a tree/bootstrap' build >text 2>&1 &&
        grep -q "bootstrap: there is a blank in '$work/a tree'" text && test "$(wc -l <text)" = 1 &&
        ! BUILD="$work/a build" tree/bootstrap build >text 2>&1 && grep -q "a blank in '$work/a build'" text &&
        test ! -s tree/installed
}
blank_configure() (
    mkdir -p 'a b' && cd 'a b' && ! "$top_srcdir/configure" >../text 2>&1 && grep -q 'error: there is a blank in the path' ../text &&
        ! grep -q 'checking' ../text
)
checked() { release && ! tree/bootstrap check >text 2>&1 && test ! -f tree/build/check.running; }
progress() {
    grep -qx 'bootstrap: 1 of 3: tests/a/one: 1 passed, 0 failed, 1 skipped' text &&
        grep -qx 'bootstrap: [23] of 3: tests/b/two: 0 passed, 1 failed, 2 skipped' text &&
            test "$(grep -c ' of 3' text)" = 3
}
# make goes on to the others when that line is there.
early() { sed -n '/ of 3: /{p;q;}' text | grep -qx 'bootstrap: 1 of 3: tests/a/one: 1 passed, 0 failed, 1 skipped'; }
groups() {
    test "$(grep 'skipped: ' text)" = \
        "$(printf '%s\n' '2 skipped: no nvcc' '1 skipped: no GPU' '1 skipped: not here')" &&
        ! grep -q '^SKIP' text && test "$(grep -c 'error' text)" = 1
}
# before_last: the line before the last
before_last() { tail -n 2 text | head -n 1; }
again() { before_last | grep -qx 'bootstrap: failed: tests/b/two.sh; again: make -C build check TESTS=tests/b/two.sh'; }
elsewhere() {
    release && ! BUILD=$work/other tree/bootstrap check >text 2>&1 && before_last |
        grep -qx "bootstrap: failed: tests/b/two.sh; again: make -C $work/other check TESTS=tests/b/two.sh"
}
all_again() {
    release && ! tree/bootstrap check --all >text 2>&1 && before_last |
        grep -qx "bootstrap: failed: tests/b/long tests/b/two.sh; again: make -C build check TESTS='tests/b/long tests/b/two.sh'"
}
not_built() {
    release && mkdir -p tree/build && : >tree/build/broken-build && ! tree/bootstrap check >text 2>&1 && before_last |
        grep -qx 'bootstrap: failed: make check; again: make -C build check' && grep -q 'no plugin' text &&
        test "$(tail -n 1 text)" = '0 passed, 1 failed, 0 skipped'
}
last() { test "$(tail -n 1 text)" = '1 passed, 1 failed, 4 skipped' &&
    grep -qx 'FAIL: tests/b/two 2 - an error in the name' text; }

ok 'a release asks for no autotools' release_asks_less
ok 'a checkout does' checkout_asks
ok 'and so does a release whose configure.ac was changed' changed_asks
ok 'no output of apt' quiet
ok 'but where it fails' noise_of_failure
ok 'a blank in a path is one error, before anything is done' blank
if test -f "$top_srcdir/configure"; then
    ok 'configure says so, too' blank_configure
else
    skip 'configure says so, too' 'no configure script'
fi
ok 'check: a test that fails is a failure' checked
ok 'check: a line for each file of tests' progress
ok 'check: while others run' early
ok 'check: skipped tests by reason' groups
ok 'check: the sum stands last' last
ok 'check: and before it what failed, and how to run that again' again
ok 'check: in a build folder that is elsewhere' elsewhere
ok 'check --all: also what takes long' all_again
ok 'check: a build that fails' not_built
done_testing
