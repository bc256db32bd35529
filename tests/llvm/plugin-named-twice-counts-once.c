// -fplugin= and -fpass-plugin= with the same plugin, or with the plugin and the pass: every call is
// one event.
//
// RUN: printf 'main\nwork\n' > allow.txt && export DFTRACER_ALLOWLIST=$PWD/allow.txt
// RUN: %each-level 'for pass in %clang-plugin %pass; do rm -f trace-*; \
// RUN:   %cc $LEVEL %plugin %allow=../allow.txt -fpass-plugin=$pass %s -o prog %lib; \
// RUN:   DFTRACER_ENABLE=1 ./prog; %check-trace trace-prog-*.pfw.gz --count main=1 --count work=10; done'
// RUN: %cc %plugin %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=10

static volatile int sink;

static void work(int x)
{
    sink += x;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        work(i);
    return sink == 45 ? 0 : 1;
}
