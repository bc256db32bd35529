/*
 * The names that are derived from linkage names: every row is a symbol that GCC, Clang or gfortran
 * make, or one made to break a demangler.
 */
#include "allowlist/allowlist.h"
#include "allowlist/plain.h"
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

#define C DFT_LANGUAGE_C_FAMILY
#define FORTRAN DFT_LANGUAGE_FORTRAN

struct name_row {
    const char *linkage;
    enum dft_language language;
    const char *qualified;
    const char *signature; /* NULL: the same as the qualified name */
    const char *plain;     /* NULL: the same as the qualified name */
};

static const struct name_row rows[] = {
    /* C */
    {"main", C, "main", NULL, NULL},
    {"*main", C, "main", NULL, NULL},
    {"\1main", C, "main", NULL, NULL},
    {"", C, "", NULL, NULL},
    {"*", C, "", NULL, NULL},
    {"@", C, "@", NULL, NULL},
    {"memcpy@GLIBC_2.2.5", C, "memcpy", NULL, NULL},
    {"memcpy@@GLIBC_2.14", C, "memcpy", NULL, NULL},
    {"solve_", C, "solve_", NULL, NULL},
    {"größe", C, "größe", NULL, NULL},
    {"_Zebra", C, "_Zebra", NULL, NULL},
    {"_Z", C, "_Z", NULL, NULL},
    {"__Z", C, "__Z", NULL, NULL},
    {"_Z1f!", C, "_Z1f!", NULL, NULL},

    /* clones, and names that only look like them */
    {"f.constprop.0", C, "f", NULL, NULL},
    {"f.isra.0", C, "f", NULL, NULL},
    {"f.part.0.cold", C, "f", NULL, NULL},
    {"f.constprop.0.isra.0", C, "f", NULL, NULL},
    {"f.cold.1", C, "f", NULL, NULL},
    {"f.lto_priv.0", C, "f", NULL, NULL},
    {"f._omp_fn.0", C, "f", NULL, NULL},
    {"f.omp_outlined", C, "f", NULL, NULL},
    {"f.llvm.1234567890", C, "f", NULL, NULL},
    {"f.__uniq.123.llvm.456", C, "f", NULL, NULL},
    {"f.avx512f.0", C, "f", NULL, NULL},
    {"f.arch_haswell", C, "f", NULL, NULL},
    {"f.default", C, "f", NULL, NULL},
    {"inner.0", C, "inner", NULL, NULL},
    {"inner.0.0", C, "inner", NULL, NULL},
    {"my.symbol", C, "my.symbol", NULL, NULL},
    {"f.", C, "f.", NULL, NULL},
    {".omp_outlined.", C, ".omp_outlined.", NULL, NULL},
    {".0", C, ".0", NULL, NULL},
    {"f.constprop.0@VERS_1", C, "f", NULL, NULL},

    /* C++ */
    {"_Z4stepi", C, "step", "step(int)", NULL},
    {"__Z4stepi", C, "step", "step(int)", NULL},
    {"*_Z4stepi", C, "step", "step(int)", NULL},
    {"_Z4stepi@@VERS_1", C, "step", "step(int)", NULL},
    {"_ZL6helperv", C, "helper", "helper()", NULL},
    {"_ZN6solver4stepEv", C, "solver::step", "solver::step()", NULL},
    {"_ZN6solver4stepEiPKc", C, "solver::step", "solver::step(int, char const*)", NULL},
    {"_ZN6solver4stepEv.constprop.0", C, "solver::step", "solver::step()", NULL},
    {"_ZN6solver4stepEv.part.0.cold", C, "solver::step", "solver::step()", NULL},
    {"_ZN6solver4stepEv.SOMETHING", C, "solver::step", "solver::step()", NULL},
    {"_Z3a.bv", C, "a.b", "a.b()", NULL},
    {"_Z3a.bv.cold", C, "a.b", "a.b()", NULL},
    {"_ZN12_GLOBAL__N_14anonEi", C, "(anonymous namespace)::anon",
     "(anonymous namespace)::anon(int)", NULL},
    {"_Z4nameB5cxx11v", C, "name[abi:cxx11]", "name[abi:cxx11]()", "name"},
    {"_ZN2ns1AC1Ei", C, "ns::A::A", "ns::A::A(int)", NULL},
    {"_ZN2ns1AC2Ei", C, "ns::A::A", "ns::A::A(int)", NULL},
    {"_ZN2ns1AD0Ev", C, "ns::A::~A", "ns::A::~A()", NULL},
    {"_ZN2ns1AD1Ev", C, "ns::A::~A", "ns::A::~A()", NULL},
    {"_ZN2ns1AD2Ev", C, "ns::A::~A", "ns::A::~A()", NULL},
    {"_ZNK2ns1A3getEv", C, "ns::A::get", "ns::A::get() const", NULL},
    {"_ZNH2ns1A3getERKS0_i", C, "ns::A::get", "ns::A::get(ns::A const&, int)", NULL},
    {"_ZNHx", C, "_ZNHx", "_ZNHx", NULL},
    {"_ZNKO2ns1A4get2Ev", C, "ns::A::get2", "ns::A::get2() const &&", NULL},
    {"_ZThn16_N1A1fEv", C, "non-virtual thunk to A::f()", NULL, NULL},

    /* templates */
    {"_ZN2ns1fIlEET_S1_", C, "ns::f<long>", "ns::f<long>(long)", "ns::f"},
    {"_ZN2ns2vaIJidPKcEEEiDpT_", C, "ns::va<int, double, char const*>",
     "ns::va<int, double, char const*>(int, double, char const*)", "ns::va"},
    {"_ZN2ns2ntILi3ELb1EEEiv", C, "ns::nt<3, true>", "ns::nt<3, true>()", "ns::nt"},
    {"_ZNSt6vectorIiSaIiEE9push_backEOi", C, "std::vector<int, std::allocator<int> >::push_back",
     "std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector::push_back"},
    {"_ZN2ns2TmISt3mapIiiSt4lessIiESaISt4pairIKiiEEEEC1Ev", C,
     "ns::Tm<std::map<int, int, std::less<int>, std::allocator<std::pair<int const, int> > > >::Tm",
     "ns::Tm<std::map<int, int, std::less<int>, std::allocator<std::pair<int const, int> > > "
     ">::Tm()",
     "ns::Tm::Tm"},
    {"_ZNKSt8functionIFiiEEclEi", C, "std::function<int (int)>::operator()",
     "std::function<int (int)>::operator()(int) const", "std::function::operator()"},
    {"_ZN2ns2dtINS_1XEEEDTltdtfp_1xLi3EET_", C, "ns::dt<ns::X>", "ns::dt<ns::X>(ns::X)", "ns::dt"},
    {"_ZN2ns2fpIXadL_ZNKS_1A3getEvEEEEiv", C, "ns::fp<&(ns::A::get() const)>",
     "ns::fp<&(ns::A::get() const)>()", "ns::fp"},
    {"_ZN2ns2fpIXadL_ZNKS_1AltERKS1_EEEEiv", C, "ns::fp<&(ns::A::operator<(ns::A const&) const)>",
     "ns::fp<&(ns::A::operator<(ns::A const&) const)>()", "ns::fp"},
    {"_ZN2ns2fpIXadL_ZNS_1AptEvEEEEiv", C, "ns::fp<&ns::A::operator-> >",
     "ns::fp<&ns::A::operator-> >()", "ns::fp"},
    {"_Z3arrIiEvRA3_T_", C, "arr<int>", "arr<int>(int (&) [3])", "arr"},
    {"_Z1fILi1EEv1AIXgtT_Li0EEE", C, "f<1>", "f<1>(A<((1)>(0))>)", "f"},
    {"_ZN1AIXltLi1ELi0EEE1fEv", C, "A<(1)<(0)>::f", "A<(1)<(0)>::f()", "A::f"},
    {"_ZN1AIXgtLi1ELi0EEE1fEv", C, "A<((1)>(0))>::f", "A<((1)>(0))>::f()", "A::f"},
    {"_ZN1AIXrsLi8ELi1EEE1fEv", C, "A<(8)>>(1)>::f", "A<(8)>>(1)>::f()", "A::f"},
    {"_ZN1AIXgeLi8ELi1EEE1fEv", C, "A<(8)>=(1)>::f", "A<(8)>=(1)>::f()", "A::f"},

    /* operators */
    {"_ZN2ns1AaSERKS0_", C, "ns::A::operator=", "ns::A::operator=(ns::A const&)", NULL},
    {"_ZNK2ns1AeqERKS0_", C, "ns::A::operator==", "ns::A::operator==(ns::A const&) const", NULL},
    {"_ZNK2ns1AltERKS0_", C, "ns::A::operator<", "ns::A::operator<(ns::A const&) const", NULL},
    {"_ZNK2ns1AltIdEEbT_", C, "ns::A::operator< <double>",
     "ns::A::operator< <double>(double) const", "ns::A::operator<"},
    {"_ZN2ns1AgtIdEEbT_", C, "ns::A::operator><double>", "ns::A::operator><double>(double)",
     "ns::A::operator>"},
    {"_ZN2ns1AlsEi", C, "ns::A::operator<<", "ns::A::operator<<(int)", NULL},
    {"_ZN2ns1AlsIdEERS0_T_", C, "ns::A::operator<< <double>", "ns::A::operator<< <double>(double)",
     "ns::A::operator<<"},
    {"_ZN2ns1AptEv", C, "ns::A::operator->", "ns::A::operator->()", NULL},
    {"_ZN2ns1ApmEi", C, "ns::A::operator->*", "ns::A::operator->*(int)", NULL},
    {"_ZNK2ns1AssERKS0_", C, "ns::A::operator<=>", "ns::A::operator<=>(ns::A const&) const", NULL},
    {"_ZN2ns1AclEv", C, "ns::A::operator()", "ns::A::operator()()", NULL},
    {"_ZN2ns1AclIiEEvT_", C, "ns::A::operator()<int>", "ns::A::operator()<int>(int)",
     "ns::A::operator()"},
    {"_ZN2ns1AixEi", C, "ns::A::operator[]", "ns::A::operator[](int)", NULL},
    {"_ZN2ns1AcmEi", C, "ns::A::operator,", "ns::A::operator,(int)", NULL},
    {"_ZN2ns1AnwEm", C, "ns::A::operator new", "ns::A::operator new(unsigned long)", NULL},
    {"_ZN2ns1AnaEm", C, "ns::A::operator new[]", "ns::A::operator new[](unsigned long)", NULL},
    {"_Zli3_kmy", C, "operator\"\" _km", "operator\"\" _km(unsigned long long)", NULL},
    {"_ZNK2ns1AcvbEv", C, "ns::A::operator bool", "ns::A::operator bool() const", NULL},
    {"_ZN2ns1AcvSt6vectorIiSaIiEEEv", C, "ns::A::operator std::vector<int, std::allocator<int> >",
     "ns::A::operator std::vector<int, std::allocator<int> >()", "ns::A::operator std::vector"},
    {"_ZN2ns1AcvPFviEEv", C, "ns::A::operator void (*)(int)", "ns::A::operator void (*)(int)()",
     NULL},
    {"_ZN2ns1AcvPT_IiEEv", C, "ns::A::operator int*<int>", "ns::A::operator int*<int>()",
     "ns::A::operator int*"},
    {"_ZN8operator1fEv", C, "operator::f", "operator::f()", NULL},
    {"_ZN9operators1fIiEEvv", C, "operators::f<int>", "operators::f<int>()", "operators::f"},

    /* inside of functions */
    {"_ZZ4mainENKUliE_clEi", C, "main::{lambda(int)#1}::operator()",
     "main::{lambda(int)#1}::operator()(int) const", NULL},
    {"_ZZ4mainENUliE_4_FUNEi", C, "main::{lambda(int)#1}::_FUN", "main::{lambda(int)#1}::_FUN(int)",
     NULL},
    {"_ZZ4mainENK3$_3clEi", C, "main::$_3::operator()", "main::$_3::operator()(int) const", NULL},
    {"_ZZ3fooiENKUlvE_clEv", C, "foo(int)::{lambda()#1}::operator()",
     "foo(int)::{lambda()#1}::operator()() const", "foo::{lambda()#1}::operator()"},
    {"_ZZNK1A3getEvENKUliE_clEi", C, "A::get() const::{lambda(int)#1}::operator()",
     "A::get() const::{lambda(int)#1}::operator()(int) const",
     "A::get::{lambda(int)#1}::operator()"},
    {"_ZZNKO1A3getEvENKUliE_clEi", C, "A::get() const &&::{lambda(int)#1}::operator()",
     "A::get() const &&::{lambda(int)#1}::operator()(int) const",
     "A::get::{lambda(int)#1}::operator()"},
    {"_ZZN2ns1AclEiENKUlT_E_clIiEEDaS1_", C,
     "ns::A::operator()(int)::{lambda(auto:1)#1}::operator()<int>",
     "ns::A::operator()(int)::{lambda(auto:1)#1}::operator()<int>(int) const",
     "ns::A::operator()::{lambda(auto:1)#1}::operator()"},
    {"_ZZN2ns2TmIiE3lamEvENKUlSt6vectorIiSaIiEEE_clES4_", C,
     "ns::Tm<int>::lam()::{lambda(std::vector<int, std::allocator<int> >)#1}::operator()",
     "ns::Tm<int>::lam()::{lambda(std::vector<int, std::allocator<int> >)#1}::operator()"
     "(std::vector<int, std::allocator<int> >) const",
     "ns::Tm::lam::{lambda(std::vector<int, std::allocator<int> >)#1}::operator()"},
    {"_ZZN12_GLOBAL__N_14anonEiEN1L2lfEv", C, "(anonymous namespace)::anon(int)::L::lf",
     "(anonymous namespace)::anon(int)::L::lf()", "(anonymous namespace)::anon::L::lf"},
    {"_ZZN1AcvbEvENKUlvE_clEv", C, "A::operator bool()::{lambda()#1}::operator()",
     "A::operator bool()::{lambda()#1}::operator()() const",
     "A::operator bool::{lambda()#1}::operator()"},

    /* Fortran */
    {"solve_", FORTRAN, "solve", NULL, NULL},
    {"my_solve__", FORTRAN, "my_solve_", NULL, NULL},
    {"c_bound", FORTRAN, "c_bound", NULL, NULL},
    {"_", FORTRAN, "_", NULL, NULL},
    {"__", FORTRAN, "__", NULL, NULL},
    {"MAIN__", FORTRAN, "MAIN__", NULL, NULL},
    {"inner.0", FORTRAN, "inner", NULL, NULL},
    {"inner.0.0", FORTRAN, "inner", NULL, NULL},
    {"solve_.constprop.0", FORTRAN, "solve", NULL, NULL},
    {"master.0.solve_", FORTRAN, "master.0.solve_", NULL, NULL},
    {"__mymod_MOD_f", FORTRAN, "mymod::f", NULL, NULL},
    {"__mymod_MOD_f_", FORTRAN, "mymod::f_", NULL, NULL},
    {"__mymod_MOD_f", C, "mymod::f", NULL, NULL},
    {"__mymod_MOD_f.constprop.0", C, "mymod::f", NULL, NULL},
    {"__m_MOD_x_MOD_y", FORTRAN, "m::x_MOD_y", NULL, NULL},
    {"__mymod_MOD___copy_mymod_T", FORTRAN, "mymod::__copy_mymod_T", NULL, NULL},
    {"__mymod.smod_MOD_hid", FORTRAN, "__mymod.smod_MOD_hid", NULL, NULL},
    {"__mymod.smod_MOD_hid.isra.0", FORTRAN, "__mymod.smod_MOD_hid", NULL, NULL},
    {"___MOD_f", C, "___MOD_f", NULL, NULL},
    {"__mymod_MOD_", C, "__mymod_MOD_", NULL, NULL},
};

static void check_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct name_row *row = &rows[i];
        struct dft_names names;
        unit_row = row->linkage;
        if (!CHECK(dft_names_make(row->linkage, row->language, &names)))
            continue;
        CHECK_TEXT(names.qualified, row->qualified);
        CHECK_TEXT(names.signature, row->signature ? row->signature : row->qualified);
        CHECK_TEXT(names.plain, row->plain ? row->plain : row->qualified);
        CHECK(names.linkage == row->linkage);
        dft_names_free(&names);
        CHECK(!names.qualified && !names.signature && !names.plain);
    }
    unit_row = NULL;
}

/* Makes the names of `linkage` and checks that it could, or could not, be demangled. */
static void check_demangled(const char *linkage, bool is_demangled)
{
    struct dft_names names;
    if (!CHECK(dft_names_make(linkage, C, &names)))
        return;
    CHECK_INT(strcmp(names.qualified, linkage) != 0, is_demangled);
    dft_names_free(&names);
}

static char *repeat(const char *head, const char *unit, size_t count, const char *tail)
{
    size_t size = strlen(unit);
    char *text = malloc(strlen(head) + size * count + strlen(tail) + 1);
    if (!text)
        abort();
    char *end = stpcpy(text, head);
    for (size_t i = 0; i < count; i++, end += size)
        memcpy(end, unit, size);
    stpcpy(end, tail);
    return text;
}

static void check_repeated(const char *row, const char *head, const char *unit, size_t count,
                           const char *tail, bool is_demangled)
{
    char *linkage = repeat(head, unit, count, tail);
    unit_row = row;
    check_demangled(linkage, is_demangled);
    unit_row = NULL;
    free(linkage);
}

/* f(A<int, int>, A<A<int, int>, A<int, int> >, ...): every parameter is twice as long. */
static void check_doubling(int steps, bool is_demangled)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char linkage[1024] = "_Z1f1AIiiE";
    size_t length = strlen(linkage);
    for (int i = 0; i < steps; i++)
        length += (size_t)snprintf(linkage + length, sizeof linkage - length, "S_IS%c_S%c_E",
                                   digits[i], digits[i]);
    unit_row = "doubling";
    check_demangled(linkage, is_demangled);
    unit_row = NULL;
}

static void check_hostile_symbols(void)
{
    check_repeated("9,000 bytes", "_Z1f", "N7abcdefg7hijklmnE", 500, "", true);
    check_repeated("more than 16 KiB", "_Z1f", "1A", 10000, "", false);
    check_repeated("nested pointers", "_Z1f", "P", 16000, "i", false);
    check_repeated("nested functions", "_Z1f", "F", 16000, "i", false);
    check_repeated("nested local names", "_Z", "Z", 16000, "1fvE", false);
    check_repeated("nested templates", "_Z1f", "1AI", 5000, "i", false);
    check_repeated("nested expressions", "_Z1fIX", "ad", 8000, "E", false);
    check_repeated("conversions read twice", "_Z", "N1AcvT_I", 100, "i", false);
    check_repeated("dots", "", ".0", 100000, "", true);
    check_repeated("underscores", "", "_", 100000, "", false);
    check_doubling(6, true);
    check_doubling(35, false);

    struct dft_names names;
    if (CHECK(dft_names_make(NULL, C, &names)))
        CHECK_TEXT(names.qualified, "");
    dft_names_free(&names);
}

/* On a thread whose stack would not do, a long symbol keeps its linkage name. */
static void *check_on_small_stack(void *unused)
{
    (void)unused;
    check_repeated("small stack", "_Z1f", "N7abcdefg7hijklmnE", 900, "", false);
    return NULL;
}

static void check_small_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (CHECK(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0) &&
        CHECK(pthread_create(&thread, &attributes, check_on_small_stack, NULL) == 0))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* Names that users write. */
static void check_written(void)
{
    static const struct {
        const char *word, *qualified, *plain;
    } words[] = {
        {"main", "main", "main"},
        {"_ZN2ns1fIiEEvi", "ns::f<int>", "ns::f"},
        {"ns::f<int>(int) const", "ns::f<int>", "ns::f"},
        {"ns::f<int>(int (*)(char)) const &", "ns::f<int>", "ns::f"},
        {"ns::C::operator()", "ns::C::operator()", "ns::C::operator()"},
        {"ns::C::operator()(int)", "ns::C::operator()", "ns::C::operator()"},
        {"(anonymous namespace)::f()", "(anonymous namespace)::f", "(anonymous namespace)::f"},
        {"ns::(anonymous namespace)", "ns::(anonymous namespace)", "ns::(anonymous namespace)"},
        {"f(", "f(", "f("},
        {")", ")", ")"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct dft_names names;
        unit_row = words[i].word;
        if (!CHECK(dft_names_make_written(words[i].word, C, &names)))
            continue;
        CHECK_TEXT(names.qualified, words[i].qualified);
        CHECK_TEXT(names.plain, words[i].plain);
        dft_names_free(&names);
    }
    unit_row = NULL;
}

int main(void)
{
    check_rows();
    check_written();
    check_hostile_symbols();
    check_small_stack();
    return unit_result();
}
