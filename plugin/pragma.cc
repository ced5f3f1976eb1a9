/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.cc - #pragma ws: the handler, and the pragmas that it has read.
 *
 *   #pragma ws pipeline(STAGES, 2) schedule(fine)        ws_pragma_ (7);      record 7: depth 4, in flight 2, fine
 *   for (...)                                            for (...)
 *
 * A pragma that parses leaves a marker call in the function, which bind.cc moves into the loop below; one that does not
 * leaves an error.
 *
 * Below a directive of OpenMP the parser takes a loop and nothing else, not even a pragma that has a handler.  So such
 * a pragma is handled where the lexer meets it, and the parser sees none.
 */
#include "pragma.h"

static tree marker_decl; /* void ws_pragma_ (int) */
static vec<Pragma> pragmas = vNULL;

Pragma *pragma_at(unsigned index)
{
    return index < pragmas.length() ? &pragmas[index] : NULL;
}

unsigned pragma_count(void)
{
    return pragmas.length();
}

static Pragma *pragma_of_argument(tree fndecl, tree argument)
{
    if (!marker_decl || fndecl != marker_decl || !argument || TREE_CODE(argument) != INTEGER_CST)
        return NULL;
    return pragma_at((unsigned)tree_to_uhwi(argument));
}

const char *pragma_text(const Pragma *pragma)
{
    return directive_word(pragma->kind);
}

Pragma *pragma_of_tree(tree expression)
{
    if (!expression || TREE_CODE(expression) != CALL_EXPR || call_expr_nargs(expression) < 1)
        return NULL;
    return pragma_of_argument(get_callee_fndecl(expression), CALL_EXPR_ARG(expression, 0));
}

Pragma *pragma_of_stmt(const gimple *stmt)
{
    if (!is_gimple_call(stmt) || gimple_call_num_args(stmt) < 1)
        return NULL;
    return pragma_of_argument(gimple_call_fndecl(stmt), gimple_call_arg(stmt, 0));
}

/* ---- the handler ------------------------------------------------------------------------------------------------- */

static tree marker(void)
{
    if (!marker_decl) {
        tree type = build_varargs_function_type_list(void_type_node, integer_type_node, NULL_TREE);
        marker_decl = build_fn_decl("ws_pragma_", type);
        TREE_NOTHROW(marker_decl) = 1;
    }
    return marker_decl;
}

/* Nothing stands in front of what the parser reads next, in its block.  */
static bool begins_block(void)
{
    if (parser_is_lexing)
        return false;
    tree list = current_stmt_tree()->x_cur_stmt_list->last();
    for (tree_stmt_iterator i = tsi_start(list); !tsi_end_p(i); tsi_next(&i))
        if (TREE_CODE(tsi_stmt(i)) != DEBUG_BEGIN_STMT)
            return false;
    return true;
}

/* A block without declarations would be one with the block around it by the time that statements are looked at.  */
static void keep_block(location_t where)
{
    tree var = build_decl(where, VAR_DECL, NULL_TREE, integer_type_node);
    DECL_ARTIFICIAL(var) = DECL_IGNORED_P(var) = TREE_USED(var) = DECL_READ_P(var) = 1;
    DECL_CONTEXT(var) = current_function_decl;
    pushdecl(var);
}

/* Where the directives begin, OpenMP's and others that the parser itself reads, between which and here is nothing.  */
static location_t directives;
static void (*line_change)(cpp_reader *, const cpp_token *, int);

/* The clauses but for expressions, which are the same whatever is chosen.  */
static void set_clauses(const Directive *directive, Pragma *pragma)
{
    Module *module = plugin.module;
    pragma->kind = directive->kind;
    pragma->is_grid = directive->kind == DIRECTIVE_GRID;
    pragma->is_task = directive->kind == DIRECTIVE_TASK;
    pragma->is_devices = directive->kind == DIRECTIVE_DEVICES;
    pragma->is_together = directive->kind == DIRECTIVE_TOGETHER;
    pragma->is_data = directive->kind == DIRECTIVE_DATA;
    pragma->grid = Grid{};
    pragma->pipeline = Pipeline{};
    if (pragma->is_grid)
        directive_grid(module, directive, &pragma->grid);
    else
        directive_pipeline(module, directive, &pragma->pipeline);
    if (pragma->is_task) {
        directive_task(directive, &pragma->task);
        pragma->task.name = arena_print(module, "%s", name_for_device(pragma->task.name));
    }
    pragma->rings = directive_rings(module, directive);
    pragma->shares = directive_shares(module, directive);
}

/* With other values of the choices in it.  */
static void read_again(const Token *tokens, Pragma *pragma)
{
    Directive directive;
    if (read_directive(tokens, &directive))
        set_clauses(&directive, pragma);
}

static tree devices_of(const Argument *count)
{
    return count->name ? lookup_name(get_identifier(count->name))
                       : build_int_cst(long_integer_type_node, count->number);
}

static bool refuse_place(const Pragma *pragma)
{
    if ((pragma->is_task || pragma->is_together) && !begins_block())
        complain(pragma->loc,
                 pragma->is_task ? "put it first inside the block: { #pragma ws task(name) ... }"
                                 : "put it first inside the block: { #pragma ws together ... }",
                 "%<#pragma ws %s%> does not begin a block", pragma_text(pragma));
    else if (pragma->is_data && parser_is_lexing)
        complain(pragma->loc, "put it above the directive",
                 "%<#pragma ws data%> stands between a directive and its loop");
    else
        return false;
    return true;
}

static void leave_marker(Pragma *pragma)
{
    pragma->function = DECL_UID(current_function_decl);
    pragmas.safe_push(*pragma);
    marker_arguments.safe_insert(0, build_int_cst(integer_type_node, (int)pragmas.length() - 1));
    if (pragma->from)
        marker_arguments.safe_push(pragma->from);
    add_stmt(
        build_call_expr_loc_array(pragma->loc, marker(), (int)marker_arguments.length(), marker_arguments.address()));
}

static void bind_directive(const Token *tokens, const Directive *directive, Pragma *pragma)
{
    bind_extents(directive, pragma);
    choice_end_pragma(pragma, tokens, read_again);
    if (pragma->is_task || pragma->is_together)
        keep_block(pragma->loc);
    if (pragma->is_data)
        keep_next_level(); /* so that a block without declarations is one */
    if (pragma->is_devices)
        marker_arguments.safe_push(fold_convert(long_integer_type_node, pragma->devices));
    leave_marker(pragma);
}

static void handle_pragma(cpp_reader *)
{
    Pragma pragma = {};
    pragma.loc = input_location;
    pragma.below = directives;
    Directive directive;
    choice_begin_pragma();
    const Token *tokens = read_tokens();
    location_t where = host_location(tokens->loc);
    if (!strncmp(lang_hooks.name, "GNU C++", 7)) {
        complain(where, "put the kernel into a C file; C++ calls it", "kernels are C");
        return;
    }
    if (!current_function_decl) {
        complain(where, "put it above a 'for' loop", "%<#pragma ws%> stands outside every function");
        return;
    }
    if (!read_directive(tokens, &directive))
        return;
    set_clauses(&directive, &pragma);
    if (refuse_place(&pragma))
        return;
    marker_arguments.truncate(0);
    if (directive.kind == DIRECTIVE_DEVICES)
        pragma.devices = devices_of(directive.arguments);
    if (directive.kind == DIRECTIVE_DATA || directive.kind == DIRECTIVE_UPDATE)
        bind_arrays(&directive);
    if (directive.kind != DIRECTIVE_UPDATE)
        bind_directive(tokens, &directive, &pragma);
    marker_arguments.truncate(0);
}

/* The project's name and capitals are likely slips; an unknown pragma would silently leave the loops to the host.  */
static void slip(const char *message)
{
    location_t where = input_location;
    read_tokens();
    complain(where, "write '#pragma ws'", "%s", message);
}

static void handle_name(cpp_reader *)
{
    slip("'#pragma wsc' is not a pragma");
}

static void handle_capitals(cpp_reader *)
{
    slip("'#pragma WS' is not a pragma");
}

/* Where names of ws.h are unknown GCC says so of each; once, why.  */
static void miss_header(location_t where)
{
    static const char *const types[] = {"ws_tensor", "ws_tile", "ws_f16", "ws_bf16"};
    static bool told;
    for (const char *type : types) {
        tree name = told || !seen_error() ? NULL_TREE : maybe_get_identifier(type);
        if (!name || lookup_name(name))
            continue;
        inform(where, "%<#include <ws.h>%> is missing");
        told = true;
    }
}

/* The first token of a line.  What is handled here leaves its end to the parser as white space.  */
static void see_line(cpp_reader *reader, const cpp_token *token, int in_arguments)
{
    line_change(reader, token, in_arguments);
    if (token->type == CPP_PRAGMA_EOL)
        return;
    if (token->type == CPP_PRAGMA && token->val.pragma >= PRAGMA_FIRST_EXTERNAL)
        miss_header(token->src_loc);
    if (token->type == CPP_PRAGMA && token->val.pragma < PRAGMA_FIRST_EXTERNAL) {
        directives = directives ? directives : token->src_loc;
    } else if (token->type == CPP_PRAGMA && directives) {
        location_t outer = input_location;
        input_location = token->src_loc;
        parser_is_lexing = true;
        c_invoke_pragma_handler(token->val.pragma);
        parser_is_lexing = false;
        input_location = outer;
        cpp_token *seen = const_cast<cpp_token *>(token);
        seen->type = CPP_PADDING;
        seen->val.source = NULL;
    } else {
        directives = 0;
    }
}

static void register_pragmas(void *, void *)
{
    cpp_callbacks *callbacks = cpp_get_callbacks(parse_in);
    if (!flag_preprocess_only && callbacks->line_change && !strncmp(lang_hooks.name, "GNU C", 5) &&
        strncmp(lang_hooks.name, "GNU C++", 7)) {
        line_change = callbacks->line_change;
        callbacks->line_change = see_line;
    }
    c_register_pragma_with_expansion(NULL, "ws", handle_pragma);
    c_register_pragma_with_expansion(NULL, "wsc", handle_name);
    c_register_pragma_with_expansion(NULL, "WS", handle_capitals);
}

void pragma_register(void)
{
    static const ggc_root_tab roots[] = {
        {&marker_decl, 1, sizeof marker_decl, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node}, LAST_GGC_ROOT_TAB};
    register_callback("wsc", PLUGIN_PRAGMAS, register_pragmas, NULL);
    register_callback("wsc", PLUGIN_REGISTER_GGC_ROOTS, NULL, (void *)roots);
}
