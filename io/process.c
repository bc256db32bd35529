/*
 * Calls that start programs and processes, and wait for them. See table.h. exec is intercepted by
 * the runtime, which reports it to us.
 *
 * A fork has no frame while it lasts, since the child would inherit it. It is recorded in the
 * parent, when it has returned there. vfork.c has vfork.
 */
#include "io/process.h"
#include "io/table.h"

#include <pty.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include "io/process.def"

static void end_fork(uint64_t start, pid_t ret, int error)
{
    const struct dft_io_file file = {.fd = DFT_IO_NO_FD};

    if (start && ret != 0)
        dft_io_note(&dft_io_sites[DFT_IO_EVENT_fork], start, &file, DFT_IO_VALUES(V(ret, ret)), 1,
                    error);
}

static uint64_t begin_fork(void)
{
    return dft_io_sites[DFT_IO_EVENT_fork].on && dft_io_owns_descriptors() ? __dftrace_io_now() : 0;
}

DFT_IO_EXPORT pid_t fork(void)
{
    uint64_t start = begin_fork();
    pid_t ret = DFT_IO_NEXT(fork)();

    end_fork(start, ret, DFT_IO_ERROR_MINUS);
    return ret;
}

/*
 * --- terminals --------------------------------------------------------------------------------
 *
 * Inside libc, login_tty closes its argument and makes the descriptors 0 to 2 copies of it. So does
 * forkpty in the child.
 */

DFT_IO_EXPORT pid_t forkpty(int *terminal, char *name, const struct termios *settings,
                            const struct winsize *size)
{
    uint64_t start = begin_fork();
    pid_t ret = DFT_IO_NEXT(forkpty)(terminal, name, settings, size);
    int error = DFT_IO_ERROR_MINUS;

    if (ret == 0)
        dft_io_descriptors_forget(STDIN_FILENO, STDERR_FILENO);
    end_fork(start, ret, error);
    return ret;
}

DFT_IO_EXPORT int login_tty(int fd)
{
    int ret = DFT_IO_NEXT(login_tty)(fd);

    dft_io_descriptors_forget(STDIN_FILENO, STDERR_FILENO);
    if (fd > STDERR_FILENO)
        dft_io_descriptor_forget(fd);
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
