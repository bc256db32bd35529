// Functions that have no counterpart in the source are neither traced nor reported: initialization
// of globals, access to thread_local variables, the conversion of a lambda to a function pointer,
// thunks.
//
// REQUIRES: c++
// RUN: echo 'fun:*' > allow.txt
// RUN: %cxx -std=c++17 -O0 %plugin %allow=allow.txt %arg-report=report.jsonl %s -o program %lib
// RUN: %{python} -c 'import json; [print(json.loads(line)["linkage_name"]) for line in open("report.jsonl")]' | sort > names.txt
// RUN: FileCheck %s < names.txt
// RUN: DFTRACER_ENABLE=1 ./program
// RUN: %check-trace trace-*.pfw.gz --count main=1 --count make=2 --count 'B::f=1'

// CHECK:      {{^}}_Z4makev
// CHECK-NEXT: {{^}}_ZN1A1fEv
// CHECK-NEXT: {{^}}_ZN1AC2Ev
// CHECK-NEXT: {{^}}_ZN1B1fEv
// CHECK-NEXT: {{^}}_ZN1BC{{[12]}}Ev
// CHECK:      {{^}}_ZN1CC{{[12]}}Ev
// CHECK:      {{^}}_ZZ4mainENK{{.*}}clEi
// CHECK-NEXT: {{^}}main
// CHECK-NOT:  {{.}}

int make()
{
    return 3;
}

int global = make();

thread_local int thread_value = make();

struct A {
    virtual int f()
    {
        return 1;
    }
};

struct C {
    long value = 0;
};

struct B : C, virtual A {
    int f() override
    {
        return 2;
    }
};

int main()
{
    auto lambda = [](int x) { return x; };
    int (*pointer)(int) = lambda;
    B b;
    A *a = &b;
    return pointer(0) + lambda(0) + thread_value - global + a->f() - 2;
}
