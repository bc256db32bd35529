/*
 * The host: its main thread watches the directory, the processes and the front process; one more
 * thread for each spool runs the spool's writer. See host.h.
 *
 * These threads communicate through the atomics of struct hosted only. Only the main thread uses
 * the list.
 */
#include "tool/run/host.h"

#include "os/descriptor.h"
#include "os/process.h"
#include "tool/base/tool.h"
#include "tool/run/spool_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define IDLE_MS 100
#define HURRY_MS 5     /* a thread waits for room */
#define RETRY_MS 2     /* a spool is being made */
#define LOOK_EVERY 10  /* after so many idle waits, check for an exec */
#define MISSED_MS 1000 /* how often everything is checked, in case a notification was lost */
#define SEND_ATTEMPTS_MAX 500
#define REFUSALS_MAX 100
#define NO_PIDFD_MS 50 /* on kernels without pidfd_open, processes are polled */

struct hosted {
    struct hosted *next;
    struct dft_spool_file file;
    int pidfd;
    pthread_t thread;
    _Atomic uint32_t over; /* set by the main thread: the process ended at `over_ticks` */
    uint64_t over_ticks;
    _Atomic uint32_t done; /* set by the writer's thread: it can be joined */
    bool keep;             /* keep the spool for `dftrace recover` */
    bool said;             /* the error has been printed */
    struct dft_host_message message;
};

/* A spool that is left for `dftrace recover`. */
struct kept {
    struct kept *next;
    char path[sizeof((struct dft_spool *)0)->path];
};

static struct {
    const char *directory;
    int socket; /* -1: the front process has ended */
    int inotify;
    int finished; /* eventfd: a writer's thread is done */
    struct hosted *first;
    struct kept *kept;
    unsigned pending;  /* spools that are being made */
    unsigned unopened; /* spools that are to be opened again */
    unsigned refusals; /* attempts to open a spool that failed */
    bool asked;
} host;

static void pause_ms(unsigned ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}

/* --- one spool: its own thread --- */

static void say_writer_error(struct hosted *this, const struct dft_writer *writer,
                             const char *consequence)
{
    struct dft_writer_result result;

    dft_writer_result(writer, &result);
    if (!result.error || this->said)
        return;
    this->said = true;
    dft_tool_error("cannot write to %s: %s%s", result.path, strerror(-result.error), consequence);
}

static bool is_running(const struct hosted *this)
{
    return atomic_load(&this->file.spool.header->state) == DFT_SPOOL_RUNNING;
}

static void follow(struct hosted *this, struct dft_writer *writer)
{
    struct dft_spool *spool = &this->file.spool;
    unsigned idle = 0;

    for (;;) {
        uint32_t seen = atomic_load(&spool->header->wake);
        if (!is_running(this) || atomic_load(&this->over))
            return;
        bool found = dft_writer_step(writer);
        dft_writer_show_if_asked(writer, found);
        if (found) {
            idle = 0;
        } else {
            unsigned most = atomic_load(&spool->header->waiting) ? HURRY_MS : IDLE_MS;
            dft_spool_wait(spool, seen, dft_writer_wait_ms(writer, most));
            /* An exec causes no event. A program that is still recording has not called exec. */
            if (++idle % LOOK_EVERY == 0 && dft_owner_look(spool) == DFT_OWNER_REPLACED)
                return;
        }
        say_writer_error(this, writer,
                         "; the program runs on. Its calls stay in the spool as long as there is "
                         "room, until the trace can be written");
    }
}

/* The process was killed, so it did not record when it ended. */
static void settle_end(struct hosted *this)
{
    struct dft_spool *spool = &this->file.spool;
    struct dft_spool_findings findings;

    spool->gone = true;
    if (dft_spool_examine(spool, &findings) != 0)
        return;
    if (findings.damaged)
        dft_tool_warn("%s (pid %ld) has damaged its spool; calls may be missing in its trace",
                      spool->header->app, (long)spool->header->pid);
    spool->header->ended = this->over_ticks > findings.latest ? this->over_ticks : findings.latest;
}

static void report_result(struct hosted *this, const struct dft_writer *writer)
{
    struct dft_writer_result result;
    const struct dft_spool *spool = &this->file.spool;

    dft_writer_result(writer, &result);
    this->message.events = result.events;
    this->message.dropped = result.dropped;
    this->message.failed = result.error != 0;
    snprintf(this->message.path, sizeof this->message.path, "%s", result.path);
    this->message.lost = result.lost;
    this->keep = result.is_kept;
    if (this->keep)
        dft_tool_error("cannot write to %s: %s; %llu calls are missing. When there is room, "
                       "`dftrace recover %s` completes the trace; `dftrace recover -o DIRECTORY "
                       "%s` does so in another place",
                       result.path, strerror(-result.error), (unsigned long long)result.lost,
                       spool->path, spool->path);
    else
        say_writer_error(this, writer, "");
}

static void *write_trace(void *argument)
{
    struct hosted *this = argument;
    struct dft_spool *spool = &this->file.spool;
    char path[1500] = "";
    int error = 0;
    struct dft_writer *writer = dft_writer_open(spool, &error, path, sizeof path);

    if (writer) {
        dft_writer_owns_descriptors(writer);
        dft_writer_start_helpers(writer);
        follow(this, writer);
        if (is_running(this))
            settle_end(this);
        dft_writer_finish(writer);
        report_result(this, writer);
        dft_writer_close(writer);
    } else {
        dft_tool_error("cannot make the trace %s: %s; the program runs on untraced", path,
                       strerror(-error));
        atomic_store(&spool->header->state, DFT_SPOOL_FINISHED); /* its threads stop recording */
    }
    atomic_store(&this->done, 1);
    eventfd_write(host.finished, 1);
    return NULL;
}

/* --- all spools: the main thread --- */

/* The front process has ended, or the connection to it is lost. */
static void lose_front(void)
{
    close(host.socket);
    host.socket = -1;
    host.asked = false;
    /* Nobody waits for this process. If stderr is a pipe, its reader must not wait either. */
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDERR_FILENO);
    close(null);
}

/*
 * If a message cannot be sent, the connection is closed, because the front process would wait for
 * the message forever.
 */
static void send_message(struct dft_host_message *message, enum dft_host_news kind)
{
    message->kind = kind;
    for (unsigned i = 0; host.socket >= 0 && i < SEND_ATTEMPTS_MAX; i++) {
        if (send(host.socket, message, sizeof *message, MSG_NOSIGNAL) >= 0)
            return;
        if (errno == ENOMEM || errno == ENOBUFS)
            pause_ms(RETRY_MS);
        else if (errno != EINTR)
            break;
    }
    if (host.socket >= 0)
        lose_front();
}

static void end_hosting(struct hosted *this, uint64_t ticks)
{
    this->over_ticks = ticks;
    atomic_store(&this->over, 1);
    dft_spool_wake(&this->file.spool);
}

static uint64_t ticks_now(const struct hosted *this)
{
    struct dft_anchor now;

    dft_spool_take_anchor(this->file.spool.header->clock, &now);
    return now.ticks;
}

/* A second spool of the same process means that the program of the first one has called exec. */
static void end_replaced(const struct hosted *newcomer)
{
    const struct dft_spool_header *header = newcomer->file.spool.header;

    for (struct hosted *this = newcomer->next; this; this = this->next)
        if (this->file.spool.header->pid == header->pid && !atomic_load(&this->over) &&
            dft_owner_look(&this->file.spool) != DFT_OWNER_ALIVE)
            end_hosting(this, header->started.ticks);
}

static bool is_known(const char *path)
{
    for (const struct hosted *this = host.first; this; this = this->next)
        if (strcmp(this->file.spool.path, path) == 0)
            return true;
    for (const struct kept *kept = host.kept; kept; kept = kept->next)
        if (strcmp(kept->path, path) == 0)
            return true;
    return false;
}

static void keep_spool(const char *path)
{
    struct kept *kept = dft_tool_zeroed(1, sizeof *kept);

    snprintf(kept->path, sizeof kept->path, "%s", path);
    kept->next = host.kept;
    host.kept = kept;
}

static void begin_hosting(struct hosted *this)
{
    const struct dft_spool_header *header = this->file.spool.header;

    this->message.pid = header->pid;
    memcpy(this->message.app, header->app, sizeof this->message.app);
    this->pidfd = dft_process_descriptor(header->pid);
    this->next = host.first;
    host.first = this;
    int error = pthread_create(&this->thread, NULL, write_trace, this);
    if (error) {
        host.first = this->next;
        dft_tool_error("cannot start a writer for pid %ld: %s; dftrace recover %s makes its trace",
                       (long)header->pid, strerror(error), this->file.spool.path);
        keep_spool(this->file.spool.path);
        dft_spool_file_close(&this->file);
        free(this);
        return;
    }
    end_replaced(this);
}

/* A lack of descriptors or memory may be temporary. */
static bool is_tried_again(void)
{
    if (++host.refusals >= REFUSALS_MAX)
        return false;
    host.pending++;
    host.unopened++;
    return true;
}

static void refuse(const char *path, int error)
{
    dft_tool_error("cannot open %s: %s; dftrace recover %s makes the trace later", path,
                   strerror(error), path);
    keep_spool(path);
}

/* The file of a spool exists before it can be used; its process may die in between. */
static void consider(const char *path)
{
    struct hosted *this = dft_tool_zeroed(1, sizeof *this);
    /*
     * Checked before the spool is read: if the process is dead, the spool does not change any more.
     */
    bool dead = dft_process_is_dead(dft_spool_file_pid(path));
    int error = dft_spool_file_open(&this->file, path);
    bool early = error == -ENODATA;

    if (error == -EBUSY) /* `dftrace recover` locks it briefly, too */
        host.pending++;
    if (!error && atomic_load(&this->file.spool.header->state) == DFT_SPOOL_STARTING) {
        dft_spool_file_close(&this->file);
        early = true;
    }
    if (!early && !error) {
        begin_hosting(this);
        return;
    }
    free(this);
    if (early && dead)
        unlink(path);
    else if (early)
        host.pending++;
    else if (!dft_spool_file_is_expected(error) && !is_tried_again())
        refuse(path, -error);
}

static void scan_directory(void)
{
    DIR *directory = opendir(host.directory);
    int error = directory ? 0 : errno;
    struct dirent *entry;

    host.pending = host.unopened = 0;
    while (directory && (errno = 0, entry = readdir(directory))) {
        if (dft_spool_file_pid(entry->d_name) == 0)
            continue;
        char *path = dft_tool_format("%s/%s", host.directory, entry->d_name);
        if (!is_known(path))
            consider(path);
        free(path);
    }
    if (directory) {
        error = errno;
        closedir(directory);
    }
    if (error && !is_known(host.directory) && !is_tried_again())
        refuse(host.directory, error);
}

/* Its contents are in the trace. */
static bool remove_spool(struct dft_spool *spool)
{
    int error = dft_spool_unlink(spool);

    if (error)
        dft_tool_error("cannot remove the spool %s: %s; the trace is complete without it",
                       spool->path, strerror(-error));
    return error == 0;
}

static void reap_writers(void)
{
    for (struct hosted **link = &host.first; *link;) {
        struct hosted *this = *link;
        if (!atomic_load(&this->done)) {
            link = &this->next;
            continue;
        }
        *link = this->next;
        pthread_join(this->thread, NULL);
        if (this->keep || !remove_spool(&this->file.spool))
            keep_spool(this->file.spool.path);
        dft_spool_file_close(&this->file);
        if (this->pidfd >= 0)
            close(this->pidfd);
        send_message(&this->message, DFT_HOST_TRACE);
        free(this);
    }
}

/* Processes that ended without a notification. */
static void find_dead(void)
{
    for (struct hosted *this = host.first; this; this = this->next) {
        struct pollfd wait = {.fd = this->pidfd, .events = POLLIN};
        if (atomic_load(&this->over))
            continue;
        int ended = this->pidfd >= 0 ? poll(&wait, 1, 0) : -1;
        if (ended > 0 || (ended < 0 && dft_process_is_dead(this->file.spool.header->pid)))
            end_hosting(this, ticks_now(this));
    }
}

/* Answers when the traces of all processes that have ended are complete. */
static void answer_front(void)
{
    struct dft_host_message message = {0};

    if (!host.asked || host.unopened)
        return;
    for (const struct hosted *this = host.first; this; this = this->next) {
        if (atomic_load(&this->over) || !is_running(this))
            return;
        message.alive++;
        message.pid = this->message.pid;
        memcpy(message.app, this->message.app, sizeof message.app);
    }
    host.asked = false;
    send_message(&message, DFT_HOST_IDLE);
}

static void hear_front(void)
{
    char word = 0;
    ssize_t length = recv(host.socket, &word, 1, MSG_DONTWAIT);

    if (length == 1 && word == DFT_HOST_ASK) {
        host.asked = true;
    } else if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) {
        lose_front();
    }
}

/*
 * Without the directory, no further spool can be created. The directory stays if it contains other
 * files or a spool that is kept.
 */
static bool may_go(void)
{
    struct pollfd news = {.fd = host.inotify, .events = POLLIN};

    if (host.socket >= 0 || host.first || host.pending)
        return false;
    return dft_spool_file_remove_run(host.directory) || poll(&news, 1, 0) <= 0;
}

/* Sleeps until there is something to do. */
static void wait_for_news(void)
{
    size_t count = 3, room = 3;
    int timeout = host.pending ? RETRY_MS : host.first ? MISSED_MS : -1;

    for (const struct hosted *this = host.first; this; this = this->next)
        room++;
    struct pollfd *waits = dft_tool_zeroed(room, sizeof *waits);
    waits[0] = (struct pollfd){.fd = host.inotify, .events = POLLIN};
    waits[1] = (struct pollfd){.fd = host.finished, .events = POLLIN};
    waits[2] = (struct pollfd){.fd = host.socket, .events = POLLIN};
    for (const struct hosted *this = host.first; this; this = this->next) {
        if (!atomic_load(&this->over) && this->pidfd >= 0)
            waits[count++] = (struct pollfd){.fd = this->pidfd, .events = POLLIN};
        else if (!atomic_load(&this->over) && timeout > NO_PIDFD_MS)
            timeout = NO_PIDFD_MS;
    }
    if (poll(waits, count, timeout) < 0 && errno != EINTR)
        pause_ms(RETRY_MS);
    free(waits);
}

static void drain(int fd)
{
    char buffer[4096];

    while (read(fd, buffer, sizeof buffer) > 0)
        ;
}

static void leave_files_of_others(int socket)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    /* The socket becomes descriptor 3. All others belong to the program and are closed. */
    if (socket != STDERR_FILENO + 1)
        dup3(socket, STDERR_FILENO + 1, O_CLOEXEC);
    host.socket = STDERR_FILENO + 1;
    if (!dft_descriptor_close_range(STDERR_FILENO + 2, ~0u, 0))
        for (int fd = (int)sysconf(_SC_OPEN_MAX); fd > STDERR_FILENO + 1; fd--)
            close(fd);
}

static void prepare(const char *directory, int socket)
{
    struct rlimit limit;
    sigset_t none;

    setsid();
    leave_files_of_others(socket);
    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    host.directory = directory;
    if (chdir("/") != 0) /* so that no file system is kept from being unmounted */
        errno = 0;
    dft_spool_file_lock_run(directory); /* until the end of this process */
    host.finished = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    host.inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (host.finished < 0 || host.inotify < 0 ||
        inotify_add_watch(host.inotify, directory, IN_CREATE | IN_ONLYDIR) < 0) {
        dft_tool_error("cannot watch %s: %s", directory, strerror(errno));
        dft_spool_file_remove_run(directory);
        _exit(DFT_EXIT_FAILED);
    }
}

_Noreturn void dft_run_host(const char *directory, int socket)
{
    struct dft_host_message ready = {0};

    prepare(directory, socket);
    send_message(&ready, DFT_HOST_READY);
    for (;;) {
        scan_directory();
        find_dead();
        reap_writers();
        answer_front();
        if (may_go())
            _exit(DFT_EXIT_OK);
        wait_for_news();
        drain(host.inotify);
        drain(host.finished);
        if (host.socket >= 0)
            hear_front();
    }
}
