// LLVM's verifier accepts the instrumented functions after every later pass of the optimizer; an
// ifunc resolver is not changed.
//
// REQUIRES: c++, opt
// RUN: echo 'fun:*' > allow.txt && export DFTRACER_ALLOWLIST=allow.txt
// RUN: %cxx -std=c++17 -Wno-vla-extension -Wno-unknown-warning-option -Wno-vla-cxx-extension -g -S -emit-llvm -O2 -Xclang -disable-llvm-passes %s -o in.ll
// RUN: %opt -load-pass-plugin=%pass -passes=dftrace,verify -S in.ll -o out.ll
// RUN: FileCheck %s < out.ll
// RUN: for level in O0 O2 Os; do %opt -load-pass-plugin=%pass -passes="default<$level>" -verify-each -S in.ll -o $level.ll || exit 1; done
// RUN: %opt -load-pass-plugin=%pass -passes='thinlto-pre-link<O2>' -verify-each in.ll -o thin.bc
// RUN: %opt -load-pass-plugin=%pass -passes='lto-pre-link<O2>' -verify-each in.ll -o full.bc

#include <string>
#include <vector>

// CHECK-LABEL: define {{.*}}@resolve()
// CHECK-NOT:   __dftrace_quick_enter
// CHECK:       {{^}}}
static int chosen(int x)
{
    return x;
}

extern "C" int (*resolve())(int)
{
    return chosen;
}

extern "C" int dispatched(int) __attribute__((ifunc("resolve")));

struct Base {
    virtual ~Base() = default;
    virtual std::string name(int x) = 0;
};

struct Other {
    virtual ~Other() = default;
    virtual Other *self()
    {
        return this;
    }
};

struct Derived : Base, Other {
    Derived *self() override
    {
        return this;
    }
    std::string name(int x) override
    {
        if (x > 100)
            throw x;
        return std::to_string(dispatched(x));
    }
};

// CHECK-LABEL: define {{.*}}@_Z7collect{{.*}}i(
// CHECK-SAME:  personality {{.*}}@__gxx_personality_v0
// CHECK:       __dftrace_quick_enter
std::vector<std::string> collect(int count)
{
    std::vector<std::string> names;
    Derived derived;
    for (int i = 0; i < count; i++) {
        try {
            names.push_back(derived.name(i));
        } catch (int) {
            names.emplace_back();
        }
    }
    return names;
}

int main(int argc, char **)
{
    int array[argc]; // a dynamic alloca
    array[0] = argc;
    return collect(array[0] + 200).empty();
}
