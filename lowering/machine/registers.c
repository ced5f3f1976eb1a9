/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * registers.c - the threads of a kernel, and the registers of each role.
 *
 *   roles producer x 1, consumer x 2           384 threads, 24 and 240 registers
 *   producer x 1, score x 2, sum x 1           512 threads: 40, 88 and 240; score's tiles take 48 and sum's 128
 *
 * The groups that multiply and store get the registers that other roles leave.  If several roles multiply, each gets
 * the registers of its tiles at the worst point (pressure.c) and a constant for addresses.  The rest is dealt out in
 * steps of eight.
 */
#include "ir/queries.h"
#include "ir/slice.h"
#include "machine/plan.h"
#include "roles/programs.h"
#include "target/budget.h"
#include "target/machine.h"

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* ---- threads and registers --------------------------------------------------------------------------------------- */

/* True for the role that stores the results of products.  It gets the registers that other roles do not need.  */
static bool is_busy(const Kernel *kernel, const Role *role)
{
    return role_holds_tiles(role) && role == role_that(kernel, ROLE_STORES);
}

static int busy_groups(const Kernel *kernel)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        groups += is_busy(kernel, role) ? role->replicas : 0;
    return groups;
}

static void visit_copies(Op *op, void *context)
{
    int *work = context;
    bool divides = op->code == OP_SCALAR_DIV || op->code == OP_SCALAR_REM;
    *work += op->code == OP_PUT || op->code == OP_COPY_IN || op_info[op->code].class_ == CLASS_READ || divides;
}

/* True if the role has more rings, copies, scalar reads or divisions than a plain product has.  It then needs the
   larger number of registers.  */
static bool has_much_to_issue(const Role *role)
{
    int work = 0;
    ir_walk(role->body, visit_copies, &work);
    return work > 3;
}

typedef struct {
    Layout layout;
    int registers;
} Carrier;

static void visit_carried(Op *op, void *context)
{
    Carrier *most = context;
    int registers = 0;
    if (op->code != OP_FOR)
        return;
    for (int i = 0; i < carried_count(op); i++) {
        const Value *value = carried(op, i).argument;
        registers += value_is_tile(value) ? machine_tile_registers(value->type, most->layout) : 0;
    }
    most->registers = registers > most->registers ? registers : most->registers;
}

/* True if the tiles that a loop carries, accumulators above all, leave few registers.  */
static bool carries_much(const Costs *costs, const Role *role)
{
    Carrier most = {role->layout, 0};
    ir_walk(role->body, visit_carried, &most);
    return most.registers > costs->easy_registers;
}

/* The registers that all roles may request, as registers of a thread times groups.  The sum must not exceed what the
   launch gave, or the last setmaxnreg would never return.  */
static int register_pool(const Kernel *kernel)
{
    return kernel_groups(kernel) * machine_launch_registers(kernel->machine, kernel->threads);
}

static void visit_rings(Op *op, void *context)
{
    int *rings = context;
    *rings += op->code == OP_PUT || op->code == OP_GET;
}

/* The registers of a role that only moves tiles between rings.  With slot and phase of several rings, the fewest
   registers spill.  */
static int moving_registers(const Machine *machine, const Role *role)
{
    int rings = 0;
    ir_walk(role->body, visit_rings, &rings);
    return rings > 2 ? machine->fewest_role_registers + 8 : machine->fewest_role_registers;
}

/* True for a tile that is computed from another one by elements and put at once.  It is processed piece by piece.  */
static bool is_made_in_passing(const Op *op)
{
    if (!op_is_elementwise(op) || op->nargs != 1 || !type_equal(op->args[0]->type, op->results[0]->type))
        return false;
    for (const Op *after = op->next; after; after = after->next)
        if (uses_value(after, op->results[0]) && after->code != OP_PUT_TILE)
            return false;
    return true;
}

typedef struct {
    Carrier carrier;
    int passing; /* registers of a tile that is made in passing */
} Held;

static void visit_held(Op *op, void *context)
{
    Held *held = context;
    const Layout layout = held->carrier.layout;
    for (int i = 0; i < op->nresults; i++)
        held->carrier.registers += is_made_in_passing(op) ? held->passing
                                   : value_is_tile(op->results[i])
                                       ? machine_tile_registers(op->results[i]->type, layout)
                                       : 0;
}

/* The registers of a role that computes for others: those of all its tiles at once, and of addresses.  */
static int preparing_registers(const Costs *costs, const Role *role)
{
    const int fewest = costs->fewest_preparing_registers, most = costs->most_preparing_registers;
    Held held = {{role->layout, costs->beside_prepared_registers}, costs->passing_registers};
    ir_walk(role->body, visit_held, &held);
    int registers = (int)round_up(held.carrier.registers, 8);
    return registers < fewest ? fewest : registers < most ? registers : most;
}

/* The registers of a role that does not get the rest.  */
static int own_registers(const Machine *machine, const Role *role, int issuing)
{
    return role->registers          ? role->registers
           : role_issues_only(role) ? issuing
           : role_holds_tiles(role) ? preparing_registers(machine->costs, role)
                                    : moving_registers(machine, role);
}

/* True if the role gets the registers that others leave.  */
static bool is_open(const Kernel *kernel, const Role *role)
{
    return is_busy(kernel, role) && !role->registers;
}

static const Task *first_with_registers(const Kernel *kernel)
{
    const Task *task = kernel->tasks;
    while (task && !task->registers)
        task = task->next;
    return task;
}

/* Reports the first task that states its registers; if none does, the roles.  */
static void refuse_registers(Kernel *kernel)
{
    const Task *task = first_with_registers(kernel), *place = task ? task : kernel->tasks;
    const char *sum = NULL;
    int total = 0;
    FOR_ROLES (role, kernel) {
        total += role->replicas * MACHINE_GROUP_THREADS * role->registers;
        sum = arena_print(kernel->module, "%s%s%s %d x %d x %d", sum ? sum : "", sum ? ", " : "", role->name,
                          role->replicas, MACHINE_GROUP_THREADS, role->registers);
    }
    reject(kernel, place ? place->loc : kernel->loc, task ? REASON_TASK_REGISTERS : REASON_ROLE_REGISTERS, total,
           register_pool(kernel) * MACHINE_GROUP_THREADS, sum);
}

/* True if more than one role multiplies.  */
static bool several_multiply(const Kernel *kernel)
{
    int count = 0;
    FOR_ROLES (role, kernel)
        count += role_has_op(role, OP_MMA, NULL);
    return count > 1;
}

/* The registers of a role that only copies.  */
static int issuing_registers(const Costs *costs, int busy, bool much)
{
    return busy > 2 ? costs->few_issuing_registers : much ? costs->much_issuing_registers : costs->issuing_registers;
}

static void default_registers(Kernel *kernel)
{
    const Machine *machine = kernel->machine;
    if (several_multiply(kernel))
        return; /* plan_role_registers decides, when live ranges are known */
    int busy = busy_groups(kernel), idle = kernel_groups(kernel) - busy;
    bool more = false, full = false, asked = false;
    FOR_ROLES (role, kernel)
        asked |= role->registers > 0;
    if ((busy < 2 && !asked) || !idle)
        return;
    FOR_ROLES (role, kernel) {
        more |= role_issues_only(role) && has_much_to_issue(role);
        full |= carries_much(machine->costs, role);
    }
    int left = register_pool(kernel), issuing = issuing_registers(machine->costs, busy, more && !full);
    FOR_ROLES (role, kernel)
        left -= is_open(kernel, role) ? 0 : role->replicas * own_registers(machine, role, issuing);
    int open = 0;
    FOR_ROLES (role, kernel)
        open += is_open(kernel, role) ? role->replicas : 0;
    int computing = open ? left / open / 8 * 8 : 0;
    if ((asked || kernel->tasks) && (left < 0 || (open && computing < machine->fewest_role_registers))) {
        FOR_ROLES (role, kernel)
            role->registers =
                is_open(kernel, role) ? machine->fewest_role_registers : own_registers(machine, role, issuing);
        refuse_registers(kernel);
        return;
    }
    FOR_ROLES (role, kernel)
        role->registers = !is_open(kernel, role)                     ? own_registers(machine, role, issuing)
                          : computing > machine->most_role_registers ? machine->most_role_registers
                                                                     : computing;
}

static void clause_registers(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    const char *sum = NULL;
    int total = 0;
    FOR_ROLES (role, kernel) {
        if (!role->registers)
            role->registers = role_holds_tiles(role) ? grid->consumer_registers : grid->producer_registers;
        total += role->replicas * MACHINE_GROUP_THREADS * role->registers;
        sum = arena_print(kernel->module, "%s%s%s %d x %d x %d", sum ? sum : "", sum ? ", " : "", role->name,
                          role->replicas, MACHINE_GROUP_THREADS, role->registers);
    }
    int pool = register_pool(kernel) * MACHINE_GROUP_THREADS;
    if (total > pool)
        reject(kernel, grid->loc, REASON_REGISTER_BUDGET, total, pool, sum);
}

/* True if the clause registers(producer, consumer) can be applied.  */
static bool check_register_clause(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    if (!budget_registers_clause(kernel))
        return false;
    if (!kernel_is_specialized(kernel)) {
        reject(kernel, grid->loc, REASON_REGISTERS_NO_ROLES);
        return false;
    }
    return true;
}

/* Without setmaxnreg every thread keeps what the launch gives it.  A wish for registers has no effect.  */
static void keep_registers(Kernel *kernel)
{
    const Task *task = first_with_registers(kernel);
    const bool clause = kernel->grid.producer_registers || kernel->grid.consumer_registers;
    FOR_ROLES (role, kernel)
        role->registers = 0;
    if (clause ? check_register_clause(kernel) : task != NULL)
        remark(kernel, DIAG_MISSED, clause ? kernel->grid.loc : task->loc,
               "roles keep the %d registers of each thread, since %s has no setmaxnreg",
               machine_thread_registers(kernel->machine, kernel->threads), kernel->machine->name);
}

void plan_threads(Kernel *kernel)
{
    bool clause = kernel->grid.producer_registers || kernel->grid.consumer_registers;
    kernel->threads = kernel_groups(kernel) * MACHINE_GROUP_THREADS;
    kernel->min_blocks = 1;
    if (kernel->threads > kernel->machine->max_threads)
        reject(kernel, kernel->grid.loc, REASON_THREADS, kernel->threads, kernel->machine->max_threads);
    else if (!kernel->machine->setmaxnreg)
        keep_registers(kernel);
    else if (clause && check_register_clause(kernel))
        clause_registers(kernel);
    else if (!clause && kernel_is_specialized(kernel))
        default_registers(kernel);
}

/* ---- where several roles multiply -------------------------------------------------------------------------------- */

/* For each role: the registers that the user gives, the least number, and whether it gets a part of the rest.  */
typedef struct {
    int said, least;
    bool dealt;
} Share;

/* Gives each role its least registers, with `beside` for roles that multiply, and returns their sum over groups.  */
static int least_of_all(Kernel *kernel, Share *shares, int issuing, int beside)
{
    const Machine *machine = kernel->machine;
    Share *share = shares;
    int all = 0;
    FOR_ROLES (role, kernel) {
        role->registers = share->said;
        if (share->dealt) {
            const int tiles = plan_pressure(kernel, role, machine->thread_registers).registers;
            const int registers = (int)round_up(tiles + beside, 8);
            role->registers = registers > machine->most_role_registers     ? machine->most_role_registers
                              : registers < machine->fewest_role_registers ? machine->fewest_role_registers
                                                                           : registers;
        } else {
            role->registers = own_registers(machine, role, issuing);
        }
        share++->least = role->registers;
        all += role->replicas * role->registers;
    }
    return all;
}

/* Deals out the rest, in steps of eight for each thread, to the role that has got least so far.  */
static void deal_out(Kernel *kernel, const Share *shares, int left)
{
    for (;;) {
        const Share *share = shares;
        Role *next = NULL;
        int fewest = kernel->machine->thread_registers;
        FOR_ROLES (role, kernel) {
            const int given = role->registers - share->least;
            const bool more = 8 * role->replicas <= left && role->registers + 8 <= kernel->machine->most_role_registers;
            if (share++->dealt && more && given < fewest) {
                next = role;
                fewest = given;
            }
        }
        if (!next)
            return;
        next->registers += 8;
        left -= 8 * next->replicas;
    }
}

/* The pass follows plan_variables, so that live ranges are known.  */
void plan_role_registers(Kernel *kernel)
{
    const bool clause = kernel->grid.producer_registers || kernel->grid.consumer_registers;
    if (clause || !kernel->machine->setmaxnreg || !kernel_is_specialized(kernel) || !several_multiply(kernel))
        return;
    int count = 0, much = 0;
    FOR_ROLES (role, kernel) {
        count++;
        much |= role_issues_only(role) && has_much_to_issue(role);
    }
    Share *shares = arena_alloc(kernel->module, (size_t)count * sizeof *shares), *share = shares;
    FOR_ROLES (role, kernel)
        *share++ = (Share){.said = role->registers, .dealt = role_has_op(role, OP_MMA, NULL) && !role->registers};
    const Machine *machine = kernel->machine;
    const Costs *costs = machine->costs;
    const int pool = register_pool(kernel), issuing = issuing_registers(costs, busy_groups(kernel), much);
    int least = least_of_all(kernel, shares, issuing, costs->beside_product_registers);
    if (least > pool)
        least = least_of_all(kernel, shares, machine->fewest_role_registers, costs->few_beside_product_registers);
    if (least > pool)
        refuse_registers(kernel);
    else
        deal_out(kernel, shares, pool - least);
}
