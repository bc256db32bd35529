/*
 * For programs that die: counts of their calls, in memory that outlives the process. check-death
 * compares the counts with the trace. The caller counts a call after the call has returned.
 */
#ifndef DEATH_H
#define DEATH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct tally {
    char name[40];
    volatile int64_t completed;
    volatile int64_t unfinished;
    int32_t pid;
    int32_t at_least; /* other threads may make more calls until the process is gone */
};

#define TALLIES (4096 / sizeof(struct tally))

/* This process's count of calls of one function; made at the first use. */
static inline struct tally *tally(const char *name)
{
    static struct tally *all;

    if (!all) {
        int fd = open(getenv("DEATH_TALLY"), O_RDWR);
        void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory == MAP_FAILED)
            abort();
        all = (struct tally *)memory;
        close(fd);
    }
    for (size_t i = 0; i < TALLIES; i++) {
        int32_t none = 0;
        if (__atomic_compare_exchange_n(&all[i].pid, &none, (int32_t)getpid(), 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            strncpy(all[i].name, name, sizeof all[i].name - 1);
        if (all[i].pid == getpid() && strcmp(all[i].name, name) == 0)
            return &all[i];
    }
    abort();
}

#endif
