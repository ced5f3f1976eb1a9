/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

int slot_of(long i, int D);
int phase_of(long i, int D);
int empty_phase_of(long i, int D);
long puts_at_most(long released, int D);
long released_by(long i, int P);
int smallest_depth(int P);

static long right(int f, long i, int n)
{
    switch (f) {
    case 0:
        return i % n;
    case 1:
        return i / n % 2;
    case 2:
        return i / n % 2 ^ 1;
    case 3:
        return i + n;
    case 4:
        return i >= n - 1 ? i - (n - 1) : -1;
    }
    return n;
}
static long answer(int f, long i, int n)
{
    switch (f) {
    case 0:
        return slot_of(i, n);
    case 1:
        return phase_of(i, n);
    case 2:
        return empty_phase_of(i, n);
    case 3:
        return puts_at_most(i, n);
    case 4:
        return released_by(i, n);
    }
    return smallest_depth(n);
}
/* What mistake number m of function f would say.  */
static long wrong(int f, int m, long i, int n)
{
    static const long none = -1000;
    switch (10 * f + m) {
    case 0:
        return i / n;
    case 1:
        return (i + 1) % n;
    case 10:
        return i % 2;
    case 11:
        return i / n % 2 ^ 1;
    case 12:
        return i / n;
    case 20:
        return i / n % 2;
    case 21:
        return 1;
    case 30:
        return i + n - 1;
    case 31:
        return i + n + 1;
    case 32:
        return n;
    case 40:
        return i >= n - 1 ? i : -1;
    case 41:
        return i;
    case 42:
        return i >= n ? i - n : -1;
    case 43:
        return i - (n - 1);
    case 50:
        return n - 1;
    case 51:
        return n + 1;
    }
    return none;
}

static const char *const functions[] = {"slot_of", "phase_of", "empty_phase_of", "puts_at_most", "released_by",
                                        "smallest_depth"};
static const struct {
    int f, m;
    const char *text;
} mistakes[] = {
    {0, 0, "slot-is-the-round: i / D is how often the ring has gone round; the slot is what is left, i mod D."},
    {0, 1, "slot-off-by-one: put 0 fills slot 0."},
    {1, 0, "phase-of-the-iteration: a slot's phase turns once a round, every D puts, not with every put."},
    {1, 1, "phase-off-by-one: barriers begin in phase 0, and the first round of a full barrier completes phase 0. The other phase is over at once: the get reads what the slot held before."},
    {1, 2, "phase-not-a-bit: a barrier has one bit; rounds count modulo 2."},
    {2, 0, "first-round-waits: with this phase the first D puts wait for a release that nobody will make: the program stands still. Waits for empty begin with the other phase."},
    {2, 1, "empty-phase-never-turns: from the second round on the wait has to be for that round's release."},
    {3, 0, "one-slot-unused: all D slots may be full; a ring needs no empty slot to tell full from empty, since puts and gets are counted."},
    {3, 1, "slot-reused: one more put would go into a slot that still waits for its release."},
    {3, 2, "releases-forgotten: each release makes room for one more put."},
    {4, 0, "release-too-early: the product of iteration i itself is still in flight and reads the slot of get i."},
    {4, 1, "release-too-early: the product of iteration i itself is still in flight and reads the slot of get i."},
    {4, 2, "release-too-late: P - 1 products stay in flight, so that the one of iteration i - (P - 1) has ended."},
    {4, 3, "release-before-the-first: in the first P - 1 iterations nothing has ended yet."},
    {5, 0, "depth-too-small: P iterations hold a slot each when the first of them is released: with fewer slots the get of iteration P - 1 waits for a put that waits for a release behind it."},
    {5, 1, "depth-too-large: this runs, but the smallest is asked for: the slot of iteration i is needed again for get i + D, and released in iteration i + P - 1."}};

static int agrees(int f, int m)
{
    for (int n = f == 5 ? 2 : 2; n <= 5; n++)
        for (long i = 0; i < 40; i++)
            if (answer(f, i, n) != (m < 0 ? right(f, i, n) : wrong(f, m, i, n)))
                return 0;
    return 1;
}

int main(void)
{
    for (int f = 0; f < 6; f++) {
        if (agrees(f, -1))
            continue;
        for (unsigned k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++)
            if (mistakes[k].f == f && agrees(f, mistakes[k].m)) {
                printf("mistake %s\n", mistakes[k].text);
                return 1;
            }
        if (answer(f, 0, 2) == (f == 4 ? -2 : -1) && answer(f, 9, 3) == answer(f, 0, 2)) {
            printf("mistake not-begun: %s is still to be written.\n", functions[f]);
            return 1;
        }
        for (int n = 2; n <= 5; n++)
            for (long i = 0; i < 40; i++)
                if (answer(f, i, n) != right(f, i, n)) {
                    printf("mistake wrong-value: %s (%ld, %d) is %ld, and yours says %ld.\n", functions[f],
                           f == 5 ? n : i, n, right(f, i, n), answer(f, i, n));
                    return 1;
                }
    }
    return 0;
}
