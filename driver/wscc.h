/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wscc.h - declarations shared by the files of the compiler driver.
 *
 *      text.c     strings and argument lists
 *      config.c   locations of the plugin, the headers and the libraries
 *      options.c  the parsed command line
 *      process.c  children, signals, errors, and the removal of outputs after an error
 *      compile.c  one source to one object
 *      device.c   emitted code to an object
 *      depend.c   the -MD output
 *      page.c     a page for a browser
 *      python.c   a package of Python
 *      print.c    answers: --ws-help, --ws-print, --ws-bundle
 *      wscc.c     main: selects the step
 *
 * A driver runs for one compile, so memory is never freed.
 */
#ifndef WSCC_H
#define WSCC_H

#include <stdbool.h>
#include <stddef.h>

/* ---- text.c ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char **item; /* always ends with NULL */
    int count, room;
    int command; /* leading words of the command itself, as 2 of "ccache gcc"; 0: one */
} Args;

void *need(void *memory); /* `memory`; ends the program if NULL */
char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
void args_add(Args *args, const char *text);
void args_add_all(Args *args, const Args *more);
void args_add_words(Args *args, const char *text); /* split at blanks */
bool starts_with(const char *text, const char *start);
bool same(const char *text, const char *other);
const char *base_name(const char *path);                 /* after the last slash */
char *with_suffix(const char *path, const char *suffix); /* "a/b.o" and ".cu" to "a/b.cu" */
char *read_file(const char *path);                       /* NULL if the file cannot be read */

/* ---- config.c: wscc.conf ----------------------------------------------------------------------------------------- */

typedef struct {
    const char *target;          /* the default of --ws-target */
    const char *cc, *cxx, *nvcc; /* nvcc: empty if configured without */
    const char *cc_version;      /* of the GCC that the plugin was built for, without the program's name */
    const char *plugin;          /* empty if built with --disable-plugin */
    const char *frontend;        /* the clang front end; empty if built without */
    const char *clang_program;   /* a clang of its version */
    const char *include;         /* of <ws.h> */
    const char *common_include, *cuda_include, *emulate_include;
    const char *libdir;
    const char *cuda_libs, *runtime_libs;
    const char *bundle;           /* folder of the files that --ws-bundle copies */
    const char *gdb;              /* pretty-printers of tiles for gdb */
    const char *solver, *machine; /* wsc-solve, empty without libcadical; its machine description */
    const char *python;           /* files of a package of Python */
    const char *page;             /* the template of --ws-page */
    const char *fortran;          /* the module's source */
    const char *stubs, *mutation, *interpreter, *interpreter_include; /* of wsc-run and wsc-mutate */
    const char *self;                                                 /* this program */
    bool clang;                                                       /* true if cc is Clang */
    bool clang_cxx;                                                   /* true if cxx is Clang */
} Config;

void config_load(Config *config);
char *compiler_version(const char *compiler); /* the first line of --version after the program's name, or "" */

/* ---- options.c --------------------------------------------------------------------------------------------------- */

/* TARGET_BOTH: cuda and emulate in one object; the program chooses when it starts.  */
typedef enum { TARGET_CUDA, TARGET_EMULATE, TARGET_SEQUENTIAL, TARGET_BOTH } Target;
bool has_target(Target target, Target one); /* true if `target` is `one` or both */
extern const char *const target_names[];

/* The step after which the host compiler was told to stop.  */
typedef enum { STEP_LINK, STEP_OBJECT, STEP_ASSEMBLY, STEP_CHECK, STEP_TEXT, STEP_ANSWER } Step;

typedef enum { ITEM_OPTION, ITEM_INPUT } ItemKind;

/* One element of the command line, in its position: the order matters to the linker.  */
typedef struct {
    ItemKind kind;
    const char *text;
    const char *value;    /* of an option whose value is the next argument, or NULL */
    const char *language; /* -x in force at an input, or NULL */
    bool source;          /* a C source or emitted code, which wscc compiles */
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
    Args device;       /* options that the emitted code's compiler needs, too: -fPIC and similar ones */
    Args sanitize;     /* -fsanitize=..., for the emulate target */
    /* Options of wscc itself.  */
    Target target;
    const char *gpu; /* its architecture */
    const char *dump, *bundle, *print, *schedule, *tuned;
    const char *page;           /* a page for a browser */
    Args traces;                /* traces of earlier runs for the page */
    const char *timeline;       /* file for the picture of a predicted run */
    const char *python;         /* the name of a package, or NULL */
    const char *package;        /* the package's folder */
    bool target_given, stepped; /* --ws-step */
    bool traced;                /* --ws-trace without a file */
    bool keep, show, strict, ids, help, version;
    bool clang, gcc; /* the front end for kernels; neither: the host compiler's */
    bool introduce;  /* the host compiler prints its --version or --help first, and wscc after it */
} Options;

void options_tune(int argc, char **argv);
void options_instead(const Config *config, int *argc, char **argv); /* --ws-instead: another compiler's command line */
void options_parse(Options *options, const Config *config, int argc, char **argv);
void options_help(void);

/* ---- process.c --------------------------------------------------------------------------------------------------- */

void signals_catch(void);
const char *temporary_folder(void);
void temporary_purpose(const char *text); /* the purpose of the folder; call it before the folder's first use */
void output_claim(const char *path);      /* removes it at an error, unless outputs_keep() comes first */
void output_replaces(const char *path);   /* removes the present file at an error, unless outputs_keep() comes first */
void output_publish(const char *made, const char *path); /* renames `made` to `path`, atomically */
void outputs_keep(void);                                 /* the compile is a success: claimed outputs stay */
bool is_plain(const char *path);                         /* absent, or a regular file: may be renamed over */
/* Results of run() for a program that could not be started, or that a signal ended; a message is printed.  */
enum { NOT_STARTED = 127, NOT_ENDED = 126 };
/* Runs a program in `folder`, or here if NULL; returns its exit status.  Does not return if a signal ends wscc.  */
int run(const Options *options, const Args *args, const char *folder);
void replace(const Args *args) __attribute__((noreturn)); /* becomes that program */
/* The text that a program writes to one of its streams; the other stream is dropped, and there is no input.
   `environment`: additional NAME=VALUE, or NULL.  */
typedef enum { TAKE_OUTPUT, TAKE_ERRORS } Taken;
char *output_of(const Args *args, const Args *environment, Taken taken);
void cleanup(void);
void complain(const char *kind, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
void fail(const char *pattern, ...) __attribute__((format(printf, 1, 2), noreturn)); /* cleans up, exits with 1 */

/* ---- compile.c --------------------------------------------------------------------------------------------------- */

/* True if the clang front end reads kernels.  */
bool by_clang(const Options *options, const Config *config);
bool refused_cxx(const Options *options, const Config *config, const Item *source);

/* Compiles one source to `object`, or to the output of the requested step.  `linked`: the name of the program if the
   object is a temporary of a link, else NULL.  */
int compile_source(const Options *options, const Config *config, const Item *source, const char *object,
                   const char *linked);

/* Adds the plugin, which reports kernels in C++ as mistakes; left out if it would not load.  */
void add_plugin_for_cxx(const Config *config, Args *args);

/* ---- device.c ---------------------------------------------------------------------------------------------------- */

bool is_emitted(const char *text); /* true for the text of emitted code */
/* Compiles for one target, from the temporary folder to there.  */
int device_compile(const Options *options, const Config *config, Target target, const char *cu, const char *object);
void device_check(const Options *options, const char *path); /* fails if this .cu of the user cannot be compiled with
                                                                these options */
/* Compiles a .cu of the user.  `depend`: the -MD output, with a rule for `goal`, or NULL.  */
int device_compile_source(const Options *options, const Config *config, Target target, const char *cu,
                          const char *object, const char *depend, const char *goal);

/* ---- depend.c ---------------------------------------------------------------------------------------------------- */

/* Adds the plugin to the make rule in `file`; with `region` also the headers of the emitted code.  */
void depend_extend(const Options *options, const Config *config, const char *file, bool region);
/* Calls `each` for the headers in a folder and below, in sorted order.  */
void each_header(const char *folder, void (*each)(const char *path, void *context), void *context);

/* ---- page.c ------------------------------------------------------------------------------------------------------ */

void page_check(const Options *options, const Config *config);
void page_emitted(const char *cu); /* the file exists, and has lines */
void page_write(const Options *options, const Config *config);
void timeline_check(const Options *options, const Config *config);
int timeline_write(const Options *options, const Config *config);

/* ---- python.c ---------------------------------------------------------------------------------------------------- */

const char *python_signatures(void); /* the file to which the plugin writes the next source's signatures */
void python_options(Options *options, const Config *config);
void python_link(const Options *options, const Config *config, Args *args);
void python_package(const Options *options, const Config *config);

/* ---- print.c ----------------------------------------------------------------------------------------------------- */

/* The libraries of a link; a run path only if the loader does not find the library by itself.  */
void link_libs(const Config *config, Target target, bool is_static, Args *libs);
char *fingerprint(const Config *config); /* of everything that determines an object, except source and options */
void print_version(const Config *config);
int print_answer(const Options *options, const Config *config);
int bundle_copy(const Config *config, const char *folder);

#endif
