/* SPDX-License-Identifier: GPL-3.0-or-later */
/* alias.h - the memory that loads and stores access.  */
#ifndef WSC_ALIAS_H
#define WSC_ALIAS_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

Op *tensor_root(const Value *tensor);                       /* the TENSOR operation below slices and boxes */
const Value *tensor_memory(const Value *tensor);            /* the pointer operand of the TENSOR operation */
bool is_same_place(const Value *x, const Value *y);         /* the same value, or equal constants */
bool stores_what_is_loaded(const Op *op, const void *load); /* a store to the memory of the load's tensor */
bool stores_apart(const Op *x, const Op *y);                /* in one iteration, the stores write different elements */
/* In different iterations of the loops inside the grid, the store writes different elements.  */
bool store_moves_on(const Op *store);
/* True for an in-place update: the store writes the window that the load reads, and each iteration of the loops around
   it another window.  A store after the load then changes no element that any iteration loads.  */
bool load_is_in_place(const Op *load, const Op *store);

#ifdef __cplusplus
}
#endif
#endif
