// Activations of a generator or coroutine that go on have a site of their own, with the same names: each is an event that says so.
// The report counts the calls that were begun, also if they are aggregated or throttled, and in every format.
//
// RUN: printf 'fun:generate\nfun:plain\n' > allow.txt
// RUN: %cc -O2 -I%include %support %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: for option in START=running AGGREGATE=all BUDGET=0.0001%% FORMAT=dftracer FORMAT=perfetto; do rm -f trace-*; \
// RUN:   env DFTRACER_$option ./prog && %dftrace report --json trace-prog-* > report.json \
// RUN:   && grep -q '"function":"generate".*"calls":30000,.*"resumed":90000' report.json && grep -q '"function":"plain".*"calls":3,' report.json || exit 1; done
// RUN: rm trace-* && ./prog && %dftrace report trace-prog-* | FileCheck %s
// CHECK: recorded 120003 calls
// CHECK: CALLS
// CHECK: {{ 30000 .*}}generate
// CHECK: {{ 3 .*}}plain
// RUN: zcat trace-prog-* | grep -c '"name":"generate","cat":"FUNC".*"resumed":true' | grep -x 90000

#include "guest.h"

static void call(struct dftrace_site *site)
{
    __dftrace_guest_enter(site, LOOP_FRAME());
    __dftrace_guest_exit(site);
}

int main(void)
{
    struct dftrace_guest guest = describe("generate");

    if (!__dftrace_guest_wanted(NULL))
        return 1;
    struct dftrace_site *begun = new_site("generate"), *plain = new_site("plain");
    guest.flags = DFTRACE_GUEST_RESUMED;
    struct dftrace_site *resumed = __dftrace_guest_site(&guest);
    if (!resumed)
        return 1;
    for (int i = 0; i < 30000; i++) {
        call(begun);
        for (int j = 0; j < 3; j++)
            call(resumed);
        if (i % 10000 == 0)
            call(plain);
    }
    return 0;
}
