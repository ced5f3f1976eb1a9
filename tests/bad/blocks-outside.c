/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop over blocks without a grid. */
#include <ws.h>

float f(const float *X)
{
    float sum = 0;

#pragma ws blocks /* wrong */
    for (int s = 0; s < 4; s++)
        sum += X[s];
    return sum;
}
