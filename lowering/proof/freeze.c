/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freeze.c - from this pass on the body is the source of the proof.
 *
 * validate.c runs the programs of the roles beside the body, so no later pass may change it.  This pass stores a digest
 * of the body.  The proof starts with a comparison of that digest.
 *
 * The passes before this one are tested, not proved; the head of each names its tests.  They change the operations, by
 * arithmetic on inequalities or by the algebra of tiles, while validate.c matches operations one by one.  The tests
 * have a reference that runs no pass.  The sequential target runs the user's statements, and emulate has to agree with
 * it to the bit (tests/programs, and tests/fuzz with random programs).  Skipped out-of-bounds rows (skip-oob.c) are an
 * exception: validate.c shows again that they cannot influence a store.
 */
#include <string.h>

#include "passes.h"
#include "proof/validate.h"

static uint64_t mix(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * 0x9e3779b97f4a7c15u ^ digest >> 29;
}

static void digest_block(const Block *block, uint64_t *digest)
{
    FOR_OPS (op, block) {
        uint64_t real;
        const Meaning meaning = op_meaning(op);
        memcpy(&real, &meaning.real, sizeof real);
        *digest = mix(mix(*digest, (uint64_t)op->code << 32 ^ (uint64_t)meaning.integer), real);
        for (int i = 0; i < op->nargs; i++)
            *digest = mix(*digest, (uint64_t)op->args[i]->id);
        for (int i = 0; i < op->nresults; i++)
            *digest = mix(*digest, (uint64_t)op->results[i]->id ^ (uint64_t)op->results[i]->type.rows << 32);
        for (int k = 0; k < op->nblocks; k++)
            digest_block(op->blocks[k], digest);
    }
}

static uint64_t digest_of(const Kernel *kernel)
{
    uint64_t digest = 1;
    digest_block(kernel->body, &digest);
    return digest ? digest : 1;
}

bool freeze_holds(const Kernel *kernel)
{
    return !kernel->source || kernel->source == digest_of(kernel);
}

void pass_freeze(Kernel *kernel)
{
    kernel->source = digest_of(kernel);
}
