// The hooks do not change errno: not on the first call of a thread, when most of the setup happens,
// and not when records are passed to the writer.
//
// RUN: printf 'keep\nrun\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count keep=200000 --count run=2

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static __attribute__((noinline)) int keep(int value)
{
    int before = errno;
    errno = value;
    return before;
}

static __attribute__((noinline)) void *run(void *argument)
{
    static char failed;

    errno = 12345;
    if (keep(0) != 12345)
        return &failed;
    for (int i = 1; i < 100000; i++) {
        if (keep(i) != i - 1 || errno != i)
            return &failed;
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    errno = 12345;
    return result == NULL && run(NULL) == NULL ? 0 : 1;
}
