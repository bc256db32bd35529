// The trace describes each function once, however many threads and processes call it: names,
// source, parameters and their types, variables, the rule that matched, the module with its build
// id. `dftrace report --functions` shows it.
//
// RUN: printf 'main\nfun:first*=ONE\nfun:*\n[never]\nunused\n' > allow.txt
// RUN: %cc -O2 -pthread -shared -fPIC -DLIBRARY %plugin %allow=allow.txt %s -o libpart.so -Wl,--build-id=0x0123456789abcdef
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog -L. -lpart -Wl,-rpath,$PWD %lib -Wl,--build-id=0xfedcba9876543210
// RUN: DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --count first=200 --count in_library=1
// RUN: zcat trace-prog-*.pfw.gz | grep '"name":"function"' | sed 's/"pid":[0-9]*,"tid":[0-9]*,//' | sort > functions.txt
// RUN: FileCheck %s --match-full-lines --input-file=functions.txt
//
// CHECK:      {"name":"function","ph":"M","args":{"function":"first","linkage_name":"first","file":"{{.*}}.c","line":[[#]],"category":"ONE","parameters":"number,text","types":"(int, char const*)","rule":"fun:first*=ONE","rule_line":2,"module":"{{/.*}}/prog","build_id":"fedcba9876543210"}}
// CHECK-NEXT: {"name":"function","ph":"M","args":{"function":"in_library","linkage_name":"in_library","file":"{{.*}}.c","line":[[#]],"category":"FUNC","parameters":"p,either,call,more,rows","types":"(struct pair, union either const*, int (*)(int, ...), double _Complex, int (*) [], ...)","rule":"fun:*","rule_line":3,"module":"{{/.*}}/libpart.so","build_id":"0123456789abcdef"}}
// CHECK-NEXT: {"name":"function","ph":"M","args":{"function":"main","linkage_name":"main",{{.*}},"types":"()","locals":"thread,either,row","rule":"fun:*",{{.*}}}
// CHECK-NEXT: {"name":"function","ph":"M","args":{"function":"run",{{.*}},"parameters":"unused_argument","types":"(void*)","locals":"i",{{.*}}}
// CHECK-NOT:  {{.}}
//
// RUN: %dftrace report --functions trace-prog-*.pfw.gz | FileCheck %s --check-prefix=TABLE
// TABLE:      {{^}}FUNCTION CATEGORY SOURCE {{.*}}MODULE {{.*}}RULE {{.*}}VARIABLES
// TABLE-NEXT: {{^}}first(int number, char const* text){{ +}}ONE{{ +}}{{.*}}.c:[[#]]{{ +}}{{([0-9]+ +)?}}{{/.*}}/prog{{ +}}fun:first*=ONE{{$}}
// TABLE-NEXT: {{^}}in_library(struct pair p, union either const* either, int (*)(int, ...) call, double _Complex more, int (*) [] rows, ...) FUNC
// TABLE-NEXT: {{^}}main(){{ +}}FUNC{{.*}} thread,either,row{{$}}
// TABLE-NEXT: {{^}}run(void* unused_argument)
// TABLE-NOT:  {{^}}{{[a-z]}}
// RUN: %dftrace report --functions --json trace-prog-*.pfw.gz trace-prog-*.pfw.gz > functions.json
// RUN: %{python} -c 'import json; f = json.load(open("functions.json"))["functions"]; print(len(f), f[0]["function"], f[0]["line"], f[0]["rule_line"], f[0]["build_id"])' | FileCheck %s --check-prefix=JSON
// JSON: 4 first [[#]] 2 fedcba9876543210
//
// The descriptions can be switched off.
// RUN: rm trace-* && DFTRACER_ENABLE=1 DFTRACER_INC_METADATA=0 ./prog && zcat trace-prog-*.pfw.gz | not grep '"name":"function"'
// RUN: %dftrace report --functions trace-prog-*.pfw.gz 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: note: no function is described

#include <complex.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

struct pair {
    int a, b;
};
union either {
    int i;
    float f;
};

int in_library(struct pair p, const union either *either, int (*call)(int, ...),
               double complex more, int (*rows)[3], ...);

#ifdef LIBRARY
int in_library(struct pair p, const union either *either, int (*call)(int, ...),
               double complex more, int (*rows)[3], ...)
{
    return p.a + either->i + (call != NULL) + (int)creal(more) + (*rows)[0];
}
#else
static volatile int sink;

__attribute__((noinline)) static void first(const int number, const char *text)
{
    sink = number + text[0];
}

__attribute__((unused)) static void unused(void) {}

static void *run(void *unused_argument)
{
    for (int i = 0; i < 100; i++)
        first(i, "text");
    return unused_argument;
}

int main(void)
{
    pthread_t thread;
    union either either = {1};
    int row[3] = {0};

    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    pthread_join(thread, NULL);
    return in_library((struct pair){-1, 0}, &either, NULL, 0, &row, 1);
}
#endif
