// An invalid value of an option is reported once, with what is expected and what is used instead;
// the program runs and is traced as if the option were not set.
//
// RUN: echo f > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: wrong() { env "$@" ./prog 2> err.txt && cat err.txt && %check-trace trace-*.pfw.gz --count f=10 \
// RUN:   && zcat trace-*.pfw.gz | grep -c '"name":"f"' | grep -qx 10 && rm trace-* && test $(wc -l < err.txt) = 1; }
//
// RUN: for time in 10 0.5ns us -1us 10xs 1e3us 99999999999999999999s ''; do wrong DFTRACER_MIN_DURATION="$time" \
// RUN:   && grep -F "dftrace: DFTRACER_MIN_DURATION='$time': expected a time, as 500ns, 10us, 2.5ms or 1s; using '0'" err.txt || exit 1; done
// RUN: for share in 101%% 0.0009%% -3%% 3%%%% x '3 %%' ''; do wrong DFTRACER_BUDGET="$share" \
// RUN:   && grep -F "dftrace: DFTRACER_BUDGET='$share': expected 0, or a share of the processor time from 0.001%% to 100%%, as 3%% or 0.5%%; using '0'" err.txt || exit 1; done
// RUN: for depth in -1 x 1.5; do wrong DFTRACER_MAX_DEPTH="$depth" \
// RUN:   && grep -F "dftrace: DFTRACER_MAX_DEPTH='$depth': expected a whole number; using '0'" err.txt || exit 1; done
// RUN: wrong DFTRACER_AGGREGATE='f,g[' && FileCheck %s < err.txt
// CHECK: dftrace: DFTRACER_AGGREGATE='f,g[': expected none, all, or patterns of functions joined by commas: in pattern 2, {{.*}}; using 'none'
// RUN: wrong DFTRACER_ENABLE_AGGREGATION=maybe && grep -F "expected 0 or 1; using '0'" err.txt
//
// All valid forms of times and percentages.
// RUN: for value in MIN_DURATION=0 MIN_DURATION=0us MIN_DURATION=500NS MIN_DURATION=1.5us MIN_DURATION=1s BUDGET=0 \
// RUN:   BUDGET=3 BUDGET=0.125%% BUDGET=0.0010%% BUDGET=0.0000 BUDGET=100%% MAX_DEPTH=0 MAX_DEPTH=7 AGGREGATE=off AGGREGATE=NONE AGGREGATE=1; do \
// RUN:   env DFTRACER_$value ./prog 2> err.txt && test ! -s err.txt || exit 1; done

static volatile int sink;

static __attribute__((noinline)) void f(int x)
{
    sink = x;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        f(i);
    return 0;
}
