/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma-tokens.cc - GCC's side of the grammar of pragmas: tokens, the meaning of names, and errors.
 *
 * Tokens arrive macro-expanded.
 */
#include "pragma.h"

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

bool parser_is_lexing;

static vec<Token> tokens = vNULL;

/* The parser takes no directive inside of a pragma, so _Pragma is a name like others there.  */
static void take_operator(bool away)
{
    static node_type operator_type;
    cpp_hashnode *node = cpp_lookup(parse_in, (const unsigned char *)"_Pragma", 7);
    if (away && node->type != NT_VOID)
        operator_type = (node_type)node->type;
    node->type = away ? NT_VOID : operator_type;
}

static Token lex(void)
{
    tree value = NULL_TREE;
    location_t where;
    unsigned char flags;
    const enum cpp_ttype type =
        parser_is_lexing ? c_lex_with_flags(&value, &where, &flags, 0) : pragma_lex(&value, &where);
    const bool integer =
        (type == CPP_NUMBER || type == CPP_CHAR) && value && TREE_CODE(value) == INTEGER_CST && tree_fits_shwi_p(value);
    Token token = {"", TOKEN_OTHER, integer ? tree_to_shwi(value) : 0, loc_of(where)};
    if (type == CPP_EOF || type == CPP_PRAGMA_EOL) {
        token.kind = TOKEN_END;
    } else if (type == CPP_NAME && value) {
        token.kind = TOKEN_NAME;
        token.text = IDENTIFIER_POINTER(value);
    } else if (integer) {
        token.kind = TOKEN_INTEGER;
    } else if (type <= CPP_LAST_PUNCTUATOR) {
        token.text = cpp_type2name(type, 0);
    }
    return token;
}

const Token *read_tokens(void)
{
    tokens.truncate(0);
    take_operator(true);
    do
        tokens.safe_push(lex());
    while (tokens.last().kind != TOKEN_END);
    take_operator(false);
    return tokens.address();
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The value of an enumerator; if a constant is asked for, also of a const variable with a constant value.  */
static tree constant_value(tree decl, bool asked)
{
    const bool constant =
        TREE_CODE(decl) == CONST_DECL || (asked && VAR_P(decl) && TREE_READONLY(decl) && !TREE_THIS_VOLATILE(decl));
    tree value = constant ? DECL_INITIAL(decl) : NULL_TREE;
    if (!value || value == error_mark_node)
        return NULL_TREE;
    tree chosen = choice_fold(decl);
    STRIP_NOPS(value);
    value = chosen ? chosen : fold(value);
    return TREE_CODE(value) == INTEGER_CST ? value : NULL_TREE;
}

static NameKind kind_of(tree decl)
{
    tree type = TREE_TYPE(decl);
    const bool pointer = TREE_CODE(type) == POINTER_TYPE;
    if (!VAR_P(decl) && TREE_CODE(decl) != PARM_DECL)
        return NAME_OTHER;
    if (INTEGRAL_TYPE_P(type))
        return NAME_INTEGER;
    if ((!pointer && TREE_CODE(type) != ARRAY_TYPE) || !COMPLETE_TYPE_P(TREE_TYPE(type)))
        return NAME_OTHER;
    return pointer || !COMPLETE_TYPE_P(type) ? NAME_POINTER : NAME_ARRAY;
}

static NameKind resolve(void *, const Token *name, bool constant, int64_t *value, Loc *declared)
{
    tree decl = lookup_name(get_identifier(name->text));
    if (!decl)
        return NAME_UNKNOWN;
    if (!DECL_P(decl))
        return NAME_OTHER;
    TREE_USED(decl) = 1;
    mark_exp_read(decl);
    *declared = loc_of(DECL_SOURCE_LOCATION(decl));
    tree known = constant_value(decl, constant);
    if (!known)
        return kind_of(decl);
    *value = tree_to_shwi(known);
    return NAME_CONSTANT;
}

static int64_t choose(void *, Loc loc, bool shape, int count, const int64_t *values)
{
    return choice_in_clause(host_location(loc), shape, count, values);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void report(void *, Loc loc, Reason, const char *sentence, const char *remedy, const char *meant)
{
    location_t where = host_location(loc);
    if (!meant) {
        complain(where, *remedy ? remedy : NULL, "%s", sentence);
        return;
    }
    auto_diagnostic_group group;
    gcc_rich_location rich(where);
    rich.add_fixit_replace(meant);
    error_at(&rich, "%s", sentence);
    inform(where, "%s", remedy);
}

bool read_directive(const Token *list, Directive *directive)
{
    const PragmaHost host = {plugin.module, NULL, resolve, choose, report};
    return pragma_read(&host, list, directive);
}
