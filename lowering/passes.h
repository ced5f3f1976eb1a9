/* SPDX-License-Identifier: GPL-3.0-or-later */
/* passes.h - the contract of each pass.  The table in lower.c has their order.  */
#ifndef WSC_PASSES_H
#define WSC_PASSES_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

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
   ensure:  nothing changed; a dump behind this row calls rewrite_text ().  */
void pass_rewrite(Kernel *kernel);
/* require: simplify.
   ensure:  the body is scalar code, tensors and one GRID.  */
void pass_nest(Kernel *kernel);
/* require: one GRID.
   ensure:  nothing changed; all pragmas, loops and tensors are in the language.  */
void pass_restrictions(Kernel *kernel);
/* require: one GRID.
   ensure:  no loop over blocks and no TILE_AT is left.  */
void pass_blocks(Kernel *kernel);
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
   require: types, one GRID.
   ensure:  the same program; recurrence may change the order of sums.  A comment names what else holds.  */
void pass_histogram(Kernel *kernel);        /* no counted number is compared with all columns */
void pass_row_lengths(Kernel *kernel);      /* versions for short rows where wide tiles hold whole rows */
void pass_coalesce_tiles(Kernel *kernel);   /* small tiles of the grid are merged */
void pass_interleave_tiles(Kernel *kernel); /* a block interleaves several tiles that load through an index */
void pass_edges(Kernel *kernel);            /* selects in loops run only where their masks can fail */
void pass_masks(Kernel *kernel);            /* masks with two upper bounds of an index have one */
void pass_divide(Kernel *kernel);           /* no loop has the clause subtile */
void pass_recurrence(Kernel *kernel);
void pass_tf32_split(Kernel *kernel);
void pass_rescale(Kernel *kernel);
void pass_cluster_rows(Kernel *kernel); /* versions for rows that several loops load and one tile does not hold */
void pass_row_cache(Kernel *kernel);    /* versions that keep rows in registers if several loops load them */
void pass_argmax(Kernel *kernel);
void pass_subtiles(Kernel *kernel);
void pass_task_copies(Kernel *kernel);
void pass_ring_vectors(Kernel *kernel); /* loops load columns and rows as windows where rings can carry them */
void pass_skip_oob(Kernel *kernel);     /* skip_oob and skip_step of loads, and the live columns of products, are set */
void pass_multicast(Kernel *kernel);    /* versions in clusters where L2 may bound the kernel */

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
   ensure:  the same; the schedule file of the module has overridden the choices.  Without one, the solver's file has,
            for loops that ask for it.  */
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
   ensure:  products are asynchronous (MMA, COMMIT, WAIT), and loops are software-pipelined by stages.  Releases stand
            where slots become free, behind a fence if threads read slots that TMA overwrites.  */
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

/* ---- proof ------------------------------------------------------------------------------------------------------- */

/* require: sched-barriers.
   ensure:  nothing changed; an unsafe program has been reported by reject () or BUG ().  */
void pass_verify(Kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
