// A thread that ends by the system call itself, or is killed by a seccomp filter, runs no
// destructor. The process ends nevertheless, with the same status, and its trace is complete.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog alone killed

#include "death.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void forbid_chroot(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_chroot, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    (void)argc;
    for (int i = 0; i < 100; i++) {
        work(i);
        tally("work")->completed++;
    }
    tally("main")->unfinished++;
    if (strcmp(argv[1], "killed") == 0) {
        forbid_chroot();
        syscall(SYS_chroot, "/");
    }
    syscall(SYS_exit, 5);
}
