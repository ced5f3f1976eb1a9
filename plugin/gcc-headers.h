/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gcc-headers.h - GCC's headers in the order that they need, and the few names that differ between versions.
 */
#ifndef WSC_GCC_HEADERS_H
#define WSC_GCC_HEADERS_H

#include "gcc-plugin.h"
#include "plugin-version.h"
#include "config.h"
#include "system.h"
#include "coretypes.h"
#include "backend.h"
#include "tree.h"
#include "gimple.h"
#include "c-family/c-common.h"
#include "c-family/c-pragma.h"
#include "tree-pass.h"
#include "ssa.h"
#include "cgraph.h"
#include "diagnostic-core.h"
#include "diagnostic.h"
#include "gcc-rich-location.h"
#include "gimple-iterator.h"
#include "gimple-pretty-print.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "gimple-walk.h"
#include "tree-cfg.h"
#include "cfganal.h"
#include "cfgloop.h"
#include "tree-into-ssa.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-manip.h"
#include "tree-iterator.h"
#include "fold-const.h"
#include "fold-const-call.h"
#include "gimple-fold.h"
#include "print-tree.h"
#include "stringpool.h"
#include "attribs.h"
#include "opts.h"
#include "options.h"
#include "spellcheck.h"
#include "dumpfile.h"
#include "toplev.h"
#include "context.h"
#include "builtins.h"
#include "internal-fn.h"
#include "langhooks.h"
#include "tree-ssa-operands.h"
#include "tree-phinodes.h"
#include "ssa-iterators.h"
#include "cfghooks.h"
#include "tree-ssanames.h"
#include "tree-eh.h"
#include "tree-dfa.h"

/* The C front end's own.  At the link step of -flto the plugin is loaded where these do not exist.  */
extern tree lookup_name(tree) __attribute__((weak));
extern void mark_exp_read(tree) __attribute__((weak));
extern tree add_stmt(tree) __attribute__((weak));
extern tree pushdecl(tree) __attribute__((weak));
extern void keep_next_level(void) __attribute__((weak));
extern stmt_tree current_stmt_tree(void) __attribute__((weak));
extern enum cpp_ttype pragma_lex(tree *, location_t *) __attribute__((weak));
extern enum cpp_ttype c_lex_with_flags(tree *, location_t *, unsigned char *, int) __attribute__((weak));
extern void c_invoke_pragma_handler(unsigned) __attribute__((weak));
extern cpp_callbacks *cpp_get_callbacks(cpp_reader *) __attribute__((weak));
extern cpp_reader *parse_in __attribute__((weak));
extern void c_register_pragma_with_expansion(const char *, const char *, pragma_handler_1arg) __attribute__((weak));

#endif
