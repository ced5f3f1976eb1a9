#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The documents keep the rules of HACKING.md, "Prose"; their links lead somewhere; subjects of commits are imperative
# and short. Each check finds the faults that are planted here.

. "$(dirname "$0")/../tap.sh"
cd "$top_srcdir" || exit 99
here=tests/driver
awk=$(sed -n 's/^AWK = //p' "$top_builddir/Makefile")
documents="README.md PROOF.md ARCHITECTURE.md HACKING.md PORTING.md PYTHON.md PACKAGING.md docs/guide.md
    docs/reference.md docs/compiler.md course/README.md course/GUIDE.md course/GPU.md course/slides.md
    samples/README.md bench/notes/README.md $(ls course/*/README.md)"

prose() { ${awk:-awk} -v limits=1 -v words=$here/prose.words -f $here/prose.awk "$@"; }
keeps_rules() { prose "$1" >"$work/said" || { cat "$work/said"; return 1; }; }
for file in $documents; do ok "the prose of $file" keeps_rules "$file"; done

planted() { printf '%s\n' "$1" >"$work/planted.md"; ! prose "$work/planted.md" >"$work/said" && grep -q "$2" "$work/said"; }
long='The loop loads and the loop stores and'
ok 'a sentence of too many words is found' planted "$long $long $long $long $long $long the loop ends." 'more than 40 words'
ok 'a subject that is no noun' planted 'What a task stores is handed over to the ring.' 'the subject is no noun'
ok 'and one behind another sentence' planted 'A loop has rows. Such that one reads them, they stay.' 'the subject is no noun'
ok 'history' planted 'The depth of a ring is now chosen by the compiler.' history
ok 'a private word' planted 'The pass puts the tiles abreast of each other.' interleaved

# Addresses and anchors, as GitHub makes them of headings.
anchors() { sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
links_lead() { # FILE...
    status=0
    for file; do
        for link in $(sed '/^```/,/^```/d; s/`[^`]*`//g' "$file" | grep -o '](#*[^) ]*)' | sed 's/^](//; s/)$//'); do
            case $link in *://* | mailto:*) continue ;; esac
            to=${link%%#*}
            test -z "$to" && to=$file || to=$(dirname "$file")/$to
            test -e "$to" || { echo "$file: $link: no such file"; status=1; continue; }
            case $link in
            *#*) anchors "$to" | grep -qx -e "${link#*#}" || { echo "$file: $link: no such heading"; status=1; } ;;
            esac
        done
    done
    return $status
}
ok 'links lead to files and headings' links_lead $documents
wrong_link() { printf '# A heading\n\nSee [this](%s).\n' "$1" >"$work/planted.md" && ! links_lead "$work/planted.md" >/dev/null; }
ok 'a link to no file is found' wrong_link none.md
ok 'a link to no heading' wrong_link '#no-heading'
right_link() { printf '# A heading\n\nSee [this](%s).\n' "$1" >"$work/planted.md" && links_lead "$work/planted.md"; }
ok 'a link to a heading is right' right_link '#a-heading'

# FILE: subjects, one a line
subjects_keep_rules() {
    ! grep -nE '^.{73}' "$1" || return 1
    ! grep -nvE '^([a-z0-9_.,/ -]+: |Revert |Merge )' "$1" || return 1
    ! grep -nE '^[a-z0-9_.,/ -]+: (an?|the|what|who|no|one|some|all|more|[a-z]+ed|[a-z]+ing) ' "$1"
}
wrong_subject() { printf '%s\n' "$1" >"$work/subjects" && ! subjects_keep_rules "$work/subjects" >/dev/null; }
ok 'a subject that is too long is found' wrong_subject \
    'area: keep the name of the program that is run by this test in a variable of its own'
ok 'a subject without an area' wrong_subject 'Mend the loop'
ok 'a subject without a verb' wrong_subject 'plain: the loop of rows'
ok 'a subject in the past' wrong_subject 'plain: mended the loop of rows'
ok 'a subject that begins with what' wrong_subject 'plain: what a loop of rows reads'
first=$(git log --diff-filter=A --format=%H -- $here/prose.sh 2>/dev/null | tail -n 1)
if test -n "$first" && git log --format=%s "$first..HEAD" >"$work/subjects" 2>/dev/null; then
    ok 'subjects of commits' subjects_keep_rules "$work/subjects"
else
    skip 'subjects of commits' 'no history here'
fi
done_testing
