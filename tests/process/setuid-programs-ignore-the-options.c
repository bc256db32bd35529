// A set-uid program ignores the options in its caller's environment: nothing is traced and no file
// is created, and a configuration file is not looked for. The same program without the set-uid bit
// is traced.
//
// REQUIRES: root, setpriv
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -static -pthread %plugin %allow=allow.txt %s -o prog -L%libdir -l:libdftrace.a
// RUN: place=$(mktemp -d -p /tmp) && trap 'rm -rf "$place"' EXIT && chmod 755 $place
// RUN: mkdir $place/out && chmod 777 $place/out && cp prog $place/prog && cp prog $place/setuid
// RUN: chown 12345 $place/setuid && chmod 4755 $place/setuid
// RUN: export DFTRACER_ENABLE=1 DFTRACER_LOG_LEVEL=TRACE DFTRACER_LOG_FILE=$place/out/t DFTRACER_SPOOL_DIR=$place/out
// RUN: cd $place/out && DFTRACER_CONFIGURATION=missing.yaml setpriv --reuid=65534 --regid=65534 --clear-groups ../setuid > said.txt 2>&1
// RUN: grep -x 'secure 1 user 12345' $place/out/said.txt && test $(cat $place/out/said.txt | wc -l) = 1
// RUN: test $(ls $place/out) = said.txt
// RUN: cd $place/out && setpriv --reuid=65534 --regid=65534 --clear-groups ../prog > said.txt
// RUN: grep -x 'secure 0 user 65534' $place/out/said.txt
// RUN: %check-trace $place/out/t-prog-*.pfw.gz --count main=1 --count work=10

#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline)) static void work(long x)
{
    sink = x;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        work(i);
    printf("secure %lu user %d\n", getauxval(AT_SECURE), (int)geteuid());
    return 0;
}
