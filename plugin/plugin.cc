/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugin.cc - where GCC enters: options, passes, diagnostics, and the end of the unit.
 *
 *   parsing          pragma.cc, bind.cc      each #pragma ws becomes a marker in its loop
 *   after einline    region.cc ...           each function: a Kernel for each marked grid loop, a launcher call in its
 *                                            place
 *   after all that   here                    lower_module () makes the .cu of all kernels, or reports what is wrong
 *
 * Arguments: -fplugin-arg-wsc-target=cuda|emulate|cuda,emulate|sequential, -output=FILE, -dump=PASS[,PASS],
 * -signatures=FILE, -gpu=NAME, -lines, -steps, -strict, -ids, -show, -time, -schedule=FILE, -solver=PROGRAM,
 * -machine=FILE, -schedules=FOLDER.
 */
#include "plugin.h"
#include "transcribe.h"
#include "lower.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "target/machine.h"

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int plugin_is_GPL_compatible;

Plugin plugin;

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

#if GCCPLUGIN_VERSION_MAJOR >= 16
static const auto error_kind = diagnostics::kind::error;
#else
static const auto error_kind = DK_ERROR;
#endif

/* GCC would also name the file of a macro among whose arguments the user's words stand.  */
static bool is_argument_of_system_macro(location_t where)
{
    return linemap_location_from_macro_expansion_p(line_table, where) &&
           in_system_header_at(linemap_resolve_location(line_table, where, LRK_MACRO_DEFINITION_LOCATION, NULL));
}

location_t user_location(location_t where)
{
    where = expansion_point_location_if_in_system_header(where);
    if (is_argument_of_system_macro(where))
        where = linemap_resolve_location(line_table, where, LRK_SPELLING_LOCATION, NULL);
    return where;
}

Loc loc_of(location_t where)
{
    where = user_location(where);
    expanded_location place = expand_location(where);
    Loc loc = {place.file ? place.file : "", place.line, place.column, where};
    return loc;
}

static char_span source_line(const char *file, int line)
{
#if GCCPLUGIN_VERSION_MAJOR >= 14
    return global_dc->get_file_cache().get_source_line(file, line);
#else
    return location_get_source_line(file, line);
#endif
}

/* What stands at `written` on one line and in no macro.  */
bool source_text(location_t written, const char **text, size_t *length)
{
    source_range range = get_range_from_loc(line_table, written);
    expanded_location first = expand_location(range.m_start), last = expand_location(range.m_finish);
    if (!first.file || first.line != last.line || !last.file || strcmp(first.file, last.file) ||
        linemap_location_from_macro_expansion_p(line_table, range.m_start))
        return false;
    char_span line = source_line(first.file, first.line);
    if (!line || first.column < 1 || first.column > last.column || (size_t)last.column > line.length())
        return false;
    *text = line.get_buffer() + first.column - 1;
    *length = (size_t)(last.column - first.column + 1);
    return true;
}

location_t host_location(const Loc &loc)
{
    return (location_t)loc.host;
}

const char *with_id(const char *format)
{
    return reason_tag_text(plugin.module, format, format);
}

void complain(location_t where, const char *remedy, const char *format, ...)
{
    static location_t last_place;
    static const char *last_format;
    if (same_place(where, last_place) && format == last_format && has_place(where))
        return; /* at -O0 one expression may be several statements */
    last_place = where;
    last_format = format;
    auto_diagnostic_group group;
    va_list list;
    va_start(list, format);
    const char *text = strcmp(format, "%s") ? format : va_arg(list, const char *);
    va_end(list);
    va_start(list, format);
    format = reason_tag_text(plugin.module, format, text);
    emit_diagnostic_valist(error_kind, user_location(where), 0, format, &list);
    va_end(list);
    if (remedy)
        inform(user_location(where), "%s", remedy);
}

static void show_remark(bool optimized, location_t where, const char *message)
{
    if (dump_enabled_p())
        dump_printf_loc(optimized ? MSG_OPTIMIZED_LOCATIONS : MSG_MISSED_OPTIMIZATION,
                        dump_user_location_t::from_location_t(where), "%s\n", message);
    if (plugin.show)
        inform(where, "%s: %s", optimized ? "optimized" : "missed", message);
}

/* -Wno-ws-NAME for a warning that ends in "[-Wws-NAME]".  GCC takes unknown options of that form and keeps them.  */
static bool is_switched_off(const char *message)
{
    const char *option = strstr(message, "[-Wws-");
    for (unsigned i = 1; option && i < save_decoded_options_count; i++) {
        const char *given = save_decoded_options[i].orig_option_with_args_text;
        size_t length = strcspn(option + 3, "]");
        if (given && !strncmp(given, "-Wno-", 5) && !strncmp(given + 5, option + 3, length) && !given[5 + length])
            return true;
    }
    return false;
}

/* A line of a file that is not C has a location, too.  */
static location_t location_of(Loc loc)
{
    if (loc.host || !loc.file || !*loc.file || loc.line < 1)
        return (location_t)loc.host;
    linemap_add(line_table, LC_ENTER, 0, loc.file, loc.line);
    linemap_line_start(line_table, loc.line, 256);
    location_t where = linemap_position_for_column(line_table, loc.column > 0 ? loc.column : 1);
    linemap_add(line_table, LC_LEAVE, 0, NULL, 0);
    return where;
}

/* What the lowering has to say, in GCC's voice.  The note of a warning that is not shown is not shown either.  */
static void sink(void *context, DiagKind kind, Loc loc, const char *message)
{
    location_t where = location_of(loc);
    bool *silent = (bool *)context;
    if (kind == DIAG_NOTE && *silent)
        return;
    *silent = false;
    switch (kind) {
    case DIAG_ERROR:
        error_at(where, "%s", message);
        break;
    case DIAG_WARNING:
        *silent = is_switched_off(message) || !warning_at(where, 0, "%s", message);
        break;
    case DIAG_NOTE:
        inform(where, "%s", message);
        break;
    default:
        show_remark(kind == DIAG_OPTIMIZED, where, message);
    }
}

/* ---- the end of the unit ----------------------------------------------------------------------------------------- */

/* What may be removed, and replaced by a file: no terminal, no /dev/null.  */
static bool is_ordinary(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* Whole or not at all: a temporary beside it, renamed.  */
static void write_output(const char *text)
{
    bool direct = !is_ordinary(plugin.output);
    char *temporary = concat(plugin.output, direct ? "" : ".tmp", NULL);
    FILE *out = fopen(temporary, "w");
    bool good = out && fputs(text, out) >= 0;
    if (out && fclose(out))
        good = false;
    if (good && !direct && rename(temporary, plugin.output))
        good = false;
    if (!good) {
        error_at(UNKNOWN_LOCATION, "cannot write %qs: %m", plugin.output);
        if (!direct)
            unlink(temporary);
    }
    free(temporary);
}

static void finish_unit(void)
{
    const char *text = NULL;
    if (dump_lists(plugin.dump, "region"))
        transcribe_finish();
    for (const Kernel *kernel = plugin.module->kernels; kernel && dump_lists(plugin.dump, "walk");
         kernel = kernel->next)
        if (!kernel->failed)
            ir_print(stdout, kernel, "walk");
    if (!seen_error() && plugin.module->kernels)
        text = lower_module(plugin.module, plugin.dump, stdout);
    fflush(stdout);
    signature_write();
    if (!plugin.output)
        return;
    if (seen_error() && is_ordinary(plugin.output))
        unlink(plugin.output);
    else if (!seen_error() && text)
        write_output(text);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Processor time of the two passes, for -fplugin-arg-wsc-time; bench/compile reads the line.  */
static bool timed;
static double walk_ms, lower_ms;

static double clock_ms(void)
{
    struct timespec now = {0, 0};
    if (timed)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void report_time(void)
{
    int kernels = 0;
    for (const Kernel *kernel = plugin.module->kernels; kernel; kernel = kernel->next)
        kernels++;
    if (timed)
        fprintf(stderr, "ws: time: %d kernels, walk %.3f ms, lowering %.3f ms\n", kernels, walk_ms, lower_ms);
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static const pass_data region_data = {GIMPLE_PASS, "wsc", OPTGROUP_LOOP, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
static const pass_data lower_data = {SIMPLE_IPA_PASS, "wsc-lower", OPTGROUP_LOOP, TV_NONE, 0, 0, 0, 0, 0};

class region_pass : public gimple_opt_pass {
  public:
    region_pass() : gimple_opt_pass(region_data, g)
    {
    }
    bool gate(function *fn) final override
    {
        return !in_lto_p && !seen_error() && pragma_count() && !bind_is_forced(fn->decl);
    }
    unsigned execute(function *fn) final override
    {
        double start = clock_ms();
        unsigned todo = region_execute(fn);
        walk_ms += clock_ms() - start;
        return todo;
    }
};

class lower_pass : public simple_ipa_opt_pass {
  public:
    lower_pass() : simple_ipa_opt_pass(lower_data, g)
    {
    }
    bool gate(function *) final override
    {
        return !in_lto_p;
    }
    unsigned execute(function *) final override
    {
        region_clean_markers();
        choice_clean();
        bind_restore();
        double start = clock_ms();
        finish_unit();
        lower_ms += clock_ms() - start;
        report_time();
        return 0;
    }
};

static void register_passes(void)
{
    struct register_pass_info walk = {new region_pass(), "einline", 1, PASS_POS_INSERT_AFTER};
    register_callback("wsc", PLUGIN_PASS_MANAGER_SETUP, NULL, &walk);
    struct register_pass_info lower = {new lower_pass(), "opt_local_passes", 1, PASS_POS_INSERT_AFTER};
    register_callback("wsc", PLUGIN_PASS_MANAGER_SETUP, NULL, &lower);
    transcribe_register();
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

static void read_schedule(void)
{
    plugin.module->solver = plugin.machine ? plugin.solver : NULL;
    plugin.module->solver_machine = plugin.machine;
    plugin.module->schedule_folder = plugin.schedules;
    FILE *in = plugin.schedule ? fopen(plugin.schedule, "r") : NULL;
    if (plugin.schedule && !in)
        error_at(UNKNOWN_LOCATION, "cannot read %qs: %m", plugin.schedule);
    if (!in)
        return;
    plugin.module->schedule = ir_read_text(in);
    plugin.module->schedule_name = plugin.schedule;
    fclose(in);
}

static void read_tuned(void)
{
    FILE *in = plugin.tuned ? fopen(plugin.tuned, "r") : NULL;
    if (plugin.tuned && !in)
        error_at(UNKNOWN_LOCATION, "cannot read %qs: %m", plugin.tuned);
    if (!in)
        return;
    plugin.module->tuned = ir_read_text(in);
    fclose(in);
}

static void start_unit(void *, void *)
{
    static bool silent;
    plugin.module = module_new(main_input_filename ? main_input_filename : "",
                               plugin.traced ? machine_traced(plugin.gpu) : plugin.gpu, sink, &silent);
    plugin.module->target = plugin.target;
    plugin.module->strict = plugin.strict;
    plugin.module->ids = plugin.ids;
    read_schedule();
    read_tuned();
    plugin.module->lines = plugin.lines ? lbasename(plugin.output ? plugin.output : "") : NULL;
    plugin.module->steps = plugin.steps;
}

/* GCC gives the arguments of a call the call's own place, one of ws.h in another's arguments too.  */
static tree keep_place(tree *where, int *, void *)
{
    tree fndecl = TREE_CODE(*where) == CALL_EXPR ? get_callee_fndecl(*where) : NULL_TREE;
    if (!fndecl || !DECL_NAME(fndecl) || strncmp(IDENTIFIER_POINTER(DECL_NAME(fndecl)), "ws_", 3))
        return NULL_TREE;
    for (int i = 0; i < call_expr_nargs(*where); i++) {
        tree argument = CALL_EXPR_ARG(*where, i);
        if (TREE_CODE(argument) == CALL_EXPR && EXPR_HAS_LOCATION(argument))
            CALL_EXPR_ARG(*where, i) =
                build1_loc(EXPR_LOCATION(argument), NON_LVALUE_EXPR, TREE_TYPE(argument), argument);
    }
    return NULL_TREE;
}

static void pre_genericize(void *event, void *)
{
    signature_function((tree)event);
    bind_function((tree)event);
    task_refuse_jumps((tree)event);
    if (!seen_error() && DECL_SAVED_TREE((tree)event))
        walk_tree_without_duplicates(&DECL_SAVED_TREE((tree)event), keep_place, NULL);
}

/* What ws.h asks for to know that the pragma means something here.  */
static struct attribute_spec ws_plugin_attribute = {"ws_plugin", 0, 0, false, false, false, false, NULL, NULL};

static void register_attributes_callback(void *, void *)
{
    register_attribute(&ws_plugin_attribute);
}

static bool set_target(const char *value)
{
    if (!value)
        return false;
    plugin.two_targets = !strcmp(value, "cuda,emulate");
    if (!strcmp(value, "cuda") || plugin.two_targets)
        plugin.target = TARGET_CUDA;
    else if (!strcmp(value, "emulate"))
        plugin.target = TARGET_EMULATE;
    else if (!strcmp(value, "sequential"))
        plugin.target = TARGET_SEQUENTIAL;
    else
        return false;
    return true;
}

static bool set_dump(const char *value)
{
    plugin.dump = value;
    return value && !dump_unknown(value);
}

/* The driver writes '=' as %3D and % as %25: GCC takes no second '=' in an argument.  */
static const char *decoded(const char *value)
{
    if (!value)
        return NULL;
    char *text = xstrdup(value), *to = text;
    for (const char *at = value; *at; at++) {
        unsigned code;
        if (*at == '%' && ISXDIGIT(at[1]) && ISXDIGIT(at[2]) && sscanf(at + 1, "%2x", &code) == 1) {
            *to++ = (char)code;
            at += 2;
        } else
            *to++ = *at;
    }
    *to = 0;
    return text;
}

static bool read_argument(const char *key, const char *value)
{
    if (!strcmp(key, "target"))
        return set_target(value);
    if (!strcmp(key, "dump"))
        return set_dump(value);
    if (!strcmp(key, "output"))
        plugin.output = value;
    else if (!strcmp(key, "schedule"))
        plugin.schedule = value;
    else if (!strcmp(key, "tuned"))
        plugin.tuned = value;
    else if (!strcmp(key, "signatures"))
        plugin.signatures = value;
    else if (!strcmp(key, "solver"))
        plugin.solver = value;
    else if (!strcmp(key, "machine"))
        plugin.machine = value;
    else if (!strcmp(key, "gpu"))
        return value && (plugin.gpu = machine_named(value));
    else if (!strcmp(key, "schedules"))
        plugin.schedules = value;
    else if (!strcmp(key, "lines"))
        plugin.lines = true;
    else if (!strcmp(key, "steps"))
        plugin.lines = plugin.steps = true;
    else if (!strcmp(key, "strict"))
        plugin.strict = true;
    else if (!strcmp(key, "ids"))
        plugin.ids = true;
    else if (!strcmp(key, "traced"))
        plugin.traced = true;
    else if (!strcmp(key, "show"))
        plugin.show = true;
    else if (!strcmp(key, "time"))
        timed = true;
    else
        return false;
    return true;
}

/* The table of passes is the plugin's help text.  */
static const char *help_text(void)
{
    const char *text = "Warp-specialized C.  Passes of the lowering:\n";
    for (int i = 0; i < npasses; i++)
        text = concat(text, "  ", passes[i].name, ": ", passes[i].summary, "\n", NULL);
    return text;
}

static void refuse_argument(const char *plugin_name, const char *key, const char *value)
{
    if (!strcmp(key, "dump")) {
        const char *names = "walk";
        for (int i = 0; i < npasses; i++)
            names = concat(names, ", ", passes[i].name, NULL);
        error_at(UNKNOWN_LOCATION, "there is no pass %qs to dump; they are %s, region, and %<all%>", value ? value : "",
                 names);
        return;
    }
    error_at(UNKNOWN_LOCATION, "unknown argument %<-fplugin-arg-%s-%s%s%s%>", plugin_name, key, value ? "=" : "",
             value ? value : "");
}

EXPORTED int plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version)) {
        error_at(UNKNOWN_LOCATION, "the plugin %qs was built for GCC %s, and this is GCC %s", info->base_name,
                 gcc_version.basever, version->basever);
        return 1;
    }
    plugin.target = TARGET_CUDA;
    plugin.gpu = &machine_hopper;
    for (int i = 0; i < info->argc; i++)
        if (!read_argument(info->argv[i].key, decoded(info->argv[i].value))) {
            refuse_argument(info->base_name, info->argv[i].key, info->argv[i].value);
            return 1;
        }
    static struct plugin_info about = {"0.1.0", NULL};
    about.help = help_text();
    register_callback("wsc", PLUGIN_INFO, NULL, &about);
    register_callback("wsc", PLUGIN_ATTRIBUTES, register_attributes_callback, NULL);
    register_callback("wsc", PLUGIN_START_UNIT, start_unit, NULL);
    register_callback("wsc", PLUGIN_PRE_GENERICIZE, pre_genericize, NULL);
    pragma_register();
    entry_register();
    register_passes();
    return 0;
}
