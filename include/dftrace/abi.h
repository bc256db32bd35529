/*
 * The interface between instrumented programs and the runtime.
 *
 * The compiler plugins emit sites and calls of the hooks in exactly this form; afterwards only the
 * runtime changes a site. A change that is incompatible with existing programs increases
 * DFTRACE_ABI, which every module passes when it registers. docs/ABI.md describes the interface.
 */
#ifndef DFTRACE_ABI_H
#define DFTRACE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DFTRACE_ABI 5u

/*
 * The section that contains all sites of a module, without gaps; the linker defines its __start_
 * and __stop_ symbols.
 */
#define DFTRACE_SITE_SECTION "dftrace_sites"

/*
 * The texts of the sites. They have a section of their own, so that an untraced program, which
 * never reads them, does not load their pages.
 */
#define DFTRACE_TEXT_SECTION "dftrace_texts"

/*
 * One ELF note for each translation unit that was compiled with the plugin, even if no rule
 * matched.
 */
#define DFTRACE_NOTE_SECTION ".note.dftrace"
#define DFTRACE_NOTE_NAME "dftrace"
#define DFTRACE_NOTE_UNIT 1u

/* Constructor priority of the registration: before all constructors of users. */
#define DFTRACE_REGISTER_PRIORITY 100

/* The category of an event whose rule names none. */
#define DFTRACE_DEFAULT_CATEGORY "FUNC"

enum dftrace_site_flag {
    DFTRACE_SITE_SAMPLE = 1u << 0,    /* every call records its CPU time and memory */
    DFTRACE_SITE_ARGS = 1u << 1,      /* every call records its arguments and return value */
    DFTRACE_SITE_AGGREGATE = 1u << 2, /* its calls are aggregated and have no events */
    DFTRACE_SITE_EVENT = 1u << 3,     /* not a function, but a struct dftrace_event (events.h) */
    DFTRACE_SITE_IO = 1u << 4,        /* not a function, but an intercepted call of libc */
    DFTRACE_SITE_GUEST = 1u << 5,     /* made by the runtime for an interpreter (guest.h) */
    DFTRACE_SITE_RESUMED = 1u << 6,   /* as GUEST: activations that have begun before */
    DFTRACE_SITE_ADDRESS = 1u << 15,  /* made by the runtime for -finstrument-functions */
};

/* The calls of these sites record more than their time. */
#define DFTRACE_SITE_ATTACHED (DFTRACE_SITE_SAMPLE | DFTRACE_SITE_ARGS)

#define DFTRACE_SITE_THROTTLED 0x80000000u /* in `id` */

/*
 * One instrumented function. Size and alignment are equal and a power of two, so that neither the
 * compiler nor the linker leaves gaps between sites.
 *
 * `id` is the site's number in the spool's site table, with these exceptions. Before the first
 * traced call it is 0. With DFTRACE_SITE_ATTACHED in `flags` it is always 0, so that the hot path
 * does not handle the calls. With DFTRACE_SITE_THROTTLED set in `id`, the other bits are the index
 * in the spool's table of throttled sites.
 */
struct dftrace_site {
    volatile uint8_t on; /* read inline on every call; only the runtime writes it */
    uint8_t known;       /* flags of the runtime: registered, not listed, switched off */
    uint16_t flags;      /* enum dftrace_site_flag */
    uint32_t line;       /* line of the definition, 0 if unknown */
    uint32_t id;         /* see above */
    uint32_t own_id;     /* the site's number while `id` does not contain it, else 0 */
    /*
     * Consecutive NUL-terminated strings, in the order of enum dftrace_site_text. One pointer for
     * all of them, so that a site needs only one relocation.
     */
    const char *text;
} __attribute__((aligned(32)));

enum dftrace_site_text {
    DFTRACE_TEXT_NAME,       /* the qualified name */
    DFTRACE_TEXT_LINKAGE,    /* the linkage (mangled) name */
    DFTRACE_TEXT_FILE,       /* as it was given to the compiler */
    DFTRACE_TEXT_PARAMETERS, /* names, joined by commas */
    DFTRACE_TEXT_CATEGORY,
    DFTRACE_TEXT_VALUES, /* which arguments and results its calls record */
    DFTRACE_TEXT_TYPES,  /* types of its parameters, "(int, char const*)"; empty: unknown */
    DFTRACE_TEXT_RULE,   /* the rule that matched: its line, a colon, its text */
    DFTRACE_TEXT_LOCALS, /* names of its variables, joined by commas */
    DFTRACE_TEXT_COUNT,
};

/*
 * DFTRACE_TEXT_VALUES: one item for each value, in the order of the values:
 *
 *   NAME:CODE;          an argument; NAME is empty if the source has none
 *   =:CODE;             the result; before all arguments
 *
 * A code is one of the letters below, followed by the size of the value in bytes; or '?', followed
 * by the name of a type whose values are not recorded. With '&' in front, the address of the value
 * is passed.
 *
 * In the array of values, a value takes its size rounded up to a multiple of 8; '?' takes nothing.
 */
#define DFTRACE_VALUE_SIGNED 'i'
#define DFTRACE_VALUE_UNSIGNED 'u'
#define DFTRACE_VALUE_BOOL 'b'
#define DFTRACE_VALUE_CHAR 'c'
#define DFTRACE_VALUE_FLOAT 'f'   /* size 2, 4 or 8: IEEE; 16: x87 */
#define DFTRACE_VALUE_QUAD 'q'    /* size 16: IEEE */
#define DFTRACE_VALUE_COMPLEX 'x' /* two FLOATs: real and imaginary part */
#define DFTRACE_VALUE_POINTER 'p' /* an address */
#define DFTRACE_VALUE_TEXT 't'    /* a pointer to characters up to a NUL */
#define DFTRACE_VALUE_STRING 's'  /* address of an object that begins with a pointer and a length */
#define DFTRACE_VALUE_VIEW 'v'    /* a length, then a pointer */
#define DFTRACE_VALUE_TYPE '?'
#define DFTRACE_VALUE_REFERENCE '&'
#define DFTRACE_VALUE_RESULT '='

#define DFTRACE_VALUES_MAX 32 /* arguments of one call; further ones are not recorded */
#define DFTRACE_LOCALS_MAX 64 /* names of variables in one site */

#ifndef __cplusplus
/* The description of the note, after its header and its name (8 bytes, padded with NUL). */
struct dftrace_note_unit {
    uint32_t abi;
    uint32_t functions; /* how many functions of this unit have hooks */
    /*
     * The path of the allowlist as it was given to the compiler, NUL-terminated. Then a hash of the
     * file's bytes, 16 hexadecimal digits and a NUL; units compiled by early versions do not have
     * it.
     */
    char allowlist[];
};
#endif

/*
 * The hooks. Programs have weak references to them, so they link and run without the runtime. Only
 * the runtime switches a site on, so a hook is never called without the runtime. `enter` returns a
 * token, which is 0 if the call is not recorded. `exit` receives that token.
 */
uint64_t __dftrace_enter(struct dftrace_site *site);
void __dftrace_exit(struct dftrace_site *site, uint64_t token);

/*
 * Called only if the token is not 0, and only in functions with DFTRACE_SITE_ARGS: right after the
 * enter hook with the arguments, and before a return with the result. `shape` is the offset of
 * DFTRACE_TEXT_VALUES in the site's text, which describes `values`.
 */
void __dftrace_args(struct dftrace_site *site, uint64_t token, uint32_t shape, void *values);
void __dftrace_result(struct dftrace_site *site, uint64_t token, uint32_t shape, void *values);

#if defined(__x86_64__)
/*
 * The two hooks for x86-64, called from inline assembly with a calling convention of their own, so
 * that a call that is not traced saves few registers: enter takes the site in r11 and returns the
 * token in rax, exit takes the token in r11 and the site in r10. They change the flags, rax, rdx,
 * r10 and r11; exit also changes rcx and rsi.
 */
void __dftrace_quick_enter(void);
void __dftrace_quick_exit(void);
#endif

/*
 * Every instrumented object refers to the runtime by this symbol, from a section that linkers
 * exclude from their output. So the link succeeds even if the symbol is missing. But the reference
 * makes linkers keep -ldftrace with --as-needed, and extract the runtime from an archive. Weak
 * references alone would do neither.
 */
#define DFTRACE_RUNTIME_REFERENCE                                                                  \
    "\t.pushsection\t.dftrace_link,\"e\"\n\t.quad\t__dftrace_runtime\n\t.popsection"
/*
 * In units for shared libraries (-fPIC) the reference is weak as well. Otherwise the library itself
 * would require the symbol, and no program could be linked with a library that was linked without
 * the runtime.
 */
#define DFTRACE_RUNTIME_WEAK "\t.weak\t__dftrace_runtime\n"
extern const void *const __dftrace_runtime[];

/*
 * Called by a constructor of every instrumented translation unit, each time with the sites of the
 * whole module.
 */
void __dftrace_register(uint32_t abi, struct dftrace_site *begin, struct dftrace_site *end);

#ifdef __cplusplus
#define DFTRACE_STATIC_ASSERT static_assert
#else
#define DFTRACE_STATIC_ASSERT _Static_assert
#endif

DFTRACE_STATIC_ASSERT(sizeof(struct dftrace_site) == 32, "sites are laid out by three compilers");
DFTRACE_STATIC_ASSERT(offsetof(struct dftrace_site, on) == 0, "the inline test reads byte 0");
DFTRACE_STATIC_ASSERT(offsetof(struct dftrace_site, text) == 16, "site layout");

#ifdef __cplusplus
}
#endif
#endif
