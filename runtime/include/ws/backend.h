/* SPDX-License-Identifier: MIT */
/*
 * ws/backend.h - interface between emitted code and the runtime library.  Not for users' programs.
 *
 * The library itself knows no device.  An object with CUDA code registers a table of functions when it is loaded.
 * ws_alloc, ws_copy and ws_sync then call that table.
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

/* The caller keeps the table, which has to live until the process ends.  A second table of one name is ignored; a
   device's table replaces the host's.  Constructors may call it.  */
void ws_backend_register(const struct ws_backend *backend);
const struct ws_backend *ws_backend_current(void);

/* As ws_backend_register, for an object that holds kernels for cuda and for emulation.  target.c decides at the first
   use whether the table is registered.  `why_not` returns the reason that no device can run kernels, or NULL.  */
void ws_backend_offer(const struct ws_backend *backend, const char *(*why_not)(void));
/* Returns the launcher that this process uses.  */
typedef void (*ws_launcher)(void);
ws_launcher ws_choose_launcher(ws_launcher cuda, ws_launcher emulate);

/* Keeps this thread's first error until ws_last_error reads it; returns `status`.  */
ws_status ws_error_set(ws_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
ws_status ws_error_vset(ws_status status, const char *format, va_list list);
ws_status ws_error_pending(void);   /* as ws_last_error, without clearing it */
unsigned long ws_error_count(void); /* errors of this thread, including those that were read */
/* Each launch and ws_sync begin with it.  Prints an error of this thread that the program has not read.  */
void ws_begin_launch(void);

/* The value of an environment variable.  NULL: the variable is unset, or host/environment.def does not allow its value.
   The first call prints a warning for each variable that has no valid value.  */
const char *ws_environment_(const char *name);
void ws_environment_look_(void);

/* Writes one line to the user's log; returns 0 if there is no log.  */
int ws_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *ws_stream(void); /* the stream of this thread's ws_set_stream, or NULL */

/* ---- variants of kernels: host/choice.c -------------------------------------------------------------------------- */

enum { WS_CHOICE_VARIANTS = 256, WS_CHOICE_SHAPE = 24, WS_CHOICE_FINALISTS = 4, WS_CHOICE_ROUNDS = 7 };
struct ws_variant {
    const char *numbers; /* values of its ws_choice constants: 128x256 */
    unsigned long long digest;
};
/* Variants of one region.  Only `has_read` and `known` change.  */
struct ws_choices {
    const char *kernel;
    const char *tuned; /* text of a tuned table, built into the object; or NULL */
    int count;
    const struct ws_variant *variants;
    int has_read;
    struct ws_known *known;
};
/* Action of a variant's launcher: launch, report an estimate in clocks, or report the time of a launch.  Both report by
   ws_choice_tell.  A measurement leaves memory as it was.  */
enum ws_choosing { WS_CHOOSING_NOTHING, WS_CHOOSING_ESTIMATES, WS_CHOOSING_BY_TIME };
enum ws_choosing ws_choosing(void);
void ws_choice_tell(double number); /* 0 or less: the variant cannot be launched */
/* State of one launch.  While ws_choice_next returns nonzero, the launcher of `variant` is called.  */
struct ws_choice {
    struct ws_choices *of;
    const char *device;
    int may_measure;
    int rank;
    long shape[WS_CHOICE_SHAPE];
    int variant, state, had;
    double began, times[WS_CHOICE_VARIANTS];
    int least; /* the variant with the least estimate; -1: none yet */
    double estimate;
    int finalists, final[WS_CHOICE_FINALISTS], finals; /* variants that are measured again, and the number of these
                                                          measurements */
    double again[WS_CHOICE_FINALISTS][WS_CHOICE_ROUNDS];
};
int ws_choice_next(struct ws_choice *choice);
/* Calls of ws_choice outside of grids.  The library's functions return `first`.  */
#ifndef WS_CHOICES_
int ws_choice_(int first, ...);
long ws_choice_shape_(long first, ...);
#endif

/* ---- loops over devices: host/devices.c -------------------------------------------------------------------------- */

/* Order of a device's launches after earlier work.  */
enum ws_enter {
    WS_ENTER_IN,    /* the current device uses `stream`; other devices wait for the work in `stream` at this point */
    WS_ENTER_APART, /* as WS_ENTER_IN, but the current device has a stream of its own, too */
    WS_ENTER_AGAIN, /* each device continues its own stream */
    WS_ENTER_MET    /* as WS_ENTER_AGAIN, behind all work that `mark` recorded */
};
/* Functions of a backend with several devices.  Iterations of the loop number the devices.  If there are fewer devices
   than iterations, one device stands for several.  */
struct ws_backend_devices {
    int (*count)(void);
    void *(*alloc)(int device, size_t bytes);
    /* Sends the calling thread's launches to `device`.  */
    ws_status (*enter)(int device, void *stream, enum ws_enter how);
    /* Returns the thread to its own device; `stream` waits for the first `devices` devices.  */
    ws_status (*leave)(int devices, void *stream);
    /* Returns `words` words of the current device for the block of grids that begins in `stream`.  They are zero after
       the work in `stream` at this point.  NULL: there are none, and the block's grids run one after the other.  */
    unsigned *(*open_together)(int words, void *stream);
    /* True if the first `devices` devices are distinct GPUs that can access each other's memory.  */
    int (*apart)(int devices);
    /* The current device's stream waits for the work that the first `devices` devices hold at this point.  With `again`
       it waits for the work they held at the last call without `again`.  */
    ws_status (*wait_all)(int devices, int again);
    /* For teams of processes.  choose: moves the process to `device`.  share: writes the 64 bytes by which another
       process opens memory of `alloc`; returns 0 if there are none.  open: returns the memory of such bytes.  */
    ws_status (*choose)(int device);
    int (*share)(void *p, void *handle);
    void *(*open)(const void *handle);
    /* Records the work that the first `devices` devices hold at this point, for WS_ENTER_MET.  */
    ws_status (*mark)(int devices);
};
void ws_backend_register_devices(const struct ws_backend_devices *devices);
const struct ws_backend_devices *ws_devices_backend(void); /* NULL if kernels run on the CPU */

/* Emitted code calls these around a loop over devices.  */
void ws_devices_begin_(long devices);
void ws_devices_next_(long iteration);
void ws_devices_end_(void);
void ws_devices_again_(long devices); /* an end and a begin that follow each other directly */
/* Emitted code calls these around a block of grids that may run together.  */
void ws_together_begin_(void);
void ws_together_end_(void);

/* Arrays that stay on the device: host/data.c.  `kind`: 0 copy, 1 copyin, 2 copyout, 3 create, 4 present.  */
void ws_data_begin_(void);
void ws_data_add_(const void *base, long first, long bytes, int kind, const char *name);
void ws_data_end_(void);
void ws_data_update_(const void *base, long first, long bytes, int to_host, const char *name);
/* Replaces *begin by the address of the device's copy of [*begin, end), if a data region has made one.  */
ws_status ws_data_find_(const char *kernel, const char *name, char **begin, const char *end, int stored);

/* A reduction over a whole grid: host/total.c.  `operation`: 0 +, 1 *, 2 max, 3 min, 4 &&, 5 ||, 6 and 7 max and min of
   unsigned numbers.  */
void *ws_total_begin_(int operation, int bytes);
void *ws_total_room_(const void *total, long count);               /* allocates `count` numbers where the kernel runs */
void ws_total_lend_(const void *total, void *numbers, long count); /* the same with memory of the caller */
float ws_total_f32_(void *total, float x);
double ws_total_f64_(void *total, double x);
int ws_total_i32_(void *total, int x);
long ws_total_i64_(void *total, long x);
/* For a number in memory of the host or of the device.  `type`: 0 f32, 1 f64, 2 i32, 3 i64, 4 i8, 5 u8, 6 i16, 7
   u16.  */
void ws_total_into_(void *total, void *where, int type);

int ws_devices_current(void);        /* device of this thread's iteration; -1 outside of loops over devices */
int ws_devices_owner(const void *p); /* device of memory from ws_alloc_on; -1 for other memory */
void ws_devices_forget(const void *p);

/* The bytes of a tensor that a tile of the grid touches, as offsets from the tensor's first byte.  The tile at position
   0 touches [low, low + width); each position in dimension d adds step[d].  If not `known`, a tile may touch any
   byte.  */
struct ws_rows {
    int known;
    unsigned roles; /* mask of the roles that load them; 0: not known */
    long low, width, step[4];
};
/* A tensor of a launch.  */
struct ws_use {
    const char *kernel, *name; /* constants of the program */
    const char *begin, *end;
    int size, rank; /* size: bytes of an element */
    long extent[4], stride[4];
    int stored;             /* else only loaded */
    int device;             /* set by ws_devices_use */
    struct ws_rows in, out; /* bytes of a tile's loads and of its stores, under `ws together` */
};
/* Each launch calls it for each tensor that has elements.  Fails for memory of another device, except for a load inside
   a loop over devices.  Fails if another iteration of the loop touches the tensor and one of the two stores it.  */
ws_status ws_devices_use(const struct ws_use *use);

/* ---- grids that run together: host/together.c -------------------------------------------------------------------- */

/* Tiles of one tensor of an earlier grid that a tile waits for, since their bytes overlap its own.  Offsets count
   `unit` bytes from `origin`.  The earlier tile at positions p of the two counted dimensions has [0, span[1]) from p[0]
   step[0] + p[1] step[1] on.  All tiles at p[0] have [0, span[0]) from p[0] step[0] on.  The counter `first` + p[0]
   weight[0] + p[1] weight[1] reaches `expected` when its tiles are done.  This grid's tile at position 0 touches [low,
   low + width); each position in dimension d adds by[d].  */
struct ws_wait {
    unsigned *words; /* counters of the device that stores the tensor */
    int first;
    unsigned expected;
    int count[2], weight[2], step[2], span[2];
    int low, width, by[4];
    unsigned roles; /* mask of the roles that wait; other roles go on */
    long unit;
    const char *origin, *begin, *end; /* origin of offsets; the range of bytes that both tensors have */
    const char *row; /* the earlier tensor's first row has `bytes` bytes; other rows lie at multiples of `period`
                        behind it */
    long bytes, period;
    const char *kernel; /* of the earlier grid */
    int number, device; /* of the earlier grid; device -1: outside of loops over devices */
};
enum { WS_WAITS = 8 };
struct ws_together {
    /* Set by the launch.  */
    const char *kernel;
    int share; /* multiprocessors; 0: any number */
    int dims;  /* dimensions of the grid, and tiles in each */
    long count[4];
    int tellers;    /* groups that report a tile as done; 0: none */
    int tiles_wait; /* its tiles wait for tiles of earlier grids; else the grid waits for the ends of these grids */
    /* Set by ws_together_enter.  */
    int early;            /* it begins when all blocks of the grids before it run; else when these grids have ended */
    int taken;            /* multiprocessors of concurrent grids with a share */
    unsigned *words;      /* counters of the block; NULL: none */
    int first, weight[4]; /* counters of its own tiles; first = -1: its tiles are not reported */
    int counters;
    int tickets; /* index of two words for dynamic scheduling; -1: none */
    int number;  /* number of the launch in the block on this device, from 1 on; 0: there is no block */
    int id;      /* number of the launch for ws_together_stuck_; 0: it waits for no tiles */
    int block;   /* launches of one number may run at the same time, except as `behind` says; 0: there is no block */
    int behind;  /* 1: it begins behind the ends of the block's launches on this device; 2: on all devices */
    int system;  /* tiles of other devices may wait for its tiles */
    int silent;  /* a fault for tests: no tile is reported as done */
    int nwaits;
    struct ws_wait waits[WS_WAITS];
};
/* Call ws_together_enter after ws_devices_use of all tensors, before the launch.  Call ws_together_leave after the
   launch; `launched` is 0 if it failed.  Outside of a block no launch waits.  */
ws_status ws_together_enter(struct ws_together *launch);
void ws_together_leave(int launched);
int ws_together_open(void); /* true if this thread is in a block */

/* Written to host memory by a kernel that gives up a wait: the launch's id, or 0, and the low half of the counter's
   address.  */
struct ws_stuck {
    unsigned id, counter;
};
/* Describes a wait of `seconds` seconds: the waiting grid and its device, the awaited tiles and theirs.  */
const char *ws_together_stuck_(char *text, size_t bytes, struct ws_stuck stuck, int seconds);
/* Seconds that a tile waits for another grid: WS_WATCHDOG, or 30.  */
int ws_watchdog_(void);

/* Faults for tests: WS_FAULT=KIND:KERNEL#NUMBER@DEVICE.  Number and device are optional; commas separate faults.  */
enum ws_fault {
    WS_FAULT_SILENT, /* "silent": its tiles are never reported as done */
    WS_FAULT_LOST    /* "lost": the device fails at the kernel's launch */
};
int ws_fault_(enum ws_fault kind, const char *kernel, int number);
int ws_devices_elsewhere_(void); /* true if the iteration belongs to another process */
void ws_devices_fail_(void);     /* a launch of this loop over devices has failed; no later launch of the loop begins */
ws_status ws_together_use(const struct ws_use *use);
void ws_together_later_(void); /* the launch that has entered cannot wait by tiles */
int ws_uses_apart(const struct ws_use *x, const struct ws_use *y); /* devices.c: true if no element is in both */

/* Counters of the loops around a print, in code of target sequential that the clang front end has read.  The first
   counter has level 0.  */
void ws_place_begin_(const char *kernel, const char *function);
void ws_place_end_(void);
int ws_place_level_(void); /* number of counters */
void ws_place_cut_(int level);
void ws_place_count_(int level, const char *name, long value);

/* Lines that ws_print_value prints in a launch; further lines are counted.  */
enum { WS_MOST_LINES = 1000 };

#ifdef __cplusplus
}
#endif
#endif
