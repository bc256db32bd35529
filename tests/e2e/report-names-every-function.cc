// -fplugin-arg-dftrace-report=FILE: one line of strict JSON for every function that the compiler
// saw, with the rule that decided or the reason why it has no hooks.
//
// REQUIRES: c++
// RUN: printf 'main\nfun:ns::*=COMPUTE\n[never]\nns::skipped\n' > allow.txt
// RUN: %cxx %plugin %allow=allow.txt %arg-report=report.jsonl -c %s -o prog.o
// RUN: %{python} -c 'import json; [json.loads(line) for line in open("report.jsonl")]'
// RUN: FileCheck %s --input-file=report.jsonl
//
// CHECK-DAG: {"function":"main","linkage_name":"main","file":"{{.*}}.cc","line":{{[0-9]+}},"instrumented":true,"rule":"main","rule_line":1,"allowlist":"allow.txt","category":"FUNC"}
// CHECK-DAG: {"function":"ns::f","linkage_name":"_ZN2ns1fEi","file":"{{.*}}.cc","line":{{[0-9]+}},"instrumented":true,"rule":"fun:ns::*=COMPUTE","rule_line":2,"allowlist":"allow.txt","category":"COMPUTE"}
// CHECK-DAG: {"function":"ns::skipped",{{.*}}"instrumented":false,{{.*}}never
// CHECK-DAG: {"function":"other",{{.*}}"instrumented":false,{{.*}}"reason":"no rule matches"
// CHECK-DAG: {"function":"ns::marked",{{.*}}"instrumented":false,{{.*}}no_instrument_function

namespace ns
{
int f(int x)
{
    return x + 1;
}

int skipped(int x)
{
    return x - 1;
}

__attribute__((no_instrument_function)) int marked(int x)
{
    return x * 2;
}
} // namespace ns

int other(int x)
{
    return ns::marked(x) + ns::skipped(x);
}

int main(int argc, char **)
{
    return ns::f(argc) + other(argc);
}
