/* For programs that single-step themselves, with a handler of SIGTRAP. */
#ifndef STEP_H
#define STEP_H

__attribute__((noinline)) static void set_stepping(int on)
{
    if (on)
        __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
    else
        __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

#endif
