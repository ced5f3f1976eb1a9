/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process.c - children, signals, errors, and the removal of outputs after an error.
 *
 * If a compile ends early, for any reason, the outputs that it has claimed are removed.  An object without its device
 * part would look finished to make.  A child runs in a process group of its own.  So one signal ends the host
 * compiler's and nvcc's own children, too, and no file is written after the cleanup.
 */

#include "wscc.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int fatal_signals[] = {SIGHUP, SIGINT, SIGTERM};
static volatile sig_atomic_t caught, child; /* child: argument of kill(); negative for a group */
static Args claimed;
static char *folder;

/* Identity of an existing object, so that only that one is removed: another compile may have replaced it.  */
typedef struct {
    const char *path;
    struct stat status;
} Before;
static Before *before;
static int nbefore;

static void on_signal(int number)
{
    caught = number;
    if (child)
        kill((pid_t)child, number);
}

void signals_catch(void)
{
    for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++) {
        struct sigaction old, action = {.sa_handler = on_signal};
        sigemptyset(&action.sa_mask);
        /* Signals that the caller ignores (nohup) stay ignored.  */
        if (sigaction(fatal_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    }
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    (void)status, (void)flag, (void)walk;
    remove(path);
    return 0;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino && one->st_size == other->st_size &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

static void remove_before(const Before *one)
{
    struct stat now;

    if (lstat(one->path, &now) == 0 && S_ISREG(now.st_mode) && is_same(&now, &one->status))
        unlink(one->path);
}

void cleanup(void)
{
    for (int i = 0; i < claimed.count; i++)
        if (is_plain(claimed.item[i]))
            unlink(claimed.item[i]);
    claimed.count = 0;
    for (int i = 0; i < nbefore; i++)
        remove_before(&before[i]);
    nbefore = 0;
    if (folder)
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    folder = NULL;
}

void complain(const char *kind, const char *pattern, ...)
{
    va_list list;

    fprintf(stderr, "wscc: %s: ", kind);
    va_start(list, pattern);
    vfprintf(stderr, pattern, list);
    va_end(list);
    fputc('\n', stderr);
}

void fail(const char *pattern, ...)
{
    va_list list;

    fputs("wscc: error: ", stderr);
    va_start(list, pattern);
    vfprintf(stderr, pattern, list);
    va_end(list);
    fputc('\n', stderr);
    cleanup();
    exit(1);
}

/* After a child, a signal that has arrived ends wscc as it would have without the handler.  */
static void die_if_caught(void)
{
    if (!caught)
        return;
    int number = caught;
    cleanup();
    signal(number, SIG_DFL);
    raise(number);
}

void outputs_keep(void)
{
    die_if_caught();
    claimed.count = 0;
    nbefore = 0;
}

/* The temporary folder's name gets into objects (debugging information, nvcc's internal names).  So the name is derived
   from the compile, and two compiles of one object give one object.  If the name is taken, another one is used.  */
static const char *purpose = "";

void temporary_purpose(const char *text)
{
    purpose = text;
}

const char *temporary_folder(void)
{
    const char *where = getenv("TMPDIR");
    uint64_t hash = UINT64_C(14695981039346656037);

    if (folder)
        return folder;
    if (!where || !*where)
        where = "/tmp";
    for (const char *at = purpose; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    char *name = format("%s/wscc-%016" PRIx64, where, hash);
    if (mkdir(name, 0700) != 0)
        name = mkdtemp(format("%s/wscc-XXXXXXXXXX", where));
    if (!name)
        fail("cannot make a temporary folder in %s: %s", where, strerror(errno));
    char *path = realpath(name, NULL);
    folder = path ? path : name;
    return folder;
}

bool is_plain(const char *path)
{
    struct stat status;

    return lstat(path, &status) != 0 ? errno == ENOENT : S_ISREG(status.st_mode);
}

void output_claim(const char *path)
{
    args_add(&claimed, path);
}

void output_replaces(const char *path)
{
    struct stat status;

    if (lstat(path, &status) != 0)
        return;
    before = need(realloc(before, (size_t)(nbefore + 1) * sizeof before[0]));
    before[nbefore++] = (Before){path, status};
}

static void copy_bytes(const char *from, const char *to)
{
    char part[65536];
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;

    if (!in)
        fail("cannot read %s: %s", from, strerror(errno));
    for (size_t got; out && (got = fread(part, 1, sizeof part, in)) > 0;)
        fwrite(part, 1, got, out);
    if (!out || ferror(in) || ferror(out) || fclose(out) != 0)
        fail("cannot write %s: %s", to, strerror(errno));
    fclose(in);
}

/* Renames, so that the output is complete or absent.  An output that is a device is written.  */
void output_publish(const char *made, const char *path)
{
    char *actual = realpath(path, NULL); /* the target of a symbolic link */
    const char *to = actual ? actual : path;

    if (!is_plain(to)) {
        copy_bytes(made, to);
        return;
    }
    if (rename(made, to) == 0)
        return;
    if (errno != EXDEV)
        fail("cannot rename %s to %s: %s", made, to, strerror(errno));
    const char *beside = format("%s.wscc-%ld", to, (long)getpid());
    output_claim(beside);
    copy_bytes(made, beside);
    if (rename(beside, to) != 0)
        fail("cannot rename %s to %s: %s", beside, to, strerror(errno));
}

static void show(const Args *args)
{
    for (int i = 0; i < args->count; i++)
        fprintf(stderr, " %s", args->item[i]);
    fputc('\n', stderr);
}

static void response_write(FILE *file, const char *word)
{
    fputc('"', file);
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            fputc('\\', file);
        fputc(*word, file);
    }
    fputs("\"\n", file);
}

/* Arguments from a response file may be too many for exec: they are passed by one, too. The words of the command stay
   in front of it, since `ccache @file` would run the file.  */
static const Args *shortened(const Options *options, const Args *args, Args *place)
{
    if (!options->response_file)
        return args;
    char *path = format("%s/arguments-%d", temporary_folder(), args->count);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("cannot write %s: %s", path, strerror(errno));
    const int first = args->command > 1 ? args->command : 1;
    for (int i = first; i < args->count; i++)
        response_write(file, args->item[i]);
    if (fclose(file) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
    for (int i = 0; i < first; i++)
        args_add(place, args->item[i]);
    args_add(place, format("@%s", path));
    return place;
}

/* The arguments of `start`.  */
typedef struct {
    const Args *args;
    const char *where; /* its folder; NULL: this one */
    bool own_group;
    const Args *environment; /* additional NAME=VALUE, or NULL */
    int in, out, err;        /* its streams; -1: inherited */
} Start;

static void child_main(const Start *how, const sigset_t *mask)
{
    const int streams[] = {how->in, how->out, how->err};
    const Args *args = how->args;

    if (how->own_group)
        setpgid(0, 0);
    for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++) {
        struct sigaction old;
        if (sigaction(fatal_signals[i], NULL, &old) == 0 && old.sa_handler == on_signal)
            signal(fatal_signals[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
    for (int i = 0; i < 3; i++)
        if (streams[i] >= 0)
            dup2(streams[i], i);
    for (int i = 0; how->environment && i < how->environment->count; i++)
        putenv((char *)(uintptr_t)how->environment->item[i]);
    if (!how->where || chdir(how->where) == 0)
        execvp(args->item[0], (char *const *)args->item);
    fprintf(stderr, "wscc: error: cannot run %s: %s\n", args->item[0], strerror(errno));
    _exit(NOT_STARTED);
}

/* Signals that arrive before `child` is set are blocked until then.  */
static pid_t start(const Start *how)
{
    sigset_t blocked, mask;

    fflush(NULL);
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++)
        sigaddset(&blocked, fatal_signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    pid_t pid = fork();
    if (pid == 0)
        child_main(how, &mask);
    if (pid > 0 && how->own_group)
        setpgid(pid, pid);
    if (pid > 0)
        child = how->own_group ? -pid : pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return pid;
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    die_if_caught();
    return status;
}

int run(const Options *options, const Args *args, const char *where)
{
    Args place = {0};

    die_if_caught();
    if (options->verbose)
        show(args);
    /* A compiler that reads the terminal has to stay in its foreground group.  */
    const Start how = {.args = shortened(options, args, &place),
                       .where = where,
                       .own_group = !options->standard_input,
                       .in = -1,
                       .out = -1,
                       .err = -1};
    pid_t pid = start(&how);
    if (pid < 0)
        fail("cannot start %s: %s", args->item[0], strerror(errno));
    int status = wait_for(pid);
    if (WIFSIGNALED(status)) {
        complain("error", "%s was ended by signal %d (%s)", args->item[0], WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        return NOT_ENDED;
    }
    return WEXITSTATUS(status);
}

static char *read_all(int from)
{
    char *text = format("%s", "");
    size_t length = 0, room = 0;

    for (;;) {
        if (length + 65536 > room)
            text = need(realloc(text, (room = 2 * room + 65536) + 1));
        ssize_t got = read(from, text + length, room - length);
        if (got < 0 && errno == EINTR && !caught)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    text[length] = '\0';
    return text;
}

char *output_of(const Args *args, const Args *environment, Taken taken)
{
    int ends[2], nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    die_if_caught();
    if (nothing < 0 || pipe2(ends, O_CLOEXEC) != 0)
        fail("cannot start %s: %s", args->item[0], strerror(errno));
    const Start how = {.args = args,
                       .environment = environment,
                       .in = nothing,
                       .out = taken == TAKE_OUTPUT ? ends[1] : nothing,
                       .err = taken == TAKE_ERRORS ? ends[1] : nothing};
    pid_t pid = start(&how);
    close(ends[1]);
    close(nothing);
    if (pid < 0)
        fail("cannot start %s: %s", args->item[0], strerror(errno));
    char *text = read_all(ends[0]);
    close(ends[0]);
    wait_for(pid);
    return text;
}

void replace(const Args *args)
{
    execvp(args->item[0], (char *const *)args->item);
    fail("cannot run %s: %s", args->item[0], strerror(errno));
}
