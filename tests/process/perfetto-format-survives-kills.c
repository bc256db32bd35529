// Traces in Perfetto's format: of a program that ends, in one member and in many; of one that is killed, written by
// `dftrace run`, and completed by `dftrace recover` where the program's own writer was killed. Perfetto
// reads each of them without an error, and no call is missing.
//
// REQUIRES: perfetto
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools DFTRACER_FORMAT=perfetto
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_WRITE_BUFFER_SIZE=4096
// RUN: %dftrace run --no-report -o a-run ./prog end
// RUN: not --crash %dftrace run --no-report -o b-killed ./prog kill
// RUN: DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=c-direct ./prog end
// RUN: DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=d-plain DFTRACER_TRACE_COMPRESSION=0 ./prog end
// RUN: DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=e-recovered not --crash ./prog kill
// RUN: %dftrace recover
// RUN: %perfetto-loads [a-e]-*.pftrace | FileCheck %s
//
// Of each: 100000 calls, main, the start, the end and the functions. Perhaps own work of dftrace.
// CHECK-COUNT-5: {{^}}1000{{[0-9][0-9]}} slices, 0 without an end
// CHECK-NOT: {{.}}
//
// RUN: test -z "$(ls -A spools)"

#include <signal.h>
#include <string.h>

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 100000; i++)
        work(i);
    if (argc > 1 && strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    return 0;
}
