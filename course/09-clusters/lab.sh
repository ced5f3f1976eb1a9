# SPDX-License-Identifier: GPL-3.0-or-later
title='sums across the blocks of a cluster'
answer=product.c
grade() {
    graded_as_kernel
    needs parts-missing '#pragma ws parts' 'The result is right, by one block alone: #pragma ws parts above the loop over parts makes its iterations the work of blocks side by side.'
}
