// Hooks change no warning of these functions: GCC prints the same warnings at the same positions
// with and without hooks, at every optimization level. docs/LIMITATIONS.md lists the exceptions.
//
// RUN: %compare-warnings %cc %{plugin} %s
//
// The same with more inlining, also at -Og.
// RUN: %compare-warnings --flags='-DHELPER="static inline"' %cc %{plugin} %s
//
// The same if the hooks are calls, not assembly.
// RUN: %compare-warnings --levels=0 --flags=-mcmodel=large %cc %{plugin} %s
//
// Correct functions compile without a warning; incorrect ones have their warnings.
// RUN: echo 'fun:*' > allow.txt
// RUN: for level in -O0 -Og -O1 -O2 -O3 -Os; do \
// RUN:   %cc $level -Wall -Wextra -Werror -Wno-comment -DONLY_RIGHT %plugin %allow=allow.txt -c %s -o right.o || exit 1; \
// RUN: done
// RUN: %cc -O2 -Wall -Wextra %plugin %allow=allow.txt -c %s -o all.o 2> warnings.txt
// RUN: for function in maybe failure_is_only_noted failure_is_ignored wrong_way_round by_a_switch in_a_loop; do \
// RUN:   grep "In function '$function'\|In function ‘$function’" warnings.txt || exit 1; \
// RUN: done
// RUN: for option in uninitialized unused-function sign-compare implicit-fallthrough= return-type format-overflow= return-local-addr nonnull; do \
// RUN:   grep -F "[-W$option" warnings.txt || exit 1; \
// RUN: done

#ifndef HELPER
#define HELPER static
#endif

__attribute__((noreturn)) void die(const char *message);
void use(int value);
void note(int value);
int condition(void);

/* --- right: set before use, but only a look at the result of a call tells --- */

HELPER int add_overflows(int a, int b, int *result)
{
    if (b > 0 && a > 2147483647 - b)
        return 1;
    *result = a + b;
    return 0;
}

void stops_on_failure(int a, int b)
{
    int sum;
    if (add_overflows(a, b, &sum))
        die("overflow");
    use(sum);
}

void returns_on_failure(int a, int b)
{
    int sum;
    if (add_overflows(a, b, &sum))
        return;
    use(sum);
}

HELPER int parse(const char *text, int *number)
{
    if (!text)
        return -1;
    if (*text < '0' || *text > '9')
        return -2;
    *number = *text - '0';
    return 0;
}

int checks_for_negative(const char *text)
{
    int number;
    if (parse(text, &number) < 0)
        die("not a number");
    return number;
}

int sums_in_a_loop(const char **texts, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        int number;
        if (parse(texts[i], &number))
            continue;
        sum += number;
    }
    return sum;
}

static _Bool find(const int *values, int count, int wanted, int *place)
{
    for (int i = 0; i < count; i++)
        if (values[i] == wanted) {
            *place = i;
            return 1;
        }
    return 0;
}

int uses_what_is_found(const int *values, int count)
{
    int place;
    if (!find(values, count, 7, &place))
        die("not found");
    return place;
}

static int find_both(const int *values, int count, int *first, int *second)
{
    if (!find(values, count, 1, first))
        return 0;
    return find(values, count, 2, second);
}

int uses_both(const int *values, int count)
{
    int first, second;
    if (find_both(values, count, &first, &second))
        return first + second;
    return -1;
}

struct pair {
    int left, right;
};

HELPER int fill(struct pair *pair, int value)
{
    if (value < 0)
        return -1;
    pair->left = value;
    pair->right = value + 1;
    return 0;
}

int uses_a_structure(int value)
{
    struct pair pair;
    if (fill(&pair, value))
        die("negative");
    return pair.left + pair.right;
}

/* --- right: the end cannot be reached --- */

int returns_in_every_case(int which)
{
    switch (which) {
    case 1:
        return condition();
    case 2:
        if (condition())
            return 2;
        return 3;
    default:
        return 4;
    }
    die("not reached");
}

__attribute__((noreturn)) void never_returns(int which)
{
    switch (which) {
    case 1:
        die("one");
    default:
        die("another");
    }
    note(1);
}

#ifndef ONLY_RIGHT

/* --- wrong: not set on every way to the use --- */

int maybe(int a)
{
    int value;
    if (condition())
        value = a;
    return value;
}

HELPER void set_if(int wanted, int *value)
{
    if (wanted)
        *value = 1;
}

int through_a_call(int wanted)
{
    int value;
    set_if(wanted, &value);
    return value;
}

int failure_is_only_noted(int a, int b)
{
    int sum;
    if (add_overflows(a, b, &sum))
        note(1);
    return sum;
}

int failure_is_ignored(int a, int b)
{
    int sum;
    add_overflows(a, b, &sum);
    return sum;
}

int wrong_way_round(int a, int b)
{
    int sum;
    if (!add_overflows(a, b, &sum))
        die("no overflow");
    return sum;
}

int never_set(void)
{
    int value;
    return value + 1;
}

int by_a_switch(int which)
{
    int value;
    switch (which) {
    case 1:
        value = 3;
        break;
    case 2:
        value = 4;
        break;
    }
    return value;
}

int in_a_loop(int count)
{
    int last;
    for (int i = 0; i < count; i++)
        last = condition();
    return last;
}

/* --- wrong in other ways --- */

static int unused(int x)
{
    return x;
}

int compares(int a, unsigned b)
{
    return a < b;
}

int falls_through(int x)
{
    switch (x) {
    case 1:
        x++;
    case 2:
        return x;
    }
    return 0;
}

int no_value(int x)
{
    if (x)
        return 1;
}

int no_value_after_a_switch(int which)
{
    switch (which) {
    case 1:
        return condition();
    case 2:
        return 3;
    }
}

__attribute__((noreturn)) void returns_all_the_same(int which)
{
    switch (which) {
    case 1:
        die("one");
    case 2:
        return;
    }
    die("another");
}

int formats(char *to, unsigned long size, int x)
{
    char small[4];
    __builtin_sprintf(small, "number %d", x);
    return __builtin_snprintf(to, size, "%s", small);
}

int *dangling(int x)
{
    int local = x;
    return &local;
}

int of_null(int x)
{
    return (int)__builtin_strlen((char *)0) + x;
}

#endif
