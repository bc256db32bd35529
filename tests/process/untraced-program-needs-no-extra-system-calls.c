// A program that is linked with the runtime but not traced makes no additional system calls: a
// seccomp filter that allows it to write and to exit is sufficient, whichever function it exits by.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: mkdir static && %cc -O2 -static %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: for prog in ./prog static/prog; do for way in exit _exit _Exit quick_exit signal; do \
// RUN:   code=0; $prog $way > said.txt || code=$?; echo $prog $way $code; test $code = 5 && grep -x sandboxed said.txt || exit 1; done; done

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void enter_sandbox(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_write),
        ALLOW(SYS_exit_group),
        ALLOW(SYS_rt_sigaction),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    (void)argc;
    enter_sandbox();
    for (int i = 0; i < 100000; i++)
        work(i);
    if (write(1, "sandboxed\n", 10) != 10)
        return 1;
    if (strcmp(argv[1], "_exit") == 0)
        _exit(5);
    if (strcmp(argv[1], "_Exit") == 0)
        _Exit(5);
    if (strcmp(argv[1], "quick_exit") == 0)
        quick_exit(5);
    if (strcmp(argv[1], "signal") == 0)
        signal(SIGTERM, SIG_IGN);
    return 5;
}
