/*
 * A second shadow stack of calls of guests, in private memory, for each thread that needs one. Runs
 * in traced threads. A handler may run between any two instructions: an entry is reserved before it
 * is filled, and released after it has been read.
 */
#include "runtime/guest/deep_guests.h"
#include "runtime/guest/guest_calls.h"
#include "runtime/session/thread.h"

#include <sys/mman.h>

#define CALLS_MAX (4u << 20)
#define SIZE (CALLS_MAX * sizeof(struct deep_guest))

struct deep_guest {
    const struct dftrace_site *site;
    uint64_t start;
    uint64_t around; /* start of the innermost call on the shadow stack */
};

DFT_TLS uint32_t dft_deep_guests;

static DFT_TLS struct deep_guest *calls;

/* Calls on top of all others that have no entry, for lack of memory. Part of dft_deep_guests. */
static DFT_TLS uint32_t without_entry;

static bool make_calls(void)
{
    if (!calls) {
        void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        calls = memory == MAP_FAILED ? NULL : memory;
    }
    return calls;
}

/* A call whose end is not known, or not noticed, is not recorded. */
static void drop(struct dft_thread *self, uint64_t start)
{
    if (start != DFT_GUEST_OFF && self->deep > 0) {
        self->deep--;
        self->dropped++;
    }
}

void dft_deep_guests_push(struct dft_thread *self, const struct dftrace_site *site, uint64_t start)
{
    uint32_t count = dft_deep_guests;

    if (without_entry || count == CALLS_MAX || !make_calls()) {
        drop(self, start);
        without_entry++;
        dft_deep_guests++;
        return;
    }
    dft_deep_guests = count + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    calls[count] = (struct deep_guest){site, start, self->top[-1].start};
}

/* Whether the calls on the shadow stack have been closed since: then those beyond it are gone. */
static bool is_stale(const struct dft_thread *self)
{
    const struct deep_guest *first = calls;

    return self->top != self->limit || (first && first->around != self->top[-1].start);
}

static bool clear(void)
{
    dft_deep_guests = without_entry = 0;
    return false;
}

bool dft_deep_guests_pop(struct dft_thread *self, const struct dftrace_site *site, uint64_t *start)
{
    if (is_stale(self))
        return clear();
    if (without_entry) {
        without_entry--;
        dft_deep_guests--;
        *start = DFT_GUEST_OFF;
        return true;
    }
    uint32_t count = dft_deep_guests;
    while (count > 0 && calls[count - 1].site != site)
        drop(self, calls[--count].start);
    if (count == 0)
        return clear();
    *start = calls[count - 1].start;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    dft_deep_guests = count - 1;
    return true;
}

const struct dftrace_site *dft_deep_guests_innermost(const struct dft_thread *self,
                                                     const struct dftrace_site *one,
                                                     const struct dftrace_site *other)
{
    if (is_stale(self) || without_entry)
        return NULL;
    for (uint32_t i = dft_deep_guests; i > 0; i--)
        if (calls[i - 1].site == one || calls[i - 1].site == other)
            return calls[i - 1].site;
    return NULL;
}

void dft_deep_guests_exchange(struct dft_deep_calls *other)
{
    struct dft_deep_calls mine = {calls, dft_deep_guests, without_entry};

    calls = other->calls;
    dft_deep_guests = other->count;
    without_entry = other->without_entry;
    *other = mine;
}

void dft_deep_guests_release(void)
{
    if (calls)
        munmap(calls, SIZE);
    calls = NULL;
    clear();
}
