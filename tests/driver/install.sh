#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make install DESTDIR=...: what was installed compiles a program by itself, by pkg-config and by the m4 macro.

. "$(dirname "$0")/../tap.sh"

root=$work/root
installed() { make -C "$top_builddir" install DESTDIR="$root"; }
ok 'make install DESTDIR' installed
prefix=$(sed -n "s/^prefix = //p" "$top_builddir/Makefile")
here=$root$prefix
wscc=$here/bin/wscc
target=sequential
if has_plugin; then target=emulate; fi

mkdir "$work/src" && cd "$work/src" || exit 99
cat >kernel.c <<'END'
#include <ws.h>
#include <stdio.h>
int main(void)
{
    static float x[16 * 40], y[16 * 40];
    for (int i = 0; i < 16 * 40; i++)
        x[i] = i;
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, 40), ty = ws_tensor_2d(y, WS_F32, 16, 40);
    #pragma ws grid(1)
    for (int j = 0; j < 40; j += 32)
        ws_store(ty, 0, j, ws_neg(ws_load(tx, 0, j, 16, 32)));
    for (int i = 0; i < 16 * 40; i++)
        if (y[i] != -x[i])
            return 1;
    return 0;
}
END

# The moved installation, with the build tree's headers and libraries out of its reach.
moved() {
    "$wscc" --ws-target=$target -O2 kernel.c -o p -v 2>../text && ./p && ! grep -qF "$top_builddir/.libs" ../text &&
        ! grep -qF "$top_srcdir/runtime" ../text
}
no_build_paths() { ! grep -rqF "$top_builddir" "$here/lib/wsc/wscc.conf" "$here/lib/pkgconfig"; }
by_pkg_config() {
    PKG_CONFIG_PATH=$here/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    cc -Wno-unknown-pragmas $(pkg-config --cflags wsc) kernel.c $(pkg-config --libs wsc) -Wl,-rpath,"$here/lib" -o q && ./q
}
macro() (
    mkdir m && cd m && cp ../kernel.c . || return 1
    cat >configure.ac <<'END'
AC_INIT([user], [1.0])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
WSC_PROG_WSCC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
    cat >Makefile.am <<'END'
bin_PROGRAMS = user
user_SOURCES = main.c kernel.c
user_LDADD = $(WSC_LIBS)
kernel.$(OBJEXT): CC = $(WSCC)
if HAVE_WSC
AM_CPPFLAGS = -DHAVE_WSC
endif
END
    sed -i 's/main(void)/kernel_main(void)/' kernel.c
    echo 'int kernel_main(void); int main(void) { return kernel_main(); }' >main.c
    autoreconf -i -I "$here/share/aclocal" && ./configure WSCC="$wscc" --with-wsc=$target && make V=1 >log 2>&1 && ./user &&
        grep -q -- "--ws-target=$target.*kernel" log && ! grep -q -- "--ws-target.*main\.c" log
)
macro_without() (cd m && ./configure --without-wsc && grep -q '^HAVE_WSC_TRUE=.#' config.log)
macro_cached() (cd m && ./configure WSCC="$wscc" wsc_cv_target_yes=sequential && grep -q '^WSCC = .*--ws-target=sequential' Makefile)
removed() { make -C "$top_builddir" uninstall DESTDIR="$root" && test -z "$(find "$root" -type f)"; }

ok 'the installed wscc works wherever it was put' moved
ok 'no path of the build tree was installed' no_build_paths
if command -v pkg-config >/dev/null 2>&1; then
    ok_plain 'pkg-config --cflags --libs wsc' by_pkg_config
else
    skip 'pkg-config --cflags --libs wsc' 'no pkg-config'
fi
if sanitized; then
    skip 'WSC_PROG_WSCC' 'not under sanitizers'
elif command -v autoreconf >/dev/null 2>&1; then
    ok 'WSC_PROG_WSCC' macro
    ok 'WSC_PROG_WSCC --without-wsc' macro_without
    ok 'WSC_PROG_WSCC takes a cached target' macro_cached
else
    skip 'WSC_PROG_WSCC' 'no autoreconf'
fi
ok 'make uninstall leaves nothing' removed
done_testing
