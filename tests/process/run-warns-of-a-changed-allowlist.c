// A build without dependency files may not notice that the allowlist has changed. dftrace run
// compares the hash in the program with the file, if it exists, and warns in one line.
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
// Also if the file is no valid list any more; but not if it is missing, a pipe, or unchanged.
// RUN: echo '[nonsense' > allow.txt && %dftrace run --no-report ./prog 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: rm allow.txt && %dftrace run --no-report ./prog 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: mkfifo allow.txt && timeout 60 %dftrace run --no-report ./prog 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: mv first.txt allow.txt && %dftrace run --no-report ./prog 2>&1 | FileCheck %s --implicit-check-not=warning

int main(void)
{
    return 0;
}
