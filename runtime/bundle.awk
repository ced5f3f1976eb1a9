# SPDX-License-Identifier: MIT
#
# bundle.awk - one file out of many, for projects that ship the sequential library with their sources.
#
#   awk -v path=DIR:DIR... -v keep=ws.h -f bundle.awk FILE... > ws.c
#
# Files in order, each #include that is found on the path put in its place: headers once, tables (.def) each time. The
# header named by keep stays an #include of that name.

function locate(name, dir,    i, n, dirs, line, try) {
    n = split(dir ":" path, dirs, ":")
    for (i = 1; i <= n; i++) {
        try = dirs[i] "/" name
        if ((getline line < try) >= 0) {
            close(try)
            return try
        }
    }
    return ""
}

function folder(file) {
    return match(file, /.*\//) ? substr(file, 1, RLENGTH - 1) : "."
}

function base(file) {
    sub(/.*\//, "", file)
    return file
}

# The macros of a source end with it, as they do when it is compiled alone.
function emit_source(file,    i) {
    macros = 0
    emit(file, keep != "")
    for (i = 1; i <= macros; i++)
        print "#undef " macro[i]
}

function emit(file, source,    line, name, found) {
    while ((getline line < file) > 0) {
        if (line ~ /^#define _GNU_SOURCE/)
            continue
        if (source && match(line, /^#[ \t]*define[ \t]+[A-Za-z_0-9]+/)) {
            name = substr(line, RSTART, RLENGTH)
            sub(/.*[ \t]/, "", name)
            macro[++macros] = name
        }
        if (line ~ /^[ \t]*#[ \t]*include[ \t]*["<]/) {
            name = line
            sub(/^[^"<]*["<]/, "", name)
            sub(/[">].*/, "", name)
            if (keep != "" && name == keep) {
                if (!seen[keep]++)
                    print "#include \"" keep "\""
                continue
            }
            found = locate(name, folder(file))
            if (found != "") {
                if (found ~ /\.def$/ || !seen[base(found)]++)
                    emit(found, 0)
                continue
            }
        }
        print line
    }
    close(file)
}

BEGIN {
    print "/* SPDX-License-Identifier: MIT */"
    print "/* Made from WSC's runtime by wscc --ws-bundle; change it there. */"
    if (keep != "") {
        print "#ifndef _GNU_SOURCE"
        print "#define _GNU_SOURCE"
        print "#endif"
        print "/* Products and sums keep their order and rounding, whatever the options of the program are. */"
        print "#ifdef __FAST_MATH__"
        print "#error \"compile this file without -ffast-math\""
        print "#endif"
        print "#if defined __clang__"
        print "#pragma STDC FP_CONTRACT OFF"
        print "#elif defined __GNUC__"
        print "#pragma GCC optimize(\"fp-contract=off\")"
        print "#endif"
    }
    for (a = 1; a < ARGC; a++)
        emit_source(ARGV[a])
    exit 0
}
