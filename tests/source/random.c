/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random.c - random functions of the region IR, run before and after passes.
 *
 *   random COUNT SEED [PASS,PASS,...] [-v]        prints the function whose results differ; status 1
 *
 * A function has loops that end by break, continue, return and goto, do-while loops, switches, small arrays, a struct
 * copied by move, a union, walking pointers, and calls of two small functions. Its arguments are random. Runs with
 * undefined behaviour do not count, and a third of all runs must count.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draw.h"
#include "interpret.h"
#include "source/passes.h"

enum { WORDS = 32, INTS = 6, FLOATS = 3, RUNS = 6, LABELS = 3 };

static void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)kind;
    fprintf(stderr, "%s:%d:%d: %s\n", loc.file ? loc.file : "", loc.line, loc.column, message);
}

/* ---- one function ------------------------------------------------------------------------------------------------ */

typedef struct {
    SourceBuilder b;
    SourceVariable *memory, *ints[INTS], *floats[FLOATS], *fuel, *walker;
    SourceObject *array, *pair, *other, *mixed;
    SourceBlock *breaks[8], *continues[8], *labels[LABELS], *out;
    SourceVariable *counters[8]; /* not to be assigned */
    int depth, left, line;
} Maker;

static Operand of(SourceVariable *variable)
{
    return source_of(variable);
}

static void enter(Maker *m, SourceBlock *block)
{
    if (m->b.block)
        source_jump(&m->b, block);
    source_place(m->b.function, block);
    m->b.block = block;
}

static Operand integer(Maker *m, int depth);

static Operand element(Maker *m, Operand base, Operand index, int elements)
{
    Operand x = source_binary(&m->b, SO_AND, ST_I32, index, source_integer(elements - 1));
    x = source_convert(&m->b, ST_I32, ST_I64, x);
    x = source_binary(&m->b, SO_MUL, below(2) ? ST_U64 : ST_I64, x, source_integer(4));
    return source_binary(&m->b, SO_ADD, ST_P, base, x);
}

static Operand object_at(Maker *m, SourceObject *object, long offset)
{
    const Operand base = source_address(&m->b, object);
    return offset || below(4) == 0 ? source_binary(&m->b, SO_ADD, ST_P, base, source_integer(offset)) : base;
}

static Operand any_int(Maker *m)
{
    return m->depth && below(3) == 0 && m->counters[below(m->depth)]
               ? of(m->counters[m->depth - 1] ? m->counters[m->depth - 1] : m->ints[0])
               : of(m->ints[below(INTS)]);
}

static Operand as_unsigned(Maker *m, Operand x)
{
    return x.kind == OPERAND_INTEGER ? source_integer((uint32_t)x.integer) : source_convert(&m->b, ST_I32, ST_U32, x);
}

static Operand truth(Maker *m, int depth)
{
    static const SourceOpcode codes[] = {SO_EQ, SO_NE, SO_LT, SO_LE, SO_GT, SO_GE};
    if (depth && below(4) == 0)
        return source_binary(&m->b, below(2) ? SO_AND : SO_OR, ST_B, truth(m, depth - 1), truth(m, depth - 1));
    if (below(6) == 0)
        return source_binary(&m->b, codes[below(6)], ST_F32, of(m->floats[below(FLOATS)]),
                             below(2) ? of(m->floats[below(FLOATS)]) : source_number(below(5) - 2));
    const SourceType type = below(5) ? ST_I32 : ST_U32;
    Operand x = integer(m, depth),
            y = below(2) ? source_integer(below(9) - (type == ST_I32 ? 3 : 0)) : integer(m, depth);
    x = type == ST_U32 ? as_unsigned(m, x) : x;
    y = type == ST_U32 ? as_unsigned(m, y) : y;
    return source_binary(&m->b, codes[below(6)], type, x, y);
}

static Operand integer(Maker *m, int depth)
{
    if (!depth || below(5) == 0)
        return below(4) ? any_int(m) : source_integer(below(12) - 4);
    const Operand x = integer(m, depth - 1);
    Operand y;
    switch (below(16)) {
    case 0:
    case 1:
        return source_binary(&m->b, SO_ADD, ST_I32, x, integer(m, depth - 1));
    case 2:
        return source_binary(&m->b, SO_SUB, ST_I32, x, integer(m, depth - 1));
    case 3:
        return source_binary(&m->b, SO_MUL, ST_I32, x, source_integer(below(7) - 2));
    case 4:
        return source_binary(&m->b, below(2) ? SO_AND : SO_XOR, ST_I32, x, integer(m, depth - 1));
    case 5:
        return source_binary(&m->b, below(2) ? SO_DIV : SO_REM, ST_I32, x, source_integer(1 << below(4)));
    case 6:
        return source_binary(&m->b, below(2) ? SO_MIN : SO_MAX, ST_I32, x, integer(m, depth - 1));
    case 7:
        return source_load(&m->b, ST_I32, element(m, of(m->memory), x, WORDS), false);
    case 8:
        return source_load(&m->b, ST_I32, element(m, source_address(&m->b, m->array), x, 4), false);
    case 9:
        return source_load(&m->b, ST_I32, object_at(m, below(2) ? m->pair : m->other, 4 * below(2)), false);
    case 10:
        y = source_load(&m->b, ST_U8, object_at(m, m->mixed, below(8)), false);
        return source_convert(&m->b, ST_U8, ST_I32, y);
    case 11:
        y = source_convert(&m->b, ST_I32, below(2) ? ST_U8 : ST_I16, x);
        return source_convert(&m->b, m->b.block ? m->b.block->last->type : ST_U8, ST_I32, y);
    case 12: {
        const SourceArgument arguments[] = {{.type = ST_I32, .operand = x},
                                            {.type = ST_I32, .operand = integer(m, depth - 1)}};
        return source_call(&m->b, ST_I32, below(2) ? "nearest" : "summed", (Operand){0}, 2, arguments);
    }
    case 13:
        return source_load(&m->b, ST_I32, of(m->walker), false);
    case 14:
        y = as_unsigned(m, x);
        y = source_binary(&m->b, below(2) ? SO_ADD : SO_MUL, ST_U32, y, source_integer(below(100)));
        return source_convert(&m->b, ST_U32, ST_I32, y);
    default:
        return source_convert(&m->b, ST_B, ST_I32, truth(m, depth - 1));
    }
}

static Operand real(Maker *m, int depth)
{
    static const SourceOpcode codes[] = {SO_ADD, SO_SUB, SO_MUL};
    if (!depth || below(4) == 0)
        return below(3) ? of(m->floats[below(FLOATS)]) : source_number(below(9) * 0.5 - 2);
    if (below(4) == 0)
        return source_convert(&m->b, ST_I32, ST_F32,
                              source_binary(&m->b, SO_REM, ST_I32, integer(m, 1), source_integer(9)));
    if (below(5) == 0)
        return source_load(&m->b, ST_F32, object_at(m, m->mixed, 0), false);
    return source_binary(&m->b, codes[below(3)], ST_F32, real(m, depth - 1), real(m, depth - 1));
}

static void statements(Maker *m, int count);

/* Each way back takes one of the fuel, so that the function ends.  */
static void burn(Maker *m)
{
    SourceBlock *go_on = source_block_new(m->b.function);
    source_copy(&m->b, m->fuel, source_binary(&m->b, SO_SUB, ST_I32, of(m->fuel), source_integer(1)));
    source_branch(&m->b, source_binary(&m->b, SO_GT, ST_I32, of(m->fuel), source_integer(0)), go_on, m->out);
    enter(m, go_on);
}

static void loop(Maker *m)
{
    if (m->depth == 4 || !m->b.block)
        return;
    SourceFunction *f = m->b.function;
    SourceBlock *head = source_block_new(f), *body = source_block_new(f), *next = source_block_new(f),
                *exit = source_block_new(f);
    const int kind = below(4); /* 0, 1: for; 2: while; 3: do-while */
    SourceVariable *counter = NULL;
    if (kind < 2) {
        counter = source_variable(f, ST_I32, (Declaration){.name = "i"});
        source_copy(&m->b, counter, source_integer(below(3)));
    }
    enter(m, kind == 3 ? body : head);
    const int step = 1 + below(3), bound = below(8);
    if (kind < 2) {
        source_branch(
            &m->b, source_binary(&m->b, SO_LT, ST_I32, of(counter), below(3) ? source_integer(bound) : of(m->ints[0])),
            body, exit);
        if (below(2) == 0) { /* ints[0] could be large */
            enter(m, body);
            burn(m);
            body = NULL;
        }
    } else if (kind == 2) {
        source_branch(&m->b, truth(m, 1), body, exit);
        enter(m, body);
        burn(m);
        body = NULL;
    }
    if (body && kind != 3)
        enter(m, body);
    m->breaks[m->depth] = exit;
    m->continues[m->depth] = next;
    m->counters[m->depth] = counter;
    m->depth++;
    statements(m, 1 + below(4));
    m->depth--;
    enter(m, next);
    if (kind < 2) {
        source_copy(&m->b, counter, source_binary(&m->b, SO_ADD, ST_I32, of(counter), source_integer(step)));
        burn(m);
        source_jump(&m->b, head);
    } else if (kind == 2) {
        source_jump(&m->b, head);
    } else {
        burn(m);
        source_branch(&m->b, truth(m, 1), body, exit);
    }
    enter(m, exit);
    if (counter && below(2))
        source_copy(&m->b, m->ints[below(INTS)], of(counter));
}

static void choice(Maker *m)
{
    SourceFunction *f = m->b.function;
    SourceBlock *arms[3], *join = source_block_new(f);
    for (int i = 0; i < 3; i++)
        arms[i] = source_block_new(f);
    const SourceCase cases[] = {{below(3), 3, arms[0]}, {4, 4, arms[1]}};
    source_switch(&m->b, ST_I32, integer(m, 1), 2, cases, below(2) ? arms[2] : join);
    for (int i = 0; i < 3; i++) {
        source_place(f, arms[i]);
        m->b.block = arms[i];
        statements(m, 1 + below(2));
        if (below(3) && m->b.block)
            source_jump(&m->b, join);
        else if (i < 2 && m->b.block)
            source_jump(&m->b, arms[i + 1]);
    }
    enter(m, join);
}

static void condition(Maker *m)
{
    SourceFunction *f = m->b.function;
    SourceBlock *yes = source_block_new(f), *no = source_block_new(f), *join = source_block_new(f);
    const bool has_no = below(2);
    if (below(3) == 0) { /* && */
        SourceBlock *second = source_block_new(f);
        source_branch(&m->b, truth(m, 1), second, has_no ? no : join);
        enter(m, second);
    }
    source_branch(&m->b, truth(m, 1), yes, has_no ? no : join);
    source_place(f, yes);
    m->b.block = yes;
    statements(m, 1 + below(2));
    if (m->b.block)
        source_jump(&m->b, join);
    if (has_no) {
        source_place(f, no);
        m->b.block = no;
        statements(m, 1 + below(2));
    }
    enter(m, join);
}

static void statement(Maker *m)
{
    m->b.loc.line = ++m->line;
    switch (below(20)) {
    case 0:
    case 1:
    case 2:
        loop(m);
        break;
    case 3:
    case 4:
    case 5:
        condition(m);
        break;
    case 6:
        choice(m);
        break;
    case 7: /* an early end */
        if (below(3)) {
            SourceBlock *leave = source_block_new(m->b.function), *stay = source_block_new(m->b.function);
            source_branch(&m->b, truth(m, 1), leave, stay);
            enter(m, leave);
            switch (below(4)) {
            case 0:
                source_return(&m->b, any_int(m));
                break;
            case 1:
                source_jump(&m->b, m->labels[below(LABELS)]);
                break;
            default:
                if (m->depth)
                    source_jump(&m->b, below(2) ? m->breaks[m->depth - 1] : m->continues[below(2) ? 0 : m->depth - 1]);
                break;
            }
            enter(m, stay);
        }
        break;
    case 8:
    case 9:
        source_store(&m->b, ST_I32, element(m, of(m->memory), integer(m, 1), WORDS), integer(m, 2), false);
        break;
    case 10:
        source_store(
            &m->b, ST_I32,
            element(m, source_address(&m->b, m->array), below(2) ? source_integer(below(4)) : integer(m, 1), 4),
            integer(m, 2), false);
        break;
    case 11:
        source_store(&m->b, ST_I32, object_at(m, below(2) ? m->pair : m->other, 4 * below(2)), integer(m, 2), false);
        break;
    case 12:
        source_move(&m->b, object_at(m, below(2) ? m->pair : m->other, 0),
                    object_at(m, below(2) ? m->pair : m->other, 0), 8);
        break;
    case 13:
        if (below(2))
            source_store(&m->b, ST_F32, object_at(m, m->mixed, 4 * below(2)), real(m, 2), false);
        else
            source_store(&m->b, ST_U16, object_at(m, m->mixed, 2 * below(4)),
                         source_convert(&m->b, ST_I32, ST_U16, any_int(m)), false);
        break;
    case 14: {
        const Operand index = source_binary(&m->b, SO_AND, ST_I32, integer(m, 1), source_integer(7));
        const Operand bytes =
            source_binary(&m->b, SO_MUL, ST_I64, source_convert(&m->b, ST_I32, ST_I64, index), source_integer(4));
        source_copy(&m->b, m->walker, source_binary(&m->b, SO_ADD, ST_P, of(m->memory), bytes));
        break;
    }
    case 15:
    case 16:
        source_copy(&m->b, m->floats[below(FLOATS)], real(m, 2));
        break;
    default:
        source_copy(&m->b, m->ints[below(INTS)], integer(m, 3));
        break;
    }
}

static void statements(Maker *m, int count)
{
    for (int i = 0; i < count && m->b.block && m->left-- > 0; i++)
        statement(m);
}

/* `nearest` has a branch and two returns; `summed` a loop.  */
static const char helpers[] = "func i32 nearest (i32 a.1, i32 b.2) @1:1\n"
                              "B0:\n  t1 = lt.i32 a.1, 3\n  branch t1, B1, B2\n"
                              "B1:\n  t2 = xor.i32 a.1, b.2\n  return t2\n"
                              "B2:\n  t3 = and.i32 a.1, 255\n  return t3\nend\n"
                              "func i32 summed (i32 a.1, i32 b.2) @2:1\n  var i32 i.3\n  var u32 s.4\n"
                              "B0:\n  s.4 = copy.u32 1\n  i.3 = copy.i32 0\n  jump B1\n"
                              "B1:\n  t1 = lt.i32 i.3, 3\n  branch t1, B2, B3\n"
                              "B2:\n  t2 = conv.i32.u32 b.2\n  t3 = mul.u32 s.4, t2\n  s.4 = copy.u32 t3\n"
                              "  t4 = add.i32 i.3, 1\n  i.3 = copy.i32 t4\n  jump B1\n"
                              "B3:\n  t5 = conv.u32.i32 s.4\n  t6 = xor.i32 t5, a.1\n  return t6\nend\n";

static void make(SourceUnit *unit)
{
    Maker maker = {0}, *m = &maker;
    SourceFunction *f = source_function_new(unit, "made", ST_I32, (Loc){0});
    m->b.function = f;
    m->memory = source_parameter(f, ST_P, (Declaration){.name = "a"});
    static const char *const names[] = {"n", "m", "k", "x", "y", "z"};
    for (int i = 0; i < INTS; i++)
        m->ints[i] = i < 3 ? source_parameter(f, ST_I32, (Declaration){.name = names[i]})
                           : source_variable(f, ST_I32, (Declaration){.name = names[i]});
    for (int i = 0; i < FLOATS; i++)
        m->floats[i] = source_variable(f, ST_F32, (Declaration){.name = "f"});
    m->fuel = source_variable(f, ST_I32, (Declaration){.name = "fuel"});
    m->walker = source_variable(f, ST_P, (Declaration){.name = "p"});
    m->array = source_object(f, 16, 4, (Declaration){.name = "r"});
    m->pair = source_object(f, 8, 4, (Declaration){.name = "q"});
    m->other = source_object(f, 8, 4, (Declaration){.name = "q"});
    m->mixed = source_object(f, 8, 8, (Declaration){.name = "u"});
    m->left = 12 + below(30);
    m->out = source_block_new(f);
    for (int i = 0; i < LABELS; i++)
        m->labels[i] = source_block_new(f);
    enter(m, source_block_new(f));
    for (int i = 3; i < INTS; i++)
        source_copy(&m->b, m->ints[i], source_integer(i));
    for (int i = 0; i < FLOATS; i++)
        source_copy(&m->b, m->floats[i], source_number(i - 0.5));
    source_copy(&m->b, m->fuel, source_integer(60));
    source_copy(&m->b, m->walker, of(m->memory));
    for (int i = 0; i < 4; i++)
        source_store(&m->b, ST_I32, object_at(m, m->array, 4 * i), source_integer(i * 3), false);
    source_zero(&m->b, object_at(m, m->pair, 0), 8);
    source_move(&m->b, object_at(m, m->other, 0), of(m->memory), 8);
    source_zero(&m->b, object_at(m, m->mixed, 0), 8);
    for (int i = 0; i < LABELS; i++) {
        statements(m, 2 + below(4));
        enter(m, m->labels[i]); /* jumps to a label in front burn fuel, too */
        burn(m);
    }
    statements(m, 3);
    enter(m, m->out);
    Operand sum = of(m->ints[0]);
    for (int i = 1; i < INTS; i++)
        sum = source_binary(&m->b, SO_XOR, ST_I32, sum, of(m->ints[i]));
    for (int i = 0; i < 4; i++)
        sum =
            source_binary(&m->b, SO_XOR, ST_I32, sum, source_load(&m->b, ST_I32, object_at(m, m->array, 4 * i), false));
    sum = source_binary(&m->b, SO_XOR, ST_I32, sum, source_load(&m->b, ST_I32, object_at(m, m->pair, 4), false));
    for (int i = 0; i < FLOATS; i++)
        source_store(&m->b, ST_F32,
                     source_binary(&m->b, SO_ADD, ST_P, of(m->memory), source_integer(4 * WORDS + 4 * i)),
                     of(m->floats[i]), false);
    source_return(&m->b, sum);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static char *text_of(const SourceUnit *unit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    source_print(unit, out, (SourceTextOptions){.places = true, .names = true});
    fclose(out);
    return text;
}

typedef struct {
    bool defined;
    uint64_t result;
    uint32_t memory[WORDS + FLOATS];
} Outcome;

static Outcome run(Interpreter *in, int k)
{
    Outcome outcome = {0};
    uint32_t r = 77 + (uint32_t)k;
    for (int i = 0; i < WORDS; i++)
        outcome.memory[i] = (r = r * 1664525 + 1013904223) >> 27;
    const uint64_t arguments[] = {(uint64_t)(uintptr_t)outcome.memory, (uint64_t)(k * 3 - 2), (uint64_t)(7 - k),
                                  (uint64_t)(k & 1 ? 1000000 : -5)};
    outcome.defined = interpreter_call(in, "made", 4, arguments, &outcome.result);
    return outcome;
}

static bool is_nan(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

static bool same(const Outcome *a, const Outcome *b)
{
    for (int i = WORDS; i < WORDS + FLOATS; i++)
        if (a->memory[i] != b->memory[i] && !(is_nan(a->memory[i]) && is_nan(b->memory[i])))
            return false;
    return (int32_t)a->result == (int32_t)b->result && !memcmp(a->memory, b->memory, 4 * WORDS);
}

static SourceFunction *made_of(SourceUnit *unit)
{
    SourceFunction *function = unit->functions;
    while (strcmp(function->name, "made") != 0)
        function = function->next;
    return function;
}

static long runs, counted, instructions[2];

static long size_of(const SourceFunction *function)
{
    long n = 0;
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            n++;
    return n;
}

/* true: the same before and after the passes.  */
static bool try(uint64_t seed, const char *passes, bool verbose)
{
    draw_seed(seed);
    draw();
    Module *module = module_new("unit", NULL, say, NULL);
    SourceUnit *unit = source_parse(module, helpers, "helpers");
    make(unit);
    char *text = text_of(unit);
    SourceUnit *after = source_parse(module, text, "made");
    if (!after) {
        fputs(text, stdout);
        return false;
    }
    char *names = strdup(passes), *rest = names;
    instructions[0] += size_of(made_of(unit));
    for (char *name; (name = strsep(&rest, ",")) && *name;)
        if (!source_run_pass(made_of(after), name)) {
            fprintf(stderr, "there is no pass '%s'\n", name);
            exit(2);
        }
    instructions[1] += size_of(made_of(after));
    free(names);
    /* The text of the result is read again: it must be right in itself.  */
    char *second = text_of(after);
    SourceUnit *again = source_parse(module, second, "after");
    const char *mistake = again ? source_check_function(made_of(again)) : "it cannot be read";
    bool right = !mistake;
    if (mistake)
        printf("seed %llu: %s\n", (unsigned long long)seed, mistake);
    if (right) {
        Interpreter *one = interpreter_new(unit), *other = interpreter_new(again);
        interpreter_be_lenient(other);
        for (int k = 0; k < RUNS && right; k++) {
            const Outcome a = run(one, k);
            runs++;
            if (!a.defined)
                continue;
            counted++;
            const Outcome b = run(other, k);
            right = b.defined && same(&a, &b);
            if (!right && verbose)
                printf("run %d: %d and %d %s\n", k, (int)a.result, (int)b.result,
                       b.defined ? "" : interpreter_error(other));
        }
        interpreter_free(one);
        interpreter_free(other);
    }
    if (!right)
        printf("seed %llu differs behind %s\n", (unsigned long long)seed, passes);
    if (verbose)
        printf("%s\n==== behind %s\n%s", text, passes, second);
    free(text);
    free(second);
    module_free(module);
    return right;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 100;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const char *passes = argc > 3 ? argv[3] : "inline-all,simplify";
    int wrong = 0;
    alarm(240);
    for (int i = 0; i < count; i++)
        wrong += !try(seed + (uint64_t)i, passes, argc > 4);
    printf("%d functions, %ld of %ld runs defined, %ld instructions become %ld, %d differ\n", count, counted, runs,
           instructions[0], instructions[1], wrong);
    return wrong || counted * 3 < runs;
}
