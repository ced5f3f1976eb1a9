#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ws.h, the samples and lib/product give no warning in any C that a user may write, with the compiler's own extensions
# and without, by GCC and by Clang, which ignores the pragmas.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
gcc=$(sed -n 's/^cc = //p' "$top_builddir/wscc.conf")
warnings='-Wall -Wextra -Wshadow -Werror'

takes() { # COMPILER STANDARD
    echo 'int x;' >empty.c
    # shellcheck disable=SC2086
    $1 -std="$2" -fsyntax-only empty.c 2>/dev/null
}

clean() { # COMPILER OPTIONS...
    compiler=$1
    shift
    status=0
    for source in header.c "$top_srcdir"/samples/*.c "$top_srcdir"/tests/product/product_forms.c; do
        # shellcheck disable=SC2086
        $compiler "$@" $warnings -I"$top_srcdir/runtime/include" -I"$top_builddir/runtime/include" -fsyntax-only \
            "$source" ||
            status=1
    done
    return $status
}

echo '#include <ws.h>' >header.c
test -f "$top_srcdir/tests/product/product_forms.c" || exit 99
for compiler in "${gcc:-gcc}" clang; do
    command -v "${compiler%% *}" >/dev/null || { skip "$compiler" 'not installed'; continue; }
    for standard in 11 17 23 2x; do
        takes "$compiler" "c$standard" || continue
        ok "$compiler, c$standard -pedantic" clean "$compiler" "-std=c$standard" -pedantic
        ok "$compiler, gnu$standard" clean "$compiler" "-std=gnu$standard"
    done
done
ok 'wscc' clean "$wscc"

# Callers in C++ include it, with classes around that have its names' look, and kernels in C of theirs beside it.
cat >caller.cc <<'END'
#include <ws.h>
#include <vector>
extern "C" void kernel(int n, const ws_f16 *x, float *y);
ws_status call(const std::vector<ws_f16> &x, std::vector<float> &y)
{
    kernel(static_cast<int>(x.size()), x.data(), y.data());
    ws_set_stream(nullptr);
    return ws_last_error();
}
float one(float x) { return ws_f16_to(ws_f16_from(x)); }
END
clean_cxx() { # COMPILER OPTIONS...
    # shellcheck disable=SC2086
    "$@" $warnings -Wold-style-cast -Wnon-virtual-dtor -I"$top_srcdir/runtime/include" -fsyntax-only caller.cc
}
for compiler in "${host_cxx:-g++}" clang++; do
    command -v "${compiler%% *}" >/dev/null || { skip "$compiler" 'not installed'; continue; }
    for standard in 11 14 17 20 23; do
        # shellcheck disable=SC2086
        $compiler -x c++ -std=c++$standard -fsyntax-only empty.c 2>/dev/null || continue
        # shellcheck disable=SC2086
        ok "$compiler, c++$standard -pedantic" clean_cxx $compiler -std=c++$standard -pedantic
    done
done
done_testing
