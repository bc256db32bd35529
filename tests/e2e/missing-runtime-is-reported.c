// A program with hooks that was linked without the runtime reports that if DFTRACER_ENABLE=1 asks
// for a trace: one line, however many units and libraries have hooks.
//
// RUN: echo 'fun:*' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt -fPIC -shared -DLIBRARY=linked %s -o liblinked.so \
// RUN:   && %cc $LEVEL %plugin %allow=../allow.txt -fPIC -shared -DLIBRARY=loaded %s -o loaded.so \
// RUN:   && %cc $LEVEL %plugin %allow=../allow.txt -DLIBRARY=unit -c %s -o unit.o \
// RUN:   && %cc $LEVEL %plugin %allow=../allow.txt %s unit.o -o prog -L. -llinked -Wl,-rpath,$PWD \
// RUN:   && DFTRACER_ENABLE=1 ./prog 2> err.txt && cat err.txt && test $(wc -l < err.txt) = 1 \
// RUN:   && FileCheck %s < err.txt \
// RUN:   && ./prog 2>&1 | count 0 && DFTRACER_ENABLE=0 ./prog 2>&1 | count 0 \
// RUN:   && DFTRACER_ENABLE=off ./prog 2>&1 | count 0 && DFTRACER_ENABLE=On ./prog 2>&1 | count 1'
// CHECK: {{^}}dftrace: DFTRACER_ENABLE is set, but nothing is traced: {{.*}}dftrace config --libs prints{{$}}
//
// A library alone, opened by a program without hooks.
// RUN: %cc %plugin %allow=allow.txt -fPIC -shared -DLIBRARY=loaded %s -o loaded.so
// RUN: %cc -DLIBRARY=unit -c %s -o unit.o && %cc -DLIBRARY=linked -c %s -o linked.o && %cc %s unit.o linked.o -o plain
// RUN: DFTRACER_ENABLE=1 ./plain 2>&1 | count 1
//
// With the runtime, linked or preloaded, there is no message.
// RUN: DFTRACER_ENABLE=1 LD_PRELOAD=%libdir/libdftrace.so ./plain 2>&1 | count 0
//
// Without libc, such a program links and is silent.
// RUN: %cc -O2 -ffreestanding %plugin %allow=allow.txt -DFREESTANDING -c %s -o free.o
// RUN: for linker in bfd gold lld; do command -v ld.$linker || continue; \
// RUN:   %cc -fuse-ld=$linker -nostdlib -static free.o -o free && ./free && DFTRACER_ENABLE=1 ./free || exit 1; \
// RUN:   %cc -fuse-ld=$linker -nostdlib free.o -o free && ./free && DFTRACER_ENABLE=1 ./free || exit 1; done

#ifdef FREESTANDING
__attribute__((noinline)) static int work(int x)
{
    __asm__ volatile("");
    return x;
}

void _start(void)
{
    __asm__ volatile("syscall" : : "a"(60), "D"(work(0)));
    __builtin_unreachable();
}
#elif defined LIBRARY
int LIBRARY(int x)
{
    return x + 1;
}
#else
#include <dlfcn.h>
#include <unistd.h>

extern int linked(int), unit(int);

int main(void)
{
    return linked(unit(0)) == 2 &&
                   (access("loaded.so", R_OK) != 0 || dlopen("./loaded.so", RTLD_NOW))
               ? 0
               : 1;
}
#endif
