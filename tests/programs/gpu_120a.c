/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of all types, and attention, for sm_120a.
   options: --ws-gpu=120a */
#define main types_main
#include "product_types.c"
#undef main
#define main attention_main
#include "attention.c"
#undef main

int main(int argc, char **argv)
{
    return types_main(argc, argv) || attention_main(argc, argv);
}
