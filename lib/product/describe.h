/* SPDX-License-Identifier: MIT */
/*
 * describe.h - a choice in a few words, as in the tables of bench/.
 *
 *      128x224 of 256 2x1     a tile; the columns of the form; the blocks that share loads
 *      128x208, 66 across     66 tiles share the columns evenly
 *      128x128 rows           warp groups divide the tile's rows
 *      64x64 light            two blocks share a multiprocessor
 *      64x64 by 4             parts that the blocks of a cluster add
 *      128x128 / 4            parts that a second kernel adds
 */
#ifndef PRODUCT_DESCRIBE_H
#define PRODUCT_DESCRIBE_H

#include <stdio.h>
#include "choose.h"

enum { PRODUCT_DESCRIPTION = 32 }; /* bytes */

static inline void product_describe(char text[PRODUCT_DESCRIPTION], product_choice choice, long N)
{
    const product_form f = product_forms[choice.form];
    char of[12] = "", across[20] = "", cluster[10] = "", by[8] = "";
    if (choice.step && choice.step != f.cols)
        snprintf(of, sizeof of, " of %d", f.cols);
    if (f.kind == PRODUCT_EVEN)
        snprintf(across, sizeof across, ", %d across", product_across(choice, N));
    if (f.down * f.across > 1)
        snprintf(cluster, sizeof cluster, " %dx%d", f.down, f.across);
    if (f.summed > 1)
        snprintf(by, sizeof by, " by %d", f.summed);
    else if (f.kind == PRODUCT_PART)
        snprintf(by, sizeof by, " / %d", choice.parts);
    const char *kind = f.kind == PRODUCT_ROWS ? " rows" : f.kind == PRODUCT_LIGHT ? " light" : "";
    if (snprintf(text, PRODUCT_DESCRIPTION, "%dx%d%s%s%s%s%s", f.rows, choice.step ? choice.step : f.cols, of, across,
                 cluster, kind, by) >= PRODUCT_DESCRIPTION)
        text[PRODUCT_DESCRIPTION - 1] = 0;
}

#endif
