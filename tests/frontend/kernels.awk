# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels of a dump by their names. GCC takes functions in the order of its call graph, the clang front end as they stand
# in the file; nothing else of the two texts is made equal here.
/^# after / { next }
/^kernel / {
    name = $2
    sub(/\(.*/, "", name)
    names[++count] = name
}
{ text[name] = text[name] $0 "\n" }
END {
    for (i = 2; i <= count; i++)
        for (k = i; k > 1 && names[k] < names[k - 1]; k--) {
            other = names[k]
            names[k] = names[k - 1]
            names[k - 1] = other
        }
    for (i = 1; i <= count; i++)
        printf "%s", text[names[i]]
}
