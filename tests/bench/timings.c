/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timings.c - what bench/run SUITE... tiles would write on a GPU whose times are those of the model with other numbers,
 * but for 2% of noise: what lib/product/fit has to find.
 */
#include "../../lib/product/describe.h"
#include "../../bench/statistics.h"

enum { SHAPES = 15 };

int main(void)
{
    static product_choice list[PRODUCT_CHOICES];
    unsigned long long random = 7;
    product_numbers n = product_h200;
    n.asks_lines *= 1.4;
    n.asks_inside *= 0.7;
    n.launch *= 1.5;
    n.launch_light *= 1.3;
    n.iteration *= 1.25;
    n.stored_byte *= 1.5;
    puts("{\"device\": \"no GPU\", \"rounds\": 15}");
    for (int shape = 0; shape < SHAPES; shape++) {
        const long M = 64 + next_random(&random) % 3000, N = 64 + next_random(&random) % 375 * 8;
        const long K = shape % 2 ? 64 + next_random(&random) % 500 * 8 : 64 + next_random(&random) % 60 * 64;
        const product_problem p = {1, M, N, K, 2, 2, 132};
        printf("{\"type\": \"f16\", \"batch\": 1, \"M\": %ld, \"N\": %ld, \"K\": %ld, \"candidate\": \"cuBLASLt\", "
               "\"form\": \"\", "
               "\"us\": 10, \"mhz\": 1300}\n",
               M, N, K);
        for (int i = 0, count = product_choices(p, list); i < count; i++) {
            const double noise = 1 + 0.02 * (next_random(&random) * 0x1p-31 - 1);
            printf("{\"type\": \"f16\", \"batch\": 1, \"M\": %ld, \"N\": %ld, \"K\": %ld, \"candidate\": \"WSC\", "
                   "\"form\": \"\", "
                   "\"kernel\": \"%s\", \"parts\": %d, \"step\": %d, \"across\": %d, \"us\": %.3f, \"mhz\": 1300}\n",
                   M, N, K, product_forms[list[i].form].name, list[i].parts, list[i].step, list[i].across,
                   product_clocks(&n, p, list[i]) * noise / 1300);
        }
    }
    return 0;
}
