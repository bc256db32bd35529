// The allowlist is a dependency of the object, for make and ninja: it is in the output of -MD and
// -MMD, also if no rule matches and in a dependency file with another name.
//
// RUN: mkdir dir && echo main > 'dir/allow.txt' && echo nothing > none.txt
// RUN: %cc -MD %plugin %allow=dir/allow.txt -c %s -o md.o && FileCheck %s --input-file=md.d
// RUN: %cc -MMD -MP %plugin %allow=dir/allow.txt -c %s -o mmd.o && FileCheck %s --input-file=mmd.d
// RUN: %cc -MD -MF other.dep %plugin %allow=dir/allow.txt -c %s -o mf.o && FileCheck %s --input-file=other.dep
// RUN: %cc -MD %plugin %allow=none.txt -c %s -o none.o && FileCheck %s --check-prefix=NONE --input-file=none.d
//
// CHECK: dir/allow.txt
// NONE:  none.txt
//
// Without -MD no such file appears.
// RUN: mkdir quiet && %cc %plugin %allow=none.txt -c %s -o quiet/none.o && test $(ls quiet | wc -l) = 1

int main(void)
{
    return 0;
}
