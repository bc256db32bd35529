// Functions that cannot or must not have hooks have none, although a rule matches them, and the
// report gives the reason. The program works as before.
//
// RUN: echo 'fun:*' > allow.txt
// RUN: for level in -O0 -O2; do rm -f report.jsonl; \
// RUN:   %cc $level -mgeneral-regs-only %plugin %allow=allow.txt %arg-report=report.jsonl %s -o program && \
// RUN:   ./program && FileCheck %s < report.jsonl && \
// RUN:   %cc $level -mgeneral-regs-only %plugin %allow=allow.txt -S %s -o - | FileCheck --check-prefix=CODE %s || exit 1; \
// RUN: done

// CODE: {{^}}bare:
// CODE-NOT: call{{[^:]*}}__dftrace
// CODE: {{^}}excluded:
// CODE-NOT: call{{[^:]*}}__dftrace
// CODE: {{^}}isr:
// CODE-NOT: call{{[^:]*}}__dftrace
// CODE: .size{{[[:space:]]}}isr

struct frame;

// CHECK-DAG: {"function":"bare",{{.*}}"instrumented":false,{{.*}}"reason":"attribute naked"}
__attribute__((naked, used)) int bare(void)
{
    __asm__("movl $7, %eax\n\tret");
}

// CHECK-DAG: {"function":"excluded",{{.*}}"instrumented":false,{{.*}}"reason":"attribute no_instrument_function"}
__attribute__((no_instrument_function, noinline)) int excluded(int x)
{
    return x + 1;
}

// CHECK-DAG: {"function":"isr",{{.*}}"instrumented":false,{{.*}}"reason":"attribute interrupt"}
__attribute__((interrupt, used)) void isr(struct frame *frame)
{
    (void)frame;
}

static int chosen(void)
{
    return 5;
}

// CHECK-DAG: {"function":"choose",{{.*}}"instrumented":false,{{.*}}"reason":"ifunc resolver: runs before relocation"}
static int (*choose(void))(void)
{
    return chosen;
}

int dispatched(void) __attribute__((ifunc("choose")));

// CHECK-DAG: {"function":"inline_copy",{{.*}}"instrumented":false,{{.*}}"reason":"extern inline: compiled elsewhere"}
extern inline __attribute__((gnu_inline, always_inline)) int inline_copy(int x)
{
    return x * 2;
}

// CHECK-DAG: {"function":"work",{{.*}}"instrumented":true,"rule":"fun:*","rule_line":1,
int work(int x)
{
    return inline_copy(x) + 1;
}

int main(void)
{
    return bare() == 7 && excluded(1) == 2 && dispatched() == 5 && work(1) == 3 ? 0 : 1;
}
