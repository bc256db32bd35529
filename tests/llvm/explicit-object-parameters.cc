// Functions with an explicit object parameter (C++23) have no `this`: the trace shows the
// parameters of the source, and the usual names.
//
// REQUIRES: clang-19
// RUN: printf '[args]\nfun:Counter::*\n' > allow.txt
// RUN: %each-level '%cxx -std=c++23 -Wall -Wextra -Werror -Wno-comment $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'
//
// CHECK:      Counter::reference {"self":"ADDRESS","by":5,"return":9}
// CHECK-NEXT: Counter::copy {"self":"Counter","by":6,"return":10}
// CHECK-NEXT: Counter::plain {"this":"ADDRESS","by":7,"return":11}
// CHECK-NEXT: Counter::fixed {"by":8,"return":8}
// CHECK-NOT:  {{.}}

#define PART __attribute__((noinline))

struct Counter {
    long count = 4;

    PART long reference(this const Counter &self, int by)
    {
        return self.count + by;
    }
    PART long copy(this Counter self, int by)
    {
        return self.count + by;
    }
    PART long plain(int by) const
    {
        return count + by;
    }
    PART static long fixed(int by)
    {
        return by;
    }
};

int main()
{
    Counter counter;
    counter.reference(5);
    counter.copy(6);
    counter.plain(7);
    Counter::fixed(8);
    return 0;
}
