/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpret.c - runs the region IR, with C's semantics.
 *
 * Memory is the memory of the process. An object lies on the C stack, as do variables, since the library of tiles looks
 * there for handles. A variable of static storage is the symbol of its name. Thus functions that run as IR and compiled
 * functions work on the same data. A function's address is that of the compiled function; a call through it runs the IR
 * where there is IR.
 *
 * A compiled function is called with all registers for arguments filled: 6 integers, 8 floats, and the rest on the
 * stack. The ABIs of x86-64 and of AArch64 Linux number both kinds apart, and functions with `...` see the same.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "interpret.h"

enum { REGISTERS = 6, FLOATS = 8, ON_STACK = 24, TABLE = 4096 };

typedef struct Code Code;

/* An instruction with the addresses that it needs.  */
typedef struct {
    const Instruction *instruction;
    void *address; /* of a variable, or of a compiled function */
    Code *callee;  /* of a call by name, where there is IR */
} Step;

struct Code {
    const SourceFunction *function;
    Step *steps; /* NULL until the first call */
    int *blocks; /* the first step of each */
    void *compiled;
    bool ran;
};

typedef struct Own {
    SourceGlobal *global;
    char *bytes;
    struct Own *next;
} Own;

struct Interpreter {
    SourceUnit *unit;
    Own *own;
    Code *codes;
    int ncodes;
    Code *by_name[TABLE];
    int depth;
    const SourceFunction *function;
    const Instruction *instruction;
    bool lenient;
    char error[400];
    jmp_buf stop;
};

static void stop(Interpreter *in, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

static void stop(Interpreter *in, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length =
        snprintf(in->error, sizeof in->error, "%s @%d:%d: ", in->function ? in->function->name : "?",
                 in->instruction ? in->instruction->loc.line : 0, in->instruction ? in->instruction->loc.column : 0);
    vsnprintf(in->error + length, sizeof in->error - (size_t)length, format, list);
    va_end(list);
    longjmp(in->stop, 1);
}

/* ---- functions that no library exports --------------------------------------------------------------------------- */

static float _Complex single_of(float x, float y)
{
    float _Complex z;
    __real__ z = x;
    __imag__ z = y;
    return z;
}

static double _Complex double_of(double x, double y)
{
    double _Complex z;
    __real__ z = x;
    __imag__ z = y;
    return z;
}

static float _Complex mulsc3(float a, float b, float c, float d)
{
    return single_of(a, b) * single_of(c, d);
}

static float _Complex divsc3(float a, float b, float c, float d)
{
    return single_of(a, b) / single_of(c, d);
}

static double _Complex muldc3(double a, double b, double c, double d)
{
    return double_of(a, b) * double_of(c, d);
}

static double _Complex divdc3(double a, double b, double c, double d)
{
    return double_of(a, b) / double_of(c, d);
}

#define OF_INTEGER(name, type)      \
    static int own_##name(type x)   \
    {                               \
        return __builtin_##name(x); \
    }
OF_INTEGER(popcount, unsigned)
OF_INTEGER(popcountl, unsigned long)
OF_INTEGER(popcountll, unsigned long long)
OF_INTEGER(clz, unsigned)
OF_INTEGER(clzl, unsigned long)
OF_INTEGER(clzll, unsigned long long)
OF_INTEGER(ctz, unsigned)
OF_INTEGER(ctzl, unsigned long)
OF_INTEGER(ctzll, unsigned long long)
OF_INTEGER(parity, unsigned)
OF_INTEGER(parityl, unsigned long)
OF_INTEGER(parityll, unsigned long long)
OF_INTEGER(clrsb, int)
OF_INTEGER(clrsbl, long)
OF_INTEGER(clrsbll, long long)
OF_INTEGER(ffs, int)
OF_INTEGER(ffsl, long)
OF_INTEGER(ffsll, long long)
OF_INTEGER(signbitf, float)
OF_INTEGER(signbit, double)
OF_INTEGER(isnormal, double)

static uint32_t own_bswap32(uint32_t x)
{
    return __builtin_bswap32(x);
}

static uint64_t own_bswap64(uint64_t x)
{
    return __builtin_bswap64(x);
}

static void *own_function(const char *name)
{
#define ROW(name)                                      \
    {                                                  \
        "__builtin_" #name, (void (*)(void))own_##name \
    }
    static const struct {
        const char *name;
        void (*function)(void);
    } list[] = {{"__mulsc3", (void (*)(void))mulsc3},
                {"__divsc3", (void (*)(void))divsc3},
                {"__muldc3", (void (*)(void))muldc3},
                {"__divdc3", (void (*)(void))divdc3},
                ROW(popcount),
                ROW(popcountl),
                ROW(popcountll),
                ROW(clz),
                ROW(clzl),
                ROW(clzll),
                ROW(ctz),
                ROW(ctzl),
                ROW(ctzll),
                ROW(parity),
                ROW(parityl),
                ROW(parityll),
                ROW(clrsb),
                ROW(clrsbl),
                ROW(clrsbll),
                ROW(ffs),
                ROW(ffsl),
                ROW(ffsll),
                ROW(signbit),
                ROW(signbitf),
                ROW(isnormal),
                ROW(bswap32),
                ROW(bswap64)};
    void *address = NULL;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(list[i].name, name))
            memcpy(&address, &list[i].function, sizeof address);
    return address;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static unsigned hash(const char *name)
{
    unsigned h = 0;
    for (; *name; name++)
        h = 31 * h + (unsigned char)*name;
    return h % TABLE;
}

static Code *find_code(const Interpreter *in, const char *name)
{
    for (unsigned i = hash(name); in->by_name[i]; i = (i + 1) % TABLE)
        if (!strcmp(in->by_name[i]->function->name, name))
            return in->by_name[i];
    return NULL;
}

static Code *code_at(const Interpreter *in, const void *address)
{
    for (int i = 0; i < in->ncodes; i++)
        if (in->codes[i].compiled == address)
            return &in->codes[i];
    return NULL;
}

static void *symbol(const char *name)
{
    void *address = own_function(name);
    if (!address)
        address = dlsym(RTLD_DEFAULT, name);
    if (!address && !strcmp(name, "main"))
        address = dlsym(RTLD_DEFAULT, "compared_main");
    if (!address && !strncmp(name, "__builtin_", 10))
        return symbol(name + 10);
    return address;
}

static void *variable_address(Interpreter *in, const char *name);

/* A variable that the process does not have: one of a function.  */
static void *own_variable(Interpreter *in, SourceGlobal *global)
{
    char *bytes = calloc(1, (size_t)global->bytes + 64);
    Own *own = calloc(1, sizeof *own);
    *own = (Own){global, bytes, in->own};
    in->own = own;
    if (global->initial)
        memcpy(bytes, global->initial, (size_t)global->bytes);
    for (const SourceRelocation *at = global->relocations; at; at = at->next) {
        const void *address = at->code == SO_STRING     ? at->symbol
                              : at->code == SO_FUNCTION ? symbol(at->symbol)
                                                        : variable_address(in, at->symbol);
        const uint64_t value = (uint64_t)(uintptr_t)address + (uint64_t)at->addend;
        memcpy(bytes + at->offset, &value, sizeof value);
    }
    return bytes;
}

static void *variable_address(Interpreter *in, const char *name)
{
    void *address = symbol(name);
    for (const Own *own = in->own; own && !address; own = own->next)
        if (!strcmp(own->global->name, name))
            return own->bytes;
    for (SourceGlobal *global = in->unit->globals; global && !address; global = global->next)
        if (!strcmp(global->name, name) && global->is_defined)
            return own_variable(in, global);
    return address;
}

Interpreter *interpreter_new(SourceUnit *unit)
{
    Interpreter *in = calloc(1, sizeof *in);
    in->unit = unit;
    for (SourceFunction *function = unit->functions; function; function = function->next)
        in->ncodes += !function->failed;
    in->codes = calloc((size_t)in->ncodes + 1, sizeof *in->codes);
    int count = 0;
    for (SourceFunction *function = unit->functions; function; function = function->next) {
        if (function->failed || count == TABLE - 1)
            continue;
        Code *code = &in->codes[count++];
        code->function = function;
        code->compiled = symbol(function->name);
        code->compiled = code->compiled ? code->compiled : code; /* an address that none else has */
        unsigned i = hash(function->name);
        while (in->by_name[i])
            i = (i + 1) % TABLE;
        in->by_name[i] = code;
    }
    return in;
}

void interpreter_free(Interpreter *in)
{
    for (int i = 0; i < in->ncodes; i++) {
        free(in->codes[i].steps);
        free(in->codes[i].blocks);
    }
    for (Own *own = in->own, *next; own; own = next) {
        next = own->next;
        free(own->bytes);
        free(own);
    }
    free(in->codes);
    free(in);
}

const char *interpreter_error(const Interpreter *in)
{
    return in->error;
}

void interpreter_be_lenient(Interpreter *in)
{
    in->lenient = true;
}

int interpreter_functions(const Interpreter *in)
{
    int count = 0;
    for (int i = 0; i < in->ncodes; i++)
        count += in->codes[i].ran;
    return count;
}

static void *function_address(const Interpreter *in, const char *name)
{
    const Code *code = find_code(in, name);
    return code ? code->compiled : symbol(name);
}

/* Lays the function's blocks behind each other and looks names up.  */
static void prepare(Interpreter *in, Code *code)
{
    int count = 0;
    for (const SourceBlock *block = code->function->blocks; block; block = block->next)
        for (const Instruction *one = block->first; one; one = one->next)
            count++;
    code->steps = calloc((size_t)count + 1, sizeof *code->steps);
    code->blocks = calloc((size_t)code->function->nblocks + 1, sizeof *code->blocks);
    count = 0;
    for (const SourceBlock *block = code->function->blocks; block; block = block->next) {
        code->blocks[block->id] = count;
        for (const Instruction *one = block->first; one; one = one->next) {
            Step *step = &code->steps[count++];
            step->instruction = one;
            if (one->code == SO_GLOBAL)
                step->address = variable_address(in, one->symbol);
            else if (one->code == SO_FUNCTION)
                step->address = function_address(in, one->symbol);
            else if (one->code == SO_CALL && one->symbol) {
                step->callee = find_code(in, one->symbol);
                step->address = step->callee ? NULL : symbol(one->symbol);
            }
        }
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static double to_double(SourceType type, uint64_t x)
{
    float f;
    double d;
    memcpy(&f, &x, sizeof f);
    memcpy(&d, &x, sizeof d);
    return type == ST_F32 ? f : d;
}

static uint64_t of_float(SourceType type, double d)
{
    uint64_t x = 0;
    float f = (float)d;
    if (type == ST_F32)
        memcpy(&x, &f, sizeof f);
    else
        memcpy(&x, &d, sizeof d);
    return x;
}

static int width(SourceType type)
{
    return type == ST_B ? 1 : 8 * source_type_bytes(type);
}

static uint64_t exact(Interpreter *in, SourceType type, __int128 value)
{
    const uint64_t x = source_wrap(type, (uint64_t)value);
    if (!in->lenient && source_type_is_signed(type) && (__int128)(int64_t)x != value)
        stop(in, "signed overflow in %s.%s", source_op_text(in->instruction->code), source_type_text(type));
    return x;
}

static uint64_t shift(Interpreter *in, SourceOpcode code, SourceType type, uint64_t x, uint64_t y)
{
    const int bits = width(type);
    if (!in->lenient && y >= (uint64_t)bits && code != SO_ROTL && code != SO_ROTR)
        stop(in, "a shift by %lld of %d bits", (long long)y, bits);
    y %= (uint64_t)bits;
    const uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    switch (code) {
    case SO_SHL:
        return source_wrap(type, x << y);
    case SO_SHR:
        return source_type_is_signed(type) ? (uint64_t)((int64_t)x >> y) : x >> y;
    default:
        x &= mask;
        y = code == SO_ROTL ? y : (uint64_t)bits - y;
        return source_wrap(type, y % (uint64_t)bits ? x << y | x >> ((uint64_t)bits - y) : x);
    }
}

static uint64_t integer_binary(Interpreter *in, SourceOpcode code, SourceType type, uint64_t x, uint64_t y)
{
    const bool is_signed = source_type_is_signed(type);
    const __int128 a = is_signed ? (__int128)(int64_t)x : (__int128)x;
    const __int128 b = is_signed ? (__int128)(int64_t)y : (__int128)y;
    switch (code) {
    case SO_ADD:
        return exact(in, type, a + b);
    case SO_SUB:
        return type == ST_P ? x - y : exact(in, type, a - b);
    case SO_MUL:
        return is_signed ? exact(in, type, a * b) : source_wrap(type, x * y);
    case SO_DIV:
    case SO_REM:
        if (!b)
            stop(in, "a division by 0");
        exact(in, type, a / b);
        return source_wrap(type, (uint64_t)(code == SO_DIV ? a / b : a % b));
    case SO_AND:
        return x & y;
    case SO_OR:
        return x | y;
    case SO_XOR:
        return x ^ y;
    case SO_MIN:
        return a < b ? x : y;
    case SO_MAX:
        return a > b ? x : y;
    default:
        return shift(in, code, type, x, y);
    }
}

static uint64_t float_binary(Interpreter *in, SourceOpcode code, SourceType type, uint64_t x, uint64_t y)
{
    const double a = to_double(type, x), b = to_double(type, y);
    if (code == SO_MIN || code == SO_MAX)
        return (code == SO_MIN ? a < b : a > b) ? x : y;
    if (type == ST_F32) {
        const float f = (float)a, g = (float)b;
        volatile float result = code == SO_ADD ? f + g : code == SO_SUB ? f - g : code == SO_MUL ? f * g : f / g;
        if (code <= SO_DIV)
            return of_float(type, (double)result);
    }
    switch (code) {
    case SO_ADD:
        return of_float(type, a + b);
    case SO_SUB:
        return of_float(type, a - b);
    case SO_MUL:
        return of_float(type, a * b);
    case SO_DIV:
        return of_float(type, a / b);
    default:
        stop(in, "%s of floats", source_op_text(code));
    }
}

static bool float_compare(SourceOpcode code, double a, double b)
{
    const bool unordered = isnan(a) || isnan(b);
    switch (code) {
    case SO_EQ:
        return a == b;
    case SO_NE:
        return a != b;
    case SO_LT:
        return a < b;
    case SO_LE:
        return a <= b;
    case SO_GT:
        return a > b;
    case SO_GE:
        return a >= b;
    case SO_UNO:
        return unordered;
    case SO_ORD:
        return !unordered;
    case SO_UNEQ:
        return unordered || a == b;
    case SO_LTGT:
        return a < b || a > b;
    case SO_UNLT:
        return !(a >= b);
    case SO_UNLE:
        return !(a > b);
    case SO_UNGT:
        return !(a <= b);
    default:
        return !(a < b);
    }
}

static bool integer_compare(SourceOpcode code, SourceType type, uint64_t x, uint64_t y)
{
    const bool less = source_type_is_signed(type) ? (int64_t)x < (int64_t)y : x < y;
    switch (code) {
    case SO_EQ:
        return x == y;
    case SO_NE:
        return x != y;
    case SO_LT:
        return less;
    case SO_LE:
        return less || x == y;
    case SO_GT:
        return !less && x != y;
    default:
        return !less;
    }
}

static uint64_t converted(Interpreter *in, SourceType from, SourceType to, uint64_t x)
{
    if (source_type_is_float(from)) {
        const double value = to_double(from, x);
        if (to == ST_B)
            return value != 0;
        if (source_type_is_float(to))
            return of_float(to, value);
        const bool is_signed = source_type_is_signed(to);
        const double top = ldexp(1, width(to) - is_signed), bottom = is_signed ? -top : 0;
        if (!(trunc(value) >= bottom && trunc(value) < top) && in->lenient)
            return 0;
        if (!(trunc(value) >= bottom && trunc(value) < top))
            stop(in, "%g becomes %s", value, source_type_text(to));
        return source_wrap(to, is_signed ? (uint64_t)(int64_t)value : (uint64_t)value);
    }
    if (to == ST_B)
        return x != 0;
    if (to == ST_F32) { /* one rounding */
        const float f = source_type_is_signed(from) ? (float)(int64_t)x : (float)x;
        return of_float(to, (double)f);
    }
    if (to == ST_F64)
        return of_float(to, source_type_is_signed(from) ? (double)(int64_t)x : (double)x);
    return source_wrap(to, x);
}

static uint64_t unary(Interpreter *in, SourceOpcode code, SourceType type, uint64_t x)
{
    if (source_type_is_float(type)) {
        const uint64_t sign = type == ST_F32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
        return code == SO_NEG ? x ^ sign : x & ~sign;
    }
    if (code == SO_NOT)
        return type == ST_B ? !x : source_wrap(type, ~x);
    if (code == SO_ABS && (int64_t)x >= 0)
        return x;
    return source_type_is_signed(type) ? exact(in, type, -(__int128)(int64_t)x) : source_wrap(type, -x);
}

/* ---- compiled functions ------------------------------------------------------------------------------------------ */

typedef struct {
    long registers[REGISTERS], stack[ON_STACK];
    double floats[FLOATS];
} Passed;

static void pass(Interpreter *in, Passed *passed, int count, const SourceArgument *arguments, const uint64_t *values)
{
    int registers = 0, floats = 0, stack = 0;
    memset(passed, 0, sizeof *passed);
    for (int i = 0; i < count; i++) {
        const SourceType type = arguments[i].type;
        if (type == ST_S) { /* of integers, if it is small: the IR does not tell */
            const int words = (int)(arguments[i].bytes + 7) / 8;
            const bool small = words <= 2 && registers + words <= REGISTERS;
            if (!small && stack + words > ON_STACK)
                stop(in, "too many arguments");
            memcpy(small ? &passed->registers[registers] : &passed->stack[stack], (const void *)(uintptr_t)values[i],
                   (size_t)arguments[i].bytes);
            *(small ? &registers : &stack) += words;
            continue;
        }
        if (source_type_is_aggregate(type)) { /* two floats in a register, or two registers */
            const int registers_of = type == ST_C32 ? 1 : 2;
            if (floats + registers_of > FLOATS)
                stop(in, "too many arguments");
            memcpy(&passed->floats[floats], (const void *)(uintptr_t)values[i], 8 * (size_t)registers_of);
            floats += registers_of;
            continue;
        }
        if (source_type_is_float(type) && floats < FLOATS)
            memcpy(&passed->floats[floats++], &values[i], 8);
        else if (!source_type_is_float(type) && registers < REGISTERS)
            passed->registers[registers++] = (long)values[i];
        else if (stack < ON_STACK)
            passed->stack[stack++] = (long)values[i];
        else
            stop(in, "too many arguments");
    }
}

#define PASS(P)                                                                                                       \
    (P)->registers[0], (P)->registers[1], (P)->registers[2], (P)->registers[3], (P)->registers[4], (P)->registers[5], \
        (P)->floats[0], (P)->floats[1], (P)->floats[2], (P)->floats[3], (P)->floats[4], (P)->floats[5],               \
        (P)->floats[6], (P)->floats[7], (P)->stack[0], (P)->stack[1], (P)->stack[2], (P)->stack[3], (P)->stack[4],    \
        (P)->stack[5], (P)->stack[6], (P)->stack[7], (P)->stack[8], (P)->stack[9], (P)->stack[10], (P)->stack[11],    \
        (P)->stack[12], (P)->stack[13], (P)->stack[14], (P)->stack[15], (P)->stack[16], (P)->stack[17],               \
        (P)->stack[18], (P)->stack[19], (P)->stack[20], (P)->stack[21], (P)->stack[22], (P)->stack[23]

static void call_complex(void *address, SourceType type, Passed *passed, void *result)
{
    if (type == ST_C32) {
        float _Complex (*function)(long, ...);
        memcpy(&function, &address, sizeof address);
        const float _Complex value = function(PASS(passed));
        memcpy(result, &value, sizeof value);
    } else {
        double _Complex (*function)(long, ...);
        memcpy(&function, &address, sizeof address);
        const double _Complex value = function(PASS(passed));
        memcpy(result, &value, sizeof value);
    }
}

static uint64_t call_compiled(Interpreter *in, void *address, const Instruction *one, const uint64_t *values)
{
    Passed passed;
    const SourceType type = one->type;
    const long bytes = type == ST_S ? one->arguments[0].bytes : 0;
    const bool by_value = source_type_is_aggregate(type) && (type != ST_S || bytes <= 16);
    pass(in, &passed, one->narguments - by_value, one->arguments + by_value, values + by_value);
    if (by_value && type != ST_S) {
        call_complex(address, type, &passed, (void *)(uintptr_t)values[0]);
        return 0;
    }
    if (by_value) {
        struct {
            long words[2];
        } result, (*function)(long, ...);
        memcpy(&function, &address, sizeof address);
        result = function(PASS(&passed));
        memcpy((void *)(uintptr_t)values[0], &result, (size_t)bytes);
        return 0;
    }
    if (type == ST_F32) {
        float (*function)(long, ...);
        memcpy(&function, &address, sizeof address);
        return of_float(ST_F32, (double)function(PASS(&passed)));
    }
    if (type == ST_F64) {
        double (*function)(long, ...);
        memcpy(&function, &address, sizeof address);
        return of_float(ST_F64, function(PASS(&passed)));
    }
    long (*function)(long, ...);
    memcpy(&function, &address, sizeof address);
    return source_wrap(type, (uint64_t)function(PASS(&passed)));
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t *temporaries, *variables;
    char **objects;
} Frame;

static uint64_t read_operand(Interpreter *in, const Frame *frame, Operand x, SourceType type)
{
    switch (x.kind) {
    case OPERAND_TEMPORARY:
        return source_wrap(type, frame->temporaries[x.temporary]);
    case OPERAND_VARIABLE:
        return source_wrap(type, frame->variables[x.variable->id]);
    case OPERAND_INTEGER:
        return source_type_is_float(type) ? of_float(type, (double)(int64_t)x.integer) : source_wrap(type, x.integer);
    case OPERAND_FLOAT:
        return of_float(type, x.number);
    default:
        stop(in, "an operand is missing");
    }
}

static uint64_t run(Interpreter *in, Code *code, int count, const uint64_t *values);

static uint64_t call(Interpreter *in, const Frame *frame, const Step *step)
{
    enum { MOST = 64 };
    const Instruction *one = step->instruction;
    uint64_t values[MOST];
    if (one->narguments > MOST)
        stop(in, "too many arguments");
    for (int i = 0; i < one->narguments; i++)
        values[i] = read_operand(in, frame, one->arguments[i].operand, one->arguments[i].type);
    Code *callee = step->callee;
    void *address = step->address;
    if (!one->symbol) {
        address = (void *)(uintptr_t)read_operand(in, frame, one->args[0], ST_P);
        callee = code_at(in, address);
    }
    if (callee)
        return run(in, callee, one->narguments, values);
    if (!address)
        stop(in, "there is no function '%s'", one->symbol ? one->symbol : "at the null pointer");
    return call_compiled(in, address, one, values);
}

static uint64_t load(SourceType type, uint64_t address)
{
    uint64_t x = 0;
    memcpy(&x, (const void *)(uintptr_t)address, (size_t)source_type_bytes(type));
    return type == ST_B ? x & 1 : source_wrap(type, x);
}

static const SourceBlock *case_of(const Instruction *one, uint64_t x)
{
    for (int i = 0; i < one->ncases; i++) {
        const SourceCase *c = &one->cases[i];
        const bool hit = source_type_is_signed(one->type) ? c->low <= (int64_t)x && (int64_t)x <= c->high
                                                          : (uint64_t)c->low <= x && x <= (uint64_t)c->high;
        if (hit)
            return c->block;
    }
    return one->targets[0];
}

/* Carries out an instruction that does not end its block.  */
static void step_on(Interpreter *in, const Frame *frame, const Step *step)
{
    const Instruction *one = step->instruction;
    const SourceForm form = source_op_form(one->code);
    uint64_t x = 0, y = 0, result = 0;
    if (one->args[0].kind != OPERAND_NONE && form != FORM_CALL)
        x = read_operand(in, frame, one->args[0], source_arg_type(one, 0));
    if (one->args[1].kind != OPERAND_NONE)
        y = read_operand(in, frame, one->args[1], source_arg_type(one, 1));
    switch (form) {
    case FORM_UNARY:
        result = unary(in, one->code, one->type, x);
        break;
    case FORM_BINARY:
        result = source_type_is_float(one->type) ? float_binary(in, one->code, one->type, x, y)
                                                 : integer_binary(in, one->code, one->type, x, y);
        break;
    case FORM_COMPARE:
        result = source_type_is_float(one->type)
                     ? float_compare(one->code, to_double(one->type, x), to_double(one->type, y))
                     : integer_compare(one->code, one->type, x, y);
        break;
    case FORM_CONVERT:
        result = one->code == SO_BITS ? source_wrap(one->type, x) : converted(in, one->from, one->type, x);
        break;
    case FORM_SELECT:
        result = read_operand(in, frame, one->args[x ? 1 : 2], one->type);
        break;
    case FORM_COPY:
        frame->variables[one->variable->id] = x;
        return;
    case FORM_LOAD:
        result = load(one->type, x);
        break;
    case FORM_STORE:
        memcpy((void *)(uintptr_t)x, &y, (size_t)source_type_bytes(one->type));
        return;
    case FORM_MOVE:
        memmove((void *)(uintptr_t)x, (const void *)(uintptr_t)y, (size_t)one->bytes);
        return;
    case FORM_ZERO:
        memset((void *)(uintptr_t)x, 0, (size_t)one->bytes);
        return;
    case FORM_OBJECT:
        result = (uint64_t)(uintptr_t)frame->objects[one->object->id];
        break;
    case FORM_SYMBOL:
        if (!step->address)
            stop(in, "there is no symbol '%s'", one->symbol);
        result = (uint64_t)(uintptr_t)step->address;
        break;
    case FORM_STRING:
        result = (uint64_t)(uintptr_t)one->string;
        break;
    case FORM_CALL:
        result = call(in, frame, step);
        break;
    default:
        return;
    }
    if (one->temporary)
        frame->temporaries[one->temporary] = result;
}

static char *aligned(char *at, size_t alignment)
{
    return at + (alignment - (uintptr_t)at % alignment) % alignment;
}

static uint64_t run(Interpreter *in, Code *code, int count, const uint64_t *values)
{
    const SourceFunction *function = code->function, *caller = in->function;
    const Instruction *site = in->instruction;
    if (count < function->nparameters)
        stop(in, "%s has %d parameters and %d arguments", function->name, function->nparameters, count);
    if (++in->depth > 20000)
        stop(in, "calls are nested too deep");
    if (!code->steps)
        prepare(in, code);
    code->ran = true;
    Frame frame = {
        alloca(((size_t)function->ntemporaries + 1) * sizeof(uint64_t)),
        alloca(((size_t)function->nvariables + 1) * sizeof(uint64_t)),
        alloca(((size_t)function->nobjects + 1) * sizeof(char *)),
    };
    for (int i = 0; i < function->nobjects; i++) {
        const size_t alignment = (size_t)function->objects[i]->alignment;
        frame.objects[i] = aligned(alloca((size_t)function->objects[i]->bytes + alignment + 1), alignment);
        memset(frame.objects[i], 0xa5, (size_t)function->objects[i]->bytes);
    }
    memset(frame.variables, 0xa5, (size_t)function->nvariables * sizeof(uint64_t));
    for (int i = 0; i < function->nparameters; i++)
        frame.variables[function->parameters[i]->id] = source_wrap(function->parameters[i]->type, values[i]);
    uint64_t result = 0;
    in->function = function;
    for (const Step *step = code->steps;;) {
        const Instruction *one = in->instruction = step->instruction;
        const SourceBlock *next;
        if (one->code == SO_ALLOCATE) {
            const size_t bytes = read_operand(in, &frame, one->args[0], ST_U64);
            char *memory = alloca(bytes + (size_t)one->bytes + 1);
            frame.temporaries[one->temporary] = (uint64_t)(uintptr_t)aligned(memory, (size_t)one->bytes);
            step++;
            continue;
        }
        if (!source_ends_block(one)) {
            step_on(in, &frame, step++);
            continue;
        }
        if (one->code == SO_RETURN) {
            if (one->args[0].kind != OPERAND_NONE)
                result = read_operand(in, &frame, one->args[0], function->result);
            break;
        }
        if (one->code == SO_UNREACHABLE)
            stop(in, "control comes to what is unreachable");
        if (one->code == SO_JUMP)
            next = one->targets[0];
        else if (one->code == SO_BRANCH)
            next = one->targets[!read_operand(in, &frame, one->args[0], ST_B)];
        else
            next = case_of(one, read_operand(in, &frame, one->args[0], one->type));
        step = &code->steps[code->blocks[next->id]];
    }
    in->depth--;
    in->function = caller;
    in->instruction = site;
    return result;
}

bool interpreter_call(Interpreter *in, const char *name, int narguments, const uint64_t *arguments, uint64_t *result)
{
    Code *code = find_code(in, name);
    in->function = NULL;
    in->instruction = NULL;
    in->depth = 0;
    if (setjmp(in->stop))
        return false;
    if (!code)
        stop(in, "there is no function '%s'", name);
    const uint64_t value = run(in, code, narguments, arguments);
    if (result)
        *result = value;
    return true;
}
