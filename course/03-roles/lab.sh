# SPDX-License-Identifier: GPL-3.0-or-later
title='iteration, load or tile: which statement belongs to which role'
answer=roles.txt
given=kernel.c
grade() {
    test -n "$plugin" || { echo "lab $lab: the compiler has no plugin here, and the answer is its own" >&2; exit 2; }
    "$wscc" --ws-target=emulate --ws-dump=tag -O1 -w -S "$home/kernel.c" -o /dev/null 2>/dev/null | grep -v ' = for ' | sed -n \
        's/^ *%\([a-z_]*\)[.0-9]*:.*| *tag=\([a-z]*\).*/\1 \2/p; s/^ *\(store\) .*| *tag=\([a-z]*\).*/\1 \2/p' |
        sort -u >tags
    test -s tags || { echo "lab $lab: the compiler does not tell" >&2; exit 2; }
    sed 's/#.*//' answer.txt | awk 'NF { print $1, $2 }' >given
    while read -r name tag; do
        : >said
        case $tag in
        iteration | load | tile) ;;
        '' | '?') continue ;;
        *) mistake unknown-tag "'$tag' of $name is none of iteration, load and tile." ;;
        esac
        right=$(awk -v name="$name" '$1 == name { print $2 }' tags)
        test -n "$right" || mistake unknown-name "The kernel has no value '$name'."
        test "$right" = "$tag" || mistake "$right-as-$tag" "$name: $(because "$right-as-$tag")"
    done <given
    while read -r name; do
        : >said
        grep -q "^$name [a-z]" given || mistake answer-missing "What is $name for?"
    done <"$home/names"
}
because() {
    case $1 in
    load-as-tile) echo 'this statement moves a tile from memory. The producer issues it, and does not wait for it; those who use the value get it through a ring.' ;;
    tile-as-load) echo 'this statement computes with tiles, it moves nothing from global memory. Consumers execute it.' ;;
    iteration-as-tile) echo 'no tile depends on this by its values: it feeds an address or a bound. Every role that needs the address computes it for itself.' ;;
    iteration-as-load) echo 'this is a number, not a tile: it says where a load goes. The load itself is another statement.' ;;
    tile-as-iteration) echo 'this is a tile and no address or bound comes of it. Consumers compute it.' ;;
    load-as-iteration) echo 'an address goes in, but a tile comes out: it moves data, and the producer issues it.' ;;
    esac
}
