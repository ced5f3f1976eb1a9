# SPDX-License-Identifier: MIT
#
# WSC_PROG_WSCC([ACTION-IF-FOUND], [ACTION-IF-NOT-FOUND])
#
# Adds --with-wsc=TARGET (cuda, emulate, cuda,emulate, sequential, yes: what wscc was built for, no) and sets
#
#   WSCC         the compiler of the files that hold kernels: wscc with that target, or $CC where there is no WSC
#   WSC_CFLAGS   for files compiled by the ordinary compiler that include <ws.h>
#   WSC_LIBS     for the link
#   HAVE_WSC, WSC_CUDA    Automake conditionals
#
# Makefile.am names the objects of those files through a variable, because Automake takes a rule that names an object
# itself for the whole rule of that object and writes none of its own:
#
#   kernels = kernel.lo libuser_la-other.lo         (the latter: an object of a target with flags of its own)
#   $(kernels): CC = $(WSCC)
#
# Without WSC such a file is compiled with the ws.h and ws.c of `wscc --ws-bundle`, if the project has them.
#
# wsc_cv_target in a config.site or on the command line answers for a machine where wscc cannot be asked. No program that
# configure has built is run, so cross builds work. In a project that builds libraries, LT_INIT([pic-only]) saves the
# second compile of each kernel.
AC_DEFUN([WSC_PROG_WSCC], [
AC_REQUIRE([AC_PROG_CC])
AC_ARG_VAR([WSCC], [the WSC compiler driver])
AC_ARG_WITH([wsc],
    [AS_HELP_STRING([--with-wsc=TARGET], [what WSC kernels are compiled for: cuda, emulate, cuda,emulate for both, sequential, yes or no])],
    [], [with_wsc=yes])
WSC_CFLAGS=
WSC_LIBS=
wsc_target=
wsc_cv_target=${wsc_cv_target-}
AS_VAR_PUSHDEF([wsc_Answer], [wsc_cv_target_$with_wsc])
AS_IF([test "x$with_wsc" = xno], [WSCC=], [AC_PATH_PROG([WSCC], [wscc])])
AS_IF([test -n "$WSCC"], [
    AC_CACHE_CHECK([for the target of WSC kernels], [wsc_Answer], [
        AS_IF([test -n "$wsc_cv_target"], [AS_VAR_COPY([wsc_Answer], [wsc_cv_target])],
              [test "x$with_wsc" = xyes], [AS_VAR_SET([wsc_Answer], [`$WSCC --ws-print=target`])],
              [AS_VAR_SET([wsc_Answer], [`$WSCC "--ws-target=$with_wsc" --ws-print=target`])])
    ])
    AS_VAR_COPY([wsc_target], [wsc_Answer])
    AS_IF([test -z "$wsc_target"], [AC_MSG_ERROR([$WSCC does not know --ws-target=$with_wsc])])
    WSCC="$WSCC --ws-target=$wsc_target"
    WSC_CFLAGS=`$WSCC --ws-print=cflags`
    WSC_LIBS=`$WSCC --ws-print=libs`
], [WSCC=$CC])
AS_VAR_POPDEF([wsc_Answer])
AC_SUBST([WSC_CFLAGS])
AC_SUBST([WSC_LIBS])
AM_CONDITIONAL([HAVE_WSC], [test -n "$wsc_target"])
AM_CONDITIONAL([WSC_CUDA], [case $wsc_target in *cuda*) true ;; *) false ;; esac])
AS_IF([test -n "$wsc_target"], [$1],
    [m4_default([$2], [AS_IF([test "x$with_wsc" != xno && test "x$with_wsc" != xyes],
        [AC_MSG_ERROR([wscc is not in PATH, and --with-wsc=$with_wsc asks for it])])])])
])
