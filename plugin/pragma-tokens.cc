/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma-tokens.cc - the tokens of a pragma, and the constants in its clauses.
 *
 * Tokens arrive macro-expanded.  There is no expression parser to call, so constants have a small one here.
 */
#include "pragma.h"

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

bool parser_is_lexing;

/* The pragma's tokens, and where it is read again; -1: it is read for the first time.  */
static vec<Tokens> recorded = vNULL;
static int replayed = -1;

void record_tokens(void)
{
    recorded.truncate(0);
}

void replay_tokens(bool again)
{
    replayed = again ? 0 : -1;
}

static void lex(Tokens *t)
{
    t->value = NULL_TREE;
    unsigned char flags;
    t->type = parser_is_lexing ? c_lex_with_flags(&t->value, &t->where, &flags, 0) : pragma_lex(&t->value, &t->where);
    t->type = t->type == CPP_PRAGMA_EOL ? CPP_EOF : t->type;
}

/* The parser takes no directive inside of a pragma, so _Pragma is a name like others there.  */
static node_type operator_type;

void take_operator(bool away)
{
    cpp_hashnode *node = cpp_lookup(parse_in, (const unsigned char *)"_Pragma", 7);
    if (away && node->type != NT_VOID)
        operator_type = (node_type)node->type;
    node->type = away ? NT_VOID : operator_type;
}

void next_token(Tokens *t)
{
    bool failed = t->failed;
    if (replayed < 0) {
        lex(t);
        recorded.safe_push(*t);
    } else {
        *t = recorded[(unsigned)replayed];
        replayed += (unsigned)replayed + 1 < recorded.length();
    }
    t->failed = failed;
    if (!strcmp(word_of(t), "_Pragma"))
        wrong_token(t, "write the other pragma on a line of its own, below this one",
                    "'_Pragma' stands inside of '#pragma ws'");
}

void wrong_token(Tokens *t, const char *remedy, const char *sentence)
{
    if (!t->failed)
        complain(t->where, remedy, "%s", sentence);
    t->failed = true;
}

bool accept_token(Tokens *t, enum cpp_ttype type)
{
    if (t->failed || t->type != type)
        return false;
    next_token(t);
    return true;
}

void expect_token(Tokens *t, enum cpp_ttype type, const char *what)
{
    if (!accept_token(t, type))
        wrong_token(t, NULL, what);
}

const char *word_of(const Tokens *t)
{
    return t->type == CPP_NAME && t->value ? IDENTIFIER_POINTER(t->value) : "";
}

void unknown_word(Tokens *t, const char *place, const char *const *choices, const char *remedy)
{
    if (t->failed)
        return;
    t->failed = true;
    if (t->type != CPP_NAME) {
        complain(t->where, remedy, "expected %s", place);
        return;
    }
    auto_vec<const char *> candidates;
    for (; *choices; choices++)
        candidates.safe_push(*choices);
    const char *close = find_closest_string(word_of(t), &candidates);
    auto_diagnostic_group group;
    gcc_rich_location rich(t->where);
    if (close) {
        rich.add_fixit_replace(close);
        error_at(&rich, "%qs is not %s; did you mean %qs?", word_of(t), place, close);
    } else {
        error_at(&rich, "%qs is not %s", word_of(t), place);
    }
    inform(t->where, "%s", remedy);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static int64_t sum(Tokens *t);

/* An enumerator, or a variable that is const and has a constant for its value.  */
static int64_t named_constant(Tokens *t)
{
    tree decl = lookup_name(t->value);
    tree value = NULL_TREE;
    if (decl && TREE_CODE(decl) == CONST_DECL)
        value = DECL_INITIAL(decl);
    else if (decl && VAR_P(decl) && TREE_READONLY(decl) && !TREE_THIS_VOLATILE(decl))
        value = DECL_INITIAL(decl);
    if (value && value != error_mark_node) {
        tree chosen = choice_fold(decl);
        STRIP_NOPS(value);
        value = chosen ? chosen : fold(value);
    }
    if (!value || TREE_CODE(value) != INTEGER_CST) {
        if (!t->failed) {
            auto_diagnostic_group group;
            error_at(t->where, "%qs is not a constant here", word_of(t));
            inform(t->where, "use a number, a macro, an enumerator or a %<const%> variable with a constant value");
        }
        t->failed = true;
        return 1;
    }
    TREE_USED(decl) = 1;
    if (VAR_P(decl))
        DECL_READ_P(decl) = 1;
    next_token(t);
    return tree_to_shwi(value);
}

/* ws_choice in the clause itself.  */
static int64_t choice(Tokens *t, bool is_shape)
{
    location_t where = t->where;
    auto_vec<int64_t> values;
    next_token(t);
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'ws_choice'");
    do
        values.safe_push(sum(t));
    while (accept_token(t, CPP_COMMA));
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the values");
    return t->failed ? 1 : choice_in_clause(where, is_shape, (int)values.length(), values.address());
}

int64_t constant_primary(Tokens *t)
{
    int64_t result = 1;
    if (accept_token(t, CPP_MINUS))
        return -constant_primary(t);
    if (accept_token(t, CPP_PLUS))
        return constant_primary(t);
    if (accept_token(t, CPP_OPEN_PAREN)) {
        result = sum(t);
        expect_token(t, CPP_CLOSE_PAREN, "expected ')'");
        return result;
    }
    if (!strcmp(word_of(t), "ws_choice_") || !strcmp(word_of(t), "ws_choice_shape_"))
        return choice(t, !strcmp(word_of(t), "ws_choice_shape_"));
    if (t->type == CPP_NAME)
        return named_constant(t);
    if ((t->type == CPP_NUMBER || t->type == CPP_CHAR) && t->value && TREE_CODE(t->value) == INTEGER_CST &&
        tree_fits_shwi_p(t->value)) {
        result = tree_to_shwi(t->value);
        next_token(t);
        return result;
    }
    wrong_token(t, NULL, "expected an integer constant");
    return result;
}

static int64_t product(Tokens *t)
{
    int64_t result = constant_primary(t);
    while (!t->failed && (t->type == CPP_MULT || t->type == CPP_DIV || t->type == CPP_MOD)) {
        enum cpp_ttype sign = t->type;
        next_token(t);
        location_t where = t->where;
        int64_t right = constant_primary(t);
        if (sign == CPP_MULT) {
            result *= right;
        } else if (!right) {
            t->where = where;
            wrong_token(t, NULL, "division by zero in a clause");
        } else {
            result = sign == CPP_DIV ? result / right : result % right;
        }
    }
    return result;
}

static int64_t sum(Tokens *t)
{
    int64_t result = product(t);
    while (!t->failed && (t->type == CPP_PLUS || t->type == CPP_MINUS)) {
        bool minus = t->type == CPP_MINUS;
        next_token(t);
        int64_t right = product(t);
        result = minus ? result - right : result + right;
    }
    return result;
}

int constant_in_range(Tokens *t, const char *what, int lowest, int highest)
{
    location_t where = t->where;
    int64_t result = sum(t);
    if (!t->failed && (result < lowest || result > highest)) {
        t->failed = true;
        complain(where, NULL, "%s is from %d to %d, not %ld", what, lowest, highest, (long)result);
    }
    return (int)result;
}
