/*
 * The model of the spool protocol: what its files share. explore.c has the overview.
 *
 * One OS thread runs everything; the actors (traced threads, writer) are coroutines.
 */
#ifndef DFT_MODEL_H
#define DFT_MODEL_H

#include "spool/spool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_THREADS 2
#define MODEL_CHUNKS 8
#define MODEL_SITES 24
#define MODEL_SPOOL_SIZE 9216
#define MODEL_FILE_SIZE 2048
#define MODEL_HEAP_SIZE (128u << 10)

/* What the program knows of one call; each call has a site of its own. */
enum model_call {
    MODEL_NOT_BEGUN,
    MODEL_ENTERING, /* inside the enter hook */
    MODEL_OPEN,
    MODEL_LEAVING, /* inside the exit hook */
    MODEL_ENDED,
};

/* What outlives a killed process, spool and file, and what they are compared with. */
struct model_disk {
    _Alignas(64) char spool[MODEL_SPOOL_SIZE];
    struct {
        uint64_t size;
        uint32_t exists;
        char bytes[MODEL_FILE_SIZE];
    } file;
    volatile uint8_t ledger[MODEL_SITES + 1]; /* enum model_call, by site */
    uint8_t threads;                          /* slots that are in use */
    uint8_t may_drop;                         /* the writer has died, or the user asked for it */
};

/* The disk and the heap that the code under test works on at the moment. */
extern struct model_disk *model_disk;
extern char *model_heap;
extern size_t *model_heap_used;

struct dft_spool model_spool_of(struct model_disk *disk);

/* explore.c. Called before each memory access of the code under test. */
void model_access(const void *address, size_t size, bool is_write);

/* A kill may leave the disk behind as it is now. */
void model_may_be_killed(void);

/* The running thread waits until the header's `freed` is not `seen` any more, or for a while. */
void model_wait_freed(const void *word, uint32_t seen);

/* Signals of the running thread are now blocked or unblocked. */
void model_block_signals(int change);
bool model_writer_is_dead(void);
uint64_t model_tick(void);

/* Reports that the search takes too much memory, and ends the program. */
_Noreturn void model_out_of_memory(void);

/* recover.c */

/* Recovers `killed`, and also kills the recovery at each of its writes; false: a call was lost. */
bool model_recover(const struct model_disk *killed);

/* Whether the trace agrees with the ledger; prints what is wrong. */
bool model_check(const struct model_disk *disk, uint64_t dropped);
void model_reset_recovery(void);
extern uint64_t model_killed_states, model_recoveries;

/* A set of 64-bit hashes. */
struct model_set {
    uint64_t *slots;
    size_t size, used;
};
bool model_set_add(struct model_set *set, uint64_t hash); /* false: it was there */
void model_set_clear(struct model_set *set);
uint64_t model_hash_disk(uint64_t hash, const struct model_disk *disk);
uint64_t model_hash(uint64_t hash, const void *bytes, size_t size);

#endif
