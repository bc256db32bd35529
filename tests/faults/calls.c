/*
 * The traced program of the fault tests: a fixed number of calls of each function, whatever fails
 * in dftrace.
 *
 * `calls WAY` makes the calls and ends in that way: `exit`, `_exit`, `kill` (SIGKILL), `signal`
 * (SIGTERM), `exec` (of itself, as `calls exit`). `calls serve` reads commands from stdin: `c` makes a
 * hundred calls, end of file exits. The exit status is 7, and stdout has a line that does not
 * depend on tracing.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS 7
#define CHILD_STATUS 3

static volatile unsigned sum;

__attribute__((noinline)) void leaf(void)
{
    sum++;
}

__attribute__((noinline)) void sampled(void)
{
    sum++;
}

__attribute__((noinline)) void small(void)
{
    sum++;
}

__attribute__((noinline)) int with_text(const char *text)
{
    return (int)strlen(text);
}

__attribute__((noinline)) void in_thread(void)
{
    sum++;
}

__attribute__((noinline)) void in_child(void)
{
    sum++;
}

static void *run_thread(void *unused)
{
    for (int i = 0; i < 500; i++)
        in_thread();
    return unused;
}

static void call_everything(void)
{
    pthread_t thread;
    int status;

    /* More than fit into a chunk of the spool. */
    for (int i = 0; i < 6000; i++)
        leaf();
    for (int i = 0; i < 50; i++)
        sampled();
    for (int i = 0; i < 300; i++)
        small();
    for (int i = 0; i < 20; i++)
        sum += (unsigned)with_text("some text");
    if (pthread_create(&thread, NULL, run_thread, NULL) != 0 || pthread_join(thread, NULL) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 200; i++)
            in_child();
        _exit(CHILD_STATUS);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        abort();
    printf("child %d\n", WEXITSTATUS(status));
    fflush(stdout);
}

static int serve(void)
{
    char word;

    printf("%ld\n", (long)getpid());
    fflush(stdout);
    while (read(STDIN_FILENO, &word, 1) == 1) {
        for (int i = 0; i < 100; i++)
            leaf();
        puts("called");
        fflush(stdout);
    }
    puts("end");
    return STATUS;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "exit";

    if (strcmp(way, "serve") == 0)
        return serve();
    call_everything();
    if (strcmp(way, "_exit") == 0)
        _exit(STATUS);
    if (strcmp(way, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(way, "signal") == 0)
        raise(SIGTERM);
    if (strcmp(way, "exec") == 0) {
        execl(argv[0], argv[0], "exit", (char *)NULL);
        abort();
    }
    return STATUS;
}
