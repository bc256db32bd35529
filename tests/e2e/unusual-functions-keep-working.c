// Functions that compilers treat specially compute the same results when they are instrumented, and
// are traced if possible: variable arguments, large structs by value, variable-length arrays,
// alloca, computed and non-local gotos, vectors, complex numbers, setjmp, aliases, weak and cold
// functions. There is no new warning.
//
// RUN: printf 'src:*unusual-functions*\n' > allow.txt
// RUN: %each-level '%cc $LEVEL -Wall -Wextra -Wno-comment -Werror %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count variadic=1 --count by_value=1 --count array=1 \
// RUN:      --count on_stack=1 --count interpret=1 --count outer=1 --count vector=1 --count multiply=1 \
// RUN:      --count returns_twice=1 --count target=2 --count overridable=1 --count rare=1 --count bare=0 \
// RUN:      --count resolve=0 --count marked=0'

#include <alloca.h>
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct big {
    long values[32];
};

typedef int four_ints __attribute__((vector_size(16)));

static int variadic(int count, ...)
{
    va_list arguments;
    int sum = 0;

    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(arguments, int) : (int)va_arg(arguments, double);
    va_end(arguments);
    return sum;
}

static struct big by_value(struct big value)
{
    for (int i = 0; i < 32; i++)
        value.values[i] += i;
    return value;
}

static int array(int size)
{
    int values[size];
    int sum = 0;

    for (int i = 0; i < size; i++)
        values[i] = i;
    for (int i = 0; i < size; i++)
        sum += values[i];
    return sum;
}

static size_t on_stack(size_t size)
{
    char *text = alloca(size + 1);

    memset(text, 'x', size);
    text[size] = '\0';
    return strlen(text);
}

static int interpret(const char *program)
{
    static const void *const labels[] = {&&add, &&twice, &&stop};
    int value = 0;

    goto *labels[*program++ - '0'];
add:
    value++;
    goto *labels[*program++ - '0'];
twice:
    value *= 2;
    goto *labels[*program++ - '0'];
stop:
    return value;
}

#ifdef __clang__ /* has no nested functions */
static int outer(int value)
{
    return value + 7;
}
#else
static int outer(int value)
{
    __label__ out;
    void inner(int x)
    {
        if (x > 2)
            goto out;
        if (x < 9)
            inner(x + 1);
    }

    inner(value);
    return 0;
out:
    return 7;
}
#endif

static four_ints vector(four_ints a, four_ints b)
{
    return a * b + a;
}

static double complex multiply(double complex a, double complex b)
{
    return a * b;
}

static jmp_buf buffer;

static int returns_twice(int value)
{
    volatile int kept = value;

    if (setjmp(buffer) == 0)
        longjmp(buffer, 1);
    return kept + 1;
}

static int target(int x)
{
    return x + 40;
}

static int other_name(int x) __attribute__((alias("target")));

__attribute__((weak)) int overridable(int x)
{
    return x - 1;
}

static __attribute__((cold, noinline)) int rare(int x)
{
    return x * 5;
}

__attribute__((no_instrument_function)) static int marked(int x)
{
    return x + 2;
}

#ifdef __x86_64__
__attribute__((naked)) int bare(void);
int bare(void)
{
    __asm__("movl $9, %eax\n\tret");
}

static int chosen(void)
{
    return 3;
}

__attribute__((used)) static int (*resolve(void))(void)
{
    return chosen;
}

int picked(void) __attribute__((ifunc("resolve")));
#else
static int bare(void)
{
    return 9;
}

static int picked(void)
{
    return 3;
}
#endif

static int expect(const char *what, long found, long wanted)
{
    if (found != wanted)
        fprintf(stderr, "%s: %ld, expected %ld\n", what, found, wanted);
    return found != wanted;
}

int main(void)
{
    struct big big = {{1, 2, 3}};
    four_ints vectors = vector((four_ints){1, 2, 3, 4}, (four_ints){5, 6, 7, 8});
    double complex product = multiply(1.0 + 2.0 * I, 3.0 - 1.0 * I);
    int failures = 0;

    failures += expect("variadic", variadic(4, 1.5, 2, 3.5, 4), 10);
    failures += expect("by_value", by_value(big).values[2], 5);
    failures += expect("array", array(10), 45);
    failures += expect("on_stack", (long)on_stack(100), 100);
    failures += expect("interpret", interpret("001002"), 6);
    failures += expect("outer", outer(0), 7);
    failures += expect("vector", vectors[3], 36);
    failures += expect("multiply", (long)(creal(product) * 10 + cimag(product)), 55);
    failures += expect("returns_twice", returns_twice(4), 5);
    failures += expect("target", target(1) + other_name(1), 82);
    failures += expect("overridable", overridable(4), 3);
    failures += expect("rare", rare(2), 10);
    failures += expect("marked", marked(2), 4);
    failures += expect("bare", bare(), 9);
    failures += expect("picked", picked(), 3);
    return failures;
}
