/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clauses.c - the tables of the grammar: the rows of clauses.def, and the words inside of parentheses.
 */
#include "source/clauses.h"

#define ONE(...)    \
    {               \
        __VA_ARGS__ \
    }
#define OPTIONAL(...)                 \
    {                                 \
        .optional = true, __VA_ARGS__ \
    }
#define MANY(...)                     \
    {                                 \
        .repeated = true, __VA_ARGS__ \
    }
#define AUTOMATIC(...)                 \
    {                                  \
        .automatic = true, __VA_ARGS__ \
    }
#define NOTHING                \
    {                          \
        .kind = PARAMETER_NONE \
    }
#define NUMBER(LO, HI, IS)  .kind = PARAMETER_NUMBER, .least = (LO), .most = (HI), .what = (IS)
#define COUNT(LO, HI, IS)   .kind = PARAMETER_COUNT, .least = (LO), .most = (HI), .what = (IS)
#define WORD(WORDS, IS)     .kind = PARAMETER_WORD, .words = (WORDS), .what = (IS)
#define OPERATION(WORDS)    .kind = PARAMETER_OPERATION, .words = (WORDS), .what = "a reduction"
#define NAME(IS)            .kind = PARAMETER_NAME, .what = (IS)
#define DECLARED(IS, WRITE) .kind = PARAMETER_DECLARED, .what = (IS), .remedy = (WRITE)
#define EXPRESSION(IS)      .kind = PARAMETER_EXPRESSION, .what = (IS)
#define EXTENT              .kind = PARAMETER_EXTENT, .what = "an extent"
#define ARRAY               .kind = PARAMETER_ARRAY, .what = "a section"
#define LIST(...)   \
    {               \
        __VA_ARGS__ \
    }

static const Row orders[] = {
    {.word = "row", .value = ORDER_ROW},
    {.word = "column", .value = ORDER_COLUMN},
    {.word = "grouped",
     .value = ORDER_GROUPED,
     .parameters = {ONE(NUMBER(1, 65536, "the size of a group"))},
     .hint = "",
     .closing = "the size of a group"},
    {.word = "from",
     .value = ORDER_AUTO,
     .parameters = {ONE(EXPRESSION("where tiles begin"))},
     .hint = ": where tiles begin",
     .closing = "where tiles begin"},
    {.word = NULL},
};

static const Row splits[] = {
    {.word = "rows", .value = SPLIT_ROWS}, {.word = "tiles", .value = SPLIT_TILES}, {.word = NULL}};

static const Row precisions[] = {{.word = "f32", .value = PRECISION_F32},
                                 {.word = "tf32", .value = PRECISION_TF32},
                                 {.word = "f16", .value = PRECISION_F16},
                                 {.word = "bf16", .value = PRECISION_BF16},
                                 {.word = NULL}};

static const Row schedules[] = {{.word = "fine", .value = SCHEDULE_FINE, .flags = ROW_LAST},
                                {.word = "coarse", .value = SCHEDULE_COARSE, .flags = ROW_LAST},
                                {.word = "optimal", .value = SCHEDULE_OPTIMAL},
                                {.word = NULL}};

#define OPERATIONS                                                                      \
    {.word = "+", .value = OP_SCALAR_ADD}, {.word = "-", .value = OP_SCALAR_ADD},       \
        {.word = "*", .value = OP_SCALAR_MUL}, {.word = "max", .value = OP_SCALAR_MAX}, \
    {                                                                                   \
        .word = "min", .value = OP_SCALAR_MIN                                           \
    }
static const Row operations[] = {OPERATIONS, {.word = NULL}};
static const Row grid_operations[] = {
    OPERATIONS, {.word = "&&", .value = OP_SCALAR_AND}, {.word = "||", .value = OP_SCALAR_OR}, {.word = NULL}};

#define DIRECTIVE(NAME, WORD, PARAMETERS, FLAGS, HINT, CLOSING, EXAMPLE) \
    {WORD, DIRECTIVE_##NAME, DIRECTIVE_COUNT, LIST PARAMETERS, FLAGS, HINT, CLOSING, EXAMPLE},
#define CLAUSE(DIRECTIVE, NAME, WORD, PARAMETERS, FLAGS, HINT, CLOSING, EXAMPLE)
const Row directive_rows[] = {
#include "source/clauses.def"
    {.word = NULL}};
#undef DIRECTIVE
#undef CLAUSE

#define DIRECTIVE(NAME, WORD, PARAMETERS, FLAGS, HINT, CLOSING, EXAMPLE)
#define CLAUSE(OF, NAME, WORD, PARAMETERS, FLAGS, HINT, CLOSING, EXAMPLE) \
    {WORD, CLAUSE_##OF##_##NAME, DIRECTIVE_##OF, LIST PARAMETERS, FLAGS, HINT, CLOSING, EXAMPLE},
const Row clause_rows[] = {
#include "source/clauses.def"
    {.word = NULL}};

const char *directive_word(DirectiveKind kind)
{
    return directive_rows[kind].word;
}

const char *clause_word(ClauseKind kind)
{
    return clause_rows[kind].word;
}
