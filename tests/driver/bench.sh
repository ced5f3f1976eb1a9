#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What of the bench needs no GPU: its tables out of JSON, and that it says so where there is none.

. "$(dirname "$0")/../tap.sh"

cat >"$work/run.json" <<'EOF'
{"device": "Some GPU", "driver": 13000, "runtime": 13000, "cublaslt": 130100, "rounds": 15}
{"suite": "gemm", "row": "1x2x3", "type": "f16", "candidate": "cuBLASLt", "form": "", "tflops": 200.0, "ratio": 1, "low": 1, "high": 1, "mhz": 1300, "watts": 600}
{"suite": "gemm", "row": "1x2x3", "type": "f16", "candidate": "WSC", "form": "128x192", "tflops": 100.0, "ratio": 0.5, "low": 0.4, "high": 0.6, "mhz": 1300, "watts": 600}
{"suite": "gemm", "row": "4x5x6", "type": "f16", "candidate": "WSC", "form": "64x64", "tflops": 50.0, "ratio": 8, "low": 7.9, "high": 8.1, "mhz": 1300, "watts": 0}
{"suite": "gemm", "row": "7x8x9", "type": "f16", "candidate": "WSC", "form": "", "tflops": 50.0, "ratio": null, "low": null, "high": null, "mhz": 1300, "watts": 0}
{"suite": "softmax", "row": "9x8x8", "type": "f16", "candidate": "copy", "form": "", "us": 9, "tbs": 4.00, "ratio": 1, "low": 1, "high": 1, "mhz": 1300, "watts": 0}
{"suite": "softmax", "row": "9x8x8", "type": "f16", "candidate": "WSC", "form": "", "us": 10, "tbs": 3.60, "ratio": 0.9, "low": 0.8, "high": 1, "mhz": 1300, "watts": 0}
{"device": "Some GPU", "pytorch": "2.11", "rounds": 15}
{"suite": "torch", "row": "8 x 1", "type": "f16", "candidate": "cuBLASLt", "form": "", "tflops": 90.0, "ratio": 0.9, "low": 0.9, "high": 0.9}
{"suite": "torch", "row": "8 x 1", "type": "f16", "candidate": "torch.bmm", "form": "", "tflops": 100.0, "ratio": 1, "low": 1, "high": 1}
{"suite": "torch", "row": "8 x 1", "type": "f16", "candidate": "WSC", "form": "", "tflops": 110.0, "ratio": 1.1, "low": 1, "high": 1.2}
EOF

tables_from_json() {
    sh "$top_srcdir/bench/figures" "$work/run.json" >"$work/tables" &&
        grep -qxF 'Some GPU, driver for CUDA 13.0, cuBLASLt 130100, 15 rounds.' "$work/tables" &&
        grep -qxF '| f16 1x2x3 | 128x192 | 100 | 200 | 0.500 [0.400 0.600] | 1300, 600 |' "$work/tables" &&
        grep -qxF '| f16 7x8x9 | WSC | 50 | none | | 1300 |' "$work/tables" &&
        grep -qxF '| work | kernel | TB/s | peer | ratio [95%] | MHz, W |' "$work/tables" &&
        grep -qxF '| f16 9x8x8 | WSC | 3.60 | 4.00 | 0.900 [0.800 1.000] | 1300 |' "$work/tables" &&
        grep -qxF 'Some GPU, PyTorch 2.11, 15 rounds.' "$work/tables" &&
        grep -qxF '| f16 8 x 1 | WSC | 110 | 100 (torch.bmm) | 1.100 [1.000 1.200] |  |' "$work/tables" &&
        grep -qxF '| geometric mean (2 rows) | | | | 2.000 | |' "$work/tables"
}

says_that_no_gpu() {
    for suite in gemm roles rows; do
        PATH=/usr/bin:/bin sh "$top_srcdir/bench/run" $suite 2>"$work/err"
        test $? = 77 && grep -q 'no GPU here' "$work/err" || { echo "$suite"; return 1; }
    done
}

cpu_is_right() {
    sh "$top_srcdir/bench/run" cpu 1 >"$work/cpu" 2>&1 && grep -q '^geometric mean [0-9]' "$work/cpu" ||
        { cat "$work/cpu"; return 1; }
}

ok 'the tables of a run come out of its JSON' tables_from_json
if nvidia-smi -L >/dev/null 2>&1; then
    skip 'without a GPU bench/run says so' 'there is one'
else
    ok 'without a GPU bench/run says so' says_that_no_gpu
fi
if has_plugin; then
    ok 'tile calls on the CPU give what their loops give' cpu_is_right
fi
done_testing
