// DFTracer's INIT begins the trace, with the given name as prefix, unless the environment names the trace or something was
// recorded before. FINI completes the file, and recording goes on. A forked child's trace has its own records of entities
// and of what was used. Without the runtime, DFTRACER_ENABLE=1 gives one message.

// RUN: mkdir out
// RUN: %cc -I%include %s -o alone
// RUN: ./alone out/alone.pfw 2> silent.txt && test ! -s silent.txt
// RUN: DFTRACER_ENABLE=1 ./alone out/alone.pfw 2> absent.txt
// RUN: grep -c 'the program was linked without the dftrace runtime' absent.txt | grep -x 1
// RUN: %cc -I%include %s -o prog -L%libdir -Wl,-rpath,%libdir -ldftracer_core
// RUN: DFTRACER_ENABLE=1 ./prog out/first.pfw && ls out/first-prog-*.pfw.gz
// RUN: DFTRACER_ENABLE=1 ./prog out/second.pfw.gz && ls out/second-prog-*.pfw.gz
// RUN: DFTRACER_ENABLE=1 ./prog out/third && ls out/third-prog-*.pfw.gz
// RUN: DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=out/variable ./prog out/argument.pfw && ls out/variable-prog-*.pfw.gz
// RUN: DFTRACER_ENABLE=1 ./prog out/late.pfw early && ls trace-prog-*.pfw.gz
// RUN: ! ls out/argument* out/late*
// RUN: rm -r out trace-*

// RUN: mkdir out && DFTRACER_ENABLE=1 ./prog out/forked.pfw fork
// RUN: ls out/forked-prog-*.pfw.gz | wc -l | grep -x 2
// RUN: for trace in out/forked-prog-*.pfw.gz; do \
// RUN:   zcat $trace > text.json; \
// RUN:   grep -c '"name":"EH"' text.json | grep -x 1; \
// RUN:   grep -c '"used.library":true' text.json | grep -x 1; \
// RUN: done

#include <dftracer/dftracer.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int use(void)
{
    DFTRACER_C_FUNCTION_START();
    EntityID first = DFTRACER_C_ENTITY("file", "a", DFT_STORE_LOCAL_DISK, NULL);
    EntityID again = DFTRACER_C_ENTITY("file", "a", DFT_STORE_LOCAL_DISK, NULL);
    DFTRACER_C_MARK_USED("library");
    DFTRACER_C_MARK_USED("library");
    return first == again && (first == 0 || first == dft_entity_hash("file", "a"));
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "";
    int right = 1;

    if (strcmp(how, "early") == 0)
        right &= use();
    DFTRACER_C_INIT(argv[1], NULL, (int *)-1);
    right &= use();
    DFTRACER_C_FINI();
    if (strcmp(how, "fork") == 0) {
        pid_t child = fork();
        int status = -1;

        if (child == 0)
            return !use();
        right &= waitpid(child, &status, 0) == child && status == 0;
    }
    return !(right & use());
}
