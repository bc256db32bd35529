// Other options of Clang that instrument functions, together with the hooks: the program runs, and
// the trace is complete.
//
// REQUIRES: c++
// RUN: echo 'src:%s' > allow.txt
// RUN: for flags in "-O2 -fno-exceptions -DNO_EXCEPTIONS" "-O2 -fno-plt -fvisibility=hidden" "-O2 --coverage" \
// RUN:     "-O2 -fprofile-instr-generate -fcoverage-mapping" "-O1 -g -gsplit-dwarf -fstack-protector-all" \
// RUN:     "-O2 -finstrument-functions-after-inlining -DDEFINE_CYG" "-Oz -fno-inline -ffunction-sections -Wl,--gc-sections"; do \
// RUN:   rm -f trace-*; %cxx $flags %plugin %allow=allow.txt %s -o program %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./program || exit 1; \
// RUN:   %check-trace trace-*.pfw.gz --count main=1 --count 'guarded=1' --count 'Resource::Resource=1' --count 'Resource::~Resource=1' --count thrower=1 || exit 1; \
// RUN: done

struct Resource {
    int *value;
    Resource() : value(new int(1)) {}
    ~Resource()
    {
        delete value;
    }
};

#ifdef DEFINE_CYG
extern "C" __attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *, void *) {}
extern "C" __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *, void *) {}
#endif

int thrower(int x)
{
#ifndef NO_EXCEPTIONS
    if (x)
        throw x;
#endif
    return x;
}

int guarded(int x)
{
    Resource resource;
#ifndef NO_EXCEPTIONS
    try {
        return thrower(x) + *resource.value;
    } catch (int) {
        return 0;
    }
#else
    return thrower(x) - x;
#endif
}

int main()
{
    return guarded(1);
}
