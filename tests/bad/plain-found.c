/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search that leaves the grid. */
int found(int n, const int *x, int key)
{
    int at = -1;
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        if (x[i] == key) {
            at = i;
            break; /* wrong */
        }
    return at;
}
