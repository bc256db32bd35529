/*
 * Interned strings of one sequence of packets: each is written once and has a number from then on.
 * New ones are collected in `added`, a message InternedData, for the packet that first uses them.
 */
#ifndef DFT_WRITER_ENCODE_INTERNED_H
#define DFT_WRITER_ENCODE_INTERNED_H

#include "spool/spool.h"
#include "writer/buffer.h"

enum dft_interned_kind {
    DFT_INTERNED_CATEGORY,
    DFT_INTERNED_NAME,
    DFT_INTERNED_KEY,
    DFT_INTERNED_TEXT, /* values of annotations, from their second use on */
    DFT_INTERNED_KINDS,
};

struct dft_interned {
    struct dft_buffer slots; /* a hash table */
    struct dft_buffer text;
    struct dft_buffer added;
    size_t count;
    uint32_t generation;                 /* of the sequence: older slots are free */
    uint32_t latest[DFT_INTERNED_KINDS]; /* the number that was given last */
    uint32_t locations;                  /* the same for source locations */
};

void dft_interned_begin_sequence(struct dft_interned *all);

/* Sets the string's number; 0 if the string is not interned yet. False if memory is exhausted. */
bool dft_intern(struct dft_interned *all, enum dft_interned_kind kind, const char *text,
                size_t length, uint32_t *number);

/* Adds a place in the source, and sets its number. That of a function also names the function. */
bool dft_intern_location(struct dft_interned *all, const struct dft_site_view *site,
                         uint32_t *number);
void dft_interned_release(struct dft_interned *all);

#endif
