#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# wscc as a compiler driver: what each of the host compiler's options leaves behind. All of it also holds without the
# plugin.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
mkdir src && cd src || exit 99

cat >plain.c <<'END'
int answer(void);
int answer(void) { return 42; }
END
cat >main.c <<'END'
#include <stdio.h>
int answer(void);
int main(void) { printf("%d\n", answer()); return 0; }
END
cat >kernel.c <<'END'
#include <ws.h>
#include <stdio.h>
void twice(int n, float *y, const float *x);
void twice(int n, float *y, const float *x)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_store(ty, 0, j, ws_mul(ws_load(tx, 0, j, 16, 32), 2));
}
END
cat >kernel-main.c <<'END'
#include <stdio.h>
void twice(int n, float *y, const float *x);
int main(void)
{
    static float x[16 * 40], y[16 * 40];
    for (int i = 0; i < 16 * 40; i++) x[i] = i;
    twice(40, y, x);
    for (int i = 0; i < 16 * 40; i++)
        if (y[i] != 2 * x[i]) { printf("%d is %g\n", i, y[i]); return 1; }
    puts("good");
    return 0;
}
END
cat >bad.c <<'END'
int f(void) { return undeclared; }
END

targets=sequential
if has_plugin; then targets='sequential emulate'; fi

# Only these files are in the folder.
only() {
    ls -A >.have
    printf '%s\n' .have "$@" bad.c kernel-main.c kernel.c main.c plain.c | sort >../want
    sort .have | diff ../want -
}
clean() { find . -type f ! -name '*.c' -exec rm -f {} +; }
plain() { clean; "$wscc" --ws-target="$target" "$@"; }

for target in $targets; do
    compile() { plain -c plain.c && only plain.o; }
    named() { plain -O2 -c plain.c -o other.o && only other.o; }
    several() { plain -c plain.c main.c && only plain.o main.o && "$wscc" --ws-target="$target" plain.o main.o -o p &&
        test "$(./p)" = 42; }
    one_go() { plain plain.c main.c -o p && only p && test "$(./p)" = 42; }
    mixed() { plain -c plain.c && "$wscc" --ws-target="$target" main.c plain.o -o p && test "$(./p)" = 42; }
    preprocess() { plain -E plain.c >../text && grep -q 'return 42' ../text && only; }
    syntax() { plain -fsyntax-only plain.c && only; }
    syntax_kernel() { plain -fsyntax-only kernel.c && only; }
    assembly() { plain -S plain.c && only plain.s && grep -q answer plain.s; }
    rules() { plain -M kernel.c >../text && grep -q 'ws\.h' ../text && only; }
    md() { plain -MD -c kernel.c -o k.o && only k.o k.d && grep -q 'ws\.h' k.d; }
    mmd_phony() { plain -MMD -MP -MF dep -MT target.o -c plain.c -o k.o && only k.o dep &&
        grep -q '^target.o: plain.c' dep; }
    plugin_rule() {
        plain -MMD -c kernel.c -o k.o && { grep -q 'wsc\.so' k.d || ! has_plugin; } &&
            { test "$target" != emulate || grep -q 'wsrt\.cuh' k.d; } &&
            printf 'include k.d\nk.o:\n\tfalse\n' >../rules && make -q -f ../rules k.o
    }
    kernel() { plain -O2 -c kernel.c && only kernel.o && "$wscc" --ws-target="$target" kernel.o kernel-main.c -o p &&
        test "$(./p)" = good; }
    kernel_go() { plain -O2 kernel.c kernel-main.c -o p && only p && test "$(./p)" = good; }
    kernel_lto() { plain -O2 -flto=1 kernel.c kernel-main.c -o p && only p && test "$(./p)" = good; }
    kernel_lto_objects() {
        plain -O2 -flto=1 -c kernel.c kernel-main.c &&
            "$wscc" -O2 -flto=1 --ws-target="$target" kernel.o kernel-main.o -o p &&
            test "$(./p)" = good
    }
    shared() {
        plain -O2 -fPIC -c kernel.c && "$wscc" --ws-target="$target" -shared kernel.o -o libk.so &&
            "$wscc" --ws-target="$target" kernel-main.c -L. -lk -Wl,-rpath,"$PWD" -o p && test "$(./p)" = good
    }
    shared_go() { plain -O2 -fPIC -shared kernel.c -o libk.so && only libk.so; }
    archive() { plain -O2 -c kernel.c && ar rcs libk.a kernel.o &&
        "$wscc" --ws-target="$target" kernel-main.c libk.a -o p && test "$(./p)" = good; }
    static() { plain -O2 -static kernel.c kernel-main.c -o p && test "$(./p)" = good; }
    save_temps() {
        plain -save-temps -c kernel.c -o k.o || return 1
        if test "$target" = emulate; then only k.o k.i k.s k.cu 2>&1 || only k.o kernel.i kernel.s k.cu;
            else only k.o k.i k.s; fi
    }
    coverage() { plain --coverage -c kernel.c -o k.o && only k.o k.gcno; }
    coverage_go() { plain --coverage kernel.c kernel-main.c -o p && only p p-kernel.gcno p-kernel-main.gcno; }
    split() { plain -g -gsplit-dwarf -c kernel.c -o k.o && only k.o k.dwo; }
    failing() { ! plain -c bad.c && only; }
    failing_named() { ! plain -MD -c bad.c -o out.o && only; }
    failing_go() { ! plain plain.c bad.c -o p && only; }
    stale() { clean; echo stale >out.o; ! "$wscc" --ws-target="$target" -c bad.c -o out.o && only; }
    null() { plain -O2 -c kernel.c -o /dev/null && only && test -c /dev/null; }
    standard_input() { clean; "$wscc" --ws-target="$target" -x c -c - -o k.o <kernel.c && only k.o; }
    language() { clean; cp kernel.c kernel.txt; "$wscc" --ws-target="$target" -c -x c kernel.txt -x none -o k.o &&
        only k.o kernel.txt; }
    response() {
        clean
        echo '-O2 -c "kernel.c" -o k\.o' >args
        "$wscc" --ws-target="$target" @args && only k.o args
    }
    precompiled() { clean; echo 'int h;' >h.h; "$wscc" --ws-target="$target" h.h && only h.h h.h.gch; }
    interrupted() {
        clean
        { printf 'int v[] = {'; yes 1, | head -n 2000000; echo '};'; } >../long.c
        "$wscc" --ws-target="$target" -O2 -c ../long.c -o out.o &
        pid=$!
        sleep 0.3
        kill -TERM $pid
        wait $pid
        code=$?
        sleep 0.3
        only && test "$code" = 143
    }
    ok "$target: -c" compile
    ok "$target: -c -o" named
    ok "$target: several sources, then a link" several
    ok "$target: compile and link in one go" one_go
    ok "$target: sources and objects" mixed
    ok "$target: -E" preprocess
    ok "$target: -fsyntax-only" syntax
    ok "$target: -fsyntax-only of a kernel" syntax_kernel
    ok "$target: -S" assembly
    ok "$target: -M" rules
    ok "$target: -MD" md
    ok "$target: -MMD -MP -MF -MT" mmd_phony
    ok "$target: -MMD names what the object was made with" plugin_rule
    ok "$target: a kernel" kernel
    ok "$target: a kernel, compiled and linked in one go" kernel_go
    ok "$target: -flto in one go" kernel_lto
    ok "$target: -flto through objects" kernel_lto_objects
    ok "$target: -fPIC, then -shared" shared
    ok "$target: -shared in one go" shared_go
    ok "$target: static library" archive
    ok_plain "$target: -static" static
    ok "$target: -save-temps" save_temps
    ok "$target: --coverage" coverage
    ok "$target: --coverage in one go" coverage_go
    ok "$target: -gsplit-dwarf" split
    ok "$target: a failed compile leaves nothing" failing
    ok "$target: a failed compile leaves no -MD output" failing_named
    ok "$target: a failed compile in one go leaves nothing" failing_go
    ok "$target: a failed compile removes the old object" stale
    ok_plain "$target: -o /dev/null" null
    ok "$target: source on standard input" standard_input
    ok "$target: -x" language
    ok_plain "$target: response file" response
    ok "$target: a header is precompiled" precompiled
    ok "$target: ended by a signal, leaves nothing" interrupted
done

target=sequential
print_target() { test "$("$wscc" --ws-target=sequential --ws-print=target)" = sequential; }
print_libs() { clean; "$wscc" --ws-target=sequential -c kernel.c kernel-main.c &&
    $host_cc kernel.o kernel-main.o $("$wscc" --ws-target=sequential --ws-print=libs) -o p && test "$(./p)" = good; }
print_cflags() { clean; $host_cc $("$wscc" --ws-print=cflags) -c kernel.c -o k.o && only k.o; }
fingerprint() { test "$("$wscc" --ws-print=fingerprint)" = "$("$wscc" --ws-print=fingerprint)" &&
    "$wscc" --ws-print=fingerprint | grep -q '^wsc-.*-[0-9a-f]\{16\}$'; }
# What decides an object beside source and options: another of each is another fingerprint, the same one the same.
fingerprint_of() { # key of wscc.conf
    part=$(cd .. && pwd)/copy/part
    mkdir -p ../copy && cp "$top_builddir/wscc" ../copy/wscc && conf=$top_builddir/wscc.conf || return 1
    cp "$(sed -n "s/^$1 = //p" "$conf")" "$part" && sed "s|^$1 = .*|$1 = $part|" "$conf" >../copy/wscc.conf &&
        ../copy/wscc --ws-print=fingerprint >../first && ../copy/wscc --ws-print=fingerprint | cmp - ../first &&
        echo >>../copy/part && ! ../copy/wscc --ws-print=fingerprint | cmp -s - ../first
}
fingerprint_of_gpus() {
    mkdir -p ../copy && rm -rf ../copy/common && cp "$top_builddir/wscc" ../copy/wscc &&
        cp -r "$top_srcdir/runtime/common" ../copy/common &&
        sed "s|^common-include = .*|common-include = $(cd .. && pwd)/copy/common|" "$top_builddir/wscc.conf" \
            >../copy/wscc.conf && ../copy/wscc --ws-print=fingerprint >../first &&
        echo >>../copy/common/gpus/sm_120a.h && ! ../copy/wscc --ws-print=fingerprint | cmp -s - ../first
}
rule_of_gpu() { clean; "$wscc" --ws-target=emulate --ws-gpu=120a -MD -c kernel.c && grep -q 'gpus/sm_120a\.h' kernel.d; }
says() { text=$1; shift; "$wscc" "$@" >../text 2>&1; grep -qF -e "$text" ../text || { cat ../text; return 1; }; }
bundle() {
    clean
    "$wscc" --ws-bundle=../bundle && $host_cc -O2 -Wall -Wno-unknown-pragmas -Werror -I../bundle kernel.c \
        kernel-main.c ../bundle/ws.c -lm -lpthread -o p &&
        test "$(./p)" = good && test "$(ls ../bundle | tr '\n' ' ')" = 'ws.c ws.h '
}
version_line() {
    test "$("$wscc" --ws-version)" = "wscc (WSC) $version, default target $("$wscc" --ws-print=target)"
}
# Build systems read the first lines: those stay the host compiler's.
introduced() {
    for option in --version --help; do
        $host_cc $option >../want && "$wscc" --ws-version >>../want && "$wscc" $option | sed '$d' | diff ../want - &&
            "$wscc" $option | tail -n 1 | grep -q 'wscc --ws-help lists them' || return 1
    done
    ! WSCC_CC=false "$wscc" --version
}
version=$(sed -n 's/^VERSION = //p' "$top_builddir/Makefile")
broken_cc() { WSCC_CC=/nonexistent/cc "$wscc" --ws-target=sequential -c plain.c -o out.o 2>../text; test $? = 127 &&
    grep -q nonexistent ../text; }
host_cc() { clean; WSCC_CC="$work/mycc" "$wscc" --ws-target=sequential -c plain.c && grep -q ran ../ran; }
printf '#! /bin/sh\necho ran >"%s/ran"\nexec %s "$@"\n' "$work" "$host_cc" >../mycc && chmod +x ../mycc

ok '--ws-print=target' print_target
ok_plain '--ws-print=libs serves a link by cc' print_libs
ok '--ws-print=cflags serves a compile by cc' print_cflags
ok '--ws-print=fingerprint' fingerprint
ok 'the headers of GPUs are in the fingerprint' fingerprint_of_gpus
ok_plain '-MD names the header of the GPU' rule_of_gpu
for key in plugin clang-frontend solver machine; do
    grep -q "^$key = ." "$top_builddir/wscc.conf" || { skip "--ws-print=fingerprint: $key" 'not built'; continue; }
    ok "--ws-print=fingerprint: another $key" fingerprint_of $key
done
ok '--ws-bundle' bundle
ok_plain 'WSCC_CC' host_cc
ok 'a host compiler that is not there' broken_cc
ok 'unknown target' says "there is no target 'gpu'" --ws-target=gpu -c plain.c
ok 'unknown GPU' says "there is no GPU '75'; they are 90a, 90 and 120a" --ws-gpu=75 -c plain.c
ok 'unknown option of ours' says "there is no option '--ws-nonsense'" --ws-nonsense -c plain.c
ok 'unknown option of the host compiler is its to refuse' says 'nonsense' -fnonsense -c plain.c
if grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    skip 'no clang front end' 'there is one'
else
    ok 'no clang front end' says 'the clang front end is not built' --ws-frontend=clang -c plain.c
fi
ok '-o with two sources' says '-o names one output' -c plain.c main.c -o x.o
ok '--version and --help: the host compiler'"'"'s, then one of ours' introduced
ok '--ws-help' says '--ws-target=TARGET' --ws-help
ok '--ws-version' version_line

if has_plugin; then
    target=emulate
    keep() { plain -O2 -c kernel.c -o k.o --ws-keep && only k.o k.cu && grep -q 'wsrt\.cuh' k.cu; }
    keep_go() { plain -O2 kernel.c kernel-main.c -o p --ws-keep && only p p-kernel.cu; }
    keep_foreign() { clean; echo mine >k.cu; ! "$wscc" --ws-target=emulate -c kernel.c -o k.o --ws-keep && only k.cu &&
        grep -q mine k.cu; }
    reproducible() {
        plain -O2 -g -c kernel.c -o ../a.o && mv ../a.o ../first.o && plain -O2 -g -c kernel.c -o ../a.o &&
            cmp ../first.o ../a.o
    }
    reproducible_cuda() {
        plain --ws-target=cuda -O2 -g -c kernel.c -o ../c.o && mv ../c.o ../first.o && sleep 1 &&
            plain --ws-target=cuda -O2 -g -c kernel.c -o ../c.o && cmp ../first.o ../c.o
    }
    unmarked() { plain -c plain.c -o a.o && $host_cc -c plain.c -o b.o && only a.o b.o && cmp a.o b.o; }
    device_fails() {
        clean
        printf '#! /bin/sh\nexit 3\n' >../badcxx && chmod +x ../badcxx
        ! WSCC_CXX="$work/badcxx" "$wscc" --ws-target=emulate -MD -c kernel.c -o k.o && only
    }
    dump() { plain -S kernel.c -o ../k.s --ws-dump=tag,plan >../text && grep -q '^# after tag' ../text &&
        grep -q '^# after plan' ../text; }
    show() { plain -S kernel.c -o ../k.s --ws-show 2>../text &&
        grep -q 'kernel.c:7:.*missed: grid runs unspecialized' ../text; }
    strict() { clean; WSCC_NVCC=true "$wscc" --ws-target=cuda -v -c kernel.c --ws-strict 2>../text;
        grep -q '^ true .*-fmad=false' ../text; }
    assembly_note() { plain -S kernel.c 2>../text && only kernel.s && grep -q 'host part only' ../text; }
    wrong() {
        sed 's/grid(1)/grid(5)/' kernel.c >../wrong.c
        clean
        ! "$wscc" --ws-target=sequential -c ../wrong.c -o w.o && only &&
            ! "$wscc" --ws-target=emulate -c ../wrong.c -o w.o && only
    }
    ok '--ws-dump' dump
    ok '--ws-dump of a pass that is not there' says "to dump; they are walk, plain, queues, types" --ws-dump=nonsense \
        -c kernel.c -o ../k.o
    ok '--ws-show' show
    ok '--ws-strict' strict
    ok '-S says what it left out' assembly_note
    ok 'a wrong region is an error for every target' wrong
    ok '--ws-keep' keep
    ok '--ws-keep in one go' keep_go
    ok '--ws-keep leaves a file that is not ours alone' keep_foreign
    ok 'the same object twice' reproducible
    ok_plain 'a file with no pragma gives the host compiler'"'"'s object' unmarked
    ok 'the emitted code fails to compile: nothing is left' device_fails
    cuda_links() {
        target=cuda
        plain -O2 -g -MMD -c kernel.c && only kernel.o kernel.d && grep -q cuda kernel.d &&
            "$wscc" --ws-target=cuda kernel.o kernel-main.c -o p && plain -O2 -fPIC -shared kernel.c -o libk.so
    }
    cuda_fails() {
        clean
        printf '#! /bin/sh\nexit 3\n' >../badnvcc && chmod +x ../badnvcc
        ! WSCC_NVCC="$work/badnvcc" "$wscc" --ws-target=cuda -MD -c kernel.c -o k.o && only
    }
    if test -n "${NVCC-}"; then
        ok 'cuda: object, program and shared library' cuda_links
        ok 'cuda: the same object twice' reproducible_cuda
    else
        skip 'cuda: object, program and shared library' 'no nvcc'
    fi
    ok 'cuda: nvcc fails, nothing is left' cuda_fails

    # Cursors of a trace are static shared memory: with them a block has 231,424 bytes of its own.
    most_shared() { "$wscc" --ws-target=emulate --ws-keep "$@" -w -O1 -fopt-info-optimized -S \
        "$top_srcdir/samples/mlp_fused.c" -o most.s 2>&1 | sed -n 's/.* \([0-9]*\) bytes of shared memory.*/\1/p' |
        sort -n | tail -n 1; }
    traced_has_less() { plain=$(most_shared) && traced=$(most_shared --ws-trace) && echo "$plain, traced $traced" &&
        test "$plain" = 232448 && test "$traced" -le 231424; }
    ok '--ws-trace leaves room for what it writes with' traced_has_less
else
    skip '--ws-keep' 'no plugin'
    skip '--ws-trace leaves room for what it writes with' 'no plugin'
    ok 'without the plugin other targets are an error' says 'built without the plugin' --ws-target=emulate -c plain.c
fi
done_testing
