# SPDX-License-Identifier: GPL-3.0-or-later
# markdown.awk - a document of docs/ as HTML or as a page for man: the marks that these use, and no others.
#
#   awk -v as=html|man [-v operations=1] -f markdown.awk docs/reference.md
#
# Headings, paragraphs, lists (one inside another), tables, indented and fenced code; in a line `code`, **bold** and
# [text](address). In HTML a heading's name is what points at it (lower
# case, - for spaces), and headings stand in a list in front; `operations` adds the index of operations to that list.

function html(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text }
# The documents lie beside each other as HTML, under the names that `make install` gives them.
function address(text) {
    sub(/^\.\.\//, "", text)
    sub(/^reference\.md/, "manual.html", text); sub(/^guide\.md/, "guide.html", text); sub(/^compiler\.md/, "compiler.html", text)
    return text
}
function anchor(title,  id, n) {
    id = tolower(title); gsub(/[^a-z0-9 _-]/, "", id); gsub(/ /, "-", id)
    n = seen[id]++
    return n ? id "-" n : id
}
# The marks of a line; a mark inside code is none.
function inline(text,  out, part, n, i, at, pieces) {
    n = split(text, part, "`")
    for (i = 1; i <= n; i++) {
        if (i % 2 == 0 && i < n) {
            out = out (as == "html" ? "<code>" html(part[i]) "</code>" : "\\fB" roff(part[i]) "\\fR")
            continue
        }
        if (as == "html") part[i] = html(part[i]); else part[i] = roff(part[i])
        while (match(part[i], /\*\*[^*]+\*\*/))
            part[i] = substr(part[i], 1, RSTART - 1) (as == "html" ? "<b>" : "\\fI") \
                substr(part[i], RSTART + 2, RLENGTH - 4) (as == "html" ? "</b>" : "\\fR") substr(part[i], RSTART + RLENGTH)
        while (match(part[i], /\[[^]]+\]\([^)]+\)/)) {
            pieces = substr(part[i], RSTART + 1, RLENGTH - 2); at = index(pieces, "](")
            part[i] = substr(part[i], 1, RSTART - 1) (as == "html" ? "<a href=\"" address(substr(pieces, at + 2)) "\">" \
                substr(pieces, 1, at - 1) "</a>" : substr(pieces, 1, at - 1)) substr(part[i], RSTART + RLENGTH)
        }
        out = out part[i]
    }
    return out
}
function out(text) { body[++lines] = text }
function man_text(text) { return (text ~ /^[.']/ ? "\\&" : "") text }

# What was gathered of a paragraph or an item.
function flush() {
    if (gathered == "") return
    if (as == "html") out((item ? "" : "<p>") inline(gathered) (item ? "" : "</p>"))
    else { if (!item) out(".PP"); out(man_text(inline(gathered))) }
    gathered = ""
}
function lists_to(depth) {
    flush()
    for (; level > depth; level--) out(as == "html" ? "</li></ul>" : ".RE")
    if (!depth) item = 0
}
function end_code() {
    if (!code) return
    out(as == "html" ? "</pre>" : ".fi\n.RE")
    code = 0
}
function end_table() {
    if (!table) return
    out(as == "html" ? "</table>" : "")
    table = 0
}
function code_line(text) {
    if (!code) { flush(); out(as == "html" ? "<pre>" : ".RS\n.nf"); code = 1 }
    out(as == "html" ? html(text) : man_text(roff(text)))
}

# A row of a table; a bar may stand in a cell as \|.
function row(text,  n, i, cell, all) {
    gsub(/\\\|/, "\001", text)
    sub(/^\| */, "", text); sub(/ *\|$/, "", text)
    n = split(text, cell, / *\| */)
    for (i = 1; i <= n; i++) gsub(/\001/, "|", cell[i])
    if (as == "html") {
        for (i = 1; i <= n; i++) all = all (table == 1 ? "<th>" : "<td>") inline(cell[i]) (table == 1 ? "</th>" : "</td>")
        out("<tr>" all "</tr>")
    } else if (table > 1) {
        out(".TP\n" man_text(inline(cell[1])))
        for (i = 2; i <= n; i++) all = all (all == "" ? "" : "; ") cell[i]
        out(man_text(inline(all)))
    }
}

/^<!--/ { next }
/^```/ { if (fenced) { end_code(); fenced = 0 } else { end_code(); lists_to(0); end_table(); fenced = 1 } next }
fenced { code_line($0); next }
/^#+ / {
    end_code(); lists_to(0); end_table()
    depth = length($1); title = $0; sub(/^#+ /, "", title)
    if (as == "html") {
        id = anchor(title)
        if (depth == 2) contents = contents "<li><a href=\"#" id "\">" inline(title) "</a></li>\n"
        out("<h" depth " id=\"" id "\">" inline(title) "</h" depth ">")
    } else if (depth == 1) name = title
    else out((depth == 2 ? ".SH " : ".SS ") "\"" roff(depth == 2 ? toupper(title) : title) "\"")
    next
}
/^\|[-| ]*\|$/ { next }
/^\|/ { if (!table) { end_code(); lists_to(0); if (as == "html") out("<table>") } table++; row($0); next }
/^ *- / {
    end_code(); end_table()
    match($0, /^ */); depth = RLENGTH / 2 + 1
    text = $0; sub(/^ *- /, "", text)
    if (depth > level) { flush(); for (; level < depth; level++) out(as == "html" ? "<ul><li>" : (level ? ".RS 4" : ".RS 0")) }
    else { lists_to(depth); if (as == "html") out("</li><li>") }
    if (as == "man") out(".IP \\(bu 2")
    item = 1; gathered = text
    next
}
/^ *$/ { if (code) { blank++ } else if (gathered != "") flush(); after_blank = 1; next }
/^    / && (code || (after_blank && (!level || /^      /))) {
    for (; blank > 0; blank--) if (code) code_line("")
    blank = 0; text = $0; sub(/^ *-?/, "&", text); code_line(substr($0, 5)); next
}
{
    end_code(); end_table(); blank = 0
    if (level && after_blank && $0 !~ /^ /) lists_to(0)
    text = $0; sub(/^ +/, "", text)
    gathered = gathered == "" ? text : gathered " " text
    after_blank = 0
}
END {
    end_code(); lists_to(0); end_table()
    if (as == "html") {
        print "<h2 id=\"contents\">Contents</h2>\n<ul class=\"contents\">\n" contents (operations ? "<li><a href=\"#index\">Index of operations</a></li>\n" : "") "</ul>"
    } else {
        print ".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n.TH WSC 7 2026-11-24 WSC \"The language\"\n.SH NAME\nwsc \\- " roff(tolower(substr(name, 1, 1)) substr(name, 2)) ": warp\\-specialized C"
    }
    for (i = 1; i <= lines; i++) print body[i]
    if (as == "man") print ".SH SEE ALSO\n.BR wscc (1),\n.BR wsc\\-operations (7),\n.BR wsc\\-step (7)"
}
