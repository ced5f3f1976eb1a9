#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A user's autotools project of several files, built with nothing but ./configure CC=wscc && make.

. "$(dirname "$0")/../tap.sh"

for tool in autoreconf automake libtoolize; do
    command -v $tool >/dev/null 2>&1 || { skip 'a project' "no $tool"; done_testing; }
done

mkdir "$work/project" && cd "$work/project" || exit 99
cat >configure.ac <<'END'
AC_INIT([scaler], [1.0])
AC_CONFIG_MACRO_DIR([m4])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AM_PROG_AR
LT_INIT([pic-only])
AC_CHECK_HEADERS([stdlib.h])
AC_CHECK_FUNCS([memcpy no_such_function])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
ACLOCAL_AMFLAGS = -I m4
lib_LTLIBRARIES = libscale.la
libscale_la_SOURCES = src/scale.c src/offset.c src/scale.h
bin_PROGRAMS = scaler
scaler_SOURCES = src/main.c
scaler_LDADD = libscale.la
TESTS = scaler
END
mkdir src m4
cat >src/scale.h <<'END'
void scale(int n, float *y, const float *x);
void offset(int n, float *y, const float *x);
END
for pair in 'scale ws_mul' 'offset ws_add'; do
    set -- $pair
    cat >src/$1.c <<END
#include <ws.h>
#include "scale.h"
void $1(int n, float *y, const float *x)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_store(ty, 0, j, $2(ws_load(tx, 0, j, 16, 32), 3));
}
END
done
cat >src/main.c <<'END'
#include <config.h>
#include <stdio.h>
#include "scale.h"
END
cat >src/main.c <<'END'
#include <stdio.h>
#include "scale.h"
int main(void)
{
    static float x[16 * 33], y[16 * 33], z[16 * 33];
    for (int i = 0; i < 16 * 33; i++)
        x[i] = i;
    scale(33, y, x);
    offset(33, z, y);
    for (int i = 0; i < 16 * 33; i++)
        if (z[i] != 3 * x[i] + 3)
            return 1;
    return 0;
}
END

target=sequential
if has_plugin; then target=emulate; fi
configured() { ./configure CC="$wscc --ws-target=$target" --prefix="$work/out"; }
rebuilt() { sleep 1; touch src/scale.h && make 2>&1 | grep -c 'CC\|wscc' | grep -q '[1-9]'; }
not_rebuilt() { ! make 2>&1 | grep -q -- '-c '; }
outside() { mkdir "$work/away" && cd "$work/away" && "$work/project/configure" -q CC="$wscc --ws-target=$target" &&
    make check; }
ok 'autoreconf' autoreconf --install
ok "./configure CC=\"wscc --ws-target=$target\"" configured
ok 'make' make
ok 'make check' make check
ok 'nothing to do the second time' not_rebuilt
ok 'a header that changed rebuilds' rebuilt
ok 'make install, and the program runs from there' sh -c "make install && $work/out/bin/scaler"
ok 'make distclean' make distclean
ok 'out of tree' outside
done_testing
