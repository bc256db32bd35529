/* Jumps past a START into its block: the end of the block must not take what is on the stack for a region. */
#include <dftracer/dftracer.h>

#include <stdio.h>
#include <string.h>

static volatile int sink;

__attribute__((noinline)) static void leave_garbage(int byte)
{
    volatile char garbage[512];

    memset((char *)garbage, byte, sizeof garbage);
    sink = garbage[sink & 1];
}

__attribute__((noinline)) static int jump(int over)
{
    int made = 0;

    if (over)
        goto done;
    DFTRACER_C_REGION_START(skipped);
    made = 1;
    DFTRACER_C_REGION_END(skipped);
done:
    return made;
}

__attribute__((noinline)) static int choose(int which)
{
    switch (which) {
    case 0:;
        DFTRACER_C_REGION_START(chosen);
        DFTRACER_C_REGION_END(chosen);
        return 0;
    default:
        return 1;
    }
}

int main(void)
{
    int made = 0;

    for (int round = 0; round < 100; round++) {
        leave_garbage(round % 2 ? 0xff : round);
        made += jump(round % 4 != 0);
        leave_garbage(0x7f);
        made += choose(round % 2);
    }
    printf("made %d\n", made);
    return made != 75;
}
