/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.c - the words of textual IR (text.h).  */
#include "ir/text.h"

const char *const text_kinds[] = {"?", "scalar", "ptr", "tensor", "tile", "view", "token"};
const char *const text_tags[] = {"none", "iteration", "load", "tile"};
const char *const text_schedules[] = {"auto", "fine", "coarse", "optimal"};
const char *const text_orders[] = {"auto", "row", "column", "grouped"};
const char *const text_splits[] = {"", "rows", "tiles"};
const char *const text_precisions[] = {"f32", "tf32", "f16", "bf16"};
const char *const text_uses[] = {"ring", "operand", "output", "scratch", "gathered", "parts", "shares", "row_cache"};
const char *const text_layouts[] = {"rows",   "mma",    "rows_2", "rows_4", "rows_8",   "rows_16",  "rows_32", "wide",
                                    "wide_2", "wide_4", "wide_8", "strips", "strips_2", "strips_4", "strips_8"};
const char *const text_alongs[] = {"none", "x", "y", "x_and_y", "all"};
const char *const text_versions[] = {"any", "tma"};
const char *const text_capabilities[] = {"copy", "compute", "store"};

bool text_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$' || (unsigned char)c >= 0x80;
}
