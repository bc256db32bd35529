// DFTRACER_ALLOWLIST selects some of the functions that a program was instrumented for; the others
// stay off. It cannot add functions.
//
// REQUIRES: c++
// RUN: printf 'main\nfun:ns::*=NAMES\nouter\n' > allow.txt
// RUN: %cxx -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: printf 'ns::first\n_ZN2ns6secondEi\nnever_instrumented\n' > some.txt
// RUN: DFTRACER_ALLOWLIST=some.txt ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only ns::first ns::second --count ns::first=10 --count ns::second=10 --tree --show cat > tree.txt
// RUN: FileCheck %s < tree.txt && rm trace-*
// CHECK: ns::first cat=NAMES
// RUN: printf 'src:*run-time-allowlist*\n[never]\nfun:ns::*\n' > file.txt
// RUN: DFTRACER_ALLOWLIST=file.txt ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only main outer --count main=1 --count outer=10 && rm trace-*
//
// A list that matches no function of the program is reported.
// RUN: echo nobody > none.txt && DFTRACER_ALLOWLIST=none.txt ./prog 2> err.txt
// RUN: FileCheck %s --check-prefix=NONE < err.txt && not ls trace-*
// NONE: dftrace: nothing was traced: no rule of the allowlist 'none.txt' matches
//
// A list that is rejected: one message, and the program runs untraced.
// RUN: printf 'main\nfunc:x\n' > bad.txt && DFTRACER_ALLOWLIST=bad.txt ./prog 2> err.txt
// RUN: FileCheck %s --check-prefix=BAD < err.txt && test $(cat err.txt | wc -l) = 1 && not ls trace-*
// BAD: dftrace: bad.txt:2:1: unknown prefix 'func:'; {{.*}}; not tracing
// RUN: DFTRACER_ALLOWLIST=missing.txt ./prog 2> err.txt
// RUN: FileCheck %s --check-prefix=MISSING < err.txt && test $(cat err.txt | wc -l) = 1 && not ls trace-*
// MISSING: dftrace: missing.txt: cannot open the allowlist: No such file or directory{{.*}}; not
// tracing
//
// If tracing is not enabled, the list is not read.
// RUN: DFTRACER_ENABLE=0 DFTRACER_ALLOWLIST=bad.txt ./prog > out.txt 2>&1 && test ! -s out.txt

static volatile int sink;

namespace ns
{
__attribute__((noinline)) void first(int x)
{
    sink = x;
}
__attribute__((noinline)) void second(int x)
{
    sink = x;
}
__attribute__((noinline)) void third(int x)
{
    sink = x;
}
} // namespace ns

__attribute__((noinline)) static void outer(int x)
{
    ns::first(x);
    ns::second(x);
    ns::third(x);
}

int main()
{
    for (int i = 0; i < 10; i++)
        outer(i);
    return 0;
}
