/*
 * The next definition of an intercepted function: libc's own, or that of another library that
 * intercepts the function as well. All are looked up when the library starts, so that signal
 * handlers and vfork children need no lookup; a call before that looks up its function itself.
 */
#ifndef DFT_IO_NEXT_H
#define DFT_IO_NEXT_H

#define DFT_IO_EXPORT __attribute__((visibility("default")))

/* vfork is written in assembly. */
#if defined(__x86_64__)
#define DFT_IO_BY_ASSEMBLY(X) X(vfork)
#else
#define DFT_IO_BY_ASSEMBLY(X)
#endif

/* The version of fmemopen that libc keeps for programs older than its version 2.22. */
#if defined(__x86_64__)
#define DFT_IO_FMEMOPEN_OLD "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define DFT_IO_FMEMOPEN_OLD "GLIBC_2.17"
#endif

/* X(entry): functions that are in no table, because they are written by hand. */
#define DFT_IO_BY_HAND(X)                                                                          \
    X(open)                                                                                        \
    X(open64)                                                                                      \
    X(openat)                                                                                      \
    X(openat64)                                                                                    \
    X(__open_2)                                                                                    \
    X(__open64_2)                                                                                  \
    X(__openat_2)                                                                                  \
    X(__openat64_2)                                                                                \
    X(creat)                                                                                       \
    X(creat64)                                                                                     \
    X(close)                                                                                       \
    X(close_range)                                                                                 \
    X(closefrom)                                                                                   \
    X(dup)                                                                                         \
    X(dup2)                                                                                        \
    X(dup3)                                                                                        \
    X(fcntl)                                                                                       \
    X(fcntl64)                                                                                     \
    X(pipe)                                                                                        \
    X(pipe2)                                                                                       \
    X(opendir)                                                                                     \
    X(fdopendir)                                                                                   \
    X(closedir)                                                                                    \
    X(dirfd)                                                                                       \
    X(fopen)                                                                                       \
    X(fopen64)                                                                                     \
    X(freopen)                                                                                     \
    X(freopen64)                                                                                   \
    X(fdopen)                                                                                      \
    X(fclose)                                                                                      \
    X(tmpfile)                                                                                     \
    X(fmemopen)                                                                                    \
    X(tmpfile64)                                                                                   \
    X(popen)                                                                                       \
    X(pclose)                                                                                      \
    X(socket)                                                                                      \
    X(socketpair)                                                                                  \
    X(accept)                                                                                      \
    X(accept4)                                                                                     \
    X(connect)                                                                                     \
    X(bind)                                                                                        \
    X(fork)                                                                                        \
    X(forkpty)                                                                                     \
    X(login_tty)                                                                                   \
    DFT_IO_BY_ASSEMBLY(X)

/* One for each function: its next definition; NULL: not looked up yet. */
#define DFT_IO_DECLARE_NEXT(entry) extern void *dft_io_next_##entry;
#define DFT_IO(returns, entry, event, parameters, arguments, subject, failure, values)             \
    DFT_IO_DECLARE_NEXT(entry)
#define DFT_IO_VOID(entry, event, parameters, arguments, subject, values) DFT_IO_DECLARE_NEXT(entry)
#include "io/calls.def"
#undef DFT_IO
#undef DFT_IO_VOID
DFT_IO_BY_HAND(DFT_IO_DECLARE_NEXT)

extern void *dft_io_next_fmemopen_old;

/* Never NULL: if there is no such function, one that fails with ENOSYS. */
void *dft_io_look_up(const char *entry, void **next);

#define DFT_IO_NEXT(entry)                                                                         \
    ((__typeof__(&(entry)))(__builtin_expect(dft_io_next_##entry != NULL, 1)                       \
                                ? dft_io_next_##entry                                              \
                                : dft_io_look_up(#entry, &dft_io_next_##entry)))

/* Looks up all functions. Called once, at the start. */
void dft_io_look_up_all(void);

#endif
