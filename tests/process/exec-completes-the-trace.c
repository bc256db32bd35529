// Every form of exec completes the trace of the program that is replaced. The new program, here the
// same one, has a trace of its own beside it. If exec fails, the trace goes on as if nothing had
// happened, whatever the other threads did meanwhile.
//
// RUN: printf 'main\nwork\nfresh\n' > allow.txt && touch denied && echo garbage > garbage && chmod +x garbage
// RUN: printf 'exit 33\n' > script && chmod +x script
// RUN: %cc -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib && export TEST_DIR=$PWD
// RUN: %check-death ./prog execve execv execvp execvpe execl execlp execle fexecve execveat execveat-path script
// RUN: %check-death ./prog thread threads in-handler vfork vfork-calls spawn system popen fork
// RUN: %check-death ./prog fail-ENOENT fail-EACCES fail-ENOEXEC fail-E2BIG fail-PATH fail-threads fail-then-die
//
// Before the first traced call there is no trace to complete.
// RUN: mkdir early && echo work > early/allow.txt
// RUN: %cc -O2 -pthread -DONLY_WORK %support %plugin %allow=early/allow.txt %s -o early/prog %lib
// RUN: (cd early && %check-death ./prog early early-fail)
//
// RUN: mkdir static && %cc -O2 -pthread -static %support %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: cd static && %check-death ./prog execve execvp execlp execle fexecve execveat script threads vfork spawn system \
// RUN:   popen fail-ENOENT fail-ENOEXEC fail-PATH fail-threads

#include "death.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#define CALLS 1000
#define THREADS 3

extern char **environ;
static volatile int sink, stop;
static char self[4096];

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void fresh(void)
{
    sink = 0;
}

static void call_work(int times)
{
    struct tally *count = tally("work");

    for (int i = 0; i < times; i++) {
        work(i);
        __atomic_fetch_add(&count->completed, 1, __ATOMIC_SEQ_CST);
    }
}

static void count_main(int completed, int unfinished)
{
#ifndef ONLY_WORK
    tally("main")->completed += completed;
    tally("main")->unfinished += unfinished;
#else
    (void)completed;
    (void)unfinished;
#endif
}

static void *run(void *argument)
{
    while (!stop)
        call_work(10);
    return argument;
}

/* What threads do between the call of exec and their end does not matter: see `begun`. */
static volatile long begun[THREADS];

static void *run_to_the_end(void *mine)
{
    for (;;) {
        work(0);
        ++*(volatile long *)mine;
    }
}

static void start_threads(void)
{
    pthread_t thread;

    tally("work")->at_least = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, run_to_the_end, (void *)&begun[i]);
    for (int i = 0; i < THREADS; i++)
        while (begun[i] < 10000)
            usleep(100);
    for (int i = 0; i < THREADS; i++)
        tally("work")->completed += begun[i];
}

static void *exec_in_thread(void *argument)
{
    execl(self, "prog", "after", (char *)NULL);
    return argument;
}

static void exec_in_handler(int number)
{
    (void)number;
    execl(self, "prog", "after", (char *)NULL);
}

static void put_self_on_path(void)
{
    char path[8192];

    snprintf(path, sizeof path, "/nowhere:%.*s:/bin", (int)(strrchr(self, '/') - self), self);
    setenv("PATH", path, 1);
}

static void replace(const char *way)
{
    char *arguments[] = {"prog", "after", NULL};

    put_self_on_path();
    if (strcmp(way, "execve") == 0)
        execve(self, arguments, environ);
    else if (strcmp(way, "execv") == 0 || strcmp(way, "early") == 0)
        execv(self, arguments);
    else if (strcmp(way, "execvp") == 0)
        execvp("prog", arguments);
    else if (strcmp(way, "execvpe") == 0)
        execvpe("prog", arguments, environ);
    else if (strcmp(way, "execl") == 0 || strcmp(way, "threads") == 0)
        execl(self, "prog", "after", (char *)NULL);
    else if (strcmp(way, "execlp") == 0)
        execlp("prog", "prog", "after", (char *)NULL);
    else if (strcmp(way, "execle") == 0)
        execle(self, "prog", "after", (char *)NULL, environ);
    else if (strcmp(way, "fexecve") == 0)
        fexecve(open(self, O_RDONLY | O_CLOEXEC), arguments, environ);
    else if (strcmp(way, "execveat") == 0)
        execveat(open(self, O_PATH | O_CLOEXEC), "", arguments, environ, AT_EMPTY_PATH);
    else if (strcmp(way, "execveat-path") == 0)
        execveat(AT_FDCWD, self, arguments, environ, 0);
    else if (strcmp(way, "script") == 0) {
        char script[4096];
        snprintf(script, sizeof script, "%s/script", getenv("TEST_DIR"));
        execvp(script, arguments);
    } else if (strcmp(way, "in-handler") == 0) {
        signal(SIGUSR1, exec_in_handler);
        raise(SIGUSR1);
    } else if (strcmp(way, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, exec_in_thread, NULL);
        pthread_join(thread, NULL);
    }
    perror(way);
    _exit(99);
}

/* The child is a separate program; the parent goes on. */
static void start_another(const char *way)
{
    char command[8192];
    char *arguments[] = {"prog", "after", NULL};
    pid_t child;
    int status = -1;

    snprintf(command, sizeof command, "exec %s after", self);
    if (strcmp(way, "vfork-calls") == 0) {
        /* Calls that a child makes in its parent's memory belong to the parent. */
        struct tally *count = tally("work"), *fresh_count = tally("fresh");
        if ((child = vfork()) == 0) {
            work(1);
            count->completed++;
            fresh();
            fresh_count->completed++;
            _exit(0);
        }
        waitpid(child, &status, 0);
        call_work(10);
    } else if (strcmp(way, "vfork") == 0) {
        if ((child = vfork()) == 0) {
            execv("/nowhere/at/all", arguments);
            execv(self, arguments);
            _exit(98);
        }
        waitpid(child, &status, 0);
        /* A child that only exits, and one that resets its signals and is killed. */
        if ((child = vfork()) == 0)
            _exit(5);
        waitpid(child, &status, 0);
        printf("vfork %d\n", status);
        if ((child = vfork()) == 0) {
            struct sigaction fallback = {.sa_handler = SIG_DFL};
            sigaction(SIGTERM, &fallback, NULL);
            kill(getpid(), SIGTERM);
            _exit(6);
        }
        waitpid(child, &status, 0);
        if (status == SIGTERM && (child = vfork()) == 0) {
            kill(getpid(), SIGINT);
            _exit(7);
        }
        waitpid(child, &status, 0);
    } else if (strcmp(way, "spawn") == 0) {
        posix_spawn(&child, self, NULL, NULL, arguments, environ);
        waitpid(child, &status, 0);
    } else if (strcmp(way, "fork") == 0) {
        if ((child = fork()) == 0) {
            call_work(50);
            count_main(0, 1);
            execv(self, arguments);
        }
        waitpid(child, &status, 0);
    } else if (strcmp(way, "system") == 0) {
        status = system(command);
    } else if (strcmp(way, "popen") == 0) {
        FILE *stream = popen(command, "r");
        status = pclose(stream);
    }
    printf("%d\n", status);
}

static int fail(const char *way)
{
    static char *huge[600];
    static char text[131000];
    char *arguments[] = {"prog", "after", NULL}, path[4096];

    snprintf(path, sizeof path, "%s/%s", getenv("TEST_DIR"),
             strstr(way, "EACCES")   ? "denied"
             : strstr(way, "ENOENT") ? "nothing"
                                     : "garbage");
    if (strcmp(way, "fail-PATH") == 0) {
        setenv("PATH", "/nowhere:/nowhere/else", 1);
        return execvp("nothing-like-this", arguments);
    }
    if (strcmp(way, "fail-E2BIG") == 0) {
        memset(text, 'x', sizeof text - 1);
        for (size_t i = 0; i < 599; i++)
            huge[i] = text;
        return execv(self, huge);
    }
    return execv(path, arguments);
}

static void fail_often(const char *way)
{
    pthread_t threads[THREADS];
    int count = strcmp(way, "fail-threads") == 0 ? THREADS : 0;

    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 20; i++) {
        errno = 0;
        int result = fail(way);
        if (i == 0)
            printf("%d, errno %d\n", result, errno);
        call_work(30);
    }
    stop = 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    if (strcmp(way, "fail-then-die") == 0) {
        count_main(-1, 1);
        fflush(stdout);
        abort();
    }
}

int main(int argc, char **argv)
{
    const char *way = argv[1];

    (void)argc;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    if (strncmp(way, "early", 5) != 0)
        call_work(CALLS);
    if (strcmp(way, "after") == 0) {
        count_main(1, 0);
        return 42;
    }
    if (strncmp(way, "fail", 4) == 0 || strcmp(way, "early-fail") == 0) {
        count_main(1, 0);
        fail_often(way);
        return 0;
    }
    if (strstr("vfork vfork-calls spawn system popen fork", way)) {
        count_main(1, 0);
        start_another(way);
        return 0;
    }
    if (strcmp(way, "threads") == 0)
        start_threads();
    count_main(0, 1);
    replace(way);
    return 1;
}
