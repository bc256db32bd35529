// While the spool is full and calls are dropped, hooks make no system calls, except when they look
// for room again, every few thousand calls. A signal handler may make calls between any two of
// their instructions. Every call is in the trace or counted as dropped.
//
// REQUIRES: x86-64
// RUN: printf 'f\ng\n' > allow.txt
// RUN: %cc -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: printf "[args]\nf\n[trace]\ng\n" > values.txt
// RUN: %cc -O2 -pthread %support %plugin %allow=values.txt %s -o values %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=1M DFTRACER_WHEN_FULL=drop
// RUN: for prog in prog values; do ./$prog > made.txt || exit 1; \
// RUN:   zcat trace-$prog-*.pfw.gz > trace.txt || exit 1; \
// RUN:   grep -cE '"name":"[fg]","cat"' trace.txt > kept.txt || exit 1; \
// RUN:   sed -n 's/.*"num_events".*"dropped":\([0-9]*\).*/\1/p' trace.txt > dropped.txt || exit 1; \
// RUN:   test $(($(cat kept.txt) + $(cat dropped.txt))) = $(cat made.txt) || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include "step.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define FILLING 200000 /* calls: three times as many as the spool has room for */
#define WATCHED 200000
#define STEPPED 300
#define CALLS_MAX (WATCHED / 5000) /* system calls */

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static _Atomic int disk_is_stuck = 1, has_ended;
static volatile long calls_of_f, calls_of_g;
static volatile int system_calls;
static char *hooks_begin, *hooks_end;
extern char __executable_start, etext;

/* The writer's: as long as the disk is stuck, no chunk becomes free. */
ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    while (disk_is_stuck)
        usleep(1000);
    return syscall(SYS_pwrite64, fd, data, size, at);
}

__attribute__((noinline)) static void f(int x)
{
    calls_of_f += x;
}

__attribute__((noinline)) static void g(void)
{
    calls_of_g++;
}

/* A guard would block SIGTRAP, which would kill: stepping ends where the hook is left. */
static void step(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    char *at = (char *)registers[REG_RIP];

    (void)signal, (void)info;
    if (at >= hooks_begin && at < hooks_end)
        g();
    else if (at < &__executable_start || at >= &etext)
        registers[REG_EFL] &= ~0x100;
}

static void count_system_call(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    system_calls++;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 0;
}

/* Raises SIGSYS in place of every system call of this thread from now on, except for clocks. */
static void catch_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_rt_sigreturn),
        ALLOW(SYS_clock_gettime),
        ALLOW(SYS_getrusage),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void *run(void *unused)
{
    for (int i = 0; i < FILLING; i++)
        f(1);
    for (int i = 0; i < STEPPED; i++) {
        set_stepping(1);
        f(1);
        set_stepping(0);
    }
    catch_system_calls();
    for (int i = 0; i < WATCHED; i++)
        f(1);
    has_ended = 1;
    while (1)
        __builtin_ia32_pause();
    return unused;
}

int main(void)
{
    struct sigaction stepping = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    struct sigaction counting = {.sa_sigaction = count_system_call, .sa_flags = SA_SIGINFO};
    pthread_t thread;

    hooks_begin = dlsym(RTLD_DEFAULT, "__dftrace_quick_enter");
    hooks_end = (char *)dlsym(RTLD_DEFAULT, "__dftrace_quick_exit") + 0xa0;
    sigaction(SIGTRAP, &stepping, NULL);
    sigaction(SIGSYS, &counting, NULL);
    pthread_create(&thread, NULL, run, NULL);
    while (!has_ended)
        usleep(1000);
    disk_is_stuck = 0;
    fprintf(stderr, "%d system calls, %ld calls by handlers\n", system_calls, calls_of_g);
    printf("%ld\n", calls_of_f + calls_of_g);
    return calls_of_g == 0 || system_calls > CALLS_MAX;
}
