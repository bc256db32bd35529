/*
 * For programs that fork while other threads are busy: shows that a child has not inherited a lock
 * that no thread will release. A process that hangs prints its stack, and fails.
 */
#ifndef FORKED_H
#define FORKED_H

#include <dftrace/dftrace.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_instrument_function))
#define HUNG_AFTER_S 100
#define HUNG 97

UNTRACED static void print_stack(int number)
{
    static const char text[] = "this process hangs:\n";
    void *frames[64];

    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
        backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    syscall(SYS_exit_group, HUNG);
}

/* In the parent, before the first fork: backtrace loads a library when it is first called. */
UNTRACED static void prepare_children(void)
{
    void *frame;

    backtrace(&frame, 1);
    signal(SIGALRM, print_stack);
    alarm(2 * HUNG_AFTER_S);
}

UNTRACED static int count_module(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)info, (void)size;
    ++*(int *)count;
    return 0;
}

/* In the child. `library` has a function `more`, which is called if `call` is set. */
UNTRACED static void use_everything(const char *library, int call)
{
    int count = 0;

    alarm(HUNG_AFTER_S);
    dl_iterate_phdr(count_module, &count);
    void *handle = dlopen(library, RTLD_NOW);
    void (*more)(void) = handle ? (void (*)(void))dlsym(handle, "more") : NULL;
    if (!more || count == 0)
        exit(1);
    if (call)
        more();
    dftrace_pause();
    dftrace_resume();
    dlclose(handle);
    free(malloc(300000));
    exit(0); /* with all exit handlers */
}

/* In the parent: whether the child has done all of it. */
UNTRACED static int child_succeeds(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) != child)
        ;
    if (status != 0)
        fprintf(stderr, "child %d: wait status %#x\n", (int)child, (unsigned)status);
    return status == 0;
}

#endif
