#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Other people's builds: what make install has put somewhere, and examples/, by CMake, Meson, Autoconf, compiler caches
# and CI.

. "$(dirname "$0")/../tap.sh"

target=sequential
if has_plugin; then target=emulate; fi
root=$work/root
cd "$work" || exit 99
unset CC CFLAGS CXX CXXFLAGS CMAKE_PREFIX_PATH WSC_TARGET
# folder NAME: where the installation keeps what Makefile calls NAME
folder() { echo "$root$(make -s -C "$top_builddir" --eval="folder: ; @echo '\$($1)'" folder)"; }
installed() {
    make -C "$top_builddir" install DESTDIR="$root" &&
        sed -i "s/^target = .*/target = $target/" "$(folder pkglibdir)/wscc.conf"
}
ok 'make install DESTDIR' installed
PATH=$(folder bindir):$PATH
wscc=$(folder bindir)/wscc
CMAKE_PREFIX_PATH=$root$(make -s -C "$top_builddir" --eval="folder: ; @echo '\$(prefix)'" folder)
wsc_DIR=$(folder cmakedir)
export PATH CMAKE_PREFIX_PATH wsc_DIR
command -v ninja >/dev/null 2>&1 && ninja=ninja
has() { for tool; do command -v "$tool" >/dev/null 2>&1 || return 1; done; }

# case_of NAME: a copy of the examples to work in
case_of() { rm -rf "$work/$1" && cp -r "$top_srcdir/examples" "$work/$1" && chmod -R u+w "$work/$1" && cd "$work/$1"; }
# At most so many lines of a build's files are there for the kernels.
lines_for_wsc() { # COUNT FILE...
    most=$1
    shift
    test "$(grep -hv '^ *#\|^dnl' "$@" | grep -ci 'wsc\|kernels\|INPUT')" -le "$most"
}

# ---- CMake -----------------------------------------------------------------------------------------------------------

configured() { cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "$@"; }
cmake_example() (
    case_of cmake && configured "$@" && cmake --build build --verbose >log &&
        cat log && build/prog && lines_for_wsc 3 CMakeLists.txt || return 1
    # Its compiler stays what it is, but for the kernel.
    grep -q 'wscc.*gemm\.c' log && ! grep -q 'wscc.*main\.c' log
)
# A library of C++ with definitions and folders, shared, with kernels of two calls, and what changes compiles again.
cmake_library() (
    case_of library && mkdir inc lib || return 1
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(user C CXX)
find_package(wsc 0.1 REQUIRED)
add_library(scale SHARED lib/both.cc)
target_include_directories(scale PRIVATE inc)
target_compile_definitions(scale PRIVATE FACTOR=3 "TEXT=\"a b\"")
target_compile_options(scale PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
wsc_add_kernels(scale lib/scale.c)
wsc_add_kernels(scale lib/shift.c WS_TARGET sequential)
add_executable(user main.cc)
target_link_libraries(user scale)
END
    echo '#define SHIFT 2' >inc/shift.h
    for pair in 'scale ws_mul FACTOR' 'shift ws_add SHIFT'; do
        # shellcheck disable=SC2086
        set -- $pair
        cat >"lib/$1.c" <<END
#include <ws.h>
#include <shift.h>
static const char text[] = TEXT;
void $1(int n, float *y, const float *x)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_store(ty, 0, j, $2(ws_load(tx, 0, j, 16, 32), $3 + 0 * (int)sizeof text));
}
END
    done
    cat >lib/both.cc <<'END'
#include <ws.h>
extern "C" { void scale(int, float *, const float *); void shift(int, float *, const float *); }
void both(int n, float *y, const float *x) { scale(n, y, x); shift(n, y, y); ws_or_die(ws_last_error()); }
END
    cat >main.cc <<'END'
#include <cstdio>
void both(int n, float *y, const float *x);
int main() { float x[16] = {5}, y[16]; both(1, y, x); std::printf("%g\n", y[0]); }
END
    configured -DCMAKE_C_COMPILER_LAUNCHER= && cmake --build build && test "$(build/user)" = 17 || return 1
    sleep 1
    echo '#define SHIFT 4' >inc/shift.h
    cmake --build build && test "$(build/user)" = 19 && cmake --build build >log && cat log && ! grep -q Building log
)
says() { # SENTENCE COMMAND...
    sentence=$1
    shift
    if "$@" >said 2>&1; then cat said; return 1; fi
    cat said
    tr '\n' ' ' <said | tr -s ' ' | grep -qF "$sentence"
}
cmake_says() (
    case_of mistakes && sed -i "$2" CMakeLists.txt && says "$1" configured
)
cmake_alone() (
    case_of alone && { cat gemm.c; sed -n '/^static f16/,$p' main.c; } >prog.c || return 1
    sed -i -e 's/(prog main.c)/(prog)/' -e 's/gemm.c/prog.c/' CMakeLists.txt
    sed -i 's/\<f16\>/ws_f16/g' prog.c
    configured && cmake --build build && build/prog
)
cmake_cached() (
    case_of cached && mkdir cache && CCACHE_DIR=$PWD/cache && export CCACHE_DIR || return 1
    configured -DCMAKE_C_COMPILER_LAUNCHER=ccache && cmake --build build --target prog_kernels && rm -rf build &&
        configured -DCMAKE_C_COMPILER_LAUNCHER=ccache && cmake --build build && build/prog &&
            ccache --print-stats >stats || return 1
    grep -E '(direct|preprocessed)_cache_hit	1' stats || { cat stats; return 1; }
)
cmake_whole() (
    case_of whole && printf 'cmake_minimum_required(VERSION 3.13)\nproject(prog C)\nadd_executable(prog main.c gemm.c)\n' >CMakeLists.txt &&
        configured -DCMAKE_C_COMPILER=wscc && cmake --build build && build/prog
)
if has cmake make; then
    ok_plain 'CMake: wscc for all of a project' cmake_whole
    ok_plain 'CMake: the example' cmake_example
    if test -n "${ninja-}"; then
        ok_plain 'CMake: the example by Ninja' cmake_example -G Ninja
    else
        skip 'CMake: the example by Ninja' 'no ninja'
    fi
    ok_plain 'CMake: a library of C++ with kernels for two targets' cmake_library
    ok_plain 'CMake: a program of kernels alone' cmake_alone
    ok_plain 'CMake: kernels are C' cmake_says 'add C to the languages of project()' 's/prog C/prog CXX/; s/main\.c//'
    ok_plain 'CMake: a target that is not there' cmake_says "there is no target 'gorp'" 's/kernels(prog/kernels(gorp/'
    ok_plain 'CMake: another version' cmake_says 'version: 0.1.0' 's/(wsc REQ/(wsc 0.2 REQ/'
    if has ccache; then
        ok_plain 'CMake: a compiler cache, whose hit has its kernels' cmake_cached
    else
        skip 'CMake: a compiler cache, whose hit has its kernels' 'no ccache'
    fi
else
    skip 'CMake' 'no cmake'
fi

# ---- Meson, Autoconf, make -------------------------------------------------------------------------------------------

# The fourth is the program's own line, which names them.
meson_example() (
    case_of meson && lines_for_wsc 4 meson.build && meson setup build --buildtype=release &&
        meson compile -C build && build/prog || return 1
    sleep 1
    echo '/* more */' >>gemm.c
    meson compile -C build >log && cat log && grep -q gemm log
)
if has meson ninja; then ok_plain 'Meson: the example' meson_example;
    else skip 'Meson: the example' 'no meson or ninja'; fi
autoconf_example() (
    case_of autoconf && lines_for_wsc 4 configure.ac Makefile.am && ACLOCAL_PATH=$(folder m4dir) autoreconf -i &&
        ./configure CC="$host_cc" && make V=1 >log &&
        cat log && ./prog && grep -q 'wscc.*gemm\.c' log && ! grep -q 'wscc.*main\.c' log
)
autoconf_says() (
    case_of lost && says 'no wsc.m4 where aclocal looks: ACLOCAL_PATH=PREFIX/share/aclocal' env -u ACLOCAL_PATH autoreconf -i
)
if has autoreconf automake; then
    ok_plain 'Autoconf: the example' autoconf_example
    ok 'Autoconf: aclocal looks elsewhere' autoconf_says
else
    skip 'Autoconf: the example' 'no autoconf or automake'
fi
# aclocal looks where it was installed itself, and at ACLOCAL_PATH: who is elsewhere is told so.
aclocal_told() {
    make -C "$top_builddir" install-data-hook >said 2>&1
    cat said
    own=$(make -s -C "$top_builddir" --eval="folder: ; @echo '\$(m4dir)'" folder)
    if test "$(aclocal --print-ac-dir)" = "$own"; then ! grep -q ACLOCAL_PATH said;
        else grep -q "ACLOCAL_PATH=$own" said; fi
}
if has aclocal; then ok 'make install tells where aclocal does not look' aclocal_told; else skip 'aclocal' 'none here';
    fi

# ---- compiler caches -------------------------------------------------------------------------------------------------

cached() (
    case_of ccache && mkdir cache && CCACHE_DIR=$PWD/cache && export CCACHE_DIR || return 1
    for round in 1 2; do ccache wscc -O2 -c gemm.c -o gemm$round.o || return 1; done
    ccache --print-stats >stats
    grep -E '(direct|preprocessed)_cache_hit	1' stats && $host_cc main.c gemm2.o $($wscc --ws-print=libs) -o p && ./p || return 1
    # Another target is another object; so is a compiler whose plugin or headers are others.
    ccache wscc --ws-target=sequential -O2 -c gemm.c -o gemm3.o && ccache --print-stats >stats
    grep -E 'direct_cache_hit	1' stats || grep -E 'preprocessed_cache_hit	1' stats || { cat stats; return 1; }
)
# Through --ws-instead the fingerprint is asked.
cache_asks() (
    case_of instead && mkdir cache && CCACHE_DIR=$PWD/cache && export CCACHE_DIR || return 1
    again() { wscc --ws-instead=ccache gcc -O2 -c gemm.c -o gemm.o && ccache --print-stats | awk '/cache_hit|cache_miss/ && NF == 2 { sum[$1] += $2 } END { print sum["cache_miss"] + 0 }'; }
    test "$(again)" = 1 && test "$(again)" = 1 || return 1
    header=$(folder wsemulatedir)/tile.cuh
    cp "$header" kept && echo '/* another */' >>"$header"
    misses=$(again)
    cp kept "$header"
    test "$misses" = 2 || { echo "$misses misses"; return 1; }
)
if has ccache; then
    ok_plain 'ccache: a hit has its kernels' cached
    if has_plugin; then ok_plain 'ccache: other headers of the runtime are no hit' cache_asks; fi
else
    skip 'ccache' 'not installed'
fi
distributed() (
    case_of distcc && chmod 755 "$work" . && has distccd || return 1
    for port in 36327 36328 36329; do
        distccd --no-detach --daemon --allow 127.0.0.1 --port $port --enable-tcp-insecure -j 2 >daemon 2>&1 &
        daemon=$!
        sleep 1
        kill -0 $daemon 2>/dev/null && break
    done
    status=0
    DISTCC_DIR=$PWD DISTCC_HOSTS=127.0.0.1:$port DISTCC_FALLBACK=0 distcc wscc -O2 -c gemm.c -o gemm.o || status=1
    kill $daemon
    test $status = 0 && $host_cc main.c gemm.o $($wscc --ws-print=libs) -o p && ./p
)
if has distcc distccd; then ok_plain 'distcc' distributed; else skip 'distcc' 'not installed'; fi

# ---- CI --------------------------------------------------------------------------------------------------------------

# What the two pipelines do once WSC is there.
commands_of() {
    case $1 in
    github.yml) sed -n '/name: build/,$s/^ *run: //p' "$1" ;;
    *) sed -n '/^  script:/,$s/^    - //p' "$1" ;;
    esac
}
pipeline() (
    case_of ci && commands_of "$1" >commands && test "$(wc -l <commands)" = 2 && WSC_TARGET=$target sh -e commands
)
if has cmake make; then
    ok_plain 'the GitHub workflow builds and runs' pipeline github.yml
    ok_plain 'the GitLab pipeline builds and runs' pipeline gitlab-ci.yml
else
    skip 'the pipelines of examples/' 'no cmake'
fi
sound() { python3 -c 'import sys, yaml; [yaml.safe_load(open(f)) for f in sys.argv[1:]]' "$top_srcdir"/examples/*.yml; }
if python3 -c 'import yaml' 2>/dev/null; then ok 'both are YAML' sound; else skip 'both are YAML' 'no Python with yaml';
    fi
ok 'the examples are installed' test -s "$(folder docdir)/examples/CMakeLists.txt"
done_testing
