/*
 * The runtime's own heap: blocks of powers of two with a free list for each size. Large blocks are
 * mappings of their own.
 *
 * Any thread, while holding the lock, with signals blocked.
 */
#include "runtime/base/private_heap.h"
#include "os/page.h"
#include "runtime/base/address_space.h"
#include "runtime/base/tls.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PIECE_SIZE (256u << 10)
#define LARGE (64u << 10)
#define SMALLEST_BITS 5
#define CLASSES 17 /* powers of two from 32 bytes on; LARGE is class 11 */

enum lock_state { LOCK_FREE, LOCK_HELD, LOCK_LOST };

struct block {
    size_t size; /* of the whole block */
    union {
        struct block *next; /* while it is free */
        _Alignas(16) char bytes[1];
    };
};

#define HEADER offsetof(struct block, bytes)

static _Atomic uint32_t lock;
static DFT_TLS bool holding;
static DFT_TLS bool forking; /* this thread holds the lock across a fork and may take it again */
static struct block *free_blocks[CLASSES];
static char *piece;
static size_t piece_left;

bool dft_private_heap_lock(void)
{
    if (holding)
        return false;
    if (forking)
        return holding = true;
    for (;;) {
        uint32_t seen = LOCK_FREE;
        if (atomic_compare_exchange_strong(&lock, &seen, LOCK_HELD))
            return holding = true;
        if (seen == LOCK_LOST)
            return false;
        if (dft_address_space_kind() == DFT_ADDRESS_SPACE_FORKED)
            dft_private_heap_in_child();
        else
            sched_yield();
    }
}

void dft_private_heap_unlock(void)
{
    holding = false;
    if (!forking)
        atomic_store(&lock, LOCK_FREE);
}

void dft_private_heap_before_fork(void)
{
    forking = dft_private_heap_lock();
    holding = false;
}

void dft_private_heap_after_fork(void)
{
    if (forking)
        atomic_store(&lock, LOCK_FREE);
    forking = false;
}

void dft_private_heap_in_child(void)
{
    uint32_t held = LOCK_HELD;

    atomic_compare_exchange_strong(&lock, &held, LOCK_LOST);
}

static void *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static struct block *take_large(size_t size)
{
    struct block *block = map(size);

    if (block)
        block->size = size;
    return block;
}

static struct block *take_from_piece(size_t size)
{
    if (piece_left < size) {
        piece = map(PIECE_SIZE);
        piece_left = piece ? PIECE_SIZE : 0;
        if (!piece)
            return NULL;
    }
    struct block *block = (struct block *)piece;
    block->size = size;
    piece += size;
    piece_left -= size;
    return block;
}

static unsigned class_of(size_t size)
{
    unsigned bits = SMALLEST_BITS;

    while ((size_t)1 << bits < size)
        bits++;
    return bits - SMALLEST_BITS;
}

void *dft_private_heap_alloc(size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size += HEADER;
    struct block *block;
    if (size > LARGE) {
        block = take_large(dft_page_round_up(size));
    } else {
        unsigned class = class_of(size);
        block = free_blocks[class];
        if (block)
            free_blocks[class] = block->next;
        else
            block = take_from_piece((size_t)1 << (class + SMALLEST_BITS));
    }
    return block ? block->bytes : NULL;
}

static struct block *block_of(void *bytes)
{
    return (struct block *)((char *)bytes - HEADER);
}

void dft_private_heap_free(void *bytes)
{
    if (!bytes)
        return;
    struct block *block = block_of(bytes);
    if (block->size > LARGE) {
        munmap(block, block->size);
        return;
    }
    unsigned class = class_of(block->size);
    block->next = free_blocks[class];
    free_blocks[class] = block;
}

void *dft_private_heap_calloc(size_t count, size_t size)
{
    size_t whole;

    if (__builtin_mul_overflow(count, size, &whole))
        return NULL;
    void *bytes = dft_private_heap_alloc(whole);
    return bytes ? memset(bytes, 0, whole) : NULL;
}

void *dft_private_heap_realloc(void *bytes, size_t size)
{
    if (!bytes)
        return dft_private_heap_alloc(size);
    size_t room = block_of(bytes)->size - HEADER;
    if (size <= room)
        return bytes;
    void *moved = dft_private_heap_alloc(size);
    if (moved) {
        memcpy(moved, bytes, room);
        dft_private_heap_free(bytes);
    }
    return moved;
}

char *dft_private_heap_strndup(const char *text, size_t length)
{
    length = strnlen(text, length);
    char *copy = dft_private_heap_alloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *dft_private_heap_strdup(const char *text)
{
    return dft_private_heap_strndup(text, strlen(text));
}
