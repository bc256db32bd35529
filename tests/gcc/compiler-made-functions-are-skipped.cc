// What the compiler makes up for itself is no function of the program.
//
// REQUIRES: c++
// RUN: echo 'src:%s' > allow.txt
// RUN: %cxx -std=c++17 -O0 %plugin %allow=allow.txt %arg-report=report.jsonl %s -o program %lib
// RUN: FileCheck %s < report.jsonl
// RUN: DFTRACER_ENABLE=1 ./program
// RUN: %check-trace trace-*.pfw.gz --count main=1 --count make=2 \
// RUN:   --count 'main::{lambda(int)#1}::operator()=2'

int make()
{
    return 3;
}

// CHECK-DAG: "linkage_name":"{{[^"]*}}__static_initialization_and_destruction_0{{[^"]*}}",{{.*}}"reason":"made by the compiler"
// CHECK-DAG: "linkage_name":"_GLOBAL__sub_I_{{[^"]*}}",{{.*}}"reason":"made by the compiler"
int global = make();

// CHECK-DAG: "linkage_name":"__tls_init",{{.*}}"reason":"made by the compiler"
// CHECK-DAG: "linkage_name":"_ZTW12thread_value",{{.*}}"reason":"made by the compiler"
thread_local int thread_value = make();

int main()
{
    // CHECK-DAG: "function":"main::{lambda(int)#1}::operator()",{{.*}}"instrumented":true
    // CHECK-DAG: "function":"main::{lambda(int)#1}::_FUN",{{.*}}"reason":"made by the compiler"
    auto lambda = [](int x) { return x; };
    int (*pointer)(int) = lambda;
    return pointer(0) + lambda(0) + thread_value - global;
}
