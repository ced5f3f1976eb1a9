# SPDX-License-Identifier: GPL-3.0-or-later
#
# costs.awk - numbers of a GPU that stand in C, and not in machines/*.machine.
#
#   awk -f costs.awk FILE...
#
# Four forms are reported, outside of comments and strings:
#   a constant whose name or comment says clocks, registers, cycles, latency or instructions
#   a number with a fraction
#   a number from 16 on, in a line with an identifier of registers, clocks or cycles
#   the shared memory of a block or of a multiprocessor

FNR == 1 { in_comment = 0; in_enum = 0; above = "" }

# Splits the line into `code` and `comment`.
function split_line(line,    at, end) {
    code = comment = ""
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            comment = comment " " (end ? substr(line, 1, end - 1) : line)
            line = end ? substr(line, end + 2) : ""
            in_comment = !end
            continue
        }
        at = match(line, /\/\*|\/\/|"([^"\\]|\\.)*"/)
        if (!at) {
            code = code line
            return
        }
        code = code substr(line, 1, at - 1)
        if (substr(line, at, 1) == "\"")
            line = "\"\"" substr(line, at + RLENGTH)
        if (substr(line, 1, 2) == "\"\"") {
            line = substr(line, 3)
        } else if (substr(line, at, 2) == "//") {
            comment = comment substr(line, at + 2)
            return
        } else {
            line = substr(line, at + 2)
            in_comment = 1
        }
    }
}

function report(what) { print FILENAME ":" FNR ": " what; found = 1 }

function says_cost(text) { return text ~ /(^| )([Cc]locks|[Rr]egisters|[Cc]ycles|[Ll]atency|[Ii]nstructions)( |,|\.|;|:|$)/ }

{
    split_line($0)
    words = code
    if (match(code, /232448|233472|22[78] \* 1024/))
        report(substr(code, RSTART, RLENGTH))
    if (code ~ /^ *(static )?enum( \{|$)/)
        in_enum = 1
    if (in_enum) {
        rest = code
        while (match(rest, /[A-Za-z_0-9]+ = -?[0-9]+[^,}]*/)) {
            name = substr(rest, RSTART, RLENGTH)
            number = name
            sub(/ .*/, "", name)
            sub(/.*= -?/, "", number)
            if ((number + 0 > 1 && name ~ /CLOCK|REGISTER|CYCLE|LATENC|INSTRUCTION/) || (number + 0 > 4 && says_cost(comment " " above)))
                report(name)
            rest = substr(rest, RSTART + RLENGTH)
        }
        words = ""
    }
    if (code ~ /}/)
        in_enum = 0
    rest = words
    while (match(rest, /[^A-Za-z_0-9.][0-9]+(\.[0-9]+)?/)) {
        number = substr(rest, RSTART, RLENGTH)
        sub(/^[^0-9]/, "", number)
        if (number ~ /\./ && number + 0 != 0.5 && number + 0 != int(number + 0) && code !~ /printf/)
            report(number)
        else if (number + 0 >= 16 && code ~ /[a-z_]*(registers|clocks|cycles)/)
            report(number)
        rest = substr(rest, RSTART + RLENGTH)
    }
    above = code ~ /^ *$/ ? above " " comment : (in_enum ? above : "")
    if (code ~ /}/ || (code ~ /;/ && !in_enum))
        above = ""
}

END { exit found }
