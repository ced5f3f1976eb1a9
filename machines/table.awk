# SPDX-License-Identifier: MIT
#
# table.awk - C text for the rows of one kind in a description of a machine.
#
#   awk -v rows=limit -f table.awk hopper.machine       members of struct Machine (lowering/cost/gpu.h)
#   awk -v rows=cost -f table.awk hopper.machine        members of Costs (lowering/cost/cost.h)
#   awk -v rows=estimate -f table.awk hopper.machine    runtime/common/costs.h
#   awk -v rows=fitted -f table.awk hopper.machine      lib/product/numbers.def, with the rows `fixed`
#   awk -v rows=gpu -v gpu=sm_90a -f table.awk hopper.machine
#                                                       runtime/common/gpus/sm_90a.h: what the GPU has
#
# Of several files, a row of a later one replaces the row of that name. So the description of a GPU that is like another
# one holds the rows that differ.
#
# A row is "limit NAME VALUE # MEANING [SOURCE]". The value is a number, KIND.NAME of a row above, or machine.processors.

function fail(message) { print FILENAME ":" FNR ": " message >"/dev/stderr"; failed = 1; exit 1 }

function number_of(text) {
    if (text in value)
        return value[text]
    if (text !~ /^[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/)
        fail("'" text "' is no number, and no row above is KIND.NAME")
    return text
}

function meaning_of(line) {
    sub(/^[^#]*# */, "", line)
    sub(/ *\[[a-z0-9]*\] *$/, "", line)
    return line
}

$1 == "machine" { machine = $2 }
$1 == "memory" && $2 == "smem" { sub(/.*=/, "", $3); shared = $3 * 1024 }
$1 == "processors" { processors = value["machine.processors"] = $2 }

$1 == "limit" || $1 == "cost" || $1 == "estimate" || $1 == "fitted" || $1 == "fixed" {
    if ($2 !~ /^[a-z][a-z0-9_]*$/ || ($4 != "" && $4 !~ /^#/))
        fail("a row is: " $1 " NAME VALUE # MEANING [SOURCE]")
    if (of_file[$1 "." $2] == FILENAME)
        fail($1 " '" $2 "' is there twice")
    repeated = ($1 "." $2) in value
    of_file[$1 "." $2] = FILENAME
    value[$1 "." $2] = number_of($3)
    if (repeated)
        next
    if ($1 == rows) {
        name[++count] = $2
        meaning[count] = meaning_of($0)
    } else if ($1 == "fixed") {
        fixed[++fixes] = "FIXED(" $2 ", " value[$1 "." $2] ", \"" meaning_of($0) "\")"
    }
}

function print_gpu(    i, n, names, file) {
    print "/* SPDX-License-Identifier: MIT */"
    print "/*\n * " gpu ".h - what " gpu " has, for the emitted code.\n *"
    file = FILENAME
    sub(/.*\//, "", file)
    print " * Generated from machines/" file " by machines/table.awk: `make update-costs` writes it anew."
    print " */"
    print "#define WS_GPU_NAME           \"" gpu "\""
    n = split("capability wgmma setmaxnreg cluster_blocks shared_bytes", names, " ")
    for (i = 1; i <= n; i++)
        printf "#define %-21s %s\n", "WS_GPU_" toupper(names[i]), value["limit." names[i]]
}

function generated(file, about) {
    print "/* SPDX-License-Identifier: MIT */"
    print "/*\n * " file " - " about
    print " *"
    print " * Generated from machines/" machine ".machine by machines/table.awk: `make update-costs` writes it anew."
    print " */"
}

function print_estimates(    i, width, prefix) {
    generated("costs.h", "numbers of a GPU that launchers, the emulation and the compiler share.")
    print "#ifndef WS_COMMON_COSTS_H\n#define WS_COMMON_COSTS_H\n"
    prefix = "WS_" toupper(machine)
    print "enum { " prefix "_PROCESSORS = " processors ", " prefix "_SHARED_BYTES = " shared " };\n"
    print "typedef struct {"
    for (i = 1; i <= count; i++)
        print "    double " name[i] ";"
    print "} ws_estimates;\n"
    print "static const ws_estimates ws_estimates_" machine " = {"
    for (i = 1; i <= count; i++)
        width = length(value[rows "." name[i]]) > width ? length(value[rows "." name[i]]) : width
    for (i = 1; i <= count; i++)
        printf "    %-" width + 1 "s /* %s */\n", value[rows "." name[i]] ",", name[i]
    print "};\n\n#endif"
}

function print_fitted(    i) {
    generated("numbers.def", \
        "the numbers of the cost model in choose.h: NUMBER (name, value, meaning); FIXED, not fitted.")
    for (i = 1; i <= count; i++)
        print "NUMBER(" name[i] ", " value[rows "." name[i]] ", \"" meaning[i] "\")"
    print "#ifdef FIXED"
    for (i = 1; i <= fixes; i++)
        print fixed[i]
    print "#endif"
}

END {
    if (failed)
        exit 1
    if (rows == "estimate")
        print_estimates()
    else if (rows == "fitted")
        print_fitted()
    else if (rows == "gpu")
        print_gpu()
    else
        for (i = 1; i <= count; i++)
            print "    ." name[i] " = " value[rows "." name[i]] ","
}
