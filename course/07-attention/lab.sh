# SPDX-License-Identifier: GPL-3.0-or-later
title='softmax between two products: attention'
answer=attention.c
grade() {
    graded_as_kernel
    needs grid-missing '#pragma ws grid' 'The result is right, but without #pragma ws grid above the loop there is no kernel.'
    needs pipeline-missing '#pragma ws pipeline' 'The result is right, but the loop along the keys has no #pragma ws pipeline.'
}
