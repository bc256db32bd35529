// Programs with a sanitizer run under --io as they do alone: same output and status, each call once, in
// threads and in a forked child too, also where each process writes its own trace, and without the calls
// that a sanitizer makes in threads of dftrace; and a fault is found as before, with all calls before it in
// the trace.
//
// RUN: for kind in address thread undefined; do \
// RUN:   if ! %cc -w -g -O1 -pthread -fsanitize=$kind %s -o $kind 2> err.txt; then echo "skipped: no -fsanitize=$kind"; continue; fi; \
// RUN:   setarch -R ./$kind > alone.txt || exit 1; \
// RUN:   setarch -R %dftrace run --io --no-report -o $kind -- ./$kind > out.txt 2> err.txt || exit 1; \
// RUN:   cmp alone.txt out.txt; not grep -E "ERROR|WARNING: Thread|runtime error" err.txt; \
// RUN:   test $(zcat $kind-$kind-*.gz | grep -c '"name":"pwrite".*/data"') = 404 || exit 1; \
// RUN:   test $(zcat $kind-$kind-*.gz | grep -c '"name":"fputs".*/stream"') = 4 || exit 1; \
// RUN:   setarch -R env ASAN_OPTIONS=verify_asan_link_order=0 TSAN_OPTIONS=die_after_fork=0 DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/own-$kind \
// RUN:     LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so timeout 60 ./$kind > out.txt 2> err.txt || exit 1; \
// RUN:   cmp alone.txt out.txt; test $(zcat own-$kind-$kind-*.gz | grep -c '"name":"pwrite".*/data"') = 404 || exit 1; \
// RUN:   test $(zcat own-$kind-$kind-*.gz | sed -n 's/.*"cat":"\(POSIX\|STDIO\)".*"tid":\([0-9]*\).*/\2/p' | sort -u | wc -l) = 6 || exit 1; \
// RUN: done
// RUN: if test -e address; then code=0; ASAN_OPTIONS=exitcode=77 %dftrace run --io --no-report -o fault -- ./address fault > out.txt 2> err.txt || code=$?; \
// RUN:   test $code = 77 && grep -q heap-use-after-free err.txt && test $(zcat fault-address-*.gz | grep -c '"name":"pwrite".*/data"') = 404; fi

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd;

static void *work(void *unused)
{
    char *text = strdup("text");

    for (int i = 0; i < 100; i++)
        pwrite(fd, text, 4, i * 4);
    FILE *stream = fopen("stream", "a");
    fputs(text, stream);
    fclose(stream);
    free(text);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    int status;

    fd = open("data", O_CREAT | O_RDWR | O_TRUNC, 0600);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    if (fork() == 0) {
        for (int i = 0; i < 4; i++)
            pwrite(fd, "x", 1, i);
        _exit(3);
    }
    wait(&status);
    printf("%d %ld\n", WEXITSTATUS(status), (long)lseek(fd, 0, SEEK_END));
    if (argc > 1) {
        char *freed = malloc(4);
        free(freed);
        write(1, freed, 4); /* the sanitizer checks the buffers of calls */
    }
    return 0;
}
