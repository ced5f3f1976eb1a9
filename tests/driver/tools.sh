#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# wsc-run, wsc-verify, wsc-mutate, here and where make install has put them; their pages; completion for bash.

. "$(dirname "$0")/../tap.sh"

WSCC=$wscc
export WSCC
tools=$top_srcdir/tools
cd "$work" || exit 99
# Options of --help and of the page are the same.
page() {
    "$tools/$1" --help | grep -o '^  --[a-z]*' | tr -d ' ' | sort >help
    sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "$tools/$1.1" | grep -o '^\.BI* \\-\\-[a-z]*' | sed 's/^\.BI* //; s/\\//g' | sort >page
    test -s help && diff help page && { ! command -v groff >/dev/null 2>&1 ||
        test -z "$(groff -man -ww -Tascii "$tools/$1.1" 2>&1 >text)"; }
}
for tool in wsc-run wsc-verify wsc-mutate; do ok "$tool(1) has the options of --help" page $tool; done
status_2() { "$@" >said 2>&1; test $? = 2 && cat said; }
for tool in wsc-run wsc-verify wsc-mutate; do ok "$tool without a file" status_2 "$tools/$tool"; done

# Completion, asked as bash asks: the words of a line so far.
completed() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wscc; printf "%s\n" "${COMPREPLY[@]}"' bash \
        "$tools/wscc.bash" "$@" >said 2>&1
    cat said
}
options_completed() { completed "$wscc" --ws- && test "$(wc -l <said)" -gt 15 && grep -qx -- '--ws-step' said &&
    grep -qx -- '--ws-page=' said; }
values_completed() {
    completed "$wscc" --ws-target = e && test "$(cat said)" = emulate && completed "$wscc" --ws-print = gd &&
        test "$(cat said)" = gdb && completed "$wscc" --ws-dump = pla && grep -qx plan said
}
files_completed() { : >kernel.c && completed "$wscc" -O2 ker && test "$(cat said)" = kernel.c; }
# What --ws-print knows, the completion knows.
print_completed() {
    completed "$wscc" --ws-print = '' && sort said >known
    "$wscc" --ws-print=nothing 2>&1 | sed 's/.*knows //; s/, not .*//; s/ and /,/; s/, */\n/g' | sort | diff - known
}
if command -v bash >/dev/null 2>&1; then
    ok 'options are completed' options_completed
    ok 'values are completed' values_completed
    ok 'all that --ws-print knows is completed' print_completed
    ok 'files are completed' files_completed
else
    skip 'completion' 'no bash'
fi
if ! has_plugin; then
    skip 'tools on kernels' 'no plugin'
    done_testing
fi

gemm=$top_srcdir/samples/gemm.c
runs() { "$tools/wsc-run" -O1 -w "$gemm" -- 200 296 168 >said && cat said && grep -q 'gemm: ok max error' said &&
    "$wscc" --ws-target=sequential -O1 -w "$gemm" -lm -o plain && ./plain 200 296 168 | cmp - said; }
ok 'wsc-run: the result of the plain loops' runs
two_files() {
    printf 'int answer(void);\nint main(void) { return answer(); }\n' >main.c && echo 'int answer(void) { return 42; }' >a.c
    "$tools/wsc-run" main.c a.c
    test $? = 42
}
ok 'wsc-run: several files, and the status is that of the program' two_files
seeds() { "$tools/wsc-run" --seeds=3 -O1 -w "$gemm" -- 128 256 192 | grep -q 'gemm: ok'; }
ok 'wsc-run: several orders' seeds
compiled_alone() { "$tools/wsc-run" -O1 -w "$gemm" -o interpreted && WS_SEED=5 ./interpreted 128 256 64 | grep -q 'gemm: ok'; }
ok 'wsc-run: a program' compiled_alone
bad_c() { echo 'int x = ;' >bad.c && status_2 "$tools/wsc-run" bad.c && grep -q 'bad.c:1' said; }
ok 'wsc-run: a mistake' bad_c

verified() { "$tools/wsc-verify" -w "$gemm" | grep -qx "$gemm: proved: gemm"; }
ok 'wsc-verify: the kernels of a file' verified
refused() {
    "$wscc" --ws-target=emulate --ws-dump=plan -w -O1 -S "$gemm" -o gemm.s >gemm.plan 2>/dev/null &&
        "$tools/wsc-verify" gemm.plan && sed 's/consumed keep=1/consumed/' gemm.plan >broken.plan || return 1
    "$tools/wsc-verify" broken.plan >said 2>&1
    test $? = 1 && cat said && grep -q 'still read' said
}
ok 'wsc-verify: a release too early' refused
# A version of a kernel, and a variant, are proved as every kernel is.
by_itself() { # SAMPLE KEY: behind the line that says what it is, the first fence is gone
    "$wscc" --ws-target=emulate --ws-dump=plan -w -O1 -I"$top_srcdir/samples" -S "$top_srcdir/samples/$1.c" -o one.s \
        >one.plan 2>/dev/null && "$tools/wsc-verify" one.plan || return 1
    awk -v key="$2" '$1 == key { its = 1 } its && $1 == "fence" && !gone { gone = 1; next } { print }' one.plan >broken.plan
    cmp -s one.plan broken.plan && return 1
    "$tools/wsc-verify" broken.plan >said 2>&1
    test $? = 1 && cat said && grep -q 'error: ' said && ! grep -q proved said
}
ok 'wsc-verify: a version that lacks a fence' by_itself product version
ok 'wsc-verify: a variant that lacks a fence' by_itself gemm_choice choice
nothing() { : >empty.plan && ! "$tools/wsc-verify" empty.plan >said 2>&1 && cat said && grep -q 'no kernel' said; }
ok 'wsc-verify: a file without a kernel' nothing
shown() { "$tools/wsc-verify" --show -w "$gemm" | grep -q '^# verify'; }
ok 'wsc-verify: what was shown' shown

mutated() { "$tools/wsc-mutate" --operator=release-at-get -w "$gemm" >said && cat said &&
    awk '$1 == "release-at-get" { good = $2 > 0 && $3 == $2 } END { exit !good }' said; }
ok 'wsc-mutate: a kind of mistake is noticed' mutated
of_variants() { "$tools/wsc-mutate" --operator=drop-wait -w "$top_srcdir/samples/gemm_choice.c" >said && cat said &&
    awk '$1 == "drop-wait" { good = $2 > 0 && $3 == $2 && $7 == 0 } END { exit !good }' said; }
ok 'wsc-mutate: of variants' of_variants
kinds() { "$tools/wsc-mutate" --list | grep -q drop-put; }
ok 'wsc-mutate: the kinds' kinds

# Names that mean something to a shell, sed or a pattern.
cat >words <<'END'
sp ace
star*
it's
q"uo\te
$(touch pwned)`touch pwned`
e;touch pwned
x|e touch pwned;#
x|x|e
END
wrong_plan() { # FILE: refused, and called what it is called
    "$tools/wsc-verify" "$1" >said 2>&1
    test $? = 1 && grep -F "$1:" said && ! grep -q stdin said
}
odd_names() {
    mkdir -p odd && cd odd && : >starry.c || return 1
    while IFS= read -r odd; do
        cp "$gemm" "./$odd.c" && cp ../gemm.plan "./$odd.plan" && cp ../broken.plan "./$odd.no.plan" &&
            cp "$top_srcdir/samples/check.h" . && "$tools/wsc-verify" -w "./$odd.c" "./$odd.plan" -D "ODD_=$odd" &&
            wrong_plan "./$odd.no.plan" &&
            "$tools/wsc-mutate" --operator=twice-get --keep="$odd" -w "-DODD_=$odd" "./$odd.c" >said &&
            "$tools/wsc-run" -w "-DODD_=$odd" "./$odd.c" -o "./$odd.run" && "./$odd.run" 128 256 64 | grep -q 'gemm: ok' &&
            "$tools/wsc-run" -w "./$odd.c" -- 128 256 64 | grep -q 'gemm: ok' || { echo "name: $odd"; return 1; }
    done <../words
    test -z "$(find "$work" -name pwned)"
}
ok 'names of files' odd_names
cd "$work" || exit 99
arguments() {
    printf '%s\n' '#include <stdio.h>' 'int main(int n, char **a) { for (int i = 1; i < n; i++) puts(a[i]); return 0; }' >say.c
    xargs -d '\n' "$tools/wsc-run" say.c -- <words >said && diff words said
}
ok 'wsc-run: arguments are what they are' arguments

# Installed, with the tree's own settings out of the way.
installed() {
    make -C "$top_builddir" install DESTDIR="$work/root" >/dev/null 2>&1 || return 1
    bin=$(dirname "$(find "$work/root" -name wsc-run -type f)")
    (unset WSCC && cd "$work" && "$bin/wsc-verify" -w "$gemm" && "$bin/wsc-run" -O1 -w "$gemm" -- 128 256 64 &&
        "$bin/wsc-mutate" --operator=twice-get -w "$gemm") || return 1
    for page in man1/wsc-run.1 man1/wsc-verify.1 man1/wsc-mutate.1 man1/wsc-lower.1 man1/wsc-grade.1 man7/wsc-step.7; do
        test -s "$(dirname "$bin")/share/man/$page" || { echo "no $page"; return 1; }
    done
    test -s "$(dirname "$bin")/share/bash-completion/completions/wscc"
}
ok 'installed they work' installed
done_testing
