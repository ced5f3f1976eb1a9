# SPDX-License-Identifier: MIT
# wscc -O2 --ws-python=gemm gemm.c && python3 main.py
import numpy as np
import gemm

a = np.ones((40, 64), np.float16)
b = np.arange(48 * 64).reshape(48, 64).astype(np.float16) % 3
c = np.empty((40, 48), np.float16)
gemm.gemm(a, b, c)
assert (c == a @ b.T).all()
