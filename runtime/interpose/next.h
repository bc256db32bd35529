/*
 * Functions of libc that this library stands in front of, and the next definition of each: libc's
 * own or another library's that does the same as we do.
 *
 * In a static executable there is no next one, and no dlsym: the caller gets NULL then, and does by
 * system call what the function means.
 */
#ifndef DFT_RUNTIME_INTERPOSE_NEXT_H
#define DFT_RUNTIME_INTERPOSE_NEXT_H

#include <dlfcn.h>

#pragma weak dlsym

#define DFT_INTERPOSE __attribute__((visibility("default")))

/*
 * Defines next_FUNCTION(). It looks up at its first use, which dft_*_find_next make before a signal
 * handler or a vfork child could need it; two threads that race find the same.
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
