// A build without dependency files may miss that the allowlist has changed. dftrace run compares
// the hash in the program with the file, if it is there, and says so in one line.
//
// RUN: echo main > allow.txt && cp allow.txt first.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog
// RUN: %dftrace run --no-report ./prog 2>&1 | FileCheck %s --implicit-check-not=warning
// CHECK: note: trace:
//
// RUN: echo work >> allow.txt && %dftrace run --no-report ./prog 2> err.txt
// RUN: FileCheck %s --check-prefix=CHANGED < err.txt && grep -c warning err.txt | grep -qx 1
// CHANGED: dftrace: warning: allow.txt has changed since ./prog was compiled by it
//
// Also one that is no list any more; but not one that is not there, a pipe, or the same again.
// RUN: echo '[nonsense' > allow.txt && %dftrace run --no-report ./prog 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: rm allow.txt && %dftrace run --no-report ./prog 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: mkfifo allow.txt && timeout 60 %dftrace run --no-report ./prog 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: mv first.txt allow.txt && %dftrace run --no-report ./prog 2>&1 | FileCheck %s --implicit-check-not=warning

int main(void)
{
    return 0;
}
