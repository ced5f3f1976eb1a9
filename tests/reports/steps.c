/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lfortran/lfortran#12961: loops of another step than one, up and down, bounds that the step does not meet */
#include "report.h"
void up(int lo, int hi, int st, int *a)
{
#pragma ws grid(1)
    for (int i = lo; i <= hi; i += st)
        a[i] = 1 + i;
}
void up3(int n, int *a)
{
#pragma ws grid(1)
    for (int i = 1; i <= n; i += 3)
        a[i] = 1 + i;
}
void down(int n, int *a)
{
#pragma ws grid(1)
    for (int i = n; i >= 1; i -= 2)
        a[i] = a[i] + i;
}
void downs(int hi, int lo, int st, int *a)
{
#pragma ws grid(1)
    for (int i = hi; i > lo; i -= st)
        a[i] = 100 + i;
}
void ne(int n, int *a)
{
#pragma ws grid(1)
    for (int i = 0; i != n; i += 4)
        a[i] = 7 * i;
}
void rec(int n, const int *x, int *a)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = n - 1; k >= i; k -= 3)
            s = s * 3 + x[k];
        a[i] = s;
    }
}
void down1(int n, const int *x, int *a)
{
#pragma ws grid(1)
    for (int i = n; i--;)
        a[i] = x[i] * 2;
}
void down2(size_t n, const int *x, int *a)
{
#pragma ws grid(1)
    for (size_t i = n; i-- > 0;)
        a[i] = x[i] * 2;
}
void down3(unsigned n, const int *x, int *a)
{
#pragma ws grid(1)
    for (unsigned i = 0; i < n; i++) {
        int s = 0;
        for (unsigned k = n; k-- > 0;)
            s = s * 5 + x[k] * (int)i;
        a[i] = s;
    }
}
/* a start and a bound that lie more than 2^31 apart, on either side of each other */
void far_down(int n, int a, int b, int *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int s = 1;
        for (int k = a; k >= b; k--)
            s = s * 5 + k;
        y[i] = s;
    }
}
void far_up(int n, int a, int b, long *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = i;
        for (int k = a; k < b; k += 1000000)
            s += k;
        y[i] = s;
    }
}
void far_by(int n, int a, int b, int st, long *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = i;
        for (int k = a; k > b; k -= st)
            s += k;
        y[i] = s;
    }
}
int main(void)
{
    long far[3];
    int a[64] = {0}, x[64];
    for (int i = 0; i < 64; i++)
        x[i] = h_int(-9, 9);
    for (int st = 1; st < 6; st++) {
        up(1, 7, st, a);
        SHOW("up", a, sizeof a);
        downs(50, 20, st, a);
        SHOW("downs", a, sizeof a);
    }
    up3(60, a);
    up3(0, a);
    SHOW("up3", a, sizeof a);
    down(50, a);
    down(0, a);
    down(1, a);
    SHOW("down", a, sizeof a);
    ne(32, a);
    ne(0, a);
    SHOW("ne", a, sizeof a);
    rec(64, x, a);
    SHOW("rec", a, sizeof a);
    rec(1, x, a);
    SHOW("rec", a, sizeof a);
    down1(60, x, a);
    SHOW("down1", a, sizeof a);
    down2(33, x, a);
    SHOW("down2", a, sizeof a);
    down2(0, x, a);
    down3(20, x, a);
    SHOW("down3", a, sizeof a);
    far_down(3, -2147483615, 2147483628, a);
    SHOW("far_down", a, sizeof a);
    far_up(3, -2000000000, 2000000000, far);
    far_by(3, 2000000000, -2000000000, 3000000, far);
    SHOW("far", far, sizeof far);
    far_up(3, -2000000001, 2000000000, far);
    SHOW("far", far, sizeof far);
    far_up(3, 2000000000, -2000000000, far);
    SHOW("far", far, sizeof far);
}
