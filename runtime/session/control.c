/*
 * The control channel: one thread that sleeps in accept(). All signals are blocked in it, it runs
 * no hooks, and it has a descriptor table of its own: the program neither sees nor closes its
 * socket.
 *
 * A request must come from a process of the same user or of root. It is one packet of text. A
 * request that is not understood gets an error as its answer and changes nothing.
 *
 * Clients may stall, and so may file systems. The thread holds no lock while it waits for a client,
 * and opens no file for one: an allowlist is sent as sealed memory.
 */
#include "runtime/session/control.h"
#include "dftrace/control.h"
#include "os/descriptor.h"
#include "os/file_status.h"
#include "os/own_thread.h"
#include "os/page.h"
#include "os/process.h"
#include "os/time.h"
#include "runtime/api/switches.h"
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/base/log.h"
#include "runtime/base/private_heap.h"
#include "runtime/guest/guest_sites.h"
#include "runtime/library.h"
#include "runtime/session/flush.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/run_allowlist.h"
#include "runtime/sites/sites.h"
#include "runtime/sites/unmatched_rules.h"
#include "writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ACCEPT_AGAIN_NS 50000000
#define PATIENCE_S 2 /* for a client that sends nothing */

#define STOP_WAIT_NS 5000000L
#define STOP_WAITS_MAX 3000 /* fifteen seconds: longer than a flush may take */

static _Atomic bool running, listening, stopped;
static bool ran_in_parent;

/* Held while a request is carried out. Before a process ends, it waits for this lock. */
static pthread_mutex_t one_request = PTHREAD_MUTEX_INITIALIZER;

struct request {
    char text[DFTRACE_CONTROL_MAX + 1];
    int list; /* descriptor of the allowlist; -1: none was sent */
};

struct answer {
    char text[DFTRACE_CONTROL_MAX];
};

/* The text of an allowlist, in a mapping of its own. */
struct list {
    char *text;
    size_t length;
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
    struct dft_guard guard;

    dft_library_lock(&guard);
    bool done = dft_switches_ask(on);
    dft_library_unlock(&guard);
    if (!done)
        say(answer, "error recording cannot begin: no room for the spool or the trace");
    else
        say(answer, "ok");
}

static void report_status(struct answer *answer)
{
    struct dft_guard guard;
    unsigned all, chosen;

    dft_library_lock(&guard);
    bool begun = atomic_load(&dft_session.state) == DFT_SESSION_ON;
    dft_sites_count(&all, &chosen);
    say(answer, "ok recording=%s functions=%u chosen=%u trace=%s",
        dft_switches_are_paused()  ? "paused"
        : dft_switches_are_asked() ? "on"
                                   : "off",
        all, chosen, begun ? dft_session.spool.header->trace.path : "none");
    dft_library_unlock(&guard);
}

static void flush(struct answer *answer)
{
    if (atomic_load(&dft_session.state) != DFT_SESSION_ON) {
        say(answer, "ok trace=none");
        return;
    }
    const char *path = dft_session.spool.header->trace.path;
    switch (dft_flush_ask()) {
    case DFT_SHOW_DONE:
        say(answer, "ok trace=%s", path);
        break;
    case DFT_SHOW_FAILED:
        say(answer, "error the trace cannot be written: %s", path);
        break;
    default:
        say(answer, "error the writer is not making progress");
    }
}

/* --- set ------------------------------------------------------------------------------------ */

/*
 * Only memory files can have these seals. So reading does not block, and nobody can change the
 * contents.
 */
static bool is_sealed_memory(int fd)
{
    const int wanted = F_SEAL_WRITE | F_SEAL_SHRINK;
    int seals = fcntl(fd, F_GET_SEALS);

    return seals >= 0 && (seals & wanted) == wanted;
}

static bool read_list(int fd, struct list *list)
{
    struct stat status;
    size_t done = 0;
    ssize_t count = 1;

    if (!is_sealed_memory(fd) || dft_file_status(fd, &status) != 0 || status.st_size > DFT_FILE_MAX)
        return false;
    list->length = (size_t)status.st_size;
    list->text = mmap(NULL, dft_page_round_up(list->length + 1), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list->text == MAP_FAILED)
        return false;
    for (; done < list->length && count > 0; done += (size_t)count)
        count = pread(fd, list->text + done, list->length - done, (off_t)done);
    if (count > 0)
        return true;
    munmap(list->text, dft_page_round_up(list->length + 1));
    return false;
}

static void use_list(const char *path, const struct list *list, struct answer *answer)
{
    struct dft_allowlist_error error = {0};
    unsigned all, chosen;
    bool used = false;

    if (dft_private_heap_lock()) {
        used = dft_run_allowlist_set(list->text, list->length, &error);
        dft_private_heap_unlock();
    }
    if (used) {
        dft_sites_relist();
        dft_sites_count(&all, &chosen);
        say(answer, "ok functions=%u chosen=%u", all, chosen);
        dft_unmatched_rules_append(answer->text, sizeof answer->text);
    } else if (error.line) {
        say(answer, "error %s:%u:%u: %s", path, error.line, error.column, error.message);
    } else {
        say(answer, "error %s: %s", path, error.message);
    }
}

/* The path is used only in messages. */
static void set_allowlist(const char *path, int fd, struct answer *answer)
{
    struct dft_guard guard;
    struct list list;

    if (fd < 0) {
        say(answer,
            "error the contents of %s are missing: this `dftrace ctl` is older than the "
            "program's runtime",
            path);
    } else if (!read_list(fd, &list)) {
        say(answer, "error the contents of %s cannot be read", path);
    } else {
        dft_library_lock(&guard);
        use_list(path, &list, answer);
        dft_library_unlock(&guard);
        munmap(list.text, dft_page_round_up(list.length + 1));
        if (strncmp(answer->text, "ok", 2) == 0)
            dft_guest_sites_relisted();
    }
}

/* --- requests ------------------------------------------------------------------------------- */

static void obey(const struct request *request, struct answer *answer)
{
    const char *text = request->text;

    if (atomic_load(&stopped))
        say(answer, "error the program is ending");
    else if (strcmp(text, "on") == 0)
        switch_recording(true, answer);
    else if (strcmp(text, "off") == 0)
        switch_recording(false, answer);
    else if (strcmp(text, "status") == 0)
        report_status(answer);
    else if (strcmp(text, "flush") == 0)
        flush(answer);
    else if (strncmp(text, "set /", 5) == 0)
        set_allowlist(text + 4, request->list, answer);
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
 * Answers without waiting, so that a refused client cannot delay others. The client's packet must
 * be read: with unread data, close() would discard the answer.
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

/* Returns the first descriptor of a packet, and closes all others. */
static int take_descriptor(struct msghdr *message)
{
    int first = -1;

    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= header->cmsg_len; at += sizeof(int)) {
            int fd;
            memcpy(&fd, (char *)header + at, sizeof fd);
            if (first < 0)
                first = fd;
            else
                close(fd);
        }
    }
    return first;
}

/* False if the client sends nothing. A malformed packet becomes an empty request. */
static bool receive(int client, struct request *request)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec buffer = {request->text, sizeof request->text};
    struct msghdr message = {.msg_iov = &buffer,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    ssize_t length = recvmsg(client, &message, MSG_TRUNC | MSG_CMSG_CLOEXEC);

    if (length < 0)
        return false;
    request->list = take_descriptor(&message);
    bool sensible =
        (size_t)length < sizeof request->text && !memchr(request->text, 0, (size_t)length);
    request->text[sensible ? length : 0] = '\0';
    return length > 0;
}

static void serve(int client)
{
    static struct answer answer; /* one client at a time */
    static struct request request;
    struct timeval patience = {PATIENCE_S, 0};

    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    request.list = -1;
    if (receive(client, &request)) {
        pthread_mutex_lock(&one_request);
        obey(&request, &answer);
        pthread_mutex_unlock(&one_request);
        send(client, answer.text, strlen(answer.text), MSG_NOSIGNAL);
    }
    if (request.list >= 0)
        close(request.list);
}

static int listen_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length =
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, DFTRACE_CONTROL_NAME,
                 (long)dft_kernel_pid(), (unsigned long long)dft_process_own_pid_namespace());
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 16) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/*
 * Called when this thread has a descriptor table of its own: closes its copies of the program's
 * descriptors, then listens.
 */
static int listen_alone(void)
{
    if (!dft_descriptor_close_range(0, ~0u, 0))
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
        } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
            break;
        } else if (errno != EINTR && errno != ECONNABORTED) { /* out of descriptors or memory */
            dft_time_sleep(ACCEPT_AGAIN_NS);
        }
    }
    atomic_store(&running, false);
    return NULL;
}

/* Returns when the thread listens, so that a client may connect at once. */
static void start_thread(void)
{
    struct dft_guard guard;
    pthread_t thread;

    dft_guard_enter(&guard);
    atomic_store(&running, true);
    atomic_store(&listening, false);
    int error = dft_own_thread_start(&thread, run, NULL);
    if (!error)
        pthread_detach(thread);
    dft_guard_leave(&guard);
    while (!error && !atomic_load(&listening))
        sched_yield();
    if (error)
        atomic_store(&running, false);
    if (!atomic_load(&running))
        dft_log(DFT_LEVEL_ERROR, "cannot start the control channel: %s",
                error ? dft_writer_error_text(error) : "no socket");
}

void dft_control_in_child(void)
{
    if (atomic_exchange(&running, false))
        ran_in_parent = true;
    atomic_store(&stopped, false);
    pthread_mutex_init(&one_request, NULL);
}

static void start_in_child(void)
{
    bool outer = dft_busy;

    if (!ran_in_parent)
        return;
    ran_in_parent = false;
    /* Starting a thread allocates memory, and the program's allocator may have hooks. */
    dft_busy = true;
    start_thread();
    dft_busy = outer;
}

/*
 * start_in_child is not part of fork.c, but an atfork handler that is registered later: it starts a
 * thread, which allocates memory, so it must run after the handlers that an allocator registered in
 * its constructor.
 */
void dft_control_start(void)
{
    int error = pthread_atfork(NULL, NULL, start_in_child);

    if (error)
        dft_log(DFT_LEVEL_ERROR, "forked children cannot be controlled: %s",
                dft_writer_error_text(error));
    start_thread();
}

void dft_control_stop(void)
{
    unsigned waits = 0;

    if (!atomic_load(&running) || dft_address_space_kind() != DFT_ADDRESS_SPACE_OWN)
        return;
    atomic_store(&stopped, true);
    while (pthread_mutex_trylock(&one_request) != 0) {
        if (waits++ == STOP_WAITS_MAX)
            return;
        dft_time_sleep(STOP_WAIT_NS);
    }
    pthread_mutex_unlock(&one_request);
}

unsigned dft_control_threads(void)
{
    return atomic_load(&running);
}
