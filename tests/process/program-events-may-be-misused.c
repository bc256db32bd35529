// Whatever a program does wrong with dftrace.h: the trace is valid, the program goes on, memory is bounded, and one line says how often.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD DFTRACER_ENABLE=1
// RUN: %cc -O2 -w -pthread -I%include %s -o prog %lib
// RUN: run() { timeout -s KILL 100 ./prog $1 2> said.txt || exit 1; %check-trace trace-prog-*.pfw.gz || exit 1; zcat trace-* > trace.txt; %show-events trace-* > shown.txt; rm trace-*; }
// RUN: warned() { test $(wc -l < said.txt) = 1 && grep -E "$1" said.txt; }
//
// RUN: run ends && warned '3 ends of regions that had not begun$' && grep -c 'region' shown.txt | grep -x 5
// RUN: run other && warned '1 ends of regions that had not begun$' && grep 'region mine ...' shown.txt
// RUN: run null && warned '5 missing names and keys, 1 uses of a track that does not exist$' && grep 'instant ? {"?": null}' shown.txt && grep 'track ?' shown.txt
// RUN: run long && warned '2 values that were too long$' && grep 'instant text {"text": "x\{900,1000\}…", "after": 7}' shown.txt && grep -c 'instant xxx*$' shown.txt | grep -x 1
// RUN: run bytes && test ! -s said.txt && grep 'instant bytes' shown.txt
// RUN: run deep && warned '2 values that were too long, 3981 events that could not be recorded$'
// RUN: %cc -O2 -w -pthread -static -I%include %s -o static -L%libdir -ldftrace && cp prog dynamic && mv static prog && run around && mv dynamic prog && test ! -s said.txt && grep 'instant in a constructor' shown.txt && grep 'instant in main' shown.txt && not grep 'in a destructor' shown.txt
// RUN: run signals && test ! -s said.txt && grep -c 'instant in a handler {"n": 1}' shown.txt | grep -x 1000
// RUN: run threads && test ! -s said.txt && grep -c 'region scope {"n": 3}' shown.txt | grep -x 6400 && grep -c 'region on track' shown.txt | grep -x 6400 && tail -1 shown.txt | grep 'track'
// RUN: run names && warned '[0-9]+ names and keys beyond the limit of different ones$' && grep -c '"name":"name [0-9]*","cat":"APP","ph":"i"' trace.txt | grep -x 1000000 && grep -c '  region ' shown.txt | grep -x 10001 && grep 'region dftrace: another name {"name": "name 999900", ' shown.txt
//
// RUN: timeout -s KILL 60 ./prog fork > pids.txt 2> said.txt && test ! -s said.txt && for pid in $(cat pids.txt); do %check-trace trace-prog-$pid.pfw.gz || exit 1; done
// RUN: %show-events trace-prog-$(sed -n 1p pids.txt).pfw.gz > shown.txt && grep -A1 'region open' shown.txt | grep 'instant child' && grep 'region child' shown.txt && grep 'track gpu' shown.txt
// RUN: cat trace-*.gz | zcat | grep -o '"id":"0x[0-9a-f]*"' | sort | uniq -c | awk '$1 != 1' > twice.txt && test ! -s twice.txt && rm trace-*

#include <dftrace/dftrace.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_around;

__attribute__((constructor(150))) static void begin(void)
{
    dftrace_instant("in a constructor", "n", 1);
    dftrace_begin("from a constructor");
    dftrace_end();
}

/* In a static program, this runs after the destructor of the library. */
__attribute__((destructor(100))) static void end(void)
{
    if (!is_around)
        return;
    for (int i = 0; i < 10000; i++) {
        DFTRACE_SCOPE("in a destructor", "n", 1);
        dftrace_instant("in a destructor", "n", 1);
        dftrace_counter_add("in a destructor", 1);
    }
    dftrace_end_on(dftrace_track_new("late"));
    dftrace_thread_name("late");
    dftrace_metadata("late", 1);
    dftrace_flush();
}

static void end_too_often(void)
{
    dftrace_end();
    dftrace_begin("once");
    dftrace_end();
    dftrace_end();
    dftrace_begin("left open");
    {
        DFTRACE_SCOPE("block");
        dftrace_begin("ended by nobody");
    }
    dftrace_end();
    dftrace_end();
    dftrace_end();
}

static void *end_mine(void *unused)
{
    dftrace_end();
    return unused;
}

static void end_in_another_thread(void)
{
    pthread_t thread;

    dftrace_begin("mine");
    pthread_create(&thread, NULL, end_mine, NULL);
    pthread_join(thread, NULL);
}

static void use_null(void)
{
    const char *volatile null = NULL;

    dftrace_instant(null, null, null);
    dftrace_thread_name(null);
    dftrace_end_on(0);
    dftrace_track track = dftrace_track_new(null);
    dftrace_begin_on(track, null);
    dftrace_end_on(track);
    dftrace_enable(null);
    dftrace_disable(null);
    dftrace_flow_end(0);
    __dftrace_event_instant(NULL, NULL, 3);
    __dftrace_region_values(NULL, 1, NULL, 3);
    __dftrace_region_begin(NULL, NULL, 3);
    __dftrace_metadata(NULL);
}

static void use_long_texts(void)
{
    const size_t size = 10 << 20;
    char *text = malloc(size + 1);

    memset(text, 'x', size);
    text[size] = '\0';
    dftrace_instant("text", "text", text, "after", 7);
    dftrace_instant(text);
    dftrace_thread_name(text);
    dftrace_instant("list", "list", dftrace_list_of(NULL, 1000000), "key", 1);
    free(text);
}

static void use_bytes(void)
{
    char text[256];

    for (int i = 0; i < 255; i++)
        text[i] = (char)(i + 1);
    text[255] = '\0';
    dftrace_instant("bytes", "bytes", text, text, 1);
    dftrace_instant(text);
    DFTRACE_SCOPE(text, text, text);
}

static void use_deep_lists(void)
{
    struct dftrace_value values[100], many[5000];

    values[0] = dftrace_value(1);
    for (int i = 1; i < 100; i++)
        values[i] = dftrace_list_of(&values[i - 1], 1);
    dftrace_instant("deep", "list", values[99]);
    for (int i = 0; i < 5000; i++)
        many[i] = dftrace_value(i);
    dftrace_instant("wide", "list", dftrace_list_of(many, 5000), "after", 1);
    for (int i = 0; i < 5000; i++)
        dftrace_begin("deeper and deeper", "i", i);
    for (int i = 0; i < 5000; i++)
        dftrace_end();
}

static void handle(int signal)
{
    (void)signal;
    DFTRACE_SCOPE("handler", "n", 1);
    dftrace_instant("in a handler", "n", 1);
    dftrace_counter_add("handled", 1);
    dftrace_begin_on(dftrace_track_new("track"), "from a handler");
    dftrace_end_on(dftrace_track_new("track"));
}

static void use_signals(void)
{
    signal(SIGUSR1, handle);
    for (int i = 0; i < 1000; i++)
        raise(SIGUSR1);
}

static void *use_thread(void *unused)
{
    char name[32];

    for (int i = 0; i < 100; i++) {
        DFTRACE_SCOPE("scope", "n", 3);
        snprintf(name, sizeof name, "name %d", i);
        dftrace_instant(name, name, i);
        dftrace_counter_add("all", 1);
        dftrace_track track = dftrace_track_new(name);
        dftrace_begin_on(track, "on track");
        dftrace_end_on(track);
    }
    return unused;
}

static void use_threads(void)
{
    pthread_t threads[64];

    for (int i = 0; i < 64; i++)
        pthread_create(&threads[i], NULL, use_thread, NULL);
    for (int i = 0; i < 64; i++)
        pthread_join(threads[i], NULL);
}

static int use_names(void)
{
    struct rusage before, after;
    char name[32];

    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < 1000000; i++) {
        snprintf(name, sizeof name, "name %d", i);
        dftrace_instant(name);
        if (i % 100 == 0) {
            DFTRACE_SCOPE(name, name, i);
            dftrace_counter(name, i);
        }
    }
    getrusage(RUSAGE_SELF, &after);
    return after.ru_maxrss - before.ru_maxrss > 400 << 10; /* KiB */
}

static int use_fork(void)
{
    dftrace_track gpu = dftrace_track_new("gpu");

    dftrace_begin_on(gpu, "parent");
    dftrace_begin("open", "key", "value");
    pid_t child = fork();
    if (child == 0) {
        dftrace_instant("child", "n", 1);
        dftrace_begin_on(gpu, "child");
        dftrace_end_on(gpu);
        for (int i = 0; i < 10000; i++)
            dftrace_flow_begin();
        dftrace_end();
        exit(0);
    }
    waitpid(child, NULL, 0);
    for (int i = 0; i < 10000; i++)
        dftrace_flow_begin();
    dftrace_end();
    dftrace_end_on(gpu);
    printf("%d\n%d\n", (int)child, (int)getpid());
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*use)(void);
    } ways[] = {{"ends", end_too_often},  {"other", end_in_another_thread},
                {"null", use_null},       {"long", use_long_texts},
                {"bytes", use_bytes},     {"deep", use_deep_lists},
                {"signals", use_signals}, {"threads", use_threads}};
    const char *way = argc > 1 ? argv[1] : "";

    if (strcmp(way, "names") == 0)
        return use_names();
    if (strcmp(way, "fork") == 0)
        return use_fork();
    is_around = strcmp(way, "around") == 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(way, ways[i].name) == 0)
            ways[i].use();
    dftrace_instant("in main");
    return 0;
}
