/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A misspelt pragma of another kind is still reported: <ws.h> does not silence the warning where the plugin is. */
#include <ws.h>

int sum(int n, const int *x)
{
    int total = 0;
    #pragma opm parallel for
    for (int i = 0; i < n; i++)
        total += x[i];
    return total;
}
