/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mutation.h - mutation tests of verify: operators.c mutates a program, arguments.c makes a launch of it, mutation.c
   scores.  */
#ifndef MUTATION_H
#define MUTATION_H

#include "../interpret/state.h"

/* ---- operators.c ------------------------------------------------------------------------------------------------- */

/* A place where an operator can apply: an operation of a role's program, a ring, a storage, or a role.  */
typedef enum { SITE_OP, SITE_RING, SITE_STORAGE, SITE_ROLE } SiteKind;

typedef struct {
    SiteKind kind;
    Role *role;
    Op *op;
    Aref *aref;
    Storage *storage;
} Site;

typedef struct {
    Site *at;
    int count, room;
} Sites;

/* Returns all sites, in one order for every reading of a text.  */
Sites sites_of(Kernel *kernel);

typedef struct {
    const char *name;
    const char *summary;
    SiteKind kind;
    /* False: it does not apply here, though the kernel may be changed.  */
    bool (*apply)(Kernel *kernel, Site site);
} Operator;
extern const Operator operators[];
extern const int noperators;

/* operators-names.c */
bool other_ring(Kernel *kernel, Site site);
bool other_storage(Kernel *kernel, Site site);
bool fixed_slot(Kernel *kernel, Site site);
bool next_slot(Kernel *kernel, Site site);
bool moved_box(Kernel *kernel, Site site);
bool turned_box(Kernel *kernel, Site site);
bool first_rows(Kernel *kernel, Site site);
bool first_columns(Kernel *kernel, Site site);
bool first_part(Kernel *kernel, Site site);
bool unnamed(Kernel *kernel, Site site);
bool overlaps_next(Kernel *kernel, Site site);
bool overlaps_half(Kernel *kernel, Site site);
bool over_ring(Kernel *kernel, Site site);
bool release_unread(Kernel *kernel, Site site);
bool meet_alone(Kernel *kernel, Site site);
bool narrow_slots(Kernel *kernel, Site site);
bool one_storage_slot_less(Kernel *kernel, Site site);
bool other_order_of_stages(Kernel *kernel, Site site);
bool other_tile(Kernel *kernel, Site site);
bool swap_operands(Kernel *kernel, Site site);
bool swap_carried(Kernel *kernel, Site site);
bool stale_carried(Kernel *kernel, Site site);
bool other_start(Kernel *kernel, Site site);
bool shared_variable(Kernel *kernel, Site site);
bool reads_stored(Kernel *kernel, Site site);
bool said_resident(Kernel *kernel, Site site);
bool not_resident(Kernel *kernel, Site site);
bool resident_less(Kernel *kernel, Site site);
bool resident_more(Kernel *kernel, Site site);
bool writes_resident(Kernel *kernel, Site site);

/* operators-cluster.c */
bool release_here(Kernel *kernel, Site site);
bool release_across(Kernel *kernel, Site site);
bool copy_here(Kernel *kernel, Site site);
bool copy_across(Kernel *kernel, Site site);
bool copy_to_all(Kernel *kernel, Site site);
bool share_less(Kernel *kernel, Site site);
bool share_more(Kernel *kernel, Site site);
bool rows_left_out(Kernel *kernel, Site site);
bool later_edge(Kernel *kernel, Site site);
bool earlier_edge(Kernel *kernel, Site site);
bool no_edge(Kernel *kernel, Site site);
bool other_body(Kernel *kernel, Site site);
bool fewer_columns(Kernel *kernel, Site site);
bool rows_beyond_step(Kernel *kernel, Site site);

/* operators-values.c */
bool next_element(Kernel *kernel, Site site);
bool last_trip_less(Kernel *kernel, Site site);
bool at_the_bound(Kernel *kernel, Site site);
bool next_column(Kernel *kernel, Site site);
bool twice_scale(Kernel *kernel, Site site);
bool other_rounding(Kernel *kernel, Site site);
bool narrow_number(Kernel *kernel, Site site);
bool next_owner(Kernel *kernel, Site site);
bool other_order_of_waits(Kernel *kernel, Site site);
bool exchange_rings(Kernel *kernel, Site site);

/* ---- text.c ------------------------------------------------------------------------------------------------------ */

/* Returns the text with one random edit; the caller frees it.  */
char *text_edited(const char *plan, uint64_t seed);

/* ---- arguments.c ------------------------------------------------------------------------------------------------- */

/* Arguments with which loops run `trips` times, over two tiles of the grid, the last of each ragged.  */
typedef struct {
    interpret_argument *values;
    int count;
    void **buffers;
    bool displaced; /* TMA cannot load the arrays */
} Arguments;

/* Number of variants.  The last has the arguments of the first, in displaced arrays.  */
enum { VARIANTS = 3, DISPLACED = 2 };
Arguments arguments_make(Kernel *kernel, const Plan *plan, int trips, int variant);
bool arguments_equal(const Arguments *x, const Arguments *y);
void arguments_drop(Arguments *arguments);

#endif
