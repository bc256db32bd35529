// The debug file of a stripped program is found in /usr/lib/debug/.build-id.
//
// REQUIRES: mount
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -g -finstrument-functions -Wl,--build-id=sha1 %s -o whole
// RUN: strip whole -o prog && objcopy --only-keep-debug whole whole.debug
// RUN: id=$(readelf -n prog | sed -n 's/.*Build ID: //p') && test -n "$id"
// RUN: export LD_PRELOAD=%libdir/libdftrace.so DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: unshare -m sh -c 'mkdir -p /usr/lib/debug && mount -t tmpfs none /usr/lib/debug \
// RUN:   && mkdir -p /usr/lib/debug/.build-id/$(printf %%.2s $1) \
// RUN:   && cp whole.debug /usr/lib/debug/.build-id/$(printf %%.2s $1)/${1#??}.debug && ./prog' sh $id
// RUN: unset LD_PRELOAD && %check-trace trace-prog-*.pfw.gz --only main work --count main=1 --count work=10

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        work(i);
    return 0;
}
