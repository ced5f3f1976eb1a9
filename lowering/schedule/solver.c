/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver.c - schedule(optimal): wsc-solve is run on the graph of a loop, and its answer kept as a schedule file.
 *
 *   gemm-861b69177a4d971d.schedule     of the kernel gemm, with the digest of its body, its clauses and the machine
 *
 * The file lies where the module says, beside the object.  While it fits no solver is needed.  wsc-solve is a process
 * of its own, with a limit of time.  Of a loop without an answer the file says nothing: it stays as it was chosen.
 *
 * wsc-solve predicts what an iteration takes by what it has found and as the loop was chosen. The least is taken; a
 * solved schedule that is no better than the chosen one by more than what the prediction is worth is not.
 *
 *   gemm-861b69177a4d971d.2.schedule   others that wsc-solve has found, in the order of what is predicted, up to .6:
 *                                      variants under schedule(optimal, n)
 */
#include "schedule/schedule.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SECONDS = 10, SOLVED_STAGES = 4, BEST = MOST_SOLVED, FILES = BEST + 1 };

/* The chosen schedule stays unless a solved one is predicted to take less than this much of its time.  */
#define WORTH_IT 0.95

typedef struct {
    Kernel *kernel;
    char graph[4096], chosen[4096], answer[4096]; /* temporary files; other answers are in ANSWER.2, .3, ... */
    FILE *out[FILES];                             /* files to be, the best one first */
    char *text[FILES];
    size_t length[FILES];
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

static bool write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    bool good = out && fputs(text, out) != EOF;
    return out && !fclose(out) && good;
}

/* Its exit status, or -1.  */
static int run_solver(const Solver *solver, const char *loop)
{
    Module *module = solver->kernel->module;
    char *arguments[] = {(char *)module->solver,
                         arena_print(module, "--loop=%s", loop),
                         arena_print(module, "--stages=%d", SOLVED_STAGES),
                         arena_print(module, "--time=%d", SECONDS),
                         arena_print(module, "--output=%s", solver->answer),
                         arena_print(module, "--others=%d", BEST - 1),
                         arena_print(module, "%s", "--table"),
                         arena_print(module, "--beside=%s", solver->chosen),
                         (char *)module->solver_machine,
                         (char *)solver->graph,
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

/* What the solver says, as lines of a schedule file: cycles of what is in a group, and the rest as comments.  What is
   not taken is all comments.  */
static void copy_answer(FILE *out, const char *loop, char *text, bool taken)
{
    const char *mark = taken ? "" : "# ";
    const char *turns = strstr(text, "\n# turns: yes")  ? " pingpong=yes"
                        : strstr(text, "\n# turns: no") ? " pingpong=no"
                                                        : "";
    for (char *line = text, *next; line && *line; line = next) {
        int interval;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        char *group = strstr(line, " group=");
        if (sscanf(line, "interval %d", &interval) == 1)
            fprintf(out, "%sloop %s interval=%d%s\n", mark, loop, interval, turns);
        else if (!strncmp(line, "op ", 3) && group)
            fprintf(out, "%s%.*s\n", mark, (int)(group - line), line);
        else
            fprintf(out, "%s%s\n", *line == '#' ? "" : "# ", line);
    }
}

static char *other_answer(const Solver *solver, int number)
{
    char *path = arena_print(solver->kernel->module, "%s.%d", solver->answer, number);
    char *text = read_file(path);
    unlink(path);
    return text;
}

/* Clocks of an iteration; 0: nothing is said.  */
typedef struct {
    double busy, alone; /* with all multiprocessors at it; with memory to itself */
} Clocks;

/* "# predicted: 1726 clocks an iteration, 1702 with memory to itself" of an answer.  */
static Clocks clocks_of(const char *text, const char *what)
{
    const char *line = text ? strstr(text, what) : NULL;
    Clocks clocks = {0, 0};
    if (line && sscanf(line + strlen(what), "%lf clocks an iteration, %lf", &clocks.busy, &clocks.alone) != 2)
        clocks = (Clocks){0, 0};
    return clocks;
}

/* By more than predictions are worth, and with memory to itself no worse.  */
static bool is_better(Clocks clocks, Clocks than)
{
    return clocks.busy > 0 && than.busy > 0 && clocks.busy < WORTH_IT * than.busy && clocks.alone <= than.alone;
}

/* Of the answers the one that is predicted to take least, the first of equals.  */
static int best_of(char *const *answers)
{
    int best = 0;
    for (int i = 1; i < BEST; i++)
        if (is_better(clocks_of(answers[i], "# predicted: "), clocks_of(answers[best], "# predicted: ")))
            best = i;
    return best;
}

static double order_of(const char *answer)
{
    return answer ? clocks_of(answer, "# predicted: ").busy : 0;
}

/* That one first, and the others as they are predicted; those of which nothing is said stay behind.  */
static void sort_answers(char **answers, int best)
{
    char *first = answers[best];
    memmove(answers + 1, answers, sizeof *answers * (size_t)best);
    answers[0] = first;
    for (int i = 2; i < BEST; i++)
        for (int k = i; k > 1 && order_of(answers[k]) > 0 && order_of(answers[k]) < order_of(answers[k - 1]); k--) {
            char *moved = answers[k];
            answers[k] = answers[k - 1];
            answers[k - 1] = moved;
        }
}

/* What an answer says of the search: why the interval is no smaller, and what it took.  */
static void copy_notes(FILE *out, const char *text)
{
    const char *line = strstr(text, "\n# interval ");
    for (; line && line[1] == '#' && line[2]; line = strchr(line + 1, '\n'))
        fprintf(out, "%.*s\n", (int)strcspn(line + 1, "\n"), line + 1);
}

static void say_answer(const Solver *solver, const char *loop, const char *why, Clocks clocks, Clocks chosen,
                       bool taken)
{
    if (!chosen.busy || !clocks.busy)
        remark(solver->kernel, DIAG_OPTIMIZED, solver->kernel->loc, "%s is solved, for at most %d stages: %s", loop,
               SOLVED_STAGES, why);
    else
        remark(solver->kernel, taken ? DIAG_OPTIMIZED : DIAG_MISSED, solver->kernel->loc,
               "%s is solved, for at most %d stages: %s; predicted are %.0f clocks an iteration, and %.0f as chosen: "
               "%s",
               loop, SOLVED_STAGES, why, clocks.busy, chosen.busy,
               taken ? "the solved one is taken" : "that one stays");
}

/* The first file has what is taken, and the others the other answers, the best one too where it is not taken.  Of a
   loop with fewer answers they have the first.  */
static void keep_answers(Solver *solver, const char *loop, char *first)
{
    char *answers[BEST] = {first};
    for (int i = 1; i < BEST; i++)
        answers[i] = other_answer(solver, i + 1);
    Clocks chosen = clocks_of(first, "# beside: ");
    const char *why = "", *notes = arena_print(solver->kernel->module, "%s", first);
    for (const char *line = strstr(first, "# interval "); line && !*why; line = NULL)
        why = arena_print(solver->kernel->module, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
    int best = best_of(answers);
    Clocks clocks = clocks_of(answers[best], "# predicted: ");
    bool taken = !chosen.busy || !clocks.busy || is_better(clocks, chosen);
    sort_answers(answers, best);
    solver->found += !solver->found;
    for (int i = 0; i < FILES; i++) {
        int answer = taken || !i ? i : i - 1;
        bool any = answer < BEST && answers[answer];
        char *text = arena_print(solver->kernel->module, "%s", answers[any ? answer : 0]);
        if (!i && best) /* what the first answer says of the search is of all */
            copy_notes(solver->out[0], notes);
        if (!i && chosen.busy > 0 && clocks.busy > 0)
            fprintf(solver->out[0], "# %.0f clocks an iteration as solved, %.0f as chosen: %s\n", clocks.busy,
                    chosen.busy, taken ? "as solved it is" : "as chosen it stays");
        copy_answer(solver->out[i], loop, text, taken || (i && any));
        solver->found = any && solver->found <= i ? i + 1 : solver->found;
    }
    for (int i = 0; i < BEST; i++)
        if (answers[i] != first)
            free(answers[i]);
    say_answer(solver, loop, why, clocks, chosen, taken);
}

static void solve_loop(Solver *solver, Op *loop)
{
    const char *name = schedule_name(loop, schedule_numbers(solver->kernel));
    int status = run_solver(solver, arena_print(solver->kernel->module, "%s:%s", solver->kernel->name, name));
    char *answer = status ? NULL : read_file(solver->answer);
    if (answer)
        keep_answers(solver, name, answer);
    else
        remark(solver->kernel, DIAG_MISSED, loop->control->pipeline->loc,
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

static bool solve_all(Solver *solver, const char *graph, const char *chosen)
{
    Kernel *kernel = solver->kernel;
    if (!make_temporary(solver->graph, sizeof solver->graph) ||
        !make_temporary(solver->answer, sizeof solver->answer) ||
        !make_temporary(solver->chosen, sizeof solver->chosen) || !write_text(solver->graph, graph) ||
        !write_text(solver->chosen, chosen))
        return false;
    for (int i = 0; i < FILES; i++)
        fprintf(solver->out[i], "# by wsc-solve\nschedule %s\ndigest %016llx\n", kernel->name,
                (unsigned long long)kernel->digest);
    ir_walk(kernel->body, visit_loop, solver);
    return solver->found > 0;
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

void schedule_solve(Kernel *kernel, const char *path)
{
    Solver solver = {.kernel = kernel};
    bool good = true;
    for (int i = 0; i < FILES; i++) {
        solver.out[i] = open_memstream(&solver.text[i], &solver.length[i]);
        good &= solver.out[i] != NULL;
    }
    good = good && solve_all(&solver, schedule_graph(kernel), schedule_text(kernel));
    if (*solver.graph)
        unlink(solver.graph);
    if (*solver.answer)
        unlink(solver.answer);
    if (*solver.chosen)
        unlink(solver.chosen);
    for (int i = 0; i < FILES; i++) {
        good &= solver.out[i] && !fclose(solver.out[i]);
        if (good && i < solver.found) {
            write_kept(kernel, path_of(kernel, path, i + 1), solver.text[i]);
            kernel->scheduled.texts[i] = arena_print(kernel->module, "%s", solver.text[i]);
        }
        free(solver.text[i]);
    }
}

void schedule_kept(Kernel *kernel, const char *path)
{
    for (int i = 0; i < FILES; i++) {
        char *text = read_file(path_of(kernel, path, i + 1));
        if (!text)
            return;
        kernel->scheduled.texts[i] = arena_print(kernel->module, "%s", text);
        free(text);
    }
}
