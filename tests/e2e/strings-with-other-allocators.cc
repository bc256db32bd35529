// A string whose allocator has members has another layout than std::string: its text is not recorded.
// If the allocator has no members, the layout is that of std::string, and the text is recorded.
//
// RUN: printf '[args]\nfun:*String*\n' > allow.txt
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -Wno-comment -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz
// RUN: %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines
//
// CHECK:      plainString {"copy":"a plain text","reference":"a plain text","return":"a plain text"}
// CHECK-NEXT: polymorphicString {"copy":"std::__cxx11::basic_string","reference":"ADDRESS","return":"std::__cxx11::basic_string"}
// CHECK-NEXT: countedString {"copy":"std::__cxx11::basic_string","reference":"ADDRESS","return":"std::__cxx11::basic_string"}
// CHECK-NEXT: ownString {"copy":"a plain text","reference":"a plain text","return":"a plain text"}
// CHECK-NOT:  {{.}}

#include <memory>
#include <memory_resource>
#include <string>

#define PART __attribute__((noinline))

template <class T> struct Counted : std::allocator<T> {
    template <class U> struct rebind {
        typedef Counted<U> other;
    };
    int count = 7;
};

template <class T> struct Own : std::allocator<T> {
    template <class U> struct rebind {
        typedef Own<U> other;
    };
};

using Polymorphic = std::pmr::string;
using WithCount = std::basic_string<char, std::char_traits<char>, Counted<char>>;
using WithOwn = std::basic_string<char, std::char_traits<char>, Own<char>>;

PART std::string plainString(std::string copy, const std::string &reference)
{
    return copy == reference ? copy : "";
}

PART Polymorphic polymorphicString(Polymorphic copy, const Polymorphic &reference)
{
    return copy == reference ? copy : "";
}

PART WithCount countedString(WithCount copy, const WithCount &reference)
{
    return copy == reference ? copy : "";
}

PART WithOwn ownString(WithOwn copy, const WithOwn &reference)
{
    return copy == reference ? copy : "";
}

int main()
{
    const char *text = "a plain text";
    plainString(text, text);
    polymorphicString(text, text);
    countedString(text, text);
    ownString(text, text);
    return 0;
}
