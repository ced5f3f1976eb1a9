/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver.c - schedule(optimal): runs wsc-solve on the graph of a loop, and keeps its answer as a schedule file.
 *
 *   gemm-861b69177a4d971d.schedule     of the kernel gemm, with the digest of its body, its clauses and the machine
 *
 * The module names the folder of the file, which is that of the object.  While the digest of the file fits, no solver
 * is needed.  The solver is a separate process with a time limit.  A loop without an answer is not in the file, and
 * keeps the chosen schedule.
 *
 * The solver predicts the time of an iteration for its answers and for the chosen schedule.  The best answer replaces
 * the chosen schedule if the gain exceeds the error of the prediction.
 *
 *   gemm-861b69177a4d971d.2.schedule   others that wsc-solve has found, in the order of what is predicted, up to .6:
 *                                      variants under schedule(optimal, n)
 */
#include "cost/gpu.h"
#include "ir/parse.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SECONDS = 10, SOLVED_STAGES = 4, BEST = MOST_SOLVED, FILES = BEST + 1 };

typedef struct {
    Kernel *kernel;
    char graph[4096], chosen[4096], answer[4096]; /* temporary files; further answers are in ANSWER.2, .3, ... */
    FILE *out[FILES];                             /* files to be written, the best one first */
    char *text[FILES];
    size_t length[FILES];
    int found; /* number of files with an answer */
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

/* Runs wsc-solve, and returns its exit status, or -1.  */
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

/* Writes an answer as lines of a schedule file: cycles of operations as statements, the rest as comments.  If the
   answer is not taken, all lines are comments.  */
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

/* Clocks of an iteration; 0: not predicted.  */
typedef struct {
    double busy, alone; /* with all SMs running; with memory to itself */
} Clocks;

/* Reads "# predicted: 1726 clocks an iteration, 1702 with memory to itself" of an answer.  */
static Clocks clocks_of(const char *text, const char *what)
{
    const char *line = text ? strstr(text, what) : NULL;
    Clocks clocks = {0, 0};
    if (line && sscanf(line + strlen(what), "%lf clocks an iteration, %lf", &clocks.busy, &clocks.alone) != 2)
        clocks = (Clocks){0, 0};
    return clocks;
}

/* True if the gain exceeds the prediction's error, and the time with memory to itself is not longer.  */
static bool is_better(const Costs *costs, Clocks clocks, Clocks than)
{
    return clocks.busy > 0 && than.busy > 0 && clocks.busy < costs->solved_part * than.busy &&
           clocks.alone <= than.alone;
}

/* The answer with the least predicted time; of equal ones the first.  */
static int best_of(const Costs *costs, char *const *answers)
{
    int best = 0;
    for (int i = 1; i < BEST; i++)
        if (is_better(costs, clocks_of(answers[i], "# predicted: "), clocks_of(answers[best], "# predicted: ")))
            best = i;
    return best;
}

static double order_of(const char *answer)
{
    return answer ? clocks_of(answer, "# predicted: ").busy : 0;
}

/* Moves the best answer to the front, and sorts the others by prediction.  Answers without a prediction stay last.  */
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

/* Copies an answer's notes on the search: the reason why the interval is not smaller, and the cost of the search.  */
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

/* Writes the answers of a loop.  The first file gets the schedule that is taken.  The others get the other answers, and
   the best one if it is not taken.  If a loop has fewer answers than files, the rest get its first.  */
static void keep_answers(Solver *solver, const char *loop, char *first)
{
    char *answers[BEST] = {first};
    for (int i = 1; i < BEST; i++)
        answers[i] = other_answer(solver, i + 1);
    Clocks chosen = clocks_of(first, "# beside: ");
    const char *why = "", *notes = arena_print(solver->kernel->module, "%s", first);
    for (const char *line = strstr(first, "# interval "); line && !*why; line = NULL)
        why = arena_print(solver->kernel->module, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
    int best = best_of(kernel_costs(solver->kernel), answers);
    Clocks clocks = clocks_of(answers[best], "# predicted: ");
    bool taken = !chosen.busy || !clocks.busy || is_better(kernel_costs(solver->kernel), clocks, chosen);
    sort_answers(answers, best);
    solver->found += !solver->found;
    for (int i = 0; i < FILES; i++) {
        int answer = taken || !i ? i : i - 1;
        bool any = answer < BEST && answers[answer];
        char *text = arena_print(solver->kernel->module, "%s", answers[any ? answer : 0]);
        if (!i && best) /* the first answer has the notes of the whole search */
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
               status == 2 ? "schedule(optimal): the default schedule is used, since there is none of at most %d stages"
               : status == 3 ? "schedule(optimal): the default schedule is used, since %d stages gave no answer in time"
                             : "schedule(optimal): the default schedule is used, since wsc-solve failed with %d stages",
               SOLVED_STAGES);
    free(answer);
}

static void visit_loop(Op *op, void *context)
{
    if (schedule_of_loop(op) && pipeline_of(op)->schedule == SCHEDULE_OPTIMAL)
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

/* Writes the file as a whole or not at all.  If the folder is not writable, the next build solves again.  */
static void write_kept(const Kernel *kernel, const char *path, const char *text)
{
    const char *made = arena_print(kernel->module, "%s.%ld", path, (long)getpid());
    FILE *out = fopen(made, "w");
    bool good = out && fputs(text, out) != EOF;
    if (out && (fclose(out) || !good || rename(made, path)))
        unlink(made);
}

/* The path of the n-th best answer.  */
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
