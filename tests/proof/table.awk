# SPDX-License-Identifier: GPL-3.0-or-later
# table.awk - prints the table of PROOF.md from lowering/proof/rules.def.
function text(line) { sub(/^[^"]*"/, "", line); sub(/"[^"]*$/, "", line); return line }
function flush_row() {
    if (name != "") printf "| `%s` | %s | %s | %s |\n", tolower(name), guards[guard], effect, broken
    name = ""
}
/^GUARD / { split($0, part, /[(,]/); guards[part[2]] = text($0) }
/^OPERATION / {
    flush_row()
    split($0, part, /[(,] */)
    name = part[2]; guard = part[3]; effect = text($0); broken = ""
}
/^RULE / { split($0, part, /[(,] */); broken = broken (broken == "" ? "" : ", ") part[2] }
END { flush_row() }
