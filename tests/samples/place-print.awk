# SPDX-License-Identifier: GPL-3.0-or-later
#
# place-print.awk - a sample with ws_print behind its PLACE-th assignment of a tile; with PLACE 0 the places, a line
# each: the line of the statement and the name.
#
#     awk -v PLACE=3 -f place-print.awk gemm.c
#
# A statement begins and ends at a line's end.  Declared with ws_tile: `ws_tile a = .., b, c[2];`, and parameters.

# The names of the declarators of TEXT, those that are initialized in `initialized`.
function declare(text,    depth, i, c, word, want)
{
    want = 1
    word = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c ~ /[(\[{]/)
            depth++
        else if (c ~ /[)\]}]/)
            depth--
        else if (depth)
            continue
        else if (c ~ /[A-Za-z0-9_]/ && want)
            word = word c
        else if (c == "=" || c == "," || c == ";") {
            if (want && word != "") {
                tiles[word] = 1
                if (c == "=")
                    assigned[++count] = word
            }
            word = ""
            want = c == ","
        }
    }
}

function behind(text, name)
{
    places++
    if (!PLACE)
        print start ": " name
    return places == PLACE ? text " ws_print(\"" name "\", " name ");" : text
}

function finish(statement,    text, name, i, plain)
{
    text = statement
    gsub(/\n/, " ", text)
    sub(/^ */, "", text)
    count = 0
    if (text ~ /^ws_tile /) {
        declare(substr(text, 9))
        for (i = 1; i <= count; i++)
            statement = behind(statement, assigned[i])
    } else {
        plain = text
        name = text
        sub(/ [-+*\/]?= .*/, "", name)
        sub(/^\*/, "", plain)
        sub(/[^A-Za-z0-9_].*/, "", plain)
        if (tiles[plain] && text ~ /^\*?[A-Za-z0-9_]+(\[[^]]*\])? = /) {
            i = places
            statement = behind(statement, name)
            if (places == PLACE && i < PLACE)
                statement = "{" statement "}"
        }
    }
    return statement
}

/^}/ {
    split("", tiles)
}

/ws_tile \*?[a-z_0-9]+[,)]/ {
    rest = $0
    while (match(rest, /ws_tile \*?[A-Za-z_0-9]+/)) {
        word = substr(rest, RSTART + 8, RLENGTH - 8)
        sub(/^\*/, "", word)
        tiles[word] = 1
        rest = substr(rest, RSTART + RLENGTH)
    }
}

{
    line = $0
    tail = ""
    if (match(line, / *\\$/)) { # of a macro
        tail = substr(line, RSTART)
        line = substr(line, 1, RSTART - 1)
    }
    if (statement == "")
        start = FNR
    statement = statement == "" ? line : statement "\n" line
    bare = statement
    sub(/ *\/\*.*\*\/$/, "", bare)
    opened = gsub(/\(/, "(", bare)
    closed = gsub(/\)/, ")", bare)
    if (closed > opened || bare !~ /^ *(ws_tile )?\*?[A-Za-z0-9_]+(\[[^]]*\])?( = |;|,)/ || bare ~ /;$/) {
        statement = finish(statement)
        if (PLACE)
            print statement tail
        statement = ""
    } else
        statement = statement tail
}
