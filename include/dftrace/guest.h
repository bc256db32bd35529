/*
 * The interface between interpreters and the runtime: it traces functions of an interpreted
 * language, called guest functions here. The interpreter, or a library inside its process, calls
 * these functions; programs do not. docs/ABI.md describes the interface.
 *
 * All functions are weak references: test one of them before the first use. They keep errno.
 *
 *   site    makes the site of a function that the allowlist names. Any thread that is not in a
 *           signal handler. May lock, allocate and make system calls. At most once for each
 *           function and flag: sites live as long as the process.
 *   asks    gives the allowlist's answer without a site. Any thread; no lock, no system call, no
 *           allocation, about 12 KiB of the stack.
 *   enter   begins a call, and exit ends one. Any thread, signal handlers included. Neither locks
 *           nor makes a system call, except at the first calls of a thread and of a function.
 *   wanted  says whether to ask for functions at all.
 *
 * A site that `site` has returned stays valid. The runtime switches it on and off. The interpreter
 * calls `enter` and `exit` in either case, because a call that began while its site was off must
 * also end. Each `enter` needs one `exit` on the same thread, on every way out of the function;
 * calls of guest functions nest. Functions compiled with the plugin, regions and intercepted calls
 * may lie in between.
 */
#ifndef DFTRACE_GUEST_H
#define DFTRACE_GUEST_H

#include <dftrace/abi.h>
#include <dftrace/events.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dftrace_guest_flag {
    /*
     * The site's calls continue an activation that has begun before: of a generator or a coroutine.
     * Such calls have a site of their own, with the same names.
     */
    DFTRACE_GUEST_RESUMED = 1u << 0,
};

/*
 * What the interpreter knows about a function. Strings are NUL-terminated UTF-8; NULL is the empty
 * string, except for `name`. The runtime copies what it keeps.
 *
 * A rule `fun:PATTERN` of the allowlist matches the function if the pattern matches one of these
 * names as a whole: `name`, `qualified`, `module`.`qualified`, and the last two without every
 * "<locals>." in them. A rule `src:PATTERN` matches `file`.
 */
struct dftrace_guest {
    uint32_t size;          /* sizeof(struct dftrace_guest): later versions may append members */
    uint32_t flags;         /* enum dftrace_guest_flag */
    const char *language;   /* "python" */
    const char *name;       /* "raw_decode"; must not be NULL */
    const char *qualified;  /* "JSONDecoder.raw_decode"; empty: the same as `name` */
    const char *module;     /* "json.decoder"; empty: unknown */
    const char *file;       /* the file that defines the function */
    const char *parameters; /* names, joined by commas: "self,s,idx" */
    const char *locals;     /* names of the other variables, joined by commas */
    uint32_t line;          /* of the definition; 0: unknown */
    uint32_t stack_size;    /* how many values its stack in the interpreter holds; 0: unknown */
};

/*
 * Whether functions of guests may be recorded in this process: it is traced, or `dftrace ctl` may
 * begin to trace it. If not, nothing else needs to be called.
 *
 * `changed`, if not NULL, is called after the allowlist has changed. Then a function for which
 * `asks` and `site` have answered no may be wanted. It is called in a thread of the runtime or in
 * one that has changed the list. It must return soon, and must not call functions of this header:
 * it should only arrange that the interpreter asks again. One `changed` is remembered; NULL keeps
 * the earlier one.
 */
int __dftrace_guest_wanted(void (*changed)(void)) __attribute__((weak));

/* Whether the allowlist names the function. Yes, where only `site` can decide: the path is too long. */
int __dftrace_guest_asks(const struct dftrace_guest *guest) __attribute__((weak));

/*
 * The function's site, or NULL: the allowlist does not name the function, or there is no memory. If
 * the site has DFTRACE_SITE_ARGS in its `flags`, its calls should report values (see below).
 */
struct dftrace_site *__dftrace_guest_site(const struct dftrace_guest *guest) __attribute__((weak));

/*
 * `stack` is an address in the stack frame of the interpreter's loop, which is the C function that
 * executes the guest function. The address must be higher than the frames of all functions that
 * the loop calls, and lower than the frames of its callers. From the addresses the runtime infers
 * which calls longjmp has abandoned. Nested calls may have the same address, because one loop can
 * execute many guest functions.
 */
void __dftrace_guest_enter(struct dftrace_site *site, const void *stack) __attribute__((weak));

/*
 * Ends the innermost open call of this site on this thread. Calls inside it are closed; if none of
 * the site is open, nothing happens.
 */
void __dftrace_guest_exit(struct dftrace_site *site) __attribute__((weak));

/*
 * The same for an activation that may have begun as a call of either site: of a generator, with the
 * sites of its first and of its later activations.
 */
void __dftrace_guest_exit_either(struct dftrace_site *begun, struct dftrace_site *resumed)
    __attribute__((weak));

/*
 * Adds values to the call of this site that the thread has entered last: its arguments right after
 * `enter`, and its return value, under the key "return", right before `exit`. Only for sites with
 * DFTRACE_SITE_ARGS. The values are copied. Values that no type describes should be passed by
 * dftrace_guest_type_value.
 */
void __dftrace_guest_values(struct dftrace_site *site, const struct dftrace_value *values,
                            uint32_t count) __attribute__((weak));

/* A value of which only the name of its type is recorded. */
static inline struct dftrace_value dftrace_guest_type_value(const char *key, const char *type)
{
    struct dftrace_value value = {key, DFTRACE_TYPE_OPAQUE, DFTRACE_TERMINATED, {0}};

    value.as.text = type;
    return value;
}

#ifdef __cplusplus
}
#endif
#endif
