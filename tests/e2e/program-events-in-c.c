// Everything that dftrace.h offers, in C: the trace has what the program has reported, in C99 and without optimization too, and the
// compiler has nothing to say about it. Without a runtime, untraced or with DFTRACE_DISABLE it does nothing.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD && echo step > allow.txt && sed -n 's#^// SHOWN: \?##p' %s > expected.txt
// RUN: warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-comment"
//
// RUN: for options in "-O0 -std=c99" "-O2 -std=c99" "-O2 -std=c11" "-O3 -std=gnu17"; do \
// RUN:   %cc $options $warnings -pthread -I%include %plugin %allow=allow.txt %s -o prog %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./prog && %check-trace trace-* && %show-events trace-* > shown.txt && diff expected.txt shown.txt && rm trace-* || exit 1; done
// RUN: ./prog && test -z "$(ls | grep -E 'trace-|dftrace-')"
//
// Neither plugin nor runtime: dftrace run brings the runtime.
// RUN: %cc -O2 $warnings -pthread -I%include %s -o plain && ./plain && grep -v step expected.txt | sed 's/thread prog/thread plain/' > plain.txt
// RUN: %dftrace run -- ./plain > report.txt && %show-events trace-* > shown.txt && diff plain.txt shown.txt && rm trace-*
//
// The plain option of the linker is enough: the object refers to the runtime. A static program has it too.
// RUN: %cc -O2 -pthread -I%include %s -o linked -L%libdir -Wl,-rpath,%libdir -Wl,--as-needed -ldftrace
// RUN: DFTRACER_ENABLE=1 ./linked && %show-events trace-* | sed 's/thread linked/thread plain/' | diff plain.txt - && rm trace-*
// RUN: %cc -O2 -pthread -I%include -static %s -o linked -L%libdir -ldftrace
// RUN: DFTRACER_ENABLE=1 ./linked && %show-events trace-* | sed 's/thread linked/thread plain/' | diff plain.txt - && rm trace-*
//
// In a shared library, which needs no runtime either.
// RUN: %cc -O2 -pthread -fPIC -shared -Dmain=entry -I%include %s -o libevents.so
// RUN: echo 'int entry(void); int main(void) { return entry(); }' > main.c && %cc main.c -o linked -L. -levents -Wl,-rpath,$PWD && ./linked
// RUN: %dftrace run -- ./linked > report.txt && %show-events trace-* | sed 's/thread linked/thread plain/' | diff plain.txt - && rm trace-*
//
// RUN: for options in "-O0 -std=c99" "-O2 -std=c11"; do %cc $options $warnings -DDFTRACE_DISABLE -I%include -c %s -o disabled.o && nm disabled.o > symbols.txt && not grep dftrace symbols.txt || exit 1; done
//
// Keys and values come in pairs.
// RUN: for call in 'dftrace_instant("a", "b")' 'DFTRACE_SCOPE("a", "b", 1, "c")' 'dftrace_begin("a", "b")' 'dftrace_instant("a", "m", DFTRACE_MAP("b"))'; do \
// RUN:   echo "#include <dftrace/dftrace.h>" > odd.c && echo "void f(void) { $call; }" >> odd.c && not %cc -I%include -c odd.c 2> errors.txt && grep each_key_needs_a_value errors.txt || exit 1; done
//
// SHOWN: thread main thread
// SHOWN:   region load {"path": "a/b", "bytes": 123456789012345678}
// SHOWN:     region inner
// SHOWN:       region step [FUNC]
// SHOWN:     region read [IO] {"ok": true}
// SHOWN:   region later {"first": 1, "second": "two"}
// SHOWN:   region epoch {"n": 1}
// SHOWN:     region batch [TRAIN]
// SHOWN:       region any name {"n": 2}
// SHOWN:   instant types {"c": 97, "s": -1, "i": -2, "l": -3, "ll": -4, "uc": 1, "us": 2, "u": 3, "ul": 4, "ull": "18446744073709551615"}
// SHOWN:   instant more types {"f": 0.5, "d": 0.25, "ld": 0.125, "b": false, "t": "text", "array": "chars", "null": null, "p": "0x10", "enum": 7}
// SHOWN:   instant nested {"list": [1, "two", 3.5, [true]], "map": {"a": 1, "b": {"c": [2]}}}
// SHOWN:   instant made {"list": [0, 1, 4], "map": {"k0": 0, "k1": 1, "k2": 2}}
// SHOWN:   instant any name
// SHOWN:   instant any name {"n": 3}
// SHOWN:   instant mark [IO]
// SHOWN:   counter loss {"value": 0.5}
// SHOWN:   counter memory {"bytes": 4096}
// SHOWN:   counter read {"value": 10}
// SHOWN:   counter read {"value": 15}
// SHOWN:   counter heat [GPU] {"C": 71.5}
// SHOWN:   counter any name {"MB": 3}
// SHOWN:   counter any name {"MB": 7}
// SHOWN:   flow begins #1
// SHOWN: thread helper
// SHOWN:   region receive
// SHOWN:     flow continues #1
// SHOWN: track GPU 0
// SHOWN:   region kernel {"blocks": 4}
// SHOWN: track GPU 0/copy queue in GPU 0
// SHOWN:   region upload [COPY] {"bytes": 4096}
// SHOWN:     instant half
// SHOWN:     region part
// SHOWN: metadata {"dataset": "imagenet"}
// SHOWN: metadata {"shape": [2, 3]}

#include <dftrace/dftrace.h>

#include <pthread.h>
#include <stdbool.h>

enum kind { KIND = 7 };

static uint64_t flow;
static dftrace_track copy;

__attribute__((noinline)) void step(void);

__attribute__((noinline)) void step(void)
{
    __asm__ volatile("");
}

static void *help(void *unused)
{
    (void)unused;
    dftrace_thread_name("helper");
    DFTRACE_SCOPE("receive");
    dftrace_flow_step(flow);
    dftrace_instant_on(copy, "half");
    dftrace_begin_on(copy, "part");
    return NULL;
}

static void use_regions(const char *name)
{
    {
        const char *path = "a/b";
        unsigned long size = 123456789012345678;
        DFTRACE_SCOPE("load", "path", path, "bytes", size);
        {
            DFTRACE_SCOPE("inner");
            step();
        }
        DFTRACE_SCOPE_IN("IO", "read", "ok", (bool)true);
    }
    {
        DFTRACE_SCOPE_AS(later, "later", "first", 1);
        dftrace_add(later, "second", "two");
    }
    dftrace_begin("epoch", "n", 1);
    dftrace_begin_in("TRAIN", "batch");
    dftrace_begin(name, "n", 2);
    dftrace_end();
    dftrace_end();
    dftrace_end();
}

static void use_values(const char *name)
{
    char array[] = "chars";
    const char *null = NULL;
    struct dftrace_value list[3], map[3];
    const char *const keys[] = {"k0", "k1", "k2"};

    dftrace_instant("types", "c", 'a' + 0, "s", (short)-1, "i", -2, "l", -3L, "ll", -4LL, "uc",
                    (unsigned char)1, "us", (unsigned short)2, "u", 3u, "ul", 4ul, "ull",
                    UINT64_MAX);
    dftrace_instant("more types", "f", 0.5f, "d", 0.25, "ld", 0.125L, "b", (bool)false, "t", "text",
                    "array", array, "null", null, "p", (void *)16, "enum", KIND);
    dftrace_instant("nested", "list", DFTRACE_LIST(1, "two", 3.5, DFTRACE_LIST((bool)true)), "map",
                    DFTRACE_MAP("a", 1, "b", DFTRACE_MAP("c", DFTRACE_LIST(2))));
    for (int i = 0; i < 3; i++) {
        list[i] = dftrace_value(i * i);
        map[i] = dftrace_pair(keys[i], i);
    }
    dftrace_instant("made", "list", dftrace_list_of(list, 3), "map", dftrace_map_of(map, 3));
    dftrace_instant(name);
    name ? dftrace_instant(name, "n", 3) : (void)0;
    if (!name)
        dftrace_end();
    else
        dftrace_instant_in("IO", "mark");
}

static void use_counters(const char *name)
{
    dftrace_counter("loss", 0.5);
    dftrace_counter("memory", 4096, "bytes");
    dftrace_counter_add("read", 10);
    dftrace_counter_add("read", 5u);
    dftrace_counter_in("GPU", "heat", 71.5, "C");
    dftrace_counter(name, 3, "MB");
    dftrace_counter_add(name, 4, "MB");
}

int main(void)
{
    const char *volatile name = "any name";
    dftrace_track gpu = dftrace_track_new("GPU 0");
    pthread_t thread;

    dftrace_thread_name("main thread");
    use_regions(name);
    use_values(name);
    use_counters(name);
    copy = dftrace_track_new_in(gpu, "copy queue");
    dftrace_begin_on_in(copy, "COPY", "upload", "bytes", 4096);
    flow = dftrace_flow_begin();
    if (pthread_create(&thread, NULL, help, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    dftrace_end_on(copy);
    dftrace_end_on(copy);
    dftrace_begin_on(gpu, "kernel", "blocks", 4);
    dftrace_end_on(gpu);
    dftrace_metadata("dataset", "imagenet");
    dftrace_metadata("shape", DFTRACE_LIST(2, 3));
    return 0;
}
