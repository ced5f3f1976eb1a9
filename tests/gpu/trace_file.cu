/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of --ws-trace out of records as a kernel would keep them: a producer, and a group that multiplies. */
#define WS_TRACED
#include <stddef.h>

#define WS_KERNEL(threads, blocks) __global__ __launch_bounds__(threads, blocks)
#define WS_PARAMS(type)            const __grid_constant__ type
#include "ptx.cuh"
#include "trace.cuh"

using namespace ws::trace;

static int used[GROUPS];
static void keep(buffer *b, int group, unsigned clock, unsigned waited, unsigned what, unsigned object)
{
    const unsigned ring = what == TILE || what == WAIT ? object << 4 : short_of(object) << 4;
    b->records[0][4 * group][used[group]++] = record{clock, waited >> UNIT << 16 | ring | what};
}

/* A ring of two slots, four iterations; the clock of 32 bits transposes on the way.  */
static bool made_up(const traced &, buffer *b)
{
    const unsigned ring = 512, begin = 0xffffff00u;
    memset(b, 0, sizeof *b);
    for (int i = 0; i < 2; i++) { /* as two blocks say it */
        strcpy(b->name[i].text, "ta_tb");
        b->name[i].object = short_of(ring);
        b->name[i].slots = 2;
        b->name[i].arrivals = 1;
    }
    b->names = 2;
    keep(b, 0, begin, 0, START, 0);
    keep(b, 1, begin + 4, 0, START, 0);
    keep(b, 1, begin + 8, 0, TILE, 7);
    for (unsigned i = 0; i < 4; i++) {
        keep(b, 0, begin + 100 * i + 20, 8, PUT, ring);
        keep(b, 0, begin + 100 * i + 30, 0, PUT_DONE, ring);
        keep(b, 1, begin + 100 * i + 80, 56, GET, ring);
        keep(b, 1, begin + 100 * i + 82, 0, COMMIT, 0);
        keep(b, 1, begin + 100 * i + 110, 16, WAIT, i ? 1 : 0);
        keep(b, 1, begin + 100 * i + 112, 0, CONSUMED, ring);
    }
    keep(b, 1, begin + 600, 0, STORE, 0);
    keep(b, 1, begin + 50, 0, STORE, 0); /* left of a longer launch before */
    return true;
}

int main()
{
    traced t = {nullptr, "gemm", 1, 2};
    write_file(stdout, &t, 1, made_up);
    return 0;
}
