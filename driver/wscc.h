/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wscc.h - what the files of the compiler driver share.
 *
 * text.c     strings and argument lists
 * config.c   where the plugin, the headers and the libraries are
 * options.c  the command line, sorted
 * process.c  children, signals, errors, and what has to be removed after one
 * compile.c  one source to one object
 * device.c   emitted code to an object
 * depend.c   the -MD output
 * page.c     a page for a browser
 * python.c   a package of Python
 * print.c    the questions: --ws-help, --ws-print, --ws-bundle
 * wscc.c     main: which of these to call
 *
 * A driver runs for the length of one compile: memory is not given back.
 */
#ifndef WSCC_H
#define WSCC_H

#include <stdbool.h>
#include <stddef.h>

/* ---- text.c ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char **item; /* always ends with a NULL */
    int count, room;
} Args;

void *need(void *memory); /* memory, or the end of the program */
char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
void args_add(Args *args, const char *text);
void args_add_all(Args *args, const Args *more);
void args_add_words(Args *args, const char *text); /* split at blanks */
bool starts_with(const char *text, const char *start);
bool same(const char *text, const char *other);
const char *base_name(const char *path);                 /* after the last slash */
char *with_suffix(const char *path, const char *suffix); /* "a/b.o" and ".cu" to "a/b.cu" */
char *read_file(const char *path);                       /* NULL when it cannot be read */

/* ---- config.c: wscc.conf ----------------------------------------------------------------------------------------- */

typedef struct {
    const char *target;          /* when --ws-target does not say */
    const char *cc, *cxx, *nvcc; /* nvcc: empty when configured without */
    const char *cc_version;      /* of the GCC that the plugin was built for, without the program's name */
    const char *plugin;          /* empty when built with --disable-plugin */
    const char *frontend;        /* the clang front end; empty when built without */
    const char *clang_program;   /* a clang of its version */
    const char *include;         /* of <ws.h> */
    const char *common_include, *cuda_include, *emulate_include;
    const char *libdir;
    const char *cuda_libs, *runtime_libs;
    const char *bundle;           /* folder of the files that --ws-bundle copies */
    const char *gdb;              /* what shows tiles in gdb */
    const char *solver, *machine; /* wsc-solve, empty without libcadical; what it knows of the GPU */
    const char *python;           /* what a package of Python has to have */
    const char *page;             /* the template of --ws-page */
    const char *fortran;          /* the module's source */
    const char *stubs, *mutation, *interpreter, *interpreter_include; /* of wsc-run and wsc-mutate */
    const char *self;                                                 /* this program */
    bool clang;                                                       /* is cc Clang? */
    bool clang_cxx;                                                   /* is cxx? */
} Config;

void config_load(Config *config);
char *compiler_version(const char *compiler); /* the first line of --version after the program's name, or "" */

/* ---- options.c --------------------------------------------------------------------------------------------------- */

/* TARGET_BOTH: cuda and emulate in one object; the program chooses when it starts.  */
typedef enum { TARGET_CUDA, TARGET_EMULATE, TARGET_SEQUENTIAL, TARGET_BOTH } Target;
bool has_target(Target target, Target one); /* is it that one, or both? */
extern const char *const target_names[];

/* What the host compiler was asked to stop after.  */
typedef enum { STEP_LINK, STEP_OBJECT, STEP_ASSEMBLY, STEP_CHECK, STEP_TEXT, STEP_ANSWER } Step;

typedef enum { ITEM_OPTION, ITEM_INPUT } ItemKind;

/* One thing of the command line, in its place: the order counts for the linker.  */
typedef struct {
    ItemKind kind;
    const char *text;
    const char *value;    /* of an option that takes its value as the next argument, or NULL */
    const char *language; /* -x in force at an input, or NULL */
    bool source;          /* a C source or emitted code, which is ours to compile */
    bool emitted;         /* emitted code: a .cu */
    bool linker;          /* an option for the linker only */
} Item;

typedef struct {
    Item *item;
    int count, room;
    int sources, inputs;
    Step step;
    const char *output; /* -o, or NULL */
    bool depend;        /* -MD or -MMD */
    bool depend_phony;  /* -MP */
    const char *depend_file, *depend_name;
    bool lto, debug, save_temps, verbose, standard_input, response_file, no_libs, is_static;
    const char *level; /* the last -O, or NULL */
    Args device;       /* options that the emitted code's compiler needs too: -fPIC and the like */
    Args sanitize;     /* -fsanitize=..., for the emulate target */
    /* Our own.  */
    Target target;
    const char *dump, *bundle, *print, *schedule, *tuned;
    const char *page;           /* a page for a browser, ... */
    Args traces;                /* ... and the runs that it shows, if they were made before */
    const char *timeline;       /* a prediction, drawn */
    const char *python;         /* the name of a package, or NULL */
    const char *package;        /* its folder */
    bool target_given, stepped; /* --ws-step */
    bool traced;                /* --ws-trace without a file */
    bool keep, show, strict, help, version;
    bool clang, gcc; /* the front end that kernels are read by; neither: as the host compiler is */
    bool introduce;  /* the host compiler presents itself (--version, --help), and wscc after it */
} Options;

void options_tune(int argc, char **argv);
void options_instead(const Config *config, int *argc, char **argv); /* --ws-instead: another compiler's command line */
void options_parse(Options *options, const Config *config, int argc, char **argv);
void options_help(void);

/* ---- process.c --------------------------------------------------------------------------------------------------- */

void signals_catch(void);
const char *temporary_folder(void);
void temporary_purpose(const char *text); /* what the folder is for; before its first use */
void output_claim(const char *path);      /* remove it unless outputs_keep() comes first */
void output_replaces(const char *path);   /* remove what is there by now, unless outputs_keep() comes first */
void output_publish(const char *made, const char *path); /* it gets that name, whole */
void outputs_keep(void);                                 /* the compile is a success: what was claimed stays */
bool is_plain(const char *path);                         /* absent, or a regular file: may be renamed over */
/* What run() returns, behind a message, for a program that could not be started, or that a signal ended.  */
enum { NOT_STARTED = 127, NOT_ENDED = 126 };
/* Run and wait; the exit status.  In `folder` unless NULL.  Does not come back when a signal ends us.  */
int run(const Options *options, const Args *args, const char *folder);
void replace(const Args *args) __attribute__((noreturn)); /* become that program */
/* What a program writes to one of its streams, without input; the other one's is dropped.  `environment`: NAME=VALUE,
   besides ours, or NULL.  */
typedef enum { TAKE_OUTPUT, TAKE_ERRORS } Taken;
char *output_of(const Args *args, const Args *environment, Taken taken);
void cleanup(void);
void complain(const char *kind, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
void fail(const char *pattern, ...) __attribute__((format(printf, 1, 2), noreturn)); /* cleans up, exits with 1 */

/* ---- compile.c --------------------------------------------------------------------------------------------------- */

/* Are kernels read by the clang front end?  */
bool by_clang(const Options *options, const Config *config);
bool refused_cxx(const Options *options, const Config *config, const Item *source);

/* Compile one source to `object` (or to what the step gives); `number` of options->sources, counted from 0.
   `linked`: the name of the program when the object is a temporary on the way to it, else NULL.  */
int compile_source(const Options *options, const Config *config, const Item *source, const char *object,
                   const char *linked);

/* It finds kernels in C++, which are mistakes; left out where it would not load.  */
void add_plugin_for_cxx(const Config *config, Args *args);

/* ---- device.c ---------------------------------------------------------------------------------------------------- */

bool is_emitted(const char *text); /* is it the text of emitted code? */
/* For one target.  From the temporary folder to there.  */
int device_compile(const Options *options, const Config *config, Target target, const char *cu, const char *object);
void device_check(const Options *options, const char *path); /* can this .cu of the user's be compiled so? */
/* That one; `depend`: the -MD output, of a rule for `goal`, or NULL.  */
int device_compile_source(const Options *options, const Config *config, Target target, const char *cu,
                          const char *object, const char *depend, const char *goal);

/* ---- depend.c ---------------------------------------------------------------------------------------------------- */

/* Add the plugin, and with `region` the headers of the emitted code, to the make rule in `file`.  */
void depend_extend(const Options *options, const Config *config, const char *file, bool region);
/* The headers in a folder and below: calls `each` in sorted order.  */
void each_header(const char *folder, void (*each)(const char *path, void *context), void *context);

/* ---- page.c ------------------------------------------------------------------------------------------------------ */

void page_check(const Options *options, const Config *config);
void page_emitted(const char *cu); /* it is there, with lines */
void page_write(const Options *options, const Config *config);
void timeline_check(const Options *options, const Config *config);
int timeline_write(const Options *options, const Config *config);

/* ---- python.c ---------------------------------------------------------------------------------------------------- */

const char *python_signatures(void); /* where the plugin writes the next source's */
void python_options(Options *options, const Config *config);
void python_link(const Options *options, const Config *config, Args *args);
void python_package(const Options *options, const Config *config);

/* ---- print.c ----------------------------------------------------------------------------------------------------- */

/* What a link needs; a run path only where the loader does not find the library by itself.  */
void link_libs(const Config *config, Target target, bool is_static, Args *libs);
char *fingerprint(const Config *config); /* of all besides source and options that decides an object */
void print_version(const Config *config);
int print_answer(const Options *options, const Config *config);
int bundle_copy(const Config *config, const char *folder);

#endif
