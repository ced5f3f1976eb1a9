/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three groups with blocks of 80 keys, which the sample keeps for long rows of queries. */
#define LONG 1
#define main attention_main
#include "../../samples/attention.c"
#undef main

int main(int argc, char **argv)
{
    return attention_main(argc, argv);
}
