// After fork, parent and child each have their own trace: the child's begins at the fork, the
// parent's is complete, and neither has calls of the other. The child may have threads.
//
// RUN: printf 'before\nin_parent\nin_child\nin_thread\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog > pids.txt
// RUN: test $(ls trace-prog-*.pfw.gz | wc -l) = 2
// RUN: %check-trace trace-prog-$(sed -n 's/parent //p' pids.txt).pfw.gz --only before in_parent \
// RUN:   --count before=1 --count in_parent=1000
// RUN: %check-trace trace-prog-$(sed -n 's/child //p' pids.txt).pfw.gz --only in_child in_thread \
// RUN:   --count in_child=500 --count in_thread=1

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

static NOINLINE void before(void)
{
    sink = 1;
}

static NOINLINE void in_parent(int x)
{
    sink = x;
}

static NOINLINE void in_child(int x)
{
    sink = x;
}

static void *in_thread(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    int status;

    before();
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 500; i++)
            in_child(i);
        if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
            return 1;
        return pthread_join(thread, NULL);
    }
    for (int i = 0; i < 1000; i++)
        in_parent(i);
    if (waitpid(child, &status, 0) != child || status != 0)
        return 1;
    printf("parent %d\nchild %d\n", (int)getpid(), (int)child);
    return 0;
}
