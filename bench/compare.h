/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.h - what the comparisons share: progress, the JSON's lines, and one of them that has a file of its own. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include "measure.h"
#include "suites.h"

extern measurement how_to_measure; /* as the command line has it */

void progress(const work *w);
double tera(const work *w, const candidate *c); /* TFLOP/s, or TB/s */
/* `choice` may be NULL, where there is none. */
void write_json(const work *w, const candidate *c, const product_choice *choice, interval ratio, double error);

/* mlp.c: our two kernels beside cuBLASLt's two products and a kernel between; false where results are wrong. */
int compare_mlp(const work *w);

#endif
