/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floyd-Warshall in place: an element that other iterations may write, at no constant distance. */
void shortest(int n, int k, float *path)
{
    #pragma ws grid(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float way = path[i * n + k] + path[k * n + j];
            path[i * n + j] = way < path[i * n + j] ? way : path[i * n + j];
        }
}
