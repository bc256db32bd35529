// GCC's internal consistency checks, its garbage collector at the most frequent setting and its
// other instrumentations work together with the hooks.
//
// REQUIRES: c++
// RUN: echo 'src:%s' > allow.txt
// RUN: %cxx -O2 -fchecking=2 %plugin %allow=allow.txt -c %s -o checked.o
// RUN: %cxx -O1 --param ggc-min-expand=0 --param ggc-min-heapsize=0 %plugin %allow=allow.txt -c %s -o collected.o
// RUN: for flags in "-O2 -fnon-call-exceptions" "-O1 -fsanitize=address,undefined" "-O2 -fno-exceptions -DNO_EXCEPTIONS" "-O2 -fno-plt -fvisibility=hidden" "-O2 --coverage"; do \
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
