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

int variables_in_c(int count, int *pointer)
{
    int x = count, *y = pointer, z[3] = {1};
    register int fast = 3;
    char sized[count];
    for (int i = 0; i < count; i++) {
        int again = i;
        sized[i] = again;
    }
    while (count--) {
        int x = *y;
        z[1] += x;
    }
    int later = __extension__({
        int in_expression = sized[0];
        in_expression;
    });
    return later + x + fast + z[0] + __func__[0];
}

double _Complex wide_numbers(float _Complex a, long double _Complex b, __int128 c,
                             unsigned __int128 d, _Complex int e)
{
    return __real__ a + (double)__imag__ b + (double)c + (double)d + __real__ e;
}
