// Rules for regions: the run-time allowlist selects what the program reports, and gives it categories; so do the program's own switches, for a
// library that is closed and opened again too. Compilers ignore these rules. Regions can be sampled and aggregated like functions.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD && echo work > compile.txt
// RUN: %cc -O2 -I%include %plugin %allow=compile.txt %s -o prog %lib && %cc -O2 -fPIC -shared -DLIBRARY -I%include %s -o libplug.so
// RUN: count() { zcat trace-* | grep -v '"cat":"dftrace"' | grep -E '"ph":"[XiC]"' | sed 's/.*"name":"\([^"]*\)","cat":"\([^"]*\)".*/\1 \2/' | sort | uniq -c | sed 's/^ *//' | tr '\n' ',' && rm trace-*; }
// RUN: run() { printf "$1" > allow.txt; DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt ./prog $2 || exit 1; count > got.txt; cat got.txt; }
// RUN: DFTRACER_ENABLE=1 ./prog && count | grep -x '2 load APP,1 load config APP,2 loss APP,2 mark IO,1 work FUNC,'
//
// RUN: run 'region:lo*=DATA\n[never]\nregion:load config\n' | grep -x '2 load DATA,2 loss DATA,1 work FUNC,'
// RUN: run '[never]\nregion:mark\nfun:work\n' | grep -x '2 load APP,1 load config APP,2 loss APP,'
// RUN: run 'nothing\n' | grep -x '2 load APP,1 load config APP,2 loss APP,2 mark IO,'
// RUN: run 'work\nregion:m?rk\n' | grep -x '2 mark IO,1 work FUNC,'
//
// RUN: printf 'work\nregion:load=IO\n[never]\nregion:mark*\n[sample]\nregion:step\n' > both.txt
// RUN: %cc -O2 -I%include %plugin %allow=both.txt %arg-report=report.jsonl %s -o other %lib
// RUN: %dftrace check both.txt --report report.jsonl > check.txt 2>&1 && not grep warning check.txt
// RUN: %dftrace check both.txt region:load region:marker region:other region:step > check.txt
// RUN: grep -x 'region:load: recorded as IO, by line 2: region:load=IO' check.txt && grep -F 'region:marker: not recorded, by line 4: region:mark* in [never]' check.txt
// RUN: grep -x 'region:other: not recorded: no rule matches' check.txt && grep 'region:step: recorded, with CPU time and memory, by line 6' check.txt
// RUN: %dftrace check both.txt | grep 'records the region, instant or counter load, as category IO, at run time'
// RUN: echo 'region: ' > bad.txt; not %dftrace check bad.txt 2>&1 | grep "expected a region's name"
// RUN: printf 'work\nregion:lod\n' > typo.txt && DFTRACER_ALLOWLIST=typo.txt %dftrace run -- ./prog 2>&1 | grep "'region:lod' matched no region, instant or counter" && rm trace-*
//
// RUN: printf '[sample]\nregion:load\n' > allow.txt && DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt ./prog && zcat trace-* | grep '"name":"load"' | grep -c cpu_us | grep -x 2 && rm trace-*
// RUN: DFTRACER_ENABLE=1 DFTRACER_AGGREGATE='region:lo*' ./prog && zcat trace-* | grep '"name":"calls of load"' | grep '"count":2' && test -z "$(zcat trace-* | grep '"name":"load')" && rm trace-*
//
// RUN: DFTRACER_ENABLE=1 ./prog switches && count | grep -x '1 load APP,1 loss APP,1 mark IO,1 work FUNC,'
// RUN: DFTRACER_ENABLE=1 ./prog begins && count | grep -x '1 inner APP,1 outer APP,'
// RUN: DFTRACER_ENABLE=1 ./prog library && count | grep -x '3 plugged APP,'

#include <dftrace/dftrace.h>

#ifdef LIBRARY
void plug(void);

void plug(void)
{
    dftrace_instant("plugged");
}
#else
#include <dlfcn.h>
#include <string.h>

__attribute__((noinline)) void work(void)
{
    __asm__ volatile("");
}

static void report(void)
{
    DFTRACE_SCOPE("load");
    dftrace_instant_in("IO", "mark");
    dftrace_counter("loss", 0.5);
}

static void use_switches(void)
{
    dftrace_disable("load*"); /* the first use comes later */
    report();
    dftrace_enable("load");
    dftrace_disable("IO");
    dftrace_disable("loss");
    report();
}

/* Regions that are off must not be confused with those that are on. */
static void use_begins(void)
{
    dftrace_disable("off*");
    dftrace_begin("off outside");
    dftrace_begin("outer");
    dftrace_begin("off");
    dftrace_begin("inner");
    dftrace_begin("off");
    dftrace_end();
    dftrace_end();
    dftrace_end();
    dftrace_pause();
    dftrace_begin("paused");
    dftrace_resume();
    dftrace_end();
    dftrace_end();
    dftrace_end();
}

static int use_library(void)
{
    for (int i = 0; i < 4; i++) {
        void *library = dlopen("./libplug.so", RTLD_NOW);
        void (*plug)(void) = library ? (void (*)(void))dlsym(library, "plug") : NULL;
        if (!plug)
            return 1;
        if (i == 2)
            dftrace_disable("plugged");
        plug();
        dlclose(library);
        dftrace_enable("plugged"); /* must not touch what is unloaded */
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "begins") == 0) {
        use_begins();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "library") == 0)
        return use_library();
    if (argc > 1)
        use_switches();
    else
        for (int i = 0; i < 2; i++)
            report();
    {
        DFTRACE_SCOPE("load config");
        work();
    }
    return 0;
}
#endif
