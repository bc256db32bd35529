/*
 * Functions that a program may call to control its own tracing. They do nothing in a program that
 * is not traced. References to the library are weak, so the program links and runs without it.
 *
 * Any thread may call them; signal handlers may call only dftrace_instant. A call whose start was
 * recorded is recorded to its end, even if its function is switched off or recording is paused
 * meanwhile.
 */
#ifndef DFTRACE_DFTRACE_H
#define DFTRACE_DFTRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the runtime library. Use the functions below. */
void __dftrace_pause(void) __attribute__((weak));
void __dftrace_resume(void) __attribute__((weak));
void __dftrace_switch(const char *what, int on) __attribute__((weak));
void __dftrace_instant(const char *name) __attribute__((weak));

/*
 * Stops recording until dftrace_resume. With DFTRACER_START=paused the program begins in this
 * state.
 */
static inline void dftrace_pause(void)
{
    if (__dftrace_pause)
        __dftrace_pause();
}

static inline void dftrace_resume(void)
{
    if (__dftrace_resume)
        __dftrace_resume();
}

/*
 * Switches functions off and on again: all functions of a category ("IO"), or all functions whose
 * name matches a pattern ("solver::*", as in an allowlist). If several switches match a function,
 * the last one applies. Switches also apply to libraries that are loaded later. Functions that are
 * not instrumented, or not in the run-time allowlist, cannot be switched on.
 */
static inline void dftrace_disable(const char *category_or_pattern)
{
    if (__dftrace_switch)
        __dftrace_switch(category_or_pattern, 0);
}

static inline void dftrace_enable(const char *category_or_pattern)
{
    if (__dftrace_switch)
        __dftrace_switch(category_or_pattern, 1);
}

/*
 * Marks this moment on the calling thread's track. The name may be any text; its first 1,000 bytes
 * are copied. May be called from signal handlers.
 */
static inline void dftrace_instant(const char *name)
{
    if (__dftrace_instant)
        __dftrace_instant(name);
}

#ifdef __cplusplus
}
#endif
#endif
