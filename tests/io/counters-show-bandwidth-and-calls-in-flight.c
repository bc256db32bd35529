// Traces with I/O calls have counters of bandwidth and of calls in flight: at the end, five threads
// are inside read. The first bandwidth is that of the bytes that were read since the start. Calls that
// never return are shown as unfinished. Traces without I/O calls have no such counters.
//
// RUN: %cc -w -O1 -pthread %s -o prog
// RUN: %dftrace run --io --no-report -e TRACE_INTERVAL_MS=100000 -o t -- ./prog
// RUN: %{python} -c "import gzip,json,glob; e=[json.loads(l) for l in gzip.open(glob.glob('t-*')[0],'rt') if l[0]=='{']; f=[x['args']['calls'] for x in e if x['name']=='io calls in flight']; b=[x['args'] for x in e if x['name']=='io bandwidth']; i=[x['args'] for x in e if x['name']=='io']; assert f==[5], f; assert len(b)==len(i)==1, (b,i); assert i[0]['read_bytes']>=65536000 and b[0]['read_bytes_per_s']>0; assert abs(b[0]['read_bytes_per_s']/i[0]['read_bytes']/(b[0]['write_bytes_per_s']/i[0]['write_bytes'])-1)<0.01; u=[x for x in e if x['name']=='read' and x['args'].get('unfinished')]; assert len(u)==5, u"
// RUN: echo main > allow.txt && %cc -w -O1 -pthread %plugin %allow=allow.txt %s -o plain
// RUN: %dftrace run --no-report -o p -- ./plain && zcat p-*.gz | not grep -E "io calls in flight|io bandwidth"

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 5
#define SIZE 65536

static volatile int tids[THREADS];

static void *wait_for_ever(void *place)
{
    int ends[2];
    char byte;

    pipe(ends);
    *(volatile int *)place = syscall(SYS_gettid);
    read(ends[0], &byte, 1);
    abort();
}

/* Whether the kernel says that the thread waits in the system call `read`. */
static int is_in_read(int tid)
{
    char path[64], text[16] = "";

    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    return atoi(text) == SYS_read && text[0] >= '0' && text[0] <= '9';
}

int main(void)
{
    pthread_t thread;
    char buffer[SIZE];
    int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);

    for (int i = 0; i < 1000; i++) {
        read(zero, buffer, SIZE);
        write(null, buffer, SIZE);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, wait_for_ever, (void *)&tids[i]);
    for (int i = 0; i < THREADS; i++)
        while (!tids[i] || !is_in_read(tids[i]))
            usleep(1000);
    return 0;
}
