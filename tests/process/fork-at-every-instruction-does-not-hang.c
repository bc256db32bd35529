// The program forks while another thread is at any instruction of certain work: switching recording
// by the API, carrying out requests in the control thread, or calling functions for the first time.
// No child hangs. Each child walks over the modules, loads a library, allocates and exits.
//
// A debugger (the driver) steps one thread through its work, instruction by instruction. Every
// STRIDE instructions it stops the thread and lets the main thread fork. If the fork waits for a
// lock that the stepped thread holds, the driver steps on until the fork is done.
//
// DFTRACE_FORK_STRIDE=1 forks at every single instruction.
//
// REQUIRES: x86-64
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools DFTRACER_ENABLE=attach
// RUN: printf 'fun:work*\nmore\n' > allow.txt && printf 'fun:*\n[never]\nwork_1\n' > other.txt
// RUN: stride=${DFTRACE_FORK_STRIDE:-101}
// RUN: %cc -O2 %support -I%include -DDRIVER %s -o driver
// RUN: %cc -O2 -fPIC -shared %plugin %allow=allow.txt %S/Inputs/more.c -o more.so
// RUN: %cc -O2 -pthread %support -I%include %plugin %allow=allow.txt %s -o prog %lib
// RUN: ./driver $stride ./prog
// RUN: find . -name 'trace-*' -delete && test -z "$(ls -A spools)"
//
// RUN: %cc -O2 -fPIC -shared -finstrument-functions %S/Inputs/more.c -o more.so
// RUN: %cc -O2 -pthread %support -I%include -finstrument-functions %s -o other %lib
// RUN: DFTRACER_ALLOWLIST=allow.txt ./driver $stride ./other
// RUN: find . -name 'trace-*' -delete && test -z "$(ls -A spools)"

#define _GNU_SOURCE
#include "forked.h"

/* Messages between the driver and the program, one byte each. */
enum { TO_MAIN = 20, FROM_MAIN, TO_SWITCHES, FROM_SWITCHES };
#define FORK 'f'   /* to the main thread, which answers: */
#define FORKED 'F' /* the child exists, then: */
#define GOOD 'g'   /* it has ended as expected */
#define BAD 'b'

#ifdef DRIVER

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define BLOCKED_MS 20 /* a fork that takes longer may be waiting for the stepped thread */
#define LOOK_EVERY 16 /* steps; returns whether the work is done */

static pid_t program;
static int to_main, from_main, to_switches, from_switches;
static long stride, forks, held_up;
static enum { NO_FORK, FORK_ASKED, CHILD_RUNS } fork_state;

static void fail(const char *what)
{
    fprintf(stderr, "driver: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int is_readable(int fd, int ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    return poll(&poll_fd, 1, ms) == 1;
}

static char read_byte(int fd)
{
    char byte;

    if (read(fd, &byte, 1) != 1)
        fail("the program has ended");
    return byte;
}

static void take_answer(void)
{
    char answer = read_byte(from_main);

    if (answer == BAD) {
        fprintf(stderr, "driver: the child of fork %ld has failed\n", forks);
        exit(1);
    }
    fork_state = answer == FORKED ? CHILD_RUNS : NO_FORK;
}

static void await_child(void)
{
    while (fork_state != NO_FORK)
        take_answer();
}

/* The stepped thread is stopped. */
static void fork_here(void)
{
    if (fork_state == CHILD_RUNS)
        await_child();
    if (fork_state != NO_FORK)
        return; /* the fork still waits for the stepped thread */
    char byte = FORK;
    if (write(to_main, &byte, 1) != 1)
        fail("write");
    forks++;
    fork_state = FORK_ASKED;
    if (is_readable(from_main, BLOCKED_MS))
        take_answer();
    else
        held_up++;
}

static void await_stop(pid_t thread)
{
    int status;

    if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status))
        fail("the stepped thread has ended");
}

static void stop_thread(pid_t thread)
{
    if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0)
        fail("ptrace");
    await_stop(thread);
}

/* Steps through the thread's work until there is something to read. */
static void step_until(pid_t thread, int done, const char *what)
{
    long steps = 0, before = forks, held_up_before = held_up;

    do {
        if (steps % stride == 0)
            fork_here();
        if (ptrace(PTRACE_SINGLESTEP, thread, 0, 0) != 0)
            fail("ptrace");
        await_stop(thread);
        if (fork_state != NO_FORK && is_readable(from_main, 0))
            take_answer();
    } while (++steps % LOOK_EVERY != 0 || !is_readable(done, 0));
    if (ptrace(PTRACE_DETACH, thread, 0, 0) != 0)
        fail("ptrace");
    await_child();
    printf("%-10s %7ld steps %5ld forks, %ld held up\n", what, steps, forks - before,
           held_up - held_up_before);
}

/* --- the threads --- */

static int has_name(const char *task, const char *name)
{
    char path[300], found[32] = "";

    snprintf(path, sizeof path, "/proc/%d/task/%s/comm", (int)program, task);
    FILE *file = fopen(path, "r");
    if (file && !fgets(found, sizeof found, file))
        found[0] = '\0';
    if (file)
        fclose(file);
    return strncmp(found, name, strlen(name)) == 0;
}

static pid_t find_thread(const char *name)
{
    char path[32];
    pid_t found = 0;

    snprintf(path, sizeof path, "/proc/%d/task", (int)program);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && !found && (task = readdir(tasks));)
        if (has_name(task->d_name, name))
            found = (pid_t)strtol(task->d_name, NULL, 10);
    if (!found)
        fail(name);
    closedir(tasks);
    return found;
}

static void step_switches(char what)
{
    pid_t thread = find_thread("switches");
    char name[] = {'s', 'w', 'i', 't', 'c', 'h', ' ', what, 0};

    stop_thread(thread);
    if (write(to_switches, &what, 1) != 1)
        fail("write");
    step_until(thread, from_switches, name);
    read_byte(from_switches);
}

static int connect_to_program(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat space;
    int client = socket(AF_UNIX, SOCK_SEQPACKET, 0);

    stat("/proc/self/ns/pid", &space);
    int length =
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "dftrace-control-%d-%llu",
                 (int)program, (unsigned long long)space.st_ino);
    if (connect(client, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) != 0)
        fail("connect");
    return client;
}

/* As dftrace ctl does. */
static void send_request(int client, const char *request, const char *list)
{
    char control[CMSG_SPACE(sizeof(int))] = {0}, text[1000];
    struct iovec buffer = {(char *)request, strlen(request)};
    struct msghdr message = {.msg_iov = &buffer, .msg_iovlen = 1};
    int contents = -1;

    if (list) {
        int from = open(list, O_RDONLY);
        ssize_t length = read(from, text, sizeof text);
        contents = memfd_create("list", MFD_ALLOW_SEALING);
        if (length <= 0 || write(contents, text, (size_t)length) != length ||
            fcntl(contents, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK) != 0)
            fail(list);
        close(from);
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(header), &contents, sizeof contents);
    }
    if (sendmsg(client, &message, 0) < 0)
        fail("sendmsg");
    if (contents >= 0)
        close(contents);
}

static void step_control(const char *what, const char *request, const char *list)
{
    pid_t thread = find_thread("dftrace-control");
    char answer[5000];

    stop_thread(thread);
    int client = connect_to_program();
    send_request(client, request, list);
    step_until(thread, client, what);
    ssize_t length = recv(client, answer, sizeof answer - 1, 0);
    if (length < 2 || strncmp(answer, "ok", 2) != 0)
        fail(what);
    close(client);
}

static void start_program(const char *path)
{
    int pipes[4][2];

    for (int i = 0; i < 4; i++)
        if (pipe2(pipes[i], O_CLOEXEC) != 0)
            fail("pipe2");
    program = fork();
    if (program == 0) {
        dup2(pipes[0][0], TO_MAIN);
        dup2(pipes[1][1], FROM_MAIN);
        dup2(pipes[2][0], TO_SWITCHES);
        dup2(pipes[3][1], FROM_SWITCHES);
        execl(path, path, NULL);
        _exit(99);
    }
    to_main = pipes[0][1];
    from_main = pipes[1][0];
    to_switches = pipes[2][1];
    from_switches = pipes[3][0];
    for (int i = 0; i < 4; i++)
        close(pipes[i][i % 2 == 0 ? 0 : 1]);
    read_byte(from_switches); /* all its threads are running */
}

int main(int argc, char **argv)
{
    int status;

    if (argc != 3)
        return 2;
    stride = strtol(argv[1], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    start_program(argv[2]);
    step_control("status", "status", NULL);
    step_control("first on", "on", NULL);
    for (const char *what = "prde01"; *what; what++)
        step_switches(*what);
    step_control("off", "off", NULL);
    step_control("on", "on", NULL);
    step_control("set", "set /other.txt", "other.txt");
    step_control("status", "status", NULL);
    step_control("set", "set /allow.txt", "allow.txt");
    step_switches('2');
    close(to_switches);
    close(to_main);
    if (waitpid(program, &status, 0) != program || status != 0)
        fail("the program has failed");
    printf("%ld forks, of which %ld were held up\n", forks, held_up);
    return 0;
}

#else

#include <pthread.h>

static volatile int sink;

__attribute__((noinline)) static void work_0(void)
{
    sink = 10;
}

__attribute__((noinline)) static void work_1(void)
{
    sink = 11;
}

__attribute__((noinline)) static void work_2(void)
{
    sink = 12;
}

UNTRACED static void throw_switch(char what)
{
    switch (what) {
    case 'p':
        dftrace_pause();
        break;
    case 'r':
        dftrace_resume();
        break;
    case 'd':
        dftrace_disable("work_2");
        break;
    case 'e':
        dftrace_enable("work_2");
        break;
    case '0':
        work_0();
        break;
    case '1':
        work_1();
        break;
    default:
        work_2();
    }
}

UNTRACED static void *throw_switches(void *argument)
{
    char what = 0;

    pthread_setname_np(pthread_self(), "switches");
    do {
        if (what)
            throw_switch(what);
        if (write(FROM_SWITCHES, &what, 1) != 1)
            abort();
    } while (read(TO_SWITCHES, &what, 1) == 1);
    return argument;
}

UNTRACED static void tell(char what)
{
    if (write(FROM_MAIN, &what, 1) != 1)
        exit(2);
}

UNTRACED int main(void)
{
    pthread_t thread;
    char byte;

    prepare_children();
    pthread_create(&thread, NULL, throw_switches, NULL);
    for (long i = 0; read(TO_MAIN, &byte, 1) == 1; i++) {
        alarm(2 * HUNG_AFTER_S);
        pid_t child = fork();
        if (child == 0)
            use_everything("./more.so", i % 20 == 0);
        tell(FORKED);
        tell(child > 0 && child_succeeds(child) ? GOOD : BAD);
    }
    pthread_join(thread, NULL);
    return 0;
}

#endif
