// dftrace run: the program needs no library and no variable, keeps its arguments, output and exit
// status, and leaves a trace, a report on stderr and nothing else.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog
// RUN: code=0; echo input | %dftrace run ./prog 1000 -o --help > out.txt 2> err.txt || code=$?; test $code = 7
// RUN: FileCheck %s < out.txt --match-full-lines --check-prefix=OUT
// OUT:      arguments: 1000 -o --help
// OUT-NEXT: descriptors: 0 1 2
// OUT-NEXT: input
// OUT-NOT:  {{.}}
// RUN: FileCheck %s < err.txt --check-prefix=REPORT
// REPORT: trace {{.*}}/trace-prog-{{[0-9]+}}.pfw.gz
// REPORT: recorded 1001 calls of 2 functions
// REPORT: 1000 {{.*}} work
// RUN: %check-trace trace-prog-*.pfw.gz --only main work --count main=1 --count work=1000
// RUN: rm trace-* && test -z "$(ls -A spools)"
//
// Options, and a program that is found along PATH.
// RUN: mkdir elsewhere
// RUN: code=0; PATH=$PWD:$PATH %dftrace run -o elsewhere/t -e TRACE_COMPRESSION=0 --no-report -- prog 5 </dev/null 2> err.txt || code=$?; test $code = 7
// RUN: FileCheck %s < err.txt --check-prefix=QUIET --implicit-check-not=recorded
// QUIET: dftrace: note: trace: {{.*}}/elsewhere/t-prog-{{[0-9]+}}.pfw
// RUN: %check-trace elsewhere/t-prog-*.pfw --count work=5
//
// The same for a program linked with the runtime, also statically.
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o linked %lib
// RUN: code=0; %dftrace run --no-report ./linked 5 </dev/null 2> err.txt || code=$?; test $code = 7
// RUN: %check-trace trace-linked-*.pfw.gz --count work=5
// RUN: %cc -O2 -static %plugin %allow=allow.txt %s -o static -L%libdir -l:libdftrace.a
// RUN: code=0; %dftrace run --no-report ./static 5 </dev/null 2> err.txt || code=$?; test $code = 7
// RUN: %check-trace trace-static-*.pfw.gz --count work=5
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o archive -L%libdir -l:libdftrace.a
// RUN: code=0; %dftrace run --no-report ./archive 5 </dev/null 2> err.txt || code=$?; test $code = 7
// RUN: %check-trace trace-archive-*.pfw.gz --count work=5 && not grep nothing err.txt
//
// A closed descriptor stays closed.
// RUN: code=0; %dftrace run --no-report ./prog 5 <&- 2> err.txt > out.txt || code=$?; test $code = 7
// RUN: grep -x 'descriptors: 1 2' out.txt
//
// The exit status is the program's, even where there is no room for the report, or nobody to read
// it.
// RUN: code=0; %dftrace run ./prog 5 </dev/null 2> /dev/full || code=$?; test $code = 7
// RUN: %{python} -c 'import os, subprocess; pipe = os.pipe(); os.close(pipe[0]); \
// RUN:   assert subprocess.run(["%dftrace", "run", "./prog", "5"], stdin=subprocess.DEVNULL, stderr=pipe[1]).returncode == 7'
//
// Many calls through a small spool: nothing is dropped.
// RUN: code=0; %dftrace run -e SPOOL_MAX=256k -e WRITE_BUFFER_SIZE=64k -o small ./prog 60000 </dev/null 2> err.txt || code=$?; test $code = 7
// RUN: %check-trace small-prog-*.pfw.gz --count work=60000
// RUN: test -z "$(ls -A spools)"
//
// With very many calls the report takes a while, and says so. An ignored signal does not end it.
// RUN: mkfifo messages
// RUN: code=0; (trap "" HUP; exec %dftrace run -o many ./prog 5000000 </dev/null 2> messages) & front=$!; \
// RUN: while read -r line; do echo "$line"; case $line in *"adding up"*) kill -HUP $front;; esac; done < messages > err.txt; \
// RUN: wait $front || code=$?; test $code = 7
// RUN: FileCheck %s < err.txt --check-prefix=MANY
// MANY: note: trace: {{.*}}/many-prog-[[PID:[0-9]+]].pfw.gz
// MANY-NEXT: note: adding up 5000001 calls for the report; Ctrl-C leaves it out
// MANY-NEXT: trace {{.*}}/many-prog-[[PID]].pfw.gz
// MANY: recorded 5000001 calls
//
// Another signal ends the report, and the exit status is still the program's.
// RUN: code=0; %dftrace run -o many ./prog 12000000 </dev/null 2> messages & front=$!; \
// RUN: while read -r line; do echo "$line"; case $line in *"adding up"*) kill -TERM $front;; esac; done < messages > err.txt; \
// RUN: wait $front || code=$?; test $code = 7
// RUN: FileCheck %s < err.txt --check-prefix=ENDED --implicit-check-not=recorded
// ENDED: adding up
// ENDED-NEXT: note: left out: dftrace report {{.*}}/many-prog-{{[0-9]+}}.pfw.gz

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

int main(int argc, char **argv)
{
    char line[100];

    printf("arguments:");
    for (int i = 1; i < argc; i++)
        printf(" %s", argv[i]);
    printf("\ndescriptors:");
    for (int fd = 0; fd < 100; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf(" %d", fd);
    puts("");
    if (fgets(line, sizeof line, stdin))
        fputs(line, stdout);
    for (int i = 0; i < atoi(argv[1]); i++)
        work(i);
    return 7;
}
