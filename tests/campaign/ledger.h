/*
 * The ledger: a file that all processes of one round map. Each thread counts its calls in a slot of
 * its own, `begun` before a call and `ended` after it. The ledger survives whatever kills them.
 * tests/campaign/run reads it and contains a copy of the layout.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS 16384

struct slot {
    int32_t pid, tid;
    uint64_t begun, ended;
    uint64_t over;      /* the thread has ended, or the process is about to end */
    uint64_t inherited; /* of `begun`, the calls that were open when this process was forked */
    uint64_t left; /* calls of the parent that a jump had left; they may be open here as well */
    uint64_t reserved[2];
};

struct ledger {
    uint64_t used;
    uint64_t host; /* process that writes the traces, under dftrace run */
    uint64_t reserved[6];
    struct slot slots[SLOTS];
};

static struct ledger *ledger;
static __thread struct slot *self;

#define ADD(counter) __atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED)

static inline void open_ledger(const char *path)
{
    const char *host = getenv("DFTRACER_HOSTED");
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        exit(3);
    ledger = (struct ledger *)mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ledger == MAP_FAILED)
        exit(3);
    close(fd);
    if (host)
        ledger->host = strtoull(host, NULL, 10);
}

/* For the calling thread; the pid comes last and makes it valid. */
static inline void take_slot(uint64_t inherited, uint64_t left)
{
    uint64_t number = ADD(ledger->used);

    if (number >= SLOTS)
        _exit(3);
    struct slot *slot = &ledger->slots[number];
    slot->begun = slot->inherited = inherited;
    slot->left = left;
    slot->tid = gettid();
    __atomic_store_n(&slot->pid, getpid(), __ATOMIC_RELEASE);
    self = slot;
}

#endif
