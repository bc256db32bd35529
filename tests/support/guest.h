/* For programs that behave like an interpreter: guest functions and their calls. */
#ifndef GUEST_H
#define GUEST_H

#include <dftrace/dftrace.h>
#include <dftrace/guest.h>

#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

/* In a function that executes guest functions: its own stack frame. */
#define LOOP_FRAME() __builtin_frame_address(0)

static inline struct dftrace_guest describe(const char *name)
{
    struct dftrace_guest guest = {.size = sizeof guest, .language = "test", .name = name};

    return guest;
}

/* Takes some time: events with equal times cannot be told apart by what is inside what. */
static NOINLINE void take_time(void)
{
    for (volatile int i = 0; i < 200; i++)
        continue;
}

/* Calls of the hooks that take some time. */
static inline void enter_guest(struct dftrace_site *site, void *stack)
{
    __dftrace_guest_enter(site, stack);
    take_time();
}

static inline void exit_guest(struct dftrace_site *site)
{
    take_time();
    __dftrace_guest_exit(site);
}

/* The site of a function that the allowlist names. */
static inline struct dftrace_site *new_site(const char *name)
{
    struct dftrace_guest guest = describe(name);
    struct dftrace_site *site = __dftrace_guest_site ? __dftrace_guest_site(&guest) : NULL;

    if (!site)
        abort();
    return site;
}

#endif
