/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.h - random numbers of the tests of the region IR: the same ones for the same seed (xorshift64).  */
#ifndef WSC_DRAW_H
#define WSC_DRAW_H

#include <stdint.h>

static uint64_t draw_state;

static void draw_seed(uint64_t seed)
{
    draw_state = seed * 0x9e3779b97f4a7c15u + 1;
}

static uint32_t draw(void)
{
    draw_state ^= draw_state << 13;
    draw_state ^= draw_state >> 7;
    draw_state ^= draw_state << 17;
    return (uint32_t)(draw_state >> 16);
}

static int below(int n)
{
    return (int)(draw() % (uint32_t)n);
}

#endif
