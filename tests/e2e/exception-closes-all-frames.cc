// An exception that leaves three functions ends their events; the function that catches it
// continues, and what it calls afterwards is its child and not a child of one of the three.
//
// REQUIRES: c++
// RUN: printf 'catches\nouter\nmiddle\nthrows\nafterwards\n' > allow.txt
// RUN: %each-level '%cxx $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --only catches outer middle throws afterwards \
// RUN:      --tree --show args.unfinished | FileCheck %s'
//
// CHECK:      {{^}}  catches args.unfinished=None
// CHECK-NEXT: {{^}}    outer args.unfinished=None
// CHECK-NEXT: {{^}}      middle args.unfinished=None
// CHECK-NEXT: {{^}}        throws args.unfinished=None
// CHECK-NEXT: {{^}}    afterwards args.unfinished=None
// CHECK-NOT:  {{^ }}

#include <stdexcept>

struct Guard {
    int *count;
    ~Guard()
    {
        ++*count;
    }
};

static int destroyed;

static void throws(int value)
{
    if (value == 1)
        throw std::runtime_error("thrown");
}

static void middle(int value)
{
    Guard guard{&destroyed};
    throws(value);
}

static void outer(int value)
{
    Guard guard{&destroyed};
    middle(value);
}

static void afterwards()
{
    ++destroyed;
}

static int catches(int value)
{
    try {
        outer(value);
    } catch (const std::runtime_error &) {
        afterwards();
        return destroyed;
    }
    return -1;
}

int main(int argc, char **)
{
    return catches(argc) == 3 ? 0 : 1;
}
