// A parameter that a rule omits is not recorded at all: neither in the trace, nor in the spool of a
// program that was killed. The other parameters are.
//
// RUN: printf '[args]\nlogin !password !pin\nkey !return\n' > without.txt
// RUN: printf '[args]\nlogin\nkey\n' > with.txt
// RUN: mkdir spool && export DFTRACER_SPOOL_DIR=$PWD/spool DFTRACER_ENABLE=1
// RUN: %each-level 'for list in with without; do \
// RUN:   %cc $LEVEL %plugin %allow=../$list.txt %arg-report=$list.jsonl %s -o $list %lib && ! ./$list killed && \
// RUN:   cp ../spool/dftrace-* $list.spool && %dftrace recover ../spool > /dev/null && \
// RUN:   %show-values trace-$list-*.pfw.gz > $list.values && zcat trace-$list-*.pfw.gz > $list.json || exit 1; done; \
// RUN:   FileCheck %s --check-prefix=WITH --match-full-lines --input-file=with.values; \
// RUN:   FileCheck %s --check-prefix=WITHOUT --match-full-lines --input-file=without.values; \
// RUN:   FileCheck %s --check-prefix=REPORT --input-file=without.jsonl; \
// RUN:   %{python} %S/Inputs/find-secrets.py with.spool with.json | FileCheck %s --check-prefix=FOUND; \
// RUN:   %{python} %S/Inputs/find-secrets.py without.spool without.json | FileCheck %s --check-prefix=NONE'
//
// WITH:      login {"user":"somebody","password":"open sesame","pin":1592653589,"return":1}
// WITH-NEXT: key {"seed":1,"return":2643383279}
//
// WITHOUT:      login {"user":"somebody","return":1}
// WITHOUT-NEXT: key {"seed":1}
//
// REPORT-DAG: "function":"login",{{.*}},"without":"password,pin"}
// REPORT-DAG: "function":"key",{{.*}},"without":"return"}
//
// Without the rule, the search finds them, in the spool and in the trace.
// FOUND: with.spool: open sesame
// FOUND: with.spool: pin
// FOUND: with.spool: key
// FOUND: with.json: open sesame
// FOUND: with.json: pin
// FOUND: with.json: key
// NONE-NOT: without
// NONE: nothing else
//
// A name that no function has is probably misspelt.
// RUN: printf '[args]\nlogin !pasword !pin\nkey\n' > misspelt.txt
// RUN: %cc %plugin %allow=misspelt.txt %arg-report=misspelt.jsonl -c %s -o misspelt.o
// RUN: %dftrace check misspelt.txt --report misspelt.jsonl 2>&1 | FileCheck %s --check-prefix=MISSPELT "--implicit-check-not='!pin' left"
// MISSPELT: login !pasword !pin
// MISSPELT: warning: misspelt.txt: '!pasword' left out nothing: no function that its rules match
// has a parameter of that name

#include <signal.h>
#include <stdint.h>
#include <string.h>

__attribute__((noinline)) static int login(const char *user, const char *password, int pin)
{
    return strlen(user) + strlen(password) > 4 && pin != 0;
}

__attribute__((noinline)) static uint32_t key(int seed)
{
    return 2643383278u + (unsigned)seed;
}

int main(int argc, char **argv)
{
    login("somebody", "open sesame", 1592653588 + argc / 2);
    key(argc / 2);
    if (argv[1])
        raise(SIGKILL);
    return 0;
}
