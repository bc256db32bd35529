// The allowlist is in the dependency output that is written together with an object, under a name
// that make can read.
//
// RUN: mkdir 'a dir' && echo main > 'a dir/allow$.txt'
// RUN: %cc -MD %plugin "%allow=a dir/allow$.txt" -c %s -o md.o && FileCheck %s < md.d
// RUN: %cc -MMD -MF mmd.dep %plugin "%allow=a dir/allow$.txt" -c %s -o mmd.o && FileCheck %s < mmd.dep
// RUN: %cc -x c++ -MD %plugin "%allow=a dir/allow$.txt" -c %s -o cxx.o && FileCheck %s < cxx.d
// CHECK: a\ dir/allow$$.txt

int main(void)
{
    return 0;
}
