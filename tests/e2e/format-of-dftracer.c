// DFTRACER_FORMAT=dftracer: one JSON object a line without commas, ids without gaps; the report counts the same calls.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: DFTRACER_LOG_FILE=json ./prog && DFTRACER_LOG_FILE=lines DFTRACER_FORMAT=dftracer ./prog
// RUN: zcat lines-prog-*.pfw.gz > lines.txt && head -n1 lines.txt | grep -Fx '[' && tail -n1 lines.txt | grep -Fx ']'
// RUN: sed '1d;$d' lines.txt | python3 -c 'import json, sys; assert all(json.loads(line)["id"] == i for i, line in enumerate(sys.stdin))'
//
// RUN: for trace in lines json; do %dftrace report --json $trace-prog-*.pfw.gz | grep -o '"function":"[a-z]*"\|"calls":[0-9]*' \
// RUN:   | sort > $trace.calls || exit 1; done
// RUN: cmp lines.calls json.calls && grep -Fx '"calls":1000' lines.calls
//
// Ids have no gap where another writer has continued the trace of a program that was killed.
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: DFTRACER_LOG_FILE=killed DFTRACER_FORMAT=dftracer DFTRACER_WRITE_BUFFER_SIZE=64k ./prog die || true
// RUN: test -s killed-prog-*.pfw.gz && %dftrace recover dftrace-* > /dev/null && zcat killed-prog-*.pfw.gz > killed.txt
// RUN: sed '1d;$d' killed.txt | python3 -c 'import json, sys; assert all(json.loads(line)["id"] == i for i, line in enumerate(sys.stdin))'
// RUN: grep -c '"name":"work","cat"' killed.txt | grep -x 300000
//
// RUN: code=0; DFTRACER_FORMAT=xml %dftrace run ./prog 2> err.txt || code=$?; test $code = 125
// RUN: grep "expected json or dftracer" err.txt
#include <signal.h>
#include <unistd.h>

static int __attribute__((noinline)) work(int n)
{
    volatile int kept = n;
    return kept * 2;
}

int main(int argc, char **argv)
{
    int sum = 0;

    for (int i = 0; i < (argc > 1 ? 300000 : 1000); i++) {
        sum += work(i);
        if (i == 200000)
            usleep(300000); /* the writer writes what there is */
    }
    if (argc > 1 && argv[1])
        kill(getpid(), SIGKILL);
    return sum < 0;
}
