/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of all types, and attention, for sm_90.
   options: --ws-gpu=90 */
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
