/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-refuse.c - what C has and no kernel has: the sentence about it, at the place of its cause.
 *
 *      printf("%d", i);              a grid cannot call 'printf'
 *      count[i] = j;                 memory is written through a pointer in a grid
 *      kept = ws_load(...);          a tile cannot be a static or global variable
 *      x = ws_mul(x, w[i % 3]);      which element of the array 'w' is read is known at run time only
 *
 * An object of an iteration has become variables (promote.c), or one instruction keeps it in memory: that is what the
 * user reads about.
 */
#include <string.h>

#include "build.h"

static const char local_tiles[] = "tiles live in local variables, whose addresses go to functions of this file alone";

static const char *name_of(const Declaration *declaration)
{
    return declaration->name;
}

void build_reject_with(Builder *b, Loc loc, Reason reason, const char *remedy, const char *word)
{
    reject_text(b->kernel, loc, reason, arena_print(b->module, reason_sentence(reason), word), remedy);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

Loc build_place(const Instruction *i)
{
    Loc place = i->loc;
    for (const SourceInlined *call = i->inlined; call; call = call->outer)
        if (!strncmp(call->function, "ws_", 3))
            place = call->loc;
    return place;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static const SourceFunction *body_of(const Builder *b, const char *name)
{
    const SourceFunction *function = b->function->unit->functions;
    while (function && (strcmp(function->name, name) || !(function->blocks || function->failed)))
        function = function->next;
    return function;
}

/* A mistake that the macros of <ws.h> have found, or a directive. false: the call is none.  */
static bool refuse_marked(Builder *b, const Instruction *call)
{
    if (call->symbol && !strcmp(call->symbol, "goto")) { /* the blocks around it may have no structure */
        reject(b->kernel, call->loc, REASON_GOTO_COMPUTED);
        return true;
    }
    if (call->symbol && !strncmp(call->symbol, "ws_data_", 8)) {
        reject(b->kernel, call->loc, REASON_UPDATE_IN_GRID);
        return true;
    }
    static const struct {
        const char *name;
        Reason reason;
    } list[] = {{"ws_bad_operand_tensor_", REASON_TENSOR_OPERAND},
                {"ws_bad_operand_storage_", REASON_STORED_OPERAND},
                {"ws_bad_operand_pointer_", REASON_POINTER_OPERAND},
                {"ws_bad_operand_", REASON_OTHER_OPERAND},
                {"ws_bad_dtype_", REASON_ELEMENT_TYPE},
                {"ws_bad_base_", REASON_ELEMENT_BASE}};
    for (size_t i = 0; call->symbol && i < sizeof list / sizeof *list; i++) {
        if (strcmp(call->symbol, list[i].name))
            continue;
        if (list[i].reason == REASON_ELEMENT_TYPE)
            reject_text(b->kernel, build_place(call), REASON_ELEMENT_TYPE,
                        arena_print(b->module, "this is not an element type: %s", reason_remedy(REASON_ELEMENT_TYPE)),
                        NULL);
        else
            reject(b->kernel, build_place(call), list[i].reason);
        return true;
    }
    return false;
}

static bool is_of_complex(const Instruction *call)
{
    for (int i = 0; i < call->narguments; i++)
        if (call->arguments[i].type == ST_C32 || call->arguments[i].type == ST_C64)
            return true;
    return false;
}

static bool calls(const SourceFunction *function, const char *name)
{
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_CALL && i->symbol && !strcmp(i->symbol, name))
                return true;
    return false;
}

/* Is the call in a body of the function that it calls?  */
static bool is_recursive(const SourceFunction *callee, const Instruction *call)
{
    for (const SourceInlined *around = call->inlined; around; around = around->outer)
        if (!strcmp(around->function, callee->name))
            return true;
    return calls(callee, callee->name);
}

void build_refuse_call(Builder *b, const Instruction *call)
{
    static const char *const printing[] = {"printf", "puts", "putchar", "fprintf", "fputs", "vprintf"};
    const Loc loc = build_place(call);
    const char *name = call->symbol;
    if (refuse_marked(b, call))
        return;
    if (!name) {
        reject(b->kernel, loc, REASON_CALL_POINTER);
        return;
    }
    if (!strcmp(name, "asm") || !strcmp(name, "goto")) {
        reject(b->kernel, loc, *name == 'a' ? REASON_ASSEMBLER : REASON_GOTO_COMPUTED);
        return;
    }
    if (!strcmp(name, "typeof")) {
        const Operand type = call->arguments[0].operand;
        const char *text = type.kind == OPERAND_TEMPORARY ? b->temporaries[type.temporary].name : NULL;
        reject(b->kernel, loc, REASON_NUMBER_TYPE, arena_print(b->module, "'%s'", text ? text : "of other sizes"));
        return;
    }
    if (!strcmp(name, "setjmp") || !strcmp(name, "_setjmp") || !strcmp(name, "longjmp")) {
        reject(b->kernel, loc, REASON_CALL_JUMPS, name);
        return;
    }
    const SourceFunction *callee = body_of(b, name);
    if (callee && callee->failed) {
        build_refuse(b, callee->failed_loc.line ? callee->failed_loc : loc, callee->failed);
        return;
    }
    if (callee && !is_recursive(callee, call)) {
        build_refuse(b, loc, arena_print(b->module, "a call of '%s'", name));
        return;
    }
    for (size_t i = 0; !callee && i < sizeof printing / sizeof *printing; i++)
        if (!strcmp(name, printing[i])) {
            reject(b->kernel, loc, REASON_CALL_LIBRARY, name);
            return;
        }
    if (callee)
        reject(b->kernel, loc, REASON_CALL_RECURSIVE, name);
    else if (!strncmp(name, "ws_", 3))
        reject(b->kernel, loc, REASON_CALL_NO_OPERATION, name);
    else if (is_of_complex(call))
        reject(b->kernel, loc, REASON_CALL_COMPLEX, name);
    else
        reject(b->kernel, loc, REASON_CALL_NO_BODY, name);
}

bool build_is_lost(Builder *b, const Instruction *call, const Built *made)
{
    if (!call->is_lost || made->kind != BUILT_HANDLE)
        return false;
    const size_t length = strlen(call->symbol);
    const int shown = (int)length - (call->symbol[length - 1] == '_');
    reject(b->kernel, build_place(call), REASON_RESULT_LOST, arena_print(b->module, "%.*s", shown, call->symbol));
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static const SourceLiveIn *live_in_of(const Builder *b, const Value *value)
{
    for (int k = 0; value && k < b->nlive_ins; k++)
        if (b->live_ins[k].value == value)
            return &b->live_ins[k];
    return NULL;
}

static const Declaration *global_declaration(const Builder *b, const char *name)
{
    for (const SourceGlobal *global = b->function->unit->globals; global; global = global->next)
        if (!strcmp(global->name, name))
            return &global->declaration;
    return NULL;
}

static const Declaration *declaration_of(const Builder *b, const SourceLiveIn *live)
{
    return !live            ? NULL
           : live->global   ? global_declaration(b, live->global)
           : live->object   ? &live->object->declaration
           : live->variable ? &live->variable->declaration
                            : NULL;
}

/* How the user has written what is read or written; a number outside the function is its name.  */
void build_spell(const Builder *b, Op *op, const Instruction *access, const Built *address)
{
    const SourceLiveIn *live = live_in_of(b, address->value);
    const Declaration *declared = declaration_of(b, live);
    if (access->spelling)
        op_spell(op, access->spelling, strlen(access->spelling));
    if (!op->written && declared && live->global && !declared->ndimensions && !declared->layout)
        op->spelling = op->written = declared->name;
}

/* A tile or a tensor that is read from memory, or written to it.  */
static void refuse_handle(Builder *b, const Instruction *i, const SourceLiveIn *live, bool tensor)
{
    const char *what = tensor ? "tensor" : "tile";
    const Declaration *declared = declaration_of(b, live);
    const bool itself = declared && (declared->holds == HOLDS_TILE || declared->holds == HOLDS_TENSOR);
    Reason reason = REASON_HANDLE_POINTER;
    if (i->is_volatile || (declared && declared->is_volatile))
        reason = REASON_HANDLE_VOLATILE;
    else if (declared && declared->ndimensions)
        reason = REASON_HANDLE_ELEMENT;
    else if (live && live->global && itself)
        reason = REASON_HANDLE_GLOBAL;
    else if (declared && (declared->holds || declared->element == ST_V))
        reason = REASON_HANDLE_MEMBER;
    build_reject_with(b, build_place(i), reason,
                      arena_print(b->module, "keep %ss in plain local variables and parameters", what), what);
}

void build_refuse_store(Builder *b, const Instruction *store, const Built *address)
{
    const SourceLiveIn *live = live_in_of(b, address->value);
    const Operand x = store->args[1];
    const Built *stored = store->type != ST_P           ? NULL
                          : x.kind == OPERAND_TEMPORARY ? &b->temporaries[x.temporary]
                          : x.kind == OPERAND_VARIABLE  ? &b->variables[x.variable->id]
                                                        : NULL;
    const Loc loc = build_place(store);
    if (stored && stored->kind == BUILT_HANDLE)
        refuse_handle(b, store, live, stored->value && stored->value->type.kind == K_TENSOR);
    else if (store->is_volatile)
        reject(b->kernel, loc, REASON_VOLATILE_WRITTEN);
    else if (live && live->global && declaration_of(b, live))
        reject(b->kernel, loc, REASON_VARIABLE_OUTSIDE_CHANGES, address->name);
    else
        reject(b->kernel, loc, REASON_POINTER_WRITTEN);
}

void build_refuse_load(Builder *b, const Instruction *load, const Built *address)
{
    const SourceLiveIn *live = live_in_of(b, address->value);
    const Declaration *declared = declaration_of(b, live);
    const Loc loc = build_place(load);
    int64_t number;
    if (load->is_volatile)
        reject(b->kernel, loc, REASON_VOLATILE_READ);
    else if (declared && declared->holds)
        refuse_handle(b, load, live, declared->holds == HOLDS_TENSOR || declared->holds == HOLDS_TENSORS);
    else if (!declared || live->nreads || !(live->global || live->object))
        reject(b->kernel, loc, REASON_POINTER_READ);
    else if (address->offset && !ir_constant(address->offset, &number))
        reject(b->kernel, loc, REASON_ARRAY_ELEMENT_UNKNOWN, name_of(declared));
    else if (live->global)
        reject(b->kernel, loc, REASON_VARIABLE_OUTSIDE_CHANGES, name_of(declared));
    else
        reject(b->kernel, loc, REASON_OBJECT_CHANGES, name_of(declared));
}

void build_refuse_handle(Builder *b, Loc loc, const Built *built)
{
    const Declaration *declared = declaration_of(b, live_in_of(b, built->value));
    if (built->kind == BUILT_ADDRESS && declared && declared->holds == HOLDS_TILE)
        reject(b->kernel, loc, REASON_TILE_FROM_OUTSIDE, declared->name ? declared->name : "here");
    else if (built->kind != BUILT_ADDRESS || !built->value) /* of a pointer the types tell which operand it is */
        reject(b->kernel, loc, REASON_NOT_A_HANDLE, "tile");
}

/* ---- objects of an iteration ------------------------------------------------------------------------------------- */

/* A load of an element that a variable chooses.  */
static const Instruction *chosen_load(const SourceFunction *function, const SourceObject *object)
{
    bool *of_object = arena_alloc(function->unit->module, ((size_t)function->ntemporaries + 1) * sizeof *of_object);
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            const Operand x = i->args[0];
            const bool is_of = x.kind == OPERAND_TEMPORARY && of_object[x.temporary];
            if (i->code == SO_ADDR || i->code == SO_ADD)
                of_object[i->temporary] = i->code == SO_ADDR ? i->object == object : is_of;
            if (i->code == SO_LOAD && is_of)
                return i;
        }
    return NULL;
}

static void refuse_object(Builder *b, const SourceObject *object)
{
    const Declaration *declared = &object->declaration;
    const char *name = name_of(declared);
    const bool tile = declared->holds == HOLDS_TILE || declared->holds == HOLDS_TILES;
    const Instruction *keeper = object->keeper;
    const bool by_index = keeper && keeper->code == SO_ADD, by_copy = keeper && keeper->code == SO_MOVE;
    const Loc loc = keeper ? build_place(keeper) : declared->loc;
    if (declared->is_volatile && declared->holds) {
        build_reject_with(
            b, loc, REASON_HANDLE_VOLATILE,
            arena_print(b->module, "keep %ss in plain local variables and parameters", tile ? "tile" : "tensor"),
            tile ? "tile" : "tensor");
        return;
    }
    if (declared->is_volatile) {
        const Instruction *load = chosen_load(b->function, object);
        reject(b->kernel, load ? build_place(load) : loc, load ? REASON_VOLATILE_READ : REASON_VOLATILE_WRITTEN);
        return;
    }
    if (!name)
        return; /* the compiler's own, for an argument: the call is the mistake */
    if (tile && by_index)
        reject(b->kernel, loc, REASON_TILE_ELEMENT_UNKNOWN, name);
    else if (tile)
        build_reject_with(b, loc,
                          by_copy                         ? REASON_TILE_COPIED
                          : declared->holds == HOLDS_TILE ? REASON_TILE_ADDRESS
                                                          : REASON_TILE_HOLDER_ADDRESS,
                          local_tiles, name);
    else if (by_index) {
        const Instruction *load = chosen_load(b->function, object);
        reject(b->kernel, load ? build_place(load) : loc, REASON_ARRAY_ELEMENT_UNKNOWN, name);
    } else
        reject(b->kernel, loc, REASON_OBJECT_CHANGES, name);
}

static bool has_blocks(const Builder *b)
{
    for (const SourceBlock *block = b->function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            const SourceClauses *clauses = i->code == SO_MARK ? b->clauses_of(b->context, i->mark) : NULL;
            if (clauses && clauses->kind == DIRECTIVE_BLOCKS)
                return true;
        }
    return false;
}

static bool names_object(const SourceFunction *function, const SourceObject *object)
{
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_ADDR && i->object == object)
                return true;
    return false;
}

/* ---- tiles without a value --------------------------------------------------------------------------------------- */

static int count_assignments(const SourceFunction *function, const SourceVariable *variable)
{
    int n = 0;
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            n += i->code == SO_COPY && i->variable == variable;
    return n;
}

/* `own`: of the outlined function, which reads it before it assigns it.  */
static void check_value(Builder *b, const SourceVariable *own, const SourceVariable *variable)
{
    const Declaration *declared = &own->declaration;
    if (declared->holds == HOLDS_TILE && declared->name && variable && !variable->is_parameter &&
        count_assignments(b->outline->host, variable) == count_assignments(b->function, own))
        reject(b->kernel, declared->loc, REASON_TILE_NO_VALUE, declared->name);
}

/* ---- the whole grid ---------------------------------------------------------------------------------------------- */

void build_check(Builder *b)
{
    const SourceFunction *function = b->function;
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            const char *name = i->code == SO_FUNCTION ? i->symbol : NULL;
            Instruction call = *i;
            if (i->code == SO_CALL || (name && !strncmp(name, "ws_bad_", 7))) {
                call.symbol = i->symbol;
                if (refuse_marked(b, &call))
                    return;
            }
        }
    if (b->kernel->grid.plain)
        return;
    for (int i = 0; i < function->nparameters && !b->kernel->failed; i++)
        check_value(b, function->parameters[i], b->outline->origins[i].variable);
    const bool blocks = has_blocks(b);
    Loc last = {0};
    for (int k = 0; k < function->nobjects; k++) {
        const SourceObject *object = function->objects[k];
        const bool of_blocks =
            blocks && object->declaration.holds == HOLDS_TILES && object->declaration.ndimensions == 1;
        const Loc place = object->keeper ? build_place(object->keeper) : object->declaration.loc;
        if (of_blocks || !names_object(function, object) ||
            (place.line && place.line == last.line && place.column == last.column))
            continue;
        refuse_object(b, object);
        last = place;
    }
}
