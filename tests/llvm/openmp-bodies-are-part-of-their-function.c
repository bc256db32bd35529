// Clang makes a function of the body of a parallel region. It has no events, and in particular none
// under the name of the function that contains the region.
//
// RUN: echo 'fun:*' > allow.txt
// RUN: %cc -fopenmp -O1 %plugin %allow=allow.txt %arg-report=report.jsonl -c %s -o unit.o
// RUN: %{python} -c 'import json; [print(json.loads(line)["linkage_name"]) for line in open("report.jsonl")]' | sort > names.txt
// RUN: FileCheck %s < names.txt
//
// CHECK:      {{^}}sum_up{{$}}
// CHECK-NEXT: {{^}}work{{$}}
// CHECK-NOT:  {{.}}

int work(int x)
{
    return x + 1;
}

int sum_up(int count)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < count; i++)
        sum += work(i);
    return sum;
}
