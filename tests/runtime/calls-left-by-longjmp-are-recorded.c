// A loop that continues by longjmp leaves one unfinished call behind in each round: all are
// recorded, however many there are, and each ends when the next one begins.
//
// RUN: echo 'fun:traced_*' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count traced_jump=5000 --count traced_leaf=5000 \
// RUN:   --count traced_outer=1

#include <setjmp.h>

static jmp_buf back;
static volatile int sum;

__attribute__((noinline)) void traced_leaf(void)
{
    sum++;
}

__attribute__((noinline)) void traced_jump(void)
{
    traced_leaf();
    longjmp(back, 1);
}

__attribute__((noinline)) void traced_outer(void)
{
    volatile int rounds = 0;

    setjmp(back);
    if (rounds++ < 5000)
        traced_jump();
}

int main(void)
{
    traced_outer();
    return sum == 5000 ? 0 : 1;
}
