/* SPDX-License-Identifier: MIT */
/*
 * team.c - several processes of one machine that share a loop over devices: each executes one iteration.
 *
 *      mpirun -n 2 ./program                            each process:
 *      ws_team *team = ws_team_open(NULL);              rank and size from the launcher's environment
 *      int n = ws_team_size(team);
 *      ws_team_alloc(team, bytes, (void **)X);          X[r]: memory of rank r, in any process
 *      #pragma ws devices(n)                            iteration r runs in the process of rank r alone
 *      for (int r = 0; r < n; r++) ...                  all have arrived when the loop begins, and have ended after it
 *
 * Processes synchronize through a segment of shared memory.  Memory that others load is shared memory, too, or memory
 * of a device by a handle (CUDA IPC).  Every process computes the arguments of every iteration, but launches only its
 * own.  At the loop's end the arguments are compared, and each rank reports a difference of shapes.
 */
#define _GNU_SOURCE
#include "target.h"
#include "ws/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 64, MOST_SHAPES = 96, HANDLE = 64, NAME = 48, READY = 0x7773746d };
enum { PAGE = 2 << 20 }; /* of a device: a handle stands for whole pages, which must hold nothing else */

/* A tensor of a launch.  */
struct shape {
    int iteration, rank, size;
    long extent[4];
    char name[NAME]; /* "kernel: tensor" */
};
struct member {
    atomic_int process; /* 0: it has not arrived yet */
    atomic_ulong steps; /* number of barriers that it has reached */
    int failed;         /* a launch of this loop has failed */
    size_t bytes;
    unsigned char handle[HANDLE];
    int shapes;
    struct shape shape[MOST_SHAPES];
};
struct segment {
    atomic_uint ready;
    int size;
    struct member members[];
};
struct ws_team {
    int rank, size;
    char name[128];
    struct segment *segment;
    size_t bytes;
    unsigned long steps;
    int allocations;
    bool broken; /* a rank is gone */
};

static ws_team *the_team; /* of this process; it may have one process only */

ws_team *ws_team_now(void)
{
    return the_team && the_team->size > 1 ? the_team : NULL;
}

/* ---- the launcher's environment ---------------------------------------------------------------------------------- */

static bool number_of(const char *name, int *to)
{
    const char *text = ws_environment_(name);
    char *end;
    long n = text ? strtol(text, &end, 10) : -1;
    *to = (int)n;
    return text && end != text && n >= 0 && n < INT_MAX;
}

/* "NAME:RANK:SIZE", for processes that no launcher of the list has started.  */
static bool by_hand(ws_team *team)
{
    const char *text = ws_environment_("WS_TEAM");
    char name[64];
    if (!text || sscanf(text, "%63[^:]:%d:%d", name, &team->rank, &team->size) != 3)
        return false;
    snprintf(team->name, sizeof team->name, "%s", name);
    return true;
}

static bool by_launcher(ws_team *team, bool *same_machine)
{
    static const char *const launchers[][4] = {
        /* rank, size, size on this machine, of the job */
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE"},
        {"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_PORT"},
        {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE", "SLURM_JOB_ID"},
        {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "PMI_ID"},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int local;
        if (!number_of(launchers[i][0], &team->rank) || !number_of(launchers[i][1], &team->size))
            continue;
        *same_machine = !number_of(launchers[i][2], &local) || local == team->size;
        snprintf(team->name, sizeof team->name, "%s",
                 ws_environment_(launchers[i][3]) ? ws_environment_(launchers[i][3]) : "job");
        return true;
    }
    return false;
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(int *looks)
{
    const struct timespec moment = {0, 50000};
    if (++*looks > 2000)
        nanosleep(&moment, NULL);
}

/* Reports a missing rank if its process has ended or the wait has timed out.  */
static ws_status is_missing(ws_team *team, int rank, double since, const char *what)
{
    const int process = atomic_load(&team->segment->members[rank].process);
    if (process && kill(process, 0) && errno == ESRCH) {
        team->broken = true;
        return ws_error_set(WS_ERR_DEVICE, "rank %d of %d: %s: the process of rank %d has ended", team->rank,
                            team->size, what, rank);
    }
    if (seconds_now() - since < ws_watchdog_())
        return WS_OK;
    team->broken = true;
    return ws_error_set(WS_ERR_DEVICE, "rank %d of %d: %s: rank %d has not come in %d s", team->rank, team->size, what,
                        rank, ws_watchdog_());
}

/* A barrier of all ranks.  */
static ws_status team_meet(ws_team *team, const char *what)
{
    const double since = seconds_now();
    ws_status status = WS_OK;
    if (team->broken)
        return ws_error_set(WS_ERR_DEVICE, "rank %d of %d: %s: a rank is gone", team->rank, team->size, what);
    atomic_store(&team->segment->members[team->rank].steps, ++team->steps);
    for (int r = 0; r < team->size && status == WS_OK; r++)
        for (int looks = 0; status == WS_OK && atomic_load(&team->segment->members[r].steps) < team->steps;) {
            rest(&looks);
            if (looks % 1000 == 0)
                status = is_missing(team, r, since, what);
        }
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void *map_file(int file, size_t bytes)
{
    void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return p == MAP_FAILED ? NULL : p;
}

static void *make_shared(const char *name, size_t bytes)
{
    shm_unlink(name);
    const int file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    if (file < 0)
        return NULL;
    if (ftruncate(file, (off_t)(bytes ? bytes : 1)) == 0)
        return map_file(file, bytes);
    close(file);
    shm_unlink(name);
    return NULL;
}

static void *open_shared(const char *name, size_t bytes)
{
    const int file = shm_open(name, O_RDWR, 0600);
    off_t there = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    if (file >= 0 && there < (off_t)bytes) {
        close(file);
        return NULL;
    }
    return file < 0 ? NULL : map_file(file, bytes);
}

/* Rank 0 makes the segment.  Other ranks skip a segment that an earlier job of this name has left.  */
static ws_status join(ws_team *team)
{
    const double since = seconds_now();
    team->bytes = sizeof *team->segment + (size_t)team->size * sizeof(struct member);
    if (team->rank == 0) {
        team->segment = make_shared(team->name, team->bytes);
        if (!team->segment)
            return ws_error_set(WS_ERR_MEMORY, "ws_team_open: shared memory %s: %s", team->name, strerror(errno));
        team->segment->size = team->size;
        atomic_store(&team->segment->members[0].process, (int)getpid());
        atomic_store(&team->segment->ready, READY);
        return WS_OK;
    }
    for (int looks = 0; seconds_now() - since < ws_watchdog_(); rest(&looks)) {
        struct segment *found = open_shared(team->name, team->bytes);
        if (found && atomic_load(&found->ready) == READY && found->size == team->size &&
            !kill(atomic_load(&found->members[0].process), 0) && !atomic_load(&found->members[team->rank].process)) {
            team->segment = found;
            atomic_store(&found->members[team->rank].process, (int)getpid());
            return WS_OK;
        }
        if (found)
            munmap(found, team->bytes);
    }
    return ws_error_set(WS_ERR_DEVICE, "rank %d of %d: ws_team_open: rank 0 has not come in %d s", team->rank,
                        team->size, ws_watchdog_());
}

static ws_status start(ws_team *team, const char *name)
{
    bool same_machine = true;
    char job[96];
    if (!by_hand(team) && !by_launcher(team, &same_machine))
        *team = (ws_team){.rank = 0, .size = 1};
    if (team->size < 1 || team->size > MOST_RANKS || team->rank < 0 || team->rank >= team->size)
        return ws_error_set(WS_ERR_ARGUMENT, "ws_team_open: rank %d of %d; there are 1 to %d", team->rank, team->size,
                            MOST_RANKS);
    if (!same_machine)
        return ws_error_set(WS_ERR_UNSUPPORTED,
                            "ws_team_open: a team is of one machine, and these %d processes are of "
                            "several",
                            team->size);
    if (team->size == 1)
        return WS_OK;
    snprintf(job, sizeof job, "%.60s", team->name);
    for (char *c = job; *c; c++)
        *c = *c == '/' ? '-' : *c;
    snprintf(team->name, sizeof team->name, "/ws-team-%ld-%s%s%.32s", (long)getuid(), job, name ? "-" : "",
             name ? name : "");
    ws_status status = join(team);
    if (status == WS_OK)
        status = team_meet(team, "ws_team_open");
    if (team->rank == 0)
        shm_unlink(team->name);
    if (status == WS_OK && ws_devices_backend() && ws_devices_backend()->choose)
        status = ws_devices_backend()->choose(team->rank);
    return status;
}

ws_team *ws_team_open(const char *name)
{
    ws_team *team = the_team ? NULL : calloc(1, sizeof *team);
    if (the_team)
        ws_error_set(WS_ERR_ARGUMENT, "ws_team_open: this process has a team");
    else if (!team)
        ws_error_set(WS_ERR_MEMORY, "ws_team_open: no memory");
    if (team && start(team, name) != WS_OK) {
        if (team->segment)
            munmap(team->segment, team->bytes);
        free(team);
        team = NULL;
    }
    return the_team = team ? team : the_team;
}

int ws_team_rank(const ws_team *team)
{
    return team ? team->rank : 0;
}

int ws_team_size(const ws_team *team)
{
    return team && team->size > 1 ? team->size : ws_devices();
}

int ws_team_has(const ws_team *team, int member)
{
    return !team || team->size == 1 || member == team->rank;
}

ws_status ws_team_wait(ws_team *team)
{
    ws_status status = ws_sync();
    return team && team->size > 1 && status == WS_OK ? team_meet(team, "ws_team_wait") : status;
}

void ws_team_close(ws_team *team)
{
    if (!team)
        return;
    if (team->segment)
        munmap(team->segment, team->bytes);
    the_team = the_team == team ? NULL : the_team;
    free(team);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void name_of(char *name, size_t bytes, const ws_team *team, int rank)
{
    snprintf(name, bytes, "%s-%d-%d", team->name, team->allocations, rank);
}

static ws_status share_own(ws_team *team, size_t bytes, void **to)
{
    const struct ws_backend_devices *devices = ws_devices_backend();
    struct member *mine = &team->segment->members[team->rank];
    char name[192];
    name_of(name, sizeof name, team, team->rank);
    mine->bytes = bytes;
    *to = devices ? devices->alloc(team->rank, (bytes / PAGE + 1) * PAGE) : make_shared(name, bytes);
    if (*to && (!devices || (devices->share && devices->share(*to, mine->handle))))
        return WS_OK;
    return ws_error_set(WS_ERR_MEMORY, "ws_team_alloc: rank %d has no memory to share of %zu bytes", team->rank, bytes);
}

static ws_status reach(ws_team *team, int rank, void **to)
{
    const struct ws_backend_devices *devices = ws_devices_backend();
    struct member *theirs = &team->segment->members[rank];
    char name[192];
    name_of(name, sizeof name, team, rank);
    *to = !devices ? open_shared(name, theirs->bytes) : devices->open ? devices->open(theirs->handle) : NULL;
    return *to ? WS_OK
               : ws_error_set(WS_ERR_DEVICE, "ws_team_alloc: rank %d does not reach the memory of rank %d", team->rank,
                              rank);
}

/* For one process with several devices: memory of each device.  */
static ws_status alloc_here(int count, size_t bytes, void *to[])
{
    for (int r = 0; r < count; r++)
        if (!(to[r] = ws_alloc_on(r, bytes)))
            return ws_error_pending();
    return WS_OK;
}

/* Memory of other ranks may have other sizes; a load beyond it is an error.  */
ws_status ws_team_alloc(ws_team *team, size_t bytes, void *to[])
{
    char name[192];
    if (!team || team->size == 1)
        return alloc_here(ws_team_size(team), bytes, to);
    ws_status own = share_own(team, bytes, &to[team->rank]), status = team_meet(team, "ws_team_alloc");
    for (int r = 0; r < team->size && status == WS_OK; r++) {
        status = r == team->rank ? own : reach(team, r, &to[r]);
        if (status == WS_OK && !ws_devices_keep(to[r], team->segment->members[r].bytes, r))
            status = ws_error_set(WS_ERR_MEMORY, "ws_team_alloc: no memory");
    }
    ws_status met = team_meet(team, "ws_team_alloc");
    name_of(name, sizeof name, team, team->rank);
    if (!ws_devices_backend())
        shm_unlink(name);
    team->allocations++;
    return status == WS_OK ? met : status;
}

/* ---- a loop over devices ----------------------------------------------------------------------------------------- */

ws_status ws_team_loop_begins(long devices)
{
    ws_team *team = ws_team_now();
    struct member *mine = team ? &team->segment->members[team->rank] : NULL;
    if (!team)
        return WS_OK;
    ws_status status = ws_team_wait(team);
    mine->failed = mine->shapes = 0; /* others compare until then */
    if (status == WS_OK && devices != team->size)
        status = ws_error_set(WS_ERR_ARGUMENT, "devices(%ld): the team has %d ranks", devices, team->size);
    return status;
}

int ws_devices_elsewhere_(void)
{
    const ws_team *team = ws_team_now();
    return team && ws_devices_current() >= 0 && ws_devices_current() != team->rank;
}

void ws_team_note(const struct ws_use *use)
{
    ws_team *team = ws_team_now();
    struct member *mine = team ? &team->segment->members[team->rank] : NULL;
    if (!team || mine->shapes == MOST_SHAPES)
        return;
    struct shape *s = &mine->shape[mine->shapes++];
    memset(s, 0, sizeof *s);
    s->iteration = use->device;
    s->rank = use->rank;
    s->size = use->size;
    for (int d = 0; d < use->rank && d < 4; d++)
        s->extent[d] = use->extent[d];
    snprintf(s->name, sizeof s->name, "%s: %s", use->kernel, use->name);
}

static void say_shape(char *text, size_t bytes, const struct shape *s)
{
    size_t used = 0;
    for (int d = 0; d < s->rank && d < 4 && used < bytes; d++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%ld", d ? " x " : "", s->extent[d]);
}

/* Compares the records of both ranks for their iterations.  */
static ws_status compare(const ws_team *team, int other)
{
    const struct member *mine = &team->segment->members[team->rank], *theirs = &team->segment->members[other];
    char here[96], there[96];
    for (int i = 0; i < mine->shapes && i < theirs->shapes; i++) {
        const struct shape *a = &mine->shape[i], *b = &theirs->shape[i];
        if (!memcmp(a, b, sizeof *a))
            continue;
        say_shape(here, sizeof here, a);
        say_shape(there, sizeof there, b);
        if (a->iteration == b->iteration && !strcmp(a->name, b->name))
            return ws_error_set(WS_ERR_ARGUMENT,
                                "%s: is %s in iteration %d of a loop over devices as rank %d has it, and %s as rank %d",
                                a->name, here, a->iteration, team->rank, there, other);
        return ws_error_set(WS_ERR_ARGUMENT, "ranks %d and %d of a team launch other kernels: %s and %s", team->rank,
                            other, a->name, b->name);
    }
    if (theirs->failed && !mine->failed)
        return ws_error_set(WS_ERR_LAUNCH, "rank %d of a team has failed in a loop over devices", other);
    return WS_OK;
}

ws_status ws_team_loop_ends(int failed)
{
    ws_team *team = ws_team_now();
    if (!team)
        return WS_OK;
    team->segment->members[team->rank].failed = failed;
    ws_status status = ws_sync(), met = team_meet(team, "the end of a loop over devices");
    for (int r = 0; r < team->size && met == WS_OK && status == WS_OK; r++)
        status = r == team->rank ? WS_OK : compare(team, r);
    return status == WS_OK ? met : status;
}
