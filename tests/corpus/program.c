/*
 * The program whose traces and spools are in this directory: two functions, a thread, and a call
 * that is still open at the end. With an argument, the program ends by SIGKILL.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static __attribute__((noinline)) int step(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static __attribute__((noinline)) int solve(int steps)
{
    int x = 0;

    for (int i = 0; i < steps; i++)
        x = step(x);
    return x;
}

static __attribute__((noinline)) void *work(void *unused)
{
    solve(10);
    return unused;
}

static __attribute__((noinline)) void wait_for_end(int dies)
{
    solve(5);
    if (dies)
        kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    pthread_t thread;

    (void)argv;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    wait_for_end(argc > 1);
    return 0;
}
