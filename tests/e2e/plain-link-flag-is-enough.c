// -ldftrace alone links the runtime, also if the distribution's default is --as-needed, with every
// linker; the program then needs only DFTRACER_ENABLE=1.
//
// RUN: echo main > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog \
// RUN:      -Wl,--as-needed -L%libdir -Wl,-rpath,%libdir -ldftrace \
// RUN:   && readelf -dW prog | FileCheck %s \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --only main --count main=1'
// CHECK: NEEDED{{.*}}libdftrace.so
//
// RUN: %cc -O2 %plugin %allow=allow.txt -c %s -o prog.o
// RUN: for linker in bfd gold lld; do command -v ld.$linker || continue; \
// RUN:   %cc -fuse-ld=$linker prog.o -o $linker -Wl,--as-needed -L%libdir -Wl,-rpath,%libdir -ldftrace \
// RUN:   && DFTRACER_ENABLE=1 ./$linker \
// RUN:   && %check-trace trace-$linker-*.pfw.gz --only main --count main=1 || exit 1; done
//
// A program without an instrumented function does not need the runtime, and so does not load it.
// RUN: %cc %s -o plain -Wl,--as-needed -L%libdir -ldftrace && ./plain
// RUN: readelf -dW plain | FileCheck %s --check-prefix=PLAIN --implicit-check-not=dftrace
// PLAIN: NEEDED

int main(void)
{
    return 0;
}
