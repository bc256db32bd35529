/*
 * Determines which processor state must be saved when an assembly hook calls C code. Runs once,
 * before the first site is switched on.
 */
#include "runtime/hooks/hooks_x86_64.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* x87, SSE, AVX and AVX-512: no C library touches more. */
#define SAVED_STATE 0xe7u
#define LEGACY_AREA 512u
#define XSAVE_HEADER 64u

/* Read by hooks_x86_64.S. If 0, there is no XSAVE, and FXSAVE saves all registers. */
uint32_t dft_quick_mask;
uint32_t dft_quick_area = LEGACY_AREA;

/* Whether XSAVEC is available: it skips registers that are in their initial state. */
uint32_t dft_quick_compact;
#define XSAVEC_BIT (1u << 1)

static uint32_t read_enabled_state(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

void dft_hooks_x86_64_init(void)
{
    uint32_t a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    uint32_t mask = read_enabled_state() & SAVED_STATE;
    uint32_t area = LEGACY_AREA + XSAVE_HEADER;
    for (uint32_t component = 2; component < 8; component++)
        if ((mask >> component & 1) && __get_cpuid_count(0xd, component, &a, &b, &c, &d) &&
            a + b > area)
            area = a + b;
    dft_quick_compact = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && (a & XSAVEC_BIT);
    dft_quick_area = area;
    dft_quick_mask = mask;
}

#else

void dft_hooks_x86_64_init(void) {}

#endif
