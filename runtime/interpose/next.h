/*
 * For functions of libc that this library interposes: finds the next definition, libc's own or that
 * of another library which interposes it as well.
 *
 * In a static executable there is neither a next definition nor dlsym. There the result is NULL,
 * and the caller makes the system call instead.
 */
#ifndef DFT_RUNTIME_INTERPOSE_NEXT_H
#define DFT_RUNTIME_INTERPOSE_NEXT_H

#include <dlfcn.h>

#pragma weak dlsym

#define DFT_INTERPOSE __attribute__((visibility("default")))

/*
 * Defines next_FUNCTION(), which looks up the function on first use. dft_*_find_next call it before
 * a signal handler or a vfork child could need it. Two threads that race find the same function.
 */
#define DFT_DEFINE_NEXT(function)                                                                  \
    static __typeof__(&(function)) next_##function(void)                                           \
    {                                                                                              \
        static __typeof__(&(function)) found;                                                      \
        if (!found && dlsym)                                                                       \
            found = (__typeof__(&(function)))dlsym(RTLD_NEXT, #function);                          \
        return found;                                                                              \
    }

#endif
