// C++ functions of every kind but lambdas, whose symbols are each compiler's own: all compilers
// must describe each of them by the same site.
#include "rich.h"

#include <cstdarg>
#include <cstdlib>

int declared_first(int early_name, int);

namespace outer
{
inline namespace v2
{
int versioned(int value)
{
    return value + 1;
}
} // namespace v2

namespace
{
int hidden(int value)
{
    return value - 1;
}

struct Local {
    int value;
    explicit Local(int value) : value(value) {}
    ~Local()
    {
        value = 0;
    }
    int get() const
    {
        return value;
    }
};
} // namespace

int overloaded(int value)
{
    return hidden(value);
}

int overloaded(double value)
{
    return static_cast<int>(value);
}

int overloaded(const char *text, unsigned long long length)
{
    return static_cast<int>(length) + text[0];
}

// clang-format off
int
split_over_lines(int first,
                 int second)
// clang-format on
{
    return first + second;
}
} // namespace outer

static int file_local(int value)
{
    return value * 3;
}

extern "C" int c_function(int value)
{
    return value + 7;
}

// Not here: a static function inside extern "C", whose symbol is f in GCC and _ZL1fi in Clang.
extern "C" {
int c_block_function(int a, int b)
{
    return a - b;
}
}

int with_defaults(int a, int b = 2, int c = 3)
{
    return a + b + c;
}

int unnamed_parameters(int, int second, int)
{
    return second;
}

int no_parameters()
{
    return 4;
}

int no_parameters_in_c_style(void)
{
    return 5;
}

int variadic(int count, ...)
{
    va_list arguments;
    va_start(arguments, count);
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += va_arg(arguments, int);
    va_end(arguments);
    return sum;
}

template <typename T> T one_type(T value)
{
    return value + 1;
}

template <> long one_type<long>(long special)
{
    return special + 2;
}

template <typename T, int N> int with_number(const T (&array)[N])
{
    return N + static_cast<int>(array[0]);
}

template <typename... Types> int pack(Types... values)
{
    return static_cast<int>(sizeof...(Types)) + (0 + ... + values);
}

template <typename T> struct Box {
    T content;
    explicit Box(T content) : content(content) {}
    ~Box() {}
    T get() const;
    template <typename U> U as() const
    {
        return static_cast<U>(content);
    }
    static int count()
    {
        return 1;
    }
};

template <typename T> T Box<T>::get() const
{
    return content;
}

template struct Box<unsigned char>;

struct Base {
    int base;
    Base() : base(1) {}
    virtual ~Base() {}
    virtual int kind(int which)
    {
        return which;
    }
};

struct Left : virtual Base {
    int left;
    Left() : left(2) {}
    ~Left() override {}
    int kind(int which) override
    {
        return which + left;
    }
};

struct Right : virtual Base {
    int right = 3;
    Right() {}
    ~Right() override
    {
        right = 0;
    }
};

struct Bottom : Left, Right {
    explicit Bottom(int value);
    ~Bottom() override;
    int kind(int which) override;
};

Bottom::Bottom(int value)
{
    base = value;
}

Bottom::~Bottom()
{
    base = 0;
}

int Bottom::kind(int which)
{
    return which + base;
}

struct Number {
    int value;
    Number(int value) : value(value) {}
    Number(const Number &other) : value(other.value) {}
    Number(Number &&other) : value(other.value)
    {
        other.value = 0;
    }
    Number &operator=(const Number &other)
    {
        value = other.value;
        return *this;
    }
    Number operator+(const Number &other) const
    {
        return Number(value + other.value);
    }
    Number &operator++()
    {
        ++value;
        return *this;
    }
    Number operator++(int)
    {
        return Number(value++);
    }
    bool operator<(const Number &other) const &noexcept
    {
        return value < other.value;
    }
    int operator[](int index) const
    {
        return value + index;
    }
    int operator()(int a, int b) const
    {
        return value + a + b;
    }
    Number *operator->()
    {
        return this;
    }
    explicit operator bool() const
    {
        return value != 0;
    }
    operator int() const
    {
        return value;
    }
    operator const char *() const
    {
        return "";
    }
    template <typename T> operator Box<T>() const
    {
        return Box<T>(static_cast<T>(value));
    }
    static void *operator new(unsigned long size);
    static void operator delete(void *memory);
    friend bool operator==(const Number &a, const Number &b)
    {
        return a.value == b.value;
    }
};

static char storage[64];

void *Number::operator new(unsigned long)
{
    return storage;
}

void Number::operator delete(void *) {}

long operator""_km(unsigned long long value)
{
    return static_cast<long>(value) * 1000;
}

int größe(int länge)
{
    return länge + 1;
}

__attribute__((always_inline)) inline int forced(int value)
{
    return value + 11;
}

__attribute__((no_instrument_function)) int excluded(int value)
{
    return value + 12;
}

__attribute__((noreturn)) void ends(int code)
{
    std::exit(code);
}

__attribute__((const)) int constant(int value)
{
    return value + 13;
}

__attribute__((visibility("hidden"))) int not_exported(int value)
{
    return value + 14;
}

__attribute__((weak)) int replaceable(int value)
{
    return value + 15;
}

constexpr int evaluated(int value)
{
    return value * value;
}

int function_pointer(int (*callback)(int), int value)
{
    return callback(value);
}

auto trailing(int value) -> int
{
    return value + 16;
}

auto deduced(int value)
{
    return value + 17;
}

int local_class(int value)
{
    struct Inside {
        int method(int argument)
        {
            return argument + 18;
        }
    };
    return Inside().method(value);
}

struct Implicit {
    Number number{1};
    int value = 2;
};

struct Defaulted {
    Number number;
    Defaulted();
    Defaulted(const Defaulted &) = default;
    virtual ~Defaulted() = default;
};

Defaulted::Defaulted() : number(1) {}

struct Inheriting : Number {
    using Number::Number;
};

union Either {
    int number;
    float fraction;
    int get() const
    {
        return number;
    }
};

enum class Color { red, green };

int of_enum(Color color)
{
    return static_cast<int>(color);
}

int of_member_pointer(int Either::*member, Either &either)
{
    return either.*member;
}

#define DEFINE_FUNCTION(name)                                                                      \
    int name(int argument)                                                                         \
    {                                                                                              \
        return argument + 19;                                                                      \
    }
DEFINE_FUNCTION(from_macro)

int from_another_file(int value);

int declared_first(int late_name, int second)
{
    return late_name + second;
}

__attribute__((constructor)) static void before_main(void)
{
    storage[0] = 1;
}

int with_static(int value)
{
    static Number kept(value);
    return kept.value;
}

int catches(int value)
try {
    if (value > 1000)
        throw value;
    return value;
} catch (int thrown) {
    return thrown;
}

int use_all(int n)
{
    int array[2] = {n, n};
    outer::Local local(n);
    Box<int> box(n);
    Bottom bottom(n);
    Left left; // as a part only, its other destructors are Clang's alone
    Right right;
    Base *base = &bottom;
    Number a(n), b(a);
    Number *dynamic = new Number(n);
    delete dynamic;
    Implicit implicit;
    Implicit copy(implicit);
    Defaulted defaulted;
    Defaulted defaulted_copy(defaulted);
    Inheriting inheriting(n);
    Either either{n};
    int sum = local.get() + box.get() + box.as<short>() + Box<long>::count() + base->kind(n);
    sum += left.kind(n) + right.right;
    Number moved(static_cast<Number &&>(b));
    moved = a + b;
    ++moved;
    moved++;
    sum += moved < a ? moved[1] : moved(1, 2);
    sum += moved->value + static_cast<bool>(moved) + static_cast<int>(moved) + (a == b);
    sum += static_cast<const char *>(moved)[0];
    sum += static_cast<Box<short>>(moved).get();
    sum += geometry::doubled(n) + geometry::scaled(n) + geometry::scaled(2.5, 1.5);
    sum += geometry::Point(1, 2).sum() + outer::versioned(n) + outer::overloaded(n);
    sum += outer::overloaded(1.5) + outer::overloaded("a", 1) + outer::split_over_lines(1, 2);
    sum += file_local(n) + c_function(n) + c_block_function(n, 1) + with_defaults(n);
    sum += unnamed_parameters(1, 2, 3) + no_parameters() + no_parameters_in_c_style();
    sum += variadic(2, 1, 2) + one_type(n) + static_cast<int>(one_type(2L)) + with_number(array);
    sum += pack() + pack(1, 2L, 'c') + static_cast<int>(2_km) + größe(n) + forced(n) + excluded(n);
    sum += constant(n) + not_exported(n) + replaceable(n) + evaluated(n);
    sum += function_pointer(c_function, n) + trailing(n) + deduced(n) + local_class(n);
    sum += copy.value + defaulted_copy.number.value + inheriting.value + either.get();
    sum += of_enum(Color::green) + of_member_pointer(&Either::number, either) + from_macro(n);
    sum += from_another_file(n) + declared_first(n, 1) + with_static(n) + catches(n);
    if (sum == 123456)
        ends(1);
    return sum;
}

#line 1000 "elsewhere/rich.y"
int from_another_file(int value)
{
    return value + 20;
}

// Variables: the compilers name the same ones, in the order of their declarations.
static int variables(int number)
{
    int first = number;
    {
        int inner = first;
        for (int i = 0; i < inner; i++) {
            int deep = i;
            first += deep;
        }
    }
    static int kept;
    extern int declared_elsewhere;
    int last = kept + first;
    if (int condition = last)
        first += condition;
    else {
        int i = 3;
        first += i;
    }
    int array[] = {1, 2};
    for (int each : array)
        first += each;
    try {
        first += c_function(first);
    } catch (const Number &caught) {
        first++;
    } catch (...) {
    }
    auto [one, two] = array;
    union {
        int as_int;
        float as_float;
    };
    as_int = two;
    const int constant = 4;
    constexpr int folded = 5;
    struct Inside {
        int method()
        {
            int in_method = 3;
            return in_method;
        }
    } object;
    if (0) {
        int dead = 3;
        first += dead;
    }
    switch (int choice = first) {
    case 1: {
        int in_case = choice;
        first += in_case;
    }
    }
#define DECLARE(name)                                                                              \
    int name = 1;                                                                                  \
    first += name
    DECLARE(by_macro);
    DECLARE(by_macro_as_well);
    return one + last + constant + folded + object.method() + as_int;
}

template <typename T> T with_variables(T value)
{
    T copy = value;
    if constexpr (sizeof(T) == 4) {
        T four = copy;
        return four;
    } else {
        T other = copy;
        return other;
    }
}

struct HasVariables {
    explicit HasVariables(int value)
    {
        int in_constructor = value;
        variables(in_constructor);
    }
    ~HasVariables()
    {
        int in_destructor = 1;
        variables(in_destructor);
    }
};

Number returned_variable()
{
    Number result(1);
    int count = 2;
    return count ? result : Number(3);
}

int call_variables(int value)
{
    HasVariables object(value);
    return with_variables(value) + static_cast<int>(with_variables(2L));
}
