/* SPDX-License-Identifier: MIT */
/* complex.c - products of complex numbers as plain loops, with tiles that are chosen and with the best that were
   measured; bench/run complex times them beside cuBLAS.  */
#include <complex.h>

#define PRODUCT(name, type, of_grid, of_loop)                                                                  \
    void name(int n, const type complex *restrict a, const type complex *restrict b, type complex *restrict c) \
    {                                                                                                          \
        _Pragma(of_grid) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)                               \
        {                                                                                                      \
            type complex s = 0;                                                                                \
            _Pragma(of_loop) for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];                     \
            c[i * n + j] = s;                                                                                  \
        }                                                                                                      \
    }

PRODUCT(double_chosen, double, "ws grid(2)", "ws pipeline(auto) reduction(+ : s)")
PRODUCT(double_given, double, "ws grid(2) tile(64, 32)", "ws pipeline(auto) tile(16) reduction(+ : s)")
PRODUCT(float_chosen, float, "ws grid(2)", "ws pipeline(auto) reduction(+ : s)")
PRODUCT(float_given, float, "ws grid(2) tile(64, 64)", "ws pipeline(auto) tile(32) reduction(+ : s)")
