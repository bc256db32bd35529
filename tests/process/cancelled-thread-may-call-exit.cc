// A thread that has been cancelled may still call exit(). The runtime adds no cancellation point to
// exit, so the program ends as without tracing, with all of its calls.
//
// RUN: printf 'work\n' > allow.txt
// RUN: %cxx -O2 -pthread %s -o plain
// RUN: %cxx -O2 -pthread %plugin %allow=allow.txt %s -o shared %lib
// RUN: %cxx -O2 -pthread %plugin %allow=allow.txt %s -o archive -L%libdir -l:libdftrace.a
// RUN: %cxx -O2 -pthread %plugin %allow=allow.txt %s -o static -static -L%libdir -l:libdftrace.a
// RUN: for who in main thread; do for prog in plain shared archive static; do \
// RUN:   code=0; DFTRACER_ENABLE=1 ./$prog $who || code=$?; test $code = 7; done; \
// RUN:   for prog in shared archive static; do \
// RUN:     %check-trace trace-$prog-*.pfw.gz --only work --count work=1000; done; rm trace-*; done

#include <cstdlib>
#include <cstring>
#include <pthread.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void *end_program(void *unused)
{
    for (int i = 0; i < 1000; i++)
        work(i);
    pthread_cancel(pthread_self());
    exit(7);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc > 1 && strcmp(argv[1], "main") == 0)
        end_program(nullptr);
    if (pthread_create(&thread, nullptr, end_program, nullptr) != 0)
        return 1;
    pthread_join(thread, nullptr);
    return 2;
}
