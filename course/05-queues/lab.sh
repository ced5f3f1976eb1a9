# SPDX-License-Identifier: GPL-3.0-or-later
title='put and get by hand: two roles and a ring'
answer=roles.c
given=roles.h
grade() {
    built_with_roles >said 2>&1 || explain does-not-compile 'The compiler refuses it.'
    for seed in 1 2 3 4 5 6 7 8; do
        WS_SEED=$seed ./roles >said 2>&1 || check_said 'The roles do not do what they should.'
    done
}
built_with_roles() {
    include=$("$wscc" --ws-print=cflags | sed 's/^-I//; s/\\\(.\)/\1/g')
    "$wscc" -O1 -w -I"$home" -I"$include/ws/emulate" -I"$include/../emulate" answer.c "$home/check.c" -o roles -lm
}
