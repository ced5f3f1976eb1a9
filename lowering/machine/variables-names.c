/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * variables-names.c - names for a role's C variables.  The user's names are kept if their scopes are disjoint.
 *
 *   acc, acc of another loop beside it       acc, acc
 *   acc, acc of a loop inside                acc, acc_2
 */
#include <string.h>

#include "ir/cluster.h"
#include "ir/queries.h"
#include "machine/variables.h"

/* Keywords of C and C++, and the namespace of the runtime.  */
static const char *const reserved_words[] = {"alignas",
                                             "alignof",
                                             "and",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "break",
                                             "case",
                                             "catch",
                                             "char",
                                             "char16_t",
                                             "char32_t",
                                             "class",
                                             "compl",
                                             "concept",
                                             "const",
                                             "const_cast",
                                             "constexpr",
                                             "continue",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "double",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "false",
                                             "float",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "int",
                                             "linux",
                                             "long",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "reinterpret_cast",
                                             "requires",
                                             "return",
                                             "short",
                                             "signed",
                                             "sizeof",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "typeof",
                                             "union",
                                             "unix",
                                             "unsigned",
                                             "using",
                                             "virtual",
                                             "void",
                                             "volatile",
                                             "wchar_t",
                                             "while",
                                             "ws",
                                             "xor",
                                             "xor_eq"};

bool variables_is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved_words / sizeof *reserved_words; i++)
        if (!strcmp(name, reserved_words[i]))
            return true;
    return false;
}

/* True if a role's function has the name already: parameters, the loop over tiles, rings, saved coordinates of
   copies.  */
static bool is_taken_in_role(const Kernel *kernel, const char *name)
{
    FOR_AREFS (aref, kernel)
        if (!strcmp(name, aref->name))
            return true;
    FOR_STORAGES (storage, kernel)
        if (storage->use == USE_OUTPUT && !strcmp(name, storage->name))
            return true;
    return !strcmp(name, "p") || !strcmp(name, "s") || !strcmp(name, "t") || !strcmp(name, "go_on") ||
           (kernel->grid.together && !strcmp(name, "telling")) || !strncmp(name, "saved_", 6) ||
           (cluster_size(kernel) > 1 && !strcmp(name, "inside"));
}

const Block *variables_scope(const Variable *variable, const Value *value)
{
    bool counter = variables_is_counter(value) && !loop_edge(value->block->parent); /* in front of both loops */
    if (counter || !variable->declared)
        return variables_home(value);
    return variable->declared->parent;
}

/* The block of the C text: both blocks of a while are one.  */
static const Block *written_block(const Block *block)
{
    const Op *op = block->parent;
    return op && op->code == OP_WHILE ? op->blocks[0] : block;
}

static bool scope_holds(const Block *outer, const Block *inner)
{
    while (written_block(inner) != written_block(outer) && inner->parent)
        inner = inner->parent->parent;
    return written_block(inner) == written_block(outer);
}

static bool name_free(const Namer *namer, const NameScope *taken, const char *name, const Block *scope)
{
    if (variables_is_reserved(name) || is_taken_in_role(namer->kernel, name))
        return false;
    for (; taken; taken = taken->next)
        if (!strcmp(taken->variable->name, name) &&
            (scope_holds(taken->scope, scope) || scope_holds(scope, taken->scope)))
            return false;
    return true;
}

/* The name of a slot: "slot", or with several rings "tk_slot" for the ring "tk_ring".  */
static const char *slot_name(const Kernel *kernel, const Aref *aref)
{
    bool only = kernel->arefs && !kernel->arefs->next;
    if (only || !aref)
        return "slot";
    size_t length = strlen(aref->name);
    bool ring = length > 5 && !strcmp(aref->name + length - 5, "_ring");
    return arena_print(kernel->module, "%.*s_slot", (int)(ring ? length - 5 : length), aref->name);
}

static const char *default_name(const Kernel *kernel, const Value *value)
{
    const Op *op = value->def;
    if (op && op->code == OP_STAGE && op->storage && op->storage->use == USE_OUTPUT)
        return "box";
    if (op && (op->code == OP_STAGE || op->code == OP_GATHER) && op->storage)
        return arena_print(kernel->module, "%s_view", op->storage->name);
    if (op && op_writes_in_place(op))
        return "acc";
    if (value->type.kind == K_TENSOR)
        return "part";
    if (value->type.kind == K_SCALAR)
        return value->type.dtype == D_I1 ? "condition" : "n";
    return "x";
}

static int name_count(const Namer *namer, int class_, const char *name)
{
    int count = 0, i = class_;
    do {
        count += namer->infos[i].value->name && !strcmp(namer->infos[i].value->name, name);
        i = namer->infos[i].next_member;
    } while (i != class_);
    return count;
}

/* The name that most members of the class have; of two equally frequent names the earlier one.  */
const char *variables_class_name(const Namer *namer, int class_)
{
    const char *best = NULL;
    int most = 0, i = class_;
    do {
        const Value *value = namer->infos[i].value;
        if (variables_is_slot(value))
            return slot_name(namer->kernel, value->def->aref);
        int count = value->name ? name_count(namer, class_, value->name) : 0;
        if (count > most) {
            most = count;
            best = value->name;
        }
        i = namer->infos[i].next_member;
    } while (i != class_);
    if (best)
        return best;
    for (i = namer->infos[class_].next_member; i != class_; i = namer->infos[i].next_member)
        if (namer->infos[i].value->def && op_writes_in_place(namer->infos[i].value->def))
            return "acc";
    return default_name(namer->kernel, namer->infos[class_].value);
}

const char *variables_unique_name(const Namer *namer, const NameScope *taken, const char *name, const Block *scope)
{
    const char *unique = name;
    for (int i = 2; !name_free(namer, taken, unique, scope); i++)
        unique = arena_print(namer->kernel->module, "%s_%d", name, i);
    return unique;
}
