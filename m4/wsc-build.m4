dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl What only this package's own configure needs; m4/wsc.m4 is the macro for others.

dnl WSC_WARNINGS(LANGUAGE, VARIABLE, FLAGS): VARIABLE gets those of FLAGS that the compiler takes.
AC_DEFUN([WSC_WARNINGS], [
AC_LANG_PUSH([$1])
$2=
wsc_saved_flags=$_AC_LANG_PREFIX[]FLAGS
for wsc_flag in m4_normalize([$3]); do
    _AC_LANG_PREFIX[]FLAGS="$wsc_saved_flags -Werror $wsc_flag"
    AC_MSG_CHECKING([whether the $1 compiler takes $wsc_flag])
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int wsc_probe;]])],
        [AC_MSG_RESULT([yes]); $2="$$2 $wsc_flag"], [AC_MSG_RESULT([no])])
done
_AC_LANG_PREFIX[]FLAGS=$wsc_saved_flags
AC_SUBST([$2])
AC_LANG_POP([$1])
])

dnl WSC_CHECK_PLUGIN: PLUGIN_INCLUDE, the folder of gcc-plugin.h, tried with the C++ compiler.
AC_DEFUN([WSC_CHECK_PLUGIN], [
PLUGIN_INCLUDE=
AS_IF([test "x$enable_plugin" = xyes], [
    wsc_major=`$CC -dumpversion 2>/dev/null | $SED 's/\..*//'`
    wsc_cxx_major=`$CXX -dumpversion 2>/dev/null | $SED 's/\..*//'`
    AS_IF([test "x$wsc_major" != "x$wsc_cxx_major"],
        [AC_MSG_ERROR([$CC is version $wsc_major and $CXX version $wsc_cxx_major; the plugin needs one version of both (Debian: apt install g++-$wsc_major)])])
    PLUGIN_INCLUDE=`$CC -print-file-name=plugin 2>/dev/null`/include
    AC_MSG_CHECKING([for the plugin headers of $CC])
    AS_IF([test -f "$PLUGIN_INCLUDE/gcc-plugin.h"], [AC_MSG_RESULT([$PLUGIN_INCLUDE])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([gcc-plugin.h is missing (Debian: apt install gcc-$wsc_major-plugin-dev; or configure --disable-plugin)])])
    AC_LANG_PUSH([C++])
    wsc_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS -isystem $PLUGIN_INCLUDE"
    AC_MSG_CHECKING([whether $CXX compiles a plugin])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <gcc-plugin.h>]])], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([$CXX does not compile gcc-plugin.h (Debian: apt install gcc-$wsc_major-plugin-dev libgmp-dev)])])
    CPPFLAGS=$wsc_saved_CPPFLAGS
    AC_LANG_POP([C++])
])
AC_SUBST([PLUGIN_INCLUDE])
])

dnl WSC_CHECK_CUDA: NVCC (empty without one) and CUDA_LIBS, what an object of the cuda target links with.
AC_DEFUN([WSC_CHECK_CUDA], [
AC_ARG_VAR([NVCC], [the CUDA compiler])
CUDA_LIBS=
AS_CASE([$with_cuda],
    [no], [NVCC=],
    [yes|check], [AC_PATH_PROG([NVCC], [nvcc], [], [$PATH:/usr/local/cuda/bin])],
    [AC_PATH_PROG([NVCC], [nvcc], [], [$with_cuda/bin])])
AS_IF([test -z "$NVCC" && test "x$with_cuda" != xno && test "x$with_cuda" != xcheck],
    [AC_MSG_ERROR([nvcc is missing (Debian: apt install nvidia-cuda-toolkit, or give --with-cuda=DIR)])])
AS_IF([test -n "$NVCC"], [
    AC_MSG_CHECKING([whether $NVCC compiles for sm_90a])
    AS_ECHO(["__global__ void wsc_probe() {}"]) > conftest.cu
    AS_IF([$NVCC -gencode arch=compute_90a,code=sm_90a -cubin -o conftest.cubin conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AS_IF([test "x$with_cuda" = xcheck], [NVCC=],
             [AC_MSG_ERROR([$NVCC does not compile for sm_90a (CUDA 12.3 or later is needed)])])])
    rm -f conftest.cu conftest.cubin
])
AS_IF([test -n "$NVCC"], [
    wsc_nvcc_real=`readlink -f "$NVCC"`
    wsc_cuda_root=`AS_DIRNAME(["$wsc_nvcc_real"])`
    wsc_cuda_root=`AS_DIRNAME(["$wsc_cuda_root"])`
    AS_FOR([WSC_DIR], [wsc_dir], ["$wsc_cuda_root/lib64" "$wsc_cuda_root/targets/x86_64-linux/lib" "$wsc_cuda_root/lib/x86_64-linux-gnu"],
        [AS_IF([test -z "$CUDA_LIBS" && test -f "$wsc_dir/libcudart_static.a"],
            [CUDA_LIBS="-L$wsc_dir -lcudart_static -ldl -lrt -lpthread"])])
    AS_IF([test -z "$CUDA_LIBS"], [CUDA_LIBS="-lcudart_static -ldl -lrt -lpthread"])
])
AC_SUBST([CUDA_LIBS])
])

dnl WSC_CHECK_CADICAL: have_cadical, and CADICAL_LIBS with what it needs of C++.
AC_DEFUN([WSC_CHECK_CADICAL], [
have_cadical=no
CADICAL_LIBS=
AS_IF([test "x$with_cadical" != xno], [
    wsc_saved_LIBS=$LIBS
    CADICAL_LIBS="-lcadical -lstdc++ -lm"
    LIBS="$CADICAL_LIBS $LIBS"
    AC_MSG_CHECKING([for libcadical])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <ccadical.h>]], [[CCaDiCaL *solver = ccadical_init (); ccadical_limit (solver, "conflicts", 1);]])],
        [have_cadical=yes])
    AC_MSG_RESULT([$have_cadical])
    LIBS=$wsc_saved_LIBS
    AS_IF([test "x$have_cadical$with_cadical" = xnoyes],
        [AC_MSG_ERROR([libcadical is missing (Debian: apt install libcadical-dev)])])
    AS_IF([test "x$have_cadical" = xno],
        [AC_MSG_WARN([libcadical is missing; wsc-solve is left out (Debian: apt install libcadical-dev)])])
])
AC_SUBST([CADICAL_LIBS])
])

dnl WSC_CHECK_LIBCLANG: have_libclang, LIBCLANG_ROOT, LIBCLANG_CPPFLAGS and LIBCLANG_LIBS.  17 is the first with operators.
AC_DEFUN([WSC_CHECK_LIBCLANG], [
have_libclang=no
LIBCLANG_ROOT=
LIBCLANG_CPPFLAGS=
LIBCLANG_LIBS=
AS_CASE([$with_libclang],
    [no], [wsc_roots=],
    [yes|check], [wsc_roots="/usr/lib/llvm-19 /usr/lib/llvm-20 /usr/lib/llvm-21 /usr/lib/llvm-18 /usr/lib/llvm-17 /usr/local /usr"],
    [wsc_roots=$with_libclang])
wsc_saved_LIBS=$LIBS
wsc_saved_CPPFLAGS=$CPPFLAGS
AC_MSG_CHECKING([for libclang])
for wsc_root in $wsc_roots; do
    test -f "$wsc_root/include/clang-c/Index.h" || continue
    for wsc_name in clang clang-`expr "$wsc_root" : '.*-\(@<:@0-9@:>@*\)$'`; do
        CPPFLAGS="-isystem $wsc_root/include"
        LIBS="-L$wsc_root/lib -l$wsc_name"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <clang-c/Index.h>]], [[
            return clang_getCursorBinaryOperatorKind(clang_getNullCursor()) == CXBinaryOperator_Add;]])],
            [have_libclang=yes; LIBCLANG_ROOT=$wsc_root; LIBCLANG_CPPFLAGS=$CPPFLAGS; LIBCLANG_LIBS=$LIBS])
        test $have_libclang = no || break 2
    done
done
AC_MSG_RESULT([$have_libclang])
LIBS=$wsc_saved_LIBS
CPPFLAGS=$wsc_saved_CPPFLAGS
AS_IF([test $have_libclang = no], [AS_CASE([$with_libclang], [no], [],
    [check], [AC_MSG_WARN([libclang 17 or later is missing; the clang front end is left out (Debian: apt install libclang-19-dev)])],
    [AC_MSG_ERROR([libclang 17 or later is missing (Debian: apt install libclang-19-dev)])])])
CLANG=clang
AS_IF([test -n "$LIBCLANG_ROOT" && test -x "$LIBCLANG_ROOT/bin/clang"], [CLANG=$LIBCLANG_ROOT/bin/clang])
AC_SUBST([CLANG])
AC_SUBST([LIBCLANG_CPPFLAGS])
AC_SUBST([LIBCLANG_LIBS])
])
