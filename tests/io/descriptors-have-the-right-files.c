// Calls have the files of their descriptors, whichever way the program has come by these: copies,
// inherited and received descriptors, 100,000 of them, numbers that are used again, in threads, after
// everything was closed, in forked children, after vfork, and after exec.
//
// RUN: %cc -w -O1 -pthread %s -o prog
// RUN: mkdir data; echo inherited > data/inherited
// RUN: (ulimit -n 100200) 2> err.txt || echo "skipped: 100,000 open files: ulimit -n allows $(ulimit -H -n)"
// RUN: ulimit -n 100200 2> err.txt || ulimit -n $(ulimit -H -n); %dftrace run --io --no-report -o t -- ./prog 8< data/inherited > out.txt 2> err.txt
// RUN: grep -q "all is well" out.txt
// RUN: %{python} %S/Inputs/check-files t-*.gz
//
// The same where each process writes its trace itself, with the libraries preloaded or linked.
// RUN: rm -rf data/* t-*; echo inherited > data/inherited
// RUN: ulimit -n 100200 2> err.txt || ulimit -n $(ulimit -H -n); DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/t LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so ./prog 8< data/inherited | grep -q "all is well"
// RUN: %{python} %S/Inputs/check-files t-*.gz
// RUN: %cc -w -O1 -pthread %s -o linked -L%libdir -Wl,-rpath,%libdir -Wl,--no-as-needed -ldftrace-io -ldftrace
// RUN: rm -rf data/* t-*; echo inherited > data/inherited
// RUN: DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/t ./linked 8< data/inherited | grep -q "all is well"
// RUN: %{python} %S/Inputs/check-files --linked t-*.gz

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every write says in its bytes which file it is meant for. */
static void put(int fd, const char *name)
{
    if (write(fd, name, strlen(name)) != (ssize_t)strlen(name))
        abort();
}

static int make(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "data/%s", name);
    return open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
}

static void pass(int socket, int fd)
{
    char room[CMSG_SPACE(sizeof fd)] = {0};
    struct msghdr message = {.msg_iov = &(struct iovec){"x", 1},
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof room};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(control), &fd, sizeof fd);
    sendmsg(socket, &message, 0);
}

static int receive(int socket)
{
    char room[CMSG_SPACE(sizeof(int))], byte;
    struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1},
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof room};
    int fd;
    recvmsg(socket, &message, 0);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

static void *reuse(void *name)
{
    for (int i = 0; i < 500; i++) {
        int fd = make(name);
        put(fd, name);
        close(fd);
    }
    return NULL;
}

static void many(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    int first = make("many"), count = limit.rlim_cur > 100100 ? 100000 : (int)limit.rlim_cur - 100;
    for (int i = 0; i < count; i++)
        if (dup(first) < 0)
            abort();
    put(first + count, "many");
    close_range(first, first + count, 0);
    int again = make("again");
    if (again != first)
        abort();
    put(again, "again");
    close(again);
}

static void children(void)
{
    int fd = make("before");
    if (fork() == 0) {
        put(fd, "before");
        int other = make("child");
        dup2(other, fd);
        put(fd, "child");
        _exit(0);
    }
    wait(NULL);
    put(fd, "before");
    /* A vfork child has descriptors of its own, and shares everything else. */
    pid_t child = vfork();
    if (child == 0) {
        int other = open("data/vforked", O_CREAT | O_WRONLY, 0600);
        dup2(other, fd);
        write(fd, "vforked", 7);
        close(other);
        close(fd);
        execl("/bin/sh", "sh", "-c", "echo executed > data/executed", NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    put(fd, "before");
    close(fd);
}

static int handled = -1;
static sigjmp_buf back;

static void handle(int number)
{
    put(handled, "handled");
    if (number == SIGALRM)
        siglongjmp(back, 1);
}

static void signals(void)
{
    int ends[2], fd = make("after");
    char byte;
    handled = make("handled");
    signal(SIGUSR1, handle);
    signal(SIGALRM, handle);
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    pipe(ends);
    alarm(1);
    if (sigsetjmp(back, 1) == 0)
        read(ends[0], &byte, 1); /* blocks until the handler leaves it */
    put(fd, "after");
}

static void *wait_for_ever(void *unused)
{
    int ends[2];
    char byte;
    pipe(ends);
    read(ends[0], &byte, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[4], cancelled;
    static char *names[] = {"thread0", "thread1", "thread2", "thread3"};
    int pair[2];
    void *result;
    char line[10];

    if (read(8, line, 10) != 10)
        abort();
    int fd = make("original"), copy = fcntl(fd, F_DUPFD, 50);
    put(copy, "original");
    close(fd);
    put(copy, "original");
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    int sent = make("sent");
    pass(pair[0], sent);
    close(sent);
    int received = receive(pair[1]);
    put(received, "sent");
    dup2(copy, received);
    put(received, "original");
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, reuse, names[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&cancelled, NULL, wait_for_ever, NULL);
    pthread_cancel(cancelled);
    pthread_join(cancelled, &result);
    if (result != PTHREAD_CANCELED)
        abort();
    children();
    signals();
    many();
    for (int i = 3; i < 1024; i++) /* as daemons do */
        close(i);
    fd = make("daemon");
    put(fd, "daemon");
    if (fork() == 0) {
        put(fd, "daemon");
        put(make("grandchild"), "grandchild");
        write(1, "all is well\n", 12);
        execl("/bin/cat", "cat", "data/inherited", NULL);
    }
    wait(NULL);
    return 0;
}
