// Options for the form of the trace: uncompressed, without source positions, all threads on one
// track, a path with a directory. A mistyped option is reported.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
//
// RUN: mkdir plain && DFTRACER_LOG_FILE=plain/t DFTRACER_TRACE_COMPRESSION=0 ./prog
// RUN: ls plain | FileCheck %s --check-prefix=PLAIN
// PLAIN: {{^}}t-prog-{{[0-9]+}}.pfw{{$}}
// RUN: head -c1 plain/t-prog-*.pfw | grep -Fx '['
// RUN: %check-trace plain/t-prog-*.pfw --only main work --count main=1 --count work=3
//
// RUN: mkdir positions && DFTRACER_LOG_FILE=positions/t ./prog
// RUN: %check-trace positions/t-prog-*.pfw.gz --tree --show args.file --show args.line \
// RUN:   | FileCheck %s --check-prefix=POSITIONS
// POSITIONS: main args.file={{.*}}trace-options.c args.line={{[1-9]}}
//
// RUN: mkdir bare && DFTRACER_LOG_FILE=bare/t DFTRACER_INC_METADATA=0 ./prog
// RUN: %check-trace bare/t-prog-*.pfw.gz --count main=1 --count work=3 --tree --show args.file \
// RUN:   --show args.line | FileCheck %s --check-prefix=BARE
// BARE: main args.file=None args.line=None
//
// RUN: mkdir tracks && DFTRACER_LOG_FILE=tracks/t ./prog
// RUN: %check-trace tracks/t-prog-*.pfw.gz --tree | grep -c thread | grep -x 3
// RUN: mkdir track && DFTRACER_LOG_FILE=track/t DFTRACER_DISABLE_TIDS=1 ./prog
// RUN: %check-trace track/t-prog-*.pfw.gz --overlap-ok --count work=3 --tree | grep -c thread | grep -x 1
//
// RUN: DFTRACER_TRACE_COMPRESION=0 DFTRACER_LOG_FILE=plain/u ./prog 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISTYPED
// MISTYPED: DFTRACER_TRACE_COMPRESION{{.*}}DFTRACER_TRACE_COMPRESSION
//
// A missing directory is reported once, and the program runs as before.
// RUN: DFTRACER_LOG_FILE=missing/t ./prog 2> missing.err
// RUN: FileCheck %s --check-prefix=MISSING --input-file=missing.err
// MISSING: missing/t
// MISSING-NOT: missing/t

#include <pthread.h>

static void *work(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
