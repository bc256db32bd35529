/*
 * The API for programs. Every function does nothing if the program is not traced. References are
 * weak, so the program links and runs without the library.
 *
 * Any thread; from signal handlers only dftrace_instant. A call that began while recording was on is recorded
 * to its end, even if recording is switched off meanwhile.
 */
#ifndef DFTRACE_DFTRACE_H
#define DFTRACE_DFTRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's side. */
void __dftrace_pause(void) __attribute__((weak));
void __dftrace_resume(void) __attribute__((weak));
void __dftrace_switch(const char *what, int on) __attribute__((weak));
void __dftrace_instant(const char *name) __attribute__((weak));

/* Nothing is recorded from now on, until dftrace_resume. DFTRACER_START=paused begins like this. */
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
 * Switches functions off and on again: those of a category ("IO"), or those whose name matches a
 * pattern ("solver::*", as in an allowlist). If several switches match a function, the last one
 * applies, also in libraries that are loaded later. Functions that are not instrumented, or not in
 * the allowlist of the run, cannot be switched on.
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
 * Marks this moment on the calling thread's row. The name is copied; any text, of which the first
 * 1,000 bytes are kept. Also from signal handlers.
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
