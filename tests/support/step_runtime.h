/* For programs that single-step themselves through the runtime: where its code is. */
#ifndef STEP_RUNTIME_H
#define STEP_RUNTIME_H

#include "step.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

static char *runtime_begin, *runtime_end, *mask_function;

static int note_runtime(struct dl_phdr_info *info, size_t size, void *unused)
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

/* Calls `handler` for each instruction from set_stepping(1) on; 0 if there is no runtime. */
static int handle_steps(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    dl_iterate_phdr(note_runtime, NULL);
    mask_function = dlsym(RTLD_DEFAULT, "pthread_sigmask");
    return runtime_begin && mask_function && sigaction(SIGTRAP, &action, NULL) == 0;
}

/*
 * Whether the handler has interrupted the runtime. Stepping ends where the runtime blocks signals:
 * a blocked SIGTRAP would kill the program.
 */
static int is_in_runtime(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    char *at = (char *)registers[REG_RIP];

    if (at >= mask_function && at < mask_function + 64)
        registers[REG_EFL] &= ~0x100;
    return at >= runtime_begin && at < runtime_end;
}

/* No step after this one: programs that step through the same code again and again save half of them. */
__attribute__((unused)) static void stop_stepping(void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
}

#endif
