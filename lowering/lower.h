/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lower.h - the table of passes, the contract of each pass, and the calls that run the table.  */
#ifndef WSC_LOWER_H
#define WSC_LOWER_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PHASE_LANGUAGE, /* types and shapes, and errors of the user; the last phase for the sequential target */
    PHASE_OPTIMIZE, /* cheaper programs of the same meaning */
    PHASE_FREEZE,   /* fixes the body as the source of the proof; no later pass changes the body */
    PHASE_SCHEDULE, /* role, stage and order of each operation */
    PHASE_ROLES,    /* a program for each role */
    PHASE_MACHINE,  /* registers, shared memory, barriers */
    PHASE_PROOF,    /* compares the roles' programs with the frozen body, and checks their synchronization */
    PHASE_PRINT,    /* the text of the .cu */
    PHASE_COUNT
} Phase;

/* The operations that a pass may change: none, the body's, or those of the roles' programs. Each pass may set
   attributes and fields of the kernel.  */
typedef enum { CHANGES_NONE, CHANGES_BODY, CHANGES_PROGRAMS } Changes;

typedef struct {
    const char *name;
    Phase phase;
    Changes changes;
    void (*run)(Kernel *kernel); /* NULL in the last row, which prints the module */
    const char *summary;
} Pass;
extern const Pass passes[];
extern const int npasses;
const char *phase_name(Phase phase);
int find_pass(const char *name); /* index in `passes`, or -1 */

/* Runs all passes over every kernel. Writes a dump to `dump` after each pass that the comma list `which` names; `which`
   may be NULL. Returns the text of the .cu, in the arena. Returns NULL after an error, without kernels, and for
   TARGET_SEQUENTIAL.  */
const char *lower_module(Module *module, const char *which, FILE *dump);
/* The same for passes[first] to passes[last].  Returns the text only if `last` is the last row of the table.  */
const char *lower_range(Module *module, int first, int last, const char *which, FILE *dump);

/* ---- language ---------------------------------------------------------------------------------------------------- */

/* require: the front end has built the body.
   ensure:  no element is left; tiles compute the loops over elements.  */
void pass_plain(Kernel *kernel);
/* require: plain.
   ensure:  no queue of tiles is left.  */
void pass_queues(Kernel *kernel);
/* require: queues.
   ensure:  every value has a type and a shape.  */
void pass_types(Kernel *kernel);
/* require: types.
   ensure:  the same program, with nothing left to fold, to share or to delete.  */
void pass_simplify(Kernel *kernel);
/* require: simplify.
   ensure:  the body is scalar code, tensors and one GRID.  */
void pass_nest(Kernel *kernel);
/* require: one GRID.
   ensure:  nothing changed; all pragmas, loops and tensors are in the language.  */
void pass_restrictions(Kernel *kernel);
/* require: one GRID.
   ensure:  no loop over blocks and no TILE_AT is left.  */
void pass_blocks(Kernel *kernel);
/* The same for one loop whose iterations have `piece` columns of a row each; it carries reductions of these
   columns.  */
void blocks_of_pieces(Kernel *kernel, int piece);
/* require: one GRID.
   ensure:  the same program.  */
void pass_swap_operands(Kernel *kernel);
/* require: one GRID.
   ensure:  no loop over parts is left.  */
void pass_parts(Kernel *kernel);
/* require: one GRID.
   ensure:  nothing changed; warnings of -Wws-padded-reduction.  */
void pass_padding(Kernel *kernel);
/* require: one GRID.
   ensure:  nothing changed; warnings of -Wws-loop-step, -Wws-extent-order and others.  */
void pass_mistakes(Kernel *kernel);

/* ---- optimize ---------------------------------------------------------------------------------------------------- */

/* The contract of every pass of this section.
   require: one GRID.
   ensure:  the same program; recurrence may change the order of sums.  */
void pass_histogram(Kernel *kernel);
void pass_row_lengths(Kernel *kernel); /* also adds versions (ir/versions.c) */
void pass_coalesce_tiles(Kernel *kernel);
void pass_interleave_tiles(Kernel *kernel);
void pass_edges(Kernel *kernel);
void pass_masks(Kernel *kernel);
void pass_divide(Kernel *kernel); /* also carries out all subtile(n) */
void pass_recurrence(Kernel *kernel);
void pass_tf32_split(Kernel *kernel);
void pass_rescale(Kernel *kernel);
void pass_cluster_rows(Kernel *kernel); /* also adds versions */
void pass_row_cache(Kernel *kernel);    /* also adds versions */
void pass_argmax(Kernel *kernel);
void pass_subtiles(Kernel *kernel);
void pass_task_copies(Kernel *kernel);
void pass_ring_vectors(Kernel *kernel); /* rings also carry columns and rows that loops load */
void pass_skip_oob(Kernel *kernel);     /* also sets skip_oob and skip_step of loads, and the width of products */
void pass_multicast(Kernel *kernel);    /* also adds a version */

/* ---- freeze ------------------------------------------------------------------------------------------------------ */

/* require: the phase optimize is complete.
   ensure:  kernel->source is the digest of the body.  */
void pass_freeze(Kernel *kernel);

/* ---- schedule ---------------------------------------------------------------------------------------------------- */

/* require: freeze.
   ensure:  every op has schedule_of (op)->tag.  */
void pass_tag(Kernel *kernel);
/* require: tag.
   ensure:  every op has roles, stage and order in its row of the schedule.  Loads that a producer issues have a depth.
            Consumers, split, D, P and persistent are decided.  */
void pass_choose(Kernel *kernel);
/* require: choose.
   ensure:  the same; a schedule file has overridden the choices.  */
void pass_schedule(Kernel *kernel);
/* require: choose.
   ensure:  nothing changed; a dump behind this row calls schedule_graph ().  */
void pass_graph(Kernel *kernel);

/* ---- roles ------------------------------------------------------------------------------------------------------- */

/* require: choose.
   ensure:  arefs and storages of rings exist; op->aref of each value that crosses roles.  */
void pass_partition(Kernel *kernel);
/* require: partition.
   ensure:  role->body of each role, with PUT, COPY_IN, PUT_DONE, GET, VIEW, READ and CONSUMED.  */
void pass_distribute(Kernel *kernel);
/* require: distribute.
   ensure:  products are asynchronous (MMA, COMMIT, WAIT), and loops are software-pipelined by stages.  */
void pass_expand(Kernel *kernel);
/* require: expand.
   ensure:  the same programs, without scalar code that peeling has made redundant.  */
void pass_simplify_programs(Kernel *kernel);
/* require: expand.
   ensure:  under the clause `together`, AWAIT_TILES and TILE_DONE in the roles, and grid.awaits.  */
void pass_grid_sync(Kernel *kernel);

/* ---- machine ----------------------------------------------------------------------------------------------------- */

/* require: expand.
   ensure:  kernel->layout and role->layout; operands in a form that the hardware takes; storages for staging and
            scratch.  */
void pass_layout(Kernel *kernel);
/* require: layout.
   ensure:  `uniform` on branches of loops that compute, `unroll` on loops over columns.  */
void pass_hints(Kernel *kernel);
/* require: layout.
   ensure:  `fast` on operations whose low bits no result shows.  */
void pass_fast_math(Kernel *kernel);
/* require: layout.
   ensure:  role->warps and role->versions.  */
void pass_versions(Kernel *kernel);
/* require: layout.
   ensure:  a NARROW around each loop whose products may leave out columns.  */
void pass_narrow(Kernel *kernel);
/* require: layout.
   ensure:  a loop of products with a branch at a bound has two bodies.  */
void pass_peel(Kernel *kernel);
/* require: peel.
   ensure:  addresses, registers, threads and C variables.  */
void pass_plan(Kernel *kernel);
/* require: plan.
   ensure:  COMPUTED before each wait that ptxas must not hoist.  */
void pass_sched_barriers(Kernel *kernel);
/* require: plan.
   ensure:  kernel->memory.  */
void pass_memory(Kernel *kernel);

/* ---- proof and print --------------------------------------------------------------------------------------------- */

/* require: sched-barriers.
   ensure:  nothing changed; an unsafe program has been reported by reject () or BUG ().  */
void pass_verify(Kernel *kernel);
/* cuda.c.  Returns the text of the module without the kernels that failed.  */
const char *cuda_print(Module *module);

#ifdef __cplusplus
}
#endif
#endif
