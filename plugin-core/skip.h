/*
 * Which functions get no hooks, and why.
 *
 * Each plugin asks its compiler which of these cases applies to a function. The cases and their
 * texts are the same in both plugins. A new case is one line of DFT_SKIP_REASONS and one test of it
 * in each plugin's pass (gcc-plugin/pass.cc, llvm-pass/pass.cpp).
 */
#ifndef DFT_PLUGIN_CORE_SKIP_H
#define DFT_PLUGIN_CORE_SKIP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The reasons why a function that a rule matches gets no hooks. The text is the "reason" in the
 * plugins' report.
 *
 *   NO_INSTRUMENT   The source asks for it.
 *   NAKED           The function has neither prologue nor stack frame: a call would overwrite its
 *                   registers and its return address.
 *   INTERRUPT       The function must preserve every register that its callees change, and does
 *                   not know which ones the runtime changes.
 *   EXTERN_INLINE   This body is for inlining only; the one that can be called is compiled
 *                   elsewhere, in a library. Hooks here would count only the inlined calls.
 *                   Not skipped are C99 inline functions and extern templates of the program
 *                   itself: there both bodies have hooks, and each call runs one of them.
 *   IFUNC_RESOLVER  The dynamic linker calls the function while it is still relocating: neither the
 *                   sites nor the hooks have their addresses yet.
 */
#define DFT_SKIP_REASONS(X)                                                                        \
    X(NO_INSTRUMENT, "attribute no_instrument_function")                                           \
    X(NAKED, "attribute naked")                                                                    \
    X(INTERRUPT, "attribute interrupt")                                                            \
    X(EXTERN_INLINE, "extern inline: compiled elsewhere")                                          \
    X(IFUNC_RESOLVER, "ifunc resolver: runs before relocation")

#define DFT_SKIP_CONSTANT(name, reason) DFT_SKIP_##name,
enum dft_skip { DFT_SKIP_NONE, DFT_SKIP_REASONS(DFT_SKIP_CONSTANT) DFT_SKIP_COUNT };
#undef DFT_SKIP_CONSTANT

/* NULL for DFT_SKIP_NONE: the function gets hooks. */
const char *dft_skip_reason(enum dft_skip skip);

/*
 * Whether the linkage name is one that both compilers give to code without a counterpart in the
 * source. Such a function is not compared with the rules and is in no report. Functions that only
 * one compiler makes are recognized by its plugin.
 */
bool dft_skip_is_compiler_made(const char *linkage);

#ifdef __cplusplus
}
#endif
#endif
