// With DFTRACER_SAMPLE=alloc a sampled call has the number and the size of its allocations: by
// malloc and related functions, by operator new, for each thread its own. The program's memory is
// managed as before. Without the option there are no such figures; if the counting library is
// missing, that is reported.
//
// RUN: printf '[sample]\nallocate*\nnothing\nrun*\n' > allow.txt
// RUN: %cxx -O1 -fno-builtin -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_SAMPLE=alloc %dftrace run --no-report ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count allocate_all=1 --count allocate_new=1 --count nothing=1 \
// RUN:   --count run_thread=2 --tree --show args.alloc_count --show args.alloc_bytes | FileCheck %s
// CHECK-DAG: allocate_all args.alloc_count=9 args.alloc_bytes=4690
// CHECK-DAG: allocate_new args.alloc_count=2 args.alloc_bytes=808
// CHECK-DAG: nothing args.alloc_count=0 args.alloc_bytes=0
// CHECK-COUNT-2: run_thread args.alloc_count=1000 args.alloc_bytes=10000
//
// RUN: rm trace-* && DFTRACER_ENABLE=1 DFTRACER_SAMPLE=alloc LD_PRELOAD=%libdir/libdftrace-preload.so ./prog
// RUN: zcat trace-*.gz | grep '"name":"allocate_new' | grep '"alloc_bytes":808,"alloc_count":2}'
// RUN: rm trace-* && DFTRACER_ENABLE=1 DFTRACER_SAMPLE=alloc ./prog 2> said.txt
// RUN: grep -c libdftrace-preload.so said.txt | grep -x 1
// RUN: zcat trace-*.gz | not grep alloc_bytes
// RUN: rm trace-* && %dftrace run --no-report ./prog
// RUN: zcat trace-*.gz | not grep alloc_bytes
// RUN: LD_PRELOAD=%libdir/libdftrace-preload.so bash -c 'ls -l / > listed.txt && cat listed.txt | sort > sorted.txt'

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <pthread.h>

static void *kept[16];

extern "C" __attribute__((noinline)) void allocate_all()
{
    kept[0] = malloc(1000);
    kept[1] = calloc(10, 20);
    kept[2] = realloc(NULL, 300);
    kept[2] = realloc(kept[2], 700);
    if (posix_memalign(&kept[3], 64, 400) != 0)
        abort();
    kept[4] = aligned_alloc(128, 512);
    kept[5] = memalign(32, 600);
    kept[6] = valloc(600);
    kept[7] = reallocarray(NULL, 9, 42);
    free(malloc(0x7fffffffffffff00)); /* there is not so much */
    for (int i = 0; i < 8; i++)
        free(kept[i]);
}

extern "C" __attribute__((noinline)) void allocate_new()
{
    char *text = new char[800];
    int64_t *number = new int64_t(5);

    __asm__ volatile("" : "+r"(text), "+r"(number)); /* the compiler could do without them */
    delete number;
    delete[] text;
}

extern "C" __attribute__((noinline)) void nothing()
{
    kept[0] = NULL;
}

extern "C" void *run_thread(void *unused)
{
    for (int i = 0; i < 1000; i++)
        free(malloc(10));
    return unused;
}

int main()
{
    pthread_t threads[2];

    free(malloc(5));
    allocate_all();
    allocate_new();
    nothing();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run_thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
