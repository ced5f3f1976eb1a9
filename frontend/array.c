/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * array.c - arrays that pragmas name, as C text: those of data, update and extent.
 *
 *   copy(x[0:n])        base x, first 0L * (long)sizeof(x[0]), bytes (long)n * (long)sizeof(x[0])
 */
#include <string.h>

#include "pragma.h"

static const char *size_sum(Tokens *t);

static CXCursor declared(Tokens *t)
{
    CXCursor decl = variable_in_sight(t->u, t->function, t->offset, word(t));
    if (clang_Cursor_isNull(decl) && !t->failed) {
        complain(t->u, here(t), NULL, "'%s' is not declared", word(t));
        t->failed = true;
    }
    return decl;
}

static const char *size_primary(Tokens *t)
{
    int64_t number;
    if (accept(t, "(")) {
        const char *inner = size_sum(t);
        expect(t, ")", "expected ')'");
        return arena_print(t->u->module, "(%s)", inner);
    }
    if (!is_name(t) || named_constant(t, word(t), &number)) {
        number = constant_primary(t);
        return arena_print(t->u->module, "%ldL", (long)number);
    }
    CXCursor decl = declared(t);
    if (!t->failed && !is_integer(clang_getCursorType(decl)))
        wrong(t, "compute it in a variable before the pragma", t->made_of_integers);
    const bool wide = !t->failed && clang_getCanonicalType(clang_getCursorType(decl)).kind == CXType_Long;
    const char *text = wide ? word(t) : arena_print(t->u->module, "(long)%s", word(t));
    t->at++;
    return text;
}

static const char *size_product(Tokens *t)
{
    const char *text = size_primary(t);
    while (!t->failed && (!strcmp(word(t), "*") || !strcmp(word(t), "/") || !strcmp(word(t), "%"))) {
        const char *sign = word(t);
        t->at++;
        text = arena_print(t->u->module, "%s %s %s", text, sign, size_primary(t));
    }
    return text;
}

static const char *size_sum(Tokens *t)
{
    const char *text = size_product(t);
    while (!t->failed && (!strcmp(word(t), "+") || !strcmp(word(t), "-"))) {
        const char *sign = word(t);
        t->at++;
        text = arena_print(t->u->module, "%s %s %s", text, sign, size_product(t));
    }
    return text;
}

/* lo:n of x[lo:n], as bytes.  */
static void read_section(Tokens *t, DataArray *array)
{
    const char *low = strcmp(word(t), ":") ? size_sum(t) : "0L";
    expect(t, ":", "expected ':' of a section: x[first:count]");
    const char *count = t->failed ? "0L" : size_sum(t);
    expect(t, "]", "expected ']' behind the section");
    array->first = arena_print(t->u->module, "(%s) * (long)sizeof(%s[0])", low, array->name);
    array->bytes = arena_print(t->u->module, "(%s) * (long)sizeof(%s[0])", count, array->name);
}

/* x[0:n][0:m]: what stands behind the first section is all of the rows.  */
static void skip_sections(Tokens *t)
{
    while (accept(t, "[")) {
        DataArray rest = {.name = "x"};
        bool zero = !strcmp(word(t), ":") || !strcmp(word(t), "0");
        read_section(t, &rest);
        if (!t->failed && !zero)
            wrong(t, "copy whole rows: x[0:n][0:m]", "only the first subscript has a section");
    }
}

/* A pointer or an array, by its name.  */
static DataArray *named_array(Tokens *t, const char *remedy, const char *sentence)
{
    DataArray *array = arena_alloc(t->u->module, sizeof *array);
    if (!is_name(t))
        wrong(t, remedy, "expected the name of a pointer or an array");
    if (!t->failed)
        array->decl = declared(t);
    if (!t->failed && !is_pointer(clang_getCursorType(array->decl)))
        wrong(t, remedy, sentence);
    array->name = word(t);
    array->first = "0L";
    t->at++;
    return array;
}

static void read_array(Tokens *t, Pragma *pragma, int kind)
{
    DataArray *array = named_array(t, "write copy(x[0:n])", "what is copied is an array"), **end = &pragma->arrays;
    if (t->failed)
        return;
    CXType type = clang_getCanonicalType(clang_getCursorType(array->decl));
    array->kind = kind;
    if (accept(t, "[")) {
        read_section(t, array);
        skip_sections(t);
    } else if (type.kind == CXType_Pointer || type.kind == CXType_IncompleteArray) {
        t->at--;
        wrong(t, "write copy(x[0:n])", "how long the array is the pointer does not tell");
    } else {
        array->bytes = arena_print(t->u->module, "(long)sizeof %s", array->name);
    }
    while (*end)
        end = &(*end)->next;
    *end = array;
}

/* data copy(x[0:n]) copyin(y), update host(x[0:n]): OpenACC's words and what they mean there.  */
void read_data(Tokens *t, Pragma *pragma)
{
    static const char *const regions[] = {"copy", "copyin", "copyout", "create", "present", NULL};
    static const char *const copies[] = {"device", "host", NULL};
    bool data = pragma->kind == PRAGMA_DATA;
    if (t->at == t->count)
        wrong(t, data ? "write data copy(x[0:n])" : "write update host(x[0:n])",
              data ? "'data' names no array" : "'update' names no array");
    while (!t->failed && t->at < t->count) {
        int kind = choice(t, data ? regions : copies, data ? "a clause of 'data'" : "a clause of 'update'",
                          data ? "the clauses are copy, copyin, copyout, create and present"
                               : "the clauses are host and device");
        expect(t, "(", "expected '(' and arrays: x[0:n]");
        do
            read_array(t, pragma, kind);
        while (!t->failed && accept(t, ","));
        expect(t, ")", "expected ')' behind the arrays");
    }
}

/* devices(n): a variable of an integer type, or a constant.  */
void read_devices(Tokens *t, Pragma *pragma)
{
    int64_t known;
    pragma->kind = PRAGMA_DEVICES;
    expect(t, "(", "expected '(' after 'devices': how many");
    CXCursor decl = variable_in_sight(t->u, t->function, t->offset, word(t));
    bool variable =
        !clang_Cursor_isNull(decl) && is_integer(clang_getCursorType(decl)) && !named_constant(t, word(t), &known);
    if (variable && !t->failed)
        pragma->devices = t->list[t->at++].text;
    else
        pragma->devices = arena_print(t->u->module, "%d", number(t, "the number of devices", 1, 64));
    expect(t, ")", "expected ')' after the number of devices: write a variable's name, or a constant");
}

/* order(from(x)): the value of the first loop's variable at which tiles begin.  */
void clause_from(Tokens *t, Pragma *pragma)
{
    const char *outside = t->made_of_integers;
    expect(t, "(", "expected '(' after 'from': where tiles begin");
    t->made_of_integers = "where tiles begin is made of integers";
    pragma->from = arena_print(t->u->module, "%s", size_sum(t));
    t->made_of_integers = outside;
    expect(t, ")", "expected ')' after where tiles begin");
}

/* extent(x: n): x[0] to x[n - 1] are there.  */
void clause_extent(Tokens *t, Pragma *pragma)
{
    do {
        DataArray *array = named_array(t, "write extent(x: n)", "an extent is that of a pointer or an array");
        if (t->failed)
            return;
        expect(t, ":", "expected ':' after the array's name");
        array->bytes = arena_print(t->u->module, "(%s) * (long)sizeof(%s[0])", size_sum(t), array->name);
        DataArray **end = &pragma->extents;
        while (*end)
            end = &(*end)->next;
        *end = array;
    } while (!t->failed && accept(t, ","));
}
