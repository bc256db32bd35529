// A rule of the allowlist matches a function of an interpreter by its bare name, its qualified name, and that with the module in
// front; and by the last two without "<locals>.". Names are compared as they are: nothing is demangled, and no suffix of compilers
// is removed. The file, categories, [sample], [args], [never] and DFTRACER_AGGREGATE apply as for native functions. The trace
// describes each function.
//
// RUN: %cc -O2 -I%include %support %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
//
// The program prints the names of the functions that have a site.
// RUN: echo decode > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=BARE
// BARE: {{^}}json.Decoder.decode json.f.<locals>.decode {{$}}
// RUN: echo Decoder.decode > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=QUALIFIED
// QUALIFIED: {{^}}json.Decoder.decode {{$}}
// RUN: echo json.Decoder.decode > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=QUALIFIED
// RUN: echo 'f.<locals>.decode' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=LOCAL
// RUN: echo 'f.decode' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=LOCAL
// RUN: echo 'json.f.decode' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=LOCAL
// RUN: echo 'json.f.<locals>.decode' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=LOCAL
// LOCAL: {{^}}json.f.<locals>.decode {{$}}
// RUN: echo 'fun:json.*' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=MODULE
// MODULE: {{^}}json.Decoder.decode json.f.<locals>.decode {{$}}
// RUN: echo 'x' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: {{^}}x {{$}}
// RUN: printf 'x.part.0\nf(int)\n_Z1fi\n' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=EXACT
// EXACT: {{^}}x.part.0 mod._Z1fi {{$}}
// RUN: echo 'src:*/inner.py' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=FILE
// FILE: {{^}}json.f.<locals>.decode {{$}}
// RUN: printf 'src:*.py\n[never]\nfun:*decode\n' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=NEVER
// NEVER: {{^}}x x.part.0 mod._Z1fi mod.<lambda> {{$}}
// RUN: echo '<lambda>' > allow.txt && ./prog | tr '\n' ' ' | FileCheck %s --check-prefix=LAMBDA
// LAMBDA: {{^}}mod.<lambda> {{$}}
//
// Nothing matches, and without a list nothing is wanted.
// RUN: echo other > allow.txt && ./prog 2> err.txt && FileCheck %s --check-prefix=NOTHING < err.txt
// NOTHING: nothing was traced: no rule of the allowlist 'allow.txt' matches a function that prog has defined
// RUN: env -u DFTRACER_ALLOWLIST ./prog | count 0
// RUN: env -u DFTRACER_ENABLE ./prog | count 0
//
// RUN: rm -f trace-* && printf 'decode=JSON\n[sample]\nx\n[args]\nmod.<lambda> !secret\n' > allow.txt
// RUN: DFTRACER_AGGREGATE=Decoder.decode ./prog && %check-trace trace-prog-*.pfw.gz --count Decoder.decode=1 --count x=1
// RUN: zcat trace-prog-*.pfw.gz > all.txt && grep '"name":"function"' all.txt | FileCheck %s --check-prefix=DESCRIPTION
// DESCRIPTION: "function":"Decoder.decode","file":"/lib/json/decoder.py","line":10,"category":"JSON","parameters":"self,s","locals":"a,b","rule":"decode=JSON","rule_line":1,"language":"test","module":"json","stack_size":5}
// DESCRIPTION: "function":"f.<locals>.decode","file":"/lib/json/inner.py",{{.*}},"module":"json","stack_size":5,"resumed":true}
// RUN: grep '"calls of Decoder.decode","cat":"JSON"' all.txt
// RUN: grep '"name":"f.<locals>.decode","cat":"JSON",.*"line":20,"resumed":true}' all.txt
// RUN: grep '"name":"x",.*"rss_kb":' all.txt
// RUN: %show-values trace-prog-*.pfw.gz | FileCheck %s --check-prefix=VALUES
// VALUES: {{^}}<lambda> {"n":-3,"half":0.5,"on":true,"none":null,"text":"te","other":"Matrix","return":"18446744073709551615"}{{$}}
//
// The other formats, and the report, have the same.
// RUN: mv trace-prog-*.pfw.gz json.pfw.gz && %show-values json.pfw.gz > values.txt
// RUN: %dftrace convert --to dftracer json.pfw.gz dftracer.pfw && grep -c '"resumed":true' dftracer.pfw | grep -x 2
// RUN: %dftrace convert json.pfw.gz perfetto.pftrace && %dftrace convert perfetto.pftrace again.pfw
// RUN: %show-values again.pfw | diff values.txt - && grep -c '"resumed":true' again.pfw | grep -x 2
// RUN: grep '"name":"function"' again.pfw | FileCheck %s --check-prefix=DESCRIPTION
// RUN: %dftrace report --functions json.pfw.gz | FileCheck %s --check-prefix=REPORT
// REPORT: {{^}}Decoder.decode(self,s) JSON /lib/json/decoder.py:10 json decode=JSON a,b{{$}}
// RUN: rm json.pfw.gz && DFTRACER_AGGREGATE=Decoder.decode DFTRACER_FORMAT=perfetto ./prog > /dev/null && %dftrace convert trace-prog-* direct.pfw
// RUN: %show-values direct.pfw | diff values.txt - && grep -c '"resumed":true' direct.pfw | grep -x 2
// RUN: rm trace-* && DFTRACER_FORMAT=dftracer ./prog > /dev/null && zcat trace-prog-* | grep -c '"resumed":true' | grep -x 2

#include "guest.h"

#include <stdio.h>

static struct dftrace_guest guests[] = {
    {.name = "decode",
     .qualified = "Decoder.decode",
     .module = "json",
     .file = "/lib/json/decoder.py"},
    {.name = "decode",
     .qualified = "f.<locals>.decode",
     .module = "json",
     .file = "/lib/json/inner.py"},
    {.name = "x", .file = "x.py"},
    {.name = "x.part.0", .file = "y.py"},
    {.name = "_Z1fi", .module = "mod", .file = "z.py"},
    {.name = "<lambda>", .module = "mod", .file = "z.py"},
};

static void call(struct dftrace_site *site)
{
    struct dftrace_value values[] = {dftrace_value(-3),
                                     dftrace_value(0.5),
                                     dftrace_value((_Bool)1),
                                     {.type = DFTRACE_TYPE_NULL},
                                     dftrace_value("hidden"),
                                     dftrace_value("te"),
                                     dftrace_guest_type_value("other", "Matrix")};
    struct dftrace_value result = dftrace_pair("return", UINT64_MAX);
    static const char *const keys[] = {"n", "half", "on", "none", "secret", "text", "other"};

    for (int i = 0; i < 7; i++)
        values[i].key = keys[i];
    __dftrace_guest_enter(site, LOOP_FRAME());
    __dftrace_guest_values(site, values, 7);
    __dftrace_guest_values(site, &result, 1);
    __dftrace_guest_exit(site);
}

int main(void)
{
    if (!__dftrace_guest_wanted(NULL))
        return 0;
    for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
        struct dftrace_guest *guest = &guests[i];
        guest->size = sizeof *guest;
        guest->language = "test";
        guest->line = 10 * (unsigned)(i + 1);
        guest->stack_size = 5;
        guest->parameters = "self,s";
        guest->locals = "a,b";
        guest->flags = i == 1 ? DFTRACE_GUEST_RESUMED : 0;
        int asked = __dftrace_guest_asks(guest);
        struct dftrace_site *site = __dftrace_guest_site(guest);
        if (asked != (site != NULL))
            return 1;
        if (!site)
            continue;
        printf("%s%s%s\n", guest->module ? guest->module : "", guest->module ? "." : "",
               guest->qualified ? guest->qualified : guest->name);
        call(site);
    }
    return 0;
}
