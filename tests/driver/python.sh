#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# wscc --ws-python: packages that take other libraries' arrays, and what they refuse. Without NumPy the arrays are of a
# class that has what NumPy's have.

. "$(dirname "$0")/../tap.sh"

has_plugin || { skip 'packages of Python' 'no plugin'; done_testing; }
# One with NumPy, if there is any.
for python in "${PYTHON:-}" python3 /usr/bin/python3; do
    test -n "$python" && "$python" -c 'import numpy' 2>/dev/null && break
    python=
done
if test -z "$python"; then
    python3 -c '' 2>/dev/null || { skip 'packages of Python' 'no Python'; done_testing; }
    python=python3
fi
sanitized && { skip 'packages of Python' 'not under sanitizers'; done_testing; }
cd "$work" || exit 99
cat >numpyless.py <<'END'
# What of NumPy the tests use, over ctypes.
import ctypes
class Array:
    def __init__(self, rows, cols, kind, values):
        self.memory = ({"f4": ctypes.c_float, "i4": ctypes.c_int32}[kind] * (rows * cols))(*values)
        self.__array_interface__ = {"shape": (rows, cols), "typestr": "<" + kind, "version": 3, "strides": None,
                                    "data": (ctypes.addressof(self.memory), False)}
END
cat >kernels.c <<'END'
#include <ws.h>
/* A leading dimension, an operand that is optional, two views of one array. */
void scale(int n, int m, int ld, float factor, const float *x, const float *bias, float *y)
{
    ws_tensor tx = ws_tensor_2d_ld(x, WS_F32, n, m, ld), ty = ws_tensor_2d(y, WS_F32, n, m);
    ws_tensor tb = ws_tensor_1d(bias, WS_F32, bias ? m : 0);
    #pragma ws grid(2)
    for (int i = 0; i < n; i += 16)
        for (int j = 0; j < m; j += 32)
            ws_store(ty, i, j, ws_add(ws_mul(ws_load(tx, i, j, 16, 32), factor), ws_load_row(tb, j, 32)));
}
/* Plain loops over arrays with bounds. */
double add(int n, int m, const float x[n][m + 1], float y[n][m])
{
    #pragma ws grid(2) tile(32, 32)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i][j] += x[i][j + 1];
    return 0.5 * n;
}
ws_status fail(int n, float *x, const float *y)
{
    ws_tensor tx = ws_tensor_1d(x, WS_F32, n), ty = ws_tensor_1d(y, WS_F32, n);
    #pragma ws grid(1)
    for (int i = 0; i < n; i += 64)
        ws_store_row(tx, i, ws_load_row(ty, i, 64));
    return ws_last_error();
}
void strange(struct unknown **x, int n) { (void)x, (void)n; }
static int hidden(void) { return 1; }
int shown(long x) { return hidden() + (int)x; }
END
module() { mkdir "$1" && "$wscc" --ws-target="$1" -O2 --ws-python=kernels kernels.c -o "$1/kernels" &&
    test -s "$1/kernels/libwsrt.so.0"; }
run() { # FOLDER FILE
    PYTHONPATH=$work/$1 "$python" "$2"
}
cat >head.py <<'END'
import kernels
def refused(kind, words, call, *given, **named):
    try:
        call(*given, **named)
    except kind as mistake:
        assert words in str(mistake), str(mistake)
        return mistake
    raise AssertionError("it was not refused: " + words)
END
cat head.py - >calls.py <<'END'
import numpy as np
x = np.arange(20 * 80, dtype=np.float32).reshape(20, 80)
y = np.zeros((20, 50), np.float32)
bias = np.arange(50, dtype=np.float32)
# n and m from y, ld from the strides of x.
kernels.scale(x[:, :50], bias, y, factor=2)
assert (y == 2 * x[:, :50] + bias).all()
kernels.scale(20, 50, 80, 3, x[:, :50], None, y)
assert (y == 3 * x[:, :50]).all()
z = np.zeros((20, 79), np.float32)
assert kernels.add(x, z) == 10 and (z == x[:, 1:]).all()
# Three dimensions are two where memory allows it.
z = np.zeros((4, 5, 79), np.float32)
kernels.add(x.reshape(4, 5, 80), z)
assert (z.reshape(20, 79) == x[:, 1:]).all()
assert kernels.shown(41) == 42 and kernels.shown(x=4) == 5
END
cat head.py - >mistakes.py <<'END'
import numpy as np
f = np.float32
x, y, bias = np.zeros((20, 80), f), np.zeros((20, 50), f), np.zeros(50, f)
refused(ValueError, "'y': its shape is (20, 50), not (n, m) with m = 51, n = 20", kernels.scale, 20, 51, 80, 1, x[:, :51], None, y)
refused(TypeError, "'bias': its type is i32, not f32", kernels.scale, x[:, :50], bias.astype(np.int32), y, factor=1)
refused(TypeError, "'x': its type is f64, not f32", kernels.scale, x.astype(float), bias, y, factor=1)
refused(TypeError, "'x': its type is of the other byte order", kernels.scale, x.astype(">f4"), bias, y, factor=1)
refused(TypeError, "'factor' is not told by a shape", kernels.scale, x[:, :50], bias, y)
refused(TypeError, "has no parameter 'factr'", kernels.scale, x[:, :50], bias, y, factr=1)
refused(TypeError, "'y' is missing", kernels.scale, x[:, :50], bias, factor=1)
refused(TypeError, "an array is needed", kernels.scale, [1, 2], bias, y, factor=1)
refused(ValueError, "its shape is (80,)", kernels.add, x[0], y)
refused(ValueError, "its strides are", kernels.add, x, np.zeros((20, 158), f)[:, ::2])
refused(ValueError, "read-only", kernels.add, x, np.broadcast_to(np.zeros(79, f), (20, 79)))
refused(OverflowError, "'n': 4294967296 does not fit into i32", kernels.add, 1 << 32, 79, x, np.zeros((20, 79), f))
refused(TypeError, "a whole number is needed", kernels.shown, 1.5)
refused(AttributeError, "no type for the parameter 'x'", getattr, kernels, "strange")
refused(AttributeError, "no function 'hidden'", getattr, kernels, "hidden")
both = np.zeros(200, f)
mistake = refused(kernels.Error, "null", kernels.fail, 100, None, both[:100])
assert mistake.code == "WS_ERR_ARGUMENT", mistake.code
kernels.fail(both[:100], both[100:])
END
cat head.py - >bare.py <<'END'
from numpyless import Array
x, y = Array(4, 33, "f4", range(132)), Array(4, 32, "f4", [1] * 128)
assert kernels.add(x, y) == 2
assert list(y.memory) == [1 + 33 * i + j + 1 for i in range(4) for j in range(32)]
refused(TypeError, "'y': its type is i32, not f32", kernels.add, x, Array(4, 32, "i4", range(128)))
END
# DLPack, versioned and not, over PyTorch or NumPy; whatever JAX has is read only.
cat head.py - >dlpack.py <<'END'
import numpy as np
class Packed:
    def __init__(self, array): self.array = array
    def __dlpack__(self, stream=None, **rest): return self.array.__dlpack__()
    def __dlpack_device__(self): return self.array.__dlpack_device__()
x, y = np.arange(99, dtype=np.float32).reshape(3, 33), np.zeros((3, 32), np.float32)
kernels.add(Packed(x), Packed(y))
assert (y == x[:, 1:]).all()
refused(TypeError, "'x': its type is i64", kernels.add, Packed(np.zeros((3, 33), np.int64)), y)
Packed.__module__ = "jaxlib.xla"
refused(ValueError, "'y': it is read-only", kernels.add, Packed(x), Packed(y))
class Elsewhere(Packed):
    def __dlpack_device__(self): return 10, 0
refused(TypeError, "neither CPU nor CUDA", kernels.add, Elsewhere(x), y)
class OnGpu:
    __cuda_array_interface__ = {"shape": (3, 33), "typestr": "<f4", "data": (4096, False), "version": 3, "strides": None}
refused(ValueError, "it is on a GPU, and this module was made for", kernels.add, OnGpu(), y)
END
torch_page() { # the code of PYTHON.md, of one kind
    sed -n "/^\`\`\`python/,/^\`\`\`/p" "$top_srcdir/PYTHON.md" |
        awk -v n="$1" '/^```python/ { k++; next } /^```/ { next } k == n'
}
autograd() {
    { echo 'import torch, gemm'; torch_page 3; cat <<'END'; } >autograd.py
a, b = torch.rand(40, 64).half().requires_grad_(), torch.rand(48, 64).half().requires_grad_()
MatmulNT.apply(a, b).sum().backward()
assert (a.grad.float() - b.detach().float().sum(0)).abs().max() < 0.1 and b.grad.shape == b.shape
END
    PYTHONPATH=$work/page "$python" autograd.py
}
compiled() {
    { torch_page 2; cat <<'END'; } >compiled.py
torch._dynamo.config.suppress_errors = False
layer = torch.compile(lambda x, w: torch.relu(matmul_nt(x, w)), backend="aot_eager")
a, b = torch.rand(40, 64).half().requires_grad_(), torch.rand(48, 64).half().requires_grad_()
layer(a, b).sum().backward()
assert (a.grad.float() - b.detach().float().sum(0)).abs().max() < 0.1 and b.grad.shape == b.shape
torch.library.opcheck(matmul_nt, (a.detach(), b.detach()))
END
    PYTHONPATH=$work/page "$python" compiled.py
}
page() {
    mkdir -p page && "$wscc" --ws-target=emulate -O2 --ws-python=gemm "$top_srcdir/examples/gemm.c" -o page/gemm
}
example() {
    torch_page 1 >first.py && test -s first.py && PYTHONPATH=$work/page "$python" first.py &&
        PYTHONPATH=$work/page "$python" "$top_srcdir/examples/main.py"
}
# Nothing of this machine is in it, and it works elsewhere.
moved() { mv emulate away && ! readelf -d away/kernels/_kernels.so | grep RUNPATH | grep -F "$top_builddir" &&
    run away bare.py; }
wheel() (
    cp -r "$top_srcdir/examples" wheel && chmod -R u+w wheel && cd wheel &&
        WSCC=$wscc WSC_TARGET=emulate "$python" setup.py -q bdist_wheel &&
        ls dist/gemm-1.0-py3-none-*.whl && mkdir there && "$python" -m zipfile -e dist/*.whl there &&
        PYTHONPATH=$PWD/there "$python" main.py
)
refused() { # SENTENCE OPTIONS...
    sentence=$1
    shift
    if "$wscc" --ws-target=emulate "$@" >said 2>&1; then return 1; fi
    cat said
    grep -qF -e "$sentence" said
}
echo 'static int f(void) { return 1; } int (*g)(void) = f;' >none.c

for target in sequential emulate; do
    ok "$target: a package" module $target
    ok "$target: arrays without a library" run $target bare.py
    if "$python" -c 'import numpy' 2>/dev/null; then
        ok "$target: arrays of NumPy" run $target calls.py
        ok "$target: what does not fit" run $target mistakes.py
    else
        skip "$target: arrays of NumPy" 'no NumPy'
    fi
done
if "$python" -c 'import numpy; numpy.zeros(1).__dlpack__' 2>/dev/null; then
    ok 'DLPack and memory of a GPU' run emulate dlpack.py
else
    skip 'DLPack' 'no NumPy that has it'
fi
ok 'a package of the examples' page
if "$python" -c 'import numpy' 2>/dev/null; then ok 'PYTHON.md: the first call' example;
    else skip 'PYTHON.md' 'no NumPy'; fi
if "$python" -c 'import torch' 2>/dev/null; then ok 'PYTHON.md: autograd' autograd;
    else skip 'PYTHON.md: autograd' 'no PyTorch'; fi
if "$python" -c 'import torch; torch.library.custom_op' 2>/dev/null; then
    ok 'PYTHON.md: torch.compile' compiled
else
    skip 'PYTHON.md: torch.compile' 'no PyTorch 2.4'
fi
jax() {
    printf '%s\n' 'import jax.numpy as jnp, numpy as np, gemm' \
        'a, b = jnp.ones((40, 64), jnp.float16), jnp.ones((48, 64), jnp.float16)' \
        'c = np.empty((40, 48), np.float16)' 'gemm.gemm(a, b, c)' 'assert (c == 64).all()' \
        'try: gemm.gemm(a, b, jnp.asarray(c))' 'except ValueError as e: assert "read-only" in str(e)' \
            'else: raise AssertionError' >jax_arrays.py
    PYTHONPATH=$work/page "$python" jax_arrays.py
}
if "$python" -c 'import jax' 2>/dev/null; then ok 'arrays of JAX' jax; else skip 'arrays of JAX' 'no JAX'; fi
ok 'it works where it was moved' moved
if "$python" -c 'import numpy, setuptools, wheel' 2>/dev/null; then
    ok 'a wheel' wheel
else
    skip 'a wheel' 'no setuptools and wheel'
fi
ok 'a name that is none' refused "that is no name of a module" --ws-python=a-b kernels.c
ok 'with -c' refused 'without -c' --ws-python=k -c kernels.c
ok 'nothing to call' refused 'no function of these files' --ws-python=none none.c
done_testing
