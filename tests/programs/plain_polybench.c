/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops after PolyBench, in float and in double: products, sums in memory, both orientations, triangles,
   stencils. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define DATA         float
#define KERNEL(name) static void name##_f
#include "plain/polybench.h"
#undef DATA
#undef KERNEL
#define DATA         double
#define KERNEL(name) static void name##_d
#include "plain/polybench.h"
#undef DATA
#undef KERNEL
#undef WS
#define WS(...)
#define DATA         float
#define KERNEL(name) static void name##_f_plain
#include "plain/polybench.h"
#undef DATA
#undef KERNEL
#define DATA         double
#define KERNEL(name) static void name##_d_plain
#include "plain/polybench.h"

#define P check_place

#define RUN_ALL(kind, DATA, type, tolerance)                                                                          \
    static void run_##kind(int n, int m, int l)                                                                       \
    {                                                                                                                 \
        PLAIN_ARRAY(type, DATA, A, n *m);                                                                             \
        PLAIN_ARRAY(type, DATA, B, m *l);                                                                             \
        PLAIN_ARRAY(type, DATA, C, n *l);                                                                             \
        PLAIN_ARRAY(type, DATA, E, n *l);                                                                             \
        PLAIN_ARRAY(type, DATA, D, l *l);                                                                             \
        PLAIN_ARRAY(type, DATA, S, n *n);                                                                             \
        PLAIN_ARRAY(type, DATA, U, n *n);                                                                             \
        PLAIN_ARRAY(type, DATA, V, m *m);                                                                             \
        PLAIN_ARRAY(type, DATA, x, n + m);                                                                            \
        PLAIN_ARRAY(type, DATA, y, n + m);                                                                            \
        PLAIN_ARRAY(type, DATA, z, n + m);                                                                            \
        PLAIN_ARRAY(type, DATA, w, n + m);                                                                            \
        gemm_##kind(n, l, m, 1.5f, 0.5f, P(C), P(A), P(B));                                                           \
        two_mm_##kind(n, l, m, l, 1.25f, 0.75f, P(C), P(A), P(B), P(D), P(E));                                        \
        atax_##kind(n, m, P(A), P(x), P(y), P(z));                                                                    \
        mvt_##kind(n, P(x), P(y), P(z), P(w), P(S));                                                                  \
        check_fetch();                                                                                                \
        gemm_##kind##_plain(n, l, m, 1.5f, 0.5f, (void *)C_, (void *)A_, (void *)B_);                                 \
        two_mm_##kind##_plain(n, l, m, l, 1.25f, 0.75f, (void *)C_, (void *)A_, (void *)B_, (void *)D_, (void *)E_);  \
        atax_##kind##_plain(n, m, (void *)A_, x_, y_, z_);                                                            \
        mvt_##kind##_plain(n, x_, y_, z_, w_, (void *)S_);                                                            \
        PLAIN_SAME(C, n *l, tolerance);                                                                               \
        PLAIN_SAME(E, n *l, tolerance);                                                                               \
        PLAIN_SAME(x, n, tolerance);                                                                                  \
        PLAIN_SAME(y, n, tolerance);                                                                                  \
        PLAIN_SAME(z, n, tolerance);                                                                                  \
        gesummv_##kind(n, 1.5f, 0.5f, P(S), P(U), P(x), P(y), P(z));                                                  \
        syrk_##kind(n, m, 1.5f, 0.5f, P(S), P(A));                                                                    \
        gemver_outer_##kind(n, P(U), P(x), P(y), P(z), P(w));                                                         \
        check_fetch();                                                                                                \
        gesummv_##kind##_plain(n, 1.5f, 0.5f, (void *)S_, (void *)U_, x_, y_, z_);                                    \
        syrk_##kind##_plain(n, m, 1.5f, 0.5f, (void *)S_, (void *)A_);                                                \
        gemver_outer_##kind##_plain(n, (void *)U_, x_, y_, z_, w_);                                                   \
        PLAIN_SAME(x, n, tolerance);                                                                                  \
        PLAIN_SAME(z, n, tolerance);                                                                                  \
        PLAIN_SAME(S, n *n, tolerance);                                                                               \
        PLAIN_SAME(U, n *n, tolerance);                                                                               \
        jacobi_1d_##kind(n, P(x), P(y));                                                                              \
        jacobi_2d_##kind(n, P(S), P(U));                                                                              \
        covariance_##kind(m, n, n, P(A), P(V), P(w));                                                                 \
        triangle_##kind(n, P(S), P(x), P(z));                                                                         \
        check_fetch();                                                                                                \
        jacobi_1d_##kind##_plain(n, x_, y_);                                                                          \
        jacobi_2d_##kind##_plain(n, (void *)S_, (void *)U_);                                                          \
        covariance_##kind##_plain(m, n, n, (void *)A_, (void *)V_, w_);                                               \
        triangle_##kind##_plain(n, (void *)S_, x_, z_);                                                               \
        PLAIN_SAME(y, n, tolerance);                                                                                  \
        PLAIN_SAME(U, n *n, tolerance);                                                                               \
        PLAIN_SAME(V, m *m, 10 * tolerance);                                                                          \
        PLAIN_SAME(z, n, tolerance);                                                                                  \
        plain_next();                                                                                                 \
        PLAIN_ARRAY(type, DATA, F, 23 * 23 * 23);                                                                     \
        PLAIN_ARRAY(type, DATA, G, 23 * 23 * 23);                                                                     \
        heat_3d_##kind(23, P(F), P(G));                                                                               \
        check_fetch();                                                                                                \
        heat_3d_##kind##_plain(23, (void *)F_, (void *)G_);                                                           \
        PLAIN_SAME(G, 23 * 23 * 23, tolerance);                                                                       \
        plain_next();                                                                                                 \
    }

RUN_ALL(f, float, WS_F32, 2e-5)
RUN_ALL(d, double, WS_F64, 1e-13)

int main(int argc, char **argv)
{
    check_begin("plain_polybench", argc, argv);
    run_f(75, 90, 40);
    run_d(75, 90, 40);
    return plain_end();
}
