/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expression.c - integers in clauses: constants, and expressions of the program.
 *
 *   2 * (STAGES + 1)        NUMBER 10
 *   n * (m + 1)             MULTIPLY (NAME n, ADD (NAME m, NUMBER 1))
 */
#include <string.h>

#include "source/reader.h"

enum { DEEPEST = 200 };

static const struct {
    const char *text;
    ExpressionKind kind;
    int binds; /* the larger, the stronger */
} operators[] = {{"+", EXPRESSION_ADD, 1},
                 {"-", EXPRESSION_SUBTRACT, 1},
                 {"*", EXPRESSION_MULTIPLY, 2},
                 {"/", EXPRESSION_DIVIDE, 2},
                 {"%", EXPRESSION_REMAINDER, 2}};
enum { OPERATORS = sizeof operators / sizeof *operators };

static const Expression *read_primary(Reader *r, const char *what);
static const Expression *read_sum(Reader *r, const char *what, int binds);

static const Expression *node(const Reader *r, Expression expression)
{
    Expression *result = arena_alloc(r->host->module, sizeof *result);
    *result = expression;
    return result;
}

static bool is_number(const Expression *e, int64_t value)
{
    return e->kind == EXPRESSION_NUMBER && e->number == value;
}

/* False: the result does not fit.  */
static bool compute(ExpressionKind kind, int64_t x, int64_t y, int64_t *result)
{
    switch (kind) {
    case EXPRESSION_ADD:
        return !__builtin_add_overflow(x, y, result);
    case EXPRESSION_SUBTRACT:
        return !__builtin_sub_overflow(x, y, result);
    case EXPRESSION_MULTIPLY:
        return !__builtin_mul_overflow(x, y, result);
    default:
        if (x == INT64_MIN && y == -1)
            return false;
        *result = kind == EXPRESSION_DIVIDE ? x / y : x % y;
        return true;
    }
}

static const Expression *joined(Reader *r, ExpressionKind kind, const Expression *left, const Expression *right)
{
    Expression result = {.kind = kind, .loc = left->loc, .left = left, .right = right};
    if ((kind == EXPRESSION_DIVIDE || kind == EXPRESSION_REMAINDER) && is_number(right, 0)) {
        reader_fail(r, right->loc, REASON_PRAGMA_ZERO, NULL);
    } else if (left->kind == EXPRESSION_NUMBER && right->kind == EXPRESSION_NUMBER) {
        result = (Expression){.kind = EXPRESSION_NUMBER, .loc = left->loc};
        if (!compute(kind, left->number, right->number, &result.number))
            reader_fail(r, left->loc, REASON_PRAGMA_LARGE, NULL);
    }
    return r->failed ? NULL : node(r, result);
}

static const Expression *negated(Reader *r, Loc loc, const Expression *of)
{
    Expression result = {.kind = EXPRESSION_NEGATE, .loc = loc, .left = of};
    if (of && of->kind == EXPRESSION_NUMBER) {
        result = (Expression){.kind = EXPRESSION_NUMBER, .loc = loc};
        if (!compute(EXPRESSION_SUBTRACT, 0, of->number, &result.number))
            reader_fail(r, loc, REASON_PRAGMA_LARGE, NULL);
    }
    return r->failed || !of ? NULL : node(r, result);
}

/* ws_choice(x, y, ...); ws.h makes a call of a function with an underscore of it.  */
static bool is_choice(const Token *token, bool *shape)
{
    *shape = token_is(token, "ws_choice_shape") || token_is(token, "ws_choice_shape_");
    return *shape || token_is(token, "ws_choice") || token_is(token, "ws_choice_");
}

static const Expression *read_choice(Reader *r, bool shape)
{
    Expression result = {.kind = EXPRESSION_NUMBER, .loc = r->next->loc};
    int64_t *values = NULL;
    int count = 0;
    r->next++;
    reader_expect(r, "(", "'(' after 'ws_choice'");
    do {
        const Expression *value = read_sum(r, NULL, 1);
        if (!value)
            return NULL;
        LIST_ADD(r->host->module, values, count) = value->number;
    } while (reader_accept(r, ","));
    reader_expect(r, ")", "')' after the values");
    if (r->failed)
        return NULL;
    result.number = r->host->choose(r->host->context, result.loc, shape, count, values);
    return node(r, result);
}

static const Expression *read_name(Reader *r, const char *what)
{
    const Token *name = r->next;
    Expression result = {.kind = EXPRESSION_NAME, .name = name->text, .loc = name->loc};
    Loc declared;
    switch (r->host->resolve(r->host->context, name, !what, &result.number, &declared)) {
    case NAME_CONSTANT:
        result.kind = EXPRESSION_NUMBER;
        break;
    case NAME_UNKNOWN:
        if (what)
            reader_fail(r, name->loc, REASON_PRAGMA_UNDECLARED, NULL, name->text);
        break;
    case NAME_INTEGER:
        break;
    case NAME_LONG:
        result.is_long = true;
        break;
    default:
        if (what)
            reader_fail(r, name->loc, REASON_PRAGMA_INTEGERS, NULL, what);
    }
    if (!what && result.kind == EXPRESSION_NAME)
        reader_fail(r, name->loc, REASON_PRAGMA_CONSTANT, NULL, name->text);
    r->next++;
    return r->failed ? NULL : node(r, result);
}

static const Expression *read_inner(Reader *r, const char *what)
{
    const Token *token = r->next;
    bool shape;
    if (reader_accept(r, "-"))
        return negated(r, token->loc, read_primary(r, what));
    if (reader_accept(r, "+"))
        return read_primary(r, what);
    if (reader_accept(r, "(")) {
        const Expression *inner = read_sum(r, what, 1);
        reader_expect(r, ")", "')'");
        return r->failed ? NULL : inner;
    }
    if (!what && is_choice(token, &shape))
        return read_choice(r, shape);
    if (token->kind == TOKEN_NAME)
        return read_name(r, what);
    if (token->kind == TOKEN_INTEGER) {
        r->next++;
        return node(r, (Expression){.kind = EXPRESSION_NUMBER, .number = token->value, .loc = token->loc});
    }
    reader_fail(r, token->loc, REASON_PRAGMA_EXPECTED, NULL, "an integer constant");
    return NULL;
}

static const Expression *read_primary(Reader *r, const char *what)
{
    const Expression *result = NULL;
    if (r->depth == DEEPEST)
        reader_fail(r, r->next->loc, REASON_PRAGMA_DEEP, NULL);
    r->depth++;
    if (!r->failed)
        result = read_inner(r, what);
    r->depth--;
    return result;
}

/* Operators that bind at least so strongly.  */
static const Expression *read_sum(Reader *r, const char *what, int binds)
{
    const Expression *result = read_primary(r, what);
    for (int i = 0; result && !r->failed && i < OPERATORS; i++) {
        if (operators[i].binds < binds || !reader_accept(r, operators[i].text))
            continue;
        const Expression *right = read_sum(r, what, operators[i].binds + 1);
        result = right ? joined(r, operators[i].kind, result, right) : NULL;
        i = -1;
    }
    return r->failed ? NULL : result;
}

const Expression *expression_read(Reader *r, const char *what)
{
    return r->failed ? NULL : read_sum(r, what, 1);
}

int64_t constant_in_range(Reader *r, const char *what, int least, int most)
{
    const Expression *value = expression_read(r, NULL);
    if (value && (value->number < least || value->number > most))
        reader_fail(r, value->loc, REASON_PRAGMA_RANGE, NULL, what, least, most, (long long)value->number);
    return value ? value->number : least;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int strength(const Expression *e)
{
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].kind == e->kind)
            return operators[i].binds;
    return e->kind == EXPRESSION_NEGATE ? 3 : 4;
}

static const char *operand_text(Module *module, const Expression *e, int binds)
{
    return arena_print(module, strength(e) < binds ? "(%s)" : "%s", expression_text(module, e));
}

const char *expression_text(Module *module, const Expression *e)
{
    if (e->kind == EXPRESSION_NUMBER)
        return arena_print(module, e->number < 0 ? "(%lldL)" : "%lldL", (long long)e->number);
    if (e->kind == EXPRESSION_NAME)
        return arena_print(module, e->is_long ? "%s" : "(long)%s", e->name);
    if (e->kind == EXPRESSION_NEGATE)
        return arena_print(module, "-%s", operand_text(module, e->left, 4));
    int i = 0;
    while (operators[i].kind != e->kind)
        i++;
    return arena_print(module, "%s %s %s", operand_text(module, e->left, operators[i].binds), operators[i].text,
                       operand_text(module, e->right, operators[i].binds + 1));
}
