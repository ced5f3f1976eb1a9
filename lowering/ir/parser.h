/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parser.h - the state of the reader of textual IR, and the functions that its three files share.  */
#ifndef WSC_IR_PARSER_H
#define WSC_IR_PARSER_H

#include "ir/kernel.h"

enum {
    MAX_NESTING = 100,
    MAX_EXTENT = 1 << 16,
    MAX_SCRATCH = 1 << 18,
    MAX_ROLES = 32,
    MAX_ITEMS = 1 << 16,
    MAX_ORDER = RELEASE_END - 1
};

typedef enum { T_END, T_WORD, T_VALUE, T_STRING, T_SIGN } TokenKind;

typedef struct {
    TokenKind kind;
    char *text; /* without the % of a value, without the quotes of a string */
    int line, column;
} Token;

typedef struct {
    const char *name;
    Value *value;
} Binding;

typedef struct LateVariable {
    Value *value;
    const char *name;
    struct LateVariable *next;
} LateVariable;

typedef struct {
    Module *module;
    Kernel *kernel;
    Role *role; /* the role whose program is read, or NULL */
    const char *name;
    const char *cursor, *line_start;
    int line;
    Token token, last;
    bool failed;
    Binding *scope;
    int nscope, room;
    int nesting, items;
    LateVariable *late;
} Parser;

/* ---- scan.c: tokens and errors ---- */

/* The first error is reported and ends the reading.  After an error every function returns at once.  */
Loc scan_loc(const Parser *p);
void scan_fail(Parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void scan_fail_last(Parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *scan_shown(const Parser *p);
void scan_next(Parser *p);
bool scan_at(const Parser *p, const char *text);
bool scan_accept(Parser *p, const char *text);
void scan_expect(Parser *p, const char *text);
const char *scan_word(Parser *p, const char *what);
int64_t scan_to_int(Parser *p, const char *text);
int64_t scan_number(Parser *p);
int scan_number_up_to(Parser *p, int lowest, int highest);
double scan_to_double(Parser *p, const char *text);
int scan_choice(Parser *p, const char *what, const char *const *words, int count);
const char *scan_name(Parser *p);
char *scan_copy(Parser *p, const char *from, const char *to);

/* ---- parse-ops.c: values and operations ---- */

/* The text of a definition, read before its op exists.  */
typedef struct {
    const char *name;
    Type type;
    uint32_t split;
    const char *var; /* name of its C variable, or NULL */
    Loc loc;
} Definition;

typedef struct {
    Definition *list;
    int count;
} Definitions;

Role *parse_find_role(Parser *p, const char *name);
Aref *parse_find_aref(Parser *p, const char *name);
Storage *parse_find_storage(Parser *p, const char *name);
Variable *parse_find_variable(Parser *p, const char *name);
uint32_t parse_role_list(Parser *p);
void parse_define(Parser *p, const Definition *definition, Value *value);
/* Reads the name of a value, or a literal, for which a CONST is appended to the block.  */
Value *parse_operand(Parser *p, Block *block);
const char *parse_user_name(Parser *p, const char *name);
Type parse_type(Parser *p);
Definition parse_definition(Parser *p);
void parse_statements(Parser *p, Block *block);
void parse_block_args(Parser *p, Block *block);

#endif
