// A program that is linked with the static runtime says that it cannot read a configuration file,
// and runs untraced. dftrace run reads the file for it.
//
// REQUIRES: yaml
// RUN: printf 'main\nwork\n' > allow.txt && %cc -O1 -static %plugin %allow=allow.txt %s -o prog -L%libdir -l:libdftrace.a
// RUN: printf 'enable: 1\nnever: [main]\n' > a.yaml
// RUN: DFTRACER_ENABLE=1 DFTRACER_CONFIGURATION=a.yaml ./prog 2> err.txt && not ls trace-*
// RUN: grep -x 'dftrace: DFTRACER_CONFIGURATION=a.yaml: a program that is linked with the static runtime cannot read it; use `dftrace run`, or set what `dftrace check a.yaml` prints; not tracing' err.txt
// RUN: test $(wc -l < err.txt) = 1
// RUN: %dftrace run -c a.yaml --no-report ./prog && %check-trace trace-prog-*.pfw.gz --count work=1 --only work

__attribute__((noinline)) static void work(void)
{
    __asm__ volatile("");
}

int main(void)
{
    work();
    return 0;
}
