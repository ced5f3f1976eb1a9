/* SPDX-License-Identifier: MIT */
/*
 * roles.h - what the roles of lab 5 are written with: one ring, two groups that multiply, a tensor core for each, and a
 * staging buffer. All of it as a Hopper GPU has it, on the emulator of WSC.
 */
#ifndef ROLES_H
#define ROLES_H

enum { BYTES = 1024 /* of a slot */ };

/* Once, before the roles: a ring of so many slots, each empty again after so many releases.  */
void make_ring(int slots, int releases);

/* The producer.  */
void wait_empty(int slot, int phase);   /* until the slot's empty barrier is past that phase */
void expect_bytes(int slot, int bytes); /* the full barrier opens when as many have come */
void copy_in(int slot, int tile);       /* starts a copy of BYTES: it ends later, in any order */
void all_started(int slot);             /* the producer's own arrival on the full barrier */

/* The groups that multiply.  */
void wait_full(int slot, int phase); /* until the slot's full barrier is past that phase */
void multiply(int slot);             /* starts a product that adds the slot's tile to the group's sum: it ends later */
void wait_products(int left);        /* until at most so many of this group's products are in flight */
void release(int slot);              /* an arrival on the slot's empty barrier */

/* The end of a group: its sum goes out through a buffer in shared memory.  */
void stage(void);          /* the threads write the sum to the buffer */
void fence(void);          /* what they wrote is there for the engines */
void copy_out(void);       /* starts a copy of the buffer to memory */
void wait_copies_out(void); /* until the buffer has been read */

/* To be written.  */
void setup(void);
void producer(int tiles);
void multiplier(int tiles);

#endif
