/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c - elements of the program's own arrays, which a variable chooses; see plugin/table.cc.
 *
 *   static const float w[3] = {1, 2, 1};     %2 = scalar_eq %1, 1;  %3 = scalar_select %2, 2, 1;
 *                                            %4 = scalar_eq %1, 0;  %5 = scalar_select %4, 1, %3
 *   static float gain[N];                    %gain: tensor<f32,1> = tensor %gain, N, 1
 *   w[i % 3] * gain[i]                       %6 = at_float %gain, %i
 *
 * Of few elements that are constants the index selects one.  Any other array is a tensor: of the array itself where the
 * region's launcher sees it, else of what its initializer puts there.
 */
#include <string.h>

#include "frontend.h"

enum { FEW = 16, MOST_TERMS = 8, MOST_BYTES = 4096 };

/* What an expression reads: bytes from the beginning of an object, and multiples of numbers of the region.  */
typedef struct {
    CXCursor decl; /* of an object of the program; or a null cursor */
    int variable;  /* else: one of the walk */
    int64_t offset, size;
    int count;
    struct {
        Value *index;
        int64_t bytes;
    } terms[MOST_TERMS];
} Chosen;

/* What it is declared as where it is defined: float x[] has a size there.  */
static CXCursor defined(CXCursor decl)
{
    CXCursor definition = is_variable(decl) ? clang_getCursorDefinition(decl) : clang_getNullCursor();
    return clang_Cursor_isNull(definition) ? decl : definition;
}

static bool is_array(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray;
}

/* Behind an array's conversion to a pointer.  */
static CXCursor decayed(const Unit *u, CXCursor e)
{
    e = peel(u, e);
    Cursors below = children(u, e);
    return e.kind == CXCursor_UnexposedExpr && below.count == 1 ? peel(u, below.list[0]) : e;
}

/* A part that a variable chooses, of an object or of what a parameter points to.  */
bool is_chosen_part(Walk *w, CXCursor e)
{
    bool varies = false;
    for (e = peel(w->u, e);; e = decayed(w->u, children(w->u, e).list[0])) {
        Cursors below = children(w->u, e);
        int64_t index;
        if (!below.count || (e.kind != CXCursor_MemberRefExpr && e.kind != CXCursor_ArraySubscriptExpr))
            break;
        varies |= e.kind == CXCursor_ArraySubscriptExpr && !constant_int(w, below.list[1], &index);
    }
    CXCursor decl = e.kind == CXCursor_DeclRefExpr ? defined(clang_getCursorReferenced(e)) : clang_getNullCursor();
    return varies && is_variable(decl) && !clang_isVolatileQualifiedType(clang_getCursorType(decl)) &&
           (is_aggregate(clang_getCursorType(decl)) || variable_find(w, decl) >= 0);
}

static bool add_term(Chosen *chosen, Value *index, int64_t bytes)
{
    int64_t constant;
    if (ir_constant(index, &constant)) {
        chosen->offset += constant * bytes;
        return true;
    }
    if (chosen->count == MOST_TERMS)
        return false;
    chosen->terms[chosen->count].index = index;
    chosen->terms[chosen->count++].bytes = bytes;
    return true;
}

static bool choose_object(Walk *w, CXCursor decl, Chosen *chosen)
{
    chosen->variable = w->frame->id || begin_of(decl) >= begin_of(w->region) ? variable_find(w, decl) : -1;
    chosen->decl = chosen->variable < 0 ? decl : clang_getNullCursor();
    return is_aggregate(clang_getCursorType(decl));
}

static bool choose_pointer(Walk *w, CXCursor e, Chosen *chosen)
{
    Result pointer = eval(w, e);
    chosen->offset = pointer.kind == R_PLACE ? pointer.byte : 0;
    chosen->variable = pointer.kind == R_PLACE ? pointer.variable : -1;
    chosen->decl = pointer.decl;
    return pointer.kind == R_PLACE || (pointer.kind == R_POINTER && !pointer.offset && is_variable(pointer.decl));
}

static bool choose_part(Walk *w, CXCursor e, Chosen *chosen)
{
    e = peel(w->u, e);
    Cursors below = children(w->u, e);
    CXCursor decl = e.kind == CXCursor_DeclRefExpr ? defined(clang_getCursorReferenced(e)) : clang_getNullCursor();
    if (is_variable(decl) && is_aggregate(clang_getCursorType(decl)))
        return choose_object(w, decl, chosen);
    if (e.kind == CXCursor_UnexposedExpr && below.count == 1 && is_array(clang_getCursorType(below.list[0])))
        return choose_part(w, below.list[0], chosen);
    if (e.kind == CXCursor_MemberRefExpr && below.count) {
        CXCursor field = clang_getCursorReferenced(e);
        if (is_pointer(clang_getCursorType(below.list[0])) || clang_Cursor_isBitField(field) ||
            !choose_part(w, below.list[0], chosen))
            return false;
        chosen->offset += offset_of_member(clang_getCursorType(below.list[0]), field);
        return true;
    }
    if (e.kind != CXCursor_ArraySubscriptExpr)
        return is_pointer(clang_getCursorType(e)) && choose_pointer(w, e, chosen);
    bool array = choose_part(w, below.list[0], chosen);
    CXType whole = clang_getCanonicalType(clang_getCursorType(peel(w->u, below.list[0])));
    Value *index = array ? value_of(w, below.list[1]) : NULL;
    if (array && whole.kind == CXType_Pointer && !is_array(clang_getCursorType(decayed(w->u, below.list[0]))))
        index = convert(w, chosen_index(w, below.list[1], index), D_I64);
    return array && add_term(chosen, index, bytes_of(clang_getCursorType(e)));
}

static bool is_even(const Chosen *chosen)
{
    for (int i = 0; i < chosen->count; i++)
        if (chosen->terms[i].bytes % chosen->size)
            return false;
    return chosen->offset % chosen->size == 0;
}

/* ---- what an initializer puts there ------------------------------------------------------------------------------ */

static bool put(const Value *value, unsigned char *bytes)
{
    Dtype dtype = value->type.dtype;
    if (value->type.kind != K_SCALAR || !is_literal(value))
        return false;
    int64_t integer = value->def->scalar->integer;
    double real = value->def->scalar->real;
    float single = (float)real;
    if (dtype == D_F64)
        memcpy(bytes, &real, 8);
    else if (dtype == D_F32)
        memcpy(bytes, &single, 4);
    else
        memcpy(bytes, &integer, (size_t)(dtype == D_I1 ? 1 : dtype_bytes(dtype))); /* little-endian, as the GPU is */
    return dtype == D_F64 || dtype == D_F32 || !dtype_is_float(dtype);
}

/* The bytes of a variable that holds numbers alone; false for others.  */
static bool image_of(Walk *w, int variable, unsigned char *bytes, int64_t size)
{
    memset(bytes, 0, (size_t)size);
    for (int i = 0; i < w->nslots; i++) {
        if (w->slots[i].variable != variable)
            continue;
        Result result = slot_read(w, i);
        if (result.kind == R_NONE)
            continue;
        if (result.kind != R_VALUE || w->slots[i].byte + 8 > size + 7 || !put(result.value, bytes + w->slots[i].byte))
            return false;
    }
    return true;
}

static const char *image_text(Walk *w, const unsigned char *bytes, int64_t size)
{
    const char *text = "(const unsigned long long[]){";
    for (int64_t i = 0; i < size; i += 8) {
        unsigned long long word;
        memcpy(&word, bytes + i, 8);
        text = arena_print(w->u->module, "%s0x%llx, ", text, word);
    }
    return arena_print(w->u->module, "%s0}", text);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static Value *two(Walk *w, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return op_of(w, code, type_scalar(dtype), 2, args);
}

static Value *wide(Walk *w, int64_t number)
{
    return literal_int(w, D_I64, number);
}

/* Which element of its type, from the beginning of the object.  */
static Value *index_of(Walk *w, const Chosen *chosen)
{
    Value *sum = NULL;
    for (int i = chosen->count; i-- > 0;) {
        int64_t stride = chosen->terms[i].bytes / chosen->size;
        Value *index = convert(w, chosen->terms[i].index, D_I64);
        index = stride == 1 ? index : two(w, OP_SCALAR_MUL, D_I64, index, wide(w, stride));
        sum = sum ? two(w, OP_SCALAR_ADD, D_I64, sum, index) : index;
    }
    int64_t first = chosen->offset / chosen->size;
    return first ? two(w, OP_SCALAR_ADD, D_I64, sum, wide(w, first)) : sum;
}

static Value *element_of(Walk *w, const unsigned char *bytes, Dtype dtype)
{
    int64_t integer = 0;
    double real = 0;
    float single;
    if (dtype == D_F64) {
        memcpy(&real, bytes, 8);
    } else if (dtype == D_F32) {
        memcpy(&single, bytes, 4);
        real = (double)single;
    } else {
        int size = dtype == D_I1 ? 1 : dtype_bytes(dtype), unused = 64 - 8 * size;
        memcpy(&integer, bytes, (size_t)size);
        integer = dtype_is_signed(dtype) ? (int64_t)((uint64_t)integer << unused) >> unused : integer;
    }
    return literal(w, dtype, integer, real);
}

static Value *select_constant(Walk *w, const Chosen *chosen, const unsigned char *bytes, int64_t size, Dtype dtype)
{
    Value *index = index_of(w, chosen), *result = NULL;
    for (int64_t i = size / chosen->size; i-- > 0;) {
        Value *constant = element_of(w, bytes + i * chosen->size, dtype);
        Value *args[] = {result ? two(w, OP_SCALAR_EQ, D_I1, index, wide(w, i)) : NULL, constant, result};
        result = result ? op_of(w, OP_SCALAR_SELECT, type_scalar(dtype), 3, args) : constant;
    }
    return result;
}

/* The object as a tensor, in the prologue.  */
static Value *table_of(Walk *w, const char *text, const char *name, Dtype dtype, int64_t count)
{
    Value *base = NULL;
    for (int i = 0; i < w->nlivein; i++)
        if (!strcmp(w->livein[i].text, text) && w->livein[i].value->type.dtype == dtype && !w->livein[i].alias)
            base = w->livein[i].value;
    for (const Op *op = base ? w->kernel->body->first : NULL; op; op = op->next)
        if (op->code == OP_TENSOR && op->args[0] == base)
            return op->results[0];
    if (!base) {
        base = kernel_param(w->kernel, type_pointer(dtype), name, w->kernel->loc);
        LIST_ADD(w->kernel->module, w->livein, w->nlivein) =
            (LiveIn){text, "const void *", parameter_rank(w, text), (int64_t)1 << 40, NULL, w->in_caller, base};
    }
    bool outside = w->outside;
    Loc where = w->where;
    w->outside = true;
    w->where = w->kernel->loc;
    Value *args[] = {base, wide(w, count), literal_int(w, D_I32, 1)};
    Value *tensor = op_of(w, OP_TENSOR, type_tensor(dtype, 1), 3, args);
    w->outside = outside;
    w->where = where;
    name_value(w, tensor, name);
    return tensor;
}

/* Integers of 16 and 64 bits are two elements, the lower half first.  */
static Value *read_halves(Walk *w, Value *tensor, Value *index, int bits)
{
    Value *even = two(w, OP_SCALAR_MUL, D_I64, index, wide(w, 2)),
          *odd = two(w, OP_SCALAR_ADD, D_I64, even, wide(w, 1));
    Value *low = two(w, OP_AT, D_I64, tensor, even), *high = two(w, OP_AT, D_I64, tensor, odd);
    low = two(w, OP_SCALAR_AND, D_I64, low, wide(w, ((int64_t)1 << bits) - 1));
    high = two(w, OP_SCALAR_MUL, D_I64, high, wide(w, (int64_t)1 << bits));
    return two(w, OP_SCALAR_ADD, D_I64, high, low);
}

static Value *read_element(Walk *w, const Chosen *chosen, const char *text, const char *name, int64_t size, Dtype dtype)
{
    Value *index = index_of(w, chosen), *value;
    bool is_float = dtype_is_float(dtype), halves = !is_float && (chosen->size == 2 || chosen->size == 8);
    Dtype read = is_float ? dtype : chosen->size % 4 ? D_I8 : D_I32;
    Value *tensor = table_of(w, text, name, read, size / chosen->size * (halves ? 2 : 1));
    if (halves)
        value = read_halves(w, tensor, index, 4 * (int)chosen->size);
    else
        value = two(w, is_float ? OP_AT_FLOAT : OP_AT, is_float ? D_F64 : D_I64, tensor, index);
    return dtype == D_I1 ? two(w, OP_SCALAR_NE, D_I1, value, wide(w, 0)) : convert(w, value, dtype);
}

/* Seen where the launcher is called, and left alone by the region.  */
static bool is_in_sight(const Walk *w, CXCursor decl)
{
    bool global = clang_getCursorLinkage(decl) != CXLinkage_NoLinkage;
    bool before = end_of(decl) <= begin_of(w->region) && begin_of(decl) >= begin_of(w->function);
    return (global || before) && clang_Cursor_isNull(w->caller) && !count_assignments(w->u, w->region, decl);
}

static enum CXVisitorResult last_field(CXCursor field, CXClientData data)
{
    *(CXCursor *)data = field;
    return CXVisit_Continue;
}

/* Of an object; with what its initializer gives to a last member without a size, -1 if that is not to be seen.  */
static int64_t bytes_of_object(Walk *w, CXCursor decl, CXType type)
{
    CXCursor last = clang_getNullCursor(), init = clang_Cursor_getVarDeclInitializer(clang_getCursorDefinition(decl));
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Record)
        clang_Type_visitFields(type, last_field, &last);
    if (clang_Cursor_isNull(last) || clang_getCanonicalType(clang_getCursorType(last)).kind != CXType_IncompleteArray)
        return bytes_of(type);
    Cursors parts = clang_Cursor_isNull(init) ? (Cursors){0, NULL} : children(w->u, peel(w->u, init));
    CXCursor given = parts.count ? peel(w->u, parts.list[parts.count - 1]) : init;
    if (given.kind != CXCursor_InitListExpr)
        return -1;
    Cursors elements = children(w->u, given);
    for (int i = 0; i < elements.count; i++)
        if (clang_getCanonicalType(clang_getCursorType(elements.list[i])).kind == CXType_Void) /* [3] = x */
            return -1;
    return offset_of_member(type, last) +
           elements.count * bytes_of(clang_getArrayElementType(clang_getCanonicalType(clang_getCursorType(last))));
}

/* require: an expression that names a part of something.
   ensure: its value, if it is an element of an object of the program that a variable chooses, and the region leaves
           alone; else NULL.  */
Value *table_read(Walk *w, CXCursor e)
{
    Chosen chosen = {.decl = clang_getNullCursor(), .variable = -1};
    unsigned char bytes[MOST_BYTES];
    Dtype dtype;
    if (w->kernel->grid.plain || w->outside || w->failed || !scalar_type(clang_getCursorType(e), &dtype) ||
        !is_chosen_part(w, e) || !choose_part(w, e, &chosen) || !chosen.count)
        return NULL;
    chosen.size = dtype == D_I1 ? 1 : dtype_bytes(dtype);
    int constant = chosen.variable >= 0 ? chosen.variable : outside_constant(w, chosen.decl);
    CXType type = chosen.variable >= 0 ? w->variables[chosen.variable].type : clang_getCursorType(chosen.decl);
    int64_t size = chosen.variable >= 0 ? bytes_of(type) : bytes_of_object(w, chosen.decl, type);
    if (size <= 0 || !is_even(&chosen))
        return NULL;
    w->where = loc_of(w->u, e);
    bool known = constant >= 0 && size <= MOST_BYTES - 8 && image_of(w, constant, bytes, size);
    if (known && chosen.variable < 0 && size / chosen.size <= FEW)
        return select_constant(w, &chosen, bytes, size, dtype);
    if (chosen.variable < 0 && is_in_sight(w, chosen.decl)) {
        const char *name = name_of(w->u, chosen.decl), *sign = is_pointer(type) ? "" : "&";
        return read_element(w, &chosen, arena_print(w->u->module, "%s%s", sign, name), name, size, dtype);
    }
    return known ? read_element(w, &chosen, image_text(w, bytes, size), NULL, size, dtype) : NULL;
}
