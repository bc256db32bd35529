/*
 * After the main thread has ended by pthread_exit, libc calls exit(0) in the last thread that ends.
 * The writer's thread would be that last one, and it does not end. So from then on a thread of ours
 * watches how many are left, and calls exit(0) when the program's are all gone.
 *
 * Not the writer's thread: it has none of the program's descriptors, and exit() flushes stdio.
 */
#include "runtime/lastthread.h"
#include "runtime/host.h"
#include "runtime/process.h"
#include "runtime/session.h"
#include "runtime/thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 5000000

/* The main thread, which the kernel keeps as long as there are others, and this one. */
#define ALWAYS_THERE 2

#define STATE_FIELD 3
#define THREADS_FIELD 20

/* From /proc/self/stat; 0 where that cannot be read, or the main thread still runs. */
static long count_threads(void)
{
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    /* The name in parentheses may hold anything. */
    const char *at = strrchr(text, ')');
    for (int field = STATE_FIELD; at && field <= THREADS_FIELD; field++) {
        at = strchr(at + 1, ' ');
        if (at && field == STATE_FIELD && at[1] != 'Z')
            return 0;
    }
    return at ? strtol(at, NULL, 10) : 0;
}

static sigset_t mask_of_main;

static void *watch(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "dftrace-exit");
    while (count_threads() != ALWAYS_THERE + (long)dft_host_threads())
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    /* Another thread is ending the process, and the writer has gone before it. */
    if (atomic_load(&dft_session.state) != DFT_SESSION_ON)
        return NULL;
    pthread_sigmask(SIG_SETMASK, &mask_of_main, NULL);
    exit(0);
}

void dft_lastthread_main_ends(void)
{
    struct dft_guard guard;
    pthread_t thread;

    if (syscall(SYS_gettid) != getpid() || dft_process_kind() != DFT_PROCESS_OWN ||
        atomic_load(&dft_session.state) != DFT_SESSION_ON || dft_session_is_hosted())
        return;
    dft_guard_enter(&guard);
    mask_of_main = guard.signals;
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
    dft_guard_leave(&guard);
}
