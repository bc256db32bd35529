// Arguments and results of functions in [args]: every scalar with extreme values, all kinds of
// strings, objects, references, parameter packs; the same at every optimization level and with
// every compiler.
//
// RUN: printf '[args]\nfun:*\n[never]\nfun:std::*\nfun:__gnu_cxx::*\nfun:operator*\n*::Plain\n*::~Plain\nLeaf::*\nRoot::*\n' > allow.txt
// RUN: %each-level '%cxx -std=c++17 -Wall -Wextra -Werror -Wno-comment $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
// RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'
//
// Sanitizers change nothing, and find nothing.
// RUN: %cxx -std=c++17 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all %plugin %allow=allow.txt %s -o prog %lib
// RUN: ASAN_OPTIONS=detect_leaks=0 DFTRACER_ENABLE=1 ./prog && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#define PART __attribute__((noinline))

enum Color { RED, GREEN = 7 };
enum Below { MINUS = -5 };
enum class Wide : uint64_t { TOP = UINT64_MAX };
enum class Narrow : signed char { LOW = -128 };

// CHECK:      main {"argc":1,"argv":"ADDRESS","return":0}
// CHECK-NEXT: turn {"argc":1,"return":0}

// CHECK-NEXT: bytes {"a":-128,"b":255,"c":-32768,"d":65535,"return":-128}
// CHECK-NEXT: bytes {"a":127,"b":0,"c":32767,"d":0,"return":127}
PART signed char bytes(signed char a, unsigned char b, short c, unsigned short d)
{
    return static_cast<signed char>(a + 0 * (b + c + d));
}

// CHECK-NEXT: words {"a":-2147483648,"b":4294967295,"c":-9223372036854775808,"d":"18446744073709551615","e":9223372036854775807,"f":9223372036854775807,"return":"18446744073709551615"}
PART unsigned long words(int a, unsigned b, long c, unsigned long d, long long e,
                         unsigned long long f)
{
    return a < 0 && b && c && e && f ? d : 0;
}

// CHECK-NEXT: characters {"a":"x","b":"\\x0a","c":"\\xff","d":"\"","wide":65,"sixteen":8364,"thirtytwo":128512,"return":"x"}
PART char characters(char a, char b, char c, char d, wchar_t wide, char16_t sixteen,
                     char32_t thirtytwo)
{
    return b && c && d && wide && sixteen && thirtytwo ? a : '\0';
}

// CHECK-NEXT: truth {"yes":true,"no":false,"return":true}
PART bool truth(bool yes, bool no)
{
    return yes && !no;
}

// CHECK-NEXT: enums {"color":7,"below":-5,"wide":"18446744073709551615","narrow":-128,"return":7}
PART Color enums(Color color, Below below, Wide wide, Narrow narrow)
{
    return below == MINUS && wide == Wide::TOP && narrow == Narrow::LOW ? color : RED;
}

// CHECK-NEXT: reals {"f":0.1,"d":1.7976931348623157e+308,"l":"Infinity","return":1.7976931348623157e+308}
// CHECK-NEXT: reals {"f":"NaN","d":"-Infinity","l":"Infinity","return":"-Infinity"}
// CHECK-NEXT: reals {"f":-0.0,"d":5e-324,"l":0.1,"return":5e-324}
// CHECK-NEXT: reals {"f":16777216.0,"d":0.30000000000000004,"l":-2.5,"return":0.30000000000000004}
PART double reals(float f, double d, long double l)
{
    return f < 1e30f || l != 0 ? d : d;
}

// CHECK-NEXT: extended {"l":0.0,"return":0.0}
PART long double extended(long double l)
{
    return l;
}

// CHECK-NEXT: strings {"reference":"short","copy":"{{(x{128})}}…","view":"vi\u0000ew","moved":"moved","return":"shortmoved"}
PART std::string strings(const std::string &reference, std::string copy, std::string_view view,
                         std::string &&moved)
{
    return copy.size() + view.size() ? reference + moved : "";
}

// CHECK-NEXT: view {"all":"abc","return":"bc"}
PART std::string_view view(std::string_view all)
{
    return all.substr(1);
}

// A string_view for which there are no registers left.
// CHECK-NEXT: crowded {"a":1,"b":2,"c":3,"d":4,"e":5,"view":"on the stack","f":6.5,"last":7,"return":28}
PART long crowded(long a, long b, long c, long d, long e, std::string_view view, double f, int last)
{
    return a + b + c + d + e + static_cast<long>(view[0] == 'o') * 6 + (f > 6 ? last : 0);
}

struct Point {
    int x, y;
};
union Either {
    int number;
    float real;
};
namespace scope
{
namespace
{
struct Hidden {
    char data[100];
};
} // namespace
template <class T> struct Box {
    T content;
};
struct Empty {
};
struct Plain {
    std::string text;
};
} // namespace scope

// CHECK-NEXT: structures {"before":1,"small":"Point","hidden":"scope::(anonymous namespace)::Hidden","box":"scope::Box","between":2,"empty":"scope::Empty","plain":"scope::Plain","either":"Either","last":3,"return":"Point"}
PART Point structures(int before, Point small, scope::Hidden hidden, scope::Box<double> box,
                      int between, scope::Empty empty, scope::Plain plain, Either either, long last)
{
    (void)empty;
    small.x += before + hidden.data[0] + static_cast<int>(box.content) + between;
    small.y += static_cast<int>(plain.text.size()) + either.number + static_cast<int>(last);
    return small;
}

// CHECK-NEXT: references {"number":7,"real":2.5,"text":"pointed to","object":"ADDRESS","hard":"ADDRESS","array":"ADDRESS","view":"seen","flag":true,"return":7}
PART int &references(int &number, const double &real, const char *&text, Point &object,
                     volatile int &hard, int (&array)[3], std::string_view &view, bool &&flag)
{
    number = static_cast<int>(real * 0) + 7 + (text && flag && view.size() && array[0]);
    object.x = hard;
    return number;
}

// CHECK-NEXT: pointers {"any":"0x1234","function":"0x0","null":"0x0","member":"member pointer","method":"member pointer","bytes":"0x10","texts":"0x20","return":"0x1234"}
PART void *pointers(void *any, int (*function)(int), std::nullptr_t null, int Point::*member,
                    int (Point::*method)(), const unsigned char *bytes, char **texts)
{
    return member && !method && !function && null == nullptr && bytes && texts ? any : nullptr;
}

// CHECK-NEXT: pack<int, long, char> {"values":1,"values#2":2,"values#3":"c","return":3}
template <class... Types> PART int pack(Types... values)
{
    return static_cast<int>(sizeof...(values)) + 0 * (static_cast<int>(values) + ...);
}

// CHECK-NEXT: unnamed {"#1":1,"second":2,"#3":3,"return":2}
PART int unnamed(int, int second, int)
{
    return second;
}

// CHECK-NEXT: changed {"value":1,"text":"before","return":99}
PART int changed(int value, char *text)
{
    text[0] = 'B';
    value = 99;
    return value;
}

// CHECK-NEXT: nothing
PART void nothing() {}

class Object
{
  public:
    // CHECK-NEXT: Object::Object {"this":"ADDRESS","value":5}
    PART explicit Object(int value) : value_(value) {}
    // CHECK-NEXT: Object::get {"this":"ADDRESS","by":4,"return":9}
    PART int get(int by) const
    {
        return value_ + by;
    }
    // CHECK-NEXT: Object::make {"value":6,"return":"Object"}
    // CHECK-NEXT: Object::Object {"this":"ADDRESS","value":6}
    PART static Object make(int value)
    {
        return Object(value);
    }
    // CHECK-NEXT: Object::swap {"this":"ADDRESS","other":"ADDRESS","return":"ADDRESS"}
    PART Object *swap(Object &other)
    {
        return &other;
    }

  private:
    int value_;
};

struct Root {
    int number = 0;
};
struct Middle : virtual Root {
    // It gets a hidden parameter for its virtual base.
    // CHECK-NEXT: Middle::Middle {"this":"ADDRESS","depth":3,"tag":"t"}
    PART Middle(int depth, char tag)
    {
        number = depth + tag;
    }
};
struct Leaf : Middle {
    Leaf() : Middle(3, 't') {}
};

static int turn(int argc)
{
    int seven = 7, array[3] = {0, 0, 0};
    double real = 2.5;
    const char *text = "pointed to";
    char buffer[] = "before";
    Point object = {1, 2};
    volatile int hard = 1;
    std::string_view seen = "seen";
    std::string s = "short";

    bytes(SCHAR_MIN, UCHAR_MAX, SHRT_MIN, USHRT_MAX);
    bytes(SCHAR_MAX, 0, SHRT_MAX, 0);
    words(INT_MIN, UINT_MAX, LONG_MIN, ULONG_MAX, LLONG_MAX, LLONG_MAX);
    characters('x', '\n', '\xff', '"', L'A', u'\u20ac', U'\U0001f600');
    truth(true, false);
    enums(GREEN, MINUS, Wide::TOP, Narrow::LOW);
    reals(0.1f, DBL_MAX, LDBL_MAX);
    reals(NAN, -INFINITY, INFINITY);
    reals(-0.0f, 5e-324, 0.1L);
    reals(16777216.0f, 0.1 + 0.2, -2.5L);
    extended(LDBL_MIN);
    strings(s, std::string(1000000, 'x'), std::string_view("vi\0ew", 5), "moved");
    view("abc");
    crowded(1, 2, 3, 4, 5, "on the stack", 6.5, 7);
    structures(1, {1, 2}, {}, {2.5}, 2, {}, {"text"}, {3}, 3);
    references(seven, real, text, object, hard, array, seen, true);
    pointers(reinterpret_cast<void *>(0x1234), nullptr, nullptr, &Point::y, nullptr,
             reinterpret_cast<unsigned char *>(0x10), reinterpret_cast<char **>(0x20));
    pack(1, 2L, 'c');
    unnamed(1, 2, 3);
    changed(argc, buffer);
    nothing();
    Object one(5);
    one.get(4);
    Object two = Object::make(6);
    one.swap(two);
    Leaf leaf;
    return leaf.number - 3 - 't';
}

int main(int argc, char **argv)
{
    return argv[0] ? turn(argc) : 1;
}
