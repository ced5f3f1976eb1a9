# SPDX-License-Identifier: GPL-3.0-or-later
title='the tiled matrix product, and a pipeline'
answer=product.c
grade() {
    graded_as_kernel
    needs grid-missing '#pragma ws grid' 'The result is right, but without #pragma ws grid above the loops there is no kernel.'
    needs pipeline-missing '#pragma ws pipeline' 'The result is right, but the loop along k has no #pragma ws pipeline: each iteration waits for its own loads.'
}
