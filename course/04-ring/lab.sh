# SPDX-License-Identifier: GPL-3.0-or-later
title='the ring: slots, rounds and phases'
answer=ring.c
grade() {
    built sequential || explain does-not-compile 'The compiler refuses it.'
    ./sequential >said 2>&1 || check_said 'A function gives a wrong answer.'
}
