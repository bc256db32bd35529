// A lambda that initializes a variable template is a function of each of its instances.
//
// REQUIRES: c++
// RUN: echo 'fun:*' > allow.txt
// RUN: %cxx -std=c++17 %plugin %allow=allow.txt %s -o prog %lib && DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --print-counts | FileCheck %s
// CHECK-DAG: {{^}}2 {{.*}}next<int>{{.*}}::operator()
// CHECK-DAG: {{^}}1 {{.*}}next<long>{{.*}}::operator()

template <typename T> inline auto next = [](T x) { return x + 1; };

int main(int count, char **)
{
    return next<int>(count) + next<int>(count) + (int)next<long>(count) == 6 ? 0 : 1;
}
