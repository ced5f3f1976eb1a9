# SPDX-License-Identifier: GPL-3.0-or-later
# prose.awk - sentences of Markdown or of comments in C, and the rules of HACKING.md, "Prose", that they break.
#
#   awk [-v comments=1] [-v limits=1] [-v words=FILE] -f prose.awk FILE...
#
# Each sentence that breaks a rule is printed as "FILE:LINE: RULE: SENTENCE", and the exit status is 1. A line for each
# file says how many words its sentences have: median, ninetieth percentile, longest. `limits` also holds these to 15,
# 25 and 40. `words` has one private word a line, a tab, and the word of the field.

function complain(rule, text) { printf "%s:%d: %s: %s\n", file, first, rule, substr(text, 1, 160); bad = 1 }

# A span of code is one word.
function plain(text) {
    gsub(/`[^`]*`/, "`code`", text)
    gsub(/\]\([^)]*\)/, "", text)
    gsub(/[*_]*\*\*[*_]*|\[/, "", text)
    return text
}

function count(text,  list) { return split(text, list, /[ \t]+/) }

function check(sentence,  bare, n, lower, word) {
    bare = plain(sentence)
    sub(/^[ \t]+/, "", bare); sub(/[ \t]+$/, "", bare)
    n = count(bare)
    if (bare == "" || n < 3) return
    lengths[++sentences] = n
    if (n > 40) complain("more than 40 words", sentence)
    lower = tolower(bare)
    if (lower ~ /^(what|who|whoever|whatever|such|where that|one that|that one|those that|what's) / && bare !~ /\?$/)
        complain("the subject is no noun", sentence)
    if (lower ~ /(^| )(is now|are now|was once|no longer [^t]|no longer t[^h]|since then|used to be|in place of [0-9])/)
        complain("history", sentence)
    for (word in private)
        if ((" " lower " ") ~ ("[^a-z0-9_`-]" word "[^a-z0-9_`-]"))
            complain("the field says \"" private[word] "\" for \"" word "\"", sentence)
}

# A sentence ends with its mark and a capital, a digit, code or a bracket behind it.
function flush_text(  rest, at, piece) {
    rest = text
    gsub(/e\.g\. /, "e.g.\001", rest); gsub(/i\.e\. /, "i.e.\001", rest); gsub(/ vs\. /, " vs.\001", rest)
    gsub(/cf\. /, "cf.\001", rest)
    while (match(rest, /[.!?]["')]*[ \t]+[^a-z]/)) {
        piece = substr(rest, 1, RSTART + RLENGTH - 2)
        gsub(/\001/, " ", piece)
        check(piece)
        rest = substr(rest, RSTART + RLENGTH - 1)
    }
    gsub(/\001/, " ", rest)
    check(rest)
    text = ""
}

function add(line) {
    if (text == "") first = FNR
    text = text (text == "" ? "" : " ") line
}

function markdown(line,  cell, i, n, code) {
    if (line ~ /^[ \t]*```/) { flush_text(); fenced = !fenced; return }
    if (fenced) return
    if (line ~ /^[ \t]*$/) { flush_text(); blank = 1; return }
    if (line ~ /^<|^#|^ *\|[-| :]*$/) { flush_text(); if (line ~ /^#/) in_list = 0; return }
    if (line ~ /^(    |\t)/ && blank && !in_list) return
    blank = 0
    if (line ~ /^[ \t]*\|/) {
        flush_text()
        code = ""
        # A bar inside code divides no cells.
        n = split(line, cell, "`")
        for (i = 1; i <= n; i++) {
            if (i % 2 == 0) gsub(/\|/, "/", cell[i])
            code = code (i > 1 ? "`" : "") cell[i]
        }
        gsub(/\\\|/, "/", code)
        n = split(code, cell, "|")
        for (i = 1; i <= n; i++) { add(cell[i]); flush_text() }
        return
    }
    if (line ~ /^[ \t]*([-*]|[0-9]+\.)[ \t]/) {
        flush_text()
        in_list = 1
        sub(/^[ \t]*([-*]|[0-9]+\.)[ \t]+/, "", line)
    } else if (line ~ /^[^ \t]/)
        if (text == "") in_list = 0
    sub(/^[ \t>]+/, "", line)
    add(line)
}

# Comments: those that stand alone on their lines. An empty line, and a line set in by more, ends a paragraph.
function comment(line,  here) {
    here = inside
    if (!inside && line ~ /^[ \t]*\/\*/) { inside = here = 1; sub(/^[ \t]*\/\*/, "", line) }
    if (!here) { flush_text(); return }
    if (line ~ /\*\//) { inside = 0; sub(/\*\/.*/, "", line) }
    sub(/^[ \t]*\*/, "", line)
    if (line ~ /^[ \t]*$/ || line ~ /^[ \t]*-+/ || line ~ /^      / || line ~ /SPDX/ || line ~ /^ *[a-z0-9_-]+\.[a-z]+ - /) {
        flush_text()
        if (line !~ / - /) { if (!inside) flush_text(); return }
        sub(/^.* - /, "", line)
    }
    sub(/^[ \t]+/, "", line); sub(/[ \t]+$/, "", line)
    add(line)
    if (!inside) flush_text()
}

function close_file(  i, j, n, swap, median, high) {
    flush_text()
    n = sentences
    if (!n) return
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && lengths[j - 1] > lengths[j]; j--) {
            swap = lengths[j]; lengths[j] = lengths[j - 1]; lengths[j - 1] = swap
        }
    median = lengths[int((n + 1) / 2)]; high = lengths[int(n * 0.9 + 0.999)]
    printf "%s: %d sentences of %d words, nine of ten at most %d, the longest %d\n", file, n, median, high, lengths[n]
    if (limits && n >= 5 && (median > 15 || high > 25)) { printf "%s: limits are 15 and 25 words\n", file; bad = 1 }
}

BEGIN {
    while (words != "" && (getline line < words) > 0)
        if (line !~ /^#/ && split(line, pair, "\t") == 2) private[pair[1]] = pair[2]
}
FNR == 1 { if (file != "") close_file(); file = FILENAME; sentences = fenced = inside = in_list = 0; blank = 1; text = "" }
{ if (comments) comment($0); else markdown($0) }
END { close_file(); exit bad }
