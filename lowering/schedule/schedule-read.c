/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule-read.c - reads a schedule file over the table that choose wrote.
 *
 *   loop for.11 in-flight=1                      each product is waited for
 *   op acc.15                                    issued before ...
 *   op x.14                                      ... this one; a stage of its own with stage=1
 *
 * The file overrides only what it states.  If the file lists operations of a loop, they are issued in that order.  An
 * operation that is not listed comes just before its first reader.  Instead of order and stage, an operation may have a
 * cycle `at=` in an `interval=`, as wsc-solve writes them.
 *
 * The proof treats any schedule like the chosen one.  Before that, schedule-check.c reports mistakes in the words of
 * the file.
 */
#include "passes.h"
#include "ir/versions.h"
#include "schedule/reader.h"
#include "schedule/schedule.h"
#include "target/machine.h"

#include <stdlib.h>
#include <string.h>

enum { UNPLACED = -1, MOST_FLIGHT = 16, MOST_CYCLE = 1 << 20 };

static void bad(Reader *ctx, const char *word, const char *why)
{
    reject(ctx->kernel, ctx->at, REASON_SCHEDULE_WORD, word, why);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void split_words(Reader *ctx, char *line)
{
    ctx->nwords = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok(line, " \t\r"); word; word = strtok(NULL, " \t\r")) {
        if (ctx->nwords == READER_WORDS) {
            bad(ctx, word, "the line has too many words");
            return;
        }
        ctx->words[ctx->nwords++] = word;
    }
}

/* The value of "key=value"; NULL: another key.  */
static const char *value_of(const char *word, const char *key)
{
    size_t length = strlen(key);
    return !strncmp(word, key, length) && word[length] == '=' ? word + length + 1 : NULL;
}

static bool read_number(Reader *ctx, const char *word, const char *value, int least, int most, int *number)
{
    char *end;
    long read = strtol(value, &end, 10);
    if (!*value || *end || read < least || read > most) {
        bad(ctx, word, arena_print(ctx->kernel->module, "a number from %d to %d is meant", least, most));
        return false;
    }
    *number = (int)read;
    return true;
}

static bool read_choice(Reader *ctx, const char *word, const char *value, const char *yes, const char *no, bool *choice)
{
    if (strcmp(value, yes) && strcmp(value, no)) {
        bad(ctx, word, arena_print(ctx->kernel->module, "'%s' or '%s' is meant", yes, no));
        return false;
    }
    *choice = !strcmp(value, yes);
    return true;
}

static Role *role_named(const Reader *ctx, const char *name, size_t length)
{
    FOR_ROLES (role, ctx->kernel)
        if (strlen(role->name) == length && !strncmp(role->name, name, length))
            return role;
    return NULL;
}

static uint32_t read_roles(Reader *ctx, const char *word, const char *value)
{
    uint32_t roles = 0;
    for (const char *at = value; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        Role *role = role_named(ctx, at, strcspn(at, ","));
        if (!role) {
            bad(ctx, word, "the kernel has no such role");
            return 0;
        }
        roles |= ROLE_BIT(role);
    }
    if (!roles)
        bad(ctx, word, "a role is meant");
    return roles;
}

/* The operation "acc.16".  The number identifies the operation, and the name must agree.  */
static Op *op_named(Reader *ctx, const char *name)
{
    const char *dot = strrchr(name, '.');
    int number = dot ? atoi(dot + 1) : 0;
    Op *op = number > 0 && number <= ctx->nops ? ctx->ops[number] : NULL;
    if (op && !strcmp(schedule_name(op, ctx->numbers), name))
        return op;
    reject(ctx->kernel, ctx->at, REASON_SCHEDULE_NAME, ctx->kernel->name, name);
    return NULL;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void read_digest(Reader *ctx)
{
    const char *seen = arena_print(ctx->kernel->module, "%016llx", (unsigned long long)ctx->kernel->digest);
    if (strcmp(ctx->words[1], seen))
        reject(ctx->kernel, ctx->at, REASON_SCHEDULE_DIGEST, ctx->words[1], ctx->kernel->name, seen);
}

static void read_machine(Reader *ctx)
{
    if (strcmp(ctx->words[1], ctx->kernel->machine->name))
        bad(ctx, ctx->words[1], arena_print(ctx->kernel->module, "the kernel is for %s", ctx->kernel->machine->name));
}

static void read_block(Reader *ctx)
{
    BlockSchedule *block = &ctx->kernel->schedule.block;
    for (int i = 1; i < ctx->nwords && !ctx->kernel->failed; i++) {
        const char *word = ctx->words[i], *value;
        bool choice = false;
        int groups;
        if ((value = value_of(word, "groups"))) {
            if (read_number(ctx, word, value, 1, ctx->kernel->machine->max_threads / MACHINE_GROUP_THREADS - 1,
                            &groups) &&
                groups != block->groups) {
                block->groups = groups;
                ctx->regrouped = true;
            }
        } else if ((value = value_of(word, "split"))) {
            Split split = block->split;
            if (read_choice(ctx, word, value, "tiles", "rows", &choice))
                block->split = choice ? SPLIT_TILES : SPLIT_ROWS;
            ctx->regrouped |= block->split != split;
        } else if ((value = value_of(word, "persistent"))) {
            if (read_choice(ctx, word, value, "yes", "no", &block->persistent) && !block->persistent)
                block->dynamic = false;
        } else if ((value = value_of(word, "dynamic"))) {
            if (read_choice(ctx, word, value, "yes", "no", &choice) && choice && !block->dynamic)
                bad(ctx, word, "the tiles of this kernel cannot be scheduled dynamically");
            block->dynamic = choice;
        } else {
            bad(ctx, word, "'groups', 'split', 'persistent' and 'dynamic' are what is said of a block");
        }
    }
}

static void read_role(Reader *ctx)
{
    static const struct {
        const char *word;
        unsigned may;
    } abilities[] = {{"copies", ROLE_COPIES}, {"computes", ROLE_COMPUTES}, {"stores", ROLE_STORES}};
    unsigned may = 0;
    for (int i = 2; i < ctx->nwords; i++) {
        unsigned one = 0;
        for (int k = 0; k < 3; k++)
            one |= strcmp(ctx->words[i], abilities[k].word) ? 0 : abilities[k].may;
        if (!one) {
            bad(ctx, ctx->words[i], "a role 'copies', 'computes' and 'stores'");
            return;
        }
        may |= one;
    }
    Role *role = role_named(ctx, ctx->words[1], strlen(ctx->words[1]));
    if (!role && may == ROLE_COMPUTES)
        role_new(ctx->kernel, arena_print(ctx->kernel->module, "%s", ctx->words[1]), may, 1);
    else if (!role || role->may != may)
        bad(ctx, ctx->words[1],
            role ? "this role is another one here" : "a role that is added computes, and nothing else");
}

static void read_loop(Reader *ctx)
{
    Op *loop = op_named(ctx, ctx->words[1]);
    LoopSchedule *schedule = loop ? schedule_of_loop(loop) : NULL;
    ctx->loop = schedule ? loop : NULL;
    ctx->interval = 0;
    int number = loop ? ctx->numbers[loop->id] : 0;
    if (loop && !schedule)
        bad(ctx, ctx->words[1], "it is no pipelined loop");
    for (int i = 2; i < ctx->nwords && !ctx->kernel->failed; i++) {
        const char *word = ctx->words[i], *value;
        bool coarse;
        if ((value = value_of(word, "schedule"))) {
            if (read_choice(ctx, word, value, "coarse", "fine", &coarse))
                schedule->kind = coarse ? SCHEDULE_COARSE : SCHEDULE_FINE;
        } else if ((value = value_of(word, "in-flight"))) {
            read_number(ctx, word, value, 1, MOST_FLIGHT, &schedule->in_flight);
        } else if ((value = value_of(word, "pingpong"))) {
            read_choice(ctx, word, value, "yes", "no", &schedule->pingpong);
            ctx->solved[number] |= TURNS_GIVEN;
        } else if ((value = value_of(word, "interval"))) {
            ctx->solved[number] |= read_number(ctx, word, value, 1, MOST_CYCLE, &ctx->interval) ? SOLVED : 0;
        } else {
            bad(ctx, word, "'schedule', 'in-flight', 'pingpong' and 'interval' are what is said of a loop");
        }
    }
}

static void read_release(Reader *ctx, Op *op, const char *value)
{
    Op *behind = NULL;
    if (!strcmp(value, "read"))
        schedule_op(op)->release = 0;
    else if (!strcmp(value, "wait"))
        schedule_op(op)->release = RELEASE_END - 1;
    else if (!strcmp(value, "end"))
        schedule_op(op)->release = RELEASE_END;
    else
        behind = op_named(ctx, value);
    if (behind)
        schedule_op(op)->release = 1;
    ctx->releases[ctx->numbers[op->id]] = behind;
}

static void read_at(Reader *ctx, Op *op, const char *word, const char *value)
{
    int at;
    if (!ctx->interval) {
        bad(ctx, word, "the loop has no 'interval'");
        return;
    }
    if (!read_number(ctx, word, value, 0, MOST_CYCLE, &at))
        return;
    if (at / ctx->interval > SCHEDULE_MOST_STAGE)
        bad(ctx, word,
            arena_print(ctx->kernel->module, "that is stage %d, and there are %d", at / ctx->interval,
                        SCHEDULE_MOST_STAGE + 1));
    schedule_op(op)->stage = at / ctx->interval;
    ctx->places[ctx->numbers[op->id]] = 2 * (at % ctx->interval) + 1;
}

static void read_op_word(Reader *ctx, Op *op, const char *word)
{
    const char *value;
    ScheduleRow *row = schedule_op(op);
    int ignored;
    if ((value = value_of(word, "stage"))) {
        read_number(ctx, word, value, 0, SCHEDULE_MOST_STAGE, &row->stage);
        if (row->stage && !ctx->loop)
            bad(ctx, word, "it is an operation of no pipelined loop's body");
    } else if ((value = value_of(word, "at"))) {
        read_at(ctx, op, word, value);
    } else if ((value = value_of(word, "group"))) {
        read_number(ctx, word, value, 0, MOST_FLIGHT, &ignored);
    } else if ((value = value_of(word, "ring"))) {
        read_number(ctx, word, value, 0, MACHINE_MAX_DEPTH, &row->depth);
        if (!ctx->kernel->failed && row->depth && !row->maker)
            row->maker = ROLE_BIT(role_that(ctx->kernel, op->code == OP_LOAD ? ROLE_COPIES : ROLE_COMPUTES));
    } else if ((value = value_of(word, "release"))) {
        read_release(ctx, op, value);
    } else if ((value = value_of(word, "from"))) {
        row->maker = read_roles(ctx, word, value);
    } else if ((value = value_of(word, "transposed"))) {
        if (read_roles(ctx, word, value) != row->transposer)
            bad(ctx, word, "no file changes who transposes it");
    } else if ((value = value_of(word, "roles"))) {
        row->roles = read_roles(ctx, word, value);
    } else {
        bad(ctx, word, "'stage', 'at', 'ring', 'release', 'from' and 'roles' are what is said of an operation");
    }
}

static void read_op(Reader *ctx)
{
    Op *op = op_named(ctx, ctx->words[1]);
    if (!op)
        return;
    int number = ctx->numbers[op->id];
    if (ctx->lines[number]) {
        bad(ctx, ctx->words[1], arena_print(ctx->kernel->module, "line %d has it already", ctx->lines[number]));
        return;
    }
    if (ctx->loop && op->parent != ctx->loop->blocks[0]) {
        bad(ctx, ctx->words[1], "it is not of this loop's body");
        return;
    }
    ctx->lines[number] = ctx->at.line;
    uint32_t before = schedule_default_roles(ctx->kernel, op);
    bool usual = schedule_of(op)->roles == before, named = false;
    if (ctx->loop) {
        ctx->nplaces += 2;
        ctx->places[number] = ctx->nplaces - 1;
        schedule_op(op)->stage = 0;
    }
    for (int i = 2; i < ctx->nwords && !ctx->kernel->failed; i++) {
        named |= value_of(ctx->words[i], "roles") != NULL;
        read_op_word(ctx, op, ctx->words[i]);
    }
    if (usual && !named && !ctx->kernel->failed)
        schedule_op(op)->roles = schedule_default_roles(ctx->kernel, op);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* The place of an operation that the file does not list: with its first reader in the iteration, and in its stage.  If
   it has no reader, it goes with its operands.  */
typedef struct {
    int place, stage;
    bool found;
} Spot;

static void nearer(Reader *ctx, Spot *spot, const Op *other, bool latest)
{
    int place = ctx->places[ctx->numbers[other->id]], stage = schedule_of(other)->stage;
    if (place == UNPLACED)
        return;
    bool before = stage < spot->stage || (stage == spot->stage && place < spot->place);
    if (!spot->found || before != latest)
        *spot = (Spot){place, stage, true};
}

static void find_needed(Reader *ctx, const Op *op, const Block *body, Spot *spot)
{
    for (int i = 0; i < op->nargs; i++) {
        Op *def = op->args[i]->def ? op_at_block(op->args[i]->def, body) : NULL;
        if (def)
            nearer(ctx, spot, def, true);
    }
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            find_needed(ctx, inner, body, spot);
}

static void place_unlisted(Reader *ctx, Op *op, bool by_readers)
{
    const Block *body = op->parent;
    Spot spot = {0, 0, false};
    for (int r = 0; r < op->nresults && by_readers; r++)
        for (const Use *use = uses_of(&ctx->uses, op->results[r]); use; use = use->next) {
            Op *reader = op_at_block(use->op, body);
            if (reader && reader != op && reader != block_end(body))
                nearer(ctx, &spot, reader, false);
        }
    if (!by_readers)
        find_needed(ctx, op, body, &spot);
    if (!spot.found)
        return;
    ctx->places[ctx->numbers[op->id]] = spot.place + (spot.place % 2 ? by_readers ? -1 : 1 : 0);
    schedule_op(op)->stage = spot.stage;
}

static bool is_listed(const Reader *ctx, const Op *op)
{
    return ctx->lines[ctx->numbers[op->id]] != 0;
}

static bool any_listed(const Reader *ctx, const Block *body)
{
    FOR_OPS (op, body)
        if (is_listed(ctx, op))
            return true;
    return false;
}

static void place_all(Reader *ctx, const Block *body)
{
    const Op *last = block_end(body);
    for (Op *op = last->prev; op; op = op->prev)
        if (!is_listed(ctx, op))
            place_unlisted(ctx, op, true);
    FOR_OPS (op, body)
        if (op != last && ctx->places[ctx->numbers[op->id]] == UNPLACED)
            place_unlisted(ctx, op, false);
}

static int key_of(const Reader *ctx, const Op *op, bool listed)
{
    return listed ? ctx->places[ctx->numbers[op->id]] : schedule_of(op)->order;
}

/* Renumbers the order of all operations.  Those of a block are sorted by their places, or by their order before.  */
static void order_block(Reader *ctx, const Block *block, int *order)
{
    const Op *loop = block->parent, *last = block_end(block);
    bool listed = loop && loop_is_pipelined(loop) && any_listed(ctx, block);
    if (listed) {
        place_all(ctx, block);
        schedule_of_loop(loop)->ordered = true;
    }
    int count = 0;
    FOR_OPS (op, block)
        count++;
    Op **sorted = arena_alloc(ctx->kernel->module, sizeof *sorted * (size_t)(count + 1));
    count = 0;
    FOR_OPS (op, block) {
        int place = count++;
        for (; place > 0 && op != last && key_of(ctx, sorted[place - 1], listed) > key_of(ctx, op, listed); place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = op;
    }
    for (int i = 0; i < count; i++) {
        schedule_op(sorted[i])->order = ++*order;
        for (int k = 0; k < sorted[i]->nblocks; k++)
            order_block(ctx, sorted[i]->blocks[k], order);
    }
}

/* ---- what was chosen, before and after the file ------------------------------------------------------------------ */

static void visit_op(Op *op, void *context)
{
    Reader *ctx = context;
    int number = ctx->numbers[op->id], release = schedule_of(op)->release;
    ctx->ops[number] = op;
    ctx->before[number] = release;
    ctx->releases[number] = release < RELEASE_END - 1 ? schedule_op_at(ctx->kernel, release) : NULL;
    ctx->places[number] = UNPLACED;
}

/* Cycles imply whether stages overlap.  If they do, groups that divide rows take turns, each an equal part of the
   interval after the one before.  In a loop of one stage, the groups keep the chosen turns.  */
static void settle_solved(const Reader *ctx, LoopSchedule *schedule, const Block *body)
{
    const BlockSchedule *block = &ctx->kernel->schedule.block;
    bool staged = false, turns = schedule->pingpong && schedule->kind == SCHEDULE_FINE;
    FOR_OPS (op, body)
        staged |= schedule_of(op)->stage > 0;
    schedule->kind = staged ? SCHEDULE_COARSE : SCHEDULE_FINE;
    schedule->in_flight = staged ? 1 : schedule->in_flight;
    if (block->split == SPLIT_ROWS && !(ctx->solved[ctx->numbers[body->parent->id]] & TURNS_GIVEN))
        schedule->pingpong = (staged || turns) && block->groups > 1;
}

static void visit_settle(Op *op, void *context)
{
    Reader *ctx = context;
    const Op *behind = ctx->releases[ctx->numbers[op->id]];
    LoopSchedule *schedule = schedule_of_loop(op);
    if (behind)
        schedule_op(op)->release = schedule_of(behind)->order;
    if (schedule)
        schedule->depth = 1;
    if (schedule && ctx->solved[ctx->numbers[op->id]] & SOLVED)
        settle_solved(ctx, schedule, op->blocks[0]);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void visit_whole(Op *op, void *context)
{
    (void)context;
    for (int i = 0; i < op->nresults; i++)
        op->results[i]->split = 0;
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            op->blocks[k]->args[i]->split = 0;
}

static void regroup(Reader *ctx)
{
    Kernel *kernel = ctx->kernel;
    const BlockSchedule *block = &kernel->schedule.block;
    Op *why = NULL;
    ir_walk(kernel->body, visit_whole, NULL);
    Role *role = role_that(kernel, ROLE_STORES);
    role->replicas = block->groups;
    if (block->split == SPLIT_TILES && (kernel->grid.parts || !kernel_is_specialized(kernel)))
        reject(kernel, ctx->at, REASON_TILES_UNSUPPORTED);
    else if (block->split == SPLIT_ROWS && block->groups > 1 && !split_rows(kernel, role, block->groups, &why))
        reject(kernel, why->loc, REASON_SPLIT_ROWS, block->groups);
    else
        choose_task_rows(kernel);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool is_kernel(const Module *module, const char *name)
{
    for (const Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        if (!strcmp(kernel->name, name))
            return true;
    return false;
}

static const char *name_in_files(const Kernel *kernel)
{
    return kernel->scheduled.of ? kernel->scheduled.of : kernel->name;
}

/* True if the following lines are for this kernel.  A name of no kernel of the unit is reported once.  */
static bool begins(Reader *ctx)
{
    const char *name = ctx->words[1];
    if (!is_kernel(ctx->kernel->module, name) && ctx->kernel == ctx->kernel->module->kernels)
        reject(ctx->kernel, ctx->at, REASON_SCHEDULE_KERNEL, name);
    return !strcmp(name, name_in_files(ctx->kernel));
}

static void read_statement(Reader *ctx)
{
    static const struct {
        const char *word;
        void (*read)(Reader *ctx);
    } statements[] = {{"digest", read_digest}, {"machine", read_machine}, {"block", read_block},
                      {"role", read_role},     {"loop", read_loop},       {"op", read_op}};
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (!strcmp(statements[i].word, ctx->words[0]) && ctx->nwords > 1) {
            statements[i].read(ctx);
            return;
        }
    bad(ctx, ctx->words[0],
        "lines begin with 'schedule', 'digest', 'machine', 'block', 'role', 'loop' or 'op' and a name");
}

static bool read_lines(Reader *ctx, char *text)
{
    bool mine = false, any = false, begun = false;
    for (char *line = text, *next; line && !ctx->kernel->failed; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        ctx->at.line++;
        split_words(ctx, line);
        if (!ctx->nwords || ctx->kernel->failed)
            continue;
        if (!strcmp(ctx->words[0], "schedule") && ctx->nwords == 2) {
            mine = begins(ctx);
            any |= mine;
            begun = true;
            ctx->loop = NULL;
        } else if (mine || !begun) {
            read_statement(ctx);
        }
    }
    return any;
}

static void read_schedule(Kernel *kernel, const char *name, const char *text)
{
    size_t room = (size_t)kernel->nops + 2;
    Reader ctx = {.kernel = kernel, .uses = uses_new(kernel, kernel->body), .numbers = schedule_numbers(kernel)};
    ctx.at = (Loc){name, 0, 1, 0};
    ctx.nops = kernel->nops;
    ctx.ops = arena_alloc(kernel->module, sizeof(Op *) * room);
    ctx.releases = arena_alloc(kernel->module, sizeof(Op *) * room);
    ctx.lines = arena_alloc(kernel->module, sizeof(int) * room);
    ctx.places = arena_alloc(kernel->module, sizeof(int) * room);
    ctx.solved = arena_alloc(kernel->module, sizeof(char) * room);
    ctx.before = arena_alloc(kernel->module, sizeof(int) * room);
    ir_walk(kernel->body, visit_op, &ctx);
    bool any = read_lines(&ctx, arena_print(kernel->module, "%s", text));
    if (!any || kernel->failed)
        return;
    kernel->scheduled_by = name;
    int order = 0;
    order_block(&ctx, kernel->body, &order);
    ir_walk(kernel->body, visit_settle, &ctx);
    if (ctx.regrouped)
        regroup(&ctx);
    if (!kernel->failed)
        reader_check(&ctx);
    if (!kernel->failed)
        remark(kernel, DIAG_OPTIMIZED, kernel->loc, "scheduled by %s", name);
}

static void visit_optimal(Op *op, void *context)
{
    bool *found = context;
    *found |= schedule_of_loop(op) && pipeline_of(op)->schedule == SCHEDULE_OPTIMAL;
}

/* Reads the solved schedule of this build or of an earlier one.  */
static void read_solved(Kernel *kernel)
{
    const Module *module = kernel->module;
    const char *path =
        arena_print(kernel->module, "%s/%s-%016llx.schedule", module->schedule_folder ? module->schedule_folder : ".",
                    kernel->name, (unsigned long long)kernel->digest);
    if (module->schedule_folder)
        schedule_kept(kernel, path);
    if (!kernel->scheduled.texts[0] && module->solver)
        schedule_solve(kernel, path);
    else if (!kernel->scheduled.texts[0])
        remark(kernel, DIAG_MISSED, kernel->loc,
               "schedule(optimal): the default schedule is used, since neither wsc-solve nor %s exists", path);
    const char *text = kernel->scheduled.texts[0];
    if (!text)
        return;
    kernel->schedule_notes = text;
    read_schedule(kernel, path, text);
}

static bool is_same_schedule(const Kernel *x, const Kernel *y)
{
    return is_variant_of(x, y) && x->digest == y->digest && x->scheduled.digest == y->scheduled.digest && !x->failed;
}

void schedule_tell_apart(Kernel *kernel)
{
    if (!kernel->scheduled.varies || kernel->failed)
        return;
    kernel->scheduled.digest = schedule_digest_of_text(schedule_text(kernel));
    for (Kernel *other = kernel->module->kernels; other && other != kernel && !kernel->failed; other = other->next)
        if (is_same_schedule(other, kernel))
            reject(kernel, kernel->loc, REASON_SCHEDULE_SAME, variant_label(other));
}

void pass_schedule(Kernel *kernel)
{
    bool optimal = false;
    ir_walk(kernel->body, visit_optimal, &optimal);
    if (kernel->module->schedule)
        read_schedule(kernel, kernel->module->schedule_name, kernel->module->schedule);
    else if (kernel->scheduled.text)
        read_schedule(kernel, arena_print(kernel->module, "schedule %s", variant_label(kernel)),
                      kernel->scheduled.text);
    else if (optimal && !kernel->default_schedule && kernel->module->target != TARGET_SEQUENTIAL)
        read_solved(kernel);
    schedule_tell_apart(kernel);
}
