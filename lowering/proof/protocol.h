/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocol.h - the state of all groups of a block or cluster, a step of a group, and the search over all states.  The
   head of protocol.c defines the terms.  */
#ifndef WSC_PROTOCOL_H
#define WSC_PROTOCOL_H

#include "ir/cluster.h"
#include "proof/validate.h"

/* The role of a value in the protocol, with its running index.  */
typedef enum { MARK_NONE, MARK_PUT, MARK_GOT, MARK_RING_VIEW, MARK_STAGED_VIEW, MARK_TOKEN } MarkKind;
typedef struct {
    MarkKind kind;
    int place; /* id of the ring, or place of the storage in its list */
    int index; /* of the put, the write of the storage, or the group of products */
} Mark;

/* An operand in shared memory of a product in flight.  */
typedef struct {
    MarkKind kind; /* MARK_RING_VIEW or MARK_STAGED_VIEW */
    int place;
    int index;
    int group;
} Reading;

/* A group's end of a ring: its puts, or its gets.  */
typedef struct {
    int next;     /* running index of the next put, or get */
    int held;     /* number of newest gets that are not released yet */
    bool filling; /* between put and put_done */
} End;

/* State of memory that threads of the group wrote.  `unfenced`: some thread has no fence behind its write, so TMA and
   tensor cores may not read.  `unsynced`: no barrier behind it, so other threads may not read.  */
typedef struct {
    bool unfenced, unsynced;
} Written;

/* A slot of storage that all groups of a role write together, as one group sees it.  `write` is the index of the
   group's newest write there.  The others are its count of barriers (GroupState.barriers) at its last write, fence and
   read of the slot.  NOT_YET: not fenced since the write.  NEVER: not since the start.  */
enum { MAX_GATHERED = 2, NOT_YET = 0x7fffffff, NEVER = -1 };
typedef struct {
    int write, wrote, fenced, looked;
} Gathered;

/* The state of a group.  */
typedef struct {
    const Op *pc; /* the next operation; NULL: the group has ended */
    int head;     /* HEAD_... of the loop at pc */
    bool holds_turn;
    int asks;     /* the decision whose outcome it waits for, or DECIDE_... */
    int ordinal;  /* tiles begun */
    int passed;   /* role barriers and cluster syncs passed */
    int barriers; /* role barriers passed; a cluster sync is no barrier of the role's groups on the machine */
    int committed, completed; /* running indices of groups of products */
    Mark *marks;              /* by Explorer.mark_of */
    End *puts, *gets;         /* by ring */
    int *written;             /* by storage: writes of it so far */
    bool *read;               /* by storage: read since the group's last barrier */
    Written *fresh;           /* by storage */
    int *copying;             /* by storage: number of newest copies out that may still read it */
    Gathered **gathered;      /* by storage (NULL unless its use is USE_GATHERED) and slot */
    uint64_t stored, loaded;  /* by Explorer.stores: executed, and their memory loaded, since the last barrier */
    Reading *readings;
    int nreadings, room;
    /* By ring: number of puts that the group knows to be done before this point in every order of execution.  */
    int *known;
    int *taken;      /* by decision: outcomes taken */
    int *iterations; /* by decision: iterations of the loop's present execution, for messages */
} GroupState;

/* Positions at which a value may still be used: from < position <= to.  */
typedef struct {
    int from, to;
} Life;

/* How the search treats an operation.  ABOUT_PROTOCOL: it has an effect or a wait, so it is not skipped.
   ABOUT_OPERANDS: its operands are checked.  ABOUT_SAME_WAY: it asks for an outcome, but only one path leads to it from
   the question before, so its state needs no key.  ABOUT_WAITING: it may have to wait.  */
enum { ABOUT_PROTOCOL = 1, ABOUT_OPERANDS = 2, ABOUT_SAME_WAY = 4, ABOUT_WAITING = 8 };

typedef struct {
    Role *role;
    int block;  /* in the cluster */
    int number; /* its number among the role's groups; the first, if it stands for several */
    int count;  /* groups for which it stands: their program does not depend on their number */
    const Labels *labels;
    int nmarks;
    Life *lives;          /* by mark */
    int *decision_of;     /* by position: index of the decision, or DECIDE_... */
    unsigned char *about; /* by position: ABOUT_... */
    /* By position: the first operation from there on with ABOUT_ flags; NULL: none in its block.  */
    const Op **next;
    bool *joins;   /* by decision: the group takes it */
    bool *stages;  /* by storage: the group stages copies out there */
    bool *touches; /* by storage: the group uses it, other than as a slot */
    bool multiplies, in_pingpong;
    int first_store, end_store; /* the group's range of Explorer.stores */
} Group;

/* A user of memory that lies under several storages (protocol-reuse.c).  With group >= 0 it is this group, in its copy
   `slot` of the storage, or in all of it if `slot` is -1.  With group -1 it is the copies into a slot of a ring.  */
enum { MAX_TENANTS = 64, MAX_ROLES = 32 };
typedef struct {
    const Storage *storage;
    int group, slot, block;
} Tenant;

/* A part of the state, which influences neither the steps of groups nor other parts (protocol.c, "Reduction 3").  */
typedef enum { PART_PRODUCTS, PART_STORE, PART_STORAGE, PART_KNOWN, PART_SLOT, PART_REUSE } PartKind;
typedef struct {
    PartKind kind;
    /* The group; the block (PART_KNOWN, PART_REUSE); the first block that shares the ring (PART_SLOT).  */
    int of;
    int place; /* the store's bit, the storage, the ring, or the tenant */
    int slot;
    uint64_t blocks; /* bit mask of the blocks that it describes */
    bool apart;      /* it is not part of the frame's key */
} Part;

/* The text of a block's positions, of a frame or of a part, made once for each content (protocol-keys.c).  */
typedef struct Stop Stop;
typedef struct Key Key;
struct Key {
    Key *next;
    uint64_t hash;
    int number;       /* among keys of its kind */
    const Key *exact; /* of a part with ranks: the key without the ranks */
    /* List of the keys that differ from this one in ranks alone; it begins at `exact`.  */
    Key *like;
    int nranks;
    uint64_t *seen; /* of a frame: bit set of the numbers of parts seen in it */
    int nseen;      /* words of `seen` */
    Stop *stop;     /* of a frame */
    int length;
    unsigned char text[];
};

/* A node of the search graph is a frame in which an outcome is due.  Its edges are the two outcomes
   (protocol-ways.c).  */
typedef struct {
    bool known;
    Stop *to;          /* NULL: all programs end */
    uint64_t moved;    /* bit mask of the blocks in which groups step since parts last got keys */
    uint16_t *becomes; /* by number of a part's key before: 1 + the number of its key behind the edge, 0: not known */
    int nbecomes;
} Way;
struct Stop {
    Key *frame; /* NULL: a single path leads here, so no key is made */
    Way ways[2];
};

/* A mark or a reading of a part, encoded for keys.  */
typedef struct {
    int next; /* the next fact of the same part, -1: none */
    int group, number;
    int64_t text;
} Fact;

enum { MAX_RANKS = 64 };

/* The group that gets an outcome next (-1: none), and its decision.  */
typedef struct {
    int group, decision;
    int ahead;  /* outcomes taken more than the last group that takes this decision */
    bool ended; /* all groups have ended */
} Question;

/* The state of all groups and rings.  A ring is here the ring of one block (ring_at).  */
typedef struct State State;
struct State {
    GroupState *groups;
    int **released;      /* by ring and slot: releases of the newest put */
    int64_t **brought;   /* by ring and slot: bytes of the newest put */
    int *pingpong;       /* by block: turns passed on */
    int *pingpong_known; /* by ring: GroupState.known of the last group that passed on its turn */
    uint64_t *decided;   /* by decision: the newest 64 outcomes, the n-th at bit n % 64 */
    int *ndecided;
    int **tile_starts;  /* by ring: index of the first put or get of tile n, at n % 64 */
    int *made;          /* by ring: puts done by its block */
    int *started;       /* by ring: tiles with a known start */
    uint64_t stirred;   /* blocks in which groups may be able to step, a bit each */
    uint64_t moved;     /* blocks in which groups have stepped since parts last got keys */
    uint64_t shifted;   /* blocks in which groups have stepped since `stands` was made */
    Question question;  /* the question at which it stands */
    Stop *stop;         /* the node of that frame */
    uint64_t *reuse;    /* facts about reused memory: protocol-reuse.c */
    const Key **stands; /* by block: key of its groups' positions */
    const Key **keys;   /* by part: its key */
    char *memory;       /* the allocation of all arrays above */
    size_t bytes;
    State *next;
};

typedef struct {
    Kernel *kernel;
    Group *groups;
    int ngroups;
    int nblocks;        /* blocks explored; 1 if one stands for all */
    Variance variance;  /* between blocks */
    const Aref **arefs; /* by id */
    int *slots;         /* of each; of `scarce` the fewest places that one of its storages has */
    int narefs, nstorages;
    const Op **decisions; /* control operations of the source */
    int *decision_blocks; /* by decision: the first block that takes it */
    uint64_t *joined;     /* by decision: bit mask of the blocks that take it */
    int **joiners;        /* by decision: groups that take it, -1 behind the last */
    /* By block: the decisions of that block alone, -1 behind the last; at nblocks: those of several blocks.  */
    int **asked_in;
    int ndecisions;
    int *members;        /* the groups of block b, from b * nmembers on */
    int nmembers;        /* groups of each block */
    uint64_t *sharers;   /* by direction and block: bit mask of the blocks that share */
    unsigned char *ends; /* by group and ring: PUTS | GETS */
    int *mark_of;        /* by value id: index among the marks of its role, -1: no mark */
    const Op **stores;   /* direct stores; the n-th has bit n % 64 of GroupState.stored */
    int nstores;
    bool by_tiles;
    bool named;          /* `plan` has chosen the C variables */
    int pingpong_groups; /* groups that take turns */
    int most_pending;    /* the most groups of products that a wait leaves in flight */
    Key **texts;         /* hash table of keys */
    int nbuckets, ntexts;
    int nframes, nstands, npart_keys; /* number of keys of frames, of blocks, of parts */
    Key **part_keys;                  /* keys of parts, by number */
    int room_of_part_keys;
    Part *parts;
    int nparts;
    /* By group; by group and storage: the part, -1: none.  */
    int *product_parts, *storage_parts;
    int *slot_parts; /* by ring: the part of its slot 0 */
    uint64_t *reach; /* by block: bit mask of the blocks that have a part in common with it */
    Fact *facts;     /* facts of the keys under construction */
    int nfacts, room_of_facts;
    int *first_fact;     /* by part: its first fact that no key has yet, -1: none */
    int nvisited, most;  /* states continued, and the limit for one search */
    int steps;           /* steps executed */
    unsigned char *text; /* text of the key under construction */
    int length, room;
    unsigned char ranks[MAX_RANKS]; /* ranks of that key: protocol-keys.c */
    int nranks;
    State *stack, *free;
    bool reuses;     /* some storages overlap */
    bool *reused;    /* by storage: it overlaps another */
    Tenant *tenants; /* users of overlapping storages */
    int ntenants;
    uint64_t *conflicts; /* by tenant: bit mask of the tenants of the same bytes */
    uint64_t *own;       /* by group: bit mask of its tenants */
    int *tenant_of;      /* by group and storage: its tenant, -1: none */
    int *slot_tenants;   /* by block and storage: the tenant of the ring's slot 0, -1: none */
    int *first_slot;     /* by ring: index of its slot 0 among the slots of all rings */
    int nslots;          /* slots of all rings of a block */
    bool has_barriers;   /* some role has barriers or cluster syncs */
    bool waits;          /* some ring is in `waited` */
    /* By ring: a put had to wait in the search's order, so the ring's parts belong to the frame.  */
    bool *waited;
    /* The search has to start again: a ring was added to `waited`, or `exact` was set.  */
    bool again;
    /* The facts before the first round and behind skipped puts are exact (protocol.c, "Parity").  */
    bool exact;
    bool failed;
} Explorer;

/* True if every execution of all groups keeps the protocol.  Otherwise the first violation is reported.  The ring
   `scarce` gets as many slots as the storage that keeps the fewest places for it.  If it is NULL, each ring has all its
   slots.  */
bool protocol_holds(Kernel *kernel, const Labels *labels, const Aref *scarce);
/* A search visits at most `most` states in a search.  */
bool protocol_holds_within(Kernel *kernel, const Labels *labels, const Aref *scarce, int most);

/* ---- rules.def --------------------------------------------------------------------------------------------------- */

typedef enum {
#define GUARD(name, text) GUARD_##name,
#include "proof/rules.def"
} Guard;
typedef enum {
#define RULE(name, code, sentence) RULE_##name,
#include "proof/rules.def"
    RULE_COUNT
} Rule;
Guard guard_of(const Op *op); /* what the operation waits for */

/* ---- shared by protocol*.c --------------------------------------------------------------------------------------- */

/* Progress at the head of a loop.  HEAD_NONE: its initial values are not assigned.  HEAD: the carried values are
   assigned, and the next iteration is not decided.  A loop with two bodies (loop_edge) first decides which body that
   iteration would execute.  HEAD_BEFORE: the first.  HEAD_BEYOND: the second, as in all later iterations.  */
enum { HEAD_NONE, HEAD, HEAD_BEFORE, HEAD_BEYOND };
/* No decision of the source: each outcome is the group's own; no operation of interest inside.  */
enum { DECIDE_OWN = -1, DECIDE_NOTHING = -2 };
enum { MAX_AHEAD = 60 };
enum { PUTS = 1, GETS = 2 };

typedef enum { STEP_MOVED, STEP_BLOCKED, STEP_PUT, STEP_DECIDE, STEP_ENDED, STEP_FAILED } Step;

/* protocol-explorer.c */
void explorer_init(Explorer *explorer, Kernel *kernel, const Labels *labels);

/* protocol-state.c */
void group_add_reading(Explorer *explorer, GroupState *self, int index, Reading reading);
State *state_new(Explorer *explorer); /* the initial state */
State *state_copy(Explorer *explorer, const State *state);
void state_free(Explorer *explorer, State *state);
void stir(State *state, int block); /* a group of this block has stepped */
const char *group_name(const Explorer *explorer, int group);
int ring_at(const Explorer *explorer, int block, int aref);              /* index among the rings of all blocks */
uint64_t blocks_sharing(const Explorer *explorer, int along, int block); /* bit mask, with `block` itself */
int blocks_that_decide(const Explorer *explorer, int decision); /* number of blocks that take the decision together */
int puts_made(const Explorer *explorer, const State *state, int block, int aref); /* puts done by the block itself */
/* Puts done by all blocks that share the ring.  */
int puts_done(const Explorer *explorer, const State *state, int block, int aref);
Mark *mark_at(const Explorer *explorer, State *state, int group, const Value *value); /* NULL: the value has no mark */

/* protocol-keys.c */
void keys_init(Explorer *explorer);
void keys_forget(Explorer *explorer);
/* Outcomes taken by all groups that take it.  */
int fewest_taken(const Explorer *explorer, const State *state, int decision);
Key *key_of_frame(Explorer *explorer, State *state);
Stop *stop_of_frame(Explorer *explorer, Key *frame);
void list_facts(Explorer *explorer, const State *state); /* call it before key_of_part */
const Key *key_of_part(Explorer *explorer, const State *state, int part);
/* True if the frame has seen the part, or one that is <= it.  */
bool was_there(const Key *frame, const Key *part);
void see(Explorer *explorer, Key *frame, const Key *part);

/* protocol-ways.c */
/* True if it is known that all is seen there.  */
bool leads_nowhere(const Explorer *explorer, const State *state, const Stop *stop, bool outcome);
/* At a question; true if some part is new there.  */
bool arrive(Explorer *explorer, State *state, Way *way);
void arrive_at_end(Explorer *explorer, const State *state, Way *way);

/* protocol-step.c. group_step executes the next step of a group, except puts, which group_put executes.  STEP_DECIDE
   stores the decision whose outcome is due in *decision.  */
Step group_step(Explorer *explorer, State *state, int group, int *decision);
Step group_put(Explorer *explorer, State *state, int group);
void group_decide(Explorer *explorer, State *state, int group, int decision, bool choice);
const char *waits_for(const Explorer *explorer, const State *state, int group);
const char *place_of(const Explorer *explorer, const State *state, int group, const Op *op);

/* protocol-staging.c: operations on memory that copies out read, or that the groups of a role write together.  */
bool run_stage_out(Explorer *explorer, State *state, int group, const Op *op);
bool run_load_staged(Explorer *explorer, State *state, int group, const Op *op);
bool run_copy_out(Explorer *explorer, State *state, int group, const Op *op);
void run_store_wait(const Explorer *explorer, GroupState *self, const Op *op);
bool copies_are_out(const Explorer *explorer, const GroupState *self);
bool run_gather(Explorer *explorer, State *state, int group, const Op *op);
void fence_gathered(const Explorer *explorer, GroupState *self);
bool check_gathered(Explorer *explorer, State *state, int group, const Op *op, const Mark *view);
bool end_look(Explorer *explorer, State *state, int group, const Op *op, int place, int write);

/* protocol-reuse.c: memory under several storages.  */
void reuse_find(Explorer *explorer);
bool reuse_init(Explorer *explorer);          /* false: more than MAX_TENANTS */
size_t reuse_words(const Explorer *explorer); /* words of State.reuse */
void reuse_start(const Explorer *explorer, State *state);
bool reuse_write(Explorer *explorer, State *state, int group, const Op *op); /* a write to the storage of `op` */
bool reuse_look(Explorer *explorer, State *state, int group, const Op *op, const Mark *view);
bool reuse_put(Explorer *explorer, State *state, int group, const Op *op);
void reuse_put_done(const Explorer *explorer, State *state, int group, const Aref *aref, int index);
void reuse_get(const Explorer *explorer, State *state, int group, const Aref *aref, int index);
void reuse_release(const Explorer *explorer, State *state, int group, const Aref *aref, int index);
void reuse_fence(const Explorer *explorer, State *state, int group);
void reuse_barrier(const Explorer *explorer, State *state, int group);
void reuse_meet(const Explorer *explorer, State *state, int group);
/* Of a slot of a ring: puts until its next put; else 0.  */
int reuse_age(const Explorer *explorer, const State *state, int tenant);

/* protocol-ops.c: the effect of operations.  False after a violation.  */
bool stays_in_place(Explorer *explorer, State *state, int group, const Op *op, const Value *from, const Value *to);
bool run_plain(Explorer *explorer, State *state, int group, const Op *op);
const Storage *storage_at(const Explorer *explorer, int place);
uint64_t stores_to(const Explorer *explorer, const Value *tensor);
void pass_over(const Explorer *explorer, State *state, int group, const Op *op, int64_t puts);
bool may_pass(const Explorer *explorer, const State *state, int group, const Op *op);
/* Reports that the operation breaks the rule.  Always false.  */
bool violates(Explorer *explorer, const State *state, int group, const Op *op, Rule rule, ...);

#endif
