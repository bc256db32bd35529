// A run that records nothing reports why, at DFTRACER_LOG_LEVEL=INFO: tracing is not enabled, no
// rule matched, nothing was compiled with the plugin, or no traced function was called.
//
// RUN: echo no_such_function > allow.txt
// RUN: echo main > main.txt
// RUN: export DFTRACER_LOG_LEVEL=INFO
//
// RUN: %cc %plugin %allow=main.txt %s -o disabled %lib
// RUN: ./disabled 2>&1 | FileCheck %s --check-prefix=DISABLED
// DISABLED: dftrace{{.*}}DFTRACER_ENABLE
//
// RUN: %cc %plugin %allow=allow.txt %s -o unmatched %lib
// RUN: DFTRACER_ENABLE=1 ./unmatched 2>&1 | FileCheck %s --check-prefix=UNMATCHED
// UNMATCHED: dftrace{{.*}}allow.txt
//
// RUN: %cc %s -o uninstrumented %lib
// RUN: DFTRACER_ENABLE=1 ./uninstrumented 2>&1 | FileCheck %s --check-prefix=UNINSTRUMENTED
// UNINSTRUMENTED: dftrace{{.*}}plugin
//
// RUN: echo never_called > never.txt && %cc %plugin %allow=never.txt %s -o uncalled %lib
// RUN: DFTRACER_ENABLE=1 ./uncalled 2>&1 | FileCheck %s --check-prefix=UNCALLED
// UNCALLED: dftrace{{.*}}called
//
// At the default level, programs that are not enabled or not instrumented say nothing: they may be
// started by one that is.
// RUN: unset DFTRACER_LOG_LEVEL
// RUN: ./disabled > out.txt 2>&1 && test ! -s out.txt
// RUN: DFTRACER_ENABLE=1 ./uninstrumented > out.txt 2>&1 && test ! -s out.txt
// RUN: not ls trace-*

void never_called(void) {}

int main(void)
{
    return 0;
}
