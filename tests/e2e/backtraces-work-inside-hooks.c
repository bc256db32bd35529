// A backtrace that is taken while a hook runs is complete: the test steps through each instruction
// of the hooks, and from each of them the backtrace reaches main.
//
// RUN: echo traced > allow.txt
// RUN: for flags in "-O2 -fomit-frame-pointer" "-O0" "-O2 -ffunction-sections"; do \
// RUN:   rm -f trace-*; %cc $flags %support %plugin %allow=allow.txt %s -o program %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./program > out.txt || { cat out.txt; exit 1; }; \
// RUN:   FileCheck %s < out.txt || exit 1; \
// RUN:   %check-trace trace-*.pfw.gz --count traced=3 || exit 1; \
// RUN: done
// CHECK: steps in hooks: {{[0-9][0-9]+}}, without main: 0

#define _GNU_SOURCE
#include "step.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

int main(void);

static unsigned steps, lost;

static int is_hook(void *at)
{
    Dl_info info;

    return dladdr(at, &info) && info.dli_sname &&
           strncmp(info.dli_sname, "__dftrace_quick", 15) == 0;
}

static void look(int signal, siginfo_t *info, void *context)
{
    void *stack[64];
    int found = 0;

    (void)signal, (void)info;
    if (!is_hook((void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]))
        return;
    int depth = backtrace(stack, 64);
    for (int i = 0; i < depth; i++)
        found |= (char *)stack[i] > (char *)main && (char *)stack[i] < (char *)main + 0x400;
    steps++;
    lost += !found;
}

__attribute__((noinline)) static long traced(volatile long *x)
{
    return *x += 1;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};
    volatile long x = 0;
    void *warm[4];

    backtrace(warm, 4); /* loads libgcc */
    sigaction(SIGTRAP, &action, NULL);
    traced(&x); /* the first call blocks signals for a while, and a blocked SIGTRAP would kill */
    set_stepping(1);
    traced(&x);
    traced(&x);
    set_stepping(0);
    printf("steps in hooks: %u, without main: %u\n", steps, lost);
    return lost != 0 || x != 3;
}
