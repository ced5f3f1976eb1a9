/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spelling.c - the word that is probably meant: 'pipline' -> 'pipeline'.
 */
#include <string.h>

#include "source/reader.h"

enum { LONGEST = 31 };

/* Number of letters that are wrong, missing or superfluous; two that changed places count once.  */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1][LONGEST + 1], m = (int)strlen(a), n = (int)strlen(b);
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (!i || !j) {
                row[i][j] = i + j;
                continue;
            }
            int least = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            least = row[i - 1][j] + 1 < least ? row[i - 1][j] + 1 : least;
            least = row[i][j - 1] + 1 < least ? row[i][j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && row[i - 2][j - 2] + 1 < least)
                least = row[i - 2][j - 2] + 1;
            row[i][j] = least;
        }
    return row[m][n];
}

/* GCC's limit: about a third of the letters.  */
static int most_wrong(const char *a, const char *b)
{
    int m = (int)strlen(a), n = (int)strlen(b), longer = m > n ? m : n, shorter = m > n ? n : m;
    return longer <= 1 ? 0 : longer - shorter > 1 ? (longer + 2) / 3 : longer < 3 ? 1 : longer / 3;
}

const char *closest_word(const char *given, const char *const *words, int count)
{
    const char *best = NULL;
    int least = 0;
    for (int i = 0; i < count && strlen(given) <= LONGEST; i++) {
        int away = distance(given, words[i]);
        if (away <= most_wrong(given, words[i]) && (!best || away < least)) {
            best = words[i];
            least = away;
        }
    }
    return best;
}
