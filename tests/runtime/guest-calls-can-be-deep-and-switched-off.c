// Recursion of an interpreter's functions, 100,000 deep, in few stack frames of the interpreter: all calls are recorded, and
// calls that are switched off in the middle of a recursion do not end others. DFTRACER_MAX_DEPTH omits deeper calls.
//
// RUN: printf 'native\nfun:guest_*\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt -I%include %support %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: ./prog deep && %check-trace trace-prog-*.pfw.gz --count guest_even=50001 --count guest_odd=50000 --count guest_last=1
//
// Off at depth 5, on at depth 10: the calls that begin in between are not recorded. The calls around them contain all others.
// RUN: rm trace-* && ./prog switch 20 5 10 > shown.txt && %show-events trace-prog-*.pfw.gz | diff shown.txt -
// Off in the middle, on after the end: the inner half of the calls is missing.
// RUN: rm trace-* && ./prog switch 8 4 100 > shown.txt && %show-events trace-prog-*.pfw.gz | diff shown.txt -
// On only in the innermost calls, and beyond the shadow stack.
// RUN: rm trace-* && ./prog switch 20 0 19 > shown.txt && %show-events trace-prog-*.pfw.gz | diff shown.txt -
// RUN: rm trace-* && ./prog switch 5000 3 1 > /dev/null && %check-trace trace-prog-*.pfw.gz --count guest_even=2 --count guest_odd=1
// RUN: rm trace-* && ./prog switch 5000 1000 4000 > /dev/null \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count guest_even=1000 --count guest_odd=1000 --count guest_last=1
// RUN: rm trace-* && ./prog switch 5000 1020 1021 > /dev/null \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count guest_even=2499 --count guest_odd=2500 --count guest_last=1
//
// RUN: rm trace-* && DFTRACER_MAX_DEPTH=10 ./prog deep \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count guest_even=5 --count guest_odd=5 --count guest_last=1
// Native calls between them, also beyond the shadow stack, and abandoned ones.
// RUN: rm trace-* && ./prog mixed && %check-trace trace-prog-*.pfw.gz --count guest_even=3000 --count native=3000 --count guest_last=2
// RUN: rm trace-* && ./prog jump && %check-trace trace-prog-*.pfw.gz --count guest_even=1000 --count guest_odd=1 --count guest_last=3
//
// The same by the kernel's clock, as on a machine without a usable counter.
// RUN: %cc -O2 -DKERNEL_CLOCK %plugin %allow=allow.txt -I%include %support %s -o kernel -L%libdir -l:libdftrace.a
// RUN: ./kernel deep && %check-trace trace-kernel-*.pfw.gz --count guest_even=50001 --count guest_odd=50000 --count guest_last=1
// RUN: rm trace-* && ./kernel switch 20 5 10 | sed s/prog/kernel/ > shown.txt && %show-events trace-kernel-*.pfw.gz | diff shown.txt -
// RUN: rm trace-* && ./kernel jump && %check-trace trace-kernel-*.pfw.gz --count guest_even=1000 --count guest_odd=1 --count guest_last=3

#include "guest.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static struct dftrace_site *even, *odd, *last;
static volatile int sink;

/* An interpreter's loop: nested calls do not take stack. */
static NOINLINE void recurse(int depth)
{
    void *stack = LOOP_FRAME();

    for (int i = 0; i < depth; i++)
        __dftrace_guest_enter(i % 2 ? odd : even, stack);
    for (int i = depth; i-- > 0;)
        __dftrace_guest_exit(i % 2 ? odd : even);
}

static void show(int depth, const char *name)
{
    printf("%*sregion %s [FUNC]\n", 2 * depth + 2, "", name);
}

/* The same, off from the call at `off` to that before `on`. */
static NOINLINE void recurse_switching(int depth, int off, int on)
{
    void *stack = LOOP_FRAME();
    int shown = 0;

    for (int i = 0; i < depth; i++) {
        if (i == off)
            dftrace_pause();
        if (i == on)
            dftrace_resume();
        if (off > on ? i < off : i < off || i >= on)
            show(shown++, i % 2 ? "guest_odd" : "guest_even");
        enter_guest(i % 2 ? odd : even, stack);
    }
    for (int i = depth; i-- > 0;)
        exit_guest(i % 2 ? odd : even);
    dftrace_resume();
}

#ifdef KERNEL_CLOCK
/* A variable of the runtime, in the same executable: the clock, which it has chosen already. */
extern int dft_clock_kind;

__attribute__((constructor)) static void use_the_kernels_clock(void)
{
    dft_clock_kind = 0;
}
#endif

static jmp_buf back;

static NOINLINE void native(int depth, int jumps);

static NOINLINE void nested(int depth, int jumps)
{
    if (depth == 0 && jumps)
        longjmp(back, 1);
    if (depth == 0)
        return;
    __dftrace_guest_enter(even, LOOP_FRAME());
    if (jumps)
        nested(depth - 1, jumps);
    else
        native(depth - 1, jumps);
    __dftrace_guest_exit(even);
}

static NOINLINE void native(int depth, int jumps)
{
    nested(depth, jumps);
    sink++;
}

static void call_last(void)
{
    __dftrace_guest_enter(last, LOOP_FRAME());
    __dftrace_guest_exit(last);
}

static NOINLINE void jump(int depth)
{
    __dftrace_guest_enter(odd, LOOP_FRAME());
    for (volatile int i = 0; i < 2; i++)
        if (!setjmp(back))
            nested(depth, 1);
        else
            call_last();
    __dftrace_guest_exit(odd);
}

int main(int argc, char **argv)
{
    if (!__dftrace_guest_wanted(NULL))
        return 1;
    even = new_site("guest_even");
    odd = new_site("guest_odd");
    last = new_site("guest_last");
    if (strcmp(argv[1], "deep") == 0)
        recurse(100001);
    if (strcmp(argv[1], "switch") == 0 && argc == 5) {
        puts("thread prog");
        recurse_switching(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    }
    if (strcmp(argv[1], "mixed") == 0) {
        nested(3000, 0);
        call_last();
    }
    if (strcmp(argv[1], "jump") == 0)
        jump(500);
    call_last();
    if (argc == 5)
        show(0, "guest_last");
    return 0;
}
