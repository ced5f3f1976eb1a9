/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver.c - schedule(optimal): wsc-solve is run on the graph of a loop, and its answer kept as a schedule file.
 *
 *   gemm-861b69177a4d971d.schedule     of the kernel gemm, with the digest of its body, its clauses and the machine
 *
 * The file lies where the module says, beside the object.  While it fits no solver is needed.  wsc-solve is a process
 * of its own, with a limit of time.  Of a loop without an answer the file says nothing: it stays as it was chosen.
 *
 *   gemm-861b69177a4d971d.2.schedule   others that wsc-solve has found, up to .5: nothing here reads them
 */
#include "schedule/schedule.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SECONDS = 10, SOLVED_STAGES = 4, BEST = 5 };

typedef struct {
    Kernel *kernel;
    char graph[4096], answer[4096]; /* temporary files; other answers are in ANSWER.2, .3, ... */
    FILE *out[BEST];                /* files to be, the best one first */
    char *text[BEST];
    size_t length[BEST];
    int found; /* so many of them have something to say */
} Solver;

static bool make_temporary(char *path, size_t room)
{
    const char *folder = getenv("TMPDIR");
    int length = snprintf(path, room, "%s/wsc-solve-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = length > 0 && (size_t)length < room ? mkstemp(path) : -1;
    if (file < 0)
        *path = '\0';
    else
        close(file);
    return file >= 0;
}

static bool write_graph(const Solver *in, const char *text)
{
    FILE *out = fopen(in->graph, "w");
    bool good = out && fputs(text, out) != EOF;
    return out && !fclose(out) && good;
}

/* Its exit status, or -1.  */
static int run_solver(const Solver *in, const char *loop)
{
    Module *module = in->kernel->module;
    char *arguments[] = {(char *)module->solver,
                         arena_print(module, "--loop=%s", loop),
                         arena_print(module, "--stages=%d", SOLVED_STAGES),
                         arena_print(module, "--time=%d", SECONDS),
                         arena_print(module, "--output=%s", in->answer),
                         arena_print(module, "--others=%d", BEST - 1),
                         arena_print(module, "%s", "--table"),
                         (char *)module->solver_machine,
                         (char *)in->graph,
                         NULL};
    pid_t child;
    int status;
    if (posix_spawn(&child, module->solver, NULL, NULL, arguments, environ))
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = in ? ir_read_text(in) : NULL;
    if (in)
        fclose(in);
    return text;
}

/* What the solver says, as lines of a schedule file: cycles of what is in a group, and the rest as comments.  Returns
   why the interval is no smaller.  */
static const char *copy_answer(const Solver *in, FILE *out, const char *loop, char *text)
{
    const char *why = "";
    for (char *line = text, *next; line && *line; line = next) {
        int interval;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        char *group = strstr(line, " group=");
        if (sscanf(line, "interval %d", &interval) == 1)
            fprintf(out, "loop %s interval=%d\n", loop, interval);
        else if (!strncmp(line, "op ", 3) && group)
            fprintf(out, "%.*s\n", (int)(group - line), line);
        else
            fprintf(out, "%s%s\n", *line == '#' ? "" : "# ", line);
        if (!strncmp(line, "# interval ", 11) && !*why)
            why = arena_print(in->kernel->module, "%s", line + 2);
    }
    return why;
}

static char *other_answer(const Solver *in, int number)
{
    char *path = arena_print(in->kernel->module, "%s.%d", in->answer, number);
    char *text = read_file(path);
    unlink(path);
    return text;
}

/* Of a loop with fewer answers each file has one.  */
static void keep_answers(Solver *in, const char *loop, char *best)
{
    const char *copy = arena_print(in->kernel->module, "%s", best);
    const char *why = copy_answer(in, in->out[0], loop, best);
    in->found += !in->found;
    for (int i = 1; i < BEST; i++) {
        char *other = other_answer(in, i + 1);
        copy_answer(in, in->out[i], loop, other ? other : arena_print(in->kernel->module, "%s", copy));
        in->found = other && in->found <= i ? i + 1 : in->found;
        free(other);
    }
    remark(in->kernel, DIAG_OPTIMIZED, in->kernel->loc, "%s is solved, for at most %d stages: %s", loop, SOLVED_STAGES,
           why);
}

static void solve_loop(Solver *in, Op *loop)
{
    const char *name = schedule_name(loop, schedule_numbers(in->kernel));
    int status = run_solver(in, arena_print(in->kernel->module, "%s:%s", in->kernel->name, name));
    char *answer = status ? NULL : read_file(in->answer);
    if (answer)
        keep_answers(in, name, answer);
    else
        remark(in->kernel, DIAG_MISSED, loop->control->pipeline->loc,
               status == 2   ? "schedule(optimal): there is no schedule of at most %d stages; as chosen without it"
               : status == 3 ? "schedule(optimal): no answer for %d stages in time; as chosen without it"
                             : "schedule(optimal): wsc-solve failed with %d stages; as chosen without it",
               SOLVED_STAGES);
    free(answer);
}

static void visit_loop(Op *op, void *context)
{
    if (pipeline_of(op) && op->control->pipeline->optimal)
        solve_loop(context, op);
}

static bool solve_all(Solver *in, const char *graph)
{
    Kernel *kernel = in->kernel;
    if (!make_temporary(in->graph, sizeof in->graph) || !make_temporary(in->answer, sizeof in->answer) ||
        !write_graph(in, graph))
        return false;
    for (int i = 0; i < BEST; i++)
        fprintf(in->out[i], "# by wsc-solve\nschedule %s\ndigest %016llx\n", kernel->name,
                (unsigned long long)kernel->digest);
    ir_walk(kernel->body, visit_loop, in);
    return in->found > 0;
}

/* Whole or not at all.  A folder that cannot be written to costs the next build the time.  */
static void write_kept(const Kernel *kernel, const char *path, const char *text)
{
    const char *made = arena_print(kernel->module, "%s.%ld", path, (long)getpid());
    FILE *out = fopen(made, "w");
    bool good = out && fputs(text, out) != EOF;
    if (out && (fclose(out) || !good || rename(made, path)))
        unlink(made);
}

/* The n-th best beside the best.  */
static const char *path_of(const Kernel *kernel, const char *path, int number)
{
    size_t stem = strlen(path) - strlen(".schedule");
    return number == 1 ? path : arena_print(kernel->module, "%.*s.%d.schedule", (int)stem, path, number);
}

const char *schedule_solve(Kernel *kernel, const char *path)
{
    Solver in = {.kernel = kernel};
    const char *best = NULL;
    bool good = true;
    for (int i = 0; i < BEST; i++) {
        in.out[i] = open_memstream(&in.text[i], &in.length[i]);
        good &= in.out[i] != NULL;
    }
    good = good && solve_all(&in, schedule_graph(kernel));
    if (*in.graph)
        unlink(in.graph);
    if (*in.answer)
        unlink(in.answer);
    for (int i = 0; i < BEST; i++) {
        good &= in.out[i] && !fclose(in.out[i]);
        if (good && i < in.found)
            write_kept(kernel, path_of(kernel, path, i + 1), in.text[i]);
        if (good && !i)
            best = arena_print(kernel->module, "%s", in.text[0]);
        free(in.text[i]);
    }
    return best;
}

const char *schedule_kept(Kernel *kernel, const char *path)
{
    char *text = read_file(path);
    const char *copy = text ? arena_print(kernel->module, "%s", text) : NULL;
    free(text);
    return copy;
}
