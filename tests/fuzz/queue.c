/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue.c - tasks with queues of tiles between them: a loop that loads and puts, one that gets and multiplies, and
 * sometimes one between them that computes an operand.
 *
 * The loops count alike, and nothing stands between them, so that the compiler may let them run together.
 */
#include "fuzz.h"

typedef struct {
    char *name, *slots;
} Queue;

static Queue queue_new(Gen *g)
{
    Queue queue = {fresh(g, "r"), extent(g, (g->flight ? g->flight : 1) + pick(3))};
    line(g, "ws_ring %s = ws_ring_new(%s);", queue.name, queue.slots);
    return queue;
}

/* A block around a loop, which may be a task.  */
static void task_begin(Gen *g, bool task, const char *groups)
{
    line(g, "{");
    g->indent++;
    if (task)
        pragma_line(g, text("task(%s)%s", fresh(g, "t"), groups));
}

static void task_end(Gen *g)
{
    g->indent--;
    line(g, "}");
}

/* A loop of the tasks, which puts what it loads.  */
static void put_loop(Gen *g, Range *range, const Queue *into, int count, char *const values[])
{
    line(g, "%s {", range->header);
    g->indent++;
    if (range->first)
        line(g, "%s", range->first);
    if (count == 2 && into[0].name == into[1].name)
        line(g, "ws_put(%s, %s, %s);", into[0].name, values[0], values[1]);
    else
        for (int i = 0; i < count; i++)
            line(g, "ws_put(%s, %s);", into[i].name, values[i]);
    g->indent--;
    line(g, "}");
}

/* The text of a load whose place may depend on the loop's variable.  */
static char *loaded_in(Gen *g, const Range *range, Shape shape)
{
    int nscalars = g->nscalars;
    g->level++;
    g->work *= range->trips ? range->trips : 1;
    scalar_new(g, range->variable, S_LOOP, range->most, range->step);
    char *load = load_text(g, shape, true);
    g->work /= range->trips ? range->trips : 1;
    g->nscalars = nscalars;
    g->level--;
    return load;
}

void queue_statement(Gen *g)
{
    int inner = g->inner[pick(g->ninner)];
    Dtype type = chance(60) ? F16 : chance(70) ? BF16 : F32;
    bool computed = type != F32 && chance(40);
    Shape acc = {F32, g->m, g->n}, left = {type, g->m, inner},
          right = {computed && chance(50) ? I8 : type, g->n, inner};
    if (g->slots || g->level || g->parts || g->pingpong || g->nloops > 2 || g->ntasks || inner % 16 || g->m % 64 ||
        g->n % 8 || !affordable(g, acc) || !can_load(g, left) || !can_load(g, right))
        return;
    g->nloops += 2;
    g->ntasks += 2;
    int sum = tile_new(g, acc, text("ws_zeros(WS_F32, %d, %d)", g->m, g->n), 1e4, true);
    g->slots_wanted = true;
    Range range = some_range(g);
    char *clause = pipeline_clause(g);
    int slots = g->slots;
    g->slots = 0;
    Queue queues[2] = {queue_new(g)}, made = {0};
    queues[1] = computed || chance(40) ? queue_new(g) : queues[0];
    if (computed)
        made = queue_new(g);
    char *values[] = {loaded_in(g, &range, left), loaded_in(g, &range, right)};
    task_begin(g, chance(80), "");
    put_loop(g, &range, queues, 2, values);
    task_end(g);
    char *x = fresh(g, "v"), *y = fresh(g, "v");
    if (computed) {
        char *raw = fresh(g, "v"), *value = text("ws_cast(%s, WS_F32)", raw);
        task_begin(g, chance(90), right.rows % 16 == 0 && chance(30) ? " groups(2)" : "");
        line(g, "%s {", range.header);
        g->indent++;
        line(g, "ws_tile %s;", raw);
        line(g, "ws_get(%s, &%s);", queues[1].name, raw);
        line(g, "ws_put(%s, ws_cast(ws_mul(%s, 0.5f), WS_%s));", made.name, value, dtype_name[type]);
        g->indent--;
        line(g, "}");
        task_end(g);
        queues[1] = made;
    }
    int ntiles = g->ntiles, nscalars = g->nscalars;
    task_begin(g, chance(80), "");
    Outside around = body_begin(g, &range);
    line(g, "ws_tile %s, %s;", x, y);
    if (queues[0].name == queues[1].name) {
        line(g, "ws_get(%s, &%s, &%s);", queues[0].name, x, y);
    } else {
        bool later = chance(50);
        line(g, "ws_get(%s, &%s);", queues[later].name, later ? y : x);
        line(g, "ws_get(%s, &%s);", queues[!later].name, later ? x : y);
    }
    const char *name = g->tiles[sum].name;
    line(g, "%s = ws_dot(%s, ws_trans(%s), %s);", name, x, y, name);
    g->slots = slots;
    if (chance(30))
        block(g, 0, 2);
    g->spent += g->work * g->m * g->n * inner / 8;
    g->product_divisor = common_divisor((g->m + 63) / 64, g->product_divisor);
    note_rows(g, acc);
    leave(g, ntiles, nscalars);
    loop_line(g, clause, &range, body_end(g, &around));
    task_end(g);
}
