/* SPDX-License-Identifier: GPL-3.0-or-later */
/* naive.h - all executions of a small protocol, one by one.  */
#ifndef TESTS_PROOF_NAIVE_H
#define TESTS_PROOF_NAIVE_H

#include "ir/kernel.h"

enum { NAIVE_MOST_LINES = 256 };

typedef struct {
    bool too_large;               /* more states than allowed; the rest is not valid */
    bool violated;                /* some execution breaks a rule or stops */
    bool lines[NAIVE_MOST_LINES]; /* the lines of the text at which one does */
    const char *why[NAIVE_MOST_LINES];
    long states;
} Naive;

/* Explores all executions of the kernel's roles in which each loop has at most `trips` iterations.  */
Naive naive_explore(const Kernel *kernel, int trips, long most_states);

#endif
