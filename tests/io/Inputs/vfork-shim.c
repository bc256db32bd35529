/*
 * A library whose vfork comes between dftrace's and libc's. It sends the process SIGUSR1 first, and
 * prints what the stack looks like if SHIM_BACKTRACE is set. With SHIM_FAILS, it fails with EAGAIN.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>

static int is_inside;

/* Returns libc's vfork, or NULL if the call is to fail. */
__attribute__((used)) static void *before_vfork(void)
{
    void *frames[32];

    if (getenv("SHIM_FAILS")) {
        errno = EAGAIN;
        return NULL;
    }
    if (!is_inside) {
        is_inside = 1;
        raise(SIGUSR1);
        if (getenv("SHIM_BACKTRACE"))
            backtrace_symbols_fd(frames, backtrace(frames, 32), 1);
        is_inside = 0;
    }
    return dlsym(RTLD_NEXT, "vfork");
}

__asm__(".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        ".cfi_startproc\n"
        "subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call before_vfork\n"
        "addq $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "testq %rax, %rax\n"
        "jz 1f\n"
        "jmp *%rax\n"
        "1: movl $-1, %eax\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size vfork, . - vfork\n");
