/* Reads /proc/PID/stat. Any thread; no heap. */
#include "os/process.h"
#include "os/file_status.h"
#include "os/small_file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *dft_process_field(const char *text, enum dft_process_field field)
{
    /* The second field, the name in parentheses, may contain spaces and parentheses. */
    const char *at = strrchr(text, ')');

    for (int i = DFT_PROCESS_STATE - 1; at && i < (int)field; i++) {
        at = strchr(at, ' ');
        if (at)
            at++;
    }
    return at;
}

static uint64_t read_number(const char *text, enum dft_process_field field)
{
    const char *at = dft_process_field(text, field);

    return at ? strtoull(at, NULL, 10) : 0;
}

bool dft_process_read_status(int32_t pid, struct dft_process_status *status)
{
    char path[32], text[1024];

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (dft_small_file_read(path, text, sizeof text) <= 0)
        return false;
    const char *state = dft_process_field(text, DFT_PROCESS_STATE);
    if (!state || !dft_process_field(text, DFT_PROCESS_BORN))
        return false;
    status->state = *state;
    status->threads = read_number(text, DFT_PROCESS_THREADS);
    status->born = read_number(text, DFT_PROCESS_BORN);
    status->ended_by = (int)read_number(text, DFT_PROCESS_EXIT_STATUS);
    return true;
}

bool dft_process_is_dead(int32_t pid)
{
    struct dft_process_status status;

    if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH))
        return true;
    /* A main thread that has ended while other threads run on is a zombie, too. */
    return dft_process_read_status(pid, &status) && (status.state == 'Z' || status.state == 'X') &&
           status.threads <= 1;
}

uint64_t dft_process_own_pid_namespace(void)
{
    struct stat status;

    return dft_file_status_at(AT_FDCWD, "/proc/self/ns/pid", &status, 0) == 0
               ? (uint64_t)status.st_ino
               : 0;
}
