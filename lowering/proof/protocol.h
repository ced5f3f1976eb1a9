/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocol.h - all groups of a CTA, or of a cluster of them, against each other: their state, one step of a group, and
   the search over all paths.  */
#ifndef WSC_PROTOCOL_H
#define WSC_PROTOCOL_H

#include "schedule/cluster.h"
#include "proof/validate.h"

/* What is known of a value.  */
typedef enum { MARK_NONE, MARK_PUT, MARK_GOT, MARK_RING_VIEW, MARK_STAGED_VIEW, MARK_TOKEN } MarkKind;
typedef struct {
    MarkKind kind;
    int place; /* of the ring, or of the storage */
    int index; /* of the put, of the write of the storage, or of the group of products */
} Mark;

/* A product in flight that reads shared memory.  */
typedef struct {
    MarkKind kind; /* MARK_RING_VIEW, MARK_STAGED_VIEW */
    int place;
    int index;
    int group;
} Reading;

/* One end of a ring: the puts of its producer, the gets of a consumer.  */
typedef struct {
    int next;     /* running index of the next put, or get */
    int held;     /* the newest gets, not released yet */
    bool filling; /* between put and put_done */
} End;

/* Memory that threads wrote: the engines see it once each has fenced its part, other threads once the group has met. */
typedef struct {
    bool unfenced, unsynced;
} Written;

/* A slot of memory that a role's groups write together: which write it holds of this group, and at which of its
   barriers the group wrote, fenced, and last looked at it.  */
enum { MAX_GATHERED = 2, NOT_YET = 0x7fffffff, NEVER = -1 };
typedef struct {
    int write, wrote, fenced, looked;
} Gathered;

/* A group of a role: where it stands and what it has.  */
typedef struct {
    const Op *pc; /* the next op; NULL: it has ended */
    int head;     /* HEAD_...: of the loop at pc */
    bool holds_turn;
    int asks;                 /* the decision that it waits for, or DECIDE_... */
    int ordinal;              /* tiles begun */
    int passed;               /* places that it passed where all of the role's groups come together in the search, */
    int barriers;             /* and those of them where they do on the machine */
    int committed, completed; /* groups of products */
    Mark *marks;              /* by Group.mark_of */
    End *puts, *gets;         /* by ring */
    int *written;             /* by storage: writes of it so far */
    bool *read;               /* by storage: read since the group last met at a barrier */
    Written *fresh;           /* by storage: what has to happen before others look at what was written */
    int *copying;             /* by storage: so many of the newest copies out may still read it */
    Gathered **gathered;      /* by storage, NULL for all but these; by slot */
    uint64_t stored,
        loaded; /* tensors that are stored through: stores and loads since the group last met, by Explorer.stores */
    Reading *readings;
    int nreadings, room;
    int *known;      /* by ring: puts that are done before this point in every order of execution, as far as it tells */
    int *taken;      /* by decision: how many */
    int *iterations; /* by decision: of the loop's present run, for messages */
} GroupState;

/* Between which ops of its role a value may still be looked at: from < position <= to.  */
typedef struct {
    int from, to;
} Life;

/* What there is to do for an op here: anything at all; a look at its operands; to ask, but one way only leads here from
   the question before; it may have to wait.  */
enum { ABOUT_PROTOCOL = 1, ABOUT_OPERANDS = 2, ABOUT_SAME_WAY = 4, ABOUT_WAITING = 8 };

typedef struct {
    Role *role;
    int block;  /* of the cluster */
    int number; /* among the role's groups */
    int count;  /* of those that it stands for: they have one program, and it is not about the number */
    const Labels *labels;
    int nmarks;
    Life *lives;          /* by mark */
    int *decision_of;     /* by position: index of the decision, or DECIDE_... */
    unsigned char *about; /* by position: ABOUT_... */
    const Op **next;      /* by position: the first op from there on that is about anything, NULL: none in its block */
    bool *joins;          /* by decision: is it taken here? */
    bool *stages;         /* by storage: does it leave through this? */
    bool *touches;        /* by storage: does it have to do with this, other than as a slot? */
    bool multiplies, in_pingpong;
    int first_store, end_store; /* among Explorer.stores */
} Group;

/* Who uses memory that others use, too: a group, by its copy of a storage (slot -1: by all of it), or, group -1, the
   copies into a slot of a ring.  protocol-reuse.c.  */
enum { MOST_TENANTS = 64, MOST_ROLES = 32 };
typedef struct {
    const Storage *storage;
    int group, slot, block;
} Tenant;

/* A piece of the state that has no say in how groups go on, nor in other pieces: see protocol.c, 4.  */
typedef enum { PART_PRODUCTS, PART_STORE, PART_STORAGE, PART_KNOWN, PART_SLOT, PART_REUSE } PartKind;
typedef struct {
    PartKind kind;
    int of;    /* the group; of a ring the first of the blocks */
    int place; /* of the store's bit, of the storage, of the ring */
    int slot;
    uint64_t blocks; /* that it is about, a bit each */
    bool apart;      /* and not said with the frame */
} Part;

/* What was said of how groups stand, or of a part: protocol-keys.c.  */
typedef struct Stop Stop;
typedef struct Key Key;
struct Key {
    Key *next;
    uint64_t hash;
    int number;       /* among those of its kind */
    const Key *exact; /* of a part: what was said but for the ranks, which follow in the text; */
    Key *like;        /* others that differ from it only in these, from that one on */
    int nranks;
    uint64_t *seen; /* of a frame: the parts that were there with it, by number, */
    int nseen;      /* in so many words */
    Stop *stop;     /* there */
    int length;
    unsigned char text[];
};

/* Where states stand alike, and what each outcome leads to, as far as it was tried: protocol-ways.c.  */
typedef struct {
    bool known;
    Stop *to;       /* NULL: all groups have ended well */
    uint64_t moved; /* blocks in which groups go on since parts were said last, a bit each */
    uint16_t
        *becomes; /* by number of what was said of a part then: one more than the number of what is said there, 0: not
        known */
    int nbecomes;
} Way;
struct Stop {
    Key *frame; /* NULL: one way only leads here, so that nothing is said */
    Way ways[2];
};

/* What is known of a value, or of a product in flight, as the keys say it.  */
typedef struct {
    int next; /* about the same part, -1: none */
    int group, number;
    int64_t text;
} Fact;

enum { MOST_RANKS = 64 };

/* Who has to be told something next, -1: nobody, and what.  */
typedef struct {
    int group, decision;
    int ahead;  /* of the last that has to be told the same */
    bool ended; /* all have */
} Question;

/* All groups, and what they share.  */
typedef struct State State;
/* A ring here is one of one block: see ring_at.  */
struct State {
    GroupState *groups;
    int **released;      /* by ring and slot: groups that have released its newest put */
    int64_t **brought;   /* by ring and slot: bytes of its newest put */
    int *pingpong;       /* by block: taken and passed on so far */
    int *pingpong_known; /* by ring: what the last group to pass on its turn knew */
    uint64_t *decided;   /* by decision: the newest 64, oldest at bit 0 of those */
    int *ndecided;
    int **tile_starts;  /* by ring: running index at the start of tile n, at n % 64 */
    int *made;          /* by ring: puts of its block that are done */
    int *started;       /* by ring: tiles whose start is known */
    uint64_t stirred;   /* blocks, a bit each, in which groups may go on, */
    uint64_t moved;     /* in which some have since parts were said, */
    uint64_t shifted;   /* and since it was said how they stand */
    Question question;  /* where it stands, */
    Stop *stop;         /* and what comes of that */
    uint64_t *reuse;    /* what is known of memory that several use: protocol-reuse.c */
    const Key **stands; /* by block: how its groups stood then, */
    const Key **keys;   /* and by part, what was said of it */
    char *memory;       /* what all these point to */
    size_t bytes;
    State *next;
};

typedef struct {
    Kernel *kernel;
    Group *groups;
    int ngroups;
    int nblocks;        /* that are looked at apart */
    Variance variance;  /* between them */
    const Aref **arefs; /* by id */
    int *slots;         /* of each; of `scarce` the fewest that one of its storages has */
    int narefs, nstorages;
    const Op **decisions; /* control ops of the source, */
    int *decision_blocks; /* and the first block whose it is */
    uint64_t *joined;     /* blocks that take them, a bit each, */
    int **joiners;        /* and groups, -1 behind the last */
    int **asked_in;       /* by block: decisions of it alone, -1 behind the last; behind the blocks: those of several */
    int ndecisions;
    int *members;        /* the groups of block b: from b * nmembers on */
    int nmembers;        /* of each block */
    uint64_t *sharers;   /* by direction and block: those that share, a bit each */
    unsigned char *ends; /* by group and ring: PUTS, GETS */
    int *mark_of;        /* by value id: place among the marks of its role, -1: never of interest */
    const Op **stores;   /* direct stores; the n-th has bit n % 64 of GroupState.stored */
    int nstores;
    bool by_tiles;
    bool named;          /* plan has given out variables */
    int pingpong_groups; /* that take turns */
    Key **texts;         /* that were said, */
    int nbuckets, ntexts;
    int nframes, nstands, npart_keys; /* of all groups, of a block's, of a part; */
    Key **part_keys;                  /* the last, by number */
    int room_of_part_keys;
    Part *parts;
    int nparts;
    int *product_parts, *storage_parts; /* by group, and its storages: their parts, -1: none */
    int *slot_parts;                    /* by ring: the part of its slot 0 */
    uint64_t *reach;                    /* by block: those that some part about it is about */
    Fact *facts;                        /* for the keys being made: */
    int nfacts, room_of_facts;
    int *first_fact;     /* by part, -1: none that has not been said */
    int nvisited, most;  /* states that went on, and may in one search */
    int steps;           /* of groups */
    unsigned char *text; /* the key being built */
    int length, room;
    unsigned char ranks[MOST_RANKS]; /* of the part that it is about: see protocol-keys.c */
    int nranks;
    State *stack, *free;
    bool reuses;     /* storages lie in the same memory, */
    bool *reused;    /* by storage: this one does; */
    Tenant *tenants; /* who uses it, */
    int ntenants;
    uint64_t *conflicts; /* by tenant: others of the same bytes, a bit each, */
    uint64_t *own;       /* by group: its tenants, */
    int *tenant_of;      /* by group and storage, -1: none; */
    int *slot_tenants;   /* by block and storage: of the ring's slot 0, */
    int *first_slot;     /* by ring: its slot 0 among those of all, */
    int nslots;          /* so many */
    bool has_barriers;   /* groups come together */
    bool waits;          /* some ring is in `waited` */
    bool *waited;        /* by ring: a put had to wait in the order of the search, so that its state is the frame's */
    bool again;          /* the search has to be made again: one more has, or too little was known */
    bool exact;          /* how much is known at first, too: protocol.c, 5 */
    bool failed;
} Explorer;

/* Does every path of all groups together keep the protocol?  Reports the first one that does not.  */
/* The ring `scarce` has as many slots as the storage that keeps the fewest places for it; NULL: each ring has all of
   its own.  */
bool protocol_holds(Kernel *kernel, const Labels *labels, const Aref *scarce);
bool protocol_holds_within(Kernel *kernel, const Labels *labels, const Aref *scarce,
                           int most); /* so many states for each part of the proof */

/* ---- shared by protocol*.c --------------------------------------------------------------------------------------- */

/* Of a loop: not there; initial values are handed over, the next iteration is not decided; nor, of one with two bodies,
   which it would run; it would run the first; or the second, as all from there on.  */
enum { HEAD_NONE, HEAD, HEAD_BEFORE, HEAD_BEYOND };
enum { DECIDE_OWN = -1, DECIDE_NOTHING = -2 }; /* a branch of the role's own; nothing of interest inside */
enum { MOST_AHEAD = 60, MAX_READINGS = 512 };
enum { PUTS = 1, GETS = 2 };

typedef enum { STEP_MOVED, STEP_BLOCKED, STEP_PUT, STEP_DECIDE, STEP_ENDED, STEP_FAILED } Step;

/* protocol-explorer.c */
void explorer_init(Explorer *explorer, Kernel *kernel, const Labels *labels);

/* protocol-state.c */
void group_add_reading(Explorer *explorer, GroupState *self, int index, Reading reading);
State *state_new(Explorer *explorer); /* the first */
State *state_copy(Explorer *explorer, const State *state);
void state_free(Explorer *explorer, State *state);
void stir(State *state, int block); /* a group of this block has moved */
const char *group_name(const Explorer *explorer, int group);
int ring_at(const Explorer *explorer, int block, int aref);              /* its place among those of all blocks */
uint64_t blocks_sharing(const Explorer *explorer, int along, int block); /* a bit each, this one's, too */
int blocks_that_decide(const Explorer *explorer, int decision);          /* it together */
int puts_made(const Explorer *explorer, const State *state, int block, int aref); /* and ended, by the block itself */
int puts_done(const Explorer *explorer, const State *state, int block, int aref); /* and by all that bring a share */
Mark *mark_at(const Explorer *explorer, State *state, int group, const Value *value); /* NULL: never of interest */

/* protocol-keys.c */
void keys_init(Explorer *explorer);
void keys_forget(Explorer *explorer);
int fewest_taken(const Explorer *explorer, const State *state, int decision); /* by those that join in it */
Key *key_of_frame(Explorer *explorer, State *state);
Stop *stop_of_frame(Explorer *explorer, Key *frame);
void list_facts(Explorer *explorer, const State *state); /* before keys of parts are made */
const Key *key_of_part(Explorer *explorer, const State *state, int part);
bool was_there(const Key *frame, const Key *part); /* the same, or one that was worse off */
void see(Explorer *explorer, Key *frame, const Key *part);

/* protocol-ways.c */
bool leads_nowhere(const Explorer *explorer, const State *state, const Stop *stop,
                   bool outcome);                        /* new: needs not be tried */
bool arrive(Explorer *explorer, State *state, Way *way); /* at a question: is any part new there? */
void arrive_at_end(Explorer *explorer, const State *state, Way *way);

/* protocol-step.c: the next step of a group, puts left to group_put; *decision is what it has to be told.  */
Step group_step(Explorer *explorer, State *state, int group, int *decision);
Step group_put(Explorer *explorer, State *state, int group);
void group_decide(Explorer *explorer, State *state, int group, int decision, bool choice);
const char *waits_for(const Explorer *explorer, const State *state, int group);
const char *place_of(const Explorer *explorer, const State *state, int group, const Op *op);

/* protocol-staging.c: the same for memory that copies out or other groups read.  */
bool run_stage_out(Explorer *explorer, State *state, int group, const Op *op);
bool run_load_staged(Explorer *explorer, State *state, int group, const Op *op);
bool run_copy_out(Explorer *explorer, State *state, int group, const Op *op);
void run_store_wait(const Explorer *explorer, GroupState *self, const Op *op);
bool copies_are_out(const Explorer *explorer, const GroupState *self);
bool run_gather(Explorer *explorer, State *state, int group, const Op *op);
void fence_gathered(const Explorer *explorer, GroupState *self);
bool check_gathered(Explorer *explorer, State *state, int group, const Op *op, const Mark *view);
bool end_look(Explorer *explorer, State *state, int group, const Op *op, int place, int write);

/* protocol-reuse.c: memory that several storages lie in.  */
void reuse_find(Explorer *explorer);
bool reuse_init(Explorer *explorer);          /* false: too many use it */
size_t reuse_words(const Explorer *explorer); /* of State.reuse */
void reuse_start(const Explorer *explorer, State *state);
bool reuse_write(Explorer *explorer, State *state, int group, const Op *op); /* to the op's storage */
bool reuse_look(Explorer *explorer, State *state, int group, const Op *op, const Mark *view);
bool reuse_put(Explorer *explorer, State *state, int group, const Op *op);
void reuse_put_done(const Explorer *explorer, State *state, int group, const Aref *aref, int index);
void reuse_get(const Explorer *explorer, State *state, int group, const Aref *aref, int index);
void reuse_release(const Explorer *explorer, State *state, int group, const Aref *aref, int index);
void reuse_fence(const Explorer *explorer, State *state, int group);
void reuse_barrier(const Explorer *explorer, State *state, int group);
void reuse_meet(const Explorer *explorer, State *state, int group);
int reuse_age(const Explorer *explorer, const State *state, int tenant); /* of a slot: puts until its next; else 0 */

/* protocol-ops.c: what the operations do; false once something is wrong.  */
bool stays_in_place(Explorer *explorer, State *state, int group, const Op *op, const Value *from, const Value *to);
bool run_plain(Explorer *explorer, State *state, int group, const Op *op);
const Storage *storage_at(const Explorer *explorer, int place);
uint64_t stores_to(const Explorer *explorer, const Value *tensor);
void pass_over(const Explorer *explorer, State *state, int group, const Op *op, int64_t puts);
bool may_pass(const Explorer *explorer, const State *state, int group, const Op *op);
bool violates(Explorer *explorer, const State *state, int group, const Op *op, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
