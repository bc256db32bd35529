// Each call runs its two hooks once, however the optimizer moves, copies and removes code: if a
// result is not used, in unrolled loops, in functions without side effects, in clones for a
// constant argument, on branches that are merged or split.
//
// RUN: echo 'fun:*' > allow.txt && sed -n 's/^ \* COUNT: //p' %s > counts.txt && test -s counts.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib && DFTRACER_ENABLE=1 ./prog && \
// RUN:   %check-trace trace-prog-*.pfw.gz --counts-file ../counts.txt'
// RUN: rm -rf level-*
// RUN: %each-level --three '%cc $LEVEL -O3 -funroll-loops %plugin %allow=../allow.txt %s -o prog %lib && \
// RUN:   DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --counts-file ../counts.txt'

/*
 * COUNT: 1 main
 * COUNT: 1000 nothing
 * COUNT: 1000 square
 * COUNT: 50 unused_result
 * COUNT: 400 is_odd
 * COUNT: 300 empty_if
 * COUNT: 500 select_one
 * COUNT: 64 of_a_constant
 * COUNT: 100 joined
 * COUNT: 1000 innermost
 * COUNT: 100 middle
 * COUNT: 10 outer
 * COUNT: 300 early_return
 * COUNT: 20 sum_of
 * COUNT: 200 invariant
 */

static void nothing(void) {}

static int square(int x)
{
    return x * x;
}

static int unused_result(int x)
{
    return x / 3;
}

static int is_odd(int x)
{
    return x & 1;
}

static void empty_if(int x)
{
    if (x > 10)
        nothing();
    else
        nothing();
}

static int select_one(int which, int a, int b)
{
    switch (which) {
    case 0:
        return a;
    case 1:
        return b;
    default:
        return a;
    }
}

static int of_a_constant(int x)
{
    return x * 3 + 1;
}

static int joined(int x)
{
    if (x & 1)
        return square(x) + 1;
    return square(x) + 1;
}

static int innermost(int x)
{
    return x + 1;
}

static int middle(int x)
{
    for (int i = 0; i < 10; i++)
        x = innermost(x);
    return x;
}

static int outer(int x)
{
    for (int i = 0; i < 10; i++)
        x = middle(x);
    return x;
}

static int early_return(int x, int *set)
{
    if (x % 3 == 0)
        return 1;
    *set = x;
    return 0;
}

static int sum_of(const int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static int invariant(int x)
{
    return x * 7;
}

int main(int argc, char **argv)
{
    int sum = 0, set, values[20];
    (void)argv;
    for (int i = 0; i < 900; i++)
        sum += square(i) & argc;
    for (int i = 0; i < 50; i++)
        unused_result(i);
    for (int i = 0; i < 400; i++)
        if (is_odd(i))
            sum++;
    for (int i = 0; i < 300; i++)
        empty_if(i);
    for (int i = 0; i < 700; i++)
        nothing();
    for (int i = 0; i < 500; i++)
        sum += select_one(argc, i, 1);
    for (int i = 0; i < 64; i++)
        sum += of_a_constant(5);
    for (int i = 0; i < 100; i++)
        sum += joined(i) & 1;
    for (int i = 0; i < 10; i++)
        sum += outer(i) & 1;
    for (int i = 0; i < 300; i++) {
        if (early_return(i, &set))
            continue;
        sum += set & 1;
    }
    for (int i = 0; i < 20; i++)
        values[i] = i;
    for (int i = 0; i < 20; i++)
        sum += sum_of(values, i);
    for (int i = 0; i < 200; i++)
        sum += invariant(argc);
    return sum > 0 ? 0 : 1;
}
