#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Kernels of PolyBench/C 4.2.1 as they are, but for the pragmas of the file `places`: emulated, each prints what it
# prints without them, to the last digit or so. The sources come from the folder WSC_POLYBENCH, or from the network
# where there is one.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/polybench
url=https://github.com/MatthiasJReisinger/PolyBenchC-4.2.1
size=-D${WSC_POLYBENCH_SIZE:-MINI_DATASET}

if ! grep -q '^plugin = .' "$top_builddir/wscc.conf"; then
    skip 'PolyBench' 'no plugin'
    done_testing
fi
polybench=${WSC_POLYBENCH:-$work/polybench}
test -d "$polybench" || GIT_TERMINAL_PROMPT=0 timeout 20 git clone -q --depth 1 "$url" "$polybench" >/dev/null 2>&1
if ! test -f "$polybench/utilities/polybench.c"; then
    skip 'PolyBench' 'no sources: set WSC_POLYBENCH to their folder'
    done_testing
fi
common="-O1 -w $size -DPOLYBENCH_DUMP_ARRAYS -I$polybench/utilities"

# with_pragmas KERNEL SOURCE
with_pragmas() {
    awk -v kernel="$1" '
        FNR == NR { if ($1 == kernel) { line = $2; $1 = $2 = ""; pragmas[line] = pragmas[line] "#pragma ws" substr($0, 2) "\n" } next }
        { printf "%s", pragmas[FNR]; print }' "$here/places" "$2"
}

# Numbers are printed with two digits behind the point.
same_numbers() {
    paste -d ' ' "$1" "$2" | awk -v wide="$3" '
        { n = NF / 2
          for (i = 1; i <= n; i++) {
              x = $i; y = $(n + i)
              if (x == y) continue
              bad += !(x ~ /^-?[0-9.]+$/ && y ~ /^-?[0-9.]+$/ &&
                  (x - y) ^ 2 <= (0.011 + wide * (x < 0 ? -x : x)) ^ 2) } }
        END { if (bad || !NR) print bad + 0, "numbers of", NR, "lines differ"; exit bad || !NR }'
}

agrees() {
    source=$(find "$polybench" -name "$1.c")
    folder=$(dirname "$source")
    with_pragmas "$1" "$source" >"$work/$1.c" &&
        ${host_cc:-gcc} $common -I"$folder" "$source" "$polybench/utilities/polybench.c" -o "$work/$1.plain" -lm &&
        "$work/$1.plain" 2>"$work/want" >/dev/null &&
        "$wscc" --ws-target=emulate $common -I"$folder" "$work/$1.c" "$polybench/utilities/polybench.c" \
            -o "$work/$1.emulate" -lm &&
        WS_SEED=3 timeout 120 "$work/$1.emulate" 2>"$work/got" >/dev/null || { head -n 3 "$work/got"; return 1; }
    same_numbers "$work/want" "$work/got" 1e-5
}

for kernel in $(awk '!/^#/ { print $1 }' "$here/places" | uniq); do
    ok "$kernel" agrees "$kernel"
done
done_testing
