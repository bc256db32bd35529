/*
 * The control channel: one thread that sleeps in accept(). All signals are blocked in it, it runs
 * no hook, and its table of descriptors is its own: the program neither sees nor closes its socket.
 *
 * A request comes from a process of the same user or of root, or it is refused. It is one packet of
 * text; what is not understood is answered by an error and changes nothing.
 */
#include "runtime/control.h"
#include "dftrace/control.h"
#include "runtime/filter.h"
#include "runtime/guard.h"
#include "runtime/lifecycle.h"
#include "runtime/log.h"
#include "runtime/ownheap.h"
#include "runtime/session.h"
#include "runtime/sites.h"
#include "runtime/switches.h"
#include "runtime/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define STACK_SIZE (256u << 10)
#define PATIENCE_S 2 /* for a client that says nothing */
#define SHOW_WAIT_NS 25000000L
#define SHOW_WAITS_MOST 400 /* ten seconds; who asks waits a little longer */

static _Atomic bool running, listening;
static bool stopped; /* below the lock of lifecycle.c */

struct answer {
    char text[DFTRACE_CONTROL_MOST];
};

static void say(struct answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct answer *answer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(answer->text, sizeof answer->text, format, arguments);
    va_end(arguments);
}

static void switch_recording(bool on, struct answer *answer)
{
    if (!dft_switches_ask(on) && on)
        say(answer, "error recording cannot begin: no room for the spool or the trace");
    else
        say(answer, "ok");
}

static void tell_status(struct answer *answer)
{
    bool begun = atomic_load(&dft_session.state) == DFT_SESSION_ON;
    unsigned all, chosen;

    dft_sites_count(&all, &chosen);
    say(answer, "ok recording=%s functions=%u chosen=%u trace=%s",
        dft_switches_are_paused()  ? "paused"
        : dft_switches_are_asked() ? "on"
                                   : "off",
        all, chosen, begun ? dft_session.spool.header->trace.path : "none");
}

/* By the writer, in this process or in another. */
static enum dft_show show_trace(struct dft_spool *spool)
{
    _Atomic uint32_t *show = &spool->header->show;

    /* The rate of the clock is known only after a while. */
    nanosleep(&(struct timespec){0, SHOW_WAIT_NS}, NULL);
    atomic_store(show, DFT_SHOW_ASKED);
    for (unsigned i = 0; i < SHOW_WAITS_MOST && atomic_load(show) == DFT_SHOW_ASKED; i++) {
        dft_spool_wake(spool);
        nanosleep(&(struct timespec){0, SHOW_WAIT_NS}, NULL);
    }
    return (enum dft_show)atomic_load(show);
}

static void flush(struct answer *answer)
{
    if (atomic_load(&dft_session.state) != DFT_SESSION_ON) {
        say(answer, "ok trace=none");
        return;
    }
    struct dft_spool *spool = &dft_session.spool;
    const char *path = spool->header->trace.path;
    switch (show_trace(spool)) {
    case DFT_SHOW_DONE:
        say(answer, "ok trace=%s", path);
        break;
    case DFT_SHOW_FAILED:
        say(answer, "error the trace cannot be written: %s", path);
        break;
    default:
        say(answer, "error the writer does not get on");
    }
}

static void set_allowlist(const char *path, struct answer *answer)
{
    struct dft_allowlist_error error = {0};
    bool loaded = false;

    if (dft_heap_lock()) {
        loaded = dft_filter_load(path, &error);
        dft_heap_unlock();
    }
    if (loaded) {
        dft_sites_relist();
        say(answer, "ok");
    } else if (error.line) {
        say(answer, "error %s:%u:%u: %s", path, error.line, error.column, error.message);
    } else {
        say(answer, "error %s: %s", path, error.message);
    }
}

static void obey(const char *request, struct answer *answer)
{
    if (stopped)
        say(answer, "error the program is ending");
    else if (strcmp(request, "on") == 0)
        switch_recording(true, answer);
    else if (strcmp(request, "off") == 0)
        switch_recording(false, answer);
    else if (strcmp(request, "status") == 0)
        tell_status(answer);
    else if (strcmp(request, "flush") == 0)
        flush(answer);
    else if (strncmp(request, "set /", 5) == 0)
        set_allowlist(request + 4, answer);
    else
        say(answer, "error unknown request");
}

static bool may_ask(int client)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

/*
 * Nobody is waited for who may not ask: meanwhile those who may would not be heard. What has come
 * already is taken, or the answer would be lost with it.
 */
static void refuse(int client)
{
    static const char answer[] = "error only the program's own user and root may ask";
    char byte;

    send(client, answer, strlen(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(client, SHUT_RD);
    while (recv(client, &byte, 1, MSG_DONTWAIT) > 0)
        ;
}

static void serve(int client)
{
    static struct answer answer; /* one client at a time */
    static char request[DFTRACE_CONTROL_MOST + 1];
    struct timeval patience = {PATIENCE_S, 0};
    struct dft_guard guard;

    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    ssize_t length = recv(client, request, sizeof request, MSG_TRUNC);
    if (length <= 0)
        return;
    if ((size_t)length >= sizeof request || memchr(request, 0, (size_t)length)) {
        say(&answer, "error unknown request");
    } else {
        request[length] = '\0';
        dft_lifecycle_lock(&guard);
        obey(request, &answer);
        dft_lifecycle_unlock(&guard);
    }
    send(client, answer.text, strlen(answer.text), MSG_NOSIGNAL);
}

static int listen_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat space = {0};

    stat("/proc/self/ns/pid", &space);
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, DFTRACE_CONTROL_NAME,
                          (long)getpid(), (unsigned long long)space.st_ino);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 16) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The table is this thread's own by now: whatever the program has open is not its business. */
static int listen_alone(void)
{
    if (syscall(SYS_close_range, 0, ~0u, 0) != 0)
        for (int fd = (int)sysconf(_SC_OPEN_MAX); fd >= 0; fd--)
            close(fd);
    return listen_socket();
}

static void *run(void *unused)
{
    (void)unused;
    dft_busy = true;
    pthread_setname_np(pthread_self(), "dftrace-control");
    int listener = unshare(CLONE_FILES) == 0 ? listen_alone() : -1;
    atomic_store(&running, listener >= 0);
    atomic_store(&listening, true);
    while (listener >= 0) {
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (client >= 0) {
            if (may_ask(client))
                serve(client);
            else
                refuse(client);
            close(client);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            break;
        }
    }
    atomic_store(&running, false);
    return NULL;
}

void dft_control_start(void)
{
    pthread_attr_t attributes;
    struct dft_guard guard;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    dft_guard_enter(&guard);
    atomic_store(&running, true);
    atomic_store(&listening, false);
    int error = pthread_create(&thread, &attributes, run, NULL);
    dft_guard_leave(&guard);
    pthread_attr_destroy(&attributes);
    /* Whoever has started the program may ask at once. */
    while (!error && !atomic_load(&listening))
        sched_yield();
    if (error)
        atomic_store(&running, false);
    if (!atomic_load(&running))
        dft_log(DFT_LEVEL_ERROR, "cannot start the control channel: %s",
                error ? dft_log_error_text(error) : "no socket");
}

void dft_control_in_child(void)
{
    if (atomic_load(&running))
        dft_control_start();
}

void dft_control_stop(void)
{
    struct dft_guard guard;

    if (!atomic_load(&running))
        return;
    dft_lifecycle_lock(&guard);
    stopped = true;
    dft_lifecycle_unlock(&guard);
}

unsigned dft_control_threads(void)
{
    return atomic_load(&running);
}
