// Everything that dftrace.h offers to C++ alone: regions as objects, names that are any text, values of every type; and what it shares with C,
// from C++11 on. The compiler has nothing to say about it. With DFTRACE_DISABLE no symbol of it remains.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD && sed -n 's#^// SHOWN: \?##p' %s > expected.txt
// RUN: warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-comment"
//
// RUN: for options in "-O0 -std=c++11" "-O2 -std=c++11" "-O2 -std=c++17" "-O3 -std=c++20"; do \
// RUN:   %cxx $options $warnings -I%include %s -o prog %lib || exit 1; nm prog > symbols.txt; not grep _ZGV symbols.txt || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./prog && %check-trace trace-* && %show-events trace-* > shown.txt && diff expected.txt shown.txt && rm trace-* || exit 1; done
// RUN: ./prog && test -z "$(ls | grep -E 'trace-|dftrace-')"
// RUN: %cxx -O2 -I%include %s -o plain && ./plain
//
// RUN: %cxx -O2 $warnings -DDFTRACE_DISABLE -I%include -c %s -o disabled.o && nm disabled.o > symbols.txt && not grep dftrace symbols.txt
//
// RUN: echo '#include <dftrace/dftrace.h>' > odd.cc && echo 'void f() { dftrace_instant("a", "b"); }' >> odd.cc
// RUN: not %cxx -std=c++11 -I%include -c odd.cc 2> errors.txt && grep 'each key needs a value' errors.txt
//
// SHOWN: thread prog
// SHOWN:   region block {"text": "a string", "size": 8}
// SHOWN:     region a string {"key": "a string", "n": 1, "later": true}
// SHOWN:       region named by a literal [IO]
// SHOWN:     region ended early
// SHOWN:     region thrown {"enum": 2, "none": null, "char": 97, "float": 0.5, "unsigned": 7}
// SHOWN:     instant caught {"list": [1, "two", {"a": [0.5]}], "view": "a str"}
// SHOWN:   region twice {"type": 4}
// SHOWN:   region twice {"type": 8}
// SHOWN:   region in a lambda
// SHOWN:   region begun {"n": 1}
// SHOWN:   counter total {"value": 3}
// SHOWN:   instant a string [NET]
// SHOWN: track device
// SHOWN:   region on a track {"n": 1}
// SHOWN:     region a string

#include <dftrace/dftrace.h>

#include <stdexcept>
#include <string>

namespace
{

enum class color : unsigned char { red = 2 };

/* What std::string_view is, in every language version. It has no NUL at its end. */
struct view {
    const char *text;
    std::size_t length;

    const char *data() const
    {
        return text;
    }

    std::size_t size() const
    {
        return length;
    }
};

[[noreturn]] void fail()
{
    DFTRACE_SCOPE("thrown", "enum", color::red, "none", nullptr, "char", 'a', "float", 0.5f,
                  "unsigned", 7u);
    throw std::runtime_error("for the caller");
}

template <class T> void use(T x)
{
    DFTRACE_SCOPE("twice", "type", sizeof x);
}

} // namespace

int main()
{
    const std::string text = "a string";
    const view part = {text.data(), 5};
    {
        DFTRACE_SCOPE("block", "text", text, "size", text.size());
        {
            dftrace::scope outer(text, "key", text, "n", 1);
            dftrace::scope_in inner("IO", "named by a literal");
            outer.add("later", true);
        }
        dftrace::scope early("ended early");
        early.end();
        try {
            fail();
        } catch (const std::exception &) {
            dftrace_instant("caught", "list",
                            dftrace::list(1, "two", dftrace::map("a", dftrace::list(0.5))), "view",
                            part);
        }
    }
    use(1);
    use(1.0);
    [] { DFTRACE_SCOPE("in a lambda"); }();
    dftrace_begin("begun", "n", 1);
    dftrace_end();
    dftrace_counter_add("total", 3);
    dftrace_instant_in("NET", text.c_str());
    {
        dftrace_track device = dftrace_track_new("device");
        dftrace::scope_on first(device, "on a track", "n", 1);
        dftrace::scope_on second(device, text);
        (void)device;
    }
    return 0;
}
