// Names, files and categories are the same as with the plugin: static and C++ functions, templates,
// members. With debug information there are lines, and src: rules match.
//
// REQUIRES: c++
// RUN: printf 'main\nfun:ns::*=NAMES\nsrc:*finstrument-has*=FILE\n[never]\nfun:*::hidden\n' > allow.txt
// RUN: %cxx -g -O1 -finstrument-functions %s -o prog
// RUN: DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt LD_PRELOAD=%libdir/libdftrace.so ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --tree --show cat --show args.file --show args.line > tree.txt
// RUN: FileCheck %s < tree.txt --implicit-check-not=hidden
//
// CHECK: {{^}}  main cat=FILE args.file={{.*}}finstrument-has-the-same-names-as-the-plugin.cc args.line=[[@LINE+36]]{{$}}
// CHECK: {{^}}    ns::twice<int> cat=FILE args.file={{.*}}.cc args.line=[[@LINE+26]]{{$}}
// CHECK: {{^}}    ns::Thing::Thing cat=FILE {{.*}} args.line=[[@LINE+28]]{{$}}
// CHECK: {{^}}    file_local cat=FILE {{.*}} args.line=[[@LINE+21]]{{$}}
// CHECK: {{^}}    ns::Thing::~Thing cat=FILE {{.*}} args.line=[[@LINE+28]]{{$}}
//
// Without debug information, rules match by name alone, and there is no line.
// RUN: %cxx -O1 -finstrument-functions %s -o bare
// RUN: DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt LD_PRELOAD=%libdir/libdftrace.so ./bare
// RUN: %check-trace trace-bare-*.pfw.gz --only main 'ns::twice<int>' ns::Thing::Thing ns::Thing::~Thing \
// RUN:   --count 'ns::twice<int>=1' --tree --show cat --show args.line | FileCheck %s --check-prefix=BARE
// BARE: {{^}}  main cat=FUNC args.line=0
// BARE: {{^}}    ns::twice<int> cat=NAMES args.line=0
//
// DWARF of every version that compilers still write.
// RUN: for version in 2 3 4 5; do rm -f trace-* && %cxx -gdwarf-$version -O1 -finstrument-functions %s -o prog \
// RUN:   && DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt LD_PRELOAD=%libdir/libdftrace.so ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --tree --show cat --show args.file --show args.line > tree.txt \
// RUN:   && FileCheck %s < tree.txt --implicit-check-not=hidden || exit 1; done

static volatile int sink;

// A function's line is that of its name in some tables, that of its brace in others.
// clang-format off
static __attribute__((noinline)) void file_local(int x) { sink = x; }

namespace ns {
template <typename T> __attribute__((noinline)) T twice(T x) { return x + x + sink; }

struct Thing {
    __attribute__((noinline)) Thing() { sink = 1; }
    __attribute__((noinline)) void hidden() { sink = 2; }
    __attribute__((noinline)) ~Thing() { sink = 3; }
};
} // namespace ns

int main() {
    sink = ns::twice(4);
    ns::Thing thing;
    thing.hidden();
    file_local(5);
    return 0;
}
