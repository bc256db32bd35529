// A function of a library that the budget throttles stays throttled when the library is closed and
// opened again, when recording is paused and resumed, and in a forked child: each call is counted
// once, in the process that made it.
//
// RUN: echo hot > allow.txt
// RUN: %cc -O2 -fPIC -shared %plugin %allow=allow.txt -DLIBRARY %s -o libhot.so
// RUN: %cc -O2 -I%include %s -o prog %lib -ldl
// RUN: DFTRACER_ENABLE=1 DFTRACER_BUDGET=0.01%% ./prog > made.txt
// RUN: for pid in $(cut -d' ' -f1 made.txt); do \
// RUN:   %check-trace trace-prog-$pid.pfw.gz --only hot --count hot=$(sed -n "s/^$pid //p" made.txt) || exit 1; \
// RUN:   zcat trace-prog-$pid.pfw.gz | grep -c '"name":"counted"' | grep -x 1 || exit 1; done
// RUN: test $(wc -l < made.txt) = 2

#ifdef LIBRARY

int hot(int x)
{
    return x + 1;
}

#else

#include <dftrace/dftrace.h>
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 50000

static long made;

static int use_library(int paused)
{
    void *library = dlopen("./libhot.so", RTLD_NOW);
    int (*hot)(int) = library ? (int (*)(int))dlsym(library, "hot") : NULL;

    if (!hot)
        return 0;
    for (int i = 0; i < CALLS; i++)
        hot(i);
    made += CALLS;
    if (paused) {
        dftrace_pause();
        for (int i = 0; i < CALLS; i++)
            hot(i);
        dftrace_resume();
        hot(0);
        made++;
    }
    return dlclose(library) == 0;
}

static void tell(void)
{
    printf("%d %ld\n", (int)getpid(), made);
    fflush(stdout);
}

int main(void)
{
    if (!use_library(0) || !use_library(1))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        made = 0;
        if (!use_library(0) || !use_library(1))
            return 1;
        tell();
        return 0;
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0 || !use_library(1))
        return 1;
    tell();
    return 0;
}

#endif
