/*
 * Calls that start programs and processes, and wait for them. See table.h. exec is intercepted by
 * the runtime, which reports it to us.
 *
 * A fork has no frame while it lasts, since the child would inherit it. It is recorded in the
 * parent, when it has returned there. vfork.c has vfork.
 */
#include "io/process.h"
#include "io/table.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/process.def"

DFT_IO_EXPORT pid_t fork(void)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fork];
    uint64_t start = site->on && dft_io_owns_descriptors() ? __dftrace_io_now() : 0;
    pid_t ret = DFT_IO_NEXT(fork)();
    int error = DFT_IO_ERROR_MINUS;
    const struct dft_io_file file = {.fd = DFT_IO_NO_FD};

    if (start && ret != 0)
        dft_io_note(site, start, &file, DFT_IO_VALUES(V(ret, ret)), 1, error);
    return ret;
}

/* --- exec ------------------------------------------------------------------------------------- */

static void record_exec(int directory, const char *path, uint64_t start,
                        const struct dft_io_value *values, size_t count, int error)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_execve];
    struct dft_io_file file = {.fd = DFT_IO_NO_FD};
    char text[DFT_IO_NAME_ROOM];

    if (!site->on || !start)
        return;
    if (dft_io_name_make(directory, path, text))
        file = (struct dft_io_file){
            .entry = dft_io_name_entry(text, false), .fd = DFT_IO_NO_FD, .text = text};
    if (!(file.entry & DFT_IO_EXCLUDED))
        dft_io_note(site, start, &file, values, count, error);
}

static void exec_begins(int directory, const char *path)
{
    record_exec(directory, path, __dftrace_io_now(), DFT_IO_VALUES(NO_VALUES), 1, 0);
}

static void exec_failed(int directory, const char *path, uint64_t start, int error)
{
    record_exec(directory, path, start, DFT_IO_VALUES(V(ret, -1)), 1, error);
}

const struct dft_io_observer dft_io_observers = {exec_begins, exec_failed};
