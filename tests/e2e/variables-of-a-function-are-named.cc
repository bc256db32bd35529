// The description of a function names its variables: in the order of their declarations, with those
// of inner blocks, each name once, without captures of lambdas and variables that the compiler
// adds. The same at every optimization level.
//
// RUN: printf 'work*\nfun:*lambda*\n' > allow.txt
// RUN: for level in -O0 -O2 -Os; do \
// RUN:   %cxx -std=c++17 $level %plugin %allow=allow.txt %s -o prog %lib && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %dftrace report --functions --json trace-prog-*.pfw.gz > functions.json \
// RUN:   && %{python} -c 'import json; [print(f["function"], "=", f["locals"]) for f in json.load(open("functions.json"))["functions"]]' \
// RUN:   | FileCheck %s && rm trace-* || exit 1; \
// RUN: done
//
// CHECK-DAG: {{^}}work = first,inner,name,again,pair_first,pair_second,lambda,last{{$}}
// CHECK-DAG: {{.}} = in_lambda{{$}}
// CHECK-DAG: {{^}}work_none = {{$}}
//
// If there are too many, the first ones are named.
// CHECK-DAG: {{^}}work_many = v0,{{([a-z0-9]+,)*}}v63{{$}}

#include <string>
#include <utility>
#include <vector>

static volatile int sink;

__attribute__((noinline)) static void work_none(int parameter)
{
    sink = parameter;
}

#define TEN(n)                                                                                     \
    int v##n##0 = sink, v##n##1 = sink, v##n##2 = sink, v##n##3 = sink, v##n##4 = sink,            \
        v##n##5 = sink, v##n##6 = sink, v##n##7 = sink, v##n##8 = sink, v##n##9 = sink;            \
    sink = v##n##0 + v##n##1 + v##n##2 + v##n##3 + v##n##4 + v##n##5 + v##n##6 + v##n##7 +         \
           v##n##8 + v##n##9;

__attribute__((noinline)) static void work_many()
{
    TEN()
    TEN(1)
    TEN(2)
    TEN(3)
    TEN(4)
    TEN(5)
    TEN(6)
    TEN(7)
}

__attribute__((noinline)) static int work(int parameter)
{
    int first = parameter;
    {
        int inner = first;
        for (const std::string &name : std::vector<std::string>{"a", "b"}) {
            int again = inner + static_cast<int>(name.size());
            sink = again;
        }
    }
    {
        int again = sink;
        sink = again;
    }
    auto [pair_first, pair_second] = std::pair<int, int>(first, 2);
    auto lambda = [first, captured = pair_first](int value) {
        int in_lambda = value + first + captured;
        sink = in_lambda;
    };
    lambda(pair_second);
    const int last = sink;
    return last;
}

int main()
{
    work_none(1);
    work_many();
    return work(2) < 0;
}
