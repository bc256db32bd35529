/*
 * Which function and which source file a pattern matches, and that matching is never slow.
 *
 * Times are printed and never fail the test; what bounds them is checked by counting.
 */
#include "allowlist/allowlist.h"
#include "allowlist/internal.h"
#include "dftrace/abi.h"
#include "unit.h"

#include <stdlib.h>
#include <time.h>

/* --- function names ------------------------------------------------------------------------- */

struct function_row {
    const char *pattern;
    const char *linkage;
    bool matches;
};

#define PUSH_BACK "_ZNSt6vectorIiSaIiEE9push_backEOi"
#define STEP "_ZN6solver4stepEv"
#define STEP_INT "_ZN6solver4stepEiPKc"
#define GET_CONST "_ZNK1A3getEv"
#define GET "_ZN1A3getEv"
#define LESS_TEMPLATE "_ZNK2ns1AltIdEEbT_"
#define SHIFT_TEMPLATE "_ZN2ns1AlsIdEERS0_T_"
#define LAMBDA "_ZZ4mainENKUliE_clEi"
#define NAME_CXX11 "_Z4nameB5cxx11v"

static const struct function_row functions[] = {
    /* the four names */
    {"main", "main", true},
    {"main", "main2", false},
    {"main", "_Z4mainv", true},
    {"Main", "main", false},
    {"solver::step", STEP, true},
    {"solver::step()", STEP, true},
    {"::solver::step", STEP, true},
    {STEP, STEP, true},
    {STEP, STEP ".constprop.0", true},
    {STEP, "*" STEP, true},
    {STEP "*", STEP ".constprop.0", true},
    {STEP ".constprop.0", STEP ".constprop.0", true},
    {"step", STEP, false},
    {"*::step", STEP, true},
    {"solver::step", STEP_INT, true},
    {"solver::step()", STEP_INT, false},
    {"std::vector::push_back", PUSH_BACK, true},
    {"std::vector<int, std::allocator<int> >::push_back", PUSH_BACK, true},
    {"std::vector<*>::push_back(int&&)", PUSH_BACK, true},
    {"std::vector::push_back(int&&)", PUSH_BACK, false},
    {"std::vector<int>::push_back", PUSH_BACK, false},
    {"f", "f.part.0", true},
    {"inner", "inner.0", true},
    {"mymod::f", "__mymod_MOD_f", true},
    {"~Foo", "_ZN3FooD1Ev", false},
    {"Foo::~Foo", "_ZN3FooD1Ev", true},
    {"(anonymous namespace)::f", "_ZN12_GLOBAL__N_11fEi", true},
    {"(anonymous namespace)::f(int)", "_ZN12_GLOBAL__N_11fEi", true},

    /* white space counts between words only */
    {"solver::step(int, char const*)", STEP_INT, true},
    {"solver::step(int,char const*)", STEP_INT, true},
    {"solver::step( int , char const * )", STEP_INT, true},
    {"solver :: step", STEP, true},
    {"solver::step(int, charconst*)", STEP_INT, false},
    {"solver::step(int, char\tconst*)", STEP_INT, true},
    {"std::vector<int,std::allocator<int>>::push_back", PUSH_BACK, true},
    {"operator new", "_Znwm", true},
    {"operator  new", "_Znwm", true},
    {"operatornew", "_Znwm", false},
    {"operator new(unsigned long)", "_Znwm", true},
    {"operator new(unsigned ?ong)", "_Znwm", true},
    {"operator new(unsigned [kl]ong)", "_Znwm", true},
    {"operator new (unsigned *)", "_Znwm", true},
    {"operator\"\"_km", "_Zli3_kmy", true},
    {"operator\"\" _km", "_Zli3_kmy", true},

    /* what stands behind a parameter list */
    {"A::get", GET_CONST, true},
    {"A::get()", GET_CONST, true},
    {"A::get() const", GET_CONST, true},
    {"A::get()const", GET_CONST, true},
    {"A::get() volatile", GET_CONST, false},
    {"A::get()", GET, true},
    {"A::get() const", GET, false},
    {"A::*()", GET_CONST, true},
    {"ns::A::get2()", "_ZNKO2ns1A4get2Ev", true},
    {"ns::A::get2() const", "_ZNKO2ns1A4get2Ev", false},
    {"ns::A::get2() const &&", "_ZNKO2ns1A4get2Ev", true},
    {"ns::A::get2()const&&", "_ZNKO2ns1A4get2Ev", true},
    {"A::get()", "_ZNVK1A3getEv", true},
    {"A::get() const volatile", "_ZNVK1A3getEv", true},

    /* ABI tags do not count */
    {"name", NAME_CXX11, true},
    {"name()", NAME_CXX11, true},
    {"name[abi:cxx11]", NAME_CXX11, true},
    {"name[abi:cxx11]()", NAME_CXX11, true},
    {"name[abi:*]()", NAME_CXX11, true},
    {"name\\[abi:cxx11\\]()", NAME_CXX11, true},

    /* operators */
    {"ns::A::operator=", "_ZN2ns1AaSERKS0_", true},
    {"ns::A::operator =", "_ZN2ns1AaSERKS0_", true},
    {"ns::A::operator=", "_ZNK2ns1AeqERKS0_", false},
    {"ns::A::operator=(ns::A const&)", "_ZN2ns1AaSERKS0_", true},
    {"ns::A::operator==", "_ZNK2ns1AeqERKS0_", true},
    {"ns::A::operator=*", "_ZNK2ns1AeqERKS0_", true},
    {"ns::A::operator[]", "_ZN2ns1AixEi", true},
    {"ns::A::operator [ ]", "_ZN2ns1AixEi", false},
    {"ns::A::operator\\[\\]", "_ZN2ns1AixEi", true},
    {"ns::A::operator[](int)", "_ZN2ns1AixEi", true},
    {"ns::A::operator new[]", "_ZN2ns1AnaEm", true},
    {"ns::A::operator new", "_ZN2ns1AnaEm", false},
    {"operator delete[]", "_ZdaPv", true},
    {"ns::A::operator()", "_ZN2ns1AclEi", true},
    {"ns::A::operator()()", "_ZN2ns1AclEi", false},
    {"ns::A::operator()()", "_ZN2ns1AclEv", true},
    {"ns::A::operator bool", "_ZNK2ns1AcvbEv", true},
    {"ns::A::operator*", "_ZN2ns1AdeEv", true},
    {"ns::A::operator*", "_ZN2ns1AixEi", true},
    {"ns::A::operator\\*", "_ZN2ns1AdeEv", true},
    {"ns::A::operator\\*", "_ZN2ns1AixEi", false},
    {"ns::A::operator<", LESS_TEMPLATE, true},
    {"ns::A::operator< <double>", LESS_TEMPLATE, true},
    {"ns::A::operator<  <*>", LESS_TEMPLATE, true},
    {"ns::A::operator<<", LESS_TEMPLATE, false},
    {"ns::A::operator<<*", LESS_TEMPLATE, false},
    {"ns::A::operator<<", SHIFT_TEMPLATE, true},
    {"ns::A::operator<", SHIFT_TEMPLATE, false},
    {"ns::A::operator<=>", "_ZNK2ns1AssERKS0_", true},
    {"ns::A::operator->", "_ZN2ns1AptEv", true},
    {"ns::A::operator,", "_ZN2ns1AcmEi", true},
    {"main::{lambda(int)#1}::operator()", LAMBDA, true},
    {"main::{lambda(*)#?}::operator()", LAMBDA, true},
    {"main::*", LAMBDA, true},
    {"main", LAMBDA, false},
    {"foo::{lambda()#1}::operator()", "_ZZ3fooiENKUlvE_clEv", true},
    {"foo::*", "_ZZ3fooiENKUlvE_clEv", true},

    /* globs */
    {"*", "f", true},
    {"**", "f", true},
    {"?", "f", true},
    {"?", "ff", false},
    {"??*", "f", false},
    {"??*", "ff", true},
    {"*a", "banana", true},
    {"*an*an*", "banana", true},
    {"*an*an*an*", "banana", false},
    {"b*a", "ba", true},
    {"b*a", "b", false},
    {"ba*na", "bana", true},
    {"ban*ana", "bana", false},
    {"ab*ba", "aba", false},
    {"*?a", "a", false},
    {"*?a", "xa", true},
    {"a*?", "a", false},
    {"*a?c*", "xxabcxx", true},
    {"*a?c*", "xxabxcxx", false},
    {"*[0-9]", "step12", true},
    {"*[0-9]", "step1x", false},
    {"step[!0-9]", "step1", false},
    {"step[!0-9]", "stepx", true},
    {"step[^0-9]", "stepx", true},
    {"step[!0-9]", "step", false},
    {"[abc]", "b", true},
    {"[a-]", "-", true},
    {"[-a]", "-", true},
    {"[a\\-c]", "b", false},
    {"[a\\-c]", "-", true},
    {"[\\]]", "]", true},
    {"[!a-z]", "[", true},
    {"[a-cx-z]_[a-cx-z]", "b_y", true},
    {"[a-cx-z]_[a-cx-z]", "b_m", false},
    {"[[]x", "[x", true},
    {"a\\?", "a?", true},
    {"a\\?", "ab", false},
    {"\\\\", "\\", true},
    {"a\\bc", "abc", true},
    {"x*y*z", "x__y__z", true},
    {"x*y*z", "x__z__y", false},

    /* '?' and classes are characters, not bytes */
    {"gr?", "gr\xc3\xb6", true},
    {"gr??", "gr\xc3\xb6", false},
    {"?*?", "\xc3\xb6", false},
    {"gr?\xc3\x9f"
     "e",
     "gr\xc3\xb6\xc3\x9f"
     "e",
     true},
    {"*?e",
     "\xc3\xb6"
     "e",
     true},
    {"gr[\xc3\xa4\xc3\xb6]*", "gr\xc3\xb6\xc3\x9f", true},
    {"gr[\xc3\xa0-\xc3\xbf]", "gr\xc3\xb6", true},
    {"gr[!\xc3\xb6]", "gr\xc3\xb6", false},
    {"gr[!a-z]", "gr\xc3\xb6", true},
    {"*[\xe2\x82\xac]*x", "a\xe2\x82\xac-x", true},
    {"?", "\xf0\x9f\x98\x80", true},
    {"?", "\xff", true},
    {"[!a]", "\xff", true},
    {"[\xc3\xb6]", "\xff", false},
    {"*?", "\x80\x80\x80\x80\x80", true},
    {"?????", "\x80\x80\x80\x80\x80", true},
    {"*??", "\xc3\xb6\xb6\xb6\xb6", true},
    {"*???", "\xc3\xb6\xb6\xb6\xb6", false},
};

static void check_functions(void)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const struct function_row *row = &functions[i];
        struct dft_allowlist_error error;
        struct dft_verdict verdict;
        struct dft_names names;
        char text[256], name[512];
        snprintf(name, sizeof name, "%s on %s", row->pattern, row->linkage);
        unit_row = name;
        snprintf(text, sizeof text, "zzz\nfun:%s\n", row->pattern);
        struct dft_allowlist *list = dft_allowlist_parse(text, strlen(text), &error);
        CHECK_TEXT(error.message, "");
        if (!list || !CHECK(dft_names_make(row->linkage, DFT_LANGUAGE_C_FAMILY, &names)))
            continue;
        dft_allowlist_match(list, &names, NULL, NULL, &verdict);
        CHECK_INT(verdict.traced, row->matches);
        if (verdict.traced)
            CHECK_INT(verdict.rule->line, 2);
        else
            CHECK(!verdict.rule);
        dft_names_free(&names);
        dft_allowlist_free(list);
    }
    unit_row = NULL;
}

/* --- source files --------------------------------------------------------------------------- */

struct source_row {
    const char *pattern;
    const char *source;
    const char *directory;
    bool matches;
};

static const struct source_row sources[] = {
    /* a relative pattern matches from any border of a component on */
    {"src/io/*", "/u/p/src/io/a.c", NULL, true},
    {"io/*", "/u/p/src/io/a.c", NULL, true},
    {"o/*", "/u/p/src/io/a.c", NULL, false},
    {"src/io/*", "src/io/a.c", "/u/p", true},
    {"src/io/*", "src/io/a.c", NULL, true},
    {"io/a.c", "src/io/a.c", NULL, true},
    {"src/io/*", "../src/io/a.c", "/u/p/build", true},
    {"p/src/*", "../src/io/a.c", "/u/p/build", true},
    {"build/*", "../src/io/a.c", "/u/p/build", false},
    {"src/io/*", "io/a.c", "/u/p/src", true},
    {"a.c", "a.c", NULL, true},
    {"a.c", "/u/p/src/io/a.c", NULL, true},
    {"a.c", "ba.c", "/u", false},
    {"a.c", "a.cc", "/u", false},
    {"a.c", "a.c/b", "/u", false},
    {"src/io", "src/io/a.c", "/u", false},
    {"src/*.c", "src/io/deep/a.c", "/u", true},
    {"src/?o/a.c", "src/io/a.c", "/u", true},
    {"[a-c].c", "src/b.c", "/u", true},
    {"?.c", "src/bb.c", "/u", false},

    /* a folder means all below it */
    {"src/io/", "src/io/a.c", "/u/p", true},
    {"src/io/", "src/io/deep/a.c", "/u/p", true},
    {"src/io/", "src/ion/a.c", "/u/p", false},
    {"io/", "io", "/u/p", false},
    {"/", "a.c", "/u/p", true},
    {"/u/p/", "a.c", "/u/p", true},
    {"/u/q/", "a.c", "/u/p", false},

    /* an absolute pattern matches the whole path */
    {"/u/p/src/a.c", "src/a.c", "/u/p", true},
    {"/u/p/src/a.c", "./src/../src//a.c", "/u/p/", true},
    {"/p/src/a.c", "src/a.c", "/u/p", false},
    {"/u/*", "src/a.c", "/u/p", true},
    {"/src/*", "src/a.c", NULL, false},
    {"/src/a.c", "src/a.c", NULL, false},
    {"/u/p/../p/src/*", "src/a.c", "/u/p", true},
    {"/u/p/s*/../x.c", "/u/p/src/../x.c", NULL, true},
    {"/u/p/s*/../x.c", "/u/p/x.c", NULL, false},
    {"/u/*/old/*", "/u/p/old/../src/x.c", NULL, true},
    {"/u/p/src/a.c", "/u/p/src/a.c", "/elsewhere", true},

    /* and so does one that begins with a star */
    {"*.c", "src/a.c", "/u/p", true},
    {"*.c", "src/a.cc", "/u/p", false},
    {"*/src/*", "src/a.c", "/u/p", true},
    {"*/src/*", "src/a.c", NULL, true},
    {"*o/a.c", "src/io/a.c", "/u", true},
    {"**/a.c", "src/io/a.c", "/u", true},
    {"*", "x", NULL, true},

    /* patterns are brought into the same form as paths */
    {"./src/a.c", "src/a.c", "/u/p", true},
    {"././src//a.c", "src/a.c", "/u/p", true},
    {"../p/src/a.c", "src/a.c", "/u/p", true},
    {"../../src/*", "src/a.c", "/u/p", true},
    {"src/x/../a.c", "src/a.c", "/u/p", true},
    {"src/./a.c", "src/a.c", "/u/p", true},
    {"x/../../src/a.c", "src/a.c", "/u/p", true},

    /* paths: nothing goes above the root, "old/.." is no place */
    {"/a.c", "../../../a.c", "/u/p", true},
    {"old/*", "/p/old/../src/x.c", NULL, false},
    {"../a.c", "../a.c", NULL, true},
    {"src/a.c", "../src/a.c", NULL, true},
    {"b/a.c", "x/../../b/a.c", NULL, true},
    {"<stdin>", "<stdin>", "/u/p", true},

    /* white space, '=' and brackets in paths */
    {"my dir/a b.c", "my dir/a b.c", "/u", true},
    {"mydir/ab.c", "my dir/a b.c", "/u", false},
    {"a\tb.c", "a\tb.c", "/u", true},
    {"a\tb.c", "a b.c", "/u", false},
    {"a\\=b.c", "a=b.c", "/u", true},
    {"operator\\[\\].c", "operator[].c", "/u", true},
    {"x\\*.c", "x*.c", "/u", true},
    {"x\\*.c", "xy.c", "/u", false},
    {"\xc3\xb6?/*", "\xc3\xb6\xc3\xb6/a.c", "/u", true},
};

static void check_sources(void)
{
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        const struct source_row *row = &sources[i];
        struct dft_allowlist_error error;
        struct dft_verdict verdict;
        char text[256], name[512];
        snprintf(name, sizeof name, "%s on %s in %s", row->pattern, row->source,
                 row->directory ? row->directory : "?");
        unit_row = name;
        snprintf(text, sizeof text, "src:zzz\nsrc:%s\n", row->pattern);
        struct dft_allowlist *list = dft_allowlist_parse(text, strlen(text), &error);
        CHECK_TEXT(error.message, "");
        if (!list)
            continue;
        dft_allowlist_match(list, NULL, row->source, row->directory, &verdict);
        CHECK_INT(verdict.traced, row->matches);
        CHECK_INT(verdict.rule ? verdict.rule->line : 0, row->matches ? 2 : 0);
        dft_allowlist_free(list);
    }
    unit_row = NULL;
}

/* --- every rule that matches --------------------------------------------------------------- */

static void check_notes(const char *text, const char *linkage, const char *source, unsigned want)
{
    struct dft_allowlist_error error;
    struct dft_verdict verdict;
    struct dft_names names;
    uint8_t matched[1] = {0};
    struct dft_allowlist *list = dft_allowlist_parse(text, strlen(text), &error);

    unit_row = text;
    CHECK_TEXT(error.message, "");
    if (list && CHECK(dft_names_make(linkage, DFT_LANGUAGE_C_FAMILY, &names))) {
        dft_allowlist_match_and_mark(list, &names, source, NULL, &verdict, matched);
        CHECK_INT(matched[0], want);
        dft_names_free(&names);
    }
    dft_allowlist_free(list);
    unit_row = NULL;
}

static void check_all_that_match(void)
{
    check_notes("f\ng\n", "f", NULL, 1);
    check_notes("f\nf*\ng\nsrc:a.c\nsrc:b.c\n", "f", "a.c", 1 | 2 | 8);
    check_notes("f\n[never]\nf*\n[sample]\n*\n", "f", NULL, 1 | 2 | 4);
    check_notes("g\n", "f", NULL, 0);
    check_notes("f\nf=IO\n", "f", NULL, 2); /* one entry of the table: the last rule of it */
}

/* --- long input and speed ------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static char *repeat(const char *unit, size_t count, const char *tail)
{
    size_t size = strlen(unit);
    char *text = malloc(size * count + strlen(tail) + 1);
    if (!text)
        abort();
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * size, unit, size);
    stpcpy(text + count * size, tail);
    return text;
}

/* A pattern and a text that take for ever where every star is tried again. */
static void check_hard_glob(const char *unit, size_t stars, const char *tail, const char *name_unit,
                            size_t name_units, const char *name_tail, bool matches)
{
    char *text = repeat(unit, stars, tail);
    char *name = repeat(name_unit, name_units, name_tail);
    struct dft_allowlist_error error;
    struct dft_names names = {.qualified = name, .linkage = "x"};
    struct dft_verdict verdict;
    double start = seconds();
    struct dft_allowlist *list = dft_allowlist_parse(text, strlen(text), &error);
    CHECK_TEXT(error.message, "");
    if (list) {
        dft_allowlist_match(list, &names, name, "/u", &verdict);
        CHECK_INT(verdict.traced, matches);
        printf("%zu times %s on %zu bytes: %.1f ms\n", stars, unit, strlen(name),
               1e3 * (seconds() - start));
    }
    dft_allowlist_free(list);
    free(text);
    free(name);
}

static void check_hard_globs(void)
{
    check_hard_glob("*a", 30, "*b", "a", 60000, "", false);
    check_hard_glob("*a", 30000, "*b", "a", 60000, "b", true);
    check_hard_glob("*a", 30, "*", "a", 60000, "", true);
    check_hard_glob("*a?", 1000, "*b", "a", 60000, "", false);
    check_hard_glob("*[ab]a", 1000, "b", "a", 60000, "", false);
    check_hard_glob("?", 60000, "", "a", 60000, "", true);
    check_hard_glob("src:*a", 1, "*a*a*a*a*b", "a", 60000, "", false);
    check_hard_glob("*x y", 3, "z", "x y ", 20000, "", false);
}

enum { RULES = 1000, FUNCTIONS = 10000 };

static void append(char **end, const char *limit, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(limit - *end) > length)
        *end = stpcpy(*end, text);
}

/* Half of them names, half globs of every kind. */
static struct dft_allowlist *make_rules(void)
{
    static char text[RULES * 80];
    static const char *const formats[] = {
        "fun:project::module%u::Class::method\n",
        "fun:project::module%u::*=CAT%u\n",
        "project::detail::helper_%u\n",
        "fun:*::run_stage_%u*\n",
        "function_%u\n",
        "fun:*Handler%u::handle*\n",
        "_ZN7project9symbol%uEv\n",
        "src:src/part%u/*\n",
    };
    char *end = text;
    for (unsigned i = 0; i < RULES; i++) {
        char line[80];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(line, sizeof line, formats[i % (sizeof formats / sizeof formats[0])], i, i);
#pragma GCC diagnostic pop
        append(&end, text + sizeof text, line);
    }
    struct dft_allowlist_error error;
    struct dft_allowlist *list = dft_allowlist_parse(text, (size_t)(end - text), &error);
    CHECK_TEXT(error.message, "");
    return list;
}

/* project::moduleN::Class::method(std::map<...>&, std::vector<...>): 450 bytes demangled. */
static void make_function(unsigned number, char *linkage, size_t size)
{
    char module[32], method[32];
    snprintf(module, sizeof module, "module%u", number % 2000);
    snprintf(method, sizeof method, "%s%u", number % 3 ? "run_stage_" : "process", number % 7000);
    snprintf(
        linkage, size,
        "_ZN7project%zu%s5Class%zu%sERSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
        "St6vectorIiSaIiEESt4lessIS7_ESaISt4pairIKS7_SA_EEERKSA_i",
        strlen(module), module, strlen(method), method);
}

static void check_speed(void)
{
    static struct dft_names names[FUNCTIONS];
    static char linkages[FUNCTIONS][256];
    struct dft_allowlist *list = make_rules();
    if (!list)
        return;
    double start = seconds();
    size_t bytes = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        make_function(i, linkages[i], sizeof linkages[i]);
        if (!CHECK(dft_names_make(linkages[i], DFT_LANGUAGE_C_FAMILY, &names[i])))
            return;
        CHECK(strcmp(names[i].qualified, linkages[i]) != 0);
        bytes += strlen(names[i].signature);
    }
    double made = seconds();
    size_t traced = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        struct dft_verdict verdict;
        dft_allowlist_match(list, &names[i], "src/part7/file.cc", "/u/project", &verdict);
        traced += verdict.traced;
    }
    printf("%d functions of %zu bytes on %d rules: %.1f ms, names %.1f ms\n", FUNCTIONS,
           bytes / FUNCTIONS, RULES, 1e3 * (seconds() - made), 1e3 * (made - start));
    CHECK_INT(traced, FUNCTIONS); /* all by src:src/part7 */

    /* How many globs are left after the mask of a function's names has been looked at. */
    const struct dft_glob_list *globs = &list->globs[DFT_SUBJECT_FUNCTION];
    size_t tried = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        struct dft_mask mask = {{0}};
        dft_mask_add(&mask, names[i].qualified, strlen(names[i].qualified));
        dft_mask_add(&mask, names[i].signature, strlen(names[i].signature));
        dft_mask_add(&mask, names[i].linkage, strlen(names[i].linkage));
        for (size_t j = 0; j < globs->count; j++)
            tried += dft_mask_covers(&mask, &globs->masks[j]);
        dft_names_free(&names[i]);
    }
    printf("globs tried: %zu of %zu\n", tried, globs->count * FUNCTIONS);
    CHECK(globs->count > RULES / 4);
    CHECK(tried < globs->count * FUNCTIONS / 20);
    dft_allowlist_free(list);
}

/* --- regions --- */

struct region_row {
    const char *list, *name;
    bool is_traced;
    unsigned line; /* of the rule that decides; 0: none */
    const char *category;
};

static const struct region_row region_rows[] = {
    {"f\n", "load", true, 0, NULL}, /* no rule is about regions */
    {"f\n[never]\nregion:load\n", "load", false, 3, NULL},
    {"f\n[never]\nregion:load\n", "store", true, 0, NULL},
    {"region:load\n", "load", true, 1, NULL},
    {"region:load\n", "store", false, 0, NULL},
    {"region:load\n", "load ", false, 0, NULL},
    {"region:lo*=IO\nregion:load\n", "load", true, 1, "IO"},
    {"region:lo*=IO\nregion:load=DATA\n", "load", true, 2, "DATA"},
    {"region: bytes read = IO\n", "bytes read", true, 1, "IO"},
    {"region:a,b(c)\n", "a,b(c)", true, 1, NULL},
    {"region:operator=IO\n", "operator", true, 1, "IO"}, /* no name of a function */
    {"region:a\\=b\n", "a=b", true, 1, NULL},
    {"region:::x\n", "::x", true, 1, NULL},
    {"region:what !now\n", "what !now", true, 1, NULL},
    {"region:?[0-9]\n[never]\nregion:*5\n",
     "\xc3\xa4"
     "5",
     false, 3, NULL},
    {"region:?[0-9]\n[never]\nregion:*5\n",
     "\xc3\xa4"
     "4",
     true, 1, NULL},
    {"load\nregion:other\n", "load", false, 0, NULL}, /* fun:load is another name */
};

static void check_regions(void)
{
    for (size_t i = 0; i < sizeof region_rows / sizeof *region_rows; i++) {
        const struct region_row *row = &region_rows[i];
        struct dft_allowlist_error error;
        struct dft_verdict verdict;
        struct dft_allowlist *list = dft_allowlist_parse(row->list, strlen(row->list), &error);

        unit_row = row->list;
        CHECK_TEXT(error.message, "");
        if (!list)
            continue;
        dft_allowlist_match_region(list, row->name, &verdict, NULL);
        CHECK_INT(verdict.traced, row->is_traced);
        CHECK_INT(verdict.rule ? verdict.rule->line : 0, row->line);
        CHECK_TEXT(verdict.category, row->category);
        dft_allowlist_free(list);
    }
    unit_row = NULL;
}

static void check_regions_beside_functions(void)
{
    static const char text[] = "region:x\n[sample]\nregion:y\n";
    struct dft_allowlist_error error;
    struct dft_verdict verdict;
    struct dft_allowlist *list = dft_allowlist_parse(text, strlen(text), &error);
    struct dft_names names;
    uint8_t matched = 0;

    if (!CHECK(list != NULL))
        return;
    CHECK(!dft_allowlist_chooses_functions(list));
    CHECK(dft_allowlist_chooses_regions(list));
    dft_allowlist_match_region(list, "y", &verdict, &matched);
    CHECK_INT(verdict.flags, DFTRACE_SITE_SAMPLE);
    CHECK_INT(matched, 2);
    if (CHECK(dft_names_make("x", DFT_LANGUAGE_C_FAMILY, &names))) {
        dft_allowlist_match(list, &names, "x", NULL, &verdict);
        CHECK(!verdict.traced);
        dft_names_free(&names);
    }
    dft_allowlist_free(list);
}

int main(void)
{
    check_regions();
    check_regions_beside_functions();
    check_functions();
    check_sources();
    check_all_that_match();
    check_hard_globs();
    check_speed();
    return unit_result();
}
