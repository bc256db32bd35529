// The options that limit what is recorded of functions do the same for regions: depth, duration, aggregation, budget; and `dftrace ctl` switches
// them and gives them a list, in a running program that has no instrumented function.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: %cc -O2 -I%include %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_MAX_DEPTH=3 ./prog deep && %check-trace trace-* && %show-events trace-* > shown.txt && rm trace-*
// RUN: grep -c 'region level' shown.txt | grep -x 3 && grep -x '  region after' shown.txt && grep -x '    region inside' shown.txt
// RUN: DFTRACER_ENABLE=1 DFTRACER_MIN_DURATION=1000s ./prog hot && zcat trace-* | grep '"name":"calls of hot"' | grep '"count":' && %check-trace trace-* && test -z "$(%show-events trace-* | grep 'region hot')" && rm trace-*
// RUN: DFTRACER_ENABLE=1 DFTRACER_AGGREGATE=all ./prog hot && %check-trace trace-* --count hot=3000000 && rm trace-*
// RUN: DFTRACER_ENABLE=1 DFTRACER_BUDGET=0.01%% ./prog hot && %check-trace trace-* --count hot=3000000 && test $(zcat trace-* | grep -c '"name":"hot"') -lt 1000000 && rm trace-*
//
// RUN: DFTRACER_ENABLE=attach ./prog wait > pid.txt & job=$!
// RUN: until test -s pid.txt && %dftrace ctl $(cat pid.txt) status > status.txt 2>&1; do sleep 0.1; done
// RUN: pid=$(cat pid.txt); printf 'region:tick=TICK\n' > allow.txt
// RUN: %dftrace ctl $pid on && touch go1 && until test -e done1; do sleep 0.05; done
// RUN: %dftrace ctl $pid set allow.txt && touch go2 && until test -e done2; do sleep 0.05; done
// RUN: %dftrace ctl $pid off && touch go3 && wait $job && %check-trace trace-* && %show-events trace-* > shown.txt && rm trace-*
// RUN: printf 'thread prog\n  region waiting {"n": 1}\n    instant tick {"n": 1}\n    instant tock {"n": 1}\n  instant tick [TICK] {"n": 2}\n' | diff - shown.txt

#include <dftrace/dftrace.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void go_deep(void)
{
    dftrace_begin("level", "n", 1);
    {
        DFTRACE_SCOPE("level");
        dftrace_begin("level", "n", 3);
        dftrace_begin("too deep"); /* their ends must not end others */
        dftrace_begin("too deep", "n", 5);
        dftrace_end();
        dftrace_end();
        dftrace_end();
    }
    dftrace_begin("inside");
    dftrace_end();
    dftrace_end();
    DFTRACE_SCOPE("after");
}

static void be_hot(void)
{
    for (int i = 0; i < 3000000; i++) {
        DFTRACE_SCOPE("hot");
        __asm__ volatile("");
    }
}

static void wait_for(const char *name)
{
    while (access(name, F_OK) != 0)
        usleep(10000);
}

static void report(int number)
{
    DFTRACE_SCOPE("waiting", "n", number);
    dftrace_instant("tick", "n", number);
    dftrace_instant("tock", "n", number);
}

static void wait_for_requests(void)
{
    report(0); /* nothing is recorded yet */
    printf("%d\n", (int)getpid());
    fflush(stdout);
    wait_for("go1");
    report(1);
    fclose(fopen("done1", "w"));
    wait_for("go2");
    report(2);
    fclose(fopen("done2", "w"));
    wait_for("go3");
    report(3);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    if (strcmp(way, "deep") == 0)
        go_deep();
    else if (strcmp(way, "hot") == 0)
        be_hot();
    else
        wait_for_requests();
    return 0;
}
