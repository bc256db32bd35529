// Every process of a program has its calls in its trace: children of threads that fork while others do
// I/O, chains of exec, posix_spawn, system, popen and vfork with exec, and daemons that close every
// descriptor in each way.
//
// RUN: %cc -w -O1 -pthread %s -o prog
// RUN: %dftrace run --io --no-report -o t -- ./prog > counted.txt
// RUN: %{python} %S/Inputs/check-counts counted.txt t-*.gz

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define FORKS 10

extern char **environ;

static void put(const char *name)
{
    int fd = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);

    if (write(fd, "x", 1) != 1)
        abort();
    close(fd);
}

static void wait_for(pid_t child)
{
    int status;

    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void *fork_often(void *unused)
{
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            put("child");
            _exit(0);
        }
        put("parent");
        wait_for(child);
    }
    return unused;
}

/* Each program starts the next one in another way; `step` is its number. */
static void chain(int step, char *program)
{
    char number[8], command[64];
    char *arguments[] = {program, number, NULL};

    put("link");
    snprintf(number, sizeof number, "%d", step + 1);
    snprintf(command, sizeof command, "%s %d", program, step + 1);
    switch (step) {
    case 0:
        execv(program, arguments);
        break;
    case 1:
        execlp(program, program, number, NULL);
        break;
    case 2:
        fexecve(open(program, O_RDONLY), arguments, environ);
        break;
    case 3: {
        pid_t child;
        posix_spawn(&child, program, NULL, NULL, arguments, environ);
        wait_for(child);
        break;
    }
    case 4: {
        pid_t child = vfork();
        if (child == 0) {
            execve(program, arguments, environ);
            _exit(1);
        }
        wait_for(child);
        break;
    }
    case 5:
        if (system(command) != 0)
            abort();
        break;
    case 6: {
        FILE *stream = popen(command, "r");
        if (pclose(stream) != 0)
            abort();
        break;
    }
    case 7:
        execle(program, program, number, NULL, environ);
        break;
    }
    put("returned");
    _exit(0);
}

static void daemons(void)
{
    for (int way = 0; way < 4; way++) {
        pid_t child = fork();
        if (child == 0) {
            setsid();
            if (way == 0)
                for (int i = 0; i < 1024; i++)
                    close(i);
            else if (way == 1)
                close_range(0, ~0U, 0);
            else if (way == 2)
                closefrom(0);
            else
                for (int i = 0; i < 700; i++)
                    dup2(i == 0 ? open("/dev/null", O_RDWR) : 0, i);
            put("daemon");
            if (fork() == 0) {
                put("daemon");
                _exit(0);
            }
            wait(NULL);
            put("daemon");
            _exit(0);
        }
        wait_for(child);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    if (argc > 1)
        chain(atoi(argv[1]), argv[0]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fork_often, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    daemons();
    pid_t child = fork();
    if (child == 0)
        chain(0, argv[0]);
    wait_for(child);
    printf("write child %d\nwrite parent %d\nwrite link %d\nwrite returned %d\nwrite daemon %d\n",
           THREADS * FORKS, THREADS * FORKS, 9, 5, 12);
    return 0;
}
