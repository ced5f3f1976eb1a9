#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels called from Fortran: the example, and the module's constants and names beside those of ws.h.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
target=sequential
if has_plugin; then target=emulate; fi
command -v gfortran >/dev/null 2>&1 || { skip 'Fortran' 'no gfortran'; done_testing; }
sanitized && { skip 'Fortran' 'not under sanitizers'; done_testing; }
module=$("$wscc" --ws-print=fortran)

built() { # MAIN
    gfortran -std=f2018 -Wall -Wextra -Werror "$module" "$1" kernel.o $("$wscc" --ws-target=$target --ws-print=libs) -o program
}
example() { "$wscc" --ws-target=$target -O2 -c "$top_srcdir/examples/gemm.c" -o kernel.o && built "$top_srcdir/examples/main.f90" && ./program; }
# ENUMERATORS of a language, "NAME value", by a program of that language.
statuses() { grep -oE '\bWS_(OK|ERR_[A-Z]+)\b' "$top_srcdir/runtime/include/ws.h" | sort -u; }
constants() {
    { echo '#include <stdio.h>'; echo '#include <ws.h>'; echo 'int main(void) {'
        for word in $(statuses); do printf 'printf("%s %%d\\n", (int)%s);\n' "$word" "$word"; done; echo 'return 0; }'; } >names.c
    { echo 'program names'; echo 'use wsc'; for word in $(statuses); do echo "print '(a,1x,i0)', '$word', $word"; done; echo 'end program'; } >names.f90
    $host_cc -I"$top_srcdir/runtime/include" names.c -o names && ./names >c.txt && built names.f90 && ./program >f.txt && diff c.txt f.txt &&
        test "$(wc -l <c.txt)" = 9
}
errors() {
    cat >errors.f90 <<'END'
program errors
    use wsc
    implicit none
    real(c_float), target :: x(4) = [1, 2, 3, 4], y(4)
    type(c_ptr) :: p
    if (ws_copy(c_null_ptr, c_loc(x), 16_c_size_t) /= WS_ERR_ARGUMENT) error stop "status"
    if (ws_error_message() /= "ws_copy: the destination pointer is null") error stop "message"
    if (ws_last_error() /= WS_ERR_ARGUMENT) error stop "error"
    p = ws_alloc(16_c_size_t)
    if (ws_copy(p, c_loc(x), 16_c_size_t) /= WS_OK .or. ws_copy(c_loc(y), p, 16_c_size_t) /= WS_OK) error stop "copy"
    call ws_free(p)
    if (any(abs(x - y) > 0) .or. ws_sync() /= WS_OK) error stop "sync"
    if (abs(ws_bf16_to(ws_bf16_from(3.0)) - 3.0) > 0 .or. abs(ws_e4m3_to(ws_e4m3_from(1000.0)) - 448.0) > 0) error stop "numbers"
end program
END
    built errors.f90 && ./program
}
unread() {
    cat >unread.f90 <<'END'
program unread
    use wsc
    implicit none
    real(c_float), target :: x(4) = [1, 2, 3, 4]
    character(len=4) :: how
    call get_command_argument(1, how)
    if (ws_copy(c_null_ptr, c_loc(x), 16_c_size_t) == WS_OK) error stop "status"
    if (how == "read") then
        if (ws_last_error() /= WS_ERR_ARGUMENT) error stop "error"
    end if
    if (how == "stop") stop
end program
END
    built unread.f90 && ./program read >said 2>&1 && test ! -s said || return 1
    for how in end stop; do
        ./program $how >said 2>&1
        test $? = 3 && test "$(cat said)" = 'ws: ws_copy: the destination pointer is null' || { cat said; return 1; }
    done
}
# What a caller can do in C, but the log, which takes a function.
names() {
    for word in $(sed -n '/element types ---/,/#ifdef __cplusplus/p' "$top_srcdir/runtime/include/ws.h" | sed 's|/\*.*||' |
        grep -oE '\bws_[a-z0-9_]+\(' | tr -d '(' | sort -u); do
        test "$word" = ws_set_log || grep -q "\b$word\b" "$module" || { echo "no $word"; return 1; }
    done
}
ok 'the example' example
ok 'statuses are those of ws.h' constants
ok 'memory, errors and numbers' errors
ok 'an error that nobody reads is a line and the status 3' unread
ok 'functions are those of ws.h' names
done_testing
