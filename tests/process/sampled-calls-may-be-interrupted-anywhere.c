// A signal handler that makes calls interrupts the runtime between any two instructions while it
// records a sampled call. Each instruction is stepped through, across several chunks, with handlers
// whose own calls are sampled or not. Every call is recorded once.
//
// RUN: printf '[sample]\nf\ng\n' > all.txt
// RUN: printf 'g\n[sample]\nf\n' > some.txt
// RUN: for allow in some all; do \
// RUN:   rm -f trace-*; %cc -O2 %support %plugin %allow=$allow.txt %s -o program %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./program > counts.txt || exit 1; \
// RUN:   %check-trace trace-*.pfw.gz $(cat counts.txt) || exit 1; \
// RUN:   zcat trace-*.pfw.gz | grep -c '"name":"f".*"tdur"' | grep -x 41 || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include "step.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define CALLS 40

static char *runtime_begin, *runtime_end, *mask_function;
static volatile long calls_of_f, calls_of_g, steps;

__attribute__((noinline)) static void g(void)
{
    calls_of_g++;
}

__attribute__((noinline)) static void f(void)
{
    calls_of_f++;
}

/* Where the runtime blocks signals, a blocked SIGTRAP would kill: stepping ends there. */
static void step(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    char *at = (char *)registers[REG_RIP];

    (void)signal, (void)info;
    if (at >= runtime_begin && at < runtime_end) {
        steps++;
        g();
    } else if (at >= mask_function && at < mask_function + 64) {
        registers[REG_EFL] &= ~0x100;
    }
}

static int find_runtime(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "libdftrace.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            runtime_begin = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            runtime_end = runtime_begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};

    dl_iterate_phdr(find_runtime, NULL);
    mask_function = dlsym(RTLD_DEFAULT, "pthread_sigmask");
    if (!runtime_begin || !mask_function)
        return 2;
    sigaction(SIGTRAP, &action, NULL);
    f(); /* the first calls block signals */
    g();
    for (int i = 0; i < CALLS; i++) {
        set_stepping(1);
        f();
        set_stepping(0);
    }
    printf("--count f=%ld --count g=%ld\n", calls_of_f, calls_of_g);
    return steps < CALLS * 100L;
}
