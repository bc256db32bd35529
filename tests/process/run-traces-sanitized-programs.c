// A program with AddressSanitizer, shared or static, starts under dftrace run with its own options.
// Its errors and leaks are found as before, and its calls are in the trace.
//
// RUN: printf 'work\n' > allow.txt
// RUN: %cc -g -O1 -fsanitize=address %plugin %allow=allow.txt %s -o prog
// RUN: %dftrace run --no-report -o fine ./prog 3
// RUN: %check-trace fine-prog-*.pfw.gz --count work=10
// RUN: %dftrace run --no-report -e SAMPLE=alloc -o alloc ./prog 3
// RUN: %check-trace alloc-prog-*.pfw.gz --count work=10
// RUN: code=0; env ASAN_OPTIONS=exitcode=77 %dftrace run --no-report -o over ./prog 10 2> err.txt || code=$?; test $code = 77
// RUN: grep -q 'AddressSanitizer: heap-buffer-overflow' err.txt
// RUN: %check-trace over-prog-*.pfw.gz --count work=1
// RUN: code=0; env ASAN_OPTIONS=exitcode=78 %dftrace run --no-report -o leak ./prog 3 leak 2> err.txt || code=$?; test $code = 78
// RUN: grep -q 'LeakSanitizer: detected memory leaks' err.txt
// RUN: %check-trace leak-prog-*.pfw.gz --count work=10

#include <stdlib.h>

__attribute__((noinline)) static int work(const int *numbers, int which)
{
    return numbers[which];
}

int main(int argc, char **argv)
{
    int result = 0;

    /* Several leaks: a single one might be missed because of a pointer left on the stack. */
    for (int i = 0; i < 10; i++) {
        int *numbers = calloc(10, sizeof *numbers);
        result += work(numbers, atoi(argv[1]));
        if (argc == 2)
            free(numbers);
    }
    return result;
}
