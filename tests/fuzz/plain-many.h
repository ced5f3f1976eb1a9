/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-many.h - many random nests in one program: PROGRAM FOLDER runs each by itself and leaves what it says in
 * FOLDER/SEED.output, and in FOLDER/SEED.failed its status, if that is not 0.
 */
#ifndef FUZZ_PLAIN_MANY_H
#define FUZZ_PLAIN_MANY_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdbool.h>

#include "plain.h"

enum { PATIENCE = 60 }; /* seconds */

typedef struct {
    const char *seed;
    int (*run)(int argc, char **argv);
} Case;

static void run_case(const Case *one, const char *folder, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.output", folder, one->seed);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        setenv("WS_SEED", one->seed, 1);
        setenv("WS_REACH", "1", 1); /* of the interpreter */
        if (!freopen(path, "w", stdout) || dup2(1, 2) < 0)
            exit(99);
        alarm(PATIENCE);
        exit(one->run(1, argv));
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && !status)
        return;
    snprintf(path, sizeof path, "%s/%s.failed", folder, one->seed);
    FILE *failed = fopen(path, "w");
    if (failed) {
        fprintf(failed, WIFSIGNALED(status) ? "signal %d\n" : "status %d\n",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        fclose(failed);
    }
}

#endif
