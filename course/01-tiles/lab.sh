# SPDX-License-Identifier: GPL-3.0-or-later
title='tiles, tensors and edges: a transpose'
answer=transpose.c
grade() {
    graded_as_kernel
    needs grid-missing '#pragma ws grid' 'The result is right, but without #pragma ws grid above the loops there is no kernel.'
}
