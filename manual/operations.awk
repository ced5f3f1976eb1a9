# SPDX-License-Identifier: GPL-3.0-or-later
# operations.awk - what is known of each operation: of ws.h, ops.def, manual/rules and manual/examples.
#
#   awk -v as=c|list|man|html|index -f operations.awk ops.def ws.h ws.h rules examples
#
# c: a program that runs every example and prints what it gives; list: names and opcodes; man: a page for each, into
# the folder -v to=; index: the page of all names; html: a section for each. Fails where a name has no example, or no
# row of ops.def.

function fail(text) { print "manual: " text >"/dev/stderr"; failed = 1 }
function trim(text) { sub(/^ +/, "", text); sub(/ +$/, "", text); return text }

FNR == 1 { part++ }

# ops.def: OP (NAME, text, class, nargs, rule, call, about, "doc")
part == 1 && /^OP \(/ {
    split($0, field, ","); name = trim(field[2]); rule[name] = trim(field[5]); class_of[name] = trim(field[3])
    about = $0; sub(/"\)[^"]*$/, "", about); sub(/.*, "/, "", about); doc[name] = about
}

# ws.h: prototypes, which may take two lines; `#define ws_add(x, y)` for those of which the function has a _ behind.
part == 2 && /^# *define ws_[a-z0-9_]*\(/ {
    name = $0; sub(/^# *define /, "", name); call = name; sub(/\(.*/, "", name); sub(/\).*/, ")", call)
    if (name !~ /_$/) macro[name] = call
}
part == 3 && /^(ws_[a-z0-9_]+|void|long|double|float|int|const char) \**ws_[a-z0-9_]+\(/ { text = "" }
part == 3 { text = text " " $0 }
part == 3 && text ~ /^ (ws_[a-z0-9_]+|void|long|double|float|int|const char) \**ws_[a-z0-9_]+\(.*;/ {
    line = text; text = ""; sub(/;.*/, "", line); sub(/ WS_USE_/, "", line); gsub(/ +/, " ", line); line = trim(line)
    name = line; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    if (name ~ /^ws_(bad|scalar|strided)_/ || line ~ /WS_BAD_/) next
    if (name ~ /_$/) { plain = name; sub(/_$/, "", plain); sub(name "\\(", plain "(", line); name = plain; if (!(name in macro)) next }
    if (!(name in known)) order[++count] = name
    known[name] = 1; signature[name] = line
}

part == 4 && /^R_/ { of = $1 }
part == 4 && /^(shapes|types|errors) / { what = $1; sub(/^[a-z]* /, ""); asks[of, what] = $0 }

part == 5 && /^ws_/ { name = $1; frame[name] = $2; rows[name] = $3; cols[name] = $4; if (!(name in known)) fail(name " is not in ws.h"); next }
part == 5 && /^(about|shapes|types|errors) / { what = $1; sub(/^[a-z]* /, ""); own[name, what] = $0; next }
part == 5 && /^    / { code[name] = code[name] substr($0, 5) "\n"; next }
part == 5 && /^>/ { gives[name] = substr($0, 3); next }

# The row of ops.def, as the head of ws.h says.
function opcode(name,  text) {
    text = name; sub(/^ws_/, "", text)
    if (text == "zeros") return "full"
    if (text ~ /^tensor_/) return "tensor"
    if (text == "put" || text == "get") return "ring_" text
    if (text ~ /^(load|store)_box/) { sub(/_box.*/, "", text); return text }
    if (text in rule) return text
    sub(/_[234]d$/, "", text); sub(/_or$/, "", text)
    return text in rule ? text : ""
}
function say(name, what,  op) {
    if ((name, what) in own) return own[name, what]
    op = opcode(name)
    if (op == "") { fail(name " has no " what); return "" }
    if (what == "about") return doc[op]
    if (!((rule[op], what) in asks)) fail(rule[op] " has no " what)
    return asks[rule[op], what]
}
function shown(name) { return frame[name] == "tile" || frame[name] == "int" ? "y = " code[name] : code[name] }
function given(name) {
    return frame[name] == "tile" || frame[name] == "int" ? "y is (" rows[name] "," cols[name] "): " gives[name] : \
        frame[name] == "grid" ? "y: " gives[name] : "prints " gives[name]
}

function c_of(name,  i, n, lines) {
    print "static void example_" name "(void)\n{"
    if (frame[name] == "host") {
        n = split(code[name], lines, "\n")
        for (i = 1; i < n; i++) print (lines[i] ~ /^#/ ? "" : "    ") lines[i]
    } else {
        print "    static float Y[8];\n    static int I[8];\n    (void)I;"
        print "    ws_tensor tx = ws_tensor_2d(X, WS_F32, 2, 4), tp = ws_tensor_2d(P, WS_F32, 2, 4);"
        print "    ws_tensor tv = ws_tensor_1d(V, WS_F32, 8), ti = ws_tensor_1d(N, WS_I32, 3);"
        print "    ws_tensor t3 = ws_tensor_3d(X3, WS_F32, 2, 2, 4), t4 = ws_tensor_4d(X3, WS_F32, 1, 2, 2, 4);"
        print "    ws_tensor ty = ws_tensor_2d(Y, WS_F32, 2, 4), tyv = ws_tensor_1d(Y, WS_F32, 8);"
        print "    ws_tensor ty3 = ws_tensor_3d(Y, WS_F32, 1, 2, 4), ty4 = ws_tensor_4d(Y, WS_F32, 1, 1, 2, 4);"
        if (frame[name] != "grid")
            print "    ws_tensor out = ws_tensor_2d(" (frame[name] == "int" ? "I, WS_I32" : "Y, WS_F32") ", " rows[name] ", " cols[name] ");"
        print "#pragma ws grid(1)\n    for (int i = 0; i < 1; i++) {"
        print "        ws_tile x = ws_load(tx, 0, 0, 2, 4), p = ws_load(tp, 0, 0, 2, 4);"
        n = split(code[name], lines, "\n")
        if (frame[name] != "grid") print "        ws_store(out, 0, 0, " lines[1] ");"
        else for (i = 1; i < n; i++) print "        " lines[i]
        print "        (void)x;\n        (void)p;\n    }"
        print "    (void)tv, (void)ti, (void)t3, (void)t4, (void)ty, (void)tyv, (void)ty3, (void)ty4;"
        print "    for (int i = 0; i < " (frame[name] == "grid" ? 8 : rows[name] * cols[name]) "; i++)"
        if (frame[name] == "int") print "        printf(i ? \" %d\" : \"%d\", I[i]);"
        else print "        printf(i ? \" %g\" : \"%g\", (double)Y[i]);"
    }
    print "}"
}
function program(  i) {
    print "#include <stdio.h>\n#include <ws.h>"
    print "static float X[8] = {-1, -0.5, 0, 0.5, 1, 1.5, 2, 4}, P[8] = {1, 2, 4, 8, 0.25, 3, 5, 10};"
    print "static float V[8] = {0, 10, 20, 30, 40, 50, 60, 70}, X3[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};"
    print "static int N[3] = {3, 2, 1};"
    for (i = 1; i <= count; i++) c_of(order[i])
    print "int main(void)\n{"
    for (i = 1; i <= count; i++)
        print "    printf(\"" order[i] " > \");\n    example_" order[i] "();\n    printf(\"\\n\");\n    fflush(stdout);"
    print "    return 0;\n}"
}

function roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/\n/, "\n", text); return text }
function roff_lines(text,  i, n, lines, all) {
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++) if (lines[i] != "" || i < n) all = all (lines[i] ~ /^[.']/ ? "\\&" : "") roff(lines[i]) "\n"
    return all
}
function page(name,  file) {
    file = to "/" name ".3"
    print ".\\\" SPDX-License-Identifier: GPL-3.0-or-later" >file
    print ".TH " toupper(name) " 3 2026-11-24 WSC \"Operations of WSC\"" >file
    print ".SH NAME\n" name " \\- " roff(say(name, "about")) >file
    print ".SH SYNOPSIS\n.nf\n#include <ws.h>\n\n" roff(signature[name]) ";\n.fi" >file
    print ".SH OPERANDS\n.TP\nshapes\n" roff(say(name, "shapes")) ".\n.TP\ntypes\n" roff(say(name, "types")) "." >file
    print ".SH ERRORS\n" roff(say(name, "errors")) "." >file
    printf "%s", ".SH EXAMPLE\n.nf\n" roff_lines(shown(name)) ".fi\n.PP\n.nf\n" roff_lines(given(name)) ".fi\n" >file
    if (frame[name] != "host") print "x is \\-1 \\-0.5 0 0.5 / 1 1.5 2 4, p is 1 2 4 8 / 0.25 3 5 10; tx and tp are their tensors, tv has 0 10 20 to 70, ti 3 2 1, t3 and t4 0 to 15." >file
    print ".SH SEE ALSO\n.BR wsc\\-operations (7),\n.BR wsc (7)" >file
    close(file)
}
function index_page(  i) {
    print ".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n.TH WSC-OPERATIONS 7 2026-11-24 WSC \"Operations of WSC\""
    print ".SH NAME\nwsc\\-operations \\- index of the names of ws.h\n.SH DESCRIPTION\nEach has a page of its own, with shapes, types, errors and an example."
    for (i = 1; i <= count; i++) print ".TP\n.BR " order[i] " (3)\n" roff(say(order[i], "about"))
    print ".SH SEE ALSO\n.BR wsc (7)"
}
function html(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function sections(  i, name) {
    print "<h2 id=\"index\">Index of operations</h2>\n<p class=\"index\">"
    for (i = 1; i <= count; i++) print "<a href=\"#" order[i] "\"><code>" order[i] "</code></a>"
    print "</p>\n<p>In the examples <code>x</code> is -1 -0.5 0 0.5 / 1 1.5 2 4 and <code>p</code> 1 2 4 8 / 0.25 3 5 10; <code>tx</code> and <code>tp</code> are their tensors, <code>tv</code> has 0 10 20 to 70, <code>ti</code> 3 2 1, <code>t3</code> and <code>t4</code> 0 to 15. The tests run each.</p>"
    for (i = 1; i <= count; i++) {
        name = order[i]
        print "<section class=\"operation\"><h3 id=\"" name "\"><code>" name "</code></h3>\n<pre>" html(signature[name]) ";</pre>\n<p>" html(say(name, "about")) "</p>"
        print "<table><tr><th>shapes</th><td>" html(say(name, "shapes")) "</td></tr><tr><th>types</th><td>" html(say(name, "types")) "</td></tr><tr><th>errors</th><td>" html(say(name, "errors")) "</td></tr></table>"
        print "<pre>" html(shown(name)) "</pre>\n<p class=\"gives\">" html(given(name)) "</p></section>"
    }
}

END {
    for (i = 1; i <= count; i++) if (!(order[i] in frame)) fail("no example of " order[i] ": manual/examples")
    if (count < 100) fail("only " count " names were found in ws.h")
    if (!failed && as == "c") program()
    if (!failed && as == "list") for (i = 1; i <= count; i++) print order[i], opcode(order[i]) "", gives[order[i]]
    if (!failed && as == "gives") for (i = 1; i <= count; i++) print order[i] " > " gives[order[i]]
    if (!failed && as == "man") for (i = 1; i <= count; i++) page(order[i])
    if (!failed && as == "index") index_page()
    if (!failed && as == "html") sections()
    exit failed
}
