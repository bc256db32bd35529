// What runs before and after main is traced as well: constructors of static objects, functions with
// the constructor attribute, destructors.
//
// REQUIRES: c++
// RUN: printf 'main\nearly\nlate\nfun:Static::*\n' > allow.txt
// RUN: %cxx -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count early=1 --count late=1 \
// RUN:   --count Static::Static=1 --count Static::~Static=1 --tree | FileCheck %s
//
// CHECK:      {{^}}  early
// CHECK-NEXT: {{^}}  Static::Static
// CHECK-NEXT: {{^}}  main
// CHECK-NEXT: {{^}}  Static::~Static
// CHECK-NEXT: {{^}}  late

static volatile int sink;

struct Static {
    Static()
    {
        sink = 1;
    }
    ~Static()
    {
        sink = 2;
    }
};

static Static object;

__attribute__((constructor(101))) static void early()
{
    sink = 3;
}

__attribute__((destructor(101))) static void late()
{
    sink = 4;
}

int main()
{
    return 0;
}
