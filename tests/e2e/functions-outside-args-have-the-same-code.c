// A function that is not in [args] has the same code whether or not other functions are.
//
// RUN: printf 'plain\nrecorded\n' > without.txt
// RUN: printf 'plain\n[args]\nrecorded\n' > with.txt
// RUN: %each-level 'case $LEVEL in *lto*) exit 0;; esac; \
// RUN:   for list in with without; do %cc $LEVEL -ffunction-sections -c %plugin %allow=../$list.txt %s -o $list.o \
// RUN:   && objdump -dr -j .text.plain $list.o | grep -v "file format" > $list.plain \
// RUN:   && objdump -dr -j .text.recorded $list.o > $list.recorded || exit 1; done; \
// RUN:   grep __dftrace_quick_enter with.plain && diff without.plain with.plain \
// RUN:   && grep -q __dftrace_args with.recorded && ! grep -q __dftrace_args without.recorded'

int plain(int a, const char *b)
{
    return b ? a * 3 : 1;
}

int recorded(int a, const char *b)
{
    return b ? a * 5 : 2;
}
