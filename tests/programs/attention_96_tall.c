/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same with heads of 96 columns and blocks of 112 keys. */
#define HEAD 96
#define LONG 1
#define main attention_main
#include "../../samples/attention.c"
#undef main

int main(int argc, char **argv)
{
    return attention_main(argc, argv);
}
