// If a rule omits a parameter by its name, a parameter without a name may be the one that is meant:
// it is not recorded. The same applies to the parameters of an inherited constructor.
//
// RUN: printf '[args]\nsrc:*.cc !password !return\n' > without.txt
// RUN: printf '[args]\nsrc:*.cc !return\n' > with.txt
// RUN: %each-level 'for list in with without; do \
// RUN:   %cxx $LEVEL %plugin %allow=../$list.txt %arg-report=$list.jsonl %s -o $list %lib && \
// RUN:   DFTRACER_ENABLE=1 ./$list && %show-values trace-$list-*.pfw.gz > $list.values && \
// RUN:   zcat trace-$list-*.pfw.gz > $list.json || exit 1; done; \
// RUN:   FileCheck %s --check-prefix=WITH --input-file=with.values; \
// RUN:   FileCheck %s --check-prefix=WITHOUT --match-full-lines --input-file=without.values; \
// RUN:   FileCheck %s --check-prefix=REPORT --input-file=without.jsonl; \
// RUN:   grep -q sesame with.json && ! grep -q sesame without.json'
//
// WITH-DAG: login {"user":"somebody","#2":"open sesame"}
// WITH-DAG: Account::Account {"this":"ADDRESS","user":"somebody","password":"open sesame"}
//
// WITHOUT-DAG: login {"user":"somebody"}
// WITHOUT-DAG: Account::Account {"this":"ADDRESS","user":"somebody"}
// WITHOUT-DAG: Admin::Account{{( {"this":"ADDRESS"})?}}
//
// The report lists names; a parameter without one is not in it.
// REPORT-DAG: "function":"login",{{.*}},"without":"return"}
// REPORT-DAG: "function":"Account::Account",{{.*}},"without":"password"}

#include <cstring>

#define PART __attribute__((noinline))

PART static bool login(const char *user, const char *)
{
    return std::strlen(user) > 4;
}

struct Account {
    bool known;
    PART Account(const char *user, const char *password) : known(login(user, password)) {}
};

struct Admin : Account {
    using Account::Account;
};

int main()
{
    Admin admin("somebody", "open sesame");
    return admin.known ? 0 : 1;
}
