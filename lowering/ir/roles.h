/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roles.h - roles, their rings and storages in shared memory, and the variables of the .cu.  */
#ifndef WSC_ROLES_H
#define WSC_ROLES_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A buffer in shared memory. A tile is stored as ceil (cols * size / 128) blocks of lines of 128 bytes, with the
   128-byte swizzle. A block has one line a row, and its number of lines is a multiple of 8. Short rows that no product
   reads may have lines of 64 or 32 bytes.  */
typedef enum {
    USE_RING,     /* slots of an aref */
    USE_OPERAND,  /* staging of a register tile for a product */
    USE_OUTPUT,   /* staging of a tile for a store */
    USE_SCRATCH,  /* bytes that threads of a group exchange */
    USE_GATHERED, /* tile of a gather */
    USE_PARTS,    /* shares that the blocks of a cluster get of each other's parts (SUM_PARTS) */
    USE_SHARES,   /* tiles that the blocks of a cluster exchange whole or reduced */
    USE_ROW_CACHE /* each thread keeps its elements of a tile here instead of in registers */
} StorageUse;
struct Storage {
    const char *name;
    StorageUse use;
    Type tile;          /* type of one slot */
    int slots;          /* ring: its depth; otherwise the number of copies, one for each consumer group */
    int64_t slot_bytes; /* plan */
    int64_t stride;     /* plan: bytes from one slot to the next */
    int line;           /* partition: bytes of a line if not 128: 64, 32, or a whole row; 0: 128 */
    int64_t offset;     /* plan: bytes from the start of the shared struct */
    Storage *beside;    /* layout: slots interleave with those of `beside`: slot i lies right behind its slot i */
    Storage *over;      /* plan: the storage shares the memory of `over`; the two are never live together */
    int resident;    /* partition: physical slots; slot i uses i mod resident, its copy waits for all sharers; 0: all */
    bool transposed; /* partition: the slots hold transposed tiles */
    bool tf32;       /* layout: f32 elements that products alone read, which the copy rounds to tf32 */
    bool interleaved; /* layout: bytes; each 16 columns are permuted to the order of register operands */
    Storage *next;
};

/* An asynchronous reference: a ring of slots between one role and others (Tawa, III-B).  */
struct Aref {
    int id;
    const char *name;
    int slots; /* D */
    Role *producer;
    uint32_t consumers; /* a bit for each of kernel->roles */
    int arrivals;       /* arrivals on the empty mbarrier: consumer groups of all blocks that release a slot */
    int fillers;        /* arrivals on the full mbarrier: groups that each write their rows of a slot, or 1 */
    int along;          /* ALONG_...: blocks whose copies fill the slots; each release goes to all of them */
    int64_t bytes;      /* bytes of one put */
    int nstorages;
    Storage **storages;
    Value **payload; /* nstorages values of the body that a slot carries: loads, or results of the producer */
    Block *home;     /* block of the body; each execution of it puts one slot */
    Aref *also;      /* next ring that carries the same value to other roles; NULL: none */
    int release_lag; /* partition: newest slots that a release keeps, as products in flight read them (P-1); 0: none */
    Aref *next;
};

/* Versions of a role's program: one for all launches, and one for launches whose tensors TMA can load.  */
enum { VERSION_ANY = 1, VERSION_TMA = 2 };

/* The distribution of a register tile over the 128 threads of a group.

       layout              rows side by side in a warp   threads of a row   rows of a thread
       LAYOUT_ROWS         1                             32                 every 4th
       LAYOUT_ROWS_n       n                             32 / n             every 4n-th
       LAYOUT_STRIPS       1                             32                 consecutive
       LAYOUT_STRIPS_n     n                             32 / n             consecutive
       LAYOUT_WIDE         -                             128                all
       LAYOUT_WIDE_n       -                             128 n: n groups    all
       LAYOUT_MMA          the accumulator fragment of wgmma (PTX ISA)

       LAYOUT_ROWS_2, 8 rows:    warp 0: rows 0 1    warp 1: rows 2 3    warp 2: rows 4 5    warp 3: rows 6 7  */
typedef enum {
    LAYOUT_ROWS,
    LAYOUT_MMA,
    LAYOUT_ROWS_2,
    LAYOUT_ROWS_4,
    LAYOUT_ROWS_8,
    LAYOUT_ROWS_16,
    LAYOUT_ROWS_32,
    LAYOUT_WIDE,
    LAYOUT_WIDE_2,
    LAYOUT_WIDE_4,
    LAYOUT_WIDE_8,
    LAYOUT_STRIPS,
    LAYOUT_STRIPS_2,
    LAYOUT_STRIPS_4,
    LAYOUT_STRIPS_8,
    LAYOUT_COUNT
} Layout;

/* Capabilities of a role: to start copies into rings, to compute with register tiles, to store.  */
enum { ROLE_COPIES = 1, ROLE_COMPUTES = 2, ROLE_STORES = 4, ROLE_DOES_ALL = 7 };

/* A part of a block that runs one program: `replicas` warp groups, in each of which the first `warps` warps run it.  */
struct Role {
    int id;
    const char *name; /* "producer", "consumer" or the name of a task */
    unsigned may;     /* capabilities: ROLE_... */
    int warps;        /* versions: 1 or 4 */
    int replicas;
    unsigned versions; /* VERSION_... as bits; with two versions the launch chooses by its tensors */
    int registers;     /* operand of setmaxnreg, 0: none; before plan the number that the user asks for */
    Layout layout;     /* layout: of the role's register tiles */
    Block *body;       /* distribute: the role's program; uses parameters, and no other value of kernel->body */
    Role *next;
};

/* A C variable of the .cu, made by plan. A variable without a role belongs to the launcher: a parameter, a tensor, or a
   scalar that the host computes.  */
struct Variable {
    const char *name;
    Type type;
    Role *role;    /* NULL: the launcher's */
    bool mutable_; /* assigned more than once, or written in place */
    bool field;    /* launcher: a member of the parameter struct */
    Value *value;  /* launcher: the value that the variable holds */
    Op *declared;  /* role: the op that first writes the variable */
    bool bare;     /* role: the declaration stands before that op and has no initializer */
    Variable *next;
};

#define FOR_ROLES(role, kernel)       for (Role *role = (kernel)->roles; role; role = role->next)
#define FOR_AREFS(aref, kernel)       for (Aref *aref = (kernel)->arefs; aref; aref = aref->next)
#define FOR_STORAGES(storage, kernel) for (Storage *storage = (kernel)->storages; storage; storage = storage->next)
Role *role_new(Kernel *kernel, const char *name, unsigned may, int replicas); /* a role of four warps */
/* Returns a role with all capabilities `may` and the fewest others, or NULL.  */
Role *role_that(const Kernel *kernel, unsigned may);
Storage *storage_new(Kernel *kernel, const char *name, StorageUse use, Type tile, int slots);
Aref *aref_new(Kernel *kernel, const char *name, int slots);
int storage_places(const Storage *storage);               /* number of physical slots */
int aref_places(const Aref *aref);                        /* smallest number of physical slots of its storages */
int aref_place(const Aref *aref, const Value *value);     /* index of the value in the payload, or -1 */
int role_sharers(const Kernel *kernel, const Role *role); /* groups of the role that divide rows among them */
Aref *aref_to(const Value *value, const Role *role);      /* ring through which the role gets the value, or NULL */
Aref *aref_from(const Value *value, const Role *role);    /* ring into which the role puts the value, or NULL */
#define ROLE_BIT(role) (1u << (role)->id)

#ifdef __cplusplus
}
#endif
#endif
