#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of what the compiler prints, of its own sources and of texts have 120 columns at most. Not counted: rows of the
# tables in .def files, programs that the fuzzer wrote, here-documents of shell scripts, and their quoted text.

. "$(dirname "$0")/../tap.sh"
cd "$top_srcdir" || exit 99

narrow() { # FILE...
    awk 'length ($0) > 120 { print FILENAME ":" FNR ": " length ($0) " columns"; wide = 1 } END { exit wide }' "$@"
}

sources() {
    find lowering plugin frontend driver runtime lib solve samples bench tests \
        \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cuh' -o -name '*.hpp' -o -path 'bench/*.cu' -o -path 'tests/gpu/*.cu' \) \
        ! -path '*/proofs/*' ! -path '*/cases/*' | sort
}

scripts() {
    find bootstrap .ci bench samples tests -type f \( -name '*.sh' -o ! -name '*.*' \) \
        -exec grep -lIE '^#! ?/bin/(ba)?sh' {} + | sort
}

narrow_script() { # FILE...
    awk 'FNR == 1 { document = "" }
        document != "" { if ($0 == document) document = ""; next }
        {
            line = $0
            if (match(line, /<<-? *\047?[A-Z]+\047?/)) {
                document = substr(line, RSTART, RLENGTH)
                gsub(/[<\047 -]/, "", document)
            }
            gsub(/\047[^\047]*\047/, "Q", line)
            gsub(/"([^"\\]|\\.)*"/, "Q", line)
            sub(/\047[^\047]*$/, "Q", line)
        }
        length (line) > 120 { print FILENAME ":" FNR ": " length ($0) " columns"; wide = 1 }
        END { exit wide }' "$@"
}

# Tables have no second line, and addresses no blank; bench/notes has what was printed.
texts() { find ./*.md course lib machines runtime samples tests -name '*.md' | sort; }
narrow_text() { # FILE...
    awk '/^\|/ || /:\/\// { next }
        length ($0) > 120 { print FILENAME ":" FNR ": " length ($0) " columns"; wide = 1 }
        END { exit wide }' "$@"
}

# Were no files found, nothing would be wide.
of_all() { # COUNT CHECK FILE...
    least=$1
    check=$2
    shift 2
    test $# -gt "$least" || { echo "only $# files were found"; return 1; }
    "$check" "$@"
}

LC_ALL=C.UTF-8
export LC_ALL
ok 'emitted code' narrow tests/*/*.cu
# shellcheck disable=SC2046
ok 'C and C++' of_all 500 narrow $(sources)
# shellcheck disable=SC2046
ok 'texts' of_all 20 narrow_text $(texts)
# shellcheck disable=SC2046
ok 'scripts' of_all 50 narrow_script $(scripts)
done_testing
