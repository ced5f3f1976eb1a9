/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lower.h - the table of passes, what each requires and ensures, and the calls that run it.  */
#ifndef WSC_LOWER_H
#define WSC_LOWER_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PHASE_LANGUAGE, /* is this a program, and which?  All that the sequential target needs */
    PHASE_OPTIMIZE, /* the same program, in a form that runs faster */
    PHASE_FREEZE,   /* from here on the body is the source of the proof, and no pass changes it */
    PHASE_SCHEDULE, /* which role runs an operation, and when */
    PHASE_ROLES,    /* a program for each role */
    PHASE_MACHINE,  /* registers, shared memory, barriers */
    PHASE_PROOF,    /* the programs of the roles against the frozen body, and against each other */
    PHASE_PRINT,    /* the text of the .cu */
    PHASE_COUNT
} Phase;

/* Whose operations a pass changes; it may write facts about them, and into the kernel, whichever it is.  */
typedef enum { CHANGES_NONE, CHANGES_BODY, CHANGES_PROGRAMS } Changes;

typedef struct {
    const char *name;
    Phase phase;
    Changes changes;
    void (*run)(Kernel *kernel); /* NULL: the last row, which prints the module */
    const char *summary;
} Pass;
extern const Pass passes[];
extern const int npasses;
const char *phase_name(Phase phase);
int find_pass(const char *name); /* its index, or -1 */

/* Run all passes over every kernel; dump to `dump` after those named in the comma list `which` (may be NULL).  With no
   error, returns the text of the .cu, which lives in the arena; NULL for no kernels or TARGET_SEQUENTIAL.  */
const char *lower_module(Module *module, const char *which, FILE *dump);
/* Only passes[first] to passes[last]; the text comes only after the last of the table.  */
const char *lower_range(Module *module, int first, int last, const char *which, FILE *dump);

/* ---- language ---------------------------------------------------------------------------------------------------- */

/* require: what the front end built.   ensure: no elements are left, but tiles in their place */
void pass_plain(Kernel *kernel);
/* require: the same, without elements.  ensure: no queue of tiles is left */
void pass_queues(Kernel *kernel);
/* require: the same, without queues.    ensure: every value has a type and a shape */
void pass_types(Kernel *kernel);
/* require: types.                      ensure: the same program; nothing left to fold, to share or to drop */
void pass_simplify(Kernel *kernel);
/* require: simplified.                 ensure: the body is arithmetic, tensors and one GRID */
void pass_nest(Kernel *kernel);
/* require: one GRID.                   ensure: nothing changed; the language allows pragmas, loops and tensors */
void pass_restrictions(Kernel *kernel);
/* require: one GRID.                   ensure: no loop over blocks, no TILE_AT is left */
void pass_blocks(Kernel *kernel);
/* The same where each iteration has a row of so many columns a piece: what it carries are reductions of those.  */
void blocks_of_pieces(Kernel *kernel, int piece);
/* require: one GRID.                   ensure: the same program */
void pass_swap_operands(Kernel *kernel);
/* require: one GRID.                   ensure: no loop over parts is left */
void pass_parts(Kernel *kernel);
/* require: one GRID.                   ensure: nothing changed; -Wws-padded-reduction */
void pass_padding(Kernel *kernel);
/* require: one GRID.                   ensure: nothing changed; -Wws-loop-step, -Wws-extent-order and such */
void pass_mistakes(Kernel *kernel);

/* ---- rewrite ----------------------------------------------------------------------------------------------------- */

/* require: one GRID, each.             ensure: the same program, but for the order of sums (recurrence) */
void pass_histogram(Kernel *kernel);
void pass_row_lengths(Kernel *kernel); /* ... and versions of it (ir/versions.c) */
void pass_coalesce_tiles(Kernel *kernel);
void pass_interleave_tiles(Kernel *kernel);
void pass_edges(Kernel *kernel);
void pass_masks(Kernel *kernel);
void pass_divide(Kernel *kernel);
void pass_recurrence(Kernel *kernel);
void pass_tf32_split(Kernel *kernel);
void pass_rescale(Kernel *kernel);
void pass_cluster_rows(Kernel *kernel); /* ... and versions of it */
void pass_row_cache(Kernel *kernel);    /* ... and versions of it */
void pass_argmax(Kernel *kernel);
void pass_subtiles(Kernel *kernel);
void pass_task_copies(Kernel *kernel);
/* ... and windows of one row, which rings carry, in place of columns and rows that loops load beside operands */
void pass_ring_vectors(Kernel *kernel);
/* ... and a load says whether only the rows that there are need come, a product how many of its columns are seen */
void pass_skip_oob(Kernel *kernel);
void pass_multicast(Kernel *kernel); /* ... and a version of it */

/* ---- freeze ------------------------------------------------------------------------------------------------------ */

/* require: all rewrites are done.      ensure: kernel->source */
void pass_freeze(Kernel *kernel);

/* ---- schedule ---------------------------------------------------------------------------------------------------- */

/* require: freeze.                     ensure: schedule_of (op)->tag of every op */
void pass_tag(Kernel *kernel);
/* require: tag.                        ensure: schedule_of (op)->roles, stage, order; loads that move have an aref
                                                to come; consumers, split, D, P, persistent decided */
void pass_choose(Kernel *kernel);
/* require: choose.                     ensure: the same, as a schedule file has it */
void pass_schedule(Kernel *kernel);
/* require: choose.   ensure: nothing: a dump behind this row asks for schedule_graph.  */
void pass_graph(Kernel *kernel);

/* ---- roles ------------------------------------------------------------------------------------------------------- */

/* require: choose.                     ensure: arefs and ring storages; LOAD->aref */
void pass_partition(Kernel *kernel);
/* require: partition.                  ensure: role->body for each role, with PUT, COPY_IN, PUT_DONE, GET, VIEW, READ,
                                                CONSUMED placed */
void pass_distribute(Kernel *kernel);
/* require: distribute.                 ensure: products asynchronous (MMA, COMMIT, WAIT), stages carried out */
void pass_expand(Kernel *kernel);
/* require: expand.                     ensure: the same programs, without arithmetic that their places made idle */
void pass_simplify_programs(Kernel *kernel);
/* require: expand.                     ensure: under `together` AWAIT_TILES and TILE_DONE in the roles, grid.awaits */
void pass_grid_sync(Kernel *kernel);

/* ---- machine ----------------------------------------------------------------------------------------------------- */

/* require: expand.                     ensure: kernel->layout; operands in a form the hardware takes; staging and
                                                scratch storages */
void pass_layout(Kernel *kernel);
/* require: layout.                     ensure: uniform on the branches of loops that compute, unroll on loops over
                                                columns */
void pass_hints(Kernel *kernel);
/* require: layout.                     ensure: rounded on powers of which few bits are seen */
void pass_fast_math(Kernel *kernel);
/* require: layout.                     ensure: role->warps, role->versions */
void pass_versions(Kernel *kernel);
/* require: layout.                     ensure: NARROW around loops whose products need not make all columns */
void pass_narrow(Kernel *kernel);
/* require: layout.                     ensure: loops of products with a branch at a bound have two bodies */
void pass_peel(Kernel *kernel);
/* require: peel.                       ensure: addresses, registers, threads, variables */
void pass_plan(Kernel *kernel);
/* require: plan.                       ensure: COMPUTED in front of waits that should not move */
void pass_sched_barriers(Kernel *kernel);
/* require: plan.                       ensure: kernel->memory */
void pass_memory(Kernel *kernel);

/* ---- proof and print --------------------------------------------------------------------------------------------- */

/* require: hold.                       ensure: nothing changed; a reject or BUG if the program is not safe */
void pass_verify(Kernel *kernel);
/* cuda.c: the text of the module; kernels that failed are not in it.  */
const char *cuda_print(Module *module);

#ifdef __cplusplus
}
#endif
#endif
