/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda.c - the text of the .cu, in the form of runtime/README.md.
 *
 *   for %c0, %K, 64 (%k):                     for (int k = 0; k < p.K; k += 64) {
 *     %slot = get ta_tb                           const int slot = ta_tb.get();
 *     %t = mma %va, %vb, %acc                     ws::mma(acc, ws::view(s.ta[slot]), ...);
 *     commit                                      ws::commit();
 *     %acc2 = wait 1, %t                          ws::wait<1>(acc);
 *     consumed ta_tb, 1                           ta_tb.consumed<1>();
 *     yield %acc2                             }
 *
 * Printing only: which value is a variable, where it is declared, what is staged and how large everything is was decided
 * before.  One function for each construct; expressions know C's precedences, so that parentheses stand only where they must.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "rules.h"
#include "slice.h"

typedef struct {
    FILE *out;
    Kernel *kernel;
    Role *role; /* NULL in the launcher */
    int indent;
    const struct Map *maps;
} Printer;

static const char *const element_text[D_COUNT] = {
    [D_F32] = "float",          [D_F64] = "double",       [D_F16] = "ws::f16",      [D_BF16] = "ws::bf16",
    [D_E4M3] = "ws::e4m3",      [D_E5M2] = "ws::e5m2",    [D_I8] = "signed char",   [D_I32] = "int",
    [D_MASK] = "bool",          [D_I1] = "bool",          [D_U8] = "unsigned char", [D_I16] = "short",
    [D_U16] = "unsigned short", [D_U32] = "unsigned int", [D_I64] = "long",         [D_U64] = "unsigned long"};

static const char *layout_text(const Printer *in)
{
    return in->kernel->layout == LAYOUT_MMA ? "ws::frag" : "ws::lines";
}

static void line(Printer *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void begin_line(Printer *in)
{
    fprintf(in->out, "%*s", 4 * in->indent, "");
}

static void line(Printer *in, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    begin_line(in);
    vfprintf(in->out, format, list);
    fputc('\n', in->out);
    va_end(list);
}

enum { COMMENT_COLUMN = 41 };

/* A line with a comment at the column where comments stand, or two blanks behind a longer line.  */
static void commented(Printer *in, const char *text, const char *comment)
{
    int width = 4 * in->indent + (int)strlen(text);
    int pad = width + 2 > COMMENT_COLUMN ? 2 : COMMENT_COLUMN - width;
    line(in, "%s%*s// %s", text, pad, "", comment);
}

static const char *file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

/* ---- literals ---------------------------------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same number.  */
static void print_float(FILE *out, double value, bool single, bool plain)
{
    char text[40];
    if (isnan(value)) {
        fputs("NAN", out);
        return;
    }
    if (isinf(value)) {
        fputs(value < 0 ? "-INFINITY" : "INFINITY", out);
        return;
    }
    snprintf(text, sizeof text, "%.0f", fabs(value) < 1e9 ? value : 0.5);
    for (int digits = 1; digits <= 17 && strtod(text, NULL) != value; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
    bool negative_zero = value == 0 && signbit(value);
    if ((!plain || negative_zero) && !strpbrk(text, ".e"))
        fputs(".0", out);
    if (!plain && single)
        fputc('f', out);
}

static void print_int(FILE *out, Dtype dtype, int64_t value, bool suffix)
{
    bool wide = dtype == D_I64 || dtype == D_U64;
    if (dtype == D_I1) {
        fputs(value ? "true" : "false", out);
    } else if (dtype == D_U64 || dtype == D_U32) {
        uint64_t bits = dtype == D_U32 ? (uint32_t)value : (uint64_t)value;
        bool large = bits > INT32_MAX;
        fprintf(out, "%llu%s%s", (unsigned long long)bits, suffix || large ? "u" : "",
                wide && (suffix || large) ? "l" : "");
    } else if (value == INT64_MIN) {
        fputs("(-9223372036854775807l - 1)", out);
    } else if (value == INT32_MIN && !wide) {
        fputs("(-2147483647 - 1)", out);
    } else {
        bool large = value > INT32_MAX || value < -(int64_t)INT32_MAX;
        fprintf(out, "%lld%s", (long long)value, wide && (suffix || large) ? "l" : "");
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* C's precedences, low to high; a right operand asks for one more.  */
enum {
    PREC_ANY = 0,
    PREC_TERNARY = 2,
    PREC_OR = 4,
    PREC_AND = 6,
    PREC_BITOR = 8,
    PREC_XOR = 10,
    PREC_BITAND = 12,
    PREC_EQUAL = 14,
    PREC_COMPARE = 16,
    PREC_SHIFT = 18,
    PREC_ADD = 20,
    PREC_MUL = 22,
    PREC_UNARY = 24
};

typedef struct {
    const char *text;
    int precedence;
} Infix;

/* The C operator of an infix op; on I1 the logical one.  */
static Infix infix_of(const Op *op)
{
    bool logical = op->nargs && op->args[0]->type.dtype == D_I1;
    switch (op->code) {
    case OP_ADDI:
        return (Infix){"+", PREC_ADD};
    case OP_SUBI:
        return (Infix){"-", PREC_ADD};
    case OP_MULI:
        return (Infix){"*", PREC_MUL};
    case OP_DIVI:
        return (Infix){"/", PREC_MUL};
    case OP_REMI:
        return (Infix){"%", PREC_MUL};
    case OP_ANDI:
        return logical ? (Infix){"&&", PREC_AND} : (Infix){"&", PREC_BITAND};
    case OP_ORI:
        return logical ? (Infix){"||", PREC_OR} : (Infix){"|", PREC_BITOR};
    case OP_XORI:
        return logical ? (Infix){"!=", PREC_EQUAL} : (Infix){"^", PREC_XOR};
    case OP_SHLI:
        return (Infix){"<<", PREC_SHIFT};
    case OP_SHRI:
        return (Infix){">>", PREC_SHIFT};
    case OP_EQI:
        return (Infix){"==", PREC_EQUAL};
    case OP_NEI:
        return (Infix){"!=", PREC_EQUAL};
    case OP_LTI:
        return (Infix){"<", PREC_COMPARE};
    case OP_LEI:
        return (Infix){"<=", PREC_COMPARE};
    case OP_GTI:
        return (Infix){">", PREC_COMPARE};
    case OP_GEI:
        return (Infix){">=", PREC_COMPARE};
    default:
        return (Infix){NULL, PREC_ANY};
    }
}

static void print_value(Printer *in, const Value *value, int outer);

static bool is_literal(const Value *value)
{
    return value->def && value->def->code == OP_CONST;
}

static void print_literal(Printer *in, const Value *value, bool suffix)
{
    const Op *op = value->def;
    if (dtype_is_float(value->type.dtype))
        print_float(in->out, op->fval, value->type.dtype == D_F32, false);
    else
        print_int(in->out, value->type.dtype, op->ival, suffix);
}

/* A literal takes its type from the other operand, if that has one.  */
static void print_operand(Printer *in, const Value *value, int outer, bool suffix)
{
    bool negative =
        is_literal(value) && (dtype_is_float(value->type.dtype) ? value->def->fval < 0 : value->def->ival < 0);
    if (!is_literal(value)) {
        print_value(in, value, outer);
        return;
    }
    if (negative && outer > PREC_ADD)
        fputc('(', in->out);
    print_literal(in, value, suffix);
    if (negative && outer > PREC_ADD)
        fputc(')', in->out);
}

static bool is_narrow(Dtype dtype)
{
    return dtype == D_I8 || dtype == D_U8 || dtype == D_I16 || dtype == D_U16;
}

static bool is_bitwise(int precedence)
{
    return precedence == PREC_SHIFT || (precedence >= PREC_BITOR && precedence <= PREC_BITAND);
}

/* Where compilers ask for parentheses although C does not.  */
static bool needs_clarity(int inner, int outer)
{
    outer &= ~1;
    if (outer <= PREC_TERNARY || outer >= PREC_UNARY)
        return false;
    return inner != outer && (is_bitwise(inner) || is_bitwise(outer) || (inner == PREC_AND && outer == PREC_OR));
}

/* Where C converts by itself: initializers and arguments of a known type.  A conversion that only widens is left to it.  */
static const Value *without_widening(const Value *value)
{
    while (!value->var && value->def && value->def->code == OP_CONVI) {
        const Value *from = value->def->args[0];
        bool integers = !dtype_is_float(from->type.dtype) && !dtype_is_float(value->type.dtype);
        bool wider = dtype_bytes(value->type.dtype) > dtype_bytes(from->type.dtype);
        bool keeps = dtype_is_signed(value->type.dtype) || !dtype_is_signed(from->type.dtype);
        if (!integers || !wider || !keeps)
            break;
        value = from;
    }
    return value;
}

/* C widens an operand by itself where the other one has the wide type.  */
static const Value *without_needless_widening(const Value *value, const Value *other)
{
    const Op *def = other->var ? NULL : other->def;
    bool typed = other->var || (def && def->code != OP_CONST && def->code != OP_CONVI && def->code != OP_SELI);
    return typed ? without_widening(value) : value;
}

/* x + -1 is what compilers make of x - 1.  */
static bool adds_negative(const Op *op)
{
    const Value *right = op->args[1];
    if (op->code != OP_ADDI || !is_literal(right) || dtype_is_float(right->type.dtype))
        return false;
    int64_t value = right->type.dtype == D_U32 ? (int32_t)right->def->ival : right->def->ival;
    return value < 0 && value > INT32_MIN;
}

static void print_right(Printer *in, const Op *op, Infix infix, bool suffix)
{
    if (!adds_negative(op)) {
        fprintf(in->out, " %s ", infix.text);
        print_operand(in, op->args[1], infix.precedence + 1, suffix);
        return;
    }
    fputs(" - ", in->out);
    print_int(in->out, op->args[1]->type.dtype, -(int64_t)(int32_t)op->args[1]->def->ival, suffix);
}

static void print_infix(Printer *in, const Op *op, Infix infix, int outer)
{
    bool cast = is_narrow(op->results[0]->type.dtype);
    bool parentheses = cast || infix.precedence < outer || needs_clarity(infix.precedence, outer);
    bool both = is_literal(op->args[0]) && is_literal(op->args[1]);
    bool shift = infix.precedence == PREC_SHIFT;
    if (cast)
        fprintf(in->out, "(%s)", element_text[op->results[0]->type.dtype]);
    if (parentheses)
        fputc('(', in->out);
    const Value *left = shift ? op->args[0] : without_needless_widening(op->args[0], op->args[1]);
    print_operand(in, left, infix.precedence, both || shift);
    print_right(in, op, infix, both && !shift);
    if (parentheses)
        fputc(')', in->out);
}

static void print_call_arguments(Printer *in, const Op *op)
{
    fputc('(', in->out);
    for (int i = 0; i < op->nargs; i++) {
        if (i)
            fputs(", ", in->out);
        print_operand(in, op->args[i], PREC_TERNARY, true);
    }
    fputc(')', in->out);
}

static void print_unary(Printer *in, const Op *op, int outer)
{
    Dtype dtype = op->results[0]->type.dtype;
    const char *text = op->code == OP_NEGI ? "-" : dtype == D_I1 ? "!" : "~";
    if (is_narrow(dtype))
        fprintf(in->out, "(%s)", element_text[dtype]);
    if (outer > PREC_UNARY || op->code == OP_NEGI)
        fputc('(', in->out);
    fputs(text, in->out);
    print_operand(in, op->args[0], PREC_UNARY + 1, true);
    if (outer > PREC_UNARY || op->code == OP_NEGI)
        fputc(')', in->out);
}

static void print_ternary(Printer *in, const Op *op, int outer)
{
    bool both = is_literal(op->args[1]) && is_literal(op->args[2]);
    if (outer > PREC_TERNARY)
        fputc('(', in->out);
    print_operand(in, op->args[0], PREC_TERNARY + 1, false);
    fputs(" ? ", in->out);
    print_operand(in, op->args[1], PREC_TERNARY + 1, both);
    fputs(" : ", in->out);
    print_operand(in, op->args[2], PREC_TERNARY, both);
    if (outer > PREC_TERNARY)
        fputc(')', in->out);
}

static void print_conversion(Printer *in, const Op *op, int outer)
{
    if (outer > PREC_UNARY)
        fputc('(', in->out);
    fprintf(in->out, "(%s)", element_text[op->results[0]->type.dtype]);
    print_operand(in, op->args[0], PREC_UNARY, false);
    if (outer > PREC_UNARY)
        fputc(')', in->out);
}

static void print_scalar(Printer *in, const Op *op, int outer)
{
    Infix infix = infix_of(op);
    int64_t number;
    if (op->nargs && !dtype_is_float(op->results[0]->type.dtype) && ir_constant(op->results[0], &number)) {
        bool parentheses = number < 0 && outer > PREC_ADD;
        fputs(parentheses ? "(" : "", in->out);
        print_int(in->out, op->results[0]->type.dtype, number, false);
        fputs(parentheses ? ")" : "", in->out);
        return;
    }
    if (infix.text) {
        print_infix(in, op, infix, outer);
        return;
    }
    switch (op->code) {
    case OP_CONST:
        print_operand(in, op->results[0], outer, false);
        break;
    case OP_NEGI:
    case OP_NOTI:
        print_unary(in, op, outer);
        break;
    case OP_SELI:
        print_ternary(in, op, outer);
        break;
    case OP_CONVI:
        print_conversion(in, op, outer);
        break;
    case OP_MATHI:
        fputs(op->sval, in->out);
        print_call_arguments(in, op);
        break;
    default: /* MINI, MAXI */
        fputs(op_info[op->code].call, in->out);
        print_call_arguments(in, op);
    }
}

static void print_coordinate(Printer *in, const Value *value)
{
    print_operand(in, without_widening(value), PREC_TERNARY, false);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static const char *tensor_field(const Value *tensor)
{
    const Op *root = tensor_root(tensor);
    const Variable *variable = root ? root->results[0]->var : NULL;
    return variable ? variable->name : "";
}

/* A tensor that is moved in boxes of several heights has a map for each.  */
static const char *map_name(const Printer *in, const Value *tensor, int rows, int first_rows)
{
    const char *field = tensor_field(tensor);
    Module *module = in->kernel->module;
    return rows == first_rows ? arena_print(module, "%s_map", field) : arena_print(module, "%s_map_%d", field, rows);
}

typedef struct Map Map;
struct Map {
    Variable *tensor;
    int rows;
    bool load;
    const char *name;
    Map *next;
};

typedef struct {
    Printer *printer;
    Map *maps;
} MapList;

static Op *map_tensor(const Op *op)
{
    if (op->code == OP_COPY_IN)
        return tensor_root(op->args[1]);
    return op->code == OP_STORE && op->storage ? tensor_root(op->args[0]) : NULL;
}

static bool is_field(const Kernel *kernel, const char *name)
{
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        if (!variable->role && !strcmp(variable->name, name))
            return true;
    return false;
}

static void visit_map(Op *op, void *context)
{
    MapList *list = context;
    Op *root = map_tensor(op);
    if (!root)
        return;
    Variable *tensor = root->results[0]->var;
    int rows = box_rows(op->storage), first_rows = rows;
    Map **end = &list->maps;
    for (; *end; end = &(*end)->next) {
        if ((*end)->tensor != tensor)
            continue;
        first_rows = first_rows == rows ? (*end)->rows : first_rows;
        if ((*end)->rows == rows)
            return;
    }
    const char *name = map_name(list->printer, root->results[0], rows, first_rows);
    while (is_field(list->printer->kernel, name))
        name = arena_print(list->printer->kernel->module, "%s_", name);
    *end = arena_alloc(list->printer->kernel->module, sizeof **end);
    **end = (Map){tensor, rows, op->code == OP_COPY_IN, name, NULL};
}

static Map *collect_maps(Printer *in)
{
    MapList list = {in, NULL};
    FOR_ROLES (role, in->kernel)
        ir_walk(role->body, visit_map, &list);
    return list.maps;
}

static const char *map_for(Printer *in, const Op *op)
{
    const Variable *tensor = map_tensor(op)->results[0]->var;
    for (const Map *map = in->maps; map; map = map->next)
        if (map->tensor == tensor && map->rows == box_rows(op->storage))
            return map->name;
    return "";
}

/* One for each group, if there are several.  */
static void print_group_storage(Printer *in, const Storage *storage)
{
    fprintf(in->out, storage->slots > 1 ? "s.%s[group]" : "s.%s", storage->name);
}

static void print_slot(Printer *in, const Storage *storage, const Value *slot)
{
    fprintf(in->out, "s.%s[", storage->name);
    print_value(in, slot, PREC_ANY);
    fputc(']', in->out);
}

static void print_view(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    bool window = op->nargs > 1;
    if (window)
        fprintf(in->out, "ws::window<%d, %d>(", type.rows, type.cols);
    else
        fputs("ws::view(", in->out);
    if (op->storage->use == USE_RING)
        print_slot(in, op->storage, op->args[0]);
    else
        print_group_storage(in, op->storage);
    for (int i = 1; i < op->nargs; i++) {
        fputs(", ", in->out);
        print_coordinate(in, op->args[i]);
    }
    fputc(')', in->out);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* A scalar operand of an elementwise operation stands for itself if another operand is a tile.  */
static bool has_tile(const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (value_is_tile(op->args[i]) && !(op->args[i]->def && op->args[i]->def->code == OP_SPLAT))
            return true;
    return false;
}

static bool takes_scalars(const Op *op)
{
    switch (op_info[op->code].rule) {
    case R_BINARY:
    case R_COMPARE:
    case R_SELECT:
    case R_FMA:
        return has_tile(op);
    default:
        return false;
    }
}

static void print_splat(Printer *in, const Op *op)
{
    fprintf(in->out, "ws::splat<%s, %s>(", element_text[op->results[0]->type.dtype], layout_text(in));
    print_operand(in, op->args[0], PREC_TERNARY, false);
    fputc(')', in->out);
}

static void print_elementwise(Printer *in, const Op *op)
{
    bool scalars = takes_scalars(op);
    fprintf(in->out, "%s(", op_info[op->code].call);
    for (int i = 0; i < op->nargs; i++) {
        const Op *def = op->args[i]->def;
        if (i)
            fputs(", ", in->out);
        if (scalars && def && def->code == OP_SPLAT)
            print_operand(in, def->args[0], PREC_TERNARY, true);
        else
            print_value(in, op->args[i], PREC_TERNARY);
    }
    if (op->storage) {
        fputs(", ", in->out);
        print_group_storage(in, op->storage);
    }
    fputc(')', in->out);
}

static void print_coordinates(Printer *in, const Op *op, int first, int end)
{
    for (int i = first; i < end; i++) {
        fputs(", ", in->out);
        print_coordinate(in, op->args[i]);
    }
}

static void print_fill(Printer *in, double fill)
{
    print_float(in->out, fill, false, true);
}

static bool has_fill(const Op *op)
{
    return op->fval != 0 || signbit(op->fval);
}

static void print_load(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    fprintf(in->out, "%s%s<", op_info[op->code].call, has_fill(op) ? "_or" : "");
    if (op->code == OP_LOAD)
        fprintf(in->out, "%d, %d, ", type.rows, type.cols);
    else
        fprintf(in->out, "%d, ", op->code == OP_LOAD_ROW ? type.cols : type.rows);
    fprintf(in->out, "%s>(", layout_text(in));
    if (has_fill(op)) {
        print_fill(in, op->fval);
        fputs(", ", in->out);
    }
    print_value(in, op->args[0], PREC_ANY);
    print_coordinates(in, op, 1, op->nargs);
    fputc(')', in->out);
}

static void print_full(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    fprintf(in->out, "ws::full<%s, %d, %d, %s>(", element_text[type.dtype], type.rows, type.cols, layout_text(in));
    print_fill(in, op->fval);
    fputc(')', in->out);
}

static void print_index(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    fprintf(in->out, "%s<%d, %d, %s>(", op_info[op->code].call, type.rows, type.cols, layout_text(in));
    if (op->nargs)
        print_coordinate(in, op->args[0]);
    fputc(')', in->out);
}

static void print_slice(Printer *in, const Op *op)
{
    fprintf(in->out, "ws::slice<%d>(", (int)op->ival);
    print_value(in, op->args[0], PREC_ANY);
    print_coordinates(in, op, 1, op->nargs);
    fputc(')', in->out);
}

static void print_stage(Printer *in, const Op *op)
{
    fputs("ws::stage(", in->out);
    print_group_storage(in, op->storage);
    fputs(", ", in->out);
    print_value(in, op->args[0], PREC_ANY);
    fputc(')', in->out);
}

/* What an op computes, as an expression.  */
static void print_expression(Printer *in, const Op *op, int outer)
{
    switch (op->code) {
    case OP_VIEW:
        print_view(in, op);
        break;
    case OP_SPLAT:
        print_splat(in, op);
        break;
    case OP_FULL:
        print_full(in, op);
        break;
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
        print_index(in, op);
        break;
    case OP_LOAD:
    case OP_LOAD_ROW:
    case OP_LOAD_COL:
        print_load(in, op);
        break;
    case OP_SLICE:
        print_slice(in, op);
        break;
    case OP_CAST:
        fprintf(in->out, "ws::cast<%s>(", element_text[op->results[0]->type.dtype]);
        print_value(in, op->args[0], PREC_ANY);
        fputc(')', in->out);
        break;
    case OP_READ:
        fprintf(in->out, "ws::read<%s>(", layout_text(in));
        print_value(in, op->args[0], PREC_ANY);
        fputc(')', in->out);
        break;
    case OP_STAGE:
        print_stage(in, op);
        break;
    case OP_AT:
    case OP_AT_FLOAT:
        fprintf(in->out, "%s(", op_info[op->code].call);
        print_value(in, op->args[0], PREC_ANY);
        print_coordinates(in, op, 1, op->nargs);
        fputc(')', in->out);
        break;
    default:
        if (op_info[op->code].class_ == CLASS_SCALAR)
            print_scalar(in, op, outer);
        else
            print_elementwise(in, op);
    }
}

static void print_value(Printer *in, const Value *value, int outer)
{
    const Variable *variable = value->var;
    if (variable && variable->role == in->role && (in->role || !value->def)) {
        fputs(variable->name, in->out);
    } else if (variable && !variable->role) {
        fprintf(in->out, "p.%s", variable->name);
    } else if (value->def) {
        print_expression(in, value->def, outer);
    } else if (value->block && value->block->parent && value->block->parent->code == OP_GRID) {
        fputs("t.ordinal()", in->out);
    } else {
        BUG(in->kernel, "a value without a variable or an expression is used");
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static const char *scalar_type(Type type)
{
    return element_text[type.dtype];
}

static void print_bare_type(Printer *in, Type type)
{
    if (type.kind == K_SCALAR)
        fprintf(in->out, "%s", scalar_type(type));
    else
        fprintf(in->out, "ws::tile<%s, %d, %d, %s>", element_text[type.dtype], type.rows, type.cols, layout_text(in));
}

static void print_bare_declarations(Printer *in, const Op *op)
{
    for (const Variable *variable = in->kernel->variables; variable; variable = variable->next) {
        if (variable->role != in->role || variable->declared != op || !variable->bare)
            continue;
        begin_line(in);
        print_bare_type(in, variable->type);
        fprintf(in->out, " %s;\n", variable->name);
    }
}

/* "const int x = ", "auto x = " or "x = ".  */
static void print_target(Printer *in, const Variable *variable, const Op *op)
{
    begin_line(in);
    if (variable->declared == op && !variable->bare) {
        const char *type = variable->type.kind == K_SCALAR ? scalar_type(variable->type) : "auto";
        fprintf(in->out, "%s%s ", variable->mutable_ ? "" : "const ", type);
    }
    fprintf(in->out, "%s = ", variable->name);
}

static void print_assignment(Printer *in, const Variable *variable, const Op *op, const Value *value)
{
    print_target(in, variable, op);
    print_coordinate(in, value);
    fputs(";\n", in->out);
}

static void print_definition(Printer *in, const Op *op)
{
    print_target(in, op->results[0]->var, op);
    if (op->code == OP_CONVI)
        print_coordinate(in, without_widening(op->args[0]));
    else
        print_expression(in, op, PREC_TERNARY);
    fputs(";\n", in->out);
}

/* Copies that happen at once, as at the end of an iteration.  */
typedef struct {
    Variable *to;
    const Value *from;
    const char *saved; /* name that holds the source by now */
    bool done;
} Copy;

static bool expression_reads(const Value *value, const Variable *variable)
{
    if (value->var)
        return value->var == variable;
    for (int i = 0; value->def && i < value->def->nargs; i++)
        if (expression_reads(value->def->args[i], variable))
            return true;
    return false;
}

static bool copy_is_free(const Copy *copies, int count, int i)
{
    for (int k = 0; k < count; k++)
        if (k != i && !copies[k].done && !copies[k].saved && expression_reads(copies[k].from, copies[i].to))
            return false;
    return true;
}

static void print_copy(Printer *in, Copy *copy, const Op *op)
{
    if (copy->saved)
        line(in, "%s = %s;", copy->to->name, copy->saved);
    else
        print_assignment(in, copy->to, op, copy->from);
    copy->done = true;
}

/* In an order that reads every variable before it is written; a cycle is cut by a saved value.  */
static void print_copies(Printer *in, Copy *copies, int count, const Op *op)
{
    for (int left = count; left;) {
        int i = 0;
        while (i < count && (copies[i].done || !copy_is_free(copies, count, i)))
            i++;
        if (i < count) {
            print_copy(in, &copies[i], op);
            left--;
            continue;
        }
        for (i = 0; copies[i].done || copies[i].saved; i++)
            ;
        copies[i].saved = arena_print(in->kernel->module, "saved_%s", copies[i].to->name);
        begin_line(in);
        fprintf(in->out, "const auto %s = ", copies[i].saved);
        print_value(in, copies[i].from, PREC_TERNARY);
        fputs(";\n", in->out);
    }
}

static Copy *copies_new(Printer *in, int count)
{
    return arena_alloc(in->kernel->module, (size_t)(count ? count : 1) * sizeof(Copy));
}

static int add_copy(Copy *copies, int count, const Value *to, const Value *from)
{
    if (!to->var || to->var == from->var)
        return count;
    copies[count] = (Copy){to->var, from, NULL, false};
    return count + 1;
}

static void print_block(Printer *in, const Block *block);

static void print_yield(Printer *in, const Op *op)
{
    const Op *holder = op->parent->parent;
    int count = 0;
    Copy *copies = copies_new(in, op->nargs);
    if (!holder)
        return;
    for (int i = 0; i < op->nargs; i++) {
        Value *to = NULL;
        if (holder->code == OP_IF)
            to = holder->results[i];
        else if (holder->code == OP_FOR)
            to = holder->blocks[0]->args[i + 1];
        else if (holder->code == OP_WHILE)
            to = holder->blocks[0]->args[i];
        if (to)
            count = add_copy(copies, count, to, op->args[i]);
    }
    print_copies(in, copies, count, op);
}

static void print_initial_values(Printer *in, const Op *op)
{
    int count = 0, n = carried_count(op);
    Copy *copies = copies_new(in, n);
    for (int i = 0; i < n; i++)
        count = add_copy(copies, count, carried(op, i).argument, carried(op, i).init);
    print_copies(in, copies, count, op);
}

/* " // gemm.c:17" */
static void print_place(Printer *in, const Op *op)
{
    if (op->loc.file && op->loc.line)
        fprintf(in->out, "  // %s:%d", file_name(op->loc.file), op->loc.line);
}

static const char *compare_text(const Op *op)
{
    switch (op->ival) {
    case OP_LEI:
        return "<=";
    case OP_GTI:
        return ">";
    case OP_GEI:
        return ">=";
    case OP_NEI:
        return "!=";
    default:
        return "<";
    }
}

static void print_for(Printer *in, const Op *op)
{
    const Variable *counter = op->blocks[0]->args[0]->var;
    const Op *step = op->args[2]->def;
    bool down = step && step->code == OP_CONST && step->ival < 0 && step->ival != INT64_MIN;
    print_initial_values(in, op);
    begin_line(in);
    fprintf(in->out, "for (%s %s = ", scalar_type(op->blocks[0]->args[0]->type), counter->name);
    print_coordinate(in, op->args[0]);
    fprintf(in->out, "; %s %s ", counter->name, compare_text(op));
    print_operand(in, op->args[1], PREC_COMPARE + 1, false);
    fprintf(in->out, "; %s %s= ", counter->name, down ? "-" : "+");
    if (down)
        print_int(in->out, op->args[2]->type.dtype, -step->ival, false);
    else
        print_coordinate(in, op->args[2]);
    fputs(") {", in->out);
    print_place(in, op);
    fputc('\n', in->out);
    print_block(in, op->blocks[0]);
    line(in, "}");
}

static void print_while(Printer *in, const Op *op)
{
    print_initial_values(in, op);
    begin_line(in);
    fputs("for (;;) {", in->out);
    print_place(in, op);
    fputc('\n', in->out);
    print_block(in, op->blocks[0]);
    print_block(in, op->blocks[1]);
    line(in, "}");
}

/* The opposite comparison, where there is one that is right for NaN too.  */
static const char *opposite(const Op *op)
{
    bool real = op->nargs && dtype_is_float(op->args[0]->type.dtype);
    switch (op->code) {
    case OP_EQI:
        return "!=";
    case OP_NEI:
        return "==";
    case OP_LTI:
        return real ? NULL : ">=";
    case OP_LEI:
        return real ? NULL : ">";
    case OP_GTI:
        return real ? NULL : "<=";
    case OP_GEI:
        return real ? NULL : "<";
    default:
        return NULL;
    }
}

static void print_negated(Printer *in, const Value *condition)
{
    const char *text = condition->var || !condition->def ? NULL : opposite(condition->def);
    int64_t number;
    if (!text || ir_constant(condition, &number)) {
        fputc('!', in->out);
        print_operand(in, condition, PREC_UNARY, false);
    } else {
        print_infix(in, condition->def, (Infix){text, infix_of(condition->def).precedence}, PREC_ANY);
    }
}

/* The condition is read before the values are handed on.  */
static void print_cond(Printer *in, const Op *op)
{
    const Op *holder = op->parent->parent;
    int count = 0;
    Copy *copies = copies_new(in, op->nargs);
    for (int i = 1; i < op->nargs; i++)
        count = add_copy(copies, count, holder->blocks[1]->args[i - 1], op->args[i]);
    begin_line(in);
    fputs(count ? "const bool go_on = " : "if (", in->out);
    if (count)
        print_operand(in, op->args[0], PREC_TERNARY, false);
    else
        print_negated(in, op->args[0]);
    fputs(count ? ";\n" : ")\n", in->out);
    if (count) {
        print_copies(in, copies, count, op);
        line(in, "if (!go_on)");
    }
    line(in, "    break;");
}

static bool block_prints_nothing(const Block *block)
{
    const Op *op = block->first;
    if (!op || op->code != OP_YIELD)
        return !op;
    for (int i = 0; i < op->nargs; i++)
        if (block->parent->results[i]->var && block->parent->results[i]->var != op->args[i]->var)
            return false;
    return true;
}

static void print_if(Printer *in, const Op *op)
{
    bool swap = op->nblocks > 1 && block_prints_nothing(op->blocks[0]) && !block_prints_nothing(op->blocks[1]);
    begin_line(in);
    fputs("if (", in->out);
    if (swap)
        print_negated(in, op->args[0]);
    else
        print_operand(in, op->args[0], PREC_ANY, false);
    fputs(") {", in->out);
    print_place(in, op);
    fputc('\n', in->out);
    print_block(in, op->blocks[swap]);
    if (!swap && op->nblocks > 1 && !block_prints_nothing(op->blocks[1])) {
        line(in, "} else {");
        print_block(in, op->blocks[1]);
    }
    line(in, "}");
}

/* Behind the induction variables may stand the tile's ordinal.  */
static int grid_dims(const Op *op)
{
    return op->nargs / 3;
}

static void print_grid(Printer *in, const Op *op)
{
    const Block *body = op->blocks[0];
    begin_line(in);
    fprintf(in->out, "for (ws::tiles<%d> t(p.grid); t.more(); t.next()) {", grid_dims(op));
    print_place(in, op);
    fputc('\n', in->out);
    in->indent++;
    for (int i = 0; i < grid_dims(op); i++)
        line(in, "const %s %s = t.at(%d);", scalar_type(body->args[i]->type), body->args[i]->var->name, i);
    in->indent--;
    print_block(in, body);
    line(in, "}");
}

/* ---- statements of the lowered form ------------------------------------------------------------------------------ */

/* The role that holds both ends of a ring has two objects for it.  */
static bool has_op(const Role *role, Opcode code, const Aref *aref);

static const char *end_name(const Printer *in, const Aref *aref, bool producing)
{
    bool both = producing && has_op(in->role, OP_GET, aref);
    return both ? arena_print(in->kernel->module, "%s_in", aref->name) : aref->name;
}

static void print_skip(Printer *in, const Op *op)
{
    begin_line(in);
    fprintf(in->out, "%s.skip(", end_name(in, op->aref, false));
    if (op->nargs && op->ival != 1)
        fprintf(in->out, "%d * (", (int)op->ival);
    if (op->nargs)
        print_operand(in, op->args[0], PREC_TERNARY, false);
    else
        fprintf(in->out, "%d", (int)op->ival);
    fputs(op->nargs && op->ival != 1 ? "));\n" : ");\n", in->out);
}

static void print_slot_result(Printer *in, const Op *op, bool producing)
{
    if (op->nresults && op->results[0]->var)
        print_target(in, op->results[0]->var, op);
    else
        begin_line(in);
    fprintf(in->out, "%s.%s();\n", end_name(in, op->aref, producing), op_info[op->code].call);
}

static void print_copy_in(Printer *in, const Op *op)
{
    begin_line(in);
    fprintf(in->out, "ws::copy_in%s(", has_fill(op) ? "_or" : "");
    if (has_fill(op)) {
        print_fill(in, op->fval);
        fputs(", ", in->out);
    }
    fprintf(in->out, "%s, ", end_name(in, op->aref, true));
    print_slot(in, op->storage, op->args[0]);
    fputs(", ", in->out);
    print_value(in, op->args[1], PREC_ANY);
    fprintf(in->out, ", p.%s", map_for(in, op));
    print_coordinates(in, op, 2, op->nargs);
    fputs(");\n", in->out);
}

static void print_accumulate(Printer *in, const Op *op)
{
    const Variable *variable = op->results[0]->var;
    if (op->args[2]->var != variable)
        print_assignment(in, variable, op, op->args[2]);
    begin_line(in);
    fprintf(in->out, "%s(%s, ", op_info[op->code].call, variable->name);
    print_value(in, op->args[0], PREC_TERNARY);
    fputs(", ", in->out);
    print_value(in, op->args[1], PREC_TERNARY);
    fputs(");\n", in->out);
}

static void print_wait(Printer *in, const Op *op)
{
    begin_line(in);
    fprintf(in->out, "ws::wait<%d>(", (int)op->ival);
    for (int i = 0; i < op->nargs; i++) {
        if (i)
            fputs(", ", in->out);
        print_value(in, op->args[i], PREC_ANY);
    }
    fputs(");\n", in->out);
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->var && op->results[i]->var != op->args[i]->var)
            print_assignment(in, op->results[i]->var, op, op->args[i]);
}

/* A store, an atomic addition.  */
static void print_store(Printer *in, const Op *op)
{
    begin_line(in);
    fprintf(in->out, "%s(", op_info[op->code].call);
    if (op->storage) {
        print_group_storage(in, op->storage);
        fputs(", ", in->out);
    }
    print_value(in, op->args[0], PREC_ANY);
    if (op->storage)
        fprintf(in->out, ", p.%s", map_for(in, op));
    print_coordinates(in, op, 1, op->nargs - 1);
    fputs(", ", in->out);
    print_value(in, op->args[op->nargs - 1], PREC_TERNARY);
    fputs(");", in->out);
    print_place(in, op);
    fputc('\n', in->out);
}

static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 32 || c == '"' || c == '\\' || c >= 127)
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void print_print(Printer *in, const Op *op)
{
    begin_line(in);
    fputs("ws::print(", in->out);
    print_quoted(in->out, op->sval ? op->sval : "");
    fputs(", ", in->out);
    print_value(in, op->args[0], PREC_TERNARY);
    fputs(");\n", in->out);
}

static void print_sync(Printer *in, const Op *op)
{
    switch (op->code) {
    case OP_PUT:
    case OP_GET:
        print_slot_result(in, op, op->code == OP_PUT);
        break;
    case OP_COPY_IN:
        print_copy_in(in, op);
        break;
    case OP_PUT_DONE:
        line(in, "%s.put_done();", end_name(in, op->aref, true));
        break;
    case OP_MMA:
        print_accumulate(in, op);
        break;
    case OP_WAIT:
        print_wait(in, op);
        break;
    case OP_CONSUMED:
        line(in, "%s.consumed<%d>();", end_name(in, op->aref, false), (int)op->ival);
        break;
    case OP_STORE_WAIT:
        line(in, "ws::store_wait<%d>();", (int)op->ival);
        break;
    case OP_STAGE:
        print_definition(in, op);
        break;
    case OP_SKIP:
        print_skip(in, op);
        break;
    case OP_TURN_TAKE:
    case OP_TURN_PASS:
        line(in, "s.turns.%s(group);", op_info[op->code].call);
        break;
    default: /* COMMIT, BARRIER */
        line(in, "%s();", op_info[op->code].call);
    }
}

static void print_control(Printer *in, const Op *op)
{
    switch (op->code) {
    case OP_GRID:
        print_grid(in, op);
        break;
    case OP_FOR:
        print_for(in, op);
        break;
    case OP_WHILE:
        print_while(in, op);
        break;
    case OP_IF:
        print_if(in, op);
        break;
    case OP_COND:
        print_cond(in, op);
        break;
    default:
        print_yield(in, op);
    }
}

static void print_statement(Printer *in, const Op *op)
{
    print_bare_declarations(in, op);
    if (op_is_pure(op)) {
        if (op->results[0]->var && op->results[0]->var->role)
            print_definition(in, op);
        return;
    }
    switch (op_info[op->code].class_) {
    case CLASS_CONTROL:
        print_control(in, op);
        break;
    case CLASS_STORE:
        if (op->code == OP_PRINT)
            print_print(in, op);
        else
            print_store(in, op);
        break;
    case CLASS_SYNC:
        print_sync(in, op);
        break;
    default:
        print_accumulate(in, op); /* DOT_F32 */
    }
}

static void print_block(Printer *in, const Block *block)
{
    in->indent++;
    for (const Op *op = block->first; op; op = op->next)
        print_statement(in, op);
    in->indent--;
}

/* ---- structs ----------------------------------------------------------------------------------------------------- */

static void print_params(Printer *in, const Map *maps)
{
    Kernel *kernel = in->kernel;
    Module *module = kernel->module;
    const Op *grid = role_grid(kernel->roles);
    line(in, "struct %s_params {", kernel->name);
    in->indent++;
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_TENSOR)
            line(in, "ws::tensor<%s, %d> %s;", element_text[field->type.dtype], field->type.rank, field->name);
    for (const Map *map = maps; map; map = map->next) {
        const char *text = arena_print(module, "ws::map %s;", map->name);
        if (map->load)
            commented(in, text, arena_print(module, "boxes of %d rows", map->rows));
        else
            line(in, "%s", text);
    }
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR)
            line(in, "%s %s;", scalar_type(field->type), field->name);
    line(in, "ws::grid<%d> grid;", grid_dims(grid));
    in->indent--;
    line(in, "};\n");
}

static const char *number_word(int n)
{
    static const char *const words[] = {"no", "one", "two", "three", "four", "five", "six", "seven", "eight"};
    return n >= 0 && n <= 8 ? words[n] : "several";
}

static void print_output(Printer *in, const Storage *storage)
{
    Module *module = in->kernel->module;
    Type tile = storage->tile;
    int blocks = (tile.cols * dtype_bytes(tile.dtype) + 127) / 128;
    const char *count = storage->slots > 1 ? arena_print(module, "[%d]", storage->slots) : "";
    commented(in,
              arena_print(module, "ws::output<%s, %d, %d> %s%s;", element_text[tile.dtype], tile.rows, blocks,
                          storage->name, count),
              arena_print(module, "%d rows, %d block%s of 128 bytes%s", tile.rows, blocks, blocks > 1 ? "s" : "",
                          storage->slots > 1 ? "; one for each group" : ""));
}

static void print_storage(Printer *in, const Storage *storage)
{
    Type tile = storage->tile;
    const char *type = element_text[tile.dtype];
    const char *count =
        storage->slots > 1 || storage->use == USE_RING ? arena_print(in->kernel->module, "[%d]", storage->slots) : "";
    if (storage->use == USE_OUTPUT)
        print_output(in, storage);
    else if (storage->use == USE_SCRATCH)
        line(in, "ws::scratch<%lld> %s%s;", (long long)storage->slot_bytes, storage->name, count);
    else
        line(in, "ws::shared_tile<%s, %d, %d> %s%s;", type, tile.rows, tile.cols, storage->name, count);
}

static bool has_op(const Role *role, Opcode code, const Aref *aref);

static bool uses_shared(const Kernel *kernel)
{
    return kernel->storages || kernel->arefs;
}

static void print_shared(Printer *in)
{
    Kernel *kernel = in->kernel;
    if (!uses_shared(kernel))
        return;
    line(in, "struct %s_shared {", kernel->name);
    in->indent++;
    FOR_STORAGES (storage, kernel)
        print_storage(in, storage);
    FOR_AREFS (aref, kernel)
        line(in, "ws::ring<%d> %s;", aref->slots, aref->name);
    FOR_ROLES (role, kernel)
        if (has_op(role, OP_TURN_TAKE, NULL))
            line(in, "ws::turns<%d> turns;", role->replicas);
    in->indent--;
    line(in, "};\n");
}

/* ---- roles and the kernel ---------------------------------------------------------------------------------------- */

typedef struct {
    Opcode code;
    const Aref *aref;
    bool found;
} Search;

static void visit_search(Op *op, void *context)
{
    Search *search = context;
    search->found |= op->code == search->code && op->aref == search->aref;
}

static bool has_op(const Role *role, Opcode code, const Aref *aref)
{
    Search search = {code, aref, false};
    ir_walk(role->body, visit_search, &search);
    return search.found;
}

static void print_role(Printer *in, Role *role)
{
    Kernel *kernel = in->kernel;
    in->role = role;
    fprintf(in->out, "static WS_DEVICE void %s_%s(const %s_params &p", kernel->name, role->name, kernel->name);
    if (uses_shared(kernel))
        fprintf(in->out, ", %s_shared &s", kernel->name);
    fputs(", int group)\n{\n", in->out);
    in->indent++;
    FOR_AREFS (aref, kernel)
        if (has_op(role, OP_PUT, aref))
            line(in, "ws::producer<%d> %s(s.%s);", aref->slots, end_name(in, aref, true), aref->name);
    FOR_AREFS (aref, kernel)
        if (has_op(role, OP_GET, aref))
            line(in, "ws::consumer<%d> %s(s.%s);", aref->slots, aref->name, aref->name);
    in->indent--;
    print_block(in, role->body);
    line(in, "}\n");
    in->role = NULL;
}

static void print_group_argument(Printer *in, const Role *role)
{
    int first = role_first_group(in->kernel, role);
    if (role->replicas == 1)
        fputs("0", in->out);
    else if (first)
        fprintf(in->out, "ws::warp_group() - %d", first);
    else
        fputs("ws::warp_group()", in->out);
}

static void print_role_call(Printer *in, const Role *role)
{
    int average = in->kernel->threads ? 65536 / in->kernel->threads : 0;
    bool only = in->kernel->roles == role && !role->next;
    if (role->registers)
        line(in, "ws::registers_%s<%d>();", role->registers < average ? "down" : "up", role->registers);
    if (role_issues_only(role) && !only) {
        line(in, "if (ws::first_warp())");
        fputs("    ", in->out);
    }
    begin_line(in);
    fprintf(in->out, "%s_%s(p, %s", in->kernel->name, role->name, uses_shared(in->kernel) ? "s, " : "");
    print_group_argument(in, role);
    fputs(");\n", in->out);
}

static void print_dispatch(Printer *in)
{
    Kernel *kernel = in->kernel;
    if (!kernel->roles->next) {
        print_role_call(in, kernel->roles);
        return;
    }
    FOR_ROLES (role, kernel) {
        int first = role_first_group(kernel, role), end = first + role->replicas;
        const char *also = role == kernel->roles ? "" : "} else ";
        if (!role->next)
            line(in, "} else {");
        else if (role->replicas == 1 && !first)
            line(in, "if (ws::warp_group() == 0) {");
        else
            line(in, "%sif (ws::warp_group() < %d) {", also, end);
        in->indent++;
        print_role_call(in, role);
        in->indent--;
    }
    line(in, "}");
}

static void print_inits(Printer *in)
{
    Kernel *kernel = in->kernel;
    bool turns = kernel_takes_turns(kernel);
    bool several = kernel->arefs && (kernel->arefs->next || turns);
    if (!kernel->arefs)
        return;
    line(in, several ? "if (ws::first_thread()) {" : "if (ws::first_thread())");
    in->indent++;
    FOR_AREFS (aref, kernel)
        commented(in, arena_print(kernel->module, "s.%s.init(\"%s\", %d);", aref->name, aref->name, aref->arrivals),
                  arena_print(kernel->module, "%s group%s each slot", number_word(aref->arrivals),
                              aref->arrivals == 1 ? " releases" : "s release"));
    if (turns)
        line(in, "s.turns.init(\"turns\");");
    in->indent--;
    if (several)
        line(in, "}");
}

static void print_kernel_function(Printer *in)
{
    Kernel *kernel = in->kernel;
    line(in, "static WS_KERNEL(%d, %d) void %s_kernel(WS_PARAMS(%s_params) p)", kernel->threads,
         kernel->min_blocks > 0 ? kernel->min_blocks : 1, kernel->name, kernel->name);
    line(in, "{");
    in->indent++;
    if (uses_shared(kernel))
        line(in, "%s_shared &s = ws::shared<%s_shared>();", kernel->name, kernel->name);
    print_inits(in);
    line(in, "ws::start();");
    print_dispatch(in);
    in->indent--;
    line(in, "}\n");
}

/* ---- the launcher ------------------------------------------------------------------------------------------------ */

enum { LOADED = 1, STORED = 2 };

typedef struct {
    const Variable *tensor;
    int how;
} Access;

static void visit_access(Op *op, void *context)
{
    Access *access = context;
    for (int i = 0; i < op->nargs; i++) {
        if (op->code == OP_SLICE || op->args[i]->type.kind != K_TENSOR)
            continue;
        const Op *root = tensor_root(op->args[i]);
        if (!root || root->results[0]->var != access->tensor)
            continue;
        access->how |= op_info[op->code].class_ == CLASS_STORE ? STORED : LOADED;
        access->how |= op->code == OP_ATOMIC_ADD ? LOADED : 0;
    }
}

static const char *access_text(const Kernel *kernel, const Variable *tensor)
{
    Access access = {tensor, 0};
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_access, &access);
    return access.how == (LOADED | STORED) ? "ws::loaded_and_stored"
           : access.how == STORED          ? "ws::stored"
                                           : "ws::loaded";
}

/* Extents and strides are long.  */
static void print_extent(Printer *in, const Value *value)
{
    value = without_widening(value);
    bool cast = value->type.dtype == D_U64 && !is_literal(value);
    if (cast)
        fputs("(long)", in->out);
    print_operand(in, value, cast ? PREC_UNARY : PREC_TERNARY, false);
}

static void print_extents(Printer *in, const Op *op, int first, int count)
{
    fputc('{', in->out);
    for (int i = 0; i < count; i++) {
        if (i)
            fputs(", ", in->out);
        print_extent(in, op->args[first + i]);
    }
    fputc('}', in->out);
}

static void print_tensor(Printer *in, const Variable *field)
{
    const Op *op = field->value->def;
    int rank = field->type.rank;
    begin_line(in);
    fprintf(in->out, "call.tensor(p.%s, \"%s\", ", field->name, field->name);
    print_value(in, op->args[0], PREC_TERNARY);
    fputs(", ", in->out);
    print_extents(in, op, 1, rank);
    fputs(", ", in->out);
    print_extents(in, op, 1 + rank, rank);
    fprintf(in->out, ", %s);\n", access_text(in->kernel, field));
}

static void print_launcher_parameters(Printer *in)
{
    Kernel *kernel = in->kernel;
    fprintf(in->out, "extern \"C\" void %s(", kernel->launcher);
    for (int i = 0; i < kernel->nparams; i++) {
        const Value *param = kernel->params[i];
        fprintf(in->out, "%s%s%s", i ? ", " : "", param->type.kind == K_PTR ? "const void *" : scalar_type(param->type),
                param->type.kind == K_PTR ? "" : " ");
        fputs(param->var->name, in->out);
    }
    fputs(kernel->nparams ? ")\n{\n" : "void)\n{\n", in->out);
}

/* The field's own expression; later ones may read it as p.name.  */
static void print_scalar_field(Printer *in, const Variable *field)
{
    begin_line(in);
    fprintf(in->out, "p.%s = ", field->name);
    if (field->value->def)
        print_expression(in, field->value->def, PREC_TERNARY);
    else
        fputs(field->name, in->out);
    fputs(";\n", in->out);
}

static const char *order_text(TileOrder order)
{
    static const char *const texts[] = {"order_auto", "order_row", "order_column", "order_grouped"};
    return texts[order];
}

static void print_grid_launch(Printer *in)
{
    const Grid *clauses = &in->kernel->grid;
    const Op *grid = role_grid(in->kernel->roles);
    begin_line(in);
    fputs("call.grid(p.grid, {", in->out);
    for (int i = 0; i < grid_dims(grid); i++) {
        fputs(i ? ", " : "", in->out);
        print_extents(in, grid, 3 * i, 3);
    }
    fprintf(in->out, "}, ws::%s, %d);\n", order_text(clauses->order), clauses->order_group);
}

static void print_run(Printer *in)
{
    const Kernel *kernel = in->kernel;
    begin_line(in);
    fprintf(in->out, "call.run(%s_kernel, p, %d, ", kernel->name, kernel->threads);
    if (uses_shared(kernel))
        fprintf(in->out, "sizeof(%s_shared)", kernel->name);
    else
        fputs("0", in->out);
    if (kernel->shared_padding)
        fprintf(in->out, " + %d", kernel->shared_padding);
    fprintf(in->out, ", ws::%s);\n", kernel->grid.persistent ? "persistent" : "one_tile");
}

static void print_launcher(Printer *in, const Map *maps)
{
    Kernel *kernel = in->kernel;
    print_launcher_parameters(in);
    in->indent++;
    line(in, "ws::launch call(\"%s\");", kernel->c_function);
    line(in, "%s_params p;", kernel->name);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR && field->value->def)
            print_scalar_field(in, field);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_TENSOR)
            print_tensor(in, field);
    line(in, "call.place();");
    for (const Map *map = maps; map; map = map->next)
        line(in, "call.map(p.%s, p.%s, %d);", map->name, map->tensor->name, map->rows);
    for (const Variable *field = kernel->variables; field; field = field->next)
        if (field->field && field->type.kind == K_SCALAR && !field->value->def)
            print_scalar_field(in, field);
    print_grid_launch(in);
    print_run(in);
    in->indent--;
    line(in, "}");
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Textual IR does not say what the launcher's variables hold: a program that enters behind plan cannot be printed.  */
static bool is_planned(Kernel *kernel)
{
    if (!kernel->threads)
        return false;
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        if (!variable->role && !variable->value)
            return false;
    return true;
}

static void print_kernel(Printer *in)
{
    Kernel *kernel = in->kernel;
    if (!is_planned(kernel)) {
        BUG(kernel, "plan has not named the variables of '%s'", kernel->name);
        return;
    }
    const Map *maps = in->maps = collect_maps(in);
    line(in, "\n// %s:%d: %s", file_name(kernel->loc.file), kernel->loc.line, kernel->c_function);
    print_params(in, maps);
    print_shared(in);
    FOR_ROLES (role, kernel)
        print_role(in, role);
    print_kernel_function(in);
    print_launcher(in, maps);
}

/* require: plan, and verify found nothing.   ensure: the text, in the module's arena; NULL without kernels.  */
const char *cuda_print(Module *module)
{
    char *text = NULL;
    size_t size = 0;
    int printed = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("#include <wsrt.cuh>\n", out);
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next) {
        if (kernel->failed || !kernel->roles || !role_grid(kernel->roles))
            continue;
        Printer printer = {.out = out, .kernel = kernel};
        print_kernel(&printer);
        printed++;
    }
    fclose(out);
    const char *copy = printed ? arena_print(module, "%s", text) : NULL;
    free(text);
    return copy;
}
