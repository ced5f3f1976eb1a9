/* SPDX-License-Identifier: GPL-3.0-or-later */
/* versions.h - versions and variants of a kernel.  */
#ifndef WSC_VERSIONS_H
#define WSC_VERSIONS_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The two functions make a version of the kernel, in the module's list.  Its lowering begins behind the
   running pass.  The first version is for launches whose parameter lies in the range.  The second is for launches where
   an estimate prefers it, and `ending` is the suffix of its name.  */
Kernel *kernel_version(Kernel *kernel, const Value *param, int64_t least, int64_t most);
Kernel *kernel_estimated_version(Kernel *kernel, const char *ending);
/* Returns a copy that is in no list.  require: choose has not run.  */
Kernel *kernel_copy(Kernel *kernel);
void kernel_replace(Kernel *kernel, Kernel *by); /* replaces `kernel` in the module's list */
bool is_version_of(const Kernel *version, const Kernel *kernel);
/* Returns a variant of `first` with other ws_choice constants and an empty body.  */
Kernel *kernel_variant(Kernel *first, int count, const int64_t *values);
/* Makes `copy` a variant of `first` with the schedule file `text`. Its label ends in `number`. require: `copy` has not
   been scheduled.  */
Kernel *kernel_scheduled(Kernel *first, Kernel *copy, int number, const char *text);
void variant_number(Kernel *variant, int number);    /* appends a number to the label */
const char *variant_label(const Kernel *variant);    /* for example 64x128 */
const char *variant_launcher(const Kernel *variant); /* symbol for this variant alone */
/* Returns the variant behind `after`, or the first if `after` is NULL; refused variants are passed over.  */
Kernel *next_variant(const Kernel *first, const Kernel *after);
bool is_variant_of(const Kernel *kernel, const Kernel *first);

#ifdef __cplusplus
}
#endif
#endif
