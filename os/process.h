/* Processes as /proc shows them, and descriptors of processes. No heap. */
#ifndef DFT_OS_PROCESS_H
#define DFT_OS_PROCESS_H

#include "os/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* Fields of /proc/PID/stat, numbered as in proc(5). */
enum dft_process_field {
    DFT_PROCESS_STATE = 3,
    DFT_PROCESS_MINOR_FAULTS = 10,
    DFT_PROCESS_MAJOR_FAULTS = 12,
    DFT_PROCESS_USER_TICKS = 14,
    DFT_PROCESS_SYSTEM_TICKS = 15,
    DFT_PROCESS_THREADS = 20,
    DFT_PROCESS_BORN = 22,
    DFT_PROCESS_EXIT_STATUS = 52,
};

/* Finds a field in the text of /proc/PID/stat; NULL if there are fewer fields. */
const char *dft_process_field(const char *text, enum dft_process_field field);

struct dft_process_status {
    char state; /* as in proc(5): Z is a zombie */
    uint64_t threads;
    uint64_t born; /* in clock ticks since boot */
    int ended_by;  /* as in wait(2); valid if the main thread has ended */
};

/* False if /proc does not show the process. */
bool dft_process_read_status(int32_t pid, struct dft_process_status *status);

/* Whether there is no such process, or only a zombie. */
bool dft_process_is_dead(int32_t pid);

/* The inode number of the caller's pid namespace; 0 if it is unknown. */
uint64_t dft_process_own_pid_namespace(void);

/*
 * A descriptor of a process, which is readable when the process has ended; -1 with errno on kernels
 * before 5.3.
 */
static inline int dft_process_descriptor(int32_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* A copy of the process's descriptor `fd`; -1 with errno on kernels before 5.6. */
static inline int dft_process_copy_descriptor(int process, int fd)
{
    return (int)syscall(SYS_pidfd_getfd, process, fd, 0);
}

#endif
