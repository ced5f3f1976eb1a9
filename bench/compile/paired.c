/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paired - the processor time of two commands, run in turns, so that both see the same machine.
 *
 *   paired ROUNDS FIRST... -- SECOND...
 *
 * Prints three numbers in ms: the median of the first, of the second, and of the difference within a round. Children's
 * user and system time count; wall time does not, since other work on the machine would be in it.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1000 };
extern char **environ;

static double milliseconds(struct timeval t)
{
    return 1e3 * (double)t.tv_sec + 1e-3 * (double)t.tv_usec;
}

/* Run a command with nothing on its standard streams but errors; its processor time. */
static double run(char **command)
{
    struct rusage usage;
    pid_t child;
    int status;
    if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0 || wait4(child, &status, 0, &usage) < 0) {
        perror(command[0]);
        exit(2);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "paired: %s failed\n", command[0]);
        exit(2);
    }
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int main(int argc, char **argv)
{
    static double first[MOST], second[MOST], difference[MOST];
    int rounds = argc > 1 ? atoi(argv[1]) : 0, split = 2;
    while (split < argc && strcmp(argv[split], "--"))
        split++;
    if (rounds < 1 || rounds > MOST || split == 2 || split + 1 >= argc) {
        fprintf(stderr, "usage: paired ROUNDS FIRST... -- SECOND...\n");
        return 2;
    }
    argv[split] = NULL;
    run(argv + 2), run(argv + split + 1); /* fill the caches */
    for (int n = 0; n < rounds; n++) {
        if (n % 2 == 0)
            first[n] = run(argv + 2);
        second[n] = run(argv + split + 1);
        if (n % 2)
            first[n] = run(argv + 2);
        difference[n] = second[n] - first[n];
    }
    printf("%.2f %.2f %.2f\n", median(first, rounds), median(second, rounds), median(difference, rounds));
    return 0;
}
