// The same for C: static, inline, old-style and overlong things.

static int internal(int value)
{
    return value + 1;
}

static inline int inlined(int value)
{
    return value + 2;
}

inline int external_inline(int value)
{
    return value + 3;
}

extern int external_inline(int value);

int prototype(int declared, int with_other_names);

int prototype(int first, int second)
{
    return first + second;
}

int no_prototype()
{
    return 4;
}

int renamed(int value) __asm__("other_symbol");

int renamed(int value)
{
    return value + 5;
}

int pointers(const char *text, int (*callback)(int argument), int array[static 2], double rest, ...)
{
    return text[0] + callback(array[1]) + (int)rest;
}

struct pair {
    long first, second, third;
};

struct pair by_value(struct pair in)
{
    in.first++;
    return in;
}

_Bool with_register(register unsigned value, const volatile int *restrict place)
{
    return value == (unsigned)*place;
}

__attribute__((alias("prototype"))) int another_name(int first, int second);

int use_all_of_c(int n)
{
    int array[2] = {n, n};
    struct pair pair = by_value((struct pair){n, n, n});
    return internal(n) + inlined(n) + external_inline(n) + no_prototype() + renamed(n) +
           pointers("", internal, array, 1.5) + with_register(1, array) + (int)pair.first +
           another_name(n, n);
}
