/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sample with numbers of type bf16. */
#define BF16
#define main attention_main
#include "../../samples/attention.c"
#undef main

int main(int argc, char **argv)
{
    return attention_main(argc, argv);
}
