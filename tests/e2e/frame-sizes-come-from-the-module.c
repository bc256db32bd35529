// `dftrace report --functions` shows the stack frame size of each function, from the unwind tables
// of the executable: only if the file has not changed since, and not for functions with a frame
// pointer.
//
// REQUIRES: libdw
// RUN: printf 'fun:*\n' > allow.txt
// RUN: %cc -O2 -fomit-frame-pointer -c %plugin %allow=allow.txt %s -o main.o
// RUN: %cc -O2 -fno-omit-frame-pointer -DFRAMED -c %plugin %allow=allow.txt %s -o framed.o
// RUN: %cc main.o framed.o -o prog %lib -Wl,--build-id=0x0123456789abcdef
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %dftrace report --functions --json trace-prog-*.pfw.gz > functions.json
// RUN: %{python} %S/Inputs/compare-frames.py functions.json prog small large main > sizes.txt
// RUN: %dftrace report --functions trace-prog-*.pfw.gz | FileCheck %s
// CHECK: {{^}}FUNCTION{{ +}}CATEGORY{{ +}}SOURCE{{ +}}FRAME{{ +}}MODULE{{ +}}RULE
// CHECK: {{^}}framed(int x) {{.*}}.c:[[#]]{{ +}}/{{.*}}/prog
// CHECK: {{^}}large(int x) {{.*}}.c:[[#]]{{ +4[12][0-9][0-9] +}}/{{.*}}/prog
// CHECK: {{^}}main() {{.*}}.c:[[#]]{{ +[0-9]+ +}}/{{.*}}/prog
//
// Another file with the same name, no file, and a file that cannot be read.
// RUN: mv prog kept && %cc main.o framed.o -o prog %lib -Wl,--build-id=0x0123456789abcdee
// RUN: %dftrace report --functions trace-prog-*.pfw.gz | FileCheck %s --check-prefix=UNKNOWN
// RUN: rm prog && %dftrace report --functions trace-prog-*.pfw.gz | FileCheck %s --check-prefix=UNKNOWN
// RUN: mkfifo prog && %dftrace report --functions trace-prog-*.pfw.gz | FileCheck %s --check-prefix=UNKNOWN
// RUN: rm prog && head -c 1000 kept > prog && %dftrace report --functions trace-prog-*.pfw.gz | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: {{^}}large(int x) {{.*}}.c:[[#]]{{ +}}/{{.*}}/prog
//
// RUN: rm prog && mv kept prog && strip prog && %dftrace report --functions trace-prog-*.pfw.gz | FileCheck %s --check-prefix=UNKNOWN

void framed(int x);

#ifdef FRAMED
void framed(int x)
{
    volatile char room[100];
    room[x] = 1;
}
#else
static volatile int sink;

void small(int x);
void large(int x);

__attribute__((noinline)) void small(int x)
{
    sink = x;
}

__attribute__((noinline)) void large(int x)
{
    volatile char room[4096];
    room[x] = 1;
    sink = room[x];
}

int main(void)
{
    small(1);
    large(2);
    framed(3);
    return 0;
}
#endif
