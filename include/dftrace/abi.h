/*
 * What an instrumented program and the runtime agree on.
 *
 * The compiler plugins emit sites and calls in exactly this shape; the runtime is the only one that
 * changes a site afterwards. A change here that old programs would notice raises DFTRACE_ABI, which
 * every module hands over when it registers. docs/ABI.md tells the same in prose.
 */
#ifndef DFTRACE_ABI_H
#define DFTRACE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DFTRACE_ABI 5u

/* Sites stand side by side in this section; the linker gives it __start_ and __stop_ symbols. */
#define DFTRACE_SITE_SECTION "dftrace_sites"

/* Their texts, in the same order: apart from data that a program reads which is not traced. */
#define DFTRACE_TEXT_SECTION "dftrace_texts"

/* One ELF note for each translation unit that the plugin has seen, also where no rule matched. */
#define DFTRACE_NOTE_SECTION ".note.dftrace"
#define DFTRACE_NOTE_NAME "dftrace"
#define DFTRACE_NOTE_UNIT 1u

/* Constructor priority of the registration: before every constructor that a user can write. */
#define DFTRACE_REGISTER_PRIORITY 100

/* Category of an event whose rule names none. */
#define DFTRACE_DEFAULT_CATEGORY "FUNC"

enum dftrace_site_flag {
    DFTRACE_SITE_SAMPLE = 1u << 0,    /* every call records its CPU time and memory */
    DFTRACE_SITE_ARGS = 1u << 1,      /* every call records its arguments and return value */
    DFTRACE_SITE_AGGREGATE = 1u << 2, /* its calls are added up, none has an event of its own */
    DFTRACE_SITE_ADDRESS = 1u << 15,  /* made by the runtime for -finstrument-functions */
};

/* Calls that record more than their time. */
#define DFTRACE_SITE_ATTACHED (DFTRACE_SITE_SAMPLE | DFTRACE_SITE_ARGS)

#define DFTRACE_SITE_THROTTLED 0x80000000u /* in `id` */

/*
 * One instrumented function. Size and alignment are equal and a power of two, so that neither
 * compiler nor linker can leave a gap between two of them.
 */
struct dftrace_site {
    volatile uint8_t on; /* read inline on every call; only the runtime writes it */
    uint8_t known;       /* the runtime's: registered, not listed, switched off */
    uint16_t flags;      /* enum dftrace_site_flag */
    uint32_t line;       /* line of the definition, 0 where unknown */
    uint32_t id;         /* number in the spool's site table; 0 until the first traced call, and
                            always with DFTRACE_SITE_ATTACHED: the hot path leaves those calls alone;
                            with DFTRACE_SITE_THROTTLED, number among those whose calls are counted */
    uint32_t own_id;     /* the number in the site table where `id` is not that, else 0 */
    /*
     * Strings one after the other, each closed by a NUL, in the order of enum dftrace_site_text.
     * One pointer, so that a program which is not traced pays for one relocation a site.
     */
    const char *text;
} __attribute__((aligned(32)));

enum dftrace_site_text {
    DFTRACE_TEXT_NAME,       /* qualified */
    DFTRACE_TEXT_LINKAGE,    /* name */
    DFTRACE_TEXT_FILE,       /* as the compiler was given it */
    DFTRACE_TEXT_PARAMETERS, /* their names, joined by commas */
    DFTRACE_TEXT_CATEGORY,
    DFTRACE_TEXT_VALUES, /* what a call of it records of its arguments and result */
    DFTRACE_TEXT_TYPES,  /* of its parameters, "(int, char const*)"; empty: not known */
    DFTRACE_TEXT_RULE,   /* that matched: its line, a colon, the rule */
    DFTRACE_TEXT_LOCALS, /* names of its variables, joined by commas */
    DFTRACE_TEXT_COUNT,
};

/*
 * DFTRACE_TEXT_VALUES: one item for each value, closed by ';' each, in the order of the values:
 *
 *   NAME:CODE;          an argument; without a name where the source has none
 *   =:CODE;             the result; before all arguments
 *
 * A code is one of these letters and the value's size in bytes, or '?' and the name of a type whose
 * values are not recorded. '&' before it: the value stands at an address, which is what is handed
 * over.
 *
 * A value takes as many bytes as its size says, rounded up to 8; one of '?' takes none.
 */
#define DFTRACE_VALUE_SIGNED 'i'
#define DFTRACE_VALUE_UNSIGNED 'u'
#define DFTRACE_VALUE_BOOL 'b'
#define DFTRACE_VALUE_CHAR 'c'
#define DFTRACE_VALUE_FLOAT 'f'   /* 2, 4 and 8: IEEE; 16: x87 */
#define DFTRACE_VALUE_QUAD 'q'    /* 16: IEEE */
#define DFTRACE_VALUE_COMPLEX 'x' /* two of FLOAT: real and imaginary part */
#define DFTRACE_VALUE_POINTER 'p' /* its address */
#define DFTRACE_VALUE_TEXT 't'    /* a pointer to characters up to a NUL */
#define DFTRACE_VALUE_STRING 's'  /* address of an object that begins with pointer, length */
#define DFTRACE_VALUE_VIEW 'v'    /* length, then pointer */
#define DFTRACE_VALUE_TYPE '?'
#define DFTRACE_VALUE_REFERENCE '&'
#define DFTRACE_VALUE_RESULT '='

#define DFTRACE_VALUES_MAX 32 /* arguments of one call; further ones are not recorded */
#define DFTRACE_LOCALS_MAX 64 /* variables of a function that are named */

/* What stands behind the note's header and name (8 bytes, NUL-padded). */
struct dftrace_note_unit {
    uint32_t abi;
    uint32_t functions; /* how many functions of this unit carry hooks */
    /*
     * The path as the compiler was given it, NUL-terminated; then a hash of the file's bytes, 16
     * hexadecimal digits and a NUL, which units compiled by early versions do not have.
     */
    char allowlist[];
};

/*
 * The hooks. Programs hold weak references to them, so they link and run without the runtime; the
 * runtime is there whenever a site is on. `enter` returns a token that is never 0 for a call that
 * is recorded, `exit` takes it back.
 */
uint64_t __dftrace_enter(struct dftrace_site *site);
void __dftrace_exit(struct dftrace_site *site, uint64_t token);

/*
 * Called only where the token is not 0, and only in functions with DFTRACE_SITE_ARGS: right behind
 * the enter hook with the arguments, and before a return with the result. `shape` is where
 * DFTRACE_TEXT_VALUES stands in the site's text, `values` holds what it says.
 */
void __dftrace_args(struct dftrace_site *site, uint64_t token, uint32_t shape, void *values);
void __dftrace_result(struct dftrace_site *site, uint64_t token, uint32_t shape, void *values);

#if defined(__x86_64__)
/*
 * The two hooks for x86-64, called from inline assembly and in a way of their own, so that a call
 * which is not traced has little to save: enter takes the site in r11 and returns the token in rax,
 * exit takes the token in r11 and the site in r10. They change the flags, rax, rdx, r10 and r11;
 * exit also rcx and rsi.
 */
void __dftrace_quick_enter(void);
void __dftrace_quick_exit(void);
#endif

/*
 * Every instrumented object refers to the runtime by this symbol, from a section that linkers leave
 * out of what they make. So none complains where it is missing, yet -ldftrace is kept by
 * --as-needed and found in an archive because of it: weak references alone do neither.
 */
#define DFTRACE_RUNTIME_REFERENCE                                                                  \
    "\t.pushsection\t.dftrace_link,\"e\"\n\t.quad\t__dftrace_runtime\n\t.popsection"
/*
 * In units for shared libraries (-fPIC) as well: an ordinary reference would be one of the library,
 * and no program could be linked with a library that was linked without the runtime.
 */
#define DFTRACE_RUNTIME_WEAK "\t.weak\t__dftrace_runtime\n"
extern const void *const __dftrace_runtime[];

/* Called by a constructor of every instrumented translation unit, for its whole module each time.
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
