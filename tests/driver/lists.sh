#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every source is in a list of Makefile.am, names its licence, and no list names a file that is gone.

. "$(dirname "$0")/../tap.sh"
cd "$top_srcdir" || exit 99

every_source_listed() {
    status=0
    for file in $(find lowering plugin frontend driver runtime lib samples solve \
        \( -name '*.c' -o -name '*.cc' -o -name '*.h' -o -name '*.cuh' -o -name '*.hpp' -o -name '*.def' \) | sort); do
        grep -qF "$file" Makefile.am || { echo "$file is in no list"; status=1; }
    done
    return $status
}

every_unit_listed() {
    status=0
    for file in $(find tests/bench tests/emulate tests/lowering tests/runtime tests/solve -name '*.c' 2>/dev/null |
        sort); do
        grep -qF "${file%.c}" Makefile.am || { echo "$file is in no list"; status=1; }
    done
    for file in $(find tests -name '*.group' | sort); do
        grep -qF "$file" Makefile.am || { echo "$file is in no list"; status=1; }
    done
    return $status
}

# Each row of the table of passes has a golden: what it leaves of some case.
every_pass_shown() {
    status=0
    for pass in $("$top_builddir/wsc-lower" --passes); do
        test "$pass" = cuda && pass=cu
        ls tests/*/*."$pass" >/dev/null 2>&1 || { echo "no case shows what '$pass' leaves"; status=1; }
    done
    return $status
}

licence_first() {
    status=0
    for file in $(find lowering plugin driver runtime lib samples solve m4/wsc*.m4 configure.ac Makefile.am bootstrap \
        \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cuh' -o -name '*.hpp' -o -name '*.def' -o -name '*.sh' \
        -o -name '*.m4' -o -name configure.ac -o -name Makefile.am -o -name bootstrap \) | grep -v m4/l | sort); do
        case $file in
        runtime/* | lib/* | samples/* | m4/wsc.m4) want=MIT ;;
        *) want=GPL-3.0-or-later ;;
        esac
        head -n 2 "$file" | grep -q "SPDX-License-Identifier: $want" || { echo "$file does not begin with $want";
            status=1; }
    done
    return $status
}

# Another version of the tool formats otherwise. It has no layout for pragmas in loops, or for tables of asm.
formatted() {
    status=0
    for file in $(find lowering plugin frontend driver runtime lib solve \
        \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cuh' \) ! -name wgmma_shapes.cuh ! -path lib/product/loops.h | sort); do
        clang-format "$file" | cmp -s - "$file" || { echo "$file is not formatted"; status=1; }
    done
    return $status
}

# The rows of the table of what users of other systems report.
matrix_is_there() {
    named=$(sed -n '/^## What users/,/^## /s/^|.*| \(`.*\) |$/\1/p' tests/programs/README.md | tr -d '`,')
    test "$(echo "$named" | wc -w)" -gt 20 || { echo 'the table is not there'; return 1; }
    status=0
    for program in $named; do
        test -f "tests/programs/$program.c" || { echo "tests/programs/$program.c is not there"; status=1; }
    done
    return $status
}

ok 'every source is in a list' every_source_listed
ok 'every test is in a list' every_unit_listed
ok 'every program of the test matrix is there' matrix_is_there
ok 'every pass has a golden' every_pass_shown
ok 'every file names its licence' licence_first
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    ok 'every C source is formatted' formatted
else
    skip 'every C source is formatted' 'no clang-format 14'
fi
done_testing
