/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tape.c - decisions, random or read back, and always written down.
 *
 * A file of a tape has a number or a bracket a line: numbers are decisions, brackets enclose what belongs together.
 * Reading back keeps to the brackets, so that what is dropped or lowered inside a pair does not shift the meaning of
 * what follows it: where decisions are missing they are 0, where there are too many they are passed over.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPEN = -1, CLOSE = -2, LONGEST = 1 << 20 };

static struct {
    unsigned long long state;
    bool replays;
    int *given, ngiven, next;
    int absent; /* spans that are open and were not on the tape */
    int *made, nmade;
} tape;

static void push(int **list, int *count, int value)
{
    if ((*count & (*count - 1)) == 0)
        *list = realloc(*list, sizeof **list * (size_t)(*count ? 2 * *count : 1));
    if (!*list || *count > LONGEST) {
        fprintf(stderr, "the tape is too long\n");
        exit(2);
    }
    (*list)[(*count)++] = value;
}

/* Of splitmix64.  */
static unsigned long long scramble(unsigned long long z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static unsigned random_bits(void)
{
    return (unsigned)(scramble(tape.state += 0x9e3779b97f4a7c15ull) >> 33);
}

/* Seeds that are scrambled themselves begin apart: a multiple of each step's increment would be the next seed's tape, a
   step on.  */
void tape_random(unsigned long long seed)
{
    tape.state = scramble(seed + 0x632be59bd9b4e019ull);
    tape.replays = false;
    tape.nmade = 0;
}

bool tape_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char word[32];
    if (!file)
        return false;
    tape.replays = true;
    tape.ngiven = tape.next = tape.nmade = tape.absent = 0;
    while (fscanf(file, "%31s", word) == 1)
        push(&tape.given, &tape.ngiven, word[0] == '(' ? OPEN : word[0] == ')' ? CLOSE : atoi(word));
    fclose(file);
    return true;
}

bool tape_write(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    for (int i = 0; i < tape.nmade; i++)
        if (tape.made[i] == OPEN || tape.made[i] == CLOSE)
            fprintf(file, "%s\n", tape.made[i] == OPEN ? "(" : ")");
        else
            fprintf(file, "%d\n", tape.made[i]);
    return fclose(file) == 0;
}

/* The entry of the tape that is read next; a bracket at its end.  */
static int ahead(void)
{
    return tape.absent || tape.next >= tape.ngiven ? CLOSE : tape.given[tape.next];
}

int pick(int n)
{
    int value = 0;
    if (n <= 1)
        return 0;
    if (!tape.replays)
        value = (int)(random_bits() % (unsigned)n);
    else if (ahead() >= 0)
        value = tape.given[tape.next++] % n;
    push(&tape.made, &tape.nmade, value);
    return value;
}

bool chance(int percent)
{
    return pick(100) >= 100 - percent;
}

int between(int low, int high)
{
    return low + pick(high - low + 1);
}

int weigh(const int *weights, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += weights[i];
    int value = pick(total);
    for (int i = 0; i < n; i++) {
        if (value < weights[i])
            return i;
        value -= weights[i];
    }
    return 0;
}

void span_begin(void)
{
    push(&tape.made, &tape.nmade, OPEN);
    while (ahead() >= 0)
        tape.next++;
    if (ahead() == OPEN)
        tape.next++;
    else
        tape.absent++;
}

void span_end(void)
{
    push(&tape.made, &tape.nmade, CLOSE);
    if (tape.absent) {
        tape.absent--;
        return;
    }
    for (int depth = 1; depth > 0 && tape.next < tape.ngiven; tape.next++)
        depth += tape.given[tape.next] == OPEN ? 1 : tape.given[tape.next] == CLOSE ? -1 : 0;
}
