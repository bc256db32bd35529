// dftrace run -t NAME: functions are named on the command line, native ones as well as those of an interpreter, alone or in
// addition to an allowlist or the rules of a configuration file. A name that matches nothing is reported.
//
// RUN: printf 'native\nother\n' > allow.txt && printf '[sample]\nother\n' > list.txt
// RUN: %cc -O2 %plugin %allow=allow.txt -I%include %support %s -o prog
// RUN: %dftrace run --no-report -t native -t decode=JSON -- ./prog 2> err.txt
// RUN: %check-trace trace-*.pfw.gz --count native=3 --count Decoder.decode=2 --only native Decoder.decode
// RUN: zcat trace-*.pfw.gz | grep -c '"cat":"JSON","ph":"X"' | grep -x 2 && not grep matched err.txt
// RUN: rm trace-* && %dftrace run --no-report -t 'json.*' -e ALLOWLIST=list.txt -- ./prog
// RUN: %check-trace trace-*.pfw.gz --only other Decoder.decode --count other=3 --count Decoder.decode=2
// RUN: zcat trace-*.pfw.gz | grep -F "\"rule\":\"fun:json.*\"" > /dev/null
// RUN: rm trace-* && DFTRACER_ALLOWLIST=list.txt %dftrace run --no-report -t native -t nativ -t decoder -- ./prog 2> err.txt
// RUN: %check-trace trace-*.pfw.gz --only other native --count native=3 --count other=3
// RUN: FileCheck %s < err.txt --check-prefix=ERR
// ERR: dftrace: warning: -t 'nativ' matched no function, did you mean 'native'?
// ERR: dftrace: warning: -t 'decoder' matched no function
// The private list is gone, and the user's list is as it was.
// RUN: test "$(cat list.txt)" = "$(printf '[sample]\nother')"
//
// RUN: not %dftrace run -t 'a[' ./prog 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: dftrace: run: -t a[:
// RUN: not %dftrace run -t '' ./prog 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: dftrace: run: -t
// RUN: not %dftrace run -t native -e ALLOWLIST=absent.txt ./prog 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: absent.txt: cannot open the allowlist: No such file
//
// dftrace check explains such names.
// RUN: printf 'decode=JSON\nfun:json.*\n' > names.txt
// RUN: %dftrace check names.txt Decoder.decode json.Decoder:f json:Decoder.f json.Decoder.f other.f.decode Decoder.f a::decode | FileCheck %s --check-prefix=CHECK-NAMES --match-full-lines
//      CHECK-NAMES:Decoder.decode: traced as JSON, by line 1: decode=JSON
// CHECK-NAMES-NEXT:json.Decoder:f: traced as FUNC, by line 2: fun:json.*
// CHECK-NAMES-NEXT:json:Decoder.f: traced as FUNC, by line 2: fun:json.*
// CHECK-NAMES-NEXT:json.Decoder.f: traced as FUNC, by line 2: fun:json.*
// CHECK-NAMES-NEXT:other.f.decode: traced as JSON, by line 1: decode=JSON
// CHECK-NAMES-NEXT:Decoder.f: not traced: no rule matches
// CHECK-NAMES-NEXT:a::decode: not traced: no rule matches

#include "guest.h"

static volatile int sink;

NOINLINE void native(int x)
{
    sink = x;
}

NOINLINE void other(int x)
{
    sink = x;
}

int main(void)
{
    struct dftrace_guest guest = describe("decode");
    struct dftrace_site *site = NULL;

    guest.qualified = "Decoder.decode";
    guest.module = "json";
    if (__dftrace_guest_wanted && __dftrace_guest_wanted(NULL))
        site = __dftrace_guest_site(&guest);
    for (int i = 0; i < 3; i++) {
        native(i);
        other(i);
    }
    for (int i = 0; site && i < 2; i++) {
        __dftrace_guest_enter(site, LOOP_FRAME());
        __dftrace_guest_exit(site);
    }
    return 0;
}
