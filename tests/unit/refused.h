/* A kernel that refuses a system call, for tests in a process of their own: it cannot be undone. */
#ifndef DFT_REFUSED_H
#define DFT_REFUSED_H

#include "unit.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* From now on, the call fails with EINVAL if this argument of it is between `least` and `most`. */
static inline bool refuse_call(uint32_t number, unsigned argument, uint32_t least, uint32_t most)
{
    uint32_t at = (uint32_t)(offsetof(struct seccomp_data, args) + 8 * argument);
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, least, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, most, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 22 /* EINVAL */),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Runs a test in a child process. What fails there also fails here. */
static inline void run_in_child(void (*test)(void))
{
    int status = 1;
    unsigned failures = unit_failures;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        test();
        fflush(stdout);
        _exit(unit_failures != failures);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
}

#endif
