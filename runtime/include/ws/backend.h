/* SPDX-License-Identifier: MIT */
/*
 * ws/backend.h - how emitted code and the runtime library meet.  Not for users' programs.
 *
 * The library knows no device.  Code that does (the emitted CUDA object) registers a table of functions when it is
 * loaded, and ws_alloc, ws_copy and ws_sync go through that table from then on.
 */
#ifndef WS_BACKEND_H
#define WS_BACKEND_H

#include <stdarg.h>
#include <stddef.h>
#include <ws.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ws_backend {
    const char *name;                                            /* "host", "cuda" */
    void *(*alloc)(size_t bytes);                                /* NULL: none left */
    void (*free)(void *p);                                       /* p is from alloc */
    ws_status (*copy)(void *to, const void *from, size_t bytes); /* either side host or device; complete on return */
    ws_status (*sync)(void);                                     /* the calling thread's stream (ws_stream) */
    int (*is_device_pointer)(const void *p);                     /* nonzero: the host cannot read it */
};

/* The table stays the caller's and must outlive the process.  Registering a table of the same name again is nothing; a
   device wins over the host.  Callable from a constructor.  */
void ws_backend_register(const struct ws_backend *backend);
const struct ws_backend *ws_backend_current(void);

/* The same for an object that holds kernels for cuda and for emulation: of whether the table is registered the library
   decides when it is first needed (target.c).  `why_not` says why there is no device to run on, or returns NULL.  */
void ws_backend_offer(const struct ws_backend *backend, const char *(*why_not)(void));
/* The one of two launchers that this process takes.  */
typedef void (*ws_launcher)(void);
ws_launcher ws_choose_launcher(ws_launcher cuda, ws_launcher emulate);

/* Keep this thread's first error until ws_last_error reads it; returns status.  */
ws_status ws_error_set(ws_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
ws_status ws_error_vset(ws_status status, const char *format, va_list list);
ws_status ws_error_pending(void);   /* the same without clearing */
unsigned long ws_error_count(void); /* of this thread, those that were read, too */
/* Every launch says so, and ws_sync: an error of this thread that nobody has read by then is shown.  */
void ws_begin_launch(void);

/* The value of a variable of the environment; NULL: it has none, or one that host/environment.def does not know, which
   is a warning.  All that it does not know are warned of, the first time.  */
const char *ws_environment_(const char *name);
void ws_environment_look_(void);

/* One line to the user's log; 0 if there is none.  */
int ws_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *ws_stream(void); /* what this thread gave to ws_set_stream, or NULL */

/* ---- variants of kernels: host/choice.c -------------------------------------------------------------------------- */

enum { WS_CHOICE_VARIANTS = 256, WS_CHOICE_SHAPE = 24, WS_CHOICE_FINALISTS = 4, WS_CHOICE_ROUNDS = 7 };
struct ws_variant {
    const char *numbers; /* 128x256: what its choices are */
    unsigned long long digest;
};
/* Of one region; a constant of the program but for what is known of its launches.  */
struct ws_choices {
    const char *kernel;
    const char *tuned; /* a table's text, known when the object was built; or NULL */
    int count;
    const struct ws_variant *variants;
    int has_read;
    struct ws_known *known;
};
/* What a variant's launcher does: launch; or say by ws_choice_tell what it is estimated at, in clocks; or how long it
   takes, and leave the memory as it was.  */
enum ws_choosing { WS_CHOOSING_NOTHING, WS_CHOOSING_ESTIMATES, WS_CHOOSING_BY_TIME };
enum ws_choosing ws_choosing(void);
void ws_choice_tell(double number); /* 0 or less: it cannot be launched */
/* One launch: while ws_choice_next says so, the launcher of `variant` is called.  */
struct ws_choice {
    struct ws_choices *of;
    const char *device;
    int may_measure;
    int rank;
    long shape[WS_CHOICE_SHAPE];
    int variant, state, had;
    double began, times[WS_CHOICE_VARIANTS];
    int least; /* the variant with the least estimate, -1: none yet */
    double estimate;
    int finalists, final[WS_CHOICE_FINALISTS], finals; /* those measured again, and how often one of them was */
    double again[WS_CHOICE_FINALISTS][WS_CHOICE_ROUNDS];
};
int ws_choice_next(struct ws_choice *choice);
/* What a front end leaves of ws_choice outside of grids.  */
#ifndef WS_CHOICES_
int ws_choice_(int first, ...);
long ws_choice_shape_(long first, ...);
#endif

/* ---- loops over devices: host/devices.c -------------------------------------------------------------------------- */

/* How a device's launches follow what there is.  */
enum ws_enter {
    WS_ENTER_IN,    /* the current device's go to `stream`, others' behind what it holds by then */
    WS_ENTER_APART, /* the current device's, too, have a stream of their own */
    WS_ENTER_AGAIN, /* they follow what the same devices have, each in its own stream */
    WS_ENTER_MET    /* ... and behind all that `mark` was told of */
};
/* What goes with a table of functions, where it knows of several devices.  Devices are numbered as the loop's
   iterations are; where there are fewer of them, some stand for several.  */
struct ws_backend_devices {
    int (*count)(void);
    void *(*alloc)(int device, size_t bytes);
    /* The calling thread's launches go to that device.  */
    ws_status (*enter)(int device, void *stream, enum ws_enter how);
    /* The thread is on its own one again, and `stream` waits for the first so many devices.  */
    ws_status (*leave)(int devices, void *stream);
    /* So many words of the current device for the block of grids that begins in `stream`, zero behind what the stream
       holds by then.  NULL: there are none, and the block's grids run one after the other.  */
    unsigned *(*open_together)(int words, void *stream);
    /* Are so many devices GPUs of their own, which reach each other's memory?  */
    int (*apart)(int devices);
    /* The current device's stream waits for what the first so many devices hold by now; `again`: for what they held at
       the last such call without.  */
    ws_status (*wait_all)(int devices, int again);
    /* Of teams of processes.  The process is on that device from now on; 64 bytes by which another one opens what
       `alloc` gave, 0: there are none; and what they stand for.  */
    ws_status (*choose)(int device);
    int (*share)(void *p, void *handle);
    void *(*open)(const void *handle);
    /* What the first so many devices hold by now, WS_ENTER_MET comes behind.  */
    ws_status (*mark)(int devices);
};
void ws_backend_register_devices(const struct ws_backend_devices *devices);
const struct ws_backend_devices *ws_devices_backend(void); /* NULL where kernels run on the CPU */

/* What emitted code calls around a loop over devices.  */
void ws_devices_begin_(long devices);
void ws_devices_next_(long iteration);
void ws_devices_end_(void);
void ws_devices_again_(long devices); /* the same as an end, and a begin right behind it */
/* And around a block of grids that may run together.  */
void ws_together_begin_(void);
void ws_together_end_(void);

/* Arrays that stay on the device: host/data.c.  The kind: 0 copy, 1 copyin, 2 copyout, 3 create, 4 present.  */
void ws_data_begin_(void);
void ws_data_add_(const void *base, long first, long bytes, int kind, const char *name);
void ws_data_end_(void);
void ws_data_update_(const void *base, long first, long bytes, int to_host, const char *name);
/* Where [*begin, end) is on the device, if a region has copied it there.  */
ws_status ws_data_find_(const char *kernel, const char *name, char **begin, const char *end, int stored);

/* A sum over a whole grid: host/total.c.  The operation: 0 +, 1 *, 2 max, 3 min, 4 &&, 5 ||.  */
void *ws_total_begin_(int operation, int bytes);
void *ws_total_room_(const void *total, long count); /* memory for so many numbers, where the kernel runs */
void ws_total_lend_(const void *total, void *numbers, long count); /* that the caller has already */
float ws_total_f32_(void *total, float x);
double ws_total_f64_(void *total, double x);
int ws_total_i32_(void *total, int x);
long ws_total_i64_(void *total, long x);
/* Of a number in memory of the host or the device: 0 float, 1 double, 2 int, 3 long.  */
void ws_total_into_(void *total, void *where, int type);

int ws_devices_current(void);        /* the device of this thread's iteration; -1: it is in no such loop */
int ws_devices_owner(const void *p); /* the device that ws_alloc_on was told; -1: the memory is not from there */
void ws_devices_forget(const void *p);

/* The bytes of a tensor that a tile of the grid touches, from the tensor's begin on: `width` of them from `low` on, for
   the tile at position 0, and `step` further for each position in a dimension.  Not known: any.  */
struct ws_rows {
    int known;
    unsigned roles; /* bits of those that load them; 0: not known */
    long low, width, step[4];
};
/* A tensor of a launch.  */
struct ws_use {
    const char *kernel, *name; /* constants of the program */
    const char *begin, *end;
    int size, rank; /* size: bytes of an element */
    long extent[4], stride[4];
    int stored;             /* else loaded */
    int device;             /* filled in */
    struct ws_rows in, out; /* of a tile's loads and stores, under together */
};
/* Every launch says so of each tensor that has elements.  An error where it is another device's, or where another
   iteration of a loop over devices touches it and one of the two stores it.  */
ws_status ws_devices_use(const struct ws_use *use);

/* ---- grids that run together: host/together.c -------------------------------------------------------------------- */

/* Tiles of one tensor of an earlier grid that a tile waits for: those whose bytes meet its own.  All in units of bytes
   from `origin` on.  The earlier tile at positions p of the two dimensions that count has [0, span[1]) from
   p[0] step[0] + p[1] step[1] on, all at p[0] have [0, span[0]) from p[0] step[0] on; the counter `first` +
   p[0] weight[0] + p[1] weight[1] reaches `expected` when it is done.  This grid's tile at position 0 touches
   [low, low + width), `by` further for each position.  */
struct ws_wait {
    unsigned *words; /* of the device that has stored them */
    int first;
    unsigned expected;
    int count[2], weight[2], step[2], span[2];
    int low, width, by[4];
    unsigned roles; /* bits of those that wait; one that has none goes on */
    long unit;
    const char *origin, *begin, *end; /* of what is waited for: where it lies, as far as both know it */
    const char *row; /* and its first row, so many bytes, the next ones further by a multiple of period */
    long bytes, period;
    const char *kernel; /* of the earlier grid */
    int number, device; /* of it; -1: of no loop over devices */
};
enum { WS_WAITS = 8 };
struct ws_together {
    /* what the launch says */
    const char *kernel;
    int share; /* multiprocessors; 0: any */
    int dims;  /* of the grid, and tiles in each */
    long count[4];
    int tellers;    /* groups that say of a tile that it is done; 0: none */
    int tiles_wait; /* its tiles wait for those of earlier grids, else the grid for all of them */
    /* what it is told */
    int early;            /* it begins when all blocks of the grids before it run, else when these have ended */
    int taken;            /* multiprocessors of grids beside it that have a share */
    unsigned *words;      /* of the block; NULL: none */
    int first, weight[4]; /* its own tiles' counters; first = -1: nobody is told */
    int counters;
    int tickets; /* two words; -1: none */
    int number;  /* of the block's launches on this device, from 1 on; 0: there is no block */
    int id;      /* of this launch, in a report of ws_together_stuck_; 0: it waits for no tiles */
    int block;   /* those of one number may run at the same time, but for ... ; 0: there is none */
    int behind;  /* ... of this device's launches of the block all have ended when it begins: 1; of all devices': 2 */
    int system;  /* tiles of other devices may wait for its own */
    int silent;  /* a fault that a test asks for: it says of no tile that it is done */
    int nwaits;
    struct ws_wait waits[WS_WAITS];
};
/* Behind ws_devices_use of all its tensors: the launch is about to begin; and it has begun, or failed.  Outside a block
   nothing is told.  */
ws_status ws_together_enter(struct ws_together *launch);
void ws_together_leave(int launched);
int ws_together_open(void); /* is this thread in a block? */

/* What a kernel leaves in the host's memory as it ends a wait: the launch's id, or 0, and the low half of the counter's
   address.  */
struct ws_stuck {
    unsigned id, counter;
};
/* Of a wait that has taken so many seconds: which grid waits on which device, and for which tiles of which one.  */
const char *ws_together_stuck_(char *text, size_t bytes, struct ws_stuck stuck, int seconds);
/* WS_WATCHDOG: seconds that a tile waits for another grid's; 30 without it.  */
int ws_watchdog_(void);

/* Faults that tests ask for: WS_FAULT=KIND:KERNEL#NUMBER@DEVICE, where number and device may be left out; several with
   a comma.  */
enum ws_fault {
    WS_FAULT_SILENT, /* "silent": its tiles are never said to be done */
    WS_FAULT_LOST    /* "lost": the device fails as the kernel is launched */
};
int ws_fault_(enum ws_fault kind, const char *kernel, int number);
int ws_devices_elsewhere_(void); /* is the iteration another process's? */
void ws_devices_fail_(void);     /* a launch of this loop over devices has failed: what follows in it is not launched */
ws_status ws_together_use(const struct ws_use *use);
void ws_together_later_(void); /* the launch that has entered cannot wait by tiles */
int ws_uses_apart(const struct ws_use *x, const struct ws_use *y); /* devices.c: no element in common */

/* Lines that ws_print_value prints in a launch; of more there is a count.  */
enum { WS_MOST_LINES = 1000 };

#ifdef __cplusplus
}
#endif
#endif
