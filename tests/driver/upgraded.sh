#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A GCC that was upgraded under a build or an installation, which does not load the plugin: one sentence says so, the
# sequential target works, and a build folder is not gone on with.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
mkdir src && cd src || exit 99

# The next revision of the compiler, and it would say a name of a symbol if it were given the plugin.
cat >../upgraded <<END
#! /bin/sh
case "\$*" in
--version) echo 'gcc (Debian 12.2.0-99) 12.2.0'; exit ;;
*-fplugin*) echo "cannot load plugin: undefined symbol: tree_code_type" >&2; exit 1 ;;
esac
exec $host_cc "\$@"
END
chmod +x ../upgraded
cat >kernel.c <<'END'
#include <stdio.h>
#include <ws.h>
int main(void)
{
    static float x[16 * 32], y[16 * 32];
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, 32), ty = ws_tensor_2d(y, WS_F32, 16, 32);
    #pragma ws grid(1)
    for (int j = 0; j < 32; j += 32)
        ws_store(ty, 0, j, ws_add(ws_load(tx, 0, j, 16, 32), 2));
    printf("%g\n", y[5]);
    return 0;
}
END

upgraded() { env WSCC_CC="$work/upgraded" "$wscc" "$@"; }
refused() {
    ! upgraded "$@" -c kernel.c -o kernel.o >../text 2>&1 && test ! -e kernel.o || { cat ../text; return 1; }
    cat ../text
    test "$(wc -l <../text)" = 1 && grep -q '^wscc: error: .*12\.2\.0-99.*configure, build and install wsc again' \
        ../text
}
sequential() { upgraded --ws-target=sequential -Wall -Werror kernel.c -o p && test "$(./p)" = 2; }
folder() {
    make -s -C "$top_builddir" same-compiler &&
        ! make -s -C "$top_builddir" same-compiler CC="$work/upgraded" >../text 2>&1
    cat ../text
    grep -q 'is now GCC (Debian 12.2.0-99) 12.2.0.*configured with' ../text &&
        grep -q 'configure and make again' ../text
}

# bootstrap in a tree whose configure writes down that it ran.
bootstrapped() { # COMPILER: with it; what was done to get there
    : >done
    CC=$1 BUILD=$PWD/build PATH=$work/nothing:$PATH ./bootstrap build >../text 2>&1 || { cat ../text; return 1; }
    tr '\n' ' ' <done
}
tree() {
    rm -rf tree && mkdir -p tree/m4 && cd tree && cp "$top_srcdir/bootstrap" . || return 1
    touch configure.ac Makefile.am Makefile.in m4/wsc-build.m4 packages.debian
    cat >configure <<'END'
#! /bin/sh
echo configured >>../done
version=$($CC --version | sed -n '1s/^[^ ]* //p')
printf 'CC = %s\nCC_VERSION = %s\nall:\n\t@echo built >>../done\nclean:\n\t@echo cleaned >>../done\n' "$CC" "$version" >Makefile
touch config.status
END
    chmod +x configure
}
again() {
    tree && test "$(bootstrapped "$host_cc")" = 'configured built ' && test "$(bootstrapped "$host_cc")" = 'built ' &&
        test "$(bootstrapped "$work/upgraded")" = 'cleaned configured built ' && grep -q 'building anew' ../text
}

if has_plugin; then
    ok 'emulate: one sentence, with the remedy' refused --ws-target=emulate
    ok '--ws-dump needs the plugin, too' refused --ws-target=sequential --ws-dump=walk
    ok_plain 'sequential works' sequential
    ok_plain 'make in a folder of another compiler' folder
    ok_plain 'bootstrap builds such a folder anew' again
else
    skip 'a GCC that was upgraded' 'no plugin'
fi
done_testing
