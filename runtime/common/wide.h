/* SPDX-License-Identifier: MIT */
/*
 * wide.h - WS_WIDE, before a function: compiles it for several widths of vectors.
 *
 * The dynamic linker chooses one version.  Files that use it are compiled with -ffp-contract=off, so that results do
 * not depend on the width.
 */
#ifndef WS_WIDE_H
#define WS_WIDE_H

#define WS_LANES 16 /* elements of a loop's step: a multiple of every vector */

#if defined __x86_64__ && defined __gnu_linux__ && defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__ && !defined WS_NO_CLONES
#    ifdef __has_attribute
#        if __has_attribute(target_clones)
#            define WS_WIDE __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#        endif
#    endif
#endif
#ifndef WS_WIDE
#    define WS_WIDE
#endif

#endif
