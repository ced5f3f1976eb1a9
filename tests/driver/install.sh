#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make install DESTDIR=...: what was installed compiles a program by itself, by pkg-config and by the m4 macro, wherever
# configure was told to put it.

. "$(dirname "$0")/../tap.sh"

root=$work/root
installed() { make -C "$top_builddir" install DESTDIR="$root"; }
ok 'make install DESTDIR' installed

# folder NAME: where the installation keeps what Makefile calls NAME
folder() { echo "$root$(make -s -C "$top_builddir" --eval="folder: ; @echo '\$($1)'" folder)"; }
wscc=$(folder bindir)/wscc
libdir=$(folder libdir)
pkglibdir=$(folder pkglibdir)
pkgconfigdir=$(folder pkgconfigdir)
m4dir=$(folder m4dir)
docdir=$(folder docdir)
man=$(folder man1dir)/wscc.1
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
        ws_store(ty, 0, j, ws_fma(ws_load(tx, 0, j, 16, 32), -1, 0));
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
no_build_paths() {
    test -s "$pkglibdir/wscc.conf" && test -s "$pkgconfigdir/wsc.pc" && test -s "$m4dir/wsc.m4" &&
        ! grep -rIF --exclude='*.la' "$top_builddir" "$root"
}
by_pkg_config() {
    PKG_CONFIG_PATH=$pkgconfigdir PKG_CONFIG_SYSROOT_DIR=$root
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    $host_cc -Wno-unknown-pragmas $(pkg-config --cflags wsc) kernel.c $(pkg-config --libs wsc) -Wl,-rpath,"$libdir" \
        -o q && ./q
}
# CUDA is asked for where wsc-cuda is: a program without such kernels needs none of it.
pc() { PKG_CONFIG_PATH=$pkgconfigdir PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@"; }
by_pkg_config_emulate() {
    "$wscc" --ws-target=$target -O2 -c kernel.c && $host_cc kernel.o $(pc --libs wsc) -Wl,-rpath,"$libdir" -o q && ./q
}
no_cuda() { ! pc --libs wsc | grep -q cuda; }
with_cuda() { if grep -q '^nvcc = .' "$pkglibdir/wscc.conf"; then pc --libs wsc-cuda | grep -- -lwsrt | grep -q cudart;
    else ! pc --exists wsc-cuda; fi; }
# Configured without CUDA, as a distribution does: an nvcc that is named later brings its libraries.
nvcc_later() {
    mkdir -p "$work/toolkit/bin" "$work/toolkit/lib64" && : >"$work/toolkit/bin/nvcc" &&
        : >"$work/toolkit/lib64/libcudart_static.a" || return 1
    cp "$pkglibdir/wscc.conf" kept
    sed -i -e 's/^nvcc = .*/nvcc =/' -e 's/^cuda-libs = .*/cuda-libs =/' "$pkglibdir/wscc.conf"
    none=$("$wscc" --ws-print=cuda-libs)
    some=$(WSCC_NVCC=$work/toolkit/bin/nvcc "$wscc" --ws-print=cuda-libs)
    cp kept "$pkglibdir/wscc.conf"
    echo "$none; $some"
    test "$some" = "$none -L$work/toolkit/lib64 -lcudart_static -ldl -lrt -lpthread" &&
        test "$none" = "$("$wscc" --ws-target=sequential --ws-print=libs)"
}
# What --ws-print says is words for a shell.
blank() {
    mkdir "$work/a folder's" && cp -r "$root" "$work/a folder's" || return 1
    there="$work/a folder's/root${wscc#"$root"}"
    "$there" --ws-target=sequential -O2 kernel.c -o r && ./r || return 1
    sh -c "$host_cc -O2 $("$there" --ws-print=cflags) kernel.c $("$there" --ws-target=sequential --ws-print=libs) -lm -o r" && ./r
}
run_path() { readelf -d "$1" | grep -E 'RUNPATH|RPATH'; }
# The loader's cache, with the given lines in it.
cache() {
    mkdir -p "$work/cache" && printf '%s\n' '#! /bin/sh' "cat '$work/cache/list'" >"$work/cache/ldconfig" &&
        chmod +x "$work/cache/ldconfig" && printf '\t%s (libc6,x86-64) => %s\n' "$@" >"$work/cache/list"
}
linked() { (PATH=$work/cache:$PATH; "$wscc" --ws-target=sequential kernel.c -o s) && run_path s >../text; }
run_path_needed() {
    cache libm.so.6 /lib/libm.so.6 && linked && grep -qF "[$libdir]" ../text &&
        cache libwsrt.so.0 /elsewhere/libwsrt.so.0 libwsrt.so.0 "$libdir/libwsrt.so.0" && linked
}
run_path_spared() { cache libm.so.6 /lib/libm.so.6 libwsrt.so.0 "$libdir/libwsrt.so.0" && ! linked; }
# Programs and libraries, with and without flags of their own: Automake names and makes their objects differently.
macro_project() {
    mkdir m m/src && cd m || return 1
    cat >configure.ac <<'END'
AC_INIT([user], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects -Wall -Werror])
WSC_PROG_WSCC
AM_PROG_AR
LT_INIT
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
    cat >Makefile.am <<'END'
bin_PROGRAMS = user
user_SOURCES = main.c kernel.c
user_LDADD = libplain.la libflagged.la $(WSC_LIBS)
noinst_LTLIBRARIES = libplain.la libflagged.la
libplain_la_SOURCES = src/plain.c
libflagged_la_SOURCES = src/flagged.c
libflagged_la_CFLAGS = -O1
kernels = kernel.$(OBJEXT) src/plain.lo src/libflagged_la-flagged.lo
$(kernels): CC = $(WSCC)
if HAVE_WSC
AM_CPPFLAGS = -DHAVE_WSC
else
AM_CPPFLAGS = -I$(srcdir)/bundle
libplain_la_SOURCES += bundle/ws.c
LIBS += -lm -lpthread
endif
END
    for file in kernel src/plain src/flagged; do
        sed "s/main(void)/${file#src/}_main(void)/" ../kernel.c >$file.c
    done
    cat >main.c <<'END'
int kernel_main(void), plain_main(void), flagged_main(void);
int main(void) { return kernel_main() || plain_main() || flagged_main(); }
END
    "$wscc" --ws-bundle=bundle && autoreconf -i -I "$m4dir"
}
macro() (
    cd m && ./configure WSCC="$wscc" --with-wsc=$target && make V=1 >log 2>&1 && ./user || { cat log; return 1; }
    for file in kernel plain flagged; do
        grep -q -- "--ws-target=$target.* -c .*$file\.c" log || return 1
    done
    ! grep -q -- "--ws-target.*main\.c" log && make distclean
)
macro_without() (
    cd m && ./configure --without-wsc && grep -q '^HAVE_WSC_TRUE=.#' config.log && make && ./user && make distclean
)
macro_missing() (cd m && ! ./configure WSCC= --with-wsc=cuda >log 2>&1 && grep \
    -q 'wscc is not in PATH, and --with-wsc=cuda' log)
macro_cached() (cd m && ./configure WSCC="$wscc" wsc_cv_target_yes=sequential && grep \
    -q '^WSCC = .*--ws-target=sequential' Makefile)
documents() {
    for file in README.md docs/guide.md docs/reference.md docs/compiler.md NEWS samples/README.md clangd; do
        test -s "$docdir/$file" || { echo "no $docdir/$file"; return 1; }
    done
    cmp "$docdir/docs/reference.md" "$top_srcdir/docs/reference.md"
}
sample() { "$wscc" --ws-target=$target -O2 "$docdir/samples/copy.c" -lm -o t && ./t; }
# The library of products: its choice, and its loops in one kernel.
products() {
    cat >products.c <<'EOF'
#include <ws/product/product.h>

PRODUCT_ONE(small, product_whole_1x1, 64, 64, WS_F16, WS_F16, WS_F32, WS_F32, 0, 0, FINISH_NONE)

int main(void)
{
    ws_f16 A[64 * 8], B[8 * 8];
    float C[64 * 8];
    for (int i = 0; i < 64 * 8; i++)
        A[i] = ws_f16_from((float)i);
    for (int i = 0; i < 8 * 8; i++)
        B[i] = ws_f16_from(i / 8 == i % 8);
    product_call call = {.batch = 1, .M = 64, .N = 8, .K = 8, .lda = 8, .ldb = 8, .ldc = 8, .A = A, .B = B, .C = C};
    small(&call, product_choose((product_problem){1, 64, 8, 8, 2, 4, 132}));
    return C[63 * 8 + 7] != 511;
}
EOF
    "$wscc" --ws-target=$target -O2 products.c -lm -o p && ./p
}
lower() { "$(folder bindir)/wsc-lower" --passes | grep -qx plan; }
# Built where libcadical is; the descriptions of machines are data.
solver() {
    machines=$(folder machinesdir)
    test -s "$machines/hopper.machine" && test -s "$machines/README.md" || return 1
    test ! -x "$top_builddir/wsc-solve" || { test -s "$(folder man1dir)/wsc-solve.1" &&
        "$(folder bindir)/wsc-solve" "$machines/small.machine" "$machines/figure-1.loop" | grep -qx 'interval 2'; }
}
# The options of --ws-help and of the page: none more, none less; and the variables.
page() {
    "$wscc" --ws-help | sed -n 's/^  \(--ws-[a-z]*\).*/\1/p' | sort >help
    sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/s/^\.BI* \(\\-\\-ws\\-[a-z][a-z]*\)\(=.*\)*$/\1/p' "$man" | sed 's/\\//g' |
        sort >page
    test -s page && diff help page && for name in $("$wscc" --ws-help | grep -o 'WSCC_[A-Z]*');
        do grep -q "$name" "$man" || return 1; done
}
rendered() { test -z "$(groff -man -ww -Tascii "$man" 2>&1 >text)" && grep -q 'ws-target' text; }
# A project as CMake describes it to an editor: wrong without the installed example, which is right where it is
# installed.
editor() (
    mkdir e && cd e && cp ../kernel.c . || return 1
    echo "[{\"directory\": \"$PWD\", \"file\": \"kernel.c\", \"arguments\": [\"$wscc\", \"--ws-target=emulate\", \"-c\", \"kernel.c\"]}]" \
        >compile_commands.json
    ! clangd --check=kernel.c >log 2>&1 && grep -q "'ws.h' file not found" log || return 1
    sed "s|-I|-I$root|" "$docdir/clangd" >.clangd && clangd --check=kernel.c >log 2>&1 || { grep '^E' log; return 1; }
)
removed() { make -C "$top_builddir" uninstall DESTDIR="$root" && test -z "$(find "$root" -type f)"; }

ok 'the installed wscc works wherever it was put' moved
ok 'no path of the build tree was installed' no_build_paths
gdb_script() { case $("$wscc" --ws-print=gdb) in "$root"/*) test -s "$("$wscc" --ws-print=gdb)" ;; *) false ;; esac; }
ok 'the script for gdb is installed' gdb_script
ok 'an nvcc that configure has not seen' nvcc_later
ok_plain 'the installed wscc and its answers with a blank in their path' blank
ok_plain 'a program finds the library' run_path_needed
ok_plain 'no run path where the loader looks' run_path_spared
if command -v pkg-config >/dev/null 2>&1; then
    ok_plain 'pkg-config --cflags --libs wsc' by_pkg_config
    ok_plain 'pkg-config --libs wsc, of what wscc compiled' by_pkg_config_emulate
    ok 'pkg-config --libs wsc asks for no CUDA' no_cuda
    ok 'pkg-config --libs wsc-cuda does' with_cuda
else
    skip 'pkg-config --cflags --libs wsc' 'no pkg-config'
fi
if sanitized; then
    skip 'WSC_PROG_WSCC' 'not under sanitizers'
elif command -v autoreconf >/dev/null 2>&1 && command -v libtoolize >/dev/null 2>&1; then
    ok 'WSC_PROG_WSCC: autoreconf' macro_project
    cd "$work/src" || exit 99
    ok 'WSC_PROG_WSCC: kernels in programs and libraries' macro
    ok 'WSC_PROG_WSCC --without-wsc' macro_without
    ok 'WSC_PROG_WSCC asks for a wscc that is not there' macro_missing
    ok 'WSC_PROG_WSCC takes a cached target' macro_cached
else
    skip 'WSC_PROG_WSCC' 'no autoreconf or libtoolize'
fi
ok 'README, documents, NEWS and the samples are installed' documents
ok 'and a sample compiles there' sample
ok 'and a program with <ws/product/product.h>' products
ok 'wsc-lower is installed' lower
ok 'wsc-solve and its machines are installed' solver
ok 'wscc(1) has the options of --ws-help' page
if command -v groff >/dev/null 2>&1; then ok 'wscc(1) is sound' rendered; else skip 'wscc(1) is sound' 'no groff'; fi
if command -v clangd >/dev/null 2>&1; then
    ok 'the example for clangd serves editors' editor
else
    skip 'the example for clangd serves editors' 'no clangd'
fi
ok 'make uninstall leaves nothing' removed
done_testing
