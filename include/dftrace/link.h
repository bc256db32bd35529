/*
 * A reference to the runtime from every object that uses dftrace.h: see DFTRACE_RUNTIME_REFERENCE in
 * abi.h. Without it, `-ldftrace` would have no effect in a program that only has weak references.
 */
#ifndef DFTRACE_LINK_H
#define DFTRACE_LINK_H

#include <dftrace/abi.h>

#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(DFTRACE_NO_LINK)
#if defined(__PIC__) && !defined(__PIE__)
__asm__(DFTRACE_RUNTIME_WEAK DFTRACE_RUNTIME_REFERENCE "\n");
#else
__asm__(DFTRACE_RUNTIME_REFERENCE "\n");
#endif
#endif

#endif
