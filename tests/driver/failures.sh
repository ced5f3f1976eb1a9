#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What can go wrong around a compile: a compiler that is killed, a full disk, no memory, no folder for temporaries. wscc says
# so in a sentence, ends with a status other than 0, and leaves neither half an object nor temporaries.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
mkdir src temporaries && cd src || exit 99
TMPDIR=$work/temporaries
export TMPDIR

cat >kernel.c <<'END'
#include <ws.h>
void twice(int n, float *y, const float *x);
void twice(int n, float *y, const float *x)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_store(ty, 0, j, ws_mul(ws_load(tx, 0, j, 16, 32), 2));
}
END
cat >main.c <<'END'
#include <stdio.h>
#include <ws.h>
void twice(int n, float *y, const float *x);
int main(void)
{
    static float x[16 * 40], y[16 * 40];
    twice(40, y, x);
    ws_status status = ws_last_error();
    printf("%d %s\n", status, status ? ws_error_message() : "");
    return 0;
}
END

# A command that does what $1 says in the place of the first compiler of a run, or of the second.
cat >killed <<'END'
#! /bin/sh
kill -KILL $$
END
cat >full <<'END'
#! /bin/sh
trap '' XFSZ
ulimit -f 1
exec cc "$@"
END
cat >full++ <<'END'
#! /bin/sh
trap '' XFSZ
ulimit -f 1
exec c++ "$@"
END
cat >poor++ <<'END'
#! /bin/sh
ulimit -v 60000
exec c++ "$@"
END
chmod +x killed full full++ poor++

left() { find . "$TMPDIR" -mindepth 1 ! -name '*.c' ! -name killed ! -name full ! -name full++ ! -name poor++; }

# fails WORDS COMMAND...: with these words on standard error, nothing left behind
fails() {
    words=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        echo 'it ends with 0'
        return 1
    fi
    cat "$work/said"
    test -z "$(left)" || { left; return 1; }
    grep -qiE "$words" "$work/said"
}

compile() { "$wscc" --ws-target="$target" -c kernel.c -o kernel.o; }

target=sequential
ok 'the host compiler is killed' fails 'kill|signal' env WSCC_CC="$PWD/killed" "$wscc" --ws-target=sequential -c kernel.c -o kernel.o
ok 'the disk is full' fails 'file|space|large|write' env WSCC_CC="$PWD/full" "$wscc" --ws-target=sequential -c kernel.c -o kernel.o
not_a_folder() { TMPDIR=$work/nowhere "$wscc" --ws-target=emulate -c kernel.c -o kernel.o; }
if has_plugin; then
    target=emulate
    ok 'the compiler of the emitted code is killed' fails 'kill|signal' env WSCC_CXX="$PWD/killed" "$wscc" --ws-target=emulate -c kernel.c -o kernel.o
    ok 'the disk is full when the emitted code is compiled' fails 'file|space|large|write' env WSCC_CXX="$PWD/full++" "$wscc" --ws-target=emulate -c kernel.c -o kernel.o
    ok 'no memory for the emitted code' fails 'memory|kill|signal|alloc' env WSCC_CXX="$PWD/poor++" "$wscc" --ws-target=emulate -c kernel.c -o kernel.o
    ok 'no folder for temporaries' fails 'nowhere' not_a_folder
    # An object from before stays as it was.
    kept() { compile && cp kernel.o "$work/before.o" && ! WSCC_CXX="$PWD/killed" compile 2>/dev/null; }
    unchanged() {
        kept || return 1
        test ! -f kernel.o || cmp kernel.o "$work/before.o"
        status=$?
        rm -f kernel.o
        return $status
    }
    ok 'no half of an object after one that was there' unchanged
fi

no_gpu() {
    "$wscc" --ws-target=cuda kernel.c main.c -o "$work/program" -lm || return 1
    "$work/program" | tee "$work/said"
    grep -qiE '^5 .*(device|gpu|driver)' "$work/said"
}
if has_plugin && test -n "${NVCC-}" && ! nvidia-smi -L >/dev/null 2>&1; then
    ok 'a launch without a GPU' no_gpu
else
    skip 'a launch without a GPU' 'no nvcc, or a GPU'
fi
done_testing
