#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What packages rest on: one version, the ABI of libwsrt.so.0, a release that needs no autotools, the files of debian/
# and the spec. tests/driver/packages builds, checks and installs the packages of Debian.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
version=$(cat "$top_srcdir/VERSION")
library=$top_builddir/.libs/libwsrt.so.0

one_version() {
    "$wscc" --ws-version | grep -qF "(WSC) $version," && grep -qx "Version:        $version" "$top_srcdir/wsc.spec" &&
        sed -n '1p' "$top_srcdir/debian/changelog" | grep -q "^wsc ($version[-)]" &&
            grep -qE "^$version( |\$)" "$top_srcdir/NEWS"
}
# debian/libwsrt0.symbols is the list of what libwsrt.so.0 has, with the release that brought it.
symbols() {
    sed -n 's/^ \(ws_[a-z0-9_]*\)@WSRT_0 .*/\1/p' "$top_srcdir/debian/libwsrt0.symbols" >said
    nm -D --defined-only "$library" | sed -n 's/.* \(ws_[a-z0-9_]*\)@@WSRT_0$/\1/p' | sort >there
    sort -c said && test "$(wc -l <there)" -gt 200 && diff said there ||
        { echo '< gone: libwsrt.so.1;  > new: into debian/libwsrt0.symbols, with this release'; return 1; }
}
nothing_else() { test \
    -z "$(nm -D --defined-only "$library" | grep -v ' ws_[a-z0-9_]*@@WSRT_0$\| WSRT_0$\| WSRT_0@@WSRT_0$')"; }
soname() { readelf -d "$library" | grep -q 'SONAME.*\[libwsrt\.so\.0\]' &&
    grep -q "WSC_SONAME='\"libwsrt.so.0\"'" "$top_srcdir/Makefile.am"; }
# What programs were compiled with: sizes, numbers and places do not change below libwsrt.so.1.
layout() {
    cat >layout.c <<'END'
#include <stddef.h>
#include <ws.h>
#include <ws/backend.h>
_Static_assert(sizeof(ws_f16) == 2 && sizeof(ws_bf16) == 2 && sizeof(ws_e4m3) == 1 && sizeof(ws_e5m2) == 1, "numbers");
_Static_assert(WS_F32 == 0x5753 && WS_F64 == WS_F32 + 1 && WS_F16 == WS_F32 + 2 && WS_BF16 == WS_F32 + 3 && WS_E4M3 == WS_F32 + 4, "types");
_Static_assert(WS_E5M2 == WS_F32 + 5 && WS_I8 == WS_F32 + 6 && WS_I32 == WS_F32 + 7 && WS_U8 == WS_F32 + 8 && WS_I16 == WS_F32 + 9 && WS_I64 == WS_F32 + 10, "types");
_Static_assert(WS_OK == 0 && WS_ERR_ARGUMENT == 1 && WS_ERR_MEMORY == 4 && WS_ERR_PROTOCOL == 8, "statuses");
_Static_assert(offsetof(struct ws_backend, alloc) == 8 && offsetof(struct ws_backend, is_device_pointer) == 40, "backend");
_Static_assert(sizeof(struct ws_backend) == 48, "backend");
END
    $host_cc -I"$top_srcdir/runtime/include" -fsyntax-only layout.c
}
# Unpacked somewhere else, with tools that fail when they are asked for.
release() {
    make -s -C "$top_builddir" distdir distdir="$work/release" && cd "$work/release" && mkdir bin || return 1
    for tool in autoconf automake aclocal autoheader autoreconf libtoolize m4;
        do printf '#! /bin/sh\nexit 1\n' >bin/$tool && chmod +x bin/$tool; done
    PATH=$PWD/bin:$PATH ./bootstrap >said 2>&1 || { cat said; return 1; }
    mkdir build && cd build && PATH=$work/release/bin:$PATH ../configure -q --disable-plugin CC="${host_cc##*/}" \
        CXX="${host_cxx##*/}" >said 2>&1 &&
        PATH=$work/release/bin:$PATH make -s wscc wscc.conf >>said 2>&1 && ./wscc --ws-version
}
licences() { # debian/copyright and the first lines of files say the same
    for file in runtime/host/host.c samples/copy.c m4/wsc.m4 cmake/wsc-config.cmake.in runtime/python/wsc.py \
        examples/gemm.c; do
        head -n 2 "$top_srcdir/$file" | grep -q 'SPDX-License-Identifier: MIT' || { echo "$file"; return 1; }
    done
    grep -q '^Files: runtime/\* samples/\* examples/\* lib/\* m4/wsc.m4 cmake/\*' "$top_srcdir/debian/copyright"
}
spec() { rpmspec -P "$top_srcdir/wsc.spec" >said 2>&1 && grep -q "^Version: *$version" said; }
another_gcc() {
    cp -r "$top_srcdir/debian" debian && chmod -R u+w debian && debian/gcc 14 &&
        grep -q '^Package: gcc-14-plugin-wsc' debian/control &&
        grep -q ' g++-14,' debian/control && ! grep -q -e '-12' debian/control &&
            test -s debian/gcc-14-plugin-wsc.install
}

descriptions() { ! awk '/^ / && length > 79 { print FILENAME ": " FNR; wide = 1 } END { exit !wide }' "$top_srcdir/debian/control"; }

ok 'one version everywhere' one_version
ok 'lines of descriptions' descriptions
if sanitized; then
    skip 'the ABI' 'not under sanitizers'
else
    ok 'the functions of libwsrt.so.0' symbols
    ok 'and nothing else' nothing_else
    ok 'its SONAME' soname
fi
ok 'sizes and numbers' layout
if command -v autoreconf >/dev/null 2>&1 && ! sanitized; then
    ok 'make dist needs no autotools' release
    cd "$work" || exit 99
else
    skip 'make dist needs no autotools' 'no autotools to make it with'
fi
ok 'debian/copyright' licences
if command -v rpmspec >/dev/null 2>&1; then ok 'wsc.spec' spec; else skip 'wsc.spec' 'no rpmspec'; fi
ok 'debian/gcc chooses another GCC' another_gcc
done_testing
