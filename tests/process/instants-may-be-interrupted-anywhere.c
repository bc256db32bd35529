// Between any two instructions that record an instant, a signal handler fills the chunk in which the instant was about to be recorded,
// and waits for the writer to take it. No instant and no call is lost or recorded twice.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: echo g > allow.txt
// RUN: %cc -O2 -I%include %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=256k timeout -s KILL 100 ./prog > counts.txt
// RUN: zcat trace-*.pfw.gz > trace.txt && grep -c '"name":"g","cat"' trace.txt | grep -x "$(sed -n 1p counts.txt)"
// RUN: grep '"ph":"i"' trace.txt | grep -c '"name":"s"' | grep -x "$(sed -n 2p counts.txt)"

#define _GNU_SOURCE
#include "step.h"

#include <dftrace/dftrace.h>
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define BURST 4200 /* records; a chunk has 4096 of them */

static char *runtime_begin, *runtime_end, *mask_function;
static volatile long calls, steps, at_step;

__attribute__((noinline)) static void g(void)
{
    calls++;
}

/* Where the runtime blocks signals, a blocked SIGTRAP would kill: there it is over. */
static void step(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    char *at = (char *)registers[REG_RIP];

    (void)signal, (void)info;
    if (at >= runtime_begin && at < runtime_end) {
        if (steps++ != at_step)
            return;
        for (int i = 0; i < BURST; i++)
            g();
        usleep(3000);
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
    long rounds = 0;

    dl_iterate_phdr(find_runtime, NULL);
    mask_function = dlsym(RTLD_DEFAULT, "pthread_sigmask");
    if (!runtime_begin || !mask_function)
        return 2;
    sigaction(SIGTRAP, &action, NULL);
    g();
    dftrace_instant("s"); /* the first one blocks signals */
    do {
        for (int i = 0; i < 16; i++) /* there is room in the chunk */
            g();
        at_step = rounds++;
        steps = 0;
        set_stepping(1);
        dftrace_instant("s");
        set_stepping(0);
    } while (steps > at_step);
    printf("%ld\n%ld\n", calls, rounds + 1);
    return rounds < 100;
}
