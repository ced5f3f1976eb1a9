# SPDX-License-Identifier: GPL-3.0-or-later
# The program of `constructs`: the first file lists functions that are refused, the second is constructs.txt; with
# places="plain" and such the functions of these loops, with names the constructs alone. With list=1 the names.

function mark(id, where) { printf "/* at %s %s */\n", id, where == "around" && only == "loop" ? "body" : where }

function construct(    place, id) {
    if (name == "" || (names != "" && index(" " names " ", " " name " ") == 0) || (only == "gcc" && only != frontend))
        return
    if (list) {
        print name
        return
    }
    id = name
    gsub(/-/, "_", id)
    mark(id, "global")
    printf "%s", global
    for (place = 1; place <= split(places, loop, " "); place++)
        one(id, id "_" loop[place], loop[place])
    mark("-", "-")
}

function one(id, f, place) {
    if (f in refused)
        return
    all[++count] = f
    mark(id, "around")
    printf "static void f_%s(int n, float *y, const float *x, const int *u)\n{\n", f
    mark(id, "outside")
    printf "%s", outside
    mark(id, "around")
    if (place == "tiles") {
        print "ws_tensor tx = ws_tensor_2d(x, WS_F32, 16 * n, 8), ty = ws_tensor_2d(y, WS_F32, 16 * n, 8);"
        print "ws_tensor tu = ws_tensor_1d(u, WS_I32, n);"
    }
    print "#pragma ws grid(1)"
    if (place == "plain") {
        print "for (int i = 0; i < n; i++) {"
        print "float v = x[i]; int m = u[i];"
    } else if (place == "pipelined") {
        print "for (int i = 0; i < n; i++) {"
        print "float total = 0;"
        print "#pragma ws pipeline(2)"
        print "for (int j = 0; j < 64; j++) {"
        print "float v = x[64 * i + j]; int m = u[j];"
    } else {
        print "for (int i = 0; i < 16 * n; i += 64) {"
        print "ws_tile tile_ = ws_load(tx, i, 0, 64, 8);"
        print "int m = (int)ws_at(tu, i / 64); float v = m + 2;"
    }
    mark(id, "body")
    printf "%s", body
    mark(id, "around")
    if (place == "plain")
        print "y[i] = v + m; } }"
    else if (place == "pipelined")
        print "total += v + m; } y[i] = total; } }"
    else
        print "ws_store(ty, i, 0, ws_add(tile_, v + m)); } }"
}

FILENAME == ARGV[1] { refused[$1] = 1; next }
/^#/ { next }
/^= / {
    construct()
    name = $2; only = $3; global = outside = body = ""
    next
}
/^\| / { global = global substr($0, 3) "\n"; next }
/^\+ / { outside = outside substr($0, 3) "\n"; next }
{ body = body $0 "\n" }

BEGIN {
    if (!list)
        print "#include <stdio.h>\n#include <ws.h>"
}
END {
    construct()
    if (list)
        exit
    print "static float x[2048], y[2048]; static int u[128];"
    print "static void run(const char *name, void (*f)(int, float *, const float *, const int *))\n{"
    print "unsigned long sum = 0; for (int i = 0; i < 2048; i++) { y[i] = 0; x[i] = i * 7 % 5; }"
    print "for (int i = 0; i < 128; i++) u[i] = i * 3 % 7;"
    print "f(16, y, x, u); for (int i = 0; i < 2048; i++) sum = sum * 31 + (unsigned)(int)(y[i] * 4);"
    print "printf(\"%s: %g %g %g %lx\\n\", name, y[0], y[1], y[9], sum); fflush(stdout);\n}"
    print "int main(void)\n{"
    for (i = 1; i <= count; i++)
        printf "run(\"%s\", f_%s);\n", all[i], all[i]
    print "return 0;\n}"
}
