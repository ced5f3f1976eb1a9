/* SPDX-License-Identifier: GPL-3.0-or-later */
/* naive.h - all executions of a small protocol, one by one.  */
#ifndef TESTS_PROOF_NAIVE_H
#define TESTS_PROOF_NAIVE_H

#include "ir/kernel.h"

enum { NAIVE_MOST_LINES = 256 };

/* The names of rules are shared with the proof.  Their meaning is written anew in naive.c.  */
typedef enum {
    BREAKS_NONE,
#define RULE(name, code, sentence) BREAKS_##name,
#include "proof/rules.def"
} NaiveRule;

typedef struct {
    bool too_large;                   /* more states than allowed; the rest is not valid */
    bool violated;                    /* some execution breaks a rule or stops */
    uint64_t lines[NAIVE_MOST_LINES]; /* by line of the text: bit mask of the rules that are broken there */
    long states;
} Naive;

/* Explores all executions of the kernel's roles in which each loop has at most `trips` iterations.  */
Naive naive_explore(const Kernel *kernel, int trips, long most_states);

#endif
