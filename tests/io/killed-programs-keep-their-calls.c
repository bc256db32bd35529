// A program that is killed at a random moment leaves every call that it had counted, and the call
// during which it died as unfinished or not at all.
//
// RUN: %cc -w -O1 %s -o prog
// RUN: for i in 1 2 3 4 5 6; do rm -f t-*; \
// RUN:   not --crash %dftrace run --io --no-report -o t -- ./prog counted.txt $((i * 7919 % 30000 + 50)) > out.txt 2> err.txt || exit 1; \
// RUN:   %{python} -c "import gzip,json,glob,struct; n=struct.unpack('q',open('counted.txt','rb').read(8))[0]; e=[json.loads(l) for l in gzip.open(glob.glob('t-*')[0],'rt') if l[0]=='{']; w=[x for x in e if x['name']=='pwrite']; d=[x for x in w if 'unfinished' not in x['args']]; assert n <= len(d) <= n+1 and len(w) <= n+1 and n > 0, (n,len(d),len(w)); assert all(x['args']['offset']==i and x['args']['ret']==1 for i,x in enumerate(d))" || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int fd = open(argv[1], O_CREAT | O_RDWR | O_TRUNC, 0600);
    int data = open("data", O_CREAT | O_RDWR, 0600);
    ftruncate(fd, 4096);
    volatile int64_t *counted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    /* Somebody else kills this process, at a moment that depends on the processor's load. */
    if (fork() == 0) {
        while (*counted < atoi(argv[2]))
            ;
        kill(getppid(), SIGKILL);
        _exit(0);
    }
    for (;;) {
        pwrite(data, "x", 1, *counted);
        ++*counted;
    }
}
