/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - classify a batch of made-up images and compare with the plain network. */
#ifdef HAVE_CONFIG_H
#    include "config.h"
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "network.h"

enum { IMAGES = 100, PIXELS = 200, HIDDEN = 72, CLASSES = 10 };

int main(void)
{
    matrix x = matrix_new(IMAGES, PIXELS, 1, 1), w1 = matrix_new(HIDDEN, PIXELS, 0.2, 2);
    matrix w2 = matrix_new(CLASSES, HIDDEN, 0.4, 3), hidden = matrix_new(IMAGES, HIDDEN, 0, 4);
    matrix scores = matrix_new(IMAGES, CLASSES, 0, 5);
    static float b1[HIDDEN], b2[CLASSES], probabilities[IMAGES * CLASSES];
    static double expected[IMAGES * CLASSES];
    double worst = 0;

    for (int j = 0; j < HIDDEN; j++)
        b1[j] = (float)j / HIDDEN - 0.5f;
    for (int c = 0; c < CLASSES; c++)
        b2[c] = (float)c / CLASSES - 0.5f;
    layer(&x, &w1, b1, RELU, &hidden);
    layer(&hidden, &w2, b2, LINEAR, &scores);
    softmax(&scores, probabilities);
    ws_or_die(ws_sync());
    ws_or_die(ws_last_error());

    reference(&x, &w1, b1, &w2, b2, expected);
    for (int i = 0; i < IMAGES * CLASSES; i++)
        worst = fmax(worst, fabs(probabilities[i] - expected[i]));
    printf("digits: %d images, largest difference %.2g\n", IMAGES, worst);
    matrix_free(&x), matrix_free(&w1), matrix_free(&w2), matrix_free(&hidden), matrix_free(&scores);
    return !(worst < 0.02); /* one rounding of a hidden value to bf16 may go the other way */
}
