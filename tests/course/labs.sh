#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The course: each lab's solution is right, its starting file is not, and each typical mistake is called by its name.

. "$(dirname "$0")/../tap.sh"

WSC_COURSE=$top_srcdir/course
WSCC=$wscc
export WSC_COURSE WSCC
grade=$top_srcdir/course/wsc-grade
cd "$work" || exit 99
tab='	'

# named NAME ANSWER: refused, and called that
named() {
    "$grade" "$lab" "$2" >said 2>&1
    test $? = 1 && test "$(sed -n 's/^  mistake: //p' said)" = "$1" && test "$(sed -n '3p' said | wc -c)" -gt 15 || {
        cat said
        return 1
    }
}
right() { "$grade" "$lab" "$1" && test "$("$grade" "$lab" "$1")" = "lab $lab: right"; }
begun() {
    "$grade" --start "$lab" "$lab.start" && test -s "$lab.start/README.md" || return 1
    case $answer in *.c) "$wscc" --ws-target=sequential -w -fsyntax-only -I"$home" -I"$WSC_COURSE" \
        "$lab.start/$answer" || return 1 ;; esac
    "$grade" "$lab" "$lab.start/$answer" >said 2>&1
    test $? = 1 && sed -n 's/^  mistake: //p' said | grep . && ! grep -q 'mistake: does-not-compile' said
}
# Each line of `wrong`: all are tried, and those that fail are told.
all_named() {
    failed=0 count=0
    while IFS=$tab read -r mistake script; do
        case $mistake in '#'* | '') continue ;; esac
        sed "$script" "$solution" >"wrong.$answer"
        count=$((count + 1))
        if cmp -s "$solution" "wrong.$answer"; then echo "$script changes nothing" && failed=1; fi
        named "$mistake" "wrong.$answer" || { echo "this should be $mistake: $script" && failed=1; }
    done <"$solutions/$lab/wrong"
    test "$failed" = 0 && test "$(grep -v '^#' "$solutions/$lab/wrong" | cut -f 1 | sort -u | wc -l)" -ge "$least"
}

solutions=$top_srcdir/course/solutions
test_lab() {
    home=$top_srcdir/course/$lab
    least=8
    if test -f "$solutions/$lab/from-plan"; then
        { cat "$solutions/$lab/depths" && "$wscc" --ws-target=emulate --ws-dump=plan -O1 -w -S "$home/product.c" \
            -o /dev/null; } >"solution.$answer" 2>/dev/null
        solution=$work/solution.$answer
    else
        solution=$solutions/$lab/$answer
    fi
    ok "$lab: the solution is right" right "$solution"
    ok "$lab: the starting file is begun, and not right" begun
    ok "$lab: typical mistakes are named" all_named
    ok "$lab: the text has at most three pages" test "$(wc -l <"$home/README.md")" -le 150
}
for folder in "$solutions"/*; do
    lab=${folder##*/}
    # shellcheck disable=SC1090
    answer=$(. "$top_srcdir/course/$lab/lab.sh" && echo "$answer")
    case $lab in
    10-*) if test ! -x "$top_builddir/wsc-solve"; then skip "$lab" 'no wsc-solve' && continue; fi ;;
    04-* | 05-*) ;;
    *) if ! has_plugin; then skip "$lab" 'no plugin' && continue; fi ;;
    esac
    test_lab
done
lab=08-tasks
if has_plugin; then ok '08-tasks: roles with queues between them are right' right "$solutions/$lab/queues.c"; fi
every_lab_has_solutions() {
    for folder in "$top_srcdir"/course/[0-9]*; do
        test -s "$solutions/${folder##*/}/wrong" || { echo "$folder"; return 1; }
    done
}
drawn() {
    "$grade" -t 2 "$solutions/02-product/product.c" >said && grep -q '^product CTA 0: [0-9]* clocks' said &&
        grep -q 'products |.*M' said
}
if has_plugin; then ok 'the timeline of a right answer is drawn' drawn; fi
ok 'every lab has solutions' every_lab_has_solutions
listed() { test "$("$grade" --list | wc -l)" = "$(ls -d "$top_srcdir"/course/[0-9]* | wc -l)"; }
ok 'all labs are listed' listed
files_listed() {
    status=0
    for file in $(cd "$top_srcdir" && find course -type f ! -path 'course/solutions/*'); do
        grep -qF "$file" "$top_srcdir/Makefile.am" || { echo "$file is in no list"; status=1; }
    done
    return $status
}
ok 'every file is in a list' files_listed
packed() {
    make -C "$top_builddir" course-dist >/dev/null && tar -tzf "$top_builddir"/wsc-course-*.tar.gz >list &&
        grep -q 'course/01-tiles/transpose.c' list && ! grep -q solutions list
}
ok 'students get no solutions' packed
installed() {
    make -C "$top_builddir" install DESTDIR="$work/root" >/dev/null 2>&1 || return 1
    bin=$(dirname "$(find "$work/root" -name wsc-grade -type f | grep '/bin/')")
    # Without the tree's settings: the course is found beside it, the compiler as it is here.
    (unset WSC_COURSE && "$bin/wsc-grade" --list | grep -q '^10-schedule' &&
        "$bin/wsc-grade" 4 "$solutions/04-ring/ring.c" && "$bin/wsc-grade" 5 "$solutions/05-queues/roles.c") &&
        test -s "$(dirname "$bin")"/share/man/man1/wsc-grade.1 && ! find "$work/root" -path '*solutions*' | grep .
}
ok 'the course is installed, without solutions' installed
not_ok 'an unknown lab' "$grade" nothing
done_testing
