/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wsc-solve.c - the command line.  Exit status: 0 solved, 1 error, 2 no schedule exists, 3 out of time.  */
#include "solve.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Other schedules may take as long as the first, or at least this long.  */
#define LEAST_SECONDS 0.3

enum { STATUS_NONE = 2, STATUS_TIME = 3, DEFAULT_SECONDS = 60, MOST_SCHEDULES = 8 };

#ifdef __SANITIZE_ADDRESS__
/* The process frees no memory before it ends, so the leak check is off.  */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static const char help[] =
    "wsc-solve [OPTION]... [MACHINE] GRAPH\n"
    "\n"
    "A modulo schedule of a loop with the smallest initiation interval, and a warp assignment that can realize it.\n"
    "MACHINE and GRAPH are files; - is standard input. Installed machines are hopper.machine, blackwell.machine and\n"
    "small.machine.\n"
    "\n"
    "  --groups=N         at most N warp groups\n"
    "  --registers=N      of each thread of a group\n"
    "  --crossings=N      at most N values go from one group to another\n"
    "  --loop=NAME        of a file with several loops\n"
    "  --interval=N[:M]   try this interval alone, or those from N to M\n"
    "  --stages=N         at most N iterations overlap (one more than the shortest iteration needs)\n"
    "  --length=N         an iteration takes at most N cycles\n"
    "  --prefer=AIM,...   what is better, the most important first: spare, crossings, exposed, group-interval,\n"
    "                     carried, length, late\n"
    "  --normalize=N      costs become small numbers with the sum N or less; 0: they stay\n"
    "  --first            any schedule of the smallest interval\n"
    "  --time=SECONDS     stop after that time (60)\n"
    "  --output=FILE      write the schedule there, whole or not at all\n"
    "  --others=N         and up to N others of the same interval to FILE.2, FILE.3, ...: each has fewer stages, or "
    "is\n"
    "                     the best in another respect\n"
    "  --beside=FILE      predict the clocks of this schedule, too, as it is dumped by wscc\n"
    "  --check=FILE       solve nothing: is the schedule in FILE right?\n"
    "  --print=WHAT       solve nothing: graph, dot, digest, bound\n"
    "  --table            show the modular reservation table and the loop, too\n"
    "  --progress         say what is being tried, on standard error\n"
    "  --help, --version\n";

typedef struct {
    Wish wish;
    int groups, registers, crossings, normalize, others;
    double seconds;
    const char *output, *check, *print, *loop, *prefer, *beside;
    bool table;
    const char *file[8];
    int nfiles;
} Options;

static volatile sig_atomic_t signal_number;

static void cancel(int number)
{
    signal_number = number;
}

static const char *option_value(const char *argument, const char *name)
{
    size_t length = strlen(name);

    return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

static int option_number(const char *argument, const char *value, int least)
{
    char *end;
    long number = strtol(value, &end, 10);

    if (end == value || *end || number < least || number > 1000000)
        fail("%s: a whole number from %d on is wanted", argument, least);
    return (int)number;
}

static void option_interval(Options *options, const char *argument, const char *value)
{
    const char *colon = strchr(value, ':');
    char *from = format("%.*s", colon ? (int)(colon - value) : (int)strlen(value), value);

    options->wish.from = options->wish.to = option_number(argument, from, 1);
    if (colon)
        options->wish.to = option_number(argument, colon + 1, options->wish.from);
    free(from);
}

static double option_seconds(const char *argument, const char *value)
{
    char *end;
    double seconds = strtod(value, &end);

    if (end == value || *end || !(seconds >= 0 && seconds < 1e9))
        fail("%s: a number of seconds is wanted", argument);
    return seconds;
}

static void read_option(Options *options, const char *argument)
{
    const char *value;

    if ((value = option_value(argument, "--groups")))
        options->groups = option_number(argument, value, 1);
    else if ((value = option_value(argument, "--registers")))
        options->registers = option_number(argument, value, 0);
    else if ((value = option_value(argument, "--crossings")))
        options->crossings = option_number(argument, value, 0);
    else if ((value = option_value(argument, "--normalize")))
        options->normalize = option_number(argument, value, 0);
    else if ((value = option_value(argument, "--interval")))
        option_interval(options, argument, value);
    else if ((value = option_value(argument, "--stages")))
        options->wish.stages = option_number(argument, value, 1);
    else if ((value = option_value(argument, "--length")))
        options->wish.length = option_number(argument, value, 1);
    else if ((value = option_value(argument, "--time")))
        options->seconds = option_seconds(argument, value);
    else if ((value = option_value(argument, "--output")))
        options->output = value;
    else if ((value = option_value(argument, "--others")))
        options->others = option_number(argument, value, 0);
    else if ((value = option_value(argument, "--beside")))
        options->beside = value;
    else if ((value = option_value(argument, "--check")))
        options->check = value;
    else if ((value = option_value(argument, "--loop")))
        options->loop = value;
    else if ((value = option_value(argument, "--prefer")))
        options->prefer = value;
    else if ((value = option_value(argument, "--print")))
        options->print = value;
    else if (!strcmp(argument, "--first"))
        options->wish.first = true;
    else if (!strcmp(argument, "--table"))
        options->table = true;
    else if (!strcmp(argument, "--progress"))
        options->wish.progress = true;
    else
        fail("there is no option '%s'; wsc-solve --help lists them", argument);
}

/* Returns the path itself, or that of an installed machine if no such file exists.  */
static const char *file_path(const char *name)
{
    char *installed = format("%s/%s", WSC_MACHINES, name);

    if (strchr(name, '/') || !access(name, F_OK) || access(installed, F_OK)) {
        free(installed);
        return name;
    }
    return installed;
}

static Options read_options(int argc, char **argv)
{
    Options options = {.groups = NOT_GIVEN,
                       .registers = NOT_GIVEN,
                       .crossings = NOT_GIVEN,
                       .normalize = NOT_GIVEN,
                       .seconds = DEFAULT_SECONDS};

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            fputs(help, stdout);
            exit(0);
        }
        if (!strcmp(argv[i], "--version")) {
            printf("wsc-solve %s, %s\n", WSC_VERSION, sat_name());
            exit(0);
        }
        if (argv[i][0] == '-' && argv[i][1])
            read_option(&options, argv[i]);
        else if (options.nfiles < (int)(sizeof options.file / sizeof options.file[0]))
            options.file[options.nfiles++] = argv[i];
        else
            fail("these are too many files");
    }
    if (!options.nfiles)
        fail("no graph is given; wsc-solve --help");
    return options;
}

/* Writes a temporary file and renames it, so that the output is complete or absent.  */
static void write_output(const char *path, const Text *text)
{
    char *beside = path ? format("%s.%ld.tmp", path, (long)getpid()) : NULL;
    FILE *file = path ? fopen(beside, "w") : stdout;

    if (!file)
        fail("%s cannot be written", beside);
    bool whole = fwrite(text->text, 1, text->length, file) == text->length && !fflush(file);
    if (path)
        whole = !fclose(file) && whole && !rename(beside, path);
    if (!whole) {
        if (path)
            remove(beside);
        fail("%s cannot be written", path ? path : "standard output");
    }
    free(beside);
}

static void print_problem(const Options *options, const Problem *problem)
{
    Text text = {0};

    if (!strcmp(options->print, "graph"))
        show_problem(&text, problem);
    else if (!strcmp(options->print, "dot"))
        show_dot(&text, problem);
    else if (!strcmp(options->print, "digest"))
        add(&text, "%016llx\n", (unsigned long long)problem_digest(problem));
    else if (!strcmp(options->print, "bound")) {
        Outcome outcome;
        Schedule none = {0};
        search(problem, &(Wish){.from = 2, .to = 1}, &(Limit){now(), NULL}, &none, &outcome);
        add(&text, "%s", outcome.why.text);
    } else
        fail("--print=%s: it is graph, dot, digest or bound", options->print);
    write_output(options->output, &text);
    free(text.text);
}

static void check_file(const Options *options, const Problem *problem)
{
    char digest[17], *text = read_file(options->check), want[17];
    Schedule schedule = schedule_new(problem);

    read_schedule(problem, &schedule, options->check, text, digest);
    snprintf(want, sizeof want, "%016llx", (unsigned long long)problem_digest(problem));
    if (digest[0] && strcmp(digest, want))
        fail("%s: it is the schedule of another graph or machine: digest %s, and here %s", options->check, digest,
             want);
    char *wrong = check_schedule(problem, &schedule);
    if (wrong)
        fail("%s: %s", options->check, wrong);
    printf("%s: interval %d, length %d, crossings %d: right\n", options->check, schedule.interval, schedule.length,
           schedule.crossings);
    schedule_free(&schedule);
    free(text);
}

static void check_own(const Problem *problem, const Schedule *schedule)
{
    char *wrong = check_schedule(problem, schedule);
    if (wrong)
        fail("this is a defect of wsc-solve: its schedule is wrong: %s", wrong);
}

static void add_clocks(Text *text, const char *what, const Problem *problem, const Order *order)
{
    double clocks = predict(problem, order, true), alone = predict(problem, order, false);

    if (clocks > 0 && alone > 0)
        add(text, "# %s: %.0f clocks an iteration, %.0f with memory to itself\n", what, clocks, alone);
}

static void add_prediction(Text *text, const Problem *problem, const Schedule *schedule)
{
    Order order = order_of(problem, schedule);

    if (problem->turns) {
        double without = predict(problem, &order, true);
        order.turns = true;
        double clocks = predict(problem, &order, true);
        order.turns = clocks > 0 && clocks <= without;
        if (clocks > 0)
            add(text, "# turns: %s; %.0f clocks with and %.0f without\n", order.turns ? "yes" : "no", clocks, without);
    }
    add_clocks(text, "predicted", problem, &order);
    order_free(&order);
}

static void add_beside(Text *text, const Options *options, const Problem *problem)
{
    Order order = order_new(problem);
    char *beside = read_file(options->beside);

    if (read_order(problem, &order, options->beside, beside))
        add_clocks(text, "beside", problem, &order);
    order_free(&order);
    free(beside);
}

static void write_others(const Options *options, const Problem *problem, const Limit *limit, const Outcome *outcome,
                         const Schedule *best)
{
    Schedule schedules[MOST_SCHEDULES] = {*best};
    int most = options->others + 1 < MOST_SCHEDULES ? options->others + 1 : MOST_SCHEDULES;

    for (int i = 1; i < most; i++)
        schedules[i] = schedule_new(problem);
    Limit less = {now() + fmax(LEAST_SECONDS, outcome->seconds), limit->cancelled};
    less.until = fmin(less.until, limit->until);
    int n = search_others(problem, &options->wish, &less, outcome, schedules, most);
    for (int i = 1; i < n; i++) {
        Text text = {0};
        char *path = format("%s.%d", options->output, i + 1);
        check_own(problem, &schedules[i]);
        show_schedule(&text, problem, &schedules[i], NULL);
        add_prediction(&text, problem, &schedules[i]);
        write_output(path, &text);
        free(text.text);
        free(path);
    }
    for (int i = 1; i < most; i++)
        schedule_free(&schedules[i]);
}

static int solve(const Options *options, const Problem *problem)
{
    Limit limit = {now() + options->seconds, &signal_number};
    Schedule schedule = schedule_new(problem);
    Outcome outcome;
    Text text = {0};
    int status = 0;

    signal(SIGINT, cancel);
    signal(SIGTERM, cancel);
    search(problem, &options->wish, &limit, &schedule, &outcome);
    if (signal_number) {
        fprintf(stderr, "wsc-solve: cancelled at interval %d\n", outcome.tried);
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    if (outcome.answer == SAT_YES) {
        check_own(problem, &schedule);
        show_schedule(&text, problem, &schedule, &outcome);
        add_prediction(&text, problem, &schedule);
        if (options->beside)
            add_beside(&text, options, problem);
        if (options->table)
            show_tables(&text, problem, &schedule);
        write_output(options->output, &text);
        if (options->output && options->others)
            write_others(options, problem, &limit, &outcome, &schedule);
    } else {
        status = outcome.answer == SAT_NO ? STATUS_NONE : STATUS_TIME;
        fprintf(stderr, "%s", outcome.why.text ? outcome.why.text : "");
        if (status == STATUS_NONE)
            fprintf(stderr, "wsc-solve: %s: there is no schedule with an interval up to %d\n", problem->name,
                    outcome.tried);
        else
            fprintf(stderr, "wsc-solve: %s: out of time (%.3g s) at interval %d\n", problem->name, options->seconds,
                    outcome.tried);
    }
    free(outcome.why.text);
    free(text.text);
    schedule_free(&schedule);
    return status;
}

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    Problem problem;
    int status = 0;

    problem_init(&problem);
    problem.wanted = options.loop;
    char *prefer = options.prefer ? format("%s", options.prefer) : NULL;
    if (prefer)
        settle_aims(&problem, prefer);
    for (int i = 0; i < options.nfiles; i++) {
        const char *path = file_path(options.file[i]);
        char *text = read_file(path);
        read_problem(&problem, strcmp(path, "-") ? path : "standard input", text);
        free(text);
    }
    problem.groups = options.groups == NOT_GIVEN ? problem.groups : options.groups;
    problem.registers = options.registers == NOT_GIVEN ? problem.registers : options.registers;
    problem.crossings = options.crossings == NOT_GIVEN ? problem.crossings : options.crossings;
    problem.normalize = options.normalize == NOT_GIVEN ? problem.normalize : options.normalize;
    finish_problem(&problem);
    if (options.print)
        print_problem(&options, &problem);
    else if (options.check)
        check_file(&options, &problem);
    else
        status = solve(&options, &problem);
    problem_free(&problem);
    free(prefer);
    return status;
}
