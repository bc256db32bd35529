// The flags that `dftrace config` prints link the runtime before the objects, where LDFLAGS are,
// and after them, with every linker; also with --as-needed, and for static programs.
//
// RUN: echo main > allow.txt
// RUN: %cc -O2 $(%dftrace config --cflags --allowlist allow.txt) -c %s -o prog.o
// RUN: libs=$(%dftrace config --libs) && static=$(%dftrace config --libs --static) \
// RUN: && for linker in bfd gold lld; do command -v ld.$linker || continue; \
// RUN:   %cc -fuse-ld=$linker -Wl,--as-needed $libs prog.o -o before-$linker || exit 1; \
// RUN:   %cc -fuse-ld=$linker -Wl,--as-needed prog.o $libs -o behind-$linker || exit 1; \
// RUN:   %cc -fuse-ld=$linker -static $static prog.o -o static-before-$linker || exit 1; \
// RUN:   %cc -fuse-ld=$linker -static prog.o $static -o static-behind-$linker || exit 1; done
// RUN: for prog in before-* behind-* static-*; do \
// RUN:   DFTRACER_ENABLE=1 ./$prog && %check-trace trace-$prog-*.pfw.gz --only main --count main=1 || exit 1; done

int main(void)
{
    return 0;
}
