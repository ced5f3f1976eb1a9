/* SPDX-License-Identifier: MIT */
/*
 * wide.h - WS_WIDE, before a function: the same code for wider vectors, of which the system chooses when it loads it.
 *
 * A file that uses it is compiled with -ffp-contract=off, so that no width of vector changes a bit.
 */
#ifndef WS_WIDE_H
#define WS_WIDE_H

#define WS_LANES 16 /* elements that a loop does side by side: a multiple of every vector */

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
